//! Values at a place.

use crate::protocol::{Inspect, MassReading, Problem, Reading, RodReading};
use micado::describe::anchor::At;
use micado::object::ObjectKind;
use micado::world::World;

/// Reads a rod at a place, or a mass.
pub(super) fn inspect(world: &World, place: &Inspect) -> Result<Reading, Problem> {
    let object = world.object("", &place.on)?;
    let rod = match &object.kind {
        ObjectKind::Mass(mass) => {
            let (position, speed) =
                (world.position(object)?.to_array(), world.velocity(object, 0.0)?.length());
            return Ok(Reading::Mass(MassReading { mass: mass.mass, position, speed }));
        }
        ObjectKind::Rod(rod) => rod,
    };
    let s = rod.arc_length(place.at.map_or(At::Share(0.5), At::Length))?;
    let section = world.section(object, s)?;
    let q = &world.state().q[object.unknowns()];
    let least_bend_radius = world.least_bend_radius(object, 0.0, rod.length())?;
    Ok(Reading::Rod(RodReading {
        length: rod.present_length(q),
        rest_length: rod.length(),
        least_bend_radius: Some(least_bend_radius).filter(|radius| radius.is_finite()),
        radius: section.radius,
        mass: rod.total_mass(),
        at: s,
        position: section.position.to_array(),
        tension: section.tension,
        stretch: section.stretch,
        curvature: section.curvature,
        bending_moment: section.bending_moment.length(),
        torque: section.torque,
        twist: section.twist,
        speed: world.velocity(object, s)?.length(),
    }))
}
