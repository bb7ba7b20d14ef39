//! Places on the rod: from rest arc length s to segment and basis weights.

use super::{SplineRod, Uneven, combine};
use crate::geometry::quadrature::GAUSS_4;
use crate::object::Place;

impl SplineRod {
    /// Rest arc length from the start to coordinate f of segment e.
    pub(crate) fn arc_within(&self, e: usize, f: f64) -> f64 {
        let x = std::array::from_fn(|k| self.rest_points[self.node(e, k)]);
        let basis = &self.table(e).basis;
        GAUSS_4.iter().map(|&(g, w)| w * f * combine(&basis.weights(g * f).db, &x).length()).sum()
    }

    /// Rest arc length at coordinate `f` of segment `e`, m.
    pub fn arc_at(&self, e: usize, f: f64) -> f64 {
        self.arc[e] + self.arc_within(e, f)
    }

    /// |r₀'| at coordinate `f` of segment `e`.
    pub(crate) fn rest_metric(&self, e: usize, f: f64) -> f64 {
        let x = std::array::from_fn(|k| self.rest_points[self.node(e, k)]);
        combine(&self.table(e).basis.weights(f).db, &x).length()
    }

    /// Segment and coordinate within it at rest arc length `s`.
    pub fn locate(&self, s: f64) -> (usize, f64) {
        let e = self.arc.partition_point(|&a| a <= s).clamp(1, self.segments) - 1;
        let (wanted, width) = (s - self.arc[e], self.arc[e + 1] - self.arc[e]);
        let mut f = (wanted / width).clamp(0.0, 1.0);
        let x = std::array::from_fn(|k| self.rest_points[self.node(e, k)]);
        for _ in 0..8 {
            let speed = combine(&self.table(e).basis.weights(f).db, &x).length();
            let step = (wanted - self.arc_within(e, f)) / speed;
            f = (f + step).clamp(0.0, 1.0);
            if step.abs() < 1e-14 {
                break;
            }
        }
        (e, f)
    }

    /// The place at rest arc length `s`.
    pub fn place(&self, s: f64) -> Place {
        let (segment, fraction) = self.locate(s);
        self.place_in(segment, fraction)
    }

    /// The parameter at the end: the number of segments, if these are even.
    pub(crate) fn last_parameter(&self) -> f64 {
        self.uneven.as_ref().map_or(self.segments as f64, |uneven| uneven.knots.end())
    }

    /// Width of segment `e` in the parameter.
    #[inline]
    pub(crate) fn width(&self, e: usize) -> f64 {
        self.uneven.as_ref().map_or(1.0, |uneven| uneven.knots.width(e))
    }

    /// The parameter at coordinate `f` of segment `e`.
    pub(crate) fn parameter(&self, e: usize, f: f64) -> f64 {
        self.uneven.as_ref().map_or(e as f64 + f, |Uneven { knots, .. }| knots.at()[e] + f * knots.width(e))
    }

    /// Segment and coordinate within it at parameter `u`: wraps around a closed rod, clamped to the ends of
    /// an open one.
    pub(crate) fn segment_at(&self, u: f64) -> (usize, f64) {
        if let Some(uneven) = &self.uneven {
            return uneven.knots.segment_at(u);
        }
        let n = self.segments as f64;
        let u = if self.is_closed() { u.rem_euclid(n) } else { u.clamp(0.0, n) };
        let segment = (u.floor() as usize).min(self.segments - 1);
        (segment, u - segment as f64)
    }

    /// The place at parameter `u`.
    pub(crate) fn place_at(&self, u: f64) -> Place {
        let (segment, fraction) = self.segment_at(u);
        self.place_in(segment, fraction)
    }

    /// The place at coordinate `fraction` of `segment`. Derivatives are by the parameter, not by the
    /// coordinate of the segment: x' and x'' are continuous between segments of any widths.
    pub(crate) fn place_in(&self, segment: usize, fraction: f64) -> Place {
        let mut weights = self.table(segment).basis.weights(fraction);
        if self.uneven.is_some() {
            let width = self.width(segment);
            weights.db = weights.db.map(|b| b / width);
            weights.ddb = weights.ddb.map(|b| b / (width * width));
        }
        let beyond_seam = |k: &usize| self.is_closed() && segment + k >= self.segments;
        let nodes = std::array::from_fn(|k| self.node(segment, k) as u32);
        let seam = (0..4).filter(beyond_seam).map(|k| weights.b[k] * self.seam_twist).sum();
        Place::on_curve(nodes, weights, (weights.b, seam), segment, fraction)
    }
}
