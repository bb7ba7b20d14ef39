//! Imposed sliding, pearls and their frames, pearls in equilibrium, and the one-sided plane between two
//! places of one rod.

use crate::common::{
    at, bits, build, constraint, crossing_ropes, equilibrium, force, happened, object, off, probe, run, scene,
};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::world::World;
use serde_json::{Value, json};

const G: f64 = 9.81;

fn place(world: &World, name: &str) -> f64 {
    world.sliding_place(constraint(world, name)).expect("something that slides")
}

/// A straight rod of 2 m along x with an eye in its middle, through which it is fed.
fn fed(eye: Value, parts: Value) -> Value {
    let mut scene = json!({
        "rod": {"rod": {"shape": {"line": {"from": [-1, 0, 0], "to": [1, 0, 0]}},
            "stiffness": {"stretch": 1e4, "bend": 1, "twist": 1},
                        "mass_per_length": 0.2, "segments": 20}},
        "constraint": {"eye": {"keyhole": {"on": "rod", "at": "middle", "target": [0, 0, 0],
            "direction": [1, 0, 0]}}},
        "settings": {"gravity": [0, 0, 0]},
    });
    scene["constraint"]["eye"]["keyhole"]
        .as_object_mut()
        .expect("fields")
        .extend(eye.as_object().expect("fields").clone());
    for (part, value) in parts.as_object().expect("parts") {
        match scene[part].as_object_mut() {
            Some(fields) => fields.extend(value.as_object().expect("fields").clone()),
            None => scene[part] = value.clone(),
        }
    }
    scene
}

#[test]
fn drive_force_of_an_eye_is_the_difference_of_the_tensions() {
    let mut simulation = build(fed(
        json!({"slide": {"ramp": {"to": "0.6 m", "end": 1}}}),
        json!({
            "constraint": {"flat": {"roll": {"on": "rod", "at": "start"}}},
            "load": {"back": {"force": {"on": "rod", "at": "start", "force": [-3, 0, 0]}},
                "front": {"force": {"on": "rod", "at": "end", "force": [5, 0, 0]}}},
            "probe": [{"name": "drive", "of": "eye", "read": "drive"},
                {"name": "push", "of": "eye", "read": "force", "component": "x"}],
            "settings": {"mode": "static", "step": 0.1, "gravity": [0, 0, 0]},
        }),
    ));
    for k in 1..=10 {
        let report = simulation.step(&NoClock);
        assert!(report.converged && report.residual < 1e-9, "{report:?}");
        let world = simulation.world();
        assert!((place(world, "eye") - 1.0 - 0.06 * f64::from(k)).abs() < 1e-12, "{}", place(world, "eye"));
        // 3 N − 5 N, to Newton's last increment times the stiffness of a segment, 1e5 N/m.
        assert!(
            (probe(&simulation, "drive") + 2.0).abs() < 1e-4,
            "{} {report:?}",
            probe(&simulation, "drive")
        );
        assert_eq!(probe(&simulation, "drive"), probe(&simulation, "push"));
        let tension = |s: f64| world.section(object(world, "rod"), s).expect("a rod").tension;
        let difference = tension(0.1) - tension(1.95);
        // The jump of tension within the segment at the eye rings through its neighbours, by a quarter from
        // one to the next.
        assert!((difference + 2.0).abs() < 5e-3 && (tension(0.1) - 3.0).abs() < 1e-3, "{difference}");
    }
}

#[test]
fn a_rod_is_reeled_through_an_eye_at_constant_speed_without_effort() {
    let mut description = fed(json!({"slide": {"ramp": {"to": -0.8, "end": 1.6}}}), json!({}));
    description["rod"]["rod"]["velocity"] = json!([0.5, 0, 0]);
    description["settings"]["step"] = json!(0.01);
    let mut simulation = build(description);
    for _ in 0..150 {
        let report = simulation.step(&NoClock);
        assert!(!report.held && report.residual < 1e-12, "{report:?}");
        let drive = simulation.world().drive_force(0).expect("an eye");
        // Positions of 1 m are rounded to 1e-16, over h² and times 0.4 kg.
        assert!(drive.abs() < 1e-9, "{drive:e}");
    }
    let world = simulation.world();
    assert!((place(world, "eye") - 0.25).abs() < 1e-12);
    assert!((at(world, "rod", 1.0) - DVec3::X * 1.75).length() < 1e-9);
    for s in [0.0, 1.0, 2.0] {
        assert!((crate::common::velocity(world, "rod", s) - DVec3::X * 0.5).length() < 1e-9);
    }
}

#[test]
fn the_work_of_the_drive_is_the_energy_that_a_rod_gains() {
    // A rod that rises by 30° is fed upward by 0.4 m; a free eye guides it.
    let up = DVec3::new(0.75_f64.sqrt(), 0.0, 0.5);
    let balance = |step: f64| {
        let mut simulation = build(json!({
            "rod": {"rod": {"shape": {"line": {"from": [0, 0, 0], "to": up.to_array()}},
                "stiffness": {"stretch": 1e6, "bend": 1e4, "twist": 1e4},
                            "mass_per_length": 0.5, "segments": 20, "damping": {"internal": 0.002}}},
            "constraint": {
                "feeder": {"keyhole": {"on": "rod", "at": 0.8,
                    "slide": {"ramp": {"to": -0.4, "end": 1, "smooth": true}}}},
                "guide": {"keyhole": {"on": "rod", "at": 0.9}},
            },
            "settings": {"step": step, "integrator": "bdf2", "solves": 3, "settle": true},
        }));
        simulation.settle(&NoClock);
        let begin = simulation.world().energy().total();
        let read = |world: &World| (world.drive_force(0).expect("an eye"), place(world, "feeder"));
        let (mut before, mut work, mut worst) = (read(simulation.world()), 0.0, 0.0_f64);
        for k in 1..=(1.2 / step).round() as usize {
            let report = simulation.step(&NoClock);
            assert!(!report.held, "{report:?}");
            let now = read(simulation.world());
            // The rod's matter goes up by what the eye comes down along it.
            work += 0.5 * (before.0 + now.0) * (before.1 - now.1);
            before = now;
            let energy = simulation.world().energy();
            worst = worst.max((energy.total() - begin - work).abs());
            if k == (0.5 / step).round() as usize {
                // Half way at its largest speed, 0.6 m/s, with 0.5 kg.
                assert!((energy.kinetic - 0.5 * 0.5 * 0.36).abs() < 1e-3, "{}", energy.kinetic);
            }
        }
        // At rest again it has been lifted by 0.2 m.
        (off(work, 0.5 * G * 0.2), worst)
    };
    let (lifted, worst) = balance(0.002);
    // Second order in the step, and the damped jolts where the ramp begins and ends: 1e-4 of 1 J.
    assert!(lifted < 1e-3, "{lifted:e}");
    assert!(worst < 3e-3, "{worst:e}");
    let (_, coarse) = balance(0.008);
    assert!(coarse > worst, "{coarse:e} {worst:e}");
}

#[test]
fn imposed_sliding_ends_where_the_rod_ends() {
    let at_end = |ends: &str| {
        let mut description = fed(json!({"slide": {"ramp": {"to": 2, "end": 0.4}}, "ends": ends}), json!({}));
        description["settings"]["step"] = json!(0.01);
        let mut simulation = build(description);
        let held = (0..40).filter(|_| simulation.step(&NoClock).held).count();
        (simulation, held)
    };
    let (stopped, held) = at_end("stop");
    assert_eq!(held, 0);
    assert!(
        (place(stopped.world(), "eye") - 2.0).abs() < 1e-12
            && at(stopped.world(), "rod", 1.0).length() < 1e-9
    );
    let (released, held) = at_end("release");
    assert_eq!(held, 0);
    assert!(released.world().structure().constraints.is_empty() && happened!(released, Slipped));
    let (refused, held) = at_end("error");
    // It reaches the end after 0.2 s.
    assert!(held > 15 && place(refused.world(), "eye") < 2.0, "{held}");
}

#[test]
fn a_ring_is_fed_round_and_round() {
    let mut simulation = build(json!({
        "rod": {"ring": {"shape": {"ring": {"centre": [0, 0, 0], "normal": [0, 0, 1], "radius": 0.5}},
            "natural": "as-shaped", "stiffness": {"stretch": 1e4, "bend": 1, "twist": 1},
            "mass_per_length": 0.1,
                "segments": 16, "damping": {"mass": 2, "internal": 0.01}}},
        "constraint": {"eye": {"keyhole": {"on": "ring", "at": "start",
            "slide": {"ramp": {"to": 8, "end": 4}}}},
                       "guide": {"keyhole": {"on": "ring", "at": "50 %"}}},
        "settings": {"gravity": [0, 0, 0], "step": 0.01},
    }));
    for _ in 0..400 {
        let report = simulation.step(&NoClock);
        assert!(!report.held, "{report:?}");
    }
    // 8 m of it have passed, round two and a half times.
    let length = object(simulation.world(), "ring").rod().expect("a rod").length();
    assert!((place(simulation.world(), "eye") - 8.0_f64.rem_euclid(length)).abs() < 1e-9);
    assert!(simulation.world().constraint_miss(0).expect("an eye") < 1e-4);
}

#[test]
fn fed_rod_continues_with_the_same_bits_after_a_restore() {
    for integrator in ["euler", "bdf2"] {
        let mut description =
            fed(json!({"slide": {"harmonic": {"amplitude": 0.8, "frequency": 0.5}}}), json!({}));
        description["settings"] =
            json!({"gravity": [0, 0, -1], "step": 0.01, "integrator": integrator, "duration": 2});
        let description = scene(description);
        let mut simulation = Simulation::build(&description).expect("a fed rod");
        let mut windows = 0;
        for round in 0..10 {
            let (mut restored, _) =
                Simulation::restore(&simulation.snapshot(&description)).expect("a snapshot");
            let before = simulation.world().state().constraints[0].window;
            for _ in 0..20 {
                assert!(!simulation.step(&NoClock).held);
                restored.step(&NoClock);
                assert!(
                    bits(restored.world()) == bits(simulation.world()),
                    "{integrator}: after restore {round}"
                );
            }
            windows += usize::from(before != simulation.world().state().constraints[0].window);
        }
        assert!(windows > 4, "{windows}");
    }
}

#[test]
fn resistance_against_imposed_sliding_is_refused() {
    for (field, value) in [("viscosity", 1.0), ("friction", 0.2)] {
        let error = Simulation::build(&scene(fed(json!({"slide": 0.1, field: value}), json!({}))))
            .expect_err("refused");
        assert!(error.path.ends_with(field) && error.remedy.contains("slide"), "{error:?}");
    }
    let error = Simulation::build(&scene(fed(
        json!({"slide": {"ramp": {"to": 1, "start": 2, "end": 1}}}),
        json!({}),
    )))
    .expect_err("refused");
    assert!(error.path.contains("slide"), "{error:?}");
}

#[test]
fn two_crossing_ropes_one_of_them_fed_slide_on_the_other_freely() {
    let simulation = crossing_ropes(&json!({"slide": 0.05}));
    let world = simulation.world();
    let [a, b] = world.sites(constraint(world, "cross")).expect("the crossing");
    let push = force(world, "cross").force;
    assert!((place(world, "cross") - 1.25).abs() < 1e-12 && a.x.distance(b.x) < 1e-8);
    // It is held along the first rope, free along the second.
    assert!(
        push.dot(b.t).abs() < 1e-8 * push.length() && push.dot(a.t).abs() > 0.01 * push.length(),
        "{} {}",
        push.dot(a.t),
        push.dot(b.t)
    );
}

#[test]
fn the_frame_of_a_pearl_follows_the_tangent_and_if_asked_the_roll() {
    // A straight rod with 2 rad of twist, along which two weightless pearls glide.
    let pearl = |frame: &str, at: f64| {
        json!({"pearl": {"on": "rod", "at": at, "mass": 1e-6, "speed": 0.5,
        "frame": frame}})
    };
    let mut simulation = build(json!({
        "rod": {"rod": {"shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "up": [0, 0, 1], "twist": 2,
            "stiffness": {"stretch": 1e4, "bend": 1, "twist": 1},
                        "mass_per_length": 0.2, "segments": 12}},
        "constraint": {"a": {"clamp": {"on": "rod", "at": "start"}},
            "b": {"clamp": {"on": "rod", "at": "end"}},
                       "plain": pearl("tangent", 0.1), "rolled": pearl("roll", 0.2)},
        "probe": [{"name": "t", "of": "plain", "read": "tangent", "component": "x"},
            {"name": "d", "of": "rolled", "read": "director", "component": "z"}],
        "settings": {"gravity": [0, 0, 0], "step": 0.01},
    }));
    let frame = |simulation: &Simulation, name: &str| {
        simulation.world().constraint_frame(constraint(simulation.world(), name)).expect("a pearl")
    };
    let before = frame(&simulation, "plain");
    for _ in 0..100 {
        simulation.step(&NoClock);
        let plain = frame(&simulation, "plain");
        // Nothing turns the tangent, so nothing turns what is carried along without spin.
        assert!((plain.y_axis - before.y_axis).length() < 1e-12, "{}", plain.y_axis);
        assert!((probe(&simulation, "t") - 1.0).abs() < 1e-9);
        let angle = 2.0 * place(simulation.world(), "rolled");
        let expected = DVec3::new(0.0, -angle.sin(), angle.cos());
        let rolled = frame(&simulation, "rolled");
        // Cubic segments carry a constant twist exactly.
        assert!((rolled.y_axis - expected).length() < 1e-9, "{} for {expected}", rolled.y_axis);
        assert!((probe(&simulation, "d") - rolled.y_axis.z).abs() < 1e-15);
        assert!((rolled.determinant() - 1.0).abs() < 1e-12);
    }
    assert!((place(simulation.world(), "plain") - 0.6).abs() < 1e-6);
}

#[test]
fn on_a_plane_arc_the_director_of_a_pearl_stays_across_the_plane_and_its_tangent_turns_with_the_arc() {
    let simulation = run(json!({
        "rod": {"arc": {"shape": {"arc": {"from": [0, 0, 0], "tangent": [1, 0, 0], "towards": [0, 1, 0],
            "radius": 0.5, "angle": "180 deg"}}, "natural": "as-shaped",
                        "up": [0, 0, 1], "stiffness": {"stretch": 1e5, "bend": 50, "twist": 50},
                            "mass_per_length": 1, "segments": 16}},
        "constraint": {"a": {"clamp": {"on": "arc", "at": "start"}},
            "b": {"clamp": {"on": "arc", "at": "end"}},
                       "p": {"pearl": {"on": "arc", "at": 0.1, "mass": 1e-6, "speed": 1}}},
        "settings": {"gravity": [0, 0, 0], "step": 0.005, "duration": 0.8},
    }));
    let world = simulation.world();
    let frame = world.constraint_frame(constraint(world, "p")).expect("a pearl");
    let angle = place(world, "p") / 0.5;
    assert!(angle > 1.5, "{angle}");
    assert!((frame.y_axis - DVec3::Z).length() < 1e-9, "{}", frame.y_axis);
    // 16 cubic segments of a half circle are round to 1e-5.
    assert!((frame.x_axis - DVec3::new(angle.cos(), angle.sin(), 0.0)).length() < 1e-4, "{}", frame.x_axis);
}

/// A cable of 1.3 m between two points that are 1 m apart and one higher than the other, with a pearl on it,
/// in equilibrium.
fn cable_with_pearl(at: &str, higher: f64, bend: f64, mass: f64) -> Simulation {
    equilibrium(json!({
        "rod": {"cable": {"shape": {"slack": {"from": [0, 0, 0], "to": [1, 0, higher], "length": 1.3}},
            "stiffness": {"stretch": 2e4, "bend": bend, "twist": bend},
                          "mass_per_length": 0.02, "segments": 40}},
        "constraint": {
            "a": {"position": {"on": "cable", "at": "start"}},
                "b": {"position": {"on": "cable", "at": "end"}},
                "r": {"roll": {"on": "cable", "at": "start"}},
            "p": {"pearl": {"on": "cable", "at": at, "mass": mass}},
        },
        "settings": {"mode": "static"},
    }))
}

#[test]
fn a_frictionless_pearl_finds_the_lowest_point_of_a_catenary_in_equilibrium() {
    // √(ℓ² − d²) = 2a sinh(1/2a), and the lowest point is a artanh(d/ℓ) before the middle of the span.
    let (length, higher) = (1.3_f64, 0.2_f64);
    let (mut low, mut high) = (0.1_f64, 10.0_f64);
    for _ in 0..100 {
        let a = 0.5 * (low + high);
        if 2.0 * a * (0.5 / a).sinh() > (length * length - higher * higher).sqrt() {
            low = a;
        } else {
            high = a;
        }
    }
    let expected = low * ((0.5 - low * (higher / length).atanh()) / low).sinh();
    for start in ["10 %", "50 %", "88 %"] {
        let simulation = cable_with_pearl(start, higher, 1e-6, 1e-6);
        let world = simulation.world();
        // 40 cubic segments of 3 cm, stretched by 1e-5; the pearl weighs 4e-5 of the cable.
        assert!(
            (place(world, "p") - expected).abs() < 5e-4,
            "from {start}: {} for {expected}",
            place(world, "p")
        );
        let site = world.sites(constraint(world, "p")).expect("a pearl")[0];
        assert!(site.t.z.abs() < 1e-7, "weight along the cable: {:e}", site.t.z);
    }
}

#[test]
fn a_heavy_pearl_slides_to_the_middle_of_its_cable_in_equilibrium_and_the_ends_share_it() {
    for start in ["10 %", "40 %", "88 %"] {
        let simulation = cable_with_pearl(start, 0.0, 0.02, 1.0);
        let world = simulation.world();
        // By symmetry; stationary to Newton's last increment.
        assert!((place(world, "p") - 0.65).abs() < 1e-7, "from {start}: {}", place(world, "p"));
        let [a, b] = ["a", "b"].map(|end| force(world, end).force);
        assert!((a + b - DVec3::Z * (1.0 + 0.026) * G).length() < 1e-6, "{a} {b}");
        assert!((a.z - b.z).abs() < 1e-6);
    }
}

#[test]
fn a_pearl_on_a_level_wire_stays_where_it_is_in_equilibrium() {
    let simulation = equilibrium(json!({
        "rod": {"wire": {"shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
            "stiffness": {"stretch": 1e6, "bend": 100, "twist": 100}, "mass_per_length": 0.1, "segments": 8}},
        "constraint": {"a": {"clamp": {"on": "wire", "at": "start"}},
            "b": {"clamp": {"on": "wire", "at": "end"}},
            "p": {"pearl": {"on": "wire", "at": 0.3, "mass": 0.01}}},
        "settings": {"mode": "static", "gravity": [0, 0, 0]},
    }));
    assert!((place(simulation.world(), "p") - 0.3).abs() < 1e-12);
}

#[test]
fn pearl_added_during_a_run_loads_the_supports() {
    let simulation = run(json!({
        "rod": {"thread": {"shape": {"slack": {"from": [0, 0, 0], "to": [0.6, 0, 0], "length": 0.8}},
            "radius": 0.001, "young": 1e9, "density": 1150, "segments": 16,
                           "damping": {"internal": 0.002, "mass": 4}}},
        "constraint": {"a": {"position": {"on": "thread", "at": "start"}},
            "b": {"position": {"on": "thread", "at": "end"}}},
        "action": [{"at": 0.5, "do": {"add-constraint": {"name": "p",
            "to": {"pearl": {"on": "thread", "at": "5 %", "mass": "2 g", "viscosity": 0.02}}}}}],
        "probe": [{"name": "s", "of": "p", "read": "place"}],
        "settings": {"duration": 6, "step": 0.005},
    }));
    let world = simulation.world();
    // It has come to the middle, the lowest point of a symmetric thread.
    assert!((probe(&simulation, "s") - 0.4).abs() < 1e-4, "{}", probe(&simulation, "s"));
    let all = (crate::common::total_mass(world) + 0.002) * G;
    let carried = force(world, "a").force.z + force(world, "b").force.z;
    assert!(off(carried, all) < 1e-4, "{carried} for {all}");
}

/// A rod bent to a hairpin whose ends are moved across each other and back; two places of it may be kept on
/// their sides.
fn hairpin(kept: bool) -> Simulation {
    let end = |sign: f64| {
        json!({"keyframes": {"times": [0, 1, 7, 8],
        "values": [[0, 0, 0], [0, -0.13 * sign, 0], [0, -0.13 * sign, 0], [0, 0.1 * sign, 0]],
        "smooth": true}})
    };
    let mut scene = json!({
        "rod": {"rod": {"shape": {"points": {"through": [[0.5, 0.1, 0], [0.1, 0.1, 0], [0, 0, 0],
            [0.1, -0.1, 0], [0.5, -0.1, 0]]}}, "radius": 0.005, "young": 1e7,
                        "density": 1000, "segments": 24, "damping": {"internal": 0.02, "mass": 6}}},
        "constraint": {
            "start": {"clamp": {"on": "rod", "at": "start", "displacement": end(1.0)}},
                "end": {"clamp": {"on": "rod", "at": "end", "displacement": end(-1.0)}},
        },
        "settings": {"gravity": [0, 0, 0], "step": 0.005},
    });
    if kept {
        scene["constraint"]["sides"] = json!({"plane": {"on": "rod", "at": "10 %",
            "to": {"on": "rod", "at": "90 %"}, "normal": [0, 1, 0], "offset": "2 cm", "side": "above"}});
    }
    build(scene)
}

#[test]
fn two_places_of_a_folded_rod_are_kept_on_their_sides_by_a_plane_and_part_when_it_opens() {
    let until = |simulation: &mut Simulation, time: f64| {
        while simulation.time() < time - 1e-9 {
            let report = simulation.step(&NoClock);
            assert!(!report.held, "{report:?}");
        }
    };
    let apart =
        |simulation: &Simulation| (at(simulation.world(), "rod", 0.1) - at(simulation.world(), "rod", 0.9)).y;
    // Without it they pass through each other.
    let mut through = hairpin(false);
    until(&mut through, 7.0);
    assert!(apart(&through) < 0.0, "{}", apart(&through));

    let mut kept = hairpin(true);
    assert_eq!(force(kept.world(), "sides").force.length(), 0.0);
    until(&mut kept, 7.0);
    let world = kept.world();
    let sides = constraint(world, "sides");
    let [a, b] = world.sites(sides).expect("two places");
    let push = force(world, "sides").force;
    let normal = push.normalize();
    // They rest at the distance, to the second order of what is left of the motion, and push across the
    // second arm. EI/L² is 5 mN.
    assert!(push.length() > 2e-3, "{push}");
    assert!((normal.dot(a.x - b.x) - 0.02).abs() < 1e-6, "{}", normal.dot(a.x - b.x));
    assert!(normal.dot(b.t).abs() < 0.2 && normal.y > 0.5, "{normal}");
    // What the plane does to one arm it does to the other with the opposite sign: no force and no moment on
    // the whole, so that the ends alone balance each other.
    let row = {
        let (mut found, here) = (None, micado::constraint::Circumstances::default());
        world.structure().constraints[sides]
            .law
            .non_smooth(&[a, b], world.time(), &here, |block| found = Some(block.rows[0].row));
        found.expect("a one-sided row")
    };
    let [on_a, on_b] = [(0, a), (1, b)].map(|(e, site)| {
        let mut force = micado::constraint::Force::default();
        force.add(&row, push.length(), &site, e);
        force
    });
    assert!((on_a.force + on_b.force).length() < 1e-12 * push.length());
    assert!((on_a.force - push).length() < 1e-9 * push.length());
    let moment = on_a.moment + on_b.moment + (a.x - b.x).cross(on_a.force);
    assert!(moment.length() < 1e-12 * push.length(), "{moment}");
    let ends = force(world, "start").force + force(world, "end").force;
    assert!(ends.length() < 1e-2 * push.length(), "{ends} beside {push}");

    until(&mut kept, 8.5);
    assert_eq!(force(kept.world(), "sides").force.length(), 0.0);
    assert!(apart(&kept) > 0.05, "{}", apart(&kept));
}

#[test]
fn a_pearl_that_crosses_many_segments_in_one_step_is_followed_in_substeps() {
    let mut simulation = build(json!({
        "rod": {"wire": {"radius": 0.002, "young": 2e11, "density": 7800, "segments": 40,
                "shape": {"line": {"from": [0, 0, 0], "to": [4, 0, 0]}}}},
        "constraint": {
            "a": {"clamp": {"on": "wire", "at": "start"}},
            "b": {"clamp": {"on": "wire", "at": "end"}},
            "pearl": {"pearl": {"on": "wire", "at": 0.5, "mass": 1e-4, "radius": 0.002, "speed": 150}},
        },
        "settings": {"step": 0.01, "duration": 0.02, "solves": 3, "gravity": [0, 0, 0]},
    }));
    for step in 1..=2 {
        let report = simulation.step(&NoClock);
        assert!(!report.held && report.substeps > 1, "{report:?}");
        let place = simulation.world().sliding_place(2).unwrap();
        assert!((place - 0.5 - 1.5 * f64::from(step)).abs() < 1e-6, "{place} m after {step} steps");
    }
}
