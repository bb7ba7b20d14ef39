//! Loads and springs: forces that are not constraints.
//!
//! They add forces and, where they stiffen or damp, terms of the system matrix. Forces are those of the end
//! of the step.

mod custom;
mod describe;
mod distributed;
mod spring;
pub use custom::{CustomForce, CustomSpring, FORCE_SCALARS, ForceAction, ForceEnd, SharedForce, SpringState};
pub use describe::*;
pub use distributed::Spread;
pub use spring::{Spring, SpringAction, SpringEndPlace, SpringLaw};

use crate::describe::signal::Signal;
use crate::object::Place;
use serde::{Deserialize, Serialize};

/// A load of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Load {
    /// Name.
    pub name: String,
    /// Description.
    pub description: LoadDescription,
    /// Its equations.
    pub law: LoadLaw,
}

/// Equations of a load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum LoadLaw {
    /// A force at a place.
    Force(Place, Signal<[f64; 3]>),
    /// A moment at a place.
    Moment(Place, Signal<[f64; 3]>),
    /// A force per length along a part of a rod.
    Distributed(Spread, Signal<[f64; 3]>),
    /// Viscous drag: c ∫bᵢbⱼ ds and the wind.
    Drag(Spread, Signal<[f64; 3]>),
}

impl LoadLaw {
    /// The place at which it acts, if it is a single one.
    pub fn place(&self) -> Option<&Place> {
        match self {
            Self::Force(place, _) | Self::Moment(place, _) => Some(place),
            Self::Distributed(..) | Self::Drag(..) => None,
        }
    }

    /// Whether it changes in time.
    pub fn moves(&self) -> bool {
        match self {
            Self::Force(_, signal)
            | Self::Moment(_, signal)
            | Self::Distributed(_, signal)
            | Self::Drag(_, signal) => signal.moves(),
        }
    }
}
