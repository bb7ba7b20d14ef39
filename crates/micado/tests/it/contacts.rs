//! The memory of contacts is state, found by the touching bodies, whatever is added or removed.

use crate::common::{bits, build, scene};
use micado::clock::NoClock;
use micado::contact::Toucher;
use micado::run::Simulation;
use micado::scene::Edit;
use micado::world::World;
use serde_json::{Value, json};

fn pearl(at: f64) -> Value {
    json!({"pearl": {"on": "wire", "at": at, "mass": 0.01, "radius": 0.02, "viscosity": 0.1}})
}

/// Four pearls that come to rest on each other at the foot of a steep wire.
fn heap() -> Value {
    json!({
        "rod": {"wire": {"shape": {"line": {"from": [0, 0, 0], "to": [0.2, 0, 1]}}, "radius": 0.003,
            "young": 1e9, "density": 1000, "segments": 12}},
        "constraint": {
            "Foot": {"clamp": {"on": "wire", "at": "start"}},
            "Top": {"position": {"on": "wire", "at": "end"}},
            "a": pearl(0.03), "b": pearl(0.08), "c": pearl(0.13), "d": pearl(0.18),
        },
        "settings": {"step": 1e-3, "duration": 10},
    })
}

fn steps(simulation: &mut Simulation, count: usize) {
    for _ in 0..count {
        assert!(!simulation.step(&NoClock).held);
    }
}

fn index(world: &World, name: &str) -> usize {
    world.structure().constraints.iter().position(|c| c.name == name).expect("a pearl")
}

fn push(world: &World, name: &str) -> f64 {
    world.contact_force(index(world, name))
}

#[test]
fn contacts_survive_a_snapshot_with_the_same_bits() {
    let mut simulation = build(heap());
    steps(&mut simulation, 800);
    let pushing = simulation.world().state().contacts.iter().filter(|contact| contact.forces[0] > 0.0);
    assert_eq!(pushing.count(), 3, "all of them rest on each other");
    let (mut restored, _) = Simulation::restore(&simulation.snapshot(&scene(heap()))).expect("a snapshot");
    assert_eq!(restored.world().state().contacts, simulation.world().state().contacts);
    for _ in 0..20 {
        steps(&mut simulation, 5);
        steps(&mut restored, 5);
        assert_eq!(bits(restored.world()), bits(simulation.world()));
    }
}

#[test]
fn contacts_are_found_again_when_pearls_are_added_and_removed() {
    let mut simulation = build(heap());
    steps(&mut simulation, 800);
    let mut world = simulation.world().clone();
    let [a, b, c] = ["a", "b", "c"].map(|name| push(&world, name));
    // The lowest carries the weight along the wire of all above it: 3, 2 and 1 of them.
    assert!((a / c - 3.0).abs() < 0.05 && (b / c - 2.0).abs() < 0.05 && c > 0.0, "{a} {b} {c}");
    // An item before them changes all numbers of constraints, but not the contacts.
    world.apply(&Edit::Release("Foot".into())).expect("it is there");
    assert_eq!(["a", "b", "c"].map(|name| push(&world, name)), [a, b, c]);
    assert!(world.state().contacts.iter().is_sorted_by_key(|contact| contact.key));
    // Only the contacts of a removed pearl are removed.
    world.apply(&Edit::Release("b".into())).expect("it is there");
    assert_eq!(["a", "c"].map(|name| push(&world, name)), [0.0, c]);
    let keys: Vec<_> = world.state().contacts.iter().map(|contact| contact.key.between).collect();
    assert_eq!(keys, [["c", "d"].map(|name| Toucher::Constraint(index(&world, name) as u32))]);
    // In a run: the neighbours of a new one are new contacts, the others go on from what they pushed with.
    let mut scene = heap();
    scene["action"] = json!([
        {"at": 0.801, "do": {"add-constraint": {"name": "e", "to": pearl(0.5)}}},
        {"at": 0.802, "do": {"release": "a"}},
    ]);
    let mut edited = build(scene);
    steps(&mut edited, 800);
    assert_eq!(push(edited.world(), "b"), b);
    steps(&mut edited, 10);
    // What rested on the one that is gone falls on together, and d has a neighbour again.
    let world = edited.world();
    assert!(world.structure().constraints.iter().all(|constraint| constraint.name != "a"));
    assert!(push(world, "b") < 0.2 * b, "{}", push(world, "b"));
    let between: Vec<_> = world.state().contacts.iter().map(|contact| contact.key.between).collect();
    let pair = |a: &str, b: &str| [a, b].map(|name| Toucher::Constraint(index(world, name) as u32));
    assert_eq!(between, [pair("b", "c"), pair("c", "d"), pair("d", "e")]);
}
