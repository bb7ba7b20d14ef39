//! The world: structure (which items exist) and state (their present values).

mod build_constraint;
mod build_load;
mod build_object;
mod contact_memory;
mod duplicates;
mod explicit_support;
pub(crate) mod islands;
pub(crate) mod kinds;
pub mod observe;
pub(crate) mod pace;
mod pace_switch;
pub mod redescribe;
mod refusal;
pub(crate) mod remap;
mod revision;
mod size;
pub(crate) mod sliding;
pub mod snapshot;
mod state;
mod structure;
mod winch;

pub use contact_memory::{ContactKey, ContactMemory, Remembered, Source, Toucher};
pub use pace::Paces;
pub use pace_switch::{FilteredCost, Pace};
pub use refusal::{Refusal, Spot};
pub(crate) use revision::Revision;
pub use state::{History, State};
pub use structure::Structure;
pub use winch::Winch;

use crate::describe::anchor::At;
use crate::error::BuildError;
use crate::object::EndFrame;
use crate::object::PointMass;
use crate::object::rod::{InitialRod, Rod, RodDescription};
use crate::object::{Object, ObjectDescription, ObjectKind};
use crate::object::{Place, Poses};
use crate::scene::{Integrator, Kind, Scene};

/// A world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct World {
    /// Structure.
    pub(crate) structure: Structure,
    /// State.
    pub(crate) state: State,
}

impl World {
    /// Builds what a scene describes, at time 0.
    ///
    /// # Errors
    /// The first description that can't be used, by its path in the scene file.
    pub fn build(scene: &Scene) -> Result<Self, BuildError> {
        let mut world = Self::default();
        if Kind::OBJECTS.iter().all(|&kind| scene.count(kind) == 0) {
            let none = Kind::list(Kind::OBJECTS, "and", |kind| format!("no {kind}"));
            let one = Kind::list(Kind::OBJECTS, "or", |kind| format!("a [{kind}.NAME]"));
            return Err(BuildError::new("rod", format!("the scene has {none}"), format!("add {one}")));
        }
        scene.settings.gravity.check("settings.gravity")?;
        world.structure.gravity = scene.settings.gravity.clone();
        world.structure.explicit = scene.settings.integrator == Integrator::Explicit;
        for kind in Kind::in_build_order() {
            for (name, description) in scene.descriptions(kind) {
                world.add(name, description).map_err(|e| e.within(&format!("{kind}.{name}")))?;
            }
        }
        world.mark_duplicates();
        Ok(world)
    }

    /// The structure.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The present poses of its objects.
    pub(crate) fn poses(&self) -> Poses<'_> {
        self.structure.poses(&self.state)
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// The object of this name.
    ///
    /// # Errors
    /// There is none; `path` names the field that refers to it.
    pub fn object(&self, path: &str, name: &str) -> Result<&Object, BuildError> {
        let all = &self.structure.objects;
        all.iter().find(|o| o.name == name).ok_or_else(|| {
            let what = Kind::list(Kind::OBJECTS, "or", |kind| kind.to_string());
            unknown(path, &what, name, all.iter().map(|o| o.name.as_str()))
        })
    }

    /// Whether any target, load or gravity changes in time.
    pub fn changes_in_time(&self) -> bool {
        self.structure.gravity.moves() || self.anything_attached_moves()
    }

    pub(crate) fn add_rod(&mut self, name: &str, description: &RodDescription) -> Result<(), BuildError> {
        let mut description = description.clone();
        if self.structure.explicit {
            explicit_support::check_rod(&description)?;
            description.inextensible = true;
        }
        let initial = Rod::build(&description)?;
        if initial.rod.segments() == 1 {
            // Mean and slope of stretch can't determine the four control points of a single cubic along it.
            return Err(BuildError::new(
                "segments",
                "a rod of one segment has an undetermined stretch",
                "give at least 2",
            ));
        }
        self.push_rod(name, description, initial);
        Ok(())
    }

    /// Adds a rod with its initial state.
    pub(crate) fn push_rod(&mut self, name: &str, description: RodDescription, initial: InitialRod<Rod>) {
        let first = self.structure.node_mass.len();
        self.structure.node_mass.extend((0..initial.rod.nodes()).map(|i| initial.rod.node_mass(i)));
        let frames = self.state.frames.len()..self.state.frames.len() + initial.frames.len();
        self.state.q.extend(&initial.q);
        self.state.v.extend(&initial.v);
        self.state.frames.extend(&initial.frames);
        self.structure.objects.push(Object {
            name: name.to_owned(),
            description: ObjectDescription::Rod(Box::new(description)),
            kind: ObjectKind::Rod(initial.rod),
            index: self.structure.objects.len(),
            first,
            frames,
        });
    }

    pub(crate) fn add_mass(
        &mut self,
        name: &str,
        description: &crate::object::MassDescription,
    ) -> Result<(), BuildError> {
        let mass = PointMass::build(description)?;
        let first = self.structure.node_mass.len();
        let ([x, y, z], [vx, vy, vz]) = (description.position, description.velocity);
        self.state.q.extend([x, y, z, 0.0]);
        self.state.v.extend([vx, vy, vz, 0.0]);
        self.structure.node_mass.push(mass.mass);
        let frames = self.state.frames.len()..self.state.frames.len();
        self.structure.objects.push(Object {
            name: name.to_owned(),
            description: ObjectDescription::Mass(description.clone()),
            kind: ObjectKind::Mass(mass),
            index: self.structure.objects.len(),
            first,
            frames,
        });
        Ok(())
    }

    /// The place that a description names.
    ///
    /// # Errors
    /// No such object, a place that is not on it, or a frame of a mass.
    pub fn place(&self, on: &str, at: Option<At>, needs_frame: bool) -> Result<Place, BuildError> {
        let object = self.object("on", on)?;
        Ok(object.model().place(on, at, needs_frame)?.of_object(object.index))
    }

    /// Present tangent and reference director at a place.
    pub(crate) fn frame_at(&self, place: &Place) -> EndFrame {
        self.structure.poses(&self.state).frame(place)
    }
}

/// Error for an unknown name; lists the known ones.
pub(crate) fn unknown<'a>(
    path: &str,
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> BuildError {
    let known: Vec<&str> = known.collect();
    let remedy = if known.is_empty() {
        format!("there is no {what} yet")
    } else {
        format!("there are: {}", known.join(", "))
    };
    BuildError::unknown_name(path, what, name, remedy)
}
