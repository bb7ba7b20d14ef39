//! Bending by two material curvatures and twist against a frame transported in time.
//!
//! Local variables: p = r', q = r'', θ, θ'. With L = |p|, t = p/L, m₁ = cosθ a₁ + sinθ a₂, m₂ = −sinθ a₁ +
//! cosθ a₂:
//!
//! ```text
//! y_a = m_a·q/L,  T = θ' + τ_ref,  k_a = y_a/j,  τ = T/j            (per rest length, j = |r₀'|)
//! density·j = ½ [EI₁ (k₁−k₁⁰)² + EI₂ (k₂−k₂⁰)²] j;   GJ (τ−τ⁰)² by mean and slope of each segment
//! ```
//!
//! The frame a₁ belongs to the present tangent: it is transported without spin whenever positions change, so
//! that ∂θ is the physical spin, and T varies with p by (t×q/L)·δp/L.

use crate::geometry::rotation::{cross_matrix, outer};
use glam::{DMat3, DVec3};

/// The local variables at a quadrature point, with the reference frame at the present tangent.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    /// r'
    pub p: DVec3,
    /// r''
    pub q: DVec3,
    /// Roll θ.
    pub theta: f64,
    /// θ'
    pub dtheta: f64,
    /// Reference director a₁.
    pub a1: DVec3,
    /// Twist of the reference frame, a₁'·a₂, per unit of u.
    pub tau_ref: f64,
}

/// Geometry of a point for gradient, Hessian and read-outs.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// |r'|
    pub l: f64,
    /// Unit tangent.
    pub t: DVec3,
    /// Directors m₁ and m₂.
    pub m: [DVec3; 2],
    /// y₁, y₂
    pub y: [f64; 2],
    /// t·q
    pub c: f64,
    /// t×q/L
    pub b: DVec3,
    /// T = θ' + τ_ref
    pub twist: f64,
}

impl Point {
    /// From the local variables.
    pub fn new(local: &Local) -> Self {
        let l = local.p.length();
        let t = local.p / l;
        let a2 = t.cross(local.a1);
        let (sin, cos) = libm::sincos(local.theta);
        let m = [local.a1 * cos + a2 * sin, a2 * cos - local.a1 * sin];
        Self {
            l,
            t,
            m,
            y: [m[0].dot(local.q) / l, m[1].dot(local.q) / l],
            c: t.dot(local.q),
            b: t.cross(local.q) / l,
            twist: local.dtheta + local.tau_ref,
        }
    }

    /// ∂y_a/∂p = −y_a t/L − c m_a/L²
    fn dy_dp(&self, a: usize) -> DVec3 {
        -self.t * (self.y[a] / self.l) - self.m[a] * (self.c / (self.l * self.l))
    }

    /// ∂y_a/∂θ: y₂ for a = 1, −y₁ for a = 2.
    fn dy_dtheta(&self, a: usize) -> f64 {
        if a == 0 { self.y[1] } else { -self.y[0] }
    }
}

/// Stress resultants and stiffnesses at a point: `moment` M₁, M₂ (bending) and M_t (twist), N·m, and EI₁/j,
/// EI₂/j.
#[derive(Clone, Copy, Debug)]
pub struct Stress {
    /// M₁, M₂ = EI_a (k_a − k_a⁰), plus viscosity.
    pub bend: [f64; 2],
    /// M_t = GJ (τ − τ⁰), plus viscosity.
    pub twist: f64,
    /// Tangent stiffness of bending over j.
    pub bend_stiffness: [f64; 2],
    /// The part of it that also resists spin about the tangent: all of it, unless the elastic part is
    /// isotropic and naturally straight, and so invariant under spin.
    pub spin_stiffness: [f64; 2],
}

/// Gradient of the density (times j) in the local variables.
#[derive(Clone, Copy, Debug, Default)]
pub struct Gradient {
    /// ∂/∂p
    pub p: DVec3,
    /// ∂/∂q
    pub q: DVec3,
    /// ∂/∂θ
    pub theta: f64,
    /// ∂/∂θ'
    pub dtheta: f64,
}

/// Second derivative of the density (times j) in the local variables; blocks that are not listed are zero.
#[derive(Clone, Copy, Debug)]
pub struct Second {
    /// p, p
    pub pp: DMat3,
    /// p (row), q (column)
    pub pq: DMat3,
    /// q, q
    pub qq: DMat3,
    /// p, θ
    pub p_theta: DVec3,
    /// q, θ
    pub q_theta: DVec3,
    /// θ, θ
    pub theta_theta: f64,
}

/// `g = Σ M_a ∂y_a + M_t ∂T`
pub fn gradient(point: &Point, stress: &Stress) -> Gradient {
    let mut g =
        Gradient { p: point.b * (stress.twist / point.l), dtheta: stress.twist, ..Gradient::default() };
    for a in 0..2 {
        g.p += point.dy_dp(a) * stress.bend[a];
        g.q += point.m[a] * (stress.bend[a] / point.l);
        g.theta += point.dy_dtheta(a) * stress.bend[a];
    }
    g
}

/// Gauss–Newton part of bending, `Σ (EI_a/j) ∂y_a∂y_aᵀ`: always positive semidefinite. That of twist belongs
/// to the segment.
///
/// The residual of an isotropic, naturally straight section may also be taken in directors that don't turn
/// with θ: its sum of squares then has no derivative by θ, like the energy, and only `spin_stiffness` couples
/// to θ.
pub fn gauss_newton(point: &Point, stress: &Stress) -> Second {
    let mut h = Second {
        pp: DMat3::ZERO,
        pq: DMat3::ZERO,
        qq: DMat3::ZERO,
        p_theta: DVec3::ZERO,
        q_theta: DVec3::ZERO,
        theta_theta: 0.0,
    };
    for a in 0..2 {
        let (dp, dq, dtheta) = (point.dy_dp(a), point.m[a] / point.l, point.dy_dtheta(a));
        let (k, spin) = (stress.bend_stiffness[a], stress.spin_stiffness[a]);
        h.pp += outer(dp, dp) * k;
        h.pq += outer(dp, dq) * k;
        h.qq += outer(dq, dq) * k;
        h.p_theta += dp * (dtheta * spin);
        h.q_theta += dq * (dtheta * spin);
        h.theta_theta += dtheta * dtheta * spin;
    }
    h
}

/// Adds the geometric part `Σ M_a ∂²y_a + M_t ∂²T`, which makes the Hessian exact and may make it indefinite.
pub fn add_geometric(point: &Point, stress: &Stress, h: &mut Second) {
    let Point { l, t, m, y, c, b, .. } = *point;
    let (l2, l3) = (l * l, l * l * l);
    let perpendicular = DMat3::IDENTITY - outer(t, t);
    let mixed = outer(m[0], m[1]) + outer(m[1], m[0]);
    for a in 0..2 {
        let force = stress.bend[a];
        let along = outer(t, m[a]) + outer(m[a], t);
        // ∂²y_a/∂p² = (2y_a ttᵀ − y_a P − y_a m_am_aᵀ − ½ y_b (m₁m₂ᵀ+m₂m₁ᵀ))/L² + 2c (t m_aᵀ+m_a tᵀ)/L³
        h.pp += ((outer(t, t) * 2.0 - perpendicular - outer(m[a], m[a])) * (y[a] / l2)
            - mixed * (0.5 * y[1 - a] / l2)
            + along * (2.0 * c / l3))
            * force;
        h.pq -= along * (force / l2);
        h.theta_theta -= y[a] * force;
    }
    // ∂²y₁/∂θ∂q = m₂/L, ∂²y₁/∂θ∂p = ∂y₂/∂p; ∂²y₂/∂θ∂q = −m₁/L, ∂²y₂/∂θ∂p = −∂y₁/∂p
    h.q_theta += (m[1] * stress.bend[0] - m[0] * stress.bend[1]) / l;
    h.p_theta += point.dy_dp(1) * stress.bend[0] - point.dy_dp(0) * stress.bend[1];
    // ∂²T/∂p² = −(3/2)(t bᵀ+b tᵀ)/L², ∂²T/∂q∂p = −[t]ₓ/(2L²), so the block with p as row is its transpose
    h.pp -= (outer(t, b) + outer(b, t)) * (1.5 * stress.twist / l2);
    h.pq += cross_matrix(t) * (stress.twist / (2.0 * l2));
}
