//! Description of a clip.

use crate::describe::anchor::{Anchor, At};
use crate::describe::signal::Signal;
use crate::describe::units;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// A clip that holds a rod as long as its strength allows. Multipliers: force on the rod along the clip's
/// axes, N, and moment, N·m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clip {
    /// Rod that it holds or waits for, by name; several rods as a list.
    pub on: Rods,
    /// Place on the rod, the first of several; without it the clip is open at the start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// Which quantities it holds.
    #[serde(default)]
    pub hold: ClipHold,
    /// Where it is, m; the present position of the rod unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Signal<[f64; 3]>>,
    /// Displacement in time, m, added to `target`.
    #[serde(default)]
    pub displacement: Signal<[f64; 3]>,
    /// Axis along which a rod lies in it, before any rotation; the present tangent of the rod unless given. A
    /// rod may run either way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
    /// Rotation of the clip in time: rotation vector, rad, world axes.
    #[serde(default)]
    pub rotation: Signal<[f64; 3]>,
    /// Direction in which a rod leaves it, before any rotation; only the part across `direction` counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening: Option<[f64; 3]>,
    /// A place to which the clip is fixed, instead of a point of the world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
    /// Length of rod that lies in it, m.
    #[serde(default, deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("minimum" = 0))]
    pub width: f64,
    /// Greatest force, N: a number for any direction, or a table; without limit unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<Strength>,
    /// Distance at which it catches a rod, m; the radius of the (first) rod unless given.
    #[serde(default, deserialize_with = "units::optional_length", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("minimum" = 0))]
    pub capture: Option<f64>,
    /// Largest angle between rod and axis at which it catches, rad, at most 90°, where it holds a tangent.
    #[serde(default = "default_capture_angle", deserialize_with = "units::angle")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("minimum" = 0, "maximum" = std::f64::consts::FRAC_PI_2))]
    pub capture_angle: f64,
    /// Time in which a rod that was caught moves into place, s.
    #[serde(default = "default_insertion", deserialize_with = "units::time")]
    #[schemars(with = "units::QuantityInput")]
    #[schemars(extend("minimum" = 0))]
    pub insertion: f64,
    /// Whether it catches again after it has opened, once the rod has been twice the capture distance away.
    #[serde(default = "yes")]
    pub reclip: bool,
}

/// The rods that a clip holds or waits for, by name: one, or a list.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(with = "RodsInput")]
pub struct Rods(pub Vec<String>);

/// Forms in which rods can be written.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "the words of the schema")]
enum RodsInput {
    /// One rod, by name.
    One(String),
    /// Several rods, by name.
    Several(Vec<String>),
}

impl From<&str> for Rods {
    fn from(name: &str) -> Self {
        Self(vec![name.to_owned()])
    }
}

impl Rods {
    /// Puts the rod that is held first in the list.
    pub(crate) fn put_first(&mut self, name: String) {
        self.0.retain(|other| *other != name);
        self.0.insert(0, name);
    }
}

impl Serialize for Rods {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.as_slice() {
            [one] => one.serialize(serializer),
            several => several.serialize(serializer),
        }
    }
}

struct RodsVisitor;

impl<'de> Visitor<'de> for RodsVisitor {
    type Value = Rods;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name of a rod, or a list of names such as [\"left\", \"right\"]")
    }
    fn visit_str<E: de::Error>(self, name: &str) -> Result<Rods, E> {
        Ok(Rods::from(name))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Rods, A::Error> {
        let mut rods = Vec::new();
        while let Some(name) = names.next_element()? {
            rods.push(name);
        }
        Ok(Rods(rods))
    }
}

impl<'de> Deserialize<'de> for Rods {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RodsVisitor)
    }
}

/// 30°.
fn default_capture_angle() -> f64 {
    std::f64::consts::FRAC_PI_6
}

fn default_insertion() -> f64 {
    0.05
}

fn yes() -> bool {
    true
}

/// Quantities that a clip holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ClipHold {
    /// The place: the rod pivots in it.
    #[default]
    Position,
    /// The place and the direction.
    Tangent,
    /// The place, the direction and the roll that the rod has when it is caught.
    Clamp,
}

/// Greatest force of a clip, by direction. A direction that is not given has no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Directions {
    /// In any direction, N; instead of the ones below.
    #[serde(deserialize_with = "units::optional_force", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("minimum" = 0))]
    pub any: Option<f64>,
    /// Along the axis, N.
    #[serde(deserialize_with = "units::optional_force", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("minimum" = 0))]
    pub along: Option<f64>,
    /// Against a rod that leaves through the opening, N.
    #[serde(deserialize_with = "units::optional_force", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("minimum" = 0))]
    pub out: Option<f64>,
    /// Against a rod that is pressed in from the opening, N.
    #[serde(
        rename = "in",
        deserialize_with = "units::optional_force",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("minimum" = 0))]
    pub inward: Option<f64>,
    /// Across axis and opening, N.
    #[serde(deserialize_with = "units::optional_force", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<units::QuantityInput>")]
    #[schemars(extend("minimum" = 0))]
    pub across: Option<f64>,
    /// Moment, N·m.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0))]
    pub moment: Option<f64>,
}

/// Greatest force of a clip: a number, N, for any direction, or a table.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(untagged)]
#[serde(untagged)]
pub enum Strength {
    /// In any direction, N.
    Any(#[schemars(with = "units::QuantityInput")] f64),
    /// By direction.
    Directions(Directions),
}

struct StrengthVisitor;

impl<'de> Visitor<'de> for StrengthVisitor {
    type Value = Strength;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a force such as 15 or \"15 N\", or a table with some of the keys any, along, out, in, across, \
             moment",
        )
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Strength, E> {
        units::QuantityVisitor(units::Dimension::Force).visit_f64(value).map(Strength::Any)
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Strength, E> {
        units::QuantityVisitor(units::Dimension::Force).visit_i64(value).map(Strength::Any)
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Strength, E> {
        units::QuantityVisitor(units::Dimension::Force).visit_u64(value).map(Strength::Any)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Strength, E> {
        units::QuantityVisitor(units::Dimension::Force).visit_str(text).map(Strength::Any)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Strength, A::Error> {
        Directions::deserialize(MapAccessDeserializer::new(map)).map(Strength::Directions)
    }
}

impl<'de> Deserialize<'de> for Strength {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrengthVisitor)
    }
}
