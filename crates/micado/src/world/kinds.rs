//! Operations of a world on every kind of item, generated from the list of kinds.
//!
//! A kind implements them beside the function that builds it: objects in `build_object.rs`, constraints in
//! `build_constraint.rs`, loads and springs in `build_load.rs`, scenery in `scenery.rs`, winches in
//! `edit/winch/`.

use super::{Scenery, State, Structure, Winch, World, unknown};
use crate::error::BuildError;
use crate::object::{Object, ObjectDescription};
use crate::scene::kinds::{kinds, types::*};
use crate::scene::{Description, Kind, Probe};
use crate::world::remap::Remap;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A description from which a world can be built. The index of an item is that in the list of objects, or in
/// the list of its kind.
pub(crate) trait Buildable {
    /// Adds the described item. The name is new.
    fn add(&self, world: &mut World, name: &str) -> Result<(), BuildError>;

    /// Adds it during a run, where the state must be continuous.
    fn add_in_run(&self, world: &mut World, name: &str) -> Result<(), BuildError> {
        self.add(world, name)
    }

    /// Changes the description of an item of its kind.
    fn change(&self, _: &mut World, name: &str, _index: usize) -> Result<(), BuildError> {
        Err(BuildError::new("", format!("`{name}` can't be changed"), "add another one"))
    }

    /// Removes an item.
    fn remove(_: &mut World, _index: usize) -> Result<(), BuildError>
    where
        Self: Sized,
    {
        Err(BuildError::new("", "it can't be removed", "leave it"))
    }

    /// Names of the objects to which it is attached.
    fn objects(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Whether probes can read such items.
    fn is_probed() -> bool
    where
        Self: Sized,
    {
        false
    }

    /// Reads a probe of an item. In a `still` world all velocities are zero.
    fn read(_: &World, _index: usize, probe: &Probe, _still: bool) -> Result<f64, BuildError>
    where
        Self: Sized,
    {
        Err(BuildError::new("of", format!("no probe can look at `{}`", probe.of), "name something else"))
    }
}

/// An item of a world that is not an object. It may be attached to objects, and moves with their material.
pub(crate) trait Attached: Sized {
    /// Its data in a snapshot.
    type Saved: Serialize + DeserializeOwned;

    /// Returns its data for a snapshot.
    fn save(&self) -> Self::Saved;

    /// Adds it to a world that is being restored and has its objects as built; `state` is the final state.
    fn restore(saved: Self::Saved, world: &mut World, state: &State) -> Result<(), BuildError>;

    /// Adds item number `index` of one world to another in which rods were replaced. `kept` has the new
    /// indices of the objects that stay.
    fn relocate(
        from: &World,
        index: usize,
        remap: &Remap,
        kept: &[Option<usize>],
        to: &mut World,
    ) -> Result<(), BuildError>;

    /// Whether it changes in time.
    fn moves(_: &World, _index: usize) -> bool {
        false
    }
}

macro_rules! buildable {
    ($($(#[$doc:meta])* $Kind:ident($Description:ident) $word:ident $words:ident {$($edits:tt)*})*) => {
        impl<'a> Description<'a> {
            /// The operations of the world on it.
            pub(crate) fn buildable(self) -> &'a dyn Buildable {
                match self {
                    $(Self::$Kind(words) => words,)*
                }
            }
        }

        impl Kind {
            /// Whether probes can read such items.
            pub(crate) fn is_probed(self) -> bool {
                match self {
                    $(Self::$Kind => $Description::is_probed(),)*
                }
            }
        }

        impl World {
            /// Removes an item.
            pub(crate) fn remove(&mut self, kind: Kind, index: usize) -> Result<(), BuildError> {
                match kind {
                    $(Kind::$Kind => $Description::remove(self, index),)*
                }
            }

            /// Reads a probe of an item.
            pub(crate) fn read_thing(
                &self,
                kind: Kind,
                index: usize,
                probe: &Probe,
                still: bool,
            ) -> Result<f64, BuildError> {
                match kind {
                    $(Kind::$Kind => $Description::read(self, index, probe, still),)*
                }
            }
        }
    };
}
kinds!(all => buildable);

macro_rules! objects {
    ($($(#[$doc:meta])* $Kind:ident($Description:ident) $word:ident $words:ident {$($edits:tt)*})*) => {
        impl ObjectDescription {
            /// The description with its kind.
            pub fn as_description(&self) -> Description<'_> {
                match self {
                    $(Self::$Kind(words) => Description::$Kind(words),)*
                }
            }
        }
    };
}
kinds!(objects => objects);

macro_rules! attached {
    ($($(#[$doc:meta])* $Kind:ident($Description:ident) $word:ident $words:ident {$($edits:tt)*})*) => {
        impl Structure {
            /// Names and descriptions of all items: objects first, then kind by kind.
            pub fn descriptions(&self) -> impl Iterator<Item = (&str, Description<'_>)> {
                let objects = self.objects.iter();
                objects.map(|object| (object.name.as_str(), object.description.as_description()))
                    $(.chain(
                        self.$words
                            .iter()
                            .map(|thing| (thing.name.as_str(), Description::$Kind(&thing.description))),
                    ))*
            }
        }

        impl World {
            /// Whether any attached item changes in time.
            pub(super) fn anything_attached_moves(&self) -> bool {
                $((0..self.structure.$words.len()).any(|index| $Kind::moves(self, index)))||*
            }

            /// Adds all attached items of a kind to a world in which rods were replaced.
            pub(crate) fn relocate(
                &self,
                kind: Kind,
                remap: &Remap,
                kept: &[Option<usize>],
                to: &mut World,
            ) -> Result<(), BuildError> {
                match kind {
                    $(Kind::$Kind => (0..self.structure.$words.len())
                        .try_for_each(|index| $Kind::relocate(self, index, remap, kept, to)),)*
                    _ => Ok(()),
                }
            }
        }
    };
}
kinds!(attached => attached);

impl Object {
    /// Its word in scene files.
    pub fn word(&self) -> &'static str {
        self.description.as_description().kind().word()
    }
}

impl Structure {
    /// Kind and name of all items.
    pub fn names(&self) -> impl Iterator<Item = (Kind, &str)> {
        self.descriptions().map(|(name, description)| (description.kind(), name))
    }

    /// Whether an item has this name.
    pub fn has_name(&self, name: &str) -> bool {
        self.names().any(|(_, taken)| taken == name)
    }

    /// Kind and index of the item of this name.
    pub(crate) fn find(&self, name: &str) -> Option<(Kind, usize)> {
        let (number, (kind, _)) = self.names().enumerate().find(|(_, (_, taken))| *taken == name)?;
        let before = |(other, _): &(Kind, &str)| *other == kind || kind.is_object();
        Some((kind, self.names().take(number).filter(before).count()))
    }
}

impl World {
    /// Adds an item under a new name.
    pub(crate) fn add(&mut self, name: &str, description: Description<'_>) -> Result<(), BuildError> {
        self.check_new_name(description.kind(), name)?;
        description.buildable().add(self, name)
    }

    /// Adds an item under a new name during a run.
    pub(crate) fn add_in_run(&mut self, name: &str, description: Description<'_>) -> Result<(), BuildError> {
        self.check_new_name(description.kind(), name)?;
        description.buildable().add_in_run(self, name)
    }

    /// Index of the item of this kind and name.
    ///
    /// # Errors
    /// There is none; `path` names the field that refers to it.
    pub(crate) fn index_of(&self, kind: Kind, path: &str, name: &str) -> Result<usize, BuildError> {
        match self.structure.find(name) {
            Some((found, index)) if found == kind => Ok(index),
            _ => {
                let known = self.structure.names().filter(|(known, _)| *known == kind);
                Err(unknown(path, kind.word(), name, known.map(|(_, name)| name)))
            }
        }
    }

    /// Whether a new item could have this name.
    pub(crate) fn is_free(&self, name: &str) -> bool {
        !name.trim().is_empty() && name != "world" && !self.structure.has_name(name)
    }

    /// Checks that a name is new: probes and edits find items by name only.
    pub(crate) fn check_new_name(&self, kind: Kind, name: &str) -> Result<(), BuildError> {
        if name.trim().is_empty() {
            return Err(BuildError::new("", format!("a {kind} without a name"), "give it a name"));
        }
        if name == "world" {
            return Err(BuildError::new(
                "",
                "`world` is reserved for probes of the whole scene",
                "give it another name",
            ));
        }
        let Some((taken, _)) = self.structure.find(name) else { return Ok(()) };
        let all = Kind::list(Kind::ALL, "and", |kind| kind.to_string());
        Err(BuildError::new(
            "",
            format!("the {kind} `{name}` has the name of a {taken} `{name}`"),
            format!("give every {all} a name of its own"),
        ))
    }
}
