//! A mass that slides on a curve: one unknown of its own and no row.
//!
//! It moves by Δx_p = Σ bᵢ(u) Δxᵢ + x'(u) Δu. With the columns {bᵢ I, x'} it adds `c₀ m colᵀcol` to the
//! matrix and `col·(m v_p/h + m g + f)` to the right side; `step/linearise_constraints.rs` does so for every
//! law that has one.

use super::{Coupling, Curvature, Law, Site};
use crate::describe::signal::Signal;
use glam::DVec3;

/// A mass that slides on a curve.
#[derive(Clone, Copy, Debug)]
pub struct SlidingMass<'a> {
    /// Mass, kg.
    pub mass: f64,
    /// What of it the curve feels.
    pub coupling: Coupling,
    /// Force on it besides weight and inertia, N.
    pub force: &'a Signal<[f64; 3]>,
}

impl SlidingMass<'_> {
    /// Force on it besides inertia, N.
    pub(crate) fn load(&self, gravity: DVec3, time: f64) -> DVec3 {
        DVec3::from_array(self.force.at(time)) + gravity * self.mass
    }

    /// The stiffness that a force which stays the same has on a curve: −F on (x', u), −F·x'' on (u, u).
    pub(crate) fn curvature(a: &Site, force: DVec3) -> Curvature {
        Curvature { p_own: [-force, DVec3::ZERO], own_own: [-force.dot(a.pp), 0.0], ..Curvature::default() }
    }
}

impl Law {
    /// The mass that slides on the curve at its first end, if it has one.
    #[inline]
    pub fn sliding_mass(&self) -> Option<SlidingMass<'_>> {
        match self {
            Self::Pearl(law) => Some(law.sliding_mass()),
            _ => None,
        }
    }
}
