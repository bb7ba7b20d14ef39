//! What can go wrong with a recording.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A recording could not be written, opened or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The system refused to read or write the file.
    #[error("{}: could not {action}: {source}", path.display())]
    Io {
        /// The recording.
        path: PathBuf,
        /// What was tried, as a verb phrase.
        action: &'static str,
        /// The answer of the system.
        source: io::Error,
    },
    /// The file does not begin like a recording.
    #[error("{}: this is not a Micado recording", path.display())]
    NotARecording {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer version of the format.
    #[error(
        "{}: format version {found}, but this program reads version {supported}; use a newer Micado",
        path.display()
    )]
    Version {
        /// The recording.
        path: PathBuf,
        /// The version in the file.
        found: u32,
        /// The version that can be read.
        supported: u32,
    },
    /// The file was written by an older version of the format.
    #[error(
        "{}: format version {found}, but this program reads version {supported}; \
         run the scene again, or use the Micado that made the recording",
        path.display()
    )]
    OldVersion {
        /// The recording.
        path: PathBuf,
        /// The version in the file.
        found: u32,
        /// The version that can be read.
        supported: u32,
    },
    /// The header is cut short or damaged, so that nothing can be read.
    #[error("{}: the header is unreadable: {problem}", path.display())]
    Header {
        /// The recording.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// A record in the middle is damaged while intact ones follow it; appending would lose those.
    #[error("{}: the record at byte {offset} is damaged and intact records follow it; copy the file before going on", path.display())]
    Damaged {
        /// The recording.
        path: PathBuf,
        /// Where the damaged record begins.
        offset: u64,
    },
    /// A frame can not be read although its checksum is right.
    #[error("{}: frame {index} is unreadable: {problem}", path.display())]
    Frame {
        /// The recording.
        path: PathBuf,
        /// Number of the frame, from 0.
        index: usize,
        /// What is wrong.
        problem: String,
    },
    /// There are fewer frames than that.
    #[error("{}: there is no frame {index}; the recording has {count}", path.display())]
    NoSuchFrame {
        /// The recording.
        path: PathBuf,
        /// The number that was asked for.
        index: usize,
        /// How many frames there are.
        count: usize,
    },
    /// There are fewer meshes than that, or it can not be read.
    #[error("{}: there is no mesh {index}; the recording has {count}", path.display())]
    NoSuchMesh {
        /// The recording.
        path: PathBuf,
        /// The number that was asked for.
        index: u32,
        /// How many meshes there are.
        count: usize,
    },
    /// What was handed over to be written contradicts itself.
    #[error("{}: refused to write: {problem}", path.display())]
    Refused {
        /// The recording.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// Another run is writing this recording.
    #[error("{}: another run is writing this recording", path.display())]
    Busy {
        /// The recording.
        path: PathBuf,
    },
}

impl RecordError {
    /// A closure for `map_err` that names the file and what was tried.
    pub(super) fn io<'a>(path: &'a Path, action: &'static str) -> impl FnOnce(io::Error) -> Self + 'a {
        move |source| Self::Io { path: path.to_owned(), action, source }
    }

    pub(super) fn header(path: &Path, problem: impl Into<String>) -> Self {
        Self::Header { path: path.to_owned(), problem: problem.into() }
    }

    pub(super) fn refused(path: &Path, problem: impl Into<String>) -> Self {
        Self::Refused { path: path.to_owned(), problem: problem.into() }
    }
}
