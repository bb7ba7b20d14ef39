//! Sparse LU without pivoting for small unsymmetric systems of parts that are coupled in pairs: A = L U.
//!
//! A part is a group of unknowns, such as those of one body. Parts are numbered by reverse Cuthill–McKee.
//! Row i of L and column i of U begin at the first part that the part of i is coupled with, and are stored
//! without gaps: every entry is a product of two contiguous stretches.

use crate::dense_cholesky::less;
use crate::graph::Graph;
use crate::kernel::Arithmetic;
use crate::order::Search;

/// The LU factors of a sparse matrix, in memory that is reused.
#[derive(Clone, Debug, Default)]
pub struct ProfileLu {
    graph: Graph,
    search: Search,
    /// First unknown of each part, in the order of elimination.
    offset: Vec<usize>,
    /// First column of each row of L, which is the first row of each column of U.
    first: Vec<usize>,
    /// Beginning of each row of L and of each column of U in the lists of entries.
    start: Vec<usize>,
    /// By rows, left of the diagonal: first the matrix, then L.
    lower: Vec<f64>,
    /// By columns, down to and with the diagonal: first the matrix, then U with 1/U_kk on the diagonal.
    upper: Vec<f64>,
}

impl ProfileLu {
    /// Orders parts of these sizes that are coupled in these pairs of different parts, and returns the number
    /// of operations of a factorisation. The pairs are sorted, and those that occur twice are removed.
    pub fn order(&mut self, sizes: &[usize], pairs: &mut Vec<(u32, u32)>) -> u64 {
        for pair in &mut *pairs {
            *pair = (pair.0.min(pair.1), pair.0.max(pair.1));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let from = |i: usize| pairs.partition_point(|pair| (pair.0 as usize) < i);
        self.graph.refill(sizes.len(), |i| pairs[from(i)..from(i + 1)].iter().map(|pair| pair.1));
        let Self { graph, search, offset, first, start, .. } = self;
        offset.clear();
        offset.resize(sizes.len(), 0);
        let mut end = 0;
        for &part in search.order(graph) {
            offset[part as usize] = end;
            end += sizes[part as usize];
        }
        first.clear();
        first.resize(end, 0);
        for (part, &size) in sizes.iter().enumerate() {
            let coupled = graph.neighbours(part as u32).iter().map(|&other| offset[other as usize]);
            let least = coupled.fold(offset[part], usize::min);
            first[offset[part]..offset[part] + size].fill(least);
        }
        start.clear();
        start.push(0);
        let mut operations = 0;
        for (i, &first) in first.iter().enumerate() {
            let length = i + 1 - first;
            start.push(start[i] + length);
            operations += 2 * (length * length) as u64;
        }
        operations
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.first.len()
    }

    /// Whether there are no unknowns.
    pub fn is_empty(&self) -> bool {
        self.first.is_empty()
    }

    /// First unknown of a part, in the order of elimination.
    pub fn offset(&self, part: usize) -> usize {
        self.offset[part]
    }

    /// Starts a new matrix, the identity.
    pub fn begin(&mut self) {
        let entries = self.start.last().copied().unwrap_or(0);
        for list in [&mut self.lower, &mut self.upper] {
            list.clear();
            list.resize(entries, 0.0);
        }
        for end in &self.start[1..] {
            self.upper[end - 1] = 1.0;
        }
    }

    /// Adds a block, by rows, between two coupled parts, or within one part.
    ///
    /// # Panics
    /// If the block does not lie within the profile.
    pub fn add_block(&mut self, [row, column]: [usize; 2], columns: usize, block: &[f64]) {
        let (top, left) = (self.offset[row], self.offset[column]);
        let Self { first, start, lower, upper, .. } = self;
        for (a, line) in block.chunks_exact(columns.max(1)).enumerate() {
            let i = top + a;
            // Columns left of the diagonal are stored by rows.
            let below = i.saturating_sub(left).min(columns);
            if below > 0 {
                let from = start[i] + left - first[i];
                lower[from..from + below].iter_mut().zip(line).for_each(|(entry, value)| *entry += value);
            }
            for (b, value) in line.iter().enumerate().skip(below) {
                let j = left + b;
                upper[start[j] + i - first[j]] += value;
            }
        }
    }

    /// Factors the matrix in place. An unknown whose pivot is zero becomes zero.
    pub fn factorise(&mut self, arithmetic: Arithmetic) {
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
        let Self { first, start, lower, upper, .. } = self;
        for (i, &from) in first.iter().enumerate() {
            let (known_lower, row) = lower.split_at_mut(start[i]);
            let (known_upper, column) = upper.split_at_mut(start[i]);
            // Row i of L and column i of U up to the diagonal.
            for j in from..i {
                let k = from.max(first[j]);
                let (in_row, in_column) =
                    (k - from..j - from, start[j] + k - first[j]..start[j] + j - first[j]);
                let left =
                    minus::<FUSED>(row[j - from], &row[in_row.clone()], &known_upper[in_column.clone()]);
                row[j - from] = left * known_upper[start[j] + j - first[j]];
                column[j - from] = minus::<FUSED>(column[j - from], &column[in_row], &known_lower[in_column]);
            }
            let pivot = minus::<FUSED>(column[i - from], &row[..i - from], &column[..i - from]);
            let inverse = 1.0 / pivot;
            column[i - from] = if inverse.is_finite() { inverse } else { 0.0 };
        }
    }

    /// x ← A⁻¹ x, in the order of elimination.
    ///
    /// # Panics
    /// If x has another length than the matrix.
    pub fn solve(&self, x: &mut [f64]) {
        let Self { first, start, lower, upper, .. } = self;
        assert!(x.len() == first.len(), "x has the length of the matrix");
        for (i, &from) in first.iter().enumerate() {
            x[i] = minus::<false>(x[i], &lower[start[i]..start[i] + i - from], &x[from..i]);
        }
        for (i, &from) in first.iter().enumerate().rev() {
            let column = &upper[start[i]..=start[i] + i - from];
            let value = x[i] * column[i - from];
            x[i] = value;
            x[from..i].iter_mut().zip(column).for_each(|(x, u)| *x -= u * value);
        }
    }
}

/// s − a·b, in eight independent sums.
#[inline(always)]
fn minus<const FUSED: bool>(s: f64, a: &[f64], b: &[f64]) -> f64 {
    let ((a8, a), (b8, b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a8.iter().zip(b8) {
        for k in 0..8 {
            sums[k] = less::<FUSED>(sums[k], a[k], b[k]);
        }
    }
    let sum = ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));
    s + a.iter().zip(b).fold(sum, |sum, (a, b)| less::<FUSED>(sum, *a, *b))
}

#[cfg(test)]
mod tests {
    use super::ProfileLu;
    use crate::kernel::Arithmetic;
    use nalgebra::{DMatrix, DVector};

    /// Uniform numbers in −1…1.
    fn noise(mut state: u64) -> impl FnMut() -> f64 {
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    /// A net of parts of one to nine unknowns, two components and a part alone.
    fn net() -> (Vec<usize>, Vec<(u32, u32)>) {
        let sizes = (0..31).map(|part| 1 + part * 5 % 9).collect();
        let mut pairs = Vec::new();
        for i in 0..30 {
            for j in [i + 1, i + 6] {
                if j < 30 && (i < 18) == (j < 18) {
                    // Twice, in both directions.
                    pairs.extend([(i, j), (j, i)]);
                }
            }
        }
        (sizes, pairs)
    }

    #[test]
    fn solutions_satisfy_their_system() {
        let (sizes, mut pairs) = net();
        let mut noise = noise(5);
        for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
            let mut factors = ProfileLu::default();
            let operations = factors.order(&sizes, &mut pairs);
            let n = factors.len();
            assert_eq!(n, sizes.iter().sum::<usize>());
            // Less than half of the operations of a dense factorisation.
            assert!(operations < (n * n * n / 3) as u64, "{operations} for {n}");
            factors.begin();
            let mut a = DMatrix::identity(n, n);
            let mut add = |i: usize, j: usize| {
                // The diagonal outweighs all others: there are no pivots.
                let own = if i == j { 60.0 } else { 0.0 };
                let block =
                    DMatrix::from_fn(sizes[i], sizes[j], |a, b| noise() + if a == b { own } else { 0.0 });
                let mut part = a.view_mut((factors.offset(i), factors.offset(j)), block.shape());
                part += &block;
                factors.add_block([i, j], sizes[j], block.transpose().as_slice());
            };
            for &(i, j) in &pairs {
                add(i as usize, j as usize);
                add(j as usize, i as usize);
            }
            (0..sizes.len()).for_each(|i| add(i, i));
            factors.factorise(arithmetic);
            let x = DVector::from_fn(n, |_, _| noise());
            let mut found: Vec<f64> = (&a * &x).iter().copied().collect();
            factors.solve(&mut found);
            // Rounding of n terms.
            let error = found.iter().zip(&x).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(error < 1e-13, "{arithmetic:?}: {error}");
        }
    }
}
