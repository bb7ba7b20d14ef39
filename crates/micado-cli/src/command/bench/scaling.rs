//! Group `scaling`: one isotropic rod, clamped at its start and held at its end, with damping, gravity and a
//! load.
//!
//! Dynamic: one linearly implicit step. Static: one linearised solve, as in figure 2 of the quasi-dynamic
//! splines paper. The rows `band-lu` factor and solve the same matrix with the papers' reordered band LU.

use super::{Row, instructions, stopwatch};
use crate::failure::Failure;
use micado::clock::{Clock, NoClock, WallClock};
use micado::linalg::BandLu;
use micado::scene::{Hessian, Scene};
use micado::step::{Stage, StaticParams, StepParams, StepReport, Workspace};
use micado::world::World;

/// Sizes of the published figures.
const CONTROL_POINTS: [usize; 7] = [20, 50, 100, 200, 1000, 3000, 10_000];
/// Time step, s.
const STEP: f64 = 0.005;

/// Dynamic or static.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Dynamic,
    Static,
}

impl Kind {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Dynamic => "dynamic",
            Self::Static => "static",
        }
    }
}

/// A rod in a typical state.
pub(super) struct Course {
    world: World,
    workspace: Workspace,
    kind: Kind,
}

impl Course {
    pub(super) fn new(kind: Kind, control_points: usize) -> Result<Self, Failure> {
        let segments = control_points - 3;
        // Segments of 2 cm, so that neither step nor material changes with the size.
        let length = 0.02 * segments as f64;
        let text = format!(
            r#"{{"rod": {{"cable": {{"shape": {{"line": {{"from": [0, 0, 0], "to": [{length}, 0, 0]}}}},
                "radius": 0.005, "young": 5e7,
                "density": 1200, "segments": {segments}, "damping": {{"internal": 0.002, "mass": 0.5}}}}}},
               "constraint": {{"left": {{"clamp": {{"on": "cable", "at": "start"}}}},
                   "right": {{"position": {{"on": "cable", "at": "end"}}}}}},
               "load": {{"pull": {{"force": {{"on": "cable", "at": "50 %", "force": [0, 0.2, 0]}}}}}}}}"#
        );
        let problem = |error: String| Failure::Usage(error, "this is an error of the bench".to_owned());
        let scene: Scene = serde_json::from_str(&text).map_err(|error| problem(error.to_string()))?;
        let world = World::build(&scene).map_err(|error| problem(error.to_string()))?;
        let mut course = Self { world, workspace: Workspace::new(), kind: Kind::Dynamic };
        for _ in 0..20 {
            course.step(&NoClock);
        }
        course.kind = kind;
        course.step(&NoClock);
        Ok(course)
    }

    /// One step, or one static solve.
    pub(super) fn step(&mut self, clock: &dyn Clock) -> StepReport {
        match self.kind {
            Kind::Dynamic => self.world.step(
                &StepParams { step: STEP, ..StepParams::default() },
                &mut self.workspace,
                clock,
            ),
            Kind::Static => {
                let params = StaticParams { iterations: 1, hessian: Hessian::Psd, ..StaticParams::default() };
                self.world.equilibrate(self.world.time(), &params, &mut self.workspace, clock)
            }
        }
    }
}

/// Measures all sizes.
pub(super) fn measure(count_instructions: bool) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for kind in [Kind::Dynamic, Kind::Static] {
        for control_points in CONTROL_POINTS {
            rows.push(measure_steps(kind, control_points, count_instructions)?);
        }
    }
    for control_points in CONTROL_POINTS {
        rows.push(measure_band_lu(control_points)?);
    }
    Ok(rows)
}

fn measure_steps(kind: Kind, control_points: usize, count_instructions: bool) -> Result<Row, Failure> {
    let mut course = Course::new(kind, control_points)?;
    let repeats = (400_000 / control_points).clamp(20, 4000);
    // Whole steps without timers in the stages, then the stages.
    let times = stopwatch::time(repeats, || _ = course.step(&NoClock));
    let clock = WallClock::start();
    let mut stages = [0.0; Stage::ALL.len()];
    for _ in 0..repeats {
        for (sum, seconds) in stages.iter_mut().zip(course.step(&clock).stage_seconds) {
            *sum += seconds;
        }
    }
    let stage_us = |wanted: &[Stage]| {
        Some(wanted.iter().map(|&stage| stages[stage as usize]).sum::<f64>() * 1e6 / repeats as f64)
    };
    let (unknowns, multipliers) = course.workspace.sizes();
    Ok(Row {
        group: "scaling",
        name: format!("{}-{control_points}", kind.word()),
        unknowns,
        multipliers,
        step_us: times.mean,
        worst_step_us: times.worst,
        mode: Some(kind.word()),
        control_points: Some(control_points),
        assemble_us: stage_us(&[Stage::LineariseObjects, Stage::LineariseConstraints]),
        factor_us: stage_us(&[Stage::Factor]),
        solve_us: stage_us(&[Stage::FreeMotion]),
        commit_us: stage_us(&[Stage::Commit]),
        step_us_per_control_point: Some(times.least / control_points as f64),
        instructions: if count_instructions {
            instructions::per_step(kind.word(), control_points)
        } else {
            None
        },
        ..Row::default()
    })
}

fn measure_band_lu(control_points: usize) -> Result<Row, Failure> {
    let course = Course::new(Kind::Dynamic, control_points)?;
    let problem = |text: &str| Failure::Usage(text.to_owned(), "this is an error of the bench".to_owned());
    let system = course.workspace.system().ok_or_else(|| problem("the rod was not stepped"))?;
    let (matrix, shift, right_side) = (system.matrix(), system.shift(), system.right_side());
    let mut lu = BandLu::from_blocks(matrix, shift)
        .map_err(|_| problem("the reference solver found the system singular"))?;
    let repeats = (20_000 / control_points).clamp(5, 400);
    let clock = WallClock::start();
    let (mut factor, mut solve, mut worst) = (0.0, 0.0, 0.0_f64);
    let mut x = right_side.to_vec();
    for _ in 0..repeats {
        let start = clock.now();
        lu.refactorise(matrix, shift)
            .map_err(|_| problem("the reference solver found the system singular"))?;
        let middle = clock.now();
        x.copy_from_slice(right_side);
        lu.solve(&mut x);
        let end = clock.now();
        factor += middle - start;
        solve += end - middle;
        worst = worst.max(end - start);
    }
    let mean_us = |seconds: f64| seconds * 1e6 / repeats as f64;
    Ok(Row {
        group: "scaling",
        name: format!("band-lu-{control_points}"),
        unknowns: system.unknowns(),
        multipliers: system.multipliers(),
        step_us: mean_us(factor + solve),
        worst_step_us: worst * 1e6,
        mode: Some("band-lu"),
        control_points: Some(control_points),
        factor_us: Some(mean_us(factor)),
        solve_us: Some(mean_us(solve)),
        step_us_per_control_point: Some(mean_us(factor + solve) / control_points as f64),
        ..Row::default()
    })
}
