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
pub(crate) mod clip;
mod distance;
mod fusion;
pub(crate) mod keyhole;
pub(crate) mod pearl;
mod plane;
mod position;
mod roll;
pub mod rows;
mod tangent;
mod trajectory;

pub use axis::{Axis, MovingAxis};
pub use circle::{Circle, MovingCircle};
pub use clamp::{Clamp, Grip};
pub use clip::{Clip, ClipHold, ClipState, Directions, Gave, Jaws, Rods, Strength};
pub use distance::{Distance, Limit, Sphere};
pub use fusion::{Fusion, Hold, Joint};
pub use keyhole::{Eye, Keyhole};
pub use pearl::{Bead, Coupling, Pearl, PearlFrame};
pub use plane::{MovingPlane, Plane, Side};
pub use position::{Position, Target};
pub use roll::{Roll, RollTarget};
pub use rows::{
    ConstraintState, Curvature, ENDS, EndRow, MAX_PUSHES, MAX_ROWS, NonSmoothRow, NormalForce, PlaceStiffness, Row, Rows, Site,
};
pub use tangent::{Direction, Tangent};
pub use trajectory::{Track, Trajectory};

use crate::anchor::{Anchor, At};
use crate::error::BuildError;
use crate::law::RowLaw;
use crate::object::Object;
use crate::rod::Place;
use crate::rod::Rod;
use crate::signal::Signal;
use glam::{DMat3, DVec3};
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
    /// Joins two places: their points, their rolls too, or rigidly.
    Fusion(Fusion),
    /// An eye through which a rod slides.
    Keyhole(Keyhole),
    /// A mass that slides on a rod.
    Pearl(Pearl),
    /// Holds a rod as long as its strength allows, and catches it again.
    Clip(Clip),
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

/// What one end of a described constraint takes hold of.
#[derive(Clone, Copy, Debug)]
pub enum EndDescription<'a> {
    /// A point or frame of the world, which the constraint itself says.
    World,
    /// A place that stays where it is on its object.
    Place {
        /// Rod or mass, by name.
        on: &'a str,
        /// Place on a rod.
        at: Option<At>,
        /// Whether a tangent and a roll are needed, which a mass doesn't have.
        frame: FrameNeed,
    },
    /// A place that slides along its rod, beginning here.
    Sliding {
        /// Rod, by name.
        on: &'a str,
        /// Where it begins.
        at: At,
        /// Imposed sliding: how far from there it is in time, m.
        slide: Option<&'a Signal<f64>>,
    },
    /// A place that a clip takes hold of; nowhere as long as it is open.
    Clipped {
        /// The rods that it holds or waits for, by name.
        on: &'a [String],
        /// Where the middle of the clip begins, on the first of them.
        at: Option<At>,
        /// How far this end is from the middle, m of rest arc length.
        shift: f64,
        /// Whether its frame is looked at.
        framed: bool,
    },
}

/// The field of a description that names its place on a rod.
enum PlaceField<'a> {
    Given(&'a mut At),
    Optional(&'a mut Option<At>),
}

/// Whether a constraint looks at the frame of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameNeed {
    /// At its position only.
    No,
    /// At its frame if it has one: what a mass carries does not turn.
    IfAny,
    /// At its frame.
    Yes,
}

impl<'a> EndDescription<'a> {
    fn place(on: &'a str, at: Option<At>) -> Self {
        Self::Place { on, at, frame: FrameNeed::No }
    }

    fn framed(on: &'a str, at: At) -> Self {
        Self::Place { on, at: Some(at), frame: FrameNeed::Yes }
    }

    /// The other end: a place, if it is given, or the world.
    fn other(to: Option<&'a Anchor>, frame: FrameNeed) -> Self {
        to.map_or(Self::World, |anchor| Self::Place { on: &anchor.on, at: anchor.at, frame })
    }
}

/// What happens when a sliding end comes to the end of its rod.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndOfCurve {
    /// It stops there.
    #[default]
    Stop,
    /// It slips off: the constraint is removed, a pearl flies on by itself.
    Release,
    /// The step is refused.
    Error,
}

/// Rows that stop end `e` of a constraint at the ends of an open rod; the first of them is its `first`-th non-smooth row.
fn stops(site: &Site, e: usize, u: f64, range: Option<(f64, f64)>, first: usize, out: &mut impl FnMut(usize, NonSmoothRow)) {
    let Some((low, high)) = range else { return };
    for (k, (way, gap)) in [(site.l, (u - low) * site.l), (-site.l, (high - u) * site.l)].into_iter().enumerate() {
        let mut own = [0.0; ENDS];
        own[e] = way;
        let row = Row { own, ..Row::default() };
        out(first + k, NonSmoothRow { row, gap, law: RowLaw::Unilateral, normal: NormalForce::None });
    }
}

/// What non-smooth rows are made from, besides the sites.
#[derive(Clone, Copy, Debug, Default)]
pub struct Circumstances {
    /// Own unknowns.
    pub own: [f64; ENDS],
    /// How far they have come since the step began.
    pub slid: [f64; ENDS],
    /// Where the rods on which ends slide begin and end, in units of the own unknowns; none if they are closed.
    pub range: [Option<(f64, f64)>; ENDS],
    /// Force on a pearl with its inertia so far, N.
    pub force: DVec3,
    /// m c₀ of a pearl, N/m.
    pub inertia: f64,
}

/// One end of a constraint of a world.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum End {
    /// In the world.
    World,
    /// A place that stays where it is on its object.
    Fixed {
        /// The place.
        place: Place,
        /// Whether its frame is looked at.
        framed: bool,
    },
    /// A place that slides along a rod; where it is belongs to the state.
    Sliding {
        /// Index of the rod among the objects.
        object: usize,
    },
    /// A place that a clip has taken hold of; of which rod, where, and whether, belongs to the state.
    Clipped {
        /// Whether its frame is looked at.
        framed: bool,
    },
}

impl End {
    /// Whether its frame is looked at.
    pub fn framed(&self) -> bool {
        match self {
            Self::World => false,
            Self::Fixed { framed, .. } | Self::Clipped { framed, .. } => *framed,
            Self::Sliding { .. } => true,
        }
    }
}

/// A direction that the second end of a constraint carries along: n = F_B F_B₀ᵀ n(t).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Carried {
    direction: Signal<[f64; 3]>,
    /// F_B₀ᵀ
    base: DMat3,
}

impl Carried {
    fn new(direction: Signal<[f64; 3]>, b: &Site) -> Self {
        Self { direction, base: b.frame().transpose() }
    }

    fn moves(&self) -> bool {
        self.direction.moves()
    }

    fn at(&self, b: &Site, time: f64) -> DVec3 {
        b.frame() * (self.base * tangent::unit(&self.direction, time))
    }

    /// Two normals of the direction, carried along like it.
    fn normals(&self, b: &Site, time: f64) -> [DVec3; 2] {
        tangent::normals(tangent::unit(&self.direction, time)).map(|n| b.frame() * (self.base * n))
    }
}

/// Force and moment of a constraint on the object at one of its ends, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Force {
    /// N
    pub force: DVec3,
    /// N·m
    pub moment: DVec3,
}

impl Force {
    /// What rows with these multipliers do to the place at end `e`: the work of Jᵀλ when it moves and turns as a whole, where
    /// δx' = δφ×x' and δθ = δφ·t.
    pub fn of_rows(rows: &Rows, multipliers: &[f64; MAX_ROWS], site: &Site, e: usize) -> Self {
        let mut sum = Self::default();
        for (row, &multiplier) in rows.iter().zip(multipliers) {
            sum.add(row, multiplier, site, e);
        }
        sum
    }

    /// Adds what one row does to the place at end `e`.
    pub fn add(&mut self, row: &Row, multiplier: f64, site: &Site, e: usize) {
        let EndRow { x, p, theta } = row.ends[e];
        self.force += x * multiplier;
        self.moment += (site.p.cross(p) + site.t * theta) * multiplier;
    }
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
    /// See [`Fusion`].
    Fusion(Joint),
    /// See [`Keyhole`].
    Keyhole(Eye),
    /// See [`Pearl`].
    Pearl(Bead),
    /// See [`Clip`].
    Clip(Jaws),
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
            Self::Fusion(_) => "fusion",
            Self::Keyhole(_) => "keyhole",
            Self::Pearl(_) => "pearl",
            Self::Clip(_) => "clip",
        }
    }

    /// What its two ends take hold of.
    pub fn ends(&self) -> [EndDescription<'_>; ENDS] {
        match self {
            Self::Position(c) => c.ends(),
            Self::Tangent(c) => c.ends(),
            Self::Roll(c) => c.ends(),
            Self::Clamp(c) => c.ends(),
            Self::Plane(c) => c.ends(),
            Self::Axis(c) => c.ends(),
            Self::Distance(c) => c.ends(),
            Self::Circle(c) => c.ends(),
            Self::Trajectory(c) => c.ends(),
            Self::Fusion(c) => c.ends(),
            Self::Keyhole(c) => c.ends(),
            Self::Pearl(c) => c.ends(),
            Self::Clip(c) => c.ends(),
        }
    }

    /// Puts end `e` at another place.
    pub(crate) fn put(&mut self, e: usize, place: Anchor) {
        let Anchor { on, at } = place;
        if let (Self::Clip(clip), 0) = (&mut *self, e) {
            clip.on.put_first(on);
            clip.at = at;
            return;
        }
        let (first, first_at, other): (_, PlaceField<'_>, Option<&mut Anchor>) = match self {
            Self::Position(c) => (&mut c.on, PlaceField::Optional(&mut c.at), None),
            Self::Tangent(c) => (&mut c.on, PlaceField::Given(&mut c.at), c.to.as_mut()),
            Self::Roll(c) => (&mut c.on, PlaceField::Given(&mut c.at), c.to.as_mut()),
            Self::Clamp(c) => (&mut c.on, PlaceField::Given(&mut c.at), None),
            Self::Plane(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::Axis(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::Distance(c) => (&mut c.on, PlaceField::Optional(&mut c.at), c.to.as_mut()),
            Self::Circle(c) => (&mut c.on, PlaceField::Optional(&mut c.at), None),
            Self::Trajectory(c) => (&mut c.on, PlaceField::Optional(&mut c.at), None),
            Self::Fusion(c) => (&mut c.on, PlaceField::Optional(&mut c.at), Some(&mut c.to)),
            Self::Keyhole(c) => (&mut c.on, PlaceField::Given(&mut c.at), c.to.as_mut()),
            Self::Pearl(c) => (&mut c.on, PlaceField::Given(&mut c.at), None),
            Self::Clip(c) => {
                if let Some(other) = c.to.as_mut() {
                    *other = Anchor { on, at };
                }
                return;
            }
        };
        if e == 0 {
            *first = on;
            match (first_at, at) {
                (PlaceField::Given(field), Some(at)) => *field = at,
                (PlaceField::Given(_), None) => {}
                (PlaceField::Optional(field), at) => *field = at,
            }
        } else if let Some(other) = other {
            *other = Anchor { on, at };
        }
    }

    /// Checks it and fixes what it takes from the present state: targets, lengths and angles that are not given. `radius` is that of
    /// the rod at its first end, m.
    ///
    /// # Errors
    /// The field that can't be used.
    pub fn build(&self, [a, b]: &[Site; ENDS], radius: f64, time: f64) -> Result<Law, BuildError> {
        match self {
            Self::Position(c) => c.build(a).map(Law::Position),
            Self::Tangent(c) => c.build(a, b).map(Law::Tangent),
            Self::Roll(c) => c.build(a, b).map(Law::Roll),
            Self::Clamp(c) => c.build(a, time).map(Law::Clamp),
            Self::Plane(c) => c.build(a, b).map(Law::Plane),
            Self::Axis(c) => c.build(a, b).map(Law::Axis),
            Self::Distance(c) => c.build(a, b, time).map(Law::Distance),
            Self::Circle(c) => c.build(a, time).map(Law::Circle),
            Self::Trajectory(c) => c.build().map(Law::Trajectory),
            Self::Fusion(c) => c.build(a, b, time).map(Law::Fusion),
            Self::Keyhole(c) => c.build(a, b).map(Law::Keyhole),
            Self::Pearl(c) => c.build().map(Law::Pearl),
            Self::Clip(c) => c.build(a, b, radius).map(Law::Clip),
        }
        .map_err(|e| e.within(self.kind()))
    }
}

impl Law {
    /// Number of rows; of a clip, while it holds.
    pub fn rows(&self) -> usize {
        match self {
            Self::Position(_) | Self::Trajectory(_) => 3,
            Self::Tangent(law) => law.count(),
            Self::Clamp(law) => law.count(),
            Self::Plane(law) => law.count(),
            Self::Distance(law) => law.count(),
            Self::Roll(_) => 1,
            Self::Pearl(_) => 0,
            Self::Axis(_) | Self::Circle(_) => 2,
            Self::Fusion(law) => law.count(),
            Self::Keyhole(law) => law.count(),
            Self::Clip(law) => law.count(),
        }
    }

    /// Which of its ends have an unknown of their own: where they slide.
    pub fn own_unknowns(&self) -> [bool; ENDS] {
        match self {
            Self::Trajectory(_) => [false, true],
            Self::Keyhole(law) => law.own_unknowns(),
            Self::Pearl(_) => [true, false],
            _ => [false; ENDS],
        }
    }

    /// Whether it asks for what another law asks for already. Viscosity may differ: it adds up.
    fn repeats(&self, other: &Self) -> bool {
        match (self, other) {
            // Two pearls are two masses, and two clips are twice as strong.
            (Self::Pearl(_) | Self::Clip(_), _) => false,
            (Self::Keyhole(law), Self::Keyhole(other)) => law.repeats(other),
            _ => self == other,
        }
    }

    /// Whether where it slides is imposed.
    pub fn is_imposed(&self) -> bool {
        matches!(self, Self::Keyhole(law) if law.is_imposed())
    }

    /// Where imposed sliding has its first end on the rod at `time`, in units of u.
    pub(crate) fn imposed(&self, rod: &Rod, time: f64) -> Option<f64> {
        match self {
            Self::Keyhole(law) => law.imposed(rod, time),
            _ => None,
        }
    }

    /// Imposed sliding has its first end at rest arc length `s` of the rod, m, at `time`: what it does later is counted from there.
    pub(crate) fn is_fed_to(&mut self, s: f64, time: f64) {
        if let Self::Keyhole(law) = self {
            law.is_fed_to(s, time);
        }
    }

    /// Imposed sliding keeps its distance from the end of the rod, whose rest length is `length`, m, and whose start is on a winch.
    pub(crate) fn is_fed_from_end_of(&mut self, length: f64) {
        if let Self::Keyhole(law) = self {
            law.is_fed_from_end_of(length);
        }
    }

    /// Value of the parameter of a trajectory for a place at `x`.
    pub fn initial_own(&self, x: DVec3, time: f64) -> Option<f64> {
        match self {
            Self::Trajectory(law) => Some(law.nearest(x, time)),
            _ => None,
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
            Self::Fusion(law) => law.moves(),
            Self::Keyhole(law) => law.moves(),
            Self::Pearl(law) => law.moves(),
            Self::Clip(law) => law.moves(),
        }
    }

    /// The rolls at its ends have grown by so much, rad, because they are counted from elsewhere.
    pub(crate) fn count_rolls_from(&mut self, [a, b]: [f64; ENDS]) {
        match self {
            Self::Roll(law) => law.count_from(a),
            Self::Fusion(law) => law.count_from(a - b),
            _ => {}
        }
    }

    /// The site of an end in the world.
    pub(crate) fn world(&self, own: f64, time: f64) -> Site {
        match self {
            Self::Position(law) => law.world(time),
            Self::Clamp(law) => law.world(time),
            Self::Plane(law) => law.world(time),
            Self::Axis(law) => law.world(time),
            Self::Distance(law) => law.world(time),
            Self::Circle(law) => law.sphere().world(time),
            Self::Trajectory(law) => law.world(own, time),
            Self::Keyhole(law) => law.world(time),
            Self::Clip(law) => law.world(time),
            Self::Tangent(_) | Self::Roll(_) | Self::Fusion(_) | Self::Pearl(_) => Site::WORLD,
        }
    }

    /// The point of the world that it holds a place at or around, if it has one.
    pub fn centre(&self, time: f64) -> Option<DVec3> {
        match self {
            Self::Position(_) | Self::Clamp(_) | Self::Distance(_) | Self::Circle(_) | Self::Keyhole(_) | Self::Clip(_) => {
                Some(self.world(0.0, time).x)
            }
            _ => None,
        }
    }

    /// J and E at `time`, into `rows`.
    pub fn linearise(&self, [a, b]: &[Site; ENDS], memory: &ConstraintState, time: f64, rows: &mut Rows) {
        rows.clear();
        match self {
            Self::Position(_) => Target::rows(a, b, rows),
            Self::Tangent(law) => law.rows(a, b, time, rows),
            Self::Roll(law) => law.rows(a, b, time, rows),
            Self::Clamp(law) => law.rows(a, b, rows),
            Self::Plane(law) => law.rows(a, b, time, rows),
            Self::Axis(law) => law.rows(a, b, time, rows),
            Self::Distance(law) => law.rows(a, b, time, rows),
            Self::Circle(law) => law.rows(a, b, time, rows),
            Self::Trajectory(_) => Track::rows(a, b, rows),
            Self::Fusion(law) => law.rows(a, b, time, rows),
            Self::Keyhole(law) => law.rows(a, b, time, rows),
            Self::Pearl(_) => {}
            Self::Clip(law) => law.rows(a, b, &memory.clip, time, rows),
        }
    }

    /// Rows that push and never pull, stop, or rub, by their number.
    pub fn non_smooth(&self, [a, b]: &[Site; ENDS], time: f64, here: &Circumstances, mut out: impl FnMut(usize, NonSmoothRow)) {
        match self {
            Self::Plane(law) => law.non_smooth(a, b, time, &mut out),
            Self::Distance(law) => law.non_smooth(a, b, time, &mut out),
            Self::Keyhole(law) => law.non_smooth(a, b, here, &mut out),
            Self::Pearl(law) => law.non_smooth(a, here, &mut out),
            _ => {}
        }
    }

    /// Whether it may have such rows.
    pub fn is_non_smooth(&self) -> bool {
        match self {
            Self::Plane(law) => law.count() == 0,
            Self::Distance(law) => law.count() == 0,
            Self::Keyhole(_) | Self::Pearl(_) => true,
            _ => false,
        }
    }

    /// Whether it has rows for the non-smooth stages, or may give.
    pub(crate) fn pushes(&self) -> bool {
        self.is_non_smooth() || matches!(self, Self::Clip(_))
    }

    /// Constraint curvature −Σ λ ∂²g with the multipliers of the last solve; only its positive semidefinite part unless
    /// `exact`. None where rows are linear, or nothing of the sort is left.
    pub fn curvature(
        &self,
        [a, b]: &[Site; ENDS],
        memory: &ConstraintState,
        time: f64,
        lambda: &[f64; MAX_ROWS],
        exact: bool,
    ) -> Option<Curvature> {
        match self {
            Self::Distance(law) => Some(law.curvature(a, b, time, lambda[0], exact)),
            Self::Circle(law) => Some(law.curvature(a, b, time, lambda, exact)),
            Self::Trajectory(law) => Some(law.curvature(memory.own[1], time, lambda, exact)),
            Self::Keyhole(law) => Some(law.curvature(a, b, lambda, exact)),
            Self::Tangent(law) if exact => {
                Some(Curvature { ends: [law.curvature(a, b, time, lambda), PlaceStiffness::ZERO], ..Curvature::default() })
            }
            Self::Clamp(law) if exact => Some(law.curvature(a, lambda)),
            Self::Fusion(law) if exact => Some(law.curvature(a, b, lambda)),
            Self::Clip(law) if exact => Some(law.curvature(a, b, &memory.clip, time, lambda)),
            _ => None,
        }
    }

    /// Viscous resistance of own unknowns, N·s per unit of them squared.
    pub fn viscosity(&self, [a, b]: &[Site; ENDS]) -> [f64; ENDS] {
        match self {
            Self::Keyhole(law) => law.viscosity(a, b),
            Self::Pearl(law) => law.viscosity(a),
            _ => [0.0; ENDS],
        }
    }

    /// How far it is missed at `time`: m, or rad for directions and rolls, the larger where it holds both.
    pub fn miss(&self, sites: &[Site; ENDS], memory: &ConstraintState, time: f64) -> f64 {
        let [a, b] = sites;
        match self {
            Self::Position(_) => return Target::missed(a, b).length(),
            Self::Clamp(law) => return law.miss(a, b),
            // Rows ask for a part of the way only.
            Self::Tangent(law) => return law.miss(a, b, time),
            _ => {}
        }
        let mut rows = Rows::default();
        self.linearise(sites, memory, time, &mut rows);
        let mut broken = 0.0_f64;
        if let Self::Plane(_) | Self::Distance(_) = self {
            self.non_smooth(sites, time, &Circumstances::default(), |_, row| broken = broken.max(-row.gap));
        }
        let norm = |angle: bool| rows.iter().filter(|row| row.angle == angle).map(|row| row.violation.powi(2)).sum::<f64>().sqrt();
        norm(false).max(norm(true)).max(broken)
    }
}

/// A constraint of a world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Constraint {
    /// Name.
    pub name: String,
    /// What was described.
    pub description: ConstraintDescription,
    /// What it holds together.
    pub ends: [End; ENDS],
    /// How it holds it.
    pub law: Law,
    /// The rods that a clip holds or waits for, by their indices among the objects; none of another constraint.
    pub rods: Vec<usize>,
}

impl Constraint {
    /// Whether it holds two objects together, or two places of one.
    pub fn is_relative(&self) -> bool {
        self.ends.iter().all(|end| *end != End::World)
    }

    /// Whether it is a pearl.
    pub(crate) fn is_pearl(&self) -> bool {
        matches!(self.law, Law::Pearl(_))
    }

    /// The end with an unknown of its own, if that is the only one.
    pub(crate) fn only_own_unknown(&self) -> Option<usize> {
        match self.law.own_unknowns() {
            [true, false] => Some(0),
            [false, true] => Some(1),
            _ => None,
        }
    }

    /// Number of rows that it has now: an open clip has none, and neither has a copy.
    pub fn rows(&self, memory: &ConstraintState) -> usize {
        if memory.clip.open || memory.copy_of.is_some() { 0 } else { self.law.rows() }
    }

    /// Which of its ends have an unknown of their own now: a copy slides with what it repeats.
    pub(crate) fn own_unknowns(&self, memory: &ConstraintState) -> [bool; ENDS] {
        if memory.copy_of.is_some() { [false; ENDS] } else { self.law.own_unknowns() }
    }

    /// Whether it asks the same places for what another constraint asks them for already. A distance has no first end.
    pub(crate) fn repeats(&self, other: &Self) -> bool {
        let [a, b] = &other.ends;
        let exchanged = matches!(self.law, Law::Distance(_)) && self.is_relative() && [&self.ends[0], &self.ends[1]] == [b, a];
        (self.ends == other.ends || exchanged) && self.law.repeats(&other.law)
    }

    /// Whether the place of one of its ends belongs to the state.
    pub(crate) fn wanders(&self) -> bool {
        self.ends.iter().any(|end| matches!(end, End::Sliding { .. } | End::Clipped { .. }))
    }

    /// The place at one end; none in the world, and none that an open clip holds.
    #[inline]
    pub(crate) fn place(&self, e: usize, objects: &[Object], state: &ConstraintState) -> Place {
        match &self.ends[e] {
            End::World => Place::NOWHERE,
            End::Fixed { place, .. } => *place,
            End::Clipped { .. } if state.clip.open => Place::NOWHERE,
            End::Clipped { .. } => objects[state.clip.rod].fixed_place_at(state.own[e]),
            End::Sliding { object } => objects[*object].place_at(state.own[e]),
        }
    }

    /// The places at its ends.
    pub fn places(&self, objects: &[Object], state: &ConstraintState) -> [Place; ENDS] {
        [self.place(0, objects, state), self.place(1, objects, state)]
    }

    /// The same over those of before, which have none in the world.
    pub(crate) fn find_places(&self, objects: &[Object], state: &ConstraintState, places: &mut [Place; ENDS]) {
        for (e, place) in places.iter_mut().enumerate() {
            match &self.ends[e] {
                End::World => {}
                End::Fixed { place: fixed, .. } => place.clone_from(fixed),
                End::Clipped { .. } | End::Sliding { .. } => *place = self.place(e, objects, state),
            }
        }
    }

    /// The sites at its ends.
    #[inline]
    pub fn sites(&self, places: &[Place; ENDS], q: &[f64], state: &ConstraintState, time: f64) -> [Site; ENDS] {
        [self.site(0, &places[0], q, state, time), self.site(1, &places[1], q, state, time)]
    }

    /// The same without their places.
    #[inline]
    pub(crate) fn find_sites(&self, objects: &[Object], q: &[f64], state: &ConstraintState, time: f64) -> [Site; ENDS] {
        let site = |e: usize| match &self.ends[e] {
            End::World => self.law.world(state.own[e], time),
            End::Fixed { place, .. } => self.site(e, place, q, state, time),
            End::Clipped { .. } | End::Sliding { .. } => self.site(e, &self.place(e, objects, state), q, state, time),
        };
        [site(0), site(1)]
    }

    #[inline(always)]
    fn site(&self, e: usize, place: &Place, q: &[f64], state: &ConstraintState, time: f64) -> Site {
        match self.ends[e] {
            End::World => self.law.world(state.own[e], time),
            End::Clipped { .. } if state.clip.open => self.law.world(state.own[e], time),
            End::Sliding { .. } => Site { pp: place.sum(q, &place.weights.ddb), ..Site::new(place, q, &state.frames[e]) },
            End::Fixed { framed: true, .. } | End::Clipped { framed: true, .. } => Site::new(place, q, &state.frames[e]),
            End::Fixed { framed: false, .. } | End::Clipped { framed: false, .. } => Site::without_frame(place, q),
        }
    }
}
