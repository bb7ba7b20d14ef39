//! Nonsense is refused where it stands: what the engine won't build is shown with file, line and remedy.

use micado::simulation::Simulation;
use micado_io::scene::{BUILTIN, SceneError, open, parse};

const CABLE: &str = r#"title = "a cable"
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

fn cable(line: &str, instead: &str) -> String {
    assert!(CABLE.contains(line), "the scene of the test has no line `{line}`");
    CABLE.replacen(line, instead, 1)
}

fn build(text: &str) -> Result<Simulation, SceneError> {
    let file = parse("cable.toml", text, &[])?;
    Simulation::build(file.scene()).map_err(|error| file.explain(&error))
}

/// Checks that a scene is refused at a line, with these words in the problem and in the remedy.
#[track_caller]
fn refused(text: &str, line: usize, problem: &str, remedy: &str) {
    let error = build(text).expect_err("the scene should have been refused");
    assert_eq!(error.source_name(), Some("cable.toml"), "{error}");
    assert_eq!(error.line_and_column().map(|(line, _)| line), Some(line), "{error}");
    assert!(error.problem().contains(problem), "{error}");
    assert!(error.remedy().contains(remedy), "{error}");
}

#[test]
fn the_cable_itself_is_fine() {
    assert!(build(CABLE).is_ok());
}

#[test]
fn a_negative_or_zero_radius_is_refused() {
    refused(&cable("\"5 mm\"", "-0.005"), 4, "-0.005 is not positive", "greater than 0");
    refused(&cable("\"5 mm\"", "0"), 4, "0 is not positive", "greater than 0");
}

#[test]
fn numbers_that_are_not_finite_are_refused() {
    refused(&cable("\"5 mm\"", "nan"), 4, "NaN", "finite");
    refused(&cable("\"3 GPa\"", "inf"), 5, "inf", "finite");
    refused(&cable("density = 1200", "density = -inf"), 6, "inf", "finite");
    refused(&cable("to = [1, 0, 0]", "to = [1, nan, 0]"), 3, "NaN", "finite");
    refused(&cable("step = 0.01", "step = nan"), 19, "NaN", "finite");
    refused(&cable("step = 0.01", "gravity = [0, 0, nan]"), 19, "finite", "finite");
}

#[test]
fn a_rod_of_length_zero_is_refused() {
    let error = build(&cable("to = [1, 0, 0]", "to = [0, 0, 0]")).unwrap_err();
    assert_eq!(error.line_and_column().map(|(line, _)| line), Some(3), "{error}");
    assert!(!error.remedy().is_empty());
}

#[test]
fn a_place_outside_the_rod_is_refused() {
    for place in ["1.5", "-0.1", "\"150 %\"", "\"2 m\"", "nan"] {
        let error = build(&cable("at = \"start\"", &format!("at = {place}"))).unwrap_err();
        assert_eq!(error.line_and_column().map(|(line, _)| line), Some(9), "{place}: {error}");
        assert!(!error.remedy().is_empty());
        let error = build(&cable("at = \"25 %\"", &format!("at = {place}"))).unwrap_err();
        assert_eq!(error.line_and_column().map(|(line, _)| line), Some(13), "{place}: {error}");
    }
}

#[test]
fn a_name_that_does_not_exist_is_refused_with_the_nearest_one() {
    refused(&cable("on = \"cable\"", "on = \"cabel\""), 8, "cabel", "did you mean `cable`?");
    refused(&cable("of = \"cable\"", "of = \"cabel\""), 12, "cabel", "did you mean `cable`?");
    refused(&cable("do.release = \"left\"", "do.release = \"lift\""), 17, "lift", "did you mean `left`?");
    refused(&cable("at = 1\n", "when = { probe = \"tensoin\", above = 1 }\n"), 16, "tensoin", "did you mean `tension`?");
}

#[test]
fn a_rod_and_a_mass_of_one_name_are_refused() {
    let text = format!("{CABLE}[mass.cable]\nposition = [0, 0, 0]\nmass = 1\n");
    let error = build(&text).unwrap_err();
    assert!(error.to_string().contains("cable"), "{error}");
    assert!(error.line_and_column().is_some_and(|(line, _)| line == 21 || line == 2), "{error}");
}

#[test]
fn a_scene_without_objects_is_refused() {
    let error = build("title = \"nothing\"\n").unwrap_err();
    assert_eq!(error.line_and_column(), Some((1, 1)), "{error}");
    assert!(error.remedy().contains("rod"), "{error}");
    assert!(build("").is_err());
}

#[test]
fn what_is_missing_is_asked_for() {
    refused(&cable("young = \"3 GPa\"\n", ""), 2, "`young` is missing", "give `young`");
    refused(&cable("density = 1200\n", ""), 2, "`density` is missing", "give `density`");
    refused(&cable("at = \"25 %\"\n", ""), 10, "at", "start");
}

#[test]
fn a_quantity_that_a_thing_does_not_have_is_refused() {
    refused(&cable("of = \"cable\"\nat = \"25 %\"", "of = \"world\""), 13, "tension", "energies");
}

#[test]
fn settings_out_of_range_are_refused() {
    refused(&cable("step = 0.01", "step = 0"), 19, "not positive", "greater than 0");
    refused(&cable("step = 0.01", "step = 1e-300"), 19, "steps", "longer step");
    refused(&cable("duration = 2", "duration = -2"), 20, "negative", "0 or a positive");
    refused(&cable("duration = 2", "solves = 0"), 20, "0 solves", "1 to 100");
}

#[test]
fn every_built_in_scene_is_built() {
    for scene in BUILTIN {
        let file = open(scene.name, &[]).unwrap();
        if let Err(error) = Simulation::build(file.scene()) {
            panic!("{}", file.explain(&error).render(false));
        }
    }
}
