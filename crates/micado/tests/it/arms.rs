//! Points that are held beside the axis of a rod, and circles and curves that objects carry.

use crate::common::{at, build, equilibrium, force, momentum, off, position, run, scene};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};

/// The models with a frame.
const FRAMED: [&str; 3] = ["spline", "discrete-elastic", "beam"];

/// Stiffness against twist, N·m², length, m, and mass and arm of the weight, kg and m.
const TWIST: f64 = 0.08;
const LENGTH: f64 = 0.5;
const MASS: f64 = 0.2;
const ARM: f64 = 0.1;

/// A rod along x in a clamp and a bearing, stiff in everything but twist, with a weight on an arm along
/// m₁ = y.
fn shaft(model: &str, gravity: f64, mut settings: Value) -> Value {
    settings["gravity"] = json!([0, 0, -gravity]);
    json!({
        "rod": {"shaft": {"model": model, "shape": {"line": {"from": [0, 0, 0], "to": [LENGTH, 0, 0]}},
            "stiffness": {"stretch": 1e6, "bend": 1e4, "twist": TWIST}, "mass_per_length": 1e-4,
            "radius": 1e-3, "up": [0, 1, 0], "segments": 12}},
        "mass": {"weight": {"position": [LENGTH, ARM, 0], "mass": MASS}},
        "constraint": {
            "clamp": {"clamp": {"on": "shaft", "at": "start"}},
            "bearing": {"position": {"on": "shaft", "at": "end"}},
            "arm": {"fusion": {"on": "weight", "to": {"on": "shaft", "at": "end", "arm": [0, ARM, 0]}}},
        },
        "settings": settings,
    })
}

#[test]
fn a_weight_on_an_arm_twists_the_rod() {
    for model in FRAMED {
        let simulation = equilibrium(shaft(model, 9.81, json!({"mode": "static"})));
        let world = simulation.world();
        let weight = position(world, "weight");
        let turned = libm::atan2(-weight.z, weight.y);
        // GJ φ/L = m g a cos φ, and the arm keeps its length.
        let torque = MASS * 9.81 * ARM * libm::cos(turned);
        assert!(off(TWIST * turned / LENGTH, torque) < 1e-4, "{model}: {turned}");
        assert!(turned > 0.5, "{model}: the arm turns far, by {turned} rad");
        assert!((weight.y.hypot(weight.z) - ARM).abs() < 1e-9, "{model}");
        // The clamp carries the torque.
        let moment = force(world, "clamp").moment;
        assert!(off(moment.x, torque) < 1e-4, "{model}: {moment} {torque}");
    }
}

#[test]
fn a_mass_on_an_arm_swings_as_a_torsional_pendulum() {
    let omega = (TWIST / LENGTH / (MASS * ARM * ARM)).sqrt();
    let period = std::f64::consts::TAU / omega;
    for model in FRAMED {
        let settings = json!({"step": period / 400.0, "duration": period, "integrator": "bdf2", "solves": 3});
        let mut description = shaft(model, 0.0, settings);
        let speed = 0.2 * ARM * omega;
        description["mass"]["weight"]["velocity"] = json!([0, 0, speed]);
        let mut simulation = build(description);
        let mut highest = 0.0_f64;
        while !simulation.finished() {
            assert!(!simulation.step(&NoClock).held, "{model}");
            highest = highest.max(position(simulation.world(), "weight").z);
        }
        // An amplitude of 0.2 rad; BDF2 with 400 steps in a period loses ω³h³/4·2π of it, 1e-5.
        assert!(off(highest, ARM * libm::sin(0.2)) < 2e-3, "{model}: {highest}");
        let back = position(simulation.world(), "weight");
        assert!(back.z.abs() < 0.01 * 0.2 * ARM, "{model}: it is back after a period, {back}");
    }
}

#[test]
fn a_clamp_with_an_arm_is_a_clamp_on_the_axis() {
    for model in FRAMED {
        let cantilever = |clamp: Value| {
            equilibrium(json!({
                "rod": {"r": {"model": model, "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
                    "radius": 5e-3, "young": 1e8, "density": 1100, "up": [0, 0, 1], "segments": 16}},
                "constraint": {"c": {"clamp": clamp}},
                "settings": {"mode": "static"},
            }))
        };
        let turned = json!([0.0, 0.3, 0.2]);
        let mut on_axis = json!({"on": "r", "at": "start", "target": [0, 0, 0.1], "rotation": turned});
        let axis = cantilever(on_axis.clone());
        // The held point turns with the clamp: y = x + exp(φ) r in the axes of the frame (x, z, −y).
        let arm = DVec3::new(0.01, -0.02, 0.03);
        let frame = micado::geometry::rotation::exp(DVec3::new(0.0, 0.3, 0.2));
        let held = DVec3::new(0.0, 0.0, 0.1) + frame * DVec3::new(arm.x, -arm.z, arm.y);
        on_axis["arm"] = json!(arm.to_array());
        on_axis["target"] = json!(held.to_array());
        let beside = cantilever(on_axis);
        let gap = at(axis.world(), "r", 1.0).distance(at(beside.world(), "r", 1.0));
        assert!(gap < 1e-8, "{model}: {gap:e}");
        let [on, off_axis] = [&axis, &beside].map(|simulation| force(simulation.world(), "c"));
        assert!(on.force.distance(off_axis.force) < 1e-6 * on.force.length(), "{model}");
        // The moment is about the held point.
        let about = off_axis.moment + (held - DVec3::new(0.0, 0.0, 0.1)).cross(off_axis.force);
        assert!(on.moment.distance(about) < 1e-5 * on.moment.length(), "{model}: {} {about}", on.moment);
    }
}

/// A rope that something holds in its middle, at rest.
fn held_rope(holder: Value, carrier: Value) -> Simulation {
    let mut description = json!({
        "rod": {"rope": {"shape": {"line": {"from": [-0.5, 0, 0], "to": [0.5, 0, 0]}},
            "stiffness": {"stretch": 500, "bend": 1e-3, "twist": 1e-3}, "mass_per_length": 0.2,
            "segments": 20}},
        "constraint": {
            "left": {"position": {"on": "rope", "at": "start", "displacement": [0.15, 0, 0]}},
            "right": {"position": {"on": "rope", "at": "end", "displacement": [-0.05, 0, 0.05]}},
            "roll": {"roll": {"on": "rope", "at": "start"}},
            "holder": holder,
        },
        "settings": {"mode": "static"},
    });
    if !carrier.is_null() {
        description["rod"]["bracket"] = carrier;
        description["constraint"]["wall"] = json!({"clamp": {"on": "bracket", "at": "start"}});
    }
    equilibrium(description)
}

#[test]
fn an_eye_or_a_clip_on_an_arm_is_where_the_arm_ends() {
    for kind in ["keyhole", "clip"] {
        let holder = |field: &str, value: Value| json!({kind: {"on": "rope", "at": "50 %", field: value}});
        let world = held_rope(holder("target", json!([0, 0.02, 0.03])), Value::Null);
        // A bracket that does not give way: what it carries is 3 cm above it.
        let bracket = json!({"shape": {"line": {"from": [0, 0.1, 0], "to": [0, 0.02, 0]}},
            "stiffness": {"stretch": 1e9, "bend": 1e6, "twist": 1e6}, "mass_per_length": 0.1, "segments": 2,
            "up": [0, 0, 1]});
        let arm = json!({"on": "bracket", "at": "end", "arm": [0, 0.03, 0]});
        let carried = held_rope(holder("to", arm), bracket);
        for share in [0.25, 0.5, 0.75] {
            let [a, b] = [&world, &carried].map(|simulation| at(simulation.world(), "rope", share));
            assert!(a.distance(b) < 1e-7, "{kind}: {a} {b}");
        }
        // The wall carries the pull on the holder, and its moment about the clamp.
        let (pull, wall) = (force(world.world(), "holder").force, force(carried.world(), "wall"));
        let weight = DVec3::new(0.0, 0.0, -0.1 * 0.08 * 9.81);
        assert!((wall.force - pull + weight).length() < 1e-5, "{kind}: {} {pull}", wall.force);
        let moment = DVec3::new(0.0, -0.08, 0.03).cross(pull) - DVec3::new(0.0, -0.04, 0.0).cross(weight);
        assert!(wall.moment.distance(moment) < 1e-5, "{kind}: {} {moment}", wall.moment);
    }
}

/// A mass on a closed path that the end of a short stiff rod carries. The rod is turned by 0.5 rad about its
/// axis.
fn turned_path(kind: &str, path: Value) -> Simulation {
    equilibrium(json!({
        "rod": {"axle": {"shape": {"line": {"from": [0, 0, 0], "to": [0.1, 0, 0]}},
            "stiffness": {"stretch": 1e8, "bend": 1e6, "twist": 1e6}, "mass_per_length": 0.1, "segments": 2}},
        "mass": {"m": {"position": [0.1, -0.2, 0], "mass": 0.3}},
        "constraint": {
            "clamp": {"clamp": {"on": "axle", "at": "start", "rotation": [0.5, 0, 0]}},
            "path": {kind: path},
        },
        "settings": {"mode": "static"},
    }))
}

#[test]
fn a_mass_hangs_at_the_lowest_point_of_a_carried_path() {
    let to = json!({"on": "axle", "at": "end"});
    let circle = json!({"on": "m", "to": to, "normal": [0, 0, 1]});
    let ring = json!({"on": "m", "to": to, "path": {"ring": {"centre": [0.1, 0, 0], "radius": 0.2}}});
    for (kind, path) in [("circle", circle), ("trajectory", ring)] {
        let simulation = turned_path(kind, path);
        let world = simulation.world();
        let (y, z) = (-0.2 * libm::cos(0.5), -0.2 * libm::sin(0.5));
        let lowest = DVec3::new(0.1, y, z);
        let found = position(world, "m");
        // The torque of 0.5 N·m twists the axle by 5e-8 rad, and 128 cubic segments follow the ring to 1e-8.
        assert!(found.distance(lowest) < 1e-7, "{kind}: {found}");
        // The axle carries the weight and its moment about the clamp.
        let (weight, own) = (0.3 * 9.81, 0.1 * 0.1 * 9.81);
        let held = force(world, "clamp");
        assert!((held.force - DVec3::Z * (weight + own)).length() < 1e-6, "{kind}: {}", held.force);
        let moment = DVec3::new(y * weight, -0.1 * weight - 0.05 * own, 0.0);
        assert!(held.moment.distance(moment) < 1e-5, "{kind}: {} {moment}", held.moment);
    }
}

#[test]
fn a_mass_that_slides_on_a_carried_path_pushes_its_carrier() {
    for path in [
        json!({"circle": {"on": "m", "to": {"on": "cart"}, "normal": [0, 1, 0]}}),
        json!({"trajectory": {"on": "m", "to": {"on": "cart"},
            "path": {"ring": {"centre": [0, 0, 0], "normal": [0, 1, 0], "radius": 0.3}}}}),
    ] {
        let simulation = run(json!({
            "mass": {"cart": {"position": [0, 0, 0], "mass": 0.7, "velocity": [1, 0, 0]},
                "m": {"position": [0, 0, 0.3], "mass": 0.2, "velocity": [3, 0, 0]}},
            "constraint": {"path": path},
            "settings": {"gravity": [0, 0, 0], "step": 1e-3, "duration": 0.4, "solves": 4,
                "integrator": "bdf2"},
        }));
        let world = simulation.world();
        let kept = momentum(world);
        assert!(kept.distance(DVec3::new(0.7 + 0.6, 0.0, 0.0)) < 1e-9, "{path}: {kept}");
        let away = position(world, "m") - position(world, "cart");
        assert!((away.length() - 0.3).abs() < 1e-6 && away.y.abs() < 1e-9, "{path}: {away}");
        // Both go around their centre with 2 m/s of one against the other: 2.67 rad in 0.4 s.
        let turned = libm::atan2(away.x, away.z);
        assert!((turned - 2.0 / 0.3 * 0.4).abs() < 2e-3, "{path}: {turned}");
    }
}

#[test]
fn an_arm_without_a_frame_is_refused_with_a_remedy() {
    let refused = |model: &str, constraint: Value, integrator: &str| {
        let scene = scene(json!({
            "rod": {"r": {"model": model, "radius": 5e-3, "young": 1e8, "density": 1100},
                "o": {"model": model, "radius": 5e-3, "young": 1e8, "density": 1100,
                    "shape": {"line": {"from": [1, 0, 0], "to": [2, 0, 0]}}}},
            "mass": {"m": {"position": [0, 0, 1], "mass": 1}},
            "constraint": {"c": constraint}, "settings": {"integrator": integrator},
        }));
        Simulation::build(&scene).expect_err("it should be refused")
    };
    let arm = json!([0, 0.1, 0]);
    let on_mass = json!({"position": {"on": "m", "arm": arm}});
    let on_rod = json!({"position": {"on": "r", "at": "end", "arm": arm}});
    let tangent = json!({"tangent": {"on": "r", "at": "end", "to": {"on": "o", "at": "start", "arm": arm}}});
    let crossing = json!({"keyhole": {"on": "r", "at": "end", "crossing": true,
        "to": {"on": "o", "at": "start", "arm": arm}}});
    for (error, path, remedy) in [
        (refused("spline", on_mass, "euler"), "constraint.c.position.arm", "name a rod"),
        (refused("mass-spring", on_rod.clone(), "euler"), "constraint.c.position.arm", "another model"),
        (refused("discrete-elastic", on_rod, "explicit"), "constraint.c.position", "another integrator"),
        (refused("spline", tangent, "euler"), "constraint.c.tangent.to.arm", "leave `arm` out"),
        (refused("spline", crossing, "euler"), "constraint.c.keyhole.to.arm", "leave `arm` out"),
    ] {
        assert!(error.path == path && error.remedy.contains(remedy), "{error}");
    }
}
