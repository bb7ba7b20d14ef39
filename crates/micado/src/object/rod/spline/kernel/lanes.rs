//! Vectors of four segments, and three-component vectors of them.

use core::arch::x86_64::*;

/// One number of four neighbouring segments.
pub(super) type V = __m256d;
/// A vector in space, for each of four segments.
pub(super) type V3 = [V; 3];

/// Expands an expression for each of three components: loops over arrays of vectors stay loops and go through
/// memory.
macro_rules! three {
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
        ]
    };
}
pub(super) use three;

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn load(v: &[f64; 4]) -> V {
    // SAFETY: four entries.
    unsafe { _mm256_loadu_pd(v.as_ptr()) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn store(v: &mut [f64; 4], x: V) {
    // SAFETY: four entries.
    unsafe { _mm256_storeu_pd(v.as_mut_ptr(), x) }
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn splat(x: f64) -> V {
    _mm256_set1_pd(x)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn zero() -> V {
    _mm256_setzero_pd()
}

/// An unwritten value: NaN shows if it is read.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn unset() -> V {
    splat(f64::NAN)
}

/// Neutral element of addition: −0.0 changes no sum. Unlike zeros, many of them are stored without a call of
/// memset.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn nothing() -> V {
    splat(-0.0)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn add(a: V, b: V) -> V {
    _mm256_add_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn sub(a: V, b: V) -> V {
    _mm256_sub_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn mul(a: V, b: V) -> V {
    _mm256_mul_pd(a, b)
}

/// −a
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn neg(a: V) -> V {
    _mm256_xor_pd(a, splat(-0.0))
}

/// a b + c
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn fma(a: V, b: V, c: V) -> V {
    _mm256_fmadd_pd(a, b, c)
}

/// c − a b
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn fnma(a: V, b: V, c: V) -> V {
    _mm256_fnmadd_pd(a, b, c)
}

/// a b − c
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn fms(a: V, b: V, c: V) -> V {
    _mm256_fmsub_pd(a, b, c)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn div(a: V, b: V) -> V {
    _mm256_div_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn sqrt(a: V) -> V {
    _mm256_sqrt_pd(a)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn max(a: V, b: V) -> V {
    _mm256_max_pd(a, b)
}

#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn min(a: V, b: V) -> V {
    _mm256_min_pd(a, b)
}

/// a·b
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn dot(a: V3, b: V3) -> V {
    fma(a[0], b[0], fma(a[1], b[1], mul(a[2], b[2])))
}

/// a×b
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn cross(a: V3, b: V3) -> V3 {
    [fms(a[1], b[2], mul(a[2], b[1])), fms(a[2], b[0], mul(a[0], b[2])), fms(a[0], b[1], mul(a[1], b[0]))]
}

/// s a
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn scale(s: V, a: V3) -> V3 {
    three!(|I| mul(s, a[I]))
}

/// s a + b
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn scale_add(s: V, a: V3, b: V3) -> V3 {
    three!(|I| fma(s, a[I], b[I]))
}

/// b − s a
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn scale_sub(s: V, a: V3, b: V3) -> V3 {
    three!(|I| fnma(s, a[I], b[I]))
}

/// Four vectors with lanes and rows exchanged.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn transpose(a: [V; 4]) -> [V; 4] {
    let (b0, b1) = (_mm256_unpacklo_pd(a[0], a[1]), _mm256_unpackhi_pd(a[0], a[1]));
    let (b2, b3) = (_mm256_unpacklo_pd(a[2], a[3]), _mm256_unpackhi_pd(a[2], a[3]));
    [
        _mm256_permute2f128_pd::<0x20>(b0, b2),
        _mm256_permute2f128_pd::<0x20>(b1, b3),
        _mm256_permute2f128_pd::<0x31>(b0, b2),
        _mm256_permute2f128_pd::<0x31>(b1, b3),
    ]
}

/// The last entries of four vectors.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn last_entries(a: [V; 4]) -> V {
    _mm256_permute2f128_pd::<0x31>(_mm256_unpackhi_pd(a[0], a[1]), _mm256_unpackhi_pd(a[2], a[3]))
}

/// Values of the previous segment: lanes (p₃, c₀, c₁, c₂) of the previous and the present block.
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn shift_1(previous: V, present: V) -> V {
    _mm256_shuffle_pd::<0b0101>(shift_2(previous, present), present)
}

/// Values two segments before: lanes (p₂, p₃, c₀, c₁).
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn shift_2(previous: V, present: V) -> V {
    _mm256_permute2f128_pd::<0x21>(previous, present)
}

/// Values three segments before: lanes (p₁, p₂, p₃, c₀).
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn shift_3(previous: V, present: V) -> V {
    _mm256_shuffle_pd::<0b0101>(previous, shift_2(previous, present))
}
