//! TypeScript types from JSON Schema.

use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Largest line length, characters.
const WIDTH: usize = 110;
/// Spaces of one level of indentation.
const INDENT: usize = 4;

/// A type expression.
#[derive(Clone, Debug)]
pub(super) enum Type {
    /// A name, a literal or a built-in type.
    Word(String),
    Union(Vec<(String, Type)>),
    Intersection(Vec<Type>),
    Array(Box<Type>),
    Tuple(Vec<Type>),
    Object(Vec<Property>),
    Record(Box<Type>),
}

/// A property of an object.
#[derive(Clone, Debug)]
pub(super) struct Property {
    pub about: String,
    pub name: String,
    pub optional: bool,
    pub of: Type,
}

impl Type {
    fn word(text: impl Into<String>) -> Self {
        Self::Word(text.into())
    }

    /// A union; a union of one type is that type.
    fn union(mut members: Vec<(String, Self)>) -> Self {
        if members.len() == 1 { members.remove(0).1 } else { Self::Union(members) }
    }

    /// The type that a schema describes. Panics at keywords that it doesn't handle.
    pub(super) fn of(schema: &Value) -> Self {
        let Value::Object(schema) = schema else {
            assert_eq!(*schema, Value::Bool(true), "a schema that matches nothing");
            return Self::word("unknown");
        };
        let known = [
            "$ref",
            "oneOf",
            "anyOf",
            "allOf",
            "const",
            "enum",
            "type",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "minItems",
            "maxItems",
            "description",
            "title",
            "default",
            "format",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "pattern",
            "examples",
        ];
        for keyword in schema.keys() {
            assert!(
                known.contains(&keyword.as_str()),
                "schema keyword `{keyword}` is not handled: {schema:?}"
            );
        }
        let mut parts = Vec::new();
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            parts.push(Self::word(name.trim_start_matches("#/$defs/")));
        }
        for keyword in ["oneOf", "anyOf"] {
            if let Some(Value::Array(members)) = schema.get(keyword) {
                parts.push(Self::union(members.iter().flat_map(flat).collect()));
            }
        }
        if let Some(Value::Array(all)) = schema.get("allOf") {
            parts.extend(all.iter().map(Self::of));
        }
        if let Some(value) = schema.get("const") {
            parts.push(Self::word(value.to_string()));
        } else if let Some(Value::Array(values)) = schema.get("enum") {
            let literal = |value: &Value| (String::new(), Self::word(value.to_string()));
            parts.push(Self::union(values.iter().map(literal).collect()));
        } else if let Some(kind) = schema.get("type") {
            let kinds = kind.as_array().cloned().unwrap_or_else(|| vec![kind.clone()]);
            let one = |kind: &Value| (String::new(), Self::of_kind(kind.as_str().unwrap_or(""), schema));
            parts.push(Self::union(kinds.iter().map(one).collect()));
        }
        match parts.len() {
            0 => Self::word("unknown"),
            1 => parts.remove(0),
            _ => Self::Intersection(parts),
        }
    }

    fn of_kind(kind: &str, schema: &Map<String, Value>) -> Self {
        match kind {
            "string" | "boolean" | "null" => Self::word(kind),
            "number" | "integer" => Self::word("number"),
            "array" => {
                let items = Self::of(schema.get("items").unwrap_or(&Value::Bool(true)));
                let bound = |keyword: &str| schema.get(keyword).and_then(Value::as_u64);
                match (bound("minItems"), bound("maxItems")) {
                    (Some(least), Some(most)) if least == most => {
                        Self::Tuple((0..least).map(|_| items.clone()).collect())
                    }
                    _ => Self::Array(Box::new(items)),
                }
            }
            "object" => match (schema.get("properties"), schema.get("additionalProperties")) {
                (None, Some(value @ (Value::Object(_) | Value::Bool(true)))) => {
                    Self::Record(Box::new(Self::of(value)))
                }
                (properties, _) => Self::Object(Property::all(properties, schema.get("required"))),
            },
            other => panic!("type `{other}` is not handled"),
        }
    }

    /// The expression, with `room` characters left in the first line; later lines are indented by `indent`.
    fn text(&self, indent: usize, room: usize) -> String {
        if let Some(line) = self.line().filter(|line| line.len() <= room) {
            return line;
        }
        let inner = indent + INDENT;
        let margin = " ".repeat(inner);
        match self {
            Self::Union(members) => members.iter().fold(String::new(), |mut text, (about, member)| {
                let comment = comment(about, inner);
                let member = member.text(inner, WIDTH.saturating_sub(inner + 3));
                let _ = write!(text, "\n{comment}{margin}| {member}");
                text
            }),
            Self::Object(properties) => {
                let lines: String = properties.iter().map(|property| property.text(inner)).collect();
                format!("{{\n{lines}{}}}", " ".repeat(indent))
            }
            Self::Array(of) => format!("Array<{}>", of.text(indent, 0)),
            Self::Intersection(all) => {
                let all: Vec<String> = all.iter().map(|one| one.text(indent, room)).collect();
                all.join(" & ")
            }
            Self::Word(_) | Self::Tuple(_) | Self::Record(_) => self.line().unwrap_or_default(),
        }
    }

    /// The expression in one line; `None` if parts of it have comments.
    fn line(&self) -> Option<String> {
        let all = |types: &[Self], with: &str| {
            let lines: Option<Vec<String>> = types.iter().map(Self::line).collect();
            Some(lines?.join(with))
        };
        Some(match self {
            Self::Word(word) => word.clone(),
            Self::Union(members) => {
                if members.iter().any(|(about, _)| !about.is_empty()) {
                    return None;
                }
                let member = |(_, member): &(String, Self)| match member {
                    Self::Intersection(_) => Some(format!("({})", member.line()?)),
                    _ => member.line(),
                };
                let lines: Option<Vec<String>> = members.iter().map(member).collect();
                lines?.join(" | ")
            }
            Self::Intersection(types) => all(types, " & ")?,
            Self::Array(of) if matches!(**of, Self::Word(_) | Self::Tuple(_)) => format!("{}[]", of.line()?),
            Self::Array(of) => format!("({})[]", of.line()?),
            Self::Tuple(types) => match all(types, ", ")?.as_str() {
                "number, number, number" => "Vector".to_owned(),
                types => format!("[{types}]"),
            },
            Self::Object(properties) => {
                if properties.iter().any(|property| !property.about.is_empty()) {
                    return None;
                }
                let lines: Option<Vec<String>> = properties.iter().map(Property::line).collect();
                format!("{{ {} }}", lines?.join("; "))
            }
            Self::Record(of) => format!("Record<string, {}>", of.line()?),
        })
    }
}

/// The members of a union that a schema adds, with their descriptions.
fn flat(schema: &Value) -> Vec<(String, Type)> {
    let about = description(schema);
    match Type::of(schema) {
        Type::Union(members) if about.is_empty() => members,
        member => vec![(about, member)],
    }
}

fn description(schema: &Value) -> String {
    schema.get("description").and_then(Value::as_str).unwrap_or_default().to_owned()
}

impl Property {
    fn all(properties: Option<&Value>, required: Option<&Value>) -> Vec<Self> {
        let required = required.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let property = |(name, schema): (&String, &Value)| Self {
            about: description(schema),
            name: name.clone(),
            optional: !required.iter().any(|other| other.as_str() == Some(name)),
            of: Type::of(schema),
        };
        let properties = properties.and_then(Value::as_object).into_iter().flatten();
        let mut all: Vec<Self> = properties.map(property).collect();
        // The order of a map depends on features of serde_json that other crates may enable.
        all.sort_by(|a, b| a.name.cmp(&b.name));
        all
    }

    fn head(&self) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let name =
            if self.name.chars().all(is_plain) { self.name.clone() } else { format!("\"{}\"", self.name) };
        format!("{name}{}: ", if self.optional { "?" } else { "" })
    }

    fn line(&self) -> Option<String> {
        Some(self.head() + &self.of.line()?)
    }

    fn text(&self, indent: usize) -> String {
        let head = " ".repeat(indent) + &self.head();
        let of = self.of.text(indent, WIDTH.saturating_sub(head.len() + 1));
        format!("{}{head}{of};\n", comment(&self.about, indent))
    }
}

/// A documentation comment, in lines of at most [`WIDTH`] characters; empty if there is no text.
pub(super) fn comment(text: &str, indent: usize) -> String {
    let margin = " ".repeat(indent);
    let text = text.replace("*/", "* /");
    let words: Vec<&str> = text.split_whitespace().collect();
    if words.is_empty() {
        return String::new();
    }
    let line = words.join(" ");
    if indent + line.chars().count() + 7 <= WIDTH {
        return format!("{margin}/** {line} */\n");
    }
    let mut lines = vec![String::new()];
    for word in words {
        let last = lines.last_mut().expect("never empty");
        if last.is_empty() {
            last.push_str(word);
        } else if indent + 3 + last.chars().count() + 1 + word.chars().count() <= WIDTH {
            last.push(' ');
            last.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    let lines: String = lines.iter().map(|line| format!("{margin} * {line}\n")).collect();
    format!("{margin}/**\n{lines}{margin} */\n")
}

/// The declaration of a named type.
pub(super) fn declaration(name: &str, schema: &Value) -> String {
    let about = comment(&description(schema), 0);
    match Type::of(schema) {
        Type::Object(properties) => interface(name, &about, &properties),
        of => {
            let head = format!("export type {name} = ");
            let of = of.text(0, WIDTH - head.len() - 1);
            let head = if of.starts_with('\n') { head.trim_end() } else { &head };
            format!("{about}{head}{of};\n")
        }
    }
}

fn interface(name: &str, about: &str, properties: &[Property]) -> String {
    let lines: String = properties.iter().map(|property| property.text(INDENT)).collect();
    format!("{about}export interface {name} {{\n{lines}}}\n")
}

/// The interface whose properties are the words of an externally tagged enum.
pub(super) fn table_of_variants(name: &str, schema: &Value) -> String {
    let variants = schema.get("oneOf").and_then(Value::as_array).expect("an enum");
    let property = |variant: &Value| {
        let Type::Object(mut only) = Type::of(variant) else { panic!("a variant with a value: {variant}") };
        assert_eq!(only.len(), 1, "{variant}");
        Property { about: description(variant), ..only.remove(0) }
    };
    // The unit variants, if all of them are skipped.
    let is_none = |variant: &&Value| variant["enum"].as_array().is_some_and(Vec::is_empty);
    let properties: Vec<Property> = variants.iter().filter(|one| !is_none(one)).map(property).collect();
    interface(name, &comment(&description(schema), 0), &properties)
}

/// The names that the declarations use.
pub(super) fn names_used<'a>(text: &str, names: impl Iterator<Item = &'a String>) -> Vec<&'a str> {
    let is_comment = |line: &&str| line.trim_start().starts_with(['/', '*']);
    let words: BTreeSet<&str> = text
        .lines()
        .filter(|line| !is_comment(line))
        .flat_map(|line| line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')))
        .collect();
    names.map(String::as_str).filter(|name| words.contains(name)).collect()
}

/// Schemas by the names of their types.
pub(super) type Schemas = BTreeMap<String, Value>;
