//! The direction in which two convex solids are farthest apart, or overlap least.
//!
//! s(n) = min n·x over the first − max n·x over the second is the gap in the direction n. Its largest value
//! is the distance, or minus the depth of an overlap.

use super::super::hull::Hull;
use super::directions::{candidates, climb};
use super::manifold::between_lines;
use super::solid::{Scaled, Solid};
use glam::DVec3;
use parry3d_f64::math::Pose as Isometry;
use parry3d_f64::query::epa::EPA;
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};

/// Gaps above this share of the size have closest points that give an exact direction; below it, the
/// direction is that of faces and edges.
const APART: f64 = 1e-6;

/// A candidate direction is taken if its gap is smaller than the largest by no more than this share of the
/// size.
pub(super) const TIE: f64 = 1e-11;

/// Edges that are more parallel give no direction: sine of their angle.
pub(super) const PARALLEL: f64 = 1e-6;

/// Factors by which overlapping solids are made smaller.
const FACTORS: [f64; 4] = [1.0, 0.999, 0.98, 0.9];

/// Steps that bring closest points closer.
pub(super) const STEPS: usize = 60;

/// A direction from the second solid to the first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axis {
    pub(super) normal: DVec3,
    /// s(n), m.
    pub(super) distance: f64,
    /// The closest points, if the solids are apart.
    pub(super) closest: Option<[DVec3; 2]>,
}

/// Scratch of the search.
#[derive(Default)]
pub(super) struct Search {
    epa: EPA,
    vertices: Vec<DVec3>,
    normals: Vec<DVec3>,
}

impl Axis {
    fn keep(&mut self, normal: DVec3, distance: f64, more: f64) {
        if distance > self.distance + more {
            *self = Self { normal, distance, closest: None };
        }
    }
}

/// s(n).
pub(super) fn gap(a: &Solid<'_>, b: &Solid<'_>, n: DVec3) -> f64 {
    (a.support(-n) - b.support(n)).dot(n)
}

impl Search {
    /// The direction of the largest gap; `None` if it is larger than `reach`. `b` must be at the origin of
    /// the axes, `size` is that of the smaller solid.
    pub(super) fn axis(&mut self, a: &Solid<'_>, b: &Solid<'_>, size: f64, reach: f64) -> Option<Axis> {
        let hulls = a.kind.hull().zip(b.kind.hull());
        // Faces and edges of polyhedra, unless there are too many.
        let mut of_planes = None;
        if let Some((first, second)) = hulls
            && first.edges.len() * second.edges.len() <= 20_000
        {
            let axis = self.planes(first, a, second, size);
            if axis.distance > reach {
                return None;
            }
            if axis.distance <= APART * size {
                return Some(axis);
            }
            of_planes = Some(axis);
        }
        let mut best = self.closest(a, b, size, reach)?;
        if let Some(axis) = of_planes {
            if best.distance <= axis.distance + TIE * size {
                best = axis;
            }
            return Some(best);
        }
        let near = best;
        let mut taken = false;
        candidates(a, b, &near, |normal| {
            let distance = gap(a, b, normal);
            // The first candidate at least as good, then better ones only.
            let more = if taken { TIE * size } else { -TIE * size };
            if distance > best.distance + more {
                best = Axis { normal, distance, closest: None };
                taken = true;
            }
        });
        if !taken && best.distance <= APART * size {
            best = climb(a, b, best);
        }
        Some(best)
    }

    /// The separating axes of two polyhedra: normals of faces, and normals of pairs of edges that meet on the
    /// surface of the Minkowski difference (D. Gregorius, GDC 2013). The second has the axes of the search.
    fn planes(&mut self, first: &Hull, a: &Solid<'_>, second: &Hull, size: f64) -> Axis {
        self.vertices.clear();
        self.vertices.extend(first.vertices.iter().map(|&x| a.pose.point(x)));
        self.normals.clear();
        self.normals.extend(first.faces.iter().map(|face| a.pose.vector(face.normal)));
        let mut best = Axis { normal: DVec3::Z, distance: f64::NEG_INFINITY, closest: None };
        for face in &second.faces {
            let least = self.vertices.iter().map(|x| x.dot(face.normal)).fold(f64::INFINITY, f64::min);
            best.keep(face.normal, least - face.offset, TIE * size);
        }
        for (face, &normal) in first.faces.iter().zip(&self.normals) {
            let offset = normal.dot(self.vertices[face.corners[0] as usize]);
            let least = second.vertices.iter().map(|x| x.dot(normal)).fold(f64::INFINITY, f64::min);
            best.keep(-normal, least - offset, TIE * size);
        }
        for own in &first.edges {
            let [p, q] = own.ends.map(|k| self.vertices[k as usize]);
            let along = q - p;
            let [a1, a2] = own.faces.map(|k| -self.normals[k as usize]);
            let turn = a2.cross(a1);
            for other in &second.edges {
                let [b1, b2] = other.faces.map(|k| second.faces[k as usize].normal);
                // The arcs a1a2 and b1b2 of directions cross.
                let (u, v) = (b1.dot(turn), b2.dot(turn));
                if u * v >= 0.0 {
                    continue;
                }
                let back = b2.cross(b1);
                let (w, z) = (a1.dot(back), a2.dot(back));
                if w * z >= 0.0 || u * z <= 0.0 {
                    continue;
                }
                let [r, s] = other.ends.map(|k| second.vertices[k as usize]);
                let beside = s - r;
                let cross = along.cross(beside);
                let length = cross.length();
                if length <= PARALLEL * along.length() * beside.length() {
                    continue;
                }
                let side = if cross.dot(b1 + b2) < 0.0 { -1.0 } else { 1.0 };
                let normal = cross * (side / length);
                let distance = (p - r).dot(normal);
                if distance > best.distance + 1e-9 * size {
                    let closest = Some(between_lines([p, along], [r, beside]));
                    best = Axis { normal, distance, closest };
                }
            }
        }
        best
    }

    /// The closest points of parry's GJK, made exact if the solids are apart. If they overlap, the direction
    /// of their closest points after both are made smaller, or that of parry's EPA if they overlap deeply.
    fn closest(&mut self, a: &Solid<'_>, b: &Solid<'_>, size: f64, reach: f64) -> Option<Axis> {
        let pose = Isometry::from_parts(a.pose.position / size, a.pose.rotation);
        let start = a.pose.position.try_normalize().unwrap_or(DVec3::X);
        let mut simplex = VoronoiSimplex::new();
        let mut best = Axis { normal: DVec3::Z, distance: f64::NEG_INFINITY, closest: None };
        let most = 1.001 * reach.max(0.0) / size + 0.5;
        for factor in FACTORS {
            let [first, second] = [a, b].map(|solid| Scaled::new(solid.kind, size, factor));
            simplex.reset(CsoPoint::from_shapes(&pose, &second, &first, start));
            match gjk::closest_points(&pose, &second, &first, most, true, &mut simplex) {
                GJKResult::NoIntersection(_) if factor == 1.0 => return None,
                GJKResult::ClosestPoints(q, p, _) => {
                    if factor == 1.0 {
                        let axis = approach(a, b, p * size, q * size);
                        if axis.distance > APART * size {
                            return (axis.distance <= reach).then_some(axis);
                        }
                    }
                    if let Some(normal) = (p - q).try_normalize() {
                        best.keep(normal, gap(a, b, normal), 0.0);
                        // A deeper overlap may have another shortest way out.
                        if factor == FACTORS[1] {
                            return Some(best);
                        }
                        if factor < 1.0 {
                            break;
                        }
                    }
                }
                _ => {}
            }
        }
        let [first, second] = [a, b].map(|solid| Scaled::new(solid.kind, size, 1.0));
        simplex.reset(CsoPoint::from_shapes(&pose, &second, &first, start));
        let overlap = gjk::closest_points(&pose, &second, &first, most, true, &mut simplex);
        if overlap == GJKResult::Intersection
            && let Some((_, _, normal)) = self.epa.closest_points(&pose, &second, &first, &simplex)
        {
            for normal in [normal, -normal] {
                best.keep(normal, gap(a, b, normal), 0.0);
            }
        }
        // Where that fails: the way between the middles.
        best.keep(start, gap(a, b, start), TIE * size);
        Some(best)
    }
}

/// Closest points of two solids that are apart: each is moved to the closest point of its solid in turn.
fn approach(a: &Solid<'_>, b: &Solid<'_>, mut p: DVec3, mut q: DVec3) -> Axis {
    let mut last = f64::INFINITY;
    for _ in 0..STEPS {
        q = b.project(p);
        p = a.project(q);
        let distance = p.distance(q);
        if distance >= last * (1.0 - 1e-15) {
            break;
        }
        last = distance;
    }
    let way = p - q;
    let distance = way.length();
    let normal = if distance > 0.0 { way / distance } else { DVec3::Z };
    Axis { normal, distance, closest: Some([p, q]) }
}
