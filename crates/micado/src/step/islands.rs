//! Islands: objects that constraints or springs join are stepped separately.
//!
//! Each unconnected part of a world is copied into a small world before a step, with its own system, order,
//! tolerances and retries, and copied back after it. A world of one island is stepped directly. Islands are
//! independent, so they may be stepped in any order and on any number of threads with the same bits. If one
//! of them can't be stepped, none is copied back.
//!
//! Open constraints may catch rods of other islands, so constraints open and close after the islands have
//! been copied back. Winches change rods that several islands may hold: these worlds are not split.

use super::report::larger;
use super::statics::overloaded;
use super::{Pool, Refusal, StaticParams, StepParams, StepReport, System, Workspace};
use crate::clock::{Clock, Work};
use crate::constraint::{Broke, Constraint, ConstraintState, End};
use crate::contact::{HoldEvent, Passed};
use crate::load::{Load, LoadLaw, Spread, Spring, SpringEndPlace};
use crate::object::{MassDescription, Object, ObjectKind, Place, PointMass};
use crate::world::islands::{Islands, objects_of};
use crate::world::{History, Revision, State, Structure, World};
use std::sync::Mutex;

/// The islands of a world, with their workspaces.
#[derive(Clone, Debug, Default)]
pub(crate) struct IslandWorlds {
    /// The structure from which they were made, and the objects that its constraints held.
    made_of: Option<Revision>,
    held: Vec<Option<usize>>,
    /// Pairs of objects that could touch when the islands were made.
    touching: Vec<[u32; 2]>,
    islands: Vec<Island>,
    find: Islands,
    /// Scratch of `split`.
    found: Islands,
    /// How far each object moved in the last try of a step, m.
    travelled: Vec<f64>,
    /// Constraints that yielded in the last step, at most one of each island, in their order.
    broken: Vec<Broke>,
}

/// Part of a world, as a world of its own.
#[derive(Clone, Debug, Default)]
struct Island {
    /// Indices of its members in the whole.
    objects: Vec<usize>,
    constraints: Vec<usize>,
    springs: Vec<usize>,
    loads: Vec<usize>,
    /// Nodes and frames of its objects: first in the whole, first in the island, and number.
    nodes: Vec<[usize; 3]>,
    frames: Vec<[usize; 3]>,
    world: World,
    workspace: Workspace,
    report: StepReport,
}

/// A clock for one island. Its work is recorded, and spent on the clock of the whole in the order of the
/// islands.
struct IslandClock<'a> {
    whole: &'a dyn Clock,
    spent: Mutex<Vec<Work>>,
}

impl Clock for IslandClock<'_> {
    fn now(&self) -> f64 {
        self.whole.now()
    }

    fn spend(&self, work: Work) {
        self.spent.lock().expect("no island panics").push(work);
    }
}

/// Initial capacity for the passes of a step: 64 substeps of 16 solves.
const PASSES: usize = 1024;

/// Number of strains of an object in the history.
fn strain_count(structure: &Structure, object: usize) -> usize {
    let model = structure.objects[object].model();
    if model.internal_damping() == 0.0 { 0 } else { model.strain_count() }
}

/// Objects that constraints have caught: they join islands, and are not part of the structure.
fn held_now<'a>(structure: &'a Structure, state: &'a State) -> impl Iterator<Item = Option<usize>> + 'a {
    let may_open = |(constraint, _): &(&Constraint, &ConstraintState)| constraint.may_open();
    let pairs = structure.constraints.iter().zip(&state.constraints).filter(may_open);
    pairs.map(|(constraint, memory)| constraint.ends[0].object(memory))
}

/// Islands with the indices of their members, in the order of their first objects.
fn members(world: &World, find: &Islands) -> Vec<Island> {
    let World { structure, state } = world;
    let mut islands: Vec<Island> = Vec::new();
    // Number of the island of each object.
    let mut numbers = Vec::with_capacity(structure.objects.len());
    for object in 0..structure.objects.len() {
        let first = find.first(object);
        if first == object {
            numbers.push(islands.len());
            islands.push(Island::default());
        } else {
            numbers.push(numbers[first]);
        }
        islands[numbers[object]].objects.push(object);
    }
    // All objects of a member are in one island.
    for (k, (constraint, memory)) in structure.constraints.iter().zip(&state.constraints).enumerate() {
        if let Some(object) = objects_of(constraint, memory).into_iter().flatten().next() {
            islands[numbers[object]].constraints.push(k);
        }
    }
    for (k, spring) in structure.springs.iter().enumerate() {
        let mut places = spring.ends.iter().filter_map(SpringEndPlace::place);
        if let Some(object) = places.find_map(Place::object) {
            islands[numbers[object]].springs.push(k);
        }
    }
    for (k, load) in structure.loads.iter().enumerate() {
        let object = match &load.law {
            LoadLaw::Force(place, _) | LoadLaw::Moment(place, _) => place.object(),
            LoadLaw::Distributed(spread, _) | LoadLaw::Drag(spread, _) => Some(spread.object),
        };
        if let Some(object) = object {
            islands[numbers[object]].loads.push(k);
        }
    }
    islands
}

impl IslandWorlds {
    /// Splits a world, unless it is split already; objects that may touch are in one island. Returns whether
    /// it has more than one island.
    pub(super) fn split(&mut self, world: &World, touching: &[[u32; 2]]) -> bool {
        let (structure, state) = (&world.structure, &world.state);
        let known = self.made_of.as_ref().is_some_and(|revision| revision.is(&structure.revision))
            && self.held.iter().copied().eq(held_now(structure, state));
        if known && self.touching == touching {
            return !self.islands.is_empty();
        }
        self.found.find(structure, state, touching);
        let same = known && self.found == self.find;
        std::mem::swap(&mut self.found, &mut self.find);
        self.made_of = Some(structure.revision.clone());
        self.held.clear();
        self.held.extend(held_now(structure, state));
        self.touching.clear();
        self.touching.extend_from_slice(touching);
        if same {
            return !self.islands.is_empty();
        }
        if self.find.firsts().nth(1).is_none() {
            self.islands.clear();
            return false;
        }
        // Islands are in the order of their first objects.
        let mut kept = std::mem::replace(&mut self.islands, members(world, &self.find));
        for island in &mut self.islands {
            // An island with the same members keeps its workspace, and with it the order of unknowns.
            if let Ok(found) = kept.binary_search_by_key(&island.objects[0], |kept| kept.objects[0])
                && kept[found].objects == island.objects
            {
                island.workspace = std::mem::take(&mut kept[found].workspace);
            }
            island.workspace.spent.reserve(PASSES);
            island.workspace.still.reserve(island.objects.len());
            island.build(world);
        }
        self.broken.reserve(self.islands.len());
        true
    }

    /// Marks the quasi-static objects of each island for the next step, see [`Workspace::still`].
    fn mark_still(&mut self, still: &[Option<f64>]) {
        for Island { objects, workspace, .. } in &mut self.islands {
            workspace.still.clear();
            if objects.iter().any(|&object| still.get(object).is_some_and(Option::is_some)) {
                workspace.still.extend(objects.iter().map(|&object| still[object]));
            } else if let Some(system) = &mut workspace.system {
                system.augmented.fill(false);
            }
        }
    }

    /// Constraints that yielded in the last step, at most one of each island, in their order.
    pub(super) fn broken(&self) -> &[Broke] {
        &self.broken
    }

    /// Finds the constraint with the largest overload of each island in equilibrium. Returns that with the
    /// largest of all.
    pub(super) fn find_overloaded(&mut self, world: &World) -> Option<Broke> {
        let Self { islands, broken, .. } = self;
        let balanced = islands.iter().filter(|island| island.report.converged);
        let overloads = balanced.map(|island| overloaded(world, island.constraints.iter().copied()));
        broken.clear();
        broken.extend(overloads.flatten());
        broken.sort_unstable_by_key(|broke| broke.constraint);
        broken.iter().copied().reduce(weaker)
    }

    /// The systems of the islands with the indices of their objects and constraints in the whole.
    pub(super) fn systems(&self) -> impl Iterator<Item = (&System, &[usize], &[usize])> {
        self.islands.iter().filter_map(|island| {
            Some((
                island.workspace.system.as_ref()?,
                island.objects.as_slice(),
                island.constraints.as_slice(),
            ))
        })
    }

    /// Sets the previous step of the whole. An island that was stepped in parts has none.
    fn gather_steps(&self, history: &mut History, objects: usize) {
        let step = |island: &Island| island.world.state.history.step;
        history.step = self.islands.iter().map(step).fold(0.0, f64::max);
        history.restarted.clear();
        if history.step > 0.0 {
            history.restarted.resize(objects, false);
            let restarted = self.islands.iter().filter(|island| step(island) == 0.0);
            restarted.flat_map(|island| &island.objects).for_each(|&object| history.restarted[object] = true);
        }
    }

    /// Restarts the histories of the islands in which constraints opened or closed: they don't apply to the
    /// motion from there on.
    pub(super) fn restart_histories(&self, world: &mut World, events: &[HoldEvent]) {
        let (structure, history) = (&world.structure, &mut world.state.history);
        if history.step == 0.0 {
            return;
        }
        history.restarted.resize(structure.objects.len(), false);
        for event in events {
            let fixed = |end: &End| if let End::Fixed { place, .. } = end { place.object() } else { None };
            let carriers = structure.constraints[event.constraint].ends.iter().filter_map(fixed);
            for object in carriers.chain([event.object]) {
                let first = self.find.first(object);
                if let Ok(found) = self.islands.binary_search_by_key(&first, |island| island.objects[0]) {
                    let members = &self.islands[found].objects;
                    members.iter().for_each(|&object| history.restarted[object] = true);
                }
            }
        }
    }

    /// Steps every island, or finds its equilibrium, and copies all back if all succeed. Returns `None`, with
    /// nothing copied back, if objects of different islands may have met. `have_met` decides this from the
    /// way of each object, m, and these islands.
    pub(super) fn run(
        &mut self,
        world: &mut World,
        pool: &Pool,
        clock: &dyn Clock,
        advance: &(dyn Fn(&mut World, &mut Workspace, &dyn Clock) -> StepReport + Sync),
        have_met: &mut dyn FnMut(&World, &[f64], &Islands) -> bool,
    ) -> Option<StepReport> {
        let lent = Lent::new(&mut self.islands, world);
        pool.for_each(lent.islands, |island| {
            let own =
                IslandClock { whole: clock, spent: Mutex::new(std::mem::take(&mut island.workspace.spent)) };
            island.report = advance(&mut island.world, &mut island.workspace, &own);
            island.workspace.spent = own.spent.into_inner().expect("no island panics");
        });
        drop(lent);
        let mut report_of_all: Option<StepReport> = None;
        self.broken.clear();
        for island in &mut self.islands {
            island.workspace.spent.drain(..).for_each(|work| clock.spend(work));
            let report = island.report.renumbered(&island.objects, &island.constraints);
            self.broken.extend(report.broke);
            report_of_all =
                Some(report_of_all.map_or(report, |report_of_all| report_of_all.combined_with(report)));
        }
        self.broken.sort_unstable_by_key(|broke| broke.constraint);
        let mut report_of_all = report_of_all.unwrap_or_default();
        if !report_of_all.held && world.structure.touching.is_on() {
            self.travelled.clear();
            self.travelled.resize(world.structure.objects.len(), 0.0);
            for Island { objects, workspace, .. } in &self.islands {
                for (&object, &way) in objects.iter().zip(&workspace.travelled) {
                    self.travelled[object] = way;
                }
            }
            if have_met(world, &self.travelled, &self.find) {
                return None;
            }
        }
        if !report_of_all.held {
            world.state.contacts.clear();
            self.islands.iter().for_each(|island| island.give_back(world));
            world.state.contacts.sort();
            self.gather_steps(&mut world.state.history, world.structure.objects.len());
        }
        report_of_all.time = world.state.time;
        Some(report_of_all)
    }
}

impl World {
    /// One dynamic step of every island. Returns `None`, with nothing changed, if objects of different
    /// islands may have met unseen; their pairs are then added to the groups. In the last try this is only
    /// reported.
    pub(super) fn step_islands(
        &mut self,
        params: &StepParams,
        workspace: &mut Workspace,
        clock: &dyn Clock,
        last: bool,
    ) -> Option<StepReport> {
        let mut islands = std::mem::take(&mut workspace.islands);
        islands.mark_still(&workspace.still);
        let Workspace { pool, groups, .. } = &mut *workspace;
        let mut unseen = false;
        let advance = |world: &mut Self, workspace: &mut Workspace, clock: &dyn Clock| {
            world.step_whole(params, workspace, clock)
        };
        let report = islands.run(self, pool, clock, &advance, &mut |world, travelled, islands| {
            let met = groups.add_met(&world.structure, travelled, |object| islands.first(object));
            unseen = met && last;
            met && !last
        });
        workspace.islands = islands;
        report.map(|report| StepReport { unsolved_contacts: report.unsolved_contacts || unseen, ..report })
    }

    /// The equilibrium of every island at `time`.
    pub(super) fn equilibrate_islands(
        &mut self,
        time: f64,
        params: &StaticParams,
        workspace: &mut Workspace,
        clock: &dyn Clock,
    ) -> StepReport {
        let mut islands = std::mem::take(&mut workspace.islands);
        islands.mark_still(&workspace.still);
        let advance = |world: &mut Self, workspace: &mut Workspace, clock: &dyn Clock| {
            world.equilibrate_whole(time, params, workspace, clock)
        };
        let report = islands.run(self, &workspace.pool, clock, &advance, &mut |_, _, _| false);
        workspace.islands = islands;
        report.unwrap_or_default()
    }
}

/// Islands with models and laws of a world. They are returned on drop, also after a panic.
struct Lent<'a> {
    islands: &'a mut [Island],
    world: &'a mut World,
}

impl<'a> Lent<'a> {
    fn new(islands: &'a mut [Island], world: &'a mut World) -> Self {
        islands.iter_mut().for_each(|island| island.exchange(world));
        let lent = Self { islands, world };
        lent.islands.iter_mut().for_each(|island| island.gather(lent.world));
        lent
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.islands.iter_mut().for_each(|island| island.exchange(self.world));
    }
}

impl Island {
    /// Index of an object of the whole in the island.
    fn local(&self, object: usize) -> usize {
        self.objects.binary_search(&object).expect("it is a member")
    }

    fn local_place(&self, place: &Place) -> Place {
        place.object().map_or(*place, |object| place.of_object(self.local(object)))
    }

    /// Builds the structure with local indices. Kinds of objects and laws of constraints are lent for each
    /// step.
    fn build(&mut self, world: &World) {
        let whole = &world.structure;
        let mut structure =
            Structure { gravity: whole.gravity.clone(), swept: whole.swept, ..Structure::default() };
        let (mut first, mut start) = (0, 0);
        for &k in &self.objects {
            let object = &whole.objects[k];
            let (count, frames) = (object.nodes(), object.frames.len());
            self.nodes.push([object.first, first, count]);
            self.frames.push([object.frames.start, start, frames]);
            structure.node_mass.extend(&whole.node_mass[object.first..object.first + count]);
            structure.objects.push(Object {
                name: object.name.clone(),
                kind: ObjectKind::Mass(PointMass { mass: 0.0, radius: 0.0 }),
                description: MassDescription::default().into(),
                index: structure.objects.len(),
                first,
                frames: start..start + frames,
            });
            (first, start) = (first + count, start + frames);
        }
        for &k in &self.constraints {
            let constraint = &whole.constraints[k];
            let ends = constraint.ends.map(|end| match end {
                End::Fixed { place, framed } => End::Fixed { place: self.local_place(&place), framed },
                End::Sliding { object } => End::Sliding { object: self.local(object) },
                End::World | End::Caught { .. } => end,
            });
            structure.constraints.push(Constraint { ends, rods: Vec::new(), ..constraint.clone() });
        }
        for &k in &self.springs {
            let spring = &whole.springs[k];
            let ends = spring.ends.clone().map(|end| match end {
                SpringEndPlace::Object(place) => SpringEndPlace::Object(self.local_place(&place)),
                SpringEndPlace::World(_) => end,
            });
            structure.springs.push(Spring { ends, ..spring.clone() });
        }
        structure.loads = self.loads.iter().map(|&k| self.local_load(&whole.loads[k])).collect();
        structure.touching = whole.touching.of_island(&self.objects, &self.constraints);
        self.world = World { structure, state: State::default() };
    }

    /// The load with local indices.
    fn local_load(&self, load: &Load) -> Load {
        let spread = |along: &Spread| Spread { object: self.local(along.object), ..along.clone() };
        let law = match &load.law {
            LoadLaw::Force(at, signal) => LoadLaw::Force(self.local_place(at), signal.clone()),
            LoadLaw::Moment(at, signal) => LoadLaw::Moment(self.local_place(at), signal.clone()),
            LoadLaw::Distributed(along, signal) => LoadLaw::Distributed(spread(along), signal.clone()),
            LoadLaw::Drag(along, signal) => LoadLaw::Drag(spread(along), signal.clone()),
        };
        Load { law, ..load.clone() }
    }

    /// Copies the state of its members from the whole.
    fn gather(&mut self, world: &World) {
        let (whole, state) = (&world.state, &mut self.world.state);
        state.time = whole.time;
        state.q.clear();
        state.v.clear();
        state.frames.clear();
        let remembers = self.objects.iter().all(|&object| whole.history.has(object));
        state.history.step = if remembers { whole.history.step } else { 0.0 };
        state.history.restarted.clear();
        state.history.increment.clear();
        state.history.velocity.clear();
        state.history.strains.resize(self.objects.len(), Vec::new());
        for (i, (&k, (&[first, _, count], &[start, _, frames]))) in
            self.objects.iter().zip(self.nodes.iter().zip(&self.frames)).enumerate()
        {
            let own = 4 * first..4 * (first + count);
            state.q.extend(&whole.q[own.clone()]);
            state.v.extend(&whole.v[own.clone()]);
            state.frames.extend(&whole.frames[start..start + frames]);
            if remembers {
                state.history.increment.extend(&whole.history.increment[own.clone()]);
                state.history.velocity.extend(&whole.history.velocity[own]);
                if let Some(strains) = whole.history.strains.get(k) {
                    state.history.strains[i].clone_from(strains);
                }
            } else {
                state.history.increment.resize(state.q.len(), 0.0);
                state.history.velocity.resize(state.q.len(), 0.0);
                let strains = &mut state.history.strains[i];
                strains.clear();
                strains.reserve(strain_count(&self.world.structure, i));
            }
        }
        let (objects, constraints) = (&self.objects, &self.constraints);
        state.constraints.resize_with(constraints.len(), ConstraintState::default);
        for (memory, &k) in state.constraints.iter_mut().zip(constraints) {
            memory.clone_from(&whole.constraints[k]);
            memory.held = objects.binary_search(&memory.held).unwrap_or(0);
            memory.duplicate_of = memory
                .duplicate_of
                .and_then(|leader| constraints.binary_search(&(leader as usize)).ok())
                .map(|leader| leader as u32);
        }
        state.contacts.gather(&whole.contacts, objects, constraints);
        state.springs.clear();
        state.springs.extend(self.springs.iter().map(|&k| whole.springs[k]));
    }

    /// Copies the state of its members to the whole.
    fn give_back(&self, world: &mut World) {
        let (whole, state) = (&mut world.state, &self.world.state);
        whole.time = state.time;
        let history = state.history.step > 0.0;
        if history {
            whole.history.increment.resize(whole.q.len(), 0.0);
            whole.history.velocity.resize(whole.q.len(), 0.0);
            whole.history.strains.resize(world.structure.objects.len(), Vec::new());
        }
        for (i, (&k, (&[first, local, count], &[start, at, frames]))) in
            self.objects.iter().zip(self.nodes.iter().zip(&self.frames)).enumerate()
        {
            let (own, from) = (4 * first..4 * (first + count), 4 * local..4 * (local + count));
            whole.q[own.clone()].copy_from_slice(&state.q[from.clone()]);
            whole.v[own.clone()].copy_from_slice(&state.v[from.clone()]);
            whole.frames[start..start + frames].copy_from_slice(&state.frames[at..at + frames]);
            if history {
                whole.history.increment[own.clone()].copy_from_slice(&state.history.increment[from.clone()]);
                whole.history.velocity[own].copy_from_slice(&state.history.velocity[from]);
                if let Some(strains) = state.history.strains.get(i) {
                    whole.history.strains[k].clone_from(strains);
                }
            }
        }
        for (&k, memory) in self.constraints.iter().zip(&state.constraints) {
            let own = &mut whole.constraints[k];
            let (duplicate_of, held) = (own.duplicate_of, own.held);
            own.clone_from(memory);
            (own.duplicate_of, own.held) = (duplicate_of, held);
        }
        state.contacts.give_back(&self.objects, &self.constraints, &mut whole.contacts);
        for (&k, frames) in self.springs.iter().zip(&state.springs) {
            whole.springs[k] = *frames;
        }
    }

    /// Exchanges kinds of objects and laws of constraints with the whole.
    fn exchange(&mut self, world: &mut World) {
        let structure = &mut self.world.structure;
        for (own, &k) in structure.objects.iter_mut().zip(&self.objects) {
            std::mem::swap(&mut own.kind, &mut world.structure.objects[k].kind);
        }
        for (own, &k) in structure.constraints.iter_mut().zip(&self.constraints) {
            std::mem::swap(&mut own.law, &mut world.structure.constraints[k].law);
        }
    }
}

/// The one with the larger load, the first if they are equal.
fn weaker(a: Broke, b: Broke) -> Broke {
    if b.load > a.load { b } else { a }
}

impl StepReport {
    /// The report of an island with the indices of the whole.
    #[must_use]
    fn renumbered(self, objects: &[usize], constraints: &[usize]) -> Self {
        Self {
            refused: self.refused.map(|refusal: Refusal| refusal.renumbered(objects, constraints)),
            worst_constraint: self.worst_constraint.map(|k| constraints[k]),
            passed: self
                .passed
                .map(|passed| Passed { objects: passed.objects.map(|k| objects[k]), ..passed }),
            broke: self.broke.map(|broke| Broke { constraint: constraints[broke.constraint], ..broke }),
            ..self
        }
    }

    /// Combines the reports of two islands for the same step.
    #[must_use]
    fn combined_with(self, other: Self) -> Self {
        let worse = other.residual > self.residual || self.worst_constraint.is_none();
        Self {
            solves: self.solves.max(other.solves),
            substeps: self.substeps.max(other.substeps),
            refused: self.refused.filter(|_| self.held || !other.held).or(other.refused).or(self.refused),
            held: self.held || other.held,
            last_increment: self.last_increment.max(other.last_increment),
            stretched: self.stretched.max(other.stretched),
            residual: self.residual.max(other.residual),
            worst_constraint: if worse { other.worst_constraint } else { self.worst_constraint },
            redundant_rows: self.redundant_rows + other.redundant_rows,
            conflicting_rows: self.conflicting_rows + other.conflicting_rows,
            sweeps: self.sweeps + other.sweeps,
            compliance_factors: self.compliance_factors + other.compliance_factors,
            compliance_updates: self.compliance_updates + other.compliance_updates,
            sweep_residual: self.sweep_residual.max(other.sweep_residual),
            contacts: self.contacts + other.contacts,
            penetration: self.penetration.max(other.penetration),
            passages: self.passages + other.passages,
            passed: self.passed.or(other.passed),
            ceilings: self.ceilings + other.ceilings,
            factorisations: self.factorisations + other.factorisations,
            searches: self.searches + other.searches,
            broke: self.broke.map_or(other.broke, |own| Some(other.broke.map_or(own, |b| weaker(own, b)))),
            approaches: self.approaches || other.approaches,
            unsettled: self.unsettled || other.unsettled,
            unsolved_contacts: self.unsolved_contacts || other.unsolved_contacts,
            unbalanced: larger(self.unbalanced, other.unbalanced),
            converged: self.converged && other.converged,
            unstable_modes: self.unstable_modes + other.unstable_modes,
            strayed: self.strayed || other.strayed,
            departures: self.departures + other.departures,
            stage_seconds: std::array::from_fn(|k| self.stage_seconds[k] + other.stage_seconds[k]),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::IslandWorlds;
    use crate::clock::NoClock;
    use crate::step::Pool;
    use crate::world::World;
    use serde_json::json;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    #[test]
    fn a_panic_in_an_island_leaves_the_world_as_it_was() {
        let mass = |x: f64| json!({"position": [x, 0, 0], "mass": 1.0 + x});
        let scene = json!({"mass": {"a": mass(0.0), "b": mass(1.0)}});
        let mut world = World::build(&serde_json::from_value(scene).expect("a scene")).expect("a world");
        let before = world.clone();
        let mut islands = IslandWorlds::default();
        assert!(islands.split(&world, &[]));
        let step = AssertUnwindSafe(|| {
            islands.run(
                &mut world,
                &Pool::default(),
                &NoClock,
                &|_, _, _| panic!("in an island"),
                &mut |_, _, _| false,
            )
        });
        assert!(catch_unwind(step).is_err());
        assert_eq!(world.structure, before.structure);
        assert_eq!(world.state, before.state);
    }
}
