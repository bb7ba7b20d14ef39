//! `micado modes`: natural frequencies and stability.

use super::mode_shapes;
use crate::failure::Failure;
use crate::output;
use crate::run::summary::{last_values, number, probe_lines};
use crate::scene_args::{SceneArgs, build};
use indexmap::IndexMap;
use micado::clock::WallClock;
use micado::scene::Probe;
use micado::step::{Mode, Modes, Refusal, StaticParams, Workspace};
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
    /// Print JSON: {scene, time, equilibrium, departures, probes, frequencies: [Hz …], eigenvalues: [1/s² …],
    /// rounding: [1/s² …], stability, unstable, files}
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
    /// Unstable equilibria that the search has left on its way.
    departures: usize,
    /// Values of the probes in the state, in SI units.
    probes: IndexMap<String, f64>,
    /// Natural frequencies, Hz, lowest first; 0 for a zero mode, `None` for a growing one.
    frequencies: Vec<Option<f64>>,
    /// ω², 1/s²; negative for a growing mode.
    eigenvalues: Vec<f64>,
    /// Rounding of ω², 1/s².
    rounding: Vec<f64>,
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
    let (mut equilibrium, mut departures) = (false, 0);
    if !args.at_start {
        let params = StaticParams {
            arithmetic: settings.arithmetic,
            leave_unstable: settings.leave_unstable,
            ..StaticParams::default()
        };
        // Follows targets that turn on the way, whole turns included.
        let stages = if args.time == 0.0 { 1 } else { STAGES };
        for stage in 1..stages {
            let time = args.time * f64::from(stage) / f64::from(stages);
            departures += world.equilibrate(time, &params, &mut workspace, &WallClock::start()).departures;
        }
        let report = world.equilibrate(args.time, &params, &mut workspace, &WallClock::start());
        equilibrium = report.converged && !report.held;
        departures += report.departures;
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
            let help = match report.refused {
                Some(Refusal::NoContact) => "run the scene in time, or remove `contact` and `floor` from it",
                _ => "try --at-start, or another --time",
            };
            return Err(Failure::Checks(format!(
                "error: no equilibrium of {} was found: {why}\n  help: {help}",
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
    let world = simulation.world();
    let values: Vec<f64> =
        simulation.probes().iter().map(|probe| world.read(probe).unwrap_or(f64::NAN)).collect();
    let probes = last_values(simulation.probes(), &values);
    let found = Found {
        scene: file.short_name().to_owned(),
        time: args.time,
        equilibrium,
        departures,
        probes,
        frequencies: modes.modes.iter().map(Mode::frequency).collect(),
        eigenvalues: modes.modes.iter().map(|mode| mode.eigenvalue).collect(),
        rounding: modes.modes.iter().map(|mode| mode.rounding).collect(),
        stability: modes.modes.first().map(|mode| mode.eigenvalue),
        unstable: modes.unstable,
        files,
    };
    if args.json {
        output::print_json(&found)
    } else {
        output::print(&table(&found, &modes, simulation.probes(), args.at_start))
    }
}

fn table(found: &Found, modes: &Modes, probes: &[Probe], at_start: bool) -> String {
    let about = match (at_start, found.departures) {
        (true, _) => "the start".to_owned(),
        (false, 0) => format!("the equilibrium at t = {} s", found.time),
        (false, 1) => format!("the equilibrium at t = {} s, reached by leaving an unstable one", found.time),
        (false, count) => {
            format!("the equilibrium at t = {} s, reached by leaving {count} unstable ones", found.time)
        }
    };
    let mut lines = vec![format!("Modes of {} about {about}", found.scene), String::new()];
    if !found.probes.is_empty() {
        lines.extend(probe_lines(&found.probes, probes));
        lines.push(String::new());
    }
    lines.push("  mode  frequency, Hz       period, s        ω², 1/s²   rounding of ω²".to_owned());
    for (k, mode) in modes.modes.iter().enumerate() {
        let (frequency, period) = match mode.frequency() {
            Some(frequency) if frequency > 0.0 => (number(frequency), number(1.0 / frequency)),
            Some(_) => ("0".to_owned(), "-".to_owned()),
            None => ("grows".to_owned(), "-".to_owned()),
        };
        lines.push(format!(
            "  {:4} {frequency:>14} {period:>15} {:>15.6e} {:>16.1e}",
            k + 1,
            mode.eigenvalue,
            mode.rounding
        ));
    }
    lines.push(String::new());
    let zero = modes.modes.iter().filter(|mode| mode.is_zero()).count();
    lines.push(match found.unstable {
        0 if zero > 0 => format!("The state is stable, apart from {}.", zero_modes(zero)),
        0 => "The state is stable.".to_owned(),
        1 => "The state is unstable in one mode.".to_owned(),
        count => format!("The state is unstable in {count} modes."),
    });
    if let [first, .., last] = found.files.as_slice() {
        lines.push(format!("Shapes are in {first} … {last}"));
    }
    lines.join("\n")
}

/// Zero modes, in words.
fn zero_modes(count: usize) -> String {
    if count == 1 {
        "one mode whose stiffness is below rounding".to_owned()
    } else {
        format!("{count} modes whose stiffness is below rounding")
    }
}

/// Description of a mode.
pub(super) fn words(mode: &Mode) -> String {
    match mode.frequency() {
        Some(frequency) if frequency > 0.0 => format!("{} Hz", number(frequency)),
        Some(_) => "0 Hz".to_owned(),
        None => "grows".to_owned(),
    }
}
