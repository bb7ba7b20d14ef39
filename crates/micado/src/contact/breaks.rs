//! Constraints that break: a joint, fusion or distance that is loaded beyond its strength opens at the end of
//! the step.

use super::{ContactSource, Deed, HoldEvent};
use crate::constraint::{Broke, Gave};
use crate::world::{State, World};

/// The source that opens overloaded constraints.
#[derive(Clone, Debug, Default)]
pub(super) struct Breaks;

impl ContactSource for Breaks {
    fn settle(world: &mut World, broken: &[Broke], _: Option<&State>, events: &mut Vec<HoldEvent>) {
        for k in 0..world.structure.constraints.len() {
            let constraint = &world.structure.constraints[k];
            if !constraint.law.may_break() {
                continue;
            }
            if let Ok(found) = broken.binary_search_by_key(&k, |broke| broke.constraint) {
                let object = constraint.ends[0].object(&world.state.constraints[k]).unwrap_or_default();
                let deed = Deed::Broke(broken[found]);
                events.push(HoldEvent { constraint: k, object, place: f64::NAN, deed });
                let gave = world.present_force(k);
                let memory = &mut world.state.constraints[k];
                (memory.open, memory.stiff, memory.redundant) = (true, false, false);
                memory.multipliers = Default::default();
                memory.pushes.clear();
                world.record_opening(k, gave);
            } else if world.state.constraints[k].open && !events.iter().any(|event| event.constraint == k) {
                world.record_opening(k, Gave::default());
            }
        }
    }
}

impl World {
    /// Records the force and moment of a constraint when it opened.
    pub(super) fn record_opening(&mut self, index: usize, gave: Gave) {
        let memory = &mut self.state.constraints[index].gave;
        if gave == Gave::default() { memory.clear() } else { **memory = gave }
    }
}
