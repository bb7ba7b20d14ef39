//! What a recording holds, as plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What is known before the first frame.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Meta {
    /// Name of the scene.
    pub scene_name: String,
    /// The scene file, so that a recording can be run again.
    pub scene_text: String,
    /// What was set in it on the command line, `path=value`.
    pub overrides: Vec<String>,
    /// Name and version of the program that recorded.
    pub program: String,
    /// Time step of the run, s.
    pub time_step: f64,
    /// Scalar quantities given at every point of every frame.
    pub channels: Vec<Channel>,
    /// What exists at the first frame.
    pub table: Table,
}

impl Meta {
    /// A recording of `scene_name` with no objects yet.
    pub fn new(scene_name: impl Into<String>, time_step: f64) -> Self {
        Self { scene_name: scene_name.into(), time_step, ..Self::default() }
    }
}

/// A scalar quantity along the objects, such as the tension.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Channel {
    /// Name, such as `tension`.
    pub name: String,
    /// Unit, such as `N`; empty for a pure number.
    pub unit: String,
}

impl Channel {
    /// A channel with its unit.
    pub fn new(name: impl Into<String>, unit: impl Into<String>) -> Self {
        Self { name: name.into(), unit: unit.into() }
    }
}

/// What exists: the meaning of the arrays of a frame. A frame may bring a new table when objects come, go or
/// change.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Table {
    /// Objects in the order of the points of a frame.
    pub objects: Vec<ObjectInfo>,
    /// Constraints in the order of the forces of a frame.
    pub constraints: Vec<ConstraintInfo>,
}

impl Table {
    /// Number of points of all objects together.
    pub fn point_count(&self) -> u64 {
        self.objects.iter().map(|object| u64::from(object.points)).sum()
    }

    /// Number of rigid bodies, which have an orientation.
    pub fn body_count(&self) -> usize {
        self.objects.iter().filter(|object| object.kind == ObjectKind::Body).count()
    }

    /// Where the points of object `index` lie in the arrays of a frame.
    pub fn point_range(&self, index: usize) -> Option<std::ops::Range<usize>> {
        let object = self.objects.get(index)?;
        let before: u64 = self.objects[..index].iter().map(|other| u64::from(other.points)).sum();
        let start = usize::try_from(before).ok()?;
        Some(start..start.checked_add(object.points as usize)?)
    }

    /// Why the table can not be written, if it can not.
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
            if object.triangles.iter().flatten().any(|vertex| *vertex >= object.points) {
                return Some(format!(
                    "object `{}` has a triangle that names a vertex beyond its {} points",
                    object.name, object.points
                ));
            }
        }
        None
    }
}

/// One object of the scene.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectInfo {
    /// Name in the scene.
    pub name: String,
    /// What it is.
    pub kind: ObjectKind,
    /// How many points it has in every frame.
    pub points: u32,
    /// Radius, m: none, one for the whole object, or one per point.
    pub radii: Vec<f64>,
    /// Surface as triples of its own points; empty for rods, masses and bodies.
    pub triangles: Vec<[u32; 3]>,
}

impl ObjectInfo {
    /// Radius at one of its points, m; zero where none is given.
    pub fn radius(&self, point: usize) -> f64 {
        self.radii.get(point).or(self.radii.first()).copied().unwrap_or(0.0)
    }
}

/// What kind of object the points describe.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ObjectKind {
    /// Points along a centreline.
    #[default]
    Rod,
    /// A point mass: one point.
    Mass,
    /// A rigid body: one point, its centre, and one orientation.
    Body,
    /// Vertices of a solid.
    Solid,
}

impl ObjectKind {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Rod => "rod",
            Self::Mass => "mass",
            Self::Body => "body",
            Self::Solid => "solid",
        }
    }
}

/// One constraint of the scene.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ConstraintInfo {
    /// Name in the scene.
    pub name: String,
    /// Kind in the words of the scene file, such as `clamp`.
    pub kind: String,
}

/// The state at one time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Time, s.
    pub time: f64,
    /// A new table, in force from this frame on; `None` when nothing came or went.
    pub table: Option<Table>,
    /// Points of all objects, m, in the order of the table.
    pub points: Vec<[f64; 3]>,
    /// Material director m₁ at every point; empty when there are no frames.
    pub directors: Vec<[f32; 3]>,
    /// Orientation x, y, z, w of every rigid body, in the order of the table.
    pub orientations: Vec<[f64; 4]>,
    /// One array per channel of [`Meta::channels`], one value per point; a channel may be empty in a frame.
    pub channels: Vec<Vec<f32>>,
    /// What every constraint does, in the order of the table; empty when forces were not recorded.
    pub forces: Vec<ConstraintForce>,
    /// What happened since the frame before.
    pub events: Vec<Event>,
}

impl Frame {
    /// Why the frame does not fit the table in force, if it does not.
    pub(super) fn problem(&self, table: &Table, channels: usize) -> Option<String> {
        let points = table.point_count();
        let mismatch = |what: &str, found: usize, expected: u64| {
            (found as u64 != expected).then(|| format!("{found} {what} where the table asks for {expected}"))
        };
        if !self.time.is_finite() {
            return Some(format!("the time is {}", self.time));
        }
        if let Some(problem) = mismatch("points", self.points.len(), points) {
            return Some(problem);
        }
        if !self.directors.is_empty()
            && let Some(problem) = mismatch("directors", self.directors.len(), points)
        {
            return Some(problem);
        }
        let bodies = table.body_count() as u64;
        if let Some(problem) = mismatch("orientations", self.orientations.len(), bodies) {
            return Some(problem);
        }
        if self.channels.len() > channels {
            return Some(format!("{} channels where {channels} are named", self.channels.len()));
        }
        for values in self.channels.iter().filter(|values| !values.is_empty()) {
            if let Some(problem) = mismatch("channel values", values.len(), points) {
                return Some(problem);
            }
        }
        if self.forces.is_empty() {
            return None;
        }
        mismatch("constraint forces", self.forces.len(), table.constraints.len() as u64)
    }
}

/// What a constraint does to what it holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConstraintForce {
    /// Where it acts, m.
    pub place: [f64; 3],
    /// Force on the object, N.
    pub force: [f64; 3],
    /// Moment on the object, N·m.
    pub moment: [f64; 3],
}

/// An event, in words: these are read after the engine's kinds of events have changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Time, s.
    pub time: f64,
    /// The word of its kind, for example `opened`.
    pub kind: String,
    /// The event as a sentence.
    pub text: String,
}

impl From<&micado::run::Event> for Event {
    fn from(event: &micado::run::Event) -> Self {
        Self { time: event.time, kind: event.kind().to_owned(), text: event.to_string() }
    }
}
