//! The structures of the toolkit's papers, compared with mechanics.

use glam::DVec3;
use micado::clock::NoClock;
use micado::constraint::{ConstraintDescription, Force, Fusion, Hold, RowForm};
use micado::object::Object;
use micado::object::rod::{Natural, Resolution, RodModel};
use micado::run::{EventKind, Simulation, Slip};
use micado::scene::{Edit, Integrator, Mode, Named, Scene};
use micado_io::scene::{builtin, parse};

const G: f64 = 9.81;

fn scene(name: &str) -> Scene {
    let file = builtin(name).expect("a built-in scene");
    parse(name, file.text, &[]).expect("a scene").scene().clone()
}

/// The scene at rest, without its actions.
fn at_rest(name: &str) -> Simulation {
    resting(name, scene(name))
}

fn resting(name: &str, mut scene: Scene) -> Simulation {
    scene.settings.mode = Mode::Static;
    scene.load.clear();
    let mut simulation = Simulation::build(&scene).expect("a scene");
    let report = simulation.step(&NoClock);
    assert!(report.converged, "{name}: {report:?}");
    assert!(report.residual < 1e-8, "{name}: {:e}", report.residual);
    simulation
}

fn acts(simulation: &Simulation, name: &str) -> Force {
    let world = simulation.world();
    let k = world.structure().constraints.iter().position(|c| c.name == name).expect("a constraint");
    world.constraint_force(k).expect("a constraint")
}

fn force(simulation: &Simulation, name: &str) -> DVec3 {
    acts(simulation, name).force
}

fn weight(simulation: &Simulation) -> f64 {
    let world = simulation.world();
    world.structure().objects.iter().map(Object::total_mass).sum::<f64>() * G
}

#[test]
fn the_ends_of_a_bridge_carry_its_weight_and_its_thrust() {
    let simulation = at_rest("bridge");
    let ends = ["foot_left", "foot_right", "hand_left", "hand_right"];
    let all: Vec<DVec3> = ends
        .iter()
        .flat_map(|rope| ["start", "end"].map(|end| force(&simulation, &format!("{rope}_{end}"))))
        .collect();
    let up: f64 = all.iter().map(|force| force.z).sum();
    assert!((up - weight(&simulation)).abs() < 1e-6 * up, "{up} N");
    // A rope of weight W and sag f in a span L has the thrust H with H f = W L/8 − EI κ, κ = 8 f/L² in the
    // middle; the catenary differs from that parabola by (f/L)², a fifth of a percent.
    let (thrust, rope) = (-all[0].x, weight(&simulation) / 4.0);
    let foot = &simulation.world().structure().objects[0];
    let sag = -simulation
        .world()
        .section(foot, 0.5 * foot.rod().expect("a rope").length())
        .expect("a rope")
        .position
        .z;
    let stiffness = 1e9 * std::f64::consts::PI / 4.0 * 0.015_f64.powi(4);
    let expected = (rope * 10.0 / 8.0 - stiffness * 8.0 * sag / 100.0) / sag;
    assert!((thrust - expected).abs() < 0.005 * expected, "{thrust} N against {expected} N, sag {sag} m");
    // An independent prototype with the same ropes has 203 N along and 38 N up.
    assert!((thrust - 203.0).abs() < 1.0 && (all[0].z - 38.0).abs() < 0.5, "{}", all[0]);
}

#[test]
fn a_net_pulled_outward_by_two_millimetres_is_stretched_by_half_a_percent() {
    let simulation = at_rest("spider-net");
    let world = simulation.world();
    let rod = &world.structure().objects[0];
    let section = world.section(rod, 0.2).expect("a thread");
    // 2 mm on 0.37 m. The inner ring does not yield: its links are rigid.
    assert!((section.stretch - 0.002 / 0.37).abs() < 1e-4, "{}", section.stretch);
    // EA = 1e9 π (0.5 mm)²
    let tension = 1e9 * std::f64::consts::PI * 0.0005_f64.powi(2) * 0.002 / 0.37;
    assert!((force(&simulation, "branch_3").length() - tension).abs() < 0.01 * tension);
    // The innermost ring holds all seven threads: T = N/(2 sin(π/7)).
    let ring = force(&simulation, "ring_0_0").length();
    assert!((ring - tension / (2.0 * (std::f64::consts::PI / 7.0).sin())).abs() < 0.01 * ring, "{ring}");
}

#[test]
fn a_double_helix_lengthens_by_eight_centimetres_and_its_upper_ends_carry_it() {
    let simulation = at_rest("dna");
    let world = simulation.world();
    let up = force(&simulation, "strand_a_top").z + force(&simulation, "strand_b_top").z;
    assert!((up - weight(&simulation)).abs() < 1e-6 * up);
    let rod = &world.structure().objects[0];
    let end = world.section(rod, rod.rod().expect("a rod").length()).expect("a strand").position.z;
    // An independent prototype with 24 segments lengthened by 0.08 m.
    assert!((-end - 0.68).abs() < 0.005, "{end}");
}

#[test]
fn pearls_come_to_rest_against_each_other_and_the_thread_carries_them() {
    let mut scene = scene("necklace");
    scene.settings.duration = 4.0;
    let mut simulation = Simulation::build(&scene).expect("a scene");
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(!report.held);
    }
    let world = simulation.world();
    let pearls: Vec<usize> = (0..10)
        .map(|k| {
            world
                .structure()
                .constraints
                .iter()
                .position(|c| c.name == format!("pearl_{k}"))
                .expect("a pearl")
        })
        .collect();
    let places: Vec<DVec3> = pearls.iter().map(|&k| world.sites(k).expect("a pearl")[0].x).collect();
    for pair in places.windows(2) {
        // Twice 4 mm; contact rows hold to second order in the remaining motion.
        assert!((pair[0].distance(pair[1]) - 0.008).abs() < 1e-6, "{}", pair[0].distance(pair[1]));
    }
    let carried = force(&simulation, "left").z + force(&simulation, "right").z;
    let all = weight(&simulation) + 10.0 * 0.7e-3 * G;
    assert!((carried - all).abs() < 1e-4 * all, "{carried} against {all}");
    // Contact forces grow towards the middle: the pearls above push along the slope.
    let contact: Vec<f64> = pearls[..9].iter().map(|&k| world.contact_force(k)).collect();
    assert!(
        contact.windows(2).take(4).all(|pair| pair[1] > pair[0])
            && contact.windows(2).skip(4).all(|pair| pair[1] < pair[0]),
        "{contact:?}"
    );
    assert!((contact[4] - 11.9e-3).abs() < 0.3e-3, "{contact:?}");
    assert!(contact.iter().zip(contact.iter().rev()).all(|(a, b)| (a - b).abs() < 1e-5), "{contact:?}");
}

/// The clips that caught: their names, and the arc length on the rod.
fn caught(simulation: &Simulation) -> Vec<(&str, f64)> {
    let clips = simulation.events().iter().filter_map(|event| match &event.what {
        EventKind::Clipped { clip, place, .. } => Some((clip.as_str(), *place)),
        _ => None,
    });
    clips.collect()
}

/// The clips that opened: their names, and the times.
fn opened(simulation: &Simulation) -> Vec<(&str, f64)> {
    let clips = simulation.events().iter().filter_map(|event| match &event.what {
        EventKind::Opened { clip, .. } => Some((clip.as_str(), event.time)),
        _ => None,
    });
    clips.collect()
}

#[test]
fn clips_catch_a_harness_from_its_socket_on_and_open_from_its_free_end() {
    let mut simulation = Simulation::build(&scene("clips")).expect("a scene");
    let mut asked = Vec::new();
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(!report.held);
        for clip in ["clip_1", "clip_2", "clip_3", "clip_4"] {
            // The force against leaving upward.
            assert!(force(&simulation, clip).z > -6.0 * (1.0 + 1e-9));
        }
        asked.extend(report.broke.map(|broke| broke.load));
    }
    let clips = ["clip_1", "clip_2", "clip_3", "clip_4"];
    assert!(caught(&simulation).iter().map(|(name, _)| *name).eq(clips));
    assert!(opened(&simulation).iter().map(|(name, _)| *name).eq(clips.into_iter().rev()));
    assert!(asked.iter().all(|load| *load > 1.0));
    // Each holds about as much cable as there is between the socket and the clip: the cable sags and its
    // weight stretches it.
    for (k, (name, place)) in caught(&simulation).into_iter().enumerate() {
        assert!((place - (0.2 + 0.25 * k as f64)).abs() < 0.01, "{name}: {place} m");
    }
}

#[test]
fn a_bow_transfers_half_of_its_energy_to_its_arrow() {
    let mut scene = scene("bow");
    // The prototype takes Euler steps.
    scene.settings.integrator = Integrator::Euler;
    let mut simulation = Simulation::build(&scene).expect("a scene");
    let value = |simulation: &Simulation, name: &str| {
        simulation.probe_values()
            [simulation.probe_names().iter().position(|probe| probe == name).expect("a probe")]
    };
    simulation.settle(&NoClock);
    // As built 0.181 m; the pull of the limb stretches the string by 0.7 %. An independent prototype counts
    // from there.
    let brace = -value(&simulation, "brace");
    assert!((brace - 0.18).abs() < 0.01, "{brace} m");
    while simulation.time() < 1.2 - 1e-9 {
        assert!(!simulation.step(&NoClock).held);
    }
    // Drawn to 0.45 m behind its initial place: 98 N and 33.6 J, as in that prototype, to the rounding of its
    // figures.
    let (drawn, pull, stored) =
        (-value(&simulation, "brace"), value(&simulation, "draw_force"), value(&simulation, "elastic"));
    assert!((drawn - 0.6311).abs() < 2e-4, "{drawn} m");
    assert!((pull + 98.0).abs() < 0.5 && (stored - 33.6).abs() < 0.1, "{pull} N, {stored} J");
    let strain = value(&simulation, "string_strain");
    assert!(strain > 0.0 && strain < 0.008, "{strain}");
    // Rows of grip, hand, tips, rest and nock, counted as in the papers: 11 to the world and 16 between the
    // parts.
    let world = simulation.world();
    let (mut absolute, mut relative) = (0, 0);
    for constraint in &world.structure().constraints {
        let count = constraint.law.rows() + constraint.law.own_unknowns().iter().filter(|own| **own).count();
        *(if constraint.is_relative() { &mut relative } else { &mut absolute }) += count;
    }
    assert_eq!((absolute, relative), (11, 16));

    let energy = world.energy().total();
    let mut left = None;
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(!report.held);
        if report.broke.is_some() {
            left = Some(simulation.time() - 1.2);
        }
        // Implicit Euler and the damping of the rods only remove energy, apart from rounding.
        assert!(simulation.world().energy().total() < energy * (1.0 + 1e-9));
    }
    // 21 ms, 39.7 m/s and 53 % in the prototype, with the same scheme and step but different numerics of the
    // keyhole: its last digit, and one percent of speed. (In the limit of small steps it is 41.0 m/s.)
    let left = left.expect("the arrow leaves the string");
    assert!((left - 0.021).abs() < 5e-4, "{left} s");
    let (speed, share) = (value(&simulation, "arrow_speed"), value(&simulation, "arrow_energy") / stored);
    assert!((speed - 39.7).abs() < 0.4, "{speed} m/s");
    assert!((share - 0.53).abs() < 0.012, "{share}");
    // It has left the bow, tail last, and the string vibrates with the remaining energy.
    let left_the_rest = EventKind::Slipped { constraint: "rest".to_owned(), slip: Slip::Rod };
    assert!(simulation.events().iter().any(|event| event.what == left_the_rest));
    assert!(value(&simulation, "tail") > 1.0);
    let string = simulation
        .world()
        .structure()
        .objects
        .iter()
        .find(|object| object.name == "string")
        .expect("a string");
    assert!(simulation.world().object_energy(string).expect("a string").kinetic > 0.1);
}

#[test]
fn the_arrow_of_a_bow_leaves_with_the_speed_of_the_limit_of_small_steps() {
    let mut simulation = Simulation::build(&scene("bow")).expect("a scene");
    simulation.settle(&NoClock);
    while !simulation.finished() {
        assert!(!simulation.step(&NoClock).held);
    }
    // Euler converges to 41.0 m/s at first order (39.7 m/s with the step of the scene); BDF2 is there.
    let speed = probe(&simulation, "arrow_speed");
    assert!((speed - 41.0).abs() < 0.15, "{speed} m/s");
}

/// z of the lowest of many points of all rods.
fn lowest(simulation: &Simulation) -> f64 {
    let world = simulation.world();
    let sections = world.structure().objects.iter().flat_map(|rod| world.sections(rod, 200).expect("a rod"));
    sections.map(|section| section.position.z).fold(f64::INFINITY, f64::min)
}

#[test]
fn four_clamps_carry_a_cable_bundle_and_each_joint_the_branch_that_hangs_from_it() {
    let simulation = at_rest("cable-bundle");
    let clamps = ["start", "end", "connector_1", "connector_5"];
    let sum: DVec3 = clamps.iter().map(|name| force(&simulation, name)).sum();
    assert!((sum - DVec3::Z * weight(&simulation)).length() < 1e-8 * sum.z, "{sum}");
    let world = simulation.world();
    for k in 2..=4 {
        let branch = world.object("of", &format!("branch_{k}")).expect("a branch");
        let (heavy, length) = (branch.total_mass() * G, branch.rod().expect("a rod").length());
        let at = |s: f64| world.section(branch, s).expect("a rod").position;
        // The moment of the weight about the joint; with a thousand pieces the error is (1/1000)².
        let pieces = 1000;
        let arm = (0..pieces).map(|i| at((i as f64 + 0.5) / pieces as f64 * length) - at(0.0)).sum::<DVec3>()
            / pieces as f64;
        let joint = acts(&simulation, &format!("joint_{k}"));
        assert!((joint.force - DVec3::Z * heavy).length() < 1e-8 * heavy, "{joint:?}");
        let expected = arm.cross(DVec3::Z * heavy);
        assert!((joint.moment - expected).length() < 1e-5 * expected.length(), "{joint:?}: {expected}");
    }
    // The independent prototype has −0.525 m. Its span is unknown; that of the scene is chosen to match.
    assert!((lowest(&simulation) + 0.525).abs() < 0.001, "{}", lowest(&simulation));
}

#[test]
fn rows_that_are_not_objective_hold_up_the_branches_of_a_bundle() {
    use RowForm::{Objective, Paper};
    // x'_A − x'_B = const: a trunk that twists below the branches doesn't turn them, as a rigid joint would.
    let with_rows = |clamps: RowForm, joints: RowForm| {
        let mut scene = scene("cable-bundle");
        for constraint in scene.constraint.values_mut() {
            match constraint {
                ConstraintDescription::Clamp(clamp) => clamp.rows = clamps,
                ConstraintDescription::Fusion(fusion) => fusion.rows = joints,
                _ => {}
            }
        }
        lowest(&resting("cable-bundle", scene))
    };
    let [rigid, paper] = [Objective, Paper].map(|rows| with_rows(rows, rows));
    // The prototype: −0.525 m, −0.453 m, and −0.523 m and −0.455 m with one of the two forms exchanged.
    assert!((paper + 0.453).abs() < 0.008, "{paper}");
    assert!(
        (with_rows(Objective, Paper) - paper).abs() < 0.002
            && (with_rows(Paper, Objective) - rigid).abs() < 0.002
    );
}

#[test]
fn all_joints_hold_while_a_connector_is_plugged_in() {
    let mut simulation = Simulation::build(&scene("cable-bundle")).expect("a scene");
    let mut worst = 0.0_f64;
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(!report.held && report.substeps == 1, "{report:?}");
        worst = worst.max(report.residual);
    }
    // One linearised solve per step: residuals of rotations are of second order in the step,
    // (1.6 rad/s · 10 ms)² and less.
    assert!(worst < 1e-4, "{worst}");
    // Two seconds after the last motion it is at rest: the clamps carry the weight again.
    let up: f64 =
        ["start", "end", "connector_1", "connector_5"].iter().map(|name| force(&simulation, name).z).sum();
    assert!((up - weight(&simulation)).abs() < 0.01 * up, "{up}");
}

fn probe(simulation: &Simulation, name: &str) -> f64 {
    let k = simulation.probe_names().iter().position(|n| n == name).expect("a probe");
    simulation.probe_values()[k]
}

#[test]
fn a_winch_lifts_a_swinging_load_that_swings_faster_on_the_shorter_rope() {
    let mut simulation = Simulation::build(&scene("winch")).expect("a scene");
    let mut pulls = Vec::new();
    let mut turns = Vec::new();
    let mut before = (0.0, 0.0);
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(!report.held && report.refused.is_none(), "{report:?}");
        let (time, rope) = (simulation.time(), simulation.world().structure().objects[0].total_mass());
        assert!((rope - 1200.0 * std::f64::consts::PI * 25e-6 * probe(&simulation, "length")).abs() < 1e-12);
        // While the winch stands still from 5 s to 7 s, the load is a pendulum of 1.6 m.
        if (5.2..7.0).contains(&time) {
            pulls.push(probe(&simulation, "tension") / ((20.0 + rope) * G));
            let speed = probe(&simulation, "swing") - before.1;
            if speed * before.0 < 0.0 {
                turns.push(time);
            }
            before = (speed, probe(&simulation, "swing"));
        } else {
            before = (0.0, probe(&simulation, "swing"));
        }
    }
    // While it swings, the pull exceeds the weight at the bottom and is less at the sides: by about φ² and
    // φ²/2, φ < 0.5.
    let (least, most) = pulls.iter().fold((f64::MAX, 0.0_f64), |(a, b), &p| (a.min(p), b.max(p)));
    assert!((0.85..1.0).contains(&least) && (1.0..1.3).contains(&most), "{least} {most}");
    // Half a period of a pendulum of 1.6 m is π √(L/g) = 1.27 s, slightly more with its amplitude and rope.
    if let [first, second, ..] = turns[..] {
        let half = second - first;
        assert!((half / (std::f64::consts::PI * (1.6 / G).sqrt()) - 1.0).abs() < 0.03, "{half}");
    }
    assert!((probe(&simulation, "length") - 3.4).abs() < 1e-9 && probe(&simulation, "height") < -3.0);
}

#[test]
fn a_block_and_tackle_lifts_a_load_with_half_its_weight_at_half_the_speed() {
    let mut simulation = Simulation::build(&scene("pulley")).expect("a scene");
    let mut start = None;
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(!report.held, "{report:?}");
        let time = simulation.time();
        if time > 1.9 && start.is_none() {
            start = Some((probe(&simulation, "height"), probe(&simulation, "length")));
            // Both parts of the rope pull upwards by their slope: 2 T cos φ = m g, tan φ = 0.2/depth. The
            // rope weighs 2 % of the load.
            let (depth, lifted) =
                (-probe(&simulation, "height"), 3.0 + 0.3 * 1000.0 * std::f64::consts::PI * 1e-4);
            let (sin, cos) = (0.2 / depth.hypot(0.2), depth / depth.hypot(0.2));
            let pull = lifted * G / (2.0 * cos);
            assert!(
                (probe(&simulation, "pull") / pull - 1.0).abs() < 0.05,
                "{} N for {pull} N",
                probe(&simulation, "pull")
            );
            assert!(
                (probe(&simulation, "hook_force") / pull - 1.0).abs() < 0.05,
                "{} N for {pull} N",
                probe(&simulation, "hook_force")
            );
            // Two parts pull on an eye of the block, one of them level: T (1 − sin φ, cos φ).
            let eye = pull * (2.0 - 2.0 * sin).sqrt();
            assert!(
                (probe(&simulation, "eye_force") / eye - 1.0).abs() < 0.05,
                "{} N for {eye} N",
                probe(&simulation, "eye_force")
            );
        }
    }
    let (height, length) = start.expect("the run is longer");
    let (risen, taken) = (probe(&simulation, "height") - height, length - probe(&simulation, "length"));
    // The two parts are √(depth² + 0.2²) long each.
    let parts = |height: f64| 2.0 * height.hypot(0.2);
    assert!((taken - 2.0).abs() < 1e-9 && risen > 0.95, "{taken} m in, {risen} m up");
    assert!(
        (parts(height) - parts(probe(&simulation, "height")) - taken).abs() < 0.03,
        "{risen} m up for {taken} m in"
    );
}

/// A structure at rest whose rods have another model and `finer` times as many segments. The double helix has
/// several equilibria: `finer` multiplies 24 segments there, and its weight grows in 20 steps, so that all
/// models follow the same branch.
fn with_model(name: &str, model: RodModel, finer: usize) -> Simulation {
    let mut scene = scene(name);
    for rod in scene.rod.values_mut() {
        rod.model = model;
        rod.segments = rod.segments.map(|segments| if name == "dna" { 24 * finer } else { segments * finer });
    }
    if name != "dna" {
        return resting(name, scene);
    }
    let growing = serde_json::json!({"ramp": {"to": [0, 0, -G], "end": 1}});
    scene.settings.gravity = serde_json::from_value(growing).expect("a ramp");
    (scene.settings.step, scene.settings.duration) = (0.05, 1.0);
    let mut simulation = resting(name, scene);
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(report.converged && report.residual < 1e-8, "{name}: {report:?}");
    }
    simulation
}

#[test]
fn the_support_forces_of_the_structures_agree_between_all_rod_models_that_can_be_clamped() {
    // Multiples of the segments in the scene file: of the spline reference, of edges, of elements.
    let structures = [
        ("bridge", 2, 4, 1),
        ("spider-net", 2, 2, 1),
        ("necklace", 2, 4, 2),
        ("cable-bundle", 4, 16, 2),
        ("dna", 4, 16, 2),
    ];
    let mut compared = 0;
    for (name, spline, discrete, beam) in structures {
        let reference = with_model(name, RodModel::Spline, spline);
        let supports: Vec<&str> = reference
            .world()
            .structure()
            .constraints
            .iter()
            .filter(|c| !c.is_relative() && !c.name.contains("pearl"))
            .map(|c| c.name.as_str())
            .collect();
        let largest = supports.iter().map(|support| force(&reference, support).length()).fold(0.0, f64::max);
        for (model, finer) in [(RodModel::DiscreteElastic, discrete), (RodModel::Beam, beam)] {
            let other = with_model(name, model, finer);
            for support in &supports {
                let (expected, found) = (force(&reference, support), force(&other, support));
                assert!(
                    found.distance(expected) < 0.02 * largest,
                    "{name}, {model:?}: {support} has {found} instead of {expected}"
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 40, "{compared}");
}

/// A scene for rods without roll, whose constraints need no frame: rolls are left out, clamps hold
/// position and tangent, joints hold their points, and rods are naturally straight.
fn without_frames(name: &str, model: RodModel, finer: usize) -> Scene {
    let mut scene = scene(name);
    for rod in scene.rod.values_mut() {
        (rod.model, rod.natural) = (model, Natural::Straight);
        rod.segments = rod.segments.map(|segments| segments * finer);
    }
    scene.action.retain(|action| {
        !matches!(&action.edit, Edit::AddConstraint(Named { to: ConstraintDescription::Roll(_), .. }))
            && !matches!(&action.edit, Edit::Release(name) if name.contains("roll"))
    });
    let described = std::mem::take(&mut scene.constraint);
    for (name, constraint) in described {
        match constraint {
            ConstraintDescription::Roll(_) => {}
            ConstraintDescription::Clamp(clamp) => {
                let place = serde_json::json!({"on": clamp.on, "at": clamp.at});
                let held = |kind: &str| {
                    serde_json::from_value(serde_json::json!({kind: place})).expect("a constraint")
                };
                scene.constraint.insert(format!("{name}_tangent"), held("tangent"));
                scene.constraint.insert(name, held("position"));
            }
            ConstraintDescription::Fusion(fusion) => {
                let fusion = Fusion { hold: Hold::Point, rows: RowForm::Objective, ..fusion };
                scene.constraint.insert(name, ConstraintDescription::Fusion(fusion));
            }
            other => {
                scene.constraint.insert(name, other);
            }
        }
    }
    scene
}

#[test]
fn structures_of_masses_and_springs_rest_on_the_forces_of_splines() {
    // Multiples of the segments in the scene file: of the spline reference, and of edges.
    let structures =
        [("bridge", 2, 4), ("spider-net", 2, 2), ("necklace", 2, 4), ("cable-bundle", 4, 16), ("dna", 4, 16)];
    let mut compared = 0;
    for (name, spline, edges) in structures {
        let reference = resting(name, without_frames(name, RodModel::Spline, spline));
        let other = resting(name, without_frames(name, RodModel::MassSpring, edges));
        let all = reference.world().structure().constraints.iter();
        let supports: Vec<&str> =
            all.filter(|c| !c.is_relative() && !c.name.contains("pearl")).map(|c| c.name.as_str()).collect();
        let largest = supports.iter().map(|support| force(&reference, support).length()).fold(0.0, f64::max);
        for support in &supports {
            let (expected, found) = (force(&reference, support), force(&other, support));
            // As between the models with frames.
            assert!(
                found.distance(expected) < 0.02 * largest,
                "{name}: {support} has {found} instead of {expected}"
            );
            compared += 1;
        }
        let up: f64 = supports.iter().map(|support| force(&other, support).z).sum();
        // Two pearls are on the thread from the start.
        let pearls = if name == "necklace" { 2.0 * 0.7e-3 * G } else { 0.0 };
        assert!((up - weight(&other) - pearls).abs() < 1e-5 * up, "{name}: {up} N");
    }
    assert!(compared > 20, "{compared}");
}

#[test]
fn bow_of_masses_and_springs_draws_and_shoots_like_one_of_splines() {
    let [spline, springs] = [(RodModel::Spline, 2), (RodModel::MassSpring, 4)].map(|(model, finer)| {
        let mut scene = without_frames("bow", model, finer);
        scene.settings.step = 4e-4;
        let mut simulation = Simulation::build(&scene).expect("a scene");
        simulation.settle(&NoClock);
        while simulation.time() < 1.2 - 1e-9 {
            assert!(!simulation.step(&NoClock).held);
        }
        let drawn = [probe(&simulation, "draw_force"), probe(&simulation, "elastic")];
        while !simulation.finished() {
            assert!(!simulation.step(&NoClock).held);
        }
        let left_the_rest = EventKind::Slipped { constraint: "rest".to_owned(), slip: Slip::Rod };
        assert!(simulation.events().iter().any(|event| event.what == left_the_rest));
        [drawn[0], drawn[1], probe(&simulation, "arrow_speed")]
    });
    // 98 N, 33.6 J and 40 m/s. Bending is of second order in the edges: 64 of the limb are off by a
    // thousandth, and the nock leaves an eye between other vertices.
    for (k, tolerance) in [0.01, 0.01, 0.03].into_iter().enumerate() {
        assert!(
            (springs[k] / spline[k] - 1.0).abs() < tolerance,
            "masses and springs {springs:?}, splines {spline:?}"
        );
    }
}

#[test]
fn an_automatically_refined_harness_has_the_forces_of_72_even_control_points() {
    let fine = {
        let mut scene = scene("door-panel");
        let rod = scene.rod.get_mut("harness").expect("the harness");
        (rod.segments, rod.resolution) = (Some(69), Resolution::Given);
        Simulation::build(&scene).expect("a scene")
    };
    let mut runs = [Simulation::build(&scene("door-panel")).expect("a scene"), fine];
    let nodes = |simulation: &Simulation| simulation.world().structure().objects[0].nodes();
    assert_eq!(runs.each_ref().map(nodes), [18, 72]);
    let mut compared = 0;
    while !runs[0].finished() {
        for run in &mut runs {
            run.step(&NoClock);
        }
        assert!(nodes(&runs[0]) <= 36);
        // While it is inserted, while it rests, and while it is pulled off.
        if [2.0, 3.0, 4.0, 5.0, 5.5, 6.0, 6.3, 6.6, 7.0]
            .iter()
            .any(|time| (runs[0].time() - time).abs() < 1e-6)
        {
            for name in ["clip_1", "clip_2", "clip_3", "clip_4", "bend"] {
                let k = runs[0].probe_names().iter().position(|probe| probe == name).expect("a probe");
                let [auto, even] = runs.each_ref().map(|run| run.probe_values()[k]);
                if even > 0.0 {
                    assert!(
                        (auto / even - 1.0).abs() < 0.01,
                        "{name} at {} s: {auto}, {even}",
                        runs[0].time()
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared >= 30, "{compared}");
    // The same clips fail, the outer one first, within two steps of each other.
    let failed = runs.each_ref().map(opened);
    assert!(
        failed[0].len() == 2 && failed[0][0].0.contains('4') && failed[0][1].0.contains('3'),
        "{failed:?}"
    );
    assert!(
        failed[0].iter().zip(&failed[1]).all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 0.011),
        "{failed:?}"
    );
}
