//! Frames of the nodes, and elements in the present state.

use super::BeamRod;
use super::element::{Element, ElementEnd};
use crate::object::rod::chain_frames::{Chain, director_at, reference_twist, turned};
use glam::DVec3;

impl BeamRod {
    /// Nodes are links, elements are joints: element e is the one before node e + 1.
    pub(super) fn chain(&self) -> Chain {
        Chain { links: self.joints(), closed: self.closed }
    }

    /// Transports all frames to the tangents of `q`. Returns the least cosine between an old tangent and a
    /// new one.
    pub fn transport_frames(&self, q: &[f64], frames: &mut [f64]) -> f64 {
        self.transport_frames_from(q, None, frames)
    }

    /// Transports all frames, from `from` where given, to the tangents of `q`. Returns the least cosine
    /// between an old tangent and a new one.
    pub(crate) fn transport_frames_from(&self, q: &[f64], from: Option<&[f64]>, frames: &mut [f64]) -> f64 {
        self.chain().transport(|i| Self::tangent(q, i).normalize(), from, frames)
    }

    /// Frames of the tangents of `q`, d₁ as near to `up` as the first one allows.
    pub(super) fn make_frames(&self, q: &[f64], up: Option<DVec3>) -> Vec<f64> {
        self.chain().frames(|i| Self::tangent(q, i).normalize(), up)
    }

    /// Element e, for frames that were transported to `q`.
    pub(super) fn element(&self, q: &[f64], frames: &[f64], e: usize) -> Element {
        self.element_of(e, |i| [Self::point(q, i), Self::tangent(q, i)], |i| q[8 * i + 3], frames)
    }

    /// Element e before an increment that led to `q`, for frames that were transported to `q`.
    pub(super) fn element_before(&self, q: &[f64], led: &[f64], frames: &[f64], e: usize) -> Element {
        let vectors =
            |i: usize| [Self::point(q, i) - Self::point(led, i), Self::tangent(q, i) - Self::tangent(led, i)];
        self.element_of(e, vectors, |i| q[8 * i + 3] - led[8 * i + 3], frames)
    }

    /// Element e from point and tangent of nodes, and from their rolls.
    fn element_of(
        &self,
        e: usize,
        vectors: impl Fn(usize) -> [DVec3; 2],
        roll: impl Fn(usize) -> f64,
        frames: &[f64],
    ) -> Element {
        let nodes = [e, self.end(e)];
        let (points, rolls) = (nodes.map(&vectors), nodes.map(roll));
        let ends = [0, 1].map(|k| {
            let d = points[k][1];
            let t = d.normalize();
            ElementEnd { d, m1: turned(t, director_at(frames, nodes[k], t), rolls[k]) }
        });
        let seam = if nodes[1] == 0 { self.seam_twist } else { 0.0 };
        Element {
            length: self.element_length,
            chord: points[1][0] - points[0][0],
            ends,
            twist: rolls[1] - rolls[0] + seam + reference_twist(frames, nodes[1]),
        }
    }
}
