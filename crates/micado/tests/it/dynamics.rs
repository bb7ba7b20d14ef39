//! Motion against exact discrete laws, closed forms and orders of convergence.

use crate::common::{
    at, build, constraint, force, momentum, off, position, probe, run, scene, total_mass, velocity,
};
use glam::DVec3;
use micado::clock::NoClock;
use micado::constraint::Rows;
use micado::run::Simulation;
use micado::scene::Edit;
use micado::scene::{Arithmetic, Hessian, Integrator, Solves};
use micado::step::{StepParams, Workspace};
use micado::world::World;
use serde_json::{Value, json};
use std::f64::consts::{PI, TAU};

const G: f64 = 9.81;

fn edit(value: Value) -> Edit {
    serde_json::from_value(value).expect("an edit")
}

#[test]
fn a_free_rod_falls_by_the_discrete_law_and_keeps_its_shape() {
    let mut simulation = build(json!({
        "rod": {"rod": {"radius": 0.01, "young": 1e7, "density": 1000, "velocity": [1, -0.5, 2],
            "natural": "as-shaped",
                "shape": {"points": {"through": [[0, 0, 0], [0.3, 0.2, 0], [0.8, 0, 0.3]]}}}},
        "settings": {"step": 0.02},
    }));
    let start = [0.0, 0.4, 1.0].map(|s| at(simulation.world(), "rod", s));
    for n in 1..=50 {
        simulation.step(&NoClock);
        // v_n = v₀ + g n h, x_n = x₀ + v₀ n h + g h² n(n+1)/2
        let (h, n) = (0.02, f64::from(n));
        let fallen = DVec3::new(1.0, -0.5, 2.0) * n * h - DVec3::Z * (G * h * h * n * (n + 1.0) / 2.0);
        for (s, x) in [0.0, 0.4, 1.0].into_iter().zip(start) {
            // 50 solves, each exact to rounding of a fall of 3 m.
            assert!((at(simulation.world(), "rod", s) - x - fallen).length() < 1e-11);
        }
        let expected = (DVec3::new(1.0, -0.5, 2.0) - DVec3::Z * (G * n * h)) * total_mass(simulation.world());
        assert!((momentum(simulation.world()) - expected).length() < 1e-11);
    }
}

#[test]
fn a_free_rod_keeps_its_momentum_however_it_wobbles() {
    for (integrator, solves) in [("euler", 1), ("euler", 4), ("bdf2", 4)] {
        let mut simulation = build(json!({
            "rod": {"rod": {"stiffness": {"stretch": 100, "bend": 0.1, "twist": 0.1}, "mass_per_length": 0.5,
                "velocity": [0.3, 0, 1],
                    "damping": {"internal": 0.001}, "shape": {"arc": {"from": [0, 0, 0], "tangent": [1, 0, 0],
                        "towards": [0, 0, 1], "radius": 0.3, "angle": 2}}}},
            "mass": {"m": {"position": [0, 0, 1], "mass": 0.3}},
            "spring": {"s": {"linear": {"from": {"mass": "m"}, "to": {"rod": {"on": "rod", "at": "30 %"}},
                "stiffness": 5, "length": 0.3, "damping": 0.02}},
                       "t": {"torsional": {"from": {"rod": {"on": "rod", "at": "10 %"}},
                           "to": {"rod": {"on": "rod", "at": "80 %"}}, "stiffness": 0.5}}},
            "settings": {"gravity": [0, 0, 0], "solves": solves, "integrator": integrator},
        }));
        let before = momentum(simulation.world());
        for _ in 0..100 {
            simulation.step(&NoClock);
        }
        // Inner forces cancel to rounding in every step.
        assert!((momentum(simulation.world()) - before).length() < 1e-12, "{integrator}");
    }
}

/// A mass on a spring with a damper, on the x axis.
fn oscillator(integrator: &str, step: f64, damping: f64) -> Simulation {
    build(json!({
        "mass": {"m": {"position": [1.1, 0, 0], "mass": 0.5}},
        "spring": {"s": {"linear": {"from": {"point": [0, 0, 0]}, "to": {"mass": "m"}, "stiffness": 8,
            "length": 1, "damping": damping}}},
        "settings": {"gravity": [0, 0, 0], "step": step, "integrator": integrator},
    }))
}

fn elongation(simulation: &Simulation) -> f64 {
    position(simulation.world(), "m").x - 1.0
}

#[test]
fn a_mass_on_a_spring_follows_implicit_euler_to_rounding() {
    let (h, m, k, c) = (0.01, 0.5, 8.0, 0.3);
    let mut simulation = oscillator("euler", h, c);
    let (mut x, mut v) = (0.1, 0.0);
    for _ in 0..300 {
        simulation.step(&NoClock);
        // (m/h² + c/h + k) Δ = m v/h − k x
        let d = (m * v / h - k * x) / (m / (h * h) + c / h + k);
        (x, v) = (x + d, d / h);
        assert!((elongation(&simulation) - x).abs() < 1e-13);
    }
}

#[test]
fn a_mass_on_a_spring_follows_bdf2_to_rounding() {
    let (h, m, k, c) = (0.01, 0.5, 8.0, 0.3);
    let mut simulation = oscillator("bdf2", h, c);
    let (mut x, mut v, mut last): (f64, f64, Option<(f64, f64)>) = (0.1, 0.0, None);
    for _ in 0..300 {
        simulation.step(&NoClock);
        let (d, new) = match last {
            // The first step is Euler's.
            None => {
                let d = (m * v / h - k * x) / (m / (h * h) + c / h + k);
                (d, d / h)
            }
            // v' = (3Δ − Δ₋)/2h, a = (3v' − 4v + v₋)/2h
            Some((before, v_before)) => {
                let known = m * (3.0 * before / (4.0 * h * h) + (4.0 * v - v_before) / (2.0 * h)) - k * x
                    + c * before / (2.0 * h);
                let d = known / (9.0 * m / (4.0 * h * h) + 3.0 * c / (2.0 * h) + k);
                (d, (3.0 * d - before) / (2.0 * h))
            }
        };
        last = Some((d, v));
        (x, v) = (x + d, new);
        assert!((elongation(&simulation) - x).abs() < 1e-12);
    }
}

#[test]
fn halving_the_step_halves_the_error_of_euler_and_quarters_that_of_bdf2() {
    let error = |integrator: &str, step: f64| {
        let mut simulation = oscillator(integrator, step, 0.0);
        for _ in 0..(1.0 / step).round() as usize {
            simulation.step(&NoClock);
        }
        // ω = 4: a phase where neither value nor slope vanishes
        (elongation(&simulation) - 0.1 * 4.0_f64.cos()).abs()
    };
    for (integrator, order) in [("euler", 1.0), ("bdf2", 2.0)] {
        let ratio = error(integrator, 2e-3) / error(integrator, 1e-3);
        // The next term of the expansion is 4e-3 of the first.
        assert!((ratio.log2() - order).abs() < 0.05, "{integrator}: {ratio}");
    }
}

/// A cantilever that is let go from a small bend, and its lowest circular frequency.
fn plucked(damping: Value, step: f64) -> (Simulation, f64) {
    let mut simulation = build(json!({
        "rod": {"rod": {"stiffness": {"stretch": 1e5, "bend": 1, "twist": 1}, "mass_per_length": 0.16,
            "segments": 8, "damping": damping}},
        "constraint": {"c": {"clamp": {"on": "rod", "at": "start"}}},
        "load": {"p": {"force": {"on": "rod", "at": "end", "force": [0, 0, 3e-4]}}},
        "settings": {"gravity": [0, 0, 0], "step": step, "settle": true, "solves": 2},
        "action": [{"at": 0, "do": {"remove-load": "p"}}],
        "probe": [{"name": "z", "of": "rod", "at": "end", "read": "position", "component": "z"}],
    }));
    let modes = simulation.world().modes(1, Arithmetic::Fast, &mut Workspace::new()).expect("modes");
    let omega = modes.modes[0].eigenvalue.sqrt();
    simulation.step(&NoClock);
    (simulation, omega)
}

/// Log decrement per period over `periods`, from maxima after the first four, in which higher modes die out.
fn decrement(simulation: &mut Simulation, periods: usize) -> f64 {
    let mut peaks = Vec::new();
    let mut values = [probe(simulation, "z"); 3];
    while peaks.len() <= periods + 4 {
        simulation.step(&NoClock);
        values = [values[1], values[2], probe(simulation, "z")];
        if values[1] > values[0] && values[1] >= values[2] {
            // The parabola through three samples
            let (a, b) = (0.5 * (values[2] + values[0]) - values[1], 0.5 * (values[2] - values[0]));
            peaks.push(values[1] - b * b / (4.0 * a));
        }
    }
    (peaks[4] / peaks[periods + 4]).ln() / periods as f64
}

#[test]
fn vibrations_die_out_by_step_viscosity_and_drag_as_the_law_says() {
    // x'' + c x' + ω² x = 0 by implicit Euler: |λ|² = 1/(1 + c h + ω² h²), cos φ = (2 + c h)/(2 √(1 + c h +
    // ω² h²)), with c = α + β ω². To first order per period: π ω h + π β ω + π α/ω.
    let mut simple = Vec::new();
    for (alpha, beta, h) in [(0.0, 0.0, 1e-3), (0.0, 0.0, 5e-3), (0.0, 3e-3, 1e-3), (0.4, 0.0, 1e-3)] {
        let (mut simulation, omega) = plucked(json!({"internal": beta, "mass": alpha}), h);
        assert!((omega - 8.79).abs() < 0.02, "{omega}");
        let c = alpha + beta * omega * omega;
        let norm = 1.0 + c * h + omega * omega * h * h;
        let phase = ((2.0 + c * h) / (2.0 * norm.sqrt())).acos();
        let expected = TAU / phase * 0.5 * norm.ln();
        let measured = decrement(&mut simulation, 4);
        // Peaks between samples and what is left of the second mode: 1 %.
        assert!(off(measured, expected) < 1e-2, "α {alpha}, β {beta}, h {h}: {measured} against {expected}");
        simple.push((measured, PI * omega * h + PI * beta * omega + PI * alpha / omega));
    }
    for (measured, first_order) in simple {
        // ω h ≤ 0.044 and ζ ≤ 0.02: what is neglected is of that size.
        assert!(off(measured, first_order) < 5e-2, "{measured} against {first_order}");
    }
}

/// Pendulum: θ'' = −g/l sin θ by Runge–Kutta with steps of 1e-5.
fn pendulum(theta: f64, length: f64, time: f64) -> f64 {
    let n = 100_000;
    let h = time / f64::from(n);
    let slope = |(a, w): (f64, f64)| (w, -G / length * a.sin());
    let mut y = (theta, 0.0);
    for _ in 0..n {
        let add = |y: (f64, f64), k: (f64, f64), s: f64| (y.0 + k.0 * s, y.1 + k.1 * s);
        let k1 = slope(y);
        let k2 = slope(add(y, k1, 0.5 * h));
        let k3 = slope(add(y, k2, 0.5 * h));
        let k4 = slope(add(y, k3, h));
        y = (
            y.0 + h / 6.0 * (k1.0 + 2.0 * k2.0 + 2.0 * k3.0 + k4.0),
            y.1 + h / 6.0 * (k1.1 + 2.0 * k2.1 + 2.0 * k3.1 + k4.1),
        );
    }
    y.0
}

fn pendulum_scene(integrator: &str, step: f64, solves: usize) -> Value {
    json!({
        "mass": {"m": {"position": [0.5 * 1.2_f64.sin(), 0, -0.5 * 1.2_f64.cos()], "mass": 0.2}},
        "constraint": {"link": {"distance": {"on": "m", "centre": [0, 0, 0]}}},
        "settings": {"step": step, "duration": 1.0, "integrator": integrator, "solves": solves},
    })
}

#[test]
fn a_pendulum_swings_with_the_order_of_its_integrator() {
    let exact = pendulum(1.2, 0.5, 1.0);
    for (integrator, order) in [("euler", 1.0), ("bdf2", 2.0)] {
        let error = |step: f64| {
            let simulation = run(pendulum_scene(integrator, step, 10));
            let x = position(simulation.world(), "m");
            (x.x.atan2(-x.z) - exact).abs()
        };
        let ratio = error(1e-3) / error(5e-4);
        assert!((ratio.log2() - order).abs() < 0.1, "{integrator}: {ratio}");
    }
}

#[test]
fn a_pendulum_never_gains_energy_and_bdf2_keeps_more_of_it() {
    let lost = |integrator: &str| {
        let mut simulation = build(pendulum_scene(integrator, 5e-3, 10));
        let lowest = -0.2 * G * 0.5;
        let start = simulation.world().energy().total() - lowest;
        let mut left = start;
        for _ in 0..400 {
            simulation.step(&NoClock);
            let now = simulation.world().energy().total() - lowest;
            if integrator == "euler" {
                assert!(now <= left + 1e-12, "{integrator}: {now} after {left}");
            }
            left = now;
        }
        (start - left) / start
    };
    let (euler, bdf2) = (lost("euler"), lost("bdf2"));
    // Two seconds at ω h = 0.02: Euler loses most of the swing, BDF2 a hundredth of it.
    assert!(euler > 0.2 && bdf2.abs() < 0.05 * euler, "{euler} {bdf2}");
}

#[test]
fn the_miss_of_a_link_is_of_second_order_and_does_not_accumulate() {
    let largest = |step: f64, from: f64, to: f64| {
        let mut simulation = build(pendulum_scene("bdf2", step, 1));
        let (mut worst, mut fastest) = (0.0_f64, 0.0_f64);
        while simulation.time() < to {
            let report = simulation.step(&NoClock);
            if report.time > from {
                worst = worst.max(report.residual);
                fastest = fastest.max(velocity(simulation.world(), "m", 0.0).length());
            }
        }
        // A chord of v h misses a circle of radius d by v²h²/2d.
        assert!(worst < 1.1 * (fastest * step).powi(2) / (2.0 * 0.5), "{worst:e} at {fastest} m/s");
        worst
    };
    let ratio = largest(4e-3, 0.0, 1.0) / largest(2e-3, 0.0, 1.0);
    assert!((ratio.log2() - 2.0).abs() < 0.1, "{ratio}");
    // After 20 s the miss is what it was in the first second, less what little BDF2 has damped.
    assert!(largest(4e-3, 19.0, 20.0) <= largest(4e-3, 0.0, 1.0));
}

#[test]
fn newton_on_a_step_converges_quadratically() {
    let description = scene(json!({
        "rod": {"rope": {"stiffness": {"stretch": 500, "bend": 0.01, "twist": 0.01}, "mass_per_length": 0.2,
            "segments": 16, "damping": {"internal": 0.001}}},
        "constraint": {"c": {"position": {"on": "rope", "at": "start"}},
            "link": {"distance": {"on": "rope", "at": "70 %", "centre": [0.7, 0, 0.6]}}},
        "spring": {"s": {"linear": {"from": {"rod": {"on": "rope", "at": "end"}},
            "to": {"point": [1, 0, 0.5]}, "stiffness": 5}}},
    }));
    let mut world = World::build(&description).expect("a rope");
    let mut workspace = Workspace::new();
    let params = StepParams {
        step: 0.02,
        hessian: Hessian::Exact,
        solves: Solves::Exactly(8),
        ..StepParams::default()
    };
    for _ in 0..10 {
        world.step(&params, &mut workspace, &NoClock);
    }
    let increments: Vec<f64> = (2..9)
        .map(|solves| {
            world
                .clone()
                .step(
                    &StepParams { solves: Solves::Exactly(solves), ..params },
                    &mut Workspace::new(),
                    &NoClock,
                )
                .last_increment
        })
        .collect();
    let near = increments.iter().position(|&d| d < 1e-3).expect("close after a few solves");
    // From there every solve squares the increment, up to a constant of the order of EA/EI over a segment,
    // until rounding.
    for pair in increments[near..].windows(2) {
        assert!(pair[1] < 100.0 * pair[0] * pair[0] + 1e-12, "{increments:?}");
    }
    assert!(increments.iter().any(|&d| d < 1e-10), "{increments:?}");
}

#[test]
fn drag_ends_a_fall_at_the_terminal_velocity_and_wind_carries_along() {
    let mut simulation = build(json!({
        "mass": {"m": {"position": [0, 0, 0], "mass": 0.4}},
        "rod": {"rod": {"stiffness": {"stretch": 1e3, "bend": 0.1, "twist": 0.1}, "mass_per_length": 0.2,
            "shape": {"line": {"from": [0, 1, 0], "to": [1, 1, 0.4]}}}},
        "load": {"a": {"drag": {"on": "m", "coefficient": 0.8, "wind": [0.5, 0, 0]}},
            "b": {"drag": {"on": "rod", "coefficient": 0.6, "wind": [0, 0.7, 0]}}},
        "settings": {"step": 0.05},
    }));
    for _ in 0..400 {
        simulation.step(&NoClock);
    }
    let world = simulation.world();
    // exp(−20 s · c/m) is far below rounding.
    let mass = velocity(world, "m", 0.0);
    assert!((mass - DVec3::new(0.5, 0.0, -0.4 * G / 0.8)).length() < 1e-9, "{mass}");
    for s in [0.0, 0.5, 1.0] {
        let rod = velocity(world, "rod", s);
        assert!((rod - DVec3::new(0.0, 0.7, -0.2 * G / 0.6)).length() < 1e-9, "{rod}");
    }
}

#[test]
fn a_gust_pushes_as_long_as_it_blows() {
    // Impulse of a wind that ramps up: m v = ∫ c (w − v) dt, in the discrete law.
    let mut simulation = build(json!({
        "mass": {"m": {"position": [0, 0, 0], "mass": 0.5}},
        "load": {"a": {"drag": {"on": "m", "coefficient": 2,
            "wind": {"ramp": {"from": [0, 0, 0], "to": [4, 0, 0], "start": 0.1, "end": 0.3}}}}},
        "settings": {"gravity": [0, 0, 0]},
    }));
    let mut v = 0.0;
    for n in 1..=60 {
        simulation.step(&NoClock);
        let wind = 4.0 * ((f64::from(n) * 0.01 - 0.1) / 0.2).clamp(0.0, 1.0);
        v = (0.5 * v + 0.01 * 2.0 * wind) / (0.5 + 0.01 * 2.0);
        let measured = velocity(simulation.world(), "m", 0.0).x;
        assert!((measured - v).abs() < 1e-12, "{measured} against {v}");
    }
}

#[test]
fn a_held_place_follows_its_target_to_rounding() {
    let mut simulation = build(json!({
        "rod": {"rod": {"stiffness": {"stretch": 1e3, "bend": 0.05, "twist": 0.05}, "mass_per_length": 0.2}},
        "constraint": {
            "a": {"position": {"on": "rod", "at": "start",
                "displacement": {"keyframes": {"times": [0, 0.2, 0.5],
                "values": [[0, 0, 0], [0.1, 0.2, 0], [0, 0, 0.3]], "smooth": true}}}},
            "b": {"position": {"on": "rod", "at": "63 %",
                "displacement": {"harmonic": {"amplitude": [0, 0, 0.05], "frequency": 3}}}},
            "c": {"plane": {"on": "rod", "at": "end", "normal": [0, 1, 0],
                "offset": {"ramp": {"to": 0.2, "end": 0.4}}}},
        },
    }));
    let start = at(simulation.world(), "rod", 0.63);
    for _ in 0..60 {
        let report = simulation.step(&NoClock);
        // Rows that are linear in the unknowns hold to the refined solve.
        assert!(report.residual < 1e-12, "{report:?}");
        let moved = at(simulation.world(), "rod", 0.63) - start;
        assert!((moved.z - 0.05 * (TAU * 3.0 * simulation.time()).sin()).abs() < 1e-12);
    }
    assert!((at(simulation.world(), "rod", 1.0).y - 0.2).abs() < 1e-12);
}

#[test]
fn whole_turns_of_a_clamp_are_inserted_as_twist() {
    // Three turns and a bit; EI is large enough against GJ that the rod stays straight (Greenhill: Φ < 2.86 π
    // EI/GJ).
    let (turns, gj, length) = (3.25 * TAU, 0.02, 0.8);
    let ways = [
        json!({"end": {"clamp": {"on": "rod", "at": "end", "roll": {"ramp": {"to": turns, "end": 1}}}}}),
        json!({"end": {"clamp": {"on": "rod", "at": "end",
            "rotation": {"ramp": {"to": [turns, 0, 0], "end": 1}}}}}),
        json!({"end": {"clamp": {"on": "rod", "at": "end", "roll": {"ramp": {"to": turns, "end": 1}},
            "rows": "paper"}}}),
        json!({"end": {"roll": {"on": "rod", "at": "end", "angle": {"ramp": {"to": turns, "end": 1}}}},
            "x": {"position": {"on": "rod", "at": "end"}}}),
    ];
    for (mode, solves) in [("static", 1), ("dynamic", 2)] {
        for (k, way) in ways.iter().enumerate() {
            let mut constraints = way.clone();
            constraints["start"] = json!({"clamp": {"on": "rod", "at": "start"}});
            let simulation = run(json!({
                "rod": {"rod": {"stiffness": {"stretch": 1e4, "bend": 1, "twist": gj}, "mass_per_length": 0.1,
                    "segments": 8, "damping": {"internal": 0.05},
                        "shape": {"line": {"from": [0, 0, 0], "to": [length, 0, 0]}}}},
                "constraint": constraints,
                "settings": {"mode": mode, "gravity": [0, 0, 0], "duration": 2, "step": 0.02,
                    "solves": solves},
                "probe": [{"name": "torque", "of": "rod", "at": "40 %", "read": "torque"},
                    {"name": "twist", "of": "rod", "at": "40 %", "read": "twist"}],
            }));
            let expected = gj * turns / length;
            // At rest in statics; in dynamics a second of Kelvin–Voigt damping leaves e^{−20}.
            let tolerance = if mode == "static" { 1e-8 } else { 1e-5 };
            assert!(
                off(probe(&simulation, "torque"), expected) < tolerance,
                "{mode} {k}: {} against {expected}",
                probe(&simulation, "torque")
            );
            assert!(off(probe(&simulation, "twist"), turns / length) < tolerance);
            // The clamp drives with +torque, the foot holds against it.
            let (end, start) =
                (force(simulation.world(), "end").moment, force(simulation.world(), "start").moment);
            assert!((end - DVec3::X * expected).length() < 10.0 * tolerance, "{mode} {k}: {end}");
            assert!((start + DVec3::X * expected).length() < 10.0 * tolerance, "{mode} {k}: {start}");
        }
    }
}

#[test]
fn whole_turns_of_a_constant_roll_are_inserted_as_twist() {
    let (gj, length) = (0.02, 0.8);
    for (mode, turns) in [("static", 3.25 * TAU), ("static", -2.0 * TAU), ("dynamic", 3.0 * TAU)] {
        let simulation = run(json!({
            "rod": {"rod": {"stiffness": {"stretch": 1e4, "bend": 1, "twist": gj}, "mass_per_length": 0.1,
                "segments": 8, "damping": {"internal": 0.05},
                    "shape": {"line": {"from": [0, 0, 0], "to": [length, 0, 0]}}}},
            "constraint": {"start": {"clamp": {"on": "rod", "at": "start"}},
                "x": {"position": {"on": "rod", "at": "end"}},
                           "end": {"roll": {"on": "rod", "at": "end", "angle": turns}}},
            "settings": {"mode": mode, "gravity": [0, 0, 0], "duration": 2, "step": 0.02},
            "probe": [{"name": "torque", "of": "rod", "at": "40 %", "read": "torque"}],
        }));
        // As for turns that grow in time: at rest, or e^{−20} from it.
        assert!(
            off(probe(&simulation, "torque"), gj * turns / length) < 1e-5,
            "{mode}: {}",
            probe(&simulation, "torque")
        );
    }
}

#[test]
fn an_end_is_turned_three_times_while_it_is_bent_round() {
    // A rod bent into an arc in a plane carries a uniform torque: (T t)' = T κ n is what a constant force T κ
    // across the plane does, t×n. The end's tangent goes through 180° to 270° from where the roll was added.
    let (gj, length, turns, bent) = (0.02, 0.8, 3.0 * TAU, 1.5 * PI);
    let count = 100;
    let times: Vec<f64> = (0..=count).map(|i| f64::from(i) / f64::from(count)).collect();
    let phi = |t: f64| bent * t;
    let place = |t: f64| {
        let (phi, radius) = (phi(t), length / phi(t));
        if t == 0.0 { [length, 0.0, 0.0] } else { [radius * phi.sin(), radius * (1.0 - phi.cos()), 0.0] }
    };
    let places: Vec<_> = times.iter().map(|&t| place(t)).collect();
    let directions: Vec<_> = times.iter().map(|&t| [phi(t).cos(), phi(t).sin(), 0.0]).collect();
    let mut simulation = build(json!({
        "rod": {"rod": {"stiffness": {"stretch": 1e4, "bend": 1, "twist": gj}, "mass_per_length": 0.1,
            "segments": 24,
                "shape": {"line": {"from": [0, 0, 0], "to": [length, 0, 0]}}}},
        "constraint": {
            "start": {"clamp": {"on": "rod", "at": "start"}},
            "place": {"position": {"on": "rod", "at": "end",
                "target": {"keyframes": {"times": times, "values": places}}}},
            "tangent": {"tangent": {"on": "rod", "at": "end",
                "direction": {"keyframes": {"times": times, "values": directions}}}},
            "roll": {"roll": {"on": "rod", "at": "end", "angle": {"ramp": {"to": turns, "end": 1}}}},
        },
        "settings": {"mode": "static", "gravity": [0, 0, 0], "duration": 1, "step": 0.01},
        "probe": [{"name": "torque", "of": "rod", "at": "40 %", "read": "torque"},
            {"name": "curvature", "of": "rod", "at": "40 %", "read": "curvature"}],
    }));
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(report.converged && report.residual < 1e-9, "{report:?}");
        let share = simulation.time();
        // Twist is linear in the unknowns; the solve ends at 1e-7 rad.
        assert!(
            off(probe(&simulation, "torque"), gj * turns * share / length) < 1e-6,
            "{share}: {}",
            probe(&simulation, "torque")
        );
    }
    let torque = gj * turns / length;
    // The curvature of a cubic spline is good to (270°/24)²/12 = 3e-3.
    assert!(off(probe(&simulation, "curvature"), bent / length) < 3.2e-3);
    let end = force(simulation.world(), "roll").moment;
    // All of the torque is the roll's, along the tangent (0, −1, 0).
    assert!((end + DVec3::Y * torque).length() < 1e-6 * torque, "{end}");
    let across = force(simulation.world(), "place").force;
    assert!(off(across.z, torque * bent / length) < 1e-6, "{across}");
}

#[test]
fn turning_clamp_moves_a_rod_in_a_circle() {
    // A rod on a turntable: after a whole turn about z it is where it was, and hasn't been twisted or bent.
    let simulation = run(json!({
        "rod": {"rod": {"stiffness": {"stretch": 1e4, "bend": 1, "twist": 1}, "mass_per_length": 0.1,
            "segments": 6, "damping": {"internal": 0.02, "mass": 2},
                "shape": {"line": {"from": [0.2, 0, 0], "to": [1, 0, 0]}}}},
        "constraint": {"c": {"clamp": {"on": "rod", "at": "start",
            "rotation": {"ramp": {"to": [0, 0, TAU], "end": 2, "smooth": true}},
            "target": {"keyframes": {
                "times": (0..=64).map(|i| f64::from(i) / 32.0).collect::<Vec<_>>(),
                "values": (0..=64)
                    .map(|i| {
                        let w = f64::from(i) / 64.0;
                        let a = TAU * w * w * (3.0 - 2.0 * w);
                        [0.2 * a.cos(), 0.2 * a.sin(), 0.0]
                    })
                    .collect::<Vec<_>>()}}}}},
        "settings": {"gravity": [0, 0, 0], "duration": 6, "solves": 2},
    }));
    let world = simulation.world();
    let tip = at(world, "rod", 1.0);
    // Four seconds of damping with α/2 = 1/s and more by viscosity: e^{−4} of a swing of 0.05 m, squared in
    // energy.
    assert!((tip - DVec3::X).length() < 5e-3 && world.energy().twist < 1e-9, "{tip} {:?}", world.energy());
}

#[test]
fn a_link_that_lengthens_lowers_its_load() {
    let mut simulation = build(json!({
        "mass": {"m": {"position": [0, 0, -0.5], "mass": 0.3}},
        "constraint": {"link": {"distance": {"on": "m", "centre": [0, 0, 0],
            "distance": {"ramp": {"from": 0.5, "to": 0.9, "start": 0.1, "end": 0.6}}}}},
        "settings": {"duration": 1},
        "probe": [{"name": "tension", "of": "link", "read": "tension"}],
    }));
    while !simulation.finished() {
        simulation.step(&NoClock);
        let length = 0.5 + 0.4 * ((simulation.time() - 0.1) / 0.5).clamp(0.0, 1.0);
        let x = position(simulation.world(), "m");
        // The row is along the motion, so nothing of second order is left.
        assert!((x - DVec3::new(0.0, 0.0, -length)).length() < 1e-11, "{x} against {length}");
    }
    assert!(off(probe(&simulation, "tension"), 0.3 * G) < 1e-9);
}

#[test]
fn an_end_on_a_circle_stays_on_it_and_comes_to_rest_at_the_bottom() {
    let mut simulation = build(json!({
        "rod": {"rope": {"radius": 0.003, "young": 1e7, "density": 1100, "segments": 12,
            "damping": {"mass": 3},
                "shape": {"slack": {"from": [0, 0, 0], "to": [0.7, 0, 0], "length": 0.9}}}},
        "constraint": {"a": {"position": {"on": "rope", "at": "start"}},
            "b": {"circle": {"on": "rope", "at": "end", "centre": [0.7, 0, -0.2], "normal": [0, 1, 0]}}},
        "settings": {"step": 0.005, "duration": 8},
    }));
    let mut before = DVec3::ZERO;
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        // A pass from x + v h moves the end by Δv h along a tangent, which misses a circle of radius r by
        // (Δv h)²/2r.
        let after = velocity(simulation.world(), "rope", 1.0);
        let corrected = 0.005 * after.distance(std::mem::replace(&mut before, after));
        assert!(
            report.residual < 1.05 * corrected.powi(2) / (2.0 * 0.2) + 1e-12,
            "{:e} after {corrected} m",
            report.residual
        );
    }
    let world = simulation.world();
    let end = at(world, "rope", 1.0);
    assert!((end.distance(DVec3::new(0.7, 0.0, -0.2)) - 0.2).abs() < 1e-9);
    // At rest the circle pushes along its radius and normal only.
    let along = DVec3::Y.cross(end - DVec3::new(0.7, 0.0, -0.2)).normalize();
    let push = force(world, "b").force;
    assert!(push.dot(along).abs() < 1e-12 * push.length().max(1.0));
    assert!(world.energy().kinetic < 1e-9, "{:?}", world.energy());
}

#[test]
fn a_driven_circle_takes_the_end_along() {
    let simulation = run(json!({
        "rod": {"rod": {"stiffness": {"stretch": 1e3, "bend": 0.05, "twist": 0.05}, "mass_per_length": 0.2,
            "damping": {"mass": 2}}},
        "constraint": {"a": {"position": {"on": "rod", "at": "start"}},
                       "b": {"circle": {"on": "rod", "at": "end",
                           "centre": {"ramp": {"from": [0.8, 0, 0], "to": [0.6, 0.1, 0.2], "end": 1}},
                           "normal": [0, 0.2, 1],
                                        "radius": {"ramp": {"from": 0.2, "to": 0.3, "end": 1}}}}},
        "settings": {"duration": 3, "solves": 3, "step": 0.01},
    }));
    let world = simulation.world();
    let away = at(world, "rod", 1.0) - DVec3::new(0.6, 0.1, 0.2);
    // Three solves a step: the miss is of sixth order.
    assert!(
        (away.length() - 0.3).abs() < 1e-7 && away.dot(DVec3::new(0.0, 0.2, 1.0).normalize()).abs() < 1e-9,
        "{away}"
    );
}

#[test]
fn mass_on_a_helical_wire_slides_as_on_a_slope() {
    // Along the wire gravity pulls with g sin α whatever the turn: s = ½ g sin α t².
    let (radius, pitch) = (0.3_f64, 0.5_f64);
    let slope = pitch / (TAU * radius).hypot(pitch);
    let wire = json!({"helix": {"centre": [0, 0, 0], "radius": radius, "pitch": -pitch, "turns": 3}});
    let error = |step: f64| {
        let mut simulation = build(json!({
            "mass": {"m": {"position": [radius, 0, 0], "mass": 0.1}},
            "constraint": {"wire": {"trajectory": {"on": "m", "path": wire}}},
            "settings": {"step": step, "solves": 1, "integrator": "bdf2"},
        }));
        let mut worst = 0.0_f64;
        while simulation.time() < 1.0 - 1e-9 {
            let report = simulation.step(&NoClock);
            worst = worst.max(report.residual);
            // λ·c' = 0 in every step: the wire is smooth.
            let world = simulation.world();
            let k = constraint(world, "wire");
            let state = &world.state().constraints[k];
            let direction = sliding_direction(world, k);
            let push = DVec3::from_slice(&state.multipliers[..3]);
            // The rows are those of the start of the step, whose direction differs by v h/r.
            let speed = velocity(world, "m", 0.0).length();
            assert!(
                push.dot(direction).abs() <= (2.0 * speed * step / radius + 1e-6) * push.length(),
                "{push}"
            );
        }
        let fallen = -position(simulation.world(), "m").z;
        (off(fallen, slope * 0.5 * G * slope), worst)
    };
    let (coarse, fine) = (error(5e-3), error(2.5e-3));
    // v²h²/2r with 2.5 m/s; second order, as is the fall itself.
    assert!(coarse.1 < 3e-4 && fine.1 < 0.3 * coarse.1, "{coarse:?} {fine:?}");
    assert!(coarse.0 < 1e-2 && fine.0 < 0.6 * coarse.0, "{coarse:?} {fine:?}");
}

/// The direction in which a place on a trajectory is free.
fn sliding_direction(world: &World, k: usize) -> DVec3 {
    let mut rows = Rows::default();
    world.structure().constraints[k].law.linearise(
        &world.sites(k).expect("a constraint"),
        &world.state().constraints[k],
        world.time(),
        &mut rows,
    );
    DVec3::new(rows[0].own[1], rows[1].own[1], rows[2].own[1]).normalize()
}

#[test]
fn a_rope_end_on_a_helical_wire_misses_it_by_second_order_and_is_not_held_along_it() {
    let mut simulation = build(json!({
        "rod": {"rope": {"radius": 0.003, "young": 1e7, "density": 1100, "segments": 12,
            "damping": {"mass": 3},
                "shape": {"slack": {"from": [0, 0, 0], "to": [0.7, 0, 0], "length": 0.9}}}},
        "constraint": {"a": {"position": {"on": "rope", "at": "start"}},
                       "b": {"trajectory": {"on": "rope", "at": "end", "ends": "continue",
                           "path": {"helix": {"centre": [0.5, 0, 0], "radius": 0.2, "pitch": 0.2,
                           "turns": 2}}}}},
        "settings": {"step": 0.005, "solves": 1},
    }));
    let mut worst = 0.0_f64;
    for _ in 0..200 {
        worst = worst.max(simulation.step(&NoClock).residual);
    }
    // 1 s at 5 ms: v²h²/2r with about 1 m/s.
    assert!(worst < 2e-4, "{worst:e}");
    for _ in 0..2000 {
        simulation.step(&NoClock);
    }
    let world = simulation.world();
    let k = constraint(world, "b");
    let direction = sliding_direction(world, k);
    let push = DVec3::from_slice(&world.state().constraints[k].multipliers[..3]);
    // At rest the stationarity in σ says it exactly; refinement leaves 1e-9.
    assert!(
        push.dot(direction).abs() < 1e-7 * push.length() && world.energy().kinetic < 1e-8,
        "{push} {:?}",
        world.energy()
    );
}

#[test]
fn a_harmonic_force_shakes_most_at_resonance() {
    // Amplitude F/√((k − mω²)² + c²ω²); the steady state after 30 s of BDF2 with 2 ms.
    let (m, k, c): (f64, f64, f64) = (0.5, 8.0, 0.4);
    let amplitude = |frequency: f64| {
        let mut simulation = build(json!({
            "mass": {"m": {"position": [1, 0, 0], "mass": m}},
            "spring": {"s": {"linear": {"from": {"point": [0, 0, 0]}, "to": {"mass": "m"}, "stiffness": k,
                "damping": c}}},
            "load": {"f": {"force": {"on": "m",
                "force": {"harmonic": {"amplitude": [0.1, 0, 0], "frequency": frequency}}}}},
            "settings": {"gravity": [0, 0, 0], "step": 2e-3, "integrator": "bdf2"},
        }));
        let mut largest = 0.0_f64;
        for n in 0..16_000 {
            simulation.step(&NoClock);
            if n > 14_000 {
                largest = largest.max(elongation(&simulation).abs());
            }
        }
        largest
    };
    for omega in [2.0, 4.0, 6.0] {
        let expected = 0.1 / (k - m * omega * omega).hypot(c * omega);
        let measured = amplitude(omega / TAU);
        // e^{−ct/2m} = e^{−12} of the start is left; BDF2 shifts phase and damping by (ωh)² = 1e-4.
        assert!(off(measured, expected) < 1e-3, "{omega}: {measured} against {expected}");
    }
}

#[test]
fn an_axis_and_a_plane_push_across_only() {
    let simulation = run(json!({
        "mass": {"a": {"position": [0, 0, 0], "mass": 0.5}, "b": {"position": [1, 0, 0], "mass": 0.5}},
        "constraint": {"axis": {"axis": {"on": "a", "direction": [1, 0, -1]}},
            "plane": {"plane": {"on": "b", "normal": [1, 0, 1]}}},
        "settings": {"duration": 0.5},
    }));
    let world = simulation.world();
    // Down a slope of 45°: a = g/2 in x and −z, by the discrete law x = ½ a h² n(n+1).
    let expected = 0.5 * G * 0.01 * 0.01 * 50.0 * 51.0 / 2.0;
    for (name, start) in [("a", DVec3::ZERO), ("b", DVec3::X)] {
        let moved = position(world, name) - start;
        assert!((moved - DVec3::new(expected, 0.0, -expected)).length() < 1e-11, "{moved}");
    }
    for name in ["axis", "plane"] {
        let push = force(world, name).force;
        assert!((push - DVec3::new(0.25 * G, 0.0, 0.25 * G)).length() < 1e-9, "{name}: {push}");
    }
}

#[test]
fn stepping_twice_with_the_same_state_is_free_of_hidden_memory() {
    // A fresh workspace and a used one give the same bits: scratch is no state.
    let description = scene(pendulum_scene("bdf2", 0.01, 3));
    let mut world = World::build(&description).expect("a pendulum");
    let mut used = Workspace::new();
    let params =
        StepParams { integrator: Integrator::Bdf2, solves: Solves::Exactly(3), ..StepParams::default() };
    for _ in 0..20 {
        let mut twin = world.clone();
        world.step(&params, &mut used, &NoClock);
        twin.step(&params, &mut Workspace::new(), &NoClock);
        assert_eq!(crate::common::bits(&world), crate::common::bits(&twin));
    }
    world.apply(&edit(json!("stop"))).expect("velocities can be set to zero");
    assert!(world.state().v.iter().all(|&v| v == 0.0));
}

#[test]
fn a_damper_drags_a_mass_up_to_the_speed_of_its_moving_end() {
    // m v̇ = c (V − v); implicit Euler: V − v_n = V/(1 + h c/m)ⁿ.
    let (m, c, speed, h) = (0.4, 1.5, 0.7, 0.01_f64);
    let point =
        json!({"point": {"ramp": {"from": [1, 0, 0], "to": [1.0 + 100.0 * speed, 0, 0], "end": 100}}});
    for (mode, ends) in [
        ("to", json!({"from": {"mass": "m"}, "to": point})),
        ("from", json!({"from": point, "to": {"mass": "m"}})),
    ] {
        let mut spring = ends;
        (spring["stiffness"], spring["damping"]) = (json!(0), json!(c));
        let mut simulation = build(json!({
            "mass": {"m": {"position": [0, 0, 0], "mass": m}},
            "spring": {"s": {"linear": spring}},
            "settings": {"gravity": [0, 0, 0], "step": h, "duration": 5},
            "probe": [{"name": "v", "of": "m", "read": "velocity", "component": "x"},
                {"name": "f", "of": "s", "read": "tension"}],
        }));
        for n in 1..=500 {
            simulation.step(&NoClock);
            let slower = speed / (1.0 + h * c / m).powi(n);
            // The law itself; only rounding of positions of 4 m divided by h is left.
            assert!((speed - probe(&simulation, "v") - slower).abs() < 1e-11, "{mode}: step {n}");
            assert!((probe(&simulation, "f") - c * slower).abs() < 1e-11, "{mode}: step {n}");
        }
        assert!(off(probe(&simulation, "v"), speed) < 1e-7);
    }
}

#[test]
fn dampers_do_not_act_in_a_chain_of_equilibria() {
    let mut simulation = build(json!({
        "mass": {"m": {"position": [0, 0, 0], "mass": 0.4}},
        "spring": {"s": {"linear": {"from": {"mass": "m"},
            "to": {"point": {"ramp": {"from": [1, 0, 0], "to": [2, 0, 0], "end": 1}}},
                   "stiffness": 3, "damping": 50, "length": 0.5}}},
        "load": {"pull": {"force": {"on": "m", "force": [-0.6, 0, 0]}}},
        "settings": {"mode": "static", "gravity": [0, 0, 0], "step": 0.1, "duration": 1},
        "probe": [{"name": "x", "of": "m", "read": "position", "component": "x"},
            {"name": "f", "of": "s", "read": "tension"}],
    }));
    for n in 1..=9 {
        simulation.step(&NoClock);
        // 0.6 N stretch the spring from 0.5 m to 0.7 m; the solve ends at 1e-10 of the size.
        assert!(
            (probe(&simulation, "x") - (1.0 + 0.1 * f64::from(n) - 0.7)).abs() < 1e-8,
            "step {n}: {}",
            probe(&simulation, "x")
        );
        assert!(off(probe(&simulation, "f"), 0.6) < 1e-8, "step {n}: {}", probe(&simulation, "f"));
    }
}

#[test]
fn the_moment_of_a_torsional_damper_is_read() {
    // A stiff rod that spins about its own axis against a damper without spring: I ω̇ = −c ω, implicit Euler.
    let (c, h) = (0.02, 0.001);
    let mut simulation = build(json!({
        "rod": {"rod": {"stiffness": {"stretch": 1e5, "bend": 1e3, "twist": 1e3}, "mass_per_length": 1,
            "segments": 4, "radius": 0.1,
                "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}}},
        "constraint": {"a": {"position": {"on": "rod", "at": "start"}},
            "b": {"axis": {"on": "rod", "at": "end", "direction": [1, 0, 0]}}},
        "load": {"turn": {"moment": {"on": "rod", "at": "50 %", "moment": [0.3, 0, 0]}}},
        "spring": {"s": {"torsional": {"from": {"rod": {"on": "rod", "at": "50 %"}},
            "to": {"point": [0, 0, 0]}, "stiffness": 0, "damping": c}}},
        "settings": {"gravity": [0, 0, 0], "step": h, "duration": 2},
        "probe": [{"name": "m", "of": "s", "read": "moment", "component": "x"}],
    }));
    while !simulation.finished() {
        simulation.step(&NoClock);
    }
    // After many I/c the damper takes all of the moment: I = μ r²/2 = 0.005 kg·m², so 2 s are 8 time
    // constants.
    assert!(off(probe(&simulation, "m"), -0.3) < 1e-3, "{}", probe(&simulation, "m"));
}
