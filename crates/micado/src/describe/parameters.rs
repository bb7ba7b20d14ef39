//! Parameters of custom kinds: a table of the scene file, passed on unread.

use crate::error::{BuildError, check};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A table of parameters. The custom kind checks them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Parameters(pub Map<String, Value>);

impl Parameters {
    /// Whether it has no entries.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The finite number of this name.
    ///
    /// # Errors
    /// It is missing or not a finite number.
    pub fn number(&self, name: &str) -> Result<f64, BuildError> {
        self.number_or(name, None)
    }

    /// The finite number of this name, or the default.
    ///
    /// # Errors
    /// It is missing without a default, or not a finite number.
    pub fn number_or(&self, name: &str, default: Option<f64>) -> Result<f64, BuildError> {
        match (self.0.get(name), default) {
            (None, Some(default)) => Ok(default),
            (None, None) => Err(BuildError::new(name, "it is missing", "give a number")),
            (Some(given), _) => {
                let number = given.as_f64().ok_or_else(|| wrong(name, given, "give a number"))?;
                check::finite(name, number)
            }
        }
    }

    /// The positive number of this name.
    ///
    /// # Errors
    /// It is missing or not positive.
    pub fn positive(&self, name: &str) -> Result<f64, BuildError> {
        check::positive(name, self.number(name)?)
    }

    /// The three finite numbers of this name.
    ///
    /// # Errors
    /// They are missing, or not three finite numbers.
    pub fn vector(&self, name: &str) -> Result<[f64; 3], BuildError> {
        const REMEDY: &str = "give three numbers, as in [0, 0, 1]";
        let given = self.0.get(name).ok_or_else(|| BuildError::new(name, "it is missing", REMEDY))?;
        let numbers: Option<Vec<f64>> =
            given.as_array().and_then(|list| list.iter().map(Value::as_f64).collect());
        let vector: Option<[f64; 3]> = numbers.and_then(|numbers| numbers.try_into().ok());
        let vector = vector.ok_or_else(|| wrong(name, given, REMEDY))?;
        check::finite_vector(name, vector).map(|vector| vector.to_array())
    }

    /// The direction of this name, normalised.
    ///
    /// # Errors
    /// It is missing, not three finite numbers, or zero.
    pub fn direction(&self, name: &str) -> Result<[f64; 3], BuildError> {
        check::direction(name, self.vector(name)?).map(|direction| direction.to_array())
    }

    /// Refuses entries with other names, such as misspelt ones.
    ///
    /// # Errors
    /// Names the first entry that is not `known`.
    pub fn only(&self, known: &[&str]) -> Result<(), BuildError> {
        let Some(name) = self.0.keys().find(|name| !known.contains(&name.as_str())) else { return Ok(()) };
        let remedy = if known.is_empty() {
            "leave it out: there are no parameters".to_owned()
        } else {
            format!("there are: {}", known.join(", "))
        };
        Err(BuildError::unknown_name(name, "parameter", name, remedy))
    }
}

fn wrong(name: &str, given: &Value, remedy: &str) -> BuildError {
    BuildError::new(name, format!("{given} can't be used"), remedy)
}

#[cfg(test)]
mod tests {
    use super::Parameters;

    #[test]
    fn wrong_parameters_are_named_with_a_remedy() {
        let given: Parameters =
            serde_json::from_str(r#"{ "ratio": "two", "axis": [0, 0], "up": [0, 0, 3], "n": -1 }"#)
                .expect("a table");
        let path = |found: Result<f64, crate::error::BuildError>| found.expect_err("refused").path;
        assert_eq!(path(given.number("ratio")), "ratio");
        assert_eq!(path(given.number("absent")), "absent");
        assert_eq!(path(given.positive("n")), "n");
        assert_eq!(given.vector("axis").expect_err("refused").path, "axis");
        assert_eq!(given.direction("up"), Ok([0.0, 0.0, 1.0]));
        assert_eq!(given.number_or("absent", Some(2.0)), Ok(2.0));
        let unknown = given.only(&["ratio", "axis", "up"]).expect_err("refused");
        assert!(unknown.path == "n" && unknown.remedy.contains("ratio, axis, up"), "{unknown}");
    }
}
