//! Cutting a rod: everything stays what and where it is, only nothing is transmitted any more.

use crate::common::{
    at, bits, build, constraint, equilibrium, force, happened, momentum, object, probe, scene, total_mass,
    velocity, weighted,
};
use glam::DVec3;
use micado::clock::NoClock;
use micado::describe::anchor::At;
use micado::run::{EditSummary, EventKind, Simulation};
use micado::scene::Cut;
use micado::scene::Edit;
use micado::world::World;
use micado::world::observe::Energy;
use serde_json::{Value, json};

fn cut(rod: &str, at: At, second: &str) -> Edit {
    Edit::Cut(Cut { rod: rod.into(), at, first: None, second: Some(second.into()) })
}

/// A rod that shows everything a rod can: of two bending stiffnesses, naturally as it is laid, twisted, with
/// `stretches` of other properties, swung about for a while.
fn swung(segments: usize, stretches: Value) -> Simulation {
    let mut simulation = build(json!({
        "settings": {"step": 2e-3, "solves": 3},
        "rod": {"r": {"section": {"rectangle": {"a": 0.02, "b": 0.012}}, "young": 2e7, "density": 1100,
            "segments": segments, "twist": 0.7,
                      "natural": "as-shaped", "stretch_measure": "pointwise",
                      "stretches": stretches,
                      "shape": {"helix": {"centre": [0, 0, 0], "radius": 0.3, "pitch": 0.5, "turns": 0.7}}}},
        "constraint": {"hand": {"clamp": {"on": "r", "at": "start",
            "rotation": {"ramp": {"to": [0.6, -0.4, 0.3], "end": 0.2}}}}},
    }));
    for _ in 0..100 {
        simulation.step(&NoClock);
    }
    simulation
}

/// Rest lengths and the rods that they are measured on: of one rod, or of its two parts.
fn along(world: &World, share: f64, whole: f64) -> (&str, f64) {
    let first = object(world, "r").rod().expect("a rod").length();
    let s = share * whole;
    if s <= first { ("r", s) } else { ("tail", s - first) }
}

/// Largest differences of position, velocity and director between a rod and the same after a cut.
fn differences(before: &World, after: &World) -> [f64; 3] {
    let whole = object(before, "r").rod().expect("a rod").length();
    let mut worst = [0.0_f64; 3];
    for k in 0..=400 {
        let share = f64::from(k) / 400.0;
        let (name, s) = along(after, share, whole);
        let old = before.section(object(before, "r"), share * whole).expect("a rod");
        let new = after.section(object(after, name), s).expect("a rod");
        let speeds = velocity(before, "r", share * whole).distance(velocity(after, name, s));
        let found = [old.position.distance(new.position), speeds, old.director.distance(new.director)];
        worst = std::array::from_fn(|i| worst[i].max(found[i]));
    }
    worst
}

fn energies(e: &Energy) -> [f64; 5] {
    [e.kinetic, e.stretch, e.bend, e.twist, e.gravity]
}

#[test]
fn cut_at_a_knot_changes_only_the_transmitted_forces() {
    for knot in [1.0, 2.0, 7.0, 11.0] {
        let before = swung(12, json!([{"from": "20 %", "to": "65 %", "density": 2000, "young": 3e7}]));
        let mut after = before.world().clone();
        let arc = object(before.world(), "r").rod().expect("a rod").arc_at(knot as usize - 1, 1.0);
        after.apply(&cut("r", At::Length(arc), "tail")).expect("a cut");
        let segments: usize =
            ["r", "tail"].iter().map(|name| object(&after, name).rod().expect("a rod").segments()).sum();
        // A single segment can't be a rod: it is halved.
        assert_eq!(segments, if knot == 1.0 || knot == 11.0 { 13 } else { 12 });
        let [x, v, m] = differences(before.world(), &after);
        // Metres, metres a second and unit vectors of size one. Where a segment is halved its arc length is
        // measured with twice as many points, and directors come from other ones.
        let [exact, directors] = if segments == 12 { [1e-12, 1e-12] } else { [1e-9, 1e-4] };
        assert!(x < exact && v < 10.0 * exact && m < directors, "{x:.1e} {v:.1e} {m:.1e}");
        assert!((total_mass(&after) / total_mass(before.world()) - 1.0).abs() < exact);
        assert!(
            momentum(&after).distance(momentum(before.world())) < 1e-13 * momentum(before.world()).length()
        );
        let (old, new) = (energies(&before.world().energy()), energies(&after.energy()));
        for (k, (old, new)) in old.into_iter().zip(new).enumerate() {
            // Two halves see more of the stretch inside one segment, and have twice its quadrature points.
            let tolerance = if segments == 12 {
                1e-12
            } else if k == 1 {
                0.2
            } else {
                1e-3
            };
            assert!((new - old).abs() < tolerance * old.abs().max(1e-3), "energy {k}: {old} became {new}");
        }
    }
}

#[test]
fn a_cut_elsewhere_misses_by_the_fourth_power_of_the_segment() {
    let missed = [12, 24, 48].map(|segments| {
        // Uniform: where stiffness jumps curvature does, and no spline of another knot vector follows that.
        let before = swung(segments, json!([]));
        let mut after = before.world().clone();
        after.apply(&cut("r", At::Share(0.431), "tail")).expect("a cut");
        assert!((total_mass(&after) / total_mass(before.world()) - 1.0).abs() < 1e-13);
        assert!(
            momentum(&after).distance(momentum(before.world())) < 1e-12 * momentum(before.world()).length()
        );
        let [x, _, m] = differences(before.world(), &after);
        let (old, new) = (before.world().energy(), after.energy());
        [x, m, (new.bend / old.bend - 1.0).abs()]
    });
    let order = |k: usize| (missed[1][k] / missed[2][k]).log2();
    // Positions: fourth order. Directors follow the tangent: third. Energies are differences of squares:
    // better than second.
    assert!(order(0) > 3.5 && missed[2][0] < 1e-6, "positions {missed:?}");
    assert!(order(1) > 2.5 && missed[2][1] < 1e-3, "directors {missed:?}");
    assert!(order(2) > 2.0 && missed[2][2] < 1e-3, "bending energy {missed:?}");
}

/// A rope that hangs from its start, at rest.
fn hanging(segments: usize, more: Value) -> Value {
    let mut description = json!({
        "settings": {"step": 1e-3, "settle": true, "integrator": "bdf2"},
        "rod": {"r": {"radius": 0.005, "young": 1e8, "density": 1200, "segments": segments,
            "damping": {"internal": 1e-3},
                      "shape": {"line": {"from": [0, 0, 0], "to": [0, 0, -2]}}}},
        "constraint": {"hook": {"position": {"on": "r", "at": "start"}},
            "roll": {"roll": {"on": "r", "at": "start"}}},
    });
    for (key, value) in more.as_object().cloned().unwrap_or_default() {
        for (name, thing) in value.as_object().cloned().unwrap_or_default() {
            description[&key][&name] = thing;
        }
    }
    description
}

#[test]
fn cut_rope_falls_and_its_hook_holds_the_remaining_weight() {
    // At a knot, and between two.
    for at in [At::Share(0.5), At::Share(0.37)] {
        let mut simulation = build(hanging(10, json!({})));
        simulation.settle(&NoClock);
        let weight = total_mass(simulation.world()) * 9.81;
        simulation.step(&NoClock);
        assert!((force(simulation.world(), "hook").force.z / weight - 1.0).abs() < 1e-6);
        simulation.apply(&cut("r", at, "lower")).expect("a cut");
        assert!(happened!(simulation, Action));
        let lower = |world: &World, of: &[f64]| {
            let object = object(world, "lower");
            let masses = &world.structure().node_mass[object.first..];
            let sum: DVec3 = of[object.unknowns()]
                .chunks_exact(4)
                .zip(masses)
                .map(|(v, m)| DVec3::new(v[0], v[1], v[2]) * *m)
                .sum();
            sum / object.total_mass()
        };
        let start = lower(simulation.world(), &simulation.world().state().v);
        for _ in 0..200 {
            let before = lower(simulation.world(), &simulation.world().state().v);
            simulation.step(&NoClock);
            let after = lower(simulation.world(), &simulation.world().state().v);
            // The first step after an edit is Euler's, and the second begins BDF2 with it: both are exact for
            // a constant force.
            assert!((after - before + DVec3::Z * 9.81e-3).length() < 1e-9, "{}", after - before);
        }
        let fallen = lower(simulation.world(), &simulation.world().state().v) - start;
        assert!((fallen.z + 9.81 * 0.2).abs() < 1e-8);
        // The vibration has died away.
        for _ in 0..3000 {
            simulation.step(&NoClock);
        }
        let left = object(simulation.world(), "r").total_mass() * 9.81;
        let held = force(simulation.world(), "hook").force.z;
        assert!((held / left - 1.0).abs() < 1e-4, "{held} N for {left} N");
    }
}

#[test]
fn a_taut_cable_that_is_cut_in_the_middle_recoils_alike_to_both_sides() {
    let mut simulation = build(json!({
        "settings": {"step": 1e-4, "gravity": [0, 0, 0], "solves": 3},
        "rod": {"r": {"radius": 0.003, "young": 1e8, "density": 1200, "segments": 20,
            "stretch_measure": "pointwise",
                      "shape": {"line": {"from": [-1, 0, 0], "to": [1, 0, 0]}}}},
        "constraint": {"left": {"position": {"on": "r", "at": "start", "displacement": [-0.02, 0, 0]}},
                       "right": {"position": {"on": "r", "at": "end", "displacement": [0.02, 0, 0]}},
                       "roll": {"roll": {"on": "r", "at": "start"}},
                           "roll2": {"roll": {"on": "r", "at": "end"}}},
    }));
    let world = simulation.world_mut();
    world.equilibrate(
        0.0,
        &micado::step::StaticParams::default(),
        &mut micado::step::Workspace::new(),
        &NoClock,
    );
    let tension = 1e8 * std::f64::consts::PI * 0.003_f64.powi(2) * 0.02;
    simulation.apply(&cut("r", At::Share(0.5), "right half")).expect("a cut");
    for _ in 0..20 {
        simulation.step(&NoClock);
        let world = simulation.world();
        for share in [0.0, 0.3, 0.8, 1.0] {
            let (left, right) = (at(world, "r", share), at(world, "right half", 1.0 - share));
            assert!((left.x + right.x).abs() < 1e-9 && left.y.abs() < 1e-9, "{left} {right}");
        }
    }
    // The wave of release runs at c = √(E/ρ) = 289 m/s; behind it matter moves at v = T/(ρ A c) = ε c = 5.8
    // m/s away from the cut.
    let world = simulation.world();
    let speed = velocity(world, "r", 0.9).x;
    assert!((speed + 0.02 * (1e8_f64 / 1200.0).sqrt()).abs() < 0.6, "{speed}");
    // It has not come to the supports yet: they still feel all of it.
    assert!(
        (force(world, "right").force.x / tension - 1.0).abs() < 1e-2,
        "{}",
        force(world, "right").force.x
    );
}

#[test]
fn attached_items_stay_with_their_material() {
    let mut description = hanging(
        10,
        json!({
            "constraint": {
                "above": {"pearl": {"on": "r", "at": 0.5, "mass": 0.01, "radius": 0.01, "viscosity": 50}},
                "below": {"pearl": {"on": "r", "at": 1.5, "mass": 0.02, "radius": 0.01, "viscosity": 50}},
                "link": {"distance": {"on": "r", "at": 0.2, "to": {"on": "r", "at": 1.7}, "limit": "at-most",
                    "distance": 1.9}},
            },
            "load": {"wind": {"distributed": {"on": "r", "from": 0.4, "to": 1.8, "force": [0.1, 0, 0]}},
                     "air": {"drag": {"on": "r", "coefficient": 0.01}},
                     "tug": {"force": {"on": "r", "at": "end", "force": [0, 0.01, 0]}},
                     "knot": {"force": {"on": "r", "at": "50 %", "force": [0, 0.01, 0]}}},
            "spring": {"s": {"linear": {"from": {"rod": {"on": "r", "at": "75 %"}},
                "to": {"point": [0.5, 0, -1.5]}, "stiffness": 1}}},
        }),
    );
    // At rest pearls without dry friction lie at the end of the rope.
    description["settings"]["settle"] = json!(false);
    let mut simulation = build(description);
    for _ in 0..20 {
        simulation.step(&NoClock);
    }
    let before = simulation.world().clone();
    simulation.apply(&cut("r", At::Share(0.5), "tail")).expect("a cut");
    let after = simulation.world();
    // All constraints sit where they sat and push as they pushed; right after the cut nothing else is known
    // of them.
    for (k, old) in before.structure().constraints.iter().enumerate() {
        let ([a, b], [c, d]) = (before.sites(k).expect("sites"), after.sites(k).expect("sites"));
        assert!(
            a.x.distance(c.x) < 1e-12 && b.x.distance(d.x) < 1e-12 && a.m1.distance(c.m1) < 1e-12,
            "{}",
            old.name
        );
        let (old_force, new_force) =
            (before.constraint_force(k).expect("a force"), after.constraint_force(k).expect("a force"));
        assert!(
            old_force.force.distance(new_force.force) < 1e-9
                && old_force.moment.distance(new_force.moment) < 1e-9,
            "{}",
            old.name
        );
    }
    let words = |name: &str| {
        serde_json::to_value(&after.structure().constraints[constraint(after, name)].description)
            .expect("words")
    };
    assert_eq!(
        (&words("above")["pearl"]["on"], &words("below")["pearl"]["on"]),
        (&json!("r"), &json!("tail"))
    );
    assert_eq!(
        (&words("link")["distance"]["on"], &words("link")["distance"]["to"]["on"]),
        (&json!("r"), &json!("tail"))
    );
    let loads: Vec<&str> = after.structure().loads.iter().map(|load| load.name.as_str()).collect();
    assert_eq!(loads, ["air", "air-2", "knot", "tug", "wind", "wind-2"]);
    let knot = serde_json::to_value(&after.structure().loads[2].description).expect("words");
    assert_eq!(knot["force"], json!({"on": "r", "at": "end", "force": {"constant": [0.0, 0.01, 0.0]}}));
    // The lower pearl falls with its part, the upper one stays.
    let release = Edit::Release("link".into());
    simulation.apply(&release).expect("it is there");
    simulation.apply(&Edit::RemoveSpring("s".into())).expect("it is there");
    let heights = |simulation: &Simulation| {
        ["above", "below"]
            .map(|name| simulation.world().sites(constraint(simulation.world(), name)).expect("sites")[0].x.z)
    };
    let [upper, lower] = heights(&simulation);
    for _ in 0..300 {
        simulation.step(&NoClock);
    }
    let [upper_now, lower_now] = heights(&simulation);
    let fallen = 0.5 * 9.81 * 0.3 * 0.3;
    // The drag of 0.01 N·s/m² takes less than a percent.
    assert!((lower - lower_now - fallen).abs() < 0.03 * fallen, "{lower} → {lower_now}");
    assert!((upper - upper_now).abs() < 0.02, "{upper} → {upper_now}");
}

#[test]
fn a_ring_that_is_cut_is_an_open_rod_with_the_same_shape_and_energy() {
    for share in [0.0, 0.25, 0.31] {
        let mut simulation = build(json!({
            "settings": {"gravity": [0, 0, 0], "step": 1e-3, "solves": 2},
            "rod": {"r": {"section": {"ellipse": {"a": 0.004, "b": 0.003}}, "young": 1e8, "density": 1200,
                "segments": 16, "twist": 1.3,
                          "stretch_measure": "pointwise", "shape": {"ring": {"centre": [0, 0, 0],
                              "radius": 0.4}}}},
            "constraint": {"eye": {"keyhole": {"on": "r", "at": "60 %"}},
                "hold": {"clamp": {"on": "r", "at": "10 %"}}},
        }));
        for _ in 0..20 {
            simulation.step(&NoClock);
        }
        let before = simulation.world().clone();
        let edit = Edit::Cut(Cut {
            rod: "r".into(),
            at: At::Share(share),
            first: Some("open".into()),
            second: None,
        });
        simulation.apply(&edit).expect("a cut");
        let after = simulation.world();
        let (old, new) =
            (object(&before, "r").rod().expect("a rod"), object(after, "open").rod().expect("a rod"));
        assert!(!new.is_closed() && (new.length() / old.length() - 1.0).abs() < 1e-12);
        let knot = share != 0.31;
        let tolerance = if knot { 1e-12 } else { 1e-4 };
        for k in 0..=50 {
            let s = f64::from(k) / 50.0 * new.length();
            let old_s = (s + share * old.length()).min(old.length() + s) % old.length();
            let a = before.section(object(&before, "r"), old_s).expect("a rod");
            let b = after.section(object(after, "open"), s).expect("a rod");
            assert!(
                a.position.distance(b.position) < tolerance,
                "{share} {s}: {}",
                a.position.distance(b.position)
            );
            // At the seam the director jumps by what the twist is short of a turn.
            let seam = (old_s / old.length()).min(1.0 - old_s / old.length());
            // Elsewhere it is carried along the curve from the nearest quadrature point: the same one only
            // inside a segment. New segments miss the tangent by (κl)³/24 = 2.5e-3.
            let directors = if knot { 1e-6 } else { 5e-3 };
            assert!(
                seam < 0.07 || a.director.distance(b.director) < directors,
                "{share} {s}: {} {}",
                a.director,
                b.director
            );
        }
        let (old, new) = (energies(&before.energy()), energies(&after.energy()));
        for k in [0, 2, 3] {
            let tolerance = if knot { 1e-11 } else { 0.05 };
            assert!(
                (new[k] - old[k]).abs() <= tolerance * old[k].abs(),
                "{share}, energy {k}: {} became {}",
                old[k],
                new[k]
            );
        }
        for k in 0..2 {
            let ([a, _], [b, _]) = (before.sites(k).expect("sites"), after.sites(k).expect("sites"));
            assert!(
                a.x.distance(b.x) < tolerance && a.m1.distance(b.m1) < 10.0 * tolerance,
                "{share}, constraint {k}"
            );
        }
        simulation.step(&NoClock);
        assert!(!happened!(simulation, Held) && !happened!(simulation, Refused));
    }
}

#[test]
fn a_scene_cuts_as_an_edit_does_and_its_probes_go_with_the_material() {
    let mut description = hanging(10, json!({}));
    description["settings"]["duration"] = json!(0.1);
    description["probe"] = json!([
        {"name": "tip", "of": "r", "at": "end", "read": "position", "component": "z"},
        {"name": "upper", "of": "r", "at": "25 %", "read": "position", "component": "z"},
        {"name": "lower", "of": "tail", "at": "end", "read": "position", "component": "z"},
        {"name": "length", "of": "r", "read": "length"}]);
    description["action"] =
        json!([{"at": 0.05, "do": {"cut": {"rod": "r", "at": "40 %", "second": "tail"}}}]);
    let mut by_action = build(description.clone());
    description["action"] = json!([]);
    description["probe"].as_array_mut().expect("a list").remove(2);
    let mut by_hand = build(description);
    for k in 0..100 {
        if k == 50 {
            by_hand.apply(&cut("r", At::Share(0.4), "tail")).expect("a cut");
        }
        by_action.step(&NoClock);
        by_hand.step(&NoClock);
    }
    assert_eq!(bits(by_action.world()), bits(by_hand.world()));
    assert_eq!(probe(&by_action, "tip"), probe(&by_hand, "tip"));
    assert_eq!(probe(&by_action, "tip"), probe(&by_action, "lower"));
    assert!(
        (probe(&by_action, "length") - 0.8).abs() < 1e-3 && (probe(&by_action, "upper") + 0.5).abs() < 0.01
    );
    let edit = EditSummary::Cut { rod: "r".into(), at: At::Share(0.4), second: Some("tail".into()) };
    assert!(by_action.events().iter().any(|event| event.what == EventKind::Action { edit: edit.clone() }));
}

#[test]
fn snapshot_after_a_cut_continues_with_the_same_bits() {
    for at in [At::Share(0.5), At::Share(0.4321)] {
        let description = scene(hanging(
            10,
            json!({"constraint": {"p": {"pearl": {"on": "r", "at": 1.6, "mass": 0.01}}},
                "load": {"air": {"drag": {"on": "r", "coefficient": 0.1, "wind": [1, 0, 0]}}}}),
        ));
        let mut simulation = Simulation::build(&description).expect("a scene");
        for _ in 0..20 {
            simulation.step(&NoClock);
        }
        simulation.apply(&cut("r", at, "tail")).expect("a cut");
        for _ in 0..10 {
            simulation.step(&NoClock);
        }
        // A snapshot holds the structure as it is by now; the edits that led to it are not needed.
        let (mut restored, _) = Simulation::restore(&simulation.snapshot(&description)).expect("a snapshot");
        assert_eq!(bits(restored.world()), bits(simulation.world()));
        for _ in 0..30 {
            simulation.step(&NoClock);
            restored.step(&NoClock);
        }
        assert_eq!(bits(restored.world()), bits(simulation.world()));
    }
}

#[test]
fn a_cut_takes_the_name_of_its_rod_only_if_neither_part_has_it() {
    let taken = |first: Option<&str>, second: &str| {
        let [first, second] = [first, Some(second)].map(|name| name.map(str::to_owned));
        Edit::Cut(Cut { rod: "r".into(), at: At::Share(0.5), first, second }).takes_away("r")
    };
    assert!(!taken(None, "b") && !taken(Some("r"), "b") && !taken(Some("a"), "r"));
    assert!(taken(Some("a"), "b"));
    // And so it is in a world.
    for (first, second, left) in [(Some("a"), "r", true), (Some("r"), "b", true), (Some("a"), "b", false)] {
        let mut simulation = build(hanging(10, json!({})));
        let first = first.map(str::to_owned);
        simulation
            .apply(&Edit::Cut(Cut {
                rod: "r".into(),
                at: At::Share(0.5),
                first,
                second: Some(second.into()),
            }))
            .expect("a cut");
        assert_eq!(simulation.world().object("rod", "r").is_ok(), left);
    }
}

#[test]
fn invalid_cuts_are_refused_and_change_nothing() {
    let mut simulation = build(hanging(
        10,
        json!({"load": {"tail": {"force": {"on": "r", "at": "end", "force": [0, 0, 0]}}}}),
    ));
    let before = simulation.world().clone();
    for (edit, words) in [
        (cut("rope", At::Share(0.5), "b"), "there is no rod"),
        (cut("r", At::Length(2.5), "b"), "not on the rod"),
        (cut("r", At::Length(f64::NAN), "b"), "not on the rod"),
        (cut("r", At::Share(0.99), "b"), "too close to an end"),
        (cut("r", At::START, "b"), "too close to an end"),
        (cut("r", At::Share(0.5), "hook"), "has the name of a constraint"),
        (cut("r", At::Share(0.5), "tail"), "has the name of a load"),
        (cut("r", At::Share(0.5), "r"), "both parts are called"),
        (cut("r", At::Share(0.5), "world"), "whole scene"),
        (Edit::Cut(Cut { rod: "r".into(), at: At::Share(0.5), first: None, second: None }), "has no name"),
    ] {
        let error = simulation.apply(&edit).expect_err(words);
        assert!(
            error.to_string().contains(words) && error.path.starts_with("cut") && !error.remedy.is_empty(),
            "{error}"
        );
        assert_eq!(simulation.world(), &before);
    }
    assert!(simulation.events().is_empty());
}

#[test]
fn rope_cut_into_many_pieces_keeps_its_mass() {
    let mut simulation = Simulation::build(&scene(hanging(24, json!({})))).expect("a scene");
    simulation.settle(&NoClock);
    let (mass, centre) =
        (total_mass(simulation.world()), weighted(simulation.world(), &simulation.world().state().q));
    let mut rod = "r".to_owned();
    for k in 0..5 {
        let next = format!("piece {k}");
        simulation.apply(&cut(&rod, At::Length(0.31), &next)).expect("a cut");
        rod = next;
    }
    assert!((total_mass(simulation.world()) / mass - 1.0).abs() < 1e-12);
    assert!(weighted(simulation.world(), &simulation.world().state().q).distance(centre) < 1e-5);
    for _ in 0..50 {
        simulation.step(&NoClock);
    }
    assert!(!happened!(simulation, Held) && !happened!(simulation, Refused));
    assert!(equilibrium_of_the_rest(&simulation));
}

/// The piece that still hangs is at rest in its own equilibrium.
fn equilibrium_of_the_rest(simulation: &Simulation) -> bool {
    let length = object(simulation.world(), "r").rod().expect("a rod").length();
    let alone = equilibrium(json!({
        "settings": {"mode": "static"},
        "rod": {"r": {"radius": 0.005, "young": 1e8, "density": 1200, "segments": 4,
            "shape": {"line": {"from": [0, 0, 0], "to": [0, 0, -length]}}}},
        "constraint": {"hook": {"position": {"on": "r", "at": "start"}},
            "roll": {"roll": {"on": "r", "at": "start"}}},
    }));
    at(alone.world(), "r", 1.0).distance(at(simulation.world(), "r", 1.0)) < 1e-4
}
