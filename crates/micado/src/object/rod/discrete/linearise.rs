//! Gradient and second derivative of the energy, edge by edge and vertex by vertex.

use super::round::{Round, RoundEdge};
use super::vertex::{STRAINS, Vertex, VertexTerms};
use super::{DiscreteRod, FIELDS};
use crate::geometry::rotation::outer;
use crate::object::rod::blocks::{add, add_near, clear, clear_band};
use crate::object::rod::stretch::unseen;
use crate::object::rod::{Linearisation, Tangent};
use glam::{DMat3, DVec3};
use micado_linalg::{Block, BlockMatrix};

impl DiscreteRod {
    /// Writes `mass·M + K (+ viscosity)` to `matrix` at the rod's rows and subtracts ∇U from `force`, as
    /// [`SplineRod::linearise`](crate::object::rod::spline::SplineRod::linearise) does.
    pub fn linearise(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        first: usize,
        matrix: &mut BlockMatrix,
        force: &mut [f64],
    ) {
        if self.closed {
            clear(matrix, (0..self.segments()).map(|e| [0, 1, 2, 3].map(|k| first + self.node(e, k))));
            self.add_terms(q, frames, how, force, |row, column, block| {
                add(matrix, first, row, column, block);
            });
        } else {
            clear_band(matrix, first, self.nodes());
            self.add_terms(q, frames, how, force, |row, column, block| {
                add_near(matrix, first, row, column, block);
            });
        }
        for i in 0..self.nodes() {
            let slot = matrix.row_start(first + i);
            let diagonal = &mut matrix.values_mut()[slot];
            for a in 0..3 {
                diagonal[5 * a] += how.mass * self.mass[i];
            }
            // The last vertex of an open rod has no edge after it, and no angle.
            diagonal[15] +=
                if self.closed || i + 1 < self.nodes() { how.mass * self.inertia[i] } else { 1.0 };
        }
    }

    /// Subtracts ∇U from `force` and calls `put(row, column, block)` for the blocks of K.
    fn add_terms(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        force: &mut [f64],
        mut put: impl FnMut(usize, usize, &Block),
    ) {
        self.visit_edges(q, frames, how, true, |j, gradient, stiffness| {
            self.add_edge_force(j, gradient, force);
            let block = block(stiffness, DVec3::ZERO, DVec3::ZERO, 0.0);
            let (a, b) = (j, self.end(j));
            put(a, a, &block);
            put(b, b, &block);
            put(a, b, &block.map(|x| -x));
        });
        self.visit_bends(q, frames, how, Some(how.tangent), |i, terms| {
            self.add_bend_force(i, terms, force);
            let [a, b, c] = self.bend_nodes(i);
            let VertexTerms {
                ee,
                ef,
                ff,
                edge_theta: [[e_e, e_f], [f_e, f_f]],
                theta_theta: [t_ee, t_ef, t_ff],
                ..
            } = *terms;
            let fe = ef.transpose();
            put(a, a, &block(ee, -e_e, -e_e, t_ee));
            put(a, b, &block(ef - ee, -e_f, e_e - f_e, t_ef));
            put(a, c, &block(-ef, DVec3::ZERO, f_e, 0.0));
            put(b, b, &block(ee - ef - fe + ff, e_f - f_f, e_f - f_f, t_ff));
            put(b, c, &block(ef - ff, DVec3::ZERO, f_f, 0.0));
            put(c, c, &block(ff, DVec3::ZERO, DVec3::ZERO, 0.0));
        });
    }

    /// Subtracts ∇U, viscous stress included, from `force`.
    pub fn subtract_internal_force(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        force: &mut [f64],
    ) {
        self.visit_edges(q, frames, how, false, |j, gradient, _| self.add_edge_force(j, gradient, force));
        self.visit_bends(q, frames, how, None, |i, terms| self.add_bend_force(i, terms, force));
    }

    /// Calls `visit(node, −∇U)` for the vertices of every edge, then of every bend.
    pub(crate) fn visit_forces(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        mut visit: impl FnMut(usize, [f64; 4]),
    ) {
        let with = |x: DVec3, theta: f64| [x.x, x.y, x.z, theta];
        self.visit_edges(q, frames, how, false, |j, gradient, _| {
            visit(j, with(gradient, 0.0));
            visit(self.end(j), with(-gradient, 0.0));
        });
        self.visit_bends(q, frames, how, None, |i, terms| {
            let ([a, b, c], [e, f]) = (self.bend_nodes(i), terms.gradient);
            visit(a, with(e, -terms.gradient_theta[0]));
            visit(b, with(f - e, -terms.gradient_theta[1]));
            visit(c, with(-f, 0.0));
        });
    }

    fn add_edge_force(&self, j: usize, gradient: DVec3, force: &mut [f64]) {
        for a in 0..3 {
            force[4 * j + a] += gradient[a];
            force[4 * self.end(j) + a] -= gradient[a];
        }
    }

    fn add_bend_force(&self, i: usize, terms: &VertexTerms, force: &mut [f64]) {
        let ([a, b, c], [e, f]) = (self.bend_nodes(i), terms.gradient);
        for r in 0..3 {
            force[4 * a + r] += e[r];
            force[4 * b + r] += f[r] - e[r];
            force[4 * c + r] -= f[r];
        }
        force[4 * a + 3] -= terms.gradient_theta[0];
        force[4 * b + 3] -= terms.gradient_theta[1];
    }

    /// Calls `visit(edge, ∂U/∂e, ∂²U/∂e²)` for the stretch of every edge: `EA ε t` and `EA/ē ttᵀ + (EA
    /// ε/|e|)(I − ttᵀ)`. An edge of fixed length has no energy, but the tension λ of its row in the last
    /// solve turns with the edge: `(λ/|e|)(I − ttᵀ)`.
    fn visit_edges(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        second: bool,
        mut visit: impl FnMut(usize, DVec3, DMat3),
    ) {
        if self.inextensible && !second {
            return;
        }
        for j in 0..self.segments() {
            let e = self.edge(q, j);
            let (present, rest) = (e.length(), self.lengths[j]);
            let (t, strain) = (e / present, present / rest - 1.0);
            let stiffness = self.edge_stretch(j);
            let since = how.strain_before.map_or(0.0, |before| strain - before[FIELDS * j + STRAINS]);
            let stress = stiffness * (strain + how.viscosity * since);
            let tension = if self.inextensible {
                self.tensions(frames)[j]
            } else {
                // With the stretch of the last pass instead of the present one.
                let damped = if how.strain_before.is_some() { 1.0 + how.viscosity } else { 1.0 };
                how.carried.map_or(stress, |carried| stress + stiffness * damped * (carried[j] - strain))
            };
            let mut k = DMat3::ZERO;
            if second {
                let along = outer(t, t);
                k = along * (stiffness * (1.0 + how.viscosity) / rest);
                let across = match how.tangent {
                    Tangent::GaussNewton => 0.0,
                    Tangent::Psd => tension.max(0.0),
                    Tangent::Exact => tension,
                };
                k += (DMat3::IDENTITY - along) * (across / present);
            }
            visit(j, t * if second { stress } else { tension }, k);
        }
    }

    fn round_edge(&self, q: &[f64], j: usize) -> RoundEdge {
        let e = self.edge(q, j);
        let inverse_length = 1.0 / e.length();
        RoundEdge { t: e * inverse_length, inverse_length }
    }

    /// Calls `visit(vertex, terms)` for every bend.
    fn visit_bends(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        tangent: Option<Tangent>,
        mut visit: impl FnMut(usize, &VertexTerms),
    ) {
        let bent = self.bent();
        // The exact derivative keeps the material directions of viscous stiffness.
        let exact = tangent == Some(Tangent::Exact);
        if self.bends_all_alike && how.strain_before.is_none() && !(exact && how.viscosity != 0.0) {
            let mut before = self.round_edge(q, self.around(bent.start)[0]);
            for i in bent {
                let (behind, [bend, .., twist]) = (self.round_edge(q, i), self.bends[i].stiffness);
                let stress = twist * (self.twist(q, frames, i) - self.bends[i].natural[STRAINS - 1]);
                let round = Round::new([before, behind]);
                // Each of the two edges has half of the stiffness.
                let stiffness = [2.0 * bend, twist];
                let mut terms = round.gradient(stiffness[0], stress);
                match tangent {
                    None => {}
                    Some(Tangent::Exact) => round.set_exact(stiffness, stress, &mut terms),
                    Some(Tangent::GaussNewton | Tangent::Psd) => {
                        round.set_squares(stiffness.map(|k| k * (1.0 + how.viscosity)), &mut terms);
                    }
                }
                visit(i, &terms);
                before = behind;
            }
            return;
        }
        let mut before = self.seen(q, frames, self.around(bent.start)[0]);
        for i in bent {
            let behind = self.seen(q, frames, i);
            let vertex = Vertex::new([before, behind], self.twist(q, frames, i));
            let (strains, constants) = (vertex.strains(), &self.bends[i]);
            let stress = std::array::from_fn(|s| {
                let since = how.strain_before.map_or(0.0, |before| strains[s] - before[FIELDS * i + s]);
                constants.stiffness[s] * (strains[s] - constants.natural[s] + how.viscosity * since)
            });
            let stiffness = constants.stiffness.map(|k| k * (1.0 + how.viscosity));
            visit(i, &vertex.terms(&stress, &stiffness, tangent));
            before = behind;
        }
    }

    /// Number of stretches: one of every edge.
    pub(crate) fn stretch_count(&self) -> usize {
        if self.inextensible { 0 } else { self.segments() }
    }

    /// EA of an edge, N.
    pub(crate) fn edge_stretch(&self, j: usize) -> f64 {
        self.stretch[j] * self.shares[j]
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
            *out = (e.length() - unseen) / self.lengths[j] - 1.0;
        }
    }

    /// `out += M v`.
    pub fn add_mass_times(&self, v: &[f64], out: &mut [f64]) {
        for i in 0..self.nodes() {
            for a in 0..3 {
                out[4 * i + a] += self.mass[i] * v[4 * i + a];
            }
            out[4 * i + 3] += self.inertia[i] * v[4 * i + 3];
        }
    }
}

/// A block of the matrix: positions with positions, position of the row with the angle of the column, angle
/// of the row with position of the column, angle with angle.
fn block(xx: DMat3, x_theta: DVec3, theta_x: DVec3, theta_theta: f64) -> Block {
    let rows = xx.transpose();
    let row = |r: usize| [rows.col(r).x, rows.col(r).y, rows.col(r).z, x_theta[r]];
    let [[a, b, c, d], [e, f, g, h], [i, j, k, l]] = [row(0), row(1), row(2)];
    [a, b, c, d, e, f, g, h, i, j, k, l, theta_x.x, theta_x.y, theta_x.z, theta_theta]
}
