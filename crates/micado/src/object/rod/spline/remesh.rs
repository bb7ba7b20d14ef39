//! Remesh: the same material with other segments, by inserting and removing knots.
//!
//! Inserting a knot changes neither x(u), θ(u) nor their rates, and keeps the rest curve with its metric, so
//! bending strains, mass and momentum are unchanged. Quantities that enter by their mean in a segment are
//! passed to the new segments as follows: tension by the line through the means of its neighbours (or by the
//! slope, where that counts in full), so that the metric of stretch becomes `L/(1 + ε)`; twist by its mean
//! and its share of the slope, so that `τ_ref = T − θ'`. A segment with constant stress is divided without
//! any change of force or energy.
//!
//! Removing a knot moves the curve by no more than the tolerance; rest length, momentum and the integral of
//! twist are kept. Only knots whose removal keeps the rest curve can be removed: a rod is never coarser than
//! initially.

use super::layout::{POINTS, frame, index, rest};
use super::transfer::{Pace, RodTransfer, Strand};
use super::{SplineRod, combine, combine_scalar};
use crate::error::BuildError;
use crate::geometry::knots::Knots;
use crate::geometry::quadrature::GAUSS_3;
use crate::object::rod::{InitialRod, RodDescription, Shape, Spline};
use glam::{DVec3, DVec4, Vec4Swizzles};
use std::ops::Range;

/// Largest displacement of a control point of the rest curve, as a share of the rod's length, that is
/// rounding.
const SAME_REST: f64 = 1e-12;

/// A rod that is being remeshed.
pub(crate) struct Remesh<'a> {
    old: Strand<'a>,
    knots: Knots,
    rest: Vec<DVec3>,
    q: Vec<DVec4>,
    v: Vec<DVec4>,
}

/// Largest displacement of a curve when a knot is removed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leeway {
    /// Across the tangent, m.
    pub across: f64,
    /// Along the tangent, m: the curve stays in place, and its material slides within the joined segment.
    pub along: f64,
    /// rad
    pub roll: f64,
}

/// Reference lengths of stretch of new segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lengths {
    /// Lengths that keep the tensions. Within a bent segment material is not distributed evenly, only its
    /// mean stretch counts, and this unevenness remains: up to some 10⁻⁴ of a segment.
    AsSeen,
    /// Lengths of the rest curve, or those given with it: tensions of the new segments differ until they even
    /// out.
    AtRest,
}

/// Mean and slope of a quantity in a segment.
#[derive(Clone, Copy, Default)]
struct Linear {
    mean: f64,
    slope: f64,
}

impl SplineRod {
    /// Its knots, even or not.
    pub(crate) fn knots(&self) -> Knots {
        self.uneven.as_ref().map_or_else(|| Knots::even(self.segments), |uneven| uneven.knots.clone())
    }

    /// Effective stretch in segment `e`, by ξ: ε̄ and its slope; where that has almost no stiffness, the
    /// slope of the line through the neighbours' tensions.
    fn seen_stretch(&self, q: &[f64], e: usize) -> Linear {
        let x = self.control(q, e).0;
        let mean = self.mean_stretch(&x, e);
        let is_open_end = e == 0 || e + 1 == self.segments;
        if is_open_end || self.alphas[e] >= 1.0 {
            let slope = (0..POINTS).map(|g| {
                let (f, weight) = GAUSS_3[g];
                let j = self.rest[index(e, g, rest::STRETCH_J, rest::FIELDS)];
                weight * (2.0 * f - 1.0) * (combine(&self.table(e).weights[g].db, &x).length() - j)
            });
            return Linear {
                mean,
                slope: 3.0 * self.alphas[e] * slope.sum::<f64>() / self.stretch_lengths[e],
            };
        }
        let tension = |e: usize| self.stretch[e] * self.mean_stretch(&self.control(q, e).0, e);
        let apart = 0.5 * (self.lengths[e - 1] + self.lengths[e + 1]) + self.lengths[e];
        let slope = (tension(e + 1) - tension(e - 1)) / apart * 0.5 * self.lengths[e] / self.stretch[e];
        Linear { mean, slope }
    }

    /// Twist in segment `e` minus the natural one, integrated: T̄ and α T̂.
    fn seen_twist(&self, q: &[f64], frames: &[f64], e: usize) -> Linear {
        let theta = self.control(q, e).1;
        let (mut mean, mut slope) = (0.0, 0.0);
        for (g, (f, weight)) in GAUSS_3.into_iter().enumerate() {
            let constant = |field| self.rest[index(e, g, field, rest::FIELDS)];
            let total = combine_scalar(&self.table(e).weights[g].db, &theta)
                + frames[index(e, g, frame::TAU, frame::FIELDS)];
            let twist = weight * (total - constant(rest::J) * constant(rest::TAU));
            mean += twist;
            slope += (2.0 * f - 1.0) * twist;
        }
        Linear { mean, slope: self.twist_alphas[e] * slope }
    }
}

impl<'a> Remesh<'a> {
    pub(crate) fn new(old: Strand<'a>) -> Self {
        let fours = |values: &[f64]| values.chunks_exact(4).map(DVec4::from_slice).collect();
        Self {
            knots: old.rod.knots(),
            rest: old.rod.rest_points.clone(),
            q: fours(old.q),
            v: fours(old.v),
            old,
        }
    }

    /// The present knots.
    pub(crate) fn knots(&self) -> &Knots {
        &self.knots
    }

    /// Inserts a knot; returns whether there was room for it.
    pub(crate) fn put_in(&mut self, u: f64) -> bool {
        let Some((knots, insertion)) = self.knots.with(u) else { return false };
        (self.rest, self.q, self.v) =
            (insertion.put_in(&self.rest), insertion.put_in(&self.q), insertion.put_in(&self.v));
        self.knots = knots;
        true
    }

    /// Removes a knot if the rod moves by no more than the leeway; returns whether it did.
    pub(crate) fn take_out(&mut self, knot: usize, leeway: Leeway) -> bool {
        let Some((knots, insertion)) = self.knots.without(knot) else { return false };
        let (rest, rest_moved) = insertion.take_out(&self.rest, DVec3::length);
        let tangent = self.knots.tangent(&self.q, knot).xyz().normalize_or_zero();
        let (q, across) = insertion.take_out(&self.q, |q| q.xyz().reject_from(tangent).length());
        let (_, along) = insertion.take_out(&self.q, |q| q.xyz().dot(tangent).abs());
        let (_, turned) = insertion.take_out(&self.q, |q| q.w.abs());
        let moves_rest = rest_moved > SAME_REST * self.old.rod.length();
        if moves_rest || across > leeway.across || along > leeway.along || turned > leeway.roll {
            return false;
        }
        (self.rest, self.q, self.knots) = (rest, q, knots);
        self.v = insertion.take_out(&self.v, |_| 0.0).0;
        true
    }

    /// Old segments that contain or form segment `e`, and whether it is an old one.
    fn origin(&self, e: usize) -> (Range<usize>, bool) {
        let (from, to) = (self.knots.at()[e], self.knots.at()[e + 1]);
        let old = self.old.rod;
        let first = old.segment_at(from).0;
        let last = (first..old.segments).take_while(|&k| old.parameter(k, 0.0) < to).last().unwrap_or(first);
        (
            first..last + 1,
            first == last && old.parameter(first, 0.0) == from && old.parameter(first, 1.0) == to,
        )
    }

    /// Position of the old segment `k` in the new one `e`, by ξ: its middle and its half width.
    fn within(&self, e: usize, k: usize) -> (f64, f64) {
        let (from, width) = (self.knots.at()[e], self.knots.width(e));
        let xi = |f: f64| 2.0 * (self.old.rod.parameter(k, f) - from) / width - 1.0;
        (0.5 * (xi(0.0) + xi(1.0)), 0.5 * (xi(1.0) - xi(0.0)))
    }

    /// The metric of stretch of the new segments.
    fn stretch_metric(&self) -> Vec<f64> {
        let old = self.old.rod;
        let mut metric = Vec::with_capacity(POINTS * self.knots.segments());
        for e in 0..self.knots.segments() {
            let (origin, same) = self.origin(e);
            let first = origin.start;
            if same {
                metric.extend((0..POINTS).map(|g| old.rest[index(first, g, rest::STRETCH_J, rest::FIELDS)]));
            } else if origin.len() == 1 {
                let seen = old.seen_stretch(self.old.q, first);
                let (middle, half) = self.within(e, first);
                let x = old.control(self.old.q, first).0;
                metric.extend(GAUSS_3.map(|(f, _)| {
                    let xi = (2.0 * f - 1.0 - middle) / half;
                    let l = combine(&old.table(first).basis.weights(0.5 * (1.0 + xi)).db, &x).length() / half;
                    l / (1.0 + seen.mean + seen.slope * xi)
                }));
            } else {
                let x: [DVec3; 4] = std::array::from_fn(|k| self.rest[e + k]);
                let j = GAUSS_3.map(|(f, _)| combine(&self.knots.basis(e).weights(f).db, &x).length());
                let length: f64 = (0..POINTS).map(|g| GAUSS_3[g].1 * j[g]).sum();
                let kept: f64 = origin.map(|k| old.stretch_lengths[k]).sum();
                metric.extend(j.map(|j| j * kept / length));
            }
        }
        metric
    }

    /// Restores the twist of the old segments in the new ones, by τ_ref.
    fn keep_twist(&self, rod: &SplineRod, q: &[f64], frames: &mut [f64]) {
        let old = self.old.rod;
        for e in 0..rod.segments {
            let (origin, same) = self.origin(e);
            if same {
                continue;
            }
            let seen = |k: usize| old.seen_twist(self.old.q, self.old.frames, k);
            let (length, twist, (middle, half)) = if origin.len() == 1 {
                (old.lengths[origin.start], seen(origin.start), self.within(e, origin.start))
            } else {
                let mut sum = Linear::default();
                for k in origin {
                    let (part, (middle, half)) = (seen(k), self.within(e, k));
                    sum.mean += part.mean;
                    sum.slope += middle * part.mean + half * part.slope;
                }
                (rod.lengths[e], sum, (0.0, 1.0))
            };
            let theta = rod.control(q, e).1;
            for (g, (f, _)) in GAUSS_3.into_iter().enumerate() {
                let constant = |field| rod.rest[index(e, g, field, rest::FIELDS)];
                let xi = (2.0 * f - 1.0 - middle) / half;
                let per_length = (twist.mean + 3.0 * twist.slope * xi) / length;
                let total = constant(rest::J) * (constant(rest::TAU) + per_length);
                frames[index(e, g, frame::TAU, frame::FIELDS)] =
                    total - combine_scalar(&rod.table(e).weights[g].db, &theta);
            }
        }
    }

    /// The rod with its new segments, and its state.
    pub(crate) fn build(
        self,
        like: &RodDescription,
        lengths: Lengths,
    ) -> Result<(RodDescription, InitialRod<SplineRod>), BuildError> {
        let transfer = RodTransfer {
            strands: vec![self.old],
            segments: self.knots.segments(),
            pace: Pace::Along(self.knots.clone()),
        };
        let shape = Shape::Spline(Spline {
            control: self.rest.iter().map(DVec3::to_array).collect(),
            widths: transfer.widths(),
            stretch_metric: match lengths {
                Lengths::AsSeen => self.stretch_metric(),
                Lengths::AtRest => transfer.stretch_metric(),
            },
        });
        let natural = transfer.natural_like(&like.natural);
        let description = RodDescription {
            shape,
            natural,
            segments: Some(transfer.segments),
            ..like.clone().without_start()
        };
        let mut initial = SplineRod::build(&description)?;
        initial.q = self.q.iter().flat_map(DVec4::to_array).collect();
        initial.v = self.v.iter().flat_map(DVec4::to_array).collect();
        transfer.set_frames(&mut initial);
        self.keep_twist(&initial.rod, &initial.q, &mut initial.frames);
        Ok((description, initial))
    }
}
