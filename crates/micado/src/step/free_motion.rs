//! Factor and free motion: Δ and λ from the one system, refined; what the pivots say about the rows.

use super::order::System;
use super::params::{CONFLICT, HELD, REDUNDANT};
use super::report::{Refusal, StepReport};
use micado_linalg::{Arithmetic, Inertia};

impl System {
    /// LDLᵀ of the regularised matrix.
    pub(crate) fn factorise(&mut self, arithmetic: Arithmetic) -> Result<Inertia, Refusal> {
        self.factor
            .factorise(&self.symbolic, &self.matrix, &self.shift, arithmetic)
            .map_err(|singular| Refusal::Singular { node: singular.node })
    }

    /// Solves for Δ and −λ. Where constraint rows are missed by more than rounding, the solution is refined against the matrix
    /// without regularisation, unless rows contradict each other: then the regularised solution is kept, which is the nearest
    /// there is.
    pub(crate) fn solve(&mut self, refinements: usize, size: f64, arithmetic: Arithmetic, report: &mut StepReport) -> Result<(), Refusal> {
        self.solution.copy_from_slice(&self.rhs);
        self.factor.solve(&self.symbolic, &mut self.solution, &mut self.scratch, arithmetic);
        if !self.seats.is_empty() {
            let missed = self.find_conflicts(size, report);
            self.find_redundant(report);
            if report.conflicting_rows == 0 && missed > HELD {
                for _ in 0..refinements {
                    micado_linalg::correct(
                        &self.matrix,
                        &self.symbolic,
                        &self.factor,
                        &self.rhs,
                        &mut self.solution,
                        &mut self.refine,
                        arithmetic,
                    );
                }
            }
        }
        match self.solution.iter().position(|x| !x.is_finite()) {
            None => Ok(()),
            Some(i) => Err(Refusal::NotFinite { node: i / 4 }),
        }
    }

    /// Rows that the regularised solution misses by more than regularisation explains, each in its own unit: lengths as a
    /// share of the structure's size, angles in rad. Returns the largest miss.
    fn find_conflicts(&mut self, size: f64, report: &mut StepReport) -> f64 {
        report.conflicting_rows = 0;
        self.conflicting.fill(false);
        let mut largest = 0.0_f64;
        for k in 0..self.seats.len() {
            for r in 0..self.seats[k].rows {
                let miss = self.row_miss(k, r).abs() / if self.rows[k].angle[r] { 1.0 } else { size };
                largest = if miss.is_nan() { f64::INFINITY } else { largest.max(miss) };
                if miss > CONFLICT {
                    report.conflicting_rows += 1;
                    self.conflicting[k] = true;
                }
            }
        }
        largest
    }

    /// E − JΔ of a row.
    pub(crate) fn row_miss(&self, k: usize, r: usize) -> f64 {
        let seat = &self.seats[k];
        let rows = &self.rows[k];
        let mut miss = rows.violation[r];
        for n in 0..seat.count {
            let node = 4 * seat.nodes[n] as usize;
            for a in 0..4 {
                miss -= rows.jacobian[r][n][a] * self.solution[node + a];
            }
        }
        miss
    }

    /// Rows whose pivot is hardly more than their regularisation: they follow from rows eliminated before.
    pub(crate) fn find_redundant(&mut self, report: &mut StepReport) {
        report.redundant_rows = 0;
        self.redundant.fill(false);
        for k in 0..self.seats.len() {
            let seat = self.seats[k];
            for d in 0..seat.rows.div_ceil(4) {
                let dual = seat.dual as usize + d;
                let pivots = self.factor.pivots(&self.symbolic, dual);
                for r in 4 * d..seat.rows.min(4 * d + 4) {
                    if pivots[r % 4].abs() < REDUNDANT * self.shift[4 * dual + r % 4].abs() {
                        report.redundant_rows += 1;
                        self.redundant[k] = true;
                    }
                }
            }
        }
    }

    /// The increment Δ of objects.
    pub(crate) fn increment(&self) -> &[f64] {
        &self.solution[..4 * self.object_nodes]
    }
}
