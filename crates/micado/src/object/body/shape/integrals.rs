//! Volume, centre and second moments: of meshes, of parts that are moved, and of sums of parts.

use crate::geometry::rotation::outer;
use glam::{DMat3, DVec3};

/// Integrals over matter: of volume, or of mass if they are multiplied by a density.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Integrals {
    /// `V = ∫ dV`, m³ (or kg).
    pub amount: f64,
    /// `c = ∫ x dV / V`, m.
    pub centre: DVec3,
    /// `C = ∫ (x−c)(x−c)ᵀ dV`, m⁵ (or kg·m²).
    pub moments: DMat3,
}

impl Integrals {
    /// No matter.
    pub const NONE: Self = Self { amount: 0.0, centre: DVec3::ZERO, moments: DMat3::ZERO };

    /// Matter with the principal moments `moments` along the axes.
    pub(super) fn along_axes(amount: f64, centre: DVec3, moments: DVec3) -> Self {
        Self { amount, centre, moments: DMat3::from_diagonal(moments) }
    }

    /// The same matter, turned and then moved: `x ↦ R x + p`.
    #[must_use]
    pub fn placed(self, rotation: DMat3, position: DVec3) -> Self {
        Self {
            amount: self.amount,
            centre: rotation * self.centre + position,
            moments: rotation * self.moments * rotation.transpose(),
        }
    }

    /// The same places with `factor` times the matter.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self { amount: factor * self.amount, moments: self.moments * factor, ..self }
    }

    /// Both together, by the parallel axis theorem: `C = C₁ + C₂ + V₁V₂/(V₁+V₂) d dᵀ`, `d = c₂ − c₁`.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        // Nothing changes nothing, to the bit.
        if other.amount == 0.0 {
            return self;
        }
        if self.amount == 0.0 {
            return other;
        }
        let amount = self.amount + other.amount;
        let d = other.centre - self.centre;
        let share = other.amount / amount;
        Self {
            amount,
            centre: self.centre + d * share,
            moments: self.moments + other.moments + outer(d, d) * (self.amount * share),
        }
    }

    /// Inertia about the centre at unit density: `I = tr C Id − C`.
    pub fn inertia(&self) -> DMat3 {
        let c = self.moments;
        DMat3::from_diagonal(DVec3::splat(c.x_axis.x + c.y_axis.y + c.z_axis.z)) - c
    }
}

/// Integrals over the inside of a closed surface. Corners of triangles must exist.
///
/// With the origin at the mean vertex, and per triangle `d = a·(b×c)`, `s = a+b+c`:
/// `V = Σ d/6`, `V c = Σ d s/24`, `C = Σ d (aaᵀ + bbᵀ + ccᵀ + ssᵀ)/120 − V c cᵀ`.
/// The volume is negative if the surface is inside out.
pub fn mesh_integrals(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Integrals {
    let origin = mean(vertices);
    let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
    for triangle in triangles {
        let [a, b, c] = triangle.map(|corner| vertices[corner as usize] - origin);
        let (d, s) = (a.dot(b.cross(c)), a + b + c);
        volume += d / 6.0;
        first += s * (d / 24.0);
        second += (outer(a, a) + outer(b, b) + outer(c, c) + outer(s, s)) * (d / 120.0);
    }
    if volume == 0.0 {
        return Integrals { centre: origin, ..Integrals::NONE };
    }
    let centre = first / volume;
    Integrals { amount: volume, centre: origin + centre, moments: second - outer(centre, centre) * volume }
}

/// Mean of points. The sum is taken about the first, so that it can't overflow far from the origin.
pub(super) fn mean(points: &[DVec3]) -> DVec3 {
    let Some(&first) = points.first() else { return DVec3::ZERO };
    #[expect(clippy::cast_precision_loss, reason = "fewer points than 2⁵³")]
    let count = points.len() as f64;
    first + points.iter().map(|&x| x - first).sum::<DVec3>() / count
}
