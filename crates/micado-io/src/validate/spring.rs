//! A helical spring: its extension and rotation under an axial force and a couple.

use super::reference::Reference;
use super::stand::{Stand, Trouble};
use super::{DISCRETE, Experiment, Plan, Readings, SPLINE};
use glam::DVec3;
use micado::object::rod::Section;
use serde_json::{Value, json};
use std::f64::consts::TAU;

pub(super) const H01: Plan = Plan {
    id: "H01-helical-spring",
    shows: "compliances and guided stiffnesses of a helical spring of ten turns, loaded through a rigid arm \
            to its axis; 16 segments per turn, 80 edges per turn",
    experiments: &[
        Experiment { model: SPLINE, quantities: SPRING, measure: |case| spring(case, SPLINE, 16) },
        Experiment { model: DISCRETE, quantities: SPRING, measure: |case| spring(case, DISCRETE, 80) },
    ],
};

const SPRING: &[&str] = &[
    "delta_per_F_m_per_N",
    "psi_per_F_rad_per_N",
    "psi_per_M_rad_per_Nm",
    "guided_axial_stiffness_N_per_m",
    "guided_rotational_stiffness_Nm_per_rad",
    "guided_coupling_N_per_rad",
];

/// Loads and motions so small that second-order terms stay below 1e-4: a ten-thousandth of the spring's
/// height, 1 mrad.
const FORCE: f64 = 1e-3;
const COUPLE: f64 = 1e-5;
const STROKE: f64 = 1e-5;
const TURN: f64 = 1e-3;

/// A spring around the z axis, clamped below.
struct Spring {
    model: &'static str,
    segments: usize,
    radius: f64,
    pitch: f64,
    turns: f64,
    wire: Value,
}

impl Spring {
    fn stand(&self, mut constraint: Value, load: &Value) -> Result<Stand, Trouble> {
        constraint["foot"] = json!({ "clamp": { "on": "rod", "at": "start" } });
        let mut rod = self.wire.clone();
        rod["model"] = json!(self.model);
        rod["segments"] = json!(self.segments);
        rod["natural"] = json!("as-shaped");
        rod["shape"] = json!({ "helix": { "centre": [0, 0, 0], "radius": self.radius, "pitch": self.pitch,
            "turns": self.turns } });
        Stand::build(
            json!({ "settings": { "gravity": [0, 0, 0] }, "rod": { "rod": rod }, "constraint": constraint,
                "load": load }),
        )
    }

    /// Rise and rotation of the arm's end on the axis, under a force along the axis and a couple about it.
    fn gives(&self, force: f64, couple: f64) -> Result<[f64; 2], Trouble> {
        let before = self.stand(json!({}), &json!({}))?.tip();
        let arm = arm(&before);
        let moment = DVec3::Z * couple + arm.cross(DVec3::Z * force);
        let mut stand = self.stand(
            json!({}),
            &json!({
                "pull": { "force": { "on": "rod", "at": "end", "force": [0, 0, force] } },
                "wind": { "moment": { "on": "rod", "at": "end", "moment": moment.to_array() } },
            }),
        )?;
        stand.rest()?;
        let after = stand.tip();
        let turned = turn_between(&before, &after);
        Ok([(after.position - before.position + turned.cross(arm)).z, turned.z])
    }

    /// Force along the axis and couple about it that hold an end raised and turned about the axis.
    fn resists(&self, stroke: f64, turn: f64) -> Result<[f64; 2], Trouble> {
        let before = self.stand(json!({}), &json!({}))?.tip();
        let out = -arm(&before);
        let displacement = DVec3::Z * stroke + DVec3::Z.cross(out) * turn;
        let guide = json!({ "clamp": { "on": "rod", "at": "end", "displacement": displacement.to_array(),
            "rotation": [0, 0, turn] } });
        let mut stand = self.stand(json!({ "guide": guide }), &json!({}))?;
        stand.rest()?;
        let force = stand.force("guide");
        Ok([force.z, (stand.moment("guide") + out.cross(force)).z])
    }
}

/// Vector from the end of the rod to the axis.
fn arm(end: &Section) -> DVec3 {
    DVec3::new(-end.position.x, -end.position.y, 0.0)
}

/// The small rotation from the frame of one section to that of another.
fn turn_between(from: &Section, to: &Section) -> DVec3 {
    let axes =
        |section: &Section| [section.tangent, section.director, section.tangent.cross(section.director)];
    axes(from).iter().zip(axes(to)).map(|(a, b)| a.cross(b)).sum::<DVec3>() / 2.0
}

fn spring(case: &Reference, model: &'static str, segments_per_turn: usize) -> Result<Readings, Trouble> {
    let (radius, turns) = (case.number("a_m")?, case.number("turns")?);
    let spring = Spring {
        model,
        segments: segments_per_turn * turns as usize,
        radius,
        pitch: TAU * radius * case.number("pitch_angle_deg")?.to_radians().tan(),
        turns,
        wire: json!({
            "radius": case.number("wire_d_m")? / 2.0,
            "young": case.number("E_Pa")?,
            "poisson": case.number("nu")?,
            "density": 7800,
        }),
    };
    let [rise, turn] = spring.gives(FORCE, 0.0)?;
    let [_, wound] = spring.gives(0.0, COUPLE)?;
    let [axial, _] = spring.resists(STROKE, 0.0)?;
    let [coupling, rotational] = spring.resists(0.0, TURN)?;
    Ok(vec![
        ("delta_per_F_m_per_N", vec![rise / FORCE]),
        ("psi_per_F_rad_per_N", vec![turn / FORCE]),
        ("psi_per_M_rad_per_Nm", vec![wound / COUPLE]),
        ("guided_axial_stiffness_N_per_m", vec![axial / STROKE]),
        ("guided_rotational_stiffness_Nm_per_rad", vec![rotational / TURN]),
        ("guided_coupling_N_per_rad", vec![coupling / TURN]),
    ])
}
