//! Torque transducer: two bodies at the ends of a shaft, and the energies of all three.
//!
//! ψ is the twist of the shaft and k = GJ/L. ψ = ψ₀ sin ωt, ω² = k (1/I₁ + 1/I₂). The energy of the shaft is
//! ½ k ψ². The bodies have opposite angular momenta, so they share the kinetic energy ½ k ψ₀² cos² ωt as I₂ :
//! I₁.

use super::{Experiment, Number, Study, reading, scene};
use crate::plot::{Chart, Series};
use crate::validate::stand::Trouble;
use micado::clock::NoClock;
use micado::run::Simulation;
use std::f64::consts::TAU;

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "torque-transducer",
    shows: "two bodies and the shaft between them exchange their energy: period, shares and loss",
    measure,
};

/// Inertias of the bodies, kg·m²; GJ/L, N·m; largest twist, rad.
const INERTIA: [f64; 2] = [0.02, 0.4];
const STIFFNESS: f64 = 0.8;
const TWIST: f64 = 3.0;

/// Energies in time, J: light body, massive body, shaft, all.
type Energies = Vec<(f64, [f64; 4])>;

/// Energies over four periods, and the period.
fn exchanged(step: f64) -> Result<(Energies, f64), Trouble> {
    let scene = scene(EXPERIMENT.name, &[format!("settings.step={step}")])?;
    let mut simulation = Simulation::build(&scene)?;
    let read = |simulation: &Simulation| -> Result<([f64; 4], f64), Trouble> {
        let [light, massive] = ["small_spin", "large_spin"].map(|name| reading(simulation, name));
        let (light, massive) = (light?, massive?);
        let of_bodies = [0.5 * INERTIA[0] * light * light, 0.5 * INERTIA[1] * massive * massive];
        let (shaft, all) = (reading(simulation, "elastic_energy")?, reading(simulation, "total_energy")?);
        Ok(([of_bodies[0], of_bodies[1], shaft, all], light - massive))
    };
    let (energies, mut before) = read(&simulation)?;
    let mut samples = vec![(0.0, energies)];
    let mut reversals = Vec::new();
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        if report.held {
            return Err(Trouble::new(format!("a step is held at {:.3} s", report.time)));
        }
        let (energies, now) = read(&simulation)?;
        if before * now < 0.0 {
            reversals.push(simulation.time() - step * now / (now - before));
        }
        before = now;
        samples.push((simulation.time(), energies));
    }
    let whole = reversals.len().saturating_sub(1) / 2;
    if whole == 0 {
        return Err(Trouble::new("the twist is not reversed three times"));
    }
    Ok((samples, (reversals[2 * whole] - reversals[0]) / whole as f64))
}

/// Theoretical energies at this time.
fn theory(time: f64, frequency: f64) -> [f64; 4] {
    let all = 0.5 * STIFFNESS * TWIST * TWIST;
    let moving = all * (frequency * time).cos().powi(2);
    let light = INERTIA[1] / (INERTIA[0] + INERTIA[1]);
    [light * moving, (1.0 - light) * moving, all - moving, all]
}

fn measure() -> Result<Study, Trouble> {
    let frequency = (STIFFNESS * (1.0 / INERTIA[0] + 1.0 / INERTIA[1])).sqrt();
    let [coarse, fine] = [4e-3, 2e-3].map(exchanged);
    let ((coarse, period), (fine, fine_period)) = (coarse?, fine?);
    let lost = |samples: &Energies| match (samples.first(), samples.last()) {
        (Some((_, first)), Some((_, last))) => 1.0 - last[3] / first[3],
        _ => 0.0,
    };
    // Largest energies within the first period. The shaft reaches its maximum after a quarter.
    let most = |samples: &Energies, k: usize| {
        let first = samples.iter().filter(|(time, _)| *time < period);
        first.map(|(_, energies)| energies[k]).fold(0.0, f64::max)
    };
    let full = theory(0.0, frequency);
    let numbers = vec![
        Number::new("period, steps of 4 ms, s", period, TAU / frequency),
        Number::new("period, steps of 2 ms, s", fine_period, TAU / frequency),
        Number::new("largest energy of the shaft, J", most(&fine, 2), full[3]),
        Number::new("largest energy of the light body, J", most(&fine, 0), full[0]),
        Number::new("largest energy of the massive body, J", most(&fine, 1), full[1]),
        Number::new("share of the energy lost in four periods, 4 ms", lost(&coarse), 0.0),
        Number::new("share of the energy lost in four periods, 2 ms", lost(&fine), 0.0),
    ];
    let names = ["light body", "massive body", "shaft", "all"];
    let mut series: Vec<Series> = names
        .iter()
        .enumerate()
        .map(|(k, name)| Series::new(*name, fine.iter().map(|(time, e)| (*time, e[k])).collect()))
        .collect();
    let exact = |k: usize| fine.iter().step_by(20).map(|(t, _)| (*t, theory(*t, frequency)[k])).collect();
    series.push(Series::marks("light body, theory", exact(0)));
    series.push(Series::marks("shaft, theory", exact(2)));
    Ok(Study {
        numbers,
        chart: Chart {
            title: "Energy of two bodies and the shaft between them".into(),
            x_label: "time, s".into(),
            y_label: "energy, J".into(),
            series,
            ..Chart::default()
        },
    })
}
