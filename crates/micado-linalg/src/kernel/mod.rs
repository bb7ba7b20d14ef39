//! The numeric loops, in two arithmetics with the same interface.
//!
//! `portable` is the reference: plain `a * b + c` in a written order, the same bits on every machine. `avx2`
//! is the same algebra in vectors of four with fused multiply-add. The choice is made once per call.

#[cfg(target_arch = "x86_64")]
mod avx2;
mod portable;

use crate::block::Aligned;
use crate::matrix::BlockMatrix;
use crate::symbolic::Symbolic;
use std::ops::Range;

/// How numbers are multiplied and added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum Arithmetic {
    /// AVX2 with fused multiply-add where the processor has it, else the portable code. Same bits on the same
    /// machine.
    #[default]
    Fast,
    /// Scalar `a * b + c` in a fixed order: same bits on every machine.
    Portable,
}

#[cfg(target_arch = "x86_64")]
impl Arithmetic {
    /// Whether calls go to the AVX2 kernels.
    pub(crate) fn vectors(self) -> bool {
        self == Self::Fast && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma")
    }
}

/// Calls the kernel of the arithmetic asked for.
macro_rules! dispatch {
    ($arithmetic:expr, $name:ident $(::<$generic:ident>)? ($($argument:expr),*)) => {{
        #[cfg(not(target_arch = "x86_64"))]
        let _ = $arithmetic;
        #[cfg(target_arch = "x86_64")]
        if $arithmetic.vectors() {
            // SAFETY: the processor has AVX2 and FMA.
            return unsafe { avx2::$name$(::<$generic>)?($($argument),*) };
        }
        portable::$name$(::<$generic>)?($($argument),*)
    }};
}

/// Memory of a factorisation: blocks by slot (D⁻¹ on the diagonal, X = D⁻¹R beyond) and pivots by position.
pub(crate) struct Numbers<'a> {
    pub(crate) blocks: &'a mut [Aligned],
    pub(crate) pivots: &'a mut [[f64; 4]],
}

/// D⁻¹ and X = D⁻¹R of every position, and the scalar pivots, of A + diag(shift). Bad pivots are found by the
/// caller: here they make numbers that are not finite, never panics. A right side b, in elimination order,
/// becomes L⁻¹b on the way.
pub(crate) fn factorise(
    plan: &Symbolic,
    a: &BlockMatrix,
    shift: &[[f64; 4]],
    numbers: Numbers<'_>,
    b: Option<&mut [[f64; 4]]>,
    arithmetic: Arithmetic,
) {
    dispatch!(arithmetic, factorise(plan, a.values(), shift, numbers, b));
}

/// b ← L⁻¹ b, in elimination order.
pub(crate) fn forward(plan: &Symbolic, blocks: &[Aligned], b: &mut [[f64; 4]], arithmetic: Arithmetic) {
    dispatch!(arithmetic, forward_all(plan, blocks, b));
}

/// b ← (DLᵀ)⁻¹ b, in elimination order.
pub(crate) fn backward(plan: &Symbolic, blocks: &[Aligned], b: &mut [[f64; 4]], arithmetic: Arithmetic) {
    dispatch!(arithmetic, backward_all(plan, blocks, b));
}

/// Four right sides at once, for the positions `range` of a component: block p − range.start of b holds row
/// r, column c at `4 * r + c`. Positions before `first` are zero.
pub(crate) fn solve_four(
    plan: &Symbolic,
    blocks: &[Aligned],
    b: &mut [Aligned],
    (range, first): (Range<usize>, usize),
    arithmetic: Arithmetic,
) {
    dispatch!(arithmetic, solve_four(plan, blocks, b, range, first));
}

/// Signs and sizes of all entries of a list of vectors. Does not depend on the order of entries: both
/// arithmetics agree.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Survey {
    /// Entries with the sign bit set.
    pub(crate) negative: usize,
    /// Smallest |entry|, infinity if there is none; without meaning unless `finite`.
    pub(crate) smallest: f64,
    /// Largest |entry|, zero if there is none; without meaning unless `finite`.
    pub(crate) largest: f64,
    /// Whether no entry is infinite or NaN.
    pub(crate) finite: bool,
}

/// Surveys all entries.
pub(crate) fn survey(v: &[[f64; 4]], arithmetic: Arithmetic) -> Survey {
    dispatch!(arithmetic, survey(v))
}

/// y ← y ± A x.
pub(crate) fn accumulate<const MINUS: bool>(
    a: &BlockMatrix,
    x: &[[f64; 4]],
    y: &mut [[f64; 4]],
    arithmetic: Arithmetic,
) {
    dispatch!(arithmetic, accumulate::<MINUS>(a, x, y));
}
