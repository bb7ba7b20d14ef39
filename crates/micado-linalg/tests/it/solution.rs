//! The factor solves what a dense elimination with pivoting solves.

use crate::common::*;
use micado_linalg::{Arithmetic, BandLu, Factor, NodeKind, Ordering, RefineWork, Symbolic, refine};

const ORDERINGS: [Ordering; 4] =
    [Ordering::Natural, Ordering::ReverseCuthillMcKee, Ordering::MinimumDegree, Ordering::Cheapest];

#[test]
fn block_ldlt_agrees_with_dense_elimination() {
    let mut checks = 0;
    for (name, frame) in frames() {
        let a = frame.fill(11);
        let shift = regularisation(&a, 1e-5);
        let b = Rng(3).vector(shift.len());
        let expected = dense_solve(dense(&a, &shift), &b);
        for ordering in ORDERINGS {
            let symbolic = Symbolic::analyse(&a, ordering);
            let mut factor = Factor::new(&symbolic);
            for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
                factor.factorise(&symbolic, &a, &shift, arithmetic).unwrap();
                let mut x = b.clone();
                factor.solve(&symbolic, &mut x, &mut Vec::new(), arithmetic);
                let error = relative_error(&x, &expected);
                // Rows that nearly repeat others leave condition numbers of up to 1/ε = 1e5.
                assert!(error < 1e-10, "{name}, {ordering:?}, {arithmetic:?}: {error:e}");
                checks += 1;
            }
        }
    }
    assert_eq!(checks, 10 * 4 * 2);
}

#[test]
fn fast_and_portable_arithmetic_agree() {
    for (name, frame) in frames() {
        let a = frame.fill(23);
        // Some nets hold rows that nearly repeat others: conditions of up to 1/ε.
        let shift = regularisation(&a, 1e-3);
        let b = Rng(5).vector(shift.len());
        let symbolic = Symbolic::analyse(&a, Ordering::Cheapest);
        let mut factor = Factor::new(&symbolic);
        let mut x = [b.clone(), b.clone()];
        let mut inertia = Vec::new();
        let mut products = [b.clone(), b.clone()];
        for (k, arithmetic) in [Arithmetic::Fast, Arithmetic::Portable].into_iter().enumerate() {
            inertia.push(factor.factorise(&symbolic, &a, &shift, arithmetic).unwrap());
            factor.solve(&symbolic, &mut x[k], &mut Vec::new(), arithmetic);
            a.multiply_with(&b, &mut products[k], arithmetic);
        }
        assert!(relative_error(&x[0], &x[1]) < 1e-12, "{name}: {:e}", relative_error(&x[0], &x[1]));
        assert!(relative_error(&products[0], &products[1]) < 1e-14, "{name}");
        assert_eq!(inertia[0].negative, inertia[1].negative, "{name}");
        assert!((inertia[0].smallest_pivot / inertia[1].smallest_pivot - 1.0).abs() < 1e-9, "{name}");
    }
}

#[test]
fn a_right_side_that_follows_the_elimination_is_solved_with_the_same_bits() {
    let mut checks = 0;
    // Longer than what is kept at hand, so that it follows in several pieces.
    let long = [("long rod", rod_with_rows_at_its_ends(200)), ("several long rods", several_rods(90))];
    for (name, frame) in frames().into_iter().chain(long) {
        let a = frame.fill(17);
        let shift = regularisation(&a, 1e-6);
        let b = Rng(4).vector(shift.len());
        for ordering in ORDERINGS {
            let symbolic = Symbolic::analyse(&a, ordering);
            let mut factor = Factor::new(&symbolic);
            for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
                let plain = factor.factorise(&symbolic, &a, &shift, arithmetic).unwrap();
                let mut expected = b.clone();
                factor.solve(&symbolic, &mut expected, &mut Vec::new(), arithmetic);
                let (mut halfway, mut x) = (vec![0.0; b.len()], vec![0.0; b.len()]);
                symbolic.gather(&b, &mut halfway);
                let inertia =
                    factor.factorise_with(&symbolic, &a, &shift, Some(&mut halfway), arithmetic).unwrap();
                factor.substitute_back(&symbolic, &mut halfway, &mut x, arithmetic);
                assert_eq!(inertia, plain, "{name}, {ordering:?}, {arithmetic:?}");
                assert_eq!(x, expected, "{name}, {ordering:?}, {arithmetic:?}");
                checks += 1;
            }
        }
    }
    assert_eq!(checks, 12 * 4 * 2);
}

#[test]
fn the_same_input_gives_the_same_bits() {
    let a = constrained_rod(200).fill(2);
    let shift = regularisation(&a, 1e-10);
    let b = Rng(9).vector(shift.len());
    for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
        let run = || {
            let symbolic = Symbolic::analyse(&a, Ordering::Cheapest);
            let mut factor = Factor::new(&symbolic);
            let mut x = b.clone();
            let mut work = Vec::new();
            // The second factorisation finds the memory of the first: nothing of it may remain.
            for _ in 0..2 {
                factor.factorise(&symbolic, &a, &shift, arithmetic).unwrap();
                x.copy_from_slice(&b);
                factor.solve(&symbolic, &mut x, &mut work, arithmetic);
            }
            x
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn failed_factorisation_leaves_no_trace() {
    let mut a = rod_with_rows_at_its_ends(30).fill(4);
    let shift = regularisation(&a, 1e-9);
    let b = Rng(1).vector(shift.len());
    let symbolic = Symbolic::analyse(&a, Ordering::Natural);
    for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
        let mut fresh = Factor::new(&symbolic);
        fresh.factorise(&symbolic, &a, &shift, arithmetic).unwrap();
        let mut used = Factor::new(&symbolic);
        let slot = a.slot(7, 7).unwrap();
        let kept = a.values()[slot];
        a.values_mut()[slot] = [f64::NAN; 16];
        used.factorise(&symbolic, &a, &shift, arithmetic).unwrap_err();
        a.values_mut()[slot] = kept;
        used.factorise(&symbolic, &a, &shift, arithmetic).unwrap();
        let mut x = [b.clone(), b.clone()];
        fresh.solve(&symbolic, &mut x[0], &mut Vec::new(), arithmetic);
        used.solve(&symbolic, &mut x[1], &mut Vec::new(), arithmetic);
        assert_eq!(x[0], x[1]);
    }
}

#[test]
fn four_right_sides_give_the_columns_of_single_solves() {
    for (name, frame) in frames() {
        let a = frame.fill(17);
        let shift = regularisation(&a, 1e-8);
        let n = shift.len();
        for ordering in [Ordering::Natural, Ordering::MinimumDegree] {
            let symbolic = Symbolic::analyse(&a, ordering);
            let mut factor = Factor::new(&symbolic);
            for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
                factor.factorise(&symbolic, &a, &shift, arithmetic).unwrap();
                // Right sides of a compliance are mostly zero.
                for zeros in [0, n / 2] {
                    let mut single = Rng(zeros as u64).vector(4 * n);
                    single.chunks_mut(n).for_each(|x| x[..zeros].fill(0.0));
                    let mut four: Vec<[f64; 4]> =
                        (0..n).map(|i| std::array::from_fn(|c| single[n * c + i])).collect();
                    let mut work = Vec::new();
                    factor.solve_four(&symbolic, &mut four, &mut work, arithmetic);
                    for x in single.chunks_mut(n) {
                        factor.solve(&symbolic, x, &mut work, arithmetic);
                    }
                    let columns: Vec<f64> = (0..4 * n).map(|k| four[k % n][k / n]).collect();
                    let error = relative_error(&columns, &single);
                    assert!(error < 1e-11, "{name} {ordering:?} {zeros}: {error:e}");
                }
            }
        }
    }
}

#[test]
fn the_product_is_that_of_the_dense_matrix() {
    for (name, frame) in frames() {
        let a = frame.fill(31);
        let n = 4 * a.nodes();
        let x = Rng(8).vector(n);
        let expected: Vec<f64> =
            dense(&a, &vec![0.0; n]).iter().map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum()).collect();
        let mut y = vec![f64::NAN; n];
        a.multiply(&x, &mut y);
        assert!(relative_error(&y, &expected) < 1e-14, "{name}");
        a.multiply_with(&x, &mut y, Arithmetic::Fast);
        assert!(relative_error(&y, &expected) < 1e-14, "{name}");
        let mut r = vec![f64::NAN; n];
        let largest = a.residual(&expected, &x, &mut r, Arithmetic::Fast);
        assert!(largest < 1e-12 && r.iter().all(|v| v.abs() <= largest), "{name}: {largest:e}");
    }
}

#[test]
fn band_lu_agrees_with_block_ldlt() {
    for (name, frame) in frames() {
        let a = frame.fill(41);
        let shift = regularisation(&a, 1e-9);
        let b = Rng(6).vector(shift.len());
        let symbolic = Symbolic::analyse(&a, Ordering::Cheapest);
        let mut factor = Factor::new(&symbolic);
        factor.factorise(&symbolic, &a, &shift, Arithmetic::Fast).unwrap();
        let mut x = b.clone();
        factor.solve(&symbolic, &mut x, &mut Vec::new(), Arithmetic::Fast);
        let mut lu = BandLu::from_blocks(&a, &shift).unwrap();
        for _ in 0..2 {
            let mut y = b.clone();
            lu.solve(&mut y);
            assert!(relative_error(&x, &y) < 1e-10, "{name}: {:e}", relative_error(&x, &y));
            lu.refactorise(&a, &shift).unwrap();
        }
    }
}

#[test]
fn band_of_a_free_rod_is_fifteen() {
    let mut frame = Frame::default();
    frame.rod(50);
    let a = frame.fill(1);
    assert_eq!(BandLu::from_blocks(&a, &vec![0.0; 200]).unwrap().half_bandwidth(), 15);
    let shuffled = shuffled_rod(50, 9);
    let mut rows_off = shuffled;
    rows_off.rows.clear();
    let mut free = rows_off.fill(2);
    for v in 0..free.nodes() as u32 {
        if free.kind(v as usize) == NodeKind::Dual {
            (0..4).for_each(|c| add(&mut free, v, v, c, c, -1.0));
        }
    }
    let lu = BandLu::from_blocks(&free, &vec![0.0; 4 * free.nodes()]).unwrap();
    assert_eq!(lu.half_bandwidth(), 15);
}

#[test]
fn band_lu_follows_entries_that_were_zero() {
    let frame = rod_with_rows_at_its_ends(12);
    let full = frame.fill(3);
    let shift = regularisation(&full, 1e-9);
    let mut sparse = full.clone();
    for v in 0..sparse.nodes() {
        for slot in sparse.row_start(v) + 1..sparse.row_start(v) + sparse.row_nodes(v).len() {
            sparse.values_mut()[slot] = [0.0; 16];
        }
    }
    let mut lu = BandLu::from_blocks(&sparse, &shift).unwrap();
    lu.refactorise(&full, &shift).unwrap();
    let b = Rng(2).vector(shift.len());
    let mut x = b.clone();
    lu.solve(&mut x);
    assert!(relative_error(&x, &dense_solve(dense(&full, &shift), &b)) < 1e-10);
}

#[test]
fn refinement_removes_the_compliance_of_the_shift() {
    let a = constrained_rod(80).fill(19);
    let shift = regularisation(&a, 1e-5);
    let b = Rng(4).vector(shift.len());
    let symbolic = Symbolic::analyse(&a, Ordering::Cheapest);
    let mut factor = Factor::new(&symbolic);
    for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
        factor.factorise(&symbolic, &a, &shift, arithmetic).unwrap();
        let mut work = RefineWork::new(a.nodes());
        let mut x = b.clone();
        factor.solve(&symbolic, &mut x, &mut Vec::new(), arithmetic);
        let first = refine(&a, &symbolic, &factor, &b, &mut x, &mut work, arithmetic);
        let second = refine(&a, &symbolic, &factor, &b, &mut x, &mut work, arithmetic);
        // Each sweep multiplies the error by about ε times the compliance of the rows.
        assert!(first.residual < 1e-2 * first.before, "{first:?}");
        assert_eq!(first.residual, second.before);
        assert!(second.correction < first.correction);
        refine(&a, &symbolic, &factor, &b, &mut x, &mut work, arithmetic);
        let expected = dense_solve(dense(&a, &[]), &b);
        assert!(relative_error(&x, &expected) < 1e-10, "{:e}", relative_error(&x, &expected));
    }
}

/// A chain of springs along oblique, slowly turning tangents, stiff (κ) beside the unit bending of second
/// differences.
fn oblique_rod(n: usize, kappa: f64) -> micado_linalg::BlockMatrix {
    let mut frame = Frame::default();
    frame.rod(n);
    frame.elements.clear();
    let mut a = frame.fill(1);
    for i in 0..n as u32 - 1 {
        let angle = 0.8 + 0.05 * f64::from(i);
        let t = [0.8 * angle.cos(), 0.8 * angle.sin(), 0.6, 0.05];
        for (v, sv) in [(i, -1.0), (i + 1, 1.0)] {
            for (w, sw) in [(i, -1.0), (i + 1, 1.0)] {
                for e in 0..16 {
                    add(&mut a, v, w, e / 4, e % 4, kappa * sv * sw * t[e / 4] * t[e % 4]);
                }
            }
        }
    }
    for i in 0..n as u32 - 2 {
        for (x, wx) in [(0, 1.0), (1, -2.0), (2, 1.0)] {
            for (y, wy) in [(0, 1.0), (1, -2.0), (2, 1.0)] {
                (0..4).for_each(|c| add(&mut a, i + x, i + y, c, c, wx * wy));
            }
        }
    }
    a
}

#[test]
fn stiff_stretch_costs_no_more_digits_than_pivoted_lu() {
    let n = 60;
    for kappa in [1.0, 1e4, 1e8] {
        let a = oblique_rod(n, kappa);
        let shift = vec![0.0; 4 * n];
        let expected = Rng(7).vector(4 * n);
        let mut b = vec![0.0; 4 * n];
        a.multiply(&expected, &mut b);
        let mut reference = b.clone();
        BandLu::from_blocks(&a, &shift).unwrap().solve(&mut reference);
        let allowed = 10.0 * relative_error(&reference, &expected).max(1e-14);
        let symbolic = Symbolic::analyse(&a, Ordering::Natural);
        let mut factor = Factor::new(&symbolic);
        for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
            let inertia = factor.factorise(&symbolic, &a, &shift, arithmetic).unwrap();
            assert_eq!(inertia.negative, 0);
            let mut x = b.clone();
            factor.solve(&symbolic, &mut x, &mut Vec::new(), arithmetic);
            let error = relative_error(&x, &expected);
            assert!(error < allowed, "κ = {kappa:e}, {arithmetic:?}: {error:e} > {allowed:e}");
            let done = refine(&a, &symbolic, &factor, &b, &mut x, &mut RefineWork::new(n), arithmetic);
            // One sweep reaches rounding of b − A x itself: some 1e-16 κ |x|.
            assert!(done.residual < 1e-14 * kappa, "κ = {kappa:e}, {arithmetic:?}: {done:?}");
        }
    }
}

#[test]
fn a_component_is_solved_alone() {
    // Two rods with rows that hold their ends, mixed in the order in which they are added.
    let mut frame = Frame::default();
    let rods: Vec<Vec<u32>> = [7, 12].into_iter().map(|n| frame.rod(n)).collect();
    for rod in rods.iter().rev() {
        frame.row(&rod[..1], 3);
        frame.row(&rod[rod.len() - 1..], 2);
    }
    let a = frame.fill(31);
    let shift = regularisation(&a, 1e-5);
    for ordering in ORDERINGS {
        let symbolic = Symbolic::analyse(&a, ordering);
        assert_eq!(symbolic.components(), 2);
        for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
            let mut factor = Factor::new(&symbolic);
            factor.factorise(&symbolic, &a, &shift, arithmetic).unwrap();
            for rod in &rods {
                let component = symbolic.component(rod[0] as usize);
                let range = symbolic.component_range(component);
                assert!(rod.iter().all(|&node| range.contains(&symbolic.position(node as usize))));
                // Four forces on one node of this rod.
                let node = rod[3] as usize;
                let mut whole = vec![[0.0; 4]; 4 * a.nodes()];
                let mut part = vec![[0.0; 4]; 4 * range.len()];
                let at = symbolic.position(node) - range.start;
                for c in 0..4 {
                    (whole[4 * node + c][c], part[4 * at + c][c]) = (1.0, 1.0);
                }
                factor.solve_four(&symbolic, &mut whole, &mut Vec::new(), arithmetic);
                factor.solve_four_within(&symbolic, component, &mut part, &mut Vec::new(), arithmetic);
                for v in 0..a.nodes() {
                    let p = symbolic.position(v);
                    let expected = &whole[4 * v..4 * v + 4];
                    if range.contains(&p) {
                        assert_eq!(&part[4 * (p - range.start)..][..4], expected);
                    } else {
                        assert!(expected.iter().all(|x| *x == [0.0; 4]));
                    }
                }
            }
        }
    }
}
