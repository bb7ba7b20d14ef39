//! Axis: keeps a place on a straight line.
//!
//! `g_a = n_a·(x − x₀)` with two normals n_a of the axis, 2 rows, J = bᵢ n_aᵀ. Multipliers: forces along n_a, N.

use super::tangent::{checked_direction, unit};
use super::{Force, Row, Rows, Site, SiteDescription};
use crate::anchor::At;
use crate::error::BuildError;
use crate::geometry::rotation::any_normal;
use crate::signal::Signal;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a place on a straight axis. Multipliers: force across the axis, N.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Rod or mass, by name.
    pub on: String,
    /// Place on the rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// A point of the axis, m; where the place is when added unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Signal<[f64; 3]>>,
    /// Direction of the axis.
    pub direction: Signal<[f64; 3]>,
}

/// An axis that moves in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MovingAxis {
    point: Signal<[f64; 3]>,
    direction: Signal<[f64; 3]>,
}

impl Axis {
    pub(super) fn site(&self) -> SiteDescription<'_> {
        SiteDescription { on: &self.on, at: self.at, needs_frame: false }
    }

    pub(super) fn build(&self, site: &Site) -> Result<MovingAxis, BuildError> {
        if let Some(point) = &self.point {
            point.check("point")?;
        }
        Ok(MovingAxis {
            point: self.point.clone().unwrap_or(Signal::Constant(site.x.to_array())),
            direction: checked_direction("direction", Some(&self.direction), DVec3::X)?,
        })
    }
}

impl MovingAxis {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.point.moves() || self.direction.moves()
    }

    /// Direction at `time`.
    pub fn direction(&self, time: f64) -> DVec3 {
        unit(&self.direction, time)
    }

    fn normals(&self, time: f64) -> [DVec3; 2] {
        let direction = self.direction(time);
        let n1 = any_normal(direction, DVec3::Z);
        [n1, direction.cross(n1)]
    }

    fn offset(&self, site: &Site, time: f64) -> DVec3 {
        site.x - DVec3::from_array(self.point.at(time))
    }

    pub(super) fn rows(&self, site: &Site, time: f64, rows: &mut Rows) {
        let offset = self.offset(site, time);
        for n in self.normals(time) {
            rows.push(Row::position(n, -n.dot(offset)));
        }
    }

    pub(super) fn force(&self, time: f64, multipliers: &[f64]) -> Force {
        let [n1, n2] = self.normals(time);
        Force { force: n1 * multipliers[0] + n2 * multipliers[1], moment: DVec3::ZERO }
    }

    pub(super) fn miss(&self, site: &Site, time: f64) -> f64 {
        self.offset(site, time).reject_from_normalized(self.direction(time)).length()
    }
}
