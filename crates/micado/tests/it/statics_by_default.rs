//! Equilibria are found, or the scene stays as it was described.

use micado::clock::NoClock;
use micado::run::Simulation;
use serde_json::{Map, Value, json};

/// Six ropes side by side, the outer two held at their ends, each hung on the next by five slack links.
fn hung_ropes() -> Value {
    let (mut rods, mut constraints) = (Map::new(), Map::new());
    for k in 0..6 {
        let y = 0.2 * f64::from(k);
        rods.insert(
            format!("r{k}"),
            json!({"shape": {"line": {"from": [0, y, 0], "to": [1, y, 0]}}, "radius": 2e-3, "young": 1e8,
                "density": 1000, "segments": 12, "damping": {"internal": 5e-3, "mass": 1}}),
        );
        if k == 0 || k == 5 {
            for at in ["start", "end"] {
                constraints
                    .insert(format!("{at}{k}"), json!({"position": {"on": format!("r{k}"), "at": at}}));
            }
        }
        for at in (k < 5).then_some(["10 %", "30 %", "50 %", "70 %", "90 %"]).into_iter().flatten() {
            constraints.insert(
                format!("link {k} {at}"),
                json!({"distance": {"on": format!("r{k}"), "at": at, "distance": 0.22, "limit": "at-most",
                    "to": {"on": format!("r{}", k + 1), "at": at}}}),
            );
        }
    }
    json!({"settings": {"settle": true, "step": 2e-3, "duration": 0.02}, "rod": rods,
        "constraint": constraints})
}

#[test]
fn settle_finds_an_equilibrium_or_leaves_the_scene_as_described() {
    let scene = serde_json::from_value(hung_ropes()).expect("a scene");
    let mut simulation = Simulation::build(&scene).expect("a simulation");
    let before = simulation.world().state().clone();
    simulation.settle(&NoClock);
    let failed = simulation.events().iter().any(|event| event.kind() == "not-converged");
    if failed {
        assert_eq!(simulation.world().state().q, before.q, "a failed search has moved the ropes");
    }
    for _ in 0..10 {
        let report = simulation.step(&NoClock);
        assert!(!report.held && report.residual < 1e-3, "{report:?}");
    }
}
