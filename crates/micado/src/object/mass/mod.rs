//! A point mass: three unknowns and a mass.

use super::rod::Linearisation;
use super::{Describe, Form, Initial, Model, Now, Own, Place, ReadOut, Scalar, Touch, Value};
use crate::describe::anchor::At;
use crate::describe::quantity::Quantity;
use crate::describe::units;
use crate::error::{BuildError, check};
use glam::DVec3;
use micado_linalg::BlockMatrix;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Description of a point mass.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MassDescription {
    /// Initial position, m.
    pub position: [f64; 3],
    /// Mass, kg.
    #[serde(deserialize_with = "units::mass")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: f64,
    /// Initial velocity, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Drawn radius, m.
    #[serde(default, deserialize_with = "units::optional_length", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub radius: Option<f64>,
}

/// A point mass, ready to be stepped. The fourth unknown of its node is unused.
#[derive(Clone, Debug, PartialEq)]
pub struct PointMass {
    /// Mass, kg.
    pub mass: f64,
    /// Drawn radius, m.
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

impl Describe for MassDescription {
    type Model = PointMass;

    fn build(&self) -> Result<Initial<PointMass>, BuildError> {
        let ([x, y, z], [vx, vy, vz]) = (self.position, self.velocity);
        let model = PointMass::build(self)?;
        Ok(Initial { model, q: vec![x, y, z, 0.0], v: vec![vx, vy, vz, 0.0], frames: Vec::new() })
    }

    fn for_explicit_steps(&self) -> Result<Self, BuildError> {
        Ok(self.clone())
    }

    fn at_present(&self, _model: &PointMass, now: &Now<'_>) -> Result<Self, BuildError> {
        let [position, velocity] = [now.own.q, now.v].map(|own| [own[0], own[1], own[2]]);
        Ok(Self { position, velocity, ..self.clone() })
    }
}

impl Model for PointMass {
    fn nodes(&self) -> usize {
        1
    }

    fn scalars(&self, _node: usize) -> [Scalar; 4] {
        Scalar::POINT
    }

    fn for_each_clique(&self, visit: &mut dyn FnMut(&[usize])) {
        visit(&[0]);
    }

    fn pattern(&self) -> u32 {
        0
    }

    fn elements(&self) -> usize {
        0
    }

    fn extent(&self) -> Option<f64> {
        None
    }

    fn total_mass(&self) -> f64 {
        self.mass
    }

    fn node_mass(&self, _node: usize) -> f64 {
        self.mass
    }

    fn add_mass_times(&self, _own: Own<'_>, v: &[f64], out: &mut [f64]) {
        for a in 0..3 {
            out[a] += self.mass * v[a];
        }
    }

    fn linearise(
        &self,
        _own: Own<'_>,
        how: &Linearisation<'_>,
        first: usize,
        matrix: &mut BlockMatrix,
        _force: &mut [f64],
    ) {
        let slot = matrix.row_start(first);
        let block = &mut matrix.values_mut()[slot];
        *block = [0.0; 16];
        for a in 0..3 {
            block[5 * a] = self.mass * how.mass;
        }
        block[15] = 1.0;
    }

    fn subtract_internal_force(&self, _own: Own<'_>, _how: &Linearisation<'_>, _force: &mut [f64]) {}

    fn for_each_witness(&self, visit: &mut dyn FnMut(Place)) {
        visit(Place::at_point(&[0], &[1.0]));
    }

    fn place(&self, name: &str, at: Option<At>, frame: bool) -> Result<Place, BuildError> {
        if frame {
            let problem = format!("`{name}` is a point mass and has no direction to hold");
            return Err(BuildError::new("on", problem, "name a rod or a body"));
        }
        match at {
            Some(_) => {
                let problem = format!("`{name}` is a mass and has no places along it");
                Err(BuildError::new("at", problem, "leave `at` out"))
            }
            None => Ok(Place::at_point(&[0], &[1.0])),
        }
    }

    fn place_along(&self, _s: f64) -> Place {
        Place::at_point(&[0], &[1.0])
    }

    fn form(&self) -> Form<'_> {
        Form::Ball { radius: self.radius }
    }

    fn touch(&self) -> Touch<'_> {
        Touch::Ball { radius: self.radius }
    }

    fn read_outs(&self, now: &Now<'_>, _at: Option<At>) -> Result<Vec<ReadOut>, BuildError> {
        let [position, velocity] = [now.own.q, now.v].map(DVec3::from_slice);
        Ok(vec![
            ReadOut::new("Mass", Value::Number(self.mass), "kg"),
            ReadOut::of("Position", Value::Vector(position), Quantity::Position),
            ReadOut::of("Speed", Value::Number(velocity.length()), Quantity::Velocity).main(),
        ])
    }
}
