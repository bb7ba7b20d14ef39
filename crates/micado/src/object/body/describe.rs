//! Description of a rigid body.

use super::shape::{Compound, Cuboid, Part, Shape, Solid, check_inertia};
use super::{Body, NamedAnchor, rotation};
use crate::describe::anchor::{AnchorName, At, BodyAnchor};
use crate::describe::units;
use crate::error::{BuildError, check};
use crate::geometry::rotation::{any_normal, log_of, orthonormal_to, rotation_of};
use crate::geometry::skin::{Pose, Skin};
use crate::object::{Describe, Initial, Now};
use glam::{DMat3, DQuat, DVec3};
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
    /// Shape. Without one, mass and inertia must be given, and a box of that inertia is drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// Density, kg/m³; gives mass, centre of mass and inertia from the shape.
    #[serde(default, deserialize_with = "units::optional_density", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub density: Option<f64>,
    /// Mass, kg, instead of a density.
    #[serde(default, deserialize_with = "units::optional_mass", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub mass: Option<f64>,
    /// Centre of mass in its axes, m; that of the shape unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<[f64; 3]>,
    /// Inertia about the centre of mass in its axes; that of the shape unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inertia: Option<Inertia>,
    /// Whether nothing moves it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub fixed: bool,
    /// Points in its axes, m, by name; each may have axes of its own. `centre` is the centre of mass unless
    /// it is given here.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    pub anchors: IndexMap<String, BodyAnchor>,
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
    /// The matrix, if a body can have it.
    fn checked(&self, path: &str) -> Result<DMat3, BuildError> {
        check::finite_vector(&format!("{path}.moments"), self.moments)?;
        check::finite_vector(&format!("{path}.products"), self.products)?;
        check_inertia(path, self.matrix()).map(|_| self.matrix())
    }

    /// The matrix.
    pub fn matrix(&self) -> DMat3 {
        let ([xx, yy, zz], [xy, xz, yz]) = (self.moments, self.products);
        DMat3::from_cols(DVec3::new(xx, xy, xz), DVec3::new(xy, yy, yz), DVec3::new(xz, yz, zz))
    }
}

/// Name of the anchor at the centre of mass.
const CENTRE: &str = "centre";

impl BodyAnchor {
    /// The point, m, and its own axes if it has any.
    fn checked(&self, path: &str) -> Result<(DVec3, Option<DQuat>), BuildError> {
        let frame = match self {
            Self::Point(point) => return Ok((check::finite_vector(path, *point)?, None)),
            Self::Framed(frame) => frame,
        };
        let within = |field: &str| format!("{path}.{field}");
        let point = check::finite_vector(&within("point"), frame.point)?;
        let axes = match (frame.rotation, frame.axis) {
            (Some(_), Some(_)) => {
                let problem = "there is a `rotation` as well";
                return Err(BuildError::new(within("axis"), problem, "give one of them"));
            }
            (Some(rotation), None) => rotation_of(check::finite_vector(&within("rotation"), rotation)?),
            (None, Some(axis)) => {
                let first = check::direction(&within("axis"), axis)?;
                let second = match frame.up {
                    None => any_normal(first, DVec3::Z),
                    Some(up) => {
                        let up = check::direction(&within("up"), up)?;
                        if up.cross(first).length() < 1e-6 {
                            let problem = "it lies along `axis`";
                            return Err(BuildError::new(within("up"), problem, "give another direction"));
                        }
                        orthonormal_to(first, up)
                    }
                };
                DQuat::from_mat3(&DMat3::from_cols(first, second, first.cross(second)))
            }
            (None, None) => DQuat::IDENTITY,
        };
        if let (Some(_), None) = (frame.up, frame.axis) {
            let problem = "it belongs to `axis`, which is not given";
            return Err(BuildError::new(within("up"), problem, "give `axis`, or leave `up` out"));
        }
        Ok((point, Some(axes)))
    }
}

impl BodyDescription {
    fn model(&self) -> Result<Body, BuildError> {
        let solid = self.shape.as_ref().map(|shape| shape.solid("shape")).transpose()?;
        let mass = self.mass.map(|mass| check::positive("mass", mass)).transpose()?;
        let centre = self.centre.map(|centre| check::finite_vector("centre", centre)).transpose()?;
        let inertia = self.inertia.map(|inertia| inertia.checked("inertia")).transpose()?;
        let of_solid = |solid: &Solid| match (mass, self.density) {
            (Some(_), Some(_)) => {
                Err(BuildError::new("density", "there is a `mass` as well", "give one of them"))
            }
            (Some(mass), None) => solid.with_mass("mass", mass),
            (None, Some(density)) => solid.with_density("density", density),
            (None, None) => {
                let remedy = "write `density` or `mass`, or `fixed = true`";
                Err(BuildError::new("density", "a free body needs a mass", remedy))
            }
        };
        if let Some(solid) = solid.as_ref().filter(|solid| solid.endless && !self.fixed) {
            return of_solid(solid)
                .and_then(|_| Err(BuildError::new("shape", "it has no end", "write `fixed = true`")));
        }
        let (mass, own_centre, own_inertia) = match (&solid, mass, inertia) {
            // Nothing moves it, so its mass has no effect.
            _ if self.fixed => (1.0, DVec3::ZERO, DMat3::IDENTITY),
            (_, Some(mass), Some(inertia)) if self.density.is_none() => (mass, DVec3::ZERO, inertia),
            (Some(solid), ..) => {
                let of = of_solid(solid)?;
                (of.mass, of.centre, inertia.unwrap_or(of.inertia))
            }
            (None, ..) => {
                let remedy = "write `shape` with `density`, or `mass` and `inertia`";
                return Err(BuildError::new("shape", "a free body needs a shape", remedy));
            }
        };
        let centre = centre.unwrap_or_else(|| match &solid {
            Some(solid) if inertia.is_some() && !solid.endless => solid.centre,
            _ => own_centre,
        });
        let solid = match solid {
            Some(solid) => Some(solid),
            None if self.fixed => None,
            None => Some(equal_box(mass, own_inertia, centre)?),
        };
        let (surface, parts, turned) =
            solid.map(|solid| (solid.surface, solid.skin, solid.turned)).unwrap_or_default();
        let about_centre = Pose::at(-centre);
        let skin = Skin::new(parts.iter().map(|part| part.placed(&about_centre)).collect());
        let far = surface.vertices.iter().map(|x| (DVec3::from_array(*x) - centre).length());
        let radius = far.fold(0.0, f64::max);
        let anchors = self.anchors(centre)?;
        let surface = Box::new(surface);
        let fixed = self.fixed;
        Ok(Body { mass, centre, inertia: own_inertia, anchors, radius, surface, skin, turned, fixed })
    }

    fn anchors(&self, centre: DVec3) -> Result<Vec<NamedAnchor>, BuildError> {
        let mut anchors = Vec::new();
        for (name, anchor) in &self.anchors {
            let path = format!("anchors.{name}");
            let known = AnchorName::new(name)
                .map_err(|problem| BuildError::new(&path, problem, "choose another name"))?;
            if At::parse(name).is_ok() {
                let problem = format!("\"{name}\" is a place along a rod");
                return Err(BuildError::new(&path, problem, "choose another name"));
            }
            let (point, axes) = anchor.checked(&path)?;
            anchors.push(NamedAnchor { name: known, point, axes });
        }
        if !self.anchors.contains_key(CENTRE) {
            anchors.extend(AnchorName::new(CENTRE).map(|name| NamedAnchor {
                name,
                point: centre,
                axes: None,
            }));
        }
        Ok(anchors)
    }
}

/// A box with this mass and these moments of inertia, Ix = m (b² + c²)/12, about the centre.
fn equal_box(mass: f64, inertia: DMat3, centre: DVec3) -> Result<Solid, BuildError> {
    let moments = DVec3::new(inertia.x_axis.x, inertia.y_axis.y, inertia.z_axis.z);
    let sum = moments.element_sum();
    let sides = ((DVec3::splat(sum) - 2.0 * moments) * (6.0 / mass)).max(DVec3::ZERO);
    // A flat body is drawn with some thickness.
    let sides = DVec3::from_array(sides.to_array().map(f64::sqrt));
    let sides = sides.max(DVec3::splat(0.02 * sides.max_element()));
    let part = Part {
        shape: Shape::Box(Cuboid { size: sides.to_array() }),
        position: centre.to_array(),
        rotation: [0.0; 3],
        density: None,
    };
    Shape::Compound(Compound { parts: vec![part] }).solid("inertia")
}

impl Describe for BodyDescription {
    type Model = Body;

    fn build(&self) -> Result<Initial<Body>, BuildError> {
        let model = self.model()?;
        let position = check::finite_vector("position", self.position)?;
        let turned = rotation_of(check::finite_vector("rotation", self.rotation)?);
        let velocity = check::finite_vector("velocity", self.velocity)?;
        let spin = check::finite_vector("spin", self.spin)?;
        if self.fixed && (velocity != DVec3::ZERO || spin != DVec3::ZERO) {
            let path = if velocity == DVec3::ZERO { "spin" } else { "velocity" };
            return Err(BuildError::new(path, "a fixed body does not move", "leave it out, or `fixed`"));
        }
        let c = position + turned * model.centre;
        let q = [c.x, c.y, c.z, 0.0].into_iter().chain(turned.to_array()).collect();
        let v = vec![velocity.x, velocity.y, velocity.z, 0.0, spin.x, spin.y, spin.z, 0.0];
        Ok(Initial { model, q, v, frames: Vec::new() })
    }

    fn at_present(&self, model: &Body, now: &Now<'_>) -> Result<Self, BuildError> {
        let turned = rotation(now.own.q);
        let position = DVec3::from_slice(now.own.q) - turned * model.centre;
        let [velocity, spin] = [now.v, &now.v[4..]].map(|v| [v[0], v[1], v[2]]);
        let (position, rotation) = (position.to_array(), log_of(turned).to_array());
        Ok(Self { position, rotation, velocity, spin, ..self.clone() })
    }
}
