//! Substitution through a factor: one right side, or several at once.

use crate::block::Aligned;
use crate::factor::Factor;
use crate::kernel::{self, Arithmetic};
use crate::symbolic::Symbolic;

impl Factor {
    /// x ← (A + diag(shift))⁻¹ x, in the caller's order. `work` grows to the size of x once and is then reused; the call
    /// allocates nothing when it is large enough.
    ///
    /// # Panics
    /// If x has not four entries per node, or the factor belongs to another plan.
    pub fn solve(&self, symbolic: &Symbolic, x: &mut [f64], work: &mut Vec<f64>, arithmetic: Arithmetic) {
        self.assert_fits(symbolic);
        let (x, rest) = x.as_chunks_mut::<4>();
        assert!(x.len() == symbolic.nodes() && rest.is_empty(), "x must have four entries per node");
        if symbolic.identity {
            kernel::solve(symbolic, &self.blocks, x, arithmetic);
            return;
        }
        let b = scratch(work, x.len(), 4).as_chunks_mut::<4>().0;
        for (b, &node) in b.iter_mut().zip(&symbolic.order) {
            *b = x[node as usize];
        }
        kernel::solve(symbolic, &self.blocks, b, arithmetic);
        for (b, &node) in b.iter().zip(&symbolic.order) {
            x[node as usize] = *b;
        }
    }

    /// Solves for several right sides, four at a time through the factor.
    ///
    /// Column-major: column c is `x[4 n c .. 4 n (c + 1)]`, n nodes, each column as in [`solve`](Self::solve). Going forward,
    /// leading positions where all four columns are zero are skipped, so that right sides with few entries should stand side
    /// by side when they touch neighbouring nodes. `work` grows to 16 n + 8 entries once.
    ///
    /// # Panics
    /// If x has not four entries per node and column, or the factor belongs to another plan.
    pub fn solve_many(&self, symbolic: &Symbolic, x: &mut [f64], columns: usize, work: &mut Vec<f64>, arithmetic: Arithmetic) {
        self.assert_fits(symbolic);
        let n = symbolic.nodes();
        assert!(x.len() == 4 * n * columns, "x must have four entries per node and column");
        if n == 0 {
            return;
        }
        let b = aligned_scratch(work, n);
        for group in x.chunks_mut(16 * n) {
            let mut first = n;
            for (p, (b, &node)) in b.iter_mut().zip(&symbolic.order).enumerate() {
                *b = Aligned::ZERO;
                for (c, column) in group.chunks(4 * n).enumerate() {
                    for r in 0..4 {
                        b.0[4 * r + c] = column[4 * node as usize + r];
                    }
                }
                if first == n && b.0.iter().any(|&v| v != 0.0) {
                    first = p;
                }
            }
            kernel::solve_four(symbolic, &self.blocks, b, first, arithmetic);
            for (b, &node) in b.iter().zip(&symbolic.order) {
                for (c, column) in group.chunks_mut(4 * n).enumerate() {
                    for r in 0..4 {
                        column[4 * node as usize + r] = b.0[4 * r + c];
                    }
                }
            }
        }
    }
}

/// The first `nodes * width` entries of `work`, which grows if it must.
fn scratch(work: &mut Vec<f64>, nodes: usize, width: usize) -> &mut [f64] {
    if work.len() < nodes * width {
        work.resize(nodes * width, 0.0);
    }
    &mut work[..nodes * width]
}

/// One block per node on cache-line boundaries.
fn aligned_scratch(work: &mut Vec<f64>, nodes: usize) -> &mut [Aligned] {
    let len = 16 * nodes + 8;
    if work.len() < len {
        work.resize(len, 0.0);
    }
    // SAFETY: `Aligned` is sixteen `f64` without padding, for which every bit pattern is valid.
    let (_, blocks, _) = unsafe { work.align_to_mut::<Aligned>() };
    &mut blocks[..nodes]
}
