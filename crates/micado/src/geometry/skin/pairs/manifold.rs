//! Contacts of two convex solids along a direction: the polygons that face each other, one cut by the
//! other.

use super::Touch;
use super::solid::{Corner, Solid};
use glam::DVec3;

/// Sine of the angle between a face and the direction up to which the face is perpendicular to it.
const ALIGNED: f64 = 1e-6;

/// Sine of the angle below which two edges touch along a line.
const PARALLEL: f64 = 0.1;

/// Scratch: polygons.
#[derive(Clone, Debug, Default)]
pub(super) struct Polygons {
    first: Vec<Corner>,
    second: Vec<Corner>,
    other: Vec<Corner>,
}

/// Two solids, the direction n from the second to the first, and their closest points.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facing<'a> {
    pub(super) first: &'a Solid<'a>,
    pub(super) second: &'a Solid<'a>,
    pub(super) normal: DVec3,
    /// Distance along n, m.
    pub(super) distance: f64,
    /// Closest points, if they are known.
    pub(super) closest: Option<[DVec3; 2]>,
    /// Size of the smaller solid, m.
    pub(super) size: f64,
}

impl Facing<'_> {
    /// Points of both that face each other: of the lines, or of a line and the point that faces it.
    fn nearest(&self) -> [DVec3; 2] {
        let n = self.normal;
        let (p, q) = (self.first.support(-n), self.second.support(n));
        let straight = |[p, q]: &[DVec3; 2]| (*q - *p).normalize_or_zero().dot(n).abs() < 1e-5;
        match (self.first.edge(-n).filter(straight), self.second.edge(n).filter(straight)) {
            (Some([a, b]), Some([c, d])) => between_lines([a, b - a], [c, d - c]),
            (Some([a, b]), None) => [on_segment(a, b, q), q],
            (None, Some([c, d])) => [p, on_segment(c, d, p)],
            (None, None) if (p - q - n * self.distance).length() < 1e-6 * self.size => [p, q],
            (None, None) => [p, p - n * self.distance],
        }
    }
}

/// The point of a segment that is closest to x.
fn on_segment(a: DVec3, b: DVec3, x: DVec3) -> DVec3 {
    let way = b - a;
    a + way * ((x - a).dot(way) / way.length_squared()).clamp(0.0, 1.0)
}

/// Closest points of two segments, each a point and a direction, that are not parallel.
pub(super) fn between_lines([p, d]: [DVec3; 2], [q, e]: [DVec3; 2]) -> [DVec3; 2] {
    let w = p - q;
    let (dd, de, ee) = (d.dot(d), d.dot(e), e.dot(e));
    let (dw, ew) = (d.dot(w), e.dot(w));
    let det = dd * ee - de * de;
    let t = if det > 0.0 { ((de * ew - ee * dw) / det).clamp(0.0, 1.0) } else { 0.0 };
    let u = ((t * de + ew) / ee).clamp(0.0, 1.0);
    [p + d * t, q + e * u]
}

/// Appends the contacts nearer than `reach`.
pub(super) fn manifold(facing: &Facing<'_>, reach: f64, polygons: &mut Polygons, out: &mut Vec<Touch>) {
    let n = facing.normal;
    let start = out.len();
    let normal_first = facing.first.facing(-n, &mut polygons.first);
    let normal_second = facing.second.facing(n, &mut polygons.second);
    // The sine, since the cosine is 1 within rounding.
    let [sin_first, sin_second] = [normal_first, normal_second].map(|face| face.cross(n).length());
    let usable = |polygon: &[Corner], sin: f64| polygon.len() >= 3 && sin <= ALIGNED;
    let by_second = usable(&polygons.second, sin_second);
    let by_first = usable(&polygons.first, sin_first) && !(by_second && sin_second <= sin_first + 1e-12);
    if by_first {
        let far = facing.second.far_end(n);
        let Polygons { first, second, other } = polygons;
        against(first, normal_first, second, other, far, facing.size, |on, base, distance, feature| {
            if distance < reach {
                let feature = feature | 0x4000_0000;
                out.push(Touch { first: base, second: on, normal: -normal_first, distance, feature });
            }
        });
    } else if by_second {
        let far = facing.first.far_end(-n);
        let Polygons { first, second, other } = polygons;
        against(second, normal_second, first, other, far, facing.size, |on, base, distance, feature| {
            if distance < reach {
                out.push(Touch { first: on, second: base, normal: normal_second, distance, feature });
            }
        });
    } else {
        along_edges(facing, reach, out);
    }
    let deepest = out[start..].iter().map(|touch| touch.distance).fold(f64::INFINITY, f64::min);
    // Where polygons miss the closest points, as between two corners.
    if facing.distance < reach && deepest > facing.distance + 1e-9 * facing.size {
        let [first, second] = facing.closest.unwrap_or_else(|| facing.nearest());
        out.push(Touch { first, second, normal: n, distance: facing.distance, feature: 0x2000_0000 });
    }
}

/// Cuts `polygon`, of two or more corners, at the planes through the sides of `face`, and calls `found` with
/// its corners: point, point of the face, distance, number.
fn against(
    face: &[Corner],
    normal: DVec3,
    polygon: &mut Vec<Corner>,
    other: &mut Vec<Corner>,
    far: Option<DVec3>,
    size: f64,
    mut found: impl FnMut(DVec3, DVec3, f64, u32),
) {
    let origin = face[0].0;
    let slack = 1e-12 * size;
    let count = face.len();
    let side = |k: usize| {
        let (a, b) = (face[k].0, face[(k + 1) % count].0);
        (a, (b - a).cross(normal).normalize_or_zero())
    };
    let far = far.filter(|x| (0..count).all(|k| (*x - side(k).0).dot(side(k).1) <= slack));
    for k in 0..count {
        let (a, out) = side(k);
        cut(polygon, other, |x| (x - a).dot(out), slack, k as u32);
        std::mem::swap(polygon, other);
        if polygon.is_empty() {
            break;
        }
    }
    for (x, feature) in polygon.iter().copied().chain(far.map(|x| (x, 0xffff))) {
        let distance = (x - origin).dot(normal);
        found(x, x - normal * distance, distance, feature);
    }
}

/// Part of a polygon that is at most `slack` outside of a plane (Sutherland and Hodgman). A polygon of two
/// corners is a line.
fn cut(polygon: &[Corner], out: &mut Vec<Corner>, height: impl Fn(DVec3) -> f64, slack: f64, plane: u32) {
    out.clear();
    let count = polygon.len();
    for k in 0..count {
        let (a, b) = (polygon[k], polygon[(k + 1) % count]);
        let (at_a, at_b) = (height(a.0), height(b.0));
        if at_a <= slack {
            out.push(a);
        }
        // The line from b back to a is that from a to b.
        let is_back = count == 2 && k == 1;
        if !is_back && (at_a > slack) != (at_b > slack) {
            let t = at_a / (at_a - at_b);
            out.push((a.0 + (b.0 - a.0) * t, 0x8000_0000 | (a.1 & 0x0fff) << 16 | plane));
        }
    }
}

/// Two nearly parallel edges or lines: the ends of their common part.
fn along_edges(facing: &Facing<'_>, reach: f64, out: &mut Vec<Touch>) {
    let n = facing.normal;
    let (Some(first), Some(second)) = (facing.first.edge(-n), facing.second.edge(n)) else {
        return;
    };
    let [along, beside] = [first, second].map(|[a, b]| b - a);
    let sin = along.cross(beside).length();
    if sin > PARALLEL * along.length() * beside.length() {
        return;
    }
    let mut add = |x: DVec3, [a, b]: [DVec3; 2], swapped: bool, feature: u32| {
        let way = b - a;
        let t = (x - a).dot(way) / way.length_squared();
        if !(-1e-12..=1.0 + 1e-12).contains(&t) {
            return;
        }
        let on = a + way * t;
        let (first, second) = if swapped { (on, x) } else { (x, on) };
        let distance = (first - second).dot(n);
        if distance < reach {
            // Across n, the lines are apart by rounding and by their angle.
            out.push(Touch { first, second, normal: n, distance, feature });
        }
    };
    for k in 0..2 {
        add(first[k], second, false, k as u32);
    }
    for k in 0..2 {
        add(second[k], first, true, 2 + k as u32);
    }
}
