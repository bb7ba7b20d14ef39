//! Energy of bodies on joints and paths, and spins of about a radian per step.

use super::{bar, spin};
use crate::common::{build, probe};
use glam::DVec3;
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};

/// Most and least energy of a run, J, relative to that at its start.
fn range_of_energy(run: &mut Simulation) -> [f64; 2] {
    let start = run.world().energy().total();
    let mut range = [0.0_f64; 2];
    while !run.finished() {
        let report = run.step(&NoClock);
        assert!(!report.held && !report.unsettled, "{report:?}");
        let gained = run.world().energy().total() - start;
        range = [range[0].min(gained), range[1].max(gained)];
    }
    range
}

/// A cube of 1 kg that falls from the horizontal about a pivot at a distance from its centre.
fn cube(size: f64, distance: f64, step: f64) -> Simulation {
    build(json!({
        "settings": {"step": step, "duration": 5},
        "body": {"cube": {"shape": {"box": {"size": [size, size, size]}}, "mass": 1}},
        "constraint": {"pivot": {"joint": {"kind": "ball", "on": "cube", "at": [distance, 0, 0]}}},
    }))
}

#[test]
fn swinging_cubes_of_any_size_keep_their_energy() {
    for (size, distance) in [(0.03_f64, 0.1_f64), (0.05, 0.05), (0.1, 0.1), (0.2, 0.2), (0.5, 0.3)] {
        let weight = 9.81 * distance;
        // Fastest turn, at the lowest point.
        let fastest = (2.0 * weight / (size * size / 6.0 + distance * distance)).sqrt();
        let [coarse, fine] = [0.01, 0.005].map(|step| {
            let [least, most] = range_of_energy(&mut cube(size, distance, step));
            // The energy of a symplectic rule of first order swings by a share of ω h, and stays in that
            // band.
            let swing = least.abs().max(most) / weight;
            assert!(swing < 0.5 * fastest * step, "{size} {step}: {least} {most}");
            swing
        });
        assert!((1.7..2.4).contains(&(coarse / fine)), "{size}: {coarse} {fine}");
    }
}

#[test]
fn a_chain_of_six_cubes_keeps_its_energy() {
    let chain = |settings: Value| {
        let (mut bodies, mut joints) = (serde_json::Map::new(), serde_json::Map::new());
        for k in 0..6 {
            bodies.insert(
                format!("c{k}"),
                json!({"shape": {"box": {"size": [0.1, 0.1, 0.1]}}, "density": 1000,
                    "position": [0.1 * f64::from(k) + 0.05, 0, 0]}),
            );
            let mut joint = json!({"kind": "hinge", "on": format!("c{k}"), "at": [-0.05, 0, 0.05],
                "axis": [0, 1, 0]});
            if k > 0 {
                joint["to"] = json!({"on": format!("c{}", k - 1), "at": [0.05, 0, 0.05]});
            }
            joints.insert(format!("j{k}"), json!({"joint": joint}));
        }
        build(json!({"settings": settings, "body": bodies, "constraint": joints}))
    };
    // Weight times the depth to which its centre falls: 6 kg, 0.3 m.
    let scale = 6.0 * 9.81 * 0.3;
    for integrator in ["euler", "bdf2"] {
        let [coarse, fine] = [0.01, 0.005].map(|step| {
            let settings = json!({"step": step, "duration": 2, "integrator": integrator});
            let [least, most] = range_of_energy(&mut chain(settings));
            [-least / scale, most / scale]
        });
        // The chain whips: its last cubes turn at up to 50 rad/s.
        let what = format!("{integrator}: {coarse:?} {fine:?}");
        assert!(coarse[0] < 0.1 && coarse[1] < 0.1 && fine[0] < 0.05 && fine[1] < 0.05, "{what}");
    }
}

#[test]
fn a_body_never_gains_energy_at_a_sharp_corner_of_its_path() {
    for turned in [true, false] {
        for k in 0..12 {
            for speed in [1.0, 2.0, 5.0, 10.0] {
                let x = 0.2 + 0.0123 * f64::from(k);
                let last = if turned { [1.0, 0.0, 2.0] } else { [2.0, 0.0, 0.5] };
                let mut run = build(json!({
                    "settings": {"step": 0.01, "duration": 1.6 / speed, "gravity": [0, 0, 0]},
                    "body": {"bead": {"shape": {"box": {"size": [0.1, 0.05, 0.05]}}, "mass": 2,
                        "position": [x, 0, 0], "velocity": [speed, 0, 0]}},
                    "constraint": {"path": {"trajectory": {"on": "bead",
                        "path": {"polyline": {"through": [[0, 0, 0], [1, 0, 0], last]}}}}},
                }));
                let start = run.world().energy().total();
                let [_, most] = range_of_energy(&mut run);
                // A point mass gains this much too: the passes leave a residual of the rows.
                assert!(most < 0.01 * start, "{turned} {k} {speed}: {most} of {start}");
            }
        }
    }
}

#[test]
fn a_motor_and_a_free_wheel_turn_by_their_rate_up_to_several_radians_per_step() {
    // 10 ms: from 0.2 to 4 rad per step.
    for rate in [20.0, 90.0, 100.0, 150.0, 400.0] {
        let wheel = |more: Value, rate: f64| {
            build(json!({
                "settings": {"step": 0.01, "duration": 1, "gravity": [0, 0, 0]},
                "body": {"wheel": {"shape": {"cylinder": {"radius": 0.1, "length": 0.05}}, "mass": 1,
                    "spin": [rate, 0, 0]}},
                "constraint": {"hub": {"joint": {"kind": "hinge", "on": "wheel", "axis": [1, 0, 0],
                    "angle": more}}},
                "probe": [{"name": "angle", "of": "hub", "read": "angle"},
                    {"name": "torque", "of": "hub", "read": "drive-torque"}],
            }))
        };
        let mut free = wheel(json!({}), rate);
        range_of_energy(&mut free);
        // A turn of more than half a circle per substep would lose count.
        assert!((probe(&free, "angle") / rate - 1.0).abs() < 1e-9, "{rate}: {}", probe(&free, "angle"));
        let mut driven = wheel(json!({"motor": {"velocity": {"target": rate}}}), rate);
        while !driven.finished() {
            assert!(!driven.step(&NoClock).held);
            let reached = spin(&driven, "wheel").x;
            assert!((reached / rate - 1.0).abs() < 1e-9, "{rate}: {reached}");
            // Nothing brakes the wheel: 1e-9 of the torque that would stop it in a step.
            assert!(probe(&driven, "torque").abs() < 1e-9 * 0.005 * rate / 0.01, "{rate}");
        }
        assert!(driven.events().is_empty() && free.events().is_empty(), "{:?}", driven.events());
    }
}

#[test]
fn one_solve_of_bdf2_per_step_gains_no_energy_on_joints() {
    let drift = |solves: Value, step: f64| {
        let mut second = bar([1.5, 0.0, 0.0], [0.0; 3]);
        (second["spin"], second["velocity"]) = (json!([0.3, 1, 2]), json!([0, 1, -0.5]));
        let mut run = build(json!({
            "settings": {"step": step, "duration": 5, "integrator": "bdf2", "solves": solves,
                "gravity": DVec3::ZERO.to_array()},
            "body": {"a": bar([0.5, 0.0, 0.0], [0.0; 3]), "b": second},
            "constraint": {"knee": {"joint": {"on": "a", "at": [0.5, 0, 0], "kind": "ball",
                "to": {"on": "b", "at": "tip"}}}},
        }));
        let start = run.world().energy().total();
        while !run.finished() {
            assert!(!run.step(&NoClock).held);
        }
        run.world().energy().total() / start - 1.0
    };
    for step in [0.02, 0.01] {
        let [one, two] = [json!(1), json!(2)].map(|solves| drift(solves, step));
        // BDF2 loses 3e-4 with one solve and 1e-4 with several at 10 ms, four times that at 20 ms.
        assert!(one < 1e-3 && (one - two).abs() < 1e-3, "{step}: {one} {two}");
    }
}
