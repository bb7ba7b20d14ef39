//! Hard constraints: one file per kind.
//!
//! Convention: `g(q) = 0`, rows `J Δ = E` with `E = −g` at the targets of the end of the step; the force on
//! the unknowns is `Jᵀλ`, so multipliers are forces and moments *of the constraint on the object*. Because E
//! always uses the true g, the error of a step is of second order and never accumulates.
//!
//! To add a kind: write its file, add one line to the list in `kinds.rs` and one to each match here and in
//! `describe.rs` that the compiler then asks for, one scene, and one test.

mod axis;
mod block;
mod circle;
mod clamp;
mod clip;
mod custom;
mod describe;
mod distance;
mod end;
mod fusion;
mod joint;
pub(crate) mod keyhole;
mod kinds;
mod law_block;
mod pearl;
mod plane;
mod position;
mod rare;
mod roll;
pub mod row;
mod sliding_mass;
mod soft;
mod strength;
mod tangent;
mod trajectory;

pub use crate::object::{EndStiffness, Site, Wrench};
pub use axis::{Axis, AxisLaw};
pub use block::{Block, BlockHold, Direction};
pub use circle::{Circle, CircleLaw};
pub use clamp::{Clamp, ClampLaw};
pub(crate) use clip::check_width;
pub use clip::{Clip, ClipHold, ClipLaw, ClipState, Directions, Gave, Rods, Strength};
pub use custom::{Custom, CustomConstraint, CustomRows, MAX_MEMORY};
pub use describe::{EndDescription, FrameNeed, RowForm};
pub use distance::{Distance, DistanceLaw, Limit};
pub use end::{Constraint, End};
pub use fusion::{Fusion, FusionLaw, Hold};
pub(crate) use joint::COORDINATES;
pub use joint::{
    Coordinate, CoordinateLaw, Drive, Gauge, Joint, JointKind, JointLaw, JointState, Motor, MotorKind,
    Rotation, Servo, Translation,
};
pub use keyhole::{Keyhole, KeyholeLaw};
pub use kinds::{ConstraintDescription, Law};
pub use law_block::{LawBlock, LawBlockRows, Measured};
pub use pearl::{Coupling, Pearl, PearlFrame, PearlLaw};
pub use plane::{Plane, PlaneLaw, Side};
pub use position::{Position, PositionLaw};
pub use rare::{Rare, Unused};
pub use roll::{Roll, RollLaw};
pub use row::{
    ConstraintState, Curvature, ENDS, MAX_PUSHES, MAX_ROWS, NonSmoothBlock, NonSmoothRow, NormalForce, Row,
    Rows, SlidingState, spread,
};
pub use sliding_mass::SlidingMass;
pub use soft::SoftRow;
pub use strength::{Broke, JointStrength};
pub use tangent::{Tangent, TangentLaw};
pub use trajectory::{EndOfPath, Trajectory, TrajectoryLaw};

use crate::describe::signal::Signal;
use crate::law::BlockLaw;
use crate::object::rod::Rod;
use glam::{DMat3, DVec3};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Behaviour of a sliding end at the end of its rod or path.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EndOfCurve {
    /// It stops there.
    #[default]
    Stop,
    /// It slips off: the constraint is removed; a pearl becomes a free mass.
    Release,
    /// The step is refused.
    Error,
}

/// Rows that stop end `e` of a constraint at the ends of an open curve; the first of them is non-smooth row
/// number `first`.
fn stops(
    site: &Site,
    e: usize,
    u: f64,
    range: Option<(f64, f64)>,
    first: usize,
    out: &mut impl FnMut(&NonSmoothBlock<'_>),
) {
    let Some((low, high)) = range else { return };
    for (k, (way, gap)) in
        [(site.l, (u - low) * site.l), (-site.l, (high - u) * site.l)].into_iter().enumerate()
    {
        let mut own = [0.0; ENDS];
        own[e] = way;
        let row = Row { own, ..Row::default() };
        let rows = &[NonSmoothRow::new(row, gap)];
        out(&NonSmoothBlock { first: first + k, law: BlockLaw::Unilateral, rows });
    }
}

/// Friction row of end `e`, which has slid by `slid` in this step, in units of u.
fn friction(site: &Site, e: usize, slid: f64, normal: NormalForce) -> NonSmoothRow {
    let mut own = [0.0; ENDS];
    own[e] = site.l;
    let row = Row { own, ..Row::default() };
    NonSmoothRow { normal, ..NonSmoothRow::new(row, site.l * slid) }
}

/// State of a particular kind of constraint.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub enum KindMemory {
    /// Nothing.
    #[default]
    None,
    /// A clip.
    Clip(ClipState),
    /// A joint.
    Joint(JointState),
    /// A constraint with a custom law or with custom rows.
    Custom([f64; MAX_MEMORY]),
}

impl KindMemory {
    /// The values of a custom constraint.
    fn custom(&self) -> [f64; MAX_MEMORY] {
        if let Self::Custom(memory) = self { *memory } else { [0.0; MAX_MEMORY] }
    }
}

/// Input of non-smooth rows besides the sites.
#[derive(Clone, Copy, Debug, Default)]
pub struct Circumstances {
    /// Own unknowns.
    pub own: [f64; ENDS],
    /// Their change since the step began.
    pub slid: [f64; ENDS],
    /// Start and end of the curves on which ends slide, in units of the own unknowns; none for closed ones.
    pub range: [Option<(f64, f64)>; ENDS],
    /// Angle by which the rods turn in an eye with a radius, rad.
    pub turn: [Option<f64>; ENDS],
    /// Force on a sliding mass, with its inertia so far, N.
    pub force: DVec3,
    /// m c₀ of a sliding mass, N/m.
    pub inertia: f64,
    /// State of its kind.
    pub kind: KindMemory,
}

/// A direction that turns with the second end of a constraint: n = F_B F_B₀ᵀ n(t).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct AttachedDirection {
    direction: Signal<[f64; 3]>,
    /// F_B₀ᵀ
    base: DMat3,
}

impl AttachedDirection {
    fn new(direction: Signal<[f64; 3]>, b: &Site) -> Self {
        Self { direction, base: b.frame().transpose() }
    }

    fn moves(&self) -> bool {
        self.direction.moves()
    }

    fn at(&self, b: &Site, time: f64) -> DVec3 {
        b.frame() * (self.base * tangent::unit(&self.direction, time))
    }

    /// Two normals of the direction, which turn with it.
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
    /// Force and moment of rows with these multipliers on the place at end `e`: the work of Jᵀλ in a rigid
    /// motion of the place, where δx' = δφ×x' and δθ = δφ·t.
    pub fn of_rows(rows: &Rows, multipliers: &[f64; MAX_ROWS], site: &Site, e: usize) -> Self {
        let mut sum = Self::default();
        for (row, &multiplier) in rows.iter().zip(multipliers) {
            sum.add(row, multiplier, site, e);
        }
        sum
    }

    /// Adds force and moment of one row on the place at end `e`.
    pub fn add(&mut self, row: &Row, multiplier: f64, site: &Site, e: usize) {
        let Wrench { force, moment, slope, roll } = row.ends[e];
        self.force += force * multiplier;
        if site.turns {
            self.moment += (moment + site.p.cross(slope) + site.t * roll) * multiplier;
        }
    }
}

impl Law {
    /// Number of rows while it holds.
    pub fn rows(&self) -> usize {
        match self {
            Self::Position(_) => 3,
            Self::Trajectory(law) => law.count(),
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
            Self::Joint(law) => law.count(),
            Self::Block(law) => law.count(),
            Self::LawBlock(_) => 0,
            Self::Custom(law) => law.count(),
        }
    }

    /// Number of leading rows on positions, if rows on frames follow.
    pub(crate) fn position_rows(&self) -> usize {
        if let Self::Clamp(_) = self { 3 } else { 0 }
    }

    /// Which of its ends have an unknown of their own: sliding ends and the parameter of a trajectory.
    pub fn own_unknowns(&self) -> [bool; ENDS] {
        match self {
            Self::Trajectory(law) => [false, !law.is_driven()],
            Self::Keyhole(law) => law.own_unknowns(),
            Self::Pearl(_) => [true, false],
            _ => [false; ENDS],
        }
    }

    /// Whether a second equal constraint has no effect. False for masses, for custom kinds, and for
    /// constraints with a strength or with springs and dampers.
    pub(crate) fn may_be_duplicated(&self) -> bool {
        let custom = matches!(self, Self::LawBlock(_) | Self::Custom(_));
        self.sliding_mass().is_none() && !self.may_give() && !self.is_soft() && !custom
    }

    /// Whether its ends may be exchanged.
    pub(crate) fn is_symmetric(&self) -> bool {
        matches!(self, Self::Distance(_))
    }

    /// Tension of a link between its ends whose direction turns with them, N; `None` if it is no such link.
    pub(crate) fn tension(&self, memory: &ConstraintState) -> Option<f64> {
        matches!(self, Self::Distance(_)).then(|| -memory.multipliers[0])
    }

    /// Whether its rows hold a position; tangents, rolls and pearls don't.
    pub(crate) fn holds_position(&self) -> bool {
        match self {
            Self::Tangent(_) | Self::Roll(_) | Self::Pearl(_) | Self::LawBlock(_) | Self::Custom(_) => false,
            Self::Block(law) => law.holds_position(),
            _ => true,
        }
    }

    /// Whether both its ends are on the rod that it has caught, and its law holds them at a point of the
    /// world.
    pub(crate) fn holds_caught_in_world(&self) -> bool {
        matches!(self, Self::Clip(law) if law.width > 0.0)
    }

    /// Ends of an open path of its own, in units of its unknown at the second end.
    pub(crate) fn range_of_path(&self) -> Option<(f64, f64)> {
        if let Self::Trajectory(law) = self { law.range() } else { None }
    }

    /// Radius over which a rod turns in it, where its friction depends on the turn, m.
    pub(crate) fn rubs_over(&self) -> Option<f64> {
        if let Self::Keyhole(law) = self { law.rubs_over() } else { None }
    }

    /// Behaviour at the end of its rod or path; `None` if it doesn't slide.
    pub(crate) fn end_of_curve(&self) -> Option<EndOfCurve> {
        match self {
            Self::Keyhole(law) => Some(law.ends),
            Self::Pearl(law) => Some(law.ends),
            Self::Trajectory(law) => law.ends,
            _ => None,
        }
    }

    /// Whether a caught rod is still moving into place.
    pub(crate) fn is_settling(&self, memory: &ConstraintState, time: f64) -> bool {
        matches!(self, Self::Clip(law) if law.is_inserting(memory, time))
    }

    /// Whether another law is equivalent. Viscosities may differ: they add up.
    fn repeats(&self, other: &Self) -> bool {
        match (self, other) {
            _ if !self.may_be_duplicated() => false,
            (Self::Keyhole(law), Self::Keyhole(other)) => law.repeats(other),
            _ => self == other,
        }
    }

    /// Whether its sliding is imposed.
    pub fn is_imposed(&self) -> bool {
        matches!(self, Self::Keyhole(law) if law.is_imposed())
    }

    /// Imposed position of its first end on the rod at `time`, in units of u.
    pub(crate) fn imposed(&self, rod: &Rod, time: f64) -> Option<f64> {
        match self {
            Self::Keyhole(law) => law.imposed(rod, time),
            _ => None,
        }
    }

    /// Sets the imposed position of its first end at `time` to rest arc length `s` of the rod, m; later
    /// sliding is relative to it.
    pub(crate) fn set_imposed_position(&mut self, s: f64, time: f64) {
        if let Self::Keyhole(law) = self {
            law.set_imposed_position(s, time);
        }
    }

    /// Makes imposed sliding keep its distance from the end of the rod, whose rest length is `length`, m, and
    /// whose start is on a winch.
    pub(crate) fn impose_from_end(&mut self, length: f64) {
        if let Self::Keyhole(law) = self {
            law.impose_from_end(length);
        }
    }

    /// Initial parameter of a trajectory for a place at `x`.
    pub fn initial_own(&self, x: DVec3, time: f64) -> Option<f64> {
        match self {
            Self::Trajectory(law) => Some(law.nearest(x, time)),
            _ => None,
        }
    }

    /// Adjusts the rolls at its ends by these angles, rad, after their origins have changed.
    pub(crate) fn shift_roll_origins(&mut self, [a, b]: [f64; ENDS]) {
        match self {
            Self::Roll(law) => law.shift_origin(a),
            Self::Fusion(law) => law.shift_origin(a - b),
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
            Self::Joint(law) => law.world(),
            Self::Block(law) => law.world(),
            Self::LawBlock(law) => law.world(),
            Self::Custom(law) => law.world(time),
            Self::Tangent(_) | Self::Roll(_) | Self::Fusion(_) | Self::Pearl(_) => Site::WORLD,
        }
    }

    /// The point of the world at which or around which it holds a place, if it has one.
    pub fn centre(&self, time: f64) -> Option<DVec3> {
        match self {
            Self::Position(_)
            | Self::Clamp(_)
            | Self::Distance(_)
            | Self::Circle(_)
            | Self::Keyhole(_)
            | Self::Clip(_)
            | Self::Joint(_)
            | Self::Block(_) => Some(self.world(0.0, time).x),
            _ => None,
        }
    }

    /// J and E at `time`, into `rows`; none while it is open.
    pub fn linearise(&self, [a, b]: &[Site; ENDS], memory: &ConstraintState, time: f64, rows: &mut Rows) {
        rows.clear();
        if memory.open {
            return;
        }
        match self {
            Self::Position(_) => PositionLaw::rows(a, b, rows),
            Self::Tangent(law) => law.rows(a, b, time, rows),
            Self::Roll(law) => law.rows(a, b, time, rows),
            Self::Clamp(law) => law.rows(a, b, rows),
            Self::Plane(law) => law.rows(a, b, time, rows),
            Self::Axis(law) => law.rows(a, b, time, rows),
            Self::Distance(law) => law.rows(a, b, time, rows),
            Self::Circle(law) => law.rows(a, b, time, rows),
            Self::Trajectory(law) => law.rows(a, b, memory.own[1], time, rows),
            Self::Fusion(law) => law.rows(a, b, time, rows),
            Self::Keyhole(law) => law.rows(a, b, time, rows),
            Self::Pearl(_) => {}
            Self::Clip(law) => law.rows(a, b, memory, time, rows),
            Self::Joint(law) => law.rows(a, b, memory, time, rows),
            Self::Block(law) => law.rows(a, b, rows),
            Self::LawBlock(_) => {}
            Self::Custom(law) => law.rows(&[*a, *b], &memory.kind, time, rows),
        }
    }

    /// Violations of its rows where they are known without the rows.
    pub(crate) fn violations(
        &self,
        [a, b]: &[Site; ENDS],
        memory: &ConstraintState,
    ) -> Option<[f64; MAX_ROWS]> {
        match self {
            Self::Joint(law) if !memory.open => law.violations(a, b).map(|(violations, _)| violations),
            _ => None,
        }
    }

    /// Calls `out` for each block of unilateral, stop and friction rows.
    pub fn non_smooth(
        &self,
        [a, b]: &[Site; ENDS],
        time: f64,
        here: &Circumstances,
        mut out: impl FnMut(&NonSmoothBlock<'_>),
    ) {
        match self {
            Self::Plane(law) => law.non_smooth(a, b, time, &mut out),
            Self::Distance(law) => law.non_smooth(a, b, time, &mut out),
            Self::Keyhole(law) => law.non_smooth(a, b, here, &mut out),
            Self::Pearl(law) => law.non_smooth(a, here, &mut out),
            Self::Trajectory(law) => law.non_smooth(b, time, here, &mut out),
            Self::Joint(law) => law.non_smooth(a, b, time, here, &mut out),
            Self::LawBlock(law) => law.non_smooth(a, b, &here.kind, &mut out),
            Self::Custom(law) => law.non_smooth(&[*a, *b], &here.kind, time, &mut out),
            _ => {}
        }
    }

    /// Whether it may have such rows.
    pub fn is_non_smooth(&self) -> bool {
        match self {
            Self::Plane(law) => law.count() == 0,
            Self::Distance(law) => law.count() == 0,
            Self::Keyhole(_) | Self::Pearl(_) => true,
            Self::Trajectory(law) => law.is_non_smooth(),
            Self::Joint(law) => law.is_non_smooth(),
            Self::LawBlock(_) => true,
            Self::Custom(law) => law.is_non_smooth(),
            _ => false,
        }
    }

    /// Whether it may have rows with a restitution.
    pub(crate) fn rebounds(&self) -> bool {
        matches!(self, Self::Joint(law) if law.rebounds())
    }

    /// Most friction rows that it may have.
    pub(crate) fn most_friction_rows(&self) -> usize {
        match self {
            Self::Keyhole(law) if law.rubs() => ENDS,
            Self::Pearl(law) if law.rubs() => 1,
            Self::Trajectory(law) if law.rubs() => 1,
            Self::Joint(law) => law.most_friction_rows(),
            _ => 0,
        }
    }

    /// Whether it has non-smooth rows or a strength.
    pub(crate) fn pushes(&self) -> bool {
        self.is_non_smooth() || self.may_give()
    }

    /// Constraint curvature −Σ λ ∂²g with the multipliers of the last solve; only its positive semidefinite
    /// part unless `exact`. `None` if it vanishes.
    pub fn curvature(
        &self,
        [a, b]: &[Site; ENDS],
        memory: &ConstraintState,
        time: f64,
        lambda: &[f64; MAX_ROWS],
        exact: bool,
    ) -> Option<Curvature> {
        if memory.open {
            return None;
        }
        match self {
            Self::Distance(law) => Some(law.curvature(a, b, time, law.multiplier(memory, lambda), exact)),
            Self::Circle(law) => Some(law.curvature(a, b, time, lambda, exact)),
            Self::Trajectory(law) => Some(law.curvature(a, b, [memory.own[1], time], lambda, exact)),
            Self::Keyhole(law) => Some(law.curvature(a, b, lambda, exact)),
            Self::Tangent(law) if exact => Some(law.curvature(a, b, time, lambda)),
            Self::Clamp(law) if exact => Some(law.curvature(lambda)),
            Self::Fusion(law) if exact => Some(law.curvature(lambda)),
            Self::Clip(law) if exact => Some(law.curvature(a, b, memory, time, lambda)),
            Self::Joint(law) if exact => Some(law.curvature(a, b, lambda, &memory.pushes)),
            Self::Block(law) if exact => Some(law.curvature(a, b, lambda)),
            Self::Custom(law) if exact => law.curvature(&[*a, *b], &memory.kind, time, lambda),
            _ => None,
        }
    }

    /// Whether its curvature may have terms between its ends; without `exact`, only its semidefinite part
    /// counts.
    pub(crate) fn couples_ends(&self, exact: bool) -> bool {
        exact || matches!(self, Self::Distance(_) | Self::Circle(_) | Self::Trajectory(_) | Self::Keyhole(_))
    }

    /// Its memory after a step or at the beginning, if it depends on the state at its ends.
    pub(crate) fn remember(&self, [a, b]: &[Site; ENDS], kind: &KindMemory, time: f64) -> Option<KindMemory> {
        match self {
            Self::Joint(law) => Some(KindMemory::Joint(law.coordinates(a, b, kind, time))),
            Self::LawBlock(law) => Some(law.remember(a, b, kind)),
            Self::Custom(law) => Some(law.remember(&[*a, *b], kind, time)),
            _ => None,
        }
    }

    /// Whether it has such a memory.
    pub(crate) fn remembers(&self) -> bool {
        match self {
            Self::Joint(law) => law.remembers(),
            Self::LawBlock(_) | Self::Custom(_) => true,
            _ => false,
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

    /// Whether it depends on two points and on nothing else.
    pub(crate) fn is_of_points(&self) -> bool {
        matches!(self, Self::Position(_) | Self::Distance(_))
    }

    /// The miss between two points, m, of a law that depends on nothing else.
    pub(crate) fn miss_of_points(&self, a: DVec3, b: DVec3, time: f64) -> Option<f64> {
        match self {
            Self::Position(_) => Some(a.distance(b)),
            Self::Distance(law) => Some(law.miss(a, b, time)),
            _ => None,
        }
    }

    /// Whether its non-smooth rows, if it has any, bound a length on one side.
    pub(crate) fn holds_one_side(&self) -> bool {
        matches!(self, Self::Plane(_) | Self::Distance(_))
    }

    /// Whether it keeps its ends at least at a distance, and only pushes them apart.
    pub(crate) fn keeps_away(&self) -> bool {
        matches!(self, Self::Distance(law) if law.limit() == Limit::AtLeast)
    }

    /// Violation at `time`: m, or rad for directions and rolls; the larger where it holds both.
    pub fn miss(&self, sites: &[Site; ENDS], memory: &ConstraintState, time: f64) -> f64 {
        let [length, angle] = self.misses(sites, memory, time, &mut Rows::default());
        length.max(angle)
    }

    /// Violation at `time` of lengths, m, and of angles, rad. `rows` is scratch.
    pub(crate) fn misses(
        &self,
        sites: &[Site; ENDS],
        memory: &ConstraintState,
        time: f64,
        rows: &mut Rows,
    ) -> [f64; 2] {
        let [a, b] = sites;
        match self {
            Self::Position(_) => return [PositionLaw::missed(a, b).length(), 0.0],
            Self::Clamp(law) => return law.misses(a, b),
            Self::Joint(law) if !memory.open => {
                if let Some((violations, [lengths, angles])) = law.violations(a, b) {
                    let norm = |of: &[f64]| of.iter().map(|miss| miss.powi(2)).sum::<f64>().sqrt() + 0.0;
                    return [norm(&violations[..lengths]), norm(&violations[lengths..lengths + angles])];
                }
            }
            // Its rows ask for a part of the turn only.
            Self::Tangent(law) => return [0.0, law.miss(a, b, time)],
            _ => {}
        }
        self.linearise(sites, memory, time, rows);
        let mut broken = 0.0_f64;
        if self.holds_one_side() {
            self.non_smooth(sites, time, &Circumstances::default(), |block| {
                broken = broken.max(-block.rows[0].gap);
            });
        }
        let norm = |angle: bool| {
            rows.iter().filter(|row| row.angle == angle).map(|row| row.violation.powi(2)).sum::<f64>().sqrt()
        };
        // The sum of nothing is -0.
        [broken.max(norm(false)) + 0.0, norm(true) + 0.0]
    }
}
