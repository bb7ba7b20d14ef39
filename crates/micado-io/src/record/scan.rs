//! One pass over a recording: the header, the offsets of intact records, and the end of the intact part.

use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use super::error::RecordError;
use super::frame::Frame;
use super::mesh::{Mesh, MeshSize};
use super::meta::Meta;
use super::table::Table;
use super::{
    EARLIER, HEADER_LENGTH, KIND_CHECKPOINT, KIND_FRAME, KIND_FRAME_WITH_TABLE, KIND_MESH, MAGIC,
    RECORD_HEAD, VERSION, checksum_of_length,
};

/// Location of an intact record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// First byte of the payload, after the kind.
    pub(super) start: u64,
    /// Bytes of the payload.
    pub(super) length: u64,
    /// First byte after the record.
    pub(super) end: u64,
    /// Time, s; unspecified for a mesh.
    pub(super) time: f64,
}

/// Result of one pass.
#[derive(Debug)]
pub(super) struct Scan {
    /// Version of the format.
    pub(super) version: u32,
    pub(super) meta: Meta,
    /// First byte after the header.
    pub(super) header_end: u64,
    pub(super) frames: Vec<Entry>,
    /// The last checkpoint and the number of frames before it.
    pub(super) checkpoint: Option<(Entry, usize)>,
    /// Later tables, each with the frame from which it is valid.
    pub(super) tables: Vec<(usize, Table)>,
    /// Meshes in the order of their numbers.
    pub(super) meshes: Vec<(Entry, MeshSize)>,
    /// First byte after the last intact record.
    pub(super) end: u64,
    /// Bytes of the file.
    pub(super) file_length: u64,
    /// Whether intact records follow the first bad one.
    pub(super) damaged: bool,
}

impl Scan {
    /// The table of a frame.
    pub(super) fn table_at(&self, index: usize) -> &Table {
        let later = self.tables.partition_point(|(first, _)| *first <= index);
        match later.checked_sub(1) {
            Some(last) => &self.tables[last].1,
            None => &self.meta.table,
        }
    }

    /// Requirements of the meshes on the objects that use them.
    pub(super) fn mesh_sizes(&self) -> Vec<MeshSize> {
        self.meshes.iter().map(|(_, size)| *size).collect()
    }
}

/// Reads the header and checks every record. Fails only if the header is unreadable.
pub(super) fn scan<R: Read + Seek>(file: &mut R, path: &Path) -> Result<Scan, RecordError> {
    let read = |source| RecordError::io(path, "read it")(source);
    let file_length = file.seek(SeekFrom::End(0)).map_err(read)?;
    file.seek(SeekFrom::Start(0)).map_err(read)?;
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let (version, meta, header_end) = read_header(&mut reader, file_length, path)?;

    let mut found = Scan {
        version,
        meta,
        header_end,
        frames: Vec::new(),
        checkpoint: None,
        tables: Vec::new(),
        meshes: Vec::new(),
        end: header_end,
        file_length,
        damaged: false,
    };
    loop {
        match next_record(&mut reader, found.end, file_length).map_err(read)? {
            Next::Intact(kind, entry) => {
                if !note(&mut found, &mut reader, kind, entry).map_err(read)? {
                    found.damaged = true;
                    break;
                }
                found.end = entry.end;
            }
            Next::Bad { end } => {
                reader.seek(SeekFrom::Start(end)).map_err(read)?;
                let after = next_record(&mut reader, end, file_length).map_err(read)?;
                found.damaged = matches!(after, Next::Intact(..));
                break;
            }
            Next::CutShort => break,
        }
    }
    Ok(found)
}

fn read_header(
    reader: &mut impl Read,
    file_length: u64,
    path: &Path,
) -> Result<(u32, Meta, u64), RecordError> {
    let mut head = [0; HEADER_LENGTH];
    let got = read_up_to(reader, &mut head).map_err(RecordError::io(path, "read its header"))?;
    if got < MAGIC.len() || head[..MAGIC.len()] != *MAGIC {
        return Err(RecordError::NotARecording { path: path.to_owned() });
    }
    if got < HEADER_LENGTH {
        return Err(RecordError::header(path, "the file ends inside it"));
    }
    let found = word(&head, 8);
    if found != VERSION && !EARLIER.contains(&found) {
        let (path, supported) = (path.to_owned(), VERSION);
        return Err(match (1..VERSION).contains(&found) {
            true => RecordError::OldVersion { path, found, supported },
            false => RecordError::Version { path, found, supported },
        });
    }
    let length = word(&head, 12);
    let end = HEADER_LENGTH as u64 + u64::from(length);
    if end > file_length {
        return Err(RecordError::header(path, "the file ends inside it"));
    }
    let mut json = Vec::new();
    reader
        .take(u64::from(length))
        .read_to_end(&mut json)
        .map_err(RecordError::io(path, "read its header"))?;
    let mut hasher = checksum_of_length(length);
    hasher.update(&json);
    if hasher.finalize() != word(&head, 16) {
        return Err(RecordError::header(path, "its checksum is wrong"));
    }
    let meta: Meta =
        serde_json::from_slice(&json).map_err(|error| RecordError::header(path, error.to_string()))?;
    if let Some(problem) = meta.table.problem() {
        return Err(RecordError::header(path, problem));
    }
    Ok((found, meta, end))
}

enum Next {
    Intact(u8, Entry),
    /// The whole record is in the file but its checksum is wrong.
    Bad {
        end: u64,
    },
    /// The file ends here or inside the record.
    CutShort,
}

/// Checks the record at `offset`, the current position of the reader, without holding it in memory.
fn next_record(reader: &mut impl Read, offset: u64, file_length: u64) -> io::Result<Next> {
    let mut head = [0; RECORD_HEAD as usize];
    if read_up_to(reader, &mut head)? < head.len() {
        return Ok(Next::CutShort);
    }
    let length = word(&head, 0);
    let end = offset + RECORD_HEAD + u64::from(length);
    if length == 0 || end > file_length {
        return Ok(Next::CutShort);
    }
    let mut hasher = checksum_of_length(length);
    let mut start = [0_u8; 9]; // kind and time
    let mut start_length = 0;
    let mut left = length as usize;
    let mut chunk = [0_u8; 4096];
    while left > 0 {
        let wanted = left.min(chunk.len());
        let got = read_up_to(reader, &mut chunk[..wanted])?;
        if got < wanted {
            return Ok(Next::CutShort);
        }
        if start_length == 0 {
            start_length = got.min(start.len());
            start[..start_length].copy_from_slice(&chunk[..start_length]);
        }
        hasher.update(&chunk[..got]);
        left -= got;
    }
    if hasher.finalize() != word(&head, 4) || start_length < start.len() {
        return Ok(Next::Bad { end });
    }
    let [kind, time @ ..] = start;
    let entry = Entry {
        start: offset + RECORD_HEAD + 1,
        length: u64::from(length) - 1,
        end,
        time: f64::from_le_bytes(time),
    };
    Ok(Next::Intact(kind, entry))
}

/// Adds an intact record to the index; `false` if its content is invalid.
fn note<R: Read + Seek>(
    found: &mut Scan,
    reader: &mut BufReader<&mut R>,
    kind: u8,
    entry: Entry,
) -> io::Result<bool> {
    match kind {
        KIND_FRAME => found.frames.push(entry),
        KIND_FRAME_WITH_TABLE => {
            let body = read_payload(reader, entry)?;
            reader.seek(SeekFrom::Start(entry.end))?;
            let table = Frame::decode(&body, found.version).ok().and_then(|frame| frame.table);
            match table {
                Some(table) if table.problem().is_none() => {
                    found.tables.push((found.frames.len(), table));
                    found.frames.push(entry);
                }
                _ => return Ok(false),
            }
        }
        KIND_CHECKPOINT => found.checkpoint = Some((entry, found.frames.len())),
        KIND_MESH => {
            let body = read_payload(reader, entry)?;
            reader.seek(SeekFrom::Start(entry.end))?;
            match Mesh::decode(&body) {
                Some(mesh) => found.meshes.push((entry, mesh.size())),
                None => return Ok(false),
            }
        }
        // A kind of a later format: skipped, as its checksum is right.
        _ => {}
    }
    Ok(true)
}

/// The payload of a record whose checksum is right.
pub(super) fn read_payload<R: Read + Seek>(reader: &mut R, entry: Entry) -> io::Result<Vec<u8>> {
    reader.seek(SeekFrom::Start(entry.start))?;
    let mut body = Vec::new();
    reader.take(entry.length).read_to_end(&mut body)?;
    if body.len() as u64 != entry.length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(body)
}

/// Fills the buffer as far as the file reaches.
fn read_up_to(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(got) => filled += got,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}
