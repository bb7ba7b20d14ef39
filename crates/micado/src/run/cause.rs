//! Causes of refused steps by name: indices become invalid with the next edit, names stay readable.

use crate::constraint::{Constraint, Law, Rows};
use crate::run::event::number;
use crate::world::{Refusal, Spot, Toucher, World};
use serde::{Deserialize, Serialize};

/// Reason why a step or a static solve was refused: a [`Refusal`] with names instead of indices.
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
    /// A search for an equilibrium diverged at a node: there is no equilibrium.
    RunsAway {
        /// The node.
        at: Part,
    },
    /// An object is free to move under the forces on it: there is no equilibrium.
    Floats {
        /// The object.
        object: String,
    },
    /// A tangent would turn by more than 90°, or a body with a constraint by more than a radian or so.
    TurnedTooFar,
    /// The passes of a step did not settle.
    Unsettled,
    /// A sliding constraint with `ends = "error"` reached the end of its rod.
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
    /// The edges of an inextensible rod could not keep their lengths.
    MissedLengths {
        /// The rod.
        rod: String,
    },
    /// A winch would move more of its rod than the largest number of parts allows.
    SpooledTooFar {
        /// The winch.
        winch: String,
        /// Its rod.
        rod: String,
        /// Required motion, m.
        #[serde(with = "number")]
        length: f64,
        /// Largest possible motion, m.
        #[serde(with = "number")]
        most: f64,
    },
    /// The angles of a rod did not converge to an equilibrium in an explicit step.
    Restless {
        /// The rod.
        rod: String,
    },
    /// The overlap of two surfaces would have grown too much.
    PassedInto,
    /// More surfaces touch at once than a step can solve.
    TooManyContacts,
    /// Equilibria and vibrations don't support contact of surfaces.
    NoContact,
    /// The time step is not a positive number.
    NoStep,
    /// An explicit step of a world that was not built for it.
    NotExplicit,
    /// An explicit step would need too many parts to be stable.
    TooManyParts {
        /// Required number.
        #[serde(with = "number")]
        parts: f64,
    },
    /// These objects would have passed through each other; the same name twice for a rod that would pass
    /// through itself.
    PassedThrough {
        /// The objects.
        objects: [String; 2],
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

/// The object and the constraint named by a cause.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Culprit {
    /// An object.
    pub object: Option<String>,
    /// A constraint.
    pub constraint: Option<String>,
}

impl Cause {
    /// Whether the cause is a missing equilibrium.
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
            | Self::SpooledTooFar { rod: name, .. }
            | Self::PassedThrough { objects: [name, _] } => object(name),
            Self::SlidOff { constraint: name, on } => constraint(name, on),
            Self::TurnedTooFar
            | Self::Unsettled
            | Self::PassedInto
            | Self::TooManyContacts
            | Self::NoContact
            | Self::SlidTooFar
            | Self::Overstretched
            | Self::NoStep
            | Self::NotExplicit
            | Self::TooManyParts { .. } => Culprit::default(),
        }
    }
}

/// A constraint that is far from its target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Missed {
    /// The constraint.
    pub constraint: String,
    /// Its kind, in the word of the scene file.
    pub kind: String,
    /// Its violation.
    pub by: Miss,
}

impl Missed {
    fn new(constraint: &Constraint, by: Miss) -> Self {
        let kind = constraint.description.kind().to_owned();
        Self { constraint: constraint.name.clone(), kind, by }
    }
}

/// Violation of a constraint.
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

/// Violation below which a constraint is not reported, as a share of the structure's size or a radian.
const FAR: f64 = 0.01;

impl World {
    /// The constraint with the largest violation at `time`; `None` if it is below a hundredth of the
    /// structure's size, or of a radian.
    pub fn worst_missed(&self, time: f64) -> Option<Missed> {
        let (miss, worst) = self.worst_miss(time);
        let (k, constraint) = worst.and_then(|k| Some((k, self.structure().constraints.get(k)?)))?;
        let sites = constraint.sites(
            &constraint.places(&self.structure.objects, &self.state.constraints[k]),
            self.structure.poses(&self.state),
            &self.state.constraints[k],
            time,
        );
        let [length, angle] =
            constraint.law.misses(&sites, &self.state.constraints[k], time, &mut Rows::default());
        if angle > length {
            return (miss > FAR).then(|| Missed::new(constraint, Miss::Angle(miss)));
        }
        let by = if matches!(constraint.law, Law::Fusion(_)) {
            Miss::Apart(sites[0].x.distance(sites[1].x))
        } else {
            Miss::Distance(miss)
        };
        (miss > FAR * self.size()).then(|| Missed::new(constraint, by))
    }

    /// The owner of a node of the linear system.
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

    /// The cause of a refused step or static solve, by name. The world must not have been edited since.
    pub fn cause(&self, refusal: Refusal) -> Cause {
        match refusal {
            Refusal::Singular { at } => Cause::Singular { at: self.part(at) },
            Refusal::NotFinite { at } => Cause::NotFinite { at: self.part(at) },
            Refusal::RunsAway { at } => Cause::RunsAway { at: self.part(at) },
            Refusal::Floats { object } => Cause::Floats { object: self.object_name(object) },
            Refusal::TurnedTooFar => Cause::TurnedTooFar,
            Refusal::Unsettled => Cause::Unsettled,
            Refusal::PassedInto => Cause::PassedInto,
            Refusal::TooManyContacts => Cause::TooManyContacts,
            Refusal::PassedThrough { between } => Cause::PassedThrough {
                objects: between.map(|toucher| match toucher {
                    Toucher::Object(k) | Toucher::Fixed(k) => self.object_name(k as usize),
                    Toucher::Constraint(_) => String::new(),
                }),
            },
            Refusal::NoContact => Cause::NoContact,
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

    /// Name of an object; empty if there is none.
    fn object_name(&self, index: usize) -> String {
        self.structure().objects.get(index).map_or_else(String::new, |object| object.name.clone())
    }

    /// Name of a constraint, empty if there is none, and of the object that it holds.
    fn constraint_and_object(&self, index: usize) -> (String, Option<String>) {
        let structure = self.structure();
        let Some(constraint) = structure.constraints.get(index) else { return (String::new(), None) };
        let on = constraint.on();
        let object = structure.objects.iter().find(|object| object.name == on);
        (constraint.name.clone(), object.map(|object| object.name.clone()))
    }
}
