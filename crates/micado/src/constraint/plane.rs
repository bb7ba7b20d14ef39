//! Plane: keeps a place in a plane.
//!
//! `g = n·(x − x₀) − offset`, 1 row, J = bᵢ nᵀ. Multiplier: force along n, N. A plane that is fixed to
//! another place moves and turns with it: J = −n·δx_B + (n×(x − x₀))·δφ_B there.

use super::tangent::checked_direction;
use super::{
    AttachedDirection, EndDescription, FrameNeed, NonSmoothBlock, NonSmoothRow, Row, Rows, Site, Wrench,
};
use crate::describe::anchor::{Anchor, At};
use crate::describe::signal::{Signal, measured};
use crate::error::BuildError;
use crate::law::BlockLaw;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Keeps a place in a plane. Multiplier: force along the normal, N.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Plane {
    /// Object, by name.
    pub on: String,
    /// Place on the rod.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<At>,
    /// From the rod's axis to the held point, m, in its frame (tangent, m₁, m₂); the axis unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arm: Option<[f64; 3]>,
    /// A point of the plane, m; the present position of the place unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub point: Option<Signal<[f64; 3]>>,
    /// Normal.
    pub normal: Signal<[f64; 3]>,
    /// Displacement of the plane along its normal in time, m.
    #[serde(default, deserialize_with = "measured::length")]
    #[schemars(with = "measured::MeasuredInput")]
    pub offset: Signal<f64>,
    /// Whether the place is kept in the plane, or only on the side of the normal.
    #[serde(default)]
    pub side: Side,
    /// Another place with which the plane moves, and through which it passes unless `offset` is given; the
    /// world unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
}

/// Which side of a plane is allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Neither: the place stays in the plane.
    #[default]
    Within,
    /// The side of the normal: a floor.
    Above,
}

/// A plane that may move in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlaneLaw {
    point: Signal<[f64; 3]>,
    normal: AttachedDirection,
    offset: Signal<f64>,
    side: Side,
}

impl Plane {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        [
            EndDescription::place(&self.on, self.at, self.arm),
            EndDescription::other(self.to.as_ref(), FrameNeed::IfAny),
        ]
    }

    pub(super) fn build(&self, a: &Site, b: &Site) -> Result<PlaneLaw, BuildError> {
        self.offset.check("offset")?;
        Ok(PlaneLaw {
            point: point(self.point.as_ref(), self.to.as_ref(), a)?,
            normal: AttachedDirection::new(checked_direction("normal", Some(&self.normal), DVec3::Z)?, b),
            offset: self.offset.clone(),
            side: self.side,
        })
    }
}

/// The given point of the world, or the present position of the place. With `to`, the point is the other
/// place.
pub(super) fn point(
    given: Option<&Signal<[f64; 3]>>,
    to: Option<&Anchor>,
    a: &Site,
) -> Result<Signal<[f64; 3]>, BuildError> {
    match (given, to) {
        (Some(_), Some(_)) => Err(BuildError::new(
            "point",
            "there is a `to` as well",
            "leave `point` out: it goes through the other place",
        )),
        (Some(point), None) => point.check("point").map(|()| point.clone()),
        (None, _) => Ok(Signal::Constant(a.x.to_array())),
    }
}

/// The row `n·(x_A − x_B) = offset`; n turns with the second end.
pub(super) fn row(n: DVec3, offset: f64, a: &Site, b: &Site) -> Row {
    let away = a.x - b.x;
    let attached = Wrench::force(-n) + Wrench::moment(n.cross(away));
    Row::length([Wrench::force(n), attached], offset - n.dot(away))
}

impl PlaneLaw {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.point.moves() || self.normal.moves() || self.offset.moves()
    }

    /// The allowed side.
    pub fn side(&self) -> Side {
        self.side
    }

    /// Normal at `time`, at the second end.
    pub fn normal(&self, b: &Site, time: f64) -> DVec3 {
        self.normal.at(b, time)
    }

    /// The point of the plane nearest to the first end.
    pub fn foot(&self, a: &Site, b: &Site, time: f64) -> DVec3 {
        let n = self.normal(b, time);
        a.x + n * (self.offset.at(time) - n.dot(a.x - b.x))
    }

    pub(super) fn world(&self, time: f64) -> Site {
        Site { x: DVec3::from_array(self.point.at(time)), ..Site::WORLD }
    }

    pub(super) fn count(&self) -> usize {
        usize::from(self.side == Side::Within)
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, time: f64, rows: &mut Rows) {
        if self.side == Side::Within {
            rows.push(row(self.normal.at(b, time), self.offset.at(time), a, b));
        }
    }

    pub(super) fn non_smooth(
        &self,
        a: &Site,
        b: &Site,
        time: f64,
        out: &mut impl FnMut(&NonSmoothBlock<'_>),
    ) {
        if self.side == Side::Above {
            let row = row(self.normal.at(b, time), self.offset.at(time), a, b);
            let rows = &[NonSmoothRow::new(row, -row.violation)];
            out(&NonSmoothBlock { first: 0, law: BlockLaw::Unilateral, rows });
        }
    }
}
