//! Free flight of one body, and of two bodies on a ball joint: drift of energy and momentum against the step.
//!
//! The drifts are those after 5 s without gravity. Of the two bars, the second one turns at first. The order
//! is log₂ of the ratio of the drifts with h and h/2.

use super::{Experiment, Number, Study};
use crate::plot::{Chart, Series};
use crate::validate::stand::Trouble;
use glam::{DMat3, DQuat, DVec3};
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::world::World;
use serde_json::{Value, json};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "free-flight",
    shows: "drift of energy and momentum of a free body and of two bodies on a joint, against the step",
    measure,
};

/// Steps, s.
const STEPS: [f64; 4] = [0.02, 0.01, 0.005, 0.0025];
/// Duration, s.
const DURATION: f64 = 5.0;
/// Principal inertias of a bar of 1 kg and 1 m, and of the body of case G01, kg·m².
const BAR: [f64; 3] = [4.166_666_666_666_667e-4, 0.083_541_666_666_666_67, 0.083_541_666_666_666_67];
const TUMBLING: [f64; 3] = [1.0, 2.0, 2.5];

fn scene(pair: bool, settings: &Value) -> Value {
    if pair {
        let bar = |x: f64, velocity: [f64; 3], spin: [f64; 3]| {
            json!({"mass": 1, "inertia": {"moments": BAR}, "position": [x, 0, 0],
                "velocity": velocity, "spin": spin})
        };
        // The joint at x = 1 is at rest at first: the second bar turns about it.
        json!({
            "settings": settings,
            "body": {"a": bar(0.5, [0.0; 3], [0.0; 3]), "b": bar(1.5, [0.0, 1.0, -0.5], [0.3, 1.0, 2.0])},
            "constraint": {"knee": {"joint": {"on": "a", "at": [0.5, 0, 0], "kind": "ball",
                "to": {"on": "b", "at": [-0.5, 0, 0]}}}},
        })
    } else {
        json!({
            "settings": settings,
            "body": {"a": {"mass": 1, "inertia": {"moments": TUMBLING}, "spin": [0.1, 3, 0.1],
                "velocity": [0.3, 0, 0.1]}},
        })
    }
}

/// Momentum, and angular momentum about the origin, of bodies of 1 kg.
fn momenta(world: &World, moments: [f64; 3]) -> [DVec3; 2] {
    let [mut linear, mut angular] = [DVec3::ZERO; 2];
    for object in &world.structure().objects {
        let [q, v] = [&world.state().q, &world.state().v].map(|all| &all[object.unknowns()]);
        let turned = DMat3::from_quat(DQuat::from_slice(&q[4..]));
        let inertia = turned * DMat3::from_diagonal(DVec3::from_array(moments)) * turned.transpose();
        let velocity = DVec3::from_slice(v);
        linear += velocity;
        angular += DVec3::from_slice(q).cross(velocity) + inertia * DVec3::from_slice(&v[4..]);
    }
    [linear, angular]
}

/// Relative drift of energy, momentum and angular momentum.
fn drift(pair: bool, integrator: &str, solves: &Value, step: f64) -> Result<[f64; 3], Trouble> {
    let settings = json!({"step": step, "duration": DURATION, "integrator": integrator, "solves": solves,
        "gravity": [0, 0, 0]});
    let mut simulation = Simulation::build(&serde_json::from_value(scene(pair, &settings))?)?;
    let moments = if pair { BAR } else { TUMBLING };
    let (energy, before) = (simulation.world().energy().total(), momenta(simulation.world(), moments));
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        if report.held {
            return Err(Trouble::new(format!("a step is held at {:.3} s", report.time)));
        }
    }
    let after = momenta(simulation.world(), moments);
    let off = |k: usize| after[k].distance(before[k]) / before[k].length();
    Ok([(simulation.world().energy().total() / energy - 1.0).abs(), off(0), off(1)])
}

fn measure() -> Result<Study, Trouble> {
    let (mut numbers, mut series) = (Vec::new(), Vec::new());
    for (pair, who) in [(false, "one body"), (true, "two on a joint")] {
        for integrator in ["euler", "bdf2"] {
            for (solves, word) in [(json!("auto"), "auto"), (json!(4), "4 solves")] {
                let drifts = STEPS
                    .iter()
                    .map(|step| drift(pair, integrator, &solves, *step))
                    .collect::<Result<Vec<_>, _>>()?;
                let name = format!("{who}, {integrator}, {word}");
                for (k, of) in ["energy", "momentum", "angular momentum"].iter().enumerate() {
                    for (step, drift) in STEPS.iter().zip(&drifts) {
                        numbers.push(Number::new(format!("{name}: {of}, {} ms", 1e3 * step), drift[k], 0.0));
                    }
                }
                if pair {
                    let points = STEPS.iter().zip(&drifts).map(|(step, d)| (*step, d[0].max(1e-16)));
                    series.push(Series::new(name, points.collect()));
                }
            }
        }
    }
    Ok(Study {
        numbers,
        chart: Chart {
            title: "Energy of two bars on a joint in free flight".into(),
            x_label: "step, s".into(),
            y_label: "drift in 5 s, as a share".into(),
            series,
            log_x: true,
            log_y: true,
            ..Chart::default()
        },
    })
}
