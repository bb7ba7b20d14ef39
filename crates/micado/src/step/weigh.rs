//! Masses of a system: lumped ones of objects, and those that slide.

use super::order::System;
use super::seat::Seat;
use crate::constraint::End;
use crate::world::{State, Structure};

/// Nodes of the own unknowns of sliding masses, with |r₀'|².
pub(super) fn weigh_sliding(
    structure: &Structure,
    state: &State,
    seats: &[Seat],
    sliding_mass: &mut Vec<(usize, f64)>,
) {
    sliding_mass.clear();
    for ((constraint, memory), seat) in structure.constraints.iter().zip(&state.constraints).zip(seats) {
        if let (Some(_), End::Sliding { object }, Some(own)) =
            (constraint.law.sliding_mass(), constraint.ends[0], seat.own(0))
            && let Some(curve) = structure.objects[object].curve()
        {
            let place = structure.objects[object].place_at(memory.own[0]);
            sliding_mass.push((own, curve.rest_speed(&place).powi(2)));
        }
    }
}

/// Lumped mass matrices; `ones` has one 1 per unknown.
pub(super) fn lump(structure: &Structure, state: &State, ones: &[f64], lumped: &mut [f64]) {
    lumped.fill(0.0);
    for object in &structure.objects {
        let range = object.unknowns();
        let own = object.own(&state.q, &state.frames);
        object.model().add_lumped_mass(own, &ones[range.clone()], &mut lumped[range]);
    }
    // Row sums of Catmull–Rom are negative at its outermost control points.
    lumped.iter_mut().for_each(|mass| *mass = mass.abs());
}

impl System {
    /// Updates the masses of a system that is reused: they are not part of its pattern. Those of objects
    /// change by edits and with the lengths of rods on winches, those of sliding masses with their places.
    /// `ones` is scratch of one number per unknown of objects.
    pub(super) fn weigh(&mut self, structure: &Structure, state: &State, ones: &mut [f64]) {
        if !self.weighed_in.is(&structure.revision) || !structure.winches.is_empty() {
            self.weighed_in = structure.revision.clone();
            ones.fill(1.0);
            lump(structure, state, ones, &mut self.lumped);
        }
        weigh_sliding(structure, state, &self.seats, &mut self.sliding_mass);
    }
}
