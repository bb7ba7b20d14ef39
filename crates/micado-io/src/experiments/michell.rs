//! Michell's ring: the twist at which a flat ring becomes unstable, over the ratio of its stiffnesses.

use super::{Experiment, Number, Study, scene};
use crate::plot::{Chart, Series};
use crate::validate::root::threshold;
use crate::validate::stand::{Stand, Trouble};
use std::f64::consts::TAU;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "michell-ring",
    shows: "a flat ring is unstable beyond √3 EI/GJ turns: the boundary over GJ/EI, \
            of polygons and of a spline",
    measure,
};

/// EI of the scene.
const BEND: f64 = 4e-3;
/// More turns than any of the rings withstands.
const MOST_TURNS: f64 = 6.0;

/// Turns beyond which the flat ring has a growing mode. The ring is closed and built with an even twist.
/// Apart from rigid motions this equals a ring clamped to itself, and its initial flat state is an
/// equilibrium, stable or not.
fn critical_turns(model: &str, segments: usize, ratio: f64) -> Result<f64, Trouble> {
    threshold(0.0, MOST_TURNS, 1e-3, |turns| {
        let mut ring = scene(
            EXPERIMENT.name,
            &[
                "rod.ring.shape={ ring = { centre = [0, 0, 0], radius = 0.2 } }".to_owned(),
                format!("rod.ring.model=\"{model}\""),
                format!("rod.ring.segments={segments}"),
                format!("rod.ring.stiffness.twist={}", ratio * BEND),
                format!("rod.ring.twist={}", turns * TAU),
            ],
        )?;
        ring.constraint.clear();
        Ok(Stand::of(&ring)?.balance()? > 0)
    })
}

fn measure() -> Result<Study, Trouble> {
    let theory = |ratio: f64| 3.0_f64.sqrt() / ratio;
    let ratios: Vec<f64> = (4..=16).map(|k| 0.1 * f64::from(k)).collect();
    let boundary = |model: &str, segments: usize| {
        ratios
            .iter()
            .map(|&ratio| Ok((ratio, critical_turns(model, segments, ratio)?)))
            .collect::<Result<Vec<_>, Trouble>>()
    };
    let mean = |boundary: &[(f64, f64)]| {
        boundary.iter().map(|(ratio, turns)| turns / theory(*ratio)).sum::<f64>() / boundary.len() as f64
    };
    let (coarse, fine, smooth) =
        (boundary("discrete-elastic", 25)?, boundary("discrete-elastic", 50)?, boundary("spline", 32)?);
    let numbers = vec![
        // 1 + 31/n², from the second variation of the polygon
        Number::new("threshold over Michell's, 25 edges", mean(&coarse), 1.0513),
        Number::new("threshold over Michell's, 50 edges", mean(&fine), 1.0126),
        Number::new("extrapolated to zero edge length", (4.0 * mean(&fine) - mean(&coarse)) / 3.0, 1.0),
        Number::new("threshold over Michell's, spline", mean(&smooth), 1.0),
    ];
    let line = (0..=60).map(|k| 0.4 + 0.02 * f64::from(k)).map(|ratio| (ratio, theory(ratio))).collect();
    Ok(Study {
        numbers,
        chart: Chart {
            title: "Critical twist of a flat ring".into(),
            x_label: "GJ/EI".into(),
            y_label: "turns".into(),
            series: vec![
                Series::new("√3 EI/GJ (Michell)", line),
                Series::new("25 edges", coarse),
                Series::new("50 edges", fine),
                Series::new("spline, 32 segments", smooth),
            ],
            ..Chart::default()
        },
    })
}
