//! Block Gauss–Seidel over laws.
//!
//! Without friction W is symmetric and positive semidefinite and the sweeps minimise a convex quadratic, so
//! they converge. With friction every visit has a solution, and the residual measures the quality of the
//! whole.
//!
//! Sweeps soon find which rows hold (δ = 0) and which yield, and then converge slowly: rows that support each
//! other, as in a heap, take hundreds of sweeps. So from time to time all held rows are solved together,
//! `W_HH f_H = −(b + W f)_H`. The result is accepted if it obeys all laws; the next sweep measures its
//! residual.

use super::{BlockLaw, Kept, Local, Normal};
use glam::DVec3;

/// Smallest pivot, as a share of its diagonal entry of W. Below it the held rows are dependent, and only
/// sweeps find forces.
const SINGULAR: f64 = 1e-10;

/// Non-smooth rows in constraint space.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// W by rows.
    pub compliance: &'a [f64],
    /// b: the displacement of each row without any force.
    pub start: &'a [f64],
    /// Laws of the blocks; the rows of blocks are consecutive.
    pub laws: &'a [BlockLaw],
    /// Normal forces of rows with friction when all forces of these rows are zero.
    pub normal: &'a [DVec3],
    /// Derivatives of the normal forces by the forces of all rows, by rows.
    pub response: &'a [DVec3],
}

/// Limits of the sweeps.
#[derive(Clone, Copy, Debug)]
pub struct Sweeps {
    /// Most sweeps.
    pub most: usize,
    /// The sweeps stop when no visit changes a displacement by more than this, m.
    pub tolerance: f64,
}

/// Result of the sweeps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Sweeps made.
    pub sweeps: usize,
    /// Largest change of a displacement in the last one, m.
    pub residual: f64,
}

impl Problem<'_> {
    /// Finds the forces `f`, which contain a guess, and updates the memory of the laws; `scratch` has room
    /// for W and two lists of rows.
    pub fn solve(&self, how: Sweeps, f: &mut [f64], kept: &mut [Kept], scratch: &mut Vec<f64>) -> Outcome {
        let mut outcome = Outcome::default();
        let piecewise = self.laws.iter().all(BlockLaw::is_piecewise);
        while outcome.sweeps < how.most {
            outcome = Outcome { sweeps: outcome.sweeps + 1, residual: self.sweep(f, kept) };
            if outcome.residual <= how.tolerance {
                break;
            }
            // Seldom enough that it costs no more than the sweeps even if it never succeeds.
            if piecewise && outcome.sweeps.is_power_of_two() {
                self.solve_held_rows(how.tolerance, f, scratch);
            }
        }
        outcome
    }

    /// Solves all rows that hold now together, δ = 0, by Cholesky. Accepts the forces if they obey the laws
    /// of all rows. Every block has one row here.
    fn solve_held_rows(&self, tolerance: f64, f: &mut [f64], scratch: &mut Vec<f64>) {
        let rows = f.len();
        scratch.clear();
        scratch.resize(rows * (rows + 1), 0.0);
        let (lower, found) = scratch.split_at_mut(rows * rows);
        let holds = |i: usize, f: f64| self.laws[i].holds(f);
        // Forces of yielding rows stay fixed; W_HH = L Lᵀ, and L⁻¹ is applied to the right side at once.
        for i in 0..rows {
            if !holds(i, f[i]) {
                found[i] = f[i];
                continue;
            }
            let line = &self.compliance[i * rows..(i + 1) * rows];
            let mut right = -self.start[i];
            for j in 0..rows {
                if !holds(j, f[j]) {
                    right -= line[j] * f[j];
                } else if j <= i {
                    let known: f64 = (0..j).map(|k| lower[i * rows + k] * lower[j * rows + k]).sum();
                    let left = line[j] - known;
                    if j < i {
                        lower[i * rows + j] = left * lower[j * rows + j];
                        right -= lower[i * rows + j] * found[j];
                    } else if left > SINGULAR * line[i] {
                        // The diagonal holds 1/L_ii.
                        lower[i * rows + i] = 1.0 / left.sqrt();
                    } else {
                        return;
                    }
                }
            }
            found[i] = right * lower[i * rows + i];
        }
        for i in (0..rows).rev().filter(|&i| holds(i, f[i])) {
            let known: f64 =
                (i + 1..rows).filter(|&k| holds(k, f[k])).map(|k| lower[k * rows + i] * found[k]).sum();
            found[i] = (found[i] - known) * lower[i * rows + i];
        }
        let lawful = (0..rows).all(|i| {
            let delta = || {
                self.start[i]
                    + self.compliance[i * rows..(i + 1) * rows]
                        .iter()
                        .zip(&*found)
                        .map(|(w, f)| w * f)
                        .sum::<f64>()
            };
            self.laws[i].is_obeyed(holds(i, f[i]), found[i], delta, tolerance)
        });
        if lawful {
            f.copy_from_slice(found);
        }
    }

    /// Visits every block once. Returns the largest |W_ii Δf_i|.
    fn sweep(&self, f: &mut [f64], kept: &mut [Kept]) -> f64 {
        let (mut largest, mut first) = (0.0_f64, 0);
        for (law, kept) in self.laws.iter().zip(kept) {
            let rows = law.rows();
            let moved = match rows {
                1 => self.visit::<1>(law, first, f, kept),
                2 => self.visit::<2>(law, first, f, kept),
                3 => self.visit::<3>(law, first, f, kept),
                4 => self.visit::<4>(law, first, f, kept),
                5 => self.visit::<5>(law, first, f, kept),
                _ => self.visit::<6>(law, first, f, kept),
            };
            largest = largest.max(moved);
            first += rows;
        }
        largest
    }

    /// Visits the block of N rows that begins with row `first`. Returns the largest |W_ii Δf_i|.
    #[inline]
    fn visit<const N: usize>(&self, law: &BlockLaw, first: usize, f: &mut [f64], kept: &mut Kept) -> f64 {
        let rows = f.len();
        let (mut w, mut k, mut found) = ([[0.0; N]; N], [0.0; N], [0.0; N]);
        for a in 0..N {
            let line = &self.compliance[(first + a) * rows..(first + a + 1) * rows];
            w[a].copy_from_slice(&line[first..first + N]);
            found[a] = f[first + a];
            let own = (1..N).fold(w[a][0] * f[first], |sum, b| sum + w[a][b] * f[first + b]);
            k[a] = self.start[first + a] + line.iter().zip(&*f).map(|(w, f)| w * f).sum::<f64>() - own;
        }
        let normal = match law {
            BlockLaw::Sliding { .. } => self.normal(first, f),
            _ => Normal::default(),
        };
        law.solve(&Local { w: w.as_flattened(), k: &k, normal }, &mut found, kept);
        let mut largest = 0.0_f64;
        for a in 0..N {
            if w[a][a] > 0.0 {
                largest = largest.max((w[a][a] * (found[a] - f[first + a])).abs());
            }
            f[first + a] = found[a];
        }
        largest
    }

    /// Normal force of row i as a function of its own force, given the forces of all other rows.
    fn normal(&self, i: usize, f: &[f64]) -> Normal {
        let answers = &self.response[i * f.len()..(i + 1) * f.len()];
        let all = answers.iter().zip(f).map(|(r, f)| *r * *f).sum::<DVec3>();
        Normal { start: self.normal[i] + all - answers[i] * f[i], response: answers[i] }
    }
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Problem, Sweeps};
    use crate::law::{BallRows, BlockLaw, Kept, Local, Normal};
    use nalgebra::{DMatrix, DVector};

    /// Uniform numbers in −1…1.
    fn noise(mut state: u64) -> impl FnMut() -> f64 {
        move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
        }
    }

    /// W = s R Rᵀ + m Id with random R, and random b, of n rows.
    fn random(n: usize, [s, m]: [f64; 2], noise: &mut impl FnMut() -> f64) -> (DMatrix<f64>, DVector<f64>) {
        let root = DMatrix::from_fn(n, n, |_, _| noise());
        (&root * root.transpose() * s + DMatrix::identity(n, n) * m, DVector::from_fn(n, |_, _| noise()))
    }

    /// Solves rows without normal forces from a guess of zero.
    fn solve(w: &DMatrix<f64>, b: &DVector<f64>, laws: &[BlockLaw], how: Sweeps) -> (Outcome, DVector<f64>) {
        // W is symmetric: its columns are its rows.
        let (compliance, start) = (w.as_slice(), b.as_slice());
        let problem = Problem { compliance, start, laws, normal: &[], response: &[] };
        let (mut f, mut kept) = (DVector::zeros(b.len()), vec![Kept::default(); laws.len()]);
        (problem.solve(how, f.as_mut_slice(), &mut kept, &mut Vec::new()), f)
    }

    /// Solves a unilateral problem by trying all active sets.
    fn by_enumeration(w: &DMatrix<f64>, b: &DVector<f64>) -> DVector<f64> {
        let n = b.len();
        for mask in 0..1_u32 << n {
            let active: Vec<usize> = (0..n).filter(|&i| mask >> i & 1 == 1).collect();
            if active.is_empty() {
                if b.iter().all(|&d| d >= 0.0) {
                    return DVector::zeros(n);
                }
                continue;
            }
            let part = DMatrix::from_fn(active.len(), active.len(), |i, j| w[(active[i], active[j])]);
            let right = DVector::from_fn(active.len(), |i, _| -b[active[i]]);
            let Some(solved) = part.lu().solve(&right) else { continue };
            let mut f = DVector::zeros(n);
            active.iter().zip(solved.iter()).for_each(|(&i, &x)| f[i] = x);
            if f.iter().all(|&x| x >= -1e-12) && (w * &f + b).iter().all(|&d| d >= -1e-12) {
                return f;
            }
        }
        unreachable!("a positive definite problem has a solution")
    }

    #[test]
    fn sweeps_find_the_active_set_that_enumeration_finds() {
        let mut noise = noise(11);
        for _ in 0..200 {
            let (w, b) = random(6, [1.0, 0.1], &mut noise);
            let expected = by_enumeration(&w, &b);
            let how = Sweeps { most: 5000, tolerance: 1e-13 };
            let (outcome, f) = solve(&w, &b, &[BlockLaw::Unilateral; 6], how);
            assert!(outcome.residual <= 1e-13);
            // The least eigenvalue of W is 0.1: forces are known to 1e-13/0.1 times the rate of convergence.
            assert!((f - expected).amax() < 1e-8);
        }
    }

    #[test]
    fn rows_that_support_each_other_are_solved_together() {
        // 40 pearls on a slope: a force on one moves its neighbours, W = (−1, 2, −1), and every contact
        // supports all pearls above it.
        let n = 40;
        let w = DMatrix::from_fn(n, n, |i, j| match i.abs_diff(j) {
            0 => 2.0,
            1 => -1.0,
            _ => 0.0,
        });
        let how = Sweeps { most: 400, tolerance: 1e-13 * 820.0 };
        let (outcome, f) = solve(&w, &DVector::from_element(n, -1.0), &[BlockLaw::Unilateral; 40], how);
        // The parabola whose second difference is −1; Gauss–Seidel alone takes thousands of sweeps.
        assert!(outcome.sweeps <= 3, "{outcome:?}");
        for (i, f) in f.iter().enumerate() {
            let expected = 0.5 * ((i + 1) * (n - i)) as f64;
            assert!((f - expected).abs() < 1e-11 * expected, "{i}: {f} {expected}");
        }
    }

    #[test]
    fn bounded_and_unilateral_rows_together_obey_all_their_laws() {
        let mut noise = noise(3);
        let (n, mut held, mut gave) = (8, 0, 0);
        for _ in 0..500 {
            let (w, b) = random(n, [1.0, 0.01], &mut noise);
            let most = 2.0 * noise().abs();
            let law = |i: usize| {
                if i.is_multiple_of(2) {
                    BlockLaw::Unilateral
                } else {
                    BlockLaw::Bounded { least: -most, most }
                }
            };
            let laws: Vec<BlockLaw> = (0..n).map(law).collect();
            let (outcome, f) = solve(&w, &b, &laws, Sweeps { most: 5000, tolerance: 1e-13 });
            assert!(outcome.residual <= 1e-13, "{outcome:?}");
            let delta = &w * &f + &b;
            for i in 0..n {
                // The last sweep moved the others by this much: n rows of |W| < 10.
                let tolerance = 1e-10;
                match laws[i] {
                    BlockLaw::Bounded { most, .. } if f[i].abs() == most => {
                        assert!(delta[i] * f[i] <= tolerance, "a bounded row yields against its force");
                        gave += 1;
                    }
                    BlockLaw::Unilateral if f[i] == 0.0 => assert!(delta[i] >= -tolerance),
                    _ => {
                        assert!(delta[i].abs() <= tolerance, "{}", delta[i]);
                        held += 1;
                    }
                }
            }
        }
        assert!(held > 500 && gave > 100, "{held} {gave}");
    }

    #[test]
    fn blocks_of_one_to_three_rows_are_solved_together() {
        let mut noise = noise(41);
        let laws = [
            BlockLaw::Coulomb { friction: 0.3 },
            BlockLaw::Unilateral,
            BlockLaw::Ball { rows: BallRows::Two, most: 0.5 },
            BlockLaw::Coulomb { friction: 0.6 },
            BlockLaw::Bounded { least: -0.2, most: 0.3 },
        ];
        let n: usize = laws.iter().map(BlockLaw::rows).sum();
        for _ in 0..200 {
            // The contacts are weakly coupled, so friction has one solution.
            let (w, b) = random(n, [0.05, 1.0], &mut noise);
            let (outcome, f) = solve(&w, &b, &laws, Sweeps { most: 1000, tolerance: 1e-14 });
            assert!(outcome.residual <= 1e-14, "{outcome:?}");
            let delta = &w * &f + &b;
            let mut first = 0;
            for law in laws {
                let rows = law.rows();
                let of = |i: usize, j: usize| w[(first + i, first + j)];
                let own: Vec<f64> = (0..rows * rows).map(|k| of(k / rows, k % rows)).collect();
                let forces = &f.as_slice()[first..first + rows];
                let k: Vec<f64> = (0..rows)
                    .map(|a| delta[first + a] - (0..rows).map(|b| of(a, b) * forces[b]).sum::<f64>())
                    .collect();
                let local = Local { w: &own, k: &k, normal: Normal::default() };
                let left = law.residual(&local, forces);
                assert!(left < 1e-11, "{law:?}: {left}");
                first += rows;
            }
        }
    }
}
