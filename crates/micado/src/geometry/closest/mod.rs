//! Closest points of curves: the geometry of contact between rods.

mod chain;
mod chains;
mod cubics;
mod merge;
mod pair;
mod parts;
mod point_on_chain;
mod points;
mod search;
mod segments;
mod stations;
mod tree;

#[cfg(test)]
mod tests;

pub use chain::{Chain, Cubic};
pub use chains::ChainPairs;
pub use cubics::{ClosestPoints, closest_points};
pub use merge::Near;
pub use point_on_chain::{NearPoint, point_on_chain};
pub use segments::{SegmentPoints, closest_on_segments};
pub use tree::ChainTree;
