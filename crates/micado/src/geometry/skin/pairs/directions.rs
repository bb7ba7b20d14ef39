//! Directions in which curved solids touch: closed forms for planes, straight edges and lines of cylinders
//! and cones, a search along circles for the rest.

use super::axis::{Axis, PARALLEL, STEPS, TIE, gap};
use super::solid::{Kind, LYING, Solid};
use crate::geometry::rotation::any_normal;
use glam::DVec3;

/// Directions at a height over an axis: n·u = h. Where a straight edge or a line touches, n is perpendicular
/// to it; the normals of the slant of a cone have the same height.
#[derive(Clone, Copy, Debug)]
struct Circle {
    axis: DVec3,
    height: f64,
}

impl Circle {
    /// The direction at an angle from `n`, and its derivative.
    fn at(&self, n: DVec3, angle: f64) -> (DVec3, DVec3) {
        let first = (n - self.axis * self.axis.dot(n)).normalize_or_zero();
        let second = self.axis.cross(first);
        let (sin, cos) = libm::sincos(angle);
        let radius = (1.0 - self.height * self.height).max(0.0).sqrt();
        (
            self.axis * self.height + (first * cos + second * sin) * radius,
            (second * cos - first * sin) * radius,
        )
    }

    fn misses(&self, n: DVec3) -> f64 {
        (self.axis.dot(n) - self.height).abs()
    }

    /// The directions on both circles: n = αu + βw ± γ u × w.
    fn meet(&self, other: &Self) -> Option<[DVec3; 2]> {
        let (u, w, k) = (self.axis, other.axis, self.axis.dot(other.axis));
        let cross = u.cross(w);
        let square = cross.length_squared();
        if square <= PARALLEL * PARALLEL {
            return None;
        }
        let alpha = (self.height - other.height * k) / square;
        let beta = (other.height - self.height * k) / square;
        let rest = (1.0 - alpha * alpha - beta * beta - 2.0 * alpha * beta * k) / square;
        let (flat, up) = (u * alpha + w * beta, cross * (rest >= 0.0).then(|| rest.sqrt())?);
        Some([flat + up, flat - up].map(DVec3::normalize))
    }
}

/// The circles of a solid that pass a direction nearer than `near`. `side` is 1 if n points outwards.
fn circles(solid: &Solid<'_>, side: f64, n: DVec3, near: f64, give: &mut impl FnMut(Circle)) {
    let mut add = |axis: DVec3, height: f64| {
        let circle = Circle { axis: solid.pose.vector(axis), height };
        if circle.misses(n) < near {
            give(circle);
        }
    };
    match solid.kind {
        Kind::Poly(hull) | Kind::Box(hull, _) | Kind::Triangle(hull, ..) => {
            for edge in &hull.edges {
                let [p, q] = edge.ends.map(|k| hull.vertices[k as usize]);
                add((q - p).normalize_or_zero(), 0.0);
            }
        }
        Kind::Cylinder { .. } => add(DVec3::X, 0.0),
        Kind::Cone { radius, half } => {
            add(DVec3::X, side * radius / (radius * radius + 4.0 * half * half).sqrt());
        }
    }
}

/// Directions that are exact where planes, straight edges and lines touch: each is given to `give`.
pub(super) fn candidates(a: &Solid<'_>, b: &Solid<'_>, near: &Axis, mut give: impl FnMut(DVec3)) {
    let n = near.normal;
    for (solid, side) in [(b, 1.0), (a, -1.0)] {
        let mut plane = |normal: DVec3| {
            let normal = solid.pose.vector(normal) * side;
            if normal.dot(n) > 0.5 {
                give(normal);
            }
        };
        match solid.kind {
            Kind::Poly(hull) | Kind::Box(hull, _) | Kind::Triangle(hull, ..) => {
                hull.faces.iter().for_each(|face| plane(face.normal));
            }
            Kind::Cylinder { .. } => [DVec3::X, -DVec3::X].into_iter().for_each(plane),
            Kind::Cone { .. } => plane(-DVec3::X),
        }
    }
    let both = |normal: DVec3, give: &mut dyn FnMut(DVec3)| {
        if normal.dot(n).abs() > 0.5 {
            give(normal * normal.dot(n).signum());
        }
    };
    circles(a, -1.0, n, LYING, &mut |first| {
        circles(b, 1.0, n, LYING, &mut |second| {
            first.meet(&second).into_iter().flatten().for_each(|normal| both(normal, &mut give));
        });
    });
    // Axes that are nearly parallel: across, from one to the other.
    if let (Kind::Cylinder { .. }, Kind::Cylinder { .. }) = (a.kind, b.kind) {
        let way = a.pose.position - b.pose.position;
        for solid in [a, b] {
            let axis = solid.pose.vector(DVec3::X);
            (way - axis * axis.dot(way)).try_normalize().into_iter().for_each(&mut give);
        }
    }
    // Lines of cylinders and corners.
    for (solid, other, side) in [(a, b, -1.0), (b, a, 1.0)] {
        if let (Kind::Cylinder { .. }, Some(_)) = (solid.kind, other.kind.hull()) {
            let corner = solid.pose.local_point(other.support(n * -side));
            let out = DVec3::new(0.0, corner.y, corner.z).try_normalize();
            out.into_iter().for_each(|out| both(solid.pose.vector(out) * side, &mut give));
        }
    }
}

/// Overlaps of curved edges have no closed form: s(n) is made larger along the circle of directions on which
/// a straight edge or a line of one solid touches, or along two great circles in turn.
pub(super) fn climb(a: &Solid<'_>, b: &Solid<'_>, from: Axis) -> Axis {
    let mut n = from.normal;
    let mut circle: Option<Circle> = None;
    for (solid, side) in [(a, -1.0), (b, 1.0)] {
        // Edges at the point that touches only.
        let straight = solid.edge(n * side).map(|[p, q]| (q - p).normalize_or_zero());
        circles(solid, side, n, 1e-3, &mut |found| {
            let is_here = solid.kind.hull().is_none()
                || straight.is_some_and(|way| way.cross(found.axis).length() < 1e-9);
            if is_here && circle.is_none_or(|best| found.misses(n) < best.misses(n)) {
                circle = Some(found);
            }
        });
    }
    if let Some(circle) = circle {
        n = along(a, b, n, &circle);
    } else {
        for _ in 0..STEPS {
            let old = n;
            let across = any_normal(n, DVec3::Z);
            n = along(a, b, n, &Circle { axis: across, height: 0.0 });
            n = along(a, b, n, &Circle { axis: n.cross(across).normalize(), height: 0.0 });
            if n.dot(old) >= 1.0 {
                break;
            }
        }
    }
    let distance = gap(a, b, n);
    if distance >= from.distance - TIE * from.distance.abs() {
        Axis { normal: n, distance, closest: None }
    } else {
        from
    }
}

/// The direction of the largest gap on a circle near n, where s' = (p − q)·n' is zero, p and q the points
/// farthest in this direction.
fn along(a: &Solid<'_>, b: &Solid<'_>, n: DVec3, circle: &Circle) -> DVec3 {
    let slope = |angle: f64| {
        let (m, derivative) = circle.at(n, angle);
        (a.support(-m) - b.support(m)).dot(derivative)
    };
    let first = slope(0.0);
    let side = if first < 0.0 { -1.0 } else { 1.0 };
    // The slope falls from s'(0) to less than zero.
    let (mut low, mut at_low, mut high) = (0.0, first * side, 1e-6);
    let mut at_high = slope(high * side) * side;
    while at_high > 0.0 && high < 0.1 {
        (low, at_low) = (high, at_high);
        high *= 4.0;
        at_high = slope(high * side) * side;
    }
    if at_high > 0.0 {
        return n;
    }
    for step in 0..STEPS {
        let share = at_low / (at_low - at_high);
        let middle = if step % 3 == 2 { 0.5 } else { share.clamp(0.001, 0.999) };
        let next = low + (high - low) * middle;
        if next <= low || next >= high {
            break;
        }
        let value = slope(next * side) * side;
        if value > 0.0 {
            (low, at_low) = (next, value);
        } else {
            (high, at_high) = (next, value);
        }
    }
    circle.at(n, 0.5 * (low + high) * side).0.normalize()
}
