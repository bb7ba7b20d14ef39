//! Transfer: a rod that is made of pieces of other rods takes over their positions, velocities and frames.
//!
//! Every material point keeps its position and velocity, sampled at the Greville abscissae: exact where the
//! new knots are old ones, because the curve then is of the new spline's kind; otherwise with an error of
//! O(l⁴). Frames are transported to the new quadrature points: a₁ along the curve, τ_ref by interpolation and
//! the ratio of the parameters, and both from the old tangent to the new one as between two steps. The
//! directors m₁, m₂ of the material are unchanged: a strand with a shifted roll (θ + c) has its a₁ turned
//! back by c.

use super::frames::{self, tangent, twist_change};
use super::layout::{frame, index, rest};
use super::{SplineRod, combine, combine_scalar};
use crate::geometry::curve::{Interpolated, interpolate_clamped};
use crate::geometry::knots::Knots;
use crate::geometry::quadrature::GAUSS_3;
use crate::geometry::rotation::{orthonormal_to, transport};
use crate::object::rod::{InitialRod, Natural, NaturalCurvature};
use glam::{DMat3, DQuat, DVec3, DVec4, Vec4Swizzles};

/// Distance from a quadrature point, as a share of a segment, below which its values are used directly.
const SAME_POINT: f64 = 1e-9;

/// Relative difference below which rest metrics are equal: rounding of a fit.
const SAME_METRIC: f64 = 1e-10;

/// A piece of an old rod.
#[derive(Clone, Copy)]
pub(crate) struct Strand<'a> {
    pub rod: &'a SplineRod,
    /// The old rod's own slices.
    pub q: &'a [f64],
    pub v: &'a [f64],
    pub frames: &'a [f64],
    /// Its rest arc lengths, m.
    pub from: f64,
    pub to: f64,
    /// First old segment and number of segments, if the new knots are old ones.
    pub first: usize,
    pub count: usize,
    /// Angle added to the roll, rad.
    pub roll: f64,
}

/// The parameter of a new rod along its strands.
#[derive(Clone)]
pub(crate) enum Pace {
    /// Each old segment becomes this many new ones: all old knots are new ones.
    Knots(usize),
    /// Proportional to the rest arc length.
    Arc,
    /// That of the only strand, which is a whole rod, with these knots.
    Along(Knots),
}

/// A new rod of `segments` segments along strands of old ones.
pub(crate) struct RodTransfer<'a> {
    pub strands: Vec<Strand<'a>>,
    pub pace: Pace,
    pub segments: usize,
}

/// An old place, and the derivative of the old parameter by the new one.
struct Spot<'a> {
    strand: &'a Strand<'a>,
    e: usize,
    f: f64,
    rate: f64,
}

impl Strand<'_> {
    fn unknown(&self, of: &[f64], e: usize, f: f64) -> DVec4 {
        let w = self.rod.table(e).basis.weights(f).b;
        (0..4).map(|k| DVec4::from_slice(&of[4 * self.rod.node(e, k)..]) * w[k]).sum()
    }

    fn rest_point(&self, e: usize, f: f64) -> DVec3 {
        let x = std::array::from_fn(|k| self.rod.rest_points[self.rod.node(e, k)]);
        combine(&self.rod.table(e).basis.weights(f).b, &x)
    }

    /// Roll at a place, including the seam.
    pub(crate) fn roll(&self, e: usize, f: f64) -> f64 {
        combine_scalar(&self.rod.table(e).basis.weights(f).b, &self.rod.control(self.q, e).1) + self.roll
    }

    /// The quadrature point at this coordinate, if any.
    fn point(f: f64) -> Option<usize> {
        GAUSS_3.iter().position(|(stop, _)| (stop - f).abs() < SAME_POINT)
    }

    /// Reference director a₁ and twist τ_ref at a place.
    fn reference(&self, e: usize, f: f64) -> (DVec3, f64) {
        match Self::point(f) {
            Some(g) => (
                frames::read(self.frames, e, g, frame::A1),
                self.frames[index(e, g, frame::TAU, frame::FIELDS)],
            ),
            None => (
                self.rod.reference_director(self.q, self.frames, e, f),
                frames::quadratic(&frames::twists(self.frames, e), f),
            ),
        }
    }

    /// A constant of the quadrature points at a place.
    fn constant(&self, field: usize, e: usize, f: f64) -> f64 {
        let at = |g: usize| self.rod.rest[index(e, g, field, rest::FIELDS)];
        Self::point(f).map_or_else(|| frames::quadratic(&std::array::from_fn(at), f), at)
    }

    /// Natural curvatures and twist at a place.
    fn natural(&self, e: usize, f: f64) -> NaturalCurvature {
        let constant = |field: usize| self.constant(field, e, f);
        NaturalCurvature {
            curvature_1: constant(rest::K1),
            curvature_2: constant(rest::K2),
            twist: constant(rest::TAU),
        }
    }
}

impl RodTransfer<'_> {
    /// Rest length of all strands, m.
    pub(crate) fn length(&self) -> f64 {
        self.strands.iter().map(|strand| strand.to - strand.from).sum()
    }

    /// Knots of the new spline.
    fn knots(&self) -> Knots {
        let even = || Knots::even(self.segments);
        match &self.pace {
            &Pace::Knots(per_old) if self.strands.iter().any(|strand| strand.rod.uneven.is_some()) => {
                let old = self
                    .strands
                    .iter()
                    .flat_map(|strand| (0..strand.count).map(|e| strand.rod.width(strand.first + e)));
                Knots::of_widths(old.flat_map(|width| std::iter::repeat_n(width / per_old as f64, per_old)))
                    .unwrap_or_else(even)
            }
            Pace::Knots(_) | Pace::Arc => even(),
            Pace::Along(knots) => knots.clone(),
        }
    }

    /// Widths of its segments; empty if they are even.
    pub(crate) fn widths(&self) -> Vec<f64> {
        let knots = self.knots();
        if knots.are_even() { Vec::new() } else { knots.widths().collect() }
    }

    /// The old place of coordinate `f` of the new segment `e`.
    fn spot(&self, e: usize, f: f64) -> Spot<'_> {
        match &self.pace {
            &Pace::Knots(per_old) => {
                let (strand, old) = self.strand(e / per_old, |strand| strand.count);
                let f = if per_old == 1 { f } else { ((e % per_old) as f64 + f) / per_old as f64 };
                Spot { strand, e: strand.first + old, f, rate: 1.0 / per_old as f64 }
            }
            Pace::Arc => {
                let width = self.length() / self.segments as f64;
                let (strand, s) = self.strand((e as f64 + f) * width, |strand| strand.to - strand.from);
                let (e, f) = strand.rod.locate((strand.from + s).min(strand.to));
                Spot { strand, e, f, rate: width / strand.rod.rest_metric(e, f) }
            }
            Pace::Along(knots) => {
                let strand = &self.strands[0];
                let (old, f) = strand.rod.segment_at(knots.at()[e] + f * knots.width(e));
                Spot { strand, e: old, f, rate: knots.width(e) / strand.rod.width(old) }
            }
        }
    }

    /// The strand at a distance from the start, and the distance into it. Rounding beyond the end belongs to
    /// the last one.
    fn strand<T: Copy + PartialOrd + std::ops::SubAssign>(
        &self,
        mut distance: T,
        extent: impl Fn(&Strand<'_>) -> T,
    ) -> (&Strand<'_>, T) {
        let (last, others) = self.strands.split_last().expect("a rod has at least one strand");
        for strand in others {
            if distance < extent(strand) {
                return (strand, distance);
            }
            distance -= extent(strand);
        }
        (last, distance)
    }

    /// Control points of the new spline through the values at its Greville abscissae.
    fn fit<T: Interpolated>(&self, value: impl Fn(&Spot<'_>) -> T) -> Vec<T> {
        let knots = self.knots();
        let at = |i: usize| {
            let (e, f) = knots.segment_at(knots.greville(i));
            value(&self.spot(e, f))
        };
        interpolate_clamped((0..self.segments + 3).map(at).collect(), &knots)
    }

    /// Control points of the rest curve: the rest curves of the strands end to end, each continued in the end
    /// direction of the one before.
    pub(crate) fn rest_control(&self) -> Vec<[f64; 3]> {
        let direction = |strand: &Strand<'_>, e: usize, f: f64| {
            let x = std::array::from_fn(|k| strand.rod.rest_points[strand.rod.node(e, k)]);
            combine(&strand.rod.table(e).basis.weights(f).db, &x).normalize()
        };
        // Of each strand: new position of its start, and its rotation.
        let mut placed: Vec<(DVec3, DMat3)> = Vec::new();
        let placed_at = |(start, turn): (DVec3, DMat3), strand: &Strand<'_>, e: usize, f: f64| {
            start + turn * (strand.rest_point(e, f) - strand.rest_point(strand.first, 0.0))
        };
        for (k, strand) in self.strands.iter().enumerate() {
            let before = k.checked_sub(1).map(|k| (placed[k], &self.strands[k]));
            placed.push(before.map_or(
                (strand.rest_point(strand.first, 0.0), DMat3::IDENTITY),
                |(place, before)| {
                    let last = before.first + before.count - 1;
                    let (from, to) =
                        (direction(strand, strand.first, 0.0), place.1 * direction(before, last, 1.0));
                    (
                        placed_at(place, before, last, 1.0),
                        DMat3::from_quat(DQuat::from_rotation_arc(from, to)),
                    )
                },
            ));
        }
        let at = |spot: &Spot<'_>| {
            let k = self.strands.iter().position(|strand| std::ptr::eq(strand, spot.strand)).unwrap_or(0);
            placed_at(placed[k], spot.strand, spot.e, spot.f)
        };
        self.fit(at).into_iter().map(|x: DVec3| x.to_array()).collect()
    }

    /// Whether the rest curves of the strands, end to end, are a curve of the new spline's kind, so that
    /// their metric is kept.
    pub(crate) fn rest_is_kept(&self) -> bool {
        let control: Vec<DVec3> = self.rest_control().into_iter().map(DVec3::from_array).collect();
        let knots = self.knots();
        (0..self.segments).all(|e| {
            let x: [DVec3; 4] = std::array::from_fn(|k| control[e + k]);
            let basis = knots.basis(e);
            GAUSS_3.iter().all(|&(f, _)| {
                let spot = self.spot(e, f);
                let old = spot.strand.rod.rest_metric(spot.e, spot.f) * spot.rate;
                (combine(&basis.weights(f).db, &x).length() - old).abs() <= SAME_METRIC * old
            })
        })
    }

    /// The natural shape of the new rod, if those of the strands were described by `like`.
    pub(crate) fn natural_like(&self, like: &Natural) -> Natural {
        match like {
            constant @ (Natural::Straight | Natural::Curved(_)) => constant.clone(),
            Natural::AsShaped | Natural::Sampled(_) => Natural::Sampled(self.natural()),
        }
    }

    /// Natural curvatures and twist at the new quadrature points.
    fn natural(&self) -> Vec<NaturalCurvature> {
        (0..self.segments)
            .flat_map(|e| {
                GAUSS_3.map(|(f, _)| {
                    let spot = self.spot(e, f);
                    spot.strand.natural(spot.e, spot.f)
                })
            })
            .collect()
    }

    /// The metric of stretch at the new quadrature points; empty if it is that of the rest curves.
    pub(crate) fn stretch_metric(&self) -> Vec<f64> {
        let own = |strand: &Strand<'_>| {
            (0..strand.rod.segments).any(|e| strand.rod.stretch_lengths[e] != strand.rod.lengths[e])
        };
        if !self.strands.iter().any(own) {
            return Vec::new();
        }
        let at = |e: usize, f: f64| {
            let spot = self.spot(e, f);
            spot.rate * spot.strand.constant(rest::STRETCH_J, spot.e, spot.f)
        };
        (0..self.segments).flat_map(|e| GAUSS_3.map(|(f, _)| at(e, f))).collect()
    }

    /// Sets unknowns, velocities and frames of a newly built rod from its strands.
    pub(crate) fn set_state(&self, initial: &mut InitialRod<SplineRod>) {
        let q = self.fit(|spot| {
            spot.strand.unknown(spot.strand.q, spot.e, spot.f).xyz().extend(spot.strand.roll(spot.e, spot.f))
        });
        let v = self.fit(|spot| spot.strand.unknown(spot.strand.v, spot.e, spot.f));
        initial.q = q.into_iter().flat_map(|x| x.to_array()).collect();
        initial.v = v.into_iter().flat_map(|x| x.to_array()).collect();
        self.set_frames(initial);
    }

    /// Sets the frames of a rod from its strands; its unknowns are set.
    pub(crate) fn set_frames(&self, initial: &mut InitialRod<SplineRod>) {
        for e in 0..self.segments {
            let (x, _) = initial.rod.control(&initial.q, e);
            for (g, (f, _)) in GAUSS_3.into_iter().enumerate() {
                let spot = self.spot(e, f);
                let (old, strand) = (spot.strand.rod.control(spot.strand.q, spot.e).0, spot.strand);
                let w = strand.rod.table(spot.e).basis.weights(spot.f);
                let (t_old, dt_old) = tangent(combine(&w.db, &old), combine(&w.ddb, &old));
                let (a1, tau) = strand.reference(spot.e, spot.f);
                let (sin, cos) = libm::sincos(-strand.roll);
                let a1 = a1 * cos + t_old.cross(a1) * sin;
                let w = &initial.rod.table(e).weights[g];
                let (t, dt) = tangent(combine(&w.db, &x), combine(&w.ddb, &x));
                let change = twist_change(t_old, dt_old * spot.rate, t, dt);
                initial.frames[index(e, g, frame::TAU, frame::FIELDS)] = tau * spot.rate + change;
                frames::write(
                    &mut initial.frames,
                    e,
                    g,
                    frame::A1,
                    orthonormal_to(t, transport(t_old, t, a1)),
                );
                frames::write(&mut initial.frames, e, g, frame::T, t);
                frames::write(&mut initial.frames, e, g, frame::DT, dt);
            }
        }
    }
}
