//! Joints: what they leave free, limits, motors, friction, redundancy.

use super::{bar, rotation, spin};
use crate::common::{build, equilibrium, force, position, probe};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Edit;
use serde_json::{Value, json};
use std::f64::consts::{FRAC_PI_2, PI};

const GRAVITY: f64 = 9.81;

fn finish(run: &mut Simulation) {
    while !run.finished() {
        let report = run.step(&NoClock);
        assert!(!report.held && !report.unsettled, "{report:?}");
    }
}

/// A horizontal bar of 1 kg and 1 m on a hinge at one end; the hinge has these fields besides.
fn hinged(settings: Value, fields: Value) -> Value {
    let mut joint = json!({"on": "bar", "at": [-0.5, 0, 0], "kind": "hinge", "axis": [0, -1, 0]});
    joint.as_object_mut().expect("fields").extend(fields.as_object().expect("fields").clone());
    json!({
        "settings": settings,
        "body": {"bar": bar([0.5, 0.0, 0.0], [0.0, 0.0, 0.0])},
        "constraint": {"hinge": {"joint": joint}},
        "probe": [
            {"name": "angle", "of": "hinge", "read": "angle"},
            {"name": "torque", "of": "hinge", "read": "drive-torque"},
        ],
    })
}

#[test]
fn motor_holds_a_bar_with_the_moment_of_its_weight() {
    let motor = json!({"angle": {"motor": {"position": {"target": 0}}}});
    let run = equilibrium(hinged(json!({"mode": "static"}), motor.clone()));
    // m g l/2
    assert!((probe(&run, "torque") - GRAVITY / 2.0).abs() < 1e-9, "{}", probe(&run, "torque"));
    assert!((force(run.world(), "hinge").force - DVec3::Z * GRAVITY).length() < 1e-9);
    let mut run = build(hinged(json!({"step": 0.01, "duration": 0.5}), motor));
    finish(&mut run);
    assert!((probe(&run, "torque") - GRAVITY / 2.0).abs() < 1e-9, "{}", probe(&run, "torque"));
    assert!(probe(&run, "angle").abs() < 1e-12);
}

#[test]
fn weak_motor_lets_the_bar_droop_with_all_of_its_torque() {
    let motor = json!({"angle": {"motor": {"position": {"target": 0, "strength": 4}}}});
    let mut run = build(hinged(json!({"step": 0.005, "duration": 0.2}), motor));
    finish(&mut run);
    assert!((probe(&run, "torque") - 4.0).abs() < 1e-12, "{}", probe(&run, "torque"));
    // It falls with (m g l/2 − 4)/(m l²/3) at first: the moment of its weight falls by a thousandth.
    let inertia = (1.0 + 0.05 * 0.05) / 12.0 + 0.25;
    let fallen = -0.5 * (GRAVITY / 2.0 - 4.0) / inertia * 0.2 * 0.2;
    assert!((probe(&run, "angle") / fallen - 1.0).abs() < 0.05, "{} {fallen}", probe(&run, "angle"));
}

#[test]
fn velocity_motor_accelerates_with_its_torque_and_then_keeps_its_speed() {
    // Without gravity: I ω/τ = 0.834 s for 5 rad/s and 2 N·m.
    let inertia = (1.0 + 0.05 * 0.05) / 12.0 + 0.25;
    let motor = json!({"angle": {"motor": {"velocity": {"target": 5, "strength": 2}}}});
    let settings = json!({"step": 0.005, "duration": 4, "gravity": [0, 0, 0]});
    let mut run = build(hinged(settings, motor));
    let mut reached = None;
    while !run.finished() {
        run.step(&NoClock);
        if reached.is_none() && spin(&run, "bar").length() > 4.999 {
            reached = Some(run.time());
        }
    }
    let expected = inertia * 5.0 / 2.0;
    let reached = reached.expect("its speed");
    assert!((reached - expected).abs() < 0.01, "{reached} {expected}");
    // Whole turns count: it has turned by half the way at full speed while it accelerated.
    let turned = 5.0 * (4.0 - expected / 2.0);
    assert!(
        turned > 2.0 * PI && (probe(&run, "angle") / turned - 1.0).abs() < 2e-3,
        "{} {turned}",
        probe(&run, "angle")
    );
    assert!(probe(&run, "torque").abs() < 1e-6, "{}", probe(&run, "torque"));
}

#[test]
fn limit_stops_a_falling_bar() {
    let limits = json!({"angle": {"least": -1}});
    let mut run = build(hinged(json!({"step": 0.0025, "duration": 2}), limits));
    let mut least = 0.0_f64;
    while !run.finished() {
        assert!(!run.step(&NoClock).held);
        least = least.min(probe(&run, "angle"));
    }
    assert!((least + 1.0).abs() < 1e-6, "{least}");
    assert!(spin(&run, "bar").length() < 1e-9, "{}", spin(&run, "bar"));
    // Hinge and stop carry the bar: the moment of the stop is that of the weight.
    let moment = force(run.world(), "hinge").moment;
    assert!((moment.y.abs() - GRAVITY / 2.0 * 1.0_f64.cos()).abs() < 1e-6, "{moment}");
}

#[test]
fn bearing_friction_stops_a_wheel_in_the_time_of_its_torque() {
    // τ = μ ρ m g, ω stops after I ω/τ.
    let (mu, radius, inertia, speed) = (0.1, 0.05, 0.1, 10.0);
    let mut run = build(json!({
        "settings": {"step": 0.01, "duration": 25},
        "body": {"wheel": {"mass": 1, "inertia": {"moments": [inertia, 0.06, 0.06]}, "spin": [speed, 0, 0]}},
        "constraint": {"axle": {"joint": {"on": "wheel", "kind": "hinge", "axis": [1, 0, 0],
            "angle": {"mu": mu, "bearing_radius": radius}}}},
    }));
    let mut stopped = None;
    while !run.finished() {
        assert!(!run.step(&NoClock).held);
        if stopped.is_none() && spin(&run, "wheel").x < 1e-9 {
            stopped = Some(run.time());
        }
    }
    let expected = inertia * speed / (mu * radius * GRAVITY);
    let stopped = stopped.expect("a stop");
    assert!((stopped - expected).abs() < 0.02, "{stopped} {expected}");
    assert!(spin(&run, "wheel").length() < 1e-9);
}

#[test]
fn slider_falls_freely_along_its_axis_alone() {
    let mut run = build(json!({
        "settings": {"step": 0.01, "duration": 1, "integrator": "bdf2"},
        "body": {"block": {"mass": 2, "inertia": {"moments": [0.1, 0.2, 0.3]}, "velocity": [0, 0, 0]}},
        "constraint": {"rail": {"joint": {"on": "block", "at": [0.3, 0.1, 0], "kind": "slider",
            "axis": [0.6, 0, -0.8]}}},
        "probe": [{"name": "slide", "of": "rail", "read": "slide"}],
    }));
    finish(&mut run);
    // g sin α t²/2, which BDF2 after one step of Euler misses by g h t/2 at most.
    let expected = 0.5 * GRAVITY * 0.8;
    assert!((probe(&run, "slide") - expected).abs() < 0.5 * GRAVITY * 0.01, "{}", probe(&run, "slide"));
    let moved = position(run.world(), "block");
    assert!((moved - DVec3::new(0.6, 0.0, -0.8) * probe(&run, "slide")).length() < 1e-9, "{moved}");
    assert!(spin(&run, "block").length() < 1e-12);
}

#[test]
fn universal_joint_turns_unevenly() {
    // tan θ₂ = tan θ₁/cos β, shafts at an angle of β.
    let beta = 0.6_f64;
    let second = DVec3::new(beta.cos(), 0.0, beta.sin());
    let shaft = json!({"mass": 1, "inertia": {"moments": [0.1, 0.1, 0.1]}});
    let mut run = build(json!({
        "settings": {"step": 0.01, "duration": 3, "gravity": [0, 0, 0], "solves": 4},
        "body": {"first": shaft, "second": shaft},
        "constraint": {
            "drive": {"joint": {"on": "first", "kind": "hinge", "axis": [1, 0, 0],
                "angle": {"motor": {"velocity": {"target": 2}}}}},
            "driven": {"joint": {"on": "second", "kind": "hinge", "axis": second.to_array()}},
            "cross": {"joint": {"on": "first", "to": {"on": "second"}, "kind": "universal", "axis": [0, 1, 0],
                "cross": [-beta.sin(), 0, beta.cos()]}},
        },
        "probe": [
            {"name": "first", "of": "drive", "read": "angle"},
            {"name": "second", "of": "driven", "read": "angle"},
        ],
    }));
    let mut most = 0.0_f64;
    while !run.finished() {
        assert!(!run.step(&NoClock).held);
        let [first, second] = ["first", "second"].map(|name| probe(&run, name));
        // The arm on the first shaft starts perpendicular to the plane of both.
        let expected = (first.tan() * beta.cos()).atan();
        let off = (second - expected + FRAC_PI_2).rem_euclid(PI) - FRAC_PI_2;
        assert!(off.abs() < 1e-9, "{first} {second} {expected}");
        most = most.max((second - first).abs());
    }
    assert!(most > 0.08, "{most}");
}

#[test]
fn parallelogram_swings_as_a_pendulum_of_its_cranks_and_coupler() {
    // Cranks of 1 m and 1 kg, coupler of 2 kg, amplitude 0.5: T = 1.921470 s.
    let angle = 0.5_f64;
    let end = DVec3::new(angle.sin(), 0.0, -angle.cos());
    let crank = |x: f64| bar((end * 0.5 + DVec3::X * x).to_array(), [0.0, FRAC_PI_2 - angle, 0.0]);
    let mut coupler = bar((end + DVec3::X * 0.5).to_array(), [0.0; 3]);
    coupler["mass"] = json!(2);
    let hinge = |on: &str, at: f64, to: Value| {
        json!({"joint": {"on": on, "at": [at, 0, 0], "kind": "hinge", "axis": [0, 1, 0],
            "to": to}})
    };
    let mut run = build(json!({
        "settings": {"step": 0.005, "duration": 5, "integrator": "bdf2"},
        "body": {"left": crank(0.0), "right": crank(1.0), "coupler": coupler},
        "constraint": {
            "a": hinge("left", -0.5, Value::Null),
            "b": hinge("right", -0.5, Value::Null),
            "c": hinge("left", 0.5, json!({"on": "coupler", "at": [-0.5, 0, 0]})),
            "d": hinge("right", 0.5, json!({"on": "coupler", "at": [0.5, 0, 0]})),
        },
    }));
    let swing = |run: &Simulation| (rotation(run, "left") * DVec3::X).x;
    let (mut times, mut before) = (Vec::new(), swing(&run));
    while !run.finished() {
        let report = run.step(&NoClock);
        assert!(!report.held, "{report:?}");
        let now = swing(&run);
        if before * now < 0.0 {
            times.push(run.time() - 0.005 * now / (now - before));
        }
        before = now;
    }
    let period = times[2] - times[0];
    assert!((period / 1.921_47 - 1.0).abs() < 1e-3, "{period}");
}

/// Changes the hinge of `hinged` to one with these fields.
fn change(run: &mut Simulation, fields: Value) -> Result<(), String> {
    let mut joint = json!({"on": "bar", "at": [-0.5, 0, 0], "kind": "hinge", "axis": [0, -1, 0]});
    joint.as_object_mut().expect("fields").extend(fields.as_object().expect("fields").clone());
    let edit: Edit =
        serde_json::from_value(json!({"change-constraint": {"name": "hinge", "to": {"joint": joint}}}))
            .expect("an edit");
    run.apply(&edit).map(drop).map_err(|error| error.to_string())
}

#[test]
fn a_motor_that_is_switched_on_counts_from_the_zero_of_its_joint() {
    let settings = json!({"step": 0.005, "duration": 1, "gravity": [0, 0, 0]});
    let turning = json!({"angle": {"motor": {"velocity": {"target": 8}}, "most": 20}});
    let mut run = build(hinged(settings, turning));
    finish(&mut run);
    let angle = probe(&run, "angle");
    assert!((angle - 8.0).abs() < 1e-9, "{angle}");
    // More than a turn: a motor holds the bar there, and the limit stays where it was.
    change(&mut run, json!({"angle": {"motor": {"position": {"target": angle}}, "most": 20}}))
        .expect("a motor");
    for _ in 0..20 {
        run.step(&NoClock);
    }
    assert!((probe(&run, "angle") - angle).abs() < 1e-9, "{}", probe(&run, "angle"));
    let push = json!({"angle": {"motor": {"velocity": {"target": 8, "strength": 50}}, "most": 9}});
    change(&mut run, push).expect("a limit beyond the angle");
    for _ in 0..200 {
        run.step(&NoClock);
    }
    assert!((probe(&run, "angle") - 9.0).abs() < 1e-6, "{}", probe(&run, "angle"));
    // A limit on the wrong side of the angle would have to jump.
    let error = change(&mut run, json!({"angle": {"most": 1}})).expect_err("an impossible limit");
    assert!(error.contains("angle.most") && error.contains("the present value, 9"), "{error}");
    // Another axis is another joint, and counts anew.
    change(&mut run, json!({"axis": [0, 1, 0]})).expect("another axis");
    run.step(&NoClock);
    assert!(probe(&run, "angle").abs() < 1e-6, "{}", probe(&run, "angle"));
}

/// A ball of 0.1 kg·m² that turns at 3 rad/s about an axis askew, on a ball joint at its centre.
fn turning_ball(fields: Value) -> Simulation {
    let mut joint = json!({"on": "ball", "kind": "ball"});
    joint.as_object_mut().expect("fields").extend(fields.as_object().expect("fields").clone());
    build(json!({
        "settings": {"step": 0.01, "duration": 1},
        "body": {"ball": {"mass": 2, "inertia": {"moments": [0.1, 0.1, 0.1]}, "rotation": [0.3, 0.1, 2],
            "spin": [2, -1, 2]}},
        "constraint": {"socket": {"joint": joint}},
    }))
}

#[test]
fn friction_of_a_ball_joint_stops_a_ball_in_the_time_of_its_moment() {
    let mut run = turning_ball(json!({"friction": "0.4 N·m"}));
    let axis = spin(&run, "ball") / 3.0;
    while !run.finished() {
        let report = run.step(&NoClock);
        assert!(!report.held && !report.unsettled, "{report:?}");
        // ω − M₀ t/I: exact for Euler. The moment acts against the rotation, not along world axes.
        let expected = axis * (3.0 - 0.4 / 0.1 * run.time()).max(0.0);
        assert!(spin(&run, "ball").distance(expected) < 1e-9, "{} {expected}", spin(&run, "ball"));
    }
}

#[test]
fn viscosity_of_a_ball_joint_slows_a_ball_exponentially() {
    let mut run = turning_ball(json!({"viscosity": 0.2}));
    let start = spin(&run, "ball");
    finish(&mut run);
    // Euler: ω/(1 + h c/I) in each step, and a rotation by 2 atan(h ω/2), which is off by (h ω)²/12.
    let expected = start * 1.02_f64.powi(-100);
    assert!(spin(&run, "ball").distance(expected) < 1e-4 * expected.length(), "{}", spin(&run, "ball"));
    assert!(spin(&run, "ball").cross(start).length() < 1e-9, "{}", spin(&run, "ball"));
}

#[test]
fn friction_of_a_ball_joint_holds_a_bar_up_to_its_moment() {
    // m g l/2 = 4.905 N·m
    for (friction, holds) in [(5.0, true), (4.8, false)] {
        let joint = json!({"on": "bar", "at": "tip", "kind": "ball", "friction": friction});
        let mut run = build(json!({
            "settings": {"step": 0.005, "duration": 0.3},
            "body": {"bar": bar([0.5, 0.0, 0.0], [0.0, 0.0, 0.0])},
            "constraint": {"socket": {"joint": joint}},
        }));
        finish(&mut run);
        let fallen = -position(run.world(), "bar").z;
        assert_eq!(fallen < 1e-9, holds, "{friction}: {fallen}");
        let moment = force(run.world(), "socket").moment.length();
        let expected: f64 = if holds { GRAVITY / 2.0 } else { friction };
        assert!((moment - expected).abs() < 1e-6, "{friction}: {moment}");
    }
    let scene = crate::common::scene(hinged(json!({}), json!({"friction": 1})));
    let error = Simulation::build(&scene).expect_err("a hinge has angles").to_string();
    assert!(error.contains("constraint.hinge.joint.friction") && error.contains("`angle`"), "{error}");
}
