//! Why a step can not be made.

/// A node of the linear system, by whom it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// A node of an object, counted from its first.
    Node {
        /// Object.
        object: usize,
        /// Node.
        node: usize,
    },
    /// The unknown that this constraint owns: where it slides.
    Own(usize),
    /// Rows of this constraint.
    Rows(usize),
    /// Rows that this object keeps by itself: its lengths.
    InnerRows(usize),
    /// Nobody's.
    Unknown,
}

impl Spot {
    /// Whether it is an unknown and not a row.
    pub(crate) fn is_unknown(self) -> bool {
        matches!(self, Self::Node { .. } | Self::Own(_))
    }

    /// The same in a world that numbers its objects and constraints otherwise.
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

/// Why a try at a step was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// A pivot was zero or not finite there.
    Singular {
        /// Where in the system.
        at: Spot,
    },
    /// The result was not finite there.
    NotFinite {
        /// Where in the system.
        at: Spot,
    },
    /// A search for an equilibrium carried this node ten times the structure's size away, and went on:
    /// nothing holds it.
    RunsAway {
        /// Where in the system.
        at: Spot,
    },
    /// Nothing holds this object, or what it hangs on, against the forces on it: it has no equilibrium.
    Floats {
        /// Object.
        object: usize,
    },
    /// A tangent would have turned by more than 90°.
    TurnedTooFar,
    /// A sliding end whose scene calls that an error came to the end of its rod.
    SlidOff {
        /// Constraint.
        constraint: usize,
    },
    /// A sliding end would have passed more than two segments.
    SlidTooFar,
    /// The stretch of a rod would have changed by more than [`OVERSTRETCHED`](crate::step::OVERSTRETCHED).
    Overstretched,
    /// The edges of this object, an inextensible rod, would have been missed by more than a hundredth of
    /// their length.
    MissedLengths {
        /// Object.
        object: usize,
    },
    /// A winch would have moved more of its rod than a step can be divided for.
    SpooledTooFar {
        /// Winch.
        winch: usize,
        /// What it would have moved, m.
        length: f64,
        /// What it may move, m.
        most: f64,
    },
    /// No angles at which this object, a rod in explicit steps, is at rest were found.
    Restless {
        /// Object.
        object: usize,
    },
    /// The time step asked for is not a positive number.
    NoStep,
    /// An explicit step of a world that was not built for it.
    NotExplicit,
    /// An explicit step that would have to be made in too many parts to be stable.
    TooManyParts {
        /// How many.
        parts: f64,
    },
}

impl Refusal {
    /// The same in a world that numbers its objects and constraints otherwise.
    #[must_use]
    pub(crate) fn renumbered(self, objects: &[usize], constraints: &[usize]) -> Self {
        let spot = |at: Spot| at.renumbered(objects, constraints);
        match self {
            Self::Singular { at } => Self::Singular { at: spot(at) },
            Self::NotFinite { at } => Self::NotFinite { at: spot(at) },
            Self::RunsAway { at } => Self::RunsAway { at: spot(at) },
            Self::Floats { object } => Self::Floats { object: objects[object] },
            Self::MissedLengths { object } => Self::MissedLengths { object: objects[object] },
            Self::Restless { object } => Self::Restless { object: objects[object] },
            Self::SlidOff { constraint } => Self::SlidOff { constraint: constraints[constraint] },
            Self::TurnedTooFar
            | Self::SlidTooFar
            | Self::Overstretched
            | Self::SpooledTooFar { .. }
            | Self::NoStep
            | Self::NotExplicit
            | Self::TooManyParts { .. } => self,
        }
    }
}
