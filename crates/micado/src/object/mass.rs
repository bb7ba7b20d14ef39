//! A point mass: three unknowns, a mass and nothing else.

use crate::describe::units;
use crate::error::{BuildError, check};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Description of a point mass.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MassDescription {
    /// Position at the start, m.
    pub position: [f64; 3],
    /// Mass, kg.
    #[serde(deserialize_with = "units::mass")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: f64,
    /// Velocity at the start, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Radius that is drawn, m.
    #[serde(default, deserialize_with = "units::optional_length", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub radius: Option<f64>,
}

/// A point mass, ready to be stepped. Its node carries (x, y, z); the fourth unknown is unused.
#[derive(Clone, Debug, PartialEq)]
pub struct PointMass {
    /// Mass, kg.
    pub mass: f64,
    /// Radius that is drawn, m.
    pub radius: f64,
}

impl PointMass {
    /// Checks and builds.
    ///
    /// # Errors
    /// A mass or radius that is not positive, a position or velocity that is not finite.
    pub fn build(description: &MassDescription) -> Result<Self, BuildError> {
        check::finite_vector("position", description.position)?;
        check::finite_vector("velocity", description.velocity)?;
        let mass = check::positive("mass", description.mass)?;
        let radius = match description.radius {
            Some(radius) => check::positive("radius", radius)?,
            // A ball of lead.
            None => (3.0 * mass / (4.0 * std::f64::consts::PI * 11_340.0)).cbrt(),
        };
        Ok(Self { mass, radius })
    }
}
