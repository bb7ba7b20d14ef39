//! What the state remembers of contacts: by key, in the order of keys.

use crate::law::{Kept, MAX_BLOCK};
use serde::{Deserialize, Serialize};

/// Which source found a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Source {
    /// Masses that slide on one curve, next to each other.
    Neighbours,
}

/// One of the two that touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Toucher {
    /// An object, by its index.
    Object(u32),
    /// What a constraint owns, by its index: a mass that slides.
    Constraint(u32),
}

/// Says what touches: contacts of two solves with the same key are the same one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ContactKey {
    /// Between whom.
    pub between: [Toucher; 2],
    /// Which source found it.
    pub source: Source,
    /// Which of several contacts between the two.
    pub slot: u32,
}

/// What is remembered of one contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    /// What touches.
    pub key: ContactKey,
    /// What its rows pushed with in the last solve, N.
    pub forces: [f64; MAX_BLOCK],
    /// What its law keeps.
    pub kept: Kept,
}

/// The contacts of the last solve, sorted by key. No key stands twice.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactMemory(Vec<Remembered>);

impl ContactMemory {
    /// The contacts, by key.
    pub fn iter(&self) -> std::slice::Iter<'_, Remembered> {
        self.0.iter()
    }

    /// What is remembered of a contact; none if it is new.
    pub fn find(&self, key: &ContactKey) -> Option<&Remembered> {
        self.0.binary_search_by_key(key, |known| known.key).ok().map(|k| &self.0[k])
    }

    /// The contacts whose first partner this is.
    pub fn of(&self, first: Toucher) -> impl Iterator<Item = &Remembered> {
        let begin = self.0.partition_point(|known| known.key.between[0] < first);
        self.0[begin..].iter().take_while(move |known| known.key.between[0] == first)
    }

    /// Remembers these contacts instead of those of before. Of two with the same key, the first counts.
    pub(crate) fn replace(&mut self, contacts: impl Iterator<Item = Remembered>) {
        self.0.clear();
        self.0.extend(contacts);
        self.sort();
    }

    /// Takes the contacts of an island from the whole; `objects` and `constraints` are its members in order,
    /// by their indices in the whole.
    pub(crate) fn gather(&mut self, whole: &Self, objects: &[usize], constraints: &[usize]) {
        self.0.clear();
        if whole.0.is_empty() {
            return;
        }
        let local = |toucher: Toucher| match toucher {
            Toucher::Object(k) => {
                objects.binary_search(&(k as usize)).ok().map(|k| Toucher::Object(k as u32))
            }
            Toucher::Constraint(k) => {
                constraints.binary_search(&(k as usize)).ok().map(|k| Toucher::Constraint(k as u32))
            }
        };
        let members = objects.iter().map(|&k| Toucher::Object(k as u32));
        for first in members.chain(constraints.iter().map(|&k| Toucher::Constraint(k as u32))) {
            self.0.extend(whole.of(first).filter_map(|known| {
                let [a, b] = known.key.between.map(local);
                Some(Remembered { key: ContactKey { between: [a?, b?], ..known.key }, ..*known })
            }));
        }
    }

    /// Gives the contacts of an island back to the whole, which has none of them, and is sorted when all
    /// islands have done so.
    pub(crate) fn give_back(&self, objects: &[usize], constraints: &[usize], whole: &mut Self) {
        let global = |toucher: Toucher| match toucher {
            Toucher::Object(k) => Toucher::Object(objects[k as usize] as u32),
            Toucher::Constraint(k) => Toucher::Constraint(constraints[k as usize] as u32),
        };
        whole.0.extend(self.0.iter().map(|known| {
            let between = known.key.between.map(global);
            Remembered { key: ContactKey { between, ..known.key }, ..*known }
        }));
    }

    /// Forgets all contacts.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Takes over another memory without allocating where sizes agree.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.0.clone_from(&other.0);
    }

    /// Forgets contacts of constraint k, which is another one now.
    pub(crate) fn forget_constraint(&mut self, k: usize) {
        self.remap(Some, |other| (other != k).then_some(other));
    }

    /// Forgets contacts of constraint k, which has been removed: those after it have moved up.
    pub(crate) fn remove_constraint(&mut self, k: usize) {
        self.remap(Some, |other| (other != k).then(|| other - usize::from(other > k)));
    }

    /// Gives objects and constraints other indices; forgets contacts of those that have none.
    pub(crate) fn remap(
        &mut self,
        object: impl Fn(usize) -> Option<usize>,
        constraint: impl Fn(usize) -> Option<usize>,
    ) {
        let moved = |toucher: Toucher| match toucher {
            Toucher::Object(k) => object(k as usize).map(|k| Toucher::Object(k as u32)),
            Toucher::Constraint(k) => constraint(k as usize).map(|k| Toucher::Constraint(k as u32)),
        };
        self.0.retain_mut(|known| {
            let [a, b] = known.key.between.map(moved);
            a.zip(b).map(|(a, b)| known.key.between = [a, b]).is_some()
        });
        self.sort();
    }

    /// Puts the contacts in the order of their keys.
    pub(crate) fn sort(&mut self) {
        // Most sources find contacts in the order of their keys.
        if !self.0.is_sorted_by_key(|known| known.key) {
            self.0.sort_unstable_by_key(|known| known.key);
        }
        self.0.dedup_by_key(|known| known.key);
    }
}

#[cfg(test)]
mod tests {
    use super::{ContactKey, ContactMemory, Remembered, Source, Toucher};
    use crate::law::{Kept, MAX_BLOCK};

    fn contact(a: u32, b: u32, force: f64) -> Remembered {
        let between = [Toucher::Constraint(a), Toucher::Constraint(b)];
        let mut forces = [0.0; MAX_BLOCK];
        forces[0] = force;
        let key = ContactKey { between, source: Source::Neighbours, slot: 0 };
        Remembered { key, forces, kept: Kept::default() }
    }

    fn forces(memory: &ContactMemory) -> Vec<(Toucher, f64)> {
        memory.iter().map(|known| (known.key.between[0], known.forces[0])).collect()
    }

    #[test]
    fn contacts_are_found_by_what_touches_in_whatever_order_they_came() {
        let mut memory = ContactMemory::default();
        memory.replace([contact(7, 2, 0.7), contact(2, 5, 0.2), contact(5, 9, 0.5)].into_iter());
        for (a, b, force) in [(2, 5, 0.2), (5, 9, 0.5), (7, 2, 0.7)] {
            assert_eq!(memory.find(&contact(a, b, 0.0).key).map(|known| known.forces[0]), Some(force));
        }
        assert_eq!(memory.find(&contact(2, 9, 0.0).key), None);
        assert!(memory.iter().is_sorted_by_key(|known| known.key));
    }

    #[test]
    fn what_is_removed_is_forgotten_and_what_moves_up_is_found_there() {
        let mut memory = ContactMemory::default();
        memory.replace([contact(0, 1, 0.1), contact(1, 2, 0.2), contact(2, 3, 0.3)].into_iter());
        memory.remove_constraint(0);
        assert_eq!(forces(&memory), [(Toucher::Constraint(0), 0.2), (Toucher::Constraint(1), 0.3)]);
        memory.forget_constraint(2);
        assert_eq!(forces(&memory), [(Toucher::Constraint(0), 0.2)]);
        memory.remap(Some, |k| Some(10 - k));
        assert_eq!(forces(&memory), [(Toucher::Constraint(10), 0.2)]);
    }
}
