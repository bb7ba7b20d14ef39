//! What is seen of a world beside its points: what constraints, springs and loads do, and the table that
//! names them.

use super::hands::Hands;
use crate::protocol::{ConstraintRow, MarkerRow, Named, ObjectRow, ProbeRow, Table, WinchRow, single};
use glam::DVec3;
use micado::constraint::{Constraint, ConstraintDescription, EndDescription, Law, Limit, Side, Strength};
use micado::describe::anchor::At;
use micado::load::{LoadLaw, Spread};
use micado::object::Object;
use micado::scene::Probe;
use micado::scene::RodEnd;
use micado::world::World;
use micado_io::observe::{self, symbol};
use micado_io::picture::MarkerKind;
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
                Some(_) => "rod",
                None if is_pearl() => "pearl",
                None => "mass",
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
    let spring =
        |spring: &micado::load::Spring| Named { name: spring.name.clone(), kind: spring.description.kind() };
    let load = |load: &micado::load::Load| Named { name: load.name.clone(), kind: load.description.kind() };
    let winch = |winch: &micado::world::Winch| WinchRow {
        name: winch.name.clone(),
        on: winch.description.on.clone(),
        at: if winch.description.at == RodEnd::End { "end" } else { "start" },
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
        EndDescription::World | EndDescription::Clipped { .. } => None,
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
fn marker(world: &World, k: usize, constraint: &Constraint) -> MarkerRow {
    let plain = |kind| MarkerRow { kind, ..MarkerRow::default() };
    match (&constraint.law, symbol(world, k)) {
        (Law::Distance(sphere), _) if sphere.limit() == Limit::AtMost => {
            MarkerRow { limit: Some("at-most"), ..plain("distance") }
        }
        (Law::Distance(sphere), _) if sphere.limit() == Limit::AtLeast => {
            MarkerRow { limit: Some("at-least"), ..plain("distance") }
        }
        (Law::Plane(plane), _) if plane.side() == Side::Above => {
            MarkerRow { limit: Some("at-least"), ..plain("plane") }
        }
        (Law::Keyhole(_), _) => plain("ring"),
        (Law::Pearl(_), _) => plain("pearl"),
        (_, Some(MarkerKind::Curve { points })) => MarkerRow { points: Some(points), ..plain("curve") },
        (_, Some(symbol)) => plain(word(&symbol)),
        (_, None) => plain("point"),
    }
}

/// The word of a symbol.
pub(super) fn word(symbol: &MarkerKind) -> &'static str {
    match symbol {
        MarkerKind::Target => "target",
        MarkerKind::Clamp { .. } => "clamp",
        MarkerKind::Jaws { .. } => "jaws",
        MarkerKind::Clip { .. } => "clip",
        MarkerKind::Plane { .. } => "plane",
        MarkerKind::Axis { .. } => "axis",
        MarkerKind::Distance { .. } => "distance",
        MarkerKind::Circle { .. } => "circle",
        MarkerKind::Curve { .. } => "curve",
        MarkerKind::Roll { .. } => "roll",
        MarkerKind::Tangent { .. } => "tangent",
        MarkerKind::Ring { .. } => "ring",
        MarkerKind::Joint => "joint",
        _ => "point",
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

/// place, direction, centre, force, moment, residual, strength used, open, radius, 0
pub(super) fn constraints(
    world: &World,
    forces: &[record::ConstraintForce],
    hands: &Hands,
) -> Vec<[f32; 20]> {
    let numbers = |(k, (constraint, felt)): (usize, (&Constraint, &record::ConstraintForce))| {
        let open = world.state().constraints[k].clip.open;
        let Ok([a, b]) = world.sites(k) else { return [0.0; 20] };
        let place = match &constraint.law {
            Law::Clip(_) if open => {
                constraint.law.centre(world.time()).filter(|_| !constraint.is_relative()).unwrap_or(b.x)
            }
            Law::Clip(jaws) if jaws.width > 0.0 => 0.5 * (a.x + b.x),
            _ => a.x,
        };
        let (direction, centre) = aim(world, k, constraint, a.t, place);
        let centre = hands.target(&constraint.name).unwrap_or(centre);
        let residual = world.constraint_miss(k).unwrap_or(0.0);
        let used = world.strength_used(k).unwrap_or(0.0);
        let mut numbers = [0.0; 20];
        let vectors = [place.to_array(), direction, centre.to_array(), felt.force, felt.moment];
        let rest = [residual, used, f64::from(u8::from(open)), radius(&constraint.law, world.time())];
        let all = vectors.iter().flatten().copied().chain(rest);
        numbers.iter_mut().zip(all).for_each(|(number, x)| *number = single(x));
        numbers
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
pub(super) fn direction_and_centre(symbol: &MarkerKind) -> ([f64; 3], Option<[f64; 3]>) {
    match symbol {
        MarkerKind::Plane { point, normal } => (*normal, Some(*point)),
        MarkerKind::Circle { centre, normal, .. } => (*normal, Some(*centre)),
        MarkerKind::Distance { centre } => ([0.0; 3], Some(*centre)),
        MarkerKind::Curve { points } => ([0.0; 3], points.first().copied()),
        MarkerKind::Clamp { direction } | MarkerKind::Jaws { direction } | MarkerKind::Axis { direction } => {
            (*direction, None)
        }
        MarkerKind::Tangent { direction }
        | MarkerKind::Roll { direction }
        | MarkerKind::Ring { direction } => (*direction, None),
        MarkerKind::Clip { opening, .. } => (*opening, None),
        _ => ([0.0; 3], None),
    }
}

/// from, to, tension, 0
pub(super) fn springs(world: &World) -> Vec<[f32; 8]> {
    let lines = observe::actions(world).lines;
    let numbers = |(k, line): (usize, &micado_io::picture::Line)| {
        let tension = world.spring_tension(k).unwrap_or(0.0);
        let mut numbers = [0.0; 8];
        let all = line.from.into_iter().chain(line.to).chain([tension]);
        numbers.iter_mut().zip(all).for_each(|(number, x)| *number = single(x));
        numbers
    };
    lines.iter().enumerate().map(numbers).collect()
}

/// place, force, 0, 0: of a moment the moment, of what is spread its sum where its weight is, of drag nothing
/// but the place.
pub(super) fn loads(world: &World) -> Vec<[f32; 8]> {
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
        let mut numbers = [0.0; 8];
        let all = place.to_array().into_iter().chain(force.to_array());
        numbers.iter_mut().zip(all).for_each(|(number, x)| *number = single(x));
        numbers
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
