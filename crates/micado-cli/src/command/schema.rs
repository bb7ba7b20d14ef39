//! `micado schema`: the JSON Schema of scene files.

use crate::failure::Failure;
use crate::output;

/// Prints the JSON Schema of scene files, with which editors complete and check them while you type.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  micado schema > micado.schema.json
  then begin a scene file with the line:  #:schema micado.schema.json")]
pub(crate) struct Args {
    /// Accepted by all commands: a schema is always JSON
    #[arg(long, hide = true)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(_: &Args) -> Result<(), Failure> {
    output::print_json(&micado_io::scene::schema())
}
