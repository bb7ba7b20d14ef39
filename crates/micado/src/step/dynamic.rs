//! A dynamic substep: one linearised solve or several, stage by stage.

use super::assemble::Assembly;
use super::farther::add_motion;
use super::finish_sliding::finish_sliding;
use super::integrator::Rule;
use super::linearise_constraints::ConstraintTerms;
use super::linearise_objects::{EarlierFrames, Motion};
use super::non_smooth::Progress;
use super::report::larger;
use super::{
    Stage, StepParams, StepReport, System, Timer, Workspace, commit, inner_rows, largest_displacement,
    params, quasi, rotation,
};
use crate::clock::Work;
use crate::constraint::{Broke, EndOfCurve};
use crate::object::rod::Tangent;
use crate::scene::{Hessian, Integrator, Solves};
use crate::world::{Refusal, State, World, sliding};
use std::cell::Cell;

/// Residual of the laws of contacts above which their forces are not final, as a share of the thickness of
/// the thinnest object: such an error is visible, and adds up to overlaps in a few steps.
const UNSOLVED: f64 = 0.01;

/// Most tries of a substep with more and more contacts, see `look_farther`. Each try may find objects that
/// were struck by those of the try before.
const MOST_TRIES: usize = 6;

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
    /// Whether longer substeps were refused: then rows push in the directions of the solve.
    pub(super) retried: bool,
    /// Whether no shorter substep is left: then one solve is accepted if passes do not settle.
    pub(super) last_try: bool,
    /// Whether passages of rods are counted instead of refused.
    pub(super) lets_through: bool,
    /// Share of the violations that constraints remove in the substep: less than 1 if targets can't be met at
    /// once.
    pub(super) reach: f64,
}

/// State of a linearisation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// The state at the beginning of the substep.
    Start,
    /// The predicted state.
    Prediction,
    /// The state after the last pass.
    Pass,
}

impl Substep<'_> {
    /// Computes the substep into the trial state.
    pub(super) fn make(
        &self,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        let (structure, size) = (&self.world.structure, self.world.size());
        let of_earlier_substeps = std::mem::take(&mut report.sweep_residual);
        let (stretched, unbalanced) = (report.stretched, report.unbalanced);
        if let Some(system) = &mut workspace.system {
            system.sources.begin_try();
        }
        let (mut settled, mut overload) = self.advance(workspace, timer, report)?;
        let mut tries = 1;
        while self.look_farther(workspace, timer, report) {
            if tries == MOST_TRIES && !self.last_try {
                return Err(Refusal::PassedInto);
            }
            if tries == MOST_TRIES {
                report.unsolved_contacts = true;
                break;
            }
            tries += 1;
            // Solve again from the beginning, with more contacts. The motion so far does not count.
            (report.stretched, report.unbalanced) = (stretched, unbalanced);
            if !self.from_present {
                workspace.trial.copy_from(&workspace.start);
            }
            (settled, overload) = self.advance(workspace, timer, report)?;
        }
        report.unsettled |= !settled;
        if structure.touching.is_on() {
            timer.end(Stage::Commit, report);
            self.judge_contacts(workspace, report)?;
            timer.end(Stage::DetectContacts, report);
        }
        report.sweep_residual = report.sweep_residual.max(of_earlier_substeps);
        // Forces of passes that did not settle open no constraint.
        let Workspace { system, trial, .. } = workspace;
        let yields = system.as_ref().filter(|_| settled).and_then(|system| system.non_smooth.weakest(size));
        for (constraint, load) in yields.into_iter().chain(overload) {
            if report.broke.is_none_or(|known| load > known.load) {
                let law = &self.world.structure.constraints[constraint].law;
                report.broke = Some(Broke::new(constraint, load, law, &trial.constraints[constraint]));
            }
        }
        Ok(())
    }

    /// Solves the substep, with the contacts that were found at its beginning. Returns whether the passes
    /// settled, and a constraint of quasi-static objects that yields, with its load.
    fn advance(
        &self,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<(bool, Option<(usize, f64)>), Refusal> {
        let mut rule = self.begin(workspace, timer, report);
        if workspace.system.as_ref().is_some_and(|system| system.sources.has_too_many()) {
            return Err(Refusal::TooManyContacts);
        }
        let (structure, size) = (&self.world.structure, self.world.size());
        // Further passes would remove the rest of the violations, and a quasi-static pass is one step of a
        // search.
        let once = self.reach < 1.0 || !workspace.still.is_empty() && self.params.solves == Solves::Auto;
        let solves = if once { Solves::ONE } else { self.params.solves };
        // One solve with BDF2 moves bodies off their joints, and the next steps gain energy from that.
        let joined = rule.second_order && !workspace.spins.is_empty() && !structure.constraints.is_empty();
        let solves = if joined && !once && solves == Solves::ONE { Solves::Exactly(2) } else { solves };
        let mut passed = self.pass(solves, rule, size, workspace, timer, report);
        if rule.second_order && workspace.is_struck() {
            // The velocity jumps, so the last step doesn't predict this one.
            rule = Rule::euler(self.h);
            self.prepare(rule, workspace, timer, report);
            passed = self.pass(solves, rule, size, workspace, timer, report);
        }
        let (mut farthest, mut settled) = passed?;
        let mut overload = None;
        if !workspace.still.is_empty() && self.reach == 1.0 {
            match self.judge_strengths(rule, size, workspace, timer, report) {
                Ok(judged) => {
                    (overload, settled, farthest) =
                        (judged.overload, judged.settled, farthest + judged.moved);
                }
                // A further pass has failed, so the loads are unknown.
                Err(_) => {
                    (farthest, settled) = (self.repeat(1, rule, size, workspace, timer, report)?, false);
                }
            }
        }
        if self.params.balance {
            report.unbalanced = larger(report.unbalanced, self.unbalanced(rule, size, workspace));
        }
        self.finish(rule, farthest, workspace, report)?;
        Ok((settled, overload))
    }

    /// Solves once or several times. Returns a bound on the displacement, and whether the passes settled.
    fn pass(
        &self,
        solves: Solves,
        rule: Rule,
        size: f64,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<(f64, bool), Refusal> {
        let passed = match solves {
            Solves::Exactly(number) => self.repeat(number, rule, size, workspace, timer, report),
            Solves::Auto => self.pass_until_enough(rule, size, workspace, timer, report),
        };
        match passed {
            // No shorter substep is left. One solve is better than none; the step is reported as not settled.
            Err(_) if self.last_try && solves == Solves::Auto => {
                Ok((self.repeat(1, rule, size, workspace, timer, report)?, false))
            }
            passed => Ok((passed?, true)),
        }
    }

    /// Solves from the state at the beginning, at most this often. Returns a bound of the displacement.
    pub(super) fn repeat(
        &self,
        number: usize,
        rule: Rule,
        size: f64,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<f64, Refusal> {
        let mut farthest = 0.0;
        workspace.missed = None;
        for solve in 0..number.max(1) {
            let base = if solve == 0 { Base::Start } else { Base::Pass };
            self.solve(base, rule, size, workspace, timer, report)?;
            farthest += report.last_increment;
            if solve > 0 && report.last_increment <= params::NEWTON * size {
                break;
            }
        }
        Ok(farthest)
    }

    /// Solves from the predicted state until a pass was enough. Returns a bound of the displacement.
    fn pass_until_enough(
        &self,
        rule: Rule,
        size: f64,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<f64, Refusal> {
        let predicted = self.carry_stretches(workspace).then(|| self.predict(workspace)).flatten();
        let mut base = if predicted.is_some() { Base::Prediction } else { Base::Start };
        let mut farthest = predicted.unwrap_or(0.0);
        for _ in 0..params::MOST_PASSES {
            match self.solve(base, rule, size, workspace, timer, report) {
                Err(_) if base == Base::Prediction && workspace.too_far => {
                    farthest = 0.0;
                    self.solve(Base::Start, rule, size, workspace, timer, report)?;
                }
                solved => solved?,
            }
            base = Base::Pass;
            farthest += report.last_increment;
            if self.is_enough(rule, size, workspace) || report.last_increment <= params::NEWTON * size {
                return Ok(farthest);
            }
            self.carry_increments(workspace);
        }
        Err(match inner_rows::missed_lengths(&self.world.structure, &workspace.trial) {
            Some(object) => Refusal::MissedLengths { object },
            None => Refusal::Unsettled,
        })
    }

    /// One linearised solve: the stages in their order.
    pub(super) fn solve(
        &self,
        base: Base,
        rule: Rule,
        size: f64,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        let structure = &self.world.structure;
        let Workspace {
            system,
            start,
            trial,
            increment,
            inertia,
            velocity,
            strains_before,
            carried,
            scratch,
            still,
            too_far,
            needs_frames,
            spins,
            ..
        } = workspace;
        let system = system.as_mut().expect("the unknowns are ordered");
        let (start, first) = (self.start(start), base == Base::Start);
        // The windows of a prediction hold.
        let holds =
            base == Base::Prediction || sliding::windows_hold(structure, if first { start } else { trial });
        if system.slides && !holds {
            return Err(Refusal::SlidTooFar);
        }
        let least = Cell::new(1.0);
        let earlier = EarlierFrames { frames: &start.frames, least: &least };
        let earlier = (base == Base::Prediction && !*needs_frames).then_some(earlier);
        rule.start(start, (!first).then_some(increment.as_slice()), inertia, velocity);
        let present = if first { start } else { &*trial };
        rotation::set_motion(spins, rule, [start, present], inertia, velocity);
        let arithmetic = self.params.arithmetic.into();
        let mut ceiling = quasi::Ceiling::new(size);
        let keeps = !rule.second_order && !self.retried && !spins.is_empty();
        loop {
            let motion = Motion {
                acceleration_gain: rule.c0,
                velocity_gain: rule.c1,
                inertia,
                velocity,
                strains_before,
                rule: Some(rule),
                carried: if first || self.params.solves != Solves::Auto { &[] } else { carried },
                earlier,
                start: keeps.then_some(start),
                still,
            };
            // linearise objects → linearise constraints → factor
            let factored = self.linearise_and_factor(present, &motion, system, scratch, timer, report);
            *too_far = least.get() < params::PREDICTED_COSINE;
            factored?;
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
            let progress = Progress {
                increment: (!first).then_some(increment.as_slice()),
                velocity,
                velocity_gain: rule.c1,
                began: &start.v,
                size,
                at_ends: self.params.integrator == Integrator::Bdf2,
            };
            system.collect_non_smooth(structure, [present, start], self.end, 1.0 / self.h, Some(progress));
            system.solve_non_smooth(size, arithmetic, timer, report);
        }
        // commit: x ⊕ Δ, into the trial state
        commit::move_on(structure, system, 1.0, first.then_some(start), trial);
        let from = (base != Base::Pass).then_some(start);
        let least = commit::finish_advance(structure, system, arithmetic, from, trial);
        report.solves += 1;
        if least.is_nan()
            || least < params::LEAST_TURN_COSINE
            || rotation::turns_too_far(structure, spins, trial)
        {
            return Err(Refusal::TurnedTooFar);
        }
        if first {
            increment.copy_from_slice(system.increment());
        } else {
            increment.iter_mut().zip(system.increment()).for_each(|(sum, d)| *sum += d);
        }
        report.last_increment = largest_displacement(structure, system.increment());
        timer.end(Stage::Commit, report);
        Ok(())
    }

    /// The state at the beginning of the substep; the trial state is ahead of it.
    pub(super) fn start<'s>(&'s self, start: &'s State) -> &'s State {
        if self.from_present { &self.world.state } else { start }
    }

    /// Prepares quantities that are the same in all solves: coefficients of the integrator, reference strains
    /// of viscous stress, imposed sliding, shocks, contacts of surfaces.
    fn begin(&self, workspace: &mut Workspace, timer: &mut Timer<'_>, report: &mut StepReport) -> Rule {
        let Workspace { start, trial, .. } = &mut *workspace;
        if !self.from_present {
            sliding::impose_sliding(&self.world.structure, self.end, trial);
            start.copy_from(trial);
        }
        let rule = Rule::of(self.params.integrator, self.h, &self.start(start).history);
        self.prepare(rule, workspace, timer, report);
        rule
    }

    /// Prepares the solves for a rule of integration.
    fn prepare(&self, rule: Rule, workspace: &mut Workspace, timer: &mut Timer<'_>, report: &mut StepReport) {
        let structure = &self.world.structure;
        let Workspace { system, start, strains, strains_before, winches, still, spins, .. } = workspace;
        let system = system.as_mut().expect("the unknowns are ordered");
        let start = self.start(start);
        rotation::find_spins(structure, start, rule, spins);
        system.non_smooth.struck.begin();
        let strains = [strains.as_mut_slice(), strains_before];
        self.world.viscous_reference(self.params, rule, start, &winches.strains, strains);
        system.clear_mass_like();
        if !still.is_empty() {
            system.augment_still(structure, start, still);
        }
        if system.slides {
            system.settle_shocks(structure, start, self.h);
        }
        // detect contacts
        system.sources.begin(structure, start, self.h);
        if structure.touching.is_on() {
            timer.end(Stage::DetectContacts, report);
        }
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
                rule: motion.rule,
                reach: self.reach,
                start: motion.start,
            };
            let structure = &self.world.structure;
            let assembly =
                Assembly { structure, state: present, time: self.end, motion, tangent, terms, arithmetic };
            assembly.write_timed(system, scratch, timer, report);
            report.factorisations += 1;
            if motion.earlier.is_some_and(|earlier| earlier.least.get() < params::PREDICTED_COSINE) {
                return Err(Refusal::TurnedTooFar);
            }
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

    /// Detects the contacts at the end, and refuses the substep if an overlap has grown too much.
    fn judge_contacts(&self, workspace: &mut Workspace, report: &mut StepReport) -> Result<(), Refusal> {
        let Workspace { system, trial, .. } = workspace;
        let system = system.as_mut().expect("the unknowns are ordered");
        let contacts = system.sources.end(&self.world.structure, trial, self.h);
        if contacts.too_deep > 0.0 && !self.last_try {
            return Err(Refusal::PassedInto);
        }
        if let Some(between) = contacts.passing.filter(|_| !self.lets_through) {
            return Err(Refusal::PassedThrough { between });
        }
        if contacts.passing.is_some() || self.world.structure.touching.has_alarm() {
            let found = system.sources.count_passages(&self.world.structure, trial);
            report.passages += found.passages;
            report.passed = report.passed.or(found.first);
        }
        (report.contacts, report.penetration) = (contacts.count, contacts.overlap);
        report.sweep_residual = report.sweep_residual.max(contacts.too_deep);
        let unsolved = (contacts.count > 0 || contacts.overlap > 0.0)
            && report.sweep_residual > UNSOLVED * contacts.thickness;
        // A rod that is let through a body is no passage of rods: only this reports it.
        report.unsolved_contacts |= unsolved || contacts.too_deep > 0.0 || contacts.passing.is_some();
        Ok(())
    }

    /// Sets velocities, history and the reported quantities after the last solve.
    fn finish(
        &self,
        rule: Rule,
        farthest: f64,
        workspace: &mut Workspace,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        let structure = &self.world.structure;
        let Workspace { system, start, trial, increment, strains, still, moved, spins, .. } = workspace;
        let system = system.as_mut().expect("the unknowns are ordered");
        let torn =
            commit::largest_stretching(structure, increment, &trial.q, farthest, params::OVERSTRETCHED);
        report.stretched = report.stretched.max(torn);
        trial.time = self.end;
        let integrator = self.params.integrator;
        rule.finish(integrator, increment, strains, trial);
        if system.non_smooth.struck.any() {
            trial.restart_history();
        }
        rotation::finish(spins, (integrator, rule), self.start(start), system.increment(), trial);
        let (size, arithmetic) = (self.world.size(), self.params.arithmetic.into());
        moved.clear();
        if structure.touching.is_on() {
            add_motion(structure, increment, moved);
        }
        if structure.touching.is_on()
            && let Some((apart, residual)) = system.correct_penetration(structure, size, arithmetic)
        {
            report.sweep_residual = report.sweep_residual.max(residual);
            let apart = &apart[..4 * structure.node_mass.len()];
            add_motion(structure, apart, moved);
            commit::shift(structure, apart, arithmetic, trial);
            system.non_smooth.add_to_gaps(&mut trial.contacts);
        }
        quasi::set_rates(structure, still, increment, self.h, &mut trial.v);
        commit::watch_stiffness(structure, system, (rule, self.params.step.max(self.h)), trial);
        commit::remember(structure, trial);
        if system.slides {
            finish_sliding(structure, Some(rule), system, trial);
            if let Some(constraint) = sliding::slid_off(structure, trial, EndOfCurve::Error) {
                return Err(Refusal::SlidOff { constraint });
            }
        }
        Ok(())
    }
}
