//! The discrete elastic rod: derivatives, invariances, and the mechanics of bent and twisted rods.

mod common;

use common::{at, build, equilibrium, force};
use glam::{DMat3, DQuat, DVec3};
use micado::linalg::{Arithmetic, BlockMatrix, NodeKind, Pattern};
use micado::rod::discrete::{DiscreteRod, LaidDiscrete};
use micado::rod::spline::{Linearisation, Tangent};
use micado::rod::{Damping, Natural, RodDescription};
use nalgebra::{DMatrix, DVector};
use serde_json::json;

/// Numbers without a pattern.
struct Noise(u64);

impl Noise {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    }
}

fn description(shape: serde_json::Value, natural: Natural) -> RodDescription {
    RodDescription {
        natural,
        damping: Damping { internal: 0.0, mass: 0.0 },
        ..serde_json::from_value(json!({"model": "discrete-elastic", "shape": shape, "segments": 7,
            "stiffness": {"stretch": 40.0, "bend": 1.3, "bend_2": 0.6, "twist": 0.8}, "mass_per_length": 0.3}))
        .expect("a rod")
    }
}

fn shapes() -> Vec<(&'static str, RodDescription)> {
    let line = json!({"line": {"from": [0, 0, 0], "to": [1, 0.2, 0]}});
    let helix = json!({"helix": {"centre": [0, 0, 0], "radius": 0.3, "pitch": 0.2, "turns": 0.8}});
    let ring = json!({"ring": {"centre": [0, 0, 0], "radius": 0.3}});
    vec![
        ("line", description(line, Natural::Straight)),
        ("helix", description(helix.clone(), Natural::Straight)),
        ("natural helix", description(helix, Natural::AsShaped)),
        ("ring", RodDescription { twist: 1.7, ..description(ring, Natural::Straight) }),
    ]
}

/// The laid rod moved at random, with frames that came along.
fn moved(laid: &LaidDiscrete, size: f64, noise: &mut Noise) -> (Vec<f64>, Vec<f64>) {
    let (mut q, mut frames) = (laid.q.clone(), laid.frames.clone());
    for k in 0..q.len() {
        q[k] += if k % 4 == 3 { 10.0 * size } else { size } * noise.next();
    }
    laid.rod.transport_frames(&q, &mut frames);
    (q, frames)
}

fn how(tangent: Tangent) -> Linearisation<'static> {
    Linearisation { tangent, mass: 0.0, viscosity: 0.0, strain_before: None, arithmetic: Arithmetic::Portable }
}

fn matrix_of(rod: &DiscreteRod) -> BlockMatrix {
    let mut pattern = Pattern::new();
    (0..rod.nodes()).for_each(|_| {
        pattern.add_node(NodeKind::Primal);
    });
    let n = rod.nodes();
    for i in 0..n {
        for k in 1..=2 {
            if rod.is_closed() || i + k < n {
                let j = (i + k) % n;
                pattern.connect(i.min(j) as u32, i.max(j) as u32);
            }
        }
    }
    BlockMatrix::new(&pattern)
}

fn linearised(rod: &DiscreteRod, q: &[f64], frames: &[f64], tangent: Tangent) -> (DMatrix<f64>, DVector<f64>) {
    let (mut matrix, mut force) = (matrix_of(rod), vec![0.0; q.len()]);
    rod.linearise(q, frames, &how(tangent), 0, &mut matrix, &mut force);
    let n = q.len();
    let mut dense = DMatrix::zeros(n, n);
    for i in 0..rod.nodes() {
        for (slot, &j) in (matrix.row_start(i)..).zip(matrix.row_nodes(i)) {
            for r in 0..4 {
                for c in 0..4 {
                    dense[(4 * i + r, 4 * j as usize + c)] = matrix.values()[slot][4 * r + c];
                    dense[(4 * j as usize + c, 4 * i + r)] = matrix.values()[slot][4 * r + c];
                }
            }
        }
    }
    if !rod.is_closed() {
        // The angle that the last vertex does not have.
        dense[(n - 1, n - 1)] = 0.0;
    }
    (dense, -DVector::from_vec(force))
}

/// Energy at a state that frames are carried to from the present one.
fn energy(rod: &DiscreteRod, q: &[f64], frames: &[f64]) -> f64 {
    let mut frames = frames.to_vec();
    rod.transport_frames(q, &mut frames);
    rod.energy(q, &frames).total()
}

#[test]
fn gradient_and_second_derivative_are_those_of_the_energy() {
    let mut noise = Noise(7);
    let mut checks = 0;
    for (name, description) in shapes() {
        let laid = DiscreteRod::build(&description).unwrap();
        for size in [0.0, 1e-3, 0.03] {
            let (q, frames) = moved(&laid, size, &mut noise);
            let (hessian, gradient) = linearised(&laid.rod, &q, &frames, Tangent::Exact);
            let scale = hessian.amax();
            let n = q.len();
            let d = 1e-5;
            let at = |moves: &[(usize, f64)]| {
                let mut q = q.clone();
                moves.iter().for_each(|&(k, d)| q[k] += d);
                energy(&laid.rod, &q, &frames)
            };
            for i in 0..n {
                let difference = (8.0 * (at(&[(i, d)]) - at(&[(i, -d)])) - (at(&[(i, 2.0 * d)]) - at(&[(i, -2.0 * d)]))) / (12.0 * d);
                assert!((gradient[i] - difference).abs() < 1e-9 * scale, "{name} {size}: {i}: {} {difference}", gradient[i]);
                checks += 1;
            }
            // Gradients in carried frames are a field that is not integrable, because carrying round a loop turns a frame; the second
            // derivative along any straight line is the symmetric part of its derivative.
            let slope = |k: usize, d: f64| {
                let (mut q, mut frames) = (q.clone(), frames.clone());
                q[k] += d;
                laid.rod.transport_frames(&q, &mut frames);
                linearised(&laid.rod, &q, &frames, Tangent::GaussNewton).1
            };
            let h = 1e-4;
            let columns: Vec<DVector<f64>> =
                (0..n).map(|k| ((slope(k, h) - slope(k, -h)) * 8.0 - (slope(k, 2.0 * h) - slope(k, -2.0 * h))) / (12.0 * h)).collect();
            for i in 0..n {
                for j in i..n {
                    let second = 0.5 * (columns[i][j] + columns[j][i]);
                    assert!((hessian[(i, j)] - second).abs() < 1e-8 * scale, "{name} {size}: {i} {j}: {} {second}", hessian[(i, j)]);
                    checks += 1;
                }
            }
        }
    }
    assert_eq!(checks, 3 * (3 * (36 + 36 * 37 / 2) + 28 + 28 * 29 / 2), "all were made");
}

#[test]
fn gauss_newton_and_psd_have_no_negative_eigenvalue() {
    let mut noise = Noise(3);
    for (name, description) in shapes() {
        let laid = DiscreteRod::build(&description).unwrap();
        let (q, frames) = moved(&laid, 0.03, &mut noise);
        for tangent in [Tangent::GaussNewton, Tangent::Psd] {
            let (hessian, _) = linearised(&laid.rod, &q, &frames, tangent);
            let scale = hessian.amax();
            let least = hessian.symmetric_eigenvalues().min();
            assert!(least > -1e-12 * scale, "{name} {tangent:?}: {least}");
        }
    }
}

#[test]
fn a_motion_as_a_whole_changes_no_energy_and_internal_forces_balance() {
    let mut noise = Noise(11);
    for (name, description) in shapes() {
        let laid = DiscreteRod::build(&description).unwrap();
        let (q, frames) = moved(&laid, 0.03, &mut noise);
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.3, -1.5, 2.0)));
        let (mut turned, mut turned_frames) = (q.clone(), frames.clone());
        for x in turned.chunks_exact_mut(4) {
            let moved = turn * DVec3::from_slice(x) + DVec3::new(0.1, 2.0, -0.4);
            x[..3].copy_from_slice(&moved.to_array());
        }
        // Tangent, director and reference twist of each edge.
        for frame in turned_frames.chunks_exact_mut(7) {
            let (t, d1) = (turn * DVec3::from_slice(frame), turn * DVec3::from_slice(&frame[3..]));
            frame[..3].copy_from_slice(&t.to_array());
            frame[3..6].copy_from_slice(&d1.to_array());
        }
        let (before, after) = (laid.rod.energy(&q, &frames).total(), laid.rod.energy(&turned, &turned_frames).total());
        assert!((after - before).abs() < 1e-10 * before, "{name}: {before} {after}");
        let (_, gradient) = linearised(&laid.rod, &q, &frames, Tangent::Exact);
        let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        for (i, (g, x)) in gradient.as_slice().chunks_exact(4).zip(q.chunks_exact(4)).enumerate() {
            force += DVec3::from_slice(g);
            // The force of an angle is a torque about its edge.
            let t = DVec3::from_slice(&frames[7 * i..]);
            moment += DVec3::from_slice(x).cross(DVec3::from_slice(g)) + t * g[3];
        }
        assert!(force.length() < 1e-11 * gradient.amax(), "{name}: {force}");
        assert!(moment.length() < 1e-11 * gradient.amax(), "{name}: {moment}");
    }
}

#[test]
fn the_reference_twist_is_that_of_its_frames_after_many_moves() {
    let mut noise = Noise(5);
    for (name, description) in shapes() {
        let laid = DiscreteRod::build(&description).unwrap();
        let (mut q, mut frames) = (laid.q.clone(), laid.frames.clone());
        for _ in 0..3000 {
            for k in (0..q.len()).filter(|k| k % 4 < 3) {
                q[k] = laid.q[k] + 0.6 * (q[k] - laid.q[k]) + 0.03 * noise.next();
            }
            laid.rod.transport_frames(&q, &mut frames);
        }
        assert!(laid.rod.reference_twist_error(&frames) < 1e-12, "{name}");
    }
}

/// A cantilever of length 1 and bending stiffness 1 with a load at its tip.
fn cantilever(model: &str, segments: usize, load: f64) -> DVec3 {
    let simulation = equilibrium(json!({
        "rod": {"beam": {"model": model, "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "segments": segments,
            "stiffness": {"stretch": 1e6, "bend": 1.0, "twist": 1.0}, "mass_per_length": 1.0}},
        "constraint": {"wall": {"clamp": {"on": "beam", "at": "start"}}},
        "load": {"tip": {"force": {"on": "beam", "at": "end", "force": [0, 0, -load]}}},
        "settings": {"gravity": [0, 0, 0], "mode": "static"},
    }));
    at(simulation.world(), "beam", 1.0)
}

#[test]
fn a_loaded_cantilever_bends_like_the_elastica_to_second_order() {
    // Tip of the elastica for P L²/EI = 3 and 10.
    let tips = [(3.0, DVec3::new(0.745_580, 0.0, -0.603_253), 5e-4), (10.0, DVec3::new(0.445_004, 0.0, -0.810_609), 1e-3)];
    for (load, exact, tolerance) in tips {
        let error = |segments: usize| cantilever("discrete-elastic", segments, load).distance(exact);
        let (coarse, fine) = (error(20), error(40));
        assert!(fine < tolerance, "P = {load}: {fine}");
        assert!((3.3..4.7).contains(&(coarse / fine)), "P = {load}: {coarse} {fine}");
    }
}

#[test]
fn a_clamp_carries_weight_and_moment_of_a_heavy_rod() {
    let simulation = equilibrium(json!({
        "rod": {"beam": {"model": "discrete-elastic", "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}, "segments": 40,
            "stiffness": {"stretch": 1e5, "bend": 5.0, "twist": 1.0}, "mass_per_length": 0.2}},
        "constraint": {"wall": {"clamp": {"on": "beam", "at": "start"}}},
        "settings": {"mode": "static"},
    }));
    let world = simulation.world();
    let wall = force(world, "wall");
    assert!((wall.force - DVec3::new(0.0, 0.0, 0.2 * 9.81)).length() < 1e-8, "{:?}", wall.force);
    // The moment of the weight about the wall, from where the rod is.
    let weight = |share: f64| at(world, "beam", share).x * 0.2 * 9.81;
    let moment: f64 = (0..400).map(|i| weight((f64::from(i) + 0.5) / 400.0) / 400.0).sum();
    assert!((wall.moment.length() - moment).abs() < 2e-4 * moment, "{:?} {moment}", wall.moment);
}

#[test]
fn a_turned_end_twists_a_straight_rod_evenly() {
    let mut simulation = build(json!({
        "rod": {"shaft": {"model": "discrete-elastic", "shape": {"line": {"from": [0, 0, 0], "to": [2, 0, 0]}}, "segments": 20,
            "stiffness": {"stretch": 1e5, "bend": 50.0, "twist": 0.8}, "mass_per_length": 0.2}},
        "constraint": {"left": {"clamp": {"on": "shaft", "at": "start"}},
            "right": {"clamp": {"on": "shaft", "at": "end", "roll": {"ramp": {"from": 0, "to": 9.0, "end": 1.0}}}}},
        "settings": {"gravity": [0, 0, 0], "mode": "static", "duration": 1.0, "step": 0.05},
    }));
    while !simulation.finished() {
        simulation.step(&micado::clock::NoClock);
    }
    let torque = force(simulation.world(), "right").moment.x;
    assert!((torque - 0.8 * 9.0 / 2.0).abs() < 1e-6, "GJ φ/L, over more than a whole turn: {torque}");
}
