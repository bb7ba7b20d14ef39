//! Constraints that ask for what others ask for: nothing moves otherwise, whichever of them goes.

use crate::common::{at, bits, build, force, happened, off, scene};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::Edit;
use micado::step::{Mode, Workspace};
use serde_json::{Value, json};

/// Steps two simulations side by side. Returns the largest difference between their positions on the way, m,
/// and how many rows of the second followed from others in the last step.
fn apart(once: &mut Simulation, twice: &mut Simulation, steps: usize) -> (f64, usize) {
    let (mut worst, mut redundant) = (0.0_f64, 0);
    for _ in 0..steps {
        let (one, two) = (once.step(&NoClock), twice.step(&NoClock));
        assert!(!one.held && !two.held && two.conflicting_rows == 0, "{one:?}, {two:?}");
        assert_eq!(one.substeps, two.substeps, "{two:?}");
        redundant = two.redundant_rows;
        let q = [&*once, &*twice].map(|simulation| &simulation.world().state().q);
        let coordinates = q[0].iter().zip(q[1]).enumerate().filter(|(i, _)| i % 4 < 3);
        worst = coordinates.map(|(_, (a, b))| (a - b).abs()).fold(worst, f64::max);
    }
    (worst, redundant)
}

/// The same number as an oscillation with zero amplitude: another law with the same rows.
fn in_other_words(value: &Value) -> Value {
    let nothing = if value.is_array() { json!([0, 0, 0]) } else { json!(0) };
    json!({"harmonic": {"mean": value, "amplitude": nothing, "frequency": 1}})
}

/// A rope that swings from a hook, its end on a sphere, and a mass on a link between; `more` adds
/// constraints.
fn swinging(constraints: Value) -> Value {
    json!({
        "rod": {"rope": {"radius": 0.005, "young": 1e7, "density": 1100, "segments": 12}},
        "mass": {"bob": {"position": [0.5, 0.5, 0], "mass": 0.05}},
        "constraint": constraints,
        "settings": {"step": 0.01},
    })
}

/// Hook, sphere and link of [`swinging`].
fn holds() -> Value {
    json!({
        "hook": {"clamp": {"on": "rope", "at": "start"}},
        "sphere": {"distance": {"on": "rope", "at": "end", "centre": [1, 0, 0.5]}},
        "link": {"distance": {"on": "bob", "to": {"on": "rope", "at": "50 %"}}},
    })
}

/// Constraints and `more` of them.
fn with(mut constraints: Value, more: &[(&str, Value)]) -> Value {
    more.iter().for_each(|(name, constraint)| constraints[*name] = constraint.clone());
    constraints
}

/// Every constraint once more, under a name with `suffix`.
fn again(constraints: &Value, suffix: &str) -> Value {
    let mut twice = constraints.clone();
    for (name, constraint) in constraints.as_object().expect("constraints by name") {
        twice[format!("{name}{suffix}")] = constraint.clone();
    }
    twice
}

fn apply(simulation: &mut Simulation, edit: Value) {
    let edit: Edit = serde_json::from_value(edit).expect("an edit");
    simulation.apply(&edit).expect("it can be done");
}

#[test]
fn a_steel_cantilever_that_is_held_twice_moves_as_one_that_is_held_once() {
    // In steps of 50 ms a metre of steel is so stiff that rounding drowns the regularisation of rows that
    // follow from others.
    for (step, segments) in [(0.01, 16), (0.05, 16), (0.05, 64), (0.2, 16)] {
        let cantilever = |constraints: Value| {
            build(json!({
                "rod": {"rod": {"radius": 0.01, "young": 2e11, "density": 7800, "segments": segments}},
                "constraint": constraints,
                "settings": {"step": step},
            }))
        };
        let clamp = json!({"clamp": {"on": "rod", "at": "start"}});
        let position = json!({"position": {"on": "rod", "at": "start"}});
        let same =
            json!({"clamp": {"on": "rod", "at": "start", "displacement": in_other_words(&json!([0, 0, 0]))}});
        for (what, rows, constraints) in [
            ("clamped twice", 6, json!({"a": clamp, "b": clamp})),
            ("clamped again in other words", 6, json!({"a": clamp, "b": same})),
            ("clamped and held", 3, json!({"a": clamp, "b": position})),
            ("held and clamped", 3, json!({"a": position, "b": clamp})),
            (
                "held, directed, turned and clamped",
                6,
                json!({"a": position, "b": {"tangent": {"on": "rod", "at": "start"}},
                    "c": {"roll": {"on": "rod", "at": "start"}}, "d": clamp}),
            ),
        ] {
            let mut once = cantilever(json!({"a": clamp}));
            let (worst, redundant) = apart(&mut once, &mut cantilever(constraints), 60);
            assert!(
                worst < 1e-9 && redundant == rows,
                "{what}, {step} s, {segments} segments: {worst:e} m, {redundant} rows"
            );
            // It bends under its weight by qL⁴/8EI, 1.9 mm; a dynamic deflection is at most twice that.
            let bent = -at(once.world(), "rod", 1.0).z;
            assert!(bent > 1e-3 && bent < 4e-3, "{bent} m");
        }
    }
}

#[test]
fn constraints_given_again_in_other_words_share_their_force_and_move_the_same() {
    let pendulum = |constraints: Value| {
        let mass = |x: [f64; 3]| json!({"position": x, "mass": 1, "velocity": [0, 0.5, 1]});
        json!({"mass": {"m": mass([1.0, 0.0, 0.0]), "n": mass([1.0, 1.0, 0.0])}, "constraint": constraints,
            "settings": {"step": 0.01}})
    };
    let rope = |constraints: Value| {
        json!({"rod": {"rope": {"radius": 0.005, "young": 1e7, "density": 1100,
        "segments": 12}}, "constraint": constraints, "settings": {"step": 0.01, "solves": 1}})
    };
    let arm = |length: Value| json!({"distance": {"on": "m", "centre": [0, 0, 0], "distance": length}});
    let link = |length: Value| json!({"distance": {"on": "m", "to": {"on": "n"}, "distance": length}});
    let hook = |displacement: Value| {
        json!({"position": {"on": "rope", "at": "start",
        "displacement": displacement}})
    };
    let sphere = |centre: Value| json!({"distance": {"on": "rope", "at": "end", "centre": centre}});
    let eye =
        |displacement: Value| json!({"keyhole": {"on": "rope", "at": "30 %", "displacement": displacement}});
    let (one, still, centre) = (json!(1.0), json!([0, 0, 0]), json!([0, 0, -0.5]));
    let other = in_other_words;
    for (what, once, twice, of) in [
        (
            "double pendulum",
            pendulum(json!({"a": arm(one.clone()), "b": link(one.clone())})),
            pendulum(json!({"a": arm(one.clone()), "b": link(one.clone()), "a again": arm(other(&one)),
                    "b again": link(other(&one))})),
            ["a", "a again"],
        ),
        (
            "rope on a sphere",
            rope(json!({"a": hook(still.clone()), "b": sphere(centre.clone())})),
            rope(
                json!({"a": hook(still.clone()), "b": sphere(centre.clone()), "a again": hook(other(&still)),
                    "b again": sphere(other(&centre))}),
            ),
            ["b", "b again"],
        ),
        (
            "rope through an eye",
            rope(json!({"eye": eye(still.clone()), "b": sphere(centre.clone())})),
            rope(json!({"eye": eye(still.clone()), "b": sphere(centre),
                    "eye again": eye(other(&still))})),
            ["eye", "eye again"],
        ),
    ] {
        let (mut once, mut twice) = (build(once), build(twice));
        let (worst, redundant) = apart(&mut once, &mut twice, 100);
        assert!(worst < 1e-9 && redundant > 0, "{what}: {worst:e} m, {redundant} rows");
        // Together they carry what one carried. Neither of two distances has a reason to carry more: the
        // least sum of squares is half and half.
        let [alone, half] = [force(once.world(), of[0]).force, force(twice.world(), of[0]).force];
        let others = force(twice.world(), of[1]).force;
        let tolerance = 1e-5 * (1.0 + alone.length());
        assert!((half + others - alone).length() < tolerance, "{what}: {half} and {others} of {alone}");
        assert!(of[0] == "eye" || (half - others).length() < tolerance, "{what}: {half} and {others}");
    }
}

#[test]
fn exact_duplicate_changes_no_bit() {
    for settings in [
        json!({}),
        json!({"solves": 3, "integrator": "bdf2"}),
        json!({"hessian": "auto", "step": 0.02}),
        json!({"mode": "static"}),
    ] {
        let run = |constraints: Value| {
            let mut description = swinging(constraints);
            settings
                .as_object()
                .expect("settings")
                .iter()
                .for_each(|(name, value)| description["settings"][name] = value.clone());
            build(description)
        };
        let constraints = with(
            holds(),
            &[
                (
                    "floor",
                    json!({"plane": {"on": "bob", "normal": [0, 0, 1], "point": [0, 0, -0.1],
                        "side": "above"}}),
                ),
                (
                    "strap",
                    json!({"distance": {"on": "rope", "at": "75 %", "centre": [0.75, 0, 0.005],
                        "distance": 0.01, "limit": "at-most"}}),
                ),
            ],
        );
        let (mut once, mut twice) =
            (run(constraints.clone()), run(again(&again(&constraints, " again"), " and again")));
        let mut pushed = false;
        // An equilibrium is one after five static solves.
        for _ in 0..if settings.get("mode").is_some() { 1 } else { 20 } {
            let (worst, redundant) = apart(&mut once, &mut twice, 5);
            // Six rows of the clamp, one of each distance; what only pushes counts as one. Three copies of
            // each.
            assert!(
                worst == 0.0 && redundant == 3 * (6 + 1 + 1 + 1 + 1),
                "{settings}: {worst:e} m, {redundant} rows"
            );
            for name in ["hook", "sphere", "link", "floor", "strap"] {
                // The first carries all of it.
                assert_eq!(force(once.world(), name), force(twice.world(), name), "{name}");
                assert_eq!(force(twice.world(), &format!("{name} again")).force, DVec3::ZERO, "{name}");
            }
            pushed |= ["floor", "strap"].iter().all(|name| force(once.world(), name).force != DVec3::ZERO);
        }
        assert!(pushed, "{settings}: floor and strap are never both in touch");
        assert!(happened!(twice, Redundant) && !happened!(once, Redundant));
    }
}

#[test]
fn a_link_is_the_same_from_either_end() {
    let back = json!({"distance": {"on": "rope", "at": "50 %", "to": {"on": "bob"}}});
    let (mut once, mut twice) = (build(swinging(holds())), build(swinging(with(holds(), &[("back", back)]))));
    assert_eq!(apart(&mut once, &mut twice, 100), (0.0, 1));
    // A fusion of points is linear, and left to the solver.
    let fusions = |constraints: Value| {
        let rod = |from: [f64; 3], to: [f64; 3]| {
            json!({"shape": {"line": {"from": from, "to": to}},
            "radius": 0.005, "young": 1e8, "density": 1100, "segments": 8})
        };
        build(json!({
            "rod": {"a": rod([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]), "b": rod([1.0, 0.0, 0.0], [1.0, 1.0, 0.0])},
            "constraint": constraints,
            "settings": {"step": 0.01},
        }))
    };
    for hold in ["point", "rigid"] {
        let joint =
            json!({"fusion": {"on": "a", "at": "end", "to": {"on": "b", "at": "start"}, "hold": hold}});
        let exchanged =
            json!({"fusion": {"on": "b", "at": "start", "to": {"on": "a", "at": "end"}, "hold": hold}});
        let clamp = json!({"clamp": {"on": "a", "at": "start"}});
        let mut once = fusions(json!({"clamp": clamp, "joint": joint}));
        let mut twice = fusions(json!({"clamp": clamp, "joint": joint, "exchanged": exchanged}));
        let (worst, redundant) = apart(&mut once, &mut twice, 60);
        assert!(worst < 1e-9 && redundant >= 3, "{hold}: {worst:e} m, {redundant} rows");
    }
}

#[test]
fn whichever_of_several_copies_is_released_the_others_hold_as_before() {
    let hooks = ["hook", "hook again", "hook and again"];
    let thrice = with(again(&holds(), " again"), &[(hooks[2], holds()["hook"].clone())]);
    for released in [
        &["hook", "link"][..],
        &["hook again", "link again"],
        &["hook", "hook again", "sphere"],
        &["hook and again", "hook"],
    ] {
        let (mut once, mut several) = (build(swinging(holds())), build(swinging(thrice.clone())));
        assert_eq!(apart(&mut once, &mut several, 30).0, 0.0);
        for name in released {
            apply(&mut several, json!({"release": name}));
        }
        // Forces, too, are what they were.
        let carried: DVec3 = hooks
            .iter()
            .filter(|hook| !released.contains(hook))
            .map(|hook| force(several.world(), hook).force)
            .sum();
        assert_eq!(carried, force(once.world(), "hook").force, "{released:?}");
        assert_eq!(apart(&mut once, &mut several, 30).0, 0.0, "{released:?}");
    }
    // Without the last one the rope falls.
    let mut falling = build(swinging(again(&holds(), " again")));
    for name in ["hook", "hook again"] {
        apply(&mut falling, json!({"release": name}));
    }
    (0..30).for_each(|_| assert!(!falling.step(&NoClock).held));
    assert!(at(falling.world(), "rope", 0.0).length() > 0.1);
}

#[test]
fn a_copy_may_be_added_changed_and_changed_back_in_motion() {
    let hook = json!({"clamp": {"on": "rope", "at": "start", "target": [0, 0, 0], "direction": [1, 0, 0]}});
    let sphere = json!({"distance": {"on": "rope", "at": "end", "centre": [1, 0, 0.5], "distance": 0.5}});
    let constraints = json!({"hook": hook, "sphere": sphere});
    let (mut once, mut twice) = (build(swinging(constraints.clone())), build(swinging(constraints)));
    assert_eq!(apart(&mut once, &mut twice, 20).0, 0.0);
    // Rows of positions have no history: a copy from now on is a copy.
    apply(&mut twice, json!({"add-constraint": {"name": "sphere again", "to": sphere}}));
    apply(&mut once, json!({"gravity": [0, 0, -9.81]}));
    assert_eq!(apart(&mut once, &mut twice, 20), (0.0, 1));
    // The same said again in other words, with a clamp whose frame has been carried from elsewhere: as good
    // as a copy.
    apply(
        &mut twice,
        json!({"change-constraint": {"name": "sphere again",
            "to": {"distance": {"on": "rope", "at": "end", "centre": in_other_words(&json!([1, 0, 0.5])),
            "distance": 0.5}}}}),
    );
    apply(
        &mut twice,
        json!({"add-constraint": {"name": "hook again",
            "to": {"position": {"on": "rope", "at": "start", "target": [0, 0, 0]}}}}),
    );
    apply(&mut once, json!({"gravity": [0, 0, -9.81]}));
    let (worst, redundant) = apart(&mut once, &mut twice, 20);
    assert!(worst < 1e-9 && redundant == 4, "{worst:e} m, {redundant} rows");
    // Both are led away, the first of them a moment before the other: between the two edits nothing has been
    // stepped.
    let led = json!({"distance": {"on": "rope", "at": "end",
        "centre": {"ramp": {"from": [1, 0, 0.5], "to": [0.8, 0.2, 0.5], "start": 0.6, "end": 1}},
        "distance": 0.5}});
    apply(&mut once, json!({"change-constraint": {"name": "sphere", "to": led}}));
    for name in ["sphere", "sphere again"] {
        apply(&mut twice, json!({"change-constraint": {"name": name, "to": led}}));
    }
    let (worst, redundant) = apart(&mut once, &mut twice, 40);
    assert!(worst < 1e-9 && redundant == 4, "{worst:e} m, {redundant} rows");
}

#[test]
fn two_targets_for_one_place_are_a_contradiction_only_once_they_differ() {
    let hook = |x: f64| json!({"position": {"on": "rope", "at": "start", "target": [x, 0, 0]}});
    let roll = json!({"roll": {"on": "rope", "at": "start"}});
    let mut simulation = build(swinging(json!({"a": hook(0.0), "b": hook(0.0), "roll": roll})));
    (0..10).for_each(|_| assert_eq!(simulation.step(&NoClock).conflicting_rows, 0));
    apply(&mut simulation, json!({"change-constraint": {"name": "a", "to": hook(0.01)}}));
    for _ in 0..50 {
        let report = simulation.step(&NoClock);
        assert!(!report.held && report.conflicting_rows > 0, "{report:?}");
        // The nearest there is lies between them.
        let x = at(simulation.world(), "rope", 0.0).x;
        assert!(x > 0.0 && x < 0.01, "{x} m");
    }
    // The other one agrees.
    apply(&mut simulation, json!({"change-constraint": {"name": "b", "to": hook(0.01)}}));
    for _ in 0..10 {
        let report = simulation.step(&NoClock);
        assert!(!report.held && report.conflicting_rows == 0 && report.redundant_rows == 3, "{report:?}");
    }
    assert!((at(simulation.world(), "rope", 0.0).x - 0.01).abs() < 1e-12);
}

/// A rope through two eyes, of which one rubs, pulled to one side by its weight.
fn rubbed(eyes: Value) -> Simulation {
    let shape = json!({"line": {"from": [-0.5, 0, 0], "to": [0.5, 0, 0]}});
    let mut constraints = json!({"guide": {"keyhole": {"on": "rope", "at": "80 %"}},
        "roll": {"roll": {"on": "rope", "at": "50 %"}}});
    eyes.as_object()
        .expect("eyes")
        .iter()
        .for_each(|(name, eye)| constraints[name] = json!({"keyhole": eye}));
    build(json!({
        "rod": {"rope": {"shape": shape, "stiffness": {"stretch": 1e4, "bend": 0.02, "twist": 0.02},
            "mass_per_length": 0.2, "segments": 16}},
        "constraint": constraints,
        "settings": {"step": 0.005},
    }))
}

#[test]
fn viscosities_of_two_eyes_at_one_place_add_up_and_dry_friction_is_shared() {
    let viscous = |viscosity: f64| json!({"on": "rope", "at": "30 %", "viscosity": viscosity});
    let dry = |friction: f64| json!({"on": "rope", "at": "30 %", "friction": friction});
    let slid = |simulation: &Simulation, eye: &str| {
        simulation.world().sliding_place(crate::common::constraint(simulation.world(), eye)).expect("an eye")
    };
    for (what, one, two, plain) in [
        (
            "viscous",
            json!({"a": viscous(3.0)}),
            json!({"a": viscous(1.0), "b": viscous(2.0)}),
            json!({"a": viscous(1.0)}),
        ),
        ("dry", json!({"a": dry(0.3)}), json!({"a": dry(0.3), "b": dry(0.3)}), json!({"a": dry(0.0)})),
    ] {
        let (mut one, mut two, mut plain) = (rubbed(one), rubbed(two), rubbed(plain));
        let (worst, redundant) = apart(&mut one, &mut two, 40);
        // Sums of two viscosities are rounded otherwise than one.
        assert!(worst < 1e-12 && redundant == 3, "{what}: {worst:e} m, {redundant} rows");
        // And both rub: with less of it the rope is elsewhere.
        (0..40).for_each(|_| assert!(!plain.step(&NoClock).held));
        let less = (slid(&one, "a") - slid(&plain, "a")).abs();
        assert!(less > 1e-3, "{what}: {less} m");
        assert_eq!(slid(&two, "a"), slid(&two, "b"), "{what}");
    }
}

#[test]
fn two_pearls_are_two_masses_and_two_clips_are_twice_as_strong() {
    let thread = |constraints: Value, to: [f64; 3], mode: &str| {
        build(json!({
            "rod": {"thread": {"shape": {"line": {"from": [0, 0, 0], "to": to}},
                "stiffness": {"stretch": 1e4, "bend": 0.01, "twist": 0.01}, "mass_per_length": 0.05,
                "segments": 12}},
            "constraint": constraints,
            "settings": {"mode": mode, "step": 0.005, "settle": mode == "dynamic"},
        }))
    };
    let pearl = json!({"pearl": {"on": "thread", "at": "50 %", "mass": 0.1}});
    let (hook, head) = (
        json!({"clamp": {"on": "thread", "at": "start"}}),
        json!({"position": {"on": "thread", "at": "end"}}),
    );
    let mut strung =
        thread(json!({"hook": hook, "head": head, "p": pearl, "q": pearl}), [1.0, 0.0, 0.0], "static");
    assert!(strung.step(&NoClock).converged);
    let carried = force(strung.world(), "hook").force.z + force(strung.world(), "head").force.z;
    assert!(off(carried, 9.81 * (0.05 + 0.2)) < 1e-6, "{carried} N");
    // 0.05 kg hang on clips of 0.3 N: one gives, two hold.
    let clip = json!({"clip": {"on": "thread", "at": "start", "strength": 0.3}});
    let falls = |constraints: Value| {
        let mut hanging = thread(constraints, [0.0, 0.0, -1.0], "dynamic");
        (0..100).for_each(|_| assert!(!hanging.step(&NoClock).held));
        happened!(hanging, Opened)
    };
    assert!(falls(json!({"one": clip})) && !falls(json!({"one": clip, "two": clip})));
}

#[test]
fn snapshot_with_duplicates_continues_with_the_same_bits() {
    let description = scene(swinging(again(
        &with(holds(), &[("eye", json!({"keyhole": {"on": "rope", "at": "70 %", "viscosity": 0.1}}))]),
        " again",
    )));
    let mut simulation = Simulation::build(&description).expect("a scene");
    for released in ["hook", "eye", "link again"] {
        (0..15).for_each(|_| assert!(!simulation.step(&NoClock).held));
        let (mut restored, _) = Simulation::restore(&simulation.snapshot(&description)).expect("a snapshot");
        for run in [&mut simulation, &mut restored] {
            apply(run, json!({"release": released}));
            (0..15).for_each(|_| assert!(!run.step(&NoClock).held));
        }
        assert!(bits(simulation.world()) == bits(restored.world()), "{released}");
    }
}

#[test]
fn a_beam_that_is_held_twice_has_the_modes_of_one_that_is_held_once() {
    let modes = |constraints: Value| {
        let simulation = build(json!({
            "rod": {"rod": {"radius": 0.01, "young": 2e11, "density": 7800, "segments": 8}},
            "constraint": constraints,
            "settings": {"gravity": [0, 0, 0]},
        }));
        let modes = simulation
            .world()
            .modes(6, micado::scene::Arithmetic::Fast, &mut Workspace::new())
            .expect("modes");
        modes.modes.iter().map(Mode::frequency).collect::<Vec<_>>()
    };
    let clamp = json!({"clamp": {"on": "rod", "at": "start"}});
    let (once, twice) = (modes(json!({"a": clamp})), modes(json!({"a": clamp, "b": clamp})));
    assert_eq!(once, twice);
    assert_eq!(once.len(), 6);
}
