//! `micado check`: is a scene all right?

use crate::failure::Failure;
use crate::words::counted;
use crate::{output, run, scene_args};
use micado::clock::NoClock;
use micado::error::BuildError;
use micado::scene::{Mode, Scene};
use micado::simulation::Simulation;
use micado_io::scene::{self, SceneError, SceneFile};
use serde::Serialize;

/// Reads and builds scenes and tries one step of each, and says what is wrong with them.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  micado check my-scene.toml
  micado check scenes/*.toml
  micado check my-scene.toml --set rod.cable.radius=-1      try a change

Exit code 0 when all are fine, 2 when one is refused.")]
pub(crate) struct Args {
    /// Scene files or names of built-in scenes
    #[arg(value_name = "FILE|NAME", required = true)]
    scenes: Vec<String>,
    /// Replace a value of the scenes, for example `rod.cable.radius=0.01`; may be repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// Print JSON: an array of {scene, ok, contents, …} or {scene, ok, error: {file, line, column, path, problem, remedy}}
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Verdict {
    scene: String,
    ok: bool,
    #[serde(flatten)]
    said: Said,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Said {
    Size(Size),
    Error { error: Refusal },
}

#[derive(Serialize)]
struct Size {
    title: String,
    contents: String,
    mode: Mode,
    duration: f64,
    step: f64,
    steps: u64,
    unknowns: usize,
    multipliers: usize,
    /// What the scene says to no effect, and what its first step has to bring about.
    remarks: Vec<String>,
}

#[derive(Serialize)]
struct Refusal {
    file: Option<String>,
    line: Option<usize>,
    column: Option<usize>,
    path: String,
    problem: String,
    remedy: String,
}

impl From<&SceneError> for Refusal {
    fn from(error: &SceneError) -> Self {
        let place = error.line_and_column();
        Self {
            file: error.source_name().map(str::to_owned),
            line: place.map(|(line, _)| line),
            column: place.map(|(_, column)| column),
            path: error.path().to_owned(),
            problem: error.problem().to_owned(),
            remedy: error.remedy().to_owned(),
        }
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let mut verdicts = Vec::with_capacity(args.scenes.len());
    let mut worst = Ok(());
    for name in &args.scenes {
        let said = match scene::open(name, &args.set).map_err(Failure::from).and_then(|file| size(&file)) {
            Ok(size) => {
                if !args.json {
                    output::print(&sentence(name, &size))?;
                    size.remarks.iter().for_each(|remark| output::note(&format!("  note: {remark}")));
                }
                Said::Size(size)
            }
            Err(Failure::Scene(error)) => {
                let refusal = Said::Error { error: Refusal::from(&error) };
                if let Err(earlier) = std::mem::replace(&mut worst, Err(Failure::Scene(error))) {
                    // The last one is reported by the program's end.
                    earlier.report();
                }
                refusal
            }
            Err(other) => return Err(other),
        };
        verdicts.push(Verdict { scene: name.clone(), ok: matches!(said, Said::Size(_)), said });
    }
    if args.json {
        output::print_json(&verdicts)?;
    }
    worst
}

fn size(file: &SceneFile) -> Result<Size, Failure> {
    let simulation = scene_args::build(file)?;
    let scene = file.scene();
    if let Some(error) = trial(scene) {
        return Err(Failure::Scene(file.explain(&error)));
    }
    let (unknowns, multipliers) = run::state::size(simulation.world());
    Ok(Size {
        title: scene.title.clone(),
        contents: scene_args::contents(scene),
        mode: scene.settings.mode,
        duration: scene.settings.duration,
        step: scene.settings.step,
        steps: simulation.total_steps(),
        unknowns,
        multipliers,
        remarks: file.remarks().into_iter().chain(simulation.remarks()).collect(),
    })
}

/// What only the equations of a step can tell: constraints that contradict each other, and a start from which no step can be made.
fn trial(scene: &Scene) -> Option<BuildError> {
    let mut trial = scene.clone();
    let moves_there = trial.settings.settle || trial.settings.mode == Mode::Static;
    (trial.settings.mode, trial.settings.settle) = (Mode::Dynamic, false);
    let mut simulation = Simulation::build(&trial).ok()?;
    let begin = simulation.world().worst_missed(simulation.time());
    simulation.step(&NoClock);
    let name = |k: usize| simulation.world().structure().constraints.get(k).map(|constraint| constraint.name.clone());
    let told = |kind: &str| simulation.events().iter().find(|event| event.kind == kind).map(|event| event.text.clone());
    let conflicting = simulation.workspace().system().and_then(|system| system.conflicting().next());
    if let (Some(path), Some(conflict)) = (conflicting.and_then(name), told("conflict")) {
        let remedy = "remove one of them, or give them targets that can all be met";
        return Some(BuildError::new(format!("constraint.{path}"), conflict, remedy));
    }
    // An equilibrium brings the parts together before the first step.
    if moves_there {
        return None;
    }
    let far = begin.and_then(|(k, text)| Some((format!("constraint.{}", name(k)?), text)));
    let remedy = "write `settle = true` in [settings], or let it begin where it is held";
    match (told("held"), told("overstretched"), far) {
        (Some(_), _, Some((path, text))) => {
            Some(BuildError::new(path, format!("{text} at the start, and no step brings it there"), remedy))
        }
        (None, Some(stretched), Some((path, text))) => {
            Some(BuildError::new(path, format!("{text} at the start; in the step that brings it there {stretched}"), remedy))
        }
        (Some(held), _, None) => Some(BuildError::new("settings", format!("the first step: {held}"), "try a smaller step")),
        _ => None,
    }
}

fn sentence(name: &str, size: &Size) -> String {
    let [unknowns, multipliers] = [(size.unknowns, "unknown"), (size.multipliers, "multiplier")].map(|(count, word)| counted(count, word));
    format!("{name}: fine ({}; {unknowns}, {multipliers}; {} of {} s)", size.contents, counted(size.steps, "step"), size.step)
}
