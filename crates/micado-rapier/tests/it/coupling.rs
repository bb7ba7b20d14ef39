//! Motions of bodies on cables.

use crate::common::{cables, cube, force, rope, step, world};
use glam::DVec3;
use micado_rapier::{At, Cables, Hold};
use rapier3d_f64::prelude::*;
use serde_json::json;
use std::f64::consts::TAU;

/// A cube of 5 kg on a rope of 2 m, turned by an angle about the upper end.
fn pendulum(h: f64, angle: f64) -> (Cables, PhysicsWorld, RigidBodyHandle) {
    let mut world = world(h, 9.81);
    let end = [2.0 * angle.sin(), 0.0, -2.0 * angle.cos()];
    let mut line = rope([0.0; 3], end);
    line["stiffness"]["stretch"] = json!(1e7);
    let scene =
        json!({"rod": {"rope": line}, "constraint": {"top": {"position": {"on": "rope", "at": "start"}}}});
    let mut cables = cables(scene, &world);
    let bob = cube(&mut world, end, 5.0);
    cables.attach(&world.bodies, "rope", At::END, bob, Hold::ball([0.0; 3])).expect("an attachment");
    (cables, world, bob)
}

#[test]
fn body_of_rapier_on_a_cable_swings_with_the_period_of_theory() {
    let amplitude = 0.1_f64;
    // Bob M and rope m: T = 2π √((M + m/3) L² / ((M + m/2) g L)) (1 + φ²/16).
    let (bob, line) = (5.0, 0.2);
    let squared = (bob + line / 3.0) * 2.0 / ((bob + line / 2.0) * 9.81);
    let expected = TAU * squared.sqrt() * (1.0 + amplitude * amplitude / 16.0);
    let error = |h: f64| {
        let (mut cables, mut world, bob) = pendulum(h, amplitude);
        let (mut times, mut before) = (Vec::new(), 1.0);
        while times.len() < 7 {
            step(&mut cables, &mut world);
            let now = world.bodies[bob].translation().x;
            if before * now < 0.0 {
                times.push(cables.simulation().time() - h * now / (now - before));
            }
            before = now;
        }
        (times[6] - times[0]) / 3.0 / expected - 1.0
    };
    let [coarse, fine] = [0.01, 0.005].map(error);
    // Linear modes of the rope shift the period by m/M/24 at most; the step by (ω h)²/12 and less.
    assert!(coarse.abs() < 2e-3 && fine.abs() < 1e-3, "{coarse:e} {fine:e}");
}

#[test]
fn end_of_the_rope_stays_on_its_body() {
    for iterations in [1, 4, 8] {
        let (mut cables, mut world, bob) = pendulum(0.005, 1.0);
        world.integration_parameters.num_solver_iterations = iterations;
        let mut worst = 0.0_f64;
        for _ in 0..400 {
            step(&mut cables, &mut world);
            let end = cables.world().structure().objects[0].place_along(2.0);
            let end = cables.world().poses().position(&end);
            worst = worst.max((end - world.bodies[bob].translation()).length());
        }
        // An impulse moves a body of Rapier by exactly h v, and the mirror accounts for gravity in Rapier's
        // substeps.
        assert!(worst < 1e-9, "{iterations}: {worst:e}");
    }
}

#[test]
fn rope_follows_kinematic_and_fixed_bodies() {
    let mut world = world(0.01, 0.0);
    let scene = json!({"rod": {"rope": rope([0.0; 3], [2.0, 0.0, 0.0])}});
    let mut cables = cables(scene, &world);
    let kinds = [
        RigidBodyBuilder::kinematic_position_based().translation(Vector::ZERO),
        RigidBodyBuilder::kinematic_velocity_based().translation(Vector::new(1.0, 0.0, 0.0)),
        RigidBodyBuilder::fixed().translation(Vector::new(2.0, 0.0, 0.5)),
    ];
    let [first, second, third] = kinds.map(|kind| world.insert_body(kind));
    for (at, body) in [(At::START, first), (At::Length(1.0), second), (At::END, third)] {
        cables.attach(&world.bodies, "rope", at, body, Hold::ball_here()).expect("an attachment");
    }
    world.bodies[second].set_linvel(Vector::new(0.0, 0.2, 0.0), true);
    for k in 1..=100 {
        let to = Vector::new(0.0, 0.0, 0.003 * f64::from(k));
        world.bodies[first].set_next_kinematic_translation(to);
        step(&mut cables, &mut world);
        let at = |s: f64| {
            let place = cables.world().structure().objects[0].place_along(s);
            cables.world().poses().position(&place)
        };
        // They are targets: after Rapier's step, the rope is at their places.
        let errors =
            [at(0.0) - to, at(1.0) - world.bodies[second].translation(), at(2.0) - DVec3::new(2.0, 0.0, 0.0)];
        assert!(errors.iter().all(|error| error.length() < 1e-9), "{k}: {errors:?}");
    }
}

#[test]
fn jib_on_a_joint_of_rapier_carries_the_load_of_its_cable() {
    // A jib of 2 m on a fixed joint of Rapier, and a load of 20 kg below its tip.
    let h = 1.0 / 200.0;
    let mut world = world(h, 9.81);
    let mast = world.insert_body(RigidBodyBuilder::fixed());
    let jib = RigidBodyBuilder::dynamic().translation(Vector::new(1.0, 0.0, 0.0)).can_sleep(false);
    let (jib, _) = world.insert(jib, ColliderBuilder::cuboid(1.0, 0.1, 0.1).mass(30.0));
    let joint = FixedJointBuilder::new().local_anchor2(Vector::new(-1.0, 0.0, 0.0));
    world.insert_impulse_joint(mast, jib, joint);
    let load = cube(&mut world, [2.0, 0.0, -1.6], 20.0);
    let scene = json!({"rod": {"rope": rope([2.0, 0.0, 0.0], [2.0, 0.0, -1.5])}});
    let mut cables = cables(scene, &world);
    let top = cables
        .attach(&world.bodies, "rope", At::START, jib, Hold::ball([1.0, 0.0, 0.0]))
        .expect("an attachment");
    cables.attach(&world.bodies, "rope", At::END, load, Hold::ball([0.0, 0.0, 0.1])).expect("an attachment");
    for _ in 0..2000 {
        step(&mut cables, &mut world);
    }
    let weight = (20.0 + 0.15) * 9.81;
    let pull = force(&cables, &top).z;
    assert!((pull / weight - 1.0).abs() < 1e-3, "{pull} {weight}");
    let pose = world.bodies[jib].position();
    let tip = pose.translation + pose.rotation * Vector::new(1.0, 0.0, 0.0);
    let place = cables.world().structure().objects[0].place_along(0.0);
    let gap = (cables.world().poses().position(&place) - tip).length();
    // The mirror of the jib is free. The load, and the weight of the jib, move it by h² F (1/m + r²/I) before
    // the joint moves it back.
    let inertia = 30.0 * (4.0 + 0.04) / 12.0;
    let free = h * h * (weight * (1.0 / 30.0 + 1.0 / inertia) + 9.81);
    assert!(gap < free, "{gap:e} {free:e}");
    assert!(tip.z.abs() < 0.05, "{tip}");
}

#[test]
fn same_run_gives_the_same_bits() {
    let run = || {
        let (mut cables, mut world, bob) = pendulum(0.01, 1.2);
        world.bodies[bob].set_angvel(Vector::new(1.0, 2.0, 3.0), true);
        let second = cube(&mut world, [0.0, 0.0, -3.0], 1.0);
        world.bodies[second].set_linvel(Vector::new(0.0, 0.0, 6.0), true);
        (0..300).for_each(|_| step(&mut cables, &mut world));
        (cables.world().state().clone(), *world.bodies[bob].position(), *world.bodies[bob].vels())
    };
    let (a, b) = (run(), run());
    assert_eq!(a.0, b.0);
    assert!(a.1 == b.1 && a.2 == b.2);
}
