//! The table as a message: all items, in the order of the arrays of a frame.

use micado_io::record::{self, ConstraintRow, GaugeRow, LoadRow, ObjectRow, ProbeRow, SpringRow, WinchRow};
#[cfg(test)]
use schemars::JsonSchema;
use serde::Serialize;

/// All items of the scene, in the order of the arrays of a frame.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(JsonSchema))]
pub(crate) struct Table<'a> {
    /// Number of the table; frames name their table by it.
    pub serial: u32,
    pub objects: &'a [ObjectRow],
    pub constraints: &'a [ConstraintRow],
    pub springs: &'a [SpringRow],
    pub loads: &'a [LoadRow],
    pub winches: &'a [WinchRow],
    pub probes: &'a [ProbeRow],
    pub gauges: &'a [GaugeRow],
}

impl<'a> Table<'a> {
    pub(crate) fn new(serial: u32, table: &'a record::Table) -> Self {
        let record::Table { objects, constraints, springs, loads, winches, probes, gauges } = table;
        Self { serial, objects, constraints, springs, loads, winches, probes, gauges }
    }
}
