//! Floating: what nothing holds has no equilibrium under a force, and a search for it would only carry it away.
//!
//! Objects that constraints or springs join are one part. A part without a hold in the world is in equilibrium only if all
//! forces on it add up to nothing. Those within rods do so by themselves, and would only hide the sum in their rounding.

use super::linearise_objects::outer_force;
use crate::constraint::{Constraint, ConstraintState, End, Law};
use crate::load::SpringLaw;
use crate::rod::Place;
use crate::state::State;
use crate::world::Structure;
use glam::DVec3;

/// Sum of forces, as a share of the sum of their sizes, that is more than rounding.
const ROUNDING: f64 = 1e-9;

/// Parts of a structure: each object knows another one of its part, the first one of them itself.
struct Parts {
    other: Vec<usize>,
    held: Vec<bool>,
}

impl Parts {
    fn first(&self, mut object: usize) -> usize {
        while self.other[object] != object {
            object = self.other[object];
        }
        object
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.held[a.min(b)] |= self.held[a.max(b)];
        self.other[a.max(b)] = a.min(b);
    }

    fn hold(&mut self, object: usize) {
        let first = self.first(object);
        self.held[first] = true;
    }
}

/// The first object of a part that forces carry away, because nothing holds it.
pub(super) fn floating(structure: &Structure, state: &State, time: f64, force: &mut [f64]) -> Option<usize> {
    let count = structure.objects.len();
    let mut parts = Parts { other: (0..count).collect(), held: vec![false; count] };
    let object_of = |place: &Place| {
        let node = place.nodes[0] as usize;
        structure.objects.partition_point(|object| object.first <= node).checked_sub(1)
    };
    for (constraint, memory) in structure.constraints.iter().zip(&state.constraints) {
        match ends(constraint, memory, &object_of) {
            [Some(a), Some(b)] => parts.join(a, b),
            [Some(a), None] if holds_in_the_world(constraint) => parts.hold(a),
            _ => {}
        }
        if let (Law::Clip(jaws), false) = (&constraint.law, memory.clip.open)
            && jaws.width > 0.0
        {
            parts.hold(memory.clip.rod);
        }
    }
    for spring in &structure.springs {
        match spring.ends.each_ref().map(|end| end.place().and_then(object_of)) {
            [Some(a), Some(b)] => parts.join(a, b),
            [Some(a), None] | [None, Some(a)] if matches!(spring.law, SpringLaw::Linear { .. }) => parts.hold(a),
            _ => {}
        }
    }
    if (0..count).all(|object| parts.held[parts.first(object)]) {
        return None;
    }
    outer_force(structure, state, time, force);
    let mut sums = vec![(DVec3::ZERO, 0.0); count];
    for (k, object) in structure.objects.iter().enumerate() {
        let (sum, size) = &mut sums[parts.first(k)];
        for f in force[object.unknowns()].chunks_exact(4) {
            let f = DVec3::new(f[0], f[1], f[2]);
            *sum += f;
            *size += f.length();
        }
    }
    (0..count).find(|&k| parts.other[k] == k && !parts.held[k] && sums[k].0.length() > ROUNDING * sums[k].1)
}

/// The objects at the ends of a constraint as it is now.
fn ends(constraint: &Constraint, memory: &ConstraintState, object_of: &impl Fn(&Place) -> Option<usize>) -> [Option<usize>; 2] {
    constraint.ends.map(|end| match end {
        End::World => None,
        End::Clipped { .. } if memory.clip.open => None,
        End::Clipped { .. } => Some(memory.clip.rod),
        End::Fixed { place, .. } => object_of(&place),
        End::Sliding { object } => Some(object),
    })
}

/// Whether a constraint that ends in the world keeps its object from going anywhere: directions and pearls don't.
fn holds_in_the_world(constraint: &Constraint) -> bool {
    !matches!(constraint.law, Law::Tangent(_) | Law::Roll(_) | Law::Pearl(_))
}
