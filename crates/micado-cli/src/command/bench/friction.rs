//! Group `friction`: pearls on a slack cord, with dry friction and without.

use super::{Row, stopwatch};
use crate::failure::Failure;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Scene;
use serde_json::{Map, Value, json};

/// Numbers of pearls, and coefficients of friction.
const PEARLS: [usize; 2] = [100, 200];
const FRICTIONS: [f64; 4] = [0.0, 0.05, 0.5, 1.0];
/// Timed steps: the pearls slide down, meet in the middle and come to rest.
const STEPS: usize = 400;

/// Pearls that slide down a slack cord.
fn pearls(count: usize, friction: f64) -> Result<Simulation, Failure> {
    let mut constraints = Map::new();
    for (name, at) in [("left", "start"), ("right", "end")] {
        constraints.insert(name.to_owned(), json!({"position": {"on": "cord", "at": at}}));
    }
    for k in 0..count {
        let at = 0.1 + 2.8 * k as f64 / (count - 1) as f64;
        let pearl = json!({"on": "cord", "at": at, "mass": 1e-3, "radius": 0.8 / count as f64,
            "viscosity": 2e-3, "friction": friction});
        constraints.insert(format!("pearl-{k}"), json!({"pearl": pearl}));
    }
    let cord = json!({"shape": {"slack": {"from": [-1, 0, 0], "to": [1, 0, 0], "length": 3}},
        "radius": 1e-3, "young": 1e9, "density": 1150, "segments": 100,
        "damping": {"internal": 2e-3, "mass": 1}});
    let scene = json!({"rod": {"cord": cord}, "constraint": Value::Object(constraints),
        "settings": {"duration": 10, "step": 5e-3}});
    let scene: Scene = serde_json::from_value(scene).map_err(|error| Failure::Checks(error.to_string()))?;
    Simulation::build(&scene).map_err(|error| Failure::Checks(error.to_string()))
}

/// Steps every number of pearls with every friction.
pub(super) fn measure() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for count in PEARLS {
        for friction in FRICTIONS {
            let mut simulation = pearls(count, friction)?;
            let (mut sweeps, mut factors, mut updates, mut residual) = (0, 0, 0, 0.0_f64);
            let mut most_factors = 0;
            let times = stopwatch::time(STEPS, || {
                let report = simulation.step(&NoClock);
                (sweeps, factors) = (sweeps + report.sweeps, factors + report.compliance_factors);
                updates += report.compliance_updates;
                most_factors = most_factors.max(report.compliance_factors);
                residual = residual.max(report.sweep_residual);
            });
            let (unknowns, multipliers) = simulation.workspace().sizes();
            rows.push(Row {
                group: "friction",
                name: format!("{count} pearls, friction {friction}"),
                unknowns,
                multipliers,
                step_us: times.mean,
                worst_step_us: times.worst,
                least_step_us: Some(times.least),
                count: Some(count),
                sweeps_per_step: Some(sweeps as f64 / STEPS as f64),
                factors_per_step: Some(factors as f64 / STEPS as f64),
                most_factors: Some(most_factors),
                updates_per_step: Some(updates as f64 / STEPS as f64),
                residual: Some(residual),
                ..Row::default()
            });
        }
    }
    Ok(rows)
}

/// The rows as a text table, with the ratio of each time to that without friction.
pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        concat!(
            "friction                   step µs    worst µs  sweeps  factors  worst  updates   residual",
            "  times without"
        )
        .to_owned(),
    ];
    for pair in rows.chunks(FRICTIONS.len()) {
        let without = pair.first().map_or(f64::NAN, |row| row.step_us);
        for row in pair {
            lines.push(format!(
                "{:25} {:8.1} {:11.1} {:7.2} {:8.2} {:6} {:8.1} {:10.1e} {:14.2}",
                row.name,
                row.step_us,
                row.worst_step_us,
                row.sweeps_per_step.unwrap_or(f64::NAN),
                row.factors_per_step.unwrap_or(f64::NAN),
                row.most_factors.unwrap_or(0),
                row.updates_per_step.unwrap_or(f64::NAN),
                row.residual.unwrap_or(f64::NAN),
                row.step_us / without,
            ));
        }
    }
    lines.join("\n")
}
