//! Large rods: memory and work grow with the number of control points, and a million of them is no nonsense.

mod common;
#[path = "common/counting.rs"]
mod counting;

use common::scene;
use micado::clock::NoClock;
use micado::scene::Scene;
use micado::step::{StepParams, System, Workspace};
use micado::world::World;
use serde_json::json;

#[global_allocator]
static COUNTING: counting::Counting = counting::Counting;

/// A long damped cable that is held at both ends.
fn cable(segments: usize) -> Scene {
    let length = segments as f64 * 0.05;
    scene(json!({
        "rod": {"cable": {"radius": 0.005, "young": 1e8, "density": 1100, "segments": segments, "damping": {"internal": 0.001, "mass": 0.1},
                "shape": {"line": {"from": [0, 0, 0], "to": [length, 0, 0]}}}},
        "constraint": {"left": {"clamp": {"on": "cable", "at": "start"}}, "right": {"position": {"on": "cable", "at": "end"}}},
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
        assert!(!report.held && common::is_finite(&world));
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

#[test]
fn a_rod_of_a_million_control_points_builds_and_steps() {
    let before = counting::restart_peak();
    let mut world = World::build(&cable(999_997)).expect("a cable");
    let mut workspace = Workspace::new();
    let report = world.step(&StepParams::default(), &mut workspace, &NoClock);
    assert!(!report.held && report.residual < 1e-9, "{report:?}");
    // After one step from rest, far from the ends, everything falls freely but for the drag: v = g h to first order.
    let middle = world.velocity(&world.structure().objects[0], 25_000.0).expect("an object of this world");
    assert!((middle.z + 9.81 * 0.01).abs() < 1e-2 * 9.81 * 0.01, "{middle}");
    let bytes = (counting::peak() - before) as f64 / 1e6;
    assert!(bytes < 4096.0, "{bytes} bytes per control point");
}
