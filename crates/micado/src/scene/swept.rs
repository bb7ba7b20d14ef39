//! Method for bilateral constraints: factored with the objects, or swept for comparison.

use super::{Integrator, Mode, Settings, is_default};
use crate::error::{BuildError, check};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Method for bilateral constraints in dynamic steps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConstraintMethod {
    /// They are rows of the factored system and hold to rounding.
    #[default]
    Factored,
    /// Reference mode: only the objects are factored. Each constraint is a block of rows, and block
    /// Gauss–Seidel sweeps over all blocks, bilateral and non-smooth, as in the paper on unified interaction
    /// of constraints. Equilibria (`settle`) are factored. Sliding constraints, clips, strengths and
    /// inextensible rods are refused.
    Swept,
}

/// Limits of the sweeps with `constraints = "swept"`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SweepSettings {
    /// Largest number of sweeps in a solve. If it is reached before the tolerance, the forces of the step are
    /// not final.
    #[schemars(extend("minimum" = 1))]
    pub most: usize,
    /// The sweeps stop when no visit changes a displacement by more than this share of the structure's size.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub tolerance: f64,
}

impl Default for SweepSettings {
    fn default() -> Self {
        Self { most: 5000, tolerance: 1e-7 }
    }
}

impl Settings {
    /// Limits of the sweeps, if bilateral constraints are swept.
    pub(crate) fn swept(&self) -> Option<SweepSettings> {
        (self.constraints == ConstraintMethod::Swept).then_some(self.sweeps)
    }

    /// Checks that the mode can sweep bilateral constraints, and the limits of the sweeps.
    pub(crate) fn check_swept(&self) -> Result<(), BuildError> {
        check::positive("sweeps.tolerance", self.sweeps.tolerance)?;
        if self.sweeps.most == 0 {
            return Err(BuildError::new("sweeps.most", "it is 0", "give at least 1"));
        }
        let remedy = "use constraints = \"factored\"";
        if self.swept().is_none() {
            return if is_default(&self.sweeps) {
                Ok(())
            } else {
                Err(BuildError::new("sweeps", "constraints are factored", "add constraints = \"swept\""))
            };
        }
        if self.mode != Mode::Dynamic {
            let problem = "only dynamic steps can sweep constraints";
            return Err(BuildError::new("constraints", problem, remedy));
        }
        if self.integrator == Integrator::Explicit {
            let problem = "explicit steps can't sweep constraints";
            return Err(BuildError::new("constraints", problem, remedy));
        }
        Ok(())
    }
}
