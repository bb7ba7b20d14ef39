//! Strands that come too near to the inside of a body.

use super::super::shapes::{Kind, Shape, Shapes};
use super::strands::{Strand, Strands};
use super::{INSIDE, NEAREST};
use crate::geometry::skin::{Bounds, Pose, Skin, comes_near_skin};
use crate::world::{State, Structure, Toucher};

/// The first strand and body that touch and have come too near: centre lines come as near to the surface of a
/// body as half of their distance at the beginning, or of their radius.
pub(super) fn too_near_solids(
    strands: &Strands,
    [before, after]: [&Shapes; 2],
    (structure, state): (&Structure, &State),
    overlap: f64,
) -> Option<[Toucher; 2]> {
    if strands.all.is_empty() {
        return None;
    }
    for (from, to) in before.all.iter().zip(&after.all) {
        let (Kind::Solid { skin, pose: start, .. }, Kind::Solid { pose: end, .. }) = (&from.kind, &to.kind)
        else {
            continue;
        };
        let moved = motion(skin, [start, end]);
        let bounds = skin.bounds(start).with(skin.bounds(end));
        for (i, strand) in strands.all.iter().enumerate() {
            let slow = moved + strand.motion() <= NEAREST * (strand.radius - overlap);
            let near = || strand.bounds.meets(&bounds) || !bounds.is_finite();
            if slow || !near() || is_clear(strand, from, structure) {
                continue;
            }
            if hits(strands, i, from, (skin, [start, end]), (structure, state)) {
                return Some([strand.toucher, from.toucher]);
            }
        }
    }
    None
}

/// Whether a strand and a body do not touch.
fn is_clear(strand: &Strand, solid: &Shape, structure: &Structure) -> bool {
    structure.touching.between(strand.whole, solid.whole).is_none()
}

fn hits(
    strands: &Strands,
    i: usize,
    solid: &Shape,
    (skin, poses): (&Skin, [&Pose; 2]),
    (structure, state): (&Structure, &State),
) -> bool {
    let (strand, touching) = (&strands.all[i], &structure.touching);
    let also_joined = touching.between(strand.whole, solid.whole).is_some_and(|how| how.also_joined);
    (0..strands.segments(i)).any(|k| {
        let segment = strands.segment(i, k);
        let own = |pose: &Pose, x| pose.local_point(x);
        let moved = [0, 1].map(|e| own(poses[1], segment.end[e]).distance(own(poses[0], segment.start[e])));
        if moved[0].max(moved[1]) <= 0.25 * NEAREST * strand.radius {
            return false;
        }
        let distance = skin_distance(skin, poses[0], segment.start);
        if distance < INSIDE * strand.radius {
            return false;
        }
        let s = strands.arc_length(i, k, 0.5);
        (also_joined || !touching.are_joined(structure, state, [(strand.toucher, s), (solid.toucher, 0.0)]))
            && comes_near_skin(&segment, skin, poses, NEAREST * distance.min(strand.radius))
    })
}

/// Least distance of the ends and the middle of a segment from a skin, m.
fn skin_distance(skin: &Skin, pose: &Pose, [a, b]: [glam::DVec3; 2]) -> f64 {
    let from = |x| {
        let own = pose.local_point(x);
        skin.parts().iter().map(move |part| part.field(part.pose().local_point(own)).distance)
    };
    from(a).chain(from(b)).chain(from((a + b) * 0.5)).fold(f64::INFINITY, f64::min)
}

/// Largest displacement of the points of a skin, m: that of a corner of its box.
fn motion(skin: &Skin, [start, end]: [&Pose; 2]) -> f64 {
    if start == end {
        return 0.0;
    }
    let Bounds { low, high } = *skin.own_bounds();
    if !skin.own_bounds().is_finite() {
        return f64::INFINITY;
    }
    let corner = |k: usize| {
        let side = |axis: usize| if k >> axis & 1 == 0 { low[axis] } else { high[axis] };
        glam::DVec3::new(side(0), side(1), side(2))
    };
    (0..8).map(|k| start.point(corner(k)).distance(end.point(corner(k)))).fold(0.0, f64::max)
}
