//! Sleeping bodies, known forces and locked axes.

use crate::common::{cables, cube, force, rope, step, world};
use micado_rapier::{At, Cables, Hold};
use rapier3d_f64::prelude::*;
use serde_json::json;

/// A box on the floor below a hook that Rapier moves. A slack rope of 1.5 m joins them over a gap of 1.3 m.
fn lifting() -> (Cables, PhysicsWorld, [RigidBodyHandle; 2]) {
    let mut world = world(0.005, 9.81);
    let floor = RigidBodyBuilder::fixed().translation(Vector::new(0.0, 0.0, -0.1));
    world.insert(floor, ColliderBuilder::cuboid(5.0, 5.0, 0.1));
    let load = RigidBodyBuilder::dynamic().translation(Vector::new(0.0, 0.0, 0.1));
    let (load, _) = world.insert(load, ColliderBuilder::cuboid(0.1, 0.1, 0.1).mass(3.0));
    let hook = RigidBodyBuilder::kinematic_position_based().translation(Vector::new(0.0, 0.0, 1.5));
    let hook = world.insert_body(hook);
    let mut line = rope([0.0; 3], [0.0; 3]);
    line["shape"] = json!({"points": {"through": [[0, 0, 1.5], [0.32, 0, 0.9], [0, 0, 0.2]]}});
    let mut cables = cables(
        json!({"rod": {"rope": line}, "load": {"air": {"drag": {"on": "rope", "coefficient": 0.3}}}}),
        &world,
    );
    cables.attach(&world.bodies, "rope", At::START, hook, Hold::ball_here()).expect("an attachment");
    cables.attach(&world.bodies, "rope", At::END, load, Hold::ball_here()).expect("an attachment");
    (cables, world, [hook, load])
}

#[test]
fn sleeping_body_wakes_when_its_cable_pulls() {
    let (mut cables, mut world, [hook, load]) = lifting();
    // The rope swings for a while, and wakes the box now and then, until drag stops it.
    let mut still = 0;
    for _ in 0..6000 {
        step(&mut cables, &mut world);
        still = if world.bodies[load].is_sleeping() { still + 1 } else { 0 };
    }
    assert!(still > 2000, "a rope at rest wakes the box, or keeps it awake: {still}");
    // The hook rises smoothly by 1 m in 8 s; the slack is 0.2 m.
    let mut woke = None;
    for k in 1..=1600 {
        let share = f64::from(k) / 1600.0;
        let height = 1.5 + share * share * (3.0 - 2.0 * share);
        world.bodies[hook].set_next_kinematic_translation(Vector::new(0.0, 0.0, height));
        step(&mut cables, &mut world);
        if woke.is_none() && !world.bodies[load].is_sleeping() {
            woke = Some(height);
        }
    }
    (0..400).for_each(|_| step(&mut cables, &mut world));
    let (woke, height) = (woke.expect("it wakes"), world.bodies[load].translation().z);
    // It wakes while the rope becomes straight, and then hangs the length of the rope below the hook.
    let place = cables.world().structure().objects[0].rod().expect("a rope").length();
    assert!((1.5..1.75).contains(&woke), "{woke}");
    assert!((height + 0.1 - (2.5 - place)).abs() < 5e-3, "{height} {place}");
}

#[test]
fn body_that_is_created_asleep_wakes_when_pulled() {
    let mut world = world(0.01, 0.0);
    let load =
        world.insert(RigidBodyBuilder::dynamic().sleeping(true), ColliderBuilder::ball(0.1).mass(1.0)).0;
    let mut line = rope([0.0; 3], [1.0, 0.0, 0.0]);
    line["velocity"] = json!([5, 0, 0]);
    let mut cables = cables(json!({"rod": {"rope": line}}), &world);
    cables.attach(&world.bodies, "rope", At::START, load, Hold::ball([0.0; 3])).expect("an attachment");
    (0..200).for_each(|_| step(&mut cables, &mut world));
    // Both end with the common velocity of 0.1 kg at 5 m/s and 1 kg at rest, and with waves in the rope.
    let speed = world.bodies[load].linvel().x;
    assert!((speed / (0.5 / 1.1) - 1.0).abs() < 0.2, "{speed}");
}

#[test]
fn gravity_scale_and_forces_of_rapier_are_known() {
    let pull = |scale: f64, lift: f64| {
        let mut world = world(0.005, 9.81);
        let scene = json!({"rod": {"rope": rope([0.0; 3], [0.0, 0.0, -1.0])},
            "constraint": {"top": {"position": {"on": "rope", "at": "start"}}}});
        let mut cables = cables(scene, &world);
        let load = cube(&mut world, [0.0, 0.0, -1.1], 2.0);
        let hold = Hold::ball([0.0, 0.0, 0.1]);
        let name = cables.attach(&world.bodies, "rope", At::END, load, hold).expect("an attachment");
        world.bodies[load].set_gravity_scale(scale, true);
        world.bodies[load].add_force(Vector::new(0.0, 0.0, lift), true);
        (0..2000).for_each(|_| step(&mut cables, &mut world));
        -force(&cables, &name).z
    };
    for (scale, lift) in [(1.0, 0.0), (0.5, 0.0), (2.0, 0.0), (1.0, 10.0), (0.0, -5.0)] {
        let expected = 2.0 * 9.81 * scale - lift;
        let found = pull(scale, lift);
        assert!((found - expected).abs() < 1e-3 * 20.0, "{scale} {lift}: {found} {expected}");
    }
}

#[test]
fn locked_bodies_do_not_turn_or_move() {
    // A cube hangs on a corner: with locked rotations it hangs upright, with all locked it stays.
    let run = |axes: LockedAxes| {
        let mut world = world(0.005, 9.81);
        let scene = json!({"rod": {"rope": rope([0.1, 0.1, 1.1], [0.1, 0.1, 0.1])},
            "constraint": {"top": {"position": {"on": "rope", "at": "start"}}}});
        let mut cables = cables(scene, &world);
        let load = cube(&mut world, [0.0; 3], 2.0);
        world.bodies[load].set_locked_axes(axes, true);
        let name = cables
            .attach(&world.bodies, "rope", At::END, load, Hold::ball([0.1, 0.1, 0.1]))
            .expect("an attachment");
        (0..2000).for_each(|_| step(&mut cables, &mut world));
        (*world.bodies[load].position(), force(&cables, &name).length())
    };
    let (free, _) = run(LockedAxes::empty());
    assert!(free.rotation.angle_between(Rotation::IDENTITY) > 0.3, "{free:?}");
    let (upright, pull) = run(LockedAxes::ROTATION_LOCKED);
    assert!(upright.rotation == Rotation::IDENTITY && (pull - 2.0 * 9.81).abs() < 0.02, "{upright:?} {pull}");
    // Its corner is below the upper end of the rope, so the body moves to the side.
    assert!(upright.translation.z < -1e-6);
    let (pivot, _) = run(LockedAxes::TRANSLATION_LOCKED);
    assert!(pivot.translation == Vector::ZERO, "{pivot:?}");
    let (still, _) = run(LockedAxes::TRANSLATION_LOCKED | LockedAxes::ROTATION_LOCKED);
    assert!(still.translation == Vector::ZERO && still.rotation == Rotation::IDENTITY, "{still:?}");
}
