//! At most four contacts of one direction, which keep the extent of all.

use super::Touch;
use glam::DVec3;

/// Most contacts of one direction.
pub(super) const MOST: usize = 4;

/// Contacts whose normals have at least this cosine support alike.
const ALIKE: f64 = 0.9;

/// Contacts that are less far outside of a line or triangle of others, over the extent, add nothing.
const FLAT: f64 = 1e-7;

/// Contacts that are nearer than this share of the extent of all are one.
const SAME: f64 = 1e-7;

/// Reduces the contacts from `first` on. Those with the same direction as the deepest one come first, and so
/// on.
pub(super) fn reduce(touches: &mut Vec<Touch>, first: usize, scratch: &mut Vec<Touch>) {
    merge(touches, first);
    if touches.len() - first <= 2 {
        return;
    }
    scratch.clear();
    scratch.extend(touches.drain(first..));
    while !scratch.is_empty() {
        let lead = deepest(scratch);
        let normal = scratch[lead].normal;
        // Those of this direction to the front, in order.
        let mut count = 0;
        for k in 0..scratch.len() {
            if scratch[k].normal.dot(normal) >= ALIKE {
                scratch[count..=k].rotate_right(1);
                count += 1;
            }
        }
        let chosen = extremes(&scratch[..count], normal);
        for (k, touch) in scratch.drain(..count).enumerate() {
            if chosen.contains(&Some(k)) {
                touches.push(touch);
            }
        }
    }
}

fn deepest(touches: &[Touch]) -> usize {
    (1..touches.len()).fold(0, |best, k| if touches[k].distance < touches[best].distance { k } else { best })
}

/// Of contacts at the same place and in the same direction, the deeper one.
fn merge(touches: &mut Vec<Touch>, first: usize) {
    let list = &touches[first..];
    let low = list.iter().fold(DVec3::INFINITY, |low, touch| low.min(touch.second));
    let high = list.iter().fold(DVec3::NEG_INFINITY, |high, touch| high.max(touch.second));
    let same = (SAME * (high - low).max_element()).powi(2);
    let mut k = first;
    while k < touches.len() {
        let own = touches[k];
        let twin = (first..k).find(|&other| {
            let other = &touches[other];
            let away = other.second.distance_squared(own.second);
            away <= same && other.normal.dot(own.normal) >= ALIKE
        });
        match twin {
            Some(twin) => {
                if own.distance < touches[twin].distance {
                    touches[twin] = own;
                }
                touches.remove(k);
            }
            None => k += 1,
        }
    }
}

/// The numbers of the contacts to keep: two that are far apart, the one farthest from the line through both,
/// and the one farthest outside of the triangle of these. A contact that is farther from touching counts as
/// less far out. The deepest is always kept.
fn extremes(touches: &[Touch], normal: DVec3) -> [Option<usize>; MOST] {
    let lead = deepest(touches);
    let over = |k: usize| 2.0 * (touches[k].distance - touches[lead].distance);
    let way = |from: usize, to: usize| {
        let way = touches[to].second - touches[from].second;
        way - normal * normal.dot(way)
    };
    let extent = (0..touches.len()).map(|k| way(lead, k).length()).fold(0.0, f64::max);
    let small = FLAT * extent;
    // The first of the largest values, if these are more than rounding.
    let best = |out: &dyn Fn(usize) -> f64| {
        let mut best = (None, 0.0);
        for k in 0..touches.len() {
            let value = out(k) - over(k);
            if value > best.1 + small {
                best = (Some(k), value);
            }
        }
        best.0
    };
    let Some(b) = best(&|k| way(lead, k).length()) else {
        return [Some(lead), None, None, None];
    };
    let a = best(&|k| way(b, k).length()).unwrap_or(lead);
    let across = |from: usize, to: usize| normal.cross(way(from, to)).normalize_or_zero();
    let beside = across(a, b);
    let Some(c) = best(&|k| way(a, k).dot(beside).abs()) else {
        return with(lead, [Some(a), Some(b), None, None], touches, small);
    };
    // Outwards of each side of the triangle.
    let turn = if way(a, c).dot(beside) < 0.0 { 1.0 } else { -1.0 };
    let sides = [(a, b), (b, c), (c, a)].map(|(from, to)| (from, across(from, to) * turn));
    let d =
        best(&|k| sides.iter().map(|(from, out)| way(*from, k).dot(*out)).fold(f64::NEG_INFINITY, f64::max));
    with(lead, [Some(a), Some(b), Some(c), d], touches, small)
}

/// The chosen contacts with the deepest one, unless one of them is as deep.
fn with(
    lead: usize,
    mut chosen: [Option<usize>; MOST],
    touches: &[Touch],
    small: f64,
) -> [Option<usize>; MOST] {
    let is_as_deep = |k: &usize| touches[*k].distance <= touches[lead].distance + small;
    if !chosen.iter().flatten().any(is_as_deep) {
        let last = chosen.iter().position(Option::is_none).unwrap_or(MOST - 1);
        chosen[last] = Some(lead);
    }
    chosen
}
