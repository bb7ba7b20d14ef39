//! Edits: every structural change is a plain-data value, applied between steps.

use crate::body::MassDescription;
use crate::constraint::ConstraintDescription;
use crate::load::{LoadDescription, SpringDescription};
use crate::rod::RodDescription;
use crate::signal::Signal;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A change of what exists.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Edit {
    /// Adds a rod.
    AddRod(Named<RodDescription>),
    /// Adds a point mass.
    AddMass(Named<MassDescription>),
    /// Adds a constraint.
    AddConstraint(Named<ConstraintDescription>),
    /// Gives a constraint a new description: another target, length, angle, place or kind.
    ChangeConstraint(Named<ConstraintDescription>),
    /// Removes a constraint, by name.
    Release(String),
    /// Adds a load.
    AddLoad(Named<LoadDescription>),
    /// Gives a load a new description.
    ChangeLoad(Named<LoadDescription>),
    /// Removes a load, by name.
    RemoveLoad(String),
    /// Adds a spring–damper.
    AddSpring(Named<SpringDescription>),
    /// Removes a spring–damper, by name.
    RemoveSpring(String),
    /// Changes gravity, m/s².
    Gravity(Signal<[f64; 3]>),
    /// Sets all velocities to zero.
    Stop,
}

/// A description with the name that it goes by.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Named<T> {
    /// Name.
    pub name: String,
    /// Description.
    pub to: T,
}

impl Edit {
    /// Kind and name of what it adds.
    pub fn adds(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::AddRod(named) => Some(("rod", &named.name)),
            Self::AddMass(named) => Some(("mass", &named.name)),
            Self::AddConstraint(named) => Some(("constraint", &named.name)),
            Self::AddLoad(named) => Some(("load", &named.name)),
            Self::AddSpring(named) => Some(("spring", &named.name)),
            _ => None,
        }
    }

    /// The word of the scene file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::AddRod(_) => "add-rod",
            Self::AddMass(_) => "add-mass",
            Self::AddConstraint(_) => "add-constraint",
            Self::ChangeConstraint(_) => "change-constraint",
            Self::Release(_) => "release",
            Self::AddLoad(_) => "add-load",
            Self::ChangeLoad(_) => "change-load",
            Self::RemoveLoad(_) => "remove-load",
            Self::AddSpring(_) => "add-spring",
            Self::RemoveSpring(_) => "remove-spring",
            Self::Gravity(_) => "gravity",
            Self::Stop => "stop",
        }
    }

    /// Kind and name of what it needs to be there.
    pub fn needs(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Release(name) => Some(("constraint", name)),
            Self::ChangeConstraint(named) => Some(("constraint", &named.name)),
            Self::RemoveLoad(name) => Some(("load", name)),
            Self::ChangeLoad(named) => Some(("load", &named.name)),
            Self::RemoveSpring(name) => Some(("spring", name)),
            _ => None,
        }
    }
}

impl std::fmt::Display for Edit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AddRod(named) => write!(f, "rod `{}` added", named.name),
            Self::AddMass(named) => write!(f, "mass `{}` added", named.name),
            Self::AddConstraint(named) => write!(f, "constraint `{}` added", named.name),
            Self::ChangeConstraint(named) => write!(f, "constraint `{}` changed", named.name),
            Self::Release(name) => write!(f, "constraint `{name}` released"),
            Self::AddLoad(named) => write!(f, "load `{}` added", named.name),
            Self::ChangeLoad(named) => write!(f, "load `{}` changed", named.name),
            Self::RemoveLoad(name) => write!(f, "load `{name}` removed"),
            Self::AddSpring(named) => write!(f, "spring `{}` added", named.name),
            Self::RemoveSpring(name) => write!(f, "spring `{name}` removed"),
            Self::Gravity(_) => f.write_str("gravity changed"),
            Self::Stop => f.write_str("all velocities set to zero"),
        }
    }
}
