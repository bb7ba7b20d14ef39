//! Rods.

mod describe;
pub mod spline;
pub mod strain;
pub use describe::*;
