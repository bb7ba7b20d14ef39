//! Threads: a hundred islands, stepped on one thread and on two.

use super::{Row, stopwatch};
use crate::failure::Failure;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Scene;
use micado::step::Pool;
use serde_json::{Map, Value, json};

/// Timed steps, after as many untimed ones.
const STEPS: usize = 200;
/// Islands, and the numbers of threads that they are stepped on.
const ISLANDS: usize = 100;
const THREADS: [usize; 2] = [1, 2];

/// A hundred ropes, each in an eye, with a pearl with friction.
fn islands() -> Result<Scene, Failure> {
    let (mut rods, mut constraints) = (Map::new(), Map::new());
    for k in 0..ISLANDS {
        let (name, y) = (format!("rope-{k}"), 0.1 * k as f64);
        let shape = json!({"slack": {"from": [0, y, 0], "to": [0.8, y, 0], "length": 1.0}});
        rods.insert(
            name.clone(),
            json!({"shape": shape, "radius": 0.004, "young": 2e7, "density": 1100, "segments": 30}),
        );
        for (kind, words) in [
            ("start", json!({"position": {"on": name, "at": "start"}})),
            ("eye", json!({"keyhole": {"on": name, "at": "90 %", "friction": 0.2}})),
            ("pearl", json!({"pearl": {"on": name, "at": "40 %", "mass": 0.01, "friction": 0.1}})),
        ] {
            constraints.insert(format!("{kind}-{k}"), words);
        }
    }
    let scene = json!({
        "rod": Value::Object(rods), "constraint": Value::Object(constraints), "settings": {"duration": 10},
    });
    serde_json::from_value(scene).map_err(|error| Failure::Checks(error.to_string()))
}

/// Steps the scene on every number of threads.
pub(super) fn measure() -> Result<Vec<Row>, Failure> {
    let scene = islands()?;
    let mut rows = Vec::new();
    for threads in THREADS {
        let problem = |error: String| Failure::Checks(error);
        let mut simulation = Simulation::build(&scene).map_err(|error| problem(error.to_string()))?;
        simulation.set_pool(Pool::new(threads).map_err(|error| problem(error.to_string()))?);
        for _ in 0..STEPS {
            simulation.step(&NoClock);
        }
        let times = stopwatch::time(STEPS, || {
            simulation.step(&NoClock);
        });
        let (unknowns, multipliers) = simulation.workspace().sizes();
        rows.push(Row {
            group: "threads",
            name: format!("{ISLANDS} islands, {threads} thread{}", if threads == 1 { "" } else { "s" }),
            unknowns,
            multipliers,
            step_us: times.mean,
            worst_step_us: times.worst,
            least_step_us: Some(times.least),
            ..Row::default()
        });
    }
    Ok(rows)
}

/// Times, and how they compare with those of one thread.
pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        "threads                    unknowns   rows     step µs    least µs    worst µs   times as fast"
            .to_owned(),
    ];
    let alone = rows.first().map_or(f64::NAN, |row| row.step_us);
    for row in rows {
        lines.push(format!(
            "{:26} {:8} {:6} {:11.2} {:11.2} {:11.2} {:15.2}",
            row.name,
            row.unknowns,
            row.multipliers,
            row.step_us,
            row.least_step_us.unwrap_or(f64::NAN),
            row.worst_step_us,
            alone / row.step_us,
        ));
    }
    lines.join("\n")
}
