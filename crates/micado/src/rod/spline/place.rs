//! Places on the rod: from rest arc length s to segment and basis weights.

use super::{SplineRod, combine};
use crate::geometry::basis::Weights;
use crate::geometry::quadrature::GAUSS_4;

/// A material place: sparse weights on the unknowns of at most four nodes.
///
/// x = Σ bᵢ xᵢ, x' = Σ bᵢ' xᵢ, x'' = Σ bᵢ'' xᵢ, θ = Σ cᵢ θᵢ (plus the seam's twist in a closed rod); c = b in a spline. A point
/// mass is a place with one node of weight one.
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

/// What is left of a weight that is zero.
const NO_WEIGHT: f64 = 1e-14;

impl SplineRod {
    /// Rest arc length from the start to coordinate f of segment e.
    pub(crate) fn arc_within(&self, e: usize, f: f64) -> f64 {
        let x = std::array::from_fn(|k| self.rest_points[self.node(e, k)]);
        let basis = &self.table(e).basis;
        GAUSS_4.iter().map(|&(g, w)| w * f * combine(&basis.weights(g * f).db, &x).length()).sum()
    }

    /// Rest arc length at coordinate `f` of segment `e`, m.
    pub fn arc_at(&self, e: usize, f: f64) -> f64 {
        self.arc[e] + self.arc_within(e, f)
    }

    /// |r₀'| at coordinate `f` of segment `e`.
    pub(crate) fn rest_metric(&self, e: usize, f: f64) -> f64 {
        let x = std::array::from_fn(|k| self.rest_points[self.node(e, k)]);
        combine(&self.table(e).basis.weights(f).db, &x).length()
    }

    /// Segment and coordinate within it at rest arc length `s`.
    pub fn locate(&self, s: f64) -> (usize, f64) {
        let e = self.arc.partition_point(|&a| a <= s).clamp(1, self.segments) - 1;
        let (wanted, width) = (s - self.arc[e], self.arc[e + 1] - self.arc[e]);
        let mut f = (wanted / width).clamp(0.0, 1.0);
        let x = std::array::from_fn(|k| self.rest_points[self.node(e, k)]);
        for _ in 0..8 {
            let speed = combine(&self.table(e).basis.weights(f).db, &x).length();
            let step = (wanted - self.arc_within(e, f)) / speed;
            f = (f + step).clamp(0.0, 1.0);
            if step.abs() < 1e-14 {
                break;
            }
        }
        (e, f)
    }

    /// The place at rest arc length `s`; `first` is the rod's first node in the whole system.
    pub fn place(&self, s: f64, first: usize) -> Place {
        let (segment, fraction) = self.locate(s);
        self.place_in(segment, fraction, first)
    }

    /// Segment and coordinate within it at parameter `u`, which counts segments: round and round a closed rod, at the nearest end beyond an
    /// open one.
    pub(crate) fn segment_at(&self, u: f64) -> (usize, f64) {
        let n = self.segments as f64;
        let u = if self.is_closed() { u.rem_euclid(n) } else { u.clamp(0.0, n) };
        let segment = (u.floor() as usize).min(self.segments - 1);
        (segment, u - segment as f64)
    }

    /// The place at parameter `u`; `first` is the rod's first node in the whole system.
    pub(crate) fn place_at(&self, u: f64, first: usize) -> Place {
        let (segment, fraction) = self.segment_at(u);
        self.place_in(segment, fraction, first)
    }

    /// The place at coordinate `fraction` of `segment`.
    pub(crate) fn place_in(&self, segment: usize, fraction: f64, first: usize) -> Place {
        let weights = self.table(segment).basis.weights(fraction);
        let beyond_seam = |k: &usize| self.is_closed() && segment + k >= self.segments;
        Place {
            nodes: std::array::from_fn(|k| (first + self.node(segment, k)) as u32),
            count: 4,
            weights,
            roll: weights.b,
            segment,
            fraction,
            roll_offset: (0..4).filter(beyond_seam).map(|k| weights.b[k] * self.seam_twist).sum(),
        }
    }
}

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
        Self { nodes: [node as u32; 4], count: 1, weights, roll: [0.0; 4], segment: 0, fraction: 0.0, roll_offset: 0.0 }
    }

    /// Nodes that carry it.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes[..self.count]
    }

    /// Whether the position there, or the frame if that is asked for, depends on node k. At the end of a rod the position
    /// depends on one node, the frame on two.
    pub fn touches(&self, k: usize, frame: bool) -> bool {
        // Weights are of size one.
        self.weights.b[k].abs() > NO_WEIGHT || (frame && (self.weights.db[k].abs() > NO_WEIGHT || self.roll[k].abs() > NO_WEIGHT))
    }

    /// x = Σ bᵢ xᵢ; `q` is the whole system's.
    pub fn position(&self, q: &[f64]) -> glam::DVec3 {
        self.sum(q, &self.weights.b)
    }

    /// x' = Σ bᵢ' xᵢ.
    pub fn derivative(&self, q: &[f64]) -> glam::DVec3 {
        self.sum(q, &self.weights.db)
    }

    /// Σ wᵢ xᵢ over the place's nodes.
    pub fn sum(&self, q: &[f64], w: &[f64; 4]) -> glam::DVec3 {
        let q: &[[f64; 4]] = q.as_chunks().0;
        let mut sum = glam::DVec3::ZERO;
        for (&node, &w) in self.nodes().iter().zip(w) {
            let [x, y, z, _] = q[node as usize];
            sum += glam::DVec3::new(x, y, z) * w;
        }
        sum
    }

    /// θ = Σ cᵢ θᵢ, with what the seam adds.
    pub fn roll(&self, q: &[f64]) -> f64 {
        self.roll_offset + (0..self.count).map(|k| q[4 * self.nodes[k] as usize + 3] * self.roll[k]).sum::<f64>()
    }
}
