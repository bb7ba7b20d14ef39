//! What a constraint says to the linear system: rows, violation, curvature; and what it sees: its site.

use crate::geometry::rotation::{orthonormal_to, transport};
use crate::rod::spline::Place;
use glam::{DMat3, DVec3};
use serde::{Deserialize, Serialize};

/// Most rows of one constraint: two dual nodes of four.
pub const MAX_ROWS: usize = 8;
/// Most nodes that one constraint touches: four control points and one unknown of its own.
pub const MAX_NODES: usize = 5;

/// What a constraint remembers from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConstraintState {
    /// Tangent for which the frame was made.
    pub tangent: [f64; 3],
    /// Reference director a₁ at the constrained place, carried along in time without spin.
    pub director: [f64; 3],
    /// Unknown of its own (the parameter on a trajectory).
    pub own: f64,
    /// Multipliers of the last solve: what the rows push with.
    pub multipliers: [f64; MAX_ROWS],
}

/// The constrained place as it is now.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Position, m.
    pub x: DVec3,
    /// x' = dx/du; zero on a mass.
    pub p: DVec3,
    /// |x'|
    pub l: f64,
    /// Unit tangent.
    pub t: DVec3,
    /// Directors m₁, m₂.
    pub m1: DVec3,
    /// t × m₁
    pub m2: DVec3,
    /// Roll θ against the reference that is carried along in time without spin, rad: it counts whole turns.
    pub roll: f64,
    /// The constraint's own unknown.
    pub own: f64,
}

impl Site {
    /// The site at the unknowns `q` of the whole system, with the frame carried from the remembered tangent.
    pub fn new(place: &Place, q: &[f64], state: &ConstraintState) -> Self {
        let site = Self::without_frame(place, q, state);
        if place.count < 4 {
            return site;
        }
        let p = place.derivative(q);
        let l = p.length();
        let t = p / l;
        let a1 = orthonormal_to(t, transport(DVec3::from_array(state.tangent), t, DVec3::from_array(state.director)));
        let a2 = t.cross(a1);
        let roll = place.roll(q);
        let (sin, cos) = libm::sincos(roll);
        let m1 = a1 * cos + a2 * sin;
        Self { p, l, t, m1, m2: t.cross(m1), roll, ..site }
    }

    /// The site for constraints that ask for its position only.
    pub fn without_frame(place: &Place, q: &[f64], state: &ConstraintState) -> Self {
        let (t, m1, m2) = (DVec3::X, DVec3::Y, DVec3::Z);
        Self { x: place.position(q), p: DVec3::ZERO, l: 1.0, t, m1, m2, roll: 0.0, own: state.own }
    }

    /// The frame [t m₁ m₂].
    pub fn frame(&self) -> DMat3 {
        DMat3::from_cols(self.t, self.m1, self.m2)
    }

    /// Three rows: how the frame turns, δφ = t×δx'/L + t δθ.
    pub fn rotation(&self) -> [Row; 3] {
        // e·(t×δp) = (e×t)·δp
        std::array::from_fn(|k| Row { theta: self.t[k], ..Row::turn(DVec3::AXES[k].cross(self.t) / self.l, 0.0) })
    }
}

/// One linearised row: J Δ = E.
///
/// It says what it varies with at its place, `x·δx + p·δx' + theta δθ + own δσ`; weights on control points come later.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// E = −g.
    pub violation: f64,
    /// On the position.
    pub x: DVec3,
    /// On the derivative x'.
    pub p: DVec3,
    /// On the roll.
    pub theta: f64,
    /// On the constraint's own unknown.
    pub own: f64,
    /// Whether it speaks of an angle, rad, or of a length, m.
    pub angle: bool,
}

impl Row {
    /// The row `n·δx = violation`, m.
    pub fn position(n: DVec3, violation: f64) -> Self {
        Self { violation, x: n, ..Self::default() }
    }

    /// The row `n·δx' = violation`, m.
    pub fn derivative(n: DVec3, violation: f64) -> Self {
        Self { violation, p: n, ..Self::default() }
    }

    /// The row `n·δx' = violation`, rad.
    pub fn turn(n: DVec3, violation: f64) -> Self {
        Self { violation, p: n, angle: true, ..Self::default() }
    }

    /// J on the four unknowns of the place's node k.
    pub fn on_node(&self, place: &Place, k: usize) -> [f64; 4] {
        let (b, db) = (place.weights.b[k], place.weights.db[k]);
        let n = self.x * b + self.p * db;
        [n.x, n.y, n.z, b * self.theta]
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

    /// Adds three rows `δx = violation`.
    pub(super) fn push_position(&mut self, violation: DVec3) {
        for (k, axis) in DVec3::AXES.into_iter().enumerate() {
            self.push(Row::position(axis, violation[k]));
        }
    }

    /// Adds three rows `δx' = violation`.
    pub(super) fn push_derivative(&mut self, violation: DVec3) {
        for (k, axis) in DVec3::AXES.into_iter().enumerate() {
            self.push(Row::derivative(axis, violation[k]));
        }
    }

    /// Adds three rows on the rotation vector of the frame.
    pub(super) fn push_rotation(&mut self, site: &Site, violation: DVec3) {
        for (row, violation) in site.rotation().into_iter().zip(violation.to_array()) {
            self.push(Row { violation, ..row });
        }
    }
}

impl std::ops::Deref for Rows {
    type Target = [Row];

    fn deref(&self) -> &[Row] {
        &self.rows[..self.count]
    }
}

/// Second-order terms at a place: what is added to the stiffness, in position x, derivative p = x', roll θ and own unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlaceStiffness {
    /// x, x
    pub xx: DMat3,
    /// p, p
    pub pp: DMat3,
    /// p, θ
    pub p_theta: DVec3,
    /// own, own
    pub own_own: f64,
}

impl PlaceStiffness {
    /// Nothing.
    pub const ZERO: Self = Self { xx: DMat3::ZERO, pp: DMat3::ZERO, p_theta: DVec3::ZERO, own_own: 0.0 };

    /// The symmetric part of the stiffness of a moment `m` that keeps its direction in the world:
    /// its generalised force is (m×t)/L on p and m·t on θ.
    pub fn of_fixed_moment(m: DVec3, t: DVec3, l: f64) -> Self {
        let across = m.cross(t);
        Self {
            pp: (crate::geometry::rotation::outer(across, t) + crate::geometry::rotation::outer(t, across)) * (1.0 / (l * l)),
            p_theta: -(m - t * m.dot(t)) * (0.5 / l),
            ..Self::ZERO
        }
    }

    /// Adds the block (i, j) of local nodes of a place with these weights.
    pub(crate) fn add_block(&self, weights: &crate::geometry::basis::Weights, i: usize, j: usize, block: &mut [f64; 16]) {
        let (b, db) = (&weights.b, &weights.db);
        let x = self.xx * (b[i] * b[j]) + self.pp * (db[i] * db[j]);
        let (row, column) = (self.p_theta * (db[i] * b[j]), self.p_theta * (b[i] * db[j]));
        for r in 0..3 {
            for c in 0..3 {
                block[4 * r + c] += x.col(c)[r];
            }
            block[4 * r + 3] += row[r];
            block[12 + r] += column[r];
        }
    }
}
