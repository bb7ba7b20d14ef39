//! Items are found by name; changes in time are detected; conditions are reported once.

use crate::common::{build, scene};
use micado::clock::NoClock;
use micado::describe::anchor::At;
use micado::run::{Event, Simulation};
use micado::scene::Scene;
use serde_json::{Value, json};

fn held_rope(more: &Value) -> Scene {
    let mut description = json!({
        "rod": {"rope": {"radius": 0.005, "young": 1e7, "density": 1100, "segments": 6}},
        "mass": {"weight": {"position": [0, 0, 1], "mass": 1}},
        "constraint": {"foot": {"position": {"on": "rope", "at": "start"}}},
        "load": {"push": {"force": {"on": "weight", "force": [0, 0, 1]}}},
        "spring": {"bow": {"linear": {"from": {"mass": "weight"}, "to": {"point": [0, 0, 0]},
            "stiffness": 1}}},
    });
    for (room, things) in more.as_object().expect("a table") {
        match (&mut description[room], things) {
            (Value::Object(there), Value::Object(new)) => there.extend(new.clone()),
            (there, new) => *there = new.clone(),
        }
    }
    scene(description)
}

#[test]
fn two_things_of_one_name_are_refused_by_both_their_kinds() {
    let constraint = json!({"plane": {"on": "weight", "normal": [1, 0, 0]}});
    let load = json!({"force": {"on": "weight", "force": [0, 0, 1]}});
    let spring = json!({"linear": {"from": {"mass": "weight"}, "to": {"point": [0, 0, 0]}, "stiffness": 1}});
    let rod = json!({"radius": 0.005, "young": 1e7, "density": 1100});
    let mut checked = 0;
    for (room, thing) in [("constraint", &constraint), ("load", &load), ("spring", &spring)] {
        for (kind, name) in
            [("rod", "rope"), ("mass", "weight"), ("constraint", "foot"), ("load", "push"), ("spring", "bow")]
        {
            if kind == room {
                continue;
            }
            let error =
                Simulation::build(&held_rope(&json!({room: {name: thing}}))).expect_err("two of one name");
            let both =
                error.problem.contains(kind) && error.problem.contains(room) && error.problem.contains(name);
            assert!(both, "{room} {name}: {error}");
            checked += 1;
        }
        assert!(Simulation::build(&held_rope(&json!({room: {"world": thing}}))).is_err());
        assert!(Simulation::build(&held_rope(&json!({room: {"other": thing}}))).is_ok());
    }
    assert_eq!(checked, 12);
    // Likewise during a run.
    let mut simulation = Simulation::build(&held_rope(&json!({}))).expect("a rope");
    for edit in
        [json!({"add-rod": {"name": "bow", "to": rod}}), json!({"add-load": {"name": "foot", "to": load}})]
    {
        let edit = serde_json::from_value(edit).expect("an edit");
        assert!(simulation.world_mut().apply(&edit).is_err_and(|e| e.remedy.contains("name of its own")));
    }
}

#[test]
fn actions_match_later_items_by_kind() {
    let to = json!({"force": {"on": "weight", "force": [0, 0, 1]}});
    let adds = json!({"at": 0.1, "do": {"add-load": {"name": "late", "to": to}}});
    for (edit, fits) in [
        (json!({"remove-load": "late"}), true),
        (json!({"release": "late"}), false),
        (json!({"remove-spring": "late"}), false),
    ] {
        let built = Simulation::build(&held_rope(&json!({"action": [adds, {"at": 0.2, "do": edit}]})));
        assert_eq!(built.is_ok(), fits, "{edit}");
    }
    // Nobody can look at a load, whenever it comes.
    let probe = json!([{"name": "p", "of": "late", "read": "force"}]);
    assert!(Simulation::build(&held_rope(&json!({"action": [adds], "probe": probe}))).is_err());
}

#[test]
fn place_that_is_not_a_number_is_refused_even_on_a_later_rod() {
    let rod = json!({"radius": 0.005, "young": 1e7, "density": 1100});
    let mut scene = held_rope(&json!({
        "action": [{"at": 0.1, "do": {"add-rod": {"name": "late", "to": rod}}}],
        "probe": [{"name": "p", "of": "late", "at": 0.5, "read": "position"}],
    }));
    let simulation = Simulation::build(&scene).expect("a probe of a rod that comes");
    assert!(Simulation::restore(&simulation.snapshot(&scene)).is_ok());
    for bad in [At::Length(f64::NAN), At::Share(f64::INFINITY)] {
        scene.probe[0].at = Some(bad);
        assert_eq!(Simulation::build(&scene).expect_err("no place").path, "probe[0].at");
    }
}

#[test]
fn a_static_run_has_one_step_unless_something_changes_in_time() {
    let ramp = |to: Value| json!({"ramp": {"from": to, "to": to, "end": 1}});
    let v = json!([0, 0, 1]);
    let moving = [
        json!({"settings": {"mode": "static", "gravity": ramp(v.clone())}}),
        json!({"load": {"l": {"force": {"on": "weight", "force": ramp(v.clone())}}}}),
        json!({"load": {"l": {"drag": {"on": "rope", "coefficient": 1, "wind": ramp(v.clone())}}}}),
        json!({"spring": {"s": {"linear": {"from": {"mass": "weight"}, "to": {"point": ramp(v.clone())},
            "stiffness": 1}}}}),
        json!({"constraint": {"c": {"position": {"on": "rope", "at": "end",
            "displacement": ramp(v.clone())}}}}),
        json!({"constraint": {"c": {"position": {"on": "rope", "at": "end", "target": ramp(v.clone())}}}}),
        json!({"constraint": {"c": {"tangent": {"on": "rope", "at": "end", "direction": ramp(v.clone())}}}}),
        json!({"constraint": {"c": {"roll": {"on": "rope", "at": "end", "angle": ramp(json!(1))}}}}),
        json!({"constraint": {"c": {"clamp": {"on": "rope", "at": "end", "rotation": ramp(v.clone())}}}}),
        json!({"constraint": {"c": {"clamp": {"on": "rope", "at": "end", "roll": ramp(json!(1))}}}}),
        json!({"constraint": {"c": {"plane": {"on": "rope", "at": "end", "normal": v,
            "offset": ramp(json!(1))}}}}),
        json!({"constraint": {"c": {"plane": {"on": "rope", "at": "end", "normal": ramp(v.clone())}}}}),
        json!({"constraint": {"c": {"axis": {"on": "rope", "at": "end", "direction": ramp(v.clone())}}}}),
        json!({"constraint": {"c": {"distance": {"on": "rope", "at": "end", "centre": ramp(v.clone())}}}}),
        json!({"constraint": {"c": {"circle": {"on": "rope", "at": "end", "centre": v, "normal": v,
            "radius": ramp(json!(1))}}}}),
        json!({"constraint": {"c": {"trajectory": {"on": "rope", "at": "end",
            "path": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "displacement": ramp(v)}}}}),
    ];
    let steps = |more: &Value| {
        let mut scene = held_rope(more);
        (scene.settings.mode, scene.settings.duration, scene.settings.step) =
            (micado::scene::Mode::Static, 1.0, 0.1);
        Simulation::build(&scene).expect("a rope").total_steps()
    };
    for more in &moving {
        assert_eq!(steps(more), 10, "{more}");
    }
    // The words of moving signals as names change nothing.
    assert_eq!(steps(&json!({"load": {"ramp": {"force": {"on": "weight", "force": [0, 0, 1]}}}})), 1);
}

#[test]
fn conditions_are_reported_when_they_begin_and_end() {
    let push = json!({"keyframes": {"times": [0.055, 0.056], "values": [[0, 0, 0], [0, 0, 1e15]]}});
    let mut simulation = build(json!({
        "rod": {"rope": {"radius": 0.005, "young": 1e7, "density": 1100, "segments": 6}},
        "constraint": {"foot": {"position": {"on": "rope", "at": "start"}},
            "head": {"position": {"on": "rope", "at": "end"}}},
        "load": {"push": {"force": {"on": "rope", "at": "50 %", "force": push}}},
        "action": [
            {"at": 0.01, "do": {"add-constraint": {"name": "again",
                "to": {"position": {"on": "rope", "at": "start"}}}}},
            {"at": 0.03, "do": {"release": "again"}},
        ],
    }));
    for _ in 0..200 {
        simulation.step(&NoClock);
    }
    // The first step under the force is made, with rows that rounding makes contradict each other; after it
    // none is.
    let kinds: Vec<&str> =
        simulation.events().iter().map(Event::kind).filter(|kind| *kind != "conflict").collect();
    assert_eq!(kinds, ["action", "redundant", "action", "over", "held"], "{:?}", simulation.events());
    assert_eq!(simulation.unreported_events(), 0);
}

#[test]
fn a_spring_end_names_any_object() {
    let run = |from: Value, to: Value| {
        let spring = json!({"linear": {"from": from, "to": to, "stiffness": 40, "damping": 0.1}});
        let mut simulation =
            Simulation::build(&held_rope(&json!({"spring": {"s": spring}}))).expect("a world");
        for _ in 0..20 {
            simulation.step(&NoClock);
        }
        simulation.world().state().q.clone()
    };
    let named = run(json!({"rod": {"on": "rope", "at": "end"}}), json!({"mass": "weight"}));
    let any = run(json!({"object": {"on": "rope", "at": "end"}}), json!({"object": {"on": "weight"}}));
    assert_eq!(named, any);
    let wrong = json!({"spring": {"s": {"linear": {"from": {"object": {"on": "weight", "at": "end"}},
        "to": {"point": [0, 0, 0]}, "stiffness": 1}}}});
    let error = Simulation::build(&held_rope(&wrong)).expect_err("a mass has no end");
    assert_eq!(error.path, "spring.s.linear.from.object.at", "{error}");
}

#[test]
fn a_probe_asks_a_mass_for_no_place() {
    let probe = |at: Value| json!({"probe": [{"name": "p", "of": "weight", "read": "position", "at": at}]});
    assert!(Simulation::build(&held_rope(&probe(Value::Null))).is_ok());
    let error = Simulation::build(&held_rope(&probe(json!("end")))).expect_err("a mass has no end");
    assert!(error.problem.contains("no places along it"), "{error}");
}
