//! Answers to the requests of a page.

use micado::describe::quantity::Quantity;
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

/// Values of an object, at a place if it has several.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Reading {
    /// Its kind, in the words of scene files.
    pub kind: String,
    /// The place: rest arc length, m; null for an object without places along it.
    pub at: Option<f64>,
    /// Rest length, m; null for an object without places along it.
    pub rest_length: Option<f64>,
    /// The values, in the order in which they are shown.
    pub values: Vec<ReadValue>,
}

/// A value with its name and unit.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct ReadValue {
    pub name: &'static str,
    /// A number, or the three components of a vector; null where it is infinite.
    pub value: Vec<Option<f64>>,
    /// Empty for a number without a unit.
    pub unit: &'static str,
    /// The quantity by which a probe measures it; null if none can.
    pub quantity: Option<Quantity>,
    /// Whether it depends on the place.
    pub local: bool,
    /// Whether it is one of the few that matter most.
    pub main: bool,
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
