//! A dynamic substep: one linearised solve or several, stage by stage.

use super::assemble::Assembly;
use super::integrator::Rule;
use super::linearise_constraints::ConstraintTerms;
use super::linearise_objects::Motion;
use super::{
    Stage, StepParams, StepReport, System, Timer, Workspace, commit, largest_displacement, params, quasi,
};
use crate::clock::Work;
use crate::constraint::{Broke, EndOfCurve};
use crate::object::rod::Tangent;
use crate::scene::Hessian;
use crate::world::{Refusal, State, World, sliding};

/// One substep of length `h` that ends at time `end`.
#[derive(Clone, Copy)]
pub(super) struct Substep<'a> {
    pub(super) world: &'a World,
    pub(super) params: &'a StepParams,
    /// Length, s.
    pub(super) h: f64,
    /// Time at its end, s.
    pub(super) end: f64,
    /// Whether it starts from the state of the world, or from the trial state.
    pub(super) from_present: bool,
}

impl Substep<'_> {
    /// Computes the substep into the trial state.
    pub(super) fn make(
        &self,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        let rule = self.begin(workspace);
        let size = self.world.size();
        let mut farthest = 0.0;
        for solve in 0..self.params.solves.max(1) {
            self.solve(solve, rule, size, workspace, timer, report)?;
            farthest += report.last_increment;
            if solve > 0 && report.last_increment <= params::NEWTON * size {
                break;
            }
        }
        self.finish(rule, size, farthest, workspace, report)
    }

    /// One linearised solve: the stages in their order.
    fn solve(
        &self,
        solve: usize,
        rule: Rule,
        size: f64,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        let structure = &self.world.structure;
        let Workspace { system, trial, increment, inertia, velocity, strains_before, scratch, still, .. } =
            workspace;
        let system = system.as_mut().expect("the unknowns are ordered");
        let from = self.from_present.then_some(&self.world.state);
        let start = from.unwrap_or(trial);
        if system.slides && !sliding::windows_hold(structure, if solve == 0 { start } else { trial }) {
            return Err(Refusal::SlidTooFar);
        }
        rule.start(start, (solve > 0).then_some(increment.as_slice()), inertia, velocity);
        let present = if solve == 0 { start } else { &*trial };
        let arithmetic = self.params.arithmetic.into();
        let mut ceiling = quasi::Ceiling::new(size);
        loop {
            let motion = Motion {
                acceleration_gain: rule.c0,
                velocity_gain: rule.c1,
                own_gain: 1.0 / self.h,
                inertia,
                velocity,
                strains_before,
                still,
            };
            // linearise objects → linearise constraints → factor
            self.linearise_and_factor(present, &motion, system, scratch, timer, report)?;
            // free motion: Δ, λ
            system.solve(self.params.refinements, size, arithmetic, report)?;
            timer.end(Stage::FreeMotion, report);
            // Quasi-static objects move to their equilibrium in steps of limited length.
            if ceiling.is_kept(structure, system.increment(), still, report) {
                break;
            }
        }
        ceiling.take_back(still);
        if system.pushes {
            // build compliance → solve constraints → correct
            system.collect_non_smooth(structure, present, self.end, 1.0 / self.h);
            system.solve_non_smooth(size, arithmetic, timer, report);
        }
        // commit: x ⊕ Δ, into the trial state
        let least = commit::advance(structure, system, 1.0, arithmetic, from.filter(|_| solve == 0), trial);
        report.solves += 1;
        if least.is_nan() || least < params::LEAST_TURN_COSINE {
            return Err(Refusal::TurnedTooFar);
        }
        if solve == 0 {
            increment.copy_from_slice(system.increment());
        } else {
            increment.iter_mut().zip(system.increment()).for_each(|(sum, d)| *sum += d);
        }
        report.last_increment = largest_displacement(structure, system.increment());
        timer.end(Stage::Commit, report);
        Ok(())
    }

    /// Prepares quantities that are the same in all solves: coefficients of the integrator, reference strains
    /// of viscous stress, imposed sliding, shocks.
    fn begin(&self, workspace: &mut Workspace) -> Rule {
        let structure = &self.world.structure;
        let Workspace { system, trial, strains, strains_before, winches, still, .. } = workspace;
        let system = system.as_mut().expect("the unknowns are ordered");
        let from = self.from_present.then_some(&self.world.state);
        let rule = Rule::of(self.params.integrator, self.h, &trial.history);
        let strains = [strains.as_mut_slice(), strains_before];
        self.world.viscous_reference(self.params, rule, from.unwrap_or(trial), &winches.strains, strains);
        if !self.from_present {
            sliding::impose_sliding(structure, self.end, trial);
        }
        system.clear_mass_like();
        if !still.is_empty() {
            system.augment_still(structure, from.unwrap_or(trial), still);
        }
        if system.slides {
            system.settle_shocks(structure, from.unwrap_or(trial), self.h);
        }
        rule
    }

    /// The stages that linearise and factor the system. `auto` falls back to the definite form when the exact
    /// one has the wrong inertia.
    fn linearise_and_factor(
        &self,
        present: &State,
        motion: &Motion<'_>,
        system: &mut System,
        scratch: &mut Vec<f64>,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        let arithmetic = self.params.arithmetic.into();
        let mut tangent = Tangent::from(self.params.hessian);
        loop {
            let terms = ConstraintTerms {
                exact: tangent == Tangent::Exact,
                augment_all: false,
                curved: true,
                velocity_gain: motion.own_gain,
            };
            let structure = &self.world.structure;
            let assembly =
                Assembly { structure, state: present, time: self.end, motion, tangent, terms, arithmetic };
            assembly.write_timed(system, scratch, timer, report);
            let inertia = system.factorise_for_solve(arithmetic)?;
            timer.clock.spend(Work { operations: system.flops(), segments: system.segments });
            timer.end(Stage::Factor, report);
            let wrong = inertia.negative != system.expected_negative();
            if self.params.hessian != Hessian::Auto || !wrong || tangent == Tangent::Psd {
                return Ok(());
            }
            tangent = Tangent::Psd;
        }
    }

    /// Sets velocities, history and the reported quantities after the last solve.
    fn finish(
        &self,
        rule: Rule,
        size: f64,
        farthest: f64,
        workspace: &mut Workspace,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        let structure = &self.world.structure;
        let Workspace { system, trial, increment, strains, still, .. } = workspace;
        let system = system.as_mut().expect("the unknowns are ordered");
        let torn =
            commit::largest_stretching(structure, increment, &trial.q, farthest, params::OVERSTRETCHED);
        report.stretched = report.stretched.max(torn);
        trial.time = self.end;
        rule.finish(self.params.integrator, increment, strains, trial);
        quasi::rest(structure, still, &mut trial.v);
        if let Some((constraint, load)) = system.non_smooth.weakest(size)
            && report.broke.is_none_or(|known| load > known.load)
        {
            report.broke = Some(Broke::new(constraint, load, &trial.constraints[constraint]));
        }
        commit::watch_stiffness(structure, system, self.h, trial);
        if system.slides {
            sliding::finish_sliding(structure, 1.0 / self.h, trial);
            if let Some(constraint) = sliding::slid_off(structure, trial, EndOfCurve::Error) {
                return Err(Refusal::SlidOff { constraint });
            }
        }
        Ok(())
    }
}
