//! Floating: what nothing holds has no equilibrium under a force, and a search for it would only carry it
//! away.
//!
//! An island without a hold in the world is in equilibrium only if all forces on it add up to nothing. Those
//! within rods do so by themselves, and would only hide the sum in their rounding.

use super::linearise_objects::outer_force;
use crate::world::State;
use crate::world::Structure;
use crate::world::islands::Islands;
use glam::DVec3;

/// Sum of forces, as a share of the sum of their sizes, that is more than rounding.
const ROUNDING: f64 = 1e-9;

/// The first object of an island that forces carry away, because nothing holds it.
pub(super) fn floating(structure: &Structure, state: &State, time: f64, force: &mut [f64]) -> Option<usize> {
    let mut islands = Islands::default();
    islands.find(structure, state);
    let count = structure.objects.len();
    if (0..count).all(|object| islands.is_held(object)) {
        return None;
    }
    outer_force(structure, state, time, force);
    let mut sums = vec![(DVec3::ZERO, 0.0); count];
    for (k, object) in structure.objects.iter().enumerate() {
        let (sum, size) = &mut sums[islands.first(k)];
        for f in force[object.unknowns()].chunks_exact(4) {
            let f = DVec3::new(f[0], f[1], f[2]);
            *sum += f;
            *size += f.length();
        }
    }
    islands.firsts().find(|&k| !islands.is_held(k) && sums[k].0.length() > ROUNDING * sums[k].1)
}
