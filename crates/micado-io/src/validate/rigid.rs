//! Rigid bodies: free rotation.

use super::reference::Reference;
use super::stand::{Stand, Trouble};
use super::{Experiment, Plan, Readings};
use glam::DVec3;
use micado::step::StepParams;
use serde_json::json;

pub(super) const G01: Plan = Plan {
    id: "G01-free-asymmetric-body",
    shows: "a free body tumbles about its middle axis: angular velocity in body axes, its period, and energy \
            and angular momentum after 60 s; steps of 2 ms",
    experiments: &[Experiment {
        model: "body",
        quantities: &["period_s", "omega_body", "kinetic_energy_J", "angular_momentum"],
        measure: tumble,
    }],
};

/// Step and duration of the protocol, s.
const STEP: f64 = 1.0 / 500.0;
const DURATION: f64 = 60.0;

fn tumble(case: &Reference) -> Result<Readings, Trouble> {
    let moments = case.numbers("I")?;
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, 0, 0] },
        "body": { "body": {
            "mass": 1,
            "inertia": { "moments": moments },
            "spin": case.numbers("omega0")?,
        } },
    }))?;
    let times = case.numbers("t_s")?;
    let params = StepParams { step: STEP, ..StepParams::default() };
    let mut rates = Vec::new();
    // Times at which the rate about the middle axis changes its sign.
    let mut turns = Vec::new();
    for k in 1..=(DURATION / STEP).round() as usize {
        let before = stand.body_rate("body").y;
        stand.step(&params)?;
        let rate = stand.body_rate("body");
        if before * rate.y < 0.0 {
            turns.push(stand.world().time() - STEP * rate.y / (rate.y - before));
        }
        if times.iter().any(|time| (time / STEP).round() as usize == k) {
            rates.extend(rate.to_array());
        }
    }
    let whole = turns.len().saturating_sub(1) / 2;
    if whole == 0 {
        return Err(Trouble::new("the body does not turn over twice"));
    }
    let period = (turns[2 * whole] - turns[0]) / whole as f64;
    let momentum = DVec3::new(moments[0], moments[1], moments[2]) * stand.body_rate("body");
    Ok(vec![
        ("period_s", vec![period]),
        ("omega_body", rates),
        ("kinetic_energy_J", vec![stand.world().energy().kinetic]),
        ("angular_momentum", vec![momentum.length()]),
    ])
}
