//! The table: what exists, and the order of the arrays of a frame.
//!
//! Tables are written as JSON in the header, and with postcard in frames. Postcard numbers the variants of
//! enums: add new ones at the end.

use super::mesh::MeshSize;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Relative change of a rod's length that requires a new table.
const LENGTH_CHANGE: f64 = 0.005;

/// All items of the scene, in the order of the arrays of a frame. A frame has a new table if something
/// appeared, disappeared or changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Table {
    /// Objects, in the order of the points.
    pub objects: Vec<ObjectRow>,
    /// Constraints.
    pub constraints: Vec<ConstraintRow>,
    /// Springs.
    pub springs: Vec<SpringRow>,
    /// Loads.
    pub loads: Vec<LoadRow>,
    /// Winches.
    pub winches: Vec<WinchRow>,
    /// Probes.
    pub probes: Vec<ProbeRow>,
    /// Coordinates of joints that have limits or a motor.
    pub gauges: Vec<GaugeRow>,
}

impl Table {
    /// Number of points of all objects together.
    pub fn point_count(&self) -> u64 {
        self.objects.iter().map(|object| u64::from(object.points)).sum()
    }

    /// Height of the floor in a frame of this table, m; `None` without a floor.
    pub fn floor(&self, points: &[[f64; 3]]) -> Option<f64> {
        let floor = self.objects.iter().position(|object| object.kind == ObjectKind::Floor)?;
        points.get(self.point_range(floor)?.start).map(|point| point[2])
    }

    /// Number of objects that have an orientation.
    pub fn body_count(&self) -> usize {
        self.bodies().count()
    }

    /// Objects that have an orientation, in the order of the orientations of a frame, each with the index of
    /// its point.
    pub fn bodies(&self) -> impl Iterator<Item = (&ObjectRow, usize)> {
        let with_first = self.objects.iter().scan(0_usize, |first, object| {
            let here = *first;
            *first = first.saturating_add(object.points as usize);
            Some((object, here))
        });
        with_first.filter(|(object, _)| object.kind.has_orientation())
    }

    /// Range of the points of object `index` in the arrays of a frame.
    pub fn point_range(&self, index: usize) -> Option<std::ops::Range<usize>> {
        let object = self.objects.get(index)?;
        let before: u64 = self.objects[..index].iter().map(|other| u64::from(other.points)).sum();
        let start = usize::try_from(before).ok()?;
        Some(start..start.checked_add(object.points as usize)?)
    }

    /// Whether this table still describes `now`. Curves may be displaced, because frames move them, and
    /// lengths of rods by less than half a percent.
    pub fn serves(&self, now: &Self) -> bool {
        let Self { objects, constraints, springs, loads, winches, probes, gauges } = self;
        let object = |(old, new): (&ObjectRow, &ObjectRow)| {
            (new.length - old.length).abs() <= LENGTH_CHANGE * old.length
                && *old == ObjectRow { length: old.length, ..new.clone() }
        };
        let constraint = |(old, new): (&ConstraintRow, &ConstraintRow)| {
            let same_shape = is_displaced(&old.marker.points, &new.marker.points);
            let mut new = new.clone();
            new.marker.points.clone_from(&old.marker.points);
            *old == new && same_shape
        };
        objects.len() == now.objects.len()
            && constraints.len() == now.constraints.len()
            && (springs, loads, winches, probes) == (&now.springs, &now.loads, &now.winches, &now.probes)
            && *gauges == now.gauges
            && objects.iter().zip(&now.objects).all(object)
            && constraints.iter().zip(&now.constraints).all(constraint)
    }

    /// The problem, if the table can't be written.
    pub(super) fn problem(&self) -> Option<String> {
        for object in &self.objects {
            if object.radii.len() > 1 && object.radii.len() != object.points as usize {
                return Some(format!(
                    "object `{}` has {} points but {} radii (allowed: none, one, or one per point)",
                    object.name,
                    object.points,
                    object.radii.len()
                ));
            }
            if object.radii.iter().any(|radius| !radius.is_finite()) {
                return Some(format!("object `{}` has a radius that is not finite", object.name));
            }
        }
        None
    }

    /// The problem, if a mesh that the table names does not fit its object.
    pub(super) fn mesh_problem(&self, meshes: &[MeshSize]) -> Option<String> {
        self.objects.iter().find_map(|object| {
            let index = object.mesh?;
            let Some(mesh) = meshes.get(index as usize) else {
                return Some(format!("object `{}` names mesh {index} of {}", object.name, meshes.len()));
            };
            let corners = if mesh.vertices > 0 { mesh.vertices } else { object.points };
            (mesh.corners > corners).then(|| {
                format!(
                    "object `{}` has a triangle or an edge that names a vertex beyond its {corners} points",
                    object.name
                )
            })
        })
    }
}

/// Whether a curve is another one displaced without rotation, to a hundredth of its size; or is not given.
fn is_displaced(old: &[[f64; 3]], new: &[[f64; 3]]) -> bool {
    let (Some(from), Some(to)) = (old.first(), new.first()) else { return true };
    let away = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|i| (a[i] - b[i]).abs()).fold(0.0, f64::max);
    let size = old.iter().map(|point| away(point, from)).fold(0.0, f64::max);
    let moved = |(a, b): (&[f64; 3], &[f64; 3])| {
        (0..3).all(|i| ((b[i] - to[i]) - (a[i] - from[i])).abs() <= 0.01 * size)
    };
    old.len() == new.len() && old.iter().zip(new).all(moved)
}

/// An object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ObjectRow {
    /// Name in the scene.
    pub name: String,
    /// Its kind.
    pub kind: ObjectKind,
    /// Number of points in every frame. Points of a rod are evenly spaced by rest arc length.
    pub points: u32,
    /// Rest length, m; 0 for other objects than rods.
    pub length: f64,
    /// Radius, m: none, one for the whole object, or one per point.
    pub radii: Vec<f64>,
    /// Whether it is a rod that forms a ring.
    pub closed: bool,
    /// Index of the mesh of its surface in the recording; null if it has none.
    pub mesh: Option<u32>,
    /// Colour as red, green and blue; null for the colour of its kind.
    pub colour: Option<[u8; 3]>,
}

/// Colour of scenery without a colour of its own, in pictures and exports.
const SCENERY: [u8; 3] = [0xa9, 0xa3, 0x98];

impl ObjectRow {
    /// Its colour in pictures and exports; `None` for the colour of its kind.
    pub fn surface_colour(&self) -> Option<[u8; 3]> {
        self.colour.or((self.kind == ObjectKind::Scenery).then_some(SCENERY))
    }

    /// Radius at one of its points, m; zero where none is given.
    pub fn radius(&self, point: usize) -> f64 {
        self.radii.get(point).or(self.radii.first()).copied().unwrap_or(0.0)
    }
}

/// Kind of an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum ObjectKind {
    /// Points along a centreline.
    #[default]
    Rod,
    /// A point mass: one point.
    Mass,
    /// A pearl on a rod: one point. Its constraint has the same name.
    Pearl,
    /// A rigid body: one point and one orientation, which place its mesh.
    Body,
    /// A solid: its points are the vertices of its mesh.
    Solid,
    /// Scenery, which is only drawn. It has one point and one orientation, the pose of its mesh.
    Scenery,
    /// The floor of the scene: a horizontal plane through its point, which the ground of a picture shows.
    Floor,
}

impl ObjectKind {
    /// Whether it has one point: it is drawn as a ball where nothing else is known of its surface.
    pub fn is_point(self) -> bool {
        matches!(self, Self::Mass | Self::Pearl | Self::Body | Self::Scenery)
    }

    /// Whether it has an orientation in every frame, beside its point.
    pub fn has_orientation(self) -> bool {
        matches!(self, Self::Body | Self::Scenery)
    }

    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Rod => "rod",
            Self::Mass => "mass",
            Self::Pearl => "pearl",
            Self::Body => "body",
            Self::Solid => "solid",
            Self::Scenery => "scenery",
            Self::Floor => "floor",
        }
    }
}

/// A constraint.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ConstraintRow {
    /// Name in the scene.
    pub name: String,
    /// Kind in the words of the scene file, such as `clamp`.
    pub kind: String,
    /// Name of the object that it holds.
    pub on: String,
    /// Name of the object at its other end; null if that is the world.
    pub to: Option<String>,
    /// Whether it is a hand, made by dragging in the page.
    pub hand: bool,
    /// Least force at which it opens or breaks, N.
    pub strength: Option<f64>,
    /// Its symbol.
    pub marker: Marker,
}

/// Appearance of a constraint; its place and direction are in the frames.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Marker {
    /// The symbol.
    pub kind: MarkerKind,
    /// Which way it holds. A plane with `at-least` keeps points on the side of its normal.
    pub limit: Limit,
    /// Points of a curve when the table was made, m; otherwise none.
    pub points: Vec<[f64; 3]>,
}

/// Symbol of a constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MarkerKind {
    /// A point that is held.
    #[default]
    Point,
    /// A moved point.
    Target,
    /// Point and direction are held.
    Clamp,
    /// Point and direction are moved.
    Jaws,
    /// The tangent is held.
    Tangent,
    /// The twist is held.
    Roll,
    /// A point stays in a plane.
    Plane,
    /// A point stays on a line.
    Axis,
    /// A point keeps its distance from another.
    Distance,
    /// A point stays on a circle.
    Circle,
    /// A point stays on a curve.
    Curve,
    /// A rod slides through a ring.
    Ring,
    /// Two objects are joined.
    Joint,
    /// A clip.
    Clip,
    /// A pearl.
    Pearl,
    /// A joint that leaves the rotation about its axis free.
    Hinge,
    /// A joint that leaves the displacement along its axis free.
    Slider,
    /// A joint that leaves rotation about its axis and displacement along it free.
    Cylindrical,
    /// A joint that leaves all rotations free.
    Ball,
    /// A joint that leaves the rotations about both arms of a cross free.
    Universal,
    /// A joint that leaves the motions in a plane free.
    Planar,
    /// A joint that leaves nothing free.
    Weld,
}

/// Which way a constraint holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "MarkerLimit")]
pub enum Limit {
    /// Both ways.
    #[default]
    Equal,
    /// Not longer.
    AtMost,
    /// Not shorter.
    AtLeast,
}

/// A coordinate of a joint that has limits or a motor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct GaugeRow {
    /// Index of the joint among the constraints.
    pub constraint: u32,
    /// The coordinate.
    pub coordinate: GaugeKind,
    /// Least value, m or rad.
    pub least: Option<f64>,
    /// Largest value, m or rad.
    pub most: Option<f64>,
    /// Its motor.
    pub motor: Option<MotorKind>,
}

/// A coordinate of a joint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum GaugeKind {
    /// The angle about the axis, rad.
    #[default]
    Angle,
    /// The displacement along the axis, m.
    Slide,
}

/// Kind of a motor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MotorKind {
    /// It follows a value.
    Position,
    /// It follows a velocity.
    Velocity,
    /// It exerts a force or a torque.
    Force,
    /// It pulls towards a value with a spring and a damper.
    Servo,
}

impl GaugeKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Angle => "angle",
            Self::Slide => "slide",
        }
    }

    /// Unit of the force of its motor.
    pub fn drive_unit(self) -> &'static str {
        match self {
            Self::Angle => "N·m",
            Self::Slide => "N",
        }
    }
}

impl MotorKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Position => "position",
            Self::Velocity => "velocity",
            Self::Force => "force",
            Self::Servo => "servo",
        }
    }

    /// Whether its target is a value of the coordinate.
    pub fn follows_value(self) -> bool {
        matches!(self, Self::Position | Self::Servo)
    }
}

impl MarkerKind {
    /// Whether it is the symbol of a joint.
    pub fn is_joint(self) -> bool {
        matches!(
            self,
            Self::Joint
                | Self::Hinge
                | Self::Slider
                | Self::Cylindrical
                | Self::Ball
                | Self::Universal
                | Self::Planar
                | Self::Weld
        )
    }
}

/// A spring.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SpringRow {
    /// Name in the scene.
    pub name: String,
    /// Its kind.
    pub kind: SpringKind,
}

/// Kind of a spring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum SpringKind {
    /// Pulls its ends together or pushes them apart.
    #[default]
    Linear,
    /// Twists its ends.
    Torsional,
}

impl SpringKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Linear => "linear",
            Self::Torsional => "torsional",
        }
    }
}

/// A load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LoadRow {
    /// Name in the scene.
    pub name: String,
    /// Its kind.
    pub kind: LoadKind,
}

/// Kind of a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LoadKind {
    /// A force at a point.
    #[default]
    Force,
    /// A moment at a point.
    Moment,
    /// A force along a rod.
    Distributed,
    /// The drag of a medium.
    Drag,
}

impl LoadKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Force => "force",
            Self::Moment => "moment",
            Self::Distributed => "distributed",
            Self::Drag => "drag",
        }
    }
}

/// A winch.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WinchRow {
    /// Name in the scene.
    pub name: String,
    /// Name of its rod.
    pub on: String,
    /// The end of the rod on the winch.
    pub at: WinchEnd,
}

/// The end of a rod on a winch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WinchEnd {
    /// Its start.
    #[default]
    Start,
    /// Its end.
    End,
}

/// A probe.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ProbeRow {
    /// Name in the scene.
    pub name: String,
    /// Unit of its value; empty for a pure number.
    pub unit: String,
    /// Name of the item that it reads.
    pub of: String,
    /// The quantity that it reads, in the words of the scene file.
    pub read: String,
}
