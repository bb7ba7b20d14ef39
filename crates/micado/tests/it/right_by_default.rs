//! Default settings give the right physics.

use crate::common::{at, build, force, happened, probe, velocity};
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};

const G: f64 = 9.81;

fn energy() -> Value {
    json!([{"name": "energy", "of": "world", "read": "total-energy"}])
}

/// The angle of a thin rod that falls about its end from the horizontal, at `time`: θ'' = 3g/2L cos θ.
fn fallen(length: f64, time: f64) -> f64 {
    let (steps, mut angle, mut rate) = (10_000, 0.0_f64, 0.0);
    let h = time / f64::from(steps);
    for _ in 0..steps {
        rate += h * 1.5 * G / length * angle.cos();
        angle += h * rate;
    }
    angle
}

#[test]
fn a_steel_rod_falls_about_its_end_as_a_rigid_one_does() {
    for model in ["spline", "discrete-elastic", "beam", "mass-spring"] {
        let mut simulation = build(json!({
            "rod": {"rod": {"model": model, "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
                "radius": 0.005, "young": 200e9, "density": 7850}},
            "constraint": {"a": {"position": {"on": "rod", "at": "start"}}},
            "settings": {"duration": 0.5},
        }));
        while !simulation.finished() {
            simulation.step(&NoClock);
        }
        // Euler's own error with 10 ms: half a step of the speed at which the middle moves.
        let (z, expected) = (at(simulation.world(), "rod", 0.5).z, -0.5 * fallen(1.0, 0.5).sin());
        let speed = velocity(simulation.world(), "rod", 0.5).length();
        assert!((z - expected).abs() < 0.5 * 0.01 * speed, "{model}: {z} m, rigid {expected} m");
    }
}

#[test]
fn a_bent_rod_in_free_flight_gains_no_energy() {
    for model in ["spline", "discrete-elastic", "beam", "mass-spring"] {
        for integrator in ["euler", "bdf2"] {
            let mut simulation = build(json!({
                "rod": {"rod": {"model": model, "shape": {"arc": {"from": [0, 0, 0], "tangent": [1, 0, 0],
                    "towards": [0, 0, 1], "radius": 0.5, "angle": 1.5}}, "natural": "straight",
                    "radius": 0.003, "young": 1e8, "density": 1000, "velocity": [1, 2, 3]}},
                "settings": {"duration": 1, "gravity": [0, 0, 0], "integrator": integrator},
                "probe": energy(),
            }));
            let first = probe(&simulation, "energy");
            while !simulation.finished() {
                simulation.step(&NoClock);
                let now = probe(&simulation, "energy");
                assert!(now < first * (1.0 + 1e-3), "{model}, {integrator}: {now} J of {first} J");
            }
        }
    }
}

#[test]
fn long_steps_make_no_energy() {
    let mut simulation = build(json!({
        "rod": {"rod": {"radius": 0.005, "young": 1e9, "density": 1000}},
        "constraint": {"a": {"position": {"on": "rod", "at": "start"}}},
        "settings": {"duration": 10, "step": 0.1},
        "probe": energy(),
    }));
    // Gravity gives at most m g L/2, and the energy begins at zero.
    let most = 0.5 * G * 1000.0 * std::f64::consts::PI * 0.005_f64.powi(2);
    while !simulation.finished() {
        simulation.step(&NoClock);
        let energy = probe(&simulation, "energy");
        assert!(energy < 1e-2 * most, "{energy} J of {most} J");
    }
}

/// Two masses on a light cord over two frictionless eyes, let go after 50 ms.
fn atwood() -> Simulation {
    build(json!({
        "rod": {"cord": {"shape": {"polyline": {"through": [[-0.1, 0, -0.5], [-0.1, 0, 0], [0.1, 0, 0],
            [0.1, 0, -0.5]]}}, "stiffness": {"stretch": 2e5, "bend": 1e-3, "twist": 1e-3},
            "mass_per_length": 2e-4, "segments": 400}},
        "mass": {"left": {"position": [-0.1, 0, -0.5], "mass": 1},
            "right": {"position": [0.1, 0, -0.5], "mass": 1.5}},
        "constraint": {
            "left-end": {"fusion": {"on": "cord", "at": "start", "to": {"on": "left"}}},
            "right-end": {"fusion": {"on": "cord", "at": "end", "to": {"on": "right"}}},
            "left-eye": {"keyhole": {"on": "cord", "at": 0.5, "target": [-0.1, 0, 0]}},
            "right-eye": {"keyhole": {"on": "cord", "at": 0.7, "target": [0.1, 0, 0]}},
            "hold": {"position": {"on": "right"}}},
        "action": [{"at": 0.05, "do": {"release": "hold"}}],
        "settings": {"duration": 0.4, "step": 1e-3, "settle": true},
        "probe": [{"name": "left", "of": "cord", "at": 0.15, "read": "tension"},
            {"name": "right", "of": "cord", "at": "end - 0.15 m", "read": "tension"}],
    }))
}

#[test]
fn frictionless_eyes_do_not_drag() {
    let mut simulation = atwood();
    let (mut sides, mut count) = ([0.0; 2], 0.0);
    while !simulation.finished() {
        simulation.step(&NoClock);
        if simulation.time() > 0.1 {
            for (sum, side) in sides.iter_mut().zip(["left", "right"]) {
                *sum += probe(&simulation, side);
            }
            count += 1.0;
        }
    }
    let world = simulation.world();
    // a = g/5, T = 6/5 g; the masses bounce on the cord with a few per cent.
    let speed = -velocity(world, "right", 0.0).z;
    assert!((speed / (0.35 * G / 5.0) - 1.0).abs() < 0.02, "{speed} m/s");
    let [left, right] = sides.map(|sum| sum / count);
    assert!((left / right - 1.0).abs() < 0.02, "{left} N and {right} N");
    assert!((left / (1.2 * G) - 1.0).abs() < 0.03, "{left} N");
}

/// A soft cord between two points with a weight in its middle.
fn weighted(weight: Value, masses: Value) -> Value {
    let mut constraints = json!({"a": {"position": {"on": "cord", "at": "start"}},
        "b": {"position": {"on": "cord", "at": "end"}}});
    constraints["weight"] = weight;
    json!({
        "rod": {"cord": {"shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "radius": 0.005,
            "young": 1e6, "density": 1000, "segments": 16}},
        "mass": masses,
        "constraint": constraints,
        "settings": {"duration": 1, "step": 1e-3},
        "probe": energy(),
    })
}

#[test]
fn a_heavy_pearl_swings_as_the_same_mass_tied_or_in_an_eye() {
    let masses = json!({"m": {"position": [0.5, 0, 0], "mass": 10}});
    let to = json!({"on": "m"});
    let heights = [
        (json!({"fusion": {"on": "cord", "at": "50 %", "to": to}}), masses.clone()),
        (json!({"keyhole": {"on": "cord", "at": "50 %", "to": to}}), masses),
        (json!({"pearl": {"on": "cord", "at": "50 %", "mass": 10, "radius": 0.01}}), json!({})),
    ]
    .map(|(weight, masses)| {
        let mut simulation = build(weighted(weight, masses));
        while !simulation.finished() {
            simulation.step(&NoClock);
            // A conservative system; Euler only loses.
            assert!(probe(&simulation, "energy") < 1e-3);
        }
        at(simulation.world(), "cord", 0.5).z
    });
    for height in heights {
        assert!((height - heights[0]).abs() < 1e-3 && (height + 0.690).abs() < 5e-3, "{heights:?}");
    }
}

#[test]
fn the_velocity_of_a_pearl_is_the_rate_of_its_position() {
    let mut description =
        weighted(json!({"pearl": {"on": "cord", "at": "30 %", "mass": 0.1, "radius": 0.01}}), json!({}));
    description["probe"] = json!([{"name": "z", "of": "weight", "read": "position", "component": "z"},
        {"name": "vz", "of": "weight", "read": "velocity", "component": "z"}]);
    for solves in [json!("auto"), json!(1), json!(3)] {
        description["settings"]["solves"] = solves.clone();
        let mut simulation = build(description.clone());
        let mut before = probe(&simulation, "z");
        while !simulation.finished() {
            simulation.step(&NoClock);
            let (z, v) = (probe(&simulation, "z"), probe(&simulation, "vz"));
            let rate = (z - std::mem::replace(&mut before, z)) / 1e-3;
            assert!((v - rate).abs() < 1e-9 * (1.0 + v.abs()), "{solves}: {v} m/s, {rate} m/s");
        }
    }
}

#[test]
fn a_pearl_keeps_its_energy_on_a_hoop_by_the_integrator_of_the_scene() {
    let mut constraints =
        json!({"pearl": {"pearl": {"on": "hoop", "at": "2 %", "mass": 0.01, "speed": 4.5}}});
    for k in 0..8 {
        constraints[format!("h{k}")] =
            json!({"position": {"on": "hoop", "at": format!("{} %", 12.5 * f64::from(k))}});
    }
    let left = |integrator: &str| {
        let mut simulation = build(json!({
            "rod": {"hoop": {"shape": {"ring": {"centre": [0, 0, 0], "normal": [0, 1, 0], "radius": 0.3}},
                "natural": "as-shaped", "radius": 0.01, "young": 200e9, "density": 7800, "segments": 40}},
            "constraint": constraints,
            "settings": {"duration": 1, "step": 1e-3, "gravity": [0, 0, 0], "integrator": integrator},
            "probe": energy(),
        }));
        let first = probe(&simulation, "energy");
        while !simulation.finished() {
            simulation.step(&NoClock);
        }
        probe(&simulation, "energy") / first
    };
    // Euler projects x + v h on the hoop: φ' = atan(sin φ/(2 − cos φ)) ≈ φ − φ³ with φ = v h/r. A step loses
    // 2φ² of the energy, so that 1/(1 + 2nφ²) is left after n.
    let turn: f64 = 4.5 * 1e-3 / 0.3;
    let (euler, second) = (left("euler"), left("bdf2"));
    assert!((euler * (1.0 + 2000.0 * turn.powi(2)) - 1.0).abs() < 1e-3, "{euler}");
    assert!(second > 0.9994 && second < 1.0, "{second}");
}

#[test]
fn a_target_that_jumps_is_approached_and_reached_when_it_is_back() {
    let mut simulation = build(json!({
        "rod": {"rod": {"radius": 0.005, "young": 1e9, "density": 1000}},
        "constraint": {"hand": {"position": {"on": "rod", "at": "end", "displacement": {"keyframes": {
            "times": [0, 0.1, 0.1000001, 0.2, 0.2000001],
            "values": [[0, 0, 0], [0, 0, 0], [5, 0, 0], [5, 0, 0], [0, 0, 0]]}}}}},
        "settings": {"duration": 2},
    }));
    let home = at(simulation.world(), "rod", 1.0);
    let mut most = 0.0_f64;
    while !simulation.finished() {
        simulation.step(&NoClock);
        most = most.max(at(simulation.world(), "rod", 1.0).distance(home));
    }
    assert!((simulation.time() - 2.0).abs() < 1e-9, "time goes on: {} s", simulation.time());
    assert!(most > 0.1, "it sets out: {most} m");
    let missed = at(simulation.world(), "rod", 1.0).distance(home);
    assert!(missed < 1e-9, "{missed} m");
    assert!(happened!(simulation, Approaching), "{:?}", simulation.events());
}

#[test]
fn a_mass_that_would_pass_a_sphere_within_a_step_stops_before_it() {
    // In one step of 10 ms a free mass would fly from one side of the ball to the other.
    let mut simulation = build(json!({
        "mass": {"bullet": {"mass": 0.1, "position": [0.3, 0, 0], "velocity": [-50, 0, 0]}},
        "constraint": {"ball": {"distance": {"on": "bullet", "centre": [0, 0, 0], "distance": 0.2,
            "limit": "at-least"}}},
        "settings": {"gravity": [0, 0, 0], "duration": 0.05},
    }));
    while !simulation.finished() {
        simulation.step(&NoClock);
        let x = simulation.world().state().q[0];
        // Rows hold to 1e-12 of the size.
        assert!(x > 0.2 - 1e-9, "at {} s: {x} m", simulation.time());
    }
}

#[test]
fn a_wall_that_jumps_is_approached_and_reached() {
    let mut simulation = build(json!({
        "rod": {"rod": {"radius": 0.005, "young": 1e9, "density": 1000}},
        "constraint": {"clamp": {"clamp": {"on": "rod", "at": "start"}},
            "wall": {"plane": {"on": "rod", "at": "end", "normal": [0, 0, 1], "side": "above",
                "offset": {"keyframes": {"times": [0, 0.1, 0.1000001], "values": [0, 0, 0.9]}}}}},
        "settings": {"duration": 0.2, "gravity": [0, 0, 0]},
    }));
    let home = at(simulation.world(), "rod", 1.0);
    while !simulation.finished() {
        simulation.step(&NoClock);
    }
    assert!(happened!(simulation, Approaching) && !happened!(simulation, Held), "{:?}", simulation.events());
    // One-sided rows hold to 1e-6 of the size of a structure, or are reported as contradictions.
    let lifted = at(simulation.world(), "rod", 1.0).z - home.z;
    assert!(lifted > 0.9 - 1e-6, "{lifted} m");
}

#[test]
fn what_is_impossible_leaves_a_rod_that_can_be_recognised() {
    let mut simulation = build(json!({
        "rod": {"rod": {"model": "discrete-elastic", "inextensible": true, "segments": 16, "radius": 0.005,
            "young": 1e9, "density": 1000}},
        "constraint": {"a": {"position": {"on": "rod", "at": "start"}},
            "b": {"position": {"on": "rod", "at": "end", "displacement": {"keyframes": {
                "times": [0, 0.1, 0.1000001, 0.5],
                "values": [[0, 0, 0], [0, 0, 0], [5, 0, 0], [5, 0, 0]]}}}}},
        "settings": {"duration": 0.5},
        "probe": [{"name": "length", "of": "rod", "read": "length"}],
    }));
    let first = at(simulation.world(), "rod", 0.0);
    while !simulation.finished() {
        simulation.step(&NoClock);
        let length = probe(&simulation, "length");
        assert!((length - 1.0).abs() < 0.02, "{length} m at {} s", simulation.time());
    }
    assert!(at(simulation.world(), "rod", 0.0).distance(first) < 0.02);
    assert!(
        simulation.events().iter().any(|event| matches!(event.kind(), "approaching" | "held" | "conflict")),
        "{:?}",
        simulation.events()
    );
}

#[test]
fn a_floor_above_an_anchor_is_named_and_the_anchor_holds() {
    let mut simulation = build(json!({
        "rod": {"rod": {"radius": 0.005, "young": 1e9, "density": 1000,
            "damping": {"internal": 5e-3, "mass": 3}}},
        "constraint": {"a": {"position": {"on": "rod", "at": "start"}},
            "b": {"position": {"on": "rod", "at": "end"}},
            "floor": {"plane": {"on": "rod", "at": "end", "normal": [0, 0, 1], "point": [0, 0, 0.05],
                "side": "above"}}},
        "settings": {"duration": 0.3},
    }));
    let home = at(simulation.world(), "rod", 1.0);
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(report.conflicting_rows > 0 && !report.held, "{report:?}");
        assert!(at(simulation.world(), "rod", 1.0).distance(home) < 1e-6);
        let pull = force(simulation.world(), "b").force.length();
        assert!(pull < 1e3 && force(simulation.world(), "floor").force.length() == 0.0, "{pull} N");
    }
    assert!(happened!(simulation, Conflict), "{:?}", simulation.events());
}

#[test]
fn limits_that_exclude_each_other_are_named_and_share_what_they_miss() {
    let limit = |distance: f64, limit: &str| {
        json!({"distance": {"on": "rod", "at": "end", "centre": [0, 0, 0], "distance": distance,
            "limit": limit}})
    };
    let mut simulation = build(json!({
        "rod": {"rod": {"radius": 0.005, "young": 1e9, "density": 1000}},
        "constraint": {"a": {"position": {"on": "rod", "at": "start"}}, "near": limit(0.9, "at-most"),
            "far": limit(0.95, "at-least")},
        "settings": {"duration": 0.3},
    }));
    let mut conflicts = 0;
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        conflicts += usize::from(report.conflicting_rows > 0);
        let distance = at(simulation.world(), "rod", 1.0).length();
        assert!(distance > 0.85 && distance < 1.0, "{distance} m at {} s", simulation.time());
        for name in ["near", "far"] {
            let pull = force(simulation.world(), name).force.length();
            assert!(pull < if report.conflicting_rows > 0 { 1e-9 } else { 1e5 }, "{name}: {pull} N");
        }
    }
    assert!(conflicts > 0 && happened!(simulation, Conflict), "{:?}", simulation.events());
}
