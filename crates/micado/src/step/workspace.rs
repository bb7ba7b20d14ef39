//! Scratch of a step: sized once, reused; dropping it changes no result.

use super::explicit::ExplicitScratch;
use super::islands::IslandWorlds;
use super::order::{Room, System};
use super::pattern_key::PatternKey;
use super::pool::Pool;
use super::quasi::{QuasiScratch, Switch};
use super::rotation::Spin;
use super::statics::StaticScratch;
use crate::clock::Work;
use crate::contact::{Groups, HoldEvent};
use crate::edit::winch::WinchScratch;
use crate::object::rod::Tangent;
use crate::scene::Hessian;
use crate::world::Revision;
use crate::world::State;
use crate::world::{Structure, World};
use micado_linalg::pages;

/// Scratch of a step.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// Key of the pattern of the system.
    key: PatternKey,
    /// The structure that was stepped last.
    pub(super) stepped: Revision,
    pub(crate) system: Option<System>,
    /// The trial state, until it is committed.
    pub(crate) trial: State,
    /// The state at the beginning of a substep, if it is not that of the world.
    pub(crate) start: State,
    /// Stretches that the last pass has solved for, by object.
    pub(crate) carried: Vec<Vec<f64>>,
    /// Whether loads or springs read the frames of objects.
    pub(super) needs_frames: bool,
    /// Whether a rod would turn too far for a prediction.
    pub(super) too_far: bool,
    /// The largest violation of the last pass, and its constraint.
    pub(super) missed: Option<(f64, Option<usize>)>,
    /// Sum of increments since the step began.
    pub(crate) increment: Vec<f64>,
    /// The way of each object in the last substep, and in all substeps of the step, m; empty without contact.
    pub(super) moved: Vec<f64>,
    pub(super) travelled: Vec<f64>,
    /// Free rotations of bodies in the present substep.
    pub(super) spins: Vec<Spin>,
    /// `d − c₀ Δ`
    pub(crate) inertia: Vec<f64>,
    /// `c₁ Δ − e`
    pub(crate) velocity: Vec<f64>,
    pub(crate) strains: Vec<Vec<f64>>,
    pub(crate) strains_before: Vec<Vec<f64>>,
    pub(crate) force: Vec<f64>,
    pub(crate) scratch: Vec<f64>,
    pub(crate) hold_events: Vec<HoldEvent>,
    pub(crate) winches: WinchScratch,
    /// The state before winches moved, if they did.
    pub(crate) before: State,
    /// Mass-like terms of quasi-static objects, as shares of their stiffest local motion; `None` for dynamic
    /// objects. Empty if all are dynamic.
    pub(crate) still: Vec<Option<f64>>,
    pub(super) quasi: QuasiScratch,
    pub(super) statics: StaticScratch,
    pub(super) explicit: ExplicitScratch,
    /// Pairs of objects that may touch.
    pub(super) groups: Groups,
    /// The islands of the last step, and the threads on which they are stepped.
    pub(super) islands: IslandWorlds,
    pub(super) pool: Pool,
    /// Work of an island in a step.
    pub(super) spent: Vec<Work>,
    /// Whether all islands share one system.
    whole: bool,
    /// Whether the last step was one of several islands.
    pub(super) split: bool,
    /// Whether the last step was an explicit one.
    pub(super) stepped_explicitly: bool,
}

impl Workspace {
    /// Empty scratch.
    pub fn new() -> Self {
        Self::default()
    }

    /// Empty scratch for steps on the threads of a pool.
    pub fn with_pool(pool: Pool) -> Self {
        Self { pool, ..Self::default() }
    }

    /// Sets the pool of threads of later steps.
    pub fn set_pool(&mut self, pool: Pool) {
        self.pool = pool;
    }

    /// Makes all islands share one system, for inspection.
    pub fn share_system(&mut self) {
        self.whole = true;
    }

    /// Whether a world is stepped island by island: it has several islands and no winches.
    pub(super) fn splits(&mut self, world: &World) -> bool {
        self.splits_for(world, 0.0)
    }

    /// Like `splits`, for a dynamic step of length `h`: objects that may touch in it are stepped together.
    pub(super) fn splits_for(&mut self, world: &World, h: f64) -> bool {
        self.groups.find(&world.structure, &world.state, h);
        self.split_groups(world)
    }

    /// Splits a world by the pairs that may touch.
    pub(super) fn split_groups(&mut self, world: &World) -> bool {
        let whole = self.whole || !world.structure.winches.is_empty();
        self.split = !whole && self.islands.split(world, self.groups.pairs());
        self.split
    }

    /// Adds the motion of the last substep to that of the step.
    pub(super) fn travel(&mut self) {
        self.travelled.resize(self.moved.len(), 0.0);
        self.travelled.iter_mut().zip(&self.moved).for_each(|(sum, moved)| *sum += moved);
    }

    /// Orders the unknowns anew if the structure or the required room has changed. Returns whether it did.
    pub(super) fn prepare(&mut self, world: &World, room: Room) -> bool {
        self.prepare_for(world, &world.state, room)
    }

    /// Like `prepare`, for the trial state, whose sliding ends may have left the windows of the world's
    /// state.
    pub(super) fn prepare_for_trial(&mut self, world: &World, room: Room) {
        let trial = std::mem::take(&mut self.trial);
        self.prepare_for(world, &trial, room);
        self.trial = trial;
    }

    /// The room that a dynamic step needs; quasi-static objects need that of statics.
    pub(super) fn room(&self, hessian: Hessian) -> Room {
        match Tangent::from(hessian) {
            _ if !self.still.is_empty() => Room::Pairs,
            Tangent::Exact => Room::ExactStep,
            Tangent::GaussNewton | Tangent::Psd => Room::Step,
        }
    }

    fn prepare_for(&mut self, world: &World, state: &State, room: Room) -> bool {
        (self.stepped_explicitly, self.split) = (false, false);
        self.stepped = world.structure.revision.clone();
        if self.key.fits(&world.structure, state, room)
            && let Some(system) = &mut self.system
        {
            system.weigh(&world.structure, state, &mut self.increment);
            return false;
        }
        let system = System::with_room(&world.structure, state, room);
        let n = 4 * system.object_nodes;
        for vector in [&mut self.increment, &mut self.inertia, &mut self.velocity, &mut self.force] {
            vector.clear();
            vector.resize(n, 0.0);
        }
        // Statics and quasi-static islands measure their residual.
        self.scratch.reserve(if room == Room::Pairs { 2 * system.scalars() } else { n });
        if self.start.constraints.capacity() < state.constraints.len() {
            for own in [&mut self.start, &mut self.trial] {
                own.constraints = pages::with_capacity(state.constraints.len());
            }
        }
        self.start.copy_from(state);
        self.carried.clear();
        let stretches = world.structure.objects.iter().map(|object| object.model().stretch_count());
        self.carried.extend(stretches.map(|count| vec![0.0; count]));
        for strains in [&mut self.strains, &mut self.strains_before] {
            strains.clear();
            // A retry has several solves, which need reference strains.
            strains.extend(world.structure.objects.iter().map(|object| {
                Vec::with_capacity(if object.model().internal_damping() == 0.0 {
                    0
                } else {
                    object.model().strain_count()
                })
            }));
        }
        self.system = Some(system);
        true
    }

    /// Whether rows rebound in the present substep.
    pub(super) fn is_struck(&self) -> bool {
        self.system.as_ref().is_some_and(|system| system.non_smooth.struck.any())
    }

    /// Constraints that opened or caught at the end of the last step.
    pub fn hold_events(&self) -> &[HoldEvent] {
        &self.hold_events
    }

    /// Islands that switched in the last quasi-dynamic step.
    pub fn switches(&self) -> &[Switch] {
        &self.quasi.switches
    }

    /// The system of the last step, if it was a single one.
    pub fn system(&self) -> Option<&System> {
        let whole =
            if self.stepped_explicitly { self.explicit.system.as_ref() } else { self.system.as_ref() };
        whole.filter(|_| !self.split)
    }

    /// The systems of the last step, with the indices of their objects and constraints in the whole; `None`
    /// if there is only one.
    fn systems(&self) -> impl Iterator<Item = (&System, Option<Members<'_>>)> {
        let islands = self.islands.systems().filter(|_| self.split);
        self.system()
            .map(|system| (system, None))
            .into_iter()
            .chain(islands.map(|(s, o, c)| (s, Some((o, c)))))
    }

    /// Whether the last step was made island by island, each with a system of its own.
    pub fn is_split(&self) -> bool {
        self.split
    }

    /// Scalar unknowns and rows of all systems of the last step.
    pub fn sizes(&self) -> (usize, usize) {
        let sizes = self.systems().map(|(system, _)| (system.unknowns(), system.multipliers()));
        sizes.fold((0, 0), |sum, size| (sum.0 + size.0, sum.1 + size.1))
    }

    /// Constraints with redundant rows in the last solve.
    pub fn redundant(&self) -> Vec<usize> {
        self.systems().flat_map(|(system, of)| number(system.redundant(), of.map(|of| of.1))).collect()
    }

    /// Constraints with contradictory rows in the last solve.
    pub fn conflicting(&self) -> Vec<usize> {
        self.systems().flat_map(|(system, of)| number(system.conflicting(), of.map(|of| of.1))).collect()
    }

    /// Objects with redundant rows of their own in the last solve.
    pub fn redundant_objects(&self) -> Vec<usize> {
        self.systems()
            .flat_map(|(system, of)| number(system.redundant_lengths(), of.map(|of| of.0)))
            .collect()
    }

    /// Objects with contradictory rows of their own in the last solve.
    pub fn conflicting_objects(&self) -> Vec<usize> {
        self.systems()
            .flat_map(|(system, of)| number(system.conflicting_lengths(), of.map(|of| of.0)))
            .collect()
    }

    /// Returns `None` if the structure was edited since the last step, or was stepped island by island.
    pub fn system_of(&self, structure: &Structure) -> Option<&System> {
        self.system().filter(|_| self.stepped.is(&structure.revision))
    }
}

/// Indices in the whole of the objects and constraints of an island.
type Members<'a> = (&'a [usize], &'a [usize]);

/// Maps indices of an island to the whole.
fn number<'a>(
    own: impl Iterator<Item = usize> + 'a,
    of: Option<&'a [usize]>,
) -> impl Iterator<Item = usize> + 'a {
    own.map(move |k| of.map_or(k, |of| of[k]))
}

#[cfg(test)]
mod tests {
    use super::Workspace;
    use crate::clock::NoClock;
    use crate::scene::Edit;
    use crate::scene::Integrator;
    use crate::step::{Owner, StaticParams, StepParams};
    use crate::world::World;
    use serde_json::json;

    #[test]
    fn system_is_that_of_the_last_step() {
        let scene = |segments: usize| {
            json!({
                "rod": {"beam": {"model": "discrete-elastic", "segments": segments, "radius": 0.01,
                    "mass_per_length": 1, "stiffness": {"bend": 1, "twist": 1}}},
                "constraint": {"wall": {"clamp": {"on": "beam", "at": "start"}}},
                "settings": {"integrator": "explicit"},
            })
        };
        let mut world = World::build(&serde_json::from_value(scene(6)).expect("a scene")).expect("a world");
        let mut workspace = Workspace::new();
        assert!(workspace.system().is_none());
        let params = StepParams { step: 1e-3, integrator: Integrator::Explicit, ..StepParams::default() };
        for _ in 0..2 {
            assert!(!world.step(&params, &mut workspace, &NoClock).held);
            let last = workspace.system().expect("it was stepped");
            assert!(std::ptr::eq(last, workspace.explicit.system.as_ref().expect("its system")));
            assert!(workspace.system_of(world.structure()).is_some());
            assert!(!world.equilibrate(0.0, &StaticParams::default(), &mut workspace, &NoClock).held);
            let last = workspace.system().expect("it was solved");
            assert!(std::ptr::eq(last, workspace.system.as_ref().expect("its system")));
            assert!(
                workspace.system_of(world.structure()).is_some()
                    && workspace.system_of(world.clone().structure()).is_some()
            );
        }
        world.apply(&Edit::Release("wall".into())).expect("it is there");
        assert!(workspace.system_of(world.structure()).is_none(), "it has other rows now");
        // The owners of a different structure are unknown.
        let larger = World::build(&serde_json::from_value(scene(60)).expect("a scene")).expect("a world");
        let owners = workspace.system().expect("it was solved").owners(larger.structure());
        assert!(!owners.contains(&Some(Owner::Object(0))));
    }
}
