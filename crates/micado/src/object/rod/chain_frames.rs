//! Reference directors along a chain of tangents, transported in time without spin, and the reference twist
//! between neighbours.
//!
//! ```text
//! d₁ ← P(t̄→t) d₁                                          the smallest rotation
//! m_ref ← m_ref + angle from Rot(t, m_ref) P(t₋→t) d₁₋ to d₁   about t: whole turns are kept
//! ```
//!
//! Links are numbered along the chain; joint j lies before link j, joint 0 only in a closed chain.

use crate::geometry::rotation::{angle_about, any_normal, orthonormal_to, transport};
use glam::DVec3;

/// Numbers stored per link: tangent, director d₁, and the reference twist at the joint before it.
pub(super) const KEPT: usize = 7;

/// A chain of links with a tangent each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chain {
    pub(super) links: usize,
    pub(super) closed: bool,
}

/// The tangent of a frame.
pub(super) fn tangent(frames: &[f64], j: usize) -> DVec3 {
    DVec3::from_slice(&frames[KEPT * j..])
}

/// The reference director of link j.
pub(super) fn director(frames: &[f64], j: usize) -> DVec3 {
    DVec3::from_slice(&frames[KEPT * j + 3..])
}

/// The reference director of link j, transported to the tangent t. Committed frames need no transport.
pub(super) fn director_at(frames: &[f64], j: usize, t: DVec3) -> DVec3 {
    let (before, director) = (tangent(frames, j), director(frames, j));
    if t == before { director } else { orthonormal_to(t, transport(before, t, director)) }
}

/// The reference twist at joint j.
pub(super) fn reference_twist(frames: &[f64], j: usize) -> f64 {
    frames[KEPT * j + 6]
}

/// Sets tangent and director of link j.
pub(super) fn put_frame(frames: &mut [f64], j: usize, t: DVec3, d1: DVec3) {
    t.write_to_slice(&mut frames[KEPT * j..]);
    d1.write_to_slice(&mut frames[KEPT * j + 3..]);
}

/// Sets the reference twist at joint j.
pub(super) fn set_twist(frames: &mut [f64], j: usize, twist: f64) {
    frames[KEPT * j + 6] = twist;
}

/// a turned about t by an angle.
pub(super) fn turned(t: DVec3, a: DVec3, angle: f64) -> DVec3 {
    let (sin, cos) = libm::sincos(angle);
    a * cos + t.cross(a) * sin
}

impl Chain {
    /// Joints between two links.
    pub(super) fn joints(self) -> std::ops::Range<usize> {
        usize::from(!self.closed)..self.links
    }

    /// The links before and after a joint.
    pub(super) fn around(self, joint: usize) -> [usize; 2] {
        [if joint == 0 { self.links - 1 } else { joint - 1 }, joint]
    }

    /// Angle about the tangent after a joint from the frame before it, transported and turned by its
    /// reference twist, to the frame after it.
    fn misfit(self, frames: &[f64], joint: usize) -> f64 {
        let [before, behind] = self.around(joint);
        let t = tangent(frames, behind);
        let transported = transport(tangent(frames, before), t, director(frames, before));
        angle_about(t, turned(t, transported, reference_twist(frames, joint)), director(frames, behind))
    }

    /// Largest difference between a stored reference twist and the angle between its two frames, modulo whole
    /// turns, rad.
    pub(super) fn reference_twist_error(self, frames: &[f64]) -> f64 {
        self.joints().map(|joint| self.misfit(frames, joint).abs()).fold(0.0, f64::max)
    }

    /// Transports all frames, from `from` where given, to the unit tangents. Returns the least cosine between
    /// an old tangent and a new one: −1 would be undefined.
    pub(super) fn transport(
        self,
        unit: impl Fn(usize) -> DVec3,
        from: Option<&[f64]>,
        frames: &mut [f64],
    ) -> f64 {
        if let Some(from) = from {
            frames.copy_from_slice(from);
        }
        let mut least = 1.0_f64;
        for j in 0..self.links {
            let t = unit(j);
            let cosine = tangent(frames, j).dot(t);
            least = if cosine.is_nan() { f64::NEG_INFINITY } else { least.min(cosine) };
            let d1 = director_at(frames, j, t);
            put_frame(frames, j, t, d1);
        }
        self.count_reference_twist(frames);
        least
    }

    /// Updates the reference twists for the present frames.
    pub(super) fn count_reference_twist(self, frames: &mut [f64]) {
        for joint in self.joints() {
            let misfit = self.misfit(frames, joint);
            frames[KEPT * joint + 6] += misfit;
        }
    }

    /// Frames by parallel transport along the chain, d₁ as near to `up` as the first tangent allows. In a
    /// closed chain the holonomy is distributed evenly over the joints.
    pub(super) fn frames(self, unit: impl Fn(usize) -> DVec3, up: Option<DVec3>) -> Vec<f64> {
        let mut frames = vec![0.0; KEPT * self.links];
        let mut t = unit(0);
        let mut d1 = any_normal(t, up.unwrap_or(DVec3::Z));
        for j in 0..self.links {
            let next = unit(j);
            d1 = orthonormal_to(next, transport(t, next, d1));
            t = next;
            put_frame(&mut frames, j, t, d1);
        }
        if self.closed {
            let (first, n) = (tangent(&frames, 0), self.links as f64);
            let missed = angle_about(first, director(&frames, 0), transport(t, first, d1));
            for j in 0..self.links {
                let t = tangent(&frames, j);
                let d1 = turned(t, director(&frames, j), -missed * j as f64 / n);
                put_frame(&mut frames, j, t, d1);
                frames[KEPT * j + 6] = -missed / n;
            }
            self.count_reference_twist(&mut frames);
        }
        frames
    }
}
