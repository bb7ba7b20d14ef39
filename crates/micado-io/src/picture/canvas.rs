//! Flat, anti-aliased drawing: lines, areas, dots and texts.

use tiny_skia::{
    Color, FillRule, GradientStop, LineCap, LineJoin, LinearGradient, Paint, PathBuilder, Pixmap, Point,
    SpreadMode, Stroke, StrokeDash, Transform,
};

use super::colour::Rgb;
use super::text::{self, Anchor};

/// A place in pixels.
pub(super) type Place = (f64, f64);

/// A picture being drawn; always opaque.
#[derive(Debug)]
pub(super) struct Canvas {
    pub(super) pixmap: Pixmap,
    /// Size of symbols and texts relative to a picture 800 pixels high.
    pub(super) unit: f64,
}

/// A line's colour, opacity and width in units.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pen {
    pub(super) colour: Rgb,
    pub(super) alpha: f32,
    pub(super) width: f64,
    /// Length of dashes and gaps in units; zero for a solid line.
    pub(super) dash: f64,
    /// Whether the ends are round; pieces of one pale line must not overlap.
    pub(super) round: bool,
}

impl Pen {
    pub(super) fn new(colour: Rgb, width: f64) -> Self {
        Self { colour, alpha: 1.0, width, dash: 0.0, round: true }
    }

    pub(super) fn alpha(self, alpha: f32) -> Self {
        Self { alpha, ..self }
    }

    pub(super) fn dashed(self, dash: f64) -> Self {
        Self { dash, round: false, ..self }
    }

    pub(super) fn flat(self) -> Self {
        Self { round: false, ..self }
    }
}

impl Canvas {
    /// Fills the picture from top to bottom.
    pub(super) fn background(&mut self, top: Rgb, bottom: Rgb) {
        let height = self.pixmap.height() as f32;
        let stops =
            vec![GradientStop::new(0.0, colour(top, 1.0)), GradientStop::new(1.0, colour(bottom, 1.0))];
        let (from, to) = (Point::from_xy(0.0, 0.0), Point::from_xy(0.0, height));
        self.pixmap.fill(colour(bottom, 1.0));
        let shader = LinearGradient::new(from, to, stops, SpreadMode::Pad, Transform::identity());
        if let (Some(shader), Some(all)) =
            (shader, tiny_skia::Rect::from_xywh(0.0, 0.0, self.pixmap.width() as f32, height))
        {
            let paint = Paint { shader, ..Paint::default() };
            self.pixmap.fill_rect(all, &paint, Transform::identity(), None);
        }
    }

    /// A line through places.
    pub(super) fn line(&mut self, places: &[Place], pen: Pen) {
        let Some(path) = path(places, false) else {
            return;
        };
        let length = (pen.dash * self.unit) as f32;
        let dash = (length > 0.0).then(|| StrokeDash::new(vec![length, 0.8 * length], 0.0));
        let stroke = Stroke {
            width: (pen.width * self.unit).max(0.5) as f32,
            line_cap: if pen.round { LineCap::Round } else { LineCap::Butt },
            line_join: LineJoin::Round,
            dash: dash.flatten(),
            ..Stroke::default()
        };
        let paint = paint(pen.colour, pen.alpha);
        self.pixmap.stroke_path(&path, &paint, &stroke, Transform::identity(), None);
    }

    /// The inside of a polygon.
    pub(super) fn fill(&mut self, places: &[Place], colour: Rgb, alpha: f32) {
        let Some(path) = path(places, true) else {
            return;
        };
        let paint = paint(colour, alpha);
        self.pixmap.fill_path(&path, &paint, FillRule::Winding, Transform::identity(), None);
    }

    /// A dot with a rim; the radius is in units.
    pub(super) fn dot(&mut self, (x, y): Place, radius: f64, colour: Rgb, rim: Pen) {
        let circle: Vec<Place> = (0..=24)
            .map(|i| {
                let (sin, cos) = (f64::from(i) * std::f64::consts::TAU / 24.0).sin_cos();
                (x + radius * self.unit * cos, y + radius * self.unit * sin)
            })
            .collect();
        self.fill(&circle, colour, 1.0);
        self.line(&circle, rim);
    }

    /// A text; its size is in units.
    pub(super) fn text(&mut self, text: &str, place: Place, size: f64, ink: Rgb, anchor: Anchor) {
        text::draw(&mut self.pixmap, text, place, size * self.unit, ink, anchor);
    }

    /// Red, green, blue of every pixel.
    pub(super) fn into_rgb(self) -> Vec<u8> {
        self.pixmap.data().chunks_exact(4).flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect()
    }
}

fn colour(rgb: Rgb, alpha: f32) -> Color {
    let [red, green, blue] = rgb.map(|channel| channel.clamp(0.0, 1.0));
    Color::from_rgba(red, green, blue, alpha.clamp(0.0, 1.0)).unwrap_or(Color::BLACK)
}

pub(super) fn paint(rgb: Rgb, alpha: f32) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color(colour(rgb, alpha));
    paint
}

/// A path through places; `None` when it is too short or runs far out of the picture.
pub(super) fn path(places: &[Place], closed: bool) -> Option<tiny_skia::Path> {
    let near = |&(x, y): &Place| x.abs() < 1e5 && y.abs() < 1e5;
    if places.len() < 2 || !places.iter().all(near) {
        return None;
    }
    let mut builder = PathBuilder::new();
    builder.move_to(places[0].0 as f32, places[0].1 as f32);
    for (x, y) in &places[1..] {
        builder.line_to(*x as f32, *y as f32);
    }
    if closed {
        builder.close();
    }
    builder.finish()
}
