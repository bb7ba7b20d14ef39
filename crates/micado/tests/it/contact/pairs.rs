//! Which objects touch: pairs, groups, radii, joints.

use super::{G, read};
use crate::common::{probe, run};
use serde_json::{Value, json};

fn ball(x: f64, z: f64) -> Value {
    json!({"shape": {"sphere": {"radius": 0.05}}, "mass": 1, "position": [x, 0, z]})
}

/// Two balls one above the other over the floor, with a description of contact.
fn pair(contact: Value) -> [f64; 2] {
    let done = run(json!({
        "floor": true, "contact": contact, "body": {"low": ball(0.0, 0.05), "high": ball(0.0, 0.1500001)},
        "settings": {"duration": 0.4, "step": 0.005},
        "probe": [read("low", "low", "position", "z"), read("high", "high", "position", "z")],
    }));
    ["low", "high"].map(|name| probe(&done, name))
}

#[test]
fn pairs_that_are_switched_off_pass_through_each_other() {
    let off = |a: &str, b: &str| json!({"pairs": [{"between": [a, b], "touch": false}]});
    let near = |found: [f64; 2], expected: [f64; 2]| {
        assert!(found.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-6), "{found:?}, {expected:?}");
    };
    near(pair(json!({})), [0.05, 0.15]);
    // The upper one falls through the lower one, onto the floor.
    near(pair(off("low", "high")), [0.05, 0.05]);
    // Both fall through the floor: h² g Σk after 80 steps of Euler.
    let fallen = G * 0.005_f64.powi(2) * 80.0 * 81.0 / 2.0;
    near(pair(off("all", "floor")), [0.05 - fallen, 0.1500001 - fallen]);
    near(pair(off("low", "all")), [0.05 - fallen, 0.05]);
    // The last pair that matches counts.
    let again = json!({"pairs": [{"between": ["all", "all"], "touch": false},
        {"between": ["low", "floor"], "touch": true}, {"between": ["low", "high"], "touch": true}]});
    near(pair(again), [0.05, 0.15]);
    // Groups are lists of names.
    let group = json!({"groups": {"balls": ["low", "high"]},
        "pairs": [{"between": ["balls", "balls"], "touch": false}]});
    near(pair(group), [0.05, 0.05]);
}

#[test]
fn rods_and_masses_touch_with_the_radius_of_contact() {
    let done = run(json!({
        "floor": true, "contact": {"radius": {"rod": 0.03, "mass": 0.08}, "friction": 0.2},
        "rod": {"rod": {"shape": {"line": {"from": [0, 0, 0.04], "to": [0.5, 0, 0.04]}}, "radius": 0.01,
            "young": 1e8, "density": 1000, "segments": 8, "damping": {"internal": 0.01, "mass": 5}}},
        "mass": {"mass": {"position": [0, 1, 0.09], "mass": 1, "radius": 0.02}},
        "settings": {"duration": 1, "step": 0.005},
        "probe": [{"name": "rod", "of": "rod", "at": "50 %", "read": "position", "component": "z"},
            read("mass", "mass", "position", "z")],
    }));
    // Overlaps are removed to 1e-12 of the size; the rod sags between contacts.
    assert!((probe(&done, "rod") - 0.03).abs() < 1e-6, "{}", probe(&done, "rod"));
    assert!((probe(&done, "mass") - 0.08).abs() < 1e-9, "{}", probe(&done, "mass"));
}

#[test]
fn bodies_that_a_joint_joins_do_not_touch() {
    // Two balls that overlap by half hang on a joint between them; without it they are pushed apart.
    for joined in [true, false] {
        let joint = json!({"joint": {"joint": {"kind": "ball", "on": "a", "at": [0.025, 0, 0],
            "to": {"on": "b", "at": [-0.025, 0, 0]}}}});
        let done = run(json!({
            "contact": {}, "body": {"a": ball(0.0, 0.0), "b": ball(0.05, 0.0)},
            "constraint": if joined { joint } else { json!({}) },
            "settings": {"duration": 0.2, "step": 0.005, "gravity": [0, 0, 0]},
            "probe": [read("a", "a", "position", "x"), read("b", "b", "position", "x"),
                {"name": "count", "of": "a", "read": "contacts"}],
        }));
        let apart = probe(&done, "b") - probe(&done, "a");
        let expected = if joined { 0.05 } else { 0.1 };
        assert!((apart - expected).abs() < 1e-9, "{joined}: {apart} m");
        assert_eq!(probe(&done, "count"), 0.0);
    }
}

#[test]
fn a_rod_that_is_clamped_to_a_body_does_not_fight_it_but_touches_what_it_meets() {
    // The rod leaves a box from its middle, bends down and lies with its end on the floor.
    for model in ["spline", "discrete-elastic", "beam"] {
        let scene = |length: f64| {
            json!({
                "floor": true, "contact": {"friction": 0.3},
                "body": {"box": {"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "mass": 5,
                    "position": [0, 0, 0.05]}},
                "rod": {"rod": {"model": model, "shape": {"line": {"from": [0, 0, 0.05],
                    "to": [length, 0, 0.05]}}, "radius": 0.01, "young": 2e6, "density": 1000,
                    "segments": 16, "damping": {"internal": 0.02, "mass": 5}}},
                "constraint": {"joint": {"joint": {"kind": "weld", "on": "rod", "at": "start",
                    "to": {"on": "box", "at": [0, 0, 0]}}}},
                "settings": {"duration": 3, "step": 0.005},
                "probe": [
                    {"name": "inside", "of": "rod", "with": "box", "read": "contacts"},
                    {"name": "on_floor", "of": "rod", "with": "floor", "read": "contact-force",
                        "component": "z"},
                    {"name": "of_all", "of": "box", "with": "floor", "read": "contact-force",
                        "component": "z"},
                    {"name": "energy", "of": "world", "read": "kinetic-energy"}],
            })
        };
        let done = run(scene(0.6));
        assert_eq!(probe(&done, "inside"), 0.0, "{model}");
        let weight = (5.0 + std::f64::consts::PI * 1e-4 * 1000.0 * 0.6) * G;
        let carried = probe(&done, "on_floor") + probe(&done, "of_all");
        // Remaining motion, damped with 10 1/s for 3 s.
        assert!((carried / weight - 1.0).abs() < 1e-6, "{model}: {carried} N, weight {weight} N");
        assert!(probe(&done, "on_floor") > 0.1, "{model}: {} N", probe(&done, "on_floor"));
        assert!(probe(&done, "energy") < 1e-12, "{model}: {} J", probe(&done, "energy"));
    }
}

#[test]
fn bodies_that_slide_with_friction_on_a_wire_push_each_other_to_its_end() {
    // Two bodies slide down a wire of 15°, the upper one with less friction: it catches up, and both move as
    // one, until the wire ends and they rest against each other.
    let angle = 15_f64.to_radians();
    let (sin, cos) = angle.sin_cos();
    let wire = json!({"line": {"from": [0, 0, 0], "to": [2.0 * cos, 0, -2.0 * sin]}});
    let body = |s: f64| {
        json!({"shape": {"sphere": {"radius": 0.05}}, "mass": 1,
        "position": [s * cos, 0, -s * sin]})
    };
    let held = |on: &str, mu: f64| {
        json!({"trajectory": {"on": on, "path": wire, "friction": mu,
        "ends": "stop"}})
    };
    let scene = |duration: f64| {
        json!({
            "contact": {"friction": 0.3},
            "body": {"upper": body(0.3), "lower": body(0.6)},
            "constraint": {"a": held("upper", 0.05), "b": held("lower", 0.15)},
            "settings": {"duration": duration, "step": 0.002},
            "probe": [read("upper", "upper", "velocity", "norm"), read("lower", "lower", "velocity", "norm"),
                read("push", "upper", "contact-force", "norm")],
        })
    };
    let slide = |mu: f64| G * (sin - mu * cos);
    let apart = run(scene(0.4));
    for (name, mu) in [("upper", 0.05), ("lower", 0.15)] {
        assert!((probe(&apart, name) - 0.4 * slide(mu)).abs() < 1e-6, "{name}: {}", probe(&apart, name));
    }
    // They touch at a common acceleration, so each pushes with half of the difference.
    let together = run(scene(0.9));
    let push = 0.5 * (slide(0.05) - slide(0.15));
    assert!((probe(&together, "push") - push).abs() < 1e-3 * push, "{} N", probe(&together, "push"));
    assert!((probe(&together, "upper") - probe(&together, "lower")).abs() < 1e-6);
    // At the end the lower one is stopped, and the upper one leans on it with all but its own friction.
    let still = run(scene(3.0));
    assert!(probe(&still, "upper") < 1e-6 && probe(&still, "lower") < 1e-6);
}
