//! Statements that hold for every rod model, every integrator and every number of solves.

mod descriptions;
mod energy;
mod eyes;
mod order;
mod velocity;

use serde_json::{Value, json};

/// Every rod model.
const MODELS: [&str; 4] = ["spline", "discrete-elastic", "beam", "mass-spring"];
/// Rod models with a frame, which can be clamped.
const FRAMED: [&str; 3] = ["spline", "discrete-elastic", "beam"];
/// Integrators that take every constraint.
const IMPLICIT: [&str; 2] = ["euler", "bdf2"];

/// Numbers of solves: automatic, the scheme of the papers, and converged Newton.
fn solves() -> [Value; 3] {
    [json!("auto"), json!(1), json!(40)]
}

/// A soft rod of 1 m along x, 0.1 kg, that stretches and bends visibly in free motion.
fn rope(model: &str) -> Value {
    json!({"model": model, "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "segments": 12,
        "stiffness": {"stretch": 60, "bend": 0.01, "twist": 0.01}, "mass_per_length": 0.1})
}

/// Adds the fields of `more` to a description.
fn with(mut description: Value, more: Value) -> Value {
    for (field, value) in more.as_object().into_iter().flatten() {
        description[field] = value.clone();
    }
    description
}
