//! How rods are held on bodies, and how both are coupled in time.

/// How rods and bodies are coupled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// The step of the rods contains the mass of each body, and the change of its momentum goes to Rapier as
    /// an impulse. Stable for all ratios of masses.
    #[default]
    Implicit,
    /// The rods are projected onto the poses of the bodies, and the bodies take the reaction in their next
    /// step. Stable only if the bodies are heavier than the parts of the rods that move with them. For
    /// comparison.
    Explicit,
}

/// How a place of a rod is held on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hold {
    /// In body axes, m; the present position of the place of the rod unless given.
    pub(crate) point: Option<[f64; 3]>,
    /// Whether the rod turns with the body.
    pub(crate) clamp: bool,
}

impl Hold {
    /// At a point in body axes, m; rotations are free.
    pub fn ball(point: [f64; 3]) -> Self {
        Self { point: Some(point), clamp: false }
    }

    /// At a point in body axes, m; the rod turns with the body, in the present relative direction.
    pub fn clamp(point: [f64; 3]) -> Self {
        Self { point: Some(point), clamp: true }
    }

    /// Where the place of the rod is now; rotations are free.
    pub fn ball_here() -> Self {
        Self { point: None, clamp: false }
    }

    /// Where the place of the rod is now; the rod turns with the body.
    pub fn clamp_here() -> Self {
        Self { point: None, clamp: true }
    }
}
