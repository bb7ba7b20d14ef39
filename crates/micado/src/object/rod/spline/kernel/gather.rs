//! From pairs of edges of each segment to pairs of control points of the rod.
//!
//! Lane i of a block stands for edge or control point i of the rod. Segment s holds pair (k, l) of the edges
//! s+k, s+l, so
//!
//! ```text
//! E_{i,i}   = P₀₀[i] + P₁₁[i−1] + P₂₂[i−2]
//! E_{i,i+1} = P₀₁[i] + P₁₂[i−1]
//! E_{i,i+2} = P₀₂[i]
//!
//! A_{i,i}   = E_{i,i} + (E_{i,i} − E_{i,i+1} − E_{i,i+1}ᵀ)[i−1]
//! A_{i,i+1} = E_{i,i+1} − E_{i,i} + (E_{i,i+1} − E_{i,i+2})[i−1]
//! A_{i,i+2} = E_{i,i+2} − E_{i,i+1} + E_{i,i+2}[i−1]
//! A_{i,i+3} = −E_{i,i+2}
//! ```
//!
//! with [i−1] by shifting lanes against the previous block, of which the shifted quantities are kept.

use super::lanes::*;

/// One entry of the four blocks of a row: columns i, i+1, i+2, i+3.
pub(super) type Row = [V; 4];

/// Contribution of a pair of edges: the entries named below, for each of [`super::tables::EDGE_PAIRS`].
pub(super) type Pairs = [[V; ENTRIES]; 6];
/// Number of entries.
pub(super) const ENTRIES: usize = 16;
/// Positions (0,0), (1,1), (2,2).
pub(super) const DIAGONAL: usize = 0;
/// Positions (0,1), (0,2), (1,2).
pub(super) const ABOVE: usize = 3;
/// Positions (1,0), (2,0), (2,1).
pub(super) const BELOW: usize = 6;
/// Positions and roll: (0,3), (1,3), (2,3).
pub(super) const COUPLING: usize = 9;
/// Roll and positions: (3,0), (3,1), (3,2).
pub(super) const COUPLING_BELOW: usize = COUPLING + BELOW - ABOVE;
/// Roll and roll.
pub(super) const TWIST: usize = 15;

/// Data of a symmetric entry for the next block.
pub(super) type SymmetricCarry = [V; 6];

/// An entry that is equal in a block and in its transpose.
///
/// Not inlined, like the other stages: the instructions of a block then stay decoded.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
pub(super) fn symmetric(p: &Pairs, entry: usize, carry: &mut SymmetricCarry, row: &mut Row) {
    let e0 = add(add(p[0][entry], shift_1(carry[0], p[1][entry])), shift_2(carry[1], p[2][entry]));
    let e1 = add(p[3][entry], shift_1(carry[2], p[4][entry]));
    let e2 = p[5][entry];
    let g = sub(e0, add(e1, e1));
    let h = sub(e1, e2);
    *row = [
        add(e0, shift_1(carry[3], g)),
        add(sub(e1, e0), shift_1(carry[4], h)),
        sub(shift_1(carry[5], e2), h),
        neg(e2),
    ];
    *carry = [p[1][entry], p[2][entry], p[4][entry], g, h, e2];
}

/// Data of two entries that transposition exchanges, for the next block.
pub(super) type MixedCarry = [V; 9];

/// An entry above the diagonal of a block, and the one below; the pairs (0,0), (1,1), (2,2) are the same in
/// both.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
pub(super) fn mixed(p: &Pairs, entry: usize, carry: &mut MixedCarry, [above, under]: [&mut Row; 2]) {
    let below = entry + BELOW - ABOVE;
    let e0 = add(add(p[0][entry], shift_1(carry[0], p[1][entry])), shift_2(carry[1], p[2][entry]));
    let e1 = add(p[3][entry], shift_1(carry[2], p[4][entry]));
    let f1 = add(p[3][below], shift_1(carry[3], p[4][below]));
    let (e2, f2) = (p[5][entry], p[5][below]);
    let g = sub(sub(e0, e1), f1);
    let (h, k) = (sub(e1, e2), sub(f1, f2));
    let diagonal = add(e0, shift_1(carry[4], g));
    *above = [diagonal, add(sub(e1, e0), shift_1(carry[5], h)), sub(shift_1(carry[7], e2), h), neg(e2)];
    *under = [diagonal, add(sub(f1, e0), shift_1(carry[6], k)), sub(shift_1(carry[8], f2), k), neg(f2)];
    *carry = [p[1][entry], p[2][entry], p[4][entry], p[4][below], g, h, k, e2, f2];
}

/// Gradient of the control points from that of the edges: G_{i−1} − G_i, G_i = G₀[i] + G₁[i−1] + G₂[i−2].
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn gradient(g: &[V; 3], carry: &mut [V; 3]) -> V {
    let edge = add(add(g[0], shift_1(carry[0], g[1])), shift_2(carry[1], g[2]));
    let node = sub(shift_1(carry[2], edge), edge);
    *carry = [g[1], g[2], edge];
    node
}

/// Sums of a quantity of control points: N₀[i] + N₁[i−1] + N₂[i−2] + N₃[i−3].
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn nodal(n: &[V; 4], carry: &mut [V; 3]) -> V {
    let sum = add(add(n[0], shift_1(carry[0], n[1])), add(shift_2(carry[1], n[2]), shift_3(carry[2], n[3])));
    *carry = [n[1], n[2], n[3]];
    sum
}

/// Data of a component of position with roll, for the next block.
pub(super) type CouplingCarry = [V; 9];

/// A component of the position of edge k with the roll of control point l, for all k and l: the entries (x,
/// θ) and (θ, x).
///
/// Position p of a segment is N_{p,l} = X_{p−1,l} − X_{p,l}; N_{p,l} belongs to the row min(p, l) segments
/// further on.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
pub(super) fn coupling(
    x: &[[V3; 4]; 3],
    component: usize,
    carry: &mut CouplingCarry,
    [above, below]: [&mut Row; 2],
) {
    let x = three!(|K| [x[K][0][component], x[K][1][component], x[K][2][component], x[K][3][component]]);
    let n0 = [neg(x[0][0]), neg(x[0][1]), neg(x[0][2]), neg(x[0][3])];
    let n1 = [sub(x[0][0], x[1][0]), sub(x[0][1], x[1][1]), sub(x[0][2], x[1][2]), sub(x[0][3], x[1][3])];
    let n2 = [sub(x[1][0], x[2][0]), sub(x[1][1], x[2][1]), sub(x[1][2], x[2][2]), sub(x[1][3], x[2][3])];
    let n3 = x[2];
    let own =
        add(add(n0[0], shift_1(carry[0], n1[1])), add(shift_2(carry[1], n2[2]), shift_3(carry[2], n3[3])));
    *above = [
        own,
        add(add(n0[1], shift_1(carry[3], n1[2])), shift_2(carry[4], n2[3])),
        add(n0[2], shift_1(carry[5], n1[3])),
        n0[3],
    ];
    *below = [
        own,
        add(add(n1[0], shift_1(carry[6], n2[1])), shift_2(carry[7], n3[2])),
        add(n2[0], shift_1(carry[8], n3[1])),
        n3[0],
    ];
    *carry = [n1[1], n2[2], n3[3], n1[2], n2[3], n1[3], n2[1], n3[2], n3[1]];
}

/// Rolls by pair of control points, in the order of [`super::tables::NODE_PAIRS`].
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn rolls(r: &[V; 10], carry: &mut [[V; 3]; 3]) -> Row {
    let row = [
        nodal(&[r[0], r[1], r[2], r[3]], &mut carry[0]),
        add(add(r[4], shift_1(carry[1][0], r[5])), shift_2(carry[1][1], r[6])),
        add(r[7], shift_1(carry[2][0], r[8])),
        r[9],
    ];
    carry[1] = [r[5], r[6], zero()];
    carry[2][0] = r[8];
    row
}

/// Data of the position entries for the next block.
#[repr(C, align(64))]
pub(super) struct PositionsCarry {
    diagonal: [SymmetricCarry; 3],
    mixed: [MixedCarry; 3],
}

impl PositionsCarry {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn new() -> Self {
        Self { diagonal: [[nothing(); 6]; 3], mixed: [[nothing(); 9]; 3] }
    }
}

/// Position entries of the rows of four control points.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn positions(p: &Pairs, carry: &mut PositionsCarry, rows: &mut [Row; 16]) {
    for i in 0..3 {
        symmetric(p, DIAGONAL + i, &mut carry.diagonal[i], &mut rows[5 * i]);
        let two = rows.get_disjoint_mut([[1, 2, 6][i], [4, 8, 9][i]]).expect("two entries");
        mixed(p, ABOVE + i, &mut carry.mixed[i], two);
    }
}
