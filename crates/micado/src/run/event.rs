//! Events of a run: what is worth telling, told once and never without end.

use serde::{Deserialize, Serialize};

/// Events of one kind that are told; further ones are only counted, so that a long run can't fill the memory
/// with them.
const MOST_TOLD: u64 = 100;

/// Actions that are told, and edits from outside; a scene has no more, but who edits a running simulation may
/// never end.
const MOST_ACTIONS: usize = 10_000;

/// Something worth telling that happened during a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// Time, s.
    pub time: f64,
    /// What kind: `action`; `failed` (an action); `slipped` (off the end of a rod); `opened` and `clipped` (a
    /// clip); `resolution` (a rod has more or fewer control points); `switch` (of an island between dynamic
    /// and quasi-static); `refused`, `held`, `redundant`, `conflict`, `not-converged`, `unstable`,
    /// `overstretched`, `stopped`, `ceiling`, `late` when that begins or changes; `over` when it ends.
    pub kind: String,
    /// The event in words.
    pub text: String,
}

/// A state of a run that may last over many steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Steps are made in substeps.
    Refused,
    /// Steps are not made.
    Held,
    /// Constraint rows follow from others.
    Redundant,
    /// Constraint rows contradict others.
    Conflict,
    /// No equilibrium is found.
    NotConverged,
    /// The equilibrium is unstable.
    Unstable,
    /// A rod's stretch changes by too much in one step.
    Overstretched,
    /// Winches can't reel in further.
    Stopped,
    /// Quasi-static islands are slowed down.
    Ceiling,
    /// Steps take longer than the time that they describe.
    Late,
}

impl Condition {
    const COUNT: usize = 10;

    fn kind(self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Held => "held",
            Self::Redundant => "redundant",
            Self::Conflict => "conflict",
            Self::NotConverged => "not-converged",
            Self::Unstable => "unstable",
            Self::Overstretched => "overstretched",
            Self::Stopped => "stopped",
            Self::Ceiling => "ceiling",
            Self::Late => "late",
        }
    }

    /// That it is over.
    fn ended(self) -> &'static str {
        match self {
            Self::Refused => "steps are made whole again",
            Self::Held => "steps are made again",
            Self::Redundant => "no rows follow from others any more",
            Self::Conflict => "no rows contradict others any more",
            Self::NotConverged => "equilibria are found again",
            Self::Unstable => "the equilibrium is stable again",
            Self::Overstretched => "stretches change slowly again",
            Self::Stopped => "winches can go on",
            Self::Ceiling => "quasi-static structures are no longer slowed down",
            Self::Late => "steps are in time again",
        }
    }
}

/// How one condition stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Spell {
    /// How much of it there is now: rows or modes; 0 where it isn't.
    amount: usize,
    /// For how many steps it has lasted.
    steps: u64,
    /// How often it was told.
    told: u64,
}

/// What clips do, counted: they may open and catch without end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ClipDeed {
    /// It let go.
    Opened,
    /// It took hold.
    Clipped,
}

/// What has been told of a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Journal {
    events: Vec<Event>,
    spells: [Spell; Condition::COUNT],
    /// Events that were counted and not told.
    untold: u64,
    /// How often clips have opened and caught.
    clips: [u64; 2],
    /// How often islands have switched.
    switches: u64,
    /// How often rods were divided anew.
    divided: u64,
}

impl Journal {
    /// Everything told so far.
    pub(crate) fn events(&self) -> &[Event] {
        &self.events
    }

    /// How many events were only counted.
    pub(crate) fn untold(&self) -> u64 {
        self.untold
    }

    /// An action has happened.
    pub(crate) fn action(&mut self, time: f64, kind: &str, text: String) {
        if self.events.len() >= MOST_ACTIONS {
            self.untold += 1;
            return;
        }
        self.events.push(Event { time, kind: kind.into(), text });
    }

    /// How often clips have let go or taken hold.
    pub(crate) fn clip_deeds(&self) -> u64 {
        self.clips.iter().sum()
    }

    /// How often rods were divided anew.
    pub(crate) fn divided(&self) -> u64 {
        self.divided
    }

    /// A rod was divided anew.
    pub(crate) fn divide(&mut self, time: f64, text: String) {
        self.divided += 1;
        self.count(self.divided, "resolution", time, || text);
    }

    /// A clip has let go or taken hold.
    pub(crate) fn clip(&mut self, deed: ClipDeed, time: f64, text: impl FnOnce() -> String) {
        self.clips[deed as usize] += 1;
        let kind = match deed {
            ClipDeed::Opened => "opened",
            ClipDeed::Clipped => "clipped",
        };
        self.count(self.clips[deed as usize], kind, time, text);
    }

    /// An island has become dynamic or quasi-static.
    pub(crate) fn switch(&mut self, time: f64, text: impl FnOnce() -> String) {
        self.switches += 1;
        self.count(self.switches, "switch", time, text);
    }

    /// Tells the event number `told` of its kind, unless there were many.
    fn count(&mut self, told: u64, kind: &str, time: f64, text: impl FnOnce() -> String) {
        if told > MOST_TOLD {
            self.untold += 1;
            return;
        }
        let last = if told == MOST_TOLD { "; from here on this is counted and not told" } else { "" };
        self.events.push(Event { time, kind: kind.into(), text: text() + last });
    }

    /// A step found `amount` of a condition: told when it begins, when there is more or less of it, and when
    /// it ends.
    pub(crate) fn observe(
        &mut self,
        condition: Condition,
        time: f64,
        amount: usize,
        text: impl FnOnce() -> String,
    ) {
        let spell = &mut self.spells[condition as usize];
        let (before, lasted) = (spell.amount, spell.steps);
        (spell.amount, spell.steps) = (amount, if amount == 0 { 0 } else { lasted + 1 });
        if amount == before {
            return;
        }
        spell.told += 1;
        if spell.told > MOST_TOLD {
            self.untold += 1;
            return;
        }
        let last = if spell.told == MOST_TOLD { "; from here on this is counted and not told" } else { "" };
        let (kind, text) = if amount == 0 {
            (
                "over",
                format!("{}, after {lasted} step{}", condition.ended(), if lasted == 1 { "" } else { "s" }),
            )
        } else {
            (condition.kind(), text())
        };
        self.events.push(Event { time, kind: kind.into(), text: text + last });
    }
}

#[cfg(test)]
mod tests {
    use super::{Condition, Journal, MOST_TOLD};

    #[test]
    fn a_condition_is_told_when_it_begins_changes_and_ends() {
        let mut journal = Journal::default();
        for (step, amount) in [0, 2, 2, 2, 1, 1, 0, 0].into_iter().enumerate() {
            journal.observe(Condition::Conflict, step as f64, amount, || format!("{amount} rows"));
        }
        let told: Vec<_> =
            journal.events().iter().map(|e| (e.time, e.kind.as_str(), e.text.as_str())).collect();
        assert_eq!(
            told,
            [
                (1.0, "conflict", "2 rows"),
                (4.0, "conflict", "1 rows"),
                (6.0, "over", "no rows contradict others any more, after 5 steps")
            ]
        );
    }

    #[test]
    fn a_condition_that_comes_and_goes_for_ever_fills_no_memory() {
        let mut journal = Journal::default();
        for step in 0..10_000 {
            journal.observe(Condition::Refused, f64::from(step), step as usize % 2, || "in substeps".into());
        }
        assert_eq!((journal.events().len() as u64, journal.untold()), (MOST_TOLD, 9_999 - MOST_TOLD));
        assert!(journal.events().last().is_some_and(|event| event.text.contains("counted")));
    }
}
