//! Plane: keeps a place in a plane.
//!
//! `g = n·(x − x₀) − offset`, 1 row, J = bᵢ nᵀ. Multiplier: force along n, N.

use super::tangent::{checked_direction, unit};
use super::{Force, Row, Rows, Site, SiteDescription};
use crate::anchor::At;
use crate::error::BuildError;
use crate::signal::{Signal, measured};
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a place in a plane. Multiplier: force along the normal, N.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// Rod or mass, by name.
    pub on: String,
    /// Place on the rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// A point of the plane, m; where the place is when added unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Signal<[f64; 3]>>,
    /// Normal.
    pub normal: Signal<[f64; 3]>,
    /// Displacement of the plane along its normal in time, m.
    #[serde(default, deserialize_with = "measured::length")]
    #[schemars(with = "measured::MeasuredInput")]
    pub offset: Signal<f64>,
}

/// A plane that moves in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MovingPlane {
    point: Signal<[f64; 3]>,
    normal: Signal<[f64; 3]>,
    offset: Signal<f64>,
}

impl Plane {
    pub(super) fn site(&self) -> SiteDescription<'_> {
        SiteDescription { on: &self.on, at: self.at, needs_frame: false }
    }

    pub(super) fn build(&self, site: &Site) -> Result<MovingPlane, BuildError> {
        if let Some(point) = &self.point {
            point.check("point")?;
        }
        self.offset.check("offset")?;
        Ok(MovingPlane {
            point: self.point.clone().unwrap_or(Signal::Constant(site.x.to_array())),
            normal: checked_direction("normal", Some(&self.normal), DVec3::Z)?,
            offset: self.offset.clone(),
        })
    }
}

impl MovingPlane {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.point.moves() || self.normal.moves() || self.offset.moves()
    }

    fn distance(&self, site: &Site, time: f64) -> f64 {
        unit(&self.normal, time).dot(site.x - DVec3::from_array(self.point.at(time))) - self.offset.at(time)
    }

    /// Normal at `time`.
    pub fn normal(&self, time: f64) -> DVec3 {
        unit(&self.normal, time)
    }

    pub(super) fn rows(&self, site: &Site, time: f64, rows: &mut Rows) {
        rows.push(Row::position(self.normal(time), -self.distance(site, time)));
    }

    pub(super) fn force(&self, time: f64, multipliers: &[f64]) -> Force {
        Force { force: self.normal(time) * multipliers[0], moment: DVec3::ZERO }
    }

    pub(super) fn miss(&self, site: &Site, time: f64) -> f64 {
        self.distance(site, time).abs()
    }
}
