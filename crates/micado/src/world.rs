//! The world: structure (what exists) and state (where it is).

use crate::anchor::At;
use crate::body::PointMass;
use crate::constraint::{Constraint, End, EndOfCurve, Law};
use crate::edit::{ClipAt, Edit, Named};
use crate::error::BuildError;
use crate::explicitly;
use crate::identity::Identity;
use crate::load::{Load, Spring, SpringEndPlace};
use crate::object::{Object, ObjectDescription, ObjectKind};
use crate::relocate::Relocation;
use crate::rod::Place;
use crate::rod::{Laid, Rod, RodDescription};
use crate::scene::{Integrator, Scene};
use crate::signal::Signal;
use crate::state::{EndFrame, State};
use crate::step::slid_off;
use crate::winch::Winch;

/// What exists. Changed only by edits; winches change the length of their rods, and what follows from it, to
/// what the state says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Structure {
    /// Gravity, m/s².
    pub gravity: Signal<[f64; 3]>,
    /// Rods and masses.
    pub objects: Vec<Object>,
    /// Constraints.
    pub constraints: Vec<Constraint>,
    /// Loads.
    pub loads: Vec<Load>,
    /// Spring–dampers.
    pub springs: Vec<Spring>,
    /// Winches.
    pub winches: Vec<Winch>,
    /// Whether it is stepped explicitly: rods are then inextensible, and only smooth constraints take part.
    pub explicit: bool,
    /// Mass that gravity finds at each node, kg.
    pub node_mass: Vec<f64>,
    /// Grows with every edit.
    pub version: u64,
    /// Which structure it is.
    pub(crate) identity: Identity,
}

impl Structure {
    /// What decides the pattern of the linear system, as numbers: structures with the same signature can
    /// share a workspace. `pairs`: with room for what constraints add between their two ends.
    pub(crate) fn signature(&self, state: &State, pairs: bool, tell: &mut impl FnMut(u32)) {
        // Room between ends makes a difference only where there are two, or where something slides: dynamic
        // steps give that no node.
        let pairs = pairs
            && self
                .constraints
                .iter()
                .any(|constraint| constraint.is_relative() || constraint.only_own_unknown().is_some());
        [self.objects.len(), self.constraints.len(), self.springs.len(), usize::from(pairs)]
            .into_iter()
            .for_each(|count| tell(count as u32));
        for object in &self.objects {
            let kind = object.rod().map_or(0, |rod| {
                1 + usize::from(rod.is_closed())
                    + 2 * rod.model() as usize
                    + 16 * usize::from(rod.inextensible().is_some())
            });
            [object.first, object.nodes(), kind].into_iter().for_each(|number| tell(number as u32));
        }
        for (constraint, memory) in self.constraints.iter().zip(&state.constraints) {
            let own = constraint.own_unknowns(memory);
            tell(constraint.rows(memory) as u32);
            let shares_own = memory.redundant && (own[0] || own[1]);
            let kind =
                [own[0], own[1], memory.stiff, shares_own, constraint.wanders(), constraint.law.pushes()];
            tell(
                kind.into_iter().fold(memory.copy_of.map_or(0, |leader| leader + 1), |bits, bit| {
                    2 * bits + u32::from(bit)
                }),
            );
            for (e, end) in constraint.ends.iter().enumerate() {
                match end {
                    End::World => tell(u32::MAX),
                    End::Fixed { place, framed } => place_signature(place, *framed, tell),
                    End::Clipped { .. } if memory.clip.open => tell(u32::MAX),
                    End::Clipped { framed } => place_signature(
                        &self.objects[memory.clip.rod].fixed_place_at(memory.own[e]),
                        *framed,
                        tell,
                    ),
                    End::Sliding { object } if !pairs && constraint.is_pearl() => tell(*object as u32),
                    End::Sliding { object } => {
                        tell(*object as u32);
                        tell(memory.window[e]);
                    }
                }
            }
        }
        for place in self.springs.iter().flat_map(|spring| &spring.ends).filter_map(SpringEndPlace::place) {
            place.nodes.into_iter().for_each(&mut *tell);
            tell(place.count as u32);
        }
    }
}

/// What a place decides of the pattern: its nodes, which follow from the first, and which of them it depends
/// on.
fn place_signature(place: &Place, framed: bool, tell: &mut impl FnMut(u32)) {
    tell(place.nodes[0]);
    tell((0..4).fold(u32::from(framed) << 4, |mask, k| mask | (u32::from(place.touches(k, framed)) << k)));
}

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
        world.mark_copies();
        Ok(world)
    }

    /// What exists.
    pub fn structure(&self) -> &Structure {
        &self.structure
    }

    /// Where it is.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.state.time
    }

    /// Applies an edit.
    ///
    /// # Errors
    /// The edit can't be applied; the world is as it was.
    pub fn apply(&mut self, edit: &Edit) -> Result<(), BuildError> {
        self.apply_and_relocate(edit).map(|_| ())
    }

    /// Applies an edit and says where material has gone.
    pub(crate) fn apply_and_relocate(&mut self, edit: &Edit) -> Result<Relocation, BuildError> {
        let mut relocation = Relocation::default();
        let within = |word: &'static str| move |e: BuildError| e.within(&format!("{word}.to"));
        match edit {
            Edit::AddRod(Named { name, to }) => self.add_rod(name, to).map_err(within("add-rod")),
            Edit::AddMass(Named { name, to }) => self.add_mass(name, to).map_err(within("add-mass")),
            Edit::AddConstraint(Named { name, to }) => {
                self.add_constraint(name, to).map_err(within("add-constraint"))
            }
            Edit::ChangeConstraint(Named { name, to }) => {
                let index = self.constraint_index(name).map_err(|e| e.within("change-constraint"))?;
                let (constraint, state) =
                    self.make_constraint(name, to).map_err(within("change-constraint"))?;
                self.hand_to_copy(index);
                self.structure.constraints[index] = constraint;
                self.state.constraints[index] = state;
                Ok(())
            }
            Edit::Release(name) => {
                let index =
                    self.constraint_index(name).map_err(|e| BuildError { path: "release".into(), ..e })?;
                self.hand_to_copy(index);
                self.structure.constraints.remove(index);
                self.state.constraints.remove(index);
                Ok(())
            }
            Edit::OpenClip(name) => {
                let index =
                    self.constraint_index(name).map_err(|e| BuildError { path: "open-clip".into(), ..e })?;
                self.open_clip(index).map_err(|e| e.within("open-clip"))
            }
            Edit::CloseClip(ClipAt { name, on, at }) => {
                let index = self.constraint_index(name).map_err(|e| e.within("close-clip"))?;
                self.close_clip(index, on.as_deref(), *at).map_err(|e| e.within("close-clip"))
            }
            Edit::AddLoad(Named { name, to }) => self.add_load(name, to).map_err(within("add-load")),
            Edit::ChangeLoad(Named { name, to }) => {
                let index = self.load_index(name).map_err(|e| e.within("change-load"))?;
                self.structure.loads[index] = self.make_load(name, to).map_err(within("change-load"))?;
                Ok(())
            }
            Edit::RemoveLoad(name) => {
                let index =
                    self.load_index(name).map_err(|e| BuildError { path: "remove-load".into(), ..e })?;
                self.structure.loads.remove(index);
                Ok(())
            }
            Edit::AddSpring(Named { name, to }) => self.add_spring(name, to).map_err(within("add-spring")),
            Edit::RemoveSpring(name) => {
                let found = self.structure.springs.iter().position(|s| &s.name == name);
                let index = found.ok_or_else(|| {
                    unknown("remove-spring", "spring", name, self.structure.springs.iter().map(|s| &s.name))
                })?;
                self.structure.springs.remove(index);
                self.state.springs.remove(index);
                Ok(())
            }
            Edit::AddWinch(Named { name, to }) => self.bring_winch(name, to).map_err(within("add-winch")),
            Edit::ChangeWinch(Named { name, to }) => {
                let index = self.winch_index(name).map_err(|e| e.within("change-winch"))?;
                let winch = self.make_winch(name, to).map_err(within("change-winch"))?;
                let present = &self.structure.winches[index];
                if (&to.on, to.at) != (&present.description.on, present.description.at) {
                    let problem = format!(
                        "the winch `{name}` is at the {:?} of `{}`",
                        present.description.at, present.description.on
                    );
                    return Err(BuildError::new(
                        "change-winch.to",
                        problem.to_lowercase(),
                        "remove it and add another one",
                    ));
                }
                self.structure.winches[index] = winch;
                Ok(())
            }
            Edit::RemoveWinch(name) => {
                let index =
                    self.winch_index(name).map_err(|e| BuildError { path: "remove-winch".into(), ..e })?;
                self.unspool(index).map_err(|e| e.within("remove-winch"))
            }
            Edit::Cut(cut) => {
                (*self, relocation) = self.cut(cut).map_err(|e| e.within("cut"))?;
                Ok(())
            }
            Edit::Splice(splice) => {
                (*self, relocation) = self.splice(splice).map_err(|e| e.within("splice"))?;
                Ok(())
            }
            Edit::Refine(refine) => {
                (*self, relocation) = self.refine(refine).map_err(|e| e.within("refine"))?;
                Ok(())
            }
            Edit::Coarsen(coarsen) => {
                (*self, relocation) = self.coarsen(coarsen).map_err(|e| e.within("coarsen"))?;
                Ok(())
            }
            Edit::Gravity(gravity) => {
                gravity.check("gravity")?;
                self.structure.gravity = gravity.clone();
                Ok(())
            }
            Edit::Stop => {
                self.state.v.fill(0.0);
                Ok(())
            }
        }?;
        self.is_edited();
        Ok(relocation)
    }

    /// After every edit: what follows from the structure is found anew.
    pub(crate) fn is_edited(&mut self) {
        self.mark_copies();
        self.structure.version += 1;
        self.structure.identity = Identity::default();
        self.state.restart_history();
    }

    /// Removes what has slipped off the end of its rod, where the scene lets it; a pearl goes on as a mass.
    /// Says what it was.
    pub(crate) fn release_slipped(&mut self) -> Vec<String> {
        let mut told = Vec::new();
        while let Some(k) = slid_off(&self.structure, &self.state, EndOfCurve::Release) {
            let name = self.structure.constraints[k].name.clone();
            let pearl = match (&self.structure.constraints[k].law, self.sites(k)) {
                (Law::Pearl(bead), Ok([site, _])) => Some(crate::body::MassDescription {
                    position: site.x.to_array(),
                    mass: bead.mass,
                    velocity: self.state.constraints[k].velocity,
                    radius: (bead.radius > 0.0).then_some(bead.radius),
                }),
                _ => None,
            };
            if self.apply(&Edit::Release(name.clone())).is_err() {
                break;
            }
            told.push(match pearl {
                Some(to) => match self.apply(&Edit::AddMass(Named { name: name.clone(), to })) {
                    Ok(()) => format!("the pearl `{name}` slipped off the end of its rod and flies on"),
                    Err(error) => {
                        format!("the pearl `{name}` slipped off the end of its rod and is gone: {error}")
                    }
                },
                None => format!("the rod slipped out of `{name}`"),
            });
        }
        told
    }

    pub(crate) fn constraint_index(&self, name: &str) -> Result<usize, BuildError> {
        let all = &self.structure.constraints;
        all.iter()
            .position(|c| c.name == name)
            .ok_or_else(|| unknown("name", "constraint", name, all.iter().map(|c| &c.name)))
    }

    fn winch_index(&self, name: &str) -> Result<usize, BuildError> {
        let all = &self.structure.winches;
        all.iter()
            .position(|w| w.name == name)
            .ok_or_else(|| unknown("name", "winch", name, all.iter().map(|w| &w.name)))
    }

    fn load_index(&self, name: &str) -> Result<usize, BuildError> {
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
            if object.rod().is_some() { "rod" } else { "mass" }
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

    fn add_rod(&mut self, name: &str, description: &RodDescription) -> Result<(), BuildError> {
        self.check_new_name("rod", name)?;
        let mut description = description.clone();
        if self.structure.explicit {
            explicitly::check_rod(&description)?;
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
    pub(crate) fn push_rod(&mut self, name: &str, description: RodDescription, laid: Laid<Rod>) {
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
            first,
            frames,
        });
    }

    fn add_mass(&mut self, name: &str, description: &crate::body::MassDescription) -> Result<(), BuildError> {
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
        if let (ObjectKind::Mass(_), true) = (&object.kind, needs_frame) {
            return Err(BuildError::new(
                "on",
                format!("`{on}` is a point mass and has no direction to hold"),
                "name a rod",
            ));
        }
        match (&object.kind, at) {
            (ObjectKind::Rod(rod), Some(at)) => Ok(rod.place(rod.arc_length(at)?, object.first)),
            (ObjectKind::Rod(_), None) => Err(BuildError::new(
                "at",
                format!("`at` is missing: where on the rod `{on}`?"),
                "give metres from its start, \"start\", \"end\" or \"50 %\"",
            )),
            (ObjectKind::Mass(_), Some(_)) => Err(BuildError::new(
                "at",
                format!("`{on}` is a mass and has no places along it"),
                "leave `at` out",
            )),
            (ObjectKind::Mass(_), None) => Ok(Place::of_node(object.first)),
        }
    }

    /// Tangent and reference director at a place, as they are now.
    pub(crate) fn frame_at(&self, place: &Place) -> EndFrame {
        let node = place.nodes[0] as usize;
        let on = self.structure.objects.iter().find(|o| (o.first..o.first + o.nodes()).contains(&node));
        let Some((object, rod)) = on.and_then(|o| o.rod().map(|rod| (o, rod))) else {
            return EndFrame::default();
        };
        let q = &self.state.q[object.unknowns()];
        let director = rod.reference_director(
            q,
            &self.state.frames[object.frames.clone()],
            place.segment,
            place.fraction,
        );
        let p = place.derivative(&self.state.q);
        let t = p / p.length();
        EndFrame {
            tangent: t.to_array(),
            director: crate::geometry::rotation::orthonormal_to(t, director).to_array(),
        }
    }
}

/// "There is no such thing", with the names that there are and the nearest of them.
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
    BuildError::new(path, format!("there is no {what} called `{name}`"), remedy)
}
