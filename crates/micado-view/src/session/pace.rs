//! When the next step is due, and how fast simulated time goes.

use std::collections::VecDeque;

/// Wall time that may be made up for by steps without a pause, s; what is further behind is given up.
const MOST_BEHIND: f64 = 0.05;

/// Steps against the clock on the wall.
#[derive(Debug)]
pub(super) struct Pace {
    /// Simulated seconds per second.
    pub(super) speed: f64,
    /// When the next step is due, s on the clock.
    due: f64,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self { speed: 1.0, due: 0.0 }
    }

    /// Time goes on from now.
    pub(super) fn begin(&mut self, now: f64) {
        self.due = now;
    }

    /// Seconds until the next step is due; 0 where it is.
    pub(super) fn wait(&self, now: f64) -> f64 {
        (self.due - now).max(0.0)
    }

    /// A step of `step` simulated seconds is made.
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
    /// Simulated time stands, or has jumped.
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

    /// The factor; 0 where nothing is known.
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
    fn steps_are_due_one_after_the_other_and_what_is_too_late_is_given_up() {
        let mut pace = Pace::new();
        pace.speed = 2.0;
        pace.begin(10.0);
        assert_eq!(pace.wait(10.0), 0.0);
        pace.made(0.01, 10.001);
        assert!((pace.wait(10.001) - 0.004).abs() < 1e-12, "5 ms of wall time for 10 ms at twice the speed");
        pace.made(0.01, 12.0);
        assert_eq!(pace.wait(12.0), 0.0);
        pace.made(10.0, 12.0);
        assert!(pace.wait(12.0) > 4.9, "not more than a little is made up for");
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
