//! Group `convergence`: how far the numbers of every built-in scene are from those of finer steps and
//! segments.
//!
//! Compares last values and extremes of all probes with a reference: against steps an eighth as long, against
//! twice the segments, and against both. The table shows the probe whose last value, and the one whose
//! extreme, is farthest off.

use super::Row;
use crate::failure::Failure;
use micado_io::convergence::{Deviation, deviations, readings, refined};
use micado_io::scene;

/// Steps of the reference in one step of the scene.
const PARTS: u32 = 8;
/// Segments of the reference for one of the scene.
const FINER: usize = 2;

/// The probe whose last value is farthest off, and the one whose extreme is.
fn worst(deviations: &[Deviation]) -> [Option<&Deviation>; 2] {
    [
        deviations.iter().max_by(|a, b| a.last.abs().total_cmp(&b.last.abs())),
        deviations.iter().max_by(|a, b| a.extremes.total_cmp(&b.extremes)),
    ]
}

pub(super) fn measure(names: &[&str]) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for &name in names {
        let file = scene::open(name, &[])?;
        let run = |parts: u32, finer: usize| {
            refined(file.scene(), parts, finer)
                .and_then(|scene| readings(&scene))
                .map_err(|error| Failure::Scene(file.explain(&error)))
        };
        let present = run(1, 1)?;
        let [by_step, by_segments] =
            [run(PARTS, 1)?, run(1, FINER)?].map(|reference| deviations(&present, &reference));
        let both = deviations(&present, &run(PARTS, FINER)?);
        let [last, extreme] = worst(&both);
        let least = |found: &[Deviation]| worst(found)[0].map(|worst| worst.last.abs());
        rows.push(Row {
            group: "convergence",
            name: name.to_owned(),
            finer_error: least(&by_step),
            segments_error: least(&by_segments),
            worst_probe: last.map(|worst| worst.probe.clone()),
            error: last.map(|worst| worst.last),
            worst_extreme: extreme.map(|worst| worst.probe.clone()),
            extreme_error: extreme.map(|worst| worst.extremes),
            ..Row::default()
        });
    }
    Ok(rows)
}

pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        "                     last value to h/8     2n  h/8, 2n  worst probe           extremes to h/8, 2n  \
         worst probe"
            .to_owned(),
    ];
    let percent =
        |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{:.1} %", 100.0 * value));
    for row in rows {
        lines.push(format!(
            "{:20} {:>18} {:>7} {:>8}  {:20} {:>20}  {}",
            row.name,
            percent(row.finer_error),
            percent(row.segments_error),
            percent(row.error),
            row.worst_probe.as_deref().unwrap_or("-"),
            percent(row.extreme_error),
            row.worst_extreme.as_deref().unwrap_or("-"),
        ));
    }
    lines.push(
        "Shares of the largest magnitude of the probe. Extremes of shocks have no limit in the step."
            .to_owned(),
    );
    lines.join("\n")
}
