//! Built-in scenes of bodies that touch, against theory and invariants.

use crate::bodies::{G, scene, step};
use glam::{DMat2, DVec2, DVec3};
use micado::run::Simulation;
use serde_json::{Value, json};

fn build(scene: &Value) -> Simulation {
    crate::bodies::build(scene)
}

fn value(run: &Simulation, name: &str) -> f64 {
    let k = run.probe_names().iter().position(|probe| probe == name).expect("a probe");
    run.probe_values()[k]
}

/// Adds a probe of a component of a vector to a scene.
fn add_probe(scene: &mut Value, name: &str, (of, read): (&str, &str), at: Option<&str>, component: &str) {
    let mut probe = json!({"name": name, "of": of, "read": read, "component": component});
    if let Some(at) = at {
        probe["at"] = json!(at);
    }
    scene["probe"].as_array_mut().expect("a list").push(probe);
}

#[test]
fn a_row_of_pearls_passes_its_momentum_to_the_last_one() {
    let mut run = build(&scene("domino-pearls"));
    let (energy, height) = (value(&run, "energy"), value(&run, "first_height"));
    let (mut highest, mut others) = (0.0_f64, f64::INFINITY);
    while !run.finished() {
        step(&mut run);
        let last = value(&run, "last_height");
        if last > highest {
            (highest, others) = (last, value(&run, "first_height"));
        }
        // A pearl leaves from its place at the beginning of the step of impact, up to h v = 0.7 mm early. At
        // each of twelve impacts it gains or loses the height of that way on its circle,
        // (0.7 mm + 1 mm)²/(2 · 0.4 m).
        assert!((value(&run, "energy") - energy).abs() < 12.0 * 0.05 * G * 3.6e-6, "{}", run.time());
    }
    assert!((highest - height).abs() < 6.0 * 3.6e-6 + 1e-4 * height, "{highest} m of {height} m");
    // The first one stops within a step and a gap, 1.7 mm, of the place where it hung.
    assert!(others < 3.6e-6, "{others} m");
}

#[test]
fn the_net_gives_the_fly_exactly_the_momentum_of_its_contacts_and_then_carries_it() {
    let mut scene = scene("fly-in-the-net");
    add_probe(&mut scene, "speed", ("fly", "velocity"), None, "z");
    for k in 0..7 {
        add_probe(&mut scene, &format!("support_{k}"), (&format!("branch_{k}"), "force"), None, "z");
    }
    let h = scene["settings"]["step"].as_f64().expect("a step");
    let mut run = build(&scene);
    let mass = 0.01;
    let (mut speed, mut lowest, mut impulse, mut parted) = (0.0, f64::INFINITY, 0.0_f64, false);
    while !run.finished() {
        step(&mut run);
        let (now, force) = (value(&run, "speed"), value(&run, "contact_force"));
        // Euler's rule for the fly. Sweeps of contacts end at 1e-12 of the size.
        let off = mass * (now - speed) - h * (force - mass * G);
        assert!(off.abs() < 1e-9, "{}: {off} N s", run.time());
        (speed, lowest, impulse) = (now, lowest.min(value(&run, "height")), impulse + h * force);
        parted |= impulse > 0.0 && force == 0.0;
    }
    assert!(parted, "it bounces");
    // It fell with √(2 g 0.12 m) = 1.5 m/s and is at rest: all of its weight went through the contacts.
    assert!((impulse - mass * G * run.time()).abs() < 1e-5, "{impulse} N s");
    let carried: f64 = (0..7).map(|k| value(&run, &format!("support_{k}"))).sum();
    let net: f64 = (0..7).map(|k| crate::bodies::mass(&run, &format!("radial_{k}"))).sum();
    let off = carried - (net + mass) * G;
    assert!(off.abs() < 1e-3 * mass * G, "{off} N of {} N", (net + mass) * G);
    assert!((value(&run, "contact_force") - mass * G).abs() < 1e-3 * mass * G);
    assert!(lowest < 0.02 && value(&run, "height") > 0.02, "{lowest} m");
}

#[test]
fn bodies_on_a_wire_push_each_other_with_their_weight_along_it_and_their_friction() {
    let mut scene = scene("cable-and-bodies");
    let row = ["sphere", "cone", "box", "octahedron", "cylinder"];
    for body in row {
        for end in ["back", "front"] {
            for component in ["x", "y", "z"] {
                let name = format!("{body}_{end}_{component}");
                add_probe(&mut scene, &name, (body, "position"), Some(end), component);
            }
        }
    }
    let masses = row.map(|body| scene["body"][body]["mass"].as_f64().expect("a mass"));
    let mut run = build(&scene);
    let point = |run: &Simulation, place: &str| {
        DVec3::from(["x", "y", "z"].map(|component| value(run, &format!("{place}_{component}"))))
    };
    let (mut at_rest, mut pushed) = ([0.0; 5], [0.0; 5]);
    while !run.finished() {
        step(&mut run);
        let next = ["cone", "box", "octahedron", "cylinder", "stop"];
        let forces = [0, 1, 2, 3, 4].map(|k| value(&run, &format!("{}_on_{}", row[k], next[k])));
        if run.time() < 1.6 {
            at_rest = forces;
        }
        pushed = forces;
    }
    let (mut weight, mut friction, mut chord) = (0.0, 0.0, 0.0);
    for (k, body) in row.iter().enumerate() {
        let along = point(&run, &format!("{body}_front")) - point(&run, &format!("{body}_back"));
        let (sin, cos) = (-along.z / along.length(), along.truncate().length() / along.length());
        weight += masses[k] * G * sin;
        friction += masses[k] * G * 0.1 * cos;
        let (slope_sin, slope_cos) = 20_f64.to_radians().sin_cos();
        chord += masses[k] * G * (slope_sin + 0.1 * slope_cos);
        // Within the length of a body the wire turns by the weight over the tension. This gives the forces in
        // the row a part across the wire: a percent of each.
        let off = pushed[k] / (weight + friction) - 1.0;
        assert!(off.abs() < 0.02, "{body}: {} N, {} N expected", pushed[k], weight + friction);
        // The description gives 6 %: the wire sags by 3°.
        assert!(
            (pushed[k] / chord - 1.0).abs() < 0.06,
            "{body}: {} N, {chord} N on a straight wire",
            pushed[k]
        );
        // At rest friction adds to the weight or takes from it, up to its limit.
        let least = 0.95 * (weight - friction);
        assert!(at_rest[k] > least && at_rest[k] < pushed[k], "{body}: {} N at rest", at_rest[k]);
    }
}

/// Force with which the last cube of `falling-cube-chain` leans on the one before it, N.
fn leaning_force() -> f64 {
    // In axes of the fourth cube, x and z: the joint at its side, its lower edge and its upper joint.
    let (side, edge, top) = (DVec2::new(0.11, 0.0), DVec2::new(0.1, -0.1), DVec2::new(0.0, 0.14));
    // The face of the last cube is 0.01 m beside the joint and touches the edge: angle β of its turn about y.
    let e = edge - side;
    let turn = 0.01_f64.atan2(0.1);
    let beta = (0.01 / e.length()).asin() + turn;
    let face = DVec2::new(beta.cos(), -beta.sin());
    assert!((e.dot(face) - 0.01).abs() < 1e-12);
    let of_last = DMat2::from_cols(face, DVec2::new(beta.sin(), beta.cos()));
    let arm = of_last * DVec2::new(0.11, -0.1);
    // Both cubes hang as one body with its centre of mass below the upper joint, which tilts them.
    let down = (0.5 * (side + arm) - top).normalize();
    (4.0 * G * arm.perp_dot(down) / e.dot(of_last.y_axis)).abs()
}

#[test]
fn a_chain_of_cubes_leans_as_its_moments_balance_then_falls_and_the_floor_carries_it() {
    let mut run = build(&scene("falling-cube-chain"));
    let mut energy = value(&run, "energy");
    let start = energy;
    let mut leaned = false;
    while !run.finished() {
        step(&mut run);
        let now = value(&run, "energy");
        // Neither joints nor impacts add energy; 1e-9 of it is rounding.
        assert!(now < energy + 1e-9 * start, "{}: {} J more", run.time(), now - energy);
        energy = now;
        if !leaned && run.time() > 5.0 - 1e-9 {
            leaned = true;
            let (force, expected) = (value(&run, "leans"), leaning_force());
            // The swing is damped to a hundredth.
            assert!((force / expected - 1.0).abs() < 0.01, "{force} N, {expected} N expected");
            assert!((value(&run, "hook") - 16.0 * G).abs() < 1e-2, "{} N", value(&run, "hook"));
        }
    }
    assert!(leaned);
    // The tolerance of the sweeps, 1e-12 of the size, over h²/m.
    let floor = value(&run, "floor_force");
    assert!((floor + 16.0 * G).abs() < 1e-5, "{floor} N");
}
