//! Clamp: holds position, tangent and roll.
//!
//! Objective rows: `g = (x − x*, log(F F*ᵀ))`, F = [t m₁ m₂], 6 rows; J = bᵢ I on x for the first three,
//! [t]ₓ bᵢ'/L on x and t bᵢ on θ for the others. Multipliers: force, N, and moment, N·m, on the rod, world
//! axes. Paper rows: position, `x' − L t*` and roll, 7 rows.

use super::position::PositionLaw;
use super::{Curvature, EndDescription, EndStiffness, FrameNeed, Row, RowForm, Rows, Site, Wrench};
use crate::describe::anchor::At;
use crate::describe::signal::{Ramp, Signal, measured};
use crate::error::{BuildError, check};
use crate::geometry::rotation::{angle_about, exp, log, transport};
use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// 1 + t·w below which tangents are opposite (within 0.08°): no smallest rotation from one to the other
/// exists.
const OPPOSITE: f64 = 1e-6;

/// Holds position, tangent and roll. Multipliers: force, N, and moment, N·m, on the rod, world axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Clamp {
    /// Object with a frame, by name.
    pub on: String,
    /// Place on it; a rod needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<[f64; 3]>,
    /// Where it is held, m; the present position of the place unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Signal<[f64; 3]>>,
    /// Displacement of the target in time, m.
    #[serde(default)]
    pub displacement: Signal<[f64; 3]>,
    /// Direction of the tangent before any rotation; the present tangent unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub direction: Option<[f64; 3]>,
    /// Rotation of the clamp in time: rotation vector, rad, world axes. Whole turns count; it begins within
    /// half a turn.
    #[serde(default)]
    pub rotation: Signal<[f64; 3]>,
    /// Roll in time about the clamped tangent, rad, before `rotation`. Whole turns count; it begins within
    /// half a turn.
    #[serde(default, deserialize_with = "measured::angle")]
    #[schemars(with = "measured::MeasuredInput")]
    pub roll: Signal<f64>,
    /// Form of the rows.
    #[serde(default)]
    pub rows: RowForm,
}

/// A position and a frame that may move in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClampLaw {
    position: PositionLaw,
    frame: DMat3,
    rotation: Signal<[f64; 3]>,
    roll: Signal<f64>,
    rows: RowForm,
}

impl Clamp {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        let place = EndDescription::Place { on: &self.on, at: self.at, arm: self.arm, frame: FrameNeed::Yes };
        [place, EndDescription::World]
    }

    pub(super) fn build(&self, site: &Site, time: f64) -> Result<ClampLaw, BuildError> {
        self.rotation.check("rotation")?;
        self.roll.check("roll")?;
        check::half_turn("rotation", DVec3::from_array(self.rotation.at(time)).length())?;
        check::half_turn("roll", self.roll.at(time))?;
        let frame = match self.direction {
            None => site.frame(),
            Some(direction) => {
                let t = check::direction("direction", direction)?;
                let m1 = if site.t.dot(t) < -0.999_999 { -site.m1 } else { transport(site.t, t, site.m1) };
                DMat3::from_cols(t, m1, t.cross(m1))
            }
        };
        Ok(ClampLaw {
            position: PositionLaw::build(self.target.as_ref(), &self.displacement, site)?,
            frame,
            rotation: self.rotation.clone(),
            roll: self.roll.clone(),
            rows: self.rows,
        })
    }
}

impl ClampLaw {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.position.moves() || self.rotation.moves() || self.roll.moves()
    }

    pub(super) fn count(&self) -> usize {
        match self.rows {
            RowForm::Objective => 6,
            RowForm::Paper => 7,
        }
    }

    /// Position and rotation vector at `time`.
    pub(crate) fn pose(&self, time: f64) -> [[f64; 3]; 2] {
        [self.position.at(time).to_array(), self.rotation.at(time)]
    }

    /// Moves position and rotation vector linearly from their values at `start` to `to` at `end`.
    pub(crate) fn move_to(&mut self, to: [[f64; 3]; 2], start: f64, end: f64) {
        let turned = self.rotation.at(start);
        self.position.move_to(to[0], start, end);
        self.rotation = Signal::Ramp(Ramp { from: turned, to: to[1], start, end, smooth: false });
    }

    /// The target position.
    pub fn position(&self) -> &PositionLaw {
        &self.position
    }

    /// F* at `time`.
    fn target_frame(&self, time: f64) -> DMat3 {
        let (roll, rotation) = (self.roll.at(time), DVec3::from_array(self.rotation.at(time)));
        let rolled = if roll == 0.0 { self.frame } else { exp(self.frame.x_axis * roll) * self.frame };
        if rotation == DVec3::ZERO { rolled } else { exp(rotation) * rolled }
    }

    pub(super) fn world(&self, time: f64) -> Site {
        let frame = self.target_frame(time);
        Site { t: frame.x_axis, m1: frame.y_axis, m2: frame.z_axis, ..self.position.world(time) }
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, rows: &mut Rows) {
        PositionLaw::rows(a, b, rows);
        match self.rows {
            // J_l(φ) φ = φ, so rows on the rotation vector itself give Newton's direction for the logarithm.
            RowForm::Objective => rows.push_rotation(Self::turned(a, b)),
            RowForm::Paper => {
                rows.push_derivative(b.t * a.l - a.p);
                rows.push(roll(a, b.frame()));
            }
        }
    }

    /// Rotation vector that is left to the target.
    fn turned(a: &Site, b: &Site) -> DVec3 {
        -log(a.frame() * b.frame().transpose())
    }

    /// Distance from the target: m or rad, the larger.
    pub(super) fn misses(&self, a: &Site, b: &Site) -> [f64; 2] {
        let position = PositionLaw::missed(a, b);
        match self.rows {
            RowForm::Objective => [position.length(), Self::turned(a, b).length()],
            RowForm::Paper => {
                let stretched = position.length_squared() + (b.t * a.l - a.p).length_squared();
                [stretched.sqrt(), roll(a, b.frame()).violation.abs()]
            }
        }
    }

    pub(super) fn curvature(&self, multipliers: &[f64]) -> Curvature {
        match self.rows {
            RowForm::Objective => of_moment(DVec3::from_slice(&multipliers[3..6])),
            RowForm::Paper => Curvature::default(),
        }
    }
}

/// The stiffness of a moment on the first end.
pub(super) fn of_moment(moment: DVec3) -> Curvature {
    Curvature { ends: [EndStiffness::of_fixed_moment(moment), EndStiffness::ZERO], ..Curvature::default() }
}

/// The row of the roll of `a` against a frame `wanted` that is fixed to the second end. The reference is the
/// director of `wanted`, transported from its tangent w to t by the smallest rotation. J = m·(δφ_A − δφ_B), m
/// = (t + w)/(1 + t·w): both turn about the bisector of their tangents, as in a constant-velocity joint.
pub(super) fn roll(a: &Site, wanted: DMat3) -> Row {
    let (t, w) = (a.t, wanted.x_axis);
    let near = 1.0 + t.dot(w);
    let (m, angle) = if near > OPPOSITE {
        ((t + w) / near, angle_about(t, transport(w, t, wanted.y_axis), a.m1))
    } else {
        // No smallest rotation exists: the row keeps the present roll.
        (t, 0.0)
    };
    Row::angle([Wrench::moment(m), -Wrench::moment(m)], -angle)
}
