//! Rods of segments with the same rest length.

/// A number of segments of equal rest length.
#[derive(Clone, Copy, Debug)]
pub(super) struct Even {
    /// Rest length of a segment, m.
    pub(super) segment: f64,
    pub(super) count: usize,
    pub(super) closed: bool,
}

impl Even {
    /// Rest arc length at coordinate `f` of segment `e`, m.
    pub(super) fn arc_at(self, e: usize, f: f64) -> f64 {
        (e as f64 + f) * self.segment
    }

    /// Segment and coordinate within it at rest arc length `s`.
    pub(super) fn locate(self, s: f64) -> (usize, f64) {
        let u = (s / self.segment).clamp(0.0, self.count as f64);
        let e = (u as usize).min(self.count - 1);
        (e, u - e as f64)
    }

    /// Segment and coordinate within it at parameter `u`, in segments: wraps around a closed rod, clamped to
    /// the ends of an open one.
    pub(super) fn segment_at(self, u: f64) -> (usize, f64) {
        self.locate(self.segment * if self.closed { u.rem_euclid(self.count as f64) } else { u })
    }
}
