//! Physical quantities in descriptions: plain SI numbers, or strings with a unit such as `"12 mm"` and `"3
//! GPa"`.
//!
//! Inside Micado every number is SI. Only this module handles units.

use schemars::JsonSchema;
use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Dimension of a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// Length, metres.
    Length,
    /// Pressure or modulus, pascals.
    Pressure,
    /// Mass density, kilograms per cubic metre.
    Density,
    /// Mass, kilograms.
    Mass,
    /// Mass per length, kilograms per metre.
    MassPerLength,
    /// Time, seconds.
    Time,
    /// Angle, radians.
    Angle,
    /// Force, newtons.
    Force,
    /// Moment of a force, newton metres.
    Moment,
    /// Speed, metres per second.
    Speed,
    /// Angular speed, radians per second.
    AngularSpeed,
}

impl Dimension {
    /// Units of this dimension with their factor to SI; the first is the SI unit.
    pub fn units(self) -> &'static [(&'static str, f64)] {
        match self {
            Self::Length => &[
                ("m", 1.0),
                ("mm", 1e-3),
                ("cm", 1e-2),
                ("um", 1e-6),
                ("µm", 1e-6),
                ("km", 1e3),
                ("in", 0.0254),
                ("ft", 0.3048),
            ],
            Self::Pressure => &[
                ("Pa", 1.0),
                ("kPa", 1e3),
                ("MPa", 1e6),
                ("GPa", 1e9),
                ("N/mm2", 1e6),
                ("N/mm^2", 1e6),
                ("psi", 6894.757293168361),
            ],
            Self::Density => &[
                ("kg/m3", 1.0),
                ("kg/m^3", 1.0),
                ("kg/m³", 1.0),
                ("g/cm3", 1e3),
                ("g/cm^3", 1e3),
                ("g/cm³", 1e3),
            ],
            Self::Mass => &[("kg", 1.0), ("g", 1e-3), ("mg", 1e-6), ("t", 1e3)],
            Self::MassPerLength => &[("kg/m", 1.0), ("g/m", 1e-3), ("kg/km", 1e-3), ("g/cm", 0.1)],
            Self::Time => {
                &[("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("µs", 1e-6), ("min", 60.0), ("h", 3600.0)]
            }
            Self::Angle => &[
                ("rad", 1.0),
                ("deg", std::f64::consts::PI / 180.0),
                ("°", std::f64::consts::PI / 180.0),
                ("turn", std::f64::consts::TAU),
            ],
            Self::Force => &[("N", 1.0), ("mN", 1e-3), ("kN", 1e3), ("MN", 1e6)],
            Self::Speed => {
                &[("m/s", 1.0), ("mm/s", 1e-3), ("cm/s", 1e-2), ("m/min", 1.0 / 60.0), ("km/h", 1.0 / 3.6)]
            }
            Self::AngularSpeed => &[
                ("rad/s", 1.0),
                ("deg/s", std::f64::consts::PI / 180.0),
                ("°/s", std::f64::consts::PI / 180.0),
                ("rpm", std::f64::consts::TAU / 60.0),
                ("turn/s", std::f64::consts::TAU),
            ],
            Self::Moment => &[
                ("N·m", 1.0),
                ("N m", 1.0),
                ("Nm", 1.0),
                ("kN·m", 1e3),
                ("kN m", 1e3),
                ("kNm", 1e3),
                ("mN·m", 1e-3),
                ("mN m", 1e-3),
                ("mNm", 1e-3),
                ("N·mm", 1e-3),
                ("N mm", 1e-3),
                ("Nmm", 1e-3),
            ],
        }
    }

    /// Reads `"12 mm"` as SI. The unit may be left out.
    ///
    /// # Errors
    /// A sentence that says what was wrong and which units are allowed.
    pub fn parse(self, text: &str) -> Result<f64, String> {
        let text = text.trim();
        let split = text
            .char_indices()
            .find(|&(i, c)| {
                let exponent_sign =
                    (c == '+' || c == '-') && i > 0 && matches!(text.as_bytes()[i - 1], b'e' | b'E');
                let exponent = (c == 'e' || c == 'E')
                    && text[i + 1..].starts_with(|d: char| d.is_ascii_digit() || d == '+' || d == '-');
                !(c.is_ascii_digit()
                    || c == '.'
                    || c == '_'
                    || (c == '+' || c == '-') && i == 0
                    || exponent
                    || exponent_sign)
            })
            .map_or(text.len(), |(i, _)| i);
        let (number, unit) = (text[..split].trim(), text[split..].trim());
        let allowed = || self.units().iter().map(|&(name, _)| name).collect::<Vec<_>>().join(", ");
        let value: f64 = number.replace('_', "").parse().map_err(|_| {
            format!("\"{text}\" doesn't start with a number; write for example \"12 {}\"", self.units()[0].0)
        })?;
        if unit.is_empty() {
            return Ok(value);
        }
        self.units()
            .iter()
            .find(|&&(name, _)| name == unit)
            .map(|&(_, factor)| value * factor)
            .ok_or_else(|| format!("\"{unit}\" is not a unit allowed here; allowed are {}", allowed()))
    }
}

/// Forms in which a quantity may be written; only for the JSON Schema.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum QuantityInput {
    /// A number in SI units.
    Number(f64),
    /// A number with a unit, such as "12 mm".
    Text(String),
}

impl Default for QuantityInput {
    fn default() -> Self {
        Self::Number(0.0)
    }
}

pub(crate) struct QuantityVisitor(pub(crate) Dimension);

impl Visitor<'_> for QuantityVisitor {
    type Value = f64;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = self.0.units()[0].0;
        write!(f, "a number in {unit} or a string with a unit such as \"12 {unit}\"")
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<f64, E> {
        Ok(value)
    }
    #[expect(clippy::cast_precision_loss, reason = "integers in scene files are small")]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<f64, E> {
        Ok(value as f64)
    }
    #[expect(clippy::cast_precision_loss, reason = "integers in scene files are small")]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<f64, E> {
        Ok(value as f64)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<f64, E> {
        self.0.parse(text).map_err(E::custom)
    }
}

/// One deserialiser per dimension, for `#[serde(deserialize_with = "units::length")]`.
macro_rules! readers {
    ($($name:ident, $dimension:ident;)*) => {$(
        #[doc = concat!("Reads a quantity of dimension `", stringify!($dimension), "`.")]
        pub(crate) fn $name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<f64, D::Error> {
            deserializer.deserialize_any(QuantityVisitor(Dimension::$dimension))
        }
    )*};
}

/// Deserialisers for optional fields.
macro_rules! optional_readers {
    ($($name:ident, $dimension:ident;)*) => {$(
        #[doc = concat!("Reads an optional quantity of dimension `", stringify!($dimension), "`.")]
        pub(crate) fn $name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
            deserializer.deserialize_option(OptionalVisitor(Dimension::$dimension))
        }
    )*};
}

struct OptionalVisitor(Dimension);

impl<'de> Visitor<'de> for OptionalVisitor {
    type Value = Option<f64>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        QuantityVisitor(self.0).expecting(f)
    }
    fn visit_none<E: de::Error>(self) -> Result<Option<f64>, E> {
        Ok(None)
    }
    fn visit_unit<E: de::Error>(self) -> Result<Option<f64>, E> {
        Ok(None)
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<f64>, D::Error> {
        deserializer.deserialize_any(QuantityVisitor(self.0)).map(Some)
    }
}

readers! {
    length, Length;
    mass, Mass;
    time, Time;
    angle, Angle;
    force, Force;
    moment, Moment;
    speed, Speed;
    angular_speed, AngularSpeed;
}

optional_readers! {
    optional_length, Length;
    optional_pressure, Pressure;
    optional_density, Density;
    optional_mass_per_length, MassPerLength;
    optional_mass, Mass;
    optional_time, Time;
    optional_force, Force;
    optional_moment, Moment;
    optional_angle, Angle;
}

/// Whether a number is zero and is left out when written.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

/// A length within a list.
struct Length(f64);

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        length(deserializer).map(Self)
    }
}

/// Reads three lengths.
pub(crate) fn three_lengths<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[f64; 3], D::Error> {
    <[Length; 3]>::deserialize(deserializer).map(|lengths| lengths.map(|Length(length)| length))
}

/// Reads two lengths.
pub(crate) fn two_lengths<'de, D: Deserializer<'de>>(deserializer: D) -> Result<[f64; 2], D::Error> {
    <[Length; 2]>::deserialize(deserializer).map(|lengths| lengths.map(|Length(length)| length))
}

#[cfg(test)]
mod tests {
    use super::Dimension;

    #[test]
    fn twelve_millimetres_are_0_012_metres() {
        assert_eq!(Dimension::Length.parse("12 mm"), Ok(0.012));
        assert_eq!(Dimension::Length.parse("12mm"), Ok(0.012));
        assert_eq!(Dimension::Pressure.parse("3 GPa"), Ok(3e9));
        assert_eq!(Dimension::Pressure.parse("-1.5e-3 MPa"), Ok(-1.5e3));
        assert_eq!(Dimension::Length.parse("2"), Ok(2.0));
        assert_eq!(Dimension::Length.parse("1e3m"), Ok(1000.0));
    }

    #[test]
    fn a_unit_of_another_dimension_is_refused_with_the_allowed_ones() {
        let message = Dimension::Length.parse("12 kg").unwrap_err();
        assert!(message.contains("kg") && message.contains("mm"), "{message}");
        assert!(Dimension::Length.parse("twelve").unwrap_err().contains("number"));
        assert!(Dimension::Length.parse("").is_err());
        assert!(Dimension::Length.parse("é").is_err());
    }
}
