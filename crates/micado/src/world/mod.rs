//! The world: structure (what exists) and state (where it is).

mod build_constraint;
mod build_load;
mod duplicates;
mod explicit_support;
pub(crate) mod islands;
pub mod observe;
pub(crate) mod pace;
mod pace_switch;
pub mod redescribe;
mod refusal;
mod revision;
mod size;
pub(crate) mod sliding;
pub mod snapshot;
mod state;
mod structure;
mod winch;

pub use pace::Paces;
pub use pace_switch::{FilteredCost, Pace};
pub use refusal::{Refusal, Spot};
pub(crate) use revision::Revision;
pub use state::{History, State};
pub use structure::Structure;
pub use winch::Winch;

use crate::constraint::Law;
use crate::describe::anchor::At;
use crate::error::BuildError;
use crate::load::SpringEndPlace;
use crate::object::EndFrame;
use crate::object::PointMass;
use crate::object::rod::{InitialRod, Rod, RodDescription};
use crate::object::{Object, ObjectDescription, ObjectKind};
use crate::object::{Place, PlaceKind, Poses};
use crate::scene::{Integrator, Scene};

/// A world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct World {
    /// What exists.
    pub(crate) structure: Structure,
    /// Where it is.
    pub(crate) state: State,
}

impl World {
    /// Builds what a scene describes, at time 0.
    ///
    /// # Errors
    /// The first description that can't be used, by its path in the scene file.
    pub fn build(scene: &Scene) -> Result<Self, BuildError> {
        let mut world = Self::default();
        if scene.rod.is_empty() && scene.mass.is_empty() {
            return Err(BuildError::new(
                "rod",
                "the scene has no rod and no mass",
                "add a [rod.NAME] or a [mass.NAME]",
            ));
        }
        scene.settings.gravity.check("settings.gravity")?;
        world.structure.gravity = scene.settings.gravity.clone();
        world.structure.explicit = scene.settings.integrator == Integrator::Explicit;
        for (name, rod) in &scene.rod {
            world.add_rod(name, rod).map_err(|e| e.within(&format!("rod.{name}")))?;
        }
        for (name, mass) in &scene.mass {
            world.add_mass(name, mass).map_err(|e| e.within(&format!("mass.{name}")))?;
        }
        for (name, winch) in &scene.winch {
            world.add_winch(name, winch).map_err(|e| e.within(&format!("winch.{name}")))?;
        }
        for (name, load) in &scene.load {
            world.add_load(name, load).map_err(|e| e.within(&format!("load.{name}")))?;
        }
        for (name, spring) in &scene.spring {
            world.add_spring(name, spring).map_err(|e| e.within(&format!("spring.{name}")))?;
        }
        for (name, constraint) in &scene.constraint {
            world.add_constraint(name, constraint).map_err(|e| e.within(&format!("constraint.{name}")))?;
        }
        world.mark_duplicates();
        Ok(world)
    }

    /// What exists.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Where its objects are.
    pub(crate) fn poses(&self) -> Poses<'_> {
        self.structure.poses(&self.state)
    }

    /// Where it is.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    pub(crate) fn constraint_index(&self, name: &str) -> Result<usize, BuildError> {
        let all = &self.structure.constraints;
        all.iter()
            .position(|c| c.name == name)
            .ok_or_else(|| unknown("name", "constraint", name, all.iter().map(|c| &c.name)))
    }

    pub(crate) fn winch_index(&self, name: &str) -> Result<usize, BuildError> {
        let all = &self.structure.winches;
        all.iter()
            .position(|w| w.name == name)
            .ok_or_else(|| unknown("name", "winch", name, all.iter().map(|w| &w.name)))
    }

    pub(crate) fn load_index(&self, name: &str) -> Result<usize, BuildError> {
        let all = &self.structure.loads;
        all.iter()
            .position(|l| l.name == name)
            .ok_or_else(|| unknown("name", "load", name, all.iter().map(|l| &l.name)))
    }

    /// The object of this name.
    ///
    /// # Errors
    /// There is none; `path` names the field that asked for it.
    pub fn object(&self, path: &str, name: &str) -> Result<&Object, BuildError> {
        let all = &self.structure.objects;
        all.iter()
            .find(|o| o.name == name)
            .ok_or_else(|| unknown(path, "rod or mass", name, all.iter().map(|o| &o.name)))
    }

    /// Probes and edits find everything by its name alone, so names are shared by nothing.
    pub(crate) fn check_new_name(&self, what: &str, name: &str) -> Result<(), BuildError> {
        let Structure { objects, constraints, loads, springs, winches, .. } = &self.structure;
        let taken = if name.trim().is_empty() {
            return Err(BuildError::new("", format!("a {what} without a name"), "give it a name"));
        } else if name == "world" {
            return Err(BuildError::new(
                "",
                "`world` is what probes call the whole scene",
                "give it another name",
            ));
        } else if let Some(object) = objects.iter().find(|o| o.name == name) {
            object.model().word()
        } else if constraints.iter().any(|c| c.name == name) {
            "constraint"
        } else if loads.iter().any(|l| l.name == name) {
            "load"
        } else if springs.iter().any(|s| s.name == name) {
            "spring"
        } else if winches.iter().any(|w| w.name == name) {
            "winch"
        } else {
            return Ok(());
        };
        Err(BuildError::new(
            "",
            format!("the {what} `{name}` has the name of a {taken} `{name}`"),
            "give every rod, mass, constraint, load, spring and winch a name of its own",
        ))
    }

    /// Whether any target, load or gravity changes in time.
    pub fn changes_in_time(&self) -> bool {
        let Structure { gravity, constraints, loads, springs, winches, .. } = &self.structure;
        let ends = || springs.iter().flat_map(|spring| &spring.ends);
        gravity.moves()
            || constraints.iter().zip(&self.state.constraints).any(|(constraint, memory)| {
                constraint.law.moves() || matches!(&constraint.law, Law::Clip(jaws) if jaws.is_inserting(&memory.clip, self.state.time))
            })
            || loads.iter().any(|load| load.law.moves())
            || winches.iter().any(|winch| winch.description.pay_out.moves())
            || ends().any(|end| matches!(end, SpringEndPlace::World(point) if point.moves()))
    }

    /// Adds an object as it is described.
    pub(crate) fn add_object(
        &mut self,
        name: &str,
        description: &ObjectDescription,
    ) -> Result<(), BuildError> {
        match description {
            ObjectDescription::Rod(rod) => self.add_rod(name, rod),
            ObjectDescription::Mass(mass) => self.add_mass(name, mass),
        }
    }

    pub(crate) fn add_rod(&mut self, name: &str, description: &RodDescription) -> Result<(), BuildError> {
        self.check_new_name("rod", name)?;
        let mut description = description.clone();
        if self.structure.explicit {
            explicit_support::check_rod(&description)?;
            description.inextensible = true;
        }
        let laid = Rod::build(&description)?;
        if laid.rod.segments() == 1 {
            // Mean and slope of stretch can't hold the four control points of a single cubic along it.
            return Err(BuildError::new("segments", "one segment can slide along itself", "give at least 2"));
        }
        self.push_rod(name, description, laid);
        Ok(())
    }

    /// Adds a rod that was laid already.
    pub(crate) fn push_rod(&mut self, name: &str, description: RodDescription, laid: InitialRod<Rod>) {
        let first = self.structure.node_mass.len();
        self.structure.node_mass.extend((0..laid.rod.nodes()).map(|i| laid.rod.node_mass(i)));
        let frames = self.state.frames.len()..self.state.frames.len() + laid.frames.len();
        self.state.q.extend(&laid.q);
        self.state.v.extend(&laid.v);
        self.state.frames.extend(&laid.frames);
        self.structure.objects.push(Object {
            name: name.to_owned(),
            description: ObjectDescription::Rod(Box::new(description)),
            kind: ObjectKind::Rod(laid.rod),
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
        self.check_new_name("mass", name)?;
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
    /// No such object, a place that is not on it, or a frame asked of a mass.
    pub fn place(&self, on: &str, at: Option<At>, needs_frame: bool) -> Result<Place, BuildError> {
        let object = self.object("on", on)?;
        Ok(object.model().place(on, at, needs_frame)?.of_object(object.index))
    }

    /// Tangent and reference director at a place, as they are now.
    pub(crate) fn frame_at(&self, place: &Place) -> EndFrame {
        let Some(object) = place.object().map(|object| &self.structure.objects[object]) else {
            return EndFrame::default();
        };
        if place.kind != PlaceKind::Curve {
            return EndFrame::default();
        }
        let own = object.own(&self.state.q, &self.state.frames);
        let director = object.model().reference_director(own, place);
        let p = place.derivative(own.q);
        let t = p / p.length();
        EndFrame {
            tangent: t.to_array(),
            director: crate::geometry::rotation::orthonormal_to(t, director).to_array(),
        }
    }
}

/// An unknown name, with the names that there are.
pub(crate) fn unknown<'a>(
    path: &str,
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a String>,
) -> BuildError {
    let known: Vec<&str> = known.map(String::as_str).collect();
    let remedy = if known.is_empty() {
        format!("there is no {what} yet")
    } else {
        format!("there are: {}", known.join(", "))
    };
    BuildError::unknown_name(path, what, name, remedy)
}
