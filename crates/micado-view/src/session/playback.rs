//! Playback of a recording. It contains everything that is drawn; nothing is simulated.

use crate::protocol::{Problem, Scene, Span};
use micado_io::observe::CHANNELS;
use micado_io::record::{Energies, Event, Frame, Mesh, Recording, Table};

/// Largest number of frames whose events are reported with the current one: more are skipped only in a jump.
const MOST_PASSED: usize = 100;

/// A recording that is played back.
#[derive(Debug)]
pub(super) struct Playback {
    recording: Recording,
    name: String,
    /// The current frame.
    pub(super) at: usize,
    /// Simulated time since the current frame, s.
    pub(super) time: f64,
    /// Size of the recording in memory, bytes; 0 for one in a file.
    pub(super) bytes: usize,
    /// Number of frames whose events were reported.
    reported: usize,
    /// Energies of the frame that was read last.
    pub(super) energies: Energies,
}

impl Playback {
    /// Starts playback; an empty recording is an error.
    pub(super) fn new(recording: Recording, name: String, bytes: usize) -> Result<Self, Problem> {
        let Some(start) = recording.time(0) else {
            return Err(Problem::new(format!("{name} has no frames"), "record something longer"));
        };
        Ok(Self { recording, name, at: 0, time: start, bytes, reported: 0, energies: Energies::default() })
    }

    /// Damage of the recording, if any.
    pub(super) fn damage(&self) -> Option<String> {
        self.recording.damage()
    }

    /// The recording, as a message.
    pub(super) fn scene(&self) -> Scene {
        let meta = self.recording.meta();
        let end = self.last_time();
        Scene {
            name: self.name.clone(),
            title: meta.title.clone(),
            description: meta.description.clone(),
            text: meta.scene_text.clone(),
            overrides: meta.overrides.clone(),
            builtin: false,
            recording: Some(Span {
                frames: self.recording.len(),
                start: self.recording.time(0).unwrap_or(0.0),
                end,
            }),
            duration: end,
            step: meta.time_step,
            colour: meta.colour.clone(),
            view_from: meta.view_from,
        }
    }

    fn last_time(&self) -> f64 {
        self.recording.time(self.recording.len() - 1).unwrap_or(0.0)
    }

    /// Goes to a frame.
    pub(super) fn seek(&mut self, frame: usize) -> Result<(), Problem> {
        let time = self.recording.time(frame).ok_or_else(|| {
            let last = self.recording.len() - 1;
            Problem::new(format!("there is no frame {frame}"), format!("give a number from 0 to {last}"))
        })?;
        (self.at, self.time) = (frame, time);
        Ok(())
    }

    /// Advances by some simulated time; returns whether the frame has changed, and whether the end is
    /// reached.
    pub(super) fn advance(&mut self, seconds: f64) -> (bool, bool) {
        let end = self.last_time();
        self.time = (self.time + seconds).min(end);
        let at = self.recording.index_at(self.time).unwrap_or(0);
        (std::mem::replace(&mut self.at, at) != at, self.time >= end)
    }

    /// Whether the last frame is shown.
    pub(super) fn is_over(&self) -> bool {
        self.at + 1 >= self.recording.len()
    }

    /// The table of the current frame.
    pub(super) fn table(&self) -> &Table {
        self.recording.table(self.at)
    }

    /// The surfaces of all objects; unreadable ones are empty.
    pub(super) fn meshes(&mut self) -> Vec<Mesh> {
        let count = u32::try_from(self.recording.mesh_count()).unwrap_or(u32::MAX);
        (0..count).map(|index| self.recording.mesh(index).unwrap_or_default()).collect()
    }

    /// The first frame with the table of the current one, which identifies the table.
    pub(super) fn table_key(&self) -> usize {
        let table = self.table();
        (0..self.at)
            .rev()
            .take_while(|&frame| std::ptr::eq(self.recording.table(frame), table))
            .last()
            .unwrap_or(self.at)
    }

    /// The current frame, its channels in the order of the protocol.
    pub(super) fn frame(&mut self) -> Result<Frame, Problem> {
        let mut frame = self
            .recording
            .frame(self.at)
            .map_err(|error| Problem::new(error.to_string(), "play another part of it"))?;
        let recorded = std::mem::take(&mut frame.channels);
        let names = &self.recording.meta().channels;
        let values = |name: &str| {
            names.iter().position(|channel| channel.name == name).and_then(|k| recorded.get(k).cloned())
        };
        frame.channels = CHANNELS.iter().map(|(name, _)| values(name).unwrap_or_default()).collect();
        self.energies = frame.energies;
        Ok(frame)
    }

    /// Events up to the current frame that were not reported yet.
    pub(super) fn new_events(&mut self) -> Vec<Event> {
        let (first, end) = (self.reported.max(self.at.saturating_sub(MOST_PASSED)), self.at + 1);
        self.reported = self.reported.max(end);
        // Unreadable frames are reported when they are shown.
        (first..end)
            .filter_map(|frame| self.recording.frame(frame).ok())
            .flat_map(|frame| frame.events)
            .collect()
    }
}
