//! Whether the numbers of a run can be used: failures and their remedies.

use super::tally::Tally;
use crate::words::counted;
use micado::error::BuildError;
use micado::run::{Cause, Condition, EditSummary, Event, EventKind, Missed, Rows};
use serde::{Serialize, Serializer};
use std::fmt::{self, Display, Formatter};

/// A reason why the numbers of a run can't be used. Its sentence is `Display` and its JSON.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum RunFailure {
    /// Steps failed; before the first step, the structure could not come to rest.
    Held {
        /// Steps that failed.
        held: u64,
        /// Steps in all.
        steps: u64,
        /// The first cause, and the constraint with the largest residual, if they were reported.
        why: Option<(Cause, Option<Missed>)>,
    },
    /// Static solves did not converge.
    NotConverged {
        /// How many.
        count: u64,
    },
    /// Quasi-static objects were still moving to their equilibrium at the end.
    OnTheWay,
    /// A target was still not reached at the end.
    Unreached(Option<Missed>),
    /// Rods passed through each other, or one through itself; the first passage.
    Passed {
        /// The rods.
        rods: [String; 2],
        /// Their places, rest arc length, m.
        places: [f64; 2],
    },
    /// Constraints contradict each other.
    Conflict(Rows),
    /// An edit could not be applied.
    Edit {
        /// The edit.
        edit: EditSummary,
        /// Why.
        error: BuildError,
    },
}

/// The failures of a run, each kind once; empty if there are none.
pub(super) fn failures(events: &[Event], tally: &Tally) -> Vec<RunFailure> {
    let mut failures = Vec::new();
    let (mut held, mut not_converged, mut conflict, mut edit) = (None, false, None, None);
    let (mut unreached, mut passed) = (None, None);
    for event in events {
        match &event.what {
            EventKind::Held { cause, missed } if held.is_none() => {
                held = Some((cause.clone(), missed.clone()));
            }
            EventKind::NotConverged { .. } => not_converged = true,
            EventKind::Approaching { missed } => unreached = Some(RunFailure::Unreached(missed.clone())),
            EventKind::Over { condition: Condition::Approaching, .. } => unreached = None,
            EventKind::Conflict(rows) if conflict.is_none() => {
                conflict = Some(RunFailure::Conflict(rows.clone()));
            }
            EventKind::Passed { rods, places, .. } if passed.is_none() => {
                passed = Some(RunFailure::Passed { rods: rods.clone(), places: *places });
            }
            EventKind::Failed { edit: failed, error } if edit.is_none() => {
                edit = Some(RunFailure::Edit { edit: failed.clone(), error: error.clone() });
            }
            _ => {}
        }
    }
    if tally.held > 0 || held.is_some() {
        failures.push(RunFailure::Held { held: tally.held, steps: tally.steps, why: held });
    }
    if tally.unsettled > 0 || not_converged {
        // Before the first step nothing is counted.
        failures.push(RunFailure::NotConverged { count: tally.unsettled.max(1) });
    }
    if tally.on_the_way {
        failures.push(RunFailure::OnTheWay);
    }
    failures.extend(unreached);
    failures.extend(passed);
    failures.extend(conflict);
    failures.extend(edit);
    failures
}

/// The failures as the last line of the program, with their remedies.
pub(super) fn line(failures: &[RunFailure]) -> String {
    let all: Vec<String> = failures.iter().map(ToString::to_string).collect();
    let help: Vec<&str> = failures.iter().map(RunFailure::remedy).collect();
    format!("error: {}\n  help: {}; the events in the summary say when", all.join("; "), help.join("; "))
}

impl RunFailure {
    /// The remedy.
    fn remedy(&self) -> &'static str {
        match self {
            Self::Held { why: Some((cause, _)), .. } if cause.is_without_equilibrium() => {
                "hold what moves away, or write `mode = \"dynamic\"`"
            }
            Self::Held { why: Some((Cause::SpooledTooFar { .. }, _)), .. } => {
                "move the winch slower, or try a smaller step"
            }
            Self::Held { .. } => {
                "let the structure begin where its constraints hold it, or `settle` first; then try a \
                 smaller step"
            }
            Self::NotConverged { .. } => "hold what can move away, or bring load and targets in by ramps",
            Self::OnTheWay => {
                "prolong the run, or let `settle = true` find the equilibrium before it; a structure without \
                 one needs `mode = \"dynamic\"`"
            }
            Self::Unreached(_) => "give targets that can be reached, move them slower, or prolong the run",
            Self::Passed { .. } => {
                "let the rods touch (`contact.pairs`), start without overlaps, move them slower, or try a \
                 smaller step"
            }
            Self::Conflict(_) => "remove one of the constraints, or give them targets that can all be met",
            Self::Edit { .. } => "correct the action; its error is given above",
        }
    }
}

impl Display for RunFailure {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Held { held: 0, why: Some((cause, missed)), .. } => {
                EventKind::Held { cause: cause.clone(), missed: missed.clone() }.fmt(f)
            }
            Self::Held { held, steps, why } => {
                write!(f, "{held} of {} failed and the state was held", counted(*steps, "step"))?;
                let Some((cause, missed)) = why else { return Ok(()) };
                write!(f, ": {cause}")?;
                missed.as_ref().map_or(Ok(()), |missed| write!(f, "; {missed}"))
            }
            Self::NotConverged { count: 1 } => f.write_str("an equilibrium was not found"),
            Self::NotConverged { count } => write!(f, "{count} equilibria were not found"),
            Self::OnTheWay => {
                f.write_str("the run ended while quasi-static objects were on their way to an equilibrium")
            }
            Self::Unreached(missed) => {
                f.write_str("the run ended before all targets were reached")?;
                missed.as_ref().map_or(Ok(()), |missed| write!(f, ": {missed}"))
            }
            Self::Passed { rods, places } => {
                EventKind::Passed { rods: rods.clone(), places: *places, passages: 1 }.fmt(f)
            }
            Self::Conflict(rows) => EventKind::Conflict(rows.clone()).fmt(f),
            Self::Edit { edit, error } => {
                EventKind::Failed { edit: edit.clone(), error: error.clone() }.fmt(f)
            }
        }
    }
}

impl Serialize for RunFailure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::{RunFailure, failures, line};
    use crate::run::tally::Tally;
    use micado::error::BuildError;
    use micado::run::{Cause, Condition, EditSummary, Event, EventKind, Rows};

    fn tally(held: u64, unsettled: u64, steps: u64) -> Tally {
        Tally { held, unsettled, steps, ..Tally::default() }
    }

    fn held(cause: Cause) -> EventKind {
        EventKind::Held { cause, missed: None }
    }

    fn found(what: &[EventKind], tally: &Tally) -> Vec<RunFailure> {
        let events: Vec<Event> = what.iter().map(|what| Event::new(0.0, what.clone())).collect();
        failures(&events, tally)
    }

    #[test]
    fn events_that_are_only_reported_are_no_failures() {
        let fine = [
            EventKind::Action { edit: EditSummary::Stop },
            EventKind::Refused { substeps: 2, cause: Cause::TurnedTooFar },
            EventKind::Redundant(Rows::default()),
            EventKind::Unstable { modes: 1 },
            EventKind::Ceiling,
        ];
        assert_eq!(found(&fine, &tally(0, 0, 10)), []);
    }

    #[test]
    fn every_kind_of_failure_is_named_once() {
        let rows = |name: &str| Rows { count: 1, constraints: vec![name.to_owned()], rods: Vec::new() };
        let (edit, error) = (EditSummary::Gravity, BuildError::new("gravity", "is wrong", "give another"));
        let events = [
            held(Cause::TurnedTooFar),
            EventKind::NotConverged { iterations: 100, last_increment: 0.1 },
            EventKind::Over { condition: Condition::Held, steps: 3 },
            held(Cause::SlidTooFar),
            EventKind::Passed { rods: ["a".into(), "b".into()], places: [0.1, 0.2], passages: 2 },
            EventKind::Passed { rods: ["b".into(), "b".into()], places: [0.1, 0.2], passages: 1 },
            EventKind::Conflict(rows("a")),
            EventKind::Conflict(rows("b")),
            EventKind::Failed { edit: edit.clone(), error: error.clone() },
        ];
        let why = Some((Cause::TurnedTooFar, None));
        assert_eq!(
            found(&events, &tally(3, 2, 10)),
            [
                RunFailure::Held { held: 3, steps: 10, why },
                RunFailure::NotConverged { count: 2 },
                RunFailure::Passed { rods: ["a".into(), "b".into()], places: [0.1, 0.2] },
                RunFailure::Conflict(rows("a")),
                RunFailure::Edit { edit, error },
            ]
        );
    }

    #[test]
    fn failures_are_sentences_and_json_strings() {
        let sentence = |what: &[EventKind], tally: &Tally| {
            let failures = found(what, tally);
            let json = serde_json::to_value(&failures).expect("JSON");
            assert_eq!(json[0], failures[0].to_string());
            failures[0].to_string()
        };
        let turned = "a rod or a body would turn too far in one step";
        let held = [held(Cause::TurnedTooFar)];
        let before_the_run = format!("the step failed and the state is held: {turned}");
        assert_eq!(sentence(&held, &tally(0, 0, 10)), before_the_run);
        let one = format!("1 of 1 step failed and the state was held: {turned}");
        assert_eq!(sentence(&held, &tally(1, 0, 1)), one);
        // The event may have been only counted.
        assert_eq!(sentence(&[], &tally(2, 0, 4)), "2 of 4 steps failed and the state was held");
        assert_eq!(sentence(&[], &tally(0, 1, 4)), "an equilibrium was not found");
        assert_eq!(sentence(&[], &tally(0, 3, 4)), "3 equilibria were not found");
    }

    #[test]
    fn the_remedy_is_that_of_the_failure() {
        let remedy = |what: EventKind| line(&found(&[what], &tally(0, 0, 4)));
        assert!(remedy(held(Cause::TurnedTooFar)).contains("then try a smaller step"));
        let floats = remedy(held(Cause::Floats { object: "cord".to_owned() }));
        assert!(floats.contains("hold what moves away") && !floats.contains("smaller step"), "{floats}");
        let winch =
            Cause::SpooledTooFar { winch: "w".to_owned(), rod: "r".to_owned(), length: 1.0, most: 0.5 };
        assert!(remedy(held(winch)).contains("move the winch slower"));
        let error = BuildError::new("gravity", "is wrong", "give another");
        let failed = remedy(EventKind::Failed { edit: EditSummary::Gravity, error });
        assert!(failed.contains("correct the action") && !failed.contains("step"), "{failed}");
    }

    #[test]
    fn slowed_objects_are_a_failure_only_at_the_end() {
        let ceiling = [EventKind::Ceiling];
        assert_eq!(found(&ceiling, &tally(0, 0, 10)), []);
        let at_the_end = found(&ceiling, &Tally { on_the_way: true, ..tally(0, 0, 10) });
        assert_eq!(at_the_end, [RunFailure::OnTheWay]);
        assert!(line(&at_the_end).contains("settle"));
    }
}
