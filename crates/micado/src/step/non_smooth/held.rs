//! Rows that hold in a static solve: unilateral rows that push, motors and dry friction within their bounds.
//!
//! An object that only such rows support has no stiffness in their direction, and the factored system
//! would be singular. Rows that held in the last solve are treated as two-sided in the next one: they
//! augment the matrix as rows of the factored system do, `A += hᵀh/n²`, `b −= hᵀ gap/n²`, and their
//! displacement is zero. The inertia of the factor is then that of the structure on these rows, as long as
//! 1/n² outweighs a negative stiffness along them, which loads at the arms of bodies cause. If the force of a
//! row violates its own law, the row has this law again in the next solve, and no search ends before that. If
//! rows exclude each other, none is held.

use super::contradictions::HELD;
use super::{Block, NonSmooth, Owner};
use crate::law::BlockLaw;
use crate::step::order::System;
use crate::step::params::CONFLICT;
use crate::step::statics::holding::Holding;
use micado_linalg::Arithmetic;
use nalgebra::{DMatrix, SymmetricEigen};

/// Stiffness that 1/n² counts with on each unknown, as a multiple of S: the stiffness of loads at arms is at
/// most three times S.
const OUTWEIGHS: f64 = 100.0;
/// Share of its bounds up to which a force counts as inside.
const INSIDE: f64 = 1.0 - 1e-9;

/// A row of a constraint whose force is its bound.
pub(in crate::step) struct Overcome {
    constraint: usize,
    row: usize,
    force: f64,
}

/// Held rows of a system.
#[derive(Clone, Debug, Default)]
pub(in crate::step) struct HeldRows {
    /// Number of those that are independent.
    pub(in crate::step) count: usize,
    /// W⁻¹ by rows.
    stiffness: Vec<f64>,
}

/// Whether a row with this law and force holds: its displacement is zero.
fn holds(law: &BlockLaw, force: f64) -> bool {
    match *law {
        BlockLaw::Unilateral => force > 0.0,
        BlockLaw::Bounded { least, most } => least * INSIDE < force && force < most * INSIDE,
        _ => false,
    }
}

impl System {
    /// Holds the rows that held in the last solve, where the matrix has room for it.
    pub(in crate::step) fn hold_rows(&mut self, holding: &Holding) {
        for i in 0..self.non_smooth.blocks.len() {
            let block = &self.non_smooth.blocks[i];
            if matches!(block.owner, Owner::Absorbed { .. }) || !holds(&block.law, block.guess[0]) {
                continue;
            }
            let row = block.first;
            let norm = self.compliance_of_row(row, |i| OUTWEIGHS * holding.diagonal()[i]);
            if norm > 0.0 && self.augment_row(row, norm) {
                let block = &mut self.non_smooth.blocks[i];
                let two_sided = BlockLaw::Bounded { least: f64::NEG_INFINITY, most: f64::INFINITY };
                block.held = Some(std::mem::replace(&mut block.law, two_sided));
            }
        }
    }

    /// Whether the force of a held row violates its own law, so that the solution is invalid.
    pub(in crate::step) fn held_rows_break_their_law(&self) -> bool {
        let non_smooth = &self.non_smooth;
        non_smooth.blocks.iter().any(|block| {
            let force = non_smooth.forces_of(block).first();
            block.held.as_ref().zip(force).is_some_and(|(law, &force)| match *law {
                BlockLaw::Bounded { least, most } => force < least || force > most,
                _ => force < 0.0,
            })
        })
    }

    /// Whether one-sided rows exclude others.
    pub(in crate::step) fn rows_contradict(&self) -> bool {
        !self.non_smooth.contradictions.is_empty()
    }

    /// Rows with bounds that moved although they should hold, with the bound that opposes the motion: a limit
    /// that stops a motor overcomes it. Without inertia, the compliance of an object that only these
    /// rows support is arbitrary, and sweeps between them would take for ever.
    pub(in crate::step) fn overcome_rows(&self, size: f64) -> Vec<Overcome> {
        let NonSmooth { blocks, rows, coefficients, .. } = &self.non_smooth;
        let overcome = |block: &Block| {
            let BlockLaw::Bounded { least, most } = *block.held.as_ref().unwrap_or(&block.law) else {
                return None;
            };
            let Owner::Constraint { constraint, row } = block.owner else { return None };
            let of = &rows[block.first];
            let moved = of.displacement(coefficients, &self.solution);
            let force = if moved > 0.0 { least } else { most };
            let moves = moved.abs() > CONFLICT * if of.angle { 1.0 } else { size };
            (moves && force.is_finite()).then_some(Overcome { constraint, row, force })
        };
        blocks.iter().filter_map(overcome).collect()
    }

    /// Sets the force of each overcome row to its bound, in this solve.
    pub(in crate::step) fn bound_rows(&mut self, overcome: &[Overcome]) {
        for block in &mut self.non_smooth.blocks {
            let Owner::Constraint { constraint, row } = block.owner else { continue };
            if let Some(of) = overcome.iter().find(|of| (of.constraint, of.row) == (constraint, row)) {
                block.law = BlockLaw::Bounded { least: of.force, most: of.force };
            }
        }
    }

    /// Prepares motions that do not move the held rows. The present factor stays in use.
    pub(in crate::step) fn held_rows(&mut self, arithmetic: Arithmetic) -> HeldRows {
        for i in 0..self.non_smooth.blocks.len() {
            if self.non_smooth.blocks[i].held.is_some() {
                self.non_smooth.activate(i);
            }
        }
        let rows = &self.non_smooth.active_rows;
        if rows.is_empty() {
            return HeldRows::default();
        }
        self.build_compliance(arithmetic);
        let rows = &self.non_smooth.active_rows;
        // Rows have different units. Rows that follow from other rows are left out.
        let scales: Vec<f64> = (0..rows.len())
            .map(|k| {
                let own = self.non_smooth.compliance[k * rows.len() + k];
                if own > HELD * self.diagonal_compliance(rows[k]) { own.sqrt().recip() } else { 0.0 }
            })
            .collect();
        let scaled = DMatrix::from_fn(rows.len(), rows.len(), |i, j| {
            scales[i] * scales[j] * self.non_smooth.compliance[i * rows.len() + j]
        });
        let eigen = SymmetricEigen::new(scaled);
        let inverse = |of: f64| if of > HELD { of.recip() } else { 0.0 };
        let middle = DMatrix::from_diagonal(&eigen.eigenvalues.map(inverse));
        let stiffness = &eigen.eigenvectors * middle * eigen.eigenvectors.transpose();
        let count = eigen.eigenvalues.iter().filter(|of| **of > HELD).count();
        let stiffness = (0..rows.len())
            .flat_map(|i| (0..rows.len()).map(move |j| (i, j)))
            .map(|(i, j)| scales[i] * scales[j] * stiffness[(i, j)])
            .collect();
        HeldRows { count, stiffness }
    }

    /// Corrects the solution so that it does not move the held rows.
    pub(in crate::step) fn stop_held_rows(&mut self, held: &HeldRows) {
        if held.count == 0 {
            return;
        }
        let NonSmooth { rows, active_rows, coefficients, inputs, .. } = &mut self.non_smooth;
        let moved: Vec<f64> = active_rows
            .iter()
            .map(|&row| rows[row].displacement(coefficients, &self.solution) - rows[row].gap)
            .collect();
        for (input, line) in inputs.iter_mut().zip(held.stiffness.chunks_exact(moved.len())) {
            *input = -line.iter().zip(&moved).map(|(s, d)| s * d).sum::<f64>();
        }
        self.add_responses(1.0);
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
