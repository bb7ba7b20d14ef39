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
        let stiffness = constraint.law.stiffness(&site, time, &state.multipliers, terms.exact);
        system.write_rows(k, &state.multipliers);
        if let Some(stiffness) = stiffness {
            system.add_curvature(k, &stiffness);
        }
    }
    for k in 0..system.seats.len() {
        system.measure_rows(k);
    }
    for k in 0..system.seats.len() {
        if terms.augment_all || system.seats[k].own.is_some() {
            system.augment(k);
        }
    }
}

impl System {
    /// Blocks (node, dual) = Jᵀ, right side E, −1 on unused rows, 1 on the unused components of an own unknown.
    fn write_rows(&mut self, k: usize, multipliers: &[f64; MAX_ROWS]) {
        let seat = self.seats[k];
        let (rows, place) = (&self.rows[k], &self.places[k]);
        let values = self.matrix.values_mut();
        for (r, row) in rows.iter().enumerate() {
            for n in 0..seat.on_place() {
                let block = &mut values[self.slots[seat.dual_slot(r / 4, n)] as usize];
                for (a, entry) in row.on_node(place, n).into_iter().enumerate() {
                    block[4 * a + r % 4] = entry;
                }
            }
            if seat.own.is_some() {
                values[self.slots[seat.dual_slot(r / 4, seat.on_place())] as usize][r % 4] = row.own;
            }
            let i = 4 * seat.dual as usize + r;
            self.rhs[i] = row.violation;
            self.expected[i - 4 * self.primal_nodes] = multipliers[r];
        }
        for r in seat.rows..seat.rows.div_ceil(4) * 4 {
            let dual = seat.dual as usize + r / 4;
            let slot = self.matrix.row_start(dual);
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

    fn add_curvature(&mut self, k: usize, stiffness: &PlaceStiffness) {
        let seat = self.seats[k];
        let weights = &self.places[k].weights;
        let values = self.matrix.values_mut();
        for i in 0..seat.on_place() {
            for j in 0..seat.on_place() {
                if seat.nodes[i] <= seat.nodes[j] {
                    stiffness.add_block(weights, i, j, &mut values[self.slots[seat.pair_slot(i, j)] as usize]);
                }
            }
        }
        if let Some(own) = seat.own {
            let slot = self.matrix.row_start(own as usize);
            self.matrix.values_mut()[slot][0] += stiffness.own_own;
        }
    }

    /// n² = Σ J²/A_jj of each row over the nodes of the place, A with its mass-like term, and the regularisation that goes with it.
    fn measure_rows(&mut self, k: usize) {
        let seat = self.seats[k];
        let mut norms = [0.0; MAX_ROWS];
        for n in 0..seat.on_place() {
            let node = seat.nodes[n] as usize;
            let diagonal = &self.matrix.values()[self.matrix.row_start(node)];
            let stiffness: [f64; 4] = std::array::from_fn(|a| diagonal[5 * a].abs() + self.shift[4 * node + a]);
            // What only the constraint holds has no stiffness of its own: it counts as a little of its neighbours'.
            let stiffest = stiffness[0].max(stiffness[1]).max(stiffness[2]);
            let least = if stiffest > 0.0 { LEAST_STIFFNESS * stiffest } else { 1.0 };
            let compliance = [
                1.0 / stiffness[0].max(least),
                1.0 / stiffness[1].max(least),
                1.0 / stiffness[2].max(least),
                1.0 / stiffness[3].max(f64::MIN_POSITIVE),
            ];
            for (norm, row) in norms.iter_mut().zip(self.rows[k].iter()) {
                for (j, compliance) in row.on_node(&self.places[k], n).into_iter().zip(compliance) {
                    // A row without effect on an unknown says nothing about its stiffness.
                    if j != 0.0 {
                        *norm += j * j * compliance;
                    }
                }
            }
        }
        for (r, norm) in norms.into_iter().enumerate().take(seat.rows) {
            self.shift[4 * seat.dual as usize + r] = -EPSILON * norm;
        }
        self.norms[k] = norms;
    }

    /// `A += Σ J_rᵀJ_r/n_r²`, `F += Σ J_rᵀE_r/n_r²`: changes nothing in the solution, makes A definite on the rows.
    fn augment(&mut self, k: usize) {
        let seat = self.seats[k];
        let values = self.matrix.values_mut();
        for (row, norm) in self.rows[k].iter().zip(self.norms[k]) {
            let mut jacobian = [[0.0; 4]; MAX_NODES];
            for (n, entries) in jacobian.iter_mut().enumerate().take(seat.on_place()) {
                *entries = row.on_node(&self.places[k], n);
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
