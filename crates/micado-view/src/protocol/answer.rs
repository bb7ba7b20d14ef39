//! Answers to the requests of a page.

use micado::error::BuildError;
use micado_io::scene::SceneError;
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

/// An answer with the number of its request; null if the request had none.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub(crate) enum Answer {
    Done {
        answer: Option<i64>,
        #[cfg_attr(test, schemars(with = "serde_json::Value"))]
        ok: Done,
    },
    Refused {
        answer: Option<i64>,
        error: Problem,
    },
}

impl Answer {
    pub(crate) fn new(answer: Option<i64>, result: Result<Done, Problem>) -> Self {
        match result {
            Ok(ok) => Self::Done { answer, ok },
            Err(error) => Self::Refused { answer, error },
        }
    }

    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).expect("the keys of all answers are strings")
    }
}

/// `ok` of the answer to a request, by the word of the request. Other requests answer null.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema), schemars(!untagged, rename_all = "kebab-case"))]
#[serde(untagged)]
pub(crate) enum Done {
    #[cfg_attr(test, schemars(skip))]
    Nothing,
    /// The built-in scenes.
    Gallery(&'static [Card]),
    /// Remarks.
    Check(Vec<String>),
    Grab(Hand),
    /// The pin, if there is one.
    Drop(Option<Hand>),
    Undo(Undone),
    Redo(Undone),
    Inspect(Reading),
    Modes(Vec<ModeShape>),
    Matrix(Pattern),
    Export(Exported),
}

/// A built-in scene.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Card {
    pub name: &'static str,
    pub title: String,
    pub description: String,
}

/// A hand or a pin, by its name.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Hand {
    pub name: String,
}

/// The edit that was undone or redone, in words.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Undone {
    pub what: String,
}

/// Values at a place.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub(crate) enum Reading {
    Rod(RodReading),
    Mass(MassReading),
}

/// A rod, and values at a place of it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct RodReading {
    /// Current length, m.
    pub length: f64,
    /// m
    pub rest_length: f64,
    /// Along the whole rod, m; null for a straight one.
    pub least_bend_radius: Option<f64>,
    /// m
    pub radius: f64,
    /// Mass of the whole rod, kg.
    pub mass: f64,
    /// The place: rest arc length, m.
    pub at: f64,
    /// m
    pub position: [f64; 3],
    /// N
    pub tension: f64,
    pub stretch: f64,
    /// 1/m
    pub curvature: f64,
    /// N·m
    pub bending_moment: f64,
    /// N·m
    pub torque: f64,
    /// rad/m
    pub twist: f64,
    /// m/s
    pub speed: f64,
}

/// A mass.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct MassReading {
    /// kg
    pub mass: f64,
    /// m
    pub position: [f64; 3],
    /// m/s
    pub speed: f64,
}

/// A natural vibration.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct ModeShape {
    /// Hz; null for a mode that grows.
    pub frequency: Option<f64>,
    /// Displacement of each point; the largest is 1.
    pub shape: Vec<[f64; 3]>,
}

/// The pattern of the step's matrix before and after ordering.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Pattern {
    pub svg: String,
}

/// A file to save: its text, or its bytes in base64.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(untagged)]
pub(crate) enum Exported {
    Text { name: String, text: String },
    Bytes { name: String, base64: String },
}

/// Why a request was refused, and what to do.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Problem {
    pub problem: String,
    pub remedy: String,
    /// Path of the field that causes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Line of the scene file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// Column of the scene file, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
}

impl Problem {
    pub(crate) fn new(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { problem: problem.into(), remedy: remedy.into(), path: None, line: None, column: None }
    }
}

impl From<BuildError> for Problem {
    fn from(error: BuildError) -> Self {
        let path = Some(error.path).filter(|path| !path.is_empty());
        Self { path, ..Self::new(error.problem, error.remedy) }
    }
}

impl From<SceneError> for Problem {
    fn from(error: SceneError) -> Self {
        let path = Some(error.path().to_owned()).filter(|path| !path.is_empty());
        // A line of an override on the command line is not in the text that a page shows.
        let place = error.line_and_column().filter(|_| error.source_name() != Some("--set"));
        Self {
            path,
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            ..Self::new(error.problem(), error.remedy())
        }
    }
}
