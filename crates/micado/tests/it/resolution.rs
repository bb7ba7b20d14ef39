//! Rods that look after their resolution themselves.

use crate::common::{at, bits, build, happened, object, scene};
use micado::clock::NoClock;
use micado::run::{EventKind, Simulation};
use serde_json::{Value, json};

/// A cable that a hand bends to a hairpin and stretches again.
fn folded() -> Value {
    json!({
        "settings": {"step": 5e-3, "duration": 3, "gravity": [0, 0, 0]},
        "rod": {"r": {"radius": 0.004, "young": 2e8, "density": 1500, "segments": 10, "resolution": "auto",
            "refinement": {"most": 24, "bend": 0.3},
                      "damping": {"internal": 0.02, "mass": 5},
                          "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}}},
        "constraint": {
            "left": {"clamp": {"on": "r", "at": "start",
                "rotation": {"keyframes": {"times": [0, 1, 2], "values": [[0, 0, 0], [0, 1.2, 0], [0, 0, 0]],
                "smooth": true}}}},
            "right": {"position": {"on": "r", "at": "end",
                "displacement": {"keyframes": {"times": [0, 1, 2],
                "values": [[0, 0, 0], [-0.7, 0, 0], [0, 0, 0]], "smooth": true}}}},
        },
        "probe": [{"name": "radius", "of": "r", "read": "least-bend-radius"},
            {"name": "middle", "of": "r", "at": "50 %", "read": "position", "component": "z"}],
    })
}

fn nodes(simulation: &Simulation) -> usize {
    object(simulation.world(), "r").nodes()
}

#[test]
fn knots_follow_bends_and_every_change_is_reported() {
    let mut simulation = build(folded());
    assert_eq!(nodes(&simulation), 13);
    let mut most = 0;
    while !simulation.finished() {
        simulation.step(&NoClock);
        most = most.max(nodes(&simulation));
        if (simulation.time() - 1.0).abs() < 1e-6 {
            // It has knots for its hairpin.
            let radius = simulation.probe_values()[0];
            assert!(
                nodes(&simulation) > 16,
                "{} control points at a radius of {radius} m",
                nodes(&simulation)
            );
        }
    }
    assert!(most <= 24, "{most} control points");
    assert!(
        happened!(simulation, Resolution) && !happened!(simulation, Held) && !happened!(simulation, Refused)
    );
    // Every change is reported, and the numbers follow from each other.
    let last = simulation.events().iter().fold(13, |now, event| match event.what {
        EventKind::Resolution { before, after, .. } => {
            assert_eq!(before, now, "{event:?}");
            after
        }
        _ => now,
    });
    assert_eq!(last, nodes(&simulation));
    // Stretched again, it is the straight line that it was, and needs few of its knots.
    assert!(nodes(&simulation) <= 15, "{} control points for a straight line", nodes(&simulation));
    assert!((0..=10).all(|k| {
        at(simulation.world(), "r", f64::from(k) / 10.0).distance(glam::DVec3::X * f64::from(k) / 10.0) < 1e-3
    }));
}

#[test]
fn adaptive_rod_can_be_cut_and_its_parts_stay_adaptive() {
    let mut value = folded();
    value["action"] = json!([{"at": 1.0, "do": {"cut": {"rod": "r", "at": "35 %", "second": "rest"}}}]);
    let mut simulation = build(value);
    while !simulation.finished() {
        simulation.step(&NoClock);
    }
    assert!(!happened!(simulation, Failed) && !happened!(simulation, Held), "{:?}", simulation.events());
    assert!(object(simulation.world(), "rest").nodes() >= 5);
}

#[test]
fn a_run_and_its_continuation_divide_alike() {
    let scene = scene(folded());
    let mut whole = Simulation::build(&scene).expect("a scene");
    let mut parts = Simulation::build(&scene).expect("a scene");
    while !whole.finished() {
        whole.step(&NoClock);
        parts.step(&NoClock);
        if parts.steps().is_multiple_of(37) {
            (parts, _) = Simulation::restore(&parts.snapshot(&scene)).expect("a snapshot");
        }
    }
    assert!(bits(whole.world()) == bits(parts.world()) && whole.events() == parts.events());
}

#[test]
fn a_moment_on_a_rod_divides_its_bending_moment() {
    // Of what is beyond s: M = m − F (b − s) before the place a of the moment, −F (b − s) behind it. Small
    // enough for linear theory.
    let (force, b, moment, a, near) = (1e-3, 0.63, 4e-4, 0.31, 0.02);
    let jump = |segments: usize, resolution: &str| {
        let mut simulation = build(json!({
            "settings": {"mode": "static", "gravity": [0, 0, 0], "duration": 1, "step": 0.01},
            "rod": {"r": {"radius": 0.004, "young": 2e8, "density": 1500, "segments": segments,
                "resolution": resolution}},
            "constraint": {"left": {"clamp": {"on": "r", "at": "start"}}},
            "load": {"push": {"force": {"on": "r", "at": b, "force": [0, 0, force]}},
                "turn": {"moment": {"on": "r", "at": a, "moment": [0, moment, 0]}}},
        }));
        while !simulation.finished() {
            assert!(simulation.step(&NoClock).converged);
        }
        let world = simulation.world();
        let bending = |s: f64| world.section(object(world, "r"), s).expect("a rod").bending_moment.y;
        (
            (bending(a - near) - bending(a + near)).abs() / (moment - 2.0 * force * near) - 1.0,
            nodes(&simulation),
        )
    };
    // A knot where the force acts, and two about the place of the moment.
    let (error, count) = jump(6, "auto");
    assert!(error.abs() < 0.03 && count == 12, "{error} with {count} control points");
    // Even segments of 67 mm smear it.
    let (error, _) = jump(15, "given");
    assert!(error.abs() > 0.3, "{error}");
}

#[test]
fn a_rod_that_has_all_its_points_is_not_moved_for_the_sake_of_a_new_place() {
    // Ten segments, five at its coarsest, no more points than these, bent to a third of a circle; then
    // something takes hold between two knots.
    let mut simulation = build(json!({
        "settings": {"mode": "static", "gravity": [0, 0, 0], "duration": 1, "step": 0.1},
        "rod": {"r": {"radius": 0.004, "young": 2e8, "density": 1500, "segments": 10, "resolution": "auto",
            "refinement": {"least": 8, "most": 13}}},
        "constraint": {"left": {"clamp": {"on": "r", "at": "start"}}},
        "load": {"turn": {"moment": {"on": "r", "at": "end", "moment": [0, 0.08, 0]}}},
    }));
    let shape = |simulation: &Simulation| {
        (0..=20).map(|k| at(simulation.world(), "r", f64::from(k) / 20.0)).collect::<Vec<_>>()
    };
    assert!(simulation.step(&NoClock).converged);
    let before = shape(&simulation);
    assert!(before[20].distance(before[0]) < 0.9, "{}", before[20]);
    simulation
        .apply(
            &serde_json::from_value(
                json!({"add-constraint": {"name": "hook", "to": {"position": {"on": "r", "at": 0.37}}}}),
            )
            .expect("an edit"),
        )
        .expect("held");
    for _ in 0..4 {
        assert!(simulation.step(&NoClock).converged && nodes(&simulation) <= 13);
    }
    // An arc of constant curvature, which any number of segments bends to within the error of a few of them.
    let moved =
        shape(&simulation).iter().zip(&before).map(|(now, then)| now.distance(*then)).fold(0.0, f64::max);
    assert!(moved < 1e-3, "{moved} m");
}
