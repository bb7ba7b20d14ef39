//! Reading a recording.

use std::fmt::Debug;
use std::fs::File;
use std::io::{Cursor, Read, Seek};
use std::path::{Path, PathBuf};

use super::error::RecordError;
use super::frame::Frame;
use super::mesh::{Mesh, MeshSize};
use super::meta::Meta;
use super::scan::{Entry, Scan, read_payload, scan};
use super::table::Table;
use super::writer::Checkpoint;

/// Source of a recording: a file, or memory.
trait Source: Read + Seek + Debug + Send {}

impl<T: Read + Seek + Debug + Send> Source for T {}

/// A recording opened for reading: checked once, then read frame by frame in any order.
#[derive(Debug)]
pub struct Recording {
    path: PathBuf,
    file: Box<dyn Source>,
    scan: Scan,
    meshes: Vec<MeshSize>,
}

/// The part after the last intact record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tail {
    /// Unreadable bytes.
    pub dropped_bytes: u64,
    /// Whether intact records follow: the file is damaged in the middle, not cut short.
    pub damaged: bool,
}

impl Recording {
    /// Opens a recording and finds its frames. A torn end is not an error: see [`Recording::tail`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RecordError> {
        let path = path.as_ref().to_owned();
        let file = File::open(&path).map_err(RecordError::io(&path, "open it"))?;
        Self::of(Box::new(file), path)
    }

    /// A recording in memory; errors call it `name`.
    pub fn from_bytes(name: impl AsRef<Path>, bytes: Vec<u8>) -> Result<Self, RecordError> {
        Self::of(Box::new(Cursor::new(bytes)), name.as_ref().to_owned())
    }

    fn of(mut file: Box<dyn Source>, path: PathBuf) -> Result<Self, RecordError> {
        let scan = scan(&mut file, &path)?;
        let meshes = scan.mesh_sizes();
        Ok(Self { path, file, scan, meshes })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The header.
    pub fn meta(&self) -> &Meta {
        &self.scan.meta
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.scan.frames.len()
    }

    /// Whether there is no frame.
    pub fn is_empty(&self) -> bool {
        self.scan.frames.is_empty()
    }

    /// The unreadable part at the end.
    pub fn tail(&self) -> Tail {
        Tail {
            dropped_bytes: self.scan.file_length.saturating_sub(self.scan.end),
            damaged: self.scan.damaged,
        }
    }

    /// Describes the unreadable part at the end, if any.
    pub fn damage(&self) -> Option<String> {
        let Tail { dropped_bytes, damaged } = self.tail();
        let why = if damaged { "it is damaged" } else { "it was cut short" };
        (dropped_bytes > 0).then(|| {
            format!(
                "the last {dropped_bytes} bytes of the recording can't be read: {why}; \
                     {} frames are intact",
                self.len()
            )
        })
    }

    /// Time of a frame, s, without reading it.
    pub fn time(&self, index: usize) -> Option<f64> {
        self.scan.frames.get(index).map(|entry| entry.time)
    }

    /// The last frame at or before a time, s; `None` if all frames are later. Assumes that times increase.
    pub fn index_at(&self, time: f64) -> Option<usize> {
        self.scan.frames.partition_point(|entry| entry.time <= time).checked_sub(1)
    }

    /// The table of a frame.
    pub fn table(&self, index: usize) -> &Table {
        self.scan.table_at(index)
    }

    /// Reads one frame.
    pub fn frame(&mut self, index: usize) -> Result<Frame, RecordError> {
        let entry = *self.scan.frames.get(index).ok_or_else(|| RecordError::NoSuchFrame {
            path: self.path.clone(),
            index,
            count: self.scan.frames.len(),
        })?;
        let bytes = self.payload(entry)?;
        let unreadable = |problem: String| RecordError::Frame { path: self.path.clone(), index, problem };
        let frame =
            Frame::decode(&bytes, self.scan.version).map_err(|error| unreadable(error.to_string()))?;
        match frame.problem(self.table(index), self.scan.meta.channels.len(), &self.meshes) {
            Some(problem) => Err(unreadable(problem)),
            None => Ok(frame),
        }
    }

    /// Reads the frames in order.
    pub fn frames(&mut self) -> Frames<'_> {
        Frames { recording: self, next: 0 }
    }

    /// Number of meshes.
    pub fn mesh_count(&self) -> usize {
        self.scan.meshes.len()
    }

    /// Reads one mesh, by its number in the tables.
    pub fn mesh(&mut self, index: u32) -> Result<Mesh, RecordError> {
        let missing = RecordError::NoSuchMesh { path: self.path.clone(), index, count: self.mesh_count() };
        let Some(&(entry, _)) = self.scan.meshes.get(index as usize) else { return Err(missing) };
        Mesh::decode(&self.payload(entry)?).ok_or(missing)
    }

    /// The last checkpoint, if there is one.
    pub fn checkpoint(&mut self) -> Result<Option<Checkpoint>, RecordError> {
        let Some((entry, _)) = self.scan.checkpoint else {
            return Ok(None);
        };
        let bytes = self.payload(entry)?;
        Ok(Some(Checkpoint::decode(&bytes)))
    }

    fn payload(&mut self, entry: Entry) -> Result<Vec<u8>, RecordError> {
        read_payload(&mut self.file, entry).map_err(RecordError::io(&self.path, "read it"))
    }
}

/// The frames of a recording in order of time.
#[derive(Debug)]
pub struct Frames<'a> {
    recording: &'a mut Recording,
    next: usize,
}

impl Iterator for Frames<'_> {
    type Item = Result<Frame, RecordError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.next >= self.recording.len() {
            return None;
        }
        self.next += 1;
        Some(self.recording.frame(self.next - 1))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.recording.len() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Frames<'_> {}
