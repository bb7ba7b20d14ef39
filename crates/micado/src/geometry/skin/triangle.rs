//! Closest points of triangles.

use glam::DVec3;

/// No triangle beyond an edge.
pub(super) const NONE: u32 = u32::MAX;

/// Closest feature of a triangle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Feature {
    /// Its inside.
    Face,
    /// The edge from corner k to corner k + 1.
    Edge(usize),
    /// Corner k.
    Corner(usize),
}

/// A triangle of a surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Triangle {
    pub(super) corners: [DVec3; 3],
    /// Unit normal.
    pub(super) normal: DVec3,
    /// The third corners of the triangles beyond the edges; `None` at a border.
    pub(super) beyond: [Option<DVec3>; 3],
    /// The numbers of these triangles, or [`NONE`].
    pub(super) twins: [u32; 3],
    pub(super) number: u32,
}

/// The point of the triangle abc that is closest to x. The triangle must have an area; `normal` is its unit
/// normal.
///
/// The regions of Voronoi of corners, edges and face, as in C. Ericson, Real-Time Collision Detection, 5.1.5.
#[inline]
pub(super) fn on_triangle([a, b, c]: [DVec3; 3], normal: DVec3, x: DVec3) -> (DVec3, Feature) {
    let (ab, ac, ax) = (b - a, c - a, x - a);
    let (d1, d2) = (ab.dot(ax), ac.dot(ax));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, Feature::Corner(0));
    }
    let bx = x - b;
    let (d3, d4) = (ab.dot(bx), ac.dot(bx));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, Feature::Corner(1));
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return (a + ab * (d1 / (d1 - d3)), Feature::Edge(0));
    }
    let cx = x - c;
    let (d5, d6) = (ab.dot(cx), ac.dot(cx));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, Feature::Corner(2));
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return (a + ac * (d2 / (d2 - d6)), Feature::Edge(2));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return (b + (c - b) * ((d4 - d3) / ((d4 - d3) + (d5 - d6))), Feature::Edge(1));
    }
    (x - normal * normal.dot(ax), Feature::Face)
}
