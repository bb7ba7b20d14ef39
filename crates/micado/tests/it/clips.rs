//! Clips as statements of physics: they hold up to their strength, give at it, let go one after the other,
//! and catch again.

use crate::common::{at, build, constraint, force, momentum, off, scene};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::{EditSummary, Event, EventKind, Simulation};
use micado::scene::Mode;
use micado::world::World;
use serde_json::{Value, json};

const G: f64 = 9.81;

/// A stiff rod of 0.2 m along x, without weight, in a clip at its middle, pulled there by a force that grows
/// from 0 to `pull` in 1 s.
fn pulled(mut clip: Value, pull: DVec3) -> Simulation {
    clip["on"] = json!("rod");
    clip["at"] = json!("middle");
    build(json!({
        "rod": {"rod": {"radius": 0.004, "young": 1e9, "density": 1000, "segments": 4, "damping": {"mass": 5},
                "shape": {"line": {"from": [-0.1, 0, 0], "to": [0.1, 0, 0]}}}},
        "constraint": {"clip": {"clip": clip}},
        "load": {"pull": {"force": {"on": "rod", "at": "middle",
                 "force": {"ramp": {"from": [0, 0, 0], "to": pull.to_array(), "start": 0, "end": 1}}}}},
        "settings": {"step": 0.005, "duration": 1.2, "gravity": [0, 0, 0]},
    }))
}

fn held(world: &World, name: &str) -> bool {
    !world.state().constraints[constraint(world, name)].open
}

fn kinds(simulation: &Simulation) -> Vec<&str> {
    simulation.events().iter().map(Event::kind).collect()
}

/// Whether the clip caught this rod.
fn is_caught(event: &Event, by: &str) -> bool {
    matches!(&event.what, EventKind::Clipped { clip, rod, .. } if clip == "clip" && rod == by)
}

/// Steps to the end; gives the load at which the clip of a pulled rod let go, N.
fn gives_at(mut simulation: Simulation, pull: f64) -> Option<f64> {
    while !simulation.finished() {
        let time = simulation.time();
        if simulation.step(&NoClock).broke.is_some() {
            return Some(pull * (time + simulation.settings().step).min(1.0));
        }
    }
    assert!(held(simulation.world(), "clip"));
    None
}

#[test]
fn a_weight_below_the_strength_of_its_clip_hangs_and_one_above_falls() {
    let weight = 0.5 * G;
    let hung = |share: f64| {
        build(json!({
            "rod": {"rope": {"stiffness": {"stretch": 1e4, "bend": 1e-3, "twist": 1e-3}, "radius": 0.003,
                "mass_per_length": 1, "segments": 6,
                    "shape": {"line": {"from": [0, 0, 0], "to": [0, 0, -0.5]}}}},
            "constraint": {"clip": {"clip": {"on": "rope", "at": "start", "strength": weight / share}}},
            "settings": {"step": 0.005, "duration": 0.5, "settle": true},
        }))
    };
    let mut holds = hung(0.999);
    let mut falls = hung(1.001);
    while !holds.finished() {
        holds.step(&NoClock);
        falls.step(&NoClock);
    }
    assert_eq!(
        (kinds(&holds), kinds(&falls)),
        (vec![], vec!["opened"]),
        "{:?} {:?}",
        holds.events(),
        falls.events()
    );
    assert!(held(holds.world(), "clip") && !held(falls.world(), "clip"));
    assert!(off(force(holds.world(), "clip").force.z, weight) < 1e-6);
    // Falls freely for 0.5 s; implicit Euler falls ahead by ½ g t h. The rope springs back by its stretch,
    // 0.1 mm, and on.
    let fallen = -0.25 - at(falls.world(), "rope", 0.5).z;
    let expected = 0.5 * G * 0.5 * (0.5 + 0.005);
    assert!((fallen - expected).abs() < 1e-3, "{fallen} m against {expected} m");
}

#[test]
fn force_of_a_clip_never_exceeds_its_strength_and_equals_it_when_it_opens() {
    for hold in ["position", "tangent", "clamp"] {
        for direction in [DVec3::X, DVec3::new(0.48, -0.6, 0.64)] {
            let mut simulation = pulled(json!({"hold": hold, "strength": 15}), direction * 30.0);
            let (mut largest, mut broke) = (0.0_f64, None);
            while !simulation.finished() && broke.is_none() {
                broke = simulation.step(&NoClock).broke;
                largest = largest.max(force(simulation.world(), "clip").force.length());
            }
            let broke = broke.expect("30 N are above 15 N");
            assert!(off(broke.force, 15.0) < 1e-12, "{hold}: {} N", broke.force);
            // That is what a probe of that step reads; from the next one on there is nothing.
            let gave = force(simulation.world(), "clip").force;
            assert!(
                gave.distance(direction * -15.0) < 0.01 * 15.0 && off(gave.length(), 15.0) < 1e-12,
                "{hold}: {gave}"
            );
            simulation.step(&NoClock);
            assert_eq!(force(simulation.world(), "clip").force, DVec3::ZERO);
            // The step before it gave: 15 N are reached at 0.5 s, in steps of 0.15 N, and inertia takes a
            // part.
            assert!(largest <= 15.0 * (1.0 + 1e-12) && largest > 14.6, "{hold}: {largest} N");
            assert!((simulation.time() - 0.5).abs() < 0.0151, "{hold}: {} s", simulation.time());
            // The force required to hold: the load, one step above.
            assert!(broke.load > 1.0 && broke.load < 1.02, "{}", broke.load);
        }
    }
}

#[test]
fn a_clip_that_opens_upward_holds_ten_times_as_much_to_the_side_and_anything_from_above() {
    let clip = || {
        json!({"direction": [1, 0, 0], "opening": [0, 0, 1],
        "strength": {"out": 10, "across": "100 N", "along": 40}})
    };
    for (direction, strength) in [
        (DVec3::Z, Some(10.0)),
        (DVec3::Y, Some(100.0)),
        (-DVec3::Y, Some(100.0)),
        (DVec3::X, Some(40.0)),
        (-DVec3::Z, None),
    ] {
        let pull = 150.0;
        let gave = gives_at(pulled(clip(), direction * pull), pull);
        match strength {
            None => assert_eq!(gave, None, "{direction}"),
            // Steps of 0.75 N; inertia of the light rod takes less than another.
            Some(strength) => {
                let gave = gave.expect("150 N are above all strengths");
                assert!(gave >= strength && gave < strength + 1.51, "{direction}: {gave} N");
            }
        }
        if let Some(strength) = strength {
            assert_eq!(
                gives_at(pulled(clip(), direction * (0.99 * strength)), 0.99 * strength),
                None,
                "{direction}"
            );
        }
    }
}

#[test]
fn a_clip_gives_way_to_a_moment_above_its_strength() {
    let turned = |moment: f64| {
        let mut simulation = build(json!({
            "rod": {"rod": {"radius": 0.004, "young": 1e9, "density": 1000, "segments": 4,
                "damping": {"mass": 5},
                    "shape": {"line": {"from": [-0.1, 0, 0], "to": [0.1, 0, 0]}}}},
            "constraint": {"clip": {"clip": {"on": "rod", "at": "middle", "hold": "tangent",
                "strength": {"moment": 0.3}}}},
            "load": {"turn": {"moment": {"on": "rod", "at": "middle",
                     "moment": {"ramp": {"from": [0, 0, 0], "to": [0, moment, 0], "start": 0, "end": 1}}}}},
            "settings": {"step": 0.005, "duration": 1.2, "gravity": [0, 0, 0]},
        }));
        let mut broke = None;
        while !simulation.finished() && broke.is_none() {
            broke = simulation.step(&NoClock).broke;
        }
        broke
    };
    assert_eq!(turned(0.297), None);
    let broke = turned(0.6).expect("0.6 N·m are above 0.3 N·m");
    assert!(off(broke.moment, 0.3) < 1e-12, "{broke:?}");
}

#[test]
fn two_clips_that_share_a_load_let_go_one_after_the_other() {
    let mut simulation = build(json!({
        "rod": {"rod": {"radius": 0.004, "young": 1e9, "density": 1000, "segments": 8, "damping": {"mass": 5},
                "shape": {"line": {"from": [-0.2, 0, 0], "to": [0.2, 0, 0]}}}},
        "constraint": {"left": {"clip": {"on": "rod", "at": "25 %", "strength": 15}},
                       "right": {"clip": {"on": "rod", "at": "75 %", "strength": 15}}},
        "load": {"pull": {"force": {"on": "rod", "at": "middle",
            "force": {"ramp": {"to": [0, 0, -60], "start": 0, "end": 1}}}}},
        "settings": {"step": 0.005, "duration": 1, "gravity": [0, 0, 0]},
    }));
    let mut opened = Vec::new();
    while !simulation.finished() {
        if let Some(broke) = simulation.step(&NoClock).broke {
            assert!(off(broke.force, 15.0) < 1e-12, "{broke:?}");
            opened.push((simulation.steps(), broke.constraint));
        }
        for clip in ["left", "right"] {
            assert!(force(simulation.world(), clip).force.length() <= 15.0 * (1.0 + 1e-12));
        }
    }
    // Both carry half until one lets go; then the other has it all.
    assert_eq!(opened.len(), 2, "{opened:?}");
    assert!(opened[1].0 > opened[0].0 && opened[0].1 != opened[1].1, "{opened:?}");
    assert_eq!(kinds(&simulation), ["opened", "opened"]);
}

#[test]
fn floor_supports_the_excess_load_of_a_clip_in_the_same_step() {
    // A rod in a clip lies on a floor: the clip could hold it all; pressed down by more than the clip's
    // strength, it keeps its strength, the floor takes the rest, and nothing opens because nothing can move.
    let mut simulation = build(json!({
        "rod": {"rod": {"radius": 0.004, "young": 1e9, "density": 1000, "segments": 4, "damping": {"mass": 5},
                "shape": {"line": {"from": [-0.1, 0, 0], "to": [0.1, 0, 0]}}}},
        "constraint": {"clip": {"clip": {"on": "rod", "at": "middle", "hold": "tangent", "strength": 15}},
                       "floor": {"plane": {"on": "rod", "at": "middle", "normal": [0, 0, 1],
                           "side": "above"}}},
        "load": {"press": {"force": {"on": "rod", "at": "middle",
            "force": {"ramp": {"to": [0, 0, -40], "start": 0, "end": 1}}}}},
        "settings": {"step": 0.005, "duration": 1.5, "gravity": [0, 0, 0]},
    }));
    while !simulation.finished() {
        assert_eq!(simulation.step(&NoClock).broke, None);
        let [clip, floor] = ["clip", "floor"].map(|name| force(simulation.world(), name).force.z);
        assert!(clip <= 15.0 * (1.0 + 1e-12));
        let load = 40.0 * simulation.time().min(1.0);
        // At rest but for the rod's bending under nothing: what it weighs is nothing.
        assert!((clip + floor - load).abs() < 1e-6 * (1.0 + load), "{clip} N + {floor} N against {load} N");
        assert!(floor.abs() < 1e-9 || clip > 15.0 * (1.0 - 1e-9));
    }
    assert!(off(force(simulation.world(), "floor").force.z, 25.0) < 1e-6);
}

/// A rod along x that two hands lead along z through a clip at x = 0.03.
fn led(clip: Value, path: Value, duration: f64) -> Value {
    let hand = |end: &str| json!({"position": {"on": "rod", "at": end, "displacement": path}});
    json!({
        "rod": {"rod": {"radius": 0.004, "young": 2e8, "density": 1000, "segments": 10,
            "damping": {"mass": 5, "internal": 0.002},
                "shape": {"line": {"from": [-0.2, 0, -0.05], "to": [0.3, 0, -0.05]}}}},
        "constraint": {"left": hand("start"), "right": hand("end"), "clip": {"clip": clip}},
        "settings": {"step": 0.002, "duration": duration, "gravity": [0, 0, 0]},
    })
}

fn open_clip(more: Value) -> Value {
    let mut clip =
        json!({"on": "rod", "target": [0.03, 0, 0], "direction": [1, 0, 0], "opening": [0, 0, -1]});
    for (key, value) in more.as_object().expect("fields") {
        clip[key] = value.clone();
    }
    clip
}

#[test]
fn a_cable_that_is_pressed_into_a_clip_is_caught_where_it_is_and_gains_no_energy_but_by_work() {
    for hold in ["position", "tangent", "clamp"] {
        for width in [0.0, 0.02] {
            let path = json!({"ramp": {"to": [0, 0, 0.05], "start": 0, "end": 0.5}});
            let mut simulation = build(led(open_clip(json!({"hold": hold, "width": width})), path, 1.0));
            let mut caught = None;
            // Where it is held, and its direction there.
            let pose = |world: &World| {
                let [a, b] = world.sites(constraint(world, "clip")).expect("a clip");
                if width > 0.0 { (0.5 * (a.x + b.x), (b.x - a.x).normalize_or_zero()) } else { (a.x, a.t) }
            };
            let place = |world: &World| pose(world).0;
            let mut before =
                (simulation.world().energy().total(), pose(simulation.world()), DVec3::ZERO, DVec3::ZERO);
            while !simulation.finished() {
                simulation.step(&NoClock);
                let world = simulation.world();
                if caught.is_none() && held(world, "clip") {
                    // Looked for at the end of every step, at 0.1 m/s.
                    let away = place(world).distance(DVec3::new(0.03, 0.0, 0.0));
                    assert!(away <= 0.004 && away > 0.0037, "{away} m");
                    caught = Some((
                        simulation.time(),
                        world.sliding_place(constraint(world, "clip")).expect("a clip"),
                    ));
                }
                let now = (world.energy().total(), pose(world), at(world, "rod", 0.0), at(world, "rod", 1.0));
                if let Some((when, _)) = caught
                    && when < simulation.time()
                {
                    let push = |name: &str| force(world, name).force;
                    let mut work = push("left").dot(now.2 - before.2) + push("right").dot(now.3 - before.3);
                    work += push("clip").dot(now.1.0 - before.1.0);
                    work += force(world, "clip").moment.dot(before.1.1.cross(now.1.1));
                    // Linearly implicit Euler loses energy, but for the square of what it turns by in a step:
                    // of 1e-4 J in all.
                    assert!(
                        now.0 - before.0 <= work + 1e-10,
                        "{hold} {width}: {:e} J by {work:e} J",
                        now.0 - before.0
                    );
                }
                before = now;
            }
            let (when, s) = caught.expect("it comes by");
            // The hands are 4 mm away after 0.46 s, and the cable follows them.
            assert!((0.46..0.47).contains(&when), "{when} s");
            // The foot of the perpendicular: a cable that follows its hands slopes by less than 1e-3 there,
            // and is 4 mm away.
            assert!((s - 0.23).abs() < 4e-6, "{s} m");
            assert!(place(simulation.world()).distance(DVec3::new(0.03, 0.0, 0.0)) < 1e-9);
            assert_eq!(kinds(&simulation), ["clipped"]);
        }
    }
}

#[test]
fn caught_rod_stops_within_the_insertion_time_for_any_step() {
    // The greatest force of the clip doesn't grow with 1/h, as that of a stop would.
    let largest = |step: f64| {
        let path = json!({"ramp": {"to": [0, 0, 0.05], "start": 0, "end": 0.5}});
        let mut parts = led(open_clip(json!({})), path, 0.6);
        parts["settings"]["step"] = json!(step);
        parts["settings"]["integrator"] = json!("bdf2");
        let mut simulation = build(parts);
        let mut largest = 0.0_f64;
        while !simulation.finished() {
            simulation.step(&NoClock);
            largest = largest.max(force(simulation.world(), "clip").force.length());
        }
        largest
    };
    let (coarse, fine) = (largest(1e-3), largest(2.5e-4));
    assert!(off(coarse, fine) < 0.1, "{coarse} N and {fine} N");
}

#[test]
fn a_clip_that_has_let_go_catches_again_once_the_rod_has_been_away() {
    // In, out against its strength, in again.
    let path = json!({"keyframes": {"times": [0, 0.5, 0.8, 1.3, 1.8],
        "values": [[0, 0, 0], [0, 0, 0.05], [0, 0, 0.05], [0, 0, -0.05], [0, 0, 0.05]]}});
    let strength = json!({"out": 2.0});
    let again = |reclip: bool| {
        let mut simulation =
            build(led(open_clip(json!({"strength": strength, "reclip": reclip})), path.clone(), 2.0));
        while !simulation.finished() {
            simulation.step(&NoClock);
        }
        let kinds: Vec<String> = kinds(&simulation).into_iter().map(str::to_owned).collect();
        (kinds, held(simulation.world(), "clip"))
    };
    assert_eq!(again(true), (vec!["clipped".into(), "opened".into(), "clipped".into()], true));
    assert_eq!(again(false), (vec!["clipped".into(), "opened".into()], false));
}

/// A rod of 0.4 m along y that flies along x with 10 m/s past a clip at the origin, 50 mm in a step, at a
/// height.
fn flung(clip: Value, height: f64, rest: bool) -> Simulation {
    let mut clip = clip;
    clip["on"] = json!("rod");
    clip["capture"] = json!("4 mm");
    let (start, speed) = if rest { (0.025, 0.0) } else { (-0.175, 10.0) };
    build(json!({
        "rod": {"rod": {"radius": 0.004, "young": 1e9, "density": 1000, "segments": 8,
            "velocity": [speed, 0, 0],
                "shape": {"line": {"from": [start, -0.19, height], "to": [start, 0.21, height]}}}},
        "constraint": {"clip": {"clip": clip}},
        "settings": {"step": 0.005, "duration": 0.3, "gravity": [0, 0, 0]},
    }))
}

#[test]
fn a_rod_that_flies_through_a_clip_within_one_step_is_caught_and_brought_back() {
    let mut simulation = flung(json!({"target": [0, 0, 0], "insertion": 0.05}), 0.001, false);
    for _ in 0..4 {
        simulation.step(&NoClock);
    }
    // From −25 mm to 25 mm: at the end of the step it is six radii away, and where and as fast as it was.
    let world = simulation.world();
    assert!(held(world, "clip") && kinds(&simulation) == ["clipped"], "{:?}", simulation.events());
    assert!((world.sliding_place(constraint(world, "clip")).unwrap() - 0.19).abs() < 1e-9);
    let place = |simulation: &Simulation| at(simulation.world(), "rod", 0.19 / 0.4);
    assert!(place(&simulation).distance(DVec3::new(0.025, 0.0, 0.001)) < 1e-9);
    assert!(crate::common::velocity(world, "rod", 0.19).distance(DVec3::X * 10.0) < 1e-6);
    // It goes on with that speed, and home: (1 − 3τ² + 2τ³) o + τ(1 − τ)² T v.
    for step in 1..=20 {
        simulation.step(&NoClock);
        let tau = (f64::from(step) * 0.005 / 0.05).min(1.0);
        let (rest, rate) = (1.0 + tau * tau * (2.0 * tau - 3.0), tau * (1.0 - tau) * (1.0 - tau) * 0.05);
        let expected = DVec3::new(0.025, 0.0, 0.001) * rest + DVec3::X * 10.0 * rate;
        assert!(
            place(&simulation).distance(expected) < 1e-7,
            "step {step}: {} against {expected}",
            place(&simulation)
        );
    }
}

#[test]
fn a_rod_that_flies_by_too_far_away_is_not_caught_and_a_clip_that_flies_past_a_rod_catches_it() {
    let caught = |mut simulation: Simulation| {
        while !simulation.finished() {
            simulation.step(&NoClock);
        }
        !kinds(&simulation).is_empty()
    };
    let still = || json!({"target": [0, 0, 0]});
    assert!(caught(flung(still(), 0.0039, false)) && !caught(flung(still(), 0.0041, false)));
    // 10 m/s as well, past a rod at 25 mm that is never nearer than that at the end of a step.
    let past =
        || json!({"target": {"ramp": {"from": [-0.2, 0, 0], "to": [2.8, 0, 0], "start": 0, "end": 0.3}}});
    assert!(caught(flung(past(), 0.0039, true)) && !caught(flung(past(), 0.0041, true)));
    // The direction counts where it passes.
    let across =
        |direction: [f64; 3]| json!({"target": [0, 0, 0], "hold": "tangent", "direction": direction});
    assert!(
        caught(flung(across([0.0, 1.0, 0.0]), 0.0, false))
            && !caught(flung(across([0.0, 0.0, 1.0]), 0.0, false))
    );
}

#[test]
fn clip_that_waits_for_several_rods_catches_the_one_that_comes_near() {
    let rod = |x: f64, speed: f64| {
        json!({"radius": 0.004, "young": 1e9, "density": 1000, "segments": 4,
        "velocity": [speed, 0, 0], "shape": {"line": {"from": [x, -0.1, 0], "to": [x, 0.1, 0]}}})
    };
    for (speeds, comes) in [([0.0, -0.5], "right"), ([0.5, 0.0], "left")] {
        let mut simulation = build(json!({
            "rod": {"left": rod(-0.1, speeds[0]), "right": rod(0.1, speeds[1])},
            "constraint": {"clip": {"clip": {"on": ["left", "right"], "target": [0, 0, 0]}}},
            "settings": {"step": 0.005, "duration": 0.4, "gravity": [0, 0, 0]},
        }));
        while !simulation.finished() {
            simulation.step(&NoClock);
        }
        let world = simulation.world();
        assert!(
            matches!(simulation.events(), [event] if is_caught(event, comes)),
            "{:?}",
            simulation.events()
        );
        assert!(at(world, comes, 0.5).length() < 1e-9);
        // A snapshot knows which.
        let scene = scene(json!({"rod": {"x": rod(0.0, 0.0)}}));
        let copy = Simulation::restore(&simulation.snapshot(&scene)).expect("a snapshot").0;
        assert_eq!(copy.world(), world);
    }
}

#[test]
fn an_open_clip_waits_for_both_parts_of_a_rod_that_is_cut() {
    let path = json!({"ramp": {"to": [0, 0, 0.05], "start": 0, "end": 0.5}});
    for (clip_at, catches, place) in [(0.03, "rest", 0.08), (-0.1, "rod", 0.1)] {
        let mut parts = led(open_clip(json!({"target": [clip_at, 0, 0]})), path.clone(), 0.6);
        for (name, s) in [("second", 0.14), ("third", 0.16)] {
            parts["constraint"][name] = json!({"position": {"on": "rod", "at": s, "displacement": path}});
        }
        parts["action"] = json!([{"at": 0.1, "do": {"cut": {"rod": "rod", "at": 0.15, "second": "rest"}}}]);
        let mut simulation = build(parts);
        while !simulation.finished() {
            simulation.step(&NoClock);
        }
        let world = simulation.world();
        assert_eq!(kinds(&simulation), ["action", "clipped"]);
        assert!(is_caught(&simulation.events()[1], catches), "{:?}", simulation.events());
        let k = constraint(world, "clip");
        // 1e-4 m: the parts bend between their hands on the way.
        assert!((world.sliding_place(k).unwrap() - place).abs() < 1e-4, "{:?}", world.sliding_place(k));
        assert!(world.constraint_miss(k).unwrap() < 1e-9);
    }
    // Joined again, both are one rod.
    let mut world = build(led(open_clip(json!({})), json!([0, 0, 0]), 0.1)).world().clone();
    let waits = |world: &World| {
        let clip = &world.structure().constraints[constraint(world, "clip")];
        serde_json::to_value(&clip.description).unwrap()["clip"]["on"].clone()
    };
    let edit = |what: Value| serde_json::from_value(what).expect("an edit");
    world.apply(&edit(json!({"cut": {"rod": "rod", "at": 0.15, "second": "rest"}}))).unwrap();
    assert_eq!(waits(&world), json!(["rod", "rest"]));
    world.apply(&edit(json!({"splice": {"first": "rod", "second": "rest", "name": "whole"}}))).unwrap();
    assert_eq!(waits(&world), json!("whole"));
}

#[test]
fn a_clip_that_is_open_is_not_opened_again() {
    let mut parts =
        led(open_clip(json!({})), json!({"ramp": {"to": [0, 0, 0.05], "start": 0, "end": 0.5}}), 0.6);
    parts["action"] = json!([{"at": 0.1, "do": {"open-clip": "clip"}}]);
    let mut simulation = build(parts);
    while !simulation.finished() {
        simulation.step(&NoClock);
    }
    // It is reported, and the clip catches as it would have.
    assert_eq!(kinds(&simulation), ["action", "clipped"]);
    let edit = EditSummary::OpenClip { clip: "clip".into(), was_open: true };
    assert_eq!(simulation.events()[0].what, EventKind::Action { edit });
}

#[test]
fn clip_catches_only_rods_along_its_axis() {
    let caught = |angle: f64| {
        let direction = [angle.cos(), angle.sin(), 0.0];
        let path = json!({"ramp": {"to": [0, 0, 0.05], "start": 0, "end": 0.5}});
        let mut simulation = build(led(
            open_clip(json!({"hold": "tangent", "direction": direction, "opening": [0, 0, -1]})),
            path,
            0.5,
        ));
        while !simulation.finished() {
            simulation.step(&NoClock);
        }
        held(simulation.world(), "clip")
    };
    // 30° unless given; a cable may run either way.
    assert!(caught(0.5) && caught(-0.5) && caught(std::f64::consts::PI - 0.5));
    assert!(!caught(0.55) && !caught(1.5));
}

#[test]
fn beam_leaves_a_wide_clip_along_its_axis_except_for_bending_inside() {
    let (length, width, young, radius) = (0.6, 0.05, 2e11, 0.004_f64);
    let stiffness = young * std::f64::consts::PI / 4.0 * radius.powi(4);
    let per_length = 7800.0 * std::f64::consts::PI * radius * radius * G;
    let overhang = length - 0.1 - 0.5 * width;
    let mut simulation = build(json!({
        "rod": {"beam": {"radius": radius, "young": young, "density": 7800, "segments": 24,
                "shape": {"line": {"from": [0, 0, 0], "to": [length, 0, 0]}}}},
        "constraint": {"clip": {"clip": {"on": "beam", "at": 0.1, "width": width, "hold": "clamp"}}},
        "settings": {"mode": "static"},
    }));
    assert!(simulation.step(&NoClock).converged);
    let world = simulation.world();
    let [a, b] = world.sites(constraint(world, "clip")).expect("a clip");
    assert!(
        a.x.z.abs() < 1e-10 && b.x.z.abs() < 1e-10 && (a.x.x + b.x.x - 0.2).abs() < 1e-10,
        "{} {}",
        a.x,
        b.x
    );
    // Simply supported at its edges with the moments of both overhangs, in the beam theory of small slopes:
    // θ_B = (2 M_B + M_A) w/6EI − q w³/24EI.
    let [inner, outer] = [0.1 - 0.5 * width, overhang].map(|l| 0.5 * per_length * l * l);
    let expected =
        (2.0 * outer + inner) * width / (6.0 * stiffness) - per_length * width.powi(3) / (24.0 * stiffness);
    let beam = crate::common::object(world, "beam");
    let slope = -world.section(beam, 0.1 + 0.5 * width).expect("a beam").tangent.z;
    // Four segments of 25 mm per edge distance of 50 mm: the kink of the shear force at the edges is smoothed
    // over a segment.
    assert!(off(slope, expected) < 0.1, "{slope:e} against {expected:e}");
    // The clip carries the weight and its moment about the middle.
    let (weight, arm) = (per_length * length, 0.5 * length - 0.1);
    let says = force(world, "clip");
    assert!(off(says.force.z, weight) < 1e-8 && off(says.moment.y, -weight * arm) < 1e-3, "{says:?}");
    assert!(says.moment.x.abs() < 1e-9 && says.moment.z.abs() < 1e-9, "{says:?}");
}

#[test]
fn clips_between_free_rods_keep_momentum_while_they_catch_hold_and_let_go() {
    let rod = |from: [f64; 3], to: [f64; 3], velocity: [f64; 3]| {
        json!({"radius": 0.004, "young": 2e8, "density": 1000, "segments": 8,
        "shape": {"line": {"from": from, "to": to}}, "velocity": velocity})
    };
    let mut simulation = build(json!({
        "rod": {"a": rod([-0.1, 0.0, 0.02], [0.15, 0.0, 0.02], [0.2, 0.1, -0.4]),
            "b": rod([0.0, -0.1, 0.0], [0.0, 0.2, 0.0], [0.0; 3])},
        "constraint": {"clip": {"clip": {"on": "a", "to": {"on": "b", "at": "35 %"}, "strength": 1.0}}},
        "load": {"later": {"force": {"on": "a", "at": "end",
            "force": {"keyframes": {"times": [0, 0.3, 0.301, 0.6],
            "values": [[0, 0, 0], [0, 0, 0], [0, 0, 1.5], [0, 0, 1.5]]}}}},
                 "other": {"force": {"on": "b", "at": "end",
                     "force": {"keyframes": {"times": [0, 0.3, 0.301, 0.6],
                     "values": [[0, 0, 0], [0, 0, 0], [0, 0, -1.5], [0, 0, -1.5]]}}}}},
        "settings": {"step": 0.001, "duration": 0.6, "gravity": [0, 0, 0], "solves": 3},
    }));
    let start = momentum(simulation.world());
    assert!(start.length() > 1e-3);
    while !simulation.finished() {
        simulation.step(&NoClock);
        let now = momentum(simulation.world());
        // The loads are opposite to each other.
        assert!((now - start).length() < 1e-10 * start.length(), "{now} against {start}");
    }
    let kinds = kinds(&simulation);
    assert!(kinds.starts_with(&["clipped"]) && kinds.contains(&"opened"), "{kinds:?}");
}

#[test]
fn snapshot_in_any_phase_of_a_clip_continues_with_the_same_bits() {
    let path = json!({"keyframes": {"times": [0, 0.5, 0.8, 1.3, 1.8],
        "values": [[0, 0, 0], [0, 0, 0.05], [0, 0, 0.05], [0, 0, -0.05], [0, 0, 0.05]]}});
    for width in [0.0, 0.02] {
        let scene = scene(led(
            open_clip(json!({"hold": "tangent", "width": width, "strength": {"out": 2.0, "moment": 1.0}})),
            path.clone(),
            2.0,
        ));
        let mut simulation = Simulation::build(&scene).expect("a scene");
        // Open, coming in, held, given way, away, caught again.
        let mut copies = Vec::new();
        while !simulation.finished() {
            if [100, 236, 300, 480, 560, 900].contains(&simulation.steps()) {
                copies.push(Simulation::restore(&simulation.snapshot(&scene)).expect("a snapshot").0);
            }
            simulation.step(&NoClock);
        }
        assert_eq!((copies.len(), kinds(&simulation)), (6, vec!["clipped", "opened", "clipped"]));
        for mut copy in copies {
            while !copy.finished() {
                copy.step(&NoClock);
            }
            assert_eq!(copy.world().state(), simulation.world().state());
            assert_eq!(copy.events(), simulation.events());
        }
    }
}

#[test]
fn clips_are_opened_and_closed_by_edits() {
    let mut parts = led(json!({"on": "rod", "at": 0.23, "hold": "tangent"}), json!([0, 0, 0]), 1.0);
    parts["action"] = json!([{"at": 0.2, "do": {"open-clip": "clip"}},
        {"at": 0.5, "do": {"close-clip": {"name": "clip", "at": 0.24}}}]);
    parts["probe"] = json!([{"name": "held", "of": "clip", "read": "held"},
        {"name": "place", "of": "clip", "read": "place"},
                            {"name": "used", "of": "clip", "read": "strength-used"}]);
    let mut simulation = build(parts);
    let mut seen = Vec::new();
    while !simulation.finished() {
        simulation.step(&NoClock);
        let held = simulation.probe_values()[0];
        if seen.last() != Some(&held) {
            seen.push(held);
        }
    }
    assert_eq!(seen, [1.0, 0.0, 1.0]);
    assert_eq!(simulation.probe_values()[1..], [0.24, 0.0]);
    // Brought home: 1 cm further along the rod, which its hands let it have by bending.
    let world = simulation.world();
    assert!(world.constraint_miss(constraint(world, "clip")).expect("a clip") < 1e-6);
}

#[test]
fn static_overload_opens_the_weakest_clip_first() {
    let mut simulation = build(json!({
        "rod": {"rod": {"radius": 0.004, "young": 1e9, "density": 1000, "segments": 8,
                "shape": {"line": {"from": [-0.2, 0, 0], "to": [0.2, 0, 0]}}}},
        "constraint": {"wall": {"clamp": {"on": "rod", "at": "start"}},
                       "near": {"clip": {"on": "rod", "at": "50 %", "strength": 5}},
                       "far": {"clip": {"on": "rod", "at": "90 %", "strength": 5}}},
        "load": {"pull": {"force": {"on": "rod", "at": "end",
            "force": {"ramp": {"to": [0, 0, -8], "start": 0, "end": 1}}}}},
        "settings": {"mode": "static", "step": 0.05, "duration": 1, "gravity": [0, 0, 0]},
    }));
    let mut loads = Vec::new();
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(report.converged);
        loads.extend(report.broke.map(|broke| (broke.constraint, broke.load)));
        if let Some(broke) = report.broke {
            // The equilibrium is that with the clip closed; probes of it read what it would have to hold, and
            // so says the event.
            let name = &simulation.world().structure().constraints[broke.constraint].name;
            let asked = force(simulation.world(), name).force.length();
            assert!(
                off(asked, broke.force) < 1e-9 && off(asked, 5.0 * broke.load) < 1e-9,
                "{asked} N, {broke:?}"
            );
            let event = simulation.events().last().expect("an event");
            assert!(
                matches!(&event.what, EventKind::Opened { clip, force, overload, mode: Mode::Static, .. }
                    if clip == name && *force == broke.force && *overload == broke.load),
                "{event:?}"
            );
        } else {
            for clip in ["near", "far"] {
                assert!(force(simulation.world(), clip).force.length() <= 5.0 * (1.0 + 1e-6));
            }
        }
    }
    // The far one carries most, and then the near one has a longer arm to hold.
    let names: Vec<&str> =
        loads.iter().map(|(k, _)| simulation.world().structure().constraints[*k].name.as_str()).collect();
    assert_eq!(names, ["far", "near"], "{loads:?}");
    assert!(loads.iter().all(|(_, load)| *load > 1.0));
}

#[test]
fn statics_continues_until_no_clip_is_overloaded() {
    // Three clips of 5 N under 12 N at the free end of a beam: none holds, and what is left is a cantilever.
    let (length, young, radius, load) = (0.4, 1e9, 0.004_f64, 12.0);
    let clip = |at: f64| json!({"clip": {"on": "beam", "at": at, "strength": 5}});
    let mut simulation = build(json!({
        "rod": {"beam": {"radius": radius, "young": young, "density": 1000, "segments": 16,
                "shape": {"line": {"from": [0, 0, 0], "to": [length, 0, 0]}}}},
        "constraint": {"wall": {"clamp": {"on": "beam", "at": "start"}}, "near": clip(0.2),
            "middle": clip(0.3), "far": clip(0.38)},
        "load": {"pull": {"force": {"on": "beam", "at": "end", "force": [0, 0, -load]}}},
        "settings": {"mode": "static", "gravity": [0, 0, 0]},
    }));
    while !simulation.finished() {
        assert!(simulation.step(&NoClock).converged);
    }
    assert_eq!((kinds(&simulation), simulation.steps()), (vec!["opened"; 3], 4));
    let wall = force(simulation.world(), "wall");
    assert!(off(wall.force.z, load) < 1e-8, "{wall:?}");
    // The moment of the load about the wall, as far out as the end is.
    let out = at(simulation.world(), "beam", 1.0).x;
    assert!(off(wall.moment.y, -load * out) < 1e-8, "{wall:?}");
}

#[test]
fn invalid_clips_are_refused_by_field() {
    let refused = |clip: Value| {
        let mut parts = led(open_clip(json!({})), json!([0, 0, 0]), 1.0);
        parts["constraint"]["clip"]["clip"] = clip;
        parts["mass"] = json!({"m": {"position": [0, 0, 0], "mass": 1}});
        Simulation::build(&scene(parts)).map(|_| ()).expect_err("it can't be built")
    };
    let cases = [
        (json!({"on": "rod", "at": 0.2, "strength": -1}), "strength"),
        (json!({"on": "rod", "at": 0.2, "strength": {"moment": -1}, "hold": "clamp"}), "strength.moment"),
        (json!({"on": "rod", "at": 0.2, "strength": {"any": 1, "along": 1}}), "strength.any"),
        (json!({"on": "rod", "at": 0.2, "strength": {"out": 1}}), "strength.out"),
        (json!({"on": "rod", "at": 0.2, "strength": {"moment": 1}}), "strength.moment"),
        (json!({"on": "rod", "at": 0.2, "width": -0.1}), "width"),
        (json!({"on": "rod", "at": 0.2, "width": 0.6}), "width"),
        (json!({"on": "rod", "at": 0.01, "width": 0.1}), "width"),
        (json!({"on": "rod", "at": "end", "width": 0.1}), "width"),
        (json!({"on": "rod", "at": 0.2, "width": 0.1, "to": {"on": "rod", "at": 0.4}}), "width"),
        (json!({"on": "rod", "at": 0.2, "capture": -0.1}), "capture"),
        (json!({"on": "rod", "at": 0.2, "capture_angle": -0.1}), "capture_angle"),
        (json!({"on": "rod", "at": 0.2, "insertion": -0.1}), "insertion"),
        (json!({"on": "rod", "at": 0.2, "opening": [0, 0, 0]}), "opening"),
        (json!({"on": "rod", "at": 0.2, "opening": [1, 0, 0]}), "opening"),
        (json!({"on": "rod", "at": 0.7}), "at"),
        (json!({"on": "rod"}), "target"),
        (json!({"on": "rod", "target": [0, 0, 0], "hold": "tangent"}), "direction"),
        (json!({"on": "rod", "at": 0.2, "to": {"on": "m"}, "target": [0, 0, 0]}), "to"),
        (json!({"on": "m"}), "on"),
        (json!({"on": "nothing", "at": 0.2}), "on"),
    ];
    for (clip, field) in cases {
        let error = refused(clip.clone());
        assert_eq!(error.path, format!("constraint.clip.clip.{field}"), "{clip}: {error}");
    }
    // An edit of what is no clip.
    let mut world = build(led(open_clip(json!({})), json!([0, 0, 0]), 1.0)).world().clone();
    for edit in [
        json!({"open-clip": "left"}),
        json!({"close-clip": {"name": "left", "at": 0.1}}),
        json!({"close-clip": {"name": "clip", "at": 3}}),
    ] {
        let before = world.clone();
        let error = world
            .apply(&serde_json::from_value(edit.clone()).expect("an edit"))
            .expect_err("it can't be done");
        assert!(error.path.contains("clip"), "{edit}: {error}");
        assert_eq!(world, before);
    }
}

#[test]
fn a_harness_is_torn_out_of_its_clips_one_after_the_other() {
    // Five clips of 15 N hold a cable of 1.2 m; a hand at its start tears it out with 0.41 m/s. The clips
    // lead it to where they are within a second, so that it comes to rest in their plane.
    let mut parts = json!({
        "rod": {"cable": {"radius": 0.004, "young": 5e7, "shear": 1.875e7, "density": 1500, "segments": 15,
                "damping": {"internal": 5e-3, "mass": 3},
                    "shape": {"line": {"from": [0, 0, 0], "to": [1.2, 0, 0]}}}},
        "constraint": {"hand": {"position": {"on": "cable", "at": "start",
                       "displacement": {"ramp": {"to": [-0.1, 0, 0.4], "start": 2, "end": 3}}}},
                       "roll": {"roll": {"on": "cable", "at": "start"}}},
        "settings": {"step": 0.005, "duration": 2.6},
    });
    for k in 0..5 {
        let (x, s) = (f64::from(k), 0.08 * (2.0 + 2.7 * f64::from(k)));
        let home = [0.14 + 0.2 * x, 0.0, 0.06 * (1.3 * x).sin() - 0.05];
        parts["constraint"][format!("clip_{k}")] = json!({"clip": {"on": "cable", "at": s, "strength": 15,
            "reclip": false,
            "target": {"ramp": {"from": [s, 0.0, 0.0], "to": home, "start": 0, "end": 1, "smooth": true}}}});
    }
    let mut simulation = build(parts);
    while simulation.time() < 2.0 - 1e-9 {
        simulation.step(&NoClock);
    }
    let rest: Vec<DVec3> = (0..5).map(|k| force(simulation.world(), &format!("clip_{k}")).force).collect();
    let carried = rest.iter().sum::<DVec3>() + force(simulation.world(), "hand").force;
    let weight = 1500.0 * std::f64::consts::PI * 0.004_f64.powi(2) * 1.2 * G;
    assert!((carried - DVec3::Z * weight).length() < 1e-3 * weight, "{carried} N against {weight} N");
    // A prototype of another author has 1.9 to 6.0 N; where its hand was is not told, and a cable that is
    // pressed together by a few millimetres is sensitive to that.
    assert!(rest.iter().all(|force| (1.9..7.5).contains(&force.length())), "{rest:?}");
    let mut opened = Vec::new();
    while !simulation.finished() {
        if let Some(broke) = simulation.step(&NoClock).broke {
            assert!(off(broke.force, 15.0) < 1e-12, "{broke:?}");
            opened.push((
                simulation.world().structure().constraints[broke.constraint].name.clone(),
                simulation.steps() - 400,
            ));
        }
    }
    let names: Vec<&str> = opened.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["clip_0", "clip_1", "clip_2", "clip_3", "clip_4"]);
    // The prototype's steps. It lets go a step after the force is above the strength (at 16 to 18 N); five
    // steps are one centimetre of the hand's way, of the order of what its rest state leaves open.
    for ((name, step), expected) in opened.iter().zip([6, 49, 64, 70, 94]) {
        assert!(step.abs_diff(expected) <= 5, "{name} after {step} steps, not {expected}");
    }
}

#[test]
fn a_clip_goes_with_the_material_that_it_holds_when_its_rod_is_cut() {
    let mut parts = led(
        json!({"on": "rod", "at": 0.3, "width": 0.02, "hold": "clamp", "strength": 50}),
        json!([0, 0, 0]),
        0.5,
    );
    parts["action"] = json!([{"at": 0.1, "do": {"cut": {"rod": "rod", "at": 0.2, "second": "rest"}}}]);
    let mut simulation = build(parts);
    while !simulation.finished() {
        simulation.step(&NoClock);
    }
    let world = simulation.world();
    let k = constraint(world, "clip");
    assert_eq!(world.structure().constraints[k].on(), "rest");
    assert!((world.sliding_place(k).expect("a clip") - 0.1).abs() < 1e-12);
    // Where it was, with nothing to hold against.
    assert!(at(world, "rest", 0.1 / 0.3).distance(DVec3::new(0.1, 0.0, -0.05)) < 1e-9);
    assert!(force(world, "clip").force.length() < 1e-6);
    // Through the clip itself no cut is made.
    let before = world.clone();
    let mut world = before.clone();
    let cut = serde_json::from_value(json!({"cut": {"rod": "rest", "at": 0.095, "second": "other"}}))
        .expect("an edit");
    let error = world.apply(&cut).expect_err("the clip would reach beyond the end");
    assert!(error.path.contains("clip") && error.path.contains("width"), "{error}");
    assert_eq!(world, before);
}

#[test]
fn hand_at_the_place_of_a_clip_pulls_the_rod_out() {
    let scene = |strength: Option<f64>| {
        let mut clip = json!({"on": "rod", "at": "middle"});
        if let Some(strength) = strength {
            clip["strength"] = json!(strength);
        }
        build(json!({
            "rod": {"rod": {"radius": 0.004, "young": 1e7, "density": 1000, "segments": 6,
                    "shape": {"line": {"from": [-0.2, 0, 0], "to": [0.2, 0, 0]}}}},
            "constraint": {
                "clip": {"clip": clip},
                "hand": {"position": {"on": "rod", "at": "middle",
                    "displacement": {"ramp": {"to": [0, 0, 0.05], "start": 0.1, "end": 0.3}}}},
            },
            "settings": {"step": 0.005, "duration": 0.4, "gravity": [0, 0, 0]},
        }))
    };
    let mut gives = scene(Some(15.0));
    while !gives.finished() {
        let report = gives.step(&NoClock);
        if let Some(broke) = report.broke {
            assert!(
                (gives.time() - 0.105).abs() < 1e-9 && broke.load > 1.0,
                "{} s, {}",
                gives.time(),
                broke.load
            );
        }
        // The hand is where it is led in every step, that in which the clip gives too.
        assert_eq!(report.conflicting_rows, 0, "{} s", gives.time());
        let hand = gives.world().constraint_miss(constraint(gives.world(), "hand")).unwrap();
        assert!(hand.abs() < 1e-9, "{hand:e} m at {} s", gives.time());
    }
    assert!(!held(gives.world(), "clip") && !kinds(&gives).contains(&"conflict"), "{:?}", kinds(&gives));
    // One that never gives is a contradiction.
    let mut stays = scene(None);
    while !stays.finished() {
        stays.step(&NoClock);
    }
    assert!(kinds(&stays).contains(&"conflict"));
}

#[test]
fn wide_clamp_keeps_the_roll_of_a_twisted_rod() {
    for hold in ["tangent", "clamp"] {
        let simulation = build(json!({
            "rod": {"rod": {"radius": 0.004, "young": 1e7, "density": 1000, "segments": 6, "twist": 2.0,
                    "shape": {"line": {"from": [-0.2, 0, 0], "to": [0.2, 0, 0]}}}},
            "constraint": {"clip": {"clip": {"on": "rod", "at": "middle", "hold": hold, "width": 0.1}}},
        }));
        let miss = simulation.world().constraint_miss(0).unwrap();
        assert!(miss.abs() < 1e-12, "{hold}: {miss:e}");
    }
}
