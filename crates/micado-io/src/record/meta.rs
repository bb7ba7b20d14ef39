//! The header of a recording.

use super::table::Table;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Header of a recording.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Meta {
    /// Name of the scene.
    pub scene_name: String,
    /// The scene file, so that a recording can be run again.
    pub scene_text: String,
    /// Values set on the command line, `path=value`.
    pub overrides: Vec<String>,
    /// Title of the scene.
    pub title: String,
    /// Description of the scene.
    pub description: String,
    /// Channel that colours the scene by default.
    pub colour: String,
    /// Default direction from the scene towards the eye.
    pub view_from: Option<[f64; 3]>,
    /// Name and version of the program that recorded.
    pub program: String,
    /// Time step of the run, s.
    pub time_step: f64,
    /// Scalar quantities given at every point of every frame.
    pub channels: Vec<Channel>,
    /// Table of the first frame.
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
