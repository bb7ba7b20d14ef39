//! Nothing passes through: hands, fast rods, rings and plectonemes; and the alarm that counts passages.

use super::{MODELS, read};
use crate::common::{build, probe};
use micado::clock::NoClock;
use micado::run::{EventKind, Simulation};
use serde_json::{Value, json};

/// A rod of rubber.
fn rod(model: &str, from: [f64; 3], to: [f64; 3], radius: f64) -> Value {
    json!({"model": model, "shape": {"line": {"from": from, "to": to}}, "radius": radius, "young": 1e8,
        "density": 1200, "segments": 10, "damping": {"internal": 1e-4}})
}

/// Makes all steps.
fn finish(simulation: &mut Simulation) {
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(!report.held, "{report:?}");
    }
}

/// A hand takes the middle of one rod and drags it across another one.
fn dragged(model: &str, speed: f64, radius: f64, touch: bool) -> Value {
    let (from, way) = (-0.03, 0.1);
    let path = json!({"times": [0, way / speed], "values": [[0, 0, 0], [0, 0, way]]});
    json!({
        "contact": {"alarm": true, "pairs": [{"between": ["all", "all"], "touch": touch}]},
        "rod": {"a": rod(model, [-0.05, 0.0, from], [0.05, 0.0, from], radius),
            "b": rod(model, [0.0, -0.05, 0.0], [0.0, 0.05, 0.0], radius)},
        "constraint": {
            "hand": {"position": {"on": "a", "at": "50 %", "displacement": {"keyframes": path}}},
            "held": {"position": {"on": "b", "at": "start"}},
        },
        "settings": {"duration": 0.03, "step": 0.001, "gravity": [0, 0, 0]},
    })
}

#[test]
fn a_hand_that_drags_a_thin_rod_across_another_does_not_pull_it_through() {
    for model in MODELS {
        for (speed, radius) in [(5.0, 2e-3), (50.0, 2e-3), (50.0, 0.5e-3)] {
            // From rest: no velocity indicates in advance that the rods will meet.
            let mut simulation = build(dragged(model, speed, radius, true));
            finish(&mut simulation);
            assert_eq!(simulation.passages(), 0, "{model}, {speed} m/s, {radius} m");
        }
    }
}

#[test]
fn without_contact_the_alarm_reports_which_rods_passed_and_where() {
    for model in MODELS {
        for speed in [5.0, 50.0] {
            let mut simulation = build(dragged(model, speed, 2e-3, false));
            finish(&mut simulation);
            assert_eq!(simulation.passages(), 1, "{model}, {speed} m/s");
            // A fast hand also divides steps.
            let told = simulation.events().iter().filter(|event| event.kind() == "passed");
            let told: Vec<&EventKind> = told.map(|event| &event.what).collect();
            let [EventKind::Passed { rods, places, passages: 1 }] = told[..] else { panic!("{told:?}") };
            assert_eq!(rods, &["a".to_owned(), "b".to_owned()]);
            // The hand holds the middle of one rod; the other does not move.
            assert!((places[1] - 0.05).abs() < 1e-6 && (places[0] - 0.05).abs() < 0.01, "{places:?}");
        }
    }
}

#[test]
fn without_an_alarm_passages_of_rods_that_do_not_touch_are_not_looked_for() {
    let mut scene = dragged("spline", 5.0, 2e-3, false);
    scene["contact"]["alarm"] = json!(false);
    let mut simulation = build(scene);
    finish(&mut simulation);
    assert_eq!((simulation.passages(), simulation.events().len()), (0, 0));
}

#[test]
fn rods_stay_on_their_side_of_a_thin_plate() {
    for model in MODELS {
        for speed in [5.0, 50.0] {
            let mut thrown = rod(model, [-0.03, 0.0, -0.02], [0.03, 0.01, -0.05], 5e-4);
            thrown["velocity"] = json!([0, 0, speed]);
            let mut simulation = build(json!({
                "contact": {}, "rod": {"a": thrown},
                "body": {"wall": {"shape": {"box": {"size": [0.4, 0.4, 0.001]}}, "fixed": true}},
                "settings": {"duration": 0.02, "step": 0.001, "gravity": [0, 0, 0]},
            }));
            finish(&mut simulation);
            for k in 0..=20 {
                let x = crate::common::at(simulation.world(), "a", f64::from(k) / 20.0);
                assert!(x.z < -0.0005, "{model}, {speed} m/s: {x}");
            }
        }
    }
}

#[test]
fn a_fast_mass_does_not_pass_through_a_rod() {
    for speed in [5.0, 50.0] {
        let mut simulation = build(json!({
            "contact": {},
            "rod": {"cord": rod("spline", [-0.1, 0.0, 0.0], [0.1, 0.0, 0.0], 5e-4)},
            "mass": {"shot": {"mass": 0.001, "radius": 0.001, "position": [0.01, 0, -0.02],
                "velocity": [0, 0, speed]}},
            "settings": {"duration": 0.01, "step": 0.001, "gravity": [0, 0, 0]},
            "probe": [read("z", "shot", "position", "z")],
        }));
        finish(&mut simulation);
        let cord = crate::common::at(simulation.world(), "cord", 0.55);
        assert!(cord.z > probe(&simulation, "z"), "{speed} m/s: {cord}");
    }
}

/// Two linked rings, of which one is drawn away by its far side.
fn rings(touch: bool) -> Value {
    let ring = |x: f64, normal: [f64; 3]| {
        json!({"model": "discrete-elastic", "shape": {"ring": {"centre": [x, 0, 0], "normal": normal,
            "radius": 0.05}}, "radius": 0.004, "young": 1e7, "density": 1200, "segments": 40,
            "damping": {"internal": 1e-3, "mass": 5}})
    };
    json!({
        "contact": {"alarm": true, "pairs": [{"between": ["all", "all"], "touch": touch}]},
        "rod": {"a": ring(0.0, [0.0, 0.0, 1.0]), "b": ring(0.05, [0.0, 1.0, 0.0])},
        "constraint": {
            "hold": {"position": {"on": "a", "at": "50 %"}},
            "draw": {"position": {"on": "b", "at": 0,
                "displacement": {"ramp": {"to": [0.15, 0, 0], "end": 0.3}}}},
        },
        "settings": {"duration": 0.4, "step": 0.002, "gravity": [0, 0, 0]},
        "probe": [{"name": "link", "of": "a", "with": "b", "read": "linking-number"},
            {"name": "back", "of": "b", "with": "a", "read": "linking-number"}],
    })
}

#[test]
fn linked_rings_that_are_pulled_apart_stay_linked_as_long_as_they_touch() {
    for touch in [true, false] {
        let mut simulation = build(rings(touch));
        let before = probe(&simulation, "link");
        finish(&mut simulation);
        let after = probe(&simulation, "link");
        // Sums of 40 × 40 angles.
        assert!((before.abs() - 1.0).abs() < 1e-9, "{before}");
        assert!((probe(&simulation, "back") - after).abs() < 1e-9);
        let (linked, passages) = if touch { (before, 0) } else { (0.0, 1) };
        assert!((after - linked).abs() < 1e-9, "{touch}: {after}");
        assert_eq!(simulation.passages(), passages);
    }
}

#[test]
fn a_linking_number_is_that_of_two_closed_rods() {
    let refused = |of: &str, with: Option<&str>| {
        let mut scene = rings(true);
        scene["rod"]["line"] = rod("spline", [0.0, 1.0, 0.0], [0.0, 2.0, 0.0], 1e-3);
        scene["probe"] = json!([{"name": "p", "of": of, "read": "linking-number", "with": with}]);
        micado::run::Simulation::build(&crate::common::scene(scene))
            .expect_err("no linking number")
            .to_string()
    };
    assert!(refused("a", None).contains("name the other closed rod"), "{}", refused("a", None));
    assert!(refused("a", Some("line")).contains("`line` is not a closed rod"));
    assert!(refused("line", Some("a")).contains("`line` is not a closed rod"));
}

/// A rod that is twisted by its ends and brought together, after the figure of a published paper on discrete
/// rods: 80 edges of length 1/80, EI = 1, GJ = 0.8.
fn plectoneme(touch: bool) -> Value {
    let radius = 0.012;
    let turns = |count: f64| count * std::f64::consts::TAU;
    json!({
        "contact": {"alarm": true, "friction": 0.1, "pairs": [{"between": ["rod", "rod"], "touch": touch}]},
        "rod": {"rod": {"model": "discrete-elastic", "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
            "radius": radius, "mass_per_length": 1, "segments": 80, "damping": {"mass": 15},
            "stiffness": {"stretch": 4.0 / (radius * radius), "bend": 1, "twist": 0.8}}},
        "constraint": {
            "left": {"clamp": {"on": "rod", "at": "start"}},
            "right": {"clamp": {"on": "rod", "at": "end",
                "displacement": {"keyframes": {"times": [0, 0.4, 1.6, 2.4], "values":
                    [[0, 0, 0], [-0.2, 0, 0], [-0.2, 0, 0], [-0.5, 0, 0]]}},
                "rotation": {"keyframes": {"times": [0, 1.5, 1.6], "values":
                    [[0, 0, 0], [turns(6.0), 0, 0], [turns(6.2), 0, 0]]}}}},
        },
        // A push to one side, since a straight rod would stay straight.
        "load": {"breath": {"force": {"on": "rod", "at": "50 %",
            "force": {"keyframes": {"times": [0, 0.1, 0.2],
                "values": [[0, 0, 0.1], [0, 0, 0.1], [0, 0, 0]]}}}}},
        "settings": {"duration": 2.6, "step": 0.002, "gravity": [0, 0, 0]},
        "probe": [{"name": "twist", "of": "rod", "read": "total-twist"},
            {"name": "writhe", "of": "rod", "read": "writhe"},
            read("torque", "right", "moment", "x")],
    })
}

#[test]
fn a_twisted_rod_keeps_twist_plus_writhe_while_it_becomes_a_plectoneme() {
    let mut simulation = build(plectoneme(true));
    let turned = |time: f64| if time < 1.5 { 4.0 * time } else { (6.0 + 2.0 * (time - 1.5)).min(6.2) };
    let mut most = 0;
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(!report.held, "{report:?}");
        most = most.max(report.contacts);
        if simulation.steps().is_multiple_of(50) {
            // The polygon and its frames obey the law to rounding; the clamps hold the ends to 1e-12.
            let link = probe(&simulation, "twist") + probe(&simulation, "writhe");
            let expected = turned(simulation.time());
            assert!((link - expected).abs() < 1e-5, "{} s: {link}, not {expected}", simulation.time());
        }
    }
    assert_eq!(simulation.passages(), 0);
    assert!(most >= 6, "{most} contacts");
    assert!(probe(&simulation, "writhe") > 2.0, "{}", probe(&simulation, "writhe"));
}

#[test]
fn a_twisted_rod_that_does_not_touch_itself_loses_two_turns_with_each_passage() {
    let mut simulation = build(plectoneme(false));
    finish(&mut simulation);
    let lost = 6.2 - probe(&simulation, "twist") - probe(&simulation, "writhe");
    let passages = simulation.passages() as f64;
    assert!(passages >= 1.0, "{passages}");
    // The alarm counts passages without their signs; here all of them unwind the rod.
    assert!((lost - 2.0 * passages).abs() < 1e-5, "{lost} turns, {passages} passages");
}

#[test]
fn a_mass_spring_rod_has_writhe_and_no_twist() {
    let scene = json!({"rod": {"a": rod("mass-spring", [0.0; 3], [1.0, 0.0, 0.0], 1e-3)},
        "probe": [{"name": "writhe", "of": "a", "read": "writhe"}]});
    let simulation = build(scene.clone());
    assert!(probe(&simulation, "writhe").abs() < 1e-9);
    let mut twisted = scene;
    twisted["probe"][0]["read"] = json!("total-twist");
    assert!(Simulation::build(&crate::common::scene(twisted)).is_err());
}
