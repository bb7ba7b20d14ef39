//! Bodies under bad input, stiff loads, redundancy, snapshots and threads.

use super::{bar, rotation, spin};
use crate::common::{bits, build, equilibrium, force, is_finite, position, scene};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};

/// What is wrong with a scene: the path and the problem.
fn refused(description: Value) -> (String, String) {
    let error = Simulation::build(&scene(description)).expect_err("the scene is wrong");
    assert!(!error.remedy.is_empty(), "{error:?}");
    (error.path, error.problem)
}

#[test]
fn bad_bodies_and_joints_are_named() {
    let body = |fields: Value| json!({"body": {"a": fields}});
    let inertia = json!({"moments": [1, 1, 1]});
    let cases = [
        (body(json!({"mass": 0, "inertia": inertia})), "body.a.mass", "0"),
        (body(json!({"mass": -1, "inertia": inertia})), "body.a.mass", "-1"),
        (body(json!({"mass": 1})), "body.a.shape", "shape"),
        (body(json!({"shape": {"sphere": {"radius": 1}}})), "body.a.density", "mass"),
        (
            body(json!({"shape": {"sphere": {"radius": 1}}, "density": 1, "mass": 1})),
            "body.a.density",
            "mass",
        ),
        (body(json!({"shape": {"half-space": {}}, "density": 1})), "body.a.density", "infinite extent"),
        (
            body(json!({"shape": {"half-space": {}}, "mass": 1, "inertia": inertia})),
            "body.a.mass",
            "infinite extent",
        ),
        (body(json!({"fixed": true, "velocity": [1, 0, 0]})), "body.a.velocity", "fixed"),
        // 1 + 1 < 3
        (body(json!({"mass": 1, "inertia": {"moments": [1, 1, 3]}})), "body.a.inertia", "3"),
        (
            body(json!({"mass": 1, "inertia": inertia, "anchors": {"end": [0, 0, 0]}})),
            "body.a.anchors.end",
            "rod",
        ),
    ];
    for (description, path, word) in cases {
        let (found, problem) = refused(description.clone());
        assert!(found == path && problem.contains(word), "{description}: {found}: {problem}");
    }
    let joint = |fields: Value| {
        json!({"body": {"a": {"mass": 1, "inertia": {"moments": [1, 1, 1]}},
            "b": {"mass": 1, "inertia": {"moments": [1, 1, 1]}, "position": [1, 0, 0]}},
            "constraint": {"j": {"joint": fields}}})
    };
    let cases = [
        (json!({"on": "a", "kind": "hinge"}), "axis", "needs an axis"),
        (json!({"on": "a", "kind": "ball", "axis": [1, 0, 0]}), "axis", "no axis"),
        (json!({"on": "a", "kind": "ball", "to": {"on": "b"}}), "to", "1 m apart"),
        (json!({"on": "a", "kind": "universal", "axis": [1, 0, 0]}), "cross", "second arm"),
        (json!({"on": "a", "kind": "ball", "at": "knob"}), "at", "no anchor"),
        (json!({"on": "a", "kind": "ball", "at": "20 %"}), "at", "along a rod"),
        (json!({"on": "a", "kind": "slider", "axis": [1, 0, 0], "angle": {}}), "angle", "no such coordinate"),
        (
            json!({"on": "a", "kind": "hinge", "axis": [1, 0, 0], "angle": {"least": 1}}),
            "angle.least",
            "excludes",
        ),
        (
            json!({"on": "a", "kind": "hinge", "axis": [1, 0, 0], "angle": {"mu": 1}}),
            "angle.bearing_radius",
            "mu",
        ),
    ];
    for (fields, path, word) in cases {
        let (found, problem) = refused(joint(fields.clone()));
        assert!(
            found == format!("constraint.j.joint.{path}") && problem.contains(word),
            "{fields}: {found}: {problem}"
        );
    }
}

/// A chain of three bars on hinges, with a motor, a limit and friction.
fn chain(settings: Value) -> Value {
    let joint = |on: &str, to: Value, more: Value| {
        let mut joint = json!({"on": on, "at": [-0.5, 0, 0], "to": to, "kind": "hinge", "axis": [0, 1, 0]});
        joint["angle"] = more;
        json!({"joint": joint})
    };
    json!({
        "settings": settings,
        "body": {"a": bar([0.5, 0.0, 0.0], [0.0; 3]), "b": bar([1.5, 0.0, 0.0], [0.0; 3]),
            "c": bar([2.5, 0.0, 0.0], [0.0; 3])},
        "constraint": {
            "first": joint("a", Value::Null, json!({"motor": {"velocity": {"target": 1, "strength": 30}}})),
            "second": joint("b", json!({"on": "a", "at": [0.5, 0, 0]}), json!({"least": -0.5, "most": 0.5})),
            "third": joint("c", json!({"on": "b", "at": [0.5, 0, 0]}),
                json!({"mu": 0.2, "bearing_radius": 0.02})),
        },
    })
}

#[test]
fn snapshot_of_a_chain_of_bodies_goes_on_with_the_same_bits() {
    for integrator in ["euler", "bdf2"] {
        let description = chain(json!({"step": 0.005, "duration": 1, "integrator": integrator}));
        let mut run = build(description.clone());
        for _ in 0..40 {
            assert!(!run.step(&NoClock).held);
        }
        let (mut again, _) = Simulation::restore(&run.snapshot(&scene(description))).expect("a snapshot");
        for _ in 0..40 {
            run.step(&NoClock);
            again.step(&NoClock);
            assert_eq!(bits(run.world()), bits(again.world()));
        }
        assert!(is_finite(run.world()));
    }
}

#[test]
fn light_bars_that_carry_a_heavy_load_are_stable() {
    // Two kinked bars of 0.1 m carry 1 kg. Without the curvature of rows steps blow up from h ω = 2 on, ω²
    // about 2 m g/(m_l l).
    for mass in [1e-2, 1e-4] {
        let light = |x: f64, angle: f64| {
            let moment = mass * 0.01 / 12.0;
            json!({"mass": mass, "inertia": {"moments": [0.02 * moment, moment, moment]},
                "position": [x, 0, if x == 0.0 { -0.05 } else { -0.15 }], "rotation": [0, angle, 0]})
        };
        let up = std::f64::consts::FRAC_PI_2;
        for integrator in ["euler", "bdf2"] {
            let mut run = build(json!({
                "settings": {"step": 0.005, "duration": 2, "integrator": integrator},
                "body": {"upper": light(0.0, up), "lower": light(1e-9, up)},
                "mass": {"load": {"mass": 1, "position": [0, 0, -0.2], "velocity": [0.1, 0, 0]}},
                "constraint": {
                    "top": {"joint": {"on": "upper", "at": [-0.05, 0, 0], "kind": "ball"}},
                    "knee": {"joint": {"on": "upper", "at": [0.05, 0, 0], "kind": "ball",
                        "to": {"on": "lower", "at": [-0.05, 0, 0]}}},
                    "hook": {"joint": {"on": "lower", "at": [0.05, 0, 0], "kind": "ball",
                        "to": {"on": "load"}}},
                },
            }));
            let energy = run.world().energy().total();
            while !run.finished() {
                let report = run.step(&NoClock);
                assert!(!report.held, "{mass} {integrator} {report:?}");
            }
            // It swings with 0.1 m/s at most, and gains nothing beyond a hundredth of its 5 mJ.
            let gained = run.world().energy().total() - energy;
            assert!(gained < 5e-5, "{mass} {integrator}: {gained}");
            let drop = position(run.world(), "load").z + 0.2;
            assert!((-1e-6..2e-3).contains(&drop), "{mass} {integrator}: {drop}");
        }
    }
}

#[test]
fn redundant_joints_share_their_force_and_keep_the_motion() {
    let cubes = |joints: usize, settings: Value| {
        let cube = |k: usize| {
            json!({"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "density": 1000,
                "position": [0.1 * k as f64 + 0.05, 0, 0]})
        };
        let mut constraints = serde_json::Map::new();
        for pair in 0..6 {
            for j in 0..joints {
                // Along the edge between two cubes: all joints of a pair are on one line.
                let y = if joints == 1 { 0.0 } else { 0.05 - 0.1 * j as f64 / (joints - 1) as f64 };
                let mut joint = json!({"on": format!("c{pair}"), "at": [-0.05, y, 0.05], "kind": "ball"});
                if pair > 0 {
                    joint["to"] = json!({"on": format!("c{}", pair - 1), "at": [0.05, y, 0.05]});
                }
                constraints.insert(format!("j{pair}-{j}"), json!({"joint": joint}));
            }
        }
        let bodies: serde_json::Map<String, Value> = (0..6).map(|k| (format!("c{k}"), cube(k))).collect();
        json!({"settings": settings, "body": bodies, "constraint": constraints})
    };
    let settings = json!({"step": 0.005, "duration": 0.3, "solves": 10});
    let [mut few, mut many] = [2, 20].map(|joints| build(cubes(joints, settings.clone())));
    let mut apart = 0.0_f64;
    for _ in 0..60 {
        for run in [&mut few, &mut many] {
            let report = run.step(&NoClock);
            assert!(!report.held, "{report:?}");
        }
        apart = apart.max(position(few.world(), "c5").distance(position(many.world(), "c5")));
    }
    assert!(apart < 1e-8, "{apart:e}");
    assert!(position(few.world(), "c5").z < -0.3);
    // At rest the first joints of both chains carry the same weight together.
    let hung = equilibrium(cubes(20, json!({"mode": "static"})));
    let total: DVec3 = (0..20).map(|j| force(hung.world(), &format!("j0-{j}")).force).sum();
    assert!((total - DVec3::Z * 6.0 * 9.81).length() < 1e-6, "{total}");
}

#[test]
fn fast_spinning_body_on_a_joint_is_substepped_and_a_free_one_is_not() {
    let wheel = json!({"mass": 1, "inertia": {"moments": [0.02, 0.012, 0.012]}, "spin": [1000, 0, 0]});
    let mut free = build(json!({"settings": {"step": 0.01, "duration": 0.1}, "body": {"a": wheel}}));
    let mut held = build(json!({"settings": {"step": 0.01, "duration": 0.1}, "body": {"a": wheel},
        "constraint": {"axle": {"joint": {"on": "a", "kind": "hinge", "axis": [1, 0, 0]}}}}));
    while !free.finished() {
        let (free, held) = (free.step(&NoClock), held.step(&NoClock));
        assert!(!free.held && free.substeps <= 1, "{free:?}");
        assert!(!held.held && held.substeps >= 8, "{held:?}");
    }
    for run in [&free, &held] {
        assert!((spin(run, "a").x - 1000.0).abs() < 1e-6, "{}", spin(run, "a"));
        assert!(rotation(run, "a").is_normalized());
    }
}

#[test]
fn body_between_ropes_changes_to_quasi_static_and_back() {
    // A beam that hangs on two ropes comes to rest; its scheme may be quasi-dynamic.
    let rope = |x: f64| {
        json!({"shape": {"line": {"from": [x, 0, 1], "to": [x, 0, 0]}}, "radius": 0.005, "young": 1e7,
            "density": 1000, "segments": 8, "damping": {"mass": 2}})
    };
    let mut run = build(json!({
        "settings": {"step": 0.01, "duration": 4, "mode": "quasi-dynamic"},
        "rod": {"left": rope(-0.4), "right": rope(0.4)},
        "body": {"beam": {"shape": {"box": {"size": [1, 0.1, 0.1]}}, "density": 50}},
        "constraint": {
            "a": {"position": {"on": "left", "at": "start"}},
            "b": {"position": {"on": "right", "at": "start"}},
            "c": {"joint": {"on": "left", "at": "end", "kind": "ball",
                "to": {"on": "beam", "at": [-0.4, 0, 0]}}},
            "d": {"joint": {"on": "right", "at": "end", "kind": "ball",
                "to": {"on": "beam", "at": [0.4, 0, 0]}}},
        },
    }));
    while !run.finished() {
        let report = run.step(&NoClock);
        assert!(!report.held, "{report:?}");
    }
    let weight = 9.81 * (0.5 + 2.0 * std::f64::consts::PI * 25e-6 * 1000.0);
    let carried = force(run.world(), "a").force + force(run.world(), "b").force;
    assert!((carried.z / weight - 1.0).abs() < 0.02, "{carried} {weight}");
}

#[test]
fn a_body_with_hardly_any_inertia_on_an_arm_is_a_pendulum_and_no_contradiction() {
    // The compliance of the rows is r²/I in two directions and 1/m along the arm, which is oblique.
    let arm = [0.06, 0.0, 0.08];
    let settings = json!({"step": 0.001, "duration": 0.3});
    // θ'' = −g/r sin θ by Runge–Kutta, from above the joint.
    let rate = |[angle, spin]: [f64; 2]| [spin, -9.81 / 0.1 * angle.sin()];
    let mut exact = [0.06_f64.atan2(-0.08), 0.0];
    for _ in 0..3000 {
        let on = |k: [f64; 2], by: f64| [exact[0] + by * k[0], exact[1] + by * k[1]];
        let first = rate(exact);
        let second = rate(on(first, 0.5e-4));
        let third = rate(on(second, 0.5e-4));
        let last = rate(on(third, 1e-4));
        let mean = |k: usize| (first[k] + 2.0 * (second[k] + third[k]) + last[k]) / 6.0;
        exact = on([mean(0), mean(1)], 1e-4);
    }
    let point = DVec3::new(0.1 * exact[0].sin(), 0.0, -0.1 * exact[0].cos());
    for inertia in [1e-8, 1e-11, 1e-12, 2e-13] {
        let at = arm.map(|x| -x);
        let mut body = build(json!({"settings": settings,
            "body": {"a": {"mass": 1, "inertia": {"moments": [inertia, inertia, inertia]}, "position": arm}},
            "constraint": {"pin": {"joint": {"on": "a", "at": at, "kind": "ball"}}}}));
        while !body.finished() {
            let report = body.step(&NoClock);
            assert!(!report.held && report.conflicting_rows == 0, "{inertia} {report:?}");
        }
        // (h ω)²/12 of the way, with ω up to 19 rad/s; velocities half a step late at the start: g h t/2.
        let off = position(body.world(), "a").distance(point);
        assert!(off < 2e-3, "{inertia}: {off} m");
    }
}
