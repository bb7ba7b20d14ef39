//! Cables that touch, on bodies that Rapier steps.

use crate::common::{cables, cube, rope, step, world};
use glam::DVec3;
use micado_rapier::{At, Hold};
use serde_json::json;
use std::f64::consts::{FRAC_PI_2, PI};

#[test]
fn a_post_carries_the_rope_over_it_and_the_bodies_of_rapier_on_its_ends() {
    let (post, thick, hang) = (0.1, 0.005, 0.4);
    let axis = post + thick;
    let tail = |side: f64, k: i32| [side * axis, 0.0, -hang * f64::from(k) / 8.0];
    let arc = (0..=24).map(|k| {
        let (sin, cos) = (PI * (f64::from(k) / 24.0 - 0.5)).sin_cos();
        [axis * sin, 0.0, axis * cos]
    });
    let through: Vec<[f64; 3]> =
        (1..=8).rev().map(|k| tail(-1.0, k)).chain(arc).chain((1..=8).map(|k| tail(1.0, k))).collect();
    let mut line = rope([0.0; 3], [1.0, 0.0, 0.0]);
    line["shape"] = json!({"points": {"through": through}});
    line["segments"] = json!(40);
    line["damping"] = json!({"internal": 0.01, "mass": 5});
    line["stiffness"] = json!({"stretch": 1e5, "bend": 1e-4, "twist": 1e-4});
    let mut world = world(0.005, 9.81);
    let mut cables = cables(
        json!({
            "contact": {"friction": 0.3}, "rod": {"rope": line},
            "body": {"post": {"shape": {"cylinder": {"radius": post, "length": 0.5}}, "fixed": true,
                "rotation": [0, 0, FRAC_PI_2]}},
        }),
        &world,
    );
    for (at, side) in [(At::START, -1.0), (At::END, 1.0)] {
        let bob = cube(&mut world, [side * axis, 0.0, -hang], 1.0);
        cables.attach(&world.bodies, "rope", at, bob, Hold::ball([0.0; 3])).expect("an attachment");
    }
    for _ in 0..800 {
        step(&mut cables, &mut world);
    }
    let pushes: DVec3 = cables.world().surface_contacts().map(|contact| contact.force).sum();
    let objects = &cables.world().structure().objects;
    let line = objects.iter().find(|object| object.name == "rope").expect("a rope").total_mass();
    let weight = (2.0 + line) * 9.81;
    // The tails stretch and swing a little, damped by the rope for 4 s.
    assert!((pushes.z / weight - 1.0).abs() < 1e-5, "{pushes} N, weight {weight} N");
    assert!(pushes.truncate().length() < 1e-4 * weight, "{pushes} N");
}
