//! Contacts do not depend on duplicates, order, threads, or a pause.

use super::{directions, read, slope, times};
use crate::common::{bits, build, probe, run, scene};
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::step::Pool;
use serde_json::{Value, json};

/// Contact of everything: cubes, balls, masses and ropes fall on the floor and on each other.
fn heap(integrator: &str) -> Value {
    let (mut bodies, mut rods, mut masses) = (json!({}), json!({}), json!({}));
    for k in 0..4 {
        let x = 0.5 * f64::from(k);
        bodies[format!("cube_{k}")] = json!({"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "mass": 0.5,
            "position": [x, 0, 0.06], "velocity": [0.3, 0, 0]});
        bodies[format!("ball_{k}")] = json!({"shape": {"sphere": {"radius": 0.05}}, "mass": 0.2,
            "position": [x + 0.02, 0.01, 0.17]});
        rods[format!("rope_{k}")] = json!({"shape": {"line": {"from": [x - 0.15, 0.005, 0.24],
            "to": [x + 0.2, 0, 0.24]}}, "radius": 0.005, "young": 1e6, "density": 1000, "segments": 10,
            "damping": {"internal": 0.01}});
        masses[format!("mass_{k}")] = json!({"position": [x, 0.2, 0.05], "mass": 0.1, "radius": 0.02,
            "velocity": [0, -0.5, 0]});
    }
    json!({"floor": true, "contact": {"friction": 0.4, "restitution": 0.2}, "body": bodies, "rod": rods,
        "mass": masses, "settings": {"duration": 0.3, "step": 0.005, "integrator": integrator,
        "arithmetic": "portable"}})
}

fn advance(simulation: &mut Simulation, steps: usize) -> usize {
    (0..steps).map(|_| simulation.step(&NoClock).contacts).max().unwrap_or(0)
}

#[test]
fn any_number_of_threads_gives_the_same_bits_in_contact() {
    for integrator in super::INTEGRATORS {
        let results = [1, 2, 5].map(|threads| {
            let mut simulation = build(heap(integrator));
            simulation.set_pool(Pool::new(threads).expect("threads"));
            assert!(advance(&mut simulation, 60) > 20, "they touch");
            bits(simulation.world())
        });
        assert!(results[0] == results[1] && results[0] == results[2], "{integrator}");
    }
}

#[test]
fn a_snapshot_in_the_middle_of_contact_continues_with_the_same_bits() {
    for integrator in super::INTEGRATORS {
        let description = scene(heap(integrator));
        let mut simulation = Simulation::build(&description).expect("a scene");
        assert!(advance(&mut simulation, 30) > 10, "they touch");
        let bytes = simulation.snapshot(&description);
        let (mut restored, _) = Simulation::restore(&bytes).expect("a snapshot");
        for step in 0..30 {
            simulation.step(&NoClock);
            restored.step(&NoClock);
            assert!(bits(simulation.world()) == bits(restored.world()), "{integrator}, step {step}");
        }
    }
}

/// A cube and a ball on a slope, with names in an order; as many equal slopes as are given.
fn sliding(names: [&str; 2], slopes: usize) -> Value {
    let angle = 0.5_f64;
    let [down, normal] = directions(angle);
    let place = |along: f64, height: f64| {
        let (a, n) = (times(down, along), times(normal, height));
        [a[0] + n[0], a[1] + n[1], a[2] + n[2]]
    };
    let [cube, ball] = names;
    let mut bodies = json!({
        cube: {"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "mass": 0.5, "rotation": [0, angle, 0],
            "position": place(0.0, 0.05)},
        ball: {"shape": {"sphere": {"radius": 0.05}}, "mass": 0.2, "position": place(-0.15, 0.05)},
    });
    for k in 0..slopes {
        bodies[format!("slope_{k}")] = slope(angle);
    }
    json!({
        "contact": {"friction": 0.3}, "body": bodies,
        "rod": {"rope": {"shape": {"line": {"from": place(0.2, 0.005), "to": place(0.5, 0.005)}},
            "radius": 0.005, "young": 1e6, "density": 1000, "segments": 8, "damping": {"internal": 0.01}}},
        "settings": {"duration": 0.3, "step": 0.005},
        "probe": [read("cube_x", cube, "position", "x"), read("ball_x", ball, "position", "x"),
            read("cube_v", cube, "velocity", "x"), read("ball_v", ball, "velocity", "x"),
            {"name": "rope_x", "of": "rope", "at": "end", "read": "position", "component": "x"}],
    })
}

/// Sweeps end at 1e-12 of the size, about 1 m; ten times that, which 60 steps of 5 ms add up twice.
const SAME: f64 = 10.0 * 1e-12 * 60.0 * 60.0;

fn assert_same(a: &Simulation, b: &Simulation, what: &str) {
    for name in ["cube_x", "ball_x", "rope_x"] {
        let apart = probe(a, name) - probe(b, name);
        assert!(apart.abs() < SAME, "{what}: {name} {apart:e} m");
    }
}

#[test]
fn a_slope_that_is_there_twice_changes_nothing() {
    let [once, twice] = [1, 2].map(|slopes| run(sliding(["cube", "ball"], slopes)));
    assert_same(&once, &twice, "twice");
}

#[test]
fn the_order_of_the_objects_changes_nothing() {
    // Objects are numbered in the order of their names.
    let [first, second] = [["a", "b"], ["b", "a"]].map(|names| run(sliding(names, 1)));
    assert_same(&first, &second, "order");
}
