//! Curvature of the rows of joints, −Σ λ ∂²g, in (y, φ) of both ends.
//!
//! H(f, r) = ½(r fᵀ + f rᵀ) − (r·f) Id, [f] the cross-product matrix, d = y_A − y_B:
//!
//! ```text
//! λ b·d, b on B    φ_Bφ_B: −H(f, d)   y_Bφ_B: −[f]   y_Aφ_B: +[f]          f = λ b
//! λ a·b            φ_Aφ_A, φ_Bφ_B: −λ H(a, b)   φ_Aφ_B: −λ ((a·b) Id − b aᵀ)
//! μ·log(F_A …)     φ_Aφ_B: −½[μ]
//! ```
//!
//! λ θ, θ' of a cross  φ_Aφ_B: +½[λ axis], and with ρ = φ_A − φ_B: ½ λ (n oᵀ + o nᵀ), n = a×c, o: other arm
//!
//! The angle θ about b has none in the motions that the other rows allow.

use super::{COORDINATES, CoordinateLaw, JointLaw, Rotation, Translation};
use crate::constraint::{Curvature, MAX_PUSHES, Site};
use crate::geometry::rotation::{cross_matrix, outer};
use glam::{DMat3, DVec3};

/// H(f, r) = ½(r fᵀ + f rᵀ) − (r·f) Id
pub(in crate::constraint) fn bend(f: DVec3, r: DVec3) -> DMat3 {
    (outer(r, f) + outer(f, r)) * 0.5 - DMat3::from_diagonal(DVec3::splat(r.dot(f)))
}

/// Adds the curvature of rows n·d with n on the second end, whose forces on the first end are `f` in sum.
pub(in crate::constraint) fn add_along(curvature: &mut Curvature, f: DVec3, d: DVec3) {
    let turn = cross_matrix(f);
    curvature.ends[1].phi_phi -= bend(f, d);
    curvature.ends[1].x_phi -= turn;
    curvature.ends[1].moment += f.cross(d);
    curvature.between.x_phi += turn;
}

/// Adds the curvature of a row a·b with multiplier λ.
pub(in crate::constraint) fn add_across(curvature: &mut Curvature, lambda: f64, a: DVec3, b: DVec3) {
    let own = bend(a, b) * -lambda;
    for end in &mut curvature.ends {
        end.phi_phi += own;
    }
    let moment = a.cross(b) * lambda;
    curvature.ends[0].moment += moment;
    curvature.ends[1].moment -= moment;
    curvature.between.phi_phi -= (DMat3::from_diagonal(DVec3::splat(a.dot(b))) - outer(b, a)) * lambda;
}

/// Adds the curvature of rows on the rotation vector; they exert the moment μ on the first end.
pub(in crate::constraint) fn add_turn(curvature: &mut Curvature, moment: DVec3) {
    curvature.ends[0].moment += moment;
    curvature.ends[1].moment -= moment;
    curvature.between.phi_phi -= cross_matrix(moment) * 0.5;
}

impl JointLaw {
    /// Curvature of the row of a coordinate with this force.
    pub(in crate::constraint) fn curvature_of_coordinate(
        &self,
        a: &Site,
        b: &Site,
        number: usize,
        force: f64,
    ) -> Curvature {
        let mut curvature = Curvature::default();
        self.add_coordinate(&mut curvature, [a, b], number, force);
        curvature
    }

    /// Adds the curvature of the row of a coordinate with this force.
    fn add_coordinate(&self, curvature: &mut Curvature, [a, b]: [&Site; 2], number: usize, force: f64) {
        match (self.rotation, number) {
            (Rotation::All, 0) => return self.directions(a, b).add_twist(curvature, force),
            (Rotation::All, 2) => return self.directions(a, b).add_swing(curvature, force),
            // Viscosity of a ball joint.
            (Rotation::All, _) => {
                let moment = DVec3::AXES[number % COORDINATES % 3] * force;
                curvature.ends[0].moment += moment;
                curvature.ends[1].moment -= moment;
                return;
            }
            _ => {}
        }
        let axis = self.coordinate_axes(a, b)[number];
        if number % 2 == 1 {
            return add_along(curvature, axis * force, a.x - b.x);
        }
        let moment = axis * force;
        curvature.ends[0].moment += moment;
        curvature.ends[1].moment -= moment;
        if self.rotation == Rotation::AboutCross {
            // The other arm turns about this arm.
            let of = self.directions(a, b);
            let (n, other) = (of.a.cross(of.u), if number == 0 { of.u } else { of.a });
            let own = (outer(n, other) + outer(other, n)) * (0.5 * force);
            curvature.ends.iter_mut().for_each(|end| end.phi_phi += own);
            curvature.between.phi_phi += cross_matrix(moment) * 0.5 - own;
        }
    }

    /// `pushes` are the forces of its non-smooth rows; of these, the limits of a ball joint count.
    pub(in crate::constraint) fn curvature(
        &self,
        a: &Site,
        b: &Site,
        multipliers: &[f64],
        pushes: &[f64; MAX_PUSHES],
    ) -> Curvature {
        let mut curvature = Curvature::default();
        if self.limits_swing() {
            for k in [0, 2] {
                let force = CoordinateLaw::limiting(pushes, self.first_pushes()[k]);
                if force != 0.0 {
                    self.add_coordinate(&mut curvature, [a, b], k, force);
                }
            }
        }
        let (of, d) = (self.directions(a, b), a.x - b.x);
        let mut rest = multipliers;
        let mut next = |count: usize| {
            let (these, others) = rest.split_at(count);
            rest = others;
            these
        };
        match self.translation {
            Translation::None => {
                next(3);
            }
            Translation::AlongAxis => {
                let forces = next(2);
                add_along(&mut curvature, of.u * forces[0] + of.v * forces[1], d);
            }
            Translation::InPlane => add_along(&mut curvature, of.b * next(1)[0], d),
        }
        match self.rotation {
            Rotation::None => {
                let moment = DVec3::from_slice(next(3));
                add_turn(&mut curvature, moment);
            }
            Rotation::AboutAxis => {
                let moments = next(2);
                add_across(&mut curvature, moments[0], of.a, of.u);
                add_across(&mut curvature, moments[1], of.a, of.v);
            }
            Rotation::AboutCross => add_across(&mut curvature, next(1)[0], of.a, of.u),
            Rotation::All => {}
        }
        for (k, _) in self.bound_coordinates().iter().enumerate().filter(|(_, of)| of.is_driven()) {
            self.add_coordinate(&mut curvature, [a, b], k, next(1)[0]);
        }
        curvature
    }
}
