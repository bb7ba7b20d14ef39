//! A naturally curved rod that hangs from a clamp. Its weight straightens it; in a range of weights the rod
//! leaves its plane.

use super::reference::Reference;
use super::root::threshold;
use super::stand::{INEXTENSIBLE, Stand, Trouble};
use super::{DISCRETE, Experiment, Plan, Readings, SPLINE};
use serde_json::{Value, json};
use std::f64::consts::PI;

pub(super) const R01: Plan = Plan {
    id: "R01-bend-twist-boundary",
    shows: "the weights between which the plane state has a growing mode (a negative eigenvalue of its \
            constrained stiffness), on the branch from the natural circle (lower) and on that of the heavy \
            rod (upper); 64 segments, 200 edges, EA L²/EI = 1e7",
    experiments: &[
        Experiment { model: SPLINE, quantities: BOUNDARY, measure: |case| boundary(case, SPLINE, 64) },
        Experiment { model: DISCRETE, quantities: BOUNDARY, measure: |case| boundary(case, DISCRETE, 200) },
    ],
};

const BOUNDARY: &[&str] =
    &["Gamma_up", "cuberoot_Gamma_up_over_phi", "Gamma_low", "phi_min_over_pi", "Gamma_at_phi_min"];

pub(super) const R02: Plan = Plan {
    id: "R02-bend-twist-shape",
    shows: "the shape in space reached by leaving the unstable plane state, and the energies of both; \
            64 segments, 200 edges, EA L²/EI = 1e7",
    experiments: &[
        Experiment { model: SPLINE, quantities: SHAPE, measure: |case| shape(case, SPLINE, 64) },
        Experiment { model: DISCRETE, quantities: SHAPE, measure: |case| shape(case, DISCRETE, 200) },
    ],
};

const SHAPE: &[&str] = &["tip_x_down", "tip_y", "tip_abs_z", "total_energy", "planar_state_energy"];

/// A rod of unit length and EI. x points down along the tangent at the clamp, y to the side of the natural
/// curvature.
#[derive(Clone, Copy)]
struct Curl {
    model: &'static str,
    segments: usize,
    /// GJ/EI
    twist: f64,
    /// Natural angle from end to end.
    phi: f64,
}

impl Curl {
    fn stand(&self, shape: &Value) -> Result<Stand, Trouble> {
        Stand::build(json!({
            "settings": { "gravity": [0, 0, 0] },
            "rod": { "rod": {
                "model": self.model,
                "segments": self.segments,
                "shape": shape,
                "natural": { "curved": { "curvature_1": self.phi } },
                "up": [0, 1, 0],
                "stiffness": { "stretch": INEXTENSIBLE, "bend": 1, "twist": self.twist },
                "mass_per_length": 1,
            } },
            "constraint": { "clamp": { "clamp": { "on": "rod", "at": "start", "direction": [1, 0, 0] } } },
        }))
    }

    /// The rod without weight, on its natural circle.
    fn natural(&self) -> Result<Stand, Trouble> {
        self.stand(&json!({ "arc": { "from": [0, 0, 0], "tangent": [1, 0, 0], "towards": [0, 1, 0],
            "radius": 1.0 / self.phi, "angle": self.phi } }))
    }

    /// The rod so heavy that it hangs down, except for a curl at its end.
    fn heavy(&self) -> Result<Stand, Trouble> {
        let mut stand = self.stand(&json!({ "line": { "from": [0, 0, 0], "to": [1, 0, 0] } }))?;
        weigh(&mut stand, self.heaviest())?;
        stand.rest()?;
        Ok(stand)
    }

    /// Γ at which the weight of a length 1/κ bends it by as much as its natural curvature: far above any
    /// boundary.
    fn heaviest(&self) -> f64 {
        self.phi.powi(3)
    }

    /// The first and the last unstable weight among those tried from the natural circle upwards.
    fn unstable(&self) -> Result<Option<(f64, f64)>, Trouble> {
        let mut stand = self.natural()?;
        let mut found: Option<(f64, f64)> = None;
        for k in 0..STRIDES {
            let gamma = STRIDE.powi(k);
            match (leaves_plane(&mut stand, gamma)?, found) {
                (true, _) => found = Some((found.map_or(gamma, |(first, _)| first), gamma)),
                (false, Some(_)) => break,
                (false, None) => {}
            }
        }
        Ok(found)
    }
}

/// Factor of each weight increment, and the number of increments: up to Γ = 50.
const STRIDE: f64 = 1.03;
const STRIDES: i32 = 133;

/// Relative tolerance of a boundary.
const CLOSE: f64 = 1e-4;

fn weigh(stand: &mut Stand, gamma: f64) -> Result<(), Trouble> {
    stand.edit(json!({ "gravity": [gamma, 0, 0] }))
}

/// Whether the plane state at Γ, next to the current one, has a growing mode.
fn leaves_plane(stand: &mut Stand, gamma: f64) -> Result<bool, Trouble> {
    weigh(stand, gamma)?;
    Ok(stand.balance()? > 0)
}

/// Γ at which the plane state becomes unstable, followed from `gamma` in steps of `factor`.
fn boundary_from(stand: &mut Stand, mut gamma: f64, factor: f64) -> Result<f64, Trouble> {
    for _ in 0..STRIDES {
        let next = gamma * factor;
        if leaves_plane(stand, next)? {
            return threshold(0.0, 1.0, CLOSE / (factor - 1.0).abs(), |share| {
                leaves_plane(stand, gamma + share * (next - gamma))
            })
            .map(|share| gamma + share * (next - gamma));
        }
        gamma = next;
    }
    Err(Trouble::new(format!("the plane state is stable up to Γ = {gamma:.1}")))
}

fn boundary(case: &Reference, model: &'static str, segments: usize) -> Result<Readings, Trouble> {
    let twist = case.number("C")?;
    let curl = |share: f64| Curl { model, segments, twist, phi: PI * share };
    let (mut up, mut scaled, mut low) = (vec![], vec![], vec![]);
    for share in case.numbers("phi_over_pi_up")? {
        let curl = curl(share);
        let gamma = boundary_from(&mut curl.heavy()?, curl.heaviest(), 1.0 / STRIDE)?;
        up.push(gamma);
        scaled.push(gamma.cbrt() / curl.phi);
    }
    for share in case.numbers("phi_over_pi_low")? {
        low.push(boundary_from(&mut curl(share).natural()?, 1.0, STRIDE)?);
    }
    // Between the largest angle that is plane under any weight and the smallest that is not.
    let planar = case.numbers("phi_over_pi_always_planar")?.into_iter().fold(0.0, f64::max);
    let unstable = case.numbers("phi_over_pi_low")?.into_iter().fold(f64::MAX, f64::min);
    let mut weights = f64::NAN;
    let least = threshold(planar, unstable, 1e-3, |share| {
        let found = curl(share).unstable()?;
        weights = found.map_or(weights, |(first, last)| (first * last).sqrt());
        Ok(found.is_some())
    })?;
    Ok(vec![
        ("Gamma_up", up),
        ("cuberoot_Gamma_up_over_phi", scaled),
        ("Gamma_low", low),
        ("phi_min_over_pi", vec![least]),
        ("Gamma_at_phi_min", vec![weights]),
    ])
}

fn shape(case: &Reference, model: &'static str, segments: usize) -> Result<Readings, Trouble> {
    let curl = Curl { model, segments, twist: case.number("C")?, phi: case.number("phi")? };
    let mut stand = curl.natural()?;
    weigh(&mut stand, case.number("Gamma")?)?;
    stand.balance()?;
    let plane = stand.world().energy().total();
    stand.rest()?;
    let tip = stand.tip().position;
    Ok(vec![
        ("tip_x_down", vec![tip.x]),
        ("tip_y", vec![tip.y]),
        ("tip_abs_z", vec![tip.z.abs()]),
        ("total_energy", vec![stand.world().energy().total()]),
        ("planar_state_energy", vec![plane]),
    ])
}
