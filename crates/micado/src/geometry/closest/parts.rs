//! Halving of cubic pieces until each part turns little.

use super::Cubic;
use glam::DVec3;

/// Largest turn of a part, rad: with 0.5, another minimum than the global one is found in less than 0.1 %.
const TURN: f64 = 0.5;
/// Most halvings.
const DEPTH: u32 = 4;

/// A range of the coordinate of a piece.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Range {
    pub(super) start: f64,
    pub(super) width: f64,
}

impl Range {
    /// Coordinate on the piece of the coordinate `t` on the part.
    #[inline]
    pub(super) fn of(&self, t: f64) -> f64 {
        self.start + self.width * t
    }
}

/// Calls `visit` with the parts of a piece, in order, each as a piece of its own.
pub(super) fn each(piece: &Cubic, visit: &mut impl FnMut(&Cubic, Range)) {
    halve(piece, Range { start: 0.0, width: 1.0 }, 0, visit);
}

fn halve(part: &Cubic, range: Range, depth: u32, visit: &mut impl FnMut(&Cubic, Range)) {
    if depth == DEPTH || turning(part) <= TURN {
        return visit(part, range);
    }
    let width = 0.5 * range.width;
    halve(&first_half(part), Range { start: range.start, width }, depth + 1, visit);
    halve(&second_half(part), Range { start: range.start + width, width }, depth + 1, visit);
}

/// x(t/2).
fn first_half(c: &Cubic) -> Cubic {
    let [c0, c1, c2, c3] = c.coefficients;
    Cubic { coefficients: [c0, 0.5 * c1, 0.25 * c2, 0.125 * c3] }
}

/// x((1 + t)/2).
fn second_half(c: &Cubic) -> Cubic {
    let c3 = c.coefficients[3];
    let (x, d, dd) = (c.at(0.5), c.derivative(0.5), c.second_derivative(0.5));
    Cubic { coefficients: [x, 0.5 * d, 0.125 * dd, 0.125 * c3] }
}

/// Directions of the edges of the Bézier polygon, three times as long: x' is a mean of them.
#[inline]
pub(super) fn edges(c: &Cubic) -> [DVec3; 3] {
    let [_, c1, c2, c3] = c.coefficients;
    [c1, c1 + c2, c1 + 2.0 * c2 + 3.0 * c3]
}

/// A bound of the angle by which a piece turns, rad: a Bézier curve turns less than its polygon.
pub(super) fn turning(c: &Cubic) -> f64 {
    let mut turn = 0.0;
    let mut last = DVec3::ZERO;
    for edge in edges(c) {
        let direction = edge.normalize_or_zero();
        if direction != DVec3::ZERO {
            if last != DVec3::ZERO {
                let chord = (direction - last).length();
                // 2 asin(chord/2) ≤ chord (1 + chord²/7)
                turn += chord * (1.0 + chord * chord / 7.0);
            }
            last = direction;
        }
    }
    turn
}
