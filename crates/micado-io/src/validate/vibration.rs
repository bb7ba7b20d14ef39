//! Small vibrations about a state of rest, from the constrained eigenproblem.

use super::reference::Reference;
use super::stand::{Stand, Trouble};
use super::{BEAM, DISCRETE, Experiment, Plan, Readings, SPLINE};
use micado::step::Mode;
use serde_json::json;
use std::f64::consts::{PI, TAU};

pub(super) const V01: Plan = Plan {
    id: "V01-cantilever-modes",
    shows: "bending frequencies of a steel wire; eigenproblem, 32 segments, 100 edges, 12 elements",
    experiments: &[
        Experiment { model: SPLINE, quantities: BENDING, measure: |case| wire(case, SPLINE, 32) },
        Experiment { model: DISCRETE, quantities: BENDING, measure: |case| wire(case, DISCRETE, 100) },
        Experiment { model: BEAM, quantities: BENDING, measure: |case| wire(case, BEAM, 12) },
    ],
};

const BENDING: &[&str] = &["beta_L", "frequency_Hz"];

pub(super) const V04: Plan = Plan {
    id: "V04-string-axial",
    shows: "a string tuned by its tension (32 segments, EI/(TL²) = 1e-7, EA/T = 1e4), and waves along a rod \
            (16 segments, `stretch_measure = \"pointwise\"`; the wave speed from the difference of the two \
            frequencies)",
    experiments: &[
        Experiment { model: SPLINE, quantities: &["string_Hz"], measure: string },
        Experiment { model: SPLINE, quantities: &["axial_Hz", "axial_wave_speed"], measure: axial },
    ],
};

pub(super) const V05: Plan = Plan {
    id: "V05-hanging-chain",
    shows: "a chain held straight only by its weight; eigenproblem, 64 segments, EI/(wL³) = 1e-7, \
            EA/(wL) = 1e5",
    experiments: &[Experiment { model: SPLINE, quantities: &["omega_rad_s"], measure: chain }],
};

/// ω of the first `count` modes that move the centreline perpendicular to x; pairs (both directions) count
/// once.
fn across(modes: &[Mode], count: usize) -> Vec<f64> {
    let mut found: Vec<f64> = vec![];
    for mode in modes.iter().filter(|mode| share(mode, &[1, 2]) > 0.9) {
        let omega = mode.eigenvalue.sqrt();
        if found.last().is_none_or(|last| omega > 1.001 * last) {
            found.push(omega);
        }
    }
    found.truncate(count);
    found
}

/// Share of some components in the motion of a mode.
fn share(mode: &Mode, components: &[usize]) -> f64 {
    let sum = |components: &[usize]| -> f64 {
        mode.shape.chunks_exact(4).flat_map(|q| components.iter().map(move |&a| q[a] * q[a])).sum()
    };
    sum(components) / sum(&[0, 1, 2, 3])
}

fn wire(case: &Reference, model: &str, segments: usize) -> Result<Readings, Trouble> {
    let (young, density, radius) = (case.number("E_Pa")?, case.number("rho")?, case.number("radius_m")?);
    let length = case.number("L_m")?;
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, 0, 0] },
        "rod": { "rod": {
            "shape": { "line": { "from": [0, 0, 0], "to": [length, 0, 0] } },
            "radius": radius,
            "young": young,
            "density": density,
            "model": model,
            "segments": segments,
        } },
        "constraint": { "clamp": { "clamp": { "on": "rod", "at": "start" } } },
    }))?;
    stand.rest()?;
    let omega = across(&stand.modes(8)?, 4);
    // (βL)² = ω L² √(μ/EI)
    let slowness =
        length.powi(2) * (density * PI * radius.powi(2) / (young * PI * radius.powi(4) / 4.0)).sqrt();
    Ok(vec![
        ("beta_L", omega.iter().map(|omega| (omega * slowness).sqrt()).collect()),
        ("frequency_Hz", omega.iter().map(|omega| omega / TAU).collect()),
    ])
}

fn string(case: &Reference) -> Result<Readings, Trouble> {
    let (length, mass, tension) = (case.number("L_m")?, case.number("mu")?, case.number("T_N")?);
    // Cut a little short and pulled to its length: the strain causes the tension.
    let strain = 1e-4;
    let bend = 1e-7 * tension * length.powi(2);
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, 0, 0] },
        "rod": { "rod": {
            "shape": { "line": { "from": [0, 0, 0], "to": [length / (1.0 + strain), 0, 0] } },
            "stiffness": { "stretch": tension / strain, "bend": bend, "twist": bend },
            "mass_per_length": mass * (1.0 + strain),
            "segments": 32,
        } },
        "constraint": {
            "nut": { "position": { "on": "rod", "at": "start" } },
            "bridge": { "position": { "on": "rod", "at": "end", "target": [length, 0, 0] } },
            "roll": { "roll": { "on": "rod", "at": "start" } },
        },
    }))?;
    stand.rest()?;
    let omega = across(&stand.modes(8)?, 3);
    Ok(vec![("string_Hz", omega.iter().map(|omega| omega / TAU).collect())])
}

fn axial(case: &Reference) -> Result<Readings, Trouble> {
    let length = case.number("L_m")?;
    // Bending and torsion are arbitrary; with these stiffnesses their modes lie among and above the axial
    // ones.
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [0, 0, 0] },
        "rod": { "rod": {
            "shape": { "line": { "from": [0, 0, 0], "to": [length, 0, 0] } },
            "stiffness": { "stretch": case.number("EA_N")?, "bend": 100, "twist": 1000 },
            "mass_per_length": case.number("mu_rod")?,
            "stretch_measure": "pointwise",
            "segments": 16,
        } },
        "constraint": { "clamp": { "clamp": { "on": "rod", "at": "start" } } },
    }))?;
    stand.rest()?;
    let modes = stand.modes(12)?;
    let frequencies: Vec<f64> =
        modes.iter().filter(|mode| share(mode, &[0]) > 0.9).filter_map(Mode::frequency).take(2).collect();
    // f_n = (2n − 1) c/(4L): neighbours are c/(2L) apart.
    let speed =
        if let [first, second] = frequencies[..] { vec![2.0 * length * (second - first)] } else { vec![] };
    Ok(vec![("axial_Hz", frequencies), ("axial_wave_speed", speed)])
}

fn chain(case: &Reference) -> Result<Readings, Trouble> {
    let (length, g) = (case.number("L_m")?, case.number("g")?);
    let mass = 0.1;
    let weight = mass * g;
    let bend = 1e-7 * weight * length.powi(3);
    // Gravity along +x: the chain hangs along the axis of the other cases.
    let mut stand = Stand::build(json!({
        "settings": { "gravity": [g, 0, 0] },
        "rod": { "rod": {
            "shape": { "line": { "from": [0, 0, 0], "to": [length, 0, 0] } },
            "stiffness": { "stretch": 1e5 * weight * length, "bend": bend, "twist": bend },
            "mass_per_length": mass,
            "segments": 64,
        } },
        "constraint": {
            "pin": { "position": { "on": "rod", "at": "start" } },
            "roll": { "roll": { "on": "rod", "at": "start" } },
        },
    }))?;
    stand.rest()?;
    Ok(vec![("omega_rad_s", across(&stand.modes(8)?, 3))])
}
