//! Reference directors of the edges, carried in time without spin, and the reference twist between neighbours.
//!
//! ```text
//! d₁ ← P(t̄→t) d₁                                          the smallest rotation
//! m_ref ← m_ref + angle from Rot(t, m_ref) P(t₋→t) d₁₋ to d₁   about t: whole turns are kept
//! ```

use super::DiscreteRod;
use super::vertex::Edge;
use crate::geometry::rotation::{angle_about, any_normal, orthonormal_to, transport};
use glam::DVec3;

/// What is kept of an edge: its tangent, its director d₁, and the reference twist at the vertex before it.
pub(super) const KEPT: usize = 7;

/// The tangent that a frame was carried to.
fn tangent(frames: &[f64], j: usize) -> DVec3 {
    DVec3::from_slice(&frames[KEPT * j..])
}

/// The reference director of edge j.
pub(super) fn director(frames: &[f64], j: usize) -> DVec3 {
    DVec3::from_slice(&frames[KEPT * j + 3..])
}

/// The reference twist at vertex i.
pub(super) fn reference_twist(frames: &[f64], i: usize) -> f64 {
    frames[KEPT * i + 6]
}

fn keep(frames: &mut [f64], j: usize, t: DVec3, d1: DVec3) {
    t.write_to_slice(&mut frames[KEPT * j..]);
    d1.write_to_slice(&mut frames[KEPT * j + 3..]);
}

/// a turned about t by an angle.
fn turned(t: DVec3, a: DVec3, angle: f64) -> DVec3 {
    let (sin, cos) = libm::sincos(angle);
    a * cos + t.cross(a) * sin
}

impl DiscreteRod {
    /// Carries all frames from the tangents they were made for to those of the positions `q`. Returns the least cosine
    /// between an old and a new tangent: −1 would be undefined.
    pub fn transport_frames(&self, q: &[f64], frames: &mut [f64]) -> f64 {
        self.transport_frames_from(q, None, frames)
    }

    /// Largest difference between a kept reference twist and the angle between its two frames, whole turns apart, rad.
    pub fn reference_twist_error(&self, frames: &[f64]) -> f64 {
        let error = |i: usize| {
            let [before, behind] = self.around(i);
            let t = tangent(frames, behind);
            let carried = transport(tangent(frames, before), t, director(frames, before));
            angle_about(t, turned(t, carried, reference_twist(frames, i)), director(frames, behind)).abs()
        };
        self.bent().map(error).fold(0.0, f64::max)
    }

    /// Carries all frames, from `from` where given, to the edges of `q`. Returns the least cosine between an old tangent and a new one.
    pub(crate) fn transport_frames_from(&self, q: &[f64], from: Option<&[f64]>, frames: &mut [f64]) -> f64 {
        if let Some(from) = from {
            frames.copy_from_slice(from);
        }
        let mut least = 1.0_f64;
        for j in 0..self.segments() {
            let e = self.edge(q, j);
            let (before, t) = (tangent(frames, j), e / e.length());
            let cosine = before.dot(t);
            least = if cosine.is_nan() { f64::NEG_INFINITY } else { least.min(cosine) };
            let d1 = orthonormal_to(t, transport(before, t, director(frames, j)));
            keep(frames, j, t, d1);
        }
        self.count_reference_twist(frames);
        least
    }

    /// Brings the reference twists to the present frames.
    fn count_reference_twist(&self, frames: &mut [f64]) {
        for i in self.bent() {
            let [before, behind] = self.around(i);
            let t = tangent(frames, behind);
            let carried = transport(tangent(frames, before), t, director(frames, before));
            let known = reference_twist(frames, i);
            frames[KEPT * i + 6] = known + angle_about(t, turned(t, carried, known), director(frames, behind));
        }
    }

    /// Frames of the positions `q` by parallel transport along the rod, d₁ as near to `up` as the first tangent allows. In a
    /// closed rod, what transport round the loop misses is spread evenly over the vertices.
    pub(super) fn make_frames(&self, q: &[f64], up: Option<DVec3>) -> Vec<f64> {
        let mut frames = vec![0.0; KEPT * self.nodes()];
        let unit = |j: usize| self.edge(q, j).normalize();
        let mut t = unit(0);
        let mut d1 = any_normal(t, up.unwrap_or(DVec3::Z));
        for j in 0..self.segments() {
            let next = unit(j);
            d1 = orthonormal_to(next, transport(t, next, d1));
            t = next;
            keep(&mut frames, j, t, d1);
        }
        if self.closed {
            let (first, n) = (tangent(&frames, 0), self.segments() as f64);
            let missed = angle_about(first, director(&frames, 0), transport(t, first, d1));
            for j in 0..self.segments() {
                let t = tangent(&frames, j);
                let d1 = turned(t, director(&frames, j), -missed * j as f64 / n);
                keep(&mut frames, j, t, d1);
                frames[KEPT * j + 6] = -missed / n;
            }
            self.count_reference_twist(&mut frames);
        }
        frames
    }

    /// Edge j as its vertices see it.
    pub(super) fn seen(&self, q: &[f64], frames: &[f64], j: usize) -> Edge {
        let e = self.edge(q, j);
        let inverse_length = 1.0 / e.length();
        let t = e * inverse_length;
        let before = tangent(frames, j);
        // Committed frames are where they belong, up to rounding.
        let d1 = orthonormal_to(t, transport(before, t, director(frames, j)));
        Edge { t, inverse_length, m1: turned(t, d1, q[4 * j + 3]) }
    }

    /// m = θ_f − θ_e + m_ref at vertex i, in frames that were carried to `q`.
    pub(super) fn twist(&self, q: &[f64], frames: &[f64], i: usize) -> f64 {
        let [before, behind] = self.around(i);
        let seam = if i == 0 { self.seam_twist } else { 0.0 };
        q[4 * behind + 3] - q[4 * before + 3] + seam + reference_twist(frames, i)
    }
}
