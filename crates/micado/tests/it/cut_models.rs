//! Cuts and splices of discrete elastic rods, beams and mass-spring rods.

use crate::common::{
    at, bits, build, constraint, equilibrium, force, momentum, object, scene, total_mass, velocity,
};
use micado::clock::NoClock;
use micado::describe::anchor::At;
use micado::run::Simulation;
use micado::scene::{Cut, Edit};
use micado::world::World;
use serde_json::{Value, json};

const MODELS: [&str; 3] = ["discrete-elastic", "beam", "mass-spring"];

fn cut(rod: &str, at: At, second: Option<&str>) -> Edit {
    Edit::Cut(Cut { rod: rod.into(), at, first: None, second: second.map(Into::into) })
}

fn splice(first: &str, second: &str) -> Edit {
    let words = json!({"splice": {"first": first, "second": second, "angle": 0.5, "tolerance": 1e-3}});
    serde_json::from_value(words).expect("an edit")
}

/// A curved rod whose start has been moved for a while; also twisted if the model has twist.
fn swung(model: &str, segments: usize) -> Simulation {
    let mut rod = json!({"model": model, "radius": 0.01, "young": 2e7, "density": 1100, "segments": segments,
        "shape": {"helix": {"centre": [0, 0, 0], "radius": 0.3, "pitch": 0.5, "turns": 0.7}}});
    if model != "mass-spring" {
        rod["twist"] = json!(0.7);
    }
    let mut simulation = build(json!({
        "settings": {"step": 2e-3, "solves": 3},
        "rod": {"r": rod},
        "constraint": {
            "hand": {"position": {"on": "r", "at": "start",
                "displacement": {"ramp": {"to": [0.06, -0.04, 0.03], "end": 0.2}}}},
            "heading": {"tangent": {"on": "r", "at": "start"}},
        },
    }));
    for _ in 0..100 {
        assert!(!simulation.step(&NoClock).held);
    }
    simulation
}

/// Largest differences of position, velocity, twist and tension between a rod and its parts.
fn differences(before: &World, after: &World, skip: f64) -> [f64; 4] {
    let whole = object(before, "r").rod().expect("a rod").length();
    let first = object(after, "r").rod().expect("a rod").length();
    let mut worst = [0.0_f64; 4];
    for k in 0..400 {
        // Between nodes, where twist jumps from element to element.
        let s = whole * (f64::from(k) + 0.3) / 400.0;
        if (s - first).abs() < skip {
            continue;
        }
        let (name, s_new) = if s <= first { ("r", s) } else { ("tail", s - first) };
        let old = before.section(object(before, "r"), s).expect("a rod");
        let new = after.section(object(after, name), s_new).expect("a rod");
        let speeds = velocity(before, "r", s).distance(velocity(after, name, s_new));
        let found = [
            old.position.distance(new.position),
            speeds,
            (old.twist - new.twist).abs(),
            (old.tension - new.tension).abs(),
        ];
        worst = std::array::from_fn(|i| worst[i].max(found[i]));
    }
    worst
}

#[test]
fn cut_between_elements_leaves_every_point_where_it_is() {
    for model in MODELS {
        let before = swung(model, 20);
        let mut after = before.world().clone();
        // A node of beams and mass-spring rods; in a discrete rod the middle between two bends.
        after.apply(&cut("r", At::Share(0.4), Some("tail"))).expect("a cut");
        let names = ["r", "tail"].map(|name| object(&after, name).rod().expect("a rod").model());
        assert_eq!(names, [object(before.world(), "r").rod().expect("a rod").model(); 2]);
        // Moments of mass-spring rods, and tensions, are read by lines through neighbours, which a cut
        // removes. So they are compared one element and a half away from the cut.
        let length = object(before.world(), "r").rod().expect("a rod").length();
        let [x, v, twist, tension] = differences(before.world(), &after, 1.5 * length / 20.0);
        assert!(x < 1e-12 && v < 1e-11, "{model}: {x:.1e} m, {v:.1e} m/s");
        // EA = 6283 N times rounding of 1e-14.
        assert!(twist < 1e-11 && tension < 1e-9, "{model}: {twist:.1e} rad/m, {tension:.1e} N");
        assert!((total_mass(&after) / total_mass(before.world()) - 1.0).abs() < 1e-13, "{model}");
        let p = momentum(before.world());
        assert!(momentum(&after).distance(p) < 1e-12 * p.length(), "{model}");
    }
}

#[test]
fn cut_anywhere_keeps_mass_momentum_and_tension() {
    for model in MODELS {
        let missed = [20, 40].map(|segments| {
            let before = swung(model, segments);
            let mut after = before.world().clone();
            after.apply(&cut("r", At::Share(0.437), Some("tail"))).expect("a cut");
            assert!((total_mass(&after) / total_mass(before.world()) - 1.0).abs() < 1e-13, "{model}");
            let p = momentum(before.world());
            assert!(momentum(&after).distance(p) < 1e-12 * p.length(), "{model}");
            let length = object(before.world(), "r").rod().expect("a rod").length();
            let [x, _, twist, tension] = differences(before.world(), &after, 2.5 * length / segments as f64);
            let largest = (0..=50)
                .map(|k| {
                    let s = length * f64::from(k) / 50.0;
                    before.world().section(object(before.world(), "r"), s).expect("a rod").tension.abs()
                })
                .fold(0.0, f64::max);
            [x / length, twist, tension / largest]
        });
        // Discrete rods keep all vertices; nodes of the others move along cubics, O(l⁴), and mass-spring rods
        // keep the strains of their edges, by a shift that is O(l³).
        let order = (missed[0][0] / missed[1][0]).log2();
        assert!(missed[1][0] < 1e-12 || order > 1.8 && missed[1][0] < 1e-4, "{model}: {missed:?}");
        assert!(missed.iter().all(|m| m[1] < 2e-2), "twist of {model}: {missed:?}");
        // Edges of discrete rods keep their strains, EA = 6283 N times rounding. In the other models strains
        // are means over pieces of neighbouring elements: they differ by the change from one to the next.
        let most = if model == "discrete-elastic" { 1e-9 } else { 0.1 };
        assert!(missed.iter().all(|m| m[2] < most), "tension of {model}: {missed:?}");
    }
}

#[test]
fn splice_undoes_a_cut() {
    for model in MODELS {
        for share in [0.4, 0.437] {
            let before = swung(model, 20);
            let mut after = before.world().clone();
            after.apply(&cut("r", At::Share(share), Some("tail"))).expect("a cut");
            after.apply(&splice("r", "tail")).expect("a splice");
            let [old, new] =
                [before.world(), &after].map(|world| object(world, "r").rod().expect("a rod").clone());
            // To rounding at elements and in discrete rods, whose bends stay. Elsewhere the rod is fitted
            // twice, to a hundredth of an element.
            let exact = share == 0.4 || model == "discrete-elastic";
            assert!(old.segments() == new.segments() || !exact, "{model}");
            assert!((old.length() - new.length()).abs() < 1e-12, "{model}");
            let moved = (0..=200)
                .map(|k| {
                    let share = f64::from(k) / 200.0;
                    at(before.world(), "r", share).distance(at(&after, "r", share))
                })
                .fold(0.0, f64::max);
            let element = old.length() / 20.0;
            assert!(moved < if exact { 1e-11 } else { 0.01 * element }, "{model} at {share}: {moved:.1e}");
            let energies = [before.world(), &after].map(|world| {
                let energy = world.energy();
                [energy.kinetic, energy.stretch, energy.bend, energy.twist]
            });
            for (old, new) in energies[0].into_iter().zip(energies[1]) {
                let tolerance = if exact { 1e-9 } else { 0.1 };
                assert!((old - new).abs() < tolerance * old.max(1e-3), "{model} at {share}: {energies:?}");
            }
        }
    }
}

#[test]
fn cut_rope_falls_and_its_hook_holds_the_remaining_weight_in_every_model() {
    for model in MODELS {
        for share in [0.5, 0.37] {
            let mut simulation = build(json!({
                "settings": {"step": 1e-3, "settle": true},
                "rod": {"r": {"model": model, "radius": 0.005, "young": 1e8, "density": 1200, "segments": 10,
                    "damping": {"internal": 1e-2}, "shape": {"line": {"from": [0, 0, 0], "to": [0, 0, -2]}}}},
                "constraint": {"hook": {"position": {"on": "r", "at": "start"}}},
            }));
            simulation.settle(&NoClock);
            simulation.apply(&cut("r", At::Share(share), Some("lower"))).expect("a cut");
            let (top, mass) = (at(simulation.world(), "lower", 0.5), total_mass(simulation.world()));
            for _ in 0..400 {
                assert!(!simulation.step(&NoClock).held, "{model}");
            }
            // Implicit Euler falls by g t (t + h)/2; the part contracts about its centre, which is its middle
            // to the strain of its own weight, 2e-4 of its length.
            let fallen = top.z - at(simulation.world(), "lower", 0.5).z;
            let expected = 9.81 * 0.4 * 0.401 / 2.0;
            assert!((fallen - expected).abs() < 1e-3 * expected, "{model}: {fallen} m for {expected} m");
            let left = object(simulation.world(), "r").total_mass();
            assert!((left / mass - share).abs() < 1e-12, "{model}");
            for _ in 0..2000 {
                simulation.step(&NoClock);
            }
            let held = force(simulation.world(), "hook").force.z;
            // The vibration has decayed to this.
            assert!((held / (9.81 * left) - 1.0).abs() < 1e-3, "{model}: {held} N for {} N", 9.81 * left);
        }
    }
}

#[test]
fn attached_items_and_snapshots_follow_the_material() {
    for model in MODELS {
        let description = json!({
            "settings": {"step": 1e-3},
            "rod": {"r": {"model": model, "radius": 0.005, "young": 1e8, "density": 1200, "segments": 10,
                "shape": {"line": {"from": [0, 0, 0], "to": [0, 0, -2]}}}},
            "constraint": {
                "hook": {"position": {"on": "r", "at": "start"}},
                "above": {"pearl": {"on": "r", "at": 0.5, "mass": 0.01, "radius": 0.01, "viscosity": 50}},
                "below": {"pearl": {"on": "r", "at": 1.5, "mass": 0.02, "radius": 0.01, "viscosity": 50}},
                "link": {"distance": {"on": "r", "at": 0.2, "to": {"on": "r", "at": 1.7}, "limit": "at-most",
                    "distance": 1.9}},
            },
            "load": {"wind": {"distributed": {"on": "r", "from": 0.4, "to": 1.8, "force": [0.1, 0, 0]}}},
            "probe": [{"name": "z", "of": "r", "at": 1.6, "read": "position", "component": "z"}],
        });
        let whole = scene(description.clone());
        let mut simulation = build(description);
        for _ in 0..20 {
            simulation.step(&NoClock);
        }
        let before = simulation.world().clone();
        simulation.apply(&cut("r", At::Share(0.43), Some("tail"))).expect("a cut");
        let after = simulation.world();
        for (k, old) in before.structure().constraints.iter().enumerate() {
            let ([a, b], [c, d]) = (before.sites(k).expect("sites"), after.sites(k).expect("sites"));
            // The strain of a hanging rope, 2e-4, jumps at a pearl by a tenth, within an element of 0.2 m.
            assert!(a.x.distance(c.x) < 1e-5 && b.x.distance(d.x) < 1e-5, "{model}: {}", old.name);
        }
        assert_eq!(after.structure().loads.len(), 2, "{model}: the wind blows on both parts");
        // A run that is restored from a snapshot after the cut continues with the same bits.
        let (mut restored, _) = Simulation::restore(&simulation.snapshot(&whole)).expect("a snapshot");
        for _ in 0..50 {
            simulation.step(&NoClock);
            restored.step(&NoClock);
        }
        assert_eq!(bits(simulation.world()), bits(restored.world()), "{model}");
        assert_eq!(simulation.probe_values(), restored.probe_values(), "{model}");
        assert!(
            simulation.world().sites(constraint(simulation.world(), "below")).expect("sites")[0].x.z < -1.4
        );
    }
}

#[test]
fn ring_that_is_cut_is_an_open_rod_with_the_same_shape_and_energy() {
    for model in MODELS {
        for share in [0.0, 0.25, 0.31] {
            let mut rod = json!({"model": model, "radius": 0.004, "young": 1e8, "density": 1200,
                "segments": 40, "shape": {"ring": {"centre": [0, 0, 0], "radius": 0.4}}});
            if model != "mass-spring" {
                rod["twist"] = json!(1.3);
            }
            let mut simulation = build(json!({
                "settings": {"gravity": [0, 0, 0], "step": 1e-3, "solves": 2},
                "rod": {"r": rod},
                "constraint": {"hold": {"position": {"on": "r", "at": "10 %"}}},
            }));
            for _ in 0..20 {
                simulation.step(&NoClock);
            }
            let before = simulation.world().clone();
            simulation.apply(&cut("r", At::Share(share), None)).expect("a cut");
            let after = simulation.world();
            let [closed, open] =
                [&before, after].map(|world| object(world, "r").rod().expect("a rod").is_closed());
            assert!(closed && !open);
            let length = object(&before, "r").rod().expect("a rod").length();
            let farthest = (0..=100)
                .map(|k| {
                    let s = length * f64::from(k) / 100.0;
                    let old = (s + share * length).rem_euclid(length);
                    let [a, b] = [(&before, old), (after, s)]
                        .map(|(world, s)| world.section(object(world, "r"), s).expect("a rod").position);
                    a.distance(b)
                })
                .fold(0.0, f64::max);
            // A polygon of 40 corners is up to l²/(8R) = 0.5 mm inside of its circle, where it is cut between
            // corners.
            assert!(farthest < 6e-4, "{model} at {share}: {farthest:.1e} m");
            let (old, new) = (before.energy(), after.energy());
            // One bend of 40 is lost at the cut; the outer bends of a mass-spring rod are stiffer, by 0.6.
            assert!((new.bend / old.bend - 1.0).abs() < 0.06, "{model}: {} J, {} J", old.bend, new.bend);
            if model != "mass-spring" {
                assert!((new.twist / old.twist - 1.0).abs() < 0.06, "{model}: {} {}", old.twist, new.twist);
            }
            let steps: Vec<bool> = (0..50).map(|_| simulation.step(&NoClock).held).collect();
            assert!(!steps.contains(&true), "{model}");
        }
    }
}

#[test]
fn spliced_ropes_carry_what_one_rope_carries() {
    for model in MODELS {
        let rope = |from: [f64; 3], to: [f64; 3]| {
            json!({"model": model, "radius": 0.003, "young": 1e8, "density": 1200, "segments": 12,
                "shape": {"line": {"from": from, "to": to}}})
        };
        let settings = json!({"mode": "static"});
        let whole = equilibrium(json!({
            "settings": settings,
            "rod": {"a": {"model": model, "radius": 0.003, "young": 1e8, "density": 1200, "segments": 24,
                "shape": {"line": {"from": [0, 0, 0], "to": [0, 0, -1]}}}},
            "constraint": {"hook": {"position": {"on": "a", "at": "start"}}},
        }));
        let mut world = build(json!({
            "settings": settings,
            "rod": {"a": rope([0.0, 0.0, 0.0], [0.0, 0.0, -0.5]),
                "b": rope([0.0, 0.0, -0.5], [0.0, 0.0, -1.0])},
            "constraint": {"hook": {"position": {"on": "a", "at": "start"}}},
        }));
        world.apply(&splice("a", "b")).expect("a splice");
        assert!(world.step(&NoClock).converged, "{model}");
        let (one, joined) = (force(whole.world(), "hook").force, force(world.world(), "hook").force);
        assert!((one - joined).length() < 1e-6 * one.length(), "{model}: {one} {joined}");
        let [x, y] = [whole.world(), world.world()].map(|world| at(world, "a", 1.0));
        assert!(x.distance(y) < 1e-8, "{model}: {x} {y}");
    }
}

#[test]
fn pieces_that_a_model_can_not_make_are_refused_with_a_way_out() {
    let refusal = |rods: Value, edit: &Edit| {
        let mut simulation = build(json!({"rod": rods}));
        let before = bits(simulation.world());
        let error = simulation.world_mut().apply(edit).expect_err("refused");
        assert_eq!(bits(simulation.world()), before);
        error.to_string()
    };
    let rod = |from: f64, more: Value| {
        let mut rod = json!({"model": "discrete-elastic", "young": 1e7, "density": 1000, "segments": 10,
            "section": {"rectangle": {"a": 0.02, "b": 0.01}},
            "shape": {"line": {"from": [from, 0, 0], "to": [from + 1.0, 0, 0]}}});
        for (key, value) in more.as_object().cloned().unwrap_or_default() {
            rod[&key] = value;
        }
        rod
    };
    let shaped = refusal(
        json!({"r": rod(0.0, json!({"natural": "as-shaped"}))}),
        &cut("r", At::Share(0.5), Some("tail")),
    );
    assert!(shaped.contains("natural") && shaped.contains("spline"), "{shaped}");
    // Upright and flat: joined as they are, the section would jump by a quarter turn.
    let turned = refusal(
        json!({"a": rod(0.0, json!({"up": [0, 0, 1]})), "b": rod(1.0, json!({"up": [0, 1, 0]}))}),
        &splice("a", "b"),
    );
    assert!(turned.contains("90.0°") && turned.contains("spline"), "{turned}");
}

#[test]
fn inextensible_rod_keeps_its_lengths_when_it_is_cut() {
    let mut simulation = build(json!({
        "settings": {"step": 1e-3},
        "rod": {"r": {"model": "discrete-elastic", "inextensible": true, "radius": 0.004, "young": 1e8,
            "density": 1200, "segments": 20, "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}}},
        "constraint": {"hook": {"position": {"on": "r", "at": "start"}}},
    }));
    for _ in 0..100 {
        simulation.step(&NoClock);
    }
    simulation.apply(&cut("r", At::Share(0.43), Some("tail"))).expect("a cut");
    for _ in 0..100 {
        let report = simulation.step(&NoClock);
        assert!(!report.held && report.residual < 1e-6, "{report:?}");
    }
    let mut lengths = 0.0;
    for name in ["r", "tail"] {
        let object = object(simulation.world(), name);
        let rod = object.rod().expect("a rod");
        let present = rod.present_length(&simulation.world().state().q[object.unknowns()]);
        // Edges are held to the tolerance of a solve, a millionth.
        assert!((present / rod.length() - 1.0).abs() < 1e-5, "{name}: {present}");
        lengths += rod.length();
    }
    assert!((lengths - 1.0).abs() < 1e-12);
}
