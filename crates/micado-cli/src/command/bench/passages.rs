//! Group `passages`: random throws and drags of rods at each other. Nothing may pass through, and no energy
//! may be gained.

use super::Row;
use crate::failure::Failure;
use micado_io::collisions::{Collision, Outcome};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// Radii of the rods, m, and speeds, m/s.
const RADII: [f64; 2] = [2e-3, 0.5e-3];
const SPEEDS: [f64; 2] = [5.0, 50.0];

/// Runs this many collisions: equally many throws and drags for each radius and speed.
pub(super) fn measure(count: u64) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for dragged in [false, true] {
        for radius in RADII {
            for speed in SPEEDS {
                let kind = Collision { number: 0, dragged, radius, speed, touch: true };
                rows.push(measure_kind(kind, count.div_ceil(8))?);
            }
        }
    }
    Ok(rows)
}

/// Collisions 0 to `count` of one kind, on all cores.
fn measure_kind(kind: Collision, count: u64) -> Result<Row, Failure> {
    let next = AtomicU64::new(0);
    let work = || -> Result<Vec<(u64, Outcome)>, String> {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok(done);
            }
            done.push((number, Collision { number, ..kind }.run()?));
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let began = Instant::now();
    let outcomes = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..cores).map(|_| scope.spawn(work)).collect();
        let parts = threads.into_iter().map(|thread| thread.join().expect("no collision panics"));
        parts.collect::<Result<Vec<_>, String>>()
    });
    let outcomes: Vec<_> = outcomes.map_err(Failure::Checks)?.into_iter().flatten().collect();
    let seconds = began.elapsed().as_secs_f64() * cores as f64;
    let sum = |of: fn(&Outcome) -> u64| outcomes.iter().map(|(_, outcome)| of(outcome)).sum::<u64>();
    let steps = sum(|outcome| outcome.steps);
    let first = outcomes.iter().filter(|(_, outcome)| outcome.passages > 0).map(|(number, _)| *number).min();
    let verb = if kind.dragged { "drag" } else { "throw" };
    Ok(Row {
        group: "passages",
        name: format!("{verb}, {} mm, {} m/s", 1e3 * kind.radius, kind.speed),
        step_us: 1e6 * seconds / steps as f64,
        count: Some(count as usize),
        touched: Some(sum(|outcome| u64::from(outcome.touched))),
        passages: Some(sum(|outcome| outcome.passages)),
        folds: Some(sum(|outcome| outcome.folds)),
        first_passage: first,
        steps: Some(steps),
        divided: Some(sum(|outcome| outcome.divided)),
        lagged: Some(sum(|outcome| outcome.lagged)),
        held: Some(sum(|outcome| outcome.held)),
        energy_gain: Some(outcomes.iter().map(|(_, outcome)| outcome.gain).fold(0.0, f64::max)),
        ..Row::default()
    })
}

pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        "passages                   trials  touched  passages  (first)    folds     steps  divided   lagged  \
         \x20  held   energy gain   step µs"
            .to_owned(),
    ];
    for row in rows {
        lines.push(format!(
            "{:26} {:6} {:8} {:9} {:>8} {:8} {:9} {:8} {:8} {:8} {:12.1e} {:9.1}",
            row.name,
            row.count.unwrap_or(0),
            row.touched.unwrap_or(0),
            row.passages.unwrap_or(0),
            row.first_passage.map_or_else(|| "-".to_owned(), |number| number.to_string()),
            row.folds.unwrap_or(0),
            row.steps.unwrap_or(0),
            row.divided.unwrap_or(0),
            row.lagged.unwrap_or(0),
            row.held.unwrap_or(0),
            row.energy_gain.unwrap_or(f64::NAN),
            row.step_us,
        ));
    }
    lines.join("\n")
}
