//! Read-outs anywhere on a beam.

use super::BeamRod;
use super::element::{Element, STRAINS};
use crate::geometry::quadrature::GAUSS_4;
use crate::geometry::rotation::{orthonormal_to, transport};
use crate::object::rod::chain_frames::{director_at, reference_twist, turned};
use crate::object::rod::sampled::Sampled;
use crate::object::rod::{ElasticEnergy, Section};
use glam::DVec3;

impl BeamRod {
    /// Section at coordinate `f` of element `e`. Curvature is linear along an element, tension linear from
    /// middle to middle.
    pub fn section(&self, q: &[f64], frames: &[f64], e: usize, f: f64) -> Section {
        let element = self.element(q, frames, e);
        let (strains, natural) = (element.strains(), &self.elements[e].natural);
        let stiffness = &self.elements[e].stiffness;
        let (position, slope) = self.on_curve(q, e, f);
        let tangent = slope.normalize();
        let [m1, m2] = middle_directors(&element, tangent);
        // The sum of the angles at the two ends is the slope of the curvature.
        let slant = 2.0 * f - 1.0;
        let stress = |s: usize| stiffness[s] * (strains[s] - natural[s]);
        let moment = |axis: usize| stress(2 + axis) + slant * stress(4 + axis);
        let curvature =
            |axis: usize| (strains[2 + axis] + 3.0 * slant * strains[4 + axis]) / self.element_length;
        let middles = Sampled { offset: 0.5, count: self.segments(), closed: self.closed };
        let tension = middles.at(e as f64 + f, |e| self.tension(q, frames, e));
        Section {
            position,
            tangent,
            director: turned(tangent, self.reference_director(q, frames, e, f), self.roll(q, e, f)),
            stretch: tension * self.element_length / stiffness[0],
            tension,
            bending_moment: m2 * moment(0) - m1 * moment(1),
            curvature: curvature(0).hypot(curvature(1)),
            torque: stress(1),
            twist: strains[1] / self.element_length,
            radius: self.radius(e),
        }
    }

    /// Position and dx/du.
    fn on_curve(&self, q: &[f64], e: usize, f: f64) -> (DVec3, DVec3) {
        let place = self.place_in(e, f);
        (place.position(q), place.derivative(q))
    }

    fn roll(&self, q: &[f64], e: usize, f: f64) -> f64 {
        self.place_in(e, f).roll(q)
    }

    /// Tension of element e, N.
    fn tension(&self, q: &[f64], frames: &[f64], e: usize) -> f64 {
        let strain = self.element(q, frames, e).strains()[0] - self.elements[e].natural[0];
        self.elements[e].stiffness[0] * strain / self.element_length
    }

    /// Radius of element `e`, m.
    pub fn radius(&self, e: usize) -> f64 {
        if self.radii.len() == 1 { self.radii[0] } else { self.radii[e] }
    }

    /// Director d₁ of the reference frame at a place: transported from the first node, with its share of the
    /// reference twist.
    pub(crate) fn reference_director(&self, q: &[f64], frames: &[f64], e: usize, f: f64) -> DVec3 {
        let (start, tangent) = (Self::tangent(q, e).normalize(), self.on_curve(q, e, f).1.normalize());
        let transported = orthonormal_to(tangent, transport(start, tangent, director_at(frames, e, start)));
        turned(tangent, transported, f * reference_twist(frames, self.end(e)))
    }

    /// Strains of all elements.
    pub fn strains(&self, q: &[f64], frames: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.extend((0..self.segments()).flat_map(|e| self.element(q, frames, e).strains()));
    }

    /// Length of the output of [`BeamRod::strains`].
    pub(crate) fn strain_count(&self) -> usize {
        STRAINS * self.segments()
    }

    /// Elastic energies.
    pub fn energy(&self, q: &[f64], frames: &[f64]) -> ElasticEnergy {
        self.energy_against(q, frames, |e, s| self.elements[e].natural[s])
    }

    /// Elastic energies relative to the strains `before` instead of the natural ones.
    pub fn energy_since(&self, q: &[f64], frames: &[f64], before: &[f64]) -> ElasticEnergy {
        self.energy_against(q, frames, |e, s| before[STRAINS * e + s])
    }

    fn energy_against(
        &self,
        q: &[f64],
        frames: &[f64],
        natural: impl Fn(usize, usize) -> f64,
    ) -> ElasticEnergy {
        let mut energy = ElasticEnergy::default();
        for (e, constants) in self.elements.iter().enumerate() {
            let strains = self.element(q, frames, e).strains();
            let half = |s: usize| 0.5 * constants.stiffness[s] * (strains[s] - natural(e, s)).powi(2);
            energy.stretch += half(0) + half(6) + half(7);
            energy.twist += half(1);
            energy.bend += (2..6).map(half).sum::<f64>();
        }
        energy
    }

    /// Present length, m: that of the arcs.
    pub fn present_length(&self, q: &[f64]) -> f64 {
        let arc = |e: usize| GAUSS_4.iter().map(|&(f, w)| w * self.on_curve(q, e, f).1.length()).sum::<f64>();
        (0..self.segments()).map(arc).sum()
    }

    /// Curvature at coordinate `f` of element `e`, 1/m.
    pub fn curvature(&self, q: &[f64], e: usize, f: f64) -> f64 {
        let place = self.place_in(e, f);
        let (first, second) = (place.derivative(q), place.second_derivative(q));
        first.cross(second).length() / first.length().powi(3)
    }

    /// Nodes at rest, and the least distance of neighbours.
    pub(crate) fn rest_polygon(&self) -> (&[DVec3], f64) {
        (&self.rest_points, self.element_length)
    }
}

/// The directors half-way between those of the two nodes, transported to a tangent.
fn middle_directors(element: &Element, tangent: DVec3) -> [DVec3; 2] {
    let start = element.ends[0];
    let transported = orthonormal_to(tangent, transport(start.d.normalize(), tangent, start.m1));
    let m1 = turned(tangent, transported, 0.5 * element.twist);
    [m1, tangent.cross(m1)]
}
