//! Spring–dampers between two places.
//!
//! Linear: with n from the first end to the second at distance d, the first end is pulled by `f n`, the second by `−f n`,
//! `f = k (d − d₀) + c ḋ`. Torsional: with φ = log(F_A C₀ᵀ F_Bᵀ), C₀ = F_Bᵀ F_A at the start, the rotation
//! of the first frame against the second since then, in world axes, the first end feels the moment `−k φ − c φ̇`, the second the opposite.

use super::SpringDescription;
use crate::geometry::rotation::{log, outer};
use crate::rod::spline::Place;
use crate::signal::Signal;
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

/// How a spring acts.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
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
}

/// A spring–damper of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spring {
    /// Name.
    pub name: String,
    /// What was described.
    pub description: SpringDescription,
    /// Both ends.
    pub ends: [SpringEndPlace; 2],
    /// How it acts.
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
    /// Linear spring between `a` and `b` whose ends move against each other with `rate` = v_b − v_a;
    /// `velocity_gain` is how velocities grow with an increment.
    pub(crate) fn pull(&self, a: DVec3, b: DVec3, rate: DVec3, velocity_gain: f64, exact: bool) -> SpringAction {
        let Self::Linear { stiffness, damping, length } = *self else { return SpringAction::NONE };
        let d = a.distance(b);
        let n = if d > 1e-12 { (b - a) / d } else { DVec3::Z };
        let elastic = stiffness * (d - length);
        let f = elastic + damping * n.dot(rate);
        let across = if exact { f } else { f.max(0.0) } / d.max(1e-12);
        let along = stiffness + damping * velocity_gain;
        SpringAction {
            on_first: n * f,
            stiffness: outer(n, n) * (along - across) + DMat3::IDENTITY * across,
            energy: 0.5 * stiffness * (d - length) * (d - length),
        }
    }

    /// Torsional spring between the frames `a` and `b`; `rate` is the relative angular velocity, first minus second.
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
