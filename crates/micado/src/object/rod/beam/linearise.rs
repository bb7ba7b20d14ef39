//! Gradient and second derivative of the energy, element by element.

use super::dual::VARIABLES;
use super::element::{STRAINS, STRETCHES, TWIST};
use super::{BeamRod, CUBIC_MASS};
use crate::object::rod::Linearisation;
use crate::object::rod::blocks::{add, clear};
use crate::object::rod::stretch::unseen;
use micado_linalg::BlockMatrix;

/// The variable of an element, and its sign, for each component of its four rows of unknowns; the fourth
/// component of a tangent is unused.
const VARIABLE: [[Option<(usize, f64)>; 4]; 4] = [
    [Some((0, -1.0)), Some((1, -1.0)), Some((2, -1.0)), Some((9, 1.0))],
    [Some((3, 1.0)), Some((4, 1.0)), Some((5, 1.0)), None],
    [Some((0, 1.0)), Some((1, 1.0)), Some((2, 1.0)), Some((10, 1.0))],
    [Some((6, 1.0)), Some((7, 1.0)), Some((8, 1.0)), None],
];

impl BeamRod {
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
        clear(matrix, (0..self.segments()).map(|e| [0, 1, 2, 3].map(|k| first + self.node(e, k))));
        for e in 0..self.segments() {
            let constants = &self.elements[e];
            let stiffness = constants.stiffness.map(|k| k * (1.0 + how.viscosity));
            let terms = self.element(q, frames, e).terms(
                |strains| self.stress(how, e, strains),
                |strains| self.carried_stress(how, e, strains),
                &stiffness,
                how.tangent,
            );
            self.subtract(&terms.gradient, e, force);
            for i in 0..4 {
                for j in i..4 {
                    let mut block = [0.0; 16];
                    for r in 0..4 {
                        for c in 0..4 {
                            if let (Some((a, p)), Some((b, q))) = (VARIABLE[i][r], VARIABLE[j][c]) {
                                block[4 * r + c] = p * q * terms.stiffness[a][b];
                            }
                        }
                        if r < 3 {
                            block[5 * r] += how.mass * constants.mass * CUBIC_MASS[i][j];
                        }
                    }
                    if i == j && i % 2 == 0 {
                        block[15] += 0.5 * how.mass * constants.inertia;
                    }
                    add(matrix, first, self.node(e, i), self.node(e, j), &block);
                }
            }
        }
        for i in (1..self.nodes()).step_by(2) {
            let slot = matrix.row_start(first + i);
            matrix.values_mut()[slot][15] = 1.0;
        }
    }

    /// Energy of the strains that a linearised solve neglects, J: `Σ ½ k (s(q) − BΔ − s(q−Δ))²`, where s are
    /// all strains but twist. `q` and `frames` belong to the state after the increment Δ; frames before it
    /// are transported back from them.
    pub(crate) fn unseen_energy(&self, q: &[f64], frames: &[f64], led: &[f64]) -> f64 {
        let mut sum = 0.0;
        for e in 0..self.segments() {
            let mut moved = [0.0; VARIABLES];
            for (k, of_node) in VARIABLE.iter().enumerate() {
                let led = &led[4 * self.node(e, k)..];
                for (variable, led) in of_node.iter().zip(led) {
                    if let Some((variable, sign)) = variable {
                        moved[*variable] += sign * led;
                    }
                }
            }
            let predicted = self.element(q, frames, e).strains_before(&moved);
            let strains = self.element_before(q, led, frames, e).strains();
            for s in (0..STRAINS).filter(|&s| s != TWIST) {
                sum += 0.5 * self.elements[e].stiffness[s] * (predicted[s] - strains[s]).powi(2);
            }
        }
        sum
    }

    /// Subtracts ∇U, viscous stress included, from `force`.
    pub fn subtract_internal_force(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        force: &mut [f64],
    ) {
        for e in 0..self.segments() {
            self.subtract(&self.gradient(q, frames, how, e), e, force);
        }
    }

    /// Calls `visit(node, −∇U)` for the nodes of every element.
    pub(crate) fn visit_forces(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        mut visit: impl FnMut(usize, [f64; 4]),
    ) {
        for e in 0..self.segments() {
            let gradient = self.gradient(q, frames, how, e);
            for (k, components) in VARIABLE.iter().enumerate() {
                let component =
                    |variable: Option<(usize, f64)>| variable.map_or(0.0, |(v, s)| -s * gradient[v]);
                visit(self.node(e, k), components.map(component));
            }
        }
    }

    /// ∇U of element e, with the tension of the carried stretches.
    fn gradient(&self, q: &[f64], frames: &[f64], how: &Linearisation<'_>, e: usize) -> [f64; VARIABLES] {
        self.element(q, frames, e).gradient(|strains| self.carried_stress(how, e, strains))
    }

    /// dU/ds of element e, with viscous stresses.
    fn stress(&self, how: &Linearisation<'_>, e: usize, strains: &[f64; STRAINS]) -> [f64; STRAINS] {
        let constants = &self.elements[e];
        std::array::from_fn(|s| {
            let since = how.strain_before.map_or(0.0, |before| strains[s] - before[STRAINS * e + s]);
            constants.stiffness[s] * (strains[s] - constants.natural[s] + how.viscosity * since)
        })
    }

    /// The stress that turns with the element: that of the stretches of the last pass.
    fn carried_stress(&self, how: &Linearisation<'_>, e: usize, strains: &[f64; STRAINS]) -> [f64; STRAINS] {
        let mut strains = *strains;
        if let Some(carried) = how.carried {
            for (s, stretch) in STRETCHES.into_iter().zip(&carried[STRETCHES.len() * e..]) {
                strains[s] = *stretch;
            }
        }
        self.stress(how, e, &strains)
    }

    /// Number of stretches: of the chord and of two tangents of every element.
    pub(crate) fn stretch_count(&self) -> usize {
        STRETCHES.len() * self.segments()
    }

    /// EA of an element, N.
    pub(crate) fn edge_stretch(&self, e: usize) -> f64 {
        self.elements[e].stiffness[0] / self.element_length
    }

    /// The largest EA, N.
    pub(crate) fn most_stretch(&self) -> f64 {
        (0..self.segments()).fold(0.0, |most: f64, e| most.max(self.edge_stretch(e)))
    }

    /// Stretches of every element. The part due to its arc is that of the present state.
    pub(crate) fn stretches(&self, q: &[f64], frames: &[f64], led: Option<&[f64]>, out: &mut [f64]) {
        for (e, out) in out.as_chunks_mut::<3>().0.iter_mut().enumerate() {
            let element = self.element(q, frames, e);
            let strains = element.strains();
            *out = STRETCHES.map(|s| strains[s]);
            if let Some(led) = led {
                let chord = unseen(element.chord, Self::point(led, self.end(e)) - Self::point(led, e));
                out[0] -= chord / self.element_length;
                for (k, joint) in [e, self.end(e)].into_iter().enumerate() {
                    let tangent = unseen(element.ends[k].d, Self::tangent(led, joint));
                    out[1 + k] -= (tangent - chord) / self.element_length;
                }
            }
        }
    }

    fn subtract(&self, gradient: &[f64; VARIABLES], e: usize, force: &mut [f64]) {
        for (k, components) in VARIABLE.iter().enumerate() {
            let node = self.node(e, k);
            for (a, variable) in components.iter().enumerate() {
                if let Some((v, sign)) = *variable {
                    force[4 * node + a] -= sign * gradient[v];
                }
            }
        }
    }

    /// `out += M v`.
    pub fn add_mass_times(&self, v: &[f64], out: &mut [f64]) {
        for (e, constants) in self.elements.iter().enumerate() {
            let nodes = [0, 1, 2, 3].map(|k| 4 * self.node(e, k));
            for (i, masses) in nodes.into_iter().zip(CUBIC_MASS) {
                for (j, mass) in nodes.into_iter().zip(masses) {
                    for a in 0..3 {
                        out[i + a] += constants.mass * mass * v[j + a];
                    }
                }
            }
            for i in [nodes[0], nodes[2]] {
                out[i + 3] += 0.5 * constants.inertia * v[i + 3];
            }
        }
    }

    /// Adds half the mass of an element at each of its nodes, and the diagonal of the mass matrix at their
    /// tangents.
    pub(crate) fn add_lumped_mass(&self, out: &mut [f64]) {
        for (e, constants) in self.elements.iter().enumerate() {
            for k in 0..4 {
                let i = 4 * self.node(e, k);
                let share = if k % 2 == 0 { 0.5 } else { CUBIC_MASS[k][k] };
                (0..3).for_each(|a| out[i + a] += share * constants.mass);
                out[i + 3] += if k % 2 == 0 { 0.5 * constants.inertia } else { 0.0 };
            }
        }
    }
}
