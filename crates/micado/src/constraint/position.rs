//! Position: holds a place at a point.
//!
//! `g = x(s) − x*(t)`, 3 rows, J = bᵢ I. Multipliers: force on the object, N, world axes.

use super::{EndDescription, Rows, Site};
use crate::describe::anchor::At;
use crate::describe::signal::{Ramp, Signal};
use crate::error::BuildError;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Holds a place of an object at a point. Multipliers: force on the object, N, world axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// Object, by name.
    pub on: String,
    /// Place on the rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<[f64; 3]>,
    /// Where it is held, m; the present position of the place unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Signal<[f64; 3]>>,
    /// Displacement of the target in time, m, added to `target`.
    #[serde(default)]
    pub displacement: Signal<[f64; 3]>,
}

impl Position {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        [EndDescription::place(&self.on, self.at, self.arm), EndDescription::World]
    }

    /// Checks and fixes the target.
    pub(super) fn build(&self, site: &Site) -> Result<PositionLaw, BuildError> {
        PositionLaw::build(self.target.as_ref(), &self.displacement, site)
    }
}

/// A point that may move in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PositionLaw {
    point: Signal<[f64; 3]>,
    displacement: Signal<[f64; 3]>,
}

impl PositionLaw {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.point.moves() || self.displacement.moves()
    }

    /// The given point, or the present position of the site.
    pub(super) fn build(
        target: Option<&Signal<[f64; 3]>>,
        displacement: &Signal<[f64; 3]>,
        site: &Site,
    ) -> Result<Self, BuildError> {
        if let Some(target) = target {
            target.check("target")?;
        }
        displacement.check("displacement")?;
        Ok(Self {
            point: target.cloned().unwrap_or(Signal::Constant(site.x.to_array())),
            displacement: displacement.clone(),
        })
    }

    /// Moves it linearly from its position at `start` to `to` at `end`.
    pub(crate) fn move_to(&mut self, to: [f64; 3], start: f64, end: f64) {
        let from = self.at(start).to_array();
        self.point = Signal::Ramp(Ramp { from, to, start, end, smooth: false });
        self.displacement = Signal::default();
    }

    /// Its position at `time`.
    pub fn at(&self, time: f64) -> DVec3 {
        DVec3::from_array(self.point.at(time)) + DVec3::from_array(self.displacement.at(time))
    }

    /// Its velocity, m/s.
    pub(super) fn rate(&self, time: f64) -> DVec3 {
        DVec3::from_array(self.point.rate(time)) + DVec3::from_array(self.displacement.rate(time))
    }

    pub(super) fn world(&self, time: f64) -> Site {
        Site { x: self.at(time), ..Site::WORLD }
    }

    pub(super) fn rows(a: &Site, b: &Site, rows: &mut Rows) {
        rows.push_position(Self::missed(a, b));
    }

    /// Vector to the target.
    pub(super) fn missed(a: &Site, b: &Site) -> DVec3 {
        b.x - a.x
    }
}
