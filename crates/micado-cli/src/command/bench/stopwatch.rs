//! Durations of repeated work.

use micado::clock::{Clock, WallClock};

/// Times of many runs, µs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Times {
    pub(super) mean: f64,
    pub(super) worst: f64,
    /// The least time is the cost; the mean includes other load of the machine.
    pub(super) least: f64,
}

/// Runs `work` repeatedly, and times each run.
pub(super) fn time(repeats: usize, mut work: impl FnMut()) -> Times {
    let clock = WallClock::start();
    let (mut total, mut worst, mut least) = (0.0, 0.0_f64, f64::MAX);
    for _ in 0..repeats {
        let before = clock.now();
        work();
        let seconds = clock.now() - before;
        (total, worst, least) = (total + seconds, worst.max(seconds), least.min(seconds));
    }
    Times { mean: total * 1e6 / repeats.max(1) as f64, worst: worst * 1e6, least: least * 1e6 }
}
