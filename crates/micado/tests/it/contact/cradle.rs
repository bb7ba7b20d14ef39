//! An object that is struck in a step may strike others in the same step; none pass through each other.

use super::{INTEGRATORS, watch};
use crate::common::{build, momentum, position};
use glam::DVec3;
use micado::clock::NoClock;
use serde_json::{Value, json};

const RADIUS: f64 = 0.05;
const SPEED: f64 = 30.0;
const STEP: f64 = 5e-3;

/// A row of balls along x with gaps. The first ball is fast: it moves three radii in a step. `springs` of
/// nearly no force make them one island from the beginning.
fn row(gaps: &[f64], masses: &[f64], restitution: f64, integrator: &str, springs: bool) -> Value {
    let (mut bodies, mut joins) = (json!({}), json!({}));
    let mut x = 0.0;
    for k in 0..masses.len() {
        // The first ball begins 2.3 steps before the second.
        x += if k == 0 { 0.0 } else { 2.0 * RADIUS + if k == 1 { 2.3 * SPEED * STEP } else { gaps[k - 2] } };
        bodies[format!("b{k}")] = json!({"shape": {"sphere": {"radius": RADIUS}}, "mass": masses[k],
            "position": [x, 0, 0], "velocity": [if k == 0 { SPEED } else { 0.0 }, 0, 0]});
        if k > 0 && springs {
            joins[format!("s{k}")] = json!({"linear": {"from": {"object": {"on": format!("b{}", k - 1)}},
                "to": {"object": {"on": format!("b{k}")}}, "stiffness": 1e-12}});
        }
    }
    json!({
        "contact": {"restitution": restitution}, "body": bodies, "spring": joins,
        "settings": {"duration": 0.2, "step": STEP, "gravity": [0, 0, 0], "integrator": integrator},
    })
}

#[test]
fn a_fast_ball_strikes_a_row_and_none_passes_through_another() {
    let mut joined = 0;
    for integrator in INTEGRATORS {
        for springs in [false, true] {
            for restitution in [0.0, 0.5, 1.0] {
                // Gaps within the reach of balls at rest, and far beyond it; a light ball flies off fast.
                for gaps in [[0.0, 0.0, 0.0], [0.002, 0.002, 0.002], [0.04, 0.06, 0.05], [0.13, 0.0, 0.09]] {
                    for masses in [[1.0; 5], [5.0, 1.0, 0.2, 2.0, 1.0]] {
                        let scene = row(&gaps, &masses, restitution, integrator, springs);
                        let total = masses[0] * SPEED;
                        let mut energy = 0.5 * masses[0] * SPEED * SPEED;
                        let mut beyond = false;
                        watch(scene, |now, report| {
                            let world = now.world();
                            let x: Vec<f64> = (0..5).map(|k| position(world, &format!("b{k}")).x).collect();
                            let what =
                                || format!("{integrator}, {springs}, e {restitution}, {gaps:?}: {x:?}");
                            for pair in x.windows(2) {
                                // Overlaps grow by less than a tenth of the radius in a step.
                                assert!(pair[1] - pair[0] > (2.0 - 0.1) * RADIUS, "{}", what());
                            }
                            assert!(!report.unsolved_contacts, "{}", what());
                            // Rounding, and springs of 1e-12 N/m.
                            let off = (momentum(world) - DVec3::X * total).length();
                            assert!(off < 1e-9 * total, "{off} kg·m/s: {}", what());
                            let v = |k: usize| crate::common::velocity(world, &format!("b{k}"), 0.0).x;
                            let left: f64 = (0..5).map(|k| 0.5 * masses[k] * v(k) * v(k)).sum();
                            assert!(left < energy * (1.0 + 1e-9), "{left} J after {energy} J: {}", what());
                            energy = left;
                            beyond |= v(2) > 0.0 && v(1) > 0.0;
                        });
                        joined += usize::from(beyond);
                    }
                }
            }
        }
    }
    // In every case the second ball strikes the third.
    assert_eq!(joined, 2 * 2 * 3 * 4 * 2);
}

#[test]
fn balls_that_stick_end_with_a_common_speed() {
    for integrator in INTEGRATORS {
        let done = watch(row(&[0.04, 0.06, 0.05], &[1.0; 5], 0.0, integrator, false), |_, _| {});
        for k in 0..5 {
            let v = crate::common::velocity(done.world(), &format!("b{k}"), 0.0).x;
            // The tolerance of the laws, 1e-9 of the contact size per step.
            assert!((v - SPEED / 5.0).abs() < 1e-6, "{integrator}: ball {k} with {v} m/s");
        }
    }
}

#[test]
fn a_thin_rod_that_is_hit_does_not_pass_through_a_wall_behind_it() {
    // A ball hits the middle of a rod at rest, which moves by many of its radii in that step. Three radii
    // behind it stands a thin plate.
    for model in super::MODELS {
        let scene = json!({
            "contact": {},
            "body": {
                "ball": {"shape": {"sphere": {"radius": 0.03}}, "mass": 0.05, "position": [0, 0, 0.13],
                    "velocity": [0, 0, -20]},
                "wall": {"shape": {"box": {"size": [1, 1, 0.01]}}, "fixed": true,
                    "position": [0, 0, -0.015]}},
            "rod": {"rod": {"model": model, "shape": {"line": {"from": [-0.2, 0, 0], "to": [0.2, 0, 0]}},
                "radius": 0.003, "young": 1e8, "density": 1000, "segments": 12}},
            "settings": {"duration": 0.1, "step": 0.005, "gravity": [0, 0, 0]},
        });
        let mut met = 0;
        let mut energy = 0.5 * 0.05 * 400.0;
        let mut now = build(scene);
        while !now.finished() {
            // A substep in which the overlap grows too much is divided.
            let report = now.step(&NoClock);
            assert!(!report.held && !report.unsolved_contacts, "{model}: {report:?}");
            let world = now.world();
            for k in 0..=20 {
                let z = crate::common::at(world, "rod", f64::from(k) / 20.0).z;
                // The upper side of the wall, at -0.01 m, and the radius; a tenth of it may be overlapped.
                assert!(z > -0.01 + 0.9 * 0.003, "{model}: {z} m at {} s", world.state().time);
            }
            let ball = position(world, "ball").z;
            assert!(ball > -0.01 + 0.9 * 0.03, "{model}: ball at {ball} m");
            met += usize::from(report.contacts > 1);
            let left: f64 = world.energy().total();
            assert!(left < energy * (1.0 + 1e-6), "{model}: {left} J after {energy} J");
            energy = left;
        }
        assert!(met > 0, "{model}: they never met");
    }
}
