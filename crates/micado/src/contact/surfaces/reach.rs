//! Reach: how far apart surfaces may be at the beginning of a substep to be contacts in it.
//!
//! An object moves in a substep by about h |v|, and by g h² more if it begins to fall. The reach covers twice
//! that, and a share of the thickness, so that a contact is known before it closes.

use crate::object::Object;
use crate::world::{State, Structure};
use glam::DVec3;

/// Share of the thickness of an object that belongs to its reach at rest.
const AT_REST: f64 = 0.3;
/// Factor on the expected motion.
const SPARE: f64 = 2.0;

/// Reach of an object of some thickness, m.
pub(super) fn reach(
    structure: &Structure,
    object: &Object,
    state: &State,
    duration: f64,
    thickness: f64,
) -> f64 {
    let velocity = &state.v[object.unknowns()];
    let motion = object.model().largest_displacement(velocity) * duration;
    let fall = DVec3::from_array(structure.gravity.at(state.time)).length() * duration * duration;
    AT_REST * thickness + SPARE * (motion + fall)
}
