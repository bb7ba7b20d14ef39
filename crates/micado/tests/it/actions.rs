//! Actions as statements of what happens when: at their time, when a probe crosses a value, and at the end of
//! the run at the latest.

use crate::common::{build, position, scene};
use micado::clock::NoClock;
use micado::run::{Event, EventKind, Simulation};
use serde_json::{Value, json};

/// A weight that is held, let go by an action, and falls; 10 steps of 10 ms.
fn held_weight(action: Value) -> Value {
    json!({
        "mass": {"ball": {"position": [0, 0, 0], "mass": 1}},
        "constraint": {"hand": {"position": {"on": "ball",
            "target": {"ramp": {"from": [0, 0, 0], "to": [0, 0, 0.1], "start": 0, "end": 0.1}}}}},
        "probe": [{"name": "height", "of": "ball", "read": "position", "component": "z"}],
        "action": [action],
        "settings": {"step": 0.01, "duration": 0.1},
    })
}

fn run_to_end(simulation: &mut Simulation) {
    while !simulation.finished() {
        simulation.step(&NoClock);
    }
}

/// Times of the actions that have happened.
fn acted(simulation: &Simulation) -> Vec<f64> {
    let is_action = |event: &&Event| matches!(event.what, EventKind::Action { .. });
    simulation.events().iter().filter(is_action).map(|event| event.time).collect()
}

#[test]
fn actions_due_in_the_last_step_are_applied_at_the_end() {
    // In the middle of the last step, at its end, and where the height passes within it: from 0.09 m to 0.1
    // m.
    for when in
        [json!({"at": 0.095}), json!({"at": 0.1}), json!({"when": {"probe": "height", "above": 0.095}})]
    {
        let mut action = when.clone();
        action["do"] = json!({"release": "hand"});
        let mut simulation = build(held_weight(action));
        run_to_end(&mut simulation);
        assert_eq!(acted(&simulation), [simulation.time()], "{when}");
        assert!(simulation.world().structure().constraints.is_empty(), "{when}: the hand has let go");
    }
    // Beyond the end nothing happens.
    let mut simulation = build(held_weight(json!({"at": 0.11, "do": {"release": "hand"}})));
    run_to_end(&mut simulation);
    assert!(acted(&simulation).is_empty() && simulation.world().structure().constraints.len() == 1);
}

#[test]
fn run_prolonged_after_a_final_action_continues_with_the_same_bits() {
    let short = scene(held_weight(json!({"at": 0.1, "do": {"release": "hand"}})));
    let mut long = short.clone();
    long.settings.duration = 0.2;
    let mut whole = Simulation::build(&long).unwrap();
    run_to_end(&mut whole);
    let mut parts = Simulation::build(&short).unwrap();
    run_to_end(&mut parts);
    let (mut parts, _) = Simulation::restore(&parts.snapshot(&long)).unwrap();
    run_to_end(&mut parts);
    assert_eq!((parts.time(), acted(&parts)), (whole.time(), acted(&whole)));
    assert_eq!(parts.world().state().q, whole.world().state().q);
    assert_eq!(position(parts.world(), "ball"), position(whole.world(), "ball"));
}
