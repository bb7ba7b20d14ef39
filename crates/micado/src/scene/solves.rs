//! The number of linearised solves of a dynamic step: as many as its accuracy needs, or given.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// Linearised solves of a dynamic step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Solves {
    /// As many as the step needs: solves begin at the predicted state and are repeated until the energy that
    /// one neglects is small against the energy that the step exchanges.
    #[default]
    Auto,
    /// This number, from the state at the beginning; fewer if Newton has converged.
    Exactly(usize),
}

impl Solves {
    /// Most solves that can be asked for.
    pub const MOST: usize = 100;
    /// One linearly implicit solve, as in the papers.
    pub const ONE: Self = Self::Exactly(1);

    /// The given number; 1 for `Auto`.
    pub fn least(self) -> usize {
        match self {
            Self::Auto => 1,
            Self::Exactly(number) => number.max(1),
        }
    }
}

impl fmt::Display for Solves {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => f.write_str("auto"),
            Self::Exactly(number) => write!(f, "{number}"),
        }
    }
}

impl Serialize for Solves {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Auto => serializer.serialize_str("auto"),
            Self::Exactly(number) => serializer.serialize_u64(*number as u64),
        }
    }
}

struct SolvesVisitor;

impl Visitor<'_> for SolvesVisitor {
    type Value = Solves;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"auto\", or a number from 1 to {}", Solves::MOST)
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Solves, E> {
        match usize::try_from(value) {
            Ok(number @ 1..=Solves::MOST) => Ok(Solves::Exactly(number)),
            _ => Err(E::invalid_value(de::Unexpected::Unsigned(value), &self)),
        }
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Solves, E> {
        match u64::try_from(value) {
            Ok(number) => self.visit_u64(number),
            Err(_) => Err(E::invalid_value(de::Unexpected::Signed(value), &self)),
        }
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Solves, E> {
        match text {
            "auto" => Ok(Solves::Auto),
            other => Err(E::invalid_value(de::Unexpected::Str(other), &self)),
        }
    }
}

impl<'de> Deserialize<'de> for Solves {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SolvesVisitor)
    }
}

impl JsonSchema for Solves {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Solves".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [{"const": "auto"}, {"type": "integer", "minimum": 1, "maximum": Self::MOST}]
        })
    }
}
