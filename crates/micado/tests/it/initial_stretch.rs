//! Rods that start under tension.

use crate::common::{build, object};
use micado::clock::NoClock;
use micado::object::rod::{Rod, RodDescription};
use serde_json::{Value, json};

const MODELS: [&str; 4] = ["spline", "discrete-elastic", "beam", "mass-spring"];
/// EA, N.
const STIFFNESS: f64 = 40.0;

fn rod(model: &str, shape: Value, stretch: f64) -> Value {
    json!({"model": model, "shape": shape, "segments": 12, "initial_stretch": stretch,
        "stiffness": {"stretch": STIFFNESS, "bend": 0.01, "twist": 0.01}, "mass_per_length": 0.3})
}

#[test]
fn a_stretched_line_rests_between_its_supports_and_pulls_with_its_stretch() {
    let line = json!({"line": {"from": [0.3, -0.2, 0.1], "to": [1.1, 0.4, 0.1]}});
    for model in MODELS {
        for stretch in [-0.02, 0.005, 0.3] {
            let mut run = build(json!({
                "rod": {"cord": rod(model, line.clone(), stretch)},
                "constraint": {"a": {"position": {"on": "cord", "at": "start"}},
                    "b": {"position": {"on": "cord", "at": "end"}}},
                "settings": {"gravity": [0, 0, 0], "duration": 0.1, "step": 0.01},
                "probe": [{"name": "tension", "of": "cord", "at": "30 %", "read": "tension"}],
            }));
            let rest = object(run.world(), "cord").rod().expect("a rod").length();
            // The ends are a metre apart.
            assert!((rest * (1.0 + stretch) - 1.0).abs() < 1e-9, "{model}: {rest} m");
            let before = run.world().state().q.clone();
            for _ in 0..10 {
                assert!(!run.step(&NoClock).held);
            }
            let moved = run.world().state().q.iter().zip(&before).map(|(a, b)| (a - b).abs());
            // Rounding: it is in equilibrium.
            assert!(moved.fold(0.0, f64::max) < 1e-9, "{model}, {stretch}");
            let tension = run.probe_values()[0];
            assert!((tension - STIFFNESS * stretch).abs() < 1e-6, "{model}, {stretch}: {tension} N");
        }
    }
}

#[test]
fn a_stretched_curve_bends_as_its_shape_does_and_its_own_shape_is_without_bending() {
    let arc = json!({"arc": {"from": [0, 0, 0], "tangent": [1, 0, 0], "towards": [0, 1, 0],
        "radius": 0.5, "angle": 1.5}});
    for model in MODELS {
        let energy = |stretch: f64, natural: &str| {
            let mut described = rod(model, arc.clone(), stretch);
            described["natural"] = json!(natural);
            build(json!({"rod": {"cord": described}})).world().energy()
        };
        let (slack, tight) = (energy(0.0, "straight"), energy(0.1, "straight"));
        // The same turns over a rest length that is shorter by 1.1.
        assert!((tight.bend / slack.bend / 1.1 - 1.0).abs() < 1e-9, "{model}: {slack:?} {tight:?}");
        let stretch = 0.5 * STIFFNESS * 0.1 * 0.1 * 0.75 / 1.1;
        // Twelve chords of 0.125 rad are shorter than the arc by (0.125)²/24, and ends of splines are a
        // little stretched.
        let off = (tight.stretch - slack.stretch) / stretch - 1.0;
        assert!(off.abs() < 5e-3, "{model}: {off}");
        if model != "mass-spring" {
            assert!(energy(0.1, "as-shaped").bend < 1e-12 * tight.bend, "{model}");
        }
    }
}

#[test]
fn a_stretch_that_is_impossible_is_refused_with_its_field() {
    let line = json!({"line": {"from": [0, 0, 0], "to": [1, 0, 0]}});
    let control = json!({"spline": {"control": [[0, 0, 0], [0.3, 0, 0], [0.6, 0, 0], [1, 0, 0]]}});
    let mut stiff = rod("discrete-elastic", line.clone(), 0.1);
    stiff["inextensible"] = json!(true);
    let mut of_spline = rod("spline", control, 0.1);
    of_spline["segments"] = Value::Null;
    for described in [rod("beam", line.clone(), 5.0), rod("beam", line, -1.0), stiff, of_spline] {
        let described: RodDescription = serde_json::from_value(described).expect("a description");
        let error = Rod::build(&described).map(|_| ()).expect_err("an impossible stretch");
        assert!(error.to_string().contains("initial_stretch"), "{error}");
    }
}
