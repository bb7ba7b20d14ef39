//! The world: structure (what exists) and state (where it is).

use crate::anchor::At;
use crate::body::PointMass;
use crate::clips::check_width;
use crate::constraint::keyhole::imposed_place;
use crate::constraint::{
    Clip, ClipHold, ClipState, Constraint, ConstraintDescription, ConstraintState, Coupling, ENDS, End, EndDescription, EndOfCurve,
    FrameNeed, Law, Pearl, Rows, Site,
};
use crate::edit::{ClipAt, Edit, Named};
use crate::error::{BuildError, check};
use crate::explicitly;
use crate::identity::Identity;
use crate::load::{Load, LoadDescription, LoadLaw, Spread, Spring, SpringDescription, SpringEnd, SpringEndPlace, SpringLaw};
use crate::object::{Object, ObjectDescription, ObjectKind};
use crate::relocate::{Relocation, SAME_PLACE};
use crate::rod::Place;
use crate::rod::{Laid, Rod, RodDescription};
use crate::scene::{Integrator, Scene};
use crate::signal::Signal;
use crate::state::{EndFrame, State};
use crate::step::{slid_off, window};
use crate::winch::Winch;
use glam::{DMat3, DVec3};

/// Why something that turns is refused.
const NO_ROLL: &str = "a mass-spring rod has no frame, and no roll that could be held or turned";

/// What exists. Changed only by edits; winches change the length of their rods, and what follows from it, to what the state says.
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
    /// What decides the pattern of the linear system, as numbers: structures with the same signature can share a workspace.
    /// `pairs`: with room for what constraints add between their two ends.
    pub(crate) fn signature(&self, state: &State, pairs: bool, tell: &mut impl FnMut(u32)) {
        // Room between ends makes a difference only where there are two, or where something slides: dynamic steps give that no node.
        let pairs = pairs && self.constraints.iter().any(|constraint| constraint.is_relative() || constraint.only_own_unknown().is_some());
        [self.objects.len(), self.constraints.len(), self.springs.len(), usize::from(pairs)]
            .into_iter()
            .for_each(|count| tell(count as u32));
        for object in &self.objects {
            let kind = object.rod().map_or(0, |rod| {
                1 + usize::from(rod.is_closed()) + 2 * rod.model() as usize + 16 * usize::from(rod.inextensible().is_some())
            });
            [object.first, object.nodes(), kind].into_iter().for_each(|number| tell(number as u32));
        }
        for (constraint, memory) in self.constraints.iter().zip(&state.constraints) {
            let own = constraint.own_unknowns(memory);
            tell(constraint.rows(memory) as u32);
            let shares_own = memory.redundant && (own[0] || own[1]);
            let kind = [own[0], own[1], memory.stiff, shares_own, constraint.wanders(), constraint.law.pushes()];
            tell(kind.into_iter().fold(memory.copy_of.map_or(0, |leader| leader + 1), |bits, bit| 2 * bits + u32::from(bit)));
            for (e, end) in constraint.ends.iter().enumerate() {
                match end {
                    End::World => tell(u32::MAX),
                    End::Fixed { place, framed } => place_signature(place, *framed, tell),
                    End::Clipped { .. } if memory.clip.open => tell(u32::MAX),
                    End::Clipped { framed } => place_signature(&self.objects[memory.clip.rod].fixed_place_at(memory.own[e]), *framed, tell),
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

/// What a place decides of the pattern: its nodes, which follow from the first, and which of them it depends on.
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
            return Err(BuildError::new("rod", "the scene has no rod and no mass", "add a [rod.NAME] or a [mass.NAME]"));
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
            Edit::AddConstraint(Named { name, to }) => self.add_constraint(name, to).map_err(within("add-constraint")),
            Edit::ChangeConstraint(Named { name, to }) => {
                let index = self.constraint_index(name).map_err(|e| e.within("change-constraint"))?;
                let (constraint, state) = self.make_constraint(name, to).map_err(within("change-constraint"))?;
                self.hand_to_copy(index);
                self.structure.constraints[index] = constraint;
                self.state.constraints[index] = state;
                Ok(())
            }
            Edit::Release(name) => {
                let index = self.constraint_index(name).map_err(|e| BuildError { path: "release".into(), ..e })?;
                self.hand_to_copy(index);
                self.structure.constraints.remove(index);
                self.state.constraints.remove(index);
                Ok(())
            }
            Edit::OpenClip(name) => {
                let index = self.constraint_index(name).map_err(|e| BuildError { path: "open-clip".into(), ..e })?;
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
                let index = self.load_index(name).map_err(|e| BuildError { path: "remove-load".into(), ..e })?;
                self.structure.loads.remove(index);
                Ok(())
            }
            Edit::AddSpring(Named { name, to }) => self.add_spring(name, to).map_err(within("add-spring")),
            Edit::RemoveSpring(name) => {
                let found = self.structure.springs.iter().position(|s| &s.name == name);
                let index =
                    found.ok_or_else(|| unknown("remove-spring", "spring", name, self.structure.springs.iter().map(|s| &s.name)))?;
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
                    let problem = format!("the winch `{name}` is at the {:?} of `{}`", present.description.at, present.description.on);
                    return Err(BuildError::new("change-winch.to", problem.to_lowercase(), "remove it and add another one"));
                }
                self.structure.winches[index] = winch;
                Ok(())
            }
            Edit::RemoveWinch(name) => {
                let index = self.winch_index(name).map_err(|e| BuildError { path: "remove-winch".into(), ..e })?;
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
        self.mark_copies();
        self.structure.version += 1;
        self.structure.identity = Identity::default();
        self.state.restart_history();
        Ok(relocation)
    }

    /// Removes what has slipped off the end of its rod, where the scene lets it; a pearl goes on as a mass. Says what it was.
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
                    Err(error) => format!("the pearl `{name}` slipped off the end of its rod and is gone: {error}"),
                },
                None => format!("the rod slipped out of `{name}`"),
            });
        }
        told
    }

    pub(crate) fn constraint_index(&self, name: &str) -> Result<usize, BuildError> {
        let all = &self.structure.constraints;
        all.iter().position(|c| c.name == name).ok_or_else(|| unknown("name", "constraint", name, all.iter().map(|c| &c.name)))
    }

    fn winch_index(&self, name: &str) -> Result<usize, BuildError> {
        let all = &self.structure.winches;
        all.iter().position(|w| w.name == name).ok_or_else(|| unknown("name", "winch", name, all.iter().map(|w| &w.name)))
    }

    fn load_index(&self, name: &str) -> Result<usize, BuildError> {
        let all = &self.structure.loads;
        all.iter().position(|l| l.name == name).ok_or_else(|| unknown("name", "load", name, all.iter().map(|l| &l.name)))
    }

    /// The object of this name.
    ///
    /// # Errors
    /// There is none; `path` names the field that asked for it.
    pub fn object(&self, path: &str, name: &str) -> Result<&Object, BuildError> {
        let all = &self.structure.objects;
        all.iter().find(|o| o.name == name).ok_or_else(|| unknown(path, "rod or mass", name, all.iter().map(|o| &o.name)))
    }

    /// Probes and edits find everything by its name alone, so names are shared by nothing.
    pub(crate) fn check_new_name(&self, what: &str, name: &str) -> Result<(), BuildError> {
        let Structure { objects, constraints, loads, springs, winches, .. } = &self.structure;
        let taken = if name.trim().is_empty() {
            return Err(BuildError::new("", format!("a {what} without a name"), "give it a name"));
        } else if name == "world" {
            return Err(BuildError::new("", "`world` is what probes call the whole scene", "give it another name"));
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
    pub(crate) fn add_object(&mut self, name: &str, description: &ObjectDescription) -> Result<(), BuildError> {
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
            return Err(BuildError::new("on", format!("`{on}` is a point mass and has no direction to hold"), "name a rod"));
        }
        match (&object.kind, at) {
            (ObjectKind::Rod(rod), Some(at)) => Ok(rod.place(rod.arc_length(at)?, object.first)),
            (ObjectKind::Rod(_), None) => Err(BuildError::new(
                "at",
                format!("`at` is missing: where on the rod `{on}`?"),
                "give metres from its start, \"start\", \"end\" or \"50 %\"",
            )),
            (ObjectKind::Mass(_), Some(_)) => {
                Err(BuildError::new("at", format!("`{on}` is a mass and has no places along it"), "leave `at` out"))
            }
            (ObjectKind::Mass(_), None) => Ok(Place::of_node(object.first)),
        }
    }

    /// A place that can be turned in every direction.
    fn rolling_place(&self, on: &str, at: At) -> Result<Place, BuildError> {
        let place = self.place(on, Some(at), true)?;
        if place.is_without_roll() {
            return Err(BuildError::new("on", NO_ROLL, "load it by forces, or use another model"));
        }
        Ok(place)
    }

    /// Tangent and reference director at a place, as they are now.
    pub(crate) fn frame_at(&self, place: &Place) -> EndFrame {
        let node = place.nodes[0] as usize;
        let on = self.structure.objects.iter().find(|o| (o.first..o.first + o.nodes()).contains(&node));
        let Some((object, rod)) = on.and_then(|o| o.rod().map(|rod| (o, rod))) else { return EndFrame::default() };
        let q = &self.state.q[object.unknowns()];
        let director = rod.reference_director(q, &self.state.frames[object.frames.clone()], place.segment, place.fraction);
        let p = place.derivative(&self.state.q);
        let t = p / p.length();
        EndFrame { tangent: t.to_array(), director: crate::geometry::rotation::orthonormal_to(t, director).to_array() }
    }

    /// What the ends of a described constraint take hold of, and where sliding ones begin.
    pub(crate) fn ends(&self, description: &ConstraintDescription) -> Result<([End; ENDS], [f64; ENDS]), BuildError> {
        let (mut ends, mut own) = ([End::World; ENDS], [0.0; ENDS]);
        for (e, wanted) in description.ends().into_iter().enumerate() {
            let within = |error: BuildError| if e == 0 { error } else { error.within("to") }.within(description.kind());
            match wanted {
                EndDescription::World => {}
                EndDescription::Place { on, at, frame } => {
                    let place = self.place(on, at, frame == FrameNeed::Yes).map_err(within)?;
                    ends[e] = End::Fixed { place, framed: frame != FrameNeed::No && place.count == 4 };
                }
                EndDescription::Sliding { on, at, slide } => {
                    let place = self.place(on, Some(at), true).map_err(within)?;
                    let object = self.structure.objects.iter().position(|o| o.name == on).unwrap_or_default();
                    ends[e] = End::Sliding { object };
                    own[e] = match (slide, self.structure.objects[object].rod()) {
                        (Some(slide), Some(rod)) => imposed_place(rod, rod.arc_length(at).map_err(within)? + slide.at(self.state.time)),
                        _ => place.segment as f64 + place.fraction,
                    };
                }
                EndDescription::Clipped { at, shift, framed, .. } => {
                    let rods: Vec<_> = self.clip_rods(description)?.iter().filter_map(|&k| self.structure.objects[k].rod()).collect();
                    let Some(first) = rods.first() else { continue };
                    ends[e] = End::Clipped { framed };
                    // The first end speaks for both.
                    let (width, here) = (2.0 * shift.abs(), |error: BuildError| error.within(description.kind()));
                    let place = match at {
                        Some(at) => {
                            let place = first.arc_length(at).map_err(here)?;
                            check_width(first.length(), first.is_closed(), place, width).map_err(here)?;
                            place
                        }
                        // Nowhere yet: one of the rods must reach from edge to edge.
                        None => {
                            let longest = rods.iter().map(|rod| rod.length()).fold(0.0, f64::max);
                            check_width(longest, false, 0.5 * longest, width).map_err(here)?;
                            0.5 * first.length()
                        }
                    };
                    let s = place + shift;
                    let (segment, fraction) =
                        first.locate(if first.is_closed() { s.rem_euclid(first.length()) } else { s.clamp(0.0, first.length()) });
                    own[e] = segment as f64 + fraction;
                }
            }
        }
        Ok((ends, own))
    }

    /// The rods that a described clip holds or waits for, by their indices; none of another constraint.
    pub(crate) fn clip_rods(&self, description: &ConstraintDescription) -> Result<Vec<usize>, BuildError> {
        let EndDescription::Clipped { on, .. } = description.ends()[0] else { return Ok(Vec::new()) };
        let objects = &self.structure.objects;
        let mut rods = Vec::with_capacity(on.len());
        for (k, name) in on.iter().enumerate() {
            let path = if on.len() == 1 { "on".to_owned() } else { format!("on[{k}]") };
            let error = match objects.iter().position(|o| o.name == *name) {
                None => unknown(&path, "rod", name, objects.iter().map(|o| &o.name)),
                Some(object) if objects[object].rod().is_none() => {
                    BuildError::new(path, format!("`{name}` is a point mass"), "name a rod, or use a fusion")
                }
                Some(object) if rods.contains(&object) => BuildError::new(path, format!("`{name}` is named twice"), "name every rod once"),
                Some(object) => {
                    rods.push(object);
                    continue;
                }
            };
            return Err(error.within(description.kind()));
        }
        if rods.is_empty() {
            let nothing = BuildError::new("on", "a clip for no rod", "name a rod, or a list of rods");
            return Err(nothing.within(description.kind()));
        }
        Ok(rods)
    }

    pub(crate) fn make_constraint(
        &self,
        name: &str,
        description: &ConstraintDescription,
    ) -> Result<(Constraint, ConstraintState), BuildError> {
        let (ends, own) = self.ends(description)?;
        let rods = self.clip_rods(description)?;
        let description = &self.pinned_constraint(description);
        let mut state = ConstraintState { own, ..ConstraintState::default() };
        let objects = &self.structure.objects;
        let mut sites = [Site::WORLD; ENDS];
        let mut places = [None; ENDS];
        let held = rods.first().copied().unwrap_or_default();
        match description {
            ConstraintDescription::Clip(Clip { at: None, to, .. }) => {
                state.clip = ClipState::open(true);
                if let Some(carrier) = to.as_ref().filter(|to| rods.iter().any(|&rod| objects[rod].name == to.on)) {
                    let problem = format!("an open clip can't wait for `{}`, which carries it", carrier.on);
                    return Err(BuildError::new("to", problem, "name other rods, or give `at` to hold a place of it").within("clip"));
                }
            }
            ConstraintDescription::Clip(_) => state.clip.rod = held,
            _ => {}
        }
        for e in 0..ENDS {
            let place = match ends[e] {
                End::World => continue,
                End::Fixed { place, .. } => place,
                End::Clipped { .. } if state.clip.open => continue,
                End::Clipped { .. } => objects[held].fixed_place_at(own[e]),
                End::Sliding { object } => {
                    let place = objects[object].place_at(own[e]);
                    state.window[e] = objects[object].rod().map_or(0, |rod| window(rod, place.segment));
                    place
                }
            };
            state.frames[e] = self.frame_at(&place);
            sites[e] = Site::new(&place, &self.state.q, &state.frames[e]);
            places[e] = Some(place);
        }
        if let [Some(a), Some(b)] = places
            && a.nodes() == b.nodes()
            && a.weights.b.iter().zip(b.weights.b).all(|(a, b)| (a - b).abs() < SAME_PLACE)
        {
            let problem = "both ends are the same place";
            return Err(BuildError::new("to", problem, "give another place, or another rod").within(description.kind()));
        }
        let radius = match ends[0] {
            End::Clipped { .. } => objects[held].rod().map_or(0.0, |rod| rod.radius(objects[held].place_at(own[0]).segment)),
            _ => 0.0,
        };
        let mut law = description.build(&sites, radius, self.state.time)?;
        if let (Law::Clip(jaws), ConstraintDescription::Clip(Clip { at: Some(at), .. })) = (&law, description) {
            if jaws.width == 0.0 && ends[1] == End::World {
                sites[1] = law.world(0.0, self.state.time);
            }
            let place = objects[held].rod().map_or(Ok(0.0), |rod| rod.arc_length(*at))?;
            // What is held from the start is asked to be at home at once, as a position is.
            state.clip = jaws.take(&sites, DVec3::ZERO, held, place, self.state.time, true);
        }
        if let (EndDescription::Sliding { at, slide: Some(slide), .. }, End::Sliding { object }) = (description.ends()[0], ends[0])
            && let Some(rod) = objects[object].rod()
        {
            law.is_fed_to(rod.arc_length(at)? + slide.at(self.state.time), self.state.time);
            if self.spools_at_start(object) {
                law.is_fed_from_end_of(rod.length());
            }
        }
        if let Some(own) = law.initial_own(sites[0].x, self.state.time) {
            if !own.is_finite() {
                return Err(BuildError::new(
                    "trajectory.path",
                    "no point of the path is nearest to the place",
                    "give a path of ordinary size",
                ));
            }
            state.own[1] = own;
        }
        state.own_start = state.own;
        if let (ConstraintDescription::Pearl(pearl), End::Sliding { object }) = (description, ends[0]) {
            let place = objects[object].place_at(own[0]);
            state.velocity = (place.sum(&self.state.v, &place.weights.b) + sites[0].t * pearl.speed).to_array();
            self.check_pearl_fits(pearl, object, &sites[0])?;
        }
        self.refuse_roll(description, &rods, &law, &places, &sites, &state)?;
        let constraint = Constraint { name: name.to_owned(), description: description.clone(), ends, law, rods };
        if self.structure.explicit {
            explicitly::check_constraint(&constraint, &state)?;
        }
        Ok((constraint, state))
    }

    /// A constraint must not hold the roll of a rod that has none.
    fn refuse_roll(
        &self,
        description: &ConstraintDescription,
        rods: &[usize],
        law: &Law,
        places: &[Option<Place>; ENDS],
        sites: &[Site; ENDS],
        state: &ConstraintState,
    ) -> Result<(), BuildError> {
        let mut rows = Rows::default();
        law.linearise(sites, state, self.state.time, &mut rows);
        // Rows on angles have entries of size one.
        let holds = |e: usize| rows.iter().any(|row| row.ends[e].theta.abs() > 1e-9);
        let without = |k: &usize| self.structure.objects[*k].rod().is_some_and(|rod| rod.place_in(0, 0.0, 0).is_without_roll());
        let clipped = matches!(description, ConstraintDescription::Clip(Clip { hold: ClipHold::Clamp, .. })) && rods.iter().any(without);
        // Planes, axes and directions turn with the frame of the rod that carries them.
        let turns =
            matches!(description, ConstraintDescription::Plane(_) | ConstraintDescription::Axis(_) | ConstraintDescription::Tangent(_));
        let carried = turns && places[1].is_some_and(|place| place.is_without_roll());
        if clipped || carried || (0..ENDS).any(|e| places[e].is_some_and(|place| place.is_without_roll()) && holds(e)) {
            let remedy = "hold its position and its tangent instead, or use another model";
            return Err(BuildError::new("on", NO_ROLL, remedy).within(description.kind()));
        }
        Ok(())
    }

    /// Pearls on a rod must not overlap when they are threaded.
    fn check_pearl_fits(&self, pearl: &Pearl, rod: usize, site: &Site) -> Result<(), BuildError> {
        let (radius, length) = (pearl.radius.unwrap_or(0.0), self.structure.objects[rod].rod().map_or(0.0, Rod::length));
        if 2.0 * radius > length {
            let problem = format!("a pearl of {} m across on a rod of {length} m", 2.0 * radius);
            return Err(BuildError::new("pearl.radius", problem, "give a radius of at most half the length of the rod"));
        }
        let mass = self.structure.objects[rod].total_mass();
        if pearl.coupling == Coupling::Weak && pearl.mass > MOST_WEAK * mass {
            let problem = format!("a pearl of {} kg on a rod of {mass} kg, which would not feel its inertia", pearl.mass);
            return Err(BuildError::new("pearl.coupling", problem, "use coupling = \"strong\", or a pearl of a tenth of the rod's mass"));
        }
        for (k, constraint) in self.structure.constraints.iter().enumerate() {
            let (Law::Pearl(other), true) = (&constraint.law, constraint.ends[0] == End::Sliding { object: rod }) else { continue };
            let distance = self.sites(k)?[0].x.distance(site.x);
            let least = other.radius + pearl.radius.unwrap_or(0.0);
            if distance < least * (1.0 - 1e-9) {
                return Err(BuildError::new(
                    "pearl.at",
                    format!("it overlaps the pearl `{}`: they are {distance} m apart and need {least} m", constraint.name),
                    "thread it further away, or make them smaller",
                ));
            }
        }
        Ok(())
    }

    fn add_constraint(&mut self, name: &str, description: &ConstraintDescription) -> Result<(), BuildError> {
        self.check_new_name("constraint", name)?;
        let (constraint, state) = self.make_constraint(name, description)?;
        self.structure.constraints.push(constraint);
        self.state.constraints.push(state);
        Ok(())
    }

    pub(crate) fn make_load(&self, name: &str, description: &LoadDescription) -> Result<Load, BuildError> {
        if self.structure.explicit {
            explicitly::check_load(description)?;
        }
        let (kind, law) = match description {
            LoadDescription::Force(load) => ("force", self.point_force(load)),
            LoadDescription::Moment(load) => ("moment", {
                load.moment.check("moment").and_then(|()| Ok(LoadLaw::Moment(self.rolling_place(&load.on, load.at)?, load.moment.clone())))
            }),
            LoadDescription::Distributed(load) => ("distributed", self.distributed(load)),
            LoadDescription::Drag(load) => ("drag", self.drag(load)),
        };
        Ok(Load { name: name.to_owned(), description: self.pinned_load(description), law: law.map_err(|e| e.within(kind))? })
    }

    fn point_force(&self, load: &crate::load::PointForce) -> Result<LoadLaw, BuildError> {
        load.force.check("force")?;
        Ok(LoadLaw::Force(self.place(&load.on, load.at, false)?, load.force.clone()))
    }

    fn distributed(&self, load: &crate::load::Distributed) -> Result<LoadLaw, BuildError> {
        load.force.check("force")?;
        let object = self.object("on", &load.on)?;
        let rod = object.rod().ok_or_else(|| BuildError::new("on", format!("`{}` is a mass", load.on), "name a rod, or use a `force`"))?;
        let (from, to) = stretch_of(rod, load.from, load.to)?;
        Ok(LoadLaw::Distributed(Spread::along(rod, object.first, from, to, 1.0, false), load.force.clone()))
    }

    fn drag(&self, load: &crate::load::Drag) -> Result<LoadLaw, BuildError> {
        load.wind.check("wind")?;
        let coefficient = check::not_negative("coefficient", load.coefficient)?;
        let object = self.object("on", &load.on)?;
        let spread = match &object.kind {
            ObjectKind::Rod(rod) => {
                let (from, to) = stretch_of(rod, load.from, load.to)?;
                Spread::along(rod, object.first, from, to, coefficient, true)
            }
            ObjectKind::Mass(_) if (load.from, load.to) == (At::START, At::END) => Spread::on_node(object.first, coefficient),
            ObjectKind::Mass(_) => {
                let problem = format!("`{}` is a mass and has no places along it", load.on);
                return Err(BuildError::new("from", problem, "leave `from` and `to` out"));
            }
        };
        Ok(LoadLaw::Drag(spread, load.wind.clone()))
    }

    pub(crate) fn add_load(&mut self, name: &str, description: &LoadDescription) -> Result<(), BuildError> {
        self.check_new_name("load", name)?;
        let load = self.make_load(name, description)?;
        self.structure.loads.push(load);
        Ok(())
    }

    pub(crate) fn spring_end(&self, end: &SpringEnd, needs_frame: bool) -> Result<SpringEndPlace, BuildError> {
        match end {
            SpringEnd::Rod(place) => {
                self.place(&place.on, Some(place.at), needs_frame).map_err(|e| e.within("rod")).map(SpringEndPlace::Object)
            }
            SpringEnd::Mass(name) => {
                self.place(name, None, needs_frame).map_err(|e| BuildError { path: "mass".into(), ..e }).map(SpringEndPlace::Object)
            }
            SpringEnd::Point(point) => {
                point.check("point")?;
                Ok(SpringEndPlace::World(point.clone()))
            }
        }
    }

    pub(crate) fn add_spring(&mut self, name: &str, description: &SpringDescription) -> Result<(), BuildError> {
        self.check_new_name("spring", name)?;
        if self.structure.explicit {
            explicitly::check_spring(description)?;
        }
        let time = self.state.time;
        let (ends, frames, law) = match description {
            SpringDescription::Linear(spring) => {
                let ends = [
                    self.spring_end(&spring.from, false).map_err(|e| e.within("linear.from"))?,
                    self.spring_end(&spring.to, false).map_err(|e| e.within("linear.to"))?,
                ];
                let [a, b] = ends.each_ref().map(|end| end.position(&self.state.q, time));
                let length = check::not_negative("linear.length", spring.length.unwrap_or_else(|| a.distance(b)))?;
                let stiffness = check::not_negative("linear.stiffness", spring.stiffness)?;
                let damping = check::not_negative("linear.damping", spring.damping)?;
                (ends, [EndFrame::default(); 2], SpringLaw::Linear { stiffness, damping, length })
            }
            SpringDescription::Torsional(spring) => {
                let ends = [
                    self.spring_end(&spring.from, true).map_err(|e| e.within("torsional.from"))?,
                    self.spring_end(&spring.to, true).map_err(|e| e.within("torsional.to"))?,
                ];
                if matches!(ends[0], SpringEndPlace::World(_)) {
                    return Err(BuildError::new(
                        "torsional.from",
                        "the first end of a torsional spring is a point",
                        "name a rod first, then a rod or a point",
                    ));
                }
                if ends.iter().any(|end| matches!(end, SpringEndPlace::Object(place) if place.is_without_roll())) {
                    return Err(BuildError::new("torsional.from", NO_ROLL, "use a linear spring, or another model"));
                }
                let frames = ends.each_ref().map(|end| match end {
                    SpringEndPlace::Object(place) => self.frame_at(place),
                    SpringEndPlace::World(_) => EndFrame::default(),
                });
                let [a, b] = [0, 1].map(|k| ends[k].frame(&self.state.q, &frames[k]));
                let stiffness = check::not_negative("torsional.stiffness", spring.stiffness)?;
                let damping = check::not_negative("torsional.damping", spring.damping)?;
                (ends, frames, SpringLaw::Torsional { stiffness, damping, rest: b.transpose() * a })
            }
        };
        let description = self.pinned_spring(description);
        self.structure.springs.push(Spring { name: name.to_owned(), description, ends, law });
        self.state.springs.push(frames);
        Ok(())
    }
}

impl SpringEndPlace {
    /// Where the end is.
    pub(crate) fn position(&self, q: &[f64], time: f64) -> DVec3 {
        match self {
            Self::Object(place) => place.position(q),
            Self::World(point) => DVec3::from_array(point.at(time)),
        }
    }

    /// How fast it moves, m/s, where the unknowns move with `v`.
    pub(crate) fn velocity(&self, v: &[f64], time: f64) -> DVec3 {
        match self {
            Self::Object(place) => place.position(v),
            Self::World(point) => DVec3::from_array(point.rate(time)),
        }
    }

    /// Angular velocity of its frame, rad/s: t×ẋ'/L + t θ̇. The world's axes stand still.
    pub(crate) fn spin(&self, q: &[f64], v: &[f64], frame: &EndFrame) -> DVec3 {
        let Self::Object(place) = self else { return DVec3::ZERO };
        let site = Site::new(place, q, frame);
        site.t.cross(place.derivative(v)) / site.l + site.t * (place.roll(v) - place.roll_offset)
    }

    /// The place on an object, if it is on one.
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            Self::Object(place) => Some(place),
            Self::World(_) => None,
        }
    }

    /// The frame [t m₁ m₂] of the end; the world's axes for a point.
    pub(crate) fn frame(&self, q: &[f64], frame: &EndFrame) -> DMat3 {
        match self {
            Self::Object(place) => Site::new(place, q, frame).frame(),
            Self::World(_) => DMat3::IDENTITY,
        }
    }
}

/// Largest mass of a weakly coupled pearl, as a share of its rod's.
const MOST_WEAK: f64 = 0.1;

/// Rest arc lengths between which a load acts.
fn stretch_of(rod: &Rod, from: At, to: At) -> Result<(f64, f64), BuildError> {
    let from = rod.arc_length(from).map_err(|e| BuildError { path: "from".into(), ..e })?;
    let to = rod.arc_length(to).map_err(|e| BuildError { path: "to".into(), ..e })?;
    if from >= to {
        return Err(BuildError::new("to", "the load ends before it begins", "give to > from"));
    }
    Ok((from, to))
}

/// "There is no such thing", with the names that there are and the nearest of them.
fn unknown<'a>(path: &str, what: &str, name: &str, known: impl Iterator<Item = &'a String>) -> BuildError {
    let known: Vec<&str> = known.map(String::as_str).collect();
    let remedy = if known.is_empty() { format!("there is no {what} yet") } else { format!("there are: {}", known.join(", ")) };
    BuildError::new(path, format!("there is no {what} called `{name}`"), remedy)
}
