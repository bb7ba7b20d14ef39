//! Every constraint between every pair of objects, and on every object alone: rods of four models, a mass, a
//! body.
//!
//! Forces push both objects. For each pair the test checks that the constraint is satisfied; each object
//! follows ṗ = push + force of the constraint, and L̇ = their moments; the forces and moments on both are
//! opposite; and the constraint does no work on the motions that it leaves free. Pairs without a required
//! frame or curve are refused.

use crate::common::{object, scene};
use crate::custom::kinds::registry;
use glam::{DMat3, DQuat, DVec3};
use micado::clock::NoClock;
use micado::constraint::{ConstraintDescription, Force, JointKind, Rows, Site};
use micado::geometry::rotation::log;
use micado::run::Simulation;
use micado::world::World;
use serde_json::{Value, json};
use std::panic::AssertUnwindSafe;

/// The objects: four models of rods, a mass and a body.
const OBJECTS: [&str; 6] = ["spline", "discrete-elastic", "beam", "mass-spring", "mass", "body"];

/// Requirement on an end.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Need {
    /// A point.
    Point,
    /// A point, and a frame unless the object is a mass; on a mass, directions keep the axes of the world.
    FrameOrMass,
    /// A tangent.
    Tangent,
    /// A frame.
    Frame,
    /// A curve.
    Curve,
    /// A curve with a frame.
    FramedCurve,
}

impl Need {
    fn is_met_by(self, object: &str) -> bool {
        match self {
            Self::Point => true,
            Self::FrameOrMass => object != "mass-spring",
            Self::Tangent => object != "mass",
            Self::Frame => !["mass-spring", "mass"].contains(&object),
            Self::Curve => !["mass", "body"].contains(&object),
            Self::FramedCurve => Self::Curve.is_met_by(object) && object != "mass-spring",
        }
    }
}

/// Free motions of the first place against the second one: displacements and rotations, in the axes of the
/// world when joined. They turn with the second place, or with the tangents of curves.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Free {
    /// Along a direction.
    Along(DVec3),
    /// About an axis.
    About(DVec3),
    /// Across the line between both places.
    AcrossLine,
    /// About the line in this direction through the second place, as on a circle.
    Round(DVec3),
    /// Along the tangent of this end.
    AlongTangent(usize),
    /// About the tangent of the first place.
    AboutTangent,
    /// About directions perpendicular to the bisector of the tangent and its target direction. A roll is
    /// counted from the transported frame: δψ = (δφ_A − δφ_B)·(t + t*)/(1 + t·t*).
    AcrossTangents,
    /// About an axis that turns with the first place.
    AboutFirst(DVec3),
    /// Along an axis of the second place.
    AlongSecond(usize),
    /// About an axis of the second place.
    AboutSecond(usize),
    /// About an axis, with dry friction up to this moment, N·m.
    RubsAbout(DVec3, f64),
    /// All displacements.
    AllDisplacements,
    /// All rotations.
    AllRotations,
}
use Free::*;

/// A kind of constraint.
struct Kind {
    name: &'static str,
    /// Its description as in a scene, without its places.
    words: Value,
    /// From the second place to the first one.
    apart: DVec3,
    /// Whether both objects begin parallel.
    parallel: bool,
    needs: [Need; 2],
    free: Vec<Free>,
    /// Whether it has unilateral, stop or friction rows.
    pushes: bool,
}

/// A direction that is not along an axis.
const N: DVec3 = DVec3::new(0.6, 0.0, 0.8);

fn kind(name: &'static str, words: Value, needs: [Need; 2], free: &[Free]) -> Kind {
    Kind { name, words, apart: DVec3::ZERO, parallel: false, needs, free: free.to_vec(), pushes: false }
}

/// The kinds of joints with their free motions.
fn joints() -> Vec<Kind> {
    use JointKind::*;
    let v = N.cross(DVec3::Y);
    [Ball, Weld, Hinge, Slider, Cylindrical, Universal, Planar]
        .map(|joint| {
            let axis = json!(N.to_array());
            // No wildcard: a new kind of joint must be added here.
            let (name, fields, free, apart) = match joint {
                Ball => ("joint, ball", json!({"kind": "ball"}), vec![AllRotations], DVec3::ZERO),
                Weld => ("joint, weld", json!({"kind": "weld"}), vec![], DVec3::ZERO),
                Hinge => {
                    ("joint, hinge", json!({"kind": "hinge", "axis": axis}), vec![About(N)], DVec3::ZERO)
                }
                Slider => ("joint, slider", json!({"kind": "slider", "axis": axis}), vec![Along(N)], 0.1 * N),
                Cylindrical => (
                    "joint, cylindrical",
                    json!({"kind": "cylindrical", "axis": axis}),
                    vec![Along(N), About(N)],
                    0.1 * N,
                ),
                Universal => (
                    "joint, universal",
                    json!({"kind": "universal", "axis": axis, "cross": [0, 1, 0]}),
                    vec![AboutFirst(N), About(DVec3::Y)],
                    DVec3::ZERO,
                ),
                Planar => (
                    "joint, planar",
                    json!({"kind": "planar", "axis": axis}),
                    vec![Along(DVec3::Y), Along(v), About(N)],
                    0.1 * v + 0.05 * DVec3::Y,
                ),
            };
            let need = if joint == Ball { Need::Point } else { Need::Frame };
            Kind { apart, ..kind(name, json!({"joint": fields}), [need; 2], &free) }
        })
        .into()
}

/// Joints with a motor, a limit and friction.
fn driven_joints() -> [Kind; 3] {
    let axis = json!(N.to_array());
    let joint = |name: &'static str, kind_of: &str, coordinate: &str, fields: Value, free: &[Free]| {
        let words = json!({"joint": {"kind": kind_of, "axis": axis, coordinate: fields}});
        kind(name, words, [Need::Frame; 2], free)
    };
    let motor = json!({"motor": {"position": {"target": 0}}});
    [
        joint("joint, hinge with a motor", "hinge", "angle", motor, &[]),
        Kind {
            pushes: true,
            // The pushes open it along N.
            ..joint("joint, slider with a limit", "slider", "slide", json!({"most": 0}), &[])
        },
        Kind {
            pushes: true,
            ..joint(
                "joint, hinge with friction",
                "hinge",
                "angle",
                json!({"friction": 0.01}),
                &[RubsAbout(N, 0.01)],
            )
        },
    ]
}

/// Blocks of one, two, three, five and six directions.
fn blocks() -> [Kind; 5] {
    let hold = |words: Value| json!({"block": {"hold": words}});
    let point = [Need::Point, Need::FrameOrMass];
    [
        kind("block of one", hold(json!(["x"])), point, &[AlongSecond(1), AlongSecond(2), AllRotations]),
        kind("block of two", hold(json!(["y", "z"])), point, &[AlongSecond(0), AllRotations]),
        kind("block of five", hold(json!(["x", "y", "z", "rx", "rz"])), [Need::Frame; 2], &[AboutSecond(1)]),
        kind(
            "block of three",
            hold(json!(["x", "y", "z"])),
            [Need::Point, Need::FrameOrMass],
            &[AllRotations],
        ),
        kind("block of six", hold(json!(["x", "y", "z", "rx", "ry", "rz"])), [Need::Frame; 2], &[]),
    ]
}

/// All kinds that join two objects.
fn pairs() -> Vec<Kind> {
    use Need::{Curve, Frame, FrameOrMass, FramedCurve, Point, Tangent};
    let n = json!(N.to_array());
    let v = N.cross(DVec3::Y);
    let mut kinds = joints();
    kinds.extend(driven_joints());
    kinds.extend(blocks());
    kinds.extend([
        Kind {
            apart: DVec3::new(0.1, 0.3, -0.2),
            ..kind("distance", json!({"distance": {}}), [Point; 2], &[AcrossLine, AllRotations])
        },
        Kind {
            // The pushes pull it taut.
            apart: DVec3::new(-0.1, -0.3, 0.2),
            pushes: true,
            ..kind(
                "distance, at most",
                json!({"distance": {"limit": "at-most"}}),
                [Point; 2],
                &[AcrossLine, AllRotations],
            )
        },
        Kind {
            // The pushes press on it.
            apart: 0.1 * v + 0.2 * DVec3::Y,
            pushes: true,
            ..kind(
                "plane, above",
                json!({"plane": {"normal": (-N).to_array(), "side": "above"}}),
                [Point, FrameOrMass],
                &[Along(v), Along(DVec3::Y), AllRotations],
            )
        },
        kind(
            "trajectory, aligned",
            json!({"trajectory": {"path": {"line": {"from": (-N).to_array(), "to": N.to_array()}},
                "aligned": true}}),
            [Frame, FrameOrMass],
            &[Along(N), About(N)],
        ),
        // In a bent curve, sliding turns the tangent: force and moment do work together.
        Kind {
            parallel: true,
            ..kind(
                "keyhole, oriented",
                json!({"keyhole": {"direction": [1, 0, 0]}}),
                [Curve, FrameOrMass],
                &[AboutTangent],
            )
        },
        Kind {
            parallel: true,
            ..kind(
                "clip, tangent",
                json!({"clip": {"hold": "tangent"}}),
                [Curve, FrameOrMass],
                &[AboutTangent],
            )
        },
        Kind {
            parallel: true,
            ..kind("clip, clamp", json!({"clip": {"hold": "clamp"}}), [FramedCurve, FrameOrMass], &[])
        },
        Kind {
            apart: 0.1 * v + 0.2 * DVec3::Y,
            ..kind(
                "plane",
                json!({"plane": {"normal": n}}),
                [Point, FrameOrMass],
                &[Along(v), Along(DVec3::Y), AllRotations],
            )
        },
        Kind {
            apart: 0.2 * N,
            ..kind("axis", json!({"axis": {"direction": n}}), [Point, FrameOrMass], &[Along(N), AllRotations])
        },
        Kind {
            apart: 0.3 * v,
            ..kind(
                "circle",
                json!({"circle": {"normal": n}}),
                [Point, FrameOrMass],
                &[Round(N), AllRotations],
            )
        },
        kind(
            "trajectory",
            json!({"trajectory": {"path": {"line": {"from": (-N).to_array(), "to": N.to_array()}}}}),
            [Point, FrameOrMass],
            &[Along(N), AllRotations],
        ),
        Kind {
            parallel: true,
            ..kind("tangent", json!({"tangent": {}}), [Tangent, Frame], &[AllDisplacements, AboutTangent])
        },
        Kind {
            parallel: true,
            ..kind("roll", json!({"roll": {}}), [Frame; 2], &[AllDisplacements, AcrossTangents])
        },
        kind("fusion", json!({"fusion": {}}), [Point; 2], &[AllRotations]),
        kind("fusion, roll", json!({"fusion": {"hold": "roll"}}), [Frame; 2], &[AcrossTangents]),
        kind("fusion, rigid", json!({"fusion": {"hold": "rigid"}}), [Frame; 2], &[]),
        kind("keyhole", json!({"keyhole": {}}), [Curve, Point], &[AlongTangent(0), AllRotations]),
        kind(
            "keyhole, crossing",
            json!({"keyhole": {"crossing": true}}),
            [Curve; 2],
            &[AlongTangent(0), AlongTangent(1), AllRotations],
        ),
        kind("clip", json!({"clip": {}}), [Curve, Point], &[AllRotations]),
        kind(
            "law",
            json!({"law": {"kind": "clutch", "directions": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
                "since": "start", "parameters": {"rows": 3, "holds": 1e3, "slides": 1e3}}}),
            [Point, FrameOrMass],
            &[AllRotations],
        ),
    ]);
    kinds
}

/// All kinds that can hold one object alone.
fn alone() -> Vec<Kind> {
    use Need::{Curve, Frame, Point, Tangent};
    let here = json!([0, 0, 0]);
    let n = json!(N.to_array());
    let v = N.cross(DVec3::Y);
    let mut kinds = joints();
    kinds.retain(|kind| kind.apart == DVec3::ZERO);
    kinds.extend(blocks());
    kinds.extend([
        kind("position", json!({"position": {}}), [Point; 2], &[AllRotations]),
        kind("clamp", json!({"clamp": {}}), [Frame, Point], &[]),
        kind("tangent", json!({"tangent": {}}), [Tangent, Point], &[AllDisplacements, AboutTangent]),
        kind("roll", json!({"roll": {}}), [Frame, Point], &[AllDisplacements]),
        kind(
            "plane",
            json!({"plane": {"normal": n, "point": here}}),
            [Point; 2],
            &[Along(v), Along(DVec3::Y), AllRotations],
        ),
        kind("axis", json!({"axis": {"direction": n, "point": here}}), [Point; 2], &[Along(N), AllRotations]),
        Kind {
            apart: DVec3::new(0.1, 0.3, -0.2),
            ..kind("distance", json!({"distance": {"centre": here}}), [Point; 2], &[AcrossLine, AllRotations])
        },
        Kind {
            apart: 0.3 * v,
            ..kind(
                "circle",
                json!({"circle": {"normal": n, "centre": here}}),
                [Point; 2],
                &[Round(N), AllRotations],
            )
        },
        kind(
            "trajectory",
            json!({"trajectory": {"path": {"line": {"from": (-N).to_array(), "to": N.to_array()}}}}),
            [Point; 2],
            &[Along(N), AllRotations],
        ),
        kind("keyhole", json!({"keyhole": {}}), [Curve, Point], &[AlongTangent(0), AllRotations]),
        kind("clip", json!({"clip": {}}), [Curve, Point], &[AllRotations]),
    ]);
    kinds
}

/// Compiles only if every kind of constraint is known here. Pearls carry a mass on one rod and are in
/// `conformance.rs`; custom constraints have the rows of their program, and are in `custom.rs`.
fn is_in_the_lists(description: &ConstraintDescription) -> bool {
    use ConstraintDescription::*;
    match description {
        Position(_) | Tangent(_) | Roll(_) | Clamp(_) | Plane(_) | Axis(_) | Distance(_) | Circle(_) => true,
        Trajectory(_) | Fusion(_) | Keyhole(_) | Clip(_) | Joint(_) | LawBlock(_) | Block(_) => true,
        Pearl(_) | Custom(_) => false,
    }
}

/// Adds an object of this kind with its held place at a point; returns the place.
fn add_object(scene: &mut Value, kind: &str, name: &str, place: DVec3, along: DVec3) -> Value {
    let at = match kind {
        "mass" => {
            scene["mass"][name] = json!({"mass": 0.5, "position": place.to_array()});
            None
        }
        "body" => {
            // The place is beside the centre of mass.
            let arm = DVec3::new(-0.1, 0.05, 0.08);
            scene["body"][name] = json!({"mass": 0.5, "inertia": {"moments": [4e-3, 5e-3, 6e-3]},
                "position": (place - arm).to_array()});
            Some(json!(arm.to_array()))
        }
        model => {
            // 45 % of its length is at the place.
            let [from, to] = [-0.36, 0.44].map(|s| (place + along * s).to_array());
            scene["rod"][name] = json!({"model": model, "segments": 8, "radius": 0.01,
                "shape": {"line": {"from": from, "to": to}}, "mass_per_length": 0.6,
                "stiffness": {"stretch": 1e3, "bend": 0.3, "twist": 0.3}});
            Some(json!("45 %"))
        }
    };
    match at {
        Some(at) => json!({"on": name, "at": at}),
        None => json!({"on": name}),
    }
}

/// A push on an object; not at the held place, if possible.
fn push(kind: &str, name: &str, force: DVec3) -> Value {
    let mut push = json!({"on": name, "force": force.to_array()});
    match kind {
        "mass" => {}
        "body" => push["at"] = json!([0.1, 0.1, 0.0]),
        _ => push["at"] = json!("80 %"),
    }
    json!({"force": push})
}

/// A moment that turns an object about all axes; it adds no momentum.
fn turn(name: &str) -> Value {
    json!({"moment": {"on": name, "moment": TURN}})
}
const TURN: [f64; 3] = [0.02, -0.01, 0.01];

/// Pushes on both objects, N.
const PUSHES: [DVec3; 2] = [DVec3::new(2.0, -1.0, 3.0), DVec3::new(-1.0, 2.0, -0.5)];
const STEP: f64 = 4e-3;
const STEPS: usize = 30;

/// A constraint on objects of these kinds; the second may be the world.
fn described(kind: &Kind, objects: [&str; 2]) -> Value {
    let mut scene = json!({"settings": {"gravity": [0, 0, 0], "step": STEP, "duration": 1e3, "solves": 12,
        "integrator": "bdf2"}, "load": {"push a": push(objects[0], "a", PUSHES[0])}});
    if Need::Frame.is_met_by(objects[0]) {
        scene["load"]["turn"] = turn("a");
        if objects[0] != "body" {
            scene["load"]["turn"]["moment"]["at"] = json!("80 %");
        }
    }
    let along = if kind.parallel { DVec3::X } else { DVec3::new(0.0, 0.6, 0.8) };
    let first = add_object(&mut scene, objects[0], "a", kind.apart, DVec3::X);
    let mut words = kind.words.clone();
    let fields = words.as_object_mut().and_then(|all| all.values_mut().next()).expect("fields");
    for (field, value) in first.as_object().into_iter().flatten() {
        fields[field] = value.clone();
    }
    if objects[1] != "world" {
        let other = add_object(&mut scene, objects[1], "b", DVec3::ZERO, along);
        scene["load"]["push b"] = push(objects[1], "b", PUSHES[1]);
        fields["to"] = other;
    }
    scene["constraint"] = json!({"c": words});
    scene
}

/// Momentum of an object, kg·m/s.
fn momentum(world: &World, name: &str) -> DVec3 {
    let object = object(world, name);
    let masses = &world.structure().node_mass[object.first..];
    let velocities = world.state().v[object.unknowns()].chunks_exact(4);
    velocities.zip(masses).map(|(v, m)| DVec3::new(v[0], v[1], v[2]) * *m).sum()
}

/// Momenta M v of the unknowns of an object.
fn momenta(world: &World, name: &str) -> Vec<f64> {
    let object = object(world, name);
    let (range, state) = (object.unknowns(), world.state());
    let mut momenta = vec![0.0; range.len()];
    object.model().add_mass_times(object.own(&state.q, &state.frames), &state.v[range], &mut momenta);
    momenta
}

/// Moment about the origin of forces on the unknowns of an object, N·m: their work in a rotation of it all.
fn moment_of(world: &World, name: &str, kind: &str, forces: &[f64]) -> DVec3 {
    let object = object(world, name);
    let q = &world.state().q[object.unknowns()];
    let count = q.len() / 4;
    let moment = |(i, (q, f)): (usize, (&[f64], &[f64]))| {
        let force = DVec3::from_slice(f);
        match (kind, i) {
            ("body", 1) => force,
            ("body" | "mass", _) => DVec3::from_slice(q).cross(force),
            _ => {
                // A rotation ω rolls the sections by ω·t.
                let share = (i as f64 + 0.5) / count as f64;
                let section = world.section(object, share * object.rod().expect("a rod").length());
                DVec3::from_slice(q).cross(force) + section.expect("a section").tangent * f[3]
            }
        }
    };
    q.chunks_exact(4).zip(forces.chunks_exact(4)).enumerate().map(moment).sum()
}

/// Moment about the origin of push and turn on an object, N·m.
fn moment_of_loads(world: &World, name: &str, kind: &str, force: DVec3) -> DVec3 {
    let body = object(world, name);
    let q = &world.state().q[body.unknowns()];
    let at = match kind {
        "mass" => DVec3::from_slice(q),
        "body" => DVec3::from_slice(q) + DQuat::from_slice(&q[4..]) * DVec3::new(0.1, 0.1, 0.0),
        _ => crate::common::at(world, name, 0.8),
    };
    let turn = name == "a" && Need::Frame.is_met_by(kind);
    at.cross(force) + if turn { DVec3::from_array(TURN) } else { DVec3::ZERO }
}

/// Force and moment of the constraint on both ends.
fn acts(kind: &Kind, world: &World) -> [Force; 2] {
    let (constraint, memory) = (&world.structure().constraints[0], &world.state().constraints[0]);
    let sites = world.sites(0).expect("a constraint");
    let mut rows = Rows::default();
    constraint.law.linearise(&sites, memory, world.time(), &mut rows);
    let mut forces = [0, 1].map(|e| Force::of_rows(&rows, &memory.multipliers, &sites[e], e));
    if rows.is_empty() || kind.pushes {
        // Rows of laws and stops: what acts on one end acts in the same line on the other.
        forces[0] = world.constraint_force(0).expect("a constraint");
        let turned = if sites[1].turns { forces[0].moment } else { DVec3::ZERO };
        let lever = if sites[1].turns { sites[0].x - sites[1].x } else { DVec3::ZERO };
        forces[1] = Force { force: -forces[0].force, moment: -turned - lever.cross(forces[0].force) };
    }
    forces
}

/// Largest work of the constraint on free unit motions, N or N·m.
fn work_on_free_motions(kind: &Kind, act: &Force, sites: &[Site; 2], start: &[Site; 2]) -> f64 {
    let [by_first, by_second] = [0, 1].map(|e| sites[e].frame() * start[e].frame().transpose());
    let turned = |by: DMat3, direction: DVec3| by * direction;
    let tangent = |e: usize| sites[e].t;
    let work = |free: &Free| match *free {
        Along(n) => act.force.dot(turned(by_second, n)).abs(),
        About(n) => act.moment.dot(turned(by_second, n)).abs(),
        AboutFirst(n) => act.moment.dot(turned(by_first, n)).abs(),
        AcrossLine => act.force.reject_from(sites[0].x - sites[1].x).length(),
        Round(n) => {
            let way = turned(by_second, n).cross(sites[0].x - sites[1].x).normalize();
            act.force.dot(way).abs()
        }
        AlongTangent(e) => act.force.dot(tangent(e)).abs(),
        AboutTangent => act.moment.dot(tangent(0)).abs(),
        AcrossTangents => act.moment.reject_from(tangent(0) + by_second * start[0].t).length(),
        AlongSecond(k) => act.force.dot(sites[1].frame().col(k)).abs(),
        AboutSecond(k) => act.moment.dot(sites[1].frame().col(k)).abs(),
        RubsAbout(n, most) => (act.moment.dot(turned(by_second, n)).abs() - most).max(0.0),
        AllDisplacements => act.force.length(),
        AllRotations => act.moment.length(),
    };
    kind.free.iter().map(work).fold(0.0, f64::max)
}

/// Runs a pair and checks all statements. Returns the largest force or moment; zero means that nothing was
/// tested.
fn holds(kind: &Kind, objects: [&str; 2], mut run: Simulation) -> f64 {
    let what = format!("{} on {} and {}", kind.name, objects[0], objects[1]);
    let start = run.world().sites(0).expect("a constraint");
    let names = if objects[1] == "world" { &["a"][..] } else { &["a", "b"][..] };
    let mut past_momenta = vec![[DVec3::ZERO; 2]; names.len()];
    let mut past: Vec<[Vec<f64>; 2]> =
        names.iter().map(|name| [0, 1].map(|_| momenta(run.world(), name))).collect();
    let mut most = 0.0_f64;
    for k in 0..STEPS {
        let report = run.step(&NoClock);
        assert!(!report.held && !report.unsettled && report.substeps <= 1, "{what}: {report:?}");
        assert!(report.residual < 1e-9, "{what}: missed by {:e}", report.residual);
        let world = run.world();
        let (sites, [on_first, on_second]) = (world.sites(0).expect("a constraint"), acts(kind, world));
        let size = on_first.force.length().max(on_first.moment.length()).max(1.0);
        most = most.max(on_first.force.length()).max(on_first.moment.length());
        // ṗ = push + force. The first step is Euler, with the directions of its rows at the start; the others
        // are BDF2.
        let tolerance = if k == 0 { 1e-2 } else { 1e-5 };
        for (e, (name, before)) in names.iter().zip(&mut past_momenta).enumerate() {
            let now = momentum(world, name);
            let change = if k == 0 { now - before[0] } else { 1.5 * now - 2.0 * before[0] + 0.5 * before[1] };
            let force = PUSHES[e] + [on_first.force, on_second.force][e];
            assert!((change / STEP - force).length() < tolerance * size, "{what}: {name}: {change} {force}");
            *before = [now, before[0]];
            // L̇ = moment of the push and of the constraint, with the discrete derivative of all momenta.
            let now = momenta(world, name);
            let change = |i: usize| {
                let [last, first] = [past[e][0][i], past[e][1][i]];
                (if k == 0 { now[i] - last } else { 1.5 * now[i] - 2.0 * last + 0.5 * first }) / STEP
            };
            let changes: Vec<f64> = (0..now.len()).map(change).collect();
            let act = [on_first, on_second][e];
            let moment = moment_of_loads(world, name, objects[e], PUSHES[e])
                + act.moment
                + sites[e].x.cross(act.force);
            let missing = moment_of(world, name, objects[e], &changes) - moment;
            // The same tolerance as that of ṗ, but for rods with a roll: a rotation of their unknowns rolls
            // their sections by ω·t only in the mean. Measured are 1e-8 and 1.2e-3.
            let rolls = Need::FramedCurve.is_met_by(objects[e]);
            let most = if rolls { tolerance.max(2e-3) } else { tolerance };
            assert!(missing.length() < most * size, "{what}: {name}: moment {missing} is missing");
            past[e] = [now, std::mem::take(&mut past[e][0])];
        }
        let worked = work_on_free_motions(kind, &on_first, &sites, &start);
        assert!(worked < 0.1 * tolerance * size, "{what}: {worked:e} of {size} on free motions");
        if objects[1] == "world" {
            continue;
        }
        assert!((on_first.force + on_second.force).length() < 1e-9 * size, "{what}: unbalanced forces");
        // A mass takes no moment, so directions that are fixed to it leave the moments unbalanced.
        let turns = kind.needs[1] != Need::FrameOrMass || objects[1] != "mass";
        let moment = on_first.moment
            + on_second.moment
            + sites[0].x.cross(on_first.force)
            + sites[1].x.cross(on_second.force);
        assert!(!turns || moment.length() < 1e-8 * size, "{what}: unbalanced moments {moment}");
        if kind.needs == [Need::Frame; 2] && kind.free.is_empty() {
            let [now, then] = [&sites, &start].map(|[a, b]| b.frame().transpose() * a.frame());
            assert!(log(now * then.transpose()).length() < 1e-9, "{what}: turned");
        }
    }
    most
}

/// Tests every kind with these partners; returns how many held and how many were refused.
fn conform(kinds: &[Kind], seconds: &[&str]) -> [usize; 2] {
    let (mut counts, mut failed) = ([0, 0], Vec::new());
    for kind in kinds {
        for first in OBJECTS {
            for &second in seconds {
                let words = described(kind, [first, second]);
                let what = format!("{} on {first} and {second}", kind.name);
                let fits =
                    kind.needs[0].is_met_by(first) && (second == "world" || kind.needs[1].is_met_by(second));
                let description = serde_json::from_value(words["constraint"]["c"].clone());
                if description.is_err() && !fits {
                    // The kind needs a place on a curve, and the object has none.
                    counts[1] += 1;
                    continue;
                }
                assert!(description.is_ok_and(|description| is_in_the_lists(&description)), "{what}");
                match Simulation::build_with(&scene(words), &registry()) {
                    Ok(run) if fits => {
                        let test = AssertUnwindSafe(|| holds(kind, [first, second], run));
                        let held = std::panic::catch_unwind(test);
                        match held {
                            Ok(most) if most > 1e-3 => counts[0] += 1,
                            Ok(_) => failed.push(format!("{what}: no force")),
                            Err(_) => failed.push(what),
                        }
                    }
                    Err(error) if !fits => {
                        assert!(!error.remedy.is_empty(), "{what}: {error}");
                        counts[1] += 1;
                    }
                    Ok(_) => failed.push(format!("{what}: built, but should be refused")),
                    Err(error) => failed.push(format!("{what}: {error}")),
                }
            }
        }
    }
    assert!(failed.is_empty(), "{failed:#?}");
    counts
}

#[test]
fn every_constraint_does_its_work_between_every_pair_of_objects() {
    let kinds = pairs();
    // 35 kinds on 6 × 6 objects: of the 6, 5 have a tangent, 5 carry directions, 4 have a frame, 4 are
    // curves.
    assert_eq!((kinds.len(), conform(&kinds, &OBJECTS)), (35, [797, 463]));
}

#[test]
fn every_constraint_does_its_work_on_every_object() {
    let kinds = alone();
    assert_eq!((kinds.len(), conform(&kinds, &["world"])), (20, [101, 19]));
}

#[test]
fn roll_of_a_body_follows_its_angle() {
    let mut run = Simulation::build(&scene(json!({
        "settings": {"gravity": [0, 0, 0], "step": 0.01, "duration": 1, "solves": 3},
        "body": {"a": {"mass": 1, "inertia": {"moments": [0.01, 0.02, 0.02]}}},
        "constraint": {"c": {"roll": {"on": "a", "angle": {"ramp": {"from": 0, "to": 2, "end": 1}}}}},
    })))
    .expect("a scene");
    while !run.finished() {
        assert!(!run.step(&NoClock).held);
        let turned = log(run.world().sites(0).expect("a roll")[0].frame());
        assert!((turned - DVec3::X * 2.0 * run.time()).length() < 1e-9, "{turned} at {}", run.time());
    }
}
