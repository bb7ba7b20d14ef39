//! Whether a pass was enough: the energy that it neglects, against the energy that the step exchanges.
//!
//! ```text
//! 4 U₂ + Σ |λ||g| ≤ 0.1 max(½ ΔvᵀMΔv, |ΔT|, |W|, |ΔU|)
//! ```
//!
//! U₂ is the energy of the stretch that remains because points move on straight lines, g the residual of a
//! row, T the kinetic energy, W the work of outer forces, and U the elastic energy without stretch. Both
//! sides are energies: the test depends on no mesh, mass or unit.

use super::commit::misses;
use super::dynamic::Substep;
use super::integrator::Rule;
use super::linearise_objects::outer_force;
use super::{Workspace, params};
use crate::world::{History, State, Structure};

impl Substep<'_> {
    /// Whether the last pass was enough.
    pub(super) fn is_enough(&self, rule: Rule, workspace: &mut Workspace) -> bool {
        let structure = &self.world.structure;
        let Workspace { system, start, trial, increment, force, missed, .. } = workspace;
        let Some(system) = system else { return true };
        let start = self.start(start);
        let found = misses(structure, trial, self.end);
        *missed = Some(found.worst);
        let exchange = Exchange { rule, history: &start.history, before: &start.v, increment };
        // The cheapest bound and the cheapest measure of exchange decide most steps.
        let jump = exchange.jump(&system.lumped);
        let led = system.increment();
        let objects = || structure.objects.iter().map(|object| (object.model(), object.unknowns()));
        let most: f64 = objects().map(|(model, own)| model.most_unseen_energy(&led[own])).sum();
        if 4.0 * most + found.work <= params::UNSEEN * jump {
            return true;
        }
        let unseen: f64 =
            objects().map(|(model, own)| model.unseen_energy(&trial.q[own.clone()], &led[own])).sum();
        let needed = (4.0 * unseen + found.work) / params::UNSEEN;
        if needed <= jump || needed <= exchange.kinetic(&system.lumped).abs() {
            return true;
        }
        outer_force(structure, start, self.end, force);
        let work: f64 = force.iter().zip(&*increment).map(|(f, d)| f * d).sum();
        needed <= work.abs()
            || needed <= (shape_energy(structure, trial) - shape_energy(structure, start)).abs()
    }
}

/// The change of velocities in a step.
struct Exchange<'a> {
    rule: Rule,
    history: &'a History,
    before: &'a [f64],
    increment: &'a [f64],
}

impl Exchange<'_> {
    /// ½ ΔvᵀMΔv with lumped masses, J.
    fn jump(&self, lumped: &[f64]) -> f64 {
        let Self { rule, before, increment, .. } = *self;
        let moved = lumped.iter().zip(before).zip(increment);
        let sum = |(mass, change): (f64, f64)| mass * change * change;
        0.5 * if rule.second_order {
            let earlier = &self.history.increment;
            let changes = moved.zip(earlier);
            changes
                .map(|(((mass, v), d), e)| sum((*mass, rule.c1 * d - rule.rate_before(*e) - v)))
                .sum::<f64>()
        } else {
            moved.map(|((mass, v), d)| sum((*mass, rule.c1 * d - v))).sum::<f64>()
        }
    }

    /// Change of kinetic energy with lumped masses, J.
    fn kinetic(&self, lumped: &[f64]) -> f64 {
        let after = |i: usize| self.rule.velocity(self.history, self.increment, i);
        (0..lumped.len()).map(|i| 0.5 * lumped[i] * (after(i).powi(2) - self.before[i].powi(2))).sum()
    }
}

/// Elastic energy of everything but stretch, J.
fn shape_energy(structure: &Structure, state: &State) -> f64 {
    let energies =
        structure.objects.iter().map(|object| object.model().energy(object.own(&state.q, &state.frames)));
    energies.map(|energy| energy.total() - energy.stretch).sum()
}
