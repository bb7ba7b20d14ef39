//! Factorisation and one solve, by four solvers, for rods whose nodes couple with the next three.
//!
//! `free`: a rod alone. `constrained`: with a dual node of three rows over four nodes, every ten nodes.
//! Symbolic work is done once, outside the measured part. `parts` takes the block solver apart.

use divan::Bencher;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::ldlt::factor::LdltRegularization;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymmetricOrdering, factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, MatMut, Par, Side};
use micado_linalg::{Arithmetic, BandLu, BlockMatrix, Factor, NodeKind, Ordering, Pattern, Symbolic};

const SIZES: [usize; 4] = [20, 100, 1000, 10_000];

fn main() {
    divan::main();
}

/// A diagonally dominant rod of n nodes; `every` > 0 adds a dual node after each so many.
fn rod(n: usize, every: usize) -> BlockMatrix {
    let mut pattern = Pattern::new();
    let nodes: Vec<u32> = (0..n).map(|_| pattern.add_node(NodeKind::Primal)).collect();
    nodes.windows(4).for_each(|window| pattern.clique(window));
    if every > 0 {
        for window in nodes.windows(4).step_by(every) {
            let dual = pattern.add_node(NodeKind::Dual);
            window.iter().for_each(|&v| pattern.connect(v, dual));
        }
    }
    let mut a = BlockMatrix::new(&pattern);
    let mut state = 1_u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    for i in 0..a.nodes() {
        let start = a.row_start(i);
        let columns = a.row_nodes(i).to_vec();
        for (k, &j) in columns.iter().enumerate() {
            let row = j as usize >= n;
            let block = &mut a.values_mut()[start + k];
            if k > 0 {
                // The fourth row of a dual node is padding.
                block
                    .iter_mut()
                    .enumerate()
                    .for_each(|(e, v)| *v = if row && e % 4 == 3 { 0.0 } else { 0.3 * random() });
            } else {
                (0..4).for_each(|c| {
                    block[5 * c] = if !row {
                        6.0
                    } else if c < 3 {
                        -1e-10
                    } else {
                        -1.0
                    }
                });
            }
        }
    }
    a
}

/// Natural order and everything that is reused.
struct Case {
    a: BlockMatrix,
    shift: Vec<f64>,
    symbolic: Symbolic,
    factor: Factor,
    x: Vec<f64>,
    work: Vec<f64>,
}

impl Case {
    fn new(n: usize, every: usize) -> Self {
        let a = rod(n, every);
        let symbolic = Symbolic::analyse(&a, Ordering::Natural);
        let size = 4 * a.nodes();
        let factor = Factor::new(&symbolic);
        Self {
            shift: vec![0.0; size],
            symbolic,
            factor,
            x: vec![1.0; size],
            work: vec![0.0; 4 * size + 8],
            a,
        }
    }
}

fn block_ldlt(bencher: Bencher<'_, '_>, n: usize, every: usize, arithmetic: Arithmetic) {
    let mut c = Case::new(n, every);
    bencher.bench_local(|| {
        c.factor.factorise(&c.symbolic, &c.a, &c.shift, arithmetic).unwrap();
        c.x.fill(1.0);
        c.factor.solve(&c.symbolic, &mut c.x, &mut c.work, arithmetic);
    });
}

mod block_ldlt_fast {
    use super::*;

    #[divan::bench(args = SIZES)]
    fn free(bencher: Bencher<'_, '_>, n: usize) {
        block_ldlt(bencher, n, 0, Arithmetic::Fast);
    }
    #[divan::bench(args = SIZES)]
    fn constrained(bencher: Bencher<'_, '_>, n: usize) {
        block_ldlt(bencher, n, 10, Arithmetic::Fast);
    }
}

mod block_ldlt_portable {
    use super::*;

    #[divan::bench(args = SIZES)]
    fn free(bencher: Bencher<'_, '_>, n: usize) {
        block_ldlt(bencher, n, 0, Arithmetic::Portable);
    }
    #[divan::bench(args = SIZES)]
    fn constrained(bencher: Bencher<'_, '_>, n: usize) {
        block_ldlt(bencher, n, 10, Arithmetic::Portable);
    }
}

mod band_lu {
    use super::*;

    fn run(bencher: Bencher<'_, '_>, n: usize, every: usize) {
        let mut c = Case::new(n, every);
        let mut lu = BandLu::from_blocks(&c.a, &c.shift).unwrap();
        bencher.bench_local(|| {
            lu.refactorise(&c.a, &c.shift).unwrap();
            c.x.fill(1.0);
            lu.solve(&mut c.x);
        });
    }

    #[divan::bench(args = SIZES)]
    fn free(bencher: Bencher<'_, '_>, n: usize) {
        run(bencher, n, 0);
    }
    #[divan::bench(args = SIZES)]
    fn constrained(bencher: Bencher<'_, '_>, n: usize) {
        run(bencher, n, 10);
    }
}

mod faer_ldlt {
    use super::*;

    /// The upper triangle of the scalar matrix in our order, and the expected signs of its pivots.
    fn scalar(c: &Case) -> (SparseColMat<usize, f64>, Vec<i8>) {
        let mut position = vec![0; c.a.nodes()];
        let mut signs = Vec::new();
        for (p, &v) in c.symbolic.order().iter().enumerate() {
            position[v as usize] = p;
            signs.extend([if c.a.kind(v as usize) == NodeKind::Dual { -1_i8 } else { 1 }; 4]);
        }
        let mut entries = Vec::new();
        for i in 0..c.a.nodes() {
            for (k, &j) in c.a.row_nodes(i).iter().enumerate() {
                for (e, &v) in c.a.values()[c.a.row_start(i) + k].iter().enumerate() {
                    let (r, s) = (4 * position[i] + e / 4, 4 * position[j as usize] + e % 4);
                    if k > 0 || r <= s {
                        entries.push(Triplet::new(r.min(s), r.max(s), v));
                    }
                }
            }
        }
        let n = 4 * c.a.nodes();
        (SparseColMat::try_new_from_triplets(n, n, &entries).unwrap(), signs)
    }

    fn run(bencher: Bencher<'_, '_>, n: usize, every: usize) {
        let mut c = Case::new(n, every);
        let (a, signs) = scalar(&c);
        let symbolic = factorize_symbolic_cholesky(
            a.symbolic(),
            Side::Upper,
            SymmetricOrdering::Identity,
            CholeskySymbolicParams::default(),
        )
        .unwrap();
        let regularization = LdltRegularization {
            dynamic_regularization_signs: Some(&signs),
            dynamic_regularization_delta: 1e-14,
            dynamic_regularization_epsilon: 1e-14,
        };
        let mut values = vec![0.0; symbolic.len_val()];
        let factor_scratch = symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default());
        let solve_scratch = symbolic.solve_in_place_scratch::<f64>(1, Par::Seq);
        let mut memory = MemBuffer::new(factor_scratch.or(solve_scratch));
        bencher.bench_local(|| {
            let factor = symbolic
                .factorize_numeric_ldlt(
                    &mut values,
                    a.as_ref(),
                    Side::Upper,
                    regularization,
                    Par::Seq,
                    MemStack::new(&mut memory),
                    Default::default(),
                )
                .unwrap();
            c.x.fill(1.0);
            let rows = c.x.len();
            let x = MatMut::from_column_major_slice_mut(&mut c.x, rows, 1);
            factor.solve_in_place_with_conj(Conj::No, x, Par::Seq, MemStack::new(&mut memory));
        });
    }

    #[divan::bench(args = SIZES)]
    fn free(bencher: Bencher<'_, '_>, n: usize) {
        run(bencher, n, 0);
    }
    #[divan::bench(args = SIZES)]
    fn constrained(bencher: Bencher<'_, '_>, n: usize) {
        run(bencher, n, 10);
    }
}

mod parts {
    use super::*;
    use micado_linalg::{RefineWork, correct};

    const FAST: Arithmetic = Arithmetic::Fast;

    #[divan::bench(args = SIZES)]
    fn analyse(bencher: Bencher<'_, '_>, n: usize) {
        let a = rod(n, 10);
        bencher.bench_local(|| Symbolic::analyse(&a, Ordering::Cheapest));
    }
    #[divan::bench(args = SIZES)]
    fn factorise(bencher: Bencher<'_, '_>, n: usize) {
        let mut c = Case::new(n, 0);
        bencher.bench_local(|| c.factor.factorise(&c.symbolic, &c.a, &c.shift, FAST));
    }
    #[divan::bench(args = SIZES)]
    fn solve(bencher: Bencher<'_, '_>, n: usize) {
        let mut c = Case::new(n, 0);
        c.factor.factorise(&c.symbolic, &c.a, &c.shift, FAST).unwrap();
        bencher.bench_local(|| {
            c.x.fill(1.0);
            c.factor.solve(&c.symbolic, &mut c.x, &mut c.work, FAST);
        });
    }
    #[divan::bench(args = SIZES)]
    fn solve_four_columns(bencher: Bencher<'_, '_>, n: usize) {
        let mut c = Case::new(n, 0);
        c.factor.factorise(&c.symbolic, &c.a, &c.shift, FAST).unwrap();
        let mut x = vec![[1.0; 4]; c.x.len()];
        bencher.bench_local(|| {
            x.fill([1.0; 4]);
            c.factor.solve_four(&c.symbolic, &mut x, &mut c.work, FAST);
        });
    }
    #[divan::bench(args = SIZES)]
    fn refinement_sweep(bencher: Bencher<'_, '_>, n: usize) {
        let mut c = Case::new(n, 0);
        c.factor.factorise(&c.symbolic, &c.a, &c.shift, FAST).unwrap();
        let b = c.x.clone();
        let mut work = RefineWork::new(n);
        bencher.bench_local(|| correct((&c.a, &[]), &c.symbolic, &c.factor, &b, &mut c.x, &mut work, FAST));
    }
    #[divan::bench(args = SIZES)]
    fn product(bencher: Bencher<'_, '_>, n: usize) {
        let mut c = Case::new(n, 0);
        let b = c.x.clone();
        bencher.bench_local(|| c.a.multiply_with(&b, &mut c.x, FAST));
    }
}
