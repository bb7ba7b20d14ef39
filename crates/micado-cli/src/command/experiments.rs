//! `micado experiments`: published experiments on rods, measured and compared with theory.

use crate::failure::Failure;
use crate::output;
use crate::run::progress::Progress;
use micado_io::experiments::{self, Experiment, Number};
use serde::Serialize;
use std::path::PathBuf;

/// Measures experiments of the discrete elastic rods paper on built-in scenes, and prints each number beside
/// its theoretical value.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  micado experiments                        all of them
  micado experiments michell-ring           one
  micado experiments --out docs/img         and a plot of each, NAME.svg
  micado experiments --json                 for programs")]
pub(crate) struct Args {
    /// Names of experiments; all if none is given
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Folder for the plots
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print JSON: an array of {experiment, name, measured, theory}
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Told {
    experiment: &'static str,
    #[serde(flatten)]
    number: Number,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let chosen = if args.names.is_empty() {
        experiments::ALL.iter().collect()
    } else {
        args.names.iter().map(|name| find(name)).collect::<Result<Vec<_>, _>>()?
    };
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|error| Failure::write(folder, error))?;
    }
    let progress = Progress::new("experiments", false);
    let mut told = Vec::new();
    for (k, experiment) in chosen.iter().enumerate() {
        progress.show_share(k, chosen.len(), experiment.name);
        let study = experiment
            .run()
            .map_err(|trouble| Failure::Checks(format!("error: {}: {trouble}", experiment.name)))?;
        if let Some(folder) = &args.out {
            let file = folder.join(format!("{}.svg", experiment.name));
            study.chart.write_svg(&file).map_err(|error| Failure::write(&file, error))?;
        }
        if !args.json {
            progress.suspended(|| output::print(&text(experiment, &study.numbers)))?;
        }
        told.extend(study.numbers.into_iter().map(|number| Told { experiment: experiment.name, number }));
    }
    progress.finish();
    if args.json { output::print_json(&told) } else { Ok(()) }
}

fn find(name: &str) -> Result<&'static Experiment, Failure> {
    experiments::find(name).ok_or_else(|| {
        let known: Vec<&str> = experiments::ALL.iter().map(|experiment| experiment.name).collect();
        Failure::Usage(format!("there is no experiment `{name}`"), format!("there are: {}", known.join(", ")))
    })
}

fn text(experiment: &Experiment, numbers: &[Number]) -> String {
    let width = numbers.iter().map(|number| number.name.chars().count()).max().unwrap_or(0);
    let head = format!(
        "{}: {}\n  {:width$}{:>14}{:>14}",
        experiment.name, experiment.shows, "", "measured", "theory"
    );
    let number = |x: f64| if x != 0.0 && x.abs() < 1e-3 { format!("{x:.2e}") } else { format!("{x:.6}") };
    let line =
        |n: &Number| format!("\n  {:width$}{:>14}{:>14}", n.name, number(n.measured), number(n.theory));
    head + &numbers.iter().map(line).collect::<String>() + "\n"
}
