//! Snapshots: structure and state as bytes, from which the same bits go on.
//!
//! The structure is kept as its descriptions with what constraints and springs fixed when they were added;
//! building it is deterministic. The state is kept as it is.

use crate::constraint::{Constraint, ConstraintDescription, ENDS, Law};
use crate::describe::signal::Signal;
use crate::error::BuildError;
use crate::load::{LoadDescription, Spring};
use crate::object::ObjectDescription;
use crate::scene::WinchDescription;
use crate::scene::{Integrator, Scene};
use crate::world::State;
use crate::world::World;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

const MAGIC: &[u8; 8] = b"MICADOS8";

/// FNV-1a of nothing.
const EMPTY_SUM: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a, gone on with: a flipped bit or a lost byte anywhere changes it.
fn checksum(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Passes bytes on and sums them up.
struct Summed<W> {
    out: W,
    sum: u64,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sum = checksum(self.sum, &bytes[..written]);
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Why a snapshot can't be read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SnapshotError {
    /// The bytes don't begin like a snapshot of this version.
    #[error("not a snapshot of this version")]
    NotASnapshot,
    /// The bytes end early or don't fit together.
    #[error("the snapshot is damaged: {0}")]
    Damaged(String),
    /// The scene in it can't be built.
    #[error("the scene of the snapshot can't be built: {0}")]
    Scene(BuildError),
}

/// The structure of a world in words.
#[derive(Serialize, Deserialize)]
struct Record<P> {
    scene: Scene,
    gravity: Signal<[f64; 3]>,
    objects: Vec<(String, ObjectDescription)>,
    constraints: Vec<(String, ConstraintDescription, Law)>,
    loads: Vec<(String, LoadDescription)>,
    springs: Vec<Spring>,
    /// Name, description and offset of the winches.
    winches: Vec<(String, WinchDescription, f64)>,
    version: u64,
    progress: P,
}

/// Writes a world, its scene and how far its run has come. Nothing of the size of the state is held in
/// memory.
pub(crate) fn write<P: Serialize>(
    scene: &Scene,
    world: &World,
    progress: P,
    out: impl Write,
) -> io::Result<()> {
    let structure = world.structure();
    let record = Record {
        scene: scene.clone(),
        gravity: structure.gravity.clone(),
        objects: structure.objects.iter().map(|o| (o.name.clone(), o.description.clone())).collect(),
        constraints: structure
            .constraints
            .iter()
            .map(|c| (c.name.clone(), c.description.clone(), c.law.clone()))
            .collect(),
        loads: structure.loads.iter().map(|l| (l.name.clone(), l.description.clone())).collect(),
        springs: structure.springs.clone(),
        winches: structure
            .winches
            .iter()
            .map(|w| (w.name.clone(), w.description.clone(), w.offset))
            .collect(),
        version: structure.version,
        progress,
    };
    let mut summed = Summed { out, sum: EMPTY_SUM };
    let words = serde_json::to_vec(&record)?;
    summed.write_all(MAGIC)?;
    summed.write_all(&(words.len() as u64).to_le_bytes())?;
    summed.write_all(&words)?;
    postcard::to_io(world.state(), &mut summed).map_err(io::Error::other)?;
    let Summed { mut out, sum } = summed;
    out.write_all(&sum.to_le_bytes())
}

/// What [`write`] wrote.
pub(crate) fn read<P: DeserializeOwned>(bytes: &[u8]) -> Result<(Scene, World, P), SnapshotError> {
    let rest = bytes.strip_prefix(MAGIC.as_slice()).ok_or(SnapshotError::NotASnapshot)?;
    let damaged = |what: &str| SnapshotError::Damaged(what.to_owned());
    let (rest, sum) = rest.split_last_chunk::<8>().ok_or_else(|| damaged("it ends early"))?;
    // Places and laws in it are taken as they are: only bytes that were written are read.
    if checksum(EMPTY_SUM, &bytes[..bytes.len() - 8]) != u64::from_le_bytes(*sum) {
        return Err(damaged("its checksum is wrong"));
    }
    let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(|| damaged("it ends early"))?;
    let length =
        usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged("a length is too large"))?;
    let (words, numbers) = rest.split_at_checked(length).ok_or_else(|| damaged("it ends early"))?;
    let record: Record<P> =
        serde_json::from_slice(words).map_err(|e| SnapshotError::Damaged(e.to_string()))?;
    let state: State = postcard::from_bytes(numbers).map_err(|e| SnapshotError::Damaged(e.to_string()))?;

    let mut world = World::default();
    world.structure.gravity = record.gravity;
    world.structure.explicit = record.scene.settings.integrator == Integrator::Explicit;
    for (name, description) in &record.objects {
        world.add_object(name, description).map_err(SnapshotError::Scene)?;
    }
    if state.spooled.len() != record.winches.len() {
        return Err(damaged("state and structure have different sizes"));
    }
    for ((name, description, offset), &length) in record.winches.iter().zip(&state.spooled) {
        world.restore_winch(name, description, *offset, length).map_err(SnapshotError::Scene)?;
    }
    for (name, description, law) in record.constraints {
        let (ends, _) = world.ends_again(&description, [false; ENDS]).map_err(SnapshotError::Scene)?;
        let rods = world.clip_rods(&description).map_err(SnapshotError::Scene)?;
        world.structure.constraints.push(Constraint { name, ends, description, law, rods });
    }
    for (name, description) in &record.loads {
        world.add_load_again(name, description).map_err(SnapshotError::Scene)?;
    }
    world.structure.springs = record.springs;
    world.structure.version = record.version;
    let fits = state.q.len() == world.state.q.len()
        && state.v.len() == world.state.v.len()
        && state.frames.len() == world.state.frames.len()
        && state.constraints.len() == world.structure.constraints.len()
        && state.springs.len() == world.structure.springs.len()
        && (state.history.step == 0.0
            || state.history.increment.len() == state.q.len()
                && state.history.velocity.len() == state.q.len());
    if !fits {
        return Err(damaged("state and structure have different sizes"));
    }
    world.state = state;
    Ok((record.scene, world, record.progress))
}
