//! Writes the current state as a scene file: a run that continues from here.
//!
//! Places are measured again along the current curves of the rods, and time functions continue from now.
//! Values relative to the time at which something was added (displacements from an unnamed target, angles,
//! sliding distances) become relative to now.

use micado::constraint::{ConstraintDescription, JointKind, Law};
use micado::describe::anchor::At;
use micado::describe::signal::{Signal, SignalValue};
use micado::error::BuildError;
use micado::load::{Spring, SpringDescription, SpringLaw};
use micado::object::Object;
use micado::object::rod::Rod;
use micado::run::Simulation;
use micado::scene::{ALL, ContactSettings, Floor, Kind, Mode, Scene};
use micado::world::World;
use micado::world::redescribe::PresentRod;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// A scene that starts from the current state of a simulation, and a list of what it can't keep. Leaves out
/// the constraints and loads named in `without`.
///
/// # Errors
/// The current shape of a rod can't be an initial shape.
pub fn present(
    simulation: &Simulation,
    scene: &Scene,
    without: &[String],
) -> Result<(Scene, Vec<String>), BuildError> {
    let world = simulation.world();
    let structure = world.structure();
    let mut lost = Vec::new();
    let mut rods: BTreeMap<&str, PresentRod> = BTreeMap::new();
    let mut now = Scene {
        title: format!("{} at {:.4} s", scene.title, simulation.time()),
        description: scene.description.clone(),
        settings: scene.settings.clone(),
        picture: scene.picture.clone(),
        ..Scene::default()
    };
    (now.settings.mode, now.settings.settle) = (simulation.settings().mode, false);
    now.settings.gravity = structure.gravity.beginning_at(world.time());
    let floor = world.floor();
    now.floor = floor.map(|(_, height)| Floor { height });
    now.contact = contact(world);
    for object in &structure.objects {
        if floor.is_some_and(|(index, _)| index == object.index) {
            continue;
        }
        let within = |error: BuildError| error.within(&format!("{}.{}", object.word(), object.name));
        if object.rod().is_some() {
            let rod = world.present_rod(object).map_err(within)?;
            lost.extend(rod.lost.iter().map(|what| format!("rod `{}`: {what}", object.name)));
            now.rod.insert(object.name.clone(), rod.description.clone());
            rods.insert(&object.name, rod);
        } else {
            let words = world.at_present(object).map_err(within)?;
            let description = words.as_description();
            now.describe(description.kind(), &object.name, to_value(&description)?)
                .map_err(|error| unwritable(&error))?;
        }
    }
    let shift = Shift { rods: &rods, time: world.time() };
    for &kind in Kind::ALL.iter().filter(|kind| !kind.is_object()) {
        let descriptions = structure.descriptions().filter(|(_, description)| description.kind() == kind);
        for (k, (name, description)) in descriptions.enumerate() {
            if without.iter().any(|left_out| left_out == name) {
                if kind == Kind::Constraint {
                    lost.push(format!("the hand `{name}`: it is left out"));
                }
                continue;
            }
            let words = match kind {
                Kind::Constraint => to_value(&constraint(world, k, &mut lost)?)?,
                Kind::Spring => to_value(&spring(&structure.springs[k], &mut lost))?,
                _ => to_value(&description)?,
            };
            let words = shift.value(words, kind == Kind::Constraint);
            now.describe(kind, name, words).map_err(|error| unwritable(&error))?;
        }
    }
    for probe in simulation.probes().iter().filter(|probe| !without.contains(&probe.of)) {
        let mut probe = probe.clone();
        if let (Some(rod), Some(at)) = (rods.get(probe.of.as_str()), probe.at) {
            probe.at = Some(present_place(rod, &probe.of, structure.objects.as_slice(), at));
        }
        now.probe.push(probe);
    }
    for action in simulation.pending_actions() {
        let mut action = action.clone();
        action.at = action.at.map(|at| (at - world.time()).max(0.0));
        let words = shift.value(to_value(&action.edit)?, false);
        action.edit = serde_json::from_value(words).map_err(|error| unwritable(&error))?;
        now.action.push(action);
    }
    if now.settings.mode != Mode::Static && !simulation.finished() {
        now.settings.duration = (scene.settings.duration - world.time()).max(scene.settings.step);
    }
    Ok((now, lost))
}

/// The description of contact, without names of objects that no longer exist.
fn contact(world: &World) -> Option<ContactSettings> {
    let mut words = world.contact_settings()?.clone();
    let objects = &world.structure().objects;
    let exists = |name: &String| objects.iter().any(|object| object.name == *name);
    words.radius.retain(|name, _| exists(name));
    words.groups.values_mut().for_each(|group| group.retain(exists));
    let ContactSettings { groups, materials, pairs, .. } = &mut words;
    for material in materials.values_mut() {
        material.of.retain(|name| name == ALL || exists(name) || groups.contains_key(name));
    }
    let is_list = |name: &String| groups.contains_key(name) || materials.contains_key(name);
    pairs.retain(|pair| pair.between.iter().all(|name| name == ALL || exists(name) || is_list(name)));
    Some(words)
}

/// Angle that is rounding, rad.
const SAME_ANGLE: f64 = 1e-9;

/// A constraint in its current state.
fn constraint(world: &World, k: usize, lost: &mut Vec<String>) -> Result<ConstraintDescription, BuildError> {
    let structure = world.structure();
    let constraint = &structure.constraints[k];
    let mut words = constraint.description.clone();
    let place = world.sliding_place(k).ok().filter(|place| place.is_finite());
    if let Some(broken) = words.broken_mut() {
        *broken = world.state().constraints[k].open;
    }
    match &mut words {
        ConstraintDescription::Keyhole(eye) => eye.at = place.map_or(eye.at, At::Length),
        ConstraintDescription::Pearl(pearl) => {
            pearl.at = place.map_or(pearl.at, At::Length);
            let rod = structure.objects.iter().find(|object| object.name == pearl.on);
            let [site, _] = world.sites(k)?;
            if let (Some(rod), Some(place)) = (rod, place) {
                let own = glam::DVec3::from_array(world.state().constraints[k].sliding.velocity);
                pearl.speed = (own - world.velocity(rod, place)?).dot(site.t);
            }
        }
        ConstraintDescription::Clip(clip) => {
            clip.at = place.map(At::Length);
            let held = structure.objects.get(world.state().constraints[k].held).filter(|_| place.is_some());
            if let Some(rod) = held {
                clip.on.0.retain(|other| *other != rod.name);
                clip.on.0.insert(0, rod.name.clone());
            }
            if clip.target.is_none() && clip.to.is_none() {
                clip.target =
                    constraint.law.centre(world.time()).map(|centre| Signal::Constant(centre.to_array()));
                clip.displacement = Signal::default();
            }
        }
        // These refer to the position at which they were added, which differs from the current one.
        ConstraintDescription::Plane(plane) if plane.point.is_none() && plane.to.is_none() => {
            let [_, through] = world.sites(k)?;
            plane.point = Some(Signal::Constant(through.x.to_array()));
        }
        ConstraintDescription::Distance(distance) if distance.distance.is_none() => {
            if let Law::Distance(sphere) = &constraint.law {
                distance.distance = Some(Signal::Constant(sphere.radius(world.time())));
            }
        }
        ConstraintDescription::Joint(joint) => {
            if let Law::Joint(law) = &constraint.law {
                let [a, b] = world.sites(k)?;
                let [axis, cross] = law.axes(&a, &b).map(|direction| direction.to_array());
                // An axis from an anchor moves with the body of that anchor, and may differ from the axis of
                // the other body.
                let has_axis = joint.axis.is_some() || joint.has_axis();
                joint.axis = has_axis.then_some(axis);
                let now = law.coordinates(&a, &b, &world.state().constraints[k].kind, world.time());
                let has_limits = joint.twist.is_some() || joint.swing.is_some();
                if has_limits && now.angle.abs().max(now.cross_angle) > SAME_ANGLE {
                    lost.push(format!("`{}`: the zero of its twist and its swing", constraint.name));
                }
                let has_cross = matches!(joint.kind, JointKind::Universal | JointKind::Planar);
                joint.cross = has_cross.then_some(cross);
                for (of, at) in joint.coordinates_mut().into_iter().zip(now.values()) {
                    if of.as_mut().is_some_and(|of| !of.count_from(at)) {
                        lost.push(format!("`{}`: the zero of its motor's target in time", constraint.name));
                    }
                }
            }
        }
        _ => {}
    }
    if let Law::Keyhole(_) | Law::Clip(_) = constraint.law {
        lost.push(format!("`{}`: the state of its insertion or friction", constraint.name));
    }
    Ok(words)
}

/// A spring in its current state.
fn spring(spring: &Spring, lost: &mut Vec<String>) -> SpringDescription {
    let mut words = spring.description.clone();
    match (&mut words, &spring.law) {
        (SpringDescription::Linear(words), SpringLaw::Linear { length, .. }) => words.length = Some(*length),
        _ => lost.push(format!("spring `{}`: its moment; it is zero at the current angle", spring.name)),
    }
    words
}

fn to_value(words: &impl Serialize) -> Result<Value, BuildError> {
    serde_json::to_value(words).map_err(|error| unwritable(&error))
}

/// The error for a description that scene files can't express.
fn unwritable(error: &impl std::fmt::Display) -> BuildError {
    BuildError::new("", error.to_string(), "undo the edit that caused it")
}

/// Writes a scene as a file, with remarks at the top.
///
/// # Errors
/// A number that scene files can't express.
pub fn write(scene: &Scene, remarks: &[String]) -> Result<String, BuildError> {
    let body = toml::to_string(scene).map_err(|error| unwritable(&error))?;
    let mut text = String::new();
    for remark in remarks {
        // Writing to memory can't fail.
        let _ = writeln!(text, "# {}", remark.replace(['\n', '\r'], " "));
    }
    Ok(text + &body)
}

/// Converts descriptions to the current state.
struct Shift<'a> {
    rods: &'a BTreeMap<&'a str, PresentRod>,
    /// Current time, s.
    time: f64,
}

/// Time functions that are relative to the state at which they were added, and the fields that make them
/// relative to something named.
const COUNTED: [(&str, &[&str]); 7] = [
    ("displacement", &["target", "to", "path", "centre", "point"]),
    ("rotation", &["direction"]),
    ("roll", &["direction"]),
    ("angle", &[]),
    ("slide", &[]),
    ("cross_angle", &[]),
    ("cross_slide", &[]),
];

impl Shift<'_> {
    /// A description in the current state.
    fn value(&self, mut words: Value, constraint: bool) -> Value {
        self.walk(&mut words, constraint);
        words
    }

    fn walk(&self, value: &mut Value, constraint: bool) {
        if self.signal::<f64>(value, false) || self.signal::<[f64; 3]>(value, false) {
            return;
        }
        match value {
            Value::Array(entries) => entries.iter_mut().for_each(|entry| self.walk(entry, constraint)),
            Value::Object(fields) => {
                // A clip on several rods holds the first one.
                let on = fields
                    .get("on")
                    .or_else(|| fields.get("rod"))
                    .and_then(|on| on.get(0).unwrap_or(on).as_str());
                if let Some(rod) = on.and_then(|name| self.rods.get(name)) {
                    for field in ["at", "from", "to"] {
                        match fields.get_mut(field) {
                            Some(Value::Array(places)) => {
                                places.iter_mut().for_each(|place| move_along(rod, place));
                            }
                            Some(place) => move_along(rod, place),
                            None => {}
                        }
                    }
                }
                let named: Vec<String> = fields.keys().cloned().collect();
                for (field, inner) in fields.iter_mut() {
                    let counted = COUNTED.iter().find(|(name, _)| name == field).filter(|_| constraint);
                    let from_now = counted.is_some_and(|(_, fixed)| {
                        !fixed.iter().any(|fixed| named.iter().any(|name| name == fixed))
                    });
                    if from_now && (self.signal::<f64>(inner, true) || self.signal::<[f64; 3]>(inner, true)) {
                        continue;
                    }
                    self.walk(inner, constraint);
                }
            }
            _ => {}
        }
    }

    /// Continues a time function from now; returns whether it is one. `from_now`: relative to its current
    /// value.
    fn signal<T: SignalValue>(&self, value: &mut Value, from_now: bool) -> bool {
        let is_table = value.as_object().is_some_and(|table| {
            table.len() == 1 && ["ramp", "keyframes", "harmonic"].iter().any(|key| table.contains_key(*key))
        });
        if !is_table && !from_now {
            return false;
        }
        let Ok(signal) = serde_json::from_value::<Signal<T>>(value.clone()) else { return false };
        let mut signal = signal.beginning_at(self.time);
        if from_now {
            signal = counted_from_now(&signal);
        }
        if let Ok(words) = serde_json::to_value(&signal) {
            *value = words;
        }
        true
    }
}

/// A place on a rod as it begins now.
fn present_place(rod: &PresentRod, name: &str, objects: &[Object], at: At) -> At {
    // A place that a winch has reeled in stays beyond the end.
    let length =
        objects.iter().find(|object| object.name == name).and_then(Object::rod).map_or(0.0, Rod::length);
    if (0.0..=length * (1.0 + 1e-9)).contains(&at.along(length)) { moved(rod, at) } else { at }
}

/// Moves a place of a scene; leaves other values unchanged.
fn move_along(rod: &PresentRod, place: &mut Value) {
    if let Ok(at) = serde_json::from_value::<At>(place.clone()) {
        *place = json!(moved(rod, at));
    }
}

/// A place on the rod in its current state; ends stay ends.
fn moved(rod: &PresentRod, at: At) -> At {
    match at {
        At::START | At::END => at,
        at => At::Length(rod.place_of(at)),
    }
}

/// The function minus its current value.
fn counted_from_now<T: SignalValue>(signal: &Signal<T>) -> Signal<T> {
    let now = signal.at(0.0);
    let less = |value: T| T::add_scaled(value, now, -1.0);
    match signal.clone() {
        Signal::Constant(value) => Signal::Constant(less(value)),
        Signal::Keyframes(mut keys) => {
            keys.values.iter_mut().for_each(|value| *value = less(*value));
            Signal::Keyframes(keys)
        }
        Signal::Harmonic(mut wave) => {
            wave.mean = less(wave.mean);
            Signal::Harmonic(wave)
        }
        Signal::Ramp(mut ramp) => {
            (ramp.from, ramp.to) = (less(ramp.from), less(ramp.to));
            Signal::Ramp(ramp)
        }
    }
}
