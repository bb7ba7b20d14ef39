//! Islands are stepped by themselves, on any number of threads, with the same bits.

use crate::common::{at, bits, bits_without_time, build, scene};
use micado::clock::NoClock;
use micado::contact::Deed;
use micado::run::Simulation;
use micado::scene::Scene;
use micado::step::Pool;
use serde_json::{Map, Value, json};

const ISLANDS: usize = 100;

/// A hundred islands: ropes in eyes with friction, with two pearls that meet, clips that open and catch, and
/// edits that join, separate and change islands.
fn archipelago(integrator: &str, solves: Value) -> Scene {
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
            1 => {
                hold(
                    "clip",
                    json!({"clip": {"on": name, "at": "80 %", "strength": {"any": 0.05 + 0.01 * k as f64},
                    "capture": 0.05}}),
                );
                // The rope falls into this one when the other has opened.
                hold("catch", json!({"clip": {"on": name, "target": [0.3, y, -0.6], "capture": 0.05}}))
            }
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
    let join = json!({"name": "join", "to": {"distance": {"on": "rope-3", "at": "50 %",
        "to": {"on": "rope-4", "at": "50 %"}}}});
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
    for (integrator, solves) in [("euler", json!("auto")), ("bdf2", json!("auto"))] {
        let scene = archipelago(integrator, solves.clone());
        let mut one = run(&scene, 1, 0);
        let mut push = 0.0_f64;
        for _ in 0..100 {
            assert!(!one.step(&NoClock).held);
            let contacts = one.world().state().contacts.iter();
            push = contacts.map(|contact| contact.forces[0]).fold(push, f64::max);
        }
        assert!(one.workspace().is_split());
        let count = |kind: &str| one.events().iter().filter(|event| event.kind() == kind).count();
        assert_eq!((count("action"), count("failed")), (4, 0), "{:?}", one.events());
        assert!(count("opened") > 0 && count("clipped") > 0, "{:?}", one.events());
        assert!(push > 0.0, "no pearls touch");
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

/// The bits of places on a rod.
fn bits_of(simulation: &Simulation, rod: &str) -> Vec<u64> {
    let places = [0.0, 0.3, 1.0].map(|share| at(simulation.world(), rod, share));
    places.iter().flat_map(glam::DVec3::to_array).map(f64::to_bits).collect()
}

#[test]
fn an_island_moves_as_if_it_were_alone() {
    for integrator in ["euler", "bdf2"] {
        let described = |which: &[usize]| {
            let mut scene = pendulums(which);
            scene["settings"]["integrator"] = json!(integrator);
            if which.contains(&2) {
                // More than a segment stretches by in one step.
                scene["constraint"]["jerk"] = json!({"position": {"on": "rod-2", "at": "end",
                    "target": {"keyframes": {"times": [0, 0.05, 0.052],
                        "values": [[3, 6, 0], [3, 6, 0], [3.15, 6, 0]]}}}});
            }
            build(scene)
        };
        let mut all = described(&[0, 1, 2]);
        let mut alone = [0, 1, 2].map(|k| described(&[k]));
        let mut retried = [0; 4];
        for _ in 0..200 {
            for (count, one) in retried.iter_mut().zip(alone.iter_mut().chain([&mut all])) {
                let report = one.step(&NoClock);
                assert!(!report.held);
                *count += usize::from(report.substeps > 1);
            }
        }
        assert!(all.workspace().is_split());
        assert!(retried[0] == 0 && retried[1] == 0 && retried[2] > 0, "{retried:?}");
        assert_eq!(retried[2], retried[3]);
        for (k, one) in alone.iter().enumerate() {
            let name = format!("rod-{k}");
            assert_eq!(bits_of(&all, &name), bits_of(one, &name), "{name}, {integrator}");
            // It has fallen.
            assert!(k == 2 || at(one.world(), &name, 1.0).z < -0.3);
        }
    }
}

/// Ropes, each in two clips, the weaker of which holds 2.0 N and more, under a force of 10 N.
fn ropes_in_clips(which: &[usize], force: &Value, mode: &str, integrator: &str) -> Simulation {
    let (mut rods, mut constraints, mut loads) = (Map::new(), Map::new(), Map::new());
    for &k in which {
        let (name, y) = (format!("rope-{k}"), 3.0 * k as f64);
        rods.insert(
            name.clone(),
            json!({"shape": {"line": {"from": [0, y, 0], "to": [1, y, 0]}}, "radius": 0.005, "young": 1e8,
                "density": 1100, "segments": 10, "damping": {"internal": 0.001}}),
        );
        constraints.insert(format!("pin-{k}"), json!({"position": {"on": name, "at": "start"}}));
        for (place, more) in [("50 %", 0.5), ("90 %", 0.0)] {
            constraints.insert(
                format!("clip-{k} at {place}"),
                json!({"clip": {"on": name, "at": place, "strength": {"any": 2.0 + 0.1 * k as f64 + more},
                    "reclip": false}}),
            );
        }
        loads.insert(format!("pull-{k}"), json!({"force": {"on": name, "at": "90 %", "force": force}}));
    }
    build(json!({"rod": rods, "constraint": constraints, "load": loads, "settings": {"mode": mode,
        "integrator": integrator, "step": 0.002, "duration": 0.2, "arithmetic": "portable"}}))
}

/// The clips that opened in a run of some steps: step, name, force and load.
fn opened(simulation: &mut Simulation, steps: usize) -> Vec<(usize, String, u64, u64)> {
    let mut found = Vec::new();
    for step in 1..=steps {
        assert!(!simulation.step(&NoClock).held);
        for event in simulation.workspace().hold_events() {
            let Deed::Opened(broke) = event.deed else { panic!("{event:?}") };
            let name = &simulation.world().structure().constraints[event.constraint].name;
            found.push((step, name.clone(), broke.force.to_bits(), broke.load.to_bits()));
        }
    }
    found
}

#[test]
fn clips_open_as_if_their_island_were_alone() {
    let sudden = json!([0, 0, -10]);
    let growing = json!({"ramp": {"to": [0, 0, -10], "start": 0, "end": 0.1}});
    for (mode, integrator) in [("dynamic", "euler"), ("dynamic", "bdf2"), ("static", "euler")] {
        for force in [&sudden, &growing] {
            let mut all = ropes_in_clips(&[0, 1, 2, 3, 4], force, mode, integrator);
            let together = opened(&mut all, 60);
            assert!(all.workspace().is_split());
            let first = together.iter().filter(|(step, ..)| *step == 1).count();
            assert_eq!(first, if force == &sudden { 5 } else { 0 }, "{mode}, {integrator}: {together:?}");
            let mut each = Vec::new();
            for k in 0..5 {
                let mut one = ropes_in_clips(&[k], force, mode, integrator);
                each.extend(opened(&mut one, 60));
                let name = format!("rope-{k}");
                assert_eq!(bits_of(&all, &name), bits_of(&one, &name), "{name}, {mode}, {integrator}");
            }
            // In the order of steps, then of constraints.
            each.sort_by(|a, b| (a.0, &a.1).cmp(&(b.0, &b.1)));
            assert_eq!(together, each, "{mode}, {integrator}");
        }
    }
}

#[test]
fn a_pool_of_absurdly_many_threads_is_an_error() {
    assert!(Pool::new(usize::MAX).is_err_and(|error| error.to_string().contains("at most 1024")));
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
        let before = bits_without_time(simulation.world());
        if simulation.step(&NoClock).held {
            assert_eq!(bits_without_time(simulation.world()), before);
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
