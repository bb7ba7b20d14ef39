//! Built-in scenes of ropes that touch a post, the floor and a door panel, against theory.

use glam::DVec3;
use micado::clock::NoClock;
use micado::object::body::shape::Shape;
use micado::run::Simulation;
use micado::scene::Scene;
use micado_io::scene::{builtin, parse};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::f64::consts::PI;

const G: f64 = 9.81;

fn scene(name: &str) -> Scene {
    let file = builtin(name).expect("a built-in scene");
    parse(name, file.text, &[]).expect("a scene").scene().clone()
}

/// A part of a scene.
fn part<T: DeserializeOwned>(words: Value) -> T {
    serde_json::from_value(words).expect("a part of a scene")
}

/// Runs a scene to its end. No step is held.
fn run(scene: &Scene) -> Simulation {
    let mut simulation = Simulation::build(scene).expect("a scene");
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(!report.held, "{report:?}");
    }
    simulation
}

fn probe(simulation: &Simulation, name: &str) -> f64 {
    let k = simulation.probe_names().iter().position(|probe| probe == name).expect("a probe");
    simulation.probe_values()[k]
}

/// Adds probes of the three components of a vector.
fn watch(scene: &mut Scene, name: &str, words: &Value) {
    for component in ["x", "y", "z"] {
        let mut words = words.clone();
        words["name"] = json!(format!("{name} {component}"));
        words["component"] = json!(component);
        scene.probe.push(part(words));
    }
}

fn vector(simulation: &Simulation, name: &str) -> DVec3 {
    DVec3::from_array(["x", "y", "z"].map(|component| probe(simulation, &format!("{name} {component}"))))
}

/// Point of the only rod of a scene at an arc length.
fn point(simulation: &Simulation, s: f64) -> DVec3 {
    let world = simulation.world();
    let rod = world.structure().objects.iter().find(|object| object.rod().is_some()).expect("a rod");
    world.section(rod, s).expect("a place").position
}

/// Radius of the post and of its ropes, m.
const POST: f64 = 0.1;
const ROPE: f64 = 0.004;

/// The scene with one rope, whose sides have these lengths, and a coefficient of friction. Its end is
/// watched.
fn on_post(light: f64, heavy: f64, friction: f64) -> Scene {
    let mut scene = scene("rope-on-post");
    scene.rod.shift_remove("slips");
    scene.constraint.shift_remove("other_hand");
    scene.action.truncate(1);
    scene.probe.clear();
    let contact = scene.contact.as_mut().expect("contact");
    contact.friction = part(json!(friction));
    let (r, top) = (POST + ROPE, 1.6);
    let rope = &mut scene.rod["stays"];
    rope.shape = part(json!({"polyline": {"radius": r, "through": [
        [-r, 0, top - light], [-r, 0, top + r], [r, 0, top + r], [r, 0, top - heavy]]}}));
    rope.segments = Some(((light + heavy + PI * r) / 0.027) as usize);
    watch(&mut scene, "end", &json!({"of": "stays", "at": "end", "read": "position"}));
    scene
}

/// The longest heavy side that friction holds.
///
/// With tension T at the distance ρ = R + r from the axis and pressure N per angle θ from the top, both
/// balances are N = T + wρ cos θ and T' = pN − wρ sin θ, where p = μR/ρ because friction acts at R. So
/// N' = pN − 2wρ sin θ, whose solution with N = w·(length of the side) at both ends is this.
fn longest(light: f64, friction: f64) -> f64 {
    let p = friction * POST / (POST + ROPE);
    let on_post = 2.0 * p * (POST + ROPE) / (1.0 + p * p);
    (light + on_post) * (p * PI).exp() + on_post
}

#[test]
fn a_rope_stays_on_a_post_while_the_ratio_of_its_sides_is_below_the_exponential_of_friction() {
    let cases = [(0.4, 0.3), (0.6, 0.2)];
    for (light, friction) in cases {
        let limit = longest(light, friction);
        for (share, holds) in [(0.97, true), (1.03, false)] {
            let scene = on_post(light, share * limit, friction);
            let first = vector(&Simulation::build(&scene).expect("a scene"), "end");
            let fallen = first - vector(&run(&scene), "end");
            // A rope that holds keeps to its place while it swings in; another one falls faster and faster.
            let case = format!("{light} m, μ = {friction}, {share} of {limit} m: {fallen} m");
            assert!(if holds { fallen.z.abs() < 2e-3 } else { fallen.z > 0.2 }, "{case}");
        }
    }
}

#[test]
fn one_rope_stays_on_the_post_and_the_other_lies_on_the_floor() {
    let mut scene = scene("rope-on-post");
    watch(&mut scene, "slipped", &json!({"of": "slips", "with": "post", "read": "contact-force"}));
    watch(&mut scene, "top", &json!({"of": "slips", "at": "start", "read": "position"}));
    let done = run(&scene);
    let weight = 0.25 * G * (0.4 + 1.1 + PI * (POST + ROPE));
    // It still swings a little.
    assert!((probe(&done, "on_post") / weight - 1.0).abs() < 1e-3, "{} N", probe(&done, "on_post"));
    assert_eq!(vector(&done, "slipped"), DVec3::ZERO);
    assert!(vector(&done, "top").z < 0.2, "{}", vector(&done, "top"));
}

#[test]
fn a_lasso_closes_around_its_post_and_the_post_carries_the_pull_of_the_hand() {
    let mut scene = scene("lasso");
    watch(&mut scene, "on post", &json!({"of": "rope", "with": "post", "read": "contact-force"}));
    watch(&mut scene, "on floor", &json!({"of": "rope", "with": "floor", "read": "contact-force"}));
    watch(&mut scene, "pull", &json!({"of": "hand", "read": "force"}));
    scene.probe.push(part(json!({"name": "tension", "of": "rope", "at": "end", "read": "tension"})));
    let done = run(&scene);
    let [post, floor, pull] = ["on post", "on floor", "pull"].map(|name| vector(&done, name));
    let weight = DVec3::Z * (done.world().structure().objects[0].total_mass() * G);
    let hand = pull.length();
    assert!(hand > 20.0, "{hand} N");
    // At rest, up to the drag of the air on rope that still creeps.
    assert!(
        (post + floor + pull - weight).length() < 1e-3 * hand,
        "{post} + {floor} + {pull} beside {weight}"
    );
    // The pull of the hand is the tension of the rope and, up to the weight in between, the force on the
    // post.
    assert!((probe(&done, "tension") / hand - 1.0).abs() < 0.01, "{} N", probe(&done, "tension"));
    assert!((post.length() / hand - 1.0).abs() < 0.02, "{post} N for {hand} N");
    // The loop goes round the post once.
    let length = probe(&done, "loop");
    let around: Vec<DVec3> = (0..=400).map(|k| point(&done, length * f64::from(k) / 400.0)).collect();
    let turns: f64 =
        around.windows(2).map(|x| x[0].truncate().angle_to(x[1].truncate())).sum::<f64>() / (2.0 * PI);
    assert!((turns.abs() - 1.0).abs() < 0.01, "{turns} turns");
    // It is at least as long as the straight lines from the eye to the post and the arc between them.
    let (eye, r) = (around[0].truncate().length(), POST + ROPE);
    let arc = 2.0 * (PI - (r / eye).acos());
    let shortest = 2.0 * (eye * eye - r * r).sqrt() + r * arc;
    let stretched = 1.0 + hand / (50e6 * PI * ROPE * ROPE);
    assert!(stretched * length > 0.99 * shortest && length < 1.05 * shortest, "{length} m for {shortest} m");
}

/// The panel of `harness-on-mesh` in tenths of a millimetre: its front y(x, z) on a grid, its sides and its
/// back. `fine` divides the grid of the bulge.
fn panel(fine: u32) -> Value {
    let y = |x: f64, z: f64| {
        let (u, v) = ((x - 0.4) / 0.2, (z + 0.055) / 0.07);
        let bulge = if u.abs() < 1.0 && v.abs() < 1.0 {
            0.03 * ((0.5 * PI * u).cos() * (0.5 * PI * v).cos()).powi(2)
        } else {
            0.0
        };
        if z < -0.1255 { -0.05 } else { 0.012 - bulge }
    };
    let inner = |from: f64, width: f64, count: u32| {
        (0..=count).map(move |k| from + width * f64::from(k) / f64::from(count))
    };
    let xs: Vec<f64> =
        [0.0, 0.1].into_iter().chain(inner(0.2, 0.4, 12 * fine)).chain([0.75, 0.9, 1.05, 1.2]).collect();
    let zs: Vec<f64> =
        [-0.2, -0.126].into_iter().chain(inner(-0.125, 0.14, 8 * fine)).chain([0.09, 0.15]).collect();
    let (nx, nz) = (xs.len(), zs.len());
    let mut vertices: Vec<[f64; 3]> =
        zs.iter().flat_map(|&z| xs.iter().map(move |&x| [x, y(x, z), z])).collect();
    let back = vertices.len();
    let (far, top) = (nx - 1, nz - 1);
    vertices.extend([(0, 0), (far, 0), (far, top), (0, top)].map(|(i, j)| [xs[i], 0.05, zs[j]]));
    let at = |i: usize, j: usize| j * nx + i;
    let mut triangles = Vec::new();
    for j in 0..top {
        for i in 0..far {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend(if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        }
    }
    // Each side is a fan from a corner of the back at which it is convex.
    let mut side = |edge: Vec<usize>, apex: usize, last: [usize; 3]| {
        triangles.extend(edge.windows(2).map(|pair| [pair[1], pair[0], apex]));
        triangles.push(last);
    };
    let [b0, b1, b2, b3] = [0, 1, 2, 3].map(|k| back + k);
    side((0..nx).map(|i| at(i, 0)).collect(), b0, [at(far, 0), b0, b1]);
    side((0..nz).map(|j| at(far, j)).collect(), b1, [at(far, top), b1, b2]);
    side((0..nx).rev().map(|i| at(i, top)).collect(), b2, [at(0, top), b2, b3]);
    side((0..nz).rev().map(|j| at(0, j)).collect(), b0, [at(0, top), b3, b0]);
    triangles.extend([[b0, b2, b1], [b0, b3, b2]]);
    let vertices: Vec<_> = vertices.iter().map(|x| x.map(|value| (value * 1e4).round())).collect();
    json!({"mesh": {"unit": "mm", "scale": 0.1, "vertices": vertices, "triangles": triangles}})
}

#[test]
fn clips_and_panel_carry_the_weight_of_a_cable() {
    let mut scene = scene("harness-on-mesh");
    let mesh = |shape| match shape {
        Shape::Mesh(mesh) => (mesh.triangles, mesh.vertices),
        _ => panic!("a mesh"),
    };
    let (triangles, vertices) = mesh(scene.body["panel"].shape.clone().expect("a shape"));
    let (same, near) = mesh(part(panel(1)));
    assert!(triangles == same, "the mesh in the scene is that of `panel`");
    for (a, b) in vertices.iter().zip(&near) {
        // Both are rounded.
        assert!(
            (DVec3::from_array(*a) - DVec3::from_array(*b)).abs().max_element() <= 1.0,
            "{a:?} and {b:?}"
        );
    }
    let clips = ["clip_1", "clip_2", "clip_3"];
    for name in clips {
        watch(&mut scene, name, &json!({"of": name, "read": "force"}));
    }
    watch(&mut scene, "panel", &json!({"of": "cable", "with": "panel", "read": "contact-force"}));
    let forces = |scene: &Scene| {
        let done = run(scene);
        let cable = done.world().structure().objects.iter().find_map(|object| object.rod());
        let weight = DVec3::Z * (cable.expect("a cable").total_mass() * G);
        let found = clips.map(|name| vector(&done, name));
        let panel = vector(&done, "panel");
        let missing = found.iter().sum::<DVec3>() + panel - weight;
        // It is at rest.
        assert!(missing.length() < 1e-6 * weight.z, "{missing} of {weight}");
        // On the bulge and on the sill.
        assert!(panel.z > 0.5 * weight.z && panel.y < -1.0, "{panel} of {weight}");
        found
    };
    let coarse = forces(&scene);
    scene.body["panel"].shape = Some(part(panel(2)));
    let fine = forces(&scene);
    let largest = fine.iter().map(|force| force.length()).fold(0.0, f64::max);
    for (coarse, fine) in coarse.iter().zip(fine) {
        // Triangles cut the bulge by up to 0.5 mm of its 30 mm.
        assert!((*coarse - fine).length() < 0.03 * largest, "{coarse} and {fine} N");
    }
}
