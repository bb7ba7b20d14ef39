//! Bodies whose motion and matter are set from outside.

use crate::common::{build, force};
use glam::{DMat3, DQuat, DVec3};
use micado::clock::NoClock;
use micado::edit::{BodyMatter, BodyMotion};
use micado::run::Simulation;
use serde_json::json;

/// A body of 2 kg on a vertical rope.
fn hung() -> Simulation {
    build(json!({
        "settings": {"step": 0.01, "duration": 100},
        "rod": {"rope": {"shape": {"line": {"from": [0, 0, 0], "to": [0, 0, -1]}}, "segments": 8,
            "radius": 0.005, "mass_per_length": 0.1,
            "stiffness": {"stretch": 1e5, "bend": 1e-2, "twist": 1e-2}}},
        "load": {"air": {"drag": {"on": "load", "coefficient": 2}}},
        "body": {"load": {"mass": 2, "inertia": {"moments": [0.02, 0.02, 0.02]}, "position": [0, 0, -1.1]}},
        "constraint": {
            "top": {"position": {"on": "rope", "at": "start"}},
            "hook": {"joint": {"on": "rope", "at": "end", "kind": "ball",
                "to": {"on": "load", "at": [0, 0, 0.1]}}},
        },
    }))
}

fn matter(mass: f64, centre: DVec3, fixed: bool) -> BodyMatter {
    BodyMatter { mass, centre, inertia: DMat3::from_diagonal(DVec3::splat(0.02)), fixed }
}

fn rest(run: &mut Simulation) {
    for _ in 0..2000 {
        assert!(!run.step(&NoClock).held);
    }
}

#[test]
fn rope_loses_the_weight_of_a_body_that_is_fixed_and_carries_it_when_free() {
    let mut run = hung();
    rest(&mut run);
    let pull = force(run.world(), "hook").force.z;
    assert!((pull / (-2.0 * 9.81) - 1.0).abs() < 1e-6, "{pull}");
    let world = run.world_mut();
    assert!(!world.set_body_matter("load", &matter(2.0, DVec3::ZERO, false)).expect("no change"));
    assert!(world.set_body_matter("load", &matter(2.0, DVec3::ZERO, true)).expect("a change"));
    let motion = world.body_motion("load").expect("a body");
    // A fixed body is a target: it moves the end of the rope to the side, where the rope is slack.
    let target = BodyMotion { centre: DVec3::new(0.3, 0.0, -0.9), ..motion };
    world.set_body_motion("load", &target).expect("a motion");
    rest(&mut run);
    assert_eq!(run.world().body_motion("load").expect("a body").centre, target.centre);
    assert!(force(run.world(), "hook").force.length() < 9.81 * 0.1);
    run.world_mut().set_body_matter("load", &matter(2.0, DVec3::ZERO, false)).expect("a change");
    rest(&mut run);
    let pull = force(run.world(), "hook").force.z;
    assert!((pull / (-2.0 * 9.81) - 1.0).abs() < 1e-3, "{pull}");
}

#[test]
fn point_on_a_body_stays_when_its_centre_of_mass_moves() {
    let mut run = hung();
    let hook = |run: &Simulation| run.world().sites(1).expect("sites")[1].x;
    let before = hook(&run);
    run.world_mut()
        .set_body_matter("load", &matter(3.0, DVec3::new(0.05, 0.0, 0.0), false))
        .expect("a change");
    assert!((hook(&run) - before).length() < 1e-15);
    rest(&mut run);
    let pull = force(run.world(), "hook").force.z;
    assert!((pull / (-3.0 * 9.81) - 1.0).abs() < 0.01, "{pull}");
}

#[test]
fn impossible_matter_and_motion_are_refused() {
    let mut run = hung();
    let before = run.world().clone();
    let world = run.world_mut();
    assert!(world.set_body_matter("load", &matter(-1.0, DVec3::ZERO, false)).is_err());
    assert!(world.set_body_matter("load", &matter(1.0, DVec3::NAN, true)).is_err());
    let flat = BodyMatter {
        inertia: DMat3::from_diagonal(DVec3::new(1.0, 1.0, 3.0)),
        ..matter(1.0, DVec3::ZERO, false)
    };
    assert!(world.set_body_matter("load", &flat).is_err());
    assert!(world.set_body_matter("rope", &matter(1.0, DVec3::ZERO, false)).is_err());
    assert!(world.body_motion("nothing").is_err());
    for motion in [
        BodyMotion { centre: DVec3::NAN, ..BodyMotion::default() },
        BodyMotion { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..BodyMotion::default() },
        BodyMotion { spin: DVec3::INFINITY, ..BodyMotion::default() },
    ] {
        assert!(world.set_body_motion("load", &motion).is_err());
    }
    assert_eq!(*run.world(), before);
}
