//! The reference kernels: scalar, in a fixed order of sums, without fused operations.

use super::{Numbers, Survey};
use crate::block::{Aligned, Block, transposed};
use crate::matrix::BlockMatrix;
use crate::symbolic::{FILL, Symbolic, TRANSPOSED};
use std::ops::Range;

/// Right-looking elimination. For each position k with later structure {j}:
///
/// ```text
/// D_k = L diag(d) Lᵀ,   Y_kj = L⁻¹ R_kj,   Z_kj = diag(1/d) Y_kj,   X_kj = L⁻ᵀ Z_kj = D_k⁻¹ R_kj,
/// R_ij ← R_ij − Y_kiᵀ Z_kj   (i ≤ j)
/// ```
///
/// The update is that of scalar elimination. R_kiᵀ X_kj with an explicit inverse would be shorter and is not
/// used: when D is stiff in one oblique direction (ratio κ) it loses κ² instead of κ.
///
/// Rows are fetched from A just before the first update that may reach them. The right side b follows at the
/// end.
pub(super) fn factorise(
    plan: &Symbolic,
    a: &[Block],
    shift: &[[f64; 4]],
    numbers: Numbers<'_>,
    b: Option<&mut [[f64; 4]]>,
) {
    let Numbers { blocks, pivots } = numbers;
    let mut fetched = 0;
    let mut single = plan.single.iter().peekable();
    for (k, pivot) in pivots.iter_mut().enumerate() {
        let row = plan.row(k);
        let last = plan.columns[row.end - 1] as usize;
        while fetched <= last {
            fetch_row(plan, a, shift, fetched, blocks);
            fetched += 1;
        }
        let (head, tail) = blocks.split_at_mut(row.end);
        let (diagonal, rest) = head[row.start..].split_at_mut(1);
        let d = split(&diagonal[0].0);
        diagonal[0].0 = d.inverse();
        *pivot = d.pivots;
        let targets = single.next_if(|s| s.column as usize == k).map(|s| &plan.targets[s.targets..]);
        rest.iter_mut().for_each(|r| d.forward(&mut r.0));
        // Last j first: Y_kj has then served every pair when X_kj takes its place.
        for j in (0..rest.len()).rev() {
            let z = d.scaled(&rest[j].0);
            for (i, y) in rest[..=j].iter().enumerate() {
                let slot = match targets {
                    Some(targets) => targets[j * (j + 1) / 2 + i] as usize,
                    None => plan.rows[k + 1 + i] as usize + j - i,
                };
                subtract_transposed_product(&mut tail[slot - row.end].0, &y.0, &z);
            }
            rest[j].0 = d.backward(z);
        }
    }
    if let Some(b) = b {
        forward_all(plan, blocks, b);
    }
}

/// Row p of the factor before any update: blocks of A + diag(shift), or zero where there is fill.
fn fetch_row(plan: &Symbolic, a: &[Block], shift: &[[f64; 4]], p: usize, blocks: &mut [Aligned]) {
    for slot in plan.row(p) {
        blocks[slot].0 = match plan.source[slot] {
            FILL => [0.0; 16],
            from if from & TRANSPOSED != 0 => transposed(&a[(from & !TRANSPOSED) as usize]),
            from => a[from as usize],
        };
    }
    let diagonal = &mut blocks[plan.rows[p] as usize].0;
    for (c, s) in shift[plan.order[p] as usize].iter().enumerate() {
        diagonal[5 * c] += s;
    }
}

/// A pivot block D = L diag(d) Lᵀ with L unit lower triangular.
struct Split {
    pivots: [f64; 4],
    reciprocals: [f64; 4],
    /// L below its diagonal: (1,0), (2,0), (3,0), (2,1), (3,1), (3,2).
    lower: [f64; 6],
}

/// Scalar elimination without pivoting, from the upper triangle of D.
fn split(d: &Block) -> Split {
    let d0 = d[0];
    let i0 = 1.0 / d0;
    let (l10, l20, l30) = (d[1] * i0, d[2] * i0, d[3] * i0);
    let d1 = d[5] - l10 * d[1];
    let (u12, u13) = (d[6] - l10 * d[2], d[7] - l10 * d[3]);
    let i1 = 1.0 / d1;
    let (l21, l31) = (u12 * i1, u13 * i1);
    let d2 = d[10] - l20 * d[2] - l21 * u12;
    let u23 = d[11] - l20 * d[3] - l21 * u13;
    let i2 = 1.0 / d2;
    let l32 = u23 * i2;
    let d3 = d[15] - l30 * d[3] - l31 * u13 - l32 * u23;
    let i3 = 1.0 / d3;
    Split { pivots: [d0, d1, d2, d3], reciprocals: [i0, i1, i2, i3], lower: [l10, l20, l30, l21, l31, l32] }
}

impl Split {
    /// R ← L⁻¹ R.
    fn forward(&self, r: &mut Block) {
        let [l10, l20, l30, l21, l31, l32] = self.lower;
        for c in 0..4 {
            r[4 + c] -= l10 * r[c];
            r[8 + c] = r[8 + c] - l20 * r[c] - l21 * r[4 + c];
            r[12 + c] = r[12 + c] - l30 * r[c] - l31 * r[4 + c] - l32 * r[8 + c];
        }
    }

    /// diag(1/d) Y.
    fn scaled(&self, y: &Block) -> Block {
        std::array::from_fn(|e| self.reciprocals[e / 4] * y[e])
    }

    /// L⁻ᵀ Z.
    fn backward(&self, mut z: Block) -> Block {
        let [l10, l20, l30, l21, l31, l32] = self.lower;
        for c in 0..4 {
            z[8 + c] -= l32 * z[12 + c];
            z[4 + c] = z[4 + c] - l31 * z[12 + c] - l21 * z[8 + c];
            z[c] = z[c] - l30 * z[12 + c] - l20 * z[8 + c] - l10 * z[4 + c];
        }
        z
    }

    /// D⁻¹, symmetric.
    fn inverse(&self) -> Block {
        let mut unit = [0.0; 16];
        (0..4).for_each(|c| unit[5 * c] = 1.0);
        self.forward(&mut unit);
        self.backward(self.scaled(&unit))
    }
}

/// A B.
fn product(a: &Block, b: &Block) -> Block {
    let mut c = [0.0; 16];
    for i in 0..4 {
        for s in 0..4 {
            for j in 0..4 {
                c[4 * i + j] += a[4 * i + s] * b[4 * s + j];
            }
        }
    }
    c
}

/// T ← T − Rᵀ X.
fn subtract_transposed_product(t: &mut Block, r: &Block, x: &Block) {
    for i in 0..4 {
        for s in 0..4 {
            for j in 0..4 {
                t[4 * i + j] -= r[4 * s + i] * x[4 * s + j];
            }
        }
    }
}

/// T ← T − A B.
fn subtract_product(t: &mut Block, a: &Block, b: &Block) {
    for i in 0..4 {
        for s in 0..4 {
            for j in 0..4 {
                t[4 * i + j] -= a[4 * i + s] * b[4 * s + j];
            }
        }
    }
}

/// y ← y ± A x.
fn add_image<const MINUS: bool>(y: &mut [f64; 4], a: &Block, x: &[f64; 4]) {
    for i in 0..4 {
        let sum = a[4 * i] * x[0] + a[4 * i + 1] * x[1] + a[4 * i + 2] * x[2] + a[4 * i + 3] * x[3];
        y[i] = if MINUS { y[i] - sum } else { y[i] + sum };
    }
}

/// y ← y ± Aᵀ x.
fn add_transposed_image<const MINUS: bool>(y: &mut [f64; 4], a: &Block, x: &[f64; 4]) {
    for j in 0..4 {
        let sum = a[j] * x[0] + a[4 + j] * x[1] + a[8 + j] * x[2] + a[12 + j] * x[3];
        y[j] = if MINUS { y[j] - sum } else { y[j] + sum };
    }
}

/// b_j ← b_j − X_kjᵀ b_k of all positions.
pub(super) fn forward_all(plan: &Symbolic, blocks: &[Aligned], b: &mut [[f64; 4]]) {
    for k in 0..plan.nodes() {
        let bk = b[k];
        for slot in plan.row(k).skip(1) {
            add_transposed_image::<true>(&mut b[plan.columns[slot] as usize], &blocks[slot].0, &bk);
        }
    }
}

/// x_k = D_k⁻¹ b_k − Σ X_kj x_j of all positions.
pub(super) fn backward_all(plan: &Symbolic, blocks: &[Aligned], b: &mut [[f64; 4]]) {
    for k in (0..plan.nodes()).rev() {
        let mut row = plan.row(k);
        let mut xk = [0.0; 4];
        if let Some(diagonal) = row.next() {
            add_image::<false>(&mut xk, &blocks[diagonal].0, &b[k]);
        }
        for slot in row {
            add_image::<true>(&mut xk, &blocks[slot].0, &b[plan.columns[slot] as usize]);
        }
        b[k] = xk;
    }
}

/// Both for four right sides and the positions of a component; those before `first` are zero going forward.
pub(super) fn solve_four(
    plan: &Symbolic,
    blocks: &[Aligned],
    b: &mut [Aligned],
    range: Range<usize>,
    first: usize,
) {
    let start = range.start;
    for k in first..range.end {
        let bk = b[k - start].0;
        for slot in plan.row(k).skip(1) {
            let j = plan.columns[slot] as usize - start;
            subtract_transposed_product(&mut b[j].0, &blocks[slot].0, &bk);
        }
    }
    for k in range.rev() {
        let mut row = plan.row(k);
        let mut xk = [0.0; 16];
        if let Some(diagonal) = row.next() {
            xk = product(&blocks[diagonal].0, &b[k - start].0);
        }
        for slot in row {
            subtract_product(&mut xk, &blocks[slot].0, &b[plan.columns[slot] as usize - start].0);
        }
        b[k - start].0 = xk;
    }
}

/// y ← y ± A x, each stored block used for itself and for its transpose.
pub(super) fn accumulate<const MINUS: bool>(a: &BlockMatrix, x: &[[f64; 4]], y: &mut [[f64; 4]]) {
    let values = a.values();
    for i in 0..a.nodes() {
        let start = a.row_start(i);
        let mut yi = y[i];
        add_image::<MINUS>(&mut yi, &values[start], &x[i]);
        for (k, &j) in a.row_nodes(i).iter().enumerate().skip(1) {
            let block = &values[start + k];
            add_image::<MINUS>(&mut yi, block, &x[j as usize]);
            add_transposed_image::<MINUS>(&mut y[j as usize], block, &x[i]);
        }
        y[i] = yi;
    }
}

/// Counts, extremes and soundness of all entries.
pub(super) fn survey(v: &[[f64; 4]]) -> Survey {
    let mut survey = Survey { negative: 0, smallest: f64::INFINITY, largest: 0.0, finite: true };
    for &entry in v.as_flattened() {
        let size = entry.abs();
        survey.negative += usize::from(entry.is_sign_negative());
        survey.smallest = if size < survey.smallest { size } else { survey.smallest };
        survey.largest = if size > survey.largest { size } else { survey.largest };
        survey.finite &= size < f64::INFINITY;
    }
    survey
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_block_multiplies_back() {
        #[rustfmt::skip]
        let d = [
            4.0,  1.0, -0.5,  0.25,
            1.0, -3.0,  0.75, 0.5,
           -0.5,  0.75, 2.0,  1.5,
            0.25, 0.5,  1.5, -5.0,
        ];
        let split = split(&d);
        assert_eq!(split.pivots.map(f64::is_sign_negative), [false, true, false, true]);
        let unit = product(&split.inverse(), &d);
        for (e, v) in unit.iter().enumerate() {
            let expected = if e % 5 == 0 { 1.0 } else { 0.0 };
            assert!((v - expected).abs() < 1e-15, "entry {e}: {v}");
        }
    }

    #[test]
    fn survey_counts_signs_and_finds_non_finite_values() {
        let survey = super::survey(&[[1.0, -2.0, 0.5, 3.0], [-0.25, 1.0, 1.0, 1.0]]);
        assert_eq!(survey, Survey { negative: 2, smallest: 0.25, largest: 3.0, finite: true });
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!super::survey(&[[1.0, 1.0, bad, 1.0]]).finite);
        }
    }
}
