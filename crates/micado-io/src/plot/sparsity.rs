//! Pictures of matrices: a dot for every nonzero entry, in one or several orders side by side.
//!
//! ```
//! use micado_io::plot::{Panel, Sparsity};
//!
//! let entries = vec![(0, 0, 0), (0, 1, 0), (1, 0, 0), (1, 1, 1)];
//! let panel = Panel { size: 2, entries, caption: vec!["two unknowns".into()], ..Panel::default() };
//! let groups = vec![("rod".into(), [200, 80, 30]), ("row".into(), [30, 80, 200])];
//! let picture = Sparsity { groups, panels: vec![panel], ..Sparsity::default() };
//! assert!(picture.to_svg()?.starts_with("<svg"));
//! # Ok::<(), micado_io::plot::PlotError>(())
//! ```

use super::draw::{self, Area, Medium, failed};
use super::{PNG, PlotError, SVG, encode_png, encode_svg, write};
use plotters::element::{PathElement, Rectangle};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontFamily, IntoFont, RGBColor, ShapeStyle, TextStyle, WHITE};
use std::path::Path;

/// A matrix in one or several orders.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sparsity {
    /// Title above the picture.
    pub title: String,
    /// Names and colours of the groups of entries, in the order of the legend, which skips empty names.
    pub groups: Vec<(String, [u8; 3])>,
    /// Panels side by side.
    pub panels: Vec<Panel>,
}

/// A matrix in one order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panel {
    /// Rows and columns.
    pub size: usize,
    /// Row, column and group of every entry; entries outside the matrix are left out.
    pub entries: Vec<(u32, u32, usize)>,
    /// Rows and columns of the factor's entries, drawn pale behind the entries.
    pub fill: Vec<(u32, u32)>,
    /// Lines below the matrix; the first is its name.
    pub caption: Vec<String>,
}

const SIDE: f64 = 440.0;
const GAP: f64 = 36.0;
const TOP: f64 = 56.0;
const LINE: f64 = 20.0;
/// Minimum size of a dot, pixels.
const LEAST_DOT: f64 = 1.6;
/// Most rows and columns with dots of their own; beyond, neighbouring entries share a dot.
const FINEST: usize = 880;

const INK: RGBColor = RGBColor(0x2b, 0x34, 0x40);
const SOFT_INK: RGBColor = RGBColor(0x5a, 0x65, 0x73);
const FRAME: RGBColor = RGBColor(0xb6, 0xbe, 0xc8);
const FILL: RGBColor = RGBColor(0xe3, 0xe6, 0xea);

impl Sparsity {
    /// Writes the picture as SVG.
    pub fn write_svg(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        write(path.as_ref(), self.to_svg()?.as_bytes())
    }

    /// Writes the picture as PNG.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), PlotError> {
        write(path.as_ref(), &self.to_png()?)
    }

    /// The picture as the text of an SVG file.
    pub fn to_svg(&self) -> Result<String, PlotError> {
        encode_svg(self.size(), |area| self.draw(area, SVG))
    }

    /// The picture as the bytes of a PNG file.
    pub fn to_png(&self) -> Result<Vec<u8>, PlotError> {
        encode_png(self.size(), |area| self.draw(area, PNG))
    }

    /// Numbers of caption lines and of legend lines.
    fn lines(&self) -> (usize, usize) {
        let captions = self.panels.iter().map(|panel| panel.caption.len()).max().unwrap_or(0);
        (captions, self.legend().len())
    }

    /// Entries of the legend, wrapped into rows.
    fn legend(&self) -> Vec<Vec<(&str, RGBColor)>> {
        let (mut rows, mut used) = (Vec::<Vec<(&str, RGBColor)>>::new(), f64::INFINITY);
        let fill =
            self.panels.iter().any(|panel| !panel.fill.is_empty()).then_some(("fill of the factor", FILL));
        let groups = self
            .groups
            .iter()
            .filter(|(name, _)| !name.is_empty())
            .map(|(name, [r, g, b])| (name.as_str(), RGBColor(*r, *g, *b)));
        for entry in groups.chain(fill) {
            let width = legend_width(entry.0);
            if used + width > self.width() - 2.0 * GAP {
                rows.push(Vec::new());
                used = 0.0;
            }
            used += width;
            if let Some(row) = rows.last_mut() {
                row.push(entry);
            }
        }
        rows
    }

    fn width(&self) -> f64 {
        GAP + (SIDE + GAP) * self.panels.len().max(1) as f64
    }

    fn size(&self) -> (u32, u32) {
        let (captions, legend) = self.lines();
        let height = TOP + SIDE + 14.0 + LINE * captions as f64 + 16.0 + LINE * legend as f64 + 14.0;
        (self.width() as u32, height as u32)
    }

    fn draw<B: DrawingBackend>(&self, area: &Area<B>, medium: Medium) -> Result<(), PlotError> {
        draw::fonts()?;
        area.fill(&WHITE).map_err(failed)?;
        let page = Page { area, scale: f64::from(medium.scale), sink: medium.sink };
        page.text(&self.title, (GAP, 30.0), 20.0, INK)?;
        for (k, panel) in self.panels.iter().enumerate() {
            page.panel(panel, &self.groups, GAP + (SIDE + GAP) * k as f64)?;
        }
        let mut y = TOP + SIDE + 14.0 + LINE * self.lines().0 as f64 + 16.0;
        for row in self.legend() {
            let mut x = GAP;
            for (name, colour) in row {
                page.fill((x, y - 5.0), (x + 10.0, y + 5.0), colour)?;
                page.text(name, (x + 16.0, y), 14.0, INK)?;
                x += legend_width(name);
            }
            y += LINE;
        }
        Ok(())
    }
}

/// Width of a legend entry, pixels.
fn legend_width(name: &str) -> f64 {
    44.0 + 8.2 * name.chars().count() as f64
}

/// Size n of the n × n grid, and the dots of a panel on it: row, first and last column, and group.
/// Neighbours in a row are joined.
fn dots(panel: &Panel) -> (usize, Vec<(usize, usize, usize, usize)>) {
    let grid = panel.size.min(FINEST);
    let cell = |i: u32| i as usize * grid / panel.size.max(1);
    let within = |&&(i, j, _): &&(u32, u32, usize)| (i.max(j) as usize) < panel.size;
    let mut cells: Vec<(usize, usize, usize)> =
        panel.entries.iter().filter(within).map(|&(i, j, group)| (cell(i), cell(j), group)).collect();
    cells.sort_unstable();
    // A cell shared by several groups takes the last one.
    cells.dedup_by(|next, kept| {
        let same = (next.0, next.1) == (kept.0, kept.1);
        if same {
            kept.2 = next.2;
        }
        same
    });
    let mut runs: Vec<(usize, usize, usize, usize)> = Vec::new();
    for (row, column, group) in cells {
        match runs.last_mut() {
            Some(run) if (run.0, run.2 + 1, run.3) == (row, column, group) => run.2 = column,
            _ => runs.push((row, column, column, group)),
        }
    }
    (grid, runs)
}

struct Page<'a, B: DrawingBackend> {
    area: &'a Area<B>,
    scale: f64,
    sink: f64,
}

impl<B: DrawingBackend> Page<'_, B> {
    fn panel(&self, panel: &Panel, groups: &[(String, [u8; 3])], left: f64) -> Result<(), PlotError> {
        let place = |cell: usize, grid: usize| SIDE * cell as f64 / grid.max(1) as f64;
        let draw = |panel: &Panel, colour: &dyn Fn(usize) -> RGBColor| -> Result<(), PlotError> {
            let (grid, runs) = dots(panel);
            for (row, from, to, group) in runs {
                let (x, y) = (left + place(from, grid), TOP + place(row, grid));
                let (right, bottom) = (left + place(to + 1, grid), TOP + place(row + 1, grid));
                self.fill((x, y), (right.max(x + LEAST_DOT), bottom.max(y + LEAST_DOT)), colour(group))?;
            }
            Ok(())
        };
        let pale = Panel {
            size: panel.size,
            entries: panel.fill.iter().map(|&(i, j)| (i, j, 0)).collect(),
            ..Panel::default()
        };
        draw(&pale, &|_| FILL)?;
        draw(panel, &|group| groups.get(group).map_or(INK, |(_, [r, g, b])| RGBColor(*r, *g, *b)))?;
        let (right, bottom) = (left + SIDE, TOP + SIDE);
        let frame: Vec<(i32, i32)> =
            [(left, TOP), (right, TOP), (right, bottom), (left, bottom), (left, TOP)]
                .map(|place| self.at(place))
                .to_vec();
        let style = ShapeStyle::from(FRAME).stroke_width(self.scale as u32);
        self.area.draw(&PathElement::new(frame, style)).map_err(failed)?;
        for (k, line) in panel.caption.iter().enumerate() {
            let y = bottom + 14.0 + LINE * k as f64 + 6.0;
            self.text(
                line,
                (left, y),
                if k == 0 { 16.0 } else { 14.0 },
                if k == 0 { INK } else { SOFT_INK },
            )?;
        }
        Ok(())
    }

    fn fill(&self, from: (f64, f64), to: (f64, f64), colour: RGBColor) -> Result<(), PlotError> {
        let (a, b) = (self.at(from), self.at(to));
        self.area.draw(&Rectangle::new([a, b], colour.filled())).map_err(failed)
    }

    /// A text centred vertically at `place`.
    fn text(&self, text: &str, place: (f64, f64), size: f64, colour: RGBColor) -> Result<(), PlotError> {
        if text.is_empty() {
            return Ok(());
        }
        let font = (FontFamily::SansSerif, size * self.scale).into_font();
        let style = TextStyle::from(font).color(&colour).pos(Pos::new(HPos::Left, VPos::Center));
        self.area.draw_text(text, &style, self.at((place.0, place.1 + self.sink * size))).map_err(failed)
    }

    fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::{Panel, SIDE, Sparsity, TOP, dots};

    const GROUPS: [[u8; 3]; 2] = [[200, 80, 30], [30, 80, 200]];

    /// A tridiagonal matrix with one row and column of another group.
    fn arrow(size: u32) -> Panel {
        let mut entries: Vec<(u32, u32, usize)> = Vec::new();
        for i in 0..size {
            for j in i.saturating_sub(1)..=(i + 1).min(size - 1) {
                entries.push((i, j, usize::from(i + 1 == size || j + 1 == size)));
            }
        }
        Panel { size: size as usize, entries, ..Panel::default() }
    }

    fn picture(panel: Panel) -> Sparsity {
        let groups = GROUPS.iter().map(|&colour| ("group".to_owned(), colour)).collect();
        Sparsity { groups, panels: vec![panel], ..Sparsity::default() }
    }

    #[test]
    fn every_entry_has_a_dot_of_its_colour_and_nothing_else_has() {
        let panel = arrow(20);
        let png = picture(panel.clone()).to_png().unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(png)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let width = reader.next_frame(&mut pixels).unwrap().width as usize;
        let mut found = 0;
        for i in 0..20 {
            for j in 0..20 {
                let centre = |k: u32, from: f64| (from + SIDE * (f64::from(k) + 0.5) / 20.0) as usize;
                let at = 3 * (centre(i, TOP) * width + centre(j, super::GAP));
                let expected = panel.entries.iter().find(|entry| (entry.0, entry.1) == (i, j));
                let colour = expected.map_or([255; 3], |entry| GROUPS[entry.2]);
                assert_eq!(pixels[at..at + 3], colour, "({i}, {j})");
                found += usize::from(expected.is_some());
            }
        }
        assert_eq!(found, panel.entries.len());
    }

    #[test]
    fn neighbours_in_a_row_are_one_stroke_and_none_is_lost() {
        let panel = arrow(300);
        let (grid, runs) = dots(&panel);
        assert_eq!(grid, 300);
        assert_eq!(runs.iter().map(|run| run.2 - run.1 + 1).sum::<usize>(), panel.entries.len());
        assert!(runs.len() < panel.entries.len() / 2);
        // A large matrix is drawn coarser, and an empty one as nothing.
        let (grid, runs) = dots(&arrow(5000));
        assert!(grid < 1000 && runs.len() < 4 * grid);
        assert!(picture(Panel::default()).to_svg().is_ok() && Sparsity::default().to_png().is_ok());
    }
}
