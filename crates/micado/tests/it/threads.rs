//! Islands are stepped by themselves, on any number of threads, with the same bits.

use crate::common::{at, bits, build, scene};
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Scene;
use micado::step::Pool;
use serde_json::{Map, Value, json};

const ISLANDS: usize = 100;

/// A hundred islands: ropes in eyes with friction, with two pearls that meet, clips that open and catch, and
/// edits that join, separate and change islands.
fn archipelago(integrator: &str, solves: usize) -> Scene {
    let (mut rods, mut constraints) = (Map::new(), Map::new());
    for k in 0..ISLANDS {
        let (name, y) = (format!("rope-{k}"), 0.3 * k as f64);
        let shape = json!({"slack": {"from": [0, y, 0], "to": [0.8, y, 0], "length": 1.0}});
        rods.insert(
            name.clone(),
            json!({"shape": shape, "radius": 0.004, "young": 2e7, "density": 1100, "segments": 8 + k % 5,
                "damping": {"internal": 0.002}}),
        );
        let mut hold = |kind: &str, words: Value| constraints.insert(format!("{kind}-{k}"), words);
        hold("start", json!({"position": {"on": name, "at": "start"}}));
        match k % 3 {
            0 => hold("eye", json!({"keyhole": {"on": name, "at": "90 %", "friction": 0.2}})),
            1 => hold(
                "clip",
                json!({"clip": {"on": name, "at": "80 %", "strength": {"any": 0.05 + 0.01 * k as f64},
                "capture": 0.05}}),
            ),
            _ => hold(
                "end",
                json!({"position": {"on": name, "at": "end",
                "displacement": {"harmonic": {"amplitude": [0, 0.02, 0.05], "frequency": 2}}}}),
            ),
        };
        let pearl = |at: &str| {
            json!({"pearl": {"on": name, "at": at, "mass": 0.01, "radius": 0.01,
            "friction": 0.1}})
        };
        hold("first", pearl("20 %"));
        hold("second", pearl("60 %"));
    }
    let join = json!({"name": "join",
        "to": {"fusion": {"on": "rope-3", "at": "50 %", "to": {"on": "rope-4", "at": "50 %"}}}});
    scene(json!({
        "rod": Value::Object(rods), "constraint": Value::Object(constraints),
        "settings": {"duration": 0.5, "integrator": integrator, "solves": solves, "arithmetic": "portable"},
        "action": [{"at": 0.02, "do": {"add-constraint": join}}, {"at": 0.05, "do": {"release": "join"}},
            {"at": 0.06, "do": {"release": "start-7"}},
            {"at": 0.07, "do": {"cut": {"rod": "rope-11", "at": 0.5, "second": "tail"}}}],
    }))
}

fn run(scene: &Scene, threads: usize, steps: usize) -> Simulation {
    let mut simulation = Simulation::build(scene).expect("a scene");
    simulation.set_pool(Pool::new(threads).expect("threads"));
    for _ in 0..steps {
        assert!(!simulation.step(&NoClock).held);
    }
    simulation
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    for (integrator, solves) in [("euler", 1), ("bdf2", 2)] {
        let scene = archipelago(integrator, solves);
        let one = run(&scene, 1, 100);
        assert!(one.workspace().is_split());
        // The clips of some islands have let go, and the edits were made.
        assert!(one.events().len() > 4, "{:?}", one.events());
        for threads in [2, 8] {
            let many = run(&scene, threads, 100);
            assert_eq!(bits(one.world()), bits(many.world()), "{integrator}, {threads} threads");
            assert_eq!(one.events(), many.events());
        }
    }
}

/// A chain of two pendulums, and another one far away.
fn pendulums(which: &[usize]) -> Value {
    let (mut rods, mut constraints) = (Map::new(), Map::new());
    for &k in which {
        let (name, y) = (format!("rod-{k}"), 3.0 * k as f64);
        let shape = json!({"line": {"from": [0, y, 0], "to": [1.0 + k as f64, y, 0]}});
        rods.insert(
            name.clone(),
            json!({"shape": shape, "radius": 0.01, "young": 1e7, "density": 1000, "segments": 12}),
        );
        constraints.insert(format!("pin-{k}"), json!({"position": {"on": name, "at": "start"}}));
    }
    json!({"rod": Value::Object(rods), "constraint": Value::Object(constraints),
        "settings": {"duration": 1, "step": 0.002, "arithmetic": "portable"}})
}

#[test]
fn an_island_moves_as_if_it_were_alone() {
    let mut both = build(pendulums(&[0, 1]));
    let mut alone = [build(pendulums(&[0])), build(pendulums(&[1]))];
    for _ in 0..200 {
        both.step(&NoClock);
        alone.iter_mut().for_each(|one| assert!(!one.step(&NoClock).held));
    }
    assert!(both.workspace().is_split());
    for (k, one) in alone.iter().enumerate() {
        let name = format!("rod-{k}");
        for share in [0.0, 0.3, 1.0] {
            let (a, b) = (at(both.world(), &name, share), at(one.world(), &name, share));
            assert_eq!(a.to_array().map(f64::to_bits), b.to_array().map(f64::to_bits), "{name} at {share}");
        }
        // It has fallen.
        assert!(at(one.world(), &name, 1.0).z < -0.3);
    }
}

#[test]
fn if_one_island_cannot_be_stepped_nothing_moves() {
    let mut scene = pendulums(&[0, 1]);
    // Nothing is where these targets are in a millisecond.
    scene["constraint"]["pull"] = json!({"position": {"on": "rod-1", "at": "end",
        "target": {"keyframes": {"times": [0, 0.05, 0.051],
            "values": [[2, 3, 0], [2, 3, 0], [1e7, 3, 0]]}}}});
    let mut simulation = build(scene);
    let mut held = None;
    for _ in 0..60 {
        let before = bits(simulation.world());
        if simulation.step(&NoClock).held {
            assert_eq!(bits(simulation.world()), before);
            held = simulation.events().iter().find(|event| event.kind() == "held").cloned();
            break;
        }
    }
    let held = held.expect("the step is held, and an event says so").to_string();
    assert!(held.contains("rod-1") || held.contains("pull"), "{held}");
}

#[test]
fn equilibria_of_islands_are_those_of_each_alone() {
    let hanging = |which: &[usize]| {
        let mut scene = pendulums(which);
        scene["settings"]["mode"] = json!("static");
        build(scene)
    };
    let mut both = hanging(&[0, 1]);
    assert!(both.step(&NoClock).converged && both.workspace().is_split());
    for k in [0, 1] {
        let mut one = hanging(&[k]);
        assert!(one.step(&NoClock).converged);
        let name = format!("rod-{k}");
        let (a, b) = (at(both.world(), &name, 1.0), at(one.world(), &name, 1.0));
        assert_eq!(a.to_array().map(f64::to_bits), b.to_array().map(f64::to_bits));
    }
}
