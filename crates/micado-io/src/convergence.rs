//! How far the numbers of a scene are from those of finer steps and segments.
//!
//! Each probe is reduced to its last value and its extremes. They are compared with those of a reference,
//! as a share of the largest magnitude of the probe in the reference.

use micado::clock::NoClock;
use micado::error::BuildError;
use micado::run::Simulation;
use micado::scene::{Mode, Quantity, Scene};

/// Magnitude below which a probe counts as zero, in its unit: rounding of values that symmetry cancels.
const ZERO: f64 = 1e-10;

/// A probe over a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Name of the probe.
    pub probe: String,
    /// Value at the end of the run; if the probe is empty then, its last value.
    pub last: f64,
    /// Least value.
    pub least: f64,
    /// Largest value.
    pub most: f64,
}

/// Deviation of a probe from a reference, as a share of its largest magnitude there.
#[derive(Clone, Debug, PartialEq)]
pub struct Deviation {
    /// Name of the probe.
    pub probe: String,
    /// Of the last value, with its sign.
    pub last: f64,
    /// Of its extremes, the larger of both.
    pub extremes: f64,
}

/// The scene with steps divided into `parts` and `finer` times as many segments. The step of a
/// static scene stays, since equilibria do not depend on it.
///
/// # Errors
/// If the scene can't be built.
pub fn refined(scene: &Scene, parts: u32, finer: usize) -> Result<Scene, BuildError> {
    let mut refined = scene.clone();
    if scene.settings.mode != Mode::Static {
        refined.settings.step /= f64::from(parts);
    }
    if finer > 1 {
        let present = Simulation::build(scene)?;
        for object in &present.world().structure().objects {
            let (Some(rod), Some(description)) = (object.rod(), refined.rod.get_mut(object.name.as_str()))
            else {
                continue;
            };
            description.segments = Some(rod.segments() * finer);
            description.refinement.most = description.refinement.most.map(|most| most * finer);
        }
    }
    Ok(refined)
}

/// Runs a scene to its end and reads its probes, except residuals, which have no scale.
///
/// # Errors
/// If the scene can't be built.
pub fn readings(scene: &Scene) -> Result<Vec<Reading>, BuildError> {
    let mut simulation = Simulation::build(scene)?;
    simulation.settle(&NoClock);
    let mut readings: Vec<Reading> = simulation
        .probe_names()
        .iter()
        .map(|name| Reading {
            probe: name.clone(),
            last: f64::NAN,
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        })
        .collect();
    let note = |simulation: &Simulation, readings: &mut [Reading]| {
        for (reading, &value) in readings.iter_mut().zip(simulation.probe_values()) {
            if value.is_finite() {
                reading.last = value;
                reading.least = reading.least.min(value);
                reading.most = reading.most.max(value);
            }
        }
    };
    note(&simulation, &mut readings);
    while !simulation.finished() {
        simulation.step(&NoClock);
        note(&simulation, &mut readings);
    }
    let kept = simulation.probes().iter().map(|probe| probe.read != Quantity::Residual);
    Ok(readings.into_iter().zip(kept).filter_map(|(reading, kept)| kept.then_some(reading)).collect())
}

/// Deviations of a run from a reference. Probes that are zero or infinite there are left out.
pub fn deviations(run: &[Reading], reference: &[Reading]) -> Vec<Deviation> {
    let compared = run.iter().zip(reference).filter_map(|(run, reference)| {
        let scale = reference.least.abs().max(reference.most.abs());
        (scale > ZERO && scale.is_finite() && run.last.is_finite()).then(|| Deviation {
            probe: run.probe.clone(),
            last: (run.last - reference.last) / scale,
            extremes: (run.least - reference.least).abs().max((run.most - reference.most).abs()) / scale,
        })
    });
    compared.collect()
}
