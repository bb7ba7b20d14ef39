//! Springs and dampers along rows: viscosity and servos of joints.
//!
//! A soft row has no multiplier. g is its displacement from the target and ġ the rate of g. Its force on the
//! first end is `f = −k g − c ġ`. It adds `(k + c₁ c) JᵀJ` and the curvature −f ∂²g to A.

use super::{Curvature, ENDS, KindMemory, Law, Row, Site};

/// A spring and a damper along a row.
#[derive(Clone, Copy, Debug)]
pub struct SoftRow {
    /// J; its violation is unused.
    pub row: Row,
    /// Its number among the soft rows of the constraint.
    pub number: usize,
    /// Stiffness k, N/m or N·m/rad.
    pub stiffness: f64,
    /// Damping c, N·s/m or N·m·s/rad.
    pub damping: f64,
    /// k times the displacement from the target, N or N·m.
    pub elastic: f64,
    /// c times the rate of the target, N or N·m.
    pub drag_of_target: f64,
}

impl SoftRow {
    /// Energy of its spring, J: ½ k g².
    pub fn energy(&self) -> f64 {
        if self.stiffness > 0.0 { 0.5 * self.elastic * self.elastic / self.stiffness } else { 0.0 }
    }

    /// Its force at this rate J v of the row.
    pub fn force(&self, rate: f64) -> f64 {
        self.drag_of_target - self.elastic - self.damping * rate
    }
}

impl Law {
    /// Whether it has soft rows.
    pub(crate) fn is_soft(&self) -> bool {
        matches!(self, Self::Joint(law) if law.is_soft())
    }

    /// Calls `out` for each soft row.
    pub(crate) fn soft_rows(
        &self,
        [a, b]: &[Site; ENDS],
        kind: &KindMemory,
        time: f64,
        out: impl FnMut(&SoftRow),
    ) {
        if let Self::Joint(law) = self {
            law.soft_rows(a, b, kind, time, out);
        }
    }

    /// Curvature −f ∂²g of a soft row with this force.
    pub(crate) fn soft_curvature(&self, [a, b]: &[Site; ENDS], number: usize, force: f64) -> Curvature {
        match self {
            Self::Joint(law) => law.curvature_of_coordinate(a, b, number, force),
            _ => Curvature::default(),
        }
    }
}
