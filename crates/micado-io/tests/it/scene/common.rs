//! One cable, changed line by line, and the checks of its errors.

use micado::run::Simulation;
use micado_io::scene::{SceneError, SceneFile, parse};

pub(crate) const CABLE: &str = r#"title = "a cable"
[rod.cable]
shape.line = { from = [0, 0, 0], to = [1, 0, 0] }
radius = "5 mm"
young = "3 GPa"
density = 1200
[constraint.left.position]
on = "cable"
at = "start"
[[probe]]
name = "tension"
of = "cable"
at = "25 %"
read = "tension"
[[action]]
at = 1
do.release = "left"
[settings]
step = 0.01
duration = 2
"#;

/// The cable with the first occurrence of `line` replaced.
pub(crate) fn cable(line: &str, instead: &str) -> String {
    assert!(CABLE.contains(line), "the scene of the test has no line `{line}`");
    CABLE.replacen(line, instead, 1)
}

/// Builds a scene; errors of the engine are shown in the file.
pub(crate) fn build_file(file: &SceneFile) -> Result<Simulation, SceneError> {
    Simulation::build(file.scene()).map_err(|error| file.explain(&error))
}

/// Reads and builds a scene.
pub(crate) fn build(text: &str) -> Result<Simulation, SceneError> {
    build_file(&parse("cable.toml", text, &[])?)
}

/// Checks the parts of an error: the file, the line, words of the problem and words of the remedy.
#[track_caller]
pub(crate) fn says(error: &SceneError, line: usize, problem: &str, remedy: &str) {
    assert_eq!(error.source_name(), Some("cable.toml"), "{error}");
    assert_eq!(error.line_and_column().map(|(line, _)| line), Some(line), "{error}");
    assert!(error.problem().contains(problem), "{error}");
    assert!(error.remedy().contains(remedy), "{error}");
    let drawn = error.render(false);
    assert!(drawn.contains(&format!("cable.toml:{line}:")), "{drawn}");
}
