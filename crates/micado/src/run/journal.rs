//! The events of a run: conditions are reported once each, and their number is limited.

use crate::run::event::{Condition, Event, EventKind};
use serde::{Deserialize, Serialize};

/// Most reported events of one kind; further ones are only counted, so that a long run can't fill the memory.
const MOST_REPORTED: u64 = 100;

/// Number of events after which edits are not reported; a scene has fewer, but a program may edit a
/// simulation without end.
const MOST_EVENTS: usize = 10_000;

/// The present state of one condition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Spell {
    /// Its amount: rows, modes or winches; 0 if it is absent.
    amount: usize,
    /// Steps for which it has lasted.
    steps: u64,
    /// Number of reports.
    reported: u64,
}

/// The events of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Journal {
    events: Vec<Event>,
    spells: [Spell; Condition::ALL.len()],
    /// Events that were only counted.
    unreported: u64,
    /// Clips that opened.
    opened: u64,
    /// Joints that broke.
    broken: u64,
    /// Clips that caught.
    clipped: u64,
    /// Islands that switched.
    switches: u64,
    /// Changes of a rod's resolution.
    resolutions: u64,
    /// Equilibria that are not on the branch of the equilibrium before.
    branches: u64,
    /// Steps with passages of rods, and all passages.
    #[serde(default)]
    passed: u64,
    #[serde(default)]
    passages: u64,
    /// Constraints whose corners were reported.
    corners: Vec<String>,
}

impl Journal {
    /// The events that were reported.
    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    /// Number of events that were only counted.
    pub(crate) fn unreported(&self) -> u64 {
        self.unreported
    }

    /// Number of openings and catches of clips and of broken joints.
    pub(crate) fn hold_events(&self) -> u64 {
        self.opened + self.broken + self.clipped
    }

    /// Number of changes of resolution.
    pub(crate) fn resolution_changes(&self) -> u64 {
        self.resolutions
    }

    /// Reports an edit, or something that removed a constraint.
    pub(crate) fn edit(&mut self, time: f64, what: EventKind) {
        if self.events.len() >= MOST_EVENTS {
            self.unreported += 1;
            return;
        }
        self.events.push(Event::new(time, what));
    }

    /// Reports that a clip opened.
    pub(crate) fn opened(&mut self, time: f64, what: impl FnOnce() -> EventKind) {
        self.opened += 1;
        self.push(self.opened, time, false, what);
    }

    /// Reports that a joint broke.
    pub(crate) fn broken(&mut self, time: f64, what: impl FnOnce() -> EventKind) {
        self.broken += 1;
        self.push(self.broken, time, false, what);
    }

    /// Reports that a clip caught a rod.
    pub(crate) fn clipped(&mut self, time: f64, what: impl FnOnce() -> EventKind) {
        self.clipped += 1;
        self.push(self.clipped, time, false, what);
    }

    /// Reports that an island became dynamic or quasi-static.
    pub(crate) fn switch(&mut self, time: f64, what: impl FnOnce() -> EventKind) {
        self.switches += 1;
        self.push(self.switches, time, false, what);
    }

    /// Reports that a rod changed its resolution.
    pub(crate) fn resolution(&mut self, time: f64, what: impl FnOnce() -> EventKind) {
        self.resolutions += 1;
        self.push(self.resolutions, time, false, what);
    }

    /// Reports that an equilibrium is on another branch.
    pub(crate) fn left_branch(&mut self, time: f64, what: impl FnOnce() -> EventKind) {
        self.branches += 1;
        self.push(self.branches, time, false, what);
    }

    /// Number of passages of rods.
    pub(crate) fn passages(&self) -> u64 {
        self.passages
    }

    /// Reports passages of rods in a step.
    pub(crate) fn passed(&mut self, time: f64, passages: usize, what: impl FnOnce() -> EventKind) {
        self.passages += passages as u64;
        self.passed += 1;
        self.push(self.passed, time, false, what);
    }

    /// Reports the corner of a rod in a constraint, unless it was reported before.
    pub(crate) fn corner(&mut self, time: f64, constraint: &str, what: impl FnOnce() -> EventKind) {
        if !self.corners.iter().any(|known| known == constraint) {
            self.corners.push(constraint.to_owned());
            self.push(self.corners.len() as u64, time, false, what);
        }
    }

    /// Reports event number `number` of its kind, unless there were too many.
    fn push(&mut self, number: u64, time: f64, changed: bool, what: impl FnOnce() -> EventKind) {
        if number > MOST_REPORTED {
            self.unreported += 1;
            return;
        }
        self.events.push(Event { time, what: what(), changed, last: number == MOST_REPORTED });
    }

    /// Called with the `amount` of a condition after a step: reports when it begins, changes or ends.
    pub(crate) fn observe(
        &mut self,
        condition: Condition,
        time: f64,
        amount: usize,
        what: impl FnOnce() -> EventKind,
    ) {
        if amount == 0 {
            return self.observe_none(condition, time);
        }
        let spell = &mut self.spells[condition as usize];
        let before = std::mem::replace(&mut spell.amount, amount);
        spell.steps += 1;
        if amount != before {
            spell.reported += 1;
            let number = spell.reported;
            self.push(number, time, before > 0, what);
        }
    }

    /// Whether a condition is present.
    pub(crate) fn is_present(&self, condition: Condition) -> bool {
        self.spells[condition as usize].amount > 0
    }

    /// Called after a step without the condition.
    pub(crate) fn observe_none(&mut self, condition: Condition, time: f64) {
        let spell = &mut self.spells[condition as usize];
        if spell.amount == 0 {
            return;
        }
        let steps = spell.steps;
        let number = spell.reported + 1;
        *spell = Spell { reported: number, ..Spell::default() };
        self.push(number, time, false, || EventKind::Over { condition, steps });
    }
}

#[cfg(test)]
mod tests {
    use super::{Journal, MOST_REPORTED};
    use crate::run::event::{Condition, Event, EventKind, Rows};

    fn conflict(count: usize) -> EventKind {
        EventKind::Conflict(Rows { count, ..Rows::default() })
    }

    #[test]
    fn a_condition_is_reported_when_it_begins_changes_and_ends() {
        let mut journal = Journal::default();
        for (step, amount) in [0, 2, 2, 2, 1, 1, 0, 0].into_iter().enumerate() {
            journal.observe(Condition::Conflict, step as f64, amount, || conflict(amount));
        }
        let over = EventKind::Over { condition: Condition::Conflict, steps: 5 };
        assert_eq!(
            journal.events(),
            [
                Event::new(1.0, conflict(2)),
                Event { changed: true, ..Event::new(4.0, conflict(1)) },
                Event::new(6.0, over)
            ]
        );
    }

    #[test]
    fn reports_of_an_intermittent_condition_are_limited() {
        let mut journal = Journal::default();
        for step in 0..10_000 {
            journal.observe(Condition::Ceiling, f64::from(step), step as usize % 2, || EventKind::Ceiling);
        }
        let reported = journal.events().len() as u64;
        assert_eq!((reported, journal.unreported()), (MOST_REPORTED, 9_999 - MOST_REPORTED));
        let marked: Vec<usize> =
            journal.events().iter().enumerate().filter(|(_, event)| event.last).map(|(k, _)| k).collect();
        assert_eq!(marked, [reported as usize - 1], "the last one says so");
    }

    #[test]
    fn every_condition_has_its_own_index() {
        for (k, condition) in Condition::ALL.into_iter().enumerate() {
            assert_eq!(condition as usize, k);
        }
    }
}
