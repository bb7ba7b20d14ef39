//! Axis: keeps a place on a straight line.
//!
//! `g_a = n_a·(x − x₀)` with two normals n_a of the axis, 2 rows, J = bᵢ n_aᵀ. Multipliers: forces along n_a,
//! N.

use super::plane::{point, row};
use super::tangent::checked_direction;
use super::{AttachedDirection, EndDescription, FrameNeed, Rows, Site};
use crate::describe::anchor::{Anchor, At};
use crate::describe::signal::Signal;
use crate::error::BuildError;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a place on a straight axis. Multipliers: force across the axis, N.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Object, by name.
    pub on: String,
    /// Place on the rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<[f64; 3]>,
    /// A point of the axis, m; the present position of the place unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Signal<[f64; 3]>>,
    /// Direction of the axis.
    pub direction: Signal<[f64; 3]>,
    /// Another place, through which the axis passes and with which it moves; the world unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
}

/// An axis that may move in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AxisLaw {
    point: Signal<[f64; 3]>,
    direction: AttachedDirection,
}

impl Axis {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        [
            EndDescription::place(&self.on, self.at, self.arm),
            EndDescription::other(self.to.as_ref(), FrameNeed::IfAny),
        ]
    }

    pub(super) fn build(&self, a: &Site, b: &Site) -> Result<AxisLaw, BuildError> {
        Ok(AxisLaw {
            point: point(self.point.as_ref(), self.to.as_ref(), a)?,
            direction: AttachedDirection::new(
                checked_direction("direction", Some(&self.direction), DVec3::X)?,
                b,
            ),
        })
    }
}

impl AxisLaw {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.point.moves() || self.direction.moves()
    }

    /// Direction at `time`, at the second end.
    pub fn direction(&self, b: &Site, time: f64) -> DVec3 {
        self.direction.at(b, time)
    }

    pub(super) fn world(&self, time: f64) -> Site {
        Site { x: DVec3::from_array(self.point.at(time)), ..Site::WORLD }
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, time: f64, rows: &mut Rows) {
        for n in self.direction.normals(b, time) {
            rows.push(row(n, 0.0, a, b));
        }
    }
}
