//! Joints that break: a joint that is loaded beyond its strength opens at the end of the step.

use super::{ContactSource, Deed, HoldEvent};
use crate::constraint::{Broke, Gave, KindMemory, Law};
use crate::world::{State, World};

/// The source that opens joints.
#[derive(Clone, Debug, Default)]
pub(super) struct JointBreaks;

impl ContactSource for JointBreaks {
    fn settle(world: &mut World, broken: &[Broke], _: Option<&State>, events: &mut Vec<HoldEvent>) {
        for k in 0..world.structure.constraints.len() {
            let constraint = &world.structure.constraints[k];
            let Law::Joint(_) = constraint.law else { continue };
            if let Ok(found) = broken.binary_search_by_key(&k, |broke| broke.constraint) {
                let object = constraint.ends[0].object(&world.state.constraints[k]).unwrap_or_default();
                let deed = Deed::Broke(broken[found]);
                events.push(HoldEvent { constraint: k, object, place: f64::NAN, deed });
                let gave = world.present_force(k);
                let memory = &mut world.state.constraints[k];
                (memory.open, memory.stiff, memory.redundant) = (true, false, false);
                (memory.multipliers, memory.pushes) = Default::default();
                world.record_opening(k, gave);
            } else if world.state.constraints[k].open && !events.iter().any(|event| event.constraint == k) {
                world.record_opening(k, Gave::default());
            }
        }
    }
}

impl World {
    /// Records the force and moment of a joint or clip when it opened.
    pub(super) fn record_opening(&mut self, index: usize, gave: Gave) {
        match &mut self.state.constraints[index].kind {
            KindMemory::Clip(clip) => clip.gave = gave,
            KindMemory::Joint(joint) => joint.gave = gave,
            KindMemory::None | KindMemory::Custom(_) => {}
        }
    }
}
