//! A refused scene: place, problem and remedy.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use std::ops::Range;

/// A scene that can't be read or built.
///
/// `Display` is one line, `file:line:column: problem; remedy`. [`SceneError::render`] shows the line with a
/// mark under the cause.
#[derive(Clone, Debug)]
pub struct SceneError(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    problem: String,
    remedy: String,
    path: String,
    place: Option<Place>,
}

/// A span of a named text.
#[derive(Clone, Debug)]
struct Place {
    source: NamedSource<String>,
    span: Range<usize>,
}

impl SceneError {
    /// An error without a line, for example of a file that can't be read.
    pub(super) fn elsewhere(problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self(Box::new(Inner {
            problem: problem.into(),
            remedy: remedy.into(),
            path: String::new(),
            place: None,
        }))
    }

    /// An error at the dotted path `path`.
    pub(super) fn new(
        path: impl Into<String>,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) -> Self {
        Self(Box::new(Inner {
            problem: problem.into(),
            remedy: remedy.into(),
            path: path.into(),
            place: None,
        }))
    }

    /// Adds the place in a text: its name, the text, and the span of the cause.
    pub(super) fn at(mut self, name: &str, text: &str, span: Range<usize>) -> Self {
        let span = tidy(text, span);
        self.0.place = Some(Place { source: NamedSource::new(name, text.to_owned()), span });
        self
    }

    /// The problem.
    pub fn problem(&self) -> &str {
        &self.0.problem
    }

    /// The allowed values, or what to do; may be empty.
    pub fn remedy(&self) -> &str {
        &self.0.remedy
    }

    /// Dotted path of the field that causes the error; empty for the whole scene.
    pub fn path(&self) -> &str {
        &self.0.path
    }

    /// File (or `--set` argument) of the line and column.
    pub fn source_name(&self) -> Option<&str> {
        self.0.place.as_ref().map(|place| place.source.name())
    }

    /// Line and column of the cause, counted from one.
    pub fn line_and_column(&self) -> Option<(usize, usize)> {
        let place = self.0.place.as_ref()?;
        let before = place.source.inner().get(..place.span.start)?;
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().map_or(0, |last| last.chars().count()) + 1;
        Some((line, column))
    }

    /// The error for people: the line with a mark under the cause, the problem and the remedy.
    pub fn render(&self, colour: bool) -> String {
        let theme = if colour { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
        let handler = GraphicalReportHandler::new_themed(theme).with_width(100).with_links(false);
        let mut text = String::new();
        match handler.render_report(&mut text, &Drawn(&self.0)) {
            Ok(()) => text,
            // Only a span outside its text leads here; `tidy` prevents it.
            Err(fmt::Error) => self.to_string(),
        }
    }
}

/// Keeps a span inside its text, on character boundaries and on one line, so that the mark stays readable.
fn tidy(text: &str, span: Range<usize>) -> Range<usize> {
    let floor = |mut at: usize| {
        at = at.min(text.len());
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let start = floor(span.start);
    let end = floor(span.end.max(start));
    let first_line = text[start..end].split(['\n', '\r']).next().map_or(0, str::len);
    start..start + first_line
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let (Some(name), Some((line, column))) = (self.source_name(), self.line_and_column()) {
            write!(f, "{name}:{line}:{column}: ")?;
        }
        if !self.0.path.is_empty() {
            write!(f, "{}: ", self.0.path)?;
        }
        f.write_str(&self.0.problem)?;
        if self.0.remedy.is_empty() { Ok(()) } else { write!(f, "; {}", self.0.remedy) }
    }
}

impl std::error::Error for SceneError {}

/// The rendered error: the problem is the headline, place and path stand beside the text.
struct Drawn<'a>(&'a Inner);

impl fmt::Debug for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.problem)
    }
}

impl fmt::Display for Drawn<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.problem)
    }
}

impl std::error::Error for Drawn<'_> {}

impl Diagnostic for Drawn<'_> {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.0.remedy.is_empty()).then(|| Box::new(&self.0.remedy) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.place.as_ref().map(|place| &place.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let place = self.0.place.as_ref()?;
        let label = if self.0.path.is_empty() { "here".to_owned() } else { self.0.path.clone() };
        let length = place.span.end - place.span.start;
        Some(Box::new(std::iter::once(LabeledSpan::new(Some(label), place.span.start, length))))
    }
}
