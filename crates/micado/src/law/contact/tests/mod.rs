//! Contact: single blocks, problems with a known solution, and invariances.

mod problems;
mod systems;

use super::{Blocks, Scratch};
use crate::law::{BallRows, BlockLaw, Kept, Local, Normal, Problem, Sweeps, coulomb};
use glam::{DMat3, DVec3};
use micado_linalg::Arithmetic;
use nalgebra::{DMatrix, DVector};
use problems::{noise, within};

/// W = s R Rᵀ + m Id with random R of this rank, and random b, of n rows.
fn random(
    n: usize,
    rank: usize,
    [s, m]: [f64; 2],
    noise: &mut impl FnMut() -> f64,
) -> (DMatrix<f64>, DVector<f64>) {
    let root = DMatrix::from_fn(n, rank, |_, _| noise());
    (&root * root.transpose() * s + DMatrix::identity(n, n) * m, DVector::from_fn(n, |_, _| noise()))
}

/// Lower triangle by rows.
fn triangle(w: &DMatrix<f64>) -> Vec<f64> {
    (0..w.nrows()).flat_map(|k| (0..=k).map(move |l| w[(k, l)])).collect()
}

/// Blocks that all lie in one component, without guess.
fn in_one_component(laws: &[BlockLaw], w: &DMatrix<f64>, b: &DVector<f64>) -> Blocks {
    let (mut blocks, mut first) = (Blocks::default(), 0);
    for law in laws {
        let rows = law.rows();
        blocks.push(law, &b.as_slice()[first..first + rows], &[0.0; 3][..rows]);
        first += rows;
    }
    blocks.add_triangle(&(0..laws.len()).collect::<Vec<_>>(), &triangle(w));
    blocks
}

/// Forces of all rows.
fn forces(blocks: &Blocks, laws: &[BlockLaw]) -> Vec<f64> {
    laws.iter().enumerate().flat_map(|(i, law)| blocks.force(i)[..law.rows()].to_vec()).collect()
}

#[test]
fn one_block_always_has_forces_that_obey_the_law() {
    let mut noise = noise(3);
    for k in 0..20_000 {
        // Every second W is singular, as for a contact of objects that can't turn.
        let rank = [3, 3, 2, 1][k % 4];
        let (w, b) = random(3, rank, [1.0, 0.0], &mut noise);
        let across = 1.2 * noise().abs();
        let friction = if k % 3 == 0 { [across, 1.2 * noise().abs()] } else { [across; 2] };
        // Motions that no force can change don't occur without forces either.
        let b = if rank == 3 { b } else { &w * b };
        let (entries, k) = (w.as_slice(), b.as_slice());
        let f = coulomb::solve(DMat3::from_cols_slice(entries), DVec3::from_slice(k), friction);
        let local = Local { w: entries, k, normal: Normal::default() };
        let left = BlockLaw::Coulomb { friction }.residual(&local, &f.to_array());
        let size = f.length() * w.diagonal().max();
        // Rounding where W is nearly singular: s and forces lose up to ten digits.
        assert!(left <= 1e-6 * size + 1e-15, "{friction:?}, rank {rank}: {left} of {size}");
    }
}

#[test]
fn friction_that_differs_by_direction_brakes_as_much_as_possible() {
    let (mut noise, mut slid) = (noise(5), 0);
    for _ in 0..2000 {
        let (w, b) = random(3, 3, [1.0, 0.3], &mut noise);
        let friction = [noise().abs(), noise().abs()];
        let (w, k) = (DMat3::from_cols_slice(w.as_slice()), DVec3::from_slice(b.as_slice()));
        let f = coulomb::solve(w, k, friction);
        let delta = w * f + k;
        let [along, across] = friction;
        let used = ((f.y / along).powi(2) + (f.z / across).powi(2)).sqrt();
        assert!(f.x >= 0.0 && used <= f.x * (1.0 + 1e-9) + 1e-12, "within the elliptic cone");
        let work = |f: DVec3| f.y * delta.y + f.z * delta.z;
        for _ in 0..10 {
            let angle = std::f64::consts::PI * noise();
            let other = f.x * DVec3::new(1.0, along * libm::cos(angle), across * libm::sin(angle));
            // Rounding of the solution; the least eigenvalue of W is 0.3.
            assert!(work(f) <= work(other) + 1e-10, "{f} brakes less than {other}");
        }
        slid += usize::from(f.x > 0.0 && used > f.x * (1.0 - 1e-9));
    }
    assert!(slid > 500, "{slid}");
}

#[test]
fn without_friction_forces_are_those_of_the_linear_complementarity_problem() {
    let mut noise = noise(11);
    for _ in 0..200 {
        let n = 7;
        let (w, b) = random(n, n, [1.0, 0.1], &mut noise);
        // All active sets are tried.
        let expected = (0..1_u32 << n).find_map(|mask| {
            let active: Vec<usize> = (0..n).filter(|i| mask >> i & 1 == 1).collect();
            let part = DMatrix::from_fn(active.len(), active.len(), |i, j| w[(active[i], active[j])]);
            let right = DVector::from_fn(active.len(), |i, _| -b[active[i]]);
            let solved = if mask == 0 { right } else { part.lu().solve(&right)? };
            let mut f = DVector::zeros(n);
            active.iter().zip(solved.iter()).for_each(|(&i, &x)| f[i] = x);
            let holds = f.iter().all(|&x| x >= -1e-12) && (&w * &f + &b).iter().all(|&d| d >= -1e-12);
            holds.then_some(f)
        });
        let expected = expected.expect("a positive definite problem has a solution");
        for (law, rows) in [(BlockLaw::Unilateral, 1), (BlockLaw::Coulomb { friction: [0.0; 2] }, 3)] {
            // With two rows across each normal that move alone.
            let wide = DMatrix::from_fn(rows * n, rows * n, |i, j| match (i % rows, j % rows) {
                (0, 0) => w[(i / rows, j / rows)],
                _ if i == j => 1.0,
                _ => 0.0,
            });
            let b = DVector::from_fn(rows * n, |i, _| if i % rows == 0 { b[i / rows] } else { 0.3 });
            let laws = vec![law; n];
            let mut blocks = in_one_component(&laws, &wide, &b);
            let outcome = blocks.solve(within(1e-12), &mut Scratch::default());
            assert!(outcome.residual <= 1e-12, "{outcome:?}");
            for i in 0..n {
                // The least eigenvalue of W is 0.1.
                assert!((blocks.force(i)[0] - expected[i]).abs() < 1e-9);
            }
        }
    }
}

#[test]
fn sparse_and_dense_compliance_give_the_same_forces() {
    let mut noise = noise(41);
    let laws = [
        BlockLaw::Coulomb { friction: [0.3; 2] },
        BlockLaw::Unilateral,
        BlockLaw::Ball { rows: BallRows::Two, most: 0.5 },
        BlockLaw::Coulomb { friction: [0.6, 0.2] },
        BlockLaw::Bounded { least: -0.2, most: 0.3 },
        BlockLaw::Coulomb { friction: [0.4; 2] },
    ];
    let n: usize = laws.iter().map(BlockLaw::rows).sum();
    for _ in 0..200 {
        // The blocks are weakly coupled, so friction has one solution.
        let (w, b) = random(n, n, [0.05, 1.0], &mut noise);
        let mut blocks = in_one_component(&laws, &w, &b);
        assert!(blocks.solve(within(1e-13), &mut Scratch::default()).residual <= 1e-13);
        let normal = vec![DVec3::ZERO; n];
        let (compliance, start) = (w.as_slice(), b.as_slice());
        let dense = Problem { compliance, start, laws: &laws, normal: &normal, rubbing: &[], response: &[] };
        let (mut f, mut kept) = (vec![0.0; n], vec![Kept::default(); n]);
        let how = Sweeps { most: 1000, tolerance: 1e-14, arithmetic: Arithmetic::Portable };
        dense.solve(how, &mut f, &mut kept, &mut crate::law::Scratch::default());
        for (found, expected) in forces(&blocks, &laws).iter().zip(&f) {
            // W is at least 1.
            assert!((found - expected).abs() < 1e-11, "{found} {expected}");
        }
    }
}

#[test]
fn couplings_add_over_all_components_that_two_blocks_share() {
    let mut noise = noise(43);
    // Blocks 0 and 2 meet in both components, 1 lies in the first one, 3 in the second one.
    let laws = vec![BlockLaw::Coulomb { friction: [0.4, 0.3] }; 4];
    let components = [[2, 0, 1], [0, 3, 2]];
    let mut blocks = Blocks::default();
    let (mut all, b) = (DMatrix::zeros(12, 12), DVector::from_fn(12, |_, _| noise() - 0.5));
    for (i, law) in laws.iter().enumerate() {
        blocks.push(law, &b.as_slice()[3 * i..3 * i + 3], &[0.0; 3]);
    }
    for members in &components {
        let (w, _) = random(9, 9, [0.05, 0.5], &mut noise);
        for (i, row) in members.iter().enumerate() {
            for (j, column) in members.iter().enumerate() {
                let part = w.fixed_view::<3, 3>(3 * i, 3 * j);
                let mut sum = all.fixed_view_mut::<3, 3>(3 * row, 3 * column);
                sum += part;
            }
        }
        blocks.add_triangle(members, &triangle(&w));
    }
    blocks.solve(within(1e-14), &mut Scratch::default());
    let mut expected = in_one_component(&laws, &all, &b);
    expected.solve(within(1e-14), &mut Scratch::default());
    for (found, expected) in forces(&blocks, &laws).iter().zip(forces(&expected, &laws)) {
        // W is at least 0.5.
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

#[test]
fn memory_is_reused() {
    let mut noise = noise(47);
    let laws = vec![BlockLaw::Coulomb { friction: [0.5; 2] }; 8];
    let (mut blocks, mut scratch) = (Blocks::with_room(8, 36), Scratch::with_room(8));
    let mut first = Vec::new();
    for _ in 0..3 {
        let (w, b) = random(24, 10, [1.0, 0.0], &mut noise);
        blocks.clear();
        for i in 0..8 {
            blocks.push(&laws[i], &b.as_slice()[3 * i..3 * i + 3], &[0.0; 3]);
        }
        blocks.add_triangle(&[0, 1, 2, 3, 4, 5, 6, 7], &triangle(&w));
        let reused = blocks.solve(within(1e-9), &mut scratch);
        first.push(forces(&blocks, &laws));
        let mut fresh = in_one_component(&laws, &w, &b);
        // The same bits as without anything left from before.
        assert_eq!(reused, fresh.solve(within(1e-9), &mut Scratch::default()));
        assert_eq!(first.last(), Some(&forces(&fresh, &laws)));
    }
}
