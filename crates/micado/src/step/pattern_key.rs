//! Key of the pattern of a system: decides when unknowns are ordered anew.

use crate::constraint::{Constraint, ConstraintState};
use crate::world::Revision;
use crate::world::State;
use crate::world::Structure;

/// Key of the pattern of a system.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatternKey {
    /// The signature of the structure, see [`Structure::signature`].
    numbers: Vec<u32>,
    /// Revision of the structure, and whether there is room between ends. `None` where places move: then the
    /// whole signature must be compared.
    known: Option<(Revision, bool)>,
    remembered: Vec<Remembered>,
}

/// State of a constraint that affects the pattern.
type Remembered = (Option<u32>, bool, bool);

fn remembered(state: &ConstraintState) -> Remembered {
    (state.duplicate_of, state.stiff, state.redundant)
}

impl PatternKey {
    /// Whether the key fits; if not, it becomes that of the structure.
    pub(crate) fn fits(&mut self, structure: &Structure, state: &State, pairs: bool) -> bool {
        if self.knows(structure, state, pairs) {
            return true;
        }
        let (mut at, mut same) = (0, true);
        structure.signature(state, pairs, &mut |number| {
            same &= self.numbers.get(at) == Some(&number);
            at += 1;
        });
        same &= at == self.numbers.len() && at > 0;
        if !same {
            self.numbers.clear();
            structure.signature(state, pairs, &mut |number| self.numbers.push(number));
        }
        let stays =
            structure.winches.is_empty() && !structure.constraints.iter().any(Constraint::has_moving_end);
        self.known = stays.then(|| (structure.revision.clone(), pairs));
        self.remembered.clear();
        self.remembered.extend(state.constraints.iter().map(remembered));
        same
    }

    /// Whether the structure is unchanged, without computing its signature.
    fn knows(&self, structure: &Structure, state: &State, pairs: bool) -> bool {
        self.known.as_ref().is_some_and(|(identity, room)| identity.is(&structure.revision) && *room == pairs)
            && self.remembered.len() == state.constraints.len()
            && self.remembered.iter().zip(&state.constraints).all(|(kept, state)| *kept == remembered(state))
    }
}
