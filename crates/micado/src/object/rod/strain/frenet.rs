//! Frenet torsion as in the quasi-dynamic splines paper, with the corrected formulas.
//!
//! `W = |p| τ_F`, `τ_F = (p×q)·s/|p×q|²`, s = r'''. Twist of the rod is then T = θ' + W. Singular where p×q =
//! 0. With D = (p×q)·s, N = |p×q|², L = |p|: W = L D/N, and
//!
//! ```text
//! ∇W  = (D/N)∇L + (L/N)∇D − (LD/N²)∇N
//! ∇²W = (D/N)∇²L + (L/N)∇²D − (LD/N²)∇²N
//!       + {∇L,∇D}/N − {∇L,∇N} D/N² − {∇D,∇N} L/N² + 2LD/N³ ∇N∇Nᵀ,     {a,b} = abᵀ + baᵀ
//! ```

use crate::geometry::rotation::{cross_matrix, outer};
use glam::{DMat3, DVec3};

/// Torsion per unit of u with its derivatives in (p, q, s).
#[derive(Clone, Copy, Debug)]
pub struct Torsion {
    /// W = |p| τ_F
    pub value: f64,
    /// Gradient with respect to p, q, s.
    pub gradient: [DVec3; 3],
    /// Second derivative, blocks (row, column) of p, q, s.
    pub second: [[DMat3; 3]; 3],
}

/// Curvature |p×q|/|p|³ below which the measure is refused, times the length of a segment.
pub const LEAST_CURVATURE: f64 = 0.05;

/// Evaluates W, ∇W and ∇²W.
pub fn torsion(p: DVec3, q: DVec3, s: DVec3) -> Torsion {
    let l = p.length();
    let t = p / l;
    let d = p.cross(q).dot(s);
    let n = p.cross(q).length_squared();
    let dl = [t, DVec3::ZERO, DVec3::ZERO];
    let dd = [q.cross(s), s.cross(p), p.cross(q)];
    let dn = [
        (p * q.length_squared() - q * p.dot(q)) * 2.0,
        (q * p.length_squared() - p * p.dot(q)) * 2.0,
        DVec3::ZERO,
    ];

    let zero = DMat3::ZERO;
    let mut ddl = [[zero; 3]; 3];
    ddl[0][0] = (DMat3::IDENTITY - outer(t, t)) * (1.0 / l);
    // ∂(q×s)/∂q = −[s]ₓ, ∂(q×s)/∂s = [q]ₓ, ∂(s×p)/∂s = −[p]ₓ
    let mut ddd = [[zero; 3]; 3];
    ddd[0][1] = -cross_matrix(s);
    ddd[0][2] = cross_matrix(q);
    ddd[1][2] = -cross_matrix(p);
    for (i, j) in [(0, 1), (0, 2), (1, 2)] {
        ddd[j][i] = ddd[i][j].transpose();
    }
    let mut ddn = [[zero; 3]; 3];
    ddn[0][0] = (DMat3::IDENTITY * q.length_squared() - outer(q, q)) * 2.0;
    ddn[1][1] = (DMat3::IDENTITY * p.length_squared() - outer(p, p)) * 2.0;
    ddn[0][1] = (outer(p, q) * 2.0 - outer(q, p) - DMat3::IDENTITY * p.dot(q)) * 2.0;
    ddn[1][0] = ddn[0][1].transpose();

    let (wl, wd, wn) = (d / n, l / n, -l * d / (n * n));
    let gradient = std::array::from_fn(|i| dl[i] * wl + dd[i] * wd + dn[i] * wn);
    let pair = |a: &[DVec3; 3], b: &[DVec3; 3], i: usize, j: usize| outer(a[i], b[j]) + outer(b[i], a[j]);
    let second = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            ddl[i][j] * wl + ddd[i][j] * wd + ddn[i][j] * wn + pair(&dl, &dd, i, j) * (1.0 / n)
                - pair(&dl, &dn, i, j) * (d / (n * n))
                - pair(&dd, &dn, i, j) * (l / (n * n))
                + outer(dn[i], dn[j]) * (2.0 * l * d / (n * n * n))
        })
    });
    Torsion { value: l * d / n, gradient, second }
}

#[cfg(test)]
mod tests {
    use super::torsion;
    use glam::DVec3;

    #[test]
    fn derivatives_of_torsion_match_differences() {
        let base = [DVec3::new(1.0, 0.2, -0.3), DVec3::new(0.4, 0.9, 0.1), DVec3::new(-0.2, 0.5, 0.8)];
        let at = |z: &[DVec3; 3]| torsion(z[0], z[1], z[2]);
        let exact = at(&base);
        let h = 1e-5;
        for i in 0..3 {
            for a in 0..3 {
                let (mut plus, mut minus) = (base, base);
                plus[i][a] += h;
                minus[i][a] -= h;
                let (up, down) = (at(&plus), at(&minus));
                assert!(((up.value - down.value) / (2.0 * h) - exact.gradient[i][a]).abs() < 1e-8);
                for j in 0..3 {
                    let column = (up.gradient[j] - down.gradient[j]) / (2.0 * h);
                    let row = exact.second[j][i].col(a);
                    assert!((column - row).length() < 1e-7, "block {j}{i} column {a}: {column} {row}");
                }
            }
        }
    }

    #[test]
    fn a_helix_has_its_torsion() {
        // radius a, rise b per radian: τ = b/(a²+b²)
        let (a, b, u) = (0.7, 0.3, 0.4_f64);
        let p = DVec3::new(-a * u.sin(), a * u.cos(), b);
        let q = DVec3::new(-a * u.cos(), -a * u.sin(), 0.0);
        let s = DVec3::new(a * u.sin(), -a * u.cos(), 0.0);
        let torsion = torsion(p, q, s).value / p.length();
        assert!((torsion - b / (a * a + b * b)).abs() < 1e-14);
    }
}
