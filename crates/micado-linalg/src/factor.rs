//! The numeric factor: refilled in place, never allocating after it is made.

use std::fmt;

use crate::block::Aligned;
use crate::kernel::{self, Arithmetic, Numbers};
use crate::matrix::BlockMatrix;
use crate::pages;
use crate::symbolic::Symbolic;

/// Signs and sizes of the scalar pivots of A + diag(shift).
///
/// By Sylvester's law `negative` is the number of negative eigenvalues: a quasi-definite system has one per
/// dual component.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inertia {
    /// Number of negative pivots.
    pub negative: usize,
    /// Number of positive pivots.
    pub positive: usize,
    /// Smallest |pivot|.
    pub smallest_pivot: f64,
    /// Largest |pivot|.
    pub largest_pivot: f64,
}

/// Elimination met a pivot that is zero or not finite; the factor holds nothing of use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular {
    /// Node of the pivot, in the caller's order.
    pub node: usize,
    /// Component of the node, 0 to 3.
    pub component: usize,
}

impl fmt::Display for Singular {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pivot of component {} of node {} is zero or not finite", self.component, self.node)
    }
}

impl std::error::Error for Singular {}

/// P (A + diag(shift)) Pᵀ = L D Lᵀ, with D of 4×4 blocks.
#[derive(Clone, Debug)]
pub struct Factor {
    /// By slot: D⁻¹ on the diagonal, X = D⁻¹R = Lᵀ beyond it.
    pub(crate) blocks: Vec<Aligned>,
    /// Scalar pivots by position.
    pivots: Vec<[f64; 4]>,
}

impl Factor {
    /// All the memory that factorisations by this plan need.
    #[must_use]
    pub fn new(symbolic: &Symbolic) -> Self {
        Self { blocks: pages::zeros(symbolic.factor_blocks()), pivots: vec![[0.0; 4]; symbolic.nodes()] }
    }

    /// Factors A + diag(shift); `shift` has four entries per node, in the caller's order. Does not allocate.
    ///
    /// # Errors
    /// The first pivot, in the order of elimination, that is zero or not finite.
    ///
    /// # Panics
    /// If plan, matrix, shift and factor do not belong together.
    pub fn factorise(
        &mut self,
        symbolic: &Symbolic,
        a: &BlockMatrix,
        shift: &[f64],
        arithmetic: Arithmetic,
    ) -> Result<Inertia, Singular> {
        self.factorise_with(symbolic, a, shift, None, arithmetic)
    }

    /// Like `factorise`, and applies the forward substitution to a right side: `b`, in the order of
    /// elimination (see [`Symbolic::gather`]), becomes L⁻¹b while the rows of the factor are in the cache.
    /// [`substitute_back`](Self::substitute_back) completes the solve, with the same bits as
    /// [`solve`](Self::solve).
    ///
    /// # Errors
    /// As [`factorise`](Self::factorise).
    ///
    /// # Panics
    /// As [`factorise`](Self::factorise), or if b has not four entries per node.
    pub fn factorise_with(
        &mut self,
        symbolic: &Symbolic,
        a: &BlockMatrix,
        shift: &[f64],
        b: Option<&mut [f64]>,
        arithmetic: Arithmetic,
    ) -> Result<Inertia, Singular> {
        assert!(b.as_ref().is_none_or(|b| b.len() == 4 * a.nodes()), "b must have four entries per node");
        let b = b.map(|b| b.as_chunks_mut().0);
        let (shift, rest) = shift.as_chunks();
        assert!(shift.len() == a.nodes() && rest.is_empty(), "shift must have four entries per node");
        assert!(symbolic.fits(a), "the plan was made for another matrix");
        self.assert_fits(symbolic);
        let numbers = Numbers { blocks: &mut self.blocks, pivots: &mut self.pivots };
        kernel::factorise(symbolic, a, shift, numbers, b, arithmetic);
        let survey = kernel::survey(&self.pivots, arithmetic);
        if !survey.finite || survey.smallest == 0.0 {
            return Err(self.first_bad(symbolic));
        }
        Ok(Inertia {
            negative: survey.negative,
            positive: 4 * self.pivots.len() - survey.negative,
            smallest_pivot: survey.smallest,
            largest_pivot: survey.largest,
        })
    }

    /// Scalar pivots of a node's diagonal block, by component: D_k = M diag(d) Mᵀ with M unit lower
    /// triangular.
    ///
    /// The pivot of a redundant constraint row stays near its regularisation −ε.
    ///
    /// # Panics
    /// If the node does not exist.
    #[must_use]
    pub fn pivots(&self, symbolic: &Symbolic, node: usize) -> [f64; 4] {
        self.pivots[symbolic.position[node] as usize]
    }

    pub(crate) fn assert_fits(&self, symbolic: &Symbolic) {
        assert!(
            self.blocks.len() == symbolic.factor_blocks() && self.pivots.len() == symbolic.nodes(),
            "the factor was made for another plan"
        );
    }

    #[cold]
    fn first_bad(&self, symbolic: &Symbolic) -> Singular {
        let bad = |d: &f64| *d == 0.0 || !d.is_finite();
        let at = self.pivots.as_flattened().iter().position(bad).unwrap_or(0);
        Singular { node: symbolic.order[at / 4] as usize, component: at % 4 }
    }
}
