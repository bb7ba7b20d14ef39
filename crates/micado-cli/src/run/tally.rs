//! Costs and problems of the steps of a run, accumulated.

use super::clip_report::ClipReport;
use serde::{Deserialize, Serialize};

/// Mean and worst of a number that every step gives.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Spread {
    count: u64,
    sum: f64,
    worst: f64,
}

impl Spread {
    /// Adds the number of one step.
    pub(super) fn add(&mut self, value: f64) {
        self.count += 1;
        self.sum += value;
        self.worst = self.worst.max(value);
    }

    /// Mean; zero when there was no step.
    #[expect(clippy::cast_precision_loss, reason = "a number of steps")]
    pub(super) fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// Largest.
    pub(super) fn worst(&self) -> f64 {
        self.worst
    }
}

/// The accumulated values; part of a checkpoint, so that a resumed run continues them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tally {
    /// Steps done.
    pub steps: u64,
    /// Wall time of the steps, s.
    pub wall: f64,
    /// Time of a whole step, s.
    pub step: Spread,
    /// Time of each stage, s, in the order of the step.
    pub stages: Vec<(String, Spread)>,
    /// Linear solves per step.
    pub solves: Spread,
    /// Sweeps over the laws of non-smooth rows, and factorisations of the compliance of those that hold.
    #[serde(default)]
    pub sweeps: Spread,
    /// See `sweeps`.
    #[serde(default)]
    pub factors: Spread,
    /// Updates of these factorisations.
    #[serde(default)]
    pub updates: Spread,
    /// Residual of these laws, m.
    #[serde(default)]
    pub sweep_residual: Spread,
    /// Contacts of surfaces at the end of a step.
    #[serde(default)]
    pub contacts: Spread,
    /// Largest overlap of surfaces at the end of a step, m.
    #[serde(default)]
    pub penetration: Spread,
    /// Steps in which the forces of contacts did not converge.
    #[serde(default)]
    pub unsolved: u64,
    /// Largest constraint violation after a step, m or rad.
    pub residual: Spread,
    /// Steps that were retried with a smaller size.
    pub retried: u64,
    /// Steps that failed: the state was held.
    pub held: u64,
    /// Switches of islands between dynamic and quasi-static.
    #[serde(default)]
    pub switches: u64,
    /// Steps with quasi-static objects.
    #[serde(default)]
    pub still: u64,
    /// Passes in which quasi-static objects were slowed down.
    #[serde(default)]
    pub ceilings: u64,
    /// Reports of the clips.
    #[serde(default)]
    pub clips: Vec<ClipReport>,
    /// Whether quasi-static objects were slowed down in the last step: they have not reached their
    /// equilibrium.
    #[serde(default)]
    pub on_the_way: bool,
    /// Equilibria that were not found.
    pub unsettled: u64,
    /// Steps whose forces are not final.
    #[serde(default)]
    pub unfinished: u64,
}

impl Tally {
    /// Adds the time of one stage of the current step, s.
    pub(super) fn add_stage(&mut self, name: &str, time: f64) {
        match self.stages.iter_mut().find(|(known, _)| known == name) {
            Some((_, spread)) => spread.add(time),
            None => {
                let mut spread = Spread::default();
                spread.add(time);
                self.stages.push((name.to_owned(), spread));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Spread, Tally};

    #[test]
    fn a_spread_knows_mean_and_worst() {
        let mut spread = Spread::default();
        assert_eq!((spread.mean(), spread.worst()), (0.0, 0.0));
        [1.0, 2.0, 6.0].into_iter().for_each(|value| spread.add(value));
        assert_eq!((spread.mean(), spread.worst()), (3.0, 6.0));
    }

    #[test]
    fn stages_keep_the_order_of_the_step() {
        let mut tally = Tally::default();
        for stage in ["linearise", "factor", "linearise", "factor"] {
            tally.add_stage(stage, 1.0);
        }
        let names: Vec<&str> = tally.stages.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["linearise", "factor"]);
    }
}
