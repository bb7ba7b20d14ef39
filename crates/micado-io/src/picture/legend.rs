//! The legend of a picture: title, axes, scale and colours.

use glam::DVec3;

use super::canvas::{Canvas, Pen};
use super::colour::{self, INK, Rgb, SOFT_INK};
use super::data::{ColourBar, Drawing};
use super::label::Area;
use super::marker::head;
use super::scene::Stage;
use super::text::{self, Anchor};
use crate::plot::ticks::{nice_step, nice_ticks, text_of};

const AXES: [(DVec3, &str, Rgb); 3] = [
    (DVec3::X, "x", [0.78, 0.24, 0.24]),
    (DVec3::Y, "y", [0.20, 0.56, 0.30]),
    (DVec3::Z, "z", [0.16, 0.40, 0.74]),
];

pub(super) fn draw(canvas: &mut Canvas, stage: &Stage, drawing: &Drawing) {
    let u = canvas.unit;
    let (lines, size) = title_lines(canvas, &drawing.title);
    let top = if lines.len() > 1 { 36.0 } else { 52.0 };
    for (k, line) in lines.iter().enumerate() {
        canvas.text(line, (34.0 * u, (top + 1.35 * size * k as f64) * u), size, INK, Anchor::Left);
    }
    axes(canvas, stage);
    scale(canvas, stage);
    if let (Some(bar), Some(range)) = (&drawing.colour_bar, stage.range) {
        colours(canvas, bar, range);
    }
}

/// Sizes of the title, in units, and the margin at its sides.
const TITLE: f64 = 25.0;
const SMALLEST_TITLE: f64 = 16.0;
const MARGIN: f64 = 68.0;

/// The title as it fits, and its size in units: smaller if it is long, then in two lines, then without its
/// middle.
pub(super) fn title_lines(canvas: &Canvas, title: &str) -> (Vec<String>, f64) {
    let u = canvas.unit;
    let room = f64::from(canvas.pixmap.width()) - MARGIN * u;
    let width = text::width(title, TITLE * u);
    if width <= room * TITLE / SMALLEST_TITLE {
        return (vec![title.to_owned()], TITLE.min(TITLE * room / width.max(1e-9)));
    }
    let size = SMALLEST_TITLE;
    let fits = |(at, _): &(usize, char)| text::width(&title[..*at], size * u) <= room;
    let end = title.char_indices().filter(|(_, c)| c.is_whitespace()).take_while(fits).last();
    // A very long word is broken where necessary.
    let end = end.or_else(|| title.char_indices().take_while(fits).last()).map_or(title.len(), |(at, _)| at);
    let (first, second) = title.split_at(end);
    (vec![first.to_owned(), text::shortened(second.trim_start(), size * u, room)], size)
}

/// Areas of the picture that the legend covers.
pub(super) fn areas(canvas: &Canvas, drawing: &Drawing) -> Vec<Area> {
    let u = canvas.unit;
    let (width, height) = (f64::from(canvas.pixmap.width()), f64::from(canvas.pixmap.height()));
    let title =
        Area { left: 0.0, top: 0.0, right: 34.0 * u + title_width(canvas, &drawing.title), bottom: 62.0 * u };
    let axes = Area { left: 0.0, top: height - 120.0 * u, right: 130.0 * u, bottom: height };
    let scale = Area { left: width - 270.0 * u, top: height - 62.0 * u, right: width, bottom: height };
    let mut areas = vec![title, axes, scale];
    areas.extend(drawing.colour_bar.iter().flat_map(|bar| [panel(canvas), name_panel(canvas, bar)]));
    areas
}

fn title_width(canvas: &Canvas, title: &str) -> f64 {
    let (lines, size) = title_lines(canvas, title);
    lines.iter().map(|line| text::width(line, size * canvas.unit)).fold(0.0, f64::max)
}

/// Background of the colours and their values.
fn panel(canvas: &Canvas) -> Area {
    let u = canvas.unit;
    let width = f64::from(canvas.pixmap.width());
    let (top, tall) = bar_height(canvas);
    Area {
        left: width - 110.0 * u,
        top: top - 12.0 * u,
        right: width - 14.0 * u,
        bottom: top + tall + 12.0 * u,
    }
}

/// Background of the name above the colours.
fn name_panel(canvas: &Canvas, bar: &ColourBar) -> Area {
    let u = canvas.unit;
    let right = f64::from(canvas.pixmap.width()) - 14.0 * u;
    let (top, _) = bar_height(canvas);
    let width = text::width(&bar_name(bar), 15.0 * u);
    Area { left: right - width - 40.0 * u, top: top - 38.0 * u, right, bottom: top - 12.0 * u }
}

/// Top and height of the colours.
fn bar_height(canvas: &Canvas) -> (f64, f64) {
    let height = f64::from(canvas.pixmap.height());
    let tall = (0.46 * height).min(360.0 * canvas.unit);
    ((height - tall) / 2.0, tall)
}

fn bar_name(bar: &ColourBar) -> String {
    match (bar.label.as_str(), bar.unit.as_str()) {
        (label, "") => label.to_owned(),
        ("", unit) => unit.to_owned(),
        (label, unit) => format!("{label}, {unit}"),
    }
}

/// The axes of the world in the lower left corner.
fn axes(canvas: &mut Canvas, stage: &Stage) {
    let u = canvas.unit;
    let origin = (66.0 * u, f64::from(canvas.pixmap.height()) - 60.0 * u);
    let mut order = AXES.map(|axis| (stage.camera.turn(axis.0), axis.1, axis.2));
    order.sort_by(|a, b| a.0.z.total_cmp(&b.0.z));
    for (direction, name, colour) in order {
        let (dx, dy) = (36.0 * u * direction.x, -36.0 * u * direction.y);
        let tip = (origin.0 + dx, origin.1 + dy);
        let neck = (origin.0 + 0.8 * dx, origin.1 + 0.8 * dy);
        canvas.line(&[origin, neck], Pen::new(colour, 2.6));
        let size = 9.0 * direction.x.hypot(direction.y).max(0.3);
        head(canvas, origin, tip, colour, size);
        let letter = (origin.0 + 1.36 * dx, origin.1 + 1.36 * dy + 5.0 * u);
        if direction.x.hypot(direction.y) > 0.15 {
            canvas.text(name, letter, 14.0, colour, Anchor::Centre);
        }
    }
}

/// A scale bar of round length at the bottom.
fn scale(canvas: &mut Canvas, stage: &Stage) {
    let u = canvas.unit;
    let per_metre = stage.camera.scale();
    // The largest round length that is not above 220 units.
    let mut length = nice_step(220.0 * u / per_metre);
    if length * per_metre > 220.0 * u {
        length = nice_step(length * 0.4);
    }
    let right = f64::from(canvas.pixmap.width()) - 40.0 * u;
    let left = right - length * per_metre;
    let y = f64::from(canvas.pixmap.height()) - 36.0 * u;
    let tick = 5.0 * u;
    let pen = Pen::new(INK, 2.0);
    canvas.line(&[(left, y - tick), (left, y), (right, y), (right, y - tick)], pen);
    canvas.text(&length_text(length), ((left + right) / 2.0, y - 8.0 * u), 15.0, INK, Anchor::Centre);
}

/// A round length in a suitable unit.
pub(super) fn length_text(metres: f64) -> String {
    let (value, unit) = match metres {
        m if m >= 999.0 => (m / 1e3, "km"),
        m if m >= 0.0999 => (m, "m"),
        m if m >= 0.000_999 => (m * 1e3, "mm"),
        m if m >= 0.999e-6 => (m * 1e6, "µm"),
        m => return format!("{m:.0e} m"),
    };
    let decimals = usize::from(value < 0.95);
    format!("{value:.decimals$} {unit}")
}

/// The colours with round values beside them.
fn colours(canvas: &mut Canvas, bar: &ColourBar, (low, high): (f64, f64)) {
    let u = canvas.unit;
    let width = f64::from(canvas.pixmap.width());
    let (top, tall) = bar_height(canvas);
    // Opaque: hides guides and rods behind it.
    let ground = panel(canvas);
    let corners = [
        (ground.left, ground.top),
        (ground.right, ground.top),
        (ground.right, ground.bottom),
        (ground.left, ground.bottom),
    ];
    canvas.fill(&corners, [1.0; 3], 0.62);
    let (left, right) = (width - 98.0 * u, width - 80.0 * u);
    let steps = (tall.ceil() as usize).max(2);
    for step in 0..steps {
        let share = step as f64 / steps as f64;
        let y = top + share * tall;
        let slice = [(left, y), (right, y), (right, y + tall / steps as f64 + 0.6)];
        let slice = [slice[0], slice[1], slice[2], (left, slice[2].1)];
        canvas.fill(&slice, colour::map(1.0 - share), 1.0);
    }
    let frame = [(left, top), (right, top), (right, top + tall), (left, top + tall), (left, top)];
    canvas.line(&frame, Pen::new(SOFT_INK, 1.2));

    let ticks = nice_ticks(low, high, 5);
    let step = if ticks.len() > 1 { ticks[1] - ticks[0] } else { high - low };
    let largest = low.abs().max(high.abs());
    for tick in ticks {
        let y = top + (high - tick) / (high - low) * tall;
        canvas.line(&[(right, y), (right + 5.0 * u, y)], Pen::new(SOFT_INK, 1.3));
        let text = text_of(tick, step, largest);
        canvas.text(&text, (right + 9.0 * u, y + 5.0 * u), 14.0, INK, Anchor::Left);
    }
    canvas.text(&bar_name(bar), (width - 34.0 * u, top - 16.0 * u), 15.0, INK, Anchor::Right);
}
