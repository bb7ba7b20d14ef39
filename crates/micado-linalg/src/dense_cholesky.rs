//! Dense Cholesky for the small systems of constraint space: A = UᵀU, A symmetric and positive semidefinite.
//!
//! U is found row by row in panels of eight rows, and the rest is updated by `A ← A − UᵀU` in tiles of four
//! rows and eight columns, which stay in registers. A row whose pivot is rounding depends on earlier rows: it
//! is left out, and its unknown is zero in every solution.

use crate::kernel::Arithmetic;

/// Rows of a panel, and columns of a tile.
const WIDTH: usize = 8;
/// Rows of a tile.
const HEIGHT: usize = 4;

/// The Cholesky factor of a dense matrix, in memory that is reused.
#[derive(Clone, Debug, Default)]
pub struct DenseCholesky {
    order: usize,
    /// Number of rows that are eliminated.
    eliminated: usize,
    /// Distance between the beginnings of two rows, in entries.
    stride: usize,
    /// By rows, on and right of the diagonal: first the matrix, then U with 1/U_kk on the diagonal, or 0 for
    /// a row that is left out.
    entries: Vec<f64>,
    /// Diagonal of the matrix.
    diagonal: Vec<f64>,
}

impl DenseCholesky {
    /// Reserves memory for matrices up to this order.
    pub fn reserve(&mut self, order: usize) {
        self.entries.reserve(padded(order) * padded(order));
        self.diagonal.reserve(order);
    }

    /// Starts a new matrix of zeros.
    pub fn begin(&mut self, order: usize) {
        (self.order, self.stride) = (order, padded(order));
        self.entries.clear();
        self.entries.resize(self.stride * self.stride, 0.0);
    }

    /// A row of the matrix from its diagonal on.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        let first = row * self.stride;
        &mut self.entries[first + row..first + self.order]
    }

    /// Factors the matrix in place. Rows whose pivot is below a share of their diagonal entry are left out.
    pub fn factorise(&mut self, least_pivot: f64, arithmetic: Arithmetic) {
        self.eliminate_first(self.order, least_pivot, arithmetic);
    }

    /// Eliminates the first `count` rows: [`row_mut`](Self::row_mut) of the others then is their Schur
    /// complement. `count` is a multiple of eight, or the order.
    pub fn eliminate_first(&mut self, count: usize, least_pivot: f64, arithmetic: Arithmetic) {
        debug_assert!(count.is_multiple_of(WIDTH) || count == self.order, "whole panels");
        self.eliminated = count;
        self.diagonal.clear();
        for k in 0..count {
            self.diagonal.push(self.entries[k * self.stride + k]);
        }
        #[cfg(target_arch = "x86_64")]
        if arithmetic.vectors() {
            // SAFETY: the processor has AVX2 and FMA.
            unsafe { self.factorise_in_vectors(least_pivot) };
            return;
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = arithmetic;
        self.eliminate::<false>(least_pivot);
    }

    /// Number of eliminated rows that are left out.
    pub fn left_out(&self) -> usize {
        (0..self.eliminated).filter(|k| self.entries[k * self.stride + k] == 0.0).count()
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn factorise_in_vectors(&mut self, least_pivot: f64) {
        self.eliminate::<true>(least_pivot);
    }

    #[inline(always)]
    fn eliminate<const FUSED: bool>(&mut self, least_pivot: f64) {
        for first in (0..self.eliminated).step_by(WIDTH) {
            let last = self.eliminated.min(first + WIDTH);
            for k in first..last {
                self.finish_row::<FUSED>(first, k, least_pivot);
            }
            if last < self.order {
                self.update_rest::<FUSED>(first, last);
            }
        }
    }

    /// Subtracts the rows above row k in its panel from it, and divides it by the root of its pivot.
    #[inline(always)]
    fn finish_row<const FUSED: bool>(&mut self, first: usize, k: usize, least_pivot: f64) {
        let stride = self.stride;
        let (above, below) = self.entries.split_at_mut(k * stride);
        let row = &mut below[k..stride];
        for above in above[first * stride..].chunks_exact(stride) {
            let factor = above[k];
            for (entry, above) in row.iter_mut().zip(&above[k..]) {
                *entry = less::<FUSED>(*entry, factor, *above);
            }
        }
        let pivot = row[0];
        let inverse = if pivot > least_pivot * self.diagonal[k] { 1.0 / pivot.sqrt() } else { 0.0 };
        row.iter_mut().for_each(|entry| *entry *= inverse);
        row[0] = inverse;
    }

    /// A ← A − UᵀU below a whole panel.
    #[inline(always)]
    fn update_rest<const FUSED: bool>(&mut self, first: usize, last: usize) {
        let stride = self.stride;
        let (above, below) = self.entries.split_at_mut(last * stride);
        let panel = &above[first * stride..];
        // `last` is a multiple of the width of a tile, and rows are padded to whole tiles.
        for column in (last..stride).step_by(WIDTH) {
            let mut right = [[0.0; WIDTH]; WIDTH];
            for (right, row) in right.iter_mut().zip(panel.chunks_exact(stride)) {
                right.copy_from_slice(&row[column..column + WIDTH]);
            }
            // Tiles on and above the diagonal.
            for (t, tile) in below.chunks_exact_mut(HEIGHT * stride).enumerate() {
                let row = last + HEIGHT * t;
                if row >= column + WIDTH {
                    break;
                }
                let mut sums = [[0.0; WIDTH]; HEIGHT];
                for (r, sum) in sums.iter_mut().enumerate() {
                    sum.copy_from_slice(&tile[r * stride + column..r * stride + column + WIDTH]);
                }
                for (right, panel) in right.iter().zip(panel.chunks_exact(stride)) {
                    let left = &panel[row..row + HEIGHT];
                    for (sum, left) in sums.iter_mut().zip(left) {
                        for (sum, right) in sum.iter_mut().zip(right) {
                            *sum = less::<FUSED>(*sum, *left, *right);
                        }
                    }
                }
                for (r, sum) in sums.iter().enumerate() {
                    tile[r * stride + column..r * stride + column + WIDTH].copy_from_slice(sum);
                }
            }
        }
    }

    /// x ← A⁻¹ x, zero where a row is left out.
    ///
    /// # Panics
    /// If x has another length than the matrix.
    pub fn solve(&self, x: &mut [f64]) {
        self.reduce(x);
        self.recover(x);
    }

    /// Eliminates the first rows from a right side: the other entries become the right side of the Schur
    /// complement.
    ///
    /// # Panics
    /// If x has another length than the matrix.
    pub fn reduce(&self, x: &mut [f64]) {
        let (n, stride) = (self.order, self.stride);
        assert!(x.len() == n, "x has the length of the matrix");
        for k in 0..self.eliminated {
            let row = &self.entries[k * stride + k..k * stride + n];
            let value = x[k] * row[0];
            x[k] = value;
            x[k + 1..].iter_mut().zip(&row[1..]).for_each(|(x, u)| *x -= u * value);
        }
    }

    /// Computes the eliminated unknowns from a reduced right side and the solution of the other unknowns.
    ///
    /// # Panics
    /// If x has another length than the matrix.
    pub fn recover(&self, x: &mut [f64]) {
        let (n, stride) = (self.order, self.stride);
        assert!(x.len() == n, "x has the length of the matrix");
        for k in (0..self.eliminated).rev() {
            let row = &self.entries[k * stride + k..k * stride + n];
            x[k] = (x[k] - product(&row[1..], &x[k + 1..])) * row[0];
        }
    }
}

/// Rows are padded to whole tiles.
fn padded(order: usize) -> usize {
    order.next_multiple_of(WIDTH)
}

/// a − b c, fused or not.
#[inline(always)]
pub(crate) fn less<const FUSED: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FUSED { (-b).mul_add(c, a) } else { a - b * c }
}

/// a·b, in eight independent sums.
pub fn product(a: &[f64], b: &[f64]) -> f64 {
    let ((a8, a), (b8, b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a8.iter().zip(b8) {
        sums = std::array::from_fn(|k| sums[k] + a[k] * b[k]);
    }
    let sum = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
    a.iter().zip(b).fold(sum, |sum, (a, b)| sum + a * b)
}

#[cfg(test)]
mod tests {
    use super::DenseCholesky;
    use crate::kernel::Arithmetic;
    use nalgebra::{DMatrix, DVector};

    fn factored(a: &DMatrix<f64>, arithmetic: Arithmetic) -> DenseCholesky {
        let mut factor = DenseCholesky::default();
        factor.begin(a.nrows());
        for i in 0..a.nrows() {
            factor.row_mut(i).iter_mut().zip(i..).for_each(|(entry, j)| *entry = a[(i, j)]);
        }
        factor.factorise(1e-10, arithmetic);
        factor
    }

    /// Uniform numbers in −1…1.
    fn noise(mut state: u64) -> impl FnMut() -> f64 {
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    #[test]
    fn solutions_satisfy_their_system_for_every_size_of_panels_and_tiles() {
        let mut noise = noise(5);
        for n in (0..35).chain([64, 101]) {
            let root = DMatrix::from_fn(n, n, |_, _| noise());
            let a = &root * root.transpose() + DMatrix::identity(n, n);
            let x = DVector::from_fn(n, |_, _| noise());
            let b = &a * &x;
            for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
                let mut found: Vec<f64> = b.iter().copied().collect();
                factored(&a, arithmetic).solve(&mut found);
                // Rounding times the condition, at most 4 n².
                let error = found.iter().zip(&x).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
                assert!(error < 1e-10, "{n}, {arithmetic:?}: {error}");
            }
        }
    }

    #[test]
    fn a_part_of_the_rows_can_be_eliminated_first() {
        let mut noise = noise(7);
        let (n, count) = (37, 16);
        let root = DMatrix::from_fn(n, n, |_, _| noise());
        let a = &root * root.transpose() + DMatrix::identity(n, n);
        let x = DVector::from_fn(n, |_, _| noise());
        let mut b: Vec<f64> = (&a * &x).iter().copied().collect();
        let mut factor = DenseCholesky::default();
        factor.begin(n);
        for i in 0..n {
            factor.row_mut(i).iter_mut().zip(i..).for_each(|(entry, j)| *entry = a[(i, j)]);
        }
        factor.eliminate_first(count, 1e-10, Arithmetic::Fast);
        factor.reduce(&mut b);
        // The Schur complement times the other unknowns is their reduced right side.
        for i in count..n {
            let along = |j: usize| factor.clone().row_mut(i.min(j))[i.max(j) - i.min(j)] * x[j];
            let left: f64 = (count..n).map(along).sum();
            assert!((left - b[i]).abs() < 1e-11, "{left} {}", b[i]);
        }
        b[count..].copy_from_slice(&x.as_slice()[count..]);
        factor.recover(&mut b);
        assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-11));
    }

    #[test]
    fn rows_that_depend_on_others_are_left_out() {
        // Rank 7 of 20: a consistent right side is met all the same.
        let mut noise = noise(9);
        let root = DMatrix::from_fn(20, 7, |_, _| noise());
        let a = &root * root.transpose();
        let b = &a * DVector::from_fn(20, |_, _| noise());
        for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
            let mut x: Vec<f64> = b.iter().copied().collect();
            factored(&a, arithmetic).solve(&mut x);
            assert_eq!(x.iter().filter(|x| **x != 0.0).count(), 7);
            let error = (&a * DVector::from_vec(x) - &b).amax();
            // Rounding times the condition of seven random rows.
            assert!(error < 1e-9, "{arithmetic:?}: {error}");
        }
    }
}
