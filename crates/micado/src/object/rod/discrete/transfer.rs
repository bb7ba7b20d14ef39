//! A discrete rod made of portions of others.
//!
//! Bends keep their places in the material and their vertices: only the edges at new ends are new. An end
//! is the middle of its edge, so the outer vertex of a new end is `2 x(s) − x` of the bend next to it. A bend
//! that is nearer to a cut than a tenth of an edge is left out: an edge so short would be far stiffer than
//! the rod. The end beyond it then moves by at most a tenth of an edge times the angle of the bend.

use super::DiscreteRod;
use crate::describe::anchor::At;
use crate::error::BuildError;
use crate::geometry::rotation::{angle_about, orthonormal_to, transport};
use crate::object::rod::chain_frames::{
    director, director_at, put_frame, reference_twist, set_twist, tangent,
};
use crate::object::rod::portion::{Joined, Portion, Rolling, find};
use crate::object::rod::{InitialRod, Rod, RodDescription};
use glam::DVec3;

/// Least distance of a bend from a cut, as a share of the shorter edge beside it.
const NEAREST: f64 = 0.1;
/// Fewest bends of an open rod.
const FEWEST: usize = 2;
/// Relative difference below which bends are evenly spaced.
const EVEN: f64 = 1e-9;

/// Portions with their discrete rods.
struct Source<'a> {
    portion: Portion<'a>,
    rod: &'a DiscreteRod,
}

/// A vertex of the new rod: rest arc length, m, position and velocity.
#[derive(Clone, Copy)]
struct Bend {
    s: f64,
    x: DVec3,
    v: DVec3,
}

/// An edge of an old rod: index of its portion, and its own index. Indices continue beyond a seam.
type OldEdge = (usize, usize);

impl Source<'_> {
    /// Index of an edge or vertex of the rod, and turns around the ring before it.
    fn index(&self, k: usize) -> (usize, f64) {
        (k % self.rod.segments().max(1), (k / self.rod.segments().max(1)) as f64)
    }

    fn vertex_of(&self, values: &[f64], k: usize) -> DVec3 {
        let k = if self.rod.closed { self.index(k).0 } else { k };
        DVec3::from_slice(&values[4 * k..])
    }

    /// A vector of the vertices at arc length `s`, on the edge there.
    fn on_edge(&self, values: &[f64], s: f64) -> DVec3 {
        let (e, f) = self.portion.locate(s);
        self.vertex_of(values, e).lerp(self.vertex_of(values, e + 1), f)
    }

    /// Rest arc length of vertex k. Indices continue beyond a seam.
    fn arc(&self, k: usize) -> f64 {
        if self.rod.closed {
            let (i, turns) = self.index(k);
            self.rod.arc[i] + turns * self.rod.length
        } else {
            self.rod.arc[k]
        }
    }

    /// Vertices of bends within the portion that stay.
    fn bends(&self) -> impl Iterator<Item = usize> + '_ {
        let Portion { from, to, .. } = self.portion;
        let [keeps_start, keeps_end] = self.portion.keeps_ends();
        let all = if self.rod.closed { 0..2 * self.rod.segments() } else { 1..self.rod.nodes() - 1 };
        let edge = |k: usize| self.rod.lengths[self.index(k).0];
        all.filter(move |&k| {
            let near = NEAREST * edge(k).min(edge(k + self.rod.segments() - 1));
            let (s, at_start, at_end) =
                (self.arc(k), if keeps_start { 0.0 } else { near }, if keeps_end { 0.0 } else { near });
            s - from > at_start && to - s > at_end
        })
    }

    /// Roll of edge k.
    fn roll(&self, k: usize) -> f64 {
        let (j, turns) = self.index(k);
        self.portion.q[4 * j + 3] + turns * self.rod.seam_twist
    }

    /// Twist from edge `a` to a later edge `b`.
    fn twist(&self, a: usize, b: usize) -> f64 {
        let joints = (a + 1..=b).map(|k| reference_twist(self.portion.frames, self.index(k).0));
        self.roll(b) - self.roll(a) + joints.sum::<f64>()
    }
}

/// Builds the rod and its state.
pub(in crate::object::rod) fn join(
    portions: &[Portion<'_>],
    like: RodDescription,
    rolling: Rolling,
) -> Result<Joined, BuildError> {
    let sources: Vec<Source<'_>> = portions
        .iter()
        .filter_map(|&portion| match portion.rod {
            Rod::Discrete(rod) => Some(Source { portion, rod }),
            _ => None,
        })
        .collect();
    for source in sources.iter().filter(|source| source.rod.closed) {
        rolling.continued(source.rod.seam_twist)?;
    }
    let length: f64 = portions.iter().map(Portion::length).sum();
    let bends = bends(&sources, length);
    let count = bends.len();
    let even = bends
        .iter()
        .enumerate()
        .all(|(i, bend)| (bend.s - (i as f64 + 0.5) * length / count as f64).abs() <= EVEN * length);
    let bends_at = if even { Vec::new() } else { bends.iter().map(|bend| At::Length(bend.s)).collect() };
    let description = RodDescription { segments: Some(count), bends_at, ..like };
    let mut initial = DiscreteRod::build(&description)?;
    set_positions(&sources, &bends, &mut initial);
    let rolls = set_frames(&sources, &bends, length, rolling, &mut initial)?;
    Ok(Joined { description, initial: initial.map(Rod::from), rolls })
}

/// The bends of the new rod; if fewer than two stay, two new bends on the old edges.
fn bends(sources: &[Source<'_>], length: f64) -> Vec<Bend> {
    let (mut all, mut begin) = (Vec::new(), 0.0);
    for source in sources {
        let Portion { q, v, from, .. } = source.portion;
        all.extend(source.bends().map(|k| Bend {
            s: begin + source.arc(k) - from,
            x: source.vertex_of(q, k),
            v: source.vertex_of(v, k),
        }));
        begin += source.portion.length();
    }
    if all.len() < FEWEST {
        all.clear();
        all.extend([0.25, 0.75].map(|share| point(sources, share * length)));
    }
    all
}

/// The point of an old rod at a distance from the start of the new one.
fn point(sources: &[Source<'_>], s: f64) -> Bend {
    let portions: Vec<Portion<'_>> = sources.iter().map(|source| source.portion).collect();
    let (p, at) = find(&portions, s);
    let Portion { q, v, .. } = sources[p].portion;
    Bend { s, x: sources[p].on_edge(q, at), v: sources[p].on_edge(v, at) }
}

fn set_positions(sources: &[Source<'_>], bends: &[Bend], initial: &mut InitialRod<DiscreteRod>) {
    let length = initial.rod.length;
    let outer = |end: Bend, bend: &Bend| Bend { s: end.s, x: end.x * 2.0 - bend.x, v: end.v * 2.0 - bend.v };
    let [Some(first), Some(last)] = [bends.first(), bends.last()] else { return };
    let ends = [outer(point(sources, 0.0), first), outer(point(sources, length), last)];
    let all = std::iter::once(&ends[0]).chain(bends).chain(std::iter::once(&ends[1]));
    for (i, bend) in all.enumerate() {
        initial.q[4 * i..4 * i + 4].copy_from_slice(&[bend.x.x, bend.x.y, bend.x.z, 0.0]);
        initial.v[4 * i..4 * i + 4].copy_from_slice(&[bend.v.x, bend.v.y, bend.v.z, 0.0]);
    }
}

/// Sets rolls and frames, and the multipliers of fixed lengths. Returns the increase of the roll of each
/// portion.
fn set_frames(
    sources: &[Source<'_>],
    bends: &[Bend],
    length: f64,
    rolling: Rolling,
    initial: &mut InitialRod<DiscreteRod>,
) -> Result<Vec<f64>, BuildError> {
    let portions: Vec<Portion<'_>> = sources.iter().map(|source| source.portion).collect();
    let InitialRod { rod, q, v, frames } = initial;
    let mut rolls = vec![0.0; sources.len()];
    let mut before: Option<OldEdge> = None;
    for j in 0..rod.segments() {
        // The old edge in the middle of the part that belongs to the rod.
        let begin = if j == 0 { 0.0 } else { bends[j - 1].s };
        let end = bends.get(j).map_or(length, |bend| bend.s);
        let (p, s) = find(&portions, 0.5 * (begin + end));
        let (source, k) = (&sources[p], portions[p].locate(s).0);
        let old = source.index(k).0;
        let e = rod.edge(q, j);
        let t = e / e.length();
        put_frame(frames, j, t, director_at(source.portion.frames, old, t));
        if let Some((p_before, k_before)) = before {
            let twist = if p_before == p {
                source.twist(k_before, k)
            } else {
                // The sections at the joint are joined as they are.
                let (last, first) = (portions[p_before].to, portions[p].from);
                sources[p_before].twist(k_before, portions[p_before].locate(last).0)
                    + source.twist(portions[p].locate(first).0, k)
            };
            let roll_before = q[4 * (j - 1) + 3];
            if p_before != p {
                let carried = transport(tangent(frames, j - 1), t, director(frames, j - 1));
                let angle = angle_about(t, orthonormal_to(t, carried), director(frames, j));
                rolls[p] = rolling.continued(twist - source.roll(k) + roll_before - angle)?;
            }
            set_twist(frames, j, twist - (source.roll(k) + rolls[p] - roll_before));
        }
        q[4 * j + 3] = source.roll(k) + rolls[p];
        v[4 * j + 3] = source.portion.v[4 * old + 3];
        if rod.inextensible && source.rod.inextensible {
            rod.tensions_mut(frames)[j] = source.rod.tensions(source.portion.frames)[old];
        }
        before = Some((p, k));
    }
    rod.chain().count_reference_twist(frames);
    Ok(rolls)
}
