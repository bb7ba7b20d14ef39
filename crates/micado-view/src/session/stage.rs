//! The open stage: a simulated scene, or a recording that is played back.

use super::live::{Live, Snapshot};
use super::playback::Playback;
use crate::protocol::Problem;

/// The open scene or recording.
#[derive(Debug)]
pub(super) enum Stage {
    Live(Box<Live>),
    Playback(Box<Playback>),
}

/// A closed stage that can be restored.
#[derive(Debug)]
pub(super) enum Kept {
    Live(Snapshot),
    Playback(Box<Playback>),
}

impl Stage {
    /// The simulated scene, if there is one.
    pub(super) fn live(&mut self) -> Result<&mut Live, Problem> {
        match self {
            Self::Live(live) => Ok(live),
            Self::Playback(_) => Err(Problem::new(
                "a recording is played back; it can't be edited",
                "open a scene, or undo the opening",
            )),
        }
    }

    /// The recording, if one is played back.
    pub(super) fn playback(&mut self) -> Result<&mut Playback, Problem> {
        match self {
            Self::Playback(playback) => Ok(playback),
            Self::Live(_) => Err(Problem::new("no recording is played back", "open a recording")),
        }
    }

    /// Displayed simulated time, s.
    pub(super) fn time(&self) -> f64 {
        match self {
            Self::Live(live) => live.simulation.time(),
            Self::Playback(playback) => playback.time,
        }
    }

    /// Closes it in a form that can be restored.
    pub(super) fn keep(self) -> Kept {
        match self {
            Self::Live(live) => Kept::Live(live.snapshot()),
            Self::Playback(playback) => Kept::Playback(playback),
        }
    }
}

impl Kept {
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::Live(snapshot) => snapshot.bytes.len() + snapshot.file.text().len(),
            Self::Playback(playback) => playback.bytes,
        }
    }

    /// Restores it; on failure it is returned with the problem.
    pub(super) fn bring_back(self) -> Result<Stage, Box<(Self, Problem)>> {
        match self {
            Self::Live(snapshot) => match Live::restore(&snapshot) {
                Ok(live) => Ok(Stage::Live(Box::new(live))),
                Err(problem) => Err(Box::new((Self::Live(snapshot), problem))),
            },
            Self::Playback(playback) => Ok(Stage::Playback(playback)),
        }
    }
}
