//! Points of a curve where its distance from a part is smallest.
//!
//! φ(f) = d(x(f)) along a cubic piece, φ' = ∇d·x'. A run of samples with φ' = 0 is a plateau: the piece is
//! parallel to the surface, and any of its points is a minimum.

use super::field::Field;
use super::part::Form;
use crate::geometry::closest::Cubic;
use glam::DVec3;

/// Slopes below this share of |x'| are zero within rounding.
const LEVEL: f64 = 1e-12;

/// Steps of a root search; at worst each second one halves the interval.
const STEPS: usize = 100;

/// Width of the interval of f at which it ends.
const NARROW: f64 = 1e-15;

/// Most samples of a piece.
pub(super) const SAMPLES: usize = 9;

/// Distance along a curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    /// f.
    pub(super) f: f64,
    /// The distance φ, its gradient and the closest point.
    pub(super) field: Field,
    /// φ'.
    pub(super) slope: f64,
}

/// Which way φ goes at a point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// φ' < 0.
    Down,
    /// φ' = 0 within rounding.
    Level,
    /// φ' > 0.
    Up,
}

/// A curve beside a part, in the axes of the part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Beside<'a> {
    pub(super) curve: Cubic,
    pub(super) form: &'a Form,
    /// Distances above it are not needed, m.
    pub(super) limit: f64,
}

impl Beside<'_> {
    /// φ and φ' at f. Far points have an infinite distance and no slope.
    pub(super) fn at(&self, f: f64) -> At {
        let x = self.curve.at(f);
        match self.form.field(x, self.limit) {
            Some(field) => At { f, field, slope: field.normal.dot(self.curve.derivative(f)) },
            None => {
                let field = Field { distance: f64::INFINITY, normal: DVec3::ZERO, point: x };
                At { f, field, slope: 0.0 }
            }
        }
    }

    pub(super) fn way(&self, at: &At) -> Way {
        let level = LEVEL * self.curve.derivative(at.f).length();
        if at.slope < -level {
            Way::Down
        } else if at.slope > level {
            Way::Up
        } else {
            Way::Level
        }
    }

    /// Where φ' = `slope` between a point of smaller and a point of larger slope.
    ///
    /// False position with halved weights (Illinois); a step of bisection after each step that did not halve
    /// the interval.
    fn root(&self, low: &At, high: &At, slope: f64) -> At {
        let (mut a, mut b) = (*low, *high);
        let (mut at_a, mut at_b) = (a.slope - slope, b.slope - slope);
        let mut slow = false;
        let mut last = 0;
        for _ in 0..STEPS {
            let (middle, width) = (0.5 * (a.f + b.f), b.f - a.f);
            let guess = a.f + (b.f - a.f) * (at_a / (at_a - at_b));
            let next = if slow || !(guess > a.f && guess < b.f) { middle } else { guess };
            if next <= a.f || next >= b.f {
                break;
            }
            let now = self.at(next);
            let value = now.slope - slope;
            if value == 0.0 {
                return now;
            }
            if value < 0.0 {
                (a, at_a) = (now, value);
                at_b *= if last == -1 { 0.5 } else { 1.0 };
                last = -1;
            } else {
                (b, at_b) = (now, value);
                at_a *= if last == 1 { 0.5 } else { 1.0 };
                last = 1;
            }
            slow = !slow && b.f - a.f > 0.5 * width;
            let small = 1e-15 * self.curve.derivative(now.f).length();
            if value.abs() <= small || b.f - a.f <= NARROW {
                break;
            }
        }
        if (a.slope - slope).abs() < (b.slope - slope).abs() { a } else { b }
    }

    /// Samples at equal steps; returns how many.
    pub(super) fn sample(&self, samples: &mut [At; SAMPLES]) -> usize {
        let steps = if self.form.is_convex() { 4 } else { SAMPLES - 1 };
        for (k, at) in samples.iter_mut().enumerate().take(steps + 1) {
            *at = self.at(k as f64 / steps as f64);
        }
        steps + 1
    }

    /// Calls `found` with both ends of each plateau of minima, from left to right; they are equal where the
    /// minimum is one point.
    pub(super) fn minima(&self, samples: &[At], mut found: impl FnMut(At, At)) {
        let mut k = 0;
        while k < samples.len() {
            let way = self.way(&samples[k]);
            let next = samples.get(k + 1).map(|next| self.way(next));
            if way == Way::Down && next == Some(Way::Up) {
                let root = self.root(&samples[k], &samples[k + 1], 0.0);
                found(root, root);
            }
            if way != Way::Level {
                k += 1;
                continue;
            }
            let first = k;
            while k + 1 < samples.len() && self.way(&samples[k + 1]) == Way::Level {
                k += 1;
            }
            let before = first.checked_sub(1).map(|before| &samples[before]);
            let after = samples.get(k + 1);
            let rises_before = before.is_some_and(|at| self.way(at) == Way::Up);
            let falls_after = after.is_some_and(|at| self.way(at) == Way::Down);
            if samples[k].field.distance.is_finite() && !rises_before && !falls_after {
                self.plateau(before, [&samples[first], &samples[k]], after, &mut found);
            }
            k += 1;
        }
    }

    /// A run of level samples, between one that falls and one that rises, or the ends of the piece.
    fn plateau(
        &self,
        before: Option<&At>,
        [first, last]: [&At; 2],
        after: Option<&At>,
        found: &mut impl FnMut(At, At),
    ) {
        let level = LEVEL * self.curve.derivative(0.5).length();
        // One level sample between others is the minimum. At an end of the piece, the run may go on.
        if let (Some(_), Some(_), true) = (before, after, first.f == last.f) {
            return found(*first, *last);
        }
        let start = before.map_or(*first, |before| self.root(before, first, -level));
        let end = after.map_or(*last, |after| self.root(last, after, level));
        found(start, end);
    }
}
