//! Strengths of quasi-static islands: constraints yield at equilibria only.
//!
//! A quasi-static pass is one Newton step of a search. Until the search ends, its multipliers are not forces
//! of an equilibrium: they may reach many times the weight of a cable that falls into its equilibrium. So no
//! row yields in a pass. Where a load exceeds a strength after the pass, further passes at the same time
//! continue the search, and the constraint yields if the load of the equilibrium exceeds its strength.

use crate::step::dynamic::{Base, Substep};
use crate::step::integrator::Rule;
use crate::step::order::System;
use crate::step::{StepReport, Timer, Workspace, params};
use crate::world::{Refusal, State, Structure};
use micado_linalg::Arithmetic;

/// Residual of an equilibrium as a share of the acting forces, and change of a load in the last pass as a
/// share of the strength: a thousandth of a force is less than strengths are known by.
const CONVERGED: f64 = 1e-3;
/// Rounding of internal forces, as a share of stiffness times the structure's size.
const ROUNDING: f64 = 1e-13;

/// Result of a comparison of loads with strengths.
pub(in crate::step) struct Judgement {
    /// The constraint with the largest overload in equilibrium, and its load as a share of its strength.
    pub(in crate::step) overload: Option<(usize, f64)>,
    /// Whether no load exceeds a strength, or the loads are those of an equilibrium.
    pub(in crate::step) settled: bool,
    /// Upper bound of the displacement in further passes, m.
    pub(in crate::step) moved: f64,
}

impl Substep<'_> {
    /// Continues the search of quasi-static islands as long as a load exceeds a strength.
    pub(in crate::step) fn judge_strengths(
        &self,
        rule: Rule,
        size: f64,
        workspace: &mut Workspace,
        timer: &mut Timer<'_>,
        report: &mut StepReport,
    ) -> Result<Judgement, Refusal> {
        let structure = &self.world.structure;
        let (mut moved, mut before) = (0.0, None);
        for pass in 0..=params::MOST_PASSES {
            let Workspace { system, trial, still, scratch, .. } = &mut *workspace;
            let Some(system) = system else { break };
            let Some(overload) = largest_overload(structure, system, trial) else {
                return Ok(Judgement { overload: None, settled: true, moved });
            };
            let is_steady = before.is_some_and(|(constraint, load): (usize, f64)| {
                constraint == overload.0 && (overload.1 - load).abs() <= CONVERGED
            });
            let arithmetic = self.params.arithmetic.into();
            if is_steady && system.is_at_rest(structure, still, size, scratch, arithmetic) {
                // The constraint yields at its strength, not at the larger load of the equilibrium.
                let (constraint, load) = overload;
                trial.constraints[constraint].multipliers.iter_mut().for_each(|force| *force /= load);
                return Ok(Judgement { overload: Some(overload), settled: true, moved });
            }
            if pass == params::MOST_PASSES {
                break;
            }
            before = Some(overload);
            self.carry_increments(workspace);
            self.solve(Base::Pass, rule, size, workspace, timer, report)?;
            moved += report.last_increment;
        }
        Ok(Judgement { overload: None, settled: false, moved })
    }
}

/// The constraint on quasi-static objects whose load exceeds its strength the most, and that load as a share
/// of the strength.
fn largest_overload(structure: &Structure, system: &System, state: &State) -> Option<(usize, f64)> {
    let mut largest: Option<(usize, f64)> = None;
    for k in (0..structure.constraints.len()).filter(|&k| system.augmented[k]) {
        let load = structure.load_of(k, state);
        if load > 1.0 && largest.is_none_or(|(_, known)| load > known) {
            largest = Some((k, load));
        }
    }
    largest
}

impl System {
    /// Whether quasi-static objects were in equilibrium before the last solve, with its multipliers. The
    /// residual `f − ∇U + Jᵀλ` is then `A Δ`, and small against `f − ∇U` and `Jᵀλ`.
    fn is_at_rest(
        &self,
        structure: &Structure,
        still: &[Option<f64>],
        size: f64,
        scratch: &mut Vec<f64>,
        arithmetic: Arithmetic,
    ) -> bool {
        let (scalars, primal) = (self.scalars(), 4 * self.primal_nodes);
        scratch.clear();
        scratch.resize(2 * scalars, 0.0);
        let (moved, left) = scratch.split_at_mut(scalars);
        moved[..primal].copy_from_slice(&self.solution[..primal]);
        self.matrix.multiply_with(moved, left, arithmetic);
        // Forces, and torques about the rods.
        let (mut unbalanced, mut allowed) = ([0.0; 2], [0.0; 2]);
        for (object, _) in structure.objects.iter().zip(still).filter(|(_, still)| still.is_some()) {
            for k in object.unknowns() {
                let (left, b, kind) = (left[k], self.rhs[k], k % 4 / 3);
                let stiffness = self.matrix.values()[self.matrix.row_start(k / 4)][5 * (k % 4)].abs();
                let rounding = ROUNDING * stiffness * if kind == 0 { size } else { 1.0 };
                unbalanced[kind] += left.abs();
                allowed[kind] += CONVERGED * b.abs().max((b - left).abs()) + rounding;
            }
        }
        (0..2).all(|kind| unbalanced[kind] <= allowed[kind])
    }
}
