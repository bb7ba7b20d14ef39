//! Random throws at up to 5 m/s with default settings: no object passes through another, none gains energy,
//! and overlaps stay small.

use super::{CUBE, MODELS};
use crate::common::{Noise, at, build, object, position};
use glam::{DQuat, DVec3};
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::world::World;
use serde_json::{Value, json};

/// Largest overlap, as a share of the contact size. A substep is refused if an overlap grows by more than a
/// tenth; a second contact of the same step may add as much.
const MOST: f64 = 0.2;

/// A throw: the scene, the contact size, m, and a check that no object has passed through another.
struct Throw {
    scene: Value,
    size: f64,
    holds: fn(&World) -> bool,
}

/// A plate of 0.6 m by 0.6 m in the plane z = 0, and its half thickness, m.
const PLATE: f64 = 0.6;
const HALF: f64 = 0.01;

/// A body of some shape, and its smallest half size, m.
fn thing(noise: &mut Noise) -> (Value, f64) {
    let a = 0.03 + 0.01 * noise.next();
    match (noise.next() * 3.0 + 3.0) as usize {
        0 | 1 => (json!({"sphere": {"radius": a}}), a),
        2 => (json!({"box": {"size": [2.0 * a, 3.0 * a, 4.0 * a]}}), a),
        3 => (json!({"capsule": {"radius": a, "length": 3.0 * a}}), a),
        4 => (json!({"cylinder": {"radius": a, "length": 2.0 * a}}), a),
        _ => (json!({"cone": {"radius": 1.5 * a, "length": 3.0 * a}}), a),
    }
}

/// A velocity of 1 to 5 m/s towards a target from a place.
fn towards(noise: &mut Noise, from: DVec3, target: DVec3) -> DVec3 {
    (target - from).normalize() * (3.0 + 2.0 * noise.next())
}

/// A fixed closed box of twelve triangles.
fn mesh(size: DVec3) -> Value {
    let corners: Vec<[f64; 3]> = (0..8)
        .map(|k| (DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2 & 1)) - 0.5) * size)
        .map(|x| x.to_array())
        .collect();
    json!({"mesh": {"vertices": corners, "triangles": CUBE}})
}

fn rod(noise: &mut Noise, model: &str, middle: DVec3, radius: f64, velocity: DVec3) -> Value {
    let along = noise.vector().normalize() * 0.2;
    let [from, to] = [(middle - along).to_array(), (middle + along).to_array()];
    json!({"model": model, "shape": {"line": {"from": from, "to": to}},
        "radius": radius, "young": 1e8, "density": 1100, "segments": 10, "velocity": velocity.to_array(),
        "damping": {"internal": 0.001}})
}

/// All places of an object that must stay above a plane: points of the rod, or the centre of the body.
fn above(world: &World, height: f64) -> bool {
    let beside = |x: DVec3| x.truncate().abs().max_element() > 0.5 * PLATE;
    world.structure().objects.iter().filter(|object| object.name == "thrown").all(|object| {
        match object.rod() {
            Some(_) => (0..=40).all(|k| {
                let x = at(world, "thrown", f64::from(k) / 40.0);
                beside(x) || x.z > height
            }),
            None => {
                let x = position(world, "thrown");
                beside(x) || x.z > height
            }
        }
    })
}

/// Adds a body or a rod that is thrown from a place. Returns the contact size, m.
fn add_thrown(scene: &mut Value, noise: &mut Noise, k: usize, start: DVec3, velocity: DVec3) -> f64 {
    if k.is_multiple_of(2) {
        let (shape, least) = thing(noise);
        scene["body"]["thrown"] = json!({"shape": shape, "density": 1000, "position": start.to_array(),
            "velocity": velocity.to_array(), "spin": (noise.vector() * 10.0).to_array()});
        (2.0 * least).min(2.0 * HALF)
    } else {
        let radius = 0.004 + 0.002 * noise.next();
        scene["rod"] = json!({"thrown": rod(noise, MODELS[k / 2 % 4], start, radius, velocity)});
        radius
    }
}

/// A body or a rod falls onto a plate, a mesh or the floor.
fn onto_a_plate(noise: &mut Noise, k: usize) -> Throw {
    let start = DVec3::new(0.05 * noise.next(), 0.05 * noise.next(), 0.4);
    let target = DVec3::new(0.1 * noise.next(), 0.1 * noise.next(), 0.0);
    let velocity = towards(noise, start, target);
    let plate = DVec3::new(PLATE, PLATE, 2.0 * HALF);
    let mut scene = json!({"contact": {"friction": 0.15 + 0.15 * noise.next()}});
    let fixed = match k % 3 {
        0 => json!({"shape": {"box": {"size": plate.to_array()}}, "fixed": true}),
        1 => json!({"shape": mesh(plate), "fixed": true}),
        _ => json!({"shape": {"half-space": {}}, "fixed": true, "position": [0, 0, HALF]}),
    };
    scene["body"] = json!({"plate": fixed});
    let size = add_thrown(&mut scene, noise, k, start, velocity);
    Throw { scene, size, holds: |world| above(world, 0.0) }
}

/// Two free bodies meet; the smaller one must not come out on the other side of the larger one's middle.
fn at_a_body(noise: &mut Noise, k: usize) -> Throw {
    let start = DVec3::new(0.05 * noise.next(), 0.05 * noise.next(), 0.4);
    let velocity = towards(noise, start, DVec3::ZERO);
    let target = json!({"shape": {"box": {"size": [PLATE, PLATE, 2.0 * HALF]}}, "density": 2000});
    let restitution = 0.3 + 0.3 * noise.next();
    let mut scene = json!({"contact": {"friction": 0.2, "restitution": restitution},
        "body": {"target": target}});
    let size = add_thrown(&mut scene, noise, k, start, velocity);
    Throw {
        scene,
        size,
        holds: |world| {
            // In the axes of the plate, the other one stays above its middle.
            let plate = object(world, "target");
            let q = &world.state().q[plate.unknowns()];
            let (x, turn) = (DVec3::from_slice(q), DQuat::from_slice(&q[4..]));
            let local = |y: DVec3| turn.conjugate() * (y - x);
            let inside = |y: DVec3| y.truncate().abs().max_element() > 0.5 * PLATE - 0.1 || y.z > 0.0;
            let thrown = object(world, "thrown");
            match thrown.rod() {
                Some(_) => (0..=40).all(|k| inside(local(at(world, "thrown", f64::from(k) / 40.0)))),
                None => inside(local(position(world, "thrown"))),
            }
        },
    }
}

/// Two rods meet across each other; the upper one stays above.
fn at_a_rod(noise: &mut Noise, k: usize) -> Throw {
    let radius = [0.004 + 0.002 * noise.next(), 0.004 + 0.002 * noise.next()];
    let speed = 3.0 + 2.0 * noise.next();
    let turn = 0.5 * noise.next();
    let held = json!({"model": MODELS[k % 4], "shape": {"line": {"from": [-0.3, 0, 0], "to": [0.3, 0, 0]}},
        "radius": radius[0], "young": 1e8, "density": 1100, "segments": 12});
    let (sin, cos) = turn.sin_cos();
    let along = DVec3::new(sin, cos, 0.0) * 0.2;
    let middle = DVec3::new(0.1 * noise.next(), 0.02 * noise.next(), 0.1);
    let thrown = json!({"model": MODELS[(k + 1) % 4], "shape": {"line": {"from": (middle - along).to_array(),
        "to": (middle + along).to_array()}}, "radius": radius[1], "young": 1e8, "density": 1100,
        "segments": 10,
        "velocity": [0, 0, -speed], "damping": {"internal": 0.001}});
    let hold = |end: &str| json!({"position": {"on": "held", "at": end}});
    Throw {
        scene: json!({"contact": {"friction": 0.2}, "rod": {"held": held, "thrown": thrown},
            "constraint": {"a": hold("start"), "b": hold("end")}}),
        size: radius[0].min(radius[1]),
        // Where their projections cross, the thrown one is above.
        holds: |world| {
            let points =
                |name: &str| (0..=60).map(|k| at(world, name, f64::from(k) / 60.0)).collect::<Vec<_>>();
            let (held, thrown) = (points("held"), points("thrown"));
            held.windows(2).all(|a| {
                thrown.windows(2).all(|b| {
                    let (p, r) = (a[0].truncate(), (a[1] - a[0]).truncate());
                    let (q, s) = (b[0].truncate(), (b[1] - b[0]).truncate());
                    let area = r.perp_dot(s);
                    let (t, u) = ((q - p).perp_dot(s) / area, (q - p).perp_dot(r) / area);
                    let crosses = (0.0..1.0).contains(&t) && (0.0..1.0).contains(&u);
                    !crosses || b[0].z + u * (b[1].z - b[0].z) > a[0].z + t * (a[1].z - a[0].z)
                })
            })
        },
    }
}

/// Runs a throw for 0.25 s. Returns its largest overlap, as a share of the contact size, and whether anything
/// was touched.
fn run(throw: &Throw, name: &str) -> (f64, bool) {
    let mut scene = throw.scene.clone();
    scene["settings"] = json!({"duration": 0.25, "gravity": [0, 0, 0]});
    let mut now: Simulation = build(scene.clone());
    let mut energy = now.world().energy().total();
    let (mut deepest, mut touched) = (0.0_f64, false);
    while !now.finished() {
        let report = now.step(&NoClock);
        assert!(!report.held, "{name}: {report:?}");
        assert!((throw.holds)(now.world()), "{name} passed through at {} s: {scene}", now.time());
        let left = now.world().energy().total();
        // Solves with linearised elasticity may gain a millionth in a step.
        assert!(left < energy * (1.0 + 1e-6) + 1e-12, "{name}: {left} J after {energy} J: {scene}");
        (energy, deepest) = (left, deepest.max(report.penetration / throw.size));
        touched |= report.contacts > 0;
    }
    (deepest, touched)
}

fn throws(count: usize) {
    let mut noise = Noise(18);
    let (mut worst, mut hits) = (0.0_f64, 0);
    for k in 0..count {
        let kind = [onto_a_plate, onto_a_plate, at_a_body, at_a_rod][k % 4];
        let throw = kind(&mut noise, k / 4);
        let (deepest, touched) = run(&throw, &format!("throw {k}"));
        worst = worst.max(deepest);
        hits += usize::from(touched);
    }
    assert!(worst < MOST, "an overlap of {worst} of the contact size");
    // The way of 0.4 m takes more than 0.25 s below 1.4 m/s, a tenth of the throws.
    assert!(hits > count / 2, "{hits} of {count} throws hit something");
}

#[test]
fn a_hundred_throws_pass_through_nothing_and_gain_no_energy() {
    throws(100);
}
