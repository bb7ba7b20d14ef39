//! Group `balance`: forces of accepted steps against converged Newton on the same step.
//!
//! Every step of a scene with `solves = "auto"` is repeated from the same state by converged Newton, whose
//! forces are in balance. The error of a step is the largest difference of the force or moment of a
//! constraint, as a share of the largest value of the same constraint in the run. Steps with edits are not
//! compared, nor are steps that one of both methods divides into substeps.
//!
//! The residual of a step is the largest residual of the forces at a node after its last pass, as a share of
//! the sum of their sizes. Both are measured with the default form of the second derivative, `psd`, and with
//! `auto`.

use super::Row;
use crate::failure::Failure;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::{Hessian, Integrator, Mode, Scene, Solves};
use micado::step::{StepParams, Workspace};
use micado::world::World;
use micado_io::scene::{self, SceneFile};

/// Largest number of compared steps of a scene.
const MOST_STEPS: u64 = 1200;
/// Most solves of Newton.
const CONVERGED: Solves = Solves::Exactly(100);
/// Error of a force above which a step counts as off, and residual above which its forces do not balance.
const OFF: f64 = 1e-3;

/// Norms of force and moment of one constraint.
type Norms = [f64; 2];

/// Differences of forces and moments in the compared steps.
#[derive(Default)]
struct Comparison {
    /// Differences by constraint, of all compared steps one after the other.
    differences: Vec<Vec<Norms>>,
    /// The largest force and moment of each constraint.
    largest: Vec<Norms>,
    /// Residuals of the steps, as shares of the forces at a node.
    residuals: Vec<f64>,
    steps: u64,
    solves: usize,
}

impl Comparison {
    /// Runs a scene, and repeats every step by converged Newton.
    fn of(file: &SceneFile, hessian: Hessian) -> Result<Self, Failure> {
        let mut scene: Scene = file.scene().clone();
        (scene.settings.solves, scene.settings.hessian) = (Solves::Auto, Some(hessian));
        let mut simulation =
            Simulation::build(&scene).map_err(|error| Failure::Scene(file.explain(&error)))?;
        simulation.settle(&NoClock);
        let params = StepParams { balance: true, ..StepParams::from(&scene.settings) };
        let newton = StepParams { solves: CONVERGED, balance: false, ..params };
        let ([mut first, mut second], mut all) = ([(); 2].map(|()| Workspace::new()), Self::default());
        while !simulation.finished() && simulation.steps() < MOST_STEPS {
            let mut again = simulation.world().clone();
            let report = simulation.step(&NoClock);
            all.steps += 1;
            all.solves += report.solves;
            if simulation.world().structure().version != again.structure().version {
                continue;
            }
            // The same step once more, with its residual.
            let measured = again.clone().step(&params, &mut first, &NoClock);
            all.residuals.extend(measured.unbalanced);
            let converged = again.step(&newton, &mut second, &NoClock);
            let divided = report.substeps > 1 || converged.substeps > 1;
            if report.held || converged.held || divided || converged.solves >= CONVERGED.least() {
                continue;
            }
            all.compare(simulation.world(), &again);
        }
        Ok(all)
    }

    /// The figures of a scene with a form of the second derivative.
    fn row(self, name: &str, form: &str) -> Row {
        let (errors, mut residuals) = (self.errors(), self.residuals);
        residuals.sort_by(f64::total_cmp);
        let above = |values: &[f64]| values.iter().filter(|value| **value > OFF).count() as u64;
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        Row {
            group: "balance",
            name: format!("{name}, {form}"),
            solves_per_step: Some(self.solves as f64 / self.steps as f64),
            steps: Some(self.steps),
            compared: Some(errors.len() as u64),
            off: Some(above(&errors)),
            median_error: errors.get(errors.len() / 2).copied(),
            error: errors.last().copied(),
            measured: Some(residuals.len() as u64),
            unbalanced: Some(above(&residuals)),
            median_residual: residuals.get(residuals.len() / 2).copied(),
            worst_residual: residuals.last().copied(),
            ..Row::default()
        }
    }

    fn compare(&mut self, accepted: &World, converged: &World) {
        let count = converged.structure().constraints.len();
        self.largest.resize(self.largest.len().max(count), [0.0; 2]);
        let mut differences = vec![[0.0; 2]; count];
        for (k, (difference, largest)) in differences.iter_mut().zip(&mut self.largest).enumerate() {
            let [Ok(a), Ok(b)] = [accepted, converged].map(|world| world.constraint_force(k)) else {
                continue;
            };
            *difference = [(a.force - b.force).length(), (a.moment - b.moment).length()];
            *largest = [largest[0].max(b.force.length()), largest[1].max(b.moment.length())];
        }
        self.differences.push(differences);
    }

    /// The error of each compared step, ascending.
    fn errors(&self) -> Vec<f64> {
        let share = |(difference, largest): (&Norms, &Norms)| {
            let of = |a: usize| if largest[a] > 0.0 { difference[a] / largest[a] } else { 0.0 };
            of(0).max(of(1))
        };
        let mut errors: Vec<f64> = self
            .differences
            .iter()
            .map(|step| step.iter().zip(&self.largest).map(share).fold(0.0, f64::max))
            .collect();
        errors.sort_by(f64::total_cmp);
        errors
    }
}

pub(super) fn measure() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for (hessian, form) in [(Hessian::Psd, "psd"), (Hessian::Auto, "auto")] {
        for builtin in scene::BUILTIN {
            let file = scene::open(builtin.name, &[])?;
            let settings = &file.scene().settings;
            if settings.mode == Mode::Dynamic && settings.integrator != Integrator::Explicit {
                rows.push(Comparison::of(&file, hessian)?.row(builtin.name, form));
            }
        }
    }
    Ok(rows)
}

pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        format!("{:45} forces off Newton's            residual at a node", ""),
        format!("{:22} solves   steps  compared  > {OFF}  median   worst  > {OFF}  median   worst", ""),
    ];
    let error = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1e}"));
    for row in rows {
        lines.push(format!(
            "{:22} {:6.2} {:7} {:9} {:8} {:>7} {:>7} {:8} {:>7} {:>7}",
            row.name,
            row.solves_per_step.unwrap_or(f64::NAN),
            row.steps.unwrap_or(0),
            row.compared.unwrap_or(0),
            row.off.unwrap_or(0),
            error(row.median_error),
            error(row.error),
            row.unbalanced.unwrap_or(0),
            error(row.median_residual),
            error(row.worst_residual),
        ));
    }
    lines.join("\n")
}
