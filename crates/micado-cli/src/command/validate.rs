//! `micado validate`: the engine against reference cases of mechanics.

use crate::failure::Failure;
use crate::output;
use crate::run::progress::Progress;
use micado_io::validate::{self, Outcome};

/// Runs reference cases and prints for each quantity the measured and the expected value, the tolerance and
/// the source.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  micado validate                  all cases
  micado validate C01 B            the case C01 and all whose id begins with B
  micado validate --json           for programs
  micado validate --markdown       for documents

Exit code 1 when a case fails.")]
pub(crate) struct Args {
    /// Ids of cases, or their beginnings; all if none is given
    #[arg(value_name = "CASE")]
    cases: Vec<String>,
    /// Print JSON: an array of {case, model, quantity, measured, expected, tolerance, pass}
    #[arg(long)]
    json: bool,
    /// Print tables in Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    let cases = validate::select(&args.cases).map_err(|error| {
        let known = error.known.iter().map(|id| format!("\n    {id}")).collect::<String>();
        Failure::Usage(error.to_string(), format!("there are:{known}"))
    })?;
    let progress = Progress::new("validate", false);
    let mut outcomes: Vec<Outcome> = Vec::with_capacity(cases.len());
    for (k, case) in cases.iter().enumerate() {
        progress.show_share(k, cases.len(), case.id());
        let outcome = case.run();
        if !args.json && !args.markdown {
            progress.suspended(|| output::print(&validate::text(&outcome)))?;
        }
        outcomes.push(outcome);
    }
    progress.finish();
    let summary = validate::summary(&outcomes);
    if args.json {
        output::print_json(&outcomes.iter().flat_map(|outcome| &outcome.rows).collect::<Vec<_>>())?;
    } else if args.markdown {
        output::print(validate::markdown(&outcomes).trim_end())?;
    } else {
        output::print(&summary)?;
    }
    if outcomes.iter().all(Outcome::passes) {
        return Ok(());
    }
    // The text form has reported it already.
    Err(Failure::Checks(if args.json || args.markdown { summary } else { String::new() }))
}
