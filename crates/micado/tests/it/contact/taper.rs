//! Rods touch with their local radius.

use super::{MODELS, read, watch};
use crate::common::{at, probe};
use serde_json::{Value, json};

/// A rod of 16 pieces whose radius falls from 20 mm to 5 mm, on the floor.
fn cone(model: &str) -> Value {
    let radius = |s: f64| 0.02 - 0.015 * s;
    let pieces: Vec<Value> = (0..16)
        .map(|k| {
            let [from, to] = [k, k + 1].map(|k| f64::from(k) / 16.0);
            json!({"from": from, "to": to, "radius": radius(0.5 * (from + to))})
        })
        .collect();
    json!({"model": model, "shape": {"line": {"from": [0, 0, 0.03], "to": [1, 0, 0.03]}}, "radius": 0.02,
        "young": 1e9, "density": 1000, "segments": 16, "damping": {"internal": 0.05, "mass": 5},
        "stretches": pieces})
}

#[test]
fn a_cone_lies_tilted_by_its_taper() {
    for model in MODELS {
        let done = watch(
            json!({
                "floor": true, "contact": {"friction": 0.3}, "rod": {"cone": cone(model)},
                "settings": {"duration": 2, "step": 0.005},
                "probe": [{"name": "energy", "of": "world", "read": "kinetic-energy"},
                    read("push", "cone", "contact-force", "z")],
            }),
            |_, _| {},
        );
        assert!(probe(&done, "energy") < 1e-9, "{model}: {} J", probe(&done, "energy"));
        for k in 1..=6 {
            let s = f64::from(k) / 8.0;
            let z = at(done.world(), "cone", s).z;
            // The end of the last piece has the radius of its middle, 0.5 mm too much, and lifts the thin end
            // a little.
            assert!((z - (0.02 - 0.015 * s)).abs() < 2e-5, "{model}: {z} m at {s} m");
        }
        // ∫ π r² ds of a frustum, in 16 cylinders: 1/12 of the square of a step of the radius less.
        let (a, b, d) = (0.02_f64, 0.005_f64, 0.015_f64 / 16.0);
        let volume = std::f64::consts::PI * ((a * a + a * b + b * b) / 3.0 - d * d / 12.0);
        let off = probe(&done, "push") / (volume * 1000.0 * super::G) - 1.0;
        assert!(off.abs() < 1e-4, "{model}: {off}");
    }
}

#[test]
fn two_tapered_rods_touch_at_the_sum_of_their_local_radii() {
    // One lies across the other, at a quarter of it and a half of its own length.
    let mut upper = cone("spline");
    upper["shape"] = json!({"line": {"from": [0.25, -0.5, 0.06], "to": [0.25, 0.5, 0.06]}});
    let mut lower = cone("spline");
    lower["shape"] = json!({"line": {"from": [0, 0, 0.0], "to": [1, 0, 0.0]}});
    let hold = |on: &str, end: &str| json!({"clamp": {"on": on, "at": end}});
    let done = watch(
        json!({
            "contact": {"friction": 0.9}, "rod": {"lower": lower, "upper": upper},
            "constraint": {"a": hold("lower", "start"), "b": hold("lower", "end"),
                "guide": {"plane": {"on": "upper", "at": "start", "normal": [1, 0, 0]}}},
            "settings": {"duration": 0.1, "step": 0.005},
        }),
        |_, _| {},
    );
    let (a, b) = (at(done.world(), "lower", 0.25), at(done.world(), "upper", 0.5));
    let expected = (0.02 - 0.015 * 0.25) + (0.02 - 0.015 * 0.5);
    // The upper one tips a little by then; it touches within a few millimetres of that place.
    assert!(((b - a).length() - expected).abs() < 5e-4, "{} m, expected {expected} m", (b - a).length());
}
