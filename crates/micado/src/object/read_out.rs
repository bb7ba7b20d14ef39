//! Read-outs: values of an object by name, for probes and for people.

use super::Own;
use crate::describe::quantity::{Component, Quantity};
use glam::DVec3;

/// An object in its present state.
#[derive(Clone, Copy, Debug)]
pub struct Now<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its part of the state.
    pub own: Own<'a>,
    /// Velocities of its unknowns.
    pub v: &'a [f64],
}

/// A number or a vector.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A vector, world axes.
    Vector(DVec3),
}

impl Value {
    /// A number as it is, or a component of a vector.
    pub fn component(self, component: Component) -> f64 {
        match self {
            Self::Number(value) => value,
            Self::Vector(vector) => component.of(vector),
        }
    }
}

/// A value with its name and unit, as shown to people.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReadOut {
    /// Its name.
    pub name: &'static str,
    /// The value.
    pub value: Value,
    /// Its unit; empty if it has none.
    pub unit: &'static str,
    /// The quantity by which a probe measures it, if one can.
    pub quantity: Option<Quantity>,
    /// Whether it depends on the place.
    pub is_local: bool,
    /// Whether it is one of the few that matter most.
    pub is_main: bool,
}

impl ReadOut {
    /// A value that no probe measures.
    pub fn new(name: &'static str, value: Value, unit: &'static str) -> Self {
        Self { name, value, unit, quantity: None, is_local: false, is_main: false }
    }

    /// A value that a probe measures.
    pub fn of(name: &'static str, value: Value, quantity: Quantity) -> Self {
        Self { quantity: Some(quantity), ..Self::new(name, value, quantity.unit()) }
    }

    /// The same, depending on the place.
    #[must_use]
    pub fn local(self) -> Self {
        Self { is_local: true, ..self }
    }

    /// The same, as one of those that matter most.
    #[must_use]
    pub fn main(self) -> Self {
        Self { is_main: true, ..self }
    }
}
