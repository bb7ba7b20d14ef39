//! Substitution through a factor: one right side, or several at once.

use crate::block::Aligned;
use crate::factor::Factor;
use crate::kernel::{self, Arithmetic};
use crate::symbolic::Symbolic;

impl Factor {
    /// x ← (A + diag(shift))⁻¹ x, in the caller's order. `work` grows to the size of x once and is then
    /// reused; the call allocates nothing when it is large enough.
    ///
    /// # Panics
    /// If x does not have four entries per node, or the factor belongs to another plan.
    pub fn solve(&self, symbolic: &Symbolic, x: &mut [f64], work: &mut Vec<f64>, arithmetic: Arithmetic) {
        self.assert_fits(symbolic);
        assert!(x.len() == 4 * symbolic.nodes(), "x must have four entries per node");
        if symbolic.identity {
            let x = x.as_chunks_mut().0;
            kernel::forward(symbolic, &self.blocks, x, arithmetic);
            kernel::backward(symbolic, &self.blocks, x, arithmetic);
            return;
        }
        let b = scratch(work, x.len());
        symbolic.gather(x, b);
        kernel::forward(symbolic, &self.blocks, b.as_chunks_mut().0, arithmetic);
        self.substitute_back(symbolic, b, x, arithmetic);
    }

    /// x ← (DLᵀ)⁻¹ b, with b in the order of elimination and x in the caller's: what is left of a solve after
    /// [`factorise_with`](Self::factorise_with). b is used up.
    ///
    /// # Panics
    /// If b or x has not four entries per node, or the factor belongs to another plan.
    pub fn substitute_back(&self, symbolic: &Symbolic, b: &mut [f64], x: &mut [f64], arithmetic: Arithmetic) {
        self.assert_fits(symbolic);
        assert!(
            b.len() == 4 * symbolic.nodes() && x.len() == b.len(),
            "b and x must have four entries per node"
        );
        let (b, x) = (b.as_chunks_mut::<4>().0, x.as_chunks_mut::<4>().0);
        kernel::backward(symbolic, &self.blocks, b, arithmetic);
        for (b, &node) in b.iter().zip(&symbolic.order) {
            x[node as usize] = *b;
        }
    }

    /// Solves for four right sides at once: `x[i][c]` is entry i of column c, each column as in
    /// [`solve`](Self::solve). The forward pass skips leading positions where all columns are zero. It is
    /// fastest if the four right sides have their entries at neighbouring nodes. `work` grows to 16 n + 8
    /// entries once, for n nodes.
    ///
    /// # Panics
    /// If x does not have four entries per node, or the factor belongs to another plan.
    pub fn solve_four(
        &self,
        symbolic: &Symbolic,
        x: &mut [[f64; 4]],
        work: &mut Vec<f64>,
        arithmetic: Arithmetic,
    ) {
        self.assert_fits(symbolic);
        let n = symbolic.nodes();
        assert!(x.len() == 4 * n, "x must have four entries per node");
        if n == 0 {
            return;
        }
        let b = aligned_scratch(work, n);
        let mut first = n;
        for (p, (b, &node)) in b.iter_mut().zip(&symbolic.order).enumerate() {
            b.0.copy_from_slice(x[4 * node as usize..4 * node as usize + 4].as_flattened());
            if first == n && b.0.iter().any(|&v| v != 0.0) {
                first = p;
            }
        }
        kernel::solve_four(symbolic, &self.blocks, b, first, arithmetic);
        for (b, &node) in b.iter().zip(&symbolic.order) {
            x[4 * node as usize..4 * node as usize + 4].as_flattened_mut().copy_from_slice(&b.0);
        }
    }
}

/// The first `len` entries of `work`, which grows if it must.
fn scratch(work: &mut Vec<f64>, len: usize) -> &mut [f64] {
    if work.len() < len {
        work.resize(len, 0.0);
    }
    &mut work[..len]
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
