//! Strength: bounds on the multipliers of a constraint, beyond which it yields.

use super::{ConstraintState, Law};
use crate::law::BlockLaw;

impl Law {
    /// Whether its multipliers may have bounds.
    pub(crate) fn may_give(&self) -> bool {
        match self {
            Self::Clip(_) => true,
            Self::Joint(law) => law.may_break(),
            _ => false,
        }
    }

    /// Calls `out` for each bound on its multipliers, with the first row of the law and the law; the law also
    /// covers the rows that follow.
    pub(crate) fn strengths(&self, mut out: impl FnMut(usize, BlockLaw)) {
        match self {
            Self::Clip(law) => law.strengths(&mut out),
            Self::Joint(law) => law.strengths(&mut out),
            _ => {}
        }
    }

    /// Number of its first rows, which hold displacements, and of the next rows, which hold rotations. The
    /// axes of each group are perpendicular.
    fn held_rows(&self) -> [usize; 2] {
        if let Self::Joint(law) = self { law.held_rows() } else { [3, 3] }
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
    /// From the law of a constraint and the state of its last solve.
    pub(crate) fn new(constraint: usize, load: f64, law: &Law, memory: &ConstraintState) -> Self {
        let norm = |rows: &[f64]| rows.iter().map(|x| x * x).sum::<f64>().sqrt();
        let [forces, moments] = law.held_rows();
        Self {
            constraint,
            load,
            force: norm(&memory.multipliers[..forces]),
            moment: norm(&memory.multipliers[forces..forces + moments]),
        }
    }
}
