//! The step: one linear system per island, a few stages.
//!
//! ```text
//! order unknowns → detect contacts → linearise objects → linearise constraints → factor →
//! free motion → build compliance → solve constraints → correct → commit
//!
//! [ A  Jᵀ ] [ Δ  ]   [ b ]      A = c₀ M + c₁ D + K,  λ the force of the constraint on the object
//! [ J  −ε ] [ −λ ] = [ E ]
//! ```
//!
//! `dynamic.rs` has the stages of a substep one below the other; `retry.rs` divides a refused step into
//! substeps; `islands.rs` divides a world. The letter h is used only here.

mod assemble;
mod balance;
mod commit;
mod condense;
#[cfg(test)]
mod curvature_of_ends_tests;
#[cfg(test)]
mod curvature_tests;
mod dual_nodes;
mod dynamic;
mod enough;
mod explicit;
mod farther;
mod finish_sliding;
mod floating;
mod free_motion;
mod inner_rows;
mod integrator;
mod islands;
mod layout;
mod linearise_constraints;
mod linearise_custom;
mod linearise_loads;
mod linearise_objects;
mod linearise_soft_rows;
mod misses;
mod modes;
mod non_smooth;
mod order;
mod params;
mod pattern_key;
mod pool;
mod predict;
mod projection;
mod quasi;
mod report;
mod retry;
mod rotation;
mod seat;
mod share_rows;
mod shocks;
#[cfg(test)]
mod soft_row_tests;
mod statics;
mod timer;
mod weigh;
mod workspace;

pub use crate::constraint::Broke;
pub use crate::world::{Refusal, Spot};
pub(crate) use explicit::MOST_PARTS as MOST_EXPLICIT_PARTS;
pub use layout::Owner;
pub use modes::{Mode, Modes};
pub use order::System;
pub use params::{OVERSTRETCHED, StaticParams, StepParams};
pub use pool::Pool;
pub use quasi::Switch;
pub use report::{Stage, StepReport};
pub use workspace::Workspace;

use crate::clock::Clock;
use crate::constraint::Constraint;
use crate::contact::{ContactSource as _, Sources};
use crate::object::Object;
use crate::object::rod::Tangent;
use crate::scene::{Hessian, Integrator};
use crate::world::{Structure, World};
use timer::Timer;

impl From<crate::scene::Arithmetic> for micado_linalg::Arithmetic {
    fn from(arithmetic: crate::scene::Arithmetic) -> Self {
        match arithmetic {
            crate::scene::Arithmetic::Fast => Self::Fast,
            crate::scene::Arithmetic::Portable => Self::Portable,
        }
    }
}

impl From<Hessian> for Tangent {
    /// The first tangent to try: `auto` begins with the exact one.
    fn from(hessian: Hessian) -> Self {
        match hessian {
            Hessian::GaussNewton => Self::GaussNewton,
            Hessian::Psd => Self::Psd,
            Hessian::Exact | Hessian::Auto => Self::Exact,
        }
    }
}

/// Most parts of a step in which winches move: as many as substeps of a refused one.
const MOST_PARTS: f64 = 64.0;

/// Most tries of a step, each with fewer islands; in the last one, islands that may have met are reported.
const MOST_JOINS: u32 = 8;

impl World {
    /// One dynamic step of `params.step` seconds, in parts where a winch moves too much of a segment.
    ///
    /// A step that fails (not finite, singular, a tangent that turns by more than 90°, a stretch that changes
    /// by more than 20 %, passes that don't settle) is retried in 2, 4, … 64 substeps. If these fail and a
    /// target is missed, constraints approach their targets; if that fails too, the state is left unchanged
    /// and the report says so. Islands are retried separately; if one of them can't be stepped, the whole
    /// world is held.
    pub fn step(&mut self, params: &StepParams, workspace: &mut Workspace, clock: &dyn Clock) -> StepReport {
        workspace.hold_events.clear();
        if self.state.paces.still() > 0 {
            self.end_quasi_statics(params, workspace, clock);
        }
        self.step_on(params, workspace, clock)
    }

    /// Like [`step`](Self::step), but keeps the events of earlier parts.
    fn step_on(&mut self, params: &StepParams, workspace: &mut Workspace, clock: &dyn Clock) -> StepReport {
        let (begin, h) = (self.state.time, params.step);
        if params.integrator == Integrator::Explicit {
            return self.step_explicitly(params, workspace, clock);
        }
        if self.structure.winches.is_empty() || !(h > 0.0 && h.is_finite()) {
            workspace.winches.strains.clear();
            return self.step_at_length(params, workspace, clock);
        }
        let (parts, hardest) = self.winch_parts(begin + h);
        if parts.is_nan() || parts > MOST_PARTS {
            let refused = Some(self.spooled_too_far(hardest, begin + h, MOST_PARTS));
            return StepReport { substeps: 1, held: true, refused, time: begin, ..StepReport::default() };
        }
        workspace.before.copy_from(&self.state);
        let (parts, mut whole) = (parts as u32, StepReport::default());
        for k in 1..=parts {
            let end = begin + h * f64::from(k) / f64::from(parts);
            let stopped = self.pay_out(end, params.arithmetic.into(), &mut workspace.winches);
            let part = StepParams { step: h / f64::from(parts), ..*params };
            let report = self.step_at_length(&part, workspace, clock);
            whole = whole.then(StepReport { stopped_winches: stopped, ..report });
            if report.held {
                self.take_back(&workspace.before);
                // Discard the hold events of earlier parts.
                workspace.hold_events.clear();
                (whole.time, whole.broke) = (begin, None);
                break;
            }
        }
        whole
    }

    /// One dynamic step at constant rod lengths, of all islands or of the only one. Then broken constraints
    /// open, and open ones catch rods.
    fn step_at_length(
        &mut self,
        params: &StepParams,
        workspace: &mut Workspace,
        clock: &dyn Clock,
    ) -> StepReport {
        let first_event = workspace.hold_events.len();
        let mut split = workspace.splits_for(self, params.step);
        let may_open = self.structure.constraints.iter().any(Constraint::may_open);
        if split && may_open {
            workspace.before.copy_from(&self.state);
        }
        let mut of_islands = None;
        let mut tries = 1;
        while split {
            // Islands that may have met are joined, and all are stepped again.
            of_islands = self.step_islands(params, workspace, clock, tries == MOST_JOINS);
            if of_islands.is_some() {
                break;
            }
            split = workspace.split_groups(self);
            tries += 1;
        }
        let Some(report) = of_islands else {
            let report = self.step_whole(params, workspace, clock);
            if !report.held {
                // The trial state is now the state, and the workspace has the state at the beginning of the
                // step.
                let Workspace { trial, hold_events, .. } = workspace;
                Sources::settle(self, report.broke.as_slice(), Some(trial), hold_events);
                if hold_events.len() > first_event {
                    // The history does not apply to the motion from here on.
                    self.state.restart_history();
                }
            }
            return report;
        };
        if may_open && !report.held {
            let Workspace { islands, before, hold_events, .. } = workspace;
            Sources::settle(self, islands.broken(), Some(before), hold_events);
            islands.restart_histories(self, &hold_events[first_event..]);
        }
        report
    }

    /// Largest violation of a constraint at `time`, m or rad, and its constraint.
    pub(crate) fn worst_miss(&self, time: f64) -> (f64, Option<usize>) {
        commit::worst_miss(&self.structure, &self.state, time)
    }
}

/// Largest displacement of a node in an increment of all objects, m.
pub(crate) fn largest_displacement(structure: &Structure, increment: &[f64]) -> f64 {
    structure.objects.iter().map(|object| largest_displacement_of(object, increment)).fold(0.0, f64::max)
}

/// Largest displacement of a node of an object, m; `increment` is that of all objects.
fn largest_displacement_of(object: &Object, increment: &[f64]) -> f64 {
    object.model().largest_displacement(&increment[object.unknowns()])
}

/// Largest angle in an increment of all objects, rad.
pub(crate) fn largest_turn(structure: &Structure, increment: &[f64]) -> f64 {
    let objects = structure.objects.iter();
    objects.map(|object| object.model().largest_turn(&increment[object.unknowns()])).fold(0.0, f64::max)
}
