//! Group `sliding`: one rod of 8000 segments with up to 1000 keyholes, or pearls, as in figure 4 of the
//! MICADO paper.
//!
//! The rod stays the same, so the growth is the cost of the sliders. It has eight segments for each of the
//! largest number, so that the segments which two sliders reserve don't overlap. The cost is linear if each
//! slider costs the same: a line is fitted through all sizes, and the largest deviation is reported.

use super::{Row, instructions, stopwatch};
use crate::failure::Failure;
use micado::clock::{Clock, NoClock};
use micado::scene::Scene;
use micado::step::{StepParams, StepReport, Workspace};
use micado::world::World;
use serde_json::json;

/// Numbers of keyholes or pearls; the first is the rod alone.
const COUNTS: [usize; 8] = [0, 1, 3, 10, 30, 100, 300, MOST];
/// Most of them.
pub(super) const MOST: usize = 1000;
/// Numbers for which instructions are counted.
const COUNTED: [usize; 5] = [0, 1, 10, 100, MOST];
const SEGMENTS: usize = 8000;
/// Length of a segment, m.
const SEGMENT: f64 = 0.02;
/// Time step, s.
const STEP: f64 = 0.005;
const REPEATS: usize = 100;

/// Kind of slider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slider {
    /// Frictionless eyes that stand still: 3 rows and Δu each.
    Keyhole,
    /// Masses of a gram: Δu each.
    Pearl,
}

impl Slider {
    pub(super) const ALL: [Self; 2] = [Self::Keyhole, Self::Pearl];

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Keyhole => "keyhole",
            Self::Pearl => "pearl",
        }
    }
}

/// A rod with sliders.
pub(super) struct Threaded {
    world: World,
    workspace: Workspace,
}

impl Threaded {
    pub(super) fn new(slider: Slider, count: usize) -> Result<Self, Failure> {
        let length = SEGMENT * SEGMENTS as f64;
        let mut constraint = json!({
            "left": { "clamp": { "on": "cable", "at": "start" } },
            "right": { "position": { "on": "cable", "at": "end" } },
        });
        for k in 0..count {
            let at = length * (k as f64 + 0.5) / count as f64;
            constraint[format!("slider-{k}")] = match slider {
                Slider::Keyhole => json!({ "keyhole": { "on": "cable", "at": at, "viscosity": 0.1 } }),
                Slider::Pearl => {
                    json!({ "pearl": { "on": "cable", "at": at, "mass": 0.001, "radius": 0.002,
                        "viscosity": 0.01 } })
                }
            };
        }
        let scene = json!({
            "rod": { "cable": {
                "shape": { "line": { "from": [0, 0, 0], "to": [length, 0, 0] } },
                "radius": 0.005, "young": 5e7, "density": 1200, "segments": SEGMENTS,
                    "damping": { "internal": 0.002, "mass": 0.5 },
            } },
            "constraint": constraint,
        });
        let problem = |error: String| Failure::Usage(error, "this is an error of the bench".to_owned());
        let scene: Scene = serde_json::from_value(scene).map_err(|error| problem(error.to_string()))?;
        let world = World::build(&scene).map_err(|error| problem(error.to_string()))?;
        let mut threaded = Self { world, workspace: Workspace::new() };
        for _ in 0..10 {
            threaded.step(&NoClock);
        }
        Ok(threaded)
    }

    /// One dynamic step.
    pub(super) fn step(&mut self, clock: &dyn Clock) -> StepReport {
        self.world.step(&StepParams { step: STEP, ..StepParams::default() }, &mut self.workspace, clock)
    }
}

/// Measures all numbers of both kinds.
pub(super) fn measure(count_instructions: bool) -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for slider in Slider::ALL {
        for count in COUNTS {
            let mut threaded = Threaded::new(slider, count)?;
            let times = stopwatch::time(REPEATS, || _ = threaded.step(&NoClock));
            let (unknowns, multipliers) = threaded
                .workspace
                .system()
                .map_or((0, 0), |system| (system.unknowns(), system.multipliers()));
            rows.push(Row {
                group: "sliding",
                name: format!("{}-{count}", slider.word()),
                unknowns,
                multipliers,
                step_us: times.mean,
                worst_step_us: times.worst,
                least_step_us: Some(times.least),
                count: Some(count),
                instructions: if count_instructions && COUNTED.contains(&count) {
                    instructions::per_step(slider.word(), count)
                } else {
                    None
                },
                ..Row::default()
            });
        }
    }
    Ok(rows)
}

/// A fitted line, y = a + b n, and its deviation.
#[derive(Clone, Copy, Debug)]
struct Line {
    start: f64,
    slope: f64,
    /// Largest |y − a − b n| as a share of the growth over all sizes.
    off: f64,
}

/// The least-squares line through the points (n, y).
fn line(points: &[(f64, f64)]) -> Line {
    let n = points.len() as f64;
    let mean = |f: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(f).sum::<f64>() / n;
    let (x, y) = (mean(&|p| p.0), mean(&|p| p.1));
    let slope = mean(&|p| (p.0 - x) * (p.1 - y)) / mean(&|p| (p.0 - x).powi(2));
    let start = y - slope * x;
    let reach = points.iter().map(|p| p.0).fold(0.0, f64::max);
    let off =
        points.iter().map(|p| (p.1 - start - slope * p.0).abs()).fold(0.0, f64::max) / (slope * reach).abs();
    Line { start, slope, off }
}

/// The table of the group.
pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        "sliding           on the rod  unknowns  rows     step µs    least µs    worst µs   instructions   \
         each: µs  instructions"
            .to_owned(),
    ];
    for slider in Slider::ALL {
        let of: Vec<&Row> = rows.iter().filter(|row| row.name.starts_with(slider.word())).collect();
        let Some(alone) = of.first() else { continue };
        for row in &of {
            let count = row.count.unwrap_or(0);
            // Cost of each slider beyond the rod.
            let each = |value: Option<f64>, base: Option<f64>, digits: usize| {
                value
                    .zip(base)
                    .filter(|_| count > 0)
                    .map_or_else(|| "-".to_owned(), |(v, b)| format!("{:.digits$}", (v - b) / count as f64))
            };
            let instructions = |row: &Row| row.instructions.map(|n| n as f64);
            lines.push(format!(
                "{:17} {count:10} {:9} {:5} {:11.1} {:11.1} {:11.1} {:>14} {:>10} {:>13}",
                row.name,
                row.unknowns,
                row.multipliers,
                row.step_us,
                row.least_step_us.unwrap_or(f64::NAN),
                row.worst_step_us,
                row.instructions.map_or_else(|| "-".to_owned(), |n| n.to_string()),
                each(row.least_step_us, alone.least_step_us, 3),
                each(instructions(row), instructions(alone), 0),
            ));
        }
        let points = |value: &dyn Fn(&Row) -> Option<f64>| -> Vec<(f64, f64)> {
            of.iter().filter_map(|row| Some((row.count? as f64, value(row)?))).collect()
        };
        let time = line(&points(&|row| row.least_step_us));
        lines.push(format!(
            "  {}: {:.1} µs + {:.3} µs each, off the line by {:.1} % of the growth at most",
            slider.word(),
            time.start,
            time.slope,
            100.0 * time.off
        ));
        let counted = points(&|row| row.instructions.map(|n| n as f64));
        if counted.len() == COUNTED.len() {
            let line = line(&counted);
            lines.push(format!(
                "  {}: {:.0} + {:.0} instructions each, off the line by {:.2} % of the growth at most",
                slider.word(),
                line.start,
                line.slope,
                100.0 * line.off
            ));
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{Slider, Threaded, line};
    use micado::clock::NoClock;

    #[test]
    fn a_line_is_fitted_and_its_deviation_reported() {
        let exact = line(&[(0.0, 5.0), (1.0, 7.0), (10.0, 25.0)]);
        assert!((exact.slope - 2.0).abs() < 1e-12 && (exact.start - 5.0).abs() < 1e-12 && exact.off < 1e-12);
        let bent = line(&[(0.0, 0.0), (1.0, 1.0), (2.0, 4.0)]);
        assert!((bent.slope - 2.0).abs() < 1e-12 && (bent.off - 1.0 / 6.0).abs() < 1e-12);
    }

    #[test]
    fn sliders_are_counted_as_in_the_paper() {
        for (slider, rows) in [(Slider::Keyhole, 3), (Slider::Pearl, 0)] {
            let mut threaded = Threaded::new(slider, 10).unwrap();
            assert!(!threaded.step(&NoClock).held);
            let system = threaded.workspace.system().unwrap();
            // A clamp and a pin besides; 8003 control points of four unknowns, and Δu of each.
            assert_eq!((system.multipliers(), system.unknowns()), (6 + 3 + 10 * rows, 4 * 8003 + 10));
        }
    }
}
