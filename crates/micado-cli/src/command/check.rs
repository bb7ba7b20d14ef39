//! `micado check`: reports whether scenes are valid.

use crate::failure::Failure;
use crate::words::counted;
use crate::{output, run, scene_args};
use micado::scene::Mode;
use micado_io::scene::{self, SceneError, SceneFile};
use serde::Serialize;

/// Reads and builds scenes, tries one step of each, and reports errors.
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
    /// Print JSON: an array of {scene, ok, contents, …} or {scene, ok, error: {file, line, column, path,
    /// problem, remedy}}
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
    /// Parts of the scene without effect, and large corrections in its first step.
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
                    // The last one is reported when the program ends.
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
    let scene = file.scene();
    let size = {
        let simulation = scene_args::build(file)?;
        let (unknowns, multipliers) = run::state::size(simulation.world());
        let of_start = simulation.remarks();
        Size {
            title: scene.title.clone(),
            contents: scene_args::contents(scene),
            mode: scene.settings.mode,
            duration: scene.settings.duration,
            step: scene.settings.step,
            steps: simulation.total_steps(),
            unknowns,
            multipliers,
            remarks: file.remarks().into_iter().chain(of_start.iter().map(ToString::to_string)).collect(),
        }
    };
    // The simulation is dropped by now: a large scene would not fit into memory twice.
    match scene::trial(scene) {
        Some(error) => Err(Failure::Scene(file.explain(&error))),
        None => Ok(size),
    }
}

fn sentence(name: &str, size: &Size) -> String {
    let [unknowns, multipliers] = [(size.unknowns, "unknown"), (size.multipliers, "multiplier")]
        .map(|(count, word)| counted(count, word));
    format!(
        "{name}: fine ({}; {unknowns}, {multipliers}; {} of {} s)",
        size.contents,
        counted(size.steps, "step"),
        size.step
    )
}
