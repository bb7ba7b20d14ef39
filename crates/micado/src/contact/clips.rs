//! Clips: a clip that is loaded beyond its strength opens, and an open clip catches a rod that comes near.
//!
//! A caught rod becomes rows of the constraint, not rows of a contact, so this source finds no contacts in a
//! solve; it acts at the end of a step.

use super::{ContactSource, Deed, HoldEvent};
use crate::constraint::{
    Broke, ClipLaw, ConstraintState, ENDS, End, Force, Gave, KindMemory, Law, check_width,
};
use crate::describe::anchor::At;
use crate::error::BuildError;
use crate::object::rod::Rod;
use crate::object::{Object, Place};
use crate::world::{State, World};
use glam::DVec3;

/// The source that opens clips and closes them on rods.
#[derive(Clone, Debug, Default)]
pub(super) struct ClipCapture;

/// Samples per segment of the distance to a rod; the nearest one is refined.
const SAMPLES: usize = 4;
/// Bisections of that refinement: to rounding.
const HALVINGS: usize = 52;

impl ContactSource for ClipCapture {
    fn settle(world: &mut World, broken: &[Broke], before: Option<&State>, events: &mut Vec<HoldEvent>) {
        for k in 0..world.structure.constraints.len() {
            let Law::Clip(_) = world.structure.constraints[k].law else { continue };
            if let Ok(found) = broken.binary_search_by_key(&k, |broke| broke.constraint) {
                let broke = broken[found];
                let ConstraintState { held: object, held_at: place, .. } = world.state.constraints[k];
                events.push(HoldEvent { constraint: k, object, place, deed: Deed::Opened(broke) });
                let gave = world.present_force(k);
                world.release(k);
                world.record_opening(k, gave);
            } else if world.state.constraints[k].open {
                if !events.iter().any(|event| event.constraint == k) {
                    world.record_opening(k, Gave::default());
                }
                if let Some((object, place)) = world.catch(k, before) {
                    events.push(HoldEvent { constraint: k, object, place, deed: Deed::Caught });
                }
            }
        }
    }
}

impl World {
    /// Present force and moment of a clip or joint on its first object, and its load.
    pub(super) fn present_force(&self, index: usize) -> Gave {
        let Ok(Force { force, moment }) = self.constraint_force(index) else { return Gave::default() };
        Gave {
            force: force.to_array(),
            moment: moment.to_array(),
            load: self.structure.load_of(index, &self.state),
        }
    }

    fn clip(&self, index: usize) -> Result<&ClipLaw, BuildError> {
        let constraint = &self.structure.constraints[index];
        match &constraint.law {
            Law::Clip(law) => Ok(law),
            _ => Err(BuildError::new(
                "",
                format!("`{}` is no clip but a {}", constraint.name, constraint.description.kind()),
                "name a clip",
            )),
        }
    }

    /// Whether the constraint of this name is a clip that is open.
    pub(crate) fn is_open_clip(&self, name: &str) -> bool {
        let found = self.structure.constraints.iter().position(|constraint| constraint.name == name);
        found.is_some_and(|k| {
            matches!(self.structure.constraints[k].law, Law::Clip(_)) && self.state.constraints[k].open
        })
    }

    /// Opens a clip; one that is open stays as it is.
    pub(crate) fn open_clip(&mut self, index: usize) -> Result<(), BuildError> {
        self.clip(index)?;
        if !self.state.constraints[index].open {
            self.release(index);
        }
        Ok(())
    }

    /// Closes a clip about a place of one of its rods, the first unless it is named; the place then moves
    /// into the clip.
    pub(crate) fn close_clip(&mut self, index: usize, on: Option<&str>, at: At) -> Result<(), BuildError> {
        let width = self.clip(index)?.width;
        let (rods, objects) = (&self.structure.constraints[index].rods, &self.structure.objects);
        let chosen = rods.iter().find(|&&k| on.is_none_or(|name| objects[k].name == name));
        let Some((k, rod)) = chosen.and_then(|&k| Some((k, objects[k].rod()?))) else {
            let known: Vec<&str> = rods.iter().map(|&k| objects[k].name.as_str()).collect();
            let name = on.unwrap_or_default();
            let (what, remedy) = ("rod of the clip", format!("its rods are: {}", known.join(", ")));
            return Err(BuildError::unknown_name("on", what, name, remedy));
        };
        let place = rod.arc_length(at)?;
        check_width(rod.length(), rod.is_closed(), place, width)?;
        self.take_hold(index, k, place);
        Ok(())
    }

    fn release(&mut self, index: usize) {
        let memory = &mut self.state.constraints[index];
        memory.open_clip(false);
        (memory.multipliers, memory.stiff, memory.redundant) = (Default::default(), false, false);
    }

    /// Index of the object to which a clip is fixed.
    fn carrier(&self, index: usize) -> Option<usize> {
        let End::Fixed { place, .. } = self.structure.constraints[index].ends[1] else { return None };
        place.object()
    }

    /// Checks whether an open clip catches one of its rods. Returns rod and rest arc length: of those within
    /// capture distance, the rod that comes nearest on the way from `before`.
    fn catch(&mut self, index: usize, before: Option<&State>) -> Option<(usize, f64)> {
        let constraint = &self.structure.constraints[index];
        let Law::Clip(law) = &constraint.law else { return None };
        // Position and axis of the clip at the beginning and at the end of the step.
        let [from, to] = [before.unwrap_or(&self.state), &self.state].map(|state| {
            let memory = &state.constraints[index];
            let b = constraint.sites(
                &constraint.places(&self.structure.objects, memory),
                self.structure.poses(state),
                memory,
                state.time,
            )[1];
            StepEnd { q: &state.q, x: b.x, axis: law.axis(&b, state.time) }
        });
        let carrier = self.carrier(index);
        let armed = self.state.constraints[index].clip().armed;
        let (mut least, mut caught) = (f64::MAX, None);
        for &k in &constraint.rods {
            let object = &self.structure.objects[k];
            let Some(rod) = object.rod().filter(|rod| Some(k) != carrier && rod.length() >= law.width) else {
                continue;
            };
            let approach = |from: &StepEnd<'_>| closest(object, rod, from, &to);
            if !armed {
                least = least.min(approach(&to).distance);
                continue;
            }
            // On its way, or else at the end.
            let accepted = |a: &Approach| a.distance <= law.capture && law.accepts(a.tangent, a.axis);
            let Some(found) =
                Some(approach(&from)).filter(accepted).or_else(|| Some(approach(&to)).filter(accepted))
            else {
                continue;
            };
            if found.distance < least {
                let at = object.place_at(found.u);
                let (s, half) = (rod.arc_at(at.segment, at.fraction), 0.5 * law.width);
                let place = if rod.is_closed() { s } else { s.clamp(half, (rod.length() - half).max(half)) };
                (least, caught) = (found.distance, Some((k, place)));
            }
        }
        if !armed {
            let far = law.reclip && least > 2.0 * law.capture;
            if let KindMemory::Clip(clip) = &mut self.state.constraints[index].kind {
                clip.armed = far;
            }
        }
        let (rod, place) = caught?;
        self.take_hold(index, rod, place);
        caught
    }

    /// Velocity of a place; zero on a quasi-static object, whose rate is that of a search.
    fn velocity_of(&self, place: &Place) -> DVec3 {
        let still = place.object().is_some_and(|object| self.state.paces.is_still(object));
        let v = place.slice(&self.structure.objects, &self.state.v);
        if still { DVec3::ZERO } else { place.position(v) }
    }

    /// Closes a clip on a rod about rest arc length `place`.
    fn take_hold(&mut self, index: usize, object: usize, place: f64) {
        let Ok(law) = self.clip(index).cloned() else { return };
        let (ends, time) = (self.structure.constraints[index].ends, self.state.time);
        let mut velocity = DVec3::ZERO;
        let edges = if law.width > 0.0 { 2.0 } else { 1.0 };
        for e in 0..ENDS {
            match ends[e] {
                End::Caught { .. } => {
                    let Some(rod) = self.structure.objects[object].rod() else { continue };
                    let shift = law.width * if e == 0 { -0.5 } else { 0.5 };
                    let s = if rod.is_closed() {
                        (place + shift).rem_euclid(rod.length())
                    } else {
                        place + shift
                    };
                    let (segment, fraction) = rod.locate(s);
                    let u = rod.parameter(segment, fraction);
                    self.state.constraints[index].own[e] = u;
                    let held = self.structure.objects[object].fixed_place_at(u);
                    self.state.constraints[index].frames[e] = self.frame_at(&held);
                    velocity += self.velocity_of(&held) / edges;
                }
                End::Fixed { place, .. } => {
                    self.state.constraints[index].frames[e] = self.frame_at(&place);
                    velocity -= self.velocity_of(&place);
                }
                End::World | End::Sliding { .. } => {}
            }
        }
        if !self.structure.constraints[index].is_relative() || law.width > 0.0 {
            velocity -= law.target_rate(time);
        }
        let memory = &mut self.state.constraints[index];
        (memory.own_start, memory.multipliers) = (memory.own, Default::default());
        (memory.open, memory.held, memory.held_at) = (false, object, place);
        let Ok(sites) = self.sites(index) else { return };
        self.state.constraints[index].kind = law.take(&sites, velocity, time, false);
    }
}

/// The world at one end of a step, as seen by a clip.
struct StepEnd<'a> {
    q: &'a [f64],
    /// Position of the clip, m.
    x: DVec3,
    /// Its axis.
    axis: DVec3,
}

/// Closest approach of a rod to a clip.
struct Approach {
    /// Parameter of the nearest point.
    u: f64,
    /// Its distance, m.
    distance: f64,
    /// Tangent of the rod there, of any length, and axis of the clip.
    tangent: DVec3,
    axis: DVec3,
}

/// The closest approach of a rod to a clip between two moments. Both move linearly in between: relative to
/// the clip a point of the rod is at `r(s) = r₁ − (1 − s)d`, d = r₁ − r₀, nearest at s = −r₀·d/d², 0 ≤ s ≤ 1.
fn closest(object: &Object, rod: &Rod, from: &StepEnd<'_>, to: &StepEnd<'_>) -> Approach {
    let (closed, (start, end)) = (rod.is_closed(), rod.range());
    let narrowest = (0..rod.segments()).map(|e| rod.width(e)).fold(1.0, f64::min);
    let count = SAMPLES * ((end - start) / narrowest).ceil() as usize;
    let (width, last) = ((end - start) / count as f64, if closed { count - 1 } else { count });
    // Share of the step left when the point is nearest, its relative position then, and x' there.
    let own = object.unknowns();
    let look = |u: f64| {
        let place = object.place_at(u);
        let (r0, r1) =
            (place.position(&from.q[own.clone()]) - from.x, place.position(&to.q[own.clone()]) - to.x);
        let d = r1 - r0;
        let left =
            if d.length_squared() > 0.0 { (r1.dot(d) / d.length_squared()).clamp(0.0, 1.0) } else { 0.0 };
        let slope = place.derivative(&to.q[own.clone()]) * (1.0 - left)
            + place.derivative(&from.q[own.clone()]) * left;
        (left, r1 - d * left, slope)
    };
    let (mut best, mut least) = (start, f64::MAX);
    for i in 0..=last {
        let u = start + i as f64 * width;
        let distance = look(u).1.length_squared();
        if distance < least {
            (best, least) = (u, distance);
        }
    }
    // r·∂r/∂u changes its sign where r² is least; ∂r²/∂s = 0 there already, or s is at its bound.
    let (mut low, mut high) = (best - width, best + width);
    if !closed {
        (low, high) = (low.max(start), high.min(end));
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let (_, r, slope) = look(middle);
        if r.dot(slope) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let found = 0.5 * (low + high);
    let u = if look(found).1.length_squared() <= least { found } else { best };
    let (left, r, tangent) = look(u);
    Approach { u, distance: r.length(), tangent, axis: to.axis * (1.0 - left) + from.axis * left }
}
