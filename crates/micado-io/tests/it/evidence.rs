//! Guarantees of hard constraints, tested in every built-in scene: a new scene is tested once it is in the
//! list.

use micado::clock::NoClock;
use micado::constraint::ConstraintDescription;
use micado::describe::signal::{Harmonic, Signal};
use micado::load::LoadDescription;
use micado::object::Object;
use micado::object::rod::Rod;
use micado::run::Simulation;
use micado::scene::{Action, Integrator, Mode, Scene, Solves};
use micado::scene::{Edit, Named};
use micado::step::{Refusal, StaticParams, StepParams, Workspace};
use micado::world::World;
use micado_io::scene::{BUILTIN, parse};
use serde_json::json;

fn scenes() -> impl Iterator<Item = (&'static str, Scene)> {
    BUILTIN
        .iter()
        .map(|file| (file.name, parse(file.name, file.text, &[]).expect("a built-in scene").scene().clone()))
}

/// Length of the longest rod, or 1 m.
fn size(world: &World) -> f64 {
    let longest =
        world.structure().objects.iter().filter_map(Object::rod).map(Rod::length).fold(0.0, f64::max);
    if longest > 0.0 { longest } else { 1.0 }
}

#[test]
fn every_scene_at_rest_satisfies_its_constraints_to_ten_nanometres() {
    let (mut solved, mut touching) = (0, 0);
    for (name, scene) in scenes() {
        let mut world = World::build(&scene).expect("a scene");
        let report = world.equilibrate(0.0, &StaticParams::default(), &mut Workspace::new(), &NoClock);
        if scene.contact.is_some() || scene.floor.is_some() {
            assert_eq!(report.refused, Some(Refusal::NoContact), "{name}: {report:?}");
            touching += 1;
            continue;
        }
        assert!(report.converged, "{name}: {report:?}");
        assert!(report.residual < 1e-8, "{name}: {:e}", report.residual);
        solved += 1;
    }
    // The cord of `helix-slide` hangs from the end of its wire.
    // Equilibria don't support contact of surfaces.
    assert_eq!(solved + touching, BUILTIN.len());
    assert!(solved >= 30 && touching >= 10, "{solved} scenes without contact, {touching} with it");
}

/// A scene after a quarter of its time, in dynamic steps of one solve.
fn under_way(scene: &Scene) -> World {
    let mut scene = scene.clone();
    (scene.settings.mode, scene.settings.solves, scene.settings.integrator) =
        (Mode::Dynamic, Solves::ONE, Integrator::Euler);
    let mut simulation = Simulation::build(&scene).expect("a scene");
    while simulation.time() < 0.25 * scene.settings.duration {
        assert!(!simulation.step(&NoClock).held);
    }
    simulation.world().clone()
}

/// Largest residual over `count` parts of a time, except the first, which removes an earlier residual.
fn largest_miss(world: &World, time: f64, count: u32) -> f64 {
    let (mut world, mut workspace) = (world.clone(), Workspace::new());
    let params = StepParams { step: time / f64::from(count), solves: Solves::ONE, ..StepParams::default() };
    let mut worst = 0.0_f64;
    for k in 0..count {
        let report = world.step(&params, &mut workspace, &NoClock);
        assert!(!report.held, "{report:?}");
        worst = if k == 0 { 0.0 } else { worst.max(report.residual) };
    }
    worst
}

#[test]
fn in_every_scene_residuals_are_of_second_order_in_the_step() {
    let (mut curved, mut linear) = (0, 0);
    for (name, scene) in scenes() {
        let world = under_way(&scene);
        let (coarse, fine) =
            (largest_miss(&world, scene.settings.step, 8), largest_miss(&world, scene.settings.step, 16));
        if coarse < 1e-12 * size(&world) {
            // Rows that are linear in the unknowns, or at rest, hold to rounding.
            linear += 1;
            continue;
        }
        // The motion hardly changes within one step of the scene.
        assert!(
            (coarse / fine - 4.0).abs() < 0.6,
            "{name}: {coarse:e} in an eighth of a step, {fine:e} in a sixteenth"
        );
        curved += 1;
    }
    assert!(curved >= 4 && linear >= 4, "{curved} curved, {linear} linear");
}

/// Name of the copy of a constraint.
fn again(name: &str) -> String {
    format!("{name} again")
}

/// A copy of a constraint; `None` if a copy changes the problem.
fn repeated(constraint: &ConstraintDescription) -> Option<ConstraintDescription> {
    let mut repeated = constraint.clone();
    match &mut repeated {
        // A second pearl adds mass, and two clips are twice as strong.
        ConstraintDescription::Pearl(_) | ConstraintDescription::Clip(_) => return None,
        // Viscosities add up.
        ConstraintDescription::Keyhole(eye) => eye.viscosity = 0.0,
        ConstraintDescription::Joint(joint) => joint.viscosity = 0.0,
        _ => {}
    }
    Some(repeated)
}

/// A scene with every constraint twice, including those that actions add and remove. Returns the initial
/// number of copies.
fn doubled(scene: &Scene) -> (Scene, usize) {
    let mut twice = scene.clone();
    for (name, constraint) in &scene.constraint {
        twice.constraint.extend(repeated(constraint).map(|constraint| (again(name), constraint)));
    }
    let count = twice.constraint.len() - scene.constraint.len();
    twice.action.clear();
    let mut known: Vec<String> = twice.constraint.keys().cloned().collect();
    for action in &scene.action {
        let edit = match &action.edit {
            Edit::AddConstraint(Named { name, to }) => {
                repeated(to).map(|to| Edit::AddConstraint(Named { name: again(name), to }))
            }
            Edit::ChangeConstraint(Named { name, to }) => {
                repeated(to).map(|to| Edit::ChangeConstraint(Named { name: again(name), to }))
            }
            Edit::Release(name) => known.contains(&again(name)).then(|| Edit::Release(again(name))),
            _ => None,
        };
        if let Some(Edit::AddConstraint(Named { name, .. })) = &edit {
            known.push(name.clone());
        }
        twice.action.push(action.clone());
        twice.action.extend(edit.map(|edit| Action { edit, ..action.clone() }));
    }
    (twice, count)
}

/// Largest distance between two worlds, as a share of their size.
fn apart(once: &World, twice: &World) -> f64 {
    let coordinates = once.state().q.iter().zip(&twice.state().q).enumerate().filter(|(i, _)| i % 4 < 3);
    coordinates.map(|(_, (a, b))| (a - b).abs()).fold(0.0, f64::max) / size(once)
}

#[test]
fn duplicating_every_constraint_of_a_scene_does_not_change_its_motion() {
    let mut different = Vec::new();
    for (name, scene) in scenes() {
        let (doubled, count) = doubled(&scene);
        let mut once = Simulation::build(&scene).expect("a scene");
        let mut twice = Simulation::build(&doubled).expect("a scene with every constraint twice");
        let (mut worst, mut first) = (0.0_f64, true);
        while !once.finished() {
            let (one, two) = (once.step(&NoClock), twice.step(&NoClock));
            assert!(!one.held && !two.held, "{name}: {one:?}, {two:?}");
            assert!(!first || two.redundant_rows >= count, "{name}: {} of {count} told", two.redundant_rows);
            (worst, first) = (worst.max(apart(once.world(), twice.world())), false);
        }
        if worst > 1e-9 {
            different.push(format!("{name}: {worst:e} of its size"));
        }
    }
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn a_column_with_equivalent_constraints_added_buckles_as_before() {
    // Rounding decides the side to which a straight column buckles, and redundant rows change rounding. A
    // push of 1 mN, a fifty-thousandth of the load, decides it for both.
    let (_, mut scene) = scenes().find(|(name, _)| *name == "buckling-column").expect("the column");
    let push = json!({"force": {"on": "column", "at": "50 %", "force": [1e-3, 0, 0]}});
    scene.load.insert("push".to_owned(), serde_json::from_value(push).expect("a load"));
    let mut again = scene.clone();
    for (name, constraint) in [
        ("foot place", json!({"position": {"on": "column", "at": "start"}})),
        ("guide x", json!({"plane": {"on": "column", "at": "end", "normal": [1, 0, 0]}})),
        ("guide y", json!({"plane": {"on": "column", "at": "end", "normal": [0, 1, 0]}})),
    ] {
        again.constraint.insert(name.to_owned(), serde_json::from_value(constraint).expect("a constraint"));
    }
    let (mut once, mut twice) =
        (Simulation::build(&scene).expect("a column"), Simulation::build(&again).expect("a column"));
    while !once.finished() {
        let (one, two) = (once.step(&NoClock), twice.step(&NoClock));
        assert!(one.converged && two.converged && two.redundant_rows == 5, "{two:?}");
        assert!(
            apart(once.world(), twice.world()) < 1e-9,
            "{:e} at {} s",
            apart(once.world(), twice.world()),
            one.time
        );
    }
    // It has buckled, far beyond the deflection by the push.
    let bent = once.world().state().q.chunks_exact(4).map(|x| x[0].abs()).fold(0.0, f64::max);
    assert!(bent > 0.05, "{bent} m");
}

#[test]
fn a_bridge_excited_for_a_hundred_thousand_steps_does_not_drift() {
    let (_, mut scene) = scenes().find(|(name, _)| *name == "bridge").expect("the bridge");
    (scene.settings.duration, scene.settings.step) = (1000.0, 0.01);
    // Somebody bounces on one of its ropes all the time.
    let bounce =
        Harmonic { mean: [0.0, 0.0, -200.0], amplitude: [0.0, 0.0, 200.0], frequency: 0.5, phase: 0.0 };
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
    // It moves all the time, so the residual of links is of second order in the step, at the start and at the
    // end.
    let (second, last) = (by_minute[1], by_minute[15]);
    assert!(second > 1e-10, "{second:e}: it hardly moves");
    assert!((last / second - 1.0).abs() < 0.01, "{by_minute:?}");
    // The walker moves a link by at most 1 cm per step: (1 cm)²/2 m.
    assert!(by_minute.iter().all(|miss| *miss < 1e-4), "{by_minute:?}");
}
