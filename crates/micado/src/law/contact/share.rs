//! Shared forces: chooses one of many solutions.
//!
//! If a body has more contacts than it needs, W is singular and forces are not unique. Those with the least
//! Σ w f² are sought: the corners of a box then share its weight. They are the limit for ε₀ → 0 of the forces
//! with W + ε₀ D in place of W, which are unique. ε₀ is so small that these obey the laws within a given
//! length; contacts whose gaps agree within it share forces. From there, Newton without ε₀ makes the motion
//! exact, and changes forces that are not unique as little as possible.

use super::newton::{CHANGE, LEAST_SHIFT};
use super::{Blocks, Limits, Outcome, Scratch};

/// Largest ε₀.
const MOST_EVENING: f64 = 1e-4;
/// First ε₀ if the last one does not succeed at once; most iterations with each ε₀, twice as many with the
/// last.
const FIRST_EVENING: f64 = 1e-3;
const ITERATIONS: usize = 4;
/// Largest residual with ε₀ at which forces are accurate, as a share of the residual that ε₀ causes; the
/// second value if ε₀ fell from its first one.
const EXACT: f64 = 1e-3;
const ROUGH: f64 = 0.1;
/// Most iterations without ε₀.
const LAST: usize = 8;

impl Blocks {
    /// Iterates from the best candidate to the forces with the least Σ w f². Returns whether the best
    /// candidate now has these; otherwise it has no more residual than before.
    pub(super) fn share_forces(&self, how: Limits, scratch: &mut Scratch, outcome: &mut Outcome) -> bool {
        let size = self.size_of(&scratch.best).max(scratch.best.residual);
        let last = (how.sharing / size).clamp(LEAST_SHIFT, MOST_EVENING);
        // From the forces of the last step, the last ε₀ mostly succeeds at once.
        let is_shared = [last, FIRST_EVENING.max(last)].into_iter().any(|first| {
            scratch.present.copy_from(&scratch.best);
            let mut evening = first;
            loop {
                // Before the last ε₀, a rough solution will do.
                let limit = match evening > last {
                    true => f64::INFINITY,
                    false if first > last => ROUGH * evening * size,
                    false => EXACT * evening * size,
                };
                match self.share_with(how, (evening, limit), scratch, outcome) {
                    Some(is_found) if evening <= last => return is_found,
                    None => return false,
                    Some(_) => evening = (evening / CHANGE).max(last),
                }
            }
        });
        if !is_shared {
            return false;
        }
        // Without ε₀, from these forces.
        let Scratch { best, before, newton, .. } = &mut *scratch;
        before.copy_from(best);
        best.copy_from(&newton.trial);
        self.solve_newton(how, (LAST, last, last), scratch, outcome);
        let Scratch { best, before, .. } = scratch;
        let is_good = best.residual <= how.tolerance;
        if !is_good && before.residual < best.residual {
            best.copy_from(before);
        }
        is_good
    }

    /// Iterates with one ε₀. Returns whether the last step kept the split of all blocks and left a residual
    /// below a limit, m; `None` if there was no step.
    fn share_with(
        &self,
        how: Limits,
        (evening, limit): (f64, f64),
        scratch: &mut Scratch,
        outcome: &mut Outcome,
    ) -> Option<bool> {
        let Scratch { order, present, newton, .. } = scratch;
        let mut before = f64::INFINITY;
        for _ in 0..if limit.is_finite() { 2 * ITERATIONS } else { ITERATIONS } {
            if !self.iterate(how, [0.0, evening], (order, present, newton), outcome) {
                return None;
            }
            let mut left = self.sum_of_squares(order, present, evening).sqrt();
            if left <= limit && self.splits_alike(present, evening, newton) {
                return Some(true);
            }
            if left > before {
                // Half of a step breaks cycles.
                for &i in &*order {
                    present.forces[i] -= 0.5 * newton.step[i];
                    present.delta[i] -= 0.5 * newton.motion[i];
                }
                left = self.sum_of_squares(order, present, evening).sqrt();
            }
            before = left;
        }
        Some(false)
    }
}
