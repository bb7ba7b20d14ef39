//! Dense LU with row pivots for the small unsymmetric systems of constraint space: P A = L U.
//!
//! Columns are eliminated in panels of eight, and the rest is updated by `A ← A − L U` in tiles of four rows
//! and eight columns, which stay in registers.

use crate::dense_cholesky::{less, product};
use crate::kernel::Arithmetic;

/// Columns of a panel, and of a tile.
const WIDTH: usize = 8;
/// Rows of a tile.
const HEIGHT: usize = 4;

/// The LU factors of a dense matrix, in memory that is reused.
#[derive(Clone, Debug, Default)]
pub struct DenseLu {
    order: usize,
    /// Distance between the beginnings of two rows, in entries.
    stride: usize,
    /// By rows: first the matrix, then L below the diagonal, 1/U_kk on it and U above it.
    entries: Vec<f64>,
    /// Row that was exchanged with each row.
    exchanged: Vec<usize>,
}

impl DenseLu {
    /// Reserves memory for matrices up to this order.
    pub fn reserve(&mut self, order: usize) {
        let padded = order.next_multiple_of(WIDTH);
        self.entries.reserve(padded * padded);
        self.exchanged.reserve(order);
    }

    /// Starts a new matrix of zeros.
    pub fn begin(&mut self, order: usize) {
        (self.order, self.stride) = (order, order.next_multiple_of(WIDTH));
        self.entries.clear();
        self.entries.resize(self.stride * self.stride, 0.0);
    }

    /// A row of the matrix.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        let first = row * self.stride;
        &mut self.entries[first..first + self.order]
    }

    /// Factors the matrix in place. The unknown of a pivot that is zero will be zero.
    pub fn factorise(&mut self, arithmetic: Arithmetic) {
        self.exchanged.clear();
        #[cfg(target_arch = "x86_64")]
        if arithmetic.vectors() {
            // SAFETY: the processor has AVX2 and FMA.
            unsafe { self.factorise_in_vectors() };
            return;
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = arithmetic;
        self.eliminate::<false>();
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn factorise_in_vectors(&mut self) {
        self.eliminate::<true>();
    }

    #[inline(always)]
    fn eliminate<const FUSED: bool>(&mut self) {
        for first in (0..self.order).step_by(WIDTH) {
            let last = self.order.min(first + WIDTH);
            for k in first..last {
                self.finish_column::<FUSED>(k, last);
            }
            if last < self.order {
                self.finish_rows::<FUSED>(first, last);
                self.update_rest::<FUSED>(first, last);
            }
        }
    }

    /// Finds the pivot of column k, and eliminates the column from the rest of its panel.
    #[inline(always)]
    fn finish_column<const FUSED: bool>(&mut self, k: usize, last: usize) {
        let Self { order, stride, entries, exchanged } = self;
        let (n, stride) = (*order, *stride);
        let mut chosen = k;
        for i in k + 1..n {
            if entries[i * stride + k].abs() > entries[chosen * stride + k].abs() {
                chosen = i;
            }
        }
        exchanged.push(chosen);
        if chosen != k {
            let (above, below) = entries.split_at_mut(chosen * stride);
            above[k * stride..(k + 1) * stride].swap_with_slice(&mut below[..stride]);
        }
        let (above, below) = entries.split_at_mut((k + 1) * stride);
        let pivot = &mut above[k * stride..];
        let inverse = if pivot[k] == 0.0 { 0.0 } else { 1.0 / pivot[k] };
        pivot[k] = inverse;
        for row in below.chunks_exact_mut(stride).take(n - k - 1) {
            let factor = row[k] * inverse;
            row[k] = factor;
            for (entry, above) in row[k + 1..last].iter_mut().zip(&pivot[k + 1..last]) {
                *entry = less::<FUSED>(*entry, factor, *above);
            }
        }
    }

    /// Computes the rows of U right of a panel.
    #[inline(always)]
    fn finish_rows<const FUSED: bool>(&mut self, first: usize, last: usize) {
        let stride = self.stride;
        for k in first + 1..last {
            let (above, below) = self.entries.split_at_mut(k * stride);
            let (left, right) = below[..stride].split_at_mut(last);
            for (above, factor) in above[first * stride..].chunks_exact(stride).zip(&left[first..k]) {
                for (entry, above) in right.iter_mut().zip(&above[last..]) {
                    *entry = less::<FUSED>(*entry, *factor, *above);
                }
            }
        }
    }

    /// A ← A − L U below and right of a whole panel.
    #[inline(always)]
    fn update_rest<const FUSED: bool>(&mut self, first: usize, last: usize) {
        let stride = self.stride;
        let (above, below) = self.entries.split_at_mut(last * stride);
        let panel = &above[first * stride..];
        for column in (last..stride).step_by(WIDTH) {
            let mut right = [[0.0; WIDTH]; WIDTH];
            for (right, row) in right.iter_mut().zip(panel.chunks_exact(stride)) {
                right.copy_from_slice(&row[column..column + WIDTH]);
            }
            // Rows are padded to whole tiles.
            for tile in below.chunks_exact_mut(HEIGHT * stride) {
                let mut sums = [[0.0; WIDTH]; HEIGHT];
                for (sum, row) in sums.iter_mut().zip(tile.chunks_exact(stride)) {
                    sum.copy_from_slice(&row[column..column + WIDTH]);
                }
                for (k, right) in right.iter().enumerate() {
                    for (r, sum) in sums.iter_mut().enumerate() {
                        let left = tile[r * stride + first + k];
                        for (sum, right) in sum.iter_mut().zip(right) {
                            *sum = less::<FUSED>(*sum, left, *right);
                        }
                    }
                }
                for (sum, row) in sums.iter().zip(tile.chunks_exact_mut(stride)) {
                    row[column..column + WIDTH].copy_from_slice(sum);
                }
            }
        }
    }

    /// x ← A⁻¹ x.
    ///
    /// # Panics
    /// If x has another length than the matrix.
    pub fn solve(&self, x: &mut [f64]) {
        let (n, stride) = (self.order, self.stride);
        assert!(x.len() == n, "x has the length of the matrix");
        for k in 0..n {
            x.swap(k, self.exchanged[k]);
        }
        for k in 0..n {
            x[k] -= product(&self.entries[k * stride..k * stride + k], &x[..k]);
        }
        for k in (0..n).rev() {
            let row = &self.entries[k * stride..k * stride + n];
            x[k] = (x[k] - product(&row[k + 1..], &x[k + 1..])) * row[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::DenseLu;
    use crate::kernel::Arithmetic;
    use nalgebra::{DMatrix, DVector};

    #[test]
    fn solutions_satisfy_their_system_for_every_size_of_panels_and_tiles() {
        let mut state = 5_u64;
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        };
        for n in (0..35).chain([64, 101]) {
            // The first pivots are zero: rows are exchanged.
            let a = DMatrix::from_fn(n, n, |i, j| if n > 3 && i == j && i < 3 { 0.0 } else { noise() });
            let x = DVector::from_fn(n, |_, _| noise());
            for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
                let mut factors = DenseLu::default();
                factors.begin(n);
                for i in 0..n {
                    factors.row_mut(i).iter_mut().enumerate().for_each(|(j, entry)| *entry = a[(i, j)]);
                }
                factors.factorise(arithmetic);
                let mut found: Vec<f64> = (&a * &x).iter().copied().collect();
                factors.solve(&mut found);
                // Rounding times the condition of random matrices, mostly below 1e5.
                let error = found.iter().zip(&x).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                assert!(error < 1e-9, "{n}, {arithmetic:?}: {error}");
            }
        }
    }

    #[test]
    fn the_unknown_of_a_pivot_that_is_zero_is_zero() {
        let mut factors = DenseLu::default();
        factors.begin(2);
        factors.row_mut(0).copy_from_slice(&[2.0, 0.0]);
        factors.factorise(Arithmetic::Portable);
        let mut x = [4.0, 0.0];
        factors.solve(&mut x);
        assert_eq!(x, [2.0, 0.0]);
    }
}
