//! Closest points of two straight segments.

use glam::DVec3;

/// sin² of the angle below which two segments count as parallel: there, the rounding of the cross product
/// exceeds 1e-6 of it.
const PARALLEL: f64 = 1e-20;

/// Closest points of two segments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentPoints {
    /// Coordinates of the closest points, from 0 at the first end of a segment to 1 at its second.
    pub f: [f64; 2],
    /// Square of their distance, m².
    pub square: f64,
}

/// The closest points of the segments `a` and `b`: the minimum of |w + p s − q t|² for 0 ≤ s, t ≤ 1, where
/// p and q are the segments and w = a₀ − b₀.
///
/// The points of parallel segments are in the middle of the part where they lie side by side.
pub fn closest_on_segments(a: [DVec3; 2], b: [DVec3; 2]) -> SegmentPoints {
    let (p, q, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (pp, qq, pq) = (p.dot(p), q.dot(q), p.dot(q));
    let (pw, qw) = (p.dot(w), q.dot(w));
    let n = p.cross(q);
    let nn = n.dot(n);
    // s of the common perpendicular, from cross products: no cancellation between pp qq and pq²
    let mut s =
        if nn > PARALLEL * pp * qq { share(-w.cross(q).dot(n), nn) } else { middle_of_overlap(-pw, pq, pp) };
    let t = if qq > 0.0 { (pq * s + qw) / qq } else { 0.0 };
    let clamped = t.clamp(0.0, 1.0);
    if clamped != t || qq == 0.0 {
        s = share(pq * clamped - pw, pp);
    }
    let rho = w + p * s - q * clamped;
    SegmentPoints { f: [s, clamped], square: rho.dot(rho) }
}

/// Middle of the part of the first segment beside the second: s(t) = (start + way t)/pp for t = 0 … 1.
fn middle_of_overlap(start: f64, way: f64, pp: f64) -> f64 {
    let (low, high) = (start.min(start + way).max(0.0), start.max(start + way).min(pp));
    share(0.5 * (low + high), pp)
}

/// `part / whole`, clamped to 0 … 1; 0 for a segment without length.
fn share(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { (part / whole).clamp(0.0, 1.0) } else { 0.0 }
}
