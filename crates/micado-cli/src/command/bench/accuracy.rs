//! Group `accuracy`: cost and error of `solves` in every built-in scene that moves.
//!
//! Every scene is run with one solve per step, with `solves = "auto"` and with converged Newton, and with
//! `"auto"` in steps an eighth as long. The error of a run is that of its worst probe: rms over the common
//! times, as a share of the range of the probe in the reference.

use super::Row;
use crate::failure::Failure;
use micado::clock::{Clock, NoClock, WallClock};
use micado::run::Simulation;
use micado::scene::{Integrator, Mode, Quantity, Scene, Solves};
use micado_io::scene::{self, SceneFile};

/// Largest number of compared steps of a scene.
const MOST_STEPS: u64 = 1200;
/// Solves of the reference with the same step: Newton has converged long before.
const CONVERGED: Solves = Solves::Exactly(40);
/// Steps of the finer reference in one step of the scene.
const FINER: u32 = 8;
/// Range of a probe below which it counts as constant, relative to its values.
const CONSTANT: f64 = 1e-9;

/// The probes of a run at the times of the scene's own steps.
struct Run {
    probes: Vec<Vec<f64>>,
    names: Vec<String>,
    /// Whether a probe is compared; residuals are not, because they have no scale.
    compared: Vec<bool>,
    /// Mean solves and mean time of a step, µs.
    solves: f64,
    step_us: f64,
    /// Steps that were divided, and that failed.
    divided: u64,
    held: u64,
}

impl Run {
    fn make(file: &SceneFile, solves: Solves, parts: u32) -> Result<Self, Failure> {
        let mut scene: Scene = file.scene().clone();
        scene.settings.solves = solves;
        scene.settings.step /= f64::from(parts);
        let mut simulation =
            Simulation::build(&scene).map_err(|error| Failure::Scene(file.explain(&error)))?;
        simulation.settle(&NoClock);
        let clock = WallClock::start();
        let mut run = Self {
            probes: Vec::new(),
            names: simulation.probe_names().to_vec(),
            compared: simulation.probes().iter().map(|probe| probe.read != Quantity::Residual).collect(),
            solves: 0.0,
            step_us: 0.0,
            divided: 0,
            held: 0,
        };
        let mut steps = 0.0;
        while !simulation.finished() && simulation.steps() < MOST_STEPS * u64::from(parts) {
            let before = clock.now();
            let report = simulation.step(&NoClock);
            run.step_us += (clock.now() - before) * 1e6;
            run.solves += report.solves as f64;
            run.divided += u64::from(report.substeps > 1);
            run.held += u64::from(report.held);
            steps += 1.0;
            if simulation.steps().is_multiple_of(u64::from(parts)) {
                run.probes.push(simulation.probe_values().to_vec());
            }
        }
        (run.solves, run.step_us) = (run.solves / steps, run.step_us / steps);
        Ok(run)
    }

    /// The worst probe and its error against a reference.
    fn error(&self, reference: &Self) -> Option<(String, f64)> {
        let errors = (0..self.names.len()).filter(|&k| self.compared[k]).filter_map(|k| {
            let pairs = || {
                self.probes.iter().zip(&reference.probes).filter_map(|(a, b)| {
                    let pair = [*a.get(k)?, *b.get(k)?];
                    pair.iter().all(|x| x.is_finite()).then_some(pair)
                })
            };
            let bounds = pairs().fold((f64::MAX, f64::MIN), |(low, high), [_, b]| (low.min(b), high.max(b)));
            let range = bounds.1 - bounds.0;
            if range <= CONSTANT * bounds.0.abs().max(bounds.1.abs()) || range.is_nan() {
                return None;
            }
            let (sum, count) = pairs().fold((0.0, 0.0), |(sum, n), [a, b]| (sum + (a - b).powi(2), n + 1.0));
            Some((self.names[k].clone(), (sum / count).sqrt() / range))
        });
        errors.max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

pub(super) fn measure() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for builtin in scene::BUILTIN {
        let file = scene::open(builtin.name, &[])?;
        let settings = &file.scene().settings;
        if settings.mode != Mode::Dynamic || settings.integrator == Integrator::Explicit {
            continue;
        }
        let one = Run::make(&file, Solves::ONE, 1)?;
        let auto = Run::make(&file, Solves::Auto, 1)?;
        let converged = Run::make(&file, CONVERGED, 1)?;
        let finer = Run::make(&file, Solves::Auto, FINER)?;
        let errors = |reference: &Run| [&one, &auto].map(|run| run.error(reference));
        let [one_error, auto_error] = errors(&converged);
        let [one_finer, auto_finer] = errors(&finer);
        rows.push(Row {
            group: "accuracy",
            name: builtin.name.to_owned(),
            one_solve_us: Some(one.step_us),
            step_us: auto.step_us,
            solves_per_step: Some(auto.solves),
            divided: Some(auto.divided),
            held: Some(auto.held + converged.held),
            one_solve_error: one_error.map(|(_, error)| error),
            worst_probe: auto_error.as_ref().map(|(name, _)| name.clone()),
            error: auto_error.map(|(_, error)| error),
            one_solve_finer_error: one_finer.map(|(_, error)| error),
            finer_error: auto_finer.map(|(_, error)| error),
            ..Row::default()
        });
    }
    Ok(rows)
}

pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        "                    step µs: 1 solve    auto  solves  divided  held   error to Newton: 1     auto  \
         worst probe           error to h/8: 1     auto"
            .to_owned(),
    ];
    let error = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1e}"));
    for row in rows {
        lines.push(format!(
            "{:20} {:15.1} {:7.1} {:7.2} {:8} {:5} {:>20} {:>8}  {:20} {:>15} {:>8}",
            row.name,
            row.one_solve_us.unwrap_or(f64::NAN),
            row.step_us,
            row.solves_per_step.unwrap_or(f64::NAN),
            row.divided.unwrap_or(0),
            row.held.unwrap_or(0),
            error(row.one_solve_error),
            error(row.error),
            row.worst_probe.as_deref().unwrap_or("-"),
            error(row.one_solve_finer_error),
            error(row.finer_error),
        ));
    }
    lines.join("\n")
}
