//! A naturally curved rod coils with both hands when its ends, which can't turn, come together.

use super::{Experiment, Number, Study, along, at_its_end, reading, scene};
use crate::plot::{Chart, Series};
use crate::validate::stand::Trouble;
use std::f64::consts::TAU;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "helical-perversion",
    shows: "a rod with natural curvature between clamps coils to the left and to the right, \
            with one reversal between",
    measure,
};

/// GJ of the scene.
const TWIST: f64 = 0.75;

/// The measured quantities.
struct Coil {
    energy: f64,
    /// Torque along the rod.
    torque: Vec<(f64, f64)>,
    /// Twist of its two halves, turns.
    twist: [f64; 2],
}

fn coil(model: &str, segments: usize) -> Result<Coil, Trouble> {
    let overrides = [format!("rod.tendril.model=\"{model}\""), format!("rod.tendril.segments={segments}")];
    let simulation = at_its_end(&scene(EXPERIMENT.name, &overrides)?)?;
    let torque: Vec<(f64, f64)> =
        along(&simulation, "tendril", segments)?.iter().map(|(s, section)| (*s, section.torque)).collect();
    let half = torque.len() / 2;
    Ok(Coil {
        energy: reading(&simulation, "energy")?,
        twist: [twist(&torque[..=half]), twist(&torque[half..])],
        torque,
    })
}

/// ∫ torque/GJ ds, turns.
fn twist(torque: &[(f64, f64)]) -> f64 {
    torque.windows(2).map(|two| 0.5 * (two[0].1 + two[1].1) * (two[1].0 - two[0].0)).sum::<f64>()
        / (TWIST * TAU)
}

/// Number of sign changes of the torque, where it exceeds a tenth of its maximum.
fn reversals(torque: &[(f64, f64)]) -> usize {
    let most = torque.iter().map(|(_, torque)| torque.abs()).fold(0.0, f64::max);
    let strong: Vec<f64> =
        torque.iter().map(|(_, torque)| *torque).filter(|torque| torque.abs() > 0.1 * most).collect();
    strong.windows(2).filter(|two| two[0] * two[1] < 0.0).count()
}

fn measure() -> Result<Study, Trouble> {
    let (coarse, fine, smooth) =
        (coil("discrete-elastic", 60)?, coil("discrete-elastic", 120)?, coil("spline", 120)?);
    Ok(Study {
        numbers: vec![
            Number::new("reversals", reversals(&fine.torque) as f64, 1.0),
            Number::new("twist of the whole rod, turns", fine.twist[0] + fine.twist[1], 0.0),
            Number::new(
                "twist of the left half, turns (reference: spline)",
                // It may coil to the left or to the right first.
                (4.0 * fine.twist[0].abs() - coarse.twist[0].abs()) / 3.0,
                smooth.twist[0].abs(),
            ),
            Number::new(
                "energy from 60 and 120 edges, J (reference: spline)",
                (4.0 * fine.energy - coarse.energy) / 3.0,
                smooth.energy,
            ),
        ],
        chart: Chart {
            title: "Torque along a tendril".into(),
            x_label: "place, m".into(),
            y_label: "torque, N·m".into(),
            series: vec![
                Series::new("spline, 120 segments", smooth.torque),
                Series::new("120 edges", fine.torque),
                Series::new("60 edges", coarse.torque),
            ],
            ..Chart::default()
        },
    })
}
