//! Contact of surfaces: rest, friction, rolling, impact, and invariances.

mod absurd;
mod beside;
mod blocks;
mod capstan;
mod cradle;
mod curved;
mod eyes;
mod friction;
mod fuzz;
mod ground;
mod impact;
mod materials;
mod overlaps;
mod pairs;
mod passages;
mod pause;
mod repeat;
mod rest;
mod rods;
mod rolling;
mod stacks;
mod taper;
mod throws;
mod whole_runs;

use crate::common::build;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::step::StepReport;
use serde_json::{Value, json};

const G: f64 = 9.81;

/// Both integrators.
const INTEGRATORS: [&str; 2] = ["euler", "bdf2"];

/// Triangles of a closed cube. Bits 0, 1, 2 of the number of a corner are its sides along x, y, z.
const CUBE: [[u32; 3]; 12] = [
    [0, 4, 6],
    [0, 6, 2],
    [1, 3, 7],
    [1, 7, 5],
    [0, 1, 5],
    [0, 5, 4],
    [2, 6, 7],
    [2, 7, 3],
    [0, 2, 3],
    [0, 3, 1],
    [4, 5, 7],
    [4, 7, 6],
];

/// All rod models.
const MODELS: [&str; 4] = ["spline", "discrete-elastic", "beam", "mass-spring"];

/// A probe that reads a component of an object.
fn read(name: &str, of: &str, read: &str, component: &str) -> Value {
    json!({"name": name, "of": of, "read": read, "component": component})
}

/// A plane that falls along x by an angle, fixed.
fn slope(angle: f64) -> Value {
    json!({"shape": {"half-space": {}}, "fixed": true, "rotation": [0, angle, 0]})
}

/// The direction down such a slope, and its normal.
fn directions(angle: f64) -> [[f64; 3]; 2] {
    let (sin, cos) = angle.sin_cos();
    [[cos, 0.0, -sin], [sin, 0.0, cos]]
}

/// A vector times a number.
fn times(v: [f64; 3], factor: f64) -> [f64; 3] {
    v.map(|x| factor * x)
}

/// A run to its end. Every step must be solved, and `look` sees the report of each.
fn watch(description: Value, mut look: impl FnMut(&Simulation, &StepReport)) -> Simulation {
    let mut simulation = build(description);
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(report.refused.is_none() && !report.held, "{report:?}");
        look(&simulation, &report);
    }
    simulation
}
