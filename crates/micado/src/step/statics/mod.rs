//! Statics: the equilibrium of the structure at a time.
//!
//! Newton on `∇U − f − Jᵀλ = 0, g = 0` with the exact Hessian and constraint curvature. The inertia of the
//! factor checks each step: with the right number of negative pivots (one per constraint row) it is a descent
//! step. Otherwise a stiffness σS is raised until it does, and lowered again after every good step, so
//! that it vanishes. The term also stabilises structures that only tension or load holds until their
//! multipliers are known. An equilibrium with the wrong inertia is unstable: the search leaves it along its
//! unstable mode. Without `leave_unstable` the search is plain Newton, whatever the inertia.

mod departure;
pub(super) mod holding;
mod increment;
mod residual;
mod search;
pub(super) mod stability;
mod tensions;

use super::Timer;
use super::commit::{remember, worst_miss};
use super::finish_sliding::finish_sliding;
use super::floating::floating;
use super::order::Room;
use super::params::StaticParams;
use super::report::{Stage, StepReport};
use super::workspace::Workspace;
use crate::clock::Clock;
use crate::constraint::Broke;
use crate::contact::{ContactSource as _, Sources};
use crate::world::sliding::{impose_sliding, move_windows};
use crate::world::{Refusal, State, World};
use holding::Holding;
use tensions::TensionScratch;

/// Most updates of the pattern for sliding ends in one search.
const MOST_WINDOWS: usize = 200;
/// Most parts of the motion of winches between two equilibria.
const MOST_SLIDES: f64 = 1e4;
/// Overload at which a constraint yields in an equilibrium; less is within the tolerance.
const OVERLOAD: f64 = 1.0 + 1e-6;

/// Scratch of searches.
#[derive(Clone, Debug, Default)]
pub(super) struct StaticScratch {
    /// The state at the beginning of an iteration.
    base: State,
    /// The first increment.
    first: Vec<f64>,
    holding: Holding,
    balance: [Vec<f64>; 2],
    tensions: TensionScratch,
}

impl World {
    /// Moves the state to the equilibrium at `time`: velocities become zero.
    ///
    /// The report says whether it converged, in how many iterations (`solves`), and whether the state is
    /// stable. A solve that fails leaves the state unchanged (`held`).
    pub fn equilibrate(
        &mut self,
        time: f64,
        params: &StaticParams,
        workspace: &mut Workspace,
        clock: &dyn Clock,
    ) -> StepReport {
        workspace.hold_events.clear();
        if self.structure.touching.is_on() {
            let (refused, time) = (Some(Refusal::NoContact), self.state.time);
            return StepReport { refused, held: true, substeps: 1, time, ..StepReport::default() };
        }
        let split = workspace.splits(self);
        let mut report = if split {
            workspace.force.resize(self.state.q.len(), 0.0);
            // Checked before any island is solved.
            match floating(&self.structure, &self.state, time, &mut workspace.force) {
                Some(object) => {
                    let refused = Some(Refusal::Floats { object });
                    StepReport {
                        refused,
                        held: true,
                        substeps: 1,
                        time: self.state.time,
                        ..StepReport::default()
                    }
                }
                None => self.equilibrate_islands(time, params, workspace, clock),
            }
        } else {
            self.equilibrate_whole(time, params, workspace, clock)
        };
        if !report.held {
            let Workspace { islands, hold_events, .. } = workspace;
            if split {
                report.broke = islands.find_overloaded(self);
                Sources::settle(self, islands.broken(), None, hold_events);
            } else {
                let all = 0..self.structure.constraints.len();
                report.broke = overloaded(self, all).filter(|_| report.converged);
                Sources::settle(self, report.broke.as_slice(), None, hold_events);
            }
            (report.residual, report.worst_constraint) = worst_miss(&self.structure, &self.state, time);
        }
        report
    }

    /// The equilibrium of a world of one island. No constraint opens or catches.
    pub(super) fn equilibrate_whole(
        &mut self,
        time: f64,
        params: &StaticParams,
        workspace: &mut Workspace,
        clock: &dyn Clock,
    ) -> StepReport {
        let mut report = StepReport { substeps: 1, ..StepReport::default() };
        let mut timer = Timer::start(clock);
        if !time.is_finite() {
            (report.held, report.refused, report.time) = (true, Some(Refusal::NoStep), self.state.time);
            return report;
        }
        if !self.structure.winches.is_empty() {
            workspace.before.copy_from(&self.state);
            // Any path to the equilibrium will do: material slides in as many parts as it needs.
            let (parts, hardest) = self.winch_parts(time);
            if parts.is_nan() || parts > MOST_SLIDES {
                let refusal = self.spooled_too_far(hardest, time, MOST_SLIDES);
                (report.held, report.refused, report.time) = (true, Some(refusal), self.state.time);
                return report;
            }
            let start = self.state.time;
            for k in 1..=parts as u32 {
                let at = start + (time - start) * (f64::from(k) / parts);
                report.stopped_winches = self.pay_out(
                    if f64::from(k) == parts { time } else { at },
                    params.arithmetic.into(),
                    &mut workspace.winches,
                );
            }
        }
        if workspace.prepare(self, Room::Pairs) {
            timer.end(Stage::OrderUnknowns, &mut report);
        }
        workspace.trial.copy_from(&self.state);
        impose_sliding(&self.structure, time, &mut workspace.trial);
        let mut outcome = match floating(&self.structure, &workspace.trial, time, &mut workspace.force) {
            Some(object) => Err(Refusal::Floats { object }),
            None => self.search(time, params, workspace, &mut timer, &mut report),
        };
        if outcome == Err(Refusal::SlidTooFar) {
            // If a sliding end has left the pattern, continue from there with a new one.
            let before = self.state.clone();
            for _ in 0..MOST_WINDOWS {
                self.state.copy_from(&workspace.trial);
                move_windows(&self.structure, &mut self.state);
                workspace.prepare(self, Room::Pairs);
                timer.end(Stage::OrderUnknowns, &mut report);
                workspace.trial.copy_from(&self.state);
                outcome = self.search(time, params, workspace, &mut timer, &mut report);
                if outcome != Err(Refusal::SlidTooFar) {
                    break;
                }
            }
            self.state = before;
        }
        match outcome {
            Ok(()) => {
                let Workspace { system, trial, .. } = &mut *workspace;
                if let Some(system) = system {
                    finish_sliding(&self.structure, None, system, trial);
                }
                move_windows(&self.structure, &mut workspace.trial);
                std::mem::swap(&mut self.state, &mut workspace.trial);
                self.state.time = time;
                remember(&self.structure, &mut self.state);
                self.state.v.fill(0.0);
                self.state.restart_history();
            }
            Err(refusal) => {
                report.refused = Some(refusal);
                report.held = true;
                if !self.structure.winches.is_empty() {
                    self.take_back(&workspace.before);
                }
            }
        }
        report.time = self.state.time;
        (report.residual, report.worst_constraint) =
            worst_miss(&self.structure, &self.state, self.state.time);
        report
    }
}

/// Of these constraints, the one with the largest overload in an equilibrium.
pub(super) fn overloaded(world: &World, constraints: impl IntoIterator<Item = usize>) -> Option<Broke> {
    let mut found: Option<Broke> = None;
    for k in constraints {
        let load = world.structure.load_of(k, &world.state);
        if load > OVERLOAD && found.is_none_or(|known| load > known.load) {
            let law = &world.structure.constraints[k].law;
            found = Some(Broke::new(k, load, law, &world.state.constraints[k]));
        }
    }
    found
}
