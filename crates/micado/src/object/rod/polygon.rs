//! Polygons of vertices: the vertices of a place, and the smooth curve through them.
//!
//! Sliding places are on a smooth Catmull–Rom curve through the vertices: the corner of a polygon would be an
//! obstacle.

use crate::geometry::basis::{Family, SegmentBasis, Weights};
use glam::DVec3;

/// Weights of the virtual vertex beyond an open end: that of the parabola through the next three.
const BEYOND: [f64; 3] = [3.0, -3.0, 1.0];

/// Moves points on a curve to the outside of its bends by κ l²/24, which makes edges as long as the arcs that
/// they represent. `before` and `behind` are the neighbours of the first and the last point; without a
/// neighbour the point stays.
pub(super) fn outside(on: &[DVec3], before: Option<DVec3>, behind: Option<DVec3>) -> Vec<DVec3> {
    let last = on.len() - 1;
    (0..=last)
        .map(|i| {
            let neighbours = [
                if i > 0 { Some(on[i - 1]) } else { before },
                if i < last { Some(on[i + 1]) } else { behind },
            ];
            if let [Some(a), Some(b)] = neighbours { on[i] - (a - on[i] * 2.0 + b) / 24.0 } else { on[i] }
        })
        .collect()
}

/// A polygon of at least four vertices.
#[derive(Clone, Copy, Debug)]
pub(super) struct Polygon {
    pub(super) vertices: usize,
    pub(super) closed: bool,
}

impl Polygon {
    /// First of the four vertices of a place on edge `e`, numbered on from the first vertex of a closed
    /// polygon.
    fn window_start(self, e: usize) -> usize {
        if self.closed {
            (e + self.vertices - 1) % self.vertices
        } else {
            e.saturating_sub(1).min(self.vertices - 4)
        }
    }

    /// Vertex k of the four of a place on edge `e`.
    pub(super) fn node(self, e: usize, k: usize) -> usize {
        (self.window_start(e) + k) % self.vertices
    }

    /// Index of the first vertex of edge `e` among the four of a place.
    pub(super) fn local(self, e: usize) -> usize {
        if self.closed { 1 } else { e - self.window_start(e) }
    }

    /// Weights of the smooth curve at coordinate `fraction` of edge `e`.
    pub(super) fn smooth_weights(self, e: usize, fraction: f64) -> Weights {
        let basis = SegmentBasis::new(Family::CatmullRom, 0, 1).weights(fraction);
        let at = self.local(e);
        let mut weights = Weights::default();
        for (out, given) in
            [(&mut weights.b, basis.b), (&mut weights.db, basis.db), (&mut weights.ddb, basis.ddb)]
        {
            for (k, w) in given.into_iter().enumerate() {
                // Vertex k of the basis is local vertex k + at − 1; there is none before the first and after
                // the last.
                match (k + at).checked_sub(1) {
                    Some(local) if local < 4 => out[local] += w,
                    Some(_) => (0..3).for_each(|i| out[3 - i] += BEYOND[i] * w),
                    None => (0..3).for_each(|i| out[i] += BEYOND[i] * w),
                }
            }
        }
        weights
    }
}
