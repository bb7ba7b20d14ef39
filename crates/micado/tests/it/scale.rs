//! Large rods: memory and work grow with the number of control points, and a million of them is no nonsense.

use crate::common::{counting, scene};
use micado::clock::NoClock;
use micado::scene::Scene;
use micado::step::{StepParams, System, Workspace};
use micado::world::World;
use serde_json::json;

/// A long damped cable that is held at both ends.
fn cable(segments: usize) -> Scene {
    let length = segments as f64 * 0.05;
    scene(json!({
        "rod": {"cable": {"radius": 0.005, "young": 1e8, "density": 1100, "segments": segments,
            "damping": {"internal": 0.001, "mass": 0.1},
                "shape": {"line": {"from": [0, 0, 0], "to": [length, 0, 0]}}}},
        "constraint": {"left": {"clamp": {"on": "cable", "at": "start"}},
            "right": {"position": {"on": "cable", "at": "end"}}},
        "load": {"wind": {"drag": {"on": "cable", "coefficient": 0.01, "wind": [0, 1, 0]}}},
    }))
}

/// Peak of live bytes per control point during build and two steps.
fn bytes_per_control_point(segments: usize) -> f64 {
    let before = counting::restart_peak();
    let mut world = World::build(&cable(segments)).expect("a cable");
    let mut workspace = Workspace::new();
    for _ in 0..2 {
        let report = world.step(&StepParams::default(), &mut workspace, &NoClock);
        assert!(!report.held && crate::common::is_finite(&world));
    }
    (counting::peak() - before) as f64 / (segments + 3) as f64
}

#[test]
fn a_control_point_takes_less_than_four_kilobytes() {
    let bytes = bytes_per_control_point(200_000);
    assert!(bytes < 4096.0, "{bytes} bytes per control point");
}

#[test]
fn memory_per_control_point_does_not_grow() {
    let [small, large] = [5_000, 40_000].map(bytes_per_control_point);
    // Vectors that grow by doubling may be up to twice as large as they need to be.
    assert!(large < 1.2 * small, "{small} and {large} bytes");
}

#[test]
fn the_work_of_a_factorisation_is_proportional_to_the_number_of_control_points() {
    let work = |segments: usize| {
        let world = World::build(&cable(segments)).expect("a cable");
        System::new(world.structure(), world.state(), false).flops() as f64 / (segments + 3) as f64
    };
    let (least, more, most) = (work(1_000), work(10_000), work(100_000));
    // The ends, which differ, are 1e-3 of the shortest.
    assert!((more / least - 1.0).abs() < 1e-2 && (most / least - 1.0).abs() < 1e-2, "{least} {more} {most}");
}

/// Two rods side by side, joined by rigid rungs at all of their inner knots.
fn ladder(segments: usize) -> Scene {
    let rail = |y: f64| {
        json!({"radius": 0.005, "young": 1e8, "density": 1100, "segments": segments,
               "shape": {"line": {"from": [0, y, 0], "to": [segments as f64 * 0.05, y, 0]}}})
    };
    let rung = |i: usize| {
        let at = format!("{} %", 100.0 * i as f64 / segments as f64);
        (format!("rung {i}"), json!({"distance": {"on": "left", "at": at, "to": {"on": "right", "at": at}}}))
    };
    let rungs: serde_json::Map<String, serde_json::Value> = (1..segments).map(rung).collect();
    scene(json!({"rod": {"left": rail(0.0), "right": rail(0.3)}, "constraint": rungs}))
}

#[test]
fn single_rows_between_the_same_two_rods_share_nodes_of_four_and_far_ends_of_one_rod_do_not() {
    let system = |scene: &Scene| {
        let world = World::build(scene).expect("a scene");
        System::new(world.structure(), world.state(), false)
    };
    let rungs = system(&ladder(32));
    assert_eq!((rungs.multipliers(), rungs.dual_nodes()), (31, 8));
    // Six rows at the start, three at the end: joined, they would be carried along the whole cable.
    let ends = system(&cable(100));
    assert_eq!((ends.multipliers(), ends.dual_nodes()), (9, 3));
}

#[test]
fn rows_of_a_clamp_on_positions_meet_one_control_point_at_the_end_of_a_rod_and_those_on_its_frame_two() {
    let world = World::build(&cable(100)).expect("a cable");
    let system = System::new(world.structure(), world.state(), false);
    let met_by = |dual: u32| {
        (0..103).filter(|&node| system.matrix().row_nodes(node).contains(&dual)).collect::<Vec<_>>()
    };
    // A clamped spline begins at its first control point with the direction to the next. Dual nodes follow
    // 103 control points.
    assert_eq!((met_by(103), met_by(104)), (vec![0], vec![0, 1]));
}

#[test]
fn the_work_of_a_ladder_is_proportional_to_its_length() {
    let work = |segments: usize| {
        let world = World::build(&ladder(segments)).expect("a ladder");
        System::new(world.structure(), world.state(), false).flops() as f64 / segments as f64
    };
    let (short, long) = (work(64), work(256));
    // Less is done at the two ends: some ten segments of the shorter one. Rail after rail it would be four
    // times as much.
    assert!(long < 1.3 * short, "{short} and {long} operations per segment");
    // Rungs in nodes of their own, each with four rows, would cost 3e4 per segment in the best of the three
    // orders.
    assert!(long < 2e4, "{long} operations per segment");
}

#[test]
fn a_rod_of_a_million_control_points_builds_and_steps() {
    let before = counting::restart_peak();
    let mut world = World::build(&cable(999_997)).expect("a cable");
    let mut workspace = Workspace::new();
    let report = world.step(&StepParams::default(), &mut workspace, &NoClock);
    assert!(!report.held && report.residual < 1e-9, "{report:?}");
    // After one step from rest, far from the ends, everything falls freely but for the drag: v = g h to first
    // order.
    let middle = world.velocity(&world.structure().objects[0], 25_000.0).expect("an object of this world");
    assert!((middle.z + 9.81 * 0.01).abs() < 1e-2 * 9.81 * 0.01, "{middle}");
    let bytes = (counting::peak() - before) as f64 / 1e6;
    assert!(bytes < 4096.0, "{bytes} bytes per control point");
}
