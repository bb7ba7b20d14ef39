//! Items on a rod whose length changes: they stay at their material places.

use super::{WinchScratch, rod_of};
use crate::constraint::{ConstraintDescription, End, EndDescription};
use crate::describe::anchor::At;
use crate::load::{Distributed, Drag, LoadDescription, SpringDescription};
use crate::object::rod::spline::Slide;
use crate::scene::RodEnd;
use crate::world::{State, Structure};
use micado_linalg::Arithmetic;

/// Slides the material of the rod on winch `k` to its new length, in the state only.
pub(super) fn slide(
    structure: &Structure,
    state: &mut State,
    k: usize,
    length: f64,
    arithmetic: Arithmetic,
    scratch: &mut WinchScratch,
) {
    let winch = &structure.winches[k];
    let object = &structure.objects[winch.object];
    let Some(rod) = rod_of(&structure.objects, winch.object) else { return };
    let before = state.spooled[k];
    let (range, frames) = (object.unknowns(), object.frames.clone());
    if rod.internal_damping() != 0.0 {
        rod.strains(
            &state.q[range.clone()],
            &state.frames[frames.clone()],
            &mut scratch.strains[winch.object],
            arithmetic,
        );
    }
    let at_end = winch.description.at == RodEnd::End;
    let slide = Slide { growth: (length - before) / before, segments: rod.segments(), at_end };
    let scratch = &mut scratch.slide;
    rod.slide_material(
        &slide,
        &winch.fit,
        &mut state.q[range.clone()],
        &mut state.frames[frames],
        arithmetic,
        scratch,
    );
    rod.slide_field(&slide, &winch.fit, &mut state.v[range.clone()], scratch);
    if state.history.step != 0.0 {
        rod.slide_field(&slide, &winch.fit, &mut state.history.increment[range.clone()], scratch);
        rod.slide_field(&slide, &winch.fit, &mut state.history.velocity[range], scratch);
    }
    for (constraint, memory) in structure.constraints.iter().zip(&mut state.constraints) {
        for (e, end) in constraint.ends.iter().enumerate() {
            if *end == (End::Sliding { object: winch.object }) {
                memory.own[e] = slide.arrive(memory.own[e]).clamp(0.0, rod.segments() as f64);
                memory.own_start[e] = memory.own[e];
            }
            // A caught place keeps its distance from the other end.
            if matches!(*end, End::Caught { .. }) && !memory.open && memory.held == winch.object {
                let n = rod.segments() as f64;
                let u = if at_end {
                    memory.own[e] * before / length
                } else {
                    n - (n - memory.own[e]) * before / length
                };
                memory.own[e] = u.clamp(0.0, n);
                memory.own_start[e] = memory.own[e];
                if e == 0 && !at_end {
                    memory.held_at += length - before;
                }
            }
        }
    }
    state.spooled[k] = length;
}

/// A constraint with its places on rods converted.
pub(super) fn constraint_at(
    description: &ConstraintDescription,
    place: impl Fn(&str, At) -> At,
) -> ConstraintDescription {
    let mut put = description.clone();
    for (e, end) in description.ends().into_iter().enumerate() {
        let (on, at) = match end {
            EndDescription::Place { on, at: Some(at), .. } | EndDescription::Sliding { on, at, .. } => {
                (on, at)
            }
            EndDescription::Caught { on: [first, ..], at: Some(at), .. } => (first.as_str(), at),
            _ => continue,
        };
        put.put(e, on.to_owned(), Some(place(on, at)));
    }
    put
}

/// A load with its places on rods converted.
pub(super) fn load_at(description: &LoadDescription, place: impl Fn(&str, At) -> At) -> LoadDescription {
    let mut put = description.clone();
    match &mut put {
        LoadDescription::Force(load) => load.at = load.at.map(|at| place(&load.on, at)),
        LoadDescription::Moment(load) => load.at = load.at.map(|at| place(&load.on, at)),
        LoadDescription::Distributed(Distributed { on, from, to, .. })
        | LoadDescription::Drag(Drag { on, from, to, .. }) => {
            (*from, *to) = (place(on, *from), place(on, *to));
        }
    }
    put
}

/// A spring with its places on rods converted.
pub(super) fn spring_at(description: &SpringDescription, put: impl Fn(&str, At) -> At) -> SpringDescription {
    let mut described = description.clone();
    let (from, to) = described.ends_mut();
    for end in [from, to] {
        if let Some((on, at)) = end.along_mut() {
            *at = put(on, *at);
        }
    }
    described
}
