//! Clocks: the engine reads only the clock that it is given.

use crate::describe::units;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A clock for the timing of stages and for the cost of steps in the quasi-dynamic scheme.
pub trait Clock: Sync {
    /// Seconds since some fixed moment.
    fn now(&self) -> f64;

    /// Called with the work of a pass through the system: a virtual clock advances by its cost, others ignore
    /// it.
    fn spend(&self, _work: Work) {}

    /// Waits until `time`; a virtual clock jumps to it. A clock that can't wait returns at once.
    fn wait_until(&self, _time: f64) {}
}

/// A clock that stands still: stages are not timed, steps cost nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> f64 {
        0.0
    }
}

/// The wall clock.
#[derive(Clone, Copy, Debug)]
pub struct WallClock(Instant);

impl WallClock {
    /// A clock that starts now.
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

/// Last part of a wait, without sleep, s: threads wake up late.
const AWAKE: f64 = 3e-4;

impl Clock for WallClock {
    fn now(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }

    fn wait_until(&self, time: f64) {
        let left = time - self.now();
        if left > AWAKE
            && let Ok(asleep) = Duration::try_from_secs_f64(left - AWAKE)
        {
            std::thread::sleep(asleep);
        }
        while self.now() < time {
            std::hint::spin_loop();
        }
    }
}

/// Counted work of a pass through the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Operations of the factorisation.
    pub operations: u64,
    /// Segments of rods that were linearised.
    pub segments: u64,
}

/// Cost of a pass on a virtual machine: `c₀ + c₁ operations + c₂ segments`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CostModel {
    /// Cost of every pass, s.
    #[serde(deserialize_with = "units::time")]
    #[schemars(with = "units::QuantityInput")]
    pub per_pass: f64,
    /// Cost of a counted operation of the factorisation, s.
    #[serde(deserialize_with = "units::time")]
    #[schemars(with = "units::QuantityInput")]
    pub per_operation: f64,
    /// Cost of a segment of a rod, s.
    #[serde(deserialize_with = "units::time")]
    #[schemars(with = "units::QuantityInput")]
    pub per_segment: f64,
}

impl Default for CostModel {
    /// Roughly a core of 2.8 GHz.
    fn default() -> Self {
        Self { per_pass: 3e-6, per_operation: 1.5e-10, per_segment: 2e-7 }
    }
}

impl CostModel {
    /// Cost of a pass, s.
    pub fn cost(&self, work: Work) -> f64 {
        self.per_pass + self.per_operation * work.operations as f64 + self.per_segment * work.segments as f64
    }
}

/// A clock that advances by counted work only: the same on every run and machine.
#[derive(Debug, Default)]
pub struct VirtualClock {
    model: CostModel,
    /// Its time, s, and the scripted costs of the next passes, s.
    hands: Mutex<(f64, VecDeque<f64>)>,
}

impl VirtualClock {
    /// A clock with the costs of a model.
    pub fn new(model: CostModel) -> Self {
        Self { model, ..Self::default() }
    }

    /// A clock with scripted costs for the next passes, s, and those of a model afterwards.
    pub fn scripted(script: impl IntoIterator<Item = f64>, model: CostModel) -> Self {
        Self { model, hands: Mutex::new((0.0, script.into_iter().collect())) }
    }

    /// A poisoned lock is ignored: nothing panics while it is held.
    fn hands(&self) -> std::sync::MutexGuard<'_, (f64, VecDeque<f64>)> {
        self.hands.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Clone for VirtualClock {
    fn clone(&self) -> Self {
        Self { model: self.model, hands: Mutex::new(self.hands().clone()) }
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> f64 {
        self.hands().0
    }

    fn spend(&self, work: Work) {
        let (now, script) = &mut *self.hands();
        *now += script.pop_front().unwrap_or_else(|| self.model.cost(work));
    }

    fn wait_until(&self, time: f64) {
        let (now, _) = &mut *self.hands();
        *now = now.max(time);
    }
}

#[cfg(test)]
mod tests {
    use super::{Clock, CostModel, VirtualClock, Work};

    #[test]
    fn virtual_clock_advances_by_work_only() {
        let model = CostModel { per_pass: 1.0, per_operation: 0.5, per_segment: 0.25 };
        let clock = VirtualClock::scripted([7.0], model);
        let work = Work { operations: 10, segments: 4 };
        clock.spend(work);
        assert_eq!(clock.now(), 7.0);
        clock.spend(work);
        assert_eq!(clock.now(), 7.0 + 1.0 + 5.0 + 1.0);
    }
}
