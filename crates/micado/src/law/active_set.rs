//! Active set: solves all components that hold together, while given forces follow their bounds.
//!
//! The blocks are split at the present forces (`split.rs`). With the components H that hold and the given
//! ones G, `(W_HH + s) f_H = −b_H − W_HG f_G` is symmetric and positive, and one Cholesky factor serves as
//! long as the split stays the same. Bounds that depend on normal forces follow them from one solve to the
//! next. This is a semismooth Newton method without the derivatives of these bounds. It ends when the
//! residual stops falling; other methods then continue.

use super::split::{Component, ComponentState, MOST_ROWS};
use super::sweep::{Problem, Sweeps};
use super::{BlockLaw, Kept};
use glam::DVec3;
use micado_linalg::{Arithmetic, DenseCholesky, product};

/// Smallest pivot, as a share of its diagonal entry of W. Below it the component depends on others that hold,
/// and keeps its force.
pub(super) const SINGULAR: f64 = 1e-10;

/// Most factorisations of one attempt.
pub(super) const FACTORS: usize = 10;
/// Most solves since the residual was last halved.
const PATIENCE: usize = 8;
/// Rounding of δ, as a share of the sum of its terms.
const ROUNDING: f64 = 1e-15;

/// Counts the solves since the residual was last halved.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    halved: f64,
    waited: usize,
}

impl Default for Progress {
    fn default() -> Self {
        Self { halved: f64::INFINITY, waited: 0 }
    }
}

impl Progress {
    /// Number of solves since the residual was last halved, including the one with this residual.
    pub(super) fn waited(&mut self, residual: f64) -> usize {
        if residual < 0.5 * self.halved {
            *self = Self { halved: residual, waited: 0 };
        } else {
            self.waited += 1;
        }
        self.waited
    }
}

/// A component that holds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Held {
    /// First row of its block, and number of rows.
    first: usize,
    rows: usize,
    axis: [f64; MOST_ROWS],
    /// s, m/N
    softness: f64,
}

impl Held {
    /// Part of a vector over all rows along this component.
    fn of(&self, values: &[f64]) -> f64 {
        (0..self.rows).map(|a| self.axis[a] * values[self.first + a]).sum()
    }

    /// Adds a multiple of this component to a vector over all rows.
    fn add(&self, value: f64, to: &mut [f64]) {
        (0..self.rows).for_each(|a| to[self.first + a] += self.axis[a] * value);
    }
}

/// Memory of the active set, which is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Sets {
    forces: Vec<f64>,
    pub(super) delta: Vec<f64>,
    pub(super) normal: Vec<DVec3>,
    step: Vec<f64>,
    right: Vec<f64>,
    /// Displacements without force of a reduced problem.
    pub(super) start: Vec<f64>,
    /// Components that hold, and those of the factor.
    held: Vec<Held>,
    factored: Vec<Held>,
    factor: DenseCholesky,
}

impl Sets {
    /// Reserves memory for problems of this many rows, of which `dense` may be active.
    pub(super) fn with_room(rows: usize, dense: usize) -> Self {
        let mut factor = DenseCholesky::default();
        factor.reserve(dense);
        Self {
            forces: Vec::with_capacity(rows),
            delta: Vec::with_capacity(rows),
            normal: Vec::with_capacity(rows),
            step: Vec::with_capacity(rows),
            right: Vec::with_capacity(rows),
            start: Vec::with_capacity(rows),
            held: Vec::with_capacity(rows),
            factored: Vec::with_capacity(rows),
            factor,
        }
    }

    /// Discards the factor of another problem.
    pub(super) fn forget(&mut self) {
        self.factored.clear();
    }

    /// First rows of the components of the last factor.
    pub(super) fn factored_rows(&self) -> impl Iterator<Item = usize> {
        self.factored.iter().map(|held| held.first)
    }

    /// Number of components that depend on others in the last factor.
    pub(super) fn left_out(&self) -> usize {
        self.factor.left_out()
    }
}

impl Problem<'_> {
    /// Searches forces that obey all laws, beginning with `f`. Returns the residual if it finds them;
    /// otherwise `f` stays as it is. Adds its factorisations to `factors`.
    pub(super) fn solve_active_set(
        &self,
        how: Sweeps,
        most_factors: usize,
        f: &mut [f64],
        scratch: &mut Sets,
        factors: &mut usize,
    ) -> Option<f64> {
        self.solve_active_set_from(how, most_factors, None, f, scratch, factors)
    }

    /// Like [`solve_active_set`](Self::solve_active_set); the first split is the one that friction rows
    /// `remember`.
    pub(super) fn solve_active_set_from(
        &self,
        how: Sweeps,
        most_factors: usize,
        mut remember: Option<&[Kept]>,
        f: &mut [f64],
        scratch: &mut Sets,
        factors: &mut usize,
    ) -> Option<f64> {
        scratch.forces.clear();
        scratch.forces.extend_from_slice(f);
        self.evaluate(f, &mut scratch.delta, &mut scratch.normal);
        let (mut progress, mut made) = (Progress::default(), 0);
        let mut is_factored = false;
        loop {
            match remember.take() {
                Some(kept) => self.split_as_remembered(kept, scratch),
                None => self.split(scratch),
            }
            if !is_factored || scratch.held != scratch.factored {
                if made == most_factors {
                    return None;
                }
                (made, is_factored) = (made + 1, true);
                *factors += 1;
                self.factorise(scratch, how.arithmetic);
            }
            self.step(scratch);
            let residual = self.residual(&scratch.forces, &scratch.delta, &scratch.normal);
            let waited = progress.waited(residual);
            if residual <= how.tolerance || waited > 0 && residual <= self.rounding(&scratch.forces) {
                f.copy_from_slice(&scratch.forces);
                self.project(f, &scratch.normal);
                return Some(residual);
            }
            if waited == PATIENCE || residual.is_nan() {
                return None;
            }
        }
    }

    /// Computes displacements and normal forces with these forces.
    pub(super) fn evaluate(&self, f: &[f64], delta: &mut Vec<f64>, normal: &mut Vec<DVec3>) {
        delta.clear();
        delta.extend((0..f.len()).map(|i| self.start[i] + product(self.line(i), f)));
        normal.clear();
        normal.extend_from_slice(self.normal);
        self.add_normals(f, normal);
    }

    /// A row of W.
    pub(super) fn line(&self, i: usize) -> &[f64] {
        let rows = self.start.len();
        &self.compliance[i * rows..(i + 1) * rows]
    }

    /// Adds the response of the normal forces to a change of forces.
    fn add_normals(&self, change: &[f64], normal: &mut [DVec3]) {
        let rows = change.len();
        for (&row, lines) in self.rubbing.iter().zip(self.response.chunks_exact((3 * rows).max(1))) {
            let along = |a: usize| product(&lines[a * rows..(a + 1) * rows], change);
            normal[row] += DVec3::new(along(0), along(1), along(2));
        }
    }

    /// Splits all blocks: lists the components that hold, sets the given forces and writes their change to
    /// `step`.
    fn split(&self, scratch: &mut Sets) {
        let Sets { forces, delta, normal, step, held, .. } = scratch;
        held.clear();
        step.clear();
        step.resize(forces.len(), 0.0);
        let mut first = 0;
        for law in self.laws {
            let rows = law.rows();
            let mut f = [0.0; MOST_ROWS];
            f[..rows].copy_from_slice(&forces[first..first + rows]);
            let (delta, pushed) = (&delta[first..first + rows], normal[first].length());
            law.split(&f[..rows], delta, self.own_compliance(first, rows), pushed, |component| {
                let Component { axis, state } = component;
                match state {
                    ComponentState::Holds { softness } => held.push(Held { first, rows, axis, softness }),
                    ComponentState::Given(force) if rows == 1 => {
                        (step[first], forces[first]) = (force - f[0], force);
                    }
                    ComponentState::Given(force) => {
                        let given = Held { first, rows, axis, softness: 0.0 };
                        let change = force - given.of(forces);
                        given.add(change, step);
                        given.add(change, forces);
                    }
                }
            });
            first += rows;
        }
    }

    /// Splits friction and unilateral rows: friction rows stick or slide as they remember, and contacts with
    /// a force are closed.
    fn split_as_remembered(&self, kept: &[Kept], scratch: &mut Sets) {
        let Sets { forces, delta, normal, step, held, .. } = scratch;
        held.clear();
        step.clear();
        step.resize(forces.len(), 0.0);
        for (i, (law, kept)) in self.laws.iter().zip(kept).enumerate() {
            let w = self.own_compliance(i, 1);
            let given = match *law {
                BlockLaw::Sliding { friction } if kept[0] != 0.0 => kept[0] * friction * normal[i].length(),
                BlockLaw::Unilateral if w <= 0.0 || forces[i] <= 0.0 && delta[i] >= 0.0 => 0.0,
                _ => {
                    held.push(Held { first: i, rows: 1, axis: [1.0, 0.0, 0.0], softness: 0.0 });
                    continue;
                }
            };
            (step[i], forces[i]) = (given - forces[i], given);
        }
    }

    /// Largest diagonal entry of a block.
    pub(super) fn own_compliance(&self, first: usize, rows: usize) -> f64 {
        (first..first + rows).map(|i| self.line(i)[i]).fold(0.0, f64::max)
    }

    /// Factors W_HH + s.
    fn factorise(&self, scratch: &mut Sets, arithmetic: Arithmetic) {
        let Sets { held, factored, factor, .. } = scratch;
        factored.clone_from(held);
        factor.begin(held.len());
        for (i, a) in held.iter().enumerate() {
            let row = factor.row_mut(i);
            if a.rows == 1 {
                let line = self.line(a.first);
                for (entry, b) in row.iter_mut().zip(&held[i..]) {
                    *entry = if b.rows == 1 { line[b.first] } else { b.of(line) };
                }
            } else {
                for (entry, b) in row.iter_mut().zip(&held[i..]) {
                    *entry = (0..a.rows).map(|r| a.axis[r] * b.of(self.line(a.first + r))).sum();
                }
            }
            row[0] += a.softness;
        }
        factor.factorise(SINGULAR, arithmetic);
    }

    /// Changes the forces of held components so that these hold after the change `step` of the given forces.
    fn step(&self, scratch: &mut Sets) {
        let Sets { forces, delta, normal, step, right, held, factor, .. } = scratch;
        let moved = |i: usize, step: &[f64]| product(self.line(i), step);
        let is_given = step.iter().any(|step| *step != 0.0);
        right.clear();
        right.extend(held.iter().map(|held| {
            let given = |a: usize| if is_given { moved(held.first + a, step) } else { 0.0 };
            let delta: f64 = (0..held.rows).map(|a| held.axis[a] * (delta[held.first + a] + given(a))).sum();
            -delta - held.softness * held.of(forces)
        }));
        factor.solve(right);
        for (held, &change) in held.iter().zip(&*right) {
            held.add(change, step);
            held.add(change, forces);
        }
        delta.iter_mut().enumerate().for_each(|(i, delta)| *delta += moved(i, step));
        self.add_normals(step, normal);
    }

    /// Largest residual of a law, m.
    pub(super) fn residual(&self, f: &[f64], delta: &[f64], normal: &[DVec3]) -> f64 {
        let (mut largest, mut first) = (0.0_f64, 0);
        for law in self.laws {
            let own = first..first + law.rows();
            let w = self.own_compliance(first, law.rows());
            if w > 0.0 {
                let left = law.natural_residual(w, &f[own.clone()], &delta[own], normal[first].length());
                // Keeps NaN.
                largest = if left <= largest { largest } else { left };
            }
            first += law.rows();
        }
        largest
    }

    /// Moves forces that exceed their bounds by rounding to the bounds.
    pub(super) fn project(&self, f: &mut [f64], normal: &[DVec3]) {
        let mut first = 0;
        for law in self.laws {
            law.project(&mut f[first..first + law.rows()], normal[first].length());
            first += law.rows();
        }
    }

    /// Rounding of the displacements, m.
    pub(super) fn rounding(&self, f: &[f64]) -> f64 {
        let terms = |i: usize| self.line(i).iter().zip(f).map(|(w, f)| (w * f).abs()).sum::<f64>();
        ROUNDING * (0..f.len()).map(terms).fold(0.0, f64::max)
    }
}
