//! Momentum passes between rods and bodies.

use crate::common::{cables, cube, momentum, rope, step, world};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado_rapier::{At, Cables, Hold, Scene};
use rapier3d_f64::prelude::*;
use serde_json::json;

/// A rope with a cube at each end and one in the middle, which move apart and turn; no gravity.
fn string_of_cubes(h: f64, speed: f64) -> (Cables, PhysicsWorld) {
    let mut world = world(h, 0.0);
    let scene = json!({"rod": {"rope": rope([0.0; 3], [2.0, 0.0, 0.0])}});
    let mut cables = cables(scene, &world);
    let places = [(-0.1, At::START, 2.0), (1.0, At::Length(1.0), 0.5), (2.1, At::END, 1.0)];
    for (k, (x, at, mass)) in places.into_iter().enumerate() {
        let body = cube(&mut world, [x, 0.0, if k == 1 { 0.1 } else { 0.0 }], mass);
        let hold = if k == 1 { Hold::clamp_here() } else { Hold::ball_here() };
        cables.attach(&world.bodies, "rope", at, body, hold).expect("an attachment");
        let velocity = Vector::new(0.1 * k as f64, [1.0, -2.0, 0.7][k], [0.3, 0.1, -0.6][k]) * speed;
        world.bodies[body].set_linvel(velocity, true);
        world.bodies[body].set_angvel(Vector::new(0.2, -0.3, 0.4) * speed, true);
    }
    (cables, world)
}

#[test]
fn linear_momentum_passes_to_rounding() {
    let (mut cables, mut world) = string_of_cubes(1e-3, 1.0);
    let [(before, scale), _] = momentum(&cables, &world);
    let alone = world.bodies.iter().map(|(_, body)| body.linvel()).next().expect("a body");
    let mut worst = 0.0_f64;
    for _ in 0..1000 {
        step(&mut cables, &mut world);
        worst = worst.max((momentum(&cables, &world)[0].0 - before).length());
    }
    let after = world.bodies.iter().map(|(_, body)| body.linvel()).next().expect("a body");
    // The cubes have exchanged momentum of the order of their initial momentum.
    assert!((after - alone).length() > 0.1 * alone.length(), "{alone} {after}");
    // A thousand roundings of 1e-16 of each part, and of the forces of the rope.
    assert!(worst < 1e-12 * scale, "{worst:e} of {scale}");
}

/// Change of the angular momentum in this time, as a share of its parts.
fn angular_loss(h: f64, speed: f64, time: f64) -> f64 {
    let (mut cables, mut world) = string_of_cubes(h, speed);
    let [_, (before, scale)] = momentum(&cables, &world);
    for _ in 0..(time / h).round() as usize {
        step(&mut cables, &mut world);
    }
    (momentum(&cables, &world)[1].0 - before).length() / scale
}

#[test]
fn angular_momentum_passes_within_a_millionth_over_a_thousand_steps() {
    // Implicit Euler loses h² v×f in a step, f the forces in the rope.
    let loss = angular_loss(1e-4, 0.1, 0.1);
    assert!(loss < 1e-6, "{loss:e}");
}

#[test]
fn coupling_loses_no_more_angular_momentum_than_one_system() {
    // The same cubes as bodies of Micado.
    let (h, speed) = (1e-3, 1.0);
    let (cables, world) = string_of_cubes(h, speed);
    let mut scene = json!({"settings": {"step": h, "duration": 0.5, "gravity": [0, 0, 0]},
        "rod": {"rope": rope([0.0; 3], [2.0, 0.0, 0.0])}, "body": {}, "constraint": {}});
    let places = [json!("start"), json!(1.0), json!("end")];
    for ((k, (handle, body)), place) in world.bodies.iter().enumerate().zip(places) {
        let (name, centre) = (cables.name_of(handle), body.translation());
        let moment = body.mass() * 0.04 / 6.0;
        scene["body"][&name] = json!({"mass": body.mass(), "inertia": {"moments": [moment, moment, moment]},
            "position": centre.to_array(), "velocity": body.linvel().to_array(),
            "spin": body.angvel().to_array()});
        let point = DVec3::new([0.0, 1.0, 2.0][k], 0.0, 0.0) - centre;
        scene["constraint"][format!("joint-{k}")] = json!({"joint": {"on": "rope", "at": place,
            "kind": if k == 1 { "weld" } else { "ball" }, "to": {"on": name, "at": point.to_array()}}});
    }
    let scene: Scene = serde_json::from_value(scene).expect("a scene");
    let mut whole = Simulation::build(&scene).expect("a simulation");
    let angular = |whole: &Simulation| {
        let (structure, state) = (whole.world().structure(), whole.world().state());
        let mut sum = DVec3::ZERO;
        for object in &structure.objects {
            let (q, v) = (&state.q[object.unknowns()], &state.v[object.unknowns()]);
            let mut p = vec![0.0; v.len()];
            object.model().add_mass_times(object.own(&state.q, &state.frames), v, &mut p);
            // The second node of a body is its rotation.
            let nodes = if object.rod().is_some() { q.len() / 4 } else { 1 };
            for (q, p) in q.chunks_exact(4).zip(p.chunks_exact(4)).take(nodes) {
                sum += DVec3::from_slice(q).cross(DVec3::from_slice(p));
            }
            if object.rod().is_none() {
                sum += DVec3::from_slice(&p[4..]);
            }
        }
        sum
    };
    let [_, (before, scale)] = momentum(&cables, &world);
    assert!((angular(&whole) - before).length() < 1e-12 * scale);
    while !whole.finished() {
        assert!(!whole.step(&NoClock).held);
    }
    let (one, coupled) = ((angular(&whole) - before).length() / scale, angular_loss(h, speed, 0.5));
    assert!(coupled < 1.2 * one, "{coupled:e} {one:e}");
}

#[test]
fn angular_momentum_is_lost_only_with_the_step() {
    let [coarse, fine] = [2e-3, 1e-3].map(|h| angular_loss(h, 1.0, 0.5));
    // The order of implicit Euler.
    assert!(fine < 5e-3 && (1.6..2.6).contains(&(coarse / fine)), "{coarse:e} {fine:e}");
}

#[test]
fn twist_passes_spin_momentum_to_rounding() {
    // Two discs on a clamped rod turn against each other about its axis; their spin reverses.
    let mut world = world(1e-3, 0.0);
    let mut rod = rope([0.0; 3], [1.0, 0.0, 0.0]);
    rod["stiffness"]["twist"] = json!(0.5);
    let mut cables = cables(json!({"rod": {"rod": rod}}), &world);
    let discs = [(-0.1, At::START, 3.0), (1.1, At::END, -1.0)].map(|(x, at, spin)| {
        let disc = cube(&mut world, [x, 0.0, 0.0], 1.0);
        cables.attach(&world.bodies, "rod", at, disc, Hold::clamp_here()).expect("an attachment");
        world.bodies[disc].set_angvel(Vector::new(spin, 0.0, 0.0), true);
        disc
    });
    // m a²/6 of a cube; the roll inertia of the rod, ρ r²/2 per length, is 2e-4 of it and turns too.
    let roll = |cables: &Cables| -> f64 {
        let state = cables.world().state();
        let object = &cables.world().structure().objects[0];
        let mut p = vec![0.0; object.unknowns().len()];
        let v = &state.v[object.unknowns()];
        object.model().add_mass_times(object.own(&state.q, &state.frames), v, &mut p);
        p.chunks_exact(4).map(|p| p[3]).sum()
    };
    let total = |cables: &Cables, world: &PhysicsWorld| {
        let spins = discs.map(|disc| world.bodies[disc].angvel().x * 0.04 / 6.0);
        spins[0] + spins[1] + roll(cables)
    };
    let before = total(&cables, &world);
    let mut least = f64::MAX;
    for _ in 0..1000 {
        step(&mut cables, &mut world);
        least = least.min(world.bodies[discs[0]].angvel().x);
        let sideways = world.bodies[discs[0]].angvel() * Vector::new(0.0, 1.0, 1.0);
        assert!(sideways.length() < 1e-9);
    }
    // They swing about the mean spin of 1 rad/s, so the first one falls below it.
    assert!(least < 0.5, "{least}");
    let lost = (total(&cables, &world) - before).abs() / before;
    assert!(lost < 1e-10, "{lost:e}");
}

#[test]
fn one_body_holds_several_rods_and_one_rod_several_bodies() {
    // A cube hangs on two vertical ropes, and carries a third rope with two smaller cubes.
    let mut world = world(2e-3, 9.81);
    let scene = json!({
        "rod": {
            "left": rope([-0.1, 0.0, 1.0], [-0.1, 0.0, 0.1]),
            "right": rope([0.1, 0.0, 1.0], [0.1, 0.0, 0.1]),
            "below": rope([0.0, 0.0, -0.1], [0.0, 0.0, -1.1]),
        },
        "constraint": {
            "a": {"position": {"on": "left", "at": "start"}},
            "b": {"position": {"on": "right", "at": "start"}},
        },
    });
    let mut cables = cables(scene, &world);
    let block = cube(&mut world, [0.0; 3], 4.0);
    let [middle, last] = [-0.6, -1.2].map(|z| cube(&mut world, [0.0, 0.0, z], 1.0));
    let mut attach = |rod: &str, at, body| {
        cables.attach(&world.bodies, rod, at, body, Hold::ball_here()).expect("an attachment")
    };
    let names = [
        attach("left", At::END, block),
        attach("right", At::END, block),
        attach("below", At::START, block),
        attach("below", At::Length(0.5), middle),
        attach("below", At::END, last),
    ];
    for _ in 0..4000 {
        step(&mut cables, &mut world);
    }
    // At rest after the oscillations of the first second, which implicit Euler damps.
    let weight = 9.81 * DVec3::Z;
    let forces = names.each_ref().map(|name| crate::common::force(&cables, name));
    let expected = [-3.05, -3.05, 2.1, -1.0, -1.0].map(|mass| weight * mass);
    for (force, expected) in forces.iter().zip(expected) {
        assert!((*force - expected).length() < 1e-3 * 9.81, "{forces:?}");
    }
}
