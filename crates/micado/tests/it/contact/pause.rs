//! Runs with contact that are saved and continued, and islands that join and part.

use super::{directions, read, slope, times};
use crate::common::{bits, build, probe, scene};
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::step::Pool;
use serde_json::{Value, json};
use std::f64::consts::PI;

/// Scenes that are in the middle of a kind of contact after a number of steps.
fn moments() -> [(&'static str, Value, usize); 5] {
    let angle = PI / 9.0;
    let [down, normal] = directions(angle);
    let on_slope = |friction: f64, speed: f64, shape: Value, turned: Value| {
        json!({
            "contact": {"friction": friction},
            "body": {"slope": slope(angle), "body": {"shape": shape, "mass": 1, "rotation": turned,
                "position": times(normal, 0.1), "velocity": times(down, speed)}},
        })
    };
    let cube = || json!({"box": {"size": [0.2, 0.2, 0.2]}});
    let rope = |z: f64, speed: f64| {
        json!({"shape": {"line": {"from": [0, 0, z], "to": [0.5, 0, z]}}, "radius": 0.01, "young": 1e7,
            "density": 1000, "segments": 8, "velocity": [0, speed, 0], "damping": {"internal": 0.01}})
    };
    [
        ("sliding", on_slope(0.1, 0.5, cube(), json!([0, angle, 0])), 20),
        ("sticking", on_slope(0.5, 0.1, cube(), json!([0, angle, 0])), 20),
        ("rolling", on_slope(0.3, 0.0, json!({"sphere": {"radius": 0.1}}), json!([0, 0, 0])), 20),
        (
            "impact",
            json!({
                "floor": true, "contact": {"friction": 0.2, "restitution": 0.6},
                "body": {"body": {"shape": cube(), "mass": 1, "position": [0, 0, 0.13],
                    "rotation": [0.2, 0.3, 0], "velocity": [0.3, 0, -2], "spin": [1, 2, 3]}},
            }),
            3,
        ),
        (
            "ropes on each other",
            json!({
                "floor": true, "contact": {"friction": {"along": 0.1, "across": 0.3}},
                "rod": {"a": rope(0.01, 0.4), "b": rope(0.0301, -0.2)},
            }),
            10,
        ),
    ]
}

#[test]
fn a_saved_run_goes_on_with_the_same_bits_from_every_kind_of_contact() {
    for (what, description, steps) in moments() {
        for integrator in super::INTEGRATORS {
            let mut description = description.clone();
            description["settings"] =
                json!({"duration": 10, "step": 0.01, "integrator": integrator, "arithmetic": "portable"});
            let description = scene(description);
            let mut simulation = Simulation::build(&description).expect("a scene");
            let mut pushed = false;
            for _ in 0..steps {
                pushed |= simulation.step(&NoClock).contacts > 0;
            }
            assert!(pushed, "{what}: nothing touches");
            let file = std::env::temp_dir().join(format!("micado-pause-{}-{integrator}", std::process::id()));
            std::fs::write(&file, simulation.snapshot(&description)).expect("a file");
            let bytes = std::fs::read(&file).expect("the file");
            std::fs::remove_file(&file).expect("the file");
            let (mut restored, _) = Simulation::restore(&bytes).expect("a snapshot");
            for step in 0..40 {
                let (report, again) = (simulation.step(&NoClock), restored.step(&NoClock));
                let same = bits(simulation.world()) == bits(restored.world());
                assert!(same, "{what}, {integrator}, step {step}");
                assert_eq!(
                    (report.contacts, report.sweeps, report.penetration.to_bits()),
                    (again.contacts, again.sweeps, again.penetration.to_bits()),
                    "{what}, {integrator}, step {step}"
                );
            }
        }
    }
}

/// Pairs of bodies that fly towards each other in a row, touch, and part again; at the ends of the row ropes
/// that are pushed into their neighbours.
fn meetings(integrator: &str) -> Value {
    let (mut bodies, mut rods) = (json!({}), json!({}));
    for k in 0..6 {
        let (x, toward) = (0.4 * f64::from(k), if k % 2 == 0 { 1.0 } else { -1.0 });
        let shape = if k % 3 == 0 {
            json!({"sphere": {"radius": 0.05}})
        } else {
            json!({"box": {"size": [0.1, 0.08, 0.06]}})
        };
        bodies[format!("body_{k}")] = json!({"shape": shape, "mass": 0.5, "position": [x, 0, 0],
            "velocity": [2.0 * toward, 0, 0], "spin": [0, 0, 1]});
        rods[format!("rope_{k}")] = json!({"shape": {"line": {"from": [x - 0.1, 0.2, 0],
            "to": [x + 0.1, 0.25, 0]}}, "radius": 0.005, "young": 1e7, "density": 1000, "segments": 6,
            "velocity": [0, -1.0, 0], "damping": {"internal": 0.001}});
    }
    json!({"contact": {"friction": 0.3, "restitution": 0.8}, "body": bodies, "rod": rods,
        "settings": {"duration": 0.5, "step": 0.005, "integrator": integrator, "gravity": [0, 0, 0],
        "arithmetic": "portable"}})
}

#[test]
fn islands_that_join_and_part_have_the_same_bits_on_any_number_of_threads() {
    for integrator in super::INTEGRATORS {
        let results = [1, 2, 3, 8].map(|threads| {
            let mut simulation = build(meetings(integrator));
            simulation.set_pool(Pool::new(threads).expect("threads"));
            let (mut trace, mut joined, mut parted) = (Vec::new(), false, false);
            while !simulation.finished() {
                let touching = simulation.step(&NoClock).contacts > 0;
                joined |= touching;
                parted |= joined && !touching;
                trace.push(bits(simulation.world()));
            }
            assert!(joined && parted, "{integrator}: they touch and part");
            trace
        });
        for other in &results[1..] {
            assert!(*other == results[0], "{integrator}");
        }
    }
}

#[test]
fn a_run_with_other_islands_beside_it_moves_the_same() {
    // A ball that bounces, alone and beside a pair that collides far away.
    let ball = |x: f64, speed: f64| {
        json!({"shape": {"sphere": {"radius": 0.05}}, "mass": 0.3, "position": [x, 0, 0.2],
            "velocity": [speed, 0, 0]})
    };
    let run = |others: bool| {
        let mut bodies = json!({"a": ball(0.0, 0.0)});
        if others {
            bodies["b"] = ball(5.0, 1.0);
            bodies["c"] = ball(5.2, -1.0);
        }
        let mut simulation = build(json!({
            "floor": true, "contact": {"friction": 0.3, "restitution": 0.5}, "body": bodies,
            "settings": {"duration": 1, "step": 0.005, "arithmetic": "portable"},
            "probe": [read("z", "a", "position", "z")],
        }));
        let mut found = Vec::new();
        while !simulation.finished() {
            simulation.step(&NoClock);
            found.push(probe(&simulation, "z").to_bits());
        }
        found
    };
    assert_eq!(run(false), run(true));
}
