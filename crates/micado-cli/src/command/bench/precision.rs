//! Group `precision`: error against time of all rod models, in two equilibria with known answers.
//!
//! The heavy cantilever bends in a plane (case C03, Γ = 10); the 45° arc, loaded across its plane, bends and
//! twists in space (case B02, F = 600). A solve starts from the initial shape of the rod.

use super::{Row, stopwatch};
use crate::failure::Failure;
use glam::DVec3;
use micado::clock::NoClock;
use micado::object::rod::Rod;
use micado::scene::Scene;
use micado::step::{StaticParams, Workspace};
use micado::world::World;
use micado_io::plot::{Chart, Series};
use serde_json::{Value, json};
use std::path::Path;

/// Models with their least number of segments; each refinement doubles it.
const MODELS: [(&str, usize); 4] =
    [("spline", 4), ("discrete-elastic", 10), ("beam", 2), ("mass-spring", 10)];
/// Number of resolutions.
const REFINEMENTS: u32 = 6;
const REPEATS: usize = 7;

/// An equilibrium with a known tip.
struct Problem {
    name: &'static str,
    scene: fn(&str, usize) -> Value,
    /// Reference position of the tip, m.
    tip: DVec3,
    /// Length of the rod, m; errors are relative to it.
    length: f64,
    /// Whether it needs a rod with frames.
    framed: bool,
}

const PROBLEMS: [Problem; 2] = [
    Problem {
        name: "heavy-cantilever",
        scene: heavy_cantilever,
        tip: DVec3::new(0.656_353_761_2, 0.0, -0.700_199_715_5),
        length: 1.0,
        framed: false,
    },
    Problem {
        name: "bend-45",
        scene: bend,
        tip: DVec3::new(15.685_078_16, 47.151_294_4, 53.468_598_44),
        length: 25.0 * std::f64::consts::PI,
        framed: true,
    },
];

/// A rod along x that is held at its start and hangs down by its own weight, w L³/EI = 10.
fn heavy_cantilever(model: &str, segments: usize) -> Value {
    json!({
        "settings": { "gravity": [0, 0, -1] },
        "rod": { "rod": { "model": model, "segments": segments,
            "stiffness": { "stretch": 1e7, "bend": 1, "twist": 1 }, "mass_per_length": 10 } },
        "constraint": {
            "wall": { "position": { "on": "rod", "at": "start" } },
            "along": { "tangent": { "on": "rod", "at": "start", "direction": [1, 0, 0] } },
        },
    })
}

/// An arc of 45° in the plane, clamped at its start, with a force of 600 across the plane at its end.
fn bend(model: &str, segments: usize) -> Value {
    let arc = json!({ "arc": { "from": [0, 0, 0], "tangent": [0, 1, 0], "towards": [1, 0, 0], "radius": 100,
        "angle": "45 deg" } });
    json!({
        "settings": { "gravity": [0, 0, 0] },
        "rod": { "rod": {
            "model": model, "segments": segments, "shape": arc, "natural": "as-shaped",
            "stiffness": { "stretch": 1e10, "bend": 1e7 / 12.0, "twist": 5e6 / 6.0 }, "mass_per_length": 1,
        } },
        "constraint": { "clamp": { "clamp": { "on": "rod", "at": "start" } } },
        "load": { "tip": { "force": { "on": "rod", "at": "end", "force": [0, 0, 600] } } },
    })
}

/// Measures all models in both problems.
pub(super) fn measure() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for problem in &PROBLEMS {
        for (model, coarsest) in MODELS {
            if problem.framed && model == "mass-spring" {
                continue;
            }
            for k in 0..REFINEMENTS {
                rows.push(solve(problem, model, coarsest << k)?);
            }
        }
    }
    Ok(rows)
}

fn solve(problem: &Problem, model: &'static str, segments: usize) -> Result<Row, Failure> {
    let refuse = |error: &dyn std::fmt::Display| {
        Failure::Checks(format!("error: {} with {model}: {error}", problem.name))
    };
    let scene: Scene =
        serde_json::from_value((problem.scene)(model, segments)).map_err(|error| refuse(&error))?;
    let laid = World::build(&scene).map_err(|error| refuse(&error))?;
    let (mut workspace, mut found, mut converged) = (Workspace::new(), laid.clone(), true);
    let times = stopwatch::time(REPEATS, || {
        found = laid.clone();
        converged &= found.equilibrate(0.0, &StaticParams::default(), &mut workspace, &NoClock).converged;
    });
    if !converged {
        return Err(refuse(&"no equilibrium was found"));
    }
    let object = found.object("of", "rod").map_err(|error| refuse(&error))?;
    let tip = found
        .section(object, problem.length.min(object.rod().map_or(0.0, Rod::length)))
        .map_err(|error| refuse(&error))?;
    Ok(Row {
        group: "precision",
        name: format!("{} {model} {segments}", problem.name),
        unknowns: found.state().q.len(),
        step_us: times.mean,
        worst_step_us: times.worst,
        least_step_us: Some(times.least),
        model: Some(model),
        segments: Some(segments),
        error: Some(tip.position.distance(problem.tip) / problem.length),
        ..Row::default()
    })
}

/// Error and time, model by model.
pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        "problem            model              segments   time of the equilibrium, µs   \
             error of the tip / length"
            .to_owned(),
    ];
    for row in rows {
        lines.push(format!(
            "{:18} {:18} {:8} {:29.0} {:27.2e}",
            row.name.split(' ').next().unwrap_or_default(),
            row.model.unwrap_or_default(),
            row.segments.unwrap_or_default(),
            row.least_step_us.unwrap_or_default(),
            row.error.unwrap_or_default(),
        ));
    }
    lines.join("\n")
}

/// Draws a chart for each problem: error over time, one line for each model.
pub(super) fn draw(rows: &[Row], folder: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(folder).map_err(|error| Failure::write(folder, error))?;
    for problem in &PROBLEMS {
        let of = |model: &str| {
            let points =
                rows.iter().filter(|row| row.name.starts_with(problem.name) && row.model == Some(model));
            points.filter_map(|row| Some((row.least_step_us?, row.error?))).collect::<Vec<_>>()
        };
        let series = MODELS
            .iter()
            .map(|(model, _)| Series::new(*model, of(model)))
            .filter(|series| !series.points.is_empty())
            .collect();
        let chart = Chart {
            title: format!("Work and precision: {}", problem.name),
            x_label: "time of the equilibrium, µs".to_owned(),
            y_label: "error of the tip, as a share of the length".to_owned(),
            series,
            log_x: true,
            log_y: true,
            ..Chart::default()
        };
        for end in ["svg", "png"] {
            let path = folder.join(format!("precision-{}.{end}", problem.name));
            let written = if end == "svg" { chart.write_svg(&path) } else { chart.write_png(&path) };
            written.map_err(|error| Failure::write(&path, error))?;
        }
    }
    Ok(())
}
