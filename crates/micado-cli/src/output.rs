//! Results to the standard output, remarks to the standard error output; silent if nobody reads.

use crate::failure::Failure;
use serde::Serialize;
use std::io::{self, ErrorKind, Write};

/// Writes a result, followed by a line end.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    let written =
        out.write_all(text.as_bytes()).and_then(|()| out.write_all(b"\n")).and_then(|()| out.flush());
    written.map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::NobodyListens,
        _ => Failure::write(std::path::Path::new("the standard output"), error),
    })
}

/// Writes a result as JSON. Numbers that are not finite become `null`, as JSON can't express them.
pub(crate) fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    print(&json(value)?)
}

/// A value as readable JSON.
pub(crate) fn json(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map_err(|error| {
        Failure::Usage(format!("the result can't be JSON: {error}"), "run without --json".to_owned())
    })
}

/// Writes a remark; a closed standard error output is ignored.
pub(crate) fn note(text: &str) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}
