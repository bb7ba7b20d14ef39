//! Triangles of one surface that cross each other.
//!
//! A tree of boxes finds pairs that are near; a pair crosses if an edge of one passes through the other, or
//! if both are in one plane, face the same way and overlap. Triangles that share an edge can't cross, and
//! those that touch from outside don't: parts that stand face to face are no fault.

use super::surface::{EdgeUse, by_edge};
use glam::DVec3;

/// Depth of a crossing over the size of the surface below which it is no crossing: coordinates in single
/// precision are rounded to a tenth of it.
const DEPTH: f64 = 1e-6;

/// Triangles in a leaf of the tree.
const LEAF: usize = 4;

/// Two triangles that cross.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Crossing {
    pub triangles: [usize; 2],
    pub point: DVec3,
}

/// A box of the tree: triangles `start..end` of the order, and the two boxes within.
struct Node {
    low: DVec3,
    high: DVec3,
    start: usize,
    end: usize,
    children: Option<[usize; 2]>,
}

impl Node {
    fn overlaps(&self, other: &Self) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

/// A closed surface: its triangles, and which are neighbours.
struct Closed<'a> {
    vertices: &'a [DVec3],
    triangles: &'a [[u32; 3]],
    /// The corner of the neighbour beyond the edge from corner i to corner i + 1.
    beyond: Vec<[u32; 3]>,
    /// Depth below which there is no crossing.
    depth: f64,
}

/// The first crossing that is found; the same for the same mesh. `uses` are the uses of the edges, two each.
pub(super) fn first_crossing(
    vertices: &[DVec3],
    triangles: &[[u32; 3]],
    uses: &[EdgeUse],
    size: f64,
) -> Option<Crossing> {
    let (nodes, order) = tree(vertices, triangles);
    let closed = Closed { vertices, triangles, beyond: beyond(triangles, uses), depth: DEPTH * size };
    let test = |i: usize, j: usize| {
        let (i, j) = (i.min(j), i.max(j));
        closed.crossing([i, j]).map(|point| Crossing { triangles: [i, j], point })
    };
    let mut pairs = vec![[0, 0]];
    while let Some([a, b]) = pairs.pop() {
        let (first, second) = (&nodes[a], &nodes[b]);
        match (first.children, second.children) {
            (Some([l, r]), _) if a == b => pairs.extend([[l, r], [r, r], [l, l]]),
            _ if a != b && !first.overlaps(second) => {}
            (Some([l, r]), None) => pairs.extend([[r, b], [l, b]]),
            (None, Some([l, r])) => pairs.extend([[a, r], [a, l]]),
            (Some([l, r]), Some(_)) if first.end - first.start >= second.end - second.start => {
                pairs.extend([[r, b], [l, b]]);
            }
            (Some(_), Some([l, r])) => pairs.extend([[a, r], [a, l]]),
            (None, None) => {
                for i in first.start..first.end {
                    let from = if a == b { i + 1 } else { second.start };
                    if let Some(found) = (from..second.end).find_map(|j| test(order[i], order[j])) {
                        return Some(found);
                    }
                }
            }
        }
    }
    None
}

/// Boxes around triangles, halved at the median along their longest side. The root is the first.
fn tree(vertices: &[DVec3], triangles: &[[u32; 3]]) -> (Vec<Node>, Vec<usize>) {
    let mut order: Vec<usize> = (0..triangles.len()).collect();
    let middles: Vec<DVec3> = triangles
        .iter()
        .map(|triangle| triangle.iter().map(|&corner| vertices[corner as usize] / 3.0).sum())
        .collect();
    let around = |range: &[usize]| {
        let corners = || range.iter().flat_map(|&k| triangles[k]).map(|corner| vertices[corner as usize]);
        (corners().fold(DVec3::INFINITY, DVec3::min), corners().fold(DVec3::NEG_INFINITY, DVec3::max))
    };
    let (low, high) = around(&order);
    let mut nodes = vec![Node { low, high, start: 0, end: order.len(), children: None }];
    let mut next = 0;
    while next < nodes.len() {
        let Node { low, high, start, end, .. } = nodes[next];
        if end - start > LEAF {
            let axis = (high - low).max_position();
            let half = (end - start) / 2;
            order[start..end].select_nth_unstable_by(half, |&i, &j| {
                middles[i][axis].total_cmp(&middles[j][axis]).then(i.cmp(&j))
            });
            let first = nodes.len();
            for (start, end) in [(start, start + half), (start + half, end)] {
                let (low, high) = around(&order[start..end]);
                nodes.push(Node { low, high, start, end, children: None });
            }
            nodes[next].children = Some([first, first + 1]);
        }
        next += 1;
    }
    (nodes, order)
}

fn beyond(triangles: &[[u32; 3]], uses: &[EdgeUse]) -> Vec<[u32; 3]> {
    let mut beyond = triangles.to_vec();
    for pair in by_edge(uses) {
        for (edge, other) in pair.iter().zip(pair.iter().rev()) {
            let on_edge = |corner: u32| corner == edge.low || corner == edge.high;
            let opposite = triangles[other.triangle as usize].into_iter().find(|&corner| !on_edge(corner));
            let corners = triangles[edge.triangle as usize];
            for i in 0..3 {
                if let Some(opposite) = opposite
                    && on_edge(corners[i])
                    && on_edge(corners[(i + 1) % 3])
                {
                    beyond[edge.triangle as usize][i] = opposite;
                }
            }
        }
    }
    beyond
}

/// Where a point of the plane of a triangle is.
enum Within {
    Inside,
    /// On the edge from corner i to corner i + 1.
    OnEdge(usize),
    Outside,
}

impl Closed<'_> {
    /// A point where two triangles cross.
    fn crossing(&self, pair: [usize; 2]) -> Option<DVec3> {
        let depth = self.depth;
        let corners = pair.map(|k| self.triangles[k]);
        let shared = |corner: u32, other: usize| corners[other].contains(&corner);
        if corners[0].iter().filter(|&&corner| shared(corner, 1)).count() > 1 {
            return None;
        }
        let x = corners.map(|triangle| triangle.map(|corner| self.vertices[corner as usize]));
        let [low, high] = [x.map(|[a, b, c]| a.min(b).min(c)), x.map(|[a, b, c]| a.max(b).max(c))];
        if low[0].cmpgt(high[1]).any() || low[1].cmpgt(high[0]).any() {
            return None;
        }
        let normals = x.map(|[a, b, c]| (b - a).cross(c - a).normalize_or_zero());
        let heights = |face: usize| x[1 - face].map(|point| normals[face].dot(point - x[face][0]));
        let heights = [heights(0), heights(1)];
        for above in heights {
            if above.iter().all(|&h| h > depth) || above.iter().all(|&h| h < -depth) {
                return None;
            }
        }
        for face in 0..2 {
            if is_sliver(x[face], depth) {
                continue;
            }
            let other = 1 - face;
            for i in 0..3 {
                let j = (i + 1) % 3;
                // An edge from a shared corner leaves the face there.
                if shared(corners[other][i], face) || shared(corners[other][j], face) {
                    continue;
                }
                let (hi, hj) = (heights[face][i], heights[face][j]);
                if hi.abs() <= depth || hj.abs() <= depth || (hi > 0.0) == (hj > 0.0) {
                    continue;
                }
                let point = x[other][i].lerp(x[other][j], hi / (hi - hj));
                let crosses = match within(x[face], normals[face], point, depth) {
                    Within::Inside => true,
                    Within::Outside => false,
                    Within::OnEdge(edge) => {
                        let [above, below] = if hi > 0.0 { [i, j] } else { [j, i] };
                        self.enters_at_edge(pair[face], edge, x[other][above], x[other][below])
                    }
                };
                if crosses {
                    return Some(point);
                }
            }
        }
        let flat = heights.iter().flatten().all(|h| h.abs() <= depth);
        if flat && normals[0].dot(normals[1]) > 0.0 { overlap(x, normals[1], depth) } else { None }
    }

    /// Whether a line through the edge `i` of a face goes from the empty space into the matter, or only
    /// touches the edge. It leads from a point above the face to one below.
    fn enters_at_edge(&self, face: usize, i: usize, above: DVec3, below: DVec3) -> bool {
        let x = self.triangles[face].map(|corner| self.vertices[corner as usize]);
        let opposite = self.vertices[self.beyond[face][i] as usize];
        let (from, to) = (x[i], x[(i + 1) % 3]);
        let rise = (x[1] - x[0]).cross(x[2] - x[0]).normalize_or_zero().dot(opposite - from);
        // The neighbour runs along the edge the other way.
        let normal = (from - to).cross(opposite - to).normalize_or_zero();
        let height = |point: DVec3| normal.dot(point - to);
        if rise.abs() <= self.depth {
            true
        } else if rise < 0.0 {
            // A convex edge: matter is below both.
            height(below) < -self.depth
        } else {
            // A concave edge: matter is below either.
            height(above) > self.depth
        }
    }
}

/// A triangle so narrow that its normal says nothing.
fn is_sliver([a, b, c]: [DVec3; 3], depth: f64) -> bool {
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    (b - a).cross(c - a).length() <= 4.0 * depth * longest
}

/// Where a point of the plane of a triangle is. Near a corner it counts as outside.
fn within(x: [DVec3; 3], normal: DVec3, point: DVec3, margin: f64) -> Within {
    let mut on = None;
    for i in 0..3 {
        let edge = x[(i + 1) % 3] - x[i];
        let height = normal.dot(edge.cross(point - x[i])) / edge.length();
        if height < -margin || (height < margin && on.is_some()) {
            return Within::Outside;
        }
        if height < margin {
            on = Some(i);
        }
    }
    on.map_or(Within::Inside, Within::OnEdge)
}

/// The middle of the overlap of two triangles in a plane, if it is wider than `depth`: the first is cut by
/// the edges of the second.
fn overlap(x: [[DVec3; 3]; 2], normal: DVec3, depth: f64) -> Option<DVec3> {
    let mut polygon = x[0].to_vec();
    for i in 0..3 {
        let edge = x[1][(i + 1) % 3] - x[1][i];
        let inwards = normal.cross(edge).normalize_or_zero();
        let height = |point: DVec3| inwards.dot(point - x[1][i]);
        let mut kept = Vec::with_capacity(polygon.len() + 1);
        for k in 0..polygon.len() {
            let (p, q) = (polygon[k], polygon[(k + 1) % polygon.len()]);
            let (hp, hq) = (height(p), height(q));
            if hp >= 0.0 {
                kept.push(p);
            }
            if (hp > 0.0 && hq < 0.0) || (hp < 0.0 && hq > 0.0) {
                kept.push(p.lerp(q, hp / (hp - hq)));
            }
        }
        polygon = kept;
    }
    let (&first, rest) = polygon.split_first()?;
    let area: f64 = rest.windows(2).map(|w| 0.5 * (w[0] - first).cross(w[1] - first).dot(normal)).sum();
    let longest = polygon.iter().map(|&p| p.distance(first)).fold(0.0, f64::max);
    (area.abs() > depth * longest).then(|| super::integrals::mean(&polygon))
}
