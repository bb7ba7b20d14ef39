//! Places on a mass-spring rod: on Lagrange's cubic through the four nearest vertices; sliding places are on
//! the smooth curve through all of them.

use super::MassSpringRod;
use crate::geometry::basis::Weights;
use crate::object::Place;
use crate::object::rod::even::Even;
use crate::object::rod::polygon::Polygon;

impl MassSpringRod {
    fn even(&self) -> Even {
        Even { segment: self.edge_length, count: self.segments(), closed: self.closed }
    }

    /// Rest arc length at coordinate `f` of edge `e`, m.
    pub fn arc_at(&self, e: usize, f: f64) -> f64 {
        self.even().arc_at(e, f)
    }

    /// Rest length per unit of the coordinate, m.
    pub(crate) fn rest_metric(&self) -> f64 {
        self.edge_length
    }

    /// Edge and coordinate within it at rest arc length `s`.
    pub fn locate(&self, s: f64) -> (usize, f64) {
        self.even().locate(s)
    }

    /// Edge and coordinate within it at parameter `u`, in edges.
    pub(crate) fn segment_at(&self, u: f64) -> (usize, f64) {
        self.even().segment_at(u)
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
        self.with_weights(lagrange(self.polygon().local(segment) as f64 + fraction), segment, fraction)
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
        let nodes = std::array::from_fn(|k| self.node(segment, k) as u32);
        Place::on_curve(nodes, weights, ([0.0; 4], 0.0), segment, fraction)
    }
}

/// Lagrange's cubics on the points 0, 1, 2, 3 at `x`, with their derivatives.
fn lagrange(x: f64) -> Weights {
    let mut weights = Weights::default();
    for k in 0..4 {
        let [p, q, r] = match k {
            0 => [1.0, 2.0, 3.0],
            1 => [0.0, 2.0, 3.0],
            2 => [0.0, 1.0, 3.0],
            _ => [0.0, 1.0, 2.0],
        };
        let at = f64::from(k);
        let scale = 1.0 / ((at - p) * (at - q) * (at - r));
        let [a, b, c] = [x - p, x - q, x - r];
        let k = k as usize;
        weights.b[k] = a * b * c * scale;
        weights.db[k] = (a * b + b * c + c * a) * scale;
        weights.ddb[k] = 2.0 * (a + b + c) * scale;
    }
    weights
}
