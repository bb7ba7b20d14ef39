//! One end of a shaft is turned many times.

use super::{Experiment, Number, Study, reading, scene};
use crate::plot::{Chart, Series};
use crate::validate::root::{first_root, threshold};
use crate::validate::stand::{Stand, Trouble};
use micado::clock::NoClock;
use micado::run::Simulation;
use std::f64::consts::TAU;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "imposed-twist",
    shows: "the torque of a shaft under tension is GJ φ/L, however often it is turned, until it buckles",
    measure,
};

/// EI, GJ, tension, length and turns of the scene.
const BEND: f64 = 0.4;
const TWIST: f64 = 0.08;
const TENSION: f64 = 30.0;
const LENGTH: f64 = 2.0;
const TURNS: f64 = 20.0;

/// Turns beyond which the straight shaft has a growing mode.
fn critical_turns(model: &str, segments: usize) -> Result<f64, Trouble> {
    threshold(TURNS, 2.0 * TURNS, 1e-4, |turns| {
        // The rod is built with an even twist; its end is held in place.
        let mut stand = Stand::of(&scene(
            EXPERIMENT.name,
            &[
                format!("rod.shaft.model=\"{model}\""),
                format!("rod.shaft.segments={segments}"),
                format!("rod.shaft.twist={}", turns * TAU),
                "constraint.hand.roll.angle=0".to_owned(),
            ],
        )?)?;
        Ok(stand.balance()? > 0)
    })
}

/// Critical turns by theory: w = A + B s + C e^{ips} + D e^{iqs}, p, q = M/2EI ± √(M²/4EI² − T/EI), clamped
/// at both ends. With P, Q = pL/2, qL/2 the determinant is (Q − P) sin P sin Q + P Q sin(P − Q); without
/// tension that is Greenhill's tan P = P.
fn theory_of_critical_turns() -> Result<f64, Trouble> {
    let least = 2.0 * (BEND * TENSION).sqrt();
    let moment = first_root(1.0001 * least, 1.001, |moment| {
        let (mean, half) = (
            moment * LENGTH / (4.0 * BEND),
            (0.25 * (moment / BEND).powi(2) - TENSION / BEND).sqrt() * LENGTH / 2.0,
        );
        let (p, q) = (mean + half, mean - half);
        Ok((q - p) * p.sin() * q.sin() + p * q * (p - q).sin())
    })?;
    Ok(moment * LENGTH / (TWIST * TAU))
}

fn measure() -> Result<Study, Trouble> {
    let theory = |turns: f64| TWIST * TAU * turns / LENGTH;
    let mut simulation = Simulation::build(&scene(EXPERIMENT.name, &[])?)?;
    let mut measured = vec![];
    while !simulation.finished() {
        simulation.step(&NoClock);
        measured.push((TURNS * simulation.time(), reading(&simulation, "torque")?));
    }
    let (coarse, fine) = (critical_turns("discrete-elastic", 64)?, critical_turns("discrete-elastic", 128)?);
    let critical = theory_of_critical_turns()?;
    let torque = measured.last().map_or(f64::NAN, |(_, torque)| *torque);
    Ok(Study {
        numbers: vec![
            Number::new("torque after 20 turns, N·m", torque, theory(TURNS)),
            Number::new("twist in the middle, rad/m", reading(&simulation, "twist")?, TAU * TURNS / LENGTH),
            Number::new(
                "turns at which it buckles, from 64 and 128 edges",
                (4.0 * fine - coarse) / 3.0,
                critical,
            ),
            Number::new("turns at which it buckles, 32 segments", critical_turns("spline", 32)?, critical),
        ],
        chart: Chart {
            title: "Torque of a turned shaft".into(),
            x_label: "turns".into(),
            y_label: "torque, N·m".into(),
            series: vec![
                Series::new("GJ φ/L", vec![(0.0, 0.0), (TURNS, theory(TURNS))]),
                Series::new("64 edges", measured.into_iter().step_by(5).collect()),
            ],
            ..Chart::default()
        },
    })
}
