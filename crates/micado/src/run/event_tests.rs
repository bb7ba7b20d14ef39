//! Every kind of event: its word, its sentence, and its round trip through a file.

use super::{
    Cause, Condition, EditSummary, Event, EventKind, Miss, Missed, Part, Rows, Slip, StopReason,
    StoppedWinch, TightTurn,
};
use crate::describe::anchor::At;
use crate::error::{BuildError, BuildErrorKind};
use crate::run::Remark;
use crate::scene::{Kind, Mode};

/// An event survives JSON, as used in snapshots, and a format without names.
fn assert_round_trip(event: &Event) {
    let json = serde_json::to_string(event).expect("JSON");
    assert_eq!(serde_json::from_str::<Event>(&json).expect(&json), *event, "{json}");
    let bytes = postcard::to_stdvec(event).expect("bytes");
    assert_eq!(postcard::from_bytes::<Event>(&bytes).expect("an event"), *event);
}

fn action(edit: EditSummary) -> EventKind {
    EventKind::Action { edit }
}

fn held(cause: Cause) -> EventKind {
    EventKind::Held { cause, missed: None }
}

fn node() -> Part {
    Part::Node { object: "cable".into(), node: 3 }
}

fn error() -> BuildError {
    BuildError { kind: BuildErrorKind::State, ..BuildError::new("cut.at", "too close", "cut elsewhere") }
}

fn opened(moment: f64, overload: f64, mode: Mode) -> EventKind {
    EventKind::Opened {
        clip: "clip".into(),
        rod: "cable".into(),
        place: 0.25,
        force: 6.0,
        moment,
        overload,
        mode,
    }
}

fn switch(others: usize, quasi_static: bool) -> EventKind {
    EventKind::Switch { object: "cable".into(), others, quasi_static, cost: 0.003, step: 0.005 }
}

fn rows(count: usize, rods: &[&str]) -> Rows {
    let rods = rods.iter().map(|&name| name.into()).collect();
    Rows { count, constraints: vec!["a".into(), "b".into()], rods }
}

fn missed(by: Miss) -> Missed {
    Missed { constraint: "joint".into(), kind: "fusion".into(), by }
}

/// Word and sentence of every kind.
fn tight_turn(sharp: bool) -> TightTurn {
    TightTurn {
        constraint: "eye".into(),
        rod: "cord".into(),
        turn: 1.5,
        held: 0.18,
        segments: 240,
        needed: Some(700),
        sharp,
    }
}

#[test]
fn every_event_has_a_word_and_a_sentence_and_survives_files() {
    let (failed, slipped) = (EditSummary::Gravity, "bead".to_owned());
    let stopped = |reason| StoppedWinch { winch: "w".into(), length: 1.25, reason };
    let table = [
        (action(EditSummary::Add { kind: Kind::Rod, name: "r".into() }), "action", "rod `r` added"),
        (
            EventKind::Failed { edit: failed, error: error() },
            "failed",
            "not applied: gravity changed: cut.at: too close; cut elsewhere",
        ),
        (
            EventKind::Slipped { constraint: slipped.clone(), slip: Slip::Rod },
            "slipped",
            "`bead` let go at the end of its curve",
        ),
        (
            EventKind::Slipped { constraint: slipped.clone(), slip: Slip::Pearl },
            "slipped",
            "the pearl `bead` slipped off its rod and moves on as a free mass",
        ),
        (
            EventKind::Slipped { constraint: slipped, slip: Slip::LostPearl { error: error() } },
            "slipped",
            "the pearl `bead` slipped off its rod and was removed: cut.at: too close; cut elsewhere",
        ),
        (
            opened(0.0, 1.25, Mode::Dynamic),
            "opened",
            "the clip `clip` released `cable` at 0.2500 m: it gave way at 6.0000 N; to hold on, it needed \
             1.25 times its strength",
        ),
        (
            opened(0.5, f64::INFINITY, Mode::QuasiDynamic),
            "opened",
            "the clip `clip` released `cable` at 0.2500 m: it gave way at 6.0000 N and 0.5000 N·m; it has \
             no strength",
        ),
        (
            opened(0.0, 1.25, Mode::Static),
            "opened",
            "the clip `clip` released `cable` at 0.2500 m: it can't hold 6.0000 N, 1.25 times its strength",
        ),
        (
            EventKind::Broken {
                joint: "pin".into(),
                object: "bar".into(),
                force: 6.0,
                moment: 0.5,
                overload: 1.25,
                mode: Mode::Dynamic,
            },
            "broken",
            "`pin` on `bar` broke: it gave way at 6.0000 N and 0.5000 N·m; to hold on, it needed \
             1.25 times its strength",
        ),
        (
            EventKind::Clipped { clip: "clip".into(), rod: "cable".into(), place: 0.25 },
            "clipped",
            "the clip `clip` caught `cable` at 0.2500 m",
        ),
        (
            EventKind::Resolution { rod: "cable".into(), before: 10, after: 12 },
            "resolution",
            "the rod `cable` has 12 control points now, 10 before",
        ),
        (
            EventKind::Resolution { rod: "cable".into(), before: 12, after: 12 },
            "resolution",
            "some of the 12 control points of the rod `cable` are in other places now",
        ),
        (
            EventKind::Corner(tight_turn(false)),
            "corner",
            "the rod `cord` turns by 86° within one segment in `eye`, which holds it by up to 18 % of its \
             tension; give it at least 700 segments instead of 240, or resolution = \"auto\"",
        ),
        (
            EventKind::Corner(tight_turn(true)),
            "corner",
            "the rod `cord` has a corner of 86° within one segment in `eye` and may be caught there; let it \
             begin with a bend, or with resolution = \"auto\"; 700 segments resolve the bend",
        ),
        (
            switch(0, true),
            "switch",
            "`cable` is quasi-static now: a pass costs 3.000e-3 s, the motion needs steps of 5.000e-3 s",
        ),
        (
            switch(1, false),
            "switch",
            "`cable` and 1 more object are dynamic now: a pass costs 3.000e-3 s, the motion needs steps of \
             5.000e-3 s",
        ),
        (
            switch(4, false),
            "switch",
            "`cable` and 4 more objects are dynamic now: a pass costs 3.000e-3 s, the motion needs steps of \
             5.000e-3 s",
        ),
        (
            EventKind::LeftBranch { departures: 1, away: None },
            "left-branch",
            "an unstable equilibrium was left; the earlier loads lead back",
        ),
        (
            EventKind::LeftBranch { departures: 0, away: Some(0.25) },
            "left-branch",
            "the branch of equilibria ends here; the earlier loads lead to another equilibrium, 0.25 m \
             away",
        ),
        (
            EventKind::Refused { substeps: 4, cause: Cause::SlidTooFar },
            "refused",
            "the step needed 4 substeps: a rod would slide through an eye by more than two segments in one \
             step",
        ),
        (
            EventKind::Held { cause: Cause::NoStep, missed: Some(missed(Miss::Apart(4.0))) },
            "held",
            "the step failed and the state is held: the time step is not a positive number; the places \
             that the fusion `joint` joins are 4 m apart",
        ),
        (EventKind::Redundant(rows(1, &[])), "redundant", "1 constraint row is redundant, in `a`, `b`"),
        (
            EventKind::Redundant(rows(3, &["cable"])),
            "redundant",
            "3 constraint rows are redundant, in `a`, `b`, the lengths of `cable`",
        ),
        (
            EventKind::Conflict(rows(1, &[])),
            "conflict",
            "1 constraint row contradicts others, in `a`, `b`; the closest state is used",
        ),
        (
            EventKind::Conflict(rows(2, &[])),
            "conflict",
            "2 constraint rows contradict others, in `a`, `b`; the closest state is used",
        ),
        (
            EventKind::NotConverged { iterations: 200, last_increment: 0.0125 },
            "not-converged",
            "no equilibrium after 200 iterations, last increment 1.25e-2 m",
        ),
        (EventKind::Unstable { modes: 1 }, "unstable", "the equilibrium is unstable in one mode"),
        (EventKind::Unstable { modes: 2 }, "unstable", "the equilibrium is unstable in 2 modes"),
        (
            EventKind::Overstretched { change: 0.314 },
            "overstretched",
            "the stretch of a rod changed by 31 % in one substep",
        ),
        (
            EventKind::Approaching { missed: None },
            "approaching",
            "a target can't be reached in this step and is approached",
        ),
        (
            EventKind::Unsettled,
            "unsettled",
            "the passes of a step do not settle: its forces are not final and break nothing",
        ),
        (
            EventKind::UnsolvedContacts { residual: 2.5e-4 },
            "unsolved-contacts",
            "the forces of contacts are not final: their laws are missed by 0.25 mm, because they do not \
             converge, or because surfaces went into each other in the step; a smaller step or more room for \
             overlapping objects may help",
        ),
        (
            EventKind::Stopped {
                winches: vec![
                    stopped(StopReason::Thickness),
                    stopped(StopReason::Attached { name: "knot".into() }),
                    stopped(StopReason::OpenClip { clip: "clip".into() }),
                ],
            },
            "stopped",
            "the winch `w` stopped with 1.2500 m out: the segments of its rod would be shorter than the rod \
             is thick; the winch `w` stopped with 1.2500 m out: `knot` would come within a segment of it; \
             the winch `w` stopped with 1.2500 m out: the open clip `clip` would be wider than its rod is \
             long",
        ),
        (
            EventKind::Ceiling,
            "ceiling",
            "a quasi-static structure would move too far in one pass and is slowed down",
        ),
        (EventKind::Late { overrun: 0.001, lost_periods: 0 }, "late", "a step ended 1.000e-3 s late"),
        (
            EventKind::Late { overrun: 0.01, lost_periods: 5 },
            "late",
            "a step ended 1.000e-2 s late: simulated time falls behind by 5 periods",
        ),
        (
            EventKind::Over { condition: Condition::Held, steps: 1 },
            "over",
            "steps succeed again, after 1 step",
        ),
        (
            EventKind::Passed { rods: ["cord".into(), "rope".into()], places: [0.25, 1.5], passages: 1 },
            "passed",
            "`cord`, at 0.2500 m, passed through `rope`, at 1.5000 m",
        ),
        (
            EventKind::Passed { rods: ["cord".into(), "cord".into()], places: [0.25, 1.5], passages: 3 },
            "passed",
            "`cord` passed through itself, with its places at 0.2500 m and 1.5000 m; 3 passages in this step",
        ),
    ];
    for (what, word, sentence) in &table {
        let event = Event { changed: true, ..Event::new(0.1 + 0.2, what.clone()) };
        assert_eq!((event.kind(), event.to_string().as_str()), (*word, *sentence));
        assert_round_trip(&event);
        // A new kind needs a line in the table.
        match what {
            EventKind::Action { .. }
            | EventKind::Failed { .. }
            | EventKind::Slipped { .. }
            | EventKind::Opened { .. }
            | EventKind::Broken { .. }
            | EventKind::Clipped { .. }
            | EventKind::Resolution { .. }
            | EventKind::Corner(_)
            | EventKind::Switch { .. }
            | EventKind::LeftBranch { .. }
            | EventKind::Refused { .. }
            | EventKind::Held { .. }
            | EventKind::Redundant(_)
            | EventKind::Conflict(_)
            | EventKind::NotConverged { .. }
            | EventKind::Unstable { .. }
            | EventKind::Overstretched { .. }
            | EventKind::Approaching { .. }
            | EventKind::Unsettled
            | EventKind::UnsolvedContacts { .. }
            | EventKind::Stopped { .. }
            | EventKind::Ceiling
            | EventKind::Late { .. }
            | EventKind::Over { .. }
            | EventKind::Passed { .. } => {}
        }
    }
    let mut words: Vec<&str> = table.iter().map(|(_, word, _)| *word).collect();
    words.dedup();
    assert_eq!(words, EventKind::KINDS);
    let last = Event { last: true, ..Event::new(1.0, EventKind::Unstable { modes: 1 }) };
    assert_eq!(
        last.to_string(),
        "the equilibrium is unstable in one mode; later events of this kind are only counted"
    );
    assert_round_trip(&last);
}

#[test]
fn every_end_of_a_condition_has_a_sentence() {
    let sentences = [
        "steps succeed without substeps again",
        "steps succeed again",
        "no constraint rows are redundant any more",
        "no constraint rows contradict others any more",
        "static solves converge again",
        "the equilibrium is stable again",
        "stretches change slowly again",
        "all targets are reached",
        "the passes of steps settle again",
        "the forces of contacts converge again",
        "no winch is stopped any more",
        "quasi-static structures are no longer slowed down",
        "steps are on time again",
    ];
    for (condition, sentence) in Condition::ALL.into_iter().zip(sentences) {
        let event = Event::new(1.0, EventKind::Over { condition, steps: 12 });
        assert_eq!(event.to_string(), format!("{sentence}, after 12 steps"));
        assert_round_trip(&event);
    }
}

#[test]
fn every_cause_has_a_sentence_and_names_its_culprit() {
    let constraint = || Part::Constraint { constraint: "pin".into(), on: Some("cable".into()) };
    let winch = Cause::SpooledTooFar { winch: "w".into(), rod: "rope".into(), length: 4.1, most: 4.0 };
    let table = [
        (
            Cause::Singular { at: node() },
            "the system is singular at node 3 of `cable`",
            (Some("cable"), None),
        ),
        (
            Cause::Singular { at: Part::Lengths { rod: "cable".into() } },
            "the system is singular in the lengths of `cable`",
            (Some("cable"), None),
        ),
        (
            Cause::NotFinite { at: constraint() },
            "the result is not finite in the constraint `pin`",
            (Some("cable"), Some("pin")),
        ),
        (
            Cause::NotFinite { at: Part::Unknown },
            "the result is not finite at an unknown place",
            (None, None),
        ),
        (
            Cause::RunsAway { at: node() },
            "nothing stops the motion at node 3 of `cable`: there is no equilibrium",
            (Some("cable"), None),
        ),
        (
            Cause::Floats { object: "ball".into() },
            "nothing holds `ball` against the forces on it: there is no equilibrium; constrain it, or let \
             it move",
            (Some("ball"), None),
        ),
        (Cause::Unsettled, "the passes of a step did not settle", (None, None)),
        (Cause::TurnedTooFar, "a rod or a body would turn too far in one step", (None, None)),
        (
            Cause::SlidOff { constraint: "eye".into(), on: Some("cable".into()) },
            "`eye` reached the end of its rod",
            (Some("cable"), Some("eye")),
        ),
        (
            Cause::SlidTooFar,
            "a rod would slide through an eye by more than two segments in one step",
            (None, None),
        ),
        (
            Cause::Overstretched,
            "the stretch of a rod would change by more than 20 % in one step",
            (None, None),
        ),
        (
            Cause::MissedLengths { rod: "cable".into() },
            "the edges of `cable` can't keep their lengths: its supports may be farther apart than it is \
             long",
            (Some("cable"), None),
        ),
        (
            winch,
            "the winch `w` would move 4.1000 m of its rod in one step; 4.0000 m is the most",
            (Some("rope"), None),
        ),
        (
            Cause::Restless { rod: "cable".into() },
            "no angles were found at which `cable` is at rest; use a shorter step or another integrator",
            (Some("cable"), None),
        ),
        (Cause::PassedInto, "surfaces would overlap by more than a tenth of their thickness", (None, None)),
        (
            Cause::TooManyContacts,
            "more surfaces touch at once than a step can solve; move apart what overlaps",
            (None, None),
        ),
        (
            Cause::PassedThrough { objects: ["cord".into(), "cord".into()] },
            "`cord` would pass through itself",
            (Some("cord"), None),
        ),
        (
            Cause::PassedThrough { objects: ["cord".into(), "rope".into()] },
            "`cord` would pass through `rope`",
            (Some("cord"), None),
        ),
        (Cause::NoContact, "surfaces don't touch in equilibria and vibrations yet", (None, None)),
        (Cause::NoStep, "the time step is not a positive number", (None, None)),
        (
            Cause::NotExplicit,
            "explicit steps need a world that was built with `integrator = \"explicit\"`",
            (None, None),
        ),
        (
            Cause::TooManyParts { parts: f64::INFINITY },
            "an explicit step would need inf parts to be stable; use a shorter step or fewer segments",
            (None, None),
        ),
    ];
    for (cause, sentence, names) in &table {
        let culprit = cause.culprit();
        assert_eq!(cause.to_string(), *sentence);
        assert_eq!((culprit.object.as_deref(), culprit.constraint.as_deref()), *names, "{cause:?}");
        assert_round_trip(&Event::new(1.0, held(cause.clone())));
    }
    let without: Vec<bool> = table.iter().map(|(cause, ..)| cause.is_without_equilibrium()).collect();
    assert_eq!(without.iter().filter(|without| **without).count(), 2);
}

#[test]
fn every_edit_has_a_sentence() {
    let name = || "x".to_owned();
    let refined = |control_points| EditSummary::Refine { rod: name(), knots: 2, control_points };
    let table = [
        (EditSummary::Add { kind: Kind::Mass, name: name() }, "mass `x` added"),
        (EditSummary::Change { kind: Kind::Constraint, name: name() }, "constraint `x` changed"),
        (EditSummary::Remove { kind: Kind::Constraint, name: name() }, "constraint `x` released"),
        (EditSummary::Remove { kind: Kind::Load, name: name() }, "load `x` removed"),
        (EditSummary::Remove { kind: Kind::Spring, name: name() }, "spring `x` removed"),
        (EditSummary::Remove { kind: Kind::Winch, name: name() }, "winch `x` removed"),
        (EditSummary::OpenClip { clip: name(), was_open: false }, "clip `x` opened"),
        (EditSummary::OpenClip { clip: name(), was_open: true }, "clip `x` opened; it was open before"),
        (EditSummary::CloseClip { clip: name(), at: At::Length(0.5) }, "clip `x` closed at 0.5 m"),
        (
            EditSummary::Cut { rod: name(), at: At::Share(0.4), second: Some("tail".into()) },
            "rod `x` cut at 40 %, `tail` beyond",
        ),
        (
            EditSummary::Cut { rod: name(), at: At::FromEnd(0.3), second: None },
            "rod `x` cut open at end - 0.3 m",
        ),
        (
            EditSummary::Splice { first: name(), second: "y".into() },
            "end of rod `x` spliced to the start of `y`",
        ),
        (refined(None), "rod `x` refined in 2 places"),
        (refined(Some([10, 12])), "rod `x` refined in 2 places, from 10 to 12 control points"),
        (
            EditSummary::Coarsen { rod: name(), knots: 1, control_points: Some([12, 11]) },
            "rod `x` coarsened in 1 place, from 12 to 11 control points",
        ),
        (EditSummary::Gravity, "gravity changed"),
        (EditSummary::Stop, "all velocities set to zero"),
    ];
    for (edit, sentence) in table {
        assert_eq!(edit.to_string(), sentence);
        assert_round_trip(&Event::new(1.0, action(edit)));
    }
}

#[test]
fn remarks_and_misses_are_sentences() {
    let remark = |by| Remark::MissedAtStart(missed(by)).to_string();
    let at_start = " at the start, and the first step has to bring it there; write `settle = true` in \
                    [settings], or let it begin where it is held";
    for (by, sentence) in [
        (Miss::Angle(0.5), "the fusion `joint` is violated by 28.6°"),
        (Miss::Distance(0.5), "the fusion `joint` is violated by 0.5 m"),
        (Miss::Apart(0.5), "the places that the fusion `joint` joins are 0.5 m apart"),
    ] {
        assert_eq!(remark(by), format!("{sentence}{at_start}"));
        assert_round_trip(&Event::new(
            1.0,
            EventKind::Held { cause: Cause::NoStep, missed: Some(missed(by)) },
        ));
    }
    assert_eq!(
        Remark::DividedSteps { step: 0.01, parts: 4.0 }.to_string(),
        "explicit steps of 0.01 s are divided into 4 equal parts for stability"
    );
    let overlap = |a: &str, b: &str, others| {
        let objects = [a, b].map(str::to_owned);
        Remark::OverlapAtStart { objects, depth: 0.005, others }.to_string()
    };
    assert_eq!(
        overlap("low", "high", 0),
        "`low` and `high` overlap by 5 mm at the start; the first steps separate them"
    );
    assert_eq!(
        overlap("rope", "rope", 1),
        "`rope` overlaps itself by 5 mm at the start, and 1 more pair by less; the first steps separate them"
    );
    assert!(overlap("low", "high", 3).contains(", and 3 more pairs by less; "));
}

#[test]
fn constraints_that_nothing_can_move_get_a_remark() {
    let remarks = |constraint: serde_json::Value| {
        let scene = serde_json::json!({
            "body": {
                "bar": {"mass": 1, "inertia": {"moments": [1, 1, 1]}},
                "a": {"shape": {"box": {"size": [1, 1, 1]}}, "fixed": true},
                "b": {"shape": {"box": {"size": [1, 1, 1]}}, "fixed": true, "position": [1, 0, 0]},
            },
            "constraint": {"c": constraint},
        });
        let scene = serde_json::from_value(scene).expect("a scene");
        let run = crate::run::Simulation::build(&scene).expect("a run");
        run.remarks().iter().map(Remark::to_string).collect::<Vec<_>>()
    };
    let no_effect = |why: &str| vec![format!("the constraint `c` has no effect: {why}")];
    let within = serde_json::json!({"distance": {"on": "bar", "at": [0.5, 0, 0],
        "to": {"on": "bar", "at": [-0.5, 0, 0]}}});
    assert_eq!(remarks(within), no_effect("both its places are on `bar`, which is rigid"));
    let weld = |on: &str| {
        serde_json::json!({"joint": {"kind": "weld", "on": on, "at": [0.5, 0, 0],
            "to": {"on": "b", "at": [-0.5, 0, 0]}}})
    };
    assert_eq!(remarks(weld("a")), no_effect("`a` and `b` are fixed"));
    let held = serde_json::json!({"position": {"on": "a"}});
    assert_eq!(remarks(held), no_effect("`a` is fixed"));
    let bar = serde_json::json!({"joint": {"kind": "ball", "on": "bar", "to": {"on": "a"}}});
    assert!(remarks(bar).is_empty());
}

/// JSON has no infinite numbers, but snapshots must keep them.
#[test]
fn numbers_that_json_does_not_know_survive_it() {
    for number in [f64::INFINITY, f64::NEG_INFINITY, f64::MIN_POSITIVE, -0.0, 1.0, 0.1] {
        let at = At::Length(number);
        assert_round_trip(&Event::new(1.0, action(EditSummary::CloseClip { clip: "x".into(), at })));
        assert_round_trip(&Event::new(1.0, EventKind::Overstretched { change: number }));
    }
    let json = r#"{"time":1.0,"what":{"overstretched":{"change":"NaN"}},"changed":false,"last":false}"#;
    let event = serde_json::from_str::<Event>(json).expect("an event");
    assert!(matches!(event.what, EventKind::Overstretched { change } if change.is_nan()));
    assert_eq!(serde_json::to_string(&event).expect("JSON"), json);
    assert!(serde_json::from_str::<Event>(&json.replace("NaN", "much")).is_err());
}
