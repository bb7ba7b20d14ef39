//! The term σS that holds a structure during a search for its equilibrium.
//!
//! Where the second derivative of the energy is not definite, or nothing holds an object yet, a step needs a
//! stiffness that vanishes in the end. S is the diagonal
//!
//! ```text
//! S_i = (EI/L³ + G/D) w_i     displacements        S_i = (GJ/L) w_i     rolls
//! ```
//!
//! EI/L³ and GJ/L are those of the object, G is the sum of the magnitudes of all loads, D the size of the
//! structure, and w_i the share of the node in its object. So σ = 1 compares with the softest deformation of
//! the whole object, whatever its mesh and its mass, and an object that nothing holds moves by about D.
//!
//! Whether a mode is unstable is judged with the loads of each object alone: a heavy neighbour must not hide
//! that a thin wire buckles.

use crate::object::Object;
use crate::step::linearise_objects::outer_force;
use crate::step::order::System;
use crate::world::{State, Structure};
use glam::DVec3;

/// Least σ with which the norms of rows are computed, so that objects that only rows hold have some
/// stiffness.
const LEAST_OF_ROWS: f64 = 1e-3;

/// The diagonal S.
#[derive(Clone, Debug, Default)]
pub(in crate::step) struct Holding {
    /// Four numbers per node of objects.
    diagonal: Vec<f64>,
    /// The same with the loads of each object alone.
    own: Vec<f64>,
    /// Stiffness per m of sliding of the own unknowns of sliding masses, N/m.
    sliding: f64,
}

impl Holding {
    /// Computes S from the objects and the loads at `time`; `force` is scratch.
    pub(in crate::step) fn compute(
        &mut self,
        structure: &Structure,
        (state, time): (&State, f64),
        size: f64,
        system: &System,
        force: &mut [f64],
    ) {
        let all = sliding_loads(structure, time) + loads(structure, state, time, force);
        let scalars = 4 * system.object_nodes;
        for diagonal in [&mut self.diagonal, &mut self.own] {
            diagonal.clear();
            diagonal.resize(scalars, 0.0);
        }
        self.sliding = 0.0;
        for object in &structure.objects {
            let [bending, twisting] = object.model().softest_stiffness();
            // Any positive number will do if nothing is stiff or loaded.
            let positive = |scale: f64, other: f64| if scale > 0.0 { scale } else { other };
            let displacement = positive(bending + all / size, 1.0);
            let own = positive(bending + load_on(object, force) / size, displacement);
            self.sliding = self.sliding.max(displacement);
            let rotation = |displacement: f64| positive(twisting, displacement * size * size);
            share(object, [displacement, rotation(displacement)], &system.lumped, &mut self.diagonal);
            share(object, [own, rotation(own)], &system.lumped, &mut self.own);
        }
    }

    /// S of the unknowns of objects.
    pub(in crate::step) fn diagonal(&self) -> &[f64] {
        &self.diagonal
    }

    /// S of the unknowns of objects with the loads of each object alone.
    pub(super) fn own(&self) -> &[f64] {
        &self.own
    }
}

/// Spreads the stiffnesses of an object over its nodes, in proportion to their lumped masses.
fn share(object: &Object, [displacement, rotation]: [f64; 2], lumped: &[f64], diagonal: &mut [f64]) {
    let own = object.unknowns();
    let (mut mass, mut inertia) = (0.0, 0.0);
    for (lumped, scalars) in lumped[own.clone()].chunks_exact(4).zip(object.scalars()) {
        for (lumped, scalar) in lumped.iter().zip(scalars) {
            if scalar.is_length() {
                // Three components.
                mass += lumped / 3.0;
            } else if scalar.is_angle() {
                inertia += lumped;
            }
        }
    }
    let nodes = diagonal[own.clone()].chunks_exact_mut(4).zip(lumped[own].chunks_exact(4));
    for ((to, lumped), scalars) in nodes.zip(object.scalars()) {
        for a in 0..4 {
            let (of, sum) = if scalars[a].is_angle() { (rotation, inertia) } else { (displacement, mass) };
            to[a] = if sum > 0.0 { of * lumped[a] / sum } else { 0.0 };
        }
    }
}

/// Computes the outer forces. Returns the sum of their magnitudes, N.
fn loads(structure: &Structure, state: &State, time: f64, force: &mut [f64]) -> f64 {
    outer_force(structure, state, time, force);
    structure.objects.iter().map(|object| load_on(object, force)).sum()
}

/// Sum of the magnitudes of the forces on an object, N.
fn load_on(object: &Object, force: &[f64]) -> f64 {
    let nodes = force[object.unknowns()].chunks_exact(4).zip(object.scalars());
    let forces = nodes.filter(|(_, scalars)| scalars[0].is_length());
    forces.map(|(f, _)| DVec3::new(f[0], f[1], f[2]).length()).sum()
}

/// Sum of the magnitudes of the loads of sliding masses, N.
fn sliding_loads(structure: &Structure, time: f64) -> f64 {
    let gravity = DVec3::from_array(structure.gravity.at(time));
    let masses = structure.constraints.iter().filter_map(|constraint| constraint.law.sliding_mass());
    masses.map(|mass| mass.load(gravity, time).length()).sum()
}

impl System {
    /// Puts σS on the diagonal of objects and of sliding masses: on a straight piece nothing else holds the
    /// latter.
    pub(super) fn hold(&mut self, holding: &Holding, sigma: f64) {
        self.hold_with(&holding.diagonal, holding, sigma);
    }

    /// Like `hold`, with the loads of each object alone.
    pub(super) fn hold_by_own_loads(&mut self, holding: &Holding, sigma: f64) {
        self.hold_with(&holding.own, holding, sigma);
    }

    fn hold_with(&mut self, diagonal: &[f64], holding: &Holding, sigma: f64) {
        self.mass_like = true;
        for (shift, s) in self.shift.iter_mut().zip(diagonal) {
            *shift = sigma * s;
        }
        for &(own, speed) in &self.sliding_mass {
            self.shift[4 * own] = sigma * holding.sliding * speed;
        }
    }

    /// Like `hold`, for the norms of rows.
    pub(in crate::step) fn hold_for_rows(&mut self, holding: &Holding, sigma: f64) {
        self.hold(holding, sigma.max(LEAST_OF_ROWS));
    }
}
