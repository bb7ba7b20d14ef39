//! Localised buckling of a long twisted rod: one helical bump, with even and with uneven edges.
//!
//! Theory for a long rod (van der Heijden and Thompson): the angle φ of the tangent to the axis has the
//! envelope `(cos φ − cos φ₀)/(1 − cos φ₀) = tanh²(s/s*)`, s* = 2 EI/(M tan(φ₀/2)), with 4 EI sin φ₀/M = the
//! shortening and M L/GJ + 2 φ₀ = the rotation of the ends.

use super::{Experiment, Number, Study, along, at_its_end, reading, scene};
use crate::plot::{Chart, Series};
use crate::validate::root::threshold;
use crate::validate::stand::Trouble;
use micado::scene::Scene;
use serde_json::json;
use std::f64::consts::{FRAC_PI_2, TAU};

pub(super) const EXPERIMENT: Experiment = Experiment {
    name: "localized-helix",
    shows: "a twisted rod forms one helical bump: its angle, torque and tension, \
            also with edges that are twice as fine in one half",
    measure,
};

/// Values of the scene.
const LENGTH: f64 = 9.29;
const BEND: f64 = 1.345;
const TWIST: f64 = 0.789;
const TURNS: f64 = 27.0;
const SHORTENING: f64 = 0.3;

/// The measured quantities.
struct Bump {
    /// Angle to the axis, rad, over the distance from the middle, m.
    angle: Vec<(f64, f64)>,
    /// Angle in the middle, rad.
    largest: f64,
    torque: f64,
    tension: f64,
}

/// The bump of a rod with even edges or segments.
fn bump(model: &str, segments: usize) -> Result<Bump, Trouble> {
    let overrides = [format!("rod.rod.model=\"{model}\""), format!("rod.rod.segments={segments}")];
    let simulation = at_its_end(&scene(EXPERIMENT.name, &overrides)?)?;
    let angle: Vec<(f64, f64)> = along(&simulation, "rod", segments)?
        .into_iter()
        .map(|(s, section)| (s - LENGTH / 2.0, section.tangent.x.min(1.0).acos()))
        .collect();
    Ok(Bump {
        largest: angle[segments / 2].1,
        angle,
        torque: reading(&simulation, "torque")?,
        tension: reading(&simulation, "tension")?,
    })
}

/// The bump of a rod of two halves joined rigidly, the second with twice as many edges; and the force, N,
/// that keeps it in the middle.
fn uneven(coarse: usize) -> Result<(Bump, f64), Trouble> {
    let half = |from: f64, segments: usize| {
        json!({
            "model": "discrete-elastic",
            "shape": { "line": { "from": [from, 0, 0], "to": [from + LENGTH / 2.0, 0, 0] } },
            "stiffness": { "stretch": 1e7, "bend": BEND, "twist": TWIST },
            "mass_per_length": 0.1,
            "twist": TURNS / 2.0 * TAU,
            "segments": segments,
        })
    };
    let mut scene: Scene = scene(EXPERIMENT.name, &[])?;
    scene.rod.clear();
    scene.rod.insert("left".into(), serde_json::from_value(half(0.0, coarse))?);
    scene.rod.insert("right".into(), serde_json::from_value(half(LENGTH / 2.0, 2 * coarse))?);
    scene.constraint.clear();
    for (name, constraint) in [
        ("start", json!({ "clamp": { "on": "left", "at": "start" } })),
        (
            "end",
            json!({ "clamp": { "on": "right", "at": "end",
                "displacement": { "ramp": { "to": [-SHORTENING, 0, 0], "end": 1 } } } }),
        ),
        (
            "joint",
            json!({ "fusion": { "on": "left", "at": "end", "to": { "on": "right", "at": "start" },
                "hold": "rigid" } }),
        ),
        (
            "along",
            json!({ "plane": { "on": "left", "at": "end", "normal": [1, 0, 0],
                "offset": { "ramp": { "to": -SHORTENING / 2.0, "end": 1 } } } }),
        ),
        ("about", json!({ "plane": { "on": "left", "at": "end", "normal": [0, 0, 1] } })),
    ] {
        scene.constraint.insert(name.into(), serde_json::from_value(constraint)?);
    }
    scene.probe = serde_json::from_value(json!([
        { "name": "torque", "of": "end", "read": "moment", "component": "x" },
        { "name": "tension", "of": "end", "read": "force", "component": "x" },
        { "name": "along", "of": "along", "read": "force", "component": "x" },
    ]))?;
    let simulation = at_its_end(&scene)?;
    let read = |rod: &str, from: f64, segments: usize| {
        let sections = along(&simulation, rod, segments)?;
        Ok::<_, Trouble>(
            sections.into_iter().map(move |(s, section)| (from + s, section.tangent.x.min(1.0).acos())),
        )
    };
    let angle: Vec<(f64, f64)> =
        read("left", -LENGTH / 2.0, coarse)?.chain(read("right", 0.0, 2 * coarse)?.skip(1)).collect();
    let bump = Bump {
        largest: angle[coarse].1,
        angle,
        torque: reading(&simulation, "torque")?,
        tension: reading(&simulation, "tension")?,
    };
    Ok((bump, reading(&simulation, "along")?))
}

/// φ₀, torque, tension and s* of theory.
fn theory() -> Result<[f64; 4], Trouble> {
    let torque = |angle: f64| 4.0 * BEND * angle.sin() / SHORTENING;
    let angle = threshold(0.1, FRAC_PI_2, 1e-12, |angle| {
        Ok(torque(angle) * LENGTH / TWIST + 2.0 * angle > TURNS * TAU)
    })?;
    let moment = torque(angle);
    // M² = 2 EI T (1 + cos φ₀)
    Ok([
        angle,
        moment,
        moment * moment / (2.0 * BEND * (1.0 + angle.cos())),
        2.0 * BEND / (moment * (angle / 2.0).tan()),
    ])
}

fn measure() -> Result<Study, Trouble> {
    let [angle, torque, tension, width] = theory()?;
    let envelope = |s: f64| (angle.cos() + (1.0 - angle.cos()) * (s / width).tanh().powi(2)).acos();
    let (coarse, scene, fine, smooth) = (
        bump("discrete-elastic", 90)?,
        bump("discrete-elastic", 180)?,
        bump("discrete-elastic", 360)?,
        bump("spline", 128)?,
    );
    let ((uneven_coarse, pull_coarse), (uneven_fine, pull_fine)) = (uneven(120)?, uneven(240)?);
    // Richardson extrapolation of a second-order error.
    let limit = |coarse: f64, fine: f64| (4.0 * fine - coarse) / 3.0;
    let numbers = vec![
        Number::new("largest angle, 128 segments, rad", smooth.largest, angle),
        Number::new("largest angle, from 180 and 360 edges, rad", limit(scene.largest, fine.largest), angle),
        Number::new(
            "largest angle, from 120+240 and 240+480 edges, rad",
            limit(uneven_coarse.largest, uneven_fine.largest),
            angle,
        ),
        Number::new("torque, from 180 and 360 edges, N·m", limit(scene.torque, fine.torque), torque),
        Number::new("tension, from 180 and 360 edges, N", limit(scene.tension, fine.tension), tension),
        Number::new("force towards the finer half, 120+240 over 240+480 edges", pull_coarse / pull_fine, 4.0),
    ];
    let near = |bump: Bump| bump.angle.into_iter().filter(|(s, _)| s.abs() <= 2.0).collect();
    let line = (-100..=100).map(|k| 0.02 * f64::from(k)).map(|s| (s, envelope(s))).collect();
    Ok(Study {
        numbers,
        chart: Chart {
            title: "Angle of the bump to its axis".into(),
            x_label: "place from the middle, m".into(),
            y_label: "angle, rad".into(),
            series: vec![
                Series::new("theory", line),
                Series::new("spline, 128 segments", near(smooth)),
                Series::new("360 edges", near(fine)),
                Series::new("180 edges", near(scene)),
                Series::new("90 edges", near(coarse)),
                Series::new("120 + 240 edges", near(uneven_coarse)),
            ],
            ..Chart::default()
        },
    })
}
