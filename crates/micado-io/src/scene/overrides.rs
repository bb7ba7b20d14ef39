//! Overrides, `--set rod.cable.radius=0.01`: values that replace those of the file before it is read.

use super::error::SceneError;
use super::suggest::did_you_mean;
use super::tree::split_index;
use micado::scene::Kind;
use std::borrow::Cow;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A parsed `path=value`.
struct Override<'i> {
    path: &'i str,
    value: &'i str,
    /// Where the value begins in the argument.
    value_start: usize,
}

/// Applies `argument` to the tree. `base` is added to all spans, so that they are distinct from those of the
/// file.
pub(super) fn apply<'i>(root: &mut DeTable<'i>, argument: &'i str, base: usize) -> Result<(), SceneError> {
    let refuse = |path: &str, problem: String, remedy: String, span: Range<usize>| {
        Err(SceneError::new(path, problem, remedy).at(&source_name(), argument, span))
    };
    let Some(taken) = split(argument) else {
        return refuse(
            "",
            format!("`{argument}` is not of the form path=value"),
            "write for example rod.cable.radius=0.01".to_owned(),
            0..argument.len(),
        );
    };
    let value = match DeValue::parse(taken.value) {
        Ok(value) => shift(value, base + taken.value_start),
        // A word or a quantity whose quotes were removed by the shell.
        Err(_) if !taken.value.is_empty() && !taken.value.starts_with(['[', '{', '"', '\'']) => {
            let start = base + taken.value_start;
            Spanned::new(start..start + taken.value.len(), DeValue::String(Cow::Borrowed(taken.value)))
        }
        Err(error) => {
            let span = taken.value_start..argument.len();
            let problem = format!("the value of `{}` can't be read: {}", taken.path, error.message());
            return refuse(
                taken.path,
                problem,
                "write the value as in a scene file, for example 0.01, \"12 mm\" or [0, 0, 1]".to_owned(),
                span,
            );
        }
    };
    match put(root, taken.path, value, base) {
        Ok(()) => Ok(()),
        Err(Misfit { problem, remedy, part }) => refuse(taken.path, problem, remedy, part),
    }
}

/// Name of the source of an override in errors.
pub(super) fn source_name() -> String {
    "--set".to_owned()
}

fn split(argument: &str) -> Option<Override<'_>> {
    let (path, value) = argument.split_once('=')?;
    let value_start = path.len() + 1 + (value.len() - value.trim_start().len());
    let path = path.trim();
    (!path.is_empty()).then(|| Override { path, value: value.trim(), value_start })
}

/// A path that does not fit the scene, and the span of the argument that causes it.
struct Misfit {
    problem: String,
    remedy: String,
    part: Range<usize>,
}

/// Sets the value at `path` and creates the missing tables on the way.
fn put<'i>(
    root: &mut DeTable<'i>,
    path: &'i str,
    value: Spanned<DeValue<'i>>,
    base: usize,
) -> Result<(), Misfit> {
    let mut rest = path;
    let mut depth = 0;
    let mut first: &str = "";
    let mut table = root;
    loop {
        let start = path.len() - rest.len();
        let (key, after) = next_key(table, rest);
        let part = start..start + key.len();
        if key.is_empty() {
            return Err(Misfit {
                problem: format!("the path `{path}` has an empty part"),
                remedy: "write for example rod.cable.radius=0.01".to_owned(),
                part: start..path.len(),
            });
        }
        // The keys of these tables are names chosen by the scene.
        if depth == 1 && Kind::from_word(first).is_some() && !table.contains_key(key) {
            let names: Vec<&str> = table.keys().map(|name| name.get_ref().as_ref()).collect();
            return Err(Misfit {
                problem: format!("the scene has no {first} called `{key}`"),
                remedy: format!("{}{}", did_you_mean(key, names.iter().copied()), there_are(first, &names)),
                part,
            });
        }
        if depth == 0 {
            first = key;
        }
        depth += 1;
        let key_span = base + part.start..base + part.end;
        let spanned_key = Spanned::new(key_span.clone(), Cow::Borrowed(key));
        if after.is_empty() {
            // An existing entry keeps its position in the file.
            match table.get_mut(key) {
                Some(slot) => *slot = value,
                None => drop(table.insert(spanned_key, value)),
            }
            return Ok(());
        }
        if !table.contains_key(key) {
            let empty = DeValue::Table(DeTable::new());
            table.insert(spanned_key, Spanned::new(key_span, empty));
        }
        let Some(child) = table.get_mut(key) else {
            return Ok(());
        };
        rest = after;
        let mut node = child.get_mut();
        while let DeValue::Array(array) = node {
            let start = path.len() - rest.len();
            let count = array.len();
            let chosen =
                split_index(rest.strip_prefix('.').unwrap_or(rest)).filter(|&(index, _)| index < count);
            let Some((index, after)) = chosen else {
                let remedy = match count {
                    0 => "the list is empty".to_owned(),
                    1 => format!("its only entry is {}[0]", &path[..start]),
                    _ => format!("give an index from 0 to {}, for example {}[0]", count - 1, &path[..start]),
                };
                return Err(Misfit {
                    problem: format!("`{}` is a list of {count}", &path[..start]),
                    remedy,
                    part: start..path.len(),
                });
            };
            rest = after;
            let Some(entry) = array.get_mut(index) else {
                return Ok(());
            };
            if rest.is_empty() {
                *entry = value;
                return Ok(());
            }
            node = entry.get_mut();
        }
        // A value in short form is replaced by the table that the path needs.
        if !matches!(node, DeValue::Table(_)) {
            *node = DeValue::Table(DeTable::new());
        }
        let DeValue::Table(next) = node else {
            return Ok(());
        };
        table = next;
        rest = rest.strip_prefix('.').unwrap_or(rest);
    }
}

/// The key at the start of `rest`: the longest that the table has, otherwise up to the next dot or bracket.
fn next_key<'p>(table: &DeTable<'_>, rest: &'p str) -> (&'p str, &'p str) {
    let known = table
        .keys()
        .filter_map(|key| {
            let key = key.get_ref();
            let after = rest.strip_prefix(key.as_ref())?;
            (after.is_empty() || after.starts_with(['.', '['])).then_some(key.len())
        })
        .max();
    let end = known.unwrap_or_else(|| rest.find(['.', '[']).unwrap_or(rest.len()));
    (&rest[..end], &rest[end..])
}

fn there_are(kind: &str, names: &[&str]) -> String {
    match names {
        [] => format!("the scene has no {kind} at all"),
        names => format!(
            "there is {}",
            names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Adds `base` to every span of a value.
fn shift(value: Spanned<DeValue<'_>>, base: usize) -> Spanned<DeValue<'_>> {
    let span = value.span();
    let moved = match value.into_inner() {
        DeValue::Array(mut array) => {
            for entry in array.iter_mut() {
                let old = std::mem::replace(entry, Spanned::new(0..0, DeValue::Boolean(false)));
                *entry = shift(old, base);
            }
            DeValue::Array(array)
        }
        DeValue::Table(table) => DeValue::Table(
            table
                .into_iter()
                .map(|(key, value)| {
                    let span = key.span();
                    (Spanned::new(span.start + base..span.end + base, key.into_inner()), shift(value, base))
                })
                .collect(),
        ),
        plain => plain,
    };
    Spanned::new(span.start + base..span.end + base, moved)
}
