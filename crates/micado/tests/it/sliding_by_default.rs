//! What slides: forces, stops, eyes, friction and corners.

use crate::common::{build, position, probe, velocity};
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};
use std::f64::consts::FRAC_1_SQRT_2;

const G: f64 = 9.81;

fn read(name: &str, of: &str, quantity: &str) -> Value {
    json!({"name": name, "of": of, "read": quantity})
}

/// A steel wire between two points.
fn wire(to: [f64; 3]) -> Value {
    json!({"wire": {"shape": {"line": {"from": [0, 0, 0], "to": to}}, "radius": 0.005, "young": 200e9,
        "density": 7800}})
}

/// Pearls and eyes on a wire that is held at its ends.
fn on_wire(to: [f64; 3], more: Value, gravity: [f64; 3], probes: Value) -> Value {
    let mut constraints = json!({"a": {"position": {"on": "wire", "at": "start"}},
        "b": {"position": {"on": "wire", "at": "end"}}});
    for (name, constraint) in more.as_object().expect("constraints by name") {
        constraints[name] = constraint.clone();
    }
    json!({"rod": wire(to), "constraint": constraints, "probe": probes,
        "settings": {"duration": 1, "step": 1e-3, "gravity": gravity}})
}

fn run_to(simulation: &mut Simulation, time: f64) {
    while simulation.time() < time - 1e-9 {
        simulation.step(&NoClock);
    }
}

#[test]
fn a_pearl_on_a_slope_presses_with_its_weight_across_it_and_rubs_with_its_share() {
    let pearl = json!({"p": {"pearl": {"on": "wire", "at": "30 %", "mass": 0.01, "friction": 0.3}}});
    let probes = json!([read("across", "p", "normal-force"), read("along", "p", "drive"),
        {"name": "x", "of": "p", "read": "force", "component": "x"}]);
    let mut simulation = build(on_wire([1.0, 0.0, -1.0], pearl, [0.0, 0.0, -G], probes));
    // The wire itself hums for a while.
    let (mut mean, mut count) = ([0.0; 3], 0.0);
    while simulation.time() < 0.3 {
        simulation.step(&NoClock);
        for (sum, name) in mean.iter_mut().zip(["across", "along", "x"]) {
            *sum += probe(&simulation, name);
        }
        count += 1.0;
    }
    let [across, along, x] = mean.map(|sum| sum / count);
    let expected = 0.01 * G * FRAC_1_SQRT_2;
    assert!((across / expected - 1.0).abs() < 0.02, "{across} N for {expected} N");
    // It slides down, and takes the wire with it; F_x = −N/√2 + μN/√2.
    assert!((along / (0.3 * expected) - 1.0).abs() < 0.02, "{along} N");
    assert!((x / (-0.7 * expected * FRAC_1_SQRT_2) - 1.0).abs() < 0.02, "{x} N");
}

#[test]
fn a_pearl_on_a_hoop_presses_outwards_with_its_centrifugal_force() {
    let mut constraints = json!({"p": {"pearl": {"on": "hoop", "at": "2 %", "mass": 0.01, "speed": 3}}});
    for k in 0..8 {
        constraints[format!("h{k}")] =
            json!({"position": {"on": "hoop", "at": format!("{} %", 12.5 * f64::from(k))}});
    }
    let mut simulation = build(json!({
        "rod": {"hoop": {"shape": {"ring": {"centre": [0, 0, 0], "normal": [0, 1, 0], "radius": 0.3}},
            "natural": "as-shaped", "radius": 0.01, "young": 200e9, "density": 7800, "segments": 40}},
        "constraint": constraints,
        "settings": {"duration": 1, "step": 1e-3, "gravity": [0, 0, 0], "integrator": "bdf2"},
        "probe": [read("across", "p", "normal-force"), read("speed", "p", "velocity")],
    }));
    let (mut ratio, mut count) = (0.0, 0.0);
    while simulation.time() < 0.2 {
        simulation.step(&NoClock);
        ratio += probe(&simulation, "across") / (0.01 * probe(&simulation, "speed").powi(2) / 0.3);
        count += 1.0;
    }
    assert!((ratio / count - 1.0).abs() < 5e-3, "{}", ratio / count);
}

#[test]
fn a_pearl_rebounds_from_the_end_of_its_wire_with_its_restitution() {
    for (restitution, at, speed) in [(0.5, "80 %", 1.0), (1.0, "20 %", -1.0), (0.0, "80 %", 1.0)] {
        let pearl = json!({"p": {"pearl": {"on": "wire", "at": at, "mass": 0.02, "radius": 0.005,
            "restitution": restitution, "speed": speed}}});
        let probes = json!([{"name": "v", "of": "p", "read": "velocity", "component": "x"}]);
        let mut simulation = build(on_wire([1.0, 0.0, 0.0], pearl, [0.0; 3], probes));
        run_to(&mut simulation, 0.3);
        let v = probe(&simulation, "v");
        assert!((v + restitution * speed).abs() < 1e-3, "{restitution}: {v} m/s");
    }
}

#[test]
fn a_row_of_pearls_bounces_between_its_ends_as_in_one_dimension() {
    // 30 g with 1 m/s strikes 10 g, elastic; that strikes 20 g with e = 0.5, which rebounds from the end.
    let pearl = |at: &str, mass: f64, restitution: f64, speed: f64| {
        json!({"pearl": {"on": "wire", "at": at, "mass": mass, "radius": 0.005, "restitution": restitution,
            "speed": speed}})
    };
    let pearls = json!({"p1": pearl("20 %", 0.03, 1.0, 1.0), "p2": pearl("50 %", 0.01, 1.0, 0.0),
        "p3": pearl("80 %", 0.02, 0.5, 0.0)});
    let v = |name: &str| json!({"name": name, "of": name, "read": "velocity", "component": "x"});
    let probes = json!([v("p1"), v("p2"), v("p3")]);
    let mut simulation = build(on_wire([1.0, 0.0, 0.0], pearls, [0.0; 3], probes));
    // v₂ = 3/2 after 0.29 s; after another 0.19 s v₃ = (1 + e)/3 v₂ = 3/4, and 0.27 s later it is at the end.
    run_to(&mut simulation, 0.7);
    let before = probe(&simulation, "p3");
    run_to(&mut simulation, 0.8);
    let after = probe(&simulation, "p3");
    assert!((before - 0.75).abs() < 2e-3 && (after + 0.375).abs() < 2e-3, "{before} and {after} m/s");
}

#[test]
fn a_pearl_comes_to_rest_one_radius_before_an_eye() {
    let pearl = json!({"pearl": {"on": "wire", "at": "10 %", "mass": 0.01, "radius": 0.01}});
    for eye in [json!({}), json!({"slide": 0}), json!({"to": {"on": "m"}})] {
        let mut eye = eye;
        (eye["on"], eye["at"]) = (json!("wire"), json!("50 %"));
        let probes = json!([read("p", "p", "place"), read("e", "e", "place"), read("push", "p", "contact")]);
        let more = json!({"p": pearl, "e": {"keyhole": eye}, "hold": {"position": {"on": "m"}}});
        let mut description = on_wire([1.0, 0.0, -1.0], more, [0.0, 0.0, -G], probes);
        description["mass"] = json!({"m": {"position": [0.5, 0, -0.5], "mass": 1}});
        description["settings"]["duration"] = json!(3);
        // Oscillations of the wire would shake it.
        description["rod"]["wire"]["damping"] = json!({"mass": 20});
        let mut simulation = build(description);
        while !simulation.finished() {
            simulation.step(&NoClock);
            let gap = probe(&simulation, "e") - probe(&simulation, "p");
            assert!(gap > 0.01 - 1e-6, "{eye}: it is {gap} m before the eye");
        }
        let gap = probe(&simulation, "e") - probe(&simulation, "p");
        assert!((gap - 0.01).abs() < 1e-6, "{eye}: {gap} m");
        let push = probe(&simulation, "push");
        assert!((push / (0.01 * G * FRAC_1_SQRT_2) - 1.0).abs() < 0.01, "{eye}: {push} N");
    }
}

#[test]
fn a_pearl_rebounds_from_an_eye_on_either_side_even_with_long_steps() {
    for (at, speed) in [("30 %", 4.0), ("70 %", -4.0)] {
        let more = json!({"e": {"keyhole": {"on": "wire", "at": "50 %"}},
            "p": {"pearl": {"on": "wire", "at": at, "mass": 0.01, "radius": 0.01, "restitution": 0.8,
                "speed": speed}}});
        let probes = json!([{"name": "v", "of": "p", "read": "velocity", "component": "x"}]);
        let mut description = on_wire([1.0, 0.0, 0.0], more, [0.0; 3], probes);
        // 40 mm a step, twice the pearl.
        description["settings"]["step"] = json!(0.01);
        let mut simulation = build(description);
        run_to(&mut simulation, 0.08);
        let v = probe(&simulation, "v");
        assert!((v + 0.8 * speed).abs() < 1e-3, "{v} m/s");
    }
}

#[test]
fn a_mass_slides_down_a_path_with_friction_and_stops_at_its_end() {
    let scene = |friction: f64, ends: &str| {
        build(json!({
            "mass": {"m": {"position": [0, 0, 0], "mass": 0.1}},
            "constraint": {"t": {"trajectory": {"on": "m", "friction": friction, "ends": ends,
                "path": {"line": {"from": [0, 0, 0], "to": [1, 0, -1]}}}}},
            "settings": {"duration": 2, "step": 2e-3},
        }))
    };
    let mut simulation = scene(0.3, "stop");
    run_to(&mut simulation, 0.5);
    let (speed, expected) = (velocity(simulation.world(), "m", 0.0).length(), 0.5 * G * 0.7 * FRAC_1_SQRT_2);
    assert!((speed / expected - 1.0).abs() < 1e-6, "{speed} m/s for {expected} m/s");
    run_to(&mut simulation, 2.0);
    let end = position(simulation.world(), "m");
    assert!((end.x - 1.0).abs() < 1e-9 && (end.z + 1.0).abs() < 1e-9, "{end}");
    assert!(velocity(simulation.world(), "m", 0.0).length() < 1e-9);
    // It sticks where friction is more than the slope.
    let mut simulation = scene(1.1, "stop");
    run_to(&mut simulation, 0.5);
    assert!(position(simulation.world(), "m").length() < 1e-9);
    // Let go at the end, it falls.
    let mut simulation = scene(0.3, "release");
    run_to(&mut simulation, 2.0);
    assert!(position(simulation.world(), "m").z < -2.0, "{}", position(simulation.world(), "m"));
}

#[test]
fn rods_that_cross_in_an_eye_with_friction_hold_each_other_up_to_its_share() {
    // A bar hangs in an eye on a slope of 20°: tan 20° = 0.364.
    let slope = 20_f64.to_radians();
    for (friction, slips) in [(0.5, false), (0.2, true)] {
        let mut simulation = build(json!({
            "rod": {
                "rail": {"shape": {"line": {"from": [0, 0, 0], "to": [slope.cos(), 0, -slope.sin()]}},
                    "radius": 0.005, "young": 200e9, "density": 7800, "segments": 8},
                "bar": {"shape": {"line": {"from": [0.3 * slope.cos(), -0.2, -0.3 * slope.sin()],
                    "to": [0.3 * slope.cos(), 0.2, -0.3 * slope.sin()]}},
                    "radius": 0.005, "young": 200e9, "density": 1000, "segments": 8}},
            "constraint": {
                "a": {"clamp": {"on": "rail", "at": "start"}}, "b": {"clamp": {"on": "rail", "at": "end"}},
                "x": {"keyhole": {"on": "bar", "at": "50 %", "to": {"on": "rail", "at": 0.3},
                    "crossing": true, "friction": friction}}},
            "settings": {"duration": 0.3, "step": 1e-3},
        }));
        let before = crate::common::at(simulation.world(), "bar", 0.2);
        run_to(&mut simulation, 0.3);
        let moved = crate::common::at(simulation.world(), "bar", 0.2).distance(before);
        // s = ½ g (sin α − μ cos α) t²
        let expected = 0.5 * G * (slope.sin() - friction * slope.cos()).max(0.0) * 0.09;
        assert!((moved - expected).abs() < 0.02 * expected + 1e-3, "{friction}: {moved} m for {expected} m");
        assert_eq!(moved > 0.01, slips);
    }
}

/// A cord over one eye with a weight at its start, drawn by its end at an angle of `turn`: ln(T₂/T₁)/μφ.
fn capstan_exponent(friction: f64, turn: f64, radius: Option<f64>) -> f64 {
    let length = 0.3;
    // The weight hangs straight down; the end goes up and away, by φ from there.
    let (sine, cosine) = (turn.sin(), turn.cos());
    let end = [length * sine, 0.0, length * cosine];
    let mut eye = json!({"on": "cord", "at": length, "target": [0, 0, 0], "friction": friction});
    if let Some(radius) = radius {
        eye["radius"] = json!(radius);
    }
    let drawn = 0.02;
    let mut simulation = build(json!({
        "rod": {"cord": {"shape": {"polyline": {"through": [[0, 0, -length], [0, 0, 0], end]}},
            "natural": "straight", "stiffness": {"stretch": 2e3, "bend": 4e-5, "twist": 4e-5},
            "mass_per_length": 1e-4, "segments": 300, "damping": {"mass": 30, "internal": 1e-4}}},
        "mass": {"w": {"position": [0, 0, -length], "mass": 0.1}},
        "constraint": {
            "tie": {"fusion": {"on": "cord", "at": "start", "to": {"on": "w"}}},
            "rail": {"axis": {"on": "w", "point": [0, 0, 0], "direction": [0, 0, 1]}},
            "eye": {"keyhole": eye},
            "pull": {"position": {"on": "cord", "at": "end", "displacement": {"ramp": {"from": [0, 0, 0],
                "to": [drawn * sine, 0, drawn * cosine], "start": 0.3, "end": 2.3}}}}},
        "settings": {"duration": 2.3, "step": 2e-3, "settle": true},
        "probe": [{"name": "slack", "of": "cord", "at": 0.1, "read": "tension"},
            {"name": "taut", "of": "cord", "at": "end - 0.1 m", "read": "tension"}],
    }));
    let (mut sum, mut count) = (0.0, 0.0);
    while !simulation.finished() {
        simulation.step(&NoClock);
        if simulation.time() > 1.5 {
            sum += (probe(&simulation, "taut") / probe(&simulation, "slack")).ln();
            count += 1.0;
        }
    }
    sum / count / (friction * turn)
}

#[test]
fn an_eye_with_a_radius_holds_a_cord_as_a_drum_does_whatever_the_turn() {
    let [mut worst, mut most] = [0.0_f64; 2];
    for (friction, degrees) in [(0.3, 20.0_f64), (0.3, 60.0), (0.3, 90.0), (0.3, 110.0), (0.1, 120.0)] {
        let turn = degrees.to_radians();
        let (sharp, round) =
            (capstan_exponent(friction, turn, None), capstan_exponent(friction, turn, Some(0.05)));
        most = most.max((sharp - 1.0).abs());
        worst = worst.max((round - 1.0).abs());
    }
    // A sharp edge is off by a fifth; bending of 6 mm over segments of 2 mm leaves a few per cent.
    assert!(worst < 0.045 && most > 0.2, "{worst} and {most} of the exponent μφ");
}
