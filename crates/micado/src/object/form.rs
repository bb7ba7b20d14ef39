//! The form of an object: what is drawn and recorded of it.

use super::body::Surface;
use super::rod::Rod;

/// What is drawn of an object.
#[derive(Clone, Copy, Debug)]
pub enum Form<'a> {
    /// A tube along the curve of a rod, with its sections.
    Rod(&'a Rod),
    /// A ball at its place.
    Ball {
        /// Radius, m.
        radius: f64,
    },
    /// A rigid body at its place, with the orientation of its frame.
    Body {
        /// Largest distance of its surface from the centre of mass, m.
        radius: f64,
        /// Its surface, in its axes about its place.
        surface: &'a Surface,
    },
}
