//! Linearisation of any rod with natural twist: two bending stiffnesses, natural curvatures and twist,
//! viscosity.
//!
//! Positions in edges, θ in control points. With α_k = (β_k' − β_k t·r''/L)/L, k_a = w EI_a (1+ν)/j, y_a =
//! m_a·r''/L and b = t×r''/L = y₁m₂ − y₂m₁:
//!
//! ```text
//! rows:               s_{a,k} = √k_a (α_k m_a − β_k y_a t/L)   of edge k, the derivative of y_a
//! moments:            M_a = w EI_a (y_a/j − k_a⁰ + ν (y_a/j − k_a before))
//! gradient of edge k: α_k (M₁m₁ + M₂m₂) + β_k [w M_t b/L + (w N − (M₁y₁ + M₂y₂)/L) t]
//!          of roll i: b_i (M₁y₂ − M₂y₁) + b_i' w M_t
//! matrix of (k, l):   Σ_a s_{a,k} s_{a,l}ᵀ + β_kβ_l w N⁺/L (I − ttᵀ) + mean and slope of stretch and twist
//! edge k and roll i:  σ b_i [α_k (k₁y₂m₁ − k₂y₁m₂) − β_k (k₁−k₂) y₁y₂ t/L] + mean and slope of twist
//! rolls i and j:      σ b_ib_j (k₁y₂² + k₂y₁²) + mean and slope of twist
//! ```
//!
//! σ = 1, but ν/(1+ν) where the elastic part is isotropic and naturally straight: then only viscosity resists
//! spin. The exact second derivative has σ = 1, the positions of `exact.rs`, and
//!
//! ```text
//! edge k and roll i:  + b_i [α_k (M₁m₂ − M₂m₁) − β_k (M₁y₂ − M₂y₁) t/L]
//! rolls i and j:      − b_ib_j (M₁y₁ + M₂y₂)
//! ```

use super::constants;
use super::edges::{Ahead, Geometry, combine_scalar};
use super::emit::Target;
use super::exact::{self, Second, Stressed};
use super::frames::Present;
use super::gather::{self, ABOVE, BELOW, CouplingCarry, DIAGONAL, ENTRIES, Pairs, PositionsCarry, Row};
use super::lanes::*;
use super::sincos::sincos;
use super::stretch::{Factors, Given, GivenRod, Stretch};
use super::tables::{BlockTable, EDGE_PAIRS, NODE_PAIRS};
use super::twist::{Twist, relaxed, squares};
use crate::object::rod::Linearisation;
use crate::object::rod::spline::SplineRod;
use crate::object::rod::spline::layout::{POINTS, blocks, rest, strain};

/// Contribution of a quadrature point to the matrix.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Rows {
    /// s_{a,k}
    s: [[V3; 3]; 2],
    /// W: entries (0,0), (1,1), (2,2), (0,1), (0,2), (1,2).
    w: [V; 6],
    /// Edge k and b_i.
    spin_coupling: [V3; 3],
    /// σ (k₁y₂² + k₂y₁²)
    spin: V,
}

/// Gradient by edge for positions, by control point for roll.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Gradient {
    x: [V3; 3],
    theta: [V; 4],
}

/// Contributions of a block of segments, before they are gathered.
#[repr(C, align(64))]
struct Sums {
    positions: Pairs,
    /// Position of edge k, roll of control point i.
    coupling: [[V3; 4]; 3],
    /// Rolls by [`super::tables::NODE_PAIRS`].
    rolls: [V; 10],
    gradient: Gradient,
}

/// Data for the next block.
#[repr(C, align(64))]
struct Carry {
    positions: PositionsCarry,
    coupling: [CouplingCarry; 3],
    rolls: [[V; 3]; 3],
    gradient: [[V; 3]; 4],
}

/// The buffer of one block.
#[repr(C, align(64))]
struct Buffer {
    ahead: Ahead,
    frames: Present,
    sin_cos: [(V, V); POINTS],
    stretch: Stretch,
    twist: Twist,
    rows: [Rows; POINTS],
    sums: Sums,
    carry: Carry,
    out: [Row; 16],
}

impl Sums {
    #[target_feature(enable = "avx2,fma")]
    fn all(value: V) -> Self {
        let z = [value; 3];
        let gradient = Gradient { x: [z; 3], theta: [value; 4] };
        Self { positions: [[value; ENTRIES]; 6], coupling: [[z; 4]; 3], rolls: [value; 10], gradient }
    }
}

impl Buffer {
    /// Carries are zero, the rest is unset.
    #[target_feature(enable = "avx2,fma")]
    fn new() -> Self {
        let (z, u) = ([nothing(); 3], [unset(); 3]);
        let rows = Rows { s: [[u; 3]; 2], w: [unset(); 6], spin_coupling: [u; 3], spin: unset() };
        let carry = Carry {
            positions: PositionsCarry::new(),
            coupling: [[nothing(); 9]; 3],
            rolls: [z; 3],
            gradient: [z; 4],
        };
        Self {
            ahead: Ahead::new(),
            frames: Present::new(),
            sin_cos: [(unset(), unset()); POINTS],
            stretch: Stretch::unset(),
            twist: Twist::unset(),
            rows: [rows; POINTS],
            sums: Sums::all(unset()),
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
    let sigma = if rod.isotropic_straight && !factors.exact { factors.spin } else { splat(1.0) };
    let count = blocks(rod.segments);
    let mut b = Buffer::new();
    let mut second = [Second::unset(); POINTS];
    look_ahead(rod, q, 0, rod_given.tables.of(0), &mut b);
    for block in 0..target.blocks() {
        if block < count {
            let given = rod_given.block(block);
            let table = given.table;
            b.stretch.fill(&given, &b.ahead, &factors);
            b.frames.fill::<true>(&rod_given, &given, &b.ahead);
            b.twist.fill::<false>(&given, &b.ahead, &b.frames, &factors);
            points(&given, &factors, sigma, &mut b, &mut second);
            if block + 1 < count {
                look_ahead(rod, q, block + 1, rod_given.tables.of(block + 1), &mut b);
            }
            for (pair, &(k, l)) in EDGE_PAIRS.iter().enumerate() {
                let (stretch, twist, out) = (&b.stretch, &b.twist, &mut b.sums.positions[pair]);
                match (factors.exact, k == l) {
                    (false, true) => positions::<true>(table, stretch, twist, &b.rows, pair, out),
                    (false, false) => positions::<false>(table, stretch, twist, &b.rows, pair, out),
                    (true, true) => exact::positions::<true>(table, stretch, twist, &second, pair, out),
                    (true, false) => exact::positions::<false>(table, stretch, twist, &second, pair, out),
                }
            }
            let by_node = [of_nodes(&b.twist.mean_roll), of_nodes(&b.twist.slope_roll)];
            for k in 0..3 {
                coupling(table, &b.rows, &b.twist, &by_node, k, &mut b.sums.coupling[k]);
            }
            rolls(table, &b.rows, &by_node, &mut b.sums.rolls);
        } else {
            b.sums = Sums::all(nothing());
        }
        let gradient = gather(&b.sums, &mut b.carry, &mut b.out);
        target.emit(block, &mut b.out, gradient);
    }
    b.frames.report(&rod_given);
}

/// First data of a block.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn look_ahead(rod: &SplineRod, q: &[[f64; 4]], block: usize, table: &BlockTable, b: &mut Buffer) {
    b.ahead.look(rod, q, block, table);
    let edges = &b.ahead.edges;
    for (sin_cos, point) in b.sin_cos.iter_mut().zip(&table.points) {
        *sin_cos = sincos(combine_scalar(&point.gamma, &edges.theta, edges.theta_0));
    }
}

/// Rows and gradient of the quadrature points.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn points(given: &Given<'_>, factors: &Factors, sigma: V, b: &mut Buffer, second: &mut [Second; POINTS]) {
    b.sums.gradient = Gradient { x: [[zero(); 3]; 3], theta: [zero(); 4] };
    for g in 0..POINTS {
        let present = AtPoint {
            g,
            point: &b.ahead.points[g],
            a1: b.frames.a1[g],
            sin_cos: b.sin_cos[g],
            stretch: &b.stretch,
            twist: &b.twist,
        };
        let (rows, gradient) = (&mut b.rows[g], &mut b.sums.gradient);
        point(given, &present, factors, sigma, rows, &mut second[g], gradient);
    }
}

/// Data of a quadrature point before its strains.
struct AtPoint<'a> {
    g: usize,
    point: &'a Geometry,
    a1: V3,
    sin_cos: (V, V),
    stretch: &'a Stretch,
    twist: &'a Twist,
}

/// Rows and gradient of a quadrature point.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn point(
    given: &Given<'_>,
    present: &AtPoint<'_>,
    f: &Factors,
    sigma: V,
    rows: &mut Rows,
    second: &mut Second,
    gradient: &mut Gradient,
) {
    let AtPoint { g, point, a1, sin_cos: (sin, cos), stretch, twist } = *present;
    let Geometry { inverse_l, t, kappa, c_l, .. } = *point;
    let (table, constants) = (&given.table.points[g], &given.constants[g]);

    // Directors and strains.
    let a2 = cross(t, a1);
    let m1 = three!(|I| fma(cos, a1[I], mul(sin, a2[I])));
    let m2 = three!(|I| fms(cos, a2[I], mul(sin, a1[I])));
    let y1 = dot(m1, kappa);
    let y2 = dot(m2, kappa);
    let beta = three!(|K| load(&table.beta[K]));
    let alpha = three!(|K| mul(fnma(beta[K], c_l, load(&table.dbeta[K])), inverse_l));

    // Stiffnesses and moments.
    let (root_1, root_2) = (load(&constants[constants::ROOT_1]), load(&constants[constants::ROOT_2]));
    let (ei1, ei2) = (mul(root_1, root_1), mul(root_2, root_2));
    let moment_1 = mul(ei1, fms(f.present, y1, relaxed(given, g, rest::K1, strain::K1, f.viscosity)));
    let moment_2 = mul(ei2, fms(f.present, y2, relaxed(given, g, rest::K2, strain::K2, f.viscosity)));
    let (k1, k2) = (mul(ei1, f.viscous), mul(ei2, f.viscous));
    let (torque, b) = (twist.torque[g], twist.b[g]);

    let moment = three!(|I| fma(moment_1, m1[I], mul(moment_2, m2[I])));
    let work = fma(moment_1, y1, mul(moment_2, y2));
    let along = fnma(work, inverse_l, stretch.force[g]);
    let z = scale_add(mul(torque, inverse_l), b, scale(along, t));
    gradient.x = three!(|K| scale_add(beta[K], z, scale_add(alpha[K], moment, gradient.x[K])));
    let spin = fms(moment_1, y2, mul(moment_2, y1));
    let [g0, g1, g2, g3] = gradient.theta;
    gradient.theta = [
        fma(load(&table.b[0]), spin, fma(load(&table.db[0]), torque, g0)),
        fma(load(&table.b[1]), spin, fma(load(&table.db[1]), torque, g1)),
        fma(load(&table.b[2]), spin, fma(load(&table.db[2]), torque, g2)),
        fma(load(&table.b[3]), spin, fma(load(&table.db[3]), torque, g3)),
    ];

    let across = stretch.across[g];
    if f.exact {
        second.alpha = alpha;
        let (s1, s2) = (mul(k1, y1), mul(k2, y2));
        let stiff = three!(|I| fma(s1, m1[I], mul(s2, m2[I])));
        let square = fma(s1, y1, mul(s2, y2));
        second.fill(point, &Stressed { moment, stiff, square, torque, b, across });
        let (n1, n2) = (scale(k1, m1), scale(k2, m2));
        second.z = [
            fma(n1[0], m1[0], mul(n2[0], m2[0])),
            fma(n1[1], m1[1], mul(n2[1], m2[1])),
            fma(n1[2], m1[2], mul(n2[2], m2[2])),
            fma(n1[0], m1[1], mul(n2[0], m2[1])),
            fma(n1[0], m1[2], mul(n2[0], m2[2])),
            fma(n1[1], m1[2], mul(n2[1], m2[2])),
        ];
    } else {
        // s_{a,k}
        let (root_1, root_2) = (mul(root_1, f.viscous_root), mul(root_2, f.viscous_root));
        let (n1, n2) = (scale(root_1, m1), scale(root_2, m2));
        let (u1, u2) = (scale(mul(mul(root_1, y1), inverse_l), t), scale(mul(mul(root_2, y2), inverse_l), t));
        rows.s[0] = three!(|K| three!(|I| fms(alpha[K], n1[I], mul(beta[K], u1[I]))));
        rows.s[1] = three!(|K| three!(|I| fms(alpha[K], n2[I], mul(beta[K], u2[I]))));

        // W
        let wt = scale(neg(across), t);
        rows.w = [
            fma(wt[0], t[0], across),
            fma(wt[1], t[1], across),
            fma(wt[2], t[2], across),
            mul(wt[0], t[1]),
            mul(wt[0], t[2]),
            mul(wt[1], t[2]),
        ];
    }

    // Couplings to roll.
    let (s1, s2) = (mul(mul(sigma, k1), y2), mul(mul(sigma, k2), y1));
    let mut normal = three!(|I| fms(s1, m1[I], mul(s2, m2[I])));
    let mut tangential = fms(s1, y1, mul(s2, y2));
    rows.spin = fma(s1, y2, mul(s2, y1));
    if f.exact {
        normal = three!(|I| fma(moment_1, m2[I], fnma(moment_2, m1[I], normal[I])));
        tangential = add(tangential, spin);
        rows.spin = sub(rows.spin, work);
    }
    let tangential = scale(mul(tangential, inverse_l), t);
    rows.spin_coupling = three!(|K| three!(|I| fms(alpha[K], normal[I], mul(beta[K], tangential[I]))));
}

/// Sums of the positions of a pair of edges (k, l) of [`EDGE_PAIRS`] over the quadrature points; the same
/// edge twice has no entries below.
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
    let [mut diagonal, mut above, mut below] = squares(stretch, twist, k, l);
    three!(|G| {
        let beta_beta = load(&table.points[G].beta_beta[pair]);
        let Rows { s: [s1, s2], w, .. } = &rows[G];
        let (a, b) = ((&s1[k], &s1[l]), (&s2[k], &s2[l]));
        diagonal = three!(|I| fma(a.0[I], a.1[I], fma(b.0[I], b.1[I], fma(beta_beta, w[I], diagonal[I]))));
        above = [
            fma(a.0[0], a.1[1], fma(b.0[0], b.1[1], fma(beta_beta, w[3], above[0]))),
            fma(a.0[0], a.1[2], fma(b.0[0], b.1[2], fma(beta_beta, w[4], above[1]))),
            fma(a.0[1], a.1[2], fma(b.0[1], b.1[2], fma(beta_beta, w[5], above[2]))),
        ];
        if !SAME {
            below = [
                fma(a.0[1], a.1[0], fma(b.0[1], b.1[0], fma(beta_beta, w[3], below[0]))),
                fma(a.0[2], a.1[0], fma(b.0[2], b.1[0], fma(beta_beta, w[4], below[1]))),
                fma(a.0[2], a.1[1], fma(b.0[2], b.1[1], fma(beta_beta, w[5], below[2]))),
            ];
        }
    });
    three!(|I| {
        out[DIAGONAL + I] = diagonal[I];
        out[ABOVE + I] = above[I];
        if !SAME {
            out[BELOW + I] = below[I];
        }
    });
}

/// Rolls of the four control points from those of the three edges: b_i' = β_{i−1} − β_i.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn of_nodes(edges: &[V; 3]) -> [V; 4] {
    [neg(edges[0]), sub(edges[0], edges[1]), sub(edges[1], edges[2]), edges[2]]
}

/// Position of edge k with the rolls of the four control points; mean and slope of twist by control point are
/// given.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn coupling(
    table: &BlockTable,
    rows: &[Rows; POINTS],
    twist: &Twist,
    [mean, slope]: &[[V; 4]; 2],
    k: usize,
    out: &mut [V3; 4],
) {
    let (t, u) = (twist.mean_row[k], twist.slope_row[k]);
    let mut x = [
        scale_add(slope[0], u, scale(mean[0], t)),
        scale_add(slope[1], u, scale(mean[1], t)),
        scale_add(slope[2], u, scale(mean[2], t)),
        scale_add(slope[3], u, scale(mean[3], t)),
    ];
    three!(|G| {
        let (b, spin) = (&table.points[G].b, rows[G].spin_coupling[k]);
        x = [
            scale_add(load(&b[0]), spin, x[0]),
            scale_add(load(&b[1]), spin, x[1]),
            scale_add(load(&b[2]), spin, x[2]),
            scale_add(load(&b[3]), spin, x[3]),
        ];
    });
    *out = x;
}

/// Rolls with rolls.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn rolls(table: &BlockTable, rows: &[Rows; POINTS], [mean, slope]: &[[V; 4]; 2], out: &mut [V; 10]) {
    for ((pair, out), (i, j)) in out.iter_mut().enumerate().zip(NODE_PAIRS) {
        let mut roll = fma(slope[i], slope[j], mul(mean[i], mean[j]));
        three!(|G| roll = fma(load(&table.points[G].b_b[pair]), rows[G].spin, roll));
        *out = roll;
    }
}

/// Rows of four control points, and their gradient.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn gather(sums: &Sums, carry: &mut Carry, out: &mut [Row; 16]) -> [V; 4] {
    gather::positions(&sums.positions, &mut carry.positions, out);
    for i in 0..3 {
        let two = out.get_disjoint_mut([4 * i + 3, 12 + i]).expect("two entries");
        gather::coupling(&sums.coupling, i, &mut carry.coupling[i], two);
    }
    out[15] = gather::rolls(&sums.rolls, &mut carry.rolls);
    let x = &sums.gradient.x;
    let c = &mut carry.gradient;
    [
        gather::gradient(&[x[0][0], x[1][0], x[2][0]], &mut c[0]),
        gather::gradient(&[x[0][1], x[1][1], x[2][1]], &mut c[1]),
        gather::gradient(&[x[0][2], x[1][2], x[2][2]], &mut c[2]),
        gather::nodal(&sums.gradient.theta, &mut c[3]),
    ]
}
