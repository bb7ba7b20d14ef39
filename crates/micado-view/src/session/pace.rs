//! When the next step is due, and the speed of simulated time.

use std::collections::VecDeque;

/// Largest delay that is made up for, s; a larger one is dropped.
const MOST_BEHIND: f64 = 0.05;

/// Schedules steps by the wall clock.
#[derive(Debug)]
pub(super) struct Pace {
    /// Simulated seconds per second.
    pub(super) speed: f64,
    /// Time at which the next step is due, s on the clock.
    due: f64,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self { speed: 1.0, due: 0.0 }
    }

    /// Starts the schedule now.
    pub(super) fn begin(&mut self, now: f64) {
        self.due = now;
    }

    /// Seconds until the next step is due; 0 if it is due.
    pub(super) fn wait(&self, now: f64) -> f64 {
        (self.due - now).max(0.0)
    }

    /// A step of `step` simulated seconds was made.
    pub(super) fn made(&mut self, step: f64, now: f64) {
        self.due = (self.due + step / self.speed).max(now - MOST_BEHIND);
    }
}

/// Simulated seconds per second over the last second.
#[derive(Debug, Default)]
pub(super) struct Meter {
    /// Clock and simulated time at a few moments of the last second.
    marks: VecDeque<[f64; 2]>,
}

/// Time between marks, s, and how long they are kept.
const MARK_EVERY: f64 = 0.05;
const WINDOW: f64 = 1.0;

impl Meter {
    /// Restarts the measurement, after a pause or a jump of simulated time.
    pub(super) fn restart(&mut self) {
        self.marks.clear();
    }

    pub(super) fn mark(&mut self, now: f64, time: f64) {
        if self.marks.back().is_none_or(|[last, _]| now - last >= MARK_EVERY) {
            self.marks.push_back([now, time]);
        }
        while self.marks.front().is_some_and(|[first, _]| now - first > WINDOW) {
            self.marks.pop_front();
        }
    }

    /// The factor; 0 if it is unknown.
    pub(super) fn factor(&self) -> f64 {
        match (self.marks.front(), self.marks.back()) {
            (Some([first, from]), Some([last, to])) if last > first => (to - from) / (last - first),
            _ => 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Meter, Pace};

    #[test]
    fn steps_are_due_in_sequence_and_a_large_delay_is_dropped() {
        let mut pace = Pace::new();
        pace.speed = 2.0;
        pace.begin(10.0);
        assert_eq!(pace.wait(10.0), 0.0);
        pace.made(0.01, 10.001);
        assert!((pace.wait(10.001) - 0.004).abs() < 1e-12, "5 ms of wall time for 10 ms at twice the speed");
        pace.made(0.01, 12.0);
        assert_eq!(pace.wait(12.0), 0.0);
        pace.made(10.0, 12.0);
        assert!(pace.wait(12.0) > 4.9, "a large delay is dropped");
    }

    #[test]
    fn the_factor_is_that_of_the_last_second() {
        let mut meter = Meter::default();
        for k in 0..200 {
            let now = 0.02 * f64::from(k);
            meter.mark(now, if now < 2.0 { 0.0 } else { 0.5 * (now - 2.0) });
        }
        assert!((meter.factor() - 0.5).abs() < 1e-9, "{}", meter.factor());
    }
}
