//! Changes of a running simulation: its mode and its probes.

use crate::common::{build, scene};
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Edit;
use micado::scene::{Mode, Probe};
use serde_json::{Value, json};

/// 2 kg on a spring of 100 N/m that was 1 m long: at rest 2·9.81/100 m below that.
fn weight_on_spring() -> Value {
    json!({
        "mass": {"ball": {"position": [0, 0, -1], "mass": 2}},
        "spring": {"bungee": {"linear": {"from": {"mass": "ball"}, "to": {"point": [0, 0, 0]},
            "stiffness": 100}}},
        "probe": [{"name": "height", "of": "ball", "read": "position", "component": "z"}],
        "settings": {"step": 0.01, "duration": 100},
    })
}

const REST: f64 = -1.0 - 2.0 * 9.81 / 100.0;

fn probe(value: Value) -> Probe {
    serde_json::from_value(value).unwrap()
}

#[test]
fn static_mode_stops_a_swing_and_dynamic_mode_keeps_it_at_rest() {
    let described = weight_on_spring();
    let mut simulation = build(described.clone());
    for _ in 0..10 {
        simulation.step(&NoClock);
    }
    assert!((simulation.probe_values()[0] - REST).abs() > 0.05, "on its way");
    simulation.set_mode(Mode::Static).unwrap();
    simulation.step(&NoClock);
    // The increment at which Newton ends, squared by its convergence.
    assert!((simulation.probe_values()[0] - REST).abs() < 1e-9, "{}", simulation.probe_values()[0]);

    // A snapshot knows the mode.
    let (mut restored, _) = Simulation::restore(&simulation.snapshot(&scene(described))).unwrap();
    assert_eq!(restored.settings().mode, Mode::Static);
    restored.set_mode(Mode::Dynamic).unwrap();
    for _ in 0..200 {
        restored.step(&NoClock);
        assert!(
            (restored.probe_values()[0] - REST).abs() < 1e-9,
            "{} at {} s",
            restored.probe_values()[0],
            restored.time()
        );
    }
}

#[test]
fn a_mode_that_the_integrator_does_not_have_is_refused() {
    let mut explicit = weight_on_spring();
    explicit["settings"]["integrator"] = json!("explicit");
    let mut simulation = build(explicit);
    assert_eq!(simulation.set_mode(Mode::QuasiDynamic).unwrap_err().path, "settings.mode");
    assert_eq!(simulation.settings().mode, Mode::Dynamic);
}

#[test]
fn a_probe_that_is_added_reads_the_force_of_a_constraint_that_was_added_before_it() {
    let described = weight_on_spring();
    let mut simulation = build(described.clone());
    let force = json!({"name": "force", "of": "hand", "read": "force", "component": "z"});
    assert_eq!(simulation.add_probe(probe(force.clone())).unwrap_err().path, "of", "there is no hand yet");
    let grab: Edit = serde_json::from_value(
        json!({"add-constraint": {"name": "hand", "to": {"position": {"on": "ball"}}}}),
    )
    .unwrap();
    simulation.apply(&grab).unwrap();
    simulation.add_probe(probe(force.clone())).unwrap();
    assert_eq!(simulation.add_probe(probe(force)).unwrap_err().path, "name");
    simulation.step(&NoClock);
    // The spring is not stretched where the hand holds it: the hand carries m g, but for the regularisation
    // of its rows, 1e-10 of that.
    assert!((simulation.probe_values()[1] - 19.62).abs() < 1e-8, "{:?}", simulation.probe_values());

    let (mut restored, _) = Simulation::restore(&simulation.snapshot(&scene(described))).unwrap();
    assert_eq!(restored.probe_names(), ["height", "force"]);
    assert_eq!(restored.probe_values(), simulation.probe_values());
    restored.remove_probe("height").unwrap();
    assert_eq!((restored.probe_names().len(), restored.probe_values()[0]), (1, simulation.probe_values()[1]));
    assert!(restored.remove_probe("height").is_err());
}

#[test]
fn a_probe_that_an_action_waits_for_is_not_taken_away() {
    let mut described = weight_on_spring();
    described["action"] = json!([{"when": {"probe": "height", "below": -5}, "do": "stop"}]);
    assert!(build(described.clone()).remove_probe("height").is_err());

    // Nor by a snapshot that goes with another scene.
    let waits = scene(described.clone());
    described["action"] = json!([{"at": 9, "do": "stop"}]);
    let mut simulation = build(described);
    assert!(Simulation::restore(&simulation.snapshot(&waits)).is_ok());
    simulation.remove_probe("height").unwrap();
    assert!(Simulation::restore(&simulation.snapshot(&waits)).is_err());
}
