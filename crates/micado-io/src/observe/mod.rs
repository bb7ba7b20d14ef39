//! A simulation as tables and frames: points along objects with their channels, constraints, springs, loads
//! and probes. Recordings store them; pictures and the viewer draw them.

mod actions;
mod constraints;
mod table;

use crate::record::{self, Channel, ContactState, Energies, Frame, Mesh, Meta, ObjectRow, Table};
use crate::scene::SceneFile;
use glam::{DMat3, DQuat, DVec3};
use micado::constraint::Law;
use micado::object::Place;
use micado::object::body::Surface;
use micado::object::rod::Rod;
use micado::object::{Form, Object};
use micado::run::Simulation;
use micado::scene::ColourBy;
use micado::world::{SurfaceContact, World};

/// Largest number of points of a rod in a frame; longer rods are sampled more coarsely.
const MOST_POINTS: usize = 4000;
/// Points per segment: enough for a smooth curve.
const POINTS_PER_SEGMENT: usize = 4;

/// Number of points from which a sketch reads sections only in every second segment; with twice as many,
/// in every third, and so on.
const MANY_POINTS: usize = 8000;

/// Names and units of the recorded channels; append new ones at the end.
pub const CHANNELS: [(&str, &str); 7] = [
    ("tension", "N"),
    ("curvature", "1/m"),
    ("bending moment", "N·m"),
    ("torque", "N·m"),
    ("speed", "m/s"),
    ("twist", "rad/m"),
    ("strain", ""),
];

/// The channels of every recording.
pub fn channels() -> Vec<Channel> {
    CHANNELS.iter().map(|&(name, unit)| Channel::new(name, unit)).collect()
}

/// Index of the channel by which a scene is coloured.
pub fn channel_of(colour: ColourBy) -> usize {
    match colour {
        ColourBy::Tension => 0,
        ColourBy::Curvature => 1,
        ColourBy::BendingMoment => 2,
        ColourBy::Torque => 3,
        ColourBy::Speed => 4,
    }
}

/// Header of a recording of a scene.
pub fn meta(file: &SceneFile, table: &Table) -> Meta {
    let scene = file.scene();
    Meta {
        scene_name: file.short_name().to_owned(),
        scene_text: file.text().to_owned(),
        overrides: file.overrides().to_vec(),
        title: scene.title.clone(),
        description: scene.description.clone(),
        colour: CHANNELS[channel_of(scene.picture.colour)].0.to_owned(),
        view_from: scene.picture.view_from,
        program: concat!("micado ", env!("CARGO_PKG_VERSION")).to_owned(),
        time_step: file.scene().settings.step,
        channels: channels(),
        table: table.clone(),
    }
}

/// Table and frame of a simulation.
pub fn observe(simulation: &Simulation) -> (Table, Frame) {
    Observer::default().observe(simulation)
}

/// Frame of a world, without probes and energies.
pub fn frame(world: &World) -> Frame {
    let mut observer = Observer::default();
    observer.prepare(world);
    look(world, &observer.samples, 1, None)
}

/// Observes a world repeatedly. It caches the places of the points along the rods, which take longer to find
/// than to read.
#[derive(Clone, Debug, Default)]
pub struct Observer {
    /// Key of the cache: version of the structure, and length of each rod, m.
    of: (u64, Vec<f64>),
    /// Segment, coordinate within it and place of each point of each object; segments are those of rods.
    samples: Vec<Vec<(usize, f64, Place)>>,
    /// Index of the mesh of each object, if it has one.
    mesh_of: Vec<Option<u32>>,
    /// Different meshes so far. Their numbers never change.
    meshes: Vec<Mesh>,
}

impl Observer {
    /// An observer that knows the meshes of a recording, for another part of it.
    pub fn with_meshes(meshes: Vec<Mesh>) -> Self {
        Self { meshes, ..Self::default() }
    }

    /// The meshes that tables name by their index. The list only grows.
    pub fn meshes(&self) -> &[Mesh] {
        &self.meshes
    }

    /// Drops the cache, after a change of the structure that keeps its version; keeps the meshes.
    pub fn forget(&mut self) {
        *self = Self::with_meshes(std::mem::take(&mut self.meshes));
    }

    /// Table and frame of a simulation.
    pub fn observe(&mut self, simulation: &Simulation) -> (Table, Frame) {
        let world = simulation.world();
        self.prepare(world);
        let mut objects = Vec::new();
        let frame = look(world, &self.samples, 1, Some((&mut objects, &self.mesh_of)));
        let mut table = table::table(world, objects);
        table.probes = simulation.probes().iter().map(table::probe_row).collect();
        (table, complete(frame, simulation))
    }

    /// Frame of a simulation.
    pub fn frame(&mut self, simulation: &Simulation) -> Frame {
        self.prepare(simulation.world());
        complete(look(simulation.world(), &self.samples, 1, None), simulation)
    }

    /// Frame for display: positions and speeds are exact; directors and channels are read once per segment,
    /// or less often if there are many points, and interpolated. Without energies.
    pub fn sketch(&mut self, simulation: &Simulation) -> Frame {
        let world = simulation.world();
        self.prepare(world);
        let points: usize = self.samples.iter().map(Vec::len).sum();
        let every = POINTS_PER_SEGMENT * (1 + points / MANY_POINTS);
        Frame { probes: simulation.probe_values().to_vec(), ..look(world, &self.samples, every, None) }
    }

    /// Finds the points again if the structure has changed. After going back to an earlier structure, use a
    /// new observer.
    fn prepare(&mut self, world: &World) {
        let structure = world.structure();
        let lengths = || structure.objects.iter().map(|object| object.rod().map_or(0.0, Rod::length));
        if self.of.0 == structure.version
            && self.samples.len() == structure.objects.len()
            && lengths().eq(self.of.1.iter().copied())
        {
            return;
        }
        self.of = (structure.version, lengths().collect());
        self.samples = structure.objects.iter().map(samples).collect();
        let objects = structure.objects.iter().map(|object| match object.model().form() {
            Form::Body { surface, .. } => Some(surface),
            Form::Rod(_) | Form::Ball { .. } => None,
        });
        let scenery = structure.scenery.iter().map(|scenery| Some(&scenery.surface));
        self.mesh_of = objects.chain(scenery).map(|surface| self.number_of(surface?)).collect();
    }

    /// Number of the mesh of a surface; equal meshes have the same number.
    fn number_of(&mut self, surface: &Surface) -> Option<u32> {
        if surface.triangles.is_empty() {
            return None;
        }
        let mesh = Mesh::from(surface);
        let known = self.meshes.iter().position(|known| *known == mesh);
        let number = known.unwrap_or_else(|| {
            self.meshes.push(mesh);
            self.meshes.len() - 1
        });
        u32::try_from(number).ok()
    }
}

/// Segment, coordinate and place of each point of an object: many along a rod, otherwise one.
#[expect(clippy::cast_precision_loss, reason = "a few thousand points")]
fn samples(object: &Object) -> Vec<(usize, f64, Place)> {
    let Some(rod) = object.rod() else { return vec![(0, 0.0, object.place_along(0.0))] };
    let (count, spacing) = spread(rod);
    let sample = |i: usize| {
        let s = (spacing * i as f64).min(rod.length());
        let (e, f) = rod.locate(s);
        (e, f, rod.place(s).of_object(object.index))
    };
    (0..count).map(sample).collect()
}

/// Energies of a world.
pub fn energies(world: &World) -> Energies {
    let energy = world.energy();
    Energies {
        kinetic: energy.kinetic,
        elastic: energy.elastic(),
        gravity: energy.gravity,
        total: energy.total(),
    }
}

/// Adds probes and energies to a frame.
fn complete(frame: Frame, simulation: &Simulation) -> Frame {
    let energies = energies(simulation.world());
    Frame { probes: simulation.probe_values().to_vec(), energies, ..frame }
}

/// Rows of the objects of a frame, to be filled, and the numbers of their meshes; `None` if rows are not
/// needed.
type Rows<'a> = Option<(&'a mut Vec<ObjectRow>, &'a [Option<u32>])>;

/// Frame of a world. It reads one of `every` points of a rod and interpolates the others. It fills `rows`, if
/// given, with objects, pearls and scenery; pearls have no entry in the list of meshes.
fn look(world: &World, samples: &[Vec<(usize, f64, Place)>], every: usize, mut rows: Rows<'_>) -> Frame {
    let mut frame =
        Frame { time: world.time(), channels: vec![Vec::new(); CHANNELS.len()], ..Frame::default() };
    let mut add = |row: ObjectRow, number: Option<usize>| {
        if let Some((rows, mesh_of)) = &mut rows {
            let mesh = number.and_then(|number| mesh_of.get(number).copied().flatten());
            rows.push(ObjectRow { mesh, ..row });
        }
    };
    let structure = world.structure();
    let floor = world.floor().map(|(index, _)| index);
    for (number, (object, samples)) in structure.objects.iter().zip(samples).enumerate() {
        let before = frame.points.len();
        let (kind, radii) = match object.model().form() {
            Form::Rod(rod) => {
                (record::ObjectKind::Rod, observe_rod(world, object, rod, samples, every, &mut frame))
            }
            Form::Ball { radius } => {
                observe_places(world, samples, &mut frame);
                (record::ObjectKind::Mass, vec![radius])
            }
            // The plane is unbounded: only its height is drawn.
            Form::Body { .. } if floor == Some(number) => {
                observe_places(world, samples, &mut frame);
                (record::ObjectKind::Floor, Vec::new())
            }
            Form::Body { radius, .. } => {
                observe_places(world, samples, &mut frame);
                frame.orientations.push(orientation(world, samples));
                (record::ObjectKind::Body, vec![radius])
            }
        };
        let row = ObjectRow {
            name: object.name.clone(),
            kind,
            points: u32::try_from(frame.points.len() - before).unwrap_or(u32::MAX),
            length: object.rod().map_or(0.0, Rod::length),
            radii,
            closed: object.rod().is_some_and(Rod::is_closed),
            ..ObjectRow::default()
        };
        add(row, Some(number).filter(|number| floor != Some(*number)));
    }
    let one = |name: &str, kind, radius| {
        let (name, radii) = (name.to_owned(), vec![radius]);
        ObjectRow { name, kind, points: 1, radii, ..ObjectRow::default() }
    };
    for (index, constraint) in structure.constraints.iter().enumerate() {
        let state = constraints::state(world, index, constraint);
        if let Law::Pearl(bead) = &constraint.law {
            let speed = DVec3::from_array(world.state().constraints[index].sliding.velocity).length();
            push_point(&mut frame, state.place, [0.0; 3], moving(speed));
            add(one(&constraint.name, record::ObjectKind::Pearl, bead.radius), None);
        }
        frame.constraints.push(state);
    }
    for (k, scenery) in structure.scenery.iter().enumerate() {
        let (place, turn) = world.scenery_pose(k);
        push_point(&mut frame, place.to_array(), [0.0; 3], moving(0.0));
        frame.orientations.push(turn.to_array());
        let row = one(&scenery.name, record::ObjectKind::Scenery, scenery.radius);
        let colour = scenery.description.colour.map(|colour| colour.0);
        add(ObjectRow { colour, ..row }, Some(structure.objects.len() + k));
    }
    frame.springs = actions::springs(world);
    frame.loads = actions::loads(world);
    frame.gauges = constraints::gauges(world).map(|(_, state)| state).collect();
    frame.contacts = world.surface_contacts().map(contact).collect();
    frame
}

#[expect(clippy::cast_possible_truncation, reason = "numbers of objects, and values of single precision")]
fn contact(contact: SurfaceContact) -> ContactState {
    ContactState {
        objects: contact.objects.map(|k| k as u32),
        point: contact.point.to_array(),
        normal: contact.normal.as_vec3().to_array(),
        force: contact.force.to_array(),
        gap: contact.gap as f32,
        friction: contact.friction as f32,
    }
}

/// Displacement of each point of a frame when the unknowns move by `shape`, as in a vibration mode.
pub fn displacements(world: &World, shape: &[f64]) -> Vec<[f64; 3]> {
    let mut all = Vec::new();
    for object in &world.structure().objects {
        let moved = |(_, _, place): (_, _, Place)| world.poses().velocity(&place, shape).to_array();
        all.extend(samples(object).into_iter().map(moved));
    }
    for (constraint, memory) in world.structure().constraints.iter().zip(&world.state().constraints) {
        if let Law::Pearl(_) = constraint.law {
            let place = constraint.places(&world.structure().objects, memory)[0];
            all.push(place.position(place.slice(&world.structure().objects, shape)).to_array());
        }
    }
    // Scenery has no displacement.
    all.extend(world.structure().scenery.iter().map(|_| [0.0; 3]));
    all
}

/// Number of points along a rod, and the rest length between them, m.
#[expect(clippy::cast_precision_loss, reason = "a few thousand points")]
fn spread(rod: &Rod) -> (usize, f64) {
    let count = rod.segments().saturating_mul(POINTS_PER_SEGMENT).saturating_add(1).min(MOST_POINTS);
    (count, rod.length() / (count - 1) as f64)
}

/// Adds the points of a rod and returns its radii: one if it is constant. One of `every` points is read, the
/// others are interpolated.
fn observe_rod(
    world: &World,
    object: &Object,
    rod: &Rod,
    samples: &[(usize, f64, Place)],
    every: usize,
    frame: &mut Frame,
) -> Vec<f64> {
    let state = world.state();
    let (q, frames) = (&state.q[object.unknowns()], &state.frames[object.frames.clone()]);
    let v = &state.v[object.unknowns()];
    let read = |i: usize| {
        let (e, f, _) = &samples[i];
        rod.section(q, frames, *e, *f)
    };
    let Some(last) = samples.len().checked_sub(1) else { return Vec::new() };
    let mut radii = Vec::with_capacity(samples.len());
    let mut here = read(0);
    for from in (0..samples.len()).step_by(every) {
        let to = (from + every).min(last);
        let ahead = if to > from { read(to) } else { here };
        let end = if to == last { last + 1 } else { to };
        for (i, (_, _, place)) in samples.iter().enumerate().take(end).skip(from) {
            let share = if to > from { (i - from) as f64 / (to - from) as f64 } else { 0.0 };
            // Values that are read are not rounded by interpolation.
            let mix = |a: f64, b: f64| match share {
                0.0 => a,
                1.0 => b,
                share => a + (b - a) * share,
            };
            let values = [
                mix(here.tension, ahead.tension),
                mix(here.curvature, ahead.curvature),
                mix(here.bending_moment.length(), ahead.bending_moment.length()),
                mix(here.torque, ahead.torque),
                place.position(v).length(),
                mix(here.twist, ahead.twist),
                mix(here.stretch, ahead.stretch),
            ];
            let director = match share {
                0.0 => here.director,
                1.0 => ahead.director,
                share => here.director.lerp(ahead.director, share).normalize_or_zero(),
            };
            push_point(frame, place.position(q).to_array(), director.to_array(), values);
            radii.push(mix(here.radius, ahead.radius));
        }
        if to == last {
            break;
        }
        here = ahead;
    }
    if radii.windows(2).all(|pair| pair[0] == pair[1]) {
        radii.truncate(1);
    }
    radii
}

/// Adds the points of an object that has only positions and velocities.
fn observe_places(world: &World, samples: &[(usize, f64, Place)], frame: &mut Frame) {
    let poses = world.poses();
    for (_, _, place) in samples {
        let speed = poses.velocity(place, &world.state().v).length();
        push_point(frame, poses.position(place).to_array(), [0.0; 3], moving(speed));
    }
}

/// Orientation of a body: that of the frame of its place, as a quaternion (x, y, z, w).
fn orientation(world: &World, samples: &[(usize, f64, Place)]) -> [f64; 4] {
    let poses = world.poses();
    let axes = samples.first().map(|(_, _, place)| poses.site(place, &poses.frame(place)).frame());
    DQuat::from_mat3(&axes.unwrap_or(DMat3::IDENTITY)).normalize().to_array()
}

/// Channels of a point that has only a speed.
fn moving(speed: f64) -> [f64; CHANNELS.len()] {
    [0.0, 0.0, 0.0, 0.0, speed, 0.0, 0.0]
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
