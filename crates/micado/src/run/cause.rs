//! Causes of refused steps by name: indices go stale with the next edit, names stay readable.

use crate::constraint::Law;
use crate::run::event::number;
use crate::world::{Refusal, Spot, World};
use serde::{Deserialize, Serialize};

/// Why a step or a static solve was refused: a [`Refusal`] with names instead of indices.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Cause {
    /// The linear system is singular.
    Singular {
        /// Where.
        at: Part,
    },
    /// The result is not finite.
    NotFinite {
        /// Where.
        at: Part,
    },
    /// A search for an equilibrium carried a node far away, and went on: there is no equilibrium.
    RunsAway {
        /// The node.
        at: Part,
    },
    /// Nothing holds an object against the forces on it: there is no equilibrium.
    Floats {
        /// The object.
        object: String,
    },
    /// A tangent would turn by more than 90°.
    TurnedTooFar,
    /// A sliding constraint reached the end of its rod, which its description calls an error.
    SlidOff {
        /// The constraint.
        constraint: String,
        /// The object that it holds.
        on: Option<String>,
    },
    /// A rod would slide by more than two segments.
    SlidTooFar,
    /// The stretch of a rod would change by more than [`OVERSTRETCHED`](crate::step::OVERSTRETCHED).
    Overstretched,
    /// The edge lengths of an inextensible rod would be missed.
    MissedLengths {
        /// The rod.
        rod: String,
    },
    /// A winch would move more of its rod than a step can be divided for.
    SpooledTooFar {
        /// The winch.
        winch: String,
        /// Its rod.
        rod: String,
        /// What it would move, m.
        #[serde(with = "number")]
        length: f64,
        /// What it can move, m.
        #[serde(with = "number")]
        most: f64,
    },
    /// The angles at which a rod is at rest were not found in an explicit step.
    Restless {
        /// The rod.
        rod: String,
    },
    /// The time step is not a positive number.
    NoStep,
    /// An explicit step of a world that was not built for it.
    NotExplicit,
    /// An explicit step would need too many parts to be stable.
    TooManyParts {
        /// How many.
        #[serde(with = "number")]
        parts: f64,
    },
}

/// A part of the linear system, by its owner.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Part {
    /// A node of an object.
    Node {
        /// The object.
        object: String,
        /// The node, counted from 0 along the object.
        node: usize,
    },
    /// Rows that keep the edge lengths of a rod.
    Lengths {
        /// The rod.
        rod: String,
    },
    /// Rows or unknowns of a constraint.
    Constraint {
        /// The constraint.
        constraint: String,
        /// The object that it holds.
        on: Option<String>,
    },
    /// Not known.
    Unknown,
}

/// The object and the constraint that a cause names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Culprit {
    /// A rod or a mass.
    pub object: Option<String>,
    /// A constraint.
    pub constraint: Option<String>,
}

impl Cause {
    /// Whether it says that there is no equilibrium.
    pub fn is_without_equilibrium(&self) -> bool {
        matches!(self, Self::RunsAway { .. } | Self::Floats { .. })
    }

    /// The object and the constraint that it names, if any.
    pub fn culprit(&self) -> Culprit {
        let object = |name: &String| Culprit { object: Some(name.clone()), constraint: None };
        let constraint = |name: &String, on: &Option<String>| Culprit {
            object: on.clone(),
            constraint: Some(name.clone()),
        };
        match self {
            Self::Singular { at } | Self::NotFinite { at } | Self::RunsAway { at } => match at {
                Part::Node { object: name, .. } | Part::Lengths { rod: name } => object(name),
                Part::Constraint { constraint: name, on } => constraint(name, on),
                Part::Unknown => Culprit::default(),
            },
            Self::Floats { object: name }
            | Self::MissedLengths { rod: name }
            | Self::Restless { rod: name }
            | Self::SpooledTooFar { rod: name, .. } => object(name),
            Self::SlidOff { constraint: name, on } => constraint(name, on),
            Self::TurnedTooFar
            | Self::SlidTooFar
            | Self::Overstretched
            | Self::NoStep
            | Self::NotExplicit
            | Self::TooManyParts { .. } => Culprit::default(),
        }
    }
}

/// A constraint that is far from where it holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Missed {
    /// The constraint.
    pub constraint: String,
    /// Its kind, in the word of the scene file.
    pub kind: String,
    /// By how much.
    pub by: Miss,
}

/// How far a constraint is from where it holds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Miss {
    /// A direction or roll, rad.
    Angle(#[serde(with = "number")] f64),
    /// A position, m.
    Distance(#[serde(with = "number")] f64),
    /// Two places to be joined, this far apart, m.
    Apart(#[serde(with = "number")] f64),
}

/// A constraint that is missed by less than this share of the structure's size is not reported.
const FAR: f64 = 0.01;

impl World {
    /// The constraint that is missed most by its target at `time`; none where none is by more than a
    /// hundredth of the structure's size, or of a radian.
    pub fn worst_missed(&self, time: f64) -> Option<Missed> {
        let (miss, worst) = self.worst_miss(time);
        let (k, constraint) = worst.and_then(|k| Some((k, self.structure().constraints.get(k)?)))?;
        let sites = constraint.sites(
            &constraint.places(&self.structure.objects, &self.state.constraints[k]),
            self.structure.poses(&self.state),
            &self.state.constraints[k],
            time,
        );
        // Where both a point and a direction are held, the larger one is missed.
        let apart = sites[0].x.distance(sites[1].x);
        let angle = match constraint.law {
            Law::Tangent(_) | Law::Roll(_) => true,
            Law::Clamp(_) | Law::Fusion(_) | Law::Keyhole(_) => apart < 0.5 * miss,
            _ => false,
        };
        if miss <= FAR * if angle { 1.0 } else { self.size() } {
            return None;
        }
        let by = match &constraint.law {
            _ if angle => Miss::Angle(miss),
            Law::Fusion(_) => Miss::Apart(apart),
            _ => Miss::Distance(miss),
        };
        let kind = constraint.description.kind().to_owned();
        Some(Missed { constraint: constraint.name.clone(), kind, by })
    }

    /// Whose a node of the linear system is.
    fn part(&self, at: Spot) -> Part {
        match at {
            Spot::Node { object, node } => Part::Node { object: self.object_name(object), node },
            Spot::InnerRows(object) => Part::Lengths { rod: self.object_name(object) },
            Spot::Own(k) | Spot::Rows(k) => {
                let (constraint, on) = self.constraint_and_object(k);
                Part::Constraint { constraint, on }
            }
            Spot::Unknown => Part::Unknown,
        }
    }

    /// Why a step or static solve was refused, by name. The world was not edited since.
    pub fn cause(&self, refusal: Refusal) -> Cause {
        match refusal {
            Refusal::Singular { at } => Cause::Singular { at: self.part(at) },
            Refusal::NotFinite { at } => Cause::NotFinite { at: self.part(at) },
            Refusal::RunsAway { at } => Cause::RunsAway { at: self.part(at) },
            Refusal::Floats { object } => Cause::Floats { object: self.object_name(object) },
            Refusal::TurnedTooFar => Cause::TurnedTooFar,
            Refusal::SlidOff { constraint } => {
                let (constraint, on) = self.constraint_and_object(constraint);
                Cause::SlidOff { constraint, on }
            }
            Refusal::SlidTooFar => Cause::SlidTooFar,
            Refusal::Overstretched => Cause::Overstretched,
            Refusal::MissedLengths { object } => Cause::MissedLengths { rod: self.object_name(object) },
            Refusal::SpooledTooFar { winch, length, most } => {
                let winch = self.structure().winches.get(winch);
                let rod = winch.map_or_else(String::new, |winch| self.object_name(winch.object));
                let winch = winch.map_or_else(String::new, |winch| winch.name.clone());
                Cause::SpooledTooFar { winch, rod, length, most }
            }
            Refusal::Restless { object } => Cause::Restless { rod: self.object_name(object) },
            Refusal::NoStep => Cause::NoStep,
            Refusal::NotExplicit => Cause::NotExplicit,
            Refusal::TooManyParts { parts } => Cause::TooManyParts { parts },
        }
    }

    /// Name of an object; empty where there is none.
    fn object_name(&self, index: usize) -> String {
        self.structure().objects.get(index).map_or_else(String::new, |object| object.name.clone())
    }

    /// Name of a constraint, empty where there is none, and of the object that it holds.
    fn constraint_and_object(&self, index: usize) -> (String, Option<String>) {
        let structure = self.structure();
        let Some(constraint) = structure.constraints.get(index) else { return (String::new(), None) };
        let on = constraint.on();
        let object = structure.objects.iter().find(|object| object.name == on);
        (constraint.name.clone(), object.map(|object| object.name.clone()))
    }
}
