//! Places on a discrete rod.
//!
//! Fixed places are on the edges, with linear weights; sliding places are on the smooth curve through the
//! vertices.

use super::DiscreteRod;
use crate::geometry::basis::Weights;
use crate::object::Place;
use crate::object::rod::polygon::Polygon;

impl DiscreteRod {
    /// Rest arc length at coordinate `f` of edge `e`, m.
    pub fn arc_at(&self, e: usize, f: f64) -> f64 {
        self.arc[e] + f * self.lengths[e]
    }

    /// Rest length per unit of the coordinate, m.
    pub(crate) fn rest_metric(&self, e: usize) -> f64 {
        self.lengths[e]
    }

    /// Edge and coordinate within it at rest arc length `s`.
    pub fn locate(&self, s: f64) -> (usize, f64) {
        let e = self.arc.partition_point(|&a| a <= s).clamp(1, self.segments()) - 1;
        let (least, most) = self.bounds(e);
        (e, ((s - self.arc[e]) / self.lengths[e]).clamp(least, most))
    }

    /// The part of edge e that belongs to the rod.
    pub(crate) fn bounds(&self, e: usize) -> (f64, f64) {
        let last = self.segments() - 1;
        (if self.closed || e > 0 { 0.0 } else { 0.5 }, if self.closed || e < last { 1.0 } else { 0.5 })
    }

    /// Parameters at the two ends of an open rod.
    pub(crate) fn range(&self) -> (f64, f64) {
        let n = self.segments() as f64;
        if self.closed { (0.0, n) } else { (0.5, n - 0.5) }
    }

    fn polygon(&self) -> Polygon {
        Polygon { vertices: self.nodes(), closed: self.closed }
    }

    /// Vertex k of the four of a place on edge `e`.
    pub fn node(&self, e: usize, k: usize) -> usize {
        self.polygon().node(e, k)
    }

    /// The fixed place at coordinate `fraction` of edge `segment`.
    pub(crate) fn place_in(&self, segment: usize, fraction: f64) -> Place {
        let at = self.polygon().local(segment);
        let mut weights = Weights::default();
        (weights.b[at], weights.b[at + 1]) = (1.0 - fraction, fraction);
        (weights.db[at], weights.db[at + 1]) = (-1.0, 1.0);
        self.with_weights(weights, segment, fraction)
    }

    /// Edge and coordinate within it at parameter `u`, in edges: wraps around a closed rod, clamped to the
    /// ends of an open one.
    pub(crate) fn segment_at(&self, u: f64) -> (usize, f64) {
        let (low, high) = self.range();
        let u = if self.closed { u.rem_euclid(high) } else { u.clamp(low, high) };
        let segment = (u.floor() as usize).min(self.segments() - 1);
        (segment, u - segment as f64)
    }

    /// The sliding place at parameter `u`.
    pub(crate) fn place_at(&self, u: f64) -> Place {
        let (segment, fraction) = self.segment_at(u);
        self.smooth_place(segment, fraction)
    }

    /// The place at coordinate `fraction` of an edge, on the smooth curve through the vertices.
    pub(crate) fn smooth_place(&self, segment: usize, fraction: f64) -> Place {
        self.with_weights(self.polygon().smooth_weights(segment, fraction), segment, fraction)
    }

    fn with_weights(&self, weights: Weights, segment: usize, fraction: f64) -> Place {
        let mut roll = [0.0; 4];
        roll[self.polygon().local(segment)] = 1.0;
        let nodes = std::array::from_fn(|k| self.node(segment, k) as u32);
        Place::on_curve(nodes, weights, (roll, 0.0), segment, fraction)
    }
}
