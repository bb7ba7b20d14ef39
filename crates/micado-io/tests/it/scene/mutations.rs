//! Any mutation of a scene file is read or refused, without a panic.

use super::common::build_file;
use micado::clock::NoClock;
use micado_io::scene::{BUILTIN, parse};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cell::Cell;

/// Replacements of a number that are not numbers, or not simple ones.
const NO_NUMBERS: &[&str] = &[
    "1e999",
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

/// Pieces that have a meaning in TOML or in the reader's own small languages.
const PIECES: &[&str] = &[
    "[", "]", "[[", "{", "}", "=", ".", "\"", "'", "\n", "#", "%", "é", "\u{0}", "`", "rod", "--", ",",
    "\\u", "🪢",
];

/// Replacements of a number that are numbers.
const NUMBERS: &[&str] = &[
    "0",
    "-1",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e-308",
    "1e-12",
    "1e12",
    "0.5",
    "-2.5",
    "3",
    "1e3",
    "1e-3",
    "9223372036854775807",
];

/// Features that built-in scenes may lack: fusions, eyes and pearls with friction, imposed sliding,
/// unilateral rows.
const SLIDING: &str = r#"
[settings]
step = 0.005

[rod.rope]
shape.points.through = [[0, 0, 0], [0.4, 0.1, -0.2], [0.9, 0, -0.1], [1.3, 0.1, 0.2]]
radius = 0.004
young = 2e7
density = 1100
segments = 12

[rod.branch]
shape.line = { from = [0.4, 0.1, -0.2], to = [0.4, 0.6, -0.3] }
radius = 0.003
young = 2e7
density = 1100
segments = 6

[constraint]
start.position = { on = "rope", at = "start" }
fork.fusion = { on = "branch", at = "start", to = { on = "rope", at = 0.46 }, hold = "rigid", angle = 0.1 }
eye.keyhole = { on = "rope", at = "70 %", friction = 0.3, ends = "release" }
winch.keyhole = { on = "branch", at = "60 %", slide.ramp = { from = 0, to = 0.1, start = 0, end = 0.2 } }
pearl.pearl.on = "rope"
pearl.pearl.at = "20 %"
pearl.pearl.mass = 0.01
pearl.pearl.radius = 0.01
pearl.pearl.friction = 0.2
pearl.pearl.viscosity = 0.01
pearl.pearl.speed = 0.3
other.pearl.on = "rope"
other.pearl.at = "26 %"
other.pearl.mass = 0.02
other.pearl.radius = 0.01
other.pearl.restitution = 0.5
other.pearl.ends = "error"
other.pearl.frame = "roll"
floor.plane = { on = "rope", at = "40 %", normal = [0, 0, 1], point = [0, 0, -0.25], side = "above" }
leash.distance = { on = "rope", at = "end", centre = [1.2, 0.1, 0.1], distance = 0.2, limit = "at-most" }
sides.plane.on = "rope"
sides.plane.at = "30 %"
sides.plane.to = { on = "rope", at = "60 %" }
sides.plane.normal = [1, 0, 0]
sides.plane.offset = -0.5
sides.plane.side = "above"
"#;

/// Number of texts that are mutated.
const TEXTS: usize = BUILTIN.len() + 1;

fn text(scene: usize) -> &'static str {
    BUILTIN.get(scene).map_or(SLIDING, |scene| scene.text)
}

#[derive(Clone, Debug)]
enum Mutation {
    Delete { at: f64, length: usize },
    Insert { at: f64, piece: usize },
    Replace { at: f64, with: char },
    SwapLines { a: f64, b: f64 },
    RepeatLine { at: f64 },
    Number { at: f64, with: &'static str },
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let at = || 0.0..1.0;
    prop_oneof![
        (at(), 1_usize..40).prop_map(|(at, length)| Mutation::Delete { at, length }),
        (at(), 0..PIECES.len()).prop_map(|(at, piece)| Mutation::Insert { at, piece }),
        (at(), any::<char>()).prop_map(|(at, with)| Mutation::Replace { at, with }),
        (at(), at()).prop_map(|(a, b)| Mutation::SwapLines { a, b }),
        at().prop_map(|at| Mutation::RepeatLine { at }),
        number(NO_NUMBERS),
        number(NUMBERS),
    ]
}

fn number(from: &'static [&'static str]) -> impl Strategy<Value = Mutation> {
    (0.0..1.0, 0..from.len()).prop_map(|(at, which)| Mutation::Number { at, with: from[which] })
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "a place in a short text"
)]
fn pick(at: f64, count: usize) -> usize {
    ((at * count as f64) as usize).min(count.saturating_sub(1))
}

/// The spans of a text that look like numbers.
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
                return format!("{}{}{}", &text[..start], with, &text[end..]);
            }
        }
    }
    chars.into_iter().collect()
}

proptest! {
    #![proptest_config(
        ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() }
    )]

    #[test]
    fn a_mutated_scene_is_read_or_refused(
        scene in 0..TEXTS,
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let text = mutations.iter().fold(text(scene).to_owned(), |text, mutation| apply(&text, mutation));
        if let Err(error) = parse("mutated.toml", &text, &[]) {
            prop_assert!(!error.problem().is_empty());
            prop_assert!(error.render(false).contains("mutated.toml"));
            prop_assert!(error.to_string().starts_with("mutated.toml:"));
        }
    }

    #[test]
    fn a_strange_override_is_applied_or_refused(
        scene in 0..BUILTIN.len(),
        argument in "[a-z.\\[\\]0-9=\"'{} é-]{0,40}",
        tail in "(rod|probe|settings|action|)[.\\[0-9\\]a-z]{0,12}=.{0,12}",
    ) {
        for argument in [argument, tail] {
            if let Err(error) = parse("scene.toml", BUILTIN[scene].text, &[argument]) {
                prop_assert!(!error.problem().is_empty());
                error.render(true);
            }
        }
    }
}

/// The result of a mutated scene.
enum Fate {
    Unreadable,
    Refused,
    Stepped,
}

fn build_and_step(text: &str) -> Result<Fate, TestCaseError> {
    let Ok(file) = parse("mutated.toml", text, &[]) else { return Ok(Fate::Unreadable) };
    // Very many segments are valid but slow.
    prop_assume!(file.scene().rod.values().all(|rod| rod.segments.is_none_or(|segments| segments <= 2000)));
    match build_file(&file) {
        Err(error) => {
            prop_assert!(!error.problem().is_empty() && !error.remedy().is_empty(), "{error}");
            prop_assert!(error.to_string().starts_with("mutated.toml:"), "{error}");
            Ok(Fate::Refused)
        }
        Ok(mut simulation) => {
            for _ in 0..5 {
                if !simulation.finished() {
                    simulation.step(&NoClock);
                }
            }
            prop_assert!(simulation.time().is_finite());
            prop_assert!(
                simulation.world().state().q.iter().all(|q| q.is_finite()),
                "a committed state is finite"
            );
            Ok(Fate::Stepped)
        }
    }
}

#[test]
fn the_sliding_scene_is_stepped_without_mutation() {
    assert!(matches!(build_and_step(SLIDING), Ok(Fate::Stepped)));
}

#[test]
fn a_mutated_scene_is_built_and_stepped_or_refused() {
    let counts = [const { Cell::new(0) }; 3];
    let config = Config { cases: 3000, failure_persistence: None, ..Config::default() };
    // Mostly numbers: a scene with broken text is not built.
    let mutation = prop_oneof![12 => number(NUMBERS), 1 => mutation()];
    let strategy = (0..TEXTS, prop::collection::vec(mutation, 1..4));
    let outcome = TestRunner::new(config).run(&strategy, |(scene, mutations)| {
        let text = mutations.iter().fold(text(scene).to_owned(), |text, mutation| apply(&text, mutation));
        let fate = build_and_step(&text)?;
        counts[fate as usize].update(|count| count + 1);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
    // Mutations that never reach a step would test nothing.
    let [unreadable, refused, stepped] = counts.map(|count| count.get());
    assert!(
        refused >= 100 && stepped >= 500,
        "{unreadable} unreadable, {refused} refused, {stepped} stepped"
    );
}
