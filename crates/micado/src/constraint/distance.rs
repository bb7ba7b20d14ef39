//! Distance: keeps a place on a sphere about a point, or two places apart.
//!
//! `g = |x − c| − d`, 1 row, J = bᵢ nᵀ, n = (x − c)/|x − c|. Multiplier: force along n, N; negative pulls
//! inward. Curvature: −λ∂²g = (−λ/|x−c|)(I − nnᵀ), the restoring stiffness of a pendulum.

use super::{
    ConstraintState, Curvature, EndDescription, FrameNeed, JointStrength, NonSmoothBlock, NonSmoothRow, Row,
    Rows, Site,
};
use crate::describe::anchor::{Anchor, At};
use crate::describe::signal::{Signal, measured};
use crate::error::BuildError;
use crate::geometry::rotation::outer;
use crate::law::BlockLaw;
use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Shortest distance with a direction, m; places that are nearer coincide to rounding.
const LEAST: f64 = 1e-12;

/// Keeps a place at a distance from a point or from another place. Multiplier: force outward, N; negative
/// pulls inward.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Distance {
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
    /// The other place, instead of a centre.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Anchor>,
    /// Whether the distance is kept, or only not exceeded, or not undercut.
    #[serde(default)]
    pub limit: Limit,
    /// Distance, m; the present distance unless given.
    #[serde(
        default,
        deserialize_with = "measured::optional_length",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(with = "Option<measured::MeasuredInput>")]
    pub distance: Option<Signal<f64>>,
    /// Force at which it breaks; unlimited unless given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub strength: Option<JointStrength>,
    /// Whether it is broken; then it holds nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub broken: bool,
}

/// Which way a distance holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Limit {
    /// Both ways: a rigid link.
    #[default]
    Equal,
    /// Not longer: a rope.
    AtMost,
    /// Not shorter: a bumper.
    AtLeast,
}

/// A distance that may move and grow in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DistanceLaw {
    centre: Signal<[f64; 3]>,
    radius: Signal<f64>,
    limit: Limit,
    strength: JointStrength,
}

impl Distance {
    pub(super) fn ends(&self) -> [EndDescription<'_>; 2] {
        [
            EndDescription::place(&self.on, self.at, self.arm),
            EndDescription::other(self.to.as_ref(), FrameNeed::No),
        ]
    }

    pub(super) fn build(&self, a: &Site, b: &Site, time: f64) -> Result<DistanceLaw, BuildError> {
        let (centre, to) = (self.centre.as_ref(), self.to.as_ref());
        let distance = DistanceLaw::around(centre, to, self.distance.as_ref(), "distance", [a, b], time)?;
        let strength = JointStrength::checked(self.strength, "a distance", false)?;
        if strength.force.is_some() && self.limit != Limit::Equal {
            let problem = "a one-sided distance has no strength";
            return Err(BuildError::new("strength", problem, "write `limit = \"equal\"`, or leave it out"));
        }
        Ok(DistanceLaw { limit: self.limit, strength, ..distance })
    }
}

impl DistanceLaw {
    /// Whether it changes in time.
    pub(super) fn moves(&self) -> bool {
        self.centre.moves() || self.radius.moves()
    }

    /// A distance from a point of the world or from another place, whichever is given.
    pub(super) fn around(
        centre: Option<&Signal<[f64; 3]>>,
        to: Option<&Anchor>,
        radius: Option<&Signal<f64>>,
        field: &str,
        [a, b]: [&Site; 2],
        time: f64,
    ) -> Result<Self, BuildError> {
        match (centre, to) {
            (Some(centre), None) => {
                centre.check("centre")?;
                let present = a.x.distance(DVec3::from_array(centre.at(time)));
                Self::about(centre.clone(), radius, field, present, time)
            }
            (None, Some(_)) => {
                Self::about(Signal::Constant([0.0; 3]), radius, field, a.x.distance(b.x), time)
            }
            (Some(_), Some(_)) => Err(BuildError::new(
                "centre",
                "there is a `to` as well",
                "give one of them: a point of the world, or a place",
            )),
            (None, None) => Err(BuildError::new(
                "centre",
                "`centre` is missing",
                "give a point of the world, or a place by `to = { on = …, at = … }`",
            )),
        }
    }

    fn about(
        centre: Signal<[f64; 3]>,
        radius: Option<&Signal<f64>>,
        field: &str,
        present: f64,
        time: f64,
    ) -> Result<Self, BuildError> {
        let is_given = radius.is_some();
        let radius = match radius {
            Some(radius) => {
                radius.check(field)?;
                radius.clone()
            }
            None => Signal::Constant(present),
        };
        let least = radius.least_from(time);
        if least > LEAST && radius.at(time).is_finite() {
            Ok(Self { centre, radius, limit: Limit::Equal, strength: JointStrength::default() })
        } else {
            let falls = if radius.at(time) > LEAST { "it falls to " } else { "" };
            let error = BuildError::new(
                field,
                format!("{falls}{least} m"),
                "give a distance greater than 0; a position or a fusion holds a place at a point",
            );
            Err(if is_given { error } else { error.of_state() })
        }
    }

    /// Pull of the link, N; positive pulls its ends together. A unilateral link has the force of its
    /// non-smooth row.
    pub(crate) fn tension(&self, memory: &ConstraintState) -> f64 {
        match self.limit {
            // Not −λ, which is −0 where nothing pulls.
            Limit::Equal => 0.0 - memory.multipliers[0],
            Limit::AtMost => memory.pushes[0],
            Limit::AtLeast => 0.0 - memory.pushes[0],
        }
    }

    /// Force outward, N: `lambda` of a two-sided distance, the push of a unilateral one.
    pub(super) fn multiplier(&self, memory: &ConstraintState, lambda: &[f64]) -> f64 {
        match self.limit {
            Limit::Equal => lambda[0],
            Limit::AtMost | Limit::AtLeast => -self.tension(memory),
        }
    }

    /// Centre at `time`, in the world.
    pub fn centre(&self, time: f64) -> DVec3 {
        DVec3::from_array(self.centre.at(time))
    }

    /// Which way it holds.
    pub fn limit(&self) -> Limit {
        self.limit
    }

    /// Radius at `time`, m.
    pub fn radius(&self, time: f64) -> f64 {
        self.radius.at(time)
    }

    pub(super) fn world(&self, time: f64) -> Site {
        Site { x: self.centre(time), ..Site::WORLD }
    }

    /// Its strength.
    pub(super) fn strength(&self) -> JointStrength {
        self.strength
    }

    pub(super) fn count(&self) -> usize {
        usize::from(self.limit == Limit::Equal)
    }

    pub(super) fn rows(&self, a: &Site, b: &Site, time: f64, rows: &mut Rows) {
        if self.limit == Limit::Equal {
            let (n, distance) = outward(a, b);
            rows.push(Row::position(n, self.radius.at(time) - distance));
        }
    }

    /// By how much two points miss it, m.
    pub(super) fn miss(&self, a: DVec3, b: DVec3, time: f64) -> f64 {
        let excess = a.distance(b) - self.radius.at(time);
        match self.limit {
            Limit::Equal => excess.abs(),
            Limit::AtMost => excess.max(0.0),
            Limit::AtLeast => (-excess).max(0.0),
        }
    }

    pub(super) fn non_smooth(
        &self,
        a: &Site,
        b: &Site,
        time: f64,
        out: &mut impl FnMut(&NonSmoothBlock<'_>),
    ) {
        let sign = match self.limit {
            Limit::Equal => return,
            Limit::AtMost => -1.0,
            Limit::AtLeast => 1.0,
        };
        let (n, distance) = outward(a, b);
        let gap = sign * (distance - self.radius.at(time));
        let rows = &[NonSmoothRow::new(Row::position(n * sign, 0.0), gap)];
        out(&NonSmoothBlock { first: 0, law: BlockLaw::Unilateral, rows });
    }

    pub(super) fn curvature(&self, a: &Site, b: &Site, time: f64, multiplier: f64, exact: bool) -> Curvature {
        let (n, distance) = outward(a, b);
        // Under compression the term is negative; only the exact form keeps it.
        let pull = if exact { -multiplier } else { (-multiplier).max(0.0) };
        let distance = distance.max(1e-9 * self.radius.at(time).abs());
        Curvature::of_difference((DMat3::IDENTITY - outer(n, n)) * (pull / distance))
    }
}

/// Direction from b to a, and their distance. Where they coincide, any direction will do.
fn outward(a: &Site, b: &Site) -> (DVec3, f64) {
    let away = a.x - b.x;
    let distance = away.length();
    (if distance > 1e-12 { away / distance } else { DVec3::Z }, distance)
}
