//! Gradient and Hessian of the rod's energy, segment by segment: the scalar form.
//!
//! It is the reference for tests of the fast kernels, and the portable path.

use super::layout::{LANES, POINTS, STRETCHES, blocks, index, rest, strain, stretch_index};
use super::{SplineRod, combine, kernel};
use crate::geometry::quadrature::GAUSS_3;
use crate::geometry::rotation::outer;
use crate::object::rod::blocks::clear_band;
use crate::object::rod::strain::{frenet, natural};
use crate::object::rod::stretch::unseen;
use crate::object::rod::{Linearisation, Tangent};
use glam::{DMat3, DVec3};
use micado_linalg::{Arithmetic, BlockMatrix};

/// Element matrix of a segment in its four control points: blocks of position, coupling and roll.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    pub(crate) xx: [[DMat3; 4]; 4],
    /// Position of the first index, roll of the second.
    pub(crate) x_theta: [[DVec3; 4]; 4],
    pub(crate) theta_theta: [[f64; 4]; 4],
    pub(crate) gradient_x: [DVec3; 4],
    pub(crate) gradient_theta: [f64; 4],
}

impl Element {
    const ZERO: Self = Self {
        xx: [[DMat3::ZERO; 4]; 4],
        x_theta: [[DVec3::ZERO; 4]; 4],
        theta_theta: [[0.0; 4]; 4],
        gradient_x: [DVec3::ZERO; 4],
        gradient_theta: [0.0; 4],
    };
}

impl SplineRod {
    /// Writes the system matrix `mass·M + K (+ viscosity)` to `matrix` at the rod's rows and subtracts ∇U
    /// from `force`.
    ///
    /// `q` and `force` are the rod's own slices; `first` is its first node in the matrix. Row i of the matrix
    /// must begin with the blocks (i,i), (i,i+1), (i,i+2), (i,i+3), as far as they exist. Rods write first:
    /// blocks between nodes of the rod that share a segment are overwritten and need not be zero; other terms
    /// are added later.
    pub fn linearise(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        first: usize,
        matrix: &mut BlockMatrix,
        force: &mut [f64],
    ) {
        self.clear_beyond_seam(first, matrix);
        if kernel::linearise(self, q, frames, how, first, matrix, force) {
            return;
        }
        debug_assert!(how.ahead.is_none(), "the scalar form needs frames of the present state");
        clear_band(matrix, first, self.nodes());
        for e in 0..self.segments {
            let element = self.element(q, frames, how, e, true);
            for i in 0..4 {
                for j in i..4 {
                    self.add_block(&element, e, i, j, first, matrix);
                }
            }
            self.subtract_gradient(&element, e, force);
        }
        self.add_mass(how.mass, first, matrix);
    }

    /// Whether [`SplineRod::linearise`] transports the frames of an earlier state.
    pub(crate) fn transports_frames(&self, arithmetic: Arithmetic) -> bool {
        kernel::supports(self, arithmetic)
    }

    /// Zeroes the blocks that couple the two ends of a closed rod, except those that belong to the band as
    /// well.
    fn clear_beyond_seam(&self, first: usize, matrix: &mut BlockMatrix) {
        let n = self.nodes();
        if self.is_closed() {
            for (i, j) in (0..3).flat_map(|i| (n - 3 + i..n).map(move |j| (i, j))).filter(|(i, j)| j - i > 3)
            {
                let slot = block_slot(matrix, first + i, first + j);
                matrix.values_mut()[slot] = [0.0; 16];
            }
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

    /// Calls `visit(node, −∇U)` for the control points of every segment.
    pub(crate) fn visit_forces(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        mut visit: impl FnMut(usize, [f64; 4]),
    ) {
        for e in 0..self.segments {
            let element = self.element(q, frames, how, e, false);
            for (k, (x, theta)) in element.gradient_x.iter().zip(element.gradient_theta).enumerate() {
                visit(self.node(e, k), [-x.x, -x.y, -x.z, -theta]);
            }
        }
    }

    fn subtract_gradient(&self, element: &Element, e: usize, force: &mut [f64]) {
        for k in 0..4 {
            let n = 4 * self.node(e, k);
            force[n] -= element.gradient_x[k].x;
            force[n + 1] -= element.gradient_x[k].y;
            force[n + 2] -= element.gradient_x[k].z;
            force[n + 3] -= element.gradient_theta[k];
        }
    }

    fn add_block(
        &self,
        element: &Element,
        e: usize,
        i: usize,
        j: usize,
        first: usize,
        matrix: &mut BlockMatrix,
    ) {
        let (row, column) = (first + self.node(e, i), first + self.node(e, j));
        // A closed rod wraps around: then the later control point of the pair is the earlier node.
        let (row, column, i, j) = if row <= column { (row, column, i, j) } else { (column, row, j, i) };
        let xx = if i <= j { element.xx[i][j] } else { element.xx[j][i].transpose() };
        let theta_theta = if i <= j { element.theta_theta[i][j] } else { element.theta_theta[j][i] };
        let slot = block_slot(matrix, row, column);
        let block = &mut matrix.values_mut()[slot];
        for a in 0..3 {
            for b in 0..3 {
                block[4 * a + b] += xx.col(b)[a];
            }
            block[4 * a + 3] += element.x_theta[i][j][a];
            block[12 + a] += element.x_theta[j][i][a];
        }
        block[15] += theta_theta;
    }

    /// Adds `factor·M`.
    fn add_mass(&self, factor: f64, first: usize, matrix: &mut BlockMatrix) {
        if factor == 0.0 {
            return;
        }
        let n = self.nodes();
        for i in 0..n {
            for k in 0..4 {
                let (row, column) = match i + k {
                    j if j < n => (first + i, first + j),
                    j if self.is_closed() => (first + j - n, first + i),
                    _ => continue,
                };
                let slot = block_slot(matrix, row, column);
                let block = &mut matrix.values_mut()[slot];
                let (translation, rotation) = (factor * self.mass[i][k], factor * self.mass[i][4 + k]);
                block[0] += translation;
                block[5] += translation;
                block[10] += translation;
                block[15] += rotation;
            }
        }
    }

    /// `out += M v`, the same bits in every arithmetic.
    pub fn add_mass_times(&self, v: &[f64], out: &mut [f64]) {
        let n = self.nodes();
        let (v, out) = (v.as_chunks::<4>().0, out.as_chunks_mut::<4>().0);
        // Node i with the next three, and these with it.
        let inner = n - 3;
        for (i, m) in self.mass[..inner].iter().enumerate() {
            let v: &[[f64; 4]; 4] = v[i..i + 4].try_into().expect("four");
            let out: &mut [[f64; 4]; 4] = (&mut out[i..i + 4]).try_into().expect("four");
            let factor: [[f64; 4]; 4] = std::array::from_fn(|k| [m[k], m[k], m[k], m[4 + k]]);
            let own: [f64; 4] = std::array::from_fn(|a| {
                out[0][a]
                    + factor[0][a] * v[0][a]
                    + factor[1][a] * v[1][a]
                    + factor[2][a] * v[2][a]
                    + factor[3][a] * v[3][a]
            });
            out[0] = own;
            for k in 1..4 {
                let other: [f64; 4] = std::array::from_fn(|a| out[k][a] + factor[k][a] * v[0][a]);
                out[k] = other;
            }
        }
        // The last three have fewer after them, or the first ones in a closed rod.
        for i in inner..n {
            for k in 0..4 {
                let j = match i + k {
                    j if j < n => j,
                    j if self.is_closed() => j - n,
                    _ => continue,
                };
                let m = &self.mass[i];
                let factor = [m[k], m[k], m[k], m[4 + k]];
                for a in 0..4 {
                    out[i][a] += factor[a] * v[j][a];
                    if k > 0 {
                        out[j][a] += factor[a] * v[i][a];
                    }
                }
            }
        }
    }

    /// Gradient of one segment and, if `second`, its Hessian.
    pub(crate) fn element(
        &self,
        q: &[f64],
        frames: &[f64],
        how: &Linearisation<'_>,
        e: usize,
        second: bool,
    ) -> Element {
        let (x, theta) = self.control(q, e);
        let table = self.table(e);
        let mut out = Element::ZERO;
        let locals: [natural::Local; POINTS] = std::array::from_fn(|g| self.local(&x, &theta, frames, e, g));
        let points = locals.map(|local| natural::Point::new(&local));
        let by_mean = self.has_material_frame();
        let torques = if by_mean { self.add_twist(&points, how, e, second, &mut out) } else { [0.0; POINTS] };
        let segment = frenet::Segment { e, x: &x, how, second };
        for g in 0..POINTS {
            let weight = GAUSS_3[g].1;
            let mut stress = self.stress(how, e, g, points[g].y);
            if !by_mean {
                frenet::add_twist(self, &segment, g, &locals[g], &mut out);
            }
            stress.twist = torques[g];
            add_point(&points[g], &stress, how.tangent, weight, &table.weights[g], second, &mut out);
        }
        self.add_stretch(&points, how, e, second, &mut out);
        out
    }

    /// A strain minus its natural value, plus ν times its increase since the strain before.
    pub(in crate::object::rod) fn strained(
        &self,
        how: &Linearisation<'_>,
        e: usize,
        g: usize,
        present: f64,
        field: usize,
        natural: usize,
    ) -> f64 {
        let before = how.strain_before.map_or(present, |s| s[index(e, g, field, strain::FIELDS)]);
        (present - self.rest[index(e, g, natural, rest::FIELDS)]) + how.viscosity * (present - before)
    }

    /// Bending moments at a quadrature point from y₁ and y₂; the twist is set later.
    fn stress(&self, how: &Linearisation<'_>, e: usize, g: usize, y: [f64; 2]) -> natural::Stress {
        let constant = |field| self.rest[index(e, g, field, rest::FIELDS)];
        let j = constant(rest::J);
        let viscous = 1.0 + how.viscosity;
        // Viscous stress follows material directions, so that spin of a bent rod is resisted; isotropic
        // elastic stress doesn't.
        let spin =
            if self.isotropic_straight && how.tangent != Tangent::Exact { how.viscosity } else { viscous };
        natural::Stress {
            bend: [
                constant(rest::EI1) * self.strained(how, e, g, y[0] / j, strain::K1, rest::K1),
                constant(rest::EI2) * self.strained(how, e, g, y[1] / j, strain::K2, rest::K2),
            ],
            twist: 0.0,
            bend_stiffness: [constant(rest::EI1) * viscous / j, constant(rest::EI2) * viscous / j],
            spin_stiffness: [constant(rest::EI1) * spin / j, constant(rest::EI2) * spin / j],
        }
    }

    /// Twist from the mean T̄ of a segment and a share α of its slope T̂, minus the natural one: `U = ½ GJ/l
    /// (T̄² + 3 α T̂²)`, `T̄ = Σ w T`, `T̂ = Σ w ξ T`, ξ = 2f − 1. Adds the squares of their derivatives, and
    /// returns the torques at the quadrature points.
    fn add_twist(
        &self,
        points: &[natural::Point; POINTS],
        how: &Linearisation<'_>,
        e: usize,
        second: bool,
        out: &mut Element,
    ) -> [f64; POINTS] {
        let table = self.table(e);
        let (mut mean, mut slope) = (0.0, 0.0);
        let (mut mean_row, mut slope_row) = ([(DVec3::ZERO, 0.0); 4], [(DVec3::ZERO, 0.0); 4]);
        for (g, (f, weight)) in GAUSS_3.into_iter().enumerate() {
            let point = &points[g];
            let j = self.rest[index(e, g, rest::J, rest::FIELDS)];
            let xi = 2.0 * f - 1.0;
            let twisted = weight * j * self.strained(how, e, g, point.twist / j, strain::TAU, rest::TAU);
            mean += twisted;
            slope += xi * twisted;
            for i in 0..4 {
                let db = weight * table.weights[g].db[i];
                let row = point.b * (db / point.l);
                mean_row[i] = (mean_row[i].0 + row, mean_row[i].1 + db);
                slope_row[i] = (slope_row[i].0 + row * xi, slope_row[i].1 + db * xi);
            }
        }
        let (stiffness, share) = (self.twist[e] / self.lengths[e], 3.0 * self.twist_alphas[e]);
        if second {
            let factor = stiffness * (1.0 + how.viscosity);
            for i in 0..4 {
                for k in 0..4 {
                    out.x_theta[i][k] +=
                        (mean_row[i].0 * mean_row[k].1 + slope_row[i].0 * (share * slope_row[k].1)) * factor;
                    if k >= i {
                        out.xx[i][k] += (outer(mean_row[i].0, mean_row[k].0)
                            + outer(slope_row[i].0, slope_row[k].0) * share)
                            * factor;
                        out.theta_theta[i][k] += (mean_row[i].1 * mean_row[k].1
                            + slope_row[i].1 * slope_row[k].1 * share)
                            * factor;
                    }
                }
            }
        }
        GAUSS_3.map(|(f, _)| stiffness * (mean + share * (2.0 * f - 1.0) * slope))
    }

    /// Mean and slope of the elongation of a segment, l ε̄ and l ε̂, from |r'| at its quadrature points.
    fn elongation(&self, e: usize, speed: impl Fn(usize) -> f64) -> [f64; STRETCHES] {
        let (mut mean, mut slope) = (0.0, 0.0);
        for (g, (f, weight)) in GAUSS_3.into_iter().enumerate() {
            let elongation = weight * (speed(g) - self.rest[index(e, g, rest::STRETCH_J, rest::FIELDS)]);
            mean += elongation;
            slope += (2.0 * f - 1.0) * elongation;
        }
        [mean, slope]
    }

    /// Number of stretches: mean and slope of the elongation of every segment.
    pub fn stretch_count(&self) -> usize {
        blocks(self.segments) * STRETCHES * LANES
    }

    /// EA at an edge between control points, N.
    pub(crate) fn edge_stretch(&self, j: usize) -> f64 {
        let segment = if self.is_closed() { j } else { j.saturating_sub(1) };
        self.stretch[segment.min(self.segments - 1)]
    }

    /// The largest mean strain of a segment.
    pub(crate) fn largest_stretch(&self, stretches: &[f64]) -> f64 {
        let strains = (0..self.segments).map(|e| stretches[stretch_index(e, 0)] / self.stretch_lengths[e]);
        strains.fold(0.0, |most: f64, strain| most.max(strain.abs()))
    }

    /// The largest EA, N.
    pub(crate) fn most_stretch(&self) -> f64 {
        self.stretch.iter().fold(0.0, |most: f64, stretch| most.max(*stretch))
    }

    /// Mean and slope of the elongation of every segment or, given the increment that led to the state, their
    /// linear prediction.
    pub fn stretches(&self, q: &[f64], led: Option<&[f64]>, out: &mut [f64], arithmetic: Arithmetic) {
        if kernel::stretches(self, q, led, out, arithmetic) {
            return;
        }
        for e in 0..self.segments {
            let (x, _) = self.control(q, e);
            let led = led.map(|led| self.control(led, e).0);
            let table = self.table(e);
            let speed = |g: usize| {
                let db = &table.weights[g].db;
                let p = combine(db, &x);
                p.length() - led.as_ref().map_or(0.0, |led| unseen(p, combine(db, led)))
            };
            for (k, elongation) in self.elongation(e, speed).into_iter().enumerate() {
                out[stretch_index(e, k)] = elongation;
            }
        }
    }

    /// Stretch from the mean ε̄ of a segment and a share α of its slope ε̂:
    /// `U = ½ EA l (ε̄² + 3 α ε̂²)`, `ε̂ = Σ w j ξ ε/l`, ξ = 2f − 1.
    fn add_stretch(
        &self,
        points: &[natural::Point; POINTS],
        how: &Linearisation<'_>,
        e: usize,
        second: bool,
        out: &mut Element,
    ) {
        let table = self.table(e);
        let (length, alpha, stiffness) = (self.stretch_lengths[e], self.alphas[e], self.stretch[e]);
        let viscous = 1.0 + how.viscosity;
        let (mut mean, mut slope) = (0.0, 0.0);
        for (g, (f, weight)) in GAUSS_3.into_iter().enumerate() {
            let j = self.rest[index(e, g, rest::STRETCH_J, rest::FIELDS)];
            let epsilon = points[g].l / j - 1.0;
            let before =
                how.strain_before.map_or(epsilon, |s| s[index(e, g, strain::EPSILON, strain::FIELDS)]);
            let strained = weight * j / length * (epsilon + how.viscosity * (epsilon - before));
            mean += strained;
            slope += (2.0 * f - 1.0) * strained;
        }
        let (carried_mean, carried_slope) = match how.carried {
            Some(carried) => {
                // With the elongation of the last pass instead of the present one.
                let damped = if how.strain_before.is_some() { viscous } else { 1.0 };
                let present = self.elongation(e, |g| points[g].l);
                let change = |k: usize| damped / length * (carried[stretch_index(e, k)] - present[k]);
                (mean + change(0), slope + change(1))
            }
            None => (mean, slope),
        };
        let (mut mean_row, mut slope_row) = ([DVec3::ZERO; 4], [DVec3::ZERO; 4]);
        for (g, (f, weight)) in GAUSS_3.into_iter().enumerate() {
            let natural::Point { l, t, .. } = points[g];
            let xi = 2.0 * f - 1.0;
            let tension = stiffness * (carried_mean + 3.0 * alpha * xi * carried_slope);
            let force = if second { stiffness * (mean + 3.0 * alpha * xi * slope) } else { tension };
            let db = &table.weights[g].db;
            for i in 0..4 {
                let row = t * (weight * db[i] / length);
                mean_row[i] += row;
                slope_row[i] += row * xi;
                out.gradient_x[i] += t * (weight * force * db[i]);
            }
            let geometric = match how.tangent {
                Tangent::GaussNewton => 0.0,
                Tangent::Psd => tension.max(0.0) / l,
                Tangent::Exact => tension / l,
            };
            if second && geometric != 0.0 {
                let h = (DMat3::IDENTITY - outer(t, t)) * geometric;
                for i in 0..4 {
                    for k in i..4 {
                        out.xx[i][k] += h * (weight * db[i] * db[k]);
                    }
                }
            }
        }
        if second {
            let factor = stiffness * viscous * length;
            for i in 0..4 {
                for k in i..4 {
                    out.xx[i][k] += (outer(mean_row[i], mean_row[k])
                        + outer(slope_row[i], slope_row[k]) * (3.0 * alpha))
                        * factor;
                }
            }
        }
    }
}

/// Bending and natural twist of one quadrature point, by the chain rule to the four control points.
fn add_point(
    point: &natural::Point,
    stress: &natural::Stress,
    tangent: Tangent,
    weight: f64,
    w: &crate::geometry::basis::Weights,
    second: bool,
    out: &mut Element,
) {
    let g = natural::gradient(point, stress);
    for i in 0..4 {
        out.gradient_x[i] += (g.p * w.db[i] + g.q * w.ddb[i]) * weight;
        out.gradient_theta[i] += (g.theta * w.b[i] + g.dtheta * w.db[i]) * weight;
    }
    if !second {
        return;
    }
    let mut h = natural::gauss_newton(point, stress);
    if tangent == Tangent::Exact {
        natural::add_geometric(point, stress, &mut h);
    }
    let qp = h.pq.transpose();
    for i in 0..4 {
        // X_i = b_i' H_pp + b_i'' H_qp, Y_i = b_i' H_pq + b_i'' H_qq
        let x_i = (h.pp * w.db[i] + qp * w.ddb[i]) * weight;
        let y_i = (h.pq * w.db[i] + h.qq * w.ddb[i]) * weight;
        let theta_i = (h.p_theta * w.db[i] + h.q_theta * w.ddb[i]) * weight;
        for j in 0..4 {
            out.x_theta[i][j] += theta_i * w.b[j];
            if j >= i {
                out.xx[i][j] += x_i * w.db[j] + y_i * w.ddb[j];
                out.theta_theta[i][j] += weight * h.theta_theta * w.b[i] * w.b[j];
            }
        }
    }
}

/// Slot of the block (row, column) of two nodes of a rod; one that couples the ends of a closed rod must be
/// searched.
pub(super) fn block_slot(matrix: &BlockMatrix, row: usize, column: usize) -> usize {
    if column - row <= 3 {
        matrix.row_start(row) + (column - row)
    } else {
        matrix.slot(row as u32, column as u32).expect("the pattern of a closed rod joins its ends")
    }
}
