//! Line charts of time series and pictures of matrices, as SVG and PNG.
//!
//! A chart accepts any data of a run: points that are not finite are left out, constant and empty series are
//! allowed, and long series are reduced without losing their peaks.
//!
//! ```
//! use micado_io::plot::{Chart, Series};
//!
//! let chart = Chart {
//!     title: "Tension at the clip".into(),
//!     x_label: "time, s".into(),
//!     y_label: "tension, N".into(),
//!     series: vec![Series::new("left", vec![(0.0, 1.0), (1.0, 1.5)])],
//!     ..Chart::default()
//! };
//! assert!(chart.to_svg()?.starts_with("<svg"));
//! # Ok::<(), micado_io::plot::PlotError>(())
//! ```

mod axis;
mod draw;
mod reduce;
mod sparsity;
pub(crate) mod ticks;

#[cfg(test)]
mod tests;

pub use sparsity::{Panel, Sparsity};

use std::io;
use std::path::{Path, PathBuf};

use plotters::backend::{BitMapBackend, SVGBackend};
use plotters::drawing::IntoDrawingArea;
use thiserror::Error;

/// One line of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Points (x, y) in the order in which they are joined.
    pub points: Vec<(f64, f64)>,
    /// Draws rings around the points instead of a line, so that lines below stay visible.
    pub marks: bool,
}

impl Series {
    /// A named line.
    pub fn new(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { name: name.into(), points, marks: false }
    }

    /// Named marks.
    pub fn marks(name: impl Into<String>, points: Vec<(f64, f64)>) -> Self {
        Self { marks: true, ..Self::new(name, points) }
    }
}

/// A line chart.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// Title above the chart; may be empty.
    pub title: String,
    /// Label of x, with its unit.
    pub x_label: String,
    /// Label of y, with its unit.
    pub y_label: String,
    /// The lines. With more than one, a legend stands beside the chart.
    pub series: Vec<Series>,
    /// Logarithmic x; points with x ≤ 0 are left out.
    pub log_x: bool,
    /// Logarithmic y; points with y ≤ 0 are left out.
    pub log_y: bool,
    /// Width and height in pixels, each between 200 and 4000.
    pub size: (u32, u32),
}

impl Default for Chart {
    fn default() -> Self {
        Self {
            title: String::new(),
            x_label: String::new(),
            y_label: String::new(),
            series: Vec::new(),
            log_x: false,
            log_y: false,
            size: (960, 540),
        }
    }
}

/// A chart could not be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The file could not be written.
    #[error("{}: could not write the chart: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The drawing failed.
    #[error("could not draw the chart: {0}")]
    Draw(String),
}

/// The coordinates of an SVG are integers here; eight per pixel keep curves smooth.
const SVG: draw::Medium = draw::Medium { scale: 8, sink: 0.0 };
/// The drawing has no anti-aliasing, so each pixel of a PNG averages several samples.
const PNG: draw::Medium = draw::Medium { scale: 4, sink: 0.14 };

impl Chart {
    /// Writes the chart as SVG.
    pub fn write_svg(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        write(path.as_ref(), self.to_svg()?.as_bytes())
    }

    /// Writes the chart as PNG.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        write(path.as_ref(), &self.to_png()?)
    }

    /// The chart as the text of an SVG file.
    pub fn to_svg(&self) -> Result<String, PlotError> {
        encode_svg(self.clamped_size(), |area| draw::draw(self, area, SVG))
    }

    /// The chart as the bytes of a PNG file.
    pub fn to_png(&self) -> Result<Vec<u8>, PlotError> {
        encode_png(self.clamped_size(), |area| draw::draw(self, area, PNG))
    }

    fn clamped_size(&self) -> (u32, u32) {
        (self.size.0.clamp(200, 4000), self.size.1.clamp(200, 4000))
    }
}

/// The output of `draw` as the text of an SVG file of this size.
fn encode_svg(
    (width, height): (u32, u32),
    draw: impl FnOnce(&draw::Area<SVGBackend<'_>>) -> Result<(), PlotError>,
) -> Result<String, PlotError> {
    let drawn = (width * SVG.scale, height * SVG.scale);
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, drawn).into_drawing_area();
        draw(&area)?;
        area.present().map_err(draw::failed)?;
    }
    // The view box keeps the fine coordinates; width and height are the size in pixels.
    let fine = format!("width=\"{}\" height=\"{}\"", drawn.0, drawn.1);
    Ok(text.replacen(&fine, &format!("width=\"{width}\" height=\"{height}\""), 1))
}

/// The output of `draw` as the bytes of a PNG file of this size.
fn encode_png(
    (width, height): (u32, u32),
    draw: impl FnOnce(&draw::Area<BitMapBackend<'_>>) -> Result<(), PlotError>,
) -> Result<Vec<u8>, PlotError> {
    let drawn = (width * PNG.scale, height * PNG.scale);
    let mut fine = vec![255; drawn.0 as usize * drawn.1 as usize * 3];
    {
        let area = BitMapBackend::with_buffer(&mut fine, drawn).into_drawing_area();
        draw(&area)?;
        area.present().map_err(draw::failed)?;
    }
    let pixels = reduce::average(&fine, width as usize, height as usize, PNG.scale as usize);
    crate::pixels::png(width, height, &pixels).map_err(draw::failed)
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), PlotError> {
    std::fs::write(path, bytes).map_err(|source| PlotError::Io { path: path.to_owned(), source })
}
