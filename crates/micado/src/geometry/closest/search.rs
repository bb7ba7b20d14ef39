//! Two chains during the search: where minima of their distance lie, and which are isolated.

use super::cubics::is_positive;
use super::merge::{Found, Near};
use super::pair::PairAt;
use super::tree::{ChainTree, Leaf, arc_between};
use super::{Chain, Cubic};

/// A point is a minimum if ρ is normal to the curves within this cosine: a thousand times what the kernel
/// leaves, and it moves the point by 1e-4 of the distance at most.
pub(super) const TOUCH: f64 = 1e-6;
/// A minimum is isolated if the determinant of the Hessian per arc length is above this, for straight lines
/// from 6° between them. Below it are stations; at the change the gap jumps by at most 0.01 ℓ²/(16 r).
pub(super) const ISOLATED: f64 = 0.01;
/// Centre lines nearer than this share of the sum of the radii have the normal t_A × t_B.
const CROSSING: f64 = 1e-9;

/// Two chains, or one and itself, and what counts as near.
#[derive(Clone, Copy)]
pub(super) struct Search<'a> {
    pub(super) chains: [&'a Chain<'a>; 2],
    pub(super) trees: [&'a ChainTree; 2],
    /// Centre lines nearer than this are in contact, m.
    pub(super) reach: f64,
    /// For a chain and itself: the arc length within which points are neighbours, m.
    pub(super) skip: Option<f64>,
}

/// A point of each of two leaves.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) leaves: [usize; 2],
    /// Coordinates on the leaves.
    pub(super) t: [f64; 2],
}

/// Reason why the descent along one of the curves ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stop {
    /// The slope is zero.
    Level,
    /// The end of an open chain, or a corner.
    End,
    /// Nothing: the distance falls on the next leaf, which begins at this coordinate.
    GoesOn(usize, f64),
}

impl<'a> Search<'a> {
    pub(super) fn leaf(&self, side: usize, leaf: usize) -> &'a Leaf {
        &self.trees[side].leaves[leaf]
    }

    pub(super) fn cubics(&self, leaves: [usize; 2]) -> [&'a Cubic; 2] {
        [&self.leaf(0, leaves[0]).cubic, &self.leaf(1, leaves[1]).cubic]
    }

    pub(super) fn at(&self, spot: &Spot) -> PairAt {
        PairAt::new(self.cubics(spot.leaves), spot.t)
    }

    /// Rest arc lengths of a spot, m.
    pub(super) fn arc(&self, spot: &Spot) -> [f64; 2] {
        std::array::from_fn(|side| {
            let leaf = self.leaf(side, spot.leaves[side]);
            self.chains[side].arc_length(leaf.piece as usize, leaf.range.of(spot.t[side]))
        })
    }

    /// Whether two points are of two chains, or far enough from each other along one.
    pub(super) fn are_apart(&self, arc: [f64; 2]) -> bool {
        self.skip.is_none_or(|skip| arc_between(self.chains[0], arc[0], arc[1]) >= skip)
    }

    /// Reason why the descent along one curve ends at a spot.
    pub(super) fn stop(&self, side: usize, spot: &Spot, at: &PairAt) -> Stop {
        let cosine = at.cosines()[side];
        let t = spot.t[side];
        let forward = t >= 1.0;
        if !(if forward { cosine < -TOUCH } else { t <= 0.0 && cosine > TOUCH }) {
            return Stop::Level;
        }
        let Some((next, tangent)) = self.trees[side].next(spot.leaves[side], forward) else {
            return Stop::End;
        };
        let sign = if (side == 0) == forward { -1.0 } else { 1.0 };
        let fall = sign * at.rho.dot(tangent);
        if fall > TOUCH * at.measured_distance() * tangent.length() {
            Stop::GoesOn(next, if forward { 0.0 } else { 1.0 })
        } else {
            Stop::End
        }
    }

    /// Whether no other minimum is near: the slopes are zero and the Hessian is well positive, or an end
    /// holds the point.
    pub(super) fn is_isolated(at: &PairAt, stops: [Stop; 2]) -> bool {
        let free = stops.map(|stop| stop == Stop::Level);
        let cosines = at.cosines();
        (0..2).all(|k| !free[k] || cosines[k].abs() <= TOUCH) && is_positive(at, free, ISOLATED)
    }

    /// The contact at a spot. Of a chain with itself, the point of smaller arc length comes first.
    pub(super) fn contact(&self, spot: &Spot, at: &PairAt) -> Found {
        let crossing = CROSSING * (self.chains[0].radius + self.chains[1].radius);
        let mut arc = self.arc(spot);
        let mut pieces = [0; 2];
        let mut f = [0.0; 2];
        for side in 0..2 {
            let chain = self.chains[side];
            let leaf = self.leaf(side, spot.leaves[side]);
            (pieces[side], f[side]) = (leaf.piece, leaf.range.of(spot.t[side]));
            // The seam of a closed chain is the start of its first piece.
            if chain.closed && f[side] >= 1.0 && leaf.piece as usize + 1 == chain.pieces.len() {
                (pieces[side], f[side], arc[side]) = (0, 0.0, chain.arc[0]);
            }
        }
        let mut normal = at.normal(crossing);
        if self.skip.is_some() && arc[0] > arc[1] {
            pieces.swap(0, 1);
            f.swap(0, 1);
            arc.swap(0, 1);
            normal = -normal;
        }
        Found { near: Near { pieces, f, normal, distance: at.rho.length() }, arc }
    }
}
