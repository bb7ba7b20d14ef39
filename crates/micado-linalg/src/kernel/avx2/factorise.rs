//! Elimination: single columns through the factor's memory, banded runs through a window in the first-level
//! cache.

use std::hint::black_box;
use std::sync::atomic::{Ordering::SeqCst, compiler_fence};

use super::substitute::{forward_banded, forward_from};
use super::*;
use crate::block::{Aligned, plain};
use crate::kernel::Numbers;
use crate::symbolic::{FILL, Run, Symbolic, TRANSPOSED};

/// Positions of a banded run whose right side follows at once, while their rows are in the first-level cache.
const AT_HAND: usize = 32;

/// See the portable kernel for the algebra. The right side b follows the elimination.
#[target_feature(enable = "avx2,fma")]
pub(in crate::kernel) fn factorise(
    plan: &Symbolic,
    a: &[Block],
    shift: &[[f64; 4]],
    numbers: Numbers<'_>,
    b: Option<&mut [[f64; 4]]>,
) {
    let Numbers { blocks, pivots } = numbers;
    let mut task = Task { plan, a, shift, blocks, pivots, b, fetched: 0 };
    let (mut next_single, mut next_run) = (0, 0);
    let mut k = 0;
    while k < plan.nodes() {
        if next_run < plan.runs.len() && plan.runs[next_run].start as usize == k {
            let run = plan.runs[next_run];
            next_run += 1;
            task.run(run);
            k = run.end as usize;
        } else {
            task.column(k, &plan.targets[plan.single[next_single].targets..]);
            next_single += 1;
            if let Some(b) = &mut task.b {
                forward_from(plan, task.blocks, b, k);
            }
            k += 1;
        }
    }
}

struct Task<'a> {
    plan: &'a Symbolic,
    a: &'a [Block],
    shift: &'a [[f64; 4]],
    blocks: &'a mut [Aligned],
    pivots: &'a mut [[f64; 4]],
    /// Right side, in elimination order.
    b: Option<&'a mut [[f64; 4]]>,
    /// Rows before this one have been fetched from A, except direct ones.
    fetched: usize,
}

impl Task<'_> {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn fetch_through(&mut self, last: usize) {
        while self.fetched <= last {
            if !self.plan.direct[self.fetched] {
                self.fetch_row(self.fetched);
            }
            self.fetched += 1;
        }
    }

    /// Row p of the factor before any update.
    #[target_feature(enable = "avx2,fma")]
    fn fetch_row(&mut self, p: usize) {
        let row = self.plan.row(p);
        let diagonal = load(&self.a[self.plan.source[row.start] as usize]);
        store(&mut self.blocks[row.start].0, shifted(diagonal, &self.shift[self.plan.order[p] as usize]));
        let sources = &self.plan.source[row.start + 1..row.end];
        for (block, &from) in self.blocks[row.start + 1..row.end].iter_mut().zip(sources) {
            let rows = match from {
                FILL => [_mm256_setzero_pd(); 4],
                from if from & TRANSPOSED != 0 => transpose(load(&self.a[(from & !TRANSPOSED) as usize])),
                from => load(&self.a[from as usize]),
            };
            store(&mut block.0, rows);
        }
    }

    /// Eliminates position k; `targets` begin with the slots of its updates.
    #[target_feature(enable = "avx2,fma")]
    fn column(&mut self, k: usize, targets: &[u32]) {
        let row = self.plan.row(k);
        self.fetch_through(self.plan.columns[row.end - 1] as usize);
        let (head, tail) = self.blocks.split_at_mut(row.end);
        let (diagonal, rest) = head[row.start..].split_at_mut(1);
        let pivot = Pivot::of(&diagonal[0].0, &mut self.pivots[k]);
        store(&mut diagonal[0].0, pivot.inverse());
        if rest.is_empty() {
            return;
        }
        for r in rest.iter_mut() {
            let y = pivot.forward(load(&r.0));
            store(&mut r.0, y);
        }
        // The nearest diagonal first, because the next pivot block waits for it; then the last j first: Y_kj
        // has served every pair when X_kj takes its place.
        let z0 = pivot.scaled(load(&rest[0].0));
        let next = &mut tail[targets[0] as usize - row.end].0;
        store(next, minus_transposed_product(load(next), &rest[0].0, z0));
        for j in (1..rest.len()).rev() {
            let z = pivot.scaled(load(&rest[j].0));
            for (y, &target) in rest[..=j].iter().zip(&targets[j * (j + 1) / 2..]) {
                let target = &mut tail[target as usize - row.end].0;
                store(target, minus_transposed_product(load(target), &y.0, z));
            }
            store(&mut rest[j].0, pivot.backward(z));
        }
        store(&mut rest[0].0, pivot.backward(z0));
    }

    /// Where the row of position p is read from: A itself, or what was fetched and updated from outside the
    /// run.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn banded_row(&mut self, p: usize) -> &[Block] {
        let start = self.plan.rows[p] as usize;
        if self.plan.direct[p] {
            let from = self.plan.source[start] as usize;
            &self.a[from..from + 4]
        } else {
            self.fetch_through(p);
            plain(&self.blocks[start..start + 4])
        }
    }

    /// The pivot block of position p: its own part, less the updates U.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn banded_diagonal(&mut self, p: usize, u: Rows) -> Rows {
        let own = load(&self.banded_row(p)[0]);
        if self.plan.direct[p] {
            less(shifted(own, &self.shift[self.plan.order[p] as usize]), u)
        } else {
            less(own, u)
        }
    }

    /// Eliminates consecutive positions of structure {k+1, k+2, k+3}.
    ///
    /// Updates U = Σ YᵀZ of the three positions ahead stay in a window; a row of A meets them when its turn
    /// comes.
    #[target_feature(enable = "avx2,fma")]
    fn run(&mut self, run: Run) {
        let zero = [_mm256_setzero_pd(); 4];
        let mut window = Window::default();
        let w = black_box(&mut window);
        let (start, end) = (run.start as usize, run.end as usize);
        let d = self.banded_diagonal(start, zero);
        store(&mut w.d.0, d);
        let mut pivot = Pivot::of(&w.d.0, &mut self.pivots[start]);
        // The right side comes behind, piece by piece.
        let (mut followed, mut follow) = (start, (start + AT_HAND).min(end));
        for k in start..end {
            let slot = self.plan.rows[k] as usize;
            // R_j = A_j − U_0j, Y_j = L⁻¹R_j.
            let row = self.banded_row(k);
            let y1 = pivot.forward(less(load(&row[1]), load(&w.u01.0)));
            store(&mut w.y1.0, y1);
            // The next pivot block first: all else waits for it.
            let z1 = pivot.scaled(y1);
            let u = plus_transposed_product(load(&w.u11.0), &w.y1.0, z1);
            let y2 = pivot.forward(less(load(&row[2]), load(&w.u02.0)));
            store(&mut w.y2.0, y2);
            let y3 = pivot.forward(load(&row[3]));
            store(&mut w.y3.0, y3);
            let z2 = pivot.scaled(y2);
            let z3 = pivot.scaled(y3);
            store(&mut w.z3.0, z3);
            let out: &mut [Aligned] = &mut self.blocks[slot..slot + 4];
            store(&mut out[1].0, pivot.backward(z1));
            store(&mut out[2].0, pivot.backward(z2));
            store(&mut out[3].0, pivot.backward(z3));
            store(&mut out[0].0, pivot.inverse());
            if k + 1 < end {
                let d = self.banded_diagonal(k + 1, u);
                store(&mut w.d.0, d);
                pivot = Pivot::of(&w.d.0, &mut self.pivots[k + 1]);
            } else {
                store(&mut w.d.0, u);
            }
            // U_ij moves one place up and takes Y_iᵀZ_j.
            apart();
            store(&mut w.u01.0, plus_transposed_product(load(&w.u12.0), &w.y1.0, z2));
            apart();
            store(&mut w.u11.0, plus_transposed_product(load(&w.u22.0), &w.y2.0, z2));
            apart();
            let z3 = load(&w.z3.0);
            store(&mut w.u02.0, plus_transposed_product(zero, &w.y1.0, z3));
            apart();
            store(&mut w.u12.0, plus_transposed_product(zero, &w.y2.0, z3));
            apart();
            store(&mut w.u22.0, plus_transposed_product(zero, &w.y3.0, z3));
            apart();
            if k + 1 == follow {
                if let Some(b) = &mut self.b {
                    forward_banded(self.plan, self.blocks, b, followed..follow);
                }
                (followed, follow) = (follow, (follow + AT_HAND).min(end));
            }
        }
        // Those of the run itself have been read, each in its turn.
        self.fetched = self.fetched.max(end);
        self.fetch_through(end + 2);
        let at = |i: usize, j: usize| self.plan.rows[end + i] as usize + j - i;
        let left = [
            (at(0, 0), &w.d),
            (at(0, 1), &w.u01),
            (at(0, 2), &w.u02),
            (at(1, 1), &w.u11),
            (at(1, 2), &w.u12),
            (at(2, 2), &w.u22),
        ];
        for (slot, u) in left {
            let block = &mut self.blocks[slot].0;
            store(block, less(load(block), load(&u.0)));
        }
    }
}

/// Working set of a banded run: the pivot row, and the updates of the three positions ahead.
struct Window {
    d: Aligned,
    y1: Aligned,
    y2: Aligned,
    y3: Aligned,
    z3: Aligned,
    u01: Aligned,
    u02: Aligned,
    u11: Aligned,
    u12: Aligned,
    u22: Aligned,
}

impl Default for Window {
    fn default() -> Self {
        let z = Aligned::ZERO;
        Self { d: z, y1: z, y2: z, y3: z, z3: z, u01: z, u02: z, u11: z, u12: z, u22: z }
    }
}

/// Keeps the products on its two sides apart, so that no broadcast of one is kept in registers, or rather on
/// the stack, for the other. Makes no instruction.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn apart() {
    compiler_fence(SeqCst);
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn less(a: Rows, b: Rows) -> Rows {
    four!(|I| _mm256_sub_pd(a[I], b[I]))
}

/// D + diag(s).
#[inline]
#[target_feature(enable = "avx2,fma")]
fn shifted(d: Rows, s: &[f64; 4]) -> Rows {
    let (s, zero) = (load4(s), _mm256_setzero_pd());
    four!(|I| _mm256_add_pd(d[I], _mm256_blend_pd::<{ 1 << I }>(zero, s)))
}

/// A pivot block D = L diag(d) Lᵀ, every number in all four lanes.
struct Pivot {
    /// 1/d.
    reciprocals: Rows,
    /// L below its diagonal: (1,0), (2,0), (3,0), (2,1), (3,1), (3,2).
    lower: [__m256d; 6],
}

impl Pivot {
    /// Scalar elimination without pivoting, from the upper triangle of D.
    ///
    /// The reciprocals of d₁ and d₃ come from 2×2 determinants, 1/d₁ = d₀₀/(d₀₀d₁₁ − d₀₁²): two divisions
    /// then wait for each other instead of four, and the rounding errors are those of d₁ itself.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn of(d: &Block, pivots: &mut [f64; 4]) -> Self {
        // Both products rounded, so that equal rows give exactly zero.
        let det_a = d[0] * d[5] - d[1] * d[1];
        let i0 = 1.0 / d[0];
        let i1 = d[0] / det_a;
        let (l10, l20, l30) = (d[1] * i0, d[2] * i0, d[3] * i0);
        let (u12, u13) = ((-l10).mul_add(d[2], d[6]), (-l10).mul_add(d[3], d[7]));
        let (l21, l31) = (u12 * i1, u13 * i1);
        let s22 = (-l21).mul_add(u12, (-l20).mul_add(d[2], d[10]));
        let s23 = (-l21).mul_add(u13, (-l20).mul_add(d[3], d[11]));
        let s33 = (-l31).mul_add(u13, (-l30).mul_add(d[3], d[15]));
        let det_s = s22 * s33 - s23 * s23;
        let i2 = 1.0 / s22;
        let i3 = s22 / det_s;
        let l32 = s23 * i2;
        *pivots = [d[0], det_a * i0, s22, det_s * i2];
        Self {
            reciprocals: [_mm256_set1_pd(i0), _mm256_set1_pd(i1), _mm256_set1_pd(i2), _mm256_set1_pd(i3)],
            lower: [
                _mm256_set1_pd(l10),
                _mm256_set1_pd(l20),
                _mm256_set1_pd(l30),
                _mm256_set1_pd(l21),
                _mm256_set1_pd(l31),
                _mm256_set1_pd(l32),
            ],
        }
    }

    /// L⁻¹ R.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn forward(&self, r: Rows) -> Rows {
        let [l10, l20, l30, l21, l31, l32] = self.lower;
        let y0 = r[0];
        let y1 = _mm256_fnmadd_pd(l10, y0, r[1]);
        let y2 = _mm256_fnmadd_pd(l21, y1, _mm256_fnmadd_pd(l20, y0, r[2]));
        let y3 = _mm256_fnmadd_pd(l31, y1, _mm256_fnmadd_pd(l30, y0, r[3]));
        [y0, y1, y2, _mm256_fnmadd_pd(l32, y2, y3)]
    }

    /// diag(1/d) Y.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn scaled(&self, y: Rows) -> Rows {
        four!(|I| _mm256_mul_pd(self.reciprocals[I], y[I]))
    }

    /// L⁻ᵀ Z.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn backward(&self, z: Rows) -> Rows {
        let [l10, l20, l30, l21, l31, l32] = self.lower;
        let x3 = z[3];
        let x2 = _mm256_fnmadd_pd(l32, x3, z[2]);
        let x1 = _mm256_fnmadd_pd(l21, x2, _mm256_fnmadd_pd(l31, x3, z[1]));
        let x0 = _mm256_fnmadd_pd(l20, x2, _mm256_fnmadd_pd(l30, x3, z[0]));
        [_mm256_fnmadd_pd(l10, x1, x0), x1, x2, x3]
    }

    /// D⁻¹.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    fn inverse(&self) -> Rows {
        let unit = [
            _mm256_setr_pd(1.0, 0.0, 0.0, 0.0),
            _mm256_setr_pd(0.0, 1.0, 0.0, 0.0),
            _mm256_setr_pd(0.0, 0.0, 1.0, 0.0),
            _mm256_setr_pd(0.0, 0.0, 0.0, 1.0),
        ];
        self.backward(self.scaled(self.forward(unit)))
    }
}
