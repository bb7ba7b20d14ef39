//! Group `discrete`: one falling discrete elastic rod, clamped at its start.
//!
//! Linearly implicit steps of an extensible and of an inextensible rod, and explicit steps with three
//! iterations of the projection; these also with the numbers of vertices of table 1 of the discrete elastic
//! rods paper, beside its times without contact on a Core 2 Duo of 2.66 GHz.

use super::{Row, instructions, stopwatch};
use crate::failure::Failure;
use micado::clock::{Clock, NoClock};
use micado::scene::{Integrator, Scene, Solves};
use micado::step::{StepParams, StepReport, Workspace};
use micado::world::World;

const VERTICES: [usize; 3] = [100, 1000, 10_000];
/// Vertices, and forces, quasistatic update and fast projection of a step, µs, of figures 1, 5, 6, 9 and 12.
const PUBLISHED: [(usize, f64); 5] = [(60, 257.0), (49, 166.0), (200, 946.0), (275, 720.0), (2158, 22_510.0)];
/// Largest number of vertices for counting.
pub(super) const MOST: usize = 20_000_000;
/// Implicit step, and an explicit one below the limit of stability of these edges, 0.39 ms; s.
const STEP: f64 = 5e-3;
const EXPLICIT_STEP: f64 = 3e-4;
/// Iterations of the projection in an explicit step; two would do.
const ITERATIONS: usize = 3;

/// Kind of step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Extensible,
    Inextensible,
    Explicit,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Extensible, Self::Inextensible, Self::Explicit];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Extensible => "extensible",
            Self::Inextensible => "inextensible",
            Self::Explicit => "explicit",
        }
    }
}

/// A falling rod.
pub(super) struct Fall {
    world: World,
    workspace: Workspace,
    params: StepParams,
}

impl Fall {
    pub(super) fn new(kind: Kind, vertices: usize) -> Result<Self, Failure> {
        let segments = vertices - 2;
        let length = 0.02 * segments as f64;
        let explicit = kind == Kind::Explicit;
        let text = format!(
            r#"{{"rod": {{"cable": {{"model": "discrete-elastic", "inextensible": {},
                    "shape": {{"line": {{"from": [0, 0, 0], "to": [{length}, 0, 0]}}}},
                "radius": 0.005, "young": 5e7, "density": 1200, "segments": {segments}}}}},
               "constraint": {{"left": {{"clamp": {{"on": "cable", "at": "start"}}}}}},
               "settings": {{"integrator": "{}"}}}}"#,
            kind == Kind::Inextensible,
            if explicit { "explicit" } else { "euler" },
        );
        let problem = |error: String| Failure::Usage(error, "this is an error of the bench".to_owned());
        let scene: Scene = serde_json::from_str(&text).map_err(|error| problem(error.to_string()))?;
        let world = World::build(&scene).map_err(|error| problem(error.to_string()))?;
        let params = StepParams {
            step: if explicit { EXPLICIT_STEP } else { STEP },
            solves: if explicit { Solves::Exactly(ITERATIONS) } else { Solves::Auto },
            integrator: if explicit { Integrator::Explicit } else { Integrator::Euler },
            ..StepParams::default()
        };
        let mut fall = Self { world, workspace: Workspace::new(), params };
        for _ in 0..20 {
            fall.step(&NoClock);
        }
        Ok(fall)
    }

    pub(super) fn step(&mut self, clock: &dyn Clock) -> StepReport {
        self.world.step(&self.params, &mut self.workspace, clock)
    }
}

/// Measures all sizes.
pub(super) fn measure(count_instructions: bool) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        for vertices in VERTICES {
            rows.push(measure_steps(kind, vertices, None, count_instructions)?);
        }
    }
    for (vertices, published) in PUBLISHED {
        rows.push(measure_steps(Kind::Explicit, vertices, Some(published), count_instructions)?);
    }
    Ok(rows)
}

fn measure_steps(
    kind: Kind,
    vertices: usize,
    published: Option<f64>,
    count_instructions: bool,
) -> Result<Row, Failure> {
    let mut fall = Fall::new(kind, vertices)?;
    let repeats = (200_000 / vertices).clamp(20, 2000);
    let mut solves = 0;
    let times = stopwatch::time(repeats, || solves += fall.step(&NoClock).solves);
    let (unknowns, multipliers) = fall.workspace.sizes();
    Ok(Row {
        group: "discrete",
        name: format!("{}-{vertices}", kind.word()),
        unknowns,
        multipliers,
        step_us: times.mean,
        worst_step_us: times.worst,
        mode: Some(kind.word()),
        control_points: Some(vertices),
        paper_step_us: published,
        solves_per_step: Some(solves as f64 / repeats as f64),
        step_us_per_control_point: Some(times.least / vertices as f64),
        instructions: if count_instructions { instructions::per_step(kind.word(), vertices) } else { None },
        ..Row::default()
    })
}

/// The rows as a text table.
pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        "group     name                 vertices  rows     step µs    worst µs   µs/vertex  solves  \
         instr/vertex    paper µs"
            .to_owned(),
    ];
    for row in rows {
        let vertices = row.control_points.unwrap_or(1);
        let dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
        lines.push(format!(
            "{:9} {:20} {:8} {:5} {:11.2} {:11.2} {:>11} {:>7} {:>13} {:>11}",
            row.group,
            row.name,
            vertices,
            row.multipliers,
            row.step_us,
            row.worst_step_us,
            dash(row.step_us_per_control_point.map(|value| format!("{value:.4}"))),
            dash(row.solves_per_step.map(|value| format!("{value:.2}"))),
            dash(row.instructions.map(|count| format!("{:.0}", count as f64 / vertices as f64))),
            dash(row.paper_step_us.map(|value| format!("{value:.0}"))),
        ));
    }
    lines.join("\n")
}
