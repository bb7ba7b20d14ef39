//! Membrane locking: the accuracy of a bent rod must not depend on its slenderness.

use super::ode::runge_kutta;
use super::reference::Reference;
use super::root::first_root;
use super::stand::{INEXTENSIBLE, Stand, Trouble};
use super::{DISCRETE, Experiment, Plan, Readings, SPLINE};
use glam::DVec2;
use serde_json::json;

pub(super) const N01: Plan = Plan {
    id: "N01-locking-table",
    shows: "the default stretch measure does not lock: the same tip error for thick and thin rods, \
            fourth order in the segments",
    experiments: &[Experiment {
        model: SPLINE,
        quantities: &["tip_error_L_over_D_200", "tip_error_L_over_D_2000", "slenderness_ratio", "order"],
        measure: tip_errors,
    }],
};

pub(super) const O01: Plan = Plan {
    id: "O01-order-der",
    shows: "second order of a discrete rod that is clamped at the middle of its first edge: the slope of the \
            tip errors on logarithmic axes, 20 to 320 edges, EA L²/EI = 1e7 in both rods (a spline has \
            order 4: N01)",
    experiments: &[Experiment {
        model: DISCRETE,
        quantities: &["order_consistent_clamp"],
        measure: order_in_edges,
    }],
};

fn order_in_edges(case: &Reference) -> Result<Readings, Trouble> {
    let load = case.number("alpha")?;
    let exact = extensible_elastica(load, INEXTENSIBLE)?;
    let point = |n: f64| {
        Ok::<_, Trouble>(DVec2::new(
            n.ln(),
            computed_tip(DISCRETE, load, INEXTENSIBLE, n as usize)?.distance(exact).ln(),
        ))
    };
    let points = case.numbers("n")?.into_iter().map(point).collect::<Result<Vec<_>, _>>()?;
    let mean = points.iter().sum::<DVec2>() / points.len() as f64;
    let sum = |f: fn(DVec2) -> f64| points.iter().map(|&p| f(p - mean)).sum::<f64>();
    Ok(vec![("order_consistent_clamp", vec![-sum(|p| p.x * p.y) / sum(|p| p.x * p.x)])])
}

fn tip_errors(case: &Reference) -> Result<Readings, Trouble> {
    let (load, segments) = (case.number("load")?, case.numbers("segments")?);
    let [thick, thin] = case.numbers("slenderness")?[..] else {
        return Err(Trouble::new("the table has two slendernesses"));
    };
    let errors = |slenderness: f64| {
        // Circular section: EA L²/EI = 16 (L/D)²
        let stretch = 16.0 * slenderness.powi(2);
        let exact = extensible_elastica(load, stretch)?;
        let error = |&n: &f64| Ok(computed_tip(SPLINE, load, stretch, n as usize)?.distance(exact));
        segments.iter().map(error).collect::<Result<Vec<f64>, Trouble>>()
    };
    let (thick, thin) = (errors(thick)?, errors(thin)?);
    let ratio = thick.iter().zip(&thin).map(|(thick, thin)| thin / thick).collect();
    let [coarse, fine] = case.numbers("order_segments")?[..] else {
        return Err(Trouble::new("an order needs two numbers of segments"));
    };
    let at = |n: f64| segments.iter().position(|&m| m == n).map_or(f64::NAN, |k| thick[k]);
    let order = (at(coarse) / at(fine)).ln() / (fine / coarse).ln();
    Ok(vec![
        ("tip_error_L_over_D_200", thick),
        ("tip_error_L_over_D_2000", thin),
        ("slenderness_ratio", ratio),
        ("order", vec![order]),
    ])
}

/// Computed tip of a cantilever with L = EI = 1.
fn computed_tip(model: &str, load: f64, stretch: f64, segments: usize) -> Result<DVec2, Trouble> {
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, 0, 0] },
        "rod": { "rod": {
            "stiffness": { "stretch": stretch, "bend": 1, "twist": 1 },
            "mass_per_length": 1,
            "model": model,
            "segments": segments,
        } },
        "constraint": { "clamp": { "clamp": { "on": "rod", "at": "start" } } },
        "load": { "tip": { "force": { "on": "rod", "at": "end", "force": [0, -load, 0] } } },
    }))?;
    stand.rest()?;
    Ok(stand.tip().position.truncate())
}

/// Tip of the extensible elastica with L = EI = 1, by shooting.
///
/// With the angle θ below the axis and the moment m = θ': stretch λ = 1 + (P/EA) sin θ, m' = −λ P cos θ, x' =
/// λ cos θ, y' = −λ sin θ; θ(0) = 0, m(1) = 0. Shot from the tip, where only the angle is unknown.
fn extensible_elastica(load: f64, stretch: f64) -> Result<DVec2, Trouble> {
    let shoot = |tip_angle: f64| {
        let rate = |[theta, moment, _, _]: [f64; 4]| {
            let lambda = 1.0 + load / stretch * theta.sin();
            // backwards from the tip
            [-moment, lambda * load * theta.cos(), lambda * theta.cos(), lambda * theta.sin()]
        };
        runge_kutta([tip_angle, 0.0, 0.0, 0.0], 4000, rate)
    };
    // The first tip angle, from small ones upwards, with a horizontal clamp.
    let tip_angle = first_root(0.05, 1.1, |angle| Ok(shoot(angle)[0]))?;
    let [_, _, x, drop] = shoot(tip_angle);
    Ok(DVec2::new(x, -drop))
}

#[cfg(test)]
mod tests {
    use super::extensible_elastica;

    /// Bisshopp & Drucker, P L²/EI = 10.
    #[test]
    fn shooting_finds_the_inextensible_elastica() {
        let tip = extensible_elastica(10.0, 1e12).unwrap();
        assert!((tip.x - 0.445_004_402_2).abs() < 1e-9 && (tip.y + 0.810_609_024_9).abs() < 1e-9, "{tip}");
    }
}
