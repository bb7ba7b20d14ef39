//! A simulation: a world with its settings, probes and actions, stepped to its end.

mod branch;
mod report_events;

use crate::clock::Clock;
use crate::edit::resolution::Change;
use crate::error::{BuildError, BuildErrorKind, check};
use crate::run::dry_run::dry_run;
use crate::run::event::{Condition, EditSummary, Event, EventKind};
use crate::run::journal::Journal;
use crate::scene::{Action, Integrator, Mode, Probe, Registry, Scene, Settings, Solves};
use crate::scene::{Coarsen, Refine};
use crate::scene::{Edit, Effect, ItemEdit};
use crate::step::{MOST_EXPLICIT_PARTS, Pool, StaticParams, StepParams, StepReport, Workspace};
use crate::world::World;
use serde::{Deserialize, Serialize};
use std::sync::OnceLock;

/// Longest time step, s: a year.
const LONGEST_STEP: f64 = 3.2e7;

/// Dynamic steps between adaptations of the resolution: each change requires a new order of unknowns.
const ADAPTED_EVERY: u64 = 4;

/// Most divisions of a rod before a run: from one segment to 256.
const MOST_DIVISIONS: usize = 8;

/// A world with its settings, probes and actions.
#[derive(Clone, Debug)]
pub struct Simulation {
    settings: Settings,
    world: World,
    workspace: Workspace,
    probes: Vec<Probe>,
    names: Vec<String>,
    /// Values of the probes after the last step, once they were read.
    values: OnceLock<Vec<f64>>,
    actions: Vec<Action>,
    /// Which actions were applied.
    done: Vec<bool>,
    journal: Journal,
    steps: u64,
    /// Number of successful steps.
    made: u64,
    settled: bool,
    /// Whether the actions that are due at the end of the run were applied.
    acted: bool,
}

impl Simulation {
    /// Builds a scene.
    ///
    /// # Errors
    /// The first description that can't be used, by its path in the scene file.
    pub fn build(scene: &Scene) -> Result<Self, BuildError> {
        Self::build_with(scene, &Registry::default())
    }

    /// Builds a scene with custom laws, constraints and forces.
    ///
    /// # Errors
    /// The first description that can't be used, by its path in the scene file.
    pub fn build_with(scene: &Scene, registry: &Registry) -> Result<Self, BuildError> {
        let settings = scene.settings.clone();
        check::positive("settings.step", settings.step)?;
        check::not_negative("settings.duration", settings.duration)?;
        if settings.step > LONGEST_STEP {
            let problem = format!("a step of {} s", settings.step);
            return Err(BuildError::new(
                "settings.step",
                problem,
                format!("give a step of at most {LONGEST_STEP} s"),
            ));
        }
        if settings.duration / settings.step > 1e12 {
            return Err(BuildError::new(
                "settings.step",
                "more than 10¹² steps",
                "give a longer step or a shorter duration",
            ));
        }
        if let Solves::Exactly(number) = settings.solves
            && !(1..=Solves::MOST).contains(&number)
        {
            return Err(BuildError::new(
                "settings.solves",
                format!("{number} solves per step"),
                format!("give \"auto\", or a number from 1 to {}", Solves::MOST),
            ));
        }
        settings.quasi.check().map_err(|e| e.within("settings.quasi"))?;
        check_mode(settings.mode, settings.integrator)?;
        settings.check_swept().map_err(|e| e.within("settings"))?;
        let world = World::build_with(scene, registry)?;
        let parts = world.explicit_parts(settings.step);
        if settings.integrator == Integrator::Explicit && parts > MOST_EXPLICIT_PARTS {
            let problem =
                format!("an explicit step of {} s needs {parts:.0} parts to be stable", settings.step);
            return Err(BuildError::new(
                "settings.step",
                problem,
                "give a shorter step, fewer segments, or another integrator",
            ));
        }
        for (k, probe) in scene.probe.iter().enumerate() {
            let path = format!("probe[{k}]");
            if let Some(at) = probe.at {
                at.check(&format!("{path}.at"))?;
            }
            // A probe may look at something that an action adds later; it looks at everything but loads.
            let adds = |action: &Action| {
                action.edit.adds().any(|(kind, name, _)| kind.is_probed() && name == probe.of)
            };
            if !scene.action.iter().any(adds)
                && let Err(error) = world.check_probe(probe)
                && !becomes_readable(scene, &world, probe)
            {
                return Err(error.within(&path));
            }
            if scene.probe[..k].iter().any(|other| other.name == probe.name) {
                return Err(BuildError::new(
                    format!("{path}.name"),
                    format!("there are two probes called `{}`", probe.name),
                    "give every probe a name of its own",
                ));
            }
        }
        check_actions(scene)?;
        dry_run(scene, &world)?;
        if let Some(direction) = scene.picture.view_from {
            check::direction("picture.view_from", direction)?;
        }
        Ok(Self {
            settings,
            world,
            workspace: Workspace::new(),
            names: scene.probe.iter().map(|p| p.name.clone()).collect(),
            probes: scene.probe.clone(),
            values: OnceLock::new(),
            actions: scene.action.clone(),
            done: vec![false; scene.action.len()],
            journal: Journal::default(),
            steps: 0,
            made: 0,
            settled: false,
            acted: false,
        })
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, mutable.
    pub fn world_mut(&mut self) -> &mut World {
        self.probe_values();
        &mut self.world
    }

    /// Settings of the solver.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Scratch of the steps, for statistics.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Sets the pool of threads of later steps: islands are then stepped in parallel, with the same bits.
    pub fn set_pool(&mut self, pool: Pool) {
        self.workspace.set_pool(pool);
    }

    /// Makes all islands share one system, for inspection.
    pub fn share_system(&mut self) {
        self.workspace.share_system();
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.world.time()
    }

    /// Number of tried steps, including held ones.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Number of steps of the whole run.
    pub fn total_steps(&self) -> u64 {
        let steps = (self.settings.duration / self.settings.step - 1e-9).ceil().max(0.0) as u64;
        // If nothing changes in time one equilibrium is enough; one more after a clip opened or caught, or a
        // rod was divided.
        let still =
            self.settings.mode == Mode::Static && self.actions.is_empty() && !self.world.changes_in_time();
        if still {
            steps.min(1 + self.journal.hold_events() + self.journal.resolution_changes())
        } else {
            steps
        }
    }

    /// Whether the run is over.
    pub fn finished(&self) -> bool {
        self.steps >= self.total_steps()
    }

    /// Actions that were not applied yet.
    pub fn pending_actions(&self) -> impl Iterator<Item = &Action> {
        self.actions.iter().zip(&self.done).filter(|(_, done)| !**done).map(|(action, _)| action)
    }

    /// The probes, at their present places.
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// Names of the probes.
    pub fn probe_names(&self) -> &[String] {
        &self.names
    }

    /// Values of the probes after the last step; NaN if their item doesn't exist. They are read on the first
    /// call.
    pub fn probe_values(&self) -> &[f64] {
        self.values.get_or_init(|| (0..self.probes.len()).map(|k| self.read_probe(k)).collect())
    }

    /// Value of probe `k` in the present state.
    fn read_probe(&self, k: usize) -> f64 {
        self.world.read_when(&self.probes[k], self.settings.mode == Mode::Static).unwrap_or(f64::NAN)
    }

    /// Value of probe `k` after the last step.
    fn probe_value(&self, k: usize) -> f64 {
        self.values.get().map_or_else(|| self.read_probe(k), |values| values[k])
    }

    /// Adds a probe. Snapshots contain it.
    ///
    /// # Errors
    /// A name that is taken, or a probe that can't be read now.
    pub fn add_probe(&mut self, probe: Probe) -> Result<(), BuildError> {
        if self.names.contains(&probe.name) || probe.name.trim().is_empty() {
            let problem = format!("there is a probe called `{}` already", probe.name);
            let problem =
                if probe.name.trim().is_empty() { "a probe without a name".to_owned() } else { problem };
            return Err(BuildError::new("name", problem, "give every probe a name of its own"));
        }
        if let Some(at) = probe.at {
            at.check("at")?;
        }
        self.world.check_probe(&probe)?;
        self.names.push(probe.name.clone());
        self.probes.push(probe);
        self.values.take();
        Ok(())
    }

    /// Removes a probe.
    ///
    /// # Errors
    /// There is no such probe, or an action waits for it.
    pub fn remove_probe(&mut self, name: &str) -> Result<(), BuildError> {
        let Some(k) = self.names.iter().position(|known| known == name) else {
            let remedy = format!("there are: {}", self.names.join(", "));
            return Err(BuildError::unknown_name("name", "probe", name, remedy));
        };
        if self.actions.iter().any(|action| action.when.as_ref().is_some_and(|trigger| trigger.probe == name))
        {
            return Err(BuildError::new(
                "name",
                format!("an action waits for the probe `{name}`"),
                "leave it there",
            ));
        }
        self.names.remove(k);
        self.probes.remove(k);
        self.values.take();
        Ok(())
    }

    /// Changes the mode of later steps. Snapshots contain it. After a chain of equilibria the motion starts
    /// from rest.
    ///
    /// # Errors
    /// The integrator of the scene doesn't support the mode, or its surfaces touch, which equilibria don't
    /// support.
    pub fn set_mode(&mut self, mode: Mode) -> Result<(), BuildError> {
        check_mode(mode, self.settings.integrator)?;
        if mode != Mode::Dynamic && self.world.contact_settings().is_some() {
            let problem = "surfaces don't touch in equilibria yet";
            let remedy = "stay in the dynamic mode, or remove `contact` and `floor` from the scene";
            return Err(BuildError::new("settings.mode", problem, remedy));
        }
        if mode != self.settings.mode {
            // Probe values belong to the previous step.
            self.probe_values();
            self.settings.mode = mode;
            self.world.state.restart_history();
        }
        Ok(())
    }

    /// The events so far.
    pub fn events(&self) -> &[Event] {
        self.journal.events()
    }

    /// Number of events that were only counted, because there were too many of their kind.
    pub fn unreported_events(&self) -> u64 {
        self.journal.unreported()
    }

    /// Number of passages of rods through each other or themselves. Without an alarm, only those of rods that
    /// touch and that no number of substeps prevented.
    pub fn passages(&self) -> u64 {
        self.journal.passages()
    }

    /// Brings the world to equilibrium before the run starts, if the scene asks for it. The first step calls
    /// it if necessary.
    pub fn settle(&mut self, clock: &dyn Clock) {
        if std::mem::replace(&mut self.settled, true) {
            return;
        }
        // The initial rod may need several divisions.
        for _ in 0..MOST_DIVISIONS {
            if !self.adapt() {
                break;
            }
        }
        if !self.settings.settle {
            return;
        }
        let described = self.world.clone();
        let report =
            self.world.equilibrate(self.world.time(), &self.static_params(), &mut self.workspace, clock);
        self.report_step(&report, Mode::Static);
        if !report.converged {
            // Where a failed search ends is no state to begin with.
            self.world = described;
            self.values.take();
            return;
        }
        self.report_holds(Mode::Static);
        self.values.take();
    }

    /// Applies the actions that are due and makes one step; after the last step, also applies the actions
    /// that have become due in it.
    pub fn step(&mut self, clock: &dyn Clock) -> StepReport {
        self.settle(clock);
        if !std::mem::take(&mut self.acted) {
            self.act();
        }
        let mut report = match self.settings.mode {
            Mode::Dynamic => self.world.step(&StepParams::from(&self.settings), &mut self.workspace, clock),
            Mode::QuasiDynamic => {
                let params = StepParams::from(&self.settings);
                self.world.step_quasi_dynamically(&params, &self.settings.quasi, &mut self.workspace, clock)
            }
            Mode::Static => {
                let time = self.world.time() + self.settings.step;
                let before = self.follows_equilibrium().then(|| self.world.state.clone());
                let report = self.world.equilibrate(time, &self.static_params(), &mut self.workspace, clock);
                if let Some(before) = before {
                    self.report_branch(&before, &report, clock);
                }
                report
            }
        };
        self.steps += 1;
        // Counted, not summed: ten thousand steps of 1 ms end at 10 s. Time goes on when a step is held: its
        // target may come within reach again.
        self.made += 1;
        self.world.state.time = self.made as f64 * self.settings.step;
        report.time = self.world.state.time;
        self.report_step(&report, self.settings.mode);
        self.report_holds(self.settings.mode);
        if self.settings.mode == Mode::QuasiDynamic {
            self.report_modes(&report);
        }
        for (constraint, slip) in self.world.release_slipped() {
            self.journal.edit(self.world.time(), EventKind::Slipped { constraint, slip });
        }
        self.values.take();
        if self.settings.mode == Mode::Static || self.steps.is_multiple_of(ADAPTED_EVERY) {
            self.adapt();
        }
        if self.finished() {
            // No later step would apply them. A prolonged run continues from here.
            self.act();
            self.acted = true;
        }
        report
    }

    /// Whether the state is the equilibrium of a static step, with nothing edited or opened since.
    fn follows_equilibrium(&self) -> bool {
        let now = self.world.time();
        let mut recent = self.journal.events().iter().rev().take_while(|event| event.time >= now);
        let changed = recent.any(|event| {
            use EventKind::{Action, Broken, Clipped, Opened, Resolution, Slipped};
            let what = &event.what;
            matches!(
                what,
                Action { .. }
                    | Broken { .. }
                    | Clipped { .. }
                    | Opened { .. }
                    | Resolution { .. }
                    | Slipped { .. }
            )
        });
        self.made > 0
            && !changed
            && !self.journal.is_present(Condition::NotConverged)
            && !self.journal.is_present(Condition::Held)
    }

    /// Adapts the resolution of rods; returns whether any changed. Probes keep their values of the last step.
    fn adapt(&mut self) -> bool {
        if !self.world.has_adaptive_rods() {
            return false;
        }
        self.probe_values();
        let changes = self.world.adapt_resolution();
        for &Change { ref rod, before, after, ref relocation } in &changes {
            self.probes.iter_mut().for_each(|probe| relocation.probe(probe));
            self.journal.resolution(self.world.time(), || EventKind::Resolution {
                rod: rod.clone(),
                before,
                after,
            });
        }
        !changes.is_empty()
    }

    fn static_params(&self) -> StaticParams {
        StaticParams {
            hessian: self.settings.hessian.unwrap_or(crate::scene::Hessian::Auto),
            arithmetic: self.settings.arithmetic,
            leave_unstable: self.settings.leave_unstable,
            ..StaticParams::default()
        }
    }

    /// Applies the edits that are due.
    fn act(&mut self) {
        for k in 0..self.actions.len() {
            if self.done[k] || !self.is_due(&self.actions[k]) {
                continue;
            }
            self.done[k] = true;
            let edit = self.actions[k].edit.clone();
            self.try_edit(&edit);
        }
    }

    /// Applies an edit now, like an action of the scene: it is reported as an event, and probes follow their
    /// material.
    ///
    /// # Errors
    /// The edit can't be applied; everything is unchanged.
    pub fn apply(&mut self, edit: &Edit) -> Result<(), BuildError> {
        self.probe_values();
        let idle = matches!(edit, Edit::OpenClip(name) if self.world.is_open_clip(name));
        let before = match edit {
            Edit::Refine(Refine { rod, .. }) | Edit::Coarsen(Coarsen { rod, .. }) => self.world.nodes_of(rod),
            _ => 0,
        };
        let relocation = self.world.apply_and_relocate(edit)?;
        self.probes.iter_mut().for_each(|probe| relocation.probe(probe));
        let mut edit = EditSummary::from(edit);
        match &mut edit {
            EditSummary::OpenClip { was_open, .. } => *was_open = idle,
            EditSummary::Refine { rod, control_points, .. }
            | EditSummary::Coarsen { rod, control_points, .. } => {
                *control_points = Some([before, self.world.nodes_of(rod)]);
            }
            _ => {}
        }
        self.journal.edit(self.world.time(), EventKind::Action { edit });
        Ok(())
    }

    /// Applies an edit now; if it can't be applied, that is reported as an event too.
    pub fn try_edit(&mut self, edit: &Edit) {
        if let Err(error) = self.apply(edit) {
            let edit = EditSummary::from(edit);
            self.journal.edit(self.world.time(), EventKind::Failed { edit, error });
        }
    }

    /// The world, for hands that move targets; probe values are kept.
    pub(crate) fn world_for_hands(&mut self) -> &mut World {
        &mut self.world
    }

    fn is_due(&self, action: &Action) -> bool {
        if action.at.is_some_and(|at| self.world.time() < at - 1e-9 * self.settings.step) {
            return false;
        }
        action.when.as_ref().is_none_or(|trigger| {
            let value = self
                .names
                .iter()
                .position(|name| *name == trigger.probe)
                .map_or(f64::NAN, |k| self.probe_value(k));
            trigger.above.is_none_or(|limit| value > limit) && trigger.below.is_none_or(|limit| value < limit)
        })
    }

    /// Structure, state and progress as bytes; [`Simulation::restore`] continues with the same bits.
    pub fn snapshot(&self, scene: &Scene) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Descriptions contain finite numbers only, and the state is plain numbers: writing to memory can't
        // fail.
        let _ = self.write_snapshot(scene, &mut bytes);
        bytes
    }

    /// Writes the snapshot without a copy in memory.
    ///
    /// # Errors
    /// An error of `out`.
    pub fn write_snapshot(&self, scene: &Scene, out: impl std::io::Write) -> std::io::Result<()> {
        let progress = Progress {
            mode: self.settings.mode,
            probes: self.probes.clone(),
            done: self.done.clone(),
            journal: self.journal.clone(),
            steps: self.steps,
            made: self.made,
            settled: self.settled,
            acted: self.acted,
        };
        crate::world::snapshot::write(scene, &self.world, &progress, out)
    }

    /// Continues from a snapshot.
    ///
    /// # Errors
    /// The bytes are not a snapshot, are damaged, or belong to another version.
    pub fn restore(bytes: &[u8]) -> Result<(Self, Scene), crate::world::snapshot::SnapshotError> {
        Self::restore_with(bytes, &Registry::default())
    }

    /// Continues from a snapshot of a scene with custom kinds.
    ///
    /// # Errors
    /// The bytes are not a snapshot, are damaged, belong to another version, or name a kind that is not
    /// registered.
    pub fn restore_with(
        bytes: &[u8],
        registry: &Registry,
    ) -> Result<(Self, Scene), crate::world::snapshot::SnapshotError> {
        let (scene, world, progress): (Scene, World, Progress) =
            crate::world::snapshot::read(bytes, registry)?;
        let mut simulation =
            Self::build_with(&scene, registry).map_err(crate::world::snapshot::SnapshotError::Scene)?;
        if progress.done.len() != simulation.actions.len() {
            return Err(crate::world::snapshot::SnapshotError::Damaged(
                "its actions are not those of its scene".into(),
            ));
        }
        let is_read = |name: &String| progress.probes.iter().any(|probe| probe.name == *name);
        if !simulation
            .actions
            .iter()
            .filter_map(|action| action.when.as_ref())
            .all(|trigger| is_read(&trigger.probe))
        {
            return Err(crate::world::snapshot::SnapshotError::Damaged(
                "an action waits for a probe that it doesn't have".into(),
            ));
        }
        simulation.world = world;
        simulation.settings.mode = progress.mode;
        simulation.names = progress.probes.iter().map(|probe| probe.name.clone()).collect();
        simulation.probes = progress.probes;
        simulation.done = progress.done;
        simulation.journal = progress.journal;
        simulation.steps = progress.steps;
        simulation.made = progress.made;
        simulation.settled = progress.settled;
        simulation.acted = progress.acted;
        Ok((simulation, scene))
    }
}

/// Progress of a run.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Progress {
    /// Present mode.
    mode: Mode,
    /// Present probes and their places.
    probes: Vec<Probe>,
    done: Vec<bool>,
    journal: Journal,
    steps: u64,
    made: u64,
    settled: bool,
    acted: bool,
}

/// Whether an action changes the item of a probe to one that it can read; until then the probe is empty.
fn becomes_readable(scene: &Scene, world: &World, probe: &Probe) -> bool {
    let changes = |action: &&Action| {
        matches!(
            action.edit.item_edit(),
            Some(ItemEdit { name, effect: Effect::Change(_), .. }) if name == probe.of
        )
    };
    scene.action.iter().filter(changes).any(|action| {
        let mut later = world.clone();
        // A change that is not possible yet may be when it is due.
        later
            .apply(&action.edit)
            .map_or_else(|e| e.kind == BuildErrorKind::State, |()| later.check_probe(probe).is_ok())
    })
}

fn check_mode(mode: Mode, integrator: Integrator) -> Result<(), BuildError> {
    if mode == Mode::QuasiDynamic && integrator == Integrator::Explicit {
        let problem = "explicit steps don't support quasi-static islands";
        return Err(BuildError::new(
            "settings.mode",
            problem,
            "use mode = \"dynamic\", or another integrator",
        ));
    }
    Ok(())
}

fn check_actions(scene: &Scene) -> Result<(), BuildError> {
    for (k, action) in scene.action.iter().enumerate() {
        let path = format!("action[{k}]");
        if let Some(at) = action.at {
            check::not_negative(&format!("{path}.at"), at)?;
        }
        // Snapshots store the scene as text, which has no infinity.
        let words = serde_json::to_string(&action.edit).unwrap_or_default();
        if serde_json::from_str::<Edit>(&words).is_err() {
            return Err(BuildError::new(
                format!("{path}.do.{}", action.edit.word()),
                "a number that is not finite",
                "give finite numbers",
            ));
        }
        match &action.when {
            None if action.at.is_none() => {
                return Err(BuildError::new(
                    path,
                    "an action without a time and without a trigger",
                    "give `at` or `when`",
                ));
            }
            None => {}
            Some(trigger) => {
                if trigger.above.is_none() && trigger.below.is_none() {
                    return Err(BuildError::new(
                        format!("{path}.when"),
                        "a trigger without a value",
                        "give `above` or `below`",
                    ));
                }
                for (field, value) in [("above", trigger.above), ("below", trigger.below)] {
                    check::finite(&format!("{path}.when.{field}"), value.unwrap_or(0.0))?;
                }
                if !scene.probe.iter().any(|probe| probe.name == trigger.probe) {
                    let known: Vec<&str> = scene.probe.iter().map(|p| p.name.as_str()).collect();
                    let remedy = format!("there are: {}", known.join(", "));
                    let path = format!("{path}.when.probe");
                    return Err(BuildError::unknown_name(path, "probe", &trigger.probe, remedy));
                }
            }
        }
        // An edit that removes or changes an item must name one that exists or is added by an action.
        for (kind, name, field) in action.edit.needs() {
            let comes = scene
                .action
                .iter()
                .any(|other| other.edit.adds().any(|(added, known, _)| (added, known) == (kind, name)));
            if !scene.has(kind, name) && !comes {
                let remedy = format!("name one of the scene's {}", kind.plural());
                return Err(BuildError::unknown_name(field, &kind.to_string(), name, remedy)
                    .within(&format!("{path}.do.{}", action.edit.word())));
            }
        }
        for (kind, name, field) in action.edit.adds() {
            if name.trim().is_empty() {
                let path = format!("{path}.do.{}.{field}", action.edit.word());
                return Err(BuildError::new(path, format!("a {kind} without a name"), "give it a name"));
            }
        }
    }
    Ok(())
}
