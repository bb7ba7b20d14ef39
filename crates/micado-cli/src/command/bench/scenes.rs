//! Group `scenes`: every built-in scene, stepped as in a run.
//!
//! The share of constraints is the time to linearise them, the additional time to factor and solve compared
//! with the same objects without constraints, and the stages of non-smooth rows. The reference step repeats
//! the same steps with the papers' solver, reverse Cuthill–McKee and band LU, in place of ours.

use super::Row;
use super::published::{self, Counted};
use crate::failure::Failure;
use crate::scene_args::build;
use micado::clock::{Clock, NoClock, WallClock};
use micado::describe::signal::Signal;
use micado::linalg::BandLu;
use micado::run::Simulation;
use micado::scene::{Kind, Mode, Scene};
use micado::step::Stage;
use micado_io::matrix::Scalars;
use micado_io::scene::{self, SceneFile};

/// Largest number of timed steps of a scene.
const MOST_STEPS: u64 = 400;
/// Runs of a scene. They are identical bit for bit, so the least time of each step is its cost; the rest is
/// due to other load of the machine.
const RUNS: usize = 4;

pub(super) fn measure(names: &[&str]) -> Result<Vec<Row>, Failure> {
    names.iter().map(|name| measure_scene(name)).collect()
}

/// The least measurement of `step` over several runs, for every step.
fn least_of_runs<const N: usize>(
    begin: impl Fn() -> Result<Simulation, Failure>,
    mut step: impl FnMut(&mut Simulation) -> [f64; N],
) -> Result<Vec<[f64; N]>, Failure> {
    let mut least: Vec<[f64; N]> = Vec::new();
    for run in 0..RUNS {
        let mut simulation = begin()?;
        simulation.settle(&NoClock);
        while !simulation.finished() && simulation.steps() < MOST_STEPS {
            let k = simulation.steps() as usize;
            let measured = step(&mut simulation);
            if run == 0 {
                least.push(measured);
            } else if let Some(least) = least.get_mut(k) {
                least.iter_mut().zip(measured).for_each(|(least, value)| *least = least.min(value));
            }
        }
    }
    Ok(least)
}

/// Mean and largest of all steps, µs.
fn mean_and_worst(steps: &[[f64; 1]]) -> (f64, f64) {
    let sum: f64 = steps.iter().flatten().sum();
    (
        sum * 1e6 / steps.len().max(1) as f64,
        steps.iter().flatten().fold(0.0_f64, |worst, &seconds| worst.max(seconds)) * 1e6,
    )
}

/// Durations of whole steps, without timers in the stages.
fn whole_steps(begin: impl Fn() -> Result<Simulation, Failure>) -> Result<Vec<[f64; 1]>, Failure> {
    let clock = WallClock::start();
    least_of_runs(begin, |simulation| {
        let before = clock.now();
        simulation.step(&NoClock);
        [clock.now() - before]
    })
}

/// Mean times of the parts of a step, µs.
struct Parts {
    stages: [f64; STAGES],
    /// Factor and solve by the reference.
    reference: f64,
    /// Linearised solves.
    solves: f64,
}

const STAGES: usize = Stage::ALL.len();

impl Parts {
    /// The stages of every step, and the reference solver on the system of each.
    fn measure(begin: impl Fn() -> Result<Simulation, Failure>) -> Result<Self, Failure> {
        let clock = WallClock::start();
        let mut solver: Option<BandLu> = None;
        let mut x = Vec::new();
        let steps = least_of_runs::<{ STAGES + 2 }>(begin, |simulation| {
            let report = simulation.step(&clock);
            let reference = simulation.workspace().system().map_or(f64::NAN, |system| {
                let (matrix, shift) = (system.matrix(), system.shift());
                if solver.is_none() {
                    solver = BandLu::from_blocks(matrix, shift).ok();
                }
                x.clear();
                x.extend_from_slice(system.right_side());
                let before = clock.now();
                let Some(lu) = solver.as_mut() else { return f64::NAN };
                if lu.refactorise(matrix, shift).is_err() {
                    return f64::NAN;
                }
                lu.solve(&mut x);
                (clock.now() - before) * report.solves as f64
            });
            let mut measured = [0.0; STAGES + 2];
            measured[..STAGES].copy_from_slice(&report.stage_seconds);
            (measured[STAGES], measured[STAGES + 1]) = (reference, report.solves as f64);
            measured
        })?;
        let mean = |k: usize| steps.iter().map(|step| step[k]).sum::<f64>() / steps.len().max(1) as f64;
        Ok(Self {
            stages: std::array::from_fn(|k| mean(k) * 1e6),
            reference: mean(STAGES) * 1e6,
            solves: mean(STAGES + 1),
        })
    }

    fn of(&self, wanted: &[Stage]) -> f64 {
        wanted.iter().map(|&stage| self.stages[stage as usize]).sum()
    }

    /// Duration of a step with the reference in place of our factor and solve.
    fn reference_step(&self) -> Option<f64> {
        let step =
            self.stages.iter().sum::<f64>() - self.of(&[Stage::Factor, Stage::FreeMotion]) + self.reference;
        step.is_finite().then_some(step)
    }

    /// Time of constraints in a step; `bare` is the scene without them.
    fn constraints(&self, bare: &Self) -> f64 {
        let algebra = |parts: &Self| parts.of(&[Stage::Factor, Stage::FreeMotion]) / parts.solves.max(1.0);
        let added = (algebra(self) - algebra(bare)).max(0.0) * self.solves;
        self.of(&[
            Stage::LineariseConstraints,
            Stage::BuildCompliance,
            Stage::SolveConstraints,
            Stage::Correct,
        ]) + added
    }
}

/// The objects of a scene without constraints and loads.
fn bare(scene: &Scene) -> Scene {
    let mut bare = Scene { probe: Vec::new(), action: Vec::new(), ..scene.clone() };
    Kind::ALL.iter().filter(|kind| !kind.is_object()).for_each(|kind| bare.clear(*kind));
    (bare.settings.settle, bare.settings.gravity) = (false, Signal::Constant([0.0; 3]));
    bare
}

fn measure_scene(name: &str) -> Result<Row, Failure> {
    let file = scene::open(name, &published::overrides(name))?;
    let (step_us, worst_step_us) = mean_and_worst(&whole_steps(|| build(&file))?);
    let mut row = Row { group: "scenes", name: name.to_owned(), step_us, worst_step_us, ..Row::default() };
    // A static solve iterates until it converges; its parts are not those of a step.
    if file.scene().settings.mode == Mode::Dynamic {
        let parts = Parts::measure(|| build(&file))?;
        let alone = bare(file.scene());
        let alone = Parts::measure(|| {
            Simulation::build(&alone).map_err(|error| Failure::Scene(file.explain(&error)))
        })?;
        // Scaled to the step without timers: the machine may have been slower.
        let scale = step_us / parts.stages.iter().sum::<f64>();
        row.constraint_us = Some(if file.scene().constraint.is_empty() {
            0.0
        } else {
            scale * parts.constraints(&alone).min(parts.of(&Stage::ALL))
        });
        row.reference_step_us = parts.reference_step().map(|us| scale * us);
    }
    describe(row, &file)
}

/// Adds sizes, counts, orders and published figures.
fn describe(mut row: Row, file: &SceneFile) -> Result<Row, Failure> {
    let mut simulation = build(file)?;
    simulation.share_system();
    // The largest size: objects are added and removed.
    while !simulation.finished() {
        simulation.step(&NoClock);
        let Some(system) = simulation.workspace().system() else { continue };
        if system.unknowns() + system.multipliers() <= row.unknowns + row.multipliers {
            continue;
        }
        (row.unknowns, row.multipliers) = (system.unknowns(), system.multipliers());
        let scalars = Scalars::of(system, simulation.world().structure());
        row.flops = Some(system.flops());
        row.half_bandwidth = Some(scalars.factored(system).half_bandwidth);
        let paper = scalars.reordered(system).half_bandwidth;
        row.paper_order_half_bandwidth = Some(paper);
        row.paper_order_flops = Some(BandLu::flops(scalars.len(), paper));
    }
    let Some(published) = published::of(file.short_name()) else { return Ok(row) };
    let Counted { absolute, relative } = published::count_paper_rows(file)?;
    row.multipliers_absolute = Some(absolute);
    row.multipliers_relative = Some(relative);
    row.paper_step_us = Some(published.step_us);
    row.paper_constraint_us = Some(published.constraint_us);
    row.paper_rows_step_us = Some(mean_and_worst(&whole_steps(|| published::with_paper_rows(file))?).0);
    Ok(row)
}

/// The table of the group.
pub(super) fn table(rows: &[Row]) -> String {
    let number = |value: Option<f64>, digits: usize| {
        value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
    };
    let ratio = |a: Option<f64>, b: f64| number(a.map(|a| a / b), 1);
    let mut lines = vec![
        "scenes            unknowns  rows     step µs    worst µs  of it constraints  flops of factor  \
             half bandwidth  band LU step µs  ratio"
            .to_owned(),
    ];
    for row in rows {
        lines.push(format!(
            "{:17} {:8} {:5} {:11.1} {:11.1} {:>18} {:>16} {:>15} {:>16} {:>6}",
            row.name,
            row.unknowns,
            row.multipliers,
            row.step_us,
            row.worst_step_us,
            number(row.constraint_us, 1),
            row.flops.map_or_else(|| "-".to_owned(), |flops| format!("{:.1e}", flops as f64)),
            row.half_bandwidth.map_or_else(|| "-".to_owned(), |bandwidth| bandwidth.to_string()),
            number(row.reference_step_us, 1),
            ratio(row.reference_step_us, row.step_us),
        ));
    }
    lines.push(String::new());
    lines.push(
        "beside the paper  abs. λ  rel. λ  constraints µs: ours  paper     step µs: ours  with its rows   \
         paper    rate/paper's  its order: flops  half bandwidth"
            .to_owned(),
    );
    for row in rows.iter().filter(|row| row.paper_step_us.is_some()) {
        lines.push(format!(
            "{:17} {:>6} {:>7} {:>21} {:>6} {:>18.1} {:>14} {:>7} {:>15} {:>17} {:>15}",
            row.name,
            row.multipliers_absolute.unwrap_or(0),
            row.multipliers_relative.unwrap_or(0),
            number(row.constraint_us, 1),
            number(row.paper_constraint_us, 0),
            row.step_us,
            number(row.paper_rows_step_us, 1),
            number(row.paper_step_us, 0),
            ratio(row.paper_step_us, row.step_us),
            row.paper_order_flops.map_or_else(|| "-".to_owned(), |flops| format!("{:.1e}", flops as f64)),
            row.paper_order_half_bandwidth.map_or_else(|| "-".to_owned(), |bandwidth| bandwidth.to_string()),
        ));
    }
    lines.push(
        "λ and Δu counted as the paper does, with its rows; its machine was a laptop of 2 GHz (2008)."
            .to_owned(),
    );
    lines.join("\n")
}
