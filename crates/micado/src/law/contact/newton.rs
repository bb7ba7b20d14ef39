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
//! g the jump of given forces to their values. These are the Alart–Curnier equations without those rows
//! whose solution is known. They are solved densely, or by the roots of W (`roots.rs`) if that is cheaper.
//!
//! D is the largest diagonal entry of W of each block. With ε > 0 the equations are regular even if W is
//! singular: forces that are not unique change as little as possible, and rows that exclude each other do not
//! drive forces to infinity. ε begins with the relative residual; it falls while the residual falls, and
//! rises when it grows. Steps are whole: a line search would stop at the kinks of the laws.

use super::super::BlockLaw;
use super::super::split::{Component, ComponentState};
use super::roots::Roots;
use super::{Blocks, Candidate, Limits, Outcome, Scratch};
use glam::DVec3;
use micado_linalg::DenseLu;

/// Most active blocks of a dense factorisation, which takes (3 · 200)³ · 2/3 operations.
pub(super) const MOST_BLOCKS: usize = 200;
/// Most operations of a sparse factorisation.
const MOST_OPERATIONS: u64 = 300_000_000;
/// Bounds of ε. Below the first, rounding of W, 1e-16, changes free forces by 1e-6 of their size.
pub(super) const LEAST_SHIFT: f64 = 1e-10;
const MOST_SHIFT: f64 = 0.1;
/// Most initial ε.
const FIRST_SHIFT: f64 = 1e-2;
/// Factor of ε from one iteration to the next.
pub(super) const CHANGE: f64 = 10.0;
/// A component that holds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) block: usize,
    /// Direction of its displacement, and of its force.
    pub(super) row: DVec3,
    pub(super) column: DVec3,
    /// s, m/N
    softness: f64,
}

/// Memory of the method, which is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Newton {
    held: Vec<Held>,
    /// s + ε D of the components that hold.
    diagonal: Vec<f64>,
    /// Held components of block i begin at `first[i]`; they end at `last[i]`.
    first: Vec<usize>,
    last: Vec<usize>,
    /// The split of each block in this iteration, and in the next one.
    kinds: [Vec<u8>; 2],
    /// Changes of forces and displacements in a step.
    pub(super) step: Vec<DVec3>,
    pub(super) motion: Vec<DVec3>,
    /// The present forces, projected on the allowed ones.
    pub(super) trial: Candidate,
    /// Right side, and the sum of solutions.
    right: Vec<f64>,
    found: Vec<f64>,
    factors: DenseLu,
    /// Roots of W, and whether they are used.
    pub(super) roots: Roots,
    by_roots: bool,
}

impl Newton {
    /// Reserves memory for problems of this many blocks.
    pub(super) fn with_room(blocks: usize) -> Self {
        let mut factors = DenseLu::default();
        factors.reserve(3 * blocks.min(MOST_BLOCKS));
        let [diagonal, right, found] = [(); 3].map(|()| Vec::with_capacity(3 * blocks));
        let [first, last] = [(); 2].map(|()| Vec::with_capacity(blocks));
        let [step, motion, forces, delta] = [(); 4].map(|()| Vec::with_capacity(blocks));
        Self {
            held: Vec::with_capacity(3 * blocks),
            diagonal,
            first,
            last,
            kinds: [(); 2].map(|()| Vec::with_capacity(blocks)),
            step,
            motion,
            trial: Candidate { forces, delta, residual: 0.0 },
            right,
            found,
            factors,
            ..Self::default()
        }
    }
}

impl Blocks {
    /// Iterates from the best candidate, at most so many times; ε has these least values, at first and later.
    pub(super) fn solve_newton(
        &self,
        how: Limits,
        (iterations, least_first, least): (usize, f64, f64),
        scratch: &mut Scratch,
        outcome: &mut Outcome,
    ) {
        let Scratch { order, present, best, newton, .. } = scratch;
        present.copy_from(best);
        let size = self.size_of(best);
        let relative = if size > 0.0 { best.residual / size } else { 1.0 };
        let mut shift = relative.clamp(least_first.max(LEAST_SHIFT), FIRST_SHIFT);
        let mut before = self.sum_of_squares(order, present, 0.0);
        for _ in 0..iterations {
            if !self.iterate(how, [shift, 0.0], (order, present, newton), outcome) {
                return;
            }
            let after = self.sum_of_squares(order, present, 0.0);
            shift = if after < before { shift / CHANGE } else { shift * CHANGE };
            shift = shift.clamp(least, MOST_SHIFT);
            before = after;
            if newton.trial.residual < best.residual {
                best.copy_from(&newton.trial);
            }
            if best.residual <= how.tolerance {
                return;
            }
        }
    }

    /// Largest w f, m.
    pub(super) fn size_of(&self, candidate: &Candidate) -> f64 {
        (0..self.len()).map(|i| self.largest[i] * candidate.forces[i].length()).fold(0.0, f64::max)
    }

    /// Makes a step from the present candidate, and sets the trial to it, with allowed forces. Returns false
    /// if there is none.
    pub(super) fn iterate(
        &self,
        how: Limits,
        [shift, evening]: [f64; 2],
        (order, present, newton): (&[usize], &mut Candidate, &mut Newton),
        outcome: &mut Outcome,
    ) -> bool {
        if !self.split(order, present, evening, newton) {
            return false;
        }
        outcome.factors += 1;
        self.factorise(shift + evening, how, newton);
        if !self.find_step(order, present, [shift, evening], newton) {
            return false;
        }
        for &i in order {
            present.forces[i] += newton.step[i];
            present.delta[i] += newton.motion[i];
        }
        // Allowed forces count; the iterates need not be allowed.
        newton.trial.forces.clone_from(&present.forces);
        self.project(&mut newton.trial.forces);
        self.evaluate(order, &mut newton.trial);
        true
    }

    /// Sum of squared residuals of all blocks with W + ε₀ D, m².
    pub(super) fn sum_of_squares(&self, order: &[usize], candidate: &Candidate, evening: f64) -> f64 {
        let left = |&i: &usize| {
            let force = candidate.forces[i];
            self.residual_of(i, force, self.evened(i, force, candidate.delta[i], evening))
        };
        order.iter().map(left).map(|left| left * left).sum()
    }

    /// δ + ε₀ w f
    fn evened(&self, i: usize, force: DVec3, delta: DVec3, evening: f64) -> DVec3 {
        delta + evening * self.largest[i] * force
    }

    /// Calls `out` with the components of a block.
    fn split_block(&self, i: usize, present: &Candidate, evening: f64, out: impl FnMut(Component)) {
        let (law, force) = (&self.laws[i], present.forces[i]);
        let delta = self.evened(i, force, present.delta[i], evening).to_array();
        let rows = law.rows();
        law.split(&force.to_array()[..rows], &delta[..rows], self.largest[i], 0.0, out);
    }

    /// Whether every block is still split as in the present factors.
    pub(super) fn splits_alike(&self, present: &Candidate, evening: f64, newton: &mut Newton) -> bool {
        let [known, kinds] = &mut newton.kinds;
        kinds.clear();
        kinds.extend((0..self.len()).map(|i| {
            let mut kind = 0;
            self.split_block(i, present, evening, |component| kind = 4 * kind + kind_of(&component));
            kind
        }));
        known == kinds
    }

    /// Splits all blocks, and sets the step to the jump of given forces. Returns false if none are active, or
    /// too many.
    fn split(&self, order: &[usize], present: &Candidate, evening: f64, newton: &mut Newton) -> bool {
        let Newton { held, first, last, kinds: [kinds, _], step, .. } = newton;
        held.clear();
        for list in [&mut *first, &mut *last] {
            list.clear();
            list.resize(self.len(), 0);
        }
        kinds.clear();
        kinds.resize(self.len(), 0);
        step.clear();
        step.resize(self.len(), DVec3::ZERO);
        let mut active = 0;
        for &i in order {
            let from = held.len();
            first[i] = from;
            self.split_block(i, present, evening, |component| {
                kinds[i] = 4 * kinds[i] + kind_of(&component);
                let Component { axis, state } = component;
                let axis = DVec3::from_array(axis);
                match state {
                    ComponentState::Holds { softness } => {
                        held.push(Held { block: i, row: axis, column: axis, softness });
                    }
                    ComponentState::Given(given) => {
                        step[i] += (given - axis.dot(present.forces[i])) * axis;
                        if let BlockLaw::Coulomb { friction: [friction, _] } = self.laws[i]
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
        let is_dense = active <= MOST_BLOCKS;
        let dense = if is_dense { (held.len() as u64).pow(3) * 2 / 3 } else { MOST_OPERATIONS };
        newton.by_roots = newton.roots.are_cheaper(dense);
        active > 0 && (newton.by_roots || is_dense)
    }

    /// Factors H W C + s + ε D.
    fn factorise(&self, shift: f64, how: Limits, newton: &mut Newton) {
        let Newton { held, diagonal, first, last, factors, roots, by_roots, .. } = newton;
        diagonal.clear();
        diagonal.extend(held.iter().map(|held| held.softness + shift * self.largest[held.block]));
        if *by_roots {
            roots.factorise(self, held, diagonal, how.arithmetic);
            return;
        }
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
            factors.row_mut(column)[column] += diagonal[column];
        }
        factors.factorise(how.arithmetic);
    }

    /// Completes the step, and finds its motion. Returns false if it is not finite.
    fn find_step(
        &self,
        order: &[usize],
        present: &Candidate,
        [shift, evening]: [f64; 2],
        newton: &mut Newton,
    ) -> bool {
        let Newton { held, diagonal, step, motion, right, found, factors, roots, by_roots, .. } = newton;
        found.clear();
        found.resize(held.len(), 0.0);
        // With the roots, x is a small difference of large numbers: a second pass removes the rounding.
        for _ in 0..=usize::from(*by_roots) {
            self.move_by(order, step, motion);
            right.clear();
            right.extend(held.iter().zip(&*found).map(|(held, x)| {
                let (i, w) = (held.block, self.largest[held.block]);
                let delta = present.delta[i] + motion[i];
                let delta = self.evened(i, present.forces[i] + step[i], delta, evening);
                let softened = held.softness * (held.row.dot(present.forces[i]) + x);
                -held.row.dot(delta) - softened - shift * w * x
            }));
            if *by_roots {
                roots.solve(self, held, diagonal, right);
            } else {
                factors.solve(right);
            }
            for ((held, found), x) in held.iter().zip(&mut *found).zip(&*right) {
                *found += x;
                step[held.block] += *x * held.column;
            }
        }
        self.move_by(order, step, motion);
        step.iter().chain(&*motion).all(|change| change.is_finite())
    }

    /// Sets a motion to W f.
    fn move_by(&self, order: &[usize], forces: &[DVec3], motion: &mut Vec<DVec3>) {
        motion.clear();
        motion.resize(self.len(), DVec3::ZERO);
        self.add_motion(order, forces, motion);
    }
}

/// A number for the kind of a component.
fn kind_of(component: &Component) -> u8 {
    match component.state {
        ComponentState::Holds { .. } => 1,
        ComponentState::Given(given) => 2 + u8::from(given > 0.0),
    }
}
