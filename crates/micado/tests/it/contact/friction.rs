//! Friction of rods: its directions, and the twist that it brings.

use super::{G, read};
use crate::common::{object, probe, run, velocity};
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};

const RADIUS: f64 = 0.01;

/// A straight rod on the floor that is thrown in a direction.
fn thrown(model: &str, friction: Value, v: [f64; 3], duration: f64) -> Value {
    json!({
        "floor": true, "contact": {"friction": friction},
        "rod": {"rod": {"model": model, "shape": {"line": {"from": [0, 0, RADIUS], "to": [0.5, 0, RADIUS]}},
            "radius": RADIUS, "young": 1e8, "density": 1000, "segments": 10, "velocity": v}},
        "settings": {"duration": duration, "step": 0.002, "integrator": "bdf2"},
        "probe": [read("push", "rod", "contact-force", "z"), read("drag_x", "rod", "contact-force", "x"),
            read("drag_y", "rod", "contact-force", "y")],
    })
}

/// Mean velocity of a rod of equal segments.
fn speed(run: &Simulation, axis: usize) -> f64 {
    let world = run.world();
    crate::common::momentum(world)[axis] / object(world, "rod").total_mass()
}

#[test]
fn friction_along_and_across_a_rod_are_those_that_are_given() {
    for model in super::MODELS {
        for (v, axis, mu) in [([1.0, 0.0, 0.0], 0, 0.1), ([0.0, 1.0, 0.0], 1, 0.4)] {
            let time = 0.02;
            let done = run(thrown(model, json!({"along": 0.1, "across": 0.4}), v, time));
            // All contacts slip. The last bits are those of the sweeps, 1e-12 m/h².
            let lost = (1.0 - speed(&done, axis)) / time;
            assert!((lost / (mu * G) - 1.0).abs() < 1e-6, "{model}: {lost} m/s², expected {}", mu * G);
        }
    }
}

#[test]
fn a_rod_thrown_sideways_rolls_with_two_thirds_of_its_speed() {
    // A solid cylinder: friction turns its section until v = r ω. A chain of springs has no section.
    for model in ["spline", "discrete-elastic", "beam"] {
        let mut done = run(thrown(model, json!(0.3), [0.0, 0.3, 0.0], 0.1));
        assert!((speed(&done, 1) / 0.2 - 1.0).abs() < 1e-3, "{model}: {} m/s", speed(&done, 1));
        // It turns about −x: the director is that of the middle before and after another step.
        let director = |run: &Simulation| {
            let world = run.world();
            world.section(object(world, "rod"), 0.25).expect("a rod").director
        };
        let before = director(&done);
        done.step(&NoClock);
        let spin = before.cross(director(&done)).x / 0.002;
        // sin φ for φ = 0.04.
        assert!((spin * RADIUS / -0.2 - 1.0).abs() < 1e-3, "{model}: {spin} rad/s");
        // It rolls on without friction.
        let drag = probe(&done, "drag_y") / probe(&done, "push");
        assert!(drag.abs() < 1e-3, "{model}: {drag}");
        assert!(velocity(done.world(), "rod", 0.0).x.abs() < 1e-6);
    }
    // Without a section to turn it slides to rest.
    let done = run(thrown("mass-spring", json!(0.3), [0.0, 0.2, 0.0], 0.1));
    assert!(speed(&done, 1).abs() < 1e-9, "{} m/s", speed(&done, 1));
}
