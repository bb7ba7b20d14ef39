//! Clips between steps: one that was loaded beyond its strength opens, an open one catches a rod that comes near.

use crate::anchor::At;
use crate::constraint::{ClipState, ENDS, End, Jaws, Law};
use crate::error::BuildError;
use crate::object::Object;
use crate::step::Broke;
use crate::world::World;
use glam::DVec3;

/// Something that a clip did at the end of a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClipEvent {
    /// Constraint.
    pub constraint: usize,
    /// Rest arc length of the place that it let go or took hold of, m.
    pub place: f64,
    /// What it let go with; none if it took hold.
    pub broke: Option<Broke>,
}

/// Places of a segment at which the distance of a rod is looked at before the nearest of them is refined.
const SAMPLES: usize = 4;
/// Halvings of that: to rounding.
const HALVINGS: usize = 52;
/// Overload from which a clip opens after a static solve: what its tolerance leaves.
const OVERLOAD: f64 = 1.0 + 1e-6;

impl World {
    /// Opens the clip that broke, and lets open ones catch.
    pub(crate) fn update_clips(&mut self, broke: Option<Broke>, events: &mut Vec<ClipEvent>) {
        let before = events.len();
        for k in 0..self.structure.constraints.len() {
            let Law::Clip(_) = self.structure.constraints[k].law else { continue };
            let broke = broke.filter(|broke| broke.constraint == k);
            if broke.is_some() {
                events.push(ClipEvent { constraint: k, place: self.state.constraints[k].clip.place, broke });
                self.let_go(k);
            } else if self.state.constraints[k].clip.open
                && let Some(place) = self.catch(k)
            {
                events.push(ClipEvent { constraint: k, place, broke });
            }
        }
        if events.len() > before {
            // What happened before says nothing about the motion from here on.
            self.state.restart_history();
        }
    }

    /// The clip that an equilibrium loads most beyond its strength.
    pub(crate) fn overloaded_clip(&self) -> Option<Broke> {
        let mut found: Option<Broke> = None;
        for (k, (constraint, memory)) in self.structure.constraints.iter().zip(&self.state.constraints).enumerate() {
            let (Law::Clip(jaws), false) = (&constraint.law, memory.clip.open) else { continue };
            let load = jaws.load(&memory.multipliers);
            if load > OVERLOAD && found.is_none_or(|known| load > known.load) {
                found = Some(Broke::new(k, load, memory));
            }
        }
        found
    }

    fn clip(&self, index: usize) -> Result<&Jaws, BuildError> {
        let constraint = &self.structure.constraints[index];
        match &constraint.law {
            Law::Clip(jaws) => Ok(jaws),
            _ => {
                Err(BuildError::new("", format!("`{}` is no clip but a {}", constraint.name, constraint.description.kind()), "name a clip"))
            }
        }
    }

    /// Opens a clip.
    pub(crate) fn open_clip(&mut self, index: usize) -> Result<(), BuildError> {
        self.clip(index)?;
        self.let_go(index);
        Ok(())
    }

    /// Closes a clip about a place of its rod, which is then brought home.
    pub(crate) fn close_clip(&mut self, index: usize, at: At) -> Result<(), BuildError> {
        let width = self.clip(index)?.width;
        let Some((_, rod)) = self.clipped_rod(index) else { return Ok(()) };
        let place = rod.arc_length(at)?;
        check_width(rod.length(), rod.is_closed(), place, width)?;
        self.take_hold(index, place);
        Ok(())
    }

    /// The rod that a clip holds or waits for.
    fn clipped_rod(&self, index: usize) -> Option<(&Object, &crate::rod::spline::SplineRod)> {
        let End::Clipped { object, .. } = self.structure.constraints[index].ends[0] else { return None };
        let object = &self.structure.objects[object];
        object.rod().map(|rod| (object, rod))
    }

    fn let_go(&mut self, index: usize) {
        let memory = &mut self.state.constraints[index];
        memory.clip = ClipState::open(false);
        (memory.multipliers, memory.stiff, memory.redundant) = (Default::default(), false, false);
    }

    /// Looks whether an open clip catches its rod, and where.
    fn catch(&mut self, index: usize) -> Option<f64> {
        let Law::Clip(jaws) = &self.structure.constraints[index].law else { return None };
        let (object, rod) = self.clipped_rod(index)?;
        let b = self.sites(index).ok()?[1];
        let (u, distance) = nearest(object, rod.segments(), rod.is_closed(), &self.state.q, b.x);
        if !self.state.constraints[index].clip.armed {
            let armed = jaws.reclip && distance > 2.0 * jaws.capture;
            self.state.constraints[index].clip.armed = armed;
            return None;
        }
        let found = object.place_at(u);
        let tangent = found.derivative(&self.state.q).normalize_or_zero();
        if distance > jaws.capture || !jaws.accepts(tangent, &b, self.state.time) {
            return None;
        }
        let (s, half) = (rod.arc_at(found.segment, found.fraction), 0.5 * jaws.width);
        let place = if rod.is_closed() { s } else { s.clamp(half, (rod.length() - half).max(half)) };
        self.take_hold(index, place);
        Some(place)
    }

    /// Lets a clip take hold of its rod about rest arc length `place`.
    fn take_hold(&mut self, index: usize, place: f64) {
        let Ok(jaws) = self.clip(index).cloned() else { return };
        let (ends, time) = (self.structure.constraints[index].ends, self.state.time);
        let mut velocity = DVec3::ZERO;
        let edges = if jaws.width > 0.0 { 2.0 } else { 1.0 };
        for e in 0..ENDS {
            match ends[e] {
                End::Clipped { object, .. } => {
                    let Some(rod) = self.structure.objects[object].rod() else { continue };
                    let shift = jaws.width * if e == 0 { -0.5 } else { 0.5 };
                    let s = if rod.is_closed() { (place + shift).rem_euclid(rod.length()) } else { place + shift };
                    let (segment, fraction) = rod.locate(s);
                    self.state.constraints[index].own[e] = segment as f64 + fraction;
                    let held = self.structure.objects[object].place_at(segment as f64 + fraction);
                    self.state.constraints[index].frames[e] = self.frame_at(&held);
                    velocity += held.position(&self.state.v) / edges;
                }
                End::Fixed { place, .. } => {
                    self.state.constraints[index].frames[e] = self.frame_at(&place);
                    velocity -= place.position(&self.state.v);
                }
                End::World | End::Sliding { .. } => {}
            }
        }
        if !self.structure.constraints[index].is_relative() || jaws.width > 0.0 {
            velocity -= jaws.target_rate(time);
        }
        let memory = &mut self.state.constraints[index];
        (memory.own_start, memory.multipliers, memory.clip.open) = (memory.own, Default::default(), false);
        let Ok(sites) = self.sites(index) else { return };
        self.state.constraints[index].clip = jaws.take(&sites, velocity, place, time, false);
    }
}

/// Checks that an open rod reaches from edge to edge of a clip.
pub(crate) fn check_width(length: f64, closed: bool, place: f64, width: f64) -> Result<(), BuildError> {
    let half = 0.5 * width;
    if width > length {
        return Err(BuildError::new("width", format!("{width} m is wider than the rod is long, {length} m"), "give a smaller width"));
    }
    if !closed && (place < half || place > length - half) {
        let problem = format!("the clip would reach beyond the end of the rod: {half} m to both sides of {place} m");
        return Err(BuildError::new(
            "width",
            problem,
            format!("give a smaller width, or a place between {half} m and {} m", length - half),
        ));
    }
    Ok(())
}

/// Parameter of the point of a rod that is nearest to `x`, and its distance.
fn nearest(object: &Object, segments: usize, closed: bool, q: &[f64], x: DVec3) -> (f64, f64) {
    let count = SAMPLES * segments;
    let (width, last) = (1.0 / SAMPLES as f64, if closed { count - 1 } else { count });
    let at = |u: f64| object.place_at(u);
    let away = |u: f64| (at(u).position(q) - x).length_squared();
    let (mut best, mut least) = (0.0, f64::MAX);
    for i in 0..=last {
        let u = i as f64 * width;
        let distance = away(u);
        if distance < least {
            (best, least) = (u, distance);
        }
    }
    // (x(u) − x)·x'(u) changes its sign at the nearest point.
    let (mut low, mut high) = (best - width, best + width);
    if !closed {
        (low, high) = (low.max(0.0), high.min(segments as f64));
    }
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let place = at(middle);
        if (place.position(q) - x).dot(place.derivative(q)) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    let found = 0.5 * (low + high);
    let distance = away(found);
    if distance <= least { (found, distance.sqrt()) } else { (best, least.sqrt()) }
}
