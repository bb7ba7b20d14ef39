//! What a run shows of the engine's state, in the form of recordings and summaries. Only this file looks into the world.

use super::markers::{Markers, marker};
use super::picture::{Actions, CHANNELS};
use glam::DVec3;
use micado::constraint::{EndDescription, Law};
use micado::load::{LoadLaw, SpringEndPlace, SpringLaw};
use micado::object::{Object, ObjectKind};
use micado::rod::Rod;
use micado::simulation::Simulation;
use micado::winch::RodEnd;
use micado::world::World;
use micado_io::picture::{Arrow, Line, LineKind, Marker, MarkerKind};
use micado_io::record::{self, Channel, ConstraintForce, ConstraintInfo, Frame, ObjectInfo, Table};
use serde::Serialize;

/// Points of a rod in a frame, at most; a longer rod is shown by every so many.
const MOST_POINTS: usize = 4000;
/// Points of a segment: enough for a smooth curve.
const POINTS_PER_SEGMENT: usize = 4;

/// Energies, J.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Energy {
    pub kinetic: f64,
    pub elastic: f64,
    pub gravity: f64,
    pub total: f64,
}

impl Energy {
    /// The present energies.
    pub(super) fn of(simulation: &Simulation) -> Self {
        let energy = simulation.world().energy();
        Self { kinetic: energy.kinetic, elastic: energy.elastic(), gravity: energy.gravity, total: energy.total() }
    }

    /// With their names.
    pub(super) fn named(&self) -> [(&'static str, f64); 4] {
        [("kinetic", self.kinetic), ("elastic", self.elastic), ("gravity", self.gravity), ("total", self.total)]
    }
}

/// What a constraint does.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ConstraintState {
    pub name: String,
    pub kind: String,
    /// Force on the object, N.
    pub force: [f64; 3],
    /// Moment on the object, N·m.
    pub moment: [f64; 3],
    /// How far it is missed, m or rad.
    pub residual: f64,
}

/// What every constraint does now.
pub(super) fn constraints(world: &World) -> Vec<ConstraintState> {
    let state = |(index, constraint): (usize, &micado::constraint::Constraint)| {
        let force = world.constraint_force(index).ok()?;
        Some(ConstraintState {
            name: constraint.name.clone(),
            kind: constraint.description.kind().to_owned(),
            force: force.force.to_array(),
            moment: force.moment.to_array(),
            residual: world.constraint_miss(index).ok()?,
        })
    };
    world.structure().constraints.iter().enumerate().filter_map(state).collect()
}

/// What a clip does.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClipNow {
    pub name: String,
    /// Force on its rod, N: the one with which it gave way if that was in the last step.
    pub force: f64,
    /// Share of its strength that this takes up.
    pub strength_used: f64,
    /// What it holds; none while it is open.
    pub held: Option<HeldNow>,
}

/// What a clip holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct HeldNow {
    pub rod: String,
    /// Rest arc length, m.
    pub place: f64,
    /// Bend radius of the rod there, m.
    pub bend_radius: f64,
    /// Twist of the rod there, rad/m.
    pub twist: f64,
    /// The rod as far as the next clip that holds it.
    pub next: Option<SpanNow>,
}

/// A rod from a clip to the next one along it that holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct SpanNow {
    /// The next clip.
    pub to: String,
    /// Rest length of the rod in between, m.
    pub rest_length: f64,
    /// Straight distance of the places that the two hold, m.
    pub distance: f64,
    /// Least bend radius in between, m.
    pub bend_radius: f64,
}

/// What every clip does now.
pub(super) fn clips(world: &World) -> Vec<ClipNow> {
    let constraints = &world.structure().constraints;
    let all: Vec<usize> = (0..constraints.len()).filter(|&k| matches!(constraints[k].law, Law::Clip(_))).collect();
    // Those that hold, along their rods: rod, place, clip.
    let held_by = |k: usize| Some(&world.state().constraints[k].clip).filter(|clip| !clip.open);
    let mut holding: Vec<(usize, f64, usize)> = all.iter().filter_map(|&k| held_by(k).map(|clip| (clip.rod, clip.place, k))).collect();
    holding.sort_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut next = vec![None; constraints.len()];
    for pair in holding.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        next[pair[0].2] = Some((pair[1].1, pair[1].2));
    }
    let held = |k: usize| {
        let clip = held_by(k)?;
        let rod = world.structure().objects.get(clip.rod)?;
        let here = world.section(rod, clip.place).ok()?;
        let span = |(place, other): (f64, usize)| {
            Some(SpanNow {
                to: constraints[other].name.clone(),
                rest_length: place - clip.place,
                distance: here.position.distance(world.section(rod, place).ok()?.position),
                bend_radius: world.least_bend_radius(rod, clip.place, place).ok()?,
            })
        };
        Some(HeldNow {
            rod: rod.name.clone(),
            place: clip.place,
            bend_radius: 1.0 / here.curvature,
            twist: here.twist,
            next: next[k].and_then(span),
        })
    };
    let now = |k: usize| {
        let (force, strength_used) = (world.constraint_force(k).ok()?.force.length(), world.strength_used(k).ok()?);
        Some(ClipNow { name: constraints[k].name.clone(), force, strength_used, held: held(k) })
    };
    all.into_iter().filter_map(now).collect()
}

/// Numbers of unknowns and of multipliers.
pub(crate) fn size(world: &World) -> (usize, usize) {
    let structure = world.structure();
    let of_object = |object: &Object| match &object.kind {
        ObjectKind::Rod(rod) => 4 * rod.nodes(),
        ObjectKind::Mass(_) => 3,
    };
    let sliding: usize = structure.constraints.iter().map(|c| c.law.own_unknowns().iter().filter(|own| **own).count()).sum();
    let unknowns = structure.objects.iter().map(of_object).sum::<usize>() + sliding;
    let rows = structure.constraints.iter().zip(&world.state().constraints).map(|(constraint, memory)| constraint.rows(memory));
    let lengths = structure.objects.iter().filter_map(|object| Some(object.rod()?.inextensible()?.length_rows()));
    (unknowns, rows.chain(lengths).sum())
}

/// The channels of every recording.
pub(super) fn channels() -> Vec<Channel> {
    CHANNELS.iter().map(|&(name, unit)| Channel::new(name, unit)).collect()
}

/// What exists, and where it is.
pub(super) fn observe(world: &World) -> (Table, Frame) {
    let mut table = Table::default();
    let mut frame = Frame { time: world.time(), channels: vec![Vec::new(); CHANNELS.len()], ..Frame::default() };
    for object in &world.structure().objects {
        let (kind, radii) = match &object.kind {
            ObjectKind::Rod(rod) => (record::ObjectKind::Rod, observe_rod(world, object, rod, &mut frame)),
            ObjectKind::Mass(mass) => {
                if let (Ok(position), Ok(velocity)) = (world.position(object), world.velocity(object, 0.0)) {
                    push_point(&mut frame, position.to_array(), [0.0; 3], [0.0, 0.0, 0.0, 0.0, velocity.length()]);
                }
                (record::ObjectKind::Mass, vec![mass.radius])
            }
        };
        let points = frame.points.len() as u64 - table.point_count();
        let points = u32::try_from(points).unwrap_or(u32::MAX);
        table.objects.push(ObjectInfo { name: object.name.clone(), kind, points, radii, triangles: Vec::new() });
    }
    for (index, constraint) in world.structure().constraints.iter().enumerate() {
        if let (Law::Pearl(bead), Ok([site, _])) = (&constraint.law, world.sites(index)) {
            let speed = DVec3::from_array(world.state().constraints[index].velocity).length();
            push_point(&mut frame, site.x.to_array(), [0.0; 3], [0.0, 0.0, 0.0, 0.0, speed]);
            let name = constraint.name.clone();
            table.objects.push(ObjectInfo {
                name,
                kind: record::ObjectKind::Mass,
                points: 1,
                radii: vec![bead.radius],
                triangles: Vec::new(),
            });
        }
        let (Ok(force), Ok([site, _])) = (world.constraint_force(index), world.sites(index)) else { continue };
        table.constraints.push(ConstraintInfo { name: constraint.name.clone(), kind: constraint.description.kind().to_owned() });
        frame.forces.push(ConstraintForce { place: site.x.to_array(), force: force.force.to_array(), moment: force.moment.to_array() });
    }
    (table, frame)
}

/// Adds the points of a rod and gives its radii: one where it is the same everywhere.
#[expect(clippy::cast_precision_loss, reason = "a few thousand points")]
fn observe_rod(world: &World, object: &Object, rod: &Rod, frame: &mut Frame) -> Vec<f64> {
    let count = rod.segments().saturating_mul(POINTS_PER_SEGMENT).saturating_add(1).min(MOST_POINTS);
    let spacing = rod.length() / (count - 1) as f64;
    let mut radii = Vec::with_capacity(count);
    for i in 0..count {
        let s = spacing * i as f64;
        let (Ok(section), Ok(velocity)) = (world.section(object, s), world.velocity(object, s)) else { continue };
        let speed = velocity.length();
        let values = [section.tension, section.curvature, section.bending_moment.length(), section.torque, speed];
        push_point(frame, section.position.to_array(), section.director.to_array(), values);
        radii.push(section.radius);
    }
    if radii.windows(2).all(|pair| pair[0] == pair[1]) {
        radii.truncate(1);
    }
    radii
}

fn push_point(frame: &mut Frame, point: [f64; 3], director: [f64; 3], values: [f64; CHANNELS.len()]) {
    frame.points.push(point);
    frame.directors.push(director.map(single));
    for (channel, value) in frame.channels.iter_mut().zip(values) {
        channel.push(single(value));
    }
}

#[expect(clippy::cast_possible_truncation, reason = "colours and directors need no more digits")]
fn single(value: f64) -> f32 {
    value as f32
}

/// Adds the symbols of the present constraints.
pub(super) fn collect_markers(world: &World, markers: &mut Markers) {
    for (index, constraint) in world.structure().constraints.iter().enumerate() {
        let Ok(sites) = world.sites(index) else { continue };
        let (on, at) = match constraint.description.ends()[0] {
            EndDescription::Place { on, at, .. } => (on, at),
            EndDescription::Sliding { on, at, .. } => (on, Some(at)),
            EndDescription::Clipped { at, .. } => (constraint.on(), at),
            EndDescription::World => continue,
        };
        let rod = world.structure().objects.iter().find(|object| object.name == on).and_then(Object::rod);
        let s = rod.zip(at).and_then(|(rod, at)| Some(rod.arc_length(at).ok()? / rod.length()));
        // In the second half a rod lies behind the place that is held.
        let into_the_rod = if s.is_some_and(|share| share > 0.5) { -sites[0].t } else { sites[0].t };
        markers.insert(constraint.name.clone(), marker(constraint, world.time(), &sites, into_the_rod));
    }
}

/// Springs, point forces and winches where they act now.
pub(super) fn actions(world: &World) -> Actions {
    let (q, time) = (&world.state().q, world.time());
    let position = |end: &SpringEndPlace| match end {
        SpringEndPlace::Object(place) => place.position(q).to_array(),
        SpringEndPlace::World(point) => point.at(time),
    };
    let line = |spring: &micado::load::Spring| {
        let [from, to] = spring.ends.each_ref().map(position);
        match (&spring.law, &spring.ends[1]) {
            // The point of a torsional spring stands for the axes of the world, which are everywhere.
            (SpringLaw::Torsional { .. }, SpringEndPlace::World(_)) => Line { from, to: from, kind: LineKind::Torsion },
            (SpringLaw::Torsional { .. }, _) => Line { from, to, kind: LineKind::Torsion },
            (SpringLaw::Linear { .. }, _) => Line { from, to, kind: LineKind::Spring },
        }
    };
    let arrow = |load: &micado::load::Load| match &load.law {
        LoadLaw::Force(place, force) => {
            Some(Arrow { place: place.position(q).to_array(), force: force.at(time), label: load.name.clone() })
        }
        _ => None,
    };
    let structure = world.structure();
    let winch = |winch: &micado::winch::Winch| {
        let rod = structure.objects.iter().find(|object| object.name == winch.description.on)?;
        let s = if winch.description.at == RodEnd::End { rod.rod()?.length() } else { 0.0 };
        let place = world.section(rod, s).ok()?.position.to_array();
        Some(Marker { place, kind: MarkerKind::Winch, label: winch.name.clone() })
    };
    Actions {
        lines: structure.springs.iter().map(line).collect(),
        arrows: structure.loads.iter().filter_map(arrow).collect(),
        winches: structure.winches.iter().filter_map(winch).collect(),
    }
}
