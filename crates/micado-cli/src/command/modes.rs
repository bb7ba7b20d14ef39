//! `micado modes`: natural frequencies and stability.

use super::mode_shapes;
use crate::failure::Failure;
use crate::output;
use crate::run::summary::number;
use crate::scene_args::{SceneArgs, build};
use micado::clock::WallClock;
use micado::step::{Mode, Modes, StaticParams, Workspace};
use serde::Serialize;
use std::path::PathBuf;

/// Natural frequencies of a scene about its state, and its lowest stability eigenvalue.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  micado modes cantilever                  the lowest natural frequencies about the equilibrium
  micado modes cantilever -n 12 --time 1   twelve of them, with the loads of t = 1 s
  micado modes cantilever --out shapes     and pictures of the mode shapes
  micado modes my-scene.toml --json        for programs

Exit code 1 when no equilibrium is found.")]
pub(crate) struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Number of modes
    #[arg(short = 'n', long, value_name = "N", default_value_t = 6)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=500))]
    count: u16,
    /// Time at which loads and targets are taken, s
    #[arg(long, value_name = "SECONDS", default_value_t = 0.0)]
    time: f64,
    /// About the state at the start of the scene, instead of the equilibrium
    #[arg(long, conflicts_with = "time")]
    at_start: bool,
    /// Write pictures of the mode shapes, and a chart of them along the rods, into a folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON: {scene, time, equilibrium, frequencies: [Hz …], eigenvalues: [1/s² …], stability,
    /// unstable, files}
    #[arg(long)]
    json: bool,
}

/// Number of equilibria on the way to a time.
const STAGES: u32 = 64;

#[derive(Serialize)]
struct Found {
    scene: String,
    time: f64,
    /// Whether the state is an equilibrium: found, or at the start of the scene.
    equilibrium: bool,
    /// Natural frequencies, Hz, lowest first; `None` for a growing mode.
    frequencies: Vec<Option<f64>>,
    /// ω², 1/s²; negative for a growing mode.
    eigenvalues: Vec<f64>,
    /// The lowest ω²: negative if the state is unstable.
    stability: Option<f64>,
    /// Number of growing modes.
    unstable: usize,
    /// Pictures that were written.
    files: Vec<String>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let file = args.scene.open()?;
    if !args.time.is_finite() {
        return Err(Failure::Usage(
            "`--time` is not a finite number".to_owned(),
            "give seconds, for example --time 1.5".to_owned(),
        ));
    }
    let mut simulation = build(&file)?;
    let settings = simulation.settings().clone();
    let world = simulation.world_mut();
    let mut workspace = Workspace::new();
    let mut equilibrium = false;
    if !args.at_start {
        let params = StaticParams {
            arithmetic: settings.arithmetic,
            leave_unstable: settings.leave_unstable,
            ..StaticParams::default()
        };
        // Follows targets that turn on the way, whole turns included.
        let stages = if args.time == 0.0 { 1 } else { STAGES };
        for stage in 1..stages {
            world.equilibrate(
                args.time * f64::from(stage) / f64::from(stages),
                &params,
                &mut workspace,
                &WallClock::start(),
            );
        }
        let report = world.equilibrate(args.time, &params, &mut workspace, &WallClock::start());
        equilibrium = report.converged && !report.held;
        if !equilibrium {
            let why = report.refused.map_or_else(
                || {
                    format!(
                        "the last of {} increments is still {:.1e} m",
                        report.solves, report.last_increment
                    )
                },
                |refusal| world.cause(refusal).to_string(),
            );
            return Err(Failure::Checks(format!(
                "error: no equilibrium of {} was found: {why}\n  help: try --at-start, or another --time",
                file.name(),
            )));
        }
    }
    let modes =
        world.modes(usize::from(args.count), settings.arithmetic, &mut workspace).map_err(|refusal| {
            let why = world.cause(refusal);
            Failure::Checks(format!("error: the modes of {} can't be computed: {why}", file.name()))
        })?;
    let files = match &args.out {
        Some(folder) => mode_shapes::draw(world, &modes, file.short_name(), folder)?,
        None => Vec::new(),
    };
    let found = Found {
        scene: file.short_name().to_owned(),
        time: args.time,
        equilibrium,
        frequencies: modes.modes.iter().map(|mode| modes.frequency(mode)).collect(),
        eigenvalues: modes.modes.iter().map(|mode| mode.eigenvalue).collect(),
        stability: modes.modes.first().map(|mode| mode.eigenvalue),
        unstable: modes.unstable,
        files,
    };
    if args.json { output::print_json(&found) } else { output::print(&table(&found, &modes, args.at_start)) }
}

fn table(found: &Found, modes: &Modes, at_start: bool) -> String {
    let about =
        if at_start { "the start".to_owned() } else { format!("the equilibrium at t = {} s", found.time) };
    let mut lines = vec![
        format!("Modes of {} about {about}", found.scene),
        String::new(),
        "  mode  frequency, Hz       period, s        ω², 1/s²".to_owned(),
    ];
    for (k, mode) in modes.modes.iter().enumerate() {
        let (frequency, period) = match modes.frequency(mode) {
            Some(frequency) if frequency > 0.0 => (number(frequency), number(1.0 / frequency)),
            Some(_) => ("0".to_owned(), "-".to_owned()),
            None => ("grows".to_owned(), "-".to_owned()),
        };
        lines.push(format!("  {:4} {frequency:>14} {period:>15} {:>15.6e}", k + 1, mode.eigenvalue));
    }
    lines.push(String::new());
    lines.push(match found.unstable {
        0 => "The state is stable.".to_owned(),
        1 => "The state is unstable in one mode.".to_owned(),
        count => format!("The state is unstable in {count} modes."),
    });
    if let [first, .., last] = found.files.as_slice() {
        lines.push(format!("Shapes are in {first} … {last}"));
    }
    lines.join("\n")
}

/// Description of a mode.
pub(super) fn words(modes: &Modes, mode: &Mode) -> String {
    match modes.frequency(mode) {
        Some(frequency) if frequency > 0.0 => format!("{} Hz", number(frequency)),
        Some(_) => "0 Hz".to_owned(),
        None => "grows".to_owned(),
    }
}
