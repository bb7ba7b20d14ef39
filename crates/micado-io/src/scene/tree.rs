//! The TOML tree with spans: finds the bytes of a dotted path.

use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// The result of a lookup.
pub(super) struct Found<'t, 'i> {
    /// Bytes of the value, or of the header of the innermost table that exists.
    pub span: Range<usize>,
    /// The value, if the whole path exists.
    pub value: Option<&'t DeValue<'i>>,
}

/// Looks up `path`, such as `rod.cable.radius` or `probe[2].of`, and falls back to its longest existing
/// prefix.
pub(super) fn locate<'t, 'i>(root: &'t Spanned<DeTable<'i>>, path: &str) -> Found<'t, 'i> {
    let mut found = Found { span: 0..0, value: None };
    let mut rest = path;
    let mut node = Node::Table(root.get_ref());
    loop {
        rest = rest.strip_prefix('.').unwrap_or(rest);
        if rest.is_empty() {
            return found;
        }
        let Some((key_span, value, after)) = node.child(rest) else {
            found.value = None;
            return found;
        };
        // The span of a table is its header or its braces; a table defined only by dotted keys has the span
        // of its first key.
        let span = value.span();
        found.span = if span.is_empty() { key_span.unwrap_or(span) } else { span };
        found.value = Some(value.get_ref());
        rest = after;
        node = match value.get_ref() {
            DeValue::Table(table) => Node::Table(table),
            DeValue::Array(array) => Node::Array(array),
            _ => Node::Leaf,
        };
    }
}

impl Found<'_, '_> {
    /// Descends into a table that only wraps a word, such as `do.release = "left"`.
    pub(super) fn unwrap_word(&mut self) {
        if let Some(DeValue::Table(table)) = self.value
            && let Some((_, only)) = table.iter().next().filter(|_| table.len() == 1)
            && let DeValue::String(_) = only.get_ref()
        {
            self.span = only.span();
            self.value = Some(only.get_ref());
        }
    }
}

enum Node<'t, 'i> {
    Table(&'t DeTable<'i>),
    Array(&'t [Spanned<DeValue<'i>>]),
    Leaf,
}

type Child<'t, 'i, 'p> = (Option<Range<usize>>, &'t Spanned<DeValue<'i>>, &'p str);

impl<'t, 'i> Node<'t, 'i> {
    /// The child at the start of `rest`, and the remainder.
    fn child<'p>(&self, rest: &'p str) -> Option<Child<'t, 'i, 'p>> {
        match self {
            // A name may contain dots, so the longest key that fits wins.
            Self::Table(table) => table
                .iter()
                .filter_map(|(key, value)| {
                    let after = rest.strip_prefix(key.get_ref().as_ref())?;
                    (after.is_empty() || after.starts_with(['.', '['])).then_some((key, value, after))
                })
                .min_by_key(|&(_, _, after)| after.len())
                .map(|(key, value, after)| (Some(key.span()), value, after)),
            Self::Array(array) => {
                let (index, after) = split_index(rest)?;
                array.get(index).map(|value| (None, value, after))
            }
            Self::Leaf => None,
        }
    }
}

/// Reads `[2].of` or `2.of` as the index 2 and the rest.
pub(super) fn split_index(rest: &str) -> Option<(usize, &str)> {
    match rest.strip_prefix('[') {
        Some(inner) => {
            let (digits, after) = inner.split_once(']')?;
            Some((digits.trim().parse().ok()?, after))
        }
        None => {
            let end = rest.find(['.', '[']).unwrap_or(rest.len());
            Some((rest[..end].parse().ok()?, &rest[end..]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::locate;
    use toml::de::DeTable;

    const TEXT: &str = "title = 'x'\n[rod.cable]\nradius = 0.01\n\
                        shape.line = { from = [0, 0, 0], to = [1, 2, 3] }\n\n\
                        [[probe]]\nname = 'a'\n[[probe]]\nname = 'b'\n[rod.'a.b']\nyoung = 1\n";

    fn text_at(path: &str) -> (&'static str, bool) {
        let tree = DeTable::parse(TEXT).unwrap();
        let found = locate(&tree, path);
        (&TEXT[found.span], found.value.is_some())
    }

    #[test]
    fn a_path_leads_to_its_value() {
        assert_eq!(text_at("rod.cable.radius"), ("0.01", true));
        assert_eq!(text_at("rod.cable.shape.line.to"), ("[1, 2, 3]", true));
        assert_eq!(text_at("rod.cable.shape.line.to[1]"), ("2", true));
        assert_eq!(text_at("probe[1].name"), ("'b'", true));
        assert_eq!(text_at("rod.a.b.young"), ("1", true));
    }

    #[test]
    fn a_missing_path_leads_to_the_innermost_table() {
        assert_eq!(text_at("rod.cable.young"), ("[rod.cable]", false));
        assert_eq!(text_at("probe[1].of"), ("[[probe]]", false));
        assert!(!text_at("probe[7].of").1);
        assert_eq!(text_at("nothing.at.all"), ("", false));
        assert_eq!(text_at("rod.cable.radius.deeper"), ("0.01", false));
    }

    #[test]
    fn malformed_paths_lead_to_their_existing_part() {
        assert_eq!(text_at("probe.1.name"), ("'b'", true));
        for path in ["", ".", "..", "[", "]", "é"] {
            assert_eq!(text_at(path), ("", false), "{path}");
        }
        for path in ["rod[0]", "rod.é"] {
            assert_eq!(text_at(path), ("rod", false), "{path}");
        }
        for path in ["probe[", "probe[x]"] {
            let (text, whole) = text_at(path);
            assert!(text.contains("probe") && !whole, "{path}: {text}");
        }
    }
}
