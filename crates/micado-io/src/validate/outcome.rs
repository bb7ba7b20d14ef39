//! The outcome of a case: one row per compared number.

use super::reference::Expected;
use serde::Serialize;

/// One compared number, with the fields of `validate --json`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Full id of the case.
    pub case: String,
    /// The model, as named in scene files.
    pub model: String,
    /// Name of the quantity, with its index if the reference is a list or a table.
    pub quantity: String,
    /// Value computed by the engine; NaN (`null` in JSON) if the experiment failed.
    pub measured: f64,
    /// Expected value.
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

/// The outcome of a case.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Full id.
    pub id: String,
    /// Title.
    pub title: String,
    /// Where the expected values come from.
    pub source: String,
    /// Description of the case and of its measurement.
    pub shows: String,
    /// Compared numbers.
    pub rows: Vec<Row>,
    /// Errors of experiments that did not finish.
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

    /// Adds a row for every element of the expected value. Missing values are NaN, which never passes.
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
