//! Custom forces, as part of the linearisation of objects.

use super::linearise_loads::Loads;
use super::seat::nodes_of;
use crate::load::{FORCE_SCALARS, ForceAction, SharedForce, Spring, SpringState};
use crate::object::{EndStiffness, Place, Wrench};
use glam::DVec3;
use micado_linalg::BlockMatrix;

/// Largest number of nodes of both ends.
const NODES: usize = 8;

/// Generalised forces on the nodes of both ends, from unit forces and moments at the ends.
struct Columns {
    nodes: [u32; NODES],
    count: usize,
    jacobian: [[[f64; 4]; NODES]; FORCE_SCALARS],
}

impl Loads<'_> {
    /// Adds forces, stiffness and damping of a custom force.
    pub(super) fn add_custom(
        &self,
        (spring, law): (&Spring, &SharedForce),
        known: &SpringState,
        matrix: Option<&mut BlockMatrix>,
        force: &mut [f64],
    ) {
        let object = spring.ends.iter().find_map(|end| end.place()).and_then(Place::object);
        let motion = object.map_or(*self.motion, |object| self.motion.of_object(object));
        let (poses, turns) = (self.structure.poses(self.state), law.turns());
        let ends = Spring::force_ends(&spring.ends, turns, poses, motion.velocity, &known.frames, self.time);
        let action = law.act(&ends, &known.memory, self.time, self.exact);
        let mut columns =
            Columns { nodes: [0; NODES], count: 0, jacobian: [[[0.0; 4]; NODES]; FORCE_SCALARS] };
        for (e, (end, place)) in ends.iter().zip(&spring.ends).enumerate() {
            let Some(place) = place.place() else { continue };
            let nodes = nodes_of(self.structure, place).enumerate();
            for (k, node) in nodes.filter(|(k, _)| columns.count + k < NODES) {
                columns.nodes[columns.count + k] = node;
            }
            for (a, axis) in DVec3::AXES.into_iter().enumerate() {
                for (r, wrench) in [(a, Wrench::force(axis)), (3 + a, Wrench::moment(axis))] {
                    if r < 3 || turns {
                        let row = place.spread(&wrench, &end.site);
                        for k in 0..place.nodes().len() {
                            columns.jacobian[6 * e + r][columns.count + k] = place.on_node(k, &row);
                        }
                    }
                }
            }
            columns.count += place.nodes().len();
        }
        columns.add_force(&action, force);
        let Some(matrix) = matrix else { return };
        columns.add_stiffness(&action, motion.velocity_gain, matrix);
        for (e, (end, place)) in ends.iter().zip(&spring.ends).enumerate() {
            let Some(place) = place.place() else { continue };
            let moment = if turns { action.moment[e] } else { DVec3::ZERO };
            if place.arm != DVec3::ZERO || moment != DVec3::ZERO {
                let own = EndStiffness { force: action.force[e], moment, ..EndStiffness::ZERO };
                self.add_stiffness(place, &end.site, &own, Some(&mut *matrix));
            }
        }
    }
}

impl Columns {
    /// `b += Jᵀ f`
    fn add_force(&self, action: &ForceAction, force: &mut [f64]) {
        let [fa, fb] = action.force;
        let [ma, mb] = action.moment;
        let all = [fa, ma, fb, mb].map(|of| of.to_array());
        for (row, f) in self.jacobian.iter().zip(all.as_flattened()) {
            for (node, entries) in self.nodes[..self.count].iter().zip(row) {
                let first = 4 * *node as usize;
                force[first..first + 4].iter_mut().zip(entries).for_each(|(to, entry)| *to += entry * f);
            }
        }
    }

    /// `A += Jᵀ (K + c₁ D) J`
    fn add_stiffness(&self, action: &ForceAction, velocity_gain: f64, matrix: &mut BlockMatrix) {
        // (K + c₁ D) J
        let mut turned = [[[0.0; 4]; NODES]; FORCE_SCALARS];
        for (r, to) in turned.iter_mut().enumerate() {
            for (s, row) in self.jacobian.iter().enumerate() {
                let c = action.stiffness[r][s] + velocity_gain * action.damping[r][s];
                if c != 0.0 {
                    for (to, entries) in to.iter_mut().zip(row).take(self.count) {
                        (0..4).for_each(|b| to[b] += c * entries[b]);
                    }
                }
            }
        }
        for i in 0..self.count {
            for j in 0..self.count {
                let (row, column) = (self.nodes[i], self.nodes[j]);
                if row > column {
                    continue;
                }
                let Some(slot) = matrix.slot(row, column) else { continue };
                let block = &mut matrix.values_mut()[slot];
                for (own, turned) in self.jacobian.iter().zip(&turned) {
                    for a in 0..4 {
                        (0..4).for_each(|b| block[4 * a + b] += own[i][a] * turned[j][b]);
                    }
                }
            }
        }
    }
}
