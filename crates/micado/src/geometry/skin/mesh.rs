//! Surfaces of triangles: closed ones with an inside, and open ones with two sides.

use super::field::Field;
use super::pose::Bounds;
use super::triangle::{Feature, NONE, Triangle, on_triangle};
use glam::DVec3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::partitioning::{Bvh, BvhBuildStrategy, BvhNode};

/// Distances from an edge or a corner that are too small for a direction, over the size.
const TOUCHING: f64 = 1e-13;

/// A surface of triangles.
///
/// If it is closed, the sign of the distance is that of the pseudo-normal at the closest point: the normal of
/// the face, the sum of both normals at an edge, the normals weighted by their angles at a corner
/// (J. A. Bærentzen and H. Aanæs, IEEE Trans. Visualization and Computer Graphics 11, 2005).
#[derive(Clone)]
pub struct Mesh {
    /// Corners, m.
    vertices: Vec<DVec3>,
    /// Three corners of each triangle, counterclockwise seen from outside.
    triangles: Vec<[u32; 3]>,
    /// Whether it has an inside.
    closed: bool,
    /// Unit normals of triangles; zero without area.
    normals: Vec<DVec3>,
    /// The triangle beyond each edge.
    beyond: Vec<[u32; 3]>,
    /// Corners at the other ends of the edges of each corner, and where those of a corner begin.
    ring: Vec<u32>,
    ring_start: Vec<u32>,
    /// The first corner at the same place as each corner.
    welded: Vec<u32>,
    /// Pseudo-normals of corners, unit vectors.
    corner_normals: Vec<DVec3>,
    bounds: Bounds,
    tree: Bvh,
}

impl std::fmt::Debug for Mesh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = (self.vertices.len(), self.triangles.len());
        f.debug_struct("Mesh").field("counts", &counts).field("closed", &self.closed).finish_non_exhaustive()
    }
}

impl PartialEq for Mesh {
    fn eq(&self, other: &Self) -> bool {
        self.closed == other.closed && self.triangles == other.triangles && self.vertices == other.vertices
    }
}

/// The closest point of a mesh.
#[derive(Clone, Copy, Debug)]
pub(super) struct Closest {
    pub(super) triangle: usize,
    pub(super) feature: Feature,
    pub(super) point: DVec3,
    pub(super) squared: f64,
}

impl Mesh {
    /// A surface. `closed` says that it is the border of a solid; then triangles must be counterclockwise
    /// seen from outside. `None` if there are no triangles, or corners don't exist or are not finite.
    pub fn new(vertices: &[DVec3], triangles: &[[u32; 3]], closed: bool) -> Option<Self> {
        let known = |corner: &u32| vertices.get(*corner as usize).is_some_and(|x| x.is_finite());
        if triangles.is_empty() || !triangles.iter().flatten().all(known) {
            return None;
        }
        let corners = |k: usize| triangles[k].map(|corner| vertices[corner as usize]);
        let normal = |k: usize| {
            let [a, b, c] = corners(k);
            (b - a).cross(c - a).normalize_or_zero()
        };
        let normals: Vec<DVec3> = (0..triangles.len()).map(normal).collect();
        let welded = weld(vertices);
        let mut sums = vec![DVec3::ZERO; vertices.len()];
        for k in 0..triangles.len() {
            let x = corners(k);
            for i in 0..3 {
                let (u, v) = (x[(i + 1) % 3] - x[i], x[(i + 2) % 3] - x[i]);
                let angle = libm::atan2(u.cross(v).length(), u.dot(v));
                sums[welded[triangles[k][i] as usize] as usize] += normals[k] * angle;
            }
        }
        let corner_normals = welded.iter().map(|&first| sums[first as usize].normalize_or_zero()).collect();
        let (ring_start, ring) = rings(triangles, &welded);
        let boxes = (0..triangles.len()).map(|k| {
            let own = Bounds::of(corners(k));
            (k, Aabb::new(own.low, own.high))
        });
        Some(Self {
            closed,
            beyond: neighbours(triangles, &welded),
            ring,
            ring_start,
            welded,
            normals,
            corner_normals,
            bounds: Bounds::of(triangles.iter().flatten().map(|&corner| vertices[corner as usize])),
            tree: Bvh::from_iter(BvhBuildStrategy::Binned, boxes),
            vertices: vertices.to_vec(),
            triangles: triangles.to_vec(),
        })
    }

    /// Number of triangles.
    pub fn triangles(&self) -> usize {
        self.triangles.len()
    }

    /// Whether it has an inside.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The box about it.
    pub fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// Corners of a triangle, m.
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        self.triangles[triangle].map(|corner| self.vertices[corner as usize])
    }

    /// Unit normal of a triangle; zero without area.
    pub fn normal(&self, triangle: usize) -> DVec3 {
        self.normals[triangle]
    }

    /// Corners, m.
    pub(super) fn vertices(&self) -> &[DVec3] {
        &self.vertices
    }

    /// A triangle and its neighbours; `None` if it has no area.
    pub(super) fn triangle(&self, number: u32) -> Option<Triangle> {
        let (k, twins) = (number as usize, self.beyond[number as usize]);
        let (corners, normal) = (self.corners(k), self.normals[k]);
        let beyond = twins.map(|twin| (twin != NONE).then(|| self.third(twin, k)));
        (normal != DVec3::ZERO).then_some(Triangle { corners, normal, beyond, twins, number })
    }

    /// The corner of a triangle that is not one of another.
    fn third(&self, triangle: u32, not: usize) -> DVec3 {
        let place = |corner: u32| self.welded[corner as usize];
        let other = self.triangles[not].map(place);
        let corners = self.triangles[triangle as usize];
        let third = corners.into_iter().find(|&corner| !other.contains(&place(corner)));
        self.vertices[third.unwrap_or(corners[0]) as usize]
    }

    /// Corners that an edge joins with a corner of a triangle.
    pub(super) fn around(&self, triangle: usize, corner: usize) -> impl Iterator<Item = DVec3> + '_ {
        let first = self.welded[self.triangles[triangle][corner] as usize] as usize;
        let range = self.ring_start[first] as usize..self.ring_start[first + 1] as usize;
        self.ring[range].iter().map(|&k| self.vertices[k as usize])
    }

    /// Triangles whose boxes meet a box, in the order of the tree.
    pub(super) fn within(&self, range: Bounds) -> impl Iterator<Item = u32> + '_ {
        let meets = move |node: &BvhNode| Bounds { low: node.mins(), high: node.maxs() }.meets(&range);
        self.tree.leaves(meets)
    }

    /// The closest point, if it is nearer than `limit`, m.
    pub(super) fn closest(&self, x: DVec3, limit: f64) -> Option<Closest> {
        self.closest_of(x, limit, |_| {})
    }

    /// Like `closest`; calls `visit` with each triangle that it examines.
    pub(super) fn closest_of(&self, x: DVec3, limit: f64, visit: impl Fn(u32)) -> Option<Closest> {
        let box_cost = |node: &BvhNode, _| Bounds { low: node.mins(), high: node.maxs() }.distance_squared(x);
        let leaf_cost = |triangle: u32, _| {
            visit(triangle);
            let triangle = triangle as usize;
            let normal = self.normals[triangle];
            // Neighbours have the edges of a triangle without area.
            (normal != DVec3::ZERO).then(|| {
                let (point, feature) = on_triangle(self.corners(triangle), normal, x);
                (x.distance_squared(point), (feature, point))
            })
        };
        // Distances up to the limit, and 0 is found with a limit of 0.
        let most = (limit * limit).max(f64::MIN_POSITIVE);
        let (triangle, (squared, (feature, point))) = self.tree.find_best(most, box_cost, leaf_cost)?;
        Some(Closest { triangle: triangle as usize, feature, point, squared })
    }

    /// The pseudo-normal at a point of a triangle; not a unit vector at an edge.
    fn pseudo_normal(&self, triangle: usize, feature: Feature) -> DVec3 {
        let own = self.normals[triangle];
        match feature {
            Feature::Face => own,
            Feature::Edge(k) => match self.beyond[triangle][k] {
                NONE => own,
                other => own + self.normals[other as usize],
            },
            Feature::Corner(k) => self.corner_normals[self.triangles[triangle][k] as usize],
        }
    }

    /// The distance, negative inside a closed mesh; `None` if it is larger than `limit`.
    pub(super) fn field(&self, x: DVec3, limit: f64) -> Option<Field> {
        // Inside points may be deeper than the limit.
        let deep = self.closed && self.bounds.contains(x);
        let Closest { triangle, feature, point, squared } =
            self.closest(x, if deep { f64::INFINITY } else { limit })?;
        let (pseudo, out) = (self.pseudo_normal(triangle, feature), x - point);
        let along = out.dot(pseudo);
        let side = if along < 0.0 { -1.0 } else { 1.0 };
        let length = squared.sqrt();
        let (length, normal) = match feature {
            // The plane gives the direction also where the distance is small.
            Feature::Face => (length, pseudo * side),
            _ if length <= TOUCHING * self.bounds.size() => (length, pseudo.normalize_or(DVec3::Z) * side),
            _ => (length, out / length),
        };
        Some(if self.closed && side < 0.0 {
            Field { distance: -length, normal: -normal, point }
        } else {
            Field { distance: length, normal, point }
        })
    }
}

/// For each vertex the first one at the same place.
fn weld(vertices: &[DVec3]) -> Vec<u32> {
    let key = |k: &u32| {
        // Adding 0 turns −0 into 0.
        let x = vertices[*k as usize] + DVec3::ZERO;
        (x.x.to_bits(), x.y.to_bits(), x.z.to_bits(), *k)
    };
    let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
    order.sort_unstable_by_key(key);
    let mut first: Vec<u32> = vec![0; vertices.len()];
    for pair in order.chunk_by(|a, b| vertices[*a as usize] == vertices[*b as usize]) {
        pair.iter().for_each(|&k| first[k as usize] = pair[0]);
    }
    first
}

/// Where the neighbours of each corner begin, and the neighbours: those at the end of a side of a triangle.
fn rings(triangles: &[[u32; 3]], welded: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut pairs: Vec<[u32; 2]> = Vec::with_capacity(6 * triangles.len());
    for corners in triangles {
        let [a, b, c] = corners.map(|corner| welded[corner as usize]);
        pairs.extend([[a, b], [b, a], [b, c], [c, b], [c, a], [a, c]]);
    }
    pairs.sort_unstable();
    pairs.dedup();
    let start = |k: u32| pairs.partition_point(|pair| pair[0] < k) as u32;
    ((0..=welded.len() as u32).map(start).collect(), pairs.iter().map(|pair| pair[1]).collect())
}

/// The triangle beyond each edge, for edges of two triangles that run opposite ways.
fn neighbours(triangles: &[[u32; 3]], welded: &[u32]) -> Vec<[u32; 3]> {
    let mut sides: Vec<(u32, u32, u32, usize)> = Vec::with_capacity(3 * triangles.len());
    for (k, corners) in (0..).zip(triangles) {
        for i in 0..3 {
            let [from, to] = [corners[i], corners[(i + 1) % 3]].map(|corner| welded[corner as usize]);
            sides.push((from.min(to), from.max(to), k, i));
        }
    }
    sides.sort_unstable();
    let mut beyond = vec![[NONE; 3]; triangles.len()];
    for uses in sides.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
        if let [a, b] = uses {
            beyond[a.2 as usize][a.3] = b.2;
            beyond[b.2 as usize][b.3] = a.2;
        }
    }
    beyond
}
