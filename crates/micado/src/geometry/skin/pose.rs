//! Poses and boxes.

use glam::{DMat3, DQuat, DVec3};

/// Where a body or a part is: `x_w = R x + p`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// p, m.
    pub position: DVec3,
    /// R, a unit quaternion.
    pub rotation: DQuat,
}

impl Pose {
    /// Neither moved nor turned.
    pub const IDENTITY: Self = Self { position: DVec3::ZERO, rotation: DQuat::IDENTITY };

    /// This rotation at this position.
    pub fn new(position: DVec3, rotation: DQuat) -> Self {
        Self { position, rotation }
    }

    /// A pose that is not turned.
    pub fn at(position: DVec3) -> Self {
        Self { position, rotation: DQuat::IDENTITY }
    }

    /// R x + p.
    #[inline]
    pub fn point(&self, x: DVec3) -> DVec3 {
        self.rotation * x + self.position
    }

    /// R v.
    #[inline]
    pub fn vector(&self, v: DVec3) -> DVec3 {
        self.rotation * v
    }

    /// Rᵀ (x − p).
    #[inline]
    pub fn local_point(&self, x: DVec3) -> DVec3 {
        self.rotation.conjugate() * (x - self.position)
    }

    /// Rᵀ v.
    #[inline]
    pub fn local_vector(&self, v: DVec3) -> DVec3 {
        self.rotation.conjugate() * v
    }

    /// `other` in the axes of this pose, seen from where this pose is given: x ↦ self(other(x)).
    #[must_use]
    pub fn of(&self, other: &Self) -> Self {
        Self { position: self.point(other.position), rotation: self.rotation * other.rotation }
    }

    /// `other` seen in the axes of this pose: self⁻¹ ∘ other.
    #[must_use]
    pub fn local(&self, other: &Self) -> Self {
        let rotation = self.rotation.conjugate() * other.rotation;
        Self { position: self.local_point(other.position), rotation }
    }
}

/// Cosines below this are those of a right angle.
const ACROSS: f64 = 1e-12;

/// A box along the axes. Sides may be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Smallest coordinates, m.
    pub low: DVec3,
    /// Largest coordinates, m.
    pub high: DVec3,
}

impl Bounds {
    /// The box without points.
    pub const EMPTY: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
    /// All space.
    pub const ALL: Self = Self { low: DVec3::NEG_INFINITY, high: DVec3::INFINITY };

    /// The smallest box about points.
    pub fn of(points: impl IntoIterator<Item = DVec3>) -> Self {
        points.into_iter().fold(Self::EMPTY, |all, x| Self { low: all.low.min(x), high: all.high.max(x) })
    }

    /// The smallest box about two boxes.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// The box whose sides are `by` (m) farther out.
    #[must_use]
    pub fn grown(self, by: f64) -> Self {
        Self { low: self.low - by, high: self.high + by }
    }

    /// Whether two boxes have a point in common.
    #[inline]
    pub fn meets(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }

    /// Whether a point is within.
    #[inline]
    pub fn contains(&self, x: DVec3) -> bool {
        self.low.cmple(x).all() && x.cmple(self.high).all()
    }

    /// Squared distance of a point, m²; 0 within.
    #[inline]
    pub fn distance_squared(&self, x: DVec3) -> f64 {
        (self.low - x).max(x - self.high).max(DVec3::ZERO).length_squared()
    }

    /// Whether no side is infinite and there is a point.
    pub fn is_finite(&self) -> bool {
        self.low.is_finite() && self.high.is_finite()
    }

    /// Longest side, m.
    pub fn size(&self) -> f64 {
        (self.high - self.low).max_element()
    }

    /// The box along the outer axes about this box in a pose: pᵢ + Σⱼ of the least and largest of Rᵢⱼ xⱼ.
    #[must_use]
    pub fn placed(&self, pose: &Pose) -> Self {
        if self.low.cmpgt(self.high).any() {
            return Self::EMPTY;
        }
        let r = DMat3::from_quat(pose.rotation);
        let mut placed = Self { low: pose.position, high: pose.position };
        for j in 0..3 {
            let (a, b) = (times(r.col(j), self.low[j]), times(r.col(j), self.high[j]));
            placed.low += a.min(b);
            placed.high += a.max(b);
        }
        placed
    }
}

/// v x, where an infinite x does not reach across itself.
fn times(v: DVec3, x: f64) -> DVec3 {
    let across = v.abs().cmplt(DVec3::splat(ACROSS)) & glam::BVec3::splat(x.is_infinite());
    DVec3::select(across, DVec3::ZERO, v * x)
}
