//! Time from outside: the engine never asks the machine for it.

/// A clock that stages are timed with.
pub trait Clock {
    /// Seconds since some fixed moment.
    fn now(&self) -> f64;
}

/// A clock that stands still: stages are not timed.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> f64 {
        0.0
    }
}
