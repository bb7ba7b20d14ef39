//! First and second derivatives of the distance of two curves.

use super::Cubic;
use glam::DVec3;

/// The function ½|ρ|², ρ = x(u) − y(v), and its derivatives at a pair of points.
#[derive(Clone, Copy, Debug)]
pub(super) struct PairAt {
    /// ρ, from the second point to the first, m.
    pub(super) rho: DVec3,
    /// x' and y', m.
    pub(super) tangents: [DVec3; 2],
    /// x'' and y'', m.
    pub(super) bends: [DVec3; 2],
}

/// The Hessian of ½|ρ|² per unit of arc length on both curves: sin² of the angle between straight lines is
/// its determinant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curvature {
    /// ∂²/∂s_A² = 1 + ρ·x''/|x'|² and ∂²/∂s_B² = 1 − ρ·y''/|y'|².
    pub(super) own: [f64; 2],
    /// Determinant.
    pub(super) determinant: f64,
}

impl PairAt {
    #[inline]
    pub(super) fn new([a, b]: [&Cubic; 2], [u, v]: [f64; 2]) -> Self {
        // The difference of the first coefficients comes first: digits far from the origin are lost once.
        let [a0, a1, a2, a3] = a.coefficients;
        let [b0, b1, b2, b3] = b.coefficients;
        let rho = (a0 - b0) + ((a1 + (a2 + a3 * u) * u) * u - (b1 + (b2 + b3 * v) * v) * v);
        Self {
            rho,
            tangents: [a.derivative(u), b.derivative(v)],
            bends: [a.second_derivative(u), b.second_derivative(v)],
        }
    }

    /// (ρ·x', −ρ·y').
    #[inline]
    pub(super) fn gradient(&self) -> [f64; 2] {
        [self.rho.dot(self.tangents[0]), -self.rho.dot(self.tangents[1])]
    }

    /// h₀₀, h₀₁, h₁₁ of [[x'·x' + ρ·x'', −x'·y'], [·, y'·y' − ρ·y'']].
    #[inline]
    pub(super) fn hessian(&self) -> [f64; 3] {
        let [x, y] = self.tangents;
        [x.dot(x) + self.rho.dot(self.bends[0]), -x.dot(y), y.dot(y) - self.rho.dot(self.bends[1])]
    }

    /// Slopes of the distance per unit of arc length: cosines of the angles between ρ and the curves.
    #[inline]
    pub(super) fn cosines(&self) -> [f64; 2] {
        let gradient = self.gradient();
        let distance = self.measured_distance();
        std::array::from_fn(|k| {
            let size = distance * self.tangents[k].length();
            if size > 0.0 { gradient[k] / size } else { 0.0 }
        })
    }

    /// |ρ|, but at least 1e-9 of the pieces: the direction of a shorter ρ is rounding.
    #[inline]
    pub(super) fn measured_distance(&self) -> f64 {
        self.rho.length().max(1e-9 * (self.tangents[0].length() + self.tangents[1].length()))
    }

    /// The Hessian per unit of arc length.
    #[inline]
    pub(super) fn curvature(&self) -> Curvature {
        let [xx, yy] = self.tangents.map(|t| t.dot(t));
        let [h00, h01, h11] = self.hessian();
        Curvature { own: [h00 / xx, h11 / yy], determinant: (h00 * h11 - h01 * h01) / (xx * yy) }
    }

    /// Unit normal from the second curve to the first: ρ/|ρ|, and t_A × t_B where the curves are nearer than
    /// `crossing` (m).
    pub(super) fn normal(&self, crossing: f64) -> DVec3 {
        let distance = self.rho.length();
        if distance > crossing {
            return self.rho / distance;
        }
        let [x, y] = self.tangents.map(DVec3::normalize_or_zero);
        let across = x.cross(y);
        // Curves that are on top of each other and parallel have no normal: any will do.
        across
            .try_normalize()
            .unwrap_or_else(|| x.try_normalize().unwrap_or(DVec3::X).any_orthonormal_vector())
    }
}
