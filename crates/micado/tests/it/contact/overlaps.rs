//! Objects that overlap at the start are separated without speed and reported; ends of a cut don't push.

use super::{CUBE, MODELS};
use crate::common::{at, build, probe};
use micado::clock::NoClock;
use micado::describe::anchor::At;
use micado::scene::{Cut, Edit};
use serde_json::{Value, json};

fn ball(at: [f64; 3], radius: f64) -> Value {
    json!({"shape": {"sphere": {"radius": radius}}, "mass": 1, "position": at})
}

fn cuboid(at: [f64; 3], turn: [f64; 3]) -> Value {
    json!({"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "mass": 1, "position": at, "rotation": turn})
}

fn rope(model: &str, from: [f64; 3], to: [f64; 3]) -> Value {
    json!({"model": model, "shape": {"line": {"from": from, "to": to}}, "radius": 0.01, "young": 1e7,
        "density": 1000, "segments": 10})
}

/// Runs a scene without gravity. Returns the overlaps at the start and at the end, m, and the largest kinetic
/// energy on the way, J.
fn part(mut scene: Value, steps: u32) -> [f64; 3] {
    scene["contact"] = json!({"friction": 0.3});
    scene["settings"] = json!({"duration": 0.01 * f64::from(steps), "step": 0.01, "gravity": [0, 0, 0]});
    scene["probe"] = json!([{"name": "energy", "of": "world", "read": "kinetic-energy"}]);
    let deepest = |world: &micado::world::World| world.overlaps().first().map_or(0.0, |first| first.depth);
    let before = deepest(build(scene.clone()).world());
    let mut energy = 0.0_f64;
    let mut done = build(scene.clone());
    while !done.finished() {
        let report = done.step(&NoClock);
        assert!(!report.held, "{report:?}: {scene}");
        energy = energy.max(probe(&done, "energy"));
    }
    [before, deepest(done.world()), energy]
}

#[test]
fn overlaps_at_the_start_part_within_twenty_steps_without_speed() {
    let mut scenes = vec![
        ("balls", json!({"body": {"a": ball([0.0; 3], 0.05), "b": ball([0.05, 0.0, 0.0], 0.05)}}), 0.0),
        ("concentric balls", json!({"body": {"a": ball([0.0; 3], 0.05), "b": ball([0.0; 3], 0.05)}}), 0.0),
        (
            "boxes",
            json!({"body": {"a": cuboid([0.0; 3], [0.0; 3]),
            "b": cuboid([0.05, 0.03, 0.02], [0.2, 0.3, 0.1])}}),
            0.0,
        ),
        ("ball in floor", json!({"floor": true, "body": {"a": ball([0.0, 0.0, 0.02], 0.05)}}), 0.0),
        (
            "coincident boxes",
            json!({"body": {"a": cuboid([0.0; 3], [0.0; 3]),
            "b": cuboid([0.0; 3], [0.0; 3])}}),
            0.0,
        ),
    ];
    // Rods bend where they are pushed apart, by about 10 mm of 1 m: then they are not at rest and swing.
    for model in MODELS {
        scenes.push((
            model,
            json!({"rod": {"a": rope(model, [-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]),
            "b": rope(model, [0.0, -0.5, 0.01], [0.0, 0.5, 0.01])}}),
            1e-3,
        ));
        scenes.push((
            model,
            json!({"floor": true,
            "rod": {"a": rope(model, [0.0, 0.0, 0.004], [1.0, 0.0, 0.004])}}),
            1e-3,
        ));
    }
    for (name, scene, most) in scenes {
        let [before, after, energy] = part(scene, 20);
        assert!(before > 1e-3, "{name}: {before} m");
        assert!(after < 1e-9, "{name}: {after} m of {before} m are left");
        // Rounding: no speed follows from a separation.
        assert!(energy < most + 1e-18, "{name}: {energy} J");
    }
}

#[test]
fn absurd_overlaps_part_slowly_and_do_not_explode() {
    let corners: Vec<[f64; 3]> =
        (0..8).map(|k| [0, 1, 2].map(|bit| f64::from(k >> bit & 1) * 2.0 - 1.0)).collect();
    let room =
        json!({"shape": {"mesh": {"vertices": corners, "triangles": CUBE, "scale": 0.2}}, "fixed": true});
    for (name, scene) in [
        (
            "rod in a box",
            json!({"body": {"box": {"shape": {"box": {"size": [0.3, 0.3, 0.3]}}, "mass": 5}},
            "rod": {"rod": rope("spline", [-0.5, 0.0, 0.0], [0.5, 0.0, 0.0])}}),
        ),
        ("ball in a mesh", json!({"body": {"room": room, "ball": ball([0.01, 0.02, 0.03], 0.05)}})),
        (
            "rods in one place",
            json!({"rod": {"a": rope("spline", [-0.5, 0.0, 0.0], [0.5, 0.0, 0.0]),
            "b": rope("discrete-elastic", [-0.5, 0.0, 0.0], [0.5, 0.0, 0.0])}}),
        ),
        ("box in floor", json!({"floor": true, "body": {"box": cuboid([0.0, 0.0, -1.0], [0.1, 0.2, 0.3])}})),
    ] {
        let [before, after, energy] = part(scene, 40);
        assert!(before > 0.01, "{name}: {before} m");
        assert!(after < before, "{name}: {after} m of {before} m are left");
        // A rod that is bent by a separation has energy; 1 mJ is a speed of 0.1 m/s of a tenth of its mass.
        assert!(energy < 1e-3, "{name}: {energy} J");
    }
}

#[test]
fn the_ends_that_a_cut_leaves_do_not_push_each_other_until_they_have_been_apart() {
    for model in MODELS {
        // A taut rope is cut in the middle; a slack one too.
        for stretch in [0.0, 0.01] {
            let scene = json!({
                "contact": {},
                "rod": {"rope": rope(model, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0])},
                "constraint": {
                    "left": {"position": {"on": "rope", "at": "start", "target": [-0.5 * stretch, 0, 0]}},
                    "right": {"position": {"on": "rope", "at": "end",
                        "target": [1.0 + 0.5 * stretch, 0, 0]}}},
                "settings": {"duration": 1, "step": 0.005, "gravity": [0, 0, 0]},
            });
            let mut now = build(scene);
            for _ in 0..40 {
                now.step(&NoClock);
            }
            let kinetic = now.world().energy().kinetic;
            let cut =
                Cut { rod: "rope".into(), at: At::Share(0.5), first: None, second: Some("tail".into()) };
            now.apply(&Edit::Cut(cut)).expect("it is cut");
            let stored = now.world().energy().total();
            let mut gap = 0.0;
            for _ in 0..40 {
                let report = now.step(&NoClock);
                assert!(!report.held, "{model}: {report:?}");
                let energy = now.world().energy().total();
                // No energy comes from the overlap of the two round ends.
                assert!(energy <= stored * (1.0 + 1e-9) + 1e-12, "{model}: {energy} J, {stored} J stored");
                gap = at(now.world(), "tail", 0.0).x - at(now.world(), "rope", 1.0).x;
            }
            if stretch == 0.0 {
                assert!(gap.abs() < 1e-6, "{model}: {gap} m, {kinetic} J");
            } else {
                assert!(gap > 0.005, "{model}: {gap} m");
            }
        }
    }
}
