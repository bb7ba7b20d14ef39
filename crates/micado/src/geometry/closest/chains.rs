//! Contacts of two chains, and of a chain with itself.

use super::Chain;
use super::cubics::{chord_guess, descend};
use super::merge::{Found, Near, merge};
use super::pair::PairAt;
use super::search::{Search, Spot, Stop};
use super::segments::closest_on_segments;
use super::stations::Stations;
use super::tree::{ChainTree, Leaf};

/// Most leaves over which a descent is followed after it left its own.
const HOPS: usize = 8;

/// Finds the contacts of chains. It keeps its lists, so that later searches don't allocate.
///
/// The distance of two chains has contacts at
/// - its isolated minima,
/// - the middles of pieces of the first chain where the chains are nearly parallel (line contact) and no
///   isolated minimum is on the piece; of the second chain where that alone winds about the first,
/// - the ends of open chains that lie along the other chain, or are nearest to it.
#[derive(Clone, Debug, Default)]
pub struct ChainPairs {
    trees: [ChainTree; 2],
    /// Pairs of leaves that may be near, in order, and where the distance is least on them.
    pairs: Vec<Lowest>,
    minima: Vec<Minimum>,
    found: Vec<Found>,
}

/// Where the distance of two leaves is least, and its square, m².
#[derive(Clone, Copy, Debug)]
struct Lowest {
    spot: Spot,
    square: f64,
}

/// A minimum of the distance of two chains.
#[derive(Clone, Copy, Debug)]
pub(super) struct Minimum {
    /// Rest arc lengths, m.
    pub(super) arc: [f64; 2],
    /// Distance, m.
    pub(super) distance: f64,
    /// Whether it is isolated; else it is one of many along a line contact.
    pub(super) isolated: bool,
}

impl ChainPairs {
    /// A search without results yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces `out` by the contacts of `a` and `b`, ordered by arc length: points where the centre lines
    /// are nearer than `reach` (m).
    pub fn find(&mut self, a: &Chain<'_>, b: &Chain<'_>, reach: f64, out: &mut Vec<Near>) {
        let mut trees = std::mem::take(&mut self.trees);
        trees[0].fit(a);
        trees[1].fit(b);
        self.find_fitted([a, b], [&trees[0], &trees[1]], reach, out);
        self.trees = trees;
    }

    /// Like `find`, with trees that are fitted to the chains: for chains with several partners.
    pub fn find_fitted(
        &mut self,
        chains: [&Chain<'_>; 2],
        trees: [&ChainTree; 2],
        reach: f64,
        out: &mut Vec<Near>,
    ) {
        self.search(&Search { chains, trees, reach, skip: None }, out);
    }

    /// Replaces `out` by the contacts of `a` with itself, except between points that are nearer
    /// than `skip_arc` (m) along it. The point of smaller arc length is the first of a contact.
    pub fn find_self(&mut self, a: &Chain<'_>, reach: f64, skip_arc: f64, out: &mut Vec<Near>) {
        let mut trees = std::mem::take(&mut self.trees);
        trees[0].fit(a);
        self.find_self_fitted(a, &trees[0], reach, skip_arc, out);
        self.trees = trees;
    }

    /// Like `find_self`, with a tree that is fitted to the chain.
    pub fn find_self_fitted(
        &mut self,
        a: &Chain<'_>,
        tree: &ChainTree,
        reach: f64,
        skip_arc: f64,
        out: &mut Vec<Near>,
    ) {
        self.search(&Search { chains: [a, a], trees: [tree, tree], reach, skip: Some(skip_arc) }, out);
    }

    /// Sizes of the lists, which don't grow once they have served the largest search.
    #[cfg(test)]
    pub(super) fn capacities(&self) -> [usize; 3] {
        [self.pairs.capacity(), self.minima.capacity(), self.found.capacity()]
    }

    fn search(&mut self, search: &Search<'_>, out: &mut Vec<Near>) {
        self.found.clear();
        self.minima.clear();
        self.find_pairs(search);
        self.find_minima(search);
        self.minima
            .sort_unstable_by(|p, q| p.arc[0].total_cmp(&q.arc[0]).then(p.arc[1].total_cmp(&q.arc[1])));
        let stations = Stations::new(search, &self.minima);
        for pair in &self.pairs {
            stations.find(pair.spot.leaves, &mut self.found);
        }
        merge(search, &mut self.found);
        out.clear();
        out.extend(self.found.iter().map(|found| found.near));
    }

    /// Lists the pairs of leaves that may be within reach, and where their distance is least.
    fn find_pairs(&mut self, search: &Search<'_>) {
        let pairs = &mut self.pairs;
        pairs.clear();
        let [a, b] = search.trees;
        a.near(&b.root(), search.reach, |i| {
            b.near(&a.leaf_box(i), search.reach, |j| {
                if search.skip.is_none() || i < j {
                    pairs.extend(lowest(search, [i, j]));
                }
            });
        });
    }

    /// Lists the minima of the distance, and the contacts of those that are isolated.
    fn find_minima(&mut self, search: &Search<'_>) {
        for k in 0..self.pairs.len() {
            let mut lowest = self.pairs[k];
            for _ in 0..HOPS {
                let at = search.at(&lowest.spot);
                let stops = std::array::from_fn(|side| search.stop(side, &lowest.spot, &at));
                let Some(next) = self.follow(search, &lowest, stops) else {
                    if !stops.iter().any(|stop| matches!(stop, Stop::GoesOn(..))) {
                        self.add_minimum(search, &lowest.spot, &at, stops);
                    }
                    break;
                };
                lowest = next;
            }
        }
    }

    /// The end of a descent that goes on to other leaves, unless these have found a lower point themselves.
    fn follow(&self, search: &Search<'_>, from: &Lowest, stops: [Stop; 2]) -> Option<Lowest> {
        let mut spot = from.spot;
        for side in 0..2 {
            if let Stop::GoesOn(leaf, t) = stops[side] {
                (spot.leaves[side], spot.t[side]) = (leaf, t);
            }
        }
        if spot.leaves == from.spot.leaves {
            return None;
        }
        if search.skip.is_some() && spot.leaves[0] >= spot.leaves[1] {
            spot.leaves.swap(0, 1);
            spot.t.swap(0, 1);
        }
        let known = self.pairs.binary_search_by_key(&spot.leaves, |pair| pair.spot.leaves);
        if known.is_ok_and(|k| self.pairs[k].square <= from.square * (1.0 + 1e-9)) {
            return None;
        }
        spot.t = descend(search.cubics(spot.leaves), spot.t);
        Some(Lowest { spot, square: search.at(&spot).rho.length_squared() })
    }

    fn add_minimum(&mut self, search: &Search<'_>, spot: &Spot, at: &PairAt, stops: [Stop; 2]) {
        let arc = search.arc(spot);
        if at.rho.length() >= search.reach || !search.are_apart(arc) {
            return;
        }
        let isolated = Search::is_isolated(at, stops);
        // Ends have no minimum beside them, but say nothing about the piece.
        let inside = stops == [Stop::Level; 2];
        if inside {
            self.minima.push(Minimum { arc, distance: at.rho.length(), isolated });
        }
        if isolated {
            self.found.push(search.contact(spot, at));
        }
    }
}

/// Where the distance of two leaves is least; none if they are out of reach.
fn lowest(search: &Search<'_>, leaves: [usize; 2]) -> Option<Lowest> {
    let pair = [search.leaf(0, leaves[0]), search.leaf(1, leaves[1])];
    let chord = |leaf: &Leaf| [leaf.cubic.coefficients[0], leaf.cubic.at(1.0)];
    let sagittas: [f64; 2] = std::array::from_fn(|k| pair[0].sagittas[k] + pair[1].sagittas[k]);
    let far = |square: f64, sagitta: f64| {
        let least = search.reach + sagitta;
        square > least * least
    };
    if far(closest_on_segments(chord(pair[0]), chord(pair[1])).square, sagittas[0]) {
        return None;
    }
    let cubics = search.cubics(leaves);
    let spot_at = |t| Spot { leaves, t };
    // Neighbours along one chain: where the halves are too near along it, their distance says nothing.
    let corner = |t| search.are_apart(search.arc(&spot_at(t)));
    let ends = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]];
    let neighbours = search.skip.is_some() && !ends.iter().all(|&t| corner(t));
    let guess = if neighbours {
        let apart = |i: usize, j: usize| {
            ends.iter().any(|[s, t]| corner([0.5 * (i as f64 + s), 0.5 * (j as f64 + t)]))
        };
        chord_guess(cubics, apart)
    } else {
        chord_guess(cubics, |_, _| true)
    };
    if far(guess.square, sagittas[1]) {
        return None;
    }
    let spot = spot_at(descend(cubics, guess.f));
    Some(Lowest { spot, square: search.at(&spot).rho.length_squared() })
}
