//! Built-in structures without damping, loads and actions are conservative, and Euler only dissipates energy.

use micado::clock::NoClock;
use micado::constraint::ConstraintDescription;
use micado::load::SpringDescription;
use micado::run::Simulation;
use micado::scene::{Integrator, Scene};
use micado::world::observe::Energy;
use micado_io::scene::{builtin, parse};

/// A built-in scene with Euler steps and without anything that adds or dissipates energy.
fn conservative(name: &str) -> Scene {
    let file = builtin(name).expect("a built-in scene");
    let mut scene = parse(name, file.text, &[]).expect("a scene").scene().clone();
    scene.settings.integrator = Integrator::Euler;
    scene.settings.settle = false;
    scene.load.clear();
    scene.action.clear();
    scene.probe.clear();
    for rod in scene.rod.values_mut() {
        rod.damping = Default::default();
    }
    for spring in scene.spring.values_mut() {
        match spring {
            SpringDescription::Linear(spring) => spring.damping = 0.0,
            SpringDescription::Torsional(spring) => spring.damping = 0.0,
            SpringDescription::Custom(_) => {}
        }
    }
    for constraint in scene.constraint.values_mut() {
        if let ConstraintDescription::Pearl(pearl) = constraint {
            pearl.viscosity = 0.0;
        }
    }
    scene
}

#[test]
fn no_step_of_euler_gains_energy_in_the_built_in_structures() {
    let parts = |energy: &Energy| [energy.kinetic, energy.elastic(), energy.gravity];
    for name in [
        "hanging-cable",
        "pendulum",
        "spring-weights",
        "bridge",
        "dna",
        "helix-slide",
        "twisted-ring",
        "necklace",
    ] {
        let mut simulation = Simulation::build(&conservative(name)).expect("a scene");
        let mut before = simulation.world().energy();
        for step in 0..400 {
            let report = simulation.step(&NoClock);
            assert!(!report.held, "{name}: {report:?}");
            let now = simulation.world().energy();
            let exchanged = parts(&now).into_iter().zip(parts(&before)).map(|(a, b)| (a - b).abs());
            let exchanged = exchanged.fold(0.0, f64::max);
            // Sums of energies are known to rounding only; a pass may neglect a tenth of what the step
            // exchanges, and neglects a hundred times less.
            let rounding = 1e-12 * parts(&now).iter().map(|part| part.abs()).sum::<f64>();
            let gain = now.total() - before.total();
            assert!(gain < 1e-3 * exchanged + rounding, "{name}, step {step}: {gain} J of {exchanged} J");
            before = now;
        }
    }
}
