//! Rigid bodies.

pub mod shape;
