//! Compares rows and curvature of the other constraints, at bodies and at arms, with differences, as
//! `curvature_tests.rs` does for joints. Own unknowns are included.

use super::curvature_tests::{Noise, moved, quadratic, system};
use crate::constraint::{ConstraintState, ENDS, MAX_ROWS, Row, Rows};
use crate::object::{Poses, Scalar};
use crate::world::World;
use glam::DVec3;
use serde_json::{Value, json};

/// Second derivatives that the law gives.
#[derive(Clone, Copy, PartialEq)]
enum Curved {
    /// All.
    Whole,
    /// Those of motions of the first end and of its own unknowns. Directions that turn with the second end
    /// leave theirs out: Newton's matrix is an approximation there, rows are exact.
    FirstEnd,
    /// As `FirstEnd`, but of the first three rows only: rows on directions have none.
    FirstEndOfPositions,
    /// Left out: rolls, and clips, whose axes turn with the second end.
    Left,
}
use Curved::*;

/// A constraint: words without its ends, whether it is closed in the tested pose, and what curvature it has.
struct Kind {
    name: &'static str,
    words: Value,
    /// Rows on rotations are derivatives of their violations only where these vanish.
    closed: bool,
    curved: Curved,
    /// Whether its first end must be a rod.
    on_rod: bool,
}

fn kind(name: &'static str, words: Value, curved: Curved) -> Kind {
    Kind { name, words, closed: false, curved, on_rod: false }
}

fn helix() -> Value {
    json!({"helix": {"centre": [0.4, 0, 0], "radius": 0.5, "pitch": 0.4, "turns": 2}})
}

/// Kinds that hold a body, or a rod at an arm, to the world.
fn absolute() -> Vec<Kind> {
    let to = json!([0.1, -0.2, 0.05]);
    vec![
        kind("position", json!({"position": {"displacement": to}}), Whole),
        Kind { closed: true, ..kind("clamp", json!({"clamp": {}}), Whole) },
        kind("tangent", json!({"tangent": {}}), Whole),
        Kind { closed: true, ..kind("roll", json!({"roll": {}}), Left) },
        kind("plane", json!({"plane": {"point": to, "normal": [1, 2, -0.5], "offset": 0.1}}), Whole),
        kind("axis", json!({"axis": {"point": to, "direction": [1, 2, -0.5]}}), Whole),
        kind("distance", json!({"distance": {"centre": [0.3, 0.6, -0.4], "distance": 0.5}}), Whole),
        kind(
            "circle",
            json!({"circle": {"centre": [0.3, 0.6, -0.4], "normal": [0.2, 1, 0.3], "radius": 0.5}}),
            Whole,
        ),
        kind("trajectory", json!({"trajectory": {"path": helix(), "displacement": to}}), Whole),
        kind("trajectory, aligned", json!({"trajectory": {"path": helix(), "aligned": true}}), Whole),
        kind(
            "trajectory, driven",
            json!({"trajectory": {"path": helix(), "aligned": true, "slide": 0}}),
            Whole,
        ),
    ]
}

/// Kinds between a body or a rod at an arm and a body or a rod.
fn relative() -> Vec<Kind> {
    let n = json!([1, 2, -0.5]);
    vec![
        kind("distance", json!({"distance": {"distance": 0.5}}), Whole),
        kind("plane", json!({"plane": {"normal": n, "offset": 0.1}}), FirstEnd),
        kind("axis", json!({"axis": {"direction": n}}), FirstEnd),
        kind("circle", json!({"circle": {"normal": n, "radius": 0.5}}), FirstEnd),
        kind("tangent", json!({"tangent": {}}), FirstEnd),
        kind("trajectory", json!({"trajectory": {"path": helix()}}), Whole),
        kind("trajectory, aligned", json!({"trajectory": {"path": helix(), "aligned": true}}), Whole),
        Kind { closed: true, ..kind("roll", json!({"roll": {}}), Left) },
        kind("fusion", json!({"fusion": {}}), Whole),
        Kind { closed: true, ..kind("fusion, rigid", json!({"fusion": {"hold": "rigid"}}), FirstEnd) },
        Kind { on_rod: true, ..kind("keyhole", json!({"keyhole": {}}), Whole) },
        Kind {
            on_rod: true,
            ..kind(
                "keyhole, oriented",
                json!({"keyhole": {"direction": [1, 0.3, -0.2]}}),
                FirstEndOfPositions,
            )
        },
        Kind { on_rod: true, ..kind("clip", json!({"clip": {}}), Left) },
        Kind { on_rod: true, ..kind("clip, tangent", json!({"clip": {"hold": "tangent"}}), Left) },
        Kind { on_rod: true, closed: true, ..kind("clip, clamp", json!({"clip": {"hold": "clamp"}}), Left) },
    ]
}

/// A world with a constraint between these ends: bodies and rods in random poses.
fn joined(kind: &Kind, [first, second]: [&str; 2], noise: &mut Noise) -> World {
    let body = |noise: &mut Noise| {
        json!({"mass": 1, "inertia": {"moments": [1, 2, 2.5]}, "position": noise.vector().to_array(),
            "rotation": (noise.vector() * 2.0).to_array()})
    };
    let rod = |noise: &mut Noise| {
        let mut point = |x: f64| (DVec3::X * x + noise.vector() * 0.2).to_array();
        let through = [point(0.0), point(0.5), point(0.9)];
        json!({"shape": {"points": {"through": through}}, "radius": 0.01, "young": 1e7, "density": 1200,
            "segments": 6})
    };
    let mut scene = json!({});
    let mut ends = Vec::new();
    for (name, is) in [("a", first), ("b", second)] {
        match is {
            "body" => {
                scene["body"][name] = body(noise);
                ends.push(json!({"on": name, "at": noise.vector().to_array()}));
            }
            "rod" | "arm" => {
                scene["rod"][name] = rod(noise);
                let mut end = json!({"on": name, "at": "41 %"});
                if is == "arm" {
                    end["arm"] = json!([0.1, 0.2, -0.1]);
                }
                ends.push(end);
            }
            _ => {}
        }
    }
    let mut words = kind.words.clone();
    let fields = words.as_object_mut().and_then(|all| all.values_mut().next()).expect("fields");
    for (field, value) in ends[0].as_object().expect("an end") {
        fields[field] = value.clone();
    }
    if let Some(end) = ends.get(1) {
        fields["to"] = end.clone();
    }
    scene["constraint"] = json!({ "c": words });
    let scene = serde_json::from_value(scene).expect("a scene");
    World::build(&scene).unwrap_or_else(|error| panic!("{} {first} {second}: {error}", kind.name))
}

/// Memory of the constraint with its own unknowns moved.
fn slid(world: &World, by: [f64; ENDS]) -> ConstraintState {
    let mut memory = world.state.constraints[0].clone();
    (0..ENDS).for_each(|e| memory.own[e] += by[e]);
    memory
}

/// The constraint's rows at the unknowns `q`.
fn rows(world: &World, q: &[f64], by: [f64; ENDS]) -> Rows {
    let (constraint, memory) = (&world.structure.constraints[0], slid(world, by));
    let mut rows = Rows::default();
    let sites = constraint.find_sites(Poses { q, ..world.poses() }, &memory, 0.0);
    constraint.law.linearise(&sites, &memory, 0.0, &mut rows);
    rows
}

/// Checks rows and curvature in one random direction; returns how many numbers differed from zero.
fn check(kind: &Kind, ends: [&str; 2], noise: &mut Noise) -> [usize; 2] {
    let mut world = joined(kind, ends, noise);
    let what = format!("{} {ends:?}", kind.name);
    let own = world.structure.constraints[0].law.own_unknowns();
    if !kind.closed {
        // Away from where it was built.
        for e in (0..ENDS).filter(|&e| own[e]) {
            world.state.constraints[0].own[e] += 0.1 * noise.next();
        }
    }
    let (constraint, objects) = (&world.structure.constraints[0], &world.structure.objects);
    let mut delta: Vec<f64> = (0..world.state.q.len()).map(|_| noise.next()).collect();
    for object in objects {
        let (range, scalars) = (object.unknowns(), object.scalars().flatten());
        for (d, scalar) in delta[range].iter_mut().zip(scalars) {
            if scalar == Scalar::Unused {
                *d = 0.0;
            }
        }
    }
    let slide = own.map(|own| if own { noise.next() } else { 0.0 });
    let lambda: Vec<f64> = (0..constraint.law.rows()).map(|_| noise.next()).collect();
    let at = |delta: &[f64], share: f64| rows(&world, &moved(&world, delta, share), slide.map(|s| s * share));
    // First derivatives.
    let memory = &world.state.constraints[0];
    let places = constraint.places(objects, memory);
    let sites = constraint.find_sites(world.poses(), memory, 0.0);
    let step = 1e-6;
    let [now, after, before] = [0.0, step, -step].map(|share| at(&delta, share));
    let along = |delta: &[f64]| -> Vec<f64> {
        let of_end = |e: usize, row: &Row| {
            let moves = places[e].is_somewhere().then(|| {
                let own = places[e].slice(objects, delta);
                places[e].spread(&row.ends[e], &sites[e]).along(&places[e].motion(own, true))
            });
            moves.unwrap_or(0.0) + row.own[e] * slide[e]
        };
        now.iter().map(|row| (0..ENDS).map(|e| of_end(e, row)).sum()).collect()
    };
    let mut counts = [0; 2];
    for (r, along) in along(&delta).into_iter().enumerate() {
        let slope = (before[r].violation - after[r].violation) / (2.0 * step);
        // Rounding of 1e-16/1e-6 and third derivatives of size 100 times 1e-12.
        assert!((along - slope).abs() < 1e-7, "{what} row {r}: {along} {slope}");
        counts[0] += usize::from(slope.abs() > 1e-3);
    }
    // Second derivatives: −Σ λ ∂²g.
    let mut lambda = lambda;
    if kind.curved == FirstEndOfPositions {
        lambda[3..].fill(0.0);
    }
    if matches!(kind.curved, FirstEnd | FirstEndOfPositions) && ends[1] != "world" {
        let range = objects.iter().find(|object| object.name == "b").expect("a second end").unknowns();
        delta[range].fill(0.0);
    }
    let step = 1e-3;
    let potential = |share: f64| -> f64 {
        at(&delta, share).iter().zip(&lambda).map(|(row, lambda)| -row.violation * lambda).sum()
    };
    // Fourth order: errors of sixth derivatives times 1e-12, and rounding of 1e-16/1e-6.
    let second = |h: f64| (potential(h) + potential(-h) - 2.0 * potential(0.0)) / (h * h);
    let expected = -(4.0 * second(step) - second(2.0 * step)) / 3.0;
    let slopes = along(&delta);
    let [with, without] = [&lambda[..], &[0.0; MAX_ROWS][..lambda.len()]].map(|of| {
        let system = system(&world, of);
        let mut delta = delta.clone();
        delta.resize(4 * system.primal_nodes, 0.0);
        for e in 0..ENDS {
            if let Some(scalar) = system.seats[0].own_scalar(e) {
                delta[scalar] = slide[e];
            }
        }
        let seat = &system.seats[0];
        // Rows of own unknowns are augmented by Jᵀ J/n², whose n² sees the curvature in the diagonal.
        let augmented: f64 = if seat.own_count() == 0 {
            0.0
        } else {
            let norm = |r: usize| system.duals.norm(seat.first_row - 4 * system.primal_nodes + r);
            slopes.iter().enumerate().map(|(r, slope)| slope * slope / norm(r)).sum()
        };
        quadratic(&system, &delta) - augmented
    });
    let found = with - without;
    if kind.curved != Left {
        let size = expected.abs().max(1.0);
        assert!((found - expected).abs() < 1e-6 * size, "{what}: {found} {expected}");
        counts[1] += usize::from(expected.abs() > 1e-3);
    }
    counts
}

#[test]
fn constraints_on_bodies_and_arms_have_the_rows_and_the_curvature_of_their_violations() {
    let mut noise = Noise(17);
    let mut counts = [0; 2];
    let mut add = |found: [usize; 2]| (0..2).for_each(|k| counts[k] += found[k]);
    for _ in 0..3 {
        for kind in absolute() {
            add(check(&kind, ["body", "world"], &mut noise));
            // Directions have no use for an arm.
            if !matches!(kind.name, "tangent" | "roll") {
                add(check(&kind, ["arm", "world"], &mut noise));
            }
        }
        for kind in relative() {
            let directions = matches!(kind.name, "tangent" | "roll");
            let ends = match (kind.on_rod, directions) {
                (true, _) => vec![["rod", "body"]],
                (false, true) => vec![["body", "body"], ["body", "rod"], ["rod", "body"]],
                (false, false) => vec![["body", "body"], ["body", "arm"], ["arm", "body"], ["arm", "arm"]],
            };
            ends.into_iter().for_each(|ends| add(check(&kind, ends, &mut noise)));
        }
    }
    // A guard that is never true would test nothing.
    assert!(counts[0] > 500 && counts[1] > 150, "{counts:?}");
}
