//! Strands: the centre lines of rods as polygons, at the beginning and at the end of a substep.

use super::super::shapes::{Kind, Shape, Shapes};
use crate::geometry::closest::{Chain, Cubic};
use crate::geometry::skin::Bounds;
use crate::geometry::topology::MovingSegment;
use crate::world::Toucher;
use glam::DVec3;

/// Largest distance of a centre line to its polygon, as a share of the radius.
const SAGITTA: f64 = 0.25;
/// Displacement of the points, as a share of the radius. Without it, segments of symmetric scenes would meet
/// exactly at a vertex, and rounding would decide how many of the neighbours have the passage.
const ASIDE: f64 = 1e-7;
/// Largest number of segments of a polygon in a piece of a curve.
const MOST: f64 = 32.0;

/// The centre line of a rod, or the centre of a mass.
#[derive(Clone, Debug)]
pub(super) struct Strand {
    pub(super) toucher: Toucher,
    /// Its index in the structure, and that in the whole world.
    pub(super) index: usize,
    pub(super) whole: usize,
    pub(super) radius: f64,
    pub(super) closed: bool,
    /// Its first point in the list of all, and the one after its last.
    points: (usize, usize),
    /// Rest length, m.
    length: f64,
    /// Box about the surface at all places that it passes.
    pub(super) bounds: Bounds,
    /// Mean displacement of its points, and their largest deviation from it, m.
    mean: DVec3,
    moved: f64,
}

impl Strand {
    /// Bound of the displacement of its points, m.
    pub(super) fn motion(&self) -> f64 {
        self.moved + self.mean.length()
    }

    /// Bound of the displacement of its points relative to those of another strand, m.
    pub(super) fn motion_against(&self, other: &Self) -> f64 {
        self.moved + other.moved + self.mean.distance(other.mean)
    }
}

/// All strands of a substep.
#[derive(Clone, Debug, Default)]
pub(super) struct Strands {
    pub(super) all: Vec<Strand>,
    start: Vec<DVec3>,
    end: Vec<DVec3>,
    /// Rest arc lengths of the points, m.
    arc: Vec<f64>,
}

/// Bound of the distance of a cubic to its chord, m: x(f) − chord(f) = −f (1 − f) (c₂ + c₃ (1 + f)).
fn sagitta(cubic: &Cubic) -> f64 {
    let [_, _, c2, c3] = cubic.coefficients;
    0.25 * (c2 + c3).length().max((c2 + 2.0 * c3).length())
}

/// A pseudo-random vector for a point of a rod, the same in every call, with components between −1 and 1.
fn aside(rod: usize, point: usize) -> DVec3 {
    let mut bits = (rod as u64) << 32 | point as u64;
    DVec3::from_array([0; 3].map(|_| {
        // SplitMix64
        bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = bits;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }))
}

impl Strands {
    /// Collects the rods of two states of one structure.
    pub(super) fn collect(&mut self, before: &Shapes, after: &Shapes) {
        self.all.clear();
        self.start.clear();
        self.end.clear();
        self.arc.clear();
        for (from, to) in before.all.iter().zip(&after.all) {
            match (&from.kind, &to.kind) {
                (Kind::Chain { .. }, _) => {
                    if let (Some(start), Some(end)) = (before.chain(from), after.chain(to)) {
                        // The thinnest part decides how near others may come.
                        let ends = (0..start.pieces.len() as u32).flat_map(|k| [(k, 0.0), (k, 1.0)]);
                        let radius = ends.map(|at| before.radius(from, at)).fold(f64::INFINITY, f64::min);
                        self.add_chain([&start, &end], radius);
                        self.close(from, radius, start.closed);
                    }
                }
                // A mass is a strand without length.
                (Kind::Ball { x, radius }, Kind::Ball { x: y, .. }) => {
                    self.push(*x, *y, 0.0);
                    self.push(*x, *y, 0.0);
                    self.close(from, *radius, false);
                }
                _ => {}
            }
        }
    }

    fn add_chain(&mut self, [start, end]: [&Chain<'_>; 2], radius: f64) {
        let count = start.pieces.len();
        let last = start.pieces.last().zip(end.pieces.last());
        for (piece, (from, to)) in start.pieces.iter().zip(end.pieces).enumerate() {
            // n parts of a piece are n² times as near to it.
            let share = sagitta(from).max(sagitta(to)) / (SAGITTA * radius);
            let parts = share.sqrt().ceil().clamp(1.0, MOST);
            for part in 0..parts as usize {
                let f = part as f64 / parts;
                self.push(from.at(f), to.at(f), start.arc_length(piece, f));
            }
        }
        if let Some((from, to)) = last {
            self.push(from.at(1.0), to.at(1.0), start.arc[count]);
        }
    }

    /// Makes a strand of the points since the last one.
    fn close(&mut self, shape: &Shape, radius: f64, closed: bool) {
        let first = self.all.last().map_or(0, |strand| strand.points.1);
        let count = self.start.len() - first;
        for k in first..self.start.len() {
            // The last point of a ring is its first.
            let number = if closed && k + 1 - first == count { 0 } else { k - first };
            let aside = aside(shape.whole, number) * (ASIDE * radius);
            self.start[k] += aside;
            self.end[k] += aside;
        }
        let arc = &self.arc[first..];
        let length = arc.last().zip(arc.first()).map_or(0.0, |(end, start)| end - start);
        let moved = || self.start[first..].iter().zip(&self.end[first..]).map(|(a, b)| *b - *a);
        let mean = moved().sum::<DVec3>() / (self.start.len() - first).max(1) as f64;
        let points = self.start[first..].iter().chain(&self.end[first..]);
        self.all.push(Strand {
            toucher: shape.toucher,
            index: shape.index,
            whole: shape.whole,
            radius,
            closed,
            points: (first, self.start.len()),
            length,
            bounds: Bounds::of(points.copied()).grown(radius),
            mean,
            moved: moved().map(|d| d.distance_squared(mean)).fold(0.0, f64::max).sqrt(),
        });
    }

    fn push(&mut self, start: DVec3, end: DVec3, arc: f64) {
        self.start.push(start);
        self.end.push(end);
        self.arc.push(arc);
    }

    /// The points of a strand at the beginning.
    pub(super) fn points(&self, strand: usize) -> &[DVec3] {
        let (first, last) = self.all[strand].points;
        &self.start[first..last]
    }

    /// Number of segments of a strand.
    pub(super) fn segments(&self, strand: usize) -> usize {
        self.points(strand).len().saturating_sub(1)
    }

    /// A segment of a strand.
    pub(super) fn segment(&self, strand: usize, k: usize) -> MovingSegment {
        let k = self.all[strand].points.0 + k;
        MovingSegment { start: [self.start[k], self.start[k + 1]], end: [self.end[k], self.end[k + 1]] }
    }

    /// Rest arc length at a coordinate of a segment, m.
    pub(super) fn arc_length(&self, strand: usize, k: usize, f: f64) -> f64 {
        let k = self.all[strand].points.0 + k;
        self.arc[k] + f * (self.arc[k + 1] - self.arc[k])
    }

    /// Length along a strand between two places, the short way round a ring, m.
    pub(super) fn way(&self, strand: usize, s: f64, t: f64) -> f64 {
        let (way, strand) = ((s - t).abs(), &self.all[strand]);
        if strand.closed { way.min(strand.length - way) } else { way }
    }

    /// Whether two segments of a strand share a point.
    pub(super) fn are_neighbours(&self, strand: usize, i: usize, j: usize) -> bool {
        let apart = i.abs_diff(j);
        apart <= 1 || self.all[strand].closed && apart + 1 == self.segments(strand)
    }
}
