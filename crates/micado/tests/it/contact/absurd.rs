//! Absurd but valid numbers: a run goes on, stays finite, and reports failures.

use super::{G, read};
use crate::common::{build, is_finite, probe};
use micado::clock::NoClock;
use micado::run::{EventKind, Simulation};
use micado::step::StepReport;
use micado::world::Refusal;
use serde_json::{Value, json};

/// Runs a scene and checks that all its numbers are finite. Returns the reports of all steps.
fn survive(name: &str, description: Value) -> (Simulation, Vec<StepReport>) {
    let mut simulation = build(description);
    let mut reports = Vec::new();
    while !simulation.finished() {
        let report = simulation.step(&NoClock);
        assert!(is_finite(simulation.world()), "{name}: {report:?}");
        assert!(
            report.penetration.is_finite()
                && report.sweep_residual.is_finite()
                && report.residual.is_finite(),
            "{name}: {report:?}"
        );
        reports.push(report);
    }
    (simulation, reports)
}

fn cube(mass: f64, position: [f64; 3], velocity: [f64; 3]) -> Value {
    json!({"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "mass": mass, "position": position,
        "velocity": velocity})
}

/// A cube on the floor, with the changes of a case.
fn scene(cubes: Value, contact: Value, settings: Value) -> Value {
    json!({"floor": true, "contact": contact, "body": cubes, "settings": settings,
        "probe": [read("floor", "floor", "contact-force", "z"), read("x", "cube", "position", "x"),
            read("z", "cube", "position", "z"), read("v", "cube", "velocity", "norm")]})
}

#[test]
fn friction_of_a_million_holds_like_glue() {
    let push = json!({"push": {"force": {"on": "cube", "force": [1, 0, 0]}}});
    for friction in [10.0, 1e3, 1e6] {
        let mut described = scene(
            json!({"cube": cube(1.0, [0.0, 0.0, 0.05], [0.0; 3])}),
            json!({"friction": friction}),
            json!({"duration": 0.5, "step": 0.01}),
        );
        described["load"] = push.clone();
        let (done, reports) = survive("friction", described);
        assert!(reports.iter().all(|report| !report.held && !report.unsolved_contacts), "{friction}");
        // 1 N at the height of the centre does not tip it; the tolerance of the sweeps in 50 steps.
        assert!(probe(&done, "x").abs() < 1e-9, "{friction}: {} m", probe(&done, "x"));
        assert!((-probe(&done, "floor") / G - 1.0).abs() < 1e-6, "{friction}");
    }
}

#[test]
fn a_step_of_a_second_puts_a_cube_on_the_floor() {
    let (done, _) = survive(
        "step",
        scene(
            json!({"cube": cube(1.0, [0.0, 0.0, 1.0], [0.0; 3])}),
            json!({"friction": 0.3}),
            json!({"duration": 10, "step": 1}),
        ),
    );
    assert!((probe(&done, "z") - 0.05).abs() < 1e-9, "{} m", probe(&done, "z"));
    assert!((-probe(&done, "floor") / G - 1.0).abs() < 1e-9, "{} N", probe(&done, "floor"));
}

#[test]
fn without_gravity_nothing_that_touches_moves() {
    let (done, _) = survive(
        "gravity",
        scene(
            json!({"cube": cube(1.0, [0.0, 0.0, 0.05], [0.0; 3]),
                "other": cube(1.0, [0.1, 0.0, 0.05], [0.0; 3])}),
            json!({"friction": 0.3, "restitution": 0.5}),
            json!({"duration": 1, "step": 0.01, "gravity": [0, 0, 0]}),
        ),
    );
    assert!(probe(&done, "v") < 1e-12 && probe(&done, "floor").abs() < 1e-9);
}

#[test]
fn a_cube_of_any_weight_carries_one_that_is_lighter() {
    for (below, above) in [(1e6, 1e-6), (1e3, 1e-3), (1.0, 1.0), (1.0, 100.0)] {
        let (done, reports) = survive(
            "weights",
            scene(
                json!({"cube": cube(below, [0.0, 0.0, 0.05], [0.0; 3]),
                    "upper": cube(above, [0.0, 0.0, 0.15], [0.0; 3])}),
                json!({"friction": 0.3}),
                json!({"duration": 0.5, "step": 0.005}),
            ),
        );
        assert!(reports.iter().all(|report| !report.held && !report.unsolved_contacts), "{below}, {above}");
        let off = -probe(&done, "floor") / ((below + above) * G) - 1.0;
        assert!(off.abs() < 1e-6, "{below} kg under {above} kg: {off:e}");
        assert!((probe(&done, "z") - 0.05).abs() < 1e-8, "{below} kg under {above} kg");
    }
}

#[test]
fn a_crumb_under_a_mountain_is_held_up_or_reported() {
    let (done, reports) = survive(
        "crumb",
        scene(
            json!({"cube": cube(1e-6, [0.0, 0.0, 0.05], [0.0; 3]),
                "upper": cube(1e6, [0.0, 0.0, 0.15], [0.0; 3])}),
            json!({"friction": 0.3}),
            json!({"duration": 0.5, "step": 0.005}),
        ),
    );
    let carried = -probe(&done, "floor") / (1e6 * G) - 1.0;
    assert!(carried.abs() < 1e-6, "{carried:e}");
    let stays = (probe(&done, "z") - 0.05).abs() < 1e-3 && probe(&done, "x").abs() < 1e-3;
    assert!(stays || reports.iter().any(|report| report.unsolved_contacts), "it left and was not reported");
}

#[test]
fn a_cube_that_is_far_too_fast_stays_above_the_floor_or_is_held_and_reported() {
    for (name, velocity, spin, gravity, held) in [
        ("speed", [1e5, 0.0, -1e5], [0.0; 3], G, false),
        ("spin", [0.0; 3], [1e5, 0.0, 1e4], G, true),
        ("gravity", [0.0; 3], [0.0; 3], 1e9, false),
    ] {
        let mut body = cube(1.0, [0.0, 0.0, 0.06], velocity);
        body["spin"] = json!(spin);
        let (done, reports) = survive(
            name,
            scene(
                json!({"cube": body}),
                json!({"friction": 0.3}),
                json!({"duration": 0.1, "step": 0.005, "gravity": [0, 0, -gravity]}),
            ),
        );
        assert_eq!(reports.iter().any(|report| report.held), held, "{name}: {:?}", reports.last());
        assert_eq!(!done.events().is_empty(), held, "{name}: {:?}", done.events());
        assert!(probe(&done, "z") > 0.05 - 1e-9, "{name}: {} m", probe(&done, "z"));
    }
}

#[test]
fn a_rod_thicker_than_it_is_long_lies_on_the_floor() {
    for model in super::MODELS {
        let (done, _) = survive(
            "thick",
            json!({
                "floor": true, "contact": {"friction": 0.3, "radius": {"rod": 0.4}},
                "rod": {"rod": {"model": model, "shape": {"line": {"from": [0, 0, 0.5], "to": [0.3, 0, 0.5]}},
                    "radius": 0.01, "young": 1e8, "density": 1000, "segments": 5,
                    "damping": {"mass": 20, "internal": 0.01}}},
                "settings": {"duration": 2, "step": 0.01},
                "probe": [{"name": "z", "of": "rod", "at": "50 %", "read": "position", "component": "z"},
                    read("push", "rod", "contact-force", "z")],
            }),
        );
        let weight = std::f64::consts::PI * 1e-4 * 1000.0 * 0.3 * G;
        assert!((probe(&done, "push") / weight - 1.0).abs() < 1e-6, "{model}: {} N", probe(&done, "push"));
        assert!((probe(&done, "z") - 0.4).abs() < 1e-5, "{model}: {} m", probe(&done, "z"));
    }
}

#[test]
fn a_cube_between_walls_that_are_too_near_is_reported_with_the_overlap_that_stays() {
    let wall =
        |x: f64| json!({"shape": {"box": {"size": [0.1, 1, 1]}}, "fixed": true, "position": [x, 0, 0]});
    for friction in [0.0, 0.3] {
        let (done, reports) = survive(
            "wedged",
            json!({
                "contact": {"friction": friction},
                "body": {"left": wall(-0.09), "right": wall(0.09), "cube": cube(1.0, [0.0; 3], [0.0; 3])},
                "settings": {"duration": 0.5, "step": 0.005},
                "probe": [read("z", "cube", "position", "z"), read("x", "cube", "position", "x")],
            }),
        );
        // 8 cm of room: 1 cm of overlap on each side, which the residual of the report shows.
        let first = &reports[0];
        assert!(!first.held && first.unsolved_contacts && first.sweep_residual > 1e-3, "{first:?}");
        assert!((first.penetration - 0.01).abs() < 1e-3, "{first:?}");
        // Nothing throws it: at most it has fallen freely, and it has not left the gap far to a side.
        let fallen = G * 0.5 * 0.5 / 2.0 * 1.02 + 0.02 * 100.0;
        let (x, z) = (probe(&done, "x"), probe(&done, "z"));
        assert!(x.abs() < 0.5 && z <= 1e-9 && z > -fallen, "μ = {friction}: {x} m, {z} m");
        let told = done
            .events()
            .iter()
            .any(|event| matches!(event.what, EventKind::UnsolvedContacts { residual } if residual > 1e-3));
        assert!(told, "{:?}", done.events());
    }
}

#[test]
fn bodies_in_one_place_part_without_a_velocity() {
    for count in [2, 3, 5] {
        let mut bodies = json!({});
        for k in 0..count {
            let name = if k == 0 { "cube".to_owned() } else { format!("cube_{k}") };
            bodies[name] = cube(1.0, [0.0, 0.0, 0.3], [0.0; 3]);
        }
        let mut described = scene(
            bodies,
            json!({"friction": 0.2}),
            json!({"duration": 1, "step": 0.01, "gravity": [0, 0, 0]}),
        );
        described["probe"] = json!([{"name": "energy", "of": "world", "read": "kinetic-energy"}]);
        let (done, reports) = survive("one place", described);
        assert!(reports[0].penetration > 0.05, "{count}: {:?}", reports[0]);
        assert!(probe(&done, "energy") < 1e-20, "{count}: {} J", probe(&done, "energy"));
        assert!(reports[99].penetration < 1e-9, "{count}: {} m", reports[99].penetration);
    }
}

#[test]
fn many_bodies_in_one_place_are_more_contacts_than_a_step_can_solve_and_the_step_says_so() {
    let mut bodies = json!({});
    for k in 0..160 {
        let name = if k == 0 { "cube".to_owned() } else { format!("cube_{k}") };
        bodies[name] = cube(1.0, [0.0, 0.0, 0.3], [0.0; 3]);
    }
    let described = scene(bodies, json!({}), json!({"duration": 0.01, "step": 0.01}));
    let (done, reports) = survive("crowd", described);
    for report in &reports {
        assert!(report.held && report.refused == Some(Refusal::TooManyContacts), "{report:?}");
    }
    assert_eq!(probe(&done, "z"), 0.3, "m");
}
