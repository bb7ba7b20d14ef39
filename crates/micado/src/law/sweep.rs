//! Block Gauss–Seidel over laws.
//!
//! Without friction W is symmetric and positive semidefinite and the sweeps minimise a convex quadratic, so
//! they converge. With friction every visit has a solution, and the residual measures the quality of the
//! whole.
//!
//! Sweeps soon find which rows hold (δ = 0) and which yield, and then converge slowly: rows that support each
//! other, as in a heap, take hundreds of sweeps. So other methods come first: the active set, which solves
//! all rows that hold together; the path of friction rows from stick to slip; and the elimination of closed
//! contacts. Sweeps continue where these fail.

use super::active_set::{FACTORS, Sets};
use super::{BlockLaw, Kept, Local, Normal, Scratch};
use glam::DVec3;
use micado_linalg::{Arithmetic, product};

/// Sweeps after each failed attempt to reduce a problem.
const BREAKS: [usize; 3] = [8, 32, 128];
/// Most factorisations of the active set beside sweeps.
const FEW_FACTORS: usize = 4;
/// Most factorisations of the active set before friction rows are followed.
const FIRST_FACTORS: usize = 1;

/// Non-smooth rows in constraint space.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// W by rows.
    pub compliance: &'a [f64],
    /// b: the displacement of each row without any force.
    pub start: &'a [f64],
    /// Laws of the blocks; the rows of blocks are consecutive.
    pub laws: &'a [BlockLaw],
    /// Normal forces of all rows when all forces of these rows are zero; zero where there is none.
    pub normal: &'a [DVec3],
    /// Rows whose normal force depends on the forces of these rows, ascending.
    pub rubbing: &'a [usize],
    /// Derivatives of these normal forces by the forces of all rows: a line for each of the three components.
    pub response: &'a [f64],
}

/// Limits of the sweeps.
#[derive(Clone, Copy, Debug)]
pub struct Sweeps {
    /// Most sweeps.
    pub most: usize,
    /// The sweeps stop when no visit changes a displacement by more than this, m.
    pub tolerance: f64,
    /// Arithmetic of factorisations.
    pub arithmetic: Arithmetic,
}

/// Result of the sweeps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Sweeps made.
    pub sweeps: usize,
    /// Factorisations of parts of W.
    pub factors: usize,
    /// Updates of such a factor in which one friction row begins to stick or to slide.
    pub updates: usize,
    /// Largest residual of a law, or largest change of a displacement in the last sweep, m.
    pub residual: f64,
}

impl Problem<'_> {
    /// Finds the forces `f`, which contain a guess, and updates the memory of the rows.
    pub fn solve(&self, how: Sweeps, f: &mut [f64], kept: &mut [Kept], scratch: &mut Scratch) -> Outcome {
        if self.laws.iter().any(BlockLaw::needs_visits) {
            return self.sweep_until(how, f, kept, &mut scratch.sets);
        }
        scratch.sets.forget();
        let outcome = self.solve_laws(how, f, kept, scratch);
        if self.can_be_reduced() {
            // The last factor may be that of a reduced problem.
            scratch.sets.forget();
        }
        let residual = self.share(how, outcome.residual, f, scratch);
        Outcome { residual, ..outcome }
    }

    /// Finds forces that satisfy the laws.
    fn solve_laws(&self, how: Sweeps, f: &mut [f64], kept: &mut [Kept], scratch: &mut Scratch) -> Outcome {
        let mut outcome = Outcome::default();
        let breaks_first = self.laws.iter().any(BlockLaw::has_strength);
        let is_followed = self.laws.len() > 1 && !breaks_first && self.can_be_followed();
        if is_followed && let Some(residual) = self.solve_friction(how, f, kept, scratch, &mut outcome) {
            return Outcome { residual, ..outcome };
        }
        let outcome = self.solve_otherwise(how, f, kept, scratch, outcome);
        if is_followed {
            scratch.start_from(self, f);
            self.remember_sides(f, &scratch.delta, &scratch.normal, kept);
        }
        outcome
    }

    /// Solves friction and unilateral rows: with the rows that hold at the start, or by following the
    /// solution.
    fn solve_friction(
        &self,
        how: Sweeps,
        f: &mut [f64],
        kept: &mut [Kept],
        scratch: &mut Scratch,
        outcome: &mut Outcome,
    ) -> Option<f64> {
        let Outcome { factors, .. } = outcome;
        let (known, sets) = (Some(&*kept), &mut scratch.sets);
        if let Some(residual) = self.solve_active_set_from(how, FIRST_FACTORS, known, f, sets, factors) {
            self.remember_sides(f, &scratch.sets.delta, &scratch.sets.normal, kept);
            return Some(residual);
        }
        let residual = self.follow(how, f, kept, scratch, outcome)?;
        self.remember_sides(f, &scratch.delta, &scratch.normal, kept);
        Some(residual)
    }

    /// Solves by elimination of closed contacts, by the active set and by sweeps.
    fn solve_otherwise(
        &self,
        how: Sweeps,
        f: &mut [f64],
        kept: &mut [Kept],
        scratch: &mut Scratch,
        mut outcome: Outcome,
    ) -> Outcome {
        let breaks_first = self.laws.iter().any(BlockLaw::has_strength);
        let is_reducible = self.can_be_reduced() && !breaks_first;
        // Sweeps between the attempts change the forces from which the next attempt starts.
        let breaks = if is_reducible { BREAKS } else { [how.most; BREAKS.len()] };
        for most in breaks {
            let found = if is_reducible {
                self.solve_reduced(how, f, scratch, &mut outcome)
            } else if self.laws.len() > 1 && !breaks_first {
                self.solve_active_set(how, FACTORS, f, &mut scratch.sets, &mut outcome.factors)
            } else {
                // One visit solves a single block. With strengths, sweeps come first: a strength that is
                // exceeded yields in the first visit, and other rows carry only the rest.
                None
            };
            if let Some(residual) = found {
                return Outcome { residual, ..outcome };
            }
            let swept = self.sweep_until(Sweeps { most, ..how }, f, kept, &mut scratch.sets);
            outcome = Outcome {
                sweeps: outcome.sweeps + swept.sweeps,
                factors: outcome.factors + swept.factors,
                updates: outcome.updates,
                residual: swept.residual,
            };
            if swept.residual <= how.tolerance || !is_reducible {
                break;
            }
        }
        outcome
    }

    /// Sweeps until nothing changes. After 4, 16, 64 … sweeps the active set is tried with their forces: so
    /// seldom that it costs no more than the sweeps even if it never succeeds.
    pub(super) fn sweep_until(
        &self,
        how: Sweeps,
        f: &mut [f64],
        kept: &mut [Kept],
        sets: &mut Sets,
    ) -> Outcome {
        let mut outcome = Outcome::default();
        let is_split = self.laws.len() > 1 && !self.laws.iter().any(BlockLaw::needs_visits);
        while outcome.sweeps < how.most {
            (outcome.sweeps, outcome.residual) = (outcome.sweeps + 1, self.sweep(f, kept));
            if outcome.residual <= how.tolerance {
                break;
            }
            let is_due = outcome.sweeps > 1
                && outcome.sweeps.is_power_of_two()
                && outcome.sweeps.trailing_zeros().is_multiple_of(2);
            if is_due
                && is_split
                && let Some(left) = self.solve_active_set(how, FEW_FACTORS, f, sets, &mut outcome.factors)
            {
                return Outcome { residual: left, ..outcome };
            }
        }
        outcome
    }

    /// Visits every block once. Returns the largest |W_ii Δf_i|.
    fn sweep(&self, f: &mut [f64], kept: &mut [Kept]) -> f64 {
        let (mut largest, mut first) = (0.0_f64, 0);
        let mut rubbing = self.rubbing.iter().enumerate().peekable();
        for law in self.laws {
            let rows = law.rows();
            let kept = &mut kept[first..first + rows];
            let normal = rubbing.next_if(|(_, row)| **row == first).map(|(slot, _)| self.normal(slot, f));
            let visited = Visited { law, first, normal: normal.unwrap_or_default() };
            let moved = match rows {
                1 => self.visit::<1>(&visited, f, kept),
                2 => self.visit::<2>(&visited, f, kept),
                3 => self.visit::<3>(&visited, f, kept),
                4 => self.visit::<4>(&visited, f, kept),
                5 => self.visit::<5>(&visited, f, kept),
                _ => self.visit::<6>(&visited, f, kept),
            };
            largest = largest.max(moved);
            first += rows;
        }
        largest
    }

    /// Visits a block of N rows. Returns the largest |W_ii Δf_i|.
    #[inline]
    fn visit<const N: usize>(&self, block: &Visited<'_>, f: &mut [f64], kept: &mut [Kept]) -> f64 {
        let &Visited { law, first, normal } = block;
        let rows = f.len();
        let (mut w, mut k, mut found) = ([[0.0; N]; N], [0.0; N], [0.0; N]);
        for a in 0..N {
            let line = &self.compliance[(first + a) * rows..(first + a + 1) * rows];
            w[a].copy_from_slice(&line[first..first + N]);
            found[a] = f[first + a];
            let own = (1..N).fold(w[a][0] * f[first], |sum, b| sum + w[a][b] * f[first + b]);
            k[a] = self.start[first + a] + product(line, f) - own;
        }
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

    /// Normal force of the friction row in this slot as a function of its own force, given the forces of all
    /// other rows.
    fn normal(&self, slot: usize, f: &[f64]) -> Normal {
        let (row, rows) = (self.rubbing[slot], f.len());
        let lines = &self.response[3 * slot * rows..3 * (slot + 1) * rows];
        let component = |a: usize| &lines[a * rows..(a + 1) * rows];
        let response = DVec3::from_array([0, 1, 2].map(|a| component(a)[row]));
        let all = DVec3::from_array([0, 1, 2].map(|a| product(component(a), f)));
        Normal { start: self.normal[row] + all - response * f[row], response }
    }
}

/// A block that is visited.
struct Visited<'a> {
    law: &'a BlockLaw,
    first: usize,
    normal: Normal,
}

#[cfg(test)]
mod tests {
    use super::{Outcome, Problem, Sweeps};
    use crate::law::{BallRows, BlockLaw, Kept, Local, Normal, Scratch};
    use glam::DVec3;
    use micado_linalg::Arithmetic;
    use nalgebra::{DMatrix, DVector};

    /// Most sweeps, and their tolerance.
    fn sweeps(most: usize, tolerance: f64) -> Sweeps {
        Sweeps { most, tolerance, arithmetic: Arithmetic::Portable }
    }

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
        let normal = &vec![DVec3::ZERO; b.len()];
        let problem = Problem { compliance, start, laws, normal, rubbing: &[], response: &[] };
        let (mut f, mut kept) = (DVector::zeros(b.len()), vec![Kept::default(); b.len()]);
        (problem.solve(how, f.as_mut_slice(), &mut kept, &mut Scratch::default()), f)
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
            let how = sweeps(5000, 1e-13);
            let (outcome, f) = solve(&w, &b, &vec![BlockLaw::Unilateral; 6], how);
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
        let how = sweeps(400, 1e-13 * 820.0);
        let (outcome, f) = solve(&w, &DVector::from_element(n, -1.0), &vec![BlockLaw::Unilateral; 40], how);
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
            let (outcome, f) = solve(&w, &b, &laws, sweeps(5000, 1e-13));
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
            BlockLaw::Coulomb { friction: [0.3; 2] },
            BlockLaw::Unilateral,
            BlockLaw::Ball { rows: BallRows::Two, most: 0.5 },
            BlockLaw::Coulomb { friction: [0.6; 2] },
            BlockLaw::Bounded { least: -0.2, most: 0.3 },
        ];
        let n: usize = laws.iter().map(BlockLaw::rows).sum();
        for _ in 0..200 {
            // The contacts are weakly coupled, so friction has one solution.
            let (w, b) = random(n, [0.05, 1.0], &mut noise);
            let (outcome, f) = solve(&w, &b, &laws, sweeps(1000, 1e-14));
            assert!(outcome.residual <= 1e-14, "{outcome:?}");
            let delta = &w * &f + &b;
            let mut first = 0;
            for law in &laws {
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

    /// Friction and unilateral rows, and stop rows where asked for, with normal forces that depend on all
    /// forces.
    struct Rubbing {
        w: DMatrix<f64>,
        b: DVector<f64>,
        laws: Vec<BlockLaw>,
        normal: Vec<DVec3>,
        rubbing: Vec<usize>,
        response: Vec<f64>,
    }

    impl Rubbing {
        /// `coupled`: size of the responses of normal forces, times friction.
        fn new(n: usize, coupled: f64, stops: bool, noise: &mut impl FnMut() -> f64) -> Self {
            let (w, b) = random(n, [1.0 / n as f64, 0.2], noise);
            let friction = 0.1 + 0.9 * noise().abs();
            let laws: Vec<BlockLaw> = (0..n)
                .map(|i| match i % 4 {
                    0 | 1 => BlockLaw::Sliding { friction },
                    3 if stops => BlockLaw::Bounded { least: -0.5, most: 0.3 },
                    _ => BlockLaw::Unilateral,
                })
                .collect();
            let rubbing: Vec<usize> =
                (0..n).filter(|&i| matches!(laws[i], BlockLaw::Sliding { .. })).collect();
            let size = coupled / (friction * (n as f64).sqrt());
            let response = (0..3 * n * rubbing.len()).map(|_| size * noise()).collect();
            let normal = (0..n).map(|_| DVec3::new(noise(), noise(), noise())).collect();
            Self { w, b, laws, normal, rubbing, response }
        }

        fn problem(&self) -> Problem<'_> {
            let Self { w, b, laws, normal, rubbing, response } = self;
            let (compliance, start) = (w.as_slice(), b.as_slice());
            Problem { compliance, start, laws, normal, rubbing, response }
        }

        /// Solves by sweeps alone, until nothing changes.
        fn by_sweeps(&self) -> Option<Vec<f64>> {
            let (mut f, mut kept) = (vec![0.0; self.b.len()], vec![Kept::default(); self.laws.len()]);
            (0..20_000).any(|_| self.problem().sweep(&mut f, &mut kept) <= 1e-15).then_some(f)
        }

        fn solve(&self, mut f: Vec<f64>) -> (Outcome, Vec<f64>) {
            let mut kept = vec![Kept::default(); self.laws.len()];
            (self.solve_from(&mut f, &mut kept), f)
        }

        fn solve_from(&self, f: &mut [f64], kept: &mut [Kept]) -> Outcome {
            self.problem().solve(sweeps(400, 1e-13), f, kept, &mut Scratch::default())
        }

        /// Normal force of a row.
        fn normal(&self, slot: usize, f: &[f64]) -> f64 {
            self.problem().normal(slot, f).at(f[self.rubbing[slot]])
        }
    }

    #[test]
    fn rows_with_friction_have_the_forces_of_converged_sweeps_from_any_start() {
        let mut noise = noise(71);
        let (mut stuck, mut slid) = (0, 0);
        for k in 0..200 {
            let n = 4 + k % 37;
            // Normal forces change by up to half of a change of friction: the solution is unique.
            let problem = Rubbing::new(n, 0.5, k % 2 == 0, &mut noise);
            let Some(expected) = problem.by_sweeps() else { panic!("sweeps converge") };
            let elsewhere = (0..n).map(|_| 2.0 * noise()).collect();
            for start in [vec![0.0; n], elsewhere] {
                let (outcome, f) = problem.solve(start);
                assert!(outcome.residual <= 1e-13, "{outcome:?}");
                // The least eigenvalue of W is 0.2, and forces of 1 N are held by 1e-13 m.
                for (found, expected) in f.iter().zip(&expected) {
                    assert!((found - expected).abs() < 1e-10, "{n}: {found} {expected}");
                }
                let delta = &problem.w * DVector::from_column_slice(&f) + &problem.b;
                for (slot, &row) in problem.rubbing.iter().enumerate() {
                    let BlockLaw::Sliding { friction } = problem.laws[row] else { unreachable!() };
                    let bound = friction * problem.normal(slot, &f);
                    assert!(f[row].abs() <= bound + 1e-10, "friction is within its bound");
                    assert!(f[row] * delta[row] <= 1e-12, "friction never drives");
                    if delta[row].abs() < 1e-11 {
                        stuck += 1;
                    } else {
                        assert!((f[row].abs() - bound).abs() < 1e-10);
                        slid += 1;
                    }
                }
            }
        }
        assert!(stuck > 1000 && slid > 1000, "{stuck} {slid}");
    }

    #[test]
    fn factorisations_do_not_grow_with_the_number_of_rows_that_rub() {
        let mut noise = noise(73);
        for n in [40, 160, 320] {
            let (outcome, _) = Rubbing::new(n, 0.1, true, &mut noise).solve(vec![0.0; n]);
            assert!(outcome.residual <= 1e-13 && outcome.factors <= 20, "{n}: {outcome:?}");
        }
    }

    #[test]
    fn friction_and_contacts_take_few_factorisations_from_any_start_and_memory() {
        let mut noise = noise(83);
        let mut updates = 0;
        for k in 0..60 {
            let n = 20 + k;
            let problem = Rubbing::new(n, 0.5, false, &mut noise);
            let Some(expected) = problem.by_sweeps() else { panic!("sweeps converge") };
            // Forces and sides that have nothing to do with the solution.
            let mut f: Vec<f64> = (0..n).map(|_| 2.0 * noise()).collect();
            let mut kept: Vec<Kept> = (0..n).map(|_| [(1.5 * noise()).round(), 0.0, 0.0]).collect();
            let outcome = problem.solve_from(&mut f, &mut kept);
            assert!(outcome.residual <= 1e-13, "{outcome:?}");
            // One of the active set; an elimination and an inversion for each set of closed contacts.
            assert!(outcome.factors <= 13 && outcome.sweeps == 0, "{n}: {outcome:?}");
            assert!(f.iter().zip(&expected).all(|(f, expected)| (f - expected).abs() < 1e-10), "{n}");
            updates += outcome.updates;
            // With the forces and sides of the solution nothing has to change.
            let again = problem.solve_from(&mut f, &mut kept);
            assert!(again.factors == 1 && again.updates == 0 && again.sweeps == 0, "{n}: {again:?}");
        }
        assert!(updates > 600, "{updates}");
    }

    #[test]
    fn rows_that_depend_on_others_keep_their_share() {
        // Two rows for every contact: only sums of forces are determined.
        let mut noise = noise(79);
        let n = 12;
        for _ in 0..50 {
            let (w, b) = random(n / 2, [1.0, 0.1], &mut noise);
            let twice = |i: usize| i / 2;
            let w = DMatrix::from_fn(n, n, |i, j| w[(twice(i), twice(j))]);
            let b = DVector::from_fn(n, |i, _| b[twice(i)]);
            let (outcome, f) = solve(&w, &b, &vec![BlockLaw::Unilateral; 12], sweeps(400, 1e-12));
            assert!(outcome.residual <= 1e-12, "{outcome:?}");
            let delta = &w * &f + &b;
            assert!(f.iter().zip(&delta).all(|(f, d)| *f >= 0.0 && *d > -1e-10 && f * d < 1e-10));
        }
    }
}
