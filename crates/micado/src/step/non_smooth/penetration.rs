//! Penetration: overlaps of surfaces are removed by a displacement that is no motion.
//!
//! The solve of a substep does not let an overlap grow, and gives it no velocity. What is left of it after
//! the last solve, r < 0, is removed by pushes p along the normals of all contacts:
//!
//! ```text
//! 0 ≤ p ⊥ r + W p ≥ 0,    Δ = Σ z p
//! ```
//!
//! Positions move by Δ; velocities, forces and the history of second-order integration do not. A substep
//! moves nothing by more than a fifth of the thickness of what overlaps.

use super::NonSmooth;
use crate::law::{BlockLaw, Kept, Problem, Sweeps};
use crate::step::order::System;
use glam::DVec3;
use micado_linalg::Arithmetic;

/// Largest displacement in a substep, as a share of the length over which the surfaces turn.
const MOST: f64 = 0.2;
/// The same as a share of the structure's size, for flat surfaces.
const MOST_OF_SIZE: f64 = 0.05;
/// Overlap that is left, as a share of the structure's size: rounding.
const LEAST: f64 = 1e-12;
/// Most sweeps over the contacts.
const SWEEPS: usize = 200;

/// Scratch of the correction.
#[derive(Clone, Debug, Default)]
pub(super) struct Overlaps {
    /// Active rows of normals, their blocks, and what is left of their gaps.
    rows: Vec<usize>,
    blocks: Vec<usize>,
    left: Vec<f64>,
    compliance: Vec<f64>,
    laws: Vec<BlockLaw>,
    kept: Vec<Kept>,
    none: Vec<DVec3>,
    pushes: Vec<f64>,
}

impl System {
    /// Computes the displacement of all unknowns that removes overlaps after the last solve; `None` if there
    /// are none.
    pub(in crate::step) fn correct_penetration(
        &mut self,
        size: f64,
        arithmetic: Arithmetic,
    ) -> Option<&[f64]> {
        let System { non_smooth, solution, .. } = self;
        let mut found = std::mem::take(&mut non_smooth.overlaps);
        let overlaps = non_smooth.list_overlaps(&mut found, solution, LEAST * size);
        if overlaps {
            non_smooth.solve_overlaps(&mut found, size, arithmetic);
            let unknowns = solution.len();
            non_smooth.push_apart(&found, unknowns, size);
        }
        non_smooth.overlaps = found;
        overlaps.then_some(non_smooth.apart.as_slice())
    }
}

impl NonSmooth {
    /// Lists the active contacts of surfaces. Returns whether any of them overlaps.
    fn list_overlaps(&self, found: &mut Overlaps, motion: &[f64], least: f64) -> bool {
        found.rows.clear();
        found.blocks.clear();
        found.left.clear();
        for &i in &self.active {
            let block = &self.blocks[i];
            let (Some(begun), Some(active)) = (block.begun, block.active) else { continue };
            found.rows.push(self.first_active_rows[active]);
            found.blocks.push(i);
            let moved = self.rows[block.first].displacement(&self.coefficients, motion);
            found.left.push(begun.mark.gap.min(0.0) + moved);
        }
        found.left.iter().any(|left| *left < -least)
    }

    fn solve_overlaps(&self, found: &mut Overlaps, size: f64, arithmetic: Arithmetic) {
        let Overlaps { rows, left, compliance, laws, kept, none, pushes, .. } = found;
        let count = rows.len();
        compliance.clear();
        for &a in &*rows {
            // W before openings and multipliers were exchanged.
            compliance.extend(rows.iter().map(|&b| {
                let (low, high) = (a.min(b), a.max(b));
                self.triangle[high * (high + 1) / 2 + low]
            }));
        }
        laws.clear();
        laws.resize(count, BlockLaw::Unilateral);
        kept.clear();
        kept.resize(count, Kept::default());
        none.clear();
        none.resize(count, DVec3::ZERO);
        pushes.clear();
        pushes.resize(count, 0.0);
        let problem = Problem { compliance, start: left, laws, normal: none, rubbing: &[], response: &[] };
        let how = Sweeps { most: SWEEPS, tolerance: LEAST * size, arithmetic };
        problem.solve(how, pushes, kept, &mut Default::default());
    }

    /// Δ = Σ z p, limited.
    fn push_apart(&mut self, found: &Overlaps, unknowns: usize, size: f64) {
        self.apart.clear();
        self.apart.resize(unknowns, 0.0);
        let (mut deepest, mut limit) = (0.0_f64, MOST_OF_SIZE * size);
        for (((&row, &push), &left), &block) in
            found.rows.iter().zip(&found.pushes).zip(&found.left).zip(&found.blocks)
        {
            if left < 0.0 {
                deepest = deepest.max(-left);
                let bend = self.blocks[block].begun.map_or(f64::INFINITY, |begun| begun.bend);
                limit = limit.min(MOST * bend);
            }
            let slot = self.slots[row];
            let z = &self.responses[slot / 4 * unknowns..][..unknowns];
            if push != 0.0 {
                self.apart.iter_mut().zip(z).for_each(|(x, z)| *x += z[slot % 4] * push);
            }
        }
        let share = if deepest > limit { limit / deepest } else { 1.0 };
        if share < 1.0 {
            self.apart.iter_mut().for_each(|x| *x *= share);
        }
    }
}
