//! A custom law, a custom constraint and a custom force in one scene.
//!
//! A motor torque turns a pinion. The pinion drives a rack. A clutch holds the rack until the force exceeds
//! its strength, and a spring behind it yields. Run it with `cargo run --release --example custom`.

#![expect(clippy::print_stdout, reason = "an example prints its results")]

mod kinds;

use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Scene;

const SCENE: &str = r#"{
    "settings": { "gravity": [0, 0, 0], "step": 0.005, "duration": 2 },
    "body": {
        "pinion": {
            "position": [0, 0, 0], "shape": { "cylinder": { "radius": 0.1, "length": 0.05 } }, "mass": 4 },
        "rack": { "position": [0, -0.1, 0], "shape": { "box": { "size": [1, 0.04, 0.04] } }, "mass": 3 }
    },
    "constraint": {
        "bearing": { "joint": { "kind": "hinge", "on": "pinion", "axis": [0, 0, 1] } },
        "guide": { "joint": { "kind": "slider", "on": "rack", "axis": [1, 0, 0] } },
        "teeth": { "custom": {
            "kind": "rack-and-pinion", "on": "pinion", "to": { "on": "rack" },
            "parameters": { "radius": 0.1, "axis": [0, 0, 1], "along": [1, 0, 0] } } },
        "clutch": { "law": {
            "kind": "clutch", "on": "rack", "directions": [[1, 0, 0]],
            "parameters": { "rows": 1, "holds": 10, "slides": 4 } } }
    },
    "spring": { "buffer": { "custom": {
        "kind": "yielding", "from": { "object": { "on": "rack" } }, "to": { "point": [-1, -0.1, 0] },
        "parameters": { "stiffness": 200, "strength": 5 } } } },
    "load": { "motor": { "moment": {
        "on": "pinion", "moment": { "ramp": { "to": [0, 0, 2], "end": 2 } } } } },
    "probe": [
        { "name": "rack", "of": "rack", "read": "position", "component": "x" },
        { "name": "clutch", "of": "clutch", "read": "force", "component": "x" },
        { "name": "teeth", "of": "teeth", "read": "force", "component": "x" },
        { "name": "buffer", "of": "buffer", "read": "tension" }
    ]
}"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let registry = kinds::registry();
    let scene: Scene = serde_json::from_str(SCENE)?;
    let mut simulation = Simulation::build_with(&scene, &registry)?;
    println!("{:>6} {:>12} {:>10} {:>10} {:>10}", "t, s", "rack, m", "clutch, N", "teeth, N", "buffer, N");
    while !simulation.finished() {
        simulation.step(&NoClock);
        if simulation.steps().is_multiple_of(40) {
            let values = simulation.probe_values();
            print!("{:>6.2}", simulation.time());
            println!("{:>13.6} {:>10.4} {:>10.4} {:>10.4}", values[0], values[1], values[2], values[3]);
            // A snapshot continues with the same bits, the memory of all three included.
            let (restored, _) = Simulation::restore_with(&simulation.snapshot(&scene), &registry)?;
            simulation = restored;
        }
    }
    Ok(())
}
