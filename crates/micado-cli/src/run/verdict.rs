//! Whether the numbers of a run can be used: what went wrong in it, in words.

use crate::words::counted;
use micado::simulation::Event;

/// What makes a run fail, each in a few words; empty when all went well.
pub(super) fn failures(events: &[Event], held: u64, steps: u64) -> Vec<String> {
    let of_kind = |kind: &'static str| events.iter().filter(move |event| event.kind == kind);
    let mut failures = Vec::new();
    match (held, of_kind("held").next()) {
        (0, None) => {}
        // Held before the first step: the structure could not come to rest.
        (0, Some(event)) => failures.push(event.text.clone()),
        (held, _) => failures.push(format!("{held} of {} could not be made and the state was held", counted(steps, "step"))),
    }
    match of_kind("not-converged").count() {
        0 => {}
        1 => failures.push("an equilibrium was not found".to_owned()),
        count => failures.push(format!("{count} equilibria were not found")),
    }
    failures.extend(of_kind("conflict").next().map(|event| event.text.clone()));
    failures.extend(of_kind("failed").next().map(|event| event.text.clone()));
    failures
}

/// The failures as the last line of the program.
pub(super) fn line(failures: &[String]) -> String {
    format!("error: {}\n  help: the events in the summary say when; try a smaller step, or other constraints", failures.join("; "))
}

#[cfg(test)]
mod tests {
    use super::failures;
    use micado::simulation::Event;

    fn event(kind: &str) -> Event {
        Event { time: 0.0, kind: kind.to_owned(), text: format!("{kind} happened") }
    }

    #[test]
    fn what_is_only_worth_telling_is_no_failure() {
        let events: Vec<Event> = ["action", "refused", "redundant", "unstable"].into_iter().map(event).collect();
        assert!(failures(&events, 0, 10).is_empty());
    }

    #[test]
    fn every_kind_of_failure_is_named_once() {
        let events: Vec<Event> =
            ["held", "not-converged", "not-converged", "conflict", "conflict", "failed"].into_iter().map(event).collect();
        assert_eq!(
            failures(&events, 3, 10),
            [
                "3 of 10 steps could not be made and the state was held",
                "2 equilibria were not found",
                "conflict happened",
                "failed happened"
            ]
        );
        assert_eq!(failures(&events[..1], 0, 10), ["held happened"]);
        assert_eq!(failures(&events[..1], 1, 1), ["1 of 1 step could not be made and the state was held"]);
    }
}
