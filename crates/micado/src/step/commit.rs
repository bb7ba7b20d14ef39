//! Commit: move the trial state by an increment; take the trial state over.

use super::order::System;
use crate::object::ObjectKind;
use crate::state::State;
use crate::world::Structure;
use glam::DVec3;
use micado_linalg::Arithmetic;

/// Moves the trial state by `share` of the solved increment, or makes it from the state `from`: positions and rolls add up,
/// frames are carried along, own unknowns slide, multipliers are remembered. Returns the least cosine between old and new
/// tangents.
pub(crate) fn advance(
    structure: &Structure,
    system: &System,
    share: f64,
    arithmetic: Arithmetic,
    from: Option<&State>,
    trial: &mut State,
) -> f64 {
    match from {
        Some(from) => {
            trial.q.clear();
            trial.q.extend(from.q.iter().zip(system.increment()).map(|(q, d)| q + share * d));
            trial.frames.resize(from.frames.len(), 0.0);
            trial.constraints.clone_from(&from.constraints);
            trial.springs.clone_from(&from.springs);
        }
        None => trial.q.iter_mut().zip(system.increment()).for_each(|(q, d)| *q += share * d),
    }
    let least = carry_frames(structure, arithmetic, from, trial);
    for (k, (seat, state)) in system.seats.iter().zip(&mut trial.constraints).enumerate() {
        if let Some(own) = seat.own {
            state.own += share * system.solution[4 * own as usize];
        }
        for r in 0..seat.rows {
            // Multipliers of rows that contradict each other are no forces.
            state.multipliers[r] = if system.conflicting[k] { 0.0 } else { -system.solution[4 * seat.dual as usize + r] };
        }
    }
    least
}

/// Carries all frames, those of rods in `from` where given, to the tangents of the trial state.
pub(crate) fn carry_frames(structure: &Structure, arithmetic: Arithmetic, from: Option<&State>, trial: &mut State) -> f64 {
    let mut least = 1.0_f64;
    for object in &structure.objects {
        if let ObjectKind::Rod(rod) = &object.kind {
            let range = object.frames.clone();
            let old = from.map(|from| &from.frames[range.clone()]);
            let turned = rod.transport_frames_from(&trial.q[object.unknowns()], old, &mut trial.frames[range], arithmetic);
            least = lesser(least, turned);
        }
    }
    for (constraint, state) in structure.constraints.iter().zip(&mut trial.constraints) {
        // Between quadrature points a tangent may turn further than at them.
        if constraint.description.site().needs_frame {
            least = lesser(least, carry(&constraint.place, &trial.q, &mut state.tangent, &mut state.director));
        }
    }
    for (spring, frames) in structure.springs.iter().zip(&mut trial.springs) {
        for (end, frame) in spring.ends.iter().zip(frames) {
            // A linear spring has no frame to carry.
            if let Some(place) = end.place()
                && matches!(spring.law, crate::load::SpringLaw::Torsional { .. })
            {
                least = lesser(least, carry(place, &trial.q, &mut frame.tangent, &mut frame.director));
            }
        }
    }
    least
}

/// The lesser of two cosines; NaN stays NaN, where `min` would hide it.
fn lesser(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() { f64::NAN } else { a.min(b) }
}

/// Carries the frame of a place to its present tangent. Returns the cosine between old and new tangent.
fn carry(place: &crate::rod::spline::Place, q: &[f64], tangent: &mut [f64; 3], director: &mut [f64; 3]) -> f64 {
    let (before, t) = (DVec3::from_array(*tangent), place.derivative(q).normalize());
    let a1 = crate::geometry::rotation::transport(before, t, DVec3::from_array(*director));
    (*tangent, *director) = (t.to_array(), crate::geometry::rotation::orthonormal_to(t, a1).to_array());
    before.dot(t)
}

/// Largest change of the length between neighbouring control points of a rod by an increment that led to `q`, as a share of its
/// rest length, if it exceeds `least`.
pub(crate) fn largest_stretching(structure: &Structure, increment: &[f64], q: &[f64], least: f64) -> f64 {
    let farthest = super::largest_displacement(increment);
    let rods = structure.objects.iter().filter_map(|object| Some((object.rod()?, object.unknowns())));
    rods.map(|(rod, range)| rod.largest_stretching(&increment[range.clone()], &q[range], farthest, least)).fold(0.0, f64::max)
}

/// Largest miss of a constraint at `time`, and which it is.
pub(crate) fn worst_miss(structure: &Structure, state: &State, time: f64) -> (f64, Option<usize>) {
    let mut worst = (0.0, None);
    for (k, (constraint, memory)) in structure.constraints.iter().zip(&state.constraints).enumerate() {
        let miss = constraint.law.miss(&constraint.site(&state.q, memory), time);
        if miss > worst.0 || worst.1.is_none() {
            worst = (miss, Some(k));
        }
    }
    worst
}
