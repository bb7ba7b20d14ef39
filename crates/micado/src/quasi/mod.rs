//! Quasi-dynamic simulation: every island of connected objects is dynamic, or quasi-static where its dynamics
//! would cost more time than it describes.
//!
//! A. Theetten et al., *Quasi-dynamic splines*, section 5. The stepping itself is in `step/quasi_dynamic.rs`.

pub(crate) mod free_length;
pub(crate) mod rigid_modes;
mod switch;

pub use switch::{FilteredCost, Pace};

use crate::clock::CostModel;
use crate::constraint::ConstraintState;
use crate::error::{BuildError, check};
use crate::units;
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

/// Whether an island may be static.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Admission {
    /// Its constraints leave it no rigid motion.
    Rigid,
    /// Tension holds what they leave, in the state that was looked at.
    Tense,
    /// Nothing holds it.
    Free,
}

/// What is remembered of modes: the cost of a pass, and the mode of every object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Paces {
    /// What a pass costs.
    pub cost: FilteredCost,
    /// By object.
    pub objects: Vec<Pace>,
    /// Whether islands may be static, by their first objects, as far as that has been found out for the
    /// structure and clips of `found_for`.
    admitted: Vec<Option<Admission>>,
    /// Version of the structure, and a sum over the clips that are open.
    found_for: (u64, u64),
}

impl Paces {
    /// Takes over others without allocating where sizes agree.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.cost = other.cost;
        self.objects.clone_from(&other.objects);
        self.admitted.clone_from(&other.admitted);
        self.found_for = other.found_for;
    }

    /// Whether an object is quasi-static.
    pub fn is_still(&self, object: usize) -> bool {
        self.objects.get(object).is_some_and(|pace| pace.still)
    }

    /// How many objects are quasi-static.
    pub fn still(&self) -> usize {
        self.objects.iter().filter(|pace| pace.still).count()
    }

    /// Forgets what was found out about another structure, or with other clips closed.
    pub(crate) fn fit(&mut self, version: u64, constraints: &[ConstraintState], objects: usize) {
        let open = constraints
            .iter()
            .fold(1, |sum: u64, memory| sum.wrapping_mul(3).wrapping_add(u64::from(memory.clip.open)));
        self.objects.resize(objects, Pace::default());
        if self.found_for != (version, open) || self.admitted.len() != objects {
            self.found_for = (version, open);
            self.admitted.clear();
            self.admitted.resize(objects, None);
        }
    }

    /// Whether an island may be static, if that is known. What only tension holds, or would hold, is asked
    /// again from time to time.
    pub(crate) fn admitted(&self, island: usize) -> Option<Admission> {
        self.admitted[island]
            .filter(|admitted| *admitted == Admission::Rigid || !self.objects[island].asks_again())
    }

    pub(crate) fn admit(&mut self, island: usize, admitted: Option<Admission>) {
        if admitted.is_some() {
            self.admitted[island] = admitted;
        }
    }
}
