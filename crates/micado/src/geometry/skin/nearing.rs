//! Does a moving segment come near a skin on its way?
//!
//! All points of the segment at all times form a patch with four corners. The patch is divided until each
//! part is clear of the skin. The distance in the middle of a part bounds that of all its points, since it
//! changes by no more than the way. The distance to a convex shape is also at least that to its tangent
//! plane, which clears flat surfaces at once.

use super::part::Part;
use super::{Pose, Skin};
use crate::geometry::topology::MovingSegment;
use glam::DVec3;

/// A part of the patch that is smaller than this share of the distance and not clear counts as near.
const FINEST: f64 = 0.05;
/// Most parts that are examined. A patch that needs more counts as near.
const MOST: usize = 4096;
/// Most parts that wait: each division halves a part and leaves one half waiting.
const WAITING: usize = 64;

/// Corners of a part of the patch: at both ends of the segment at its beginning, and at its end.
type Patch = [[DVec3; 2]; 2];

/// Whether a segment comes nearer to a skin than `least` (m). The skin moves from one pose to another, and
/// the points of the segment move along straight lines in its axes.
pub fn comes_near_skin(segment: &MovingSegment, skin: &Skin, poses: [&Pose; 2], least: f64) -> bool {
    let own = [segment.start.map(|x| poses[0].local_point(x)), segment.end.map(|x| poses[1].local_point(x))];
    skin.parts()
        .iter()
        .any(|part| comes_near_part(part, own.map(|ends| ends.map(|x| part.pose().local_point(x))), least))
}

fn comes_near_part(part: &Part, whole: Patch, least: f64) -> bool {
    let form = part.form();
    let mut waiting = [whole; WAITING];
    let mut count = 1;
    for _ in 0..MOST {
        let Some(next) = usize::checked_sub(count, 1) else { return false };
        count = next;
        let patch = waiting[count];
        let [[a, b], [c, d]] = patch;
        let middle = (a + b + c + d) * 0.25;
        let size = [a, b, c, d].map(|x| x.distance_squared(middle)).into_iter().fold(0.0, f64::max).sqrt();
        let Some(field) = form.field(middle, 1.001 * (least + size)) else { continue };
        let above = |x: DVec3| field.distance + field.normal.dot(x - middle) > least;
        if field.distance - size > least || form.is_convex() && [a, b, c, d].into_iter().all(above) {
            continue;
        }
        if field.distance <= least || size <= FINEST * least || count + 2 > WAITING {
            return true;
        }
        let along = a.distance_squared(b).max(c.distance_squared(d));
        let way = a.distance_squared(c).max(b.distance_squared(d));
        let half = |x: DVec3, y: DVec3| (x + y) * 0.5;
        // The earlier half comes first.
        [waiting[count + 1], waiting[count]] = if along > way {
            let [e, f] = [half(a, b), half(c, d)];
            [[[a, e], [c, f]], [[e, b], [f, d]]]
        } else {
            let [e, f] = [half(a, c), half(b, d)];
            [[[a, b], [e, f]], [[e, f], [c, d]]]
        };
        count += 2;
    }
    true
}
