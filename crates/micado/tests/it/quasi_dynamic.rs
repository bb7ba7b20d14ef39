//! Quasi-dynamic simulation: islands that switch between dynamic and quasi-static by what a pass costs.

use crate::common::happened;
use micado::clock::{CostModel, NoClock, VirtualClock};
use micado::run::{EventKind, Simulation};
use micado::scene::{Mode, Scene, Solves};
use serde_json::{Value, json};

/// A cost of every pass, s.
fn pass(cost: f64) -> CostModel {
    CostModel { per_pass: cost, per_operation: 0.0, per_segment: 0.0 }
}

fn scene(value: Value) -> Scene {
    let mut scene: Scene = serde_json::from_value(value).expect("a scene");
    scene.settings.mode = Mode::QuasiDynamic;
    scene
}

/// A cable of 1 m between a wall and a hand that carries its end slowly to and fro.
fn slow_hand() -> Value {
    json!({
        "rod": {"cable": {
            "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
            "radius": 0.004, "young": 2e7, "density": 1500, "segments": 20,
                "damping": {"internal": 0.01, "mass": 2.0},
        }},
        "constraint": {
            "wall": {"clamp": {"on": "cable", "at": "start"}},
            "hand": {"position": {"on": "cable", "at": "end",
                "target": {"harmonic": {"mean": [0.8, 0.0, 0.0], "amplitude": [0.0, 0.1, 0.05],
                "frequency": 0.05}}}},
        },
        "probe": [
            {"name": "hand", "of": "hand", "read": "force"},
            {"name": "wall", "of": "wall", "read": "force"},
        ],
        "settings": {"step": 0.01, "duration": 20.0, "settle": true},
    })
}

/// Steps with passes that cost what `cost` says of each step, and looks after each one.
fn run(scene: &Scene, cost: impl Fn(u64) -> f64, mut look: impl FnMut(&Simulation, usize)) -> Simulation {
    let mut simulation = Simulation::build(scene).expect("a simulation");
    while !simulation.finished() {
        let clock = VirtualClock::new(pass(cost(simulation.steps())));
        let report = simulation.step(&clock);
        assert!(!report.held && report.residual < 1e-9, "{report:?}");
        look(&simulation, report.still_objects);
    }
    simulation
}

#[test]
fn switch_does_not_disturb_a_slowly_moved_cable() {
    let scene = scene(slow_hand());
    // Passes are dear in two stretches of the run.
    let cost = |step: u64| if (500..1000).contains(&step) || step >= 1500 { 0.02 } else { 0.001 };
    let (mut modes, mut forces) = (Vec::new(), Vec::new());
    let simulation = run(&scene, cost, |simulation, still| {
        modes.push(still);
        forces.push(simulation.probe_values().to_vec());
    });
    let switches: Vec<usize> = (1..modes.len()).filter(|&k| modes[k] != modes[k - 1]).collect();
    assert_eq!(switches.len(), 3, "at {switches:?}");
    let reported: Vec<bool> = simulation
        .events()
        .iter()
        .filter_map(|event| match event.what {
            EventKind::Switch { quasi_static, .. } => Some(quasi_static),
            _ => None,
        })
        .collect();
    assert_eq!(reported, [true, false, true]);
    for &k in &switches {
        for probe in 0..2 {
            // The step of the switch, and the nine after it, against the one before.
            let before = forces[k - 1][probe];
            for after in &forces[k..k + 10] {
                let jump = (after[probe] - before).abs() / before;
                assert!(jump < 0.05, "the force of {probe} jumps by {:.1} % at step {k}", 100.0 * jump);
            }
        }
    }
}

#[test]
fn quasi_static_steps_follow_the_equilibria() {
    let quasi = scene(slow_hand());
    let mut still = quasi.clone();
    still.settings.mode = Mode::Static;
    let (mut path, mut exact) = (Vec::new(), Vec::new());
    run(&quasi, |_| 1.0, |simulation, _| path.push(simulation.probe_values()[0]));
    let mut simulation = Simulation::build(&still).expect("a simulation");
    while !simulation.finished() {
        simulation.step(&NoClock);
        exact.push(simulation.probe_values()[0]);
    }
    // One Newton step per 10 ms lags behind by what the mass-like term and the one solve leave.
    for (k, (a, b)) in path.iter().zip(&exact).enumerate().skip(20) {
        assert!((a - b).abs() < 2e-3 * b, "step {k}: {a} N instead of {b} N");
    }
}

#[test]
fn a_switch_to_dynamics_with_targets_at_rest_adds_no_energy() {
    // A cable that is let go in the middle of a search for its equilibrium.
    let scene = scene(json!({
        "rod": {"cable": {
            "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
            "radius": 0.004, "young": 2e7, "density": 1500, "segments": 20, "damping": {"internal": 0.01},
        }},
        "constraint": {"wall": {"clamp": {"on": "cable", "at": "start"}}},
        "settings": {"step": 0.01, "duration": 2.0},
    }));
    for length in [12, 13, 15, 20] {
        let mut simulation = Simulation::build(&scene).expect("a simulation");
        let mut energies = Vec::new();
        while !simulation.finished() {
            let dear = simulation.steps() < length;
            let report = simulation.step(&VirtualClock::new(pass(if dear { 1.0 } else { 0.0 })));
            assert!(!report.held);
            let energy = simulation.world().energy();
            energies.push((report.still_objects, energy.total(), energy.kinetic));
        }
        let switched = (1..energies.len()).find(|&k| energies[k].0 < energies[k - 1].0).expect("a switch");
        assert!(energies[..switched].iter().any(|step| step.0 == 1));
        let scale = energies.iter().map(|step| step.1.abs()).fold(0.0, f64::max);
        for k in switched..energies.len() {
            assert!(
                energies[k].1 <= energies[k - 1].1 + 1e-6 * scale,
                "step {k}: {:?} after {:?}",
                energies[k],
                energies[k - 1]
            );
        }
    }
}

#[test]
fn energy_of_a_switch_is_at_most_the_work_of_the_hand() {
    let mut scene = scene(slow_hand());
    // The balance of energy of implicit Euler is that of a step that is solved to its end.
    scene.settings.solves = Solves::Exactly(10);
    let cost = |step: u64| if (700..1500).contains(&step) { 0.001 } else { 0.02 };
    let (mut last, mut hand, mut gained) = (None, [0.8, 0.0, 0.0], Vec::new());
    run(&scene, cost, |simulation, still| {
        let world = simulation.world();
        let hand_index = world
            .structure()
            .constraints
            .iter()
            .position(|constraint| constraint.name == "hand")
            .expect("a hand");
        let force = world.constraint_force(hand_index).expect("its force").force;
        let at = simulation.time();
        let phase = (std::f64::consts::TAU * 0.05 * at).sin();
        let now = [0.8, 0.1 * phase, 0.05 * phase];
        let work: f64 = (0..3).map(|a| force[a] * (now[a] - hand[a])).sum();
        let energy = world.energy();
        // Without inertia, motion is no part of the balance.
        let stored = if still > 0 { energy.total() - energy.kinetic } else { energy.total() };
        if let Some((before, was_still)) = last {
            let gain: f64 = stored - before - work;
            gained.push((still, was_still, gain, energy.kinetic));
        }
        (last, hand) = (Some((stored, still)), now);
    });
    let switch = gained.iter().position(|step| step.0 < step.1).expect("a switch to dynamics");
    let (_, _, gain, kinetic) = gained[switch];
    // What it gains beyond the work of the hand in that step is the motion that the hand imposes, and no part
    // moves faster than the hand.
    let imposed = 0.5
        * 1500.0
        * std::f64::consts::PI
        * 0.004_f64.powi(2)
        * (0.11 * std::f64::consts::TAU * 0.05_f64).powi(2);
    assert!(
        gain <= kinetic && kinetic <= imposed,
        "gained {gain} J, in motion {kinetic} J, imposed {imposed} J"
    );
    assert!(gained.last().is_some_and(|step| step.0 == 1), "quasi-static again");
    for step in &gained[switch + 1..] {
        assert!(
            step.2 <= 1e-9,
            "a step gained {} J, quasi-static objects {} after {}",
            step.2,
            step.0,
            step.1
        );
    }
}

#[test]
fn free_island_stays_dynamic_at_any_cost() {
    let scene = scene(json!({
        "rod": {
            "free": {"shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "radius": 0.004, "young": 2e7,
                "density": 1500, "segments": 8},
            "held": {"shape": {"line": {"from": [0, 1, 0], "to": [0, 1, -1]}}, "radius": 0.004, "young": 2e7,
                "density": 1500, "segments": 8},
        },
        "constraint": {"wall": {"clamp": {"on": "held", "at": "start"}}},
        "probe": [{"name": "z", "of": "free", "at": "50 %", "read": "position", "component": "z"}],
        "settings": {"step": 0.01, "duration": 1.0},
    }));
    let simulation = run(
        &scene,
        |_| 1.0,
        |simulation, still| {
            if simulation.steps() > 1 {
                assert_eq!(still, 1, "the held one alone is quasi-static");
            }
        },
    );
    // Implicit Euler falls by g t (t + h)/2.
    let fallen = -9.81 * 1.0 * 1.01 / 2.0;
    assert!((simulation.probe_values()[0] - fallen).abs() < 1e-9, "{}", simulation.probe_values()[0]);
}

#[test]
fn a_structure_that_only_tension_holds_may_be_static() {
    let scene = scene(json!({
        "rod": {"string": {"shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "radius": 0.001,
            "young": 1e9, "density": 1500, "segments": 12}},
        "mass": {"weight": {"position": [0.5, 0.0, -0.3], "mass": 0.2}},
        "constraint": {
            "a": {"position": {"on": "string", "at": "start"}},
            "b": {"position": {"on": "string", "at": "end", "target": [0.99, 0, 0]}},
            "roll": {"roll": {"on": "string", "at": "start"}},
            "link": {"distance": {"on": "string", "at": "50 %", "to": {"on": "weight"}, "distance": 0.3}},
        },
        "settings": {"step": 0.01, "duration": 1.0, "settle": true},
    }));
    let mut last = 0;
    run(&scene, |_| 1.0, |_, still| last = still);
    assert_eq!(last, 2, "string and weight are quasi-static");
}

#[test]
fn the_step_follows_the_free_length() {
    let mut value = slow_hand();
    value["constraint"]["middle"] = json!({"position": {"on": "cable", "at": 0.4}});
    let mut scene = scene(value);
    scene.settings.duration = 0.2;
    for (exponent, parts) in [(0.0, 1), (1.0, 2), (2.0, 4)] {
        scene.settings.quasi.exponent = exponent;
        let mut simulation = Simulation::build(&scene).expect("a simulation");
        let report = simulation.step(&NoClock);
        assert_eq!(report.parts, parts, "0.6 m of 1 m are free; exponent {exponent}");
    }
}

#[test]
fn same_costs_give_the_same_bits_also_after_a_snapshot() {
    let mut scene = scene(slow_hand());
    scene.settings.duration = 6.0;
    let cost = |step: u64| 0.0095 * (1.0 + 0.3 * (step as f64 / 40.0).sin());
    let whole = run(&scene, cost, |_, _| {});
    assert!(happened!(whole, Switch));
    let mut half = Simulation::build(&scene).expect("a simulation");
    while half.steps() < 300 {
        half.step(&VirtualClock::new(pass(cost(half.steps()))));
    }
    let (mut rest, _) = Simulation::restore(&half.snapshot(&scene)).expect("a snapshot");
    while !rest.finished() {
        rest.step(&VirtualClock::new(pass(cost(rest.steps()))));
    }
    assert!(rest.world().state() == whole.world().state(), "the states differ");
    assert_eq!(rest.events(), whole.events());
}

#[test]
fn quasi_dynamic_steps_without_cost_are_dynamic() {
    let mut quasi = scene(slow_hand());
    (quasi.settings.duration, quasi.settings.quasi.exponent) = (2.0, 0.0);
    let mut dynamic = quasi.clone();
    dynamic.settings.mode = Mode::Dynamic;
    let [a, b] = [quasi, dynamic].map(|scene| run(&scene, |_| 0.0, |_, still| assert_eq!(still, 0)));
    assert!(
        a.world().state().q == b.world().state().q && a.world().state().v == b.world().state().v,
        "the states differ"
    );
}

#[test]
fn a_scene_that_can_not_be_quasi_dynamic_is_refused() {
    let mut value = slow_hand();
    value["rod"]["cable"]["model"] = json!("discrete-elastic");
    value["rod"]["cable"].as_object_mut().expect("a rod").remove("damping");
    value["settings"]["integrator"] = json!("explicit");
    let error = Simulation::build(&scene(value)).expect_err("explicit steps");
    assert!(error.to_string().contains("settings.mode"), "{error}");
    for (field, bad) in
        [("exponent", json!(-1.0)), ("least_step", json!(0.0)), ("cost", json!({"per_pass": -1.0}))]
    {
        let mut value = slow_hand();
        value["settings"]["quasi"] = json!({field: bad});
        let error = Simulation::build(&scene(value)).expect_err("nonsense");
        assert!(error.to_string().contains(&format!("settings.quasi.{field}")), "{error}");
    }
}
