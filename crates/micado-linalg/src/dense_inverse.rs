//! Inverse of a dense matrix whose rows are replaced one by one.
//!
//! Gauss–Jordan with row pivots inverts A in place. If a row a of A is replaced by v, with B = A⁻¹ and β =
//! Bᵀv, the inverse becomes `B − B e_i (β − e_i)ᵀ/β_i` (Sherman–Morrison), where β_i is the ratio of the
//! determinants. A replacement costs two passes over B instead of an inversion.

use crate::dense_cholesky::{less, product};
use crate::kernel::Arithmetic;

/// The inverse of a dense matrix, in memory that is reused.
#[derive(Clone, Debug, Default)]
pub struct DenseInverse {
    order: usize,
    /// By rows: first the matrix, then its inverse.
    entries: Vec<f64>,
    /// Row that was exchanged with each row.
    exchanged: Vec<usize>,
    /// A row of the matrix, or Bᵀv.
    line: Vec<f64>,
}

impl DenseInverse {
    /// Reserves memory for matrices up to this order.
    pub fn reserve(&mut self, order: usize) {
        self.entries.reserve(order * order);
        self.exchanged.reserve(order);
        self.line.reserve(order);
    }

    /// Starts a new matrix of zeros.
    pub fn begin(&mut self, order: usize) {
        self.order = order;
        self.entries.clear();
        self.entries.resize(order * order, 0.0);
    }

    /// A row of the matrix; after [`invert`](Self::invert), a row of its inverse.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.entries[row * self.order..(row + 1) * self.order]
    }

    /// Inverts the matrix in place. Returns false if it is singular; the entries are then undefined.
    pub fn invert(&mut self, arithmetic: Arithmetic) -> bool {
        #[cfg(target_arch = "x86_64")]
        if arithmetic.vectors() {
            // SAFETY: the processor has AVX2 and FMA.
            return unsafe { self.invert_in_vectors() };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = arithmetic;
        self.eliminate::<false>()
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn invert_in_vectors(&mut self) -> bool {
        self.eliminate::<true>()
    }

    #[inline(always)]
    fn eliminate<const FUSED: bool>(&mut self) -> bool {
        let Self { order, entries, exchanged, line } = self;
        let n = *order;
        exchanged.clear();
        for k in 0..n {
            let mut chosen = k;
            for i in k + 1..n {
                if entries[i * n + k].abs() > entries[chosen * n + k].abs() {
                    chosen = i;
                }
            }
            exchanged.push(chosen);
            if chosen != k {
                let (above, below) = entries.split_at_mut(chosen * n);
                above[k * n..(k + 1) * n].swap_with_slice(&mut below[..n]);
            }
            let inverse = 1.0 / entries[k * n + k];
            if !inverse.is_finite() {
                return false;
            }
            let row = &mut entries[k * n..(k + 1) * n];
            row[k] = 1.0;
            row.iter_mut().for_each(|entry| *entry *= inverse);
            line.clear();
            line.extend_from_slice(row);
            for (_, row) in entries.chunks_exact_mut(n).enumerate().filter(|(i, _)| *i != k) {
                let factor = std::mem::replace(&mut row[k], 0.0);
                for (entry, line) in row.iter_mut().zip(&*line) {
                    *entry = less::<FUSED>(*entry, factor, *line);
                }
            }
        }
        // Columns of the inverse are exchanged as rows of the matrix were, in reverse.
        for row in entries.chunks_exact_mut(n.max(1)) {
            for k in (0..n).rev().filter(|&k| exchanged[k] != k) {
                row.swap(k, exchanged[k]);
            }
        }
        true
    }

    /// Replaces row `i` of the matrix by `row`. Returns the ratio of the determinants. If it is less than
    /// `least`, or not a number, nothing changes.
    ///
    /// # Panics
    /// If there is no such row, or `row` has another length.
    pub fn replace_row(&mut self, i: usize, row: &[f64], least: f64, arithmetic: Arithmetic) -> f64 {
        assert!(row.len() == self.order && i < self.order, "a row of the matrix");
        #[cfg(target_arch = "x86_64")]
        if arithmetic.vectors() {
            // SAFETY: the processor has AVX2 and FMA.
            return unsafe { self.replace_in_vectors(i, row, least) };
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = arithmetic;
        self.replace::<false>(i, row, least)
    }

    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2,fma")]
    fn replace_in_vectors(&mut self, i: usize, row: &[f64], least: f64) -> f64 {
        self.replace::<true>(i, row, least)
    }

    #[inline(always)]
    fn replace<const FUSED: bool>(&mut self, i: usize, row: &[f64], least: f64) -> f64 {
        let Self { order, entries, line, .. } = self;
        line.clear();
        line.resize(*order, 0.0);
        for (b, v) in entries.chunks_exact(*order).zip(row) {
            for (line, b) in line.iter_mut().zip(b) {
                *line = less::<FUSED>(*line, -v, *b);
            }
        }
        let ratio = line[i];
        if ratio < least || ratio.is_nan() {
            return ratio;
        }
        line[i] -= 1.0;
        line.iter_mut().for_each(|line| *line /= ratio);
        for b in entries.chunks_exact_mut(*order) {
            let factor = b[i];
            for (b, line) in b.iter_mut().zip(&*line) {
                *b = less::<FUSED>(*b, factor, *line);
            }
        }
        ratio
    }

    /// Adds a multiple of a column of the inverse to x.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn add_column(&self, column: usize, factor: f64, x: &mut [f64]) {
        let column = self.entries.iter().skip(column).step_by(self.order);
        x.iter_mut().zip(column).for_each(|(x, b)| *x += factor * b);
    }

    /// The inverse times a vector.
    pub fn multiply(&self, x: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend(self.entries.chunks_exact(self.order.max(1)).map(|row| product(row, x)));
    }
}

#[cfg(test)]
mod tests {
    use super::DenseInverse;
    use crate::kernel::Arithmetic;
    use nalgebra::{DMatrix, DVector};

    /// Uniform numbers in −1…1.
    fn noise(mut state: u64) -> impl FnMut() -> f64 {
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    fn inverse(a: &DMatrix<f64>, arithmetic: Arithmetic) -> Option<DenseInverse> {
        let mut inverse = DenseInverse::default();
        inverse.begin(a.nrows());
        for i in 0..a.nrows() {
            inverse.row_mut(i).iter_mut().enumerate().for_each(|(j, entry)| *entry = a[(i, j)]);
        }
        inverse.invert(arithmetic).then_some(inverse)
    }

    /// Largest error of the solution of A x = b.
    fn error(a: &DMatrix<f64>, inverse: &DenseInverse, noise: &mut impl FnMut() -> f64) -> f64 {
        let x = DVector::from_fn(a.nrows(), |_, _| noise());
        let mut found = Vec::new();
        inverse.multiply((a * &x).as_slice(), &mut found);
        found.iter().zip(&x).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn inverse_follows_replaced_rows() {
        let mut noise = noise(3);
        for n in [1, 2, 7, 40] {
            for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
                // The first pivot is zero: rows are exchanged.
                let mut a =
                    DMatrix::from_fn(n, n, |i, j| if n > 1 && i == 0 && j == 0 { 0.0 } else { noise() });
                let mut found = inverse(&a, arithmetic).expect("regular");
                // Rounding times the condition of random matrices.
                assert!(error(&a, &found, &mut noise) < 1e-9, "{n}, {arithmetic:?}");
                for i in (0..n).chain(0..n) {
                    let row: Vec<f64> = (0..n).map(|_| noise()).collect();
                    let before = a.determinant();
                    let mut replaced = a.clone();
                    row.iter().enumerate().for_each(|(j, entry)| replaced[(i, j)] = *entry);
                    let ratio = found.replace_row(i, &row, 0.1, arithmetic);
                    let expected = replaced.determinant() / before;
                    assert!((ratio - expected).abs() < 1e-6 * (1.0 + expected.abs()), "{ratio} {expected}");
                    if ratio >= 0.1 {
                        a = replaced;
                    }
                    assert!(error(&a, &found, &mut noise) < 1e-7, "{n}, {arithmetic:?}");
                }
                let mut column = vec![0.0; n];
                found.add_column(n - 1, 2.0, &mut column);
                let unit = a * DVector::from_vec(column);
                assert!((unit[n - 1] - 2.0).abs() < 1e-7, "{unit}");
            }
        }
    }

    #[test]
    fn singular_matrices_have_no_inverse() {
        let a = DMatrix::from_fn(3, 3, |i, _| i as f64);
        assert!(inverse(&a, Arithmetic::Portable).is_none());
    }
}
