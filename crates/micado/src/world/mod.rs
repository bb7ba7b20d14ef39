//! The world: structure (which items exist) and state (their present values).

mod build_constraint;
mod build_contact;
mod build_load;
mod build_object;
mod contact_memory;
mod corners;
mod duplicates;
mod explicit_support;
pub(crate) mod islands;
mod joined;
pub(crate) mod kinds;
mod linking;
mod load_of;
pub mod observe;
pub(crate) mod pace;
mod pace_switch;
pub mod redescribe;
mod refusal;
pub(crate) mod remap;
mod revision;
mod scenery;
mod size;
pub(crate) mod sliding;
pub mod snapshot;
mod soft_rows;
mod state;
mod structure;
mod surface_contacts;
mod swept_support;
pub(crate) mod touching;
mod winch;

pub use contact_memory::{ContactKey, ContactMemory, Mark, Remembered, Source, Toucher};
pub(crate) use corners::Corner;
pub use pace::Paces;
pub use pace_switch::{FilteredCost, Pace};
pub use refusal::{Refusal, Spot};
pub(crate) use revision::Revision;
pub use scenery::Scenery;
pub use state::{History, State};
pub use structure::Structure;
pub use surface_contacts::SurfaceContact;
pub use winch::Winch;

use crate::describe::anchor::At;
use crate::error::BuildError;
use crate::object::EndFrame;
use crate::object::{Initial, Object, ObjectDescription, ObjectKind};
use crate::object::{Place, Poses};
use crate::scene::{Integrator, Kind, Registry, Scene};
use micado_linalg::pages;

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
        Self::build_with(scene, &Registry::default())
    }

    /// Builds a scene with custom kinds, at time 0.
    ///
    /// # Errors
    /// The first description that can't be used, by its path in the scene file.
    pub fn build_with(scene: &Scene, registry: &Registry) -> Result<Self, BuildError> {
        let mut world = Self::default();
        world.structure.registry = registry.clone();
        if Kind::OBJECTS.iter().all(|&kind| scene.count(kind) == 0) {
            let none = Kind::list(Kind::OBJECTS, "and", |kind| format!("no {kind}"));
            let one = Kind::list(Kind::OBJECTS, "or", |kind| format!("a [{kind}.NAME]"));
            return Err(BuildError::new("rod", format!("the scene has {none}"), format!("add {one}")));
        }
        scene.settings.gravity.check("settings.gravity")?;
        world.structure.gravity = scene.settings.gravity.clone();
        world.structure.explicit = scene.settings.integrator == Integrator::Explicit;
        world.structure.swept = scene.settings.swept();
        let (objects, attached): (Vec<Kind>, Vec<Kind>) =
            Kind::in_build_order().partition(|kind| kind.is_object());
        world.add_all(scene, &objects)?;
        world.take_contact(scene)?;
        world.add_all(scene, &attached)?;
        world.mark_duplicates();
        world.find_touching()?;
        let World { structure, state } = &mut world;
        structure.objects = pages::moved(std::mem::take(&mut structure.objects));
        structure.constraints = pages::moved(std::mem::take(&mut structure.constraints));
        state.constraints = pages::moved(std::mem::take(&mut state.constraints));
        Ok(world)
    }

    /// Adds all items of some kinds.
    fn add_all(&mut self, scene: &Scene, kinds: &[Kind]) -> Result<(), BuildError> {
        for &kind in kinds {
            for (name, description) in scene.descriptions(kind) {
                self.add(name, description).map_err(|e| e.within(&format!("{kind}.{name}")))?;
            }
        }
        Ok(())
    }

    /// The structure.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// The present poses of its objects.
    pub fn poses(&self) -> Poses<'_> {
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

    /// Builds and adds an object.
    pub(crate) fn add_object(
        &mut self,
        name: &str,
        description: ObjectDescription,
    ) -> Result<(), BuildError> {
        let description =
            if self.structure.explicit { description.for_explicit_steps()? } else { description };
        let initial = description.build()?;
        if self.structure.swept.is_some() {
            swept_support::check_object(&initial)?;
        }
        self.push_object(name, description, initial);
        Ok(())
    }

    /// Adds an object with its initial state.
    pub(crate) fn push_object(
        &mut self,
        name: &str,
        description: ObjectDescription,
        initial: Initial<ObjectKind>,
    ) {
        let Initial { model: kind, q, v, frames } = initial;
        let (first, before) = (self.structure.node_mass.len(), self.state.frames.len());
        let model = kind.model();
        self.structure.node_mass.extend((0..model.nodes()).map(|node| model.node_mass(node)));
        self.state.q.extend(&q);
        self.state.v.extend(&v);
        self.state.frames.extend(&frames);
        self.structure.objects.push(Object {
            name: name.to_owned(),
            description,
            kind,
            index: self.structure.objects.len(),
            first,
            frames: before..self.state.frames.len(),
        });
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
