//! Topology of a rod: its centre line as a polygon, its twist and its writhe.
//!
//! While the ends of a rod do not turn, the sum of its twist and writhe is constant, Tw + Wr = Lk. If the rod
//! passes through itself, the sum jumps by two turns.

use super::{Rod, Section};
use crate::geometry::rotation::transport;
use crate::geometry::topology::{self, Beyond};
use crate::object::Own;
use glam::DVec3;
use std::f64::consts::TAU;

/// Number of parts of a segment of a smooth rod. The errors of twist and writhe fall with its square. An edge
/// of a discrete rod is one part, and then the sum of both is exact.
const PARTS: usize = 4;

impl Rod {
    /// Sections from the start of the rod to its end; those of a discrete rod at its vertices.
    fn along(&self, own: Own<'_>) -> Vec<Section> {
        let parts = if matches!(self, Self::Discrete(_)) { 1 } else { PARTS };
        let section = |e: usize, f: f64| self.section(own.q, own.frames, e, self.on_rod(e, f));
        let mut all: Vec<Section> = (0..self.segments())
            .flat_map(|e| (0..parts).map(move |k| (e, k as f64 / parts as f64)))
            .map(|(e, f)| section(e, f))
            .collect();
        all.push(section(self.segments() - 1, 1.0));
        all
    }

    /// Its centre line as a polygon; a ring does not repeat its first point.
    pub(crate) fn polygon(&self, own: Own<'_>) -> Vec<DVec3> {
        let mut points: Vec<DVec3> = self.along(own).iter().map(|section| section.position).collect();
        if self.is_closed() {
            points.pop();
        }
        points
    }

    /// Twist of its matter about its centre line, in turns; a segment must have less than half a turn.
    pub(crate) fn total_twist(&self, own: Own<'_>) -> f64 {
        let between = |ends: &[Section]| {
            let [a, b] = [&ends[0], &ends[1]];
            let carried = transport(a.tangent, b.tangent, a.director);
            libm::atan2(carried.cross(b.director).dot(b.tangent), carried.dot(b.director))
        };
        self.along(own).windows(2).map(between).sum::<f64>() / TAU
    }

    /// Writhe of its centre line, in turns; an open rod is continued straight at both ends.
    pub(crate) fn writhe(&self, own: Own<'_>) -> f64 {
        if self.is_closed() {
            return topology::writhe(&self.polygon(own), Beyond::Closed);
        }
        let all = self.along(own);
        let points: Vec<DVec3> = all.iter().map(|section| section.position).collect();
        let [first, last] = [0, all.len() - 1].map(|k| all[k].tangent);
        topology::writhe(&points, Beyond::Straight([-first, last]))
    }
}
