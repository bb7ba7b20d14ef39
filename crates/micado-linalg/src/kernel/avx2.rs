//! The kernels in vectors of four with fused multiply-add. A row of a block is one vector.

mod factorise;
mod substitute;

pub(super) use factorise::factorise;
pub(super) use substitute::{accumulate, backward_all, forward_all, solve_four, survey};

use core::arch::x86_64::*;

use crate::block::Block;

/// Four rows of a block, or four of anything.
type Rows = [__m256d; 4];

/// Writes a statement for each of the four rows: loops over arrays of vectors stay loops and go through
/// memory.
macro_rules! four {
    (|$i:ident| $body:expr) => {
        [
            {
                const $i: usize = 0;
                $body
            },
            {
                const $i: usize = 1;
                $body
            },
            {
                const $i: usize = 2;
                $body
            },
            {
                const $i: usize = 3;
                $body
            },
        ]
    };
}
use four;

#[inline]
#[target_feature(enable = "avx2,fma")]
fn load(b: &Block) -> Rows {
    // SAFETY: row I is the four entries from 4 I of sixteen.
    four!(|I| unsafe { _mm256_loadu_pd(b.as_ptr().add(4 * I)) })
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn store(b: &mut Block, rows: Rows) {
    // SAFETY: as in `load`.
    four!(|I| unsafe { _mm256_storeu_pd(b.as_mut_ptr().add(4 * I), rows[I]) });
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn load4(v: &[f64; 4]) -> __m256d {
    // SAFETY: four entries.
    unsafe { _mm256_loadu_pd(v.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn store4(v: &mut [f64; 4], x: __m256d) {
    // SAFETY: four entries.
    unsafe { _mm256_storeu_pd(v.as_mut_ptr(), x) }
}

/// Bᵀ of rows in registers.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn transpose(b: Rows) -> Rows {
    let (a0, a1) = (_mm256_unpacklo_pd(b[0], b[1]), _mm256_unpackhi_pd(b[0], b[1]));
    let (a2, a3) = (_mm256_unpacklo_pd(b[2], b[3]), _mm256_unpackhi_pd(b[2], b[3]));
    [
        _mm256_permute2f128_pd::<0x20>(a0, a2),
        _mm256_permute2f128_pd::<0x20>(a1, a3),
        _mm256_permute2f128_pd::<0x31>(a0, a2),
        _mm256_permute2f128_pd::<0x31>(a1, a3),
    ]
}

/// A B, with A in memory: its entries are broadcast one by one.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn product(a: &Block, b: Rows) -> Rows {
    four!(|I| {
        let c = _mm256_mul_pd(_mm256_set1_pd(a[4 * I]), b[0]);
        let c = _mm256_fmadd_pd(_mm256_set1_pd(a[4 * I + 1]), b[1], c);
        let c = _mm256_fmadd_pd(_mm256_set1_pd(a[4 * I + 2]), b[2], c);
        _mm256_fmadd_pd(_mm256_set1_pd(a[4 * I + 3]), b[3], c)
    })
}

/// T − A B.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn minus_product(t: Rows, a: &Block, b: Rows) -> Rows {
    four!(|I| {
        let c = _mm256_fnmadd_pd(b[0], _mm256_set1_pd(a[4 * I]), t[I]);
        let c = _mm256_fnmadd_pd(b[1], _mm256_set1_pd(a[4 * I + 1]), c);
        let c = _mm256_fnmadd_pd(b[2], _mm256_set1_pd(a[4 * I + 2]), c);
        _mm256_fnmadd_pd(b[3], _mm256_set1_pd(a[4 * I + 3]), c)
    })
}

/// T − Rᵀ X.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn minus_transposed_product(t: Rows, r: &Block, x: Rows) -> Rows {
    four!(|I| {
        let c = _mm256_fnmadd_pd(x[0], _mm256_set1_pd(r[I]), t[I]);
        let c = _mm256_fnmadd_pd(x[1], _mm256_set1_pd(r[4 + I]), c);
        let c = _mm256_fnmadd_pd(x[2], _mm256_set1_pd(r[8 + I]), c);
        _mm256_fnmadd_pd(x[3], _mm256_set1_pd(r[12 + I]), c)
    })
}

/// T + Rᵀ X.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn plus_transposed_product(t: Rows, r: &Block, x: Rows) -> Rows {
    four!(|I| {
        let c = _mm256_fmadd_pd(_mm256_set1_pd(r[I]), x[0], t[I]);
        let c = _mm256_fmadd_pd(_mm256_set1_pd(r[4 + I]), x[1], c);
        let c = _mm256_fmadd_pd(_mm256_set1_pd(r[8 + I]), x[2], c);
        _mm256_fmadd_pd(_mm256_set1_pd(r[12 + I]), x[3], c)
    })
}

/// The sums of the entries of each of four vectors.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn row_sums(a: Rows) -> __m256d {
    let (h01, h23) = (_mm256_hadd_pd(a[0], a[1]), _mm256_hadd_pd(a[2], a[3]));
    let crossed = _mm256_permute2f128_pd::<0x21>(h01, h23);
    _mm256_add_pd(_mm256_blend_pd::<0b1100>(h01, h23), crossed)
}
