//! Second-order terms of constraints and moments at places, in the unknowns of the places.

use super::{Place, PlaceKind};
use crate::geometry::rotation::{cross_matrix, outer};
use crate::object::Site;
use glam::{DMat3, DVec3};

/// Second-order terms −Σλ∂²g at one end of a constraint, in position and rotation (y, φ) of the held point: a
/// contribution to the stiffness.
#[derive(Clone, Copy, Debug)]
pub struct EndStiffness {
    /// y, y
    pub xx: DMat3,
    /// y, φ
    pub x_phi: DMat3,
    /// φ, φ
    pub phi_phi: DMat3,
    /// Total force of the rows on this end. With an arm it contributes a stiffness, because y is not an
    /// unknown. Laws leave it zero; stages set it where there is an arm.
    pub force: DVec3,
    /// Total moment about y of the rows on this end. On a curve a moment of fixed direction contributes a
    /// stiffness, because φ is not an unknown.
    pub moment: DVec3,
    /// x', x' of rows on a slope.
    pub slope_slope: DMat3,
}

impl Default for EndStiffness {
    fn default() -> Self {
        Self::ZERO
    }
}

impl EndStiffness {
    /// Zero. The default of a matrix would be the identity.
    pub const ZERO: Self = Self {
        xx: DMat3::ZERO,
        x_phi: DMat3::ZERO,
        phi_phi: DMat3::ZERO,
        force: DVec3::ZERO,
        moment: DVec3::ZERO,
        slope_slope: DMat3::ZERO,
    };

    /// Whether it acts between positions alone.
    fn is_translational(&self) -> bool {
        self.moment == DVec3::ZERO
            && [self.x_phi, self.phi_phi, self.slope_slope].iter().all(|part| *part == DMat3::ZERO)
    }

    /// Stiffness of a moment with a fixed direction in the world.
    pub fn of_fixed_moment(moment: DVec3) -> Self {
        Self { moment, ..Self::ZERO }
    }

    /// Converts it to (x, φ), y = x + r: δy = δx + δφ×r, and to second order −f·½φ×(φ×r), whose matrix is
    /// −H(f, r), H = ½(r fᵀ + f rᵀ) − (r·f) Id.
    #[must_use]
    fn about_carrier(&self, r: DVec3) -> Self {
        let (arm, f) = (cross_matrix(r), self.force);
        let bend = (outer(r, f) + outer(f, r)) * 0.5 - DMat3::from_diagonal(DVec3::splat(r.dot(f)));
        let turned = arm * self.x_phi;
        Self {
            x_phi: self.x_phi - self.xx * arm,
            phi_phi: self.phi_phi + turned + turned.transpose() - arm * self.xx * arm - bend,
            moment: self.moment + r.cross(f),
            ..*self
        }
    }
}

/// Second-order terms between the two ends of a constraint, in (x, φ) of both: rows of the first, columns of
/// the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossStiffness {
    /// x of the first, x of the second.
    pub xx: DMat3,
    /// x of the first, φ of the second.
    pub x_phi: DMat3,
    /// φ of the first, x of the second.
    pub phi_x: DMat3,
    /// φ of the first, φ of the second.
    pub phi_phi: DMat3,
}

impl CrossStiffness {
    /// Zero.
    pub const ZERO: Self =
        Self { xx: DMat3::ZERO, x_phi: DMat3::ZERO, phi_x: DMat3::ZERO, phi_phi: DMat3::ZERO };

    /// Converts it to (x, φ) of both ends, y = x + r.
    #[must_use]
    fn about_carriers(&self, r: DVec3, s: DVec3) -> Self {
        if r == DVec3::ZERO && s == DVec3::ZERO {
            return *self;
        }
        let (arm, other) = (cross_matrix(r), cross_matrix(s));
        Self {
            xx: self.xx,
            x_phi: self.x_phi - self.xx * other,
            phi_x: self.phi_x + arm * self.xx,
            phi_phi: self.phi_phi + arm * self.x_phi - self.phi_x * other - arm * self.xx * other,
        }
    }

    /// Exchanges the ends.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self {
            xx: self.xx.transpose(),
            x_phi: self.phi_x.transpose(),
            phi_x: self.x_phi.transpose(),
            phi_phi: self.phi_phi.transpose(),
        }
    }
}

/// A stiffness between the coordinates (x, p, θ) of two places, or of one with itself; p is x' or φ.
#[derive(Clone, Copy, Debug)]
pub struct SpreadStiffness {
    /// Whether there are terms between x and p or θ.
    mixed: bool,
    xx: DMat3,
    xp: DMat3,
    px: DMat3,
    pp: DMat3,
    x_theta: DVec3,
    theta_x: DVec3,
    p_theta: DVec3,
    theta_p: DVec3,
    theta_theta: f64,
}

impl SpreadStiffness {
    /// Nothing. The default of a matrix would be the identity.
    const ZERO: Self = Self {
        mixed: false,
        xx: DMat3::ZERO,
        xp: DMat3::ZERO,
        px: DMat3::ZERO,
        pp: DMat3::ZERO,
        x_theta: DVec3::ZERO,
        theta_x: DVec3::ZERO,
        p_theta: DVec3::ZERO,
        theta_p: DVec3::ZERO,
        theta_theta: 0.0,
    };

    /// Adds the block between node `i` of the first place and node `j` of the second.
    pub fn add_block(
        &self,
        (first, i): (&Place, usize),
        (second, j): (&Place, usize),
        block: &mut [f64; 16],
    ) {
        let (i, j) = (first.weights(i), second.weights(j));
        let mut x = self.xx * (i.x * j.x) + self.pp * (i.p * j.p);
        let (mut column, mut row) = (self.p_theta * (i.p * j.theta), self.theta_p * (i.theta * j.p));
        if self.mixed {
            x += self.xp * (i.x * j.p) + self.px * (i.p * j.x);
            column += self.x_theta * (i.x * j.theta);
            row += self.theta_x * (i.theta * j.x);
        }
        for r in 0..3 {
            for c in 0..3 {
                block[4 * r + c] += x.col(c)[r];
            }
            block[4 * r + 3] += column[r];
            block[12 + r] += row[r];
        }
        block[15] += self.theta_theta * (i.theta * j.theta);
    }
}

impl Place {
    /// G of φ = G (p, θ): converts moments and rotations of a frame to coordinates of the place.
    fn turning(&self, site: &Site) -> (DMat3, DVec3) {
        match self.kind {
            PlaceKind::Point => (DMat3::ZERO, DVec3::ZERO),
            PlaceKind::Frame => (DMat3::IDENTITY, site.t),
            PlaceKind::Curve => (cross_matrix(site.t) * (1.0 / site.l), site.t),
        }
    }

    /// Second-order terms of one end in the coordinates of the place.
    pub fn spread_stiffness(&self, stiffness: &EndStiffness, site: &Site) -> SpreadStiffness {
        if stiffness.is_translational() && site.arm == DVec3::ZERO {
            return SpreadStiffness { xx: stiffness.xx, ..SpreadStiffness::ZERO };
        }
        let (g, spin) = self.turning(site);
        let stiffness = &if site.arm == DVec3::ZERO { *stiffness } else { stiffness.about_carrier(site.arm) };
        let mut spread = spread_between(
            &CrossStiffness {
                xx: stiffness.xx,
                x_phi: stiffness.x_phi,
                phi_x: stiffness.x_phi.transpose(),
                phi_phi: stiffness.phi_phi,
            },
            (g, spin),
            (g, spin),
        );
        if self.kind == PlaceKind::Curve {
            let (t, l, m) = (site.t, site.l, stiffness.moment);
            // Symmetric part of the derivative of the generalised force (m×t)/L, m·t by x' and θ.
            let across = m.cross(t);
            spread.pp += (outer(across, t) + outer(t, across)) * (1.0 / (l * l)) + stiffness.slope_slope;
            let p_theta = -(m - t * m.dot(t)) * (0.5 / l);
            spread.p_theta += p_theta;
            spread.theta_p += p_theta;
        }
        spread
    }

    /// Second-order terms between this place and another in their coordinates.
    pub fn spread_cross(
        &self,
        site: &Site,
        other: &Self,
        at: &Site,
        stiffness: &CrossStiffness,
    ) -> SpreadStiffness {
        let about = stiffness.about_carriers(site.arm, at.arm);
        spread_between(&about, self.turning(site), other.turning(at))
    }
}

/// K between (x, φ) of two places in (x, p, θ) of both, φ = G p + s θ.
fn spread_between(k: &CrossStiffness, (g, s): (DMat3, DVec3), (h, u): (DMat3, DVec3)) -> SpreadStiffness {
    if k.x_phi == DMat3::ZERO && k.phi_x == DMat3::ZERO && k.phi_phi == DMat3::ZERO {
        return SpreadStiffness { xx: k.xx, ..SpreadStiffness::ZERO };
    }
    SpreadStiffness {
        mixed: true,
        xx: k.xx,
        xp: k.x_phi * h,
        px: g.transpose() * k.phi_x,
        pp: g.transpose() * k.phi_phi * h,
        x_theta: k.x_phi * u,
        theta_x: k.phi_x.transpose() * s,
        p_theta: g.transpose() * (k.phi_phi * u),
        theta_p: h.transpose() * (k.phi_phi.transpose() * s),
        theta_theta: s.dot(k.phi_phi * u),
    }
}
