//! Frenet torsion as in the quasi-dynamic splines paper, with the corrected formulas.
//!
//! `W = |p| τ_F`, `τ_F = (p×q)·s/|p×q|²`, s = r'''. Twist of the rod is then T = θ' + W. Singular where p×q =
//! 0, and no direction of the section is fixed to the material: θ is relative to the normal of the curve. For
//! comparison only. With D = (p×q)·s, N = |p×q|², L = |p|: W = L D/N, and
//!
//! ```text
//! ∇W  = (D/N)∇L + (L/N)∇D − (LD/N²)∇N
//! ∇²W = (D/N)∇²L + (L/N)∇²D − (LD/N²)∇²N
//!       + {∇L,∇D}/N − {∇L,∇N} D/N² − {∇D,∇N} L/N² + 2LD/N³ ∇N∇Nᵀ,     {a,b} = abᵀ + baᵀ
//! ```

use super::natural;
use crate::error::BuildError;
use crate::geometry::quadrature::GAUSS_3;
use crate::geometry::rotation::{cross_matrix, outer};
use crate::object::rod::spline::layout::{POINTS, index, rest, strain};
use crate::object::rod::spline::{Element, SplineRod, combine};
use crate::object::rod::{Linearisation, Tangent, TwistMeasure};
use glam::{DMat3, DVec3};

impl TwistMeasure {
    /// Whether roll is counted from frames that the matter carries along.
    pub(in crate::object::rod) fn has_material_frame(self) -> bool {
        self == Self::Natural
    }

    /// For a measure that is for comparison with the papers only: what a rod with it does, and the remedy.
    pub(in crate::object::rod) fn comparison_only(self) -> Option<(&'static str, &'static str)> {
        match self {
            Self::Natural => None,
            Self::Frenet => Some(("measures Frenet torsion", "use twist_measure = \"natural\"")),
        }
    }

    /// T = θ' + τ_ref or θ' + W; `third` gives r'''.
    #[inline]
    pub(in crate::object::rod) fn total(self, local: &natural::Local, third: impl FnOnce() -> DVec3) -> f64 {
        match self {
            Self::Natural => local.dtheta + local.tau_ref,
            Self::Frenet => local.dtheta + torsion(local.p, local.q, third()).value,
        }
    }

    /// Frenet torsion needs a curve that is nowhere nearly straight, and a section and natural shape that it
    /// can express.
    pub(in crate::object::rod) fn check(self, rod: &SplineRod, q: &[f64]) -> Result<(), BuildError> {
        if self == Self::Natural {
            return Ok(());
        }
        let remedy = "use twist_measure = \"natural\"";
        let points = || (0..rod.segments).flat_map(|e| (0..POINTS).map(move |g| (e, g)));
        if !points().all(|(e, g)| rod.is_isotropic(e, g)) {
            return Err(BuildError::new(
                "twist_measure",
                "Frenet torsion knows no material directions, but this section bends differently in two",
                remedy,
            ));
        }
        let curved = |(e, g)| {
            [rest::K1, rest::K2].iter().any(|&field| rod.rest[index(e, g, field, rest::FIELDS)] != 0.0)
        };
        if points().any(curved) {
            return Err(BuildError::new(
                "twist_measure",
                "Frenet torsion knows no material directions, but this rod is naturally curved towards some",
                "use twist_measure = \"natural\", or natural = \"straight\"",
            ));
        }
        for e in 0..rod.segments {
            for (f, _) in GAUSS_3 {
                let curvature = rod.curvature(q, e, f);
                let least = LEAST_CURVATURE / rod.lengths[e];
                if curvature < least {
                    let s = rod.arc[e] + f * rod.lengths[e];
                    return Err(BuildError::new(
                        "twist_measure",
                        format!(
                            "Frenet torsion is singular where a rod is straight: curvature {curvature:.3e} \
                             1/m at s = {s:.4} m, at least {least:.3e} needed"
                        ),
                        remedy,
                    ));
                }
            }
        }
        Ok(())
    }
}

/// A segment that is linearised.
pub(in crate::object::rod) struct Segment<'a> {
    /// Its index.
    pub(in crate::object::rod) e: usize,
    /// Its control points.
    pub(in crate::object::rod) x: &'a [DVec3; 4],
    pub(in crate::object::rod) how: &'a Linearisation<'a>,
    /// Whether its Hessian is wanted too.
    pub(in crate::object::rod) second: bool,
}

/// Adds the twist T = θ' + W(r', r'', r''') at quadrature point `g` of a segment.
pub(in crate::object::rod) fn add_twist(
    rod: &SplineRod,
    segment: &Segment<'_>,
    g: usize,
    local: &natural::Local,
    out: &mut Element,
) {
    let Segment { e, x, how, second } = *segment;
    let table = rod.table(e);
    let (w, weight) = (&table.weights[g], GAUSS_3[g].1);
    let third = table.basis.third();
    let torsion = torsion(local.p, local.q, combine(&third, x));
    let twist = local.dtheta + torsion.value;
    let rows = |i: usize| [w.db[i], w.ddb[i], third[i]];
    let constant = |field| rod.rest[index(e, g, field, rest::FIELDS)];
    let (stiffness, j) = (constant(rest::GJ), constant(rest::J));
    let torque = stiffness * rod.strained(how, e, g, twist / j, strain::TAU, rest::TAU);
    let dx: [DVec3; 4] = std::array::from_fn(|i| {
        let r = rows(i);
        torsion.gradient[0] * r[0] + torsion.gradient[1] * r[1] + torsion.gradient[2] * r[2]
    });
    for i in 0..4 {
        out.gradient_x[i] += dx[i] * (weight * torque);
        out.gradient_theta[i] += w.db[i] * weight * torque;
    }
    if !second {
        return;
    }
    let k = weight * (stiffness * (1.0 + how.viscosity) / j);
    for i in 0..4 {
        for j in 0..4 {
            out.x_theta[i][j] += dx[i] * (k * w.db[j]);
            if j < i {
                continue;
            }
            out.xx[i][j] += outer(dx[i], dx[j]) * k;
            out.theta_theta[i][j] += k * w.db[i] * w.db[j];
            if how.tangent == Tangent::Exact {
                let (a, b) = (rows(i), rows(j));
                for r in 0..3 {
                    for c in 0..3 {
                        out.xx[i][j] += torsion.second[r][c] * (weight * torque * a[r] * b[c]);
                    }
                }
            }
        }
    }
}

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
