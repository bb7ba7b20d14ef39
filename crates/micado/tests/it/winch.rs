//! Winches: rest length paid out and reeled in, mass included.

use crate::common::{
    at, bits, bits_without_time, build, force, happened, object, position, probe, scene, velocity,
};
use micado::clock::NoClock;
use micado::describe::anchor::At;
use micado::run::{Cause, EventKind, Simulation, StopReason};
use micado::scene::Arithmetic;
use micado::scene::Cut;
use micado::scene::{Edit, Named};
use micado::scene::{RodEnd, WinchDescription};
use micado::step::Workspace;
use micado::world::World;
use serde_json::{Value, json};

const G: f64 = 9.81;

/// A weight of 2 kg on a rope that hangs from a winch.
fn lift(pay_out: Value, step: f64) -> Value {
    json!({
        "settings": {"step": step, "solves": 2},
        "rod": {"rope": {"radius": 0.005, "young": 1e9, "density": 1200, "segments": 12,
            "damping": {"internal": 1e-3},
                         "shape": {"line": {"from": [0, 0, 0], "to": [0, 0, -3]}}}},
        "mass": {"load": {"position": [0, 0, -3], "mass": 2.0}},
        "constraint": {"drum": {"position": {"on": "rope", "at": "start"}},
            "roll": {"roll": {"on": "rope", "at": "start"}},
                       "shackle": {"fusion": {"on": "rope", "at": "end", "to": {"on": "load"}}}},
        "winch": {"w": {"on": "rope", "pay_out": pay_out}},
        "probe": [{"name": "out", "of": "w", "read": "length"},
            {"name": "tension", "of": "w", "read": "tension"},
                  {"name": "energy", "of": "world", "read": "total-energy"}],
    })
}

/// Of the rope above, kg/m.
fn mass_per_length() -> f64 {
    1200.0 * std::f64::consts::PI * 0.005_f64.powi(2)
}

fn run_until(simulation: &mut Simulation, time: f64) {
    while simulation.time() < time - 1e-9 {
        let report = simulation.step(&NoClock);
        assert!(!report.held && report.refused.is_none(), "{report:?}");
    }
}

#[test]
fn free_body_spins_beside_a_winch_without_substeps() {
    let mut described = lift(json!(3.0), 1e-2);
    described["body"] = json!({"wheel": {"mass": 1, "inertia": {"moments": [0.02, 0.012, 0.012]},
        "position": [5, 0, 0], "spin": [1000, 0, 0]}});
    let mut simulation = build(described);
    for _ in 0..10 {
        let report = simulation.step(&NoClock);
        assert!(!report.held && report.substeps <= 1, "{report:?}");
    }
}

#[test]
fn a_weight_is_lifted_at_the_speed_of_the_winch_by_a_tension_that_is_the_weight() {
    let mut simulation = build(lift(json!({"ramp": {"to": -1.0, "start": 0.5, "end": 2.5}}), 1e-3));
    run_until(&mut simulation, 1.5);
    for _ in 0..900 {
        simulation.step(&NoClock);
        let (world, out) = (simulation.world(), probe(&simulation, "out"));
        let rope = object(world, "rope").total_mass();
        assert!((rope - mass_per_length() * out).abs() < 1e-13, "the rope that is out weighs {rope} kg");
        assert!((out - (3.0 - 0.5 * (simulation.time() - 0.5))).abs() < 1e-12);
        let weight = (2.0 + rope) * G;
        // Rest length goes in; the rope comes in stretched by T/EA = 2.8e-4.
        let stretched = 0.5 * (1.0 + weight / (1e9 * std::f64::consts::PI * 0.005_f64.powi(2)));
        assert!(
            (velocity(world, "load", 0.0).z / stretched - 1.0).abs() < 1e-4,
            "{}",
            velocity(world, "load", 0.0).z
        );
        // Momentum leaves with the rope that comes in, μv² = 0.024 N, within the first two segments instead
        // of at the drum.
        assert!(
            (probe(&simulation, "tension") - weight).abs() < 0.024,
            "{} N for {weight} N",
            probe(&simulation, "tension")
        );
        assert!(
            (force(world, "drum").force.z - weight).abs() < 0.024,
            "{} N for {weight} N",
            force(world, "drum").force.z
        );
    }
}

#[test]
fn a_weight_that_is_accelerated_pulls_with_its_mass_times_g_plus_a() {
    // A smooth ramp: L = 3 − 1.5 (3w² − 2w³), w = t/3 s, so a = 1.5 (6 − 12 w)/9.
    let mut simulation =
        build(lift(json!({"ramp": {"to": -1.5, "start": 0.5, "end": 3.5, "smooth": true}}), 1e-3));
    run_until(&mut simulation, 0.9);
    while simulation.time() < 3.3 {
        simulation.step(&NoClock);
        let a = 1.5 * (6.0 - 12.0 * (simulation.time() - 0.5) / 3.0) / 9.0;
        let pulled = (2.0 + object(simulation.world(), "rope").total_mass()) * (G + a);
        // The rope bounces a little after the acceleration has set in.
        assert!(
            (probe(&simulation, "tension") / pulled - 1.0).abs() < 5e-3,
            "{} N for {pulled} N",
            probe(&simulation, "tension")
        );
    }
    run_until(&mut simulation, 4.5);
    assert!((position(simulation.world(), "load").z + 1.5).abs() < 1e-3);
}

#[test]
fn work_of_a_winch_is_the_energy_of_its_load() {
    let missed = [4e-3, 2e-3, 1e-3].map(|step| {
        let mut description =
            lift(json!({"ramp": {"to": -1.0, "start": 0.5, "end": 2.5, "smooth": true}}), step);
        description["rod"]["rope"]["damping"] = json!({});
        let mut simulation = build(description);
        run_until(&mut simulation, 0.5);
        let (start, mut work) = (probe(&simulation, "energy"), 0.0);
        while simulation.time() < 2.5 - 1e-9 {
            let (tension, out) = (probe(&simulation, "tension"), probe(&simulation, "out"));
            simulation.step(&NoClock);
            work += 0.5 * (tension + probe(&simulation, "tension")) * (out - probe(&simulation, "out"));
        }
        let gained = probe(&simulation, "energy") - start;
        // The weight and the rope on their way: what comes to the drum, at height 0, takes no energy along
        // but ½μv² of its motion.
        let lifted = 2.0 * G * 1.0 + 0.5 * mass_per_length() * G * (9.0 - 4.0);
        assert!((gained / lifted - 1.0).abs() < 1e-3, "{gained} J for {lifted} J");
        (work / gained - 1.0).abs()
    });
    assert!(missed[2] < 2e-3 && missed[2] < 0.7 * missed[0], "{missed:?}");
}

#[test]
fn a_free_rope_that_is_paid_out_weighs_what_is_out() {
    let mut simulation = build(json!({
        "settings": {"step": 2e-3, "solves": 2},
        "rod": {"rope": {"radius": 0.004, "young": 2e8, "density": 1200, "segments": 10,
            "damping": {"internal": 2e-3},
                         "shape": {"line": {"from": [0, 0, -1], "to": [0, 0, 0]}}}},
        "constraint": {"drum": {"position": {"on": "rope", "at": "end"}},
            "roll": {"roll": {"on": "rope", "at": "end"}}},
        "winch": {"w": {"on": "rope", "at": "end",
            "pay_out": {"ramp": {"to": 1.5, "start": 0.2, "end": 6.2, "smooth": true}}}},
    }));
    run_until(&mut simulation, 1.0);
    while simulation.time() < 8.0 {
        simulation.step(&NoClock);
        let world = simulation.world();
        // It falls behind its weight by what it is accelerated downwards: L = 1 + 1.5 (3w² − 2w³), w = t/6 s.
        let w = (simulation.time() - 0.2) / 6.0;
        let a = if w < 1.0 { 1.5 * (6.0 - 12.0 * w) / 36.0 } else { 0.0 };
        let weight = object(world, "rope").total_mass() * (G - a);
        // At the end the acceleration breaks off.
        let settled = (w - 1.0).abs() > 0.05;
        let carried = force(world, "drum").force.z;
        assert!(!settled || (carried / weight - 1.0).abs() < 5e-3, "{carried} N for {weight} N");
        let length = object(world, "rope").rod().expect("a rod").length();
        assert!(
            (at(world, "rope", 0.0).z + length).abs() < 2e-3,
            "{} m of {length} m",
            at(world, "rope", 0.0).z
        );
    }
}

/// A slack, twisted cable between two clamps whose winch pays out 0.3 m and takes it back; energies at the
/// beginning, in between and at the end. In statics nothing is left but what the slides do.
fn to_and_fro(segments: usize, section: Value) -> [[f64; 2]; 3] {
    let mut simulation = build(json!({
        "settings": {"mode": "static", "step": 0.02, "duration": 10},
        "rod": {"cable": {"section": section, "young": 1e8, "density": 1200, "segments": segments,
            "twist": 2.0,
                          "shape": {"slack": {"from": [0, 0, 0], "to": [1.5, 0, 0], "length": 2.0}}}},
        "constraint": {"left": {"clamp": {"on": "cable", "at": "start", "direction": [1, 0, 0]}},
            "right": {"clamp": {"on": "cable", "at": "end", "direction": [1, 0, 0]}}},
        "winch": {"w": {"on": "cable", "pay_out": {"keyframes": {"times": [0, 1, 2, 3],
            "values": [0, 0, 0.3, 0]}}}},
    }));
    [0.5, 2.0, 3.0].map(|time| {
        run_until(&mut simulation, time);
        let energy = simulation.world().energy();
        [energy.bend, energy.twist]
    })
}

#[test]
fn bending_and_twist_return_after_paying_out_and_reeling_in() {
    let circle = json!({"circle": {"radius": 0.01}});
    let drift = [12, 24].map(|segments| {
        let [before, between, after] = to_and_fro(segments, circle.clone());
        // The same turns on 2.3 m store less than on 2 m.
        assert!(between[1] < 0.97 * before[1], "{before:?} {between:?}");
        [0, 1].map(|k| (after[k] / before[k] - 1.0).abs())
    });
    for k in [0, 1] {
        assert!(drift[1][k] < 2e-3 && (drift[1][k] < 0.5 * drift[0][k] || drift[0][k] < 1e-6), "{drift:?}");
    }
    let [before, _, after] = to_and_fro(24, json!({"ellipse": {"a": 0.011, "b": 0.009}}));
    assert!(
        (after[0] / before[0] - 1.0).abs() < 1e-2 && (after[1] / before[1] - 1.0).abs() < 1e-2,
        "{before:?} {after:?}"
    );
}

#[test]
fn attached_items_keep_their_material_point_and_stop_the_winch() {
    let mut description = lift(json!({"ramp": {"to": -2.5, "start": 0.5, "end": 5.5}}), 2e-3);
    description["mass"]["clip"] = json!({"position": [0, 0, -1.8], "mass": 0.5});
    description["constraint"]["knot"] = json!({"fusion": {"on": "rope", "at": 1.8, "to": {"on": "clip"}}});
    let mut simulation = build(description);
    run_until(&mut simulation, 0.5);
    let between = |simulation: &Simulation| {
        position(simulation.world(), "clip").z - position(simulation.world(), "load").z
    };
    let start = between(&simulation);
    while simulation.time() < 6.0 {
        simulation.step(&NoClock);
        // 1.2 m of rope at rest; the tension below the clip doesn't change.
        assert!((between(&simulation) - start).abs() < 2e-3, "{} after {start}", between(&simulation));
    }
    // 1.2 m and one of twelve segments are the least.
    assert!((probe(&simulation, "out") - 1.2 * 12.0 / 11.0).abs() < 1e-9, "{}", probe(&simulation, "out"));
    assert!(happened!(simulation, Stopped) && !happened!(simulation, Held));
    let stopped = simulation.events().iter().find_map(|event| match &event.what {
        EventKind::Stopped { winches } => Some(winches),
        _ => None,
    });
    let [winch] = stopped.expect("an event").as_slice() else { panic!("{stopped:?}") };
    assert_eq!((winch.winch.as_str(), &winch.reason), ("w", &StopReason::Attached { name: "knot".into() }));
    assert!((winch.length - 1.2 * 12.0 / 11.0).abs() < 1e-9, "{winch:?}");
}

#[test]
fn a_jump_of_a_winch_is_reported_with_the_length_that_it_may_move() {
    // 3 m in 12 segments: 16 of them are the most in a step, 4 m as long as they are, 0.8 m as short as they
    // are after 2.4 m are reeled in.
    for (by, limit) in [(4.1, 4.0), (-2.4, 0.8)] {
        let mut simulation =
            build(lift(json!({"keyframes": {"times": [0, 0.1, 0.1001], "values": [0, 0, by]}}), 2e-3));
        while simulation.steps() < 60 {
            simulation.step(&NoClock);
        }
        assert!((probe(&simulation, "out") - 3.0).abs() < 1e-12);
        let cause = simulation.events().iter().find_map(|event| match &event.what {
            EventKind::Held { cause, .. } => Some(cause),
            _ => None,
        });
        let Some(Cause::SpooledTooFar { winch, rod, length, most }) = cause else { panic!("{cause:?}") };
        assert_eq!((winch.as_str(), rod.as_str()), ("w", "rope"));
        assert!((length - f64::abs(by)).abs() < 1e-9 && (most - limit).abs() < 1e-9, "{cause:?}");
    }
}

#[test]
fn a_rope_slides_through_an_eye_as_fast_as_the_winch_takes_it_in() {
    let mut simulation = build(json!({
        "settings": {"step": 1e-3, "solves": 3},
        "rod": {"rope": {"radius": 0.003, "young": 2e8, "density": 1200, "segments": 24,
            "damping": {"internal": 2e-3},
                         "shape": {"polyline": {"through": [[-1, 0, 0], [0, 0, 0], [0, 0, -2]]}}}},
        "mass": {"load": {"position": [0, 0, -2], "mass": 1.0}},
        "constraint": {"drum": {"position": {"on": "rope", "at": "start"}},
            "roll": {"roll": {"on": "rope", "at": "start"}},
                       "eye": {"keyhole": {"on": "rope", "at": 1.0, "target": [0, 0, 0]}},
                       "shackle": {"fusion": {"on": "rope", "at": "end", "to": {"on": "load"}}},
                           "guide": {"axis": {"on": "load", "direction": [0, 0, 1]}}},
        "winch": {"w": {"on": "rope", "pay_out": {"ramp": {"to": -0.8, "start": 1.0, "end": 5.0}}}},
        "probe": [{"name": "place", "of": "eye", "read": "place"},
            {"name": "out", "of": "w", "read": "length"},
                  {"name": "tension", "of": "w", "read": "tension"}],
    }));
    run_until(&mut simulation, 2.0);
    let (height, place) = (position(simulation.world(), "load").z, probe(&simulation, "place"));
    run_until(&mut simulation, 4.5);
    // The metre between drum and eye stays out, and as much as comes in goes through the eye and up.
    assert!(
        (position(simulation.world(), "load").z - height - 0.5).abs() < 5e-3,
        "{}",
        position(simulation.world(), "load").z - height
    );
    assert!(
        (probe(&simulation, "place") - place).abs() < 5e-3,
        "{} after {place}",
        probe(&simulation, "place")
    );
    // Without friction the eye turns the rope and takes nothing of its tension. Its bend has a radius of
    // √(EI/T) = 3.5 cm, in segments of 12 cm: it counts as stiffer than it is.
    let hanging = probe(&simulation, "out") - probe(&simulation, "place");
    let pull = (1.0 + hanging * 1200.0 * std::f64::consts::PI * 9e-6) * G;
    assert!(
        (probe(&simulation, "tension") / pull - 1.0).abs() < 0.05,
        "{} N for {pull} N",
        probe(&simulation, "tension")
    );
}

#[test]
fn snapshot_during_paying_out_continues_with_the_same_bits() {
    for integrator in ["euler", "bdf2"] {
        let mut description = lift(json!({"harmonic": {"amplitude": 0.4, "frequency": 0.5}}), 2e-3);
        description["settings"]["integrator"] = json!(integrator);
        description["constraint"]["clip"] = json!({"distance": {"on": "rope", "at": "60 %",
            "centre": [0.5, 0, -1.8], "limit": "at-most", "distance": 0.6}});
        description["load"] = json!({"air": {"drag": {"on": "rope", "coefficient": 0.1, "wind": [1, 0, 0]}},
                                     "breeze": {"distributed": {"on": "rope", "from": 0.7,
                                         "to": "end - 0.3 m", "force": [0.1, 0, 0]}},
                                     "tug": {"force": {"on": "rope", "at": 0.7, "force": [0, 1, 0]}}});
        let description = scene(description);
        let mut simulation = Simulation::build(&description).expect("a scene");
        run_until(&mut simulation, 0.3);
        let (mut restored, _) = Simulation::restore(&simulation.snapshot(&description)).expect("a snapshot");
        assert_eq!(restored.world().structure(), simulation.world().structure());
        for _ in 0..100 {
            simulation.step(&NoClock);
            restored.step(&NoClock);
        }
        assert_eq!(bits(restored.world()), bits(simulation.world()));
    }
}

#[test]
fn places_of_loads_are_restored_bit_by_bit_on_a_rope_that_has_grown() {
    // Beyond 4 m numbers have one bit less behind the point than at 3 m.
    let mut description = lift(json!({"ramp": {"to": 1.3, "start": 0.1, "end": 1.6, "smooth": true}}), 4e-3);
    for k in 0..12 {
        let place = 0.1 + 0.23 * f64::from(k);
        let at = if k % 2 == 0 { json!(place) } else { json!(format!("end - {place} m")) };
        description["load"][format!("tug {k}")] =
            json!({"force": {"on": "rope", "at": at, "force": [0, 0.01, 0]}});
    }
    let description = scene(description);
    let mut simulation = Simulation::build(&description).expect("a scene");
    run_until(&mut simulation, 1.6);
    assert!(probe(&simulation, "out") > 4.0);
    let (restored, _) = Simulation::restore(&simulation.snapshot(&description)).expect("a snapshot");
    assert_eq!(restored.world().structure(), simulation.world().structure());
}

#[test]
fn a_winch_is_added_changed_and_removed_without_a_jump() {
    let mut description = lift(json!({"ramp": {"to": -0.4, "end": 1.0}}), 2e-3);
    let winch = description.as_object_mut().expect("a scene").remove("winch").expect("a winch");
    description["probe"] = json!([]);
    let mut simulation = build(description);
    let turn = |pay_out: Value| WinchDescription {
        on: "rope".into(),
        at: RodEnd::Start,
        pay_out: serde_json::from_value(pay_out).expect("a time function"),
    };
    let named = |to: WinchDescription| Named { name: "w".into(), to };
    let length = |simulation: &Simulation| object(simulation.world(), "rope").rod().expect("a rod").length();
    run_until(&mut simulation, 0.5);
    // Half of what it would have reeled in is over: only the rest counts.
    simulation.apply(&Edit::AddWinch(named(turn(winch["w"]["pay_out"].clone())))).expect("a winch");
    run_until(&mut simulation, 1.0);
    assert!((length(&simulation) - 2.8).abs() < 1e-12, "{}", length(&simulation));
    simulation
        .apply(&Edit::ChangeWinch(named(turn(json!({"ramp": {"to": 0.3, "start": 1.0, "end": 2.0}})))))
        .expect("another signal");
    run_until(&mut simulation, 1.5);
    assert!((length(&simulation) - 2.95).abs() < 1e-12, "{}", length(&simulation));
    let refused = simulation.apply(&Edit::Cut(Cut {
        rod: "rope".into(),
        at: At::Share(0.5),
        first: None,
        second: Some("b".into()),
    }));
    assert!(refused.expect_err("on a winch").remedy.contains("remove-winch"));
    simulation.apply(&Edit::RemoveWinch("w".into())).expect("it is there");
    run_until(&mut simulation, 2.0);
    assert!((length(&simulation) - 2.95).abs() < 1e-12, "{}", length(&simulation));
    assert!((position(simulation.world(), "load").z + 2.95).abs() < 2e-3);
    // The world and what is read of it are the simulation's, whatever its scene began with.
    let (mut restored, scene) =
        Simulation::restore(&simulation.snapshot(&scene(lift(json!(0), 2e-3)))).expect("a snapshot");
    assert!(!scene.probe.is_empty() && restored.probes().is_empty());
    simulation
        .apply(&Edit::Cut(Cut {
            rod: "rope".into(),
            at: At::Share(0.5),
            first: None,
            second: Some("b".into()),
        }))
        .expect("a cut");
    restored
        .apply(&Edit::Cut(Cut {
            rod: "rope".into(),
            at: At::Share(0.5),
            first: None,
            second: Some("b".into()),
        }))
        .expect("a cut");
    assert_eq!(bits(restored.world()), bits(simulation.world()));
}

#[test]
fn winch_with_items_near_its_drum_never_pays_out_uncommanded_rope() {
    // Held, sprung or clipped within a segment of the drum, which is 0.25 m long.
    let knots = [
        ("constraint", json!({"position": {"on": "rope", "at": 0.1}})),
        ("constraint", json!({"clip": {"on": "rope", "at": 0.1, "strength": 1e5}})),
        (
            "spring",
            json!({"linear": {"from": {"rod": {"on": "rope", "at": 0.1}}, "to": {"point": [0, 0, -0.1]},
                "stiffness": 10}}),
        ),
    ];
    for (kind, knot) in knots {
        let mut description =
            lift(json!({"keyframes": {"times": [0, 0.1, 0.2, 0.4], "values": [0, 0, -0.1, 0.002]}}), 2e-3);
        description[kind]["knot"] = knot;
        let mut simulation = build(description);
        let length = object(simulation.world(), "rope").rod().expect("a rod").length();
        while simulation.time() < 0.25 {
            simulation.step(&NoClock);
            // It doesn't reel in either: something is within a segment.
            assert_eq!(probe(&simulation, "out"), length, "{kind} at {} s", simulation.time());
            assert!(simulation.time() < 0.11 || happened!(simulation, Stopped), "{kind}");
        }
        while simulation.time() < 0.4 - 1e-9 {
            simulation.step(&NoClock);
        }
        assert!((probe(&simulation, "out") - 3.002).abs() < 1e-12, "{}", probe(&simulation, "out"));
    }
}

#[test]
fn place_at_zero_metres_is_at_the_drum() {
    for end in ["start", "end"] {
        let run = |place: Value| {
            let mut description = lift(json!({"ramp": {"to": -0.2, "start": 0.1, "end": 0.3}}), 2e-3);
            let (from, to, far) = if end == "start" { (0, -3, "end") } else { (-3, 0, "start") };
            description["rod"]["rope"]["shape"] = json!({"line": {"from": [0, 0, from], "to": [0, 0, to]}});
            description["winch"]["w"]["at"] = json!(end);
            description["constraint"]["shackle"]["fusion"]["at"] = json!(far);
            for name in ["drum", "roll"] {
                let kind = if name == "drum" { "position" } else { "roll" };
                description["constraint"][name][kind]["at"] = place.clone();
            }
            let mut simulation = build(description);
            run_until(&mut simulation, 0.4);
            assert!((probe(&simulation, "out") - 2.8).abs() < 1e-12, "{}", probe(&simulation, "out"));
            bits(simulation.world())
        };
        assert_eq!(run(json!(end)), run(json!(if end == "start" { 0.0 } else { 3.0 })));
    }
}

#[test]
fn reeled_in_items_are_restored_and_allow_a_cut() {
    let description = scene(json!({
        "settings": {"step": 2e-3, "solves": 3},
        "rod": {"rope": {"radius": 0.003, "young": 2e8, "density": 1200, "segments": 24,
            "damping": {"internal": 2e-3},
                         "shape": {"polyline": {"through": [[-1, 0, 0], [0, 0, 0], [0, 0, -2]]}}},
                "other": {"radius": 0.003, "young": 2e8, "density": 1200, "segments": 10,
                          "shape": {"line": {"from": [1, 0, 0], "to": [1, 0, -1]}}}},
        "mass": {"load": {"position": [0, 0, -2], "mass": 1.0}},
        "constraint": {"drum": {"position": {"on": "rope", "at": "start"}},
            "roll": {"roll": {"on": "rope", "at": "start"}},
                       "eye": {"keyhole": {"on": "rope", "at": 1.0, "target": [0, 0, 0]}},
                       "clip": {"clip": {"on": "rope", "at": 0.6, "target": [-0.4, 0, 0], "width": 0.1,
                           "hold": "tangent", "capture": 0}},
                       "hook": {"position": {"on": "other", "at": "start"}},
                           "turn": {"roll": {"on": "other", "at": "start"}},
                       "shackle": {"fusion": {"on": "rope", "at": "end", "to": {"on": "load"}}},
                           "guide": {"axis": {"on": "load", "direction": [0, 0, 1]}}},
        "load": {"tug": {"force": {"on": "rope", "at": 0.3, "force": [0, 0.1, 0]}},
                 "rain": {"distributed": {"on": "rope", "from": 0.2, "to": 0.7, "force": [0, 0, -0.1]}},
                 "wind": {"drag": {"on": "rope", "from": 0.9, "to": 1.7, "coefficient": 0.1}}},
        "winch": {"w": {"on": "rope", "pay_out": {"ramp": {"to": -1.4, "start": 0.1, "end": 2.9}}}},
    }));
    let mut simulation = Simulation::build(&description).expect("a scene");
    simulation.apply(&Edit::OpenClip("clip".into())).expect("a clip");
    let length = |simulation: &Simulation| object(simulation.world(), "rope").rod().expect("a rod").length();
    let whole = length(&simulation);
    run_until(&mut simulation, 2.5);
    assert!((whole - length(&simulation) - 1.2).abs() < 1e-12, "{}", length(&simulation));
    let (mut restored, _) = Simulation::restore(&simulation.snapshot(&description)).expect("a snapshot");
    assert_eq!(restored.world().structure(), simulation.world().structure());
    let sites = |simulation: &Simulation| {
        simulation.world().sites(crate::common::constraint(simulation.world(), "eye")).expect("an eye")
    };
    let eye = sites(&simulation);
    for simulation in [&mut simulation, &mut restored] {
        let cut = Cut { rod: "other".into(), at: At::Share(0.5), first: None, second: Some("rest".into()) };
        simulation.apply(&Edit::Cut(cut)).expect("the rope on the winch has nothing to do with it");
        assert_eq!(sites(simulation)[0].x, eye[0].x);
        run_until(simulation, 2.9);
    }
    assert_eq!(bits(restored.world()), bits(simulation.world()));
}

#[test]
fn eye_fed_at_the_rate_of_a_winch_passes_the_paid_out_rope() {
    let fed = json!({"ramp": {"to": -0.4, "start": 0.5, "end": 2.5, "smooth": true}});
    let mut description = lift(json!({"ramp": {"to": 0.4, "start": 0.5, "end": 2.5, "smooth": true}}), 2e-3);
    description["constraint"]["eye"] = json!({"keyhole": {"on": "rope", "at": 1.0, "slide": fed}});
    description["probe"] = json!([{"name": "place", "of": "eye", "read": "place"},
        {"name": "tension", "of": "w", "read": "tension"}]);
    let winch = description["winch"].as_object_mut().expect("winches").remove("w").expect("a winch");
    // The winch is there from the start, or comes when the eye is there already.
    for late in [false, true] {
        let mut description = description.clone();
        if late {
            description["probe"].as_array_mut().expect("probes").truncate(1);
            description["action"] = json!([{"at": 0.4, "do": {"add-winch": {"name": "w", "to": winch}}}]);
        } else {
            description["winch"]["w"] = winch.clone();
        }
        let description = scene(description);
        let mut simulation = Simulation::build(&description).expect("a scene");
        run_until(&mut simulation, 0.5);
        let start = position(simulation.world(), "load").z;
        let tension = (!late).then(|| probe(&simulation, "tension"));
        run_until(&mut simulation, 1.5);
        let (mut restored, _) = Simulation::restore(&simulation.snapshot(&description)).expect("a snapshot");
        run_until(&mut simulation, 3.0);
        run_until(&mut restored, 3.0);
        assert_eq!(bits(restored.world()), bits(simulation.world()));
        // The metre between drum and eye stays a metre of rope.
        assert!((probe(&simulation, "place") - 1.0).abs() < 1e-9, "{}", probe(&simulation, "place"));
        let sunk = start - position(simulation.world(), "load").z;
        assert!((sunk - 0.4).abs() < 1e-3, "{sunk}");
        if let Some(before) = tension {
            // What hangs below the eye weighs 0.4 m of rope more, and above it nothing has changed: EA times
            // 1e-4 of a metre is 8 N.
            assert!(
                (probe(&simulation, "tension") - before).abs() < 1.0,
                "{} N after {before} N",
                probe(&simulation, "tension")
            );
        }
    }
}

/// A rope that runs through an eye at 5 m/s, half a metre in a step, beside a rod on a clip that is too weak
/// for it.
fn beside_a_weak_clip(eye: Option<Value>) -> Value {
    let mut description = lift(json!({"ramp": {"to": -1.0, "start": 0.0, "end": 0.2}}), 0.1);
    let constraints = description["constraint"].as_object_mut().expect("constraints");
    constraints.remove("shackle");
    constraints.extend(eye.map(|eye| ("eye".to_owned(), eye)));
    constraints.insert(
        "clip".to_owned(),
        json!({"clip": {"on": "other", "at": "start", "strength": 0.1, "reclip": false}}),
    );
    description["mass"] = json!({});
    description["rod"]["other"] = json!({"radius": 0.005, "young": 1e9, "density": 1200, "segments": 6,
        "shape": {"line": {"from": [1, 0, 0], "to": [1, 0, -1]}}});
    description
}

#[test]
fn hold_events_of_parts_are_reported_if_the_step_succeeds() {
    let mut simulation = build(beside_a_weak_clip(None));
    let report = simulation.step(&NoClock);
    assert!(!report.held && report.substeps > 4, "{report:?}");
    assert!(
        report.broke.is_some() && happened!(simulation, Opened),
        "{:?} {:?}",
        report.broke,
        simulation.events()
    );
    // The rope comes to its end in the eye before the step is over.
    let mut simulation =
        build(beside_a_weak_clip(Some(json!({"keyhole": {"on": "rope", "at": 2.75, "ends": "error"}}))));
    let before = (simulation.world().structure().clone(), bits_without_time(simulation.world()));
    let report = simulation.step(&NoClock);
    assert!(report.held && report.substeps > 1, "{report:?}");
    assert!((simulation.world().structure().clone(), bits_without_time(simulation.world())) == before);
    assert!(report.broke.is_none() && !happened!(simulation, Opened), "{:?}", simulation.events());
}

#[test]
fn modes_do_not_depend_on_earlier_use_of_the_workspace() {
    let world = |length: f64| {
        World::build(&scene(json!({
            "rod": {"rope": {"radius": 0.005, "young": 1e7, "density": 1200, "segments": 8,
                "shape": {"line": {"from": [0, 0, 0], "to": [length, 0, 0]}}}},
            "winch": {"w": {"on": "rope", "pay_out": 0}},
        })))
        .expect("a world")
    };
    let mut used = Workspace::new();
    let [long, short] = [3.0, 1.0].map(world);
    long.modes(8, Arithmetic::Portable, &mut used).expect("modes");
    let values = |workspace: &mut Workspace| {
        let modes = short.modes(8, Arithmetic::Portable, workspace).expect("modes").modes;
        modes.iter().map(|mode| mode.eigenvalue.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(values(&mut used), values(&mut Workspace::new()));
}

/// A cable without a winch.
fn bent(shape: Value) -> Simulation {
    build(json!({
        "settings": {"step": 2e-3, "gravity": [0, 0, 0]},
        "rod": {"cable": {"radius": 0.01, "young": 1e8, "density": 1200, "segments": 24, "shape": shape}},
        "constraint": {"left": {"position": {"on": "cable", "at": "start"}},
            "right": {"position": {"on": "cable", "at": "end"}}},
    }))
}

#[test]
fn winch_added_to_a_bent_cable_strains_it_by_at_most_its_unevenness() {
    let edit = |on: &str| {
        let to = WinchDescription {
            on: on.into(),
            at: RodEnd::Start,
            pay_out: serde_json::from_value(json!(0)).expect("a number"),
        };
        Edit::AddWinch(Named { name: "w".into(), to })
    };
    let mut simulation = bent(json!({"slack": {"from": [0, 0, 0], "to": [1.5, 0, 0], "length": 2.0}}));
    let before = simulation.world().energy();
    simulation.apply(&edit("cable")).expect("a winch");
    let after = simulation.world().energy();
    // Segments are even within ε = 1e-3, so that curvatures change by ε at most, and ½EAε²L is the most that
    // can be stored in stretch.
    assert!((after.bend / before.bend - 1.0).abs() < 2e-3, "{} J became {} J", before.bend, after.bend);
    let most = 0.5 * 1e8 * std::f64::consts::PI * 1e-4 * 1e-6 * 2.0;
    assert!((after.stretch - before.stretch).abs() < most, "{} J became {} J", before.stretch, after.stretch);
    // A corner is rounded by segments that are not.
    let mut simulation = bent(json!({"polyline": {"through": [[0, 0, 0], [1, 0, 0], [1, 0, 1]]}}));
    let world = simulation.world().clone();
    let error = simulation.apply(&edit("cable")).expect_err("uneven");
    assert!(
        error.to_string().contains("uneven") && error.path == "add-winch.to.on" && !error.remedy.is_empty(),
        "{error}"
    );
    assert_eq!(simulation.world(), &world);
}

#[test]
fn winches_that_make_no_sense_say_so() {
    let refused = |change: &dyn Fn(&mut Value), words: &str| {
        let mut description = lift(json!(0), 1e-3);
        description["probe"] = json!([]);
        change(&mut description);
        let error = Simulation::build(&scene(description)).expect_err(words);
        assert!(
            error.to_string().contains(words)
                && error.path.starts_with("winch.w")
                && !error.remedy.is_empty(),
            "{error}"
        );
    };
    refused(&|d| d["winch"]["w"]["on"] = json!("cable"), "there is no rod");
    refused(&|d| d["winch"]["w"]["on"] = json!("load"), "is a mass");
    refused(&|d| d["winch"]["w2"] = d["winch"]["w"].clone(), "already");
    refused(&|d| d["rod"]["rope"]["segments"] = json!(3), "too few segments");
    refused(&|d| d["rod"]["rope"]["natural"] = json!("as-shaped"), "same everywhere");
    refused(
        &|d| d["rod"]["rope"]["stretches"] = json!([{"from": 0, "to": 1, "density": 1}]),
        "same everywhere",
    );
    refused(&|d| d["rod"]["rope"]["basis"] = json!("catmull-rom"), "Catmull");
    refused(&|d| d["rod"]["rope"]["shape"] = json!({"ring": {"centre": [0, 0, 0], "radius": 1}}), "closed");
    refused(&|d| d["winch"]["w"]["pay_out"] = json!({"keyframes": {"times": [], "values": []}}), "pay_out");
    // A winch that jumps is refused when it does, and nothing has changed.
    let mut simulation =
        build(lift(json!({"keyframes": {"times": [0.0, 0.01, 0.0101], "values": [0, 0, 50]}}), 1e-2));
    simulation.step(&NoClock);
    let before = bits_without_time(simulation.world());
    let report = simulation.step(&NoClock);
    assert!(report.held && bits_without_time(simulation.world()) == before && happened!(simulation, Held));
}
