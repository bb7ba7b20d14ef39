//! Builds constraints from descriptions: finds their places, and refuses unsuitable ones.

use crate::constraint::keyhole::imposed_place;
use crate::constraint::{
    Constraint, ConstraintDescription, ConstraintState, CustomRows, ENDS, End, EndDescription, FrameNeed,
    Law, LawBlockRows, Rows, Site, check_width,
};
use crate::error::{BuildError, check};
use crate::law::SharedLaw;
use crate::object::Place;
use crate::object::rod::window::window;
use crate::scene::Probe;
use crate::world::kinds::{Attached, Buildable};
use crate::world::remap::Remap;
use crate::world::{State, World, unknown};
use crate::world::{explicit_support, swept_support};
use glam::DVec3;

/// Entry on the roll above which a row holds it: rows on angles have entries of order one.
const ON_ROLL: f64 = 1e-9;

/// Distance of unit vectors below which two axes are equal.
const SAME_AXIS: f64 = 1e-6;

/// Problem text for constraints and moments on rods without roll.
pub(crate) const NO_ROLL: &str = "a mass-spring rod has no frame, and no roll that could be held or turned";

impl World {
    /// The ends of a described constraint, and the initial positions of sliding ones.
    pub(crate) fn ends(
        &self,
        description: &ConstraintDescription,
    ) -> Result<([End; ENDS], [f64; ENDS]), BuildError> {
        let (mut ends, mut own) = ([End::World; ENDS], [0.0; ENDS]);
        for (e, wanted) in description.ends().into_iter().enumerate() {
            let within = |error: BuildError| {
                if e == 0 { error } else { error.within("to") }.within(description.kind())
            };
            match wanted {
                EndDescription::World => {}
                EndDescription::Place { on, at, arm, frame } => {
                    let mut place = self.place(on, at, frame == FrameNeed::Yes).map_err(within)?;
                    if let Some(arm) = arm {
                        place.add_arm(lever_arm(&place, on, arm).map_err(within)?);
                    }
                    ends[e] = End::Fixed { place, framed: frame != FrameNeed::No && place.has_frame() };
                }
                EndDescription::Sliding { on, at, slide } => {
                    let place = self.place(on, Some(at), true).map_err(within)?;
                    let object = self.structure.objects.iter().position(|o| o.name == on).unwrap_or_default();
                    ends[e] = End::Sliding { object };
                    own[e] = match (slide, self.structure.objects[object].rod()) {
                        (Some(slide), Some(rod)) => imposed_place(
                            rod,
                            rod.arc_length(at).map_err(within)? + slide.at(self.state.time),
                        ),
                        (_, Some(rod)) => rod.parameter(place.segment, place.fraction),
                        (_, None) => {
                            let problem = format!("`{on}` is a {}", self.structure.objects[object].word());
                            let remedy = "name a rod: something slides along a curve";
                            return Err(within(BuildError::new("on", problem, remedy)));
                        }
                    };
                }
                EndDescription::Caught { at, shift, framed, .. } => {
                    let rods: Vec<_> = self
                        .rods_to_catch(description)?
                        .iter()
                        .filter_map(|&k| self.structure.objects[k].rod())
                        .collect();
                    let Some(first) = rods.first() else { continue };
                    ends[e] = End::Caught { framed };
                    // The first end stands for both.
                    let (width, here) =
                        (2.0 * shift.abs(), |error: BuildError| error.within(description.kind()));
                    let place = match at {
                        Some(at) => {
                            let place = first.arc_length(at).map_err(here)?;
                            check_width(first.length(), first.is_closed(), place, width).map_err(here)?;
                            place
                        }
                        // Still open: one of the rods must span the width.
                        None => {
                            let longest = rods.iter().map(|rod| rod.length()).fold(0.0, f64::max);
                            check_width(longest, false, 0.5 * longest, width).map_err(here)?;
                            0.5 * first.length()
                        }
                    };
                    let s = place + shift;
                    let (segment, fraction) = first.locate(if first.is_closed() {
                        s.rem_euclid(first.length())
                    } else {
                        s.clamp(0.0, first.length())
                    });
                    own[e] = first.parameter(segment, fraction);
                }
            }
        }
        Ok((ends, own))
    }

    /// Indices of the rods that a described constraint holds or waits for; empty if it doesn't catch.
    pub(crate) fn rods_to_catch(
        &self,
        description: &ConstraintDescription,
    ) -> Result<Vec<usize>, BuildError> {
        let EndDescription::Caught { on, .. } = description.ends()[0] else { return Ok(Vec::new()) };
        let objects = &self.structure.objects;
        let mut rods = Vec::with_capacity(on.len());
        for (k, name) in on.iter().enumerate() {
            let path = if on.len() == 1 { "on".to_owned() } else { format!("on[{k}]") };
            let error = match objects.iter().position(|o| o.name == *name) {
                None => unknown(&path, "rod", name, objects.iter().map(|o| o.name.as_str())),
                Some(object) if objects[object].rod().is_none() => {
                    let problem = format!("`{name}` is a {}", objects[object].word());
                    BuildError::new(path, problem, "name a rod, or use a fusion")
                }
                Some(object) if rods.contains(&object) => {
                    BuildError::new(path, format!("`{name}` is named twice"), "name every rod once")
                }
                Some(object) => {
                    rods.push(object);
                    continue;
                }
            };
            return Err(error.within(description.kind()));
        }
        if rods.is_empty() {
            let problem = format!("a {} for no rod", description.kind());
            let nothing = BuildError::new("on", problem, "name a rod, or a list of rods");
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
        let rods = self.rods_to_catch(description)?;
        let description = &self.pinned_constraint(description);
        let mut state = ConstraintState { own, ..ConstraintState::default() };
        let objects = &self.structure.objects;
        let mut sites = [Site::WORLD; ENDS];
        let mut places = [None; ENDS];
        let held = rods.first().copied().unwrap_or_default();
        description.begin(&rods, objects, &mut state)?;
        for e in 0..ENDS {
            let place = match ends[e] {
                End::World => continue,
                End::Fixed { place, .. } => place,
                End::Caught { .. } if state.open => continue,
                End::Caught { .. } => objects[held].fixed_place_at(own[e]),
                End::Sliding { object } => {
                    let place = objects[object].place_at(own[e]);
                    state.window[e] = objects[object].rod().map_or(0, |rod| window(rod, place.segment));
                    place
                }
            };
            state.frames[e] = self.frame_at(&place);
            sites[e] = self.poses().site(&place, &state.frames[e]);
            places[e] = Some(place);
        }
        if let [Some(a), Some(b)] = places
            && a.coincides(&b)
        {
            let problem = "both ends are the same place";
            return Err(BuildError::new("to", problem, "give another place, or another rod")
                .within(description.kind()));
        }
        let radius = match ends[0] {
            End::Caught { .. } => {
                objects[held].rod().map_or(0.0, |rod| rod.radius(objects[held].place_at(own[0]).segment))
            }
            _ => 0.0,
        };
        let mut law = description.build(&sites, radius, self.state.time)?;
        self.attach(description, &mut law)?;
        let goes_on = self.go_on(name, description, &mut law, &mut state);
        description.begin_holding(&law, objects, self.state.time, &mut sites, &mut state)?;
        if law.remembers() && matches!(ends[1], End::World) {
            sites[1] = law.world(0.0, self.state.time);
        }
        state.kind = match &law {
            Law::LawBlock(_) => LawBlockRows::begin(&sites[0], &sites[1]),
            Law::Custom(law) => law.begin(&sites).map_err(|e| e.within(description.kind()))?,
            _ => law.remember(&sites, &state.kind, self.state.time).unwrap_or(state.kind),
        };
        if let (true, Law::Joint(law)) = (goes_on, &law) {
            law.check_limits(&state.kind).map_err(|e| e.within(description.kind()))?;
        }
        if let (EndDescription::Sliding { at, slide: Some(slide), .. }, End::Sliding { object }) =
            (description.ends()[0], ends[0])
            && let Some(rod) = objects[object].rod()
        {
            law.set_imposed_position(rod.arc_length(at)? + slide.at(self.state.time), self.state.time);
            if self.spools_at_start(object) {
                law.impose_from_end(rod.length());
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
        if let (Some(sliding), End::Sliding { object }) = (law.sliding_mass(), ends[0]) {
            let place = objects[object].place_at(own[0]);
            state.sliding.velocity = (place.position(place.slice(objects, &self.state.v))
                + sites[0].t * description.speed_along())
            .to_array();
            let others = self.structure.constraints.iter().enumerate().filter_map(|(k, other)| {
                let there = other.law.sliding_mass().filter(|_| other.ends[0] == ends[0])?;
                Some((other.name.as_str(), there.radius, self.sites(k).ok()?[0].x))
            });
            sliding
                .check_fit(description.kind(), &objects[object], sites[0].x, others)
                .map_err(|e| e.within(description.kind()))?;
        }
        self.refuse_roll(description, &rods, &law, &places, &sites, &state)?;
        self.refuse_second_motor(name, &law, &ends, &sites).map_err(|e| e.within(description.kind()))?;
        let constraint =
            Constraint { name: name.to_owned(), description: description.clone(), ends, law, rods };
        if self.structure.explicit {
            explicit_support::check_constraint(&constraint, &state)?;
        }
        if self.structure.swept.is_some() {
            swept_support::check_constraint(&constraint, &state)?;
        }
        Ok((constraint, state))
    }

    /// If the constraint `name` exists and is such a joint already, the new law keeps its zero and its turns.
    /// Returns whether it does.
    fn go_on(
        &self,
        name: &str,
        description: &ConstraintDescription,
        law: &mut Law,
        state: &mut ConstraintState,
    ) -> bool {
        let Some(k) = self.structure.constraints.iter().position(|constraint| constraint.name == name) else {
            return false;
        };
        let before = &self.structure.constraints[k];
        match (&before.description, description, &before.law, law) {
            (
                ConstraintDescription::Joint(old),
                ConstraintDescription::Joint(new),
                Law::Joint(joined),
                Law::Joint(law),
            ) if old.joins_as(new) => {
                law.keep_zero(joined);
                state.kind = self.state.constraints[k].kind;
                true
            }
            _ => false,
        }
    }

    /// Sets the custom law or the custom rows of a constraint, by the name of their kind.
    fn attach(&self, description: &ConstraintDescription, law: &mut Law) -> Result<(), BuildError> {
        let registry = &self.structure.registry;
        match (description, law) {
            (ConstraintDescription::LawBlock(given), Law::LawBlock(rows)) => registry
                .make_law(&given.kind, &given.parameters)
                .and_then(|found| rows.set_law(SharedLaw::new(found))),
            (ConstraintDescription::Custom(given), law) => registry
                .make_constraint(&given.kind, &given.parameters)
                .map(|found| *law = Law::Custom(CustomRows::new(found))),
            _ => Ok(()),
        }
        .map_err(|e| e.within(description.kind()))
    }

    /// Refuses a motor without a strength on a coordinate that another such motor drives already.
    fn refuse_second_motor(
        &self,
        name: &str,
        law: &Law,
        ends: &[End; ENDS],
        sites: &[Site; ENDS],
    ) -> Result<(), BuildError> {
        let Law::Joint(law) = law else { return Ok(()) };
        let objects = |ends: &[End; ENDS]| ends.map(|end| end.object(&ConstraintState::default()));
        let [a, b] = objects(ends);
        for (k, axis, motor) in law.hard_motors(sites) {
            for (index, other) in self.structure.constraints.iter().enumerate() {
                let Law::Joint(there) = &other.law else { continue };
                let joined = objects(&other.ends);
                if other.name == name || joined != [a, b] && joined != [b, a] {
                    continue;
                }
                let same = |(at, way, known): &(usize, DVec3, _)| {
                    // Equal motors on one axis don't conflict.
                    let agrees = *known == motor && way.distance(axis) < SAME_AXIS && joined == [a, b];
                    at % 2 == k % 2 && way.cross(axis).length() < SAME_AXIS && !agrees
                };
                if there.hard_motors(&self.sites(index)?).any(|motor| same(&motor)) {
                    let what = if k % 2 == 0 { "rotation" } else { "displacement" };
                    let problem = format!("`{}` drives the same {what} already", other.name);
                    let remedy = "give one of the two motors a `strength`, or leave it out";
                    let path = ["angle", "slide", "cross_angle", "cross_slide"][k];
                    return Err(BuildError::new(format!("{path}.motor"), problem, remedy));
                }
            }
        }
        Ok(())
    }

    /// Refuses a constraint that would hold the roll of a rod without roll.
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
        let holds = |e: usize, place: &Place| {
            rows.iter().any(|row| place.spread(&row.ends[e], &sites[e]).theta.abs() > ON_ROLL)
        };
        let without = |k: &usize| {
            self.structure.objects[*k].rod().is_some_and(|rod| rod.place_in(0, 0.0).is_without_roll())
        };
        let catches = description.holds_caught_roll() && rods.iter().any(without);
        // In the present state the rows may be independent of the roll of a place; in other states they may
        // hold it.
        let without_roll = |e: usize| places[e].is_some_and(|place| place.is_without_roll());
        let framed = |e: usize| description.needs_frames() && without_roll(e);
        let attached = description.turns_with_other() && without_roll(1);
        if catches
            || attached
            || (0..ENDS).any(framed)
            || (0..ENDS).any(|e| places[e].is_some_and(|place| place.is_without_roll() && holds(e, &place)))
        {
            let remedy = if attached {
                "name a mass that is fused to it: directions on a mass do not turn; or use another model"
            } else {
                "hold its position and its tangent instead, or use another model"
            };
            return Err(BuildError::new("on", NO_ROLL, remedy).within(description.kind()));
        }
        Ok(())
    }
}

/// The arm of a place, m, in the frame of the place.
fn lever_arm(place: &Place, on: &str, arm: [f64; 3]) -> Result<DVec3, BuildError> {
    let arm = check::finite_vector("arm", arm)?;
    if !place.has_frame() {
        let problem = format!("`{on}` is a point and has no frame to which an arm could be fixed");
        return Err(BuildError::new("arm", problem, "leave `arm` out, or name a rod or a body"));
    }
    if place.is_without_roll() {
        let remedy = "leave `arm` out: its axis is held; or use another model";
        return Err(BuildError::new("arm", NO_ROLL, remedy));
    }
    Ok(arm)
}

impl Buildable for ConstraintDescription {
    fn add(&self, world: &mut World, name: &str) -> Result<(), BuildError> {
        let (constraint, state) = world.make_constraint(name, self)?;
        world.structure.constraints.push(constraint);
        world.state.constraints.push(state);
        Ok(())
    }

    fn change(&self, world: &mut World, name: &str, index: usize) -> Result<(), BuildError> {
        let (constraint, state) = world.make_constraint(name, self)?;
        world.pass_to_duplicate(index);
        world.structure.constraints[index] = constraint;
        world.state.constraints[index] = state;
        world.state.contacts.forget_constraint(index);
        Ok(())
    }

    fn remove(world: &mut World, index: usize) -> Result<(), BuildError> {
        world.pass_to_duplicate(index);
        world.structure.constraints.remove(index);
        world.state.constraints.remove(index);
        world.state.contacts.remove_constraint(index);
        Ok(())
    }

    fn objects(&self) -> Vec<&str> {
        let on = self.ends().into_iter().flat_map(|end| match end {
            EndDescription::World => Vec::new(),
            EndDescription::Place { on, .. } | EndDescription::Sliding { on, .. } => vec![on],
            EndDescription::Caught { on, .. } => on.iter().map(String::as_str).collect(),
        });
        on.collect()
    }

    fn is_probed() -> bool {
        true
    }

    fn read(world: &World, index: usize, probe: &Probe, _: bool) -> Result<f64, BuildError> {
        world.read_constraint(index, probe)
    }
}

impl Attached for Constraint {
    type Saved = (String, ConstraintDescription, Law);

    fn save(&self) -> Self::Saved {
        (self.name.clone(), self.description.clone(), self.law.clone())
    }

    fn restore(
        (name, description, mut law): Self::Saved,
        world: &mut World,
        _: &State,
    ) -> Result<(), BuildError> {
        let (ends, _) = world.ends_again(&description, [false; ENDS])?;
        let rods = world.rods_to_catch(&description)?;
        world.attach(&description, &mut law).map_err(|e| e.within(&format!("constraint.{name}")))?;
        world.structure.constraints.push(Constraint { name, ends, description, law, rods });
        Ok(())
    }

    fn relocate(
        from: &World,
        index: usize,
        remap: &Remap,
        kept: &[Option<usize>],
        to: &mut World,
    ) -> Result<(), BuildError> {
        from.relocate_constraint(index, remap, kept, to)
    }

    fn moves(world: &World, index: usize) -> bool {
        let (law, memory) = (&world.structure.constraints[index].law, &world.state.constraints[index]);
        law.moves() || law.is_settling(memory, world.state.time)
    }
}
