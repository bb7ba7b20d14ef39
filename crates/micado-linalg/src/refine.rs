//! Iterative refinement against the unregularised matrix.

use crate::factor::Factor;
use crate::kernel::Arithmetic;
use crate::matrix::{BlockMatrix, largest};
use crate::symbolic::Symbolic;

/// Scratch of [`refine`]; sized once, then reused.
#[derive(Clone, Debug, Default)]
pub struct RefineWork {
    residual: Vec<f64>,
    solve: Vec<f64>,
}

impl RefineWork {
    /// Scratch for systems of this many nodes.
    #[must_use]
    pub fn new(nodes: usize) -> Self {
        Self { residual: vec![0.0; 4 * nodes], solve: vec![0.0; 4 * nodes] }
    }
}

/// Result of one sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Refinement {
    /// max |b − A x| after the sweep; NaN if an entry is not finite.
    pub residual: f64,
    /// max |b − A x| before the sweep.
    pub before: f64,
    /// max |correction of x|.
    pub correction: f64,
}

/// One sweep: r = b − A x, x ← x + (A + diag(shift))⁻¹ r, and the residual that is left.
///
/// A is the matrix without shift. With A x* = b each sweep multiplies the error by (A + S)⁻¹S: the
/// ε-compliance of regularised constraint rows falls by orders of magnitude, unless rows conflict; then the
/// residual does not fall.
///
/// # Panics
/// If b or x has not four entries per node, or matrix, plan and factor do not belong together.
pub fn refine(
    a: &BlockMatrix,
    symbolic: &Symbolic,
    factor: &Factor,
    b: &[f64],
    x: &mut [f64],
    work: &mut RefineWork,
    arithmetic: Arithmetic,
) -> Refinement {
    let before = correct((a, &[]), symbolic, factor, b, x, work, arithmetic);
    let correction = largest(&work.residual, arithmetic);
    let residual = a.residual(b, x, &mut work.residual, arithmetic);
    Refinement { residual, before, correction }
}

/// One sweep without measuring what is left, for when another follows: returns max |b − A x| before the
/// sweep. A is the matrix plus `diagonal` on its first scalars: the part of the shift that belongs to the
/// equations.
///
/// # Panics
/// As [`refine`].
pub fn correct(
    (a, diagonal): (&BlockMatrix, &[f64]),
    symbolic: &Symbolic,
    factor: &Factor,
    b: &[f64],
    x: &mut [f64],
    work: &mut RefineWork,
    arithmetic: Arithmetic,
) -> f64 {
    work.residual.resize(b.len(), 0.0);
    let r = &mut work.residual;
    let mut before = a.residual(b, x, r, arithmetic);
    if diagonal.iter().any(|d| *d != 0.0) {
        r.iter_mut().zip(diagonal).zip(&*x).for_each(|((r, d), x)| *r -= d * x);
        before = largest(r, arithmetic);
    }
    factor.solve(symbolic, r, &mut work.solve, arithmetic);
    for (x, r) in x.iter_mut().zip(r.iter()) {
        *x += r;
    }
    before
}
