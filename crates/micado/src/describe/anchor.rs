//! Places on objects, for constraints, loads, springs and probes.
//!
//! Outside a model a place on a rod is its rest arc length s, because refinement and cutting change the curve
//! parameter u. A place on a body is a point in its axes, or the name of one.

use crate::describe::units::Dimension;
use crate::error::{BuildError, check};
use schemars::JsonSchema;
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Deserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

/// A place along a rod: metres of rest arc length, a share of the length, or an end. On a body: a point in
/// its axes, or the name of one of its anchors.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema)]
#[schemars(with = "AtInput")]
pub enum At {
    /// Rest arc length from the start, m.
    Length(f64),
    /// Share of the rest length, 0 to 1; written `"50 %"`.
    Share(f64),
    /// Rest arc length back from the end, m; written `"end - 0.3 m"`.
    FromEnd(f64),
    /// A point of a body, m, in its axes; written `[x, y, z]`.
    Point([f64; 3]),
    /// An anchor of a body, by name.
    Named(AnchorName),
}

/// How a place is written.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum AtInput {
    /// Metres from the start of a rod.
    Number(f64),
    /// A place along a rod, such as "end" or "25 %", or the name of an anchor of a body.
    Text(String),
    /// A point in the axes of a body, m.
    Point([f64; 3]),
}

/// Name of an anchor, of at most [`AnchorName::LONGEST`] bytes, stored in place so that [`At`] can be copied.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct AnchorName {
    bytes: [u8; Self::LONGEST],
    length: u8,
}

impl AnchorName {
    /// Most bytes of a name.
    pub const LONGEST: usize = 39;

    /// A name that begins with a letter and has letters, digits, `-` and `_`.
    ///
    /// # Errors
    /// A sentence that says what is allowed.
    pub fn new(text: &str) -> Result<Self, String> {
        let allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
        if !text.starts_with(char::is_alphabetic) || !text.chars().all(allowed) {
            return Err(format!(
                "\"{text}\" is no name of an anchor; begin with a letter and use letters, digits, - and _"
            ));
        }
        if text.len() > Self::LONGEST {
            return Err(format!("\"{text}\" is too long for an anchor; use at most {} bytes", Self::LONGEST));
        }
        let mut bytes = [0; Self::LONGEST];
        bytes[..text.len()].copy_from_slice(text.as_bytes());
        Ok(Self { bytes, length: text.len() as u8 })
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length as usize]).unwrap_or_default()
    }
}

impl Serialize for AnchorName {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for AnchorName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::new(&String::deserialize(deserializer)?).map_err(de::Error::custom)
    }
}

impl fmt::Debug for AnchorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.as_str())
    }
}

/// A place on an object.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    /// Object, by name.
    pub on: String,
    /// Place on the rod or body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// From that place to the point that is meant, m: on a rod in its frame (tangent, m₁, m₂), on a body in
    /// its axes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<[f64; 3]>,
}

/// A named place of a body: a point `[x, y, z]`, or a point with axes of its own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(untagged)]
#[serde(untagged)]
pub enum BodyAnchor {
    /// A point in the axes of the body, m. Its frame is that of the body.
    Point([f64; 3]),
    /// A point with axes of its own.
    Framed(AnchorFrame),
}

/// A point of a body with axes of its own, given by a rotation, or by their first and second axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnchorFrame {
    /// Point in the axes of the body, m.
    pub point: [f64; 3],
    /// Rotation vector of its axes, rad, in the axes of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rotation: Option<[f64; 3]>,
    /// First axis in the axes of the body, instead of a rotation; for example the axis of a hinge or the
    /// tangent of a rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Direction whose part perpendicular to `axis` is the second axis; any perpendicular direction unless
    /// given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<[f64; 3]>,
}

struct BodyAnchorVisitor;

impl<'de> Visitor<'de> for BodyAnchorVisitor {
    type Value = BodyAnchor;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a point [x, y, z], or a table with `point` and `rotation`, or `point`, `axis` and `up`")
    }
    fn visit_seq<A: SeqAccess<'de>>(self, values: A) -> Result<BodyAnchor, A::Error> {
        <[f64; 3]>::deserialize(SeqAccessDeserializer::new(values)).map(BodyAnchor::Point)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<BodyAnchor, A::Error> {
        AnchorFrame::deserialize(MapAccessDeserializer::new(map)).map(BodyAnchor::Framed)
    }
}

impl<'de> Deserialize<'de> for BodyAnchor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BodyAnchorVisitor)
    }
}

impl At {
    /// The start of the rod.
    pub const START: Self = Self::Share(0.0);
    /// The end of the rod.
    pub const END: Self = Self::Share(1.0);

    /// Metres from the start of a rod of this length; NaN for a place on a body.
    pub fn along(self, length: f64) -> f64 {
        match self {
            Self::Length(s) => s,
            Self::Share(share) => share * length,
            Self::FromEnd(s) => length - s,
            Self::Point(_) | Self::Named(_) => f64::NAN,
        }
    }

    /// Checks that its numbers are finite.
    ///
    /// # Errors
    /// One that is not.
    pub fn check(self, path: &str) -> Result<(), BuildError> {
        match self {
            Self::Length(s) | Self::Share(s) | Self::FromEnd(s) => check::finite(path, s).map(|_| ()),
            Self::Point(point) => check::finite_vector(path, point).map(|_| ()),
            Self::Named(_) => Ok(()),
        }
    }

    /// Reads `"start"`, `"middle"`, `"end"`, `"end - 0.3 m"`, `"25 %"` or a length such as `"0.3 m"`.
    ///
    /// # Errors
    /// A sentence that says what is allowed.
    pub fn parse(text: &str) -> Result<Self, String> {
        match text.trim() {
            "start" => Ok(Self::START),
            "middle" => Ok(Self::Share(0.5)),
            "end" => Ok(Self::END),
            back if back.starts_with("end") => back["end".len()..]
                .trim_start()
                .strip_prefix('-')
                .and_then(|length| Dimension::Length.parse(length.trim()).ok())
                .map(Self::FromEnd)
                .ok_or_else(|| {
                    format!("\"{back}\" is not a place on a rod; write for example \"end - 0.3 m\"")
                }),
            other => match other.strip_suffix('%') {
                Some(number) => hundredth(number.trim())
                    .map(Self::Share)
                    .ok_or_else(|| format!("\"{other}\" is not a percentage; write for example \"25 %\"")),
                None => Dimension::Length.parse(other).map(Self::Length).map_err(|_| {
                    format!(
                        "\"{other}\" is not a place on a rod; write metres from its start, \"start\", \
                         \"middle\", \"end\", or \"25 %\""
                    )
                }),
            },
        }
    }
}

/// A hundredth of a written number, rounded once: `12.3` is read as `12.3e-2`, so that every share can be
/// written.
fn hundredth(number: &str) -> Option<f64> {
    let (digits, exponent) = match number.split_once(['e', 'E']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (number, 0),
    };
    format!("{digits}e{}", exponent.checked_sub(2)?).parse().ok()
}

impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Length(s) => write!(f, "{s} m"),
            Self::START => f.write_str("start"),
            Self::END => f.write_str("end"),
            Self::Share(share) => write!(f, "{} %", share * 100.0),
            Self::FromEnd(s) => write!(f, "end - {s} m"),
            Self::Point([x, y, z]) => write!(f, "[{x}, {y}, {z}] m"),
            Self::Named(name) => f.write_str(name.as_str()),
        }
    }
}

impl Serialize for At {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Length(s) => serializer.serialize_f64(s),
            Self::FromEnd(_) | Self::Named(_) => serializer.serialize_str(&self.to_string()),
            Self::Point(point) => point.serialize(serializer),
            // The share would lose a bit in the conversion to percent and back.
            Self::Share(share) if At::parse(&self.to_string()) == Ok(Self::Share(share)) => {
                serializer.serialize_str(&self.to_string())
            }
            Self::Share(share) => {
                let text = format!("{share:e}");
                let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                let exponent: i32 = exponent.parse().unwrap_or(0);
                serializer.serialize_str(&format!("{digits}e{} %", exponent + 2))
            }
        }
    }
}

struct AtVisitor;

impl<'de> Visitor<'de> for AtVisitor {
    type Value = At;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a place on a rod: metres from its start, \"start\", \"middle\", \"end\", or a percentage such \
             as \"25 %\"; on a body: a point [x, y, z] in its axes, or the name of an anchor",
        )
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<At, A::Error> {
        let mut point = [0.0; 3];
        for (k, x) in point.iter_mut().enumerate() {
            *x = values.next_element()?.ok_or_else(|| de::Error::invalid_length(k, &"three coordinates"))?;
        }
        match values.next_element::<de::IgnoredAny>()? {
            Some(_) => Err(de::Error::invalid_length(4, &"three coordinates")),
            None => Ok(At::Point(point)),
        }
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<At, E> {
        Ok(At::Length(value))
    }
    #[expect(clippy::cast_precision_loss, reason = "integers in scene files are small")]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<At, E> {
        Ok(At::Length(value as f64))
    }
    #[expect(clippy::cast_precision_loss, reason = "integers in scene files are small")]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<At, E> {
        Ok(At::Length(value as f64))
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<At, E> {
        // A word that is no place on a rod may be the name of an anchor.
        At::parse(text)
            .or_else(|problem| AnchorName::new(text).map(At::Named).map_err(|_| E::custom(problem)))
    }
}

impl<'de> Deserialize<'de> for At {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AtVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::At;

    #[test]
    fn places_are_read_in_all_their_forms() {
        assert_eq!(At::parse("start"), Ok(At::Share(0.0)));
        assert_eq!(At::parse("25 %"), Ok(At::Share(0.25)));
        assert_eq!(At::parse("30 cm"), Ok(At::Length(0.3)));
        assert_eq!(At::parse("end - 30 cm"), Ok(At::FromEnd(0.3)));
        assert_eq!(At::parse(&At::FromEnd(0.1 + 0.2).to_string()), Ok(At::FromEnd(0.1 + 0.2)));
        assert!(At::parse("ending").is_err() && At::parse("end - 3 kg").is_err());
        assert!(At::parse("somewhere").unwrap_err().contains("middle"));
    }

    #[test]
    fn every_share_is_written_and_read_to_the_bit() {
        for k in 0..10_000 {
            let at = At::Share((f64::from(k) * 0.618_033_988_749_895).fract());
            assert_eq!(serde_json::from_str::<At>(&serde_json::to_string(&at).unwrap()).unwrap(), at);
        }
    }
}
