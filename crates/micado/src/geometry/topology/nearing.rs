//! Do two moving segments come near each other on their way? Time advances by the distance over a bound of
//! the speed. There is no root to find, so parallel segments are no special case.

use super::MovingSegment;
use crate::geometry::closest::closest_on_segments;

/// The distance counts as reached within this share above it; each advance is at least this long.
const WITHIN: f64 = 0.05;
/// Most advances. Segments that need more move along each other just above the distance.
const MOST: usize = 200;

/// Bound of the relative motion of the points of two segments, m. No point moves by more than the faster end;
/// a motion that all ends share does not count.
#[inline]
pub fn relative_motion(a: &MovingSegment, b: &MovingSegment) -> f64 {
    let moved = |segment: &MovingSegment| [0, 1].map(|k| segment.end[k] - segment.start[k]);
    let (a, b) = (moved(a), moved(b));
    let mean = (a[0] + a[1] + b[0] + b[1]) * 0.25;
    let most =
        |ends: [glam::DVec3; 2]| ends.map(|d| d.distance_squared(mean)).into_iter().fold(0.0, f64::max);
    most(a).sqrt() + most(b).sqrt()
}

/// The time, from 0 to 1, at which the distance of two segments falls to `least` (m); `None` if it stays
/// above. Segments whose distance exceeds it by less than a twentieth may count as that near.
pub fn comes_near(a: &MovingSegment, b: &MovingSegment, least: f64) -> Option<f64> {
    let speed = relative_motion(a, b);
    let mut time = 0.0;
    for _ in 0..MOST {
        let distance = closest_on_segments(a.at(time), b.at(time)).square.sqrt();
        if distance <= (1.0 + WITHIN) * least {
            return Some(time);
        }
        // Until then the distance stays above `least`.
        time += (distance - least) / speed;
        if time.is_nan() || time >= 1.0 {
            return None;
        }
    }
    Some(time)
}
