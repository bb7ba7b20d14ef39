//! Micado: ropes, cables, threads and elastic rods under hard constraints.

pub mod anchor;
pub mod body;
pub mod clock;
pub mod constraint;
pub mod edit;
pub mod error;
pub mod geometry;
pub mod load;
pub mod material;
pub mod object;
pub mod observe;
pub mod rod;
pub mod scene;
pub mod signal;
pub mod simulation;
pub mod snapshot;
pub mod state;
pub mod step;
pub mod units;
pub mod world;

/// The linear algebra underneath.
pub use micado_linalg as linalg;
