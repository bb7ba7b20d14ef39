//! The scene `tree`: rods that are joined by rigid bodies, in the wind.

use crate::bodies::{G, acts, at_rest, build, mass, scene};
use glam::{DQuat, DVec3};
use micado::clock::NoClock;
use micado::constraint::Force;
use micado::run::Simulation;
use micado::scene::Arithmetic;
use micado::step::Workspace;
use serde_json::{Value, json};
use std::f64::consts::{PI, TAU};

/// Names of the objects of a kind.
fn names(tree: &Value, kind: &str) -> Vec<String> {
    tree[kind].as_object().expect("objects").keys().cloned().collect()
}

/// The rods that begin at the end of a rod.
fn children(rods: &[String], below: &str) -> Vec<String> {
    let stem = if below == "trunk" { "branch" } else { below };
    (1..=3).map(|k| format!("{stem}_{k}")).filter(|name| rods.contains(name)).collect()
}

#[test]
fn tree_has_two_thousand_vertices() {
    let tree = scene("tree");
    let rods = names(&tree, "rod");
    let segments: u64 = rods.iter().map(|rod| tree["rod"][rod]["segments"].as_u64().expect("segments")).sum();
    assert_eq!((rods.len(), names(&tree, "body").len(), segments), (40, 13, 2000));
}

#[test]
fn forces_and_moments_balance_at_every_fork_of_the_tree() {
    let mut tree = scene("tree");
    let (rods, forks) = (names(&tree, "rod"), names(&tree, "body"));
    // A hand that pulls a shoot aside.
    tree["load"] = json!({"hand": {"force": {"on": "branch_2_1_1", "at": "end", "force": [3, -8, 2]}}});
    let run = at_rest(tree);
    for fork in forks {
        let below = fork.strip_prefix("fork_").expect("a fork");
        let above = children(&rods, below);
        assert_eq!(above.len(), 3, "{fork}");
        let joints: Vec<Force> = std::iter::once(format!("{below}_end"))
            .chain(above.iter().map(|name| format!("{name}_start")))
            .map(|name| acts(&run, &name))
            .collect();
        // The forces of the joints act on the rods; those on the fork are opposite.
        let force: DVec3 = joints.iter().map(|joint| joint.force).sum();
        let moment: DVec3 = joints.iter().map(|joint| joint.moment).sum();
        let weight = DVec3::NEG_Z * G * mass(&run, &fork);
        assert!((weight - force).length() < 1e-8, "{fork}: {force} {weight}");
        assert!(moment.length() < 1e-8, "{fork}: {moment}");
        assert!(joints[0].moment.length() > 0.1, "{fork}: {}", joints[0].moment);
    }
    // The root carries the tree and the hand.
    let weight: f64 =
        run.world().structure().objects.iter().map(micado::object::Object::total_mass).sum::<f64>() * G;
    let root = acts(&run, "root").force;
    let expected = DVec3::new(-3.0, 8.0, weight - 2.0);
    assert!((root - expected).length() < 1e-8, "{root} {expected}");
}

#[test]
fn single_branches_have_the_frequency_of_a_clamped_beam() {
    let tree = scene("tree");
    for name in ["trunk", "branch_2", "branch_3_1", "branch_1_2_3"] {
        let rod = &tree["rod"][name];
        let alone = json!({
            "settings": {"gravity": [0, 0, 0]},
            "rod": {"branch": rod},
            "constraint": {"root": {"clamp": {"on": "branch", "at": "start"}}},
        });
        let run = build(&alone);
        let modes = run.world().modes(2, Arithmetic::default(), &mut Workspace::new()).expect("modes");
        let number = |field: &str| rod[field].as_f64().expect("a number");
        let end = |word: &str| -> DVec3 {
            serde_json::from_value(rod["shape"]["line"][word].clone())
                .map(DVec3::from_array)
                .expect("a point")
        };
        // EI/ρA = E r²/4ρ
        let (length, radius) = (end("from").distance(end("to")), number("radius"));
        let per_mass = number("young") * radius * radius / (4.0 * number("density"));
        let expected = 1.875_104_068_711_96_f64.powi(2) * per_mass.sqrt() / (length * length);
        for mode in &modes.modes {
            // The spline of 50 segments is exact to 1e-8; the rest is rounding in the stiffness ratio EA/EI.
            let reached = mode.eigenvalue.sqrt();
            assert!((reached / expected - 1.0).abs() < 1e-6, "{name}: {reached} {expected}");
        }
    }
}

/// Largest angle about the vertical by which the crown turns in 20 s, rad. The direction of the wind turns
/// once in 4 s; it blows only on one branch and its twigs. `twist` is the twist stiffness of the trunk, N·m²;
/// with `None` the trunk keeps its own.
fn crown_turns(twist: Option<f64>) -> f64 {
    let mut tree = scene("tree");
    tree["settings"] = json!({"step": 0.02, "integrator": "euler", "gravity": [0, 0, 0]});
    for rod in names(&tree, "rod") {
        tree["rod"][&rod]["segments"] = json!(8);
    }
    if let Some(twist) = twist {
        let trunk = &mut tree["rod"]["trunk"];
        let (young, radius) = (1e9, 0.05_f64);
        let area = PI * radius * radius;
        trunk["stiffness"] =
            json!({"stretch": young * area, "bend": young * area * radius * radius / 4.0, "twist": twist});
        trunk.as_object_mut().expect("a rod").remove("young");
    }
    let loads = tree["load"].as_object_mut().expect("loads");
    loads.retain(|name, _| name.starts_with("wind_branch_1"));
    let turns: Vec<f64> = (0..=80).map(|k| 0.25 * f64::from(k)).collect();
    let wind: Vec<[f64; 3]> =
        turns.iter().map(|t| [8.0 * (TAU * t / 4.0).cos(), 8.0 * (TAU * t / 4.0).sin(), 0.0]).collect();
    for load in loads.values_mut() {
        load["drag"]["wind"] = json!({"keyframes": {"times": turns, "values": wind}});
    }
    let mut run = build(&tree);
    let heading = |run: &Simulation| {
        let world = run.world();
        let fork = world.object("of", "fork_trunk").expect("a fork");
        let x = DQuat::from_slice(&world.state().q[fork.unknowns()][4..]) * DVec3::X;
        x.y.atan2(x.x)
    };
    let (mut last, mut turned, mut most) = (heading(&run), 0.0_f64, 0.0_f64);
    while run.time() < 20.0 {
        let report = run.step(&NoClock);
        assert!(!report.held, "{report:?}");
        let now = heading(&run);
        turned += (now - last + PI).rem_euclid(TAU) - PI;
        (last, most) = (now, most.max(turned.abs()));
    }
    most
}

#[test]
fn crown_spins_in_turning_wind_without_twist_stiffness_only() {
    let (with, without) = (crown_turns(None), crown_turns(Some(1e-6)));
    assert!(with < 0.2, "{with}");
    assert!(without > TAU, "{without}");
}
