//! Group `contact`: bodies and rods that touch with friction, and the stages of the second and the third
//! table of the paper on unified interaction of constraints: two cubes on a ball joint that slide down an
//! incline, 27 rows, and bodies that slide on a wire and touch each other, 60 rows.
//!
//! The paper's third scene also has deformable bodies. Here four rigid boxes hang on a beam that is held at
//! both ends, each in two eyes, and are pressed together. Rows of sliding eyes can't be swept.

use super::{Row, stopwatch};
use crate::failure::Failure;
use micado::clock::{NoClock, WallClock};
use micado::run::Simulation;
use micado::scene::{ConstraintMethod, Scene};
use micado::step::Stage;
use serde_json::{Map, Value, json};

/// Steps before the measurement, in which everything falls onto the floor, and measured steps.
const SETTLE: usize = 60;
const STEPS: usize = 100;
/// Rows of the second and of the third table.
const ROWS: [usize; 2] = [27, 60];

/// Stages of these tables, ms on the paper's machine, and the stages of a step that do the same work.
const PUBLISHED: [(&str, [f64; 2], &[Stage]); 5] = [
    ("free motion", [0.2, 26.0], &[Stage::LineariseObjects, Stage::Factor, Stage::FreeMotion]),
    ("collision detection", [0.4, 41.0], &[Stage::DetectContacts]),
    ("constraints creation", [0.09, 3.0], &[Stage::OrderUnknowns, Stage::LineariseConstraints]),
    ("resolution", [0.9, 0.5], &[Stage::BuildCompliance, Stage::SolveConstraints]),
    ("movement correction", [0.04, 2.0], &[Stage::Correct, Stage::Commit]),
];

fn build(scene: Value) -> Result<Simulation, Failure> {
    let scene: Scene = serde_json::from_value(scene).map_err(|error| Failure::Checks(error.to_string()))?;
    Simulation::build(&scene).map_err(|error| Failure::Checks(error.to_string()))
}

/// A cube of 0.2 m.
fn cube(position: [f64; 3], rotation: [f64; 3]) -> Value {
    json!({"shape": {"box": {"size": [0.2, 0.2, 0.2]}}, "density": 500, "position": position,
        "rotation": rotation})
}

/// Sine and cosine of the incline.
pub(super) fn slope() -> [f64; 2] {
    25_f64.to_radians().sin_cos().into()
}

fn cubes_on_incline(method: ConstraintMethod) -> Result<Simulation, Failure> {
    build(incline(if method == ConstraintMethod::Swept { "swept" } else { "factored" }))
}

/// Two cubes on a ball joint that slide down an incline.
pub(super) fn incline(method: &str) -> Value {
    let (angle, [sin, cos]) = (25_f64.to_radians(), slope());
    let place = |along: f64| [along * cos + 0.1 * sin, 0.0, 0.1 * cos - along * sin];
    json!({
        "contact": {"friction": 0.2, "pairs": [{"between": ["upper", "lower"], "touch": false}]},
        "body": {
            "slope": {"shape": {"half-space": {}}, "fixed": true, "rotation": [0, angle, 0]},
            "upper": cube(place(0.0), [0.0, angle, 0.0]),
            "lower": cube(place(0.3), [0.0, angle, 0.0]),
        },
        "constraint": {"tie": {"joint": {"kind": "ball", "on": "upper", "at": [0.15, 0, 0],
            "to": {"on": "lower", "at": [-0.15, 0, 0]}}}},
        "settings": {"duration": 100, "step": 0.001, "constraints": method},
    })
}

/// Four boxes on a wire that is held at both ends, each in two eyes. Forces press them together.
fn boxes_on_wire() -> Result<Simulation, Failure> {
    const BOXES: u32 = 4;
    let (mut boxes, mut held, mut pairs) = (Map::new(), Map::new(), Vec::new());
    for end in ["start", "end"] {
        held.insert(format!("hold-{end}"), json!({"position": {"on": "wire", "at": end}}));
        held.insert(format!("roll-{end}"), json!({"roll": {"on": "wire", "at": end}}));
    }
    for k in 0..BOXES {
        let (name, along) = (format!("box-{k}"), 0.45 + 0.1 * f64::from(k));
        for (side, x) in [("left", -0.04), ("right", 0.04)] {
            let eye = json!({"on": "wire", "at": along + x, "to": {"on": name, "at": [x, 0, 0.05]}});
            held.insert(format!("{name}-{side}"), json!({"keyhole": eye}));
        }
        pairs.push(json!({"between": ["wire", name], "touch": false}));
        let body = json!({"shape": {"box": {"size": [0.1, 0.06, 0.06]}}, "density": 300,
            "position": [along, 0, -0.05]});
        boxes.insert(name, body);
    }
    let press = |on: u32, force: f64| json!({"force": {"on": format!("box-{on}"), "force": [force, 0, 0]}});
    build(json!({
        "contact": {"friction": 0.3, "pairs": pairs},
        "rod": {"wire": {"model": "beam", "shape": {"line": {"from": [0, 0, 0], "to": [1.2, 0, 0]}},
            "radius": 0.003, "young": 2e9, "density": 1100, "segments": 40, "damping": {"mass": 2}}},
        "body": Value::Object(boxes),
        "constraint": Value::Object(held),
        "load": {"left": press(0, 30.0), "right": press(BOXES - 1, -30.0)},
        "settings": {"duration": 100, "step": 0.005},
    }))
}

/// Cubes side by side, or in a pyramid, on a floor.
fn cubes(places: impl Iterator<Item = [f64; 3]>) -> Result<Simulation, Failure> {
    let bodies: Map<String, Value> =
        places.enumerate().map(|(k, at)| (format!("cube-{k}"), cube(at, [0.0; 3]))).collect();
    build(json!({"floor": true, "contact": {"friction": 0.5}, "body": Value::Object(bodies),
        "settings": {"duration": 100, "step": 0.01}}))
}

/// Ropes that lie across each other on a floor, in layers.
fn ropes(count: usize) -> Result<Simulation, Failure> {
    let mut rods = Map::new();
    for k in 0..count {
        let (layer, place) = (k / 5, (k % 5) as f64 * 0.1 - 0.2);
        let (height, across) = (0.006 + 0.011 * layer as f64, layer % 2 == 1);
        let point = |along: f64| if across { [place, along, height] } else { [along, place, height] };
        rods.insert(
            format!("rope-{k}"),
            json!({"shape": {"line": {"from": point(-0.25), "to": point(0.25)}}, "radius": 0.005,
                "young": 1e7, "density": 1100, "segments": 20}),
        );
    }
    build(json!({"floor": true, "contact": {"friction": 0.5}, "rod": Value::Object(rods),
        "settings": {"duration": 100, "step": 0.005}}))
}

/// Measures everything.
pub(super) fn measure() -> Result<Vec<Row>, Failure> {
    let line = |count: usize| (0..count).map(|k| [0.3 * (k % 40) as f64, 0.3 * (k / 40) as f64, 0.101]);
    let stack = |count: usize| (0..count).map(|k| [0.0, 0.0, 0.101 + 0.2 * k as f64]);
    let pyramid = |rows: usize| {
        (0..rows).flat_map(move |i| {
            (0..rows - i).map(move |j| [0.21 * j as f64 + 0.105 * i as f64, 0.0, 0.101 + 0.2 * i as f64])
        })
    };
    let mut rows = vec![
        measure_scene("two cubes on an incline", cubes_on_incline(ConstraintMethod::Factored)?),
        measure_scene("the same, all rows swept", cubes_on_incline(ConstraintMethod::Swept)?),
        measure_scene("four boxes on a wire", boxes_on_wire()?),
        measure_scene("stack of 10 cubes", cubes(stack(10))?),
        measure_scene("pyramid of 55 cubes", cubes(pyramid(10))?),
        measure_scene("100 cubes on a plane", cubes(line(100))?),
        measure_scene("1000 cubes on a plane", cubes(line(1000))?),
        measure_scene("10 crossing ropes", ropes(10)?),
        measure_scene("20 crossing ropes", ropes(20)?),
    ];
    for (k, scene) in
        [cubes_on_incline(ConstraintMethod::Factored)?, boxes_on_wire()?].into_iter().enumerate()
    {
        rows.extend(measure_stages(k, scene));
    }
    Ok(rows)
}

fn measure_scene(name: &str, mut simulation: Simulation) -> Row {
    for _ in 0..SETTLE {
        simulation.step(&NoClock);
    }
    let (mut sweeps, mut factors, mut residual, mut most, mut divided) = (0, 0, 0.0_f64, 0, 0);
    let times = stopwatch::time(STEPS, || {
        let report = simulation.step(&NoClock);
        sweeps += report.sweeps;
        factors += report.compliance_factors;
        residual = residual.max(report.sweep_residual);
        most = most.max(report.contacts);
        divided += u64::from(report.substeps > 1);
    });
    let (unknowns, multipliers) = simulation.workspace().sizes();
    Row {
        group: "contact",
        name: name.to_owned(),
        unknowns,
        multipliers,
        step_us: times.mean,
        worst_step_us: times.worst,
        least_step_us: Some(times.least),
        count: Some(most),
        divided: Some(divided),
        sweeps_per_step: Some(sweeps as f64 / STEPS as f64),
        factors_per_step: Some(factors as f64 / STEPS as f64),
        residual: Some(residual),
        ..Row::default()
    }
}

/// Stages of a step with the rows of table 2 or 3, beside the published times.
fn measure_stages(k: usize, mut simulation: Simulation) -> Vec<Row> {
    for _ in 0..SETTLE {
        simulation.step(&NoClock);
    }
    let clock = WallClock::start();
    let mut stages = [0.0; Stage::ALL.len()];
    for _ in 0..STEPS {
        for (sum, seconds) in stages.iter_mut().zip(simulation.step(&clock).stage_seconds) {
            *sum += seconds;
        }
    }
    let row = |(name, paper_ms, ours): (&str, [f64; 2], &[Stage])| Row {
        group: "contact",
        name: format!("table {}, {name}", k + 2),
        multipliers: ROWS[k],
        step_us: ours.iter().map(|&stage| stages[stage as usize]).sum::<f64>() * 1e6 / STEPS as f64,
        paper_step_us: Some(1e3 * paper_ms[k]),
        ..Row::default()
    };
    PUBLISHED.into_iter().map(row).collect()
}

/// The scenes, then the stages.
pub(super) fn table(rows: &[Row]) -> String {
    let mut lines = vec![
        "contact                    contacts     step µs    least µs    worst µs  sweeps  factors  residual m"
            .to_owned(),
    ];
    let (stages, scenes): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.paper_step_us.is_some());
    for row in scenes {
        lines.push(format!(
            "{:26} {:8} {:11.1} {:11.1} {:11.1} {:7.1} {:8.2} {:11.1e}",
            row.name,
            row.count.unwrap_or(0),
            row.step_us,
            row.least_step_us.unwrap_or(f64::NAN),
            row.worst_step_us,
            row.sweeps_per_step.unwrap_or(f64::NAN),
            row.factors_per_step.unwrap_or(f64::NAN),
            row.residual.unwrap_or(f64::NAN),
        ));
    }
    lines.push(String::new());
    lines.push("stages, 27 and 60 rows             µs    paper µs, on its machine".to_owned());
    for row in stages {
        let paper = row.paper_step_us.unwrap_or(f64::NAN);
        lines.push(format!("{:30} {:>8.2} {paper:11.0}", row.name, row.step_us));
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::{ConstraintMethod, ROWS, boxes_on_wire, cubes_on_incline};
    use micado::clock::NoClock;

    #[test]
    fn cubes_on_an_incline_have_the_rows_of_the_published_table_and_slide() {
        let mut simulation = cubes_on_incline(ConstraintMethod::Factored).unwrap();
        let mut contacts = 0;
        for _ in 0..200 {
            contacts = simulation.step(&NoClock).contacts;
        }
        let joint = simulation.workspace().sizes().1;
        assert_eq!(3 * contacts + joint, ROWS[0]);
        // g (sin 25° − 0.2 cos 25°) for 0.2 s; Euler, whose velocities are exact under constant forces.
        let world = simulation.world();
        let own = world.object("", "upper").unwrap().unknowns();
        let speed = world.state().v[own.start..own.start + 3].iter().map(|v| v * v).sum::<f64>().sqrt();
        let angle = 25_f64.to_radians();
        let expected = 9.81 * (angle.sin() - 0.2 * angle.cos()) * 0.2;
        assert!((speed - expected).abs() < 1e-6 * expected, "{speed} {expected}");
    }

    #[test]
    fn boxes_on_a_wire_have_the_rows_of_the_published_table() {
        let mut simulation = boxes_on_wire().unwrap();
        let mut contacts = 0;
        for _ in 0..80 {
            let report = simulation.step(&NoClock);
            assert!(!report.held && !report.unsolved_contacts, "{report:?}");
            contacts = report.contacts;
        }
        // An eye has three rows and an unknown of its own.
        let (eyes, multipliers) = (8, simulation.workspace().sizes().1);
        assert_eq!(3 * contacts + multipliers - eyes, ROWS[1]);
    }
}
