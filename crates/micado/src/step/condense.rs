//! Condense pearls: eliminate where they slide before the system is factored.
//!
//! A pearl has no row, and in a dynamic step nothing but its own four control points meets its own unknown u:
//! with c = m c₀ x' and a = m c₀ |x'|² + viscosity, the column of u is bᵢ c beside a. Eliminated by hand it
//! leaves `bᵢ bⱼ (m c₀ I − c cᵀ/a)` and `bᵢ (F − c g/a)` on control points that the rod joins already:
//! without friction it is m c₀ across the rod, and nothing along it. So a pearl takes no node of the system,
//! and no order of unknowns is ever made anew when it crosses a knot.
//!
//! In the vectors of the system u stands behind all nodes. Whatever solves for a right side condenses it
//! first, `bᵢ ← bᵢ − bᵢ c g/a`, and finds `u = (g − c·Σ bᵢ xᵢ)/a` afterwards. In statics a may be zero or
//! less, and u keeps a node.

use super::order::{System, nodes_of};
use crate::constraint::{ConstraintState, Coupling, PearlLaw};
use crate::geometry::rotation::outer;
use crate::world::Structure;
use glam::{DMat3, DVec3};

/// The eliminated unknown of a pearl.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Condensed {
    /// Its constraint.
    constraint: usize,
    /// Control points, their weights bᵢ, and the slots of the blocks between them.
    nodes: [u32; 4],
    weights: [f64; 4],
    slots: [[Option<u32>; 4]; 4],
    /// c = m c₀ x', N per unit of u.
    coupling: DVec3,
    /// 1/a
    compliance: f64,
}

impl Condensed {
    pub(crate) fn new(constraint: usize) -> Self {
        Self {
            constraint,
            nodes: [u32::MAX; 4],
            weights: [0.0; 4],
            slots: [[None; 4]; 4],
            coupling: DVec3::ZERO,
            compliance: 0.0,
        }
    }

    /// Its constraint.
    pub(crate) fn constraint(&self) -> usize {
        self.constraint
    }

    /// Takes what the right side `g` of u does to the control points into a right side.
    fn reduce(&self, g: f64, rhs: &mut [f64]) {
        let force = self.coupling * (-g * self.compliance);
        for (&node, b) in self.nodes.iter().zip(self.weights) {
            let rhs = &mut rhs[4 * node as usize..];
            (0..3).for_each(|r| rhs[r] += b * force[r]);
        }
    }

    /// u from its right side `g` and the solution of all others.
    fn recover(&self, g: f64, x: &[f64]) -> f64 {
        let moved = self.nodes.iter().zip(self.weights).fold(DVec3::ZERO, |sum, (&node, b)| {
            let x = &x[4 * node as usize..];
            sum + DVec3::new(x[0], x[1], x[2]) * b
        });
        (g - self.coupling.dot(moved)) * self.compliance
    }
}

impl System {
    /// Scalars of all nodes; condensed unknowns come after them.
    pub(crate) fn scalars(&self) -> usize {
        4 * self.matrix.nodes()
    }

    /// Adds inertia and forces of pearl k, on which `load` works, with its own unknown eliminated, whose
    /// scalar number is `own`.
    #[expect(clippy::too_many_arguments, reason = "what a pearl is made from")]
    pub(super) fn condense_pearl(
        &mut self,
        structure: &Structure,
        k: usize,
        own: usize,
        bead: &PearlLaw,
        state: &ConstraintState,
        load: DVec3,
        gain: f64,
    ) {
        let (place, site, force) = (&self.places[k][0], &self.sites[k][0], self.pearl_force[k]);
        let mut nodes = [0; 4];
        nodes.iter_mut().zip(nodes_of(structure, place)).for_each(|(node, of)| *node = of);
        let weights: [f64; 4] = std::array::from_fn(|k| place.weights(k).x);
        let inertia = bead.mass * gain * gain;
        let resistance = bead.viscosity(site)[0] * gain;
        let weak = bead.coupling == Coupling::Weak;
        let coupling = if weak { DVec3::ZERO } else { site.p * inertia };
        let compliance = 1.0 / (inertia * site.p.length_squared() + resistance);
        let g = site.p.dot(force) + resistance * (state.own_start[0] - state.own[0]);
        let first = self.scalars();
        self.rhs[own] = g;
        let condensed = &mut self.condensed[own - first];
        if condensed.nodes != nodes {
            condensed.slots = nodes.map(|i| nodes.map(|j| self.matrix.slot(i, j).map(|slot| slot as u32)));
        }
        let slots = condensed.slots;
        *condensed = Condensed { constraint: k, nodes, weights, slots, coupling, compliance };
        let values = self.matrix.values_mut();
        let (left, across) = if weak {
            // What of the load is across the rod, and the drag c ṡ along it.
            let drag = resistance * (g * compliance + state.own[0] - state.own_start[0]) / site.l;
            (load - site.t * site.t.dot(load) + site.t * drag, DMat3::ZERO)
        } else {
            (
                force - coupling * (g * compliance),
                DMat3::from_diagonal(DVec3::splat(inertia)) - outer(coupling, coupling) * compliance,
            )
        };
        for i in 0..4 {
            for r in 0..3 {
                self.rhs[4 * nodes[i] as usize + r] += weights[i] * left[r];
            }
            for j in 0..4 {
                let Some(slot) = slots[i][j] else { continue };
                let block = &mut values[slot as usize];
                let weight = weights[i] * weights[j];
                for r in 0..3 {
                    for c in 0..3 {
                        block[4 * r + c] += weight * across.col(c)[r];
                    }
                }
            }
        }
    }

    /// Finds the condensed unknowns of the solution.
    pub(super) fn recover_condensed(&mut self) {
        let (x, own) = self.solution.split_at_mut(4 * self.matrix.nodes());
        let sides = &self.rhs[x.len()..];
        for ((own, condensed), &g) in own.iter_mut().zip(&self.condensed).zip(sides) {
            *own = condensed.recover(g, x);
        }
    }

    /// `z ← S⁻¹ z` with the present factor for one right side after the other, condensed unknowns included.
    pub(super) fn answer(&self, z: &mut [f64], work: &mut Vec<f64>, arithmetic: micado_linalg::Arithmetic) {
        let (scalars, stride) = (self.scalars(), self.solution.len());
        for (x, own) in z.chunks_exact_mut(stride).map(|z| z.split_at_mut(scalars)) {
            for (condensed, &g) in self.condensed.iter().zip(&*own).filter(|(_, g)| **g != 0.0) {
                condensed.reduce(g, x);
            }
        }
        if z.len() == stride {
            self.factor.solve(&self.symbolic, &mut z[..scalars], work, arithmetic);
        } else {
            self.factor.solve_many(&self.symbolic, z, stride, work, arithmetic);
        }
        for (x, own) in z.chunks_exact_mut(stride).map(|z| z.split_at_mut(scalars)) {
            for (own, condensed) in own.iter_mut().zip(&self.condensed) {
                *own = condensed.recover(*own, x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::clock::NoClock;
    use crate::constraint::ENDS;
    use crate::object::rod::Tangent;
    use crate::step::assemble::Assembly;
    use crate::step::linearise_constraints::ConstraintTerms;
    use crate::step::linearise_objects::Motion;
    use crate::step::{StepParams, StepReport, System, Timer, Workspace};
    use crate::world::World;
    use micado_linalg::Arithmetic;
    use serde_json::json;

    const STEP: f64 = 1e-3;

    /// A sagging rod with eyes in the world, on another rod and on a path, and pearls that lean on each other
    /// and rub.
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
                "first": pearl("40 %", 0.0, 0.3), "second": pearl("44.5 %", 0.2, 0.0), "third": pearl("49 %", 0.0, -0.2),
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
            own_gain: gain,
            inertia: &inertia,
            velocity: &velocity,
            strains_before: &[],
            still: &[],
        };
        system.settle_shocks(structure, state, STEP);
        let (arithmetic, end) = (Arithmetic::Portable, state.time + STEP);
        let terms = ConstraintTerms {
            exact: tangent == Tangent::Exact,
            augment_all: false,
            curved: true,
            velocity_gain: gain,
        };
        Assembly { structure, state, time: end, motion: &motion, tangent, terms, arithmetic }
            .write(&mut system, &mut Vec::new());
        let negative = system.factorise_for_solve(arithmetic).expect("regular").negative;
        assert_eq!(negative, system.expected_negative());
        let mut report = StepReport::default();
        system.solve(2, 1.0, arithmetic, &mut report).expect("finite");
        system.collect_non_smooth(structure, state, end, gain);
        system.solve_non_smooth(1.0, arithmetic, &mut Timer { clock: &NoClock, start: 0.0 }, &mut report);
        let own = system
            .seats
            .iter()
            .flat_map(|seat| (0..ENDS).filter_map(|e| seat.own_scalar(e)))
            .map(|own| system.solution[own])
            .collect();
        let rows = system.seats.iter().flat_map(|seat| seat.first_row..seat.first_row + seat.rows);
        (
            system.increment().to_vec(),
            own,
            rows.map(|row| system.solution[row]).collect(),
            system.non_smooth.forces().count(),
        )
    }

    #[test]
    fn what_slides_moves_the_same_with_and_without_nodes_of_its_own() {
        let world = world();
        for tangent in [Tangent::Psd, Tangent::Exact] {
            let (increment, own, multipliers, pushes) = solved(&world, tangent, false);
            let (increment_of_nodes, own_of_nodes, multipliers_of_nodes, pushes_of_nodes) =
                solved(&world, tangent, true);
            assert_eq!((own.len(), own_of_nodes.len()), (6, 6));
            // Two that rub, and contacts.
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
