//! Writes a recording, and resumes one that was cut short.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::error::RecordError;
use super::frame::Frame;
use super::mesh::{Mesh, MeshSize};
use super::meta::Meta;
use super::scan::{read_payload, scan};
use super::table::Table;
use super::{
    HEADER_LENGTH, KIND_CHECKPOINT, KIND_FRAME, KIND_FRAME_WITH_TABLE, KIND_MESH, MAGIC, RECORD_HEAD,
    VERSION, checksum_of_length,
};

/// Appends frames to a recording. Each call is one write, so a run that dies loses at most the frame being
/// written.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    file: File,
    /// The current table.
    table: Table,
    channels: usize,
    meshes: Vec<MeshSize>,
    frames: usize,
    /// First byte after the last complete record.
    end: u64,
    buffer: Vec<u8>,
}

/// A state from which a run can resume.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Time, s.
    pub time: f64,
    /// The state, opaque here.
    pub bytes: Vec<u8>,
}

impl Checkpoint {
    /// Decodes a payload; the scan has checked that it holds at least the time.
    pub(super) fn decode(payload: &[u8]) -> Self {
        match payload.split_first_chunk() {
            Some((time, bytes)) => Self { time: f64::from_le_bytes(*time), bytes: bytes.to_owned() },
            None => Self { time: 0.0, bytes: Vec::new() },
        }
    }
}

/// A recording opened for resuming.
#[derive(Debug)]
pub struct Resumed {
    /// Appends after the last checkpoint, or after the last frame when there is none.
    pub recorder: Recorder,
    /// Header of the recording.
    pub meta: Meta,
    /// Its meshes, in the order of their numbers.
    pub meshes: Vec<Mesh>,
    /// The state to resume from; without one, the run has to start again.
    pub checkpoint: Option<Checkpoint>,
    /// Number of bytes of a torn end that were removed.
    pub dropped_bytes: u64,
    /// Number of complete frames after the checkpoint that were removed; the run computes them again.
    pub dropped_frames: usize,
}

impl Recorder {
    /// Creates a recording; an existing file is overwritten.
    pub fn create(path: impl AsRef<Path>, meta: &Meta) -> Result<Self, RecordError> {
        let path = path.as_ref().to_owned();
        if !meta.time_step.is_finite() {
            return Err(RecordError::refused(&path, format!("the time step is {}", meta.time_step)));
        }
        if let Some(problem) = meta.table.problem() {
            return Err(RecordError::refused(&path, problem));
        }
        let json =
            serde_json::to_vec(meta).map_err(|error| RecordError::refused(&path, error.to_string()))?;
        let length = length_of(&json, &path)?;
        let mut hasher = checksum_of_length(length);
        hasher.update(&json);

        let mut header = Vec::with_capacity(HEADER_LENGTH + json.len());
        header.extend_from_slice(MAGIC);
        header.extend_from_slice(&VERSION.to_le_bytes());
        header.extend_from_slice(&length.to_le_bytes());
        header.extend_from_slice(&hasher.finalize().to_le_bytes());
        header.extend_from_slice(&json);

        // Truncated only after locking: another run may be writing it.
        let mut file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&path)
            .map_err(RecordError::io(&path, "create it"))?;
        lock(&file, &path)?;
        file.set_len(0).map_err(RecordError::io(&path, "empty it"))?;
        file.write_all(&header).map_err(RecordError::io(&path, "write its header"))?;
        Ok(Self {
            path,
            file,
            table: meta.table.clone(),
            channels: meta.channels.len(),
            meshes: Vec::new(),
            frames: 0,
            end: header.len() as u64,
            buffer: Vec::new(),
        })
    }

    /// Resumes a recording: removes a torn end and the frames after the last checkpoint, then appends.
    pub fn resume(path: impl AsRef<Path>) -> Result<Resumed, RecordError> {
        let path = path.as_ref().to_owned();
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .open(&path)
            .map_err(RecordError::io(&path, "open it"))?;
        lock(&file, &path)?;
        let mut found = scan(&mut file, &path)?;
        if found.version != VERSION {
            // The frames of the file have another layout.
            return Err(RecordError::OldVersion { path, found: found.version, supported: VERSION });
        }
        if found.damaged {
            return Err(RecordError::Damaged { path, offset: found.end });
        }
        let dropped_bytes = found.file_length.saturating_sub(found.end);
        let (checkpoint, end, frames) = match found.checkpoint {
            Some((entry, frames)) => {
                let payload =
                    read_payload(&mut file, entry).map_err(RecordError::io(&path, "read its checkpoint"))?;
                (Some(Checkpoint::decode(&payload)), entry.end, frames)
            }
            None => (None, found.end.max(found.header_end), found.frames.len()),
        };
        let dropped_frames = found.frames.len() - frames;
        found.tables.retain(|(first, _)| *first < frames);
        found.meshes.retain(|(entry, _)| entry.end <= end);
        let (table, sizes) = (found.table_at(frames).clone(), found.mesh_sizes());
        let mut meshes = Vec::with_capacity(sizes.len());
        for (entry, _) in &found.meshes {
            let payload =
                read_payload(&mut file, *entry).map_err(RecordError::io(&path, "read its meshes"))?;
            meshes.extend(Mesh::decode(&payload));
        }

        file.set_len(end).map_err(RecordError::io(&path, "cut off its torn end"))?;
        file.seek(SeekFrom::Start(end)).map_err(RecordError::io(&path, "go to its end"))?;
        let channels = found.meta.channels.len();
        let recorder = Self { path, file, table, channels, meshes: sizes, frames, end, buffer: Vec::new() };
        Ok(Resumed { recorder, meta: found.meta, meshes, checkpoint, dropped_bytes, dropped_frames })
    }

    /// Appends a frame. It has to fit the current table, or bring its own.
    pub fn frame(&mut self, frame: &Frame) -> Result<(), RecordError> {
        let table = frame.table.as_ref().unwrap_or(&self.table);
        let problem = frame.table.as_ref().and_then(Table::problem);
        if let Some(problem) = problem.or_else(|| frame.problem(table, self.channels, &self.meshes)) {
            let problem = format!("frame {}: {problem}", self.frames);
            return Err(RecordError::refused(&self.path, problem));
        }
        let kind = if frame.table.is_some() { KIND_FRAME_WITH_TABLE } else { KIND_FRAME };
        self.begin(kind);
        let buffer = std::mem::take(&mut self.buffer);
        self.buffer = postcard::to_extend(frame, buffer)
            .map_err(|error| RecordError::refused(&self.path, error.to_string()))?;
        self.append()?;
        self.frames += 1;
        if let Some(table) = &frame.table {
            self.table = table.clone();
        }
        Ok(())
    }

    /// Appends a mesh; returns the index by which tables name it.
    pub fn mesh(&mut self, mesh: &Mesh) -> Result<u32, RecordError> {
        if let Some(problem) = mesh.problem() {
            return Err(RecordError::refused(&self.path, problem));
        }
        let number = u32::try_from(self.meshes.len())
            .map_err(|_| RecordError::refused(&self.path, "there are more than 4 billion meshes"))?;
        self.begin(KIND_MESH);
        mesh.encode(&mut self.buffer);
        self.append()?;
        self.meshes.push(mesh.size());
        Ok(number)
    }

    /// Appends those of `all` meshes that are not in the recording yet: it has the first ones already.
    pub fn meshes(&mut self, all: &[Mesh]) -> Result<(), RecordError> {
        all.iter().skip(self.meshes.len()).try_for_each(|mesh| self.mesh(mesh).map(|_| ()))
    }

    /// Appends a checkpoint, and waits until it is on disk.
    pub fn checkpoint(&mut self, time: f64, bytes: &[u8]) -> Result<(), RecordError> {
        self.checkpoint_with(time, |out| out.write_all(bytes)).map(|_| ())
    }

    /// Appends a checkpoint that `write` streams, so that a large state is never held in memory. Returns the
    /// bytes of the record.
    ///
    /// The head is written last: a record whose writing failed has none, and counts as a torn end.
    pub fn checkpoint_with(
        &mut self,
        time: f64,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<u64, RecordError> {
        let written = stream(&mut self.file, self.end, |out| {
            out.write_all(&[KIND_CHECKPOINT])?;
            out.write_all(&time.to_le_bytes())?;
            write(out)
        });
        let length = written.map_err(|source| self.torn(source))?;
        self.end += length;
        self.sync()?;
        Ok(length)
    }

    /// Waits until all frames are on disk, so that they survive a power failure.
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.file.sync_data().map_err(RecordError::io(&self.path, "bring it to the disk"))
    }

    /// Number of frames, including those before a resume.
    pub fn len(&self) -> usize {
        self.frames
    }

    /// Whether no frame has been written.
    pub fn is_empty(&self) -> bool {
        self.frames == 0
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reserves room for the head and writes the kind.
    fn begin(&mut self, kind: u8) {
        self.buffer.clear();
        self.buffer.extend_from_slice(&[0; RECORD_HEAD as usize]);
        self.buffer.push(kind);
    }

    /// Fills in the head and writes the record. After a failure (a full disk) the file is truncated to its
    /// previous end.
    fn append(&mut self) -> Result<(), RecordError> {
        let (head, body) = self.buffer.split_at_mut(RECORD_HEAD as usize);
        let length = length_of(body, &self.path)?;
        let mut hasher = checksum_of_length(length);
        hasher.update(body);
        head[..4].copy_from_slice(&length.to_le_bytes());
        head[4..].copy_from_slice(&hasher.finalize().to_le_bytes());

        let written =
            self.file.seek(SeekFrom::Start(self.end)).and_then(|_| self.file.write_all(&self.buffer));
        written.map_err(|source| self.torn(source))?;
        self.end += self.buffer.len() as u64;
        Ok(())
    }

    /// Removes a record that could not be written.
    fn torn(&mut self, source: io::Error) -> RecordError {
        // If this fails too, the next record overwrites the torn one from `end`.
        let _ = self.file.set_len(self.end);
        RecordError::io(&self.path, "append to it")(source)
    }
}

/// Writes a record at `start` whose body is streamed; returns its length with the head.
fn stream(
    file: &mut File,
    start: u64,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    file.seek(SeekFrom::Start(start))?;
    let (hasher, long) = {
        let mut body = Body {
            out: BufWriter::with_capacity(1 << 16, &mut *file),
            hasher: crc32fast::Hasher::new(),
            length: 0,
        };
        body.out.write_all(&[0; RECORD_HEAD as usize])?;
        write(&mut body)?;
        body.flush()?;
        (body.hasher, body.length)
    };
    let length = u32::try_from(long).map_err(|_| io::Error::other("a record would be larger than 4 GiB"))?;
    let mut whole = checksum_of_length(length);
    whole.combine(&hasher);
    let mut head = [0; RECORD_HEAD as usize];
    head[..4].copy_from_slice(&length.to_le_bytes());
    head[4..].copy_from_slice(&whole.finalize().to_le_bytes());
    // The body has to be on disk before the head.
    file.sync_data()?;
    file.seek(SeekFrom::Start(start))?;
    file.write_all(&head)?;
    Ok(RECORD_HEAD + long)
}

/// The streamed body of a record.
struct Body<'f> {
    out: BufWriter<&'f mut File>,
    hasher: crc32fast::Hasher,
    length: u64,
}

impl Write for Body<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.hasher.update(&bytes[..written]);
        self.length += written as u64;
        Ok(written)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn length_of(bytes: &[u8], path: &Path) -> Result<u32, RecordError> {
    u32::try_from(bytes.len()).map_err(|_| RecordError::refused(path, "a record would be larger than 4 GiB"))
}

/// Allows one writer at a time. File systems without locks are accepted.
fn lock(file: &File, path: &Path) -> Result<(), RecordError> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => Err(RecordError::Busy { path: path.to_owned() }),
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}
