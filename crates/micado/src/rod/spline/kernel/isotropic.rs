//! Linearisation of an isotropic, naturally straight and untwisted rod without viscosity: no directors, θ in edges too.
//!
//! With κ = (r'' − (t·r'')t)/L, b = t×κ, α_k = (β_k' − β_k t·r''/L)/L, k = w EI/j, T = θ' + τ_ref and v_k = α_k t + β_k κ/L,
//! the sums over any two directors across t become
//!
//! ```text
//! gradient of edge k:  α_k kκ + β_k [M_t b/L + (w N − k κ·κ/L) t],   M_t = w GJ/j T;    of its roll: β_k M_t
//! matrix of (k, l):    k α_kα_l I − k v_l v_kᵀ + β_kβ_l W + mean stretch
//!                      W = (k κ·κ/L² + w N⁺/L) I + w (GJ − EI)/(j L²) bbᵀ + w (α EA/j − N⁺/L) ttᵀ
//! position and roll:   β_kβ_l w GJ/(j L) b;    rolls: β_kβ_l w GJ/j
//! ```

use super::edges::{Edges, Geometry, combine_scalar, edges, geometry};
use super::emit::Target;
use super::gather::{self, Pairs, Positions, PositionsCarry, Row, SymmetricCarry};
use super::lanes::*;
use super::stretch::{Factors, Rest, Stretch, by_block};
use super::tables::{BlockTable, PointTable, Tables};
use crate::rod::spline::layout::{POINTS, blocks, frame, rest};
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
    /// w GJ/(j L) b
    coupling: V3,
    /// w GJ/j
    twist: V,
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
    edges: Edges,
    points: [Geometry; POINTS],
    stretch: Stretch,
    rows: [Rows; POINTS],
    gradient: Gradient,
    positions: Positions,
    coupling: [Pairs; 3],
    twist: Pairs,
    positions_carry: PositionsCarry,
    coupling_carry: [SymmetricCarry; 3],
    twist_carry: SymmetricCarry,
    gradient_carry: [[V; 3]; 4],
    out: [Row; 16],
}

impl Buffer {
    #[target_feature(enable = "avx2,fma")]
    fn zero() -> Self {
        let z = [zero(); 3];
        let rows = Rows { v: [z; 3], alpha: z, w: [zero(); 6], coupling: z, twist: zero() };
        Self {
            edges: Edges { x: [z; 3], theta: z, theta_0: zero() },
            points: [Geometry::zero(); POINTS],
            stretch: Stretch::zero(),
            rows: [rows; POINTS],
            gradient: Gradient { x: [z; 3], theta: z },
            positions: Positions::zero(),
            coupling: [[zero(); 6]; 3],
            twist: [zero(); 6],
            positions_carry: PositionsCarry::zero(),
            coupling_carry: [[zero(); 6]; 3],
            twist_carry: [zero(); 6],
            gradient_carry: [z; 4],
            out: [[zero(); 4]; 16],
        }
    }
}

#[target_feature(enable = "avx2,fma")]
pub(super) fn linearise(rod: &SplineRod, q: &[[f64; 4]], frames: &[f64], how: &Linearisation<'_>, target: &mut Target<'_>) {
    let tables = Tables::new(rod.family, rod.segments);
    let factors = Factors::new(how);
    let (rest, frames) = (by_block::<{ rest::FIELDS }>(&rod.rest), by_block::<{ frame::FIELDS }>(frames));
    let mut b = Buffer::zero();
    for block in 0..target.blocks() {
        if block < blocks(rod.segments) {
            let table = tables.of(block);
            let (rest, frames) = (&rest[block], &frames[block]);
            b.edges = edges(rod, q, block);
            b.points = geometry(table, &b.edges);
            b.stretch = Stretch::new(rod, block, table, rest, None, &b.points, &factors);
            b.gradient = Gradient { x: [[zero(); 3]; 3], theta: [zero(); 3] };
            for g in 0..POINTS {
                let twist = combine_scalar(&table.points[g].beta, &b.edges.theta, load(&frames[g][frame::TAU]));
                point(&table.points[g], rest, g, &b.points[g], twist, &b.stretch, &mut b.rows[g], &mut b.gradient);
            }
            pairs(table, &mut b);
        } else {
            b.gradient = Gradient { x: [[zero(); 3]; 3], theta: [zero(); 3] };
            b.positions = Positions::zero();
            (b.coupling, b.twist) = ([[zero(); 6]; 3], [zero(); 6]);
        }
        let gradient = gather(&mut b);
        std::hint::black_box((&b, gradient));
    }
}

/// Rows and gradient of point `g`.
#[inline]
#[target_feature(enable = "avx2,fma")]
#[expect(clippy::too_many_arguments, reason = "a stage between buffers")]
fn point(
    table: &PointTable,
    rest: &Rest,
    g: usize,
    point: &Geometry,
    twist: V,
    stretch: &Stretch,
    rows: &mut Rows,
    gradient: &mut Gradient,
) {
    let Geometry { l, inverse_l, t, q } = *point;
    let per_j = mul(load(&table.weight), stretch.inverse_j[g]);
    let k = mul(per_j, load(&rest[g][rest::EI1]));
    let kt = mul(per_j, load(&rest[g][rest::GJ]));
    let root = sqrt(k);
    let root_l = mul(root, inverse_l);

    let c = dot(t, q);
    let kappa = scale(inverse_l, scale_sub(c, t, q));
    let b = cross(t, kappa);
    let c_l = mul(c, inverse_l);
    let beta = three!(|K| load(&table.beta[K]));
    let alpha = three!(|K| mul(fnma(beta[K], c_l, load(&table.dbeta[K])), root_l));
    let kappa_l = scale(root_l, kappa);
    rows.alpha = alpha;
    rows.v = three!(|K| three!(|I| fma(alpha[K], t[I], mul(beta[K], kappa_l[I]))));

    // k κ·κ/L²
    let bent = dot(kappa_l, kappa_l);
    let inverse_l2 = mul(inverse_l, inverse_l);
    let wb = scale(mul(sub(kt, k), inverse_l2), b);
    let wt = scale(sub(stretch.along[g], stretch.across[g]), t);
    let wi = add(bent, stretch.across[g]);
    rows.w = [
        fma(wb[0], b[0], fma(wt[0], t[0], wi)),
        fma(wb[1], b[1], fma(wt[1], t[1], wi)),
        fma(wb[2], b[2], fma(wt[2], t[2], wi)),
        fma(wb[0], b[1], mul(wt[0], t[1])),
        fma(wb[0], b[2], mul(wt[0], t[2])),
        fma(wb[1], b[2], mul(wt[1], t[2])),
    ];
    rows.coupling = scale(mul(kt, inverse_l), b);
    rows.twist = kt;

    let moment = scale(root, kappa);
    let mt = mul(kt, twist);
    let along = fnma(bent, l, stretch.force[g]);
    let z = scale_add(mul(mt, inverse_l), b, scale(along, t));
    gradient.x = three!(|K| scale_add(beta[K], z, scale_add(alpha[K], moment, gradient.x[K])));
    gradient.theta = three!(|K| fma(beta[K], mt, gradient.theta[K]));
}

/// Sums of pair `$pair` = (k, l) over the quadrature points. On the diagonal, k = l, the entries below are those above.
macro_rules! pair {
    ($table:ident, $b:ident, $pair:literal, $k:literal, $l:literal, $below:expr) => {{
        let (rk, rl) = (&$b.stretch.mean_row[$k], &$b.stretch.mean_row[$l]);
        let mut identity = zero();
        let mut diagonal = three!(|I| mul(rk[I], rl[I]));
        let mut above = [mul(rk[0], rl[1]), mul(rk[0], rl[2]), mul(rk[1], rl[2])];
        let mut below = [mul(rk[1], rl[0]), mul(rk[2], rl[0]), mul(rk[2], rl[1])];
        let mut coupling = [zero(); 3];
        let mut twist = zero();
        three!(|G| {
            let rows = &$b.rows[G];
            let (vk, vl) = (&rows.v[$k], &rows.v[$l]);
            let w = load(&$table.points[G].beta_beta[$pair]);
            identity = fma(rows.alpha[$k], rows.alpha[$l], identity);
            diagonal = three!(|I| fnma(vl[I], vk[I], fma(w, rows.w[I], diagonal[I])));
            above = [
                fnma(vl[0], vk[1], fma(w, rows.w[3], above[0])),
                fnma(vl[0], vk[2], fma(w, rows.w[4], above[1])),
                fnma(vl[1], vk[2], fma(w, rows.w[5], above[2])),
            ];
            if $k != $l {
                below = [
                    fnma(vl[1], vk[0], fma(w, rows.w[3], below[0])),
                    fnma(vl[2], vk[0], fma(w, rows.w[4], below[1])),
                    fnma(vl[2], vk[1], fma(w, rows.w[5], below[2])),
                ];
            }
            coupling = scale_add(w, rows.coupling, coupling);
            twist = fma(w, rows.twist, twist);
        });
        three!(|I| {
            $b.positions.diagonal[I][$pair] = add(diagonal[I], identity);
            $b.positions.above[I][$pair] = above[I];
            if $k != $l {
                $b.positions.below[I][$below] = below[I];
            }
            $b.coupling[I][$pair] = coupling[I];
        });
        $b.twist[$pair] = twist;
    }};
}

/// All pairs of edges of a block.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn pairs(table: &BlockTable, b: &mut Buffer) {
    pair!(table, b, 0, 0, 0, 0);
    pair!(table, b, 1, 1, 1, 0);
    pair!(table, b, 2, 2, 2, 0);
    pair!(table, b, 3, 0, 1, 0);
    pair!(table, b, 4, 1, 2, 1);
    pair!(table, b, 5, 0, 2, 2);
}

/// Rows of four control points, and their gradient.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn gather(b: &mut Buffer) -> [V; 4] {
    b.positions.gather(&mut b.positions_carry, &mut b.out);
    three!(|I| {
        let row = gather::symmetric(&b.coupling[I], &mut b.coupling_carry[I]);
        b.out[4 * I + 3] = row;
        b.out[12 + I] = row;
    });
    b.out[15] = gather::symmetric(&b.twist, &mut b.twist_carry);
    let x = &b.gradient.x;
    let carry = &mut b.gradient_carry;
    [
        gather::gradient(&[x[0][0], x[1][0], x[2][0]], &mut carry[0]),
        gather::gradient(&[x[0][1], x[1][1], x[2][1]], &mut carry[1]),
        gather::gradient(&[x[0][2], x[1][2], x[2][2]], &mut carry[2]),
        gather::gradient(&b.gradient.theta, &mut carry[3]),
    ]
}
