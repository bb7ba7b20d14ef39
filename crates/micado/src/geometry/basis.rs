//! Cubic basis functions of a segment, as polynomials in the segment's own coordinate f ∈ [0, 1].
//!
//! Computed in local coordinates, so that all interior segments share one table to the last bit.

/// Families of splines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Family {
    /// B-spline on clamped uniform knots 0,0,0,0,1,…,N−1,N,N,N,N: the curve begins and ends at control
    /// points.
    Clamped,
    /// B-spline on periodic uniform knots: a closed curve.
    Periodic,
    /// Catmull–Rom: passes through its inner control points.
    CatmullRom,
}

/// The four basis functions of one segment: `b_k(f) = Σ_m c[k][m] fᵐ`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentBasis {
    coefficients: [[f64; 4]; 4],
}

/// Values and derivatives with respect to u of the four basis functions at a point.
#[derive(Clone, Copy, Debug, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Weights {
    /// b_i
    pub b: [f64; 4],
    /// b_i'
    pub db: [f64; 4],
    /// b_i''
    pub ddb: [f64; 4],
}

impl SegmentBasis {
    /// The cubic by its values and slopes at both ends: x₀, x₀', x₁, x₁'.
    pub const HERMITE: Self = Self {
        coefficients: [
            [1.0, 0.0, -3.0, 2.0],
            [0.0, 1.0, -2.0, 1.0],
            [0.0, 0.0, 3.0, -2.0],
            [0.0, 0.0, -1.0, 1.0],
        ],
    };

    /// Basis of segment `e` of `n` segments.
    pub fn new(family: Family, e: usize, n: usize) -> Self {
        match family {
            Family::CatmullRom => Self {
                coefficients: [
                    [0.0, -0.5, 1.0, -0.5],
                    [1.0, 0.0, -2.5, 1.5],
                    [0.0, 0.5, 2.0, -1.5],
                    [0.0, 0.0, -0.5, 0.5],
                ],
            },
            Family::Periodic => Self::on([-2.0, -1.0, 0.0, 1.0, 2.0, 3.0]),
            Family::Clamped => {
                // Knots relative to the segment; they are repeated at the ends of the curve.
                let before = e.min(2) as i32;
                let after = n.saturating_sub(e + 1).min(2) as i32;
                Self::on(std::array::from_fn(|m| f64::from((m as i32 - 2).clamp(-before, after + 1))))
            }
        }
    }

    /// Cox–de Boor recursion on polynomials; `t[2] = 0` and `t[3] = 1` bound the segment.
    pub(crate) fn on(t: [f64; 6]) -> Self {
        // level p holds the p+1 functions that are not zero on the segment
        let mut level = [[0.0; 4]; 4];
        level[0][0] = 1.0;
        for p in 1..=3_usize {
            let mut next = [[0.0; 4]; 4];
            for (k, polynomial) in level.iter().enumerate().take(p) {
                // function k of level p−1 starts at knot 3−p+k and ends p knots later
                let (left, right) = (t[3 - p + k], t[3 + k]);
                let width = right - left;
                for m in 0..p {
                    // (f − left)/width goes to function k+1, (right − f)/width to function k
                    next[k + 1][m] -= polynomial[m] * left / width;
                    next[k + 1][m + 1] += polynomial[m] / width;
                    next[k][m] += polynomial[m] * right / width;
                    next[k][m + 1] -= polynomial[m] / width;
                }
            }
            level = next;
        }
        Self { coefficients: level }
    }

    /// b, b', b'' at f.
    pub fn weights(&self, f: f64) -> Weights {
        Weights {
            b: self.coefficients.map(|c| c[0] + f * (c[1] + f * (c[2] + f * c[3]))),
            db: self.coefficients.map(|c| c[1] + f * (2.0 * c[2] + f * 3.0 * c[3])),
            ddb: self.coefficients.map(|c| 2.0 * c[2] + 6.0 * f * c[3]),
        }
    }

    /// b''', constant in the segment.
    pub fn third(&self) -> [f64; 4] {
        self.coefficients.map(|c| 6.0 * c[3])
    }
}

/// Greville abscissa of control point i of a clamped spline with n segments: control points there make |r'|
/// constant.
pub fn greville(i: usize, n: usize) -> f64 {
    let knot = |k: i64| (k - 3).clamp(0, n as i64) as f64;
    let i = i as i64;
    (knot(i + 1) + knot(i + 2) + knot(i + 3)) / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basis_functions_sum_to_one_and_reproduce_lines() {
        for n in 1..9_usize {
            for e in 0..n {
                let basis = SegmentBasis::new(Family::Clamped, e, n);
                for f in [0.0, 0.3, 1.0] {
                    let w = basis.weights(f);
                    assert!((w.b.iter().sum::<f64>() - 1.0).abs() < 1e-14);
                    assert!(
                        w.db.iter().sum::<f64>().abs() < 1e-13 && w.ddb.iter().sum::<f64>().abs() < 1e-12
                    );
                    let u: f64 = (0..4).map(|k| w.b[k] * greville(e + k, n)).sum();
                    assert!((u - (e as f64 + f)).abs() < 1e-13, "n {n} e {e} f {f}: {u}");
                }
            }
        }
    }

    #[test]
    fn neighbouring_segments_join_with_two_derivatives() {
        let n = 7;
        for e in 0..n - 1 {
            let end = SegmentBasis::new(Family::Clamped, e, n).weights(1.0);
            let start = SegmentBasis::new(Family::Clamped, e + 1, n).weights(0.0);
            for k in 0..3 {
                assert!((end.b[k + 1] - start.b[k]).abs() < 1e-14);
                assert!((end.db[k + 1] - start.db[k]).abs() < 1e-13);
                assert!((end.ddb[k + 1] - start.ddb[k]).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn clamped_ends_are_control_points() {
        let w = SegmentBasis::new(Family::Clamped, 0, 5).weights(0.0);
        assert_eq!(w.b, [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(w.db, [-3.0, 3.0, 0.0, 0.0]);
    }

    #[test]
    fn derivatives_match_differences() {
        for family in [Family::Clamped, Family::Periodic, Family::CatmullRom] {
            let basis = SegmentBasis::new(family, 1, 6);
            let (f, h) = (0.37, 1e-5);
            let (w, plus, minus) = (basis.weights(f), basis.weights(f + h), basis.weights(f - h));
            for k in 0..4 {
                assert!(((plus.b[k] - minus.b[k]) / (2.0 * h) - w.db[k]).abs() < 1e-9);
                assert!(((plus.db[k] - minus.db[k]) / (2.0 * h) - w.ddb[k]).abs() < 1e-9);
                assert!(((plus.ddb[k] - minus.ddb[k]) / (2.0 * h) - basis.third()[k]).abs() < 1e-9);
            }
        }
    }
}
