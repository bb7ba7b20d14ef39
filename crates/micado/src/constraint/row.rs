//! What a constraint says to the linear system: rows, violation, curvature; and what it sees: its sites.

use super::KindMemory;
use crate::law::BlockLaw;
use crate::object::{CrossStiffness, EndFrame, EndStiffness, Place, Site, SpreadRow, Wrench};
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// Most rows of one constraint: two dual nodes of four.
pub const MAX_ROWS: usize = 8;
/// Most non-smooth rows of one constraint.
pub const MAX_PUSHES: usize = 5;
/// Ends of a constraint. An absolute one has the world at its second end.
pub const ENDS: usize = 2;

/// What a constraint remembers from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConstraintState {
    /// Reference frames at its ends, carried along in time without spin.
    pub frames: [EndFrame; ENDS],
    /// Unknowns of its own: the parameter on a trajectory; where its ends slide on their rods.
    pub own: [f64; ENDS],
    /// The same when the present step began.
    pub own_start: [f64; ENDS],
    /// First segments of the windows that sliding ends have reserved.
    pub window: [u32; ENDS],
    /// Whether its curvature between two objects is stiff against their inertia, so that dynamic steps must
    /// know it.
    pub stiff: bool,
    /// Whether rows of it followed from others in the last solve: then its multipliers are not known by
    /// themselves.
    pub redundant: bool,
    /// The number of an earlier constraint that it repeats: that one holds for both, and this one adds
    /// nothing (`world/duplicates.rs`).
    pub duplicate_of: Option<u32>,
    /// Multipliers of the last solve: what the rows push with.
    pub multipliers: [f64; MAX_ROWS],
    /// What its non-smooth rows push with, N.
    pub pushes: [f64; MAX_PUSHES],
    /// Velocity of a mass that slides, m/s.
    pub velocity: [f64; 3],
    /// Linearised displacement of a mass that slides since the present step began, m.
    pub moved: [f64; 3],
    /// Whether it holds nothing now: then it has no rows.
    pub open: bool,
    /// The object that it has caught, by its index.
    pub held: usize,
    /// Rest arc length of the middle of what it has caught, m.
    pub held_at: f64,
    /// What its kind remembers besides.
    pub kind: KindMemory,
}

/// One linearised row: J Δ = E.
///
/// It says what it varies with at its ends and with unknowns of its own; weights on control points come
/// later. What it says of an end in the world has no effect.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// E = −g.
    pub violation: f64,
    /// On its ends.
    pub ends: [Wrench; ENDS],
    /// On its own unknowns.
    pub own: [f64; ENDS],
    /// Whether it speaks of an angle, rad, or of a length, m.
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
    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.count = 0;
    }

    /// Adds a row. No constraint has more than [`MAX_ROWS`].
    pub(super) fn push(&mut self, row: Row) {
        self.rows[self.count] = row;
        self.count += 1;
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

    /// The rows, to be changed.
    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Row> {
        self.rows[..self.count].iter_mut()
    }
}

/// The wrenches of a row in the coordinates of its places.
pub fn spread(row: &Row, places: &[Place; ENDS], sites: &[Site; ENDS]) -> [SpreadRow; ENDS] {
    std::array::from_fn(|e| places[e].spread(&row.ends[e], &sites[e]))
}

impl std::ops::Deref for Rows {
    type Target = [Row];

    fn deref(&self) -> &[Row] {
        &self.rows[..self.count]
    }
}

/// A row that pushes and never pulls, stops, or rubs: its displacement is `gap + JΔ`, J the coefficients of
/// `row`.
#[derive(Clone, Copy, Debug)]
pub struct NonSmoothRow {
    /// Coefficients; its violation has no meaning.
    pub row: Row,
    /// Displacement without motion, m.
    pub gap: f64,
    /// Which forces are allowed.
    pub law: BlockLaw,
    /// Where friction finds its normal force.
    pub normal: NormalForce,
}

/// Where friction finds its normal force.
#[derive(Clone, Copy, Debug)]
pub enum NormalForce {
    /// There is no friction.
    None,
    /// The first three multipliers, without their part along the rod.
    OfRows {
        /// Tangent of the rod.
        along: DVec3,
    },
    /// What forces and inertia of a body leave across the rod: F − m c₀ Δx.
    OfBody {
        /// Tangent of the rod.
        along: DVec3,
        /// F with the inertia so far, N.
        force: DVec3,
        /// m c₀, N/m
        inertia: f64,
    },
}

/// Constraint curvature −Σ λ ∂²g, and whatever else a constraint adds to the stiffness.
#[derive(Clone, Copy, Debug)]
pub struct Curvature {
    /// At each end.
    pub ends: [EndStiffness; ENDS],
    /// Between the first end and the second.
    pub between: CrossStiffness,
    /// Derivative p of an end, the own unknown of that end.
    pub p_own: [DVec3; ENDS],
    /// Own unknowns with themselves.
    pub own_own: [f64; ENDS],
}

impl Default for Curvature {
    fn default() -> Self {
        Self {
            ends: [EndStiffness::ZERO; ENDS],
            between: CrossStiffness::ZERO,
            p_own: [DVec3::ZERO; ENDS],
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
