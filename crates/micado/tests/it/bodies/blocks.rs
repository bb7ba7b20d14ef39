//! Blocks of chosen directions against the joints that hold the same directions, and against theory.

use crate::common::{build, constraint, force, scene};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};

const G: f64 = 9.81;

/// Two boxes that tumble, joined by a constraint at a point between them; the second one hangs on a point.
fn pair(joined: Value, settings: Value) -> Simulation {
    build(json!({
        "body": {
            "a": {"shape": {"box": {"size": [0.4, 0.2, 0.1]}}, "mass": 1, "position": [0.3, 0.1, 0.2],
                "rotation": [0.3, -0.2, 0.5], "velocity": [0.2, -0.1, 0.3]},
            "b": {"shape": {"box": {"size": [0.3, 0.3, 0.2]}}, "mass": 2, "position": [0, 0, 0],
                "rotation": [-0.4, 0.7, 0.2], "spin": [0.5, 2, -1]}},
        "constraint": {"j": joined, "hang": {"joint": {"on": "b", "at": [-0.15, 0, 0], "kind": "ball"}}},
        "settings": settings,
    }))
}

/// Largest difference of the poses of two runs over some steps.
fn apart(mut first: Simulation, mut second: Simulation, steps: usize) -> f64 {
    let mut worst = 0.0_f64;
    for _ in 0..steps {
        for run in [&mut first, &mut second] {
            let report = run.step(&NoClock);
            assert!(!report.held && report.refused.is_none(), "{report:?}");
        }
        let [p, q] = [&first, &second].map(|run| run.world().state().q.as_slice());
        worst = p.iter().zip(q).map(|(p, q)| (p - q).abs()).fold(worst, f64::max);
    }
    worst
}

#[test]
fn blocks_move_as_the_joints_that_hold_the_same_directions() {
    // The axes of the second place, in the world.
    let turn = micado::geometry::rotation::exp(DVec3::new(-0.4, 0.7, 0.2));
    // The point where they are joined, in the axes of the bodies: the origin of `b` and its image on `a`.
    let back = micado::geometry::rotation::exp(DVec3::new(0.3, -0.2, 0.5)).transpose();
    let at = (back * (DVec3::ZERO - DVec3::new(0.3, 0.1, 0.2))).to_array();
    let cases = [
        ("weld", None, json!(["x", "y", "z", "rx", "ry", "rz"])),
        ("ball", None, json!(["z", "x", "y"])),
        ("hinge", Some(0), json!(["x", "y", "z", "ry", "rz"])),
        ("hinge", Some(1), json!(["x", "y", "z", "rx", "rz"])),
        ("hinge", Some(2), json!(["x", "y", "z", "rx", "ry"])),
        ("slider", Some(1), json!(["x", "z", "rx", "ry", "rz"])),
        ("cylindrical", Some(0), json!(["y", "z", "ry", "rz"])),
        ("planar", Some(2), json!(["z", "rx", "ry"])),
    ];
    for integrator in ["euler", "bdf2"] {
        let settings = json!({"integrator": integrator, "solves": 4, "step": 2e-3});
        for (kind, axis, hold) in &cases {
            let mut joint = json!({"on": "a", "at": at, "to": {"on": "b"}, "kind": kind});
            if let Some(axis) = axis {
                joint["axis"] = json!(turn.col(*axis).to_array());
            }
            let block = json!({"on": "a", "at": at, "to": {"on": "b"}, "hold": hold});
            let [joint, block] = [json!({"joint": joint}), json!({"block": block})]
                .map(|joined| pair(joined, settings.clone()));
            let off = apart(joint, block, 250);
            // Rounding, and the residual of four solves.
            assert!(off < 1e-9, "{integrator} {kind} {axis:?}: {off:e}");
        }
    }
}

#[test]
fn a_body_whose_displacement_along_one_direction_is_held_falls_freely_along_the_others() {
    let mut run = build(json!({
        "body": {"a": {"shape": {"box": {"size": [0.4, 0.2, 0.1]}}, "mass": 2,
            "velocity": [0.5, 0.3, 0.2], "spin": [0.4, 1.2, -0.3]}},
        "constraint": {"floor": {"block": {"on": "a", "hold": ["z"]}}},
        "settings": {"step": 5e-3},
    }));
    for _ in 0..200 {
        let report = run.step(&NoClock);
        assert!(!report.held && report.refused.is_none(), "{report:?}");
    }
    let world = run.world();
    let x = DVec3::from_slice(&world.state().q[..3]);
    // The centre of mass is held, so nothing turns or brakes the body.
    assert!((x - DVec3::new(0.5, 0.3, 0.0)).length() < 1e-9, "{x}");
    let push = force(world, "floor");
    assert!((push.force - DVec3::Z * 2.0 * G).length() < 1e-6 && push.moment.length() < 1e-9, "{push:?}");
}

#[test]
fn a_body_that_may_not_turn_about_one_axis_feels_the_moment_of_its_load_there() {
    // A hinge about y, and a block of the rotation that the hinge leaves free. The weight acts 0.1 m from the
    // axis. The block carries this moment and no force.
    let mut run = build(json!({
        "body": {"a": {"shape": {"box": {"size": [0.4, 0.2, 0.1]}}, "mass": 2}},
        "constraint": {
            "line": {"block": {"on": "a", "at": [-0.1, 0, 0], "hold": ["x", "y", "z", "rx", "rz"]}},
            "turn": {"block": {"on": "a", "hold": ["ry"]}}},
        "settings": {"mode": "static"},
    }));
    let report = run.step(&NoClock);
    assert!(report.converged, "{report:?}");
    let world = run.world();
    let [line, turn] = ["line", "turn"].map(|name| force(world, name));
    assert!((line.force - DVec3::Z * 2.0 * G).length() < 1e-8, "{line:?}");
    // The weight exerts a moment about +y; the block exerts the opposite.
    assert!((turn.moment - DVec3::Y * -0.2 * G).length() < 1e-8 && turn.force.length() < 1e-9, "{turn:?}");
}

#[test]
fn blocks_hold_rods_of_every_model_masses_and_bodies() {
    let objects = json!({
        "rod": {"r": {"shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "segments": 8,
            "stiffness": {"stretch": 1e4, "bend": 10, "twist": 10}, "mass_per_length": 0.2,
            "damping": {"mass": 2, "internal": 0.01}}},
        "mass": {"m": {"position": [1, 0, 0], "mass": 0.3}},
        "body": {"b": {"shape": {"sphere": {"radius": 0.1}}, "mass": 0.5, "position": [1, 0, 0]}},
    });
    let mut held = 0;
    for model in ["spline", "discrete-elastic", "beam", "mass-spring"] {
        let frames = model != "mass-spring";
        for (on, to, framed) in [
            ("r", None, frames),
            ("r", Some("b"), frames),
            ("b", Some("r"), frames),
            ("m", Some("b"), false),
            ("m", None, false),
            ("b", None, true),
        ] {
            for hold in [json!(["x", "y", "z", "rx", "ry", "rz"]), json!(["x", "z"]), json!(["rx", "ry"])] {
                let turns = hold.as_array().expect("words").iter().any(|word| word != "x" && word != "z");
                let mut parts = objects.clone();
                parts["rod"]["r"]["model"] = json!(model);
                let end = |name: &str| if name == "r" { json!("end") } else { Value::Null };
                let mut block = json!({"on": on, "hold": hold});
                if on == "r" {
                    block["at"] = end(on);
                }
                if let Some(to) = to {
                    block["to"] = json!({"on": to});
                    if to == "r" {
                        block["to"]["at"] = end(to);
                    }
                }
                parts["constraint"] = json!({"k": {"block": block},
                    "root": {"position": {"on": "r", "at": "start"}}});
                parts["settings"] = json!({"step": 5e-3});
                let built = Simulation::build(&scene(parts));
                let carried_by_rod = to == Some("r") && !frames;
                if (turns && !framed) || carried_by_rod {
                    let error = built.err().unwrap_or_else(|| panic!("{model} {on} {to:?} {hold}"));
                    assert!(error.path.starts_with("constraint.k.block"), "{error:?}");
                    continue;
                }
                let mut run = built.unwrap_or_else(|e| panic!("{model} {on} {to:?} {hold}: {e:?}"));
                for _ in 0..40 {
                    let report = run.step(&NoClock);
                    assert!(
                        !report.held && report.refused.is_none(),
                        "{model} {on} {to:?} {hold} {report:?}"
                    );
                }
                let world = run.world();
                let k = constraint(world, "k");
                let miss = world.constraint_miss(k).expect("a block");
                // One pass per step: the error is the square of the turn in a step.
                assert!(miss < 1e-5, "{model} {on} {to:?} {hold}: {miss:e}");
                // The force is along the held directions only; the world has its axes.
                if to.is_none() && !turns {
                    assert!(force(world, "k").force.y.abs() < 1e-9, "{:?}", force(world, "k"));
                }
                held += 1;
            }
        }
    }
    assert!(held > 40, "{held}");
}

#[test]
fn blocks_without_directions_or_with_one_twice_are_refused() {
    let refused = |hold: Value| {
        let scene = scene(json!({
            "body": {"a": {"shape": {"sphere": {"radius": 0.1}}, "mass": 1}},
            "constraint": {"k": {"block": {"on": "a", "hold": hold}}}}));
        Simulation::build(&scene).expect_err("refused")
    };
    let empty = refused(json!([]));
    assert_eq!(empty.path, "constraint.k.block.hold");
    assert!(empty.remedy.contains("`rx`"), "{empty:?}");
    let twice = refused(json!(["x", "ry", "x"]));
    assert!(twice.path == "constraint.k.block.hold[2]" && twice.problem.contains("twice"), "{twice:?}");
    let unknown = serde_json::from_value::<micado::scene::Scene>(json!({
        "constraint": {"k": {"block": {"on": "a", "hold": ["w"]}}}}));
    let error = unknown.expect_err("refused").to_string();
    assert!(error.contains("`w`") && error.contains("`rz`"), "{error}");
}
