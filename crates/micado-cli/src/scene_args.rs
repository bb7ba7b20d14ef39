//! The arguments for a scene and its overrides.

use crate::failure::Failure;
use crate::words::either;
use micado::error::BuildError;
use micado::object::rod::RodDescription;
use micado::run::Simulation;
use micado::scene::{Kind, Scene};
use micado::short::Short;
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

/// Bytes of memory that a segment of a rod takes in a step, measured by `check` of rods of 100 000 and
/// 200 000 segments.
const SEGMENT: f64 = 2400.0;

/// Builds a scene; errors of the engine are shown in the file.
pub(crate) fn build(file: &SceneFile) -> Result<Simulation, Failure> {
    if let Some(error) = available_memory().and_then(|free| too_large(file.scene(), free)) {
        return Err(Failure::Scene(file.explain(&error)));
    }
    Simulation::build(file.scene()).map_err(|error| Failure::Scene(file.explain(&error)))
}

/// Refuses a scene whose rods need more memory than is free, bytes.
fn too_large(scene: &Scene, free: f64) -> Option<BuildError> {
    let segments = |rod: &RodDescription| rod.segments.unwrap_or_default();
    let needed = SEGMENT * scene.rod.values().map(segments).fold(0.0, |sum, count| sum + count as f64);
    let (name, _) = scene.rod.iter().max_by_key(|(_, rod)| segments(rod)).filter(|_| needed > free)?;
    let [needed, free] = [needed, free].map(|bytes| Short((bytes / 1e8).round() / 10.0));
    Some(BuildError::new(
        format!("rod.{name}.segments"),
        format!("the segments of all rods need about {needed} GB of memory, and {free} GB are free"),
        "give fewer segments",
    ))
}

/// Memory that programs may still use, bytes, where the system reports it.
fn available_memory() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    // The limit of a container, if there is one: "max" is not a number.
    let group = |file: &str| -> Option<f64> {
        std::fs::read_to_string(format!("/sys/fs/cgroup/memory.{file}")).ok()?.trim().parse().ok()
    };
    let left = group("max").zip(group("current")).map_or(f64::INFINITY, |(most, used)| most - used);
    Some((1024.0 * kilobytes).min(left))
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

#[cfg(test)]
mod tests {
    use super::too_large;
    use micado_io::scene::parse;

    #[test]
    fn a_rod_that_does_not_fit_into_memory_is_refused_with_what_it_needs() {
        let text = "[rod.r]\nsegments = 4000000\n[rod.s]\nsegments = 1000000\n";
        let file = parse("large.toml", text, &[]).unwrap();
        assert_eq!(too_large(file.scene(), 13e9), None);
        let error = too_large(file.scene(), 10e9).unwrap();
        assert_eq!(error.path, "rod.r.segments");
        assert!(error.problem.contains("12 GB") && error.problem.contains("10 GB are free"), "{error}");
    }
}
