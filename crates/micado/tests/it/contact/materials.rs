//! Materials: friction and restitution of objects, and of pairs of materials.

use super::{G, directions, read, slope, times};
use crate::common::{probe, run};
use micado::run::Simulation;
use serde_json::{Value, json};

/// Acceleration of a box on a slope of 30° with a description of contact.
fn acceleration(contact: Value) -> f64 {
    let [down, normal] = directions(30_f64.to_radians());
    let done = run(json!({
        "contact": contact,
        "body": {"slope": slope(30_f64.to_radians()),
            "box": {"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "mass": 1, "position": times(normal, 0.05),
                "rotation": [0, 30_f64.to_radians(), 0]}},
        "settings": {"duration": 0.2, "step": 0.005},
        "probe": [read("v", "box", "velocity", "norm")],
    }));
    assert!(down[0] > 0.0);
    probe(&done, "v") / 0.2
}

#[test]
fn friction_of_two_materials_is_their_geometric_mean_unless_the_pair_has_its_own() {
    let sliding = |mu: f64| G * (0.5 - mu * 30_f64.to_radians().cos());
    for (contact, mu) in [
        (json!({"friction": 0.2}), 0.2),
        // An object without a material has the friction of [contact].
        (json!({"friction": 0.1, "materials": {"wood": {"of": ["box"], "friction": 0.4}}}), 0.2),
        (
            json!({"materials": {"wood": {"of": ["box"], "friction": 0.4},
            "ice": {"of": ["slope"], "friction": 0.1}}}),
            0.2,
        ),
        (
            json!({"materials": {"wood": {"of": ["box"], "friction": 0.4},
            "ice": {"of": ["slope"], "friction": 0}}}),
            0.0,
        ),
        (
            json!({"materials": {"wood": {"of": ["box"], "friction": 0.4},
            "ice": {"of": ["slope"], "friction": 0.1}},
            "pairs": [{"between": ["wood", "ice"], "friction": 0.3}]}),
            0.3,
        ),
        // A material may be given by a group, and a pair may name both.
        (
            json!({"groups": {"things": ["box"]}, "materials": {"wood": {"of": ["things"], "friction": 0.9}},
            "pairs": [{"between": ["things", "slope"], "friction": 0.05}]}),
            0.05,
        ),
    ] {
        let found = acceleration(contact.clone());
        // The tolerance of the laws, 1e-9 of the contact size in a step.
        assert!((found - sliding(mu)).abs() < 1e-5, "{contact}: {found} m/s², expected {}", sliding(mu));
    }
}

#[test]
fn the_larger_restitution_of_two_materials_counts() {
    let ball = |x: f64| json!({"shape": {"sphere": {"radius": 0.05}}, "mass": 1, "position": [x, 0, 0.3]});
    let done = run(json!({
        "floor": true,
        "contact": {"restitution": 0.1, "materials": {"rubber": {"of": ["lively"], "restitution": 0.8}}},
        "body": {"lively": ball(0.0), "dull": ball(1.0)},
        "settings": {"duration": 0.24, "step": 0.0005},
        "probe": [read("lively", "lively", "velocity", "z"), read("dull", "dull", "velocity", "z")],
    }));
    // It falls 0.25 m in 0.2258 s, to 2.215 m/s, and rises for 14.2 ms since then.
    let (fall, after) = ((2.0 * 0.25 / G).sqrt(), 0.24 - (2.0 * 0.25 / G).sqrt());
    for (name, restitution) in [("lively", 0.8), ("dull", 0.1)] {
        let expected = restitution * G * fall - G * after;
        // Two steps of gravity: the time of the impact is known to a step.
        assert!(
            (probe(&done, name) - expected).abs() < 2.0 * 1.8 * G * 0.0005,
            "{name}: {}",
            probe(&done, name)
        );
    }
}

#[test]
fn unclear_materials_are_refused_with_a_remedy() {
    let refused = |contact: Value| {
        let scene = json!({"contact": contact, "floor": true,
            "mass": {"a": {"position": [0, 0, 1], "mass": 1, "radius": 0.1},
                "b": {"position": [0, 0, 2], "mass": 1, "radius": 0.1}}});
        let error = Simulation::build(&crate::common::scene(scene)).expect_err("it is refused");
        assert!(!error.remedy.is_empty());
        format!("{}: {}", error.path, error.problem)
    };
    for (contact, words) in [
        (json!({"materials": {"m": {"of": ["c"]}}}), "contact.materials.m.of[0]"),
        (json!({"materials": {"m": {"of": ["a"]}, "n": {"of": ["b", "a"]}}}), "contact.materials.n.of[1]"),
        (json!({"materials": {"m": {"of": ["a"], "friction": -1}}}), "contact.materials.m.friction"),
        (json!({"materials": {"m": {"of": ["a"], "restitution": 2}}}), "contact.materials.m.restitution"),
        (json!({"materials": {"a": {"of": ["b"]}}}), "name of an object already"),
        (json!({"materials": {"all": {"of": ["b"]}}}), "or of all objects"),
        (json!({"materials": {"m": {"of": ["a"]}}, "groups": {"m": ["b"]}}), "a group with the name `m`"),
        (json!({"materials": {"m": {"of": ["a"]}}, "pairs": [{"between": ["m", "n"]}]}), "contact.pairs[0]"),
    ] {
        let message = refused(contact.clone());
        assert!(message.contains(words), "{contact}: {message}");
    }
}
