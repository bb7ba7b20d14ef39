//! Linearise constraints: J, E, regularisation, curvature, augmentation.
//!
//! The matrix is not scaled. LDLᵀ without pivoting is the same under diagonal scaling, so the scaled −ε and ρ = 1 become
//! `−ε n²` and `1/n²` with n² = Σ J²/A_jj, the compliance of the row in the diagonal of A.

use super::order::System;
use super::params::EPSILON;
use crate::constraint::{MAX_NODES, MAX_ROWS, PlaceStiffness};
use crate::state::State;
use crate::world::Structure;

/// Least stiffness of a direction that a row's compliance is measured with, relative to the stiffest direction of the node.
const LEAST_STIFFNESS: f64 = 1e-9;

/// How constraints are linearised.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConstraintTerms {
    /// Keep constraint curvature that is not positive.
    pub(crate) exact: bool,
    /// Augment all rows (statics, where K alone is singular), or only those with an unknown of their own.
    pub(crate) augment_all: bool,
}

/// Adds rows and curvature of all constraints at the trial state with the targets of `time`.
pub(crate) fn linearise_constraints(structure: &Structure, trial: &State, time: f64, terms: ConstraintTerms, system: &mut System) {
    for (k, (constraint, state)) in structure.constraints.iter().zip(&trial.constraints).enumerate() {
        let site = constraint.site(&trial.q, state);
        system.places[k] = constraint.place;
        constraint.law.linearise(&site, time, &mut system.rows[k]);
        if let Some(stiffness) = constraint.law.stiffness(&site, time, &state.multipliers, terms.exact) {
            system.add_curvature(k, &stiffness);
        }
    }
    for (k, state) in trial.constraints.iter().enumerate() {
        system.write_rows(k, &state.multipliers);
    }
    for k in 0..system.seats.len() {
        if terms.augment_all || system.seats[k].own.is_some() {
            system.augment(k);
        }
    }
}

impl System {
    /// Blocks (node, dual) = Jᵀ, right side E, −1 on unused rows, 1 on the unused components of an own unknown; and
    /// n² = Σ J²/A_jj of each row over the nodes of the place, A with its mass-like term, with the regularisation that follows.
    fn write_rows(&mut self, k: usize, multipliers: &[f64; MAX_ROWS]) {
        let seat = self.seats[k];
        let (rows, place) = (&self.rows[k], &self.places[k]);
        let mut norms = [0.0; MAX_ROWS];
        for n in 0..seat.on_place() {
            let compliance = self.compliance(seat.nodes[n] as usize);
            let values = self.matrix.values_mut();
            for (r, row) in rows.iter().enumerate() {
                let block = &mut values[self.slots[seat.dual_slot(r / 4, n)] as usize];
                let entries = row.on_node(place, seat.weight(n));
                for a in 0..4 {
                    block[4 * a + r % 4] = entries[a];
                    norms[r] += entries[a] * entries[a] * compliance[a];
                }
            }
        }
        let first = 4 * seat.dual as usize;
        let values = self.matrix.values_mut();
        for (r, row) in rows.iter().enumerate() {
            if seat.own.is_some() {
                values[self.slots[seat.dual_slot(r / 4, seat.on_place())] as usize][r % 4] = row.own;
            }
            self.rhs[first + r] = row.violation;
            self.shift[first + r] = -EPSILON * norms[r];
            self.expected[first + r - 4 * self.primal_nodes] = multipliers[r];
        }
        self.norms[k] = norms;
        for r in seat.rows..seat.rows.div_ceil(4) * 4 {
            let slot = self.matrix.row_start(seat.dual as usize + r / 4);
            self.matrix.values_mut()[slot][5 * (r % 4)] = -1.0;
        }
        if let Some(own) = seat.own {
            let slot = self.matrix.row_start(own as usize);
            let block = &mut self.matrix.values_mut()[slot];
            for a in 1..4 {
                block[5 * a] = 1.0;
            }
        }
    }

    /// 1/A_jj of the four unknowns of a node.
    fn compliance(&self, node: usize) -> [f64; 4] {
        let diagonal = &self.matrix.values()[self.matrix.row_start(node)];
        let stiffness: [f64; 4] = std::array::from_fn(|a| diagonal[5 * a].abs() + self.shift[4 * node + a]);
        // What only the constraint holds has no stiffness of its own: it counts as a little of its neighbours'.
        let stiffest = stiffness[0].max(stiffness[1]).max(stiffness[2]);
        let least = if stiffest > 0.0 { LEAST_STIFFNESS * stiffest } else { 1.0 };
        // A row without effect on a roll says nothing about its stiffness: 0 times a large number, never infinity.
        std::array::from_fn(|a| 1.0 / stiffness[a].max(if a < 3 { least } else { f64::MIN_POSITIVE }))
    }

    fn add_curvature(&mut self, k: usize, stiffness: &PlaceStiffness) {
        let seat = self.seats[k];
        let weights = &self.places[k].weights;
        let values = self.matrix.values_mut();
        for i in 0..seat.on_place() {
            for j in 0..seat.on_place() {
                if seat.nodes[i] <= seat.nodes[j] {
                    stiffness.add_block(weights, seat.weight(i), seat.weight(j), &mut values[self.slots[seat.pair_slot(i, j)] as usize]);
                }
            }
        }
        if let Some(own) = seat.own {
            let slot = self.matrix.row_start(own as usize);
            self.matrix.values_mut()[slot][0] += stiffness.own_own;
        }
    }

    /// `A += Σ J_rᵀJ_r/n_r²`, `F += Σ J_rᵀE_r/n_r²`: changes nothing in the solution, makes A definite on the rows.
    fn augment(&mut self, k: usize) {
        let seat = self.seats[k];
        let values = self.matrix.values_mut();
        for (row, norm) in self.rows[k].iter().zip(self.norms[k]) {
            let mut jacobian = [[0.0; 4]; MAX_NODES];
            for (n, entries) in jacobian.iter_mut().enumerate().take(seat.on_place()) {
                *entries = row.on_node(&self.places[k], seat.weight(n));
            }
            if seat.own.is_some() {
                jacobian[seat.on_place()][0] = row.own;
            }
            for i in 0..seat.count {
                let scaled = jacobian[i].map(|j| j / norm);
                for a in 0..4 {
                    self.rhs[4 * seat.nodes[i] as usize + a] += scaled[a] * row.violation;
                }
                for j in 0..seat.count {
                    if seat.nodes[i] > seat.nodes[j] {
                        continue;
                    }
                    let block = &mut values[self.slots[seat.pair_slot(i, j)] as usize];
                    for a in 0..4 {
                        for b in 0..4 {
                            block[4 * a + b] += scaled[a] * jacobian[j][b];
                        }
                    }
                }
            }
        }
    }
}
