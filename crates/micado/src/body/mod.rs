//! Bodies: the point mass.

mod point_mass;
pub use point_mass::{MassDescription, PointMass};
