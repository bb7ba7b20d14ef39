//! Retries: a failed step is retried in 2, 4, … 64 substeps, and is then held.

use super::dynamic::Substep;
use super::params::{OVERSTRETCHED, RETRIES, RETRY_SOLVES};
use super::{Stage, StepParams, StepReport, Timer, Workspace, commit, inner_rows, quasi};
use crate::clock::Clock;
use crate::scene::Integrator;
use crate::world::{Refusal, World, sliding};

impl World {
    /// One dynamic step of a world of one island, at constant rod lengths. Afterwards the trial state of the
    /// workspace is the state at the beginning.
    pub(super) fn step_whole(
        &mut self,
        params: &StepParams,
        workspace: &mut Workspace,
        clock: &dyn Clock,
    ) -> StepReport {
        let mut report = StepReport { substeps: 1, ..StepReport::default() };
        let mut timer = Timer::start(clock);
        if workspace.prepare(self, !workspace.still.is_empty()) {
            timer.end(Stage::OrderUnknowns, &mut report);
        }
        let h = params.step;
        if !(h > 0.0 && h.is_finite()) {
            (report.held, report.refused, report.time) = (true, Some(Refusal::NoStep), self.state.time);
            return report;
        }
        for retry in 0..=RETRIES {
            let substeps = 1_u32 << retry;
            (report.stretched, report.broke) = (0.0, None);
            if retry > 0 {
                // The substeps of the previous try may have moved windows.
                workspace.prepare(self, !workspace.still.is_empty());
                // A shorter step doesn't change quasi-static objects; a larger mass-like term does.
                quasi::scale_terms(&mut workspace.still, quasi::RAISE);
            }
            match self.try_substeps(substeps, retry, params, workspace, &mut timer, &mut report) {
                Ok(()) => {
                    report.substeps = substeps;
                    self.take_trial(workspace, &mut report);
                    timer.end(Stage::Commit, &mut report);
                    return report;
                }
                Err(refusal) => report.refused = report.refused.or(Some(refusal)),
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
        substeps: u32,
        retry: u32,
        params: &StepParams,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        let (begin, h) = (self.state.time, params.step);
        let part = h / f64::from(substeps);
        let params =
            &StepParams { solves: params.solves.max(if retry == 0 { 1 } else { RETRY_SOLVES }), ..*params };
        // One Euler step reads the present state and writes the trial one; all else works on a copy.
        let imposes = self.structure.constraints.iter().any(|constraint| constraint.law.is_imposed());
        let from_present = params.integrator == Integrator::Euler && !imposes;
        if !from_present {
            workspace.trial.copy_from(&self.state);
            if retry > 0 {
                workspace.trial.restart_history();
            }
        }
        for done in 0..substeps {
            let end = if done + 1 == substeps { begin + h } else { begin + part * f64::from(done + 1) };
            let substep =
                Substep { world: self, params, h: part, end, from_present: from_present && done == 0 };
            substep.make(workspace, timer, report)?;
            // One linearised solve may overstretch a rod; the last try is accepted all the same.
            // Contradictory constraints always overstretch.
            let torn = report.stretched > OVERSTRETCHED && report.conflicting_rows == 0 && retry < RETRIES;
            if !report.stretched.is_finite() || torn {
                return Err(Refusal::Overstretched);
            }
            // Beyond its length no force holds a rod, and Newton doesn't converge to a motion. Contradictions
            // are reported, and the nearest state is used.
            if report.conflicting_rows == 0
                && let Some(object) = inner_rows::missed_lengths(&self.structure, &workspace.trial)
            {
                return Err(Refusal::MissedLengths { object });
            }
            if done + 1 < substeps {
                sliding::move_windows(&self.structure, &mut workspace.trial);
                workspace.prepare_for_trial(self);
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
        (report.residual, report.worst_constraint) =
            commit::worst_miss(&self.structure, &self.state, report.time);
    }
}
