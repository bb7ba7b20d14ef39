//! What hard constraints promise, looked for in every built-in scene: a new scene is tested as soon as it is in the list.

use micado::clock::NoClock;
use micado::constraint::ConstraintDescription;
use micado::load::LoadDescription;
use micado::scene::{Integrator, Mode, Scene};
use micado::signal::{Harmonic, Signal};
use micado::simulation::Simulation;
use micado::step::{StaticParams, StepParams, Workspace};
use micado::world::World;
use micado_io::scene::{BUILTIN, parse};

fn scenes() -> impl Iterator<Item = (&'static str, Scene)> {
    BUILTIN.iter().map(|file| (file.name, parse(file.name, file.text, &[]).expect("a built-in scene").scene().clone()))
}

/// Length of the longest rod, or 1 m.
fn size(world: &World) -> f64 {
    let longest = world.structure().objects.iter().filter_map(|object| object.rod().map(|rod| rod.length())).fold(0.0, f64::max);
    if longest > 0.0 { longest } else { 1.0 }
}

/// Scenes that have no equilibrium of their own at time 0, and why.
const NOWHERE_AT_REST: [(&str, &str); 2] =
    [("helix-slide", "the wire goes down without end"), ("lasso", "a slack rope on ground without friction may lie anywhere")];

#[test]
fn every_scene_at_rest_holds_its_constraints_to_ten_nanometres() {
    let mut solved = 0;
    for (name, scene) in scenes() {
        let mut world = World::build(&scene).expect("a scene");
        let report = world.equilibrate(0.0, &StaticParams::default(), &mut Workspace::new(), &NoClock);
        if let Some((_, reason)) = NOWHERE_AT_REST.iter().find(|(other, _)| *other == name) {
            assert!(!report.converged, "{name} has come to rest although {reason}");
            continue;
        }
        assert!(report.converged, "{name}: {report:?}");
        assert!(report.residual < 1e-8, "{name}: {:e}", report.residual);
        solved += 1;
    }
    assert_eq!(solved, BUILTIN.len() - NOWHERE_AT_REST.len());
}

/// A scene in dynamic steps of one solve, a quarter of its time after it began.
fn under_way(scene: &Scene) -> World {
    let mut scene = scene.clone();
    (scene.settings.mode, scene.settings.solves, scene.settings.integrator) = (Mode::Dynamic, 1, Integrator::Euler);
    let mut simulation = Simulation::build(&scene).expect("a scene");
    while simulation.time() < 0.25 * scene.settings.duration {
        assert!(!simulation.step(&NoClock).held);
    }
    simulation.world().clone()
}

/// Largest miss in the `count` parts of a time, from the second on: the first takes back what was missed before.
fn largest_miss(world: &World, time: f64, count: u32) -> f64 {
    let (mut world, mut workspace) = (world.clone(), Workspace::new());
    let params = StepParams { step: time / f64::from(count), ..StepParams::default() };
    let mut worst = 0.0_f64;
    for k in 0..count {
        let report = world.step(&params, &mut workspace, &NoClock);
        assert!(!report.held, "{report:?}");
        worst = if k == 0 { 0.0 } else { worst.max(report.residual) };
    }
    worst
}

#[test]
fn in_every_scene_a_step_misses_its_constraints_by_its_square() {
    let (mut curved, mut linear) = (0, 0);
    for (name, scene) in scenes() {
        let world = under_way(&scene);
        let (coarse, fine) = (largest_miss(&world, scene.settings.step, 8), largest_miss(&world, scene.settings.step, 16));
        if coarse < 1e-12 * size(&world) {
            // Rows that are linear in the unknowns, or at rest, are met to rounding.
            linear += 1;
            continue;
        }
        // What moves hardly changes within one step of the scene.
        assert!((coarse / fine - 4.0).abs() < 0.6, "{name}: {coarse:e} in an eighth of a step, {fine:e} in a sixteenth");
        curved += 1;
    }
    assert!(curved >= 4 && linear >= 4, "{curved} curved, {linear} linear");
}

/// Every constraint once more, under another name.
fn doubled(scene: &Scene) -> Scene {
    let mut twice = scene.clone();
    for (name, constraint) in &scene.constraint {
        let mut again = constraint.clone();
        match &mut again {
            // A second pearl is another mass, and two clips are twice as strong.
            ConstraintDescription::Pearl(_) | ConstraintDescription::Clip(_) => continue,
            // Two eyes rub twice.
            ConstraintDescription::Keyhole(eye) => (eye.viscosity, eye.friction) = (0.0, 0.0),
            _ => {}
        }
        twice.constraint.insert(format!("{name} again"), again);
    }
    twice
}

#[test]
fn every_constraint_of_every_scene_given_twice_moves_it_the_same() {
    let mut different = Vec::new();
    for (name, mut scene) in scenes() {
        // An action that lets one of two go would leave the other.
        scene.action.clear();
        scene.probe.clear();
        if name == "buckling-column" {
            // To which side it buckles is decided by rounding.
            continue;
        }
        // How two copies share their force is not determined, and the stiffness by tension of a step's first solve depends on it;
        // what Newton ends at doesn't.
        scene.settings.solves = 30;
        let mut once = Simulation::build(&scene).expect("a scene");
        let mut twice = Simulation::build(&doubled(&scene)).expect("a scene with every constraint twice");
        let size = size(once.world());
        let mut worst = 0.0_f64;
        for _ in 0..60.min(once.total_steps()) {
            let (one, two) = (once.step(&NoClock), twice.step(&NoClock));
            assert!(!one.held && !two.held, "{name}: {one:?}, {two:?}");
            let q = [once.world(), twice.world()].map(|world| &world.state().q);
            let apart = q[0].iter().zip(q[1]).enumerate().filter(|(i, _)| i % 4 < 3).map(|(_, (a, b))| (a - b).abs());
            worst = worst.max(apart.fold(0.0, f64::max));
        }
        if worst > 1e-9 * size {
            different.push(format!("{name}: {worst:e} of {size} m"));
        }
    }
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn a_bridge_that_is_bounced_on_for_a_hundred_thousand_steps_never_drifts() {
    let (_, mut scene) = scenes().find(|(name, _)| *name == "bridge").expect("the bridge");
    (scene.settings.duration, scene.settings.step) = (1000.0, 0.01);
    // Somebody bounces on one of its ropes for ever.
    let bounce = Harmonic { mean: [0.0, 0.0, -200.0], amplitude: [0.0, 0.0, 200.0], frequency: 0.5, phase: 0.0 };
    let LoadDescription::Force(load) = &mut scene.load["step_4"] else { panic!("a force") };
    load.force = Signal::Harmonic(bounce);
    let mut simulation = Simulation::build(&scene).expect("the bridge");
    let mut by_minute = [0.0_f64; 17];
    for step in 0..100_000 {
        let report = simulation.step(&NoClock);
        assert!(!report.held);
        by_minute[step / 6000] = by_minute[step / 6000].max(report.residual);
    }
    assert!((simulation.time() - 1000.0).abs() < 1e-9);
    // It moves all the time, so links are missed by the square of a step; after a minute as at the end.
    let (second, last) = (by_minute[1], by_minute[15]);
    assert!(second > 1e-10, "{second:e}: it hardly moves");
    assert!((last / second - 1.0).abs() < 0.01, "{by_minute:?}");
    // The walker moves a link by 1 cm in a step at most: (1 cm)²/2 m.
    assert!(by_minute.iter().all(|miss| *miss < 1e-4), "{by_minute:?}");
}
