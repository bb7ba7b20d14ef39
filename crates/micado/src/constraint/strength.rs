//! Strength: bounds on the multipliers of a constraint, beyond which it yields.

use super::{ConstraintState, Law};
use crate::law::BlockLaw;

impl Law {
    /// Whether its multipliers may have bounds.
    pub(crate) fn may_give(&self) -> bool {
        matches!(self, Self::Clip(_))
    }

    /// Calls `out` for each bound on its multipliers, with the first row of the law and the law; the law also
    /// covers the rows that follow.
    pub(crate) fn strengths(&self, mut out: impl FnMut(usize, BlockLaw)) {
        if let Self::Clip(law) = self {
            law.strengths(&mut out);
        }
    }

    /// Largest share of its strength that the multipliers use; 0 without a limit.
    pub fn load(&self, multipliers: &[f64]) -> f64 {
        let mut most = 0.0_f64;
        self.strengths(|first, law| most = most.max(law.load(&multipliers[first..])));
        most
    }
}

/// A constraint that was loaded beyond its strength.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Broke {
    /// Constraint.
    pub constraint: usize,
    /// The force that would be needed to hold, as a share of the strength.
    pub load: f64,
    /// Force at which it yielded, N.
    pub force: f64,
    /// Moment at which it yielded, N·m.
    pub moment: f64,
}

impl Broke {
    /// A constraint with the state of its last solve. Its first three rows are along perpendicular axes, and
    /// so are the others.
    pub(crate) fn new(constraint: usize, load: f64, memory: &ConstraintState) -> Self {
        let norm = |rows: &[f64]| rows.iter().map(|x| x * x).sum::<f64>().sqrt();
        Self {
            constraint,
            load,
            force: norm(&memory.multipliers[..3]),
            moment: norm(&memory.multipliers[3..6]),
        }
    }
}
