//! Objects that constraints join: they don't touch near the places at which they are joined.

use super::contact_memory::Toucher;
use super::{State, Structure};
use crate::constraint::{ENDS, End, Law};
use crate::geometry::skin::Skin;
use crate::object::{Object, Place, Touch};
use glam::DVec3;

/// Two objects that do not touch near the places at which a constraint joins them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Joined {
    /// The constraint; two if both objects are joined to the same place of a third one.
    pub(crate) constraints: [usize; 2],
    /// The objects and where they are joined.
    pub(crate) sides: [(Toucher, Near); 2],
}

/// Two touching objects, the smaller first.
pub(super) fn in_order([a, b]: [Toucher; 2]) -> [Toucher; 2] {
    [a.min(b), a.max(b)]
}

impl Joined {
    /// The two objects, in order.
    pub(super) fn between(&self) -> [Toucher; 2] {
        in_order(self.sides.map(|(toucher, _)| toucher))
    }

    /// Whether two places are near those at which the objects are joined.
    pub(super) fn has(&self, structure: &Structure, state: &State, places: [(Toucher, f64); 2]) -> bool {
        let matches = |(of, near): &(Toucher, Near), (toucher, at): (Toucher, f64)| {
            *of == toucher && near.has(structure, state, toucher, at)
        };
        let ([a, b], [c, d]) = (&self.sides, places);
        matches(a, c) && matches(b, d) || matches(a, d) && matches(b, c)
    }
}

/// The part of an object at which it is joined.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Near {
    /// All of it.
    Whole,
    /// Places on a curve.
    Along {
        /// Where it is joined.
        at: Joint,
        /// Up to this rest arc length beside it, m.
        reach: f64,
        /// Length of a ring, m; infinite for a curve with ends.
        around: f64,
    },
}

/// Where on a curve a constraint joins it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Joint {
    /// At this rest arc length, m.
    At(f64),
    /// At the end of a constraint that slides along the curve.
    Sliding { constraint: usize, end: usize },
    /// In a clip, while it holds this object.
    Held { constraint: usize },
}

impl Near {
    /// Whether a place of an object, by its rest arc length (m), belongs to it.
    fn has(&self, structure: &Structure, state: &State, toucher: Toucher, at: f64) -> bool {
        let Self::Along { at: joint, reach, around } = *self else { return true };
        let Some(middle) = joint.place(structure, state, toucher) else { return false };
        let way = (at - middle).abs();
        way.min((around - way).abs()) <= reach
    }

    /// The same with the constraints of an island.
    pub(super) fn of_island(self, constraints: &[usize]) -> Option<Self> {
        let local = |k: usize| constraints.binary_search(&k).ok();
        let Self::Along { at, reach, around } = self else { return Some(self) };
        let at = match at {
            Joint::At(_) => at,
            Joint::Sliding { constraint, end } => Joint::Sliding { constraint: local(constraint)?, end },
            Joint::Held { constraint } => Joint::Held { constraint: local(constraint)? },
        };
        Some(Self::Along { at, reach, around })
    }
}

impl Joint {
    /// Its present rest arc length, m; `None` if it is not on this object at present.
    fn place(self, structure: &Structure, state: &State, toucher: Toucher) -> Option<f64> {
        let Toucher::Object(k) = toucher else { return None };
        let memory = |constraint: usize| state.constraints.get(constraint);
        match self {
            Self::At(s) => Some(s),
            Self::Sliding { constraint, end } => {
                let object = structure.objects.get(k as usize)?;
                let place = object.place_at(memory(constraint)?.own[end]);
                object.model().curve().map(|curve| curve.arc_length(&place))
            }
            Self::Held { constraint } => {
                memory(constraint).filter(|memory| memory.held == k as usize).map(|memory| memory.held_at)
            }
        }
    }
}

/// Length beside a joint of a rod within which it does not touch, in radii of both objects: pieces that lie
/// side by side part from each other within it.
const APART: f64 = 3.0;

/// The objects that constraints join, and where, by objects.
pub(super) fn joined(structure: &Structure) -> Vec<Joined> {
    let mut found = Vec::new();
    // For each object: the places at which it is joined, the object that is joined there, and the constraint.
    let mut partners: Vec<Vec<(Attached, Attached, usize)>> = vec![Vec::new(); structure.objects.len()];
    for (k, constraint) in structure.constraints.iter().enumerate() {
        let objects = &structure.objects;
        let joint = |end: usize| Joint::Sliding { constraint: k, end };
        let [a, b] = [0, 1].map(|end| attached(objects, &constraint.ends[end], joint(end)));
        if let (Law::Clip(clip), Some(carrier)) = (&constraint.law, b) {
            // A clip joins only the rod that it holds.
            let held =
                |&object: &usize| Attached { object, place: None, joint: Joint::Held { constraint: k } };
            let rods = constraint.rods.iter().map(held).filter(|rod| rod.object != carrier.object);
            found.extend(rods.filter_map(|rod| pair(structure, [k; 2], [rod, carrier], 0.5 * clip.width)));
            continue;
        }
        let (Some(a), Some(b)) = (a, b) else { continue };
        found.extend(pair(structure, [k; 2], [a, b], 0.0));
        // Objects that are joined to the same place of a third one.
        for (at, partner) in [(a, b), (b, a)] {
            for &(also, other, earlier) in &partners[at.object] {
                let reach = APART * (partner.radius(structure) + other.radius(structure));
                if at.is_near(&also, reach, structure) {
                    found.extend(pair(structure, [earlier, k], [partner, other], 0.0));
                }
            }
            partners[at.object].push((at, partner, k));
        }
    }
    found.sort_by_key(Joined::between);
    found
}

/// An end of a constraint on an object.
#[derive(Clone, Copy)]
struct Attached {
    object: usize,
    /// The place; none if it slides.
    place: Option<Place>,
    /// Where it is on a curve if it slides.
    joint: Joint,
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

    /// Whether two places of one object are so near to each other that objects joined there would touch:
    /// within `reach` of each other, m, or within a few radii along a rod. A place that slides is near none.
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

fn attached(objects: &[Object], end: &End, joint: Joint) -> Option<Attached> {
    match end {
        End::Fixed { place, .. } => {
            place.object().map(|object| Attached { object, place: Some(*place), joint })
        }
        End::Sliding { object } => Some(Attached { object: *object, place: None, joint }),
        End::World | End::Caught { .. } => None,
    }
    .filter(|attached| attached.object < objects.len())
}

/// Two objects that constraints join, or two places of one rod. `room` is how far the joint itself reaches
/// along a rod, m.
fn pair(structure: &Structure, constraints: [usize; 2], ends: [Attached; ENDS], room: f64) -> Option<Joined> {
    let sides = [(ends[0], ends[1]), (ends[1], ends[0])].map(|(end, other)| {
        let object = &structure.objects[end.object];
        let toucher = if object.model().is_held() {
            Toucher::Fixed(end.object as u32)
        } else {
            Toucher::Object(end.object as u32)
        };
        let near = match object.model().curve() {
            Some(curve) => {
                let own = thickness_at(structure, &end);
                let reach = APART * (own + thickness_at(structure, &other)) + room;
                let at = end.place.map_or(end.joint, |place| Joint::At(curve.arc_length(&place)));
                let around = if curve.ends().is_none() { curve.length() } else { f64::INFINITY };
                Near::Along { at, reach, around }
            }
            None => Near::Whole,
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
        (Touch::Tube, None) => model.curve().map_or(0.0, |curve| {
            (0..curve.segments()).map(|segment| curve.radius(segment)).fold(0.0, f64::max)
        }),
        (Touch::Ball { radius }, _) => radius,
        (Touch::Solid(skin), Some(place)) => depth(skin, place.arm),
        (Touch::Solid(_), None) => 0.0,
    }
}

/// Depth of a point below the surface of a solid, m; 0 outside.
fn depth(skin: &Skin, x: DVec3) -> f64 {
    skin.parts().iter().map(|part| -part.field(x).distance).fold(0.0, f64::max)
}
