//! Group `creep`: a cube and a rope on an incline at 80 % of the friction cone, at rest and shaken up to
//! 93 %.
//!
//! Friction holds both. Travel is the distance from the position after a second, at the same phase of the
//! shaking. Allowed are 1e-9 m at rest and 1e-6 m if shaken, and travel may not grow in the second half.

use super::Row;
use crate::failure::Failure;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Scene;
use serde_json::{Value, json};

/// Number of steps; time step, s; steps in a period of the shaking.
const STEPS: usize = 100_000;
const STEP: f64 = 0.01;
const PERIOD: usize = 20;
/// Steps before the first position.
const SETTLE: usize = 100;
/// Angle of the incline, rad, and the share of the friction cone that is used, at rest and at most.
const ANGLE: f64 = std::f64::consts::PI / 9.0;
const AT_REST: f64 = 0.8;
const MOST: f64 = 0.93;

/// The scene; its object is called `it`.
fn scene(object: &str, shaken: bool) -> Value {
    let (sin, cos) = ANGLE.sin_cos();
    // 1 kg in both cases.
    let (mass, gravity) = (1.0, 9.81);
    let shake = if shaken { (MOST / AT_REST - 1.0) * mass * gravity * sin } else { 0.0 };
    let push = json!({"harmonic": {"amplitude": [shake * cos, 0, -shake * sin],
        "frequency": 1.0 / (STEP * PERIOD as f64)}});
    let slope = json!({"shape": {"half-space": {}}, "fixed": true, "rotation": [0, ANGLE, 0]});
    let mut scene = json!({
        "contact": {"friction": ANGLE.tan() / AT_REST},
        "body": {"slope": slope},
        "settings": {"duration": STEP * (STEPS + 2 * SETTLE) as f64, "step": STEP},
    });
    if object == "cube" {
        scene["body"]["it"] = json!({"shape": {"box": {"size": [0.2, 0.2, 0.2]}}, "mass": mass,
            "rotation": [0, ANGLE, 0], "position": [0.1 * sin, 0, 0.1 * cos]});
        scene["load"] = json!({"shake": {"force": {"on": "it", "force": push}}});
    } else {
        let (length, radius) = (1.0, 0.01);
        let point = |along: f64| [along * cos + radius * sin, 0.0, radius * cos - along * sin];
        scene["rod"] = json!({"it": {"shape": {"line": {"from": point(0.0), "to": point(length)}},
            "radius": radius, "stiffness": {"stretch": 1e4, "bend": 0.1, "twist": 0.1},
            "mass_per_length": mass / length, "segments": 20}});
        scene["load"] = json!({"shake": {"distributed": {"on": "it", "force": push}}});
    }
    scene
}

/// Travel after half of the steps and after all, m.
fn travel(object: &str, shaken: bool) -> Result<([f64; 2], f64), Failure> {
    let failure = |error: String| Failure::Checks(error);
    let scene: Scene =
        serde_json::from_value(scene(object, shaken)).map_err(|error| failure(error.to_string()))?;
    let mut simulation = Simulation::build(&scene).map_err(|error| failure(error.to_string()))?;
    for _ in 0..SETTLE {
        simulation.step(&NoClock);
    }
    let place = |now: &Simulation| -> Option<[f64; 3]> {
        let own = now.world().object("", "it").ok()?.unknowns();
        now.world().state().q[own.start..own.start + 3].try_into().ok()
    };
    let missing = || failure("the scene has no object".to_owned());
    let from = place(&simulation).ok_or_else(missing)?;
    let (mut farthest, mut halves) = (0.0_f64, [0.0; 2]);
    for k in 1..=STEPS {
        let report = simulation.step(&NoClock);
        if report.held || report.unsolved_contacts {
            return Err(failure(format!("{object}: step {k} failed")));
        }
        if k % PERIOD == 0 {
            let at = place(&simulation).ok_or_else(missing)?;
            let off = at.iter().zip(from).map(|(at, from)| (at - from).powi(2)).sum::<f64>().sqrt();
            farthest = farthest.max(off);
            if k <= STEPS / 2 {
                halves[0] = farthest;
            }
        }
    }
    halves[1] = farthest;
    Ok((halves, simulation.steps() as f64))
}

/// Makes all steps. Fails if an object creeps.
pub(super) fn measure() -> Result<Vec<Row>, Failure> {
    let mut rows = Vec::new();
    for object in ["cube", "rope"] {
        for shaken in [false, true] {
            let ([half, whole], steps) = travel(object, shaken)?;
            let allowed = if shaken { 1e-6 } else { 1e-9 };
            let name = format!("{object}, {}", if shaken { "shaken" } else { "at rest" });
            if whole > allowed || whole - half > 0.01 * allowed {
                let text = format!("{name}: {half:.1e} m in half of the steps, {whole:.1e} m in all");
                return Err(Failure::Checks(text));
            }
            rows.push(Row {
                group: "creep",
                name,
                steps: Some(steps as u64),
                error: Some(whole),
                residual: Some(whole - half),
                ..Row::default()
            });
        }
    }
    Ok(rows)
}

/// The rows as a text table.
pub(super) fn table(rows: &[Row]) -> String {
    let mut lines =
        vec!["creep at 80 % of the cone    steps    travel m   of it in the second half".to_owned()];
    for row in rows {
        lines.push(format!(
            "{:26} {:7} {:11.1e} {:11.1e}",
            row.name,
            row.steps.unwrap_or_default(),
            row.error.unwrap_or_default(),
            row.residual.unwrap_or_default()
        ));
    }
    lines.join("\n")
}
