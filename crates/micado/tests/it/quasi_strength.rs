//! Quasi-static islands: strengths are compared with forces of equilibria, and velocities are rates of
//! positions.

use crate::common::{force, happened, probe};
use micado::clock::{CostModel, NoClock, VirtualClock};
use micado::run::{EventKind, Simulation};
use micado::scene::{Mode, Scene};
use micado::step::{StepParams, Workspace};
use micado::world::World;
use serde_json::{Value, json};

/// Passes of this cost, s.
fn passes(cost: f64) -> VirtualClock {
    VirtualClock::new(CostModel { per_pass: cost, per_operation: 0.0, per_segment: 0.0 })
}

fn scene(value: &Value, mode: Mode) -> Scene {
    let mut scene: Scene = serde_json::from_value(value.clone()).expect("a scene");
    scene.settings.mode = mode;
    scene
}

/// A cable of 2.5 m between a hook and a clip that are 2 m apart. It begins out of equilibrium, and falls.
fn falling_cable(strength: f64) -> Value {
    json!({
        "settings": {"duration": 3, "step": 0.01},
        "rod": {"cable": {
            "shape": {"slack": {"from": [-1, 0, 0], "to": [1, 0, 0], "length": 2.5, "sag": [0, 1, 0.4]}},
            "radius": 0.006, "young": 5e6, "density": 1100, "damping": {"mass": 30},
        }},
        "constraint": {
            "hook": {"position": {"on": "cable", "at": "start"}},
            "clip": {"clip": {"on": "cable", "at": "end", "strength": strength, "direction": [1, 0, 0],
                "reclip": false}},
        },
        "probe": [{"name": "f", "of": "clip", "read": "force"}],
    })
}

/// Force of the clip at rest, N.
fn static_force() -> f64 {
    let mut simulation = Simulation::build(&scene(&falling_cable(8.0), Mode::Static)).expect("a simulation");
    assert!(simulation.step(&NoClock).converged);
    probe(&simulation, "f")
}

#[test]
fn search_for_equilibrium_breaks_no_clip() {
    let rest = static_force();
    let mut simulation =
        Simulation::build(&scene(&falling_cable(8.0), Mode::QuasiDynamic)).expect("a simulation");
    let mut was_still = false;
    while !simulation.finished() {
        let report = simulation.step(&passes(0.02));
        assert!(!report.held && report.broke.is_none(), "{report:?}");
        was_still |= report.still_objects > 0;
    }
    assert!(was_still && !happened!(simulation, Opened));
    let found = probe(&simulation, "f");
    // The search ends at the equilibrium: 1.83 N. With one Newton step per 10 ms it has ended after a second.
    assert!((found - rest).abs() < 1e-4 * rest && (rest - 1.83).abs() < 0.01, "{found} N, at rest {rest} N");
}

#[test]
fn clip_opens_at_the_force_of_the_equilibrium() {
    let rest = static_force();
    for (strength, opens) in [(1.02 * rest, false), (0.98 * rest, true)] {
        let mut simulation =
            Simulation::build(&scene(&falling_cable(strength), Mode::QuasiDynamic)).expect("a simulation");
        let mut broke = None;
        while !simulation.finished() && broke.is_none() {
            // Passes are expensive from the start: the cable is quasi-static after the first step.
            broke = simulation.step(&passes(0.02)).broke;
        }
        assert_eq!(broke.is_some(), opens, "strength {strength} N");
        if let Some(broke) = broke {
            // Forces of an equilibrium are known to a thousandth. The clip gives way when the force has grown
            // to its strength.
            let needed = broke.load * strength;
            assert!((needed - rest).abs() < 3e-3 * rest, "{needed} N, at rest {rest} N");
            assert!((broke.force - strength).abs() < 1e-9 * strength, "{} N", broke.force);
            assert!(happened!(simulation, Opened));
        }
    }
}

/// A cable whose end is carried to and fro, slowly.
fn carried_cable() -> Value {
    json!({
        "settings": {"duration": 4, "step": 0.005},
        "rod": {"cable": {
            "shape": {"slack": {"from": [0, 0, 0], "to": [1, 0, 0], "length": 1.2}},
            "radius": 0.004, "young": 5e7, "density": 1500, "segments": 18,
            "damping": {"internal": 0.005, "mass": 2},
        }},
        "constraint": {
            "a": {"clamp": {"on": "cable", "at": "start"}},
            "b": {"clamp": {"on": "cable", "at": "end",
                "displacement": {"harmonic": {"amplitude": [0, 0.1, 0], "frequency": 0.5}}}},
        },
        "probe": [
            {"name": "y", "of": "cable", "at": "25 %", "read": "position", "component": "y"},
            {"name": "v", "of": "cable", "at": "25 %", "read": "velocity", "component": "y"},
        ],
    })
}

#[test]
fn velocity_of_a_quasi_static_cable_is_the_rate_of_its_position() {
    for integrator in ["euler", "bdf2"] {
        let mut description = carried_cable();
        description["settings"]["integrator"] = json!(integrator);
        let mut simulation =
            Simulation::build(&scene(&description, Mode::QuasiDynamic)).expect("a simulation");
        let (mut last, mut fastest, mut count) = (probe(&simulation, "y"), 0.0_f64, 0);
        while !simulation.finished() {
            // Quasi-static from 1.5 s to 2.5 s.
            let dear = (300..500).contains(&simulation.steps());
            let report = simulation.step(&passes(if dear { 0.02 } else { 0.0 }));
            let (y, v) = (probe(&simulation, "y"), probe(&simulation, "v"));
            if report.still_objects > 0 {
                // Rounding of positions over the step.
                assert!((v - (y - last) / 0.005).abs() < 1e-12, "{v} m/s for {} m/s", (y - last) / 0.005);
                count += 1;
                // The first passes jump to the equilibrium.
                fastest = fastest.max(if count > 10 { v.abs() } else { 0.0 });
            }
            last = y;
        }
        // At a quarter of its length the cable moves at a share of the hand's 0.1 m · 2π 0.5 1/s.
        assert!(count > 150 && fastest > 0.02 && fastest < 0.314, "{count} steps, {fastest} m/s");
    }
}

#[test]
fn switch_of_a_carried_cable_is_smooth_in_velocity_and_energy() {
    let mut simulation =
        Simulation::build(&scene(&carried_cable(), Mode::QuasiDynamic)).expect("a simulation");
    let mut steps = Vec::new();
    while !simulation.finished() {
        // The switch back is at about 3 s, where the hand is fastest.
        let dear = (300..590).contains(&simulation.steps());
        let report = simulation.step(&passes(if dear { 0.02 } else { 0.0 }));
        let energy = simulation.world().energy();
        steps.push((report.still_objects, probe(&simulation, "v"), energy.total(), energy.kinetic));
    }
    let back = (1..steps.len()).find(|&k| steps[k].0 < steps[k - 1].0).expect("a switch to dynamics");
    let [before, after] = [steps[back - 1], steps[back]];
    // The velocity at the start of the dynamic step is that of the equilibria, and inertia changes it within
    // the step by the acceleration that statics neglects: (2π 0.5/s)² 0.1 m · 5 ms = 5 mm/s for the hand.
    assert!((after.1 - before.1).abs() < 5e-3, "{} m/s became {} m/s", before.1, after.1);
    // Dynamics begins with the energy of statics: the dissipation of the step and the effect of inertia are
    // shares of the kinetic energy.
    assert!(
        (after.2 - before.2).abs() < 0.05 * before.3,
        "{} J, {} J in motion",
        after.2 - before.2,
        before.3
    );
    assert!((after.3 / before.3 - 1.0).abs() < 0.05, "{} J in motion became {} J", before.3, after.3);
}

#[test]
fn rate_of_a_search_is_no_momentum_in_a_dynamic_step() {
    let scene = scene(&falling_cable(1e3), Mode::QuasiDynamic);
    let mut world = World::build(&scene).expect("a world");
    let (params, mut workspace) = (StepParams::from(&scene.settings), Workspace::new());
    for _ in 0..12 {
        world.step_quasi_dynamically(&params, &scene.settings.quasi, &mut workspace, &passes(0.02));
    }
    let energy = world.energy();
    assert!(world.state().paces.still() == 1 && energy.kinetic > 1e-3, "it is searching: {energy:?}");
    let (position, moved) = (energy.total() - energy.kinetic, energy.kinetic);
    assert!(!world.step(&params, &mut workspace, &NoClock).held);
    let after = world.energy();
    // Nothing moves its ends, so the first dynamic step has the energy of its position at most.
    assert!(after.total() <= position + 1e-9 * moved, "{} J from {position} J", after.total());
    assert_eq!(world.state().paces.still(), 0);
}

#[test]
fn dynamic_islands_take_as_many_passes_beside_quasi_static_ones_as_alone() {
    // A steel wire that swings from its start needs a prediction; a held cable beside it is quasi-static.
    let wire = json!({"shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "radius": 0.002,
        "young": 2e11, "density": 7800, "segments": 12});
    let alone = json!({
        "settings": {"step": 0.01, "duration": 0.3, "quasi": {"exponent": 0}},
        "rod": {"wire": wire},
        "constraint": {"pin": {"position": {"on": "wire", "at": "start"}},
            "pearl": {"pearl": {"on": "wire", "at": "50 %", "mass": 0.01, "viscosity": 1}}},
        "probe": [{"name": "z", "of": "wire", "at": "end", "read": "position", "component": "z"}],
    });
    let mut beside = alone.clone();
    beside["rod"]["cable"] = json!({"shape": {"line": {"from": [0, 1, 0], "to": [0, 1, -1]}}, "radius": 0.004,
        "young": 2e7, "density": 1500, "segments": 8});
    beside["constraint"]["wall"] = json!({"clamp": {"on": "cable", "at": "start"}});
    let run = |description: &Value, mode: Mode, cost: f64, still: usize| {
        let mut simulation = Simulation::build(&scene(description, mode)).expect("a simulation");
        let mut most = 0;
        while !simulation.finished() {
            let report = simulation.step(&passes(cost));
            assert!(!report.held);
            most = most.max(report.still_objects);
        }
        assert_eq!(most, still);
        probe(&simulation, "z")
    };
    // A wire with a pearl is always dynamic, and moves with the same bits.
    assert_eq!(run(&alone, Mode::Dynamic, 0.0, 0), run(&beside, Mode::QuasiDynamic, 1.0, 1));
}

#[test]
fn slack_ropes_return_to_dynamics_when_a_pass_is_cheap_enough() {
    // Ropes that fall into their equilibrium are slowed down there: a search costs several passes a step.
    let ropes: serde_json::Map<String, Value> = (0..4)
        .map(|k| {
            let y = 0.2 * f64::from(k);
            let shape =
                json!({"slack": {"from": [0, y, 0], "to": [1, y, 0], "length": 1.6, "sag": [0, 1, 0.3]}});
            (format!("rope-{k}"), json!({"shape": shape, "radius": 0.004, "young": 1e7, "density": 1200}))
        })
        .collect();
    let ends: serde_json::Map<String, Value> = ropes
        .keys()
        .flat_map(|name| {
            ["start", "end"].map(|at| (format!("{name}-{at}"), json!({"position": {"on": name, "at": at}})))
        })
        .collect();
    let description = json!({
        "settings": {"step": 0.01, "duration": 1, "quasi": {"exponent": 0}},
        "rod": ropes, "constraint": ends,
    });
    let mut simulation = Simulation::build(&scene(&description, Mode::QuasiDynamic)).expect("a simulation");
    let mut modes = Vec::new();
    while !simulation.finished() {
        // Four ropes cost 12 ms a step at first, and 6 ms from the fifth step on: enough for 10 ms.
        let cost = if simulation.steps() < 5 { 3e-3 } else { 1.5e-3 };
        modes.push(simulation.step(&passes(cost)).still_objects);
    }
    assert!(modes.contains(&4), "they were quasi-static: {modes:?}");
    assert_eq!(modes.last(), Some(&0), "{modes:?}");
    let switches = simulation.events().iter().filter(|event| matches!(event.what, EventKind::Switch { .. }));
    // Each rope once to and fro.
    assert_eq!(switches.count(), 8);
    assert!(force(simulation.world(), "rope-0-end").force.is_finite());
}
