//! Read-outs anywhere on the rod.

use super::layout::{LANES, POINTS, blocks, index, rest, strain};
use super::{SplineRod, combine, combine_scalar, frames, kernel};
use crate::geometry::quadrature::GAUSS_3;
use crate::object::rod::strain::natural;
use crate::object::rod::{ElasticEnergy, Section};
use glam::DVec3;
use micado_linalg::Arithmetic;

impl SplineRod {
    /// Section at coordinate `f` of segment `e`; `q` is the rod's own slice.
    ///
    /// Stiffness and natural curvature are those of the nearest quadrature point; the frame's twist is
    /// interpolated.
    pub fn section(&self, q: &[f64], frames: &[f64], e: usize, f: f64) -> Section {
        let (x, theta) = self.control(q, e);
        let table = self.table(e);
        let w = table.basis.weights(f);
        let nearest = frames::nearest_point(f);
        let constant = |field: usize| self.rest[index(e, nearest, field, rest::FIELDS)];
        let local = natural::Local {
            p: combine(&w.db, &x),
            q: combine(&w.ddb, &x),
            theta: combine_scalar(&w.b, &theta),
            dtheta: combine_scalar(&w.db, &theta),
            a1: self.reference_director(q, frames, e, f),
            tau_ref: frames::quadratic(&frames::twists(frames, e), f),
        };
        let point = natural::Point::new(&local);
        let j = self.rest_metric(e, f);
        let (twist, torque) = if self.has_material_frame() {
            self.mean_twist(q, frames, e, f)
        } else {
            let twist = self.total_twist(&local, &x, e) / j;
            (twist, constant(rest::GJ) * (twist - constant(rest::TAU)))
        };
        let tension = self.tension(q, e, f);
        let bend = [
            constant(rest::EI1) * (point.y[0] / j - constant(rest::K1)),
            constant(rest::EI2) * (point.y[1] / j - constant(rest::K2)),
        ];
        Section {
            position: combine(&w.b, &x),
            tangent: point.t,
            director: point.m[0],
            stretch: tension / self.stretch[e],
            tension,
            // curvature towards m₁ turns the tangent about t×m₁ = m₂, towards m₂ about −m₁
            bending_moment: point.m[1] * bend[0] - point.m[0] * bend[1],
            curvature: local.p.cross(local.q).length() / point.l.powi(3),
            torque,
            twist,
            radius: self.radius(e),
        }
    }

    /// Tension at coordinate `f` of segment `e`, N: the line through the means of the two nearest segments.
    fn tension(&self, q: &[f64], e: usize, f: f64) -> f64 {
        let mean = |e: usize| self.stretch[e] * self.mean_stretch(&self.control(q, e).0, e);
        let n = self.segments;
        let (a, b) = match (f < 0.5, self.is_closed()) {
            (true, true) => ((e + n - 1) % n, e),
            (false, true) => (e, (e + 1) % n),
            (true, false) if e > 0 => (e - 1, e),
            (false, false) if e + 1 < n => (e, e + 1),
            // The line extends beyond the last two middles.
            (true, false) => (e, (e + 1).min(n - 1)),
            (false, false) => (e.saturating_sub(1), e),
        };
        if a == b {
            return mean(e);
        }
        // The distance of the middles is half the length of both segments.
        let (half_a, half_b) = (0.5 * self.lengths[a], 0.5 * self.lengths[b]);
        let from_middle =
            if a == e { (f - 0.5) * self.lengths[e] } else { half_a + half_b + (f - 0.5) * self.lengths[e] };
        let share = from_middle / (half_a + half_b);
        mean(a) * (1.0 - share) + mean(b) * share
    }

    /// Radius of segment `e`, m.
    pub fn radius(&self, e: usize) -> f64 {
        if self.radii.len() == 1 { self.radii[0] } else { self.radii[e] }
    }

    /// ε̄ of segment `e`.
    pub(super) fn mean_stretch(&self, x: &[DVec3; 4], e: usize) -> f64 {
        let present: f64 =
            (0..POINTS).map(|g| GAUSS_3[g].1 * combine(&self.table(e).weights[g].db, x).length()).sum();
        present / self.stretch_lengths[e] - 1.0
    }

    /// Twist per rest length and torque at coordinate `f` of segment `e`, from the mean and its share of the
    /// slope.
    fn mean_twist(&self, q: &[f64], frames: &[f64], e: usize, f: f64) -> (f64, f64) {
        let (mut twist, mut natural) = (0.0, 0.0);
        for (g, (point, weight)) in GAUSS_3.into_iter().enumerate() {
            let constant = |field| self.rest[index(e, g, field, rest::FIELDS)];
            let share = 1.0 + 3.0 * self.twist_alphas[e] * (2.0 * f - 1.0) * (2.0 * point - 1.0);
            let measure = weight * share * constant(rest::J) / self.lengths[e];
            twist += measure * self.point_strain(q, frames, e, g)[2];
            natural += measure * constant(rest::TAU);
        }
        (twist, self.twist[e] * (twist - natural))
    }

    /// Strains at all quadrature points, see [`strain`].
    pub fn strains(&self, q: &[f64], frames: &[f64], out: &mut Vec<f64>, arithmetic: Arithmetic) {
        out.resize(self.strain_count(), 0.0);
        if kernel::strains(self, q, frames, out, arithmetic) {
            return;
        }
        for e in 0..self.segments {
            for g in 0..POINTS {
                let [k1, k2, tau, epsilon] = self.point_strain(q, frames, e, g);
                for (field, value) in
                    [(strain::K1, k1), (strain::K2, k2), (strain::TAU, tau), (strain::EPSILON, epsilon)]
                {
                    out[index(e, g, field, strain::FIELDS)] = value;
                }
            }
        }
    }

    /// k₁, k₂, τ, ε at a quadrature point.
    pub(crate) fn point_strain(&self, q: &[f64], frames: &[f64], e: usize, g: usize) -> [f64; 4] {
        let (x, theta) = self.control(q, e);
        let local = self.local(&x, &theta, frames, e, g);
        let point = natural::Point::new(&local);
        let j = self.rest[index(e, g, rest::J, rest::FIELDS)];
        let twist = self.total_twist(&local, &x, e);
        let stretch_j = self.rest[index(e, g, rest::STRETCH_J, rest::FIELDS)];
        [point.y[0] / j, point.y[1] / j, twist / j, point.l / stretch_j - 1.0]
    }

    /// Elastic energies.
    pub fn energy(&self, q: &[f64], frames: &[f64]) -> ElasticEnergy {
        self.energy_against(q, frames, |e, g| {
            let constant = |field| self.rest[index(e, g, field, rest::FIELDS)];
            [constant(rest::K1), constant(rest::K2), constant(rest::TAU), 0.0]
        })
    }

    /// Energy of bending and twist, J.
    pub fn shape_energy(&self, q: &[f64], frames: &[f64], arithmetic: Arithmetic) -> f64 {
        kernel::shape_energy(self, q, frames, arithmetic).unwrap_or_else(|| self.energy(q, frames).shape())
    }

    /// Elastic energies relative to the strains `before`, see [`strain`], instead of the natural ones:
    /// viscosity times their gradient is the viscous force.
    pub fn energy_since(&self, q: &[f64], frames: &[f64], before: &[f64]) -> ElasticEnergy {
        self.energy_against(q, frames, |e, g| {
            std::array::from_fn(|field| before[index(e, g, field, strain::FIELDS)])
        })
    }

    /// Elastic energies relative to the strains k₁, k₂, τ, ε of each quadrature point.
    fn energy_against(
        &self,
        q: &[f64],
        frames: &[f64],
        natural: impl Fn(usize, usize) -> [f64; 4],
    ) -> ElasticEnergy {
        let mut energy = ElasticEnergy::default();
        for e in 0..self.segments {
            let (length, stretch_length, alpha) = (self.lengths[e], self.stretch_lengths[e], self.alphas[e]);
            let (mut mean, mut slope, mut twist, mut twist_slope) = (0.0, 0.0, 0.0, 0.0);
            for g in 0..POINTS {
                let constant = |field| self.rest[index(e, g, field, rest::FIELDS)];
                let (present, natural) = (self.point_strain(q, frames, e, g), natural(e, g));
                let [k1, k2, tau, epsilon]: [f64; 4] =
                    std::array::from_fn(|field| present[field] - natural[field]);
                let measure = GAUSS_3[g].1 * constant(rest::J);
                let stretched = GAUSS_3[g].1 * constant(rest::STRETCH_J) * epsilon / stretch_length;
                mean += stretched;
                slope += (2.0 * GAUSS_3[g].0 - 1.0) * stretched;
                energy.bend +=
                    0.5 * measure * (constant(rest::EI1) * k1 * k1 + constant(rest::EI2) * k2 * k2);
                if !self.has_material_frame() {
                    energy.twist += 0.5 * measure * constant(rest::GJ) * tau * tau;
                }
                twist += measure * tau / length;
                twist_slope += measure * (2.0 * GAUSS_3[g].0 - 1.0) * tau / length;
            }
            if self.has_material_frame() {
                energy.twist += 0.5
                    * self.twist[e]
                    * length
                    * (twist * twist + 3.0 * self.twist_alphas[e] * twist_slope * twist_slope);
            }
            energy.stretch +=
                0.5 * self.stretch[e] * stretch_length * (mean * mean + 3.0 * alpha * slope * slope);
        }
        energy
    }

    /// Length of the output of [`SplineRod::strains`].
    pub(crate) fn strain_count(&self) -> usize {
        blocks(self.segments) * POINTS * strain::FIELDS * LANES
    }

    /// Control points at rest, and the least distance of neighbours.
    pub(crate) fn rest_polygon(&self) -> (&[DVec3], f64) {
        (&self.rest_points, self.shortest_edge)
    }

    /// Present length, m.
    pub fn present_length(&self, q: &[f64]) -> f64 {
        (0..self.segments)
            .map(|e| {
                let (x, _) = self.control(q, e);
                self.stretch_lengths[e] * (1.0 + self.mean_stretch(&x, e))
            })
            .sum()
    }

    /// Angle by which the tangent turns along segment `e`, ∫ |κ| ds, rad.
    pub(crate) fn turning(&self, q: &[f64], e: usize) -> f64 {
        let (x, _) = self.control(q, e);
        let at = |g: usize| {
            let w = &self.table(e).weights[g];
            let p = combine(&w.db, &x);
            GAUSS_3[g].1 * p.cross(combine(&w.ddb, &x)).length() / p.length_squared()
        };
        (0..POINTS).map(at).sum()
    }

    /// Angle by which the tangent turns along segment `e`, from tangent to tangent at its ends and quadrature
    /// points, rad. A corner between these points, which [`turning`](Self::turning) and the bending energy do
    /// not see, counts in full.
    pub(crate) fn turn_of_tangents(&self, q: &[f64], e: usize) -> f64 {
        let (x, _) = self.control(q, e);
        let basis = &self.table(e).basis;
        let at = |f: f64| combine(&basis.weights(f).db, &x);
        let (mut before, mut sum) = (at(0.0), 0.0);
        for f in GAUSS_3.into_iter().map(|(f, _)| f).chain([1.0]) {
            let behind = at(f);
            sum += libm::atan2(before.cross(behind).length(), before.dot(behind));
            before = behind;
        }
        sum
    }

    /// Bending stiffness of segment `e` in its middle, the mean of both axes, N·m².
    pub(crate) fn bending_stiffness(&self, e: usize) -> f64 {
        0.5 * [rest::EI1, rest::EI2]
            .map(|field| self.rest[index(e, 1, field, rest::FIELDS)])
            .iter()
            .sum::<f64>()
    }

    /// Rate of the curvature vector along segment `e`, which is constant in a cubic: the part of r'''/|r'|³
    /// across the tangent in its middle, 1/m²; and that tangent.
    pub(crate) fn curvature_rate(&self, q: &[f64], e: usize) -> (DVec3, DVec3) {
        let (x, _) = self.control(q, e);
        let basis = &self.table(e).basis;
        let p = combine(&basis.weights(0.5).db, &x);
        let tangent = p / p.length();
        (combine(&basis.third(), &x).reject_from_normalized(tangent) / p.length().powi(3), tangent)
    }

    /// Curvature |r'×r''|/|r'|³ at coordinate `f` of segment `e`, 1/m.
    pub fn curvature(&self, q: &[f64], e: usize, f: f64) -> f64 {
        let (x, _) = self.control(q, e);
        let w = self.table(e).basis.weights(f);
        let p = combine(&w.db, &x);
        p.cross(combine(&w.ddb, &x)).length() / p.length().powi(3)
    }
}
