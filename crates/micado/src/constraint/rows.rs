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
    /// Weights on the unknowns.
    pub place: Place,
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
        let x = place.position(q);
        if place.count < 4 {
            let (t, m1, m2) = (DVec3::X, DVec3::Y, DVec3::Z);
            return Self { place: *place, x, p: DVec3::ZERO, l: 1.0, t, m1, m2, roll: 0.0, own: state.own };
        }
        let p = place.derivative(q);
        let l = p.length();
        let t = p / l;
        let a1 = orthonormal_to(t, transport(DVec3::from_array(state.tangent), t, DVec3::from_array(state.director)));
        let a2 = t.cross(a1);
        let roll = place.roll(q);
        let (sin, cos) = libm::sincos(roll);
        let m1 = a1 * cos + a2 * sin;
        Self { place: *place, x, p, l, t, m1, m2: t.cross(m1), roll, own: state.own }
    }

    /// The frame [t m₁ m₂].
    pub fn frame(&self) -> DMat3 {
        DMat3::from_cols(self.t, self.m1, self.m2)
    }

    /// Three rows over the unknowns of local node `k`: how the frame turns, δφ = t×δx'/L + t δθ.
    pub fn rotation(&self, k: usize) -> [[f64; 4]; 3] {
        let (b, db) = (self.place.weights.b[k], self.place.weights.db[k]);
        std::array::from_fn(|r| {
            // e·(t×δp) = (e×t)·δp
            let across = DVec3::AXES[r].cross(self.t) * (db / self.l);
            [across.x, across.y, across.z, self.t[r] * b]
        })
    }
}

/// Linearised rows: J Δ = E.
#[derive(Clone, Copy, Debug)]
pub struct Rows {
    /// E = −g.
    pub violation: [f64; MAX_ROWS],
    /// J by row, local node and component (x, y, z, θ); an own unknown is the first component of the node after the place's.
    pub jacobian: [[[f64; 4]; MAX_NODES]; MAX_ROWS],
    /// Whether a row speaks of an angle, rad; the others speak of lengths, m.
    pub angle: [bool; MAX_ROWS],
}

impl Rows {
    /// No rows yet.
    pub const EMPTY: Self = Self { violation: [0.0; MAX_ROWS], jacobian: [[[0.0; 4]; MAX_NODES]; MAX_ROWS], angle: [false; MAX_ROWS] };

    /// Row r varies with the position by `n·δx`.
    pub fn position(&mut self, r: usize, site: &Site, n: DVec3) {
        self.spread(r, site, &site.place.weights.b, n);
    }

    /// Row r varies with the derivative by `n·δx'`.
    pub fn derivative(&mut self, r: usize, site: &Site, n: DVec3) {
        self.spread(r, site, &site.place.weights.db, n);
    }

    /// Row r is an angle that varies with the roll by `c δθ`.
    pub fn roll(&mut self, r: usize, site: &Site, c: f64) {
        self.angle[r] = true;
        for k in 0..site.place.count {
            self.jacobian[r][k][3] += site.place.weights.b[k] * c;
        }
    }

    /// Row r varies with the constraint's own unknown by `c δσ`.
    pub fn own(&mut self, r: usize, site: &Site, c: f64) {
        self.jacobian[r][site.place.count][0] += c;
    }

    /// Three rows from r: the rotation vector of the frame.
    pub fn rotation(&mut self, r: usize, site: &Site) {
        for k in 0..site.place.count {
            for (row, entries) in site.rotation(k).into_iter().enumerate() {
                self.jacobian[r + row][k] = entries;
            }
        }
        self.angle[r..r + 3].fill(true);
    }

    fn spread(&mut self, r: usize, site: &Site, weights: &[f64; 4], n: DVec3) {
        for k in 0..site.place.count {
            for a in 0..3 {
                self.jacobian[r][k][a] += weights[k] * n[a];
            }
        }
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
