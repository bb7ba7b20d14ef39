//! Cantilevers: small and large deflection under a tip load, and under their own weight.

use super::reference::Reference;
use super::stand::{INEXTENSIBLE, Stand, Trouble};
use super::{BEAM, DISCRETE, Experiment, Plan, Readings, SPLINE};
use glam::DVec3;
use micado::object::rod::Section;
use serde_json::{Value, json};

/// Segments for tip loads: fourth order makes the discretisation error less than 1e-5.
const SEGMENTS: usize = 32;
/// Edges for tip loads: second order, an error of 1e-4 of the length.
const EDGES: usize = 100;
/// Elements for tip loads: fourth order.
const ELEMENTS: usize = 16;
/// Segments under own weight: at Γ = 1000 the rod bends within 1/√Γ = 3 % of its length, which is four
/// segments.
const SEGMENTS_HEAVY: usize = 128;
/// Edges under own weight: eight in that length.
const EDGES_HEAVY: usize = 256;
/// Elements under own weight: two in that length.
const ELEMENTS_HEAVY: usize = 64;

pub(super) const C01: Plan = Plan {
    id: "C01-cantilever-small",
    shows: "Euler–Bernoulli limit: deflection, slope, and moment and shear as multipliers of the clamp; \
            32 segments",
    experiments: &[Experiment {
        model: SPLINE,
        quantities: &["tip_deflection", "mid_deflection", "tip_slope", "root_moment", "root_shear_reaction"],
        measure: small,
    }],
};

const LARGE: &[&str] = &["delta_over_L", "x_over_L", "psi0_rad", "root_moment"];

pub(super) const C02: Plan = Plan {
    id: "C02-bisshopp-drucker",
    shows: "large deflection: shape, end angle and clamp moment up to 81 % of the length; \
            32 segments, 100 edges, 16 elements, EA L²/EI = 1e7",
    experiments: &[
        Experiment { model: SPLINE, quantities: LARGE, measure: |case| large(case, SPLINE, SEGMENTS) },
        Experiment { model: DISCRETE, quantities: LARGE, measure: |case| large(case, DISCRETE, EDGES) },
        Experiment { model: BEAM, quantities: LARGE, measure: |case| large(case, BEAM, ELEMENTS) },
    ],
};

const HEAVY: &[&str] = &["H_over_L", "W_over_L", "H_over_W", "tip_angle_rad", "root_curvature_times_L"];

pub(super) const C03: Plan = Plan {
    id: "C03-heavy-elastica",
    shows: "own weight from a stiff rod to a hanging thread, curvature at the clamp; \
            128 segments, 256 edges, 64 elements, EA L²/EI = 1e7",
    experiments: &[
        Experiment { model: SPLINE, quantities: HEAVY, measure: |case| heavy(case, SPLINE, SEGMENTS_HEAVY) },
        Experiment { model: DISCRETE, quantities: HEAVY, measure: |case| heavy(case, DISCRETE, EDGES_HEAVY) },
        Experiment { model: BEAM, quantities: HEAVY, measure: |case| heavy(case, BEAM, ELEMENTS_HEAVY) },
    ],
};

/// Angle by which a rod along +x has turned down, towards −y.
fn turned_down(section: &Section) -> f64 {
    let DVec3 { x, y, .. } = section.tangent;
    (-y).atan2(x)
}

/// A rod along +x, clamped at its start, with a dead tip load along −y.
fn with_tip_load(rod: &Value, load: f64) -> Result<Stand, Trouble> {
    Stand::build(json!({
        "settings": { "gravity": [0, 0, 0] },
        "rod": { "rod": rod },
        "constraint": { "clamp": { "clamp": { "on": "rod", "at": "start" } } },
        "load": { "tip": { "force": { "on": "rod", "at": "end", "force": [0, -load, 0] } } },
    }))
}

fn small(case: &Reference) -> Result<Readings, Trouble> {
    let length = case.number("L_m")?;
    let rod = json!({
        "shape": { "line": { "from": [0, 0, 0], "to": [length, 0, 0] } },
        "radius": case.number("diameter_m")? / 2.0,
        "young": case.number("E_Pa")?,
        "density": 1000,
        "segments": SEGMENTS,
    });
    let mut stand = with_tip_load(&rod, case.number("P_N")?)?;
    stand.rest()?;
    Ok(vec![
        ("tip_deflection", vec![-stand.tip().position.y]),
        ("mid_deflection", vec![-stand.section(length / 2.0).position.y]),
        ("tip_slope", vec![turned_down(&stand.tip())]),
        ("root_moment", vec![stand.moment("clamp").z]),
        ("root_shear_reaction", vec![stand.force("clamp").y]),
    ])
}

/// A rod of unit length and unit EI.
fn unit_rod(model: &str, segments: usize, mass: f64) -> Value {
    json!({
        "model": model,
        "stiffness": { "stretch": INEXTENSIBLE, "bend": 1, "twist": 1 },
        "mass_per_length": mass,
        "segments": segments,
    })
}

fn large(case: &Reference, model: &str, segments: usize) -> Result<Readings, Trouble> {
    let (mut delta, mut x, mut psi, mut moment) = (vec![], vec![], vec![], vec![]);
    for alpha in case.numbers("alpha")? {
        let mut stand = with_tip_load(&unit_rod(model, segments, 1.0), alpha)?;
        stand.rest()?;
        let tip = stand.tip();
        delta.push(-tip.position.y);
        x.push(tip.position.x);
        psi.push(turned_down(&tip));
        moment.push(stand.moment("clamp").z);
    }
    Ok(vec![("delta_over_L", delta), ("x_over_L", x), ("psi0_rad", psi), ("root_moment", moment)])
}

fn heavy(case: &Reference, model: &str, segments: usize) -> Result<Readings, Trouble> {
    let (mut drop, mut reach, mut ratio, mut angle, mut curvature) = (vec![], vec![], vec![], vec![], vec![]);
    for gamma in case.numbers("Gamma")? {
        let mut stand = Stand::build(json!({
            "settings": { "gravity": [0, -1, 0] },
            "rod": { "rod": unit_rod(model, segments, gamma) },
            "constraint": { "clamp": { "clamp": { "on": "rod", "at": "start" } } },
        }))?;
        stand.rest()?;
        let tip = stand.tip();
        drop.push(-tip.position.y);
        reach.push(tip.position.x);
        ratio.push(-tip.position.y / tip.position.x);
        angle.push(turned_down(&tip));
        curvature.push(stand.section(0.0).curvature);
    }
    Ok(vec![
        ("H_over_L", drop),
        ("W_over_L", reach),
        ("H_over_W", ratio),
        ("tip_angle_rad", angle),
        ("root_curvature_times_L", curvature),
    ])
}
