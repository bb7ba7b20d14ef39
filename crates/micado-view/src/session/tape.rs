//! A recording of what is seen.

use crate::protocol::{Events, Problem};
use micado_io::observe;
use micado_io::record::{Event, Frame, RecordError, Recorder, Table};
use micado_io::scene::SceneFile;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Frames a second, at most.
const FRAME_EVERY: f64 = 1.0 / 30.0;
/// Bytes of a recording that a page asked for, at most: it is given back in one message.
const MOST_BYTES: u64 = 64 << 20;

/// A recording that is being made, or was made.
#[derive(Debug)]
pub(super) struct Tape {
    /// None when it has ended.
    recorder: Option<Recorder>,
    /// Name by which a page saves it.
    name: String,
    path: PathBuf,
    /// The folder of one that a page asked for, which goes when this goes. None of one that was named.
    folder: Option<TempDir>,
    table: Table,
    /// When the last frame was taken, s on the clock, and what time it showed, s. Time doesn't go back: who
    /// jumps ends the recording.
    last: Option<[f64; 2]>,
    /// Events so far that frames hold.
    told: usize,
}

impl Tape {
    /// Begins a recording in a file of its own, or in one that was named.
    pub(super) fn begin(
        named: Option<PathBuf>,
        file: &SceneFile,
        table: &Table,
        told: usize,
    ) -> Result<Self, Problem> {
        let name = format!("{}.micado", file.short_name());
        let (path, folder) = match named {
            Some(path) => (path, None),
            None => {
                // Nobody else can look into it.
                let folder = tempfile::Builder::new().prefix("micado-").tempdir().map_err(refused)?;
                (folder.path().join("recording.micado"), Some(folder))
            }
        };
        let recorder = Recorder::create(&path, &observe::meta(file, table)).map_err(refused)?;
        Ok(Self { recorder: Some(recorder), name, path, folder, table: table.clone(), last: None, told })
    }

    /// Whether it goes on.
    pub(super) fn is_on(&self) -> bool {
        self.recorder.is_some()
    }

    pub(super) fn end(&mut self) {
        self.recorder = None;
    }

    /// Takes a frame, when it is time for one. Says why the recording has ended, if it has.
    pub(super) fn take(
        &mut self,
        frame: &Frame,
        table: &Table,
        now: f64,
        events: &Events,
    ) -> Result<(), String> {
        let Some(recorder) = &mut self.recorder else { return Ok(()) };
        match self.last {
            // The same moment again.
            Some([_, time]) if frame.time == time => return Ok(()),
            Some([at, _]) if now - at < FRAME_EVERY => return Ok(()),
            _ => {}
        }
        let mut frame = frame.clone();
        if *table != self.table {
            frame.table = Some(table.clone());
            self.table = table.clone();
        }
        let (news, told) = events.after(self.told);
        frame.events = news
            .iter()
            .map(|event| Event { time: event.time, kind: event.kind.clone(), text: event.text.clone() })
            .collect();
        self.told = told;
        self.last = Some([now, frame.time]);
        let written = recorder.frame(&frame).map_err(|error| error.to_string());
        let size = std::fs::metadata(&self.path).map_or(0, |data| data.len());
        let result = match written {
            Ok(()) if self.folder.is_some() && size > MOST_BYTES => {
                Err("the recording is as large as it may be, and has ended".to_owned())
            }
            result => result,
        };
        if result.is_err() {
            self.end();
        }
        result
    }

    /// The name by which it is saved, and where it is.
    pub(super) fn file(&self) -> (String, PathBuf) {
        (self.name.clone(), self.path.clone())
    }
}

/// All of a recording so far.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    std::fs::read(path)
        .map_err(|error| Problem::new(format!("the recording can't be read: {error}"), "record again"))
}

fn refused(error: impl Into<TapeError>) -> Problem {
    let TapeError(error) = error.into();
    Problem::new(format!("no recording can be made: {error}"), "make room on the disk, or name another file")
}

/// Why a recording can't be made.
struct TapeError(String);

impl From<RecordError> for TapeError {
    fn from(error: RecordError) -> Self {
        Self(error.to_string())
    }
}

impl From<std::io::Error> for TapeError {
    fn from(error: std::io::Error) -> Self {
        Self(error.to_string())
    }
}
