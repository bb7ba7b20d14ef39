//! Worlds of Rapier with cables, and their momentum.

use glam::DVec3;
use micado_rapier::{Cables, Scene};
use rapier3d_f64::prelude::*;
use serde_json::{Value, json};

/// A world of Rapier with its step and gravity along z.
pub(crate) fn world(step: f64, gravity: f64) -> PhysicsWorld {
    let mut world = PhysicsWorld { gravity: Vector::new(0.0, 0.0, -gravity), ..PhysicsWorld::default() };
    world.integration_parameters.dt = step;
    world
}

/// A cube of 0.2 m at a place, of this mass.
pub(crate) fn cube(world: &mut PhysicsWorld, at: [f64; 3], mass: f64) -> RigidBodyHandle {
    let body = RigidBodyBuilder::dynamic().translation(Vector::from_array(at)).can_sleep(false);
    world.insert(body, ColliderBuilder::cuboid(0.1, 0.1, 0.1).mass(mass)).0
}

/// A straight rope of 0.1 kg/m.
pub(crate) fn rope(from: [f64; 3], to: [f64; 3]) -> Value {
    json!({"shape": {"line": {"from": from, "to": to}}, "segments": 12, "radius": 0.005,
        "mass_per_length": 0.1, "stiffness": {"stretch": 1e5, "bend": 1e-2, "twist": 1e-2}})
}

/// Cables of a scene with the step of a world.
pub(crate) fn cables(scene: Value, world: &PhysicsWorld) -> Cables {
    let scene: Scene = serde_json::from_value(scene).expect("a scene");
    Cables::new(&scene, world.integration_parameters.dt).expect("cables")
}

/// One step of both.
pub(crate) fn step(cables: &mut Cables, world: &mut PhysicsWorld) {
    let report =
        cables.step(world.gravity, &world.integration_parameters, &mut world.bodies).expect("a step");
    assert!(!report.held, "{report:?}");
    world.step();
}

/// Momentum, and angular momentum about the origin, of all rods and of all dynamic bodies of Rapier; each
/// with the sum of the magnitudes of its parts.
pub(crate) fn momentum(cables: &Cables, world: &PhysicsWorld) -> [(DVec3, f64); 2] {
    let mut sums = [(DVec3::ZERO, 0.0); 2];
    let mut add = |k: usize, part: DVec3| {
        sums[k].0 += part;
        sums[k].1 += part.length();
    };
    let rods = cables.world();
    let state = rods.state();
    for object in rods.structure().objects.iter().filter(|object| object.rod().is_some()) {
        let (q, v) = (&state.q[object.unknowns()], &state.v[object.unknowns()]);
        let mut p = vec![0.0; v.len()];
        object.model().add_mass_times(object.own(&state.q, &state.frames), v, &mut p);
        for (q, p) in q.chunks_exact(4).zip(p.chunks_exact(4)) {
            add(0, DVec3::from_slice(p));
            add(1, DVec3::from_slice(q).cross(DVec3::from_slice(p)));
        }
        // Rolls turn about the rod: along the mean of the edges at a node, to first order of its curvature.
        let x: Vec<DVec3> = q.chunks_exact(4).map(DVec3::from_slice).collect();
        for (i, p) in p.chunks_exact(4).enumerate() {
            let along = x[(i + 1).min(x.len() - 1)] - x[i.saturating_sub(1)];
            add(1, along.normalize() * p[3]);
        }
    }
    for (_, body) in world.bodies.iter().filter(|(_, body)| body.is_dynamic()) {
        let p = body.linvel() * body.mass();
        let of = &body.mass_properties().local_mprops;
        let frame = *body.rotation() * of.principal_inertia_local_frame;
        let spin = frame * (frame.inverse() * body.angvel() * of.principal_inertia());
        add(0, p);
        add(1, body.center_of_mass().cross(p));
        add(1, spin);
    }
    sums
}

/// Force of an attachment on its rod.
pub(crate) fn force(cables: &Cables, name: &str) -> DVec3 {
    let world = cables.world();
    let k = world.structure().constraints.iter().position(|c| c.name == name).expect("a constraint");
    world.constraint_force(k).expect("a force").force
}
