//! Settings of the quasi-dynamic mode.

use crate::clock::CostModel;
use crate::describe::units;
use crate::error::{BuildError, check};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How the quasi-dynamic mode chooses steps, and the cost of a pass on the virtual clock.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct QuasiSettings {
    /// Power of the free length in the time step of an island, `step (l_free/l)^e`: 1 for ropes under
    /// tension, 2 for stiff cables.
    pub exponent: f64,
    /// Least time step of an island, s; a 64th of the step unless given.
    #[serde(deserialize_with = "units::optional_time", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub least_step: Option<f64>,
    /// Cost of a pass on the virtual clock, which is used for runs.
    pub cost: CostModel,
}

impl Default for QuasiSettings {
    fn default() -> Self {
        Self { exponent: 1.0, least_step: None, cost: CostModel::default() }
    }
}

/// Largest power of the free length: bending needs 2.
const MOST_EXPONENT: f64 = 10.0;

/// Largest cost of a pass, an operation or a segment, s: a day.
const MOST_COST: f64 = 86_400.0;

/// Most halvings of the step.
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
            if cost > MOST_COST {
                return Err(BuildError::new(
                    format!("cost.{field}"),
                    format!("a cost of {cost:e} s"),
                    format!("give at most {MOST_COST} s"),
                ));
            }
        }
        Ok(())
    }

    /// Most halvings of a step of `step` seconds.
    pub(crate) fn most_halvings(&self, step: f64) -> u32 {
        self.least_step.map_or(MOST_HALVINGS, |least| {
            ((step / least).log2() + 1e-9).floor().clamp(0.0, f64::from(MOST_HALVINGS)) as u32
        })
    }
}
