//! Circle: keeps a place on a circle, the intersection of a plane and a sphere.
//!
//! `g = (n·(x − c), |x − c| − r)`, 2 rows. Multipliers: force along the normal and outward, N.

use super::distance::DistanceLaw;
use super::tangent::{checked_direction, unit};
use super::{Curvature, EndDescription, Row, Rows, Site};
use crate::describe::anchor::At;
use crate::describe::signal::{Signal, measured};
use crate::error::BuildError;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a place on a circle. Multipliers: force along the normal and outward, N.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Circle {
    /// Object, by name.
    pub on: String,
    /// Place on the rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// Centre, m.
    pub centre: Signal<[f64; 3]>,
    /// Normal of its plane.
    pub normal: Signal<[f64; 3]>,
    /// Radius, m; the present distance unless given.
    #[serde(
        default,
        deserialize_with = "measured::optional_length",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<measured::MeasuredInput>")]
    pub radius: Option<Signal<f64>>,
}

/// A circle that may move and grow in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CircleLaw {
    sphere: DistanceLaw,
    normal: Signal<[f64; 3]>,
}

impl Circle {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        [EndDescription::place(&self.on, self.at), EndDescription::World]
    }

    pub(super) fn build(&self, site: &Site, time: f64) -> Result<CircleLaw, BuildError> {
        Ok(CircleLaw {
            sphere: DistanceLaw::build(&self.centre, self.radius.as_ref(), "radius", site, time)?,
            normal: checked_direction("normal", Some(&self.normal), DVec3::Z)?,
        })
    }
}

impl CircleLaw {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.sphere.moves() || self.normal.moves()
    }

    /// The sphere that the circle lies on.
    pub fn sphere(&self) -> &DistanceLaw {
        &self.sphere
    }

    /// Normal at `time`.
    pub fn normal(&self, time: f64) -> DVec3 {
        unit(&self.normal, time)
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, time: f64, rows: &mut Rows) {
        let normal = self.normal(time);
        rows.push(Row::position(normal, -normal.dot(a.x - b.x)));
        self.sphere.rows(a, b, time, rows);
    }

    pub(super) fn curvature(
        &self,
        a: &Site,
        b: &Site,
        time: f64,
        multipliers: &[f64],
        exact: bool,
    ) -> Curvature {
        self.sphere.curvature(a, b, time, multipliers[1], exact)
    }
}
