//! Unilateral rows that push are held in a static solve.
//!
//! An object that only unilateral rows support has no stiffness in their direction, and the factored system
//! would be singular. Rows that pushed in the last solve are treated as two-sided in the next one: they
//! augment the matrix as rows of the factored system do, `A += hᵀh/n²`, `b −= hᵀ gap/n²`, and their
//! displacement is zero. The inertia of the factor is then that of the structure on these rows, as long as
//! 1/n² outweighs a negative stiffness along them. A row that pulls is unilateral again in the next solve,
//! and no search ends before that.

use super::{NonSmooth, Owner};
use crate::law::BlockLaw;
use crate::step::order::System;

impl System {
    /// Holds the unilateral rows that pushed in the last solve, where the matrix has room for it.
    pub(in crate::step) fn hold_pushing_rows(&mut self) {
        for i in 0..self.non_smooth.blocks.len() {
            let block = &self.non_smooth.blocks[i];
            let pushes = block.law == BlockLaw::Unilateral && block.guess[0] > 0.0;
            if !pushes || matches!(block.owner, Owner::Absorbed { .. }) {
                continue;
            }
            let row = block.first;
            let norm = self.diagonal_compliance(row);
            if norm > 0.0 && self.augment_row(row, norm) {
                let block = &mut self.non_smooth.blocks[i];
                block.law = BlockLaw::Bounded { least: f64::NEG_INFINITY, most: f64::INFINITY };
                block.held = true;
            }
        }
    }

    /// Whether a held row pulls, so that the solution is none.
    pub(in crate::step) fn held_rows_pull(&self) -> bool {
        let held = self.non_smooth.blocks.iter().filter(|block| block.held);
        let mut forces = held.filter_map(|block| self.non_smooth.forces_of(block).first());
        forces.any(|force| *force < 0.0)
    }

    /// `A += hᵀh/n²`, `b −= hᵀ gap/n²`. Returns `false`, with nothing changed, if the matrix has no room.
    fn augment_row(&mut self, row: usize, norm: f64) -> bool {
        let NonSmooth { rows, coefficients, .. } = &self.non_smooth;
        let ((from, to), gap) = (rows[row].coefficients, rows[row].gap);
        let row = &coefficients[from..to];
        let pairs = || {
            let each = row.iter().flat_map(|a| row.iter().map(move |b| (a, b)));
            each.filter(|((i, _), (j, _))| i / 4 <= j / 4)
        };
        if pairs().any(|((i, _), (j, _))| self.matrix.slot(i / 4, j / 4).is_none()) {
            return false;
        }
        for (&(i, a), &(j, b)) in pairs() {
            if let Some(slot) = self.matrix.slot(i / 4, j / 4) {
                let block = &mut self.matrix.values_mut()[slot];
                block[(4 * (i % 4) + j % 4) as usize] += a * b / norm;
            }
        }
        for &(i, a) in row {
            self.rhs[i as usize] -= a * gap / norm;
        }
        true
    }
}
