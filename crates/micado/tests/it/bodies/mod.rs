//! Rigid bodies: free motion, suspended bodies, loads.

use crate::common::{build, object, position};
use glam::{DQuat, DVec3};
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};

/// Rotation of a body.
fn rotation(run: &Simulation, name: &str) -> DQuat {
    let world = run.world();
    let object = object(world, name);
    DQuat::from_slice(&world.state().q[object.unknowns()][4..])
}

/// Angular velocity of a body, rad/s, world axes.
fn spin(run: &Simulation, name: &str) -> DVec3 {
    let world = run.world();
    let object = object(world, name);
    DVec3::from_slice(&world.state().v[object.unknowns()][4..])
}

/// The body of case G01: torque-free, near its middle axis.
fn tumbling(settings: Value) -> Value {
    let mut settings = settings;
    settings["gravity"] = json!([0, 0, 0]);
    json!({
        "settings": settings,
        "body": {"a": {"mass": 1, "inertia": {"moments": [1, 2, 2.5]}, "spin": [0.1, 3, 0.1]}},
    })
}

/// Body rate after 5 s, rad/s.
fn rate_at_end(settings: Value) -> DVec3 {
    let mut run = build(tumbling(settings));
    while !run.finished() {
        assert!(!run.step(&NoClock).held);
    }
    rotation(&run, "a").inverse() * spin(&run, "a")
}

#[test]
fn free_asymmetric_body_follows_the_elliptic_functions() {
    for integrator in ["euler", "bdf2"] {
        for solves in [json!("auto"), json!(1), json!(3)] {
            let rate = |step: f64| {
                rate_at_end(json!({"step": step, "duration": 5, "integrator": integrator, "solves": solves}))
            };
            // Case G01.
            let exact = DVec3::new(EXACT[0], EXACT[1], EXACT[2]);
            let [coarse, fine] = [0.02, 0.01].map(|step| (rate(step) - exact).length());
            eprintln!("{integrator} {solves} {coarse:e} {fine:e}");
            assert!(fine < 2.5e-4 && (3.5..4.5).contains(&(coarse / fine)), "{integrator} {coarse:e} {fine:e}");
        }
    }
}
const EXACT: [f64; 3] = [-2.451_442_516, 0.025_384_824_85, 2.193_092_868];

#[test]
fn bar_swings_with_the_period_of_a_rigid_pendulum() {
    let mut run = build(json!({
        "settings": {"step": 0.01, "duration": 2, "integrator": "bdf2"},
        "body": {"bar": {"mass": 1, "inertia": {"moments": [0.0004, 0.0835, 0.0835]}, "rotation": [0, 0.57, 0],
            "anchors": {"tip": [-0.5, 0, 0]}}},
        "constraint": {"pin": {"position": {"on": "bar", "at": "tip"}}},
    }));
    while !run.finished() {
        let report = run.step(&NoClock);
        eprintln!("{} {:?} {} {}", run.time(), position(run.world(), "bar"), report.solves, run.world().energy().total());
        assert!(!report.held);
    }
}
