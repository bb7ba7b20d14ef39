//! Errors name the body or field, and change nothing.

use crate::common::{cables, cube, rope, step, world};
use micado_rapier::{At, Cables, Error, Hold, Scene};
use rapier3d_f64::prelude::*;
use serde_json::json;

fn one_rope(world: &PhysicsWorld) -> Cables {
    cables(json!({"rod": {"rope": rope([0.0; 3], [1.0, 0.0, 0.0])}}), world)
}

#[test]
fn removed_body_is_an_error_until_it_is_detached() {
    let mut world = world(0.01, 0.0);
    let mut cables = one_rope(&world);
    let body = cube(&mut world, [1.0, 0.0, 0.0], 1.0);
    cables.attach(&world.bodies, "rope", At::END, body, Hold::ball_here()).expect("an attachment");
    step(&mut cables, &mut world);
    world.remove_body(body);
    let before = cables.world().state().clone();
    let error = cables.step(world.gravity, &world.integration_parameters, &mut world.bodies).unwrap_err();
    assert!(matches!(&error, Error::Removed { body: name } if *name == cables.name_of(body)), "{error}");
    assert_eq!(*cables.world().state(), before);
    assert!(cables.attach(&world.bodies, "rope", At::START, body, Hold::ball_here()).is_err());
    cables.detach_body(body).expect("it was attached");
    step(&mut cables, &mut world);
    assert!(cables.detach_body(body).is_err());
}

#[test]
fn released_attachment_pulls_no_more() {
    let mut world = world(0.01, 9.81);
    let mut cables = one_rope(&world);
    let body = cube(&mut world, [1.0, 0.0, 0.0], 1.0);
    let name = cables.attach(&world.bodies, "rope", At::END, body, Hold::ball_here()).expect("an attachment");
    step(&mut cables, &mut world);
    cables.detach(&name).expect("it was attached");
    assert!(cables.detach(&name).is_err());
    let speed = world.bodies[body].linvel().z;
    (0..100).for_each(|_| step(&mut cables, &mut world));
    assert!((world.bodies[body].linvel().z - speed + 9.81).abs() < 1e-9);
    // Both have fallen; a body that was detached can be attached again.
    cables.detach_body(body).expect("it is known");
    cables.attach(&world.bodies, "rope", At::END, body, Hold::ball_here()).expect("an attachment");
    step(&mut cables, &mut world);
}

#[test]
fn bodies_that_cannot_be_mirrored_are_refused_by_name() {
    let mut world = world(0.01, 0.0);
    let mut cables = one_rope(&world);
    let empty = world.insert_body(RigidBodyBuilder::dynamic().translation(Vector::new(1.0, 0.0, 0.0)));
    cables.attach(&world.bodies, "rope", At::END, empty, Hold::ball_here()).expect("an attachment");
    let error = cables.step(world.gravity, &world.integration_parameters, &mut world.bodies).unwrap_err();
    assert!(matches!(error, Error::NoMass { .. }) && error.to_string().contains("rapier-0-0"), "{error}");
    world.bodies[empty].set_additional_mass(1.0, true);
    world.bodies[empty].recompute_mass_properties_from_colliders(&world.colliders);
    step(&mut cables, &mut world);
    world.bodies[empty].set_enabled_rotations(true, false, false, true);
    let error = cables.step(world.gravity, &world.integration_parameters, &mut world.bodies).unwrap_err();
    assert!(matches!(error, Error::PartlyLocked { what: "rotations", .. }), "{error}");
    world.bodies[empty].set_enabled_rotations(true, true, true, true);
    world.bodies[empty].set_linvel(Vector::new(f64::NAN, 0.0, 0.0), true);
    let error = cables.step(world.gravity, &world.integration_parameters, &mut world.bodies).unwrap_err();
    assert!(matches!(error, Error::NotFinite { .. }), "{error}");
    world.bodies[empty].set_linvel(Vector::ZERO, true);
    world.integration_parameters.dt = 0.02;
    let error = cables.step(world.gravity, &world.integration_parameters, &mut world.bodies).unwrap_err();
    assert_eq!(error, Error::Step { given: 0.02, step: 0.01 });
}

#[test]
fn attachments_that_do_not_fit_are_refused() {
    let mut world = world(0.01, 0.0);
    let mut cables = one_rope(&world);
    let body = cube(&mut world, [1.0, 0.0, 0.0], 1.0);
    for (rod, at, hold, word) in [
        ("hose", At::END, Hold::ball_here(), "hose"),
        ("rope", At::Length(7.0), Hold::ball_here(), "at"),
        ("rope", At::END, Hold::ball([0.0, 3.0, 0.0]), "apart"),
        ("rope", At::END, Hold::ball([f64::NAN, 3.0, 0.0]), "finite"),
    ] {
        let error = cables.attach(&world.bodies, rod, at, body, hold).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    }
    for settings in [json!({"integrator": "bdf2"}), json!({"mode": "static"}), json!({"settle": true})] {
        let scene = json!({"settings": settings, "rod": {"rope": rope([0.0; 3], [1.0, 0.0, 0.0])}});
        let scene: Scene = serde_json::from_value(scene).expect("a scene");
        let error = Cables::new(&scene, 0.01).unwrap_err().to_string();
        assert!(error.starts_with("settings."), "{error}");
    }
    let scene: Scene =
        serde_json::from_value(json!({"rod": {"rope": rope([0.0; 3], [1.0, 0.0, 0.0])}})).expect("a scene");
    assert!(Cables::new(&scene, f64::NAN).is_err() && Cables::new(&scene, 0.0).is_err());
}

#[test]
fn mass_that_changes_in_rapier_changes_in_the_cables() {
    let mut world = world(0.01, 9.81);
    let scene = json!({"rod": {"rope": rope([0.0; 3], [0.0, 0.0, -1.0])},
        "constraint": {"top": {"position": {"on": "rope", "at": "start"}}}});
    let mut cables = cables(scene, &world);
    let body = cube(&mut world, [0.0, 0.0, -1.0], 1.0);
    let name =
        cables.attach(&world.bodies, "rope", At::END, body, Hold::ball([0.0; 3])).expect("an attachment");
    (0..500).for_each(|_| step(&mut cables, &mut world));
    world.bodies[body].set_additional_mass(2.0, true);
    (0..1000).for_each(|_| step(&mut cables, &mut world));
    let pull = -crate::common::force(&cables, &name).z;
    assert!((pull / (3.0 * 9.81) - 1.0).abs() < 1e-3, "{pull}");
}
