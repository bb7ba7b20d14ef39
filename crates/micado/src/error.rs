//! Errors of descriptions: field, problem and remedy.

use serde::{Deserialize, Serialize};
use std::fmt;

/// Reason why a description or an edit is refused. Programs use this, not the sentences of [`BuildError`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum BuildErrorKind {
    /// The description is invalid in any state of the world.
    #[default]
    Invalid,
    /// It uses an unknown name.
    UnknownName {
        /// The name.
        name: String,
    },
    /// It can't be built from the present state of the world; at another time it may be possible.
    State,
}

/// A description that can't be built.
///
/// `path` names the field in the words of the scene file, for example `rod.cable.radius`; the scene reader
/// turns it into file and line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildError {
    /// Dotted path of the field, as in the scene file.
    pub path: String,
    /// What is wrong, as a sentence.
    pub problem: String,
    /// What is allowed, or what to do, as a sentence.
    pub remedy: String,
    /// Reason, as data.
    pub kind: BuildErrorKind,
}

impl BuildError {
    /// An invalid description at `path`: what is wrong, and the remedy.
    pub fn new(path: impl Into<String>, problem: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            problem: problem.into(),
            remedy: remedy.into(),
            kind: BuildErrorKind::Invalid,
        }
    }

    /// A name at `path` that no `what` has, and the remedy.
    pub fn unknown_name(path: impl Into<String>, what: &str, name: &str, remedy: impl Into<String>) -> Self {
        let kind = BuildErrorKind::UnknownName { name: name.to_owned() };
        Self { kind, ..Self::new(path, format!("there is no {what} called `{name}`"), remedy) }
    }

    /// Marks the error as caused by the present state.
    #[must_use]
    pub(crate) fn of_state(self) -> Self {
        Self { kind: BuildErrorKind::State, ..self }
    }

    /// Adds an outer path: `within("rod.cable")` turns `radius` into `rod.cable.radius`.
    #[must_use]
    pub fn within(mut self, outer: &str) -> Self {
        self.path = match (outer.is_empty(), self.path.is_empty()) {
            (true, _) => self.path,
            (_, true) => outer.to_owned(),
            _ => format!("{outer}.{}", self.path),
        };
        self
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}; {}", self.path, self.problem, self.remedy)
    }
}

impl std::error::Error for BuildError {}

/// Checks that every description needs.
pub(crate) mod check {
    use super::BuildError;
    use crate::short::Short;

    /// Largest number in a description, in SI units. Nothing is denser, stiffer or farther away, and products
    /// of larger numbers may overflow.
    pub(crate) const LARGEST: f64 = 1e30;

    /// Checks that a number is finite, and not absurdly large.
    pub(crate) fn finite(path: &str, value: f64) -> Result<f64, BuildError> {
        if !value.is_finite() {
            Err(BuildError::new(path, format!("{value} is not a finite number"), "give a finite number"))
        } else if value.abs() > LARGEST {
            Err(BuildError::new(
                path,
                format!("{} is too large for any quantity", Short(value)),
                format!("give a number of at most {}, in SI units", Short(LARGEST)),
            ))
        } else {
            Ok(value)
        }
    }

    /// Checks that a number is finite and positive.
    pub(crate) fn positive(path: &str, value: f64) -> Result<f64, BuildError> {
        finite(path, value)?;
        if value > 0.0 {
            Ok(value)
        } else {
            Err(BuildError::new(path, format!("{value} is not positive"), "give a number greater than 0"))
        }
    }

    /// Checks that a number is finite and not negative.
    pub(crate) fn not_negative(path: &str, value: f64) -> Result<f64, BuildError> {
        finite(path, value)?;
        if value >= 0.0 {
            Ok(value)
        } else {
            Err(BuildError::new(path, format!("{value} is negative"), "give 0 or a positive number"))
        }
    }

    /// Checks that an initial angle is within half a turn, rad: larger ones are ambiguous.
    pub(crate) fn half_turn(path: &str, angle: f64) -> Result<(), BuildError> {
        if angle.abs() <= std::f64::consts::PI {
            return Ok(());
        }
        let problem = format!(
            "it begins {:.4} turns from the present orientation; more than half a turn is ambiguous",
            angle / std::f64::consts::TAU
        );
        Err(BuildError::new(path, problem, "use a ramp or keyframes, or give the rod a `twist`"))
    }

    /// Checks that three numbers are finite.
    pub(crate) fn finite_vector(path: &str, value: [f64; 3]) -> Result<glam::DVec3, BuildError> {
        for component in value {
            finite(path, component)?;
        }
        Ok(glam::DVec3::from_array(value))
    }

    /// Checks that a direction is finite and not zero. Returns it normalised.
    pub(crate) fn direction(path: &str, value: [f64; 3]) -> Result<glam::DVec3, BuildError> {
        let vector = finite_vector(path, value)?;
        vector.try_normalize().ok_or_else(|| {
            BuildError::new(path, "a direction of length zero", "give a vector that is not [0, 0, 0]")
        })
    }
}
