//! Joints rebound at their limits with a share of their speed, and come to rest there.

use super::{bar, spin};
use crate::common::{build, probe};
use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Value, json};

const G: f64 = 9.81;

/// A bar that falls about a hinge at its end onto a limit at −1 rad.
fn falling_bar(integrator: &str, solves: Value, restitution: f64) -> Simulation {
    build(json!({
        "settings": {"step": 0.0025, "duration": 2, "integrator": integrator, "solves": solves},
        "body": {"bar": bar([0.5, 0.0, 0.0], [0.0; 3])},
        "constraint": {"hinge": {"joint": {"on": "bar", "at": "tip", "kind": "hinge", "axis": [0, -1, 0],
            "angle": {"least": -1, "restitution": restitution}}}},
        "probe": [{"name": "angle", "of": "hinge", "read": "angle"}],
    }))
}

#[test]
fn a_bar_rebounds_at_its_limit_to_a_share_of_its_height() {
    for integrator in ["euler", "bdf2"] {
        for solves in [json!("auto"), json!(1), json!(3)] {
            for restitution in [0.5, 0.9, 1.0] {
                let mut run = falling_bar(integrator, solves.clone(), restitution);
                let (mut before, mut least) = (0.0, 0.0_f64);
                // The hinge turns about −y.
                let rate = |run: &Simulation| -spin(run, "bar").y;
                while rate(&run) <= 0.0 {
                    before = rate(&run);
                    assert!(!run.step(&NoClock).held && !run.finished());
                    least = least.min(probe(&run, "angle"));
                }
                let what = format!("{integrator} {solves} {restitution}: {before} {}", rate(&run));
                let mut top = f64::MIN;
                while rate(&run) > 0.0 && !run.finished() {
                    top = probe(&run, "angle");
                    assert!(!run.step(&NoClock).held);
                }
                // e² of the height above the limit, sin 1 + sin θ. The top lies between two steps, and the
                // scheme errs, by 2.5e-4 at most. Velocities of the wrong place in a step give 3e-3.
                let share = 1.0 + top.sin() / 1.0_f64.sin();
                assert!((share - restitution.powi(2)).abs() < 5e-4, "{what}: {share}");
                // ½ I ω² = m g l/2 sin 1; it rebounds up to one step before the limit, 13 mrad.
                let speed = (G * 1.0_f64.sin() / ((1.0 + 0.05 * 0.05) / 12.0 + 0.25)).sqrt();
                assert!(
                    (before / speed + 1.0).abs() < 0.01 && (-1.0..-0.985).contains(&least),
                    "{what} {least}"
                );
            }
        }
    }
}

#[test]
fn a_bar_that_rebounds_comes_to_rest_at_its_limit() {
    for integrator in ["euler", "bdf2"] {
        for restitution in [0.0, 0.3] {
            let mut run = falling_bar(integrator, json!("auto"), restitution);
            let mut least = 0.0_f64;
            while !run.finished() {
                assert!(!run.step(&NoClock).held);
                least = least.min(probe(&run, "angle"));
            }
            let what = format!("{integrator} {restitution}: {least} {}", probe(&run, "angle"));
            assert!((least + 1.0).abs() < 1e-6 && (probe(&run, "angle") + 1.0).abs() < 1e-6, "{what}");
            assert!(spin(&run, "bar").length() < 1e-6, "{what} {}", spin(&run, "bar"));
        }
    }
}

/// Speed ratios of the rebounds of a block that falls along a vertical slider, and heights of its turning
/// points above the limit, in units of `length`. All lengths, including g, are multiplied by `length` and all
/// masses by `mass`; `chain` bars hang on the block.
fn bounces(length: f64, mass: f64, chain: usize, restitution: f64) -> (Vec<f64>, Vec<f64>) {
    let moments = [0.01 * mass * length * length; 3];
    let mut scene = json!({
        "settings": {"step": 0.002, "duration": 1.2, "gravity": [0, 0, -G * length], "solves": 3},
        "body": {"block": {"mass": mass, "inertia": {"moments": moments}}},
        "constraint": {"rail": {"joint": {"on": "block", "kind": "slider", "axis": [0, 0, 1],
            "slide": {"least": -0.2 * length, "restitution": restitution}}}},
        "probe": [{"name": "slide", "of": "rail", "read": "slide"},
            {"name": "speed", "of": "block", "read": "velocity", "component": "z"}],
    });
    for k in 0..chain {
        let link = format!("link{k}");
        let mut body = bar([0.0, 0.0, -(k as f64) - 0.5], [0.0, std::f64::consts::FRAC_PI_2, 0.0]);
        body["mass"] = json!(0.2);
        scene["body"][&link] = body;
        let to = match k {
            0 => json!({"on": "block"}),
            _ => json!({"on": format!("link{}", k - 1), "at": [0.5, 0, 0]}),
        };
        scene["constraint"][format!("pin{k}")] =
            json!({"joint": {"on": link, "at": "tip", "kind": "ball", "to": to}});
    }
    let mut run = build(scene);
    let (mut shares, mut tops, mut before) = (Vec::new(), Vec::new(), [0.0_f64; 2]);
    while !run.finished() {
        assert!(!run.step(&NoClock).held);
        let [slide, speed] = ["slide", "speed"].map(|name| probe(&run, name) / length);
        if speed > 1e-6 && before[1] < -1e-6 {
            shares.push(-speed / before[1]);
        }
        if speed <= 0.0 && before[1] > 0.0 {
            tops.push(before[0] + 0.2);
        }
        before = [slide, speed];
    }
    (shares, tops)
}

#[test]
fn rebounds_do_not_depend_on_units_or_mass() {
    let (shares, tops) = bounces(1.0, 1.0, 0, 0.6);
    assert!(shares.len() > 3, "{shares:?}");
    // e² of the height each time; positions err by g h²/2, 0.02 mm, at each rebound.
    let off = [tops[0] / 0.072, tops[1] / tops[0] / 0.36].map(|share| (share - 1.0).abs());
    assert!(off[0] < 2e-3 && off[1] < 5e-3, "{tops:?}");
    for (length, mass) in [(1e-3, 1.0), (1.0, 1e4), (1e3, 1e-3)] {
        let (other, _) = bounces(length, mass, 0, 0.6);
        assert_eq!(other.len(), shares.len(), "{length} {mass}");
    }
}

#[test]
fn a_slider_with_a_chain_hung_on_it_rebounds_as_fast_as_one_without() {
    // The chain falls freely until then, so both meet the limit alike.
    let [(shares, _), (alone, _)] = [4, 0].map(|chain| bounces(1.0, 1.0, chain, 0.6));
    assert!((shares[0] - alone[0]).abs() < 1e-6, "{shares:?} {alone:?}");
}
