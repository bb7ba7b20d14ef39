//! Every constraint's rows are the derivative of what it holds, its curvature is that of its rows, and its multipliers are
//! the force and moment that it says they are; loads and springs do the work that they should.

mod common;

use common::{Noise, build, off, scene};
use glam::{DMat3, DVec3};
use micado::clock::NoClock;
use micado::constraint::{Constraint, ConstraintState, MAX_ROWS, PlaceStiffness, RowForm, Rows, Site};
use micado::edit::Edit;
use micado::geometry::rotation::{cross_matrix, exp, log};
use micado::rod::spline::Place;
use micado::scene::{Hessian, Scene};
use micado::step::{StepParams, Workspace};
use micado::world::World;
use nalgebra::{DMatrix, SymmetricEigen};
use serde_json::{Value, json};

/// A world with one constraint, its unknowns and what the constraint remembers.
struct Case {
    world: World,
    q: Vec<f64>,
    memory: ConstraintState,
    /// What is held, in words, for the message of a failure.
    name: String,
}

const KINDS: [&str; 11] =
    ["position", "tangent", "tangent-paper", "roll", "clamp", "clamp-paper", "plane", "axis", "distance", "circle", "trajectory"];
const ON_A_MASS: [&str; 6] = ["position", "plane", "axis", "distance", "circle", "trajectory"];
const STATES: [&str; 4] = ["straight", "bent", "twisted", "stretched"];
const PLACES: [&str; 3] = ["start", "37 %", "end"];

/// The constraint of a kind, with targets that the rod misses.
fn description(kind: &str, on: &str, at: Option<&str>) -> Value {
    let mut fields = match kind {
        "position" => json!({"displacement": [0.1, -0.2, 0.05]}),
        "tangent" => json!({"direction": [1, 0.3, -0.2]}),
        "tangent-paper" => json!({"direction": [1, 0.3, -0.2], "rows": "paper"}),
        "roll" => json!({"angle": 0.4}),
        "clamp" => json!({"displacement": [0.1, 0, 0], "direction": [1, -0.2, 0.3], "roll": 0.3, "rotation": [0.1, 0.2, -0.3]}),
        "clamp-paper" => json!({"direction": [1, -0.2, 0.3], "roll": 0.3, "rotation": [0.1, 0.2, -0.3], "rows": "paper"}),
        "plane" => json!({"point": [0.1, 0.2, 0.3], "normal": [1, 2, -0.5], "offset": 0.1}),
        "axis" => json!({"point": [0.1, 0.2, 0.3], "direction": [1, 2, -0.5]}),
        "distance" => json!({"centre": [0.3, 0.6, -0.4], "distance": 0.5}),
        "circle" => json!({"centre": [0.3, 0.6, -0.4], "normal": [0.2, 1, 0.3], "radius": 0.5}),
        "trajectory" => {
            json!({"path": {"helix": {"centre": [0.4, 0, 0], "radius": 0.5, "pitch": 0.4, "turns": 2}}, "displacement": [0, 0.1, 0]})
        }
        other => panic!("no such kind: {other}"),
    };
    fields["on"] = json!(on);
    if let Some(at) = at {
        fields["at"] = json!(at);
    }
    json!({ kind.trim_end_matches("-paper"): fields })
}

/// The memory that a constraint has after its place has come to `q` from where `memory` was made.
fn carried(place: &Place, q: &[f64], memory: &ConstraintState) -> ConstraintState {
    let site = Site::new(place, q, memory);
    let (sin, cos) = place.roll(q).sin_cos();
    ConstraintState { tangent: site.t.to_array(), director: (site.m1 * cos - site.m2 * sin).to_array(), ..*memory }
}

impl Case {
    fn on_rod(kind: &str, state: &str, at: &str, noise: &mut Noise) -> Self {
        let shape = json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}});
        Self::new(kind, state, "rod", Some(at), json!({"rod": {"rod": rod(shape)}}), noise)
    }

    fn on_ring(kind: &str, state: &str, at: &str, noise: &mut Noise) -> Self {
        let mut ring = rod(json!({"points": {"through": [[0, 0, 0], [0.5, -0.2, 0.1], [1, 0, 0], [0.5, 1, -0.1]], "closed": true}}));
        ring["twist"] = json!(1.3);
        Self::new(kind, state, "rod", Some(at), json!({"rod": {"rod": ring}}), noise)
    }

    fn on_mass(kind: &str, noise: &mut Noise) -> Self {
        Self::new(kind, "free", "m", None, json!({"mass": {"m": {"position": [0.2, 0.1, 0.3], "mass": 1}}}), noise)
    }

    fn new(kind: &str, state: &str, on: &str, at: Option<&str>, mut objects: Value, noise: &mut Noise) -> Self {
        let mut held = description(kind, on, at);
        if objects["rod"]["rod"]["twist"] == json!(1.3) {
            // Round the ring no one direction is near; the place misses its own by the deformation.
            let kind = kind.trim_end_matches("-paper");
            held[kind].as_object_mut().expect("fields").remove(if matches!(kind, "tangent" | "clamp") { "direction" } else { "" });
        }
        objects["constraint"] = json!({ "c": held });
        let world = World::build(&scene(objects)).expect("a constraint on a rod or mass");
        let mut q = world.state().q.clone();
        let mut memory = world.state().constraints[0];
        let place = world.structure().constraints[0].place;
        // In three strides, so that the frame is carried and not made anew.
        for _ in 0..3 {
            let count = q.len() / 4;
            for (i, node) in q.chunks_exact_mut(4).enumerate() {
                let along = i as f64 / count as f64;
                let bend = noise.vector() * 0.012;
                match state {
                    "straight" => node[3] += 0.0,
                    "twisted" => node[3] += 0.6 * along + 0.1 * noise.next(),
                    "stretched" => node[0] += 0.1 * along,
                    _ => (node[0], node[1], node[2], node[3]) = (node[0] + bend.x, node[1] + bend.y, node[2] + bend.z, node[3] + bend.x),
                }
            }
            if place.count == 4 {
                memory = carried(&place, &q, &memory);
            }
        }
        memory.own += 0.3;
        memory.multipliers = std::array::from_fn(|_| noise.next());
        Self { world, q, memory, name: format!("{kind} on {on} ({state}) at {at:?}") }
    }

    fn constraint(&self) -> &Constraint {
        &self.world.structure().constraints[0]
    }

    fn rows(&self, q: &[f64], own: f64) -> (Site, Rows) {
        let site = Site::new(&self.constraint().place, q, &ConstraintState { own, ..self.memory });
        let mut rows = Rows::default();
        self.constraint().law.linearise(&site, 0.0, &mut rows);
        (site, rows)
    }

    /// Entry of J in row r, local node n (after those of the place: the own unknown) and component a.
    fn entry(&self, rows: &Rows, r: usize, n: usize, a: usize) -> f64 {
        let place = &self.constraint().place;
        if n < place.count { rows[r].on_node(place, n)[a] } else { rows[r].own }
    }

    /// The unknowns that the constraint touches: index in q, or none for its own.
    fn unknowns(&self) -> Vec<(usize, usize, Option<usize>)> {
        let place = &self.constraint().place;
        let mut list: Vec<_> = (0..place.count).flat_map(|n| (0..4).map(move |a| (n, a, Some(4 * place.nodes[n] as usize + a)))).collect();
        if self.constraint().law.has_own_unknown() {
            list.push((place.count, 0, None));
        }
        list
    }

    /// Central difference of a function of the unknowns, by one of them.
    fn difference<const N: usize>(&self, unknown: Option<usize>, step: f64, f: impl Fn(&Site, &Rows) -> [f64; N]) -> [f64; N] {
        let at = |by: f64| {
            let (mut q, mut own) = (self.q.clone(), self.memory.own);
            match unknown {
                Some(i) => q[i] += by,
                None => own += by,
            }
            let (site, rows) = self.rows(&q, own);
            f(&site, &rows)
        };
        let (after, before) = (at(step), at(-step));
        std::array::from_fn(|r| (after[r] - before[r]) / (2.0 * step))
    }

    fn all(noise: &mut Noise) -> Vec<Self> {
        let mut cases = Vec::new();
        for kind in KINDS {
            for state in STATES {
                cases.extend(PLACES.iter().map(|at| Self::on_rod(kind, state, at, noise)));
            }
            cases.push(Self::on_ring(kind, "bent", "97 %", noise));
        }
        cases.extend(ON_A_MASS.iter().map(|kind| Self::on_mass(kind, noise)));
        cases
    }
}

fn rod(shape: Value) -> Value {
    json!({"shape": shape, "stiffness": {"stretch": 1e3, "bend": 0.5, "bend_2": 0.8, "twist": 0.6}, "mass_per_length": 0.3, "segments": 7})
}

/// E of three rows.
fn violations(rows: &Rows, first: usize) -> DVec3 {
    DVec3::from_array(std::array::from_fn(|k| rows[first + k].violation))
}

/// δ log(exp(φ)) = J_l(φ)⁻¹ δφ: the left Jacobian of the rotation vector.
fn left_jacobian(phi: DVec3) -> DMat3 {
    let angle = phi.length();
    let (one, two) =
        if angle < 1e-4 { (0.5, 1.0 / 6.0) } else { ((1.0 - angle.cos()) / angle.powi(2), (angle - angle.sin()) / angle.powi(3)) };
    let x = cross_matrix(phi);
    DMat3::IDENTITY + x * one + x * x * two
}

#[test]
fn rows_are_the_derivative_of_what_is_held() {
    let mut noise = Noise(1);
    let (mut cases, mut entries) = (0, 0);
    for case in Case::all(&mut noise) {
        let (site, rows) = case.rows(&case.q, case.memory.own);
        let law = &case.constraint().law;
        let paper = case.name.contains("paper");
        // x' − L t*: the present length L is held while the row is made. It is the last direction that E speaks of.
        let first = if case.name.starts_with("clamp") { 3 } else { 0 };
        let target = if paper { (violations(&rows, first) + site.p) / site.l } else { DVec3::ZERO };
        for (n, a, unknown) in case.unknowns() {
            // Rounding 1e-16/2e-6 and the cubic term 1e-12 both stay below 1e-9.
            let mut slope = case.difference(unknown, 1e-6, |moved, rows| {
                let mut held: [f64; MAX_ROWS] = std::array::from_fn(|r| rows.get(r).map_or(0.0, |row| -row.violation));
                if paper {
                    for k in 0..3 {
                        held[first + k] += (moved.l - site.l) * target[k];
                    }
                }
                held
            });
            if case.name.starts_with("clamp on") {
                // Rows are those of the rotation; its logarithm varies with the inverse of the left Jacobian.
                let turn = -violations(&rows, 3);
                let turned = left_jacobian(turn) * DVec3::from_slice(&slope[3..6]);
                slope[3..6].copy_from_slice(&turned.to_array());
            }
            for r in 0..law.rows() {
                let entry = case.entry(&rows, r, n, a);
                let error = (slope[r] - entry).abs();
                // Weights bᵢ' are about 1 and lengths about 0.1, so entries reach 10 and third derivatives 1e3.
                assert!(error < 1e-7, "{}: row {r}, node {n}, component {a}: {entry} against {}", case.name, slope[r]);
                entries += 1;
            }
        }
        cases += 1;
    }
    // 11 kinds × (4 states × 3 places + 1 ring) and 6 kinds on a mass; rows × unknowns of each.
    assert_eq!((cases, entries), (149, 6_538));
}

/// −∂(Jᵀλ)/∂z as the law says it, in the unknowns of the constraint.
fn assembled(stiffness: &PlaceStiffness, place: &Place, own: bool) -> DMatrix<f64> {
    let size = 4 * place.count + usize::from(own);
    let mut matrix = DMatrix::zeros(size, size);
    let (b, db) = (&place.weights.b, &place.weights.db);
    for i in 0..place.count {
        for j in 0..place.count {
            for r in 0..3 {
                for c in 0..3 {
                    matrix[(4 * i + r, 4 * j + c)] = stiffness.xx.col(c)[r] * b[i] * b[j] + stiffness.pp.col(c)[r] * db[i] * db[j];
                }
                matrix[(4 * i + r, 4 * j + 3)] = stiffness.p_theta[r] * db[i] * b[j];
                matrix[(4 * j + 3, 4 * i + r)] = stiffness.p_theta[r] * db[i] * b[j];
            }
        }
    }
    if own {
        matrix[(size - 1, size - 1)] = stiffness.own_own;
    }
    matrix
}

#[test]
fn curvature_is_the_symmetric_part_of_what_multipliers_change() {
    let mut noise = Noise(2);
    let mut checked = 0;
    for case in Case::all(&mut noise) {
        let kind = case.constraint().description.kind();
        let paper = case.name.contains("paper");
        // The position, plane and axis are flat; the roll's row is constant; paper rows have constant rows.
        if !matches!(kind, "tangent" | "clamp" | "distance" | "circle" | "trajectory") || paper {
            continue;
        }
        let (site, _) = case.rows(&case.q, case.memory.own);
        let (law, place) = (&case.constraint().law, &case.constraint().place);
        let lambda = case.memory.multipliers;
        let unknowns = case.unknowns();
        let mut slope = DMatrix::zeros(unknowns.len(), unknowns.len());
        for (column, &(_, _, unknown)) in unknowns.iter().enumerate() {
            let change = case.difference(unknown, 1e-5, |_, rows| {
                let mut force = [0.0; 20];
                for (k, &(n, a, _)) in unknowns.iter().enumerate() {
                    force[k] = (0..law.rows()).map(|r| lambda[r] * case.entry(rows, r, n, a)).sum();
                }
                force
            });
            for row in 0..unknowns.len() {
                slope[(row, column)] = -change[row];
            }
        }
        let symmetric = (&slope + slope.transpose()) * 0.5;
        let exact = assembled(&law.stiffness(&site, 0.0, &lambda, true).expect("curved"), place, law.has_own_unknown());
        let scale = exact.amax().max(1.0);
        // Entries are products of two derivatives of weights over L², up to 1e2; differences are good to 1e-10 of their third.
        assert!((&symmetric - &exact).amax() < 1e-6 * scale, "{}: {:e}", case.name, (&symmetric - &exact).amax());

        let definite = assembled(&law.stiffness(&site, 0.0, &lambda, false).unwrap_or_default(), place, law.has_own_unknown());
        let least = SymmetricEigen::new(definite.clone()).eigenvalues.min();
        assert!(least > -1e-12 * scale, "{}: {least:e}", case.name);
        if matches!(kind, "distance" | "circle" | "trajectory") && SymmetricEigen::new(exact.clone()).eigenvalues.min() > -1e-12 {
            assert!((definite - exact).amax() < 1e-12 * scale, "{}: a stiffening term was dropped", case.name);
        }
        checked += 1;
    }
    // 5 kinds × (4 states × 3 places + 1 ring) and 3 kinds on a mass
    assert_eq!(checked, 68);
}

#[test]
fn multipliers_are_the_force_and_moment_on_the_object() {
    // The work of Jᵀλ in a rigid motion is that of a force and a moment. A rigid rotation ω turns control points about the
    // place and rolls them by ω·t.
    let mut noise = Noise(3);
    let mut checked = 0;
    for case in Case::all(&mut noise) {
        let (site, rows) = case.rows(&case.q, case.memory.own);
        let (law, place) = (&case.constraint().law, &case.constraint().place);
        let lambda = case.memory.multipliers;
        let says = law.force(&site, 0.0, &lambda);
        for axis in DVec3::AXES {
            let (mut in_translation, mut in_rotation) = (0.0, 0.0);
            for n in 0..place.count {
                let i = 4 * place.nodes[n] as usize;
                let arm = DVec3::new(case.q[i], case.q[i + 1], case.q[i + 2]) - site.x;
                let turn = axis.cross(arm);
                let roll = if place.count == 4 { axis.dot(site.t) } else { 0.0 };
                for r in 0..law.rows() {
                    let j = rows[r].on_node(place, n);
                    in_translation += lambda[r] * (j[0] * axis.x + j[1] * axis.y + j[2] * axis.z);
                    in_rotation += lambda[r] * (j[0] * turn.x + j[1] * turn.y + j[2] * turn.z + j[3] * roll);
                }
            }
            // Sums of a dozen numbers of size 10.
            assert!((in_translation - says.force.dot(axis)).abs() < 1e-12, "{}: force", case.name);
            assert!((in_rotation - says.moment.dot(axis)).abs() < 1e-12, "{}: moment", case.name);
            checked += 1;
        }
    }
    assert_eq!(checked, 3 * 149);
}

#[test]
fn the_rows_of_a_clamp_ask_for_the_rotation_that_goes_straight_home() {
    // Turning about the place with the angular velocity E meets JΔ = E, and turning so for a unit of time, exp(E), ends at the
    // target: the logarithm needs no Jacobian of its own.
    let mut noise = Noise(4);
    let mut checked = 0;
    for case in Case::all(&mut noise).into_iter().filter(|case| case.name.starts_with("clamp on")) {
        let (site, rows) = case.rows(&case.q, case.memory.own);
        let (law, place) = (&case.constraint().law, &case.constraint().place);
        let home = violations(&rows, 3);
        assert!(home.length() > 0.2, "{}: nothing to turn", case.name);
        let turn = exp(home);
        let (mut turned, mut moved) = (case.q.clone(), DVec3::ZERO);
        for n in 0..place.count {
            let i = 4 * place.nodes[n] as usize;
            let arm = DVec3::from_slice(&case.q[i..i + 3]) - site.x;
            turned[i..i + 3].copy_from_slice(&(site.x + turn * arm).to_array());
            let velocity = home.cross(arm);
            for r in 0..3 {
                let j = rows[3 + r].on_node(place, n);
                moved[r] += j[0] * velocity.x + j[1] * velocity.y + j[2] * velocity.z + j[3] * home.dot(site.t);
            }
        }
        assert!((moved - home).length() < 1e-12, "{}: {moved} for {home}", case.name);
        let turn_array = |a: [f64; 3]| (turn * DVec3::from_array(a)).to_array();
        let memory =
            ConstraintState { tangent: turn_array(case.memory.tangent), director: turn_array(case.memory.director), ..case.memory };
        let mut rest = Rows::default();
        law.linearise(&Site::new(place, &turned, &memory), 0.0, &mut rest);
        assert!(violations(&rest, 3).length() < 1e-12, "{}: {:?}", case.name, rest);
        checked += 1;
    }
    // 4 states × 3 places and 1 ring
    assert_eq!(checked, 13);
}

/// A rod in the air that has been shaken by changing loads, with a load or spring on it.
fn shaken(load: Value, spring: Value) -> Scene {
    scene(json!({
        "rod": {"rod": {
            "stiffness": {"stretch": 20, "bend": 0.02, "bend_2": 0.03, "twist": 0.01}, "mass_per_length": 0.3, "segments": 6,
            "shape": {"points": {"through": [[0, 0, 0], [0.4, 0.2, 0], [0.7, -0.1, 0.3]]}},
        }, "other": {
            "stiffness": {"stretch": 20, "bend": 0.02, "twist": 0.01}, "mass_per_length": 0.2, "segments": 5,
            "shape": {"line": {"from": [0, 1, 0], "to": [0, 1, 1]}},
        }},
        "mass": {"m": {"position": [0.5, 0.5, 0.5], "mass": 0.2}},
        "load": load,
        "spring": spring,
        "settings": {"gravity": [0, 0, 0]},
    }))
}

/// The generalised force of what a world has and its bare twin hasn't: `M Δv / h` in a step too short for anything else.
fn difference_of_forces(with: &World, without: &World) -> Vec<f64> {
    let step = 1e-7;
    let momentum = |world: &World| {
        let mut world = world.clone();
        world.apply(&Edit::Stop).expect("velocities can be set to zero");
        world.step(&StepParams { step, ..StepParams::default() }, &mut Workspace::new(), &NoClock);
        let mut momentum = vec![0.0; world.state().v.len()];
        for object in &world.structure().objects {
            let range = object.unknowns();
            object.add_mass_times(&world.state().v[range.clone()], &mut momentum[range]);
        }
        momentum
    };
    momentum(with).iter().zip(&momentum(without)).map(|(a, b)| (a - b) / step).collect()
}

/// Runs a shaken rod and gives, along its way, the work of what is looked at between neighbouring states (trapezoid).
fn work_along_the_way(scene: &Scene, removal: &Edit, mut visit: impl FnMut(&World, &World, f64)) {
    let mut noise = Noise(7);
    let mut world = World::build(scene).expect("a shaken rod");
    let mut workspace = Workspace::new();
    let params = StepParams { step: 0.01, hessian: Hessian::Psd, solves: 4, ..StepParams::default() };
    let small = StepParams { step: 1e-4, ..params };
    for _ in 0..6 {
        let wind = noise.vector() * 3.0;
        let shake: Edit = serde_json::from_value(json!({"gravity": wind.to_array()})).expect("an edit");
        world.apply(&shake).expect("gravity may change");
        for _ in 0..20 {
            world.step(&params, &mut workspace, &NoClock);
        }
        let mut after = world.clone();
        let report = after.step(&small, &mut Workspace::new(), &NoClock);
        assert!(!report.held);
        let bare = |world: &World| {
            let mut bare = world.clone();
            bare.apply(removal).expect("what is looked at exists");
            bare
        };
        let (f0, f1) = (difference_of_forces(&world, &bare(&world)), difference_of_forces(&after, &bare(&after)));
        let moved = after.state().q.iter().zip(&world.state().q);
        let work = moved.zip(f0.iter().zip(&f1)).map(|((after, before), (f0, f1))| 0.5 * (f0 + f1) * (after - before)).sum();
        visit(&world, &after, work);
    }
}

#[test]
fn springs_do_the_work_that_they_lose_as_energy() {
    let rod_end = json!({"rod": {"on": "rod", "at": "end"}});
    let inner = json!({"rod": {"on": "rod", "at": "31 %"}});
    let other = json!({"rod": {"on": "other", "at": "60 %"}});
    let springs = [
        json!({"linear": {"from": rod_end, "to": {"point": [0.9, 0.4, 0.2]}, "stiffness": 3, "length": 0.2}}),
        json!({"linear": {"from": rod_end, "to": other, "stiffness": 2, "length": 0.5}}),
        json!({"linear": {"from": {"mass": "m"}, "to": inner, "stiffness": 2, "length": 1.5}}),
        json!({"linear": {"from": inner, "to": rod_end, "stiffness": 2, "length": 0.1}}),
        json!({"torsional": {"from": rod_end, "to": {"point": [0, 0, 0]}, "stiffness": 0.3}}),
        json!({"torsional": {"from": inner, "to": other, "stiffness": 0.3}}),
        json!({"torsional": {"from": inner, "to": rod_end, "stiffness": 0.1}}),
    ];
    let mut checked = 0;
    for (k, spring) in springs.into_iter().enumerate() {
        let scene = shaken(json!({}), json!({"s": spring}));
        work_along_the_way(&scene, &Edit::RemoveSpring("s".into()), |before, after, work| {
            let lost = before.energy().spring - after.energy().spring;
            assert!(lost.abs() > 1e-9, "spring {k}: nothing happened, so nothing was tested");
            // The trapezoid rule and the mean force miss the work by the square of a displacement of 1e-4.
            assert!(off(work, lost) < 1e-4, "spring {k}: work {work:e}, energy lost {lost:e}");
            checked += 1;
        });
    }
    assert_eq!(checked, 42);
}

#[test]
fn a_moment_works_on_the_rotation_of_its_section() {
    let moment = DVec3::new(0.02, -0.03, 0.01);
    let load = json!({"load": {"moment": {"on": "rod", "at": "70 %", "moment": moment.to_array()}}});
    let mut checked = 0;
    work_along_the_way(&shaken(load, json!({})), &Edit::RemoveLoad("load".into()), |before, after, work| {
        let frame = |world: &World| {
            let object = common::object(world, "rod");
            let section = world.section(object, 0.7 * object.rod().expect("a rod").length()).expect("a rod");
            DMat3::from_cols(section.tangent, section.director, section.tangent.cross(section.director))
        };
        let turn = log(frame(after) * frame(before).transpose());
        assert!(off(work, moment.dot(turn)) < 1e-4, "work {work:e}, m·φ {:e}", moment.dot(turn));
        checked += 1;
    });
    assert_eq!(checked, 6);
}

#[test]
fn forces_work_on_displacements() {
    let force = DVec3::new(0.2, -0.3, 0.1);
    let loads = [
        json!({"force": {"on": "rod", "at": "70 %", "force": force.to_array()}}),
        json!({"force": {"on": "m", "force": force.to_array()}}),
        json!({"distributed": {"on": "rod", "from": "20 %", "to": "75 %", "force": force.to_array()}}),
    ];
    let mut checked = 0;
    for (k, load) in loads.into_iter().enumerate() {
        work_along_the_way(&shaken(json!({"l": load}), json!({})), &Edit::RemoveLoad("l".into()), |before, after, work| {
            let moved = |share: f64| common::at(after, "rod", share) - common::at(before, "rod", share);
            let length = common::object(before, "rod").rod().expect("a rod").length();
            let expected = match k {
                0 => force.dot(moved(0.7)),
                1 => force.dot(common::position(after, "m") - common::position(before, "m")),
                // The mean displacement of 2000 places between 20 % and 75 %.
                _ => (0..2000).map(|i| force.dot(moved(0.2 + 0.55 * (f64::from(i) + 0.5) / 2000.0))).sum::<f64>() / 2000.0 * 0.55 * length,
            };
            // The first step of 1e-7 s moves nothing; the mean of 2000 places is good to 1e-6.
            assert!(off(work, expected) < 1e-5, "load {k}: work {work:e}, f·d {expected:e}");
            checked += 1;
        });
    }
    assert_eq!(checked, 18);
}

#[test]
fn paper_rows_and_objective_rows_have_their_counts() {
    let rows = |kind: &str| {
        let world = build(
            json!({"rod": {"rod": rod(json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}))}, "constraint": {"c": description(kind, "rod", Some("end"))}}),
        );
        world.world().structure().constraints[0].law.rows()
    };
    let counts: Vec<usize> = KINDS.iter().map(|kind| rows(kind)).collect();
    assert_eq!(counts, [3, 2, 3, 1, 6, 7, 1, 2, 1, 2, 3]);
    assert_eq!(RowForm::default(), RowForm::Objective);
}
