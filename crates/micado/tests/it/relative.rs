//! What holds two places together: motion, equilibrium and sliding, against closed forms and conservation
//! laws.

use crate::common::{
    at, bits, build, constraint, crossing_ropes, equilibrium, force, momentum, object, off, position, scene,
};
use glam::DVec3;
use micado::clock::NoClock;
use micado::constraint::{ENDS, End};
use micado::geometry::rotation::exp;
use micado::run::Simulation;
use micado::world::World;
use serde_json::{Value, json};
use std::f64::consts::{FRAC_PI_2, PI};

/// Largest miss of a constraint, and steps until `time`.
fn worst_miss(simulation: &mut Simulation, time: f64) -> f64 {
    let mut worst = 0.0_f64;
    while simulation.time() < time - 1e-9 {
        let report = simulation.step(&NoClock);
        assert!(!report.held, "{report:?}");
        worst = worst.max(report.residual);
    }
    worst
}

fn double_pendulum(step: f64, integrator: &str, solves: usize) -> Simulation {
    build(json!({
        "mass": {"a": {"position": [0.5, 0, 0], "mass": 0.3}, "b": {"position": [0.5, 0.4, 0], "mass": 0.2}},
        "constraint": {"first": {"distance": {"on": "a", "centre": [0, 0, 0]}},
            "second": {"distance": {"on": "b", "to": {"on": "a"}}}},
        "settings": {"step": step, "integrator": integrator, "solves": solves},
    }))
}

#[test]
fn a_double_pendulum_misses_its_lengths_by_the_square_of_the_step_only() {
    let miss = |step: f64| worst_miss(&mut double_pendulum(step, "euler", 1), 0.5);
    let (coarse, fine) = (miss(2e-3), miss(1e-3));
    // (v h)²/2d, v ≤ 5 m/s of one mass against the other; it doesn't add up over 500 steps.
    assert!(fine < 5.0_f64.powi(2) * 1e-6 / 0.8, "{fine:e}");
    assert!((coarse / fine - 4.0).abs() < 0.4, "{coarse:e}, {fine:e}");
}

#[test]
fn a_double_pendulum_keeps_its_energy_to_second_order() {
    let lost = |step: f64| {
        let mut simulation = double_pendulum(step, "bdf2", 6);
        let before = simulation.world().energy().total();
        let miss = worst_miss(&mut simulation, 0.5);
        // Newton leaves the square of its last increment, 1e-10 of the size.
        assert!(miss < 1e-9, "{miss:e}");
        (simulation.world().energy().total() - before).abs() / simulation.world().energy().kinetic
    };
    let (coarse, fine) = (lost(2e-3), lost(1e-3));
    assert!(fine < 2e-4, "{fine:e}");
    assert!(coarse / fine > 3.5, "{coarse:e}, {fine:e}");
}

/// Two rods with a right angle between them, the first clamped and turned.
fn angle_piece(rows: &str, rotation: [f64; 3]) -> Simulation {
    let rod = |from: [f64; 3], to: [f64; 3]| {
        json!({"shape": {"line": {"from": from, "to": to}},
        "stiffness": {"stretch": 1e3, "bend": 0.5, "twist": 0.4}, "mass_per_length": 0.2, "segments": 6})
    };
    build(json!({
        "rod": {"a": rod([0.0, 0.0, 0.0], [1.0, 0.0, 0.0]), "b": rod([1.0, 0.0, 0.0], [1.0, 1.0, 0.0])},
        "constraint": {
            "grip": {"clamp": {"on": "a", "at": "start",
                "rotation": {"ramp": {"from": [0, 0, 0], "to": rotation, "end": 1}}}},
            "joint": {"fusion": {"on": "a", "at": "end", "to": {"on": "b", "at": "start"}, "hold": "rigid",
                "rows": rows}},
        },
        "settings": {"mode": "static", "step": 0.1, "gravity": [0, 0, 0]},
    }))
}

#[test]
fn rods_that_are_fused_rigidly_turn_together_without_resistance() {
    for rotation in [[1.2, 0.0, 0.0], [0.0, 0.0, 1.2], [0.5, -0.7, 0.9]] {
        let mut simulation = angle_piece("objective", rotation);
        for _ in 0..10 {
            let report = simulation.step(&NoClock);
            assert!(report.converged, "{report:?}");
            let world = simulation.world();
            // Rounding: bending a metre of this rod by 1e-7 rad takes 1e-15 J.
            assert!(world.energy().elastic() < 1e-14, "{:e}", world.energy().elastic());
            assert!(force(world, "joint").moment.length() < 1e-7);
            let expected = exp(DVec3::from_array(rotation) * simulation.time()) * DVec3::new(1.0, 1.0, 0.0);
            assert!((at(world, "b", 1.0) - expected).length() < 1e-7);
        }
    }
}

#[test]
fn the_papers_rows_of_a_rigid_fusion_resist_a_rotation_of_the_whole() {
    let mut simulation = angle_piece("paper", [0.0, 0.0, 1.2]);
    // Turned as a whole about the first rod, x' of the second changes by 2 sin(φ/2) |x'|; across both, so do
    // both.
    let joint = constraint(simulation.world(), "joint");
    for angle in [0.3, FRAC_PI_2, PI] {
        for (axis, both) in [(DVec3::X, 1.0), (DVec3::Z, 2.0_f64.sqrt())] {
            let mut turned = simulation.world().sites(joint).expect("the joint");
            let turn = exp(axis * angle);
            for site in &mut turned {
                (site.p, site.t, site.m1, site.m2) =
                    (turn * site.p, turn * site.t, turn * site.m1, turn * site.m2);
            }
            let miss = simulation.world().structure().constraints[joint].law.miss(
                &turned,
                &simulation.world().state().constraints[joint],
                0.0,
            );
            let expected = 2.0 * (0.5 * angle).sin() * both * turned[1].l;
            assert!((miss - expected).abs() < 1e-12, "{miss} at {angle}");
        }
    }
    for _ in 0..10 {
        let report = simulation.step(&NoClock);
        assert!(report.converged, "{report:?}");
    }
    // The rods keep their directions at the joint, and the first is bent back by 1.2 rad: B φ²/2L, were it
    // free at its end.
    let bent = 0.5 * 0.5 * 1.2 * 1.2;
    assert!(
        simulation.world().energy().elastic() > 0.9 * bent,
        "{:e} of {bent:e}",
        simulation.world().energy().elastic()
    );
}

const BEND: f64 = 0.3;
const LENGTH: f64 = 1.4;

/// A rod whose ends are joined, held in the middle. It begins as an arc of 300°.
fn loop_of_rod(joint: Value) -> Simulation {
    let angle = 300.0_f64.to_radians();
    let mut fusion = json!({"on": "rod", "at": "end", "to": {"on": "rod", "at": "start"}});
    fusion.as_object_mut().expect("fields").extend(joint.as_object().expect("fields").clone());
    equilibrium(json!({
        "rod": {"rod": {
            "shape": {"arc": {"from": [0, 0, 0], "tangent": [1, 0, 0], "towards": [0, 0, 1],
                "radius": LENGTH / angle, "angle": angle}},
            "stiffness": {"stretch": 1e6, "bend": BEND, "twist": BEND}, "mass_per_length": 0.1,
                "segments": 32, "natural": "straight",
        }},
        "constraint": {"joint": {"fusion": fusion}, "grip": {"clamp": {"on": "rod", "at": "middle"}}},
        "settings": {"mode": "static", "gravity": [0, 0, 0]},
    }))
}

#[test]
fn a_rod_that_is_fused_to_itself_rigidly_is_a_ring() {
    // From x towards z it turns about −y; the joint turns the last 60°.
    let ring = loop_of_rod(json!({"hold": "rigid", "angle": 60.0_f64.to_radians(), "axis": [0, -1, 0]}));
    let world = ring.world();
    let energy = world.energy();
    // A closed circle: ½ B (2π/L)² L. 32 cubic segments bend it to 1e-5 of that.
    assert!(off(energy.bend, 2.0 * PI * PI * BEND / LENGTH) < 1e-4, "{}", energy.bend);
    assert!(energy.stretch + energy.twist < 1e-9);
    let points: Vec<DVec3> = (0..16).map(|k| at(world, "rod", f64::from(k) / 16.0)).collect();
    let centre = points.iter().sum::<DVec3>() / 16.0;
    for x in points {
        assert!(off(x.distance(centre), LENGTH / (2.0 * PI)) < 1e-4, "{}", x.distance(centre));
    }
    // The same holds for a ring, a rod without ends.
    let closed = equilibrium(json!({
        "rod": {"rod": {"shape": {"ring": {"centre": [0, 0, 0], "radius": LENGTH / (2.0 * PI)}},
                        "stiffness": {"stretch": 1e6, "bend": BEND, "twist": BEND}, "mass_per_length": 0.1,
                            "segments": 32}},
        "constraint": {"grip": {"clamp": {"on": "rod", "at": "middle"}}},
        "settings": {"mode": "static", "gravity": [0, 0, 0]},
    }));
    assert!(off(energy.bend, closed.world().energy().bend) < 1e-4);
    // The joint transmits the bending moment of the circle, and no force.
    let joint = force(world, "joint");
    assert!(off(joint.moment.length(), 2.0 * PI * BEND / LENGTH) < 1e-2, "{}", joint.moment);
    assert!(joint.force.length() < 1e-2 * BEND / (LENGTH * LENGTH), "{}", joint.force);
}

/// Complete elliptic integrals K and E of parameter m, by the arithmetic-geometric mean.
fn elliptic(m: f64) -> [f64; 2] {
    let (mut a, mut b, mut c) = (1.0_f64, (1.0 - m).sqrt(), m.sqrt());
    let (mut sum, mut power) = (0.5 * c * c, 0.5);
    while c.abs() > 1e-15 {
        (a, b, c) = (0.5 * (a + b), (a * b).sqrt(), 0.5 * (a - b));
        power *= 2.0;
        sum += power * c * c;
    }
    let k = FRAC_PI_2 / a;
    [k, k * (1.0 - sum)]
}

#[test]
fn a_rod_whose_ends_are_joined_at_a_point_is_eulers_teardrop() {
    let drop = loop_of_rod(json!({"hold": "point"}));
    let world = drop.world();
    // The elastica between two inflections that meet: 2E(m) = K(m).
    let (mut low, mut high) = (0.5, 0.99);
    for _ in 0..60 {
        let m = 0.5 * (low + high);
        let [k, e] = elliptic(m);
        if 2.0 * e > k { low = m } else { high = m }
    }
    let [k, _] = elliptic(low);
    let force_of_end = BEND * (2.0 * k / LENGTH).powi(2);
    let energy = 8.0 * BEND * k * k / LENGTH * (low - 0.5);
    let opening = 4.0 * low.sqrt().asin() - PI;
    // 32 cubic segments, most curved opposite the joint.
    assert!(off(world.energy().bend, energy) < 1e-3, "{} for {energy}", world.energy().bend);
    assert!(
        off(force(world, "joint").force.length(), force_of_end) < 1e-3,
        "{}",
        force(world, "joint").force
    );
    assert!(force(world, "joint").moment.length() < 1e-12);
    let rod = object(world, "rod");
    let tangent = |s: f64| world.section(rod, s).expect("a rod").tangent;
    let angle = tangent(0.0).angle_between(-tangent(LENGTH));
    assert!((angle - opening).abs() < 1e-2, "{angle} for {opening}");
    // Symmetric about the middle, and flat.
    for s in [0.1, 0.25, 0.4] {
        let (left, right, joint) = (at(world, "rod", s), at(world, "rod", 1.0 - s), at(world, "rod", 0.0));
        assert!((left.distance(joint) - right.distance(joint)).abs() < 1e-6);
        assert!(left.y.abs() + right.y.abs() < 1e-6);
    }
}

/// Every constraint that can hold two free rods together which touch, as they fly. The second one's place is
/// at 40 %.
fn inner_constraints() -> Vec<(&'static str, Value)> {
    let to = json!({"on": "b", "at": "40 %"});
    let place = |fields: Value| {
        let mut all = json!({"on": "a", "at": "60 %", "to": to});
        all.as_object_mut().expect("fields").extend(fields.as_object().expect("fields").clone());
        all
    };
    vec![
        ("distance", json!({"distance": {"on": "a", "at": "90 %", "to": to}})),
        ("plane", json!({"plane": {"on": "a", "at": "60 %", "normal": [0, 0.3, 1], "to": to}})),
        ("axis", json!({"axis": {"on": "a", "at": "60 %", "direction": [0, 0.3, 1], "to": to}})),
        ("tangent", json!({"tangent": place(json!({}))})),
        ("roll", json!({"roll": place(json!({}))})),
        ("point", json!({"fusion": place(json!({}))})),
        ("roll fusion", json!({"fusion": place(json!({"hold": "roll"}))})),
        ("rigid", json!({"fusion": place(json!({"hold": "rigid"}))})),
        ("keyhole", json!({"keyhole": place(json!({}))})),
        ("viscous keyhole", json!({"keyhole": place(json!({"viscosity": 0.5}))})),
        ("oriented keyhole", json!({"keyhole": place(json!({"direction": [1, 0, 0]}))})),
        ("crossing", json!({"keyhole": place(json!({"crossing": true}))})),
    ]
}

/// Two rods in the air that fly together and bend, joined: nothing jumps when they start.
fn free_pair(constraints: Value, step: f64, integrator: &str, solves: usize) -> Simulation {
    let rod = |from: [f64; 3], to: [f64; 3], curvature: f64| {
        // Thin, so that rolling about itself carries next to no angular momentum.
        json!({"shape": {"line": {"from": from, "to": to}},
            "stiffness": {"stretch": 1e5, "bend": 0.02, "twist": 0.02}, "mass_per_length": 0.3,
               "segments": 16, "damping": {"internal": 0.005}, "velocity": [0.3, 0.1, 0.5],
                   "natural": {"curved": {"curvature_1": curvature, "curvature_2": 1.0}}})
    };
    build(json!({
        "rod": {"a": rod([0.0, 0.0, 0.0], [1.0, 0.0, 0.0], 2.0),
            "b": rod([0.6, -0.4, -0.12], [0.6, 0.6, 0.18], -1.0)},
        "constraint": constraints,
        "settings": {"gravity": [0, 0, 0], "step": step, "integrator": integrator, "solves": solves,
            "hessian": "exact"},
    }))
}

/// Σ x × M v about the origin, kg·m²/s, without what rolling adds.
fn angular_momentum(world: &World) -> DVec3 {
    let state = world.state();
    let mut impulse = vec![0.0; state.v.len()];
    for object in &world.structure().objects {
        let (own, range) = (object.own(&state.q, &state.frames), object.unknowns());
        object.model().add_mass_times(own, &state.v[range.clone()], &mut impulse[range]);
    }
    let vector = |x: &[f64]| DVec3::new(x[0], x[1], x[2]);
    let orbital: DVec3 =
        state.q.chunks_exact(4).zip(impulse.chunks_exact(4)).map(|(x, p)| vector(x).cross(vector(p))).sum();
    let mut spin = DVec3::ZERO;
    for object in world.structure().objects.iter().filter(|object| object.rod().is_some()) {
        let (q, p) = (&state.q[object.unknowns()], &impulse[object.unknowns()]);
        let last = object.nodes() - 1;
        for i in 0..=last {
            let node = |i: usize| vector(&q[4 * i..]);
            spin += (node((i + 1).min(last)) - node(i.saturating_sub(1))).normalize() * p[4 * i + 3];
        }
    }
    orbital + spin
}

#[test]
fn a_free_pair_keeps_its_momentum_and_to_second_order_its_angular_momentum() {
    let drift = |name: &str, held: &Value, step: f64| {
        let mut simulation = free_pair(json!({"c": held}), step, "bdf2", 8);
        let (before, turning) = (momentum(simulation.world()), angular_momentum(simulation.world()));
        let miss = worst_miss(&mut simulation, 0.4);
        assert!(miss < 1e-8, "{name}: {miss:e}");
        let after = momentum(simulation.world());
        // Inner forces cancel to rounding in every step.
        assert!((after - before).length() < 1e-12 * before.length(), "{name}: {before} and {after}");
        (angular_momentum(simulation.world()) - turning).length() / turning.length()
    };
    let mut of_forces = 0;
    for (name, held) in inner_constraints() {
        let (coarse, fine) = (drift(name, &held, 4e-3), drift(name, &held, 2e-3));
        if ["distance", "axis", "point", "keyhole", "viscous keyhole", "crossing"].contains(&name) {
            assert!(coarse / fine > 3.4, "{name}: {coarse:e}, {fine:e}");
            of_forces += 1;
        }
        // Where a moment acts at a place its rod's curvature has a jump, and rolls that turn with the
        // tangents are splines only up to that: 2e-5 with segments of 0.06 m, 5e-6 with segments of 0.016 m.
        assert!(fine < 5e-5, "{name}: {fine:e}");
    }
    assert_eq!(of_forces, 6);
    // Not so the papers' rows.
    let paper = json!({"fusion": {"on": "a", "at": "60 %", "to": {"on": "b", "at": "40 %"}, "hold": "rigid",
        "rows": "paper"}});
    assert!(drift("paper", &paper, 2e-3) > 1e-2);
}

#[test]
fn the_same_inner_constraint_given_twice_moves_the_same() {
    // Two eyes rub twice.
    for (name, held) in inner_constraints().into_iter().filter(|(name, _)| *name != "viscous keyhole") {
        let mut once = free_pair(json!({"c": held}), 0.005, "euler", 2);
        let mut twice = free_pair(json!({"c": held, "d": held}), 0.005, "euler", 2);
        let mut redundant = 0;
        for _ in 0..60 {
            let (one, two) = (once.step(&NoClock), twice.step(&NoClock));
            assert!(!one.held && !two.held, "{name}: {one:?}, {two:?}");
            redundant += two.redundant_rows;
        }
        assert!(redundant > 0, "{name}: the second one should add nothing");
        let q = [once.world(), twice.world()].map(|world| &world.state().q);
        let apart = q[0].iter().zip(q[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(apart < 1e-9, "{name}: {apart:e}");
        // The two share the force.
        let [c, d, alone] = [force(twice.world(), "c"), force(twice.world(), "d"), force(once.world(), "c")];
        assert!((c.force + d.force - alone.force).length() < 1e-6 * (1.0 + alone.force.length()), "{name}");
    }
}

/// A rope over an eye, pulled down at its end.
fn pulley(segments: usize) -> Simulation {
    equilibrium(json!({
        "rod": {"rope": {"shape": {"line": {"from": [-1, 0, 0], "to": [1, 0, 0]}},
            "stiffness": {"stretch": 1e4, "bend": 0.05, "twist": 0.05},
                         "mass_per_length": 0.1, "segments": segments}},
        "constraint": {
            "hook": {"position": {"on": "rope", "at": "start"}},
            "eye": {"keyhole": {"on": "rope", "at": "middle", "target": [0, 0, 0]}},
            "flat": {"roll": {"on": "rope", "at": "start"}},
        },
        "load": {"weight": {"force": {"on": "rope", "at": "end", "force": [0, 0, -5]}}},
        "settings": {"mode": "static", "gravity": [0, 0, 0]},
    }))
}

#[test]
fn a_cable_has_the_same_tension_on_both_sides_of_a_frictionless_eye() {
    let difference = |segments: usize| {
        let simulation = pulley(segments);
        let world = simulation.world();
        let eye = world.sites(constraint(world, "eye")).expect("the eye")[0];
        let (push, hook) = (force(world, "eye").force, force(world, "hook").force);
        assert!(push.length() > 3.0, "{push}");
        // The eye's own equation, to Newton's last increment.
        assert!(push.dot(eye.t).abs() < 1e-8 * push.length(), "{:e}", push.dot(eye.t));
        let load = DVec3::new(0.0, 0.0, -5.0);
        assert!((push + hook + load).length() < 1e-6, "{}", push + hook + load);
        // N·t + B κ²/2 is the same along the whole rope, and so is N·t at its ends, where nothing bends it.
        let rope = object(world, "rope");
        let (first, last) = (
            world.section(rope, 0.0).expect("a rod").tangent,
            world.section(rope, 2.0).expect("a rod").tangent,
        );
        off(-hook.dot(first), load.dot(last))
    };
    // The shear jumps at the eye within a segment, which a cubic doesn't follow.
    let (coarse, fine) = (difference(40), difference(160));
    assert!(coarse < 2e-2 && fine < 2e-3, "{coarse:e}, {fine:e}");
}

#[test]
fn a_viscous_eye_pulled_at_by_2_n_slides_at_half_a_metre_per_second() {
    let mut simulation = build(json!({
        "rod": {"rod": {"shape": {"line": {"from": [-1, 0, 0], "to": [1, 0, 0]}},
            "stiffness": {"stretch": 1e6, "bend": 1, "twist": 1},
                        "mass_per_length": 0.05, "segments": 10, "damping": {"internal": 0.01}}},
        "constraint": {"eye": {"keyhole": {"on": "rod", "at": "70 %", "viscosity": 4}}},
        "load": {"pull": {"force": {"on": "rod", "at": "end", "force": [2, 0, 0]}}},
        "settings": {"gravity": [0, 0, 0], "step": 0.005},
    }));
    for _ in 0..200 {
        simulation.step(&NoClock);
    }
    let world = simulation.world();
    // m/c = 0.025 s: after 1 s what is left of the start is 1e-17. Behind the eye the rod is shorter by 2 N/1
    // MN.
    for s in [0.0, 1.0, 2.0] {
        let v = crate::common::velocity(world, "rod", s);
        assert!((v - DVec3::X * 0.5).length() < 2e-6, "{v}");
    }
    assert!((force(world, "eye").force + DVec3::X * 2.0).length() < 1e-6, "{}", force(world, "eye").force);
}

#[test]
fn ropes_that_cross_push_each_other_across_both_of_them() {
    let simulation = crossing_ropes(&json!({}));
    let world = simulation.world();
    let [a, b] = world.sites(constraint(world, "cross")).expect("the crossing");
    let push = force(world, "cross").force;
    assert!(push.length() > 1.0, "{push}");
    assert!(a.x.distance(b.x) < 1e-8);
    for t in [a.t, b.t] {
        // Stationarity in both parameters, to Newton's last increment.
        assert!(push.dot(t).abs() < 1e-8 * push.length(), "{:e}", push.dot(t));
    }
    // Both have slid.
    let start = [9.6, 8.0];
    for e in 0..ENDS {
        let slid = world.state().constraints[constraint(world, "cross")].own[e] - start[e];
        assert!(slid.abs() > 0.05, "{slid}");
    }
}

#[test]
fn an_eye_passes_knots_without_a_jump_in_its_force() {
    let mut simulation = build(json!({
        "rod": {"rod": {"shape": {"line": {"from": [-1, 0, 0], "to": [1, 0, 0]}},
            "stiffness": {"stretch": 1e4, "bend": 1, "twist": 1},
                        "mass_per_length": 0.1, "segments": 16}},
        "constraint": {
            "grip": {"clamp": {"on": "rod", "at": "start",
                "displacement": {"ramp": {"from": [0, 0, 0], "to": [-0.7, 0, 0], "end": 1}}}},
            "eye": {"keyhole": {"on": "rod", "at": "middle", "target": [0, 0, 0.1]}},
        },
        "settings": {"mode": "static", "step": 0.0025, "gravity": [0, 0, 0]},
    }));
    let eye = constraint(simulation.world(), "eye");
    let read = |simulation: &Simulation| {
        (simulation.world().state().constraints[eye].own[0], force(simulation.world(), "eye").force)
    };
    simulation.step(&NoClock);
    let mut history = vec![read(&simulation)];
    while history.len() < 400 {
        let report = simulation.step(&NoClock);
        assert!(report.converged, "{report:?}");
        history.push(read(&simulation));
    }
    // Second differences: of a smooth force they are of second order in the stride of 0.014 segments, of a
    // jump they are the jump.
    let (mut inside, mut across, mut knots) = (0.0_f64, 0.0_f64, 0);
    for three in history.windows(3) {
        let change = (three[2].1 - three[1].1 * 2.0 + three[0].1).length();
        if three[0].0.floor() == three[2].0.floor() {
            inside = inside.max(change);
        } else {
            across = across.max(change);
            knots += 1;
        }
    }
    assert!(knots >= 8, "{knots}");
    assert!(across < 3.0 * inside, "{across:e} at knots, {inside:e} inside");
}

#[test]
fn rod_sliding_through_eyes_continues_with_the_same_bits_after_a_restore() {
    // Where the ring, across the rope, passes it.
    let ring = json!({"shape": {"ring": {"centre": [0, 0, 0.3], "normal": [1, 0, 0], "radius": 0.3}},
        "stiffness": {"stretch": 1e3, "bend": 0.01, "twist": 0.01},
                      "mass_per_length": 0.1, "segments": 12});
    let alone = build(json!({"rod": {"ring": ring}}));
    let share = |k: i32| f64::from(k) / 48.0;
    let height = |k: &i32| at(alone.world(), "ring", share(*k)).length();
    let lowest =
        (0..48).min_by(|a, b| height(a).total_cmp(&height(b))).map(share).expect("a ring has places");
    for (integrator, solves) in [("euler", 1), ("bdf2", 3)] {
        let description = scene(json!({
            "rod": {
                "rope": {"shape": {"line": {"from": [-1, 0, 0], "to": [1, 0, 0]}},
                    "stiffness": {"stretch": 1e3, "bend": 0.01, "twist": 0.01},
                         "mass_per_length": 0.1, "segments": 30, "velocity": [1.2, 0, 0]},
                "ring": ring,
            },
            "constraint": {
                "eye": {"keyhole": {"on": "rope", "at": "80 %", "viscosity": 0.01}},
                "link": {"keyhole": {"on": "rope", "at": "50 %",
                    "to": {"on": "ring", "at": format!("{} %", 100.0 * lowest)}, "crossing": true}},
            },
            "load": {"pull": {"force": {"on": "rope", "at": "end", "force": [0.5, 0, 0]}},
                     "aside": {"distributed": {"on": "ring", "from": "start", "to": "end",
                         "force": [0, 0.5, 0]}}},
            "settings": {"step": 0.005, "integrator": integrator, "solves": solves, "duration": 1},
        }));
        let mut simulation = Simulation::build(&description).expect("a rope through two eyes");
        let windows = |world: &World| world.state().constraints.iter().map(|c| c.window).collect::<Vec<_>>();
        let (mut moved, mut last) = (0, windows(simulation.world()));
        for round in 0..8 {
            let bytes = simulation.snapshot(&description);
            let (mut restored, _) = Simulation::restore(&bytes).expect("an undamaged snapshot");
            for step in 0..10 {
                let report = simulation.step(&NoClock);
                assert!(!report.held, "{report:?}");
                restored.step(&NoClock);
                assert!(
                    bits(restored.world()) == bits(simulation.world()),
                    "{integrator}: {step} steps after restore {round}"
                );
                let now = windows(simulation.world());
                moved += usize::from(now != last);
                last = now;
            }
        }
        assert!(moved >= 6, "{integrator}: {moved} windows");
        let on_their_rods = simulation
            .world()
            .state()
            .constraints
            .iter()
            .all(|c| c.own.iter().all(|u| (0.0..30.0).contains(u)));
        assert!(on_their_rods, "nothing has slipped out");
    }
}

#[test]
fn relative_constraints_and_the_objects_at_their_ends_are_identified() {
    let simulation = double_pendulum(1e-3, "euler", 1);
    let constraints = &simulation.world().structure().constraints;
    assert!(!constraints[0].is_relative() && constraints[1].is_relative());
    assert_eq!(constraints[0].ends[1], End::World);
    // The force on the second mass points at the first.
    let mut simulation = simulation;
    simulation.step(&NoClock);
    let (a, b) = (position(simulation.world(), "a"), position(simulation.world(), "b"));
    let pull = force(simulation.world(), "second").force;
    assert!(pull.cross(a - b).length() < 1e-3 * pull.length().max(1.0));
}

#[test]
fn statics_lets_a_rope_slide_through_an_eye_over_many_segments() {
    // The weight at its end pulls the slack of a rope through the eye: far beyond any window of the pattern.
    let mut simulation = build(json!({
        "rod": {"rope": {"radius": 0.002, "young": 1e7, "density": 1100, "segments": 40,
                "shape": {"points": {"through": [[-0.1, 0, 0.2], [-0.162, 0, -0.008], [-0.231, 0, -0.237],
                    [-0.285, 0, -0.423], [-0.3, 0, -0.5], [-0.258, 0, -0.402], [-0.175, 0, -0.181],
                    [-0.08, 0, 0.055], [0, 0, 0.2], [0.059, 0, 0.223], [0.113, 0, 0.181], [0.159, 0, 0.099],
                    [0.2, 0, 0], [0.232, 0, -0.122], [0.256, 0, -0.275], [0.277, 0, -0.441],
                    [0.3, 0, -0.6]]}}}},
        "constraint": {"eye": {"keyhole": {"on": "rope", "at": "62 %"}},
            "a": {"position": {"on": "rope", "at": "start"}}},
        "load": {"w": {"force": {"on": "rope", "at": "end", "force": [0, 0, -0.3]}}},
        "settings": {"mode": "static", "step": 1.0, "duration": 1.0},
    }));
    let eye = constraint(simulation.world(), "eye");
    let before = simulation.world().sliding_place(eye).expect("an eye");
    let report = simulation.step(&NoClock);
    assert!(report.converged && report.residual < 1e-9, "{report:?}");
    let slid = (simulation.world().sliding_place(eye).expect("an eye") - before).abs();
    // Five segments of 6 cm are one window.
    assert!(slid > 0.35, "{slid}");
}

#[test]
fn a_mast_falls_freely_along_a_path_on_a_rail_that_also_guides_its_top() {
    // Both constraints join the same two rods, at places in either order along the rail.
    for guide in ["10 %", "90 %"] {
        let mut simulation = build(json!({
            "rod": {
                "rail": {"shape": {"line": {"from": [-0.5, 0, 0], "to": [0.5, 0, 0]}}, "radius": 0.01,
                    "young": 1e9, "density": 1000, "segments": 8},
                "mast": {"shape": {"line": {"from": [0, 0, 0], "to": [0, 0, 0.5]}}, "radius": 0.01,
                    "young": 1e9, "density": 1000, "segments": 4}},
            "constraint": {
                "left": {"clamp": {"on": "rail", "at": "start"}},
                "right": {"clamp": {"on": "rail", "at": "end"}},
                "path": {"trajectory": {"on": "mast", "at": "start", "to": {"on": "rail", "at": "50 %"},
                    "path": {"line": {"from": [0, 0, 0.2], "to": [0, 0, -1]}}}},
                "guide": {"plane": {"on": "mast", "at": "end", "normal": [0, 1, 0],
                    "to": {"on": "rail", "at": guide}}}},
            "settings": {"step": 0.01},
        }));
        let miss = worst_miss(&mut simulation, 0.3);
        assert!(miss < 1e-9, "{guide}: {miss:e}");
        let world = simulation.world();
        let mast = world.structure().objects.iter().find(|object| object.name == "mast").expect("a mast");
        for s in [0.0, 0.5] {
            let x = world.section(mast, s).expect("a place").position;
            // The path is vertical and without friction: 30 steps of Euler's rule under gravity alone.
            let expected = DVec3::Z * (s - 9.81 * 1e-4 * 30.0 * 31.0 / 2.0);
            assert!(x.distance(expected) < 1e-9, "{guide}: {x} instead of {expected}");
        }
    }
}
