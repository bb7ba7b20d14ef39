//! The beam: nodes with a position, a direction and a roll, joined by corotational elements.
//!
//! A node has two rows of unknowns in the system: (x, y, z, θ), and its tangent vector D = dx/du, u in
//! elements, whose fourth component is unused. Between nodes the curve is the cubic with these tangents, so
//! that any place is a combination of the unknowns of two nodes: forces between nodes load them with moments,
//! and moments at a node turn it. Frames are transported like those of discrete rods. The energy is in
//! `element.rs`; masses are those of the cubic.

mod build;
mod dual;
mod element;
mod frames;
mod linearise;
mod observe;
mod place;
mod shape;
mod transfer;

use element::STRAINS;
use glam::DVec3;
pub(super) use transfer::join;

/// Constants of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ElementConstants {
    /// d²U/ds² of each strain, see [`element`].
    stiffness: [f64; STRAINS],
    /// Stress-free strains.
    natural: [f64; STRAINS],
    /// Mass, kg.
    mass: f64,
    /// Polar inertia, kg·m².
    inertia: f64,
}

/// A beam, ready to be stepped. It contains constants only.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamRod {
    closed: bool,
    /// Rest length of the arc of an element, m.
    element_length: f64,
    elements: Vec<ElementConstants>,
    /// Positions of the nodes at rest.
    rest_points: Vec<DVec3>,
    /// Radius of each element, m: one for all, or one each.
    radii: Vec<f64>,
    /// Increase of θ beyond the seam of a closed rod.
    seam_twist: f64,
    /// Kelvin–Voigt time, s.
    internal_damping: f64,
    /// Rayleigh rate, 1/s.
    mass_damping: f64,
}

/// ∫NᵢNⱼ du of the cubic with end values and end slopes.
const CUBIC_MASS: [[f64; 4]; 4] = [
    [156.0 / 420.0, 22.0 / 420.0, 54.0 / 420.0, -13.0 / 420.0],
    [22.0 / 420.0, 4.0 / 420.0, 13.0 / 420.0, -3.0 / 420.0],
    [54.0 / 420.0, 13.0 / 420.0, 156.0 / 420.0, -22.0 / 420.0],
    [-13.0 / 420.0, -3.0 / 420.0, -22.0 / 420.0, 4.0 / 420.0],
];

/// ∫Nᵢ du
const CUBIC_WEIGHT: [f64; 4] = [0.5, 1.0 / 12.0, 0.5, -1.0 / 12.0];

impl BeamRod {
    /// Number of rows of unknowns: two for each node of the beam.
    pub fn nodes(&self) -> usize {
        2 * self.joints()
    }

    /// Number of nodes of the beam.
    fn joints(&self) -> usize {
        self.rest_points.len()
    }

    /// Number of elements.
    pub fn segments(&self) -> usize {
        self.elements.len()
    }

    /// Whether the rod is a ring.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Least EI and GJ of its elements, N·m².
    pub(crate) fn least_stiffness(&self) -> [f64; 2] {
        let least = |strains: &[usize]| {
            let all = self.elements.iter().flat_map(|e| strains.iter().map(|&s| e.stiffness[s]));
            all.fold(f64::MAX, f64::min) * self.element_length
        };
        [least(&[2, 3]), least(&[1])]
    }

    /// Rest length, m.
    pub fn length(&self) -> f64 {
        self.element_length * self.segments() as f64
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
        self.elements.iter().map(|element| element.mass).sum()
    }

    /// Mass of a row of unknowns for gravity, kg: ∫ρNᵢ ds.
    pub(crate) fn node_mass(&self, i: usize) -> f64 {
        self.meeting(i).map(|(e, k)| self.elements[e].mass * CUBIC_WEIGHT[k]).sum()
    }

    /// Elements of a row of unknowns, with its index among their four.
    fn meeting(&self, i: usize) -> impl Iterator<Item = (usize, usize)> {
        let (joint, kind) = (i / 2, i % 2);
        let before = if joint > 0 { Some(joint - 1) } else { self.closed.then(|| self.segments() - 1) };
        let behind = (joint < self.segments()).then_some(joint);
        before.map(|e| (e, 2 + kind)).into_iter().chain(behind.map(|e| (e, kind)))
    }

    /// Row k of the four of element e: position and tangent of its first node, then of its second.
    pub fn node(&self, e: usize, k: usize) -> usize {
        (2 * e + k) % self.nodes()
    }

    /// Position of node i of the beam.
    fn point(q: &[f64], i: usize) -> DVec3 {
        DVec3::from_slice(&q[8 * i..])
    }

    /// Tangent vector D of node i of the beam.
    fn tangent(q: &[f64], i: usize) -> DVec3 {
        DVec3::from_slice(&q[8 * i + 4..])
    }

    /// The node of the beam after element e.
    fn end(&self, e: usize) -> usize {
        (e + 1) % self.joints()
    }
}
