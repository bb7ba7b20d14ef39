//! Splicing rods: what was two is one, where and as it was.

use crate::common::{
    at, bits, build, constraint, force, happened, momentum, object, scene, total_mass, velocity,
};
use micado::clock::NoClock;
use micado::describe::anchor::At;
use micado::error::BuildErrorKind;
use micado::run::{EditSummary, EventKind, Simulation};
use micado::scene::Cut;
use micado::scene::Edit;
use micado::scene::Splice;
use micado::world::World;
use serde_json::{Value, json};

fn splice(first: &str, second: &str) -> Edit {
    Edit::Splice(Splice {
        first: first.into(),
        second: second.into(),
        name: None,
        tolerance: 1e-3,
        angle: 0.5,
    })
}

fn cut(rod: &str, at: At, second: &str) -> Edit {
    Edit::Cut(Cut { rod: rod.into(), at, first: None, second: Some(second.into()) })
}

/// A rod of a natural shape and stretches of its own, swinging; a second one that must not notice anything.
fn swinging(segments: usize) -> Simulation {
    let mut simulation = build(json!({
        "settings": {"step": 2e-3, "solves": 3},
        "rod": {"r": {"section": {"ellipse": {"a": 0.01, "b": 0.007}}, "young": 2e7, "density": 1100,
            "segments": segments, "twist": 0.7,
                      "natural": "as-shaped", "damping": {"internal": 1e-3},
                      "stretches": [{"from": "20 %", "to": "70 %", "density": 2000}],
                      "shape": {"arc": {"from": [0, 0, 0], "tangent": [1, 0, 0], "towards": [0, 0, -1],
                          "radius": 0.8, "angle": 1.5}}},
                "other": {"radius": 0.01, "young": 1e7, "density": 1000, "segments": 4,
                    "shape": {"line": {"from": [0, 1, 0], "to": [1, 1, 0]}}}},
        "constraint": {"hand": {"clamp": {"on": "r", "at": "start",
            "displacement": {"harmonic": {"amplitude": [0, 0.05, 0], "frequency": 2}}}},
                       "bead": {"pearl": {"on": "r", "at": "80 %", "mass": 0.05, "viscosity": 2}},
                       "hold": {"position": {"on": "other", "at": "start"}}},
        "load": {"air": {"drag": {"on": "r", "coefficient": 0.2}}},
    }));
    for _ in 0..60 {
        simulation.step(&NoClock);
    }
    simulation
}

fn largest_distance(a: &World, b: &World) -> f64 {
    let length = object(a, "r").rod().expect("a rod").length();
    (0..=200)
        .map(|k| {
            let share = f64::from(k) / 200.0;
            let speeds = velocity(a, "r", share * length).distance(velocity(b, "r", share * length));
            at(a, "r", share).distance(at(b, "r", share)).max(speeds)
        })
        .fold(0.0, f64::max)
}

#[test]
fn a_cut_at_a_knot_is_undone_by_a_splice() {
    let whole = swinging(12);
    let mut mended = whole.clone();
    let knot = object(whole.world(), "r").rod().expect("a rod").arc_at(6, 1.0);
    mended.apply(&cut("r", At::Length(knot), "tail")).expect("a cut");
    assert_eq!(mended.world().structure().objects.len(), 3);
    mended.apply(&splice("r", "tail")).expect("a splice");
    assert_eq!(mended.world().structure().objects.len(), 2);
    assert_eq!(object(mended.world(), "r").rod().expect("a rod").segments(), 12);
    let away = largest_distance(whole.world(), mended.world());
    assert!(away < 1e-11, "{away:.1e}");
    let (old, new) = (whole.world().energy(), mended.world().energy());
    // An arc is laid along a spline whose knots are not quite evenly spaced: the fit that undoes the cut is
    // of the same kind.
    assert!((new.total() / old.total() - 1.0).abs() < 1e-9, "{} {}", old.total(), new.total());
    assert!((new.twist / old.twist - 1.0).abs() < 1e-9 && (new.bend / old.bend - 1.0).abs() < 1e-9);
    assert!((total_mass(mended.world()) / total_mass(whole.world()) - 1.0).abs() < 1e-12);
    // And the motion goes on alike.
    let (mut whole, mut mended) = (whole, mended);
    for _ in 0..100 {
        whole.step(&NoClock);
        mended.step(&NoClock);
    }
    let away = largest_distance(whole.world(), mended.world());
    // Rounding grows as it does between two runs that begin 1e-11 apart.
    assert!(away < 1e-8, "{away:.1e}");
}

#[test]
fn splicing_undoes_a_cut_between_knots_to_the_error_of_the_fits() {
    let missed = [12, 24].map(|segments| {
        let whole = swinging(segments);
        let mut mended = whole.clone();
        mended.apply(&cut("r", At::Share(0.47), "tail")).expect("a cut");
        mended.apply(&splice("r", "tail")).expect("a splice");
        assert!(momentum(mended.world()).distance(momentum(whole.world())) < 1e-12);
        assert!((object(mended.world(), "r").rod().expect("a rod").length() / 1.2 - 1.0).abs() < 1e-5);
        largest_distance(whole.world(), mended.world())
    });
    assert!(missed[0] / missed[1] > 4.0 && missed[1] < 1e-3, "{missed:?}");
}

/// Two straight rods that meet, with what the second one has of its own.
fn two(second: Value) -> Value {
    let mut rod = json!({"radius": 0.005, "young": 1e8, "density": 1200, "segments": 6,
        "damping": {"internal": 5e-3, "mass": 1.0},
                         "shape": {"line": {"from": [0, 0, 0], "to": [0, 0, -0.6]}}});
    let first = rod.clone();
    rod["shape"] = json!({"line": {"from": [0, 0, -0.6], "to": [0, 0, -1.4]}});
    for (key, value) in second.as_object().cloned().unwrap_or_default() {
        rod[key] = value;
    }
    json!({
        "settings": {"step": 1e-3},
        "rod": {"a": first, "b": rod},
        "constraint": {"hook": {"position": {"on": "a", "at": "start"}},
            "roll": {"roll": {"on": "a", "at": "start"}},
                       "end": {"position": {"on": "b", "at": "end"}},
                           "held": {"roll": {"on": "b", "at": "end", "angle": 0}}},
    })
}

#[test]
fn rods_of_different_material_and_segments_hang_together() {
    let heavy = json!({"density": 5000, "young": 4e8, "segments": 10, "up": [1, 1, 0],
        "natural": {"curved": {"curvature_1": 0.2}}});
    let mut simulation = build(two(heavy));
    let before = simulation.world().clone();
    let weight = total_mass(&before) * 9.81;
    let edit = Edit::Splice(Splice {
        first: "a".into(),
        second: "b".into(),
        name: Some("rope".into()),
        tolerance: 1e-9,
        angle: 1e-6,
    });
    simulation.apply(&edit).expect("a splice");
    let rope = object(simulation.world(), "rope").rod().expect("a rod");
    // As fine as the finer one, 0.08 m a segment.
    assert!((rope.length() - 1.4).abs() < 1e-12 && rope.segments() == 18, "{}", rope.segments());
    assert!((total_mass(simulation.world()) * 9.81 / weight - 1.0).abs() < 1e-12);
    // Material is where it was: the section of each side keeps its directors, and no twist is stored between
    // them.
    for (name, share, s) in [("a", 0.5, 0.3), ("b", 0.5, 1.0)] {
        let length = before
            .structure()
            .objects
            .iter()
            .find(|o| o.name == name)
            .and_then(|o| o.rod())
            .expect("a rod")
            .length();
        let old = before.section(object(&before, name), share * length).expect("a rod");
        let new = simulation.world().section(object(simulation.world(), "rope"), s).expect("a rod");
        assert!(
            old.position.distance(new.position) < 1e-12 && old.director.distance(new.director) < 1e-9,
            "{name}"
        );
    }
    assert!(simulation.world().energy().twist < 1e-18, "{}", simulation.world().energy().twist);
    for name in ["roll", "held"] {
        assert!(
            simulation.world().constraint_miss(constraint(simulation.world(), name)).expect("a miss") < 1e-12,
            "{name}"
        );
    }
    simulation.apply(&Edit::Release("end".into())).expect("it is there");
    for _ in 0..4000 {
        simulation.step(&NoClock);
    }
    assert!(!happened!(simulation, Held) && !happened!(simulation, Refused));
    let carried = force(simulation.world(), "hook").force.z;
    assert!((carried / weight - 1.0).abs() < 1e-3, "{carried} N for {weight} N");
    // Each part is stretched by what hangs below it, and by its own modulus.
    let area = std::f64::consts::PI * 0.005_f64.powi(2);
    for (s, below, young) in [(0.3, 0.3 * 1200.0 + 0.8 * 5000.0, 1e8), (1.0, 0.4 * 5000.0, 4e8)] {
        let expected = below * area * 9.81 / (young * area);
        let found = simulation.world().section(object(simulation.world(), "rope"), s).expect("a rod").stretch;
        assert!((found / expected - 1.0).abs() < 0.02, "{found} instead of {expected}");
    }
}

#[test]
fn a_kink_is_smoothed_and_then_springs_straight() {
    let mut description = two(json!({"shape": {"line": {"from": [0, 0, -0.6], "to": [0.2, 0, -1.0]}}}));
    description["settings"]["gravity"] = json!([0, 0, 0]);
    description["constraint"] = json!({"clamp": {"clamp": {"on": "a", "at": "start"}}});
    description["rod"]["a"]["damping"] = json!({"internal": 0.05, "mass": 3.0});
    description["rod"]["b"]["damping"] = json!({"internal": 0.05, "mass": 3.0});
    let mut simulation = build(description);
    simulation.apply(&splice("a", "b")).expect("a splice");
    let bent = simulation.world().energy().bend;
    assert!(bent > 1e-3, "{bent}");
    for _ in 0..4000 {
        simulation.step(&NoClock);
    }
    let tip = at(simulation.world(), "a", 1.0);
    let length = 0.6 + 0.2_f64.hypot(0.4);
    assert!(tip.x.abs() < 1e-2 && (tip.z + length).abs() < 1e-3, "{tip}");
    assert!(simulation.world().energy().bend < 1e-3 * bent);
}

#[test]
fn snapshot_after_a_splice_continues_with_the_same_bits() {
    let mut description = two(json!({"segments": 8}));
    description["action"] = json!([{"at": 0.01,
        "do": {"splice": {"first": "a", "second": "b", "tolerance": "2 mm", "angle": "10 deg"}}},
                                   {"at": 0.02, "do": {"release": "end"}}]);
    description["settings"]["duration"] = json!(0.1);
    let description = scene(description);
    let mut simulation = Simulation::build(&description).expect("a scene");
    for _ in 0..30 {
        simulation.step(&NoClock);
    }
    let edit = EditSummary::Splice { first: "a".into(), second: "b".into() };
    assert!(simulation.events().iter().any(|event| event.what == EventKind::Action { edit: edit.clone() }));
    let (mut restored, _) = Simulation::restore(&simulation.snapshot(&description)).expect("a snapshot");
    for _ in 0..30 {
        simulation.step(&NoClock);
        restored.step(&NoClock);
    }
    assert_eq!(bits(restored.world()), bits(simulation.world()));
}

#[test]
fn invalid_splices_are_refused_and_change_nothing() {
    let refused = |description: Value, edit: Edit, words: &str| {
        let mut world = build(description).world().clone();
        let before = world.clone();
        let error = world.apply(&edit).expect_err(words);
        assert!(
            error.to_string().contains(words) && error.path.starts_with("splice") && !error.remedy.is_empty(),
            "{error}"
        );
        assert_eq!(world, before);
        error.kind
    };
    let (unknown, state) = (BuildErrorKind::UnknownName { name: "c".into() }, BuildErrorKind::State);
    assert_eq!(refused(two(json!({})), splice("a", "c"), "there is no rod"), unknown);
    assert_eq!(refused(two(json!({})), splice("a", "a"), "own two ends"), BuildErrorKind::Invalid);
    assert_eq!(refused(two(json!({})), splice("b", "a"), "m apart"), state);
    refused(two(json!({"damping": {"internal": 1.0}})), splice("a", "b"), "`damping`");
    refused(two(json!({"basis": "catmull-rom"})), splice("a", "b"), "Catmull");
    let across = two(json!({"shape": {"line": {"from": [0, 0, -0.6], "to": [0.4, 0, -0.6]}}}));
    assert_eq!(refused(across, splice("a", "b"), "angle of 90.0°"), state);
    refused(two(json!({"shape": {"ring": {"centre": [0, 0, 0], "radius": 1}}})), splice("a", "b"), "closed");
    let named = |name: &str| {
        Edit::Splice(Splice {
            first: "a".into(),
            second: "b".into(),
            name: Some(name.into()),
            tolerance: 1e-3,
            angle: 0.1,
        })
    };
    refused(two(json!({})), named("hook"), "has the name of a constraint");
    let mut bad = two(json!({}));
    bad["mass"] = json!({"m": {"position": [0, 0, 0], "mass": 1}});
    refused(bad, splice("a", "m"), "is a mass");
}
