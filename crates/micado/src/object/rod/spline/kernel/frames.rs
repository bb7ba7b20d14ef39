//! Transport of the reference frames of four segments, see `frames.rs` of the rod for the equations.
//!
//! a₁ is a unit vector up to rounding before and after the rotation, so one Newton step a ← a (3 − a·a)/2
//! normalises it.

use super::edges::{Ahead, Geometry};
use super::lanes::*;
use super::stretch::{Given, GivenRod, by_block};
use super::tables::{BlockTable, Tables};
use crate::object::rod::spline::SplineRod;
use crate::object::rod::spline::layout::{LANES, POINTS, blocks, frame};
use core::arch::x86_64::_mm256_blendv_pd;

/// Fields of one quadrature point of four segments.
type Fields = [[f64; LANES]; frame::FIELDS];

/// Transports all frames, those of `from` where given, to the tangents of `q`. Returns the least cosine
/// between an old and a new tangent.
#[target_feature(enable = "avx2,fma")]
pub(super) fn transport(rod: &SplineRod, q: &[[f64; 4]], from: Option<&[f64]>, frames: &mut [f64]) -> f64 {
    let tables = Tables::new(rod);
    let from: Option<&[[Fields; POINTS]]> = from.map(by_block);
    let frames: &mut [[Fields; POINTS]] = frames.as_chunks_mut().0.as_chunks_mut().0.as_chunks_mut().0;
    let mut least = splat(1.0);
    // A minimum ignores NaN; a sum does not.
    let mut sum = zero();
    let mut ahead = Ahead::new();
    let whole = rod.segments / LANES;
    for (block, frames) in frames[..blocks(rod.segments)].iter_mut().enumerate() {
        let table = tables.of(block);
        ahead.look(rod, q, block, table);
        let here;
        let old = match from {
            Some(from) => &from[block],
            None => {
                here = *frames;
                &here
            }
        };
        least = if block < whole {
            transport_block::<false>(table, &ahead.points, old, frames, least, &mut sum)
        } else {
            transport_block::<true>(table, &ahead.points, old, frames, least, &mut sum)
        };
    }
    let (mut lanes, mut sums) = ([0.0; 4], [0.0; 4]);
    store(&mut lanes, least);
    store(&mut sums, sum);
    if sums.iter().sum::<f64>().is_nan() {
        f64::NAN
    } else {
        lanes[0].min(lanes[1]).min(lanes[2].min(lanes[3]))
    }
}

/// Twists and directors of the frames of a block at the present tangents.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Present {
    pub(super) tau: [V; POINTS],
    pub(super) a1: [V3; POINTS],
    /// The least cosine between an old tangent and a new one so far.
    least: V,
}

impl Present {
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn new() -> Self {
        Self { tau: [unset(); POINTS], a1: [[unset(); 3]; POINTS], least: splat(1.0) }
    }

    /// Reads the frames of a block or, if they are those of an earlier state, transports them. Without
    /// `DIRECTORS`, only the twist is set.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn fill<const DIRECTORS: bool>(&mut self, rod: &GivenRod<'_>, given: &Given<'_>, now: &Ahead) {
        let pad = load(&given.table.pad);
        // A cosine of three in lanes beyond the end.
        let beyond = add(pad, add(pad, pad));
        three!(|G| {
            let old = &given.frames[G];
            if rod.ahead.is_some() {
                let new = transport_point(&now.points[G], old);
                self.least = min(self.least, add(new.cosine, beyond));
                self.tau[G] = new.tau;
                if DIRECTORS {
                    self.a1[G] = new.a1;
                }
            } else {
                self.tau[G] = load(&old[frame::TAU]);
                if DIRECTORS {
                    self.a1[G] = three!(|I| load(&old[frame::A1 + I]));
                }
            }
        });
    }

    /// Reports the least cosine.
    #[inline]
    #[target_feature(enable = "avx2,fma")]
    pub(super) fn report(&self, rod: &GivenRod<'_>) {
        if let Some(least) = rod.ahead {
            let mut lanes = [0.0; LANES];
            store(&mut lanes, self.least);
            least.set(lanes.into_iter().fold(least.get(), f64::min));
        }
    }
}

/// The three points of a block; in the last one, lanes beyond the end keep their values.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn transport_block<const END: bool>(
    table: &BlockTable,
    points: &[Geometry; POINTS],
    old: &[Fields; POINTS],
    frames: &mut [Fields; POINTS],
    least: V,
    sum: &mut V,
) -> V {
    let pad = load(&table.pad);
    // A cosine of three in lanes beyond the end.
    let beyond = add(pad, add(pad, pad));
    let end = sub(zero(), pad);
    let mut least = least;
    three!(|G| {
        let point = &points[G];
        let new = transport_point(point, &old[G]);
        *sum = add(*sum, new.cosine);
        least = min(least, if END { add(new.cosine, beyond) } else { new.cosine });
        for (fields, value) in [(frame::T, point.t), (frame::DT, point.kappa), (frame::A1, new.a1)] {
            three!(|I| keep::<END>(&mut frames[G][fields + I], &old[G][fields + I], value[I], end));
        }
        keep::<END>(&mut frames[G][frame::TAU], &old[G][frame::TAU], new.tau, end);
    });
    least
}

/// Stores the lanes before the end, and the old ones beyond it.
#[inline]
#[target_feature(enable = "avx2,fma")]
fn keep<const END: bool>(field: &mut [f64; 4], old: &[f64; 4], value: V, end: V) {
    let value = if END { _mm256_blendv_pd(value, load(old), end) } else { value };
    store(field, value);
}

/// Changes of a point by transport, besides the tangent and its derivative.
struct Moved {
    cosine: V,
    a1: V3,
    tau: V,
}

#[inline]
#[target_feature(enable = "avx2,fma")]
fn transport_point(point: &Geometry, old: &Fields) -> Moved {
    let read = |field: usize| -> &[[f64; 4]; 3] { old[field..field + 3].try_into().expect("three") };
    let (t_old, dt_old, a_old) = (read(frame::T), read(frame::DT), read(frame::A1));
    let t_old = three!(|I| load(&t_old[I]));
    let a_old = three!(|I| load(&a_old[I]));
    let Geometry { t, kappa: dt, .. } = *point;

    let cosine = dot(t_old, t);
    let c = cross(t_old, t);
    let inverse = div(splat(1.0), add(splat(1.0), cosine));
    let sum = three!(|I| add(load(&dt_old[I]), dt[I]));
    let tau = fnma(inverse, dot(c, sum), load(&old[frame::TAU]));

    // R a = a + c×a + c×(c×a)/(1+t̄·t), then rounding along t is removed, then normalised
    let ca = cross(c, a_old);
    let cca = cross(c, ca);
    let a = three!(|I| fma(inverse, cca[I], add(a_old[I], ca[I])));
    let a = scale_sub(dot(t, a), t, a);
    let length = fnma(splat(0.5), dot(a, a), splat(1.5));
    Moved { cosine, a1: scale(length, a), tau }
}
