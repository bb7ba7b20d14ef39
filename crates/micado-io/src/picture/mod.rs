//! Pictures of a structure, drawn without a screen: PNG for one state, GIF for a motion.
//!
//! A [`Drawing`] is plain data in metres with z up. The camera fits everything; a [`View`] sets a direction
//! and a size. Points that are not finite are left out.
//!
//! ```
//! use micado_io::picture::{Drawing, Tube, View};
//!
//! let cable = Tube::new(vec![[0.0, 0.0, 1.0], [0.5, 0.0, 0.8], [1.0, 0.0, 1.0]], 0.01);
//! let drawing = Drawing { tubes: vec![cable], title: "A cable".into(), ..Drawing::default() };
//! let png = drawing.to_png(&View { size: (320, 200), ..View::default() })?;
//! assert!(png.starts_with(b"\x89PNG"));
//! # Ok::<(), micado_io::picture::PictureError>(())
//! ```

mod camera;
mod canvas;
mod colour;
mod data;
mod gauge;
mod gif;
mod ground;
mod label;
mod legend;
mod marker;
mod palette;
mod scene;
mod shade;
mod sight;
mod text;

#[cfg(test)]
mod tests;

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

pub use colour::{colour_map, plain_colour};
pub use data::{
    Arrow, ColourBar, Drawing, Gauge, Line, LineKind, Marker, MarkerKind, Mesh, Solid, Sphere, Tube, View,
};
pub use gif::{to_gif, write_gif};

/// A picture could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The file could not be written.
    #[error("{}: could not write the picture: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The picture could not be encoded.
    #[error("could not encode the picture: {0}")]
    Encode(String),
    /// The size is not between 64 and 8192 pixels.
    #[error("a picture of {width} × {height} pixels can't be drawn (allowed: 64 to 8192 each)")]
    Size {
        /// Requested width.
        width: u32,
        /// Requested height.
        height: u32,
    },
    /// There was no frame to show.
    #[error("an animation needs at least one frame")]
    NoFrames,
}

impl Drawing {
    /// Writes the picture as PNG.
    pub fn write_png(&self, path: impl AsRef<Path>, view: &View) -> Result<(), PictureError> {
        write(path.as_ref(), &self.to_png(view)?)
    }

    /// The picture as the bytes of a PNG file.
    pub fn to_png(&self, view: &View) -> Result<Vec<u8>, PictureError> {
        let stage = scene::Stage::fit(std::slice::from_ref(self), view)?;
        let pixels = stage.render(self)?.into_rgb();
        crate::pixels::png(view.size.0, view.size.1, &pixels)
            .map_err(|error| PictureError::Encode(error.to_string()))
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), PictureError> {
    std::fs::write(path, bytes).map_err(|source| PictureError::Io { path: path.to_owned(), source })
}
