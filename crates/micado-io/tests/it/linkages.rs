//! Closed loops and redundant joints over many steps.

use crate::bodies::{build, scene, step};
use micado::constraint::Law;
use micado::run::Simulation;
use serde_json::{Value, json};
use std::f64::consts::{FRAC_PI_2, PI};

/// The largest distance between the two places of a joint, m, and the largest sine between its axes.
fn openings(run: &Simulation) -> f64 {
    let world = run.world();
    let joints = world.structure().constraints.iter().enumerate();
    joints.fold(0.0_f64, |worst, (k, constraint)| {
        let Law::Joint(law) = &constraint.law else { return worst };
        let [a, b] = world.sites(k).expect("a joint");
        let [on_first, _] = law.axes(&a, &b);
        worst.max(a.x.distance(b.x)).max(on_first.cross(law.axis(&b)).length())
    })
}

/// Largest opening of the loops of `closed-loop` in this number of steps.
fn widest(steps: usize) -> f64 {
    let mut described = scene("closed-loop");
    described["settings"]["duration"] = json!(1e6);
    let mut run = build(&described);
    let mut worst = 0.0_f64;
    for k in 0..steps {
        step(&mut run);
        if k % 10 == 0 {
            worst = worst.max(openings(&run));
        }
    }
    worst
}

#[test]
fn closed_loops_stay_closed() {
    assert!(widest(4000) < 1e-9);
}

/// The long run: `cargo nextest run --cargo-profile release -p micado-io --run-ignored all closed_loops`.
#[test]
#[ignore = "100 000 steps take longer than a test may; the test above makes fewer"]
fn closed_loops_stay_closed_for_a_hundred_thousand_steps() {
    assert!(widest(100_000) < 1e-9);
}

/// The chain of cubes with this number of ball joints along each edge.
pub(crate) fn cubes(joints_per_edge: u32) -> Value {
    let mut chain = scene("cube-chain");
    let joints = chain["constraint"].as_object_mut().expect("joints");
    joints.clear();
    for cube in 1..=6 {
        for k in 0..joints_per_edge {
            let y = -0.1 + 0.2 * f64::from(k) / f64::from(joints_per_edge - 1);
            let mut joint = json!({"kind": "ball", "on": format!("cube_{cube}"), "at": [-0.1, y, 0.1]});
            if cube > 1 {
                joint["to"] = json!({"on": format!("cube_{}", cube - 1), "at": [0.1, y, -0.1]});
            }
            joints.insert(format!("joint_{cube}_{k}"), json!({"joint": joint}));
        }
    }
    chain["probe"] = json!([]);
    chain
}

#[test]
fn twenty_joints_at_an_edge_move_a_chain_of_cubes_as_two_do() {
    // 120 joints have 360 rows, of which 30 are independent.
    let [mut few, mut many] = [2, 20].map(|joints| build(&cubes(joints)));
    for k in 1..=1000 {
        step(&mut few);
        step(&mut many);
        // The unknowns of a body: three coordinates and a quaternion.
        let apart = few.world().state().q.iter().zip(&many.world().state().q).map(|(a, b)| (a - b).abs());
        let apart = apart.fold(0.0, f64::max);
        assert!(apart < if k <= 60 { 1e-8 } else { 1e-6 }, "{k} steps: {apart:e}");
    }
}

#[test]
fn four_bar_with_two_hinges_at_each_pin_satisfies_freudenstein() {
    let mut run = build(&scene("closed-loop"));
    let probe = |run: &Simulation, name: &str| {
        let k = run.probe_names().iter().position(|n| n == name).expect("a probe");
        run.probe_values()[k]
    };
    // Crank, coupler, rocker and ground.
    let [a, b, c, d] = [0.4_f64, 1.0, 0.8, 1.0];
    let (mut worst, mut least, mut most) = (0.0_f64, f64::INFINITY, f64::NEG_INFINITY);
    while !run.finished() {
        step(&mut run);
        let crank = probe(&run, "four_crank_angle");
        let coupler = crank + probe(&run, "four_coupler_angle") + 0.8_f64.atan2(0.6);
        let rocker = probe(&run, "four_rocker_angle") + FRAC_PI_2;
        // K₁ cos θ₄ − K₂ cos θ₂ + K₃ = cos(θ₂ − θ₄), and the same for the coupler, θ₃.
        let of_rocker = d / a * rocker.cos() - d / c * crank.cos()
            + (a * a - b * b + c * c + d * d) / (2.0 * a * c)
            - (crank - rocker).cos();
        let of_coupler =
            d / a * coupler.cos() + d / b * crank.cos() + (c * c - d * d - a * a - b * b) / (2.0 * a * b)
                - (crank - coupler).cos();
        worst = worst.max(of_rocker.abs()).max(of_coupler.abs());
        (least, most) = (least.min(crank), most.max(crank));
    }
    assert!(worst < 1e-9, "{worst:e}");
    assert!(most - least > PI, "{least} {most}");
}
