//! Errors of recordings.

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
        /// The action that failed, as a verb phrase.
        action: &'static str,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The file does not start with the header of a recording.
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
        /// The supported version.
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
        /// The supported version.
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
    #[error("{}: the record at byte {offset} is damaged and intact records follow it; \
             copy the file before going on", path.display())]
    Damaged {
        /// The recording.
        path: PathBuf,
        /// Where the damaged record begins.
        offset: u64,
    },
    /// A frame is unreadable although its checksum is correct.
    #[error("{}: frame {index} is unreadable: {problem}", path.display())]
    Frame {
        /// The recording.
        path: PathBuf,
        /// Number of the frame, from 0.
        index: usize,
        /// What is wrong.
        problem: String,
    },
    /// There is no frame with this index.
    #[error("{}: there is no frame {index}; the recording has {count}", path.display())]
    NoSuchFrame {
        /// The recording.
        path: PathBuf,
        /// The requested index.
        index: usize,
        /// How many frames there are.
        count: usize,
    },
    /// There is no mesh with this index, or it is unreadable.
    #[error("{}: there is no mesh {index}; the recording has {count}", path.display())]
    NoSuchMesh {
        /// The recording.
        path: PathBuf,
        /// The requested index.
        index: u32,
        /// How many meshes there are.
        count: usize,
    },
    /// The data to write are inconsistent.
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
    /// A closure for `map_err` that adds the file and the action.
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
