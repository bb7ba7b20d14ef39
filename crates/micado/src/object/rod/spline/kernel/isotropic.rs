//! Linearisation of an isotropic, naturally straight and untwisted rod: no directors, θ in edges too.
//!
//! With κ = (r'' − (t·r'')t)/L, b = t×κ, α_k = (β_k' − β_k t·r''/L)/L, k = w EI/j, v_k = α_k t + β_k κ/L and
//! n = 1 + ν, the sums over any two directors across t become
//!
//! ```text
//! gradient of edge k:  α_k kκ + β_k [w M_t b/L + (w N − k κ·κ/L) t];    of its roll: β_k w M_t
//! matrix of (k, l):    nk α_kα_l I − nk v_l v_kᵀ + β_kβ_l W + mean and slope of stretch and of twist
//!                      W = (nk κ·κ/L² + w N⁺/L) I − nk/L² bbᵀ − w N⁺/L ttᵀ
//! position and roll, rolls:   mean and slope of twist
//! ```
//!
//! Only viscosity resists spin about t, by control points: edge k and roll i: −νk α_k b_i b, rolls i and j:
//! νk κ·κ b_ib_j. The exact second derivative, with M = kκ, differs in the positions only: see `exact.rs`.

use super::constants;
use super::edges::{Ahead, Geometry};
use super::emit::Target;
use super::exact::{self, Second, Stressed};
use super::frames::Present;
use super::gather::{
    self, ABOVE, BELOW, COUPLING, COUPLING_BELOW, CouplingCarry, DIAGONAL, ENTRIES, MixedCarry, Pairs,
    PositionsCarry, Row, SymmetricCarry, TWIST,
};
use super::lanes::*;
use super::stretch::{Factors, Given, GivenRod, Stretch};
use super::tables::{BlockTable, EDGE_PAIRS, PointTable};
use super::twist::{Twist, squares};
use crate::object::rod::Linearisation;
use crate::object::rod::spline::SplineRod;
use crate::object::rod::spline::layout::{POINTS, blocks};

/// Contribution of a quadrature point to the matrix.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Rows {
    /// √(nk) v_k
    v: [V3; 3],
    /// √(nk) α_k
    alpha: [V; 3],
    /// W: entries (0,0), (1,1), (2,2), (0,1), (0,2), (1,2).
    w: [V; 6],
    /// νk/√(nk) b
    spin_coupling: V3,
    /// νk κ·κ
    spin: V,
}

/// Gradient by edge: positions, and roll.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Gradient {
    x: [V3; 3],
    theta: [V; 3],
}

/// The buffer of one block.
#[repr(C, align(64))]
struct Buffer {
    ahead: Ahead,
    frames: Present,
    stretch: Stretch,
    twist: Twist,
    rows: [Rows; POINTS],
    gradient: Gradient,
    pairs: Pairs,
    spin: Spin,
    carry: Carry,
    out: [Row; 16],
}

/// Contribution of viscous spin: position of edge k with the roll of control point i, and rolls by pair of
/// control points.
#[repr(C, align(64))]
struct Spin {
    coupling: [[V3; 4]; 3],
    rolls: [V; 10],
}

/// Data for the next block.
#[repr(C, align(64))]
struct Carry {
    positions: PositionsCarry,
    coupling: [MixedCarry; 3],
    twist: SymmetricCarry,
    gradient: [[V; 3]; 4],
    spin_coupling: [CouplingCarry; 3],
    spin_rolls: [[V; 3]; 3],
}

impl Buffer {
    /// Carries are zero, the rest is unset.
    #[target_feature(enable = "avx2,fma")]
    fn new() -> Self {
        let (z, u) = ([nothing(); 3], [unset(); 3]);
        let rows = Rows { v: [u; 3], alpha: u, w: [unset(); 6], spin_coupling: u, spin: unset() };
        let carry = Carry {
            positions: PositionsCarry::new(),
            coupling: [[nothing(); 9]; 3],
            twist: [nothing(); 6],
            gradient: [z; 4],
            spin_coupling: [[nothing(); 9]; 3],
            spin_rolls: [z; 3],
        };
        Self {
            ahead: Ahead::new(),
            frames: Present::new(),
            stretch: Stretch::unset(),
            twist: Twist::unset(),
            rows: [rows; POINTS],
            gradient: Gradient { x: [u; 3], theta: u },
            pairs: [[unset(); ENTRIES]; 6],
            spin: Spin { coupling: [[u; 4]; 3], rolls: [unset(); 10] },
            carry,
            out: [[unset(); 4]; 16],
        }
    }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn linearise(
    rod: &SplineRod,
    q: &[[f64; 4]],
    frames: &[f64],
    how: &Linearisation<'_>,
    target: &mut Target<'_>,
) {
    let rod_given = GivenRod::new(rod, frames, how);
    let factors = Factors::new(how);
    let viscous = how.viscosity != 0.0;
    let count = blocks(rod.segments);
    let mut b = Buffer::new();
    let mut second = [Second::unset(); POINTS];
    b.ahead.look(rod, q, 0, rod_given.tables.of(0));
    for block in 0..target.blocks() {
        if block < count {
            let given = rod_given.block(block);
            b.stretch.fill(&given, &b.ahead, &factors);
            b.frames.fill::<false>(&rod_given, &given, &b.ahead);
            if viscous {
                b.twist.fill::<false>(&given, &b.ahead, &b.frames, &factors);
            } else {
                b.twist.fill::<true>(&given, &b.ahead, &b.frames, &factors);
            }
            points(&given, &factors, &mut b, &mut second);
            if block + 1 < count {
                b.ahead.look(rod, q, block + 1, rod_given.tables.of(block + 1));
            }
            for (pair, &(k, l)) in EDGE_PAIRS.iter().enumerate() {
                let (table, stretch, twist, out) = (given.table, &b.stretch, &b.twist, &mut b.pairs[pair]);
                match (factors.exact, k == l) {
                    (false, true) => positions::<true>(table, stretch, twist, &b.rows, pair, out),
                    (false, false) => positions::<false>(table, stretch, twist, &b.rows, pair, out),
                    (true, true) => exact::positions::<true>(table, stretch, twist, &second, pair, out),
                    (true, false) => exact::positions::<false>(table, stretch, twist, &second, pair, out),
                }
                couplings(&b.twist, k, l, &mut b.pairs[pair]);
            }
            if viscous {
                spin(given.table, &b.rows, &mut b.spin);
            }
        } else {
            b.pairs = [[nothing(); ENTRIES]; 6];
            b.spin = Spin { coupling: [[[nothing(); 3]; 4]; 3], rolls: [nothing(); 10] };
            b.gradient = Gradient { x: [[nothing(); 3]; 3], theta: [nothing(); 3] };
        }
        let gradient = gather(&b.pairs, &b.gradient, &mut b.carry, &mut b.out);
        if viscous {
            gather_spin(&b.spin, &mut b.carry, &mut b.out);
        }
        target.emit(block, &mut b.out, gradient);
    }
    b.frames.report(&rod_given);
}

/// Rows and gradient of the quadrature points.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn points(given: &Given<'_>, factors: &Factors, b: &mut Buffer, second: &mut [Second; POINTS]) {
    b.gradient = Gradient { x: [[zero(); 3]; 3], theta: [zero(); 3] };
    for g in 0..POINTS {
        let (table, constants) = (&given.table.points[g], &given.constants[g]);
        let stress = Stress {
            root: load(&constants[constants::ROOT_1]),
            torque: b.twist.torque[g],
            b: b.twist.b[g],
            force: b.stretch.force[g],
            across: b.stretch.across[g],
        };
        let (rows, gradient) = (&mut b.rows[g], &mut b.gradient);
        point(table, &b.ahead.points[g], &stress, factors, rows, &mut second[g], gradient);
    }
}

/// Data of a quadrature point besides its geometry: √k, of twist w M_t and b, of stretch w N and w N⁺/L.
struct Stress {
    root: V,
    torque: V,
    b: V3,
    force: V,
    across: V,
}

/// Rows and gradient of a quadrature point.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn point(
    table: &PointTable,
    point: &Geometry,
    stress: &Stress,
    factors: &Factors,
    rows: &mut Rows,
    second: &mut Second,
    gradient: &mut Gradient,
) {
    let Geometry { inverse_l, t, kappa, c_l, .. } = *point;
    let Stress { root, torque, b, force, across } = *stress;
    let beta = three!(|K| load(&table.beta[K]));
    let alpha = three!(|K| mul(fnma(beta[K], c_l, load(&table.dbeta[K])), inverse_l));

    // Gradient
    let moment = scale(mul(root, root), kappa);
    let bent = dot(moment, kappa);
    let z = scale_add(mul(torque, inverse_l), b, scale(fnma(bent, inverse_l, force), t));
    gradient.x = three!(|K| scale_add(beta[K], z, scale_add(alpha[K], moment, gradient.x[K])));
    gradient.theta = three!(|K| fma(beta[K], torque, gradient.theta[K]));

    // Matrix
    let root = mul(root, factors.viscous_root);
    rows.alpha = three!(|K| mul(root, alpha[K]));
    if factors.exact {
        let (stiff, square) = (scale(factors.viscous, moment), mul(factors.viscous, bent));
        second.alpha = alpha;
        second.fill(point, &Stressed { moment, stiff, square, torque, b, across });
        // Z = nk (I − ttᵀ)
        let nk = mul(root, root);
        let zt = scale(neg(nk), t);
        second.z = [
            fma(zt[0], t[0], nk),
            fma(zt[1], t[1], nk),
            fma(zt[2], t[2], nk),
            mul(zt[0], t[1]),
            mul(zt[0], t[2]),
            mul(zt[1], t[2]),
        ];
    } else {
        let root_l = mul(root, inverse_l);
        let kappa_l = scale(root_l, kappa);
        rows.v = three!(|K| three!(|I| fma(rows.alpha[K], t[I], mul(beta[K], kappa_l[I]))));
        let wb = scale(neg(mul(root_l, root_l)), b);
        let wt = scale(neg(across), t);
        let wi = add(dot(kappa_l, kappa_l), across);
        rows.w = [
            fma(wb[0], b[0], fma(wt[0], t[0], wi)),
            fma(wb[1], b[1], fma(wt[1], t[1], wi)),
            fma(wb[2], b[2], fma(wt[2], t[2], wi)),
            fma(wb[0], b[1], mul(wt[0], t[1])),
            fma(wb[0], b[2], mul(wt[0], t[2])),
            fma(wb[1], b[2], mul(wt[1], t[2])),
        ];
    }
    // νk/√(nk) = ν √(nk)/n
    rows.spin_coupling = scale(mul(factors.spin, root), b);
    rows.spin = mul(factors.viscosity, bent);
}

/// Sums of the positions of a pair of edges (k, l) of [`EDGE_PAIRS`] over the quadrature points; the same
/// edge twice has no entries below.
///
/// The stages are not inlined, for every pair and entry: the instructions stay decoded, and the sums of one
/// call fit into the registers.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn positions<const SAME: bool>(
    table: &BlockTable,
    stretch: &Stretch,
    twist: &Twist,
    rows: &[Rows; POINTS],
    pair: usize,
    out: &mut [V; ENTRIES],
) {
    let (k, l) = EDGE_PAIRS[pair];
    let mut identity = zero();
    let [mut diagonal, mut above, mut below] = squares(stretch, twist, k, l);
    three!(|G| {
        let Rows { v, alpha, w, .. } = &rows[G];
        let (vk, vl) = (&v[k], &v[l]);
        let beta_beta = load(&table.points[G].beta_beta[pair]);
        identity = fma(alpha[k], alpha[l], identity);
        diagonal = three!(|I| fnma(vl[I], vk[I], fma(beta_beta, w[I], diagonal[I])));
        above = [
            fnma(vl[0], vk[1], fma(beta_beta, w[3], above[0])),
            fnma(vl[0], vk[2], fma(beta_beta, w[4], above[1])),
            fnma(vl[1], vk[2], fma(beta_beta, w[5], above[2])),
        ];
        if !SAME {
            below = [
                fnma(vl[1], vk[0], fma(beta_beta, w[3], below[0])),
                fnma(vl[2], vk[0], fma(beta_beta, w[4], below[1])),
                fnma(vl[2], vk[1], fma(beta_beta, w[5], below[2])),
            ];
        }
    });
    three!(|I| {
        out[DIAGONAL + I] = add(diagonal[I], identity);
        out[ABOVE + I] = above[I];
        if !SAME {
            out[BELOW + I] = below[I];
        }
    });
}

/// Positions with rolls, rolls with positions, and rolls.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn couplings(twist: &Twist, k: usize, l: usize, out: &mut [V; ENTRIES]) {
    let Twist { mean_row, slope_row, mean_roll, slope_roll, .. } = twist;
    three!(|I| {
        out[COUPLING + I] = fma(slope_row[k][I], slope_roll[l], mul(mean_row[k][I], mean_roll[l]));
        out[COUPLING_BELOW + I] = fma(slope_roll[k], slope_row[l][I], mul(mean_roll[k], mean_row[l][I]));
    });
    out[TWIST] = fma(slope_roll[k], slope_roll[l], mul(mean_roll[k], mean_roll[l]));
}

/// Contribution of viscous spin.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn spin(table: &BlockTable, rows: &[Rows; POINTS], out: &mut Spin) {
    for (k, out) in out.coupling.iter_mut().enumerate() {
        let mut x = [[zero(); 3]; 4];
        three!(|G| {
            let b = &table.points[G].b;
            let along = scale(neg(rows[G].alpha[k]), rows[G].spin_coupling);
            x = [
                scale_add(load(&b[0]), along, x[0]),
                scale_add(load(&b[1]), along, x[1]),
                scale_add(load(&b[2]), along, x[2]),
                scale_add(load(&b[3]), along, x[3]),
            ];
        });
        *out = x;
    }
    for (pair, out) in out.rolls.iter_mut().enumerate() {
        let b_b = three!(|G| load(&table.points[G].b_b[pair]));
        *out = fma(b_b[0], rows[0].spin, fma(b_b[1], rows[1].spin, mul(b_b[2], rows[2].spin)));
    }
}

/// Adds the contribution of viscous spin to the rows of four control points.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn gather_spin(spin: &Spin, carry: &mut Carry, out: &mut [Row; 16]) {
    let (mut above, mut below) = ([zero(); 4], [zero(); 4]);
    for i in 0..3 {
        gather::coupling(&spin.coupling, i, &mut carry.spin_coupling[i], [&mut above, &mut below]);
        for column in 0..4 {
            out[4 * i + 3][column] = add(out[4 * i + 3][column], above[column]);
            out[12 + i][column] = add(out[12 + i][column], below[column]);
        }
    }
    let rolls = gather::rolls(&spin.rolls, &mut carry.spin_rolls);
    for column in 0..4 {
        out[15][column] = add(out[15][column], rolls[column]);
    }
}

/// Rows of four control points, and their gradient.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn gather(p: &Pairs, gradient: &Gradient, carry: &mut Carry, out: &mut [Row; 16]) -> [V; 4] {
    gather::positions(p, &mut carry.positions, out);
    for i in 0..3 {
        let two = out.get_disjoint_mut([4 * i + 3, 12 + i]).expect("two entries");
        gather::mixed(p, COUPLING + i, &mut carry.coupling[i], two);
    }
    gather::symmetric(p, TWIST, &mut carry.twist, &mut out[15]);
    let x = &gradient.x;
    [
        gather::gradient(&[x[0][0], x[1][0], x[2][0]], &mut carry.gradient[0]),
        gather::gradient(&[x[0][1], x[1][1], x[2][1]], &mut carry.gradient[1]),
        gather::gradient(&[x[0][2], x[1][2], x[2][2]], &mut carry.gradient[2]),
        gather::gradient(&gradient.theta, &mut carry.gradient[3]),
    ]
}
