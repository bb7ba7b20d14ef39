//! Limits of the swing and of the twist of ball joints.

use super::{rotation, spin};
use crate::common::{build, constraint, equilibrium, position, probe};
use glam::{DQuat, DVec3};
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};

const G: f64 = 9.81;
/// Distance of the centre of a pendulum below its joint, m, and its moment of inertia across its axis about
/// the joint, kg·m².
const BELOW: f64 = 0.5;
const MASS: f64 = 2.0;
const MOMENT: f64 = 0.04 + MASS * BELOW * BELOW;

/// A pendulum on a ball joint with these fields, its axis vertical; it starts with this spin.
fn pendulum(settings: Value, fields: Value, spin: DVec3) -> Value {
    let mut joint = json!({"on": "a", "at": [0, 0, BELOW], "kind": "ball", "axis": [0, 0, -1]});
    joint.as_object_mut().expect("fields").extend(fields.as_object().expect("fields").clone());
    let velocity = spin.cross(DVec3::Z * -BELOW).to_array();
    json!({
        "settings": settings,
        "body": {"a": {"mass": MASS, "inertia": {"moments": [0.04, 0.04, 0.01]}, "position": [0, 0, -BELOW],
            "spin": spin.to_array(), "velocity": velocity}},
        "constraint": {"ball": {"joint": joint}},
        "probe": [{"name": "twist", "of": "ball", "read": "angle"},
            {"name": "swing", "of": "ball", "read": "cross-angle"},
            {"name": "kinetic", "of": "world", "read": "kinetic-energy"}],
    })
}

/// Steps to the end; calls `visit` after each step.
fn finish(run: &mut Simulation, mut visit: impl FnMut(&Simulation)) {
    while !run.finished() {
        let report = run.step(&NoClock);
        assert!(!report.held && !report.unsettled, "{report:?}");
        visit(run);
    }
}

#[test]
fn probes_read_swing_and_twist_of_a_ball_joint() {
    let fields = json!({"swing": {"most": "170 deg"}, "twist": {"least": -3, "most": 3}});
    let mut scene = pendulum(json!({}), fields, DVec3::ZERO);
    scene["settings"] = json!({"step": 0.01, "duration": 0.01, "gravity": [0, 0, 0]});
    let mut run = build(scene.clone());
    finish(&mut run, |_| {});
    assert!(probe(&run, "twist").abs() < 1e-12 && probe(&run, "swing").abs() < 1e-12);
    // Turned about the axis, then across it, by a free rotation with the spin of one step.
    for (about, by) in [(DVec3::NEG_Z, 0.3), (DVec3::X, 0.8)] {
        scene["body"]["a"]["spin"] = json!((about * by / 0.01).to_array());
        scene["body"]["a"]["velocity"] = json!((about * by / 0.01).cross(DVec3::Z * -BELOW).to_array());
        let mut run = build(scene.clone());
        finish(&mut run, |_| {});
        let turned = rotation(&run, "a");
        let axis = turned * DVec3::NEG_Z;
        assert!((probe(&run, "swing") - axis.angle_between(DVec3::NEG_Z)).abs() < 1e-7);
        // Without the shortest rotation to its axis, a twist about the axis remains.
        let rest = DQuat::from_rotation_arc(DVec3::NEG_Z, axis).inverse() * turned;
        let twist = 2.0 * DVec3::from_slice(&rest.to_array()).dot(DVec3::NEG_Z).atan2(rest.w);
        assert!((probe(&run, "twist") - twist).abs() < 1e-9, "{} {twist}", probe(&run, "twist"));
    }
}

#[test]
fn a_twisting_pendulum_hits_its_cone_from_all_sides_and_keeps_its_energy_there() {
    // It swings up to 0.6 rad without a limit.
    let speed = (2.0 * MASS * G * BELOW * (1.0 - 0.6_f64.cos()) / MOMENT).sqrt();
    for integrator in ["euler", "bdf2"] {
        for (about, twisting) in [(0.0_f64, 0.0), (1.0, 2.0), (2.5, -3.0), (4.0, 1.0)] {
            let spin = DVec3::new(about.cos(), about.sin(), 0.0) * speed + DVec3::Z * twisting;
            let settings = json!({"step": 0.001, "duration": 1.5, "integrator": integrator});
            let fields = json!({"swing": {"most": 0.3, "restitution": 1}});
            let mut run = build(pendulum(settings, fields, spin));
            let energy = |run: &Simulation| probe(run, "kinetic") + MASS * G * position(run.world(), "a").z;
            let (before, mut largest) = (energy(&run), 0.0_f64);
            let mut range = [f64::MAX, f64::MIN];
            finish(&mut run, |run| {
                largest = largest.max(probe(run, "swing"));
                range = [range[0].min(energy(run)), range[1].max(energy(run))];
            });
            let what = format!("{integrator} {about} {twisting}: {largest}");
            // It rebounds up to one step early, h σ̇ = 2 mrad, and the normal of the cone turns in a step.
            assert!((0.297..0.3001).contains(&largest), "{what}");
            let [lost, gained] =
                [before - range[0], range[1] - before].map(|e| e / (0.5 * MOMENT * speed * speed));
            // Four rebounds; half a step of gravity in each velocity.
            assert!(lost < 0.02 && gained < 0.02, "{what}: {lost} {gained}");
        }
    }
}

#[test]
fn a_pendulum_on_its_cone_rests_with_the_moment_of_its_weight() {
    // Pushed sideways beyond its cone: the axis stays at 0.3 rad, and the limit carries the rest.
    let push = 30.0;
    let mut scene = pendulum(json!({"mode": "static"}), json!({"swing": {"most": 0.3}}), DVec3::ZERO);
    scene["load"] = json!({"push": {"force": {"on": "a", "force": [push * 0.6, push * 0.8, 0]}}});
    let run = equilibrium(scene);
    assert!((probe(&run, "swing") - 0.3).abs() < 1e-9, "{}", probe(&run, "swing"));
    let axis = rotation(&run, "a") * DVec3::NEG_Z;
    // In the plane of the push.
    assert!(axis.dot(DVec3::new(0.8, -0.6, 0.0)).abs() < 1e-6, "{axis}");
    let k = constraint(run.world(), "ball");
    let moment = run.world().constraint_force(k).expect("a joint").moment;
    // The limit exerts the moment about the joint that push and weight leave.
    let rest = BELOW * (push * 0.3_f64.cos() - MASS * G * 0.3_f64.sin());
    assert!((moment.length() - rest).abs() < 1e-6 * rest, "{moment} {rest}");
}

#[test]
fn a_twist_stops_at_its_limit_while_the_joint_swings() {
    for integrator in ["euler", "bdf2"] {
        let settings = json!({"step": 0.002, "duration": 2, "integrator": integrator});
        let fields =
            json!({"swing": {"most": 1.5}, "twist": {"most": 0.5, "least": -0.7, "restitution": 0.5}});
        let mut run = build(pendulum(settings, fields, DVec3::new(1.5, 0.0, -2.0)));
        let (mut range, mut swung) = ([0.0_f64; 2], 0.0_f64);
        finish(&mut run, |run| {
            let twist = probe(run, "twist");
            range = [range[0].min(twist), range[1].max(twist)];
            swung = swung.max(probe(run, "swing"));
        });
        // Up to one step before the limit, 2 rad/s · 2 ms, and never beyond it.
        assert!((0.495..0.5 + 1e-4).contains(&range[1]) && range[0] > -0.7 - 1e-4, "{integrator} {range:?}");
        assert!(swung > 0.3 && swung < 1.0, "{swung}");
        assert!(spin(&run, "a").is_finite());
    }
}
