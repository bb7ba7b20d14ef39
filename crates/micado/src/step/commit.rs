//! Commit: moves the trial state by an increment and makes it the state of the world.

use super::inner_rows::worst_length;
use super::integrator::Rule;
use super::order::System;
use super::rotation::{Swing, by_inertia, mass_at, stiffness_of_arm};
use crate::constraint::{ConstraintState, ENDS, End, Rows};
use crate::load::{Spring, SpringLaw};
use crate::object::{EndFrame, Object, Place, PlaceKind, Poses};
use crate::world::State;
use crate::world::Structure;
use glam::{DMat3, DVec3};
use micado_linalg::Arithmetic;

/// Moves the trial state by `share` of the solved increment, starting from `from` if given: adds positions
/// and rolls, transports frames, slides own unknowns, stores multipliers. Returns the least cosine between
/// old and new tangents.
pub(crate) fn advance(
    structure: &Structure,
    system: &System,
    share: f64,
    arithmetic: Arithmetic,
    from: Option<&State>,
    trial: &mut State,
) -> f64 {
    move_on(structure, system, share, from, trial);
    finish_advance(structure, system, arithmetic, from, trial)
}

/// Transports frames (if `from` is given, its frames of objects) to the advanced state. Returns the least
/// cosine between old and new tangents.
pub(super) fn finish_advance(
    structure: &Structure,
    system: &System,
    arithmetic: Arithmetic,
    from: Option<&State>,
    trial: &mut State,
) -> f64 {
    let least = transport_frames(structure, arithmetic, from, trial);
    system.keep_tensions(structure, trial);
    least
}

/// [`advance`] without frames.
pub(super) fn move_on(
    structure: &Structure,
    system: &System,
    share: f64,
    from: Option<&State>,
    trial: &mut State,
) {
    if let Some(from) = from {
        trial.constraints.clone_from(&from.constraints);
        trial.q.resize(from.q.len(), 0.0);
        trial.frames.resize(from.frames.len(), 0.0);
        trial.springs.clone_from(&from.springs);
        trial.spooled.clone_from(&from.spooled);
    }
    if system.pushes || system.slides {
        for (constraint, state) in structure.constraints.iter().zip(&mut trial.constraints) {
            state.reserve(&constraint.law);
        }
    }
    for object in &structure.objects {
        let own = object.unknowns();
        let start = from.map(|from| &from.q[own.clone()]);
        object.model().advance(start, &system.increment()[own.clone()], share, &mut trial.q[own]);
    }
    for (k, (seat, state)) in system.seats.iter().zip(&mut trial.constraints).enumerate() {
        for e in 0..ENDS {
            if let Some(own) = seat.own_scalar(e) {
                state.own[e] += share * system.solution[own];
            }
        }
        state.pushes.clear();
        state.kept.clear();
        state.redundant = system.redundant[k];
        // Multipliers of rows that contradict each other are not forces.
        let conflicting = system.conflicting[k];
        let solved = &system.solution[seat.first_row..seat.first_row + seat.rows];
        state
            .multipliers
            .iter_mut()
            .zip(solved)
            .for_each(|(multiplier, solved)| *multiplier = if conflicting { 0.0 } else { -solved });
    }
    for &(k, leader) in &system.duplicates {
        trial.constraints[k].own = trial.constraints[leader].own;
        trial.constraints[k].redundant = false;
    }
    system.non_smooth.remember(&mut trial.constraints);
    trial.contacts.replace(system.non_smooth.contacts(&system.solution));
}

/// Displaces all objects without a change of velocity.
pub(super) fn shift(structure: &Structure, by: &[f64], arithmetic: Arithmetic, trial: &mut State) {
    for object in &structure.objects {
        let own = object.unknowns();
        object.model().advance(None, &by[own.clone()], 1.0, &mut trial.q[own]);
    }
    transport_frames(structure, arithmetic, None, trial);
}

/// Marks constraints whose forces are stiff compared with inertia: without their curvature, h² times the
/// stiffness by inertia must stay well below 4, where central differences become unstable.
///
/// The stiffness by inertia is (T/d) Σ b²/m of a link of length d between two objects, and |J⁻¹ Σ H(f, r)| of
/// all forces at arms of a body: it does not depend on how redundant constraints share a force. Rows that
/// push in the directions of the start (`keeps`) are stable up to that limit without curvature, and conserve
/// energy, which rows with curvature don't. For them J is the inertia of the body on its rows: a cube that
/// hangs on an arm turns about its pivot, not about its centre.
pub(crate) fn watch_stiffness(
    structure: &Structure,
    system: &mut System,
    (rule, h): (Rule, f64),
    trial: &mut State,
) {
    let State { constraints, q, .. } = trial;
    system.arms.clear();
    system.arms.resize(structure.objects.len(), DMat3::ZERO);
    system.turning.clear();
    for (k, state) in constraints.iter().enumerate().filter(|(_, state)| state.duplicate_of.is_none()) {
        for e in 0..ENDS {
            if let Some(body) = body_at(&system.places[k][e]) {
                let rows = system.rows[k].iter().zip(&state.multipliers);
                let force = rows.map(|(row, lambda)| row.ends[e].force * *lambda).sum();
                system.arms[body] += stiffness_of_arm(system.sites[k][e].arm, force);
            }
        }
    }
    let bodies = structure.objects.iter().zip(&system.arms);
    system.turning.extend(bodies.map(|(object, stiffness)| by_inertia(object, q, *stiffness)));
    let largest = system.turning.iter().copied().fold(0.0, f64::max);
    let swings = !rule.second_order && h * h * largest > UNSTABLE * RELAXED;
    if swings {
        find_swings(structure, system, q, constraints, h);
    }
    for (k, (constraint, state)) in structure.constraints.iter().zip(constraints).enumerate() {
        if state.duplicate_of.is_some() {
            continue;
        }
        let keeps = !rule.second_order && system.may_keep[k];
        let link =
            if constraint.is_relative() { stiffness_of_link(structure, system, k, state) } else { None };
        let turning = |body: usize| {
            if keeps && swings && is_swinging(system, body, h) {
                system.swings[body].of(&structure.objects[body], q, system.arms[body])
            } else {
                system.turning[body]
            }
        };
        let arms = system.places[k].iter().filter_map(body_at).map(turning).reduce(f64::max);
        if link.is_some() || arms.is_some() {
            let stiffness = h * h * (link.unwrap_or(0.0) + arms.unwrap_or(0.0));
            let [from, down_to] = if keeps { [UNSTABLE, UNSTABLE * RELAXED] } else { [STIFF, STIFF / 10.0] };
            state.stiff = stiffness > if state.stiff { down_to } else { from };
        }
    }
}

/// Whether a body may be stiff on its rows; their inertia only lowers `turning`.
fn is_swinging(system: &System, body: usize, h: f64) -> bool {
    h * h * system.turning[body] > UNSTABLE * RELAXED
}

/// Finds how the rows of a system let its bodies swing.
fn find_swings(
    structure: &Structure,
    system: &mut System,
    q: &[f64],
    constraints: &[ConstraintState],
    h: f64,
) {
    system.swings.clear();
    system.swings.resize(structure.objects.len(), Swing::FREE);
    for (k, _) in constraints.iter().enumerate().filter(|(_, state)| state.duplicate_of.is_none()) {
        for e in 0..ENDS {
            let Some(body) = body_at(&system.places[k][e]).filter(|&body| is_swinging(system, body, h))
            else {
                continue;
            };
            let (place, site) = (&system.places[k][1 - e], &system.sites[k][1 - e]);
            let mass = match place.object().map(|k| &structure.objects[k]) {
                Some(object) if place.is_somewhere() => {
                    mass_at(object, q, site.arm).unwrap_or_else(|| mobility(structure, system, place).recip())
                }
                _ => IMMOVABLE * structure.objects[body].model().total_mass(),
            };
            for row in system.rows[k].iter() {
                let n = row.ends[e].force.normalize_or_zero();
                system.swings[body].hold(n, system.sites[k][e].arm, mass);
            }
        }
    }
}

/// The body of a place in its frame.
fn body_at(place: &Place) -> Option<usize> {
    place.object().filter(|_| place.kind == PlaceKind::Frame)
}

/// (T/d) Σ b²/m of a link, 1/s²; 0 if it is slack, `None` if it is no link.
fn stiffness_of_link(
    structure: &Structure,
    system: &System,
    k: usize,
    state: &ConstraintState,
) -> Option<f64> {
    let tension = structure.constraints[k].law.tension(state)?;
    if tension <= 0.0 {
        return Some(0.0);
    }
    let [a, b] = &system.sites[k];
    let mobility: f64 = system.places[k].iter().map(|place| mobility(structure, system, place)).sum();
    Some(tension * mobility / a.x.distance(b.x))
}

/// Acceleration of a place by a unit force there, 1/kg, without rotation of bodies.
fn mobility(structure: &Structure, system: &System, place: &Place) -> f64 {
    let first = place.object().map_or(0, |object| structure.objects[object].first);
    place.mobility_terms(|node| system.lumped[4 * (first + node as usize)]).sum()
}

/// h² times the stiffness by inertia above which dynamic steps include curvature, so that a solve or two
/// find the forces.
const STIFF: f64 = 0.1;
/// Threshold for rows with the directions of the start, which need curvature only for stability: a quarter of
/// the limit. Below `RELAXED` times this, curvature is left out again.
const UNSTABLE: f64 = 1.0;
const RELAXED: f64 = 0.1;
/// Mass of the world as a multiple of the mass of a body: large, but not so large that digits are lost.
const IMMOVABLE: f64 = 1e6;

/// Stores what constraints and forces remember of the state at the end of a step.
pub(super) fn remember(structure: &Structure, trial: &mut State) {
    let State { constraints, q, v, frames, time, springs, .. } = trial;
    let poses = Poses { objects: &structure.objects, q, frames };
    let remembering = structure.constraints.iter().zip(constraints).filter(|(of, _)| of.law.remembers());
    for (constraint, state) in remembering {
        let sites = constraint.find_sites(poses, state, *time);
        state.kind = constraint.law.remember(&sites, &state.kind, *time).unwrap_or(state.kind);
    }
    for (spring, state) in structure.springs.iter().zip(springs) {
        if let SpringLaw::Custom(force) = &spring.law {
            let ends = Spring::force_ends(&spring.ends, force.turns(), poses, v, &state.frames, *time);
            force.remember(&ends, &mut state.memory, *time);
        }
    }
}

/// Transports the frames of `wanted` objects (if `from` is given, its frames) to the tangents of the trial
/// state. Returns the least cosine between old and new tangents.
pub(super) fn transport_object_frames(
    structure: &Structure,
    arithmetic: Arithmetic,
    from: Option<&State>,
    trial: &mut State,
    wanted: impl Fn(&Object) -> bool,
) -> f64 {
    let mut least = 1.0_f64;
    for object in structure.objects.iter().filter(|object| wanted(object)) {
        let range = object.frames.clone();
        let old = from.map(|from| &from.frames[range.clone()]);
        let q = &trial.q[object.unknowns()];
        least = lesser(least, object.model().transport_frames(q, old, &mut trial.frames[range], arithmetic));
    }
    least
}

/// Transports all frames (if `from` is given, its frames of rods) to the tangents of the trial state. Returns
/// the least cosine between old and new tangents.
pub(crate) fn transport_frames(
    structure: &Structure,
    arithmetic: Arithmetic,
    from: Option<&State>,
    trial: &mut State,
) -> f64 {
    let mut least = transport_object_frames(structure, arithmetic, from, trial, |_| true);
    for (constraint, state) in structure.constraints.iter().zip(&mut trial.constraints) {
        for e in (0..ENDS).filter(|&e| constraint.ends[e].framed()) {
            let found;
            let place = match &constraint.ends[e] {
                End::Fixed { place, .. } => place,
                _ => {
                    found = constraint.place(e, &structure.objects, state);
                    &found
                }
            };
            // Between quadrature points a tangent may turn further than at them.
            if place.kind == PlaceKind::Curve {
                let q = place.slice(&structure.objects, &trial.q);
                least = lesser(least, transport_frame(place, q, &mut state.frames[e]));
            }
        }
    }
    for (spring, state) in structure.springs.iter().zip(&mut trial.springs) {
        for (end, frame) in spring.ends.iter().zip(&mut state.frames) {
            // Others have no frame.
            if let Some(place) = end.place()
                && place.kind == PlaceKind::Curve
                && spring.law.turns()
            {
                least =
                    lesser(least, transport_frame(place, place.slice(&structure.objects, &trial.q), frame));
            }
        }
    }
    least
}

/// The smaller of two cosines; NaN stays NaN, where `min` would hide it.
fn lesser(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) }
}

/// Transports the frame of a place to its present tangent. Returns the cosine between old and new tangent.
fn transport_frame(place: &Place, q: &[f64], frame: &mut EndFrame) -> f64 {
    let p = place.derivative(q);
    let (before, t) = (DVec3::from_array(frame.tangent), p / p.length());
    let a1 = crate::geometry::rotation::transport(before, t, DVec3::from_array(frame.director));
    *frame = EndFrame {
        tangent: t.to_array(),
        director: crate::geometry::rotation::orthonormal_to(t, a1).to_array(),
    };
    before.dot(t)
}

/// Largest change of the length between neighbouring control points of a rod, as a share of its rest length,
/// if it exceeds `least`. The increment led to `q` and moves no point by more than `farthest`.
pub(crate) fn largest_stretching(
    structure: &Structure,
    increment: &[f64],
    q: &[f64],
    farthest: f64,
    least: f64,
) -> f64 {
    let objects = structure.objects.iter().map(|object| (object.model(), object.unknowns()));
    objects
        .map(|(model, range)| model.largest_stretching(&increment[range.clone()], &q[range], farthest, least))
        .fold(0.0, f64::max)
}

/// Largest violation of a constraint or of a length at `time`, m or rad, and its constraint. Calls `visit`
/// for each constraint with its violation of lengths, m, and of angles, rad.
pub(super) fn worst_of_misses(
    structure: &Structure,
    state: &State,
    time: f64,
    mut visit: impl FnMut(usize, [f64; 2]),
) -> (f64, Option<usize>) {
    let (mut worst, mut rows) = ((0.0, None), Rows::default());
    let poses = structure.poses(state);
    for (k, (constraint, memory)) in structure.constraints.iter().zip(&state.constraints).enumerate() {
        // A sliding mass has no row.
        let mass = constraint.law.sliding_mass().is_some();
        let misses = if mass { [0.0; 2] } else { constraint.misses(poses, memory, time, &mut rows) };
        let miss = misses[0].max(misses[1]);
        if miss > worst.0 || worst.1.is_none() {
            worst = (miss, Some(k));
        }
        visit(k, misses);
    }
    let length = worst_length(structure, state);
    if length > worst.0 { (length, None) } else { worst }
}

/// Largest violation of a constraint or of a length at `time`, and its constraint.
pub(crate) fn worst_miss(structure: &Structure, state: &State, time: f64) -> (f64, Option<usize>) {
    worst_of_misses(structure, state, time, |_, _| {})
}
