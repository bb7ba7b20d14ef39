//! A mass that slides on a curve: one unknown of its own and no row.
//!
//! It moves by Δx_p = Σ bᵢ(u) Δxᵢ + x'(u) Δu. With the columns {bᵢ I, x'} it adds `c₀ m colᵀcol` to the
//! matrix and `col·(m v_p/h + m g + f)` to the right side; `step/linearise_constraints.rs` does so for every
//! law that has one.

use super::{Coupling, Curvature, Law, Site};
use crate::describe::signal::Signal;
use crate::error::BuildError;
use crate::object::Object;
use crate::object::rod::Rod;
use glam::DVec3;

/// Largest mass of a weakly coupled pearl, as a share of the mass of its rod.
const MOST_WEAK: f64 = 0.1;

/// A mass that slides on a curve.
#[derive(Clone, Copy, Debug)]
pub struct SlidingMass<'a> {
    /// Mass, kg.
    pub mass: f64,
    /// Radius, m: the distance of neighbours is at least the sum of their radii.
    pub radius: f64,
    /// Which of its forces the curve feels.
    pub coupling: Coupling,
    /// Force on it besides weight and inertia, N.
    pub force: &'a Signal<[f64; 3]>,
}

impl SlidingMass<'_> {
    /// Force on it besides inertia, N.
    pub(crate) fn load(&self, gravity: DVec3, time: f64) -> DVec3 {
        DVec3::from_array(self.force.at(time)) + gravity * self.mass
    }

    /// Checks that it fits on a rod at `x` beside others there: name, radius and position of each.
    ///
    /// # Errors
    /// It is too large or too heavy for the rod, or overlaps another one of its `kind`.
    pub(crate) fn check_fit<'a>(
        &self,
        kind: &str,
        rod: &Object,
        x: DVec3,
        others: impl Iterator<Item = (&'a str, f64, DVec3)>,
    ) -> Result<(), BuildError> {
        let length = rod.rod().map_or(0.0, Rod::length);
        if 2.0 * self.radius > length {
            let problem = format!("a {kind} of {} m across on a rod of {length} m", 2.0 * self.radius);
            let remedy = "give a radius of at most half the length of the rod";
            return Err(BuildError::new("radius", problem, remedy));
        }
        let mass = rod.total_mass();
        if self.coupling == Coupling::Weak && self.mass > MOST_WEAK * mass {
            let problem = format!(
                "a {kind} of {} kg on a rod of {mass} kg, which would not feel its inertia",
                self.mass
            );
            let remedy = format!("use coupling = \"strong\", or a {kind} of a tenth of the rod's mass");
            return Err(BuildError::new("coupling", problem, remedy));
        }
        for (name, radius, there) in others {
            let (distance, least) = (there.distance(x), radius + self.radius);
            if distance < least * (1.0 - 1e-9) {
                let problem = format!(
                    "it overlaps the {kind} `{name}`: they are {distance} m apart and need {least} m"
                );
                return Err(BuildError::new("at", problem, "thread it further away, or make them smaller"));
            }
        }
        Ok(())
    }

    /// The stiffness of a constant force on a curve: −F on (x', u), −F·x'' on (u, u).
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
