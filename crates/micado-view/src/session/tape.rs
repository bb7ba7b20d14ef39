//! A recording of the displayed frames.

use crate::protocol::{EventRow, Events, Problem};
use micado_io::observe;
use micado_io::record::{Event, Frame, Mesh, RecordError, Recorder, Table};
use micado_io::scene::SceneFile;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// Shortest time between frames, s.
const FRAME_EVERY: f64 = 1.0 / 30.0;
/// Largest recording that a page may request, bytes: it is sent in one message.
const MOST_BYTES: u64 = 64 << 20;

/// A recording that is running, or has ended.
#[derive(Debug)]
pub(super) struct Tape {
    /// `None` when it has ended.
    recorder: Option<Recorder>,
    /// File name under which a page saves it.
    name: String,
    path: PathBuf,
    /// Temporary folder of a recording that a page requested; `None` if the file was named.
    folder: Option<TempDir>,
    table: Table,
    /// Clock time and simulated time of the last frame, s. Time never goes back: a jump ends the recording.
    last: Option<[f64; 2]>,
    /// Number of events in the frames so far.
    reported: usize,
}

impl Tape {
    /// Starts a recording in a temporary file, or in the named one.
    pub(super) fn begin(
        named: Option<PathBuf>,
        file: &SceneFile,
        table: &Table,
        reported: usize,
    ) -> Result<Self, Problem> {
        let name = format!("{}.micado", file.short_name());
        let (path, folder) = match named {
            Some(path) => (path, None),
            None => {
                // Only this user can read it.
                let folder = tempfile::Builder::new().prefix("micado-").tempdir().map_err(refused)?;
                (folder.path().join("recording.micado"), Some(folder))
            }
        };
        let recorder = Recorder::create(&path, &observe::meta(file, table)).map_err(refused)?;
        Ok(Self { recorder: Some(recorder), name, path, folder, table: table.clone(), last: None, reported })
    }

    /// Whether it is running.
    pub(super) fn is_on(&self) -> bool {
        self.recorder.is_some()
    }

    pub(super) fn end(&mut self) {
        self.recorder = None;
    }

    /// Takes a frame when one is due, with its table and the meshes that this names. Returns the reason if
    /// the recording has ended.
    pub(super) fn take(
        &mut self,
        frame: &Frame,
        (table, meshes): (&Table, &[Mesh]),
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
        let (new, reported) = events.after(self.reported);
        let event = |row: &EventRow| Event { time: row.time, kind: row.kind.clone(), text: row.text.clone() };
        frame.events = new.iter().map(event).collect();
        self.reported = reported;
        self.last = Some([now, frame.time]);
        let written = recorder.meshes(meshes).and_then(|()| recorder.frame(&frame));
        let written = written.map_err(|error| error.to_string());
        let size = std::fs::metadata(&self.path).map_or(0, |data| data.len());
        let result = match written {
            Ok(()) if self.folder.is_some() && size > MOST_BYTES => {
                Err("the recording has reached its largest size and has ended".to_owned())
            }
            result => result,
        };
        if result.is_err() {
            self.end();
        }
        result
    }

    /// The name under which it is saved, and its path.
    pub(super) fn file(&self) -> (String, PathBuf) {
        (self.name.clone(), self.path.clone())
    }
}

/// The bytes of a recording so far.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, Problem> {
    std::fs::read(path)
        .map_err(|error| Problem::new(format!("the recording can't be read: {error}"), "record again"))
}

fn refused(error: impl Into<TapeError>) -> Problem {
    let TapeError(error) = error.into();
    Problem::new(format!("the recording can't be written: {error}"), "free disk space, or name another file")
}

/// The reason why a recording can't be written.
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
