//! Coordinates of joints with several: both angles of a universal joint, all three of a planar joint; and
//! their units.

use super::{rotation, spin};
use crate::common::{build, equilibrium, probe, scene};
use glam::{DQuat, DVec3};
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};

const G: f64 = 9.81;

fn finish(run: &mut Simulation) {
    while !run.finished() {
        let report = run.step(&NoClock);
        assert!(!report.held && !report.unsettled, "{report:?}");
    }
}

/// A body whose centre is 0.3 m beside a universal joint to the world, with these fields of the joint.
fn universal(settings: Value, fields: Value) -> Value {
    let mut joint = json!({"on": "a", "at": [-0.3, 0.1, 0], "kind": "universal", "axis": [0, 1, 0],
        "cross": [1, 0, 0]});
    joint.as_object_mut().expect("fields").extend(fields.as_object().expect("fields").clone());
    let reads = ["angle", "cross-angle", "drive-torque", "cross-drive-torque"];
    let probes: Vec<Value> =
        reads.iter().map(|read| json!({"name": read, "of": "cross", "read": read})).collect();
    json!({
        "settings": settings,
        "body": {"a": {"mass": 2, "inertia": {"moments": [0.1, 0.2, 0.25]}}},
        "constraint": {"cross": {"joint": joint}},
        "probe": probes,
    })
}

#[test]
fn angles_of_a_universal_joint_are_rotations_about_its_arms_one_after_the_other() {
    let motor =
        |target: f64| json!({"motor": {"position": {"target": {"ramp": {"to": target, "end": 0.5}}}}});
    let fields = json!({"angle": motor(0.7), "cross_angle": motor(-0.5)});
    let mut run = build(universal(json!({"step": 0.005, "duration": 1, "solves": 4}), fields));
    finish(&mut run);
    assert!((probe(&run, "angle") - 0.7).abs() < 1e-9, "{}", probe(&run, "angle"));
    assert!((probe(&run, "cross-angle") + 0.5).abs() < 1e-9, "{}", probe(&run, "cross-angle"));
    let expected = DQuat::from_rotation_x(-0.5) * DQuat::from_rotation_y(0.7);
    assert!(rotation(&run, "a").angle_between(expected) < 1e-7, "{}", rotation(&run, "a"));
    // At rest the drives are the slopes of the energy of the weight.
    let height = |angle: f64, cross: f64| {
        let turned = DQuat::from_rotation_x(cross) * DQuat::from_rotation_y(angle);
        (turned * DVec3::new(0.3, -0.1, 0.0)).z
    };
    let step = 1e-5;
    let by_angle = 2.0 * G * (height(0.7 + step, -0.5) - height(0.7 - step, -0.5)) / (2.0 * step);
    let by_cross = 2.0 * G * (height(0.7, -0.5 + step) - height(0.7, -0.5 - step)) / (2.0 * step);
    assert!(
        (probe(&run, "drive-torque") - by_angle).abs() < 1e-6,
        "{} {by_angle}",
        probe(&run, "drive-torque")
    );
    let drive = probe(&run, "cross-drive-torque");
    assert!((drive - by_cross).abs() < 1e-6, "{drive} {by_cross}");
}

#[test]
fn servos_of_a_universal_joint_balance_its_weight() {
    let servo = json!({"motor": {"servo": {"target": 0, "stiffness": 40}}});
    let run =
        equilibrium(universal(json!({"mode": "static"}), json!({"angle": servo, "cross_angle": servo})));
    let [angle, cross] = ["angle", "cross-angle"].map(|name| probe(&run, name));
    let slope = |k: usize| {
        let height = |by: f64| {
            let (a, c) = if k == 0 { (angle + by, cross) } else { (angle, cross + by) };
            (DQuat::from_rotation_x(c) * DQuat::from_rotation_y(a) * DVec3::new(0.3, -0.1, 0.0)).z
        };
        2.0 * G * (height(1e-5) - height(-1e-5)) / 2e-5
    };
    assert!(angle.abs() > 0.1 && cross.abs() > 0.02, "{angle} {cross}");
    // −k q = m g ∂z/∂q; statics end at 1e-9 of the forces.
    assert!(
        (40.0 * angle + slope(0)).abs() < 1e-6 && (40.0 * cross + slope(1)).abs() < 1e-6,
        "{angle} {cross}"
    );
}

#[test]
fn limits_and_friction_hold_both_angles_of_a_universal_joint() {
    let fields = json!({"angle": {"most": "20 deg"}, "cross_angle": {"most": "10 deg", "viscosity": 0.5}});
    let mut run = build(universal(json!({"step": 0.005, "duration": 4}), fields));
    finish(&mut run);
    assert!((probe(&run, "angle") - 20.0_f64.to_radians()).abs() < 1e-6, "{}", probe(&run, "angle"));
    assert!(
        (probe(&run, "cross-angle") - 10.0_f64.to_radians()).abs() < 1e-6,
        "{}",
        probe(&run, "cross-angle")
    );
    assert!(spin(&run, "a").length() < 1e-6);
    // The friction exceeds the weight: the body stays where it is.
    let fields = json!({"angle": {"friction": "10 N m"}, "cross_angle": {"friction": "10 N m"}});
    let mut run = build(universal(json!({"step": 0.005, "duration": 0.2}), fields));
    finish(&mut run);
    assert!(probe(&run, "angle").abs() < 1e-9 && probe(&run, "cross-angle").abs() < 1e-9);
}

/// A body of 2 kg on a horizontal plane, thrown with 1 m/s along `slide` and 0.5 m/s along `cross_slide`.
fn planar(fields: Value) -> Simulation {
    let (first, second) = (DVec3::new(0.6, 0.8, 0.0), DVec3::new(-0.8, 0.6, 0.0));
    let mut joint = json!({"on": "a", "kind": "planar", "axis": [0, 0, 1], "cross": first.to_array()});
    joint.as_object_mut().expect("fields").extend(fields.as_object().expect("fields").clone());
    let reads = ["angle", "slide", "cross-slide", "drive", "cross-drive"];
    let probes: Vec<Value> =
        reads.iter().map(|read| json!({"name": read, "of": "plane", "read": read})).collect();
    let mut run = build(json!({
        "settings": {"step": 0.005, "duration": 1, "solves": 3},
        "body": {"a": {"mass": 2, "inertia": {"moments": [0.1, 0.2, 0.25]},
            "velocity": (first + second * 0.5).to_array(), "spin": [0, 0, 2]}},
        "constraint": {"plane": {"joint": joint}},
        "probe": probes,
    }));
    finish(&mut run);
    run
}

#[test]
fn displacements_of_a_planar_joint_are_independent_coordinates() {
    // 4 N stop 2 kg at 1 m/s after 0.25 m. The other displacement reaches its limit, and the rotation is
    // free.
    let run = planar(json!({"slide": {"friction": 4}, "cross_slide": {"most": "300 mm"}}));
    let step = 0.005;
    assert!((probe(&run, "slide") - 0.25).abs() < 1.0 * step, "{}", probe(&run, "slide"));
    assert!((probe(&run, "cross-slide") - 0.3).abs() < 1e-9, "{}", probe(&run, "cross-slide"));
    assert!((probe(&run, "angle") - 2.0).abs() < 1e-4, "{}", probe(&run, "angle"));
    // Motors: one follows a target, one pushes with 3 N.
    let run = planar(json!({
        "slide": {"motor": {"velocity": {"target": "200 mm/s"}}},
        "cross_slide": {"motor": {"force": "3 N"}},
        "angle": {"motor": {"velocity": {"target": "60 rpm"}}},
    }));
    assert!((probe(&run, "slide") - 0.2).abs() < 1e-9, "{}", probe(&run, "slide"));
    // v t + F t²/2m; Euler is ahead by F h t/2m.
    let expected = 0.5 + 0.75 * (1.0 + step);
    assert!((probe(&run, "cross-slide") - expected).abs() < 1e-6, "{}", probe(&run, "cross-slide"));
    assert!((probe(&run, "cross-drive") - 3.0).abs() < 1e-9 && probe(&run, "drive").abs() < 1e-6);
    assert!((probe(&run, "angle") - std::f64::consts::TAU).abs() < 1e-9, "{}", probe(&run, "angle"));
}

/// The error of a scene with these joints of two bodies at the same place.
fn refused(joints: Value) -> (String, String) {
    let body = json!({"mass": 1, "inertia": {"moments": [1, 1, 1]}});
    let given = scene(json!({"body": {"a": body, "b": body}, "constraint": joints}));
    let error = Simulation::build(&given).expect_err("an error");
    (error.path.clone(), error.to_string())
}

#[test]
fn coordinates_that_make_no_sense_are_refused_by_name() {
    let joint = |kind: &str, fields: Value| {
        let mut joint = json!({"on": "a", "to": {"on": "b"}, "kind": kind, "axis": [0, 0, 1]});
        joint.as_object_mut().expect("fields").extend(fields.as_object().expect("fields").clone());
        json!({"joint": joint})
    };
    for (kind, fields, path, words) in [
        ("hinge", json!({"cross_angle": {"most": 1}}), "cross_angle", "no such coordinate"),
        ("slider", json!({"cross_slide": {"most": 1}}), "cross_slide", "no such coordinate"),
        ("hinge", json!({"angle": {"restitution": 0.5}}), "angle.restitution", "no limit"),
        ("hinge", json!({"angle": {"most": 1, "restitution": 1.5}}), "angle.restitution", "not a share"),
        ("planar", json!({"slide": {"mu": 0.1}}), "slide.mu", "no force across"),
        ("planar", json!({"cross": [0, 0.1, 1]}), "cross", "not perpendicular"),
        ("hinge", json!({"strength": {"force": -1}}), "strength.force", "negative"),
        ("hinge", json!({"aligned": true}), "aligned", "only a weld"),
    ] {
        let (found, text) = refused(json!({"j": joint(kind, fields)}));
        assert_eq!(found, format!("constraint.j.joint.{path}"), "{text}");
        assert!(text.contains(words), "{text}");
    }
    let ball = json!({"joint": {"on": "a", "to": {"on": "b"}, "kind": "ball", "strength": {"moment": 1}}});
    let (found, text) = refused(json!({"j": ball}));
    assert_eq!(found, "constraint.j.joint.strength.moment", "{text}");
    // A unit of another dimension is refused.
    for (kind, field, value) in [("hinge", "angle", "30 mm"), ("slider", "slide", "90 deg")] {
        let coordinates = json!({field: {"most": value}});
        let description =
            json!({"body": {"a": {"fixed": true}}, "constraint": {"j": joint(kind, coordinates)}});
        let error = serde_json::from_value::<micado::scene::Scene>(description).expect_err("a wrong unit");
        assert!(error.to_string().contains("not a unit allowed here"), "{error}");
    }
}

#[test]
fn two_unlimited_motors_on_one_coordinate_are_refused_and_both_are_named() {
    let hinge = |on: &str, to: &str, axis: [f64; 3], motor: Value| {
        let angle = json!({"motor": motor});
        json!({"joint": {"on": on, "to": {"on": to}, "kind": "hinge", "axis": axis, "angle": angle}})
    };
    let position = |target: f64| json!({"position": {"target": target}});
    let z = [0.0, 0.0, 1.0];
    for second in [
        hinge("a", "b", z, position(1.0)),
        hinge("b", "a", z, position(0.5)),
        hinge("a", "b", [0.0, 0.0, -1.0], json!({"velocity": {"target": 1}})),
    ] {
        let (path, text) = refused(json!({"first": hinge("a", "b", z, position(0.5)), "second": second}));
        assert_eq!(path, "constraint.second.joint.angle.motor", "{text}");
        assert!(text.contains("`first`") && text.contains("strength"), "{text}");
    }
    // A motor with a strength yields, and motors on different coordinates don't conflict.
    let body = json!({"mass": 1, "inertia": {"moments": [1, 1, 1]}});
    let weak = hinge("a", "b", z, json!({"position": {"target": 1, "strength": 2}}));
    let other = hinge("a", "world body", z, position(1.0));
    for second in [weak, other] {
        let given = json!({"body": {"a": body, "b": body, "world body": {"fixed": true}},
            "constraint": {"first": hinge("a", "b", z, position(0.5)), "second": second}});
        assert!(Simulation::build(&scene(given)).is_ok());
    }
}
