//! Winches: pay out or reel in rest length of a rod, including mass, at one of its ends.
//!
//! L(t) is a function of time, so the present length is the only state. Before each step the material slides
//! through the segments to the length at its end, see `rod/spline/spool.rs`, and everything attached to the
//! rod keeps its material point. A constraint holds the end at the winch; its force and the tension there are
//! those of the winch.

mod attached;
mod build;

use crate::constraint::{ConstraintDescription, ENDS, End, EndDescription};
use crate::describe::anchor::At;
use crate::error::BuildError;
use crate::geometry::curve::ClampedFit;
use crate::load::{Distributed, Drag, LoadDescription, LoadLaw, SpringDescription, SpringEndPlace};
use crate::object::place::SAME_PLACE;
use crate::object::rod::spline::{SlideScratch, SplineRod};
use crate::object::rod::{Line, Natural, Resolution, Rod, RodDescription, Shape, StretchMeasure};
use crate::object::{Object, ObjectDescription, ObjectKind};
use crate::scene::{Description, RodEnd, WinchDescription};
use crate::world::State;
use crate::world::sliding::move_windows;
use crate::world::{Refusal, Structure, Winch, World};
use attached::{constraint_at, load_at, slide, spring_at};
use micado_linalg::Arithmetic;
use serde::{Deserialize, Serialize};

/// Scratch of the winches.
#[derive(Clone, Debug, Default)]
pub(crate) struct WinchScratch {
    slide: SlideScratch,
    /// Strains of damped rods before their material slid, by object; empty if none did.
    pub strains: Vec<Vec<f64>>,
}

/// A winch that can't reel in further.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoppedWinch {
    /// Its name.
    pub winch: String,
    /// Length of its rod, m.
    pub length: f64,
    /// Reason.
    pub reason: StopReason,
}

/// Reason why a winch can't reel in further.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// The segments of its rod would be shorter than the rod is thick.
    Thickness,
    /// A constraint or spring on the rod would come within a segment of the winch.
    Attached {
        /// Its name.
        name: String,
    },
    /// An open clip would be wider than the rod is long.
    OpenClip {
        /// Its name.
        clip: String,
    },
}

/// `StopReason` by reference.
enum Stop<'a> {
    /// Segments shorter than the rod is thick.
    Thickness,
    /// An attached item, by name.
    Held(&'a str),
    /// An open clip, by name.
    Wide(&'a str),
}

/// Largest share of a segment that slides at once; a step that moves more is made in parts.
const MOST_AT_ONCE: f64 = 0.25;
/// Largest relative difference of the segments of a rod that gets a winch during a run.
const EVEN: f64 = 1e-3;
/// Fewest segments of a rod on a winch: new material needs two.
const FEWEST_SEGMENTS: usize = 4;

/// The rod on a winch.
fn rod_of(objects: &[Object], index: usize) -> Option<&SplineRod> {
    objects.get(index).and_then(Object::rod).and_then(Rod::spline)
}

impl World {
    fn add_winch(&mut self, name: &str, description: &WinchDescription) -> Result<(), BuildError> {
        let winch = self.make_winch(name, description)?;
        let (object, length) =
            (winch.object, rod_of(&self.structure.objects, winch.object).map_or(0.0, SplineRod::length));
        self.structure.winches.push(winch);
        self.state.spooled.push(length);
        self.pin_all(object, length);
        self.respan(self.structure.winches.len() - 1);
        Ok(())
    }

    /// Adds a winch during a run: the state must be continuous.
    fn add_winch_in_run(&mut self, name: &str, description: &WinchDescription) -> Result<(), BuildError> {
        let rod = self.object("on", &description.on)?.rod().and_then(Rod::spline);
        if let Some(uneven) = rod.map(SplineRod::unevenness).filter(|uneven| *uneven > EVEN) {
            let problem = format!(
                "`{}` has uneven segments, by {:.2} %: its strains would jump",
                description.on,
                100.0 * uneven
            );
            return Err(BuildError::new(
                "on",
                problem,
                "let the scene begin with the winch, or give the rod more segments or a smoother shape",
            ));
        }
        self.add_winch(name, description)
    }

    /// A winch that continues from the present length.
    fn make_winch(&self, name: &str, description: &WinchDescription) -> Result<Winch, BuildError> {
        description.pay_out.check("pay_out")?;
        let found = self.object("on", &description.on)?;
        let all = self.structure.objects.iter().enumerate();
        let mut rods = all.filter_map(|(k, object)| match (&object.kind, &object.description) {
            (ObjectKind::Rod(rod), ObjectDescription::Rod(words)) if object.name == description.on => {
                Some((k, rod, words))
            }
            _ => None,
        });
        let Some((object, rod, words)) = rods.next() else {
            let problem = format!("`{}` is a {}", description.on, found.word());
            return Err(BuildError::new("on", problem, "name a rod"));
        };
        let refuse = |problem: &str, remedy: &str| {
            Err(BuildError::new("on", format!("`{}` {problem}", description.on), remedy))
        };
        let Some(rod) = rod.spline() else {
            return refuse(
                "is a rod of another model",
                "only spline rods can be on a winch: use model = \"spline\"",
            );
        };
        if rod.is_closed() {
            return refuse("is closed and has no end on a winch", "name an open rod");
        }
        if let Some((what, remedy)) = rod.comparison_only() {
            return refuse(what, remedy);
        }
        if words.resolution == Resolution::Auto {
            return refuse("adapts its resolution", "leave `resolution` out: winches need even segments");
        }
        if rod.uneven.is_some() {
            return refuse(
                "has segments of different widths",
                "leave `knots_at` and `widths` out: winches need even segments",
            );
        }
        if !words.stretches.is_empty() || matches!(words.natural, Natural::AsShaped | Natural::Sampled(_)) {
            return refuse(
                "is not the same everywhere",
                "leave `stretches` out, and give a natural shape that is the same everywhere",
            );
        }
        if rod.segments() < FEWEST_SEGMENTS {
            return refuse("has too few segments", "give it at least four");
        }
        if let Some(other) =
            self.structure.winches.iter().find(|winch| winch.object == object && winch.name != name)
        {
            return refuse(&format!("is on the winch `{}` already", other.name), "a rod has one winch");
        }
        let built = match self.structure.winches.iter().find(|winch| winch.object == object) {
            Some(before) => before.built.clone(),
            None => Box::new(rod.clone()),
        };
        Ok(Winch {
            name: name.to_owned(),
            offset: rod.length() - description.pay_out.at(self.state.time),
            description: description.clone(),
            object,
            fit: ClampedFit::new(rod.segments()),
            pointwise: words.stretch_measure == StretchMeasure::Pointwise,
            built,
        })
    }

    /// A place of a rod in terms of its material: on a winch, its distance from the other end.
    pub(crate) fn pinned(&self, on: &str, at: At) -> At {
        let winches = self.structure.winches.iter();
        let found = winches
            .filter_map(|winch| Some((winch, self.structure.objects.get(winch.object)?)))
            .find(|(_, o)| o.name == on);
        let Some((winch, rod)) = found.and_then(|(winch, object)| Some((winch, object.rod()?))) else {
            return at;
        };
        let (s, length) = (at.along(rod.length()), rod.length());
        if s.abs() <= SAME_PLACE * length {
            return At::START;
        }
        if (s - length).abs() <= SAME_PLACE * length {
            return At::END;
        }
        match (winch.description.at, at) {
            // It is already in that form; keep all its bits.
            (RodEnd::Start, At::FromEnd(_)) | (RodEnd::End, At::Length(_)) => at,
            (RodEnd::Start, _) => At::FromEnd(length - s),
            (RodEnd::End, _) => At::Length(s),
        }
    }

    /// Converts both ends of a constraint likewise. For a sliding end only its start is described.
    pub(crate) fn pinned_constraint(&self, description: &ConstraintDescription) -> ConstraintDescription {
        constraint_at(description, |on, at| self.pinned(on, at))
    }

    pub(crate) fn pinned_load(&self, description: &LoadDescription) -> LoadDescription {
        load_at(description, |on, at| self.pinned(on, at))
    }

    pub(crate) fn pinned_spring(&self, description: &SpringDescription) -> SpringDescription {
        spring_at(description, |on, at| self.pinned(on, at))
    }

    /// Whether material of a rod keeps its distance from the end, not from the start.
    pub(crate) fn spools_at_start(&self, object: usize) -> bool {
        self.structure
            .winches
            .iter()
            .any(|winch| winch.object == object && winch.description.at == RodEnd::Start)
    }

    /// Converts all items on a rod of this length when it gets a winch, and no items on other rods.
    fn pin_all(&mut self, object: usize, length: f64) {
        let name = self.structure.objects[object].name.clone();
        let pinned = |world: &Self, on: &str, at: At| if on == name { world.pinned(on, at) } else { at };
        let at_start = self.spools_at_start(object);
        for k in 0..self.structure.constraints.len() {
            let description =
                constraint_at(&self.structure.constraints[k].description, |on, at| pinned(self, on, at));
            let constraint = &mut self.structure.constraints[k];
            constraint.description = description;
            if at_start && constraint.ends[0] == (End::Sliding { object }) {
                constraint.law.impose_from_end(length);
            }
        }
        for k in 0..self.structure.loads.len() {
            self.structure.loads[k].description =
                load_at(&self.structure.loads[k].description, |on, at| pinned(self, on, at));
        }
        for k in 0..self.structure.springs.len() {
            self.structure.springs[k].description =
                spring_at(&self.structure.springs[k].description, |on, at| pinned(self, on, at));
        }
        for k in 0..self.structure.scenery.len() {
            let mut description = self.structure.scenery[k].description.clone();
            description.for_each_place(|on, at| *at = pinned(self, on, *at));
            self.structure.scenery[k].description = description;
        }
    }

    /// A described place, limited to the present rod: reeled-in places are at the winch.
    fn reached(&self, on: &str, at: At) -> At {
        let found = self.structure.objects.iter().find(|object| object.name == on);
        let Some(length) = found.and_then(Object::rod).map(Rod::length) else { return at };
        match at.along(length) {
            s if s < 0.0 => At::START,
            s if s > length => At::END,
            _ => at,
        }
    }

    /// The ends of an existing constraint, and the positions of those that `moved` to another rod. Positions
    /// of other sliding or caught ends are state, and a described place may have been reeled in since.
    pub(crate) fn ends_again(
        &self,
        description: &ConstraintDescription,
        moved: [bool; ENDS],
    ) -> Result<([End; ENDS], [f64; ENDS]), BuildError> {
        let mut reached = constraint_at(description, |on, at| self.reached(on, at));
        if !moved[0] {
            reached.clear_place();
        }
        self.ends(&reached)
    }

    /// Adds an existing load again.
    pub(crate) fn add_load_again(
        &mut self,
        name: &str,
        description: &LoadDescription,
    ) -> Result<(), BuildError> {
        let mut reached = load_at(description, |on, at| self.reached(on, at));
        let changed = reached != *description;
        if let LoadDescription::Distributed(Distributed { from, to, .. })
        | LoadDescription::Drag(Drag { from, to, .. }) = &mut reached
            && changed
            && from == to
        {
            // All of it was reeled in.
            (*from, *to) = (At::START, At::END);
        }
        self.add(name, Description::Load(&reached))?;
        if let Some(load) = self.structure.loads.last_mut() {
            load.description = description.clone();
        }
        if changed
            && let Some(object) =
                self.structure.objects.iter().position(|object| object.name == description.on())
        {
            self.refit_places(object);
        }
        Ok(())
    }

    /// Number of parts of a step that ends at `time`, such that material slides only a little in each, and
    /// the winch that needs the most.
    pub(crate) fn winch_parts(&self, time: f64) -> (f64, usize) {
        let mut most = (1.0, 0);
        for k in 0..self.structure.winches.len() {
            let Some((length, piece)) = self.winch_way(k, time) else { continue };
            let parts = (length / piece).ceil();
            if parts > most.0 || parts.is_nan() {
                most = (parts, k);
            }
        }
        most
    }

    /// Length that a winch moves until `time`, m, and the most that it may move at once.
    fn winch_way(&self, k: usize, time: f64) -> Option<(f64, f64)> {
        let (winch, length) = (&self.structure.winches[k], self.state.spooled[k]);
        let rod = rod_of(&self.structure.objects, winch.object)?;
        let wanted = self.bounded(winch, rod, time);
        Some(((wanted - length).abs(), MOST_AT_ONCE * length.min(wanted) / rod.segments() as f64))
    }

    /// The refusal of a winch that would need more than `parts` parts until `time`.
    pub(crate) fn spooled_too_far(&self, winch: usize, time: f64, parts: f64) -> Refusal {
        let (length, piece) = self.winch_way(winch, time).unwrap_or_default();
        Refusal::SpooledTooFar { winch, length, most: piece * parts }
    }

    /// Possible length of a rod on a winch at `time`. If it is below the least length already, it can't get
    /// shorter.
    fn bounded(&self, winch: &Winch, rod: &SplineRod, time: f64) -> f64 {
        winch.wanted(time).max(self.shortest(winch, rod).0.min(rod.length()))
    }

    /// Least length to which a winch can reel its rod in, m, and the reason: no segment is shorter than
    /// thick, no attached item comes within a segment of the winch, and no open clip is wider than the rod.
    fn shortest<'a>(&'a self, winch: &Winch, rod: &SplineRod) -> (f64, Stop<'a>) {
        let n = rod.segments() as f64;
        let mut least = (2.0 * rod.radius(0) * n, Stop::Thickness);
        let name = &winch.description.on;
        let keep = |on: &str, at: At| match (at, winch.description.at) {
            (At::FromEnd(s), RodEnd::Start) | (At::Length(s), RodEnd::End) if on == name => s * n / (n - 1.0),
            _ => 0.0,
        };
        let mut raise = |length: f64, stop: Stop<'a>| {
            if length > least.0 {
                least = (length, stop);
            }
        };
        for (constraint, memory) in self.structure.constraints.iter().zip(&self.state.constraints) {
            for (e, end) in constraint.description.ends().into_iter().enumerate() {
                match end {
                    EndDescription::Place { on, at: Some(at), .. } => {
                        raise(keep(on, at), Stop::Held(&constraint.name));
                    }
                    EndDescription::Caught { .. } if !memory.open && memory.held == winch.object => {
                        let s = memory.own[e] / n * rod.length();
                        let at = if winch.description.at == RodEnd::Start {
                            At::FromEnd(rod.length() - s)
                        } else {
                            At::Length(s)
                        };
                        raise(keep(name, at), Stop::Held(&constraint.name));
                    }
                    EndDescription::Caught { on, shift, .. } if memory.open && on.contains(name) => {
                        raise(2.0 * shift.abs(), Stop::Wide(&constraint.name));
                    }
                    _ => {}
                }
            }
        }
        for spring in &self.structure.springs {
            for end in spring.description.ends() {
                if let Some((on, Some(at))) = end.on() {
                    raise(keep(on, at), Stop::Held(&spring.name));
                }
            }
        }
        least
    }

    /// The winches that can't reel in further at the present time.
    pub(crate) fn stopped_winches(&self) -> Vec<StoppedWinch> {
        let stopped = self.structure.winches.iter().filter_map(|winch| {
            let rod = rod_of(&self.structure.objects, winch.object)?;
            let (least, stop) = self.shortest(winch, rod);
            let stops = winch.wanted(self.state.time) < least.min(rod.length());
            stops.then(|| StoppedWinch {
                winch: winch.name.clone(),
                length: rod.length(),
                reason: match stop {
                    Stop::Thickness => StopReason::Thickness,
                    Stop::Held(name) => StopReason::Attached { name: name.to_owned() },
                    Stop::Wide(clip) => StopReason::OpenClip { clip: clip.to_owned() },
                },
            })
        });
        stopped.collect()
    }

    /// Moves all winches to `time`. Returns how many are stopped.
    pub(crate) fn pay_out(&mut self, time: f64, arithmetic: Arithmetic, scratch: &mut WinchScratch) -> usize {
        let mut stopped = 0;
        scratch.strains.resize(self.structure.objects.len(), Vec::new());
        scratch.strains.iter_mut().for_each(Vec::clear);
        for k in 0..self.structure.winches.len() {
            let winch = &self.structure.winches[k];
            let Some(rod) = rod_of(&self.structure.objects, winch.object) else { continue };
            let (length, before) = (self.bounded(winch, rod, time), self.state.spooled[k]);
            stopped += usize::from(length > winch.wanted(time) && length == before);
            if length != before {
                slide(&self.structure, &mut self.state, k, length, arithmetic, scratch);
                self.respan(k);
                move_windows(&self.structure, &mut self.state);
            }
        }
        stopped
    }

    /// Adapts a rod and all places on it to the length in the state.
    pub(crate) fn respan(&mut self, k: usize) {
        let Structure { objects, winches, node_mass, .. } = &mut self.structure;
        let winch = &winches[k];
        let Some(object) = objects.get_mut(winch.object) else { return };
        let (first, growth) = (object.first, self.state.spooled[k] / winch.built.length());
        let ObjectKind::Rod(Rod::Spline(rod)) = &mut object.kind else { return };
        rod.set_length(&winch.built, self.state.spooled[k], winch.pointwise);
        for (i, mass) in node_mass[first..first + rod.nodes()].iter_mut().enumerate() {
            *mass = growth * winch.built.node_mass(i);
        }
        let object = winch.object;
        self.refit_places(object);
    }

    /// Moves all places on a rod according to its present length.
    fn refit_places(&mut self, object: usize) {
        let Structure { objects, constraints, loads, springs, .. } = &mut self.structure;
        let Some((object, rod)) = objects.get(object).and_then(|object| Some((object, object.rod()?))) else {
            return;
        };
        let (index, name) = (object.index, &object.name);
        let place = |at: At| rod.place(at.along(rod.length()).clamp(0.0, rod.length())).of_object(index);
        for constraint in constraints {
            for (end, described) in constraint.ends.iter_mut().zip(constraint.description.ends()) {
                if let (End::Fixed { place: held, .. }, EndDescription::Place { on, at: Some(at), .. }) =
                    (end, described)
                    && on == name
                {
                    let arm = std::mem::replace(held, place(at)).arm;
                    held.arm = arm;
                }
            }
        }
        for load in loads {
            match (&mut load.law, &load.description) {
                (LoadLaw::Force(held, _), LoadDescription::Force(load)) if load.on == *name => {
                    *held = load.at.map_or(*held, place);
                }
                (LoadLaw::Moment(held, _), LoadDescription::Moment(load)) if load.on == *name => {
                    *held = load.at.map_or(*held, place);
                }
                (LoadLaw::Distributed(spread, _), LoadDescription::Distributed(load)) if load.on == *name => {
                    spread.update(rod, load.from.along(rod.length()), load.to.along(rod.length()), 1.0);
                }
                (LoadLaw::Drag(spread, _), LoadDescription::Drag(load)) if load.on == *name => {
                    spread.update(
                        rod,
                        load.from.along(rod.length()),
                        load.to.along(rod.length()),
                        load.coefficient,
                    );
                }
                _ => {}
            }
        }
        for spring in springs {
            for (end, described) in spring.ends.iter_mut().zip(spring.description.ends()) {
                if let (SpringEndPlace::Object(held), Some((on, Some(at)))) = (end, described.on())
                    && on == *name
                {
                    *held = place(at);
                }
            }
        }
    }

    /// Removes a winch: the rod is described with its present length.
    fn unspool(&mut self, k: usize) -> Result<(), BuildError> {
        let (index, length) = (self.structure.winches[k].object, self.state.spooled[k]);
        let object = &mut self.structure.objects[index];
        if let ObjectDescription::Rod(description) = &mut object.description {
            let shape = Shape::Line(Line { from: [0.0; 3], to: [length, 0.0, 0.0] });
            let segments = object.kind.rod().map(Rod::segments);
            let words = RodDescription {
                shape,
                segments,
                initial_stretch: 0.0,
                up: None,
                twist: 0.0,
                velocity: [0.0; 3],
                ..(**description).clone()
            };
            let rod = SplineRod::build(&words)?.rod;
            for i in 0..rod.nodes() {
                self.structure.node_mass[object.first + i] = rod.node_mass(i);
            }
            (**description, object.kind) = (words, ObjectKind::Rod(Rod::Spline(Box::new(rod))));
        }
        self.structure.winches.remove(k);
        self.state.spooled.remove(k);
        self.refit_places(index);
        Ok(())
    }

    /// Undoes the motion of winches since this state.
    pub(crate) fn take_back(&mut self, before: &State) {
        self.state.copy_from(before);
        for k in 0..self.structure.winches.len() {
            self.respan(k);
        }
    }
}
