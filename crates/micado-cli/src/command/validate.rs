//! `micado validate`: the engine against reference cases of mechanics.

use crate::failure::Failure;

/// Runs reference cases and prints for each quantity what was measured, what is expected, the tolerance and the source.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  micado validate                  all cases
  micado validate C01 B            the case C01 and all whose id begins with B
  micado validate --json           for programs

Exit code 1 when a case fails.")]
pub(crate) struct Args {
    /// Ids of cases, or how they begin; all when none is given
    #[arg(value_name = "CASE")]
    cases: Vec<String>,
    /// Print JSON: an array of {case, model, quantity, measured, expected, tolerance, pass}
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let asked = if args.cases.is_empty() { "all cases".to_owned() } else { args.cases.join(", ") };
    let form = if args.json { " as JSON" } else { "" };
    Err(Failure::Usage(format!("{asked}{form}: this build has no reference cases"), "see `micado --help` for what it has".to_owned()))
}
