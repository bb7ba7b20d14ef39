//! Sine and cosine of four angles.
//!
//! θ = n π/2 + r, |r| ≤ π/4, with π/2 in three parts of which the first has so few bits that n times it is
//! exact; then the Taylor polynomials of r to the 17th and 16th power (remainders below 1e-19 and 2e-18), and
//! quadrants by n mod 4. Within 2 ulp for |θ| ≤ 10⁵; larger and non-finite angles use the scalar library,
//! lane by lane. Four small angles, as those of rods that hardly twist, need fewer terms and no quadrants.

use super::lanes::*;
use core::arch::x86_64::*;

/// Largest angle of the vector form.
const REACH: f64 = 1e5;
/// Largest angle whose Taylor polynomials to the 9th and 8th power have remainders below 2e-20 and 3e-19.
const SMALL: f64 = 1.0 / 16.0;
/// The first 33 bits of π/2.
const HALF_PI_1: f64 = f64::from_bits(0x3FF9_21FB_5440_0000);
/// The next 53 bits.
const HALF_PI_2: f64 = f64::from_bits(0x3DD0_B461_1A62_6331);
/// The rest: π/2 = `HALF_PI_1` + `HALF_PI_2` + `HALF_PI_3`.
const HALF_PI_3: f64 = f64::from_bits(0x3A71_701B_839A_2520);

/// sin θ, cos θ
#[inline]
#[target_feature(enable = "avx2,fma")]
pub(super) fn sincos(theta: V) -> (V, V) {
    let size = _mm256_andnot_pd(splat(-0.0), theta);
    if _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(size, splat(SMALL))) == 0b1111 {
        return of_small(theta);
    }
    if _mm256_movemask_pd(_mm256_cmp_pd::<_CMP_LE_OQ>(size, splat(REACH))) != 0b1111 {
        return beyond_reach(theta);
    }
    // Adding 1.5·2⁵² rounds to an integer, whose last bits then are the last of the mantissa.
    let shifter = splat(6_755_399_441_055_744.0);
    let shifted = fma(theta, splat(std::f64::consts::FRAC_2_PI), shifter);
    let n = sub(shifted, shifter);
    // r + tail = θ − n π/2, r correctly rounded.
    let first = fnma(n, splat(HALF_PI_1), theta);
    let second = mul(n, splat(HALF_PI_2));
    let r = sub(first, second);
    let lost = sub(sub(first, r), second);
    let tail = sub(lost, fma(n, splat(HALF_PI_3), fms(n, splat(HALF_PI_2), second)));

    let z = mul(r, r);
    let sine = {
        let c = fma(z, splat(1.0 / 355_687_428_096_000.0), splat(-1.0 / 1_307_674_368_000.0));
        let c = fma(z, c, splat(1.0 / 6_227_020_800.0));
        let c = fma(z, c, splat(-1.0 / 39_916_800.0));
        let c = fma(z, c, splat(1.0 / 362_880.0));
        let c = fma(z, c, splat(-1.0 / 5_040.0));
        let c = fma(z, c, splat(1.0 / 120.0));
        let c = fma(z, c, splat(-1.0 / 6.0));
        // sin(r + tail) = r + (r³ c + tail cos r)
        fma(mul(z, r), c, fnma(mul(splat(0.5), z), tail, tail))
    };
    let sine = add(r, sine);
    let cosine = {
        let c = fma(z, splat(1.0 / 20_922_789_888_000.0), splat(-1.0 / 87_178_291_200.0));
        let c = fma(z, c, splat(1.0 / 479_001_600.0));
        let c = fma(z, c, splat(-1.0 / 3_628_800.0));
        let c = fma(z, c, splat(1.0 / 40_320.0));
        let c = fma(z, c, splat(-1.0 / 720.0));
        let c = fma(z, c, splat(1.0 / 24.0));
        // cos(r + tail) = 1 − z/2 + (z² c − r tail), the first difference with its rounding error
        let half = mul(splat(0.5), z);
        let head = sub(splat(1.0), half);
        let rounding = sub(sub(splat(1.0), head), half);
        add(head, add(rounding, fma(mul(z, z), c, mul(neg(r), tail))))
    };

    // n mod 4: sine and cosine change places when it is odd, sine changes its sign in 2 and 3, cosine in 1
    // and 2.
    let bits = _mm256_castpd_si256(shifted);
    let odd = _mm256_castsi256_pd(_mm256_slli_epi64::<63>(bits));
    let sign = splat(-0.0);
    let sine_sign = _mm256_and_pd(_mm256_castsi256_pd(_mm256_slli_epi64::<62>(bits)), sign);
    let cosine_sign = _mm256_xor_pd(sine_sign, odd);
    let (s, c) = (_mm256_blendv_pd(sine, cosine, odd), _mm256_blendv_pd(cosine, sine, odd));
    (_mm256_xor_pd(s, sine_sign), _mm256_xor_pd(c, cosine_sign))
}

/// Four small angles.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn of_small(theta: V) -> (V, V) {
    let z = mul(theta, theta);
    let c = fma(z, splat(1.0 / 362_880.0), splat(-1.0 / 5_040.0));
    let c = fma(z, c, splat(1.0 / 120.0));
    let c = fma(z, c, splat(-1.0 / 6.0));
    let sine = fma(mul(z, theta), c, theta);
    let c = fma(z, splat(1.0 / 40_320.0), splat(-1.0 / 720.0));
    let c = fma(z, c, splat(1.0 / 24.0));
    let c = fma(z, c, splat(-0.5));
    (sine, fma(z, c, splat(1.0)))
}

/// Lane by lane.
#[cold]
#[inline(never)]
#[target_feature(enable = "avx2,fma")]
fn beyond_reach(theta: V) -> (V, V) {
    let mut angles = [0.0; 4];
    store(&mut angles, theta);
    let both = angles.map(libm::sincos);
    (load(&both.map(|b| b.0)), load(&both.map(|b| b.1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[target_feature(enable = "avx2,fma")]
    fn both(theta: [f64; 4]) -> ([f64; 4], [f64; 4]) {
        let (mut s, mut c) = ([0.0; 4], [0.0; 4]);
        let (sine, cosine) = sincos(load(&theta));
        store(&mut s, sine);
        store(&mut c, cosine);
        (s, c)
    }

    fn ulps(a: f64, b: f64) -> f64 {
        let ulp = f64::from_bits(b.abs().to_bits() + 1) - b.abs();
        (a - b).abs() / ulp
    }

    #[test]
    fn four_sines_and_cosines_are_those_of_the_library() {
        if !is_x86_feature_detected!("avx2") || !is_x86_feature_detected!("fma") {
            return;
        }
        let mut worst = 0.0_f64;
        let mut seed = 1_u64;
        let mut next = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        for i in 0..400_000 {
            let size = [SMALL, 1.0, 10.0, 1e3, 1e5][i % 5];
            let mut theta = [next() * size, next() * size, next() * size, next() * size];
            // The doubles nearest to multiples of π/2 lose most bits.
            theta[1] = (theta[1] / std::f64::consts::FRAC_PI_2).round() * std::f64::consts::FRAC_PI_2;
            if i % 7 == 0 {
                theta[2] = 1e9 * next();
            }
            // SAFETY: the processor has AVX2 and FMA.
            let (s, c) = unsafe { both(theta) };
            for lane in 0..4 {
                let (sine, cosine) = libm::sincos(theta[lane]);
                worst = worst.max(ulps(s[lane], sine)).max(ulps(c[lane], cosine));
            }
        }
        // The library itself is within 1 ulp.
        assert!(worst <= 2.0, "{worst} ulp");
    }

    #[test]
    fn sines_of_nan_and_infinity_are_nan() {
        if !is_x86_feature_detected!("avx2") || !is_x86_feature_detected!("fma") {
            return;
        }
        // SAFETY: the processor has AVX2 and FMA.
        let (s, c) = unsafe { both([0.0, f64::NAN, f64::INFINITY, -0.0]) };
        assert!(s[0] == 0.0 && c[0] == 1.0 && s[1].is_nan() && c[2].is_nan() && s[3] == 0.0);
    }
}
