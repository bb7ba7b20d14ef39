//! Problems with contacts of surfaces: many blocks with friction, see `law/contact/`.

use super::NonSmooth;
use crate::law::contact::{Blocks, Limits, Scratch};
use crate::law::{BlockLaw, Outcome};
use micado_linalg::Arithmetic;

/// Tolerance of the residual, as a share of the contact size, and at most this share of the structure's size.
const OF_BEND: f64 = 1e-9;
const OF_SIZE: f64 = 1e-12;

/// Gaps that differ by less than this share of the contact size count as equal: contacts share forces.
const SHARING: f64 = 1e-8;

/// Scratch of these problems.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    blocks: Blocks,
    members: Vec<usize>,
    scratch: Scratch,
}

impl NonSmooth {
    /// Whether contacts of surfaces with friction are active, and all other active blocks can be solved with
    /// them.
    pub(super) fn is_contact_problem(&self) -> bool {
        let mut has_friction = false;
        for &i in &self.active {
            let block = &self.blocks[i];
            if !Blocks::supports(&block.law) || block.absorbed().is_some() {
                return false;
            }
            has_friction |= block.begun.is_some() && matches!(block.law, BlockLaw::Coulomb { .. });
        }
        has_friction
    }

    /// Largest allowed residual of a contact, and the difference up to which gaps count as equal.
    pub(super) fn contact_limits(&self, size: f64, arithmetic: Arithmetic) -> Limits {
        let bends = self.active.iter().filter_map(|&i| self.blocks[i].begun.map(|begun| begun.bend));
        let least = bends.fold(f64::INFINITY, f64::min);
        let tolerance = (OF_BEND * least).min(OF_SIZE * size);
        Limits { tolerance, sharing: tolerance.max(SHARING * least.min(size)), arithmetic }
    }

    /// Finds the forces of such a problem, from the present ones.
    pub(super) fn solve_contacts(&mut self, size: f64, arithmetic: Arithmetic) -> Outcome {
        let mut found = std::mem::take(&mut self.contacts);
        let Contacts { blocks, members, scratch } = &mut found;
        blocks.clear();
        members.clear();
        let limits = self.contact_limits(size, arithmetic);
        for (&i, &first) in self.active.iter().zip(&self.first_active_rows) {
            let block = &self.blocks[i];
            let rows = first..first + block.law.rows();
            members.push(blocks.push(&block.law, &self.start[rows.clone()], &self.forces[rows]));
        }
        blocks.add_triangle(members, &self.triangle);
        let outcome = blocks.solve(limits, scratch);
        for ((&i, &first), &member) in self.active.iter().zip(&self.first_active_rows).zip(&*members) {
            let force = blocks.force(member);
            let rows = self.blocks[i].law.rows();
            self.forces[first..first + rows].copy_from_slice(&force[..rows]);
        }
        self.overlaps.make_room(blocks);
        self.contacts = found;
        Outcome { sweeps: outcome.sweeps, factors: outcome.factors, updates: 0, residual: outcome.residual }
    }
}
