//! Rods.

mod describe;
pub mod discrete;
mod model;
mod pieces;
pub mod spline;
pub mod strain;
pub use describe::*;
pub use model::{LaidRod, Rod};
