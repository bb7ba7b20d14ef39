//! The mass-spring rod: masses at the vertices of a polygon, springs along its edges, bending springs at its
//! corners.
//!
//! Unknowns (x, y, z) of each vertex; the fourth is unused, since there is no roll. Bending springs depend on
//! the corner only:
//!
//! ```text
//! U = Σ_j ½ EA l (|e|/l − 1)² + Σ_i EI/(2l) |κb_i|²,  κb = 2 a×b/(1 + a·b)
//! ```
//!
//! with a and b the directions of the two edges, so that a chain of many vertices bends like a rod. Without
//! frames there is no twist, natural curvature or anisotropy: such rods are refused.

mod build;
mod linearise;
mod observe;
mod place;
mod transfer;

use glam::DVec3;
pub(super) use transfer::join;

/// A mass-spring rod, ready to be stepped. It contains constants only.
#[derive(Clone, Debug, PartialEq)]
pub struct MassSpringRod {
    closed: bool,
    /// Rest length of an edge, m.
    edge_length: f64,
    /// EA of each edge, N.
    stretch: Vec<f64>,
    /// EI/l of the bend at each vertex, N·m; more next to open ends, and 0 at the ends.
    bend: Vec<f64>,
    /// Mass of each vertex, kg.
    mass: Vec<f64>,
    /// Vertices at rest.
    rest_points: Vec<DVec3>,
    /// Radius of each edge, m: one for all, or one each.
    radii: Vec<f64>,
    /// Kelvin–Voigt time, s.
    internal_damping: f64,
    /// Rayleigh rate, 1/s.
    mass_damping: f64,
}

impl MassSpringRod {
    /// Number of vertices.
    pub fn nodes(&self) -> usize {
        self.mass.len()
    }

    /// Number of edges.
    pub fn segments(&self) -> usize {
        self.stretch.len()
    }

    /// Whether the rod is a ring.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Least EI of its bends, N·m², zero without a bend, and no GJ.
    pub(crate) fn least_stiffness(&self) -> [f64; 2] {
        let bends = self.bend.iter().filter(|bend| **bend > 0.0).copied();
        [bends.reduce(f64::min).unwrap_or_default() * self.edge_length, 0.0]
    }

    /// Rest length, m.
    pub fn length(&self) -> f64 {
        self.edge_length * self.segments() as f64
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

    /// Vertices with a bend.
    fn bent(&self) -> std::ops::Range<usize> {
        if self.closed { 0..self.nodes() } else { 1..self.nodes() - 1 }
    }

    /// Vertices of the bend at vertex `i`.
    fn bend_nodes(&self, i: usize) -> [usize; 3] {
        let n = self.nodes();
        [(i + n - 1) % n, i, (i + 1) % n]
    }

    /// The vertices of edge j.
    fn edge_nodes(&self, j: usize) -> [usize; 2] {
        [j, (j + 1) % self.nodes()]
    }

    /// Position of vertex i.
    fn point(q: &[f64], i: usize) -> DVec3 {
        DVec3::from_slice(&q[4 * i..])
    }

    /// The vector along edge j.
    fn edge(&self, q: &[f64], j: usize) -> DVec3 {
        let [a, b] = self.edge_nodes(j);
        Self::point(q, b) - Self::point(q, a)
    }

    /// The two edges at vertex i.
    fn edges(&self, q: &[f64], i: usize) -> [DVec3; 2] {
        let [a, b, c] = self.bend_nodes(i).map(|i| Self::point(q, i));
        [b - a, c - b]
    }
}
