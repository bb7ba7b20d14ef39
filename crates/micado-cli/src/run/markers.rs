//! Symbols of the constraints: what each holds, in the shapes that pictures know.

use glam::DVec3;
use micado::constraint::{Constraint, Law, Site};
use micado_io::picture::MarkerKind;
use std::collections::BTreeMap;

/// The symbol of every constraint that was ever there, by name.
pub(super) type Markers = BTreeMap<String, MarkerKind>;

/// The symbol of a constraint at `time`, s. `inward` is the direction of the rod at its first place, from the nearer end
/// towards the other.
pub(super) fn marker(constraint: &Constraint, time: f64, [a, b]: &[Site; 2], inward: DVec3) -> MarkerKind {
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
        Law::Plane(plane) => MarkerKind::Plane { point: plane.foot(a, b, time).to_array(), normal: plane.normal(b, time).to_array() },
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
        Law::Trajectory(track) => MarkerKind::Curve { points: track.outline(time).into_iter().map(|point| point.to_array()).collect() },
    }
}
