//! Group `statics`: equilibria of one rod, found from its initial shape.
//!
//! Iterations of the search and the cost of one, beside that of a dynamic pass: a linearly implicit step of
//! the same rod with one solve. The rods have L = 1 m and EI = 1 N·m²; the ratio EA L²/EI says how much
//! stiffer stretch is than bending. Then the other models and sections, and a rod of rubber that bends by its
//! own weight with few segments; its error is that of the tip, relative to the deflection.

use super::{Row, instructions, stopwatch};
use crate::failure::Failure;
use glam::DVec3;
use micado::clock::{Clock, NoClock, WallClock};
use micado::object::rod::Rod;
use micado::scene::{Scene, Solves};
use micado::step::{Stage, StaticParams, StepParams, StepReport, Workspace};
use micado::world::World;
use serde_json::{Value, json};
use std::f64::consts::PI;

const SEGMENTS: [usize; 5] = [8, 40, 100, 400, 1600];
/// Largest number of segments for counting.
const MOST: usize = 1_000_000;
/// EA L²/EI, as text in the name of a counting mode.
const RATIOS: [&str; 4] = ["1e2", "1e4", "1e6", "1e8"];
/// Rod models, and whether the section bends differently in two directions.
const MODELS: [(&str, bool); 5] = [
    ("spline", false),
    ("spline", true),
    ("discrete-elastic", false),
    ("discrete-elastic", true),
    ("beam", false),
];
/// Segments and EA L²/EI of the rods of all models.
const MODEL_SEGMENTS: usize = 100;
const MODEL_RATIO: &str = "1e6";
/// Segments of the rubber rod, and of the mesh that it is compared with: its tip is converged to 1e-8.
const COARSE: [usize; 6] = [2, 3, 4, 6, 8, 12];
const FINE: usize = 400;
/// Step of a dynamic pass, s. Its length does not matter, since the pass starts at rest in equilibrium.
const STEP: f64 = 1e-3;
/// Longest solve whose instructions are counted, s: valgrind takes some hundred times as long.
const COUNTABLE: f64 = 0.01;
/// Numbers of solves of two runs: the difference of their instructions is that of the additional solves.
const COUNTED: [u64; 2] = [1, 3];

/// Load of a rod.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Case {
    /// A cantilever with P L²/EI = 3 at its tip.
    TipLoad3,
    /// A cantilever with P L²/EI = 10 at its tip.
    TipLoad10,
    /// A cantilever that bends by its own weight, w L³/EI = 8.63.
    Heavy,
    /// A column with a clamped foot and twice its Euler load π²EI/(4L²) at its head, a thousandth of it
    /// across.
    Column,
    /// A cable that is shaped as an arc of two radians and hangs from its ends, w L³/EI = 100.
    Cable,
    /// The rubber rod: radius 5 mm, Young's modulus 0.2 GPa, 1100 kg/m³; EA L²/EI = 1.6e5.
    Rubber,
}

impl Case {
    const SWEPT: [Self; 5] = [Self::TipLoad3, Self::TipLoad10, Self::Heavy, Self::Column, Self::Cable];

    fn word(self) -> &'static str {
        match self {
            Self::TipLoad3 => "tip-load-3",
            Self::TipLoad10 => "tip-load-10",
            Self::Heavy => "heavy",
            Self::Column => "column",
            Self::Cable => "cable",
            Self::Rubber => "rubber",
        }
    }

    /// Weight per length, N/m, with masses of as many kg/m.
    fn weight(self) -> f64 {
        match self {
            Self::Heavy => 8.63,
            Self::Cable => 100.0,
            _ => 0.0,
        }
    }

    /// Force at the end, N.
    fn force(self) -> [f64; 3] {
        let column = 2.0 * PI * PI / 4.0;
        match self {
            Self::TipLoad3 => [0.0, 0.0, -3.0],
            Self::TipLoad10 => [0.0, 0.0, -10.0],
            Self::Column => [-column, 0.0, -1e-3 * column],
            _ => [0.0; 3],
        }
    }

    fn scene(self, segments: usize, ratio: f64) -> Value {
        let start = json!({ "on": "rod", "at": "start" });
        let end = json!({ "on": "rod", "at": "end" });
        if self == Self::Rubber {
            return json!({
                "rod": { "rod": { "segments": segments, "radius": 5e-3, "young": 2e8, "density": 1100 } },
                "constraint": { "wall": { "clamp": start } },
            });
        }
        let weight = self.weight();
        let mut rod = json!({
            "segments": segments, "stiffness": { "stretch": ratio, "bend": 1, "twist": 1 },
            "mass_per_length": if weight > 0.0 { weight } else { 1.0 },
        });
        let mut constraint = json!({ "wall": { "clamp": start } });
        if self == Self::Cable {
            let (sine, cosine) = 1.0_f64.sin_cos();
            rod["shape"] = json!({ "arc": { "from": [0, 0, 0], "tangent": [cosine, 0.0, -sine],
                "towards": [sine, 0.0, cosine], "radius": 0.5, "angle": 2.0 } });
            constraint = json!({ "left": { "position": start }, "right": { "position": end } });
        }
        json!({
            "settings": { "gravity": [0.0, 0.0, if weight > 0.0 { -1.0 } else { 0.0 }] },
            "rod": { "rod": rod },
            "constraint": constraint,
            "load": { "tip": { "force": { "on": "rod", "at": "end", "force": self.force() } } },
        })
    }
}

/// A rod of the bench.
#[derive(Clone, Debug)]
struct Setup {
    case: Case,
    /// EA L²/EI, as text in the counting mode.
    ratio: String,
    model: &'static str,
    /// Whether the section bends differently in two directions.
    flat: bool,
    segments: usize,
}

impl Setup {
    fn new(case: Case, ratio: &str, segments: usize) -> Self {
        Self { case, ratio: ratio.to_owned(), model: "spline", flat: false, segments }
    }

    /// Counting mode: `CASE/RATIO/MODEL/SECTION`.
    fn mode(&self) -> String {
        let Self { case, ratio, model, flat, .. } = self;
        format!("{}/{ratio}/{model}/{}", case.word(), if *flat { "flat" } else { "round" })
    }

    /// The rod of a counting mode; words after `SECTION` are ignored.
    fn of_mode(mode: &str, segments: usize) -> Option<Self> {
        let mut words = mode.split('/');
        let (word, ratio, model) = (words.next()?, words.next()?, words.next()?);
        let case = Case::SWEPT.into_iter().chain([Case::Rubber]).find(|case| case.word() == word)?;
        let (model, _) = MODELS.into_iter().find(|(known, _)| *known == model)?;
        let known = ratio.parse::<f64>().is_ok() && (1..=MOST).contains(&segments);
        known.then_some(Self {
            model,
            flat: words.next() == Some("flat"),
            ..Self::new(case, ratio, segments)
        })
    }

    fn scene(&self) -> Value {
        let ratio: f64 = self.ratio.parse().unwrap_or(f64::NAN);
        let mut scene = self.case.scene(self.segments, ratio);
        let rod = &mut scene["rod"]["rod"];
        rod["model"] = self.model.into();
        if self.flat {
            rod["stiffness"]["bend_2"] = 2.0.into();
        }
        scene
    }
}

/// A rod in its initial shape.
struct Search {
    name: String,
    initial: World,
    workspace: Workspace,
}

impl Search {
    fn new(setup: &Setup) -> Result<Self, Failure> {
        let name = setup.mode();
        let problem = |error: String| Failure::Checks(format!("error: {name} of the bench: {error}"));
        let scene: Scene =
            serde_json::from_value(setup.scene()).map_err(|error| problem(error.to_string()))?;
        let initial = World::build(&scene).map_err(|error| problem(error.to_string()))?;
        Ok(Self { name, initial, workspace: Workspace::new() })
    }

    /// The equilibrium from the state of a world.
    fn solve(&mut self, world: &mut World, clock: &dyn Clock) -> StepReport {
        world.equilibrate(0.0, &StaticParams::default(), &mut self.workspace, clock)
    }

    /// A dynamic pass.
    fn pass(&mut self, world: &mut World) {
        let params = StepParams { step: STEP, solves: Solves::ONE, ..StepParams::default() };
        world.step(&params, &mut self.workspace, &NoClock);
    }

    fn tip(&self, world: &World) -> Result<DVec3, Failure> {
        let problem = |error: &dyn std::fmt::Display| {
            Failure::Checks(format!("error: {} of the bench: {error}", self.name))
        };
        let rod = world.object("of", "rod").map_err(|error| problem(&error))?;
        let length = rod.rod().map_or(0.0, Rod::length);
        Ok(world.section(rod, length).map_err(|error| problem(&error))?.position)
    }
}

/// Measures all rods.
pub(super) fn measure(count_instructions: bool) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for case in Case::SWEPT {
        for ratio in RATIOS {
            for segments in SEGMENTS {
                rows.push(measure_rod(&Setup::new(case, ratio, segments), count_instructions)?.0);
            }
        }
    }
    for (model, flat) in MODELS {
        let setup = Setup { model, flat, ..Setup::new(Case::Heavy, MODEL_RATIO, MODEL_SEGMENTS) };
        rows.push(measure_rod(&setup, count_instructions)?.0);
    }
    let rubber = |segments| Setup::new(Case::Rubber, "1.6e5", segments);
    let (_, fine) = measure_rod(&rubber(FINE), false)?;
    for segments in COARSE {
        let (mut row, tip) = measure_rod(&rubber(segments), count_instructions)?;
        row.error = Some(tip.distance(fine) / fine.z.abs());
        rows.push(row);
    }
    Ok(rows)
}

/// One row, and the tip of the rod in equilibrium.
fn measure_rod(setup: &Setup, count_instructions: bool) -> Result<(Row, DVec3), Failure> {
    let (mode, segments) = (setup.mode(), setup.segments);
    let mut search = Search::new(setup)?;
    let mut found = search.initial.clone();
    let report = search.solve(&mut found, &NoClock);
    let repeats = (8000 / segments).clamp(5, 200);
    let clock = WallClock::start();
    let (mut mean, mut worst, mut least) = (0.0, 0.0_f64, f64::MAX);
    // Stages of the fastest solve with timers.
    let mut stages = [f64::MAX; Stage::ALL.len()];
    for _ in 0..repeats {
        let mut world = search.initial.clone();
        let before = clock.now();
        search.solve(&mut world, &NoClock);
        let seconds = clock.now() - before;
        (mean, worst, least) = (mean + seconds / repeats as f64, worst.max(seconds), least.min(seconds));
    }
    for _ in 0..repeats {
        let mut world = search.initial.clone();
        let seconds = search.solve(&mut world, &clock).stage_seconds;
        if seconds.iter().sum::<f64>() < stages.iter().sum() {
            stages = seconds;
        }
    }
    let iterations = report.solves.max(1) as f64;
    let per_iteration = |wanted: &[Stage]| {
        let seconds = wanted.iter().map(|&stage| stages[stage as usize]).sum::<f64>();
        Some(seconds * 1e6 / iterations)
    };
    let tip = search.tip(&found)?;
    let pass = stopwatch::time(4 * repeats, || search.pass(&mut found));
    let counted = |mode: &str| {
        if count_instructions && least < COUNTABLE {
            instructions::additional(mode, segments, COUNTED)
        } else {
            None
        }
    };
    let (unknowns, multipliers) = search.workspace.sizes();
    let row = Row {
        group: "statics",
        name: setup.case.word().to_owned(),
        unknowns,
        multipliers,
        step_us: mean * 1e6,
        worst_step_us: worst * 1e6,
        least_step_us: Some(least * 1e6),
        model: Some(setup.model),
        mode: Some(if setup.flat { "flat" } else { "round" }),
        segments: Some(segments),
        stretch_ratio: setup.ratio.parse().ok(),
        solves_per_step: Some(iterations),
        held: Some(u64::from(!report.converged)),
        assemble_us: per_iteration(&[Stage::LineariseObjects, Stage::LineariseConstraints]),
        factor_us: per_iteration(&[Stage::Factor]),
        solve_us: per_iteration(&[Stage::FreeMotion]),
        commit_us: per_iteration(&[Stage::Commit]),
        pass_us: Some(pass.least),
        instructions: counted(&mode).map(|count| count / report.solves.max(1) as u64),
        pass_instructions: counted(&format!("{mode}/pass")),
        ..Row::default()
    };
    Ok((row, tip))
}

/// The work whose instructions are counted, if this is the mode of a rod: `MODE` finds the equilibrium
/// repeatedly, `MODE/pass` makes dynamic passes from it. The number of clones of the initial world does not
/// depend on the number of solves.
pub(super) fn count(mode: &str, segments: usize, solves: u64) -> Option<Result<(), Failure>> {
    let pass = mode.ends_with("/pass");
    let setup = Setup::of_mode(mode, segments)?;
    Some(Search::new(&setup).map(|mut search| {
        let mut found = search.initial.clone();
        if pass {
            search.solve(&mut found, &NoClock);
            // The first passes order the unknowns and size the arrays.
            (0..2).for_each(|_| search.pass(&mut found));
        }
        for k in 0..COUNTED[1] {
            let mut world = search.initial.clone();
            match (k < solves, pass) {
                (true, true) => search.pass(&mut found),
                (true, false) => _ = search.solve(&mut world, &NoClock),
                (false, _) => {}
            }
        }
    }))
}

/// The rows as a text table: times and instructions of an iteration, and both relative to a dynamic pass of
/// the same rod.
pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        "case         model             EA L²/EI  segments   iterations  whole µs  iteration µs  assemble  \
         factor  solve  commit  passes  instructions  passes tip error"
            .to_owned(),
    ];
    let dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let short = |value: Option<f64>| dash(value.map(|value| format!("{value:.2}")));
    for row in rows {
        let (iterations, least) = (row.solves_per_step.unwrap_or(1.0), row.least_step_us.unwrap_or(0.0));
        let found = row.held == Some(0);
        let counts = row.instructions.zip(row.pass_instructions).map(|(a, b)| a as f64 / b as f64);
        let flat = if row.mode == Some("flat") { ", flat" } else { "" };
        lines.push(format!(
            "{:12} {:17} {:8.1e} {:9} {:>12} {:9.1} {:13.2} {:>9} {:>7} {:>6} {:>7} {:>7} {:>13} {:>7} {:>9}",
            row.name,
            format!("{}{flat}", row.model.unwrap_or_default().trim_end_matches("-elastic")),
            row.stretch_ratio.unwrap_or_default(),
            row.segments.unwrap_or_default(),
            if found { format!("{iterations}") } else { format!("none in {iterations}") },
            least,
            least / iterations,
            short(row.assemble_us),
            short(row.factor_us),
            short(row.solve_us),
            short(row.commit_us),
            short(row.pass_us.map(|pass| least / iterations / pass)),
            dash(row.instructions.map(|count| count.to_string())),
            short(counts),
            dash(row.error.map(|error| format!("{error:.1e}"))),
        ));
    }
    lines.join("\n")
}
