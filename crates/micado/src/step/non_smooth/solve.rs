//! The stages of non-smooth rows: build compliance, solve constraints, correct.

use super::{BlockRow, NonSmooth};
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
/// Most rounds in which violated rows are added.
const ROUNDS: usize = 20;
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
    fn displacement(&self, coefficients: &[(u32, f64)], motion: &[f64]) -> f64 {
        let (from, to) = self.coefficients;
        self.gap + product(&coefficients[from..to], motion)
    }

    /// Normal force in a motion.
    fn normal_force(&self, normals: &[(u32, DVec3)], motion: &[f64]) -> DVec3 {
        let (from, to) = self.normals;
        self.normal + normals[from..to].iter().map(|&(i, c)| c * motion[i as usize]).sum::<DVec3>()
    }
}

impl NonSmooth {
    /// Activates a block.
    fn activate(&mut self, i: usize) {
        let block = &mut self.blocks[i];
        block.active = Some(self.active.len());
        self.active.push(i);
        self.first_active_rows.push(self.active_rows.len());
        self.laws.push(block.law);
        self.kept.push(block.kept);
        let rows = block.rows();
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
            if block.law.is_broken(&found[..block.law.rows()], &block.guess, tolerance) {
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

    /// Exchanges openings and multipliers: afterwards the multipliers are the unknowns of compliance, start
    /// and normal forces.
    fn exchange(&mut self) {
        let Self { rows: all, active_rows, compliance, start, normal, normal_response, .. } = self;
        let rows = active_rows.len();
        for k in (0..rows).filter(|&k| all[active_rows[k]].absorbed) {
            let pivot = 1.0 / compliance[k * rows + k];
            for i in (0..rows).filter(|&i| i != k) {
                let factor = compliance[i * rows + k] * pivot;
                let answer = normal_response[i * rows + k] * pivot;
                for j in (0..rows).filter(|&j| j != k) {
                    compliance[i * rows + j] -= factor * compliance[k * rows + j];
                    normal_response[i * rows + j] -= answer * compliance[k * rows + j];
                }
                (compliance[i * rows + k], normal_response[i * rows + k]) = (factor, answer);
                start[i] -= factor * start[k];
                normal[i] -= answer * start[k];
            }
            for j in (0..rows).filter(|&j| j != k) {
                compliance[k * rows + j] *= -pivot;
            }
            (compliance[k * rows + k], start[k]) = (pivot, -pivot * start[k]);
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
        for _ in 0..ROUNDS {
            if !self.activate_violated(size) {
                break;
            }
            self.build_compliance(arithmetic);
            timer.end(Stage::BuildCompliance, report);
            self.solve_constraints(size, report);
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

    /// Computes z = S⁻¹h of the new rows, and W.
    fn build_compliance(&mut self, arithmetic: Arithmetic) {
        let unknowns = self.solution.len();
        let (mut responses, mut work) =
            (std::mem::take(&mut self.non_smooth.responses), std::mem::take(&mut self.non_smooth.work));
        let NonSmooth { rows, coefficients, active_rows, .. } = &self.non_smooth;
        let known = responses.len();
        responses.resize(active_rows.len() * unknowns, 0.0);
        for (z, &i) in responses.chunks_exact_mut(unknowns).zip(active_rows).skip(known / unknowns) {
            let BlockRow { coefficients: (from, to), absorbed, .. } = rows[i];
            for &(index, c) in &coefficients[from..to] {
                z[index as usize] += if absorbed { -c } else { c };
            }
        }
        self.answer(&mut responses[known..], &mut work, arithmetic);
        (self.non_smooth.responses, self.non_smooth.work) = (responses, work);
        let NonSmooth {
            rows: all,
            coefficients,
            normals,
            active_rows,
            responses,
            compliance,
            normal_response,
            ..
        } = &mut self.non_smooth;
        compliance.clear();
        normal_response.clear();
        // Beside yielding rows, the response of pushing rows has the opposite sign.
        let (rows, symmetric) = (active_rows.len(), active_rows.iter().all(|&i| !all[i].absorbed));
        for (k, &i) in active_rows.iter().enumerate() {
            let (from, to) = all[i].coefficients;
            for (j, z) in responses.chunks_exact(unknowns).enumerate() {
                let known = if symmetric && j < k { compliance.get(j * rows + k).copied() } else { None };
                compliance.push(known.unwrap_or_else(|| product(&coefficients[from..to], z)));
            }
            let (from, to) = all[i].normals;
            if from == to {
                normal_response.resize((k + 1) * rows, DVec3::ZERO);
                continue;
            }
            normal_response.extend(
                responses
                    .chunks_exact(unknowns)
                    .map(|z| normals[from..to].iter().map(|&(n, c)| c * z[n as usize]).sum::<DVec3>()),
            );
        }
    }

    /// Sweeps over the laws.
    fn solve_constraints(&mut self, size: f64, report: &mut StepReport) {
        let unknowns = self.solution.len();
        // The free motion is the present one without present pushes and openings.
        for (z, f) in self.non_smooth.responses.chunks_exact(unknowns).zip(&self.non_smooth.inputs) {
            if *f != 0.0 {
                self.solution.iter_mut().zip(z).for_each(|(x, z)| *x -= z * f);
            }
        }
        let NonSmooth { rows, active_rows, coefficients, normals, start, normal, .. } = &mut self.non_smooth;
        start.clear();
        normal.clear();
        for &row in &*active_rows {
            start.push(rows[row].displacement(coefficients, &self.solution));
            normal.push(rows[row].normal_force(normals, &self.solution));
        }
        self.non_smooth.exchange();
        // W is symmetric up to rounding.
        let (rows, compliance) = (self.non_smooth.active_rows.len(), &mut self.non_smooth.compliance);
        for i in 0..rows {
            for j in 0..i {
                let mean = 0.5 * (compliance[i * rows + j] + compliance[j * rows + i]);
                (compliance[i * rows + j], compliance[j * rows + i]) = (mean, mean);
            }
        }
        self.non_smooth.contradictions.clear();
        self.leave_out_held_rows(size);
        let mut outcome = self.sweep(size);
        // One-sided rows without friction converge, unless they exclude each other.
        if outcome.residual > CONFLICT * size && self.non_smooth.laws.iter().all(BlockLaw::is_piecewise) {
            self.soften_rows();
            outcome = self.sweep(size);
            self.mark_violated_rows(size);
        }
        report.sweeps += outcome.sweeps;
        report.sweep_residual = report.sweep_residual.max(outcome.residual);
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

    /// Sweeps over the laws, from the present forces.
    fn sweep(&mut self, size: f64) -> Outcome {
        let NonSmooth {
            compliance, start, laws, kept, normal, normal_response, forces, sweep_scratch, ..
        } = &mut self.non_smooth;
        let problem = Problem { compliance, start, laws, normal, response: normal_response };
        problem.solve(Sweeps { most: SWEEPS, tolerance: TOLERANCE * size }, forces, kept, sweep_scratch)
    }

    /// Adds the effect of pushes and openings to the motion.
    fn correct(&mut self) {
        let unknowns = self.solution.len();
        for (z, f) in self.non_smooth.responses.chunks_exact(unknowns).zip(&self.non_smooth.inputs) {
            if *f != 0.0 {
                self.solution.iter_mut().zip(z).for_each(|(x, z)| *x += z * f);
            }
        }
    }
}
