//! Attachment of rods to bodies, and coupling of both in time.

/// Coupling of rods and bodies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// The step of the rods contains the mass of each body, and the change of its momentum goes to Rapier as
    /// an impulse. Stable for all ratios of masses.
    #[default]
    Implicit,
    /// The rods are projected onto the poses of the bodies, and the bodies take the reaction in their next
    /// step. Stable only if the bodies are heavier than the parts of the rods that move with them. This
    /// scheme is for comparison.
    Explicit,
}

/// Attachment of a place of a rod to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// Point in body axes, m; the present position of the place of the rod unless given.
    pub(crate) point: Option<[f64; 3]>,
    /// Whether the rod turns with the body.
    pub(crate) clamp: bool,
}

impl Hold {
    /// Holds the rod at a point in body axes, m; rotations are free.
    pub fn ball(point: [f64; 3]) -> Self {
        Self { point: Some(point), clamp: false }
    }

    /// Holds the rod at a point in body axes, m; the rod turns with the body and keeps its present relative
    /// direction.
    pub fn clamp(point: [f64; 3]) -> Self {
        Self { point: Some(point), clamp: true }
    }

    /// Holds the place of the rod where it is now; rotations are free.
    pub fn ball_here() -> Self {
        Self { point: None, clamp: false }
    }

    /// Holds the place of the rod where it is now; the rod turns with the body.
    pub fn clamp_here() -> Self {
        Self { point: None, clamp: true }
    }
}
