//! Symbols of the constraints: what each holds, in the shapes that pictures know.

use glam::DVec3;
use micado::constraint::Law;
use micado_io::picture::MarkerKind;
use std::collections::BTreeMap;

/// The symbol of every constraint that was ever there, by name.
pub(super) type Markers = BTreeMap<String, MarkerKind>;

/// The symbol of a constraint at `time`, s. `tangent` is the direction of the rod at its place, `inward` the same from the
/// nearer end towards the other.
pub(super) fn marker(law: &Law, time: f64, tangent: DVec3, inward: DVec3) -> MarkerKind {
    let direction = tangent.to_array();
    match law {
        Law::Position(_) => MarkerKind::Point,
        Law::Tangent(_) => MarkerKind::Tangent { direction },
        Law::Roll(_) => MarkerKind::Roll { direction },
        Law::Clamp(_) => MarkerKind::Clamp { direction: inward.to_array() },
        Law::Plane(plane) => MarkerKind::Plane { normal: plane.normal(time).to_array() },
        Law::Axis(axis) => MarkerKind::Axis { direction: axis.direction(time).to_array() },
        Law::Distance(sphere) => MarkerKind::Distance { centre: sphere.centre(time).to_array() },
        Law::Circle(circle) => MarkerKind::Circle {
            centre: circle.sphere().centre(time).to_array(),
            normal: circle.normal(time).to_array(),
            radius: circle.sphere().radius(time),
        },
        Law::Trajectory(track) => MarkerKind::Curve { points: track.outline(time).into_iter().map(|point| point.to_array()).collect() },
    }
}
