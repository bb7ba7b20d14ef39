//! A frictionless eye changes the direction of a rod's tension and nothing else.

use super::{IMPLICIT, MODELS};
use crate::common::{build, probe};
use micado::clock::NoClock;
use serde_json::{Value, json};

/// Forces along the rails, N, and masses, kg.
const PULLS: [f64; 2] = [10.0, 14.0];
const MASSES: [f64; 2] = [1.0, 1.5];

/// Points of a cord that turns by `turn` on an arc of 20 mm between two rails, which meet in the origin.
fn rounded(rails: [[f64; 3]; 2], turn: f64) -> Vec<[f64; 3]> {
    let (radius, reach) = (0.02, 0.02 * (0.5 * turn).tan());
    let straight =
        |k: usize| (0..6).map(move |i| rails[k].map(|x| x * (0.4 + (reach - 0.4) * f64::from(i) / 6.0)));
    let arc = (0..=40).map(|i| {
        let angle = turn * (f64::from(i) / 40.0 - 0.5);
        [radius * angle.sin(), 0.0, radius * angle.cos() - radius / (0.5 * turn).cos()]
    });
    straight(0).chain(arc).chain(straight(1).collect::<Vec<_>>().into_iter().rev()).collect()
}

/// A light cord through an eye in which it turns by `turn`; masses at its ends slide on rails along it, drawn
/// with forces along the rails, and are let go after 50 ms. The bend of √(EI/T) = 29 mm is three segments
/// long.
fn drawn(model: &str, integrator: &str, turn: f64) -> Value {
    let half = 0.5 * turn;
    let rails = [-1.0, 1.0].map(|side: f64| [side * half.cos(), 0.0, -half.sin()]);
    let ends = rails.map(|rail| rail.map(|x| 0.4 * x));
    let rail = |on: &str, k: usize| json!({"axis": {"on": on, "point": [0, 0, 0], "direction": rails[k]}});
    let pull = |on: &str, k: usize| json!({"force": {"on": on, "force": rails[k].map(|x| x * PULLS[k])}});
    json!({
        "rod": {"cord": {"model": model, "shape": {"points": {"through": rounded(rails, turn)}},
            "natural": "straight", "segments": 80, "mass_per_length": 2e-4,
            "stiffness": {"stretch": 2e4, "bend": 1e-2, "twist": 1e-2}}},
        "mass": {"left": {"position": ends[0], "mass": MASSES[0]},
            "right": {"position": ends[1], "mass": MASSES[1]}},
        "constraint": {
            "left-end": {"fusion": {"on": "cord", "at": "start", "to": {"on": "left"}}},
            "right-end": {"fusion": {"on": "cord", "at": "end", "to": {"on": "right"}}},
            "left-rail": rail("left", 0), "right-rail": rail("right", 1),
            "eye": {"keyhole": {"on": "cord", "at": "50 %", "target": [0, 0, 0]}},
            "hold": {"plane": {"on": "right", "normal": rails[1]}}},
        "load": {"left-pull": pull("left", 0), "right-pull": pull("right", 1)},
        "action": [{"at": 0.05, "do": {"release": "hold"}}],
        "settings": {"duration": 0.35, "step": 1e-3, "settle": true, "gravity": [0, 0, 0],
            "integrator": integrator},
        "probe": [{"name": "left", "of": "cord", "at": 0.15, "read": "tension"},
            {"name": "right", "of": "cord", "at": "end - 0.15 m", "read": "tension"}],
    })
}

#[test]
fn the_tensions_on_both_sides_of_a_frictionless_eye_agree_for_every_model_integrator_and_turn() {
    let total: f64 = MASSES.iter().sum();
    let tension = (MASSES[1] * PULLS[0] + MASSES[0] * PULLS[1]) / total;
    for model in MODELS {
        for integrator in IMPLICIT {
            for degrees in [30.0_f64, 90.0, 150.0] {
                let mut simulation = build(drawn(model, integrator, degrees.to_radians()));
                simulation.settle(&NoClock);
                let (mut sides, mut count) = ([0.0; 2], 0.0);
                while !simulation.finished() {
                    let report = simulation.step(&NoClock);
                    assert!(!report.held, "{report:?}");
                    if simulation.time() > 0.1 {
                        for (sum, side) in sides.iter_mut().zip(["left", "right"]) {
                            *sum += probe(&simulation, side);
                        }
                        count += 1.0;
                    }
                }
                let [left, right] = sides.map(|sum| sum / count);
                let what = format!("{model}, {integrator}, {degrees}°");
                // T + ½EIκ² is the same along the cord; it is at rest but for the bounce of the masses.
                assert!((left / right - 1.0).abs() < 0.01, "{what}: {left} N and {right} N");
                // The bend takes the cord off the rails by its length, a tenth of theirs, times the angle.
                assert!((left / tension - 1.0).abs() < 0.05, "{what}: {left} N for {tension} N");
            }
        }
    }
}
