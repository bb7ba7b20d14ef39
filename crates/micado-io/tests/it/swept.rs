//! The reference mode that sweeps over bilateral rows, compared with the factored system.

use crate::bodies::build;
use crate::linkages::cubes;
use micado::clock::NoClock;
use micado::run::Simulation;
use micado::step::StepReport;
use serde_json::{Value, json};

/// The same scene with swept constraints.
fn swept(mut described: Value, most: usize, tolerance: f64) -> Simulation {
    described["settings"]["constraints"] = json!("swept");
    described["settings"]["sweeps"] = json!({"most": most, "tolerance": tolerance});
    build(&described)
}

/// The largest difference of two states: of positions, m, and quaternions.
fn apart(a: &Simulation, b: &Simulation) -> f64 {
    let pairs = a.world().state().q.iter().zip(&b.world().state().q);
    pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Sweeps of a number of steps, and the largest difference from the factored motion. `smooth`: no row is
/// unilateral or rubs, so the factored system has nothing to sweep.
fn compare(described: &Value, steps: usize, tolerance: f64, smooth: bool) -> (usize, f64, Vec<StepReport>) {
    let (mut factored, mut run) = (build(described), swept(described.clone(), 200_000, tolerance));
    let (mut sweeps, mut worst, mut reports) = (0, 0.0_f64, Vec::new());
    for _ in 0..steps {
        let (direct, report) = (factored.step(&NoClock), run.step(&NoClock));
        assert!(!direct.held && (!smooth || direct.sweeps == 0), "{direct:?}");
        assert!(!report.held && report.refused.is_none(), "{report:?}");
        sweeps += report.sweeps;
        worst = worst.max(apart(&factored, &run));
        reports.push(report);
    }
    (sweeps, worst, reports)
}

#[test]
fn swept_chain_of_cubes_moves_as_the_factored_one() {
    // Two ball joints at each edge. The error of Gauss–Seidel is a multiple of its last change.
    for (tolerance, allowed) in [(1e-7, 2e-6), (1e-9, 2e-8), (1e-11, 2e-10)] {
        let (sweeps, worst, reports) = compare(&cubes(2), 50, tolerance, true);
        assert!(worst < allowed, "{tolerance}: {worst:e}");
        assert!(sweeps > 50 * 100, "{sweeps} sweeps");
        // The size of the chain is below 2 m.
        let converged = |report: &StepReport| !report.unsettled && report.sweep_residual <= 2.0 * tolerance;
        assert!(reports.iter().all(converged), "{tolerance}");
    }
}

#[test]
fn twenty_swept_joints_at_an_edge_converge_too() {
    // 360 rows of rank 30.
    let (sweeps, worst, reports) = compare(&cubes(20), 12, 1e-7, true);
    assert!(worst < 2e-6, "{worst:e}");
    assert!(sweeps > 12 * 100 && reports.iter().all(|report| !report.unsettled), "{sweeps} sweeps");
}

#[test]
fn sweeps_that_end_early_are_reported() {
    let mut run = swept(cubes(2), 20, 1e-7);
    let report = run.step(&NoClock);
    assert!(!report.held && report.unsettled && !report.has_final_forces(), "{report:?}");
    assert!(report.sweep_residual > 1e-7 && report.residual > 1e-7, "{report:?}");
    assert_eq!(report.sweeps, 20 * report.solves);
}

#[test]
fn swept_rods_on_bodies_with_a_floor_and_friction_move_as_factored_ones() {
    let described = json!({
        "rod": {"cable": {"shape": {"line": {"from": [0, 0, 0], "to": [0.5, 0, 0]}}, "radius": 0.005,
            "young": 1e7, "density": 1200, "segments": 8}},
        "body": {
            "arm": {"shape": {"box": {"size": [0.2, 0.04, 0.04]}}, "density": 800, "position": [0.6, 0, 0]},
            "tool": {"shape": {"box": {"size": [0.2, 0.04, 0.04]}}, "density": 800, "position": [0.8, 0, 0]},
        },
        "constraint": {
            "wall": {"clamp": {"on": "cable", "at": "start"}},
            "grip": {"joint": {"kind": "weld", "on": "cable", "at": "end",
                "to": {"on": "arm", "at": [-0.1, 0, 0]}}},
            "elbow": {"joint": {"kind": "hinge", "axis": [0, 1, 0], "on": "tool", "at": [-0.1, 0, 0],
                "to": {"on": "arm", "at": [0.1, 0, 0]},
                "angle": {"mu": 0.3, "bearing_radius": 0.01}}},
            "floor": {"plane": {"on": "tool", "at": [0.1, 0, 0], "point": [0, 0, -0.05], "normal": [0, 0, 1],
                "side": "above"}},
        },
        "settings": {"step": 2e-3, "duration": 1},
    });
    let (_, worst, reports) = compare(&described, 100, 1e-11, false);
    assert!(worst < 1e-8, "{worst:e}");
    assert!(reports.iter().all(|report| !report.unsettled));
}

#[test]
fn kinds_that_can_not_be_swept_are_refused_by_name() {
    let refused = |change: &dyn Fn(&mut Value), path: &str| {
        let mut described = cubes(2);
        described["settings"]["constraints"] = json!("swept");
        change(&mut described);
        let scene = serde_json::from_value(described).expect("a scene");
        let error = Simulation::build(&scene).expect_err("it is refused");
        assert!(error.path.contains(path), "{path}: {error}");
    };
    refused(&|scene| scene["settings"]["mode"] = json!("static"), "settings.constraints");
    refused(&|scene| scene["settings"]["mode"] = json!("quasi-dynamic"), "settings.constraints");
    refused(&|scene| scene["settings"]["integrator"] = json!("explicit"), "settings.constraints");
    refused(&|scene| scene["settings"]["sweeps"] = json!({"most": 0}), "settings.sweeps.most");
    refused(&|scene| scene["settings"]["sweeps"] = json!({"tolerance": 0}), "settings.sweeps.tolerance");
    let path =
        json!({"trajectory": {"on": "cube_6", "path": {"line": {"from": [0, 0, 0], "to": [1, 0, -2]}}}});
    refused(&|scene| scene["constraint"]["rail"] = path.clone(), "constraint.rail.trajectory");
    let sweeps = json!({"most": 10});
    let scene = |scene: &mut Value| {
        scene["settings"]["constraints"] = json!("factored");
        scene["settings"]["sweeps"] = sweeps.clone();
    };
    refused(&scene, "settings.sweeps");
}
