//! Contacts that a substep missed, because objects were struck in it and moved farther than expected.
//!
//! The substep is then solved again with more contacts, see `contact/surfaces/farther.rs`. If objects of
//! different islands may have met, the step is made again with these in one island.

use super::dynamic::Substep;
use super::{Stage, StepReport, Timer, Workspace, largest_displacement_of};
use crate::world::Structure;

impl Substep<'_> {
    /// Whether objects moved so far that they may have met unseen, and there are more contacts.
    pub(super) fn look_farther(
        &self,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> bool {
        let structure = &self.world.structure;
        if !structure.touching.is_on() {
            return false;
        }
        timer.end(Stage::Commit, report);
        let Workspace { system, start, moved, .. } = workspace;
        let system = system.as_mut().expect("the unknowns are ordered");
        let more = system.sources.look_farther(structure, self.start(start), self.h, moved);
        timer.end(Stage::DetectContacts, report);
        more
    }
}

/// Adds the largest displacement of each object in an increment to `moved`, m.
pub(super) fn add_motion(structure: &Structure, increment: &[f64], moved: &mut Vec<f64>) {
    moved.resize(structure.objects.len(), 0.0);
    for (sum, object) in moved.iter_mut().zip(&structure.objects) {
        *sum += largest_displacement_of(object, increment);
    }
}
