//! The matter of a shape, and the mass properties that it gives with a density.

use super::integrals::Integrals;
use super::surface::Surface;
use super::{Principal, check_inertia};
use crate::error::{BuildError, check};
use crate::geometry::skin::{Form, Part, Pose};
use crate::short::Short;
use glam::{DMat3, DVec3};

/// The matter of a shape and its surface, in the axes of the shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Solid {
    /// Volume, m³; 0 for half-spaces and ground.
    pub volume: f64,
    /// Centre of the volume, m. It is the centre of mass unless parts have densities of their own.
    pub centre: DVec3,
    /// `C = ∫ (x−c)(x−c)ᵀ dV` about the centre of the volume, m⁵.
    pub moments: DMat3,
    /// Volume integrals of the parts that take the density of the body.
    pub plain: Integrals,
    /// Mass integrals of the parts that have a density of their own, kg.
    pub weighted: Integrals,
    /// Whether a half-space or ground is part of it; these have infinite extent and no mass.
    pub endless: bool,
    /// Surface, for drawing and export.
    pub surface: Surface,
    /// Parts of its skin, for contacts; none if it was built for drawing only.
    pub skin: Vec<Part>,
    /// Meshes that were inside out.
    pub turned: Vec<TurnedMesh>,
}

/// A mesh that was inside out, so that all its triangles were turned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnedMesh {
    /// Its path in the description.
    pub path: String,
    /// Its file, if it has one.
    pub file: Option<String>,
}

impl TurnedMesh {
    /// This mesh, with its path below another path.
    #[must_use]
    pub fn within(&self, path: &str) -> Self {
        let dot = if path.is_empty() { "" } else { "." };
        Self { path: format!("{path}{dot}{}", self.path), file: self.file.clone() }
    }
}

/// Mass, centre of mass and inertia.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass, kg.
    pub mass: f64,
    /// Centre of mass in the axes of the shape, m.
    pub centre: DVec3,
    /// Inertia about the centre of mass, along the axes of the shape, kg·m².
    pub inertia: DMat3,
    /// Principal moments and axes of the inertia.
    pub principal: Principal,
}

impl Solid {
    /// Matter that takes the density of the body.
    pub(super) fn plain(matter: Integrals, surface: Surface) -> Self {
        Self {
            volume: matter.amount,
            centre: matter.centre,
            moments: matter.moments,
            plain: matter,
            weighted: Integrals::NONE,
            endless: false,
            surface,
            skin: Vec::new(),
            turned: Vec::new(),
        }
    }

    /// This solid with a skin of one part.
    pub(super) fn covered(self, form: Form) -> Self {
        Self { skin: vec![Part::new(form, Pose::IDENTITY)], ..self }
    }

    /// Volume, centre and moments together.
    pub fn geometry(&self) -> Integrals {
        Integrals { amount: self.volume, centre: self.centre, moments: self.moments }
    }

    /// Inertia about the centre of mass if the body has the density `density` (kg/m³), kg·m²:
    /// `I = ρ (tr C Id − C)`, summed over the parts if some have densities of their own.
    pub fn inertia(&self, density: f64) -> DMat3 {
        self.mass_integrals(density).inertia()
    }

    fn mass_integrals(&self, density: f64) -> Integrals {
        self.plain.times(density).plus(self.weighted)
    }

    /// Mass properties if the body has the density `density`, kg/m³. Parts with a density keep theirs.
    ///
    /// # Errors
    /// A half-space, a density that is not positive, or an inertia that is zero or overflows; `path` is the
    /// path of the density.
    pub fn with_density(&self, path: &str, density: f64) -> Result<MassProperties, BuildError> {
        self.refuse_endless(path)?;
        check::positive(path, density)?;
        properties(path, self.mass_integrals(density))
    }

    /// Mass properties if the whole weighs `mass`, kg. Parts without a density share what the others leave.
    /// If all have one, all densities are scaled.
    ///
    /// # Errors
    /// A half-space, a mass that is not positive, parts that are heavier than the mass, or an inertia that is
    /// zero or overflows; `path` is the path of the mass.
    pub fn with_mass(&self, path: &str, mass: f64) -> Result<MassProperties, BuildError> {
        self.refuse_endless(path)?;
        check::positive(path, mass)?;
        let given = self.weighted.amount;
        if self.plain.amount == 0.0 && given > 0.0 {
            return properties(path, self.weighted.times(mass / given));
        }
        if mass <= given {
            return Err(BuildError::new(
                path,
                format!("parts with a density weigh {} kg, the whole {} kg", Short(given), Short(mass)),
                "give a larger mass or smaller densities",
            ));
        }
        properties(path, self.mass_integrals((mass - given) / self.plain.amount))
    }

    fn refuse_endless(&self, path: &str) -> Result<(), BuildError> {
        if self.endless {
            let remedy = "write `fixed = true`, give `mass` and `inertia`, or use a box";
            return Err(BuildError::new(path, "a shape of infinite extent has no mass", remedy));
        }
        Ok(())
    }
}

fn properties(path: &str, matter: Integrals) -> Result<MassProperties, BuildError> {
    check::positive(path, matter.amount)?;
    let inertia = matter.inertia();
    let principal = check_inertia(path, inertia)?;
    Ok(MassProperties { mass: matter.amount, centre: matter.centre, inertia, principal })
}
