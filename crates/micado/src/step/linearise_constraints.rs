//! Linearise constraints: J, E, regularisation, curvature, augmentation.
//!
//! The matrix is not scaled. LDLᵀ without pivoting is the same under diagonal scaling, so the scaled −ε and ρ = 1 become
//! `−ε n²` and `1/n²` with n² = Σ J²/A_jj, the compliance of the row in the diagonal of A.

use super::order::{Seat, System};
use super::params::EPSILON;
use crate::constraint::{MAX_ROWS, PlaceStiffness, Site};
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
        let site = Site::new(&constraint.place, &trial.q, state);
        system.rows[k] = constraint.law.linearise(&site, time);
        let stiffness = constraint.law.stiffness(&site, time, &state.multipliers, terms.exact);
        let seat = system.seats[k];
        system.write_rows(&seat, k);
        system.add_curvature(&seat, &constraint.place.weights, &stiffness);
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
    fn write_rows(&mut self, seat: &Seat, k: usize) {
        let rows = &self.rows[k];
        for r in 0..seat.rows.div_ceil(4) * 4 {
            let dual = seat.dual as usize + r / 4;
            if r < seat.rows {
                for n in 0..seat.count {
                    let block = &mut self.matrix.values_mut()[seat.dual_slots[r / 4][n] as usize];
                    for a in 0..4 {
                        block[4 * a + r % 4] = rows.jacobian[r][n][a];
                    }
                }
                self.rhs[4 * dual + r % 4] = rows.violation[r];
            } else {
                let slot = self.matrix.row_start(dual);
                self.matrix.values_mut()[slot][5 * (r % 4)] = -1.0;
                self.rhs[4 * dual + r % 4] = 0.0;
            }
        }
        if let Some(own) = seat.own {
            let slot = self.matrix.row_start(own as usize);
            let block = &mut self.matrix.values_mut()[slot];
            for a in 1..4 {
                block[5 * a] = 1.0;
            }
        }
    }

    fn add_curvature(&mut self, seat: &Seat, weights: &crate::geometry::basis::Weights, stiffness: &PlaceStiffness) {
        let on_place = seat.count - usize::from(seat.own.is_some());
        for i in 0..on_place {
            for j in 0..on_place {
                if seat.nodes[i] <= seat.nodes[j] {
                    stiffness.add_block(weights, i, j, &mut self.matrix.values_mut()[seat.pair_slots[i][j] as usize]);
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
        let on_place = seat.count - usize::from(seat.own.is_some());
        let mut norms = [0.0; MAX_ROWS];
        for (r, norm) in norms.iter_mut().enumerate().take(seat.rows) {
            for n in 0..on_place {
                let node = seat.nodes[n] as usize;
                let diagonal = &self.matrix.values()[self.matrix.row_start(node)];
                let stiffness = |a: usize| diagonal[5 * a].abs() + self.shift[4 * node + a];
                // What only the constraint holds has no stiffness of its own: it counts as a little of its neighbours'.
                let stiffest = stiffness(0).max(stiffness(1)).max(stiffness(2));
                let least = if stiffest > 0.0 { LEAST_STIFFNESS * stiffest } else { 1.0 };
                for a in 0..4 {
                    let j = self.rows[k].jacobian[r][n][a];
                    // A row without effect on an unknown says nothing about its stiffness.
                    if j != 0.0 {
                        *norm += j * j / stiffness(a).max(if a < 3 { least } else { f64::MIN_POSITIVE });
                    }
                }
            }
            self.shift[4 * seat.dual as usize + r] = -EPSILON * *norm;
        }
        self.norms[k] = norms;
    }

    /// `A += Σ J_rᵀJ_r/n_r²`, `F += Σ J_rᵀE_r/n_r²`: changes nothing in the solution, makes A definite on the rows.
    fn augment(&mut self, k: usize) {
        let seat = self.seats[k];
        let rows = &self.rows[k];
        for r in 0..seat.rows {
            let rho = 1.0 / self.norms[k][r];
            for i in 0..seat.count {
                for a in 0..4 {
                    self.rhs[4 * seat.nodes[i] as usize + a] += rho * rows.jacobian[r][i][a] * rows.violation[r];
                }
                for j in 0..seat.count {
                    if seat.nodes[i] > seat.nodes[j] {
                        continue;
                    }
                    let block = &mut self.matrix.values_mut()[seat.pair_slots[i][j] as usize];
                    for a in 0..4 {
                        for b in 0..4 {
                            block[4 * a + b] += rho * rows.jacobian[r][i][a] * rows.jacobian[r][j][b];
                        }
                    }
                }
            }
        }
    }
}
