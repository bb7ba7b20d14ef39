//! Friction beside contacts: closed contacts are eliminated, and the friction rows are followed from the last
//! forces to those that obey the laws (`stick_slip.rs`).
//!
//! The bounds μ|n| are linearised: with the direction e of n and its response R, their derivative is G = μ
//! e·R. With the closed contacts C and the friction rows F, elimination leaves W̃ of `reduce.rs` and `G̃ =
//! G_F − G_C W_CC⁻¹ W_CF`, both from one Cholesky factor. Contacts open and close, and bounds are linearised
//! at new forces, until the forces obey all laws. As long as the closed contacts stay the same, there is no
//! new factor.
//!
//! Each block of friction remembers whether it stuck or slid, and to which side: the search starts from that.

use super::active_set::{Progress, SINGULAR};
use super::reduce::Scratch;
use super::stick_slip::StickSlip;
use super::sweep::{Outcome, Problem, Sweeps};
use super::{BlockLaw, Kept};
use glam::DVec3;

/// Most eliminations.
const ELIMINATIONS: usize = 8;
/// Most solves since the residual was last halved.
const PATIENCE: usize = 6;
/// Softness of rows that stick, as a share of their own compliance. Rows that depend on each other share
/// their force; the error of the displacements vanishes in the next solve.
const SOFTNESS: f64 = 1e-8;

/// Memory of the search, which is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Followed {
    /// e·R of all normal forces, by rows.
    responses: Vec<f64>,
    rows: StickSlip,
}

impl Followed {
    /// Reserves memory for this many friction rows of problems of `dense` rows.
    pub(super) fn with_room(friction: usize, dense: usize) -> Self {
        Self { responses: Vec::with_capacity(friction * dense), rows: StickSlip::with_room(friction) }
    }
}

impl Problem<'_> {
    /// Whether all rows are friction rows that can move, or unilateral, and some are friction rows.
    pub(super) fn can_be_followed(&self) -> bool {
        let is_friction = |law: &BlockLaw| matches!(law, BlockLaw::Sliding { .. });
        self.laws.iter().any(is_friction)
            && self.laws.iter().enumerate().all(|(i, law)| {
                *law == BlockLaw::Unilateral || is_friction(law) && self.own_compliance(i, 1) > 0.0
            })
    }

    /// Searches forces that obey all laws, beginning with `f` and with what the blocks remember. Returns the
    /// residual if it finds them; otherwise `f` becomes the forces with the least residual.
    pub(super) fn follow(
        &self,
        how: Sweeps,
        f: &mut [f64],
        kept: &[Kept],
        scratch: &mut Scratch,
        outcome: &mut Outcome,
    ) -> Option<f64> {
        scratch.start_from(self, f);
        let sides = &mut scratch.followed.rows.sides;
        sides.clear();
        for (law, kept) in self.laws.iter().zip(kept) {
            if matches!(law, BlockLaw::Sliding { .. }) {
                sides.push(kept[0]);
            }
        }
        let mut least = self.residual(f, &scratch.delta, &scratch.normal);
        let (mut progress, mut made) = (Progress::default(), 0);
        loop {
            let count = self.order_rows(scratch);
            if made == 0 || scratch.has_other_contacts(count) {
                if made == ELIMINATIONS {
                    return None;
                }
                made += 1;
                // The elimination and the inversion.
                outcome.factors += 2;
                self.eliminate_beside_friction(count, how, scratch);
                if !scratch.followed.rows.invert(how.arithmetic) {
                    return None;
                }
                self.recover_contacts(count, scratch);
            }
            self.begin_path(count, scratch);
            if !scratch.followed.rows.follow(how.arithmetic, &mut outcome.updates) {
                return None;
            }
            self.end_path(count, scratch);
            let residual = self.residual(&scratch.forces, &scratch.delta, &scratch.normal);
            let waited = progress.waited(residual);
            if residual < least {
                least = residual;
                f.copy_from_slice(&scratch.forces);
                self.project(f, &scratch.normal);
            }
            if residual <= how.tolerance || waited > 0 && residual <= self.rounding(&scratch.forces) {
                return Some(residual);
            }
            if waited == PATIENCE || residual.is_nan() {
                return None;
            }
        }
    }

    /// Eliminates the first rows, and fills in W̃ and G̃.
    fn eliminate_beside_friction(&self, count: usize, how: Sweeps, scratch: &mut Scratch) {
        let Scratch { order, eliminated, factor, normal, followed: Followed { responses, rows }, .. } =
            scratch;
        let all = self.start.len();
        responses.clear();
        for (&row, lines) in self.rubbing.iter().zip(self.response.chunks_exact((3 * all).max(1))) {
            let e = normal[row].normalize_or_zero();
            let (x, rest) = lines.split_at(all);
            let (y, z) = rest.split_at(all);
            responses.extend((0..all).map(|j| e.x * x[j] + e.y * y[j] + e.z * z[j]));
        }
        eliminated.clear();
        eliminated.extend_from_slice(&order[..count]);
        // The responses are further columns of the symmetric matrix.
        factor.begin(order.len() + self.rubbing.len());
        for (i, &a) in order.iter().enumerate() {
            let (entries, further) = factor.row_mut(i).split_at_mut(order.len() - i);
            if a == usize::MAX {
                entries[0] = 1.0;
                continue;
            }
            let line = self.line(a);
            for (entry, &b) in entries.iter_mut().zip(&order[i..]).filter(|(_, b)| **b != usize::MAX) {
                *entry = line[b];
            }
            further.iter_mut().zip(responses.chunks_exact(all)).for_each(|(entry, line)| *entry = line[a]);
        }
        factor.eliminate_first(count, SINGULAR, how.arithmetic);
        let friction = &order[count..];
        let n = friction.len();
        rows.compliance.clear();
        rows.compliance.resize(n * n, 0.0);
        rows.response.clear();
        rows.response.resize(n * n, 0.0);
        rows.own.clear();
        for (i, &row) in friction.iter().enumerate() {
            let (entries, further) = factor.row_mut(count + i).split_at_mut(n - i);
            for (entry, j) in entries.iter().zip(i..) {
                rows.compliance[i * n + j] = *entry;
                rows.compliance[j * n + i] = *entry;
            }
            let own = self.own_compliance(row, 1);
            rows.compliance[i * n + i] += SOFTNESS * own;
            rows.own.push(own);
            let mut slots = self.rubbing.iter().zip(further).peekable();
            for (j, &row) in friction.iter().enumerate() {
                if let Some((_, entry)) = slots.next_if(|(rubbing, _)| **rubbing == row)
                    && let BlockLaw::Sliding { friction } = self.laws[row]
                {
                    rows.response[j * n + i] = friction * *entry;
                }
            }
        }
    }

    /// Sets the forces of closed contacts to those that hold with the present friction.
    fn recover_contacts(&self, count: usize, scratch: &mut Scratch) {
        let Scratch { forces, delta, normal, order, factor, right, .. } = scratch;
        right.clear();
        right.extend(order.iter().map(|&row| if row == usize::MAX { 0.0 } else { -self.start[row] }));
        right.resize(order.len() + self.rubbing.len(), 0.0);
        factor.reduce(right);
        let (_, others) = right.split_at_mut(count);
        others.fill(0.0);
        others.iter_mut().zip(&order[count..]).for_each(|(right, &row)| *right = forces[row]);
        factor.recover(right);
        for (&row, &force) in order[..count].iter().zip(&*right).filter(|(row, _)| **row != usize::MAX) {
            forces[row] = force;
        }
        self.evaluate(forces, delta, normal);
    }

    /// Copies the present friction to the start of the path.
    fn begin_path(&self, count: usize, scratch: &mut Scratch) {
        let Scratch { forces, delta, normal, order, followed: Followed { rows, .. }, .. } = scratch;
        rows.forces.clear();
        rows.delta.clear();
        rows.bounds.clear();
        for &row in &order[count..] {
            rows.forces.push(forces[row]);
            rows.delta.push(delta[row]);
            if let BlockLaw::Sliding { friction } = self.laws[row] {
                rows.bounds.push(friction * normal[row].length());
            }
        }
    }

    /// Copies friction at the end of the path; contacts, displacements and normal forces follow.
    fn end_path(&self, count: usize, scratch: &mut Scratch) {
        let Scratch { forces, order, followed: Followed { rows, .. }, .. } = scratch;
        order[count..].iter().zip(&rows.forces).for_each(|(&row, force)| forces[row] = *force);
        self.recover_contacts(count, scratch);
    }

    /// Remembers which friction rows slide, and to which side.
    pub(super) fn remember_sides(&self, f: &[f64], delta: &[f64], normal: &[DVec3], kept: &mut [Kept]) {
        for (i, (law, kept)) in self.laws.iter().zip(kept).enumerate() {
            if let BlockLaw::Sliding { friction } = *law {
                let trial = f[i] - delta[i] / self.own_compliance(i, 1);
                let slides = trial.abs() >= friction * normal[i].length();
                kept[0] = if slides { trial.signum() } else { 0.0 };
            }
        }
    }
}
