//! Joints break at their strength and hold below it.

use super::spin;
use crate::common::{build, constraint, equilibrium, force, happened, position, probe, scene, solved};
use glam::DVec3;
use micado::clock::{CostModel, NoClock, VirtualClock};
use micado::run::{EventKind, Simulation};
use micado::scene::Mode;
use serde_json::{Value, json};

const G: f64 = 9.81;

/// A body of 2 kg that hangs with its centre 0.3 m below the origin; `joints` hold it there.
fn weight(settings: Value, joints: Value) -> Value {
    json!({
        "settings": settings,
        "body": {"weight": {"mass": 2, "inertia": {"moments": [0.02, 0.03, 0.04]}, "position": [0, 0, -0.3],
            "anchors": {"top": [0, 0, 0.3]}}},
        "constraint": joints,
        "probe": [{"name": "held", "of": "a", "read": "held"},
            {"name": "used", "of": "a", "read": "strength-used"}],
    })
}

fn ball(strength: f64) -> Value {
    json!({"joint": {"on": "weight", "at": "top", "kind": "ball", "strength": {"force": strength}}})
}

fn dynamic(integrator: &str) -> Value {
    json!({"step": 0.005, "duration": 0.3, "integrator": integrator})
}

fn finish(run: &mut Simulation) {
    while !run.finished() {
        let report = run.step(&NoClock);
        assert!(!report.held && !report.unsettled, "{report:?}");
    }
}

#[test]
fn a_weight_below_the_strength_of_its_joint_hangs_and_one_above_falls() {
    let (load, end) = (2.0 * G, 0.3);
    for integrator in ["euler", "bdf2"] {
        let mut holds = build(weight(dynamic(integrator), json!({"a": ball(load * 1.001)})));
        finish(&mut holds);
        assert!(holds.events().is_empty(), "{:?}", holds.events());
        assert_eq!(probe(&holds, "held"), 1.0);
        assert!((probe(&holds, "used") * 1.001 - 1.0).abs() < 1e-9);

        let mut falls = build(weight(dynamic(integrator), json!({"a": ball(load * 0.999)})));
        let broke = falls.step(&NoClock).broke.expect("an overload");
        // It yields at its strength; the load is a thousandth larger.
        assert!((broke.force / (load * 0.999) - 1.0).abs() < 1e-12, "{broke:?}");
        assert!((broke.load * 0.999 - 1.0).abs() < 1e-9 && broke.moment == 0.0, "{broke:?}");
        assert!(matches!(&falls.events()[0].what,
            EventKind::Broken { joint, object, mode: Mode::Dynamic, .. }
                if joint == "a" && object == "weight"));
        // A probe reads the force of the break in that step, and nothing from the next step on.
        assert!((force(falls.world(), "a").force.z / (load * 0.999) - 1.0).abs() < 1e-12);
        assert_eq!(probe(&falls, "held"), 0.0);
        falls.step(&NoClock);
        assert_eq!((force(falls.world(), "a").force, probe(&falls, "used")), (DVec3::ZERO, 0.0));
        finish(&mut falls);
        // After the first step, in which a thousandth of its weight moves it, it falls freely.
        let fallen = -0.3 - position(falls.world(), "weight").z;
        let expected = 0.5 * G * (end - 0.005_f64).powi(2);
        assert!((fallen - expected).abs() < G * 0.005 * end, "{integrator} {fallen} {expected}");
        assert_eq!(falls.events().len(), 1, "{:?}", falls.events());
    }
}

#[test]
fn a_welded_bar_breaks_at_the_moment_of_its_weight() {
    let bar = |mode: &str, moment: f64| {
        json!({
            "settings": {"mode": mode, "step": 0.005, "duration": 0.02},
            "body": {"bar": super::bar([0.5, 0.0, 0.0], [0.0; 3])},
            "constraint": {"weld": {"joint": {"on": "bar", "at": "tip", "kind": "weld",
                "strength": {"moment": format!("{moment} N m")}}}},
        })
    };
    for mode in ["dynamic", "static"] {
        let (holds, report) = solved(bar(mode, 0.5 * G * 1.001));
        assert!(report.broke.is_none() && holds.events().is_empty(), "{mode} {report:?}");
        let (falls, report) = solved(bar(mode, 0.5 * G * 0.999));
        let broke = report.broke.expect("an overload");
        // Statics report the required moment, dynamic steps the strength at which the joint yields. Force and
        // moment act on the bar, which has begun to turn under a thousandth of its weight.
        let least = if mode == "static" { 0.5 * G } else { 0.5 * G * 0.999 };
        assert!((broke.moment / least - 1.0).abs() < 1e-9, "{mode} {broke:?}");
        assert!((broke.force / G - 1.0).abs() < 2e-3, "{mode} {broke:?}");
        assert!(happened!(falls, Broken), "{mode}");
    }
}

#[test]
fn joints_break_by_the_force_of_the_directions_that_they_hold() {
    // A body without weight is pulled across and along the axis, and twisted about both.
    let (axis, across) = (DVec3::X, DVec3::Y);
    // For each kind, whether it holds a force along and across the axis, and a moment about and across it.
    let kinds = [
        ("ball", [true, true, false, false]),
        ("weld", [true, true, true, true]),
        ("hinge", [true, true, false, true]),
        ("slider", [false, true, true, true]),
        ("cylindrical", [false, true, false, true]),
        ("planar", [true, false, false, true]),
    ];
    let mut checked = 0;
    for (kind, holds) in kinds {
        for (k, held) in holds.into_iter().enumerate() {
            let way = if k % 2 == 0 { axis } else { across };
            let pull = way * 10.0;
            let load = if k < 2 {
                json!({"force": {"on": "body", "force": pull.to_array()}})
            } else {
                json!({"moment": {"on": "body", "moment": pull.to_array()}})
            };
            let strength = if k < 2 { "force" } else { "moment" };
            if kind == "ball" && k >= 2 {
                continue;
            }
            for (share, breaks) in [(1.01, false), (0.99, held)] {
                let mut joint = json!({"on": "body", "kind": kind, "strength": {strength: 10.0 * share}});
                if !matches!(kind, "ball" | "weld") {
                    joint["axis"] = json!(axis.to_array());
                }
                let (run, report) = solved(json!({
                    "settings": {"step": 0.001, "duration": 1, "gravity": [0, 0, 0]},
                    "body": {"body": {"mass": 2, "inertia": {"moments": [0.02, 0.03, 0.04]}}},
                    "constraint": {"joint": {"joint": joint}},
                    "load": {"pull": load},
                }));
                assert_eq!(report.broke.is_some(), breaks, "{kind} {k} {share} {:?}", run.events());
                if let Some(broke) = report.broke {
                    let gave = if k < 2 { broke.force } else { broke.moment };
                    assert!((gave - 9.9).abs() < 1e-9, "{kind} {k} {broke:?}");
                }
                checked += 1;
            }
        }
    }
    assert_eq!(checked, 44);
}

#[test]
fn parallel_joints_count_with_the_sum_of_their_strengths() {
    let load = 2.0 * G;
    for mode in ["dynamic", "static"] {
        for (shares, breaks) in [
            ([0.51, 0.51], false),
            ([0.49, 0.49], true),
            ([0.2, 0.85], false),
            ([0.85, 0.2], false),
            ([0.2, 0.75], true),
        ] {
            let joints = json!({"a": ball(load * shares[0]), "b": ball(load * shares[1])});
            let settings = json!({"mode": mode, "step": 0.005, "duration": 0.02});
            let (run, report) = solved(weight(settings, joints));
            assert_eq!(report.broke.is_some(), breaks, "{mode} {shares:?} {report:?}");
            if let (Some(broke), "static") = (report.broke, mode) {
                let together: f64 = shares.iter().sum();
                assert!((broke.load * together - 1.0).abs() < 1e-6, "{shares:?} {broke:?}");
            }
            if !breaks {
                let sum = force(run.world(), "a").force.z + force(run.world(), "b").force.z;
                assert!((sum / load - 1.0).abs() < 1e-6, "{mode} {shares:?} {sum}");
            }
        }
    }
    // A joint without a strength carries the rest of the load of a joint with one.
    let strong = json!({"joint": {"on": "weight", "at": "top", "kind": "ball"}});
    let run = equilibrium(weight(json!({"mode": "static"}), json!({"a": ball(0.1 * load), "b": strong})));
    assert!(run.events().iter().all(|event| event.kind() == "redundant"), "{:?}", run.events());
}

#[test]
fn quasi_static_joint_breaks_at_the_force_of_the_equilibrium() {
    // A cable of 2.5 m between a hook and a joint that are 2 m apart begins out of equilibrium, and falls.
    let falling = |mode: &str, strength: f64| {
        json!({
            "settings": {"duration": 3, "step": 0.01, "mode": mode},
            "rod": {"cable": {
                "shape": {"slack": {"from": [-1, 0, 0], "to": [1, 0, 0], "length": 2.5, "sag": [0, 1, 0.4]}},
                "radius": 0.006, "young": 5e6, "density": 1100, "damping": {"mass": 30},
            }},
            "body": {"wall": {"fixed": true, "position": [1, 0, 1]}},
            "constraint": {
                "hook": {"position": {"on": "cable", "at": "start"}},
                "joint": {"joint": {"on": "cable", "at": "end", "to": {"on": "wall", "at": [0, 0, -1]},
                    "kind": "ball", "strength": {"force": strength}}},
            },
        })
    };
    let rest = force(equilibrium(falling("static", 8.0)).world(), "joint").force.length();
    let dear = || VirtualClock::new(CostModel { per_pass: 0.02, per_operation: 0.0, per_segment: 0.0 });
    for (share, breaks) in [(1.02, false), (0.98, true)] {
        let mut run = build(falling("quasi-dynamic", rest * share));
        let (mut broke, mut was_still) = (None, false);
        while !run.finished() && broke.is_none() {
            let report = run.step(&dear());
            was_still |= report.still_objects > 0;
            broke = report.broke;
        }
        assert!(was_still && broke.is_some() == breaks, "{share} {broke:?}");
        if let Some(broke) = broke {
            // Forces of an equilibrium are known to a thousandth.
            assert!((broke.load * share - 1.0).abs() < 3e-3, "{broke:?}");
            assert!((broke.force - rest * share).abs() < 1e-9 * rest, "{broke:?}");
        }
    }
}

#[test]
fn bodies_of_a_broken_joint_fly_freely_and_a_snapshot_continues_with_the_same_bits() {
    // Two joined bodies spin about each other in free flight, beside a third body. The joint breaks, which
    // leaves three islands.
    for integrator in ["euler", "bdf2"] {
        let body = |x: f64, v: f64| {
            json!({"mass": 1, "inertia": {"moments": [0.01, 0.02, 0.03]}, "position": [x, 0, 0],
                "velocity": [0, v, 0], "spin": [0, 0, 4]})
        };
        let given = scene(json!({
            "settings": {"step": 0.002, "duration": 0.2, "integrator": integrator, "gravity": [0, 0, 0]},
            "body": {"a": body(-0.5, -2.0), "b": body(0.5, 2.0), "c": body(5.0, 1.0)},
            "constraint": {"pin": {"joint": {"on": "a", "at": [0.5, 0, 0],
                "to": {"on": "b", "at": [-0.5, 0, 0]}, "kind": "weld", "strength": {"force": 7.5}}}},
        }));
        let mut run = Simulation::build(&given).expect("a simulation");
        // m ω² r = 8 N.
        let mut broke = None;
        // In the first step a scheme may need only half of the force.
        while broke.is_none() && run.steps() < 3 {
            broke = run.step(&NoClock).broke;
        }
        let broke = broke.expect("an overload");
        assert!((broke.force - 7.5).abs() < 1e-9, "{broke:?}");
        // BDF2 compensates for the other half in its second step.
        let needed = if integrator == "euler" { 8.0 } else { 16.0 };
        assert!((broke.load * 7.5 - needed).abs() < 0.01, "{broke:?}");
        assert!(run.world().state().constraints[constraint(run.world(), "pin")].open);
        let (from, mut copy) =
            (run.time(), Simulation::restore(&run.snapshot(&given)).expect("a snapshot").0);
        finish(&mut run);
        finish(&mut copy);
        let world = run.world();
        assert_eq!(world.state(), copy.world().state());
        for name in ["a", "b", "c"] {
            assert!((spin(&run, name).z - 4.0).abs() < 0.05, "{name} {}", spin(&run, name));
        }
        // From then on they fly freely, with equal and opposite velocities.
        let apart = position(world, "b") - position(world, "a");
        let flown = 2.0 * 2.0 * (0.2 - from);
        // Before, they turned by 8 mrad per step.
        assert!((apart - DVec3::new(1.0, flown, 0.0)).length() < 0.05, "{apart} {flown}");
        let momentum = position(world, "a") + position(world, "b");
        assert!(momentum.length() < 1e-12, "{momentum}");
    }
}

/// The constraint that holds the weight at the origin: a link of 0.2 m, or a fusion with a fixed body.
fn hold(kind: &str, strength: f64) -> Value {
    let anchor = json!({"on": "wall", "at": [0, 0, 0]});
    match kind {
        "link" => json!({"distance": {"on": "weight", "at": "top", "centre": [0, 0, 0.2],
            "strength": {"force": strength}}}),
        _ => json!({"fusion": {"on": "weight", "at": "top", "to": anchor, "hold": kind,
            "strength": {"force": strength}}}),
    }
}

#[test]
fn links_and_fusions_break_like_joints() {
    let load = 2.0 * G;
    for kind in ["link", "point", "rigid"] {
        for mode in ["dynamic", "static"] {
            let scene = |strength: f64| {
                let mut scene = weight(
                    json!({"mode": mode, "step": 0.005, "duration": 0.3}),
                    json!({"a": hold(kind, strength)}),
                );
                scene["body"]["wall"] = json!({"fixed": true, "mass": 1, "inertia": {"moments": [1, 1, 1]}});
                scene
            };
            let (holds, report) = solved(scene(load * 1.001));
            assert!(report.broke.is_none() && holds.events().is_empty(), "{kind} {:?}", holds.events());
            assert_eq!(probe(&holds, "held"), 1.0);
            assert!((probe(&holds, "used") * 1.001 - 1.0).abs() < 1e-6, "{kind} {}", probe(&holds, "used"));
            let (falls, report) = solved(scene(load * 0.999));
            let broke = report.broke.expect("an overload");
            // Statics report the required force, dynamic steps the strength at which it yields.
            let least = if mode == "static" { load } else { load * 0.999 };
            assert!((broke.force / least - 1.0).abs() < 1e-6, "{kind} {mode} {broke:?}");
            assert!(happened!(falls, Broken) && probe(&falls, "held") == 0.0, "{kind} {mode}");
            if mode == "dynamic" {
                let mut falls = falls;
                finish(&mut falls);
                let fallen = -0.3 - position(falls.world(), "weight").z;
                assert!((fallen - 0.5 * G * 0.295_f64.powi(2)).abs() < G * 0.005 * 0.3, "{kind} {fallen}");
                // It has no force and no violation.
                let k = constraint(falls.world(), "a");
                assert_eq!(force(falls.world(), "a").force, DVec3::ZERO, "{kind}");
                assert_eq!(falls.world().constraint_miss(k).expect("a constraint"), 0.0, "{kind}");
            }
        }
    }
}

#[test]
fn a_rigid_fusion_breaks_at_its_moment() {
    for (strength, breaks) in [(0.5 * G * 1.001, false), (0.5 * G * 0.999, true)] {
        let (run, report) = solved(json!({
            "settings": {"step": 0.005, "duration": 0.02},
            "body": {"bar": super::bar([0.5, 0.0, 0.0], [0.0; 3]),
                "wall": {"fixed": true, "mass": 1, "inertia": {"moments": [1, 1, 1]}}},
            "constraint": {"weld": {"fusion": {"on": "bar", "at": "tip", "to": {"on": "wall"},
                "hold": "rigid", "strength": {"moment": strength}}}},
        }));
        assert_eq!(report.broke.is_some(), breaks, "{:?}", run.events());
        assert!(report.broke.is_none_or(|broke| (broke.moment / strength - 1.0).abs() < 1e-9));
    }
}

#[test]
fn strengths_that_make_no_sense_are_refused_by_name() {
    let rope = json!({"distance": {"on": "weight", "centre": [0, 0, 1], "limit": "at-most",
        "strength": {"force": 3}}});
    let bent = json!({"distance": {"on": "weight", "centre": [0, 0, 1], "strength": {"moment": 3}}});
    let pin = json!({"fusion": {"on": "weight", "to": {"on": "wall"}, "strength": {"moment": 3}}});
    for (given, path, words) in [
        (rope, "distance.strength", "one-sided"),
        (bent, "distance.strength.moment", "holds no moment"),
        (pin, "fusion.strength.moment", "holds no moment"),
    ] {
        let mut described = weight(json!({}), json!({"a": given}));
        described["body"]["wall"] = json!({"fixed": true, "mass": 1, "inertia": {"moments": [1, 1, 1]}});
        described["body"]["wall"]["position"] = json!([0, 0, -0.3]);
        let error = Simulation::build(&scene(described)).expect_err("an error");
        assert_eq!(error.path, format!("constraint.a.{path}"), "{error}");
        assert!(error.to_string().contains(words), "{error}");
    }
}
