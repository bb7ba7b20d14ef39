//! Read-outs of a rod of any model.

use glam::DVec3;

/// Read-outs of a rod at one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Section {
    /// Position, m.
    pub position: DVec3,
    /// Unit tangent.
    pub tangent: DVec3,
    /// Director m₁.
    pub director: DVec3,
    /// Mean stretch ε̄ of the segment: (length − rest length)/rest length.
    pub stretch: f64,
    /// Tension, N; positive pulls.
    pub tension: f64,
    /// Bending moment, N·m, world axes: that of the part beyond the place on the part before it.
    pub bending_moment: DVec3,
    /// Curvature of the present curve, 1/m.
    pub curvature: f64,
    /// Twisting torque, N·m.
    pub torque: f64,
    /// Twist per rest length, rad/m.
    pub twist: f64,
    /// Radius of the section, m.
    pub radius: f64,
}
