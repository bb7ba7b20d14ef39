//! Fusion: joins two places.
//!
//! Point: `g = x_A − x_B`, 3 rows, J = ±bᵢ I. Roll: also the roll of A against a frame fixed to B, see
//! [`roll`], 4 rows. Rigid: with C₀ = F_Bᵀ F_A when it was added, `φ = log(F_A (R F_B C₀)ᵀ)`, 3 more rows, J
//! = δφ_A − δφ_B: objective, so both places may turn together without resistance. R = exp(angle·axis) is the
//! target rotation of A against B; the axis is fixed to B. Multipliers: force, N, and moment, N·m, on A,
//! world axes; B feels the opposite. Paper rows: `x'_A − x'_B` and `θ_A − θ_B` as when it was added, 7 rows:
//! not objective, kept for comparison.

use super::clamp::{of_moment, roll};
use super::{
    AttachedDirection, Curvature, EndDescription, EndStiffness, FrameNeed, JointStrength, Row, RowForm, Rows,
    Site, Wrench,
};
use crate::describe::anchor::{Anchor, At};
use crate::describe::signal::{Signal, measured};
use crate::error::{BuildError, check};
use crate::geometry::rotation::{exp, log};
use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Joins two places. Multipliers: force, N, and moment, N·m, on the first, world axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Fusion {
    /// Object, by name.
    pub on: String,
    /// Place on the rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<[f64; 3]>,
    /// The place to which it is joined.
    pub to: Anchor,
    /// Which quantities are joined.
    #[serde(default)]
    pub hold: Hold,
    /// Angle in time by which the first place is turned against the second, rad, relative to their present
    /// orientation when joined. It begins within half a turn.
    #[serde(default, deserialize_with = "measured::angle")]
    #[schemars(with = "measured::MeasuredInput")]
    pub angle: Signal<f64>,
    /// Axis of that turn, world axes when joined; the tangent of the second place unless given. A roll turns
    /// about the first tangent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub axis: Option<[f64; 3]>,
    /// Form of the rows.
    #[serde(default)]
    pub rows: RowForm,
    /// Force and moment at which it breaks; unlimited unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<JointStrength>,
    /// Whether it is broken; then it holds nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub broken: bool,
}

/// Quantities that a fusion joins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Hold {
    /// The points: a ball joint.
    #[default]
    Point,
    /// The points and the roll about the first tangent.
    Roll,
    /// The points and the frames.
    Rigid,
}

/// A joint of two places.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FusionLaw {
    hold: Hold,
    rows: RowForm,
    strength: JointStrength,
    /// C₀ = F_Bᵀ F_A
    start: DMat3,
    angle: Signal<f64>,
    axis: AttachedDirection,
    /// x'_A − x'_B and θ_A − θ_B when it was added: paper rows.
    difference: DVec3,
    roll: f64,
}

impl Fusion {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        let frame = if self.hold == Hold::Point { FrameNeed::No } else { FrameNeed::Yes };
        [
            EndDescription::Place { on: &self.on, at: self.at, arm: self.arm, frame },
            EndDescription::other(Some(&self.to), frame),
        ]
    }

    pub(super) fn build(&self, a: &Site, b: &Site, time: f64) -> Result<FusionLaw, BuildError> {
        self.angle.check("angle")?;
        check::half_turn("angle", self.angle.at(time))?;
        if self.hold == Hold::Point && (self.axis.is_some() || self.angle != Signal::default()) {
            return Err(BuildError::new(
                "angle",
                "points alone have no angle between them",
                "write `hold = \"rigid\"` or `hold = \"roll\"`",
            ));
        }
        if self.hold == Hold::Roll && self.axis.is_some() {
            return Err(BuildError::new(
                "axis",
                "a roll turns about the tangent",
                "leave `axis` out, or write `hold = \"rigid\"`",
            ));
        }
        let axis = match self.axis {
            Some(axis) => check::direction("axis", axis)?,
            None if self.hold == Hold::Roll => a.t,
            None => b.t,
        };
        if self.strength.is_some() && self.hold == Hold::Rigid && self.rows == RowForm::Paper {
            let problem = "the multipliers of paper rows are not a force and a moment";
            return Err(BuildError::new("strength", problem, "leave it out, or leave out `rows`"));
        }
        Ok(FusionLaw {
            hold: self.hold,
            rows: self.rows,
            strength: JointStrength::checked(self.strength, "a fusion of points", self.hold != Hold::Point)?,
            start: b.frame().transpose() * a.frame(),
            angle: self.angle.clone(),
            axis: AttachedDirection::new(Signal::Constant(axis.to_array()), b),
            difference: a.p - b.p,
            roll: a.roll - b.roll,
        })
    }
}

impl FusionLaw {
    /// Adjusts the difference of rolls by `by`, after the origin of a roll has changed.
    pub(super) fn shift_origin(&mut self, by: f64) {
        self.roll += by;
    }

    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.angle.moves()
    }

    pub(super) fn count(&self) -> usize {
        match (self.hold, self.rows) {
            (Hold::Point, _) => 3,
            (Hold::Roll, _) => 4,
            (Hold::Rigid, RowForm::Objective) => 6,
            (Hold::Rigid, RowForm::Paper) => 7,
        }
    }

    /// Its strength.
    pub(super) fn strength(&self) -> JointStrength {
        self.strength
    }

    /// Number of rows on displacements and on rotations.
    pub(super) fn held_rows(&self) -> [usize; 2] {
        match self.hold {
            Hold::Point => [3, 0],
            Hold::Roll => [3, 1],
            Hold::Rigid => [3, 3],
        }
    }

    /// The target frame of A: R F_B C₀.
    fn wanted(&self, b: &Site, time: f64) -> DMat3 {
        exp(self.axis.at(b, time) * self.angle.at(time)) * b.frame() * self.start
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, time: f64, rows: &mut Rows) {
        rows.push_position(b.x - a.x);
        if self.hold == Hold::Point {
            return;
        }
        match (self.hold, self.rows) {
            (Hold::Rigid, RowForm::Objective) => {
                rows.push_rotation(-log(a.frame() * self.wanted(b, time).transpose()));
            }
            (Hold::Rigid, RowForm::Paper) => {
                rows.push_derivative(self.difference + b.p - a.p);
                let theta = Wrench::ROLL;
                rows.push(Row::angle([theta, -theta], self.roll + self.angle.at(time) - (a.roll - b.roll)));
            }
            _ => rows.push(roll(a, self.wanted(b, time))),
        }
    }

    pub(super) fn curvature(&self, multipliers: &[f64]) -> Curvature {
        if (self.hold, self.rows) != (Hold::Rigid, RowForm::Objective) {
            return Curvature::default();
        }
        let moment = DVec3::from_slice(&multipliers[3..6]);
        let mut curvature = of_moment(moment);
        curvature.ends[1] = EndStiffness::of_fixed_moment(-moment);
        curvature
    }
}
