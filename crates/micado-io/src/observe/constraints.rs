//! Constraints: their symbols, places and forces.

use super::single;
use crate::record::{self, ConstraintState, GaugeKind, GaugeRow, GaugeState, Marker, MarkerKind};
use glam::DVec3;
use micado::constraint::{
    Constraint, ConstraintDescription, EndDescription, Gauge, JointKind, Law, Limit, MotorKind, Side, Site,
};
use micado::object::Object;
use micado::world::World;

/// Current symbol of a constraint.
pub(super) fn marker(world: &World, k: usize, constraint: &Constraint) -> Marker {
    let (limit, points) = match &constraint.law {
        Law::Distance(sphere) => (limit(sphere.limit()), Vec::new()),
        Law::Plane(plane) if plane.side() == Side::Above => (record::Limit::AtLeast, Vec::new()),
        Law::Trajectory(track) => {
            let outline = world.sites(k).map(|[_, b]| track.outline(&b, world.time())).unwrap_or_default();
            (record::Limit::Equal, outline.into_iter().map(|point| point.to_array()).collect())
        }
        _ => (record::Limit::Equal, Vec::new()),
    };
    // Constraints that move in time are drawn without ground.
    let moves = constraint.law.moves();
    let kind = match &constraint.law {
        _ if world.sites(k).is_err() => MarkerKind::Point,
        Law::Position(_) if moves => MarkerKind::Target,
        Law::Position(_) => MarkerKind::Point,
        Law::Tangent(_) => MarkerKind::Tangent,
        Law::Roll(_) => MarkerKind::Roll,
        Law::Clamp(_) if moves => MarkerKind::Jaws,
        Law::Clamp(_) => MarkerKind::Clamp,
        Law::Plane(_) => MarkerKind::Plane,
        Law::Axis(_) => MarkerKind::Axis,
        Law::Distance(_) => MarkerKind::Distance,
        Law::Joint(_) => joint(&constraint.description),
        Law::Fusion(_) | Law::Block(_) | Law::LawBlock(_) | Law::Custom(_) => MarkerKind::Joint,
        Law::Keyhole(_) => MarkerKind::Ring,
        Law::Pearl(_) => MarkerKind::Pearl,
        Law::Clip(_) => MarkerKind::Clip,
        Law::Circle(_) => MarkerKind::Circle,
        Law::Trajectory(_) => MarkerKind::Curve,
    };
    Marker { kind, limit, points }
}

/// Symbol of a joint by the motions that it leaves free.
fn joint(description: &ConstraintDescription) -> MarkerKind {
    let ConstraintDescription::Joint(joint) = description else { return MarkerKind::Joint };
    match joint.kind {
        JointKind::Ball => MarkerKind::Ball,
        JointKind::Weld => MarkerKind::Weld,
        JointKind::Hinge => MarkerKind::Hinge,
        JointKind::Slider => MarkerKind::Slider,
        JointKind::Cylindrical => MarkerKind::Cylindrical,
        JointKind::Universal => MarkerKind::Universal,
        JointKind::Planar => MarkerKind::Planar,
    }
}

fn limit(limit: Limit) -> record::Limit {
    match limit {
        Limit::Equal => record::Limit::Equal,
        Limit::AtMost => record::Limit::AtMost,
        Limit::AtLeast => record::Limit::AtLeast,
    }
}

/// Current place and force of a constraint.
pub(super) fn state(world: &World, k: usize, constraint: &Constraint) -> ConstraintState {
    let (Ok(force), Ok(sites)) = (world.constraint_force(k), world.sites(k)) else {
        return ConstraintState::default();
    };
    let [a, b] = &sites;
    let open = world.state().constraints[k].open;
    let place = match &constraint.law {
        Law::Clip(_) if open => {
            constraint.law.centre(world.time()).filter(|_| !constraint.is_relative()).unwrap_or(b.x)
        }
        Law::Clip(clip) if clip.width > 0.0 => 0.5 * (a.x + b.x),
        _ => a.x,
    };
    let direction = direction(world, constraint, &sites);
    ConstraintState {
        place: place.to_array(),
        force: force.force.to_array(),
        moment: force.moment.to_array(),
        direction: if direction == DVec3::ZERO { a.t } else { direction }.to_array().map(single),
        centre: centre(constraint, &sites, world.time()).map(|point| point.to_array()),
        residual: single(world.constraint_miss(k).unwrap_or(0.0)),
        used: single(world.strength_used(k).unwrap_or(0.0)),
        radius: single(radius(&constraint.law, world.time())),
        at: world.sliding_places(k).unwrap_or_default(),
        open,
    }
}

/// Coordinates of joints that have limits or a motor, and their present values.
pub(super) fn gauges(world: &World) -> impl Iterator<Item = (GaugeRow, GaugeState)> {
    let joints = world.structure().constraints.iter().enumerate();
    let joints = joints.filter(|(_, constraint)| matches!(constraint.law, Law::Joint(_)));
    joints.flat_map(|(k, _)| {
        let gauges = world.joint_gauges(k).unwrap_or_default();
        [GaugeKind::Angle, GaugeKind::Slide].into_iter().zip(gauges).filter_map(move |(coordinate, gauge)| {
            let Gauge { limits: [least, most], motor, value, target, drive, zero } = gauge?;
            let motor = motor.map(|kind| match kind {
                MotorKind::Position => record::MotorKind::Position,
                MotorKind::Velocity => record::MotorKind::Velocity,
                MotorKind::Force => record::MotorKind::Force,
                MotorKind::Servo => record::MotorKind::Servo,
            });
            let constraint = u32::try_from(k).unwrap_or(u32::MAX);
            let state = GaugeState { value, target, drive, zero: zero.to_array().map(single) };
            Some((GaugeRow { constraint, coordinate, least, most, motor }, state))
        })
    })
}

/// Normal, axis, opening or inward direction; otherwise the tangent.
fn direction(world: &World, constraint: &Constraint, [a, b]: &[Site; 2]) -> DVec3 {
    let time = world.time();
    match &constraint.law {
        Law::Plane(plane) => plane.normal(b, time),
        Law::Axis(axis) => axis.direction(b, time),
        Law::Clip(clip) => clip.opening(b, time),
        Law::Circle(circle) => circle.normal(b, time),
        Law::Joint(joint) => joint.axis(b),
        // In the second half of a rod, inward is against the tangent.
        Law::Clamp(_) if !constraint.law.moves() && share(world, constraint) > 0.5 => -a.t,
        _ => a.t,
    }
}

/// Share of the rod before the first end; 0 for ends that are not on a rod.
fn share(world: &World, constraint: &Constraint) -> f64 {
    let (on, at) = match constraint.description.ends()[0] {
        EndDescription::Place { on, at, .. } => (on, at),
        EndDescription::Sliding { on, at, .. } => (on, Some(at)),
        EndDescription::Caught { at, .. } => (constraint.on(), at),
        EndDescription::World => return 0.0,
    };
    let rod = world.structure().objects.iter().find(|object| object.name == on).and_then(Object::rod);
    rod.zip(at).and_then(|(rod, at)| Some(rod.arc_length(at).ok()? / rod.length())).unwrap_or(0.0)
}

/// Point of a plane, other end of a distance, centre of a circle, start of a curve.
fn centre(constraint: &Constraint, [a, b]: &[Site; 2], time: f64) -> Option<DVec3> {
    match &constraint.law {
        Law::Plane(plane) => Some(plane.foot(a, b, time)),
        Law::Distance(_) => Some(b.x),
        Law::Circle(_) => Some(b.x),
        Law::Trajectory(track) => Some(track.start(b, time)),
        _ => None,
    }
}

/// Radius of a circle or of a distance `at-least`, m; otherwise 0.
fn radius(law: &Law, time: f64) -> f64 {
    match law {
        Law::Circle(circle) => circle.sphere().radius(time),
        Law::Distance(sphere) if sphere.limit() == Limit::AtLeast => sphere.radius(time),
        _ => 0.0,
    }
}
