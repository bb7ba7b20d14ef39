//! Statements about orders and costs, over many patterns.

use crate::common::*;
use micado_linalg::{
    Arithmetic, BlockMatrix, Factor, NodeKind, Ordering, Pattern, RefineWork, Symbolic, refine,
};
use proptest::prelude::*;

const RULES: [Ordering; 3] = [Ordering::Natural, Ordering::ReverseCuthillMcKee, Ordering::MinimumDegree];

fn assert_is_a_permutation(order: &[u32]) {
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    assert!(sorted.iter().enumerate().all(|(k, &v)| k as u32 == v));
}

fn assert_duals_follow_their_primals(a: &BlockMatrix, order: &[u32]) {
    let mut position = vec![0; order.len()];
    for (p, &v) in order.iter().enumerate() {
        position[v as usize] = p;
    }
    for i in 0..a.nodes() {
        for &j in a.row_nodes(i) {
            let j = j as usize;
            match (a.kind(i), a.kind(j)) {
                (NodeKind::Primal, NodeKind::Dual) => assert!(position[i] < position[j]),
                (NodeKind::Dual, NodeKind::Primal) => assert!(position[j] < position[i]),
                _ => {}
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_systems_solve_to_a_small_residual(
        n in 1_usize..40,
        edges in 0_usize..80,
        rows in 0_usize..12,
        seed in any::<u64>(),
        rod in any::<bool>(),
    ) {
        let mut frame = net(n, edges, rows, seed);
        if rod {
            let nodes = frame.rod(20);
            frame.element(&[0, nodes[seed as usize % 20]]);
            frame.row(&[nodes[0], nodes[7]], 2);
        }
        let a = frame.fill(seed ^ 1);
        // There may be more rows than unknowns: conditions of up to 1/ε.
        let shift = regularisation(&a, 1e-4);
        let b = Rng(seed).vector(shift.len());
        let mut cheapest = u64::MAX;
        for ordering in RULES {
            let symbolic = Symbolic::analyse(&a, ordering);
            assert_is_a_permutation(symbolic.order());
            assert_duals_follow_their_primals(&a, symbolic.order());
            cheapest = cheapest.min(symbolic.flops());
            let mut factor = Factor::new(&symbolic);
            let mut solutions = Vec::new();
            for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
                factor.factorise(&symbolic, &a, &shift, arithmetic).unwrap();
                let mut x = b.clone();
                factor.solve(&symbolic, &mut x, &mut Vec::new(), arithmetic);
                // The residual of the regularised system: A x + S x = b.
                let mut r = vec![0.0; b.len()];
                a.residual(&b, &x, &mut r, arithmetic);
                let size = x.iter().fold(1.0, |m: f64, v| m.max(v.abs()));
                for ((r, s), x) in r.iter().zip(&shift).zip(&x) {
                    prop_assert!((r - s * x).abs() < 1e-9 * size, "{ordering:?}: {r:e}");
                }
                solutions.push(x);
            }
            prop_assert!(relative_error(&solutions[0], &solutions[1]) < 1e-8);
        }
        // Natural is kept unless another order saves a twentieth.
        let kept = Symbolic::analyse(&a, Ordering::Cheapest).flops();
        prop_assert!(kept >= cheapest && kept as f64 <= cheapest as f64 / 0.95 + 20.0);
    }

    #[test]
    fn any_dual_node_is_ordered_after_the_nodes_it_touches(
        kinds in prop::collection::vec(any::<bool>(), 1..30),
        pairs in prop::collection::vec((any::<u32>(), any::<u32>()), 0..90)
    ) {
        let mut pattern = Pattern::new();
        for &dual in &kinds {
            pattern.add_node(if dual { NodeKind::Dual } else { NodeKind::Primal });
        }
        let n = kinds.len() as u32;
        for &(i, j) in &pairs {
            pattern.connect(i % n, j % n);
        }
        let a = BlockMatrix::new(&pattern);
        for ordering in RULES {
            let symbolic = Symbolic::analyse(&a, ordering);
            assert_is_a_permutation(symbolic.order());
            assert_duals_follow_their_primals(&a, symbolic.order());
        }
    }
}

#[test]
fn a_dual_node_comes_directly_after_the_last_node_that_it_touches() {
    let a = constrained_rod(50).fill(1);
    let symbolic = Symbolic::analyse(&a, Ordering::Natural);
    let order = symbolic.order();
    for (k, at) in (3..50).step_by(10).enumerate() {
        let p = order.iter().position(|&v| v == at).unwrap();
        assert_eq!(order[p + 1], 50 + k as u32);
    }
}

#[test]
fn the_cost_of_a_rod_is_linear() {
    let per_node = |n: usize| {
        let mut frame = Frame::default();
        frame.rod(n);
        let symbolic = Symbolic::analyse(&BlockMatrix::new(&frame.pattern), Ordering::Cheapest);
        assert_eq!(symbolic.ordering(), Ordering::Natural);
        assert_eq!(symbolic.factor_blocks(), 4 * n - 6);
        symbolic.flops() as f64 / n as f64
    };
    // The last three nodes couple with fewer others: 3 % at n = 100.
    assert!((per_node(100) / per_node(10_000) - 1.0).abs() < 0.03);
    assert!((per_node(10_000) / per_node(100_000) - 1.0).abs() < 3e-4);
}

#[test]
fn a_shuffled_rod_costs_as_little_as_a_rod() {
    let shuffled = shuffled_rod(400, 3);
    let mut rod = Frame::default();
    let nodes = rod.rod(400);
    rod.row(&nodes[..4], 3);
    rod.row(&nodes[200..204], 3);
    let flops = |f: &Frame, rule| Symbolic::analyse(&BlockMatrix::new(&f.pattern), rule).flops() as f64;
    let best = flops(&rod, Ordering::Natural);
    assert!(flops(&shuffled, Ordering::ReverseCuthillMcKee) < 1.02 * best);
    assert!(flops(&shuffled, Ordering::MinimumDegree) < 1.1 * best);
    assert!(flops(&shuffled, Ordering::Natural) > 10.0 * best);
    assert!(flops(&shuffled, Ordering::Cheapest) < 1.02 * best);
}

#[test]
fn a_square_net_is_cheaper_by_minimum_degree() {
    let side = 24;
    let mut frame = Frame::default();
    let node: Vec<u32> = (0..side * side).map(|_| frame.primal()).collect();
    for r in 0..side {
        for c in 0..side {
            if c + 1 < side {
                frame.element(&[node[r * side + c], node[r * side + c + 1]]);
            }
            if r + 1 < side {
                frame.element(&[node[r * side + c], node[(r + 1) * side + c]]);
            }
        }
    }
    let a = frame.fill(3);
    let cheapest = Symbolic::analyse(&a, Ordering::Cheapest);
    assert_eq!(cheapest.ordering(), Ordering::MinimumDegree);
    assert!(2 * cheapest.flops() < Symbolic::analyse(&a, Ordering::Natural).flops());
    let mut factor = Factor::new(&cheapest);
    factor.factorise(&cheapest, &a, &vec![0.0; 4 * side * side], Arithmetic::Fast).unwrap();
    let b = Rng(1).vector(4 * side * side);
    let mut x = b.clone();
    factor.solve(&cheapest, &mut x, &mut Vec::new(), Arithmetic::Fast);
    let done = refine(&a, &cheapest, &factor, &b, &mut x, &mut RefineWork::default(), Arithmetic::Fast);
    assert!(done.before < 1e-12 && done.residual < 1e-13, "{done:?}");
}

#[test]
fn an_empty_system_is_solved() {
    let a = BlockMatrix::new(&Pattern::new());
    let symbolic = Symbolic::analyse(&a, Ordering::Cheapest);
    let mut factor = Factor::new(&symbolic);
    for arithmetic in [Arithmetic::Fast, Arithmetic::Portable] {
        let inertia = factor.factorise(&symbolic, &a, &[], arithmetic).unwrap();
        assert_eq!((inertia.negative, inertia.positive), (0, 0));
        factor.solve(&symbolic, &mut [], &mut Vec::new(), arithmetic);
        factor.solve_four(&symbolic, &mut [], &mut Vec::new(), arithmetic);
    }
}

#[test]
fn a_rod_with_rows_keeps_its_natural_order() {
    let a = constrained_rod(1000).fill(1);
    assert_eq!(Symbolic::analyse(&a, Ordering::Cheapest).ordering(), Ordering::Natural);
}
