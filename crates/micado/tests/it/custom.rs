//! A custom law, a custom constraint and a custom force follow their equations.

#[path = "../../examples/custom/kinds.rs"]
pub(crate) mod kinds;

use crate::common::{bits, counting, scene};
use glam::{DMat3, DQuat, DVec3};
use kinds::{RackAndPinion, Yielding, registry};
use micado::clock::NoClock;
use micado::custom::{
    CustomConstraint as _, CustomForce as _, ForceAction, ForceEnd, MAX_MEMORY, Parameters, Registry, Rows,
    Site,
};
use micado::error::BuildError;
use micado::run::Simulation;
use micado::scene::Scene;
use micado::step::Pool;
use micado::world::snapshot::SnapshotError;
use serde_json::{Value, json};

fn built(scene: &Scene) -> Simulation {
    Simulation::build_with(scene, &registry()).expect("the scene can be built")
}

/// A run to its end, step by step.
fn run(description: Value, mut visit: impl FnMut(&Simulation)) -> Simulation {
    let mut simulation = built(&scene(description));
    while !simulation.finished() {
        assert!(!simulation.step(&NoClock).held);
        visit(&simulation);
    }
    simulation
}

/// A sledge of 2 kg on a clutch in the plane, pulled by a force.
fn sledge(force: Value, settings: Value) -> Value {
    let mut words = json!({
        "settings": {"gravity": [0, 0, 0], "step": 1.0 / 128.0},
        "mass": {"sledge": {"position": [0, 0, 0], "mass": 2}},
        "constraint": {"clutch": {"law": {"kind": "clutch", "on": "sledge",
            "directions": [[1, 0, 0], [0, 1, 0]], "parameters": {"holds": 10, "slides": 4}}}},
        "load": {"pull": {"force": {"on": "sledge", "force": force}}},
        "probe": [
            {"name": "x", "of": "sledge", "read": "velocity", "component": "x"},
            {"name": "y", "of": "sledge", "read": "velocity", "component": "y"},
            {"name": "fx", "of": "clutch", "read": "force", "component": "x"},
            {"name": "fy", "of": "clutch", "read": "force", "component": "y"}]
    });
    for (field, value) in settings.as_object().into_iter().flatten() {
        words["settings"][field] = value.clone();
    }
    words
}

#[test]
fn clutch_holds_to_its_strength_and_then_slides_with_less() {
    // F = 10 t along (3, 4)/5: it gives way after 1 s, and 4 N resist from then on.
    let force = json!({"ramp": {"to": [12, 16, 0], "end": 2}});
    for solves in [json!(1), json!(3), json!("auto")] {
        let mut late = 0;
        let end = run(sledge(force.clone(), json!({"duration": 2, "solves": solves})), |simulation| {
            let [x, y, fx, fy] = simulation.probe_values().try_into().expect("four probes");
            if simulation.time() <= 1.0 {
                // Forces balance to rounding: 1e-13 m of the sweeps in a step of 8 ms.
                assert!(x.hypot(y) < 1e-10, "it holds at {} s: {x} {y}", simulation.time());
                assert!((fx.hypot(fy) - 10.0 * simulation.time()).abs() < 1e-7);
            } else {
                assert!((fx.hypot(fy) - 4.0).abs() < 1e-9, "{fx} {fy}");
                late += 1;
            }
        });
        assert_eq!(late, 128);
        // The discrete law of implicit Euler: v = h Σ (F − 4)/m over the steps that slide.
        let expected: f64 = (129..=256).map(|i| (10.0 * f64::from(i) / 128.0 - 4.0) / 2.0 / 128.0).sum();
        let [x, y, fx, fy] = end.probe_values().try_into().expect("four probes");
        assert!((x.hypot(y) - expected).abs() < 1e-8 * expected, "{} {expected}", x.hypot(y));
        // It slides along the force, and the clutch opposes it.
        assert!((x * 4.0 - y * 3.0).abs() < 1e-8 && x * fx + y * fy < 0.0);
    }
}

#[test]
fn clutch_that_came_to_rest_holds_its_full_strength_again() {
    let force = json!({"keyframes": {"times": [0, 1, 1.2, 4, 5],
        "values": [[0, 0, 0], [12, 0, 0], [0, 0, 0], [0, 0, 0], [9, 0, 0]]}});
    for integrator in ["euler", "bdf2"] {
        let mut fastest = 0.0_f64;
        let settings = json!({"duration": 5, "integrator": integrator});
        let end = run(sledge(force.clone(), settings), |simulation| {
            fastest = fastest.max(simulation.probe_values()[0]);
        });
        assert!(fastest > 0.1, "{integrator}: it has slid");
        // 9 N: more than its sliding force, less than it holds.
        let values = end.probe_values();
        assert!(values[0].abs() < 1e-9 && (values[2] + 9.0).abs() < 1e-6, "{integrator}: {values:?}");
    }
}

#[test]
fn second_clutch_takes_over_within_a_sweep() {
    let hold = |slides: Value| {
        json!({"law": {"kind": "clutch", "on": "sledge", "directions": [[1, 0, 0]],
        "parameters": {"rows": 1, "holds": 10, "slides": slides}}})
    };
    let force = json!({"ramp": {"to": [18, 0, 0], "end": 2}});
    for (second, moves) in [(false, true), (true, false)] {
        let mut words = sledge(force.clone(), json!({"duration": 1.5}));
        words["constraint"] = json!({"clutch": hold(json!(4))});
        if second {
            words["constraint"]["other"] = hold(json!(4));
        }
        // 13.5 N: more than one clutch holds, less than two hold.
        let end = run(words, |_| {});
        let speed = end.probe_values()[0];
        assert_eq!(speed > 0.1, moves, "{speed}");
        assert!(moves || speed.abs() < 1e-9, "{speed}");
    }
}

#[test]
fn law_of_six_rows_holds_a_body_in_every_direction() {
    let words = json!({
        "settings": {"gravity": [0, 0, -10], "step": 0.01, "duration": 0.5},
        "body": {"box": {"shape": {"box": {"size": [0.2, 0.3, 0.4]}}, "mass": 1}},
        "constraint": {"grip": {"law": {"kind": "clutch", "on": "box",
            "directions": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
            "rotations": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
            "parameters": {"rows": 6, "holds": 12, "slides": 12}}}},
        "load": {"turn": {"moment": {"on": "box", "moment": [0, 3, 4]}}},
        "probe": [{"name": "z", "of": "grip", "read": "force", "component": "z"},
            {"name": "moment", "of": "grip", "read": "moment"},
            {"name": "speed", "of": "box", "read": "velocity"}]
    });
    // √(10² + 5²) = 11.2 of 12.
    let end = run(words, |_| {});
    let [force, moment, speed] = end.probe_values().try_into().expect("three probes");
    assert!((force - 10.0).abs() < 1e-7 && (moment - 5.0).abs() < 1e-7, "{force} {moment}");
    assert!(speed < 1e-9, "{speed}");
}

/// A pinion of 6 kg and a rack of 3 kg, driven by 0.5 N·m.
fn rack(settings: Value) -> Value {
    json!({
        "settings": settings,
        "body": {
            "pinion": {"shape": {"box": {"size": [0.2, 0.2, 0.2]}}, "mass": 6},
            "rack": {"position": [0, -0.1, 0], "shape": {"box": {"size": [1, 0.04, 0.04]}}, "mass": 3}},
        "constraint": {
            "bearing": {"joint": {"kind": "hinge", "on": "pinion", "axis": [0, 0, 1]}},
            "guide": {"joint": {"kind": "slider", "on": "rack", "axis": [1, 0, 0]}},
            "teeth": {"custom": {"kind": "rack-and-pinion", "on": "pinion", "to": {"on": "rack"},
                "parameters": {"radius": 0.1, "axis": [0, 0, 1], "along": [1, 0, 0]}}}},
        "load": {"motor": {"moment": {"on": "pinion", "moment": [0, 0, 0.5]}}},
        "probe": [
            {"name": "angle", "of": "bearing", "read": "angle"},
            {"name": "x", "of": "rack", "read": "position", "component": "x"},
            {"name": "v", "of": "rack", "read": "velocity", "component": "x"},
            {"name": "force", "of": "teeth", "read": "force", "component": "x"},
            {"name": "residual", "of": "teeth", "read": "residual"}]
    })
}

#[test]
fn rack_follows_its_pinion_over_whole_turns() {
    const RADIUS: f64 = 0.1;
    // I = m a²/6
    let inertia = 6.0 * 0.04 / 6.0;
    let acceleration = 0.5 / (inertia + 3.0 * RADIUS * RADIUS);
    for integrator in ["euler", "bdf2"] {
        let error = |step: f64| {
            let settings =
                json!({"gravity": [0, 0, 0], "step": step, "duration": 2.5, "integrator": integrator});
            let end = run(rack(settings), |simulation| {
                let [angle, x, _, _, residual]: [f64; 5] =
                    simulation.probe_values().try_into().expect("five probes");
                assert!((x - RADIUS * angle).abs() < 1e-9 && residual < 1e-9, "{x} {angle} {residual}");
            });
            let [angle, _, v, ..] = end.probe_values() else { panic!("five probes") };
            assert!(*angle > 3.0 * std::f64::consts::TAU, "{angle}");
            (v / (RADIUS * acceleration * 2.5) - 1.0).abs()
        };
        // Velocities are exact under a constant torque, up to the residual of the rack in each of 500 steps.
        let (coarse, fine) = (error(0.01), error(0.005));
        assert!(coarse.max(fine) < 1e-7, "{integrator}: {coarse} {fine}");
    }
}

/// A site with this position and rotation.
fn site(x: DVec3, rotation: DMat3) -> Site {
    Site { x, turns: true, t: rotation.x_axis, m1: rotation.y_axis, m2: rotation.z_axis, ..Site::WORLD }
}

fn parameters(words: Value) -> Parameters {
    serde_json::from_value(words).expect("a table")
}

#[test]
fn rows_of_the_pinion_are_the_derivative_of_its_condition() {
    let given = parameters(json!({"radius": 0.3, "axis": [1, 2, 2], "along": [2, 1, -2]}));
    let teeth = RackAndPinion::new(&given).expect("a rack and pinion");
    let mut memory = [0.0; MAX_MEMORY];
    let start = DQuat::from_scaled_axis(DVec3::new(0.3, -0.8, 0.5));
    let (a, b) = (DVec3::new(0.1, 0.4, -0.2), DVec3::new(0.9, -0.3, 0.6));
    teeth.begin(&[site(a, DMat3::from_quat(start)), site(b, DMat3::IDENTITY)], &mut memory).expect("begins");
    // Tilted too, so that θ is no plain rotation about the axis.
    let pose = DQuat::from_scaled_axis(DVec3::new(0.9, 0.4, -0.7)) * start;
    let rows_at = |dx: DVec3, dphi: DVec3, dy: DVec3| {
        let turned = DMat3::from_quat(DQuat::from_scaled_axis(dphi) * pose);
        let mut rows = Rows::default();
        teeth.linearise(&[site(a + dx, turned), site(b + dy, DMat3::IDENTITY)], &memory, 0.0, &mut rows);
        rows[0]
    };
    let (row, step, zero) = (rows_at(DVec3::ZERO, DVec3::ZERO, DVec3::ZERO), 1e-6, DVec3::ZERO);
    for axis in DVec3::AXES {
        let by = axis * step;
        for (exact, plus, minus) in [
            (row.ends[0].force.dot(axis), rows_at(by, zero, zero), rows_at(-by, zero, zero)),
            (row.ends[0].moment.dot(axis), rows_at(zero, by, zero), rows_at(zero, -by, zero)),
            (row.ends[1].force.dot(axis), rows_at(zero, zero, by), rows_at(zero, zero, -by)),
        ] {
            // E = −g. Third derivatives of order one times 1e-12, rounding of 1e-16/1e-6.
            let slope = (minus.violation - plus.violation) / (2.0 * step);
            assert!((slope - exact).abs() < 1e-9, "{slope} {exact}");
        }
    }
}

#[test]
fn stiffness_of_a_force_is_the_derivative_of_its_pull() {
    let given = parameters(json!({"stiffness": 3, "strength": 1}));
    let spring = Yielding::new(&given).expect("a spring");
    let end =
        |x: DVec3| ForceEnd { site: site(x, DMat3::IDENTITY), velocity: DVec3::ZERO, spin: DVec3::ZERO };
    let (a, b) = (DVec3::new(0.1, -0.2, 0.3), DVec3::new(0.7, 0.5, -0.1));
    let (mut memory, step) = ([0.0; MAX_MEMORY], 1e-6);
    // Elastic, and yielding: 0.2 and 0.9 m longer than at rest.
    for longer in [0.2, 0.9] {
        memory[0] = a.distance(b) - longer;
        let act = |by: [DVec3; 2]| {
            let mut out = ForceAction::default();
            spring.act(&[end(a + by[0]), end(b + by[1])], &memory, 0.0, true, &mut out);
            out
        };
        let exact = act([DVec3::ZERO; 2]);
        for column in 0..2 {
            for axis in 0..3 {
                let mut by = [DVec3::ZERO; 2];
                by[column] = DVec3::AXES[axis] * step;
                let (plus, minus) = (act(by), act(by.map(|by| -by)));
                for row in 0..2 {
                    let slope = (minus.force[row] - plus.force[row]) / (2.0 * step);
                    for other in 0..3 {
                        let entry = exact.stiffness[6 * row + other][6 * column + axis];
                        // Entries of order one, differences of second order.
                        assert!((slope[other] - entry).abs() < 1e-8, "{longer}: {} {entry}", slope[other]);
                    }
                }
            }
        }
    }
}

#[test]
fn spring_that_yields_dissipates_its_loop() {
    const AMPLITUDE: f64 = 0.1;
    // The far end moves by ±0.1 m once per second. Elastic up to 5/200 m.
    let words = json!({
        "settings": {"gravity": [0, 0, 0], "step": 1e-3, "duration": 2},
        "mass": {"m": {"position": [0, 0, 0], "mass": 1}},
        "constraint": {"held": {"position": {"on": "m"}}},
        "spring": {"bar": {"custom": {"kind": "yielding", "from": {"mass": "m"},
            "to": {"point": {"harmonic": {"mean": [1, 0, 0], "amplitude": [AMPLITUDE, 0, 0],
                "frequency": 1}}},
            "parameters": {"stiffness": 200, "strength": 5}}}},
        "probe": [{"name": "pull", "of": "bar", "read": "tension"},
            {"name": "length", "of": "bar", "read": "length"},
            {"name": "energy", "of": "bar", "read": "elastic-energy"},
            {"name": "held", "of": "held", "read": "force", "component": "x"}]
    });
    let (mut last, mut work) = ([0.0, 1.0], 0.0);
    run(words, |simulation| {
        let [pull, length, energy, held] = simulation.probe_values().try_into().expect("four probes");
        assert!(pull.abs() <= 5.0 + 1e-12 && (held + pull).abs() < 1e-9);
        assert!((energy - pull * pull / 400.0).abs() < 1e-12);
        if simulation.time() > 1.0 {
            work += 0.5 * (pull + last[0]) * (length - last[1]);
        }
        last = [pull, length];
    });
    // 4 f (A − f/k), by trapezoids that cut the corners: 1e-3 of a period.
    let expected = 4.0 * 5.0 * (AMPLITUDE - 5.0 / 200.0);
    assert!((work - expected).abs() < 1e-3 * expected, "{work} {expected}");
}

#[test]
fn force_carries_a_weight_in_equilibrium_and_swings_with_its_period() {
    let words = |settings: Value, velocity: f64| {
        json!({
            "settings": settings,
            "mass": {"m": {"position": [0, 0, -1], "mass": 2, "velocity": [0, 0, velocity]}},
            "spring": {"bar": {"custom": {"kind": "yielding", "from": {"point": [0, 0, 0]},
                "to": {"mass": "m"}, "parameters": {"stiffness": 400, "strength": 50}}}},
            "probe": [{"name": "z", "of": "m", "read": "position", "component": "z"}]
        })
    };
    let still = run(words(json!({"mode": "static", "gravity": [0, 0, -10]}), 0.0), |_| {});
    // m g/k; equilibria converge to 1e-10 of the size.
    assert!((still.probe_values()[0] + 1.0 + 20.0 / 400.0).abs() < 1e-9, "{:?}", still.probe_values());
    let (mut crossings, mut last) = (Vec::new(), [0.0, 0.0]);
    let settings = json!({"gravity": [0, 0, 0], "step": 1e-3, "duration": 2, "integrator": "bdf2"});
    run(words(settings, 0.1), |simulation| {
        let z = simulation.probe_values()[0] + 1.0;
        if last[1] < 0.0 && z >= 0.0 {
            crossings.push(last[0] - (simulation.time() - last[0]) * last[1] / (z - last[1]));
        }
        last = [simulation.time(), z];
    });
    let periods = (crossings.len() - 1) as f64;
    let period = (crossings[crossings.len() - 1] - crossings[0]) / periods;
    let expected = std::f64::consts::TAU * (2.0_f64 / 400.0).sqrt();
    // BDF2 lengthens a period by (ωh)²/3 = 7e-5.
    assert!((period / expected - 1.0).abs() < 2e-4, "{period} {expected}");
}

/// All three kinds on three islands.
fn workshop() -> Scene {
    let mut words = rack(json!({"gravity": [0, 0, -9.81], "step": 0.005, "duration": 1}));
    words["constraint"]["clutch"] = json!({"law": {"kind": "clutch", "on": "rack",
        "directions": [[1, 0, 0]], "parameters": {"rows": 1, "holds": 2, "slides": 1}}});
    words["spring"] = json!({"buffer": {"custom": {"kind": "yielding", "from": {"object": {"on": "rack"}},
        "to": {"point": [-1, -0.1, 0]}, "parameters": {"stiffness": 20, "strength": 0.5}}}});
    for k in 0..2 {
        let name = format!("m{k}");
        words["mass"][&name] = json!({"position": [k, 5, 0], "mass": 1 + k, "velocity": [1, 0, 0]});
        words["constraint"][format!("c{k}")] = json!({"law": {"kind": "clutch", "on": name,
            "directions": [[1, 0, 0], [0, 0, 1]], "parameters": {"holds": 12, "slides": 11}}});
    }
    scene(words)
}

#[test]
fn snapshots_continue_with_the_same_bits_and_name_kinds_that_are_missing() {
    let scene = workshop();
    let mut whole = built(&scene);
    (0..90).for_each(|_| _ = whole.step(&NoClock));
    // The clutch slides and the spring has yielded: both have memory.
    let state = whole.world().state();
    assert!(state.constraints.iter().any(|of| of.kept[0][1] != 0.0), "a clutch slides");
    assert!(state.springs[0].memory[1] != 0.0, "the spring has yielded");
    let bytes = whole.snapshot(&scene);
    let (mut restored, _) = Simulation::restore_with(&bytes, &registry()).expect("a snapshot");
    for _ in 0..60 {
        whole.step(&NoClock);
        restored.step(&NoClock);
        assert_eq!(bits(whole.world()), bits(restored.world()));
    }
    let missing = Simulation::restore_with(&bytes, &Registry::new().law("brake", kinds::Clutch::new));
    let Err(SnapshotError::Scene(error)) = missing else { panic!("kinds are missing") };
    assert!(error.path.ends_with(".kind"), "{error}");
}

#[test]
fn islands_with_custom_kinds_have_the_same_bits_on_any_number_of_threads() {
    let scene = workshop();
    let ends: Vec<Vec<u8>> = [1, 2, 5]
        .into_iter()
        .map(|threads| {
            let mut simulation = built(&scene);
            simulation.set_pool(Pool::new(threads).expect("threads"));
            (0..100).for_each(|_| assert!(!simulation.step(&NoClock).held));
            bits(simulation.world())
        })
        .collect();
    assert!(ends[1..].iter().all(|end| *end == ends[0]));
}

#[test]
fn steps_with_custom_kinds_allocate_nothing_after_warm_up() {
    use micado::step::{StepParams, Workspace};
    let mut world = micado::world::World::build_with(&workshop(), &registry()).expect("a world");
    let (mut workspace, params) = (Workspace::new(), StepParams { step: 5e-3, ..StepParams::default() });
    (0..30).for_each(|_| assert!(!world.step(&params, &mut workspace, &NoClock).held));
    let before = counting::calls();
    (0..30).for_each(|_| assert!(!world.step(&params, &mut workspace, &NoClock).held));
    assert_eq!(counting::calls() - before, 0);
}

#[test]
fn unknown_kinds_and_bad_parameters_are_named() {
    let refused = |description: Value, registry: &Registry| -> BuildError {
        Simulation::build_with(&scene(description), registry).expect_err("the scene is refused")
    };
    let with = |change: &dyn Fn(&mut Value)| {
        let mut words = sledge(json!([1, 0, 0]), json!({}));
        change(&mut words["constraint"]["clutch"]["law"]);
        refused(words, &registry())
    };
    let unknown = with(&|law| law["kind"] = json!("clatch"));
    assert_eq!(unknown.path, "constraint.clutch.law.kind");
    assert!(unknown.remedy.contains("clutch"), "{unknown}");
    let none = refused(sledge(json!([1, 0, 0]), json!({})), &Registry::new());
    assert!(none.path == "constraint.clutch.law.kind" && none.remedy.contains("no law"), "{none}");
    let path = |change: &dyn Fn(&mut Value)| with(change).path;
    let parameters = "constraint.clutch.law.parameters";
    assert_eq!(path(&|law| law["parameters"]["holds"] = json!(-1)), format!("{parameters}.holds"));
    assert_eq!(path(&|law| law["parameters"]["slides"] = json!("much")), format!("{parameters}.slides"));
    assert_eq!(path(&|law| law["parameters"]["slide"] = json!(1)), format!("{parameters}.slide"));
    assert_eq!(path(&|law| law["parameters"]["rows"] = json!(3)), "constraint.clutch.law.directions");
    assert_eq!(path(&|law| law["directions"] = json!([])), "constraint.clutch.law.directions");
    assert_eq!(
        path(&|law| law["directions"] = json!([[1, 0, 0], [0, 0, 0]])),
        "constraint.clutch.law.directions[1]"
    );
    let mut words = rack(json!({}));
    words["constraint"]["teeth"]["custom"]["parameters"]["along"] = json!([0, 0, 1]);
    assert_eq!(refused(words, &registry()).path, "constraint.teeth.custom.parameters.along");
    let mut words = rack(json!({}));
    words["spring"] = json!({"s": {"custom": {"kind": "yielding", "from": {"point": [0, 0, 0]},
        "to": {"point": [1, 0, 0]}, "parameters": {"stiffness": 1, "strength": 1}}}});
    assert_eq!(refused(words, &registry()).path, "spring.s.custom.from");
}
