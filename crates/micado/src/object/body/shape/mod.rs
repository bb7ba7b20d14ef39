//! Shapes of rigid bodies: what a scene file says, the matter within, and the surface to draw.
//!
//! Lengths are in metres and in the axes of the shape. Where its origin is:
//!
//! | shape | origin |
//! |---|---|
//! | `sphere`, `box` | centre |
//! | `capsule`, `cylinder` | middle of the axis, which is x |
//! | `cone` | middle of the axis, which is x: the base is at −length/2, the apex at +length/2 |
//! | `half-space` | a point of its plane; the normal is z |
//! | `height-field` | middle of the grid, at height 0; the height is z |
//! | `hull`, `mesh`, `compound` | as given |
//!
//! The centre of mass is [`Solid::centre`]; of a cone, hull, mesh or compound it is not the origin.

mod build;
mod check;
mod heights;
mod hull;
mod inertia;
mod integrals;
mod intersect;
mod primitive;
mod solid;
mod surface;
#[cfg(test)]
mod tests;

pub use heights::{Heights, Spacing};
pub use inertia::{Principal, check_inertia};
pub use integrals::{Integrals, mesh_integrals};
pub use solid::{MassProperties, Solid, TurnedMesh};
pub use surface::Surface;

use crate::describe::units;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shape of a rigid body.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "BodyShape")]
pub enum Shape {
    /// A ball.
    Sphere(Sphere),
    /// A box with edges along the axes.
    Box(Cuboid),
    /// A cylinder along x with a half ball at each end.
    Capsule(Capsule),
    /// A cylinder along x.
    Cylinder(Cylinder),
    /// A cone along x; its apex points towards +x.
    Cone(Cone),
    /// The convex hull of points.
    Hull(Hull),
    /// All space below z = 0. It has no mass: the body must be fixed, or give mass and inertia.
    HalfSpace(HalfSpace),
    /// Ground: all space below a grid of heights. The body must be fixed.
    HeightField(Heights),
    /// A closed surface of triangles.
    Mesh(Mesh),
    /// Several shapes that move as one.
    Compound(Compound),
}

/// A ball. Its origin is the centre.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Sphere {
    /// Radius, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
}

/// A box with edges along the axes. Its origin is the centre.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "Box")]
pub struct Cuboid {
    /// Full sizes along x, y and z, m.
    #[serde(deserialize_with = "units::three_lengths")]
    #[schemars(with = "[units::QuantityInput; 3]")]
    pub size: [f64; 3],
}

/// A cylinder along x with a half ball at each end. Its origin is the middle of the axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Capsule {
    /// Radius, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Length of the straight part, m; the whole is longer by twice the radius.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub length: f64,
}

/// A cylinder along x. Its origin is the middle of the axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cylinder {
    /// Radius, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Length along x, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub length: f64,
}

/// A cone along x. Its origin is the middle of the axis; the centre of mass is a quarter of the length
/// behind it, towards the base.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cone {
    /// Radius of the base, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub radius: f64,
    /// Length from the base to the apex, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub length: f64,
}

/// The convex hull of points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hull {
    /// Points, m: at least four, not all in one plane. Points within the hull have no effect.
    pub points: Vec<[f64; 3]>,
}

/// All space below z = 0. It is drawn as a square of 20 m.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HalfSpace {}

/// A closed surface of triangles, from a file or given inline.
///
/// Coordinates are kept in `unit`, as the file has them. Cavities are shells whose triangles are turned.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Mesh {
    /// STL, OBJ or PLY file, relative to the folder of the scene. It is not read if `vertices` are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Unit of the coordinates in the file, or of `vertices`.
    pub unit: LengthUnit,
    /// Factor on all coordinates; 1 if left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub scale: Option<f64>,
    /// Corners, in `unit`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vertices: Vec<[f64; 3]>,
    /// Three corners of each triangle, counted from 0, counterclockwise seen from outside.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// Metres per unit of the coordinates.
    pub fn metres(&self) -> f64 {
        self.unit.metres() * self.scale.unwrap_or(1.0)
    }

    /// Whether the file is still to be read.
    pub fn is_unread(&self) -> bool {
        self.file.is_some() && self.vertices.is_empty() && self.triangles.is_empty()
    }
}

/// Unit of the coordinates of a mesh. Most files don't say it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LengthUnit {
    /// Metres.
    #[default]
    M,
    /// Centimetres.
    Cm,
    /// Millimetres.
    Mm,
    /// Inches.
    In,
}

impl LengthUnit {
    /// Metres per unit.
    pub fn metres(self) -> f64 {
        match self {
            Self::M => 1.0,
            Self::Cm => 1e-2,
            Self::Mm => 1e-3,
            Self::In => 0.0254,
        }
    }
}

/// Several shapes that move as one. Where parts overlap, the matter of both counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Compound {
    /// The parts.
    pub parts: Vec<Part>,
}

/// A part of a compound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Part {
    /// Shape.
    pub shape: Shape,
    /// Place of the origin of the shape in the axes of the compound, m.
    #[serde(default)]
    pub position: [f64; 3],
    /// Rotation from the axes of the shape to those of the compound, as a rotation vector, rad.
    #[serde(default)]
    pub rotation: [f64; 3],
    /// Density, kg/m³; that of the body if left out.
    #[serde(default, deserialize_with = "units::optional_density", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub density: Option<f64>,
}
