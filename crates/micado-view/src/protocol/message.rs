//! Messages: unsolicited reports of the server to pages, in JSON.

use super::table::Table;
use micado::scene::Mode;
use micado_io::observe::{self, CHANNELS};
use micado_io::record::{Channel, Energies, Mesh};
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

/// Version of the protocol. It grows when an older page would misread a message or a frame.
pub(crate) const VERSION: u32 = 5;

/// A message: `{ WORD: … }`. Numbers that are not finite are null.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Message<'a> {
    /// The server: the first message to a page.
    Hello(Hello),
    /// The open scene or recording: the second message, and again whenever another one is opened.
    Scene(&'a Scene),
    /// Surfaces of objects, which tables name by their index: sent before the first such table.
    Meshes(Vec<Surface>),
    /// All items of the scene: sent whenever they change.
    Table(Table<'a>),
    /// State of the session: sent when it changes, at most ten times a second.
    Status(&'a Status),
    /// New events; after `scene`, all events so far.
    Events(&'a [EventRow]),
}

impl Message<'_> {
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).expect("the keys of all messages are strings")
    }
}

/// The server.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Hello {
    /// Version of the protocol.
    pub version: u32,
    /// Name and version of the program.
    pub program: String,
    /// Quantities by which rods can be coloured; frames refer to them by index.
    pub channels: Vec<Channel>,
}

impl Hello {
    pub(crate) fn new() -> Self {
        let program = concat!("micado ", env!("CARGO_PKG_VERSION")).to_owned();
        Self { version: VERSION, program, channels: observe::channels() }
    }
}

/// Index of a channel in [`Hello`]; the words of scene files have hyphens.
pub(crate) fn channel_index(name: &str) -> Option<usize> {
    CHANNELS.iter().position(|(known, _)| *known == name || known.replace(' ', "-") == name)
}

/// The open scene or recording.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Scene {
    pub name: String,
    pub title: String,
    pub description: String,
    /// The scene file.
    pub text: String,
    /// Values set on the command line, `path=value`.
    pub overrides: Vec<String>,
    /// Whether it is an unchanged built-in scene.
    pub builtin: bool,
    /// Frames of the recording; null for a scene.
    pub recording: Option<Span>,
    /// Duration of a run, s.
    pub duration: f64,
    /// Time step, s.
    pub step: f64,
    /// Channel that colours the scene by default.
    pub colour: String,
    /// Default direction from the scene towards the eye.
    pub view_from: Option<[f64; 3]>,
}

/// The frames of a recording.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Span {
    /// Number of frames.
    pub frames: usize,
    /// Time of the first frame, s.
    pub start: f64,
    /// Time of the last frame, s.
    pub end: f64,
}

/// A surface of triangles in the axes of an object, and its sharp edges.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Surface {
    /// Three corners of each triangle, m; x, y, z in turn.
    pub positions: Vec<f32>,
    /// Unit normals at these corners.
    pub normals: Vec<f32>,
    /// Two ends of each edge, m; x, y, z in turn.
    pub edges: Vec<f32>,
}

impl From<&Mesh> for Surface {
    fn from(mesh: &Mesh) -> Self {
        let at = |corner: &u32| mesh.vertices[*corner as usize];
        let normals = mesh.surface().corner_normals();
        Self {
            positions: mesh.triangles.iter().flatten().flat_map(at).collect(),
            normals: normals.iter().flatten().flat_map(|normal| normal.as_vec3().to_array()).collect(),
            edges: mesh.edges.iter().flatten().flat_map(at).collect(),
        }
    }
}

/// State of the session.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Status {
    pub playing: bool,
    /// Requested simulated seconds per second.
    pub speed: f64,
    pub mode: Mode,
    pub modes: Modes,
    /// Simulated seconds per second over the last second.
    pub real_time_factor: f64,
    /// Duration of a step, s.
    pub step_seconds: f64,
    pub stages: Vec<StageTime>,
    pub energies: Energies,
    /// The edit that `undo` would undo.
    pub undo: Option<String>,
    /// The edit that `redo` would redo.
    pub redo: Option<String>,
    /// Whether a page is recording.
    pub recording: bool,
    /// Number of open pages.
    pub pages: usize,
    pub trouble: Option<Trouble>,
}

/// Number of objects by mode of stepping.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Modes {
    pub dynamic: usize,
    pub quasi_static: usize,
}

/// Duration of a stage of a step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct StageTime {
    pub name: &'static str,
    /// s
    pub seconds: f64,
}

/// A problem of the last step.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Trouble {
    /// Such as `conflict`, `not-converged`, `held` or `panic`.
    pub kind: &'static str,
    pub text: String,
    pub remedy: String,
    /// Name of the object that causes it.
    pub object: Option<String>,
    /// Name of the constraint that causes it.
    pub constraint: Option<String>,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct EventRow {
    /// s
    pub time: f64,
    pub kind: String,
    pub text: String,
}
