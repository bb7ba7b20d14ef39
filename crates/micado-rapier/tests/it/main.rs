//! Cables on bodies of Rapier.

mod common;
mod contact;
mod coupling;
mod momentum;
mod pulls;
mod refusals;
mod schemes;
