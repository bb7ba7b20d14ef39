//! The recording of a run: append-only, checksummed, and readable after a kill at any moment.
//!
//! It holds everything that is drawn: a table of what exists, and in every frame points, directors,
//! orientations, channels, constraints, contacts, springs, loads, probes, energies and events. Playback needs
//! no simulation.
//!
//! A recording is a header followed by records. Every record is written by one call and has a length and a
//! checksum, so a run that dies leaves a recording that is readable up to its last complete frame.
//!
//! ```text
//! header   "MICADREC"  version u32  length u32  crc32 u32  JSON of Meta
//! record   length u32  crc32 u32  body
//! body     kind u8     payload
//! ```
//!
//! The length of a record counts its body, and the checksum covers length and body. A record is a frame, a
//! frame with a new table, a checkpoint or a mesh.
//!
//! All integers are little-endian. Frames are encoded with postcard; a checkpoint is a time and opaque bytes.
//! A mesh comes before the first frame whose table names it, by its number in the file.
//!
//! ```
//! use micado_io::record::{Frame, Meta, Recorder, Recording};
//!
//! # fn main() -> Result<(), micado_io::record::RecordError> {
//! # let folder = tempfile::tempdir().unwrap();
//! # let path = folder.path().join("run.micado");
//! let mut recorder = Recorder::create(&path, &Meta::new("empty", 0.01))?;
//! recorder.frame(&Frame { time: 0.01, ..Frame::default() })?;
//!
//! let mut recording = Recording::open(&path)?;
//! assert_eq!(recording.frame(0)?.time, 0.01);
//! # Ok(())
//! # }
//! ```

mod error;
mod frame;
mod mesh;
mod meta;
mod old;
mod reader;
mod scan;
mod table;
mod writer;

#[cfg(test)]
mod tests;

pub use error::RecordError;
pub use frame::{ConstraintState, ContactState, Energies, Event, Frame, GaugeState, LoadState, SpringState};
pub use mesh::Mesh;
pub use meta::{Channel, Meta};
pub use reader::{Frames, Recording, Tail};
pub use table::{
    ConstraintRow, GaugeKind, GaugeRow, Limit, LoadKind, LoadRow, Marker, MarkerKind, MotorKind, ObjectKind,
    ObjectRow, ProbeRow, SpringKind, SpringRow, Table, WinchEnd, WinchRow,
};
pub use writer::{Checkpoint, Recorder, Resumed};

/// The first bytes of every recording.
const MAGIC: &[u8; 8] = b"MICADREC";
/// Version of the format. Version 1 had points and forces, but no other drawn data; meshes of version 2 had
/// no edges; version 4 had neither scenery nor gauges; version 7 had no contacts. There are no versions 3, 5
/// and 6: the numbers of readable versions differ in at least two bits, so a flipped bit is detected.
const VERSION: u32 = 8;
/// The version before contacts of surfaces were recorded.
const WITHOUT_CONTACTS: u32 = 7;
/// Earlier versions that can be read.
const EARLIER: [u32; 3] = [2, 4, WITHOUT_CONTACTS];
/// Bytes before the JSON: magic, version, length, checksum.
const HEADER_LENGTH: usize = 20;
/// Bytes before a body: length, checksum.
const RECORD_HEAD: u64 = 8;

/// A frame that uses the current table.
const KIND_FRAME: u8 = 1;
/// A frame that brings a new table.
const KIND_FRAME_WITH_TABLE: u8 = 2;
/// A time and opaque bytes from which a run can resume.
const KIND_CHECKPOINT: u8 = 3;
/// A mesh.
const KIND_MESH: u8 = 4;

/// Whether a file begins like a recording.
pub fn is_recording(path: impl AsRef<std::path::Path>) -> bool {
    use std::io::Read;
    let mut head = [0; MAGIC.len()];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == *MAGIC
}

/// Starts the checksum of a record. It covers length and body, so that a wrong length is found too.
fn checksum_of_length(length: u32) -> crc32fast::Hasher {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&length.to_le_bytes());
    hasher
}
