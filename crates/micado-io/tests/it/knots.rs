//! Ropes that run through themselves, and pearls threaded on a rope: their states of rest.

use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::{Mode, Scene};
use micado_io::scene::{builtin, parse};

fn scene(name: &str) -> Scene {
    let file = builtin(name).expect("a built-in scene");
    parse(name, file.text, &[]).expect("a scene").scene().clone()
}

fn probe(simulation: &Simulation, name: &str) -> f64 {
    let index = simulation.probe_names().iter().position(|n| n == name).expect("the probe exists");
    simulation.probe_values()[index]
}

/// Runs a scene to its end, and returns the largest value of a probe on the way.
fn run(scene: &Scene, watched: &str) -> (Simulation, f64) {
    let mut simulation = Simulation::build(scene).expect("a scene");
    let mut largest = 0.0_f64;
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(!report.held, "{report:?}");
        largest = largest.max(probe(&simulation, watched));
    }
    (simulation, largest)
}

#[test]
fn a_pulled_slipknot_closes_its_loop_until_the_rope_is_taut() {
    let scene = scene("slipknot");
    let begin = Simulation::build(&scene).expect("a scene");
    let (simulation, miss) = run(&scene, "eye_miss");
    let [length, pull, strain] = ["loop", "pull", "strain"].map(|name| probe(&simulation, name));
    // Initially a circle of 0.15 m. An independent prototype with the same rope ends with 0.81 m, a pull of
    // 18 N and 2.9 % of strain.
    assert!((probe(&begin, "loop") - 0.9425).abs() < 1e-3, "{}", probe(&begin, "loop"));
    assert!((length - 0.81).abs() < 0.02, "{length}");
    assert!((pull - 18.0).abs() < 1.5 && (strain - 0.029).abs() < 0.001, "{pull} N, {strain}");
    // The pull is EA ε with EA = 20 MPa π (3 mm)², apart from the damping of a rope that is still stretching.
    let stiffness = 20e6 * std::f64::consts::PI * 9e-6;
    assert!((strain * stiffness - pull).abs() < 0.06 * pull, "{strain} {pull}");
    // The rope is straight between anchor and hand, apart from its stiffness at the anchor: a few millimetres
    // of 1 m.
    let world = simulation.world();
    let rope = &world.structure().objects[0];
    let length = rope.rod().expect("a rope").length();
    let [anchor, hand] = [0.4712, length].map(|s| world.section(rope, s).expect("a rope").position);
    assert!(
        (anchor.distance(hand) / (length - 0.4712) - 1.0 - strain).abs() < 3e-3,
        "{}",
        anchor.distance(hand)
    );
    // Second order in a step of 5 ms.
    assert!(miss < 5e-5 && probe(&simulation, "eye_miss") < 1e-5, "{miss:e}");
}

#[test]
fn a_lasso_closes_around_its_post_and_the_post_carries_the_pull_of_the_hand() {
    let (simulation, miss) = run(&scene("lasso"), "eye_miss");
    let world = simulation.world();
    // Its loop runs around the ball at the height of the ground, along chords between the contact places.
    let round = std::f64::consts::TAU * (0.15_f64.powi(2) - 0.05_f64.powi(2)).sqrt();
    let length = probe(&simulation, "loop");
    assert!(length > 0.93 * round && length < 1.03 * round, "{length} for {round}");
    let (mut touching, mut deepest, mut on_rope) = (0, 0.0_f64, DVec3::ZERO);
    for (k, constraint) in world.structure().constraints.iter().enumerate() {
        let force = world.constraint_force(k).expect("a constraint").force;
        if !constraint.is_relative() {
            on_rope += force;
        }
        if constraint.name.starts_with("post") {
            touching += usize::from(force.length() > 0.0);
            deepest = deepest.max(world.constraint_miss(k).expect("a constraint"));
        }
    }
    assert!(touching >= 5, "{touching}");
    assert!(deepest < 1e-9 && miss < 1e-3, "{deepest:e} {miss:e}");
    // At rest, hand, post and ground carry its weight and otherwise cancel.
    let hand = probe(&simulation, "hand");
    let weight = world.structure().objects[0].total_mass() * 9.81;
    assert!(hand > 10.0, "{hand}");
    assert!((on_rope - DVec3::Z * weight).length() < 1e-2 * hand, "{on_rope} beside {hand} N");
}

#[test]
fn threaded_pearls_have_the_same_rest_in_a_run_and_in_statics() {
    let mut scene = scene("necklace");
    scene.settings.duration = 6.0;
    let (run, _) = run(&scene, "left_force");
    // All threaded on, spread over the thread, and released: a bad start.
    let mut still = scene;
    still.settings.mode = Mode::Static;
    still.probe.clear();
    for action in std::mem::take(&mut still.action) {
        let micado::scene::Edit::AddConstraint(pearl) = action.edit else { panic!("only pearls are added") };
        still.constraint.insert(pearl.name, pearl.to);
    }
    let pearls: Vec<String> = (0..10).map(|k| format!("pearl_{k}")).collect();
    for (k, name) in pearls.iter().enumerate() {
        let micado::constraint::ConstraintDescription::Pearl(pearl) = &mut still.constraint[name.as_str()]
        else {
            panic!("a pearl")
        };
        pearl.at = micado::describe::anchor::At::Share(0.08 + 0.84 * k as f64 / 9.0);
    }
    let mut solved = Simulation::build(&still).expect("a necklace");
    let report = solved.step(&NoClock);
    assert!(report.converged && report.residual < 1e-8, "{report:?}");
    let place = |simulation: &Simulation, name: &str| {
        let world = simulation.world();
        let k = world.structure().constraints.iter().position(|c| c.name == name).expect("a pearl");
        (world.sites(k).expect("a pearl")[0].x, world.contact_force(k))
    };
    for name in &pearls {
        let ((x, push), (y, other)) = (place(&run, name), place(&solved, name));
        // Remaining swing after 6 s.
        assert!(x.distance(y) < 1e-5, "{name}: {x} in a run, {y} in equilibrium");
        assert!((push - other).abs() < 1e-5, "{name}: {push} N and {other} N");
    }
}
