//! Implicit and explicit coupling.

use crate::common::{cables, cube, rope, world};
use glam::DVec3;
use micado_rapier::{At, Cables, Hold, Scheme};
use rapier3d_f64::prelude::*;
use serde_json::{Value, json};

/// A body of this mass at the lower end of a rope of 1 m, beside the vertical.
fn hanging(line: &Value, h: f64, mass: f64, scheme: Scheme) -> (Cables, PhysicsWorld, RigidBodyHandle) {
    let mut world = world(h, 9.81);
    let scene =
        json!({"rod": {"rope": line}, "constraint": {"top": {"position": {"on": "rope", "at": "start"}}}});
    let mut cables = cables(scene, &world).with_scheme(scheme);
    let body = cube(&mut world, [0.6, 0.0, -0.8], mass);
    cables.attach(&world.bodies, "rope", At::END, body, Hold::ball([0.0; 3])).expect("an attachment");
    (cables, world, body)
}

/// Largest speed of the body, m/s; infinite if a step was refused.
fn largest_speed(line: &Value, h: f64, mass: f64, scheme: Scheme, steps: usize) -> f64 {
    let (mut cables, mut world, body) = hanging(line, h, mass, scheme);
    let mut largest = 0.0_f64;
    for _ in 0..steps {
        match cables.step(world.gravity, &world.integration_parameters, &mut world.bodies) {
            Ok(report) if !report.held => world.step(),
            _ => return f64::INFINITY,
        }
        largest = largest.max(world.bodies[body].linvel().length());
        if largest.is_nan() || largest > 1e6 {
            return f64::INFINITY;
        }
    }
    largest
}

/// A rope of this mass and tensile stiffness.
fn line(mass: f64, stretch: f64) -> Value {
    let mut line = rope([0.0; 3], [0.6, 0.0, -0.8]);
    (line["mass_per_length"], line["stiffness"]["stretch"]) = (json!(mass), json!(stretch));
    line
}

#[test]
fn implicit_coupling_is_stable_where_explicit_coupling_is_not() {
    // The fall from 0.2 m above the lowest point ends with √(2 g 0.2) = 2 m/s; the lower end of a heavy rope
    // is faster.
    let cases = [(1.0, 1e6, 0.01), (0.1, 1e8, 1e-4), (10.0, 1e4, 0.1)];
    for (rod, stretch, body) in cases {
        let implicit = largest_speed(&line(rod, stretch), 0.01, body, Scheme::Implicit, 500);
        let explicit = largest_speed(&line(rod, stretch), 0.01, body, Scheme::Explicit, 500);
        assert!(implicit < 10.0, "{rod} {stretch} {body}: {implicit}");
        assert!(explicit > 100.0, "{rod} {stretch} {body}: {explicit}");
    }
}

#[test]
fn implicit_coupling_is_stable_for_all_ratios_of_masses() {
    for rod in [1e-3, 1.0, 1e3] {
        for stretch in [1e2, 1e5, 1e8] {
            // A rope that would stretch by more than half its length is left out.
            if (rod + 1.0) * 9.81 > 0.5 * stretch {
                continue;
            }
            for h in [1e-2, 1e-3] {
                let largest = largest_speed(&line(rod, stretch), h, 1.0, Scheme::Implicit, 300);
                assert!(largest < 20.0, "{rod} {stretch} {h}: {largest}");
            }
        }
    }
}

#[test]
fn both_couplings_agree_at_small_steps() {
    // A heavy body on a light, soft rope.
    let place = |h: f64, scheme: Scheme| -> DVec3 {
        let (mut cables, mut world, body) = hanging(&line(0.05, 2e3), h, 2.0, scheme);
        for _ in 0..(0.5 / h).round() as usize {
            crate::common::step(&mut cables, &mut world);
        }
        world.bodies[body].translation()
    };
    let apart = |h: f64| (place(h, Scheme::Implicit) - place(h, Scheme::Explicit)).length();
    let [coarse, fine] = [1e-3, 5e-4].map(apart);
    // Both are of first order, so their difference is of first order too.
    assert!(fine < 3e-3 && (1.6..2.5).contains(&(coarse / fine)), "{coarse:e} {fine:e}");
}
