//! Reference frames at the quadrature points: initially by parallel transport along the curve, then by
//! transport in time.
//!
//! When positions change, with the new tangent t and t' = (q − (t·q)t)/L:
//!
//! ```text
//! τ_ref ← τ_ref − (t̄×t)·(t̄'+t')/(1+t̄·t)       the exact change of a₁'·a₂
//! a₁    ← R(t̄→t) a₁                            the smallest rotation
//! ```

use super::layout::{POINTS, frame, index};
use super::{SplineRod, combine, kernel};
use crate::geometry::rotation::{angle_about, any_normal, orthonormal_to, transport, transport_along};
use glam::DVec3;
use micado_linalg::Arithmetic;

/// Steps of parallel transport between two neighbouring quadrature points for initial frames.
const SUBSTEPS: usize = 6;

/// Reads three neighbouring fields of a point.
#[inline]
pub(crate) fn read(frames: &[f64], segment: usize, point: usize, field: usize) -> DVec3 {
    let at = |k| frames[index(segment, point, field + k, frame::FIELDS)];
    DVec3::new(at(0), at(1), at(2))
}

/// Writes three neighbouring fields of a point.
#[inline]
pub(crate) fn write(frames: &mut [f64], segment: usize, point: usize, field: usize, value: DVec3) {
    for (k, component) in value.to_array().into_iter().enumerate() {
        frames[index(segment, point, field + k, frame::FIELDS)] = component;
    }
}

/// Tangent and its derivative with respect to u: t = p/|p|, t' = (q − (t·q)t)/|p|.
#[inline]
pub(crate) fn tangent(p: DVec3, q: DVec3) -> (DVec3, DVec3) {
    let l = p.length();
    let t = p / l;
    (t, (q - t * t.dot(q)) / l)
}

/// Change of τ_ref when the tangent changes from (t̄, t̄') to (t, t').
#[inline]
pub(crate) fn twist_change(t_old: DVec3, dt_old: DVec3, t: DVec3, dt: DVec3) -> f64 {
    -t_old.cross(t).dot(dt_old + dt) / (1.0 + t_old.dot(t))
}

impl SplineRod {
    /// Transports all frames to the tangents of the positions `q`. Returns the least cosine between an old
    /// and a new tangent: −1 would be undefined.
    pub fn transport_frames(&self, q: &[f64], frames: &mut [f64], arithmetic: Arithmetic) -> f64 {
        self.transport_frames_from(q, None, frames, arithmetic)
    }

    /// Transports the frames `from`, or `frames` themselves, into `frames`.
    pub(crate) fn transport_frames_from(
        &self,
        q: &[f64],
        from: Option<&[f64]>,
        frames: &mut [f64],
        arithmetic: Arithmetic,
    ) -> f64 {
        if let Some(least) = kernel::transport_frames(self, q, from, frames, arithmetic) {
            return least;
        }
        if let Some(from) = from {
            frames.copy_from_slice(from);
        }
        let mut least = 1.0_f64;
        for e in 0..self.segments {
            let (x, _) = self.control(q, e);
            let table = self.table(e);
            for g in 0..POINTS {
                let w = &table.weights[g];
                let (t, dt) = tangent(combine(&w.db, &x), combine(&w.ddb, &x));
                let (t_old, dt_old) = (read(frames, e, g, frame::T), read(frames, e, g, frame::DT));
                let a1 = read(frames, e, g, frame::A1);
                // `min` would hide a NaN.
                let cosine = t_old.dot(t);
                least = if cosine.is_nan() { f64::NEG_INFINITY } else { least.min(cosine) };
                frames[index(e, g, frame::TAU, frame::FIELDS)] += twist_change(t_old, dt_old, t, dt);
                write(frames, e, g, frame::A1, orthonormal_to(t, transport(t_old, t, a1)));
                write(frames, e, g, frame::T, t);
                write(frames, e, g, frame::DT, dt);
            }
        }
        least
    }

    /// Frames of the positions `q` by parallel transport along the curve, a₁ as near to `up` as the first
    /// tangent allows. Frames of a closed curve close: the holonomy is distributed evenly as τ_ref.
    pub(crate) fn make_frames(&self, q: &[f64], up: Option<DVec3>) -> Vec<f64> {
        let mut frames =
            vec![0.0; super::layout::blocks(self.segments) * POINTS * frame::FIELDS * super::layout::LANES];
        let at = |e: usize, f: f64| {
            let (x, _) = self.control(q, e);
            let w = self.table(e).basis.weights(f);
            let (t, dt) = tangent(combine(&w.db, &x), combine(&w.ddb, &x));
            (combine(&w.b, &x), t, dt)
        };
        let (mut x, mut t, _) = at(0, 0.0);
        let first = any_normal(t, up.unwrap_or(DVec3::Z));
        let mut a1 = first;
        let mut f_last = 0.0;
        for e in 0..self.segments {
            let stops = crate::geometry::quadrature::GAUSS_3.map(|(f, _)| f);
            for (g, &stop) in stops.iter().chain(std::iter::once(&1.0)).enumerate() {
                for k in 1..=SUBSTEPS {
                    let f = f_last + (stop - f_last) * k as f64 / SUBSTEPS as f64;
                    let (x1, t1, dt1) = at(e, f);
                    a1 = transport_along(x, t, a1, x1, t1);
                    (x, t) = (x1, t1);
                    if k == SUBSTEPS && g < POINTS {
                        write(&mut frames, e, g, frame::A1, a1);
                        write(&mut frames, e, g, frame::T, t1);
                        write(&mut frames, e, g, frame::DT, dt1);
                    }
                }
                f_last = stop;
            }
            f_last = 0.0;
        }
        if self.is_closed() {
            let missed = angle_about(t, first, a1);
            let n = self.segments as f64;
            for e in 0..self.segments {
                for (g, (f, _)) in crate::geometry::quadrature::GAUSS_3.into_iter().enumerate() {
                    let t = read(&frames, e, g, frame::T);
                    let a1 = read(&frames, e, g, frame::A1);
                    let (sin, cos) = libm::sincos(-missed * (e as f64 + f) / n);
                    write(&mut frames, e, g, frame::A1, a1 * cos + t.cross(a1) * sin);
                    frames[index(e, g, frame::TAU, frame::FIELDS)] = -missed / n;
                }
            }
        }
        frames
    }

    /// Director a₁ of the reference frame at any place, by transport along the curve from the nearest
    /// quadrature point.
    pub(crate) fn reference_director(&self, q: &[f64], frames: &[f64], e: usize, f: f64) -> DVec3 {
        let stops = crate::geometry::quadrature::GAUSS_3.map(|(f, _)| f);
        let g = nearest_point(f);
        let (control, _) = self.control(q, e);
        let basis = &self.table(e).basis;
        let at = |f: f64| {
            let w = basis.weights(f);
            (combine(&w.b, &control), tangent(combine(&w.db, &control), combine(&w.ddb, &control)).0)
        };
        let (mut x, mut t) = at(stops[g]);
        let mut a1 = read(frames, e, g, frame::A1);
        let steps = 4 * SUBSTEPS;
        for k in 1..=steps {
            let (x1, t1) = at(stops[g] + (f - stops[g]) * k as f64 / steps as f64);
            a1 = transport_along(x, t, a1, x1, t1);
            (x, t) = (x1, t1);
        }
        // The frame spins by τ_ref along the curve: the integral of its quadratic interpolation through the
        // three points.
        let spin = integrate_quadratic(&twists(frames, e), stops[g], f);
        let (sin, cos) = libm::sincos(spin);
        a1 * cos + t.cross(a1) * sin
    }
}

/// The quadrature point nearest to coordinate `f` of a segment.
pub(crate) fn nearest_point(f: f64) -> usize {
    let distance = |g: &usize| (crate::geometry::quadrature::GAUSS_3[*g].0 - f).abs();
    (0..POINTS).min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap_or(1)
}

/// τ_ref at the quadrature points of segment `e`.
pub(crate) fn twists(frames: &[f64], e: usize) -> [f64; POINTS] {
    std::array::from_fn(|g| frames[index(e, g, frame::TAU, frame::FIELDS)])
}

/// The quadratic through values at the quadrature points, at coordinate `f`.
pub(crate) fn quadratic(values: &[f64; POINTS], f: f64) -> f64 {
    let x = crate::geometry::quadrature::GAUSS_3.map(|(f, _)| f);
    (0..POINTS)
        .map(|i| {
            values[i] * (0..POINTS).filter(|&j| j != i).map(|j| (f - x[j]) / (x[i] - x[j])).product::<f64>()
        })
        .sum()
}

/// Its integral from a to b: Simpson's rule is exact for quadratics.
fn integrate_quadratic(values: &[f64; POINTS], a: f64, b: f64) -> f64 {
    (b - a) / 6.0 * (quadratic(values, a) + 4.0 * quadratic(values, 0.5 * (a + b)) + quadratic(values, b))
}
