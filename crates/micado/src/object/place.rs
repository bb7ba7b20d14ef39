//! Places: material points of objects, as functions of their unknowns.
//!
//! A place depends on up to four nodes of its object, with three weights each. Their meaning depends on the
//! kind of the place:
//!
//! ```text
//! at a point    x = Σ bᵢ xᵢ
//! on a curve    x = Σ bᵢ xᵢ    x' = Σ bᵢ' xᵢ    θ = Σ cᵢ θᵢ (+ the twist of a seam)
//! in a frame    x = c          φ: the rotation of the body          (two nodes: c, φ)
//! ```
//!
//! An arm r, fixed in the frame of a place on a curve or in a frame, leads to the held point y = x + r.
//!
//! A row has a force f and a moment m at y. [`Place::spread`] converts it to the unknowns: r×f is added to m,
//! and on a curve, where δφ = t×δx'/L + t δθ, m acts on x' as m×t/L and on θ as m·t. [`Place::motion`] is the
//! reverse. Weights are private: other code asks for J on a node ([`Place::on_node`]) or, where positions
//! alone matter, for shares of a force ([`Place::position_shares`]).

use super::{Object, Site};
use crate::geometry::basis::Weights;
use crate::geometry::rotation::{cross_matrix, outer};
use glam::{DMat3, DVec3};

/// Meaning of the unknowns of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PlaceKind {
    /// Weighted positions: a point mass, later a point of a solid.
    Point,
    /// A point of a curve with a tangent and, in most models, a roll.
    Curve,
    /// A position and a rotation: a rigid body.
    Frame,
}

/// A material place of an object.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Place {
    /// Index of its object; [`Place::NO_OBJECT`] if it has none.
    pub object: u32,
    /// Meaning of its unknowns.
    pub kind: PlaceKind,
    /// Nodes, counted from the first of the object.
    nodes: [u32; 4],
    /// Number of nodes.
    count: u8,
    /// Weights b of positions, b' of slopes or rotations, and b''.
    weights: Weights,
    /// Weights c of the roll.
    roll: [f64; 4],
    /// From the place to the held point, in the axes of its frame, m.
    pub arm: DVec3,
    /// Segment on its curve.
    pub segment: usize,
    /// Coordinate within the segment, 0 to 1.
    pub fraction: f64,
    /// Roll added by the seam of a closed curve, rad.
    roll_offset: f64,
}

/// Distance from a bound, as a share of the length of the rod, below which a place is on it.
pub(crate) const SAME_PLACE: f64 = 1e-9;

/// Largest weight that counts as zero.
const NO_WEIGHT: f64 = 1e-14;

/// Force and moment of unit multiplier of a row at one end: `force·δy + moment·δφ`, and on curves `slope·δx'
/// + roll δθ`, which only the papers' rows and those on θ have.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench {
    /// Force.
    pub force: DVec3,
    /// Moment about the held point.
    pub moment: DVec3,
    /// On the derivative x' of a curve.
    pub slope: DVec3,
    /// On the roll of a curve.
    pub roll: f64,
}

impl Wrench {
    /// A force.
    pub fn force(force: DVec3) -> Self {
        Self { force, ..Self::default() }
    }

    /// A moment.
    pub fn moment(moment: DVec3) -> Self {
        Self { moment, ..Self::default() }
    }

    /// Whether it has no effect.
    #[inline]
    pub fn is_zero(&self) -> bool {
        let Self { force: f, moment: m, slope: s, roll } = self;
        are_zero(&[f.x, f.y, f.z, m.x, m.y, m.z, s.x, s.y, s.z, *roll])
    }

    /// `n·δx'`
    pub fn slope(slope: DVec3) -> Self {
        Self { slope, ..Self::default() }
    }

    /// `δθ`
    pub const ROLL: Self = Self { force: DVec3::ZERO, moment: DVec3::ZERO, slope: DVec3::ZERO, roll: 1.0 };
}

/// Whether all numbers are zero, from their bits without the signs: no branch for each.
#[inline]
fn are_zero<const N: usize>(numbers: &[f64; N]) -> bool {
    numbers.iter().fold(0, |bits, number| bits | number.to_bits()) << 1 == 0
}

impl std::ops::Neg for Wrench {
    type Output = Self;

    fn neg(self) -> Self {
        Self { force: -self.force, moment: -self.moment, slope: -self.slope, roll: -self.roll }
    }
}

impl std::ops::Add for Wrench {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            force: self.force + other.force,
            moment: self.moment + other.moment,
            slope: self.slope + other.slope,
            roll: self.roll + other.roll,
        }
    }
}

impl std::ops::Mul<f64> for Wrench {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self {
            force: self.force * factor,
            moment: self.moment * factor,
            slope: self.slope * factor,
            roll: self.roll * factor,
        }
    }
}

/// A wrench in the coordinates of a place, before the weights of its nodes: on x, on x' or φ, on θ.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpreadRow {
    /// On the position x.
    pub x: DVec3,
    /// On x' of a curve, on φ of a frame.
    pub p: DVec3,
    /// On the roll θ of a curve.
    pub theta: f64,
}

impl SpreadRow {
    /// Whether it acts on the position alone.
    #[inline]
    pub fn is_force(&self) -> bool {
        are_zero(&[self.p.x, self.p.y, self.p.z, self.theta])
    }

    /// Work in a motion.
    #[inline]
    pub fn along(&self, motion: &PlaceMotion) -> f64 {
        let mut sum = self.x.dot(motion.x);
        if let Some((p, theta)) = motion.turn {
            sum += self.p.dot(p) + self.theta * theta;
        }
        sum
    }
}

/// The weights of one node of a place: of x, of x' or φ, of θ.
#[derive(Clone, Copy, Debug)]
struct NodeWeights {
    x: f64,
    p: f64,
    theta: f64,
}

impl NodeWeights {
    /// J of a row on the four unknowns of the node.
    #[inline]
    fn on_node(self, row: &SpreadRow) -> [f64; 4] {
        let n = row.x * self.x + row.p * self.p;
        [n.x, n.y, n.z, self.theta * row.theta]
    }
}

/// Motion of a place in an increment of the unknowns: x, and x' (or φ) and θ if requested.
#[derive(Clone, Copy, Debug)]
pub struct PlaceMotion {
    /// Displacement of x, m.
    pub x: DVec3,
    /// Change of x', or rotation φ, and change of θ.
    pub turn: Option<(DVec3, f64)>,
}

/// Second-order terms −Σλ∂²g at one end of a constraint, in position and rotation (y, φ) of the held point: a
/// contribution to the stiffness.
#[derive(Clone, Copy, Debug)]
pub struct EndStiffness {
    /// y, y
    pub xx: DMat3,
    /// y, φ
    pub x_phi: DMat3,
    /// φ, φ
    pub phi_phi: DMat3,
    /// Total force of the rows on this end. With an arm it contributes a stiffness, because y is not an
    /// unknown. Laws leave it zero; stages set it where there is an arm.
    pub force: DVec3,
    /// Total moment about y of the rows on this end. On a curve a moment of fixed direction contributes a
    /// stiffness, because φ is not an unknown.
    pub moment: DVec3,
    /// x', x' of rows on a slope.
    pub slope_slope: DMat3,
}

impl Default for EndStiffness {
    fn default() -> Self {
        Self::ZERO
    }
}

impl EndStiffness {
    /// Zero. The default of a matrix would be the identity.
    pub const ZERO: Self = Self {
        xx: DMat3::ZERO,
        x_phi: DMat3::ZERO,
        phi_phi: DMat3::ZERO,
        force: DVec3::ZERO,
        moment: DVec3::ZERO,
        slope_slope: DMat3::ZERO,
    };

    /// Whether it acts between positions alone.
    fn is_translational(&self) -> bool {
        self.moment == DVec3::ZERO
            && [self.x_phi, self.phi_phi, self.slope_slope].iter().all(|part| *part == DMat3::ZERO)
    }

    /// Stiffness of a moment with a fixed direction in the world.
    pub fn of_fixed_moment(moment: DVec3) -> Self {
        Self { moment, ..Self::ZERO }
    }

    /// Converts it to (x, φ), y = x + r: δy = δx + δφ×r, and to second order −f·½φ×(φ×r), whose matrix is
    /// −H(f, r), H = ½(r fᵀ + f rᵀ) − (r·f) Id.
    #[must_use]
    fn about_carrier(&self, r: DVec3) -> Self {
        let (arm, f) = (cross_matrix(r), self.force);
        let bend = (outer(r, f) + outer(f, r)) * 0.5 - DMat3::from_diagonal(DVec3::splat(r.dot(f)));
        let turned = arm * self.x_phi;
        Self {
            x_phi: self.x_phi - self.xx * arm,
            phi_phi: self.phi_phi + turned + turned.transpose() - arm * self.xx * arm - bend,
            moment: self.moment + r.cross(f),
            ..*self
        }
    }
}

/// Second-order terms between the two ends of a constraint, in (x, φ) of both: rows of the first, columns of
/// the second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossStiffness {
    /// x of the first, x of the second.
    pub xx: DMat3,
    /// x of the first, φ of the second.
    pub x_phi: DMat3,
    /// φ of the first, x of the second.
    pub phi_x: DMat3,
    /// φ of the first, φ of the second.
    pub phi_phi: DMat3,
}

impl CrossStiffness {
    /// Zero.
    pub const ZERO: Self =
        Self { xx: DMat3::ZERO, x_phi: DMat3::ZERO, phi_x: DMat3::ZERO, phi_phi: DMat3::ZERO };

    /// Converts it to (x, φ) of both ends, y = x + r.
    #[must_use]
    fn about_carriers(&self, r: DVec3, s: DVec3) -> Self {
        if r == DVec3::ZERO && s == DVec3::ZERO {
            return *self;
        }
        let (arm, other) = (cross_matrix(r), cross_matrix(s));
        Self {
            xx: self.xx,
            x_phi: self.x_phi - self.xx * other,
            phi_x: self.phi_x + arm * self.xx,
            phi_phi: self.phi_phi + arm * self.x_phi - self.phi_x * other - arm * self.xx * other,
        }
    }

    /// Exchanges the ends.
    #[must_use]
    pub fn transposed(&self) -> Self {
        Self {
            xx: self.xx.transpose(),
            x_phi: self.phi_x.transpose(),
            phi_x: self.x_phi.transpose(),
            phi_phi: self.phi_phi.transpose(),
        }
    }
}

/// A stiffness between the coordinates (x, p, θ) of two places, or of one with itself; p is x' or φ.
#[derive(Clone, Copy, Debug)]
pub struct SpreadStiffness {
    /// Whether there are terms between x and p or θ.
    mixed: bool,
    xx: DMat3,
    xp: DMat3,
    px: DMat3,
    pp: DMat3,
    x_theta: DVec3,
    theta_x: DVec3,
    p_theta: DVec3,
    theta_p: DVec3,
    theta_theta: f64,
}

impl SpreadStiffness {
    /// Nothing. The default of a matrix would be the identity.
    const ZERO: Self = Self {
        mixed: false,
        xx: DMat3::ZERO,
        xp: DMat3::ZERO,
        px: DMat3::ZERO,
        pp: DMat3::ZERO,
        x_theta: DVec3::ZERO,
        theta_x: DVec3::ZERO,
        p_theta: DVec3::ZERO,
        theta_p: DVec3::ZERO,
        theta_theta: 0.0,
    };

    /// Adds the block between node `i` of the first place and node `j` of the second.
    pub fn add_block(
        &self,
        (first, i): (&Place, usize),
        (second, j): (&Place, usize),
        block: &mut [f64; 16],
    ) {
        let (i, j) = (first.weights(i), second.weights(j));
        let mut x = self.xx * (i.x * j.x) + self.pp * (i.p * j.p);
        let (mut column, mut row) = (self.p_theta * (i.p * j.theta), self.theta_p * (i.theta * j.p));
        if self.mixed {
            x += self.xp * (i.x * j.p) + self.px * (i.p * j.x);
            column += self.x_theta * (i.x * j.theta);
            row += self.theta_x * (i.theta * j.x);
        }
        for r in 0..3 {
            for c in 0..3 {
                block[4 * r + c] += x.col(c)[r];
            }
            block[4 * r + 3] += column[r];
            block[12 + r] += row[r];
        }
        block[15] += self.theta_theta * (i.theta * j.theta);
    }
}

impl Place {
    /// The object of a place that is on none.
    pub const NO_OBJECT: u32 = u32::MAX;

    /// No place.
    pub const NOWHERE: Self = Self {
        object: Self::NO_OBJECT,
        kind: PlaceKind::Point,
        nodes: [0; 4],
        count: 0,
        weights: Weights { b: [0.0; 4], db: [0.0; 4], ddb: [0.0; 4] },
        roll: [0.0; 4],
        arm: DVec3::ZERO,
        segment: 0,
        fraction: 0.0,
        roll_offset: 0.0,
    };

    /// Weighted positions of at most four nodes.
    pub fn at_point(nodes: &[u32], weights: &[f64]) -> Self {
        let mut place = Self::NOWHERE;
        for (k, (&node, &weight)) in nodes.iter().zip(weights).take(4).enumerate() {
            (place.nodes[k], place.weights.b[k]) = (node, weight);
            place.count += 1;
        }
        place
    }

    /// A place on a curve at coordinate `fraction` of `segment`: weights of x, x' and x'', of the roll, and
    /// the roll added by a seam.
    pub fn on_curve(
        nodes: [u32; 4],
        weights: Weights,
        (roll, roll_offset): ([f64; 4], f64),
        segment: usize,
        fraction: f64,
    ) -> Self {
        let kind = PlaceKind::Curve;
        Self { kind, nodes, count: 4, weights, roll, segment, fraction, roll_offset, ..Self::NOWHERE }
    }

    /// A place in the frame of a body with its position in node `position` and its rotation in node
    /// `rotation`, with an arm in its axes.
    pub fn in_frame(position: u32, rotation: u32, arm: DVec3) -> Self {
        let mut place = Self { kind: PlaceKind::Frame, count: 2, arm, ..Self::NOWHERE };
        (place.nodes[0], place.nodes[1]) = (position, rotation);
        (place.weights.b[0], place.weights.db[1]) = (1.0, 1.0);
        place
    }

    /// Sets the index of its object.
    #[must_use]
    pub fn of_object(mut self, object: usize) -> Self {
        self.object = object as u32;
        self
    }

    /// Index of its object.
    pub fn object(&self) -> Option<usize> {
        (self.object != Self::NO_OBJECT).then_some(self.object as usize)
    }

    /// Whether it is on an object.
    pub fn is_somewhere(&self) -> bool {
        self.count > 0
    }

    /// Its nodes, counted from the first of its object.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..self.count as usize]
    }

    /// An array of the world, four numbers per node, from the first node of its object on.
    #[inline]
    pub fn slice<'a>(&self, objects: &[Object], all: &'a [f64]) -> &'a [f64] {
        self.object().map_or(&[], |object| &all[4 * objects[object].first..])
    }

    #[inline]
    fn weights(&self, k: usize) -> NodeWeights {
        NodeWeights { x: self.weights.b[k], p: self.weights.db[k], theta: self.roll[k] }
    }

    /// J of a row on the four unknowns of its node k.
    #[inline]
    pub fn on_node(&self, k: usize, row: &SpreadRow) -> [f64; 4] {
        self.weights(k).on_node(row)
    }

    /// Adds J of rows on its node k to columns of a block, from `column` on.
    #[inline]
    pub fn add_columns(&self, k: usize, rows: &[SpreadRow], column: usize, block: &mut [f64; 16]) {
        let weights = self.weights(k);
        for (c, row) in (column..4).zip(rows) {
            // The remainder shows the compiler that no column is out of bounds.
            let (entries, c) = (weights.on_node(row), c % 4);
            block[c] += entries[0];
            block[4 + c] += entries[1];
            block[8 + c] += entries[2];
            block[12 + c] += entries[3];
        }
    }

    /// Adds J of rows that are forces on x, on its node k, to columns of a block, from `column` on.
    #[inline]
    pub fn add_forces(
        &self,
        k: usize,
        forces: impl Iterator<Item = DVec3>,
        column: usize,
        block: &mut [f64; 16],
    ) {
        let share = self.weights.b[k];
        for (c, force) in (column..4).zip(forces) {
            let (entries, c) = (force * share, c % 4);
            block[c] += entries.x;
            block[4 + c] += entries.y;
            block[8 + c] += entries.z;
        }
    }

    /// ∂x/∂xᵢ of its four nodes, of which those it doesn't have are zero: the shares of a force or a mass.
    #[inline]
    pub fn position_shares(&self) -> &[f64; 4] {
        &self.weights.b
    }

    /// A vector on x', on the position of its node k.
    #[inline]
    pub fn slope_on_node(&self, k: usize, on_slope: DVec3) -> DVec3 {
        on_slope * self.weights.db[k]
    }

    /// Terms bᵢ²/mᵢ of its mobility, the acceleration of x per unit force there, 1/kg; `mass` is that of a
    /// node, counted from the first of its object.
    pub(crate) fn mobility_terms(&self, mass: impl Fn(u32) -> f64) -> impl Iterator<Item = f64> {
        self.nodes().iter().zip(&self.weights.b).map(move |(&node, b)| b.powi(2) / mass(node))
    }

    /// The first of its nodes whose angle turns it, counted from the first of its object.
    pub(crate) fn roll_node(&self) -> Option<u32> {
        self.nodes().iter().zip(&self.roll).find(|(_, weight)| **weight != 0.0).map(|(&node, _)| node)
    }

    /// Whether its position, or its frame if `frame`, depends on node k. At the end of a rod the position
    /// depends on one node, the frame on two.
    pub fn touches(&self, k: usize, frame: bool) -> bool {
        self.touched(frame) >> k & 1 == 1
    }

    /// Bit mask of the nodes on which it depends.
    pub(crate) fn touched(&self, frame: bool) -> u32 {
        // Weights are of order one.
        let mask = |weights: &[f64; 4]| {
            (0..4).fold(0, |mask, k| mask | (u32::from(weights[k].abs() > NO_WEIGHT) << k))
        };
        let turns = frame || !are_zero(self.arm.as_ref());
        mask(&self.weights.b) | if turns { mask(&self.weights.db) | mask(&self.roll) } else { 0 }
    }

    /// Whether it has a frame.
    pub fn has_frame(&self) -> bool {
        self.count > 0 && self.kind != PlaceKind::Point
    }

    /// Whether its position depends on a frame that its object doesn't store: with an arm on a curve. Then
    /// the owner of the place stores an [`EndFrame`](super::EndFrame).
    #[inline]
    pub fn needs_frame(&self) -> bool {
        self.kind == PlaceKind::Curve && self.arm != DVec3::ZERO
    }

    /// Whether it is on a curve without frames and roll.
    pub fn is_without_roll(&self) -> bool {
        self.kind == PlaceKind::Curve && self.roll == [0.0; 4]
    }

    /// Whether two places of the same nodes have the same weights of positions.
    pub(crate) fn coincides(&self, other: &Self) -> bool {
        let same = |(a, b): (&f64, &f64)| (a - b).abs() < SAME_PLACE;
        self.object == other.object
            && self.nodes() == other.nodes()
            && self.weights.b.iter().zip(&other.weights.b).all(same)
            && self.arm == other.arm
    }

    /// x = Σ bᵢ xᵢ; `q` is the object's own slice, here and below.
    pub fn position(&self, q: &[f64]) -> DVec3 {
        self.sum(q, &self.weights.b)
    }

    /// x' = Σ bᵢ' xᵢ of a curve.
    pub fn derivative(&self, q: &[f64]) -> DVec3 {
        self.sum(q, &self.weights.db)
    }

    /// x'' = Σ bᵢ'' xᵢ of a curve.
    pub fn second_derivative(&self, q: &[f64]) -> DVec3 {
        self.sum(q, &self.weights.ddb)
    }

    /// Σ wᵢ xᵢ over the place's nodes.
    fn sum(&self, q: &[f64], w: &[f64; 4]) -> DVec3 {
        let q: &[[f64; 4]] = q.as_chunks().0;
        let mut sum = DVec3::ZERO;
        for (&node, &w) in self.nodes().iter().zip(w) {
            let [x, y, z, _] = q[node as usize];
            sum += DVec3::new(x, y, z) * w;
        }
        sum
    }

    /// x, x' and θ in one pass over the nodes.
    #[inline]
    pub(crate) fn all(&self, q: &[f64]) -> (DVec3, DVec3, f64) {
        let q: &[[f64; 4]] = q.as_chunks().0;
        let (mut position, mut derivative, mut roll) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for k in 0..(self.count as usize).min(4) {
            let [x, y, z, theta] = q[self.nodes[k] as usize];
            let point = DVec3::new(x, y, z);
            position += point * self.weights.b[k];
            derivative += point * self.weights.db[k];
            roll += theta * self.roll[k];
        }
        (position, derivative, self.roll_offset + roll)
    }

    /// θ = Σ cᵢ θᵢ of a curve, including the seam.
    pub fn roll(&self, q: &[f64]) -> f64 {
        self.roll_offset + self.roll_rate(q)
    }

    /// Σ cᵢ δθᵢ of an increment or velocity.
    fn roll_rate(&self, delta: &[f64]) -> f64 {
        let node = |k: usize| delta[4 * self.nodes[k] as usize + 3] * self.roll[k];
        (0..self.count as usize).map(node).sum::<f64>()
    }

    /// Its motion in an increment of the unknowns, or its velocity; `turn`: including its rotation.
    pub fn motion(&self, delta: &[f64], turn: bool) -> PlaceMotion {
        let turns = || (self.sum(delta, &self.weights.db), self.roll_rate(delta));
        PlaceMotion { x: self.position(delta), turn: (turn || self.arm != DVec3::ZERO).then(turns) }
    }

    /// Angular velocity of its frame for velocities `v`, rad/s: t×ẋ'/L + t θ̇ on a curve.
    pub fn spin(&self, v: &[f64], site: &Site) -> DVec3 {
        match self.kind {
            PlaceKind::Point => DVec3::ZERO,
            PlaceKind::Frame => self.derivative(v),
            PlaceKind::Curve => site.t.cross(self.derivative(v)) / site.l + site.t * self.roll_rate(v),
        }
    }

    /// The wrench of a row in the coordinates of the place.
    #[inline]
    pub fn spread(&self, wrench: &Wrench, site: &Site) -> SpreadRow {
        let Wrench { force, moment, slope, roll } = *wrench;
        let moment = if are_zero(site.arm.as_ref()) { moment } else { moment + site.arm.cross(force) };
        match self.kind {
            PlaceKind::Point => SpreadRow { x: force, ..SpreadRow::default() },
            PlaceKind::Frame => SpreadRow { x: force, p: moment, theta: 0.0 },
            PlaceKind::Curve if are_zero(moment.as_ref()) => SpreadRow { x: force, p: slope, theta: roll },
            // m·δφ with δφ = t×δx'/L + t δθ; m·(t×δx') = (m×t)·δx'
            PlaceKind::Curve => SpreadRow {
                x: force,
                p: moment.cross(site.t) / site.l + slope,
                theta: moment.dot(site.t) + roll,
            },
        }
    }

    /// Adds the generalised force of a wrench to the object's own slice.
    pub fn add_wrench(&self, wrench: &Wrench, site: &Site, force: &mut [f64]) {
        let spread = self.spread(wrench, site);
        let turns = spread.p != DVec3::ZERO || spread.theta != 0.0;
        for k in 0..self.count as usize {
            let node = 4 * self.nodes[k] as usize;
            for a in 0..3 {
                force[node + a] += self.weights.b[k] * spread.x[a];
            }
            if turns {
                for a in 0..3 {
                    force[node + a] += self.weights.db[k] * spread.p[a];
                }
                force[node + 3] += self.roll[k] * spread.theta;
            }
        }
    }

    /// G of φ = G (p, θ): converts moments and rotations of a frame to coordinates of the place.
    fn turning(&self, site: &Site) -> (DMat3, DVec3) {
        match self.kind {
            PlaceKind::Point => (DMat3::ZERO, DVec3::ZERO),
            PlaceKind::Frame => (DMat3::IDENTITY, DVec3::ZERO),
            PlaceKind::Curve => (cross_matrix(site.t) * (1.0 / site.l), site.t),
        }
    }

    /// Second-order terms of one end in the coordinates of the place.
    pub fn spread_stiffness(&self, stiffness: &EndStiffness, site: &Site) -> SpreadStiffness {
        if stiffness.is_translational() && site.arm == DVec3::ZERO {
            return SpreadStiffness { xx: stiffness.xx, ..SpreadStiffness::ZERO };
        }
        let (g, spin) = self.turning(site);
        let stiffness = &if site.arm == DVec3::ZERO { *stiffness } else { stiffness.about_carrier(site.arm) };
        let mut spread = spread_between(
            &CrossStiffness {
                xx: stiffness.xx,
                x_phi: stiffness.x_phi,
                phi_x: stiffness.x_phi.transpose(),
                phi_phi: stiffness.phi_phi,
            },
            (g, spin),
            (g, spin),
        );
        if self.kind == PlaceKind::Curve {
            let (t, l, m) = (site.t, site.l, stiffness.moment);
            // Symmetric part of the derivative of the generalised force (m×t)/L, m·t by x' and θ.
            let across = m.cross(t);
            spread.pp += (outer(across, t) + outer(t, across)) * (1.0 / (l * l)) + stiffness.slope_slope;
            let p_theta = -(m - t * m.dot(t)) * (0.5 / l);
            spread.p_theta += p_theta;
            spread.theta_p += p_theta;
        }
        spread
    }

    /// Second-order terms between this place and another in their coordinates.
    pub fn spread_cross(
        &self,
        site: &Site,
        other: &Self,
        at: &Site,
        stiffness: &CrossStiffness,
    ) -> SpreadStiffness {
        let about = stiffness.about_carriers(site.arm, at.arm);
        spread_between(&about, self.turning(site), other.turning(at))
    }
}

/// K between (x, φ) of two places in (x, p, θ) of both, φ = G p + s θ.
fn spread_between(k: &CrossStiffness, (g, s): (DMat3, DVec3), (h, u): (DMat3, DVec3)) -> SpreadStiffness {
    if k.x_phi == DMat3::ZERO && k.phi_x == DMat3::ZERO && k.phi_phi == DMat3::ZERO {
        return SpreadStiffness { xx: k.xx, ..SpreadStiffness::ZERO };
    }
    SpreadStiffness {
        mixed: true,
        xx: k.xx,
        xp: k.x_phi * h,
        px: g.transpose() * k.phi_x,
        pp: g.transpose() * k.phi_phi * h,
        x_theta: k.x_phi * u,
        theta_x: k.phi_x.transpose() * s,
        p_theta: g.transpose() * (k.phi_phi * u),
        theta_p: h.transpose() * (k.phi_phi.transpose() * s),
        theta_theta: s.dot(k.phi_phi * u),
    }
}

#[cfg(test)]
mod tests {
    use super::{CrossStiffness, EndStiffness, Place, PlaceKind, SpreadStiffness, Wrench};
    use crate::geometry::basis::SegmentBasis;
    use crate::geometry::rotation::{exp, orthonormal_to, outer};
    use crate::object::{EndFrame, Site};
    use glam::DVec3;

    /// Numbers between −1 and 1.
    fn noise(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    fn vector(seed: &mut u64) -> DVec3 {
        DVec3::new(noise(seed), noise(seed), noise(seed))
    }

    /// A place of every kind, with an arm where possible, and unknowns for it. The rotation unknowns of a
    /// body are the rotation vector from the initial pose of the test.
    fn cases(seed: &mut u64) -> Vec<(Place, Vec<f64>)> {
        let basis = SegmentBasis::HERMITE.weights(0.3);
        let nodes = [0, 1, 2, 3];
        let straight = |i: usize| [0.4 * i as f64, 0.0, 0.0, 0.1];
        let mut all = Vec::new();
        for bend in [1e-3, 0.5] {
            for arm in [DVec3::ZERO, vector(seed)] {
                let curve = Place::on_curve(nodes, basis, (basis.b, 0.2), 0, 0.3);
                let q = (0..4).flat_map(|i| straight(i).map(|x| x + bend * noise(seed))).collect();
                all.push((Place { arm, ..curve }, q));
                all.push((
                    Place::in_frame(0, 1, arm),
                    [vector(seed).to_array(), [0.0; 3]]
                        .iter()
                        .flat_map(|x| [x[0], x[1], x[2], 0.0])
                        .collect(),
                ));
            }
            let q = (0..12).map(|_| noise(seed)).collect();
            all.push((Place::at_point(&[0, 1, 2], &[0.2, 0.3, 0.5]), q));
        }
        all
    }

    /// The initial frame of a place.
    fn frame(place: &Place, q: &[f64]) -> EndFrame {
        let t = if place.kind == PlaceKind::Curve { place.derivative(q).normalize() } else { DVec3::X };
        EndFrame { tangent: t.to_array(), director: orthonormal_to(t, DVec3::new(0.2, 0.5, 0.9)).to_array() }
    }

    fn site(place: &Place, q: &[f64], frame: &EndFrame) -> Site {
        match place.kind {
            PlaceKind::Point => Site::without_frame(place, q),
            PlaceKind::Curve => Site::on_curve(place, q, frame),
            PlaceKind::Frame => {
                Site::in_frame(place, place.position(q), exp(place.derivative(q)) * exp(DVec3::ONE))
            }
        }
    }

    /// Rotation of a site since `before`, for small rotations.
    fn turn(before: &Site, after: &Site) -> DVec3 {
        let r = after.frame() * before.frame().transpose();
        DVec3::new(r.y_axis.z - r.z_axis.y, r.z_axis.x - r.x_axis.z, r.x_axis.y - r.y_axis.x) * 0.5
    }

    /// J of a wrench in the unknowns of a place.
    fn jacobian(place: &Place, q: &[f64], frame: &EndFrame, wrench: &Wrench) -> Vec<f64> {
        let mut force = vec![0.0; q.len()];
        place.add_wrench(wrench, &site(place, q, frame), &mut force);
        force
    }

    #[test]
    fn wrench_does_work_on_the_motion_of_its_place() {
        let (mut seed, mut checks) = (7, 0);
        for (place, q) in cases(&mut seed) {
            let (frame, step) = (frame(&place, &q), 1e-6);
            let wrench = Wrench { force: vector(&mut seed), moment: vector(&mut seed), ..Wrench::default() };
            let here = site(&place, &q, &frame);
            let says = jacobian(&place, &q, &frame, &wrench);
            for i in (0..q.len()).filter(|i| place.kind == PlaceKind::Curve || i % 4 < 3) {
                let moved = [step, -step].map(|by| {
                    let mut q = q.clone();
                    q[i] += by;
                    let there = site(&place, &q, &frame);
                    let turned = if place.has_frame() { turn(&here, &there) } else { DVec3::ZERO };
                    wrench.force.dot(there.x - here.x) + wrench.moment.dot(turned)
                });
                let work = (moved[0] - moved[1]) / (2.0 * step);
                // Rounding 1e-16/1e-6 and third derivatives of size 10 times 1e-12.
                assert!((work - says[i]).abs() < 1e-8, "{place:?}, unknown {i}: {work} {}", says[i]);
                checks += 1;
            }
            // Compare with the motion of the place.
            let increment: Vec<f64> = (0..q.len()).map(|_| noise(&mut seed)).collect();
            let along = place.spread(&wrench, &here).along(&place.motion(&increment, true));
            let work: f64 = says.iter().zip(&increment).map(|(j, d)| j * d).sum();
            assert!((along - work).abs() < 1e-12, "{place:?}: {along} {work}");
        }
        assert_eq!(checks, 2 * (2 * 16 + 2 * 6 + 9));
    }

    /// The symmetric part of −∂(Jᵀλ)/∂q of a wrench with fixed force and moment in the world.
    fn slope(place: &Place, q: &[f64], frame: &EndFrame, wrench: &Wrench) -> Vec<Vec<f64>> {
        let n = q.len();
        let column = |j: usize| {
            let step = 1e-5;
            let [after, before] = [step, -step].map(|by| {
                let mut moved = q.to_vec();
                moved[j] += by;
                let mut force = jacobian(place, &moved, frame, wrench);
                if place.kind == PlaceKind::Frame {
                    // For a body J refers to the increment from the present pose; the rotation vector from
                    // the first pose adds a factor J_l(φ), I + ½[φ] to first order.
                    let m = DVec3::from_slice(&force[4..]);
                    let half = place.derivative(&moved) * 0.5;
                    force[4..7].copy_from_slice(&(m - half.cross(m)).to_array());
                }
                force
            });
            (0..n).map(|i| -(after[i] - before[i]) / (2.0 * step)).collect::<Vec<f64>>()
        };
        let columns: Vec<Vec<f64>> = (0..n).map(column).collect();
        (0..n).map(|i| (0..n).map(|j| 0.5 * (columns[j][i] + columns[i][j])).collect()).collect()
    }

    fn assemble(stiffness: &SpreadStiffness, a: &Place, b: &Place) -> Vec<Vec<f64>> {
        let (rows, columns) = (4 * a.nodes().len(), 4 * b.nodes().len());
        let mut all = vec![vec![0.0; columns]; rows];
        for i in 0..a.nodes().len() {
            for j in 0..b.nodes().len() {
                let mut block = [0.0; 16];
                stiffness.add_block((a, i), (b, j), &mut block);
                for (r, c) in (0..4).flat_map(|r| (0..4).map(move |c| (r, c))) {
                    all[4 * i + r][4 * j + c] += block[4 * r + c];
                }
            }
        }
        all
    }

    #[test]
    fn fixed_wrench_has_the_stiffness_of_its_arm_and_curve() {
        let (mut seed, mut checks) = (11, 0);
        for (place, q) in cases(&mut seed) {
            let frame = frame(&place, &q);
            let (force, moment) = (vector(&mut seed), vector(&mut seed));
            let wrench = Wrench { force, moment, ..Wrench::default() };
            let stiffness = EndStiffness { force, moment, ..EndStiffness::ZERO };
            let says =
                assemble(&place.spread_stiffness(&stiffness, &site(&place, &q, &frame)), &place, &place);
            let slope = slope(&place, &q, &frame, &wrench);
            let size = slope.iter().flatten().fold(1.0_f64, |most, x| most.max(x.abs()));
            for (i, j) in (0..q.len()).flat_map(|i| (0..q.len()).map(move |j| (i, j))) {
                // Differences have errors of 1e-10 times third derivatives, and rounding of 1e-16/1e-5.
                assert!(
                    (says[i][j] - slope[i][j]).abs() < 1e-7 * size,
                    "{place:?} {i} {j}: {} {}",
                    says[i][j],
                    slope[i][j]
                );
                checks += usize::from(slope[i][j].abs() > 1e-3);
            }
        }
        assert!(checks > 300, "{checks}");
    }

    #[test]
    fn terms_between_two_ends_follow_their_arms_and_curves() {
        // K = −λ Γᵀ(…)Γ of a spring between two points: ½ k (n·(y_A − y_B))² with a fixed n has the Hessian
        // k ΓᵀnnᵀΓ, which the four blocks must give in the unknowns of both.
        let mut seed = 23;
        let all = cases(&mut seed);
        let mut checks = 0;
        for ((a, qa), (b, qb)) in all.iter().zip(all.iter().skip(1)) {
            let [site_a, site_b] = [(a, qa), (b, qb)].map(|(place, q)| site(place, q, &frame(place, q)));
            let n = vector(&mut seed);
            let cross = CrossStiffness { xx: -outer(n, n), ..CrossStiffness::ZERO };
            let says = assemble(&a.spread_cross(&site_a, b, &site_b, &cross), a, b);
            let back = assemble(&b.spread_cross(&site_b, a, &site_a, &cross.transposed()), b, a);
            let [ja, jb] =
                [(a, qa), (b, qb)].map(|(place, q)| jacobian(place, q, &frame(place, q), &Wrench::force(n)));
            for (i, j) in (0..ja.len()).flat_map(|i| (0..jb.len()).map(move |j| (i, j))) {
                assert!((says[i][j] + ja[i] * jb[j]).abs() < 1e-12, "{i} {j}");
                assert!((says[i][j] - back[j][i]).abs() < 1e-12, "{i} {j}");
                checks += usize::from(says[i][j].abs() > 1e-3);
            }
            // A moment between the frames: m_Aᵀ K m_B.
            let (m, o) = (vector(&mut seed), vector(&mut seed));
            let cross = CrossStiffness { phi_phi: outer(m, o), ..CrossStiffness::ZERO };
            let says = assemble(&a.spread_cross(&site_a, b, &site_b, &cross), a, b);
            let ja = jacobian(a, qa, &frame(a, qa), &Wrench::moment(m));
            let jb = jacobian(b, qb, &frame(b, qb), &Wrench::moment(o));
            for (i, j) in (0..ja.len()).flat_map(|i| (0..jb.len()).map(move |j| (i, j))) {
                assert!((says[i][j] - ja[i] * jb[j]).abs() < 1e-12, "{i} {j}");
            }
        }
        assert!(checks > 300, "{checks}");
    }
}
