//! Gauges of joints: limits, values, targets and drives for display.

use micado::clock::NoClock;
use micado::constraint::{Gauge, MotorKind};
use micado::run::Simulation;
use micado::scene::Scene;
use serde_json::{Value, json};

/// A door of 2 kg·m² about its vertical hinge, without gravity.
fn door(angle: &Value) -> Simulation {
    let scene: Scene = serde_json::from_value(json!({
        "settings": { "step": 0.01, "gravity": [0, 0, 0] },
        "body": { "door": { "mass": 1, "inertia": { "moments": [1, 2, 2] } } },
        "constraint": { "hinge": { "joint": {
            "kind": "hinge", "on": "door", "axis": [0, 0, 1], "angle": angle,
        } } },
    }))
    .expect("a scene");
    let mut simulation = Simulation::build(&scene).expect("a world");
    for _ in 0..50 {
        simulation.step(&NoClock);
    }
    simulation
}

fn gauge_of(simulation: &Simulation) -> Option<Gauge> {
    let [angle, slide] = simulation.world().joint_gauges(0).expect("gauges");
    assert_eq!(slide, None);
    angle
}

#[test]
fn a_free_coordinate_has_no_gauge() {
    assert_eq!(gauge_of(&door(&json!({ "friction": 1 }))), None);
}

/// 4 N·m on 2 kg·m² for n = 50 steps of 0.01 s that end with their velocity: 2 rad/s² · h² n(n + 1)/2.
#[test]
fn a_driven_door_stops_at_its_limit_and_its_gauge_shows_it() {
    let free = gauge_of(&door(&json!({ "most": 1, "motor": { "force": 4 } }))).expect("a gauge");
    assert_eq!((free.limits, free.motor, free.target), ([None, Some(1.0)], Some(MotorKind::Force), None));
    assert!((free.drive - 4.0).abs() < 1e-9, "{free:?}");
    // A step turns by 2 atan(h ω/2), short of h ω by its cube: 1e-6 rad in all.
    assert!((free.value - 2e-4 * 50.0 * 51.0 / 2.0).abs() < 2e-6, "{free:?}");
    let stopped = gauge_of(&door(&json!({ "most": 0.1, "motor": { "force": 4 } }))).expect("a gauge");
    assert!((stopped.value - 0.1).abs() < 1e-9 && (stopped.drive - 4.0).abs() < 1e-9, "{stopped:?}");
}

/// A smooth turn by 1 rad: the drive is the inertia times the acceleration of the target, by steps.
#[test]
fn a_followed_target_is_the_value_of_the_gauge() {
    let motor = json!({ "motor": { "position": { "target": { "ramp": { "to": 1, "end": 1 } } } } });
    let gauge = gauge_of(&door(&motor)).expect("a gauge");
    assert_eq!((gauge.motor, gauge.target), (Some(MotorKind::Position), Some(0.5)));
    assert!((gauge.value - 0.5).abs() < 1e-9 && gauge.drive.abs() < 1e-6, "{gauge:?}");
    assert!((gauge.zero.length() - 1.0).abs() < 1e-12 && gauge.zero.z.abs() < 1e-12, "{gauge:?}");
    let servo = json!({ "motor": { "servo": { "target": 0.5, "stiffness": 10, "damping": 20 } } });
    let servo = gauge_of(&door(&servo)).expect("a gauge");
    assert_eq!((servo.motor, servo.target), (Some(MotorKind::Servo), Some(0.5)));
    assert!(servo.value > 0.0 && servo.value < 0.5 && servo.drive.abs() < 10.0 * 0.5, "{servo:?}");
}
