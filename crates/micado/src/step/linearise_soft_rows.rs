//! Soft rows of constraints, as part of the linearisation of objects: springs and dampers along a row.

use super::linearise_loads::Loads;
use super::seat::nodes_of;
use crate::constraint::{Constraint, ConstraintState, Curvature, ENDS, Row, Site, spread};
use crate::object::{CrossStiffness, Place};
use micado_linalg::BlockMatrix;

/// Largest number of nodes of both places.
const MOST_NODES: usize = 8;

impl Loads<'_> {
    /// Adds `Jᵀf` of the soft rows of a constraint, and `(k + c₁ c) JᵀJ` and their curvature to the matrix.
    pub(super) fn add_soft_rows(
        &self,
        constraint: &Constraint,
        memory: &ConstraintState,
        mut matrix: Option<&mut BlockMatrix>,
        force: &mut [f64],
    ) {
        let poses = self.structure.poses(self.state);
        let places = constraint.places(poses.objects, memory);
        let sites = constraint.find_sites(poses, memory, self.time);
        let object = places.iter().find_map(Place::object);
        let motion = object.map_or(*self.motion, |object| self.motion.of_object(object));
        constraint.law.soft_rows(&sites, &memory.kind, self.time, |soft| {
            let coefficients = Coefficients::new(self, &soft.row, &places, &sites);
            // In statics nothing moves; rates of targets are ignored too.
            let f = match motion.velocity {
                [] => -soft.elastic,
                velocity => soft.force(coefficients.times(velocity)),
            };
            coefficients.add_to(f, force);
            let Some(matrix) = matrix.as_deref_mut() else { return };
            coefficients.add_gram(soft.stiffness + soft.damping * motion.velocity_gain, matrix);
            if self.exact {
                let mut curvature = constraint.law.soft_curvature(&sites, soft.number, f);
                for (end, wrench) in curvature.ends.iter_mut().zip(&soft.row.ends) {
                    end.force = wrench.force * f;
                }
                self.add_curvature(&places, &sites, &curvature, matrix);
            }
        });
    }

    fn add_curvature(
        &self,
        places: &[Place; ENDS],
        sites: &[Site; ENDS],
        curvature: &Curvature,
        matrix: &mut BlockMatrix,
    ) {
        for (e, f) in [(0, 0), (1, 1), (0, 1), (1, 0)] {
            if !places[e].is_somewhere() || !places[f].is_somewhere() {
                continue;
            }
            let terms = match (e, f) {
                (0, 1) if curvature.between != CrossStiffness::ZERO => {
                    places[0].spread_cross(&sites[0], &places[1], &sites[1], &curvature.between)
                }
                (1, 0) if curvature.between != CrossStiffness::ZERO => {
                    let back = curvature.between.transposed();
                    places[1].spread_cross(&sites[1], &places[0], &sites[0], &back)
                }
                _ if e == f => places[e].spread_stiffness(&curvature.ends[e], &sites[e]),
                _ => continue,
            };
            for (i, row) in nodes_of(self.structure, &places[e]).enumerate() {
                for (j, column) in nodes_of(self.structure, &places[f]).enumerate() {
                    if row <= column
                        && let Some(slot) = matrix.slot(row, column)
                    {
                        terms.add_block((&places[e], i), (&places[f], j), &mut matrix.values_mut()[slot]);
                    }
                }
            }
        }
    }
}

/// J of a row on the nodes of both places.
struct Coefficients {
    nodes: [(u32, [f64; 4]); MOST_NODES],
    count: usize,
}

impl Coefficients {
    fn new(of: &Loads<'_>, row: &Row, places: &[Place; ENDS], sites: &[Site; ENDS]) -> Self {
        let mut all = Self { nodes: [(0, [0.0; 4]); MOST_NODES], count: 0 };
        for (place, spread) in places.iter().zip(&spread(row, places, sites)) {
            for (k, node) in nodes_of(of.structure, place).enumerate().filter(|_| place.is_somewhere()) {
                all.nodes[all.count] = (node, place.on_node(k, spread));
                all.count += 1;
            }
        }
        all
    }

    fn iter(&self) -> impl Iterator<Item = (usize, &[f64; 4])> {
        self.nodes[..self.count].iter().map(|(node, entries)| (*node as usize, entries))
    }

    /// J v
    fn times(&self, v: &[f64]) -> f64 {
        self.iter().map(|(node, j)| (0..4).map(|a| j[a] * v[4 * node + a]).sum::<f64>()).sum()
    }

    /// `force += Jᵀf`
    fn add_to(&self, f: f64, force: &mut [f64]) {
        for (node, entries) in self.iter() {
            (0..4).for_each(|a| force[4 * node + a] += entries[a] * f);
        }
    }

    /// `A += c JᵀJ`
    fn add_gram(&self, c: f64, matrix: &mut BlockMatrix) {
        for (i, of_i) in self.iter() {
            for (j, of_j) in self.iter().filter(|&(j, _)| i <= j) {
                let Some(slot) = matrix.slot(i as u32, j as u32) else { continue };
                let block = &mut matrix.values_mut()[slot];
                for a in 0..4 {
                    for b in 0..4 {
                        block[4 * a + b] += c * of_i[a] * of_j[b];
                    }
                }
            }
        }
    }
}
