//! Contacts of two surfaces that are not convex: corners and edges of each in the distance field of the
//! other.

use super::super::part::Form;
use super::super::pose::{Bounds, Pose};
use super::super::triangle::{NONE, Triangle};
use super::rounded::segment;
use super::surface::{around, triangles};
use super::{Touch, reduce};
use crate::geometry::closest::Cubic;
use glam::DVec3;

/// Slack of the directions of an edge or corner: a sine.
const WITHIN: f64 = 0.05;

/// Contacts of a mesh with a mesh or ground, in whose axes `pose` is.
pub(super) fn touch(
    own: &Form,
    pose: &Pose,
    form: &Form,
    reach: f64,
    out: &mut Vec<Touch>,
    scratch: &mut Vec<Touch>,
) {
    let first = out.len();
    scratch.clear();
    edges(own, pose, form, reach, |touch, is_outer| {
        let list = if is_outer { &mut *out } else { &mut *scratch };
        list.push(touch);
    });
    // The other way round, in the axes of the first.
    let inverse = pose.local(&Pose::IDENTITY);
    edges(form, &inverse, own, reach, |touch, is_outer| {
        let list = if is_outer { &mut *out } else { &mut *scratch };
        list.push(Touch {
            first: pose.point(touch.second),
            second: pose.point(touch.first),
            normal: -pose.vector(touch.normal),
            distance: touch.distance,
            feature: touch.feature ^ 0x8000_0000,
        });
    });
    // Directions that do not belong to the edge, only where it is deeper than all others.
    let deepest = out[first..].iter().map(|touch| touch.distance).fold(f64::INFINITY, f64::min);
    let size = own.bounds().size().min(form.bounds().size());
    out.extend(scratch.drain(..).filter(|touch| touch.distance < deepest - 1e-6 * size));
    reduce::reduce(out, first, scratch);
}

/// Points of the edges of a surface that are near a form, in the axes of the form, and whether their normal
/// is one of the edge or corner.
fn edges(own: &Form, pose: &Pose, form: &Form, reach: f64, mut found: impl FnMut(Touch, bool)) {
    let around = form.bounds().grown(reach);
    let inverse = pose.local(&Pose::IDENTITY);
    let range = if around.is_finite() { around.placed(&inverse) } else { Bounds::ALL };
    triangles(own, &range, |triangle| {
        for i in 0..3 {
            // Each edge once.
            let twin = triangle.twins[i];
            if twin != NONE && twin < triangle.number {
                continue;
            }
            let [a, b] = [triangle.corners[i], triangle.corners[(i + 1) % 3]].map(|x| pose.point(x));
            let curve = Cubic { coefficients: [a, b - a, DVec3::ZERO, DVec3::ZERO] };
            segment(curve, 0.0, form, reach, |at, feature| {
                let (normal, distance) = (at.field.normal, at.field.distance);
                // The normal leads from the form to the surface.
                let is_outer = is_outer(-pose.local_vector(normal), &triangle, (i, feature), own);
                let feature = triangle.number.wrapping_mul(16) ^ (4 * i as u32 + feature);
                let (first, second) = (curve.at(at.f), at.field.point);
                let touch = Touch { first, second, normal, distance, feature };
                found(touch, is_outer);
            });
        }
    });
}

/// Whether a surface is locally outermost in a direction at an edge of a triangle: at its first end (0), its
/// second (1) or between them.
fn is_outer(n: DVec3, triangle: &Triangle, (edge, place): (usize, u32), own: &Form) -> bool {
    let [a, b] = [triangle.corners[edge], triangle.corners[(edge + 1) % 3]];
    let below = |from: DVec3, to: DVec3| n.dot(to - from) <= WITHIN * to.distance(from);
    match place {
        0 => around(own, triangle.number, edge).all(|x| below(a, x)),
        1 => around(own, triangle.number, (edge + 1) % 3).all(|x| below(b, x)),
        _ => {
            let third = triangle.corners[(edge + 2) % 3];
            below(a, b) && below(b, a) && below(a, third) && triangle.beyond[edge].is_none_or(|x| below(a, x))
        }
    }
}
