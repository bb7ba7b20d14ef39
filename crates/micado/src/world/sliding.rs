//! Sliding ends: positions, reserved windows, ends of their rods.

use super::{State, Structure};
use crate::constraint::{Constraint, ConstraintState, ENDS, End, EndOfCurve};
use crate::object::MaterialCurve;
use crate::object::rod::window::{in_window, window, window_is_good};
use glam::DVec3;

impl Structure {
    /// Whether the end of a constraint slides along an object.
    pub(crate) fn slides(&self) -> bool {
        let slides =
            |constraint: &Constraint| constraint.ends.iter().any(|end| matches!(end, End::Sliding { .. }));
        self.constraints.iter().any(slides)
    }
}

/// Moves ends with imposed sliding to their positions at `time`.
pub(crate) fn impose_sliding(structure: &Structure, time: f64, trial: &mut State) {
    for (constraint, state) in structure.constraints.iter().zip(&mut trial.constraints) {
        if let End::Sliding { object } = constraint.ends[0]
            && let Some(u) = structure.objects[object].rod().and_then(|rod| constraint.law.imposed(rod, time))
        {
            state.own[0] = u;
        }
    }
}

/// Whether all sliding ends are still within the windows of the pattern. Inner unknowns need no window in
/// dynamic steps, but an end that passes more than a window in a step needs substeps.
pub(crate) fn windows_hold(structure: &Structure, trial: &State) -> bool {
    structure.constraints.iter().zip(&trial.constraints).all(|(constraint, state)| {
        (0..ENDS).all(|e| {
            let End::Sliding { object } = constraint.ends[e] else { return true };
            structure.objects[object]
                .rod()
                .is_none_or(|rod| in_window(rod, state.window[e], rod.segment_at(state.own[e]).0))
        })
    })
}

/// Ends of the open rod or path on which an end slides, in units of its own unknown.
pub(crate) fn range(structure: &Structure, constraint: &Constraint, e: usize) -> Option<(f64, f64)> {
    match constraint.ends[e] {
        End::Sliding { object } => structure.objects[object].curve().and_then(MaterialCurve::ends),
        _ if constraint.law.own_unknowns()[e] => constraint.law.range_of_path(),
        _ => None,
    }
}

/// Angle by which a rod turns in the eye at end `e` of constraint k, rad: between its tangents at rest
/// lengths of one radius, but at least one segment, to both sides.
pub(crate) fn turn(structure: &Structure, state: &State, k: usize, e: usize, radius: f64) -> Option<f64> {
    let End::Sliding { object } = structure.constraints[k].ends[e] else { return None };
    let object = &structure.objects[object];
    let rod = object.rod()?;
    let place = object.place_at(state.constraints[k].own[e]);
    let (s, length) = (rod.arc_at(place.segment, place.fraction), rod.length());
    let reach = radius.max(rod.rest_metric(place.segment, place.fraction));
    let [before, after] = [s - reach, s + reach].map(|s| {
        let s = if rod.is_closed() { s.rem_euclid(length) } else { s.clamp(0.0, length) };
        object.place_along(s).derivative(&state.q[object.unknowns()]).normalize_or_zero()
    });
    Some(libm::atan2(before.cross(after).length(), before.dot(after)))
}

/// The first sliding end that has reached the end of its rod and has this consequence.
pub(crate) fn slid_off(structure: &Structure, state: &State, consequence: EndOfCurve) -> Option<usize> {
    (0..structure.constraints.len()).find(|&k| {
        let constraint = &structure.constraints[k];
        constraint.law.end_of_curve() == Some(consequence)
            && (0..ENDS).any(|e| {
                let own = state.constraints[k].own[e];
                range(structure, constraint, e).is_some_and(|(first, last)| own <= first || own >= last)
            })
    })
}

/// Moves own unknowns on at their rates for a time, not beyond the ends of their rods; those of masses that
/// were struck have no rate.
pub(crate) fn predict(structure: &Structure, time: f64, struck: &[bool], trial: &mut State) {
    for ((constraint, state), struck) in structure.constraints.iter().zip(&mut trial.constraints).zip(struck)
    {
        let moves_on = !constraint.law.is_imposed() && !struck;
        for e in (0..ENDS).filter(|_| moves_on) {
            state.own[e] += time * state.own_rate[e];
            if let Some((first, last)) = range(structure, constraint, e) {
                state.own[e] = state.own[e].clamp(first, last);
            }
        }
    }
}

/// Position of a sliding mass.
pub(crate) fn position_of_mass(
    structure: &Structure,
    q: &[f64],
    constraint: &Constraint,
    memory: &ConstraintState,
) -> DVec3 {
    let place = constraint.place(0, &structure.objects, memory);
    place.position(place.slice(&structure.objects, q))
}

/// Moves the windows of sliding ends that are near their bounds.
pub(crate) fn move_windows(structure: &Structure, state: &mut State) {
    for (constraint, state) in structure.constraints.iter().zip(&mut state.constraints) {
        for e in 0..ENDS {
            let End::Sliding { object } = constraint.ends[e] else { continue };
            let Some(rod) = structure.objects[object].rod() else { continue };
            let (segment, _) = rod.segment_at(state.own[e]);
            if !window_is_good(rod, state.window[e], segment) {
                state.window[e] = window(rod, segment);
            }
        }
    }
}
