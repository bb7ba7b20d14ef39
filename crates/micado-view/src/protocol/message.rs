//! Messages: what a page is told in words.

use micado::scene::{Mode, Quantity};
use micado_io::observe::CHANNELS;
use serde::Serialize;
use serde_json::json;

/// `{ WORD: … }`. Numbers that are not finite are null.
pub(crate) fn text(word: &str, value: &impl Serialize) -> String {
    json!({ word: value }).to_string()
}

/// What a page is told first.
pub(crate) fn hello() -> String {
    let channels: Vec<_> =
        CHANNELS.iter().map(|(name, unit)| json!({ "name": name, "unit": unit })).collect();
    let version = env!("CARGO_PKG_VERSION");
    json!({ "hello": { "version": 1, "program": format!("micado {version}"), "channels": channels } })
        .to_string()
}

/// The place of a channel among those of [`hello`]; the words of scene files have hyphens.
pub(crate) fn channel_index(name: &str) -> Option<usize> {
    CHANNELS.iter().position(|(known, _)| *known == name || known.replace(' ', "-") == name)
}

/// What is open.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Scene {
    pub name: String,
    pub title: String,
    pub description: String,
    pub text: String,
    /// What is set in it on the command line, `path=value`.
    pub overrides: Vec<String>,
    pub builtin: bool,
    pub recording: Option<Span>,
    /// s
    pub duration: f64,
    /// s
    pub step: f64,
    pub colour: String,
    pub view_from: Option<[f64; 3]>,
}

/// The frames of a recording and their first and last time, s.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Span {
    pub frames: usize,
    pub start: f64,
    pub end: f64,
}

/// What exists.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Table {
    pub serial: u32,
    pub objects: Vec<ObjectRow>,
    pub constraints: Vec<ConstraintRow>,
    pub springs: Vec<Named>,
    pub loads: Vec<Named>,
    pub winches: Vec<WinchRow>,
    pub probes: Vec<ProbeRow>,
}

/// A rod, a mass or a pearl.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ObjectRow {
    pub name: String,
    pub kind: &'static str,
    pub points: u32,
    /// Rest length, m.
    pub length: f64,
    pub radii: Vec<f64>,
    pub closed: bool,
}

/// A constraint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ConstraintRow {
    pub name: String,
    pub kind: String,
    pub on: String,
    pub to: Option<String>,
    pub hand: bool,
    /// N
    pub strength: Option<f64>,
    pub marker: MarkerRow,
}

/// What a constraint looks like.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct MarkerRow {
    pub kind: &'static str,
    /// Which way it holds, where it doesn't both ways.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<&'static str>,
    /// Of a path, m.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<Vec<[f64; 3]>>,
}

/// A spring or a load.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Named {
    pub name: String,
    pub kind: &'static str,
}

/// A winch at an end of a rod.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct WinchRow {
    pub name: String,
    pub on: String,
    pub at: &'static str,
}

/// A probe.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ProbeRow {
    pub name: String,
    pub unit: &'static str,
    pub of: String,
    pub read: Quantity,
}

/// How it goes.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Status {
    pub playing: bool,
    pub speed: f64,
    pub mode: Mode,
    pub modes: Modes,
    pub real_time_factor: f64,
    pub step_seconds: f64,
    pub stages: Vec<StageTime>,
    pub energies: Energies,
    pub undo: Option<String>,
    pub redo: Option<String>,
    pub recording: bool,
    pub pages: usize,
    pub trouble: Option<Trouble>,
}

/// How many objects are stepped in which way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Modes {
    pub dynamic: usize,
    pub quasi_static: usize,
}

/// Seconds of a step that a stage takes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct StageTime {
    pub name: &'static str,
    pub seconds: f64,
}

/// J
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub(crate) struct Energies {
    pub kinetic: f64,
    pub elastic: f64,
    pub gravity: f64,
    pub total: f64,
}

/// What is wrong with the last step.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct Trouble {
    pub kind: &'static str,
    pub text: String,
    pub remedy: String,
    pub object: Option<String>,
    pub constraint: Option<String>,
}

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct EventRow {
    pub time: f64,
    pub kind: String,
    pub text: String,
}
