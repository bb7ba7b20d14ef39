//! Linearise objects: M, D, K and forces of rods, masses, loads and springs.
//!
//! `A = c₀ M + c₁ D + K`, `b = f − ∇U + M (d − c₀ Δ) − D-forces`, where Δ is the increment since the step
//! began, and the integrator defines acceleration and velocity: `a = c₀ Δ − d`, `v = c₁ Δ − e`.

use super::assemble::Assembly;
use super::integrator::Rule;
use super::linearise_loads::Loads;
use super::order::System;
use crate::object::rod::{Linearisation, Tangent};
use crate::object::{Object, Own};
use crate::world::State;
use crate::world::Structure;
use glam::DVec3;
use micado_linalg::Arithmetic;
use std::cell::Cell;

/// Motion of the unknowns within the step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motion<'a> {
    /// c₀, 1/s²: derivative of acceleration by increment. In statics, the vanishing mass-like term.
    pub(crate) acceleration_gain: f64,
    /// c₁, 1/s: derivative of velocity by increment; zero in statics.
    pub(crate) velocity_gain: f64,
    /// `d − c₀ Δ`: minus the acceleration so far; empty in statics.
    pub(crate) inertia: &'a [f64],
    /// `c₁ Δ − e`: the velocity so far; empty in statics.
    pub(crate) velocity: &'a [f64],
    /// Reference strains of viscous stress, by object; empty if they are the present ones.
    pub(crate) strains_before: &'a [Vec<f64>],
    /// Integration of sliding masses and of own unknowns of constraints; none in statics.
    pub(super) rule: Option<Rule>,
    /// Stretches that the last pass has solved for, by object; empty if they are the present ones.
    pub(crate) carried: &'a [Vec<f64>],
    /// Frames of the state before the prediction, if the linearisation has to transport them to the present
    /// state.
    pub(crate) earlier: Option<EarlierFrames<'a>>,
    /// State at the beginning of a step of Euler with bodies.
    pub(crate) start: Option<&'a State>,
    /// Mass-like terms of quasi-static objects, as shares of their stiffest local motion; `None` for dynamic
    /// objects. Empty if all are dynamic.
    pub(crate) still: &'a [Option<f64>],
}

/// Frames of an earlier state, for objects whose linearisation transports them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EarlierFrames<'a> {
    pub(crate) frames: &'a [f64],
    /// The least cosine between an old tangent and a new one.
    pub(crate) least: &'a Cell<f64>,
}

impl Motion<'_> {
    /// Statics with a mass-like term of `sigma` times the mass matrix.
    pub(crate) fn none(sigma: f64) -> Self {
        Motion {
            acceleration_gain: sigma,
            velocity_gain: 0.0,
            inertia: &[],
            velocity: &[],
            strains_before: &[],
            rule: None,
            carried: &[],
            earlier: None,
            start: None,
            still: &[],
        }
    }

    /// The mass-like term of an object if it is quasi-static.
    fn still(&self, object: usize) -> Option<f64> {
        self.still.get(object).copied().flatten()
    }

    /// Motion of loads on an object: none if it is quasi-static.
    pub(super) fn of_object(self, object: usize) -> Self {
        if self.still(object).is_some() { Self::none(0.0) } else { self }
    }
}

/// Fills matrix and right side with everything but constraints, at the trial state and the forces of `time`.
pub(super) fn linearise_objects(of: &Assembly<'_>, system: &mut System, scratch: &mut Vec<f64>) {
    let Assembly { structure, state: trial, time, motion, tangent, arithmetic, .. } = *of;
    let values = system.matrix.values_mut();
    for &slot in &system.loose {
        values[slot as usize] = [0.0; 16];
    }
    system.rhs[4 * system.object_nodes..].fill(0.0);
    set_gravity(structure, trial, time, &mut system.rhs);
    for (index, object) in structure.objects.iter().enumerate() {
        let range = object.unknowns();
        let still = motion.still(index);
        let motion = if still.is_some() { &Motion::none(0.0) } else { motion };
        let earlier = motion.earlier.filter(|_| object.model().transports_frames(arithmetic));
        let how = Linearisation {
            ahead: earlier.map(|earlier| earlier.least),
            ..linearisation(object, index, motion, tangent, arithmetic)
        };
        let own = object.own(&trial.q, earlier.map_or(&trial.frames, |earlier| earlier.frames));
        let force = &mut system.rhs[range];
        object.model().linearise(own, &how, object.first, &mut system.matrix, force);
        add_velocity_force(object, own, motion, force);
        if let Some(share) = still {
            system.add_mass_like(object.first..object.first + object.nodes(), share);
        }
    }
    add_inertia(structure, trial, motion, &mut system.rhs, scratch);
    let exact = tangent == Tangent::Exact;
    Loads { structure, state: trial, time, motion, exact }.add(Some(&mut system.matrix), &mut system.rhs);
}

/// Forces of an object that depend on its velocity; none in statics.
#[inline]
fn add_velocity_force(object: &Object, own: Own<'_>, motion: &Motion<'_>, force: &mut [f64]) {
    if let Some(velocity) = motion.velocity.get(object.unknowns()) {
        object.model().add_velocity_force(own, velocity, force);
    }
}

/// Linearisation parameters of an object for a motion.
pub(super) fn linearisation<'a>(
    object: &Object,
    index: usize,
    motion: &Motion<'a>,
    tangent: Tangent,
    arithmetic: Arithmetic,
) -> Linearisation<'a> {
    let model = object.model();
    Linearisation {
        tangent,
        mass: motion.acceleration_gain + model.mass_damping() * motion.velocity_gain,
        viscosity: model.internal_damping() * motion.velocity_gain,
        strain_before: motion.strains_before.get(index).filter(|s| !s.is_empty()).map(Vec::as_slice),
        carried: motion.carried.get(index).filter(|s| !s.is_empty()).map(Vec::as_slice),
        ahead: None,
        arithmetic,
    }
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
    set_gravity(structure, trial, time, force);
    for (index, object) in structure.objects.iter().enumerate() {
        let range = object.unknowns();
        let how = Linearisation {
            mass: 0.0,
            ..linearisation(object, index, motion, Tangent::GaussNewton, Arithmetic::Portable)
        };
        let own = object.own(&trial.q, &trial.frames);
        let force = &mut force[range];
        object.model().subtract_internal_force(own, &how, force);
        add_velocity_force(object, own, motion, force);
    }
    add_inertia(structure, trial, motion, force, scratch);
    Loads { structure, state: trial, time, motion, exact: false }.add(None, force);
}

/// External and spring forces on the objects at rest: `f`.
pub(crate) fn outer_force(structure: &Structure, state: &State, time: f64, force: &mut [f64]) {
    set_gravity(structure, state, time, force);
    Loads { structure, state, time, motion: &Motion::none(0.0), exact: false }.add(None, force);
}

/// Sets `force` to the weight of all nodes and the other forces on objects in a uniform field.
fn set_gravity(structure: &Structure, state: &State, time: f64, force: &mut [f64]) {
    let [gx, gy, gz] = structure.gravity.at(time);
    for (f, &mass) in force.as_chunks_mut().0.iter_mut().zip(&structure.node_mass) {
        *f = [mass * gx, mass * gy, mass * gz, 0.0];
    }
    for object in &structure.objects {
        let own = object.own(&state.q, &state.frames);
        object.model().add_field_force(own, DVec3::new(gx, gy, gz), &mut force[object.unknowns()]);
    }
}

/// Adds `M (d − c₀ Δ − α (c₁ Δ − e))`.
pub(super) fn add_inertia(
    structure: &Structure,
    trial: &State,
    motion: &Motion<'_>,
    force: &mut [f64],
    scratch: &mut Vec<f64>,
) {
    if motion.inertia.is_empty() {
        return;
    }
    for (_, object) in structure.objects.iter().enumerate().filter(|(k, _)| motion.still(*k).is_none()) {
        let range = object.unknowns();
        let (model, own) = (object.model(), object.own(&trial.q, &trial.frames));
        let damping = model.mass_damping();
        if damping == 0.0 {
            model.add_mass_times(own, &motion.inertia[range.clone()], &mut force[range]);
        } else {
            scratch.clear();
            scratch.extend(
                motion.inertia[range.clone()]
                    .iter()
                    .zip(&motion.velocity[range.clone()])
                    .map(|(d, v)| d - damping * v),
            );
            model.add_mass_times(own, scratch, &mut force[range]);
        }
    }
}
