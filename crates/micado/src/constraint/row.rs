//! Data of a constraint for the linear system: rows, violation, curvature; and its state.

use super::{Gave, KindMemory, Law, Rare, Unused};
use crate::law::{BlockLaw, Kept};
use crate::object::{CrossStiffness, EndFrame, EndStiffness, Place, Site, SpreadRow, Wrench};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// Most rows of one constraint: two dual nodes of four.
pub const MAX_ROWS: usize = 8;
/// Most non-smooth rows of one constraint.
pub const MAX_PUSHES: usize = 12;
/// Ends of a constraint. An absolute one has the world at its second end.
pub const ENDS: usize = 2;

/// State of a constraint from step to step.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConstraintState {
    /// Whether its curvature between two objects is stiff compared with their inertia, so that dynamic steps
    /// must include it.
    pub stiff: bool,
    /// Whether its rows were dependent on others in the last solve: then its multipliers are not unique.
    pub redundant: bool,
    /// Whether it is open; then it has no rows.
    pub open: bool,
    /// Number of an earlier constraint that it repeats: that one holds for both, and this one adds nothing
    /// (`world/duplicates.rs`).
    pub duplicate_of: Option<u32>,
    /// First segments of the windows reserved for sliding ends.
    pub window: [u32; ENDS],
    /// Multipliers of the last solve.
    pub multipliers: [f64; MAX_ROWS],
    /// Reference frames at its ends, transported in time without spin.
    pub frames: [EndFrame; ENDS],
    /// Its own unknowns: the parameter of a trajectory, the positions of sliding ends on their rods.
    pub own: [f64; ENDS],
    /// Its own unknowns when the present step began.
    pub own_start: [f64; ENDS],
    /// Rates of its own unknowns in the last step, 1/s, from which the next step predicts them.
    pub own_rate: [f64; ENDS],
    /// Forces of its non-smooth rows, N.
    pub pushes: Rare<[f64; MAX_PUSHES]>,
    /// Memory of the laws of its non-smooth rows.
    pub kept: Rare<[Kept; MAX_PUSHES]>,
    /// Motion of a sliding mass.
    pub sliding: Rare<SlidingState>,
    /// Force and load at which it opened; kept until the next step.
    pub gave: Rare<Gave>,
    /// Index of the object that it has caught.
    pub held: usize,
    /// Rest arc length of the middle of the caught part, m.
    pub held_at: f64,
    /// State of its kind.
    pub kind: KindMemory,
}

/// Motion of a sliding mass from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SlidingState {
    /// Velocity, m/s.
    pub velocity: [f64; 3],
    /// Displacement in the last step, m; for second-order integration.
    pub moved_before: [f64; 3],
    /// Velocity at the start of the last step, m/s; for second-order integration.
    pub velocity_before: [f64; 3],
    /// Force on its curve, friction included, N.
    pub pressed: [f64; 3],
}

impl Unused for [f64; MAX_PUSHES] {
    const UNUSED: &'static Self = &[0.0; MAX_PUSHES];
}

impl Unused for [Kept; MAX_PUSHES] {
    const UNUSED: &'static Self = &[[0.0; 3]; MAX_PUSHES];
}

impl Unused for SlidingState {
    const UNUSED: &'static Self =
        &Self { velocity: [0.0; 3], moved_before: [0.0; 3], velocity_before: [0.0; 3], pressed: [0.0; 3] };
}

impl Clone for ConstraintState {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    /// Takes no memory if this one has used the same parts before.
    fn clone_from(&mut self, other: &Self) {
        let Self { pushes, kept, sliding, gave, .. } = other;
        self.pushes.clone_from(pushes);
        self.kept.clone_from(kept);
        self.sliding.clone_from(sliding);
        self.gave.clone_from(gave);
        let Self { stiff, redundant, open, duplicate_of, window, multipliers, frames, .. } = *other;
        (self.stiff, self.redundant, self.open) = (stiff, redundant, open);
        (self.duplicate_of, self.window) = (duplicate_of, window);
        (self.multipliers, self.frames) = (multipliers, frames);
        let Self { own, own_start, own_rate, held, held_at, kind, .. } = *other;
        (self.own, self.own_start, self.own_rate) = (own, own_start, own_rate);
        (self.held, self.held_at, self.kind) = (held, held_at, kind);
    }
}

impl ConstraintState {
    /// Takes the memory that non-smooth rows, a sliding mass or a strength need, so that no later step does.
    pub(crate) fn reserve(&mut self, law: &Law) {
        if law.pushes() {
            self.pushes.reserve();
            self.kept.reserve();
        }
        if law.sliding_mass().is_some() {
            self.sliding.reserve();
        }
        if law.may_give() {
            self.gave.reserve();
        }
    }
}

/// One linearised row: J Δ = E.
///
/// It gives its derivatives at its ends and by its own unknowns; weights on control points are added later.
/// An end in the world has no effect.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// E = −g.
    pub violation: f64,
    /// On its ends.
    pub ends: [Wrench; ENDS],
    /// On its own unknowns.
    pub own: [f64; ENDS],
    /// Whether it is an angle, rad, or a length, m.
    pub angle: bool,
}

impl Row {
    /// A row on lengths, m.
    pub fn length(ends: [Wrench; ENDS], violation: f64) -> Self {
        Self { violation, ends, ..Self::default() }
    }

    /// A row on angles, rad.
    pub fn angle(ends: [Wrench; ENDS], violation: f64) -> Self {
        Self { angle: true, ..Self::length(ends, violation) }
    }

    /// The row `n·(δx_A − δx_B) = violation`, m.
    pub fn position(n: DVec3, violation: f64) -> Self {
        Self::length([Wrench::force(n), Wrench::force(-n)], violation)
    }
}

/// The linearised rows of a constraint.
#[derive(Clone, Copy, Debug, Default)]
pub struct Rows {
    count: usize,
    rows: [Row; MAX_ROWS],
}

impl Rows {
    /// Removes all rows.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a row. Rows beyond [`MAX_ROWS`] are ignored.
    pub fn push(&mut self, row: Row) {
        if let Some(free) = self.rows.get_mut(self.count) {
            *free = row;
            self.count += 1;
        }
    }

    /// Removes the rows after the first `count`.
    pub(super) fn truncate(&mut self, count: usize) {
        self.count = self.count.min(count);
    }

    /// Adds three rows `δx_A − δx_B = violation`.
    pub(super) fn push_position(&mut self, violation: DVec3) {
        for (axis, violation) in DVec3::AXES.into_iter().zip(violation.to_array()) {
            self.push(Row::position(axis, violation));
        }
    }

    /// Adds three rows `δx'_A − δx'_B = violation`.
    pub(super) fn push_derivative(&mut self, violation: DVec3) {
        for (axis, violation) in DVec3::AXES.into_iter().zip(violation.to_array()) {
            self.push(Row::length([Wrench::slope(axis), Wrench::slope(-axis)], violation));
        }
    }

    /// Adds three rows on the rotation of one frame against the other, `δφ_A − δφ_B = violation`.
    pub(super) fn push_rotation(&mut self, violation: DVec3) {
        for (axis, violation) in DVec3::AXES.into_iter().zip(violation.to_array()) {
            self.push(Row::angle([Wrench::moment(axis), Wrench::moment(-axis)], violation));
        }
    }

    /// The rows, mutable.
    pub(crate) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Row> {
        self.rows[..self.count].iter_mut()
    }
}

/// The wrenches of a row in the coordinates of its places.
#[inline]
pub fn spread(row: &Row, [a, b]: &[Place; ENDS], [at_a, at_b]: &[Site; ENDS]) -> [SpreadRow; ENDS] {
    [a.spread(&row.ends[0], at_a), b.spread(&row.ends[1], at_b)]
}

impl std::ops::Deref for Rows {
    type Target = [Row];

    fn deref(&self) -> &[Row] {
        &self.rows[..self.count]
    }
}

/// Non-smooth rows of a constraint with one law: unilateral, stop or friction.
#[derive(Clone, Debug)]
pub struct NonSmoothBlock<'a> {
    /// Number of its first row among the non-smooth rows of the constraint; the others follow.
    pub first: usize,
    /// Law of its forces.
    pub law: BlockLaw,
    /// One row per row of the law.
    pub rows: &'a [NonSmoothRow],
}

/// One row of a block: its displacement is `gap + JΔ`, J the coefficients of `row`.
#[derive(Clone, Copy, Debug)]
pub struct NonSmoothRow {
    /// Coefficients; its violation is unused.
    pub row: Row,
    /// Displacement without motion, m.
    pub gap: f64,
    /// Source of the normal force of friction.
    pub normal: NormalForce,
    /// Share of its closing speed with which a unilateral row opens again, 0 to 1; `None` if steps don't
    /// resolve the jump of its speed.
    pub restitution: Option<f64>,
}

impl NonSmoothRow {
    /// A row without a normal force from outside its block.
    pub fn new(row: Row, gap: f64) -> Self {
        Self { row, gap, normal: NormalForce::None, restitution: None }
    }
}

/// Source of the normal force of friction.
#[derive(Clone, Copy, Debug)]
pub enum NormalForce {
    /// No friction.
    None,
    /// The first three multipliers, without their part along the rod.
    OfRows {
        /// Tangent of the rod.
        along: DVec3,
    },
    /// Forces and inertia of a body across the rod: F − m c₀ Δx.
    OfBody {
        /// Tangent of the rod.
        along: DVec3,
        /// F with the inertia so far, N.
        force: DVec3,
        /// m c₀, N/m
        inertia: f64,
    },
}

/// Constraint curvature −Σ λ ∂²g, and other contributions of a constraint to the stiffness.
#[derive(Clone, Copy, Debug)]
pub struct Curvature {
    /// At each end.
    pub ends: [EndStiffness; ENDS],
    /// Between the first end and the second.
    pub between: CrossStiffness,
    /// Between the derivative p of an end and the own unknown of that end.
    pub p_own: [DVec3; ENDS],
    /// Between the rotation φ of each end and the own unknown of the second end.
    pub turn_own: [DVec3; ENDS],
    /// Own unknowns with themselves.
    pub own_own: [f64; ENDS],
}

impl Default for Curvature {
    fn default() -> Self {
        Self {
            ends: [EndStiffness::ZERO; ENDS],
            between: CrossStiffness::ZERO,
            p_own: [DVec3::ZERO; ENDS],
            turn_own: [DVec3::ZERO; ENDS],
            own_own: [0.0; ENDS],
        }
    }
}

impl Curvature {
    /// A stiffness against relative displacement of the ends.
    pub fn of_difference(k: DMat3) -> Self {
        let end = EndStiffness { xx: k, ..EndStiffness::ZERO };
        Self {
            ends: [end, end],
            between: CrossStiffness { xx: -k, ..CrossStiffness::ZERO },
            ..Self::default()
        }
    }
}
