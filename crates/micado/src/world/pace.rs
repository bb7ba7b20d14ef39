//! What is remembered of the modes of islands: the cost of a pass, and which objects are quasi-static.

use super::pace_switch::{FilteredCost, Pace};
use crate::constraint::ConstraintState;
use serde::{Deserialize, Serialize};

/// Whether an island may be static.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Admission {
    /// Its constraints leave it no rigid motion.
    Rigid,
    /// Tension holds what they leave, in the state that was looked at.
    Tense,
    /// Nothing holds it.
    Free,
}

/// What is remembered of modes: the cost of a pass, and the mode of every object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Paces {
    /// What a pass costs.
    pub cost: FilteredCost,
    /// By object.
    pub objects: Vec<Pace>,
    /// Whether islands may be static, by their first objects, as far as that has been found out for the
    /// structure and open constraints of `found_for`.
    admitted: Vec<Option<Admission>>,
    /// Version of the structure, and a sum over the constraints that are open.
    found_for: (u64, u64),
}

impl Paces {
    /// Takes over others without allocating where sizes agree.
    pub(crate) fn copy_from(&mut self, other: &Self) {
        self.cost = other.cost;
        self.objects.clone_from(&other.objects);
        self.admitted.clone_from(&other.admitted);
        self.found_for = other.found_for;
    }

    /// Whether an object is quasi-static.
    pub fn is_still(&self, object: usize) -> bool {
        self.objects.get(object).is_some_and(|pace| pace.still)
    }

    /// How many objects are quasi-static.
    pub fn still(&self) -> usize {
        self.objects.iter().filter(|pace| pace.still).count()
    }

    /// Forgets what was found out about another structure, or with other constraints open.
    pub(crate) fn fit(&mut self, version: u64, constraints: &[ConstraintState], objects: usize) {
        let open = constraints
            .iter()
            .fold(1, |sum: u64, memory| sum.wrapping_mul(3).wrapping_add(u64::from(memory.open)));
        self.objects.resize(objects, Pace::default());
        if self.found_for != (version, open) || self.admitted.len() != objects {
            self.found_for = (version, open);
            self.admitted.clear();
            self.admitted.resize(objects, None);
        }
    }

    /// Whether an island may be static, if that is known. What only tension holds, or would hold, is asked
    /// again from time to time.
    pub(crate) fn admitted(&self, island: usize) -> Option<Admission> {
        self.admitted[island]
            .filter(|admitted| *admitted == Admission::Rigid || !self.objects[island].asks_again())
    }

    pub(crate) fn admit(&mut self, island: usize, admitted: Option<Admission>) {
        if admitted.is_some() {
            self.admitted[island] = admitted;
        }
    }
}
