//! Duplicates and the order of objects change nothing over whole runs.

use super::{directions, slope, times, watch};
use crate::common::{object, scene};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Edit;
use serde_json::{Value, json};
use std::f64::consts::{FRAC_PI_2, PI};

/// Positions of objects at the end of every step.
fn paths(description: Value, names: &[&str]) -> Vec<DVec3> {
    let mut found = Vec::new();
    watch(description, |now, _| found.extend(names.iter().map(|name| place(now, name))));
    found
}

/// Position of a body, or of the end of a rod.
fn place(now: &Simulation, name: &str) -> DVec3 {
    let (world, object) = (now.world(), object(now.world(), name));
    match object.rod() {
        Some(rod) => world.section(object, rod.length()).expect("a rod").position,
        None => world.position(object).expect("a body"),
    }
}

/// Largest distance between two runs.
fn apart(a: &[DVec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Largest difference of two runs by the tolerance of the sweeps, 1e-12 of the size of 1 m: ten times that in
/// each step, and the error of a step is a velocity that lasts for all later steps.
fn same(steps: f64) -> f64 {
    10.0 * 1e-12 * steps * steps
}

/// F01: a block of 1 kg that is pushed down a slope of 20° and slides, or stops.
fn block(friction: f64, velocity: f64, duration: f64, name: &str, slopes: &[&str]) -> Value {
    let angle = PI / 9.0;
    let [down, normal] = directions(angle);
    let mut bodies = json!({name: {"shape": {"box": {"size": [0.2, 0.2, 0.2]}}, "mass": 1,
        "rotation": [0, angle, 0], "position": times(normal, 0.1), "velocity": times(down, velocity)}});
    for name in slopes {
        bodies[*name] = slope(angle);
    }
    json!({"contact": {"friction": friction}, "body": bodies,
        "settings": {"duration": duration, "step": 0.01, "integrator": "bdf2"}})
}

#[test]
fn a_block_on_an_incline_moves_the_same_on_two_slopes_and_in_another_order() {
    for (friction, velocity, steps) in [(0.2, 0.0, 100.0), (0.5, 2.0, 300.0), (0.3640, 0.0, 100.0)] {
        let run = |name: &str, slopes: &[&str]| {
            paths(block(friction, velocity, 0.01 * steps, name, slopes), &[name])
        };
        let once = run("block", &["slope"]);
        for (other, what) in [
            (run("block", &["slope", "slope_again"]), "two slopes"),
            (run("z_block", &["slope"]), "another order"),
            (run("m_block", &["a_slope", "z_slope"]), "both"),
        ] {
            let off = apart(&once, &other);
            assert!(off <= same(steps), "{what}, μ = {friction}: {off:e} m");
        }
    }
}

/// F03: a block of 3 kg on the floor that is pulled, with one of 2 kg on it.
fn stack(pull: f64, [lower, upper]: [&str; 2], floors: usize) -> Value {
    let mut pairs = vec![json!({"between": [lower, upper], "friction": 0.4})];
    let mut bodies = json!({
        lower: {"shape": {"box": {"size": [0.6, 0.3, 0.1]}}, "mass": 3, "position": [0, 0, 0.05]},
        upper: {"shape": {"box": {"size": [0.2, 0.2, 0.2]}}, "mass": 2, "position": [0, 0, 0.2]},
    });
    for k in 0..floors {
        let name = format!("ground_{k}");
        bodies[&name] = json!({"shape": {"half-space": {}}, "fixed": true});
        pairs.push(json!({"between": [lower, name], "friction": 0.2}));
    }
    json!({
        "contact": {"pairs": pairs}, "body": bodies,
        "load": {"pull": {"force": {"on": lower, "force": [pull, 0, 0]}}},
        "settings": {"duration": 0.5, "step": 0.01, "integrator": "bdf2"},
    })
}

#[test]
fn a_stack_that_is_pulled_moves_the_same_on_two_floors_and_in_another_order() {
    for pull in [9.0, 25.0, 45.0] {
        let run = |names: [&str; 2], floors: usize| paths(stack(pull, names, floors), &names);
        let once = run(["lower", "upper"], 1);
        for (other, what) in [
            (run(["lower", "upper"], 2), "two floors"),
            (run(["z_lower", "upper"], 1), "another order"),
            (run(["a", "b"], 3), "three floors"),
        ] {
            let off = apart(&once, &other);
            assert!(off <= same(50.0), "{what}, {pull} N: {off:e} m");
        }
    }
}

/// A rope that is drawn over half of a cylinder, which is there some times; before the rope or after it.
fn capstan(posts: usize, first: bool) -> Vec<DVec3> {
    let (radius, rope) = (0.1, 0.001);
    let at = |angle: f64| {
        let (sin, cos) = angle.sin_cos();
        DVec3::new((radius + rope) * sin, 0.0, (radius + rope) * cos)
    };
    let tail = |side: f64, k: u32| DVec3::new(side * (radius + rope), 0.0, -0.01 * f64::from(k));
    let before = (1..=5).rev().map(|k| tail(-1.0, k));
    let through: Vec<DVec3> = before
        .chain((0..=36).map(|k| at(FRAC_PI_2 * (f64::from(k) / 18.0 - 1.0))))
        .chain((1..=5).map(|k| tail(1.0, k)))
        .collect();
    let post = json!({"shape": {"cylinder": {"radius": radius, "length": 0.5}}, "fixed": true,
        "rotation": [0, 0, FRAC_PI_2]});
    let mut description = json!({
        "contact": {"friction": 0.3},
        "rod": {"rope": {"model": "discrete-elastic", "shape": {"points": {"through": through}},
            "radius": rope, "stiffness": {"stretch": 5e4, "bend": 5e-5, "twist": 5e-5},
            "mass_per_length": 0.02, "segments": 24, "damping": {"internal": 0.01, "mass": 20}}},
        "load": {"slack": {"force": {"on": "rope", "at": "start",
            "force": {"ramp": {"to": [0, 0, -10], "end": 0.1}}}}},
        "constraint": {
            "pull": {"position": {"on": "rope", "at": "end",
                "displacement": {"ramp": {"to": [0, 0, -0.005], "end": 0.3}}}},
            "roll": {"roll": {"on": "rope", "at": "start"}}},
        "settings": {"duration": 0.3, "step": 0.002, "gravity": [0, 0, 0]},
    });
    let names: Vec<String> = (0..posts).map(|k| format!("post_{k}")).collect();
    if first {
        names.iter().for_each(|name| description["body"][name] = post.clone());
    }
    let mut simulation = Simulation::build(&scene(description)).expect("a scene");
    if !first {
        for name in &names {
            let edit = json!({"add-body": {"name": name, "to": post}});
            let edit: Edit = serde_json::from_value(edit).expect("an edit");
            simulation.apply(&edit).expect("a body can be added");
        }
    }
    let mut found = Vec::new();
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(report.refused.is_none() && !report.held, "{report:?}");
        let world = simulation.world();
        let rope = object(world, "rope");
        let length = rope.rod().expect("a rod").length();
        found.extend(
            (0..=20).map(|k| world.section(rope, length * f64::from(k) / 20.0).expect("a rope").position),
        );
    }
    found
}

#[test]
fn a_rope_slides_the_same_over_two_cylinders_and_in_another_order() {
    let once = capstan(1, true);
    for (other, what) in [
        (capstan(2, true), "two cylinders"),
        (capstan(1, false), "added later"),
        (capstan(2, false), "two, added later"),
    ] {
        // A rope is soft: the error of a step does not last.
        let off = apart(&once, &other);
        assert!(off <= same(150.0), "{what}: {off:e} m");
    }
}
