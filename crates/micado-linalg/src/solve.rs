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

    /// Computes v = L⁻ᵀe for the scalar pivot d: vᵀ(A + diag(shift))v = d, and the component itself is 1. v
    /// contains the motion and the multipliers that make this pivot, in the order of elimination. Positions
    /// after that of the node are not written; they would be zero.
    ///
    /// # Panics
    /// If the node or the component does not exist, v is shorter than the order, or the factor belongs to
    /// another plan.
    pub fn pivot_direction(&self, symbolic: &Symbolic, node: usize, component: usize, v: &mut [[f64; 4]]) {
        self.assert_fits(symbolic);
        let at = symbolic.position(node);
        v[at] = unit_upper_column(&self.blocks[symbolic.row(at).start].0, component);
        for k in (0..at).rev() {
            let mut sum = [0.0; 4];
            for slot in symbolic.row(k).skip(1) {
                let column = symbolic.columns[slot] as usize;
                if column <= at {
                    let block = &self.blocks[slot].0;
                    sum = std::array::from_fn(|r| {
                        (0..4).fold(sum[r], |sum, c| sum - block[4 * r + c] * v[column][c])
                    });
                }
            }
            v[k] = sum;
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
        kernel::solve_four(symbolic, &self.blocks, b, (0..n, first), arithmetic);
        for (b, &node) in b.iter().zip(&symbolic.order) {
            x[4 * node as usize..4 * node as usize + 4].as_flattened_mut().copy_from_slice(&b.0);
        }
    }

    /// Like [`solve_four`](Self::solve_four), for one component alone: `x` has its entries in the order of
    /// elimination, four per position.
    ///
    /// # Panics
    /// If there is no such component, x has not four entries per position of it, or the factor belongs to
    /// another plan.
    pub fn solve_four_within(
        &self,
        symbolic: &Symbolic,
        component: usize,
        x: &mut [[f64; 4]],
        work: &mut Vec<f64>,
        arithmetic: Arithmetic,
    ) {
        self.assert_fits(symbolic);
        let range = symbolic.component_range(component);
        assert!(x.len() == 4 * range.len(), "x must have four entries per position");
        let b = aligned_scratch(work, range.len());
        let mut first = range.end;
        for (p, (b, x)) in b.iter_mut().zip(x.as_chunks::<4>().0).enumerate() {
            b.0.copy_from_slice(x.as_flattened());
            if first == range.end && b.0.iter().any(|&v| v != 0.0) {
                first = range.start + p;
            }
        }
        kernel::solve_four(symbolic, &self.blocks, b, (range, first), arithmetic);
        for (b, x) in b.iter().zip(x.as_chunks_mut::<4>().0) {
            x.as_flattened_mut().copy_from_slice(&b.0);
        }
    }
}

/// Column `component` of the unit upper triangular U in D⁻¹ = U diag(d)⁻¹ Uᵀ.
fn unit_upper_column(inverse: &[f64; 16], component: usize) -> [f64; 4] {
    let mut rest = *inverse;
    for c in (component + 1..4).rev() {
        let column: [f64; 4] = std::array::from_fn(|r| rest[4 * r + c]);
        for (r, k) in (0..c).flat_map(|r| (0..c).map(move |k| (r, k))) {
            rest[4 * r + k] -= column[r] * column[k] / column[c];
        }
    }
    let diagonal = rest[5 * component];
    std::array::from_fn(|r| if r > component { 0.0 } else { rest[4 * r + component] / diagonal })
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
