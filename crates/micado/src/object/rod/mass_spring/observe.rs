//! Read-outs anywhere on a mass-spring rod.

use super::MassSpringRod;
use super::linearise::FIELDS;
use crate::geometry::rotation::any_normal;
use crate::object::rod::sampled::Sampled;
use crate::object::rod::{ElasticEnergy, Section};
use glam::DVec3;

/// Number of bends at an open end with moments that differ from those of the rod.
const DISTURBED: usize = 2;

impl MassSpringRod {
    /// Section at coordinate `f` of edge `e`: moments are linear from bend to bend, tension linear from edge
    /// to edge. There is no twist.
    pub fn section(&self, q: &[f64], _frames: &[f64], e: usize, f: f64) -> Section {
        let place = self.place_in(e, f);
        let (u, tangent) = (e as f64 + f, place.derivative(q).normalize());
        let middles = Sampled { offset: 0.5, count: self.segments(), closed: self.closed };
        let tension = middles.at(u, |j| self.stretch[j] * self.strain(q, j));
        Section {
            position: place.position(q),
            tangent,
            director: any_normal(tangent, DVec3::Z),
            stretch: tension / self.stretch[e],
            tension,
            bending_moment: self.at_bends(u, |i| self.binormal(q, i) * self.bend[i]),
            curvature: self.curvature(q, e, f),
            torque: 0.0,
            twist: 0.0,
            radius: self.radius(e),
        }
    }

    /// The line through the values at the nearest bends. The couple of a held tangent at an open end acts on
    /// the first four vertices, and bends the first two by other moments than those of the rod: the line
    /// through the next two replaces them.
    fn at_bends(&self, u: f64, value: impl Fn(usize) -> DVec3) -> DVec3 {
        let mut bent = self.bent();
        if !self.closed && bent.len() > 2 * DISTURBED + 1 {
            bent = bent.start + DISTURBED..bent.end - DISTURBED;
        }
        Sampled { offset: bent.start as f64, count: bent.len(), closed: self.closed }
            .at(u, |k| value(bent.start + k))
    }

    /// ε of edge j.
    fn strain(&self, q: &[f64], j: usize) -> f64 {
        self.edge(q, j).length() / self.edge_length - 1.0
    }

    /// Radius of edge `e`, m.
    pub fn radius(&self, e: usize) -> f64 {
        if self.radii.len() == 1 { self.radii[0] } else { self.radii[e] }
    }

    /// A direction across the rod at a place.
    pub(crate) fn reference_director(&self, q: &[f64], e: usize, f: f64) -> DVec3 {
        any_normal(self.place_in(e, f).derivative(q).normalize(), DVec3::Z)
    }

    /// Strains of all edges and bends.
    pub fn strains(&self, q: &[f64], _frames: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.strain_count(), 0.0);
        for j in 0..self.segments() {
            out[FIELDS * j] = self.strain(q, j);
        }
        for i in self.bent() {
            out[FIELDS * i + 1] = self.binormal(q, i).length();
        }
    }

    /// Length of the output of [`MassSpringRod::strains`].
    pub(crate) fn strain_count(&self) -> usize {
        FIELDS * self.nodes()
    }

    /// Elastic energies.
    pub fn energy(&self, q: &[f64], _frames: &[f64]) -> ElasticEnergy {
        self.energy_since(q, &[], &[])
    }

    /// Elastic energies relative to the strains `before` instead of the natural ones; empty stands for zeros.
    pub fn energy_since(&self, q: &[f64], _frames: &[f64], before: &[f64]) -> ElasticEnergy {
        let kept = |k: usize| before.get(k).copied().unwrap_or(0.0);
        let mut energy = ElasticEnergy::default();
        for j in 0..self.segments() {
            energy.stretch +=
                0.5 * self.stretch[j] * self.edge_length * (self.strain(q, j) - kept(FIELDS * j)).powi(2);
        }
        for i in self.bent() {
            energy.bend += 0.5 * self.bend[i] * (self.binormal(q, i).length() - kept(FIELDS * i + 1)).powi(2);
        }
        energy
    }

    /// Present length, m.
    pub fn present_length(&self, q: &[f64]) -> f64 {
        (0..self.segments()).map(|j| self.edge(q, j).length()).sum()
    }

    /// Curvature at coordinate `f` of edge `e`, 1/m.
    pub fn curvature(&self, q: &[f64], e: usize, f: f64) -> f64 {
        self.at_bends(e as f64 + f, |i| DVec3::new(self.binormal(q, i).length() / self.edge_length, 0.0, 0.0))
            .x
            .max(0.0)
    }

    /// Vertices at rest, and the least distance of neighbours.
    pub(crate) fn rest_polygon(&self) -> (&[DVec3], f64) {
        (&self.rest_points, self.edge_length)
    }
}
