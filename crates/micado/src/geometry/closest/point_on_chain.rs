//! The points of a chain that are closest to a point: balls against rods.

use super::Chain;
use super::points::closest_to_point;
use super::search::TOUCH;
use super::tree::{Bounds, ChainTree, arc_between};
use glam::DVec3;

/// A point of a chain near a given point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearPoint {
    /// Piece of the chain.
    pub piece: u32,
    /// Coordinate on the piece, from 0 to 1.
    pub f: f64,
    /// Unit normal from the chain to the point.
    pub normal: DVec3,
    /// Distance from the centre line to the point, m.
    pub distance: f64,
}

/// Replaces `out` by the points where the distance of a chain to `point` is locally least and below `reach`
/// (m), in order. The tree is fitted to the chain.
///
/// A point on the centre line (nearer than 1e-9 of the radius) has a normal that is normal to the chain.
pub fn point_on_chain(
    chain: &Chain<'_>,
    tree: &ChainTree,
    point: DVec3,
    reach: f64,
    out: &mut Vec<NearPoint>,
) {
    out.clear();
    let bounds = Bounds { low: point, high: point };
    tree.near(&bounds, reach, |leaf| {
        if let Some(new) = closest_on_leaf(chain, tree, leaf, point)
            && new.distance < reach
        {
            add(chain, tree, new, out);
        }
    });
}

/// The closest point of a leaf, unless the distance falls further on the next.
fn closest_on_leaf(chain: &Chain<'_>, tree: &ChainTree, leaf: usize, point: DVec3) -> Option<NearPoint> {
    let part = &tree.leaves[leaf];
    let t = closest_to_point(&part.cubic, point);
    let way = point - part.cubic.at(t);
    let distance = way.length();
    let tangent = part.cubic.derivative(t);
    // The distance falls along the curve where the way to the point leans forward.
    let falls = |tangent: DVec3, sign: f64| sign * way.dot(tangent) > TOUCH * distance * tangent.length();
    for (bound, sign) in [(0.0, -1.0), (1.0, 1.0)] {
        let next = if t == bound && falls(tangent, sign) { tree.next(leaf, bound == 1.0) } else { None };
        if next.is_some_and(|(_, tangent)| falls(tangent, sign)) {
            return None;
        }
    }
    let normal = if distance > 1e-9 * chain.radius {
        way / distance
    } else {
        tangent.try_normalize().unwrap_or(DVec3::X).any_orthonormal_vector()
    };
    Some(NearPoint { piece: part.piece, f: part.range.of(t), normal, distance })
}

/// Adds a point, or keeps the nearer of it and one that is the same.
fn add(chain: &Chain<'_>, tree: &ChainTree, new: NearPoint, out: &mut Vec<NearPoint>) {
    let arc = |near: &NearPoint| chain.arc_length(near.piece as usize, near.f);
    let twin = out.iter_mut().find(|old| arc_between(chain, arc(old), arc(&new)) <= tree.same);
    match twin {
        Some(old) if new.distance < old.distance => *old = new,
        Some(_) => {}
        None => out.push(new),
    }
}
