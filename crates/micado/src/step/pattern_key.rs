//! Key of the pattern of a system: decides when unknowns are ordered anew.

use super::order::Room;
use crate::constraint::{Constraint, ConstraintState, ENDS};
use crate::world::Revision;
use crate::world::State;
use crate::world::Structure;

/// Key of the pattern of a system.
#[derive(Clone, Debug, Default)]
pub(crate) struct PatternKey {
    /// The signature of the structure, see [`Structure::signature`].
    numbers: Vec<u32>,
    /// Revision of the structure, and the terms for which there is room. `None` with winches, which move
    /// places without an edit: then the whole signature must be compared.
    known: Option<(Revision, Room)>,
    remembered: Vec<Remembered>,
}

/// State of a constraint that affects the pattern.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Remembered {
    duplicate_of: Option<u32>,
    /// Whether its stiffness couples its ends, whether it is redundant, and whether it is open.
    flags: [bool; 3],
    /// Windows of sliding ends.
    window: [u32; ENDS],
    /// Object and place that it has caught.
    held: (usize, f64),
}

impl Remembered {
    fn of(constraint: &Constraint, state: &ConstraintState, room: Room) -> Self {
        let ConstraintState { duplicate_of, redundant, open, window, held, held_at, .. } = *state;
        let couples = constraint.couples_ends(state, room.is_exact());
        Self { duplicate_of, flags: [couples, redundant, open], window, held: (held, held_at) }
    }
}

impl PatternKey {
    /// Whether the key fits; if not, it becomes that of the structure.
    pub(crate) fn fits(&mut self, structure: &Structure, state: &State, room: Room) -> bool {
        if self.knows(structure, state, room) {
            return true;
        }
        let (mut at, mut same) = (0, true);
        let terms = [room == Room::Pairs, room.is_exact()];
        structure.signature(state, terms, &mut |number| {
            same &= self.numbers.get(at) == Some(&number);
            at += 1;
        });
        same &= at == self.numbers.len() && at > 0;
        if !same {
            self.numbers.clear();
            structure.signature(state, terms, &mut |number| self.numbers.push(number));
        }
        self.known = structure.winches.is_empty().then(|| (structure.revision.clone(), room));
        self.remembered.clear();
        self.remembered.extend(remembered(structure, state, room));
        same
    }

    /// Whether the structure is unchanged, without computing its signature.
    fn knows(&self, structure: &Structure, state: &State, room: Room) -> bool {
        self.known
            .as_ref()
            .is_some_and(|(identity, known)| identity.is(&structure.revision) && *known == room)
            && self.remembered.iter().copied().eq(remembered(structure, state, room))
    }
}

fn remembered<'a>(
    structure: &'a Structure,
    state: &'a State,
    room: Room,
) -> impl Iterator<Item = Remembered> + 'a {
    let constraints = structure.constraints.iter().zip(&state.constraints);
    constraints.map(move |(constraint, state)| Remembered::of(constraint, state, room))
}
