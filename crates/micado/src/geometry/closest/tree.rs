//! Boxes about the pieces of a chain: which pieces may be near.

use super::parts::{self, Range};
use super::{Chain, Cubic};
use glam::DVec3;

/// Contacts whose arc lengths differ by less than this share of a mean piece are one: far more than the
/// 5e-5 of a distance by which the copies found from both sides of a joint differ.
const SAME: f64 = 0.02;

/// A part of a piece that turns by at most 0.5 rad; nearly always the whole piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    pub(super) piece: u32,
    /// Its part of the piece.
    pub(super) range: Range,
    /// The part as a piece of its own.
    pub(super) cubic: Cubic,
    /// Bounds of the distance to the chord, and to the chords of both halves, m.
    pub(super) sagittas: [f64; 2],
    /// Unit vector along the chord.
    pub(super) direction: DVec3,
    /// Bound of |t − direction| for the unit tangents t.
    pub(super) spread: f64,
    /// Bound of the curvature, 1/m.
    pub(super) curvature: f64,
}

impl Leaf {
    fn new(piece: u32, range: Range, cubic: &Cubic) -> Self {
        let [_, c1, c2, c3] = cubic.coefficients;
        let edges = parts::edges(cubic);
        let direction = (c1 + c2 + c3).normalize_or_zero();
        let spread = edges.map(|e| (e.normalize_or_zero() - direction).length());
        // The edges are within 0.5 rad, so a mean of them is longer than cos 0.5 of the shortest.
        let slowest = 0.87 * edges[0].length().min(edges[1].length()).min(edges[2].length());
        let bend = (2.0 * c2).length().max((2.0 * c2 + 6.0 * c3).length());
        Self {
            piece,
            range,
            cubic: *cubic,
            // x(f) − chord(f) = −f (1 − f) (c₂ + c₃ (1 + f)); the halves: |x''|/2 · (½)²/4
            sagittas: [0.25 * (c2 + c3).length().max((c2 + 2.0 * c3).length()), bend / 32.0],
            direction,
            spread: spread[0].max(spread[1]).max(spread[2]),
            curvature: bend / (slowest * slowest),
        }
    }

    /// The coordinate on the leaf of the coordinate `f` of its piece, if the leaf has it.
    pub(super) fn coordinate(&self, f: f64) -> Option<f64> {
        let t = (f - self.range.start) / self.range.width;
        (0.0..1.0).contains(&t).then_some(t)
    }
}

/// A box with edges along the axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    pub(super) low: DVec3,
    pub(super) high: DVec3,
}

impl Bounds {
    const EMPTY: Self = Self { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };

    /// The box of the Bézier polygon.
    fn of(c: &Cubic) -> Self {
        let [c0, c1, c2, _] = c.coefficients;
        let points = [c0, c0 + c1 / 3.0, c0 + (2.0 * c1 + c2) / 3.0, c.at(1.0)];
        points.iter().fold(Self::EMPTY, |all, &p| all.join(&Self { low: p, high: p }))
    }

    fn join(&self, other: &Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// Whether the distance to another box is at most `reach`.
    #[inline]
    fn is_within(&self, other: &Self, reach: f64) -> bool {
        let gap = (self.low - other.high).max(other.low - self.high).max(DVec3::ZERO);
        gap.length_squared() <= reach * reach
    }
}

/// The pieces of a chain in a binary tree of boxes. Fitting it to another state allocates only if the chain
/// has more pieces, or bends more, than ever before.
#[derive(Clone, Debug, Default)]
pub struct ChainTree {
    pub(super) leaves: Vec<Leaf>,
    /// The children of node k are 2k and 2k + 1; the leaves begin at the middle, and empty boxes follow them.
    boxes: Vec<Bounds>,
    closed: bool,
    /// Contacts nearer than this in rest arc length are one, m.
    pub(super) same: f64,
}

impl ChainTree {
    /// A tree of no chain.
    pub fn new() -> Self {
        Self::default()
    }

    /// Fits the boxes to the chain as it is now.
    pub fn fit(&mut self, chain: &Chain<'_>) {
        self.leaves.clear();
        self.leaves.reserve(2 * chain.pieces.len());
        for (piece, cubic) in chain.pieces.iter().enumerate() {
            parts::each(cubic, &mut |part, range| self.leaves.push(Leaf::new(piece as u32, range, part)));
        }
        self.closed = chain.closed;
        self.same = SAME * rest_length(chain) / chain.pieces.len().max(1) as f64;
        let first = self.leaves.len().next_power_of_two();
        self.boxes.clear();
        self.boxes.resize(2 * first, Bounds::EMPTY);
        for (bounds, leaf) in self.boxes[first..].iter_mut().zip(&self.leaves) {
            *bounds = Bounds::of(&leaf.cubic);
        }
        for node in (1..first).rev() {
            self.boxes[node] = self.boxes[2 * node].join(&self.boxes[2 * node + 1]);
        }
    }

    /// Box of all pieces.
    pub(super) fn root(&self) -> Bounds {
        self.boxes.get(1).copied().unwrap_or(Bounds::EMPTY)
    }

    /// Box of a leaf.
    pub(super) fn leaf_box(&self, leaf: usize) -> Bounds {
        self.boxes[self.boxes.len() / 2 + leaf]
    }

    /// Calls `visit` with the leaves whose boxes are within `reach` of `bounds`, in order.
    pub(super) fn near(&self, bounds: &Bounds, reach: f64, mut visit: impl FnMut(usize)) {
        let first = self.boxes.len() / 2;
        // One node waits per level, and a chain has fewer than 2³² pieces.
        let mut waiting = [0_usize; 64];
        let mut count = usize::from(first > 0);
        waiting[0] = 1;
        while count > 0 {
            count -= 1;
            let node = waiting[count];
            if !self.boxes[node].is_within(bounds, reach) {
                continue;
            }
            if node >= first {
                visit(node - first);
            } else {
                waiting[count] = 2 * node + 1;
                waiting[count + 1] = 2 * node;
                count += 2;
            }
        }
    }

    /// The leaf after or before a leaf, if the chain goes on, and the tangent where it begins.
    pub(super) fn next(&self, leaf: usize, forward: bool) -> Option<(usize, DVec3)> {
        let n = self.leaves.len();
        let next = match (forward, self.closed) {
            (true, _) if leaf + 1 < n => leaf + 1,
            (false, _) if leaf > 0 => leaf - 1,
            (true, true) => 0,
            (false, true) => n - 1,
            (_, false) => return None,
        };
        Some((next, self.leaves[next].cubic.derivative(if forward { 0.0 } else { 1.0 })))
    }
}

/// Rest length of a chain, m.
pub(super) fn rest_length(chain: &Chain<'_>) -> f64 {
    chain.arc.last().copied().unwrap_or(0.0) - chain.arc.first().copied().unwrap_or(0.0)
}

/// Difference of two arc lengths of a chain, the short way round if it is closed, m.
pub(super) fn arc_between(chain: &Chain<'_>, s: f64, t: f64) -> f64 {
    let way = (s - t).abs();
    if chain.closed { way.min(rest_length(chain) - way) } else { way }
}
