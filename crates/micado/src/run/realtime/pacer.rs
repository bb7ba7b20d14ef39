//! Steps against a clock: each has a moment at which it has to be there.

use crate::clock::Clock;

/// How punctual steps were.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Punctuality {
    /// Steps that were made.
    pub steps: u64,
    /// Steps that were there too late.
    pub misses: u64,
    /// How late the latest was, s.
    pub worst_overrun: f64,
    /// Periods that passed without a step, because one took longer than all of them.
    pub lost_periods: u64,
}

/// How late a step was.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Lateness {
    /// By how much, s; nothing where it was in time.
    pub overrun: f64,
    /// Whole periods that passed in that.
    pub lost_periods: u64,
}

/// Keeps steps in time: one for each period of the clock.
#[derive(Clone, Debug)]
pub struct Pacer {
    period: f64,
    /// When the step that is made now has to be there; none before the first.
    due: Option<f64>,
    punctuality: Punctuality,
}

/// Longest period, s.
const LONGEST: f64 = 3.2e7;

/// Overrun that is the clock's, not the step's, s: what waking up takes.
const GRACE: f64 = 1e-6;

impl Pacer {
    /// One step every `period` seconds; what is no positive number is taken for a year.
    pub fn new(period: f64) -> Self {
        let period = if period > 0.0 && period.is_finite() { period } else { LONGEST };
        Self { period, due: None, punctuality: Punctuality::default() }
    }

    /// Before a step. Returns when it has to be there.
    pub fn begin(&mut self, clock: &dyn Clock) -> f64 {
        *self.due.get_or_insert_with(|| clock.now() + self.period)
    }

    /// After a step: waits for the end of its period. Where the step took longer, the next one begins at
    /// once, and has the rest of its period; where whole periods are over, they are given up and the next one
    /// has a whole one: simulated time falls behind and the motion goes on without a jump. A step that was
    /// not begun is not waited for.
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

    /// How punctual the steps were so far.
    pub fn punctuality(&self) -> Punctuality {
        self.punctuality
    }
}

#[cfg(test)]
mod tests {
    use super::Pacer;
    use crate::clock::{Clock, CostModel, VirtualClock, Work};

    #[test]
    fn a_late_step_is_counted_and_the_next_ones_are_in_time_again() {
        let clock = VirtualClock::scripted([0.2, 0.5, 1.1, 0.3, 3.7, 0.4, 0.4], CostModel::default());
        let mut pacer = Pacer::new(1.0);
        let mut lost = Vec::new();
        for _ in 0..7 {
            pacer.begin(&clock);
            clock.spend(Work::default());
            lost.push(pacer.end(&clock).lost_periods);
        }
        let told = pacer.punctuality();
        assert_eq!((told.steps, told.misses, told.lost_periods), (7, 2, 2));
        assert_eq!(lost, [0, 0, 0, 0, 2, 0, 0]);
        // The step of 1.1 s is late by 0.1 s; that of 3.7 s began in time and was due after 1 s.
        assert!((told.worst_overrun - 2.7).abs() < 1e-12, "{}", told.worst_overrun);
        assert!(
            (clock.now() - 9.7).abs() < 1e-12,
            "four periods, the long step, and two periods from there: {}",
            clock.now()
        );
    }
}
