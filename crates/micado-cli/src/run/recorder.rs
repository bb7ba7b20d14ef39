//! Decides when frames and checkpoints are written.

use super::folder::{Folder, RECORDING};
use crate::failure::Failure;
use micado::run::Simulation;
use micado::scene::Settings;
use micado::world::World;
use micado_io::observe::{self, Observer};
use micado_io::record::{Event, Mesh, Recorder, Table};
use micado_io::scene::SceneFile;
use std::io::{self, Write};
use std::time::{Duration, Instant};

/// Frames a second of simulated time.
const FRAME_RATE: f64 = 30.0;
/// Least number of frames of a short run, and largest of a long one.
const FEWEST_FRAMES: f64 = 100.0;
const MOST_FRAMES: f64 = 1200.0;
/// Least wall time between checkpoints, s, and largest data rate, bytes per second.
const CHECKPOINT_EVERY: f64 = 1.0;
const CHECKPOINT_RATE: f64 = 2e6;

/// Writes the recording of a run.
pub(super) struct RunRecorder {
    recorder: Recorder,
    table: Table,
    observer: Observer,
    frame_every: f64,
    next_frame: f64,
    last_frame: Option<f64>,
    next_checkpoint: Instant,
    /// Number of steps at the last checkpoint.
    last_checkpoint: Option<u64>,
}

impl RunRecorder {
    /// Uses a recorder whose current table is `table`.
    pub(super) fn new(recorder: Recorder, table: Table, settings: &Settings, world: &World) -> Self {
        let (time, state) = (world.time(), world.state());
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let bytes = (8 * (state.q.len() + state.v.len() + state.frames.len())) as f64;
        let pause = CHECKPOINT_EVERY.max(bytes / CHECKPOINT_RATE);
        Self {
            recorder,
            table,
            observer: Observer::default(),
            frame_every: frame_spacing(settings),
            next_frame: time,
            last_frame: None,
            next_checkpoint: Instant::now() + Duration::from_secs_f64(pause),
            last_checkpoint: None,
        }
    }

    /// Continues a recording that has these meshes; the first frame has its table.
    pub(super) fn resumed(recorder: Recorder, meshes: Vec<Mesh>, settings: &Settings, world: &World) -> Self {
        let mut resumed = Self::new(recorder, Table::default(), settings, world);
        resumed.observer = Observer::with_meshes(meshes);
        resumed.next_frame = resumed.frame_after(world.time());
        resumed
    }

    /// Writes a frame if one is due, or if `in_any_case`; returns whether it did.
    pub(super) fn frame(
        &mut self,
        simulation: &Simulation,
        events: &mut Vec<Event>,
        in_any_case: bool,
    ) -> Result<bool, Failure> {
        let time = simulation.time();
        // A millionth of the spacing removes rounding.
        let due = time >= self.next_frame - 1e-6 * self.frame_every;
        if !(due || in_any_case) || self.last_frame == Some(time) {
            return Ok(false);
        }
        self.next_frame = self.frame_after(time);
        let (table, mut frame) = self.observer.observe(simulation);
        if !self.table.serves(&table) {
            frame.table = Some(table.clone());
            self.table = table;
        }
        frame.events = std::mem::take(events);
        self.last_frame = Some(time);
        let written = self.recorder.meshes(self.observer.meshes()).and_then(|()| self.recorder.frame(&frame));
        written.map_err(|error| Failure::write(self.recorder.path(), error))?;
        Ok(true)
    }

    /// Time of the first frame after `time`, s. Frames are at multiples of their spacing, whatever was
    /// recorded before, so that an interrupted run records the same ones.
    fn frame_after(&self, time: f64) -> f64 {
        // A millionth of the spacing removes rounding.
        ((time / self.frame_every + 1e-6).floor() + 1.0) * self.frame_every
    }

    /// Whether enough time has passed since the last checkpoint.
    pub(super) fn wants_checkpoint(&self) -> bool {
        Instant::now() >= self.next_checkpoint
    }

    /// Writes a checkpoint after so many steps, unless it exists already.
    pub(super) fn checkpoint(
        &mut self,
        time: f64,
        steps: u64,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Failure> {
        if self.last_checkpoint == Some(steps) {
            return Ok(());
        }
        self.last_checkpoint = Some(steps);
        let started = Instant::now();
        let length = self
            .recorder
            .checkpoint_with(time, write)
            .map_err(|error| Failure::write(self.recorder.path(), error))?;
        #[expect(clippy::cast_precision_loss, reason = "a rate")]
        let by_size = length as f64 / CHECKPOINT_RATE;
        let by_time = 20.0 * started.elapsed().as_secs_f64();
        let pause = CHECKPOINT_EVERY.max(by_size).max(by_time);
        self.next_checkpoint = Instant::now() + Duration::from_secs_f64(pause);
        Ok(())
    }
}

/// Starts a recording.
pub(super) fn create(folder: &Folder, file: &SceneFile, table: &Table) -> Result<Recorder, Failure> {
    let path = folder.file(RECORDING);
    Recorder::create(&path, &observe::meta(file, table)).map_err(|error| Failure::write(&path, error))
}

/// Time between frames, s: enough for the eye and for a short run, not too many for a long one.
fn frame_spacing(settings: &Settings) -> f64 {
    let wanted =
        (1.0 / FRAME_RATE).min(settings.duration / FEWEST_FRAMES).max(settings.duration / MOST_FRAMES);
    wanted.max(settings.step)
}

#[cfg(test)]
mod tests {
    use super::frame_spacing;
    use micado::scene::Settings;

    #[test]
    fn short_runs_have_enough_frames_and_long_ones_not_too_many() {
        let spacing = |duration, step| frame_spacing(&Settings { duration, step, ..Settings::default() });
        assert_eq!(spacing(5.0, 0.01), 1.0 / 30.0);
        assert_eq!(spacing(0.1, 1e-5), 0.001);
        assert_eq!(spacing(1200.0, 0.01), 1.0);
        assert_eq!(spacing(1.0, 0.05), 0.05);
    }
}
