//! Parts that descriptions share: places, time functions, quantities, units, materials, shapes.

pub mod anchor;
pub mod material;
pub mod quantity;
pub mod shape;
pub mod signal;
pub mod units;
