//! Convex hulls: a tetrahedron that grows to the outermost point until all points are within.

use super::primitive::Facets;
use glam::DVec3;

/// Why points have no hull.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HullFault {
    /// Fewer than four points.
    Few,
    /// All in one plane, on one line or at one place.
    Flat,
    /// Rounding spoils the surface.
    Rounding,
}

/// Height over a face, over the size, above which a point is outside. The next is tried if rounding makes the
/// surface fold.
const OUTSIDE: [f64; 3] = [1e-11, 1e-9, 1e-7];

/// Points with less extent across a line or a plane, over the size, are flat.
const FLAT: f64 = 1e-6;

struct Face {
    corners: [usize; 3],
    /// The face beyond the edge from corner i to corner i + 1.
    beyond: [usize; 3],
    normal: DVec3,
    /// Points outside of this face that no other face has.
    outside: Vec<usize>,
    alive: bool,
}

/// The hull: its corners in the order of the points, and its triangles. Points must be finite.
pub(super) fn hull(points: &[DVec3]) -> Result<Facets, HullFault> {
    if points.len() < 4 || u32::try_from(points.len()).is_err() {
        return Err(HullFault::Few);
    }
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let size = (high - low).max_element();
    let start = tetrahedron(points, size).ok_or(HullFault::Flat)?;
    OUTSIDE.iter().find_map(|share| grow(points, start, share * size)).ok_or(HullFault::Rounding)
}

/// The point that is highest; of points at nearly the same height, the one that is farthest from `away`. That
/// is a corner of the hull, not a point within a face or an edge.
fn outermost(
    points: &[DVec3],
    candidates: impl Iterator<Item = usize> + Clone,
    height: impl Fn(DVec3) -> f64,
    away: DVec3,
    tie: f64,
) -> Option<(usize, f64)> {
    let top = candidates.clone().map(|k| height(points[k])).fold(f64::NEG_INFINITY, f64::max);
    let mut best: Option<(usize, f64)> = None;
    for k in candidates.filter(|&k| height(points[k]) >= top - tie) {
        let distance = points[k].distance(away);
        if best.is_none_or(|(_, most)| distance > most) {
            best = Some((k, distance));
        }
    }
    best.map(|(k, _)| (k, top))
}

/// Four corners of the hull far from each other, the last below the plane of the others.
fn tetrahedron(points: &[DVec3], size: f64) -> Option<[usize; 4]> {
    let farthest = |height: &dyn Fn(DVec3) -> f64, away: DVec3| {
        let (k, height) = outermost(points, 0..points.len(), height, away, OUTSIDE[0] * size)?;
        (height > FLAT * size).then_some(k)
    };
    let origin = points[0];
    let a = farthest(&|x| x.distance(origin), origin)?;
    let at_a = points[a];
    let b = farthest(&|x| x.distance(at_a), at_a)?;
    let along = (points[b] - at_a).normalize();
    let c = farthest(&|x| (x - at_a).cross(along).length(), at_a)?;
    let normal = (points[c] - at_a).cross(along).normalize();
    let d = farthest(&|x| (x - at_a).dot(normal).abs(), at_a)?;
    let height = (points[d] - at_a).dot((points[b] - at_a).cross(points[c] - at_a));
    Some(if height < 0.0 { [a, b, c, d] } else { [a, c, b, d] })
}

impl Face {
    /// `None` if the corners are on one line.
    fn new(points: &[DVec3], corners: [usize; 3], beyond: [usize; 3]) -> Option<Self> {
        let [a, b, c] = corners.map(|k| points[k]);
        let normal = (b - a).cross(c - a).try_normalize()?;
        Some(Self { corners, beyond, normal, outside: Vec::new(), alive: true })
    }

    fn height(&self, points: &[DVec3], k: usize) -> f64 {
        self.normal.dot(points[k] - points[self.corners[0]])
    }
}

/// Gives each point to the face that it is farthest outside of.
fn share(points: &[DVec3], faces: &mut [Face], candidates: &[usize], outside: f64) {
    for &k in candidates {
        let mut best = (None, outside);
        for (f, face) in faces.iter().enumerate() {
            let height = face.height(points, k);
            if height > best.1 {
                best = (Some(f), height);
            }
        }
        if let Some(f) = best.0 {
            faces[f].outside.push(k);
        }
    }
}

/// The hull if points are outside of a face by more than `outside`. `None` if rounding spoils it.
fn grow(points: &[DVec3], [a, b, c, d]: [usize; 4], outside: f64) -> Option<Facets> {
    let mut faces = vec![
        Face::new(points, [a, b, c], [1, 2, 3])?,
        Face::new(points, [b, a, d], [0, 3, 2])?,
        Face::new(points, [c, b, d], [0, 1, 3])?,
        Face::new(points, [a, c, d], [0, 2, 1])?,
    ];
    let rest: Vec<usize> = (0..points.len()).filter(|k| ![a, b, c, d].contains(k)).collect();
    share(points, &mut faces, &rest, outside);
    let mut open: Vec<usize> = (0..4).rev().collect();
    while let Some(f) = open.pop() {
        if !faces[f].alive {
            continue;
        }
        let Face { corners, normal, outside: candidates, .. } = &faces[f];
        let away = points[corners[0]];
        let height = |x: DVec3| normal.dot(x - away);
        let Some((top, _)) = outermost(points, candidates.iter().copied(), height, away, outside) else {
            continue;
        };
        let (orphans, horizon) = remove_visible(points, &mut faces, f, top, outside);
        open.extend(cover(points, &mut faces, &horizon, top)?);
        let first = faces.len() - horizon.len();
        let orphans: Vec<usize> = orphans.into_iter().filter(|&k| k != top).collect();
        share(points, &mut faces[first..], &orphans, outside);
    }
    convex_facets(points, &faces, outside)
}

/// An edge between a face that is seen and one that is not: its ends, and the face that stays.
struct HorizonEdge {
    from: usize,
    to: usize,
    stays: usize,
}

/// Removes the faces that the point `top` sees, from face `f` on. Returns their points and their border.
fn remove_visible(
    points: &[DVec3],
    faces: &mut [Face],
    f: usize,
    top: usize,
    outside: f64,
) -> (Vec<usize>, Vec<HorizonEdge>) {
    let (mut orphans, mut horizon, mut seen) = (Vec::new(), Vec::new(), vec![f]);
    faces[f].alive = false;
    while let Some(f) = seen.pop() {
        orphans.append(&mut faces[f].outside);
        for i in 0..3 {
            let neighbour = faces[f].beyond[i];
            if !faces[neighbour].alive {
                continue;
            }
            if faces[neighbour].height(points, top) > outside {
                faces[neighbour].alive = false;
                seen.push(neighbour);
            } else {
                let [from, to] = [faces[f].corners[i], faces[f].corners[(i + 1) % 3]];
                horizon.push(HorizonEdge { from, to, stays: neighbour });
            }
        }
    }
    horizon.sort_by_key(|edge| edge.from);
    (orphans, horizon)
}

/// New faces from the horizon to the point. `None` if the horizon is not one loop.
fn cover(points: &[DVec3], faces: &mut Vec<Face>, horizon: &[HorizonEdge], top: usize) -> Option<Vec<usize>> {
    let first = faces.len();
    let from = |vertex: usize| horizon.binary_search_by_key(&vertex, |edge| edge.from).ok();
    let mut before = vec![None; horizon.len()];
    for (k, edge) in horizon.iter().enumerate() {
        // Each corner begins one edge, and ends one.
        if before[from(edge.to)?].replace(k).is_some() {
            return None;
        }
    }
    for (k, edge) in horizon.iter().enumerate() {
        let beyond = [edge.stays, first + from(edge.to)?, first + before[k]?];
        faces.push(Face::new(points, [edge.from, edge.to, top], beyond)?);
        let stays = &mut faces[edge.stays];
        let side =
            (0..3).find(|&i| stays.corners[i] == edge.to && stays.corners[(i + 1) % 3] == edge.from)?;
        stays.beyond[side] = first + k;
    }
    Some((first..faces.len()).rev().collect())
}

/// The faces that are left, if no neighbour stands above another.
fn convex_facets(points: &[DVec3], faces: &[Face], outside: f64) -> Option<Facets> {
    let alive = || faces.iter().filter(|face| face.alive);
    let folds = |face: &Face| {
        face.beyond.iter().any(|&neighbour| {
            let other = &faces[neighbour];
            !other.alive || other.corners.iter().any(|&k| face.height(points, k) > 100.0 * outside)
        })
    };
    if alive().any(folds) {
        return None;
    }
    let mut used: Vec<usize> = alive().flat_map(|face| face.corners).collect();
    used.sort_unstable();
    used.dedup();
    let corner = |k: usize| u32::try_from(used.partition_point(|&other| other < k)).unwrap_or(u32::MAX);
    let triangles = alive().map(|face| face.corners.map(corner)).collect();
    Some((used.iter().map(|&k| points[k]).collect(), triangles))
}
