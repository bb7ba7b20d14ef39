//! Retries: a failed step is retried in 2, 4, … 64 substeps. If these fail and a target is missed,
//! constraints approach their targets as fast as 64 substeps allow. If that fails too, the step is held. If
//! objects would pass through each other, 128, … 1024 substeps are tried before; passages that these don't
//! prevent are let through and counted.

use super::dynamic::Substep;
use super::params::{APPROACH, APPROACHES, CONFLICT, FINEST, OVERSTRETCHED, RETRIES, RETRY_SOLVES};
use super::{Stage, StepParams, StepReport, Timer, Workspace, commit, inner_rows, quasi, rotation};
use crate::clock::Clock;
use crate::scene::{Integrator, Solves};
use crate::world::{Refusal, World, sliding};

/// A try of a step.
#[derive(Clone, Copy)]
struct Try {
    /// The number of substeps is 2 to this power.
    retry: u32,
    /// `retry` of the first try.
    planned: u32,
    /// Share of the violations that constraints remove in each substep.
    reach: f64,
    /// Whether passages of rods are counted instead of refused.
    lets_through: bool,
}

impl Try {
    fn substeps(self) -> u32 {
        1 << self.retry
    }
}

impl World {
    /// One dynamic step of a world of one island, at constant rod lengths. Afterwards the trial state of the
    /// workspace is the state at the beginning.
    pub(super) fn step_whole(
        &mut self,
        params: &StepParams,
        workspace: &mut Workspace,
        clock: &dyn Clock,
    ) -> StepReport {
        let mut report = self.try_step(params, workspace, clock);
        if !workspace.still.is_empty() {
            report.searches = report.factorisations.saturating_sub(1);
        }
        report
    }

    /// Tries a step, with more and more substeps if it is refused.
    fn try_step(&mut self, params: &StepParams, workspace: &mut Workspace, clock: &dyn Clock) -> StepReport {
        let mut report = StepReport { substeps: 1, ..StepReport::default() };
        let mut timer = Timer::start(clock);
        if workspace.prepare(self, workspace.room(params.hessian)) {
            timer.end(Stage::OrderUnknowns, &mut report);
        }
        let h = params.step;
        if !(h > 0.0 && h.is_finite()) {
            (report.held, report.refused, report.time) = (true, Some(Refusal::NoStep), self.state.time);
            return report;
        }
        // Fast spins need shorter steps from the beginning.
        let planned = rotation::halvings(&self.structure, &self.state, h, RETRIES);
        let try_at = |retry: u32, reach: f64| Try { retry, planned, reach, lets_through: false };
        let tries = (planned..=RETRIES).map(|retry| try_at(retry, 1.0));
        // Targets that can't be met at once are approached.
        let approaches = (1..=APPROACHES).map(|k| try_at(RETRIES, APPROACH.powi(k)));
        // More substeps are tried only against passages. A passage that nothing prevents is counted.
        let finer = (RETRIES + 1..=FINEST).map(|retry| try_at(retry, 1.0));
        let last = Try { lets_through: true, ..try_at(RETRIES, 1.0) };
        // Whether the last try was refused for a passage, and whether any of the finest ones was.
        let (mut passes, mut any_passes) = (false, false);
        for attempt in tries.chain(approaches).chain(finer).chain([last]) {
            if attempt.reach < 1.0
                && commit::worst_miss(&self.structure, &self.state, self.state.time + h).0
                    <= CONFLICT * self.size()
                || attempt.retry > RETRIES && !passes
                || attempt.lets_through && !any_passes
            {
                continue;
            }
            (report.stretched, report.broke, report.unsettled) = (0.0, None, false);
            (report.sweep_residual, report.unsolved_contacts) = (0.0, false);
            (report.passages, report.passed) = (0, None);
            if attempt.retry > 0 {
                // The substeps of the previous try may have moved windows.
                workspace.prepare(self, workspace.room(params.hessian));
                // A shorter step doesn't change quasi-static objects; a larger mass-like term does.
                quasi::scale_terms(&mut workspace.still, quasi::RAISE);
            }
            match self.try_substeps(attempt, params, workspace, &mut timer, &mut report) {
                Ok(()) => {
                    report.substeps = attempt.substeps();
                    report.approaches = attempt.reach < 1.0;
                    self.take_trial(workspace, &mut report);
                    timer.end(Stage::Commit, &mut report);
                    return report;
                }
                Err(refusal) => {
                    passes = matches!(refusal, Refusal::PassedThrough { .. });
                    any_passes |= passes && attempt.retry >= RETRIES;
                    // Any other refusal says more than that passes did not settle.
                    let known = report.refused.filter(|known| *known != Refusal::Unsettled);
                    report.refused = known.or(Some(refusal));
                }
            }
        }
        (report.held, report.broke) = (true, None);
        report.time = self.state.time;
        (report.residual, report.worst_constraint) =
            commit::worst_miss(&self.structure, &self.state, report.time);
        report
    }

    /// All substeps of a try, into the trial state.
    fn try_substeps(
        &self,
        attempt: Try,
        params: &StepParams,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        let (Try { retry, planned, reach, lets_through }, substeps) = (attempt, attempt.substeps());
        let (begin, h) = (self.state.time, params.step);
        let part = h / f64::from(substeps);
        let solves = match params.solves {
            Solves::Exactly(number) if retry > 0 => Solves::Exactly(number.max(RETRY_SOLVES)),
            solves => solves,
        };
        let params = &StepParams { solves, ..*params };
        // One Euler step reads the present state and writes the trial one; all else works on a copy.
        let imposes = self.structure.constraints.iter().any(|constraint| constraint.law.is_imposed());
        let from_present = params.integrator == Integrator::Euler && !imposes;
        if !from_present {
            workspace.trial.copy_from(&self.state);
            if retry > 0 {
                workspace.trial.restart_history();
            }
        }
        workspace.travelled.clear();
        for done in 0..substeps {
            let end = if done + 1 == substeps { begin + h } else { begin + part * f64::from(done + 1) };
            let substep = Substep {
                world: self,
                params,
                h: part,
                end,
                from_present: from_present && done == 0,
                retried: retry > planned,
                last_try: retry >= RETRIES,
                lets_through,
                reach,
            };
            substep.make(workspace, timer, report)?;
            workspace.travel();
            // One linearised solve may overstretch a rod; the last try at full reach is accepted all the
            // same. Rows that contradict each other are approached instead: the nearest state may be far.
            let last = retry >= RETRIES && reach == 1.0 && report.conflicting_rows == 0;
            if !report.stretched.is_finite() || report.stretched > OVERSTRETCHED && !last {
                return Err(Refusal::Overstretched);
            }
            // Beyond its length no force holds a rod, and Newton doesn't converge to a motion.
            if let Some(object) = inner_rows::missed_lengths(&self.structure, &workspace.trial) {
                return Err(Refusal::MissedLengths { object });
            }
            if done + 1 < substeps {
                sliding::move_windows(&self.structure, &mut workspace.trial);
                workspace.prepare_for_trial(self, workspace.room(params.hessian));
            }
        }
        if substeps > 1 {
            workspace.trial.restart_history();
        }
        Ok(())
    }

    /// Makes the trial state that of the world, and the previous state the trial state.
    fn take_trial(&mut self, workspace: &mut Workspace, report: &mut StepReport) {
        sliding::move_windows(&self.structure, &mut workspace.trial);
        std::mem::swap(&mut self.state, &mut workspace.trial);
        // Steps don't change the modes of islands.
        std::mem::swap(&mut self.state.paces, &mut workspace.trial.paces);
        report.time = self.state.time;
        let missed = workspace.missed.take();
        (report.residual, report.worst_constraint) =
            missed.unwrap_or_else(|| commit::worst_miss(&self.structure, &self.state, report.time));
    }
}
