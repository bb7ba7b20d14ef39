//! The residual of a search: its work along an increment, and whether it is balanced.

use crate::constraint::Rows;
use crate::object::Scalar;
use crate::step::linearise_objects::{Motion, residual_force};
use crate::step::order::System;
use crate::world::{State, Structure};
use glam::DVec3;
use micado_linalg::Arithmetic;

/// Allowed residual of an equilibrium, as a share of the acting forces.
const BALANCE: f64 = 1e-4;
/// Rounding of internal forces, as a share of stiffness times the structure's size.
const ROUNDING: f64 = 1e-13;

/// Work of the residual `f − ∇U + Jᵀλ` along the solved increment, at a state: positive while the step goes
/// downhill.
pub(super) fn work(
    structure: &Structure,
    state: &State,
    time: f64,
    system: &System,
    force: &mut [f64],
    scratch: &mut Vec<f64>,
) -> f64 {
    residual_force(structure, state, time, &Motion::none(0.0), force, scratch);
    let mut rows = Rows::default();
    let mut total: f64 = force.iter().zip(system.increment()).map(|(f, d)| f * d).sum();
    for ((constraint, memory), seat) in
        structure.constraints.iter().zip(&state.constraints).zip(&system.seats)
    {
        if memory.duplicate_of.is_some() {
            continue;
        }
        let places = constraint.places(&structure.objects, memory);
        let sites = constraint.sites(&places, structure.poses(state), memory, time);
        constraint.law.linearise(&sites, memory, time, &mut rows);
        let motion = system.motion_of(structure, &places, seat);
        for (r, row) in rows.iter().enumerate() {
            total -= system.solution[seat.first_row + r] * motion.along(row, &places, &sites);
        }
        if let Some(sliding) = constraint.law.sliding_mass() {
            let load = sliding.load(DVec3::from_array(structure.gravity.at(time)), time);
            total += load.dot(motion.of_sliding(&places[0], places[0].slice(&structure.objects, &state.q)));
        }
    }
    total + system.work_of_lengths(structure, state)
}

/// Arms of the scalars of all nodes of objects, four per node, m: a torque on a body counts as a force at
/// its radius of gyration. Zero for rolls, whose torques count on their own.
fn arms(structure: &Structure) -> impl Iterator<Item = [f64; 4]> + '_ {
    structure.objects.iter().flat_map(|object| {
        let model = object.model();
        let radius = model.spin_inertia().map_or(1.0, |(_, inertia)| {
            let polar = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
            (polar / model.total_mass()).sqrt()
        });
        object.scalars().map(move |scalars| {
            scalars.map(|scalar| match scalar {
                Scalar::Roll => 0.0,
                Scalar::Rotation => radius,
                Scalar::Position | Scalar::Slope | Scalar::Unused => 1.0,
            })
        })
    })
}

impl System {
    /// Rounding of the internal forces, N, and torques about rods, N·m.
    pub(super) fn rounding(&self, structure: &Structure, size: f64) -> [f64; 2] {
        let [displacement, roll] = self.stiffness(structure);
        [ROUNDING * size * displacement, ROUNDING * roll]
    }

    /// Sums of the stiffnesses of all nodes against displacement, N/m, and against roll, N·m.
    fn stiffness(&self, structure: &Structure) -> [f64; 2] {
        let mut sums = [0.0; 2];
        for (node, arms) in arms(structure).enumerate() {
            let diagonal = &self.matrix.values()[self.matrix.row_start(node)];
            for (a, arm) in arms.into_iter().enumerate() {
                let stiffness = diagonal[5 * a].abs();
                if arm == 0.0 { sums[1] += stiffness } else { sums[0] += stiffness / (arm * arm) }
            }
        }
        sums
    }

    /// Whether the residual f − ∇U + Jᵀλ before the solved step is small compared with f − ∇U and Jᵀλ, or
    /// with their `rounding`. The residual is (A + σS) Δ; small steps are not enough, since σS may
    /// cause them.
    pub(super) fn is_balanced(
        &self,
        structure: &Structure,
        [moved, left]: &mut [Vec<f64>; 2],
        rounding: [f64; 2],
        arithmetic: Arithmetic,
    ) -> bool {
        let scalars = self.scalars();
        moved.clear();
        moved.extend_from_slice(&self.solution[..4 * self.primal_nodes]);
        moved.resize(scalars, 0.0);
        left.resize(scalars, 0.0);
        self.matrix.multiply_with(moved, left, arithmetic);
        // Forces, and torques about the rods.
        let (mut unbalanced, mut acting) = ([0.0; 2], [0.0; 2]);
        for (k, arm) in arms(structure).flatten().enumerate() {
            let (left, b) = (left[k] + self.shift[k] * moved[k], self.rhs[k]);
            let (kind, arm) = if arm == 0.0 { (1, 1.0) } else { (0, arm) };
            unbalanced[kind] += left.abs() / arm;
            acting[kind] += b.abs().max((b - left).abs()) / arm;
        }
        (0..2).all(|kind| unbalanced[kind] <= BALANCE * acting[kind] + rounding[kind])
    }
}
