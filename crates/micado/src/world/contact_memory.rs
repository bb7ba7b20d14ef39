//! Memory of contacts in the state, sorted by key.

use crate::law::{Kept, MAX_BLOCK};
use glam::DVec3;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;

/// Source of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Source {
    /// Neighbouring masses that slide on one curve.
    Neighbours,
    /// Surfaces of objects.
    Surfaces,
}

/// One of two touching bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Toucher {
    /// An object, by its index.
    Object(u32),
    /// A sliding mass, by the index of its constraint.
    Constraint(u32),
    /// An object that nothing moves, by its index in the whole world; islands don't renumber it.
    Fixed(u32),
}

/// Identity of a contact: contacts of two solves with the same key are the same. Keys are ordered by their
/// bodies, then by source and slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContactKey {
    /// The two bodies.
    pub between: [Toucher; 2],
    /// Source.
    pub source: Source,
    /// Number among several contacts of the two.
    pub slot: u32,
}

impl ContactKey {
    /// Numbers in the order of the keys.
    fn rank(&self) -> (u128, u64) {
        let number = |toucher: Toucher| match toucher {
            Toucher::Object(k) => u64::from(k),
            Toucher::Constraint(k) => 1 << 32 | u64::from(k),
            Toucher::Fixed(k) => 2 << 32 | u64::from(k),
        };
        let [a, b] = self.between.map(number);
        (u128::from(a) << 64 | u128::from(b), (self.source as u64) << 32 | u64::from(self.slot))
    }
}

impl PartialOrd for ContactKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ContactKey {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.rank().cmp(&other.rank())
    }
}

/// Memory of one contact.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    /// Its identity.
    pub key: ContactKey,
    /// Forces of its rows in the last solve, N.
    pub forces: [f64; MAX_BLOCK],
    /// Memory of its law.
    pub kept: Kept,
    /// Where surfaces touch.
    pub mark: Mark,
}

/// Where two surfaces touch, and how far they have crept since they began to stick. Zero for contacts of
/// other sources.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// Where on each side: rest arc length, m, and zeros on a rod; a point in its axes, m, on a body.
    pub at: [[f64; 3]; 2],
    /// Position of the contact, m.
    pub point: [f64; 3],
    /// Unit normal from the second side to the first.
    pub normal: [f64; 3],
    /// First tangential direction; the second is the normal times it.
    pub tangent: [f64; 3],
    /// Displacement of the first side on the second since they began to stick, m.
    pub slip: [f64; 3],
    /// Gap at the end of the step, m; negative where they overlap.
    pub gap: f64,
    /// Gap at its beginning, m.
    pub began: f64,
}

impl Remembered {
    /// Force of a contact of surfaces on the first side, N.
    pub fn force(&self) -> DVec3 {
        let (n, t) = (DVec3::from_array(self.mark.normal), DVec3::from_array(self.mark.tangent));
        n * self.forces[0] + t * self.forces[1] + n.cross(t) * self.forces[2]
    }
}

/// Up to this number, contacts are searched one by one.
const FEW: usize = 8;

/// The contacts of the last solve, sorted by unique keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ContactMemory(Vec<Remembered>);

impl ContactMemory {
    /// The contacts, by key.
    pub fn iter(&self) -> std::slice::Iter<'_, Remembered> {
        self.0.iter()
    }

    /// Memory of a contact; `None` if it is new.
    pub fn find(&self, key: &ContactKey) -> Option<&Remembered> {
        if self.0.len() <= FEW {
            return self.0.iter().find(|known| known.key == *key);
        }
        self.0.binary_search_by_key(key, |known| known.key).ok().map(|k| &self.0[k])
    }

    /// The contacts whose first body this is.
    pub fn of(&self, first: Toucher) -> impl Iterator<Item = &Remembered> {
        let begin = self.0.partition_point(|known| known.key.between[0] < first);
        self.0[begin..].iter().take_while(move |known| known.key.between[0] == first)
    }

    /// The contacts of two bodies.
    pub fn between(&self, between: [Toucher; 2]) -> &[Remembered] {
        let begin = self.0.partition_point(|known| known.key.between < between);
        let end = begin + self.0[begin..].partition_point(|known| known.key.between <= between);
        &self.0[begin..end]
    }

    /// Adds a length to the gap of a contact, m.
    pub(crate) fn widen(&mut self, key: &ContactKey, by: f64) {
        if let Ok(k) = self.0.binary_search_by_key(key, |known| known.key) {
            self.0[k].mark.gap += by;
        }
    }

    /// Replaces all contacts. Of two with the same key, the first counts.
    pub(crate) fn replace(&mut self, contacts: impl Iterator<Item = Remembered>) {
        self.0.clear();
        self.0.extend(contacts);
        self.sort();
    }

    /// Takes the contacts of an island from the whole; `objects` and `constraints` are the sorted indices of
    /// its members in the whole.
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
            Toucher::Fixed(_) => Some(toucher),
        };
        let members = objects.iter().map(|&k| Toucher::Object(k as u32));
        for first in members.chain(constraints.iter().map(|&k| Toucher::Constraint(k as u32))) {
            self.0.extend(whole.of(first).filter_map(|known| {
                let [a, b] = known.key.between.map(local);
                Some(Remembered { key: ContactKey { between: [a?, b?], ..known.key }, ..*known })
            }));
        }
    }

    /// Returns the contacts of an island to the whole, which has none of them; it must be sorted after all
    /// islands.
    pub(crate) fn give_back(&self, objects: &[usize], constraints: &[usize], whole: &mut Self) {
        let global = |toucher: Toucher| match toucher {
            Toucher::Object(k) => Toucher::Object(objects[k as usize] as u32),
            Toucher::Constraint(k) => Toucher::Constraint(constraints[k as usize] as u32),
            Toucher::Fixed(_) => toucher,
        };
        whole.0.extend(self.0.iter().map(|known| {
            let between = known.key.between.map(global);
            Remembered { key: ContactKey { between, ..known.key }, ..*known }
        }));
    }

    /// Removes all contacts.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// Copies another memory without allocating if sizes agree.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.0.clone_from(&other.0);
    }

    /// Removes contacts of constraint k, which was replaced.
    pub(crate) fn forget_constraint(&mut self, k: usize) {
        self.remap(Some, |other| (other != k).then_some(other));
    }

    /// Removes contacts of constraint k, which was removed; later constraints move up.
    pub(crate) fn remove_constraint(&mut self, k: usize) {
        self.remap(Some, |other| (other != k).then(|| other - usize::from(other > k)));
    }

    /// Renumbers objects and constraints; removes contacts of those without a new number.
    pub(crate) fn remap(
        &mut self,
        object: impl Fn(usize) -> Option<usize>,
        constraint: impl Fn(usize) -> Option<usize>,
    ) {
        let moved = |toucher: Toucher| match toucher {
            Toucher::Object(k) => object(k as usize).map(|k| Toucher::Object(k as u32)),
            Toucher::Constraint(k) => constraint(k as usize).map(|k| Toucher::Constraint(k as u32)),
            Toucher::Fixed(k) => object(k as usize).map(|k| Toucher::Fixed(k as u32)),
        };
        self.0.retain_mut(|known| {
            let [a, b] = known.key.between.map(moved);
            a.zip(b).map(|(a, b)| known.key.between = [a, b]).is_some()
        });
        self.sort();
    }

    /// Sorts the contacts by key.
    pub(crate) fn sort(&mut self) {
        // Most sources find contacts in the order of their keys, and none twice.
        if !self.0.is_sorted_by(|a, b| a.key < b.key) {
            self.0.sort_unstable_by_key(|known| known.key);
            self.0.dedup_by_key(|known| known.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{ContactKey, ContactMemory, Mark, Remembered, Source, Toucher};
    use crate::law::{Kept, MAX_BLOCK};

    fn contact(a: u32, b: u32, force: f64) -> Remembered {
        let between = [Toucher::Constraint(a), Toucher::Constraint(b)];
        let mut forces = [0.0; MAX_BLOCK];
        forces[0] = force;
        let key = ContactKey { between, source: Source::Neighbours, slot: 0 };
        Remembered { key, forces, kept: Kept::default(), mark: Mark::default() }
    }

    fn forces(memory: &ContactMemory) -> Vec<(Toucher, f64)> {
        memory.iter().map(|known| (known.key.between[0], known.forces[0])).collect()
    }

    #[test]
    fn contacts_are_found_by_key_in_any_order() {
        let mut memory = ContactMemory::default();
        memory.replace([contact(7, 2, 0.7), contact(2, 5, 0.2), contact(5, 9, 0.5)].into_iter());
        for (a, b, force) in [(2, 5, 0.2), (5, 9, 0.5), (7, 2, 0.7)] {
            assert_eq!(memory.find(&contact(a, b, 0.0).key).map(|known| known.forces[0]), Some(force));
        }
        assert_eq!(memory.find(&contact(2, 9, 0.0).key), None);
        assert!(memory.iter().is_sorted_by_key(|known| known.key));
    }

    #[test]
    fn contacts_follow_constraints_that_move_up() {
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
