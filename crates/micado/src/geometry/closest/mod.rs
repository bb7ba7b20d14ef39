//! Closest points of curves: the geometry of contact between rods.

mod chain;
mod cubics;
mod pair;
mod parts;
mod segments;

#[cfg(test)]
mod tests;

pub use chain::{Chain, Cubic};
pub use cubics::{ClosestPoints, closest_points};
pub use segments::{SegmentPoints, closest_on_segments};
