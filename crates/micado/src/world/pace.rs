//! State of quasi-dynamic steps: the cost of a pass, and which objects are quasi-static.

use super::pace_switch::{FilteredCost, Pace};
use crate::constraint::ConstraintState;
use serde::{Deserialize, Serialize};

/// Whether an island may be quasi-static.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Admission {
    /// Its constraints hold all rigid motions.
    Rigid,
    /// Tension holds the free motions, in the tested state.
    Tense,
    /// It has a free motion.
    Free,
}

/// State of quasi-dynamic steps: the cost of a pass, and the mode of every object.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Paces {
    /// Cost of a pass.
    pub cost: FilteredCost,
    /// By object.
    pub objects: Vec<Pace>,
    /// Results of the test of islands, by their first objects, for the structure and open constraints of
    /// `found_for`.
    admitted: Vec<Option<Admission>>,
    /// Version of the structure, and a hash of the open constraints.
    found_for: (u64, u64),
}

impl Paces {
    /// Copies another value without allocating if sizes agree.
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

    /// Number of quasi-static objects.
    pub fn still(&self) -> usize {
        self.objects.iter().filter(|pace| pace.still).count()
    }

    /// Discards test results for another structure, or for other open constraints.
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

    /// Whether an island may be quasi-static, if known. The test is repeated from time to time where tension
    /// decides.
    pub(crate) fn admitted(&self, island: usize) -> Option<Admission> {
        self.admitted[island]
            .filter(|admitted| *admitted == Admission::Rigid || !self.objects[island].test_is_due())
    }

    pub(crate) fn admit(&mut self, island: usize, admitted: Option<Admission>) {
        if admitted.is_some() {
            self.admitted[island] = admitted;
        }
    }
}
