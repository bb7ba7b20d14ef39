//! Strength: bounds on the multipliers of a constraint, beyond which it gives way.

use super::{ConstraintState, Law};
use crate::law::BlockLaw;

impl Law {
    /// Whether its multipliers may have bounds.
    pub(crate) fn may_give(&self) -> bool {
        matches!(self, Self::Clip(_))
    }

    /// The bounds on its multipliers: the first row that a law is about, and the law; the next rows of the
    /// constraint belong to it as well.
    pub(crate) fn strengths(&self, mut out: impl FnMut(usize, BlockLaw)) {
        if let Self::Clip(law) = self {
            law.strengths(&mut out);
        }
    }

    /// Largest share of its strength that the multipliers take up; 0 where it has no limit.
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
    /// The force that would have held, as a share of the strength.
    pub load: f64,
    /// Force with which it gave, N.
    pub force: f64,
    /// Moment with which it gave, N·m.
    pub moment: f64,
}

impl Broke {
    /// A constraint with what it remembers of its last solve. Its first three rows are along perpendicular
    /// axes, and so are the others.
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
