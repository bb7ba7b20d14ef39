//! Every integrator converges with its order on everything that moves.
//!
//! Three runs with steps h, h/2 and h/4: their differences fall as 2 (Euler, explicit steps) and 4 (BDF2).
//! The motions are smooth: they start at rest or in free flight, and their loads and targets start without a
//! jump.

use super::{IMPLICIT, MODELS, rope, with};
use crate::common::{at, build, position, probe};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};

/// Order of convergence of a place at `time`, from three runs, the first with steps of `step`.
fn order(description: &Value, step: f64, time: f64, place: impl Fn(&Simulation) -> DVec3) -> f64 {
    let [a, b, c] = [1.0, 2.0, 4.0].map(|parts| {
        let mut description = description.clone();
        description["settings"]["step"] = json!(step / parts);
        description["settings"]["duration"] = json!(time);
        let mut simulation = build(description);
        while !simulation.finished() {
            let report = simulation.step(&NoClock);
            assert!(!report.held && report.substeps == 1, "{report:?}");
        }
        place(&simulation)
    });
    (a.distance(b) / b.distance(c)).log2()
}

/// Compares with the order of the integrator.
#[track_caller]
fn check(what: &str, description: &Value, step: f64, time: f64, place: impl Fn(&Simulation) -> DVec3) {
    let integrator = description["settings"]["integrator"].as_str().expect("an integrator");
    let expected = if integrator == "bdf2" { 2.0 } else { 1.0 };
    let found = order(description, step, time, place);
    // The next term of the expansion is smaller than the first by about step/time of the motion, a tenth.
    assert!((found - expected).abs() < 0.15, "{what}, {integrator}: order {found}");
}

/// A force that starts smoothly.
fn swell(force: [f64; 3]) -> Value {
    json!({"ramp": {"to": force, "end": 0.4, "smooth": true}})
}

#[test]
fn rods_of_every_model_converge_with_the_order_of_the_integrator() {
    for model in MODELS {
        for integrator in IMPLICIT {
            let scene = json!({
                "rod": {"rope": rope(model)},
                "constraint": {"a": {"position": {"on": "rope", "at": "start"}}},
                "load": {"pull": {"force": {"on": "rope", "at": "end", "force": swell([0.3, 0.2, 0.4])}}},
                "settings": {"gravity": [0, 0, 0], "integrator": integrator},
            });
            check(model, &scene, 4e-3, 0.4, |run| at(run.world(), "rope", 0.7));
        }
    }
}

#[test]
fn rods_with_internal_damping_converge_with_the_order_of_the_integrator() {
    for model in MODELS {
        for integrator in IMPLICIT {
            // A mass-spring rod damps the size of a bend, which is not smooth where a bend becomes straight.
            let internal = if model == "mass-spring" { 0.0 } else { 0.02 };
            let rod = with(rope(model), json!({"damping": {"internal": internal, "mass": 3}}));
            let scene = json!({
                "rod": {"rope": rod},
                "constraint": {"a": {"position": {"on": "rope", "at": "start"}}},
                "load": {"pull": {"force": {"on": "rope", "at": "end", "force": swell([0.3, 0.2, 0.4])}}},
                "settings": {"gravity": [0, 0, 0], "integrator": integrator},
            });
            check(model, &scene, 4e-3, 0.4, |run| at(run.world(), "rope", 0.7));
        }
    }
}

#[test]
fn rods_of_fixed_length_converge_with_the_order_of_the_integrator_explicit_steps_included() {
    for integrator in ["euler", "bdf2", "explicit"] {
        let rod = with(
            rope("discrete-elastic"),
            json!({"inextensible": true, "segments": 8,
            "velocity": [0, 0.3, 0.2]}),
        );
        // It starts with a velocity: from rest, explicit steps (v half a step behind x) would be of second
        // order.
        let scene = json!({
            "rod": {"rope": rod},
            "load": {"pull": {"force": {"on": "rope", "at": "end", "force": [0.03, 0.02, 0.04]}}},
            "settings": {"gravity": [0, 0, 0], "integrator": integrator},
        });
        check("fixed length", &scene, 2e-3, 0.4, |run| at(run.world(), "rope", 0.7));
    }
}

#[test]
fn twisted_and_clamped_rods_converge_with_the_order_of_the_integrator() {
    for model in super::FRAMED {
        for integrator in IMPLICIT {
            // A smooth ramp starts with a jump of acceleration; damping removes the waves of this jump.
            let rod = with(rope(model), json!({"damping": {"internal": 0.02, "mass": 3}}));
            let scene = json!({
                "rod": {"rope": rod},
                "constraint": {"a": {"clamp": {"on": "rope", "at": "start",
                        "rotation": {"ramp": {"to": [0.5, 0.4, 0.3], "end": 0.4, "smooth": true}}}},
                    "b": {"roll": {"on": "rope", "at": "end",
                        "angle": {"ramp": {"to": 1, "end": 0.4, "smooth": true}}}}},
                "settings": {"gravity": [0, 0, 0], "integrator": integrator},
            });
            check(model, &scene, 4e-3, 0.4, |run| at(run.world(), "rope", 1.0));
        }
    }
}

#[test]
fn a_mass_on_a_link_a_circle_and_a_path_converges_with_the_order_of_the_integrator() {
    let ring = json!({"ring": {"centre": [0, 0, 0], "normal": [0, 1, 0], "radius": 0.3}});
    let helix = json!({"helix": {"centre": [0, 0, 0], "axis": [0, 0, -1], "start": [1, 0, 0], "radius": 0.3,
        "pitch": 0.5, "turns": 3}});
    for (what, constraint) in [
        ("link", json!({"distance": {"on": "m", "centre": [0, 0, 0]}})),
        ("circle", json!({"circle": {"on": "m", "centre": [0, 0, 0], "normal": [0, 1, 0], "radius": 0.3}})),
        ("ring", json!({"trajectory": {"on": "m", "path": ring}})),
        ("rail", json!({"trajectory": {"on": "m", "path": helix}})),
    ] {
        for integrator in ["euler", "bdf2", "explicit"] {
            if integrator == "explicit" && constraint.get("trajectory").is_some() {
                continue;
            }
            let scene = json!({"mass": {"m": {"position": [0.3, 0, 0], "mass": 0.1}},
                "constraint": {"c": constraint}, "settings": {"integrator": integrator}});
            check(what, &scene, 1e-3, 0.3, |run| position(run.world(), "m"));
        }
    }
}

/// A cord between two points with something that slides on it, which is drawn aside.
fn sliding(model: &str, slider: Value, masses: Value, integrator: &str) -> Value {
    let probes = ["x", "y", "z"]
        .map(|axis| json!({"name": axis, "of": "slider", "read": "position", "component": axis}));
    let line = json!({"shape": {"line": {"from": [0, 0, 0], "to": [1, 0, -0.4]}}});
    json!({
        "rod": {"rope": with(rope(model), line)},
        "mass": masses,
        "constraint": {"a": {"position": {"on": "rope", "at": "start"}},
            "b": {"position": {"on": "rope", "at": "end"}}, "slider": slider},
        "settings": {"gravity": {"ramp": {"to": [0, 0, -9.81], "end": 0.3, "smooth": true}},
            "integrator": integrator},
        "probe": probes,
    })
}

fn slider(run: &Simulation) -> DVec3 {
    DVec3::from_array(["x", "y", "z"].map(|axis| probe(run, axis)))
}

#[test]
fn pearls_on_every_model_converge_with_the_order_of_the_integrator() {
    for model in MODELS {
        for integrator in IMPLICIT {
            let pearl = json!({"pearl": {"on": "rope", "at": "43 %", "mass": 0.1, "viscosity": 0.05}});
            check(model, &sliding(model, pearl, json!({}), integrator), 4e-3, 0.4, slider);
        }
    }
}

#[test]
fn masses_that_carry_an_eye_converge_with_the_order_of_the_integrator() {
    for model in MODELS {
        for integrator in IMPLICIT {
            let eye = json!({"keyhole": {"on": "rope", "at": "43 %", "to": {"on": "m"}, "viscosity": 0.05}});
            let masses = json!({"m": {"position": [0.43, 0, -0.4 * 0.43], "mass": 0.1}});
            check(model, &sliding(model, eye, masses, integrator), 4e-3, 0.4, |run| {
                position(run.world(), "m")
            });
        }
    }
}

#[test]
fn rods_that_run_through_an_eye_converge_with_the_order_of_the_integrator() {
    for model in MODELS {
        for integrator in IMPLICIT {
            let scene = json!({
                "rod": {"rope": with(rope(model), json!({"segments": 24,
                    "stiffness": {"stretch": 60, "bend": 0.05, "twist": 0.05}}))},
                "constraint": {"eye": {"keyhole": {"on": "rope", "at": "43 %", "target": [0.43, 0, 0]}}},
                "load": {"pull": {"force": {"on": "rope", "at": "end", "force": swell([0.2, 0.1, -0.2])}},
                    "hold": {"force": {"on": "rope", "at": "start", "force": swell([-0.1, 0.0, -0.1])}}},
                "settings": {"gravity": [0, 0, 0], "integrator": integrator},
            });
            check(model, &scene, 4e-3, 0.4, |run| at(run.world(), "rope", 0.7));
        }
    }
}

#[test]
fn masses_on_springs_with_dampers_converge_with_the_order_of_the_integrator() {
    for integrator in ["euler", "bdf2", "explicit"] {
        let scene = json!({
            "mass": {"m": {"position": [0.3, 0, 0], "mass": 0.1, "velocity": [0, 1, 0]},
                "n": {"position": [0.6, 0, 0], "mass": 0.2}},
            "spring": {"s": {"linear": {"from": {"mass": "m"}, "to": {"point": [0, 0, 0]}, "stiffness": 20,
                    "damping": 0.1}},
                "t": {"linear": {"from": {"mass": "m"}, "to": {"mass": "n"}, "stiffness": 10}}},
            "settings": {"integrator": integrator},
        });
        check("springs", &scene, 2e-3, 0.4, |run| position(run.world(), "m"));
    }
}
