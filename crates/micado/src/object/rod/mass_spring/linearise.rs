//! Gradient and second derivative of the energy, spring by spring.

use super::MassSpringRod;
use crate::geometry::rotation::{cross_matrix, outer};
use crate::object::rod::blocks::{add, clear, clear_band};
use crate::object::rod::stretch::unseen;
use crate::object::rod::{Linearisation, Tangent};
use glam::{DMat3, DVec3};
use micado_linalg::{Block, BlockMatrix};

/// Numbers of [`MassSpringRod::strains`] at a vertex: ε of the edge after it, then |κb|. The direction of κb
/// in space is no strain: without a frame, a rotation can't be distinguished from a bend that changes its
/// direction in the rod.
pub(super) const FIELDS: usize = 2;

/// Gradient and second derivatives by the two edges of a bend.
struct BendTerms {
    gradient: [DVec3; 2],
    ee: DMat3,
    ef: DMat3,
    ff: DMat3,
}

impl MassSpringRod {
    /// Writes `mass·M + K (+ viscosity)` to `matrix` at the rod's rows and subtracts ∇U from `force`, as
    /// [`SplineRod::linearise`](crate::object::rod::spline::SplineRod::linearise) does.
    pub fn linearise(
        &self,
        q: &[f64],
        _frames: &[f64],
        how: &Linearisation<'_>,
        first: usize,
        matrix: &mut BlockMatrix,
        force: &mut [f64],
    ) {
        if self.closed {
            clear(matrix, (0..self.segments()).map(|e| [0, 1, 2, 3].map(|k| first + self.node(e, k))));
        } else {
            clear_band(matrix, first, self.nodes());
        }
        for j in 0..self.segments() {
            let (gradient, k) = self.stretching(q, how, j);
            let [a, b] = self.edge_nodes(j);
            pull(force, [(a, gradient), (b, -gradient)]);
            let block = block(k);
            add(matrix, first, a, a, &block);
            add(matrix, first, b, b, &block);
            add(matrix, first, a, b, &block.map(|x| -x));
        }
        for i in self.bent() {
            let BendTerms { gradient: [e, f], ee, ef, ff } = self.bending(q, how, i, Some(how.tangent));
            let [a, b, c] = self.bend_nodes(i);
            pull(force, [(a, e), (b, f - e), (c, -f)]);
            add(matrix, first, a, a, &block(ee));
            add(matrix, first, a, b, &block(ef - ee));
            add(matrix, first, a, c, &block(-ef));
            add(matrix, first, b, b, &block(ee - ef - ef.transpose() + ff));
            add(matrix, first, b, c, &block(ef - ff));
            add(matrix, first, c, c, &block(ff));
        }
        for i in 0..self.nodes() {
            let slot = matrix.row_start(first + i);
            let diagonal = &mut matrix.values_mut()[slot];
            (0..3).for_each(|a| diagonal[5 * a] += how.mass * self.mass[i]);
            diagonal[15] = 1.0;
        }
    }

    /// Subtracts ∇U, viscous stress included, from `force`.
    pub fn subtract_internal_force(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        force: &mut [f64],
    ) {
        self.visit_forces(q, frames, how, |node, f| {
            force[4 * node..].iter_mut().zip(f).for_each(|(sum, f)| *sum += f);
        });
    }

    /// Calls `visit(node, −∇U)` for the nodes of every edge, then of every bend.
    pub(crate) fn visit_forces(
        &self,
        q: &[f64],
        _frames: &[f64],
        how: &Linearisation<'_>,
        mut visit: impl FnMut(usize, [f64; 4]),
    ) {
        let mut pull = |node: usize, f: DVec3| visit(node, [f.x, f.y, f.z, 0.0]);
        for j in 0..self.segments() {
            let ([a, b], e) = (self.edge_nodes(j), self.edge(q, j));
            let gradient = e * (self.tensions(how, j, e.length()).1 / e.length());
            pull(a, gradient);
            pull(b, -gradient);
        }
        for i in self.bent() {
            let [e, f] = self.bending(q, how, i, None).gradient;
            let [a, b, c] = self.bend_nodes(i);
            pull(a, e);
            pull(b, f - e);
            pull(c, -f);
        }
    }

    /// Tension of an edge of a length, and that of its carried stretch.
    fn tensions(&self, how: &Linearisation<'_>, j: usize, present: f64) -> (f64, f64) {
        let (stiffness, strain) = (self.stretch[j], present / self.edge_length - 1.0);
        let since = how.strain_before.map_or(0.0, |before| strain - before[FIELDS * j]);
        let tension = stiffness * (strain + how.viscosity * since);
        let damped = if how.strain_before.is_some() { 1.0 + how.viscosity } else { 1.0 };
        let carried = |carried: &[f64]| tension + stiffness * damped * (carried[j] - strain);
        (tension, how.carried.map_or(tension, carried))
    }

    /// `EA ε t` and `EA/l ttᵀ + (EA ε/|e|)(I − ttᵀ)`.
    fn stretching(&self, q: &[f64], how: &Linearisation<'_>, j: usize) -> (DVec3, DMat3) {
        let e = self.edge(q, j);
        let (present, rest, stiffness) = (e.length(), self.edge_length, self.stretch[j]);
        let (t, (tension, carried)) = (e / present, self.tensions(how, j, present));
        let across = match how.tangent {
            Tangent::GaussNewton => 0.0,
            Tangent::Psd => carried.max(0.0),
            Tangent::Exact => carried,
        };
        let along = outer(t, t);
        (
            t * tension,
            along * (stiffness * (1.0 + how.viscosity) / rest)
                + (DMat3::IDENTITY - along) * (across / present),
        )
    }

    /// κb at vertex i.
    pub(super) fn binormal(&self, q: &[f64], i: usize) -> DVec3 {
        let [a, b] = self.edges(q, i).map(|e| e / e.length());
        a.cross(b) * (2.0 / (1.0 + a.dot(b)))
    }

    /// Terms of `k/2 |κb|²`, with viscous stress on the change of |κb|.
    fn bending(&self, q: &[f64], how: &Linearisation<'_>, i: usize, tangent: Option<Tangent>) -> BendTerms {
        let edges = self.edges(q, i);
        let [la, lb] = edges.map(DVec3::length);
        let [a, b] = [edges[0] / la, edges[1] / lb];
        let (z, chi) = (a.dot(b), 1.0 + a.dot(b));
        let kb = a.cross(b) * (2.0 / chi);
        let (size, direction) = (kb.length(), kb.normalize_or_zero());
        // The share of |κb| that is new; all of it if it was and is straight.
        let before = how.strain_before.map_or(size, |before| before[FIELDS * i + 1]);
        let new = if size > 0.0 {
            1.0 - before / size
        } else {
            f64::from(u8::from(how.strain_before.is_some() && before == 0.0))
        };
        let stiffness = self.bend[i] * (1.0 + how.viscosity * new);
        let stress = kb * stiffness;
        let [across_a, across_b] = [a, b].map(|t| DMat3::IDENTITY - outer(t, t));
        // ∂κb/∂a = (−2[b]× − κb bᵀ)/χ, ∂κb/∂b = (2[a]× − κb aᵀ)/χ.
        let by_e = (-cross_matrix(b * 2.0) - outer(kb, b)) * across_a * (1.0 / (chi * la));
        let by_f = (cross_matrix(a * 2.0) - outer(kb, a)) * across_b * (1.0 / (chi * lb));
        let gradient = [by_e.transpose() * stress, by_f.transpose() * stress];
        let mut terms = BendTerms { gradient, ee: DMat3::ZERO, ef: DMat3::ZERO, ff: DMat3::ZERO };
        let Some(tangent) = tangent else { return terms };
        match tangent {
            Tangent::Exact => {
                // ½k|κb|² = 2k (1 − z)/(1 + z), and ½kν (|κb| − |κb|₀)².
                let (first, mut second) =
                    (-4.0 * stiffness / (chi * chi), 8.0 * stiffness / (chi * chi * chi));
                if size > 0.0 {
                    second += 16.0 * self.bend[i] * how.viscosity * before / (chi.powi(4) * size.powi(3));
                }
                let [za, zb] = [across_a * b / la, across_b * a / lb];
                terms.ee =
                    outer(za * second, za) - second_of_cosine(a, za * la, z, across_a) * (first / (la * la));
                terms.ff =
                    outer(zb * second, zb) - second_of_cosine(b, zb * lb, z, across_b) * (first / (lb * lb));
                terms.ef = outer(za * second, zb) + across_a * across_b * (first / (la * lb));
            }
            Tangent::GaussNewton | Tangent::Psd => {
                terms.add_square(&by_e, &by_f, self.bend[i]);
                if how.viscosity > 0.0 {
                    let along = outer(direction, direction);
                    terms.add_square(&(along * by_e), &(along * by_f), self.bend[i] * how.viscosity);
                }
            }
        }
        terms
    }

    /// Number of stretches: one of every edge.
    pub(crate) fn stretch_count(&self) -> usize {
        self.segments()
    }

    /// EA of an edge, N.
    pub(crate) fn edge_stretch(&self, j: usize) -> f64 {
        self.stretch[j]
    }

    /// The largest EA, N.
    pub(crate) fn most_stretch(&self) -> f64 {
        self.stretch.iter().fold(0.0, |most: f64, stretch| most.max(*stretch))
    }

    /// Stretch of every edge.
    pub(crate) fn stretches(&self, q: &[f64], led: Option<&[f64]>, out: &mut [f64]) {
        for (j, out) in out.iter_mut().enumerate() {
            let e = self.edge(q, j);
            let unseen = led.map_or(0.0, |led| unseen(e, self.edge(led, j)));
            *out = (e.length() - unseen) / self.edge_length - 1.0;
        }
    }

    /// `out += M v`.
    pub fn add_mass_times(&self, v: &[f64], out: &mut [f64]) {
        for (i, mass) in self.mass.iter().enumerate() {
            (0..3).for_each(|a| out[4 * i + a] += mass * v[4 * i + a]);
        }
    }
}

impl BendTerms {
    fn add_square(&mut self, by_e: &DMat3, by_f: &DMat3, k: f64) {
        self.ee += by_e.transpose() * *by_e * k;
        self.ef += by_e.transpose() * *by_f * k;
        self.ff += by_f.transpose() * *by_f * k;
    }
}

/// `a cᵀ + c aᵀ + z (I − aaᵀ)`, minus |e|² times the second derivative of z = a·b by the edge of a.
fn second_of_cosine(a: DVec3, c: DVec3, z: f64, across: DMat3) -> DMat3 {
    outer(a, c) + outer(c, a) + across * z
}

fn pull<const N: usize>(force: &mut [f64], pulls: [(usize, DVec3); N]) {
    for (i, f) in pulls {
        (0..3).for_each(|a| force[4 * i + a] += f[a]);
    }
}

fn block(m: DMat3) -> Block {
    let rows = m.transpose();
    let [a, b, c] = [rows.col(0), rows.col(1), rows.col(2)];
    [a.x, a.y, a.z, 0.0, b.x, b.y, b.z, 0.0, c.x, c.y, c.z, 0.0, 0.0, 0.0, 0.0, 0.0]
}
