//! Parts that descriptions share: places, time functions, quantities, units, materials, shapes, parameters.

pub mod anchor;
pub mod material;
pub mod parameters;
pub mod quantity;
pub mod shape;
pub mod signal;
pub mod units;
