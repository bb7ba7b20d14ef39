//! Time from outside: the engine asks no clock but the one that it is given.

use crate::describe::units;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// A clock that stages are timed with, and by which the quasi-dynamic scheme knows what a step costs.
pub trait Clock: Sync {
    /// Seconds since some fixed moment.
    fn now(&self) -> f64;

    /// Is told what a pass through the system has done: a virtual clock goes on by what it costs, others go
    /// by themselves.
    fn spend(&self, _work: Work) {}

    /// Waits until it is so late; a virtual clock is then so late. One that can't wait goes on at once.
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

/// The clock on the wall.
#[derive(Clone, Copy, Debug)]
pub struct WallClock(Instant);

impl WallClock {
    /// A clock that begins now.
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

/// The end of a wait is spent awake, s: sleepers wake up late.
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

/// What a pass through the system does, counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Operations of the factorisation.
    pub operations: u64,
    /// Segments of rods that are linearised.
    pub segments: u64,
}

/// What passes cost on a virtual machine: `c₀ + c₁ operations + c₂ segments`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CostModel {
    /// Of every pass, s.
    #[serde(deserialize_with = "units::time")]
    #[schemars(with = "units::QuantityInput")]
    pub per_pass: f64,
    /// Of a counted operation of the factorisation, s.
    #[serde(deserialize_with = "units::time")]
    #[schemars(with = "units::QuantityInput")]
    pub per_operation: f64,
    /// Of a segment of a rod, s.
    #[serde(deserialize_with = "units::time")]
    #[schemars(with = "units::QuantityInput")]
    pub per_segment: f64,
}

impl Default for CostModel {
    /// About a core of 2.8 GHz.
    fn default() -> Self {
        Self { per_pass: 3e-6, per_operation: 1.5e-10, per_segment: 2e-7 }
    }
}

impl CostModel {
    /// Seconds that a pass costs.
    pub fn cost(&self, work: Work) -> f64 {
        self.per_pass + self.per_operation * work.operations as f64 + self.per_segment * work.segments as f64
    }
}

/// A clock that goes on by counted work alone: what reads it does the same on every run and on every machine.
#[derive(Debug, Default)]
pub struct VirtualClock {
    model: CostModel,
    /// Its time, s, and what the next passes cost, s.
    hands: Mutex<(f64, VecDeque<f64>)>,
}

impl VirtualClock {
    /// A clock on which passes cost what a model says.
    pub fn new(model: CostModel) -> Self {
        Self { model, ..Self::default() }
    }

    /// A clock on which the next passes cost what a list says, s, and those after them what a model says.
    pub fn scripted(script: impl IntoIterator<Item = f64>, model: CostModel) -> Self {
        Self { model, hands: Mutex::new((0.0, script.into_iter().collect())) }
    }

    /// Nothing panics while it holds the hands.
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
    fn a_virtual_clock_goes_on_by_work_alone() {
        let model = CostModel { per_pass: 1.0, per_operation: 0.5, per_segment: 0.25 };
        let clock = VirtualClock::scripted([7.0], model);
        let work = Work { operations: 10, segments: 4 };
        clock.spend(work);
        assert_eq!(clock.now(), 7.0);
        clock.spend(work);
        assert_eq!(clock.now(), 7.0 + 1.0 + 5.0 + 1.0);
    }
}
