//! Topology of curves: writhe, linking number, and passages of one curve through another.
//!
//! Curves are polygons here. The linking number of two closed curves changes only by passages, each time by
//! ±1.

mod boxes;
mod crossing;
mod gauss;
mod nearing;

#[cfg(test)]
mod tests;

pub use boxes::BoxTree;
pub use crossing::{Crossing, for_each_crossing};
pub use gauss::{Beyond, linking_number, writhe};
pub use nearing::{comes_near, relative_motion};

use glam::DVec3;

/// A straight segment whose ends move along straight lines with constant velocity, from time 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovingSegment {
    /// Its ends at time 0, m.
    pub start: [DVec3; 2],
    /// Its ends at time 1, m.
    pub end: [DVec3; 2],
}

impl MovingSegment {
    /// Its ends at a time.
    #[inline]
    pub fn at(&self, time: f64) -> [DVec3; 2] {
        [0, 1].map(|k| self.start[k] + (self.end[k] - self.start[k]) * time)
    }
}
