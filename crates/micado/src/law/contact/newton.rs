//! Newton: the semismooth Newton method on the active blocks.
//!
//! At the present forces every block is split into components that hold, δ + s f = 0, and components whose
//! force is given (`law/split.rs`). A normal row of a closed contact holds; sliding friction along its
//! direction d is given, μ f_n, and follows the normal force: the unknown of this row acts along n + μ d.
//! Across d friction holds with a softness s. With rows H and columns C of the components that hold,
//!
//! ```text
//! (H W C + s + ε D) x = −H (δ + W g) − s f,   f ← f + g + C x,
//! ```
//!
//! g the jump of given forces to their values. These are the Alart–Curnier equations without those rows whose
//! solution is known.
//!
//! D is the diagonal of W. With ε > 0 a singular W is regular: forces that nothing determines change as
//! little as they can, and rows that exclude each other do not drive forces to infinity. ε begins with the
//! relative residual; it falls while the residual falls, and rises when it grows. Steps are whole: a search
//! along the step for less residual stops at the kinks of the laws.

use super::super::BlockLaw;
use super::super::split::{Component, ComponentState};
use super::{Blocks, Candidate, Limits, Outcome, Scratch};
use glam::DVec3;
use micado_linalg::DenseLu;

/// Most active blocks: a factorisation takes (3 · 200)³ · 2/3 operations.
const MOST_BLOCKS: usize = 200;
/// Bounds of ε. Below the first, rounding of W, 1e-16, changes free forces by 1e-6 of their size.
const LEAST_SHIFT: f64 = 1e-10;
const MOST_SHIFT: f64 = 0.1;
/// Most initial ε.
const FIRST_SHIFT: f64 = 1e-2;
/// Factor of ε from one iteration to the next.
const CHANGE: f64 = 10.0;

/// A component that holds.
#[derive(Clone, Copy, Debug)]
struct Held {
    block: usize,
    /// Direction of its displacement, and of its force.
    row: DVec3,
    column: DVec3,
    /// s, m/N
    softness: f64,
}

/// Memory of the method, which is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    held: Vec<Held>,
    /// Held components of block i begin at `first[i]`; they end at `last[i]`.
    first: Vec<usize>,
    last: Vec<usize>,
    /// Changes of forces and displacements in a step.
    step: Vec<DVec3>,
    motion: Vec<DVec3>,
    trial: Candidate,
    right: Vec<f64>,
    factors: DenseLu,
}

impl Newton {
    /// Reserves memory for problems of this many blocks.
    pub(super) fn with_room(blocks: usize) -> Self {
        let mut factors = DenseLu::default();
        factors.reserve(3 * blocks.min(MOST_BLOCKS));
        Self {
            held: Vec::with_capacity(3 * blocks),
            first: Vec::with_capacity(blocks),
            last: Vec::with_capacity(blocks),
            step: Vec::with_capacity(blocks),
            motion: Vec::with_capacity(blocks),
            trial: Candidate {
                forces: Vec::with_capacity(blocks),
                delta: Vec::with_capacity(blocks),
                residual: 0.0,
            },
            right: Vec::with_capacity(3 * blocks),
            factors,
        }
    }
}

impl Blocks {
    /// Iterates from the best candidate, at most `iterations` times, with at least this initial ε.
    pub(super) fn solve_newton(
        &self,
        how: Limits,
        (iterations, least_shift): (usize, f64),
        scratch: &mut Scratch,
        outcome: &mut Outcome,
    ) {
        let Scratch { order, present, best, newton, .. } = scratch;
        if best.residual <= how.tolerance {
            return;
        }
        present.copy_from(best);
        let size = (0..self.len()).map(|i| self.largest[i] * best.forces[i].length()).fold(0.0, f64::max);
        let relative = if size > 0.0 { best.residual / size } else { 1.0 };
        let mut shift = relative.clamp(least_shift.max(LEAST_SHIFT), FIRST_SHIFT);
        let mut before = self.sum_of_squares(order, present);
        for _ in 0..iterations {
            if !self.split(order, present, newton) {
                return;
            }
            outcome.factors += 1;
            self.factorise(shift, how, newton);
            if !self.find_step(order, present, newton) {
                return;
            }
            let Newton { step, motion, trial, .. } = newton;
            for &i in &*order {
                present.forces[i] += step[i];
                present.delta[i] += motion[i];
            }
            let after = self.sum_of_squares(order, present);
            shift = if after < before { shift / CHANGE } else { shift * CHANGE };
            shift = shift.clamp(LEAST_SHIFT, MOST_SHIFT);
            before = after;
            // Allowed forces count; the iterates need not be allowed.
            trial.forces.clone_from(&present.forces);
            self.project(&mut trial.forces);
            self.evaluate(order, trial);
            if trial.residual < best.residual {
                best.copy_from(trial);
            }
            if best.residual <= how.tolerance {
                return;
            }
        }
    }

    /// Sum of squared residuals of all blocks, m².
    fn sum_of_squares(&self, order: &[usize], candidate: &Candidate) -> f64 {
        let left = |&i: &usize| self.residual_of(i, candidate.forces[i], candidate.delta[i]);
        order.iter().map(left).map(|left| left * left).sum()
    }

    /// Splits all blocks, and sets the step to the jump of given forces. Returns false if none or too many
    /// are active.
    fn split(&self, order: &[usize], present: &Candidate, newton: &mut Newton) -> bool {
        let Newton { held, first, last, step, .. } = newton;
        held.clear();
        for list in [&mut *first, &mut *last] {
            list.clear();
            list.resize(self.len(), 0);
        }
        step.clear();
        step.resize(self.len(), DVec3::ZERO);
        let mut active = 0;
        for &i in order {
            let (law, rows) = (&self.laws[i], self.laws[i].rows());
            let (force, delta) = (present.forces[i].to_array(), present.delta[i].to_array());
            let from = held.len();
            first[i] = from;
            law.split(&force[..rows], &delta[..rows], self.largest[i], 0.0, |component| {
                let Component { axis, state } = component;
                let axis = DVec3::from_array(axis);
                match state {
                    ComponentState::Holds { softness } => {
                        held.push(Held { block: i, row: axis, column: axis, softness });
                    }
                    ComponentState::Given(given) => {
                        step[i] += (given - axis.dot(present.forces[i])) * axis;
                        if let BlockLaw::Coulomb { friction: [friction, _] } = *law
                            && given > 0.0
                        {
                            // The normal row is the first of the block.
                            held[from].column += friction * axis;
                        }
                    }
                }
            });
            last[i] = held.len();
            active += usize::from(last[i] > from);
        }
        active > 0 && active <= MOST_BLOCKS
    }

    /// Factors H W C + s + ε D.
    fn factorise(&self, shift: f64, how: Limits, newton: &mut Newton) {
        let Newton { held, first, last, factors, .. } = newton;
        factors.begin(held.len());
        for (column, right) in held.iter().enumerate() {
            let i = right.block;
            let mut write = |j: usize, moved: DVec3| {
                for row in first[j]..last[j] {
                    factors.row_mut(row)[column] = held[row].row.dot(moved);
                }
            };
            write(i, self.own[i] * right.column);
            for &(j, w) in self.coupled(i) {
                write(j, w * right.column);
            }
            let own = right.row.dot(self.own[i] * right.row);
            factors.row_mut(column)[column] += right.softness + shift * own;
        }
        factors.factorise(how.arithmetic);
    }

    /// Completes the step, and finds its motion. Returns false if it is not finite.
    fn find_step(&self, order: &[usize], present: &Candidate, newton: &mut Newton) -> bool {
        let Newton { held, step, motion, right, factors, .. } = newton;
        motion.clear();
        motion.resize(self.len(), DVec3::ZERO);
        self.add_motion(order, step, motion);
        right.clear();
        right.extend(held.iter().map(|held| {
            let i = held.block;
            let softened = held.softness * held.row.dot(present.forces[i]);
            -held.row.dot(present.delta[i] + motion[i]) - softened
        }));
        factors.solve(right);
        for (held, x) in held.iter().zip(&*right) {
            step[held.block] += *x * held.column;
        }
        motion.fill(DVec3::ZERO);
        self.add_motion(order, step, motion);
        step.iter().chain(&*motion).all(|change| change.is_finite())
    }
}
