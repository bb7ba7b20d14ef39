//! Cylinders and balls: sliding, rolling, and the change between them.

use super::{G, directions, read, slope, times, watch};
use crate::common::{probe, run};
use serde_json::{Value, json};

const ANGLE: f64 = std::f64::consts::PI / 9.0;
const RADIUS: f64 = 0.1;

fn cylinder() -> Value {
    json!({"shape": {"cylinder": {"radius": RADIUS, "length": 0.3}}, "mass": 1,
        "rotation": [0, 0, std::f64::consts::FRAC_PI_2]})
}

fn ball() -> Value {
    json!({"shape": {"sphere": {"radius": RADIUS}}, "mass": 1})
}

/// A body on a slope, with a velocity down it.
fn rolling(mut body: Value, friction: f64, (angle, velocity): (f64, f64), settings: Value) -> Value {
    let [down, normal] = directions(angle);
    body["position"] = json!(times(normal, RADIUS));
    body["velocity"] = json!(times(down, velocity));
    json!({
        "contact": {"friction": friction}, "body": {"slope": slope(angle), "body": body},
        "settings": settings,
        "probe": [read("speed", "body", "velocity", "norm"), read("spin", "body", "spin", "y"),
            read("x", "body", "position", "x")],
    })
}

fn second_order() -> Value {
    json!({"duration": 1, "step": 0.01, "integrator": "bdf2"})
}

#[test]
fn a_cylinder_rolls_down_with_two_thirds_of_g_sine_and_a_ball_with_five_sevenths() {
    for (body, share) in [(cylinder(), 2.0 / 3.0), (ball(), 5.0 / 7.0)] {
        let done = run(rolling(body.clone(), 0.3, (ANGLE, 0.0), second_order()));
        let expected = share * G * ANGLE.sin();
        // BDF2 is exact for a constant acceleration.
        assert!((probe(&done, "speed") - expected).abs() < 1e-7, "{}", probe(&done, "speed"));
        assert!((probe(&done, "spin") * RADIUS - expected).abs() < 1e-7, "{}", probe(&done, "spin"));
        // With Euler's steps the surface advances on a chord: at ω h = 0.24 it is short by (ω h)²/24.
        let done = run(rolling(body, 0.3, (ANGLE, 0.0), json!({"duration": 1, "step": 0.01})));
        assert!((probe(&done, "speed") / expected - 1.0).abs() < 0.24 * 0.24 / 24.0);
    }
}

#[test]
fn a_cylinder_slips_where_mu_is_below_a_third_of_the_tangent() {
    let (sin, cos) = ANGLE.sin_cos();
    for integrator in super::INTEGRATORS {
        for friction in [0.05, 0.99 * ANGLE.tan() / 3.0] {
            let settings = json!({"duration": 1, "step": 0.01, "integrator": integrator});
            let done = run(rolling(cylinder(), friction, (ANGLE, 0.0), settings));
            let (a, alpha) = (G * (sin - friction * cos), 2.0 * friction * G * cos / RADIUS);
            // Constant accelerations again; the sweeps end at 1e-12 of the size.
            assert!((probe(&done, "speed") - a).abs() < 1e-7, "{integrator}: {}", probe(&done, "speed"));
            assert!((probe(&done, "spin") - alpha).abs() < 1e-6, "{integrator}: {}", probe(&done, "spin"));
        }
    }
    let done = run(rolling(cylinder(), 1.001 * ANGLE.tan() / 3.0, (ANGLE, 0.0), second_order()));
    assert!((probe(&done, "speed") - probe(&done, "spin") * RADIUS).abs() < 1e-6);
}

#[test]
fn a_body_thrown_without_spin_rolls_after_a_while_with_two_thirds_or_five_sevenths_of_its_speed() {
    // Sliding ends at t = v₀ k/(μ g (1+k)), I = k m r², with v₀/(1+k).
    for (body, k) in [(cylinder(), 0.5), (ball(), 0.4)] {
        let (v, end) = (3.0, 3.0 * k / (0.2 * G * (1.0 + k)));
        let mut rolls = None;
        let done = watch(rolling(body, 0.2, (0.0, v), second_order()), |now, _| {
            if rolls.is_none() && (probe(now, "speed") - RADIUS * probe(now, "spin")).abs() < 1e-6 {
                rolls = Some((now.time(), probe(now, "x")));
            }
        });
        assert!((probe(&done, "speed") - v / (1.0 + k)).abs() < 1e-7, "{}", probe(&done, "speed"));
        let (time, x) = rolls.expect("it rolls");
        // At the end of the step in which it begins to roll.
        assert!(time >= end - 1e-9 && time < end + 0.01 + 1e-9, "{time} s, expected {end} s");
        let expected = v * end - 0.1 * G * end * end + (time - end) * v / (1.0 + k);
        // The first step is one of Euler, and friction changes within a step: μ g h² each.
        assert!((x - expected).abs() < 2.0 * 0.2 * G * 1e-4, "{x} m, expected {expected} m");
    }
}
