//! Surfaces of triangles, with the edges that are drawn.

use glam::{DMat3, DVec3};

/// Cosine of the angle between normals above which an edge is sharp: 30°.
const SHARP: f64 = 0.866_025_403_784_438_6;

/// A vertex with more triangles is shaded flat: the work grows with the square.
const MOST_AT_VERTEX: usize = 256;

/// A surface of triangles in the axes of a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Corners, m.
    pub vertices: Vec<[f64; 3]>,
    /// Three corners of each triangle, counterclockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Sharp edges, between triangles whose normals differ by more than 30°, and borders.
    pub edges: Vec<[u32; 2]>,
}

/// One use of an edge by a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct EdgeUse {
    /// The corner with the smaller index.
    pub low: u32,
    /// The other corner.
    pub high: u32,
    /// Whether the triangle runs from `high` to `low`.
    pub backward: bool,
    /// The triangle.
    pub triangle: u32,
}

/// All uses of edges, in order: those of one edge are neighbours.
pub(super) fn edge_uses(triangles: &[[u32; 3]]) -> Vec<EdgeUse> {
    let mut uses: Vec<EdgeUse> = (0..)
        .zip(triangles)
        .flat_map(|(triangle, corners)| {
            (0..3).map(move |i| {
                let (from, to) = (corners[i], corners[(i + 1) % 3]);
                EdgeUse { low: from.min(to), high: from.max(to), backward: from > to, triangle }
            })
        })
        .collect();
    uses.sort_unstable();
    uses
}

/// The uses of each edge.
pub(super) fn by_edge(uses: &[EdgeUse]) -> impl Iterator<Item = &[EdgeUse]> {
    uses.chunk_by(|a, b| (a.low, a.high) == (b.low, b.high))
}

impl Surface {
    /// A surface with its sharp edges. Corners of triangles must exist.
    pub(super) fn new(vertices: &[DVec3], triangles: Vec<[u32; 3]>) -> Self {
        let mut surface =
            Self { vertices: vertices.iter().map(DVec3::to_array).collect(), triangles, edges: Vec::new() };
        let normals = surface.normals();
        let sharp = |uses: &&[EdgeUse]| match uses {
            [a, b] => normals[a.triangle as usize].dot(normals[b.triangle as usize]) < SHARP,
            _ => true,
        };
        let uses = edge_uses(&surface.triangles);
        surface.edges = by_edge(&uses).filter(sharp).map(|uses| [uses[0].low, uses[0].high]).collect();
        surface
    }

    /// Corners of a triangle.
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|corner| DVec3::from_array(self.vertices[corner as usize]))
    }

    /// Unit normal of each triangle, outwards; zero for triangles without area.
    pub fn normals(&self) -> Vec<DVec3> {
        let normal = |k: usize| {
            let [a, b, c] = self.corners(k);
            (b - a).cross(c - a).normalize_or_zero()
        };
        (0..self.triangles.len()).map(normal).collect()
    }

    /// Unit normals at the three corners of each triangle, for smooth shading: the mean over the triangles at
    /// the corner whose normals differ by less than 30°, weighted by their angles.
    pub fn corner_normals(&self) -> Vec<[DVec3; 3]> {
        let normals = self.normals();
        // Corners of triangles, sorted by vertex.
        let mut start = vec![0_usize; self.vertices.len() + 1];
        for &corner in self.triangles.iter().flatten() {
            start[corner as usize + 1] += 1;
        }
        for v in 1..start.len() {
            start[v] += start[v - 1];
        }
        let mut next = start.clone();
        let mut at_vertex = vec![(0_usize, 0.0); 3 * self.triangles.len()];
        for (k, triangle) in self.triangles.iter().enumerate() {
            let x = self.corners(k);
            for i in 0..3 {
                let (u, v) = (x[(i + 1) % 3] - x[i], x[(i + 2) % 3] - x[i]);
                let slot = &mut next[triangle[i] as usize];
                at_vertex[*slot] = (k, libm::atan2(u.cross(v).length(), u.dot(v)));
                *slot += 1;
            }
        }
        let smooth = |k: usize, corner: u32| {
            let there = &at_vertex[start[corner as usize]..start[corner as usize + 1]];
            if there.len() > MOST_AT_VERTEX {
                return normals[k];
            }
            let near = there.iter().filter(|&&(other, _)| normals[k].dot(normals[other]) >= SHARP);
            let sum: DVec3 = near.map(|&(other, angle)| normals[other] * angle).sum();
            sum.try_normalize().unwrap_or(normals[k])
        };
        self.triangles.iter().enumerate().map(|(k, corners)| corners.map(|c| smooth(k, c))).collect()
    }

    /// Adds another surface, turned and then moved: `x ↦ R x + p`. `None` if there are too many vertices.
    pub(super) fn add(&mut self, other: &Self, rotation: DMat3, position: DVec3) -> Option<()> {
        let first = u32::try_from(self.vertices.len()).ok()?;
        u32::try_from(self.vertices.len() + other.vertices.len()).ok()?;
        let moved = other.vertices.iter().map(|&x| (rotation * DVec3::from_array(x) + position).to_array());
        self.vertices.extend(moved);
        self.triangles.extend(other.triangles.iter().map(|triangle| triangle.map(|corner| corner + first)));
        self.edges.extend(other.edges.iter().map(|edge| edge.map(|corner| corner + first)));
        Some(())
    }
}
