//! Which objects of a structure touch each other, and how: the description of contact with indices.

use super::contact_memory::Toucher;
use super::{State, Structure, World};
use crate::constraint::{ENDS, End};
use crate::error::BuildError;
use crate::geometry::skin::{Pose, Skin};
use crate::object::{Object, Place, Touch};
use crate::scene::{ALL, ContactSettings, Friction};
use glam::{DQuat, DVec3};
use std::sync::Arc;

/// Contact of a structure.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Touching {
    /// Rules of the whole structure; `None` without contact.
    rules: Option<Arc<Rules>>,
    /// Index in the whole of each object; empty where the structure is the whole.
    whole: Vec<u32>,
    /// Objects that constraints join, in the order of the constraints.
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

/// Two objects that do not touch near the places at which a constraint joins them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Joined {
    /// The constraint; two if both objects are joined to the same place of a third one.
    pub(crate) constraints: [usize; 2],
    /// The objects and where they are joined.
    pub(crate) sides: [(Toucher, Near); 2],
}

/// The part of an object at which it is joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Near {
    /// All of it.
    Whole,
    /// Places on a curve from this rest arc length to that, m.
    Between(f64, f64),
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
    friction: Friction,
    restitution: f64,
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
        let mut found =
            Surfaces { friction: rules.friction, restitution: rules.restitution, also_joined: false };
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

    /// The contact of an island: `objects` and `constraints` are the sorted indices of its members.
    pub(crate) fn of_island(&self, objects: &[usize], constraints: &[usize]) -> Self {
        let side = |(toucher, near): (Toucher, Near)| match toucher {
            Toucher::Object(k) => {
                Some((Toucher::Object(objects.binary_search(&(k as usize)).ok()? as u32), near))
            }
            Toucher::Constraint(_) => None,
            Toucher::Fixed(_) => Some((toucher, near)),
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
        let all: Vec<&str> = names.chain(settings.groups.keys().map(String::as_str)).collect();
        format!("objects and groups are: {}", all.join(", "))
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
        if let Some((i, name)) = names.iter().enumerate().find(|(_, name)| find(name).is_none()) {
            return unknown(format!("contact.groups.{group}[{i}]"), "object", name);
        }
    }
    for (k, pair) in settings.pairs.iter().enumerate() {
        let known = |name: &String| name == ALL || find(name).is_some() || settings.groups.contains_key(name);
        if let Some(name) = pair.between.iter().find(|name| !known(name)) {
            return unknown(format!("contact.pairs[{k}].between"), "object or group", name);
        }
    }
    Ok(())
}

impl Rules {
    fn new(settings: &ContactSettings, objects: &[Object]) -> Self {
        let radius =
            objects.iter().map(|object| settings.radius.get(&object.name).map(|radius| radius.0)).collect();
        let is_member = |name: &String, object: &Object| {
            name == ALL
                || *name == object.name
                || settings.groups.get(name).is_some_and(|group| group.contains(&object.name))
        };
        let pairs = settings.pairs.iter().map(|pair| Pair {
            members: objects
                .iter()
                .map(|object| pair.between.each_ref().map(|name| is_member(name, object)))
                .collect(),
            touch: pair.touch,
            friction: pair.friction,
            restitution: pair.restitution,
        });
        let pairs = pairs.collect();
        Self { friction: settings.friction, restitution: settings.restitution, radius, pairs }
    }
}

/// Lengths of a rod beside a place at which it is joined, in radii of what touches there: pieces that lie
/// side by side part from each other within them.
const APART: f64 = 3.0;

/// The objects that constraints join, and where.
fn joined(structure: &Structure) -> Vec<Joined> {
    let mut found = Vec::new();
    // Of each object: the places at which it is joined, with what is joined there, and the constraint.
    let mut partners: Vec<Vec<(Attached, Attached, usize)>> = vec![Vec::new(); structure.objects.len()];
    for (k, constraint) in structure.constraints.iter().enumerate() {
        let [Some(a), Some(b)] = constraint.ends.map(|end| attached(&structure.objects, &end)) else {
            continue;
        };
        found.extend(pair(structure, [k; 2], [a, b]));
        // Objects that are joined to the same place of a third one.
        for (at, partner) in [(a, b), (b, a)] {
            for &(also, other, earlier) in &partners[at.object] {
                let reach = APART * (partner.radius(structure) + other.radius(structure));
                if at.is_near(&also, reach, structure) {
                    found.extend(pair(structure, [earlier, k], [partner, other]));
                }
            }
            partners[at.object].push((at, partner, k));
        }
    }
    found
}

/// An end of a constraint on an object.
#[derive(Clone, Copy)]
struct Attached {
    object: usize,
    /// The place; none if it slides.
    place: Option<Place>,
}

impl Attached {
    /// Radius of a rod or a mass there, m; 0 for a body.
    fn radius(&self, structure: &Structure) -> f64 {
        let model = structure.objects[self.object].model();
        match (model.touch(), model.curve(), self.place) {
            (Touch::Tube, Some(curve), Some(place)) => curve.radius(place.segment),
            (Touch::Ball { radius }, ..) => radius,
            _ => 0.0,
        }
    }

    /// Whether two places of one object are so near to each other that what is joined there touches: within
    /// `reach` of each other, m, or within a few radii along a rod. Places that slide are near nothing.
    fn is_near(&self, other: &Self, reach: f64, structure: &Structure) -> bool {
        let (Some(a), Some(b)) = (self.place, other.place) else { return false };
        let model = structure.objects[self.object].model();
        match model.curve() {
            Some(curve) => {
                let apart = (curve.arc_length(&a) - curve.arc_length(&b)).abs();
                apart <= 2.0 * APART * curve.radius(a.segment)
            }
            None => a.arm.distance(b.arm) <= reach,
        }
    }
}

fn attached(objects: &[Object], end: &End) -> Option<Attached> {
    match end {
        End::Fixed { place, .. } => place.object().map(|object| Attached { object, place: Some(*place) }),
        End::Sliding { object } => Some(Attached { object: *object, place: None }),
        End::World | End::Caught { .. } => None,
    }
    .filter(|attached| attached.object < objects.len())
}

/// Two objects that constraints join, or two places of one rod.
fn pair(structure: &Structure, constraints: [usize; 2], ends: [Attached; ENDS]) -> Option<Joined> {
    let slides = ends.iter().any(|end| end.place.is_none());
    let sides = [(ends[0], ends[1]), (ends[1], ends[0])].map(|(end, other)| {
        let object = &structure.objects[end.object];
        let toucher = if object.model().is_held() {
            Toucher::Fixed(end.object as u32)
        } else {
            Toucher::Object(end.object as u32)
        };
        let near = match (object.model().curve(), end.place) {
            (Some(curve), Some(place)) if !slides => {
                let s = curve.arc_length(&place);
                let reach = APART * (curve.radius(place.segment) + thickness_at(structure, &other));
                Near::Between(s - reach, s + reach)
            }
            _ => Near::Whole,
        };
        (toucher, near)
    });
    // A body does not touch itself.
    let itself = ends[0].object == ends[1].object && sides.iter().any(|(_, near)| *near == Near::Whole);
    (!itself).then_some(Joined { constraints, sides })
}

/// How far matter of an object reaches beyond one of its places, m.
fn thickness_at(structure: &Structure, end: &Attached) -> f64 {
    let model = structure.objects[end.object].model();
    match (model.touch(), end.place) {
        (Touch::Tube, Some(place)) => model.curve().map_or(0.0, |curve| curve.radius(place.segment)),
        (Touch::Ball { radius }, _) => radius,
        (Touch::Solid(skin), Some(place)) => depth(skin, place.arm),
        (Touch::Tube | Touch::Solid(_), None) => 0.0,
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

/// Depth of a point below the surface of a solid, m; 0 outside.
fn depth(skin: &Skin, x: DVec3) -> f64 {
    skin.parts().iter().map(|part| -part.field(x).distance).fold(0.0, f64::max)
}
