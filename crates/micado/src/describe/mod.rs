//! Parts that descriptions share: places, time functions, units, materials, shapes.

pub mod anchor;
pub mod material;
pub mod shape;
pub mod signal;
pub mod units;
