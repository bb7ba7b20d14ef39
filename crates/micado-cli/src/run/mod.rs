//! `micado run`: steps a scene and writes its results.

mod charts;
mod checkpoint;
mod clip_report;
mod contact_series;
mod folder;
mod picture;
pub(crate) mod progress;
mod recorder;
mod series;
pub(crate) mod state;
pub(crate) mod stepping;
pub(crate) mod summary;
mod tally;
mod verdict;

use crate::failure::Failure;
use crate::output;
use crate::scene_args::{SceneArgs, build};
use folder::Folder;
pub(crate) use folder::RECORDING;
use micado::step::Pool;
use progress::Progress;
use std::path::{Path, PathBuf};

/// Runs a scene and writes measured series, plots, a picture and a recording into a folder.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  micado run hanging-cable                          a built-in scene; results in out/hanging-cable
  micado run my-scene.toml --out results --gif      your own scene, with an animation
  micado run hanging-cable --set rod.cable.radius=\"1 cm\" --duration 10
  micado run my-scene.toml --threads 2              separate structures on two cores, with the same bits
  micado run my-scene.toml --resume                 continue an interrupted run
  micado run hanging-cable --json --quiet | jq .probes.tension
  for r in 4 5 6; do micado run hanging-cable --no-files --quiet --json --set rod.cable.radius=0.00$r; done

Files:
  summary.txt, summary.json      probes, energies, forces, clips, times
  probes.csv, energy.csv         probes and energies over time; modes.csv of a quasi-dynamic run
  contacts.csv                   contacts of each pair of objects over time, if surfaces touch
  plot-*.svg, plot-*.png         plots of it
  picture.png, animation.gif     the structure, coloured, with its constraints and earlier states
  recording.micado               the whole motion, with checkpoints to resume from

Exit code 1 if steps failed and the state was held, an equilibrium was not found or not reached, constraints
contradict each other, or an action failed. All files are still written, and `failures` in summary.json has
the reasons.")]
pub(crate) struct Args {
    #[command(flatten)]
    scene: SceneArgs,
    /// Folder to write into; out/<scene> unless given
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue from the last checkpoint of the recording in the folder
    #[arg(long)]
    resume: bool,
    /// Also write an animation
    #[arg(long)]
    gif: bool,
    /// Write nothing, only print: for studies of parameters
    #[arg(long, conflicts_with_all = ["out", "resume", "gif"])]
    no_files: bool,
    /// Width and height of the picture, pixels
    #[arg(long, value_name = "WxH", default_value = "1280x800", value_parser = picture::size)]
    size: (u32, u32),
    /// Threads for islands, that is, for objects that nothing joins. The result does not depend on it
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = clap::value_parser!(u16).range(1..=256))]
    threads: u16,
    /// Print the summary as JSON: {scene, time, steps, wall_s, probes, energy, residual, failures, events, …}
    #[arg(long)]
    json: bool,
    /// No progress, no remarks and no summary on the screen
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let file = args.scene.open()?;
    let simulation = build(&file)?;
    let name = file.short_name();
    let folder = match args.no_files {
        true => None,
        false => Some(Folder::prepare(&args.out.clone().unwrap_or_else(|| Path::new("out").join(name)))?),
    };
    let progress = Progress::new(name, args.quiet);
    let remarks = simulation.remarks();
    file.remarks()
        .into_iter()
        .chain(remarks.iter().map(ToString::to_string))
        .for_each(|remark| progress.say(&format!("note: {remark}")));
    let mut course = stepping::Course::begin(&file, simulation, folder.as_ref(), args.resume, &progress)?;
    let threads = usize::from(args.threads);
    course.set_pool(
        Pool::new(threads).map_err(|error| Failure::Checks(format!("{threads} threads: {error}")))?,
    );
    let stepped = course.step_to_the_end(&progress);
    if folder.is_some() {
        progress.working_on("drawing");
    }
    // After an error, the results so far are written too.
    let wanted = picture::Wanted { size: args.size, animation: args.gif };
    let summary = course.conclude(&file, folder.as_ref(), &wanted);
    progress.finish();
    stepped?;
    let summary = summary?;
    match (args.json, args.quiet) {
        (true, _) => output::print_json(&summary)?,
        (false, true) => {}
        (false, false) => {
            let text = summary.text(&file.scene().probe);
            output::print(&match &folder {
                Some(folder) => format!("{text}\nResults are in {}", folder.path().display()),
                None => text,
            })?;
        }
    }
    match summary.failures.as_slice() {
        [] => Ok(()),
        failures => Err(Failure::Checks(verdict::line(failures))),
    }
}
