//! Signed distance fields of simple shapes, as closed forms.

use glam::{DVec2, DVec3};

/// The distance of a point from a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Distance d, m: negative inside.
    pub distance: f64,
    /// ∇d, a unit vector that points outwards.
    pub normal: DVec3,
    /// The closest point p of the surface, m: x = p + d ∇d.
    pub point: DVec3,
}

impl Field {
    #[inline]
    fn new(x: DVec3, distance: f64, normal: DVec3) -> Self {
        Self { distance, normal, point: x - distance * normal }
    }
}

/// All space below z = 0: d = z.
#[inline]
pub(super) fn half_space(x: DVec3) -> Field {
    Field { distance: x.z, normal: DVec3::Z, point: DVec3::new(x.x, x.y, 0.0) }
}

/// A ball: d = |x| − r. At the centre the normal is z.
#[inline]
pub(super) fn sphere(radius: f64, x: DVec3) -> Field {
    let length = x.length();
    let normal = if length > 0.0 { x / length } else { DVec3::Z };
    Field { distance: length - radius, normal, point: normal * radius }
}

/// A box with half sizes h. Outside: distance from the clamped point; inside: the nearest face.
#[inline]
pub(super) fn cuboid(half: DVec3, x: DVec3) -> Field {
    let clamped = x.clamp(-half, half);
    let out = x - clamped;
    let squared = out.length_squared();
    if squared > 0.0 {
        let distance = squared.sqrt();
        return Field { distance, normal: out / distance, point: clamped };
    }
    let depth = x.abs() - half;
    let axis = (0..3).fold(0, |best, k| if depth[k] > depth[best] { k } else { best });
    let (mut normal, mut point) = (DVec3::ZERO, x);
    normal[axis] = if x[axis] < 0.0 { -1.0 } else { 1.0 };
    point[axis] = normal[axis] * half[axis];
    Field { distance: depth[axis], normal, point }
}

/// The points within r of the segment |x| ≤ h of the x axis.
#[inline]
pub(super) fn capsule(radius: f64, half: f64, x: DVec3) -> Field {
    let core = DVec3::new(x.x.clamp(-half, half), 0.0, 0.0);
    let out = x - core;
    let length = out.length();
    let normal = if length > 0.0 { out / length } else { DVec3::Z };
    Field { distance: length - radius, normal, point: core + normal * radius }
}

/// A point as (x, ρ) and the unit vector of ρ; on the axis that is z.
#[inline]
fn half_plane(x: DVec3) -> (DVec2, DVec3) {
    let across = DVec3::new(0.0, x.y, x.z);
    let rho = across.length();
    (DVec2::new(x.x, rho), if rho > 0.0 { across / rho } else { DVec3::Z })
}

/// A cylinder about x: the rectangle |x| ≤ h, ρ ≤ r in the half-plane of the point.
#[inline]
pub(super) fn cylinder(radius: f64, half: f64, x: DVec3) -> Field {
    let (q, across) = half_plane(x);
    let side = if x.x < 0.0 { -1.0 } else { 1.0 };
    let over = DVec2::new(q.x * side - half, q.y - radius);
    if over.x > 0.0 && over.y > 0.0 {
        let distance = over.length();
        let normal = (DVec3::X * (over.x * side) + across * over.y) / distance;
        let point = DVec3::X * (half * side) + across * radius;
        return Field { distance, normal, point };
    }
    if over.x > over.y {
        let point = DVec3::new(half * side, x.y, x.z);
        Field { distance: over.x, normal: DVec3::X * side, point }
    } else {
        Field { distance: over.y, normal: across, point: DVec3::X * q.x + across * radius }
    }
}

/// A cone about x: the triangle (−h, 0), (−h, r), (h, 0) in the half-plane of the point.
#[inline]
pub(super) fn cone(radius: f64, half: f64, x: DVec3) -> Field {
    let (q, across) = half_plane(x);
    let (rim, apex) = (DVec2::new(-half, radius), DVec2::new(half, 0.0));
    let side = apex - rim;
    let outwards = DVec2::new(radius, 2.0 * half).normalize();
    let along = (q - rim).dot(side) / side.length_squared();
    let slant = (q - rim).dot(outwards);
    let base = -half - q.x;
    let lift = |n: DVec2| DVec3::X * n.x + across * n.y;
    if slant <= 0.0 && base <= 0.0 {
        // Inside: the nearer of both faces.
        return if slant >= base {
            Field::new(x, slant, lift(outwards))
        } else {
            Field { distance: base, normal: -DVec3::X, point: DVec3::new(-half, x.y, x.z) }
        };
    }
    if base > 0.0 && q.y <= radius {
        return Field { distance: base, normal: -DVec3::X, point: DVec3::new(-half, x.y, x.z) };
    }
    if slant > 0.0 && along > 0.0 && along < 1.0 {
        return Field::new(x, slant, lift(outwards));
    }
    let corner = if along >= 1.0 { apex } else { rim };
    let out = q - corner;
    let distance = out.length();
    let normal = if distance > 0.0 { lift(out / distance) } else { lift(outwards) };
    Field { distance, normal, point: lift(corner) }
}
