//! What a click on something tells.

use crate::protocol::{Inspect, Problem};
use micado::describe::anchor::At;
use micado::object::ObjectKind;
use micado::world::World;
use serde_json::{Value, json};

/// Reads a rod at a place, or a mass. What is not finite is null: the bend radius of a straight rod.
pub(super) fn inspect(world: &World, place: &Inspect) -> Result<Value, Problem> {
    let object = world.object("", &place.on)?;
    let rod = match &object.kind {
        ObjectKind::Mass(mass) => {
            let (position, speed) =
                (world.position(object)?.to_array(), world.velocity(object, 0.0)?.length());
            return Ok(json!({ "kind": "mass", "mass": mass.mass, "position": position, "speed": speed }));
        }
        ObjectKind::Rod(rod) => rod,
    };
    let s = rod.arc_length(place.at.map_or(At::Share(0.5), At::Length))?;
    let section = world.section(object, s)?;
    let q = &world.state().q[object.unknowns()];
    Ok(json!({
        "kind": "rod",
        "length": rod.present_length(q),
        "rest_length": rod.length(),
        "least_bend_radius": world.least_bend_radius(object, 0.0, rod.length())?,
        "radius": section.radius,
        "mass": rod.total_mass(),
        "at": s,
        "position": section.position.to_array(),
        "tension": section.tension,
        "stretch": section.stretch,
        "curvature": section.curvature,
        "bending_moment": section.bending_moment.length(),
        "torque": section.torque,
        "twist": section.twist,
        "speed": world.velocity(object, s)?.length(),
    }))
}
