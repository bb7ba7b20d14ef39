//! Rods other than splines: derivatives, invariances, and the mechanics of bent and twisted rods, for every
//! model alike.

use crate::common::{Noise, at, build, equilibrium, force};
use glam::{DMat3, DQuat, DVec3};
use micado::describe::material::Stiffness;
use micado::linalg::{Arithmetic, BlockMatrix, NodeKind, Pattern};
use micado::object::rod::discrete::DiscreteRod;
use micado::object::rod::{
    Damping, InitialRod, Linearisation, Natural, Rod, RodDescription, RodModel, Tangent,
};
use nalgebra::{DMatrix, DVector};
use serde_json::json;

/// The models; the spline has suites of its own.
const MODELS: [&str; 3] = ["discrete-elastic", "beam", "mass-spring"];
/// Those that have frames, and so can be clamped, twisted and curved by nature.
const FRAMED: [&str; 2] = ["discrete-elastic", "beam"];

fn description(model: &str, shape: serde_json::Value, natural: Natural) -> RodDescription {
    let bend_2 = if FRAMED.contains(&model) { 0.6 } else { 1.3 };
    RodDescription {
        natural,
        damping: Damping { internal: 0.0, mass: 0.0 },
        ..serde_json::from_value(json!({"model": model, "shape": shape, "segments": 7,
            "stiffness": {"stretch": 40.0, "bend": 1.3, "bend_2": bend_2, "twist": 0.8},
                "mass_per_length": 0.3}))
        .expect("a rod")
    }
}

fn shapes() -> Vec<(String, RodDescription)> {
    let line = json!({"line": {"from": [0, 0, 0], "to": [1, 0.2, 0]}});
    let helix = json!({"helix": {"centre": [0, 0, 0], "radius": 0.3, "pitch": 0.2, "turns": 0.8}});
    let ring = json!({"ring": {"centre": [0, 0, 0], "radius": 0.3}});
    let of_model = |model: &str| {
        let described = |name: &str, shape: &serde_json::Value, natural| {
            (format!("{model}, {name}"), description(model, shape.clone(), natural))
        };
        let mut shapes =
            vec![described("line", &line, Natural::Straight), described("helix", &helix, Natural::Straight)];
        let (name, closed) = described("ring", &ring, Natural::Straight);
        if FRAMED.contains(&model) {
            shapes.push(described("natural helix", &helix, Natural::AsShaped));
            shapes.push((name, RodDescription { twist: 1.7, ..closed }));
        } else {
            shapes.push((name, closed));
        }
        shapes
    };
    // Sections that bend alike in all directions have formulas without directors.
    let round = |model: &str| {
        [("round helix", &helix), ("round ring", &ring)].map(|(name, shape)| {
            let mut rod =
                RodDescription { twist: 1.7, ..description(model, shape.clone(), Natural::Straight) };
            rod.stiffness = rod.stiffness.map(|stiffness| Stiffness { bend_2: None, ..stiffness });
            (format!("{model}, {name}"), rod)
        })
    };
    MODELS.into_iter().flat_map(of_model).chain(FRAMED.into_iter().flat_map(round)).collect()
}

/// Meaning of a row of four unknowns.
#[derive(PartialEq)]
enum RowKind {
    /// A point and an angle.
    Point,
    /// A point without an angle.
    BarePoint,
    /// A tangent vector, without an angle.
    Tangent,
}

fn kind(rod: &Rod, i: usize) -> RowKind {
    match rod.model() {
        RodModel::Beam if i % 2 == 1 => RowKind::Tangent,
        RodModel::DiscreteElastic if !rod.is_closed() && i + 1 == rod.nodes() => RowKind::BarePoint,
        RodModel::MassSpring => RowKind::BarePoint,
        _ => RowKind::Point,
    }
}

/// The laid rod moved at random, with frames that came along.
fn moved(initial: &InitialRod<Rod>, size: f64, noise: &mut Noise) -> (Vec<f64>, Vec<f64>) {
    let (mut q, mut frames) = (initial.q.clone(), initial.frames.clone());
    for k in 0..q.len() {
        q[k] += if k % 4 == 3 { 10.0 * size } else { size } * noise.next();
    }
    initial.rod.transport_frames(&q, &mut frames);
    (q, frames)
}

/// Viscous stress counted from the strains `before`, or none.
fn how(tangent: Tangent, before: Option<&[f64]>) -> Linearisation<'_> {
    let viscosity = if before.is_some() { VISCOSITY } else { 0.0 };
    Linearisation {
        tangent,
        mass: 0.0,
        viscosity,
        strain_before: before,
        carried: None,
        ahead: None,
        arithmetic: Arithmetic::Portable,
    }
}

const VISCOSITY: f64 = 0.3;

fn matrix_of(rod: &Rod) -> BlockMatrix {
    let mut pattern = Pattern::new();
    (0..rod.nodes()).for_each(|_| {
        pattern.add_node(NodeKind::Primal);
    });
    for nodes in (0..rod.segments()).map(|e| [0, 1, 2, 3].map(|k| rod.node(e, k) as u32)) {
        for (a, b) in nodes.iter().flat_map(|a| nodes.iter().map(move |b| (*a, *b))).filter(|(a, b)| a < b) {
            pattern.connect(a, b);
        }
    }
    BlockMatrix::new(&pattern)
}

fn linearised(
    rod: &Rod,
    q: &[f64],
    frames: &[f64],
    tangent: Tangent,
    before: Option<&[f64]>,
) -> (DMatrix<f64>, DVector<f64>) {
    let (mut matrix, mut force) = (matrix_of(rod), vec![0.0; q.len()]);
    rod.linearise(q, frames, &how(tangent, before), 0, &mut matrix, &mut force);
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
    // Angles that there are none of.
    for i in (0..rod.nodes()).filter(|&i| kind(rod, i) != RowKind::Point) {
        dense[(4 * i + 3, 4 * i + 3)] = 0.0;
    }
    (dense, -DVector::from_vec(force))
}

/// Energy at a state that frames are carried to from the present one.
fn energy(rod: &Rod, q: &[f64], frames: &[f64], before: Option<&[f64]>) -> f64 {
    let mut frames = frames.to_vec();
    rod.transport_frames(q, &mut frames);
    let viscous = before.map_or(0.0, |before| VISCOSITY * rod.energy_since(q, &frames, before).total());
    rod.energy(q, &frames).total() + viscous
}

#[test]
fn gradient_and_second_derivative_are_those_of_the_energy() {
    let mut noise = Noise(7);
    let mut checks = 0;
    for (name, description) in shapes() {
        let initial = Rod::build(&description).unwrap();
        // Viscous stress is counted from another state.
        let (q, frames) = moved(&initial, 0.01, &mut noise);
        let mut strains = Vec::new();
        initial.rod.strains(&q, &frames, &mut strains, Arithmetic::Portable);
        for (size, before) in [(0.0, None), (1e-3, None), (0.03, None), (0.03, Some(strains.as_slice()))] {
            let (q, frames) = moved(&initial, size, &mut noise);
            let (hessian, gradient) = linearised(&initial.rod, &q, &frames, Tangent::Exact, before);
            let scale = hessian.amax();
            let n = q.len();
            let d = 1e-5;
            let at = |moves: &[(usize, f64)]| {
                let mut q = q.clone();
                moves.iter().for_each(|&(k, d)| q[k] += d);
                energy(&initial.rod, &q, &frames, before)
            };
            for i in 0..n {
                let difference = (8.0 * (at(&[(i, d)]) - at(&[(i, -d)]))
                    - (at(&[(i, 2.0 * d)]) - at(&[(i, -2.0 * d)])))
                    / (12.0 * d);
                assert!(
                    (gradient[i] - difference).abs() < 1e-9 * scale,
                    "{name} {size}: {i}: {} {difference}",
                    gradient[i]
                );
                checks += 1;
            }
            // Gradients in carried frames are a field that is not integrable, because carrying round a loop
            // turns a frame; the second derivative along any straight line is the symmetric part of its
            // derivative.
            let slope = |k: usize, d: f64| {
                let (mut q, mut frames) = (q.clone(), frames.clone());
                q[k] += d;
                initial.rod.transport_frames(&q, &mut frames);
                linearised(&initial.rod, &q, &frames, Tangent::GaussNewton, before).1
            };
            let h = 1e-4;
            let columns: Vec<DVector<f64>> = (0..n)
                .map(|k| {
                    ((slope(k, h) - slope(k, -h)) * 8.0 - (slope(k, 2.0 * h) - slope(k, -2.0 * h)))
                        / (12.0 * h)
                })
                .collect();
            for i in 0..n {
                for j in i..n {
                    let second = 0.5 * (columns[i][j] + columns[j][i]);
                    assert!(
                        (hessian[(i, j)] - second).abs() < 1e-8 * scale,
                        "{name} {size}: {i} {j}: {} {second}",
                        hessian[(i, j)]
                    );
                    checks += 1;
                }
            }
        }
    }
    let all = |n: usize| n + n * (n + 1) / 2;
    // Unknowns of seven segments of a discrete rod, of a beam and of a mass-spring rod, open and closed.
    assert_eq!(
        checks,
        4 * (4 * all(36) + 2 * all(28) + 4 * all(64) + 2 * all(56) + 2 * all(32) + all(28)),
        "all were made"
    );
}

#[test]
fn gauss_newton_and_psd_have_no_negative_eigenvalue() {
    let mut noise = Noise(3);
    for (name, description) in shapes() {
        let initial = Rod::build(&description).unwrap();
        let (q, frames) = moved(&initial, 0.03, &mut noise);
        for tangent in [Tangent::GaussNewton, Tangent::Psd] {
            let (hessian, _) = linearised(&initial.rod, &q, &frames, tangent, None);
            let scale = hessian.amax();
            let least = hessian.symmetric_eigenvalues().min();
            assert!(least > -1e-12 * scale, "{name} {tangent:?}: {least}");
        }
    }
}

#[test]
fn gauss_newton_of_a_round_discrete_rod_is_the_sum_of_squared_strain_gradients() {
    let line = json!({"line": {"from": [0, 0, 0], "to": [1, 0.2, 0]}});
    let (bend, twist, segments) = (1.3, 0.8, 7);
    let description =
        serde_json::from_value(json!({"model": "discrete-elastic", "shape": line, "segments": segments,
        "stiffness": {"stretch": 1e-9, "bend": bend, "twist": twist}, "mass_per_length": 0.3}));
    let initial = Rod::build(&description.expect("a rod")).expect("a rod");
    let mut noise = Noise(9);
    let (q, frames) = moved(&initial, 0.06, &mut noise);
    // κb and the twist at every bend; strains are two curvatures against each edge, the twist and the stretch
    // of the edge behind.
    let strained = |q: &[f64]| -> Vec<f64> {
        let mut frames = frames.clone();
        initial.rod.transport_frames(q, &mut frames);
        let mut strains = Vec::new();
        initial.rod.strains(q, &frames, &mut strains, Arithmetic::Portable);
        let point = |i: usize| DVec3::from_slice(&q[4 * i..]);
        (1..=segments)
            .flat_map(|i| {
                let [a, b] = [(point(i) - point(i - 1)).normalize(), (point(i + 1) - point(i)).normalize()];
                let kb = a.cross(b) * (2.0 / (1.0 + a.dot(b)));
                [kb.x, kb.y, kb.z, strains[6 * i + 4]]
            })
            .collect()
    };
    let n = q.len();
    let h = 1e-6;
    let columns: Vec<Vec<f64>> = (0..n)
        .map(|k| {
            let at = |d: f64| {
                let mut q = q.clone();
                q[k] += d;
                strained(&q)
            };
            at(h).iter().zip(at(-h)).map(|(after, before)| (after - before) / (2.0 * h)).collect()
        })
        .collect();
    let span = initial.rod.length() / segments as f64;
    let (found, _) = linearised(&initial.rod, &q, &frames, Tangent::GaussNewton, None);
    let stiffness = |s: usize| if s % 4 == 3 { twist / span } else { bend / span };
    for i in 0..n {
        for j in 0..n {
            let expected: f64 = (0..4 * segments).map(|s| stiffness(s) * columns[i][s] * columns[j][s]).sum();
            assert!(
                (found[(i, j)] - expected).abs() < 1e-6 * found.amax(),
                "{i} {j}: {} {expected}",
                found[(i, j)]
            );
        }
    }
}

#[test]
fn a_motion_as_a_whole_changes_no_energy_and_internal_forces_balance() {
    let mut noise = Noise(11);
    for (name, description) in shapes() {
        let initial = Rod::build(&description).unwrap();
        let (q, frames) = moved(&initial, 0.03, &mut noise);
        let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.3, -1.5, 2.0)));
        let (mut turned, mut turned_frames) = (q.clone(), frames.clone());
        for (i, x) in turned.chunks_exact_mut(4).enumerate() {
            let shift = if kind(&initial.rod, i) == RowKind::Tangent {
                DVec3::ZERO
            } else {
                DVec3::new(0.1, 2.0, -0.4)
            };
            let moved = turn * DVec3::from_slice(x) + shift;
            x[..3].copy_from_slice(&moved.to_array());
        }
        // Tangent, director and reference twist of each edge or node.
        for frame in turned_frames.chunks_exact_mut(7) {
            let (t, d1) = (turn * DVec3::from_slice(frame), turn * DVec3::from_slice(&frame[3..]));
            frame[..3].copy_from_slice(&t.to_array());
            frame[3..6].copy_from_slice(&d1.to_array());
        }
        let (before, after) =
            (initial.rod.energy(&q, &frames).total(), initial.rod.energy(&turned, &turned_frames).total());
        assert!((after - before).abs() < 1e-10 * before, "{name}: {before} {after}");
        let (_, gradient) = linearised(&initial.rod, &q, &frames, Tangent::Exact, None);
        let (mut force, mut moment) = (DVec3::ZERO, DVec3::ZERO);
        let mut frames = frames.chunks_exact(7);
        for (i, (g, x)) in gradient.as_slice().chunks_exact(4).zip(q.chunks_exact(4)).enumerate() {
            if kind(&initial.rod, i) != RowKind::Tangent {
                force += DVec3::from_slice(g);
            }
            moment += DVec3::from_slice(x).cross(DVec3::from_slice(g));
            if kind(&initial.rod, i) == RowKind::Point {
                // The force of an angle is a torque about its tangent.
                moment += DVec3::from_slice(frames.next().expect("a frame for each angle")) * g[3];
            }
        }
        assert!(force.length() < 1e-11 * gradient.amax(), "{name}: {force}");
        assert!(moment.length() < 1e-11 * gradient.amax(), "{name}: {moment}");
    }
}

#[test]
fn the_reference_twist_is_that_of_its_frames_after_many_moves() {
    let mut noise = Noise(5);
    for (name, description) in
        shapes().into_iter().filter(|(_, description)| description.model == RodModel::DiscreteElastic)
    {
        let initial = DiscreteRod::build(&description).unwrap();
        let (mut q, mut frames) = (initial.q.clone(), initial.frames.clone());
        for _ in 0..3000 {
            for k in (0..q.len()).filter(|k| k % 4 < 3) {
                q[k] = initial.q[k] + 0.6 * (q[k] - initial.q[k]) + 0.03 * noise.next();
            }
            initial.rod.transport_frames(&q, &mut frames);
        }
        assert!(initial.rod.reference_twist_error(&frames) < 1e-12, "{name}");
    }
}

/// A cantilever of length 1 and bending stiffness 1 with a load at its tip.
fn cantilever(model: &str, segments: usize, load: f64) -> DVec3 {
    let simulation = equilibrium(json!({
        "rod": {"beam": {"model": model, "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
            "segments": segments,
            "stiffness": {"stretch": 1e6, "bend": 1.0, "twist": 1.0}, "mass_per_length": 1.0}},
        "constraint": {"wall": {"position": {"on": "beam", "at": "start"}},
            "along": {"tangent": {"on": "beam", "at": "start"}},
            "roll": if FRAMED.contains(&model) { json!({"roll": {"on": "beam",
                "at": "start"}}) } else { json!({"plane": {"on": "beam", "at": "end",
                "normal": [0, 1, 0]}}) }},
        "load": {"tip": {"force": {"on": "beam", "at": "end", "force": [0, 0, -load]}}},
        "settings": {"gravity": [0, 0, 0], "mode": "static"},
    }));
    at(simulation.world(), "beam", 1.0)
}

#[test]
fn a_discrete_cantilever_bends_like_the_elastica_to_second_order() {
    // Tip of the elastica for P L²/EI = 3 and 10.
    let tips = [
        (3.0, DVec3::new(0.745_580, 0.0, -0.603_253), 5e-4),
        (10.0, DVec3::new(0.445_004, 0.0, -0.810_609), 1e-3),
    ];
    for (load, exact, tolerance) in tips {
        let error = |segments: usize| cantilever("discrete-elastic", segments, load).distance(exact);
        let (coarse, fine) = (error(20), error(40));
        assert!(fine < tolerance, "P = {load}: {fine}");
        assert!((3.3..4.7).contains(&(coarse / fine)), "P = {load}: {coarse} {fine}");
    }
}

#[test]
fn rod_in_its_natural_curve_is_stress_free_to_second_order() {
    // An arc of one turn with radius 1/2π; bent straight it would hold 2π² J.
    for model in FRAMED {
        let energy = |segments: usize| {
            let description =
                serde_json::from_value(json!({"model": model, "segments": segments, "up": [-1, 0, 0],
                "shape": {"arc": {"from": [0, 0, 0], "tangent": [0, 1, 0], "towards": [-1, 0, 0],
                    "radius": 0.5 * std::f64::consts::FRAC_1_PI, "angle": "360 deg"}},
                "natural": {"curved": {"curvature_1": 2.0 * std::f64::consts::PI}},
                "stiffness": {"stretch": 1e4, "bend": 1.0, "twist": 1.0}, "mass_per_length": 1.0}));
            let initial = Rod::build(&description.expect("a rod")).expect("a rod");
            let start = initial.rod.section(
                &initial.q,
                &initial.frames,
                initial.rod.locate(0.0).0,
                initial.rod.locate(0.0).1,
            );
            assert!(start.tangent.distance(DVec3::Y) < 1e-6, "{model}: {}", start.tangent);
            initial.rod.energy(&initial.q, &initial.frames).bend
        };
        let [coarse, fine] = [energy(25), energy(50)];
        // Strains of second order have energies of fourth.
        assert!(coarse < 1e-3 && (fine < coarse / 8.0 || fine < 1e-12), "{model}: {coarse} {fine}");
    }
}

#[test]
fn a_discrete_rod_of_uneven_edges_bends_and_twists_as_one_of_even_edges() {
    // One half twice as fine as the other, and edges that grow by a tenth each.
    let halves: Vec<f64> = (0..40)
        .map(|i| (f64::from(i) + 0.5) / 80.0)
        .chain((0..20).map(|i| 0.5 + (f64::from(i) + 0.5) / 40.0))
        .collect();
    let growing: Vec<f64> =
        (0..60).map(|i| (1.03_f64.powf(f64::from(i) + 0.5) - 1.0) / (1.03_f64.powi(60) - 1.0)).collect();
    for bends_at in [halves, growing] {
        let segments = bends_at.len();
        let rod = json!({"model": "discrete-elastic", "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
            "bends_at": bends_at,
            "stiffness": {"stretch": 1e6, "bend": 1.0, "twist": 0.8}, "mass_per_length": 1.0});
        let settings = json!({"gravity": [0, 0, 0], "mode": "static"});
        let bent = equilibrium(json!({
            "rod": {"rod": rod}, "constraint": {"wall": {"clamp": {"on": "rod", "at": "start"}}},
            "load": {"tip": {"force": {"on": "rod", "at": "end", "force": [0, 0, -3.0]}}},
                "settings": settings,
        }));
        let world = bent.world();
        assert_eq!(crate::common::object(world, "rod").rod().expect("a rod").segments(), segments + 1);
        assert!((crate::common::total_mass(world) - 1.0).abs() < 1e-12);
        // Errors of second order: 5e-4 with 40 even edges, here the longest have a fortieth and a twentieth.
        let error = at(world, "rod", 1.0).distance(DVec3::new(0.745_580, 0.0, -0.603_253));
        assert!(error < 1e-3, "{segments} edges: {error}");
        let twisted = equilibrium(json!({
            "rod": {"rod": rod}, "settings": settings,
            "constraint": {"left": {"clamp": {"on": "rod", "at": "start"}},
                "right": {"clamp": {"on": "rod", "at": "end", "roll": 2.0}}},
        }));
        let torque = force(twisted.world(), "right").moment.x;
        assert!((torque - 0.8 * 2.0).abs() < 1e-6, "GJ φ/L: {torque}");
    }
    for (bends_at, field) in [
        (json!([0.5, 0.4]), "bends_at[1]"),
        (json!([0.5, 1.0]), "bends_at[1]"),
        (json!([0.0, 0.5]), "bends_at[0]"),
    ] {
        let description = serde_json::from_value(
            json!({"model": "discrete-elastic", "bends_at": bends_at, "young": 1e6, "radius": 0.01,
                "density": 1000}),
        );
        let error = Rod::build(&description.expect("a rod")).expect_err("bends out of order");
        assert_eq!(error.path, field, "{error}");
    }
}

#[test]
fn a_cantilever_of_masses_and_springs_bends_like_the_elastica_to_second_order() {
    let exact = DVec3::new(0.745_580, 0.0, -0.603_253);
    let error = |segments: usize| cantilever("mass-spring", segments, 3.0).distance(exact);
    let [coarse, fine, finest] = [error(20), error(40), error(80)];
    assert!(finest < 1e-3, "{coarse} {fine} {finest}");
    assert!((3.0..5.0).contains(&(fine / finest)), "{coarse} {fine} {finest}");
}

#[test]
fn a_cantilever_of_few_elements_bends_like_the_elastica() {
    let exact = DVec3::new(0.745_580, 0.0, -0.603_253);
    let error = |segments: usize| cantilever("beam", segments, 3.0).distance(exact);
    let [two, four, eight] = [error(2), error(4), error(8)];
    assert!(four < 3.6e-3, "what corotational elements without the arc's share have: {two} {four} {eight}");
    // Fourth order, or what is left is the compliance EI/(EA L²) = 1e-6.
    assert!(four / eight > 11.0 || eight < 2e-6, "{two} {four} {eight}");
}

#[test]
fn a_moment_turns_a_node_of_a_beam_by_the_angle_of_theory() {
    // M L/EI = π/2 at the tip bends a rod to a quarter of a circle.
    let simulation = equilibrium(json!({
        "rod": {"beam": {"model": "beam", "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
            "segments": 6,
            "stiffness": {"stretch": 1e6, "bend": 1.0, "twist": 1.0}, "mass_per_length": 1.0}},
        "constraint": {"wall": {"clamp": {"on": "beam", "at": "start"}}},
        "load": {"tip": {"moment": {"on": "beam", "at": "end",
            "moment": [0, -std::f64::consts::FRAC_PI_2, 0]}}},
        "settings": {"gravity": [0, 0, 0], "mode": "static"},
    }));
    let r = std::f64::consts::FRAC_2_PI;
    let tip = at(simulation.world(), "beam", 1.0);
    assert!(tip.distance(DVec3::new(r, 0.0, r)) < 1e-4, "{tip}");
}

#[test]
fn clamp_holds_weight_and_moment_of_a_heavy_rod() {
    for model in FRAMED {
        clamped_heavy_rod(model);
    }
}

fn clamped_heavy_rod(model: &str) {
    let simulation = equilibrium(json!({
        "rod": {"beam": {"model": model, "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}},
            "segments": 40,
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
    for model in FRAMED {
        turned_shaft(model);
    }
}

fn turned_shaft(model: &str) {
    let mut simulation = build(json!({
        "rod": {"shaft": {"model": model, "shape": {"line": {"from": [0, 0, 0], "to": [2, 0, 0]}},
            "segments": 20,
            "stiffness": {"stretch": 1e5, "bend": 50.0, "twist": 0.8}, "mass_per_length": 0.2}},
        "constraint": {"left": {"clamp": {"on": "shaft", "at": "start"}},
            "right": {"clamp": {"on": "shaft", "at": "end",
                "roll": {"ramp": {"from": 0, "to": 9.0, "end": 1.0}}}}},
        "settings": {"gravity": [0, 0, 0], "mode": "static", "duration": 1.0, "step": 0.05},
    }));
    while !simulation.finished() {
        simulation.step(&micado::clock::NoClock);
    }
    let torque = force(simulation.world(), "right").moment.x;
    assert!((torque - 0.8 * 9.0 / 2.0).abs() < 1e-6, "GJ φ/L, over more than a whole turn: {torque}");
}
