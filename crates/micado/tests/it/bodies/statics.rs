//! Bodies in equilibrium on limits, motors, planes and dry friction, and modes about such an equilibrium.

use crate::common::{build, probe};
use micado::clock::NoClock;
use micado::run::{EventKind, Simulation};
use micado::scene::Arithmetic;
use micado::step::Workspace;
use serde_json::{Value, json};

/// Weight of the bar, N, and its moment about the hinge, N·m.
const WEIGHT: f64 = 10.0 * 9.81;
const MOMENT: f64 = WEIGHT / 2.0;

/// A horizontal bar of 10 kg and 1 m, hinged at its end; `more` are further fields of the hinge.
fn scene(settings: Value, more: Value) -> Value {
    let mut hinge = json!({"kind": "hinge", "on": "bar", "at": [-0.5, 0, 0], "axis": [0, 1, 0]});
    for (name, value) in more.as_object().expect("fields") {
        hinge[name] = value.clone();
    }
    let probes: Vec<Value> = ["angle", "drive-torque", "force"]
        .into_iter()
        .map(|read| json!({"name": read, "of": "hinge", "read": read}))
        .chain([json!({"name": "moment", "of": "hinge", "read": "moment", "component": "y"})])
        .collect();
    json!({
        "settings": settings,
        "body": {"bar": {"shape": {"box": {"size": [1, 0.1, 0.1]}}, "mass": 10, "position": [0.5, 0, 0]}},
        "constraint": {"hinge": {"joint": hinge}},
        "probe": probes,
    })
}

fn once() -> Value {
    json!({"mode": "static", "duration": 0.01, "step": 0.01})
}

fn finish(run: &mut Simulation) {
    while !run.finished() {
        let report = run.step(&NoClock);
        assert!(report.converged && !report.held && report.conflicting_rows == 0, "{report:?}");
    }
}

/// The only equilibrium of a static run of one step.
fn rest(more: Value) -> Simulation {
    let mut run = build(scene(once(), more));
    finish(&mut run);
    run
}

/// Forces of the first search. Increments end below 1e-10 of the size.
fn is(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-8 * WEIGHT, "{found} is not {expected}");
}

#[test]
fn a_bar_on_a_limit_bears_its_weight_and_its_moment() {
    let run = rest(json!({"angle": {"most": 0}}));
    is(probe(&run, "force"), WEIGHT);
    is(probe(&run, "moment"), -MOMENT);
    is(probe(&run, "angle"), 0.0);
}

#[test]
fn a_joint_holds_a_load_below_its_strength_in_the_first_search() {
    let run = rest(json!({"angle": {"most": 0}, "strength": {"force": 150}}));
    assert!(run.events().is_empty(), "{:?}", run.events());
    is(probe(&run, "force"), WEIGHT);
}

#[test]
fn a_motor_needs_the_moment_of_the_weight_with_a_strength_and_without() {
    for strength in [None, Some(200.0), Some(50.0)] {
        for target in [0.0, 0.4, -0.7] {
            let mut motor = json!({"position": {"target": target}});
            if let Some(strength) = strength {
                motor["position"]["strength"] = json!(strength);
            }
            let run = rest(json!({"angle": {"motor": motor}}));
            is(probe(&run, "angle"), target);
            is(probe(&run, "drive-torque"), -MOMENT * target.cos());
            is(probe(&run, "force"), WEIGHT);
        }
    }
}

#[test]
fn a_motor_turns_a_bar_through_the_whole_circle_in_equilibria() {
    // It holds the bar upside down, where the weight alone would turn it over.
    let settings = json!({"mode": "static", "duration": 3, "step": 0.1});
    let target = json!({"ramp": {"to": 6, "end": 3}});
    let mut run = build(scene(
        settings,
        json!({"angle": {"motor": {"position": {"target": target,
        "strength": 200}}}}),
    ));
    while !run.finished() {
        let report = run.step(&NoClock);
        assert!(report.converged, "{report:?}");
        let angle = probe(&run, "angle");
        is(angle, 2.0 * run.time());
        is(probe(&run, "drive-torque"), -MOMENT * angle.cos());
    }
    assert!(run.events().is_empty(), "{:?}", run.events());
}

#[test]
fn a_weak_motor_lets_the_bar_sink_until_its_strength_holds_the_weight() {
    // It reaches a target on the way up only where M cos θ ≤ strength.
    let run = rest(json!({"angle": {"motor": {"position": {"target": 0, "strength": 20}}}}));
    is(probe(&run, "drive-torque"), -20.0);
    // M cos θ = 20 on the stable side, below the horizontal.
    is(probe(&run, "angle"), (20.0 / MOMENT).acos());
}

#[test]
fn a_limit_stops_a_motor_and_bears_the_difference() {
    let settings = json!({"mode": "static", "duration": 1, "step": 0.05});
    let target = json!({"ramp": {"to": 2, "end": 0.5}});
    let mut scene = scene(
        settings,
        json!({"at": [0, 0, 0], "angle": {"least": -0.5, "most": 0.5,
        "motor": {"position": {"target": target, "strength": 50}}}}),
    );
    // Balanced about its hinge.
    scene["body"]["bar"]["position"] = json!([0, 0, 0]);
    let mut run = build(scene);
    finish(&mut run);
    is(probe(&run, "angle"), 0.5);
    is(probe(&run, "drive-torque"), 50.0);
    // The limit takes all of it: nothing is left for the other rows.
    is(probe(&run, "force"), WEIGHT);
    assert!(run.events().is_empty(), "{:?}", run.events());
}

#[test]
fn dry_friction_above_the_moment_of_the_weight_holds_a_bar() {
    let run = rest(json!({"angle": {"friction": 60}}));
    is(probe(&run, "angle"), 0.0);
    is(probe(&run, "force"), WEIGHT);
    assert!(run.events().is_empty(), "{:?}", run.events());
}

#[test]
fn a_bar_that_rests_on_a_floor_shares_its_weight() {
    let mut scene = scene(once(), json!({}));
    scene["constraint"]["floor"] = json!({"plane": {"on": "bar", "at": [0.5, 0, 0], "normal": [0, 0, 1],
        "point": [0, 0, 0], "side": "above"}});
    scene["probe"]
        .as_array_mut()
        .expect("a list")
        .push(json!({"name": "floor", "of": "floor", "read": "force"}));
    let mut run = build(scene);
    finish(&mut run);
    is(probe(&run, "force"), WEIGHT / 2.0);
    is(probe(&run, "floor"), WEIGHT / 2.0);
}

#[test]
fn a_bob_swings_below_a_bar_that_a_limit_a_motor_or_a_floor_holds() {
    // ω² = m g l/(m l² + 2 m r²/5) of a sphere of 5 cm, 0.5 m below its hinge.
    let exact = 9.81 * 0.5 / (0.25 + 0.4 * 0.05 * 0.05);
    let floor = json!({"plane": {"on": "bar", "at": [0.5, 0, 0], "normal": [0, 0, 1], "point": [0, 0, 0],
        "side": "above"}});
    let held = [
        (json!({"angle": {"most": 0}}), None),
        (json!({"angle": {"motor": {"position": {"target": 0, "strength": 500}}}}), None),
        (json!({"angle": {"motor": {"position": {"target": 0}}}}), None),
        (json!({"angle": {"friction": 500}}), None),
        (json!({}), Some(floor)),
    ];
    for (more, floor) in held {
        let mut scene = scene(once(), more);
        scene["body"]["bob"] = json!({"shape": {"sphere": {"radius": 0.05}}, "mass": 1,
            "position": [0.5, 0, -0.5]});
        scene["constraint"]["swing"] = json!({"joint": {"kind": "hinge", "on": "bob", "at": [0, 0, 0.5],
            "axis": [0, 1, 0], "to": {"on": "bar", "at": [0, 0, 0]}}});
        if let Some(floor) = floor {
            scene["constraint"]["floor"] = floor;
        }
        let mut run = build(scene);
        finish(&mut run);
        let modes = run.world().modes(4, Arithmetic::Portable, &mut Workspace::new()).expect("modes");
        let found: Vec<f64> = modes.modes.iter().map(|mode| mode.eigenvalue).collect();
        // One freedom is left. The equilibrium is converged to 1e-10.
        assert!(
            found.len() == 1 && modes.unstable == 0 && (found[0] / exact - 1.0).abs() < 1e-8,
            "{found:?}"
        );
    }
}

#[test]
fn statics_of_a_balanced_bar_reports_no_other_branch() {
    // Nothing but its motor holds the bar, and its energy is zero but for rounding.
    let settings = json!({"mode": "static", "duration": 0.2, "step": 0.02});
    let target = json!({"ramp": {"to": 0.4, "end": 0.2}});
    let mut scene = scene(
        settings,
        json!({"at": [0, 0, 0], "angle": {"motor": {"position":
        {"target": target, "strength": 50}}}}),
    );
    scene["body"]["bar"]["position"] = json!([0, 0, 0]);
    let mut run = build(scene);
    finish(&mut run);
    assert!(!run.events().iter().any(|event| matches!(event.what, EventKind::LeftBranch { .. })));
}
