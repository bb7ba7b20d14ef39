//! Key of the pattern of a system: decides when unknowns are ordered anew.

use crate::constraint::{ConstraintState, ENDS};
use crate::world::Revision;
use crate::world::State;
use crate::world::Structure;

/// Key of the pattern of a system.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatternKey {
    /// The signature of the structure, see [`Structure::signature`].
    numbers: Vec<u32>,
    /// Revision of the structure, and whether there is room between ends. `None` with winches, which move
    /// places without an edit: then the whole signature must be compared.
    known: Option<(Revision, bool)>,
    remembered: Vec<Remembered>,
}

/// State of a constraint that affects the pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Remembered {
    duplicate_of: Option<u32>,
    /// Whether it is stiff, redundant, open.
    flags: [bool; 3],
    /// Windows of sliding ends.
    window: [u32; ENDS],
    /// Object and place that it has caught.
    held: (usize, f64),
}

impl From<&ConstraintState> for Remembered {
    fn from(state: &ConstraintState) -> Self {
        let ConstraintState { duplicate_of, stiff, redundant, open, window, held, held_at, .. } = *state;
        Self { duplicate_of, flags: [stiff, redundant, open], window, held: (held, held_at) }
    }
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
        self.known = structure.winches.is_empty().then(|| (structure.revision.clone(), pairs));
        self.remembered.clear();
        self.remembered.extend(state.constraints.iter().map(Remembered::from));
        same
    }

    /// Whether the structure is unchanged, without computing its signature.
    fn knows(&self, structure: &Structure, state: &State, pairs: bool) -> bool {
        self.known.as_ref().is_some_and(|(identity, room)| identity.is(&structure.revision) && *room == pairs)
            && self.remembered.len() == state.constraints.len()
            && self.remembered.iter().zip(&state.constraints).all(|(kept, state)| *kept == state.into())
    }
}
