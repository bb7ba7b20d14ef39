//! Whatever is done to a scene file, it is read or refused, never a panic.

use micado_io::scene::{BUILTIN, parse};
use proptest::prelude::*;

/// Numbers that no one should write, and some that are not numbers at all.
const EXTREME: &[&str] = &[
    "0",
    "-1",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e-308",
    "1e999",
    "9223372036854775807",
    "18446744073709551616",
    "-99999999999999999999999999999999999999999",
    "0x7fff",
    "1_000",
    "true",
    "\"\"",
    "[]",
    "{}",
    "\"12 kg\"",
    "1979-05-27",
    "''",
];

/// Pieces that TOML and the reader's own small languages give a meaning.
const PIECES: &[&str] = &["[", "]", "[[", "{", "}", "=", ".", "\"", "'", "\n", "#", "%", "é", "\u{0}", "`", "rod", "--", ",", "\\u", "🪢"];

#[derive(Clone, Debug)]
enum Mutation {
    Delete { at: f64, length: usize },
    Insert { at: f64, piece: usize },
    Replace { at: f64, with: char },
    SwapLines { a: f64, b: f64 },
    RepeatLine { at: f64 },
    Number { at: f64, with: usize },
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = || 0.0..1.0;
    prop_oneof![
        (at(), 1_usize..40).prop_map(|(at, length)| Mutation::Delete { at, length }),
        (at(), 0..PIECES.len()).prop_map(|(at, piece)| Mutation::Insert { at, piece }),
        (at(), any::<char>()).prop_map(|(at, with)| Mutation::Replace { at, with }),
        (at(), at()).prop_map(|(a, b)| Mutation::SwapLines { a, b }),
        at().prop_map(|at| Mutation::RepeatLine { at }),
        (at(), 0..EXTREME.len()).prop_map(|(at, with)| Mutation::Number { at, with }),
    ]
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss, reason = "a place in a short text")]
fn pick(at: f64, count: usize) -> usize {
    ((at * count as f64) as usize).min(count.saturating_sub(1))
}

/// The stretches of a text that look like numbers.
fn numbers(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, c.is_ascii_digit() || c == '.' || c == '-') {
            (None, true) if c != '.' => start = Some(at),
            (Some(begin), false) => {
                found.push((begin, at));
                start = None;
            }
            _ => {}
        }
    }
    found
}

fn apply(text: &str, mutation: &Mutation) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let mut lines: Vec<&str> = text.lines().collect();
    match *mutation {
        Mutation::Delete { at, length } => {
            let start = pick(at, chars.len());
            let end = (start + length).min(chars.len());
            chars.drain(start..end);
        }
        Mutation::Insert { at, piece } => {
            let start = pick(at, chars.len());
            chars.splice(start..start, PIECES[piece].chars());
        }
        Mutation::Replace { at, with } => {
            if let Some(c) = chars.get_mut(pick(at, text.chars().count())) {
                *c = with;
            }
        }
        Mutation::SwapLines { a, b } if !lines.is_empty() => {
            let count = lines.len();
            lines.swap(pick(a, count), pick(b, count));
            return lines.join("\n");
        }
        Mutation::RepeatLine { at } if !lines.is_empty() => {
            let line = lines[pick(at, lines.len())];
            lines.push(line);
            return lines.join("\n");
        }
        Mutation::SwapLines { .. } | Mutation::RepeatLine { .. } => {}
        Mutation::Number { at, with } => {
            let numbers = numbers(text);
            if let Some(&(start, end)) = numbers.get(pick(at, numbers.len())) {
                return format!("{}{}{}", &text[..start], EXTREME[with], &text[end..]);
            }
        }
    }
    chars.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_mutated_scene_is_read_or_refused(scene in 0..BUILTIN.len(), mutations in prop::collection::vec(mutation(), 1..6)) {
        let text = mutations.iter().fold(BUILTIN[scene].text.to_owned(), |text, mutation| apply(&text, mutation));
        if let Err(error) = parse("mutated.toml", &text, &[]) {
            prop_assert!(!error.problem().is_empty());
            prop_assert!(error.render(false).contains("mutated.toml"));
            prop_assert!(error.to_string().starts_with("mutated.toml:"));
        }
    }

    #[test]
    fn a_strange_override_is_applied_or_refused(scene in 0..BUILTIN.len(), argument in "[a-z.\\[\\]0-9=\"'{} é-]{0,40}", tail in "(rod|probe|settings|action|)[.\\[0-9\\]a-z]{0,12}=.{0,12}") {
        for argument in [argument, tail] {
            if let Err(error) = parse("scene.toml", BUILTIN[scene].text, &[argument]) {
                prop_assert!(!error.problem().is_empty());
                error.render(true);
            }
        }
    }
}
