//! Hard constraints: one file per kind.
//!
//! Convention: `g(q) = 0`, rows `J Δ = E` with `E = −g` at the targets of the end of the step; the force on the unknowns is
//! `Jᵀλ`, so multipliers are forces and moments *of the constraint on the object*. Because E always uses the true g, what a
//! step misses is of second order in that step and never accumulates.
//!
//! To add a kind: write its file, add one line to each list below, one scene, and one test that is a sentence.

mod axis;
mod circle;
mod clamp;
mod distance;
mod plane;
mod position;
mod roll;
pub mod rows;
mod tangent;
mod trajectory;

pub use axis::{Axis, MovingAxis};
pub use circle::{Circle, MovingCircle};
pub use clamp::{Clamp, Grip};
pub use distance::{Distance, Sphere};
pub use plane::{MovingPlane, Plane};
pub use position::{Position, Target};
pub use roll::{Roll, RollTarget};
pub use rows::{ConstraintState, MAX_NODES, MAX_ROWS, PlaceStiffness, Row, Rows, Site};
pub use tangent::{Direction, Tangent};
pub use trajectory::{Track, Trajectory};

use crate::anchor::At;
use crate::error::BuildError;
use crate::rod::spline::Place;
use glam::DVec3;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A hard constraint, described.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConstraintDescription {
    /// Holds a place at a point.
    Position(Position),
    /// Holds the tangent of a rod.
    Tangent(Tangent),
    /// Holds the roll of a rod about its tangent.
    Roll(Roll),
    /// Holds position, tangent and roll.
    Clamp(Clamp),
    /// Keeps a place in a plane.
    Plane(Plane),
    /// Keeps a place on a straight axis.
    Axis(Axis),
    /// Keeps a place at a distance from a point: on a sphere.
    Distance(Distance),
    /// Keeps a place on a circle.
    Circle(Circle),
    /// Keeps a place on a curve, along which it slides freely.
    Trajectory(Trajectory),
}

/// Which rows express an orientation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RowForm {
    /// The least number of rows, free of side effects: two for a tangent, three for a rotation.
    #[default]
    Objective,
    /// The papers' rows: three for a tangent (freezes the local stretch too), seven for a clamp.
    Paper,
}

/// Where a described constraint takes hold.
#[derive(Clone, Copy, Debug)]
pub struct SiteDescription<'a> {
    /// Rod or mass, by name.
    pub on: &'a str,
    /// Place on a rod.
    pub at: Option<At>,
    /// Whether it needs a tangent and a roll, which a mass doesn't have.
    pub needs_frame: bool,
}

/// Force and moment of a constraint on its object, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Force {
    /// N
    pub force: DVec3,
    /// N·m
    pub moment: DVec3,
}

/// The law of a constraint, ready to be evaluated.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Law {
    /// See [`Position`].
    Position(Target),
    /// See [`Tangent`].
    Tangent(Direction),
    /// See [`Roll`].
    Roll(RollTarget),
    /// See [`Clamp`].
    Clamp(Grip),
    /// See [`Plane`].
    Plane(MovingPlane),
    /// See [`Axis`].
    Axis(MovingAxis),
    /// See [`Distance`].
    Distance(Sphere),
    /// See [`Circle`].
    Circle(MovingCircle),
    /// See [`Trajectory`].
    Trajectory(Track),
}

impl ConstraintDescription {
    /// The word of the scene file.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Position(_) => "position",
            Self::Tangent(_) => "tangent",
            Self::Roll(_) => "roll",
            Self::Clamp(_) => "clamp",
            Self::Plane(_) => "plane",
            Self::Axis(_) => "axis",
            Self::Distance(_) => "distance",
            Self::Circle(_) => "circle",
            Self::Trajectory(_) => "trajectory",
        }
    }

    /// Where it takes hold.
    pub fn site(&self) -> SiteDescription<'_> {
        match self {
            Self::Position(c) => c.site(),
            Self::Tangent(c) => c.site(),
            Self::Roll(c) => c.site(),
            Self::Clamp(c) => c.site(),
            Self::Plane(c) => c.site(),
            Self::Axis(c) => c.site(),
            Self::Distance(c) => c.site(),
            Self::Circle(c) => c.site(),
            Self::Trajectory(c) => c.site(),
        }
    }

    /// Checks it and fixes what it takes from the present state: targets, lengths and angles that are not given.
    ///
    /// # Errors
    /// The field that can't be used.
    pub fn build(&self, site: &Site, time: f64) -> Result<Law, BuildError> {
        match self {
            Self::Position(c) => c.build(site).map(Law::Position),
            Self::Tangent(c) => c.build(site).map(Law::Tangent),
            Self::Roll(c) => c.build(site).map(Law::Roll),
            Self::Clamp(c) => c.build(site).map(Law::Clamp),
            Self::Plane(c) => c.build(site).map(Law::Plane),
            Self::Axis(c) => c.build(site).map(Law::Axis),
            Self::Distance(c) => c.build(site, time).map(Law::Distance),
            Self::Circle(c) => c.build(site, time).map(Law::Circle),
            Self::Trajectory(c) => c.build().map(Law::Trajectory),
        }
        .map_err(|e| e.within(self.kind()))
    }
}

impl Law {
    /// Number of rows.
    pub fn rows(&self) -> usize {
        match self {
            Self::Position(_) | Self::Trajectory(_) => 3,
            Self::Tangent(law) => law.count(),
            Self::Clamp(law) => law.count(),
            Self::Roll(_) | Self::Plane(_) | Self::Distance(_) => 1,
            Self::Axis(_) | Self::Circle(_) => 2,
        }
    }

    /// Whether it has an unknown of its own.
    pub fn has_own_unknown(&self) -> bool {
        matches!(self, Self::Trajectory(_))
    }

    /// Value of its own unknown for a place at `x`.
    pub fn initial_own(&self, x: DVec3, time: f64) -> f64 {
        match self {
            Self::Trajectory(law) => law.nearest(x, time),
            _ => 0.0,
        }
    }

    /// Whether it changes in time.
    pub fn moves(&self) -> bool {
        match self {
            Self::Position(law) => law.moves(),
            Self::Tangent(law) => law.moves(),
            Self::Roll(law) => law.moves(),
            Self::Clamp(law) => law.moves(),
            Self::Plane(law) => law.moves(),
            Self::Axis(law) => law.moves(),
            Self::Distance(law) => law.moves(),
            Self::Circle(law) => law.moves(),
            Self::Trajectory(law) => law.moves(),
        }
    }

    /// The point that it holds a place at or around, if it has one.
    pub fn centre(&self, time: f64) -> Option<DVec3> {
        match self {
            Self::Position(law) => Some(law.at(time)),
            Self::Clamp(law) => Some(law.position().at(time)),
            Self::Distance(law) => Some(law.centre(time)),
            Self::Circle(law) => Some(law.sphere().centre(time)),
            Self::Tangent(_) | Self::Roll(_) | Self::Plane(_) | Self::Axis(_) | Self::Trajectory(_) => None,
        }
    }

    /// J and E at `time`, into `rows`.
    pub fn linearise(&self, site: &Site, time: f64, rows: &mut Rows) {
        rows.clear();
        match self {
            Self::Position(law) => law.rows(site, time, rows),
            Self::Tangent(law) => law.rows(site, time, rows),
            Self::Roll(law) => law.rows(site, time, rows),
            Self::Clamp(law) => law.rows(site, time, rows),
            Self::Plane(law) => law.rows(site, time, rows),
            Self::Axis(law) => law.rows(site, time, rows),
            Self::Distance(law) => law.rows(site, time, rows),
            Self::Circle(law) => law.rows(site, time, rows),
            Self::Trajectory(law) => law.rows(site, time, rows),
        }
    }

    /// Constraint curvature −Σ λ ∂²g with the multipliers of the last solve; only its positive semidefinite part unless
    /// `exact`. None where rows are linear, or nothing of the sort is left.
    pub fn stiffness(&self, site: &Site, time: f64, multipliers: &[f64; MAX_ROWS], exact: bool) -> Option<PlaceStiffness> {
        match self {
            Self::Distance(law) => Some(law.stiffness(site, time, multipliers[0], exact)),
            Self::Circle(law) => Some(law.stiffness(site, time, multipliers, exact)),
            Self::Trajectory(law) => Some(law.stiffness(site, time, multipliers, exact)),
            Self::Tangent(law) if exact => Some(law.stiffness(site, time, multipliers)),
            Self::Clamp(law) if exact => Some(law.stiffness(site, multipliers)),
            _ => None,
        }
    }

    /// Force and moment on the object.
    pub fn force(&self, site: &Site, time: f64, multipliers: &[f64; MAX_ROWS]) -> Force {
        match self {
            Self::Position(_) => position::force(multipliers),
            Self::Tangent(law) => law.force(site, time, multipliers),
            Self::Roll(_) => RollTarget::force(site, multipliers),
            Self::Clamp(law) => law.force(site, time, multipliers),
            Self::Plane(law) => law.force(time, multipliers),
            Self::Axis(law) => law.force(time, multipliers),
            Self::Distance(law) => law.force(site, time, multipliers[0]),
            Self::Circle(law) => law.force(site, time, multipliers),
            Self::Trajectory(_) => Track::force(multipliers),
        }
    }

    /// How far it is missed at `time`: m, or rad for directions and rolls, the larger where it holds both.
    pub fn miss(&self, site: &Site, time: f64) -> f64 {
        match self {
            Self::Position(law) => law.at(time).distance(site.x),
            Self::Tangent(law) => law.miss(site, time),
            Self::Roll(law) => law.miss(site, time),
            Self::Clamp(law) => law.miss(site, time),
            Self::Plane(law) => law.miss(site, time),
            Self::Axis(law) => law.miss(site, time),
            Self::Distance(law) => law.miss(site, time),
            Self::Circle(law) => law.miss(site, time),
            Self::Trajectory(law) => law.miss(site, time),
        }
    }
}

/// A constraint of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    /// Name.
    pub name: String,
    /// What was described.
    pub description: ConstraintDescription,
    /// Place that it holds.
    pub place: Place,
    /// How it holds it.
    pub law: Law,
}

impl Constraint {
    /// Whether it touches node k of its place.
    pub(crate) fn touches(&self, k: usize) -> bool {
        k < self.place.count && self.place.touches(k, self.description.site().needs_frame)
    }

    /// The place as it is at the unknowns `q`.
    pub fn site(&self, q: &[f64], state: &ConstraintState) -> Site {
        if self.description.site().needs_frame { Site::new(&self.place, q, state) } else { Site::without_frame(&self.place, q, state) }
    }
}
