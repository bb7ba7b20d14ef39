//! Which objects of a structure touch each other, and how: the description of contact with indices.

use super::contact_memory::Toucher;
use super::joined::{Joined, Near, in_order, joined};
use super::{State, Structure, World};
use crate::error::BuildError;
use crate::geometry::skin::{Pose, Skin};
use crate::object::{Object, Place, Touch};
use crate::scene::{ALL, ContactSettings, Friction};
use glam::DQuat;
use std::sync::Arc;

/// Contact of a structure.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Touching {
    /// Rules of the whole structure; `None` without contact.
    rules: Option<Arc<Rules>>,
    /// Index in the whole of each object; empty where the structure is the whole.
    whole: Vec<u32>,
    /// Objects that constraints join, by objects.
    pub(crate) joined: Vec<Joined>,
    /// Objects that nothing moves, by their indices in the whole: they touch the objects of all islands.
    pub(crate) fixed: Vec<Fixed>,
}

/// An object that nothing moves.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fixed {
    /// Index in the whole.
    pub(crate) object: u32,
    /// The object, and its part of the state.
    pub(crate) surface: Skin,
    /// Its pose.
    pub(crate) pose: Pose,
}

/// How two objects touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Surfaces {
    /// Coulomb's μ.
    pub(crate) friction: Friction,
    /// Coefficient of restitution.
    pub(crate) restitution: f64,
    /// Whether they touch although a constraint joins them.
    pub(crate) also_joined: bool,
}

/// Rules of contact, with the indices of the whole.
#[derive(Debug, Default, PartialEq)]
struct Rules {
    /// Friction and restitution of each object.
    surfaces: Vec<(Friction, f64)>,
    /// Whether passages of rods are counted.
    alarm: bool,
    /// Radius with which an object touches, where it differs from the drawn one.
    radius: Vec<Option<f64>>,
    pairs: Vec<Pair>,
}

#[derive(Debug, PartialEq)]
struct Pair {
    /// Whether an object belongs to the first and to the second name.
    members: Vec<[bool; 2]>,
    touch: Option<bool>,
    friction: Option<Friction>,
    restitution: Option<f64>,
}

impl Touching {
    /// Whether anything touches.
    pub(crate) fn is_on(&self) -> bool {
        self.rules.is_some()
    }

    /// Whether passages of all rods are counted, also of those that don't touch.
    pub(crate) fn has_alarm(&self) -> bool {
        self.rules.as_ref().is_some_and(|rules| rules.alarm)
    }

    /// Whether two objects, by their indices in the whole, touch or have their passages counted.
    pub(crate) fn are_watched(&self, a: usize, b: usize) -> bool {
        self.has_alarm() || self.between(a, b).is_some()
    }

    /// Index of an object in the whole.
    pub(crate) fn whole(&self, object: usize) -> usize {
        self.whole.get(object).map_or(object, |&whole| whole as usize)
    }

    /// Radius with which an object touches, if it differs from the drawn one, m.
    pub(crate) fn radius(&self, object: usize) -> Option<f64> {
        self.rules.as_ref()?.radius.get(self.whole(object)).copied().flatten()
    }

    /// How two objects, by their indices in the whole, touch; `None` if they don't.
    pub(crate) fn between(&self, a: usize, b: usize) -> Option<Surfaces> {
        let rules = self.rules.as_ref()?;
        let of = |k: usize| rules.surfaces.get(k).copied().unwrap_or_default();
        let (first, second) = (of(a), of(b));
        let (friction, restitution) = (first.0.with(second.0), first.1.max(second.1));
        let mut found = Surfaces { friction, restitution, also_joined: false };
        let mut touch = true;
        for pair in &rules.pairs {
            let of = |k: usize| pair.members.get(k).copied().unwrap_or_default();
            let (first, second) = (of(a), of(b));
            if !(first[0] && second[1] || first[1] && second[0]) {
                continue;
            }
            found.friction = pair.friction.unwrap_or(found.friction);
            found.restitution = pair.restitution.unwrap_or(found.restitution);
            touch = pair.touch.unwrap_or(touch);
            found.also_joined = pair.touch.unwrap_or(found.also_joined);
        }
        touch.then_some(found)
    }

    /// Whether a constraint joins two objects near these places: objects, and rest arc lengths on rods, m.
    pub(crate) fn are_joined(
        &self,
        structure: &Structure,
        state: &State,
        places: [(Toucher, f64); 2],
    ) -> bool {
        let open = |&k: &usize| state.constraints.get(k).is_some_and(|memory| memory.open);
        let is_open = |joined: &Joined| joined.constraints.iter().any(open);
        let both = in_order(places.map(|(toucher, _)| toucher));
        let first = self.joined.partition_point(|joined| joined.between() < both);
        self.joined[first..]
            .iter()
            .take_while(|joined| joined.between() == both)
            .any(|joined| joined.has(structure, state, places) && !is_open(joined))
    }

    /// The contact of an island: `objects` and `constraints` are the sorted indices of its members.
    pub(crate) fn of_island(&self, objects: &[usize], constraints: &[usize]) -> Self {
        let side = |(toucher, near): (Toucher, Near)| {
            let near = near.of_island(constraints)?;
            match toucher {
                Toucher::Object(k) => {
                    Some((Toucher::Object(objects.binary_search(&(k as usize)).ok()? as u32), near))
                }
                Toucher::Constraint(_) => None,
                Toucher::Fixed(_) => Some((toucher, near)),
            }
        };
        let joined = self.joined.iter().filter_map(|joined| {
            let [k, other] = joined.constraints.map(|k| constraints.binary_search(&k).ok());
            let [a, b] = joined.sides.map(side);
            Some(Joined { constraints: [k?, other?], sides: [a?, b?] })
        });
        Self {
            rules: self.rules.clone(),
            whole: objects.iter().map(|&k| k as u32).collect(),
            joined: joined.collect(),
            fixed: self.fixed.clone(),
        }
    }
}

impl World {
    /// Derives from the structure which objects touch.
    ///
    /// # Errors
    /// A name in the description of contact that is no object and no group.
    pub(crate) fn find_touching(&mut self) -> Result<(), BuildError> {
        if let Some(settings) = &self.structure.contact {
            check_names(settings, &self.structure.objects)?;
        }
        self.renew_touching();
        Ok(())
    }

    /// Derives from the structure which objects touch, after an edit. Names of removed objects have no
    /// effect.
    pub(crate) fn renew_touching(&mut self) {
        self.structure.touching = Touching::default();
        let Some(settings) = &self.structure.contact else { return };
        let rules = Rules::new(settings, &self.structure.objects);
        let joined = joined(&self.structure);
        let fixed = fixed(&self.structure, &self.state);
        self.structure.touching = Touching { rules: Some(Arc::new(rules)), whole: Vec::new(), joined, fixed };
    }
}

/// Checks the names in a description of contact.
fn check_names(settings: &ContactSettings, objects: &[Object]) -> Result<(), BuildError> {
    let find = |name: &str| objects.iter().find(|object| object.name == name);
    let known = || {
        let names = objects.iter().map(|object| object.name.as_str());
        let all: Vec<&str> = names
            .chain(settings.materials.keys().map(String::as_str))
            .chain(settings.groups.keys().map(String::as_str))
            .collect();
        format!("objects, materials and groups are: {}", all.join(", "))
    };
    let unknown =
        |path: String, what: &str, name: &str| Err(BuildError::unknown_name(path, what, name, known()));
    for name in settings.radius.keys() {
        let path = format!("contact.radius.{name}");
        match find(name).map(|object| object.model().touch()) {
            None => return unknown(path, "object", name),
            Some(Touch::Solid(_)) => {
                let problem = format!("`{name}` is a body and touches with its shape");
                return Err(BuildError::new(path, problem, "change its shape, or remove the radius"));
            }
            Some(Touch::Tube | Touch::Ball { .. }) => {}
        }
    }
    for (group, names) in &settings.groups {
        let path = format!("contact.groups.{group}");
        if group == ALL || find(group).is_some() {
            let of = if group == ALL { "every object" } else { "an object" };
            let problem = format!("`{group}` is the name of {of} already");
            return Err(BuildError::new(path, problem, "give the group another name"));
        }
        if let Some((i, name)) = names.iter().enumerate().find(|(_, name)| find(name).is_none()) {
            let names: Vec<&str> = objects.iter().map(|object| object.name.as_str()).collect();
            let known = format!("a group lists objects, which are: {}", names.join(", "));
            return Err(BuildError::unknown_name(format!("{path}[{i}]"), "object", name, known));
        }
    }
    check_materials(settings, objects, unknown)?;
    for (k, pair) in settings.pairs.iter().enumerate() {
        let is_list =
            |name: &String| settings.groups.contains_key(name) || settings.materials.contains_key(name);
        let known = |name: &String| name == ALL || find(name).is_some() || is_list(name);
        if let Some(name) = pair.between.iter().find(|name| !known(name)) {
            return unknown(format!("contact.pairs[{k}].between"), "object, material or group", name);
        }
    }
    Ok(())
}

/// Checks that each object has one material at most, and that names are unique.
fn check_materials(
    settings: &ContactSettings,
    objects: &[Object],
    unknown: impl Fn(String, &str, &str) -> Result<(), BuildError>,
) -> Result<(), BuildError> {
    let mut known: Vec<Option<&str>> = vec![None; objects.len()];
    for (material, of) in &settings.materials {
        let path = format!("contact.materials.{material}");
        if settings.groups.contains_key(material) {
            let problem = format!("there is a group with the name `{material}` too");
            return Err(BuildError::new(path, problem, "rename the material"));
        }
        if material == ALL || objects.iter().any(|object| object.name == *material) {
            let problem = format!("`{material}` is the name of an object already, or of all objects");
            return Err(BuildError::new(path, problem, "rename the material"));
        }
        for (i, name) in of.of.iter().enumerate() {
            let path = format!("{path}.of[{i}]");
            let mut found = false;
            for (object, known) in objects.iter().zip(&mut known) {
                if !is_member(settings, name, object) {
                    continue;
                }
                found = true;
                if let Some(other) = known.replace(material.as_str()).filter(|other| other != material) {
                    let problem = format!("`{}` has the material `{other}` already", object.name);
                    return Err(BuildError::new(path, problem, "list each object in one material only"));
                }
            }
            if !found && name != ALL && !settings.groups.contains_key(name) {
                return unknown(path, "object or group", name);
            }
        }
    }
    Ok(())
}

/// Whether an object belongs to a name: its own, that of a group or a material, or `"all"`.
fn is_member(settings: &ContactSettings, name: &str, object: &Object) -> bool {
    let in_group = |name: &str| settings.groups.get(name).is_some_and(|group| group.contains(&object.name));
    name == ALL
        || name == object.name
        || in_group(name)
        || settings.materials.get(name).is_some_and(|material| {
            material.of.iter().any(|name| name == ALL || *name == object.name || in_group(name))
        })
}

impl Rules {
    fn new(settings: &ContactSettings, objects: &[Object]) -> Self {
        let radius =
            objects.iter().map(|object| settings.radius.get(&object.name).map(|radius| radius.0)).collect();
        let surface = |object: &Object| {
            let material = settings.materials.iter().find(|(name, _)| is_member(settings, name, object));
            let material = material.map(|(_, material)| material);
            let friction = material.and_then(|material| material.friction).unwrap_or(settings.friction);
            let restitution =
                material.and_then(|material| material.restitution).unwrap_or(settings.restitution);
            (friction, restitution)
        };
        let surfaces = objects.iter().map(surface).collect();
        let pairs = settings.pairs.iter().map(|pair| Pair {
            members: objects
                .iter()
                .map(|object| pair.between.each_ref().map(|name| is_member(settings, name, object)))
                .collect(),
            touch: pair.touch,
            friction: pair.friction,
            restitution: pair.restitution,
        });
        let pairs = pairs.collect();
        Self { surfaces, alarm: settings.alarm, radius, pairs }
    }
}

/// The objects that nothing moves.
fn fixed(structure: &Structure, state: &State) -> Vec<Fixed> {
    let held = structure.objects.iter().enumerate().filter(|(_, object)| object.model().is_held());
    held.filter_map(|(k, object)| {
        let Touch::Solid(skin) = object.model().touch() else { return None };
        Some(Fixed { object: k as u32, surface: skin.clone(), pose: pose(object, state) })
    })
    .collect()
}

/// The pose of a solid.
pub(crate) fn pose(object: &Object, state: &State) -> Pose {
    let own = object.own(&state.q, &state.frames);
    let (position, axes) = object.model().pose(own, &Place::NOWHERE);
    Pose { position, rotation: DQuat::from_mat3(&axes) }
}
