//! Paces steps by a clock: each step has a deadline.

use crate::clock::Clock;

/// Punctuality of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Punctuality {
    /// Number of steps.
    pub steps: u64,
    /// Number of late steps.
    pub misses: u64,
    /// Largest overrun, s.
    pub worst_overrun: f64,
    /// Number of periods without a step, because one took longer than a period.
    pub lost_periods: u64,
}

/// Lateness of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lateness {
    /// Overrun, s; 0 if it was in time.
    pub overrun: f64,
    /// Whole periods in the overrun.
    pub lost_periods: u64,
}

/// Keeps steps in time: one for each period of the clock.
#[derive(Clone, Debug)]
pub struct Pacer {
    period: f64,
    /// Deadline of the present step; none before the first.
    due: Option<f64>,
    punctuality: Punctuality,
}

/// Longest period, s.
const LONGEST: f64 = 3.2e7;

/// Overrun that is ignored, s: the time to wake up.
const GRACE: f64 = 1e-6;

impl Pacer {
    /// One step every `period` seconds; anything but a positive number counts as a year.
    pub fn new(period: f64) -> Self {
        let period = if period > 0.0 && period.is_finite() { period } else { LONGEST };
        Self { period, due: None, punctuality: Punctuality::default() }
    }

    /// Call before a step. Returns its deadline.
    pub fn begin(&mut self, clock: &dyn Clock) -> f64 {
        *self.due.get_or_insert_with(|| clock.now() + self.period)
    }

    /// Call after a step: waits for the end of its period. After an overrun the next step begins at once,
    /// with the rest of its period. Whole lost periods are skipped and the next step has a full period:
    /// simulated time falls behind, and the motion continues without a jump. Returns at once if `begin` was
    /// not called.
    pub fn end(&mut self, clock: &dyn Clock) -> Lateness {
        let now = clock.now();
        let Some(due) = self.due else { return Lateness::default() };
        self.punctuality.steps += 1;
        let overrun = now - due;
        if overrun <= GRACE {
            clock.wait_until(due);
            self.due = Some(due + self.period);
            return Lateness::default();
        }
        self.punctuality.misses += 1;
        self.punctuality.worst_overrun = self.punctuality.worst_overrun.max(overrun);
        let lost = (overrun / self.period).floor();
        self.punctuality.lost_periods += lost as u64;
        self.due = Some(if lost > 0.0 { now } else { due } + self.period);
        Lateness { overrun, lost_periods: lost as u64 }
    }

    /// Punctuality of the steps so far.
    pub fn punctuality(&self) -> Punctuality {
        self.punctuality
    }
}

#[cfg(test)]
mod tests {
    use super::Pacer;
    use crate::clock::{Clock, CostModel, VirtualClock, Work};

    #[test]
    fn late_steps_are_counted_and_later_ones_are_in_time() {
        let clock = VirtualClock::scripted([0.2, 0.5, 1.1, 0.3, 3.7, 0.4, 0.4], CostModel::default());
        let mut pacer = Pacer::new(1.0);
        let mut lost = Vec::new();
        for _ in 0..7 {
            pacer.begin(&clock);
            clock.spend(Work::default());
            lost.push(pacer.end(&clock).lost_periods);
        }
        let punctuality = pacer.punctuality();
        assert_eq!((punctuality.steps, punctuality.misses, punctuality.lost_periods), (7, 2, 2));
        assert_eq!(lost, [0, 0, 0, 0, 2, 0, 0]);
        // The step of 1.1 s is late by 0.1 s; that of 3.7 s began in time and was due after 1 s.
        assert!((punctuality.worst_overrun - 2.7).abs() < 1e-12, "{}", punctuality.worst_overrun);
        assert!(
            (clock.now() - 9.7).abs() < 1e-12,
            "four periods, the long step, and two periods from there: {}",
            clock.now()
        );
    }
}
