//! Balance: the residual of the forces at each node after the last pass of a substep, for measurements.
//!
//! ```text
//! r = f − M a − ∇U_shape − Bᵀ N + Jᵀ λ,   |rᵢ| = ratio · Gᵢ
//! ```
//!
//! Gᵢ is the sum of the sizes of all forces at node i: inertia, outer forces, the force of each element and
//! of each constraint, contact and length, and rounding. N = EA (ε + BΔ) is the tension of the last pass: its
//! error is a length, like that of a row. Moments about a rod are compared with the moments at their node,
//! and with the forces at it on the arm of a segment. The force that slides an end is compared with the
//! force of its constraint.

use super::Workspace;
use super::assemble::Assembly;
use super::dynamic::Substep;
use super::integrator::Rule;
use super::linearise_constraints::{ConstraintTerms, slid_since};
use super::linearise_objects::{Motion, add_inertia, linearisation, residual_force};
use super::order::System;
use super::rotation;
use super::seat::nodes_of;
use crate::constraint::{Coupling, ENDS};
use crate::object::Scalar;
use crate::object::rod::Tangent;
use crate::world::{State, Structure, sliding};
use glam::DVec3;
use micado_linalg::Arithmetic;

/// Residuals and sizes of forces. Numbers are those of the scalars of the system; the sizes of the forces at
/// a node are with its first scalar, those of moments with its last one.
struct Balance {
    residual: Vec<f64>,
    sizes: Vec<f64>,
}

impl Balance {
    /// Adds the size of a force on a node.
    fn add_size(&mut self, node: usize, force: [f64; 4]) {
        let [x, y, z, moment] = force;
        self.sizes[4 * node] += DVec3::new(x, y, z).length();
        self.sizes[4 * node + 3] += moment.abs();
    }

    /// Adds a force on a node and its size.
    fn add(&mut self, node: usize, force: [f64; 4]) {
        self.residual[4 * node..].iter_mut().zip(force).for_each(|(sum, f)| *sum += f);
        self.add_size(node, force);
    }

    /// Adds a force on the own unknown of a constraint, and a size of which it is a part.
    fn add_own(&mut self, own: usize, force: f64, size: f64) {
        self.residual[own] += force;
        self.sizes[own] += size;
    }

    /// Adds the forces of the constraints, at the rows of a system.
    fn add_constraints(&mut self, structure: &Structure, state: &State, system: &System, rule: Rule) {
        for (k, (constraint, memory)) in structure.constraints.iter().zip(&state.constraints).enumerate() {
            let leader = memory.duplicate_of.map_or(k, |leader| leader as usize);
            let (seat, places, sites) =
                (&system.seats[leader], &system.places[leader], &system.sites[leader]);
            let viscosity = constraint.law.viscosity(sites);
            for e in 0..ENDS {
                if let Some(own) = seat.own_scalar(e) {
                    let drag = viscosity[e] * rule.c1 * slid_since(memory, e, rule);
                    self.add_own(own, -drag, drag.abs());
                }
            }
            if leader != k {
                continue;
            }
            let rows = || system.rows[k].iter().zip(&memory.multipliers).filter(|_| seat.condensed.is_none());
            let strength = rows().map(|(_, force)| force * force).sum::<f64>().sqrt();
            for e in 0..ENDS {
                for (w, node) in nodes_of(structure, &places[e]).enumerate() {
                    let mut sum = [0.0; 4];
                    for (row, force) in rows() {
                        let unit = places[e].on_node(w, &places[e].spread(&row.ends[e], &sites[e]));
                        sum.iter_mut().zip(unit).for_each(|(sum, unit)| *sum += force * unit);
                    }
                    self.add(node as usize, sum);
                }
                if let Some(own) = seat.own_scalar(e) {
                    let along: f64 = rows().map(|(row, force)| row.own[e] * force).sum();
                    let steepness = rows().map(|(row, _)| row.own[e] * row.own[e]).sum::<f64>().sqrt();
                    self.add_own(own, along, strength * steepness);
                }
            }
            let Some(sliding) = constraint.law.sliding_mass() else { continue };
            let (force, site) = (system.mass_force[k], &sites[0]);
            let on_curve = match sliding.coupling {
                Coupling::Strong => force,
                Coupling::Weak => {
                    let load = sliding.load(DVec3::from_array(structure.gravity.at(state.time)), state.time);
                    let drag = viscosity[0] * rule.c1 * slid_since(memory, 0, rule) / site.l;
                    load.reject_from_normalized(site.t) + site.t * drag
                }
            };
            for (node, share) in nodes_of(structure, &places[0]).zip(places[0].position_shares()) {
                let f = on_curve * *share;
                self.add(node as usize, [f.x, f.y, f.z, 0.0]);
            }
            if let Some(own) = seat.own_scalar(0) {
                self.add_own(own, site.p.dot(force), site.p.length() * force.length());
            }
        }
    }

    /// Adds the forces of unilateral, stop and friction rows and of contacts.
    fn add_non_smooth(&mut self, object_nodes: usize, state: &State, system: &System) {
        system.non_smooth.for_each_remembered(state, |forces| {
            let mut nodes: Vec<(usize, [f64; 4])> = Vec::new();
            for &(scalar, force) in forces {
                let (node, component) = (scalar as usize / 4, scalar as usize % 4);
                if node >= object_nodes {
                    self.add_own(scalar as usize, force, force.abs());
                } else if let Some((_, sum)) = nodes.iter_mut().find(|(known, _)| *known == node) {
                    sum[component] += force;
                } else {
                    let mut sum = [0.0; 4];
                    sum[component] = force;
                    nodes.push((node, sum));
                }
            }
            nodes.into_iter().for_each(|(node, sum)| self.add(node, sum));
        });
    }

    /// Adds the tensions of the length rows of rods.
    fn add_lengths(&mut self, structure: &Structure, state: &State) {
        for object in &structure.objects {
            let Some(rows) = object.model().inner_rows() else { continue };
            let own = object.own(&state.q, &state.frames);
            for (j, tension) in rows.multipliers(own.frames).iter().enumerate() {
                let row = rows.row(own.q, j);
                for (node, f) in row.nodes.into_iter().zip([row.t * *tension, row.t * -*tension]) {
                    self.add(object.first + node, [f.x, f.y, f.z, 0.0]);
                }
            }
        }
    }

    /// The largest residual as a share of the sizes.
    fn worst(&self, structure: &Structure, system: &System, size: f64) -> f64 {
        let ratio = |residual: f64, whole: f64| if residual > 0.0 { residual / whole } else { 0.0 };
        let stiffness = |node: usize| {
            let block = &system.matrix.values()[system.matrix.row_start(node)];
            [block[0].max(block[5]).max(block[10]) * size, block[15]].map(|k| ROUNDING * k)
        };
        let mut worst = 0.0_f64;
        for object in &structure.objects {
            let model = object.model();
            for (k, node) in (object.first..object.first + object.nodes()).enumerate() {
                let (of, scalars) = (&self.residual[4 * node..4 * node + 4], model.scalars(k));
                let norm = |wanted: fn(Scalar) -> bool| {
                    let of = of.iter().zip(scalars).filter(|(_, scalar)| wanted(*scalar));
                    of.map(|(r, _)| r * r).sum::<f64>().sqrt()
                };
                let (forces, moments) = (self.sizes[4 * node], self.sizes[4 * node + 3]);
                let [rounding, of_moments] = stiffness(node);
                let force = ratio(norm(Scalar::is_length), forces + rounding);
                let whole = moments + model.arm() * forces + of_moments;
                worst = worst.max(force).max(ratio(norm(Scalar::is_angle), whole));
            }
        }
        for (seat, e) in system.seats.iter().flat_map(|seat| (0..ENDS).map(move |e| (seat, e))) {
            if let Some(own) = seat.own_scalar(e) {
                worst = worst.max(ratio(self.residual[own].abs(), self.sizes[own]));
            }
        }
        worst
    }
}

/// Rounding of internal forces, as a share of stiffness times the structure's size.
const ROUNDING: f64 = 1e-13;

impl Substep<'_> {
    /// The largest residual of the forces at a node in the trial state, as a share of their sizes. `None` for
    /// quasi-static objects, and where an end has slid out of its window.
    pub(super) fn unbalanced(&self, rule: Rule, size: f64, workspace: &Workspace) -> Option<f64> {
        let structure = &self.world.structure;
        let Workspace { system, start, trial, increment, strains_before, carried, still, spins, .. } =
            workspace;
        let start = self.start(start);
        let mut system = system.clone()?;
        if !still.is_empty() || system.slides && !sliding::windows_hold(structure, trial) {
            return None;
        }
        let mut carried = carried.clone();
        for (object, carried) in structure.objects.iter().zip(&mut carried) {
            let (own, led) = (object.own(&trial.q, &trial.frames), &system.increment()[object.unknowns()]);
            object.model().predicted_stretches(own, led, carried, Arithmetic::Portable);
        }
        let n = 4 * system.object_nodes;
        let [mut inertia, mut velocity, mut force] = [(); 3].map(|()| vec![0.0; n]);
        rule.start(start, Some(increment), &mut inertia, &mut velocity);
        rotation::set_motion(spins, rule, [start, trial], &mut inertia, &mut velocity);
        let motion = &Motion {
            velocity_gain: rule.c1,
            inertia: &inertia,
            velocity: &velocity,
            strains_before,
            rule: Some(rule),
            carried: &carried,
            ..Motion::none(rule.c0)
        };
        let (mut scratch, time, tangent) = (Vec::new(), self.end, Tangent::Psd);
        let terms = ConstraintTerms {
            exact: false,
            augment_all: false,
            curved: false,
            reach: 1.0,
            rule: Some(rule),
            start: None,
        };
        let arithmetic = Arithmetic::Portable;
        Assembly { structure, state: trial, time, motion, tangent, terms, arithmetic }
            .write(&mut system, &mut scratch);
        let scalars = system.solution.len();
        let mut balance = Balance { residual: vec![0.0; scalars], sizes: vec![0.0; scalars] };
        residual_force(structure, trial, time, motion, &mut force, &mut scratch);
        balance.residual[..n].copy_from_slice(&force);
        // The rest of the residual without inertia and internal forces is that of outer forces.
        let four = |of: &[f64], node: usize| std::array::from_fn(|a| of[4 * node + a]);
        let mut part = vec![0.0; n];
        add_inertia(structure, trial, motion, &mut part, &mut scratch);
        (0..n / 4).for_each(|node| balance.add_size(node, four(&part, node)));
        let mut outer: Vec<f64> = force.iter().zip(&part).map(|(all, part)| all - part).collect();
        for (index, object) in structure.objects.iter().enumerate() {
            let own = object.own(&trial.q, &trial.frames);
            let how = linearisation(object, index, motion, tangent, arithmetic);
            object.model().for_each_internal_force(own, &how, &mut |node, force| {
                balance.add_size(object.first + node, force);
                outer[4 * (object.first + node)..].iter_mut().zip(force).for_each(|(rest, f)| *rest -= f);
            });
        }
        (0..n / 4).for_each(|node| balance.add_size(node, four(&outer, node)));
        balance.add_constraints(structure, trial, &system, rule);
        balance.add_lengths(structure, trial);
        if system.pushes {
            system.collect_non_smooth(structure, [trial; 2], time, 1.0 / self.h, None);
            balance.add_non_smooth(n / 4, trial, &system);
        }
        Some(balance.worst(structure, &system, size))
    }
}

#[cfg(test)]
mod tests {
    use crate::clock::NoClock;
    use crate::scene::{Hessian, Solves};
    use crate::step::{StepParams, Workspace};
    use crate::world::World;
    use serde_json::json;

    /// A slack thread with a viscous eye, a pearl, a link to a mass and a floor, under way for a while.
    fn thread(model: &str) -> World {
        let scene = json!({
            "rod": {"thread": {"model": model, "shape": {"slack": {"from": [0, 0, 0], "to": [0.5, 0, 0],
                "length": 0.6}}, "radius": 2e-3, "young": 1e7, "density": 1200, "segments": 16,
                "damping": {"internal": 1e-3, "mass": 1}}},
            "mass": {"weight": {"position": [0.1, 0.1, -0.2], "mass": 0.02}},
            "constraint": {
                "left": {"position": {"on": "thread", "at": "start"}},
                "eye": {"keyhole": {"on": "thread", "at": "80 %", "viscosity": 0.1}},
                "pearl": {"pearl": {"on": "thread", "at": "30 %", "mass": 5e-3, "viscosity": 0.01}},
                "link": {"distance": {"on": "weight", "to": {"on": "thread", "at": "20 %"}}},
                "floor": {"plane": {"on": "weight", "point": [0, 0, -0.25], "normal": [0, 0, 1],
                    "side": "above"}},
            },
        });
        let mut world = World::build(&serde_json::from_value(scene).expect("a scene")).expect("a world");
        let mut workspace = Workspace::new();
        for _ in 0..20 {
            assert!(!world.step(&params(Solves::Auto, Hessian::Psd), &mut workspace, &NoClock).held);
        }
        world
    }

    fn params(solves: Solves, hessian: Hessian) -> StepParams {
        StepParams { step: 5e-3, solves, hessian, balance: true, ..StepParams::default() }
    }

    /// The largest residual in ten steps from the same state.
    fn residual(world: &World, params: &StepParams) -> f64 {
        let (mut world, mut workspace) = (world.clone(), Workspace::new());
        let steps = (0..10).map(|_| world.step(params, &mut workspace, &NoClock).unbalanced);
        steps.map(|residual| residual.expect("it was asked for")).fold(0.0, f64::max)
    }

    #[test]
    fn forces_at_all_nodes_balance_when_newton_has_converged() {
        for model in ["spline", "discrete-elastic", "beam"] {
            let world = thread(model);
            let converged = residual(&world, &params(Solves::Exactly(60), Hessian::Psd));
            // Newton stops at increments of 1e-10 of the size. Times the stiffness EA/l of a segment,
            // 3000 N/m, this is a millionth of the forces, about 0.1 N.
            assert!(converged < 1e-5, "{model}: {converged:e}");
            // One linearised solve leaves more: the measure sees its error.
            let once = residual(&world, &params(Solves::ONE, Hessian::Psd));
            assert!(once > 1e-3 && once > 100.0 * converged, "{model}: {once:e} and {converged:e}");
        }
    }

    #[test]
    fn the_exact_form_has_the_force_of_a_pearl_turn_with_the_thread() {
        let scene = json!({
            "rod": {"thread": {"shape": {"slack": {"from": [-0.15, 0, 0], "to": [0.15, 0, 0],
                "length": 0.523}}, "radius": 5e-4, "young": 1e9, "density": 1150, "segments": 20,
                "damping": {"internal": 2e-3, "mass": 1}}},
            "constraint": {
                "left": {"position": {"on": "thread", "at": "start"}},
                "right": {"position": {"on": "thread", "at": "end"}},
                "pearl": {"pearl": {"on": "thread", "at": "6 %", "mass": 7e-4, "viscosity": 5e-3}},
            },
        });
        let world = World::build(&serde_json::from_value(scene).expect("a scene")).expect("a world");
        let [psd, exact] = [Hessian::Psd, Hessian::Auto].map(|hessian| {
            let (mut world, mut workspace) = (world.clone(), Workspace::new());
            let steps = (0..400).map(|_| {
                let report = world.step(&params(Solves::Auto, hessian), &mut workspace, &NoClock);
                report.unbalanced.expect("it was asked for")
            });
            let mut residuals: Vec<f64> = steps.collect();
            residuals.sort_by(f64::total_cmp);
            residuals[200]
        });
        // Without the terms of the pearl both forms leave the same residual along the thread.
        assert!(exact < 0.5 * psd, "{exact:e} and {psd:e}");
    }

    #[test]
    fn a_step_states_its_residual_only_if_asked() {
        let mut world = thread("spline");
        let silent = StepParams { balance: false, ..params(Solves::Auto, Hessian::Psd) };
        assert_eq!(world.step(&silent, &mut Workspace::new(), &NoClock).unbalanced, None);
    }
}
