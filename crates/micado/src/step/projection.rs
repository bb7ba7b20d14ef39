//! Fast projection onto all rows along their gradients, in the metric of the masses.
//!
//! ```text
//! [ M/h²  Jᵀ ] [ δ  ]   [ 0 ]
//! [ J     −ε ] [ −λ ] = [ E ]      x ← x + δ, until E vanishes
//! ```
//!
//! Rows, factor and reports are those of an implicit step, with A = M/h². Σλ is the force of the rows in the
//! step. Source: R. Goldenthal et al., Efficient Simulation of Inextensible Cloth, as used in the discrete
//! elastic rods paper.

use super::linearise_constraints::{ConstraintTerms, linearise_constraints};
use super::order::System;
use super::report::StepReport;
use crate::world::Refusal;
use crate::world::State;
use crate::world::Structure;
use micado_linalg::Arithmetic;

/// Most iterations. An initial error of a few percent takes four; only contradictory rows take more.
const MOST_ITERATIONS: usize = 20;
/// Tolerance on lengths relative to their edge, on other rows as a share of the structure's size or in rad: C
/// = |e|² − |ē|² of 1e-10 |ē|².
const TOLERANCE: f64 = 0.5e-10;
/// An iteration after the first `LEAST_ITERATIONS` that leaves more than this share of the residual makes no
/// progress.
const PROGRESS: f64 = 0.5;
const LEAST_ITERATIONS: usize = 4;

/// Aim of a projection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Projection {
    /// Time at which the rows are met, s.
    pub(super) time: f64,
    /// Length of the step, s: the metric is M/h².
    pub(super) h: f64,
    /// Least number of iterations.
    pub(super) least: usize,
    /// Size of the structure, m.
    pub(super) size: f64,
    /// Arithmetic of the factorisation.
    pub(super) arithmetic: Arithmetic,
}

/// Projects the positions of the trial state onto all rows. Rolls that rows hold follow. Afterwards the
/// solution of the system contains the sum of −λ, and its rows are those of the final state. Returns the
/// number of iterations.
pub(super) fn project(
    structure: &Structure,
    aim: Projection,
    trial: &mut State,
    system: &mut System,
    sums: &mut Vec<f64>,
    report: &mut StepReport,
) -> Result<usize, Refusal> {
    let Projection { time, h, least, size, arithmetic } = aim;
    let duals = 4 * system.primal_nodes..system.scalars();
    sums.clear();
    sums.resize(duals.len(), 0.0);
    let mut known = f64::MAX;
    let mut iterations = 0;
    loop {
        system.set_masses(structure, 1.0 / (h * h));
        let terms = ConstraintTerms {
            exact: false,
            augment_all: false,
            curved: false,
            reach: 1.0,
            rule: None,
            start: None,
        };
        linearise_constraints(structure, trial, time, terms, system);
        let miss = system.largest_violation(structure, size);
        let stalls = iterations >= LEAST_ITERATIONS && miss > PROGRESS * known;
        if (miss <= TOLERANCE && iterations >= least) || stalls || iterations == MOST_ITERATIONS {
            break;
        }
        known = miss;
        system.expected.fill(0.0);
        system.factorise_for_solve(arithmetic)?;
        system.solve(0, size, arithmetic, report)?;
        trial.q.iter_mut().zip(system.increment()).for_each(|(q, d)| *q += d);
        sums.iter_mut().zip(&system.solution[duals.clone()]).for_each(|(sum, x)| *sum += x);
        iterations += 1;
    }
    system.solution[duals].copy_from_slice(sums);
    Ok(iterations)
}

impl System {
    /// A = c₀ M, and no force. Angles have no mass; for rows that hold one it is that of the vertex on its
    /// edge.
    fn set_masses(&mut self, structure: &Structure, c0: f64) {
        let values = self.matrix.values_mut();
        for &slot in &self.loose {
            values[slot as usize] = [0.0; 16];
        }
        self.rhs.fill(0.0);
        for object in &structure.objects {
            let arm = object.model().arm();
            for node in object.first..object.first + object.nodes() {
                let (slot, mass) = (self.matrix.row_start(node), c0 * self.lumped[4 * node]);
                let block = &mut self.matrix.values_mut()[slot];
                *block = [0.0; 16];
                (0..3).for_each(|a| block[5 * a] = mass);
                block[15] = mass * arm * arm;
            }
        }
    }

    /// Largest violation of a row in the present linearisation.
    fn largest_violation(&self, structure: &Structure, size: f64) -> f64 {
        let mut largest = 0.0_f64;
        for rows in &self.rows {
            for row in rows.iter() {
                largest = largest.max(row.violation.abs() / if row.angle { 1.0 } else { size });
            }
        }
        for lengths in &self.lengths {
            let Some(own) = structure.objects[lengths.object].model().inner_rows() else { continue };
            for (j, violation) in self.rhs[lengths.rows()].iter().enumerate() {
                largest = largest.max(violation.abs() / own.length(j));
            }
        }
        largest
    }
}

#[cfg(test)]
mod tests {
    use super::{Projection, TOLERANCE, project};
    use crate::step::{StepReport, System};
    use crate::world::World;
    use glam::DVec3;
    use micado_linalg::Arithmetic;
    use serde_json::json;

    #[test]
    fn projection_removes_four_percent_of_noise_in_five_iterations_and_keeps_momentum() {
        let scene = json!({
            "rod": {"rod": {"model": "discrete-elastic", "segments": 40, "radius": 0.001,
                "mass_per_length": 1, "stiffness": {"bend": 1, "twist": 1},
                "shape": {"helix": {"centre": [0, 0, 0], "radius": 0.3, "pitch": 0.2, "turns": 1.3}}}},
            "settings": {"integrator": "explicit"},
        });
        let world = World::build(&serde_json::from_value(scene).expect("a scene")).expect("a world");
        let (structure, mut trial) = (&world.structure, world.state.clone());
        let rod = structure.objects[0].inextensible().expect("an inextensible rod");
        for (k, q) in trial.q.iter_mut().enumerate().filter(|(k, _)| k % 4 < 3) {
            *q += 0.04 * rod.rest_metric(1) * ((k as f64 * 0.618_033_988_749_895).fract() - 0.5);
        }
        let before = trial.q.clone();
        let mut system = System::for_projection(structure, &trial);
        let (mut sums, mut report) = (Vec::new(), StepReport::default());
        let mut iterations = 0;
        let aim = Projection { time: 0.0, h: 1e-3, least: 1, size: 1.0, arithmetic: Arithmetic::Portable };
        // A second projection removes the rest that the tolerance leaves.
        for _ in 0..2 {
            iterations +=
                project(structure, aim, &mut trial, &mut system, &mut sums, &mut report).expect("regular");
        }
        let worst = rod.worst_length(&trial.q).1;
        assert!(iterations <= 5 && worst < 1e-12, "{iterations} {worst}");
        assert!(TOLERANCE > worst);
        let moved: DVec3 = (0..rod.nodes())
            .map(|i| {
                (DVec3::from_slice(&trial.q[4 * i..]) - DVec3::from_slice(&before[4 * i..]))
                    * structure.node_mass[i]
            })
            .sum();
        let total: f64 = (0..trial.q.len()).map(|k| (trial.q[k] - before[k]).abs()).sum();
        assert!(total > 1e-3 && moved.length() < 1e-15, "{total} {moved}");
    }
}
