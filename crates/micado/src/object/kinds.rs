//! The list of kinds of objects.
//!
//! A new kind is a folder of this room with its description, `impl Describe` and `impl Model`, and one entry
//! in the list below. Scenes, edits, snapshots, probes, names, messages and the JSON Schema follow from it.

use super::{Model, Now};
use crate::error::BuildError;
use serde::{Deserialize, Serialize};
use types::*;

/// The descriptions in the list. Macros that receive it need them in scope.
pub(crate) mod types {
    pub(crate) use crate::object::body::BodyDescription;
    pub(crate) use crate::object::mass::MassDescription;
    pub(crate) use crate::object::rod::RodDescription;
}

/// Passes the list to the macro `$make`, after the other tokens.
///
/// An entry has the name of the kind with its description, its word in scene files, the plural of that word,
/// and its edits in the form of [`kinds!`](crate::scene::Kind).
macro_rules! object_kinds {
    ($make:ident $($before:tt)*) => {
        $make! { $($before)*
            /// Rods, by name.
            Rod(RodDescription) rod rods {
                /// Adds a rod.
                AddRod(Named<RodDescription>) "add-rod" adds,
            }
            /// Point masses, by name.
            Mass(MassDescription) mass masses {
                /// Adds a point mass.
                AddMass(Named<MassDescription>) "add-mass" adds,
            }
            /// Rigid bodies, by name.
            Body(BodyDescription) body bodies {
                /// Adds a rigid body.
                AddBody(Named<BodyDescription>) "add-body" adds,
            }
        }
    };
}
pub(crate) use object_kinds;

/// An object at the start, with its part of the state.
#[derive(Clone, Debug)]
pub struct Initial<M> {
    /// The model.
    pub model: M,
    /// Unknowns, four per node.
    pub q: Vec<f64>,
    /// Their velocities.
    pub v: Vec<f64>,
    /// Frames and other data that follow the unknowns.
    pub frames: Vec<f64>,
}

impl<M> Initial<M> {
    /// Wraps the model.
    pub(crate) fn map<N>(self, wrap: impl FnOnce(M) -> N) -> Initial<N> {
        Initial { model: wrap(self.model), q: self.q, v: self.v, frames: self.frames }
    }
}

/// A description from which an object is built.
pub trait Describe: Clone {
    /// Its model.
    type Model: Model;

    /// Builds the object.
    ///
    /// # Errors
    /// The field of the description that can't be used, and why.
    fn build(&self) -> Result<Initial<Self::Model>, BuildError>;

    /// The description of the object that explicit steps use in its place.
    ///
    /// # Errors
    /// Explicit steps don't support it, which is the default.
    fn for_explicit_steps(&self) -> Result<Self, BuildError> {
        Err(BuildError::new("", "it can't be stepped explicitly", "use another integrator, or leave it out"))
    }

    /// The description of an object that starts as this one is now.
    ///
    /// # Errors
    /// It can't start like this, which is the default.
    fn at_present(&self, _model: &Self::Model, now: &Now<'_>) -> Result<Self, BuildError> {
        let problem = format!("the present state of `{}` can't be described", now.name);
        Err(BuildError::new("", problem, "remove it, or save a snapshot"))
    }
}

macro_rules! enums {
    ($($(#[$doc:meta])* $Kind:ident($Description:ident) $word:ident $words:ident {$($edits:tt)*})*) => {
        /// Description of an object.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum ObjectDescription {
            $(#[doc = concat!("Of a ", stringify!($word), ".")] $Kind(Box<$Description>),)*
        }

        /// A kind of object.
        #[derive(Clone, Debug, PartialEq)]
        pub enum ObjectKind {
            $(#[doc = concat!("A ", stringify!($word), ".")] $Kind(<$Description as Describe>::Model),)*
        }

        impl ObjectKind {
            /// The model.
            pub fn model(&self) -> &dyn Model {
                match self {
                    $(Self::$Kind(model) => model,)*
                }
            }
        }

        impl ObjectDescription {
            /// Builds the object; see [`Describe::build`].
            ///
            /// # Errors
            /// The field of the description that can't be used, and why.
            pub fn build(&self) -> Result<Initial<ObjectKind>, BuildError> {
                match self {
                    $(Self::$Kind(words) => Ok(words.build()?.map(ObjectKind::$Kind)),)*
                }
            }

            /// See [`Describe::for_explicit_steps`].
            ///
            /// # Errors
            /// Explicit steps don't support it.
            pub fn for_explicit_steps(&self) -> Result<Self, BuildError> {
                match self {
                    $(Self::$Kind(words) => words.for_explicit_steps().map(Self::from),)*
                }
            }

            /// See [`Describe::at_present`].
            ///
            /// # Errors
            /// It can't start like this, or the object is of another kind.
            pub fn at_present(&self, kind: &ObjectKind, now: &Now<'_>) -> Result<Self, BuildError> {
                match (self, kind) {
                    $((Self::$Kind(words), ObjectKind::$Kind(model)) => {
                        words.at_present(model, now).map(Self::from)
                    })*
                    _ => {
                        let problem = format!("`{}` is of another kind than its description", now.name);
                        Err(BuildError::new("", problem, "describe it anew"))
                    }
                }
            }
        }

        $(
            impl From<$Description> for ObjectDescription {
                fn from(words: $Description) -> Self {
                    Self::$Kind(Box::new(words))
                }
            }
        )*
    };
}
object_kinds!(enums);
