//! Frames of the edges, followed by the tensions of the edges of an inextensible rod.

use super::DiscreteRod;
use super::vertex::Edge;
use crate::object::rod::chain_frames::{Chain, director_at, reference_twist, turned};
use glam::DVec3;

impl DiscreteRod {
    /// Edges are links, bends are joints.
    pub(super) fn chain(&self) -> Chain {
        Chain { links: self.segments(), closed: self.closed }
    }

    fn unit(&self, q: &[f64], j: usize) -> DVec3 {
        let e = self.edge(q, j);
        e / e.length()
    }

    /// Transports all frames to the tangents of the positions `q`. Returns the least cosine between an old
    /// and a new tangent: −1 would be undefined.
    pub fn transport_frames(&self, q: &[f64], frames: &mut [f64]) -> f64 {
        self.transport_frames_from(q, None, frames)
    }

    /// Largest difference between a stored reference twist and the angle between its two frames, modulo whole
    /// turns, rad.
    pub fn reference_twist_error(&self, frames: &[f64]) -> f64 {
        self.chain().reference_twist_error(frames)
    }

    /// Transports all frames, from `from` where given, to the edges of `q`. Returns the least cosine between
    /// an old tangent and a new one.
    pub(crate) fn transport_frames_from(&self, q: &[f64], from: Option<&[f64]>, frames: &mut [f64]) -> f64 {
        self.chain().transport(|j| self.unit(q, j), from, frames)
    }

    /// Frames of the positions `q`, d₁ as near to `up` as the first tangent allows.
    pub(super) fn make_frames(&self, q: &[f64], up: Option<DVec3>) -> Vec<f64> {
        let mut frames = self.chain().frames(|j| self.unit(q, j), up);
        frames.resize(frames.len() + self.length_rows(), 0.0);
        frames
    }

    /// Edge j with its material frame.
    pub(super) fn seen(&self, q: &[f64], frames: &[f64], j: usize) -> Edge {
        let e = self.edge(q, j);
        let inverse_length = 1.0 / e.length();
        let t = e * inverse_length;
        Edge { t, inverse_length, m1: turned(t, director_at(frames, j, t), q[4 * j + 3]) }
    }

    /// m = θ_f − θ_e + m_ref at vertex i, for frames that were transported to `q`.
    pub(super) fn twist(&self, q: &[f64], frames: &[f64], i: usize) -> f64 {
        let [before, behind] = self.around(i);
        let seam = if i == 0 { self.seam_twist } else { 0.0 };
        q[4 * behind + 3] - q[4 * before + 3] + seam + reference_twist(frames, i)
    }
}
