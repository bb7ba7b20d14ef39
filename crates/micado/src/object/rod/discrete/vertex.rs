//! Bending and twist at an inner vertex between the edges e and f, with tangents a and b and material frames
//! m₁, m₂.
//!
//! ```text
//! κb = 2 a×b/χ,  χ = 1 + a·b
//! ω^j = (κb·m₂^j, −κb·m₁^j)   for both edges j,   m = θ_f − θ_e + m_ref
//! U = Σ_j (ω^j−ω̄^j)ᵀ B (ω^j−ω̄^j)/(4v) + β (m−m̄)²/(2v)
//! ```
//!
//! Two material curvatures, one against each edge: an average of the two is wrong where neighbouring frames
//! are far apart. Derivatives by e, f and the two angles; directors turn with their tangents without spin.

use crate::geometry::rotation::{cross_matrix, outer};
use crate::object::rod::Tangent;
use glam::{DMat3, DVec3};

/// Number of strains of a vertex: ω₁, ω₂ against the first edge, ω₁, ω₂ against the second, m.
pub(super) const STRAINS: usize = 5;

/// An edge of a vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    /// Unit tangent.
    pub(super) t: DVec3,
    /// 1/|e|, 1/m.
    pub(super) inverse_length: f64,
    /// Material director m₁.
    pub(super) m1: DVec3,
}

/// Constants of a vertex: stiffnesses over lengths, and natural strains.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct VertexConstants {
    /// EI₁/(2v), EI₂/(2v), N·m, against the first edge and against the second; GJ/v, N·m.
    pub(super) stiffness: [f64; STRAINS],
    /// ω̄ and m̄.
    pub(super) natural: [f64; STRAINS],
}

/// Second derivatives and gradient by the edges e, f and the angles θ_e, θ_f.
#[derive(Clone, Copy, Debug)]
pub(super) struct VertexTerms {
    pub(super) gradient: [DVec3; 2],
    pub(super) gradient_theta: [f64; 2],
    pub(super) ee: DMat3,
    pub(super) ef: DMat3,
    pub(super) ff: DMat3,
    /// Edge of the first index, angle of the second.
    pub(super) edge_theta: [[DVec3; 2]; 2],
    /// θ_eθ_e, θ_eθ_f, θ_fθ_f
    pub(super) theta_theta: [f64; 3],
}

impl Default for VertexTerms {
    /// Zero; the default of a matrix would be the identity.
    fn default() -> Self {
        Self {
            gradient: [DVec3::ZERO; 2],
            gradient_theta: [0.0; 2],
            ee: DMat3::ZERO,
            ef: DMat3::ZERO,
            ff: DMat3::ZERO,
            edge_theta: [[DVec3::ZERO; 2]; 2],
            theta_theta: [0.0; 3],
        }
    }
}

/// The geometry of a vertex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vertex {
    edges: [Edge; 2],
    /// m₁ and m₂ of both edges.
    m: [[DVec3; 2]; 2],
    inverse_chi: f64,
    kb: DVec3,
    twist: f64,
}

/// Gradient of a strain.
#[derive(Clone, Copy, Debug)]
struct Slope {
    /// By the unit tangents, not projected.
    tangent: [DVec3; 2],
    /// By the edges.
    edge: [DVec3; 2],
    theta: [f64; 2],
}

impl Vertex {
    /// The vertex between two edges; `twist` is m.
    pub(super) fn new(edges: [Edge; 2], twist: f64) -> Self {
        let [a, b] = edges.map(|edge| edge.t);
        let inverse_chi = 1.0 / (1.0 + a.dot(b));
        let m = edges.map(|edge| [edge.m1, edge.t.cross(edge.m1)]);
        Self { edges, m, inverse_chi, kb: a.cross(b) * (2.0 * inverse_chi), twist }
    }

    /// ω of both edges, and m.
    pub(super) fn strains(&self) -> [f64; STRAINS] {
        let [[p1, p2], [q1, q2]] = self.m;
        [self.kb.dot(p2), -self.kb.dot(p1), self.kb.dot(q2), -self.kb.dot(q1), self.twist]
    }

    /// Gradient and second derivative of `Σ ½ k (s − s̄)²` for given stresses: `stress` = dU/ds, `stiffness`
    /// = d²U/ds².
    pub(super) fn terms(
        &self,
        stress: &[f64; STRAINS],
        stiffness: &[f64; STRAINS],
        tangent: Option<Tangent>,
    ) -> VertexTerms {
        let mut terms = VertexTerms::default();
        let strains = self.strains();
        let slopes: [Slope; STRAINS] = std::array::from_fn(|s| self.slope(s, &strains));
        for (slope, &stress) in slopes.iter().zip(stress) {
            for side in 0..2 {
                terms.gradient[side] += slope.edge[side] * stress;
                terms.gradient_theta[side] += slope.theta[side] * stress;
            }
        }
        let Some(tangent) = tangent else { return terms };
        for (slope, &k) in slopes.iter().zip(stiffness) {
            terms.add_square(slope, k);
        }
        if tangent == Tangent::Exact {
            for s in 0..STRAINS {
                self.add_curvature(s, &strains, &slopes, stress[s], &mut terms);
            }
        }
        terms
    }

    /// The signed director of a curvature: ω₁ = κb·m₂, ω₂ = −κb·m₁.
    fn director(&self, s: usize) -> DVec3 {
        let [m1, m2] = self.m[s / 2];
        if s.is_multiple_of(2) { m2 } else { -m1 }
    }

    /// h_a = (2b×m − h b)/χ, h_b = (2m×a − h a)/χ of h = κb·m; ½κb of the twist.
    fn slope(&self, s: usize, strains: &[f64; STRAINS]) -> Slope {
        let [a, b] = self.edges.map(|edge| edge.t);
        let (tangent, theta) = if s == 4 {
            ([self.kb * 0.5; 2], by_angles(s, strains))
        } else {
            let (m, h, theta) = (self.director(s), strains[s], by_angles(s, strains));
            (
                [
                    (b.cross(m) * 2.0 - b * h) * self.inverse_chi,
                    (m.cross(a) * 2.0 - a * h) * self.inverse_chi,
                ],
                theta,
            )
        };
        let edge = std::array::from_fn(|side| {
            let Edge { t, inverse_length, .. } = self.edges[side];
            (tangent[side] - t * t.dot(tangent[side])) * inverse_length
        });
        Slope { tangent, edge, theta }
    }

    /// Adds `stress` times the second derivative of strain s: from unit tangents,
    /// `∂²_ee = [P h_aa P − a cᵀ − c aᵀ − (h_a·a) P]/|e|²`, c = P h_a, `∂²_ef = P_a h_ab P_b/(|e||f|)`.
    fn add_curvature(
        &self,
        s: usize,
        strains: &[f64; STRAINS],
        slopes: &[Slope; STRAINS],
        stress: f64,
        terms: &mut VertexTerms,
    ) {
        let [a, b] = self.edges.map(|edge| edge.t);
        let [ha, hb] = slopes[s].tangent;
        let (mut aa, mut bb, ab);
        if s == 4 {
            let quarter = 0.25 * self.inverse_chi;
            aa = symmetric(self.kb, b) * -quarter;
            bb = symmetric(self.kb, a) * -quarter;
            ab = (cross_matrix((a + b) * 2.0) - outer(b, self.kb) - outer(self.kb, a)) * quarter;
        } else {
            let (m, h) = (self.director(s), strains[s]);
            aa = symmetric(ha, b) * -self.inverse_chi;
            bb = symmetric(hb, a) * -self.inverse_chi;
            ab = (cross_matrix(m * -2.0)
                - DMat3::from_diagonal(DVec3::splat(h))
                - outer(b, hb)
                - outer(ha, a))
                * self.inverse_chi;
            // The director turns with its own tangent.
            let turning = symmetric(self.kb, m) * 0.5;
            if s / 2 == 0 {
                aa += turning;
            } else {
                bb += turning;
            }
            let own = s / 2;
            // ∂ω₁/∂θ = ω₂ and ∂ω₂/∂θ = −ω₁, applied twice.
            let (other, sign) = if s.is_multiple_of(2) { (s + 1, 1.0) } else { (s - 1, -1.0) };
            for side in 0..2 {
                terms.edge_theta[side][own] += slopes[other].edge[side] * (sign * stress);
            }
            terms.theta_theta[2 * own] -= strains[s] * stress;
        }
        let [e, f] = self.edges;
        terms.ee += lifted(aa, ha, &e) * stress;
        terms.ff += lifted(bb, hb, &f) * stress;
        terms.ef += projected(ab, a, b) * (e.inverse_length * f.inverse_length * stress);
    }
}

impl VertexTerms {
    /// Adds `k ∇s ∇sᵀ`.
    fn add_square(&mut self, slope: &Slope, k: f64) {
        let [e, f] = slope.edge;
        self.ee += outer(e * k, e);
        self.ef += outer(e * k, f);
        self.ff += outer(f * k, f);
        for side in 0..2 {
            for angle in 0..2 {
                self.edge_theta[side][angle] += slope.edge[side] * (k * slope.theta[angle]);
            }
        }
        let [p, q] = slope.theta;
        self.theta_theta[0] += k * p * p;
        self.theta_theta[1] += k * p * q;
        self.theta_theta[2] += k * q * q;
    }
}

/// Derivatives of strain s by the angles of its two edges: (ω₁, ω₂) turns into (ω₂, −ω₁) with its own angle.
fn by_angles(s: usize, strains: &[f64; STRAINS]) -> [f64; 2] {
    if s == 4 {
        return [-1.0, 1.0];
    }
    let turned = if s.is_multiple_of(2) { strains[s + 1] } else { -strains[s - 1] };
    if s / 2 == 0 { [turned, 0.0] } else { [0.0, turned] }
}

/// Gradient and second derivative (θ_eθ_e, θ_eθ_f, θ_fθ_f) by the two angles of an energy with these
/// stresses.
pub(super) fn angle_terms(
    strains: &[f64; STRAINS],
    stress: &[f64; STRAINS],
    stiffness: &[f64; STRAINS],
) -> ([f64; 2], [f64; 3]) {
    let (mut gradient, mut second) = ([0.0; 2], [0.0; 3]);
    for s in 0..STRAINS {
        let ([e, f], k) = (by_angles(s, strains), stiffness[s]);
        gradient[0] += stress[s] * e;
        gradient[1] += stress[s] * f;
        second[0] += k * e * e;
        second[1] += k * e * f;
        second[2] += k * f * f;
        if s < 4 {
            // ∂²ω/∂θ² = −ω
            second[2 * (s / 2)] -= strains[s] * stress[s];
        }
    }
    (gradient, second)
}

/// u vᵀ + v uᵀ
pub(super) fn symmetric(u: DVec3, v: DVec3) -> DMat3 {
    outer(u, v) + outer(v, u)
}

/// (I − aaᵀ) M (I − bbᵀ)
fn projected(m: DMat3, a: DVec3, b: DVec3) -> DMat3 {
    let left = m - outer(a, m.transpose() * a);
    left - outer(left * b, b)
}

/// Second derivative by an edge from that by its unit tangent.
fn lifted(h_aa: DMat3, h_a: DVec3, edge: &Edge) -> DMat3 {
    let a = edge.t;
    let along = h_a.dot(a);
    let c = h_a - a * along;
    let across = DMat3::IDENTITY - outer(a, a);
    (projected(h_aa, a, a) - symmetric(a, c) - across * along) * edge.inverse_length.powi(2)
}
