//! What a case came to: one row per number that is compared.

use super::reference::Expected;
use serde::Serialize;

/// One compared number, with the fields of `validate --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Full id of the case.
    pub case: String,
    /// Model that was used, in the word of the scene file.
    pub model: String,
    /// Name of the quantity, with its index where the reference is a list or a table.
    pub quantity: String,
    /// What the engine gave; NaN (`null` in JSON) where the experiment broke down.
    pub measured: f64,
    /// What is expected.
    pub expected: f64,
    /// Largest |measured − expected| that passes: atol + rtol·|expected|.
    pub tolerance: f64,
    /// Whether it passes.
    pub pass: bool,
}

impl Row {
    /// |measured − expected|
    pub fn error(&self) -> f64 {
        (self.measured - self.expected).abs()
    }
}

/// What a case came to.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Full id.
    pub id: String,
    /// Title.
    pub title: String,
    /// Where the expected values come from.
    pub source: String,
    /// What the case shows, and how it is measured.
    pub shows: String,
    /// Compared numbers.
    pub rows: Vec<Row>,
    /// What kept experiments from their end.
    pub troubles: Vec<String>,
}

impl Outcome {
    pub(super) fn new(id: &str, title: &str, source: String, shows: &str) -> Self {
        Self {
            id: id.into(),
            title: title.into(),
            source,
            shows: shows.into(),
            rows: Vec::new(),
            troubles: Vec::new(),
        }
    }

    /// Adds a row for every element of the expected value. What was not read is NaN, and NaN never passes.
    pub(super) fn compare(&mut self, model: &str, quantity: &str, read: &[f64], expected: &Expected) {
        for (k, (value, tolerance)) in expected.elements().into_iter().enumerate() {
            let measured = read.get(k).copied().unwrap_or(f64::NAN);
            self.rows.push(Row {
                case: self.id.clone(),
                model: model.to_owned(),
                quantity: format!("{quantity}{}", expected.index(k)),
                measured,
                expected: value,
                tolerance,
                pass: (measured - value).abs() <= tolerance,
            });
        }
    }

    /// Whether every number passes.
    pub fn passes(&self) -> bool {
        !self.rows.is_empty() && self.rows.iter().all(|row| row.pass)
    }
}
