//! Group `balance`: forces of accepted steps against converged Newton on the same step.
//!
//! Every step of a scene with `solves = "auto"` is repeated from the same state by converged Newton, whose
//! forces are in balance. The error of a step is the largest difference of the force or moment of a
//! constraint, as a share of the largest value of the same constraint in the run. Steps with edits are not
//! compared, nor are steps that one of both methods divides into substeps.

use super::Row;
use crate::failure::Failure;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::{Integrator, Mode, Scene, Solves};
use micado::step::{StepParams, Workspace};
use micado::world::World;
use micado_io::scene::{self, SceneFile};

/// Largest number of compared steps of a scene.
const MOST_STEPS: u64 = 1200;
/// Most solves of Newton.
const CONVERGED: Solves = Solves::Exactly(100);
/// Error of a force above which a step counts as off.
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
    steps: u64,
    solves: usize,
}

impl Comparison {
    /// Runs a scene, and repeats every step by converged Newton.
    fn of(file: &SceneFile) -> Result<Self, Failure> {
        let mut scene: Scene = file.scene().clone();
        scene.settings.solves = Solves::Auto;
        let mut simulation =
            Simulation::build(&scene).map_err(|error| Failure::Scene(file.explain(&error)))?;
        simulation.settle(&NoClock);
        let newton = StepParams { solves: CONVERGED, ..StepParams::from(&scene.settings) };
        let (mut workspace, mut all) = (Workspace::new(), Self::default());
        while !simulation.finished() && simulation.steps() < MOST_STEPS {
            let mut again = simulation.world().clone();
            let report = simulation.step(&NoClock);
            all.steps += 1;
            all.solves += report.solves;
            if simulation.world().structure().version != again.structure().version {
                continue;
            }
            let converged = again.step(&newton, &mut workspace, &NoClock);
            let divided = report.substeps > 1 || converged.substeps > 1;
            if report.held || converged.held || divided || converged.solves >= CONVERGED.least() {
                continue;
            }
            all.compare(simulation.world(), &again);
        }
        Ok(all)
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
    for builtin in scene::BUILTIN {
        let file = scene::open(builtin.name, &[])?;
        let settings = &file.scene().settings;
        if settings.mode != Mode::Dynamic || settings.integrator == Integrator::Explicit {
            continue;
        }
        let compared = Comparison::of(&file)?;
        let errors = compared.errors();
        #[expect(clippy::cast_precision_loss, reason = "a few thousand")]
        rows.push(Row {
            group: "balance",
            name: builtin.name.to_owned(),
            solves_per_step: Some(compared.solves as f64 / compared.steps as f64),
            steps: Some(compared.steps),
            compared: Some(errors.len() as u64),
            off: Some(errors.iter().filter(|error| **error > OFF).count() as u64),
            median_error: errors.get(errors.len() / 2).copied(),
            error: errors.last().copied(),
            ..Row::default()
        });
    }
    Ok(rows)
}

pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![format!(
        "                     solves   steps  compared  off by more than {OFF}   force error: median    worst"
    )];
    let error = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1e}"));
    for row in rows {
        lines.push(format!(
            "{:20} {:6.2} {:7} {:9} {:22} {:>21} {:>8}",
            row.name,
            row.solves_per_step.unwrap_or(f64::NAN),
            row.steps.unwrap_or(0),
            row.compared.unwrap_or(0),
            row.off.unwrap_or(0),
            error(row.median_error),
            error(row.error),
        ));
    }
    lines.join("\n")
}
