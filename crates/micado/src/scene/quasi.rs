//! Settings of the quasi-dynamic mode.

use crate::clock::CostModel;
use crate::describe::units;
use crate::error::{BuildError, check};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the quasi-dynamic mode chooses steps, and what they cost on the virtual clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QuasiSettings {
    /// Power of the free length in the time step of an island, `step (l_free/l)^e`: 1 for ropes under
    /// tension, 2 for stiff cables.
    pub exponent: f64,
    /// Least time step of an island, s. Without it, a 64th of the step.
    #[serde(deserialize_with = "units::optional_time", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub least_step: Option<f64>,
    /// What a pass costs on the virtual clock, by which runs are made.
    pub cost: CostModel,
}

impl Default for QuasiSettings {
    fn default() -> Self {
        Self { exponent: 1.0, least_step: None, cost: CostModel::default() }
    }
}

/// Power of the free length, at most: bending asks for 2.
const MOST_EXPONENT: f64 = 10.0;

/// Most that a pass, an operation or a segment may cost, s: a day.
const DEAREST: f64 = 86_400.0;

/// Halvings of the step, at most.
const MOST_HALVINGS: u32 = 6;

impl QuasiSettings {
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        check::not_negative("exponent", self.exponent)?;
        if self.exponent > MOST_EXPONENT {
            return Err(BuildError::new(
                "exponent",
                format!("a power of {}", self.exponent),
                format!("give at most {MOST_EXPONENT}"),
            ));
        }
        if let Some(step) = self.least_step {
            check::positive("least_step", step)?;
        }
        check::not_negative("cost.per_pass", self.cost.per_pass)?;
        check::not_negative("cost.per_operation", self.cost.per_operation)?;
        check::not_negative("cost.per_segment", self.cost.per_segment)?;
        let CostModel { per_pass, per_operation, per_segment } = self.cost;
        for (field, cost) in
            [("per_pass", per_pass), ("per_operation", per_operation), ("per_segment", per_segment)]
        {
            if cost > DEAREST {
                return Err(BuildError::new(
                    format!("cost.{field}"),
                    format!("a cost of {cost:e} s"),
                    format!("give at most {DEAREST} s"),
                ));
            }
        }
        Ok(())
    }

    /// How often a step of so many seconds may be halved.
    pub(crate) fn most_halvings(&self, step: f64) -> u32 {
        self.least_step.map_or(MOST_HALVINGS, |least| {
            ((step / least).log2() + 1e-9).floor().clamp(0.0, f64::from(MOST_HALVINGS)) as u32
        })
    }
}
