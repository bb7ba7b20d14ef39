//! Rows that push and never pull, stop, or rub.

use crate::common::{constraint, force, probe, run};
use micado::run::Simulation;
use serde_json::{Value, json};

const G: f64 = 9.81;

/// A stiff wire that falls by 30° along its length of 1 m, with pearls on it.
fn incline(pearls: Value, duration: f64) -> Value {
    let mut held =
        json!({"a": {"clamp": {"on": "wire", "at": "start"}}, "b": {"clamp": {"on": "wire", "at": "end"}}});
    for (name, pearl) in pearls.as_object().expect("pearls") {
        held[name] = json!({ "pearl": pearl });
    }
    json!({
        "rod": {"wire": {"radius": 0.003, "young": 2e11, "density": 7800, "segments": 12,
            "damping": {"internal": 0.001},
                "shape": {"line": {"from": [0, 0, 0], "to": [0.75_f64.sqrt(), 0, -0.5]}}}},
        "constraint": held,
        "settings": {"duration": duration, "step": 0.002},
    })
}

fn place(simulation: &Simulation, name: &str) -> f64 {
    simulation.world().sliding_place(constraint(simulation.world(), name)).expect("a pearl")
}

#[test]
fn mass_on_a_limited_distance_falls_until_taut_and_then_hangs() {
    let scene = |duration: f64| {
        json!({
            "mass": {"m": {"position": [0, 0, 0], "mass": 2, "velocity": [0, 0, 0]}},
            "constraint": {"r": {"distance": {"on": "m", "centre": [0, 0, 0.01], "distance": 1,
                "limit": "at-most"}}},
            "load": {"d": {"drag": {"on": "m", "coefficient": 1}}},
            "settings": {"duration": duration, "step": 0.001},
        })
    };
    let slack = run(scene(0.3));
    assert_eq!(force(slack.world(), "r").force.length(), 0.0);
    let taut = run(scene(3.0));
    // A rope doesn't bounce: after one step of contact the mass hangs still.
    assert!((force(taut.world(), "r").force.z - 2.0 * G).abs() < 1e-6, "{}", force(taut.world(), "r").force);
    assert!(taut.world().constraint_miss(0).expect("a constraint") < 1e-9);
}

#[test]
fn four_slings_share_a_load_equally() {
    let (hook, limit) = ([0.0, 0.0, 2.1], "at-most");
    let sling = |x: f64, y: f64| {
        let corner = [x, y, 0.6];
        json!({"distance": {"on": "load", "at": corner, "centre": hook, "limit": limit}})
    };
    let simulation = run(json!({
        "body": {"load": {"shape": {"box": {"size": [3, 1.2, 1.2]}}, "mass": 1200, "position": [0, 0, 0]}},
        "constraint": {
            "a": sling(1.5, 0.6), "b": sling(-1.5, 0.6), "c": sling(1.5, -0.6), "d": sling(-1.5, -0.6),
        },
        "settings": {"duration": 0.5, "step": 0.005},
    }));
    // Three slings are enough: the fourth row is redundant.
    let slope = 1.5 / glam::DVec3::new(1.5, 0.6, 1.5).length();
    for name in ["a", "b", "c", "d"] {
        let share = force(simulation.world(), name).force.length() * 4.0 * slope / (1200.0 * G);
        // Rounding of W, 1e-16, divided by the small compliance, 1e-9.
        assert!((share - 1.0).abs() < 1e-6, "{name}: {share}");
    }
}

#[test]
fn a_rod_on_two_one_sided_planes_rests_on_them_with_half_its_weight_each() {
    let simulation = run(json!({
        "rod": {"rod": {"radius": 0.005, "young": 1e9, "density": 1000, "segments": 8,
            "damping": {"mass": 20, "internal": 0.01},
                "shape": {"line": {"from": [0, 0, 0.1], "to": [1, 0, 0.1]}}}},
        "constraint": {
            "a": {"plane": {"on": "rod", "at": "start", "normal": [0, 0, 1], "point": [0, 0, 0],
                "side": "above"}},
            "b": {"plane": {"on": "rod", "at": "end", "normal": [0, 0, 1], "point": [0, 0, 0],
                "side": "above"}},
        },
        "settings": {"duration": 4, "step": 0.005},
    }));
    let weight = simulation.world().structure().objects[0].total_mass() * G;
    for name in ["a", "b"] {
        // The rest of the swing after 4 s with 20 1/s.
        assert!(
            (force(simulation.world(), name).force.z - 0.5 * weight).abs() < 1e-3 * weight,
            "{}",
            force(simulation.world(), name).force
        );
    }
}

#[test]
fn weakly_coupled_pearl_slides_like_a_strong_one_and_loads_its_wire_transversely() {
    let (mass, h, t) = (0.002, 0.002, 0.3);
    let slid = ["strong", "weak"].map(|coupling| {
        let pearl = json!({"on": "wire", "at": 0.2, "mass": mass, "coupling": coupling});
        let simulation = run(incline(json!({ "p": pearl }), t));
        // g sin 30° t²/2 and Euler's a t h/2, on a wire that sags by 1e-3 of its length.
        let slid = place(&simulation, "p") - 0.2;
        let expected = 0.25 * G * t * (t + h);
        assert!((slid - expected).abs() < 3e-3 * expected, "{coupling}: {slid}");
        // m g cos² 30°, besides the weight of the wire; what is along it the wire does not feel.
        let world = simulation.world();
        let carried = (force(world, "a").force + force(world, "b").force).z
            - world.structure().objects[0].total_mass() * G;
        assert!((carried - 0.75 * mass * G).abs() < 0.02 * mass * G, "{coupling}: {carried}");
        slid
    });
    // What a wire that is a hundred times as heavy does not feel of the pearl changes its sag of 1e-3 by a
    // hundredth.
    assert!((slid[0] - slid[1]).abs() < 1e-4 * slid[0], "{slid:?}");
}

#[test]
fn weakly_coupled_pearls_that_lean_on_each_other_do_not_pull_at_their_wire() {
    let tension = json!({"name": "tension", "of": "wire", "at": 0.96, "read": "tension"});
    let mut scene = incline(json!({}), 0.6);
    scene["probe"] = json!([tension]);
    let empty = probe(&run(scene), "tension");
    let pearl = |at: f64| json!({"on": "wire", "at": at, "mass": 0.002, "radius": 0.02, "coupling": "weak"});
    let mut scene = incline(json!({"p": pearl(0.9), "q": pearl(0.95)}), 0.6);
    scene["probe"] = json!([tension, {"name": "push", "of": "p", "read": "contact"}]);
    let loaded = run(scene);
    // The upper one rests on the lower one, which rests on the stop at the end of the wire.
    let push = probe(&loaded, "push");
    assert!((push - 0.5 * 0.002 * G).abs() < 1e-2 * 0.002 * G, "{push}");
    // What they weigh across the wire makes it sag more, and adds an eighth of that to its tension.
    assert!(
        (probe(&loaded, "tension") - empty).abs() < 0.25 * push,
        "{} N beside {empty} N",
        probe(&loaded, "tension")
    );
}

#[test]
fn wire_feels_the_drag_of_a_weakly_coupled_pearl() {
    // With c = m g sin 30°/(0.1 m/s) it comes to 0.1 m/s, and the wire carries all of its weight.
    let mass = 0.002;
    let pearl =
        json!({"on": "wire", "at": 0.2, "mass": mass, "viscosity": 0.5 * mass * G / 0.1, "coupling": "weak"});
    let simulation = run(incline(json!({ "p": pearl }), 0.5));
    let world = simulation.world();
    let speed = world.state().constraints[constraint(world, "p")].sliding.velocity;
    // On a wire that sags.
    assert!((glam::DVec3::from_array(speed).length() - 0.1).abs() < 5e-4, "{speed:?}");
    let carried =
        (force(world, "a").force + force(world, "b").force).z - world.structure().objects[0].total_mass() * G;
    assert!((carried - mass * G).abs() < 0.01 * mass * G, "{carried}");
}

#[test]
fn friction_above_the_slope_holds_a_pearl_and_below_it_slows_it_down() {
    let at = |friction: f64| json!({"on": "wire", "at": 0.1, "mass": 0.1, "friction": friction});
    let stuck = run(incline(json!({"p": at(0.6)}), 0.4));
    // tan 30° = 0.577. The wire's first swing under the pearl lifts it a little.
    assert!((place(&stuck, "p") - 0.1).abs() < 1e-3, "{}", place(&stuck, "p"));
    let slid = run(incline(json!({"p": at(0.2)}), 0.4));
    // g (sin 30° − 0.2 cos 30°) t²/2 and Euler's a t h/2.
    let acceleration = G * (0.5 - 0.2 * 0.75_f64.sqrt());
    let expected = 0.5 * acceleration * 0.4 * 0.402;
    assert!(
        (place(&slid, "p") - 0.1 - expected).abs() < 0.02 * expected,
        "{} against {expected}",
        place(&slid, "p") - 0.1
    );
}

#[test]
fn stacked_pearls_push_with_their_weight_along_the_wire() {
    let pearl = |at: f64| json!({"on": "wire", "at": at, "mass": 0.1, "radius": 0.01});
    let mut description = incline(json!({"p": pearl(0.5), "q": pearl(0.6)}), 1.5);
    description["probe"] = json!([{"name": "push", "of": "p", "read": "contact"}]);
    let simulation = run(description);
    assert!((place(&simulation, "q") - 1.0).abs() < 1e-9, "{}", place(&simulation, "q"));
    assert!((place(&simulation, "p") - 0.98).abs() < 1e-6, "{}", place(&simulation, "p"));
    // m g sin 30°, but for the sag of the wire.
    assert!((probe(&simulation, "push") - 0.1 * G * 0.5).abs() < 0.01, "{}", probe(&simulation, "push"));
}
