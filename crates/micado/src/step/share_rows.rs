//! Sharing of nodes between constraint rows.
//!
//! A dual node has room for four rows, and most constraints have fewer. Elimination updates every dual node
//! from the first control point that it touches to the last, so rows that join the same two objects share
//! nodes, in the order of their places. A ladder of single rows between two rods then costs a quarter of the
//! blocks, and a sixteenth of the products.
//!
//! Rows at the same places don't share a node: one may repeat the other, and the inverse of a nearly singular
//! block of four is less accurate than the elimination of one node after the other.
//!
//! The six or seven rows of a clamp begin with the last three places of a node, so that the next node has
//! those of its frame. At the end of a rod the position depends on one control point only, and so does the
//! first node.

use crate::constraint::{Constraint, ConstraintState, End};
use crate::world::Structure;

/// Positions of the rows of constraints.
pub(super) struct RowPlaces {
    /// Scalar number of the first row of each constraint, from the first dual node on, four to a node.
    pub(super) first: Vec<usize>,
    /// Number of dual nodes.
    pub(super) nodes: usize,
    /// Whether a node holds rows of several constraints.
    pub(super) shared: bool,
}

impl RowPlaces {
    /// Separate nodes for every constraint, in their order.
    pub(super) fn apart(structure: &Structure, states: &[ConstraintState]) -> Self {
        let mut places =
            Self { first: Vec::with_capacity(structure.constraints.len()), nodes: 0, shared: false };
        for (constraint, state) in structure.constraints.iter().zip(states) {
            let rows = constraint.rows(state);
            let before = if rows > 0 { room_before(constraint) } else { 0 };
            places.first.push(4 * places.nodes + before);
            places.nodes += (before + rows).div_ceil(4);
        }
        places
    }

    /// Shared nodes for rows that join the same objects.
    pub(super) fn together(structure: &Structure, states: &[ConstraintState]) -> Self {
        let joins: Vec<_> = structure.constraints.iter().map(Join::of).collect();
        let mut order: Vec<usize> =
            (0..joins.len()).filter(|&k| structure.constraints[k].rows(&states[k]) > 0).collect();
        order.sort_by_key(|&k| (joins[k], k));
        let mut places = Self { first: vec![0; joins.len()], nodes: 0, shared: false };
        let mut next = 0_usize;
        // Start, in the order, of the constraints with rows in the current node.
        let mut company = 0;
        for (i, &k) in order.iter().enumerate() {
            if !order[company..i].iter().all(|&other| joins[k].shares_with(&joins[other])) {
                next = next.next_multiple_of(4);
            }
            if next.is_multiple_of(4) {
                company = i;
            }
            places.shared |= !next.is_multiple_of(4);
            next += room_before(&structure.constraints[k]);
            places.first[k] = next;
            next += structure.constraints[k].rows(&states[k]);
        }
        places.nodes = next.div_ceil(4);
        places
    }
}

/// Places of a node that stay free before the rows of a constraint, so that those on positions end with it.
/// Such constraints hold a rod to the world, and share no node.
fn room_before(constraint: &Constraint) -> usize {
    constraint.law.position_rows().next_multiple_of(4) - constraint.law.position_rows()
}

/// Objects and places that a constraint joins, as far as they belong to the pattern; more would make the
/// order depend on when it was computed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Join {
    /// Two different objects, if it holds fixed places on them.
    objects: Option<[usize; 2]>,
    /// Segments of the places on them, and bit mask of the control points on which a place depends: fewer at
    /// a knot.
    spots: [(usize, u32); 2],
}

impl Join {
    fn of(constraint: &Constraint) -> Self {
        let alone = Self { objects: None, spots: [(0, 0); 2] };
        // Its own unknown may take the scalar behind its rows.
        if constraint.only_own_unknown().is_some() {
            return alone;
        }
        let spot = |e: usize| match constraint.ends[e] {
            End::Fixed { place, .. } => {
                Some((place.object()?, (place.segment, place.touched(constraint.ends[e].framed()))))
            }
            End::World | End::Sliding { .. } | End::Caught { .. } => None,
        };
        match [spot(0), spot(1)] {
            [Some((a, u)), Some((b, v))] if a < b => Self { objects: Some([a, b]), spots: [u, v] },
            [Some((a, u)), Some((b, v))] if a > b => Self { objects: Some([b, a]), spots: [v, u] },
            _ => alone,
        }
    }

    /// Whether their rows may share a node. Rows on the same control points may be dependent, which needs
    /// separate blocks.
    fn shares_with(&self, other: &Self) -> bool {
        self.objects.is_some() && self.objects == other.objects && self.spots != other.spots
    }
}
