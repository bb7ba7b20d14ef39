//! The table: what exists, and the order of the arrays of a frame.

use micado::constraint::Limit;
use micado::scene::{Quantity, RodEnd};
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

/// What exists, in the order of the arrays of a frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Table {
    /// Number of the table; frames name the one that they belong to.
    pub serial: u32,
    pub objects: Vec<ObjectRow>,
    pub constraints: Vec<ConstraintRow>,
    pub springs: Vec<SpringRow>,
    pub loads: Vec<LoadRow>,
    pub winches: Vec<WinchRow>,
    pub probes: Vec<ProbeRow>,
}

/// A rod, a mass or a pearl.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct ObjectRow {
    pub name: String,
    pub kind: ObjectKind,
    /// Number of points in every frame. Those of a rod are spread evenly by rest arc length.
    pub points: u32,
    /// Rest length, m; 0 for masses and pearls.
    pub length: f64,
    /// Radius, m: one, or one per point.
    pub radii: Vec<f64>,
    /// Whether it is a rod whose end is its start.
    pub closed: bool,
}

/// Kind of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ObjectKind {
    Rod,
    Mass,
    Pearl,
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct ConstraintRow {
    pub name: String,
    /// Kind in the words of the scene file.
    pub kind: String,
    /// Name of the object that it holds.
    pub on: String,
    /// Name of the object at its other end; null where that is the world.
    pub to: Option<String>,
    /// Whether it is the hand of a page.
    pub hand: bool,
    /// Least force at which a clip may open, N.
    pub strength: Option<f64>,
    pub marker: Marker,
}

/// Appearance of a constraint; its place and direction are in the frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Marker {
    pub kind: MarkerKind,
    /// Of a distance, the side on which it may be. A plane with `at-least` keeps things on the side of its
    /// normal.
    pub limit: Limit,
    /// Points of a curve when the table was made, m; otherwise none.
    pub points: Vec<[f64; 3]>,
}

/// Symbol of a constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum MarkerKind {
    #[default]
    Point,
    Target,
    Clamp,
    Jaws,
    Tangent,
    Roll,
    Plane,
    Axis,
    Distance,
    Circle,
    Curve,
    Ring,
    Joint,
    Clip,
    Pearl,
}

/// A spring.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct SpringRow {
    pub name: String,
    pub kind: SpringKind,
}

/// Kind of a spring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum SpringKind {
    Linear,
    Torsional,
}

/// A load.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct LoadRow {
    pub name: String,
    pub kind: LoadKind,
}

/// Kind of a load.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum LoadKind {
    Force,
    Moment,
    Distributed,
    Drag,
}

/// A winch.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct WinchRow {
    pub name: String,
    /// Name of its rod.
    pub on: String,
    /// The end of the rod at which it is.
    pub at: RodEnd,
}

/// A probe.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct ProbeRow {
    pub name: String,
    pub unit: &'static str,
    /// Name of what it reads.
    pub of: String,
    pub read: Quantity,
}
