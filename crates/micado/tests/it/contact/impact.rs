//! Impacts with restitution.

use super::{G, INTEGRATORS, read, watch};
use crate::common::{probe, run};
use serde_json::{Value, json};

/// Times of impacts and heights of the apexes after them.
fn bounces(integrator: &str, step: f64) -> (Vec<f64>, Vec<f64>, f64) {
    let (mut last, mut times, mut apexes, mut moved) = ([1.0_f64, 0.0], Vec::new(), Vec::new(), 0.0);
    let scene = json!({
        "floor": true, "contact": {"restitution": 0.7},
        "body": {"ball": {"shape": {"sphere": {"radius": 0.1}}, "mass": 1, "position": [0, 0, 1.1]}},
        "settings": {"duration": 3.5, "step": step, "integrator": integrator},
        "probe": [read("z", "ball", "position", "z"), read("v", "ball", "velocity", "z")],
    });
    watch(scene, |now, _| {
        let [z, v] = [probe(now, "z") - 0.1, probe(now, "v")];
        assert!(z > -1e-9, "{z} m");
        if v > 0.0 && last[1] < 0.0 {
            times.push(now.time());
        }
        if v <= 0.0 && last[1] > 0.0 {
            apexes.push(last[0].max(z));
        }
        if v.abs() > 1e-9 {
            moved = now.time();
        }
        last = [z, v];
    });
    (times, apexes, moved)
}

#[test]
fn a_ball_bounces_to_the_square_of_its_restitution_and_comes_to_rest() {
    let fall = (2.0 / G).sqrt();
    let exact_times = [fall, fall * (1.0 + 2.0 * 0.7), fall * (1.0 + 2.0 * (0.7 + 0.49))];
    let rest = fall * 1.7 / 0.3;
    for integrator in INTEGRATORS {
        for step in [1e-3, 0.25e-3] {
            let (times, apexes, still) = bounces(integrator, step);
            for k in 0..3 {
                let (height, time) = (0.7_f64.powi(2 * (k as i32 + 1)), exact_times[k]);
                // The ball leaves from its place at the beginning of the step of impact, up to h v above the
                // floor, with the speed that it would have there after a rebound. The remaining error is that
                // of positions, g h² for each rebound.
                let off = (apexes[k] / height - 1.0).abs();
                assert!(off < 2e-3 * (step / 1e-3), "{integrator}, {step}: {} m", apexes[k]);
                let late = 4.0 * (k + 1) as f64 * step;
                assert!((times[k] - time).abs() < late, "{integrator}, {step}: {} s", times[k]);
            }
            // A bounce gains at most 1.7 g h of speed, which all later ones keep in shares: 8 h for each of
            // them, until the speed is 2 g h. Some more come before that.
            let count = (2.0 * G * step / 4.43).ln() / 0.7_f64.ln() + 6.0;
            assert!((still - rest).abs() < 8.0 * step * count, "{integrator}, {step}: {still} s");
        }
    }
}

/// Two balls on a straight line, each held on it by a joint.
fn beads(restitution: f64, masses: [f64; 2], held: &Value, integrator: &str) -> Value {
    let ball = |mass: f64, x: f64, v: f64| {
        json!({"shape": {"sphere": {"radius": 0.005}}, "mass": mass, "position": [x, 0, 0],
            "velocity": [v, 0, 0]})
    };
    let mut constraints = json!({});
    for name in ["a", "b"] {
        let mut described = held.clone();
        let kind = described.as_object().and_then(|fields| fields.keys().next()).expect("a kind").clone();
        described[&kind]["on"] = json!(name);
        constraints[format!("hold_{name}")] = described;
    }
    json!({
        "contact": {"restitution": restitution},
        "body": {"a": ball(masses[0], -0.1, 1.0), "b": ball(masses[1], 0.19, -0.4)},
        "constraint": constraints,
        "settings": {"duration": 0.4, "step": 0.001, "integrator": integrator},
        "probe": [read("a", "a", "velocity", "x"), read("b", "b", "velocity", "x")],
    })
}

#[test]
fn two_bodies_on_a_wire_collide_with_their_momentum_and_restitution() {
    let wire = json!({"trajectory": {"path": {"line": {"from": [-1, 0, 0], "to": [1, 0, 0]}}}});
    let slider = json!({"joint": {"kind": "slider", "axis": [1, 0, 0]}});
    for held in [wire, slider] {
        for integrator in INTEGRATORS {
            for (e, masses, after) in [
                (1.0, [0.02, 0.05], [-1.0, 0.4]),
                (0.5, [0.02, 0.05], [-0.5, 0.2]),
                (0.0, [0.02, 0.05], [0.0, 0.0]),
                (1.0, [0.02, 0.02], [-0.4, 1.0]),
            ] {
                let mut hit = None;
                let done = watch(beads(e, masses, &held, integrator), |now, _| {
                    if hit.is_none() && (probe(now, "a") - 1.0).abs() > 1e-6 {
                        hit = Some(now.time());
                    }
                });
                for (name, expected) in ["a", "b"].iter().zip(after) {
                    // Rounding: one impact along the line.
                    let off = probe(&done, name) - expected;
                    assert!(off.abs() < 1e-9, "{integrator}, e = {e}: {name} {off}");
                }
                // 0.28 m at 1.4 m/s, in steps of 1 ms.
                let time = hit.expect("they meet");
                assert!((time - 0.2).abs() < 1.5e-3, "{time} s");
            }
        }
    }
}

#[test]
fn an_overlap_at_the_start_is_separated_without_velocity() {
    let ball = |x: f64| json!({"shape": {"sphere": {"radius": 0.05}}, "mass": 1, "position": [x, 0, 0]});
    let rod = |model: &str, from: [f64; 3], to: [f64; 3]| {
        json!({"model": model, "shape": {"line": {"from": from, "to": to}}, "radius": 0.01, "young": 1e7,
            "density": 1000, "segments": 10})
    };
    let mut scenes = vec![json!({"body": {"a": ball(0.0), "b": ball(0.05)}})];
    for model in super::MODELS {
        // By half of the sum of the radii.
        scenes.push(json!({"rod": {"a": rod(model, [-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]),
            "b": rod(model, [0.0, -0.5, 0.01], [0.0, 0.5, 0.01])}}));
    }
    for mut scene in scenes {
        scene["contact"] = json!({"friction": 0.3});
        scene["settings"] = json!({"duration": 0.2, "step": 0.01, "gravity": [0, 0, 0]});
        scene["probe"] = json!([{"name": "energy", "of": "world", "read": "kinetic-energy"}]);
        let mut first = None;
        let mut deepest = 0.0;
        let done = watch(scene.clone(), |now, report| {
            first.get_or_insert(report.penetration);
            deepest = report.penetration;
            // Rods bend where they are pushed apart. They are then not at rest, and move.
            assert!(probe(now, "energy") < 1e-3, "{} J", probe(now, "energy"));
        });
        assert!(deepest < 1e-9, "{deepest} m after {first:?} m: {scene}");
        if scene["rod"].is_null() {
            assert!(probe(&done, "energy") < 1e-20, "{} J", probe(&done, "energy"));
        }
    }
}

#[test]
fn balls_about_masses_fall_rest_and_lie_on_each_other() {
    let mass = |x: f64, z: f64| json!({"position": [x, 0, z], "mass": 2, "radius": 0.05});
    let scene = json!({
        "floor": true, "contact": {"friction": 0.2},
        "mass": {"a": mass(0.0, 0.05), "b": mass(0.0, 0.1500001), "c": mass(1.0, 0.3)},
        "settings": {"duration": 2, "step": 0.005},
        "probe": [
            {"name": "floor", "of": "a", "with": "floor", "read": "contact-force", "component": "z"},
            {"name": "pair", "of": "b", "with": "a", "read": "contact-force", "component": "z"},
            read("rest", "c", "position", "z"), read("push", "c", "contact-force", "z")],
    });
    let done = run(scene);
    // The tolerance of the sweeps, 1e-12 of the size, over h²/m.
    for (name, expected) in [("floor", 4.0 * G), ("pair", 2.0 * G), ("push", 2.0 * G)] {
        assert!((probe(&done, name) - expected).abs() < 1e-5, "{name}: {} N", probe(&done, name));
    }
    assert!((probe(&done, "rest") - 0.05).abs() < 1e-9, "{} m", probe(&done, "rest"));
}
