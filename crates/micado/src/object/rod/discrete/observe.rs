//! Read-outs anywhere on a discrete rod.

use super::vertex::{STRAINS, Vertex};
use super::{DiscreteRod, FIELDS};
use crate::object::rod::chain_frames::director;
use crate::object::rod::{ElasticEnergy, Section};
use glam::DVec3;

impl DiscreteRod {
    /// Section at coordinate `f` of edge `e`: moments and twist are linear from bend to bend, tension linear
    /// from edge to edge.
    pub fn section(&self, q: &[f64], frames: &[f64], e: usize, f: f64) -> Section {
        let edge = self.seen(q, frames, e);
        let s = self.arc_at(e, f);
        let tension = self.between_edges(e, s, |j| {
            if self.inextensible {
                self.tensions(frames)[j] / self.shares[j]
            } else {
                self.stretch[j] * self.strain(q, j)
            }
        });
        let stretch = if self.inextensible {
            self.between_edges(e, s, |j| self.strain(q, j))
        } else {
            tension / self.stretch[e]
        };
        let [moment, curvature, twist, torque] =
            [0, 1, 2, 3].map(|what| self.between_bends(e, f, |i| self.bend(q, frames, i)[what]));
        Section {
            position: Self::point(q, e) * (1.0 - f) + Self::point(q, self.end(e)) * f,
            tangent: edge.t,
            director: edge.m1,
            stretch,
            tension,
            bending_moment: moment,
            curvature: curvature.x.max(0.0),
            torque: torque.x,
            twist: twist.x,
            radius: self.radius(e),
        }
    }

    /// Moment; curvature, twist per length and torque as first components.
    fn bend(&self, q: &[f64], frames: &[f64], i: usize) -> [DVec3; 4] {
        let edges = self.around(i).map(|j| self.seen(q, frames, j));
        let strains = Vertex::new(edges, self.twist(q, frames, i)).strains();
        let (constants, span) = (&self.bends[i], self.spans[i]);
        let stress: [f64; STRAINS] =
            std::array::from_fn(|s| constants.stiffness[s] * (strains[s] - constants.natural[s]));
        let moment = (0..2)
            .map(|j| edges[j].t.cross(edges[j].m1) * stress[2 * j] - edges[j].m1 * stress[2 * j + 1])
            .sum::<DVec3>();
        let number = |x: f64| DVec3::new(x, 0.0, 0.0);
        [moment, number(strains[0].hypot(strains[1]) / span), number(strains[4] / span), number(stress[4])]
    }

    /// The line through the values at the two bends nearest to a place; it extends beyond the outermost.
    fn between_bends(&self, e: usize, f: f64, value: impl Fn(usize) -> DVec3) -> DVec3 {
        let (mut a, mut b) = (e, e + 1);
        if !self.closed {
            let bent = self.bent();
            a = a.clamp(bent.start, bent.end - 2);
            b = a + 1;
        }
        let share = (self.arc_at(e, f) - self.arc[a]) / (self.arc[b] - self.arc[a]);
        let (low, high) = (value(a % self.nodes()), value(b % self.nodes()));
        low * (1.0 - share) + high * share
    }

    /// The line through the values at the middles of the two edges nearest to arc length s near edge e.
    fn between_edges(&self, e: usize, s: f64, value: impl Fn(usize) -> f64) -> f64 {
        let n = self.segments();
        let half = |j: usize| 0.5 * self.lengths[j] * self.shares[j];
        let middle = |j: usize| if j == 0 && !self.closed { half(0) } else { self.arc[j] + half(j) };
        let (a, b) = match (s < middle(e), self.closed) {
            (true, true) => ((e + n - 1) % n, e),
            (false, true) => (e, (e + 1) % n),
            (true, false) => (e.max(1) - 1, e.max(1)),
            (false, false) => (e.min(n - 2), e.min(n - 2) + 1),
        };
        let (from, to) = (half(a), half(b));
        let from_middle = if a == e { s - middle(e) } else { from + to + s - middle(e) };
        let share = from_middle / (from + to);
        value(a) * (1.0 - share) + value(b) * share
    }

    /// ε of edge j.
    fn strain(&self, q: &[f64], j: usize) -> f64 {
        self.edge(q, j).length() / self.lengths[j] - 1.0
    }

    /// Radius of edge `e`, m.
    pub fn radius(&self, e: usize) -> f64 {
        if self.radii.len() == 1 { self.radii[0] } else { self.radii[e] }
    }

    /// Director d₁ of the reference frame of edge `e`.
    pub(crate) fn reference_director(frames: &[f64], e: usize) -> DVec3 {
        director(frames, e)
    }

    /// Strains of all bends and edges.
    pub fn strains(&self, q: &[f64], frames: &[f64], out: &mut Vec<f64>) {
        out.clear();
        out.resize(self.strain_count(), 0.0);
        for i in self.bent() {
            let edges = self.around(i).map(|j| self.seen(q, frames, j));
            out[FIELDS * i..FIELDS * i + STRAINS]
                .copy_from_slice(&Vertex::new(edges, self.twist(q, frames, i)).strains());
        }
        for j in 0..self.segments() {
            out[FIELDS * j + STRAINS] = self.strain(q, j);
        }
    }

    /// Length of the output of [`DiscreteRod::strains`].
    pub(crate) fn strain_count(&self) -> usize {
        FIELDS * self.nodes()
    }

    /// Elastic energies.
    pub fn energy(&self, q: &[f64], frames: &[f64]) -> ElasticEnergy {
        self.energy_against(q, frames, |i, s| if s < STRAINS { self.bends[i].natural[s] } else { 0.0 })
    }

    /// Elastic energies relative to the strains `before` instead of the natural ones.
    pub fn energy_since(&self, q: &[f64], frames: &[f64], before: &[f64]) -> ElasticEnergy {
        self.energy_against(q, frames, |i, s| before[FIELDS * i + s])
    }

    fn energy_against(
        &self,
        q: &[f64],
        frames: &[f64],
        natural: impl Fn(usize, usize) -> f64,
    ) -> ElasticEnergy {
        let mut energy = ElasticEnergy::default();
        for i in self.bent() {
            let edges = self.around(i).map(|j| self.seen(q, frames, j));
            let strains = Vertex::new(edges, self.twist(q, frames, i)).strains();
            let half = |s: usize| 0.5 * self.bends[i].stiffness[s] * (strains[s] - natural(i, s)).powi(2);
            energy.bend += (0..4).map(half).sum::<f64>();
            energy.twist += half(4);
        }
        for j in 0..self.segments() {
            let strain = self.strain(q, j) - natural(j, STRAINS);
            energy.stretch += 0.5 * self.stretch[j] * self.shares[j] * self.lengths[j] * strain * strain;
        }
        energy
    }

    /// Present length, m.
    pub fn present_length(&self, q: &[f64]) -> f64 {
        (0..self.segments()).map(|j| self.edge(q, j).length() * self.shares[j]).sum()
    }

    /// Curvature at coordinate `f` of edge `e`, 1/m.
    pub fn curvature(&self, q: &[f64], e: usize, f: f64) -> f64 {
        let bend = |i: usize| {
            let [a, b] = self.around(i).map(|j| self.edge(q, j).normalize());
            DVec3::new(2.0 * a.cross(b).length() / ((1.0 + a.dot(b)) * self.spans[i]), 0.0, 0.0)
        };
        self.between_bends(e, f, bend).x.max(0.0)
    }

    /// Vertices at rest, and the least distance of neighbours.
    pub(crate) fn rest_polygon(&self) -> (&[DVec3], f64) {
        (&self.rest_points, self.shortest_edge)
    }
}
