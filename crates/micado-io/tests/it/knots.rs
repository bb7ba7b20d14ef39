//! Ropes that run through themselves, and pearls threaded on a rope: their states of rest.

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
fn a_slipknot_runs_tight_around_its_hook_and_friction_holds_it_when_the_hand_lets_go() {
    let scene = scene("slipknot");
    let mut simulation = Simulation::build(&scene).expect("a scene");
    let begin = probe(&simulation, "loop");
    let (mut loops, mut miss) = (Vec::new(), 0.0_f64);
    let step = |simulation: &mut Simulation, loops: &mut Vec<f64>, miss: &mut f64| {
        let report = simulation.step(&NoClock);
        assert!(!report.held, "{report:?}");
        loops.push(probe(simulation, "loop"));
        *miss = miss.max(probe(simulation, "eye_miss"));
    };
    while simulation.time() < 1.75 - 1e-9 {
        step(&mut simulation, &mut loops, &mut miss);
    }
    // A circle of 0.15 m becomes a narrow loop. Once the slack is taken up, at 0.7 s, it only gets smaller.
    let tight = loops[loops.len() - 1];
    assert!((begin - 0.9425).abs() < 1e-3 && tight < 0.3 * begin, "{begin} m to {tight} m");
    assert!(loops[140..].windows(2).all(|pair| pair[1] < pair[0] + 1e-6), "it opens on the way");
    // The knot weighs nothing: hook and hand pull against each other.
    let [pull, hook, strain] = ["pull", "hook", "strain"].map(|name| probe(&simulation, name));
    assert!((pull / hook - 1.0).abs() < 1e-3, "{pull} N and {hook} N");
    // The tail is straight between knot and hand, and stretched by the pull: EA = 20 MPa π (3 mm)².
    let world = simulation.world();
    let rope = &world.structure().objects[0];
    let length = rope.rod().expect("a rope").length();
    let [knot, hand] = [tight, length].map(|s| world.section(rope, s).expect("a rope").position);
    let stretched = knot.distance(hand) / (length - tight) - 1.0;
    // It bends at the knot, over √(EI/T) = 3 cm of 1.14 m.
    assert!((stretched - strain).abs() < 1e-3, "{stretched} and {strain}");
    assert!((strain * 20e6 * std::f64::consts::PI * 9e-6 / pull - 1.0).abs() < 0.01, "{strain} {pull}");
    // The start of the rope, which carries the eye, takes what friction leaves of the pull.
    let friction = -probe(&simulation, "friction");
    assert!(friction > 0.3 * pull && friction < 0.5 * pull, "{friction} N of {pull} N");
    // The hand lets go: the bent rope pushes the loop open by a centimetre, then friction holds it.
    while !simulation.finished() {
        step(&mut simulation, &mut loops, &mut miss);
    }
    let [held, end] = [loops[400], loops[loops.len() - 1]];
    assert!(end < tight + 0.015 && (end - held).abs() < 1e-6, "{tight} m, {held} m, {end} m");
    // Second order in a step of 5 ms.
    assert!(miss < 1e-4, "{miss:e}");
}

#[test]
fn without_friction_the_slipknot_opens_when_the_hand_lets_go() {
    let mut scene = scene("slipknot");
    let Some(micado::constraint::ConstraintDescription::Keyhole(eye)) = scene.constraint.get_mut("eye")
    else {
        panic!("an eye")
    };
    eye.friction = 0.0;
    let mut simulation = Simulation::build(&scene).expect("a scene");
    let mut tight = f64::INFINITY;
    while !simulation.finished() {
        simulation.step(&NoClock);
        tight = tight.min(probe(&simulation, "loop"));
    }
    let end = probe(&simulation, "loop");
    assert!(tight < 0.27 && end > 1.3 * tight, "{tight} m and {end} m");
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
