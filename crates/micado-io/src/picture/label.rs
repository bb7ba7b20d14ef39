//! Short texts beside symbols and arrows, placed where they cover least.

use super::canvas::{Canvas, Place};
use super::colour::Rgb;
use super::text;

/// Size of the texts, in units.
const SIZE: f64 = 14.0;
/// Cost of covering a text or a legend, relative to a piece of rod.
const COVERED_TEXT: f64 = 60.0;
const OUTSIDE: f64 = 1000.0;
/// Widest text, as a share of the picture.
const WIDEST: f64 = 0.3;

/// A rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) right: f64,
    pub(super) bottom: f64,
}

impl Area {
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }

    fn holds(&self, (x, y): Place) -> bool {
        (self.left..self.right).contains(&x) && (self.top..self.bottom).contains(&y)
    }
}

/// Occupied parts of the picture.
#[derive(Clone, Debug, Default)]
pub(super) struct Labels {
    /// Texts, legends and symbols.
    taken: Vec<Area>,
    /// Places along the structure.
    structure: Vec<Place>,
}

impl Labels {
    /// Keeps texts away from an area.
    pub(super) fn keep_free(&mut self, area: Area) {
        self.taken.push(area);
    }

    /// Keeps texts away from a line where that is possible.
    pub(super) fn avoid(&mut self, line: &[Place], unit: f64) {
        for pair in line.windows(2) {
            let ((ax, ay), (bx, by)) = (pair[0], pair[1]);
            let count = ((bx - ax).hypot(by - ay) / (6.0 * unit)).ceil().clamp(1.0, 500.0);
            self.structure.extend(
                (0..count as u32)
                    .map(|i| f64::from(i) / count)
                    .map(|w| (ax + (bx - ax) * w, ay + (by - ay) * w)),
            );
        }
        self.structure.extend(line.last());
    }

    /// Writes a text beside a place, at least `gap` pixels from it: right or left, above or below, wherever
    /// it covers least. Returns its area.
    pub(super) fn write(
        &mut self,
        canvas: &mut Canvas,
        text: &str,
        (x, y): Place,
        gap: f64,
        ink: Rgb,
    ) -> Option<Area> {
        if text.is_empty() || !(x.abs() < 1e5 && y.abs() < 1e5 && gap < 1e5) {
            return None;
        }
        let u = canvas.unit;
        let text = &text::shortened(text, SIZE * u, WIDEST * f64::from(canvas.pixmap.width()));
        let (width, pad) = (text::width(text, SIZE * u), 3.0 * u);
        let (far, near) = ((17.0 * u).max(gap + 6.0 * u), 8.0 * u);
        let starts = [
            (x + far, y + 16.0 * u),
            (x + far, y - 13.0 * u),
            (x - far - width, y + 16.0 * u),
            (x - far - width, y - 13.0 * u),
            (x - width / 2.0, y - 22.0 * u),
            (x - width / 2.0, y + 40.0 * u),
            (x + far + near, y + 5.0 * u),
            (x - far - near - width, y + 5.0 * u),
        ];
        let area = |(left, base): Place| Area {
            left: left - pad,
            top: base - SIZE * u,
            right: left + width + pad,
            bottom: base + 0.32 * SIZE * u,
        };
        let (columns, rows) = (f64::from(canvas.pixmap.width()), f64::from(canvas.pixmap.height()));
        let cost = |start: Place| {
            let area = area(start);
            let outside = area.left < 0.0 || area.top < 0.0 || area.right > columns || area.bottom > rows;
            let texts = self.taken.iter().filter(|taken| taken.overlaps(&area)).count() as f64;
            let rods = self.structure.iter().filter(|&&place| area.holds(place)).count() as f64;
            OUTSIDE * f64::from(u8::from(outside)) + COVERED_TEXT * texts + rods
        };
        let best = starts.into_iter().min_by(|a, b| cost(*a).total_cmp(&cost(*b))).unwrap_or(starts[0]);
        let taken = area(best);
        let Area { left, top, right, bottom } = taken;
        canvas.fill(&[(left, top), (right, top), (right, bottom), (left, bottom)], [1.0; 3], 0.72);
        canvas.text(text, best, SIZE, ink, text::Anchor::Left);
        self.taken.push(taken);
        Some(taken)
    }
}
