//! Places on a rod, as its unknowns carry them.

use crate::geometry::basis::Weights;
use glam::DVec3;

/// A material place: sparse weights on the unknowns of at most four nodes.
///
/// x = Σ bᵢ xᵢ, x' = Σ bᵢ' xᵢ, x'' = Σ bᵢ'' xᵢ, θ = Σ cᵢ θᵢ (plus the seam's twist in a closed rod); c = b in
/// a spline. A point mass is a place with one node of weight one.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Place {
    /// Node of each weight, counted in the whole system.
    pub nodes: [u32; 4],
    /// How many of the four are used.
    pub count: usize,
    /// Basis values and derivatives.
    pub weights: Weights,
    /// Weights c of the roll.
    pub roll: [f64; 4],
    /// Segment on its rod.
    pub segment: usize,
    /// Coordinate within the segment, 0 to 1.
    pub fraction: f64,
    /// What the seam of a closed rod adds to the roll.
    pub roll_offset: f64,
}

/// Places nearer to a bound than this share of their rod's length lie on it.
pub(crate) const SAME_PLACE: f64 = 1e-9;

/// What is left of a weight that is zero.
const NO_WEIGHT: f64 = 1e-14;

impl Place {
    /// No place at all.
    pub const NOWHERE: Self = Self {
        nodes: [0; 4],
        count: 0,
        weights: Weights { b: [0.0; 4], db: [0.0; 4], ddb: [0.0; 4] },
        roll: [0.0; 4],
        segment: 0,
        fraction: 0.0,
        roll_offset: 0.0,
    };

    /// A place that is a node of its own.
    pub fn of_node(node: usize) -> Self {
        let mut weights = Weights::default();
        weights.b[0] = 1.0;
        Self {
            nodes: [node as u32; 4],
            count: 1,
            weights,
            roll: [0.0; 4],
            segment: 0,
            fraction: 0.0,
            roll_offset: 0.0,
        }
    }

    /// Nodes that carry it.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..self.count]
    }

    /// Whether the position there, or the frame if that is asked for, depends on node k. At the end of a rod
    /// the position depends on one node, the frame on two.
    pub fn touches(&self, k: usize, frame: bool) -> bool {
        // Weights are of size one.
        self.weights.b[k].abs() > NO_WEIGHT
            || (frame && (self.weights.db[k].abs() > NO_WEIGHT || self.roll[k].abs() > NO_WEIGHT))
    }

    /// Whether it belongs to a rod without frames, which has no roll.
    pub fn is_without_roll(&self) -> bool {
        self.count == 4 && self.roll == [0.0; 4]
    }

    /// x = Σ bᵢ xᵢ; `q` is the whole system's.
    pub fn position(&self, q: &[f64]) -> DVec3 {
        self.sum(q, &self.weights.b)
    }

    /// x' = Σ bᵢ' xᵢ.
    pub fn derivative(&self, q: &[f64]) -> DVec3 {
        self.sum(q, &self.weights.db)
    }

    /// Σ wᵢ xᵢ over the place's nodes.
    pub fn sum(&self, q: &[f64], w: &[f64; 4]) -> DVec3 {
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
        for k in 0..self.count.min(4) {
            let [x, y, z, theta] = q[self.nodes[k] as usize];
            let point = DVec3::new(x, y, z);
            position += point * self.weights.b[k];
            derivative += point * self.weights.db[k];
            roll += theta * self.roll[k];
        }
        (position, derivative, self.roll_offset + roll)
    }

    /// θ = Σ cᵢ θᵢ, with what the seam adds.
    pub fn roll(&self, q: &[f64]) -> f64 {
        self.roll_offset
            + (0..self.count).map(|k| q[4 * self.nodes[k] as usize + 3] * self.roll[k]).sum::<f64>()
    }
}
