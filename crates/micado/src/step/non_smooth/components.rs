//! Contacts between parts of a system: responses and compliance by component.
//!
//! Objects that only touch share no block of the matrix. The response z = S⁻¹h of a row is then zero outside
//! of the components that it acts on, and W has entries only between rows that meet in a component. Both are
//! stored by component: r rows on c bodies take of the order of r²/c numbers, not r².

use super::NonSmooth;
use crate::law::Outcome;
use crate::law::contact::{Blocks, Limits, Scratch};
use crate::step::order::System;
use glam::{DMat3, DVec3};
use micado_linalg::{Arithmetic, Symbolic};

/// Rows of one component.
#[derive(Clone, Debug, Default)]
struct Member {
    /// Active rows that act on it, and their active blocks, each once.
    rows: Vec<u32>,
    blocks: Vec<usize>,
    /// First of its rows of each block.
    first: Vec<usize>,
    /// z of its rows in groups of four, by position in the component.
    responses: Vec<[f64; 4]>,
    /// W of its rows up to the diagonal.
    triangle: Vec<f64>,
    /// Rows whose responses are known.
    known: usize,
}

/// Components with active rows.
#[derive(Clone, Debug, Default)]
pub(super) struct Components {
    members: Vec<Member>,
    /// Components with rows, in the order in which they got them.
    used: Vec<usize>,
    /// Active blocks that have been distributed.
    distributed: usize,
    /// The free motion.
    pub(super) free: Vec<f64>,
    blocks: Blocks,
    scratch: Scratch,
    numbers: Vec<usize>,
}

/// Position of a scalar in its component, and the component.
fn place(symbolic: &Symbolic, scalar: u32) -> (usize, usize) {
    let node = scalar as usize / 4;
    let component = symbolic.component(node);
    let within = symbolic.position(node) - symbolic.component_range(component).start;
    (component, 4 * within + scalar as usize % 4)
}

impl Components {
    /// Removes the rows of the previous solve, and keeps the free motion.
    pub(super) fn begin(&mut self, count: usize, free: &[f64]) {
        for &k in &self.used {
            let Member { rows, blocks, first, responses, triangle, known } = &mut self.members[k];
            rows.clear();
            blocks.clear();
            first.clear();
            responses.clear();
            triangle.clear();
            *known = 0;
        }
        self.used.clear();
        self.members.resize_with(count.max(self.members.len()), Member::default);
        self.distributed = 0;
        self.free.clear();
        self.free.extend_from_slice(free);
    }
}

impl System {
    /// Whether the active rows of this solve are solved by component: several components, contacts of
    /// surfaces, and only laws that allow it.
    pub(super) fn is_by_component(&self) -> bool {
        let blocks = &self.non_smooth.blocks;
        self.symbolic.components() > 1
            && self.swept.is_none()
            && self.condensed.is_empty()
            && blocks.iter().any(|block| block.begun.is_some())
            && blocks.iter().all(|block| Blocks::supports(&block.law) && block.absorbed().is_none())
    }

    /// Build compliance: distributes new active rows, and computes their responses and W.
    pub(super) fn build_components(&mut self, arithmetic: Arithmetic) {
        let mut all = std::mem::take(&mut self.non_smooth.components);
        let mut work = std::mem::take(&mut self.non_smooth.work);
        self.distribute(&mut all);
        for &k in &all.used {
            let member = &mut all.members[k];
            if member.known < member.rows.len() {
                self.respond(k, member, &mut work, arithmetic);
            }
        }
        (self.non_smooth.components, self.non_smooth.work) = (all, work);
    }

    /// Lists the rows of new active blocks in their components.
    fn distribute(&self, all: &mut Components) {
        let NonSmooth { active, first_active_rows, blocks, rows, coefficients, .. } = &self.non_smooth;
        for a in all.distributed..active.len() {
            let (block, first) = (&blocks[active[a]], first_active_rows[a]);
            let mut found = [usize::MAX; 2];
            for row in &rows[block.rows()] {
                for &(scalar, _) in &coefficients[row.coefficients.0..row.coefficients.1] {
                    let k = self.symbolic.component(scalar as usize / 4);
                    if let Some(free) = found.iter().position(|&at| at == k || at == usize::MAX) {
                        found[free] = k;
                    }
                }
            }
            for k in found.into_iter().filter(|&k| k != usize::MAX) {
                let member = &mut all.members[k];
                if member.rows.is_empty() {
                    all.used.push(k);
                }
                member.blocks.push(a);
                member.first.push(member.rows.len());
                member.rows.extend((0..block.law.rows()).map(|row| (first + row) as u32));
            }
        }
        all.distributed = active.len();
    }

    /// Responses of the new rows of a component, and their part of W.
    fn respond(&self, k: usize, member: &mut Member, work: &mut Vec<f64>, arithmetic: Arithmetic) {
        let (symbolic, size) = (&self.symbolic, 4 * self.symbolic.component_range(k).len());
        let NonSmooth { active_rows, rows, coefficients, .. } = &self.non_smooth;
        let of = |row: u32| {
            let (from, to) = rows[active_rows[row as usize]].coefficients;
            coefficients[from..to].iter().filter_map(|&(scalar, c)| {
                let (component, at) = place(symbolic, scalar);
                (component == k).then_some((at, c))
            })
        };
        // The last group is made anew if it was not full.
        let first = member.known / 4 * 4;
        member.responses.truncate(first / 4 * size);
        member.responses.resize(member.rows.len().div_ceil(4) * size, [0.0; 4]);
        for group in first / 4..member.rows.len().div_ceil(4) {
            let z = &mut member.responses[group * size..][..size];
            for (lane, &row) in member.rows[4 * group..].iter().take(4).enumerate() {
                of(row).for_each(|(at, c)| z[at][lane] += c);
            }
            self.factor.solve_four_within(symbolic, k, z, work, arithmetic);
        }
        let all = member.rows.len();
        member.triangle.resize(all * (all + 1) / 2, 0.0);
        for i in member.known..all {
            for group in 0..=i / 4 {
                let z = &member.responses[group * size..][..size];
                let sums = of(member.rows[i])
                    .fold([0.0; 4], |sums, (at, c)| std::array::from_fn(|lane| sums[lane] + c * z[at][lane]));
                for (lane, &sum) in sums.iter().enumerate().filter(|(lane, _)| 4 * group + lane <= i) {
                    member.triangle[i * (i + 1) / 2 + 4 * group + lane] = sum;
                }
            }
        }
        member.known = all;
    }

    /// Solve constraints: finds the forces, from the present ones.
    pub(super) fn solve_components(&mut self, limits: Limits) -> Outcome {
        let NonSmooth {
            components,
            active,
            first_active_rows,
            active_rows,
            blocks: all,
            rows,
            coefficients,
            forces,
            start,
            inputs,
            overlaps,
            ..
        } = &mut self.non_smooth;
        let Components { members, used, free, blocks, scratch, numbers, .. } = components;
        start.clear();
        start.extend(active_rows.iter().map(|&row| rows[row].displacement(coefficients, free)));
        blocks.clear();
        for (&i, &first) in active.iter().zip(&*first_active_rows) {
            let own = first..first + all[i].law.rows();
            blocks.push(&all[i].law, &start[own.clone()], &forces[own]);
        }
        for &k in &*used {
            let Member { blocks: of, triangle, .. } = &members[k];
            numbers.clear();
            numbers.extend_from_slice(of);
            blocks.add_triangle(numbers, triangle);
        }
        let outcome = blocks.solve(limits, scratch);
        for (a, (&i, &first)) in active.iter().zip(&*first_active_rows).enumerate() {
            let count = all[i].law.rows();
            forces[first..first + count].copy_from_slice(&blocks.force(a)[..count]);
        }
        inputs.clone_from(forces);
        overlaps.make_room(blocks);
        Outcome { sweeps: outcome.sweeps, factors: outcome.factors, updates: 0, residual: outcome.residual }
    }

    /// Correct: the free motion and the effect of the forces.
    pub(super) fn correct_components(&mut self) {
        let Self { non_smooth: NonSmooth { components, forces, .. }, solution, symbolic, .. } = self;
        solution.copy_from_slice(&components.free);
        components.add(symbolic, |row| forces[row as usize], solution);
    }
}

impl Components {
    /// Adds Σ z f to a motion in natural order.
    pub(super) fn add(&self, symbolic: &Symbolic, force: impl Fn(u32) -> f64, motion: &mut [f64]) {
        for &k in &self.used {
            let member = &self.members[k];
            let range = symbolic.component_range(k);
            let nodes = &symbolic.order()[range.clone()];
            for (rows, z) in member.rows.chunks(4).zip(member.responses.chunks_exact(4 * range.len())) {
                let mut f = [0.0; 4];
                f.iter_mut().zip(rows).for_each(|(f, &row)| *f = force(row));
                if f == [0.0; 4] {
                    continue;
                }
                for (z, &node) in z.as_chunks::<4>().0.iter().zip(nodes) {
                    for (x, z) in motion[4 * node as usize..].iter_mut().zip(z) {
                        *x += (z[0] * f[0] + z[1] * f[1]) + (z[2] * f[2] + z[3] * f[3]);
                    }
                }
            }
        }
    }

    /// Adds the problem of pushes along the normals of all active blocks to `blocks`, whose members are these
    /// blocks in their order.
    pub(super) fn add_normals(&self, blocks: &mut Blocks) {
        for &k in &self.used {
            let Member { blocks: of, first, triangle, .. } = &self.members[k];
            blocks.add_component(of, |i, j| {
                let (i, j) = (first[i].max(first[j]), first[i].min(first[j]));
                DMat3::from_diagonal(DVec3::new(triangle[i * (i + 1) / 2 + j], 0.0, 0.0))
            });
        }
    }
}
