//! Rods on floors, on each other, and lifted off.

use super::{G, INTEGRATORS, MODELS, directions, read, slope, times, watch};
use crate::common::{build, object, probe, run};
use micado::clock::NoClock;
use micado::scene::Edit;
use serde_json::{Value, json};
use std::f64::consts::PI;

const RADIUS: f64 = 0.01;
const YOUNG: f64 = 1e7;
const DENSITY: f64 = 1000.0;
/// Weight per length, N/m.
const WEIGHT: f64 = PI * RADIUS * RADIUS * DENSITY * G;

/// Bending stiffness, N·m².
fn stiffness() -> f64 {
    YOUNG * PI / 4.0 * RADIUS.powi(4)
}

/// A straight rope of rubber.
fn rope(model: &str, [from, to]: [[f64; 3]; 2], segments: usize) -> Value {
    json!({"model": model, "shape": {"line": {"from": from, "to": to}}, "radius": RADIUS, "young": YOUNG,
        "density": DENSITY, "segments": segments, "damping": {"internal": 0.05, "mass": 10}})
}

/// A rope that lies on the floor.
fn lying(model: &str, friction: f64, integrator: &str) -> Value {
    json!({
        "floor": true, "contact": {"friction": friction},
        "rod": {"rope": rope(model, [[0.0, 0.0, RADIUS], [1.0, 0.0, RADIUS]], 20)},
        "settings": {"duration": 0.5, "step": 0.01, "integrator": integrator},
        "probe": [read("push", "rope", "contact-force", "z"),
            {"name": "energy", "of": "world", "read": "kinetic-energy"}],
    })
}

#[test]
fn the_floor_carries_the_weight_of_a_rope_of_every_model() {
    for model in MODELS {
        for integrator in INTEGRATORS {
            // Without friction the forces are found by elimination, to rounding. With friction, sweeps end at
            // 1e-12 m, which is 1e-12 m/h² of 3 N.
            for (friction, tolerance) in [(0.0, 1e-10), (0.3, 3e-9)] {
                let done = run(lying(model, friction, integrator));
                let off = probe(&done, "push") / WEIGHT - 1.0;
                assert!(off.abs() < tolerance, "{model}, {integrator}, μ = {friction}: {off:e}");
                assert!(probe(&done, "energy") < 1e-18, "{model}: {} J", probe(&done, "energy"));
                // Contacts are at the middles of segments and at the ends; between them the rope sags by
                // 2.9e-4 q ℓ⁴/EI. A beam also shears: q ℓ²/8GA more.
                let (world, bends) = (done.world(), 3.5e-4 * WEIGHT * 0.05_f64.powi(4) / stiffness());
                let shears = WEIGHT * 0.05 * 0.05 / (8.0 * YOUNG / 3.0 * PI * RADIUS * RADIUS);
                let most = if model == "beam" { bends + shears } else { bends };
                for k in 0..=400 {
                    let s = f64::from(k) / 400.0;
                    let section = world.section(object(world, "rope"), s).expect("a rope");
                    let depth = RADIUS - section.position.z;
                    assert!(depth < most, "{model}, {integrator}: {depth:e} m at {s} m, most {most:e} m");
                }
            }
        }
    }
}

#[test]
fn a_lifted_end_pulls_with_half_the_weight_of_what_hangs() {
    for model in MODELS {
        // δ = q a⁴/24EI for a free length a, here two and a half, five and ten segments. Half of the weight
        // hangs on the end, the other half presses on the floor where the rope lifts off.
        for (segments, tolerance) in [(10, 0.02), (20, 0.01), (40, 0.002)] {
            let a = 0.25_f64;
            let lift = WEIGHT * a.powi(4) / (24.0 * stiffness());
            let done = run(json!({
                "floor": true, "contact": {},
                "rod": {"rope": rope(model, [[0.0, 0.0, RADIUS], [1.0, 0.0, RADIUS]], segments)},
                "constraint": {"hand": {"position": {"on": "rope", "at": "end",
                    "displacement": {"ramp": {"to": [0, 0, lift], "end": 1}}}}},
                "settings": {"duration": 3, "step": 0.01},
                "probe": [read("pull", "hand", "force", "z"), read("push", "rope", "contact-force", "z")],
            }));
            let (pull, push) = (probe(&done, "pull"), probe(&done, "push"));
            let off = pull / (0.5 * WEIGHT * a) - 1.0;
            // A chain of springs bends at its masses: four times the error of five segments.
            let tolerance = if model == "mass-spring" && segments == 10 { 0.04 } else { tolerance };
            assert!(off.abs() < tolerance, "{model}, {segments} segments: {off}");
            assert!(((pull + push) / WEIGHT - 1.0).abs() < 1e-10, "{model}: {pull} N + {push} N");
        }
    }
}

#[test]
fn two_crossing_ropes_push_each_other_aside_as_stiff_strings() {
    let (reach, aside, radius, stretch) = (1.0, 0.02, 0.004, 1e4);
    for (model, bend) in [("spline", 0.2), ("beam", 0.2), ("discrete-elastic", 0.2), ("mass-spring", 1e-9)] {
        let rope = |from: [f64; 3], to: [f64; 3]| {
            json!({"model": model, "shape": {"line": {"from": from, "to": to}}, "radius": radius,
                "stiffness": {"stretch": stretch, "bend": bend, "twist": bend}, "mass_per_length": 0.05,
                "segments": 32, "damping": {"internal": 0.01, "mass": 20}})
        };
        let mut constraints = json!({});
        for (name, axis, up) in [("a", 0, 1.0), ("b", 1, -1.0)] {
            for (end, sign) in [("start", -1.0), ("end", 1.0)] {
                // Pulled by 50 N, then moved across the other one.
                let mut pulled = [0.0; 3];
                pulled[axis] = sign * 50.0 / stretch;
                let mut moved = pulled;
                moved[2] = up * aside;
                constraints[format!("{name}_{end}")] = json!({"position": {"on": name, "at": end,
                    "displacement": {"keyframes": {"times": [0, 0.2, 1], 
                    "values": [[0, 0, 0], pulled, moved]}}}});
            }
            if model != "mass-spring" {
                constraints[format!("{name}_roll")] = json!({"roll": {"on": name, "at": "start"}});
            }
        }
        let done = run(json!({
            "contact": {},
            "rod": {"a": rope([-reach, 0.0, -radius], [reach, 0.0, -radius]),
                "b": rope([0.0, -reach, radius], [0.0, reach, radius])},
            "constraint": constraints,
            "settings": {"duration": 2.5, "step": 0.01, "gravity": [0, 0, 0]},
            "probe": [
                {"name": "force", "of": "b", "with": "a", "read": "contact-force", "component": "z"},
                {"name": "tension", "of": "a", "at": "25 %", "read": "tension"}],
        }));
        let tension = probe(&done, "tension");
        let (half, length) = (reach * (1.0 + 50.0 / stretch), (bend / tension).sqrt());
        let expected = 2.0 * tension * aside / (half - length * (half / length).tanh());
        let off = probe(&done, "force") / expected - 1.0;
        // The slope is 0.02, its square 4e-4; a discrete rod has its bends 3 cm apart, and √(EI/T) is 6 cm.
        let tolerance = if model == "discrete-elastic" { 0.01 } else { 1e-3 };
        assert!(off.abs() < tolerance, "{model}: {off}");
    }
}

#[test]
fn a_rope_at_eighty_percent_of_the_cone_does_not_creep_in_2000_steps() {
    let angle = (0.8_f64 * 0.3).atan();
    let [down, normal] = directions(angle);
    let from = times(normal, RADIUS);
    let to = [from[0] + down[0], from[1], from[2] + down[2]];
    let mut rod = rope("discrete-elastic", [from, to], 20);
    rod["damping"]["mass"] = json!(0);
    let mut began = None;
    let done = watch(
        json!({
            "contact": {"friction": 0.3}, "body": {"slope": slope(angle)}, "rod": {"rope": rod},
            "settings": {"duration": 20, "step": 0.01},
            "probe": [{"name": "x", "of": "rope", "at": "50 %", "read": "position", "component": "x"}],
        }),
        |now, _| {
            // In the first steps friction takes its share, and the rope shortens by some nanometres.
            if began.is_none() && now.time() > 1.0 {
                began = Some(probe(now, "x"));
            }
        },
    );
    let travel = probe(&done, "x") - began.expect("a position");
    assert!(travel.abs() < 1e-9, "{travel} m");
}

#[test]
fn both_halves_of_a_rope_that_is_cut_stay_on_the_floor() {
    for model in MODELS {
        let scene = lying(model, 0.3, "euler");
        let mut simulation = build(scene);
        for _ in 0..20 {
            simulation.step(&NoClock);
        }
        let cut: Edit = serde_json::from_value(json!({"cut": {"rod": "rope", "at": 0.43, "second": "tail"}}))
            .expect("an edit");
        simulation.apply(&cut).expect("a rope can be cut");
        // The new ends are round, so they overlap: they are pushed apart without velocity, as overlaps are.
        let overlap = (0..60).map(|_| simulation.step(&NoClock).penetration).last().expect("steps");
        assert!(overlap < 1e-9, "{model}: {overlap} m");
        let world = simulation.world();
        for name in ["rope", "tail"] {
            let half = object(world, name);
            let force = world.surface_contacts().map(|contact| {
                let sides = contact.objects.map(|index| f64::from(u8::from(index == half.index)));
                (sides[0] - sides[1]) * contact.force.z
            });
            // From the floor and from the other half, as for the whole rope.
            let off = force.sum::<f64>() / (half.total_mass() * G) - 1.0;
            assert!(off.abs() < 1e-8, "{model}: {name} {off}");
        }
    }
}
