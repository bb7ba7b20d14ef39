//! Localised buckling: a long twisted rod forms one helical bump as its ends come together.

use super::reference::Reference;
use super::stand::{Stand, Trouble};
use super::{DISCRETE, Experiment, Plan, Readings, SPLINE};
use serde_json::{Value, json};
use std::f64::consts::TAU;

pub(super) const T03: Plan = Plan {
    id: "T03-localised-buckling",
    shows: "a straight rod with 27 turns, its ends brought together in ten equilibria; two planes at the \
            middle, which by symmetry carry no force, keep the bump from drifting; 128 segments; 640 edges, \
            without extrapolation (second order, and 15° of twist from edge to edge); EA = 1e7",
    experiments: &[
        Experiment { model: SPLINE, quantities: BUMP, measure: |case| bump(case, SPLINE, 128) },
        Experiment { model: DISCRETE, quantities: BUMP, measure: |case| bump(case, DISCRETE, EDGES) },
    ],
};

const BUMP: &[&str] = &["phi0_rad", "twist_moment_M", "tension_T", "s_star", "phi_of_s_rad", "tanh2_of_s"];

/// Edges of the discrete rod, and number of intervals at which tangents are read: a discrete rod has tangents
/// in the middles of its edges.
const EDGES: usize = 640;

/// EA: the tension stretches the rod by 1e-4 of the shortening.
const STRETCH: f64 = 1e7;

/// Number of equilibria on the way.
const EQUILIBRIA: u32 = 10;

/// The planes of symmetry at the middle: half a turn about the line from the axis to its middle maps the bump
/// to itself. Without them the bump may drift along the rod and about its axis, because the influence of the
/// ends is only exp(−L/s*).
fn planes(middle: f64) -> [(&'static str, Value); 2] {
    [
        (
            "along",
            json!({ "plane": { "on": "rod", "at": "middle", "normal": [1, 0, 0], "point": [middle, 0, 0] } }),
        ),
        (
            "about",
            json!({ "plane": { "on": "rod", "at": "middle", "normal": [0, 0, 1], "point": [0, 0, 0] } }),
        ),
    ]
}

fn bump(case: &Reference, model: &str, segments: usize) -> Result<Readings, Trouble> {
    let (length, bend) = (case.number("L")?, case.number("alpha")?);
    let end = |shortening: f64| {
        json!({ "clamp": { "on": "rod", "at": "end",
        "target": [length - shortening, 0, 0] } })
    };
    let mut constraint = json!({ "start": { "clamp": { "on": "rod", "at": "start" } }, "end": end(0.0) });
    for (name, plane) in planes(length / 2.0) {
        constraint[name] = plane;
    }
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, 0, 0] },
        "rod": { "rod": {
            "model": model,
            "segments": segments,
            "shape": { "line": { "from": [0, 0, 0], "to": [length, 0, 0] } },
            "twist": case.number("turns")? * TAU,
            "stiffness": { "stretch": STRETCH, "bend": bend, "twist": case.number("beta")? },
            "mass_per_length": 1,
        } },
        "constraint": constraint,
    }))?;
    for k in 1..=EQUILIBRIA {
        let shortening = case.number("shortening")? * f64::from(k) / f64::from(EQUILIBRIA);
        for (name, to) in planes((length - shortening) / 2.0).into_iter().chain([("end", end(shortening))]) {
            stand.edit(json!({ "change-constraint": { "name": name, "to": to } }))?;
        }
        stand.rest()?;
    }
    // Angle to the axis, from the middle outwards, the mean of both sides.
    let spacing = length / EDGES as f64;
    let angle = |s: f64| stand.section(s).tangent.x.clamp(-1.0, 1.0).acos();
    let samples: Vec<f64> = (0..=EDGES / 2)
        .map(|k| k as f64 * spacing)
        .map(|s| 0.5 * (angle(length / 2.0 - s) + angle(length / 2.0 + s)))
        .collect();
    let at = |s: f64| {
        let (k, share) = ((s / spacing) as usize, (s / spacing).fract());
        samples[k] * (1.0 - share) + samples[k + 1] * share
    };
    let envelope = |s: f64| (at(s).cos() - at(0.0).cos()) / (1.0 - at(0.0).cos());
    // At s* the envelope is tanh² 1.
    let height = 1.0_f64.tanh().powi(2);
    let k = (1..samples.len() - 1)
        .find(|&k| envelope(k as f64 * spacing) > height)
        .ok_or_else(|| Trouble::new("the rod has no bump"))?;
    let (below, above) = (envelope((k - 1) as f64 * spacing), envelope(k as f64 * spacing));
    let width = spacing * ((k - 1) as f64 + (height - below) / (above - below));
    let places = case.numbers("s")?;
    Ok(vec![
        ("phi0_rad", vec![at(0.0)]),
        ("twist_moment_M", vec![stand.moment("end").x]),
        ("tension_T", vec![stand.force("end").x]),
        ("s_star", vec![width]),
        ("phi_of_s_rad", places.iter().map(|&s| at(s)).collect()),
        ("tanh2_of_s", places.iter().map(|&s| envelope(s)).collect()),
    ])
}
