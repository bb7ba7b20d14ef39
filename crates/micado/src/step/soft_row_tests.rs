//! Viscosity and servos of joints against theory.

use super::curvature_tests::{Noise, moved, quadratic, system};
use crate::clock::NoClock;
use crate::geometry::rotation::rotation_of;
use crate::scene::{Arithmetic, Integrator};
use crate::step::{StepParams, Workspace};
use crate::world::World;
use glam::DVec3;
use serde_json::{Value, json};

/// A bar of 1 kg and 1 m along x on a hinge to the world at a point of it; I = 1/12 kg·m² about its centre.
fn bar(at: f64, axis: [f64; 3], spin: f64, angle: &Value) -> Result<World, String> {
    let scene = json!({
        "body": {"bar": {"mass": 1, "inertia": {"moments": [0.01, 1.0 / 12.0, 1.0 / 12.0]},
            "spin": axis.map(|a| a * spin)}},
        "constraint": {"hinge": {"joint": {"kind": "hinge", "on": "bar", "at": [at, 0, 0], "axis": axis,
            "angle": angle}}},
    });
    let scene = serde_json::from_value(scene).map_err(|error| error.to_string())?;
    World::build(&scene).map_err(|error| error.to_string())
}

fn read(world: &World, quantity: &str) -> f64 {
    let probe =
        serde_json::from_value(json!({"name": "p", "of": "hinge", "read": quantity})).expect("a probe");
    world.read(&probe).expect("a joint")
}

fn run(world: &mut World, params: &StepParams, steps: usize) {
    let mut workspace = Workspace::new();
    for _ in 0..steps {
        let report = world.step(params, &mut workspace, &NoClock);
        assert!(!report.held, "{report:?}");
    }
}

const I: f64 = 1.0 / 12.0;
const UP: [f64; 3] = [0.0, 0.0, 1.0];

#[test]
fn hinge_with_viscosity_loses_its_spin_exponentially() {
    let (c, h) = (0.05, 1e-3);
    let mut world = bar(0.0, UP, 1.0, &json!({"viscosity": c})).expect("a world");
    run(&mut world, &StepParams { step: h, integrator: Integrator::Euler, ..StepParams::default() }, 1000);
    let spin = world.state.v[6];
    // Euler's own law; a turn differs from h ω by (hω)²/12 of itself.
    let discrete = (1.0 + h * c / I).powi(-1000);
    assert!((spin / discrete - 1.0).abs() < 1e-6, "{spin} {discrete}");
    // It differs from exp(−ct/I) by h c² t/(2I²) = 1.8e-4.
    let theory = libm::exp(-c / I);
    assert!((spin / theory - 1.0).abs() < 2e-4, "{spin} {theory}");
}

#[test]
fn servo_with_viscosity_swings_with_amplitude_exp_of_ct_over_2i() {
    let (k, c, h) = (100.0 * I, 0.1, 1e-3);
    let servo = json!({"viscosity": c, "motor": {"servo": {"target": 0, "stiffness": k}}});
    let mut world = bar(0.0, UP, 1.0, &servo).expect("a world");
    let params = StepParams { step: h, integrator: Integrator::Bdf2, ..StepParams::default() };
    run(&mut world, &params, 1000);
    let (decay, omega) = (c / (2.0 * I), 10.0_f64);
    let damped = (omega * omega - decay * decay).sqrt();
    let amplitude = libm::exp(-decay) / damped;
    let theory = amplitude * libm::sin(damped);
    // BDF2 shifts the phase by (hω)²/3 of ωt, 3e-4, and its first step is Euler's.
    let angle = read(&world, "angle");
    assert!((angle - theory).abs() < 2e-3 * amplitude, "{angle} {theory}");
}

#[test]
fn servo_holds_a_bar_at_the_sag_of_its_stiffness() {
    let (k, c) = (20.0, 5.0);
    let servo = json!({"motor": {"servo": {"target": 0, "stiffness": k, "damping": c}}});
    let mut world = bar(-0.5, [0.0, 1.0, 0.0], 0.0, &servo).expect("a world");
    run(&mut world, &StepParams { step: 5e-3, ..StepParams::default() }, 1200);
    let weight = -world.structure.gravity.at(0.0)[2];
    // k θ = m g l/2 cos θ, by Newton's method.
    let mut theta = 0.2_f64;
    for _ in 0..20 {
        let slope = k + 0.5 * weight * libm::sin(theta);
        theta -= (k * theta - 0.5 * weight * libm::cos(theta)) / slope;
    }
    let angle = read(&world, "angle");
    // After six seconds, 46 decay times, only rounding is left.
    assert!((angle - theta).abs() < 1e-8, "{angle} {theta}");
    let drive = read(&world, "drive-torque");
    assert!((drive + k * theta).abs() < 1e-6, "{drive}");
    let energy = world.energy().spring;
    assert!((energy - 0.5 * k * theta * theta).abs() < 1e-7, "{energy}");
}

#[test]
fn mode_of_a_servo_has_the_frequency_of_its_stiffness() {
    let servo = json!({"motor": {"servo": {"target": 0, "stiffness": 100.0 * I}}});
    let world = bar(0.0, UP, 0.0, &servo).expect("a world");
    let modes = world.modes(1, Arithmetic::Portable, &mut Workspace::new()).expect("modes");
    let frequency = modes.modes[0].frequency().expect("a vibration");
    // √(k/I) = 10 rad/s, to the tolerance of the iteration.
    assert!((frequency * std::f64::consts::TAU - 10.0).abs() < 1e-5, "{frequency}");
}

#[test]
fn servo_of_a_slider_has_the_force_and_the_stiffness_of_its_energy() {
    let mut noise = Noise(9);
    let mut checks = 0;
    for _ in 0..8 {
        let [arm, there, turned, second, first] = std::array::from_fn(|_| noise.vector());
        let axis = noise.vector().normalize();
        // The first point is ahead of the second along the axis.
        let point = first + rotation_of(turned) * arm;
        let other = point - axis * 0.4 - rotation_of(second) * there;
        let body = |position: DVec3, rotation: DVec3| {
            json!({"mass": 1, "inertia": {"moments": [1, 1, 1]}, "position": position.to_array(),
                "rotation": rotation.to_array()})
        };
        let build = |slide: Value| -> World {
            let scene = json!({
                "body": {"a": body(first, turned), "b": body(other, second)},
                "constraint": {"j": {"joint": {"kind": "slider", "on": "a", "at": arm.to_array(),
                    "to": {"on": "b", "at": there.to_array()}, "axis": axis.to_array(), "slide": slide}}},
            });
            World::build(&serde_json::from_value(scene).expect("a scene")).expect("a world")
        };
        let world = build(json!({"motor": {"servo": {"target": 0.3, "stiffness": 7}}}));
        let bare = build(json!({}));
        // The fourth scalar of nodes of bodies is unused.
        let delta: Vec<f64> = (0..16).map(|i| if i % 4 == 3 { 0.0 } else { noise.next() }).collect();
        let energy = |share: f64| {
            let mut there = world.clone();
            there.state.q = moved(&world, &delta, share);
            there.energy().spring
        };
        let [with, without] = [&world, &bare].map(|of| system(of, &[]));
        let force: f64 = (0..16).map(|i| (with.rhs[i] - without.rhs[i]) * delta[i]).sum();
        let h = 1e-3;
        // Fourth order: errors of sixth derivatives times 1e-12, and rounding of 1e-16/1e-6.
        let slope = |h: f64| (energy(h) - energy(-h)) / (2.0 * h);
        let expected = -(4.0 * slope(h) - slope(2.0 * h)) / 3.0;
        assert!((force - expected).abs() < 1e-8 * expected.abs().max(1.0), "{force} {expected}");
        let second = |h: f64| (energy(h) + energy(-h) - 2.0 * energy(0.0)) / (h * h);
        let expected = (4.0 * second(h) - second(2.0 * h)) / 3.0;
        let found = quadratic(&with, &delta) - quadratic(&without, &delta);
        assert!((found - expected).abs() < 1e-6 * expected.abs().max(1.0), "{found} {expected}");
        checks += usize::from(force.abs() > 1e-3 && expected.abs() > 1e-3);
    }
    assert_eq!(checks, 8);
}

#[test]
fn impossible_fields_of_coordinates_are_named() {
    for (angle, field) in [
        (json!({"viscosity": -1}), "angle.viscosity"),
        (json!({"motor": {"servo": {"target": 0, "stiffness": -1}}}), "servo.stiffness"),
        (json!({"motor": {"servo": {"target": 0, "stiffness": 1, "damping": -1}}}), "servo.damping"),
        (json!({"most": 0.5, "motor": {"position": {"target": 0.7}}}), "angle.motor.position.target"),
    ] {
        let error = bar(0.0, UP, 0.0, &angle).expect_err("refused");
        assert!(error.contains(field), "{error}");
    }
}
