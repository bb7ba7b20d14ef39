//! Weights on constraints: the multipliers are the forces of statics.

use super::reference::Reference;
use super::stand::{Stand, Trouble};
use super::{Experiment, Plan, Readings};
use glam::DVec3;
use serde_json::json;

pub(super) const Q01: Plan = Plan {
    id: "Q01-pin-plane-axis",
    shows: "multipliers of a pin, of planes (at nine places of a cable on an incline) and of an axis \
            carry the weight; 8 segments",
    experiments: &[
        Experiment { model: "spline", quantities: &["pin_force_N"], measure: hanging },
        Experiment {
            model: "spline",
            quantities: &["plane_normal_total_N", "pin_along_slope_N"],
            measure: lying,
        },
        Experiment {
            model: "mass",
            quantities: &["axis_spring_extension_m", "axis_normal_N"],
            measure: sliding,
        },
    ],
};

pub(super) const Q02: Plan = Plan {
    id: "Q02-link-triangle",
    shows: "a weight held only by the tension of two links; started out of the plane of the links",
    experiments: &[Experiment {
        model: "mass",
        quantities: &["depth_m", "link_tension_N"],
        measure: triangle,
    }],
};

/// A cable of 1 m with the given mass.
fn cable(mass: f64, to: DVec3) -> serde_json::Value {
    json!({
        "shape": { "line": { "from": [0, 0, 0], "to": to } },
        "stiffness": { "stretch": 1e4, "bend": 1e-3, "twist": 1e-3 },
        "mass_per_length": mass,
        "segments": 8,
    })
}

fn hanging(case: &Reference) -> Result<Readings, Trouble> {
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, 0, -case.number("g")?] },
        "rod": { "rod": cable(case.number("mass_kg")?, DVec3::NEG_Z) },
        "constraint": { "pin": { "position": { "on": "rod", "at": "start" } } },
    }))?;
    stand.rest()?;
    Ok(vec![("pin_force_N", vec![stand.force("pin").z])])
}

/// Directions down the slope and away from it.
fn slope(case: &Reference) -> Result<(DVec3, DVec3), Trouble> {
    let (sin, cos) = case.number("incline_deg")?.to_radians().sin_cos();
    Ok((DVec3::new(cos, 0.0, -sin), DVec3::new(sin, 0.0, cos)))
}

/// The pin holds the upper end within the plane, as an axis along the normal; the planes carry the normal
/// component.
fn lying(case: &Reference) -> Result<Readings, Trouble> {
    let (down, normal) = slope(case)?;
    let places: Vec<String> = (0..=8).map(|k| format!("plane-{k}")).collect();
    let mut constraint = json!({ "pin": { "axis": { "on": "rod", "at": "start", "direction": normal } } });
    for (k, place) in places.iter().enumerate() {
        constraint[place] =
            json!({ "plane": { "on": "rod", "at": k as f64 / 8.0, "point": [0, 0, 0], "normal": normal } });
    }
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, 0, -case.number("g")?] },
        "rod": { "rod": cable(case.number("mass_kg")?, down) },
        "constraint": constraint,
    }))?;
    stand.rest()?;
    let total: f64 = places.iter().map(|place| stand.force(place).dot(normal)).sum();
    Ok(vec![
        ("plane_normal_total_N", vec![total]),
        ("pin_along_slope_N", vec![-stand.force("pin").dot(down)]),
    ])
}

fn sliding(case: &Reference) -> Result<Readings, Trouble> {
    let (down, normal) = slope(case)?;
    let rest_length = 0.5;
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, 0, -case.number("g")?] },
        "mass": { "mass": { "position": down * rest_length, "mass": case.number("mass_kg")? } },
        "constraint": { "axis": { "axis": { "on": "mass", "direction": down } } },
        "spring": { "spring": { "linear": {
            "from": { "point": [0, 0, 0] }, "to": { "mass": "mass" }, "stiffness": case.number("k_N_per_m")?,
                "length": rest_length,
        } } },
    }))?;
    stand.rest()?;
    Ok(vec![
        ("axis_spring_extension_m", vec![stand.mass_position().length() - rest_length]),
        ("axis_normal_N", vec![stand.force("axis").dot(normal)]),
    ])
}

fn triangle(case: &Reference) -> Result<Readings, Trouble> {
    let (link, half) = (case.number("link_m")?, case.number("pin_distance_m")? / 2.0);
    let hold = |x: f64| json!({ "distance": { "on": "mass", "centre": [x, 0, 0], "distance": link } });
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, 0, -case.number("g")?] },
        "mass": { "mass": { "position": [0.1, 0.2, -0.3], "mass": case.number("mass_kg")? } },
        "constraint": { "left": hold(-half), "right": hold(half) },
    }))?;
    stand.rest()?;
    let position = stand.mass_position();
    // The link pulls the mass towards its pin.
    let towards = (DVec3::new(-half, 0.0, 0.0) - position).normalize();
    Ok(vec![("depth_m", vec![-position.z]), ("link_tension_N", vec![stand.force("left").dot(towards)])])
}
