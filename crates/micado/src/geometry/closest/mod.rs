//! Closest points of curves: the geometry of contact between rods.

mod chain;

pub use chain::{Chain, Cubic};
