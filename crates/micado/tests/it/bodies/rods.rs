//! Rods and bodies together: clamps that pass moments, pendulums of rods and bodies, equilibria.

use super::{rotation, spin};
use crate::common::{build, equilibrium, force, object, probe};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Arithmetic;
use micado::step::Workspace;
use serde_json::{Value, json};
use std::f64::consts::TAU;

const MODELS: [&str; 3] = ["spline", "discrete-elastic", "beam"];

/// A vertical wire from the origin down to z = −1, of bending stiffness 1 N·m² and torsional stiffness 0.8.
fn wire(model: &str) -> Value {
    json!({"model": model, "shape": {"line": {"from": [0, 0, 0], "to": [0, 0, -1]}}, "segments": 20,
        "radius": 0.01, "mass_per_length": 0.01,
        "stiffness": {"stretch": 1e5, "bend": 1, "twist": 0.8}})
}

/// A body below the wire, clamped to its end.
fn hung(model: &str, settings: Value, body: Value) -> Value {
    json!({
        "settings": settings,
        "rod": {"wire": wire(model)},
        "body": {"disc": body},
        "constraint": {
            "top": {"clamp": {"on": "wire", "at": "start"}},
            "weld": {"joint": {"on": "wire", "at": "end", "to": {"on": "disc"}, "kind": "weld"}},
        },
    })
}

#[test]
fn torsional_pendulum_of_a_body_has_its_frequency() {
    // ω² = GJ/(L I); the wire's own inertia is 1e-6 of the disc's.
    let inertia = 0.02_f64;
    let disc = json!({"mass": 1, "inertia": {"moments": [0.012, 0.012, inertia]}, "position": [0, 0, -1]});
    let expected = (0.8 / inertia).sqrt() / TAU;
    for model in MODELS {
        let run = equilibrium(hung(model, json!({"mode": "static"}), disc.clone()));
        let modes = run.world().modes(8, Arithmetic::default(), &mut Workspace::new()).expect("modes");
        let nearest = modes
            .modes
            .iter()
            .filter_map(micado::step::Mode::frequency)
            .min_by(|a, b| (a - expected).abs().total_cmp(&(b - expected).abs()))
            .expect("a mode");
        // Discrete rods twist between the middles of their edges: L is longer or shorter by an edge at most.
        let bound = if model == "discrete-elastic" { 0.03 } else { 1e-3 };
        assert!((nearest / expected - 1.0).abs() < bound, "{model}: {nearest} {expected}");
    }
}

#[test]
fn modes_of_a_body_on_an_arm_do_not_need_a_load() {
    // Without loads the forces of the equilibrium are rounding, and must not set the scale of anything.
    let frequencies = |gravity: f64| {
        let bob = json!({"mass": 1, "inertia": {"moments": [0.02, 0.02, 0.03]}, "position": [0.3, 0, -1]});
        let mut scene = hung("spline", json!({"mode": "static", "gravity": [0, 0, -gravity]}), bob);
        scene["constraint"]["weld"]["joint"]["to"] = json!({"on": "disc", "at": [-0.3, 0, 0]});
        let run = equilibrium(scene);
        let modes = run.world().modes(4, Arithmetic::default(), &mut Workspace::new()).expect("modes");
        modes.modes.iter().map(|mode| mode.frequency().expect("a stable mode")).collect::<Vec<f64>>()
    };
    let [none, little] = [0.0, 1e-6].map(frequencies);
    for (a, b) in none.iter().zip(&little) {
        // The stiffness of a millionth of the weight is a millionth.
        assert!(*a > 0.1 && (a / b - 1.0).abs() < 1e-5, "{none:?} {little:?}");
    }
}

#[test]
fn hinged_bar_on_a_spring_has_the_frequency_of_its_energy_whatever_else_is_fixed() {
    // A bar of 1 m lies on a hinge; a spring of 0.5 m pulls at its other end with the force that holds it
    // level, at a slope of 4 : 3. ω² = V''/I.
    let (stiffness, length) = (200.0, 0.5);
    let rest = length - 9.81 / 2.0 / 0.8 / stiffness;
    let energy = |angle: f64| {
        let apart = (1.3 - angle.cos()).hypot(0.4 - angle.sin());
        0.5 * stiffness * (apart - rest).powi(2) + 9.81 / 2.0 * angle.sin()
    };
    let scene = |extra: Value| {
        let mut scene = json!({
            "settings": {"mode": "static"},
            "body": {"bar": super::bar([0.5, 0.0, 0.0], [0.0; 3])},
            "constraint": {"hinge": {"joint": {"on": "bar", "at": [-0.5, 0, 0], "kind": "hinge",
                "axis": [0, 1, 0]}}},
            "spring": {"s": {"linear": {"from": {"object": {"on": "bar", "at": [0.5, 0, 0]}},
                "to": {"point": [1.3, 0, 0.4]}, "stiffness": stiffness, "length": rest}}},
        });
        if let Some(extra) = extra.as_object() {
            scene["body"].as_object_mut().expect("bodies").extend(extra.clone());
        }
        let run = equilibrium(scene);
        let modes = run.world().modes(3, Arithmetic::default(), &mut Workspace::new()).expect("modes");
        modes.modes.iter().map(|mode| mode.eigenvalue).collect::<Vec<f64>>()
    };
    let inertia = (1.0 + 0.05 * 0.05) / 12.0 + 0.25;
    let step = 1e-3;
    let expected = (energy(step) + energy(-step) - 2.0 * energy(0.0)) / (step * step * inertia);
    let alone = scene(Value::Null);
    assert!(alone.len() == 1 && (alone[0] / expected - 1.0).abs() < 1e-5, "{alone:?} {expected}");
    let beside = scene(
        json!({"ground": {"shape": {"box": {"size": [9, 9, 1]}}, "position": [0, 0, -2], "fixed": true}}),
    );
    assert!(beside.len() == 1 && (beside[0] / expected - 1.0).abs() < 1e-5, "{beside:?} {expected}");
}

#[test]
fn spinning_disc_swings_on_its_wire_with_the_frequency_of_its_modes() {
    let inertia = 0.02_f64;
    for model in MODELS {
        let disc = json!({"mass": 1, "inertia": {"moments": [0.012, 0.012, inertia]}, "position": [0, 0, -1],
            "spin": [0, 0, 1]});
        let settings = json!({"step": 0.002, "duration": 3, "integrator": "bdf2"});
        let mut run = build(hung(model, settings, disc));
        let (mut times, mut before) = (Vec::new(), 1.0);
        while !run.finished() {
            let report = run.step(&NoClock);
            assert!(!report.held && !report.unsettled, "{report:?}");
            let now = spin(&run, "disc").z;
            if before * now < 0.0 {
                times.push(run.time() - 0.002 * now / (now - before));
            }
            before = now;
        }
        let periods = (times.len() - 1) / 2;
        let period = (times[2 * periods] - times[0]) / periods as f64;
        let expected = TAU * (inertia / 0.8_f64).sqrt();
        let bound = if model == "discrete-elastic" { 0.03 } else { 2e-3 };
        assert!((period / expected - 1.0).abs() < bound, "{model}: {period} {expected}");
    }
}

#[test]
fn moment_on_a_body_twists_its_wire() {
    for model in MODELS {
        let disc = json!({"mass": 1, "inertia": {"moments": [0.012, 0.012, 0.02]}, "position": [0, 0, -1]});
        let mut scene = hung(model, json!({"mode": "static"}), disc);
        scene["load"] = json!({"turn": {"moment": {"on": "disc", "moment": [0, 0, 0.5]}}});
        let run = equilibrium(scene);
        // φ = M L/GJ, and the clamp holds the moment and the weight.
        let turned = rotation(&run, "disc").to_scaled_axis().z;
        let bound = if model == "discrete-elastic" { 0.06 } else { 1e-6 };
        assert!((turned / (0.5 / 0.8) - 1.0).abs() < bound, "{model}: {turned}");
        let held = force(run.world(), "top");
        assert!((held.moment - DVec3::new(0.0, 0.0, -0.5)).length() < 1e-6, "{model}: {}", held.moment);
        assert!((held.force - DVec3::Z * 9.81 * 1.01).length() < 1e-6, "{model}: {}", held.force);
    }
}

#[test]
fn body_that_hangs_off_its_centre_finds_its_equilibrium() {
    // On a ball joint the centre of mass comes to rest below the pivot.
    let mut run = equilibrium(json!({
        "settings": {"mode": "static"},
        "body": {"block": {"shape": {"box": {"size": [0.4, 0.2, 0.1]}}, "density": 500}},
        "constraint": {"pivot": {"position": {"on": "block", "at": [0.2, 0.1, 0.05]}}},
    }));
    let below = rotation(&run, "block") * DVec3::new(-0.2, -0.1, -0.05);
    assert!(below.normalize().dot(-DVec3::Z) > 1.0 - 1e-12, "{below}");
    let weight = 0.4 * 0.2 * 0.1 * 500.0 * 9.81;
    assert!((force(run.world(), "pivot").force - DVec3::Z * weight).length() < 1e-9 * weight);
    let report = run.step(&NoClock);
    assert!(!report.held, "{report:?}");
}

/// A horizontal cantilever with a weight at its end: a mass, or a body with the same mass at its end.
fn loaded_cantilever(model: &str, load: Value) -> Simulation {
    let mut scene = json!({
        "settings": {"mode": "static"},
        "rod": {"beam": {"model": model, "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
            "segments": 20, "radius": 0.01, "mass_per_length": 0.01,
            "stiffness": {"stretch": 1e5, "bend": 1, "twist": 0.8}}},
        "constraint": {"wall": {"clamp": {"on": "beam", "at": "start"}}},
    });
    for (key, value) in load.as_object().expect("tables") {
        if let (Some(known), Some(more)) = (scene[key.as_str()].as_object().cloned(), value.as_object()) {
            let mut all = known;
            all.extend(more.clone());
            scene[key.as_str()] = Value::Object(all);
        } else {
            scene[key.as_str()] = value.clone();
        }
    }
    equilibrium(scene)
}

#[test]
fn body_with_a_lever_bends_a_cantilever_like_a_mass_on_a_lever() {
    for model in MODELS {
        // A body of 0.1 kg whose centre of mass is 0.2 m ahead of the end, welded to it.
        let with_body = loaded_cantilever(
            model,
            json!({
                "body": {"tool": {"mass": 0.1, "inertia": {"moments": [1e-4, 1e-4, 1e-4]},
                "position": [1.2, 0, 0]}},
                "constraint": {"weld": {"joint": {"on": "beam", "at": "end", "kind": "weld",
                    "to": {"on": "tool", "at": [-0.2, 0, 0]}}}},
            }),
        );
        // The same mass at the end of an arm of the rod.
        let with_mass = loaded_cantilever(
            model,
            json!({
                "mass": {"weight": {"mass": 0.1, "position": [1.2, 0, 0]}},
                "constraint": {"hold": {"fusion": {"on": "beam", "at": "end", "arm": [0.2, 0, 0],
                    "to": {"on": "weight"}}}},
            }),
        );
        let tip = |run: &Simulation| crate::common::at(run.world(), "beam", 1.0);
        let [a, b] = [tip(&with_body), tip(&with_mass)];
        assert!((a - b).length() < 1e-6, "{model}: {a} {b}");
        assert!(a.z < -0.2, "{a}");
        let [f, g] = [&with_body, &with_mass].map(|run| force(run.world(), "wall"));
        assert!((f.force - g.force).length() < 1e-6 && (f.moment - g.moment).length() < 1e-6, "{model}");
    }
}

#[test]
fn two_bodies_on_a_wire_exchange_their_twist() {
    // Torque transducer: ω² = GJ/L (1/I₁ + 1/I₂); the axial momentum stays zero.
    let [first, second] = [0.02_f64, 0.4];
    let disc = |inertia: f64, z: f64, spin: f64| {
        json!({"mass": 1, "inertia": {"moments": [inertia, inertia, inertia]}, "position": [0, 0, z],
            "spin": [0, 0, spin]})
    };
    let frequency = (0.8 * (1.0 / first + 1.0 / second)).sqrt();
    let period = TAU / frequency;
    let mut run = build(json!({
        "settings": {"step": period / 160.0, "duration": 3.0 * period, "integrator": "bdf2",
            "gravity": [0, 0, 0]},
        "rod": {"wire": wire("spline")},
        // A relative turn of 3 rad in all: rates ∓ in inverse proportion to the inertias.
        "body": {"a": disc(first, 0.0, 1.5 * frequency * second / (first + second)),
            "b": disc(second, -1.0, -1.5 * frequency * first / (first + second))},
        "constraint": {
            "weld-a": {"joint": {"on": "wire", "at": "start", "to": {"on": "a"}, "kind": "weld"}},
            "weld-b": {"joint": {"on": "wire", "at": "end", "to": {"on": "b"}, "kind": "weld"}},
        },
        "probe": [{"name": "energy", "of": "world", "read": "total-energy"}],
    }));
    let energy = probe(&run, "energy");
    let (mut times, mut before, mut momentum) = (Vec::new(), 1.0, 0.0_f64);
    while !run.finished() {
        let report = run.step(&NoClock);
        assert!(!report.held, "{report:?}");
        let [a, b] = ["a", "b"].map(|name| spin(&run, name).z);
        momentum = momentum.max((first * a + second * b).abs());
        let now = a - b;
        if before * now < 0.0 {
            times.push(run.time() - run.settings().step * now / (now - before));
        }
        before = now;
    }
    let found = times[2] - times[0];
    assert!((found / period - 1.0).abs() < 2e-3, "{found} {period}");
    // The wire has some spin momentum of its own: ρ r²/2 L, 5e-7 kg·m², times its rate.
    assert!(momentum < 1e-5, "{momentum}");
    let lost = (probe(&run, "energy") - energy) / energy;
    assert!((-0.02..1e-3).contains(&lost), "{lost}");
    assert_eq!(object(run.world(), "a").nodes(), 2);
}
