//! How a rod's energy is to be linearised.

/// Which second derivative is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tangent {
    /// Sums of squares only.
    GaussNewton,
    /// Gauss–Newton and the stiffening by tension.
    Psd,
    /// The exact second derivative.
    Exact,
}

/// How a rod is to be linearised.
#[derive(Clone, Copy, Debug)]
pub struct Linearisation<'a> {
    /// Which second derivative.
    pub tangent: Tangent,
    /// Factor of the mass matrix in the system matrix.
    pub mass: f64,
    /// Viscous stress is this times the elastic stress of the strain since `strain_before`.
    pub viscosity: f64,
    /// Strains from which viscous stress is counted, in the model's own order; the present ones unless given.
    pub strain_before: Option<&'a [f64]>,
    /// Arithmetic of the kernel.
    pub arithmetic: micado_linalg::Arithmetic,
}
