//! Description of contact between the surfaces of objects.

use crate::describe::units;
use crate::error::{BuildError, check};
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Contact between the surfaces of rods, masses and bodies. With it, all objects touch each other, unless
/// `pairs` switch that off.
///
/// Two bodies that a constraint joins do not touch; a rod does not touch near the places at which it is
/// joined. A pair that is listed in `pairs` with `touch = true` always does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ContactSettings {
    /// Friction of objects without a material, unless `pairs` has another one.
    pub friction: Friction,
    /// Coefficient of restitution of objects without a material, unless `pairs` has another one, 0 to 1.
    #[serde(skip_serializing_if = "super::is_default")]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub restitution: f64,
    /// Whether every passage of a rod through another one, or through itself, is counted and reported, also
    /// of rods that don't touch. A run with a passage fails.
    #[serde(skip_serializing_if = "super::is_default")]
    pub alarm: bool,
    /// Radius with which rods and masses touch, m, by name; the drawn radius unless given.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub radius: IndexMap<String, Radius>,
    /// Friction and restitution of objects, by name. Two objects of different materials have the geometric
    /// mean of their friction and the larger restitution, unless `pairs` has other ones.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub materials: IndexMap<String, ContactMaterial>,
    /// Lists of objects, by name.
    #[serde(skip_serializing_if = "IndexMap::is_empty")]
    pub groups: IndexMap<String, Vec<String>>,
    /// Pairs with properties of their own. The last one that matches counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pairs: Vec<ContactPair>,
}

/// Material of the surfaces of some objects.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactMaterial {
    /// Names of its objects, or of groups of them. An object has one material at most.
    pub of: Vec<String>,
    /// Friction; that of `[contact]` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<Friction>,
    /// Coefficient of restitution, 0 to 1; that of `[contact]` unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub restitution: Option<f64>,
}

/// Properties of contact between two objects, two groups, or two materials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactPair {
    /// Names of two objects, groups or materials; `"all"` stands for every object.
    pub between: [String; 2],
    /// Whether they touch. Objects that a constraint joins touch only if it is true here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touch: Option<bool>,
    /// Friction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub friction: Option<Friction>,
    /// Coefficient of restitution, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("minimum" = 0, "maximum" = 1))]
    pub restitution: Option<f64>,
}

/// The word for every object in a pair.
pub const ALL: &str = "all";

/// Name of the object that `floor` adds.
pub const FLOOR: &str = "floor";

/// Coulomb's μ: one number, or one along and one across the rod that touches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(with = "FrictionInput")]
#[serde(into = "FrictionInput")]
pub struct Friction {
    /// Along the first rod of the pair.
    pub along: f64,
    /// Across it.
    pub across: f64,
}

impl Friction {
    /// The friction of two materials on each other: the geometric mean.
    pub(crate) fn with(self, other: Self) -> Self {
        let mean = |a: f64, b: f64| if a == b { a } else { (a * b).sqrt() };
        Self { along: mean(self.along, other.along), across: mean(self.across, other.across) }
    }

    /// Checks that both are allowed.
    fn check(self, path: &str) -> Result<(), BuildError> {
        for (field, value) in [("along", self.along), ("across", self.across)] {
            let path = if self.along == self.across { path.to_owned() } else { format!("{path}.{field}") };
            check::not_negative(&path, value)?;
            if value > MOST_FRICTION {
                let problem = format!("a coefficient of friction of {value} is too large");
                return Err(BuildError::new(path, problem, "give at most 1e6, which holds like glue"));
            }
        }
        Ok(())
    }
}

/// Largest coefficient of friction: with 1e9, rounding of the forces along the surface is as large as the
/// pressure.
const MOST_FRICTION: f64 = 1e6;

/// How friction is written.
#[derive(Serialize, JsonSchema)]
#[schemars(untagged)]
#[serde(untagged)]
enum FrictionInput {
    /// μ in all directions.
    Number(f64),
    /// μ along and across a rod.
    Directed(DirectedFriction),
}

/// Friction that depends on the direction of a rod.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DirectedFriction {
    /// μ along the rod.
    along: f64,
    /// μ across it.
    across: f64,
}

impl From<Friction> for FrictionInput {
    fn from(Friction { along, across }: Friction) -> Self {
        if along == across { Self::Number(along) } else { Self::Directed(DirectedFriction { along, across }) }
    }
}

struct FrictionVisitor;

impl<'de> Visitor<'de> for FrictionVisitor {
    type Value = Friction;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a coefficient of friction such as 0.3, or a table with `along` and `across`")
    }
    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Friction, E> {
        Ok(Friction { along: value, across: value })
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Friction, E> {
        self.visit_f64(value as f64)
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Friction, E> {
        self.visit_f64(value as f64)
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Friction, A::Error> {
        let DirectedFriction { along, across } =
            DirectedFriction::deserialize(MapAccessDeserializer::new(map))?;
        Ok(Friction { along, across })
    }
}

impl<'de> Deserialize<'de> for Friction {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FrictionVisitor)
    }
}

/// A radius, m.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Radius(
    #[serde(deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub f64,
);

/// The ground on which everything may lie: true for a plane at z = 0, or the height of the plane, m.
#[derive(Clone, Copy, Debug, PartialEq, JsonSchema)]
#[schemars(with = "FloorInput")]
pub struct Floor {
    /// Height of the plane, m.
    pub height: f64,
}

/// How a floor is written.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "only its schema is used")]
enum FloorInput {
    /// Whether there is a floor at z = 0.
    Switch(bool),
    /// Height of the floor, m.
    Height(f64),
}

impl Serialize for Floor {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.height)
    }
}

struct FloorVisitor;

impl<'de> Visitor<'de> for FloorVisitor {
    type Value = Option<Floor>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("true, or the height of the floor in metres")
    }
    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Option<Floor>, E> {
        Ok(value.then_some(Floor { height: 0.0 }))
    }
    fn visit_f64<E: de::Error>(self, height: f64) -> Result<Option<Floor>, E> {
        Ok(Some(Floor { height }))
    }
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Option<Floor>, E> {
        self.visit_f64(value as f64)
    }
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Option<Floor>, E> {
        self.visit_f64(value as f64)
    }
    fn visit_unit<E: de::Error>(self) -> Result<Option<Floor>, E> {
        Ok(None)
    }
    fn visit_none<E: de::Error>(self) -> Result<Option<Floor>, E> {
        Ok(None)
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<Floor>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

/// Reads `floor`; false is no floor.
pub(super) fn floor<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Floor>, D::Error> {
    deserializer.deserialize_any(FloorVisitor)
}

impl ContactSettings {
    /// The description after an edit that replaces objects. `heirs` adds the names to which an object passes
    /// its properties on: those of its pieces if it was cut, that of the whole if it was joined to another.
    pub(crate) fn inherited(&self, heirs: impl Fn(&str, &mut Vec<String>)) -> Self {
        let names_of = |name: &String| {
            let mut names = vec![name.clone()];
            heirs(name, &mut names);
            names.sort_unstable();
            names.dedup();
            names
        };
        let mut after = self.clone();
        for (name, radius) in &self.radius {
            for heir in names_of(name) {
                after.radius.entry(heir).or_insert(*radius);
            }
        }
        let lists = after.materials.values_mut().map(|material| &mut material.of);
        for group in after.groups.values_mut().chain(lists) {
            let mut members: Vec<String> = group.iter().flat_map(names_of).collect();
            members.sort_unstable();
            members.dedup();
            *group = members;
        }
        // An object that was joined from two materials has the first one.
        let ContactSettings { groups, materials, .. } = &mut after;
        let mut known: Vec<String> = Vec::new();
        for material in materials.values_mut() {
            let members = |name: &String| groups.get(name).cloned().unwrap_or_else(|| vec![name.clone()]);
            let mut all: Vec<String> = material.of.iter().flat_map(members).collect();
            if all.iter().any(|name| known.contains(name)) {
                all.retain(|name| !known.contains(name));
                material.of.clone_from(&all);
            }
            known.append(&mut all);
        }
        after.pairs.clear();
        for pair in &self.pairs {
            let [first, second] = pair.between.each_ref().map(names_of);
            for a in &first {
                let all = second.iter().map(|b| [a.clone(), b.clone()]);
                after.pairs.extend(all.map(|between| ContactPair { between, ..pair.clone() }));
            }
        }
        after
    }

    /// Checks all numbers; names are checked where objects are known.
    ///
    /// # Errors
    /// A number that is not allowed, by its path.
    pub(crate) fn check(&self) -> Result<(), BuildError> {
        self.friction.check("contact.friction")?;
        check_restitution("contact.restitution", self.restitution)?;
        for (name, radius) in &self.radius {
            check::positive(&format!("contact.radius.{name}"), radius.0)?;
        }
        for (name, material) in &self.materials {
            if let Some(friction) = material.friction {
                friction.check(&format!("contact.materials.{name}.friction"))?;
            }
            if let Some(restitution) = material.restitution {
                check_restitution(&format!("contact.materials.{name}.restitution"), restitution)?;
            }
        }
        for (k, pair) in self.pairs.iter().enumerate() {
            if let Some(friction) = pair.friction {
                friction.check(&format!("contact.pairs[{k}].friction"))?;
            }
            if let Some(restitution) = pair.restitution {
                check_restitution(&format!("contact.pairs[{k}].restitution"), restitution)?;
            }
        }
        Ok(())
    }
}

fn check_restitution(path: &str, value: f64) -> Result<(), BuildError> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(BuildError::new(path, format!("{value} is no coefficient of restitution"), "give 0 to 1"))
}

#[cfg(test)]
mod tests {
    use super::ContactSettings;
    use serde_json::json;

    #[test]
    fn a_whole_of_two_materials_has_that_of_the_first_also_if_a_group_names_it() {
        let settings: ContactSettings = serde_json::from_value(json!({
            "groups": {"cables": ["a"]},
            "materials": {"rubber": {"of": ["cables"]}, "steel": {"of": ["b", "c"]}},
        }))
        .expect("a description");
        // b was joined to a.
        let after = settings.inherited(|name, heirs| heirs.extend((name == "b").then(|| "a".to_owned())));
        assert_eq!(after.groups["cables"], ["a"]);
        assert_eq!(after.materials["rubber"].of, ["cables"]);
        assert_eq!(after.materials["steel"].of, ["b", "c"]);
    }
}
