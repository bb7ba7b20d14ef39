//! Symbols of the constraints: what each holds, in the shapes that pictures know.

use crate::picture::MarkerKind;
use glam::DVec3;
use micado::constraint::{Constraint, EndDescription, Law, Site};
use micado::object::Object;
use micado::world::World;
use std::collections::BTreeMap;

/// The symbol of every constraint that was ever there, by name.
pub type Markers = BTreeMap<String, MarkerKind>;

/// The symbol of a constraint at `time`, s. `inward` is the direction of the rod at its first place, from the
/// nearer end towards the other.
fn marker(constraint: &Constraint, time: f64, [a, b]: &[Site; 2], inward: DVec3) -> MarkerKind {
    let direction = a.t.to_array();
    // What is led along in time stands on no ground.
    let is_led = constraint.law.moves();
    match &constraint.law {
        Law::Position(_) if is_led => MarkerKind::Target,
        Law::Position(_) => MarkerKind::Point,
        Law::Tangent(_) => MarkerKind::Tangent { direction },
        Law::Roll(_) => MarkerKind::Roll { direction },
        Law::Clamp(_) if is_led => MarkerKind::Jaws { direction },
        Law::Clamp(_) => MarkerKind::Clamp { direction: inward.to_array() },
        Law::Plane(plane) => MarkerKind::Plane {
            point: plane.foot(a, b, time).to_array(),
            normal: plane.normal(b, time).to_array(),
        },
        Law::Axis(axis) => MarkerKind::Axis { direction: axis.direction(b, time).to_array() },
        Law::Distance(_) => MarkerKind::Distance { centre: b.x.to_array() },
        Law::Fusion(_) => MarkerKind::Joint,
        Law::Keyhole(_) => MarkerKind::Roll { direction },
        Law::Pearl(_) => MarkerKind::Point,
        Law::Clip(clip) => MarkerKind::Clip { opening: clip.opening(b, time).to_array(), open: false },
        Law::Circle(circle) => MarkerKind::Circle {
            centre: circle.sphere().centre(time).to_array(),
            normal: circle.normal(time).to_array(),
            radius: circle.sphere().radius(time),
        },
        Law::Trajectory(track) => MarkerKind::Curve {
            points: track.outline(time).into_iter().map(|point| point.to_array()).collect(),
        },
    }
}

/// The symbol of a constraint as it is now, by its index.
pub fn symbol(world: &World, index: usize) -> Option<MarkerKind> {
    let constraint = world.structure().constraints.get(index)?;
    let sites = world.sites(index).ok()?;
    let (on, at) = match constraint.description.ends()[0] {
        EndDescription::Place { on, at, .. } => (on, at),
        EndDescription::Sliding { on, at, .. } => (on, Some(at)),
        EndDescription::Caught { at, .. } => (constraint.on(), at),
        EndDescription::World => return None,
    };
    let rod = world.structure().objects.iter().find(|object| object.name == on).and_then(Object::rod);
    let s = rod.zip(at).and_then(|(rod, at)| Some(rod.arc_length(at).ok()? / rod.length()));
    // In the second half a rod lies behind the place that is held.
    let into_the_rod = if s.is_some_and(|share| share > 0.5) { -sites[0].t } else { sites[0].t };
    Some(marker(constraint, world.time(), &sites, into_the_rod))
}

/// Adds the symbols of the present constraints.
pub fn collect_markers(world: &World, markers: &mut Markers) {
    for (index, constraint) in world.structure().constraints.iter().enumerate() {
        if let Some(symbol) = symbol(world, index) {
            markers.insert(constraint.name.clone(), symbol);
        }
    }
}
