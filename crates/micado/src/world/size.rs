//! The size of a structure: the scale of tolerances.

use super::World;
use crate::object::Scalar;
use glam::DVec3;

/// Largest distance of masses, m, that is ignored in the size of a structure.
const LEAST_SPREAD: f64 = 1e-3;

impl World {
    /// Size of the structure, m: the scale of tolerances. The longest rod; without rods, the extent of masses
    /// and their targets.
    pub(crate) fn size(&self) -> f64 {
        let longest = self.structure.objects.iter().filter_map(|o| o.model().extent()).fold(0.0, f64::max);
        if longest > 0.0 {
            return longest;
        }
        let (mut low, mut high) = (DVec3::MAX, DVec3::MIN);
        let targets = self.structure.constraints.iter().filter_map(|c| c.law.centre(self.state.time));
        let positions = self.structure.objects.iter().flat_map(|object| {
            let nodes = self.state.q[object.unknowns()].chunks_exact(4).zip(object.scalars());
            nodes.filter(|(_, scalars)| scalars[0] == Scalar::Position).map(|(q, _)| DVec3::from_slice(q))
        });
        for x in positions.chain(targets) {
            (low, high) = (low.min(x), high.max(x));
        }
        // A single mass at its target has no extent.
        let spread = low.distance(high);
        if spread > LEAST_SPREAD && spread.is_finite() { spread } else { 1.0 }
    }
}
