//! Linearisation of any rod with natural twist: two bending stiffnesses, natural curvatures and twist, viscosity.
//!
//! Positions in edges, θ in control points. With α_k = (β_k' − β_k t·r''/L)/L, k_a = w EI_a (1+ν)/j, y_a = m_a·r''/L and
//! b = t×r''/L = y₁m₂ − y₂m₁:
//!
//! ```text
//! rows:               s_{a,k} = √k_a (α_k m_a − β_k y_a t/L)                       of edge k, the derivative of y_a
//! moments:            M_a = w EI_a (y_a/j − k_a⁰ + ν (y_a/j − k_a before)),  M_t likewise from T = θ' + τ_ref
//! gradient of edge k: α_k (M₁m₁ + M₂m₂) + β_k [M_t b/L + (w N − (M₁y₁ + M₂y₂)/L) t]
//!          of roll i: b_i (M₁y₂ − M₂y₁) + b_i' M_t
//! matrix of (k, l):   Σ_a s_{a,k} s_{a,l}ᵀ + β_kβ_l W + mean stretch
//!                     W = w GJ (1+ν)/(j L²) bbᵀ + w α EA (1+ν)/j ttᵀ + w N⁺/L (I − ttᵀ)
//! edge k and roll i:  σ b_i [α_k (k₁y₂m₁ − k₂y₁m₂) − β_k (k₁−k₂) y₁y₂ t/L] + b_i' β_k w GJ (1+ν)/(j L) b
//! rolls i and j:      σ b_ib_j (k₁y₂² + k₂y₁²) + b_i'b_j' w GJ (1+ν)/j
//! ```
//!
//! σ = 1, but ν/(1+ν) where the elastic part is isotropic and naturally straight: spin then meets viscosity alone.

use super::edges::{Edges, Geometry, combine_scalar, edges, geometry};
use super::emit::Target;
use super::gather::{self, CouplingCarry, Positions, PositionsCarry, Row};
use super::lanes::*;
use super::sincos::sincos;
use super::stretch::{Before, Factors, Rest, Stretch, by_block};
use super::tables::{BlockTable, PointTable, Tables};
use crate::rod::spline::layout::{LANES, POINTS, blocks, frame, rest, strain};
use crate::rod::spline::{Linearisation, SplineRod};

/// Frames of the quadrature points of a block.
type Frames = [[[f64; LANES]; frame::FIELDS]; POINTS];

/// What a quadrature point contributes to the matrix.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Rows {
    /// s_{a,k}
    s: [[V3; 3]; 2],
    /// W: entries (0,0), (1,1), (2,2), (0,1), (0,2), (1,2).
    w: [V; 6],
    /// Edge k and b_i.
    spin_coupling: [V3; 3],
    /// Edge k and b_i'.
    twist_coupling: [V3; 3],
    /// σ (k₁y₂² + k₂y₁²)
    spin: V,
    /// w GJ (1+ν)/j
    twist: V,
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
    positions: Positions,
    /// Position of edge k, roll of control point i.
    coupling: [[V3; 4]; 3],
    /// Rolls by [`super::tables::NODE_PAIRS`].
    rolls: [V; 10],
    gradient: Gradient,
}

/// What the next block needs.
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
    edges: Edges,
    points: [Geometry; POINTS],
    stretch: Stretch,
    rows: [Rows; POINTS],
    sums: Sums,
    carry: Carry,
    out: [Row; 16],
}

impl Sums {
    #[target_feature(enable = "avx2,fma")]
    fn zero() -> Self {
        let z = [zero(); 3];
        let gradient = Gradient { x: [z; 3], theta: [zero(); 4] };
        Self { positions: Positions::zero(), coupling: [[z; 4]; 3], rolls: [zero(); 10], gradient }
    }
}

impl Buffer {
    #[target_feature(enable = "avx2,fma")]
    fn zero() -> Self {
        let z = [zero(); 3];
        let rows = Rows { s: [[z; 3]; 2], w: [zero(); 6], spin_coupling: [z; 3], twist_coupling: [z; 3], spin: zero(), twist: zero() };
        let carry =
            Carry { positions: PositionsCarry::zero(), coupling: [[zero(); 9]; 3], rolls: [z; 3], gradient: [z; 4] };
        Self {
            edges: Edges { x: [z; 3], theta: z, theta_0: zero() },
            points: [Geometry::zero(); POINTS],
            stretch: Stretch::zero(),
            rows: [rows; POINTS],
            sums: Sums::zero(),
            carry,
            out: [[zero(); 4]; 16],
        }
    }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn linearise(rod: &SplineRod, q: &[[f64; 4]], frames: &[f64], how: &Linearisation<'_>, target: &mut Target<'_>) {
    let tables = Tables::new(rod.family, rod.segments);
    let factors = Factors::new(how);
    let sigma = splat(if rod.isotropic_straight { how.viscosity / (1.0 + how.viscosity) } else { 1.0 });
    let (rest, frames) = (by_block::<{ rest::FIELDS }>(&rod.rest), by_block::<{ frame::FIELDS }>(frames));
    let before = how.strain_before.map(by_block::<{ strain::FIELDS }>);
    let mut b = Buffer::zero();
    for block in 0..target.blocks() {
        if block < blocks(rod.segments) {
            let table = tables.of(block);
            let before = before.map(|before| &before[block]);
            b.edges = edges(rod, q, block);
            b.points = geometry(table, &b.edges);
            b.stretch = Stretch::new(rod, block, table, &rest[block], before, &b.points, &factors);
            b.sums.gradient = Gradient { x: [[zero(); 3]; 3], theta: [zero(); 4] };
            for g in 0..POINTS {
                let constants = Constants { table: &table.points[g], rest: &rest[block], frames: &frames[block], before, g };
                point(&constants, &b.edges, &b.points[g], &b.stretch, &factors, sigma, &mut b.rows[g], &mut b.sums.gradient);
            }
            positions(table, &b.stretch, &b.rows, &mut b.sums.positions);
            couplings(table, &b.rows, &mut b.sums);
        } else {
            b.sums = Sums::zero();
        }
        let gradient = gather(&b.sums, &mut b.carry, &mut b.out);
        target.emit(block, &mut b.out, gradient);
    }
}

/// What is given at a quadrature point.
struct Constants<'a> {
    table: &'a PointTable,
    rest: &'a Rest,
    frames: &'a Frames,
    before: Option<&'a Before>,
    g: usize,
}

impl Constants<'_> {
    /// w times a stiffness.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn weighted(&self, field: usize) -> V {
        mul(load(&self.table.weight), load(&self.rest[self.g][field]))
    }

    /// Strain from which stress is counted: natural + ν before.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn relaxed(&self, natural: usize, field: usize, viscosity: V) -> V {
        let natural = load(&self.rest[self.g][natural]);
        match self.before {
            Some(before) => fma(viscosity, load(&before[self.g][field]), natural),
            None => natural,
        }
    }
}

/// Rows and gradient of a quadrature point.
#[inline]
#[target_feature(enable = "avx2,fma")]
#[expect(clippy::too_many_arguments, reason = "a stage between buffers")]
fn point(
    constants: &Constants<'_>,
    edges: &Edges,
    point: &Geometry,
    stretch: &Stretch,
    f: &Factors,
    sigma: V,
    rows: &mut Rows,
    gradient: &mut Gradient,
) {
    let Geometry { inverse_l, t, q, .. } = *point;
    let Constants { table, frames, g, .. } = *constants;
    let inverse_j = stretch.inverse_j[g];

    // Directors and strains.
    let theta = combine_scalar(&table.gamma, &edges.theta, edges.theta_0);
    let twist = combine_scalar(&table.beta, &edges.theta, load(&frames[g][frame::TAU]));
    let (sin, cos) = sincos(theta);
    let a1 = three!(|I| load(&frames[g][frame::A1 + I]));
    let a2 = cross(t, a1);
    let m1 = three!(|I| fma(cos, a1[I], mul(sin, a2[I])));
    let m2 = three!(|I| fms(cos, a2[I], mul(sin, a1[I])));
    let y1 = mul(dot(m1, q), inverse_l);
    let y2 = mul(dot(m2, q), inverse_l);
    let b = three!(|I| fms(y1, m2[I], mul(y2, m1[I])));
    let c_l = mul(dot(t, q), inverse_l);
    let beta = three!(|K| load(&table.beta[K]));
    let alpha = three!(|K| mul(fnma(beta[K], c_l, load(&table.dbeta[K])), inverse_l));

    // Stiffnesses and moments.
    let (ei1, ei2, gj) = (constants.weighted(rest::EI1), constants.weighted(rest::EI2), constants.weighted(rest::GJ));
    let (viscous_j, present_j) = (mul(f.viscous, inverse_j), mul(f.present, inverse_j));
    let (k1, k2, kt) = (mul(ei1, viscous_j), mul(ei2, viscous_j), mul(gj, viscous_j));
    let moment_1 = mul(ei1, fms(y1, present_j, constants.relaxed(rest::K1, strain::K1, f.viscosity)));
    let moment_2 = mul(ei2, fms(y2, present_j, constants.relaxed(rest::K2, strain::K2, f.viscosity)));
    let torque = mul(gj, fms(twist, present_j, constants.relaxed(rest::TAU, strain::TAU, f.viscosity)));

    let moment = three!(|I| fma(moment_1, m1[I], mul(moment_2, m2[I])));
    let along = fnma(fma(moment_1, y1, mul(moment_2, y2)), inverse_l, stretch.force[g]);
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

    // s_{a,k}
    let (root_1, root_2) = (sqrt(k1), sqrt(k2));
    let (n1, n2) = (scale(root_1, m1), scale(root_2, m2));
    let (u1, u2) = (scale(mul(mul(root_1, y1), inverse_l), t), scale(mul(mul(root_2, y2), inverse_l), t));
    rows.s[0] = three!(|K| three!(|I| fms(alpha[K], n1[I], mul(beta[K], u1[I]))));
    rows.s[1] = three!(|K| three!(|I| fms(alpha[K], n2[I], mul(beta[K], u2[I]))));

    // W
    let twist_l = scale(mul(kt, inverse_l), b);
    let wb = scale(inverse_l, twist_l);
    let wt = scale(sub(stretch.along[g], stretch.across[g]), t);
    let wi = stretch.across[g];
    rows.w = [
        fma(wb[0], b[0], fma(wt[0], t[0], wi)),
        fma(wb[1], b[1], fma(wt[1], t[1], wi)),
        fma(wb[2], b[2], fma(wt[2], t[2], wi)),
        fma(wb[0], b[1], mul(wt[0], t[1])),
        fma(wb[0], b[2], mul(wt[0], t[2])),
        fma(wb[1], b[2], mul(wt[1], t[2])),
    ];

    // Couplings to roll.
    let (s1, s2) = (mul(mul(sigma, k1), y2), mul(mul(sigma, k2), y1));
    let across = three!(|I| fms(s1, m1[I], mul(s2, m2[I])));
    let tangential = scale(mul(fms(s1, y1, mul(s2, y2)), inverse_l), t);
    rows.spin_coupling = three!(|K| three!(|I| fms(alpha[K], across[I], mul(beta[K], tangential[I]))));
    rows.twist_coupling = three!(|K| scale(beta[K], twist_l));
    rows.spin = fma(s1, y2, mul(s2, y1));
    rows.twist = kt;
}

/// Sums of pair `$pair` = (k, l) over the quadrature points. On the diagonal, k = l, the entries below are those above.
macro_rules! pair {
    ($table:ident, $stretch:ident, $rows:ident, $sums:ident, $pair:literal, $k:literal, $l:literal, $below:expr) => {{
        let (rk, rl) = (&$stretch.mean_row[$k], &$stretch.mean_row[$l]);
        let mut diagonal = three!(|I| mul(rk[I], rl[I]));
        let mut above = [mul(rk[0], rl[1]), mul(rk[0], rl[2]), mul(rk[1], rl[2])];
        let mut below = [mul(rk[1], rl[0]), mul(rk[2], rl[0]), mul(rk[2], rl[1])];
        three!(|G| {
            let w = load(&$table.points[G].beta_beta[$pair]);
            let rows = &$rows[G];
            let ([s1, s2], ww) = (&rows.s, &rows.w);
            let (a, b) = ((&s1[$k], &s1[$l]), (&s2[$k], &s2[$l]));
            diagonal = three!(|I| fma(a.0[I], a.1[I], fma(b.0[I], b.1[I], fma(w, ww[I], diagonal[I]))));
            above = [
                fma(a.0[0], a.1[1], fma(b.0[0], b.1[1], fma(w, ww[3], above[0]))),
                fma(a.0[0], a.1[2], fma(b.0[0], b.1[2], fma(w, ww[4], above[1]))),
                fma(a.0[1], a.1[2], fma(b.0[1], b.1[2], fma(w, ww[5], above[2]))),
            ];
            if $k != $l {
                below = [
                    fma(a.0[1], a.1[0], fma(b.0[1], b.1[0], fma(w, ww[3], below[0]))),
                    fma(a.0[2], a.1[0], fma(b.0[2], b.1[0], fma(w, ww[4], below[1]))),
                    fma(a.0[2], a.1[1], fma(b.0[2], b.1[1], fma(w, ww[5], below[2]))),
                ];
            }
        });
        three!(|I| {
            $sums.diagonal[I][$pair] = diagonal[I];
            $sums.above[I][$pair] = above[I];
            if $k != $l {
                $sums.below[I][$below] = below[I];
            }
        });
    }};
}

/// Pairs of positions.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn positions(table: &BlockTable, stretch: &Stretch, rows: &[Rows; POINTS], sums: &mut Positions) {
    pair!(table, stretch, rows, sums, 0, 0, 0, 0);
    pair!(table, stretch, rows, sums, 1, 1, 1, 0);
    pair!(table, stretch, rows, sums, 2, 2, 2, 0);
    pair!(table, stretch, rows, sums, 3, 0, 1, 0);
    pair!(table, stretch, rows, sums, 4, 1, 2, 1);
    pair!(table, stretch, rows, sums, 5, 0, 2, 2);
}

/// Positions with rolls, and rolls with rolls.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn couplings(table: &BlockTable, rows: &[Rows; POINTS], sums: &mut Sums) {
    three!(|K| {
        let mut x = [[zero(); 3]; 4];
        three!(|G| {
            let (b, db) = (&table.points[G].b, &table.points[G].db);
            let (spin, twist) = (&rows[G].spin_coupling[K], &rows[G].twist_coupling[K]);
            x = [
                scale_add(load(&b[0]), *spin, scale_add(load(&db[0]), *twist, x[0])),
                scale_add(load(&b[1]), *spin, scale_add(load(&db[1]), *twist, x[1])),
                scale_add(load(&b[2]), *spin, scale_add(load(&db[2]), *twist, x[2])),
                scale_add(load(&b[3]), *spin, scale_add(load(&db[3]), *twist, x[3])),
            ];
        });
        sums.coupling[K] = x;
    });
    for pair in 0..10 {
        let mut roll = zero();
        three!(|G| {
            let (b_b, db_db) = (load(&table.points[G].b_b[pair]), load(&table.points[G].db_db[pair]));
            roll = fma(b_b, rows[G].spin, fma(db_db, rows[G].twist, roll));
        });
        sums.rolls[pair] = roll;
    }
}

/// Rows of four control points, and their gradient.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn gather(sums: &Sums, carry: &mut Carry, out: &mut [Row; 16]) -> [V; 4] {
    sums.positions.gather(&mut carry.positions, out);
    three!(|I| {
        let (above, below) = gather::coupling(&three!(|K| {
            let x = &sums.coupling[K];
            [x[0][I], x[1][I], x[2][I], x[3][I]]
        }), &mut carry.coupling[I]);
        out[4 * I + 3] = above;
        out[12 + I] = below;
    });
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
