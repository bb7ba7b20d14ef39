//! Rods.

pub mod beam;
mod blocks;
mod chain_frames;
mod describe;
pub mod discrete;
mod even;
mod initial_state;
mod linearisation;
pub mod mass_spring;
mod model;
mod object;
mod pieces;
mod polygon;
mod read_outs;
mod readings;
mod sampled;
pub mod spline;
pub mod strain;
pub(crate) mod window;
pub use super::ElasticEnergy;
pub use crate::describe::shape::*;
pub use describe::*;
pub use discrete::InnerRows;
pub use initial_state::InitialRod;
pub use linearisation::{Linearisation, Tangent};
pub use model::Rod;
pub use readings::Section;
