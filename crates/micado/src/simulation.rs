//! A simulation: a world with its settings, probes and actions, stepped to its end.

use crate::clock::Clock;
use crate::error::{BuildError, check};
use crate::scene::{Action, Mode, Probe, Scene, Settings};
use crate::step::{Refusal, StaticParams, StepParams, StepReport, System, Workspace};
use crate::world::World;
use serde::{Deserialize, Serialize};

/// Something worth telling that happened during a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Time, s.
    pub time: f64,
    /// What kind: `action`, `refused`, `held`, `overstretched`, `redundant`, `conflict`, `not-converged`, `unstable`.
    pub kind: String,
    /// The event in words.
    pub text: String,
}

/// Longest time step, s: a year.
const LONGEST_STEP: f64 = 3.2e7;

/// A world with its settings, probes and actions.
#[derive(Clone, Debug)]
pub struct Simulation {
    settings: Settings,
    world: World,
    workspace: Workspace,
    probes: Vec<Probe>,
    names: Vec<String>,
    values: Vec<f64>,
    actions: Vec<Action>,
    /// Which actions have happened.
    done: Vec<bool>,
    events: Vec<Event>,
    steps: u64,
    /// Steps that were made, not held.
    made: u64,
    settled: bool,
    /// Whether the last step was held.
    holding: bool,
    /// Constraints that were last reported as redundant and as conflicting.
    reported: (usize, usize),
}

impl Simulation {
    /// Builds a scene.
    ///
    /// # Errors
    /// The first description that can't be used, by its path in the scene file.
    pub fn build(scene: &Scene) -> Result<Self, BuildError> {
        let settings = scene.settings.clone();
        check::positive("settings.step", settings.step)?;
        check::not_negative("settings.duration", settings.duration)?;
        if settings.step > LONGEST_STEP {
            let problem = format!("a step of {} s", settings.step);
            return Err(BuildError::new("settings.step", problem, format!("give a step of at most {LONGEST_STEP} s")));
        }
        if settings.duration / settings.step > 1e12 {
            return Err(BuildError::new("settings.step", "more than 10¹² steps", "give a longer step or a shorter duration"));
        }
        if !(1..=100).contains(&settings.solves) {
            return Err(BuildError::new("settings.solves", format!("{} solves per step", settings.solves), "give a number from 1 to 100"));
        }
        let world = World::build(scene)?;
        for (k, probe) in scene.probe.iter().enumerate() {
            let path = format!("probe[{k}]");
            // A probe may look at something that an action adds later.
            let later = scene.action.iter().any(|action| action.edit.adds() == Some(&probe.of));
            if !later {
                world.check_probe(probe).map_err(|e| e.within(&path))?;
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
        if let Some(direction) = scene.picture.view_from {
            check::direction("picture.view_from", direction)?;
        }
        let mut simulation = Self {
            settings,
            world,
            workspace: Workspace::new(),
            names: scene.probe.iter().map(|p| p.name.clone()).collect(),
            probes: scene.probe.clone(),
            values: vec![0.0; scene.probe.len()],
            actions: scene.action.clone(),
            done: vec![false; scene.action.len()],
            events: Vec::new(),
            steps: 0,
            made: 0,
            settled: false,
            holding: false,
            reported: (usize::MAX, usize::MAX),
        };
        simulation.read_probes();
        Ok(simulation)
    }

    /// The world.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to be edited.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// How it is stepped.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Scratch of the steps, for its figures.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.world.time()
    }

    /// Steps tried, held ones too.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Steps of the whole run.
    pub fn total_steps(&self) -> u64 {
        let steps = (self.settings.duration / self.settings.step - 1e-9).ceil().max(0.0) as u64;
        // One equilibrium says it all when nothing changes in time.
        if self.settings.mode == Mode::Static && self.actions.is_empty() && !self.world.changes_in_time() { steps.min(1) } else { steps }
    }

    /// Whether the run is over.
    pub fn finished(&self) -> bool {
        self.steps >= self.total_steps()
    }

    /// Names of the probes.
    pub fn probe_names(&self) -> &[String] {
        &self.names
    }

    /// Probes after the last step; NaN where what they look at doesn't exist.
    pub fn probe_values(&self) -> &[f64] {
        &self.values
    }

    /// Everything worth telling so far.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// One step: actions that are due, the step itself, probes.
    pub fn step(&mut self, clock: &dyn Clock) -> StepReport {
        if !self.settled {
            self.settled = true;
            if self.settings.settle {
                let report = self.world.equilibrate(self.world.time(), &self.static_params(), &mut self.workspace, clock);
                self.tell(&report, Mode::Static);
            }
        }
        self.act();
        let report = match self.settings.mode {
            Mode::Dynamic => self.world.step(&StepParams::from(&self.settings), &mut self.workspace, clock),
            Mode::Static => {
                let time = self.world.time() + self.settings.step;
                self.world.equilibrate(time, &self.static_params(), &mut self.workspace, clock)
            }
        };
        self.steps += 1;
        if !report.held {
            // Counted, not summed: ten thousand steps of 1 ms end at 10 s.
            self.made += 1;
            self.world.state.time = self.made as f64 * self.settings.step;
        }
        self.tell(&report, self.settings.mode);
        self.read_probes();
        report
    }

    fn static_params(&self) -> StaticParams {
        StaticParams {
            hessian: self.settings.hessian.unwrap_or(crate::scene::Hessian::Auto),
            arithmetic: self.settings.arithmetic,
            ..StaticParams::default()
        }
    }

    fn read_probes(&mut self) {
        for (value, probe) in self.values.iter_mut().zip(&self.probes) {
            *value = self.world.read(probe).unwrap_or(f64::NAN);
        }
    }

    /// Applies the edits that are due.
    fn act(&mut self) {
        for k in 0..self.actions.len() {
            if self.done[k] || !self.is_due(&self.actions[k]) {
                continue;
            }
            self.done[k] = true;
            let edit = &self.actions[k].edit;
            let text = match self.world.apply(edit) {
                Ok(()) => edit.to_string(),
                Err(error) => format!("{edit} failed: {error}"),
            };
            self.events.push(Event { time: self.world.time(), kind: "action".into(), text });
        }
    }

    fn is_due(&self, action: &Action) -> bool {
        let in_time = action.at.is_none_or(|at| self.world.time() >= at - 1e-9 * self.settings.step);
        let triggered = action.when.as_ref().is_none_or(|trigger| {
            let value = self.names.iter().position(|name| *name == trigger.probe).map_or(f64::NAN, |k| self.values[k]);
            trigger.above.is_none_or(|limit| value > limit) && trigger.below.is_none_or(|limit| value < limit)
        });
        in_time && triggered
    }

    /// Turns what a report says into events, once each.
    fn tell(&mut self, report: &StepReport, solved: Mode) {
        let time = report.time;
        // Told once a run.
        let overstretched = report.stretched > crate::step::OVERSTRETCHED && self.events.iter().all(|event| event.kind != "overstretched");
        let mut say = |kind: &str, text: String| self.events.push(Event { time, kind: kind.into(), text });
        let names = |marked: &dyn Fn(&System) -> Vec<usize>| -> String {
            let constraints = &self.world.structure().constraints;
            let marked = self.workspace.system().map(marked).unwrap_or_default();
            marked.into_iter().map(|k| format!("`{}`", constraints[k].name)).collect::<Vec<_>>().join(", ")
        };
        if let Some(refusal) = report.refused {
            let blame = self.world.blame(refusal, &self.workspace);
            if report.held {
                // A state that is held step after step is told once.
                if !self.holding {
                    say("held", format!("the step could not be made and the state is held: {blame}"));
                }
            } else {
                say("refused", format!("the step was made in {} substeps: {blame}", report.substeps));
            }
        }
        if overstretched {
            let change = 100.0 * report.stretched;
            say("overstretched", format!("a rod's stretch changed by {change:.0} % in one substep"));
        }
        if report.redundant_rows != self.reported.0 && report.redundant_rows > 0 {
            let who = names(&|system| system.redundant().collect());
            say("redundant", format!("{} constraint rows follow from others, in {who}", report.redundant_rows));
        }
        if report.conflicting_rows != self.reported.1 && report.conflicting_rows > 0 {
            let who = names(&|system| system.conflicting().collect());
            say("conflict", format!("{} constraint rows contradict others, in {who}; the nearest state is used", report.conflicting_rows));
        }
        if solved == Mode::Static && !report.converged && !report.held {
            say(
                "not-converged",
                format!("no equilibrium after {} iterations, last increment {:.2e} m", report.solves, report.last_increment),
            );
        }
        if report.unstable_modes > 0 {
            say("unstable", format!("the equilibrium is unstable in {} modes", report.unstable_modes));
        }
        self.reported = (report.redundant_rows, report.conflicting_rows);
        self.holding = report.held;
    }

    /// Structure, state and progress as bytes; [`Simulation::restore`] then goes on with the same bits.
    pub fn snapshot(&self, scene: &Scene) -> Vec<u8> {
        let progress = Progress {
            done: self.done.clone(),
            events: self.events.clone(),
            steps: self.steps,
            made: self.made,
            settled: self.settled,
            holding: self.holding,
            reported: self.reported,
        };
        crate::snapshot::write(scene, &self.world, &progress)
    }

    /// Goes on from a snapshot.
    ///
    /// # Errors
    /// The bytes are not a snapshot, are damaged, or belong to another version.
    pub fn restore(bytes: &[u8]) -> Result<(Self, Scene), crate::snapshot::SnapshotError> {
        let (scene, world, progress): (Scene, World, Progress) = crate::snapshot::read(bytes)?;
        let mut simulation = Self::build(&scene).map_err(crate::snapshot::SnapshotError::Scene)?;
        if progress.done.len() != simulation.actions.len() {
            return Err(crate::snapshot::SnapshotError::Damaged("its actions are not those of its scene".into()));
        }
        simulation.world = world;
        simulation.done = progress.done;
        simulation.events = progress.events;
        simulation.steps = progress.steps;
        simulation.made = progress.made;
        simulation.settled = progress.settled;
        simulation.holding = progress.holding;
        simulation.reported = progress.reported;
        simulation.read_probes();
        Ok((simulation, scene))
    }
}

/// How far a run has come.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Progress {
    done: Vec<bool>,
    events: Vec<Event>,
    steps: u64,
    made: u64,
    settled: bool,
    holding: bool,
    reported: (usize, usize),
}

fn check_actions(scene: &Scene) -> Result<(), BuildError> {
    for (k, action) in scene.action.iter().enumerate() {
        let path = format!("action[{k}]");
        if let Some(at) = action.at {
            check::finite(&format!("{path}.at"), at)?;
        }
        // Snapshots hold the scene in words, which know no infinity.
        let words = serde_json::to_string(&action.edit).unwrap_or_default();
        if serde_json::from_str::<crate::edit::Edit>(&words).is_err() {
            return Err(BuildError::new(format!("{path}.do.{}", action.edit.word()), "a number that is not finite", "give finite numbers"));
        }
        match &action.when {
            None if action.at.is_none() => {
                return Err(BuildError::new(path, "an action without a time and without a trigger", "give `at` or `when`"));
            }
            None => {}
            Some(trigger) => {
                if trigger.above.is_none() && trigger.below.is_none() {
                    return Err(BuildError::new(format!("{path}.when"), "a trigger without a value", "give `above` or `below`"));
                }
                for (field, value) in [("above", trigger.above), ("below", trigger.below)] {
                    check::finite(&format!("{path}.when.{field}"), value.unwrap_or(0.0))?;
                }
                if !scene.probe.iter().any(|probe| probe.name == trigger.probe) {
                    let known: Vec<&str> = scene.probe.iter().map(|p| p.name.as_str()).collect();
                    return Err(BuildError::new(
                        format!("{path}.when.probe"),
                        format!("there is no probe called `{}`", trigger.probe),
                        format!("there are: {}", known.join(", ")),
                    ));
                }
            }
        }
        // An edit that takes something away or changes it must name something that is there or comes.
        if let Some((kind, name)) = action.edit.needs() {
            let there = match kind {
                "constraint" => scene.constraint.contains_key(name),
                "load" => scene.load.contains_key(name),
                _ => scene.spring.contains_key(name),
            };
            let comes = scene.action.iter().any(|other| other.edit.adds().is_some_and(|added| added == name));
            if !there && !comes {
                return Err(BuildError::new(
                    format!("{path}.do.{}", action.edit.word()),
                    format!("there is no {kind} called `{name}`"),
                    format!("name one of the scene's {kind}s"),
                ));
            }
        }
    }
    Ok(())
}

impl World {
    /// Who is to blame for a refused step or static solve, in words.
    pub fn blame(&self, refusal: Refusal, workspace: &Workspace) -> String {
        let who = |node: usize| {
            if let Some(object) = self.structure().objects.iter().find(|o| (o.first..o.first + o.nodes()).contains(&node)) {
                return format!("at node {} of `{}`", node - object.first, object.name);
            }
            let constraint = workspace.system().and_then(|system| system.constraint_of(node));
            constraint
                .and_then(|k| self.structure().constraints.get(k))
                .map_or_else(String::new, |c| format!("in the constraint `{}`", c.name))
        };
        match refusal {
            Refusal::Singular { node } => format!("the system is singular {}", who(node)),
            Refusal::NotFinite { node } => format!("the result is not finite {}", who(node)),
            Refusal::NoStep => "the time step is not a positive number".to_owned(),
            Refusal::RunsAway { node } => format!("nothing stops the motion {}: it runs away, there is no equilibrium", who(node)),
            Refusal::Overstretched => "a rod's stretch would have changed by more than 20 % in one step".to_owned(),
            Refusal::TurnedTooFar => "a rod would have turned by more than 90° in one step".to_owned(),
        }
    }

    /// Whether any target, load or gravity changes in time.
    pub fn changes_in_time(&self) -> bool {
        let structure = self.structure();
        // A constant signal serialises as the bare value or `constant`; the named forms are the moving ones.
        let text = serde_json::to_string(&(
            &structure.gravity,
            structure.constraints.iter().map(|c| &c.description).collect::<Vec<_>>(),
            structure.loads.iter().map(|l| &l.description).collect::<Vec<_>>(),
            structure.springs.iter().map(|s| &s.description).collect::<Vec<_>>(),
        ))
        .unwrap_or_default();
        ["\"keyframes\":", "\"harmonic\":", "\"ramp\":"].iter().any(|word| text.contains(word))
    }
}
