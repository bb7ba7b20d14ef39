//! Descriptions of loads and spring–dampers.

use super::CustomSpring;
use crate::describe::anchor::{Anchor, At};
use crate::describe::signal::Signal;
use crate::describe::units;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A load.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LoadDescription {
    /// A force at a place.
    Force(PointForce),
    /// A moment on a body or at a place of a rod.
    Moment(PointMoment),
    /// A force per rest length along a rod.
    Distributed(Distributed),
    /// Viscous drag in a wind.
    Drag(Drag),
}

impl LoadDescription {
    /// The word of the scene file.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Force(_) => "force",
            Self::Moment(_) => "moment",
            Self::Distributed(_) => "distributed",
            Self::Drag(_) => "drag",
        }
    }
}

/// A force at a place of an object; its direction is fixed in the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointForce {
    /// Object, by name.
    pub on: String,
    /// Place on the rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// Force, N.
    pub force: Signal<[f64; 3]>,
}

/// A moment on a body or at a place of a rod; its direction is fixed in the world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PointMoment {
    /// Object with a frame, by name.
    pub on: String,
    /// Place on it; a rod needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// Moment, N·m.
    pub moment: Signal<[f64; 3]>,
}

/// A force per rest length along a rod or a part of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Distributed {
    /// Rod, by name.
    pub on: String,
    /// Where it begins; the start unless given.
    #[serde(default = "start")]
    pub from: At,
    /// Where it ends; the end unless given.
    #[serde(default = "end")]
    pub to: At,
    /// Force per rest length, N/m.
    pub force: Signal<[f64; 3]>,
}

fn start() -> At {
    At::START
}

fn end() -> At {
    At::END
}

/// Viscous drag `c (wind − v)` per rest length of a rod, or on another object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Drag {
    /// Object, by name.
    pub on: String,
    /// Where on a rod it begins; the start unless given.
    #[serde(default = "start")]
    pub from: At,
    /// Where on a rod it ends; the end unless given.
    #[serde(default = "end")]
    pub to: At,
    /// Drag coefficient: N·s/m² on a rod (per rest length), N·s/m on another object.
    #[schemars(extend("minimum" = 0))]
    pub coefficient: f64,
    /// Drag coefficient of the rotation of a body, N·m·s.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0))]
    pub rotation: Option<f64>,
    /// Velocity of the wind, m/s.
    #[serde(default)]
    pub wind: Signal<[f64; 3]>,
}

/// A spring–damper between two places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpringDescription {
    /// Along the line between two places.
    Linear(LinearSpring),
    /// Against the relative rotation of two places.
    Torsional(TorsionalSpring),
    /// A custom force.
    Custom(CustomSpring),
}

impl SpringDescription {
    /// Its word in scene files.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Linear(_) => "linear",
            Self::Torsional(_) => "torsional",
            Self::Custom(_) => "custom",
        }
    }
}

/// One end of a spring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SpringEnd {
    /// A place on a rod.
    Rod(RodPlace),
    /// A point mass, by name.
    Mass(String),
    /// A place on any object.
    Object(Anchor),
    /// A point of the world, m, that may move. A torsional spring holds against the world's axes.
    Point(Signal<[f64; 3]>),
}

impl SpringEnd {
    /// Name of its object, if it is on one, and the place along it, if it has one.
    pub(crate) fn on(&self) -> Option<(&str, Option<At>)> {
        match self {
            Self::Rod(place) => Some((&place.on, Some(place.at))),
            Self::Mass(name) => Some((name, None)),
            Self::Object(anchor) => Some((&anchor.on, anchor.at)),
            Self::Point(_) => None,
        }
    }

    /// The same for an end with a place along its object, mutable.
    pub(crate) fn along_mut(&mut self) -> Option<(&mut String, &mut At)> {
        match self {
            Self::Rod(place) => Some((&mut place.on, &mut place.at)),
            Self::Object(anchor) => Some((&mut anchor.on, anchor.at.as_mut()?)),
            Self::Mass(_) | Self::Point(_) => None,
        }
    }

    /// The word of the scene file.
    pub(crate) fn word(&self) -> &'static str {
        match self {
            Self::Rod(_) => "rod",
            Self::Mass(_) => "mass",
            Self::Object(_) => "object",
            Self::Point(_) => "point",
        }
    }
}

/// A place on a rod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RodPlace {
    /// Rod, by name.
    pub on: String,
    /// Place.
    pub at: At,
}

/// Pulls two places together with `k (d − length) + c ḋ`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LinearSpring {
    /// First end.
    pub from: SpringEnd,
    /// Second end.
    pub to: SpringEnd,
    /// Stiffness k, N/m.
    #[schemars(extend("minimum" = 0))]
    pub stiffness: f64,
    /// Damping c, N·s/m.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub damping: f64,
    /// Rest length, m; the distance at the start unless given.
    #[serde(default, deserialize_with = "units::optional_length", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    pub length: Option<f64>,
}

/// Turns two frames back to their relative rotation at the start with a moment `k φ + c φ̇`, φ the rotation
/// vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorsionalSpring {
    /// First end, on an object with a frame.
    pub from: SpringEnd,
    /// Second end: on an object with a frame, or a point for the world's axes.
    pub to: SpringEnd,
    /// Stiffness k, N·m/rad.
    #[schemars(extend("minimum" = 0))]
    pub stiffness: f64,
    /// Damping c, N·m·s/rad.
    #[serde(default)]
    #[schemars(extend("minimum" = 0))]
    pub damping: f64,
}

impl LoadDescription {
    /// Name of its object.
    pub(crate) fn on(&self) -> &str {
        match self {
            Self::Force(load) => &load.on,
            Self::Moment(load) => &load.on,
            Self::Distributed(load) => &load.on,
            Self::Drag(load) => &load.on,
        }
    }
}

impl SpringDescription {
    /// Its ends.
    pub(crate) fn ends(&self) -> [&SpringEnd; 2] {
        match self {
            Self::Linear(spring) => [&spring.from, &spring.to],
            Self::Torsional(spring) => [&spring.from, &spring.to],
            Self::Custom(force) => [&force.from, &force.to],
        }
    }

    /// Its ends, mutable.
    pub(crate) fn ends_mut(&mut self) -> (&mut SpringEnd, &mut SpringEnd) {
        match self {
            Self::Linear(spring) => (&mut spring.from, &mut spring.to),
            Self::Torsional(spring) => (&mut spring.from, &mut spring.to),
            Self::Custom(force) => (&mut force.from, &mut force.to),
        }
    }
}
