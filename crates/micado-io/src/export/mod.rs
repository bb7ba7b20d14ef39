//! Recordings for other programs: animated glTF for Blender, VTK for ParaView, CSV for everything else.

mod csv;
mod glb;
mod gltf;
mod symbol;
mod track;
mod vtk;

#[cfg(test)]
mod tests;

use crate::record::{RecordError, Recording};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// File format of an export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// One binary glTF file: rods as skinned tubes with a stripe along their first director, masses as balls,
    /// bodies as meshes, joints as symbols with bars at their limits, all animated.
    Gltf,
    /// A folder of VTK files for each frame (rods, bodies, forces, contacts, springs, loads), and collections
    /// with their times.
    Vtk,
    /// A folder of tables: points, poses of bodies, constraints, gauges of joints, contacts, springs, loads,
    /// probes, energies and events.
    Csv,
}

/// Why a recording could not be exported.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// The recording can't be read.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// It has no frames, or none in the requested range.
    #[error("{0} has no frames to export")]
    Empty(PathBuf),
    /// It would be too large for its format.
    #[error("{0}; export fewer frames")]
    TooLarge(String),
    /// A file can't be written.
    #[error("{}: {problem}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        problem: io::Error,
    },
}

impl ExportError {
    fn write(path: &Path) -> impl FnOnce(io::Error) -> Self + use<> {
        let path = path.to_owned();
        move |problem| Self::Write { path, problem }
    }
}

/// Selection of frames to export.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// From this time on, s.
    pub from: f64,
    /// Up to this time, s.
    pub until: f64,
    /// Takes one of this many frames.
    pub every: usize,
}

impl Default for Choice {
    fn default() -> Self {
        Self { from: f64::NEG_INFINITY, until: f64::INFINITY, every: 1 }
    }
}

impl Choice {
    /// Indices of the selected frames.
    fn frames(&self, recording: &Recording) -> Result<Vec<usize>, ExportError> {
        let meant = |index: &usize| {
            recording.time(*index).is_some_and(|time| time >= self.from && time <= self.until)
        };
        let chosen: Vec<usize> = (0..recording.len()).filter(meant).step_by(self.every.max(1)).collect();
        if chosen.is_empty() { Err(ExportError::Empty(recording.path().to_owned())) } else { Ok(chosen) }
    }
}

/// Writes a recording to `out`, a file for [`Format::Gltf`] and otherwise a folder, which is created if
/// missing. Returns the files written.
///
/// # Errors
/// The recording can't be read or has no such frames, or a file can't be written.
pub fn export(
    recording: &mut Recording,
    format: Format,
    choice: &Choice,
    out: &Path,
) -> Result<Vec<PathBuf>, ExportError> {
    let frames = choice.frames(recording)?;
    match format {
        Format::Gltf => {
            if let Some(folder) = out.parent().filter(|folder| !folder.as_os_str().is_empty()) {
                fs::create_dir_all(folder).map_err(ExportError::write(folder))?;
            }
            let bytes = gltf::encode(recording, &frames)?;
            fs::write(out, bytes).map_err(ExportError::write(out))?;
            Ok(vec![out.to_owned()])
        }
        Format::Vtk | Format::Csv => {
            fs::create_dir_all(out).map_err(ExportError::write(out))?;
            if format == Format::Vtk {
                vtk::write(recording, &frames, out)
            } else {
                csv::write(recording, &frames, out)
            }
        }
    }
}
