//! Spooling: a rod whose rest length changes at one end keeps its segments, and its material slides through
//! them.
//!
//! With ΔL more of rest length L, coordinate û of the new mesh is material that was at `u = û + δ(û)`, `δ =
//! ΔL/L (û − N w(û))` from the spool: beyond the first two segments w = 1 and every material point keeps its
//! distance from the far end and its position in space; at the spool w = 0, and within the two segments,
//! where w rises smoothly, the new material is inserted. Position and velocity are sampled at u
//! (semi-Lagrangian, cubic). For twist the frames stay with the mesh, so that `θ ← θ + T δ`, T = θ' + τ_ref,
//! keeps it: the director at u is that at û turned by T δ against a frame without spin. (T is that of the
//! middle of the path, linear between the means of the segments: the Lax–Wendroff scheme.) Then the gauge φ =
//! θ + Tδ − θ(u) is moved from θ to the frames, θ ← θ − φ, a₁ turned by φ, τ_ref ← τ_ref + φ', so that the
//! roll of a material point is unchanged.

use super::frames;
use super::layout::{POINTS, frame, index, rest};
use super::{SplineRod, combine_scalar};
use crate::geometry::basis::greville;
use crate::geometry::curve::ClampedFit;
use crate::geometry::quadrature::GAUSS_3;
use glam::{DVec3, DVec4};

/// Segments within which new material is inserted.
const ZONE: f64 = 2.0;

/// Motion of the material of a rod through its segments.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slide {
    /// ΔL/L
    pub growth: f64,
    pub segments: usize,
    /// Whether the spool is at the end, not at the start.
    pub at_end: bool,
}

/// Scratch of a slide: sized once, reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct SlideScratch {
    points: Vec<DVec4>,
    gauge: Vec<f64>,
    twists: Vec<f64>,
}

impl Slide {
    /// δ: the material now at û was at û + δ.
    pub(crate) fn shift(&self, u: f64) -> f64 {
        let n = self.segments as f64;
        let from_spool = if self.at_end { n - u } else { u };
        let f = (from_spool / ZONE).min(1.0);
        let delta = self.growth * (from_spool - n * f * f * (3.0 - 2.0 * f));
        if self.at_end { -delta } else { delta }
    }

    /// New coordinate of the material that was at u: û + δ(û) = u, by fixed-point iteration; δ changes by
    /// less than half of û.
    pub(crate) fn arrive(&self, u: f64) -> f64 {
        (0..60).fold(u, |arrived, _| u - self.shift(arrived))
    }
}

impl SplineRod {
    fn value_at(&self, values: &[f64], u: f64) -> DVec4 {
        let (e, f) = self.segment_at(u);
        let w = self.table(e).basis.weights(f).b;
        (0..4).map(|k| DVec4::from_slice(&values[4 * (e + k)..]) * w[k]).sum()
    }

    /// Slides a field of the material: velocities, and the history of integration.
    pub(crate) fn slide_field(
        &self,
        slide: &Slide,
        fit: &ClampedFit,
        values: &mut [f64],
        scratch: &mut SlideScratch,
    ) {
        let points = &mut scratch.points;
        points.clear();
        points.extend((0..self.nodes()).map(|i| {
            let u = greville(i, self.segments);
            self.value_at(values, u + slide.shift(u))
        }));
        fit.solve(points);
        values
            .chunks_exact_mut(4)
            .zip(points.iter())
            .for_each(|(to, from)| to.copy_from_slice(&from.to_array()));
    }

    /// Slides positions, rolls and frames.
    pub(crate) fn slide_material(
        &self,
        slide: &Slide,
        fit: &ClampedFit,
        q: &mut [f64],
        frames: &mut [f64],
        arithmetic: micado_linalg::Arithmetic,
        scratch: &mut SlideScratch,
    ) {
        let SlideScratch { points, gauge, twists } = scratch;
        // T̄ of the segments
        twists.clear();
        twists.extend((0..self.segments).map(|e| {
            let theta = self.control(q, e).1;
            let weights = &self.table(e).weights;
            let at = |g: usize| {
                combine_scalar(&weights[g].db, &theta) + frames[index(e, g, frame::TAU, frame::FIELDS)]
            };
            (0..POINTS).map(|g| GAUSS_3[g].1 * at(g)).sum::<f64>()
        }));
        let twist = |u: f64| {
            let middle = (u - 0.5).clamp(0.0, self.segments as f64 - 1.0);
            let e = (middle.floor() as usize).min(self.segments - 2);
            twists[e] + (twists[e + 1] - twists[e]) * (middle - e as f64)
        };
        points.clear();
        gauge.clear();
        for i in 0..self.nodes() {
            let u = greville(i, self.segments);
            let delta = slide.shift(u);
            let there = self.value_at(q, u + delta);
            points.push(there);
            gauge.push(self.value_at(q, u).w + twist(u + 0.5 * delta) * delta - there.w);
        }
        fit.solve(points);
        fit.solve(gauge);
        q.chunks_exact_mut(4).zip(points.iter()).for_each(|(to, from)| to.copy_from_slice(&from.to_array()));
        self.transport_frames(q, frames, arithmetic);
        for e in 0..self.segments {
            let phi: [f64; 4] = std::array::from_fn(|k| gauge[e + k]);
            for g in 0..POINTS {
                let w = &self.table(e).weights[g];
                let (t, a1) = (frames::read(frames, e, g, frame::T), frames::read(frames, e, g, frame::A1));
                let (sin, cos) = libm::sincos(combine_scalar(&w.b, &phi));
                frames::write(frames, e, g, frame::A1, a1 * cos + t.cross(a1) * sin);
                frames[index(e, g, frame::TAU, frame::FIELDS)] += combine_scalar(&w.db, &phi);
            }
        }
    }

    /// Largest relative deviation of the rest metric from even segments: the jump of strains when they are
    /// made even.
    pub(crate) fn unevenness(&self) -> f64 {
        let width = self.length() / self.segments as f64;
        let points =
            (0..self.segments).flat_map(|e| (0..POINTS).map(move |g| index(e, g, rest::J, rest::FIELDS)));
        points.map(|at| (self.rest[at] / width - 1.0).abs()).fold(0.0, f64::max)
    }

    /// Changes the rest length of a rod with constant properties and even segments. Constants that don't
    /// depend on the length, or scale with it, are taken from `built`, the original rod.
    pub(crate) fn set_length(&mut self, built: &Self, length: f64, pointwise: bool) {
        let n = self.segments;
        let (width, growth) = (length / n as f64, length / built.length());
        for e in 0..n {
            for g in 0..POINTS {
                self.rest[index(e, g, rest::J, rest::FIELDS)] = width;
                self.rest[index(e, g, rest::STRETCH_J, rest::FIELDS)] = width;
            }
            (self.lengths[e], self.stretch_lengths[e]) = (width, width);
            self.arc[e] = width * e as f64;
            let constant = |field| self.rest[index(e, 0, field, rest::FIELDS)];
            let least_bend = constant(rest::EI1).min(constant(rest::EI2));
            self.alphas[e] = self.share_of_slope(e, least_bend, pointwise);
        }
        self.arc[n] = length;
        self.shortest_edge = width / 3.0;
        for (i, (point, (mass, as_built))) in
            self.rest_points.iter_mut().zip(self.mass.iter_mut().zip(&built.mass)).enumerate()
        {
            *point = DVec3::X * (width * greville(i, n));
            *mass = as_built.map(|m| m * growth);
        }
        let mut constants = std::mem::take(&mut self.constants);
        constants.fill(self);
        self.constants = constants;
    }
}
