//! Prediction: a step with `solves = "auto"` is linearised where it will probably end, at x + h v.
//!
//! One linearised solve from x leaves an edge that turns too long, and lets a rod pass an eye along the
//! tangent at the start of the step. From x + h v, only the change of velocity causes these errors. A linear
//! problem has the same result from any state.

use super::commit::transport_object_frames;
use super::dynamic::Substep;
use super::{Workspace, largest_displacement, params, rotation};
use crate::constraint::Constraint;
use crate::object::Place;
use crate::world::{State, Structure, sliding};
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
            // Scalar arithmetic: few passes are repeated, so speed does not matter.
            object.model().predicted_stretches(own, led, carried, Arithmetic::Portable);
        }
    }

    /// Whether loads or springs read the frames of objects.
    fn needs_frames(&self) -> bool {
        let Structure { loads, springs, .. } = &self.world.structure;
        let places = springs.iter().flat_map(|spring| spring.ends.iter().filter_map(|end| end.place()));
        places.chain(loads.iter().filter_map(|load| load.law.place())).any(Place::needs_frame)
    }

    /// Whether the prediction would move a point past another one that a constraint keeps at a distance: the
    /// direction of the push would turn too far, or reverse.
    fn passes_by(&self, start: &State, ahead: &State, farthest: f64) -> bool {
        let structure = &self.world.structure;
        // If both points move by less than a quarter of their distance, its direction turns by less than 30°.
        let is_near = |k: usize, constraint: &Constraint| {
            let points = constraint.points(structure.poses(start), &start.constraints[k], start.time);
            points.is_none_or(|[a, b]| 4.0 * farthest > a.distance(b)) || constraint.law.moves()
        };
        let constraints = structure.constraints.iter().enumerate();
        let away = |k: usize, state: &State, time: f64| {
            let [a, b] =
                structure.constraints[k].find_sites(structure.poses(state), &state.constraints[k], time);
            (a.x - b.x).normalize_or_zero()
        };
        constraints
            .filter(|(k, constraint)| constraint.law.keeps_away() && is_near(*k, constraint))
            .any(|(k, _)| away(k, start, start.time).dot(away(k, ahead, self.end)) < params::PREDICTED_COSINE)
    }

    /// Moves the trial state ahead, to x ⊕ h v. Returns the largest displacement, or `None` if a rod would
    /// turn too far, an end would slide too far, or a point would pass another one.
    pub(super) fn predict(&self, workspace: &mut Workspace) -> Option<f64> {
        let structure = &self.world.structure;
        let Workspace { system, start, trial, increment, needs_frames, spins, .. } = workspace;
        let start = self.start(start);
        increment.iter_mut().zip(&start.v).for_each(|(d, v)| *d = self.h * v);
        rotation::turn_freely(spins, increment);
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
            if !sliding::windows_hold(structure, trial) {
                return None;
            }
        }
        let farthest = largest_displacement(structure, increment);
        if self.passes_by(start, trial, farthest) {
            return None;
        }
        // Frames of constraints, of springs and of most rods are transported where they are used.
        let arithmetic = self.params.arithmetic.into();
        *needs_frames = self.needs_frames();
        let least = transport_object_frames(structure, arithmetic, Some(start), trial, |object| {
            *needs_frames || !object.model().transports_frames(arithmetic)
        });
        (least >= params::PREDICTED_COSINE).then_some(farthest)
    }
}
