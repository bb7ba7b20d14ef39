//! Sparse block LDLᵀ for symmetric quasi-definite systems of 4×4 blocks, without pivoting.
//!
//! A *node* is four scalar unknowns. `Primal` nodes carry the unknowns of objects, `Dual` nodes carry up to
//! four constraint rows; unused components are padded by the caller with a diagonal of +1 (primal) or −1
//! (dual). With
//!
//! ```text
//!     | H   Jᵀ |
//! A = |        |      H positive definite, ε ≥ 0 small,
//!     | J  −ε  |
//! ```
//!
//! and every dual node eliminated after the primal nodes that it touches, P A Pᵀ = L D Lᵀ exists without
//! pivoting: H gives positive pivots and every row of J a negative one.
//!
//! Elimination is scalar elimination in blocks: nothing is multiplied by an explicit inverse on the way, so
//! that stiff stretch beside soft bending costs no more digits than a pivoted LU does.
//!
//! The work is split in three: [`Pattern`] and [`BlockMatrix`] hold the system in the caller's (natural)
//! order; [`Symbolic`] chooses the order of elimination and prepares every index, once per pattern;
//! [`Factor`] holds numbers and refills them without allocating. [`refine()`] removes what a regularising
//! shift has left behind, and [`BandLu`] is the classical banded solver with partial pivoting, kept as a
//! reference.
//!
//! ```
//! use micado_linalg::{Arithmetic, BlockMatrix, Factor, NodeKind, Ordering, Pattern, Symbolic};
//!
//! let mut pattern = Pattern::new();
//! let a = pattern.add_node(NodeKind::Primal);
//! let b = pattern.add_node(NodeKind::Primal);
//! pattern.connect(a, b);
//! let mut matrix = BlockMatrix::new(&pattern);
//! for node in [a, b] {
//!     let slot = matrix.slot(node, node).unwrap();
//!     for c in 0..4 {
//!         matrix.values_mut()[slot][5 * c] = 2.0;
//!     }
//! }
//! let coupling = matrix.slot(a, b).unwrap();
//! matrix.values_mut()[coupling][0] = 1.0;
//!
//! let symbolic = Symbolic::analyse(&matrix, Ordering::Cheapest);
//! let mut factor = Factor::new(&symbolic);
//! let inertia = factor.factorise(&symbolic, &matrix, &[0.0; 8], Arithmetic::Fast).unwrap();
//! assert_eq!(inertia.negative, 0);
//! let mut x = [3.0, 2.0, 2.0, 2.0, 3.0, 2.0, 2.0, 2.0];
//! factor.solve(&symbolic, &mut x, &mut Vec::new(), Arithmetic::Fast);
//! assert!(x.iter().all(|v| (v - 1.0).abs() < 1e-15));
//! ```

mod band_lu;
mod block;
mod components;
mod dense_cholesky;
mod dense_inverse;
mod dense_lu;
mod elimination;
mod factor;
mod graph;
mod kernel;
mod matrix;
mod order;
pub mod pages;
mod pattern;
mod profile_lu;
mod refine;
mod solve;
mod symbolic;

pub use band_lu::{BandLu, BandSingular};
pub use block::Block;
pub use dense_cholesky::{DenseCholesky, product};
pub use dense_inverse::DenseInverse;
pub use dense_lu::DenseLu;
pub use factor::{Factor, Inertia, Singular};
pub use kernel::Arithmetic;
pub use matrix::BlockMatrix;
pub use order::Ordering;
pub use pattern::{NodeKind, Pattern};
pub use profile_lu::ProfileLu;
pub use refine::{RefineWork, Refinement, correct, refine};
pub use symbolic::Symbolic;
