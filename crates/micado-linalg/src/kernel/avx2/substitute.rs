//! Substitution and products with the matrix.
//!
//! Loops here run over slots and not over chained iterators: an adapter that is not inlined loses the
//! vectors' registers.

use super::*;
use crate::block::Aligned;
use crate::kernel::Survey;
use crate::matrix::BlockMatrix;
use crate::symbolic::Symbolic;

/// b − Xᵀ v.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn minus_transposed_image(b: __m256d, x: &Block, v: Rows) -> __m256d {
    let x = load(x);
    // Two short chains instead of a long one: the next position waits for this sum.
    let near = _mm256_fnmadd_pd(x[1], v[1], _mm256_fnmadd_pd(x[0], v[0], b));
    let far = _mm256_fmadd_pd(x[3], v[3], _mm256_mul_pd(x[2], v[2]));
    _mm256_sub_pd(near, far)
}

/// Each entry of v in all four lanes.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn spread(v: __m256d) -> Rows {
    [
        _mm256_permute4x64_pd::<0x00>(v),
        _mm256_permute4x64_pd::<0x55>(v),
        _mm256_permute4x64_pd::<0xAA>(v),
        _mm256_permute4x64_pd::<0xFF>(v),
    ]
}

/// b_j ← b_j − X_kjᵀ b_k of all positions.
#[target_feature(enable = "avx2,fma")]
pub(in crate::kernel) fn forward_all(plan: &Symbolic, blocks: &[Aligned], b: &mut [[f64; 4]]) {
    let mut k = 0;
    for run in &plan.runs {
        forward(plan, blocks, b, k..run.start as usize);
        forward_banded(plan, blocks, b, run.start as usize..run.end as usize);
        k = run.end as usize;
    }
    forward(plan, blocks, b, k..plan.nodes());
}

/// x_k = D_k⁻¹ b_k − Σ X_kj x_j of all positions.
#[target_feature(enable = "avx2,fma")]
pub(in crate::kernel) fn backward_all(plan: &Symbolic, blocks: &[Aligned], b: &mut [[f64; 4]]) {
    let mut k = plan.nodes();
    for run in plan.runs.iter().rev() {
        backward(plan, blocks, b, run.end as usize..k);
        backward_banded(plan, blocks, b, run.start as usize..run.end as usize);
        k = run.start as usize;
    }
    backward(plan, blocks, b, 0..k);
}

type Range = std::ops::Range<usize>;

#[target_feature(enable = "avx2,fma")]
fn forward(plan: &Symbolic, blocks: &[Aligned], b: &mut [[f64; 4]], positions: Range) {
    for k in positions {
        forward_from(plan, blocks, b, k);
    }
}

/// Forward substitution of one position.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn forward_from(plan: &Symbolic, blocks: &[Aligned], b: &mut [[f64; 4]], k: usize) {
    let v = spread(load4(&b[k]));
    let row = plan.row(k);
    for (&column, block) in plan.columns[row.start + 1..row.end].iter().zip(&blocks[row.start + 1..row.end]) {
        let bj = &mut b[column as usize];
        store4(bj, minus_transposed_image(load4(bj), &block.0, v));
    }
}

/// Positions of structure {k+1, k+2, k+3}: the three ahead stay in registers.
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
pub(super) fn forward_banded(plan: &Symbolic, blocks: &[Aligned], b: &mut [[f64; 4]], positions: Range) {
    let (rows, b) = banded(plan, blocks, b, positions);
    let (mut b0, mut b1, mut b2) = (load4(&b[0]), load4(&b[1]), load4(&b[2]));
    for (k, row) in rows.iter().enumerate() {
        store4(&mut b[k], b0);
        let v = spread(b0);
        let b3 = load4(&b[k + 3]);
        b0 = minus_transposed_image(b1, &row[1].0, v);
        b1 = minus_transposed_image(b2, &row[2].0, v);
        b2 = minus_transposed_image(b3, &row[3].0, v);
    }
    let n = rows.len();
    store4(&mut b[n], b0);
    store4(&mut b[n + 1], b1);
    store4(&mut b[n + 2], b2);
}

/// The factor's rows of a banded run, four blocks each, and the entries of b that it meets.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn banded<'a, 'b>(
    plan: &Symbolic,
    blocks: &'a [Aligned],
    b: &'b mut [[f64; 4]],
    positions: Range,
) -> (&'a [[Aligned; 4]], &'b mut [[f64; 4]]) {
    let first = plan.rows[positions.start] as usize;
    let rows = blocks[first..first + 4 * positions.len()].as_chunks::<4>().0;
    (rows, &mut b[positions.start..positions.end + 3])
}

/// Lane by lane products of the rows of B with v.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn lanes(b: &Block, v: __m256d) -> Rows {
    let b = load(b);
    four!(|I| _mm256_mul_pd(b[I], v))
}

/// t less the lane by lane products of the rows of B with v.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn minus_lanes(t: Rows, b: &Block, v: __m256d) -> Rows {
    let b = load(b);
    four!(|I| _mm256_fnmadd_pd(b[I], v, t[I]))
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn backward(plan: &Symbolic, blocks: &[Aligned], b: &mut [[f64; 4]], positions: Range) {
    for k in positions.rev() {
        let row = plan.row(k);
        let mut sums = lanes(&blocks[row.start].0, load4(&b[k]));
        let mut slot = row.end - 1;
        while slot > row.start {
            sums = minus_lanes(sums, &blocks[slot].0, load4(&b[plan.columns[slot] as usize]));
            slot -= 1;
        }
        store4(&mut b[k], row_sums(sums));
    }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn backward_banded(plan: &Symbolic, blocks: &[Aligned], b: &mut [[f64; 4]], positions: Range) {
    let (rows, b) = banded(plan, blocks, b, positions);
    let n = rows.len();
    let (mut x1, mut x2, mut x3) = (load4(&b[n]), load4(&b[n + 1]), load4(&b[n + 2]));
    for (k, row) in rows.iter().enumerate().rev() {
        // The nearest neighbour last: it is the one that has just become known.
        let sums = lanes(&row[0].0, load4(&b[k]));
        let sums = minus_lanes(sums, &row[3].0, x3);
        let sums = minus_lanes(sums, &row[2].0, x2);
        let sums = minus_lanes(sums, &row[1].0, x1);
        (x3, x2) = (x2, x1);
        x1 = row_sums(sums);
        store4(&mut b[k], x1);
    }
}

/// Solves for four right sides and the positions of a component; those before `first` are zero in the forward
/// pass.
#[target_feature(enable = "avx2,fma")]
pub(in crate::kernel) fn solve_four(
    plan: &Symbolic,
    blocks: &[Aligned],
    b: &mut [Aligned],
    range: Range,
    first: usize,
) {
    let start = range.start;
    for k in first..range.end {
        let bk = load(&b[k - start].0);
        let row = plan.row(k);
        for slot in row.start + 1..row.end {
            let bj = &mut b[plan.columns[slot] as usize - start].0;
            store(bj, minus_transposed_product(load(bj), &blocks[slot].0, bk));
        }
    }
    for k in range.rev() {
        let row = plan.row(k);
        let mut xk = product(&blocks[row.start].0, load(&b[k - start].0));
        let mut slot = row.end - 1;
        while slot > row.start {
            xk = minus_product(xk, &blocks[slot].0, load(&b[plan.columns[slot] as usize - start].0));
            slot -= 1;
        }
        store(&mut b[k - start].0, xk);
    }
}

/// y ← y ± A x, each stored block used for itself and for its transpose.
#[target_feature(enable = "avx2,fma")]
pub(in crate::kernel) fn accumulate<const MINUS: bool>(a: &BlockMatrix, x: &[[f64; 4]], y: &mut [[f64; 4]]) {
    let values = a.values();
    // −A x = A (−x).
    let sign = _mm256_set1_pd(if MINUS { -0.0 } else { 0.0 });
    for i in 0..a.nodes() {
        let (start, end) = (a.rows[i] as usize, a.rows[i + 1] as usize);
        let xi = _mm256_xor_pd(sign, load4(&x[i]));
        let spread = spread(xi);
        let mut sums = lanes(&values[start], xi);
        let mut slot = start;
        while slot + 1 < end {
            slot += 1;
            let (rows, j) = (load(&values[slot]), a.columns[slot] as usize);
            let xj = _mm256_xor_pd(sign, load4(&x[j]));
            sums = four!(|I| _mm256_fmadd_pd(rows[I], xj, sums[I]));
            let yj = &mut y[j];
            let near = _mm256_fmadd_pd(rows[1], spread[1], _mm256_mul_pd(rows[0], spread[0]));
            let far = _mm256_fmadd_pd(rows[3], spread[3], _mm256_mul_pd(rows[2], spread[2]));
            store4(yj, _mm256_add_pd(load4(yj), _mm256_add_pd(near, far)));
        }
        let yi = &mut y[i];
        store4(yi, _mm256_add_pd(load4(yi), row_sums(sums)));
    }
}

/// Counts, extremes and soundness of all entries.
#[target_feature(enable = "avx2,fma")]
pub(in crate::kernel) fn survey(v: &[[f64; 4]]) -> Survey {
    let sign = _mm256_set1_pd(-0.0);
    let mut negative = 0;
    let mut smallest = _mm256_set1_pd(f64::INFINITY);
    let mut largest = _mm256_setzero_pd();
    // 0 · ∞ and 0 · NaN are NaN, and stay in the sum.
    let mut poison = _mm256_setzero_pd();
    for entries in v {
        let entries = load4(entries);
        let size = _mm256_andnot_pd(sign, entries);
        negative += _mm256_movemask_pd(entries).count_ones() as usize;
        smallest = _mm256_min_pd(size, smallest);
        largest = _mm256_max_pd(size, largest);
        poison = _mm256_fmadd_pd(size, _mm256_setzero_pd(), poison);
    }
    let (mut s, mut l, mut p) = ([0.0; 4], [0.0; 4], [0.0; 4]);
    store4(&mut s, smallest);
    store4(&mut l, largest);
    store4(&mut p, poison);
    Survey {
        negative,
        smallest: s[0].min(s[1]).min(s[2].min(s[3])),
        largest: l[0].max(l[1]).max(l[2].max(l[3])),
        finite: p == [0.0; 4],
    }
}
