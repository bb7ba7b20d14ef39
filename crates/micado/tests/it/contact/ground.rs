//! Ground with given heights.

use super::{G, read, watch};
use crate::common::{at, position, probe};
use micado::run::Simulation;
use serde_json::{Value, json};

/// A valley along y: z = |x| / 4, 2 m wide, in cells of 0.25 m by 0.5 m.
fn valley() -> Value {
    let heights: Vec<Vec<f64>> =
        (0..5).map(|_| (0..9).map(|i| (f64::from(i) * 0.25 - 1.0).abs() * 0.25).collect()).collect();
    json!({"shape": {"height-field": {"heights": heights, "spacing": [0.25, "50 cm"]}}, "fixed": true})
}

#[test]
fn a_ball_rolls_into_the_valley() {
    let slope = 0.25_f64.atan();
    let radius = 0.1;
    let ball = json!({"shape": {"sphere": {"radius": radius}}, "density": 1000,
        "position": [0.75 - radius * slope.sin(), 0.1, 0.75 * 0.25 + radius * slope.cos()]});
    let scene = |duration: f64, drag: f64| {
        json!({
            "contact": {"friction": 0.5}, "body": {"ground": valley(), "ball": ball},
            "load": {"air": {"drag": {"on": "ball", "coefficient": drag, "rotation": 0.02 * drag}}},
            "settings": {"duration": duration, "step": 0.005},
            "probe": [read("v", "ball", "velocity", "norm"), read("push", "ball", "contact-force", "z")],
        })
    };
    // It rolls without slip: 5/7 g sin α.
    let done = watch(scene(0.1, 0.0), |_, _| {});
    let free = 5.0 / 7.0 * G * slope.sin() * 0.1;
    assert!((probe(&done, "v") / free - 1.0).abs() < 1e-3, "{} m/s, free {free} m/s", probe(&done, "v"));
    // It comes to rest at the bottom, on both sides of the valley.
    let done = watch(scene(12.0, 10.0), |_, _| {});
    let x = position(done.world(), "ball");
    assert!(x.x.abs() < 1e-3 && (x.y - 0.1).abs() < 1e-3, "{x} m");
    assert!((x.z - radius / slope.cos()).abs() < 1e-4, "{} m", x.z);
    let weight = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3) * 1000.0 * G;
    assert!((probe(&done, "push") / weight - 1.0).abs() < 1e-3, "{} N", probe(&done, "push"));
}

#[test]
fn a_rope_hangs_over_a_ridge_and_rests_on_the_slopes() {
    // z = −|x|/2: with friction above 1/2 the rope stays where it is laid.
    let heights: Vec<Vec<f64>> =
        (0..3).map(|_| (0..9).map(|i| -(f64::from(i) * 0.25 - 1.0).abs() * 0.5).collect()).collect();
    let scene = |friction: f64| {
        json!({
            "contact": {"friction": friction},
            "body": {"ground": {"fixed": true,
                "shape": {"height-field": {"heights": heights, "spacing": 0.25}}}},
            "rod": {"rope": {"shape": {"points": {"through":
                [[0.1, 0, -0.05 + 0.012], [0.4, 0, -0.2 + 0.012], [0.7, 0, -0.35 + 0.012]]}},
                "radius": 0.01, "young": 1e6, "density": 1000, "segments": 12,
                "damping": {"internal": 0.05}}},
            "settings": {"duration": 0.6, "step": 0.005},
            "probe": [read("push", "rope", "contact-force", "z"),
                {"name": "energy", "of": "world", "read": "kinetic-energy"}],
        })
    };
    let still = watch(scene(0.7), |_, _| {});
    let weight = std::f64::consts::PI * 1e-4 * 1000.0 * 0.6 * 1.25_f64.sqrt() * G;
    assert!(probe(&still, "energy") < 1e-12, "{} J", probe(&still, "energy"));
    assert!((probe(&still, "push") / weight - 1.0).abs() < 1e-4, "{} N", probe(&still, "push"));
    for k in 1..8 {
        let x = at(still.world(), "rope", f64::from(k) / 8.0);
        // Its axis is a radius from the slope; between contacts it sags by micrometres.
        let apart = (x.z + 0.5 * x.x) / 1.25_f64.sqrt();
        assert!((apart - 0.01).abs() < 2e-5, "{apart} m at {x}");
    }
    // Without friction it slides with g sin α.
    let mut start = None;
    let sliding = watch(scene(0.0), |now, _| {
        start.get_or_insert(probe(now, "energy"));
    });
    assert!(probe(&sliding, "energy") > 0.1 * weight, "{} J", probe(&sliding, "energy"));
}

#[test]
fn heights_that_are_no_grid_are_refused_with_a_remedy() {
    let refused = |field: Value, fixed: bool| {
        let scene = json!({"body": {"ground": {"shape": {"height-field": field}, "fixed": fixed}}});
        let error = Simulation::build(&crate::common::scene(scene)).expect_err("it is refused");
        assert!(!error.remedy.is_empty());
        format!("{}: {}", error.path, error.problem)
    };
    for (field, fixed, words) in [
        (
            json!({"heights": [[0, 1]], "spacing": 1}),
            true,
            "body.ground.shape.height-field.heights: the grid has 2 by 1",
        ),
        (json!({"heights": [[0, 1], [0]], "spacing": 1}), true, "list 1 has 1 heights"),
        (json!({"heights": [[0, 1], [0, 1e40]], "spacing": 1}), true, "height 1 of list 1"),
        (json!({"heights": [[0, 1], [0, 1]], "spacing": 0}), true, "height-field.spacing"),
        (json!({"heights": [[0, 1], [0, 1]], "spacing": 1, "scale": -1}), true, "height-field.scale"),
        (json!({"file": "a.csv", "spacing": 1}), true, "was not read"),
        (json!({"heights": [[0, 1], [0, 1]], "spacing": 1}), false, "body.ground"),
    ] {
        let message = refused(field.clone(), fixed);
        assert!(message.contains(words), "{field}: {message}");
    }
}
