//! The arguments for a scene and its overrides.

use crate::failure::Failure;
use crate::words::either;
use micado::run::Simulation;
use micado::scene::{Kind, Scene};
use micado_io::scene::{self, SceneFile};

/// A scene and its overrides.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct SceneArgs {
    /// Name of a built-in scene (see `micado list`) or path of a scene file
    #[arg(value_name = "NAME|FILE")]
    pub scene: String,
    /// Replace a value of the scene, for example `rod.cable.radius=0.01` or `probe[0].at=end`; may be
    /// repeated
    #[arg(long = "set", value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Simulated time, for example 2.5 or "300 ms"; short for --set settings.duration=…
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub duration: Option<String>,
    /// Time step, for example 0.01 or "5 ms"; short for --set settings.step=…
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub step: Option<String>,
    /// Mode of the steps; short for --set settings.mode=…
    #[arg(long, value_name = "MODE", value_parser = ["dynamic", "static", "quasi-dynamic"])]
    pub mode: Option<String>,
}

impl SceneArgs {
    /// Reads the scene with its overrides.
    pub(crate) fn open(&self) -> Result<SceneFile, Failure> {
        let mut overrides = self.set.clone();
        for (field, value) in [("duration", &self.duration), ("step", &self.step), ("mode", &self.mode)] {
            overrides.extend(value.as_ref().map(|value| format!("settings.{field}={value}")));
        }
        Ok(scene::open(&self.scene, &overrides)?)
    }
}

/// Builds a scene; errors of the engine are shown in the file.
pub(crate) fn build(file: &SceneFile) -> Result<Simulation, Failure> {
    Simulation::build(file.scene()).map_err(|error| Failure::Scene(file.explain(&error)))
}

/// Contents of a scene, in a few words: "1 rod, 2 constraints".
pub(crate) fn contents(scene: &Scene) -> String {
    let things = Kind::ALL.iter().map(|&kind| (scene.count(kind), kind.word(), kind.plural()));
    let others = [(scene.probe.len(), "probe", "probes"), (scene.action.len(), "action", "actions")];
    let words: Vec<String> = things
        .chain(others)
        .filter(|&(count, ..)| count > 0)
        .map(|(count, one, several)| either(count, one, several))
        .collect();
    if words.is_empty() { "nothing".to_owned() } else { words.join(", ") }
}
