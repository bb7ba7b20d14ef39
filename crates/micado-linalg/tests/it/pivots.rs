//! Pivots: inertia, redundant rows, singular systems.

use crate::common::*;
use micado_linalg::{Arithmetic, BlockMatrix, Factor, NodeKind, Ordering, RefineWork, Symbolic, refine};
use nalgebra::DMatrix;

const BOTH: [Arithmetic; 2] = [Arithmetic::Fast, Arithmetic::Portable];

fn negative_eigenvalues(a: &BlockMatrix, shift: &[f64]) -> usize {
    let m = dense(a, shift);
    let m = DMatrix::from_fn(m.len(), m.len(), |r, c| m[r][c]);
    m.symmetric_eigenvalues().iter().filter(|v| **v < 0.0).count()
}

#[test]
fn negative_pivots_count_negative_eigenvalues() {
    for (name, frame) in frames() {
        let a = frame.fill(13);
        let shift = regularisation(&a, 1e-6);
        let expected = negative_eigenvalues(&a, &shift);
        let duals = (0..a.nodes()).filter(|&v| a.kind(v) == NodeKind::Dual).count();
        assert_eq!(expected, 4 * duals, "{name} is not quasi-definite");
        for ordering in [Ordering::Natural, Ordering::MinimumDegree, Ordering::ReverseCuthillMcKee] {
            let symbolic = Symbolic::analyse(&a, ordering);
            let mut factor = Factor::new(&symbolic);
            for arithmetic in BOTH {
                let inertia = factor.factorise(&symbolic, &a, &shift, arithmetic).unwrap();
                assert_eq!(inertia.negative, expected, "{name}, {ordering:?}, {arithmetic:?}");
                assert_eq!(inertia.negative + inertia.positive, 4 * a.nodes());
                let all: Vec<f64> = (0..a.nodes()).flat_map(|v| factor.pivots(&symbolic, v)).collect();
                let smallest = all.iter().fold(f64::INFINITY, |m, d| m.min(d.abs()));
                let largest = all.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
                assert_eq!((inertia.smallest_pivot, inertia.largest_pivot), (smallest, largest));
            }
        }
    }
}

#[test]
fn direction_of_a_pivot_has_the_pivot_as_its_quadratic_form() {
    for (name, frame) in frames() {
        let a = frame.fill(17);
        let shift = regularisation(&a, 1e-6);
        let full = dense(&a, &shift);
        for ordering in [Ordering::Natural, Ordering::MinimumDegree] {
            let symbolic = Symbolic::analyse(&a, ordering);
            let mut factor = Factor::new(&symbolic);
            factor.factorise(&symbolic, &a, &shift, Arithmetic::Portable).unwrap();
            for node in (0..a.nodes()).step_by(1 + a.nodes() / 12) {
                for component in 0..4 {
                    // Positions after the node are not written.
                    let mut v = vec![[f64::NAN; 4]; a.nodes()];
                    factor.pivot_direction(&symbolic, node, component, &mut v);
                    let at = symbolic.position(node);
                    assert_eq!(v[at][component], 1.0);
                    assert!(v[at + 1..].as_flattened().iter().all(|v| v.is_nan()));
                    let mut x = vec![0.0; 4 * a.nodes()];
                    for (v, &node) in v[..=at].iter().zip(symbolic.order()) {
                        x[4 * node as usize..][..4].copy_from_slice(v);
                    }
                    let image = full.iter().map(|row| row.iter().zip(&x).map(|(a, x)| a * x).sum::<f64>());
                    let (mut form, mut size) = (0.0, 0.0);
                    for (x, image) in x.iter().zip(image) {
                        (form, size) = (form + x * image, size + (x * image).abs());
                    }
                    let pivot = factor.pivots(&symbolic, node)[component];
                    // Rounding, relative to the terms that cancel.
                    let allowed = 1e-9 * (size + pivot.abs());
                    assert!((form - pivot).abs() <= allowed, "{name} {node} {component}: {form} {pivot}");
                }
            }
        }
    }
}

#[test]
fn a_buckled_rod_shows_as_extra_negative_pivots() {
    let a = rod_with_rows_at_its_ends(25).fill(7);
    let symbolic = Symbolic::analyse(&a, Ordering::Natural);
    let mut factor = Factor::new(&symbolic);
    // A negative shift of the primal diagonal, as an axial load would do.
    for load in [1.4, 2.2, 3.1] {
        let mut shift = regularisation(&a, 1e-6);
        for (s, v) in shift.iter_mut().enumerate() {
            if a.kind(s / 4) == NodeKind::Primal {
                *v = -load;
            }
        }
        let expected = negative_eigenvalues(&a, &shift);
        assert!(expected > 12, "the load must change the inertia");
        for arithmetic in BOTH {
            assert_eq!(factor.factorise(&symbolic, &a, &shift, arithmetic).unwrap().negative, expected);
        }
    }
}

#[test]
fn duplicated_rows_with_a_small_shift_solve_cleanly() {
    let epsilon = 1e-10;
    let mut frame = Frame::default();
    let nodes = frame.rod(30);
    let kept = frame.row(&nodes[10..13], 3);
    let copy = frame.row(&nodes[10..13], 3);
    let mut a = frame.fill(29);
    for &v in &nodes[10..13] {
        let (from, to) = (a.slot(v, kept).unwrap(), a.slot(v, copy).unwrap());
        a.values_mut()[to] = a.values()[from];
    }
    let shift = regularisation(&a, epsilon);
    let mut b = Rng(12).vector(shift.len());
    // Both copies ask for the same, so that the rows agree.
    b.copy_within(4 * kept as usize..4 * kept as usize + 4, 4 * copy as usize);
    for ordering in [Ordering::Natural, Ordering::Cheapest] {
        let symbolic = Symbolic::analyse(&a, ordering);
        let mut factor = Factor::new(&symbolic);
        for arithmetic in BOTH {
            let inertia = factor.factorise(&symbolic, &a, &shift, arithmetic).unwrap();
            assert_eq!(inertia.negative, 8);
            let mut x = b.clone();
            factor.solve(&symbolic, &mut x, &mut Vec::new(), arithmetic);
            let mut work = RefineWork::new(a.nodes());
            let mut residual = f64::INFINITY;
            for _ in 0..2 {
                residual = refine(&a, &symbolic, &factor, &b, &mut x, &mut work, arithmetic).residual;
            }
            assert!(residual < 1e-12, "{arithmetic:?}: {residual:e}");
            // The second copy in the order of elimination has nothing left but its regularisation, seen
            // through the first: −ε − (w − w²/(w + ε)) = −2ε.
            let last = *symbolic.order().iter().rfind(|&&v| v == kept || v == copy).unwrap();
            let pivots = factor.pivots(&symbolic, last as usize);
            for d in &pivots[..3] {
                assert!(*d < -0.5 * epsilon && *d > -1e4 * epsilon, "{arithmetic:?}: {pivots:?}");
            }
            let first = kept + copy - last;
            assert!(factor.pivots(&symbolic, first as usize)[..3].iter().all(|d| *d < -1e-3));
        }
    }
}

#[test]
fn a_zero_pivot_is_reported_with_node_and_component() {
    for n in [3, 12, 40] {
        let mut frame = Frame::default();
        frame.rod(n);
        let a = frame.fill(1);
        for (node, component) in [(0, 0), (1, 2), (n - 1, 3)] {
            // A row and column of zeros.
            let mut zero = a.clone();
            for v in 0..n as u32 {
                for w in v..n as u32 {
                    if let Some(slot) = zero.slot(v, w) {
                        for k in 0..4 {
                            if v as usize == node {
                                zero.values_mut()[slot][4 * component + k] = 0.0;
                            }
                            if w as usize == node {
                                zero.values_mut()[slot][4 * k + component] = 0.0;
                            }
                        }
                    }
                }
            }
            let symbolic = Symbolic::analyse(&zero, Ordering::Natural);
            let mut factor = Factor::new(&symbolic);
            for arithmetic in BOTH {
                let singular = factor.factorise(&symbolic, &zero, &vec![0.0; 4 * n], arithmetic).unwrap_err();
                assert_eq!((singular.node, singular.component), (node, component), "{n} {arithmetic:?}");
                assert!(singular.to_string().contains(&format!("component {component} of node {node}")));
            }
        }
    }
}

#[test]
fn a_pivot_that_is_not_finite_is_reported() {
    let n = 20;
    let mut frame = Frame::default();
    frame.rod(n);
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for node in [0_u32, 9, 19] {
            let mut a = frame.fill(1);
            let slot = a.slot(node, node).unwrap();
            a.values_mut()[slot][5] = bad;
            let symbolic = Symbolic::analyse(&a, Ordering::Natural);
            let mut factor = Factor::new(&symbolic);
            for arithmetic in BOTH {
                let singular = factor.factorise(&symbolic, &a, &vec![0.0; 4 * n], arithmetic).unwrap_err();
                assert_eq!((singular.node, singular.component), (node as usize, 1), "{bad} {arithmetic:?}");
            }
        }
    }
}
