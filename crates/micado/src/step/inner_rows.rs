//! Rows that belong to objects: the lengths of the edges of inextensible rods.
//!
//! Four consecutive edges share a dual node, which touches five vertices and is eliminated after the last of
//! them: the factor stays banded and the cost is linear in the number of edges.

use super::linearise_constraints::ConstraintTerms;
use super::order::System;
use super::params::MISSED_LENGTH;
use crate::object::Own;
use crate::object::rod::InnerRows;
use crate::object::rod::discrete::InnerRow;
use crate::world::State;
use crate::world::Structure;
use glam::DVec3;
use micado_linalg::{BlockMatrix, NodeKind, Pattern};

/// Position of the length rows of a rod in the system.
#[derive(Clone, Debug)]
pub(crate) struct LengthRows {
    /// Object.
    pub(crate) object: usize,
    /// Scalar number of the first row; the others follow, four to a dual node.
    pub(crate) first_row: usize,
    /// For every row the slots of its two blocks (vertex, dual), and of the block between its vertices.
    slots: Vec<[u32; 3]>,
    /// Whether rows were redundant, and whether they contradicted others, in the last solve.
    pub(super) redundant: bool,
    pub(super) conflicting: bool,
}

/// The objects of a structure that have rows of their own.
fn with_rows(structure: &Structure) -> impl Iterator<Item = (usize, InnerRows<'_>)> {
    structure.objects.iter().enumerate().filter_map(|(k, object)| Some((k, object.model().inner_rows()?)))
}

impl LengthRows {
    /// Adds the dual nodes of all inextensible rods to a pattern.
    pub(super) fn reserve(structure: &Structure, pattern: &mut Pattern) -> Vec<Self> {
        let mut all = Vec::new();
        for (object, own) in with_rows(structure) {
            let (first_row, first) = (4 * pattern.len(), structure.objects[object].first);
            for j in 0..own.count() {
                if j.is_multiple_of(4) {
                    pattern.add_node(NodeKind::Dual);
                }
                for node in own.nodes(j) {
                    pattern.connect((first + node) as u32, (first_row / 4 + j / 4) as u32);
                }
            }
            all.push(Self {
                object,
                first_row,
                slots: vec![[0; 3]; own.count()],
                redundant: false,
                conflicting: false,
            });
        }
        all
    }

    pub(super) fn find_slots(&mut self, structure: &Structure, matrix: &BlockMatrix) {
        let object = &structure.objects[self.object];
        let Some(own) = object.model().inner_rows() else { return };
        for (j, slots) in self.slots.iter_mut().enumerate() {
            let ([a, b], dual) =
                (own.nodes(j).map(|node| (object.first + node) as u32), (self.first_row / 4 + j / 4) as u32);
            *slots = [(a, dual), (b, dual), (a.min(b), a.max(b))]
                .map(|(i, j)| matrix.slot(i, j).map_or(u32::MAX, |slot| slot as u32));
        }
    }

    /// Scalar numbers of the rows.
    pub(crate) fn rows(&self) -> std::ops::Range<usize> {
        self.first_row..self.first_row + self.slots.len()
    }

    /// Scalar numbers of the unused rows in the last node.
    pub(super) fn unused(&self) -> std::ops::Range<usize> {
        self.rows().end..self.rows().end.next_multiple_of(4)
    }

    /// JΔ of a row: relative displacement of its ends along it in the present solution.
    fn along(first: usize, row: &InnerRow, solution: &[f64]) -> f64 {
        let [a, b] = row.nodes.map(|node| DVec3::from_slice(&solution[4 * (first + node)..]));
        row.t.dot(a - b)
    }
}

/// Writes Jᵀ, E and the expected λ. Where rows are augmented, also ttᵀ with the stiffness of vertices across
/// the rod: along it they have none of their own, so n² must be computed after that.
pub(super) fn write_length_rows(
    structure: &Structure,
    trial: &State,
    terms: ConstraintTerms<'_>,
    system: &mut System,
) {
    for k in 0..system.lengths.len() {
        let object = &structure.objects[system.lengths[k].object];
        let Some(own) = object.model().inner_rows() else { continue };
        let (q, frames) = (&trial.q[object.unknowns()], &trial.frames[object.frames.clone()]);
        let LengthRows { first_row, slots, .. } = &system.lengths[k];
        let across = if terms.augment_all { own.stiffness_across(frames) } else { 0.0 };
        let starts = |matrix: &BlockMatrix, node: usize| matrix.row_start(object.first + node);
        for (j, (slots, tension)) in slots.iter().zip(own.multipliers(frames)).enumerate() {
            let row = own.row(q, j);
            let [diagonal_a, diagonal_b] = row.nodes.map(|node| starts(&system.matrix, node));
            let values = system.matrix.values_mut();
            for a in 0..3 {
                values[slots[0] as usize][4 * a + j % 4] = row.t[a];
                values[slots[1] as usize][4 * a + j % 4] = -row.t[a];
            }
            if across > 0.0 {
                for (slot, sign) in [(diagonal_a, across), (diagonal_b, across), (slots[2] as usize, -across)]
                {
                    for (r, c) in (0..3).flat_map(|r| (0..3).map(move |c| (r, c))) {
                        values[slot][4 * r + c] += sign * row.t[r] * row.t[c];
                    }
                }
                for a in 0..3 {
                    let pull = across * row.violation * row.t[a];
                    system.rhs[4 * (object.first + row.nodes[0]) + a] += pull;
                    system.rhs[4 * (object.first + row.nodes[1]) + a] -= pull;
                }
            }
            system.rhs[first_row + j] = row.violation;
            system.expected[first_row - 4 * system.primal_nodes + j] = *tension;
        }
        system.duals.set_lengths(first_row - 4 * system.primal_nodes, slots.len());
    }
}

impl System {
    /// Stores the tensions of the present solution behind the frames of their rods. Those of rows that
    /// contradict others are not forces.
    pub(super) fn keep_tensions(&self, structure: &Structure, trial: &mut State) {
        for lengths in &self.lengths {
            let object = &structure.objects[lengths.object];
            let Some(own) = object.model().inner_rows() else { continue };
            let kept = own.multipliers_mut(&mut trial.frames[object.frames.clone()]);
            for (tension, x) in kept.iter_mut().zip(&self.solution[lengths.rows()]) {
                *tension = if lengths.conflicting { 0.0 } else { -x };
            }
        }
    }

    /// Sets the multipliers of the solution to the tensions of a state.
    pub(super) fn expect_tensions(&mut self, structure: &Structure, state: &State) {
        for lengths in &self.lengths {
            let object = &structure.objects[lengths.object];
            let Some(own) = object.model().inner_rows() else { continue };
            let tensions = own.multipliers(&state.frames[object.frames.clone()]);
            self.solution[lengths.rows()].iter_mut().zip(tensions).for_each(|(x, tension)| *x = -tension);
        }
    }

    /// Work of the tensions of the solution along its increment, with the edges of a state: λ JΔ.
    pub(super) fn work_of_lengths(&self, structure: &Structure, state: &State) -> f64 {
        let mut total = 0.0;
        for lengths in &self.lengths {
            let object = &structure.objects[lengths.object];
            let Some(own) = object.model().inner_rows() else { continue };
            for (j, x) in self.solution[lengths.rows()].iter().enumerate() {
                let row = own.row(&state.q[object.unknowns()], j);
                total -= x * LengthRows::along(object.first, &row, &self.solution);
            }
        }
        total
    }

    /// Objects with redundant lengths in the last solve.
    pub fn redundant_lengths(&self) -> impl Iterator<Item = usize> {
        self.lengths.iter().filter(|lengths| lengths.redundant).map(|lengths| lengths.object)
    }

    /// Objects whose lengths contradicted other rows in the last solve.
    pub fn conflicting_lengths(&self) -> impl Iterator<Item = usize> {
        self.lengths.iter().filter(|lengths| lengths.conflicting).map(|lengths| lengths.object)
    }

    /// The object of a node of length rows.
    pub fn object_of_lengths(&self, node: usize) -> Option<usize> {
        self.lengths
            .iter()
            .find(|lengths| (lengths.rows().start..lengths.unused().end).contains(&(4 * node)))
            .map(|lengths| lengths.object)
    }
}

/// Errors g of the lengths of all edges, m, with their tensions λ, N.
fn misses(structure: &Structure, state: &State) -> impl Iterator<Item = (f64, f64)> {
    with_rows(structure).flat_map(|(k, own)| {
        let Own { q, frames } = structure.objects[k].own(&state.q, &state.frames);
        (0..own.count()).map(move |j| (own.row(q, j).violation, own.multipliers(frames)[j]))
    })
}

/// Largest error of the length of an edge, m.
pub(super) fn worst_length(structure: &Structure, state: &State) -> f64 {
    misses(structure, state).fold(0.0, |worst, (miss, _)| worst.max(miss.abs()))
}

/// Σ |λ g| of the lengths of edges that are missed by more than `least`, J.
pub(super) fn work_of_missed_lengths(structure: &Structure, state: &State, least: f64) -> f64 {
    let missed = misses(structure, state).filter(|(miss, _)| miss.abs() > least);
    missed.map(|(miss, force)| (miss * force).abs()).sum()
}

/// The first object with an edge whose length error is too large for the next step to correct.
pub(super) fn missed_lengths(structure: &Structure, state: &State) -> Option<usize> {
    let missed = |(k, own): &(usize, InnerRows<'_>)| {
        let (_, share) = own.worst_miss(&state.q[structure.objects[*k].unknowns()]);
        share > MISSED_LENGTH
    };
    with_rows(structure).find(missed).map(|(k, _)| k)
}
