//! Statics: the equilibrium of the structure at a time.
//!
//! Newton on `∇U − f − Jᵀλ = 0, g = 0` with the exact Hessian and constraint curvature. The inertia of the
//! factor decides each step: with the right number of negative pivots (one per constraint row) the step goes
//! downhill. Otherwise a mass-like term σM is raised until it does, and lowered again after every good step,
//! so that it vanishes. The term also stabilises structures that only tension or load holds until their
//! multipliers are known. An equilibrium with the wrong inertia is unstable: the search leaves it along its
//! unstable mode. Without `leave_unstable` the search is plain Newton, whatever the inertia.

use super::assemble::Assembly;
use super::commit::{advance, worst_miss};
use super::finish_sliding::finish_sliding;
use super::floating::floating;
use super::linearise_constraints::ConstraintTerms;
use super::linearise_objects::{Motion, residual_force};
use super::order::System;
use super::params::{CONFLICT, StaticParams};
use super::report::{Stage, StepReport};
use super::workspace::Workspace;
use super::{Timer, largest_displacement, largest_turn};
use crate::clock::Clock;
use crate::constraint::{Broke, ENDS, Rows};
use crate::contact::{ContactSource as _, Sources};
use crate::object::rod::Tangent;
use crate::scene::Hessian;
use crate::world::State;
use crate::world::sliding::{impose_sliding, move_windows, windows_hold};
use crate::world::{Refusal, Spot};
use crate::world::{Structure, World};
use glam::DVec3;
use micado_linalg::Arithmetic;

/// Largest displacement in one iteration, as a share of the structure's size.
const CEILING: f64 = 0.3;
/// A rod that is stretched by more than this is soft: its state gives a better tension than the last solve,
/// and increments are shorter.
const SOFT: f64 = 0.1;
/// `CEILING` if a rod is soft or something slides.
const SOFT_CEILING: f64 = 0.1;
/// Largest roll in one iteration, rad.
const ROLL_CEILING: f64 = 0.7;
/// Iterations with the ceiling only. Bending a stiff rod overshoots in stretch, and the next iteration
/// corrects it. A line search would only shorten the steps, so it starts late, when Newton fails for another
/// reason.
const LINE_SEARCH_AFTER: usize = 120;
/// Least cosine between old and new tangents in one iteration.
const TURN_COSINE: f64 = 0.6;
/// The least mass-like term, relative to the fastest local motion of the mesh.
const LEAST_SIGMA: f64 = 1e-13;
/// A pivot below this share of its diagonal entry is a zero mode.
pub(super) const ZERO_PIVOT: f64 = 1e-13;
/// With more unstable modes than these a mass-like term would favour the crumpling of single segments; the
/// positive semidefinite Hessian is used instead.
const MANY_UNSTABLE: usize = 4;
/// Largest increment, as a share of the structure's size, at which a stalled search counts as converged to
/// rounding. Steps as short as that are not shortened.
const CLOSE: f64 = 1e-6;
/// The search has stalled when this many increments in a row are not below this share of the least one
/// before: rounding makes them fluctuate, Newton makes them fall faster.
const STALLED: usize = 3;
const PROGRESS: f64 = 0.9;
/// Tolerance of rolls relative to `tolerance`: a tenth of a microradian by default, which is the tolerance at
/// the surface of a rod of 1000 diameters.
const ROLL_TOLERANCE: f64 = 1e3;
/// Allowed residual of an equilibrium, as a share of the acting forces.
const BALANCE: f64 = 1e-4;
/// Rounding of internal forces, as a share of stiffness times the structure's size.
const ROUNDING: f64 = 1e-13;
/// Most updates of the pattern for sliding ends in one search.
const MOST_WINDOWS: usize = 200;
/// Most halvings of a step: to a thousandth or less, below which no direction is worth another try.
const SHORTENINGS: usize = 12;
/// Mass-like terms to try, in decades from the least: above the stiffness after 13, above load and
/// augmentation after some more.
const TERMS: usize = 40;
/// Mass-like term if nothing is stiff or loaded, 1/s²: any positive number will do.
const NOTHING_STIFF: f64 = 1e-6;
/// A search diverges if it has moved a node by this many times the structure's size, and still moves it.
const DIVERGED: f64 = 10.0;
/// Most parts of the motion of winches between two equilibria.
const MOST_SLIDES: f64 = 1e4;
/// Most departures from unstable equilibria.
const DEPARTURES: usize = 6;
/// Inverse iterations for the mode of departure: any mixture of growing modes will do, so they need not
/// converge.
const INVERSE_ITERATIONS: usize = 40;
/// Displacement with which an unstable equilibrium is left, as a share of the structure's size.
const DEPARTURE: f64 = 0.01;

/// Overload at which a constraint yields in an equilibrium; less is within the tolerance.
const OVERLOAD: f64 = 1.0 + 1e-6;

/// Result of the factorisation of an iteration.
struct Factored {
    /// Negative pivots beyond those of the constraint rows, before any mass-like term beyond the least.
    unstable: usize,
    /// Mass-like term of the step.
    sigma: f64,
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
        if workspace.prepare(self, true) {
            timer.end(Stage::OrderUnknowns, &mut report);
        }
        workspace.trial.copy_from(&self.state);
        impose_sliding(&self.structure, time, &mut workspace.trial);
        let mut outcome = match floating(&self.structure, &workspace.trial, time, &mut workspace.force) {
            Some(object) => Err(Refusal::Floats { object }),
            None => self.iterate(time, params, workspace, &mut timer, &mut report),
        };
        if outcome == Err(Refusal::SlidTooFar) {
            // If a sliding end has left the pattern, continue from there with a new one.
            let before = self.state.clone();
            for _ in 0..MOST_WINDOWS {
                self.state.copy_from(&workspace.trial);
                move_windows(&self.structure, &mut self.state);
                workspace.prepare(self, true);
                timer.end(Stage::OrderUnknowns, &mut report);
                workspace.trial.copy_from(&self.state);
                outcome = self.iterate(time, params, workspace, &mut timer, &mut report);
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

    fn iterate(
        &self,
        time: f64,
        params: &StaticParams,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        let Workspace { system, trial, force, scratch, carried, .. } = workspace;
        let system = system.as_mut().expect("prepared before");
        let mut tensions = Tensions { carried, known: false, soft: self.structure.slides() };
        let arithmetic: Arithmetic = params.arithmetic.into();
        let structure = &self.structure;
        let size = self.size();
        let mut base = trial.clone();
        let (mut sigma, mut departures) = (0.0, 0);
        let (mut best, mut stalled) = (f64::MAX, 0);
        let mut rounding = None;
        let mut balance = [Vec::new(), Vec::new()];
        for iteration in 0..params.iterations {
            if !windows_hold(structure, trial) {
                return Err(Refusal::SlidTooFar);
            }
            base.copy_from(trial);
            let search = Search { structure, base: &base, time, params, size, carried: tensions.carried() };
            let factored = search.make_step(sigma, system, scratch, timer, report)?;
            sigma = factored.sigma;
            report.solves += 1;
            report.unstable_modes = factored.unstable;
            // At the start: a segment that crumples during the search becomes extremely stiff.
            let rounding = *rounding.get_or_insert_with(|| {
                let [displacement, roll] = system.stiffness();
                [ROUNDING * size * displacement, ROUNDING * roll]
            });

            // Ceiling; later a line search on the work of the residual along the step.
            let (moved, turned) = largest_increments(structure, system.increment());
            let moved = moved.max(system.largest_sliding());
            let ceiling = if tensions.soft { SOFT_CEILING } else { CEILING };
            let mut share = (ceiling * size / moved).min(ROLL_CEILING / turned).min(1.0);
            // A saddle is not downhill.
            let searches = iteration >= LINE_SEARCH_AFTER && params.leave_unstable;
            let downhill = if searches { work(structure, &base, time, system, force, scratch) } else { 0.0 };
            for _ in 0..SHORTENINGS {
                trial.copy_from(&base);
                let least = advance(structure, system, share, arithmetic, None, trial);
                if least.is_nan() || least < TURN_COSINE {
                    share *= 0.5;
                    continue;
                }
                if downhill <= 0.0 || moved <= CLOSE * size {
                    break;
                }
                let slope = work(structure, trial, time, system, force, scratch);
                if slope >= -0.5 * downhill {
                    break;
                }
                share *= (downhill / (downhill - slope)).clamp(0.1, 0.7);
            }
            tensions.follow(structure, [&base, trial], system.increment(), share, arithmetic);
            timer.end(Stage::Commit, report);
            report.last_increment = moved;

            // The mass-like term decreases as long as steps are not shortened.
            sigma = if share == 1.0 { 0.1 * sigma } else { sigma };
            let (miss, _) = worst_miss(structure, trial, time);
            let small = moved <= params.tolerance * size && turned <= ROLL_TOLERANCE * params.tolerance;
            stalled = if moved < PROGRESS * best { 0 } else { stalled + 1 };
            best = best.min(moved);
            // Rounding of stiff rods and of zero modes ends the descent above the tolerance.
            let settled = small || moved <= CLOSE * size && stalled >= STALLED;
            let held = miss <= CONFLICT * size.max(1.0) || report.conflicting_rows > 0;
            // The first solve finds tensions; only the next one includes their effect on stability.
            let knows_tensions = iteration > 0 || system.lengths.is_empty();
            if share == 1.0
                && settled
                && held
                && knows_tensions
                && system.is_balanced(&mut balance, rounding, arithmetic)
            {
                if factored.unstable == 0 || !params.leave_unstable || departures == DEPARTURES {
                    report.converged = true;
                    return Ok(());
                }
                departures += 1;
                tensions.known = false;
                depart(structure, system, size, departures, arithmetic, trial);
                (best, stalled) = (f64::MAX, 0);
            }
        }
        let (node, distance) = self.farthest(trial);
        if distance > DIVERGED * size && report.last_increment > CLOSE * size {
            return Err(Refusal::RunsAway { at: system.spot(node) });
        }
        Ok(())
    }

    /// The node that moved farthest in a trial state, and its displacement.
    fn farthest(&self, trial: &State) -> (usize, f64) {
        let distances = self.state.q.chunks_exact(4).zip(trial.q.chunks_exact(4)).map(|(a, b)| {
            let d: [f64; 3] = std::array::from_fn(|k| b[k] - a[k]);
            (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt()
        });
        distances.enumerate().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0))
    }
}

/// Input of an iteration.
#[derive(Clone, Copy)]
struct Search<'a> {
    structure: &'a Structure,
    /// The state at its beginning.
    base: &'a State,
    time: f64,
    params: &'a StaticParams,
    /// Size of the structure, m.
    size: f64,
    /// Stretches that the last iteration has solved for; empty if they are the present ones.
    carried: &'a [Vec<f64>],
}

/// The tensions of a search: N of the last solve, `N⁺ = EA (ε + BΔ)`, not EA ε of the state.
///
/// An increment that turns an edge by φ stores `½ EA l (φ²/2)²`, which the next iteration would take for a
/// tension. It takes N instead, as the mixed form with rows `|e| − l = N l/EA`, condensed in the element,
/// would give it.
struct Tensions<'a> {
    carried: &'a mut [Vec<f64>],
    known: bool,
    /// Whether a rod is soft, or something slides along one: then the state gives the tension.
    soft: bool,
}

impl Tensions<'_> {
    fn carried(&self) -> &[Vec<f64>] {
        if self.known { self.carried } else { &[] }
    }

    /// Takes over the stretches of a solve; the trial state has moved by this share of its increment.
    fn follow(
        &mut self,
        structure: &Structure,
        [base, trial]: [&State; 2],
        increment: &[f64],
        share: f64,
        arithmetic: Arithmetic,
    ) {
        for (object, carried) in structure.objects.iter().zip(&mut *self.carried) {
            if carried.is_empty() || self.soft {
                continue;
            }
            let model = object.model();
            let led: Vec<f64> = increment[object.unknowns()].iter().map(|d| share * d).collect();
            let (mut before, mut solved) = (vec![0.0; carried.len()], vec![0.0; carried.len()]);
            model.stretches(object.own(&base.q, &base.frames), &mut before, arithmetic);
            let own = object.own(&trial.q, &trial.frames);
            let most = model.predicted_stretches(own, &led, &mut solved, arithmetic);
            self.soft |= most > SOFT;
            for ((carried, before), solved) in carried.iter_mut().zip(before).zip(solved) {
                let old = if self.known { *carried } else { before };
                // (1 − s) N + s EA (ε + BΔ)
                *carried = (1.0 - share) * (old - before) + solved;
            }
        }
        self.known = !self.soft;
    }
}

impl Search<'_> {
    /// Linearises and solves for an increment, with as much of a mass-like term as the inertia requires.
    fn make_step(
        &self,
        sigma: f64,
        system: &mut System,
        scratch: &mut Vec<f64>,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<Factored, Refusal> {
        let Self { structure, base, time, params, size, .. } = *self;
        let arithmetic: Arithmetic = params.arithmetic.into();
        let mut tangent = Tangent::from(params.hessian);
        let mut least_sigma = self.linearise(tangent, sigma, system, scratch, timer, report);
        let expected = 4 * system.dual_nodes();
        let mut unstable = None;
        let mut sigma = if sigma < least_sigma { 0.0 } else { sigma };
        let mut blame = Refusal::Singular { at: Spot::Unknown };
        for _ in 0..TERMS {
            system.set_mass_like(sigma);
            let factored = system.factorise(arithmetic);
            timer.end(Stage::Factor, report);
            if let Err(refusal) = factored {
                blame = refusal;
            }
            if let Ok(inertia) = factored {
                let extra = inertia.negative.saturating_sub(expected);
                // Newton may approach a saddle if `leave_unstable` is off.
                let stays = !params.leave_unstable && tangent == Tangent::Exact;
                let (weakest, pivot) = system.weakest_pivot();
                let regular = (inertia.negative == expected || stays) && pivot.abs() >= ZERO_PIVOT;
                blame = Refusal::Singular { at: system.spot(weakest) };
                // With the least mass-like term the count is that of the structure, without zero modes.
                if (sigma == least_sigma || extra == 0 && sigma == 0.0) && tangent == Tangent::Exact {
                    unstable = Some(extra);
                }
                if extra > MANY_UNSTABLE
                    && params.leave_unstable
                    && params.hessian == Hessian::Auto
                    && tangent == Tangent::Exact
                {
                    unstable.get_or_insert(extra);
                    (tangent, sigma) = (Tangent::Psd, 0.0);
                    least_sigma = self.linearise(tangent, sigma, system, scratch, timer, report);
                    continue;
                }
                if regular {
                    system.solve(2, size, arithmetic, report)?;
                    timer.end(Stage::FreeMotion, report);
                    system.collect_non_smooth(structure, base, time, 0.0);
                    system.solve_non_smooth(size, arithmetic, timer, report);
                    if unstable.is_none() && tangent == Tangent::Exact {
                        unstable = Some(system.count_unstable(least_sigma, sigma, expected, arithmetic));
                        timer.end(Stage::Factor, report);
                    }
                    return Ok(Factored { unstable: unstable.unwrap_or(0), sigma });
                }
            }
            sigma = (10.0 * sigma).max(least_sigma);
        }
        Err(blame)
    }

    /// Linearises objects and constraints, all rows augmented. Returns the least useful mass-like term.
    fn linearise(
        &self,
        tangent: Tangent,
        sigma: f64,
        system: &mut System,
        scratch: &mut Vec<f64>,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> f64 {
        let exact = tangent == Tangent::Exact;
        let assembly = Assembly {
            structure: self.structure,
            state: self.base,
            time: self.time,
            motion: &Motion { carried: self.carried, ..Motion::none(0.0) },
            tangent,
            terms: ConstraintTerms { exact, augment_all: true, curved: true, reach: 1.0, rule: None },
            arithmetic: self.params.arithmetic.into(),
        };
        let mut least_sigma = 0.0;
        assembly.write_between(system, scratch, timer, report, |system| {
            least_sigma = system.least_sigma(self.size);
            system.set_mass_like(sigma.max(least_sigma));
        });
        least_sigma
    }
}

/// The one of some constraints with the largest overload in an equilibrium.
pub(super) fn overloaded(world: &World, constraints: impl IntoIterator<Item = usize>) -> Option<Broke> {
    let mut found: Option<Broke> = None;
    for k in constraints {
        let (constraint, memory) = (&world.structure.constraints[k], &world.state.constraints[k]);
        let load = if memory.open { 0.0 } else { constraint.law.load(&memory.multipliers) };
        if load > OVERLOAD && found.is_none_or(|known| load > known.load) {
            found = Some(Broke::new(k, load, memory));
        }
    }
    found
}

/// Work of the residual `f − ∇U + Jᵀλ` along the solved increment, at a state: positive while the step goes
/// downhill.
fn work(
    structure: &Structure,
    state: &State,
    time: f64,
    system: &System,
    force: &mut [f64],
    scratch: &mut Vec<f64>,
) -> f64 {
    residual_force(structure, state, time, &Motion::none(0.0), force, scratch);
    let mut rows = Rows::default();
    let mut total: f64 = force.iter().zip(system.increment()).map(|(f, d)| f * d).sum();
    for ((constraint, memory), seat) in
        structure.constraints.iter().zip(&state.constraints).zip(&system.seats)
    {
        if memory.duplicate_of.is_some() {
            continue;
        }
        let places = constraint.places(&structure.objects, memory);
        let sites = constraint.sites(&places, structure.poses(state), memory, time);
        constraint.law.linearise(&sites, memory, time, &mut rows);
        let motion = system.motion_of(structure, &places, seat);
        for (r, row) in rows.iter().enumerate() {
            total -= system.solution[seat.first_row + r] * motion.along(row, &places, &sites);
        }
        if let Some(sliding) = constraint.law.sliding_mass() {
            let load = sliding.load(DVec3::from_array(structure.gravity.at(time)), time);
            total += load.dot(motion.of_sliding(&places[0], places[0].slice(&structure.objects, &state.q)));
        }
    }
    total + system.work_of_lengths(structure, state)
}

/// Leaves an unstable equilibrium along the mode that grows fastest, found by inverse iteration with the
/// present factor.
fn depart(
    structure: &Structure,
    system: &mut System,
    size: f64,
    departures: usize,
    arithmetic: Arithmetic,
    trial: &mut State,
) {
    let n = 4 * system.object_nodes;
    // A start without symmetry: the fractional parts of multiples of the golden ratio.
    let mut mode: Vec<f64> =
        (0..n).map(|i| (i as f64 * 0.618_033_988_749_895 + 0.1 * departures as f64).fract() - 0.5).collect();
    for _ in 0..INVERSE_ITERATIONS {
        system.solution.fill(0.0);
        for i in 0..n {
            system.solution[i] = system.lumped[i] * mode[i];
        }
        system.factor.solve(&system.symbolic, &mut system.solution, &mut system.scratch, arithmetic);
        let (moved, turned) = largest_increments(structure, &system.solution[..n]);
        let scale = 1.0 / moved.max(turned * size).max(f64::MIN_POSITIVE);
        for (m, x) in mode.iter_mut().zip(&system.solution) {
            *m = x * scale;
        }
    }
    let own = 4 * system.primal_nodes;
    let scale = DEPARTURE * size;
    for i in 0..own {
        system.solution[i] = if i < n { scale * mode[i] } else { 0.0 };
    }
    let kept: Vec<_> = trial.constraints.iter().map(|c| c.multipliers).collect();
    system.expect_tensions(structure, trial);
    advance(structure, system, 1.0, arithmetic, None, trial);
    for (state, multipliers) in trial.constraints.iter_mut().zip(kept) {
        state.multipliers = multipliers;
    }
}

/// Largest displacement and largest angle of an increment.
fn largest_increments(structure: &Structure, increment: &[f64]) -> (f64, f64) {
    (largest_displacement(structure, increment), largest_turn(structure, increment))
}

impl System {
    /// Puts σM, lumped, on the diagonal of objects and of sliding masses: on a straight piece nothing else
    /// holds the latter.
    fn set_mass_like(&mut self, sigma: f64) {
        self.mass_like = true;
        for (shift, mass) in self.shift.iter_mut().zip(&self.lumped) {
            *shift = sigma * mass;
        }
        for &(own, mass) in &self.sliding_mass {
            self.shift[4 * own] = sigma * mass;
        }
    }

    /// Sums of the stiffnesses of all nodes against displacement, N/m, and against roll, N·m.
    fn stiffness(&self) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for diagonal in (0..self.object_nodes).map(|node| &self.matrix.values()[self.matrix.row_start(node)])
        {
            (0..4).for_each(|a| sums[a / 3] += diagonal[5 * a].abs());
        }
        sums
    }

    /// Whether the residual f − ∇U + Jᵀλ before the solved step is small compared with f − ∇U and Jᵀλ, or
    /// with their `rounding`. The residual is (A + σM) Δ; small steps are not enough, since the mass-like
    /// term may cause them.
    fn is_balanced(
        &self,
        [moved, left]: &mut [Vec<f64>; 2],
        rounding: [f64; 2],
        arithmetic: Arithmetic,
    ) -> bool {
        let (objects, scalars) = (4 * self.object_nodes, self.scalars());
        moved.clear();
        moved.extend_from_slice(&self.solution[..4 * self.primal_nodes]);
        moved.resize(scalars, 0.0);
        left.resize(scalars, 0.0);
        self.matrix.multiply_with(moved, left, arithmetic);
        // Forces, and torques about the rods.
        let (mut unbalanced, mut acting) = ([0.0; 2], [0.0; 2]);
        for k in 0..objects {
            let (left, b, kind) = (left[k] + self.shift[k] * moved[k], self.rhs[k], k % 4 / 3);
            unbalanced[kind] += left.abs();
            acting[kind] += b.abs().max((b - left).abs());
        }
        (0..2).all(|kind| unbalanced[kind] <= BALANCE * acting[kind] + rounding[kind])
    }

    /// Largest sliding of an end along its rod or path in the solved increment, m.
    fn largest_sliding(&self) -> f64 {
        let slid = |k: usize, e: usize| {
            self.seats[k].own_scalar(e).map(|own| (self.solution[own] * self.sites[k][e].p.length()).abs())
        };
        (0..self.seats.len()).flat_map(|k| (0..ENDS).filter_map(move |e| slid(k, e))).fold(0.0, f64::max)
    }

    /// The least useful mass-like term: far below the stiffness of the mesh. Where nothing is stiff, the term
    /// that moves a body across the structure under its load.
    pub(crate) fn least_sigma(&self, size: f64) -> f64 {
        let (mut stiffest, mut loaded) = (0.0_f64, 0.0_f64);
        for node in 0..self.object_nodes {
            let diagonal = &self.matrix.values()[self.matrix.row_start(node)];
            // Unused scalars have no mass.
            for a in (0..3).filter(|a| self.lumped[4 * node + a] > 0.0) {
                stiffest = stiffest.max(diagonal[5 * a] / self.lumped[4 * node + a]);
                loaded = loaded.max(self.rhs[4 * node + a].abs() / (self.lumped[4 * node + a] * size));
            }
        }
        if stiffest > 0.0 { LEAST_SIGMA * stiffest } else { loaded.max(NOTHING_STIFF) }
    }

    /// The node of an object or an own unknown whose pivot is nearest to zero, and that pivot as a share of
    /// its diagonal entry.
    pub(crate) fn weakest_pivot(&self) -> (usize, f64) {
        let mut weakest = (0, f64::MAX);
        for node in 0..self.primal_nodes {
            let pivots = self.factor.pivots(&self.symbolic, node);
            let diagonal = &self.matrix.values()[self.matrix.row_start(node)];
            for a in 0..4 {
                let share =
                    pivots[a] / (diagonal[5 * a].abs() + self.shift[4 * node + a]).max(f64::MIN_POSITIVE);
                if share.abs() < weakest.1.abs() {
                    weakest = (node, share);
                }
            }
        }
        weakest
    }

    /// Negative pivots beyond those of the rows with the least mass-like term; leaves the factor at `sigma`.
    fn count_unstable(&mut self, least: f64, sigma: f64, expected: usize, arithmetic: Arithmetic) -> usize {
        self.set_mass_like(least);
        let count = self.factorise(arithmetic).map_or(0, |inertia| inertia.negative.saturating_sub(expected));
        self.set_mass_like(sigma);
        // Restores the factor of the step; it was regular with this term before.
        let _ = self.factorise(arithmetic);
        count
    }
}
