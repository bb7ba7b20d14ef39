//! Condense: eliminate inner unknowns before the system is factored.
//!
//! An inner unknown u couples only to a clique of nodes that are already coupled in the matrix: its column is
//! cᵢ on the position of node i, beside its own diagonal entry a. Eliminating it leaves a condensed clique,
//! `bᵢ bⱼ K − cᵢ cⱼᵀ/a` and `bᵢ F − cᵢ g/a`, where K and F are its direct terms with weights bᵢ on the nodes
//! and g is its right side. So it needs no node of the system, and the unknowns are not ordered anew when
//! its clique moves.
//!
//! In the vectors of the system u follows all nodes. A solve condenses its right side first, `xᵢ ← xᵢ − cᵢ
//! g/a`, and recovers `u = (g − Σ cᵢ·xᵢ)/a` afterwards. Where a may be zero or negative, as in statics, u
//! keeps a node.
//!
//! Here u is one number, the position of a sliding mass; for several, cᵢ would be a matrix and 1/a a small
//! factor.

use super::order::System;
use glam::{DMat3, DVec3};

/// Nodes of a clique.
const NODES: usize = 4;

/// Condensed terms of an inner unknown on the nodes of its clique, and the data that recover it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clique {
    /// Its nodes, and their weights bᵢ.
    pub(super) nodes: [u32; NODES],
    pub(super) weights: [f64; NODES],
    /// K
    pub(super) stiffness: DMat3,
    /// F
    pub(super) force: DVec3,
    /// cᵢ, N per unit of u.
    pub(super) columns: [DVec3; NODES],
    /// 1/a
    pub(super) compliance: f64,
    /// g
    pub(super) right_side: f64,
}

/// An inner unknown that is eliminated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inner {
    /// The constraint that owns it.
    constraint: usize,
    /// Nodes of its clique, and the slots of the blocks between them.
    nodes: [u32; NODES],
    slots: [[Option<u32>; NODES]; NODES],
    /// cᵢ, N per unit of u.
    columns: [DVec3; NODES],
    /// 1/a
    compliance: f64,
}

impl Inner {
    pub(crate) fn new(constraint: usize) -> Self {
        Self {
            constraint,
            nodes: [u32::MAX; NODES],
            slots: [[None; NODES]; NODES],
            columns: [DVec3::ZERO; NODES],
            compliance: 0.0,
        }
    }

    /// The constraint that owns it.
    pub(crate) fn constraint(&self) -> usize {
        self.constraint
    }

    /// Returns u for its right side `g` and the solution of all other unknowns.
    fn recover(&self, g: f64, x: &[f64]) -> f64 {
        let along = self.nodes.iter().zip(self.columns).fold(0.0, |sum, (&node, c)| {
            let x = &x[4 * node as usize..];
            sum + c.dot(DVec3::new(x[0], x[1], x[2]))
        });
        (g - along) * self.compliance
    }
}

impl System {
    /// Scalars of all nodes; condensed unknowns come after them.
    pub(crate) fn scalars(&self) -> usize {
        4 * self.matrix.nodes()
    }

    /// Adds the condensed clique of the inner unknown whose scalar number is `own`.
    pub(super) fn condense(&mut self, own: usize, clique: &Clique) {
        let Clique { nodes, weights, stiffness, force, columns, compliance, right_side } = *clique;
        let first = self.scalars();
        self.rhs[own] = right_side;
        let inner = &mut self.condensed[own - first];
        if inner.nodes != nodes {
            inner.slots = nodes.map(|i| nodes.map(|j| self.matrix.slot(i, j).map(|slot| slot as u32)));
        }
        let slots = inner.slots;
        *inner = Inner { constraint: inner.constraint, nodes, slots, columns, compliance };
        let values = self.matrix.values_mut();
        for i in 0..NODES {
            let scaled = columns[i] * compliance;
            let force = force * weights[i] - scaled * right_side;
            for r in 0..3 {
                self.rhs[4 * nodes[i] as usize + r] += force[r];
            }
            for j in 0..NODES {
                let Some(slot) = slots[i][j] else { continue };
                let block = &mut values[slot as usize];
                let weight = weights[i] * weights[j];
                for r in 0..3 {
                    for c in 0..3 {
                        block[4 * r + c] += weight * stiffness.col(c)[r] - scaled[r] * columns[j][c];
                    }
                }
            }
        }
    }

    /// Computes the condensed unknowns of the solution.
    pub(super) fn recover_condensed(&mut self) {
        let (x, own) = self.solution.split_at_mut(4 * self.matrix.nodes());
        let sides = &self.rhs[x.len()..];
        for ((own, condensed), &g) in own.iter_mut().zip(&self.condensed).zip(sides) {
            *own = condensed.recover(g, x);
        }
    }

    /// `z ← S⁻¹ z` with the present factor for four right sides side by side, condensed unknowns included.
    pub(super) fn answer(
        &self,
        z: &mut [[f64; 4]],
        work: &mut Vec<f64>,
        arithmetic: micado_linalg::Arithmetic,
    ) {
        let (x, own) = z.split_at_mut(self.scalars());
        for (condensed, g) in self.condensed.iter().zip(&*own).filter(|(_, g)| **g != [0.0; 4]) {
            let scaled = g.map(|g| -g * condensed.compliance);
            for (&node, column) in condensed.nodes.iter().zip(condensed.columns) {
                for (r, x) in x[4 * node as usize..].iter_mut().take(3).enumerate() {
                    let factor = column[r];
                    *x = std::array::from_fn(|c| x[c] + factor * scaled[c]);
                }
            }
        }
        self.factor.solve_four(&self.symbolic, x, work, arithmetic);
        for (own, condensed) in own.iter_mut().zip(&self.condensed) {
            let mut along = [0.0; 4];
            for (&node, column) in condensed.nodes.iter().zip(condensed.columns) {
                for (r, x) in x[4 * node as usize..].iter().take(3).enumerate() {
                    let factor = column[r];
                    along = std::array::from_fn(|c| along[c] + factor * x[c]);
                }
            }
            *own = std::array::from_fn(|c| (own[c] - along[c]) * condensed.compliance);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::clock::NoClock;
    use crate::constraint::{ConstraintState, ENDS};
    use crate::object::rod::Tangent;
    use crate::step::assemble::Assembly;
    use crate::step::integrator::Rule;
    use crate::step::linearise_constraints::ConstraintTerms;
    use crate::step::linearise_objects::Motion;
    use crate::step::{StepParams, StepReport, System, Timer, Workspace};
    use crate::world::World;
    use micado_linalg::Arithmetic;
    use serde_json::json;

    const STEP: f64 = 1e-3;

    /// A sagging rod with eyes in the world, on another rod and on a path, and touching pearls with friction.
    fn world() -> World {
        let rod = |from: [f64; 3], to: [f64; 3]| {
            json!({"shape": {"line": {"from": from, "to": to}}, "radius": 0.003, "young": 1e7,
                "density": 1200, "segments": 14,
                   "damping": {"internal": 0.001}})
        };
        let pearl = |at: &str, friction: f64, push: f64| {
            json!({"pearl": {"on": "a", "at": at, "mass": 0.01, "radius": 0.02, "viscosity": 0.02,
            "friction": friction, "force": [push, 0.02, 0]}})
        };
        let scene = json!({
            "rod": {"a": rod([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]), "b": rod([0.8, -0.5, 0.0], [0.8, 0.5, 0.0])},
            "constraint": {
                "start": {"clamp": {"on": "a", "at": "start"}}, "end": {"position": {"on": "a", "at": "end"}},
                "held": {"clamp": {"on": "b", "at": "start"}},
                "eye": {"keyhole": {"on": "a", "at": "23 %", "viscosity": 0.1}},
                "carried": {"keyhole": {"on": "a", "at": "80 %", "to": {"on": "b", "at": "50 %"},
                    "friction": 0.1}},
                "path": {"trajectory": {"on": "b", "at": "end",
                    "path": {"arc": {"from": [0.8, 0.5, 0], "tangent": [0, 0, -1], "towards": [0, -1, 0],
                    "radius": 0.5, "angle": 1}}}},
                "first": pearl("40 %", 0.0, 0.3), "second": pearl("44.5 %", 0.2, 0.0),
                "third": pearl("49 %", 0.0, -0.2),
            },
        });
        let mut world = World::build(&serde_json::from_value(scene).expect("a scene")).expect("a world");
        let (mut workspace, params) = (Workspace::new(), StepParams { step: STEP, ..StepParams::default() });
        for _ in 0..100 {
            let report = world.step(&params, &mut workspace, &NoClock);
            assert!(!report.held, "{report:?}");
        }
        world
    }

    /// Δ, own unknowns and multipliers of one solve; `pairs`: with nodes for all own unknowns, as in statics.
    fn solved(world: &World, tangent: Tangent, pairs: bool) -> (Vec<f64>, Vec<f64>, Vec<f64>, usize) {
        let (structure, state) = (&world.structure, &world.state);
        let mut system = System::new(structure, state, pairs);
        let inertia: Vec<f64> = state.v.iter().map(|v| v / STEP).collect();
        let velocity = vec![0.0; inertia.len()];
        let gain = 1.0 / STEP;
        let motion = Motion {
            acceleration_gain: gain * gain,
            velocity_gain: gain,
            inertia: &inertia,
            velocity: &velocity,
            strains_before: &[],
            rule: None,
            carried: &[],
            earlier: None,
            start: None,
            still: &[],
        };
        system.settle_shocks(structure, state, STEP);
        let (arithmetic, end) = (Arithmetic::Portable, state.time + STEP);
        let terms = ConstraintTerms {
            exact: tangent == Tangent::Exact,
            augment_all: false,
            curved: true,
            reach: 1.0,
            rule: Some(Rule::euler(STEP)),
            start: None,
        };
        Assembly { structure, state, time: end, motion: &motion, tangent, terms, arithmetic }
            .write(&mut system, &mut Vec::new());
        let negative = system.factorise_for_solve(arithmetic).expect("regular").negative;
        assert_eq!(negative, system.expected_negative());
        let mut report = StepReport::default();
        system.solve(2, 1.0, arithmetic, &mut report).expect("finite");
        system.collect_non_smooth(structure, [state; 2], end, gain, None);
        system.solve_non_smooth(1.0, arithmetic, &mut Timer { clock: &NoClock, start: 0.0 }, &mut report);
        let own = system
            .seats
            .iter()
            .flat_map(|seat| (0..ENDS).filter_map(|e| seat.own_scalar(e)))
            .map(|own| system.solution[own])
            .collect();
        let rows = system.seats.iter().flat_map(|seat| seat.first_row..seat.first_row + seat.rows);
        let mut states = vec![ConstraintState::default(); state.constraints.len()];
        system.non_smooth.remember(&mut states);
        (
            system.increment().to_vec(),
            own,
            rows.map(|row| system.solution[row]).collect(),
            states.iter().flat_map(|state| state.pushes.iter()).filter(|push| **push != 0.0).count()
                + system
                    .non_smooth
                    .contacts(&system.solution)
                    .filter(|contact| contact.forces[0] > 0.0)
                    .count(),
        )
    }

    #[test]
    fn condensed_and_uncondensed_sliding_unknowns_have_the_same_motion() {
        let world = world();
        for tangent in [Tangent::Psd, Tangent::Exact] {
            let (increment, own, multipliers, pushes) = solved(&world, tangent, false);
            let (increment_of_nodes, own_of_nodes, multipliers_of_nodes, pushes_of_nodes) =
                solved(&world, tangent, true);
            assert_eq!((own.len(), own_of_nodes.len()), (6, 6));
            // Two pearls with friction, and contacts.
            assert!(pushes > 2 && pushes == pushes_of_nodes, "{pushes} {pushes_of_nodes}");
            for (ours, theirs) in
                [(increment, increment_of_nodes), (own, own_of_nodes), (multipliers, multipliers_of_nodes)]
            {
                let largest = theirs.iter().fold(0.0_f64, |largest, x| largest.max(x.abs()));
                for (a, b) in ours.iter().zip(&theirs) {
                    // The condition of a stiff rod times rounding; sweeps end at 1e-13 m.
                    assert!((a - b).abs() < 1e-8 * largest, "{tangent:?}: {a} {b} of {largest}");
                }
            }
        }
    }
}
