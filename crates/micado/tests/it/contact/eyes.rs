//! Ropes in eyes and clips: near the eye or clip they don't touch its carrier; farther away they do.

use super::{G, read, watch};
use crate::common::{at, probe};
use serde_json::{Value, json};

const RADIUS: f64 = 0.005;

fn rope(from: [f64; 3], to: [f64; 3], segments: usize) -> Value {
    json!({"shape": {"line": {"from": from, "to": to}}, "radius": RADIUS, "young": 1e6, "density": 1000,
        "segments": segments, "damping": {"internal": 0.05, "mass": 5}})
}

/// A rope that lies on a table and is held in the middle: by an eye of the table, for example.
fn on_table(held: Value) -> Value {
    json!({
        "contact": {"friction": 0.6},
        "body": {"table": {"shape": {"box": {"size": [1, 1, 0.04]}}, "fixed": true,
            "position": [0.5, 0, -0.02]}},
        "rod": {"rope": rope([0.1, 0.0, RADIUS], [0.9, 0.0, RADIUS], 32)},
        "constraint": {"hold": held},
        "settings": {"duration": 1.5, "step": 0.005},
        "probe": [read("push", "rope", "contact-force", "z"),
            {"name": "hold", "of": "hold", "read": "force", "component": "z"},
            {"name": "energy", "of": "world", "read": "kinetic-energy"}],
    })
}

#[test]
fn a_rope_in_an_eye_or_a_clip_of_a_table_still_lies_on_the_table() {
    let to = json!({"on": "table", "at": [0, 0, 0.02 + RADIUS]});
    for (name, held) in [
        ("eye", json!({"keyhole": {"on": "rope", "at": 0.4, "to": to, "friction": 0.5}})),
        ("clip", json!({"clip": {"on": "rope", "at": 0.4, "to": to, "hold": "position", "strength": 1000}})),
        ("joint", json!({"joint": {"kind": "ball", "on": "rope", "at": 0.4, "to": to}})),
    ] {
        let done = watch(on_table(held), |_, _| {});
        let world = done.world();
        for k in 0..=20 {
            let x = at(world, "rope", f64::from(k) / 20.0);
            // The table carries it: a tenth of the radius is far above the sag between contacts.
            assert!((x.z - RADIUS).abs() < 0.1 * RADIUS, "{name}: {x}");
        }
        // Table and eye together carry the weight.
        let weight = std::f64::consts::PI * RADIUS * RADIUS * 1000.0 * 0.8 * G;
        let sum = probe(&done, "push") + probe(&done, "hold");
        assert!((sum / weight - 1.0).abs() < 0.01, "{name}: {sum} N of {weight} N");
        assert!(probe(&done, "push") > 0.5 * weight, "{name}: {} N", probe(&done, "push"));
    }
}

#[test]
fn a_bead_does_not_fight_the_wire_on_which_it_slides() {
    // A ball with its centre on a wire: the wire is deep inside it. It slides as on a wire without contact.
    let scene = |contact: bool| {
        let mut scene = json!({
            "body": {"ball": {"shape": {"sphere": {"radius": 0.03}}, "mass": 0.1, "position": [0.3, 0, 0]}},
            "rod": {"wire": rope([0.0, 0.0, 0.0], [2.0, 0.0, -0.5], 20)},
            "constraint": {"a": {"clamp": {"on": "wire", "at": "start"}},
                "b": {"clamp": {"on": "wire", "at": "end"}},
                "eye": {"keyhole": {"on": "wire", "at": 0.3, "to": {"on": "ball", "at": [0, 0, 0]}}}},
            "settings": {"duration": 0.3, "step": 0.005},
            "probe": [read("x", "ball", "position", "x")],
        });
        let start = [0.3 * 2.0 / 4.25_f64.sqrt(), 0.0, -0.3 * 0.5 / 4.25_f64.sqrt()];
        scene["body"]["ball"]["position"] = json!(start);
        if contact {
            scene["contact"] = json!({"friction": 0.5});
        }
        scene
    };
    let [with, without] = [true, false].map(|contact| probe(&watch(scene(contact), |_, _| {}), "x"));
    assert!((with - without).abs() < 1e-9, "{with} m, without contact {without} m");
    assert!(without > 0.35, "{without} m");
}
