//! Whatever is dragged, given or asked for: the state stays finite, and what could not be done is said.

use crate::common::{at, bits, bits_without_time, build, happened, is_finite, scene};
use glam::DVec3;
use micado::clock::NoClock;
use micado::scene::Edit;
use micado::scene::{Hessian, Integrator, Solves};
use micado::step::{StaticParams, StepParams, Workspace};
use micado::world::World;
use serde_json::{Value, json};

fn rope(segments: usize) -> Value {
    json!({"rope": {"radius": 0.005, "young": 1e7, "density": 1100, "segments": segments,
        "damping": {"internal": 0.001}}})
}

fn hung(segments: usize) -> Value {
    json!({"rod": rope(segments), "constraint": {"a": {"position": {"on": "rope", "at": "start"}},
        "b": {"position": {"on": "rope", "at": "end"}}}})
}

fn edit(value: Value) -> Edit {
    serde_json::from_value(value).expect("an edit")
}

/// Steps a world and checks after every step what must always be true. Returns how many steps were refused
/// and held.
fn survive(world: &mut World, params: &StepParams, steps: usize) -> (usize, usize) {
    let mut workspace = Workspace::new();
    let (mut refused, mut held) = (0, 0);
    for _ in 0..steps {
        let (before, time) = (bits(world), world.time());
        let report = world.step(params, &mut workspace, &NoClock);
        assert!(is_finite(world), "{report:?}");
        assert_eq!(report.time, world.time());
        if report.held {
            assert!(report.refused.is_some() && bits(world) == before, "{report:?}");
            held += 1;
        } else {
            // The end of the step is its start plus h, to the bit.
            assert_eq!(world.time(), time + params.step);
            refused += usize::from(report.refused.is_some());
            assert_eq!(report.refused.is_some(), report.substeps > 1, "{report:?}");
        }
    }
    (refused, held)
}

#[test]
fn an_end_that_jumps_by_a_hundred_metres_is_followed_or_sets_out() {
    for direction in [[100.0, 0.0, 0.0], [-100.0, 0.0, 0.0], [0.0, 70.0, 70.0], [-1.3, 0.2, 0.0]] {
        for solves in [Solves::Exactly(1), Solves::Exactly(4), Solves::Auto] {
            for integrator in [Integrator::Euler, Integrator::Bdf2] {
                let mut description = hung(12);
                description["constraint"]["b"]["position"]["displacement"] = json!({"keyframes": {"times": [0,
                    0.1, 0.1001], "values": [[0, 0, 0], [0, 0, 0], direction]}});
                let mut world = World::build(&scene(description)).expect("a rope");
                let params = StepParams { solves, integrator, ..StepParams::default() };
                let (_, held) = survive(&mut world, &params, 40);
                assert_eq!(held, 0, "{direction:?}, {solves} solves, {integrator:?}");
                let target = DVec3::X + DVec3::from_array(direction);
                let (missed, whole) = (at(&world, "rope", 1.0).distance(target), target.distance(DVec3::X));
                // Position rows are linear: 1e-10 of the regularisation is refined away.
                assert!(missed < 1e-9 || missed < 0.99 * whole, "{direction:?}: {missed} m of {whole} m");
            }
        }
    }
}

#[test]
fn huge_forces_are_followed_or_refused() {
    let pushed = |size: f64| {
        let mut description = hung(8);
        description["load"] = json!({"p": {"force": {"on": "rope", "at": "50 %", "force": [0, size, -size]}},
            "m": {"moment": {"on": "rope", "at": "70 %", "moment": [size, 0, 0]}}});
        World::build(&scene(description))
    };
    for absurd in [2e15, 1e100, 1e300] {
        let error = pushed(absurd).expect_err("no step can follow it");
        assert!(error.path.starts_with("load.") && error.remedy.contains("SI"), "{error}");
    }
    for size in [1e3, 1e6, 1e12, 1e15] {
        let mut world = pushed(size).expect("a rope");
        let (refused, held) = survive(&mut world, &StepParams::default(), 10);
        // A force that a rope can bear is followed.
        assert!(size > 1e3 || held < 10, "{size:e}: {refused} refused, {held} held");
        // Whatever is followed, position rows are linear: they are met to the rounding of the motion.
        let moved = world.state().q.iter().fold(1.0_f64, |most, q| most.max(q.abs()));
        for (s, held_at) in [(0.0, DVec3::ZERO), (1.0, DVec3::X)] {
            let missed = (at(&world, "rope", s) - held_at).length();
            assert!(missed < 1e-9 * moved, "{size:e}: {missed:e} of {moved:e}");
        }
    }
}

#[test]
fn a_held_step_leaves_every_bit_as_it_was_and_time_goes_on() {
    let mut description = hung(8);
    description["load"] = json!({"p": {"force": {"on": "rope", "at": "50 %",
        "force": {"ramp": {"from": [0, 0, 0], "to": [0, 0, 1e15], "start": 0.049, "end": 0.0495}}}}});
    for integrator in ["euler", "bdf2"] {
        description["settings"] = json!({"integrator": integrator, "solves": 2});
        let mut simulation = build(description.clone());
        for _ in 0..4 {
            simulation.step(&NoClock);
        }
        let before = bits_without_time(simulation.world());
        let report = simulation.step(&NoClock);
        assert!(report.held && report.refused.is_some(), "{report:?}");
        assert_eq!(bits_without_time(simulation.world()), before);
        assert!(
            (report.time - 0.05).abs() < 1e-12 && happened!(simulation, Held),
            "{:?}",
            simulation.events()
        );
    }
}

#[test]
fn tiny_and_huge_steps_are_made() {
    for step in [1e-9, 1e-6, 1e-3, 0.1, 1.0, 10.0] {
        for integrator in [Integrator::Euler, Integrator::Bdf2] {
            for hessian in [Hessian::Psd, Hessian::GaussNewton, Hessian::Auto, Hessian::Exact] {
                let mut world = World::build(&scene(hung(10))).expect("a rope");
                let params = StepParams {
                    step,
                    integrator,
                    hessian,
                    solves: Solves::Exactly(2),
                    ..StepParams::default()
                };
                let (_, held) = survive(&mut world, &params, 10);
                // A rope between two points can always be stepped where tension stiffens it; the exact
                // Hessian may have the wrong inertia, and Gauss–Newton sees no tension.
                let sure = matches!(hessian, Hessian::Psd | Hessian::Auto);
                assert!(held == 0 || !sure, "{step}, {integrator:?}, {hessian:?}");
            }
        }
    }
}

#[test]
fn a_step_of_no_length_is_held() {
    let mut world = World::build(&scene(hung(4))).expect("a rope");
    let mut workspace = Workspace::new();
    world.step(&StepParams::default(), &mut workspace, &NoClock);
    let before = bits(&world);
    for step in [0.0, -0.01, f64::NAN, f64::INFINITY] {
        let report = world.step(&StepParams { step, ..StepParams::default() }, &mut workspace, &NoClock);
        assert!(report.held && report.time == world.time(), "{report:?}");
        assert_eq!(bits(&world), before);
    }
}

#[test]
fn nothing_moves_where_nothing_pulls() {
    for segments in [2, 3, 16] {
        let mut description = hung(segments);
        description["settings"] = json!({"gravity": [0, 0, 0]});
        let mut world = World::build(&scene(description)).expect("a rope");
        let before = world.state().q.clone();
        survive(&mut world, &StepParams::default(), 20);
        let moved = before.iter().zip(&world.state().q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // Rest strains are those of the laid curve: only rounding of EA times 1e-16 is left.
        assert!(moved < 1e-12, "{segments}: {moved:e}");
    }
}

#[test]
fn rods_of_few_segments_hang_and_swing() {
    for segments in [2, 3, 4] {
        let mut description = hung(segments);
        description["constraint"] = json!({"a": {"clamp": {"on": "rope", "at": "start"}}});
        description["rod"]["rope"]["young"] = json!(1e9);
        let mut world = World::build(&scene(description)).expect("a rope");
        let (_, held) = survive(&mut world, &StepParams::default(), 100);
        assert_eq!(held, 0);
        let report = world.equilibrate(2.0, &StaticParams::default(), &mut Workspace::new(), &NoClock);
        assert!(report.converged && is_finite(&world), "{segments}: {report:?}");
    }
}

#[test]
fn extreme_ratios_of_stiffness_are_survived() {
    for (stretch, bend, twist) in
        [(1e12, 1e-6, 1e-9), (1e-3, 1e6, 1.0), (1.0, 1e-12, 1e9), (1e9, 1e9, 1e9), (1e-6, 1e-6, 1e-6)]
    {
        let mut description = hung(10);
        description["rod"]["rope"] = json!({"stiffness": {"stretch": stretch, "bend": bend, "twist": twist},
            "mass_per_length": 0.1, "segments": 10});
        let mut world = World::build(&scene(description)).expect("a rope");
        survive(&mut world, &StepParams::default(), 30);
    }
}

#[test]
fn contradictory_fast_motions_are_reported_and_survived() {
    let mut simulation = build(json!({
        "rod": rope(10),
        "constraint": {
            "a": {"position": {"on": "rope", "at": "50 %",
                "displacement": {"harmonic": {"amplitude": [0, 0, 5], "frequency": 11}}}},
            "b": {"position": {"on": "rope", "at": "50 %",
                "displacement": {"harmonic": {"amplitude": [0, 3, 0], "frequency": 7}}}},
            "c": {"clamp": {"on": "rope", "at": "start",
                "rotation": {"harmonic": {"amplitude": [3, 2, 1], "frequency": 9}}}},
            "d": {"tangent": {"on": "rope", "at": "start",
                "direction": {"keyframes": {"times": [0, 0.1, 0.2],
                "values": [[1, 0, 0], [-1, 0.1, 0], [0, 0, 1]]}}}},
        },
    }));
    for _ in 0..60 {
        simulation.step(&NoClock);
        assert!(is_finite(simulation.world()));
    }
    assert!(happened!(simulation, Conflict) || happened!(simulation, Held), "{:?}", simulation.events());
}

#[test]
fn statics_of_a_dragged_rope_stay_finite() {
    for to in [[100.0, 0.0, 0.0], [-3.0, 0.0, 0.0], [0.0, 0.0, 40.0], [-1.0, 0.0, 0.0]] {
        let mut description = hung(10);
        description["constraint"]["b"]["position"]["displacement"] = json!(to);
        let mut world = World::build(&scene(description)).expect("a rope");
        let before = bits(&world);
        let report = world.equilibrate(1.0, &StaticParams::default(), &mut Workspace::new(), &NoClock);
        assert!(is_finite(&world), "{to:?}: {report:?}");
        assert!(!report.held || bits(&world) == before);
    }
}

#[test]
fn unknown_names_in_edits_are_errors_and_change_nothing() {
    let mut world = World::build(&scene(hung(6))).expect("a rope");
    world.step(&StepParams::default(), &mut Workspace::new(), &NoClock);
    let before = world.clone();
    let hold = json!({"position": {"on": "nobody", "at": "end"}});
    let mass = json!({"position": [0, 0, 0], "mass": 1});
    let edits = [
        json!({"release": "nothing"}),
        json!({"remove-load": "nothing"}),
        json!({"remove-spring": "nothing"}),
        json!({"change-constraint": {"name": "nothing", "to": {"position": {"on": "rope", "at": "end"}}}}),
        json!({"change-load": {"name": "nothing",
            "to": {"force": {"on": "rope", "at": "end", "force": [0, 0, 1]}}}}),
        json!({"add-constraint": {"name": "c", "to": hold}}),
        json!({"change-constraint": {"name": "a", "to": hold}}),
        json!({"add-constraint": {"name": "a", "to": {"position": {"on": "rope", "at": "end"}}}}),
        json!({"add-constraint": {"name": "c", "to": {"position": {"on": "rope"}}}}),
        json!({"add-constraint": {"name": "c", "to": {"position": {"on": "rope", "at": 1.5}}}}),
        json!({"add-constraint": {"name": "c",
            "to": {"plane": {"on": "rope", "at": "end", "normal": [0, 0, 0]}}}}),
        json!({"add-constraint": {"name": "c",
            "to": {"distance": {"on": "rope", "at": "end", "centre": [0, 0, 0], "distance": -1}}}}),
        json!({"add-load": {"name": "l", "to": {"force": {"on": "nobody", "force": [0, 0, 1]}}}}),
        json!({"add-load": {"name": "l",
            "to": {"distributed": {"on": "rope", "from": "80 %", "to": "20 %", "force": [0, 0, 1]}}}}),
        json!({"add-spring": {"name": "s",
            "to": {"linear": {"from": {"mass": "nobody"}, "to": {"point": [0, 0, 0]}, "stiffness": 1}}}}),
        json!({"add-spring": {"name": "s",
            "to": {"linear": {"from": {"rod": {"on": "rope", "at": "end"}}, "to": {"point": [0, 0, 0]},
            "stiffness": -1}}}}),
        json!({"add-spring": {"name": "s",
            "to": {"torsional": {"from": {"point": [0, 0, 0]}, "to": {"rod": {"on": "rope", "at": "end"}},
            "stiffness": 1}}}}),
        json!({"add-rod": {"name": "rope", "to": {"radius": 0.01, "young": 1e6, "density": 1000}}}),
        json!({"add-mass": {"name": "rope", "to": mass}}),
        json!({"add-rod": {"name": "new", "to": {"radius": -0.01, "young": 1e6, "density": 1000}}}),
        json!({"add-mass": {"name": "new", "to": {"position": [0, 0, 0], "mass": -1}}}),
    ];
    for value in edits {
        let error = world.apply(&edit(value.clone())).expect_err("it can't be applied");
        assert!(
            !error.path.is_empty() && !error.problem.is_empty() && !error.remedy.is_empty(),
            "{value}: {error:?}"
        );
        assert!(world == before, "{value} changed something");
    }
}

#[test]
fn frenet_torsion_is_refused_where_the_section_or_the_natural_shape_has_directions() {
    let helix = json!({"helix": {"centre": [0, 0, 0], "radius": 0.3, "pitch": 0.4, "turns": 1}});
    let stiffness = json!({"stretch": 40, "bend": 1.3, "twist": 0.9});
    let oval = json!({"stretch": 40, "bend": 1.3, "bend_2": 1.4, "twist": 0.9});
    let bent = json!({"curvature_1": 1.0});
    let cases = [
        (json!({}), true),
        (json!({"natural": {"curved": {"twist": 0.3}}}), true),
        (json!({"stiffness": oval}), false),
        (json!({"natural": "as-shaped"}), false),
        (json!({"natural": {"curved": bent}}), false),
        // Only the last of the three points of a segment: a third of segment 5 of 12.
        (
            json!({"stretches": [{"from": "49 %", "to": "50 %", "stiffness": oval, "mass_per_length": 0.7}]}),
            false,
        ),
        (json!({"stretches": [{"from": "30 %", "to": "60 %", "natural": bent}]}), false),
    ];
    for (more, fine) in cases {
        let mut rod = json!({"shape": helix, "segments": 12, "stiffness": stiffness, "mass_per_length": 0.7,
            "twist_measure": "frenet"});
        rod.as_object_mut().expect("a table").extend(more.as_object().expect("a table").clone());
        let built = World::build(&scene(json!({"rod": {"r": rod}})));
        assert_eq!(built.is_ok(), fine, "{more}: {:?}", built.err());
        assert!(built.is_ok() || built.is_err_and(|e| e.path == "rod.r.twist_measure"), "{more}");
    }
}

#[test]
fn directions_that_vanish_on_their_way_are_refused() {
    let ways = [
        (json!({"ramp": {"from": [1, 0, 0], "to": [-2, 0, 0], "end": 1}}), false),
        (json!({"ramp": {"to": [1, 0, 0], "end": 1}}), false),
        (json!({"ramp": {"from": [1, 0.1, 0], "to": [-2, 0, 0], "end": 1, "smooth": true}}), true),
        (json!({"keyframes": {"times": [0, 1, 2], "values": [[1, 0, 0], [0, 1, 0], [0, -3, 0]]}}), false),
        (json!({"keyframes": {"times": [0, 1, 2], "values": [[1, 0, 0], [0, 1, 0], [-1, 0, 0]]}}), true),
        (json!({"harmonic": {"mean": [1, 0, 0], "amplitude": [-2, 0, 0], "frequency": 1}}), false),
        (json!({"harmonic": {"mean": [1, 0, 0], "amplitude": [0, 2, 0], "frequency": 1}}), true),
        (json!({"harmonic": {"mean": [0, 0, 0], "amplitude": [0, 2, 0], "frequency": 1}}), false),
        (json!([0, 0, 0]), false),
    ];
    for (way, fine) in ways {
        let kinds = [
            json!({"tangent": {"on": "rope", "at": "end", "direction": way}}),
            json!({"axis": {"on": "rope", "at": "end", "direction": way}}),
            json!({"plane": {"on": "rope", "at": "end", "normal": way}}),
            json!({"circle": {"on": "rope", "at": "end", "centre": [0, 0, 1], "normal": way}}),
        ];
        for kind in kinds {
            let mut world = World::build(&scene(hung(4))).expect("a rope");
            let result = world.apply(&edit(json!({"add-constraint": {"name": "c", "to": kind}})));
            assert_eq!(result.is_ok(), fine, "{kind}: {result:?}");
            assert!(
                result.is_ok()
                    || result.is_err_and(|e| e.path.contains("direction") || e.path.contains("normal"))
            );
        }
    }
}

#[test]
fn edits_with_numbers_that_are_not_finite_are_refused() {
    use micado::constraint::{ConstraintDescription, Distance, Limit, Position};
    use micado::describe::anchor::At;
    use micado::describe::signal::{Ramp, Signal};
    use micado::load::{Drag, LoadDescription, PointForce};
    use micado::object::MassDescription;
    use micado::object::rod::RodDescription;
    use micado::scene::Named;
    let mut world = World::build(&scene(hung(6))).expect("a rope");
    let before = world.clone();
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let vector = Signal::Constant([0.0, bad, 0.0]);
        let ramp = Signal::Ramp(Ramp { from: [0.0; 3], to: [0.0; 3], start: 0.0, end: bad, smooth: false });
        let position = |target: Option<Signal<[f64; 3]>>, displacement: Signal<[f64; 3]>, at: At| {
            let to = ConstraintDescription::Position(Position {
                on: "rope".into(),
                at: Some(at),
                arm: None,
                target,
                displacement,
            });
            Edit::AddConstraint(Named { name: "c".into(), to })
        };
        let rod: RodDescription =
            serde_json::from_value(json!({"radius": 0.01, "young": 1e6, "density": 1000})).expect("a rod");
        let edits = [
            Edit::Gravity(vector.clone()),
            Edit::Gravity(ramp.clone()),
            position(Some(vector.clone()), Signal::default(), At::END),
            position(None, vector.clone(), At::END),
            position(None, ramp.clone(), At::END),
            position(None, Signal::default(), At::Length(bad)),
            position(None, Signal::default(), At::Share(bad)),
            Edit::AddConstraint(Named {
                name: "c".into(),
                to: ConstraintDescription::Distance(Distance {
                    on: "rope".into(),
                    at: Some(At::END),
                    arm: None,
                    centre: Some(Signal::default()),
                    to: None,
                    strength: None,
                    broken: false,
                    limit: Limit::Equal,
                    distance: Some(Signal::Constant(bad)),
                }),
            }),
            Edit::AddMass(Named {
                name: "m".into(),
                to: MassDescription {
                    position: [bad, 0.0, 0.0],
                    mass: 1.0,
                    velocity: [0.0; 3],
                    radius: None,
                },
            }),
            Edit::AddMass(Named {
                name: "m".into(),
                to: MassDescription { position: [0.0; 3], mass: bad, velocity: [0.0; 3], radius: None },
            }),
            Edit::AddMass(Named {
                name: "m".into(),
                to: MassDescription { position: [0.0; 3], mass: 1.0, velocity: [bad; 3], radius: None },
            }),
            Edit::AddRod(Named { name: "r".into(), to: RodDescription { radius: Some(bad), ..rod.clone() } }),
            Edit::AddRod(Named { name: "r".into(), to: RodDescription { twist: bad, ..rod.clone() } }),
            Edit::AddRod(Named {
                name: "r".into(),
                to: RodDescription { velocity: [bad, 0.0, 0.0], ..rod.clone() },
            }),
            Edit::AddRod(Named {
                name: "r".into(),
                to: RodDescription { up: Some([bad, 0.0, 0.0]), ..rod.clone() },
            }),
            Edit::AddLoad(Named {
                name: "l".into(),
                to: LoadDescription::Force(PointForce {
                    on: "rope".into(),
                    at: Some(At::END),
                    force: vector.clone(),
                }),
            }),
            Edit::AddLoad(Named {
                name: "l".into(),
                to: LoadDescription::Drag(Drag {
                    rotation: None,
                    on: "rope".into(),
                    from: micado::describe::anchor::At::START,
                    to: micado::describe::anchor::At::END,
                    coefficient: bad,
                    wind: Signal::default(),
                }),
            }),
        ];
        for edit in edits {
            assert!(world.apply(&edit).is_err(), "{edit:?}");
            assert!(world == before, "{edit:?} changed something");
        }
    }
}

#[test]
fn natural_curvatures_that_are_not_finite_are_refused() {
    use micado::object::rod::{Natural, NaturalCurvature, RodDescription};
    use micado::scene::Named;
    let mut world = World::build(&scene(hung(6))).expect("a rope");
    let rod: RodDescription =
        serde_json::from_value(json!({"radius": 0.01, "young": 1e6, "density": 1000})).expect("a rod");
    for bad in [f64::NAN, f64::INFINITY] {
        for curve in [
            NaturalCurvature { curvature_1: bad, ..NaturalCurvature::default() },
            NaturalCurvature { curvature_2: bad, ..NaturalCurvature::default() },
            NaturalCurvature { twist: bad, ..NaturalCurvature::default() },
        ] {
            let to = RodDescription { natural: Natural::Curved(curve), ..rod.clone() };
            assert!(world.apply(&Edit::AddRod(Named { name: "r".into(), to })).is_err(), "{curve:?}");
        }
    }
}

#[test]
fn constraints_are_added_changed_and_released_while_it_runs() {
    let mut simulation = build(hung(12));
    let free = |simulation: &micado::run::Simulation, share: f64| at(simulation.world(), "rope", share);
    for _ in 0..20 {
        simulation.step(&NoClock);
    }
    let middle = free(&simulation, 0.5);
    simulation
        .world_mut()
        .apply(&edit(
            json!({"add-constraint": {"name": "hand", "to": {"clamp": {"on": "rope", "at": "50 %"}}}}),
        ))
        .expect("a hand");
    for _ in 0..10 {
        simulation.step(&NoClock);
    }
    // Held where it was when the hand closed, to the solve's rounding.
    assert!((free(&simulation, 0.5) - middle).length() < 1e-10);
    let lift = json!({"change-constraint": {"name": "hand",
        "to": {"position": {"on": "rope", "at": "50 %",
        "displacement": {"ramp": {"to": [0, 0, 0.1], "start": 0.3, "end": 0.5}}}}}});
    simulation.world_mut().apply(&edit(lift)).expect("another hand");
    for _ in 0..30 {
        simulation.step(&NoClock);
    }
    assert!((free(&simulation, 0.5) - middle - DVec3::Z * 0.1).length() < 1e-10);
    for name in ["hand", "a"] {
        simulation.world_mut().apply(&edit(json!({"release": name}))).expect("it is there");
    }
    let height = free(&simulation, 0.0).z;
    for _ in 0..20 {
        simulation.step(&NoClock);
    }
    assert!(free(&simulation, 0.0).z < height - 0.01 && is_finite(simulation.world()));
    assert_eq!(simulation.world().structure().constraints.len(), 1);
}

#[test]
fn a_place_that_is_held_anew_feels_no_jump() {
    // A clamp on a twisted, bent rod takes frame and roll as they are: adding it changes nothing at rest.
    let mut description = hung(12);
    description["constraint"]["a"] = json!({"clamp": {"on": "rope", "at": "start", "roll": 0.5}});
    description["constraint"]["b"] =
        json!({"clamp": {"on": "rope", "at": "end", "displacement": [-0.1, 0, 0]}});
    description["settings"] = json!({"mode": "static"});
    let mut simulation = build(description);
    assert!(simulation.step(&NoClock).converged);
    let before = simulation.world().state().q.clone();
    for (k, s) in [0.13, 0.5, 0.77].into_iter().enumerate() {
        let hold =
            json!({"add-constraint": {"name": format!("c{k}"), "to": {"clamp": {"on": "rope", "at": s}}}});
        simulation.world_mut().apply(&edit(hold)).expect("a clamp");
    }
    assert!(simulation.step(&NoClock).converged);
    let moved =
        before.iter().zip(&simulation.world().state().q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // The equilibrium was known to 1e-10 of the length; stiff stretch makes 1e-9 of it.
    assert!(moved < 1e-8, "{moved:e}");
}

#[test]
fn a_workspace_serves_one_world_after_another() {
    let mut workspace = Workspace::new();
    let mut small = World::build(&scene(hung(5))).expect("a rope");
    let mut large = World::build(&scene(hung(9))).expect("a rope");
    for world in [&mut small, &mut large] {
        let mut twin = world.clone();
        world.step(&StepParams::default(), &mut workspace, &NoClock);
        twin.step(&StepParams::default(), &mut Workspace::new(), &NoClock);
        assert_eq!(world.state(), twin.state());
    }
}

#[test]
fn a_rope_pushed_together_by_a_third_finds_its_rest() {
    let mut world = World::build(&scene(json!({
        "rod": {"rope": {"radius": 0.005, "young": 1e7, "density": 1100, "segments": 12}},
        "constraint": {"a": {"clamp": {"on": "rope", "at": "start", "roll": 1.5}},
                       "b": {"clamp": {"on": "rope", "at": "end", "displacement": [-0.3, 0.1, 0]}}},
    })))
    .expect("a rope");
    let report = world.equilibrate(0.0, &StaticParams::default(), &mut Workspace::new(), &NoClock);
    assert!(report.converged && report.residual < 1e-9 && report.unstable_modes == 0, "{report:?}");
}

#[test]
fn a_soft_cantilever_finds_its_rest_on_a_coarse_mesh() {
    for (young, segments) in [(1e7, 2), (1e7, 3), (1e6, 16), (1e6, 32)] {
        let mut world = World::build(&scene(json!({
            "rod": {"rope": {"radius": 0.005, "young": young, "density": 1100, "segments": segments}},
            "constraint": {"a": {"clamp": {"on": "rope", "at": "start"}}},
        })))
        .expect("a rope");
        let report = world.equilibrate(0.0, &StaticParams::default(), &mut Workspace::new(), &NoClock);
        assert!(report.converged && report.solves < 100, "{young} {segments}: {report:?}");
    }
}

#[test]
fn a_drag_by_half_a_rope_in_every_step_is_followed_in_substeps() {
    for integrator in ["euler", "bdf2"] {
        // 50 m/s at one end for 0.04 s, the other end free. One linearised solve would make the last segment
        // ten times as long.
        let mut simulation = build(json!({
            "rod": {"rope": {"stiffness": {"stretch": 1e4, "bend": 1e-3, "twist": 1e-3},
                "mass_per_length": 0.1, "segments": 16}},
            "constraint": {"hand": {"position": {"on": "rope", "at": "end",
                "displacement": {"keyframes": {"times": [0, 0.04, 1],
                    "values": [[0, 0, 0], [0, 0, 2], [0, 0, 2]]}}}}},
            "settings": {"step": 0.01, "duration": 1, "integrator": integrator},
        }));
        let mut stretched = 0.0_f64;
        while !simulation.finished() {
            let report = simulation.step(&NoClock);
            assert!(!report.held && is_finite(simulation.world()), "{integrator}: {report:?}");
            stretched = stretched.max(report.stretched);
        }
        // The whip at the end is reported if no substep was short enough for it.
        assert!(happened!(simulation, Refused), "{integrator}: {:?}", simulation.events());
        assert_eq!(
            happened!(simulation, Overstretched),
            stretched > 0.2,
            "{integrator}: {stretched} {:?}",
            simulation.events()
        );
    }
}

#[test]
fn force_on_a_held_mass_is_its_weight() {
    // It has no size: neither its distance from the target nor anything else says what is far.
    for place in [[0.0; 3], [1.0, 0.0, 0.0], [1e3, -2e3, 5.0]] {
        let description = scene(json!({"mass": {"m": {"position": place, "mass": 1}},
                "constraint": {"h": {"position": {"on": "m"}}}}));
        let mut world = World::build(&description).expect("a mass");
        let mut workspace = Workspace::new();
        for _ in 0..100 {
            let report = world.step(&StepParams::default(), &mut workspace, &NoClock);
            assert_eq!((report.conflicting_rows, report.held), (0, false), "{place:?}");
        }
        let force = world.constraint_force(0).expect("a constraint").force;
        assert!((force - DVec3::Z * 9.81).length() < 1e-9, "{force}");
    }
}

#[test]
fn rows_that_almost_agree_do_not_push_harder_from_step_to_step() {
    // Two pins a tenth of a micrometre apart: nearer than what counts as a contradiction. Their forces must
    // not grow.
    let mut description = hung(8);
    description["constraint"]["twin"] =
        json!({"position": {"on": "rope", "at": "end", "target": [1.0, 1e-7, 0.0]}});
    let mut world = World::build(&scene(description)).expect("a rope");
    let mut workspace = Workspace::new();
    let mut largest = Vec::new();
    for _ in 0..400 {
        world.step(&StepParams::default(), &mut workspace, &NoClock);
        let forces = (0..world.structure().constraints.len())
            .map(|k| world.constraint_force(k).expect("a constraint").force.length());
        largest.push(forces.fold(0.0, f64::max));
    }
    let early = largest[10..50].iter().copied().fold(0.0, f64::max);
    let late = largest[350..].iter().copied().fold(0.0, f64::max);
    assert!(late <= 2.0 * early, "{early} N, then {late} N");
}
