//! Requests: what a page may ask for, and what it is told when it can't be.

use micado::error::BuildError;
use micado::scene::Edit;
use micado::scene::{Mode, Probe};
use micado_io::scene::SceneError;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a page asks for.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Request {
    Open(Open),
    Gallery,
    Check { text: String },
    Play,
    Pause,
    Reset,
    Step { count: u64 },
    Speed { factor: f64 },
    Mode(Mode),
    Grab(Grab),
    Move(Move),
    Drop { name: String, how: How },
    Poke(Poke),
    Edit(Box<Edit>),
    Undo,
    Redo,
    Watch { probe: Probe },
    Unwatch { name: String },
    Inspect(Inspect),
    Colour(Option<String>),
    Modes { count: usize },
    Matrix,
    Record(bool),
    Seek { frame: usize },
    Export(Export),
}

/// What is to be opened: one of the three.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Open {
    /// Name of a built-in scene.
    pub builtin: Option<String>,
    /// Name of what is given as a text or as a recording.
    pub name: Option<String>,
    /// A scene file.
    pub text: Option<String>,
    /// A recording in base64.
    pub recording: Option<String>,
}

/// Takes hold of a place.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Grab {
    pub on: String,
    /// Rest arc length on a rod, m.
    #[serde(default)]
    pub at: Option<f64>,
    #[serde(default)]
    pub orientation: bool,
}

/// Moves a hand.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Move {
    pub name: String,
    pub position: [f64; 3],
    #[serde(default)]
    pub rotation: Option<[f64; 3]>,
}

/// What becomes of what a hand held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum How {
    Release,
    Pin,
}

/// A short push.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Poke {
    pub on: String,
    #[serde(default)]
    pub at: Option<f64>,
    /// N
    pub force: [f64; 3],
}

/// A place that is asked about.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Inspect {
    pub on: String,
    #[serde(default)]
    pub at: Option<f64>,
}

/// What is given back as a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Export {
    Scene,
    Csv,
    Recording,
}

/// Why a request was not done, and what to do.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Problem {
    pub problem: String,
    pub remedy: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
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
        // Line and column of an override on the command line are no place in the text that a page shows.
        let place = error.line_and_column().filter(|_| error.source_name() != Some("--set"));
        Self {
            path,
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            ..Self::new(error.problem(), error.remedy())
        }
    }
}

/// Reads a request. What is none is refused, with its number where it has one.
pub(crate) fn read(text: &str) -> Result<(i64, Request), (Option<i64>, Problem)> {
    let remedy = "send { \"id\": 7, \"do\": { \"grab\": … } }, or { \"id\": 7, \"do\": \"play\" }";
    let mut value: Value = serde_json::from_str(text)
        .map_err(|error| (None, Problem::new(format!("no JSON: {error}"), remedy)))?;
    let id = value
        .get("id")
        .and_then(Value::as_i64)
        .ok_or_else(|| (None, Problem::new("no request: `id` is no whole number", remedy)))?;
    let refuse = |problem: String, remedy: &str| (Some(id), Problem::new(problem, remedy));
    if let Some(unknown) =
        value.as_object().and_then(|fields| fields.keys().find(|key| !["id", "do"].contains(&key.as_str())))
    {
        return Err(refuse(format!("unknown field `{unknown}`"), remedy));
    }
    let asked =
        value.get_mut("do").map(Value::take).ok_or_else(|| refuse("`do` is missing".to_owned(), remedy))?;
    serde_path_to_error::deserialize(asked).map(|request| (id, request)).map_err(|error| {
        let path = error.path().to_string();
        let problem =
            Problem::new(error.into_inner().to_string(), "docs/view-protocol.md lists what can be asked for");
        (Some(id), Problem { path: Some(path).filter(|path| path != "."), ..problem })
    })
}

#[cfg(test)]
mod tests {
    use super::{Request, read};

    #[test]
    fn a_request_is_a_word_or_a_word_with_what_it_needs() {
        assert_eq!(read(r#"{"id": 7, "do": "play"}"#), Ok((7, Request::Play)));
        assert_eq!(
            read(r#"{"id": -7, "do": {"speed": {"factor": 0.5}}}"#),
            Ok((-7, Request::Speed { factor: 0.5 }))
        );
        assert_eq!(read(r#"{"id": 1, "do": {"colour": null}}"#), Ok((1, Request::Colour(None))));
    }

    #[test]
    fn what_is_no_request_is_told_with_its_number_if_it_has_one() {
        for (text, id) in [
            ("", None),
            ("[]", None),
            ("{\"id\": 1.5, \"do\": \"play\"}", None),
            ("{\"id\": 3}", Some(3)),
            ("{\"id\": 3, \"do\": \"fly\"}", Some(3)),
            ("{\"id\": 3, \"do\": {\"speed\": {\"factor\": null}}}", Some(3)),
            ("{\"id\": 3, \"do\": \"play\", \"also\": 1}", Some(3)),
        ] {
            let (told, problem) = read(text).expect_err(text);
            assert!(
                told == id && !problem.problem.is_empty() && !problem.remedy.is_empty(),
                "{text}: {problem:?}"
            );
        }
        let (_, problem) =
            read(r#"{"id": 3, "do": {"grab": {"on": "cable", "at": "there"}}}"#).expect_err("no place");
        assert_eq!(problem.path.as_deref(), Some("grab.at"));
    }
}
