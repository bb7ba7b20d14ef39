//! Signals whose values may have a unit: `angle.ramp = { to = "90 deg", end = 2 }`.

use super::{Moving, Signal};
use crate::describe::units::{self, QuantityInput};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::value::{F64Deserializer, I64Deserializer, StrDeserializer, U64Deserializer};
use serde::de::{self, Deserializer, MapAccess, Visitor};
use std::fmt;
use std::marker::PhantomData;

/// One number type per dimension: a plain SI number, or a text with a unit.
macro_rules! quantities {
    ($($name:ident, $reader:ident, $example:literal;)*) => {$(
        #[derive(Default)]
        struct $name(f64);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                units::$reader(deserializer).map(Self)
            }
        }

        impl Quantity for $name {
            const EXAMPLE: &str = $example;
            fn number(self) -> f64 {
                self.0
            }
        }
    )*};
}

trait Quantity: Default + for<'de> Deserialize<'de> {
    const EXAMPLE: &str;
    fn number(self) -> f64;
}

quantities! {
    Angle, angle, "90 deg";
    Length, length, "12 mm";
    Force, force, "12 N";
    Moment, moment, "12 N·m";
    Speed, speed, "12 mm/s";
    AngularSpeed, angular_speed, "90 deg/s";
}

/// A signal that was read with the units of `Q`.
struct Measured<Q>(Signal<f64>, PhantomData<Q>);

struct MeasuredVisitor<Q>(PhantomData<Q>);

impl<'de, Q: Quantity> Visitor<'de> for MeasuredVisitor<Q> {
    type Value = Signal<f64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a number, a text such as \"{}\", or a table with one of the keys keyframes, harmonic, ramp",
            Q::EXAMPLE
        )
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Self::Value, E> {
        Q::deserialize(F64Deserializer::new(value)).map(|q| Signal::Constant(q.number()))
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Self::Value, E> {
        Q::deserialize(I64Deserializer::new(value)).map(|q| Signal::Constant(q.number()))
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Self::Value, E> {
        Q::deserialize(U64Deserializer::new(value)).map(|q| Signal::Constant(q.number()))
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        Q::deserialize(StrDeserializer::new(text)).map(|q| Signal::Constant(q.number()))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        Moving::<Q>::only(map).map(|moving| moving.signal(Q::number))
    }
}

impl<'de, Q: Quantity> Deserialize<'de> for Measured<Q> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_any(MeasuredVisitor::<Q>(PhantomData))
            .map(|signal| Self(signal, PhantomData))
    }
}

/// One deserialiser per dimension.
macro_rules! readers {
    ($($name:ident, $quantity:ident;)*) => {$(
        #[doc = concat!("Reads a quantity of dimension `", stringify!($quantity), "` in time.")]
        pub(crate) fn $name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Signal<f64>, D::Error> {
            Measured::<$quantity>::deserialize(deserializer).map(|measured| measured.0)
        }
    )*};
}

readers! {
    angle, Angle;
    length, Length;
    force, Force;
    moment, Moment;
    speed, Speed;
    angular_speed, AngularSpeed;
}

/// Reads an optional length in time.
pub(crate) fn optional_length<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Signal<f64>>, D::Error> {
    Option::<Measured<Length>>::deserialize(deserializer).map(|measured| measured.map(|measured| measured.0))
}

/// Forms in which such a signal may be written; only for the JSON Schema.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
pub(crate) enum MeasuredInput {
    Value(QuantityInput),
    Moving(Moving<QuantityInput>),
}
