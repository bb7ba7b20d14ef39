//! Penetration: removes overlaps of surfaces by a displacement that gives no velocity.
//!
//! The solve of a substep does not let an overlap grow, and gives it no velocity. Pushes p along the normals
//! of all contacts remove the overlap that remains after the last solve, r < 0:
//!
//! ```text
//! 0 ≤ p ⊥ r + W p ≥ 0,    Δ = Σ z p
//! ```
//!
//! Positions move by Δ; velocities, forces and the history of second-order integration do not. A substep
//! removes no more than a fifth of the contact size, and moves nothing by more than a twentieth of the
//! structure's size. A body that is wedged between two walls can't be freed by any pushes: then the residual
//! of this problem is as large as the overlap, and is reported.

use super::{NonSmooth, Owner};
use crate::law::BlockLaw;
use crate::law::contact::{Blocks, Limits, Scratch};
use crate::object::Scalar;
use crate::step::order::System;
use crate::world::{ContactMemory, Structure};
use glam::DVec3;
use micado_linalg::{Arithmetic, Symbolic};

/// Deepest overlap that is removed in a substep, as a share of the contact size.
const MOST: f64 = 0.2;
/// Largest displacement in a substep, as a share of the structure's size.
const MOST_OF_SIZE: f64 = 0.05;
/// Overlap that is left, as a share of the structure's size: rounding.
const LEAST: f64 = 1e-12;

/// Scratch of the correction.
#[derive(Clone, Debug, Default)]
pub(super) struct Overlaps {
    /// Numbers of blocks and of pairs of blocks for which there is memory.
    room: [usize; 2],
    /// Remaining gap of each active block; `None` if it is not a contact of surfaces.
    left: Vec<Option<f64>>,
    /// The problem of the pushes.
    blocks: Blocks,
    members: Vec<usize>,
    triangle: Vec<f64>,
    scratch: Scratch,
}

impl Overlaps {
    /// Makes room for overlaps of all contacts of a problem, so that the first overlap allocates nothing.
    pub(super) fn make_room(&mut self, problem: &Blocks) {
        let (blocks, pairs) = (problem.len(), problem.pairs());
        if blocks > self.room[0] || pairs > self.room[1] {
            self.room = [blocks, pairs].map(usize::next_power_of_two);
            let [blocks, pairs] = self.room;
            *self = Self {
                room: self.room,
                left: Vec::with_capacity(blocks),
                blocks: Blocks::with_room(blocks, pairs),
                members: Vec::with_capacity(blocks),
                triangle: Vec::with_capacity(pairs),
                scratch: Scratch::with_room(blocks),
            };
        }
    }
}

impl System {
    /// Computes the displacement of all unknowns that removes overlaps after the last solve, and the residual
    /// of its problem, m; `None` if there are no overlaps.
    pub(in crate::step) fn correct_penetration(
        &mut self,
        structure: &Structure,
        size: f64,
        arithmetic: Arithmetic,
    ) -> Option<(&[f64], f64)> {
        let by_component = self.is_by_component();
        let System { non_smooth, solution, symbolic, .. } = self;
        let mut found = std::mem::take(&mut non_smooth.overlaps);
        let overlaps = non_smooth.list_overlaps(&mut found.left, solution, LEAST * size);
        let mut residual = 0.0;
        if overlaps {
            non_smooth.pose_pushes(&mut found, by_component);
            let how = Limits { tolerance: LEAST * size, sharing: LEAST * size, arithmetic };
            residual = found.blocks.solve(how, &mut found.scratch).residual;
            non_smooth.apart.clear();
            non_smooth.apart.resize(solution.len(), 0.0);
            non_smooth.push_apart(&found, by_component.then_some(symbolic));
            non_smooth.limit_push(structure, &found.left, size);
        }
        non_smooth.overlaps = found;
        overlaps.then_some((non_smooth.apart.as_slice(), residual))
    }
}

impl NonSmooth {
    /// Lists the remaining gaps. Returns whether there is an overlap.
    fn list_overlaps(&self, left: &mut Vec<Option<f64>>, motion: &[f64], least: f64) -> bool {
        left.clear();
        left.extend(self.active.iter().map(|&i| {
            let block = &self.blocks[i];
            let begun = block.begun?;
            let moved = self.rows[block.first].displacement(&self.coefficients, motion);
            Some(begun.gap_after(moved, self.rows[block.first].gap))
        }));
        left.iter().flatten().any(|left| *left < -least)
    }

    /// Poses the problem 0 ≤ p ⊥ r + W p ≥ 0; only contacts of surfaces push.
    fn pose_pushes(&self, found: &mut Overlaps, by_component: bool) {
        let Overlaps { left, blocks, members, triangle, .. } = found;
        blocks.clear();
        members.clear();
        for left in &*left {
            let law = if left.is_some() {
                BlockLaw::Unilateral
            } else {
                BlockLaw::Bounded { least: 0.0, most: 0.0 }
            };
            members.push(blocks.push(&law, &[left.unwrap_or(0.0)], &[0.0]));
        }
        if by_component {
            self.components.add_normals(blocks);
            return;
        }
        triangle.clear();
        for (a, &row) in self.first_active_rows.iter().enumerate() {
            // W before openings and multipliers were exchanged. Rows are numbered as blocks are activated.
            let line = &self.triangle[row * (row + 1) / 2..];
            triangle.extend(self.first_active_rows[..=a].iter().map(|&column| line[column]));
        }
        blocks.add_triangle(members, triangle);
    }

    /// Δ = Σ z p.
    fn push_apart(&mut self, found: &Overlaps, by_component: Option<&Symbolic>) {
        let Self { components, apart, first_active_rows, slots, responses, .. } = self;
        if let Some(symbolic) = by_component {
            components.add(
                symbolic,
                |row| {
                    let a = first_active_rows.partition_point(|&first| first <= row as usize) - 1;
                    if first_active_rows[a] == row as usize { found.blocks.force(a)[0] } else { 0.0 }
                },
                apart,
            );
            return;
        }
        let unknowns = apart.len();
        for (a, &row) in first_active_rows.iter().enumerate() {
            let push = found.blocks.force(a)[0];
            if push != 0.0 {
                let slot = slots[row];
                let z = &responses[slot / 4 * unknowns..][..unknowns];
                apart.iter_mut().zip(z).for_each(|(x, z)| *x += z[slot % 4] * push);
            }
        }
    }

    /// Adds the displacement to the gaps that the state remembers.
    pub(in crate::step) fn add_to_gaps(&self, contacts: &mut ContactMemory) {
        for block in &self.blocks {
            if let Owner::Contact(key) = block.owner
                && block.begun.is_some()
            {
                let (from, to) = self.rows[block.first].coefficients;
                let moved =
                    self.coefficients[from..to].iter().map(|&(i, c)| c * self.apart[i as usize]).sum();
                contacts.widen(&key, moved);
            }
        }
    }

    /// Shortens the displacement if it would remove too deep an overlap at once, or move a place too far.
    fn limit_push(&mut self, structure: &Structure, left: &[Option<f64>], size: f64) {
        let (mut deepest, mut limit) = (0.0_f64, MOST_OF_SIZE * size);
        for (left, &i) in left.iter().zip(&self.active) {
            if let (Some(left), Some(begun)) = (left, self.blocks[i].begun)
                && *left < -LEAST * size
            {
                deepest = deepest.max(-left);
                limit = limit.min(MOST * begun.bend);
            }
        }
        let mut farthest = 0.0_f64;
        for object in &structure.objects {
            let nodes = self.apart[object.unknowns()].chunks_exact(4).zip(object.scalars());
            for (moved, _) in nodes.filter(|(_, scalars)| scalars[0] == Scalar::Position) {
                let moved = DVec3::from_slice(moved).length();
                farthest = if moved.is_finite() { farthest.max(moved) } else { f64::INFINITY };
            }
        }
        let share = (limit / deepest).min(MOST_OF_SIZE * size / farthest);
        if farthest == f64::INFINITY {
            self.apart.fill(0.0);
        } else if share < 1.0 {
            self.apart.iter_mut().for_each(|x| *x *= share);
        }
    }
}
