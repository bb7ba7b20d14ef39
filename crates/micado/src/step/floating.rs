//! Floating: a free island under a force has no equilibrium; a search for it would only move it away.
//!
//! An island that is not held in the world is in equilibrium only if all forces on it add up to zero.
//! Internal forces of rods always do, and would only add rounding.

use super::linearise_objects::outer_force;
use crate::world::islands::Islands;
use crate::world::{State, Structure, World};
use glam::DVec3;

/// Sum of forces, as a share of the sum of their magnitudes, that is more than rounding.
const ROUNDING: f64 = 1e-9;

impl World {
    /// Name of an object that nothing holds against the forces on it now, so that it has no equilibrium.
    pub fn floating_object(&self) -> Option<&str> {
        let (structure, state) = (self.structure(), self.state());
        let mut force = vec![0.0; state.q.len()];
        let object = floating(structure, state, state.time, &mut force)?;
        Some(&structure.objects[object].name)
    }
}

/// The first object of a free island under a force.
pub(super) fn floating(structure: &Structure, state: &State, time: f64, force: &mut [f64]) -> Option<usize> {
    let mut islands = Islands::default();
    islands.find(structure, state, &[]);
    let count = structure.objects.len();
    if (0..count).all(|object| islands.is_held(object)) {
        return None;
    }
    outer_force(structure, state, time, force);
    let mut sums = vec![(DVec3::ZERO, 0.0); count];
    for (k, object) in structure.objects.iter().enumerate() {
        let (sum, size) = &mut sums[islands.first(k)];
        let nodes = force[object.unknowns()].chunks_exact(4).zip(object.scalars());
        for (f, _) in nodes.filter(|(_, scalars)| scalars[0].is_length()) {
            let f = DVec3::new(f[0], f[1], f[2]);
            *sum += f;
            *size += f.length();
        }
    }
    islands.firsts().find(|&k| !islands.is_held(k) && sums[k].0.length() > ROUNDING * sums[k].1)
}
