//! Places: material points of objects, as functions of their unknowns.
//!
//! A place depends on up to four nodes of its object, with three weights each. Their meaning depends on the
//! kind of the place:
//!
//! ```text
//! at a point    x = Σ bᵢ xᵢ
//! on a curve    x = Σ bᵢ xᵢ    x' = Σ bᵢ' xᵢ    θ = Σ cᵢ θᵢ (+ the twist of a seam)
//! in a frame    x = c          φ: the rotation of the body          (two nodes: c, φ)
//!               x fixed        φ = t θ: a rotation about its axis   (one node: θ)
//! ```
//!
//! An arm r, fixed in the frame of a place on a curve or in a frame, leads to the held point y = x + r.
//!
//! A row has a force f and a moment m at y. [`Place::spread`] converts it to the unknowns: r×f is added to m,
//! and on a curve, where δφ = t×δx'/L + t δθ, m acts on x' as m×t/L and on θ as m·t. [`Place::motion`] is the
//! reverse. Weights are private: other code asks for J on a node ([`Place::on_node`]) or, where positions
//! alone matter, for shares of a force ([`Place::position_shares`]).

mod stiffness;
mod wrench;

pub use stiffness::{CrossStiffness, EndStiffness, SpreadStiffness};
pub use wrench::{PlaceMotion, SpreadRow, Wrench};

use super::{Object, Site};
use crate::geometry::basis::Weights;
use glam::{DQuat, DVec3};
use wrench::{NodeWeights, are_zero};

/// Meaning of the unknowns of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum PlaceKind {
    /// Weighted positions: a point mass, later a point of a solid.
    Point,
    /// A point of a curve with a tangent and, in most models, a roll.
    Curve,
    /// The pose that its object gives ([`Model::pose`](super::Model::pose)), with a position and a rotation
    /// as unknowns: a rigid body; or with an angle about its first axis: a wheel.
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
    /// Own axes of an anchor in the axes of its object, if it has any.
    pub axes: Option<DQuat>,
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
        axes: None,
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

    /// The same place on an object that nothing moves: no row acts on it.
    #[must_use]
    pub fn fixed(mut self) -> Self {
        (self.weights, self.roll) = (Self::NOWHERE.weights, [0.0; 4]);
        self
    }

    /// A place in a frame that turns about its first axis by the angle in node `angle`, its fourth scalar,
    /// with an arm in its axes.
    pub fn about_axis(angle: u32, arm: DVec3) -> Self {
        let mut place = Self { kind: PlaceKind::Frame, count: 1, arm, ..Self::NOWHERE };
        (place.nodes[0], place.roll[0]) = (angle, 1.0);
        place
    }

    /// Sets the axes of an anchor, by which the frame of the place is turned.
    #[must_use]
    pub fn with_axes(self, axes: Option<DQuat>) -> Self {
        Self { axes, ..self }
    }

    /// Moves the held point by an arm, given in the frame of the place.
    pub(crate) fn add_arm(&mut self, arm: DVec3) {
        self.arm += self.axes.map_or(arm, |axes| axes * arm);
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

    /// The part of a world array (four numbers per node) that starts at the first node of its object.
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
        let moved = self.nodes().iter().zip(&self.weights.b).filter(|(_, b)| **b != 0.0);
        moved.map(move |(&node, b)| b.powi(2) / mass(node))
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

    /// Whether its position is Σ bᵢ xᵢ: without an arm, and not in a frame.
    #[inline]
    pub fn is_at_weights(&self) -> bool {
        self.arm == DVec3::ZERO && self.kind != PlaceKind::Frame
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
            PlaceKind::Frame => self.derivative(v) + site.t * self.roll_rate(v),
            PlaceKind::Curve => site.t.cross(self.derivative(v)) / site.l + site.t * self.roll_rate(v),
        }
    }
}

#[cfg(test)]
mod tests;
