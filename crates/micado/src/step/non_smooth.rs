//! Non-smooth rows: build compliance → solve constraints → correct.
//!
//! Rows that push and never pull, stop, or rub are not part of the factored system. With the same factor S, its answer to a
//! force on row i is `z_i = S⁻¹ h_i`, and the rows meet in constraint space: `δ = W f + b`, `W_ij = h_i·z_j`, b the displacement in
//! the free motion. Sweeps over the laws find f, and `Σ z_i f_i` corrects the motion, the multipliers of all other rows included.
//!
//! Only rows whose law the motion breaks take part; a correction may break others, so the stages repeat until none is broken.

use super::Timer;
use super::order::System;
use super::report::{Stage, StepReport};
use crate::constraint::pearl::{CONTACT, contact};
use crate::constraint::{Circumstances, ENDS, End, Law, NonSmoothRow, NormalForce, Row};
use crate::law::{Problem, RowLaw, Sweeps};
use crate::state::State;
use crate::world::Structure;
use glam::DVec3;
use micado_linalg::Arithmetic;

/// Most sweeps over the rows, and the share of the structure's size that a visit may still move a row by at the end.
const SWEEPS: usize = 400;
const TOLERANCE: f64 = 1e-13;
/// How often rows that a correction has broken are taken in.
const ROUNDS: usize = 20;

/// A row of the present solve.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Constraint and which of its rows.
    owner: (usize, usize),
    law: RowLaw,
    /// Displacement without motion.
    gap: f64,
    /// Its part of the lists of coefficients.
    coefficients: (usize, usize),
    /// Its part of the lists of how the normal force is read.
    normals: (usize, usize),
    /// Normal force without motion.
    normal: DVec3,
    /// Whether it takes part.
    taken: bool,
}

/// Scratch of the stages; sized by use, then reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct NonSmooth {
    entries: Vec<Entry>,
    coefficients: Vec<(u32, f64)>,
    normals: Vec<(u32, DVec3)>,
    /// Entries that take part, in the order in which they came.
    taken: Vec<usize>,
    /// z of each.
    responses: Vec<f64>,
    compliance: Vec<f64>,
    start: Vec<f64>,
    laws: Vec<RowLaw>,
    normal: Vec<DVec3>,
    normal_response: Vec<DVec3>,
    forces: Vec<f64>,
}

impl NonSmooth {
    /// Forgets the rows of the solve before.
    pub(crate) fn clear(&mut self) {
        self.entries.clear();
        self.coefficients.clear();
        self.normals.clear();
        self.taken.clear();
        self.responses.clear();
        self.forces.clear();
    }

    /// What the rows push with: constraint, which of its rows, force.
    pub(crate) fn forces(&self) -> impl Iterator<Item = (usize, usize, f64)> {
        self.taken.iter().zip(&self.forces).map(|(&i, &force)| (self.entries[i].owner.0, self.entries[i].owner.1, force))
    }

    /// δ of an entry in a motion.
    fn displacement(&self, entry: &Entry, motion: &[f64]) -> f64 {
        let (from, to) = entry.coefficients;
        entry.gap + self.coefficients[from..to].iter().map(|&(i, c)| c * motion[i as usize]).sum::<f64>()
    }

    /// Normal force of an entry in a motion.
    fn normal_force(&self, entry: &Entry, motion: &[f64]) -> DVec3 {
        let (from, to) = entry.normals;
        entry.normal + self.normals[from..to].iter().map(|&(i, c)| c * motion[i as usize]).sum::<DVec3>()
    }
}

impl System {
    /// Makes the non-smooth rows of all constraints, in their order; contacts of pearls come last.
    pub(crate) fn collect_non_smooth(&mut self, structure: &Structure, state: &State, time: f64, gain: f64) {
        self.non_smooth.clear();
        for (k, (constraint, memory)) in structure.constraints.iter().zip(&state.constraints).enumerate() {
            if !constraint.law.is_non_smooth() {
                continue;
            }
            let mut here = Circumstances { own: memory.own, ..Circumstances::default() };
            for e in 0..ENDS {
                here.slid[e] = memory.own[e] - memory.own_start[e];
                if let End::Sliding { object } = constraint.ends[e] {
                    let rod = structure.objects[object].rod();
                    here.segments[e] = rod.filter(|rod| !rod.is_closed()).map(|rod| rod.segments() as f64);
                }
            }
            if let Law::Pearl(bead) = &constraint.law {
                here.force = self.pearl_force[k];
                here.inertia = bead.mass * gain * gain;
            }
            let sites = self.sites[k];
            constraint.law.non_smooth(&sites, time, &here, |which, row| self.add_non_smooth((k, which), &row, &[(k, row.row)]));
        }
        self.list_pearls(structure, state);
        for i in 1..self.pearls.len() {
            let ((rod, _, a), (other, _, b)) = (self.pearls[i - 1], self.pearls[i]);
            if rod == other {
                self.add_contact(structure, a, b);
            }
        }
    }

    fn add_contact(&mut self, structure: &Structure, a: usize, b: usize) {
        let (Law::Pearl(first), Law::Pearl(second)) = (&structure.constraints[a].law, &structure.constraints[b].law) else { return };
        let ([row_a, row_b], gap) = contact(&self.sites[a][0], &self.sites[b][0], first.radius + second.radius);
        let row = NonSmoothRow { row: row_a, gap, law: RowLaw::Unilateral, normal: NormalForce::None };
        self.add_non_smooth((a, CONTACT), &row, &[(a, row_a), (b, row_b)]);
    }

    /// Adds a row of constraint `owner.0`, the `owner.1`-th of it, with coefficients at the places and own unknowns of `parts`.
    fn add_non_smooth(&mut self, owner: (usize, usize), row: &NonSmoothRow, parts: &[(usize, Row)]) {
        let first = self.non_smooth.coefficients.len();
        for &(part, row) in parts {
            let seat = self.seats[part];
            for e in 0..ENDS {
                let place = &self.places[part][e];
                for n in 0..place.count {
                    let entries = row.ends[e].on_node(&place.weights, n);
                    let node = 4 * place.nodes[n];
                    let some = (0..4).filter(|&a| entries[a] != 0.0).map(|a| (node + a as u32, entries[a]));
                    self.non_smooth.coefficients.extend(some);
                }
                if let (Some(own), true) = (seat.own(e), row.own[e] != 0.0) {
                    self.non_smooth.coefficients.push((4 * own as u32, row.own[e]));
                }
            }
        }
        let k = owner.0;
        let normals = self.non_smooth.normals.len();
        let mut normal = DVec3::ZERO;
        match row.normal {
            NormalForce::None => {}
            NormalForce::OfRows { along } => {
                // λ without its part along the rod; the solution holds −λ.
                let dual = 4 * self.seats[k].dual;
                for (r, axis) in DVec3::AXES.into_iter().enumerate() {
                    self.non_smooth.normals.push((dual + r as u32, -(axis - along * along[r])));
                }
            }
            NormalForce::OfBody { along, force, inertia } => {
                // What is left of the forces and the inertia of the body across the rod, F − m c₀ Δx.
                normal = force.reject_from_normalized(along);
                let place = &self.places[k][0];
                for n in 0..place.count {
                    for (a, axis) in DVec3::AXES.into_iter().enumerate() {
                        let across = (axis - along * along[a]) * (-inertia * place.weights.b[n]);
                        self.non_smooth.normals.push((4 * place.nodes[n] + a as u32, across));
                    }
                }
            }
        }
        let entry = Entry {
            owner,
            law: row.law,
            gap: row.gap,
            coefficients: (first, self.non_smooth.coefficients.len()),
            normals: (normals, self.non_smooth.normals.len()),
            normal,
            taken: false,
        };
        self.non_smooth.entries.push(entry);
    }

    /// The three stages, on the solution of the free motion.
    pub(super) fn solve_non_smooth(&mut self, size: f64, arithmetic: Arithmetic, timer: &mut Timer<'_>, report: &mut StepReport) {
        for _ in 0..ROUNDS {
            if !self.take_broken(size) {
                break;
            }
            self.build_compliance(arithmetic);
            timer.end(Stage::BuildCompliance, report);
            self.solve_constraints(size, report);
            timer.end(Stage::SolveConstraints, report);
            self.correct();
            timer.end(Stage::Correct, report);
        }
    }

    /// Takes in the rows whose law the present motion breaks. Returns whether there are new ones.
    fn take_broken(&mut self, size: f64) -> bool {
        let System { non_smooth, solution, .. } = self;
        let before = non_smooth.taken.len();
        for i in 0..non_smooth.entries.len() {
            let entry = non_smooth.entries[i];
            let delta = non_smooth.displacement(&entry, solution);
            let broken = match entry.law {
                RowLaw::Unilateral => delta < -TOLERANCE * size,
                RowLaw::Bounded { least, most } => least < most && delta != 0.0,
                RowLaw::Sliding { .. } => delta != 0.0,
            };
            if broken && !entry.taken {
                non_smooth.entries[i].taken = true;
                non_smooth.taken.push(i);
                non_smooth.forces.push(0.0);
            }
        }
        non_smooth.taken.len() > before
    }

    /// z = S⁻¹h of the rows that are new, and W.
    fn build_compliance(&mut self, arithmetic: Arithmetic) {
        let unknowns = self.solution.len();
        let known = self.non_smooth.responses.len() / unknowns;
        for i in known..self.non_smooth.taken.len() {
            let at = self.non_smooth.responses.len();
            self.non_smooth.responses.resize(at + unknowns, 0.0);
            let (from, to) = self.non_smooth.entries[self.non_smooth.taken[i]].coefficients;
            let NonSmooth { responses, coefficients, .. } = &mut self.non_smooth;
            let z = &mut responses[at..];
            for &(index, c) in &coefficients[from..to] {
                z[index as usize] += c;
            }
            self.factor.solve(&self.symbolic, z, &mut self.scratch, arithmetic);
        }
        let NonSmooth { entries, coefficients, normals, taken, responses, compliance, laws, normal_response, .. } = &mut self.non_smooth;
        let rows = taken.len();
        compliance.clear();
        laws.clear();
        normal_response.clear();
        for &i in taken.iter() {
            let (from, to) = entries[i].coefficients;
            compliance.extend(
                responses.chunks_exact(unknowns).map(|z| coefficients[from..to].iter().map(|&(n, c)| c * z[n as usize]).sum::<f64>()),
            );
            laws.push(entries[i].law);
            let (from, to) = entries[i].normals;
            normal_response
                .extend(responses.chunks_exact(unknowns).map(|z| normals[from..to].iter().map(|&(n, c)| c * z[n as usize]).sum::<DVec3>()));
        }
        // W is symmetric up to rounding.
        for i in 0..rows {
            for j in 0..i {
                let mean = 0.5 * (compliance[i * rows + j] + compliance[j * rows + i]);
                (compliance[i * rows + j], compliance[j * rows + i]) = (mean, mean);
            }
        }
    }

    /// Sweeps over the laws.
    fn solve_constraints(&mut self, size: f64, report: &mut StepReport) {
        let unknowns = self.solution.len();
        // The free motion is the present one without the pushes so far.
        for (z, f) in self.non_smooth.responses.chunks_exact(unknowns).zip(&self.non_smooth.forces) {
            self.solution.iter_mut().zip(z).for_each(|(x, z)| *x -= z * f);
        }
        self.non_smooth.start.clear();
        self.non_smooth.normal.clear();
        for k in 0..self.non_smooth.taken.len() {
            let entry = self.non_smooth.entries[self.non_smooth.taken[k]];
            let start = self.non_smooth.displacement(&entry, &self.solution);
            let normal = self.non_smooth.normal_force(&entry, &self.solution);
            self.non_smooth.start.push(start);
            self.non_smooth.normal.push(normal);
        }
        let NonSmooth { compliance, start, laws, normal, normal_response, forces, .. } = &mut self.non_smooth;
        let problem = Problem { compliance, start, laws, normal, response: normal_response };
        let outcome = problem.solve(Sweeps { most: SWEEPS, tolerance: TOLERANCE * size }, forces);
        report.sweeps += outcome.sweeps;
        report.sweep_residual = report.sweep_residual.max(outcome.residual);
    }

    /// Adds to the motion what the rows push.
    fn correct(&mut self) {
        let unknowns = self.solution.len();
        for (z, f) in self.non_smooth.responses.chunks_exact(unknowns).zip(&self.non_smooth.forces) {
            if *f != 0.0 {
                self.solution.iter_mut().zip(z).for_each(|(x, z)| *x += z * f);
            }
        }
    }
}
