//! Surfaces with which objects touch each other.

use crate::geometry::skin::Skin;

/// The surface of an object.
#[derive(Clone, Copy, Debug)]
pub enum Touch<'a> {
    /// A tube along its curve, as thick as [`MaterialCurve::radius`](super::MaterialCurve::radius) says.
    Tube,
    /// A ball about its only node.
    Ball {
        /// Radius, m.
        radius: f64,
    },
    /// A solid in the frame of its place.
    Solid(&'a Skin),
}
