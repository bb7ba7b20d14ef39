//! A simulated scene.

use super::hands::Hands;
use crate::protocol::{Modes, Problem, StageTime, Trouble};
use micado::clock::{Clock, WallClock};
use micado::object::Object;
use micado::object::rod::Rod;
use micado::run::realtime;
use micado::run::{Condition, Culprit, Event, EventKind, Remark, Simulation};
use micado::scene::Edit;
use micado::scene::Mode;
use micado::step::{Stage, StepReport};
use micado_io::observe;
use micado_io::record::Energies;
use micado_io::scene::{self, SceneFile};
use std::sync::Arc;

/// Weight of a new step in the averages of step durations.
const SHARE: f64 = 0.05;
/// Number of consecutive held steps after which the scene counts as stuck.
const STUCK: u32 = 100;
/// Kind of trouble: rods have passed through each other.
const PASSED: &str = "passed";
/// Largest number of segments that a page may upload, because all pages share memory and time.
const MOST_SEGMENTS: usize = 200_000;

/// A scene written by a page.
pub(super) fn written(name: &str, text: &str, overrides: &[String]) -> Result<SceneFile, Problem> {
    let file = scene::parse(name, text, overrides)?;
    let scene = file.scene();
    let later = scene.action.iter().filter_map(|action| added(&action.edit));
    check_segments(scene.rod.values().filter_map(|rod| rod.segments).chain(later))?;
    Ok(file)
}

/// Number of segments that an edit adds.
fn added(edit: &Edit) -> Option<usize> {
    match edit {
        Edit::AddRod(rod) => rod.to.segments,
        _ => None,
    }
}

fn check_segments(segments: impl Iterator<Item = usize>) -> Result<(), Problem> {
    match segments.fold(0, usize::saturating_add) {
        0..=MOST_SEGMENTS => Ok(()),
        all => {
            let remedy =
                format!("a page may upload {MOST_SEGMENTS}; a file on the command line may have more");
            Err(Problem::new(format!("{all} segments in all"), remedy))
        }
    }
}

/// A simulated scene.
#[derive(Debug)]
pub(super) struct Live {
    pub(super) file: Arc<SceneFile>,
    pub(super) builtin: bool,
    pub(super) simulation: Simulation,
    pub(super) hands: Hands,
    /// Loads of pokes and their end times, s.
    pub(super) pokes: Vec<(String, f64)>,
    /// Size of the structure when it was opened, m.
    size: f64,
    /// Number of events already reported.
    reported: usize,
    /// Number of turned meshes that are already reported.
    turned: usize,
    cost: Cost,
    pub(super) trouble: Option<Trouble>,
    /// Number of quasi-static objects in the last step.
    still: usize,
    /// Number of consecutive held steps, and number of steps since a hand or a poke was active.
    held: u32,
    untouched: u32,
}

/// Average duration of steps and stages.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    steps: u64,
    step: f64,
    stages: [f64; Stage::ALL.len()],
}

impl Cost {
    fn add(&mut self, seconds: f64, report: &StepReport) {
        // The first steps are plain averages.
        self.steps += 1;
        let share = SHARE.max(1.0 / self.steps as f64);
        self.step += share * (seconds - self.step);
        for (mean, new) in self.stages.iter_mut().zip(report.stage_seconds) {
            *mean += share * (new - *mean);
        }
    }
}

/// A snapshot of a scene.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    pub(super) file: Arc<SceneFile>,
    pub(super) builtin: bool,
    pub(super) bytes: Arc<[u8]>,
    hands: Vec<String>,
    pokes: Vec<(String, f64)>,
    size: f64,
}

impl Live {
    /// Builds a scene, at time 0.
    pub(super) fn build(file: Arc<SceneFile>, builtin: bool) -> Result<Self, Problem> {
        let mut simulation = Simulation::build(file.scene()).map_err(|error| file.explain(&error))?;
        simulation.settle(&WallClock::start());
        let frame = observe::frame(simulation.world());
        // The points of scenery come last. They don't count in the size, which limits the speed of hands.
        let scenery = simulation.world().structure().scenery.len();
        Ok(Self {
            file,
            builtin,
            simulation,
            hands: Hands::default(),
            pokes: Vec::new(),
            size: extent(&frame.points[..frame.points.len() - scenery]),
            reported: 0,
            turned: 0,
            cost: Cost::default(),
            trouble: None,
            still: 0,
            held: 0,
            untouched: u32::MAX,
        })
    }

    /// A snapshot of the current state.
    pub(super) fn snapshot(&self) -> Snapshot {
        Snapshot {
            file: self.file.clone(),
            builtin: self.builtin,
            bytes: self.simulation.snapshot(self.file.scene()).into(),
            hands: self.hands.names(),
            pokes: self.pokes.clone(),
            size: self.size,
        }
    }

    /// Restores a snapshot without its hands.
    pub(super) fn restore(snapshot: &Snapshot) -> Result<Self, Problem> {
        let damaged = |error: &dyn std::fmt::Display| Problem::new(error.to_string(), "reset the scene");
        let (mut simulation, _) = Simulation::restore(&snapshot.bytes).map_err(|error| damaged(&error))?;
        for name in &snapshot.hands {
            simulation.try_edit(&Edit::Release(name.clone()));
        }
        Ok(Self {
            file: snapshot.file.clone(),
            builtin: snapshot.builtin,
            reported: simulation.events().len(),
            turned: simulation.world().turned_meshes().count(),
            simulation,
            hands: Hands::default(),
            pokes: snapshot.pokes.clone(),
            size: snapshot.size,
            cost: Cost::default(),
            trouble: None,
            still: 0,
            held: 0,
            untouched: u32::MAX,
        })
    }

    /// Makes an edit of a page.
    pub(super) fn edit(&mut self, edit: &Edit) -> Result<(), Problem> {
        if let Some(more) = added(edit) {
            let there =
                self.simulation.world().structure().objects.iter().filter_map(Object::rod).map(Rod::segments);
            check_segments(there.chain([more]))?;
        }
        self.simulation.apply(edit)?;
        self.hands.forget_lost(&self.simulation);
        Ok(())
    }

    /// One step.
    pub(super) fn step(&mut self, clock: &WallClock) {
        let before = clock.now();
        let ends = self.hands.advance(self.simulation.world(), self.size);
        let report = realtime::step(&mut self.simulation, ends, clock);
        self.cost.add(clock.now() - before, &report);
        self.still = report.still_objects;
        let is_touched = !self.hands.is_empty() || !self.pokes.is_empty();
        self.untouched = if is_touched { 0 } else { self.untouched.saturating_add(1) };
        self.held = if report.held { self.held + 1 } else { 0 };
        self.hands.after_step(report.held);
        self.end_pokes(report.held);
        self.hands.forget_lost(&self.simulation);
        self.trouble = self.find_trouble(&report);
    }

    /// Notes that a hand or a poke is active.
    pub(super) fn touch(&mut self) {
        self.untouched = 0;
    }

    /// Whether steps are held since a hand or a poke was active, or shortly after.
    pub(super) fn is_stuck(&self) -> bool {
        self.held >= STUCK && self.untouched < self.held.saturating_add(STUCK)
    }

    /// Ends pokes whose time is over, or whose step was held.
    fn end_pokes(&mut self, held: bool) {
        let time = self.simulation.time();
        let Self { pokes, simulation, .. } = self;
        pokes.retain(|(name, until)| {
            let over = held || time >= *until;
            if over {
                // It may have been removed by an edit.
                drop(simulation.apply(&Edit::RemoveLoad(name.clone())));
            }
            !over
        });
    }

    fn find_trouble(&self, report: &StepReport) -> Option<Trouble> {
        let (world, workspace) = (self.simulation.world(), self.simulation.workspace());
        let is_static = self.simulation.settings().mode == Mode::Static;
        let cause = || report.refused.map(|refusal| world.cause(refusal).culprit());
        let (kind, remedy, culprit) = if report.held {
            let remedy = "let go of what pulls, undo, or reset; a smaller step in [settings] may help";
            (Condition::Held.kind(), remedy, cause())
        } else if report.conflicting_rows > 0 {
            let first = workspace.conflicting().first().copied();
            let constraint = first.and_then(|k| world.structure().constraints.get(k));
            let culprit = constraint.map(|constraint| Culprit {
                object: Some(constraint.on().to_owned()),
                constraint: Some(constraint.name.clone()),
            });
            let remedy = "release one of the constraints, or move it so that all can be met";
            (Condition::Conflict.kind(), remedy, culprit)
        } else if is_static && !report.converged {
            let remedy = "switch to the dynamic mode, or hold what is free";
            (Condition::NotConverged.kind(), remedy, cause())
        } else if report.unsettled {
            let remedy = "the forces of this step are not final; a smaller step in [settings] may help";
            (Condition::Unsettled.kind(), remedy, cause())
        } else if report.unsolved_contacts {
            let remedy = "the forces of this step are not final; a smaller step in [settings] may help";
            (Condition::UnsolvedContacts.kind(), remedy, None)
        } else if report.approaches {
            let remedy = "the forces of this step are not final; move the target to where it can be met";
            (Condition::Approaching.kind(), remedy, cause())
        } else if self.simulation.passages() > 0 {
            // Shapes are wrong from then on, so the banner stays.
            let remedy = "undo or reset; let the rods touch, or move them slower";
            (PASSED, remedy, None)
        } else {
            return None;
        };
        let event = self.simulation.events().iter().rev().find(|event| event.kind() == kind);
        let text = event.map_or_else(String::new, |event| event.what.to_string());
        let Culprit { object, mut constraint } = culprit.unwrap_or_default();
        if let Some(EventKind::Held { missed: Some(missed), .. }) = event.map(|event| &event.what)
            && object.is_none()
        {
            constraint = constraint.or_else(|| Some(missed.constraint.clone()));
        }
        let passed = event.and_then(|event| match &event.what {
            EventKind::Passed { rods: [rod, _], .. } => Some(rod.clone()),
            _ => None,
        });
        let object = object.or(passed);
        Some(Trouble { kind, text, remedy: remedy.to_owned(), object, constraint })
    }

    /// Reports all events again, after another stage was open.
    pub(super) fn report_all_again(&mut self) {
        (self.reported, self.turned) = (0, 0);
    }

    /// Remarks on meshes that were turned since the last call.
    pub(super) fn new_turned(&mut self) -> Vec<String> {
        let all: Vec<_> = self.simulation.world().turned_meshes().collect();
        let reported = std::mem::replace(&mut self.turned, all.len());
        all.into_iter().skip(reported).map(|mesh| Remark::TurnedMesh(mesh).to_string()).collect()
    }

    /// Events since the last call.
    pub(super) fn new_events(&mut self) -> &[Event] {
        let all = self.simulation.events();
        let reported = std::mem::replace(&mut self.reported, all.len());
        all.get(reported..).unwrap_or_default()
    }

    /// Number of objects by mode of stepping.
    pub(super) fn modes(&self) -> Modes {
        let objects = self.simulation.world().structure().objects.len();
        match self.simulation.settings().mode {
            Mode::Dynamic => Modes { dynamic: objects, quasi_static: 0 },
            Mode::Static => Modes { dynamic: 0, quasi_static: objects },
            Mode::QuasiDynamic => {
                Modes { dynamic: objects.saturating_sub(self.still), quasi_static: self.still }
            }
        }
    }

    /// Duration of a step and of each of its stages, s.
    pub(super) fn cost(&self) -> (f64, Vec<StageTime>) {
        let stages = Stage::ALL
            .iter()
            .zip(self.cost.stages)
            .map(|(stage, seconds)| StageTime { name: stage.name(), seconds });
        (self.cost.step, stages.collect())
    }

    pub(super) fn energies(&self) -> Energies {
        observe::energies(self.simulation.world())
    }
}

/// Diagonal of the bounding box of points, m; 1 m for a single point.
fn extent(points: &[[f64; 3]]) -> f64 {
    let bounds = |pick: fn(f64, f64) -> f64, start: f64| {
        points
            .iter()
            .fold([start; 3], |[x, y, z], point| [pick(x, point[0]), pick(y, point[1]), pick(z, point[2])])
    };
    let (low, high) = (bounds(f64::min, f64::INFINITY), bounds(f64::max, f64::NEG_INFINITY));
    let diagonal = low.iter().zip(high).map(|(low, high)| (high - low) * (high - low)).sum::<f64>().sqrt();
    if diagonal.is_finite() && diagonal > 0.0 { diagonal } else { 1.0 }
}
