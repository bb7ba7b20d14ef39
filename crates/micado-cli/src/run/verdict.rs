//! Whether the numbers of a run can be used: what went wrong in it, in words.

use super::tally::Tally;
use crate::words::counted;
use micado::run::Event;

/// What is quasi-static goes to its equilibrium in steps of sensible length, and has not come there.
const ON_THE_WAY: &str = "the run ended while quasi-static objects were on their way to an equilibrium";

/// What makes a run fail, each in a few words; empty when all went well.
pub(super) fn failures(events: &[Event], tally: &Tally) -> Vec<String> {
    let of_kind = |kind: &'static str| events.iter().filter(move |event| event.kind == kind);
    let mut failures = Vec::new();
    match (tally.held, of_kind("held").next()) {
        (0, None) => {}
        // Held before the first step: the structure could not come to rest.
        (0, Some(event)) => failures.push(event.text.clone()),
        (held, event) => {
            let why = event
                .and_then(|event| event.text.split_once("is held: "))
                .map_or(String::new(), |(_, why)| format!(": {why}"));
            failures.push(format!(
                "{held} of {} could not be made and the state was held{why}",
                counted(tally.steps, "step")
            ));
        }
    }
    match (tally.unsettled, of_kind("not-converged").next()) {
        (0, None) => {}
        // Before the first step.
        (0 | 1, _) => failures.push("an equilibrium was not found".to_owned()),
        (count, _) => failures.push(format!("{count} equilibria were not found")),
    }
    if tally.on_the_way {
        failures.push(ON_THE_WAY.to_owned());
    }
    failures.extend(of_kind("conflict").next().map(|event| event.text.clone()));
    failures.extend(of_kind("failed").next().map(|event| event.text.clone()));
    failures
}

/// The failures as the last line of the program, with what to do about those that there are.
pub(super) fn line(failures: &[String], events: &[Event]) -> String {
    let mut help: Vec<&str> = Vec::new();
    // To be slowed down is a failure at the end only.
    let failed =
        |event: &&Event| event.kind != "ceiling" || failures.iter().any(|failure| failure == ON_THE_WAY);
    for remedy in events.iter().filter(failed).filter_map(remedy) {
        if !help.contains(&remedy) {
            help.push(remedy);
        }
    }
    format!("error: {}\n  help: {}; the events in the summary say when", failures.join("; "), help.join("; "))
}

/// What to do about an event that is a failure.
fn remedy(event: &Event) -> Option<&'static str> {
    Some(match event.kind.as_str() {
        "held" if event.text.contains("no equilibrium") => {
            "hold what moves away, or write `mode = \"dynamic\"`"
        }
        "held" if event.text.contains("the winch `") => "move the winch slower, or try a smaller step",
        "held" => {
            "let the structure begin where its constraints hold it, or `settle` first; then try a smaller step"
        }
        "not-converged" => "hold what can move away, or bring load and targets in by ramps",
        "ceiling" => {
            "let the run go on, or let `settle = true` find the equilibrium before it; what has none needs `mode = \"dynamic\"`"
        }
        "conflict" => "remove one of the constraints, or give them targets that can all be met",
        "failed" => "mend the action; what is wrong with it stands behind it",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::{failures, line};
    use crate::run::tally::Tally;
    use micado::run::Event;

    fn event(kind: &str) -> Event {
        Event { time: 0.0, kind: kind.to_owned(), text: format!("{kind} happened") }
    }

    fn tally(held: u64, unsettled: u64, steps: u64) -> Tally {
        Tally { held, unsettled, steps, ..Tally::default() }
    }

    #[test]
    fn what_is_only_worth_telling_is_no_failure() {
        let events: Vec<Event> =
            ["action", "refused", "redundant", "unstable"].into_iter().map(event).collect();
        assert!(failures(&events, &tally(0, 0, 10)).is_empty());
    }

    #[test]
    fn every_kind_of_failure_is_named_once() {
        let events: Vec<Event> = ["held", "not-converged", "over", "conflict", "conflict", "failed"]
            .into_iter()
            .map(event)
            .collect();
        assert_eq!(
            failures(&events, &tally(3, 2, 10)),
            [
                "3 of 10 steps could not be made and the state was held",
                "2 equilibria were not found",
                "conflict happened",
                "failed happened"
            ]
        );
        assert_eq!(failures(&events[..1], &tally(0, 0, 10)), ["held happened"]);
        assert_eq!(
            failures(&events[..1], &tally(1, 0, 1)),
            ["1 of 1 step could not be made and the state was held"]
        );
    }

    #[test]
    fn the_remedy_is_that_of_the_failure() {
        let held = Event {
            time: 0.0,
            kind: "held".to_owned(),
            text: "the state is held: `joint` is to blame".to_owned(),
        };
        let why = failures(std::slice::from_ref(&held), &tally(1, 0, 4));
        assert_eq!(why, ["1 of 4 steps could not be made and the state was held: `joint` is to blame"]);
        assert!(line(&why, &[held]).contains("smaller step"));
        let floats = Event { text: "the state is held: there is no equilibrium".to_owned(), ..event("held") };
        assert!(!line(&[], &[floats]).contains("smaller step"));
        let failed = event("failed");
        let said = line(&failures(std::slice::from_ref(&failed), &tally(0, 0, 4)), &[failed]);
        assert!(said.contains("mend the action") && !said.contains("step"), "{said}");
    }

    #[test]
    fn to_be_slowed_down_is_a_failure_at_the_end_only() {
        let events = [event("ceiling"), event("failed")];
        let before = failures(&events[..1], &tally(0, 0, 10));
        assert!(before.is_empty());
        assert!(!line(&failures(&events, &tally(0, 0, 10)), &events).contains("settle"));
        let at_the_end = failures(&events[..1], &Tally { on_the_way: true, ..tally(0, 0, 10) });
        assert_eq!(at_the_end.len(), 1);
        assert!(line(&at_the_end, &events[..1]).contains("settle"));
    }
}
