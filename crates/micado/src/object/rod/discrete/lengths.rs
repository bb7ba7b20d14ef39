//! Edges of fixed length: one row each, and its multiplier.
//!
//! ```text
//! g_j = |ē_j| − |e_j|,   J = +t on the first vertex, −t on the second:   λ_j is the tension, positive pulls
//! −λ ∂²g/∂e² = (λ/|e|)(I − ttᵀ)
//! ```
//!
//! Half of an end edge belongs to the rod, and a force at the end of the rod acts at the middle of that edge:
//! the multiplier of its row is half of the tension there.

use super::DiscreteRod;
use crate::object::rod::chain_frames::KEPT;
use glam::DVec3;

/// A row on the distance of two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InnerRow {
    /// Its nodes, counted from the first of the object.
    pub nodes: [usize; 2],
    /// Unit tangent: J is t on the first node and −t on the second.
    pub t: DVec3,
    /// Excess length |e| − |ē|, m, which the row removes.
    pub violation: f64,
}

/// The inner rows of an object, in order: the lengths of the edges of a rod.
#[derive(Clone, Copy, Debug)]
pub struct InnerRows<'a>(&'a DiscreteRod);

impl<'a> InnerRows<'a> {
    pub(crate) fn of(rod: &'a DiscreteRod) -> Self {
        Self(rod)
    }

    /// Number of rows.
    pub fn count(self) -> usize {
        self.0.length_rows()
    }

    /// The two nodes of row j, counted from the first of the object.
    pub(crate) fn nodes(self, j: usize) -> [usize; 2] {
        self.0.edge_nodes(j)
    }

    /// Row j.
    #[inline]
    pub fn row(self, q: &[f64], j: usize) -> InnerRow {
        self.0.length_row(q, j)
    }

    /// Multipliers of the last solve, N, which are stored among the frames.
    pub fn multipliers(self, frames: &[f64]) -> &[f64] {
        self.0.tensions(frames)
    }

    /// Multipliers of the last solve, mutable.
    pub(crate) fn multipliers_mut(self, frames: &mut [f64]) -> &mut [f64] {
        self.0.tensions_mut(frames)
    }

    /// Stiffness of nodes across their rows, N/m.
    pub(crate) fn stiffness_across(self, frames: &[f64]) -> f64 {
        self.0.stiffness_across(frames)
    }

    /// The length of row j, m.
    pub fn length(self, j: usize) -> f64 {
        self.0.rest_metric(j)
    }

    /// Largest length error of a row, m, and the largest as a share of its length.
    pub(crate) fn worst_miss(self, q: &[f64]) -> (f64, f64) {
        self.0.worst_length(q)
    }
}

impl DiscreteRod {
    /// Whether edges have fixed lengths.
    pub fn is_inextensible(&self) -> bool {
        self.inextensible
    }

    /// Number of length rows: one for each edge, or none.
    pub fn length_rows(&self) -> usize {
        if self.inextensible { self.segments() } else { 0 }
    }

    /// Vertices of edge j.
    pub(crate) fn edge_nodes(&self, j: usize) -> [usize; 2] {
        [j, self.end(j)]
    }

    /// The length row of edge j.
    pub fn length_row(&self, q: &[f64], j: usize) -> InnerRow {
        let e = self.edge(q, j);
        let length = e.length();
        InnerRow { nodes: self.edge_nodes(j), t: e / length, violation: length - self.lengths[j] }
    }

    /// Multipliers of the edges in the last solve, N, stored behind the frames of an inextensible rod.
    pub fn tensions<'a>(&self, frames: &'a [f64]) -> &'a [f64] {
        &frames[KEPT * self.segments()..]
    }

    /// Multipliers of the edges in the last solve, mutable.
    pub(crate) fn tensions_mut<'a>(&self, frames: &'a mut [f64]) -> &'a mut [f64] {
        &mut frames[KEPT * self.segments()..]
    }

    /// Square of the highest frequency of transverse vibration of vertices under these tensions, 1/s²: at
    /// most the largest row sum of M^-½ K M^-½, in which an edge has the stiffness |λ|/l. That is 4λ/(ρl²)
    /// for equal edges.
    pub(crate) fn fastest_under_tension(&self, frames: &[f64]) -> f64 {
        let tensions = self.tensions(frames);
        // Contributions of edge j to the rows of its two vertices.
        let shares = |j: usize| {
            let [a, b] = self.edge_nodes(j).map(|node| self.mass[node]);
            let (stiffness, between) = (tensions[j].abs() / self.lengths[j], 1.0 / (a * b).sqrt());
            [stiffness * (1.0 / a + between), stiffness * (1.0 / b + between)]
        };
        let first = if self.closed { shares(self.segments() - 1)[1] } else { 0.0 };
        let (largest, last) = (0..tensions.len())
            .map(shares)
            .fold((0.0_f64, first), |(most, before), [a, b]| (most.max(before + a), b));
        largest.max(last)
    }

    /// Stiffness of the vertices across the rod, N/m: 6 EI/l³ of a bend and λ/l of a tension.
    pub(crate) fn stiffness_across(&self, frames: &[f64]) -> f64 {
        let bends =
            self.bends.iter().flat_map(|bend| &bend.stiffness[..4]).fold(0.0, |most: f64, k| most.max(*k));
        let pull = self.tensions(frames).iter().fold(0.0, |most: f64, t| most.max(t.abs()));
        (12.0 * bends / self.shortest_edge + pull) / self.shortest_edge
    }

    /// Largest length error of an edge, m, and the largest as a share of its rest length.
    pub(crate) fn worst_length(&self, q: &[f64]) -> (f64, f64) {
        (0..self.length_rows()).fold((0.0, 0.0), |(missed, share): (f64, f64), j| {
            let miss = (self.edge(q, j).length() - self.lengths[j]).abs();
            (missed.max(miss), share.max(miss / self.lengths[j]))
        })
    }
}
