//! Reduce: eliminates closed contacts, and solves the problem of the other rows.
//!
//! Friction rows of bodies in contact are nearly dependent: a line of touching bodies slides or sticks as a
//! whole, and the friction of each body acts on all. With the closed unilateral rows C and the other rows F,
//! f_C = −W_CC⁻¹(b_C + W_CF f_F) leaves
//!
//! ```text
//! δ_F = W̃ f_F + b̃,   W̃ = W_FF − W_FC W_CC⁻¹ W_CF,   b̃ = b_F − W_FC W_CC⁻¹ b_C.
//! ```
//!
//! A few sweeps over this problem find which friction rows stick. Bounds of friction are those of the present
//! normal forces. Contacts open and close, and bounds follow, until the forces obey all laws.

use super::active_set::{FACTORS, Progress, SINGULAR, Sets};
use super::follow::Followed;
use super::share::Shared;
use super::sweep::{Outcome, Problem, Sweeps};
use super::{BlockLaw, Kept};
use glam::DVec3;
use micado_linalg::DenseCholesky;

/// Most sweeps over a reduced problem.
const SWEEPS: usize = 128;
/// Most solves since the residual was last halved.
const PATIENCE: usize = 8;

/// Memory of the solve, which is reused.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    pub(super) sets: Sets,
    pub(super) forces: Vec<f64>,
    pub(super) delta: Vec<f64>,
    pub(super) normal: Vec<DVec3>,
    /// Rows that are eliminated, then those of the reduced problem; `usize::MAX` fills up a panel.
    pub(super) order: Vec<usize>,
    /// Eliminated rows of the factor.
    pub(super) eliminated: Vec<usize>,
    pub(super) factor: DenseCholesky,
    /// Right side and solution in this order.
    pub(super) right: Vec<f64>,
    reduced: Reduced,
    pub(super) followed: Followed,
    pub(super) shared: Shared,
}

/// The reduced problem.
#[derive(Clone, Debug, Default)]
struct Reduced {
    compliance: Vec<f64>,
    laws: Vec<BlockLaw>,
    kept: Vec<Kept>,
    normal: Vec<DVec3>,
}

impl Scratch {
    /// Reserves memory for problems of this many rows, of which `dense` may be active, and `friction` of
    /// these are friction rows.
    pub fn with_room(rows: usize, dense: usize, friction: usize) -> Self {
        let mut factor = DenseCholesky::default();
        factor.reserve(dense + 8 + friction);
        Self {
            sets: Sets::with_room(rows, dense),
            forces: Vec::with_capacity(rows),
            delta: Vec::with_capacity(rows),
            normal: Vec::with_capacity(rows),
            order: Vec::with_capacity(rows + 8),
            eliminated: Vec::with_capacity(rows + 8),
            factor,
            right: Vec::with_capacity(rows + 8 + friction),
            reduced: Reduced {
                compliance: Vec::with_capacity(dense * dense),
                laws: Vec::with_capacity(rows),
                kept: Vec::with_capacity(rows),
                normal: Vec::with_capacity(rows),
            },
            followed: Followed::with_room(friction, dense),
            shared: Shared::with_room(rows, dense),
        }
    }

    /// Starts a search from these forces.
    pub(super) fn start_from(&mut self, problem: &Problem<'_>, f: &[f64]) {
        self.forces.clear();
        self.forces.extend_from_slice(f);
        self.eliminated.clear();
        problem.evaluate(f, &mut self.delta, &mut self.normal);
    }

    /// Whether the first `count` rows of the order are not those that are eliminated.
    pub(super) fn has_other_contacts(&self, count: usize) -> bool {
        self.order[..count] != self.eliminated
    }
}

impl Problem<'_> {
    /// Whether there are both unilateral and friction rows.
    pub(super) fn can_be_reduced(&self) -> bool {
        self.laws.contains(&BlockLaw::Unilateral)
            && self.laws.iter().any(|law| matches!(law, BlockLaw::Sliding { .. }))
    }

    /// Searches forces that obey all laws, beginning with `f`. Returns the residual if it finds them;
    /// otherwise `f` becomes the forces with the least residual. Adds sweeps and factorisations to `outcome`.
    pub(super) fn solve_reduced(
        &self,
        how: Sweeps,
        f: &mut [f64],
        scratch: &mut Scratch,
        outcome: &mut Outcome,
    ) -> Option<f64> {
        scratch.start_from(self, f);
        let (mut progress, mut least, mut made) = (Progress::default(), f64::INFINITY, 0);
        loop {
            let count = self.order_rows(scratch);
            if made == 0 || scratch.has_other_contacts(count) {
                if made == FACTORS {
                    return None;
                }
                made += 1;
                outcome.factors += 1;
                self.eliminate(count, how, scratch);
            }
            self.solve_others(count, how, scratch, outcome);
            self.evaluate(&scratch.forces, &mut scratch.delta, &mut scratch.normal);
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

    /// Orders closed contacts first, up to a whole panel, then the rows of all other laws. Returns the number
    /// of closed contacts.
    pub(super) fn order_rows(&self, scratch: &mut Scratch) -> usize {
        let Scratch { forces, delta, order, .. } = scratch;
        order.clear();
        let mut first = 0;
        for law in self.laws {
            let w = self.own_compliance(first, law.rows());
            if *law == BlockLaw::Unilateral && w > 0.0 {
                if forces[first] - delta[first] / w > 0.0 {
                    order.push(first);
                } else {
                    forces[first] = 0.0;
                }
            }
            first += law.rows();
        }
        order.resize(order.len().next_multiple_of(8), usize::MAX);
        let count = order.len();
        let mut first = 0;
        for law in self.laws {
            if *law != BlockLaw::Unilateral {
                order.extend(first..first + law.rows());
            }
            first += law.rows();
        }
        count
    }

    /// Eliminates the first rows, and fills in W̃.
    fn eliminate(&self, count: usize, how: Sweeps, scratch: &mut Scratch) {
        let Scratch { order, eliminated, factor, reduced, .. } = scratch;
        eliminated.clear();
        eliminated.extend_from_slice(&order[..count]);
        factor.begin(order.len());
        for (i, &a) in order.iter().enumerate() {
            let row = factor.row_mut(i);
            if a == usize::MAX {
                row[0] = 1.0;
                continue;
            }
            let line = self.line(a);
            for (entry, &b) in row.iter_mut().zip(&order[i..]).filter(|(_, b)| **b != usize::MAX) {
                *entry = line[b];
            }
        }
        factor.eliminate_first(count, SINGULAR, how.arithmetic);
        let others = order.len() - count;
        reduced.compliance.clear();
        reduced.compliance.resize(others * others, 0.0);
        for i in 0..others {
            for (entry, j) in factor.row_mut(count + i).iter().zip(i..) {
                reduced.compliance[i * others + j] = *entry;
                reduced.compliance[j * others + i] = *entry;
            }
        }
    }

    /// Solves the reduced problem with bounds of the present normal forces; the eliminated rows follow.
    fn solve_others(&self, count: usize, how: Sweeps, scratch: &mut Scratch, outcome: &mut Outcome) {
        let Scratch { sets, forces, normal, order, factor, right, reduced, .. } = scratch;
        let Reduced { compliance, laws, kept, normal: none } = reduced;
        laws.clear();
        let mut first = 0;
        for law in self.laws {
            match *law {
                BlockLaw::Unilateral => {}
                BlockLaw::Sliding { friction } => {
                    let most = friction * normal[first].length();
                    laws.push(BlockLaw::Bounded { least: -most, most });
                }
                ref law => laws.push(law.clone()),
            }
            first += law.rows();
        }
        // −b, reduced; the solution of the other rows replaces it.
        right.clear();
        right.extend(order.iter().map(|&row| if row == usize::MAX { 0.0 } else { -self.start[row] }));
        factor.reduce(right);
        let (_, others) = right.split_at_mut(count);
        let mut start = std::mem::take(&mut sets.start);
        start.clear();
        start.extend(others.iter().map(|right| -right));
        // One for each row: contacts with friction have three.
        kept.clear();
        kept.resize(start.len(), Kept::default());
        none.clear();
        none.resize(start.len(), DVec3::ZERO);
        others.iter_mut().zip(&order[count..]).for_each(|(f, &row)| *f = forces[row]);
        let problem = Problem { compliance, start: &start, laws, normal: none, rubbing: &[], response: &[] };
        let inner = problem.sweep_until(Sweeps { most: SWEEPS, ..how }, others, kept, sets);
        outcome.sweeps += inner.sweeps;
        outcome.factors += inner.factors;
        sets.start = start;
        factor.recover(right);
        for (&row, &force) in order.iter().zip(&*right).filter(|(row, _)| **row != usize::MAX) {
            forces[row] = force;
        }
    }
}
