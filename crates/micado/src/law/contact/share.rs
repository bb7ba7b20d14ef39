//! Share forces: chooses one of many solutions.
//!
//! Where more contacts touch than a body needs, W is singular, and forces are not unique. Those with the
//! least Σ w f² are wanted: the corners of a box then share its weight. They are the limit for ε₀ → 0 of the
//! forces with W + ε₀ D in place of W, which are unique. ε₀ is so small that these obey the laws within a
//! tenth of the tolerance; contacts share forces where gaps agree within that. A last correction with the
//! same factors, but without ε₀, makes the motion exact.

use super::newton::{CHANGE, LEAST_SHIFT};
use super::{Blocks, Limits, Outcome, Scratch};

/// Residual that ε₀ causes, as a share of the tolerance, and the largest ε₀.
const OF_TOLERANCE: f64 = 0.1;
const MOST_EVENING: f64 = 1e-5;
/// First ε₀ if the last one does not succeed at once, and most iterations with each.
const FIRST_EVENING: f64 = 1e-3;
const ITERATIONS: usize = 4;
/// Residual with W + ε₀ D, as a share of what ε₀ causes, that leaves forces accurate.
const EXACT: f64 = 1e-4;

/// Result of the iterations with one ε₀.
#[derive(Clone, Copy, Debug, Default)]
struct Shared {
    /// Whether the last step split no block in another way.
    is_alike: bool,
    /// Whether the residual also is below its limit.
    is_exact: bool,
}

impl Blocks {
    /// Iterates from the best candidate to the forces with the least Σ w f². Returns whether the best
    /// candidate now has these.
    pub(super) fn share_forces(&self, how: Limits, scratch: &mut Scratch, outcome: &mut Outcome) -> bool {
        let size = self.size_of(&scratch.best).max(scratch.best.residual);
        let last = (OF_TOLERANCE * how.tolerance / size).clamp(LEAST_SHIFT, MOST_EVENING);
        // From the forces of the last step it is mostly enough to begin with the last ε₀.
        for first in [last, FIRST_EVENING] {
            scratch.present.copy_from(&scratch.best);
            let mut evening = first;
            loop {
                let limits = (evening, if evening > last { f64::INFINITY } else { EXACT * evening * size });
                let Some(found) = self.share_with(how, limits, scratch, outcome) else { return false };
                if evening > last {
                    evening = (evening / CHANGE).max(last);
                    continue;
                }
                if (found.is_exact || first > last && found.is_alike) && self.keep_exact(how, scratch) {
                    return true;
                }
                break;
            }
        }
        false
    }

    /// Iterates with one ε₀, until no block is split in another way and the residual is below a limit.
    fn share_with(
        &self,
        how: Limits,
        (evening, limit): (f64, f64),
        scratch: &mut Scratch,
        outcome: &mut Outcome,
    ) -> Option<Shared> {
        let Scratch { order, present, best, newton, .. } = scratch;
        let (mut before, mut found) = (f64::INFINITY, Shared::default());
        for _ in 0..ITERATIONS {
            if !self.iterate(how, [0.0, evening], (order, present, newton), outcome) {
                return None;
            }
            if newton.trial.residual < best.residual {
                best.copy_from(&newton.trial);
            }
            let mut left = self.sum_of_squares(order, present, evening);
            if left > before {
                // Half of a step breaks cycles.
                for &i in &*order {
                    present.forces[i] -= 0.5 * newton.step[i];
                    present.delta[i] -= 0.5 * newton.motion[i];
                }
                left = self.sum_of_squares(order, present, evening);
            }
            before = left;
            let is_alike = self.splits_alike(present, evening, newton);
            found = Shared { is_alike, is_exact: is_alike && left.sqrt() <= limit };
            if found.is_exact {
                break;
            }
        }
        Some(found)
    }

    /// Makes the motion of the present forces exact, and keeps the forces if their residual is within the
    /// tolerance.
    fn keep_exact(&self, how: Limits, scratch: &mut Scratch) -> bool {
        let Scratch { order, present, best, newton, .. } = scratch;
        self.make_exact(order, present, newton);
        let found = if present.residual < newton.trial.residual { present } else { &mut newton.trial };
        let is_good = found.residual <= how.tolerance;
        if is_good {
            best.copy_from(found);
        }
        is_good
    }
}
