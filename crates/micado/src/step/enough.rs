//! Whether a pass was enough: the energy that it neglects, against the energy that the step exchanges.
//!
//! ```text
//! 4 U₂ + Σ |λ g| ≤ 0.1 max(½ ΔvᵀMΔv, |ΔT|, |W|, |ΔU|)
//! ```
//!
//! U₂ is the energy of the strains that a solve neglects because points move on straight lines, g the
//! residual of a row, T the kinetic energy, W the work of outer forces, and U the elastic energy without
//! stretch. Both sides are energies, so the test does not depend on mesh, mass or units.

use super::dynamic::Substep;
use super::integrator::Rule;
use super::linearise_objects::outer_force;
use super::misses::Misses;
use super::{Workspace, params};
use crate::world::{History, State};

impl Substep<'_> {
    /// Whether the last pass was enough.
    pub(super) fn is_enough(&self, rule: Rule, size: f64, workspace: &mut Workspace) -> bool {
        let structure = &self.world.structure;
        let Workspace { system, start, trial, increment, force, missed, .. } = workspace;
        let Some(system) = system else { return true };
        let start = self.start(start);
        let exchange = Exchange { rule, history: &start.history, before: &start.v, increment };
        // In most steps the cheapest bounds and the cheapest measure of the exchanged energy decide.
        let misses = Misses { structure, system, state: trial, time: self.end, size };
        let (worst, most_work) = misses.worst_and_most_work();
        *missed = Some(worst);
        let motion = exchange.of_motion(&system.lumped);
        let led = system.increment();
        let objects = || structure.objects.iter().map(|object| (object.model(), object.unknowns()));
        let most: f64 = objects().map(|(model, own)| model.most_unseen_energy(&led[own])).sum();
        if 4.0 * most + most_work <= params::UNSEEN * motion {
            return true;
        }
        let unseen: f64 = structure
            .objects
            .iter()
            .map(|object| {
                let own = object.own(&trial.q, &trial.frames);
                object.model().unseen_energy(own, &led[object.unknowns()])
            })
            .sum();
        let work = if most_work > 0.0 { misses.work() } else { 0.0 };
        let needed = (4.0 * unseen + work) / params::UNSEEN;
        if needed <= motion {
            return true;
        }
        outer_force(structure, start, self.end, force);
        let work: f64 = force.iter().zip(&*increment).map(|(f, d)| f * d).sum();
        let shape_energy = |state: &State| -> f64 {
            let arithmetic = self.params.arithmetic.into();
            let objects = structure.objects.iter();
            objects
                .map(|object| object.model().shape_energy(object.own(&state.q, &state.frames), arithmetic))
                .sum()
        };
        needed <= work.abs() || needed <= (shape_energy(trial) - shape_energy(start)).abs()
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
    /// The larger of ½ ΔvᵀMΔv and |ΔT|, with lumped masses, J.
    fn of_motion(&self, lumped: &[f64]) -> f64 {
        let Self { rule, history, before, increment } = *self;
        let nodes = lumped.as_chunks::<4>().0.iter().zip(before.as_chunks::<4>().0);
        let nodes = nodes.zip(increment.as_chunks::<4>().0);
        // Four independent sums run in parallel.
        let (mut jumps, mut changes) = ([0.0; 4], [0.0; 4]);
        let mut add = |mass: &[f64; 4], before: &[f64; 4], after: [f64; 4]| {
            let change: [f64; 4] = std::array::from_fn(|a| after[a] - before[a]);
            let impulse: [f64; 4] = std::array::from_fn(|a| mass[a] * change[a]);
            jumps = std::array::from_fn(|a| jumps[a] + impulse[a] * change[a]);
            changes = std::array::from_fn(|a| changes[a] + impulse[a] * (after[a] + before[a]));
        };
        if rule.second_order {
            for (((mass, before), d), e) in nodes.zip(history.increment.as_chunks::<4>().0) {
                add(mass, before, std::array::from_fn(|a| rule.c1 * d[a] - rule.rate_before(e[a])));
            }
        } else {
            for ((mass, before), d) in nodes {
                add(mass, before, d.map(|d| rule.c1 * d));
            }
        }
        let sum = |four: [f64; 4]| 0.5 * ((four[0] + four[1]) + (four[2] + four[3]));
        sum(jumps).max(sum(changes).abs())
    }
}
