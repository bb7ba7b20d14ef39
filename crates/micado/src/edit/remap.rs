//! Remap: when material moves from one rod to another, everything attached to it follows.
//!
//! A place is material: an item attached at s of a rod is afterwards attached at s + shift of the new rod of
//! that material, with the same law, multipliers and frame. A distributed load is divided like the material.

use crate::constraint::keyhole::imposed_place;
use crate::constraint::{Constraint, ENDS, End, EndDescription};
use crate::describe::anchor::At;
use crate::error::BuildError;
use crate::load::{Distributed, Drag, LoadDescription, Spring, SpringState};
use crate::object::rod::window::window;
use crate::object::rod::{InitialRod, Rod, RodDescription};
use crate::object::{EndFrame, Initial, Object, ObjectKind};
use crate::scene::Kind;
use crate::world::World;
use crate::world::remap::Remap;
use glam::DVec3;

/// An object of the new world.
pub(crate) enum Successor {
    /// An unchanged object, by its index.
    Kept(usize),
    /// A rod that replaces others.
    Rod(Box<NewRod>),
}

/// A rod that replaces others, with its state.
pub(crate) struct NewRod {
    pub name: String,
    pub description: RodDescription,
    pub initial: InitialRod<Rod>,
}

/// A frame with its director turned about its tangent, to compensate for a new origin of the roll.
fn turned(frame: &EndFrame, by: f64) -> EndFrame {
    let (t, a1) = (DVec3::from_array(frame.tangent), DVec3::from_array(frame.director));
    let (sin, cos) = libm::sincos(by);
    EndFrame { director: (a1 * cos + t.cross(a1) * sin).to_array(), ..*frame }
}

impl World {
    /// The world with other objects, and all attached items relocated. `self` is unchanged.
    pub(crate) fn relocated(
        &self,
        successors: Vec<Successor>,
        relocation: &Remap,
    ) -> Result<World, BuildError> {
        let mut world = World::default();
        world.structure.gravity = self.structure.gravity.clone();
        world.structure.registry = self.structure.registry.clone();
        world.structure.version = self.structure.version;
        world.structure.contact = self.structure.contact.as_ref().map(|contact| {
            contact.inherited(|name, heirs| heirs.extend(relocation.of(name).map(|p| p.onto.clone())))
        });
        world.state.time = self.state.time;
        // New indices of the unchanged objects.
        let mut kept = vec![None; self.structure.objects.len()];
        for successor in successors {
            match successor {
                Successor::Kept(k) => {
                    kept[k] = Some(world.structure.objects.len());
                    self.copy_object(k, &mut world);
                }
                Successor::Rod(rod) => {
                    let NewRod { name, description, initial } = *rod;
                    let initial = Initial::from(initial).map(ObjectKind::Rod);
                    world.push_object(&name, description.into(), initial);
                }
            }
        }
        for kind in Kind::in_build_order() {
            self.relocate(kind, relocation, &kept, &mut world)?;
        }
        // Constraints keep their numbers.
        world.state.contacts.copy_from(&self.state.contacts);
        world.state.contacts.remap(|k| kept[k], Some);
        // Objects keep their mode; a new rod has that of its material.
        world.state.paces.cost = self.state.paces.cost;
        let mode = |name: &str| {
            let source = relocation.pieces.iter().find(|piece| piece.onto == name);
            let source = source.map_or(name, |piece| &piece.rod);
            self.structure
                .objects
                .iter()
                .position(|object| object.name == source)
                .and_then(|k| self.state.paces.objects.get(k))
        };
        world.state.paces.objects = world
            .structure
            .objects
            .iter()
            .map(|object| mode(&object.name).copied().unwrap_or_default())
            .collect();
        Ok(world)
    }

    /// Copies an object with its state to another world.
    pub(crate) fn copy_object(&self, k: usize, world: &mut World) {
        let object = &self.structure.objects[k];
        let (first, start) = (world.structure.node_mass.len(), world.state.frames.len());
        world
            .structure
            .node_mass
            .extend(&self.structure.node_mass[object.first..object.first + object.nodes()]);
        world.state.q.extend(&self.state.q[object.unknowns()]);
        world.state.v.extend(&self.state.v[object.unknowns()]);
        world.state.frames.extend(&self.state.frames[object.frames.clone()]);
        world.structure.objects.push(Object {
            index: world.structure.objects.len(),
            first,
            frames: start..world.state.frames.len(),
            ..object.clone()
        });
    }

    pub(crate) fn relocate_constraint(
        &self,
        k: usize,
        relocation: &Remap,
        kept: &[Option<usize>],
        world: &mut World,
    ) -> Result<(), BuildError> {
        let (old, mut memory) = (&self.structure.constraints[k], self.state.constraints[k].clone());
        let mut constraint = old.clone();
        if let Some(rods) = constraint.description.rods_mut() {
            relocation.rods(rods);
        }
        let mut rolls = [0.0; ENDS];
        let mut slides = [None; ENDS];
        let mut moved = [None; ENDS];
        for e in 0..ENDS {
            let (on, at) = match old.description.ends()[e] {
                EndDescription::World => continue,
                EndDescription::Place { on, at, .. } => (on, at),
                // It has slid from its described place.
                EndDescription::Sliding { on, .. } => (on, self.slid_to(k, e)),
                EndDescription::Caught { .. } if memory.open => continue,
                // The place that it holds, not the described one.
                EndDescription::Caught { .. } => {
                    (self.structure.objects[memory.held].name.as_str(), Some(At::Length(memory.held_at)))
                }
            };
            if let End::Sliding { object } = old.ends[e] {
                slides[e] = kept[object].map(|object| (object, memory.own[e]));
            }
            let Some((piece, at)) = relocation.place(on, at) else { continue };
            constraint.description.put(e, piece.onto.clone(), at);
            moved[e] = at;
            rolls[e] = piece.roll;
            memory.frames[e] = turned(&memory.frames[e], -piece.roll);
        }
        constraint.law.shift_roll_origins(rolls);
        let again = world.ends_again(&constraint.description, moved.map(|at| at.is_some()));
        let (ends, own) = again.map_err(|e| e.within(&format!("constraint.{}", constraint.name)))?;
        constraint.rods = world.rods_to_catch(&constraint.description)?;
        if let (false, Some(&first)) = (memory.open, constraint.rods.first()) {
            // The new rod was put first.
            memory.held = kept[memory.held].unwrap_or(first);
        }
        for e in 0..ENDS {
            if let (End::Caught { .. }, Some(at)) = (ends[e], moved[e]) {
                (memory.own[e], memory.own_start[e]) = (own[e], own[e]);
                memory.held_at =
                    at.along(world.structure.objects[memory.held].rod().map_or(0.0, Rod::length));
            }
            let End::Sliding { object } = ends[e] else { continue };
            // On an unchanged rod it keeps its position; on a new rod its position is `own` of the new
            // description.
            memory.own[e] = slides[e].map_or(own[e], |(_, own)| own);
            let object = &world.structure.objects[object];
            if let (true, None, EndDescription::Sliding { at, .. }, Some(rod)) = (
                e == 0 && constraint.law.is_imposed(),
                slides[e],
                constraint.description.ends()[e],
                object.rod(),
            ) {
                // Sliding continues from its present place.
                let s = rod.arc_length(at)?;
                constraint.law.set_imposed_position(s, self.state.time);
                memory.own[e] = imposed_place(rod, s);
            }
            memory.own_start[e] = memory.own[e];
            if slides[e].is_none() {
                // The parameter of a new rod has another scale.
                memory.own_rate[e] = 0.0;
            }
            memory.window[e] =
                object.rod().map_or(0, |rod| window(rod, object.place_at(memory.own[e]).segment));
        }
        world.structure.constraints.push(Constraint { ends, ..constraint });
        world.state.constraints.push(memory);
        Ok(())
    }

    /// Present rest arc length of a sliding end.
    fn slid_to(&self, k: usize, e: usize) -> Option<At> {
        let End::Sliding { object } = self.structure.constraints[k].ends[e] else { return None };
        let object = &self.structure.objects[object];
        let place = object.place_at(self.state.constraints[k].own[e]);
        object.rod().map(|rod| At::Length(rod.arc_at(place.segment, place.fraction)))
    }

    pub(crate) fn relocate_load(
        &self,
        name: &str,
        description: &LoadDescription,
        relocation: &Remap,
        world: &mut World,
    ) -> Result<(), BuildError> {
        let mut parts = match description {
            LoadDescription::Force(load) => {
                let mut load = load.clone();
                if let Some((piece, at)) = relocation.place(&load.on, load.at) {
                    (load.on, load.at) = (piece.onto.clone(), at);
                }
                vec![LoadDescription::Force(load)]
            }
            LoadDescription::Moment(load) => {
                let mut load = load.clone();
                if let Some((piece, at)) = relocation.place(&load.on, load.at) {
                    (load.on, load.at) = (piece.onto.clone(), at);
                }
                vec![LoadDescription::Moment(load)]
            }
            LoadDescription::Distributed(load) => relocation
                .parts(&load.on, load.from, load.to)
                .map(|(on, from, to)| {
                    LoadDescription::Distributed(Distributed { on: on.to_owned(), from, to, ..load.clone() })
                })
                .collect(),
            LoadDescription::Drag(load) => relocation
                .parts(&load.on, load.from, load.to)
                .map(|(on, from, to)| {
                    LoadDescription::Drag(Drag { on: on.to_owned(), from, to, ..load.clone() })
                })
                .collect(),
        };
        if parts.is_empty() {
            // Its object is unchanged.
            parts.push(description.clone());
        }
        let mut number = 1;
        for (k, part) in parts.iter().enumerate() {
            // The first part keeps the name, the others are numbered.
            let mut part_name = name.to_owned();
            while k > 0 && (part_name == name || !self.is_free(&part_name) || !world.is_free(&part_name)) {
                number += 1;
                part_name = format!("{name}-{number}");
            }
            world.add_load_again(&part_name, part).map_err(|e| e.within(&format!("load.{name}")))?;
        }
        Ok(())
    }

    pub(crate) fn relocate_spring(
        &mut self,
        spring: &Spring,
        state: &SpringState,
        relocation: &Remap,
    ) -> Result<(), BuildError> {
        let (mut spring, mut state) = (spring.clone(), *state);
        let (from, to) = spring.description.ends_mut();
        let needs_frame = spring.law.turns();
        for (k, end) in [from, to].into_iter().enumerate() {
            if let Some((on, at)) = end.along_mut()
                && let Some(piece) = relocation.put(on, at)
            {
                state.frames[k] = turned(&state.frames[k], -piece.roll);
            }
            spring.ends[k] = self
                .spring_end(end, needs_frame)
                .map_err(|e| e.within(&format!("spring.{}", spring.name)))?;
        }
        self.structure.springs.push(spring);
        self.state.springs.push(state);
        Ok(())
    }
}
