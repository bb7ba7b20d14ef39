//! Twist: the torque at which a straight shaft or a closed ring buckles.

use super::reference::Reference;
use super::root::{first_root, threshold};
use super::stand::{Stand, Trouble};
use super::{DISCRETE, Experiment, Plan, Readings, SPLINE};
use serde_json::json;

pub(super) const T01: Plan = Plan {
    id: "T01-michell-ring",
    shows: "a closed ring with inserted twist: the twist beyond which the flat circle has a growing mode; \
            32 segments, and a regular polygon of 50 edges, whose own threshold is 1.3 % higher; \
            EA R²/EI = 1e6",
    experiments: &[
        Experiment {
            model: SPLINE,
            quantities: &["Theta_c_rad"],
            measure: |case| Ok(vec![("Theta_c_rad", ring(case, SPLINE, 32)?)]),
        },
        Experiment {
            model: DISCRETE,
            quantities: &["Theta_c_rad", "Theta_c_regular_50gon_rad"],
            measure: polygon,
        },
    ],
};

pub(super) const N02: Plan = Plan {
    id: "N02-greenhill",
    shows: "a clamped shaft that may slide along its axis: the rotation at which its lowest eigenvalue \
            changes sign, and the order of convergence",
    experiments: &[Experiment {
        model: SPLINE,
        quantities: &["critical_angle_rad", "order"],
        measure: shaft,
    }],
};

fn polygon(case: &Reference) -> Result<Readings, Trouble> {
    let critical = ring(case, DISCRETE, 50)?;
    Ok(vec![("Theta_c_rad", critical.clone()), ("Theta_c_regular_50gon_rad", critical)])
}

/// The critical twist of each ratio GJ/EI.
fn ring(case: &Reference, model: &str, segments: usize) -> Result<Vec<f64>, Trouble> {
    let (radius, bend) = (case.number("R")?, case.number("alpha")?);
    let mut critical = vec![];
    for ratio in case.numbers("beta_over_alpha")? {
        let grows = |twist: f64| {
            let mut stand = Stand::build(json!({
                "settings": { "gravity": [0, 0, 0] },
                "rod": { "rod": {
                    "shape": { "ring": { "centre": [0, 0, 0], "radius": radius } },
                    "twist": twist,
                    "stiffness": { "stretch": 1e6 * bend / radius.powi(2), "bend": bend,
                        "twist": ratio * bend },
                    "mass_per_length": 1,
                    "model": model,
                    "segments": segments,
                } },
            }))?;
            // Zero modes: six rigid motions and the roll of the sections.
            Ok(stand.balance()? > 0)
        };
        // Steps of half a turn until the ring is unstable, then bisection to 0.1 % of a turn.
        let mut high = 0.5 * std::f64::consts::TAU;
        while !grows(high)? {
            high += 0.5 * std::f64::consts::TAU;
            if high > 100.0 {
                return Err(Trouble::new("the ring stays flat at any twist"));
            }
        }
        critical.push(threshold(high - 0.5 * std::f64::consts::TAU, high, 5e-3, grows)?);
    }
    Ok(critical)
}

/// Rotation of the end at which a shaft of `segments` segments buckles.
fn critical_rotation(segments: usize) -> Result<f64, Trouble> {
    first_root(4.0, 1.2, |rotation| {
        let mut stand = Stand::build(json!({
            "settings": { "gravity": [0, 0, 0] },
            "rod": { "rod": {
                "twist": rotation,
                "stiffness": { "stretch": 1e5, "bend": 1, "twist": 1 },
                "mass_per_length": 1,
                "segments": segments,
            } },
            "constraint": {
                "start": { "clamp": { "on": "rod", "at": "start" } },
                "guide": { "axis": { "on": "rod", "at": "end", "direction": [1, 0, 0] } },
                "direction": { "tangent": { "on": "rod", "at": "end" } },
                "roll": { "roll": { "on": "rod", "at": "end" } },
            },
        }))?;
        stand.balance()?;
        stand.lowest_eigenvalue()
    })
}

fn shaft(case: &Reference) -> Result<Readings, Trouble> {
    // 2x, x the first root of tan x = x beyond zero, by Newton on sin x − x cos x
    let exact = 2.0 * (0..8).fold(4.5_f64, |x, _| x - (x.sin() - x * x.cos()) / (x * x.sin()));
    let angle = critical_rotation(case.number("segments")? as usize)?;
    let [coarse, fine] = case.numbers("order_segments")?[..] else {
        return Err(Trouble::new("an order needs two numbers of segments"));
    };
    let error = |segments: f64| Ok::<_, Trouble>(critical_rotation(segments as usize)? - exact);
    let order = (error(coarse)? / error(fine)?).ln() / (fine / coarse).ln();
    Ok(vec![("critical_angle_rad", vec![angle]), ("order", vec![order])])
}
