//! The discrete elastic rod: vertices, and an angle on each edge.
//!
//! Unknowns (x, y, z, θ) of each vertex, θ that of the edge after it. Frames are transported in time without
//! spin; their rotation against each other along the rod is the reference twist. Source: M. Bergou et al.,
//! Discrete Elastic Rods, with implicit steps.
//!
//! The ends of an open rod are the middles of its first and last edge, where its tangent is known; half an
//! edge extends beyond each end, without mass and stiffness. So clamps and free ends are accurate to second
//! order, and the lengths of the bends add up to that of the rod.

mod build;
mod frames;
mod lengths;
mod linearise;
mod observe;
mod place;
mod quasistatic;
mod round;
mod transfer;
mod vertex;

pub use lengths::{InnerRow, InnerRows};
pub use quasistatic::AngleScratch;
pub(super) use transfer::join;

use glam::DVec3;
use vertex::{STRAINS, VertexConstants};

/// Strains of a vertex and of the edge after it: see [`vertex::STRAINS`], then ε.
const FIELDS: usize = STRAINS + 1;

/// A discrete elastic rod, ready to be stepped. It contains constants only.
#[derive(Clone, Debug, PartialEq)]
pub struct DiscreteRod {
    closed: bool,
    /// Rest length of each edge, m.
    lengths: Vec<f64>,
    /// Rest arc length at each vertex, and in a closed rod at its seam, m; that of the first vertex of an
    /// open rod is negative.
    arc: Vec<f64>,
    /// Rest length of the rod, m.
    length: f64,
    /// Share of each edge that belongs to the rod: one half at open ends.
    shares: Vec<f64>,
    /// EA of each edge, N; 0 if lengths are fixed.
    stretch: Vec<f64>,
    /// Whether edges have fixed lengths.
    inextensible: bool,
    /// Length of the bend at each vertex, m; 0 at open ends.
    spans: Vec<f64>,
    /// Bends at the vertices; zero at open ends.
    bends: Vec<VertexConstants>,
    /// Whether bending is isotropic and the rod naturally straight: then bending doesn't depend on angles.
    bends_all_alike: bool,
    /// Mass of each vertex, kg.
    mass: Vec<f64>,
    /// Inertia of each angle, kg·m²; 0 at the last vertex of an open rod, which has none.
    inertia: Vec<f64>,
    /// Vertices at rest.
    rest_points: Vec<DVec3>,
    /// Least rest length of an edge, m.
    shortest_edge: f64,
    /// Radius of each edge, m: one for all, or one each.
    radii: Vec<f64>,
    /// Longest explicit step, s: ½ l² √(ρ/EI), twice the inverse of the highest bending frequency of
    /// vertices.
    stable_step: f64,
    /// Increase of θ beyond the seam of a closed rod.
    seam_twist: f64,
    /// Kelvin–Voigt time, s.
    internal_damping: f64,
    /// Rayleigh rate, 1/s.
    mass_damping: f64,
}

impl DiscreteRod {
    /// Number of vertices.
    pub fn nodes(&self) -> usize {
        self.mass.len()
    }

    /// Number of edges.
    pub fn segments(&self) -> usize {
        self.lengths.len()
    }

    /// Whether the rod is a ring.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Least EI and GJ of its bends, N·m²; zero without a bend.
    pub(crate) fn least_stiffness(&self) -> [f64; 2] {
        let bends = || self.bends.iter().zip(&self.spans).filter(|(_, span)| **span > 0.0);
        let bend = bends().map(|(bend, span)| 2.0 * span * bend.stiffness[0].min(bend.stiffness[1]));
        let twist = bends().map(|(bend, span)| span * bend.stiffness[STRAINS - 1]);
        [bend.reduce(f64::min), twist.reduce(f64::min)].map(Option::unwrap_or_default)
    }

    /// Rest length, m.
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Increase of θ beyond the seam of a closed rod.
    pub(crate) fn seam_twist(&self) -> f64 {
        self.seam_twist
    }

    /// Kelvin–Voigt time β, s.
    pub fn internal_damping(&self) -> f64 {
        self.internal_damping
    }

    /// Rayleigh rate α, 1/s.
    pub fn mass_damping(&self) -> f64 {
        self.mass_damping
    }

    /// Total mass, kg.
    pub fn total_mass(&self) -> f64 {
        self.mass.iter().sum()
    }

    /// Mass of vertex i for gravity, kg.
    pub(crate) fn node_mass(&self, i: usize) -> f64 {
        self.mass[i]
    }

    /// Longest stable explicit step, s.
    pub(crate) fn stable_step(&self) -> f64 {
        self.stable_step
    }

    /// Vertices with a bend.
    fn bent(&self) -> std::ops::Range<usize> {
        if self.closed { 0..self.nodes() } else { 1..self.nodes() - 1 }
    }

    /// The edges before and after a vertex.
    fn around(&self, i: usize) -> [usize; 2] {
        [if i == 0 { self.segments() - 1 } else { i - 1 }, i]
    }

    /// The vertex after edge j.
    fn end(&self, j: usize) -> usize {
        if j + 1 == self.nodes() { 0 } else { j + 1 }
    }

    /// Vertices of the bend at vertex `i`: its neighbours and itself, from the first to the last.
    fn bend_nodes(&self, i: usize) -> [usize; 3] {
        let [before, behind] = self.around(i);
        [before, i, self.end(behind)]
    }

    /// Position of vertex i.
    fn point(q: &[f64], i: usize) -> DVec3 {
        DVec3::new(q[4 * i], q[4 * i + 1], q[4 * i + 2])
    }

    /// The vector along edge j.
    fn edge(&self, q: &[f64], j: usize) -> DVec3 {
        Self::point(q, self.end(j)) - Self::point(q, j)
    }
}
