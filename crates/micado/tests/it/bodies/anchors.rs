//! Constraints take their frames from anchors with axes of their own.

use super::{bar, rotation};
use crate::common::{at, build, equilibrium, position, scene};
use glam::{DQuat, DVec3};
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};

/// A bar on a heavy turned block; `joint` joins them, `anchor` is the place on the block at its tip.
fn pair(joint: Value, anchor: Value) -> Simulation {
    let mut fields = json!({"on": "bar", "at": "tip", "to": {"on": "block", "at": "flange"}});
    fields.as_object_mut().expect("fields").extend(joint.as_object().expect("fields").clone());
    build(json!({
        "settings": {"step": 0.005, "duration": 0.5, "solves": 3},
        "body": {
            "bar": bar([0.5, 0.0, 0.0], [0.0; 3]),
            "block": {"mass": 5, "inertia": {"moments": [0.1, 0.2, 0.3]}, "rotation": [0.0, 0.0, 0.7],
                "spin": [1, -2, 0.5], "anchors": {"flange": anchor}},
        },
        "constraint": {"joint": {"joint": fields}},
    }))
}

/// Largest distance and angle between two runs.
fn apart(mut a: Simulation, mut b: Simulation) -> f64 {
    let mut most = 0.0_f64;
    while !a.finished() {
        for run in [&mut a, &mut b] {
            let report = run.step(&NoClock);
            assert!(!report.held && report.refused.is_none(), "{report:?}");
        }
        for name in ["bar", "block"] {
            most = most.max(position(a.world(), name).distance(position(b.world(), name)));
            most = most.max(rotation(&a, name).angle_between(rotation(&b, name)));
        }
    }
    most
}

#[test]
fn joints_by_the_axes_of_an_anchor_are_those_by_world_axes() {
    let axis = DVec3::new(0.36, 0.48, 0.8);
    let turned = DQuat::from_rotation_z(0.7);
    // In the axes of the block.
    let own = turned.inverse() * axis;
    let up = turned.inverse() * DVec3::new(-0.8, 0.6, 0.0);
    let anchor = json!({"point": [0, 0, 0], "axis": own.to_array(), "up": up.to_array()});
    for kind in ["weld", "hinge", "slider", "cylindrical", "planar", "universal"] {
        let mut by_world = json!({"kind": kind});
        if kind != "weld" {
            by_world["axis"] = json!(axis.to_array());
        }
        if kind == "universal" {
            by_world["cross"] = json!([-0.8, 0.6, 0]);
        }
        let off = apart(pair(json!({"kind": kind}), anchor.clone()), pair(by_world, json!([0, 0, 0])));
        // Rounding, and the residual of three solves; angles between unit quaternions are accurate to 1e-8.
        assert!(off < 1e-7, "{kind}: {off:e}");
    }
}

#[test]
fn arms_and_points_of_an_anchor_add_up_in_its_axes() {
    let run = build(json!({
        "body": {"a": {"mass": 1, "inertia": {"moments": [1, 1, 1]}, "centre": [0.1, 0.2, 0.3],
            "anchors": {"p": {"point": [1, 0, 0], "rotation": [0, 0, std::f64::consts::FRAC_PI_2]}}}},
        "constraint": {
            "turned": {"position": {"on": "a", "at": "p", "arm": [0.5, 0, 0]}},
            "plain": {"position": {"on": "a", "at": [1, 0, 0], "arm": [0, 0.5, 0]}},
        },
    }));
    for k in 0..2 {
        let x = run.world().sites(k).expect("a constraint")[0].x;
        assert!((x - DVec3::new(1.0, 0.5, 0.0)).length() < 1e-12, "{k} {x}");
    }
}

#[test]
fn a_rod_welded_to_an_anchor_leaves_along_its_first_axis() {
    let (axis, turned) = (DVec3::new(0.0, 0.6, 0.8), DVec3::new(0.3, 0.4, 0.5));
    let own = DQuat::from_scaled_axis(turned).inverse() * axis;
    let rod = |constraint: Value| {
        equilibrium(json!({
            "settings": {"mode": "static", "gravity": [0, 0, 0]},
            "rod": {"rod": {"shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "segments": 8,
                "stiffness": {"stretch": 1e4, "bend": 1, "twist": 1}, "mass_per_length": 0.2}},
            "body": {"wall": {"fixed": true, "rotation": turned.to_array(),
                "anchors": {"socket": {"point": [0, 0, 0], "axis": own.to_array()}}}},
            "constraint": constraint,
        }))
    };
    let socket = json!({"on": "wall", "at": "socket"});
    let welded = rod(json!({
        "weld": {"joint": {"on": "rod", "at": "start", "to": socket, "kind": "weld", "aligned": true}}}));
    let tangent = rod(json!({
        "pin": {"joint": {"on": "rod", "at": "start", "to": socket, "kind": "ball"}},
        "roll": {"roll": {"on": "rod", "at": "start"}},
        "way": {"tangent": {"on": "rod", "at": "start", "to": socket}}}));
    for (name, run) in [("weld", welded), ("tangent", tangent)] {
        // Without a load it stays straight, along the axis.
        let end = at(run.world(), "rod", 1.0);
        assert!((end - axis).length() < 1e-6, "{name} {end}");
    }
}

#[test]
fn anchors_with_axes_that_make_no_sense_are_refused_by_name() {
    let refused = |anchor: Value| {
        let given = scene(json!({"body": {"a": {"fixed": true, "anchors": {"p": anchor}}}}));
        let error = Simulation::build(&given).expect_err("an error");
        (error.path.clone(), error.to_string())
    };
    for (anchor, path, words) in [
        (json!({"point": [0, 0, 0], "rotation": [0, 0, 1], "axis": [1, 0, 0]}), "axis", "as well"),
        (json!({"point": [0, 0, 0], "axis": [0, 0, 0]}), "axis", "direction"),
        (json!({"point": [0, 0, 0], "axis": [1, 0, 0], "up": [2, 0, 0]}), "up", "along `axis`"),
        (json!({"point": [0, 0, 0], "up": [2, 0, 0]}), "up", "not given"),
    ] {
        let (found, text) = refused(anchor);
        assert_eq!(found, format!("body.a.anchors.p.{path}"), "{text}");
        assert!(text.contains(words), "{text}");
    }
    let two = |turn: f64| {
        let body = |turn: f64| {
            json!({"mass": 1, "inertia": {"moments": [1, 1, 1]},
                "anchors": {"p": {"point": [0, 0, 0], "rotation": [0, 0, turn]}}})
        };
        scene(json!({"body": {"a": body(0.0), "b": body(turn)},
            "constraint": {"j": {"joint": {"on": "a", "at": "p", "kind": "hinge",
                "to": {"on": "b", "at": "p"}}}}}))
    };
    assert!(Simulation::build(&two(0.0)).is_ok());
    let error = Simulation::build(&two(0.5)).expect_err("an error");
    assert_eq!(error.path, "constraint.j.joint.axis");
    assert!(error.to_string().contains("28.6"), "{error}");
}
