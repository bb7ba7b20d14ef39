//! Cables on bodies of Rapier.

mod common;
mod coupling;
mod momentum;
mod pulls;
mod refusals;
mod schemes;
