//! Laws of non-smooth rows: pure functions on small arrays, and the sweeps that solve many of them together.
//!
//! A row has a displacement δ of the step and a force f that works on it: `δ = W f + b`, W the compliance
//! that the factored system leaves in constraint space. A law says which pairs (f, δ) are allowed. One visit
//! of a block finds its f for `δ = w f + k`, where k holds b and everything that other rows push.

mod ball;
mod bounded;
mod sliding;
mod sweep;
mod unilateral;

pub use ball::ball;
pub use bounded::bounded;
pub use sliding::{Normal, sliding};
pub use sweep::{Outcome, Problem, Sweeps};
pub use unilateral::unilateral;

/// The law of one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RowLaw {
    /// 0 ≤ f ⊥ δ ≥ 0: pushes, never pulls.
    Unilateral,
    /// least ≤ f ≤ most; inside δ = 0.
    Bounded {
        /// N
        least: f64,
        /// N
        most: f64,
    },
    /// |f| ≤ μ |n|, n the normal force, which itself answers to f; inside δ = 0, at the bound f is against δ.
    Sliding {
        /// μ
        friction: f64,
    },
    /// |f| ≤ most of this row and the next ones together, `rows` in all; inside δ = 0, at the bound δ is against f.
    Ball {
        /// How many: at most 3.
        rows: usize,
        /// N
        most: f64,
    },
    /// A row that the ball of one before it is about.
    OfBall,
}

impl RowLaw {
    /// The share of what is allowed that the forces of its rows take up; infinite if nothing is allowed. 0
    /// where there is no limit.
    pub fn load(&self, forces: &[f64]) -> f64 {
        let share = |force: f64, most: f64| if force <= 0.0 { 0.0 } else { force / most };
        match *self {
            Self::Bounded { least, most } => share(forces[0], most).max(share(-forces[0], -least)),
            Self::Ball { rows, most } => {
                share(forces[..rows].iter().map(|f| f * f).sum::<f64>().sqrt(), most)
            }
            Self::Unilateral | Self::Sliding { .. } | Self::OfBall => 0.0,
        }
    }
}
