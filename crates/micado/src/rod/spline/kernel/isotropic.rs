//! Linearisation of an isotropic, naturally straight and untwisted rod without viscosity: no directors, θ in edges too.
//!
//! With κ = (r'' − (t·r'')t)/L, b = t×κ, α_k = (β_k' − β_k t·r''/L)/L, k = w EI/j and v_k = α_k t + β_k κ/L, the sums over any
//! two directors across t become
//!
//! ```text
//! gradient of edge k:  α_k kκ + β_k [w M_t b/L + (w N − k κ·κ/L) t];    of its roll: β_k w M_t
//! matrix of (k, l):    k α_kα_l I − k v_l v_kᵀ + β_kβ_l W + mean and slope of stretch and of twist
//!                      W = (k κ·κ/L² + w N⁺/L) I − k/L² bbᵀ − w N⁺/L ttᵀ
//! position and roll, rolls:   mean and slope of twist
//! ```

use super::constants;
use super::edges::{Ahead, Geometry};
use super::emit::Target;
use super::gather::{
    self, ABOVE, BELOW, COUPLING, COUPLING_BELOW, DIAGONAL, ENTRIES, MixedCarry, Pairs, PositionsCarry, Row, SymmetricCarry, TWIST,
};
use super::lanes::*;
use super::stretch::{Factors, Given, GivenRod, Stretch};
use super::tables::{BlockTable, EDGE_PAIRS, PointTable};
use super::twist::Twist;
use crate::rod::spline::layout::{POINTS, blocks};
use crate::rod::spline::{Linearisation, SplineRod};

/// What a quadrature point contributes to the matrix.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Rows {
    /// √k v_k
    v: [V3; 3],
    /// √k α_k
    alpha: [V; 3],
    /// W: entries (0,0), (1,1), (2,2), (0,1), (0,2), (1,2).
    w: [V; 6],
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
    stretch: Stretch,
    twist: Twist,
    rows: [Rows; POINTS],
    gradient: Gradient,
    pairs: Pairs,
    carry: Carry,
    out: [Row; 16],
}

/// What the next block needs.
#[repr(C, align(64))]
struct Carry {
    positions: PositionsCarry,
    coupling: [MixedCarry; 3],
    twist: SymmetricCarry,
    gradient: [[V; 3]; 4],
}

impl Buffer {
    #[target_feature(enable = "avx2,fma")]
    fn zero() -> Self {
        let z = [zero(); 3];
        let rows = Rows { v: [z; 3], alpha: z, w: [zero(); 6] };
        let carry = Carry { positions: PositionsCarry::zero(), coupling: [[zero(); 9]; 3], twist: [zero(); 6], gradient: [z; 4] };
        Self {
            ahead: Ahead::zero(),
            stretch: Stretch::zero(),
            twist: Twist::zero(),
            rows: [rows; POINTS],
            gradient: Gradient { x: [z; 3], theta: z },
            pairs: [[zero(); ENTRIES]; 6],
            carry,
            out: [[zero(); 4]; 16],
        }
    }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn linearise(rod: &SplineRod, q: &[[f64; 4]], frames: &[f64], how: &Linearisation<'_>, target: &mut Target<'_>) {
    let rod_given = GivenRod::new(rod, frames, how);
    let factors = Factors::new(how);
    let count = blocks(rod.segments);
    let mut b = Buffer::zero();
    b.ahead.look(rod, q, 0, rod_given.tables.of(0));
    for block in 0..target.blocks() {
        if block < count {
            let given = rod_given.block(block);
            b.stretch = Stretch::new(&given, &b.ahead, &factors);
            b.twist = Twist::new::<true>(&given, &b.ahead, &factors);
            points(&given, &b.ahead, &b.stretch, &b.twist, &mut b.rows, &mut b.gradient);
            if block + 1 < count {
                b.ahead.look(rod, q, block + 1, rod_given.tables.of(block + 1));
            }
            for (pair, &(k, l)) in EDGE_PAIRS.iter().enumerate() {
                if k == l {
                    positions::<true>(given.table, &b.stretch, &b.twist, &b.rows, pair, k, l, &mut b.pairs[pair]);
                } else {
                    positions::<false>(given.table, &b.stretch, &b.twist, &b.rows, pair, k, l, &mut b.pairs[pair]);
                }
                couplings(&b.twist, k, l, &mut b.pairs[pair]);
            }
        } else {
            b.pairs = [[zero(); ENTRIES]; 6];
            b.gradient = Gradient { x: [[zero(); 3]; 3], theta: [zero(); 3] };
        }
        let gradient = gather(&b.pairs, &b.gradient, &mut b.carry, &mut b.out);
        target.emit(block, &mut b.out, gradient);
    }
}

/// Rows and gradient of the quadrature points.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn points(given: &Given<'_>, ahead: &Ahead, stretch: &Stretch, twist: &Twist, rows: &mut [Rows; POINTS], gradient: &mut Gradient) {
    *gradient = Gradient { x: [[zero(); 3]; 3], theta: [zero(); 3] };
    for g in 0..POINTS {
        let (table, constants) = (&given.table.points[g], &given.constants[g]);
        let stress = Stress {
            root: load(&constants[constants::ROOT_1]),
            torque: twist.torque[g],
            b: twist.b[g],
            force: stretch.force[g],
            across: stretch.across[g],
        };
        point(table, &ahead.points[g], &stress, &mut rows[g], gradient);
    }
}

/// What a quadrature point knows besides its geometry: √k, of twist w M_t and b, of stretch w N and w N⁺/L.
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
fn point(table: &PointTable, point: &Geometry, stress: &Stress, rows: &mut Rows, gradient: &mut Gradient) {
    let Geometry { l, inverse_l, t, kappa, c_l } = *point;
    let Stress { root, torque, b, force, across } = *stress;
    let root_l = mul(root, inverse_l);
    let beta = three!(|K| load(&table.beta[K]));
    let alpha = three!(|K| mul(fnma(beta[K], c_l, load(&table.dbeta[K])), root_l));
    let kappa_l = scale(root_l, kappa);
    rows.alpha = alpha;
    rows.v = three!(|K| three!(|I| fma(alpha[K], t[I], mul(beta[K], kappa_l[I]))));

    // k κ·κ/L²
    let bent = dot(kappa_l, kappa_l);
    let wb = scale(neg(mul(root_l, root_l)), b);
    let wt = scale(neg(across), t);
    let wi = add(bent, across);
    rows.w = [
        fma(wb[0], b[0], fma(wt[0], t[0], wi)),
        fma(wb[1], b[1], fma(wt[1], t[1], wi)),
        fma(wb[2], b[2], fma(wt[2], t[2], wi)),
        fma(wb[0], b[1], mul(wt[0], t[1])),
        fma(wb[0], b[2], mul(wt[0], t[2])),
        fma(wb[1], b[2], mul(wt[1], t[2])),
    ];

    let moment = scale(root, kappa);
    let z = scale_add(mul(torque, inverse_l), b, scale(fnma(bent, l, force), t));
    gradient.x = three!(|K| scale_add(beta[K], z, scale_add(alpha[K], moment, gradient.x[K])));
    gradient.theta = three!(|K| fma(beta[K], torque, gradient.theta[K]));
}

/// Sums of the positions of a pair of edges (k, l) over the quadrature points; the same edge twice has no entries below.
///
/// The stages are functions that are called, for every pair and entry: so few instructions stay decoded, and the sums of
/// one call fit into the registers.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
#[expect(clippy::too_many_arguments, reason = "what a pair is summed from")]
fn positions<const SAME: bool>(
    table: &BlockTable,
    stretch: &Stretch,
    twist: &Twist,
    rows: &[Rows; POINTS],
    pair: usize,
    k: usize,
    l: usize,
    out: &mut [V; ENTRIES],
) {
    let (rk, rl) = (&stretch.mean_row[k], &stretch.mean_row[l]);
    let mut identity = zero();
    let (sk, sl) = (&stretch.slope_row[k], &stretch.slope_row[l]);
    let (tk, tl) = (&twist.mean_row[k], &twist.mean_row[l]);
    let (uk, ul) = (&twist.slope_row[k], &twist.slope_row[l]);
    let squares = |i: usize, j: usize| fma(uk[i], ul[j], fma(tk[i], tl[j], fma(sk[i], sl[j], mul(rk[i], rl[j]))));
    let mut diagonal = [squares(0, 0), squares(1, 1), squares(2, 2)];
    let mut above = [squares(0, 1), squares(0, 2), squares(1, 2)];
    let mut below = [squares(1, 0), squares(2, 0), squares(2, 1)];
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
