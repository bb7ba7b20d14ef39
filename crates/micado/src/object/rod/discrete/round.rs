//! An isotropic, naturally straight bend between the edges e and f, and its twist: no directors.
//!
//! With unit tangents a and b, z = a·b and χ = 1 + z, bending depends on z only: `½ k |κb|² = 2k (1−z)/χ`.

use super::vertex::{VertexTerms, symmetric};
use crate::geometry::rotation::{cross_matrix, outer};
use glam::{DMat3, DVec3};

/// An edge with isotropic bending.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoundEdge {
    /// Unit tangent.
    pub(super) t: DVec3,
    /// 1/|e|, 1/m.
    pub(super) inverse_length: f64,
}

/// The geometry of an isotropic bend.
#[derive(Clone, Copy, Debug)]
pub(super) struct Round {
    e: RoundEdge,
    f: RoundEdge,
    z: f64,
    inverse_chi: f64,
    kb: DVec3,
    /// The part of b across a, and of a across b.
    b_a: DVec3,
    a_b: DVec3,
    /// ∂m/∂e, ∂m/∂f
    twist: [DVec3; 2],
}

impl Round {
    #[inline]
    pub(super) fn new([e, f]: [RoundEdge; 2]) -> Self {
        let (a, b) = (e.t, f.t);
        let z = a.dot(b);
        let inverse_chi = 1.0 / (1.0 + z);
        let kb = a.cross(b) * (2.0 * inverse_chi);
        let twist = [kb * (0.5 * e.inverse_length), kb * (0.5 * f.inverse_length)];
        Self { e, f, z, inverse_chi, kb, b_a: b - a * z, a_b: a - b * z, twist }
    }

    /// The gradient without second derivatives; `stiffness` is that of bending.
    #[inline]
    pub(super) fn gradient(&self, stiffness: f64, twist_stress: f64) -> VertexTerms {
        let Self { e, f, inverse_chi, b_a, a_b, twist: [twist_e, twist_f], .. } = *self;
        let slope = -4.0 * stiffness * inverse_chi * inverse_chi;
        VertexTerms {
            gradient: [
                b_a * (slope * e.inverse_length) + twist_e * twist_stress,
                a_b * (slope * f.inverse_length) + twist_f * twist_stress,
            ],
            gradient_theta: [-twist_stress, twist_stress],
            ..VertexTerms::default()
        }
    }

    /// Gauss–Newton stiffness, for stiffnesses of bending and twist: with A = ∂κb/∂a = −(2[b]× + κb bᵀ)/χ and
    /// B = ∂κb/∂b = (2[a]× − κb aᵀ)/χ,
    ///
    /// ```text
    /// χ² AᵀA = 4 − (4−κ²) bbᵀ − 2 (w bᵀ + b wᵀ),   w = b×κb
    /// χ² BᵀB = 4 − (4−κ²) aaᵀ + 2 (v aᵀ + a vᵀ),   v = a×κb
    /// χ² AᵀB = −4 (a·b) − 2 w aᵀ + 2 b vᵀ + κ² b aᵀ
    /// ```
    ///
    /// between projections across a and b.
    #[inline]
    pub(super) fn set_squares(&self, [bend, t]: [f64; 2], terms: &mut VertexTerms) {
        let Self { e, f, z, inverse_chi, kb, b_a, a_b, twist: [twist_e, twist_f] } = *self;
        let (a, b, le, lf) = (e.t, f.t, e.inverse_length, f.inverse_length);
        // Across a: b and w; across b: a and v.
        let (w, v) = (b.cross(kb), a.cross(kb));
        let (w_a, v_b) = (w - a * a.dot(w), v - b * b.dot(v));
        let square = kb.length_squared();

        let k = bend * inverse_chi * inverse_chi;
        let (ke, kf, kef) = (k * le * le, k * lf * lf, k * le * lf);
        terms.ee = DMat3::from_diagonal(DVec3::splat(4.0 * ke))
            - outer(a * (4.0 * ke), a)
            - outer(b_a * (ke * (4.0 - square)) + w_a * (2.0 * ke), b_a)
            - outer(b_a * (2.0 * ke), w_a)
            + outer(twist_e * t, twist_e);
        terms.ff = DMat3::from_diagonal(DVec3::splat(4.0 * kf))
            - outer(b * (4.0 * kf), b)
            - outer(a_b * (kf * (4.0 - square)) - v_b * (2.0 * kf), a_b)
            + outer(a_b * (2.0 * kf), v_b)
            + outer(twist_f * t, twist_f);
        // (I − aaᵀ)(I − bbᵀ) = I − aaᵀ − (b − z a) bᵀ
        terms.ef = DMat3::from_diagonal(DVec3::splat(-4.0 * z * kef))
            + outer(a * (4.0 * z * kef), a)
            + outer(b_a * (4.0 * z * kef), b)
            + outer(b_a * (square * kef) - w_a * (2.0 * kef), a_b)
            + outer(b_a * (2.0 * kef), v_b)
            + outer(twist_e * t, twist_f);
        self.set_angles(t, terms);
    }

    /// The exact second derivative, for stiffnesses of bending and twist. With c = 2k (1−z)/χ, s = a + b,
    /// P_a = I − aaᵀ and the torque M_t:
    ///
    /// ```text
    /// ∂²z/∂e²  = −[a b_aᵀ + b_a aᵀ + z P_a]/|e|²,        ∂²z/∂e∂f = P_a P_b/(|e||f|)
    /// ∂²m/∂e²  = −[κb uᵀ + u κbᵀ]/|e|², u = (s + χa)/(4χ),
    /// ∂²m/∂e∂f = [2[s]ₓ − s κbᵀ − κb sᵀ]/(4χ |e||f|)
    /// ee = c" z_e z_eᵀ + c' ∂²z/∂e² + GJ m_e m_eᵀ + M_t ∂²m/∂e²,   ff and ef likewise
    /// ```
    #[inline]
    pub(super) fn set_exact(&self, [bend, t]: [f64; 2], twist_stress: f64, terms: &mut VertexTerms) {
        let Self { e, f, z, inverse_chi, kb, b_a, a_b, twist: [twist_e, twist_f] } = *self;
        let (a, b, le, lf) = (e.t, f.t, e.inverse_length, f.inverse_length);
        let slope = -4.0 * bend * inverse_chi * inverse_chi;
        let curve = -2.0 * slope * inverse_chi;
        let quarter = 0.25 * twist_stress * inverse_chi;
        let sum = a + b;
        let chi = 1.0 + z;
        let side = |n: DVec3, other: DVec3, l: f64| {
            // c' z P across n, then products with n, with the other tangent across n, and with κb.
            let identity = -slope * z;
            let half = other * (0.5 * curve) - n * slope;
            (DMat3::from_diagonal(DVec3::splat(identity)) - outer(n * identity, n) + symmetric(half, other)
                - symmetric(kb, (sum + n * chi) * quarter))
                * (l * l)
        };
        terms.ee = side(a, b_a, le) + outer(twist_e * t, twist_e);
        terms.ff = side(b, a_b, lf) + outer(twist_f * t, twist_f);
        terms.ef = (DMat3::from_diagonal(DVec3::splat(slope)) - outer(a * slope, a)
            + outer(b_a, a_b * curve - b * slope)
            + cross_matrix(sum * (2.0 * quarter))
            - symmetric(sum * quarter, kb))
            * (le * lf)
            + outer(twist_e * t, twist_f);
        self.set_angles(t, terms);
    }

    /// Sets the second derivatives by the angles, on which only twist depends.
    #[inline]
    fn set_angles(&self, t: f64, terms: &mut VertexTerms) {
        let [along_e, along_f] = self.twist.map(|twist| twist * t);
        terms.edge_theta = [[-along_e, along_e], [-along_f, along_f]];
        terms.theta_theta = [t, -t, t];
    }
}
