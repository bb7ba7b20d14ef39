//! Roll: holds the rotation of a rod about its tangent.
//!
//! The reference of the roll is transported in time without spin, like the frame of the place, so no
//! direction of the tangent is special and whole turns are not lost: θ is the angle against it. `g = θ − θ₀ −
//! angle(t)`, θ₀ the roll when it was added: 1 row, J = bᵢ on θ. Multiplier: moment about the tangent, N·m.
//!
//! Relative: the roll against the frame F_B C₀ fixed to the other place, C₀ = F_Bᵀ F_A at the start, turned
//! about its tangent by the angle; see [`roll`].

use super::clamp::roll;
use super::tangent::no_arm;
use super::{EndDescription, FrameNeed, Row, Rows, Site, Wrench};
use crate::describe::anchor::{Anchor, At};
use crate::describe::signal::{Signal, measured};
use crate::error::BuildError;
use crate::geometry::rotation::exp;
use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Holds the roll of a rod about its tangent. Multiplier: moment about the tangent, N·m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Roll {
    /// Object with a frame, by name.
    pub on: String,
    /// Place on it; a rod needs one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// Angle in time, rad, relative to the roll when it is added. Whole turns count, also those of a constant
    /// angle.
    #[serde(default, deserialize_with = "measured::angle")]
    #[schemars(with = "measured::MeasuredInput")]
    pub angle: Signal<f64>,
    /// Another place relative to which the roll is measured; the world unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
}

/// A roll that may move in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RollLaw {
    /// θ when it was added, rad.
    start: f64,
    /// C₀ = F_Bᵀ F_A when it was added, if it is relative.
    against: Option<DMat3>,
    /// Angle relative to that, rad.
    angle: Signal<f64>,
}

impl Roll {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        [EndDescription::framed(&self.on, self.at), EndDescription::other(self.to.as_ref(), FrameNeed::Yes)]
    }

    pub(super) fn build(&self, a: &Site, b: &Site) -> Result<RollLaw, BuildError> {
        no_arm(self.to.as_ref())?;
        self.angle.check("angle")?;
        // A body has no roll of its own: its roll counts from its frame when the constraint is added.
        let against = (self.to.is_some() || !a.on_curve).then(|| b.frame().transpose() * a.frame());
        Ok(RollLaw { start: a.roll, against, angle: self.angle.clone() })
    }
}

impl RollLaw {
    /// Adjusts the roll by `by`, after its origin has changed.
    pub(super) fn shift_origin(&mut self, by: f64) {
        self.start += by;
    }

    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.angle.moves()
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, time: f64, rows: &mut Rows) {
        let angle = self.angle.at(time);
        let row = match self.against {
            None => Row::angle([Wrench::ROLL, Wrench::default()], self.start + angle - a.roll),
            Some(start) => roll(a, b.frame() * start * exp(DVec3::X * angle)),
        };
        rows.push(row);
    }
}
