//! Load of a constraint as a share of its strength.
//!
//! Redundant constraints share a force arbitrarily. Those of the same objects at the same point therefore
//! count as one: |Σ f| is compared with the sum of their strengths, and moments likewise.

use crate::constraint::{ENDS, Force, Law, Rows, Site};
use crate::world::{State, Structure};
use glam::DVec3;

/// Largest distance of two constraints that count as being at one point: as a share of the distance from the
/// origin, and in m.
const SAME_POINT: [f64; 2] = [1e-6, 1e-6];

/// A constraint that may break, in a state.
struct Loaded<'a> {
    law: &'a Law,
    /// Objects at its ends.
    objects: [Option<usize>; ENDS],
    x: DVec3,
    /// Force and moment of its rows on its first object.
    force: Force,
}

impl Structure {
    /// Load of constraint k as a share of its strength; 0 if it is open or without a limit.
    pub(crate) fn load_of(&self, k: usize, state: &State) -> f64 {
        let (law, memory) = (&self.constraints[k].law, &state.constraints[k]);
        if memory.open {
            return 0.0;
        }
        let own = law.load(&memory.multipliers);
        if !law.may_give() || state.constraints.iter().all(|memory| !memory.redundant) {
            return own;
        }
        let Some(first) = self.under_load(k, state) else { return own };
        let (mut sum, mut most, mut redundant) = (Force::default(), [0.0; 2], false);
        for (j, memory) in state.constraints.iter().enumerate() {
            let Some(other) = self.under_load(j, state) else { continue };
            let [a, b] = other.objects;
            let way = if other.objects == first.objects {
                1.0
            } else if [b, a] == first.objects {
                -1.0
            } else {
                continue;
            };
            if other.x.distance(first.x) > SAME_POINT[1].max(SAME_POINT[0] * first.x.length()) {
                continue;
            }
            sum.force += other.force.force * way;
            sum.moment += other.force.moment * way;
            most = std::array::from_fn(|i| most[i] + other.law.capacity()[i]);
            redundant |= memory.redundant;
        }
        if !redundant {
            return own;
        }
        let share = |amount: f64, most: f64| if amount > 0.0 { amount / most } else { 0.0 };
        share(sum.force.length(), most[0]).max(share(sum.moment.length(), most[1]))
    }

    /// Constraint k, if it is of a kind that breaks and still holds.
    fn under_load(&self, k: usize, state: &State) -> Option<Loaded<'_>> {
        let (constraint, memory) = (&self.constraints[k], &state.constraints[k]);
        if memory.open || memory.duplicate_of.is_some() {
            return None;
        }
        let mut rows = Rows::default();
        let sites: [Site; ENDS] = constraint.find_sites(self.poses(state), memory, state.time);
        let law = &constraint.law;
        law.linearise(&sites, memory, state.time, &mut rows);
        let force = law.held_force(&rows, &memory.multipliers, &sites[0])?;
        Some(Loaded { law, objects: constraint.ends.map(|end| end.object(memory)), x: sites[0].x, force })
    }
}
