//! Requests of a page.

use super::answer::Problem;
use micado::scene::Edit;
use micado::scene::{Mode, Probe};
#[cfg(test)]
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// A request of a page.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Request {
    /// Opens a scene or a recording, for all pages.
    Open(Open),
    /// Lists the built-in scenes.
    Gallery,
    /// Checks a scene file without opening it.
    Check {
        text: String,
    },
    Play,
    Pause,
    /// Builds the scene again, at time 0.
    Reset,
    /// Pauses and makes steps, or shows the next frames of a recording.
    Step {
        count: u64,
    },
    /// Sets the simulated seconds per second.
    Speed {
        factor: f64,
    },
    Mode(Mode),
    /// Grabs a place with a hand.
    Grab(Grab),
    /// Moves a hand.
    Move(Move),
    /// Removes a hand.
    Drop {
        name: String,
        how: How,
    },
    /// Applies a short force.
    Poke(Poke),
    Edit(Box<Edit>),
    Undo,
    Redo,
    /// Adds a probe.
    Watch {
        probe: Probe,
    },
    /// Removes a probe.
    Unwatch {
        name: String,
    },
    /// Reads values at a place.
    Inspect(Inspect),
    /// Selects the channel of this page's frames.
    Colour(Option<String>),
    /// Computes natural vibrations about the current shape.
    Modes {
        count: usize,
    },
    /// Draws the pattern of the step's matrix.
    Matrix,
    /// Starts or ends a recording.
    Record(bool),
    /// Goes to a frame of a recording.
    Seek {
        frame: usize,
    },
    Export(Export),
}

/// Opens a scene or a recording: `builtin`, or `name` and `text`, or `name` and `recording`.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Open {
    /// Name of a built-in scene.
    pub builtin: Option<String>,
    /// Name of the scene or the recording.
    pub name: Option<String>,
    /// A scene file.
    pub text: Option<String>,
    /// A recording in base64.
    pub recording: Option<String>,
}

/// Grabs a place with a hand.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Grab {
    /// Name of an object.
    pub on: String,
    /// Rest arc length on a rod, m.
    #[serde(default)]
    pub at: Option<f64>,
    /// Point of a body, in its axes, m.
    #[serde(default)]
    pub point: Option<[f64; 3]>,
    /// Whether it holds the orientation too.
    #[serde(default)]
    pub orientation: bool,
}

/// Moves a hand.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Move {
    pub name: String,
    /// m
    pub position: [f64; 3],
    /// Rotation vector relative to the grabbed frame, rad; unchanged unless given.
    #[serde(default)]
    pub rotation: Option<[f64; 3]>,
}

/// Effect of releasing a hand on the place that it held.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum How {
    /// Releases it.
    Release,
    /// Pins it where it is.
    Pin,
}

/// A short force.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Poke {
    /// Name of an object.
    pub on: String,
    /// Rest arc length on a rod, m.
    #[serde(default)]
    pub at: Option<f64>,
    /// Point of a body, in its axes, m; the origin of these axes unless given.
    #[serde(default)]
    pub point: Option<[f64; 3]>,
    /// N
    pub force: [f64; 3],
}

/// A place to read values at.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(deny_unknown_fields)]
pub(crate) struct Inspect {
    /// Name of an object.
    pub on: String,
    /// Rest arc length on a rod, m; its middle unless given.
    #[serde(default)]
    pub at: Option<f64>,
}

/// A file to save.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Export {
    /// A scene file that starts from the current state.
    Scene,
    /// The history of the probes.
    Csv,
    /// The last recording that a page started.
    Recording,
}

/// Reads a request. Refuses invalid ones, with their number if they have one.
pub(crate) fn read(text: &str) -> Result<(i64, Request), (Option<i64>, Problem)> {
    let remedy = "send { \"id\": 7, \"do\": { \"grab\": … } }, or { \"id\": 7, \"do\": \"play\" }";
    let mut value: Value = serde_json::from_str(text)
        .map_err(|error| (None, Problem::new(format!("no JSON: {error}"), remedy)))?;
    let id = value
        .get("id")
        .and_then(Value::as_i64)
        .ok_or_else(|| (None, Problem::new("not a request: `id` is not a whole number", remedy)))?;
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
            Problem::new(error.into_inner().to_string(), "docs/view-protocol.md lists all requests");
        (Some(id), Problem { path: Some(path).filter(|path| path != "."), ..problem })
    })
}

#[cfg(test)]
mod tests {
    use super::{Request, read};

    #[test]
    fn a_request_is_a_word_or_a_word_with_its_arguments() {
        assert_eq!(read(r#"{"id": 7, "do": "play"}"#), Ok((7, Request::Play)));
        assert_eq!(
            read(r#"{"id": -7, "do": {"speed": {"factor": 0.5}}}"#),
            Ok((-7, Request::Speed { factor: 0.5 }))
        );
        assert_eq!(read(r#"{"id": 1, "do": {"colour": null}}"#), Ok((1, Request::Colour(None))));
    }

    #[test]
    fn an_invalid_request_is_refused_with_its_number_if_it_has_one() {
        for (text, id) in [
            ("", None),
            ("[]", None),
            ("{\"id\": 1.5, \"do\": \"play\"}", None),
            ("{\"id\": 3}", Some(3)),
            ("{\"id\": 3, \"do\": \"fly\"}", Some(3)),
            ("{\"id\": 3, \"do\": {\"speed\": {\"factor\": null}}}", Some(3)),
            ("{\"id\": 3, \"do\": \"play\", \"also\": 1}", Some(3)),
        ] {
            let (number, problem) = read(text).expect_err(text);
            assert!(
                number == id && !problem.problem.is_empty() && !problem.remedy.is_empty(),
                "{text}: {problem:?}"
            );
        }
        let (_, problem) =
            read(r#"{"id": 3, "do": {"grab": {"on": "cable", "at": "there"}}}"#).expect_err("no place");
        assert_eq!(problem.path.as_deref(), Some("grab.at"));
    }
}
