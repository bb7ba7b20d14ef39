//! Prediction: a step with `solves = "auto"` is linearised where it will probably end, at x + h v.
//!
//! One linearised solve from x leaves an edge that turns too long, and lets a rod pass an eye along the
//! tangent at the start of the step. From x + h v, only the change of velocity causes these errors. A linear
//! problem has the same result from any state.

use super::commit::transport_frames;
use super::dynamic::Substep;
use super::{Workspace, largest_displacement, params};
use crate::world::sliding;
use micado_linalg::Arithmetic;

impl Substep<'_> {
    /// Stores the stretches at the beginning, whose tension the first pass uses. Returns whether the step may
    /// begin at a prediction: only if no object is quasi-static.
    pub(super) fn carry_stretches(&self, workspace: &mut Workspace) -> bool {
        let Workspace { start, carried, still, .. } = workspace;
        let (state, arithmetic) = (self.start(start), self.params.arithmetic.into());
        for (object, carried) in self.world.structure.objects.iter().zip(carried) {
            object.model().stretches(object.own(&state.q, &state.frames), carried, arithmetic);
        }
        still.is_empty()
    }

    /// Stores the stretches that the last pass has solved for.
    pub(super) fn carry_increments(&self, workspace: &mut Workspace) {
        let Workspace { system, trial, carried, .. } = workspace;
        let Some(system) = system else { return };
        for (object, carried) in self.world.structure.objects.iter().zip(carried) {
            let (own, led) = (object.own(&trial.q, &trial.frames), &system.increment()[object.unknowns()]);
            // Scalar: few passes are repeated.
            object.model().predicted_stretches(own, led, carried, Arithmetic::Portable);
        }
    }

    /// Moves the trial state ahead, to x ⊕ h v. Returns the largest displacement, or `None` if a rod would
    /// turn too far, or something slide too far, for a prediction.
    pub(super) fn predict(&self, workspace: &mut Workspace) -> Option<f64> {
        let structure = &self.world.structure;
        let Workspace { system, start, trial, increment, .. } = workspace;
        let start = self.start(start);
        increment.iter_mut().zip(&start.v).for_each(|(d, v)| *d = self.h * v);
        trial.constraints.clone_from(&start.constraints);
        trial.springs.clone_from(&start.springs);
        trial.spooled.clone_from(&start.spooled);
        trial.contacts.copy_from(&start.contacts);
        trial.q.resize(start.q.len(), 0.0);
        trial.frames.resize(start.frames.len(), 0.0);
        for object in &structure.objects {
            let own = object.unknowns();
            let from = Some(&start.q[own.clone()]);
            object.model().advance(from, &increment[own.clone()], 1.0, &mut trial.q[own]);
        }
        if let Some(system) = system.as_ref().filter(|system| system.slides) {
            sliding::predict(structure, self.h, &system.struck, trial);
            sliding::set_displacements(structure, start, trial);
            if !sliding::windows_hold(structure, trial) {
                return None;
            }
        }
        let least = transport_frames(structure, self.params.arithmetic.into(), Some(start), trial);
        (least >= params::PREDICTED_COSINE).then(|| largest_displacement(structure, increment))
    }
}
