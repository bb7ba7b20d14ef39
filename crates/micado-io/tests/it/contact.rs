//! Built-in scenes of contact, against theory.

use micado::clock::NoClock;
use micado::run::Simulation;
use micado_io::scene::{builtin, parse};

const G: f64 = 9.81;

/// A built-in scene at its end. No step is refused.
fn finished(name: &str) -> Simulation {
    let file = builtin(name).expect("a built-in scene");
    let scene = parse(name, file.text, &[]).expect("a scene").scene().clone();
    let mut simulation = Simulation::build(&scene).expect("a scene");
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(!report.held, "{name}: {report:?}");
    }
    simulation
}

fn value(simulation: &Simulation, name: &str) -> f64 {
    let k = simulation.probe_names().iter().position(|probe| probe == name).expect("a probe");
    simulation.probe_values()[k]
}

#[test]
fn two_cubes_slide_where_the_slope_is_smooth_and_stay_where_it_is_rough() {
    let done = finished("two-cubes-on-incline");
    let (sin, cos) = 25_f64.to_radians().sin_cos();
    // One second at a constant acceleration, which Euler's rule integrates exactly.
    let speed = value(&done, "smooth_speed");
    assert!((speed - G * (sin - 0.2 * cos)).abs() < 1e-6, "{speed} m/s");
    assert!(value(&done, "rough_speed") < 1e-9, "{} m/s", value(&done, "rough_speed"));
}

#[test]
fn each_cube_of_a_stack_carries_those_above_it() {
    let done = finished("stacked-cubes");
    for k in 1..=6 {
        let force = value(&done, &format!("under_{k}"));
        let expected = f64::from(7 - k) * G;
        // Sweeps end at 1e-12 of the size in a step of 10 ms.
        assert!((force - expected).abs() < 1e-5, "{k}: {force} N, expected {expected} N");
    }
}

#[test]
fn a_capstan_of_half_a_turn_multiplies_the_tension_by_the_exponential_of_friction() {
    let done = finished("capstan");
    let ratio = value(&done, "pull") / 10.0;
    let expected = (0.3 * std::f64::consts::PI * 0.1 / 0.101).exp();
    // The exponent is that of a polygon with corners of 10°, and the ends are bent.
    assert!((ratio / expected - 1.0).abs() < 0.01, "{ratio}, expected {expected}");
}
