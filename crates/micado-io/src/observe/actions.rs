//! Springs and loads: where they act and with which force.

use crate::record::{LoadState, SpringState};
use glam::DVec3;
use micado::load::{Load, LoadLaw, Spread, Spring, SpringEndPlace, SpringLaw};
use micado::world::World;

/// Current state of the springs.
pub(super) fn springs(world: &World) -> Vec<SpringState> {
    let (poses, time) = (world.structure().poses(world.state()), world.time());
    let position = |end: &SpringEndPlace| match end {
        SpringEndPlace::Object(place) => poses.position(place).to_array(),
        SpringEndPlace::World(point) => point.at(time),
    };
    let state = |(k, spring): (usize, &Spring)| {
        let [from, to] = spring.ends.each_ref().map(position);
        let to = match (&spring.law, &spring.ends[1]) {
            // The world end of a torsional spring has no place: it stands for the axes of the world.
            (SpringLaw::Torsional { .. }, SpringEndPlace::World(_)) => from,
            _ => to,
        };
        SpringState { from, to, tension: world.spring_tension(k).unwrap_or(0.0) }
    };
    world.structure().springs.iter().enumerate().map(state).collect()
}

/// Current state of the loads.
pub(super) fn loads(world: &World) -> Vec<LoadState> {
    let (poses, time) = (world.structure().poses(world.state()), world.time());
    let state = |load: &Load| {
        let (place, force) = match &load.law {
            LoadLaw::Force(place, signal) | LoadLaw::Moment(place, signal) => {
                (poses.position(place), DVec3::from_array(signal.at(time)))
            }
            LoadLaw::Distributed(spread, signal) => (
                centre(spread, world),
                DVec3::from_array(signal.at(time)) * spread.weights.iter().sum::<f64>(),
            ),
            LoadLaw::Drag(spread, _) => (centre(spread, world), DVec3::ZERO),
        };
        LoadState { place: place.to_array(), force: force.to_array() }
    };
    world.structure().loads.iter().map(state).collect()
}

/// Mean place of a distributed load, by its weights.
fn centre(spread: &Spread, world: &World) -> DVec3 {
    let weight: f64 = spread.weights.iter().sum();
    let object = &world.structure().objects[spread.object];
    let nodes = world.state().q[object.unknowns()].chunks_exact(4);
    let sum: DVec3 =
        spread.weights.iter().zip(nodes).map(|(&weight, node)| weight * DVec3::from_slice(node)).sum();
    if weight > 0.0 { sum / weight } else { DVec3::ZERO }
}
