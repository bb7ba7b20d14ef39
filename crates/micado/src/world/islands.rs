//! Islands: objects joined by constraints or springs, and whether they are held in the world: by a
//! constraint, by a spring, or because an object says so.

use crate::constraint::{Constraint, ConstraintState};
use crate::load::SpringLaw;
use crate::object::Place;
use crate::world::State;
use crate::world::Structure;

/// The islands of a structure, as a union-find forest; the root of an island is its first object.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Islands {
    other: Vec<usize>,
    held: Vec<bool>,
}

impl Islands {
    /// Finds the islands for the present constraints, and for pairs of objects that may touch.
    pub(crate) fn find(&mut self, structure: &Structure, state: &State, touching: &[[u32; 2]]) {
        let count = structure.objects.len();
        self.other.clear();
        self.other.extend(0..count);
        self.held.clear();
        self.held.extend(structure.objects.iter().map(|object| object.model().is_held()));
        for (constraint, memory) in structure.constraints.iter().zip(&state.constraints) {
            match objects_of(constraint, memory) {
                [Some(a), Some(b)] => self.join(a, b),
                [Some(a), None] if constraint.law.holds_position() => self.hold(a),
                _ => {}
            }
            if !memory.open && constraint.law.holds_caught_in_world() {
                self.hold(memory.held);
            }
        }
        for spring in &structure.springs {
            match spring.ends.each_ref().map(|end| end.place().and_then(Place::object)) {
                [Some(a), Some(b)] => self.join(a, b),
                [Some(a), None] | [None, Some(a)] if !matches!(spring.law, SpringLaw::Torsional { .. }) => {
                    self.hold(a);
                }
                _ => {}
            }
        }
        touching.iter().for_each(|&[a, b]| self.join(a as usize, b as usize));
        // From here on `first` takes one step.
        for object in 0..count {
            self.other[object] = self.first(object);
        }
    }

    /// The first object of the island of an object.
    pub(crate) fn first(&self, mut object: usize) -> usize {
        while self.other[object] != object {
            object = self.other[object];
        }
        object
    }

    /// The first objects of all islands.
    pub(crate) fn firsts(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.other.len()).filter(|&object| self.other[object] == object)
    }

    /// The objects of the island that begins with `first`.
    pub(crate) fn members(&self, first: usize) -> impl Iterator<Item = usize> + '_ {
        (first..self.other.len()).filter(move |&object| self.first(object) == first)
    }

    /// Whether the island of an object is held in the world.
    pub(crate) fn is_held(&self, object: usize) -> bool {
        self.held[self.first(object)]
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.first(a), self.first(b));
        self.held[a.min(b)] |= self.held[a.max(b)];
        self.other[a.max(b)] = a.min(b);
    }

    fn hold(&mut self, object: usize) {
        let first = self.first(object);
        self.held[first] = true;
    }
}

/// The objects at the present ends of a constraint.
pub(crate) fn objects_of(constraint: &Constraint, memory: &ConstraintState) -> [Option<usize>; 2] {
    constraint.ends.map(|end| end.object(memory))
}
