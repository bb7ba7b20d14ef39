//! Strength: bounds on the multipliers of a constraint, beyond which it yields. A clip then opens and may
//! catch again; a joint, a fusion or a distance breaks.

use super::{ConstraintState, Force, Law, MAX_ROWS, Rows, Site};
use crate::describe::units;
use crate::error::{BuildError, check};
use crate::law::{BallRows, BlockLaw};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Strength of a constraint that breaks. The force and the moment of the directions that it holds count;
/// motors, limits and friction of free coordinates of a joint don't.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct JointStrength {
    /// Largest force, N.
    #[serde(deserialize_with = "units::optional_force", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("minimum" = 0))]
    pub force: Option<f64>,
    /// Largest moment, N·m.
    #[serde(deserialize_with = "units::optional_moment", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("minimum" = 0))]
    pub moment: Option<f64>,
}

impl JointStrength {
    /// Checks the strength `given` for a constraint; `what` names it in errors.
    pub(super) fn checked(given: Option<Self>, what: &str, holds_moment: bool) -> Result<Self, BuildError> {
        let strength = given.unwrap_or_default();
        for (path, most) in [("strength.force", strength.force), ("strength.moment", strength.moment)] {
            check::not_negative(path, most.unwrap_or(0.0))?;
        }
        if strength.moment.is_some() && !holds_moment {
            let problem = format!("{what} holds no moment");
            return Err(BuildError::new("strength.moment", problem, "give only `force`"));
        }
        Ok(strength)
    }
}

impl Law {
    /// Strength of a constraint that breaks, with the numbers of its first rows, which hold displacements,
    /// and of the next rows, which hold rotations.
    fn breaking(&self) -> Option<(JointStrength, [usize; 2])> {
        match self {
            Self::Joint(law) => Some((law.strength(), law.held_rows())),
            Self::Fusion(law) => Some((law.strength(), law.held_rows())),
            Self::Distance(law) => Some((law.strength(), [law.count(), 0])),
            _ => None,
        }
    }

    /// Whether it may break.
    pub(crate) fn may_break(&self) -> bool {
        self.breaking().is_some_and(|(strength, _)| strength != JointStrength::default())
    }

    /// Whether it has a load, as a share of its strength: a clip, a joint, or whatever may break.
    pub(crate) fn has_load(&self) -> bool {
        matches!(self, Self::Clip(_) | Self::Joint(_)) || self.may_break()
    }

    /// Whether its multipliers may have bounds.
    pub(crate) fn may_give(&self) -> bool {
        matches!(self, Self::Clip(_)) || self.may_break()
    }

    /// Calls `out` for each bound on its multipliers, with the first row of the law and the law; the law also
    /// covers the rows that follow.
    pub(crate) fn strengths(&self, mut out: impl FnMut(usize, BlockLaw)) {
        if let Self::Clip(law) = self {
            return law.strengths(&mut out);
        }
        let Some((strength, [forces, moments])) = self.breaking() else { return };
        for (first, count, most) in [(0, forces, strength.force), (forces, moments, strength.moment)] {
            let rows = match count {
                0 => continue,
                1 => BallRows::One,
                2 => BallRows::Two,
                _ => BallRows::Three,
            };
            if let Some(most) = most {
                out(first, BlockLaw::Ball { rows, most });
            }
        }
    }

    /// Number of its first rows, which hold displacements, and of the next rows, which hold rotations. The
    /// axes of each group are perpendicular.
    fn held_rows(&self) -> [usize; 2] {
        self.breaking().map_or([3, 3], |(_, rows)| rows)
    }

    /// Largest force, N, and largest moment, N·m, that the rows of a constraint that breaks can hold:
    /// infinite without a limit, zero without rows.
    pub(crate) fn capacity(&self) -> [f64; 2] {
        let Some((strength, [forces, moments])) = self.breaking() else { return [0.0; 2] };
        let of = |rows: usize, most: Option<f64>| if rows > 0 { most.unwrap_or(f64::INFINITY) } else { 0.0 };
        [of(forces, strength.force), of(moments, strength.moment)]
    }

    /// Force and moment of its rows on its first object, without those of motors, if it may break.
    pub(crate) fn held_force(
        &self,
        rows: &Rows,
        multipliers: &[f64; MAX_ROWS],
        site: &Site,
    ) -> Option<Force> {
        let (_, held) = self.breaking()?;
        let mut force = Force::default();
        for (row, multiplier) in rows.iter().zip(multipliers).take(held.iter().sum()) {
            force.add(row, *multiplier, site, 0);
        }
        Some(force)
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
