//! The reference file: problems, parameters and expected values, solved outside the engine.

use super::stand::Trouble;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The embedded files.
const FILES: [&str; 2] =
    [include_str!("../../data/cases_open.json"), include_str!("../../data/cases_spline.json")];

static LIBRARY: LazyLock<Vec<Reference>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct File {
        cases: Vec<Value>,
    }
    let cases = FILES
        .iter()
        .flat_map(|text| serde_json::from_str::<File>(text).expect("the embedded files are JSON").cases);
    // Cases in forms that no experiment reads are left out; `Reference::of` insists on the others.
    cases.filter_map(|case| serde_json::from_value(case).ok()).collect()
});

/// A problem with a known answer.
#[derive(Debug, Deserialize)]
pub(super) struct Reference {
    id: String,
    /// Title.
    pub(super) title: String,
    params: BTreeMap<String, Value>,
    expected: BTreeMap<String, Expected>,
    #[serde(default)]
    source: String,
    #[serde(default)]
    method: String,
}

/// The expected value of a quantity.
#[derive(Debug, Deserialize)]
pub(super) struct Expected {
    value: Numbers,
    #[serde(default)]
    rtol: Numbers,
    #[serde(default)]
    atol: Numbers,
}

/// A number, a list of them, or a table.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Numbers {
    One(f64),
    Many(Vec<f64>),
    Table(Vec<Vec<f64>>),
}

impl Default for Numbers {
    fn default() -> Self {
        Self::One(0.0)
    }
}

impl Numbers {
    /// Element k, a table row by row; a single number stands for all.
    fn at(&self, k: usize) -> f64 {
        match self {
            Self::One(x) => *x,
            Self::Many(list) => list.get(k).copied().unwrap_or(f64::NAN),
            Self::Table(rows) => rows.iter().flatten().nth(k).copied().unwrap_or(f64::NAN),
        }
    }

    fn count(&self) -> usize {
        match self {
            Self::One(_) => 1,
            Self::Many(list) => list.len(),
            Self::Table(rows) => rows.iter().map(Vec::len).sum(),
        }
    }
}

impl Expected {
    /// Value and tolerance of each element, a table row by row.
    pub(super) fn elements(&self) -> Vec<(f64, f64)> {
        (0..self.value.count())
            .map(|k| (self.value.at(k), self.atol.at(k) + self.rtol.at(k) * self.value.at(k).abs()))
            .collect()
    }

    /// What is written behind the name of element k: nothing, `[k]`, or `[row][column]`.
    pub(super) fn index(&self, k: usize) -> String {
        match &self.value {
            Numbers::One(_) => String::new(),
            Numbers::Many(_) => format!("[{k}]"),
            Numbers::Table(rows) => {
                let places = rows
                    .iter()
                    .enumerate()
                    .flat_map(|(r, row)| (0..row.len()).map(move |c| format!("[{r}][{c}]")));
                places.into_iter().nth(k).unwrap_or_default()
            }
        }
    }
}

impl Reference {
    /// The reference of this id.
    pub(super) fn of(id: &str) -> &'static Self {
        LIBRARY.iter().find(|case| case.id == id).expect("every plan has its reference")
    }

    /// Names of the quantities that it lists.
    #[cfg(test)]
    pub(super) fn quantities(&self) -> impl Iterator<Item = &str> {
        self.expected.keys().map(String::as_str)
    }

    /// The expected value of a quantity.
    pub(super) fn expected(&self, quantity: &str) -> &Expected {
        self.expected.get(quantity).expect("a plan names quantities of its reference")
    }

    /// Where the expected values come from; the method where no publication is named.
    pub(super) fn source(&self) -> String {
        if self.source.is_empty() { self.method.clone() } else { self.source.clone() }
    }

    /// A parameter of the problem.
    pub(super) fn number(&self, name: &str) -> Result<f64, Trouble> {
        self.params
            .get(name)
            .and_then(Value::as_f64)
            .ok_or_else(|| Trouble::new(format!("the case has no number `{name}`")))
    }

    /// A list of parameters of the problem.
    pub(super) fn numbers(&self, name: &str) -> Result<Vec<f64>, Trouble> {
        let list = self.params.get(name).and_then(Value::as_array);
        let numbers = list.and_then(|list| list.iter().map(Value::as_f64).collect());
        numbers.ok_or_else(|| Trouble::new(format!("the case has no list of numbers `{name}`")))
    }
}
