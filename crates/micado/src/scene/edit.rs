//! Edits: every structural change is a plain-data value, applied between steps.

use crate::constraint::ConstraintDescription;
use crate::describe::anchor::At;
use crate::describe::signal::Signal;
use crate::describe::units;
use crate::load::{LoadDescription, SpringDescription};
use crate::object::MassDescription;
use crate::object::rod::RodDescription;
use crate::scene::WinchDescription;
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
    /// Opens a clip, by name. It catches again as after a break.
    OpenClip(String),
    /// Closes a clip about a place of its rod, which is then brought home.
    CloseClip(ClipAt),
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
    /// Adds a winch.
    AddWinch(Named<WinchDescription>),
    /// Gives a winch another time function, from the present length on.
    ChangeWinch(Named<WinchDescription>),
    /// Removes a winch, by name: the rod keeps the length that it has.
    RemoveWinch(String),
    /// Cuts a rod in two.
    Cut(Cut),
    /// Joins the end of a rod to the start of another.
    Splice(Splice),
    /// Puts knots into a rod.
    Refine(Refine),
    /// Takes knots out of a rod.
    Coarsen(Coarsen),
    /// Changes gravity, m/s².
    Gravity(Signal<[f64; 3]>),
    /// Sets all velocities to zero.
    Stop,
}

/// Cuts a rod in two; a closed one becomes an open one. What is attached at the cut itself goes with the
/// first part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Cut {
    /// Rod, by name.
    pub rod: String,
    /// Where it is cut.
    pub at: At,
    /// Name of the part before the cut; that of the rod unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// Name of the part beyond the cut. A closed rod has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub second: Option<String>,
}

/// Joins the end of a rod to the start of another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Splice {
    /// Rod whose end is joined, by name.
    pub first: String,
    /// Rod whose start is joined to it, by name.
    pub second: String,
    /// Name of the whole; that of the first rod unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// How far apart the ends may be, m; 1 mm unless given.
    #[serde(default = "millimetre", deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub tolerance: f64,
    /// Largest angle between the tangents there, rad; 30° unless given.
    #[serde(default = "thirty_degrees", deserialize_with = "units::angle")]
    #[schemars(with = "units::QuantityInput")]
    pub angle: f64,
}

fn millimetre() -> f64 {
    1e-3
}

fn thirty_degrees() -> f64 {
    std::f64::consts::FRAC_PI_6
}

/// Puts knots into an open spline rod, each of which divides a segment: the rod doesn't move.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refine {
    /// Rod, by name.
    pub rod: String,
    /// Where the knots are put in, by rest arc length.
    pub at: Vec<At>,
}

/// Takes knots out of an open spline rod, if that moves it by no more than a tolerance. Knots that a rod was
/// laid with stay, unless it was laid straight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Coarsen {
    /// Rod, by name.
    pub rod: String,
    /// Where knots are: the nearest one to each place is taken out.
    pub at: Vec<At>,
    /// How far any point of the rod may be moved by each, m; 10 µm unless given.
    #[serde(default = "ten_micrometres", deserialize_with = "units::length")]
    #[schemars(with = "units::QuantityInput")]
    pub tolerance: f64,
    /// How far any section may be turned about the tangent by each, rad; 1 mrad unless given.
    #[serde(default = "milliradian", deserialize_with = "units::angle")]
    #[schemars(with = "units::QuantityInput")]
    pub angle: f64,
}

fn ten_micrometres() -> f64 {
    1e-5
}

fn milliradian() -> f64 {
    1e-3
}

/// A clip and a place on its rod.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClipAt {
    /// Name of the clip.
    pub name: String,
    /// Which of its rods, by name; the first unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// Place on the rod.
    pub at: At,
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
    /// Kind and name of what it adds, and the field below its word that says so.
    pub fn adds(&self) -> impl Iterator<Item = (&'static str, &str, &'static str)> {
        let (kind, names): (_, [Option<(&String, &'static str)>; 2]) = match self {
            Self::AddRod(named) => ("rod", [Some((&named.name, "name")), None]),
            Self::AddMass(named) => ("mass", [Some((&named.name, "name")), None]),
            Self::AddConstraint(named) => ("constraint", [Some((&named.name, "name")), None]),
            Self::AddLoad(named) => ("load", [Some((&named.name, "name")), None]),
            Self::AddSpring(named) => ("spring", [Some((&named.name, "name")), None]),
            Self::AddWinch(named) => ("winch", [Some((&named.name, "name")), None]),
            Self::Cut(cut) => {
                let new = |name: &'_ &String| **name != cut.rod;
                let [first, second] = [&cut.first, &cut.second].map(|name| name.as_ref().filter(new));
                ("rod", [first.map(|name| (name, "first")), second.map(|name| (name, "second"))])
            }
            Self::Splice(splice) => {
                let name =
                    splice.name.as_ref().filter(|name| **name != splice.first && **name != splice.second);
                ("rod", [name.map(|name| (name, "name")), None])
            }
            _ => ("", [None, None]),
        };
        names.into_iter().flatten().map(move |(name, field)| (kind, name.as_str(), field))
    }

    /// The word of the scene file.
    pub fn word(&self) -> &'static str {
        match self {
            Self::AddRod(_) => "add-rod",
            Self::AddMass(_) => "add-mass",
            Self::AddConstraint(_) => "add-constraint",
            Self::ChangeConstraint(_) => "change-constraint",
            Self::Release(_) => "release",
            Self::OpenClip(_) => "open-clip",
            Self::CloseClip(_) => "close-clip",
            Self::AddLoad(_) => "add-load",
            Self::ChangeLoad(_) => "change-load",
            Self::RemoveLoad(_) => "remove-load",
            Self::AddSpring(_) => "add-spring",
            Self::RemoveSpring(_) => "remove-spring",
            Self::AddWinch(_) => "add-winch",
            Self::ChangeWinch(_) => "change-winch",
            Self::RemoveWinch(_) => "remove-winch",
            Self::Cut(_) => "cut",
            Self::Splice(_) => "splice",
            Self::Refine(_) => "refine",
            Self::Coarsen(_) => "coarsen",
            Self::Gravity(_) => "gravity",
            Self::Stop => "stop",
        }
    }

    /// Kind and name of what it needs to be there, and the field below its word that says so; none for a bare
    /// name.
    pub fn needs(&self) -> impl Iterator<Item = (&'static str, &str, &'static str)> {
        let (kind, names): (_, [Option<(&String, &'static str)>; 2]) = match self {
            Self::Release(name) | Self::OpenClip(name) => ("constraint", [Some((name, "")), None]),
            Self::CloseClip(clip) => ("constraint", [Some((&clip.name, "name")), None]),
            Self::ChangeConstraint(named) => ("constraint", [Some((&named.name, "name")), None]),
            Self::RemoveLoad(name) => ("load", [Some((name, "")), None]),
            Self::ChangeLoad(named) => ("load", [Some((&named.name, "name")), None]),
            Self::RemoveSpring(name) => ("spring", [Some((name, "")), None]),
            Self::RemoveWinch(name) => ("winch", [Some((name, "")), None]),
            Self::ChangeWinch(named) => ("winch", [Some((&named.name, "name")), None]),
            Self::Cut(cut) => ("rod", [Some((&cut.rod, "rod")), None]),
            Self::Splice(splice) => {
                ("rod", [Some((&splice.first, "first")), Some((&splice.second, "second"))])
            }
            Self::Refine(Refine { rod, .. }) | Self::Coarsen(Coarsen { rod, .. }) => {
                ("rod", [Some((rod, "rod")), None])
            }
            _ => ("", [None, None]),
        };
        names.into_iter().flatten().map(move |(name, field)| (kind, name.as_str(), field))
    }

    /// Whether a rod has lost its name after it.
    pub fn takes_rod(&self, name: &str) -> bool {
        match self {
            Self::Cut(cut) => {
                cut.rod == name
                    && cut.first.as_ref().unwrap_or(&cut.rod) != name
                    && cut.second.as_deref() != Some(name)
            }
            Self::Splice(splice) => {
                [&splice.first, &splice.second].iter().any(|rod| *rod == name)
                    && splice.name.as_ref().unwrap_or(&splice.first) != name
            }
            _ => false,
        }
    }
}
