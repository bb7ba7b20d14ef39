//! Shapes of curves: of a rod at the start, of a path.

use crate::describe::units;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shape of a curve.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// A straight line.
    Line(Line),
    /// A sagging line between two points, longer than their distance: a parabola in the direction of `sag`.
    Slack(Slack),
    /// A smooth curve through points.
    Points(Points),
    /// Straight pieces between points.
    Polyline(Polyline),
    /// A circular arc.
    Arc(Arc),
    /// A helix.
    Helix(Helix),
    /// A closed circle.
    Ring(Ring),
    /// A spline by its control points.
    Spline(Spline),
}

impl Default for Shape {
    fn default() -> Self {
        Self::Line(Line { from: [0.0; 3], to: [1.0, 0.0, 0.0] })
    }
}

/// A straight line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Line {
    /// First point, m.
    pub from: [f64; 3],
    /// Last point, m.
    pub to: [f64; 3],
}

/// A sagging line of given length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Slack {
    /// First point, m.
    pub from: [f64; 3],
    /// Last point, m.
    pub to: [f64; 3],
    /// Length, m; at least the distance of the two points.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub length: f64,
    /// Direction in which it sags.
    #[serde(default = "down")]
    pub sag: [f64; 3],
}

fn down() -> [f64; 3] {
    [0.0, 0.0, -1.0]
}

/// A smooth curve through points: a Catmull–Rom spline with centripetal parameters, for any spacing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Points {
    /// Points on the curve, m; at least two.
    pub through: Vec<[f64; 3]>,
    /// Whether the curve returns to its first point.
    #[serde(default)]
    pub closed: bool,
}

/// Straight pieces between points, with arcs in place of the corners if there is a radius. Without one, a
/// spline rounds the corners within a segment.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Polyline {
    /// Corners, m; at least two.
    pub through: Vec<[f64; 3]>,
    /// Radius of the arcs in place of the inner corners, m; they touch the straight pieces, which must be
    /// long enough for them.
    #[serde(default, deserialize_with = "units::length", skip_serializing_if = "units::is_zero")]
    #[schemars(with = "units::QuantityInput")]
    pub radius: f64,
}

/// A circular arc.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Arc {
    /// First point, m.
    pub from: [f64; 3],
    /// Tangent at the first point.
    pub tangent: [f64; 3],
    /// Direction from the first point to the centre, as far as the tangent allows.
    pub towards: [f64; 3],
    /// Radius, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub radius: f64,
    /// Angle of the arc, rad.
    #[serde(deserialize_with = "units::angle")]
    #[schemars(with = "units::QuantityInput")]
    pub angle: f64,
}

/// A helix about an axis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Helix {
    /// Point on the axis at the start, m.
    pub centre: [f64; 3],
    /// Direction of the axis.
    #[serde(default = "up")]
    pub axis: [f64; 3],
    /// Direction from the axis to the first point, as far as the axis allows.
    #[serde(default = "ahead")]
    pub start: [f64; 3],
    /// Radius, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub radius: f64,
    /// Rise per turn, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub pitch: f64,
    /// Number of turns; negative for a left-handed helix.
    pub turns: f64,
}

fn up() -> [f64; 3] {
    [0.0, 0.0, 1.0]
}

fn ahead() -> [f64; 3] {
    [1.0, 0.0, 0.0]
}

/// A closed circle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ring {
    /// Centre, m.
    pub centre: [f64; 3],
    /// Normal of its plane.
    #[serde(default = "up")]
    pub normal: [f64; 3],
    /// Radius, m.
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub radius: f64,
}

/// A clamped cubic B-spline by its control points: a rod with the same number of segments is exactly this
/// curve, its rest length measured along it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Spline {
    /// Control points, m; at least four, three more than there are segments.
    pub control: Vec<[f64; 3]>,
    /// Widths of the segments in the spline's parameter, in any unit; all the same unless given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub widths: Vec<f64>,
    /// Metric of stretch: rest length per unit of a segment's coordinate, m, at the three Gauss points of
    /// each segment; that of the curve unless given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stretch_metric: Vec<f64>,
}
