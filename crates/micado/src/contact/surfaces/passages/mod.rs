//! Passages: have rods passed through each other, through themselves, through masses or through bodies in a
//! substep?
//!
//! The points of centre lines move along straight lines from their places at the beginning of the substep to
//! those at its end. Two tests examine pairs of segments:
//!
//! - The **guard**: rods that touch must not come nearer than half of their distance at the beginning, or
//!   half of the sum of their radii if that is less. A motion that obeys this has no passage at any speed.
//!   Parallel rods that pass sideways are found, too.
//! - The **count**: passages of centre lines, with their signs, by the cubic of coplanarity. Two passages of
//!   opposite signs on neighbouring segments count as none: a strand has entered and left again.
//!
//! Segments that are too far apart for their motion are skipped, so slow motion costs nothing.

mod solids;
mod strands;

use super::shapes::Shapes;
use crate::geometry::closest::closest_on_segments;
use crate::geometry::skin::Bounds;
use crate::geometry::topology::{BoxTree, comes_near, for_each_crossing, relative_motion};
use crate::world::{State, Structure, Toucher};
use solids::too_near_solids;
use std::ops::ControlFlow;
use strands::{Strand, Strands};

/// Least share of their distance to which two rods may come near in a substep. Contacts don't come so far:
/// a substep is refused if an overlap grows by a tenth of a radius. Polygons are nearer to each other than
/// their curves, by up to a quarter of each radius.
const NEAREST: f64 = 0.5;
/// Two rods whose relative motion is less than this share of the sum of their radii are not tested: it can't
/// use up half of a distance that polygons have made shorter by a quarter.
const SLOW: f64 = 0.3;
/// Centre lines nearer than this share of the sum of the radii have already passed into each other.
const INSIDE: f64 = 0.01;

/// Two objects that have come too near to each other; the same twice for a rod and itself.
pub(crate) type TooNear = [Toucher; 2];

/// The search for passages, with its scratch.
#[derive(Clone, Debug, Default)]
pub(super) struct Passages {
    strands: Strands,
    /// Tree of the segments of one strand.
    tree: BoxTree,
    /// Strands in the order of their boxes, and pairs of them.
    order: Vec<usize>,
    pairs: Vec<[usize; 2]>,
    found: Vec<Found>,
}

/// A passage of one segment through another.
#[derive(Clone, Copy, Debug)]
struct Found {
    segments: [usize; 2],
    places: [f64; 2],
    sign: i8,
}

/// A passage of a rod through another one, or through itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Passed {
    /// Indices of the rods; the same twice for one that passed through itself.
    pub objects: [usize; 2],
    /// Their places, rest arc length, m.
    pub places: [f64; 2],
}

/// Passages of a substep.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Count {
    /// Their number.
    pub(crate) passages: usize,
    /// One of them.
    pub(crate) first: Option<Passed>,
}

impl Passages {
    /// Takes the motion of a substep.
    pub(super) fn collect(&mut self, before: &Shapes, after: &Shapes) {
        self.strands.collect(before, after);
    }

    /// The first pair of objects that touch and have come too near to each other. `overlap` is the largest
    /// overlap at the beginning, m.
    pub(super) fn too_near(
        &mut self,
        structure: &Structure,
        state: &State,
        shapes: [&Shapes; 2],
        overlap: f64,
    ) -> Option<TooNear> {
        let touching = &structure.touching;
        let Self { strands, tree, order, pairs, .. } = self;
        find_pairs(strands, order, pairs, |a, b, motion| {
            let radii = a.radius + b.radius;
            motion > SLOW * radii - NEAREST * overlap && touching.between(a.whole, b.whole).is_some()
        });
        for &[i, j] in &*pairs {
            let (a, b) = (&strands.all[i], &strands.all[j]);
            let radii = a.radius + b.radius;
            let also_joined = touching.between(a.whole, b.whole).is_some_and(|how| how.also_joined);
            let reach = a.motion_against(b) + NEAREST * radii;
            let hit = for_each_near(strands, tree, [i, j], reach, |m, n| {
                let (p, q) = (strands.segment(i, m), strands.segment(j, n));
                let near = closest_on_segments(p.start, q.start);
                let distance = near.square.sqrt();
                let least = NEAREST * distance.min(radii);
                if distance - relative_motion(&p, &q) > least || distance < INSIDE * radii {
                    return ControlFlow::Continue(());
                }
                let s = strands.arc_length(i, m, near.f[0]);
                let t = strands.arc_length(j, n, near.f[1]);
                if i == j && strands.way(i, s, t) < super::find::OWN * radii
                    || !also_joined && touching.are_joined(structure, state, [(a.toucher, s), (b.toucher, t)])
                    || comes_near(&p, &q, least).is_none()
                {
                    return ControlFlow::Continue(());
                }
                ControlFlow::Break(())
            });
            if hit.is_break() {
                return Some([a.toucher, b.toucher]);
            }
        }
        too_near_solids(strands, shapes, (structure, state), overlap)
    }

    /// Counts the passages of the rods that touch or, with an alarm, of all rods.
    pub(super) fn count(&mut self, structure: &Structure, state: &State) -> Count {
        let touching = &structure.touching;
        let Self { strands, tree, order, pairs, found } = self;
        find_pairs(strands, order, pairs, |a, b, _| touching.are_watched(a.whole, b.whole));
        let mut count = Count::default();
        for &[i, j] in &*pairs {
            let (a, b) = (&strands.all[i], &strands.all[j]);
            found.clear();
            let motion = a.motion_against(b);
            let _ = for_each_near(strands, tree, [i, j], motion, |m, n| {
                let (p, q) = (strands.segment(i, m), strands.segment(j, n));
                let (near, moved) = (closest_on_segments(p.start, q.start), relative_motion(&p, &q));
                if near.square <= moved * moved {
                    for_each_crossing(&p, &q, |crossing| {
                        let [f, g] = crossing.f;
                        let places = [strands.arc_length(i, m, f), strands.arc_length(j, n, g)];
                        if !touching.are_joined(
                            structure,
                            state,
                            [(a.toucher, places[0]), (b.toucher, places[1])],
                        ) {
                            found.push(Found { segments: [m, n], places, sign: crossing.sign });
                        }
                    });
                }
                ControlFlow::Continue(())
            });
            cancel(strands, [i, j], found);
            count.passages += found.len();
            if let (None, Some(first)) = (count.first, found.first()) {
                count.first = Some(Passed { objects: [a.index, b.index], places: first.places });
            }
        }
        count
    }
}

/// Lists the pairs of strands whose boxes meet and that `wanted` accepts, in the order of the strands. A
/// strand also makes a pair with itself.
fn find_pairs(
    strands: &Strands,
    order: &mut Vec<usize>,
    pairs: &mut Vec<[usize; 2]>,
    wanted: impl Fn(&Strand, &Strand, f64) -> bool,
) {
    let all = &strands.all;
    order.clear();
    order.extend(0..all.len());
    order.sort_unstable_by(|&a, &b| all[a].bounds.low.x.total_cmp(&all[b].bounds.low.x).then(a.cmp(&b)));
    pairs.clear();
    for (rank, &i) in order.iter().enumerate() {
        let high = all[i].bounds.high.x;
        for &j in order[rank..].iter().take_while(|&&j| all[j].bounds.low.x <= high) {
            let (a, b) = (&all[i.min(j)], &all[i.max(j)]);
            let near = i == j || a.bounds.meets(&b.bounds);
            if near && wanted(a, b, a.motion_against(b)) {
                pairs.push([i.min(j), i.max(j)]);
            }
        }
    }
    pairs.sort_unstable();
}

/// Calls `visit` in order with the segments of two strands that are within `reach` of each other (m) at the
/// beginning, until `visit` breaks. Neighbours on one strand are left out.
fn for_each_near(
    strands: &Strands,
    tree: &mut BoxTree,
    [i, j]: [usize; 2],
    reach: f64,
    mut visit: impl FnMut(usize, usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    tree.fit(strands.points(j));
    let mut flow = ControlFlow::Continue(());
    for m in 0..strands.segments(i) {
        let [a, b] = strands.segment(i, m).start;
        let bounds = Bounds::of([a, b]).grown(reach);
        tree.near(&bounds, |n| {
            let counted = i != j || n > m && !strands.are_neighbours(i, m, n);
            if counted && flow.is_continue() {
                flow = visit(m, n);
            }
        });
        flow?;
    }
    ControlFlow::Continue(())
}

/// Removes pairs of passages with opposite signs on the same or neighbouring segments.
fn cancel(strands: &Strands, [i, j]: [usize; 2], found: &mut Vec<Found>) {
    let mut k = 0;
    while k < found.len() {
        let this = found[k];
        let opposite = (k + 1..found.len()).find(|&l| {
            let other = found[l];
            let near = |side: usize, strand: usize| {
                strands.are_neighbours(strand, this.segments[side], other.segments[side])
            };
            other.sign == -this.sign && near(0, i) && near(1, j)
        });
        match opposite {
            Some(l) => {
                found.remove(l);
                found.remove(k);
            }
            None => k += 1,
        }
    }
}
