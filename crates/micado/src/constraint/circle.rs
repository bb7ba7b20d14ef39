//! Circle: keeps a place on a circle, the intersection of a plane and a sphere.
//!
//! `g = (n·(x − c), |x − c| − r)`, 2 rows. Multipliers: force along the normal and outward, N. A circle that
//! is fixed to another place moves and turns with it, like a plane.

use super::distance::DistanceLaw;
use super::plane::row;
use super::tangent::checked_direction;
use super::{AttachedDirection, Curvature, EndDescription, FrameNeed, Rows, Site};
use crate::describe::anchor::{Anchor, At};
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
    /// From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<[f64; 3]>,
    /// Centre, m.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub centre: Option<Signal<[f64; 3]>>,
    /// A place that is the centre, instead of `centre`: the circle moves and turns with it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
    /// Normal of its plane; with `to`, as the other place is when it is added.
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
    normal: AttachedDirection,
}

impl Circle {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        [
            EndDescription::place(&self.on, self.at, self.arm),
            EndDescription::other(self.to.as_ref(), FrameNeed::IfAny),
        ]
    }

    pub(super) fn build(&self, a: &Site, b: &Site, time: f64) -> Result<CircleLaw, BuildError> {
        let centre = self.centre.as_ref();
        Ok(CircleLaw {
            sphere: DistanceLaw::around(
                centre,
                self.to.as_ref(),
                self.radius.as_ref(),
                "radius",
                [a, b],
                time,
            )?,
            normal: AttachedDirection::new(checked_direction("normal", Some(&self.normal), DVec3::Z)?, b),
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

    /// Normal at `time`, at the second end.
    pub fn normal(&self, b: &Site, time: f64) -> DVec3 {
        self.normal.at(b, time)
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, time: f64, rows: &mut Rows) {
        rows.push(row(self.normal(b, time), 0.0, a, b));
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
