//! The stages of non-smooth rows: build compliance, solve constraints, correct.

use super::{BlockRow, NonSmooth, ROUNDS};
use crate::law::{BlockLaw, MAX_BLOCK, Outcome, Problem, Sweeps};
use crate::step::Timer;
use crate::step::order::System;
use crate::step::params::CONFLICT;
use crate::step::report::{Stage, StepReport};
use glam::DVec3;
use micado_linalg::Arithmetic;

/// Most sweeps over the rows, and the tolerance on the change of a displacement in the last sweep, as a share
/// of the structure's size.
const SWEEPS: usize = 400;
const TOLERANCE: f64 = 1e-13;
/// Relative excess of a multiplier over its strength above which an absorbed row yields; less is rounding.
const EXCESS: f64 = 1e-12;

/// Σ c x, in four independent sums.
fn product(coefficients: &[(u32, f64)], x: &[f64]) -> f64 {
    let (fours, rest) = coefficients.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        sums = std::array::from_fn(|a| sums[a] + four[a].1 * x[four[a].0 as usize]);
    }
    rest.iter().fold((sums[0] + sums[1]) + (sums[2] + sums[3]), |sum, &(i, c)| sum + c * x[i as usize])
}

impl BlockRow {
    /// δ in a motion; λ of an absorbed row.
    pub(super) fn displacement(&self, coefficients: &[(u32, f64)], motion: &[f64]) -> f64 {
        let (from, to) = self.coefficients;
        self.gap + product(&coefficients[from..to], motion)
    }

    /// Normal force in a motion.
    fn normal_force(&self, normals: &[(u32, f64)], motion: &[f64]) -> DVec3 {
        let (from, to) = self.normals;
        let part = |&(i, c): &(u32, f64)| DVec3::from_slice(&motion[i as usize..]) * c;
        self.normal - normals[from..to].iter().map(part).sum::<DVec3>().reject_from_normalized(self.tangent)
    }
}

impl NonSmooth {
    /// Activates a block.
    pub(super) fn activate(&mut self, i: usize) {
        let block = &mut self.blocks[i];
        block.active = Some(self.active.len());
        self.active.push(i);
        self.first_active_rows.push(self.active_rows.len());
        self.laws.push(block.law.clone());
        let rows = block.rows();
        self.kept.extend_from_slice(&block.kept[..rows.len()]);
        self.forces.extend_from_slice(&block.guess[..rows.len()]);
        self.inputs.extend(rows.clone().map(|_| 0.0));
        self.active_rows.extend(rows);
    }

    /// Activates a block if the motion violates its law, or if multipliers of absorbed rows exceed their
    /// strength.
    fn activate_if_violated(&mut self, i: usize, motion: &[f64], tolerance: f64) {
        let block = &self.blocks[i];
        if block.active.is_some() {
            return;
        }
        let mut found = [0.0; MAX_BLOCK];
        for (found, row) in found.iter_mut().zip(&self.rows[block.rows()]) {
            *found = row.displacement(&self.coefficients, motion);
        }
        if block.absorbed().is_none() {
            let is_broken = {
                let rows = block.law.rows();
                block.law.is_broken(&found[..rows], &block.guess, &block.kept[..rows], tolerance)
            };
            // A contact that would close if its displacement changed once more as in the last round is added
            // now: otherwise each contact in a line of bodies would take a round.
            let is_next = block.law.is_one_sided(0) && found[0] < block.seen - found[0];
            let overlaps = block.begun.is_some_and(|begun| begun.mark.gap < -tolerance);
            self.blocks[i].seen = found[0];
            if is_broken || is_next || overlaps {
                self.activate(i);
            }
            return;
        }
        let load = block.law.load(&found);
        if load > 1.0 + EXCESS {
            (self.blocks[i].load, self.blocks[i].guess) = (load, found);
            self.activate(i);
        }
    }
}

impl System {
    /// The three stages, on the solution of the free motion.
    pub(in crate::step) fn solve_non_smooth(
        &mut self,
        size: f64,
        arithmetic: Arithmetic,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) {
        report.sweep_residual = 0.0;
        let by_component = self.is_by_component();
        if by_component {
            let System { non_smooth, solution, symbolic, .. } = self;
            non_smooth.components.begin(symbolic.components(), solution);
        }
        for _ in 0..ROUNDS {
            if !self.activate_violated(size) {
                break;
            }
            if by_component {
                self.build_components(arithmetic);
                timer.end(Stage::BuildCompliance, report);
                let outcome = self.solve_components(self.non_smooth.contact_limits(size, arithmetic));
                report.add_sweeps(&outcome);
                timer.end(Stage::SolveConstraints, report);
                self.correct_components();
                timer.end(Stage::Correct, report);
                continue;
            }
            self.build_compliance(arithmetic);
            timer.end(Stage::BuildCompliance, report);
            self.solve_constraints(size, arithmetic, report);
            timer.end(Stage::SolveConstraints, report);
            self.correct();
            timer.end(Stage::Correct, report);
        }
        if report.conflicting_rows > 0
            && self.non_smooth.blocks.iter().any(|block| block.absorbed().is_some() && block.active.is_some())
        {
            self.find_conflicts_beside_openings(size, report);
        }
        report.conflicting_rows += self.non_smooth.contradictions.len();
        let System { non_smooth, sources, .. } = self;
        for block in &non_smooth.blocks {
            if let Some(begun) = block.begun {
                sources.keep(begun.touch, non_smooth.forces_of(block));
            }
        }
    }

    /// Activates the blocks whose law the present motion violates. Returns whether there are new ones.
    fn activate_violated(&mut self, size: f64) -> bool {
        let System { non_smooth, solution, .. } = self;
        let before = non_smooth.active.len();
        for i in 0..non_smooth.blocks.len() {
            non_smooth.activate_if_violated(i, solution, TOLERANCE * size);
        }
        non_smooth.active.len() > before
    }

    /// Sweeps over the laws.
    fn solve_constraints(&mut self, size: f64, arithmetic: Arithmetic, report: &mut StepReport) {
        // The free motion is the present one without present pushes and openings.
        self.add_responses(-1.0);
        let NonSmooth { rows, active_rows, coefficients, normals, start, normal, .. } = &mut self.non_smooth;
        start.clear();
        normal.clear();
        for &row in &*active_rows {
            start.push(rows[row].displacement(coefficients, &self.solution));
            normal.push(rows[row].normal_force(normals, &self.solution));
        }
        self.non_smooth.exchange();
        let rows = self.non_smooth.active_rows.len();
        self.non_smooth.contradictions.clear();
        if self.swept.is_none() {
            self.leave_out_held_rows(size);
        }
        let mut outcome = self.solve_laws(size, arithmetic);
        report.unsettled |= self.swept.is_some_and(|limits| outcome.residual > limits.tolerance * size);
        // One-sided rows without friction converge, unless they exclude each other.
        if self.swept.is_none()
            && outcome.residual > CONFLICT * size
            && self.non_smooth.laws.iter().all(BlockLaw::is_piecewise)
        {
            self.soften_rows();
            outcome = self.solve_laws(size, arithmetic);
            self.mark_violated_rows(size);
        }
        report.add_sweeps(&outcome);
        let NonSmooth { rows: all, active_rows, compliance, start, forces, inputs, .. } =
            &mut self.non_smooth;
        for (k, input) in inputs.iter_mut().enumerate() {
            let opening = || {
                start[k]
                    + compliance[k * rows..(k + 1) * rows]
                        .iter()
                        .zip(&*forces)
                        .map(|(w, f)| w * f)
                        .sum::<f64>()
            };
            *input = if all[active_rows[k]].absorbed { opening() } else { forces[k] };
        }
    }

    /// Finds forces that obey the laws, starting from the present forces.
    fn solve_laws(&mut self, size: f64, arithmetic: Arithmetic) -> Outcome {
        if self.swept.is_none() && self.non_smooth.is_contact_problem() {
            return self.non_smooth.solve_contacts(size, arithmetic);
        }
        let NonSmooth {
            compliance,
            start,
            laws,
            kept,
            normal,
            rubbing,
            normal_response,
            forces,
            scratch,
            ..
        } = &mut self.non_smooth;
        let problem = Problem { compliance, start, laws, normal, rubbing, response: normal_response };
        let (most, tolerance) =
            self.swept.map_or((SWEEPS, TOLERANCE), |limits| (limits.most, limits.tolerance));
        let how = Sweeps { most, tolerance: tolerance * size, arithmetic };
        problem.solve(how, forces, kept, scratch)
    }

    /// Adds the effect of pushes and openings to the motion.
    fn correct(&mut self) {
        self.add_responses(1.0);
    }

    /// Adds a multiple of the effect of present pushes and openings to the motion.
    pub(super) fn add_responses(&mut self, factor: f64) {
        let Self { non_smooth: NonSmooth { responses, slot_rows, inputs, .. }, solution, .. } = self;
        let groups = responses.chunks_exact(solution.len().max(1)).zip(slot_rows.as_chunks::<4>().0);
        for (z, rows) in groups {
            let f = rows.map(|row| inputs.get(row).map_or(0.0, |input| factor * input));
            if f != [0.0; 4] {
                for (x, z) in solution.iter_mut().zip(z) {
                    *x += (z[0] * f[0] + z[1] * f[1]) + (z[2] * f[2] + z[3] * f[3]);
                }
            }
        }
    }
}
