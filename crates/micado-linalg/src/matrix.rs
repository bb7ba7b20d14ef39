//! The symmetric matrix in the caller's order.

use crate::block::{Aligned, Block, plain, plain_mut};
use crate::kernel::{self, Arithmetic};
use crate::pages;
use crate::pattern::{NodeKind, Pattern};

/// A symmetric matrix of 4×4 blocks with a frozen pattern; values of the upper triangle, row by row.
///
/// Row i holds its diagonal block first, then the blocks (i, j), j > i, by ascending j. Diagonal blocks are
/// stored whole and must be symmetric. The block (j, i) is the transpose of (i, j) and is not stored.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    pub(crate) kinds: Vec<NodeKind>,
    /// Slot of each diagonal block, and one past the last slot.
    pub(crate) rows: Vec<u32>,
    /// Column node of each slot.
    pub(crate) columns: Vec<u32>,
    values: Vec<Aligned>,
}

impl BlockMatrix {
    /// Freezes a pattern (sorted, without repetitions); all values are zero.
    ///
    /// # Panics
    /// If there are 2³¹ blocks or more.
    #[must_use]
    pub fn new(pattern: &Pattern) -> Self {
        let n = pattern.len();
        // Counting sort of the pairs by their first node.
        let mut start = vec![0_usize; n + 1];
        for &(i, _) in &pattern.pairs {
            start[i as usize + 1] += 1;
        }
        for i in 0..n {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut second = vec![0_u32; pattern.pairs.len()];
        for &(i, j) in &pattern.pairs {
            second[next[i as usize]] = j;
            next[i as usize] += 1;
        }
        drop(next);
        // Each row sorted, repetitions removed, its diagonal in front.
        let mut rows = Vec::with_capacity(n + 1);
        let mut columns = Vec::with_capacity(n + pattern.pairs.len().min(4 * n));
        for i in 0..n {
            rows.push(columns.len() as u32);
            columns.push(i as u32);
            let row = &mut second[start[i]..start[i + 1]];
            row.sort_unstable();
            for &j in row.iter() {
                if columns.last() != Some(&j) {
                    columns.push(j);
                }
            }
            assert!(columns.len() < 1 << 31, "a block matrix holds less than 2³¹ blocks");
        }
        rows.push(columns.len() as u32);
        let values = pages::zeros(columns.len());
        Self { kinds: pattern.kinds.clone(), rows, columns, values }
    }

    /// Number of nodes; the matrix has four times as many scalar rows.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.kinds.len()
    }

    /// Kind of a node.
    ///
    /// # Panics
    /// If the node does not exist.
    #[must_use]
    pub fn kind(&self, node: usize) -> NodeKind {
        self.kinds[node]
    }

    /// Slot of the diagonal block of row `i`; the rest of the row follows.
    ///
    /// # Panics
    /// If the node does not exist.
    #[must_use]
    pub fn row_start(&self, i: usize) -> usize {
        self.rows[i] as usize
    }

    /// Column nodes of row `i`; the first is `i` itself.
    ///
    /// # Panics
    /// If the node does not exist.
    #[must_use]
    pub fn row_nodes(&self, i: usize) -> &[u32] {
        &self.columns[self.rows[i] as usize..self.rows[i + 1] as usize]
    }

    /// Slot of the block (i, j), i ≤ j, if the pattern has it; `None` below the diagonal.
    #[must_use]
    pub fn slot(&self, i: u32, j: u32) -> Option<usize> {
        if i > j || i as usize >= self.nodes() {
            return None;
        }
        let found = self.row_nodes(i as usize).binary_search(&j).ok()?;
        Some(self.row_start(i as usize) + found)
    }

    /// Blocks by slot.
    #[must_use]
    pub fn values(&self) -> &[Block] {
        plain(&self.values)
    }

    /// Blocks by slot, for writing.
    pub fn values_mut(&mut self) -> &mut [Block] {
        plain_mut(&mut self.values)
    }

    /// y = A x, with portable arithmetic.
    ///
    /// # Panics
    /// If x or y has not four entries per node.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        self.multiply_with(x, y, Arithmetic::Portable);
    }

    /// y = A x, with the arithmetic asked for.
    ///
    /// # Panics
    /// If x or y has not four entries per node.
    pub fn multiply_with(&self, x: &[f64], y: &mut [f64], arithmetic: Arithmetic) {
        y.fill(0.0);
        self.accumulate::<false>(x, y, arithmetic);
    }

    /// r = b − A x, with the arithmetic asked for; returns max |r|, which is NaN as soon as an entry is not
    /// finite.
    ///
    /// # Panics
    /// If b, x or r has not four entries per node.
    pub fn residual(&self, b: &[f64], x: &[f64], r: &mut [f64], arithmetic: Arithmetic) -> f64 {
        r.copy_from_slice(b);
        self.accumulate::<true>(x, r, arithmetic);
        largest(r, arithmetic)
    }

    /// y ← y + A x, or y − A x if `MINUS`.
    fn accumulate<const MINUS: bool>(&self, x: &[f64], y: &mut [f64], arithmetic: Arithmetic) {
        let (x, rest_x) = x.as_chunks();
        let (y, rest_y) = y.as_chunks_mut();
        let n = self.nodes();
        assert!(x.len() == n && rest_x.is_empty(), "x must have four entries per node");
        assert!(y.len() == n && rest_y.is_empty(), "y must have four entries per node");
        kernel::accumulate::<MINUS>(self, x, y, arithmetic);
    }
}

/// max |v|, NaN as soon as an entry is not finite; v has four entries per node.
pub(crate) fn largest(v: &[f64], arithmetic: Arithmetic) -> f64 {
    let survey = kernel::survey(v.as_chunks().0, arithmetic);
    if survey.finite { survey.largest } else { f64::NAN }
}
