//! Random scenes with contact, sensible and not: building never panics. A scene that is built can be stepped
//! and saved without panic, and stays finite.

use super::MODELS;
use crate::common::{is_finite, scene};
use crate::scenes_fuzz::{config, likely, number, steps_stay_finite, vector};
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::{ContactPair, ContactSettings, Floor, Friction, Mode, Radius, Scene};
use proptest::option::weighted;
use proptest::prelude::*;
use serde_json::{Value, json};

const NAMES: [&str; 8] = ["a", "b", "rope", "cord", "ball", "floor", "all", "group"];

/// A name; sometimes that of no object.
fn name() -> BoxedStrategy<String> {
    let known = prop::sample::select(NAMES.to_vec()).prop_map(String::from);
    prop_oneof![30 => known, 1 => Just("nobody".to_owned())].boxed()
}

/// A coefficient from 0 to 1, seldom another number.
fn share() -> BoxedStrategy<f64> {
    prop_oneof![30 => 0.0..1.0_f64, 3 => prop::sample::select(vec![0.0, 1.0, 1e3, 1e6]), 1 => number()]
        .boxed()
}

fn friction() -> BoxedStrategy<Friction> {
    prop_oneof![
        3 => share().prop_map(|mu| Friction { along: mu, across: mu }),
        1 => (share(), share()).prop_map(|(along, across)| Friction { along, across }),
    ]
    .boxed()
}

fn restitution() -> BoxedStrategy<f64> {
    prop_oneof![30 => 0.0..1.0_f64, 1 => share()].boxed()
}

fn pair() -> impl Strategy<Value = ContactPair> {
    ([name(), name()], weighted(0.4, any::<bool>()), weighted(0.5, friction()), weighted(0.3, restitution()))
        .prop_map(|(between, touch, friction, restitution)| ContactPair {
            between,
            touch,
            friction,
            restitution,
        })
}

fn contact() -> impl Strategy<Value = ContactSettings> {
    let radius = prop_oneof![30 => 1e-3..0.2_f64, 1 => number()];
    let member = prop::sample::select(vec!["a", "b", "rope", "ball"]).prop_map(String::from);
    (
        friction(),
        restitution(),
        weighted(0.3, (prop::sample::select(vec!["rope", "ball", "a"]), radius)),
        weighted(0.9, prop::collection::vec(member, 0..3)),
        prop::collection::vec(pair(), 0..4),
    )
        .prop_map(|(friction, restitution, radius, group, pairs)| ContactSettings {
            friction,
            restitution,
            radius: radius.map(|(name, r)| (name.to_owned(), Radius(r))).into_iter().collect(),
            groups: group.map(|members| ("group".to_owned(), members)).into_iter().collect(),
            pairs,
            ..ContactSettings::default()
        })
}

/// A shape of a body, of about 10 cm.
fn shape() -> BoxedStrategy<Value> {
    let size = || 0.02..0.2_f64;
    prop_oneof![
        3 => [size(), size(), size()].prop_map(|size| json!({"box": {"size": size}})),
        2 => size().prop_map(|r| json!({"sphere": {"radius": r}})),
        2 => (size(), size()).prop_map(|(r, l)| json!({"cylinder": {"radius": r, "length": l}})),
        1 => (size(), size()).prop_map(|(r, l)| json!({"capsule": {"radius": r, "length": l}})),
        1 => (size(), size()).prop_map(|(r, l)| json!({"cone": {"radius": r, "length": l}})),
        1 => Just(json!({"half-space": {}})),
    ]
    .boxed()
}

/// Places and velocities of objects that overlap or nearly do; sometimes any vectors.
fn near() -> BoxedStrategy<[f64; 3]> {
    prop_oneof![30 => [-0.2..0.2_f64, -0.2..0.2_f64, -0.1..0.2_f64], 1 => vector()].boxed()
}

fn body() -> impl Strategy<Value = Value> {
    (shape(), -6.0..6.0_f64, any::<[bool; 2]>()).prop_map(|(shape, size, fixed)| {
        let fixed = fixed == [true; 2] || !shape["half-space"].is_null();
        if fixed {
            json!({"shape": shape, "fixed": true})
        } else {
            json!({"shape": shape, "mass": 10.0_f64.powf(size)})
        }
    })
}

fn rod() -> impl Strategy<Value = Value> {
    (prop::sample::select(MODELS.to_vec()), near(), near(), 3.0..11.0_f64, 1..9_usize).prop_map(
        |(model, from, to, young, segments)| {
            json!({"model": model, "shape": {"line": {"from": from, "to": to}}, "radius": 0.01,
                "young": 10.0_f64.powf(young), "density": 1000, "segments": segments})
        },
    )
}

/// A scene with two bodies, two ropes and a ball, some of them left out.
fn touching() -> impl Strategy<Value = Scene> {
    let objects = ([body(), body()], [rod(), rod()], any::<[bool; 5]>());
    let motions = ([near(), near(), near(), near(), near()], [near(), near()], 0.0..2.0_f64);
    let settings = (weighted(0.9, contact()), weighted(0.7, number()), -4.0..0.0_f64, any::<bool>());
    (objects, motions, settings).prop_map(
        |((bodies, rods, present), (motions, turns, speed), (contact, floor, step, second))| {
            let integrator = if second { "bdf2" } else { "euler" };
            let mut description = json!({"body": {}, "rod": {}, "mass": {},
                "settings": {"step": 10.0_f64.powf(step), "integrator": integrator}});
            for (k, (name, body)) in ["a", "b"].into_iter().zip(bodies).enumerate() {
                if present[k] {
                    description["body"][name] = body;
                }
            }
            for (k, (name, rod)) in ["rope", "cord"].into_iter().zip(rods).enumerate() {
                if present[2 + k] {
                    description["rod"][name] = rod;
                }
            }
            if present[4] {
                description["mass"]["ball"] = json!({"position": [0, 0, 0.1], "mass": 0.1, "radius": 0.05});
            }
            let mut scene = scene(description);
            // Numbers that are not finite can't be written in JSON.
            let fast = |v: [f64; 3]| v.map(|v| v * 10.0_f64.powf(speed));
            for (k, body) in scene.body.values_mut().enumerate() {
                (body.position, body.rotation) = (motions[k], turns[k]);
                if !body.fixed {
                    body.velocity = fast(motions[2 + k]);
                }
            }
            scene.contact = contact;
            scene.floor = floor.map(|height| Floor { height: 0.01 * height });
            scene
        },
    )
}

proptest! {
    #![proptest_config(config(1500))]

    #[test]
    fn wild_scenes_of_things_that_touch_are_refused_or_stepped(scene in touching()) {
        steps_stay_finite(&scene)?;
    }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn scenes_of_parts_that_fit_are_stepped_with_contact(scene in likely(), settings in contact()) {
        let mut scene = scene;
        scene.contact = Some(settings);
        scene.floor = Some(Floor { height: 0.0 });
        scene.settings.mode = Mode::Dynamic;
        steps_stay_finite(&scene)?;
    }
}

#[test]
fn most_of_the_wild_scenes_touch_and_are_stepped() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let (mut made, mut held, mut touched) = (0, 0, 0);
    for _ in 0..300 {
        let scene = touching().new_tree(&mut runner).expect("a scene").current();
        let Ok(mut simulation) = Simulation::build(&scene) else { continue };
        for _ in 0..5 {
            let report = simulation.step(&NoClock);
            assert!(report.penetration.is_finite() && report.sweep_residual.is_finite(), "{report:?}");
            touched += usize::from(report.contacts > 0);
            if report.held { held += 1 } else { made += 1 }
        }
        assert!(is_finite(simulation.world()));
    }
    // Otherwise the suite would test refusals only.
    assert!(made > 250 && touched > 150 && held < made, "{made} made, {held} held, {touched} touched");
}
