//! Convex solids as the search for contacts sees them: support points, faces and edges.

use super::super::field;
use super::super::hull::{Edge, Face, Hull};
use super::super::pose::Pose;
use super::super::triangle::on_triangle;
use glam::DVec3;
use parry3d_f64::shape::SupportMap;
use std::f64::consts::TAU;

/// Corners of the polygon that stands for a circle. All are on the circle, one at its lowest point.
const AROUND: u32 = 16;

/// A corner of a polygon, with a number that identifies it.
pub(super) type Corner = (DVec3, u32);

/// A convex shape, in its own axes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind<'a> {
    Poly(&'a Hull),
    /// A box, and its half sizes.
    Box(&'a Hull, DVec3),
    /// A triangle without thickness, as a polyhedron, and its unit normal.
    Triangle(&'a Hull, [DVec3; 3], DVec3),
    Cylinder {
        radius: f64,
        half: f64,
    },
    Cone {
        radius: f64,
        half: f64,
    },
}

/// A convex shape in a pose.
#[derive(Clone, Copy, Debug)]
pub(super) struct Solid<'a> {
    pub(super) kind: Kind<'a>,
    pub(super) pose: Pose,
}

/// `v` without its part along x, as a unit vector; y if nothing is left of it.
pub(super) fn radial(v: DVec3) -> DVec3 {
    DVec3::new(0.0, v.y, v.z).try_normalize().unwrap_or(DVec3::Y)
}

impl Kind<'_> {
    /// The point that is farthest in a direction; of several the first.
    pub(super) fn support(&self, d: DVec3) -> DVec3 {
        match *self {
            Self::Box(_, half) => DVec3::select(d.cmplt(DVec3::ZERO), -half, half),
            Self::Poly(hull) | Self::Triangle(hull, ..) => hull.vertices[farthest(hull, d)],
            Self::Cylinder { radius, half } => {
                DVec3::X * if d.x < 0.0 { -half } else { half } + radial(d) * radius
            }
            Self::Cone { radius, half } => {
                let rim = DVec3::X * -half + radial(d) * radius;
                let apex = DVec3::X * half;
                if apex.dot(d) >= rim.dot(d) { apex } else { rim }
            }
        }
    }

    /// The closest point of the solid.
    pub(super) fn project(&self, x: DVec3) -> DVec3 {
        let found = match *self {
            Self::Triangle(_, corners, normal) => return on_triangle(corners, normal, x).0,
            Self::Poly(hull) => hull.field(x),
            Self::Box(_, half) => field::cuboid(half, x),
            Self::Cylinder { radius, half } => field::cylinder(radius, half, x),
            Self::Cone { radius, half } => field::cone(radius, half, x),
        };
        if found.distance > 0.0 { found.point } else { x }
    }

    pub(super) fn hull(&self) -> Option<&Hull> {
        match self {
            Self::Poly(hull) | Self::Box(hull, _) | Self::Triangle(hull, ..) => Some(hull),
            _ => None,
        }
    }
}

/// Number of the corner that is farthest in a direction; the first of several.
pub(super) fn farthest(hull: &Hull, d: DVec3) -> usize {
    let mut best = (0, f64::NEG_INFINITY);
    for (k, x) in hull.vertices.iter().enumerate() {
        let height = x.dot(d);
        if height > best.1 {
            best = (k, height);
        }
    }
    best.0
}

/// A support map in units of a size, which the tolerances of the search for closest points are made for. The
/// shape is smaller by a factor about a point within.
pub(super) struct Scaled<'a> {
    kind: Kind<'a>,
    size: f64,
    centre: DVec3,
    factor: f64,
}

impl<'a> Scaled<'a> {
    pub(super) fn new(kind: Kind<'a>, size: f64, factor: f64) -> Self {
        let centre = match kind {
            Kind::Poly(hull) | Kind::Triangle(hull, ..) => {
                hull.vertices.iter().sum::<DVec3>() / hull.vertices.len() as f64
            }
            _ => DVec3::ZERO,
        };
        Self { kind, size, centre, factor }
    }
}

impl SupportMap for Scaled<'_> {
    fn local_support_point(&self, d: DVec3) -> DVec3 {
        (self.centre + (self.kind.support(d) - self.centre) * self.factor) / self.size
    }
}

impl Solid<'_> {
    pub(super) fn support(&self, d: DVec3) -> DVec3 {
        self.pose.point(self.kind.support(self.pose.local_vector(d)))
    }

    pub(super) fn project(&self, x: DVec3) -> DVec3 {
        self.pose.point(self.kind.project(self.pose.local_point(x)))
    }

    /// The polygon that faces a direction, and its outward normal. Lines of cylinders and cones have two
    /// corners; circles have some on the circle, first the one that is farthest in the direction.
    pub(super) fn facing(&self, d: DVec3, polygon: &mut Vec<Corner>) -> DVec3 {
        polygon.clear();
        let own = self.pose.local_vector(d);
        let normal = match self.kind {
            Kind::Poly(hull) | Kind::Box(hull, _) | Kind::Triangle(hull, ..) => {
                let corner = farthest(hull, own) as u32;
                let at_corner = hull.faces.iter().filter(|face| face.corners.contains(&corner));
                let steeper = |best: Option<&'_ Face>, face: &Face| {
                    best.is_none_or(|best| face.normal.dot(own) > best.normal.dot(own))
                };
                let mut best = None;
                for face in at_corner {
                    if steeper(best, face) {
                        best = Some(face);
                    }
                }
                match best {
                    Some(face) => {
                        let corner = |&k: &u32| (hull.vertices[k as usize], k);
                        polygon.extend(face.corners.iter().map(corner));
                        face.normal
                    }
                    None => own,
                }
            }
            Kind::Cylinder { radius, half } => {
                if own.x.abs() > LYING {
                    circle(radius, if own.x < 0.0 { -half } else { half }, own, polygon)
                } else {
                    line(radius, [-half, half], own, polygon)
                }
            }
            Kind::Cone { radius, half } => {
                let slant = DVec3::X * radius + radial(own) * (2.0 * half);
                let slant = slant.normalize();
                if slant.dot(own) >= -own.x {
                    polygon.push((DVec3::X * -half + radial(own) * radius, 0));
                    polygon.push((DVec3::X * half, 1));
                    slant
                } else {
                    circle(radius, -half, own, polygon)
                }
            }
        };
        polygon.iter_mut().for_each(|corner| corner.0 = self.pose.point(corner.0));
        self.pose.vector(normal)
    }

    /// A point at the far end of a cylinder or cone that stands inclined: it also touches when the shape lies
    /// down.
    pub(super) fn far_end(&self, d: DVec3) -> Option<DVec3> {
        let own = self.pose.local_vector(d);
        let x = match self.kind {
            Kind::Cylinder { radius, half } if own.x.abs() > LYING => {
                DVec3::X * if own.x < 0.0 { half } else { -half } + radial(own) * radius
            }
            Kind::Cone { half, .. } => DVec3::X * half,
            _ => return None,
        };
        Some(self.pose.point(x))
    }

    /// The straight edge or line that is farthest in a direction, if it is nearly perpendicular to it.
    pub(super) fn edge(&self, d: DVec3) -> Option<[DVec3; 2]> {
        let own = self.pose.local_vector(d);
        let ends = match self.kind {
            Kind::Poly(hull) | Kind::Box(hull, _) | Kind::Triangle(hull, ..) => {
                let corner = farthest(hull, own) as u32;
                let steepness = |edge: &Edge| {
                    let [a, b] = edge.ends.map(|k| hull.vertices[k as usize]);
                    (b - a).normalize_or_zero().dot(own).abs()
                };
                let mut best: Option<(f64, &Edge)> = None;
                for edge in hull.edges.iter().filter(|edge| edge.ends.contains(&corner)) {
                    let steep = steepness(edge);
                    if best.is_none_or(|(least, _)| steep < least) {
                        best = Some((steep, edge));
                    }
                }
                let (_, edge) = best.filter(|(steep, _)| *steep < LYING)?;
                edge.ends.map(|k| hull.vertices[k as usize])
            }
            Kind::Cylinder { radius, half } => {
                if own.x.abs() >= LYING {
                    return None;
                }
                let out = radial(own) * radius;
                [DVec3::X * -half + out, DVec3::X * half + out]
            }
            Kind::Cone { radius, half } => {
                let out = radial(own);
                let slant = (DVec3::X * radius + out * (2.0 * half)).normalize();
                if slant.dot(own) < 1.0 - 0.5 * LYING * LYING {
                    return None;
                }
                [DVec3::X * -half + out * radius, DVec3::X * half]
            }
        };
        Some(ends.map(|x| self.pose.point(x)))
    }
}

/// Sine of the angle to a plane below which a cylinder lies on it rather than stands.
pub(super) const LYING: f64 = 0.3;

/// Tilts below this leave all points of a circle equally low.
const TILT: f64 = 1e-6;

/// Corners on the circle at x, and its normal. The first is the farthest in the direction `d`; if the circle
/// is perpendicular to it, the corners are at rest in the axes of the shape.
fn circle(radius: f64, x: f64, d: DVec3, polygon: &mut Vec<Corner>) -> DVec3 {
    let across = DVec3::new(0.0, d.y, d.z);
    let first = if across.length() > TILT { radial(d) } else { DVec3::Y };
    let side = if x < 0.0 { -1.0 } else { 1.0 };
    // Counterclockwise seen from outside.
    let second = DVec3::X.cross(first) * side;
    for k in 0..AROUND {
        let (sin, cos) = match k * 4 / AROUND {
            quarter if k % (AROUND / 4) == 0 => {
                [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][quarter as usize]
            }
            _ => libm::sincos(TAU * f64::from(k) / f64::from(AROUND)),
        };
        polygon.push((DVec3::X * x + (first * cos + second * sin) * radius, k));
    }
    DVec3::X * side
}

/// The line of a cylinder that is farthest in the direction `d`, and its normal.
fn line(radius: f64, ends: [f64; 2], d: DVec3, polygon: &mut Vec<Corner>) -> DVec3 {
    let out = radial(d);
    polygon.extend((0..).zip(ends).map(|(k, x)| (DVec3::X * x + out * radius, k)));
    out
}
