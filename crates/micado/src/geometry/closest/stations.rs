//! Contacts at given points of a chain: the middles of its pieces in line contact, and its ends.

use super::chains::Minimum;
use super::merge::Found;
use super::pair::PairAt;
use super::points::closest_to_point;
use super::search::{ISOLATED, Search, Spot, Stop};
use super::tree::rest_length;

/// Largest slope of the distance at a station, as a cosine.
const STEEP: f64 = 0.3;
/// A station is left out where the chains are nearer by this share of the sum of the radii at the end of its
/// piece, or at an isolated minimum beside it: these points hold the chains apart, and the gap at the station
/// is positive.
const DEEPER: f64 = 0.1;

/// Finds stations on pairs of leaves.
pub(super) struct Stations<'a> {
    search: &'a Search<'a>,
    /// Ordered by arc length on the first chain.
    minima: &'a [Minimum],
    /// Whether some minimum is not isolated.
    weak: bool,
}

impl<'a> Stations<'a> {
    pub(super) fn new(search: &'a Search<'a>, minima: &'a [Minimum]) -> Self {
        Self { search, minima, weak: minima.iter().any(|minimum| !minimum.isolated) }
    }

    /// Adds the stations of both leaves that lie along the other.
    pub(super) fn find(&self, leaves: [usize; 2], found: &mut Vec<Found>) {
        let line = self.may_be_line(leaves);
        for side in 0..2 {
            let leaf = self.search.leaf(side, leaves[side]);
            if (line || self.weak)
                && (side == 0 || self.may_wind(leaves))
                && let Some(t) = leaf.coordinate(0.5)
            {
                self.add_middle(side, leaves, t, found);
            }
            for (t, forward) in [(0.0, false), (1.0, true)] {
                if self.search.trees[side].next(leaves[side], forward).is_none() {
                    self.add_end(side, leaves, t, found);
                }
            }
        }
    }

    /// Whether the Hessian may be singular for some points of two leaves within reach.
    fn may_be_line(&self, leaves: [usize; 2]) -> bool {
        let [a, b] = [self.search.leaf(0, leaves[0]), self.search.leaf(1, leaves[1])];
        let own = [a, b].map(|leaf| 1.0 - self.search.reach * leaf.curvature);
        let both = a.direction.dot(b.direction).abs() + a.spread + b.spread;
        !(own[0] > 0.0 && own[1] > 0.0 && own[0] * own[1] - both * both >= ISOLATED)
    }

    /// Whether the second chain may wind about the first, which then need not follow it.
    fn may_wind(&self, leaves: [usize; 2]) -> bool {
        let turn = [0, 1].map(|side| self.search.reach * self.search.leaf(side, leaves[side]).curvature);
        let follows = 4.0 * (1.0 - turn[1]) >= 1.0 + turn[0];
        !follows
    }

    /// The point of the other leaf that is closest to a point of this one; none if the other chain is nearer
    /// elsewhere, or ends before it.
    fn opposite(&self, side: usize, leaves: [usize; 2], t: f64) -> Option<(Spot, PairAt)> {
        let search = self.search;
        let other = 1 - side;
        let point = search.leaf(side, leaves[side]).cubic.at(t);
        let mut spot = Spot { leaves, t: [t; 2] };
        spot.t[other] = closest_to_point(&search.leaf(other, leaves[other]).cubic, point);
        let at = search.at(&spot);
        let near = at.rho.length() < search.reach
            && search.stop(other, &spot, &at) == Stop::Level
            && search.are_apart(search.arc(&spot));
        near.then_some((spot, at))
    }

    fn add_middle(&self, side: usize, leaves: [usize; 2], t: f64, found: &mut Vec<Found>) {
        let Some((spot, at)) = self.opposite(side, leaves, t) else { return };
        let curvature = at.curvature();
        // Along the line contact δs_A/δs_B = √(h_BB/h_AA); the chain that moves further has the stations.
        let first = 4.0 * curvature.own[1] >= curvature.own[0];
        if first != (side == 0) || self.is_steep(side, &spot, &at) {
            return;
        }
        let beside = self.minima_beside(side, &spot, at.rho.length());
        if !beside.isolated && !beside.deeper && (beside.weak || curvature.determinant < ISOLATED) {
            found.push(self.search.contact(&spot, &at));
        }
    }

    fn add_end(&self, side: usize, leaves: [usize; 2], t: f64, found: &mut Vec<Found>) {
        let Some((spot, at)) = self.opposite(side, leaves, t) else { return };
        let nearest = self.search.stop(side, &spot, &at) == Stop::End;
        let along = at.curvature().determinant < ISOLATED && !self.is_steep(side, &spot, &at);
        if nearest || (along && !self.minima_beside(side, &spot, at.rho.length()).deeper) {
            found.push(self.search.contact(&spot, &at));
        }
    }

    /// Whether the distance falls much towards an end of the piece.
    fn is_steep(&self, side: usize, spot: &Spot, at: &PairAt) -> bool {
        let cosine = at.cosines()[side].abs();
        cosine > STEEP || 0.5 * cosine * self.piece_length(side, spot) > self.much()
    }

    /// Difference of distances that counts as large, m.
    fn much(&self) -> f64 {
        DEEPER * (self.search.chains[0].radius + self.search.chains[1].radius)
    }

    /// Rest length of the piece of a spot, m.
    fn piece_length(&self, side: usize, spot: &Spot) -> f64 {
        let piece = self.search.leaf(side, spot.leaves[side]).piece as usize;
        let arc = self.search.chains[side].arc;
        arc[piece + 1] - arc[piece]
    }

    /// The minima about a station at this distance.
    fn minima_beside(&self, side: usize, spot: &Spot, distance: f64) -> Beside {
        let search = self.search;
        let arc = search.arc(spot);
        let length = self.piece_length(side, spot);
        let same = search.trees.map(|tree| tree.same);
        let around = search.chains.map(|c| if c.closed { rest_length(c) } else { f64::INFINITY });
        let deep = distance - self.much();
        let mut beside = Beside::default();
        for turn in [0.0, -1.0, 1.0] {
            let middle = if turn == 0.0 { arc[0] } else { arc[0] + turn * around[0] };
            let window = 1.5 * length + same[0];
            let first = self.minima.partition_point(|minimum| minimum.arc[0] < middle - window);
            for minimum in self.minima[first..].iter().take_while(|m| m.arc[0] <= middle + window) {
                let across = (minimum.arc[1] - arc[1]).abs();
                let ways = [(minimum.arc[0] - middle).abs(), across.min((around[1] - across).abs())];
                let is_within = |own: f64, other: f64| {
                    ways[side] <= own * length + same[side]
                        && ways[1 - side] <= other * length + same[1 - side]
                };
                beside.deeper |= minimum.isolated && minimum.distance < deep && is_within(1.5, 1.5);
                beside.isolated |= minimum.isolated && is_within(0.5, 1.0);
                beside.weak |= !minimum.isolated && is_within(0.5, 1.0);
            }
        }
        beside
    }
}

/// Minima about a station.
#[derive(Clone, Copy, Debug, Default)]
struct Beside {
    /// An isolated one on the piece of the station.
    isolated: bool,
    /// One that is not isolated on the piece of the station.
    weak: bool,
    /// An isolated one on the piece or the next, and much nearer: it holds the chains apart.
    deeper: bool,
}
