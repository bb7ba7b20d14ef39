//! What is seen of a world beside its points: what constraints, springs and loads do, and the table that
//! names them.

use super::hands::Hands;
use crate::protocol::{
    ConstraintNumbers, ConstraintRow, LoadKind, LoadNumbers, LoadRow, Marker, MarkerKind, ObjectKind,
    ObjectRow, ProbeRow, SpringKind, SpringNumbers, SpringRow, Table, WinchRow, single,
};
use glam::DVec3;
use micado::constraint::{Constraint, ConstraintDescription, EndDescription, Law, Limit, Side, Strength};
use micado::describe::anchor::At;
use micado::load::{LoadDescription, LoadLaw, Spread, SpringDescription};
use micado::object::Object;
use micado::scene::Probe;
use micado::world::World;
use micado_io::observe::{self, symbol};
use micado_io::picture::MarkerKind as Symbol;
use micado_io::record;

/// The table of a world; `seen` is what recordings call it.
pub(super) fn table(
    world: &World,
    seen: record::Table,
    hands: &Hands,
    probes: &[Probe],
    serial: u32,
) -> Table {
    let structure = world.structure();
    let rod = |name: &str| structure.objects.iter().find(|object| object.name == name).and_then(Object::rod);
    let objects = seen.objects.into_iter().map(|object| {
        let rod = rod(&object.name).filter(|_| object.kind == record::ObjectKind::Rod);
        let is_pearl = || structure.constraints.iter().any(|c| c.name == object.name);
        ObjectRow {
            kind: match rod {
                Some(_) => ObjectKind::Rod,
                None if is_pearl() => ObjectKind::Pearl,
                None => ObjectKind::Mass,
            },
            points: object.points,
            length: rod.map_or(0.0, |rod| rod.length()),
            radii: object.radii,
            closed: rod.is_some_and(|rod| rod.is_closed()),
            name: object.name,
        }
    });
    let constraint = |(k, constraint): (usize, &Constraint)| ConstraintRow {
        hand: hands.holds(&constraint.name),
        ..constraint_row(world, k, constraint)
    };
    let spring = |spring: &micado::load::Spring| SpringRow {
        name: spring.name.clone(),
        kind: match spring.description {
            SpringDescription::Linear(_) => SpringKind::Linear,
            SpringDescription::Torsional(_) => SpringKind::Torsional,
        },
    };
    let load = |load: &micado::load::Load| LoadRow {
        name: load.name.clone(),
        kind: match load.description {
            LoadDescription::Force(_) => LoadKind::Force,
            LoadDescription::Moment(_) => LoadKind::Moment,
            LoadDescription::Distributed(_) => LoadKind::Distributed,
            LoadDescription::Drag(_) => LoadKind::Drag,
        },
    };
    let winch = |winch: &micado::world::Winch| WinchRow {
        name: winch.name.clone(),
        on: winch.description.on.clone(),
        at: winch.description.at,
    };
    Table {
        serial,
        objects: objects.collect(),
        constraints: structure.constraints.iter().enumerate().map(constraint).collect(),
        springs: structure.springs.iter().map(spring).collect(),
        loads: structure.loads.iter().map(load).collect(),
        winches: structure.winches.iter().map(winch).collect(),
        probes: probes.iter().map(probe_row).collect(),
    }
}

/// A constraint, held by nobody.
pub(super) fn constraint_row(world: &World, k: usize, constraint: &Constraint) -> ConstraintRow {
    ConstraintRow {
        name: constraint.name.clone(),
        kind: constraint.description.kind().to_owned(),
        on: constraint.on().to_owned(),
        to: other_end(constraint).map(|(on, _)| on.to_owned()),
        hand: false,
        strength: strength(&constraint.description),
        marker: marker(world, k, constraint),
    }
}

/// The object at the second end of a constraint, and where on it; none where that is the world.
pub(super) fn other_end(constraint: &Constraint) -> Option<(&str, Option<At>)> {
    match constraint.description.ends()[1] {
        EndDescription::Place { on, at, .. } => Some((on, at)),
        EndDescription::Sliding { on, at, .. } => Some((on, Some(at))),
        EndDescription::World | EndDescription::Caught { .. } => None,
    }
}

/// A probe with its unit.
pub(super) fn probe_row(probe: &Probe) -> ProbeRow {
    ProbeRow { name: probe.name.clone(), unit: probe.read.unit(), of: probe.of.clone(), read: probe.read }
}

/// The least force at which a clip may give way, N.
fn strength(description: &ConstraintDescription) -> Option<f64> {
    let ConstraintDescription::Clip(clip) = description else { return None };
    match clip.strength? {
        Strength::Any(force) => Some(force),
        Strength::Directions(by) => {
            [by.any, by.along, by.out, by.inward, by.across].into_iter().flatten().reduce(f64::min)
        }
    }
}

/// What a constraint looks like now.
fn marker(world: &World, k: usize, constraint: &Constraint) -> Marker {
    let plain = |kind| Marker { kind, ..Marker::default() };
    match (&constraint.law, symbol(world, k)) {
        (Law::Distance(sphere), _) => Marker { limit: sphere.limit(), ..plain(MarkerKind::Distance) },
        (Law::Plane(plane), _) if plane.side() == Side::Above => {
            Marker { limit: Limit::AtLeast, ..plain(MarkerKind::Plane) }
        }
        (Law::Keyhole(_), _) => plain(MarkerKind::Ring),
        (Law::Pearl(_), _) => plain(MarkerKind::Pearl),
        (_, Some(Symbol::Curve { points })) => Marker { points, ..plain(MarkerKind::Curve) },
        (_, Some(symbol)) => plain(marker_kind(&symbol)),
        (_, None) => plain(MarkerKind::Point),
    }
}

fn marker_kind(symbol: &Symbol) -> MarkerKind {
    match symbol {
        Symbol::Target => MarkerKind::Target,
        Symbol::Clamp { .. } => MarkerKind::Clamp,
        Symbol::Jaws { .. } => MarkerKind::Jaws,
        Symbol::Clip { .. } => MarkerKind::Clip,
        Symbol::Plane { .. } => MarkerKind::Plane,
        Symbol::Axis { .. } => MarkerKind::Axis,
        Symbol::Distance { .. } => MarkerKind::Distance,
        Symbol::Circle { .. } => MarkerKind::Circle,
        Symbol::Curve { .. } => MarkerKind::Curve,
        Symbol::Roll { .. } => MarkerKind::Roll,
        Symbol::Tangent { .. } => MarkerKind::Tangent,
        Symbol::Ring { .. } => MarkerKind::Ring,
        Symbol::Joint => MarkerKind::Joint,
        _ => MarkerKind::Point,
    }
}

/// Radius of a circle, or of a ball that something stays out of, m; 0 of all others.
pub(super) fn radius(law: &Law, time: f64) -> f64 {
    match law {
        Law::Circle(circle) => circle.sphere().radius(time),
        Law::Distance(sphere) if sphere.limit() == Limit::AtLeast => sphere.radius(time),
        _ => 0.0,
    }
}

/// What constraints do now.
pub(super) fn constraints(
    world: &World,
    forces: &[record::ConstraintForce],
    hands: &Hands,
) -> Vec<ConstraintNumbers> {
    let numbers = |(k, (constraint, felt)): (usize, (&Constraint, &record::ConstraintForce))| {
        let open = world.state().constraints[k].open;
        let Ok([a, b]) = world.sites(k) else { return ConstraintNumbers::default() };
        let place = match &constraint.law {
            Law::Clip(_) if open => {
                constraint.law.centre(world.time()).filter(|_| !constraint.is_relative()).unwrap_or(b.x)
            }
            Law::Clip(jaws) if jaws.width > 0.0 => 0.5 * (a.x + b.x),
            _ => a.x,
        };
        let (direction, centre) = aim(world, k, constraint, a.t, place);
        let centre = hands.target(&constraint.name).unwrap_or(centre);
        ConstraintNumbers {
            place: place.to_array().map(single),
            direction: direction.map(single),
            centre: centre.to_array().map(single),
            force: felt.force.map(single),
            moment: felt.moment.map(single),
            residual: single(world.constraint_miss(k).unwrap_or(0.0)),
            used: single(world.strength_used(k).unwrap_or(0.0)),
            open: f32::from(u8::from(open)),
            radius: single(radius(&constraint.law, world.time())),
            reserved: 0.0,
        }
    };
    world.structure().constraints.iter().zip(forces).enumerate().map(numbers).collect()
}

/// Direction and centre of a constraint, as the protocol has them.
fn aim(world: &World, k: usize, constraint: &Constraint, tangent: DVec3, place: DVec3) -> ([f64; 3], DVec3) {
    let (direction, centre) = match &constraint.law {
        // Its outline is long, and no part of a frame.
        Law::Trajectory(track) => ([0.0; 3], Some(track.start(world.time()).to_array())),
        _ => symbol(world, k).as_ref().map_or(([0.0; 3], None), direction_and_centre),
    };
    let direction = if direction == [0.0; 3] { tangent.to_array() } else { direction };
    (direction, centre.map_or(place, DVec3::from_array))
}

/// Direction and centre of a symbol; none of either where it has none of its own.
pub(super) fn direction_and_centre(symbol: &Symbol) -> ([f64; 3], Option<[f64; 3]>) {
    match symbol {
        Symbol::Plane { point, normal } => (*normal, Some(*point)),
        Symbol::Circle { centre, normal, .. } => (*normal, Some(*centre)),
        Symbol::Distance { centre } => ([0.0; 3], Some(*centre)),
        Symbol::Curve { points } => ([0.0; 3], points.first().copied()),
        Symbol::Clamp { direction } | Symbol::Jaws { direction } | Symbol::Axis { direction } => {
            (*direction, None)
        }
        Symbol::Tangent { direction } | Symbol::Roll { direction } | Symbol::Ring { direction } => {
            (*direction, None)
        }
        Symbol::Clip { opening, .. } => (*opening, None),
        _ => ([0.0; 3], None),
    }
}

/// Springs as they are now.
pub(super) fn springs(world: &World) -> Vec<SpringNumbers> {
    let lines = observe::actions(world).lines;
    let numbers = |(k, line): (usize, &micado_io::picture::Line)| SpringNumbers {
        from: line.from.map(single),
        to: line.to.map(single),
        tension: single(world.spring_tension(k).unwrap_or(0.0)),
        reserved: 0.0,
    };
    lines.iter().enumerate().map(numbers).collect()
}

/// Loads as they are now: of a moment the moment, of one that is spread its sum where its weight is, of drag
/// nothing but the place.
pub(super) fn loads(world: &World) -> Vec<LoadNumbers> {
    let time = world.time();
    let numbers = |load: &micado::load::Load| {
        let (place, force) = match &load.law {
            LoadLaw::Force(place, signal) | LoadLaw::Moment(place, signal) => {
                (world.structure().poses(world.state()).position(place), DVec3::from_array(signal.at(time)))
            }
            LoadLaw::Distributed(spread, signal) => (
                middle(spread, world),
                DVec3::from_array(signal.at(time)) * spread.weights.iter().sum::<f64>(),
            ),
            LoadLaw::Drag(spread, _) => (middle(spread, world), DVec3::ZERO),
        };
        LoadNumbers {
            place: place.to_array().map(single),
            force: force.to_array().map(single),
            reserved: [0.0; 2],
        }
    };
    world.structure().loads.iter().map(numbers).collect()
}

/// Where the weight of a spread load is.
fn middle(spread: &Spread, world: &World) -> DVec3 {
    let weight: f64 = spread.weights.iter().sum();
    let object = &world.structure().objects[spread.object];
    let nodes = world.state().q[object.unknowns()].chunks_exact(4);
    let sum: DVec3 =
        spread.weights.iter().zip(nodes).map(|(&weight, node)| weight * DVec3::from_slice(node)).sum();
    if weight > 0.0 { sum / weight } else { DVec3::ZERO }
}
