//! Switch between dynamic and quasi-static islands: the filtered cost of a pass against the time step that
//! the motion needs.
//!
//! ```text
//! f ← φ t_c + (1 − φ) f            filtered cost of a pass
//! f > 0.95 Δt: quasi-static
//! f < 0.90 Δt: dynamic
//! otherwise, and for ten steps after a switch: unchanged
//! ```
//!
//! A. Theetten et al., *Quasi-dynamic splines*, section 5.3, with filter and dwell time: hysteresis alone
//! switches hundreds of times under a noisy cost.

use serde::{Deserialize, Serialize};

/// Share of the newest cost in the filtered one.
const FILTER: f64 = 0.2;
/// Cost of a pass, as a share of the step, above which an island becomes quasi-static.
const HIGH: f64 = 0.95;
/// Share below which it becomes dynamic again.
const LOW: f64 = 0.90;
/// Steps between two switches of an island, at least.
const DWELL: u32 = 10;

/// The cost of a pass, filtered, s; none before the first one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FilteredCost(Option<f64>);

impl FilteredCost {
    /// Adds the cost of another pass.
    pub fn take(&mut self, cost: f64) {
        if cost.is_finite() {
            self.0 = Some(self.0.map_or(cost, |before| FILTER * cost + (1.0 - FILTER) * before));
        }
    }

    /// Filtered cost of a pass, s.
    pub fn value(&self) -> f64 {
        self.0.unwrap_or(0.0)
    }
}

/// The mode of an island, and its age.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pace {
    /// Whether it is quasi-static.
    pub still: bool,
    /// Steps since its last switch.
    dwelt: u32,
}

impl Default for Pace {
    /// Dynamic, and free to switch.
    fn default() -> Self {
        Self { still: false, dwelt: DWELL }
    }
}

impl Pace {
    /// The mode of the next step. `admissible` is called only if the cost requires statics.
    #[must_use]
    pub fn next(self, cost: f64, step: f64, admissible: impl FnOnce() -> bool) -> Self {
        let free = self.dwelt >= DWELL;
        let wants_still = if !free {
            self.still
        } else if self.still {
            cost >= LOW * step
        } else {
            cost > HIGH * step
        };
        // An island without equilibrium becomes dynamic at once.
        let still = wants_still && admissible();
        let dwelt = if still == self.still { self.dwelt.saturating_add(1) } else { 0 };
        Self { still, dwelt }
    }

    /// The mode of two islands that have become one: quasi-static only if both are.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        Self { still: self.still && other.still, dwelt: self.dwelt.min(other.dwelt) }
    }

    /// The dynamic mode, after a failed quasi-static step.
    #[must_use]
    pub(crate) fn moving(self) -> Self {
        if self.still { Self { still: false, dwelt: 0 } } else { self }
    }

    /// Whether to test again if it may be quasi-static.
    pub(crate) fn test_is_due(self) -> bool {
        self.dwelt.is_multiple_of(DWELL)
    }
}

#[cfg(test)]
mod tests {
    use super::{FilteredCost, Pace};

    /// Standard normal numbers by Box and Muller from a linear congruential generator.
    fn normal(seed: u64) -> impl FnMut() -> f64 {
        let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let mut uniform = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 11) as f64 + 0.5) / (1_u64 << 53) as f64
        };
        move || (-2.0 * uniform().ln()).sqrt() * (std::f64::consts::TAU * uniform()).cos()
    }

    /// Cost over step, drifting about the middle of the band with 4 % of noise.
    fn costs(seed: u64) -> impl Iterator<Item = f64> {
        let mut noise = normal(seed);
        (0..2000).map(move |k| (0.925 + 0.02 * (f64::from(k) / 150.0).sin()) * (1.0 + 0.04 * noise()))
    }

    #[test]
    fn noisy_cost_near_the_limit_switches_rarely() {
        for seed in 1..=20 {
            let (mut cost, mut pace, mut switches, mut bare, mut bare_switches) =
                (FilteredCost::default(), Pace::default(), 0, false, 0);
            for newest in costs(seed) {
                cost.take(newest);
                let next = pace.next(cost.value(), 1.0, || true);
                switches += usize::from(next.still != pace.still);
                pace = next;
                let still = if bare { newest >= 0.9 } else { newest > 0.95 };
                bare_switches += usize::from(still != bare);
                bare = still;
            }
            assert!(switches <= 20, "seed {seed}: {switches} switches");
            assert!(
                bare_switches > 200,
                "the sequence tests nothing: {bare_switches} switches by hysteresis alone"
            );
        }
    }

    #[test]
    fn cost_that_rises_and_falls_switches_once_each_way() {
        let (mut cost, mut pace, mut modes) = (FilteredCost::default(), Pace::default(), Vec::new());
        for k in 0..300 {
            cost.take(if (100..200).contains(&k) { 2.0 } else { 0.3 });
            pace = pace.next(cost.value(), 1.0, || true);
            if modes.last() != Some(&pace.still) {
                modes.push(pace.still);
            }
        }
        assert_eq!(modes, [false, true, false]);
    }

    #[test]
    fn island_without_equilibrium_is_dynamic_at_any_cost() {
        let mut pace = Pace::default().next(5.0, 1.0, || true);
        assert!(pace.still);
        pace = pace.next(5.0, 1.0, || false);
        assert!(!pace.still);
        for _ in 0..50 {
            pace = pace.next(5.0, 1.0, || false);
            assert!(!pace.still);
        }
    }
}
