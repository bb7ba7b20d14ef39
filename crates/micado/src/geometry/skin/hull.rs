//! Convex polyhedra: corners, plane faces and edges.

use super::field::Field;
use super::pose::Bounds;
use super::triangle::{Feature, on_triangle};
use glam::DVec3;

/// Triangles are one face if no corner is farther from the plane of the other, over the size.
const FLAT: f64 = 1e-10;

/// A plane face `n·x = offset` of a convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// n, a unit vector, outwards.
    pub normal: DVec3,
    /// m.
    pub offset: f64,
    /// Corners, counterclockwise seen from outside.
    pub corners: Vec<u32>,
}

/// An edge of a convex polyhedron.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Corners.
    pub ends: [u32; 2],
    /// The faces on both sides.
    pub faces: [u32; 2],
}

/// A convex polyhedron.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// Corners, m.
    pub vertices: Vec<DVec3>,
    /// Plane faces.
    pub faces: Vec<Face>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// Triangles, with their corners and the face that each lies in.
    triangles: Vec<([DVec3; 3], u32)>,
    size: f64,
}

impl Hull {
    /// The polyhedron with this surface: triangles counterclockwise seen from outside. `None` if corners
    /// don't exist or are not finite, or if the surface is not closed.
    pub fn new(vertices: &[DVec3], triangles: &[[u32; 3]]) -> Option<Self> {
        let known = |corner: &u32| vertices.get(*corner as usize).is_some_and(|x| x.is_finite());
        if triangles.len() < 4 || !triangles.iter().flatten().all(known) {
            return None;
        }
        let bounds = Bounds::of(vertices.iter().copied());
        let size = bounds.size();
        let groups = group(vertices, triangles, FLAT * size)?;
        Self::with_faces(vertices, triangles, &groups, size).or_else(|| {
            let each: Vec<u32> = (0..triangles.len() as u32).collect();
            Self::with_faces(vertices, triangles, &each, size)
        })
    }

    /// `groups` has a number for each triangle: those of the same face are equal.
    fn with_faces(vertices: &[DVec3], triangles: &[[u32; 3]], groups: &[u32], size: f64) -> Option<Self> {
        let mut sides = directed(triangles);
        sides.sort_unstable();
        let across = |from: u32, to: u32| {
            let at = sides.binary_search_by_key(&(to, from), |side| (side.0, side.1)).ok()?;
            Some(sides[at].2)
        };
        let mut names: Vec<u32> = groups.to_vec();
        names.sort_unstable();
        names.dedup();
        let face_of = |triangle: u32| names.partition_point(|&name| name < groups[triangle as usize]) as u32;
        let mut borders: Vec<Vec<(u32, u32)>> = vec![Vec::new(); names.len()];
        let mut edges = Vec::new();
        for &(from, to, triangle) in &sides {
            let (own, other) = (face_of(triangle), face_of(across(from, to)?));
            if own != other {
                borders[own as usize].push((from, to));
                if from < to {
                    edges.push(Edge { ends: [from, to], faces: [own, other] });
                }
            }
        }
        let faces =
            borders.iter().map(|border| Face::within(vertices, border)).collect::<Option<Vec<_>>>()?;
        let corners = |triangle: &[u32; 3]| triangle.map(|corner| vertices[corner as usize]);
        let triangles = triangles
            .iter()
            .enumerate()
            .map(|(k, triangle)| (corners(triangle), face_of(k as u32)))
            .collect();
        Some(Self { vertices: vertices.to_vec(), faces, edges, triangles, size })
    }

    /// A box with these half sizes. Corner k is at the upper side of x, y, z where bit 0, 1, 2 of k is set.
    pub fn cuboid(half: DVec3) -> Self {
        let side = |k: u32, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let vertices = (0..8).map(|k| DVec3::new(side(k, 0), side(k, 1), side(k, 2)) * half).collect();
        let corners = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
        let axes = [DVec3::X, DVec3::Y, DVec3::Z];
        let face = |(k, corners): (usize, [u32; 4])| {
            let (axis, side) = (axes[k / 2], if k % 2 == 0 { -1.0 } else { 1.0 });
            Face { normal: axis * side, offset: axis.dot(half), corners: corners.to_vec() }
        };
        // Edges along each axis, between the lower or upper sides of both others.
        let edge = |axis: u32, low: u32| {
            let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
            let first = (low & 1) << u | (low >> 1) << v;
            Edge { ends: [first, first | 1 << axis], faces: [2 * u + (low & 1), 2 * v + (low >> 1)] }
        };
        let edges = (0..12).map(|k| edge(k / 4, k % 4)).collect();
        Self::flat(vertices, corners.into_iter().enumerate().map(face).collect(), edges)
    }

    /// A polyhedron whose field is not needed.
    pub(super) fn flat(vertices: Vec<DVec3>, faces: Vec<Face>, edges: Vec<Edge>) -> Self {
        let size = Bounds::of(vertices.iter().copied()).size();
        Self { vertices, faces, edges, triangles: Vec::new(), size }
    }

    /// The box about it.
    pub fn bounds(&self) -> Bounds {
        Bounds::of(self.vertices.iter().copied())
    }

    /// The signed distance: that of the nearest plane inside, that of the closest triangle outside.
    pub(super) fn field(&self, x: DVec3) -> Field {
        let mut nearest = (f64::NEG_INFINITY, DVec3::Z);
        for face in &self.faces {
            let distance = face.height(x);
            if distance > nearest.0 {
                nearest = (distance, face.normal);
            }
        }
        let (distance, normal) = nearest;
        let inside = Field { distance, normal, point: x - distance * normal };
        if distance <= 0.0 {
            return inside;
        }
        let mut best = (f64::INFINITY, inside);
        for (corners, face) in &self.triangles {
            let face = &self.faces[*face as usize];
            let height = face.height(x);
            if height <= 0.0 || height * height >= best.0 {
                continue;
            }
            let (point, feature) = on_triangle(*corners, face.normal, x);
            let squared = x.distance_squared(point);
            if squared < best.0 {
                let distance = squared.sqrt();
                let found = match feature {
                    Feature::Face => Field { distance: height, normal: face.normal, point },
                    // Too near for a direction.
                    _ if distance <= 1e-14 * self.size => Field { distance, normal, point },
                    _ => Field { distance, normal: (x - point) / distance, point },
                };
                best = (squared, found);
            }
        }
        best.1
    }
}

impl Face {
    /// The face with this border, whose sides are in any order. `None` unless they are one loop.
    fn within(vertices: &[DVec3], border: &[(u32, u32)]) -> Option<Self> {
        let mut corners = vec![border.first()?.0];
        let mut at = border.first()?.1;
        while at != corners[0] && corners.len() <= border.len() {
            corners.push(at);
            at = border.iter().find(|side| side.0 == at)?.1;
        }
        if corners.len() != border.len() {
            return None;
        }
        // The vector of the area, about a corner for accuracy.
        let x = |k: usize| vertices[corners[k % corners.len()] as usize];
        let area: DVec3 = (1..corners.len()).map(|k| (x(k) - x(0)).cross(x(k + 1) - x(0))).sum();
        let normal = area.try_normalize()?;
        let offset = (0..corners.len()).map(|k| normal.dot(x(k))).sum::<f64>() / corners.len() as f64;
        Some(Self { normal, offset, corners })
    }

    /// n·x − offset, m.
    #[inline]
    pub fn height(&self, x: DVec3) -> f64 {
        self.normal.dot(x) - self.offset
    }
}

/// Sides of triangles: from, to, triangle.
fn directed(triangles: &[[u32; 3]]) -> Vec<(u32, u32, u32)> {
    let sides = |(k, [a, b, c]): (u32, &[u32; 3])| [(*a, *b, k), (*b, *c, k), (*c, *a, k)];
    (0..).zip(triangles).flat_map(sides).collect()
}

/// A number for each triangle, equal for neighbours in one plane. `None` if the surface is not closed.
fn group(vertices: &[DVec3], triangles: &[[u32; 3]], flat: f64) -> Option<Vec<u32>> {
    let mut sides = directed(triangles);
    sides.sort_unstable();
    let plane = |k: usize| {
        let [a, b, c] = triangles[k].map(|corner| vertices[corner as usize]);
        (a, (b - a).cross(c - a).normalize_or_zero())
    };
    let mut groups: Vec<u32> = vec![u32::MAX; triangles.len()];
    let mut open = Vec::new();
    for first in 0..triangles.len() {
        if groups[first] != u32::MAX {
            continue;
        }
        let (origin, normal) = plane(first);
        groups[first] = first as u32;
        open.push(first);
        while let Some(k) = open.pop() {
            for i in 0..3 {
                let (from, to) = (triangles[k][i], triangles[k][(i + 1) % 3]);
                let at = sides.binary_search_by_key(&(to, from), |side| (side.0, side.1)).ok()?;
                let other = sides[at].2 as usize;
                let in_plane = |corner: &u32| {
                    let height = (vertices[*corner as usize] - origin).dot(normal);
                    height.abs() <= flat
                };
                if groups[other] == u32::MAX
                    && triangles[other].iter().all(in_plane)
                    && plane(other).1.dot(normal) > 0.5
                {
                    groups[other] = first as u32;
                    open.push(other);
                }
            }
        }
    }
    Some(groups)
}
