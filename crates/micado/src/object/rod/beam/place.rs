//! Places on a beam: on the cubic between two nodes.

use super::BeamRod;
use crate::geometry::basis::SegmentBasis;
use crate::object::Place;
use crate::object::rod::even::Even;

impl BeamRod {
    fn even(&self) -> Even {
        Even { segment: self.element_length, count: self.segments(), closed: self.closed }
    }

    /// Rest arc length at coordinate `f` of element `e`, m.
    pub fn arc_at(&self, e: usize, f: f64) -> f64 {
        self.even().arc_at(e, f)
    }

    /// Rest length per unit of the coordinate, m.
    pub(crate) fn rest_metric(&self) -> f64 {
        self.element_length
    }

    /// Element and coordinate within it at rest arc length `s`.
    pub fn locate(&self, s: f64) -> (usize, f64) {
        self.even().locate(s)
    }

    /// Element and coordinate within it at parameter `u`, in elements.
    pub(crate) fn segment_at(&self, u: f64) -> (usize, f64) {
        self.even().segment_at(u)
    }

    /// The place at coordinate `fraction` of element `segment`.
    pub(crate) fn place_in(&self, segment: usize, fraction: f64) -> Place {
        let beyond_seam = self.closed && segment + 1 == self.segments();
        let nodes = std::array::from_fn(|k| self.node(segment, k) as u32);
        let (roll, seam) = ([1.0 - fraction, 0.0, fraction, 0.0], fraction * self.seam_twist);
        let roll = (roll, if beyond_seam { seam } else { 0.0 });
        Place::on_curve(nodes, SegmentBasis::HERMITE.weights(fraction), roll, segment, fraction)
    }

    /// The sliding place at parameter `u`.
    pub(crate) fn place_at(&self, u: f64) -> Place {
        let (segment, fraction) = self.segment_at(u);
        self.place_in(segment, fraction)
    }
}
