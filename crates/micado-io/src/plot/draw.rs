//! Laying out and drawing a chart.

use std::fmt::Display;
use std::sync::OnceLock;

use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, PathElement, Rectangle};
use plotters::prelude::DrawingBackend;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    Color, FontDesc, FontFamily, FontStyle, FontTransform, IntoFont, RGBColor, ShapeStyle, TextStyle, WHITE,
    register_font,
};

use super::axis::{Axis, Margin, is_drawable};
use super::{Chart, PlotError, reduce};

const INK: RGBColor = RGBColor(0x2b, 0x34, 0x40);
const SOFT_INK: RGBColor = RGBColor(0x5a, 0x65, 0x73);
const GRID: RGBColor = RGBColor(0xe8, 0xeb, 0xef);
const FRAME: RGBColor = RGBColor(0xb6, 0xbe, 0xc8);
const PALETTE: [RGBColor; 8] = [
    RGBColor(0x2b, 0x6c, 0xb0),
    RGBColor(0xd9, 0x7b, 0x29),
    RGBColor(0x3a, 0x94, 0x5b),
    RGBColor(0xc0, 0x3f, 0x45),
    RGBColor(0x7a, 0x5c, 0xa8),
    RGBColor(0x24, 0x9a, 0xaa),
    RGBColor(0x8a, 0x62, 0x45),
    RGBColor(0x6b, 0x73, 0x7d),
];
/// Dashes and gaps in pixels: one pattern for each pass through the palette.
const DASHES: [&[f64]; 3] = [&[], &[8.0, 5.0], &[2.0, 4.0]];

const TITLE_SIZE: f64 = 20.0;
const LABEL_SIZE: f64 = 16.0;
const TICK_SIZE: f64 = 14.0;
const LEGEND_SIZE: f64 = 15.0;

pub(super) fn failed(error: impl Display) -> PlotError {
    PlotError::Draw(error.to_string())
}

/// Registers the built-in font, so that a chart looks the same everywhere.
pub(super) fn fonts() -> Result<(), PlotError> {
    static READY: OnceLock<bool> = OnceLock::new();
    let ready = READY.get_or_init(|| {
        register_font("sans-serif", FontStyle::Normal, dejavu::sans::regular()).is_ok()
            && register_font("sans-serif", FontStyle::Bold, dejavu::sans::bold()).is_ok()
    });
    if *ready { Ok(()) } else { Err(failed("the built-in font is unreadable")) }
}

pub(super) type Area<B> = DrawingArea<B, Shift>;

/// Settings of a file format.
#[derive(Clone, Copy, Debug)]
pub(super) struct Medium {
    /// Drawing units per pixel.
    pub(super) scale: u32,
    /// Downward shift that centres a text's letters, as a share of its size.
    pub(super) sink: f64,
}

/// A drawing area, its scale, and where the axes end.
struct Page<'a, B: DrawingBackend> {
    area: &'a Area<B>,
    scale: f64,
    sink: f64,
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// Draws a chart on an area.
pub(super) fn draw<B: DrawingBackend>(
    chart: &Chart,
    area: &Area<B>,
    medium: Medium,
) -> Result<(), PlotError> {
    fonts()?;
    area.fill(&WHITE).map_err(failed)?;
    let scale = f64::from(medium.scale);
    let (width, height) = area.dim_in_pixel();
    let (width, height) = (f64::from(width) / scale, f64::from(height) / scale);

    let lines: Vec<Vec<(f64, f64)>> = chart.series.iter().map(|s| drawable(chart, s)).collect();
    let top = if chart.title.is_empty() { 18.0 } else { 48.0 };
    let bottom = height - if chart.x_label.is_empty() { 34.0 } else { 58.0 };
    let points = || lines.iter().flatten();
    let rows = ((bottom - top) / 55.0) as usize;
    let y = Axis::fit(points().map(|p| p.1), chart.log_y, Margin::Loose, rows.max(2));

    let mut page = Page { area, scale, sink: medium.sink, left: 0.0, right: width, top, bottom };
    let widest = y.ticks.iter().map(|(_, text)| page.width_of(text, TICK_SIZE)).fold(0.0, f64::max);
    page.left = 16.0 + widest + 8.0 + if chart.y_label.is_empty() { 0.0 } else { 24.0 };
    page.left = page.left.min(width / 2.0);
    page.right = width - 24.0;
    if chart.series.len() > 1 {
        page.right = page.legend(chart, width)?;
    }
    let columns = ((page.right - page.left) / 95.0) as usize;
    let x = Axis::fit(points().map(|p| p.0), chart.log_x, Margin::Tight, columns.max(2));

    page.axes(chart, &x, &y)?;
    for (index, line) in lines.iter().enumerate() {
        let place = |(a, b): &(f64, f64)| page.place(x.place(*a), y.place(*b));
        let places = line.iter().map(place).collect();
        if chart.series[index].marks { page.marks(index, places)? } else { page.line(index, &places)? }
    }
    if lines.iter().all(Vec::is_empty) {
        let middle = ((page.left + page.right) / 2.0, (top + bottom) / 2.0);
        page.text("no data", middle, LABEL_SIZE, SOFT_INK, (HPos::Center, VPos::Center))?;
    }
    Ok(())
}

/// The drawable points of a series, reduced if there are many.
fn drawable(chart: &Chart, series: &super::Series) -> Vec<(f64, f64)> {
    let shown = |p: &&(f64, f64)| is_drawable(p.0, chart.log_x) && is_drawable(p.1, chart.log_y);
    reduce::decimate(series.points.iter().filter(shown).copied().collect())
}

/// Number of ring sizes of marks.
const RINGS: usize = 4;

impl<B: DrawingBackend> Page<'_, B> {
    /// Grid, frame, ticks and labels.
    fn axes(&self, chart: &Chart, x: &Axis, y: &Axis) -> Result<(), PlotError> {
        for (place, text) in &x.ticks {
            let (at, _) = self.place(*place, 0.0);
            self.stroke(&[(at, self.top), (at, self.bottom)], GRID, 1.0)?;
            let below = (at, self.bottom + 7.0);
            self.text(text, below, TICK_SIZE, SOFT_INK, (HPos::Center, VPos::Top))?;
        }
        for (place, text) in &y.ticks {
            let (_, at) = self.place(0.0, *place);
            self.stroke(&[(self.left, at), (self.right, at)], GRID, 1.0)?;
            let beside = (self.left - 8.0, at);
            self.text(text, beside, TICK_SIZE, SOFT_INK, (HPos::Right, VPos::Center))?;
        }
        let corners = [(self.left, self.top), (self.left, self.bottom), (self.right, self.bottom)];
        self.stroke(&corners, FRAME, 1.2)?;

        let centre = (self.left + self.right) / 2.0;
        let title = self.elided(&chart.title, TITLE_SIZE, self.right - self.left);
        self.text(&title, (self.left, 18.0), TITLE_SIZE, INK, (HPos::Left, VPos::Top))?;
        let below = (centre, self.bottom + 30.0);
        self.text(&chart.x_label, below, LABEL_SIZE, INK, (HPos::Center, VPos::Top))?;
        let font = self.font(LABEL_SIZE).transform(FontTransform::Rotate270);
        let style = TextStyle::from(font).color(&INK).pos(Pos::new(HPos::Center, VPos::Top));
        let beside = (14.0, (self.top + self.bottom) / 2.0);
        self.styled(&chart.y_label, beside, &style)
    }

    /// Draws the legend in its own column; returns where the axes end.
    fn legend(&self, chart: &Chart, width: f64) -> Result<f64, PlotError> {
        let rows = ((self.bottom - self.top) / 20.0).max(1.0) as usize;
        let all = chart.series.len();
        let named = if all > rows { rows - 1 } else { all };
        let names: Vec<String> = chart.series[..named]
            .iter()
            .map(|series| self.elided(&series.name, LEGEND_SIZE, width * 0.25))
            .collect();
        let widest = names.iter().map(|name| self.width_of(name, LEGEND_SIZE)).fold(60.0, f64::max);
        let left = width - widest - 16.0;
        for (index, name) in names.iter().enumerate() {
            let y = self.top + 10.0 + 20.0 * index as f64;
            if chart.series[index].marks {
                self.marks(index, vec![(left - 21.0, y)])?;
            } else {
                self.line(index, &[(left - 34.0, y), (left - 8.0, y)])?;
            }
            self.text(name, (left, y), LEGEND_SIZE, INK, (HPos::Left, VPos::Center))?;
        }
        if named < all {
            let y = self.top + 10.0 + 20.0 * named as f64;
            let more = format!("… {} more", all - named);
            self.text(&more, (left, y), LEGEND_SIZE, SOFT_INK, (HPos::Left, VPos::Center))?;
        }
        Ok(left - 34.0 - 22.0)
    }

    /// The line of a series, through places in pixels.
    fn line(&self, index: usize, places: &[(f64, f64)]) -> Result<(), PlotError> {
        let colour = PALETTE[index % PALETTE.len()];
        let dashes = DASHES[index / PALETTE.len() % DASHES.len()];
        match places {
            [] => Ok(()),
            [only] => {
                let dot = Circle::new(self.at(*only), (3.5 * self.scale) as i32, colour.filled());
                self.area.draw(&dot).map_err(failed)
            }
            _ if dashes.is_empty() => self.stroke(places, colour, 1.8),
            _ => dashed(places, dashes).iter().try_for_each(|piece| self.stroke(piece, colour, 1.8)),
        }
    }

    /// Rings around the points of a series; later series have larger ones, so that all are visible where
    /// series agree.
    fn marks(&self, index: usize, places: Vec<(f64, f64)>) -> Result<(), PlotError> {
        let style =
            ShapeStyle::from(PALETTE[index % PALETTE.len()]).stroke_width((1.5 * self.scale).round() as u32);
        let radius = ((3.0 + 2.2 * (index % RINGS) as f64) * self.scale) as i32;
        places
            .into_iter()
            .try_for_each(|place| self.area.draw(&Circle::new(self.at(place), radius, style)).map_err(failed))
    }

    fn stroke(&self, places: &[(f64, f64)], colour: RGBColor, width: f64) -> Result<(), PlotError> {
        let style = ShapeStyle::from(colour).stroke_width((width * self.scale).round() as u32);
        let mut points: Vec<(i32, i32)> = places.iter().map(|place| self.at(*place)).collect();
        points.dedup();
        if let [only] = points[..] {
            let corner = (only.0 + self.scale as i32, only.1 + self.scale as i32);
            return self.area.draw(&Rectangle::new([only, corner], colour.filled())).map_err(failed);
        }
        self.area.draw(&PathElement::new(points, style)).map_err(failed)
    }

    fn text(
        &self,
        text: &str,
        place: (f64, f64),
        size: f64,
        colour: RGBColor,
        (horizontal, vertical): (HPos, VPos),
    ) -> Result<(), PlotError> {
        let down = if matches!(vertical, VPos::Center) { self.sink * size } else { 0.0 };
        let place = (place.0, place.1 + down);
        let style = TextStyle::from(self.font(size)).color(&colour);
        self.styled(text, place, &style.pos(Pos::new(horizontal, vertical)))
    }

    fn styled(&self, text: &str, place: (f64, f64), style: &TextStyle<'_>) -> Result<(), PlotError> {
        if text.is_empty() {
            return Ok(());
        }
        self.area.draw_text(text, style, self.at(place)).map_err(failed)
    }

    fn font(&self, size: f64) -> FontDesc<'static> {
        (FontFamily::SansSerif, size * self.scale).into_font()
    }

    /// Width of a text in pixels.
    fn width_of(&self, text: &str, size: f64) -> f64 {
        let guess = || (0.6 * size * self.scale * text.chars().count() as f64) as u32;
        let width = self.font(size).box_size(text).map_or_else(|_| guess(), |size| size.0);
        f64::from(width) / self.scale
    }

    /// The text, shortened until it fits.
    fn elided(&self, text: &str, size: f64, width: f64) -> String {
        let mut kept: Vec<char> = text.chars().take(400).collect();
        let mut shown = text.to_owned();
        while kept.len() > 1 && self.width_of(&shown, size) > width {
            kept.pop();
            shown = kept.iter().chain(&['…']).collect();
        }
        shown
    }

    /// Pixels of a place given as shares of the axes.
    fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (self.left + x * (self.right - self.left), self.bottom - y * (self.bottom - self.top))
    }

    fn at(&self, (x, y): (f64, f64)) -> (i32, i32) {
        ((x * self.scale).round() as i32, (y * self.scale).round() as i32)
    }
}

/// Cuts a line into dashes and gaps of the given lengths.
fn dashed(places: &[(f64, f64)], lengths: &[f64]) -> Vec<Vec<(f64, f64)>> {
    let mut pieces = Vec::new();
    let mut piece = vec![places[0]];
    let (mut phase, mut left) = (0, lengths[0]);
    for pair in places.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let distance = dx.hypot(dy);
            if distance <= left {
                left -= distance;
                piece.push(to);
                break;
            }
            from = (from.0 + dx * left / distance, from.1 + dy * left / distance);
            piece.push(from);
            if phase % 2 == 0 {
                pieces.push(std::mem::take(&mut piece));
            }
            phase = (phase + 1) % lengths.len();
            left = lengths[phase];
            piece = vec![from];
        }
    }
    if phase % 2 == 0 {
        pieces.push(piece);
    }
    pieces
}
