//! Geometry without mechanics: rotations, frames along curves, basis functions, quadrature, shapes.

pub mod basis;
pub mod closest;
pub mod curve;
pub mod knots;
pub mod quadrature;
pub mod rotation;
mod rounded;
pub mod skin;
pub mod topology;
