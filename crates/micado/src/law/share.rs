//! Share: dependent unilateral rows share their forces like equal small compliances.
//!
//! Many combinations of forces hold a load on four slings, or a table on four feet: W of the rows that hold
//! is singular. With the diagonal D of W, the forces that satisfy
//!
//! ```text
//! 0 ≤ f ⊥ (W + ε D) f + b ≥ 0,   ε → 0
//! ```
//!
//! are unique. Symmetric rows carry equal forces, and the forces follow a load that moves. Two further solves
//! remove the error ε D f of the displacements; they change nothing in the null space of W.

use super::active_set::{SINGULAR, Sets};
use super::sweep::{Problem, Sweeps};
use super::{BlockLaw, Scratch};
use glam::DVec3;
use micado_linalg::{Arithmetic, DenseCholesky, product};

/// ε: the rounding of W, 1e-16, changes the shares by 1e-7. The error ε² after refinement is below rounding.
const COMPLIANCE: f64 = 1e-9;
/// Number of refining solves, after the rows that carry force are found.
const REFINEMENTS: usize = 2;
/// Largest number of changes of the set of rows that carry force.
const CHANGES: usize = 20;

/// Scratch of the search, which is reused.
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    /// Rows that share their forces, and whether each carries a force.
    rows: Vec<usize>,
    carries: Vec<bool>,
    /// Rows that carry a force.
    carrying: Vec<usize>,
    right: Vec<f64>,
    forces: Vec<f64>,
    delta: Vec<f64>,
    normal: Vec<DVec3>,
    factor: DenseCholesky,
}

impl Shared {
    /// Reserves memory for problems of this many rows, of which `dense` may be active.
    pub(super) fn with_room(rows: usize, dense: usize) -> Self {
        let mut factor = DenseCholesky::default();
        factor.reserve(dense);
        Self {
            rows: Vec::with_capacity(rows),
            carries: Vec::with_capacity(rows),
            carrying: Vec::with_capacity(rows),
            right: Vec::with_capacity(rows),
            forces: Vec::with_capacity(rows),
            delta: Vec::with_capacity(rows),
            normal: Vec::with_capacity(rows),
            factor,
        }
    }
}

impl Problem<'_> {
    /// Shares the forces `f`, which satisfy the laws with this residual, among dependent unilateral rows.
    /// Rows with a strength keep their forces, because the first row that yields decides. Returns the new
    /// residual, which is at most the larger of the tolerance and the previous residual.
    pub(super) fn share(&self, how: Sweeps, residual: f64, f: &mut [f64], scratch: &mut Scratch) -> f64 {
        let Scratch { sets, shared, .. } = scratch;
        self.evaluate(f, &mut shared.delta, &mut shared.normal);
        shared.rows.clear();
        let (mut first, mut idle) = (0, false);
        for law in self.laws {
            let holds = match *law {
                BlockLaw::Unilateral => f[first] > 0.0 || shared.delta[first].abs() <= how.tolerance,
                BlockLaw::Bounded { .. } => !law.has_strength(),
                _ => false,
            };
            if holds && self.line(first)[first] > 0.0 {
                shared.rows.push(first);
                idle |= f[first] == 0.0;
            }
            first += law.rows();
        }
        if shared.rows.len() < 2 || !idle && sets.are_independent(&shared.rows) {
            return residual;
        }
        shared.carrying.clone_from(&shared.rows);
        self.factorise_shared(shared, 0.0, how.arithmetic);
        if shared.factor.left_out() == 0 || !self.find_shares(f, shared, how.arithmetic) {
            return residual;
        }
        self.evaluate(&shared.forces, &mut shared.delta, &mut shared.normal);
        let found = self.residual(&shared.forces, &shared.delta, &shared.normal);
        if found <= how.tolerance.max(residual) {
            f.copy_from_slice(&shared.forces);
            return found;
        }
        residual
    }

    /// Factors W + ε D of the rows that carry a force.
    fn factorise_shared(&self, shared: &mut Shared, compliance: f64, arithmetic: Arithmetic) {
        let Shared { carrying, factor, .. } = shared;
        factor.begin(carrying.len());
        for (i, &a) in carrying.iter().enumerate() {
            let (row, line) = (factor.row_mut(i), self.line(a));
            row.iter_mut().zip(&carrying[i..]).for_each(|(entry, &b)| *entry = line[b]);
            row[0] += compliance * line[a];
        }
        factor.factorise(if compliance > 0.0 { 0.0 } else { SINGULAR }, arithmetic);
    }

    /// Changes the forces of the rows that carry force, so that their displacements become zero;
    /// displacements include those of `compliance`.
    fn hold_carrying(&self, shared: &mut Shared, compliance: f64) {
        let Shared { carrying, right, forces, factor, .. } = shared;
        right.clear();
        right.extend(carrying.iter().map(|&i| {
            let line = self.line(i);
            -(self.start[i] + product(line, forces) + compliance * line[i] * forces[i])
        }));
        factor.solve(right);
        carrying.iter().zip(&*right).for_each(|(&i, change)| forces[i] += change);
    }

    /// Finds the rows that carry a force, and their forces. Returns whether it succeeded.
    fn find_shares(&self, f: &[f64], shared: &mut Shared, arithmetic: Arithmetic) -> bool {
        shared.forces.clear();
        shared.forces.extend_from_slice(f);
        shared.carries.clear();
        shared.carries.resize(shared.rows.len(), true);
        for _ in 0..CHANGES {
            let Shared { rows, carries, carrying, forces, .. } = &mut *shared;
            carrying.clear();
            carrying.extend(rows.iter().zip(&*carries).filter(|(_, carries)| **carries).map(|(&row, _)| row));
            // Start from zero, so that the forces have no part in the null space of W.
            rows.iter().for_each(|&row| forces[row] = 0.0);
            self.factorise_shared(shared, COMPLIANCE, arithmetic);
            self.hold_carrying(shared, COMPLIANCE);
            if !self.change_rows(shared) {
                (0..REFINEMENTS).for_each(|_| self.hold_carrying(shared, 0.0));
                let Shared { rows, forces, normal, .. } = shared;
                // Refinement moves a force near zero by rounding.
                self.project(forces, normal);
                return rows.iter().all(|&row| forces[row].is_finite());
            }
        }
        false
    }

    /// Releases rows that pull, and lets violated rows carry a force. Returns whether a row changed.
    fn change_rows(&self, shared: &mut Shared) -> bool {
        let Shared { rows, carries, forces, .. } = shared;
        let (mut first, mut changed) = (0, false);
        let mut own = rows.iter().zip(carries.iter_mut()).peekable();
        for law in self.laws {
            if let Some((&row, carries)) = own.next_if(|(row, _)| **row == first)
                && *law == BlockLaw::Unilateral
            {
                let line = self.line(row);
                let wanted =
                    if *carries { forces[row] > 0.0 } else { self.start[row] + product(line, forces) < 0.0 };
                changed |= wanted != *carries;
                *carries = wanted;
            }
            first += law.rows();
        }
        changed
    }
}

impl Sets {
    /// Whether the last factor of the active set shows that these rows are independent.
    fn are_independent(&self, rows: &[usize]) -> bool {
        self.factored_rows().eq(rows.iter().copied()) && self.left_out() == 0
    }
}

#[cfg(test)]
mod tests {
    use crate::law::{BlockLaw, Kept, Problem, Scratch, Sweeps};
    use glam::DVec3;
    use micado_linalg::Arithmetic;

    /// Corners of a table of 3 m × 1.2 m.
    const CORNERS: [[f64; 2]; 4] = [[1.5, 0.6], [-1.5, 0.6], [1.5, -0.6], [-1.5, -0.6]];

    /// Forces of four legs, or slings, that carry 1 N at (x, y); the body has mass and inertias 2, 3 and 5.
    fn legs(x: f64, y: f64, guess: [f64; 4]) -> [f64; 4] {
        // The displacement of a leg depends on z and on the rotations about x and y.
        let rows = CORNERS.map(|[x, y]| [1.0, y, -x]);
        let (load, compliance) = ([1.0, y, -x], [1.0 / 2.0, 1.0 / 3.0, 1.0 / 5.0]);
        let along = |a: &[f64; 3], b: &[f64; 3]| (0..3).map(|i| a[i] * compliance[i] * b[i]).sum::<f64>();
        let w: Vec<f64> = rows.iter().flat_map(|a| rows.map(|b| along(a, &b))).collect();
        let start: Vec<f64> = rows.iter().map(|a| -along(a, &load)).collect();
        let (laws, normal) = (vec![BlockLaw::Unilateral; 4], [DVec3::ZERO; 4]);
        let problem = Problem {
            compliance: &w,
            start: &start,
            laws: &laws,
            normal: &normal,
            rubbing: &[],
            response: &[],
        };
        let how = Sweeps { most: 400, tolerance: 1e-13, arithmetic: Arithmetic::Portable };
        let (mut f, mut kept) = (guess, [Kept::default(); 4]);
        let outcome = problem.solve(how, &mut f, &mut kept, &mut Scratch::default());
        assert!(outcome.residual <= 1e-13, "{outcome:?}");
        f
    }

    #[test]
    fn four_legs_carry_a_load_in_their_middle_with_a_quarter_each_from_any_guess() {
        for guess in [[0.0; 4], [0.5, 0.0, 0.0, 0.5], [0.0, 0.5, 0.5, 0.0], [0.1, 0.7, 0.2, 0.3]] {
            for force in legs(0.0, 0.0, guess) {
                // Rounding of W over the small compliance.
                assert!((force - 0.25).abs() < 1e-7, "{force}");
            }
        }
    }

    #[test]
    fn legs_of_equal_compliance_follow_a_load_that_moves() {
        for (x, y) in [(0.3, 0.0), (0.4, -0.2), (-0.6, 0.1)] {
            let found = legs(x, y, [0.5, 0.0, 0.0, 0.5]);
            for (force, [a, b]) in found.into_iter().zip(CORNERS) {
                // f = F/4 (1 + x x_i/a² + y y_i/b²) of four equal springs.
                let expected = 0.25 * (1.0 + x * a / (1.5 * 1.5) + y * b / (0.6 * 0.6));
                assert!((force - expected).abs() < 1e-7, "{x} {y}: {force} {expected}");
            }
        }
    }

    #[test]
    fn a_leg_that_would_pull_is_slack_and_the_others_balance_the_load() {
        // At 0.6 of both half lengths four springs would pull at the far corner: three legs balance it.
        let found = legs(0.9, 0.36, [0.25; 4]);
        for (force, expected) in found.into_iter().zip([0.6, 0.2, 0.2, 0.0]) {
            assert!((force - expected).abs() < 1e-7, "{found:?}");
        }
        assert_eq!(found[3], 0.0);
    }
}
