//! Rest: ropes of any stiffness, piles, and the balance of the forces of two objects on each other.

use super::{G, MODELS, read, watch};
use crate::common::{build, momentum, object, probe};
use micado::clock::NoClock;
use serde_json::{Map, Value, json};
use std::f64::consts::PI;

const RADIUS: f64 = 0.01;
const DENSITY: f64 = 1000.0;

/// A straight rope.
fn rope(model: &str, [from, to]: [[f64; 3]; 2], young: f64, segments: usize) -> Value {
    json!({"model": model, "shape": {"line": {"from": from, "to": to}}, "radius": RADIUS, "young": young,
        "density": DENSITY, "segments": segments, "damping": {"internal": 0.02, "mass": 10}})
}

#[test]
fn the_floor_carries_a_rope_however_stiff_it_is_and_it_sags_as_a_beam_between_contacts() {
    let weight = PI * RADIUS * RADIUS * DENSITY * G;
    for model in MODELS {
        for young in [1e5, 1e7, 1e9, 1e11] {
            let done = watch(
                json!({
                    "floor": true, "contact": {},
                    "rod": {"rope": rope(model, [[0.0, 0.0, RADIUS], [1.0, 0.0, RADIUS]], young, 20)},
                    "settings": {"duration": 0.5, "step": 0.01},
                    "probe": [read("push", "rope", "contact-force", "z")],
                }),
                |_, _| {},
            );
            // Without friction the forces are found by elimination, to rounding.
            let off = probe(&done, "push") / weight - 1.0;
            assert!(off.abs() < 1e-10, "{model}, {young} Pa: {off:e}");
            // 2.9e-4 q ℓ⁴/EI between middles and ends; a beam also shears, q ℓ²/8GA; and contacts are held to
            // the tolerance of the positions, 1e-12 of the length.
            let bends = 3.5e-4 * weight * 0.05_f64.powi(4) / (young * PI / 4.0 * RADIUS.powi(4));
            let shears = if model == "beam" {
                weight * 0.05 * 0.05 / (8.0 * young / 3.0 * PI * RADIUS * RADIUS)
            } else {
                0.0
            };
            let world = done.world();
            for k in 0..=400 {
                let section = world.section(object(world, "rope"), f64::from(k) / 400.0).expect("a rope");
                let depth = RADIUS - section.position.z;
                assert!(depth < bends + shears + 1e-11, "{model}, {young} Pa: {depth:e} m, {bends:e} m");
            }
        }
    }
}

/// Three bricks, one on two, with a rope of each model over them that hangs down to the floor.
fn pile(integrator: &str) -> Value {
    let shape = json!({"box": {"size": [0.1, 0.4, 0.05]}});
    let brick = |x: f64, z: f64| json!({"shape": shape, "mass": 1, "position": [x, 0, z]});
    let mut rods = Map::new();
    for (model, y) in MODELS.into_iter().zip([-0.15, -0.05, 0.05, 0.15]) {
        rods.insert(model.into(), rope(model, [[-0.4, y, 0.112], [0.4, y, 0.112]], 5e5, 14));
    }
    json!({
        "floor": true, "contact": {"friction": 0.4}, "rod": rods,
        "body": {"left": brick(-0.055, 0.025), "right": brick(0.055, 0.025), "top": brick(0.0, 0.0751)},
        "settings": {"duration": 2.5, "step": 0.005, "integrator": integrator},
        "probe": [{"name": "energy", "of": "world", "read": "kinetic-energy"},
            read("floor", "floor", "contact-force", "z")],
    })
}

#[test]
fn the_floor_carries_the_weight_of_a_pile_that_has_come_to_rest() {
    for integrator in super::INTEGRATORS {
        let done = watch(pile(integrator), |_, _| {});
        let objects = done.world().structure().objects.iter().filter(|object| object.name != "floor");
        let weight = objects.map(micado::object::Object::total_mass).sum::<f64>() * G;
        let floor = -probe(&done, "floor");
        assert!((floor / weight - 1.0).abs() < 1e-6, "{integrator}: {floor} N, weight {weight} N");
        // Speeds of 2e-8 m/s: the sweeps end at 1e-12 of the size in a step of 5 ms, and rests add up.
        assert!(probe(&done, "energy") < 1e-15, "{integrator}: {} J", probe(&done, "energy"));
    }
}

/// Two objects that fly towards each other, with friction and without other forces.
fn encounter(first: &str, second: &str, integrator: &str) -> Value {
    let mut scene = json!({
        "contact": {"friction": 0.4, "restitution": 0.3},
        "settings": {"duration": 0.2, "step": 0.002, "gravity": [0, 0, 0], "integrator": integrator},
    });
    for (name, kind, side) in [("a", first, -1.0), ("b", second, 1.0)] {
        // They meet off-centre at the origin, at 2 m/s.
        let (x, v) = ([0.01 * side, 0.0, 0.05 * side], [0.1, -0.1 * side, -side]);
        let at = |y: f64| if side < 0.0 { [x[0], y, x[2]] } else { [y, x[1], x[2]] };
        match kind {
            "body" => {
                scene["body"][name] = json!({"shape": {"box": {"size": [0.08, 0.06, 0.04]}}, "mass": 0.3,
                    "position": x, "velocity": v, "spin": [1, 2, 3]});
            }
            "mass" => {
                scene["mass"][name] = json!({"position": x, "velocity": v, "mass": 0.2, "radius": 0.02});
            }
            model => {
                let mut rod = rope(model, [at(-0.1), at(0.12)], 1e8, 8);
                rod["velocity"] = json!(v);
                rod["damping"] = json!({"internal": 0.001});
                scene["rod"][name] = rod;
            }
        }
    }
    scene
}

#[test]
fn the_forces_of_two_objects_on_each_other_add_up_to_zero() {
    let kinds = ["spline", "discrete-elastic", "beam", "mass-spring", "body", "mass"];
    let mut touched = 0;
    for integrator in super::INTEGRATORS {
        for (i, first) in kinds.iter().enumerate() {
            for second in &kinds[i..] {
                let mut simulation = build(encounter(first, second, integrator));
                let all = momentum(simulation.world());
                let mut pushed = false;
                while !simulation.finished() {
                    let report = simulation.step(&NoClock);
                    assert!(!report.held, "{first} and {second}, {integrator}: {report:?}");
                    pushed |= report.contacts > 0;
                    // Rounding, in 100 steps.
                    let off = (momentum(simulation.world()) - all).length();
                    assert!(off < 1e-11, "{first} and {second}, {integrator}: {off:e} kg m/s");
                }
                touched += usize::from(pushed);
            }
        }
    }
    assert_eq!(touched, 2 * 21, "all pairs meet");
}
