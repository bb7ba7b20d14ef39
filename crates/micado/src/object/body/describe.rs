//! Description of a rigid body.

use super::{Body, rotation};
use crate::describe::anchor::{AnchorName, At};
use crate::describe::units;
use crate::error::{BuildError, check};
use crate::geometry::rotation::{log_of, rotation_of};
use crate::object::{Describe, Initial, Now};
use glam::{DMat3, DVec3};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Description of a rigid body.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyDescription {
    /// Initial position of the origin of its axes, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Initial rotation of its axes: rotation vector, rad, world axes.
    #[serde(default)]
    pub rotation: [f64; 3],
    /// Initial velocity of its centre of mass, m/s.
    #[serde(default)]
    pub velocity: [f64; 3],
    /// Initial angular velocity, rad/s, world axes.
    #[serde(default)]
    pub spin: [f64; 3],
    /// Mass, kg.
    #[serde(deserialize_with = "units::mass")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub mass: f64,
    /// Centre of mass in its axes, m.
    #[serde(default)]
    pub centre: [f64; 3],
    /// Inertia about the centre of mass in its axes.
    pub inertia: Inertia,
    /// Points in its axes, m, by name. `centre` is the centre of mass unless it is given here.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub anchors: IndexMap<String, [f64; 3]>,
}

/// Inertia about the centre of mass, body axes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inertia {
    /// Moments of inertia Ixx, Iyy and Izz, kg·m².
    pub moments: [f64; 3],
    /// Products of inertia Ixy, Ixz and Iyz, kg·m²: the entries of the matrix, −∫xy dm and so on.
    #[serde(default)]
    pub products: [f64; 3],
}

impl Inertia {
    /// The matrix.
    pub fn matrix(&self) -> DMat3 {
        let ([xx, yy, zz], [xy, xz, yz]) = (self.moments, self.products);
        DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
    }
}

/// Name of the anchor at the centre of mass.
const CENTRE: &str = "centre";

impl BodyDescription {
    fn model(&self) -> Result<Body, BuildError> {
        let mass = check::positive("mass", self.mass)?;
        let centre = check::finite_vector("centre", self.centre)?;
        check::finite_vector("inertia.moments", self.inertia.moments)?;
        check::finite_vector("inertia.products", self.inertia.products)?;
        let inertia = self.inertia.matrix();
        let mut anchors = Vec::new();
        for (name, point) in &self.anchors {
            let path = format!("anchors.{name}");
            let known = AnchorName::new(name)
                .map_err(|problem| BuildError::new(&path, problem, "choose another name"))?;
            if At::parse(name).is_ok() {
                let problem = format!("\"{name}\" is a place along a rod");
                return Err(BuildError::new(&path, problem, "choose another name"));
            }
            anchors.push((known, check::finite_vector(&path, *point)?));
        }
        if !self.anchors.contains_key(CENTRE) {
            anchors.extend(AnchorName::new(CENTRE).map(|name| (name, centre)));
        }
        // A ball of the same mean moment of inertia, 2/5 m r².
        let mean = (inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z) / 3.0;
        let radius = (2.5 * mean / mass).sqrt();
        Ok(Body { mass, centre, inertia, anchors, radius })
    }
}

impl Describe for BodyDescription {
    type Model = Body;

    fn build(&self) -> Result<Initial<Body>, BuildError> {
        let model = self.model()?;
        let position = check::finite_vector("position", self.position)?;
        let turned = rotation_of(check::finite_vector("rotation", self.rotation)?);
        let velocity = check::finite_vector("velocity", self.velocity)?;
        let spin = check::finite_vector("spin", self.spin)?;
        let c = position + turned * model.centre;
        let q = [c.x, c.y, c.z, 0.0].into_iter().chain(turned.to_array()).collect();
        let v = vec![velocity.x, velocity.y, velocity.z, 0.0, spin.x, spin.y, spin.z, 0.0];
        Ok(Initial { model, q, v, frames: Vec::new() })
    }

    fn at_present(&self, model: &Body, now: &Now<'_>) -> Result<Self, BuildError> {
        let turned = rotation(now.own.q);
        let position = DVec3::from_slice(now.own.q) - turned * model.centre;
        let [velocity, spin] = [&now.v[..], &now.v[4..]].map(|v| [v[0], v[1], v[2]]);
        let (position, rotation) = (position.to_array(), log_of(turned).to_array());
        Ok(Self { position, rotation, velocity, spin, ..self.clone() })
    }
}
