//! Bent rods and ropes on cylinders: the force where a contact moves along a curve.

use super::{MODELS, read, watch};
use crate::common::{force, object, probe};
use glam::DVec3;
use serde_json::{Value, json};
use std::f64::consts::{FRAC_PI_2, PI};

/// Radius of all rods and balls, m, and of the bend.
const RADIUS: f64 = 0.01;
const BEND: f64 = 0.2;
const STEP: f64 = 1e-3;

/// The object that is drawn along the bent rod.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Drawn {
    Ball,
    Rod,
}

/// An object of 1 kg that moves along a rod that is bent to half a circle about the origin: on the inside, or
/// on the outside and pulled to the centre. The bent rod is too heavy to be moved.
fn drawn(model: &str, drawn: Drawn, inside: bool) -> Value {
    let through: Vec<[f64; 3]> = (0..=400)
        .map(|k| {
            let (sin, cos) = (PI * (f64::from(k) / 400.0 - 0.5)).sin_cos();
            [BEND * cos, 0.0, BEND * sin]
        })
        .collect();
    let stiff = if model == "mass-spring" { 1e-9 } else { 1e6 };
    let mut bent = json!({"model": model, "shape": {"points": {"through": through}}, "radius": RADIUS,
        "stiffness": {"stretch": 1e9, "bend": stiff, "twist": stiff}, "mass_per_length": 1e6,
        "segments": 48});
    if model != "mass-spring" {
        bent["natural"] = json!("as-shaped");
    }
    let path = if inside { BEND - 2.0 * RADIUS } else { BEND + 2.0 * RADIUS };
    let (sin, cos) = (-0.4_f64).sin_cos();
    let (x, v) = ([path * cos, 0.0, path * sin], [-0.3 * sin, 0.0, 0.3 * cos]);
    let mut scene = json!({
        "contact": {}, "rod": {"bent": bent},
        "settings": {"duration": 0.3, "step": STEP, "gravity": [0, 0, 0]},
        "probe": [read("force", "drawn", "contact-force", "norm")],
    });
    let end = match drawn {
        Drawn::Ball => {
            scene["mass"] = json!({"drawn": {"position": x, "mass": 1, "radius": RADIUS, "velocity": v}});
            json!({"mass": "drawn"})
        }
        Drawn::Rod => {
            let along = |y: f64| [x[0], y, x[2]];
            scene["rod"]["drawn"] = json!({"shape": {"line": {"from": along(-0.05), "to": along(0.05)}},
                "radius": RADIUS, "stiffness": {"stretch": 1e7, "bend": 1e3, "twist": 1e3},
                "mass_per_length": 10, "segments": 2, "velocity": v});
            json!({"rod": {"on": "drawn", "at": "50 %"}})
        }
    };
    if !inside {
        // Three times as much as the centrifugal force.
        let stiffness = 3.0 * 0.3 * 0.3 / (BEND * BEND);
        scene["spring"] = json!({"to_centre": {"linear": {"from": end, "to": {"point": [0, 0, 0]},
            "stiffness": stiffness, "length": 0}}});
    }
    scene
}

#[test]
fn the_force_along_a_bent_rod_is_that_of_its_curvature_at_every_place() {
    for model in MODELS {
        for thing in [Drawn::Ball, Drawn::Rod] {
            for inside in [true, false] {
                let (mut steps, mut worst, mut before) = (0, 0.0_f64, None);
                watch(drawn(model, thing, inside), |now, _| {
                    let world = now.world();
                    let thing = object(world, "drawn");
                    let place = match thing.rod() {
                        Some(rod) => world.section(thing, 0.5 * rod.length()).expect("a rod").position,
                        None => world.position(thing).expect("a mass"),
                    };
                    let speed = before.map_or(0.3, |x| place.distance(x) / STEP);
                    before = Some(place);
                    // A curve through vertices lies 0.04 mm inside the arc, where the ball begins: it lands
                    // on it in 0.02 s.
                    if now.time() < 0.12 {
                        return;
                    }
                    let (r, turn) = (place.length(), speed * speed / place.length());
                    let exact = if inside { turn } else { 3.0 * 0.09 / (BEND * BEND) * r - turn };
                    worst = worst.max((probe(now, "force") / exact - 1.0).abs());
                    steps += 1;
                });
                // The curvature of a curve through vertices, 3.75° apart, wavers by 0.4 %; of splines less.
                assert!(steps > 150 && worst < 5e-3, "{model}, {thing:?}, inside: {inside}: {worst}");
            }
        }
    }
}

#[test]
fn a_rope_round_a_smooth_cylinder_presses_with_the_sum_of_its_tensions() {
    const TENSION: f64 = 10.0;
    const POST: f64 = 0.1;
    const ROPE: f64 = 0.001;
    for model in MODELS {
        let per_turn = 36.0;
        let (axis, turn) = (POST + ROPE, 2.0 * PI / per_turn);
        let at = |angle: f64| {
            let (sin, cos) = angle.sin_cos();
            (axis * DVec3::new(sin, 0.0, cos), DVec3::new(cos, 0.0, -sin))
        };
        let (low, high) = (at(-0.25 * PI), at(0.25 * PI));
        let (around, tail, length) = (9, 6, axis * turn);
        let before = (1..=4 * tail).rev().map(|k| low.0 - low.1 * (0.25 * length * f64::from(k)));
        let on = (0..=4 * around).map(|k| at((f64::from(k) / f64::from(4 * around) - 0.5) * FRAC_PI_2).0);
        let after = (1..=4 * tail).map(|k| high.0 + high.1 * (0.25 * length * f64::from(k)));
        let through: Vec<DVec3> = before.chain(on).chain(after).collect();
        let pull = |at: &str, force: DVec3| json!({"force": {"on": "rope", "at": at, "force": force}});
        let mut scene = json!({
            "contact": {},
            "body": {"post": {"shape": {"cylinder": {"radius": POST, "length": 0.5}}, "fixed": true,
                "rotation": [0, 0, FRAC_PI_2]}},
            "rod": {"rope": {"model": model, "shape": {"points": {"through": through}}, "radius": ROPE,
                "stiffness": {"stretch": 1e4, "bend": 5e-5, "twist": 5e-5}, "mass_per_length": 0.02,
                "segments": around + 2 * tail - i32::from(model == "discrete-elastic"),
                "damping": {"internal": 0.01, "mass": 50}}},
            "load": {"start": pull("start", low.1 * -TENSION), "end": pull("end", high.1 * TENSION)},
            "settings": {"duration": 2, "step": 0.005, "gravity": [0, 0, 0]},
        });
        // Nothing else keeps it from sliding.
        scene["constraint"] = json!({"middle": {"plane": {"on": "rope", "at": "50 %", "normal": [1, 0, 0]}}});
        if model != "mass-spring" {
            scene["constraint"]["roll"] = json!({"roll": {"on": "rope", "at": "start"}});
        }
        let done = watch(scene, |_, _| {});
        let forces: Vec<DVec3> = done.world().surface_contacts().map(|contact| contact.force).collect();
        // At rest the forces of the cylinder balance both pulls. Motion is damped with 50 1/s for 2 s.
        let sum = forces.iter().copied().sum::<DVec3>();
        let held = force(done.world(), "middle").force;
        let off = (sum + held + (high.1 - low.1) * TENSION).length() / (2.0_f64.sqrt() * TENSION);
        assert!(off < 1e-6 && held.length() < 1e-3 * TENSION, "{model}: {off:e}, {held} N");
    }
}
