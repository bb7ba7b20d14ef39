//! Spring–dampers between two places.
//!
//! Linear: with n from the first end to the second at distance d, the first end is pulled by `f n`, the
//! second by `−f n`, `f = k (d − d₀) + c ḋ`. Torsional: with φ = log(F_A C₀ᵀ F_Bᵀ), C₀ = F_Bᵀ F_A at the
//! start, the rotation of the first frame against the second since then, in world axes, the first end feels
//! the moment `−k φ − c φ̇`, the second the opposite.

use super::{SharedForce, SpringDescription};
use crate::describe::signal::Signal;
use crate::geometry::rotation::{log, outer};
use crate::object::{EndFrame, Place, Poses};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// One end of a spring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SpringEndPlace {
    /// On an object.
    Object(Place),
    /// A point of the world.
    World(Signal<[f64; 3]>),
}

/// Equations of a spring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum SpringLaw {
    /// Along the line between the ends.
    Linear {
        /// N/m
        stiffness: f64,
        /// N·s/m
        damping: f64,
        /// m
        length: f64,
    },
    /// Against relative rotation.
    Torsional {
        /// N·m/rad
        stiffness: f64,
        /// N·m·s/rad
        damping: f64,
        /// C₀ = F_Bᵀ F_A at the start.
        rest: DMat3,
    },
    /// A custom force.
    Custom(SharedForce),
}

/// A spring–damper of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spring {
    /// Name.
    pub name: String,
    /// Description.
    pub description: SpringDescription,
    /// Both ends.
    pub ends: [SpringEndPlace; 2],
    /// Its equations.
    pub law: SpringLaw,
}

/// Force or moment on the first end and the tangent stiffness against relative motion (first minus second).
#[derive(Clone, Copy, Debug)]
pub struct SpringAction {
    /// Force, N, or moment, N·m, on the first end; the second feels the opposite.
    pub on_first: DVec3,
    /// Symmetric 3×3 stiffness with the damper's share.
    pub stiffness: DMat3,
    /// Stored energy, J.
    pub energy: f64,
}

impl SpringLaw {
    /// Whether it uses the frames of its ends.
    pub fn turns(&self) -> bool {
        match self {
            Self::Linear { .. } => false,
            Self::Torsional { .. } => true,
            Self::Custom(force) => force.turns(),
        }
    }

    /// Linear spring between `a` and `b` with relative velocity `rate` = v_b − v_a of its ends;
    /// `velocity_gain` is the derivative of velocity by increment.
    pub(crate) fn pull(
        &self,
        a: DVec3,
        b: DVec3,
        rate: DVec3,
        velocity_gain: f64,
        exact: bool,
    ) -> SpringAction {
        let Self::Linear { stiffness, damping, length } = *self else { return SpringAction::NONE };
        let d = a.distance(b);
        let n = if d > 1e-12 { (b - a) / d } else { DVec3::Z };
        let elastic = stiffness * (d - length);
        let f = elastic + damping * n.dot(rate);
        let distance = d.max(1e-12);
        let across = if exact { f } else { f.max(0.0) } / distance;
        let along = stiffness + damping * velocity_gain;
        // As the line turns, the direction of the damper changes: c n (ẋ_⊥)ᵀ/d, of which the symmetric part
        // is kept.
        let turning = if exact {
            let slip = (rate - n * n.dot(rate)) * (0.5 * damping / distance);
            outer(n, slip) + outer(slip, n)
        } else {
            DMat3::ZERO
        };
        SpringAction {
            on_first: n * f,
            stiffness: outer(n, n) * (along - across) + DMat3::IDENTITY * across + turning,
            energy: 0.5 * stiffness * (d - length) * (d - length),
        }
    }

    /// Torsional spring between the frames `a` and `b`; `rate` is the relative angular velocity, first minus
    /// second.
    pub(crate) fn turn(&self, a: DMat3, b: DMat3, rate: DVec3, velocity_gain: f64) -> SpringAction {
        let Self::Torsional { stiffness, damping, rest } = *self else { return SpringAction::NONE };
        let phi = log(a * rest.transpose() * b.transpose());
        SpringAction {
            on_first: -phi * stiffness - rate * damping,
            stiffness: DMat3::IDENTITY * (stiffness + damping * velocity_gain),
            energy: 0.5 * stiffness * phi.length_squared(),
        }
    }
}

impl SpringAction {
    const NONE: Self = Self { on_first: DVec3::ZERO, stiffness: DMat3::ZERO, energy: 0.0 };
}

impl SpringEndPlace {
    /// Position of the end.
    pub(crate) fn position(&self, poses: Poses<'_>, time: f64) -> DVec3 {
        match self {
            Self::Object(place) => poses.position(place),
            Self::World(point) => DVec3::from_array(point.at(time)),
        }
    }

    /// Its velocity, m/s; `v` has the velocities of all unknowns.
    pub(crate) fn velocity(&self, poses: Poses<'_>, v: &[f64], time: f64) -> DVec3 {
        match self {
            Self::Object(place) => poses.velocity(place, v),
            Self::World(point) => DVec3::from_array(point.rate(time)),
        }
    }

    /// Its place on an object, if it has one.
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            Self::Object(place) => Some(place),
            Self::World(_) => None,
        }
    }

    /// The frame [t m₁ m₂] of the end; the world's axes for a point.
    pub(crate) fn frame(&self, poses: Poses<'_>, frame: &EndFrame) -> DMat3 {
        match self {
            Self::Object(place) => poses.site(place, frame).frame(),
            Self::World(_) => DMat3::IDENTITY,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::SpringLaw;
    use glam::{DMat3, DVec3};

    #[test]
    fn the_exact_tangent_of_a_spring_is_the_symmetric_part_of_its_derivative() {
        let law = SpringLaw::Linear { stiffness: 3.0, damping: 0.7, length: 0.4 };
        let (b, gain, step) = (DVec3::new(0.2, 0.5, -0.3), 20.0, 1e-6);
        for (a, rate) in [
            (DVec3::ZERO, DVec3::new(0.9, -1.3, 2.0)),
            (DVec3::new(0.3, 0.1, 0.9), DVec3::new(-2.0, 1.0, 0.5)),
        ] {
            // An increment of the first end changes position and velocity.
            let force = |by: DVec3| law.pull(a + by, b, rate - by * gain, gain, true).on_first;
            let columns = DVec3::AXES.map(|axis| (force(axis * -step) - force(axis * step)) / (2.0 * step));
            let slope = DMat3::from_cols(columns[0], columns[1], columns[2]);
            let difference = (slope + slope.transpose()) * 0.5 - law.pull(a, b, rate, gain, true).stiffness;
            // Entries of size 10; third derivatives of 1e2 times 1e-12, and rounding 1e-16/1e-6.
            assert!(difference.to_cols_array().iter().all(|x| x.abs() < 1e-8), "{difference}");
            // Without the turn of the line the error would be far larger.
            let slip = rate - (b - a).normalize() * (b - a).normalize().dot(rate);
            assert!(slip.length() * 0.7 / a.distance(b) > 0.5);
        }
    }
}
