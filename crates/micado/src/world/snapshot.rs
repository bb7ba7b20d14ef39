//! Snapshots: structure and state as bytes; a restored run continues with the same bits.
//!
//! The structure is stored as its descriptions and the data that constraints and springs fixed when they were
//! added; building it is deterministic. The state is stored unchanged.

use crate::describe::signal::Signal;
use crate::error::BuildError;
use crate::object::ObjectDescription;
use crate::scene::kinds::{kinds, types::*};
use crate::scene::{ContactSettings, Integrator, Kind, Registry, Scene};
use crate::world::kinds::Attached;
use crate::world::{Scenery, Winch};
use crate::world::{State, Structure, World};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Write};

const MAGIC: &[u8; 8] = b"MICADO16";

/// FNV-1a of no bytes.
const EMPTY_SUM: u64 = 0xcbf2_9ce4_8422_2325;

/// Continues an FNV-1a checksum; a flipped bit or a lost byte changes it.
fn checksum(sum: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(sum, |sum, &byte| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

/// Writer that computes a checksum.
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

macro_rules! record {
    ($($(#[$doc:meta])* $Kind:ident($Description:ident) $word:ident $words:ident {$($edits:tt)*})*) => {
        /// The structure of a world in words.
        #[derive(Serialize, Deserialize)]
        struct Record<P> {
            scene: Scene,
            gravity: Signal<[f64; 3]>,
            contact: Option<ContactSettings>,
            objects: Vec<(String, ObjectDescription)>,
            $($words: Vec<<$Kind as Attached>::Saved>,)*
            version: u64,
            progress: P,
        }

        impl<P> Record<P> {
            fn new(scene: &Scene, structure: &Structure, progress: P) -> Self {
                let objects = structure.objects.iter();
                Self {
                    scene: scene.clone(),
                    gravity: structure.gravity.clone(),
                    contact: structure.contact.clone(),
                    objects: objects.map(|o| (o.name.clone(), o.description.clone())).collect(),
                    $($words: structure.$words.iter().map($Kind::save).collect(),)*
                    version: structure.version,
                    progress,
                }
            }

            /// Adds all attached items of a kind.
            fn restore(&mut self, kind: Kind, world: &mut World, state: &State) -> Result<(), BuildError> {
                match kind {
                    $(Kind::$Kind => std::mem::take(&mut self.$words)
                        .into_iter()
                        .try_for_each(|saved| $Kind::restore(saved, world, state)),)*
                    _ => Ok(()),
                }
            }
        }
    };
}
kinds!(attached => record);

/// Writes a world, its scene and the progress of its run, without a copy of the state in memory.
pub(crate) fn write<P: Serialize>(
    scene: &Scene,
    world: &World,
    progress: P,
    out: impl Write,
) -> io::Result<()> {
    let record = Record::new(scene, world.structure(), progress);
    let mut summed = Summed { out, sum: EMPTY_SUM };
    let words = serde_json::to_vec(&record)?;
    summed.write_all(MAGIC)?;
    summed.write_all(&(words.len() as u64).to_le_bytes())?;
    summed.write_all(&words)?;
    postcard::to_io(world.state(), &mut summed).map_err(io::Error::other)?;
    let Summed { mut out, sum } = summed;
    out.write_all(&sum.to_le_bytes())
}

/// Reads the output of [`write`].
pub(crate) fn read<P: DeserializeOwned>(
    bytes: &[u8],
    registry: &Registry,
) -> Result<(Scene, World, P), SnapshotError> {
    let rest = bytes.strip_prefix(MAGIC.as_slice()).ok_or(SnapshotError::NotASnapshot)?;
    let damaged = |what: &str| SnapshotError::Damaged(what.to_owned());
    let (rest, sum) = rest.split_last_chunk::<8>().ok_or_else(|| damaged("it ends early"))?;
    // Places and laws are not checked: the checksum ensures that they are as written.
    if checksum(EMPTY_SUM, &bytes[..bytes.len() - 8]) != u64::from_le_bytes(*sum) {
        return Err(damaged("its checksum is wrong"));
    }
    let (length, rest) = rest.split_first_chunk::<8>().ok_or_else(|| damaged("it ends early"))?;
    let length =
        usize::try_from(u64::from_le_bytes(*length)).map_err(|_| damaged("a length is too large"))?;
    let (words, numbers) = rest.split_at_checked(length).ok_or_else(|| damaged("it ends early"))?;
    let mut record: Record<P> =
        serde_json::from_slice(words).map_err(|e| SnapshotError::Damaged(e.to_string()))?;
    let state: State = postcard::from_bytes(numbers).map_err(|e| SnapshotError::Damaged(e.to_string()))?;

    let mut world = World::default();
    world.structure.registry = registry.clone();
    world.structure.gravity = record.gravity.clone();
    world.structure.explicit = record.scene.settings.integrator == Integrator::Explicit;
    world.structure.swept = record.scene.settings.swept();
    world.structure.contact = record.contact.clone();
    for (name, description) in &record.objects {
        world.add(name, description.as_description()).map_err(SnapshotError::Scene)?;
    }
    if state.spooled.len() != record.winches.len() {
        return Err(damaged("state and structure have different sizes"));
    }
    for kind in Kind::in_build_order() {
        record.restore(kind, &mut world, &state).map_err(SnapshotError::Scene)?;
    }
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
    world.renew_touching();
    Ok((record.scene, world, record.progress))
}
