//! `micado list`: the built-in scenes.

use crate::failure::Failure;
use crate::{output, scene_args};
use micado::scene::Mode;
use micado_io::scene::{self, BUILTIN};
use serde::Serialize;

/// Shows the built-in scenes, one a line.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  micado list                    names and titles
  micado list --text crank       the file of a scene, to start an own one from
  micado list --json             for programs")]
pub(crate) struct Args {
    /// Print the scene file of this name instead of the list
    #[arg(long, value_name = "NAME", conflicts_with = "json")]
    text: Option<String>,
    /// Print JSON: an array of {name, title, description, mode, duration, step, contents}
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Entry {
    name: &'static str,
    title: String,
    description: String,
    mode: Mode,
    duration: f64,
    step: f64,
    contents: String,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> Result<(), Failure> {
    if let Some(name) = &args.text {
        return match scene::builtin(name) {
            Some(scene) => output::print(scene.text.trim_end()),
            // The error for an unknown scene suggests a similar name.
            None => Err(scene::open(name, &[]).err().map_or_else(
                || {
                    Failure::Usage(
                        format!("`{name}` is a file, not a built-in scene"),
                        "micado list shows the names".to_owned(),
                    )
                },
                Failure::Scene,
            )),
        };
    }
    let mut entries = Vec::with_capacity(BUILTIN.len());
    for builtin in BUILTIN {
        let file = scene::open(builtin.name, &[])?;
        let scene = file.scene();
        entries.push(Entry {
            name: builtin.name,
            title: scene.title.clone(),
            description: scene.description.clone(),
            mode: scene.settings.mode,
            duration: scene.settings.duration,
            step: scene.settings.step,
            contents: scene_args::contents(scene),
        });
    }
    if args.json {
        return output::print_json(&entries);
    }
    let width = entries.iter().map(|entry| entry.name.len()).max().unwrap_or(0);
    let lines: Vec<String> =
        entries.iter().map(|entry| format!("  {:width$}  {}", entry.name, entry.title)).collect();
    output::print(&format!(
        "Built-in scenes:\n\n{}\n\nRun one with `micado run {}`.",
        lines.join("\n"),
        BUILTIN[0].name
    ))
}
