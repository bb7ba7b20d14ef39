//! Contact together with everything else: winches, pearls, eyes, clips, cuts, joints that break, motors,
//! custom kinds, hands. Floor and supports together always carry the weight.

use super::{G, INTEGRATORS, MODELS, read};
use crate::common::{build, happened, probe, scene};
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::run::realtime::{Hand, RealTime};
use micado::scene::Scene;
use serde_json::{Value, json};
use std::f64::consts::PI;

const RADIUS: f64 = 0.005;
/// Mass per length of all rods, kg/m.
const LINE: f64 = PI * RADIUS * RADIUS * 1100.0;

/// A rope of a model between two points.
fn rope(model: &str, from: [f64; 3], to: [f64; 3], segments: usize) -> Value {
    json!({"model": model, "shape": {"line": {"from": from, "to": to}}, "radius": RADIUS, "young": 2e7,
        "density": 1100, "segments": segments, "damping": {"internal": 0.02, "mass": 10}})
}

/// A rope of 1 m on the floor along x, and more.
fn lying(model: &str, more: Value) -> Value {
    let mut scene = json!({"rod": {"rope": rope(model, [0.0, 0.0, RADIUS], [1.0, 0.0, RADIUS], 16)}});
    for (table, entries) in more.as_object().expect("tables") {
        scene[table] = entries.clone();
    }
    scene
}

/// Checks for all models that the floor and other supports, by name, carry a mass, kg.
fn carry(description: impl Fn(&str) -> Value, supports: &[&str], mass: f64) {
    for model in MODELS {
        for (integrator, solves) in [("euler", json!("auto")), ("euler", json!(1)), ("bdf2", json!(3))] {
            let mut description = description(model);
            description["floor"] = json!(true);
            description["contact"] = json!({"friction": 0.3});
            description["settings"] = json!({"duration": 2, "step": 0.01, "integrator": integrator,
                "solves": solves});
            let mut probes = vec![read("floor", "floor", "contact-force", "z")];
            probes.extend(supports.iter().map(|name| read(name, name, "force", "z")));
            description["probe"] = json!(probes);
            let mut simulation = build(description);
            while !simulation.finished() {
                let report = simulation.step(&NoClock);
                assert!(!report.held && !report.unsolved_contacts, "{model}, {integrator}: {report:?}");
            }
            let held = supports.iter().map(|name| probe(&simulation, name)).sum::<f64>();
            let off = (held - probe(&simulation, "floor")) / (mass * G) - 1.0;
            // The rest of the motion after 2 s, damped with 10 1/s, and the tolerance of the sweeps.
            assert!(off.abs() < 1e-6, "{model}, {integrator}, {solves}: {off:e}");
        }
    }
}

#[test]
fn the_floor_carries_a_rope() {
    carry(|model| lying(model, json!({})), &[], LINE);
}

#[test]
fn the_floor_carries_a_rope_and_the_pearl_on_it() {
    let pearl = json!({"on": "rope", "at": 0.47, "mass": 0.05, "radius": 0.008, "friction": 0.3});
    let scene = json!({"constraint": {"pearl": {"pearl": pearl}}});
    carry(|model| lying(model, scene.clone()), &[], LINE + 0.05);
}

#[test]
fn the_floor_and_an_eye_carry_a_rope() {
    let eye = json!({"on": "rope", "at": 0.95, "friction": 0.3,
        "displacement": {"ramp": {"to": [-0.02, 0, 0.045], "end": 0.5}}});
    let scene = json!({"constraint": {"eye": {"keyhole": eye}}});
    carry(|model| lying(model, scene.clone()), &["eye"], LINE);
}

#[test]
fn the_floor_and_a_clip_carry_a_rope() {
    let clip = json!({"on": "rope", "at": 0.9,
        "displacement": {"ramp": {"to": [-0.01, 0, 0.03], "end": 0.5}}});
    let scene = json!({"constraint": {"clip": {"clip": clip}}});
    carry(|model| lying(model, scene.clone()), &["clip"], LINE);
}

#[test]
fn the_floor_carries_a_rope_and_the_weight_that_is_fused_to_it() {
    let scene = json!({
        "mass": {"weight": {"position": [0.5, 0, RADIUS], "mass": 0.2, "radius": RADIUS}},
        "constraint": {"tie": {"fusion": {"on": "rope", "at": "50 %", "to": {"on": "weight"}}}},
    });
    carry(|model| lying(model, scene.clone()), &[], LINE + 0.2);
}

#[test]
fn the_floor_carries_a_rope_and_the_cube_on_it() {
    let scene = json!({
        "body": {"cube": {"shape": {"box": {"size": [0.3, 0.1, 0.1]}}, "mass": 0.5,
            "position": [0.5, 0, 2.0 * RADIUS + 0.05]}},
        "constraint": {"upright": {"joint": {"kind": "slider", "on": "cube", "axis": [0, 0, 1]}}},
    });
    carry(|model| lying(model, scene.clone()), &[], LINE + 0.5);
}

#[test]
fn the_floor_carries_a_rope_and_another_across_it() {
    let across = |model: &str| {
        let mut scene = lying(model, json!({}));
        let z = 3.0 * RADIUS;
        scene["rod"]["across"] = rope(model, [0.4, -0.3, z], [0.4, 0.3, z], 12);
        scene
    };
    carry(across, &[], 1.6 * LINE);
}

#[test]
fn a_winch_lowers_a_load_onto_the_floor_which_takes_over_its_weight() {
    for integrator in INTEGRATORS {
        let mut simulation = build(json!({
            "floor": true, "contact": {"friction": 0.3},
            "rod": {"rope": rope("spline", [0.0, 0.0, 1.0], [0.0, 0.0, 0.1], 12)},
            "mass": {"load": {"position": [0, 0, 0.1], "mass": 0.5, "radius": 0.05}},
            "constraint": {
                "drum": {"position": {"on": "rope", "at": "start"}},
                "roll": {"roll": {"on": "rope", "at": "start"}},
                "shackle": {"fusion": {"on": "rope", "at": "end", "to": {"on": "load"}}},
            },
            "winch": {"winch": {"on": "rope", "pay_out": {"ramp": {"to": 0.06, "end": 0.6}}}},
            "settings": {"duration": 5, "step": 0.005, "integrator": integrator},
            "probe": [read("floor", "floor", "contact-force", "z"), read("drum", "drum", "force", "z"),
                {"name": "out", "of": "winch", "read": "length"},
                {"name": "z", "of": "load", "read": "position", "component": "z"}],
        }));
        while !simulation.finished() {
            assert!(!simulation.step(&NoClock).held, "{integrator}");
        }
        let weight = (0.5 + LINE * probe(&simulation, "out")) * G;
        let carried = probe(&simulation, "drum") - probe(&simulation, "floor");
        assert!((carried / weight - 1.0).abs() < 1e-6, "{integrator}: {carried} N of {weight} N");
        assert!((probe(&simulation, "z") - 0.05).abs() < 1e-9, "{integrator}");
        // The rope is slack.
        assert!(-probe(&simulation, "floor") > 0.4 * G, "{integrator}");
    }
}

#[test]
fn a_body_whose_joint_breaks_falls_and_lies_on_the_floor() {
    for integrator in INTEGRATORS {
        let mut simulation = build(json!({
            "floor": true, "contact": {"friction": 0.3},
            "body": {"cube": {"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "mass": 2,
                "position": [0, 0, 0.2]}},
            "constraint": {"hook": {"joint": {"kind": "weld", "on": "cube", "strength": {"force": 15}}}},
            "settings": {"duration": 1, "step": 0.005, "integrator": integrator},
            "probe": [read("floor", "cube", "contact-force", "z"), read("z", "cube", "position", "z")],
        }));
        while !simulation.finished() {
            assert!(!simulation.step(&NoClock).held, "{integrator}");
        }
        assert!(happened!(simulation, Broken), "{:?}", simulation.events());
        assert!((probe(&simulation, "floor") / (2.0 * G) - 1.0).abs() < 1e-6, "{integrator}");
        assert!((probe(&simulation, "z") - 0.05).abs() < 1e-9, "{integrator}");
    }
}

#[test]
fn a_motor_that_pushes_a_block_over_the_floor_works_against_its_friction() {
    for integrator in INTEGRATORS {
        let mut simulation = build(json!({
            "floor": true,
            "contact": {"friction": 0.3, "pairs": [{"between": ["block", "pusher"], "friction": 0}]},
            "body": {
                "block": {"shape": {"box": {"size": [0.2, 0.2, 0.1]}}, "mass": 3, "position": [0, 0, 0.05]},
                "pusher": {"shape": {"box": {"size": [0.1, 0.1, 0.06]}}, "mass": 0.5,
                    "position": [-0.16, 0, 0.05]},
            },
            "constraint": {"motor": {"joint": {"kind": "slider", "on": "pusher", "axis": [1, 0, 0],
                "slide": {"motor": {"velocity": {"target": 0.1}}}}}},
            "settings": {"duration": 1, "step": 0.005, "integrator": integrator},
            "probe": [read("drive", "motor", "drive", "norm"),
                {"name": "push", "of": "block", "with": "pusher", "read": "contact-force", "component": "x"},
                {"name": "floor", "of": "block", "with": "floor", "read": "contact-force", "component": "z"},
                read("v", "block", "velocity", "x")],
        }));
        while !simulation.finished() {
            assert!(!simulation.step(&NoClock).held, "{integrator}");
        }
        // The tolerance of the sweeps, 1e-12 m, over h², times 3 kg: 1e-7 N.
        let friction = 0.3 * 3.0 * G;
        assert!((probe(&simulation, "push") - friction).abs() < 1e-6, "{integrator}");
        assert!((probe(&simulation, "drive") - friction).abs() < 1e-6, "{integrator}");
        assert!((probe(&simulation, "floor") - 3.0 * G).abs() < 1e-6, "{integrator}");
        assert!((probe(&simulation, "v") - 0.1).abs() < 1e-9, "{integrator}");
    }
}

/// A cube that lies on the floor, with a hand at its top.
fn in_hand() -> Scene {
    scene(json!({
        "floor": true, "contact": {"friction": 0.5},
        "body": {"cube": {"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "mass": 1, "position": [0, 0, 0.2]}},
        "constraint": {"hand": {"position": {"on": "cube", "at": [0, 0, 0.05]}}},
        "settings": {"duration": 0.5, "step": 0.002},
        "probe": [read("floor", "cube", "contact-force", "z"), read("z", "cube", "position", "z")],
    }))
}

#[test]
fn a_hand_that_is_driven_in_real_time_puts_a_cube_on_the_floor() {
    let simulation = Simulation::build(&in_hand()).expect("a scene");
    let (mut hand, end) = Hand::on(simulation.world(), "hand").expect("a hand");
    // To where the cube stands, and no deeper.
    hand.move_to([0.0, 0.0, 0.1], [0.0; 3]);
    let driver = RealTime::start(simulation, vec![end]);
    let mut last = 0;
    while !driver.is_over() {
        last = driver.frame_of(last + 1, std::time::Duration::from_secs(10)).step;
    }
    let (simulation, _) = driver.stop();
    // The hand feels its load as a pull downwards.
    let carried = probe(&simulation, "floor") - hand.feel().force.z;
    assert!((carried / G - 1.0).abs() < 1e-6, "hand and floor carry {carried} N");
    assert!((probe(&simulation, "z") - 0.05).abs() < 1e-9, "{} m", probe(&simulation, "z"));
}

#[test]
fn explicit_steps_are_refused_with_contact_by_name() {
    let mut description = lying("discrete-elastic", json!({}));
    description["contact"] = json!({});
    description["rod"]["rope"]["damping"] = json!({});
    for (field, value) in [("integrator", "explicit"), ("mode", "static"), ("mode", "quasi-dynamic")] {
        description["settings"] = json!({"step": 1e-6, field: value});
        let error = Simulation::build(&scene(description.clone())).expect_err(value);
        assert!(error.path.starts_with("contact"), "{value}: {error:?}");
        assert!(error.remedy.contains("remove `contact`"), "{value}: {error:?}");
    }
}
