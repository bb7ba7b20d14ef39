//! What is open: a scene that is simulated, or a recording that is played back.

use super::live::{Live, Snapshot};
use super::playback::Playback;
use crate::protocol::Problem;

/// What is open.
#[derive(Debug)]
pub(super) enum Stage {
    Live(Box<Live>),
    Playback(Box<Playback>),
}

/// What was open, so that it can be had again.
#[derive(Debug)]
pub(super) enum Kept {
    Live(Snapshot),
    Playback(Box<Playback>),
}

impl Stage {
    /// The scene, where one is simulated.
    pub(super) fn live(&mut self) -> Result<&mut Live, Problem> {
        match self {
            Self::Live(live) => Ok(live),
            Self::Playback(_) => Err(Problem::new(
                "a recording is played back and can't be touched",
                "open a scene, or undo the opening",
            )),
        }
    }

    /// The recording, where one is played back.
    pub(super) fn playback(&mut self) -> Result<&mut Playback, Problem> {
        match self {
            Self::Playback(playback) => Ok(playback),
            Self::Live(_) => {
                Err(Problem::new("a scene is simulated, no recording played back", "open a recording"))
            }
        }
    }

    /// Simulated time that is shown, s.
    pub(super) fn time(&self) -> f64 {
        match self {
            Self::Live(live) => live.simulation.time(),
            Self::Playback(playback) => playback.time,
        }
    }

    /// What is needed to have it again.
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

    /// What it was; where it can't be had it is given back.
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
