//! Ropes and chains round a rough cylinder.

use super::reference::Reference;
use super::stand::{Stand, Trouble};
use super::touch::threshold;
use super::{BEAM, DISCRETE, Experiment, Plan, Readings, SPLINE};
use glam::DVec3;
use micado::step::StepParams;
use serde_json::{Map, Value, json};
use std::f64::consts::{FRAC_PI_2, TAU};

pub(super) const Q06: Plan = Plan {
    id: "Q06-capstan",
    shows: "a rope is drawn round a fixed cylinder: the ratio of its tensions while it slides; 64 segments \
            per turn, r/R = 0.003 (friction has the lever R, the tension R + r), EA = 1000 of the larger \
            tension, steps of 10 ms; and 16 masses on rigid links: the least pull that moves them, by \
            bisection",
    experiments: &[
        Experiment { model: DISCRETE, quantities: &["tension_ratio"], measure: |case| ropes(case, DISCRETE) },
        Experiment { model: BEAM, quantities: &["tension_ratio"], measure: |case| ropes(case, BEAM) },
        Experiment { model: SPLINE, quantities: &["tension_ratio"], measure: |case| ropes(case, SPLINE) },
        Experiment { model: "mass", quantities: &["tension_ratio_16_corners"], measure: chains },
    ],
};

/// Radius of the cylinder, m.
const CYLINDER: f64 = 0.1;
/// Tension at the slack end, N.
const SLACK: f64 = 10.0;

/// The fixed cylinder, about y.
fn cylinder() -> Value {
    json!({ "shape": { "cylinder": { "radius": CYLINDER, "length": 0.2 } }, "fixed": true,
        "rotation": [0, 0, FRAC_PI_2] })
}

/// Point at an angle from the top, at a distance from the axis, and the direction of growing angles.
fn at(angle: f64, distance: f64) -> (DVec3, DVec3) {
    let (sin, cos) = angle.sin_cos();
    (distance * DVec3::new(sin, 0.0, cos), DVec3::new(cos, 0.0, -sin))
}

/// Results of `measure` for each friction and, within it, for each angle. All run at the same time.
fn each(
    case: &Reference,
    measure: impl Fn(f64, f64) -> Result<f64, Trouble> + Sync,
) -> Result<Vec<f64>, Trouble> {
    let (frictions, angles) = (case.numbers("mu")?, case.numbers("phi_rad")?);
    let measure = &measure;
    std::thread::scope(|scope| {
        let each = frictions.iter().flat_map(|&mu| angles.iter().map(move |&angle| (mu, angle)));
        let running: Vec<_> = each.map(|(mu, angle)| scope.spawn(move || measure(mu, angle))).collect();
        let done = running.into_iter().map(std::thread::ScopedJoinHandle::join);
        done.map(|found| found.unwrap_or_else(|_| Err(Trouble::new("a measurement panicked")))).collect()
    })
}

fn ropes(case: &Reference, model: &'static str) -> Result<Readings, Trouble> {
    let ratios = each(case, |mu, angle| Rope { model, mu, angle }.ratio())?;
    Ok(vec![("tension_ratio", ratios)])
}

/// A rope that lies round the cylinder by an angle, with straight tails. It may pass through itself, so that
/// more than one turn lies in one plane.
struct Rope {
    model: &'static str,
    mu: f64,
    angle: f64,
}

impl Rope {
    /// Radius, m: larger than the sagitta of a segment on the cylinder, 0.12 mm.
    const RADIUS: f64 = 3e-4;
    const PER_TURN: f64 = 64.0;
    /// Length of a tail, m.
    const TAIL: f64 = 0.05;
    const STEP: f64 = 0.01;
    const STEPS: usize = 50;

    /// Stiffness, N, for the largest tension that friction can hold.
    fn stiffness(&self) -> f64 {
        1e3 * SLACK * self.most()
    }

    fn most(&self) -> f64 {
        (self.mu * self.angle).exp()
    }

    /// How far the end is drawn, m: a little more than the elongation at the tensions of sliding. Normals are
    /// those of the beginning of a step, which adds (travel per step)/R = 4e-4 to the friction.
    fn drawn(&self) -> f64 {
        let (low, high) = (SLACK, SLACK * self.most());
        ((high - low) / self.mu * CYLINDER + (low + high) * Self::TAIL) / self.stiffness() + 1e-3
    }

    fn scene(&self) -> Value {
        let axis = CYLINDER + Self::RADIUS;
        let around = (Self::PER_TURN * self.angle / TAU).round() as u32;
        let length = axis * self.angle / f64::from(around);
        let tail = (Self::TAIL / length).round() as u32;
        let (low, high) = (at(-0.5 * self.angle, axis), at(0.5 * self.angle, axis));
        let before = (1..=4 * tail).rev().map(|k| low.0 - 0.25 * length * f64::from(k) * low.1);
        let on =
            (0..=4 * around).map(|k| at((f64::from(k) / f64::from(4 * around) - 0.5) * self.angle, axis).0);
        let after = (1..=4 * tail).map(|k| high.0 + 0.25 * length * f64::from(k) * high.1);
        let through: Vec<DVec3> = before.chain(on).chain(after).collect();
        // EI/(2 R² T) = 2.5e-4: bending is no part of the balance.
        let bend = 2.5e-4 * 2.0 * CYLINDER * CYLINDER * SLACK;
        let rope = json!({
            "model": self.model, "shape": { "points": { "through": through } }, "radius": Self::RADIUS,
            "stiffness": { "stretch": self.stiffness(), "bend": bend, "twist": bend },
            "mass_per_length": 0.02, "damping": { "internal": 0.01, "mass": 20 },
            "segments": around + 2 * tail - u32::from(self.model == DISCRETE),
        });
        let duration = Self::STEP * Self::STEPS as f64;
        json!({
            "contact": { "friction": self.mu, "pairs": [{ "between": ["rope", "rope"], "touch": false }] },
            "body": { "cylinder": cylinder() },
            "rod": { "rope": rope },
            "load": { "slack": { "force": { "on": "rope", "at": "start",
                "force": { "ramp": { "to": -SLACK * low.1, "end": 0.6 * duration } } } } },
            "constraint": {
                "pull": { "position": { "on": "rope", "at": "end",
                    "displacement": { "ramp": { "to": self.drawn() * high.1, "end": duration } } } },
                "roll": { "roll": { "on": "rope", "at": "start" } },
            },
            "settings": { "gravity": [0, 0, 0] },
        })
    }

    /// The larger tension over the smaller one while it slides.
    fn ratio(&self) -> Result<f64, Trouble> {
        let mut stand = Stand::build(self.scene())?;
        let params = StepParams { step: Self::STEP, ..StepParams::default() };
        for _ in 0..Self::STEPS {
            stand.step_or_substeps(&params)?;
        }
        Ok(stand.force("pull").length() / SLACK)
    }
}

fn chains(case: &Reference) -> Result<Readings, Trouble> {
    let corners = case.number("polygon_n")? as usize;
    let ratios = each(case, |mu, angle| {
        // The chain's ratio exceeds that of the rope by less than a factor of two here.
        let most = (mu * angle).exp();
        threshold(0.5 * most, 2.0 * most, |pull| moves(corners, mu, angle, pull))
    })?;
    Ok(vec![("tension_ratio_16_corners", ratios)])
}

/// Whether a pull moves a chain of masses on massless links that lies on the cylinder and carries 1 N. The
/// forces on its ends have the directions of the next links, so that the chain turns by the same angle at
/// each mass.
fn moves(corners: usize, mu: f64, angle: f64, pull: f64) -> Result<bool, Trouble> {
    const RADIUS: f64 = 1e-3;
    let turn = angle / corners as f64;
    let name = |k: usize| format!("mass_{k}");
    let (mut masses, mut links) = (Map::new(), Map::new());
    for k in 0..corners {
        let place = at((k as f64 + 0.5) * turn - 0.5 * angle, CYLINDER + RADIUS).0;
        masses.insert(name(k), json!({ "position": place, "mass": 1e-3, "radius": RADIUS }));
        if k > 0 {
            let link = json!({ "distance": { "on": name(k - 1), "to": { "on": name(k) } } });
            links.insert(format!("link_{k}"), link);
        }
    }
    let all: Vec<String> = (0..corners).map(name).collect();
    let (low, high) = (at(-0.5 * angle, 1.0).1, at(0.5 * angle, 1.0).1);
    let mut stand = Stand::build(json!({
        "contact": { "friction": mu, "groups": { "chain": all },
            "pairs": [{ "between": ["chain", "chain"], "touch": false }] },
        "body": { "cylinder": cylinder() },
        "mass": masses,
        "constraint": links,
        "load": {
            "slack": { "force": { "on": name(0), "force": -low } },
            "pull": { "force": { "on": name(corners - 1), "force": pull * high } },
        },
        "settings": { "gravity": [0, 0, 0] },
    }))?;
    let params = StepParams { step: 1e-3, ..StepParams::default() };
    for _ in 0..5 {
        stand.step(&params)?;
    }
    // A thousandth above the threshold its speed exceeds 3e-4 m/s after 5 ms.
    Ok(stand.velocity(&name(corners - 1)).length() > 1e-6)
}
