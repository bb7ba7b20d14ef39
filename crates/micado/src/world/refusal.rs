//! Why a step can not be made.

/// Why a try at a step was refused.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Refusal {
    /// A pivot was zero or not finite at this node of the system.
    Singular {
        /// Node.
        node: usize,
    },
    /// The result was not finite at this node of the system.
    NotFinite {
        /// Node.
        node: usize,
    },
    /// A search for an equilibrium carried this node ten times the structure's size away, and went on:
    /// nothing holds it.
    RunsAway {
        /// Node.
        node: usize,
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
