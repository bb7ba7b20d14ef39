//! Blocks on planes and on each other: stick and slip.

use super::{G, INTEGRATORS, directions, read, slope, times, watch};
use crate::common::{probe, run};
use serde_json::{Value, json};

const ANGLE: f64 = std::f64::consts::PI / 9.0;

/// A cube of 1 kg on a slope of 20°, with a velocity down the slope.
fn block(friction: f64, velocity: f64, (integrator, solves): (&str, &Value), duration: f64) -> Value {
    let [down, normal] = directions(ANGLE);
    json!({
        "contact": {"friction": friction},
        "body": {"slope": slope(ANGLE), "block": {"shape": {"box": {"size": [0.2, 0.2, 0.2]}}, "mass": 1,
            "rotation": [0, ANGLE, 0], "position": times(normal, 0.1), "velocity": times(down, velocity)}},
        "settings": {"duration": duration, "step": 0.01, "integrator": integrator, "solves": solves},
        "probe": [read("speed", "block", "velocity", "norm"), read("x", "block", "position", "x"),
            read("push", "block", "contact-force", "z"), read("along", "block", "contact-force", "x")],
    })
}

#[test]
fn a_block_slides_down_an_incline_with_g_times_sine_minus_mu_cosine() {
    let (sin, cos) = ANGLE.sin_cos();
    for integrator in INTEGRATORS {
        for solves in [json!("auto"), json!(1), json!(3)] {
            for friction in [0.0, 0.1, 0.2, 0.3, 0.36] {
                let done = run(block(friction, 0.0, (integrator, &solves), 1.0));
                let speed = G * (sin - friction * cos);
                // Both schemes are exact for a constant acceleration; the sweeps end at 1e-12 of the size,
                // in 100 steps.
                let off = probe(&done, "speed") - speed;
                assert!(off.abs() < 1e-9, "{integrator}, {solves}, μ = {friction}: {off}");
            }
        }
    }
}

#[test]
fn a_block_sticks_where_mu_is_at_least_the_tangent_and_slides_where_it_is_less() {
    for integrator in INTEGRATORS {
        for solves in [json!("auto"), json!(1), json!(3)] {
            let speed = |share: f64| {
                probe(&run(block(ANGLE.tan() * share, 0.0, (integrator, &solves), 1.0)), "speed")
            };
            // A millionth below: g sin 20° / 10⁶.
            let slow = G * ANGLE.sin() * 1e-6;
            assert!((speed(1.0 - 1e-6) - slow).abs() < 0.01 * slow, "{integrator}, {solves}");
            // On the threshold nothing but the tolerance of the sweeps decides: 1e-12 of the size per step
            // and step, 100 times.
            assert!(speed(1.0) < 1e-8, "{integrator}, {solves}: {}", speed(1.0));
            assert!(speed(1.001) < 1e-9, "{integrator}, {solves}: {}", speed(1.001));
        }
    }
}

#[test]
fn a_block_that_is_pushed_down_stops_and_stays() {
    let (sin, cos) = ANGLE.sin_cos();
    let deceleration = G * (0.5 * cos - sin);
    for integrator in INTEGRATORS {
        let solves = json!("auto");
        let (mut stopped, mut fastest_after) = (None, 0.0_f64);
        let done = watch(block(0.5, 2.0, (integrator, &solves), 3.0), |now, _| {
            let speed = probe(now, "speed");
            match stopped {
                None if speed < 1e-9 => stopped = Some(now.time()),
                None => {}
                Some(_) => fastest_after = fastest_after.max(speed),
            }
        });
        // It stops within the step of 10 ms in which the speed would change its sign.
        let (time, expected) = (stopped.expect("it stops"), 2.0 / deceleration);
        assert!((time - expected).abs() < 0.01, "{integrator}: {time} s, expected {expected} s");
        // Euler's travel is short by half a step times the speed.
        let travel = (probe(&done, "x") - 0.1 * sin) / cos;
        assert!((travel - 2.0 / deceleration).abs() < 0.011, "{integrator}: {travel} m");
        assert!(fastest_after < 1e-9, "{integrator}: {fastest_after} m/s at rest");
        // Friction carries m g sin, and with the pressure the whole weight.
        assert!((probe(&done, "push") - G).abs() < 1e-6, "{integrator}: {}", probe(&done, "push"));
        assert!(probe(&done, "along").abs() < 1e-6, "{integrator}: {}", probe(&done, "along"));
    }
}

#[test]
fn a_block_at_eighty_percent_of_the_cone_does_not_creep_in_2000_steps() {
    for integrator in INTEGRATORS {
        let solves = json!("auto");
        let mut began = None;
        let done = watch(block(ANGLE.tan() / 0.8, 0.0, (integrator, &solves), 20.0), |now, _| {
            if began.is_none() && now.time() > 1.0 {
                began = Some(probe(now, "x"));
            }
        });
        let travel = probe(&done, "x") - began.expect("a position");
        assert!(travel.abs() < 1e-9, "{integrator}: {travel} m");
    }
}

/// A block of 3 kg on the floor, μ = 0.2, pulled by a force, with one of 2 kg on it, μ = 0.4.
fn stack(pull: f64, integrator: &str) -> Value {
    json!({
        "floor": true,
        "contact": {"pairs": [
            {"between": ["lower", "floor"], "friction": 0.2},
            {"between": ["lower", "upper"], "friction": 0.4},
        ]},
        "body": {
            "lower": {"shape": {"box": {"size": [0.6, 0.3, 0.1]}}, "mass": 3, "position": [0, 0, 0.05]},
            "upper": {"shape": {"box": {"size": [0.2, 0.2, 0.2]}}, "mass": 2, "position": [0, 0, 0.2]},
        },
        "load": {"pull": {"force": {"on": "lower", "force": [pull, 0, 0]}}},
        "settings": {"duration": 0.2, "step": 0.01, "integrator": integrator},
        "probe": [read("lower", "lower", "velocity", "x"), read("upper", "upper", "velocity", "x"),
            {"name": "ground", "of": "lower", "with": "floor", "read": "contact-force", "component": "z"},
            {"name": "between", "of": "upper", "with": "lower", "read": "contact-force", "component": "z"}],
    })
}

#[test]
fn blocks_that_are_pulled_rest_move_together_or_slide_on_each_other() {
    // Together from μ (m₁+m₂) g = 9.81 N on, apart from (μ₁+μ₂)(m₁+m₂) g = 29.43 N on.
    let both = |pull: f64| ((pull - 0.2 * 5.0 * G) / 5.0).max(0.0);
    let lower = |pull: f64| (pull - 0.4 * 2.0 * G - 0.2 * 5.0 * G) / 3.0;
    for integrator in INTEGRATORS {
        for (pull, first, second) in [
            (9.8, 0.0, 0.0),
            (9.82, both(9.82), both(9.82)),
            (25.0, 3.038, 3.038),
            (29.42, both(29.42), both(29.42)),
            (29.44, lower(29.44), 0.4 * G),
            (45.0, 9.114, 3.924),
        ] {
            let done = run(stack(pull, integrator));
            for (name, expected) in [("lower", first), ("upper", second)] {
                let acceleration = probe(&done, name) / 0.2;
                // The sweeps end at 1e-12 m in a step: 1e-8 m/s², and their sum.
                assert!(
                    (acceleration - expected).abs() < 1e-6,
                    "{integrator}, {pull} N: {name} {acceleration}"
                );
            }
            assert!((probe(&done, "ground") - 5.0 * G).abs() < 1e-6, "{}", probe(&done, "ground"));
            assert!((probe(&done, "between") - 2.0 * G).abs() < 1e-6, "{}", probe(&done, "between"));
        }
    }
}

#[test]
fn a_stack_of_ten_cubes_stays_and_each_carries_those_above_it() {
    let mut bodies = json!({});
    let mut probes = Vec::new();
    for k in 0..10 {
        let name = format!("cube_{k}");
        bodies[&name] = json!({"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "mass": 1,
            "position": [0, 0, 0.05 + 0.1 * f64::from(k)]});
        probes.push(read(&format!("v{k}"), &name, "velocity", "norm"));
        let below = if k == 0 { "floor".to_owned() } else { format!("cube_{}", k - 1) };
        probes.push(json!({"name": format!("f{k}"), "of": name, "with": below, "read": "contact-force",
            "component": "z"}));
    }
    let done = run(json!({"floor": true, "contact": {"friction": 0.5}, "body": bodies, "probe": probes,
        "settings": {"duration": 2, "step": 0.01}}));
    for k in 0..10 {
        let (force, speed) = (probe(&done, &format!("f{k}")), probe(&done, &format!("v{k}")));
        let expected = f64::from(10 - k) * G;
        // Sweeps end at 1e-12 of the size, 1 m: 1e-8 N per kilogram, and the rests of all cubes add up.
        assert!((force - expected).abs() < 1e-5 && speed < 1e-6, "{k}: {force} N, {expected} N, {speed} m/s");
    }
}
