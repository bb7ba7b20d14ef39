//! Values sampled at equal distances along a rod.

use std::ops::{Add, Mul};

/// Samples at `offset`, `offset + 1`, … in the parameter of a rod with segments of width one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampled {
    pub(super) offset: f64,
    pub(super) count: usize,
    pub(super) closed: bool,
}

impl Sampled {
    /// The line through the two samples nearest to `u`; it extends beyond the outermost of an open rod.
    pub(super) fn at<V: Add<Output = V> + Mul<f64, Output = V>>(
        self,
        u: f64,
        value: impl Fn(usize) -> V,
    ) -> V {
        if self.count == 1 {
            return value(0);
        }
        let (n, place) = (self.count as f64, u - self.offset);
        let before = if self.closed { place.floor() } else { place.floor().clamp(0.0, n - 2.0) };
        let index = |x: f64| x.rem_euclid(n) as usize;
        let share = place - before;
        value(index(before)) * (1.0 - share) + value(index(before + 1.0)) * share
    }
}
