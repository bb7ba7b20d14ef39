//! Stiffnesses of a rod from E, G, ρ and a section, or given directly.

use crate::describe::units;
use crate::error::{BuildError, check};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Cross-section of a rod. Axis 1 lies along the director m₁, axis 2 along m₂.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Section {
    /// Full circle.
    Circle(Circle),
    /// Full ellipse.
    Ellipse(Ellipse),
    /// Full rectangle.
    Rectangle(Rectangle),
}

/// A full circle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Circle {
    /// Radius, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub radius: f64,
}

/// A full ellipse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ellipse {
    /// Semi-axis along m₁, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub a: f64,
    /// Semi-axis along m₂, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub b: f64,
}

/// A full rectangle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rectangle {
    /// Side along m₁, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub a: f64,
    /// Side along m₂, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub b: f64,
}

/// Integrals over a section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionIntegrals {
    /// Area A, m².
    pub area: f64,
    /// ∫x₁² dA, m⁴: stiffness against bending towards m₁.
    pub inertia_1: f64,
    /// ∫x₂² dA, m⁴: stiffness against bending towards m₂.
    pub inertia_2: f64,
    /// Torsion constant J of Saint-Venant, m⁴.
    pub torsion: f64,
    /// Radius for drawing and contact, m: half the larger width.
    pub radius: f64,
}

impl Section {
    /// Checks the sizes and integrates.
    ///
    /// # Errors
    /// A size that is not positive.
    pub fn integrals(&self) -> Result<SectionIntegrals, BuildError> {
        Ok(match self {
            Self::Circle(Circle { radius }) => {
                let r = check::positive("circle.radius", *radius)?;
                let i = PI * r.powi(4) / 4.0;
                SectionIntegrals { area: PI * r * r, inertia_1: i, inertia_2: i, torsion: 2.0 * i, radius: r }
            }
            Self::Ellipse(Ellipse { a, b }) => {
                let (a, b) = (check::positive("ellipse.a", *a)?, check::positive("ellipse.b", *b)?);
                SectionIntegrals {
                    area: PI * a * b,
                    inertia_1: PI * a.powi(3) * b / 4.0,
                    inertia_2: PI * a * b.powi(3) / 4.0,
                    torsion: PI * (a * b).powi(3) / (a * a + b * b),
                    radius: a.max(b),
                }
            }
            Self::Rectangle(Rectangle { a, b }) => {
                let (a, b) = (check::positive("rectangle.a", *a)?, check::positive("rectangle.b", *b)?);
                SectionIntegrals {
                    area: a * b,
                    inertia_1: a.powi(3) * b / 12.0,
                    inertia_2: a * b.powi(3) / 12.0,
                    torsion: rectangle_torsion(a.max(b), a.min(b)),
                    radius: a.max(b) / 2.0,
                }
            }
        })
    }
}

/// J = a b³ [1/3 − (64/π⁵)(b/a) Σ_{k odd} tanh(kπa/2b)/k⁵] for sides a ≥ b (Saint-Venant's series).
fn rectangle_torsion(a: f64, b: f64) -> f64 {
    let sum: f64 =
        (0..40).map(|i| f64::from(2 * i + 1)).map(|k| libm::tanh(k * PI * a / (2.0 * b)) / k.powi(5)).sum();
    a * b.powi(3) * (1.0 / 3.0 - 64.0 / PI.powi(5) * (b / a) * sum)
}

/// Stiffnesses, for example as measured on a cable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stiffness {
    /// Stretching stiffness EA, N. Not needed by a rod that is `inextensible` and has a `radius` or
    /// `section`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stretch: Option<f64>,
    /// Bending stiffness EI towards m₁, N·m²; for both directions unless `bend_2` is given.
    pub bend: f64,
    /// Bending stiffness EI towards m₂, N·m².
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bend_2: Option<f64>,
    /// Twisting stiffness GJ, N·m².
    pub twist: f64,
}

/// Properties of a rod at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodProperties {
    /// EA, N.
    pub stretch: f64,
    /// EI towards m₁, N·m².
    pub bend_1: f64,
    /// EI towards m₂, N·m².
    pub bend_2: f64,
    /// GJ, N·m².
    pub twist: f64,
    /// Mass per rest length, kg/m.
    pub mass: f64,
    /// Polar moment of inertia per rest length, kg·m.
    pub polar_inertia: f64,
    /// Radius for drawing and contact, m.
    pub radius: f64,
}

#[cfg(test)]
mod tests {
    use super::{Ellipse, Rectangle, Section, rectangle_torsion};

    #[test]
    fn a_square_twists_with_0_1406_a4() {
        // Timoshenko & Goodier, table of torsion constants: 0.1406 for a square, 0.229 for 2:1, 1/3 for a
        // thin strip.
        assert!((rectangle_torsion(1.0, 1.0) - 0.140_577).abs() < 1e-6);
        assert!((rectangle_torsion(2.0, 1.0) / 2.0 - 0.2287).abs() < 1e-4);
        assert!((rectangle_torsion(1e4, 1.0) / 1e4 - 1.0 / 3.0).abs() < 1e-4);
    }

    #[test]
    fn a_circular_ellipse_is_a_circle() {
        let r: f64 = 0.3;
        let e = Section::Ellipse(Ellipse { a: r, b: r }).integrals().unwrap();
        assert!((e.torsion - 2.0 * e.inertia_1).abs() < 1e-16 && (e.inertia_1 - e.inertia_2).abs() < 1e-16);
    }

    #[test]
    fn bending_is_stiffest_along_the_longer_side() {
        let s = Section::Rectangle(Rectangle { a: 0.02, b: 0.01 }).integrals().unwrap();
        assert!((s.inertia_1 / s.inertia_2 - 4.0).abs() < 1e-12);
    }
}
