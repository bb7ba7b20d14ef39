//! Gauss' integral of polygons: writhe and linking number.
//!
//! For two segments the integral ∬ (x' × y')·(x − y)/|x − y|³ is minus a solid angle Ω, one arctangent. The
//! writhe is −ΣΩ/2π over the pairs of one polygon, the linking number −ΣΩ/4π over those of two.

use glam::DVec3;
use std::f64::consts::PI;

/// An open polygon is continued straight at both ends, by this many times its length. The sum of its twist
/// and writhe is then constant as long as its ends do not turn.
const STRAIGHT_ON: f64 = 300.0;

/// Ω of the segments a b and c d: minus Gauss' integral of both.
fn solid_angle([a, b]: [DVec3; 2], [c, d]: [DVec3; 2]) -> f64 {
    let (p, q, r, s) = (c - a, d - a, d - b, c - b);
    let [np, nq, nr, ns] = [p, q, r, s].map(DVec3::length);
    // The arguments of two complex numbers are half the solid angles of two triangles.
    let half = |x: DVec3, nx: f64, y: DVec3, ny: f64, z: DVec3, nz: f64| {
        (nx * ny * nz + x.dot(y) * nz + y.dot(z) * nx + x.dot(z) * ny, x.dot(y.cross(z)))
    };
    let (re, im) = half(p, np, q, nq, r, nr);
    let (re2, im2) = half(p, np, r, nr, s, ns);
    2.0 * libm::atan2(re * im2 + im * re2, re * re2 - im * im2)
}

/// Continuation of a polygon beyond its ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Beyond {
    /// From its last point to its first.
    Closed,
    /// Straight, in these directions from its first and its last point.
    Straight([DVec3; 2]),
}

/// The writhe of a polygon, in turns.
pub fn writhe(points: &[DVec3], beyond: Beyond) -> f64 {
    let Some((&first, &last)) = points.first().zip(points.last()) else {
        return 0.0;
    };
    let mut all = Vec::with_capacity(points.len() + 2);
    let closed = match beyond {
        Beyond::Closed => {
            all.extend_from_slice(points);
            all.push(first);
            true
        }
        Beyond::Straight([before, after]) => {
            let length: f64 = points.windows(2).map(|ends| ends[0].distance(ends[1])).sum();
            all.push(first + before * (STRAIGHT_ON * length));
            all.extend_from_slice(points);
            all.push(last + after * (STRAIGHT_ON * length));
            false
        }
    };
    let segment = |k: usize| [all[k], all[k + 1]];
    let count = all.len() - 1;
    let mut sum = 0.0;
    for i in 0..count {
        // Neighbours are in one plane.
        for j in i + 2..count - usize::from(closed && i == 0) {
            sum -= solid_angle(segment(i), segment(j));
        }
    }
    sum / (2.0 * PI)
}

/// The linking number of two closed polygons: a whole number, up to rounding, unless they touch.
pub fn linking_number(a: &[DVec3], b: &[DVec3]) -> f64 {
    let ring = |points: &[DVec3], k: usize| [points[k], points[(k + 1) % points.len()]];
    let mut sum = 0.0;
    for i in 0..a.len() {
        for j in 0..b.len() {
            sum -= solid_angle(ring(a, i), ring(b, j));
        }
    }
    sum / (4.0 * PI)
}
