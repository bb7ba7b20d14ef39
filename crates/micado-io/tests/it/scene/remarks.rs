//! Remarks about valid scenes, and probes of constraints that change.

use super::common::{CABLE, build, build_file, cable};
use micado::clock::NoClock;
use micado_io::scene::{parse, trial};

/// All remarks about a scene, those of its text and those of its start.
fn remarks(text: &str) -> Vec<String> {
    let file = parse("cable.toml", text, &[]).expect("a scene");
    let simulation = build_file(&file).expect("a valid scene");
    file.remarks().into_iter().chain(simulation.remarks().iter().map(ToString::to_string)).collect()
}

#[track_caller]
fn remarked(text: &str, words: &[&str]) {
    let all = remarks(text);
    assert_eq!(all.len(), 1, "{all:?}");
    assert!(words.iter().all(|word| all[0].contains(word)), "{all:?}");
}

#[test]
fn a_cable_as_it_should_be_has_no_remarks() {
    assert_eq!(remarks(CABLE), Vec::<String>::new());
}

#[test]
fn time_functions_that_a_step_cannot_see_are_remarked() {
    let load =
        |force: &str| format!("{CABLE}[load.pull.force]\non = \"cable\"\nat = \"end\"\nforce.{force}\n");
    let harmonic = |f: f64| load(&format!("harmonic = {{ amplitude = [0, 0, 1], frequency = {f} }}"));
    // Steps of 0.01 s: 12.5 Hz has eight of them in a period, 25 Hz four, which miss 1 − cos 45° of a peak.
    assert!(remarks(&harmonic(12.5)).is_empty());
    remarked(&harmonic(25.0), &["load.pull.force.force", "25 Hz", "4 steps", "29 %"]);
    remarked(&harmonic(60.0), &["not seen"]);
    let keys = |t: f64| {
        load(&format!("keyframes = {{ times = [0, 1, {t}], values = [[0, 0, 0], [0, 0, 1], [0, 0, 0]] }}"))
    };
    assert!(remarks(&keys(1.01)).is_empty());
    remarked(&keys(1.004), &["load.pull.force.force", "1 s and 1.004 s"]);
}

#[test]
fn a_shape_too_fine_for_its_segments_is_remarked_with_what_it_loses() {
    let helix = |segments: usize| {
        cable(
            "shape.line = { from = [0, 0, 0], to = [1, 0, 0] }",
            &format!(
                "segments = {segments}\n\
                 shape.helix = {{ centre = [0, 0, 0], radius = 0.05, pitch = 0.1, turns = 6 }}"
            ),
        )
    };
    remarked(&helix(12), &["12 segments of the rod `cable`", "m long instead of 1.978"]);
    assert!(remarks(&helix(96)).is_empty());
    // A route with a bend of radius 2 cm between two straight runs, in nine segments.
    let bend = "shape.points.through = [[0, 0, 0], [0.24, 0, 0], [0.46, 0, 0], [0.48, 0, 0], \
                [0.4941421356, 0.0058578644, 0], [0.5, 0.02, 0], [0.5, 0.04, 0], \
                [0.5, 0.26, 0], [0.5, 0.5, 0]]\nsegments = 9";
    let text = cable("shape.line = { from = [0, 0, 0], to = [1, 0, 0] }", bend);
    remarked(&text, &["its least bend radius is 0.07", "instead of 0.02 m"]);
    let stretch = |to: &str| {
        cable(
            "density = 1200",
            &format!("density = 1200\nstretches = [{{ from = 0.5, to = {to}, young = 1e10 }}]"),
        )
    };
    assert!(remarks(&stretch("0.57")).is_empty());
    remarked(&stretch("0.51"), &["stretches[0]", "`cable`", "0.01 m", "0.0625 m"]);
}

#[test]
fn settings_without_effect_are_remarked() {
    remarked(
        &cable("radius = \"5 mm\"", "radius = \"5 mm\"\nrefinement.most = 40"),
        &["rod.cable.refinement"],
    );
    let long = cable("step = 0.01", "step = 3");
    remarked(&long, &["longer than the duration of 2 s", "ends at 3 s"]);
}

#[test]
fn a_static_scene_with_a_free_mass_is_refused() {
    let scene = |settings: &str| {
        let text = format!("[settings]\n{settings}\n[mass.ball]\nposition = [0, 0, 1]\nmass = 1\n");
        parse("ball.toml", &text, &[]).expect("a scene")
    };
    let error = trial(scene("mode = \"static\"").scene()).expect("it has no equilibrium");
    assert!(error.path == "mass.ball" && error.problem.contains("nothing holds `ball`"), "{error}");
    assert!(trial(scene("settle = true").scene()).is_some());
    assert_eq!(trial(scene("mode = \"dynamic\"").scene()), None);
    assert_eq!(trial(scene("mode = \"static\"\ngravity = [0, 0, 0]").scene()), None);
}

#[test]
fn the_tension_of_a_string_is_its_force() {
    let text = |limit: &str, z: f64| {
        format!(
            "[settings]\nmode = \"static\"\n[mass.m]\nposition = [0.1, 0, {z}]\nmass = 1\n\
             [constraint.link.distance]\non = \"m\"\ncentre = [0, 0, 0]\ndistance = 0.5\n\
             limit = \"{limit}\"\n\
             [[probe]]\nname = \"tension\"\nof = \"link\"\nread = \"tension\"\n"
        )
    };
    // From a slack start, too: the mass hangs 0.5 m below the centre.
    for (limit, z) in [("at-most", -0.3), ("at-most", -0.5), ("equal", -0.5)] {
        let mut simulation = build(&text(limit, z)).expect("a scene");
        assert!(simulation.step(&NoClock).converged);
        // It pulls with the weight.
        assert!(
            (simulation.probe_values()[0] - 9.81).abs() < 1e-6,
            "{limit}: {:?}",
            simulation.probe_values()
        );
    }
    // A slack string reads 0, not −0.
    let slack = text("at-most", -0.3).replace("mode = \"static\"", "gravity = [0, 0, 0]");
    let mut simulation = build(&slack).expect("a scene");
    simulation.step(&NoClock);
    assert_eq!(simulation.probe_values()[0].to_bits(), 0.0_f64.to_bits());
}

#[test]
fn a_route_through_uneven_points_is_as_long_as_it_is_drawn() {
    let route = "shape.points.through = [[0, 0, 0], [0.25, 0, 0], [0.5, 0, 0], [0.51, 0, 0], \
                 [0.52, 0.002, 0], [0.53, 0.006, 0], \
                 [0.54, 0.012, 0]]\nsegments = 200\nnatural = \"as-shaped\"";
    let text = cable("shape.line = { from = [0, 0, 0], to = [1, 0, 0] }", route);
    let simulation = build(&text).expect("a scene");
    let length = simulation.world().structure().objects[0].rod().expect("a rod").length();
    // The polygon has 0.5426 m.
    assert!(length > 0.5426 && length < 0.5428, "{length}");
    // It nowhere folds back on itself: the route leads to larger x throughout.
    let world = simulation.world();
    let sections = world.sections(&world.structure().objects[0], 500).expect("a rod");
    assert!(sections.iter().all(|section| section.tangent.x > 0.5), "it folds back");
}

#[test]
fn a_probe_of_what_a_constraint_becomes_is_empty_until_then() {
    let text = |read: &str| {
        let probe = format!("name = \"tension\"\nof = \"left\"\nread = \"{read}\"");
        let eye = "do.change-constraint = { name = \"left\", to.keyhole = { on = \"cable\", at = 0.1 } }";
        CABLE
            .replacen("name = \"tension\"\nof = \"cable\"\nat = \"25 %\"\nread = \"tension\"", &probe, 1)
            .replacen("do.release = \"left\"", eye, 1)
    };
    let mut simulation = build(&text("place")).expect("the eye will have a place");
    for _ in 0..100 {
        simulation.step(&NoClock);
        assert!(simulation.probe_values()[0].is_nan());
    }
    simulation.step(&NoClock);
    assert!(simulation.probe_values()[0] > 0.0, "{:?}", simulation.probe_values());
    // Neither a position nor an eye has a strength.
    let error = build(&text("strength-used")).expect_err("nothing will have it");
    assert!(error.problem().contains("strength-used"), "{error}");
}

#[test]
fn an_angle_in_time_of_a_fusion_may_have_a_unit() {
    let text = format!(
        "{CABLE}[rod.b]\nshape.line = {{ from = [1, 0, 0], to = [1.5, 0, 0] }}\nradius = 0.004\nyoung = 1e9\n\
         density = 1000\n[constraint]\nf.fusion = {{ on = \"b\", at = \"start\", \
         to = {{ on = \"cable\", at = \"end\" }}, \
         hold = \"rigid\", axis = [0, 1, 0], angle.ramp = {{ to = \"90 deg\", end = 1 }} }}\n"
    )
    .replace("[constraint.left.position]", "[constraint.left.clamp]")
    .replace("do.release = \"left\"", "do = \"stop\"");
    let mut simulation = build(&text).unwrap_or_else(|error| panic!("{error}"));
    while !simulation.finished() {
        assert!(!simulation.step(&NoClock).held);
    }
    // After a second the second rod stands across the end of the first.
    let world = simulation.world();
    let tangent = |name: &str, s: f64| {
        let rod = world.object("", name).expect("a rod");
        world.section(rod, s).expect("a rod").tangent
    };
    let angle = tangent("cable", 1.0).angle_between(tangent("b", 0.0)).to_degrees();
    assert!((angle - 90.0).abs() < 0.1, "{angle}°");
}

/// A tetrahedron whose triangles run clockwise seen from outside, fixed.
const INSIDE_OUT: &str = r#"
[body.wedge]
fixed = true
shape.mesh.vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
shape.mesh.triangles = [[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]
"#;

#[test]
fn a_mesh_that_is_inside_out_is_reported() {
    remarked(INSIDE_OUT, &["turned: the mesh `body.wedge.shape.mesh` was inside out"]);
    let outward = INSIDE_OUT.replace(
        "[[0, 1, 2], [0, 3, 1], [0, 2, 3], [1, 3, 2]]",
        "[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]",
    );
    assert_eq!(remarks(&outward), Vec::<String>::new());
}

#[test]
fn pairs_of_contact_without_effect_are_remarked() {
    let pair = |between: &str, more: &str| {
        format!(
            "floor = true\n[body.cube]\nshape.box.size = [0.1, 0.1, 0.1]\ndensity = 500\n\
             position = [0, 0, 1]\n[contact]\ngroups.none = []\n[[contact.pairs]]\n\
             between = {between}\n{more}\n"
        )
    };
    assert_eq!(remarks(&pair("[\"cube\", \"floor\"]", "friction = 0.1")), Vec::<String>::new());
    remarked(&pair("[\"cube\", \"floor\"]", ""), &["contact.pairs[0] has no effect", "none of `touch`"]);
    remarked(&pair("[\"cube\", \"cube\"]", "touch = false"), &["has no effect", "doesn't touch itself"]);
    remarked(&pair("[\"none\", \"cube\"]", "touch = false"), &["has no effect", "`none` is empty"]);
}
