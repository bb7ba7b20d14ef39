//! What a constraint says to the linear system: rows, violation, curvature; and what it sees: its sites.

use super::clip::ClipState;
use crate::geometry::rotation::outer;
use crate::law::RowLaw;
use crate::object::Place;
use crate::object::{EndFrame, Site};
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
    /// Velocity of a pearl, m/s.
    pub velocity: [f64; 3],
    /// Linearised displacement of a pearl since the present step began, m.
    pub moved: [f64; 3],
    /// What a clip remembers.
    pub clip: ClipState,
}

/// What a row varies with at one end: `x·δx + p·δx' + theta δθ`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EndRow {
    /// On the position.
    pub x: DVec3,
    /// On the derivative x'.
    pub p: DVec3,
    /// On the roll.
    pub theta: f64,
}

impl EndRow {
    /// `n·δx`
    pub fn position(n: DVec3) -> Self {
        Self { x: n, ..Self::default() }
    }

    /// `n·δx'`
    pub fn derivative(n: DVec3) -> Self {
        Self { p: n, ..Self::default() }
    }

    /// `m·δφ`, how the frame turns: δφ = t×δx'/L + t δθ. Nothing where there is no tangent: a mass does not
    /// turn.
    pub fn rotation(site: &Site, m: DVec3) -> Self {
        if site.p == DVec3::ZERO {
            return Self::default();
        }
        // m·(t×δp) = (m×t)·δp
        Self { x: DVec3::ZERO, p: m.cross(site.t) / site.l, theta: m.dot(site.t) }
    }

    /// J on the four unknowns of the place's node k.
    #[inline]
    pub fn on_node(&self, place: &Place, k: usize) -> [f64; 4] {
        let n = self.x * place.weights.b[k] + self.p * place.weights.db[k];
        [n.x, n.y, n.z, place.roll[k] * self.theta]
    }
}

impl std::ops::Neg for EndRow {
    type Output = Self;

    fn neg(self) -> Self {
        Self { x: -self.x, p: -self.p, theta: -self.theta }
    }
}

impl std::ops::Add for EndRow {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, p: self.p + other.p, theta: self.theta + other.theta }
    }
}

impl std::ops::Mul<f64> for EndRow {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self { x: self.x * factor, p: self.p * factor, theta: self.theta * factor }
    }
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
    pub ends: [EndRow; ENDS],
    /// On its own unknowns.
    pub own: [f64; ENDS],
    /// Whether it speaks of an angle, rad, or of a length, m.
    pub angle: bool,
}

impl Row {
    /// A row on lengths, m.
    pub fn length(ends: [EndRow; ENDS], violation: f64) -> Self {
        Self { violation, ends, ..Self::default() }
    }

    /// A row on angles, rad.
    pub fn angle(ends: [EndRow; ENDS], violation: f64) -> Self {
        Self { angle: true, ..Self::length(ends, violation) }
    }

    /// The row `n·(δx_A − δx_B) = violation`, m.
    pub fn position(n: DVec3, violation: f64) -> Self {
        Self::length([EndRow::position(n), EndRow::position(-n)], violation)
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
            self.push(Row::length([EndRow::derivative(axis), EndRow::derivative(-axis)], violation));
        }
    }

    /// Adds three rows on the rotation of one frame against the other, `δφ_A − δφ_B = violation`.
    pub(super) fn push_rotation(&mut self, a: &Site, b: &Site, violation: DVec3) {
        for (axis, violation) in DVec3::AXES.into_iter().zip(violation.to_array()) {
            self.push(Row::angle([EndRow::rotation(a, axis), -EndRow::rotation(b, axis)], violation));
        }
    }

    /// The rows, to be changed.
    pub(super) fn iter_mut(&mut self) -> std::slice::IterMut<'_, Row> {
        self.rows[..self.count].iter_mut()
    }
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
    pub law: RowLaw,
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

/// Second-order terms at a place: what is added to the stiffness, in position x, derivative p = x' and roll
/// θ.
#[derive(Clone, Copy, Debug)]
pub struct PlaceStiffness {
    /// x, x
    pub xx: DMat3,
    /// p, p
    pub pp: DMat3,
    /// p, θ
    pub p_theta: DVec3,
}

impl Default for PlaceStiffness {
    fn default() -> Self {
        Self::ZERO
    }
}

impl PlaceStiffness {
    /// Nothing. The default of a matrix would be the identity.
    pub const ZERO: Self = Self { xx: DMat3::ZERO, pp: DMat3::ZERO, p_theta: DVec3::ZERO };

    /// The symmetric part of the stiffness of a moment `m` that keeps its direction in the world:
    /// its generalised force is (m×t)/L on p and m·t on θ.
    pub fn of_fixed_moment(m: DVec3, t: DVec3, l: f64) -> Self {
        let across = m.cross(t);
        Self {
            pp: (outer(across, t) + outer(t, across)) * (1.0 / (l * l)),
            p_theta: -(m - t * m.dot(t)) * (0.5 / l),
            ..Self::ZERO
        }
    }

    /// Adds the block (i, j) of local nodes of a place.
    pub(crate) fn add_block(&self, place: &Place, i: usize, j: usize, block: &mut [f64; 16]) {
        let (b, db, c) = (&place.weights.b, &place.weights.db, &place.roll);
        let x = self.xx * (b[i] * b[j]) + self.pp * (db[i] * db[j]);
        let (row, column) = (self.p_theta * (db[i] * c[j]), self.p_theta * (c[i] * db[j]));
        for r in 0..3 {
            for c in 0..3 {
                block[4 * r + c] += x.col(c)[r];
            }
            block[4 * r + 3] += row[r];
            block[12 + r] += column[r];
        }
    }
}

/// Constraint curvature −Σ λ ∂²g, and whatever else a constraint adds to the stiffness.
#[derive(Clone, Copy, Debug)]
pub struct Curvature {
    /// At each end.
    pub ends: [PlaceStiffness; ENDS],
    /// Position of the first end, position of the second.
    pub between: DMat3,
    /// Derivative p of an end, the own unknown of that end.
    pub p_own: [DVec3; ENDS],
    /// Own unknowns with themselves.
    pub own_own: [f64; ENDS],
}

impl Default for Curvature {
    fn default() -> Self {
        Self {
            ends: [PlaceStiffness::ZERO; ENDS],
            between: DMat3::ZERO,
            p_own: [DVec3::ZERO; ENDS],
            own_own: [0.0; ENDS],
        }
    }
}

impl Curvature {
    /// A stiffness against relative displacement of the ends.
    pub fn of_difference(k: DMat3) -> Self {
        let end = PlaceStiffness { xx: k, ..PlaceStiffness::ZERO };
        Self { ends: [end, end], between: -k, ..Self::default() }
    }
}
