//! Frames of versions 2 and 4, which had neither colours of objects nor gauges.

use super::frame::{ConstraintState, Energies, Event, Frame, LoadState, SpringState, packed};
use super::table::{ConstraintRow, LoadRow, ObjectKind, ObjectRow, ProbeRow, SpringRow, Table, WinchRow};
use serde::Deserialize;

#[derive(Deserialize)]
pub(super) struct OldFrame {
    time: f64,
    table: Option<OldTable>,
    points: Vec<[f64; 3]>,
    #[serde(with = "packed")]
    directors: Vec<[f32; 3]>,
    orientations: Vec<[f64; 4]>,
    channels: Vec<Vec<f32>>,
    constraints: Vec<ConstraintState>,
    springs: Vec<SpringState>,
    loads: Vec<LoadState>,
    probes: Vec<f64>,
    energies: Energies,
    events: Vec<Event>,
}

#[derive(Deserialize)]
struct OldTable {
    objects: Vec<OldObject>,
    constraints: Vec<ConstraintRow>,
    springs: Vec<SpringRow>,
    loads: Vec<LoadRow>,
    winches: Vec<WinchRow>,
    probes: Vec<ProbeRow>,
}

#[derive(Deserialize)]
struct OldObject {
    name: String,
    kind: ObjectKind,
    points: u32,
    length: f64,
    radii: Vec<f64>,
    closed: bool,
    mesh: Option<u32>,
}

impl From<OldFrame> for Frame {
    fn from(old: OldFrame) -> Self {
        Self {
            time: old.time,
            table: old.table.map(Table::from),
            points: old.points,
            directors: old.directors,
            orientations: old.orientations,
            channels: old.channels,
            constraints: old.constraints,
            springs: old.springs,
            loads: old.loads,
            probes: old.probes,
            energies: old.energies,
            events: old.events,
            gauges: Vec::new(),
            contacts: Vec::new(),
        }
    }
}

impl From<OldTable> for Table {
    fn from(old: OldTable) -> Self {
        let object = |OldObject { name, kind, points, length, radii, closed, mesh }| ObjectRow {
            name,
            kind,
            points,
            length,
            radii,
            closed,
            mesh,
            colour: None,
        };
        Self {
            objects: old.objects.into_iter().map(object).collect(),
            constraints: old.constraints,
            springs: old.springs,
            loads: old.loads,
            winches: old.winches,
            probes: old.probes,
            gauges: Vec::new(),
        }
    }
}
