//! Errors: each names the body or field, the problem and the remedy.

use micado::error::BuildError;
use thiserror::Error;

/// Cables could not be built, attached or stepped. Nothing was changed.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum Error {
    /// A description or an attachment can't be used.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// A body is not in the set of bodies.
    #[error("{body} is not in the set of bodies; call `detach_body` before or after removing it")]
    Removed {
        /// The body.
        body: String,
    },
    /// A dynamic body has no mass.
    #[error(
        "{body} is dynamic and has no mass; give it a collider with density or an additional mass, and call \
         `recompute_mass_properties_from_colliders` or step Rapier once"
    )]
    NoMass {
        /// The body.
        body: String,
    },
    /// Some axes of a body are locked, and others are free.
    #[error("{body} has some of its {what} locked; lock all or none of them, or use a joint of Rapier")]
    PartlyLocked {
        /// The body.
        body: String,
        /// Translations or rotations.
        what: &'static str,
    },
    /// Pose or velocity of a body is not finite.
    #[error("{body} has a pose or velocity that is not finite; restore it before the next step")]
    NotFinite {
        /// The body.
        body: String,
    },
    /// The time step differs from that of the cables.
    #[error("Rapier steps by {given} s, and the cables by {step} s; build the cables with Rapier's `dt`")]
    Step {
        /// Rapier's step, s.
        given: f64,
        /// Step of the cables, s.
        step: f64,
    },
}
