//! Rods.

pub mod beam;
mod blocks;
mod carried;
mod describe;
pub mod discrete;
mod even;
mod laid;
mod linearisation;
pub mod mass_spring;
mod model;
mod pieces;
mod place;
mod polygon;
mod readings;
mod sampled;
pub mod spline;
pub mod strain;
pub use describe::*;
pub use laid::Laid;
pub use linearisation::{Linearisation, Tangent};
pub use model::Rod;
pub use place::Place;
pub use readings::{RodEnergy, Section};
