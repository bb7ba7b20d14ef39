//! Scenery: shapes that are only drawn.

use glam::{DQuat, DVec3};
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::scene::{Edit, Scene};
use serde_json::{Value, json};

/// A rope of 2 m that swings from its start, with a body of 1 kg at its end, and additional items.
fn scene(beside: Value) -> Scene {
    let mut all = json!({
        "settings": { "step": 0.01, "duration": 0.5 },
        "rod": { "rope": {
            "shape": { "line": { "from": [0, 0, 0], "to": [2, 0, 0] } },
            "radius": 0.01, "young": 1e8, "density": 1000, "segments": 8,
        } },
        "body": { "box": {
            "shape": { "box": { "size": [0.1, 0.2, 0.3] } }, "mass": 1, "position": [2, 0, 0],
        } },
        "constraint": {
            "hook": { "position": { "on": "rope", "at": "start" } },
            "weld": { "joint": { "kind": "weld", "on": "box", "to": { "on": "rope", "at": "end" } } },
        },
    });
    for (kind, items) in beside.as_object().expect("tables") {
        all[kind] = items.clone();
    }
    serde_json::from_value(all).expect("a scene")
}

fn run(scene: &Scene) -> Simulation {
    let mut simulation = Simulation::build(scene).expect("a world");
    for _ in 0..30 {
        simulation.step(&NoClock);
    }
    simulation
}

fn ball(fields: Value) -> Value {
    let mut all = json!({ "shape": { "sphere": { "radius": 0.1 } } });
    for (field, value) in fields.as_object().expect("fields") {
        all[field] = value.clone();
    }
    all
}

#[test]
fn scenery_changes_no_bit_of_a_run() {
    let bare = run(&scene(json!({})));
    let decorated = run(&scene(json!({ "scenery": {
        "tree": ball(json!({ "position": [0, 0, -1] })),
        "flag": ball(json!({ "on": "rope", "at": "50 %" })),
        "crate": ball(json!({ "on": "box", "position": { "ramp": { "to": [0, 0, 1], "end": 1 } } })),
        "plank": ball(json!({ "on": "rope", "at": "start", "to": { "on": "box" } })),
    } })));
    assert_eq!(bare.world().state(), decorated.world().state());
    assert_eq!(bare.world().structure().scenery.len(), 0);
    assert_eq!(decorated.world().structure().scenery.len(), 4);
}

#[test]
fn scenery_moves_with_its_object_and_in_time() {
    let simulation = run(&scene(json!({ "scenery": {
        "crate": ball(json!({ "on": "box", "position": [0, 0.5, 0], "rotation": [0, 0, 1] })),
        "drone": ball(json!({ "position": { "ramp": { "to": [2, 0, 0], "end": 1 } } })),
        "plank": ball(json!({ "on": "rope", "at": "start", "to": { "on": "box" } })),
        "walker": ball(json!({ "on": "rope", "at": "start", "turns": false,
            "along": { "ramp": { "to": 10, "end": 1 } } })),
    } })));
    let world = simulation.world();
    let q = &world.state().q[world.structure().objects[1].unknowns()];
    let (centre, turn) = (DVec3::from_slice(q), DQuat::from_xyzw(q[4], q[5], q[6], q[7]));
    let (place, turned) = world.scenery_pose(0);
    assert!(place.distance(centre + turn * DVec3::new(0.0, 0.5, 0.0)) < 1e-12);
    assert!(turned.angle_between(turn * DQuat::from_rotation_z(1.0)) < 1e-7);
    // 0.3 s of 1 s.
    assert!(world.scenery_pose(1).0.distance(DVec3::new(0.6, 0.0, 0.0)) < 1e-12);
    // Midway, with x towards the body, and z not below the horizon.
    let (place, turn) = world.scenery_pose(2);
    assert!(place.distance(0.5 * centre) < 1e-9, "{place} {centre}");
    assert!((turn * DVec3::X).distance(centre.normalize()) < 1e-9);
    assert!((turn * DVec3::Z).z > 0.0 && (turn * DVec3::Y).z.abs() < 1e-9);
    // 3 m along a rope of 2 m: at its end, upright.
    let (place, turn) = world.scenery_pose(3);
    assert!(place.distance(centre) < 1e-6 && turn == DQuat::IDENTITY, "{place} {centre}");
}

#[test]
fn scenery_is_part_of_snapshots_and_edits() {
    let scene = scene(json!({ "scenery": { "flag": ball(json!({ "on": "rope", "at": "75 %" })) } }));
    let mut simulation = run(&scene);
    let edit =
        |word: &str, what: Value| serde_json::from_value::<Edit>(json!({ word: what })).expect("an edit");
    let added = json!({ "name": "sun", "to": ball(json!({ "position": [0, 0, 3] })) });
    simulation.apply(&edit("add-scenery", added)).expect("scenery");
    let moved = json!({ "name": "sun", "to": ball(json!({ "position": [0, 0, 4] })) });
    simulation.apply(&edit("change-scenery", moved)).expect("other scenery");
    let (restored, _) = Simulation::restore(&simulation.snapshot(&scene)).expect("a snapshot");
    for k in 0..2 {
        assert_eq!(restored.world().scenery_pose(k), simulation.world().scenery_pose(k));
    }
    assert_eq!(simulation.world().scenery_pose(1).0, DVec3::new(0.0, 0.0, 4.0));
    // After a cut it stays at its material point, on the new rod.
    let before = simulation.world().scenery_pose(0).0;
    let cut = json!({ "rod": "rope", "at": "50 %", "second": "rest" });
    simulation.apply(&edit("cut", cut)).expect("a cut");
    let structure = simulation.world().structure();
    assert_eq!(structure.scenery[0].description.on.as_deref(), Some("rest"));
    assert!(simulation.world().scenery_pose(0).0.distance(before) < 1e-9);
    simulation.apply(&edit("remove-scenery", json!("flag"))).expect("no scenery");
    assert_eq!(simulation.world().structure().scenery.len(), 1);
}

#[test]
fn bad_scenery_is_refused_with_field_and_remedy() {
    for (fields, path) in [
        (json!({ "on": "rope" }), "at"),
        (json!({ "on": "nothing" }), "on"),
        (json!({ "at": "50 %" }), "at"),
        (json!({ "along": 1.0 }), "along"),
        (json!({ "on": "box", "along": 1.0 }), "along"),
        (json!({ "to": { "on": "box" } }), "to"),
        (json!({ "on": "box", "to": { "on": "rope" } }), "to.at"),
        (json!({ "on": "box", "to": { "on": "rope", "at": "end" }, "turns": false }), "turns"),
        (json!({ "shape": { "box": { "size": [1, -1, 1] } } }), "shape.box.size[1]"),
        (json!({ "position": [1e300, 0, 0] }), "position"),
    ] {
        let scene = scene(json!({ "scenery": { "flag": ball(fields.clone()) } }));
        let error = Simulation::build(&scene).err().unwrap_or_else(|| panic!("{fields} is accepted"));
        assert_eq!(error.path, format!("scenery.flag.{path}"), "{error}");
        assert!(!error.remedy.is_empty());
    }
}

#[test]
fn a_mesh_that_is_only_drawn_may_be_open() {
    let mesh = json!({
        "vertices": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "triangles": [[0, 1, 2], [0, 2, 3]],
    });
    let build = |mesh: &Value| {
        Simulation::build(&scene(json!({ "scenery": { "sheet": { "shape": { "mesh": mesh } } } })))
    };
    let simulation = build(&mesh).expect("an open mesh");
    assert_eq!(simulation.world().structure().scenery[0].surface.triangles, [[0, 1, 2], [0, 2, 3]]);
    assert_eq!(simulation.world().turned_meshes().count(), 0);
    let mut missing = mesh;
    missing["triangles"] = json!([[0, 1, 9]]);
    assert!(build(&missing).is_err());
}
