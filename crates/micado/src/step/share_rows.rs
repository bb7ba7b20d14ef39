//! Which constraint rows share a node of the system.
//!
//! A dual node has room for four rows, and most constraints have fewer. Elimination carries every dual node along from the
//! first control point that it touches to the last, so rows that join the same two objects are put into common nodes, in the
//! order of their places. A ladder of single rows between two rods then costs a quarter of the blocks, and a sixteenth of the products.
//!
//! Rows at the same places stay apart: one may repeat the other, and the inverse of a nearly singular block of four loses what the
//! elimination of one node after the other keeps.

use crate::constraint::{Constraint, ConstraintState, End};
use crate::world::Structure;

/// Where the rows of constraints stand.
pub(super) struct RowPlaces {
    /// Scalar number of the first row of each constraint, from the first dual node on, four to a node.
    pub(super) first: Vec<usize>,
    /// Number of dual nodes.
    pub(super) nodes: usize,
    /// Whether a node holds rows of several constraints.
    pub(super) shared: bool,
}

impl RowPlaces {
    /// Nodes of its own for every constraint, in their order.
    pub(super) fn apart(structure: &Structure, states: &[ConstraintState]) -> Self {
        let mut places = Self { first: Vec::with_capacity(structure.constraints.len()), nodes: 0, shared: false };
        for (constraint, state) in structure.constraints.iter().zip(states) {
            places.first.push(4 * places.nodes);
            places.nodes += constraint.rows(state).div_ceil(4);
        }
        places
    }

    /// Common nodes for rows that travel together.
    pub(super) fn together(structure: &Structure, states: &[ConstraintState]) -> Self {
        let joins: Vec<_> =
            structure.constraints.iter().zip(states).map(|(constraint, state)| Join::of(structure, constraint, state)).collect();
        let mut order: Vec<usize> = (0..joins.len()).filter(|&k| structure.constraints[k].rows(&states[k]) > 0).collect();
        order.sort_by(|&a, &b| {
            let ([a_0, a_1], [b_0, b_1]) = (joins[a].at, joins[b].at);
            joins[a].objects.cmp(&joins[b].objects).then(a_0.total_cmp(&b_0)).then(a_1.total_cmp(&b_1)).then(a.cmp(&b))
        });
        let mut places = Self { first: vec![0; joins.len()], nodes: 0, shared: false };
        let mut next = 0_usize;
        for (i, &k) in order.iter().enumerate() {
            if i == 0 || !joins[k].shares_with(&joins[order[i - 1]]) {
                next = next.next_multiple_of(4);
            }
            places.shared |= !next.is_multiple_of(4);
            places.first[k] = next;
            next += structure.constraints[k].rows(&states[k]);
        }
        places.nodes = next.div_ceil(4);
        places
    }
}

/// Places that are nearer to each other than this share of a segment are the same.
const SAME: f64 = 1e-3;

/// What a constraint joins.
struct Join {
    /// Two different objects, if it does.
    objects: Option<[usize; 2]>,
    /// Where on them, in segments.
    at: [f64; 2],
}

impl Join {
    fn of(structure: &Structure, constraint: &Constraint, state: &ConstraintState) -> Self {
        let spot = |e: usize| match constraint.ends[e] {
            End::World => None,
            End::Fixed { place, .. } => {
                let node = place.nodes[0] as usize;
                Some((structure.objects.partition_point(|object| object.first <= node) - 1, place.segment as f64 + place.fraction))
            }
            End::Sliding { object } | End::Clipped { object, .. } => Some((object, state.own[e])),
        };
        match [spot(0), spot(1)] {
            [Some((a, u)), Some((b, v))] if a < b => Self { objects: Some([a, b]), at: [u, v] },
            [Some((a, u)), Some((b, v))] if a > b => Self { objects: Some([b, a]), at: [v, u] },
            _ => Self { objects: None, at: [0.0; 2] },
        }
    }

    /// Whether its rows may stand behind those of the one before.
    fn shares_with(&self, before: &Self) -> bool {
        let apart = |e: usize| (self.at[e] - before.at[e]).abs() > SAME;
        self.objects.is_some() && self.objects == before.objects && (apart(0) || apart(1))
    }
}
