//! Hanging cables: the catenary, inextensible and elastic.

use super::reference::Reference;
use super::stand::{Stand, Trouble};
use super::{Experiment, Plan, Readings};
use serde_json::{Value, json};

const SEGMENTS: usize = 64;

/// EI/(w L³) of a cable that represents a perfectly flexible one.
const FLEXIBLE: f64 = 2e-7;

pub(super) const K01: Plan = Plan {
    id: "K01-catenary-level",
    shows: "shape and pin forces of a hanging cable; 64 segments, EI/(wL³) = 2e-7, EA/(wL) = 1e5",
    experiments: &[Experiment {
        model: "spline",
        quantities: &[
            "H_N",
            "vertical_reaction_left_N",
            "vertical_reaction_right_N",
            "tension_left_N",
            "tension_right_N",
            "lowest_x_m",
            "lowest_y_m",
            "y_at_x_m",
            "sum_of_vertical_pin_multipliers_N",
        ],
        measure: catenary,
    }],
};

pub(super) const K03: Plan = Plan {
    id: "K03-elastic-catenary",
    shows: "a cable that stretches by 5 % under its weight; 64 segments, EI/(wL³) = 2e-7",
    experiments: &[Experiment {
        model: "spline",
        quantities: &["H_N", "V_left_N", "V_right_N", "stretched_length_m", "mid_material_point_m"],
        measure: elastic_catenary,
    }],
};

/// A cable of unstretched length `length` between pins, in gravity along −y.
fn hanging(case: &Reference, length: f64, stretch: f64, weight: f64) -> Result<Stand, Trouble> {
    let to = json!([case.number("span_m")?, case.number("dh_m")?, 0]);
    let pin = |at: &str| -> Value { json!({ "position": { "on": "rod", "at": at } }) };
    let bend = FLEXIBLE * weight * length.powi(3);
    Stand::build(json!({
        "settings": { "gravity": [0, -case.number("g")?, 0] },
        "rod": { "rod": {
            "shape": { "slack": { "from": [0, 0, 0], "to": to, "length": length, "sag": [0, -1, 0] } },
            "stiffness": { "stretch": stretch, "bend": bend, "twist": bend },
            "mass_per_length": case.number("mu_kg_per_m")?,
            "segments": SEGMENTS,
        } },
        "constraint": { "left": pin("start"), "right": pin("end") },
    }))
}

fn catenary(case: &Reference) -> Result<Readings, Trouble> {
    let (length, weight) = (case.number("L_m")?, case.number("mu_kg_per_m")? * case.number("g")?);
    let mut stand = hanging(case, length, 1e5 * weight * length, weight)?;
    stand.rest()?;
    let (left, right) = (stand.force("left"), stand.force("right"));
    let samples: Vec<f64> = case.numbers("x_samples")?;
    let heights = samples.iter().map(|&x| height_at(&stand, length, x)).collect();
    let lowest = lowest(&stand, length);
    Ok(vec![
        ("H_N", vec![-left.x]),
        ("vertical_reaction_left_N", vec![left.y]),
        ("vertical_reaction_right_N", vec![right.y]),
        // The tension at a pin is the magnitude of the pin's force.
        ("tension_left_N", vec![left.length()]),
        ("tension_right_N", vec![right.length()]),
        ("lowest_x_m", vec![stand.section(lowest).position.x]),
        ("lowest_y_m", vec![stand.section(lowest).position.y]),
        ("y_at_x_m", heights),
        ("sum_of_vertical_pin_multipliers_N", vec![left.y + right.y]),
    ])
}

/// Height of the cable above x, which grows along it; by bisection of the arc length.
fn height_at(stand: &Stand, length: f64, x: f64) -> f64 {
    let (mut low, mut high) = (0.0, length);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if stand.section(middle).position.x < x {
            low = middle;
        } else {
            high = middle;
        }
    }
    stand.section(0.5 * (low + high)).position.y
}

/// Arc length of the lowest point: where the tangent turns from falling to rising.
fn lowest(stand: &Stand, length: f64) -> f64 {
    let (mut low, mut high) = (0.0, length);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if stand.section(middle).tangent.y < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    0.5 * (low + high)
}

fn elastic_catenary(case: &Reference) -> Result<Readings, Trouble> {
    let (length, weight) = (case.number("L0_m")?, case.number("mu_kg_per_m")? * case.number("g")?);
    let mut stand = hanging(case, length, case.number("EA_N")?, weight)?;
    stand.rest()?;
    let (left, right) = (stand.force("left"), stand.force("right"));
    let middle = stand.section(length / 2.0).position;
    Ok(vec![
        ("H_N", vec![-left.x]),
        ("V_left_N", vec![left.y]),
        ("V_right_N", vec![right.y]),
        ("stretched_length_m", vec![stand.present_length()]),
        ("mid_material_point_m", vec![middle.x, middle.y]),
    ])
}
