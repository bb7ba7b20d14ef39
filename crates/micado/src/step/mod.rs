//! The step: one linear system, a few stages.
//!
//! ```text
//! linearise objects → linearise constraints → order unknowns → factor → free motion →
//! build compliance → solve constraints → correct → commit
//!
//! [ A  Jᵀ ] [ Δ  ]   [ b ]      A = c₀ M + c₁ D + K,  λ the force of the constraint on the object
//! [ J  −ε ] [ −λ ] = [ E ]
//! ```
//!
//! The letter h lives here and nowhere else.

mod commit;
mod condense;
mod dual_nodes;
mod explicit;
mod floating;
mod free_motion;
mod inner_rows;
mod layout;
mod linearise_constraints;
mod linearise_loads;
mod linearise_objects;
mod modes;
mod non_smooth;
mod order;
mod params;
mod pattern_key;
mod projection;
mod quasi;
mod report;
mod share_rows;
mod shocks;
mod statics;
mod workspace;

pub use crate::constraint::Broke;
pub use crate::world::Refusal;
pub(crate) use explicit::MOST_PARTS as MOST_EXPLICIT_PARTS;
pub use layout::Owner;
pub use modes::{Mode, Modes};
pub use order::System;
pub use params::{OVERSTRETCHED, StaticParams, StepParams};
pub use quasi::Switch;
pub use report::{Stage, StepReport};
pub use workspace::Workspace;

use crate::clock::{Clock, Work};
use crate::constraint::EndOfCurve;
use crate::object::rod::Tangent;
use crate::scene::{Hessian, Integrator};
use crate::world::{World, sliding};
use linearise_constraints::ConstraintTerms;
use linearise_objects::Motion;

impl From<crate::scene::Arithmetic> for micado_linalg::Arithmetic {
    fn from(arithmetic: crate::scene::Arithmetic) -> Self {
        match arithmetic {
            crate::scene::Arithmetic::Fast => Self::Fast,
            crate::scene::Arithmetic::Portable => Self::Portable,
        }
    }
}

impl From<Hessian> for Tangent {
    /// What is tried first: `auto` begins with the exact one.
    fn from(hessian: Hessian) -> Self {
        match hessian {
            Hessian::GaussNewton => Self::GaussNewton,
            Hessian::Psd => Self::Psd,
            Hessian::Exact | Hessian::Auto => Self::Exact,
        }
    }
}

/// Adds the time since `start` to a stage and starts the next.
struct Timer<'a> {
    clock: &'a dyn Clock,
    start: f64,
}

impl Timer<'_> {
    fn end(&mut self, stage: Stage, report: &mut StepReport) {
        let now = self.clock.now();
        report.stage_seconds[stage as usize] += now - self.start;
        self.start = now;
    }
}

impl World {
    /// One dynamic step of `params.step` seconds, in parts where a winch moves much of a segment in it.
    ///
    /// A step that can't be made (not finite, singular, a tangent that turns by more than 90°, a stretch that
    /// changes by more than 20 %) is tried again in 2, 4, … 64 substeps of at least four solves; if none can
    /// be made, the state is held as it was and the report says so.
    pub fn step(&mut self, params: &StepParams, workspace: &mut Workspace, clock: &dyn Clock) -> StepReport {
        workspace.clip_events.clear();
        self.step_on(params, workspace, clock)
    }

    /// The same behind other parts of a step, whose clip events are kept.
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
        let (parts, mut told) = (parts as u32, StepReport::default());
        for k in 1..=parts {
            let end = begin + h * f64::from(k) / f64::from(parts);
            let stopped = self.pay_out(end, params.arithmetic.into(), &mut workspace.winches);
            let report =
                self.step_at_length(&StepParams { step: h / f64::from(parts), ..*params }, workspace, clock);
            told = told.then(StepReport { stopped_winches: stopped, ..report });
            if report.held {
                self.take_back(&workspace.before);
                // What clips did in the parts before has not been.
                workspace.clip_events.clear();
                (told.time, told.broke) = (begin, None);
                break;
            }
        }
        told
    }

    /// Largest miss of a constraint of its target at `time`, m or rad, and whose.
    pub(crate) fn worst_miss(&self, time: f64) -> (f64, Option<usize>) {
        commit::worst_miss(&self.structure, &self.state, time)
    }

    /// One dynamic step with the lengths that rods have.
    fn step_at_length(
        &mut self,
        params: &StepParams,
        workspace: &mut Workspace,
        clock: &dyn Clock,
    ) -> StepReport {
        let mut report = StepReport { substeps: 1, ..StepReport::default() };
        let mut timer = Timer { clock, start: clock.now() };
        if workspace.prepare(self, !workspace.still.is_empty()) {
            timer.end(Stage::OrderUnknowns, &mut report);
        }
        workspace.weigh(self);
        let (begin, h) = (self.state.time, params.step);
        if !(h > 0.0 && h.is_finite()) {
            (report.held, report.refused, report.time) = (true, Some(Refusal::NoStep), begin);
            return report;
        }
        let imposes = self.structure.constraints.iter().any(|constraint| constraint.law.is_imposed());
        for retry in 0..=RETRIES {
            let substeps = 1_u32 << retry;
            let chosen = &StepParams {
                solves: params.solves.max(if retry == 0 { 1 } else { RETRY_SOLVES }),
                ..*params
            };
            let (mut done, part) = (0, h / f64::from(substeps));
            (report.stretched, report.broke) = (0.0, None);
            if retry > 0 {
                // The substeps of the try before may have moved windows.
                workspace.prepare(self, !workspace.still.is_empty());
                workspace.weigh(self);
                // A shorter step changes nothing in what is quasi-static; a larger mass-like term does.
                quasi::scale_terms(&mut workspace.still, quasi::RAISE);
            }
            while done < substeps {
                let end = if done + 1 == substeps { begin + h } else { begin + part * f64::from(done + 1) };
                // One Euler step reads the present state and writes the trial one. What else begins here
                // works on a copy.
                let from_present = done == 0 && params.integrator == Integrator::Euler && !imposes;
                if done == 0 && !from_present {
                    workspace.trial.copy_from(&self.state);
                    if retry > 0 {
                        workspace.trial.restart_history();
                    }
                }
                match self.try_step(part, end, from_present, chosen, workspace, &mut timer, &mut report) {
                    // One linearised solve may stretch a rod across its length; the last try is made all the
                    // same. Constraints that contradict each other stretch it by their own fault.
                    Ok(())
                        if !report.stretched.is_finite()
                            || (report.stretched > params::OVERSTRETCHED
                                && report.conflicting_rows == 0
                                && retry < RETRIES) =>
                    {
                        report.refused.get_or_insert(Refusal::Overstretched);
                        break;
                    }
                    // Beyond its length nothing can hold it, and what Newton makes of that is no motion.
                    // Contradictions are told, and the nearest state is used.
                    Ok(())
                        if let Some(object) =
                            inner_rows::missed_lengths(&self.structure, &workspace.trial)
                                .filter(|_| report.conflicting_rows == 0) =>
                    {
                        report.refused.get_or_insert(Refusal::MissedLengths { object });
                        break;
                    }
                    Ok(()) => {
                        done += 1;
                        if done < substeps {
                            sliding::move_windows(&self.structure, &mut workspace.trial);
                            workspace.prepare_for_trial(self);
                            workspace.weigh(self);
                        }
                    }
                    Err(refusal) => {
                        report.refused.get_or_insert(refusal);
                        break;
                    }
                }
            }
            if done == substeps {
                report.substeps = substeps;
                if substeps > 1 {
                    workspace.trial.restart_history();
                }
                sliding::move_windows(&self.structure, &mut workspace.trial);
                std::mem::swap(&mut self.state, &mut workspace.trial);
                // No step changes modes.
                std::mem::swap(&mut self.state.paces, &mut workspace.trial.paces);
                (report.residual, report.worst_constraint) =
                    commit::worst_miss(&self.structure, &self.state, self.state.time);
                report.time = self.state.time;
                // What was tried has become the state, and the state from which the step began is there in
                // its place.
                self.update_clips(report.broke, Some(&workspace.trial), &mut workspace.clip_events);
                timer.end(Stage::Commit, &mut report);
                return report;
            }
        }
        (report.held, report.broke) = (true, None);
        report.time = self.state.time;
        (report.residual, report.worst_constraint) =
            commit::worst_miss(&self.structure, &self.state, self.state.time);
        report
    }

    /// One substep of length `h` that ends at time `end`, into the trial state: from the present state, or
    /// from the trial state itself.
    #[expect(clippy::too_many_arguments, reason = "what a substep reads and writes")]
    fn try_step(
        &self,
        h: f64,
        end: f64,
        from_present: bool,
        params: &StepParams,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        let Workspace {
            system,
            trial,
            increment,
            inertia,
            velocity,
            strains,
            strains_before,
            scratch,
            winches,
            still,
            ..
        } = workspace;
        let system = system.as_mut().expect("prepared before");
        let arithmetic = params.arithmetic.into();
        let from = from_present.then_some(&self.state);
        let second_order =
            params.integrator == Integrator::Bdf2 && (trial.history.step - h).abs() <= 1e-12 * h;
        // a = c₀ Δ − d, v = c₁ Δ − e
        let (c0, c1) =
            if second_order { (9.0 / (4.0 * h * h), 3.0 / (2.0 * h)) } else { (1.0 / (h * h), 1.0 / h) };
        self.viscous_reference(
            params,
            second_order,
            from.unwrap_or(trial),
            &winches.strains,
            strains,
            strains_before,
        );
        if !from_present {
            sliding::impose_sliding(&self.structure, end, trial);
        }

        system.clear_mass_like();
        if !still.is_empty() {
            system.augment_still(&self.structure, from.unwrap_or(trial), still);
        }
        if system.slides {
            system.settle_shocks(&self.structure, from.unwrap_or(trial), h);
        }
        let size = self.size();
        let mut farthest = 0.0;
        for solve in 0..params.solves.max(1) {
            let start = from.unwrap_or(trial);
            if system.slides
                && !sliding::windows_hold(&self.structure, if solve == 0 { start } else { trial })
            {
                return Err(Refusal::SlidTooFar);
            }
            let so_far = (solve > 0).then_some(increment.as_slice());
            start_of_motion(second_order, h, c0, c1, &start.v, &start.history, so_far, inertia, velocity);
            let present = if solve == 0 { start } else { &*trial };
            let (mut farther, mut raised) = (f64::MAX, 1.0);
            for raises in 0.. {
                let motion = Motion {
                    acceleration_gain: c0,
                    velocity_gain: c1,
                    own_gain: 1.0 / h,
                    inertia,
                    velocity,
                    strains_before,
                    still,
                };
                let negative = self.linearise(
                    params.hessian.into(),
                    end,
                    &motion,
                    params,
                    system,
                    present,
                    scratch,
                    timer,
                    report,
                )?;
                // `auto` steps back to the definite form when the exact one has the wrong inertia.
                if params.hessian == Hessian::Auto && negative != system.expected_negative() {
                    self.linearise(
                        Tangent::Psd,
                        end,
                        &motion,
                        params,
                        system,
                        present,
                        scratch,
                        timer,
                        report,
                    )?;
                }
                system.solve(params.refinements, size, arithmetic, report)?;
                timer.end(Stage::FreeMotion, report);
                // What is quasi-static goes to its equilibrium in steps of sensible length.
                let far = quasi::farthest_still(&self.structure, system.increment(), still);
                let in_vain = far > quasi::IN_VAIN * farther;
                if far <= quasi::CEILING * size || raises == quasi::MOST_RAISES || in_vain {
                    report.ceilings += usize::from(raises > 0 && !in_vain);
                    break;
                }
                farther = far;
                raised *= quasi::RAISE;
                quasi::scale_terms(still, quasi::RAISE);
            }
            quasi::scale_terms(still, 1.0 / raised);
            if system.pushes {
                system.collect_non_smooth(&self.structure, present, end, 1.0 / h);
                system.solve_non_smooth(size, arithmetic, timer, report);
            }

            let least =
                commit::advance(&self.structure, system, 1.0, arithmetic, from.filter(|_| solve == 0), trial);
            report.solves += 1;
            if least.is_nan() || least < params::LEAST_TURN_COSINE {
                return Err(Refusal::TurnedTooFar);
            }
            if solve == 0 {
                increment.copy_from_slice(system.increment());
            } else {
                increment.iter_mut().zip(system.increment()).for_each(|(sum, d)| *sum += d);
            }
            report.last_increment = largest_displacement(system.increment());
            farthest += report.last_increment;
            timer.end(Stage::Commit, report);
            if solve > 0 && report.last_increment <= params::NEWTON * size {
                break;
            }
        }
        report.stretched = report.stretched.max(commit::largest_stretching(
            &self.structure,
            increment,
            &trial.q,
            farthest,
            params::OVERSTRETCHED,
        ));
        finish(params, second_order, h, c1, end, increment, strains, trial);
        quasi::rest(&self.structure, still, &mut trial.v);
        if let Some((constraint, load)) = system.non_smooth.weakest(size)
            && report.broke.is_none_or(|known| load > known.load)
        {
            report.broke = Some(Broke::new(constraint, load, &trial.constraints[constraint]));
        }
        commit::watch_stiffness(&self.structure, system, h, trial);
        if system.slides {
            sliding::finish_sliding(&self.structure, 1.0 / h, trial);
            if let Some(constraint) = sliding::slid_off(&self.structure, trial, EndOfCurve::Error) {
                return Err(Refusal::SlidOff { constraint });
            }
        }
        Ok(())
    }

    /// The three stages that make and factor the system. Returns the number of negative pivots.
    #[expect(clippy::too_many_arguments, reason = "three stages in a row")]
    fn linearise(
        &self,
        tangent: Tangent,
        time: f64,
        motion: &Motion<'_>,
        params: &StepParams,
        system: &mut System,
        trial: &crate::world::State,
        scratch: &mut Vec<f64>,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<usize, Refusal> {
        let arithmetic = params.arithmetic.into();
        linearise_objects::linearise_objects(
            &self.structure,
            trial,
            time,
            motion,
            tangent,
            arithmetic,
            system,
            scratch,
        );
        timer.end(Stage::LineariseObjects, report);
        let terms = ConstraintTerms {
            exact: tangent == Tangent::Exact,
            augment_all: false,
            curved: true,
            velocity_gain: motion.own_gain,
        };
        linearise_constraints::linearise_constraints(&self.structure, trial, time, terms, system);
        timer.end(Stage::LineariseConstraints, report);
        let inertia = system.factorise_for_solve(arithmetic)?;
        timer.clock.spend(Work { operations: system.flops(), segments: system.segments });
        timer.end(Stage::Factor, report);
        Ok(inertia.negative)
    }

    /// Strains from which Kelvin–Voigt stresses are counted. With one Euler solve they are the present ones,
    /// and nothing is to be remembered. On a winch they are those before the material slid, `spooled`, for
    /// whatever begins where the step does: what a slide does to them is no motion.
    fn viscous_reference(
        &self,
        params: &StepParams,
        second_order: bool,
        trial: &crate::world::State,
        spooled: &[Vec<f64>],
        strains: &mut [Vec<f64>],
        before: &mut [Vec<f64>],
    ) {
        let remembers = params.solves > 1 || params.integrator == Integrator::Bdf2;
        for (k, object) in self.structure.objects.iter().enumerate() {
            let model = object.model();
            let slid = spooled.get(k).filter(|slid| !slid.is_empty() && trial.time == self.state.time);
            if model.internal_damping() == 0.0 || !(remembers || slid.is_some()) {
                before[k].clear();
                continue;
            }
            match slid {
                Some(slid) => strains[k].clone_from(slid),
                None => model.strains(object.own(&trial.q, &trial.frames), &mut strains[k]),
            }
            before[k].clone_from(&strains[k]);
            if second_order && let Some(last) = trial.history.strains.get(k) {
                // ε̇ = (3ε − 4ε_n + ε_{n−1})/(2h) = c₁ (ε − (4ε_n − ε_{n−1})/3)
                for (b, l) in before[k].iter_mut().zip(last) {
                    *b = (4.0 * *b - l) / 3.0;
                }
            }
        }
    }

    /// Size of the structure, m: the scale of tolerances. The longest rod; without rods, how far the masses
    /// are spread and held.
    pub(crate) fn size(&self) -> f64 {
        let longest = self.structure.objects.iter().filter_map(|o| o.model().extent()).fold(0.0, f64::max);
        if longest > 0.0 {
            return longest;
        }
        let (mut low, mut high) = (glam::DVec3::MAX, glam::DVec3::MIN);
        let targets = self.structure.constraints.iter().filter_map(|c| c.law.centre(self.state.time));
        for x in self.state.q.chunks_exact(4).map(|q| glam::DVec3::new(q[0], q[1], q[2])).chain(targets) {
            (low, high) = (low.min(x), high.max(x));
        }
        // A single mass at its target has no size of its own.
        let spread = low.distance(high);
        if spread > LEAST_SPREAD && spread.is_finite() { spread } else { 1.0 }
    }
}

use params::{RETRIES, RETRY_SOLVES};

/// Parts of a step, at most, in which winches move: as many as a refused one may have.
const MOST_PARTS: f64 = 64.0;

/// Masses that are nearer to each other than this, m, say nothing about the size of their structure.
const LEAST_SPREAD: f64 = 1e-3;

/// `d − c₀ Δ` and `c₁ Δ − e`, Δ the increment so far: Euler has d = v/h, e = 0; BDF2 has d = 3Δ₋/(4h²) + (4v
/// − v₋)/(2h), e = Δ₋/(2h).
#[expect(clippy::too_many_arguments, reason = "the terms of the two formulas")]
fn start_of_motion(
    second_order: bool,
    h: f64,
    c0: f64,
    c1: f64,
    v: &[f64],
    history: &crate::world::History,
    so_far: Option<&[f64]>,
    inertia: &mut [f64],
    velocity: &mut [f64],
) {
    if let (false, None) = (second_order, so_far) {
        inertia.iter_mut().zip(v).for_each(|(inertia, v)| *inertia = c1 * v);
        velocity.fill(0.0);
        return;
    }
    for i in 0..v.len() {
        let (d, e) = if second_order {
            let last = history.increment[i];
            (3.0 * last / (4.0 * h * h) + (4.0 * v[i] - history.velocity[i]) / (2.0 * h), last / (2.0 * h))
        } else {
            (v[i] / h, 0.0)
        };
        let increment = so_far.map_or(0.0, |sum| sum[i]);
        inertia[i] = d - c0 * increment;
        velocity[i] = c1 * increment - e;
    }
}

/// New velocities, time and history of the trial state.
#[expect(clippy::too_many_arguments, reason = "what is remembered of a step")]
fn finish(
    params: &StepParams,
    second_order: bool,
    h: f64,
    c1: f64,
    end: f64,
    increment: &[f64],
    strains: &mut [Vec<f64>],
    trial: &mut crate::world::State,
) {
    trial.time = end;
    if params.integrator == Integrator::Euler {
        trial.v.clear();
        trial.v.extend(increment.iter().map(|d| c1 * d));
        trial.history.step = 0.0;
        return;
    }
    let history = &mut trial.history;
    history.increment.resize(increment.len(), 0.0);
    history.velocity.resize(increment.len(), 0.0);
    history.strains.resize(strains.len(), Vec::new());
    for i in 0..increment.len() {
        let before = trial.v[i];
        trial.v[i] = c1 * increment[i] - if second_order { history.increment[i] / (2.0 * h) } else { 0.0 };
        (history.increment[i], history.velocity[i]) = (increment[i], before);
    }
    for (kept, present) in history.strains.iter_mut().zip(strains) {
        kept.clone_from(present);
    }
    history.step = h;
}

/// Largest displacement of a node.
pub(crate) fn largest_displacement(increment: &[f64]) -> f64 {
    increment.chunks_exact(4).map(|d| d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).fold(0.0, f64::max).sqrt()
}
