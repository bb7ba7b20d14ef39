//! Group `bodies`: chains of rigid bars on ball joints or hinges that begin to fall, and the stages of a step
//! with the joints of table 1 of the paper on unified interaction of constraints.
//!
//! The paper measured 15 rows of bilateral joints between rigid cubes on its own machine. Its table includes
//! collision detection; ours does not.

use super::{Row, instructions, stopwatch};
use crate::failure::Failure;
use micado::clock::{Clock, NoClock, WallClock};
use micado::scene::{ConstraintMethod, Scene};
use micado::step::{Stage, StepParams, StepReport, Workspace};
use micado::world::World;
use serde_json::{Map, Value, json};

/// Numbers of bodies, each on one joint.
const BODIES: [usize; 4] = [10, 100, 1000, 10_000];
/// Instructions are counted up to this number of bodies: building a larger scene under valgrind takes
/// minutes.
const COUNTED: usize = 1000;
/// Largest number of bodies that a user may request.
pub(super) const MOST: usize = 100_000;
/// Time step, s.
const STEP: f64 = 0.005;
/// Number of cubes; their ball joints have 15 rows in all.
const CUBES: usize = 5;

/// Numbers of bodies of the chains that are also swept. The number of sweeps grows with the square of this
/// number.
const SWEPT: [usize; 3] = [5, 10, 20];

/// Stages of table 1, ms on the paper's machine, and the stages of a step that do the same work.
const PUBLISHED: [(&str, f64, &[Stage]); 5] = [
    ("free motion", 0.6, &[Stage::LineariseObjects, Stage::Factor, Stage::FreeMotion]),
    ("collision detection", 0.3, &[]),
    ("constraints creation", 0.08, &[Stage::OrderUnknowns, Stage::LineariseConstraints]),
    ("resolution", 0.02, &[Stage::BuildCompliance, Stage::SolveConstraints]),
    ("movement correction", 0.05, &[Stage::Correct, Stage::Commit]),
];

/// A kind of joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Ball,
    Hinge,
}

impl Kind {
    pub(super) const ALL: [Self; 2] = [Self::Ball, Self::Hinge];

    /// Name of the work whose instructions are counted.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Ball => "ball-chain",
            Self::Hinge => "hinge-chain",
        }
    }
}

/// A chain of bars of 0.1 m, horizontal at first and held at its first end.
pub(super) struct Chain {
    world: World,
    workspace: Workspace,
}

impl Chain {
    pub(super) fn new(kind: Kind, bodies: usize) -> Result<Self, Failure> {
        Self::with_method(kind, bodies, ConstraintMethod::Factored)
    }

    /// A chain whose joints are factored or swept.
    fn with_method(kind: Kind, bodies: usize, method: ConstraintMethod) -> Result<Self, Failure> {
        let (mut bars, mut joints) = (Map::new(), Map::new());
        for k in 0..bodies {
            let bar = json!({"shape": {"box": {"size": [0.1, 0.02, 0.02]}}, "density": 1000,
                "position": [0.1 * k as f64 + 0.05, 0, 0]});
            bars.insert(format!("bar-{k}"), bar);
            let mut joint = json!({"on": format!("bar-{k}"), "at": [-0.05, 0, 0]});
            joint["kind"] = json!(if kind == Kind::Ball { "ball" } else { "hinge" });
            if kind == Kind::Hinge {
                joint["axis"] = json!([0, 1, 0]);
            }
            if k > 0 {
                joint["to"] = json!({"on": format!("bar-{}", k - 1), "at": [0.05, 0, 0]});
            }
            joints.insert(format!("joint-{k}"), json!({"joint": joint}));
        }
        let scene = json!({"body": Value::Object(bars), "constraint": Value::Object(joints)});
        let mut scene: Scene = serde_json::from_value(scene).map_err(|error| problem(&error.to_string()))?;
        scene.settings.constraints = method;
        let world = World::build(&scene).map_err(|error| problem(&error.to_string()))?;
        let mut chain = Self { world, workspace: Workspace::new() };
        for _ in 0..20 {
            chain.step(&NoClock);
        }
        Ok(chain)
    }

    /// Makes one step.
    pub(super) fn step(&mut self, clock: &dyn Clock) -> StepReport {
        let params = StepParams { step: STEP, ..StepParams::default() };
        self.world.step(&params, &mut self.workspace, clock)
    }
}

fn problem(text: &str) -> Failure {
    Failure::Usage(text.to_owned(), "this is an error of the bench".to_owned())
}

/// Measures all chains, then the stages of 15 rows.
pub(super) fn measure(count_instructions: bool) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for kind in Kind::ALL {
        let begun = rows.len();
        for bodies in BODIES {
            rows.push(measure_chain(kind, bodies, count_instructions)?);
        }
        let least = |row: &Row| row.least_step_us.unwrap_or(row.step_us);
        let points: Vec<(f64, f64)> =
            rows[begun..].iter().map(|row| (row.count.unwrap_or(0) as f64, least(row))).collect();
        rows.push(Row {
            group: "bodies",
            name: format!("{}, slope", kind.word()),
            step_us: slope(&points),
            ..Row::default()
        });
    }
    for bodies in SWEPT {
        rows.push(measure_method(bodies, ConstraintMethod::Factored)?);
        rows.push(measure_method(bodies, ConstraintMethod::Swept)?);
    }
    rows.extend(measure_stages()?);
    Ok(rows)
}

/// Slope of the line through points by least squares.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
    let (top, bottom) = points.iter().fold((0.0, 0.0), |(top, bottom), point| {
        let off = point.0 - x;
        (top + off * (point.1 - y), bottom + off * off)
    });
    top / bottom
}

fn measure_chain(kind: Kind, bodies: usize, count_instructions: bool) -> Result<Row, Failure> {
    let mut chain = Chain::new(kind, bodies)?;
    let repeats = (20_000 / bodies).clamp(20, 400);
    let (mut solves, mut divided, mut held) = (0, 0, 0);
    let times = stopwatch::time(repeats, || {
        let report = chain.step(&NoClock);
        solves += report.solves;
        divided += u64::from(report.substeps > 1);
        held += u64::from(report.held);
    });
    let (unknowns, multipliers) = chain.workspace.sizes();
    Ok(Row {
        group: "bodies",
        name: format!("{}-{bodies}", kind.word()),
        unknowns,
        multipliers,
        step_us: times.mean,
        worst_step_us: times.worst,
        least_step_us: Some(times.least),
        count: Some(bodies),
        solves_per_step: Some(solves as f64 / repeats as f64),
        divided: Some(divided),
        held: Some(held),
        instructions: if count_instructions && bodies <= COUNTED {
            instructions::per_step(kind.word(), bodies)
        } else {
            None
        },
        ..Row::default()
    })
}

/// A chain on ball joints with factored or swept rows: time and sweeps of a step.
fn measure_method(bodies: usize, method: ConstraintMethod) -> Result<Row, Failure> {
    const STEPS: usize = 40;
    let mut chain = Chain::with_method(Kind::Ball, bodies, method)?;
    let (mut sweeps, mut unfinished, mut solves) = (0, 0, 0);
    let times = stopwatch::time(STEPS, || {
        let report = chain.step(&NoClock);
        sweeps += report.sweeps;
        solves += report.solves;
        unfinished += u64::from(!report.has_final_forces());
    });
    let (unknowns, multipliers) = chain.workspace.sizes();
    Ok(Row {
        group: "bodies",
        name: format!("{}-{bodies}", Kind::Ball.word()),
        mode: Some(if method == ConstraintMethod::Swept { "swept" } else { "factored" }),
        unknowns,
        multipliers,
        step_us: times.mean,
        worst_step_us: times.worst,
        least_step_us: Some(times.least),
        count: Some(bodies),
        solves_per_step: Some(solves as f64 / STEPS as f64),
        sweeps_per_step: Some(sweeps as f64 / STEPS as f64),
        unfinished_steps: Some(unfinished),
        ..Row::default()
    })
}

/// Stages of a step with the rows of table 1, beside the published times.
fn measure_stages() -> Result<Vec<Row>, Failure> {
    const STEPS: usize = 400;
    let mut chain = Chain::new(Kind::Ball, CUBES)?;
    let clock = WallClock::start();
    let mut stages = [0.0; Stage::ALL.len()];
    for _ in 0..STEPS {
        for (sum, seconds) in stages.iter_mut().zip(chain.step(&clock).stage_seconds) {
            *sum += seconds;
        }
    }
    let (unknowns, multipliers) = chain.workspace.sizes();
    let row = |(name, paper_ms, ours): (&str, f64, &[Stage])| Row {
        group: "bodies",
        name: format!("table 1, {name}"),
        unknowns,
        multipliers,
        step_us: ours.iter().map(|&stage| stages[stage as usize]).sum::<f64>() * 1e6 / STEPS as f64,
        paper_step_us: Some(1e3 * paper_ms),
        ..Row::default()
    };
    Ok(PUBLISHED.into_iter().map(row).collect())
}

/// Chains with their slopes, then the stages.
pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        "bodies                unknowns    rows     step µs    least µs  least/body  solves  divided \
         instr/body"
            .to_owned(),
    ];
    let (stages, others): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.paper_step_us.is_some());
    let (compared, chains): (Vec<&Row>, Vec<&Row>) = others.into_iter().partition(|row| row.mode.is_some());
    for row in chains {
        let Some(bodies) = row.count else {
            lines.push(format!("{}: {:.2} µs per body and joint", row.name, row.step_us));
            continue;
        };
        let (least, bodies) = (row.least_step_us.unwrap_or(f64::NAN), bodies as f64);
        let counted =
            row.instructions.map_or_else(|| "-".to_owned(), |count| format!("{:.0}", count as f64 / bodies));
        lines.push(format!(
            "{:20} {:9} {:7} {:11.1} {:11.1} {:11.3} {:7.2} {:8} {counted:>10}",
            row.name,
            row.unknowns,
            row.multipliers,
            row.step_us,
            least,
            least / bodies,
            row.solves_per_step.unwrap_or(f64::NAN),
            row.divided.unwrap_or(0),
        ));
    }
    lines.push(String::new());
    lines.push("rows of ball joints              rows     step µs  sweeps/step  not converged".to_owned());
    for row in compared {
        lines.push(format!(
            "{:16} {:10} {:9} {:11.1} {:12.1} {:14}",
            row.name,
            row.mode.unwrap_or(""),
            row.multipliers,
            row.step_us,
            row.sweeps_per_step.unwrap_or(f64::NAN),
            row.unfinished_steps.unwrap_or(0),
        ));
    }
    lines.push(String::new());
    lines.push("15 rows of ball joints         µs    paper µs, on its machine".to_owned());
    for row in stages {
        let ours =
            if row.name.ends_with("detection") { "-".to_owned() } else { format!("{:.2}", row.step_us) };
        lines.push(format!(
            "{:28} {ours:>6} {:11.0}",
            row.name.trim_start_matches("table 1, "),
            row.paper_step_us.unwrap_or(f64::NAN),
        ));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{CUBES, Chain, ConstraintMethod, Kind, measure_method, slope};
    use micado::clock::NoClock;

    #[test]
    fn slope_of_a_line_is_found() {
        let points = [10.0, 100.0, 1000.0].map(|x| (x, 3.0 + 2.5 * x));
        assert!((slope(&points) - 2.5).abs() < 1e-12);
    }

    #[test]
    fn only_swept_chains_have_sweeps() {
        let factored = measure_method(CUBES, ConstraintMethod::Factored).unwrap();
        let swept = measure_method(CUBES, ConstraintMethod::Swept).unwrap();
        assert_eq!(factored.sweeps_per_step, Some(0.0));
        assert!(swept.sweeps_per_step.unwrap() > 10.0 && swept.unfinished_steps == Some(0));
        assert_eq!(factored.multipliers, swept.multipliers);
    }

    #[test]
    fn cubes_have_the_rows_of_the_published_table() {
        let mut chain = Chain::new(Kind::Ball, CUBES).unwrap();
        assert!(!chain.step(&NoClock).held);
        assert_eq!(chain.workspace.sizes().1, 15);
    }
}
