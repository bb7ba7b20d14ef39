//! Loads and springs, as part of the linearisation of objects: forces, stiffness and damping.

use super::linearise_objects::Motion;
use super::seat::nodes_of;
use crate::load::{LoadLaw, Spread, Spring, SpringLaw};
use crate::object::{EndFrame, EndStiffness, Place, PlaceKind, Site, Wrench};
use crate::world::{State, Structure};
use glam::{DMat3, DVec3};
use micado_linalg::BlockMatrix;

/// The loads and springs of a structure in a state, at a time.
#[derive(Clone, Copy)]
pub(super) struct Loads<'a> {
    pub(super) structure: &'a Structure,
    pub(super) state: &'a State,
    pub(super) time: f64,
    pub(super) motion: &'a Motion<'a>,
    /// Whether indefinite stiffness is kept.
    pub(super) exact: bool,
}

impl Loads<'_> {
    /// Adds all forces, and stiffness and damping to the matrix if given.
    pub(super) fn add(&self, mut matrix: Option<&mut BlockMatrix>, force: &mut [f64]) {
        for load in &self.structure.loads {
            match &load.law {
                LoadLaw::Force(place, signal) => {
                    self.add_force(place, signal.at(self.time), matrix.as_deref_mut(), force);
                }
                LoadLaw::Moment(place, signal) => {
                    self.add_moment(place, signal.at(self.time), matrix.as_deref_mut(), force);
                }
                LoadLaw::Distributed(spread, signal) => self.add_spread(spread, signal.at(self.time), force),
                LoadLaw::Drag(spread, signal) => {
                    self.add_spread(spread, signal.at(self.time), force);
                    self.add_drag(spread, matrix.as_deref_mut(), force);
                }
            }
        }
        for (spring, state) in self.structure.springs.iter().zip(&self.state.springs) {
            if let SpringLaw::Custom(law) = &spring.law {
                self.add_custom((spring, law), state, matrix.as_deref_mut(), force);
            } else {
                self.add_spring(spring, &state.frames, matrix.as_deref_mut(), force);
            }
        }
        for (constraint, memory) in self.structure.constraints.iter().zip(&self.state.constraints) {
            if constraint.law.is_soft() && !memory.open {
                self.add_soft_rows(constraint, memory, matrix.as_deref_mut(), force);
            }
        }
    }

    fn add_force(&self, place: &Place, value: [f64; 3], matrix: Option<&mut BlockMatrix>, force: &mut [f64]) {
        let Some(object) = place.object() else { return };
        let value = DVec3::from_array(value);
        let site = self.structure.poses(self.state).site_without_frame(place);
        let own = self.structure.objects[object].unknowns();
        place.add_wrench(&Wrench::force(value), &site, &mut force[own]);
        if place.arm != DVec3::ZERO {
            self.add_stiffness(place, &site, &EndStiffness { force: value, ..EndStiffness::ZERO }, matrix);
        }
    }

    /// Adds the stiffness of a load at a place, which is indefinite.
    pub(super) fn add_stiffness(
        &self,
        place: &Place,
        site: &Site,
        stiffness: &EndStiffness,
        matrix: Option<&mut BlockMatrix>,
    ) {
        let Some(matrix) = matrix.filter(|_| self.exact) else { return };
        let stiffness = place.spread_stiffness(stiffness, site);
        for (i, row) in nodes_of(self.structure, place).enumerate() {
            for (j, column) in nodes_of(self.structure, place).enumerate() {
                if row <= column
                    && let Some(slot) = matrix.slot(row, column)
                {
                    stiffness.add_block((place, i), (place, j), &mut matrix.values_mut()[slot]);
                }
            }
        }
    }

    fn add_moment(
        &self,
        place: &Place,
        value: [f64; 3],
        matrix: Option<&mut BlockMatrix>,
        force: &mut [f64],
    ) {
        let Some(object) = place.object() else { return };
        let (moment, own) = (DVec3::from_array(value), self.structure.objects[object].unknowns());
        // On a curve a moment needs the tangent alone, and no frame is tracked for it.
        let site = if place.kind == PlaceKind::Curve {
            let p = place.derivative(&self.state.q[own.clone()]);
            Site { p, l: p.length(), t: p.normalize(), ..Site::WORLD }
        } else {
            self.structure.poses(self.state).site(place, &EndFrame::default())
        };
        place.add_wrench(&Wrench::moment(moment), &site, &mut force[own]);
        self.add_stiffness(place, &site, &EndStiffness::of_fixed_moment(moment), matrix);
    }

    fn add_spread(&self, spread: &Spread, value: [f64; 3], force: &mut [f64]) {
        let own = self.structure.objects[spread.object].unknowns();
        for (f, &weight) in force[own].as_chunks_mut::<4>().0.iter_mut().zip(&spread.weights) {
            for a in 0..3 {
                f[a] += weight * value[a];
            }
        }
    }

    fn add_drag(&self, spread: &Spread, mut matrix: Option<&mut BlockMatrix>, force: &mut [f64]) {
        let motion = self.motion.of_object(spread.object);
        if motion.velocity_gain == 0.0 {
            return;
        }
        let first = self.structure.objects[spread.object].first;
        spread.for_each_pair(|i, j, value| {
            let (i, j) = (first + i, first + j);
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

    fn add_spring(
        &self,
        spring: &Spring,
        frames: &[EndFrame; 2],
        matrix: Option<&mut BlockMatrix>,
        force: &mut [f64],
    ) {
        let object = spring.ends.iter().find_map(|end| end.place()).and_then(Place::object);
        let motion = object.map_or(*self.motion, |object| self.motion.of_object(object));
        let poses = self.structure.poses(self.state);
        let own = |place: &Place| place.slice(poses.objects, motion.velocity);
        let mut rows = EndRows::default();
        let action = match spring.law {
            SpringLaw::Linear { .. } => {
                let [a, b] = spring.ends.each_ref().map(|end| end.position(poses, self.time));
                // In statics nothing moves, not even points of the world.
                let [va, vb] = match motion.velocity {
                    [] => [DVec3::ZERO; 2],
                    v => spring.ends.each_ref().map(|end| end.velocity(poses, v, self.time)),
                };
                for (end, sign) in spring.ends.iter().zip([1.0, -1.0]) {
                    if let Some(place) = end.place() {
                        let site = poses.site_without_frame(place);
                        rows.push(self.structure, place, &site, |axis| Wrench::force(axis * sign));
                    }
                }
                spring.law.pull(a, b, vb - va, motion.velocity_gain, self.exact)
            }
            SpringLaw::Torsional { .. } => {
                let [a, b] = [0, 1].map(|k| spring.ends[k].frame(poses, &frames[k]));
                let mut rate = DVec3::ZERO;
                for ((end, frame), sign) in spring.ends.iter().zip(frames).zip([1.0, -1.0]) {
                    let Some(place) = end.place() else { continue };
                    let site = poses.site(place, frame);
                    rows.push(self.structure, place, &site, |axis| Wrench::moment(axis * sign));
                    if !motion.velocity.is_empty() {
                        rate += place.spin(own(place), &site) * sign;
                    }
                }
                spring.law.turn(a, b, rate, motion.velocity_gain)
            }
            SpringLaw::Custom(_) => return,
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
            // The force turns with arms: the distance of their ends changes to second order.
            if let SpringLaw::Linear { .. } = spring.law {
                for (end, sign) in spring.ends.iter().zip([1.0, -1.0]) {
                    let Some(place) = end.place().filter(|place| place.arm != DVec3::ZERO) else { continue };
                    let site = poses.site_without_frame(place);
                    let force = action.on_first * sign;
                    self.add_stiffness(
                        place,
                        &site,
                        &EndStiffness { force, ..EndStiffness::ZERO },
                        Some(&mut *matrix),
                    );
                }
            }
        }
    }
}

/// Three rows over the nodes of both ends of a spring.
#[derive(Default)]
struct EndRows {
    nodes: [u32; 8],
    count: usize,
    jacobian: [[[f64; 4]; 8]; 3],
}

impl EndRows {
    /// Adds the nodes of an end, with the wrench of the row of each axis.
    fn push(&mut self, structure: &Structure, place: &Place, site: &Site, wrench: impl Fn(DVec3) -> Wrench) {
        let rows = DVec3::AXES.map(|axis| place.spread(&wrench(axis), site));
        for (k, node) in nodes_of(structure, place).enumerate() {
            self.nodes[self.count] = node;
            for (entries, row) in self.jacobian.iter_mut().zip(&rows) {
                entries[self.count] = place.on_node(k, row);
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
