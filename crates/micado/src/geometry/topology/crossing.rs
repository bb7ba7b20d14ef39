//! Passages of a moving segment through another one.
//!
//! With p, q along the segments and w from the start of the first to that of the second, the segments are in
//! one plane where (p × q)·w = 0: a cubic in time. At a root they cross if the lines meet within both.

use super::MovingSegment;
use glam::DVec3;

/// A passage of one segment through another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossing {
    /// When, from 0 to 1.
    pub time: f64,
    /// Where on each segment, from 0 at its first end to 1.
    pub f: [f64; 2],
    /// Change of the linking number of the curves: 1 or −1.
    pub sign: i8,
}

/// Calls `visit` with the passages of two segments in the order of their times. A segment contains its first
/// end but not its second, which belongs to its neighbour on the curve.
///
/// Segments that stay in one plane, such as parallel ones, have no passages.
pub fn for_each_crossing(a: &MovingSegment, b: &MovingSegment, mut visit: impl FnMut(Crossing)) {
    let vectors = |time: f64| {
        let (a, b) = (a.at(time), b.at(time));
        [a[1] - a[0], b[1] - b[0], b[0] - a[0]]
    };
    let [p0, q0, w0] = vectors(0.0);
    let [p1, q1, w1] = vectors(1.0);
    let volume = |p: DVec3, q: DVec3, w: DVec3| p.cross(q).dot(w);
    // Bernstein coefficients of the cubic: it has a root only if their signs differ.
    let cubic = [
        volume(p0, q0, w0),
        (volume(p1, q0, w0) + volume(p0, q1, w0) + volume(p0, q0, w1)) / 3.0,
        (volume(p0, q1, w1) + volume(p1, q0, w1) + volume(p1, q1, w0)) / 3.0,
        volume(p1, q1, w1),
    ];
    if cubic.iter().all(|&c| c > 0.0) || cubic.iter().all(|&c| c < 0.0) {
        return;
    }
    for_each_root(&cubic, |time, rises| {
        let [p, q, w] = vectors(time);
        let n = p.cross(q);
        let square = n.length_squared();
        let (s, t) = (w.cross(q).dot(n) / square, w.cross(p).dot(n) / square);
        if (0.0..1.0).contains(&s) && (0.0..1.0).contains(&t) {
            visit(Crossing { time, f: [s, t], sign: if rises { -1 } else { 1 } });
        }
    });
}

/// Calls `visit` with the times in [0, 1) at which a cubic in Bernstein form changes its sign, in order, and
/// whether it rises there.
fn for_each_root(cubic: &[f64; 4], mut visit: impl FnMut(f64, bool)) {
    let [b0, b1, b2, b3] = *cubic;
    let at = |t: f64| {
        let u = 1.0 - t;
        u * u * (u * b0 + 3.0 * t * b1) + t * t * (3.0 * u * b2 + t * b3)
    };
    // Between its extrema a cubic has at most one root.
    let [d0, d1, d2] = [b1 - b0, b2 - b1, b3 - b2];
    let (a, half, c) = (d0 - 2.0 * d1 + d2, d1 - d0, d0);
    let root = (half * half - a * c).max(0.0).sqrt();
    // Both roots of a t² + 2 half t + c without cancellation.
    let sum = -(half + root.copysign(half));
    let [mut first, mut second] = [sum / a, c / sum];
    if first > second {
        std::mem::swap(&mut first, &mut second);
    }
    let inside = |t: f64| if t > 0.0 && t < 1.0 { t } else { 0.0 };
    let mut bounds = [0.0, inside(first), inside(second), 1.0];
    bounds.sort_unstable_by(f64::total_cmp);
    for ends in bounds.windows(2).filter(|ends| ends[1] > ends[0]) {
        let [mut low, mut high] = [ends[0], ends[1]];
        let rises = at(high) > 0.0;
        // A root at an end belongs to the interval that begins there.
        let before = |value: f64| if rises { value <= 0.0 } else { value >= 0.0 };
        if !before(at(low)) || before(at(high)) {
            continue;
        }
        // Bisection to the last bit.
        loop {
            let middle = 0.5 * (low + high);
            if middle <= low || middle >= high {
                break;
            }
            if before(at(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        visit(low, rises);
    }
}
