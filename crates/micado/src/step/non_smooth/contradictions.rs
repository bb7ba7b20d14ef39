//! Contradictions of one-sided rows, with rows of the factored system or with each other.
//!
//! A row whose point is held by other rows has no compliance: no force moves it, and if it is violated its
//! law asks for an infinite force. It is left out. Rows that exclude each other, such as two limits of one
//! distance, have no forces that obey all laws, and sweeps do not converge. A small added compliance lets
//! these rows share the violation. In both cases violated constraints are marked, and their forces read zero.

use super::{NonSmooth, Owner};
use crate::law::BlockLaw;
use crate::step::order::System;
use crate::step::params::CONFLICT;

/// Compliance below which a row counts as held, as a share of that which the diagonal of the system would
/// give it: regularisation of other rows leaves 1e-10.
pub(super) const HELD: f64 = 1e-8;
/// Compliance that is added to rows that exclude each other, as a share of their own.
const COMPLIANT: f64 = 1e-4;

impl System {
    /// Σ c²/A_jj of a row: its compliance if the system were diagonal.
    pub(super) fn diagonal_compliance(&self, row: usize) -> f64 {
        self.compliance_of_row(row, |_| 0.0)
    }

    /// Like `diagonal_compliance`, with a further stiffness on the diagonal.
    pub(super) fn compliance_of_row(&self, row: usize, further: impl Fn(usize) -> f64) -> f64 {
        let (from, to) = self.non_smooth.rows[row].coefficients;
        // Unknowns of constraints have no stiffness of their own.
        let objects = 4 * self.object_nodes;
        let terms = self.non_smooth.coefficients[from..to].iter().filter(|(i, _)| (*i as usize) < objects);
        terms
            .map(|&(i, c)| {
                let i = i as usize;
                let diagonal = &self.matrix.values()[self.matrix.row_start(i / 4)];
                let stiffness = diagonal[5 * (i % 4)] + further(i);
                if stiffness > 0.0 { c * c / stiffness } else { 0.0 }
            })
            .sum()
    }

    /// Leaves out one-sided rows that others hold: they get no force. Those that are violated are marked.
    pub(super) fn leave_out_held_rows(&mut self, size: f64) {
        let rows = self.non_smooth.active_rows.len();
        for a in 0..self.non_smooth.active.len() {
            let Some((k, row)) = self.one_sided(a) else { continue };
            let own = self.diagonal_compliance(row);
            if self.non_smooth.compliance[k * rows + k].abs() > HELD * own {
                continue;
            }
            if self.is_violated(row, self.non_smooth.start[k], size) {
                self.mark_contradiction(a);
            }
            let NonSmooth { compliance, start, forces, .. } = &mut self.non_smooth;
            for j in 0..rows {
                (compliance[k * rows + j], compliance[j * rows + k]) = (0.0, 0.0);
            }
            (compliance[k * rows + k], start[k], forces[k]) = (own.max(f64::MIN_POSITIVE), size, 0.0);
        }
    }

    /// Gives all rows a small compliance of their own.
    pub(super) fn soften_rows(&mut self) {
        let rows = self.non_smooth.active_rows.len();
        for k in 0..rows {
            self.non_smooth.compliance[k * rows + k] *= 1.0 + COMPLIANT;
        }
        self.non_smooth.forces.fill(0.0);
    }

    /// Marks one-sided rows that are violated with the forces found, by more than their own compliance
    /// explains where nothing contradicts.
    pub(super) fn mark_violated_rows(&mut self, size: f64) {
        let rows = self.non_smooth.active_rows.len();
        let farthest = self.non_smooth.start.iter().fold(0.0, |most: f64, start| most.max(start.abs()));
        for a in 0..self.non_smooth.active.len() {
            let Some((k, row)) = self.one_sided(a) else { continue };
            let NonSmooth { compliance, start, forces, .. } = &self.non_smooth;
            let line = &compliance[k * rows..(k + 1) * rows];
            let own = COMPLIANT / (1.0 + COMPLIANT) * line[k] * forces[k];
            let delta = start[k] + line.iter().zip(forces).map(|(w, f)| w * f).sum::<f64>() - own;
            if delta < -10.0 * COMPLIANT * farthest && self.is_violated(row, delta, size) {
                self.mark_contradiction(a);
            }
        }
    }

    fn is_violated(&self, row: usize, delta: f64, size: f64) -> bool {
        delta < -CONFLICT * if self.non_smooth.rows[row].angle { 1.0 } else { size }
    }

    /// The number of the only row of an active block among the active ones, and among all, if its law is
    /// one-sided.
    fn one_sided(&self, active: usize) -> Option<(usize, usize)> {
        let k = self.non_smooth.first_active_rows[active];
        let row = self.non_smooth.active_rows[k];
        let block = &self.non_smooth.blocks[self.non_smooth.active[active]];
        let one_sided = *block.held.as_ref().unwrap_or(&block.law) == BlockLaw::Unilateral
            && !self.non_smooth.rows[row].absorbed;
        one_sided.then_some((k, row))
    }

    fn mark_contradiction(&mut self, active: usize) {
        let NonSmooth { active: all, blocks, contradictions, .. } = &mut self.non_smooth;
        if let Owner::Constraint { constraint, .. } = blocks[all[active]].owner
            && !contradictions.contains(&constraint)
        {
            contradictions.push(constraint);
        }
    }
}
