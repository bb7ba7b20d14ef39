//! Duplicate constraints.
//!
//! With the same rows twice, the share of the force is undetermined, and results that depend on it (the
//! tension stiffness of a linearised step, of which only the positive part enters; regularisation; rounding)
//! would differ from those of a single constraint. So a constraint that repeats an earlier one has no rows
//! and no unknowns: the earlier one has the whole force, and the motion has the same bits as without the
//! duplicate. Duplicates follow from structure and state after an edit, and belong to the state. Rows that
//! are redundant for other reasons are left to the solver.

use crate::constraint::{Constraint, ConstraintState, ENDS, End, MAX_ROWS};
use crate::world::World;

impl World {
    /// Finds the constraints that repeat an earlier one, which takes over their forces.
    pub(crate) fn mark_duplicates(&mut self) {
        let (constraints, states) = (&self.structure.constraints, &mut self.state.constraints);
        states.iter_mut().for_each(|state| state.duplicate_of = None);
        let mut order: Vec<usize> =
            (0..constraints.len()).filter(|&k| constraints[k].law.may_be_duplicated()).collect();
        order.sort_by_key(|&k| (joined(&constraints[k]), k));
        for alike in order.chunk_by(|&a, &b| joined(&constraints[a]) == joined(&constraints[b])) {
            for (i, &k) in alike.iter().enumerate() {
                let leads = |j: usize| states[j].duplicate_of.is_none() && repeats(constraints, states, k, j);
                if let Some(leader) = alike[..i].iter().copied().find(|&j| leads(j)) {
                    follow(states, k, leader);
                }
            }
        }
    }

    /// Before a constraint is removed: its first duplicate takes over its forces.
    pub(crate) fn pass_to_duplicate(&mut self, index: usize) {
        let states = &mut self.state.constraints;
        if let Some(copy) = states.iter().position(|state| state.duplicate_of == Some(index as u32)) {
            let ConstraintState { multipliers, pushes, kept, stiff, redundant, .. } = states[index].clone();
            let heir = &mut states[copy];
            (heir.pushes, heir.kept) = (pushes, kept);
            (heir.multipliers, heir.stiff, heir.redundant) = (multipliers, stiff, redundant);
        }
    }
}

/// Approximate places of a constraint, sorted: equal for duplicates.
fn joined(constraint: &Constraint) -> [(u8, usize, usize); ENDS] {
    let mut ends = constraint.ends.each_ref().map(|end| match *end {
        End::World => (0, 0, 0),
        End::Fixed { place, .. } => {
            (1, place.object as usize, place.nodes().first().map_or(0, |&node| node as usize))
        }
        End::Sliding { object } => (2, object, 0),
        End::Caught { .. } => (3, 0, 0),
    });
    ends.sort_unstable();
    ends
}

/// Whether constraint k repeats constraint j, now and at all later times.
fn repeats(constraints: &[Constraint], states: &[ConstraintState], k: usize, j: usize) -> bool {
    let framed = |e: usize| constraints[k].ends[e].framed();
    constraints[k].repeats(&constraints[j])
        && states[k].own == states[j].own
        && (0..ENDS).all(|e| !framed(e) || states[k].frames[e] == states[j].frames[e])
}

/// Makes constraint k a duplicate of an earlier one.
fn follow(states: &mut [ConstraintState], k: usize, leader: usize) {
    let (multipliers, pushes) = (states[k].multipliers, states[k].pushes.clone());
    (0..MAX_ROWS).for_each(|r| states[leader].multipliers[r] += multipliers[r]);
    for (r, push) in pushes.iter().enumerate().filter(|(_, push)| **push != 0.0) {
        states[leader].pushes[r] += push;
    }
    let window = states[leader].window;
    let own = &mut states[k];
    (own.duplicate_of, own.window, own.multipliers) = (Some(leader as u32), window, [0.0; MAX_ROWS]);
    (own.stiff, own.redundant) = (false, false);
    own.pushes.clear();
    own.kept.clear();
}
