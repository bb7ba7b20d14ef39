//! The list of kinds of named items of a scene.
//!
//! The tables of a [`Scene`](super::Scene), the edits that add, change and remove items, names, words in
//! messages and the JSON Schema are all generated from the list below, to which the objects of
//! `object/kinds.rs` belong. A new kind of attached item is one entry, a
//! description, and the operations of a world on that description (`world/kinds.rs`).

use serde::{Deserialize, Serialize};
use std::fmt;
use types::*;

/// The types in the list. Macros that receive it need them in scope.
pub(crate) mod types {
    pub(crate) use crate::constraint::{Constraint, ConstraintDescription};
    pub(crate) use crate::load::{Load, LoadDescription, Spring, SpringDescription};
    pub(crate) use crate::object::kinds::types::*;
    pub(crate) use crate::scene::{SceneryDescription, WinchDescription};
}

/// Passes the kinds to the macro `$make`: `all` of them, only the `objects`, or only the `attached` ones.
///
/// An entry has the kind with its description, its word in scene files, the plural of that word, and its
/// edits. An edit has its variant of [`Edit`](super::Edit), its word in scene files, and its effect on the
/// named item: it `adds`, `changes`, `removes`, `opens` or `closes` it.
///
/// The name of an attached kind is the type of its items, and its plural is their list in
/// [`Structure`](crate::world::Structure).
macro_rules! kinds {
    ($which:ident => $make:ident) => {
        $crate::object::kinds::object_kinds! { kinds @with $which $make }
    };
    (@with $which:ident $make:ident $($objects:tt)*) => {
        $crate::scene::kinds::kinds! { @$which $make
            objects { $($objects)* }
            attached {
                /// Constraints, by name.
                Constraint(ConstraintDescription) constraint constraints {
                    /// Adds a constraint.
                    AddConstraint(Named<ConstraintDescription>) "add-constraint" adds,
                    /// Gives a constraint a new description: another target, length, angle, place or kind.
                    ChangeConstraint(Named<ConstraintDescription>) "change-constraint" changes,
                    /// Removes a constraint, by name.
                    Release(String) "release" removes,
                    /// Opens a clip, by name. It can catch again, as after it opened under load.
                    OpenClip(String) "open-clip" opens,
                    /// Closes a clip about a place of its rod, which then moves into the clip.
                    CloseClip(ClipAt) "close-clip" closes,
                }
                /// Loads, by name.
                Load(LoadDescription) load loads {
                    /// Adds a load.
                    AddLoad(Named<LoadDescription>) "add-load" adds,
                    /// Gives a load a new description.
                    ChangeLoad(Named<LoadDescription>) "change-load" changes,
                    /// Removes a load, by name.
                    RemoveLoad(String) "remove-load" removes,
                }
                /// Spring–dampers, by name.
                Spring(SpringDescription) spring springs {
                    /// Adds a spring–damper.
                    AddSpring(Named<SpringDescription>) "add-spring" adds,
                    /// Removes a spring–damper, by name.
                    RemoveSpring(String) "remove-spring" removes,
                }
                /// Winches, by name.
                Winch(WinchDescription) winch winches {
                    /// Adds a winch.
                    AddWinch(Named<WinchDescription>) "add-winch" adds,
                    /// Changes the time function of a winch, from the present length on.
                    ChangeWinch(Named<WinchDescription>) "change-winch" changes,
                    /// Removes a winch, by name: the rod keeps its present length.
                    RemoveWinch(String) "remove-winch" removes,
                }
                /// Shapes that are only drawn, by name.
                Scenery(SceneryDescription) scenery scenery {
                    /// Adds scenery.
                    AddScenery(Named<SceneryDescription>) "add-scenery" adds,
                    /// Gives scenery a new description.
                    ChangeScenery(Named<SceneryDescription>) "change-scenery" changes,
                    /// Removes scenery, by name.
                    RemoveScenery(String) "remove-scenery" removes,
                }
            }
        }
    };
    (@all $make:ident objects { $($object:tt)* } attached { $($attached:tt)* }) => {
        $make! { $($object)* $($attached)* }
    };
    (@objects $make:ident objects { $($object:tt)* } attached { $($attached:tt)* }) => {
        $make! { $($object)* }
    };
    (@attached $make:ident objects { $($object:tt)* } attached { $($attached:tt)* }) => {
        $make! { $($attached)* }
    };
}
pub(crate) use kinds;

macro_rules! kind {
    ($($(#[$doc:meta])* $Kind:ident($Description:ident) $word:ident $words:ident {$($edits:tt)*})*) => {
        /// A kind of named item of a scene.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Kind {
            $(#[doc = concat!("A ", stringify!($word), ".")] $Kind,)*
        }

        impl Kind {
            /// All kinds, in the order of scene files.
            pub const ALL: &[Self] = &[$(Self::$Kind),*];

            /// Its word in scene files.
            pub fn word(self) -> &'static str {
                match self {
                    $(Self::$Kind => stringify!($word),)*
                }
            }

            /// The plural of the word.
            pub fn plural(self) -> &'static str {
                match self {
                    $(Self::$Kind => stringify!($words),)*
                }
            }
        }

        /// A description of any kind.
        #[derive(Clone, Copy, Debug, PartialEq, Serialize)]
        #[serde(untagged)]
        pub enum Description<'a> {
            $(#[doc = concat!("Of a ", stringify!($word), ".")] $Kind(&'a $Description),)*
        }

        impl Description<'_> {
            /// The kind of thing that it describes.
            pub fn kind(&self) -> Kind {
                match self {
                    $(Self::$Kind(_) => Kind::$Kind,)*
                }
            }
        }
    };
}
kinds!(all => kind);

macro_rules! objects {
    ($($(#[$doc:meta])* $Kind:ident($Description:ident) $word:ident $words:ident {$($edits:tt)*})*) => {
        impl Kind {
            /// The kinds of objects: they have unknowns, and others are attached to them.
            pub const OBJECTS: &[Self] = &[$(Self::$Kind),*];
        }
    };
}
kinds!(objects => objects);

impl Kind {
    /// The kind with this word in scene files.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.word() == word)
    }

    /// Whether it is an object: it has unknowns, and others are attached to it.
    pub fn is_object(self) -> bool {
        Self::OBJECTS.contains(&self)
    }

    /// All kinds in the order in which a world is built.
    pub(crate) fn in_build_order() -> impl Iterator<Item = Self> {
        let stage = |kind: Self| match kind {
            kind if kind.is_object() => 0,
            // A place on a rod with a winch is measured from the other end.
            Self::Winch => 1,
            Self::Constraint => 3,
            _ => 2,
        };
        (0..=3).flat_map(move |k| Self::ALL.iter().copied().filter(move |kind| stage(*kind) == k))
    }

    /// Lists kinds in a sentence, as in "rod, mass or spring": `last` precedes the last of them, and `each`
    /// gives the words for one.
    pub fn list(kinds: &[Self], last: &str, each: impl Fn(Self) -> String) -> String {
        let mut said: Vec<String> = kinds.iter().map(|&kind| each(kind)).collect();
        match said.pop() {
            Some(end) if !said.is_empty() => format!("{} {last} {end}", said.join(", ")),
            only => only.unwrap_or_default(),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::Kind;

    #[test]
    fn kinds_are_listed_in_sentences() {
        let word = |kind: Kind| kind.to_string();
        assert_eq!(Kind::list(&[Kind::Rod, Kind::Mass, Kind::Winch], "and", word), "rod, mass and winch");
        let tables = Kind::list(&[Kind::Rod, Kind::Mass], "or", |kind| format!("a [{kind}.NAME]"));
        assert_eq!(tables, "a [rod.NAME] or a [mass.NAME]");
        assert_eq!(Kind::list(&[Kind::Load], "or", word), "load");
    }

    #[test]
    fn objects_are_built_first_then_winches_then_attached_items() {
        let order: Vec<Kind> = Kind::in_build_order().collect();
        assert!(order.starts_with(Kind::OBJECTS) && order[Kind::OBJECTS.len()] == Kind::Winch, "{order:?}");
        assert_eq!(order.len(), Kind::ALL.len());
        assert!(Kind::ALL.iter().all(|kind| order.contains(kind)), "{order:?}");
    }
}
