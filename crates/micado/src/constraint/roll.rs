//! Roll: holds the rotation of a rod about its tangent.
//!
//! The reference from which the roll is counted is carried along in time without spin, as the frame of the place is, so no
//! direction of the tangent is special and whole turns are not lost: θ is the angle against it. `g = θ − θ₀ − angle(t)`,
//! θ₀ the roll when it was added: 1 row, J = bᵢ on θ. Multiplier: moment about the tangent, N·m.

use super::{Force, Row, Rows, Site, SiteDescription};
use crate::anchor::At;
use crate::error::BuildError;
use crate::signal::{Signal, measured};
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Holds the roll of a rod about its tangent. Multiplier: moment about the tangent, N·m.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Roll {
    /// Rod, by name.
    pub on: String,
    /// Place on the rod.
    pub at: At,
    /// Angle in time, rad, from the roll at which it is added. Whole turns count, also those of a constant angle.
    #[serde(default, deserialize_with = "measured::angle")]
    #[schemars(with = "measured::MeasuredInput")]
    pub angle: Signal<f64>,
}

/// A roll that moves in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RollTarget {
    /// θ when it was added, rad.
    start: f64,
    /// Angle from there, rad.
    angle: Signal<f64>,
}

impl Roll {
    pub(super) fn site(&self) -> SiteDescription<'_> {
        SiteDescription { on: &self.on, at: Some(self.at), needs_frame: true }
    }

    pub(super) fn build(&self, site: &Site) -> Result<RollTarget, BuildError> {
        self.angle.check("angle")?;
        Ok(RollTarget { start: site.roll, angle: self.angle.clone() })
    }
}

impl RollTarget {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.angle.moves()
    }

    fn error(&self, site: &Site, time: f64) -> f64 {
        site.roll - self.start - self.angle.at(time)
    }

    pub(super) fn rows(&self, site: &Site, time: f64, rows: &mut Rows) {
        rows.push(Row { theta: 1.0, ..Row::turn(DVec3::ZERO, -self.error(site, time)) });
    }

    pub(super) fn force(site: &Site, multipliers: &[f64]) -> Force {
        Force { force: DVec3::ZERO, moment: site.t * multipliers[0] }
    }

    pub(super) fn miss(&self, site: &Site, time: f64) -> f64 {
        self.error(site, time).abs()
    }
}
