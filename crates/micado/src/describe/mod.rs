//! Parts that descriptions share: places, time functions, quantities, units, materials, shapes, parameters,
//! colours.

pub mod anchor;
pub mod colour;
pub mod material;
pub mod parameters;
pub mod quantity;
pub mod shape;
pub mod signal;
pub mod units;
