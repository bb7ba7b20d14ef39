//! Dry friction of many pearls in contact takes few factorisations in every step.

use crate::common::scene;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Scene;
use serde_json::{Map, Value, json};

const PEARLS: usize = 200;
const STEPS: usize = 400;

/// Pearls that slide down a slack cord, meet in the middle and come to rest.
fn pearls(friction: f64) -> Scene {
    let mut constraints = Map::new();
    for (name, at) in [("left", "start"), ("right", "end")] {
        constraints.insert(name.to_owned(), json!({"position": {"on": "cord", "at": at}}));
    }
    for k in 0..PEARLS {
        let at = 0.1 + 2.8 * k as f64 / (PEARLS - 1) as f64;
        let pearl = json!({"on": "cord", "at": at, "mass": 1e-3, "radius": 0.8 / PEARLS as f64,
            "viscosity": 2e-3, "friction": friction});
        constraints.insert(format!("pearl-{k}"), json!({"pearl": pearl}));
    }
    let cord = json!({"shape": {"slack": {"from": [-1, 0, 0], "to": [1, 0, 0], "length": 3}},
        "radius": 1e-3, "young": 1e9, "density": 1150, "segments": 100,
        "damping": {"internal": 2e-3, "mass": 1}});
    scene(json!({"rod": {"cord": cord}, "constraint": Value::Object(constraints),
        "settings": {"duration": 10, "step": 5e-3}}))
}

/// Places of all pearls, as bits.
fn places(simulation: &Simulation) -> Vec<u64> {
    let world = simulation.world();
    let count = world.structure().constraints.len();
    (0..count).filter_map(|k| world.sliding_place(k).ok()).map(f64::to_bits).collect()
}

#[test]
fn pearls_in_contact_take_at_most_ten_factorisations_in_every_step_whatever_their_friction() {
    for friction in [0.05, 0.5, 1.0] {
        let description = pearls(friction);
        let mut simulation = Simulation::build(&description).expect("pearls on a cord");
        let mut touching = 0;
        for step in 0..STEPS {
            let report = simulation.step(&NoClock);
            assert!(
                report.compliance_factors <= 10 && report.sweeps == 0,
                "friction {friction}, step {step}: {} factorisations, {} sweeps",
                report.compliance_factors,
                report.sweeps
            );
            // 1e-13 of the length of the cord.
            assert!(report.sweep_residual <= 3.01e-13, "{friction}, {step}: {}", report.sweep_residual);
            let contacts = &simulation.world().state().contacts;
            touching = touching.max(contacts.iter().filter(|contact| contact.forces[0] > 0.0).count());
        }
        // All lean on each other; with friction 1, those at the ends stay where they are.
        assert!(touching > 180, "{touching}");
        // Which pearls stick is part of the state.
        let (mut restored, _) =
            Simulation::restore(&simulation.snapshot(&description)).expect("an undamaged snapshot");
        for _ in 0..5 {
            let updates = [&mut simulation, &mut restored].map(|run| run.step(&NoClock).compliance_updates);
            assert_eq!(updates[0], updates[1]);
            assert_eq!(places(&simulation), places(&restored));
        }
    }
}
