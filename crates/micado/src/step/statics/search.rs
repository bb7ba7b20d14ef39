//! The search for an equilibrium: Newton with limited steps.

use super::StaticScratch;
use super::departure::{Unstable, depart};
use super::increment::{Search, Sigma};
use super::residual::work;
use super::tensions::Tensions;
use crate::constraint::ENDS;
use crate::step::commit::{advance, worst_miss};
use crate::step::order::System;
use crate::step::params::{CONFLICT, StaticParams};
use crate::step::report::{Stage, StepReport};
use crate::step::workspace::Workspace;
use crate::step::{Timer, largest_displacement, largest_turn};
use crate::world::sliding::windows_hold;
use crate::world::{Refusal, State, Structure, World};
use micado_linalg::Arithmetic;

/// Largest displacement in one iteration, as a share of the structure's size.
const CEILING: f64 = 1.0;
/// The same if a rod is soft or something slides.
const SOFT_CEILING: f64 = 0.1;
/// Largest roll in one iteration, rad.
const ROLL_CEILING: f64 = 0.7;
/// Iterations with these limits only. Bending a stiff rod overshoots in stretch, and the next iteration
/// corrects it. A line search would only shorten the steps, so it starts late, when Newton fails for another
/// reason.
const LINE_SEARCH_AFTER: usize = 120;
/// Least cosine between old and new tangents in one iteration.
const TURN_COSINE: f64 = 0.6;
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
/// Most halvings of a step: to a thousandth or less, below which no direction is worth another try.
const SHORTENINGS: usize = 12;
/// A search diverges if it has moved a node by this many times the structure's size, and still moves it.
const DIVERGED: f64 = 10.0;
/// Difference between an equilibrium and the first increment, as a share of that increment, above which the
/// equilibrium may be on another branch.
const SURPRISE: f64 = 0.25;
/// Most departures from unstable equilibria.
const DEPARTURES: usize = 6;

impl World {
    /// Searches from the trial state, which ends at the equilibrium.
    pub(super) fn search(
        &self,
        time: f64,
        params: &StaticParams,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<(), Refusal> {
        let Workspace { system, trial, force, scratch, carried, statics, .. } = workspace;
        let system = system.as_mut().expect("prepared before");
        let StaticScratch { base, first, holding, balance, tensions } = statics;
        let soft = self.structure.slides();
        let mut tensions = Tensions { carried, known: false, soft, scratch: tensions };
        let arithmetic: Arithmetic = params.arithmetic.into();
        let structure = &self.structure;
        let size = self.size();
        holding.compute(structure, (trial, time), size, system, force);
        let (mut sigma, mut departures) = (Sigma::default(), 0);
        let (mut best, mut stalled) = (f64::MAX, 0);
        let mut rounding = None;
        for iteration in 0..params.iterations {
            if !windows_hold(structure, trial) {
                return Err(Refusal::SlidTooFar);
            }
            base.copy_from(trial);
            let (base, holding) = (&*base, &*holding);
            let search = Search { structure, base, time, params, size, carried: tensions.carried(), holding };
            let many = search.make_increment(&mut sigma, system, scratch, timer, report)?;
            report.solves += 1;
            report.strayed |= iteration > 0 && (many > 0 || sigma.value > sigma.floor);
            if iteration == 0 {
                first.clear();
                first.extend_from_slice(system.increment());
            }
            // Measured at the start: a segment that crumples during the search becomes extremely stiff.
            let rounding = *rounding.get_or_insert_with(|| system.rounding(structure, size));

            // Limits; later a line search on the work of the residual along the step.
            let (moved, turned) = largest_increments(structure, system.increment());
            let moved = moved.max(system.largest_sliding());
            let ceiling = if tensions.soft { SOFT_CEILING } else { CEILING };
            let mut share = (ceiling * size / moved).min(ROLL_CEILING / turned).min(1.0);
            // No line search on the way to a saddle, which is no minimum.
            let searches = iteration >= LINE_SEARCH_AFTER && params.leave_unstable;
            let downhill = if searches { work(structure, base, time, system, force, scratch) } else { 0.0 };
            for _ in 0..SHORTENINGS {
                trial.copy_from(base);
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
            tensions.follow(structure, [base, trial], system.increment(), share, arithmetic);
            timer.end(Stage::Commit, report);
            report.last_increment = moved;

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
                && !system.held_rows_break_their_law()
                && system.is_balanced(structure, balance, rounding, arithmetic)
            {
                // A regular factor without σS has shown that the state is stable.
                let unstable = if many == 0 && sigma.value == 0.0 && params.leave_unstable {
                    Unstable::default()
                } else {
                    // In an equilibrium the tensions are those of the state.
                    let search = Search { structure, base: trial, time, params, size, carried: &[], holding };
                    search.find_unstable(sigma, system, scratch, timer, report)
                };
                report.unstable_modes = unstable.count;
                if unstable.count == 0 || !params.leave_unstable || departures == DEPARTURES {
                    report.converged = true;
                    report.strayed |= self.is_surprising(trial, first);
                    return Ok(());
                }
                departures += 1;
                report.departures += 1;
                depart(structure, system, size, (&unstable.mode, departures), arithmetic, trial);
                tensions.known = false;
                (best, stalled) = (f64::MAX, 0);
            }
            if share == 1.0 {
                sigma.lower();
            }
        }
        let (node, distance) = self.farthest(trial);
        if distance > DIVERGED * size && report.last_increment > CLOSE * size {
            return Err(Refusal::RunsAway { at: system.spot(node) });
        }
        Ok(())
    }

    /// Whether a trial state differs from the prediction by the first increment. Overwrites that increment.
    fn is_surprising(&self, trial: &State, first: &mut [f64]) -> bool {
        let predicted = largest_displacement(&self.structure, first);
        let moved = self.farthest(trial).1;
        if predicted.max(moved) <= CLOSE * self.size() {
            return false;
        }
        for ((first, before), after) in first.iter_mut().zip(&self.state.q).zip(&trial.q) {
            *first -= after - before;
        }
        largest_displacement(&self.structure, first) > SURPRISE * predicted
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

/// Largest displacement and largest angle of an increment.
pub(super) fn largest_increments(structure: &Structure, increment: &[f64]) -> (f64, f64) {
    (largest_displacement(structure, increment), largest_turn(structure, increment))
}

impl System {
    /// Largest sliding of an end along its rod or path in the solved increment, m.
    fn largest_sliding(&self) -> f64 {
        let slid = |k: usize, e: usize| {
            self.seats[k].own_scalar(e).map(|own| (self.solution[own] * self.sites[k][e].p.length()).abs())
        };
        (0..self.seats.len()).flat_map(|k| (0..ENDS).filter_map(move |e| slid(k, e))).fold(0.0, f64::max)
    }
}
