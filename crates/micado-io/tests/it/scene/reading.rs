//! Scene files that can't be read: errors have a place, a problem and a remedy.

use super::common::{CABLE, cable, says};
use micado::describe::anchor::At;
use micado::object::rod::Shape;
use micado_io::scene::{BUILTIN, SceneError, open, parse, read, schema};

fn refused(text: &str) -> SceneError {
    refused_with(text, &[])
}

fn refused_with(text: &str, overrides: &[&str]) -> SceneError {
    let overrides: Vec<String> = overrides.iter().map(|&o| o.to_owned()).collect();
    parse("cable.toml", text, &overrides).expect_err("the scene should have been refused")
}

#[test]
fn a_scene_reads_in_si_units_and_file_order() {
    let file = parse("cable.toml", &format!("{CABLE}[rod.second]\n[rod.another]\n"), &[]).unwrap();
    let rod = &file.scene().rod["cable"];
    assert_eq!((rod.radius, rod.young, rod.density), (Some(0.005), Some(3e9), Some(1200.0)));
    assert!(matches!(&rod.shape, Shape::Line(line) if line.to == [1.0, 0.0, 0.0]));
    assert_eq!(file.scene().probe[0].at, Some(At::Share(0.25)));
    assert_eq!(file.scene().rod.keys().collect::<Vec<_>>(), ["cable", "second", "another"]);
    assert_eq!((file.name(), file.short_name()), ("cable.toml", "cable"));
}

#[test]
fn an_unknown_field_gets_a_suggestion() {
    let error = refused(&cable("radius =", "radus ="));
    says(&error, 4, "`radus`", "did you mean `radius`?");
    assert_eq!(error.line_and_column(), Some((4, 1)));
    assert!(error.render(false).contains("─"), "there is a mark under the field");
    says(&refused(&cable("young =", "E =")), 5, "`E`", "did you mean `young`?");
    says(&refused(&cable("[rod.cable]", "[rods.cable]")), 2, "`rods`", "did you mean `rod`?");
    says(&refused(&cable("to = [1", "too = [1")), 3, "`too`", "`to`");
}

#[test]
fn an_unknown_word_gets_a_suggestion() {
    says(
        &refused(&cable("read = \"tension\"", "read = \"tensoin\"")),
        14,
        "`tensoin`",
        "did you mean `tension`?",
    );
    says(&refused(&cable("shape.line", "shape.lime")), 3, "`lime`", "did you mean `line`?");
    says(&refused(&cable("left.position", "left.positon")), 7, "`positon`", "did you mean `position`?");
    says(&refused("[settings]\nmode = \"statics\"\n"), 2, "`statics`", "did you mean `static`?");
    says(
        &refused("[settings]\ngravity.rampe = { to = [0, 0, 1], end = 1 }\n"),
        2,
        "`rampe`",
        "did you mean `ramp`?",
    );
}

#[test]
fn a_value_of_the_wrong_kind_is_shown_with_the_allowed_ones() {
    says(&refused(&cable("density = 1200", "density = true")), 6, "true", "kg/m3");
    says(&refused(&cable("density = 1200", "density = [1]")), 6, "a list", "kg/m3");
    says(&refused(&cable("to = [1, 0, 0]", "to = [1, 0]")), 3, "list of 2", "three numbers");
    says(&refused(&cable("to = [1, 0, 0]", "to = [1, 0, 0, 5]")), 3, "list of 4", "three numbers");
    says(&refused("[settings]\ngravity = [0, 0, -9.81, 0]\n"), 2, "list of 4", "three numbers");
    says(&refused(&cable("to = [1, 0, 0]", "to = [1, 0, 'x']")), 3, "the text \"x\"", "a number");
    says(&refused("[settings]\nsolves = 1.5\n"), 2, "1.5", "\"auto\", or a number from 1 to 100");
    says(&refused("[settings]\nsolves = -1\n"), 2, "-1", "\"auto\", or a number from 1 to 100");
    says(&refused("[settings]\nsolves = 'some'\n"), 2, "some", "\"auto\", or a number from 1 to 100");
    says(&refused("[settings]\ngravity = 'down'\n"), 2, "the text \"down\"", "keyframes, harmonic, ramp");
    says(&refused("title = 5\n"), 1, "5", "a text in quotes");
    says(&refused("rod = 5\n"), 1, "5", "table");
    says(&refused("[rod.a]\nshape = 'line'\n"), 2, "`line` is not enough", "write `shape.line = {");
    says(&refused("[rod.a]\nshape = {}\n"), 2, "no kind", "exactly one");
    says(
        &refused(
            "[rod.a]\nshape.line = { from = [0, 0, 0], to = [1, 0, 0] }\n\
                 shape.ring = { centre = [0, 0, 0], radius = 1 }\n",
        ),
        2,
        "more than one kind",
        "exactly one",
    );
}

#[test]
fn a_unit_of_another_dimension_is_refused_with_the_units_that_fit() {
    says(&refused(&cable("\"5 mm\"", "\"5 kg\"")), 4, "kg", "mm");
    says(&refused(&cable("\"3 GPa\"", "\"3 GHz\"")), 5, "GHz", "GPa");
    says(&refused(&cable("\"25 %\"", "\"25 kg\"")), 13, "25 kg", "\"middle\"");
    says(&refused(&cable("\"5 mm\"", "\"five mm\"")), 4, "five mm", "write for example");
}

#[test]
fn a_missing_field_is_shown_at_its_table() {
    says(&refused(&cable("read = \"tension\"\n", "")), 10, "`read` is missing", "add `read");
    says(&refused(&cable(", to = [1, 0, 0]", "")), 3, "`to` is missing", "add `to");
}

#[test]
fn duplicate_names_are_refused() {
    says(
        &refused(&format!("{CABLE}[rod.cable]\nradius = 1\n")),
        21,
        "`rod.cable` is defined twice",
        "its own name",
    );
    says(&refused(&cable("density = 1200", "radius = 1")), 6, "`radius` is given twice", "remove one");
}

#[test]
fn text_that_is_not_toml_gets_a_hint() {
    says(&refused(&cable("\"5 mm\"", "5 mm")), 4, "not TOML", "quotes");
    says(&refused(&cable("\"25 %\"", "end")), 13, "not TOML", "quotes");
    says(&refused(&cable("[rod.cable]", "[rod.cable")), 2, "not TOML", "[table]");
    says(&refused("a = 99999999999999999999999999999999999999999999\n"), 1, "`a`", "");
    says(
        &refused("[settings]\nstep = 99999999999999999999999999999999999999999999\n"),
        2,
        "too large",
        "64 bits",
    );
    says(&refused("[settings]\nstep = 1e999\n"), 2, "too large", "64 bits");
}

#[test]
fn overrides_replace_add_and_reach_into_lists() {
    let overrides: Vec<String> = [
        "rod.cable.radius=0.01",
        "rod.cable.young=2 GPa",
        "settings.mode=static",
        "settings.step = \"2 ms\"",
        "probe[0].at=end",
        "rod.cable.shape.line.to=[2, 0, 0]",
        "constraint.left.position.target.ramp={to=[0,0,1], end=2}",
    ]
    .map(str::to_owned)
    .to_vec();
    let file = parse("cable.toml", CABLE, &overrides).unwrap();
    let rod = &file.scene().rod["cable"];
    assert_eq!((rod.radius, rod.young), (Some(0.01), Some(2e9)));
    assert_eq!(file.scene().settings.step, 0.002);
    assert_eq!(file.scene().settings.mode, micado::scene::Mode::Static);
    assert_eq!(file.scene().probe[0].at, Some(At::END));
    assert!(matches!(&rod.shape, Shape::Line(line) if line.to == [2.0, 0.0, 0.0]));
}

#[test]
fn an_override_that_does_not_fit_is_shown() {
    for (argument, problem, remedy) in [
        ("rod.cabel.radius=0.01", "no rod called `cabel`", "did you mean `cable`?"),
        ("mass.cable.radius=0.01", "no mass called `cable`", "no mass at all"),
        ("rod.cable.radus=0.01", "`radus`", "did you mean `radius`?"),
        ("rod.cable.radius=5 kg", "kg", "mm"),
        ("rod.cable.radius", "path=value", "rod.cable.radius=0.01"),
        ("=3", "path=value", "rod.cable.radius=0.01"),
        ("rod..radius=3", "empty part", "for example"),
        ("rod.cable.shape.line.to=[1, 2", "can't be read", "scene file"),
        ("rod.cable.radius=", "can't be read", "scene file"),
        ("probe[3].at=end", "a list of 1", "probe[0]"),
        ("probe.at=end", "a list of 1", "probe[0]"),
        ("setings.step=1", "`setings`", "did you mean `settings`?"),
    ] {
        let error = refused_with(CABLE, &["title=x", argument]);
        assert_eq!(error.source_name(), Some("--set"), "{error}");
        assert!(error.problem().contains(problem), "{argument}: {error}");
        assert!(error.remedy().contains(remedy), "{argument}: {error}");
        assert!(error.render(false).contains(argument), "{argument}: the override is shown");
    }
}

#[test]
fn errors_of_the_engine_are_shown_in_the_file() {
    use micado::error::{BuildError, BuildErrorKind};
    let file = parse("cable.toml", CABLE, &["probe[0].of=cabel".to_owned()]).unwrap();
    says(
        &file.explain(&BuildError::new("rod.cable.radius", "-1 is not positive", "give more")),
        4,
        "-1",
        "give more",
    );
    says(
        &file.explain(&BuildError::new("rod.cable.poisson", "is missing", "give it")),
        2,
        "missing",
        "give it",
    );
    says(
        &file.explain(&BuildError::new("constraint.left.position.at", "outside", "give less")),
        9,
        "outside",
        "give less",
    );
    says(&file.explain(&BuildError::new("", "nothing to simulate", "add a rod")), 1, "nothing", "add a rod");
    let unknown = |name: &str| BuildError::unknown_name("probe[0].of", "rod", name, "give a name");
    let error = file.explain(&unknown("cabel"));
    assert_eq!(error.source_name(), Some("--set"));
    assert_eq!(error.remedy(), "did you mean `cable`? give a name");
    // Only unknown names get a suggestion.
    let other = BuildError { kind: BuildErrorKind::Invalid, ..unknown("cabel") };
    assert_eq!(file.explain(&other).remedy(), "give a name");
}

#[test]
fn a_name_that_is_neither_scene_nor_file_gets_a_suggestion() {
    let error = open("hanging-cabel", &[]).unwrap_err();
    assert!(error.remedy().contains("did you mean `hanging-cable`?"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("bridge.toml"), CABLE).unwrap();
    let typed = folder.path().join("brige.toml");
    let error = open(typed.to_str().unwrap(), &[]).unwrap_err();
    assert!(error.remedy().contains("bridge.toml"), "{error}");
    assert!(open(folder.path().to_str().unwrap(), &[]).unwrap_err().problem().contains("is a folder"));
    assert!(open("", &[]).is_err());
}

#[test]
fn a_file_that_is_not_text_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("latin.toml");
    std::fs::write(&path, b"title = 'a'\n# caf\xe9\n").unwrap();
    let error = read(&path, &[]).unwrap_err();
    assert!(error.problem().contains("UTF-8") && error.problem().contains("line 2"), "{error}");
}

#[test]
fn every_built_in_scene_reads_and_has_a_title() {
    for scene in BUILTIN {
        let file = open(scene.name, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert!(!file.scene().title.is_empty(), "{} has no title", scene.name);
        assert!(!file.scene().probe.is_empty(), "{} measures nothing", scene.name);
    }
}

#[test]
fn a_scene_survives_being_written_and_read_again() {
    for scene in BUILTIN {
        let file = open(scene.name, &[]).unwrap();
        let json = serde_json::to_string(file.scene()).unwrap();
        let again: micado::scene::Scene =
            serde_json::from_str(&json).unwrap_or_else(|error| panic!("{}: {error}", scene.name));
        assert_eq!(file.scene(), &again);
    }
}

#[test]
fn the_schema_names_the_fields_of_a_rod() {
    let text = serde_json::to_string(&schema()).unwrap();
    for word in ["RodDescription", "young", "keyframes", "hanging", "tension"] {
        assert_eq!(text.contains(word), word != "hanging", "{word}");
    }
}

#[test]
fn the_schema_knows_what_numbers_may_be() {
    let schema = serde_json::to_value(micado_io::scene::schema()).unwrap();
    let field = |kind: &str, field: &str| schema["$defs"][kind]["properties"][field].clone();
    for (kind, name) in [
        ("Settings", "step"),
        ("RodDescription", "radius"),
        ("RodDescription", "young"),
        ("MassDescription", "mass"),
    ] {
        assert_eq!(field(kind, name)["exclusiveMinimum"], 0, "{kind}.{name}: {}", field(kind, name));
    }
    for (kind, name) in [
        ("Settings", "duration"),
        ("Action", "at"),
        ("Clip", "width"),
        ("Drag", "coefficient"),
        ("Damping", "internal"),
    ] {
        assert_eq!(field(kind, name)["minimum"], 0, "{kind}.{name}: {}", field(kind, name));
    }
    let number = &schema["$defs"]["Solves"]["anyOf"][1];
    assert_eq!((&number["minimum"], &number["maximum"]), (&1.into(), &100.into()));
}
