//! The content of a picture as plain data: metres, z up.

use glam::{DQuat, DVec3};
use micado::object::body::Surface;

use super::scene::point;

/// The content of one picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Rods, cables, threads.
    pub tubes: Vec<Tube>,
    /// Masses.
    pub spheres: Vec<Sphere>,
    /// Obstacles and solids.
    pub meshes: Vec<Mesh>,
    /// Shapes that are only drawn. Symbols and earlier states are drawn over them.
    pub scenery: Vec<Mesh>,
    /// Constraints.
    pub markers: Vec<Marker>,
    /// Limits and motors of joints.
    pub gauges: Vec<Gauge>,
    /// Springs and links.
    pub lines: Vec<Line>,
    /// Forces.
    pub arrows: Vec<Arrow>,
    /// Earlier states, oldest first, drawn pale so that one picture shows a motion.
    pub ghosts: Vec<Tube>,
    /// Earlier poses of bodies; their edges are drawn in a pale colour.
    pub ghost_meshes: Vec<Mesh>,
    /// Paths of masses so far, drawn as dashed lines.
    pub trails: Vec<Vec<[f64; 3]>>,
    /// Height of the floor, where the ground is then drawn, m.
    pub floor: Option<f64>,
    /// Title at the top; may be empty.
    pub title: String,
    /// Meaning of the colours of the tubes; `None` draws no colour bar.
    pub colour_bar: Option<ColourBar>,
}

/// A round rod along points.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tube {
    /// Centreline, m.
    pub points: Vec<[f64; 3]>,
    /// Radius, m: one for all points, or one per point.
    pub radius: Vec<f64>,
    /// The quantity shown as colour at each point; empty for one plain colour.
    pub value: Vec<f64>,
    /// Plain colour; chosen by index when `None`.
    pub colour: Option<[u8; 3]>,
}

impl Tube {
    /// A tube of one radius, m, in a plain colour.
    pub fn new(points: Vec<[f64; 3]>, radius: f64) -> Self {
        Self { points, radius: vec![radius], ..Self::default() }
    }

    /// Radius at a point, m; zero where none is given.
    pub(super) fn radius_at(&self, index: usize) -> f64 {
        let radius = self.radius.get(index).or(self.radius.last()).copied().unwrap_or(0.0);
        if radius.is_finite() { radius.max(0.0) } else { 0.0 }
    }
}

/// A ball, such as a mass or a pearl.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sphere {
    /// Centre, m.
    pub centre: [f64; 3],
    /// Radius, m.
    pub radius: f64,
    /// Colour; a dark grey when `None`.
    pub colour: Option<[u8; 3]>,
}

/// A surface of triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Corners, m.
    pub vertices: Vec<[f64; 3]>,
    /// Corners of each triangle, by index; triangles with a missing corner are left out.
    pub triangles: Vec<[u32; 3]>,
    /// Normals at the corners of each triangle, for smooth shading; flat where none are given.
    pub normals: Vec<[[f64; 3]; 3]>,
    /// Ends of each edge that is drawn as a line, by index.
    pub edges: Vec<[u32; 2]>,
    /// Colour; a light grey when `None`.
    pub colour: Option<[u8; 3]>,
}

impl Mesh {
    fn corner(&self, index: u32) -> Option<DVec3> {
        point(*self.vertices.get(index as usize)?)
    }

    /// The triangles that can be drawn.
    pub(super) fn faces(&self) -> impl Iterator<Item = [DVec3; 3]> {
        self.smooth_faces().map(|(face, _)| face)
    }

    /// The triangles that can be drawn, and the normals at their corners where these are given.
    pub(super) fn smooth_faces(&self) -> impl Iterator<Item = ([DVec3; 3], Option<[DVec3; 3]>)> {
        self.triangles.iter().enumerate().filter_map(move |(k, &[a, b, c])| {
            let normals = self.normals.get(k).map(|all| all.map(DVec3::from_array));
            Some(([self.corner(a)?, self.corner(b)?, self.corner(c)?], normals))
        })
    }

    /// The edges that can be drawn.
    pub(super) fn lines(&self) -> impl Iterator<Item = [DVec3; 2]> {
        self.edges.iter().filter_map(|&[a, b]| Some([self.corner(a)?, self.corner(b)?]))
    }
}

/// A surface in its own axes, ready to be drawn in many poses.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Solid {
    surface: Surface,
    normals: Vec<[DVec3; 3]>,
}

impl Solid {
    /// A solid with this surface.
    pub fn new(surface: Surface) -> Self {
        let normals = surface.corner_normals();
        Self { surface, normals }
    }

    /// Its mesh with the origin of its axes at a place, m, turned by a quaternion (x, y, z, w).
    pub fn at(&self, place: [f64; 3], orientation: [f64; 4]) -> Mesh {
        let (place, turn) = (DVec3::from_array(place), DQuat::from_array(orientation));
        let moved = |vertex: &[f64; 3]| (place + turn * DVec3::from_array(*vertex)).to_array();
        Mesh {
            vertices: self.surface.vertices.iter().map(moved).collect(),
            triangles: self.surface.triangles.clone(),
            normals: self.normals.iter().map(|all| all.map(|normal| (turn * normal).to_array())).collect(),
            edges: self.surface.edges.clone(),
            colour: None,
        }
    }
}

/// A constraint, drawn as a symbol.
#[derive(Clone, Debug, PartialEq)]
pub struct Marker {
    /// Where it acts, m.
    pub place: [f64; 3],
    /// Its symbol.
    pub kind: MarkerKind,
    /// Short text beside the symbol; may be empty.
    pub label: String,
}

impl Marker {
    /// A symbol without text.
    pub fn new(place: [f64; 3], kind: MarkerKind) -> Self {
        Self { place, kind, label: String::new() }
    }
}

/// Symbol of a constraint; directions need not be unit vectors.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MarkerKind {
    /// A point is held: a pin on the ground.
    Point,
    /// A point is moved: a target.
    Target,
    /// Point and direction are held: a hatched wall.
    Clamp {
        /// From the wall into the rod.
        direction: [f64; 3],
    },
    /// Point and direction are moved: the jaws of a gripper.
    Jaws {
        /// Direction of the rod between them.
        direction: [f64; 3],
    },
    /// The end of a rod is on a winch: a drum.
    Winch,
    /// A clip: a fork that is filled while it holds, and faint while it is open.
    Clip {
        /// Direction in which the rod leaves it.
        opening: [f64; 3],
        /// Whether it holds nothing.
        open: bool,
    },
    /// A point stays in a plane, or on one side of it. Markers of one plane are drawn as one patch.
    Plane {
        /// A point of the plane, m.
        point: [f64; 3],
        /// Normal of the plane.
        normal: [f64; 3],
    },
    /// A point stays on a line.
    Axis {
        /// Direction of the line.
        direction: [f64; 3],
    },
    /// A point stays on a sphere.
    Sphere {
        /// Centre, m.
        centre: [f64; 3],
    },
    /// A point keeps its distance from another.
    Distance {
        /// The other point, m.
        centre: [f64; 3],
    },
    /// A point stays on a circle.
    Circle {
        /// Centre, m.
        centre: [f64; 3],
        /// Normal of its plane.
        normal: [f64; 3],
        /// Radius, m.
        radius: f64,
    },
    /// A point stays on a curve.
    Curve {
        /// Points of the curve, m.
        points: Vec<[f64; 3]>,
    },
    /// The twist is held: an arc around the rod.
    Roll {
        /// Direction of the rod.
        direction: [f64; 3],
    },
    /// The tangent is held.
    Tangent {
        /// Direction that the tangent has to take.
        direction: [f64; 3],
    },
    /// The rod slides through a ring: keyhole, eyelet, clip.
    Ring {
        /// Direction of the rod in the ring.
        direction: [f64; 3],
    },
    /// Two objects are joined.
    Joint,
    /// The first object turns about an axis of the second.
    Hinge {
        /// The axis.
        axis: [f64; 3],
    },
    /// The first object slides along an axis of the second.
    Slider {
        /// The axis.
        axis: [f64; 3],
    },
    /// The first object turns about an axis of the second and slides along it.
    Cylindrical {
        /// The axis.
        axis: [f64; 3],
    },
    /// The first object turns about a point of the second.
    Ball,
    /// Two objects turn about the arms of a cross.
    Universal {
        /// The arm on the second object.
        axis: [f64; 3],
    },
    /// The first object slides on a plane of the second.
    Planar {
        /// The normal of the plane.
        normal: [f64; 3],
    },
}

/// A coordinate of a joint with its limits and its motor: an arc about the axis or a bar beside it, with a
/// tick at each limit and at the target.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gauge {
    /// Where the joint is, m.
    pub place: [f64; 3],
    /// Its axis; need not be a unit vector.
    pub axis: [f64; 3],
    /// Direction from which an angle counts.
    pub zero: [f64; 3],
    /// Whether the coordinate is an angle, rad; otherwise it is a displacement, m.
    pub turns: bool,
    /// Least value, if there is one.
    pub least: Option<f64>,
    /// Largest value, if there is one.
    pub most: Option<f64>,
    /// Present value.
    pub value: f64,
    /// Target of the motor, if it follows one.
    pub target: Option<f64>,
    /// Short text beside the value, such as the torque of the motor; may be empty.
    pub label: String,
}

/// A thin line between two points.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Line {
    /// One end, m.
    pub from: [f64; 3],
    /// The other end, m.
    pub to: [f64; 3],
    /// How it is drawn.
    pub kind: LineKind,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LineKind {
    /// A straight line.
    #[default]
    Link,
    /// A zigzag.
    Spring,
    /// A spiral at the first end, and a thin line to the other end if that is elsewhere.
    Torsion,
    /// A dashed line.
    Dashed,
}

/// A force; the longest arrow of a picture has a fixed size and the others are in proportion.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arrow {
    /// Where it acts, m.
    pub place: [f64; 3],
    /// The force, N.
    pub force: [f64; 3],
    /// Short text at the tip; may be empty.
    pub label: String,
}

/// Meaning of the colours.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ColourBar {
    /// Name of the quantity.
    pub label: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// Values at both ends; taken from the tubes when `None`.
    pub range: Option<(f64, f64)>,
}

/// Direction and size of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// Width and height, pixels, each between 64 and 8192.
    pub size: (u32, u32),
    /// From the structure towards the eye; chosen from the shape of the structure when `None`.
    pub direction: Option<[f64; 3]>,
    /// Whether the ground has a grid and shadows.
    pub ground: bool,
}

impl Default for View {
    fn default() -> Self {
        Self { size: (1280, 800), direction: None, ground: true }
    }
}

impl View {
    /// The smaller size that suits an animation.
    pub fn animation() -> Self {
        Self { size: (720, 450), ..Self::default() }
    }
}
