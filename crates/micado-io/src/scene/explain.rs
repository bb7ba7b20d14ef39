//! Translates messages of the TOML reader to a problem and a remedy in terms of the scene file.

use super::suggest::did_you_mean;
use micado::scene::Kind;

/// Problem and remedy.
pub(super) struct Explanation {
    pub problem: String,
    pub remedy: String,
}

impl Explanation {
    fn new(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { problem: problem.into(), remedy: remedy.into() }
    }
}

/// Explains a message of deserialisation at the dotted path `path`.
pub(super) fn value_error(message: &str, path: &str) -> Explanation {
    let field = path.rsplit(['.', ']']).next().unwrap_or("");
    if let Some(rest) = message.strip_prefix("unknown field ") {
        let (word, allowed) = quoted(rest);
        return Explanation::new(format!("there is no field `{word}` here"), choices(word, &allowed));
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        let (word, allowed) = quoted(rest);
        return Explanation::new(
            format!("`{word}` is not one of the words allowed here"),
            choices(word, &allowed),
        );
    }
    if let Some(rest) = message.strip_prefix("missing field ") {
        let (word, _) = quoted(rest);
        return Explanation::new(format!("`{word}` is missing"), format!("add `{word} = …` to this table"));
    }
    if message.contains("unit variant, expected newtype variant")
        || message.contains("unit variant, expected struct variant")
    {
        let start = path.rmatch_indices('.').nth(1).map_or(0, |(dot, _)| dot + 1);
        return Explanation::new(
            format!("`{field}` is not enough without its fields"),
            format!("write `{} = {{ … }}`", &path[start..]),
        );
    }
    if path.ends_with(".do.stop") {
        return Explanation::new("`stop` takes no value", "write `do = \"stop\"`");
    }
    if let Some(found) = message.strip_prefix("expected table, found ") {
        return Explanation::new(
            format!("a {found} can't stand here"),
            "give a table with its fields, for example { … }",
        );
    }
    if message.contains("more than 1 element")
        && let Some((kind, name)) = path.split_once('.')
        && Kind::from_word(kind).is_some()
        && !name.contains('.')
    {
        return Explanation::new(
            format!("more than one {kind} is called `{name}`"),
            format!("give each {kind} its own name"),
        );
    }
    if message.starts_with("wanted exactly 1 element")
        || message.starts_with("expected table with exactly 1 entry")
    {
        let problem = match message.contains("more than") {
            true => "more than one kind is given",
            false => "no kind is given",
        };
        return Explanation::new(
            problem,
            "give exactly one, for example `shape.line = { … }` or `[constraint.left.position]`",
        );
    }
    for (start, joint) in [
        ("invalid type: ", ", expected "),
        ("invalid value: ", ", expected "),
        ("invalid length ", ", expected "),
    ] {
        if let Some((found, expected)) = message.strip_prefix(start).and_then(|rest| rest.split_once(joint)) {
            let found = if start == "invalid length " { format!("a list of {found}") } else { thing(found) };
            let wanted = match field {
                "segments" => "a whole number greater than 1".to_owned(),
                _ => wanted(expected),
            };
            return Explanation::new(format!("{found} can't stand here"), format!("give {wanted}"));
        }
    }
    if message == "wanted string or table" {
        return Explanation::new(
            "no kind is given",
            "give a table with one kind, for example `[constraint.left.position]` or `shape.line = { … }`",
        );
    }
    if message.contains("overflowed") {
        return Explanation::new("this number is too large", "give a number that fits into 64 bits");
    }
    // One of our own messages: `problem; allowed values`.
    match message.split_once("; ") {
        Some((problem, remedy)) => Explanation::new(problem, remedy),
        None => Explanation::new(message, ANY_REMEDY),
    }
}

/// Remedy of a message that is not known here.
const ANY_REMEDY: &str = "`micado schema` says what may stand here";

/// Explains a syntax error at byte `at` of the file `text`.
pub(super) fn syntax_error(message: &str, text: &str, at: usize) -> Explanation {
    let line = line_around(text, at);
    if message.contains("duplicate key") {
        let word =
            text.get(at..).map_or("", |rest| rest.split([']', '.', '=', ' ', '\n']).next().unwrap_or(""));
        if line.trim_start().starts_with('[') {
            let name = line.trim().trim_matches(['[', ']']);
            return Explanation::new(
                format!("`{name}` is defined twice"),
                "give each its own name, or remove one of the two",
            );
        }
        return Explanation::new(format!("`{word}` is given twice"), "remove one of the two");
    }
    let problem = format!("this is not TOML: {message}");
    let remedy = match line.split_once('=') {
        Some((_, value)) if starts_like_quantity(value.trim()) => {
            "a number with a unit needs quotes, for example \"12 mm\""
        }
        Some((_, value)) if value.trim().starts_with(|c: char| c.is_alphabetic()) => {
            "a text needs quotes, for example \"end\""
        }
        _ => "write `key = value`, `[table]` or `[[list]]`",
    };
    Explanation::new(problem, remedy)
}

/// Whether a text is a number followed by something that is not TOML.
fn starts_like_quantity(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_digit() || c == '-' || c == '+' || c == '.')
        && value.contains(|c: char| c.is_alphabetic() || c == '%')
}

fn line_around(text: &str, at: usize) -> &str {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let start = text[..at].rfind('\n').map_or(0, |i| i + 1);
    let end = text[at..].find('\n').map_or(text.len(), |i| at + i);
    &text[start..end]
}

/// The words between backticks: the given one, and the allowed ones.
fn quoted(text: &str) -> (&str, Vec<&str>) {
    let mut words = text.split('`').skip(1).step_by(2);
    (words.next().unwrap_or(""), words.collect())
}

fn choices(word: &str, allowed: &[&str]) -> String {
    let list = allowed.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    match allowed {
        [] => "leave it out: nothing may stand here".to_owned(),
        _ => format!("{}allowed here: {list}", did_you_mean(word, allowed.iter().copied())),
    }
}

/// The value found, without serde's vocabulary.
fn thing(found: &str) -> String {
    match found.split_once(' ') {
        _ if found == "map" => "a table".to_owned(),
        _ if found == "sequence" => "a list".to_owned(),
        Some(("string", text)) => format!("the text {text}"),
        // Beyond 64 bits: "`123…` as i128".
        Some(("integer" | "boolean", text)) => {
            text.trim_end_matches(" as i128").trim_end_matches(" as u128").trim_matches('`').to_owned()
        }
        Some(("floating", text)) => text.trim_start_matches("point ").trim_matches('`').to_owned(),
        _ => found.to_owned(),
    }
}

/// The value expected, without serde's vocabulary.
fn wanted(expected: &str) -> String {
    match expected {
        "f64" => "a number".to_owned(),
        "usize" | "u64" | "i64" => "a whole number that is not negative".to_owned(),
        "a string" => "a text in quotes".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "an array of length 3" => "three numbers, for example [0, 0, 1]".to_owned(),
        "a sequence" => "a list in square brackets".to_owned(),
        "a map" => "a table".to_owned(),
        other => match other.strip_prefix("struct ").or_else(|| other.strip_prefix("enum ")) {
            Some(_) => "a table with its fields, for example { … }".to_owned(),
            None => other.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::{ANY_REMEDY, syntax_error, value_error};

    #[test]
    fn a_quantity_without_quotes_gets_the_remedy_of_quotes() {
        let text = "radius = 12 mm\n";
        let explanation = syntax_error("expected newline", text, 12);
        assert!(explanation.remedy.contains("quotes"), "{}", explanation.remedy);
    }

    #[test]
    fn an_unknown_field_is_named_with_the_one_that_was_meant() {
        let explanation =
            value_error("unknown field `radus`, expected `radius` or `young`", "rod.cable.radus");
        assert_eq!(explanation.problem, "there is no field `radus` here");
        assert!(
            explanation.remedy.contains("did you mean `radius`") && explanation.remedy.contains("`young`"),
            "{}",
            explanation.remedy
        );
    }

    #[test]
    fn messages_of_broken_form_say_at_least_what_they_said() {
        for (message, problem, remedy) in [
            ("", "", ANY_REMEDY),
            ("`", "`", ANY_REMEDY),
            ("unknown field ", "there is no field `` here", "leave it out: nothing may stand here"),
            ("unknown field `", "there is no field `` here", "leave it out: nothing may stand here"),
            ("missing field `a", "`a` is missing", "add `a = …` to this table"),
            ("invalid type: é, expected ", "é can't stand here", "give "),
            ("a; b", "a", "b"),
        ] {
            for path in ["a.é.x", ""] {
                let explanation = value_error(message, path);
                assert_eq!(
                    (explanation.problem.as_str(), explanation.remedy.as_str()),
                    (problem, remedy),
                    "{message}"
                );
            }
            // The place of an error may lie behind the end of its text.
            let explanation = syntax_error(message, message, 99);
            assert_eq!(explanation.problem, format!("this is not TOML: {message}"));
            assert!(explanation.remedy.contains("key = value"), "{}", explanation.remedy);
        }
    }
}
