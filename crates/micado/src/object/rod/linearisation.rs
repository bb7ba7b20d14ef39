//! Parameters of the linearisation of a rod.

use std::cell::Cell;

/// Form of the second derivative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangent {
    /// Sums of squares only.
    GaussNewton,
    /// Gauss–Newton and the stiffening by tension.
    Psd,
    /// The exact second derivative.
    Exact,
}

/// Parameters of the linearisation of a rod.
#[derive(Clone, Copy, Debug)]
pub struct Linearisation<'a> {
    /// Form of the second derivative.
    pub tangent: Tangent,
    /// Factor of the mass matrix in the system matrix.
    pub mass: f64,
    /// Viscous stress is this times the elastic stress of the strain since `strain_before`.
    pub viscosity: f64,
    /// Reference strains of viscous stress, in the order of the model; the present ones unless given.
    pub strain_before: Option<&'a [f64]>,
    /// Stretches whose tension gives the stiffness across the rod; the present ones unless given. After a
    /// linearised solve an edge that turns is too long, and its present stretch would count as tension.
    pub carried: Option<&'a [f64]>,
    /// Given if the frames belong to an earlier state: the linearisation then transports them to the present
    /// tangents, and lowers this number to the least cosine between an old and a new tangent.
    pub ahead: Option<&'a Cell<f64>>,
    /// Arithmetic of the kernel.
    pub arithmetic: micado_linalg::Arithmetic,
}
