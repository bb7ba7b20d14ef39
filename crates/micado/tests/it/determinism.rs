//! The same scene gives the same bits, in two runs and from a snapshot; a damaged snapshot is an error.

use crate::common::{bits, build, scene};
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Edit;
use micado::scene::{Integrator, Scene};
use micado::step::{StaticParams, StepParams, Workspace};
use micado::world::World;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::{Value, json};
use std::sync::LazyLock;

/// Everything that has memory: BDF2, viscosity, springs with frames, own unknowns, actions and a retried
/// step.
fn busy(integrator: &str, solves: Value, arithmetic: &str) -> Scene {
    scene(json!({
        "rod": {
            "rope": {"radius": 0.004, "young": 2e7, "density": 1100, "segments": 14,
                "damping": {"internal": 0.002, "mass": 0.5},
                     "shape": {"slack": {"from": [0, 0, 0], "to": [0.7, 0, 0], "length": 0.9}}},
            "strip": {"section": {"rectangle": {"a": 0.01, "b": 0.003}}, "young": 1e8, "density": 900,
                "segments": 9, "damping": {"internal": 0.001},
                      "twist": 0.4, "natural": {"curved": {"curvature_1": 0.5, "twist": 0.1}},
                          "shape": {"line": {"from": [0, 1, 0], "to": [0.5, 1, 0.2]}}},
            "ring": {"radius": 0.003, "young": 5e7, "density": 1200, "segments": 11, "twist": 1.0,
                "shape": {"ring": {"centre": [0, 2, 0], "radius": 0.2}}},
        },
        "mass": {"m": {"position": [0.3, 0.5, 0.2], "mass": 0.05, "velocity": [0.1, 0, 0.3]}},
        "constraint": {
            "a": {"position": {"on": "rope", "at": "start",
                "displacement": {"harmonic": {"amplitude": [0, 0.02, 0.05], "frequency": 2}}}},
            "b": {"trajectory": {"on": "rope", "at": "end",
                "path": {"helix": {"centre": [0.5, 0, 0], "radius": 0.2, "pitch": 0.2, "turns": 2}}}},
            "c": {"clamp": {"on": "strip", "at": "start", "roll": {"ramp": {"to": 3.0, "end": 0.5}}}},
            "d": {"distance": {"on": "m", "centre": [0, 0.5, 0]}},
            "e": {"circle": {"on": "ring", "at": "20 %", "centre": [0, 2, 0], "normal": [0, 0, 1]}},
            "f": {"plane": {"on": "ring", "at": "70 %", "normal": [0, 0, 1]}},
        },
        "spring": {
            "l": {"linear": {"from": {"mass": "m"}, "to": {"rod": {"on": "rope", "at": "33 %"}},
                "stiffness": 3, "damping": 0.01}},
            "t": {"torsional": {"from": {"rod": {"on": "strip", "at": "end"}},
                "to": {"rod": {"on": "ring", "at": "10 %"}}, "stiffness": 0.01, "damping": 1e-4}},
        },
        "load": {"w": {"drag": {"on": "rope", "coefficient": 0.05,
            "wind": {"harmonic": {"amplitude": [0, 2, 0], "frequency": 1}}}},
                 "n": {"moment": {"on": "strip", "at": "end", "moment": [0, 0.001, 0.002]}}},
        "settings": {"integrator": integrator, "solves": solves, "duration": 0.6, "arithmetic": arithmetic},
        "probe": [{"name": "z", "of": "rope", "at": "50 %", "read": "position", "component": "z"}],
        "action": [{"at": 0.15, "do": {"release": "f"}}, {"at": 0.35, "do": {"gravity": [0, 1, -5]}}],
    }))
}

/// Bits after each of `steps` steps.
fn history(simulation: &mut Simulation, steps: usize) -> Vec<Vec<u8>> {
    (0..steps)
        .map(|_| {
            simulation.step(&NoClock);
            bits(simulation.world())
        })
        .collect()
}

#[test]
fn two_runs_give_the_same_bits() {
    for (integrator, solves) in [("euler", json!(1)), ("euler", json!("auto")), ("bdf2", json!("auto"))] {
        for arithmetic in ["fast", "portable"] {
            let description = busy(integrator, solves.clone(), arithmetic);
            let run = || history(&mut Simulation::build(&description).expect("a busy scene"), 40);
            assert!(run() == run(), "{integrator}, {solves}, {arithmetic}");
        }
    }
}

#[test]
fn restored_snapshot_continues_with_the_same_bits() {
    for (integrator, solves) in [("euler", json!(1)), ("euler", json!("auto")), ("bdf2", json!("auto"))] {
        let description = busy(integrator, solves.clone(), "fast");
        let mut simulation = Simulation::build(&description).expect("a busy scene");
        for _ in 0..4 {
            // Before and after each of the two actions.
            let bytes = simulation.snapshot(&description);
            let (mut restored, again) = Simulation::restore(&bytes).expect("an undamaged snapshot");
            assert_eq!(again, description);
            assert_eq!(bits(restored.world()), bits(simulation.world()));
            assert_eq!(restored.world().structure(), simulation.world().structure());
            assert_eq!(restored.probe_values(), simulation.probe_values());
            assert!(
                restored.snapshot(&description) == bytes,
                "a snapshot of a restored run is that snapshot"
            );
            assert!(history(&mut restored, 12) == history(&mut simulation, 12), "{integrator}, {solves}");
            assert_eq!(restored.events(), simulation.events());
        }
    }
}

#[test]
fn snapshot_keeps_the_effects_of_edits() {
    let description = busy("bdf2", json!("auto"), "fast");
    let mut simulation = Simulation::build(&description).expect("a busy scene");
    history(&mut simulation, 5);
    let edits: [Value; 8] = [
        json!({"add-rod": {"name": "new",
            "to": {"radius": 0.002, "young": 1e8, "density": 1000, "segments": 5,
            "shape": {"line": {"from": [0, 3, 0], "to": [0.3, 3, 0]}}}}}),
        json!({"add-mass": {"name": "bob", "to": {"position": [0, 3.2, 0], "mass": 0.01}}}),
        json!({"add-constraint": {"name": "hold", "to": {"clamp": {"on": "new", "at": "start"}}}}),
        json!({"add-constraint": {"name": "mid",
            "to": {"roll": {"on": "rope", "at": "41 %",
            "angle": {"ramp": {"to": 1, "start": 0.1, "end": 0.4}}}}}}),
        json!({"change-constraint": {"name": "d",
            "to": {"distance": {"on": "m", "centre": [0.1, 0.5, 0],
            "distance": {"ramp": {"from": 0.4, "to": 0.3, "end": 1}}}}}}),
        json!({"add-spring": {"name": "tie",
            "to": {"linear": {"from": {"mass": "bob"}, "to": {"rod": {"on": "new", "at": "end"}},
            "stiffness": 2}}}}),
        json!({"add-load": {"name": "push",
            "to": {"distributed": {"on": "new", "force": [0, 0, 0.01], "from": "20 %"}}}}),
        json!({"remove-spring": "l"}),
    ];
    for edit in edits {
        let edit: Edit = serde_json::from_value(edit).expect("an edit");
        simulation.world_mut().apply(&edit).expect("it can be applied");
        let (mut restored, _) =
            Simulation::restore(&simulation.snapshot(&description)).expect("an undamaged snapshot");
        assert_eq!(restored.world().structure(), simulation.world().structure(), "{edit}");
        assert!(history(&mut restored, 3) == history(&mut simulation, 3), "{edit}");
    }
}

#[test]
fn a_static_run_restores_too() {
    let description = scene(json!({
        "rod": {"rod": {"radius": 0.004, "young": 2e7, "density": 1100, "segments": 12}},
        "constraint": {"a": {"clamp": {"on": "rod", "at": "start"}},
            "b": {"position": {"on": "rod", "at": "end",
            "displacement": {"ramp": {"to": [-0.4, 0, 0.1], "end": 1}}}}},
        "settings": {"mode": "static", "duration": 1, "step": 0.1},
    }));
    let mut simulation = Simulation::build(&description).expect("a bent rod");
    history(&mut simulation, 3);
    let (mut restored, _) =
        Simulation::restore(&simulation.snapshot(&description)).expect("an undamaged snapshot");
    assert!(history(&mut restored, 5) == history(&mut simulation, 5));
}

#[test]
fn portable_arithmetic_is_close_to_the_fast_one() {
    let run = |arithmetic: &str| {
        let mut simulation =
            Simulation::build(&busy("euler", json!("auto"), arithmetic)).expect("a busy scene");
        history(&mut simulation, 20);
        simulation.world().state().q.clone()
    };
    let (fast, portable) = (run("fast"), run("portable"));
    let apart = fast.iter().zip(&portable).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // Rounding of 1e-16 grows by the condition of the steps; 20 of them stay regular motion.
    assert!(apart < 1e-8, "{apart:e}");
}

static BYTES: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let description = busy("bdf2", json!("auto"), "fast");
    let mut simulation = Simulation::build(&description).expect("a busy scene");
    history(&mut simulation, 6);
    simulation.snapshot(&description)
});

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 256,
        rng_seed: RngSeed::Fixed(20),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn a_truncated_snapshot_is_an_error(share in 0.0..1.0_f64) {
        let length = (share * BYTES.len() as f64) as usize;
        prop_assert!(Simulation::restore(&BYTES[..length]).is_err());
    }

    #[test]
    fn a_snapshot_with_flipped_bits_is_an_error(
        flips in prop::collection::vec((0.0..1.0_f64, 0..8_u8), 1..4)
    ) {
        let mut damaged = BYTES.clone();
        for (share, bit) in flips {
            let byte = (share * damaged.len() as f64) as usize;
            damaged[byte] ^= 1 << bit;
        }
        prop_assume!(damaged != *BYTES);
        prop_assert!(Simulation::restore(&damaged).is_err());
    }

    #[test]
    fn bytes_that_are_no_snapshot_are_an_error(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(Simulation::restore(&bytes).is_err());
        let mut with_head = BYTES[..16].to_vec();
        with_head.extend(&bytes);
        prop_assert!(Simulation::restore(&with_head).is_err());
    }
}

#[test]
fn snapshot_with_trailing_bytes_is_an_error() {
    let mut longer = BYTES.clone();
    longer.push(0);
    assert!(Simulation::restore(&longer).is_err());
}

#[test]
fn clones_are_independent() {
    let mut simulation = build(json!({
        "rod": {"rod": {"radius": 0.004, "young": 2e7, "density": 1100}},
        "constraint": {"a": {"clamp": {"on": "rod", "at": "start"}}},
    }));
    history(&mut simulation, 3);
    let before = bits(simulation.world());
    let mut clone = simulation.clone();
    history(&mut clone, 3);
    assert_eq!(bits(simulation.world()), before);
    assert_ne!(bits(clone.world()), before);
}

#[test]
fn a_constraint_that_becomes_another_kind_at_its_place_needs_no_other_workspace() {
    // A plane and a roll have one row at the same control points; a workspace of the plane must not pass for
    // one of the roll.
    let description = scene(json!({
        "rod": {"rope": {"radius": 0.01, "young": 1e7, "density": 1100, "segments": 8,
                         "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}}},
        "constraint": {"a": {"clamp": {"on": "rope", "at": "start"}},
            "c": {"plane": {"on": "rope", "at": "50 %", "normal": [0, 0, 1]}}},
    }));
    let edit: Edit = serde_json::from_value(json!({"change-constraint": {"name": "c",
            "to": {"roll": {"on": "rope", "at": "50 %", "angle": {"ramp": {"to": 1.0, "end": 1.0}}}}}}))
    .expect("an edit");
    let mut world = World::build(&description).expect("a rope");
    let mut used = Workspace::new();
    world.step(&StepParams::default(), &mut used, &NoClock);
    world.apply(&edit).expect("a roll");
    let mut other = world.clone();
    let report = world.step(&StepParams::default(), &mut used, &NoClock);
    other.step(&StepParams::default(), &mut Workspace::new(), &NoClock);
    assert_eq!(report.conflicting_rows, 0);
    assert_eq!(bits(&world), bits(&other));
}

/// A cantilever of a mass per length, kg/m, that bends by its weight.
fn cantilever(mass: f64, integrator: &str) -> Value {
    json!({
        "rod": {"beam": {"model": "discrete-elastic", "segments": 8, "radius": 0.01, "mass_per_length": mass,
            "stiffness": {"stretch": 1e5, "bend": 50, "twist": 50},
            "inextensible": integrator == "explicit"}},
        "constraint": {"wall": {"clamp": {"on": "beam", "at": "start"}}},
        "settings": {"integrator": integrator},
    })
}

/// A way to advance a world.
type Advance = fn(&mut World, &mut Workspace);

fn step_by_euler(world: &mut World, workspace: &mut Workspace) {
    assert!(!world.step(&StepParams { step: 1e-3, ..StepParams::default() }, workspace, &NoClock).held);
}

fn step_explicitly(world: &mut World, workspace: &mut Workspace) {
    let params = StepParams { step: 1e-3, integrator: Integrator::Explicit, ..StepParams::default() };
    assert!(!world.step(&params, workspace, &NoClock).held);
}

fn find_equilibrium(world: &mut World, workspace: &mut Workspace) {
    assert!(world.equilibrate(0.0, &StaticParams::default(), workspace, &NoClock).converged);
}

#[test]
fn a_workspace_forgets_the_masses_of_another_world() {
    let ways: [(&str, Advance); 3] =
        [("euler", step_by_euler), ("euler", find_equilibrium), ("explicit", step_explicitly)];
    for (integrator, advance) in ways {
        let [light, heavy] = [1.0, 100.0]
            .map(|mass| World::build(&scene(cantilever(mass, integrator))).expect("a cantilever"));
        let run = |workspace: &mut Workspace, world: &World| {
            let mut world = world.clone();
            (0..3).for_each(|_| advance(&mut world, workspace));
            bits(&world)
        };
        let mut reused = Workspace::new();
        let first = run(&mut reused, &light);
        assert_ne!(first, run(&mut Workspace::new(), &heavy), "the mass matters");
        assert_eq!(run(&mut reused, &heavy), run(&mut Workspace::new(), &heavy), "{integrator}");
        assert_eq!(run(&mut reused, &light), first, "{integrator}");
    }
}

#[test]
fn a_workspace_forgets_the_mass_that_a_pearl_had_before_an_edit() {
    for advance in [step_by_euler as Advance, find_equilibrium] {
        let pearl = |mass: f64| json!({"pearl": {"on": "rope", "at": "30 %", "mass": mass, "friction": 0.3}});
        let mut world = World::build(&scene(json!({
            "rod": {"rope": {"shape": {"slack": {"from": [0, 0, 0], "to": [1, 0, 0], "length": 1.2}},
                "radius": 0.004, "young": 1e8, "density": 1100, "segments": 10}},
            "constraint": {"a": {"position": {"on": "rope", "at": "start"}},
                "b": {"position": {"on": "rope", "at": "end"}}, "pearl": pearl(0.01)},
        })))
        .expect("a pearl on a rope");
        let mut reused = Workspace::new();
        advance(&mut world, &mut reused);
        let edit = json!({"change-constraint": {"name": "pearl", "to": pearl(2.0)}});
        world.apply(&serde_json::from_value(edit).expect("an edit")).expect("it is there");
        let mut other = world.clone();
        advance(&mut world, &mut reused);
        advance(&mut other, &mut Workspace::new());
        assert_eq!(bits(&world), bits(&other));
    }
}
