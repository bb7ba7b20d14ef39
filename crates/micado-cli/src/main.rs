//! `micado`: runs, checks and measures scenes of rods and cables from the command line.
//!
//! Results go to the standard output, progress and errors to the standard error output. Exit codes: 0
//! success, 1 a check, a validation or a run failed, 2 the command or the scene is wrong, 3 a file could not
//! be written.

mod command;
mod failure;
mod output;
mod run;
mod scene_args;
mod words;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Simulates ropes, cables and elastic rods under hard constraints.
#[derive(Debug, Parser)]
#[command(name = "micado", version, max_term_width = 100, after_help = HELP_EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

const HELP_EXAMPLES: &str = "\
First steps:
  micado list                          list the built-in scenes
  micado run hanging-cable             run a built-in scene; results go to out/hanging-cable
  micado run hanging-cable --gif       and make an animation
  micado check my-scene.toml           check your own scene
  micado run my-scene.toml             run it

Exit codes: 0 success, 1 a check, a validation or a run failed, 2 the command or the scene is wrong,
3 a file could not be written.";

#[derive(Debug, Subcommand)]
enum Command {
    /// List the built-in scenes
    List(command::list::Args),
    /// Report whether scene files are valid, without running them
    Check(command::check::Args),
    /// Run a scene and write measured series, plots, a picture and a recording
    Run(run::Args),
    /// Open a scene that you can grab, in a browser
    #[cfg(feature = "viewer")]
    View(command::view::Args),
    /// Write a recording as glTF, VTK or CSV
    Export(command::export::Args),
    /// Compare the engine with reference cases of mechanics
    Validate(command::validate::Args),
    /// Measure published experiments on rods and compare them with theory
    Experiments(command::experiments::Args),
    /// Compute natural frequencies and stability of a scene
    Modes(command::modes::Args),
    /// Draw the matrix of a scene before and after its unknowns are ordered
    Matrix(command::matrix::Args),
    /// Measure how long steps take
    Bench(command::bench::Args),
    /// Print the JSON Schema of scene files, for editors
    Schema(command::schema::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::List(args) => command::list::run(&args),
        Command::Check(args) => command::check::run(&args),
        Command::Run(args) => run::run(&args),
        #[cfg(feature = "viewer")]
        Command::View(args) => command::view::run(&args),
        Command::Export(args) => command::export::run(&args),
        Command::Validate(args) => command::validate::run(&args),
        Command::Experiments(args) => command::experiments::run(&args),
        Command::Modes(args) => command::modes::run(&args),
        Command::Matrix(args) => command::matrix::run(&args),
        Command::Bench(args) => command::bench::run(&args),
        Command::Schema(args) => command::schema::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        super::Cli::command().debug_assert();
    }
}
