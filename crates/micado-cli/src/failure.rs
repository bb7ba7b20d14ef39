//! Failures of a command: message and exit code.

use crate::output;
use micado_io::scene::SceneError;
use std::fmt;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The reason why a command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A check, a validation or a run failed; the message is empty if it was printed already. Exit code 1.
    Checks(String),
    /// The scene was refused. Exit code 2.
    Scene(SceneError),
    /// The request can't be done; a problem and a remedy. Exit code 2.
    Usage(String, String),
    /// A file could not be written. Exit code 3.
    Write {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        problem: String,
    },
    /// The reader of the output has closed it, which is not an error. Exit code 0.
    NobodyListens,
}

impl Failure {
    /// A file that could not be written.
    pub(crate) fn write(path: &Path, problem: impl fmt::Display) -> Self {
        Self::Write { path: path.to_owned(), problem: problem.to_string() }
    }

    /// Prints the message on the standard error output and returns the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let colour = io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        let (text, code) = match self {
            Self::NobodyListens => return ExitCode::SUCCESS,
            Self::Checks(text) => (text.clone(), 1),
            Self::Scene(error) => (error.render(colour), 2),
            Self::Usage(problem, remedy) => (format!("error: {problem}\n  help: {remedy}"), 2),
            Self::Write { path, problem } => (
                format!(
                    "error: {} can't be written: {problem}\n  help: choose another folder with `--out DIR`",
                    path.display()
                ),
                3,
            ),
        };
        if !text.is_empty() {
            output::note(text.trim_end_matches('\n'));
        }
        ExitCode::from(code)
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        Self::Scene(error)
    }
}
