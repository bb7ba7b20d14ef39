//! Linearise objects: M, D, K and forces of rods, masses, loads and springs.
//!
//! `A = c₀ M + c₁ D + K`, `b = f − ∇U + M (d − c₀ Δ) − D-forces`, where Δ is the increment since the step
//! began and the integrator says how acceleration and velocity grow with it: `a = c₀ Δ − d`, `v = c₁ Δ − e`.

use super::order::System;
use crate::constraint::{EndRow, PlaceStiffness, Site};
use crate::load::{LoadLaw, Spread, Spring};
use crate::object::ObjectKind;
use crate::object::Place;
use crate::object::rod::{Linearisation, Tangent};
use crate::world::State;
use crate::world::Structure;
use glam::{DMat3, DVec3};
use micado_linalg::BlockMatrix;

/// How the unknowns move within the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion<'a> {
    /// c₀, 1/s²: how accelerations grow with an increment. In statics, the vanishing mass-like term.
    pub(crate) acceleration_gain: f64,
    /// c₁, 1/s: how velocities grow with an increment; zero in statics.
    pub(crate) velocity_gain: f64,
    /// The same for unknowns that constraints own, which always move by Euler's rule.
    pub(crate) own_gain: f64,
    /// `d − c₀ Δ`: minus the acceleration so far; empty in statics.
    pub(crate) inertia: &'a [f64],
    /// `c₁ Δ − e`: the velocity so far; empty in statics.
    pub(crate) velocity: &'a [f64],
    /// Strains from which viscous stress is counted, by object; empty where those at hand are meant.
    pub(crate) strains_before: &'a [Vec<f64>],
    /// Mass-like terms of objects that are quasi-static, as shares of their stiffest local motion; none of
    /// those that move. Empty where all do.
    pub(crate) still: &'a [Option<f64>],
}

impl Motion<'_> {
    /// Statics with a mass-like term of `sigma` times the mass matrix.
    pub(crate) fn none(sigma: f64) -> Self {
        Motion {
            acceleration_gain: sigma,
            velocity_gain: 0.0,
            own_gain: 0.0,
            inertia: &[],
            velocity: &[],
            strains_before: &[],
            still: &[],
        }
    }

    /// The mass-like term of an object if it is quasi-static.
    fn still(&self, object: usize) -> Option<f64> {
        self.still.get(object).copied().flatten()
    }

    /// How what acts on an object through this node moves: not at all if that is quasi-static.
    fn of_node(self, structure: &Structure, node: usize) -> Self {
        let object = structure.objects.partition_point(|object| object.first <= node).saturating_sub(1);
        if self.still(object).is_some() { Self::none(0.0) } else { self }
    }
}

/// Fills matrix and right side with everything but constraints, at the trial state and the forces of `time`.
#[expect(clippy::too_many_arguments, reason = "what a stage reads and writes")]
pub(crate) fn linearise_objects(
    structure: &Structure,
    trial: &State,
    time: f64,
    motion: &Motion<'_>,
    tangent: Tangent,
    arithmetic: micado_linalg::Arithmetic,
    system: &mut System,
    scratch: &mut Vec<f64>,
) {
    let values = system.matrix.values_mut();
    for &slot in &system.loose {
        values[slot as usize] = [0.0; 16];
    }
    system.rhs[4 * system.object_nodes..].fill(0.0);
    set_gravity(structure, time, &mut system.rhs);
    for (index, object) in structure.objects.iter().enumerate() {
        let range = object.unknowns();
        let still = motion.still(index);
        let motion = if still.is_some() { &Motion::none(0.0) } else { motion };
        match &object.kind {
            ObjectKind::Rod(rod) => {
                let how = Linearisation {
                    tangent,
                    mass: motion.acceleration_gain + rod.mass_damping() * motion.velocity_gain,
                    viscosity: rod.internal_damping() * motion.velocity_gain,
                    strain_before: motion
                        .strains_before
                        .get(index)
                        .filter(|s| !s.is_empty())
                        .map(Vec::as_slice),
                    arithmetic,
                };
                rod.linearise(
                    &trial.q[range.clone()],
                    &trial.frames[object.frames.clone()],
                    &how,
                    object.first,
                    &mut system.matrix,
                    &mut system.rhs[range],
                );
            }
            ObjectKind::Mass(mass) => {
                let slot = system.matrix.row_start(object.first);
                let block = &mut system.matrix.values_mut()[slot];
                for a in 0..3 {
                    block[5 * a] += mass.mass * motion.acceleration_gain;
                }
                block[15] = 1.0;
            }
        }
        if let Some(share) = still {
            system.add_mass_like(object.first..object.first + object.nodes(), share);
        }
    }
    add_inertia(structure, motion, &mut system.rhs, scratch);
    add_loads(
        structure,
        trial,
        time,
        motion,
        tangent == Tangent::Exact,
        Some(&mut system.matrix),
        &mut system.rhs,
    );
}

/// The force on the unknowns without constraints: `f − ∇U + M (d − c₀ Δ) …`, at the trial state.
pub(crate) fn residual_force(
    structure: &Structure,
    trial: &State,
    time: f64,
    motion: &Motion<'_>,
    force: &mut [f64],
    scratch: &mut Vec<f64>,
) {
    set_gravity(structure, time, force);
    for (index, object) in structure.objects.iter().enumerate() {
        let range = object.unknowns();
        if let ObjectKind::Rod(rod) = &object.kind {
            let how = Linearisation {
                tangent: Tangent::GaussNewton,
                mass: 0.0,
                viscosity: rod.internal_damping() * motion.velocity_gain,
                strain_before: motion.strains_before.get(index).filter(|s| !s.is_empty()).map(Vec::as_slice),
                arithmetic: micado_linalg::Arithmetic::Portable,
            };
            rod.subtract_internal_force(
                &trial.q[range.clone()],
                &trial.frames[object.frames.clone()],
                &how,
                &mut force[range],
            );
        }
    }
    add_inertia(structure, motion, force, scratch);
    add_loads(structure, trial, time, motion, false, None, force);
}

/// What acts on the objects from outside, and through springs, at rest: `f`.
pub(crate) fn outer_force(structure: &Structure, state: &State, time: f64, force: &mut [f64]) {
    set_gravity(structure, time, force);
    add_loads(structure, state, time, &Motion::none(0.0), false, None, force);
}

/// The weight of all nodes, and nothing else.
fn set_gravity(structure: &Structure, time: f64, force: &mut [f64]) {
    let [gx, gy, gz] = structure.gravity.at(time);
    for (f, &mass) in force.as_chunks_mut().0.iter_mut().zip(&structure.node_mass) {
        *f = [mass * gx, mass * gy, mass * gz, 0.0];
    }
}

/// `M (d − c₀ Δ − α (c₁ Δ − e))`
fn add_inertia(structure: &Structure, motion: &Motion<'_>, force: &mut [f64], scratch: &mut Vec<f64>) {
    if motion.inertia.is_empty() {
        return;
    }
    for (_, object) in structure.objects.iter().enumerate().filter(|(k, _)| motion.still(*k).is_none()) {
        let range = object.unknowns();
        let damping = object.rod().map_or(0.0, |rod| rod.mass_damping());
        if damping == 0.0 {
            object.add_mass_times(&motion.inertia[range.clone()], &mut force[range]);
        } else {
            scratch.clear();
            scratch.extend(
                motion.inertia[range.clone()]
                    .iter()
                    .zip(&motion.velocity[range.clone()])
                    .map(|(d, v)| d - damping * v),
            );
            object.add_mass_times(scratch, &mut force[range]);
        }
    }
}

fn add_loads(
    structure: &Structure,
    trial: &State,
    time: f64,
    motion: &Motion<'_>,
    exact: bool,
    mut matrix: Option<&mut BlockMatrix>,
    force: &mut [f64],
) {
    for load in &structure.loads {
        match &load.law {
            LoadLaw::Force(place, signal) => {
                add_force(place, &place.weights.b, DVec3::from_array(signal.at(time)), force)
            }
            LoadLaw::Moment(place, signal) => {
                let moment = DVec3::from_array(signal.at(time));
                let p = place.derivative(&trial.q);
                let (l, t) = (p.length(), p.normalize());
                add_moment(place, t, l, moment, force);
                if let (Some(matrix), true) = (matrix.as_deref_mut(), exact) {
                    add_place_stiffness(place, &PlaceStiffness::of_fixed_moment(moment, t, l), matrix);
                }
            }
            LoadLaw::Distributed(spread, signal) => add_spread(spread, signal.at(time), force),
            LoadLaw::Drag(spread, signal) => {
                add_spread(spread, signal.at(time), force);
                let motion =
                    if motion.still.is_empty() { *motion } else { motion.of_node(structure, spread.first) };
                if motion.velocity_gain == 0.0 {
                    continue;
                }
                spread.for_each_pair(|i, j, value| {
                    for a in 0..3 {
                        force[4 * i + a] -= value * motion.velocity[4 * j + a];
                        if i != j {
                            force[4 * j + a] -= value * motion.velocity[4 * i + a];
                        }
                    }
                    if let Some(matrix) = matrix.as_deref_mut()
                        && let Some(slot) = matrix.slot(i as u32, j as u32)
                    {
                        let block = &mut matrix.values_mut()[slot];
                        for a in 0..3 {
                            block[5 * a] += value * motion.velocity_gain;
                        }
                    }
                });
            }
        }
    }
    for (spring, frames) in structure.springs.iter().zip(&trial.springs) {
        let node = spring.ends.iter().find_map(|end| end.place()).map(|place| place.nodes[0] as usize);
        let motion = match node {
            Some(node) if !motion.still.is_empty() => &motion.of_node(structure, node),
            _ => motion,
        };
        add_spring(spring, frames, trial, time, motion, exact, matrix.as_deref_mut(), force);
    }
}

#[expect(clippy::too_many_arguments, reason = "one term of the sum over loads")]
fn add_spring(
    spring: &Spring,
    frames: &[crate::object::EndFrame; 2],
    trial: &State,
    time: f64,
    motion: &Motion<'_>,
    exact: bool,
    matrix: Option<&mut BlockMatrix>,
    force: &mut [f64],
) {
    let mut rows = EndRows::default();
    let action = match spring.law {
        crate::load::SpringLaw::Linear { .. } => {
            let [a, b] = spring.ends.each_ref().map(|end| end.position(&trial.q, time));
            // In statics nothing moves, a point of the world neither.
            let [va, vb] = match motion.velocity {
                [] => [DVec3::ZERO; 2],
                v => spring.ends.each_ref().map(|end| end.velocity(v, time)),
            };
            for (end, sign) in spring.ends.iter().zip([1.0, -1.0]) {
                if let Some(place) = end.place() {
                    rows.displacement(place, sign);
                }
            }
            spring.law.pull(a, b, vb - va, motion.velocity_gain, exact)
        }
        crate::load::SpringLaw::Torsional { .. } => {
            let [a, b] = [0, 1].map(|k| spring.ends[k].frame(&trial.q, &frames[k]));
            let mut rate = DVec3::ZERO;
            for ((end, frame), sign) in spring.ends.iter().zip(frames).zip([1.0, -1.0]) {
                if let Some(place) = end.place() {
                    let site = Site::new(place, &trial.q, frame);
                    rows.rotation(place, &site, sign);
                }
                if !motion.velocity.is_empty() {
                    rate += end.spin(&trial.q, motion.velocity, frame) * sign;
                }
            }
            spring.law.turn(a, b, rate, motion.velocity_gain)
        }
    };
    for k in 0..rows.count {
        for (r, row) in rows.jacobian.iter().enumerate() {
            for a in 0..4 {
                force[4 * rows.nodes[k] as usize + a] += row[k][a] * action.on_first[r];
            }
        }
    }
    if let Some(matrix) = matrix {
        rows.add_gram(action.stiffness, matrix);
    }
}

/// Three rows over the nodes of the two ends of a spring.
#[derive(Default)]
struct EndRows {
    nodes: [u32; 8],
    count: usize,
    jacobian: [[[f64; 4]; 8]; 3],
}

impl EndRows {
    fn displacement(&mut self, place: &Place, sign: f64) {
        for k in 0..place.count {
            self.nodes[self.count] = place.nodes[k];
            for a in 0..3 {
                self.jacobian[a][self.count][a] = sign * place.weights.b[k];
            }
            self.count += 1;
        }
    }

    fn rotation(&mut self, place: &Place, site: &Site, sign: f64) {
        let rows = DVec3::AXES.map(|axis| EndRow::rotation(site, axis * sign));
        for k in 0..place.count {
            self.nodes[self.count] = place.nodes[k];
            for (entries, row) in self.jacobian.iter_mut().zip(&rows) {
                entries[self.count] = row.on_node(place, k);
            }
            self.count += 1;
        }
    }

    /// `A += Jᵀ C J`
    fn add_gram(&self, c: DMat3, matrix: &mut BlockMatrix) {
        for i in 0..self.count {
            for j in 0..self.count {
                let (row, column) = (self.nodes[i], self.nodes[j]);
                if row > column {
                    continue;
                }
                let Some(slot) = matrix.slot(row, column) else { continue };
                let block = &mut matrix.values_mut()[slot];
                for a in 0..4 {
                    for b in 0..4 {
                        for r in 0..3 {
                            for s in 0..3 {
                                block[4 * a + b] +=
                                    self.jacobian[r][i][a] * c.col(s)[r] * self.jacobian[s][j][b];
                            }
                        }
                    }
                }
            }
        }
    }
}

fn add_spread(spread: &Spread, value: [f64; 3], force: &mut [f64]) {
    for (i, &weight) in spread.weights.iter().enumerate() {
        for a in 0..3 {
            force[4 * (spread.first + i) + a] += weight * value[a];
        }
    }
}

fn add_force(place: &Place, weights: &[f64; 4], value: DVec3, force: &mut [f64]) {
    for k in 0..place.count {
        for a in 0..3 {
            force[4 * place.nodes[k] as usize + a] += weights[k] * value[a];
        }
    }
}

/// Generalised force of a moment: (m×t)/L on x', m·t on θ.
fn add_moment(place: &Place, t: DVec3, l: f64, moment: DVec3, force: &mut [f64]) {
    add_force(place, &place.weights.db, moment.cross(t) / l, force);
    for k in 0..place.count {
        force[4 * place.nodes[k] as usize + 3] += place.roll[k] * moment.dot(t);
    }
}

fn add_place_stiffness(place: &Place, stiffness: &PlaceStiffness, matrix: &mut BlockMatrix) {
    for i in 0..place.count {
        for j in 0..place.count {
            if place.nodes[i] <= place.nodes[j]
                && let Some(slot) = matrix.slot(place.nodes[i], place.nodes[j])
            {
                stiffness.add_block(place, i, j, &mut matrix.values_mut()[slot]);
            }
        }
    }
}
