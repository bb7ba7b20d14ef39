//! Large bending: a rod rolled up by a couple, a bent rod loaded out of its plane, and a quarter ring.

use super::reference::Reference;
use super::stand::{INEXTENSIBLE, Stand, Trouble};
use super::{BEAM, DISCRETE, Experiment, Plan, Readings, SPLINE};
use serde_json::{Value, json};
use std::f64::consts::{FRAC_PI_2, TAU};

pub(super) const B01: Plan = Plan {
    id: "B01-rollup",
    shows: "an end couple rolls the rod into a circle, one turn and two turns; 20 segments per turn, \
            couple raised in steps of 1/20 turn, a strip that is stiff out of its plane",
    experiments: &[Experiment { model: SPLINE, quantities: &["tip_x", "tip_y", "energy"], measure: roll_up }],
};

pub(super) const B02: Plan = Plan {
    id: "B02-bend45-kirchhoff",
    shows: "combined bending and twisting in space, naturally curved rod; \
            32 segments, 64 edges, EA L²/EI = 1e7",
    experiments: &[
        Experiment {
            model: SPLINE,
            quantities: TIP,
            measure: |case| bend_45(case, SPLINE, 32, INEXTENSIBLE),
        },
        Experiment {
            model: DISCRETE,
            quantities: TIP,
            measure: |case| bend_45(case, DISCRETE, 64, INEXTENSIBLE),
        },
    ],
};

pub(super) const B03: Plan = Plan {
    id: "B03-bend45-reissner",
    shows: "as B02, with the EA of the section; 8 elements without shear: GA would move the tip by 6e-3, \
            and the tolerance is 0.06",
    experiments: &[Experiment {
        model: BEAM,
        quantities: TIP,
        measure: |case| bend_45(case, BEAM, 8, slenderness(case)?),
    }],
};

const TIP: &[&str] = &["tip_x", "tip_y", "tip_z"];

pub(super) const N03: Plan = Plan {
    id: "N03-quarter-ring",
    shows: "natural curvature, isotropic and anisotropic: compliance out of the plane; 8 segments",
    experiments: &[Experiment { model: SPLINE, quantities: &["compliance"], measure: quarter_ring }],
};

/// The largest load gives two turns. Beyond half a turn, a couple with an axis fixed in space would move a
/// soft rod out of the plane. The reference is plane, so the rod is a strip that is stiff about m₁, across
/// the plane.
const ROLL_SEGMENTS: usize = 40;

fn roll_up(case: &Reference) -> Result<Readings, Trouble> {
    let (length, bend) = (case.number("L")?, case.number("EI")?);
    let couple = |turns: f64| {
        json!({ "moment": { "on": "rod", "at": "end",
        "moment": [0, 0, turns * TAU * bend / length] } })
    };
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, 0, 0] },
        "rod": { "rod": {
            "shape": { "line": { "from": [0, 0, 0], "to": [length, 0, 0] } },
            "stiffness": { "stretch": 1e6 * bend / length.powi(2), "bend": 1e3 * bend, "bend_2": bend,
                "twist": 1e3 * bend },
            "mass_per_length": 1,
            "segments": ROLL_SEGMENTS,
        } },
        "constraint": { "clamp": { "clamp": { "on": "rod", "at": "start" } } },
        "load": { "couple": couple(0.0) },
    }))?;
    let (mut x, mut y, mut energy) = (vec![], vec![], vec![]);
    let mut turns = 0.0;
    for fraction in case.numbers("fraction_f")? {
        while turns < fraction {
            turns = (turns + 0.05_f64).min(fraction);
            stand.edit(json!({ "change-load": { "name": "couple", "to": couple(turns) } }))?;
            stand.rest()?;
        }
        let tip = stand.tip().position;
        x.push(tip.x);
        y.push(tip.y);
        energy.push(stand.world().energy().elastic());
    }
    Ok(vec![("tip_x", x), ("tip_y", y), ("energy", energy)])
}

/// EA L²/EI of the section of a case.
fn slenderness(case: &Reference) -> Result<f64, Trouble> {
    let length = case.number("R")? * case.number("arc_deg")?.to_radians();
    Ok(case.number("A")? * length.powi(2) / case.number("I")?)
}

/// Tip of the 45° bend; `slenderness` is EA L²/EI.
fn bend_45(case: &Reference, model: &str, segments: usize, slenderness: f64) -> Result<Readings, Trouble> {
    let (young, shear, radius) = (case.number("E")?, case.number("G")?, case.number("R")?);
    let angle = case.number("arc_deg")?.to_radians();
    let bend = young * case.number("I")?;
    let force = |f: f64| json!({ "force": { "on": "rod", "at": "end", "force": [0, 0, f] } });
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, 0, 0] },
        "rod": { "rod": {
            "shape": { "arc": { "from": [0, 0, 0], "tangent": [0, 1, 0], "towards": [1, 0, 0],
                "radius": radius, "angle": angle } },
            "natural": "as-shaped",
            "stiffness": { "stretch": slenderness * bend / (radius * angle).powi(2), "bend": bend,
                "twist": shear * case.number("J")? },
            "mass_per_length": 1,
            "model": model,
            "segments": segments,
        } },
        "constraint": { "clamp": { "clamp": { "on": "rod", "at": "start" } } },
        "load": { "tip": force(0.0) },
    }))?;
    let (mut x, mut y, mut z) = (vec![], vec![], vec![]);
    for f in case.numbers("F")? {
        stand.edit(json!({ "change-load": { "name": "tip", "to": force(f) } }))?;
        stand.rest()?;
        let tip = stand.tip().position;
        x.push(tip.x);
        y.push(tip.y);
        z.push(tip.z);
    }
    Ok(vec![("tip_x", x), ("tip_y", y), ("tip_z", z)])
}

/// A force so small that second-order terms stay below 1e-8.
const SMALL_FORCE: f64 = 1e-4;

fn quarter_ring(case: &Reference) -> Result<Readings, Trouble> {
    let (inside, outside, twist) = (case.numbers("EI_in")?, case.numbers("EI_out")?, case.numbers("GJ")?);
    let mut compliance = vec![];
    for ((inside, outside), twist) in inside.into_iter().zip(outside).zip(twist) {
        // m₁ points out of the plane of the ring, so the first bending stiffness is that out of the plane.
        let stiffness: Value = json!({ "stretch": 1e6, "bend": outside, "bend_2": inside, "twist": twist });
        let mut stand = Stand::build(json!({
            "settings": { "gravity": [0, 0, 0] },
            "rod": { "rod": {
                "shape": { "arc": { "from": [1, 0, 0], "tangent": [0, 1, 0], "towards": [-1, 0, 0],
                    "radius": 1, "angle": FRAC_PI_2 } },
                "natural": "as-shaped",
                "up": [0, 0, 1],
                "stiffness": stiffness,
                "mass_per_length": 1,
                "segments": case.number("segments")? as usize,
            } },
            "constraint": { "clamp": { "clamp": { "on": "rod", "at": "start" } } },
            "load": { "tip": { "force": { "on": "rod", "at": "end", "force": [0, 0, SMALL_FORCE] } } },
        }))?;
        stand.rest()?;
        compliance.push(stand.tip().position.z / SMALL_FORCE);
    }
    Ok(vec![("compliance", compliance)])
}
