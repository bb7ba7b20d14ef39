//! Refining a rod changes nothing that is measured; coarsening moves it by no more than was allowed.

use crate::common::{
    bits, build, constraint, equilibrium, force, happened, momentum, object, probe, scene, total_mass,
    velocity,
};
use micado::clock::NoClock;
use micado::describe::anchor::At;
use micado::run::{EditSummary, EventKind, Simulation};
use micado::scene::Edit;
use micado::scene::{Coarsen, Refine};
use micado::world::World;
use serde_json::{Value, json};

fn refine(shares: &[f64]) -> Edit {
    Edit::Refine(Refine { rod: "r".into(), at: shares.iter().map(|&s| At::Share(s)).collect() })
}

fn coarsen(shares: &[f64], tolerance: f64) -> Edit {
    Edit::Coarsen(Coarsen {
        rod: "r".into(),
        at: shares.iter().map(|&s| At::Share(s)).collect(),
        tolerance,
        angle: 1.0,
    })
}

/// A cable between two hands that is bent, twisted, hung and shaken; `more` adds to its description.
fn shaken(segments: usize, more: &Value) -> Simulation {
    let mut scene = json!({
        "settings": {"step": 2e-3, "solves": 3},
        "rod": {"r": {"section": {"circle": {"radius": 0.004}}, "young": 2e8, "density": 1500,
            "segments": segments, "twist": 2.0,
                      "shape": {"line": {"from": [0, 0, 0], "to": [1, 0, 0]}}}},
        "constraint": {
            "left": {"clamp": {"on": "r", "at": "start",
                "rotation": {"ramp": {"to": [0, 0.5, 0.3], "end": 0.1}}}},
            "right": {"clamp": {"on": "r", "at": "end",
                "displacement": {"ramp": {"to": [-0.3, 0.1, 0.2], "end": 0.1}}}},
        },
    });
    for (field, value) in more.as_object().into_iter().flatten() {
        scene["rod"]["r"][field] = value.clone();
    }
    let mut simulation = build(scene);
    for _ in 0..80 {
        simulation.step(&NoClock);
    }
    simulation
}

/// Largest differences along a rod of position, velocity, tangent, director; curvature, bending moment,
/// tension, torque; and the largest of the last four.
fn differences(before: &World, after: &World) -> ([f64; 8], [f64; 4]) {
    let (mut worst, mut sizes) = ([0.0_f64; 8], [0.0_f64; 4]);
    let (old_rod, new_rod) = (object(before, "r"), object(after, "r"));
    let length = old_rod.rod().expect("a rod").length();
    // Not at knots, where torque jumps.
    for k in 0..400 {
        let s = length * (f64::from(k) + 0.37) / 400.0;
        let (old, new) =
            (before.section(old_rod, s).expect("a rod"), after.section(new_rod, s).expect("a rod"));
        let found = [
            old.position.distance(new.position),
            velocity(before, "r", s).distance(velocity(after, "r", s)),
            old.tangent.distance(new.tangent),
            old.director.distance(new.director),
            (old.curvature - new.curvature).abs(),
            old.bending_moment.distance(new.bending_moment),
            (old.tension - new.tension).abs(),
            (old.torque - new.torque).abs(),
        ];
        worst = std::array::from_fn(|i| worst[i].max(found[i]));
        let size = [old.curvature, old.bending_moment.length(), old.tension.abs(), old.torque.abs()];
        sizes = std::array::from_fn(|i| sizes[i].max(size[i]));
    }
    (worst, sizes)
}

/// Places in inner segments, none of them a knot.
const INSIDE: [f64; 5] = [0.27, 0.41, 0.52, 0.55, 0.77];

#[test]
fn a_knot_changes_neither_curve_nor_motion_nor_stress() {
    let mut bends = Vec::new();
    for n in [8, 16, 32] {
        let simulation = shaken(n, &json!({}));
        let before = simulation.world();
        let mut after = before.clone();
        after.apply(&refine(&INSIDE)).expect("a refinement");
        assert_eq!(object(&after, "r").nodes(), n + 8);
        let ([x, v, t, m, kappa, moment, tension, torque], sizes) = differences(before, &after);
        // Rounding; curvature is a second difference of positions over segments of l and less.
        assert!(
            x < 1e-14 && v < 1e-13 && t < 1e-12 && kappa < 1e-11 * sizes[0],
            "{n}: {x:e} {v:e} {t:e} {kappa:e}"
        );
        assert!(
            moment < 1e-11 * sizes[1] && torque < 1e-11 * sizes[3],
            "{n}: {moment:e} {torque:e} of {sizes:?}"
        );
        // Read from the nearest quadrature point, which is another one now; where it turns with the curve, to
        // the fourth order.
        assert!(m < 0.1 * (8.0 / n as f64).powi(2), "{n}: director {m:e}");
        // Tension is read as a line through means, and a kink of it within the divided segments: the second
        // difference.
        assert!(tension < 0.2 * sizes[2] * (8.0 / n as f64), "{n}: tension {tension:e} of {}", sizes[2]);
        let (old, new) = (before.energy(), after.energy());
        // The roll inertia of divided segments is nearer to that of a rod: (kl)² of what is a millionth.
        assert!(
            (new.kinetic - old.kinetic).abs() < 1e-6 * old.kinetic
                && (new.gravity - old.gravity).abs() < 1e-14
        );
        assert!((new.twist - old.twist).abs() < 1e-12 * old.twist, "{n}: {} {}", new.twist, old.twist);
        bends.push((new.bend / old.bend - 1.0).abs());
        // The share of the slopes of stretch, which hold inner segments in place, is given up: nothing is
        // gained, and the loss is of the fourth order.
        let lost = (old.stretch - new.stretch) / old.bend;
        assert!(
            lost > -1e-6 && lost < 3e-3 * (8.0 / n as f64).powi(4),
            "{n}: {} {}",
            new.stretch,
            old.stretch
        );
        assert!((total_mass(&after) / total_mass(before) - 1.0).abs() < 1e-14);
        assert!(momentum(&after).distance(momentum(before)) < 1e-14 * momentum(before).length());
        for name in ["left", "right"] {
            assert_eq!(force(before, name), force(&after, name));
        }
    }
    // Three Gauss points in place of six: sixth order of a segment.
    assert!(bends[0] < 1e-3 && bends[2] < 1e-7 && (bends[1] / bends[2]).log2() > 5.0, "{bends:?}");
}

#[test]
fn even_stress_is_kept_to_rounding_with_all_energies() {
    let simulation = equilibrium(json!({
        "settings": {"mode": "static", "gravity": [0, 0, 0]},
        "rod": {"r": {"radius": 0.004, "young": 2e8, "density": 1500, "segments": 7}},
        "constraint": {"left": {"clamp": {"on": "r", "at": "start"}},
            "roll": {"roll": {"on": "r", "at": "end", "angle": 1.5}}},
        "load": {"pull": {"force": {"on": "r", "at": "end", "force": [40, 0, 0]}}},
    }));
    let mut after = simulation.world().clone();
    // In the end segments too.
    after.apply(&refine(&[0.03, 0.2, 0.21, 0.6, 0.95])).expect("a refinement");
    let ([x, _, t, m, _, _, tension, torque], sizes) = differences(simulation.world(), &after);
    assert!((sizes[2] - 40.0).abs() < 1e-6 && sizes[3] > 0.0, "{sizes:?}");
    assert!(
        x < 1e-14 && t < 1e-14 && m < 1e-14 && tension < 1e-11 * sizes[2] && torque < 1e-13 * sizes[3],
        "{x:e} {tension:e} {torque:e}"
    );
    let (old, new) = (simulation.world().energy(), after.energy());
    assert!(
        (new.stretch / old.stretch - 1.0).abs() < 1e-11
            && (new.twist / old.twist - 1.0).abs() < 1e-13
            && new.bend < 1e-20
    );
    // It is at rest as it is.
    let mut simulation = build(json!({
        "settings": {"gravity": [0, 0, 0], "step": 1e-3, "settle": true},
        "rod": {"r": {"radius": 0.004, "young": 2e8, "density": 1500, "segments": 7}},
        "constraint": {"left": {"clamp": {"on": "r", "at": "start"}}},
        "load": {"pull": {"force": {"on": "r", "at": "end", "force": [40, 0, 0]}}},
        "probe": [{"name": "pull", "of": "left", "read": "force"}],
    }));
    simulation.step(&NoClock);
    simulation.apply(&refine(&[0.03, 0.2, 0.6])).expect("a refinement");
    simulation.step(&NoClock);
    assert!((probe(&simulation, "pull") - 40.0).abs() < 1e-8, "{}", probe(&simulation, "pull"));
    assert!(simulation.world().state().v.iter().all(|v| v.abs() < 1e-9));
    let edit = EditSummary::Refine { rod: "r".into(), knots: 3, control_points: Some([10, 13]) };
    assert_eq!(simulation.events().last().map(|event| &event.what), Some(&EventKind::Action { edit }));
}

#[test]
fn a_rod_of_two_bending_stiffnesses_keeps_its_twist() {
    let simulation = shaken(16, &json!({"section": {"rectangle": {"a": 0.01, "b": 0.006}}}));
    let (before, mut after) = (simulation.world(), simulation.world().clone());
    after.apply(&refine(&INSIDE)).expect("a refinement");
    let (old, new) = (before.energy(), after.energy());
    assert!(
        (new.twist / old.twist - 1.0).abs() < 1e-13 && (new.bend / old.bend - 1.0).abs() < 1e-5,
        "{new:?} {old:?}"
    );
    assert!((new.kinetic / old.kinetic - 1.0).abs() < 1e-13);
}

#[test]
fn coarsening_undoes_refinement() {
    let simulation = shaken(16, &json!({}));
    let mut world = simulation.world().clone();
    world.apply(&refine(&INSIDE)).expect("a refinement");
    world.apply(&coarsen(&INSIDE, 1e-12)).expect("a coarsening");
    let before = simulation.world();
    assert_eq!(object(&world, "r").nodes(), 19);
    let worst = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst(&world.state().q, &before.state().q) < 1e-13);
    assert!(worst(&world.state().v, &before.state().v) < 1e-12);
    let ([.., torque], sizes) = differences(before, &world);
    assert!(torque < 1e-10 * sizes[3], "{torque:e}");
    let (old, new) = (before.energy(), world.energy());
    assert!((new.twist / old.twist - 1.0).abs() < 1e-10 && (new.bend / old.bend - 1.0).abs() < 1e-6);
}

#[test]
fn coarsening_moves_no_point_farther_than_allowed() {
    let simulation = shaken(24, &json!({}));
    let before = simulation.world();
    let knots: Vec<f64> = (1..24).map(|k| f64::from(k) / 24.0).collect();
    let mut counts = Vec::new();
    for (tolerance, &knot) in
        [1e-6, 1e-4, 1e-2].into_iter().flat_map(|tolerance| knots.iter().map(move |knot| (tolerance, knot)))
    {
        let mut after = before.clone();
        match after.apply(&coarsen(&[knot], tolerance)) {
            Ok(()) => {
                let ([x, ..], _) = differences(before, &after);
                assert!(x > 0.0 && x <= tolerance, "{x:e}");
                assert!(momentum(&after).distance(momentum(before)) < 1e-13 * momentum(before).length());
                assert!((total_mass(&after) / total_mass(before) - 1.0).abs() < 1e-14);
                let length = |world: &World| object(world, "r").rod().expect("a rod").length();
                assert!((length(&after) - length(before)).abs() < 1e-14);
                counts.push(tolerance);
            }
            Err(error) => {
                assert!(error.path == "coarsen.at[0]" && after == *before, "{error}");
            }
        }
    }
    let done = [1e-6, 1e-4, 1e-2].map(|tolerance| counts.iter().filter(|&&t| t == tolerance).count());
    assert!(done[0] < done[1] && done[1] < done[2] && done[2] == 23, "{done:?} of 23");
}

#[test]
fn attached_items_keep_their_places_and_forces() {
    let description = json!({
        "settings": {"step": 2e-3},
        "rod": {"r": {"radius": 0.004, "young": 2e8, "density": 1500, "segments": 12,
            "shape": {"slack": {"from": [0, 0, 0], "to": [0.8, 0, 0], "length": 1.0}}}},
        "mass": {"ball": {"position": [0.4, 0, 0.3], "mass": 0.05}},
        "constraint": {
            "left": {"position": {"on": "r", "at": "start"}}, "roll": {"roll": {"on": "r", "at": "start"}},
                "right": {"clamp": {"on": "r", "at": "end"}},
            "eye": {"keyhole": {"on": "r", "at": "30 %",
                "displacement": {"ramp": {"to": [0, 0.1, 0], "end": 0.2}}}},
            "bead": {"pearl": {"on": "r", "at": "60 %", "mass": 0.02}},
            "clip": {"clip": {"on": "r", "at": 0.75, "width": 0.02, "hold": "tangent"}},
        },
        "load": {"push": {"force": {"on": "r", "at": "45 %", "force": [0, 0.2, 0]}},
            "wind": {"drag": {"on": "r", "from": "20 %", "to": "70 %", "coefficient": 0.05,
            "wind": [0, 1, 0]}}},
        "spring": {"s": {"linear": {"from": {"rod": {"on": "r", "at": "52 %"}}, "to": {"mass": "ball"},
            "stiffness": 20}}},
        "probe": [
            {"name": "eye", "of": "eye", "read": "place"}, {"name": "bead", "of": "bead", "read": "place"},
                {"name": "clip", "of": "clip", "read": "place"},
            {"name": "spring", "of": "s", "read": "length"},
                {"name": "speed", "of": "bead", "read": "velocity"},
                {"name": "middle", "of": "r", "at": "50 %", "read": "position", "component": "z"},
        ],
    });
    let scene = scene(description);
    let mut simulation = Simulation::build(&scene).expect("a scene");
    for _ in 0..60 {
        simulation.step(&NoClock);
    }
    let mut fine = simulation.clone();
    fine.apply(&refine(&[0.1, 0.33, 0.36, 0.47, 0.61, 0.62, 0.7, 0.9])).expect("a refinement");
    for k in 0..6 {
        let (old, new) = (simulation.probe_values()[k], fine.world().read(&scene.probe[k]).expect("a probe"));
        assert!((old - new).abs() < 1e-9, "{}: {old} {new}", simulation.probe_names()[k]);
    }
    for name in ["left", "right", "eye", "clip"] {
        assert_eq!(force(simulation.world(), name).force, force(fine.world(), name).force, "{name}");
        assert_eq!(constraint(simulation.world(), name), constraint(fine.world(), name));
    }
    // A finer rod moves a little differently.
    let mut again = fine.clone();
    for _ in 0..100 {
        simulation.step(&NoClock);
        fine.step(&NoClock);
    }
    assert!(
        !happened!(fine, Held) && !happened!(fine, Refused),
        "{:?} {:?}",
        fine.events(),
        simulation.events()
    );
    for (k, name) in simulation.probe_names().iter().enumerate().filter(|(_, name)| *name != "speed") {
        let (old, new) = (simulation.probe_values()[k], fine.probe_values()[k]);
        assert!((old - new).abs() < 3e-3, "{name}: {old} {new}");
    }
    // Snapshots hold the new division, and the same run has the same bits.
    let (mut restored, _) = Simulation::restore(&again.snapshot(&scene)).expect("a snapshot");
    for _ in 0..100 {
        restored.step(&NoClock);
        again.step(&NoClock);
    }
    assert!(bits(restored.world()) == bits(fine.world()) && bits(again.world()) == bits(fine.world()));
}

#[test]
fn a_pearl_slides_evenly_over_uneven_segments() {
    let mut simulation = build(json!({
        "settings": {"step": 1e-3, "gravity": [0, 0, 0]},
        "rod": {"r": {"radius": 0.01, "young": 2e9, "density": 1500,
            "knots_at": ["20 %", "22 %", "30 %", "60 %", "65 %", "90 %"]}},
        "constraint": {"left": {"clamp": {"on": "r", "at": "start"}},
            "right": {"clamp": {"on": "r", "at": "end"}},
                       "bead": {"pearl": {"on": "r", "at": 0.1, "mass": 0.02, "speed": 1.0}}},
        "probe": [{"name": "place", "of": "bead", "read": "place"}],
    }));
    assert_eq!(object(simulation.world(), "r").nodes(), 10);
    for k in 1..=800 {
        simulation.step(&NoClock);
        // On a straight rod nothing slows it down, wherever knots are.
        let place = probe(&simulation, "place");
        assert!((place - 0.1 - 1e-3 * f64::from(k)).abs() < 1e-9, "step {k}: {place}");
    }
}

#[test]
fn a_cantilever_with_knots_at_its_root_bends_as_theory_says() {
    // Linear theory: F L³/3EI, of which a cubic has all; and a force in the middle of the rod at a knot, F a²
    // (3L − a)/6EI.
    let bend = 2e8 * std::f64::consts::PI / 4.0 * 0.004_f64.powi(4);
    for (at, knots) in [(1.0, vec!["2 %", "5 %", "12 %", "30 %"]), (0.4, vec!["3 %", "40 %", "70 %", "73 %"])]
    {
        let simulation = equilibrium(json!({
            "settings": {"mode": "static", "gravity": [0, 0, 0]},
            "rod": {"r": {"radius": 0.004, "young": 2e8, "density": 1500, "knots_at": knots}},
            "constraint": {"left": {"clamp": {"on": "r", "at": "start"}}},
            "load": {"push": {"force": {"on": "r", "at": at, "force": [0, 0, 1e-5]}}},
        }));
        let tip = crate::common::at(simulation.world(), "r", 1.0).z;
        let theory = 1e-5 * at * at * (3.0 - at) / (6.0 * bend);
        assert!((tip / theory - 1.0).abs() < 1e-6, "{tip} {theory}");
    }
}

#[test]
fn rods_that_can_not_be_divided_are_refused_by_name() {
    let simulation = shaken(8, &json!({}));
    let world = simulation.world();
    let refused = |edit: Edit, path: &str| {
        let mut tried = world.clone();
        let error = tried.apply(&edit).expect_err("refused");
        assert!(error.path == path && tried == *world, "{error}");
    };
    refused(refine(&[0.5]), "refine.at[0]");
    refused(refine(&[0.3, 1.2]), "refine.at[1]");
    refused(refine(&[0.0]), "refine.at[0]");
    refused(refine(&[]), "refine.at");
    refused(refine(&[f64::NAN]), "refine.at[0]");
    refused(coarsen(&[0.5], -1.0), "coarsen.tolerance");
    refused(coarsen(&[0.5], f64::NAN), "coarsen.tolerance");
    refused(coarsen(&[0.5, 0.5], 1.0), "coarsen.at[1]");
    refused(Edit::Refine(Refine { rod: "none".into(), at: vec![At::Share(0.3)] }), "refine.rod");
    let ring = build(json!({"rod": {"r": {"radius": 0.004, "young": 2e8, "density": 1500,
            "shape": {"ring": {"centre": [0, 0, 0], "radius": 0.2}}}}}));
    assert_eq!(ring.world().clone().apply(&refine(&[0.3])).expect_err("refused").path, "refine.rod");
    let rod = |more: Value| {
        let mut words = json!({"radius": 0.004, "young": 2e8, "density": 1500});
        more.as_object().into_iter().flatten().for_each(|(field, value)| words[field] = value.clone());
        Simulation::build(&scene(json!({"rod": {"r": words}}))).map(drop).map_err(|e| e.path)
    };
    for (more, path) in [
        (json!({"knots_at": ["30 %", "20 %"]}), "rod.r.knots_at[1]"),
        (json!({"knots_at": ["30 %", "30.1 %"]}), "rod.r.knots_at"),
        (json!({"knots_at": ["30 %"], "segments": 5}), "rod.r.segments"),
        (json!({"knots_at": [1.5]}), "rod.r.knots_at[0]"),
        (json!({"knots_at": ["30 %"], "model": "beam"}), "rod.r.knots_at"),
        (json!({"resolution": "auto", "refinement": {"error": 0}}), "rod.r.refinement.error"),
        (
            json!({"knots_at": ["30 %"], "shape": {"ring": {"centre": [0, 0, 0], "radius": 1}}}),
            "rod.r.knots_at",
        ),
        (
            json!({"shape": {"spline": {"control": [[0, 0, 0], [0.2, 0, 0], [0.4, 0, 0], [0.7, 0, 0],
                [1, 0, 0]], "widths": [1]}}}),
            "rod.r.shape.spline.widths",
        ),
        (
            json!({"shape": {"spline": {"control": [[0, 0, 0], [0.2, 0, 0], [0.4, 0, 0], [0.7, 0, 0],
                [1, 0, 0]], "widths": [1, -1]}}}),
            "rod.r.shape.spline.widths",
        ),
        (
            json!({"shape": {"spline": {"control": [[0, 0, 0], [0.2, 0, 0], [0.4, 0, 0], [0.7, 0, 0],
                [1, 0, 0]], "stretch_metric": [1, 1]}}}),
            "rod.r.shape.spline.stretch_metric",
        ),
        (
            json!({"shape": {"spline": {"control": [[0, 0, 0], [0.2, 0, 0], [0.4, 0, 0], [0.7, 0, 0],
                [1, 0, 0]], "stretch_metric": [1, 1, 1, 1, 1, 0]}}}),
            "rod.r.shape.spline.stretch_metric",
        ),
        (json!({"resolution": "auto", "basis": "catmull-rom"}), "rod.r.resolution"),
        (json!({"resolution": "auto", "model": "discrete-elastic"}), "rod.r.resolution"),
        (json!({"resolution": "auto", "refinement": {"bend": 0}}), "rod.r.refinement.bend"),
        (json!({"resolution": "auto", "refinement": {"most": 10}}), "rod.r.refinement.most"),
        (json!({"resolution": "auto", "refinement": {"least": 30}}), "rod.r.refinement.least"),
        (json!({"resolution": "auto", "refinement": {"least": 2}}), "rod.r.refinement.least"),
    ] {
        assert_eq!(rod(more.clone()), Err(path.to_owned()), "{more}");
    }
    assert_eq!(
        rod(json!({"resolution": "auto", "refinement": {"least": 6, "most": 40, "bend": "10 deg"}})),
        Ok(())
    );
}
