//! Gauss–Legendre rules on [0, 1].

/// Three points: exact for polynomials of degree 5. Bending, twist and stretch.
pub const GAUSS_3: [(f64, f64); 3] =
    [(0.112_701_665_379_258_31, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.887_298_334_620_741_7, 5.0 / 18.0)];

/// Four points: exact for polynomials of degree 7. Mass and arc length.
pub const GAUSS_4: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_87, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

#[cfg(test)]
mod tests {
    use super::{GAUSS_3, GAUSS_4};

    #[test]
    fn gauss_rules_are_exact_to_their_degree() {
        for degree in 0..8_i32 {
            let exact = 1.0 / f64::from(degree + 1);
            let three: f64 = GAUSS_3.iter().map(|&(x, w)| w * x.powi(degree)).sum();
            let four: f64 = GAUSS_4.iter().map(|&(x, w)| w * x.powi(degree)).sum();
            assert_eq!((three - exact).abs() < 1e-15, degree <= 5, "three points, degree {degree}");
            assert!((four - exact).abs() < 1e-15, "four points, degree {degree}");
        }
    }
}
