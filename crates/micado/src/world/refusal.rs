//! Reasons for refused steps.

use super::Toucher;

/// A node of the linear system, by its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A node of an object, counted from its first.
    Node {
        /// Object.
        object: usize,
        /// Node.
        node: usize,
    },
    /// The own unknown of this constraint.
    Own(usize),
    /// Rows of this constraint.
    Rows(usize),
    /// Inner rows of this object: its lengths.
    InnerRows(usize),
    /// Unknown owner.
    Unknown,
}

impl Spot {
    /// Whether it is an unknown and not a row.
    pub(crate) fn is_unknown(self) -> bool {
        matches!(self, Self::Node { .. } | Self::Own(_))
    }

    /// The same spot with other numbers of objects and constraints.
    #[must_use]
    pub(crate) fn renumbered(self, objects: &[usize], constraints: &[usize]) -> Self {
        match self {
            Self::Node { object, node } => Self::Node { object: objects[object], node },
            Self::Own(k) => Self::Own(constraints[k]),
            Self::Rows(k) => Self::Rows(constraints[k]),
            Self::InnerRows(object) => Self::InnerRows(objects[object]),
            Self::Unknown => Self::Unknown,
        }
    }
}

/// Reason why a try of a step was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// A pivot was zero or not finite.
    Singular {
        /// Where in the system.
        at: Spot,
    },
    /// The result was not finite.
    NotFinite {
        /// Where in the system.
        at: Spot,
    },
    /// A search for an equilibrium moved this node by ten times the structure's size, and did not converge.
    RunsAway {
        /// Where in the system.
        at: Spot,
    },
    /// This object, or its island, is free to move under the forces on it: it has no equilibrium.
    Floats {
        /// Object.
        object: usize,
    },
    /// A tangent would have turned by more than 90°.
    TurnedTooFar,
    /// The overlap of two surfaces would have grown by more than a tenth of the contact size.
    PassedInto,
    /// These objects would have passed through each other, or a rod through itself.
    PassedThrough {
        /// The objects.
        between: [Toucher; 2],
    },
    /// More surfaces touch at once than a step can solve.
    TooManyContacts,
    /// Equilibria and modes don't support contact of surfaces.
    NoContact,
    /// The passes of a step with `solves = "auto"` did not settle.
    Unsettled,
    /// A sliding end with `ends = "error"` reached the end of its rod.
    SlidOff {
        /// Constraint.
        constraint: usize,
    },
    /// A sliding end would have passed more than two segments.
    SlidTooFar,
    /// The stretch of a rod would have changed by more than [`OVERSTRETCHED`](crate::step::OVERSTRETCHED).
    Overstretched,
    /// Edges of this inextensible rod would have a length error of more than a hundredth.
    MissedLengths {
        /// Object.
        object: usize,
    },
    /// A winch would have moved more of its rod than the largest number of parts allows.
    SpooledTooFar {
        /// Winch.
        winch: usize,
        /// Required motion, m.
        length: f64,
        /// Largest possible motion, m.
        most: f64,
    },
    /// The angles of this rod did not converge to an equilibrium in an explicit step.
    Restless {
        /// Object.
        object: usize,
    },
    /// The time step asked for is not a positive number.
    NoStep,
    /// An explicit step of a world that was not built for it.
    NotExplicit,
    /// An explicit step that needs too many parts to be stable.
    TooManyParts {
        /// Required number.
        parts: f64,
    },
}

impl Refusal {
    /// The same refusal with other numbers of objects and constraints.
    #[must_use]
    pub(crate) fn renumbered(self, objects: &[usize], constraints: &[usize]) -> Self {
        let spot = |at: Spot| at.renumbered(objects, constraints);
        match self {
            Self::Singular { at } => Self::Singular { at: spot(at) },
            Self::NotFinite { at } => Self::NotFinite { at: spot(at) },
            Self::RunsAway { at } => Self::RunsAway { at: spot(at) },
            Self::Floats { object } => Self::Floats { object: objects[object] },
            Self::MissedLengths { object } => Self::MissedLengths { object: objects[object] },
            Self::PassedThrough { between } => Self::PassedThrough {
                between: between.map(|toucher| match toucher {
                    Toucher::Object(k) => Toucher::Object(objects[k as usize] as u32),
                    Toucher::Constraint(_) | Toucher::Fixed(_) => toucher,
                }),
            },
            Self::Restless { object } => Self::Restless { object: objects[object] },
            Self::SlidOff { constraint } => Self::SlidOff { constraint: constraints[constraint] },
            Self::TurnedTooFar
            | Self::Unsettled
            | Self::PassedInto
            | Self::TooManyContacts
            | Self::NoContact
            | Self::SlidTooFar
            | Self::Overstretched
            | Self::SpooledTooFar { .. }
            | Self::NoStep
            | Self::NotExplicit
            | Self::TooManyParts { .. } => self,
        }
    }
}
