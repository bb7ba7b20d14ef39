//! Invalid scenes are refused at their place: errors of the engine have file, line and remedy.

use super::common::{CABLE, build, build_file, cable, says};
use micado_io::scene::{BUILTIN, open, parse};

/// Checks that a scene is refused at a line, with words of the problem and of the remedy.
#[track_caller]
fn refused(text: &str, line: usize, problem: &str, remedy: &str) {
    says(&build(text).expect_err("the scene should have been refused"), line, problem, remedy);
}

#[test]
fn the_unchanged_cable_is_valid() {
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
    refused(
        &cable("at = 1\n", "when = { probe = \"tensoin\", above = 1 }\n"),
        16,
        "tensoin",
        "did you mean `tension`?",
    );
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
fn a_missing_value_is_requested() {
    refused(&cable("young = \"3 GPa\"\n", ""), 2, "`young` is missing", "give `young`");
    refused(&cable("density = 1200\n", ""), 2, "`density` is missing", "give `density`");
    refused(&cable("at = \"25 %\"\n", ""), 10, "at", "start");
}

#[test]
fn a_quantity_that_does_not_exist_for_an_object_is_refused() {
    refused(&cable("of = \"cable\"\nat = \"25 %\"", "of = \"world\""), 13, "tension", "energies");
}

#[test]
fn settings_out_of_range_are_refused() {
    refused(&cable("step = 0.01", "step = 0"), 19, "not positive", "greater than 0");
    refused(&cable("step = 0.01", "step = 1e-300"), 19, "steps", "longer step");
    refused(&cable("duration = 2", "duration = -2"), 20, "negative", "0 or a positive");
    refused(&cable("duration = 2", "solves = 0"), 20, "0 can't stand here", "1 to 100");
}

#[test]
fn every_built_in_scene_is_built() {
    for scene in BUILTIN {
        let file = open(scene.name, &[]).unwrap();
        if let Err(error) = build_file(&file) {
            panic!("{}", error.render(false));
        }
    }
}

#[test]
fn angles_and_lengths_have_units_in_time_functions_too() {
    let roll =
        |angle: &str| format!("{CABLE}[constraint.roll.roll]\non = \"cable\"\nat = \"start\"\n{angle}\n");
    for (with_unit, plain) in [
        ("angle = '180 deg'", std::f64::consts::PI),
        ("angle.ramp = { to = '0.5 turn', end = '200 ms' }", std::f64::consts::PI),
        (
            "angle.harmonic = { mean = '90 deg', amplitude = 0, frequency = 1, phase = '90 deg' }",
            std::f64::consts::FRAC_PI_2,
        ),
        ("angle.keyframes = { times = [0, 1], values = [0, '90 deg'] }", std::f64::consts::FRAC_PI_2),
    ] {
        let file = parse("cable.toml", &roll(with_unit), &[]).unwrap_or_else(|error| panic!("{error}"));
        let micado::constraint::ConstraintDescription::Roll(roll) = &file.scene().constraint["roll"] else {
            panic!("a roll")
        };
        assert!((roll.angle.at(5.0) - plain).abs() < 1e-15, "{with_unit}");
    }
    refused(&roll("angle.ramp = { to = '90 mm', end = 1 }"), 24, "mm", "deg");
    refused(&roll("angle = 'half'"), 24, "half", "write for example");
    refused(&roll("angle = true"), 24, "true", "90 deg");
    let text = format!(
        "{CABLE}[constraint.leash.distance]\non = \"cable\"\nat = \"end\"\ncentre = [0, 0, 1]\n\
         distance.ramp = {{ from = '50 cm', to = '1 m', end = 1 }}\n"
    );
    assert!(build(&text).is_ok());
}

#[test]
fn a_word_with_a_value_is_shown_without_it() {
    refused(&cable("do.release = \"left\"", "do.stop = true"), 17, "`stop` takes no value", "do = \"stop\"");
    refused(&cable("do.release = \"left\"", "do.add-rod = true"), 17, "true", "table");
}

#[test]
fn a_number_of_segments_out_of_range_is_refused() {
    for (given, problem) in
        [("-3", "-3"), ("2.5", "2.5"), ("0", "0 segments"), ("20_000_000", "20000000 segments")]
    {
        refused(&cable("density = 1200", &format!("density = 1200\nsegments = {given}")), 7, problem, "give");
    }
    let huge = "9".repeat(23);
    refused(
        &cable("density = 1200", &format!("density = 1200\nsegments = {huge}")),
        7,
        &format!("{huge} can't"),
        "whole number",
    );
    refused(
        &cable("density = 1200", "density = 1200\nsegments = 4_000_001"),
        7,
        "4000001",
        "between 2 and 4000000",
    );
}

#[test]
fn empty_keyframes_are_refused() {
    let text = format!(
        "{CABLE}[load.pull.force]\non = \"cable\"\nat = \"end\"\n\
         force.keyframes = {{ times = [], values = [] }}\n"
    );
    refused(&text, 24, "no keyframes", "at least one");
}

#[test]
fn moduli_that_contradict_each_other_are_refused() {
    let with =
        |shear: &str| cable("density = 1200", &format!("density = 1200\npoisson = 0.5\nshear = \"{shear}\""));
    refused(&with("2 GPa"), 8, "not the shear modulus", "not both");
    assert!(build(&with("1 GPa")).is_ok(), "E / 2 (1 + ν) = 3 GPa / 3");
}

#[test]
fn a_component_of_a_number_is_refused() {
    refused(
        &cable("read = \"tension\"", "read = \"tension\"\ncomponent = \"x\""),
        15,
        "one number",
        "remove `component`",
    );
    assert!(build(&cable("read = \"tension\"", "read = \"position\"\ncomponent = \"x\"")).is_ok());
}

#[test]
fn a_probe_that_cannot_be_a_column_is_refused() {
    for name in ["\"a\\nb\"", "\"a,b\"", "'a\"b'", "\"a;b\"", "\"a\\tb\"", "\" a\""] {
        refused(&cable("name = \"tension\"", &format!("name = {name}")), 11, "name of a column", "leave out");
    }
    refused(&cable("name = \"tension\"", "name = \"\""), 11, "without a name", "give it a name");
    refused(&cable("name = \"tension\"", "name = \"time\""), 11, "first column", "another name");
}

#[test]
fn a_name_used_twice_is_refused() {
    refused(
        &format!("{CABLE}[constraint.left.roll]\non = \"cable\"\nat = \"end\"\n"),
        7,
        "more than one constraint is called `left`",
        "its own name",
    );
    let load = "[load.left.force]\non = \"cable\"\nat = \"end\"\nforce = [0, 0, 1]\n";
    refused(&format!("{CABLE}{load}"), 21, "a constraint and a load are both called `left`", "its own name");
    let spring = "[spring.cable.linear]\nfrom.rod = { on = \"cable\", at = \"end\" }\n\
                  to.point = [0, 0, 1]\nstiffness = 1\n";
    refused(&format!("{CABLE}{spring}"), 21, "a rod and a spring are both called `cable`", "its own name");
    refused(&format!("{CABLE}[mass.world]\nposition = [0, 0, 0]\nmass = 1\n"), 21, "`world`", "another name");
    let add =
        "do.add-load = { name = \"left\", to.force = { on = \"cable\", at = \"end\", force = [0, 0, 1] } }";
    refused(&cable("do.release = \"left\"", add), 17, "already a constraint called `left`", "another name");
}

#[test]
fn an_action_after_the_end_gets_a_remark() {
    let remarks =
        |text: &str| parse("cable.toml", text, &[]).unwrap_or_else(|error| panic!("{error}")).remarks();
    assert!(remarks(CABLE).is_empty());
    // The last actions are applied at the end of the last step.
    for last in ["1.99", "1.995", "2"] {
        assert!(remarks(&cable("at = 1\n", &format!("at = {last}\n"))).is_empty());
    }
    for late in ["2.005", "3.5"] {
        let said = remarks(&cable("at = 1\n", &format!("at = {late}\n")));
        assert!(said.len() == 1 && said[0].contains("release") && said[0].contains(late), "{said:?}");
    }
}

/// The cable with its action replaced.
fn acting(action: &str) -> String {
    cable("at = 1\ndo.release = \"left\"", action)
}

#[test]
fn actions_are_checked_before_the_run() {
    let cut = |cut: &str| acting(&format!("at = 1\ndo.cut = {{ {cut} }}"));
    assert!(build(&cut("rod = \"cable\", at = 0.5, second = \"tail\"")).is_ok());
    refused(&cut("rod = \"cable\", at = 3, second = \"tail\""), 17, "3", "between 0 and 1");
    refused(&cut("rod = \"cable\", at = 0.01, second = \"tail\""), 17, "too close to an end", "cut between");
    refused(&cut("rod = \"cable\", at = 0.5, second = \"\""), 17, "without a name", "give it a name");
    refused(&cut("rod = \"cable\", at = 0.5"), 17, "no name", "give `second`");
    refused(&cut("rod = \"cabel\", at = 0.5, second = \"tail\""), 17, "cabel", "did you mean `cable`?");
    let path = |text: &str| build(text).expect_err("refused").path().to_owned();
    assert_eq!(path(&cut("rod = \"cable\", at = 0.5, second = \"left\"")), "action[0].do.cut.second");
    assert_eq!(path(&cut("rod = \"cable\", at = 3, second = \"tail\"")), "action[0].do.cut.at");
    assert_eq!(path(&cut("rod = \"cabel\", at = 3, second = \"tail\"")), "action[0].do.cut.rod");

    let add =
        |kind: &str, what: &str| acting(&format!("at = 1\ndo.add-{kind} = {{ name = \"new\", to.{what} }}"));
    refused(
        &add("load", "force = { on = \"cabel\", at = \"end\", force = [0, 0, 1] }"),
        17,
        "cabel",
        "did you mean `cable`?",
    );
    refused(&add("load", "force = { on = \"cable\", at = 1.5, force = [0, 0, 1] }"), 17, "1.5", "");
    refused(&add("constraint", "position = { on = \"cable\", at = \"120 %\" }"), 17, "120", "");
    refused(
        &add("constraint", "keyhole = { on = \"cable\", at = 0.5, friction = -1 }"),
        17,
        "-1 is negative",
        "0 or a positive",
    );
    refused(
        &add(
            "spring",
            "linear = { from.rod = { on = \"cable\", at = 2 }, to.point = [0, 0, 0], stiffness = 1 }",
        ),
        17,
        "2",
        "",
    );
    refused(&acting("at = 1\ndo.open-clip = \"left\""), 17, "no clip", "name a clip");
    refused(&acting("at = -1\ndo.release = \"left\""), 16, "-1 is negative", "0 or a positive");
    // Objects that another action adds, cuts or lengthens are not checked.
    let later = "at = 1\ndo.cut = { rod = \"cable\", at = 0.5, second = \"tail\" }\n\
                 [[action]]\nat = 1.5\ndo.cut = { rod = \"tail\", at = 0.2, second = \"tip\" }";
    assert!(build(&acting(later)).is_ok());
    // Only the run can check whether ends meet.
    let splice = "at = 1\ndo.splice = { first = \"cable\", second = \"other\" }";
    let other = "[rod.other]\nshape.line = { from = [5, 0, 0], to = [6, 0, 0] }\nradius = \"5 mm\"\n\
                 young = \"3 GPa\"\ndensity = 1200\n";
    assert!(build(&format!("{}{other}", acting(splice))).is_ok());
    let negative = acting(&splice.replace(" }", ", tolerance = -1 }"));
    refused(&format!("{negative}{other}"), 17, "-1 is negative", "0 or a positive");
    // So are a radius that is not given, the knots of a rod, and its direction as the axis of a clip.
    let circle = |more: &str| {
        let circle = "on = \"cable\", at = 0.5, centre = [0.5, 0, 0], normal = [0, 0, 1]";
        add("constraint", &format!("circle = {{ {circle}{more} }}"))
    };
    assert!(build(&circle("")).is_ok());
    refused(&circle(", radius = 0"), 17, "0 m", "greater than 0");
    assert!(build(&acting("at = 1\ndo.refine = { rod = \"cable\", at = [0.5] }")).is_ok());
    refused(&acting("at = 1\ndo.refine = { rod = \"cable\", at = [3] }"), 17, "3", "between 0 and 1");
    let clip = |words: &str| add("constraint", &format!("clip = {{ on = \"cable\", at = 0.5, {words} }}"));
    assert!(build(&clip("opening = [1, 0, 0]")).is_ok());
    refused(&clip("opening = [0, 0, 0]"), 17, "length zero", "not [0, 0, 0]");
    refused(&clip("direction = [1, 0, 0], opening = [1, 0, 0]"), 17, "along the axis", "across");
}

#[test]
fn invalid_clips_eyes_and_pearls_are_refused() {
    let with = |words: &str| format!("{CABLE}{words}\n");
    let clip = |fields: &str| with(&format!("[constraint.clip.clip]\ntarget = [0, 0, 1]\n{fields}"));
    assert!(build(&clip("on = [\"cable\"]")).is_ok());
    refused(&clip("on = \"cable\"\ncapture_angle = \"400 deg\""), 24, "400", "0 to 90 deg");
    refused(&clip("on = [\"cable\", \"cabel\"]"), 23, "cabel", "did you mean `cable`?");
    refused(&clip("on = [\"cable\", \"cable\"]"), 23, "twice", "once");
    refused(&clip("on = []"), 23, "no rod", "name a rod");
    refused(&clip("on = 3"), 23, "3", "list of names");
    let to = |kind: &str| {
        with(&format!(
            "[constraint.own.{kind}]\non = \"cable\"\nat = 0.3\nto = {{ on = \"cable\", at = 0.3 }}"
        ))
    };
    for kind in ["clip", "keyhole", "fusion"] {
        refused(&to(kind), 24, "the same place", "another place");
    }
    refused(
        &with("[constraint.own.clip]\non = \"cable\"\nto = { on = \"cable\", at = 0.3 }"),
        23,
        "to which it is fixed",
        "other rods",
    );
    refused(
        &with("[constraint.bead.pearl]\non = \"cable\"\nat = 0.3\nmass = 1\nradius = 10"),
        25,
        "20 m across",
        "half the length",
    );
    let pearl = "[constraint.pearl.pearl]\non = \"cable\"\nat = 0.3\nmass = 1\n\
                 [[probe]]\nname = \"push\"\nof = \"pearl\"\nread = \"torque\"";
    refused(&with(pearl), 28, "has no \"torque\"", "velocity of a pearl");
}

#[test]
fn a_clamp_rotated_by_more_than_half_a_turn_at_the_start_is_refused() {
    let clamp =
        |roll: &str| format!("{CABLE}[constraint.right.clamp]\non = \"cable\"\nat = \"end\"\n{roll}\n");
    refused(&clamp("roll = \"2 turn\""), 24, "2.0000 turns", "ramp");
    refused(&clamp("rotation = [0, 4, 0]"), 24, "turns", "ramp");
    assert!(build(&clamp("roll = \"170 deg\"")).is_ok());
    assert!(build(&clamp("roll.ramp = { to = \"5 turn\", end = 2 }")).is_ok());
}

#[test]
fn two_time_functions_at_once_are_refused() {
    let text = format!(
        "{CABLE}[load.pull.force]\non = \"cable\"\nat = \"end\"\n\
         force.keyframes = {{ times = [0], values = [[0, 0, 1]] }}\n"
    );
    assert!(build(&text).is_ok());
    let set = ["load.pull.force.force.harmonic={ amplitude = [0, 0, 1], frequency = 1 }".to_owned()];
    let error = parse("cable.toml", &text, &set).unwrap_err();
    assert!(error.problem().contains("harmonic") && error.remedy().contains("one of them"), "{error}");
}

#[test]
fn absurd_numbers_are_called_absurd() {
    refused(&cable("density = 1200", "density = 1e308"), 6, "1e308 is too large", "at most 1e30");
    refused(
        &cable("\"3 GPa\"", "1e29").replace("\"5 mm\"", "1e9"),
        2,
        "the EA of this rod",
        "ordinary sizes",
    );
    refused(&cable("to = [1, 0, 0]", "to = [1e200, 0, 0]"), 3, "1e200 is too large", "SI units");
    refused(&cable("to = [1, 0, 0]", "to = [1e20, 0, 0]"), 3, "a curve of 1e20 m", "at most 1e15 m");
    refused(&cable("step = 0.01", "gravity = [0, 0, -1e100]"), 19, "no step can follow", "at most 1e15");
    let load = "[load.pull.force]\non = \"cable\"\nat = \"end\"\nforce = [0, 0, 1e100]\n";
    refused(&format!("{CABLE}{load}"), 24, "1e100", "SI units");
}

#[test]
fn names_lists_and_kinds_that_are_empty_are_refused() {
    let nameless = CABLE.replace("[rod.cable]", "[rod.\"\"]").replace("\"cable\"", "\"\"");
    refused(&nameless, 2, "a rod without a name", "give it a name");
    for list in ["knots_at", "bends_at"] {
        let text = cable("density = 1200", &format!("density = 1200\n{list} = []"));
        refused(&text, 7, "without a place", "leave it out");
    }
    refused(
        &format!("{CABLE}[constraint]\na = [0, 1, 1]\n"),
        22,
        "no kind is given",
        "[constraint.left.position]",
    );
    let closed = "shape.points = { through = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 0, 0]], closed = true }";
    let text = cable("shape.line = { from = [0, 0, 0], to = [1, 0, 0] }", closed);
    refused(&text, 3, "its first one", "leave the last point out");
}

#[test]
fn a_file_of_bytes_is_neither_scene_nor_recording() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("junk");
    std::fs::write(&path, [0xff, 0x00, 0x80, 0x12, 0x00]).expect("a file");
    let error = micado_io::scene::read(&path, &[]).expect_err("it should be refused");
    assert!(error.problem().contains("neither a scene") && error.remedy().contains(".toml"), "{error}");
}

/// A scene with contact: lines 1 to 8 are objects and settings, the contact begins at line 9.
fn touching(contact: &str) -> String {
    format!(
        "floor = true\n[body.cube]\nshape.box.size = [0.1, 0.1, 0.1]\ndensity = 500\n[mass.ball]\n\
         position = [1, 0, 1]\nmass = 1\n[settings]\n{contact}"
    )
}

#[test]
fn a_scene_with_contact_is_valid() {
    let all = "step = 0.01\n[contact]\nfriction = { along = 0.1, across = 0.4 }\nrestitution = 1\n\
               radius.ball = \"5 mm\"\ngroups.all_of_them = [\"cube\", \"ball\"]\n[[contact.pairs]]\n\
               between = [\"all_of_them\", \"floor\"]\ntouch = false\n[[contact.pairs]]\n\
               between = [\"all\", \"ball\"]\nfriction = 0\n";
    if let Err(error) = build(&touching(all)) {
        panic!("{error}");
    }
}

#[test]
fn names_in_contact_that_do_not_exist_are_refused() {
    let contact = |line: &str| touching(&format!("[contact]\n{line}"));
    refused(&contact("radius.bal = 0.1"), 10, "bal", "did you mean `ball`?");
    refused(&contact("groups.g = [\"cube\", \"cub\"]"), 10, "cub", "did you mean `cube`?");
    let pair = |names: &str| contact(&format!("[[contact.pairs]]\nbetween = {names}"));
    refused(&pair("[\"all\", \"flor\"]"), 11, "flor", "did you mean `floor`?");
    refused(&pair("[\"all\"]"), 11, "a list of 1", "length 2");
    refused(&pair("[\"cube\", \"ball\", \"floor\"]"), 11, "a list of 3", "length 2");
    // Groups list objects, neither groups nor `all`, so that they can't lead back to themselves.
    for list in ["groups.g = [\"g\"]", "groups.g = [\"h\"]\ngroups.h = [\"g\"]", "groups.g = [\"all\"]"] {
        refused(&contact(list), 10, "there is no object called", "a group lists objects");
    }
    refused(&contact("groups.cube = [\"ball\"]"), 10, "the name of an object already", "another name");
    refused(&contact("groups.all = [\"ball\"]"), 10, "the name of every object already", "another name");
}

#[test]
fn numbers_in_contact_out_of_range_are_refused() {
    let contact = |line: &str| touching(&format!("[contact]\n{line}"));
    refused(&contact("friction = -0.3"), 10, "-0.3 is negative", "0 or a positive");
    refused(&contact("friction = { along = 0.1, across = -1 }"), 10, "-1 is negative", "0 or a positive");
    refused(&contact("friction = nan"), 10, "NaN", "finite");
    refused(&contact("friction = inf"), 10, "inf", "finite");
    refused(&contact("friction = 1e9"), 10, "friction of 1000000000 is too large", "at most 1e6");
    refused(&contact("restitution = nan"), 10, "NaN is no coefficient", "0 to 1");
    refused(&contact("radius.ball = inf"), 10, "inf", "finite");
    refused(&contact("radius.ball = \"5 kg\""), 10, "\"kg\" is not a unit", "mm");
    refused(&contact("friction = \"rough\""), 10, "\"rough\"", "a coefficient of friction such as 0.3");
    refused(&contact("friction = { along = 0.1 }"), 10, "`across` is missing", "add `across = …`");
    refused(&contact("restitution = 1.5"), 10, "1.5 is no coefficient of restitution", "0 to 1");
    refused(&contact("restitution = -0.5"), 10, "-0.5 is no coefficient of restitution", "0 to 1");
    refused(&contact("radius.ball = 0"), 10, "0 is not positive", "greater than 0");
    let pair = |line: &str| contact(&format!("[[contact.pairs]]\nbetween = [\"all\", \"all\"]\n{line}"));
    refused(&pair("restitution = 2"), 12, "2 is no coefficient of restitution", "0 to 1");
    refused(&pair("friction = -1"), 12, "-1 is negative", "0 or a positive");
}

#[test]
fn a_body_touches_with_its_shape_and_has_no_radius() {
    refused(&touching("[contact]\nradius.cube = 0.1"), 10, "`cube` is a body", "change its shape");
}

#[test]
fn an_object_with_the_name_of_the_floor_is_refused() {
    let text = touching("").replace("mass.ball", "mass.floor");
    refused(&text, 1, "an object with the name `floor`", "rename the object");
    refused(&touching("").replace("floor = true", "floor = inf"), 1, "inf", "finite");
    refused(&touching("").replace("floor = true", "floor = \"low\""), 1, "\"low\"", "height of the floor");
}

/// The remedy names the field that is there.
#[test]
fn contact_is_refused_where_nothing_finds_it() {
    for (setting, what, instead) in [
        ("mode = \"static\"", "equilibria", "use mode = \"dynamic\""),
        ("mode = \"quasi-dynamic\"", "quasi-dynamic steps", "use mode = \"dynamic\""),
        ("settle = true", "`settle`", "remove `settle`"),
    ] {
        let text = touching(&format!("{setting}\n[contact]\nfriction = 0.1\n"));
        refused(&text, 10, what, &format!("remove `contact`, or {instead}"));
        refused(&touching(setting), 1, what, &format!("remove `floor`, or {instead}"));
    }
    // Bodies can't be stepped explicitly anyhow.
    let rod = cable("step = 0.01", "integrator = \"explicit\"")
        .replace("[rod.cable]", "[rod.cable]\nmodel = \"discrete-elastic\"\ninextensible = true");
    assert!(build(&rod).is_ok());
    refused(
        &format!("floor = true\n{rod}"),
        1,
        "explicit steps",
        "remove `floor`, or use another integrator",
    );
}

#[test]
fn probes_of_contacts_are_checked() {
    let probe = |of: &str, lines: &str| {
        let head = "step = 0.01\n[[probe]]\nname = \"p\"\n";
        touching(&format!("{head}of = \"{of}\"\nread = {lines}\n"))
    };
    let valid = probe("cube", "\"contact-force\"\nwith = \"floor\"\ncomponent = \"z\"");
    if let Err(error) = build(&valid) {
        panic!("{error}");
    }
    refused(&probe("cube", "\"contacts\"\nwith = \"flor\""), 14, "flor", "did you mean `floor`?");
    refused(
        &probe("cube", "\"position\"\nwith = \"floor\""),
        14,
        "not a quantity of two objects",
        "remove `with`",
    );
    refused(&probe("cube", "\"contacts\"\ncomponent = \"z\""), 14, "one number", "remove `component`");
    refused(&probe("ball", "\"spin\""), 13, "a mass has no", "contact-force");
    refused(&valid.replace("floor = true\n", "\n"), 13, "nothing touches", "add [contact] or `floor = true`");
}

#[test]
fn a_floor_is_true_or_a_height() {
    for floor in ["nan", "inf", "-inf", "1e300", "'deep'", "[0]", "{ height = 1 }"] {
        let text = format!("floor = {floor}\n[mass.ball]\nposition = [1, 0, 1]\nmass = 1\n");
        let (problem, remedy) = match floor {
            "nan" | "inf" | "-inf" => ("finite", "give a finite number"),
            "1e300" => ("too large", "at most 1e30"),
            _ => ("can't stand here", "true, or the height of the floor"),
        };
        refused(&text, 1, problem, remedy);
    }
    let taken = "floor = true\n[mass.floor]\nposition = [1, 0, 1]\nmass = 1\n";
    refused(taken, 1, "an object with the name `floor`", "rename");
}
