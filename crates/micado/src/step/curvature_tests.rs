//! Rows and curvature of joints between bodies, and between a body and a rod, against differences.

use super::assemble::Assembly;
use super::linearise_constraints::ConstraintTerms;
use super::linearise_objects::Motion;
use super::order::System;
use crate::constraint::{Law, MAX_ROWS, Rows};
use crate::object::Poses;
use crate::object::rod::Tangent;
use crate::world::{State, World};
use glam::DVec3;
use micado_linalg::Arithmetic;
use serde_json::{Value, json};

/// Pseudo-random numbers in (−1, 1).
pub(super) struct Noise(pub(super) u64);

impl Noise {
    pub(super) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub(super) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.next(), self.next(), self.next())
    }
}

const KINDS: [&str; 16] = [
    "ball",
    "weld",
    "hinge",
    "slider",
    "cylindrical",
    "universal",
    "planar",
    "driven hinge",
    "driven slider",
    "driven universal",
    "driven planar",
    "block x",
    "block y z",
    "block x y z rx ry rz",
    "block z rx rz",
    "block ry",
];

/// A joint of a kind between a body and a body, a rod or the world, in random poses in which it is closed.
fn joined(kind: &str, other: &str, noise: &mut Noise) -> World {
    let axis = noise.vector().normalize();
    let cross = axis.any_orthonormal_vector();
    // Where the places of a joint may be apart.
    let apart = match kind.trim_start_matches("driven ") {
        "slider" | "cylindrical" => axis * 0.3,
        "planar" => cross * 0.3 + axis.cross(cross) * 0.2,
        // A block may hold two places at a distance.
        kind if kind.starts_with("block") => noise.vector(),
        _ => DVec3::ZERO,
    };
    let (turned, arm) = (noise.vector() * 2.0, noise.vector());
    let [first, second] = [DVec3::new(0.3, 0.1, -0.2), noise.vector()];
    let body = |position: DVec3, turned: DVec3| {
        json!({"mass": 1, "inertia": {"moments": [1, 2, 2.5]}, "position": position.to_array(),
            "rotation": turned.to_array()})
    };
    let rotation = crate::geometry::rotation::rotation_of(turned);
    let mut joint = json!({"on": "a", "at": arm.to_array(), "kind": kind.trim_start_matches("driven ")});
    if !matches!(kind, "ball" | "weld") && !kind.starts_with("block") {
        joint["axis"] = json!(axis.to_array());
    }
    if kind.ends_with("universal") || kind == "driven planar" {
        joint["cross"] = json!(cross.to_array());
    }
    let motor = json!({"motor": {"position": {"target": 0}}});
    match kind {
        "driven hinge" => joint["angle"] = motor,
        "driven slider" => joint["slide"] = motor,
        "driven universal" => (joint["angle"], joint["cross_angle"]) = (motor.clone(), motor),
        "driven planar" => (joint["slide"], joint["cross_slide"]) = (motor.clone(), motor),
        _ => {}
    }
    let rod = json!({"shape": {"points": {"through": [[0, 0, 0], [0.5, 0.2, 0.1], [0.9, 0.6, 0.4]]}},
        "radius": 0.01, "young": 1e7, "density": 1200, "segments": 6});
    let mut scene = json!({"body": {"a": body(DVec3::ZERO, turned)}});
    let held = first + rotation * arm;
    scene["body"]["a"]["position"] = json!(first.to_array());
    match other {
        "body" => {
            let there = noise.vector();
            let point = crate::geometry::rotation::rotation_of(second * 2.0) * there;
            scene["body"]["b"] = body(held - apart - point, second * 2.0);
            joint["to"] = json!({"on": "b", "at": there.to_array()});
        }
        "rod" => {
            scene["rod"] = json!({"b": rod});
            joint["to"] = json!({"on": "b", "at": "41 %", "arm": [0.1, 0.2, -0.1]});
        }
        _ => {}
    }
    let build = |scene: &Value| World::build(&serde_json::from_value(scene.clone()).expect("a scene"));
    if other == "rod" {
        // Moves the body so that the joint is closed.
        let mut open = scene.clone();
        open["constraint"] = json!({"j": {"fusion": {"on": "a", "at": arm.to_array(), "to": joint["to"]}}});
        let world = build(&open).expect("a world");
        let there = world.sites(0).expect("a constraint")[1].x;
        scene["body"]["a"]["position"] = json!((there + apart - rotation * arm).to_array());
    }
    scene["constraint"] = match kind.strip_prefix("block ") {
        None => json!({"j": {"joint": joint}}),
        Some(hold) => {
            let hold: Vec<&str> = hold.split(' ').collect();
            let to = joint["to"].take();
            json!({"j": {"block": {"on": "a", "at": arm.to_array(), "to": to, "hold": hold}}})
        }
    };
    build(&scene).expect("a world")
}

/// The state moved by `share` of an increment, all objects by their ⊕.
pub(super) fn moved(world: &World, increment: &[f64], share: f64) -> Vec<f64> {
    let mut q = world.state.q.clone();
    for object in &world.structure.objects {
        let own = object.unknowns();
        object.model().advance(None, &increment[own.clone()], share, &mut q[own]);
    }
    q
}

/// −E of the joint at the unknowns `q`.
fn violations(world: &World, q: &[f64]) -> Vec<f64> {
    let memory = &world.state.constraints[0];
    let poses = Poses { q, ..world.poses() };
    let constraint = &world.structure.constraints[0];
    let mut rows = Rows::default();
    constraint.law.linearise(&constraint.find_sites(poses, memory, 0.0), memory, 0.0, &mut rows);
    rows.iter().map(|row| -row.violation).collect()
}

/// The system with these multipliers.
pub(super) fn system(world: &World, multipliers: &[f64]) -> System {
    let (structure, mut state): (_, State) = (&world.structure, world.state.clone());
    state.constraints[0].multipliers[..multipliers.len()].copy_from_slice(multipliers);
    let mut system = System::new(structure, &state, true);
    Assembly {
        structure,
        state: &state,
        time: 0.0,
        motion: &Motion::none(1.0),
        tangent: Tangent::Exact,
        terms: ConstraintTerms {
            exact: true,
            augment_all: false,
            curved: true,
            reach: 1.0,
            rule: None,
            start: None,
        },
        arithmetic: Arithmetic::Portable,
    }
    .write(&mut system, &mut Vec::new());
    system
}

/// δᵀ A δ over the nodes of objects.
pub(super) fn quadratic(system: &System, delta: &[f64]) -> f64 {
    let mut sum = 0.0;
    let nodes = delta.len() / 4;
    for i in 0..nodes {
        for j in i..nodes {
            let Some(slot) = system.matrix.slot(i as u32, j as u32) else { continue };
            let block = &system.matrix.values()[slot];
            let entry = |k: usize| block[k] * delta[4 * i + k / 4] * delta[4 * j + k % 4];
            let twice = if i == j { 1.0 } else { 2.0 };
            sum += twice * (0..16).map(entry).sum::<f64>();
        }
    }
    sum
}

#[test]
fn joints_have_the_rows_and_the_curvature_of_their_violations() {
    let mut noise = Noise(5);
    let mut checks = 0;
    for kind in KINDS {
        for other in ["body", "rod", "world"] {
            for _ in 0..4 {
                let world = joined(kind, other, &mut noise);
                let size = world.state.q.len();
                let rest = violations(&world, &world.state.q);
                assert!(rest.iter().all(|g| g.abs() < 1e-9), "{kind} {other} {rest:?}");
                let mut delta: Vec<f64> = (0..size).map(|_| noise.next()).collect();
                // The fourth scalar of nodes of bodies is unused.
                for object in &world.structure.objects {
                    let (own, scalars) = (object.unknowns(), object.scalars().flatten());
                    for (d, scalar) in delta[own].iter_mut().zip(scalars) {
                        if scalar == crate::object::Scalar::Unused {
                            *d = 0.0;
                        }
                    }
                }
                if kind == "driven hinge" {
                    // The second derivative of the angle is that of motions that the hinge allows.
                    let (structure, site) = (&world.structure, world.sites(0).expect("a joint")[1]);
                    let Law::Joint(law) = &structure.constraints[0].law else { unreachable!("a joint") };
                    let turn = law.axis(&site) * noise.next();
                    let place =
                        structure.constraints[0].places(&structure.objects, &world.state.constraints[0])[1];
                    let own = place.slice(&structure.objects, &delta);
                    let with = if place.is_somewhere() { place.spin(own, &site) } else { DVec3::ZERO };
                    let body = structure.objects.iter().find(|object| object.name == "a").expect("a body");
                    let rotation = body.unknowns().start + 4;
                    delta[rotation..rotation + 3].copy_from_slice(&(with + turn).to_array());
                }
                let lambda: Vec<f64> = (0..rest.len()).map(|_| noise.next()).collect();
                let [with, without] =
                    [&lambda[..], &[0.0; MAX_ROWS][..rest.len()]].map(|of| system(&world, of));
                // First derivatives: J δ of the system.
                let step = 1e-6;
                let [after, before] =
                    [step, -step].map(|share| violations(&world, &moved(&world, &delta, share)));
                let constraint = &world.structure.constraints[0];
                let memory = &world.state.constraints[0];
                let places = constraint.places(&world.structure.objects, memory);
                let sites = constraint.find_sites(world.poses(), memory, 0.0);
                let mut rows = Rows::default();
                constraint.law.linearise(&sites, memory, 0.0, &mut rows);
                for (r, row) in rows.iter().enumerate() {
                    let along: f64 = (0..2)
                        .filter(|e| places[*e].is_somewhere())
                        .map(|e| {
                            let own = places[e].slice(&world.structure.objects, &delta);
                            places[e].spread(&row.ends[e], &sites[e]).along(&places[e].motion(own, true))
                        })
                        .sum();
                    let slope = (after[r] - before[r]) / (2.0 * step);
                    // Rounding of 1e-16/1e-6 and third derivatives of size 10 times 1e-12.
                    assert!((along - slope).abs() < 1e-8, "{kind} {other} row {r}: {along} {slope}");
                    checks += usize::from(slope.abs() > 1e-3);
                }
                // Second derivatives: −Σ λ ∂²g.
                let step = 1e-3;
                let potential = |share: f64| -> f64 {
                    let g = violations(&world, &moved(&world, &delta, share));
                    g.iter().zip(&lambda).map(|(g, lambda)| g * lambda).sum()
                };
                // Fourth order: errors of sixth derivatives times 1e-12, and rounding of 1e-16/1e-6.
                let second = |h: f64| (potential(h) + potential(-h) - 2.0 * potential(0.0)) / (h * h);
                let expected = -(4.0 * second(step) - second(2.0 * step)) / 3.0;
                let found = quadratic(&with, &delta) - quadratic(&without, &delta);
                let size = expected.abs().max(1.0);
                assert!((found - expected).abs() < 1e-6 * size, "{kind} {other}: {found} {expected}");
                checks += usize::from(expected.abs() > 1e-3);
            }
        }
    }
    assert!(checks > 500, "{checks}");
}
